// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two pendulums of mass m and length l, joined by a spring of stiffness k: their modes, and the linear
// model from a torque at the one to the angle of the other. With p = g/l and c = k/m,
//
//     a_dd = -(p + c) a + c b + u / m l^2
//     b_dd = -(p + c) b + c a
//
// so that w^2 is p or p + 2 c. The program compares.
#include <limber/linear.h>
#include <math.h>
#include <stdio.h>

static void print_diagnostic(void *user, const lb_diagnostic *d)
{
    fprintf(user, "%s:%d:%d: %s: %s\n", d->file, d->line, d->column, d->path, d->message);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/coupled_pendulums.yaml";
    const double p = 9.81, c = 5.0;
    double worst = INFINITY;

    // [linear]
    const lb_report report = {print_diagnostic, stderr};
    lb_simulation *simulation = NULL;
    if (lb_open_simulation(path, NULL, &report, &simulation) < 0) {
        return 1;
    }

    // about the equilibrium; the motor of the model is the input
    const char *const inputs[] = {"push"}, *const outputs[] = {"right.angle"};
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_EQUILIBRIUM;
    options.inputs = inputs;
    options.input_count = 1;
    options.outputs = outputs;
    options.output_count = 1;
    lb_modes *modes = NULL;
    lb_linear *linear = NULL;
    lb_status status = lb_compute_modes(simulation, &options, &modes);
    status = status < 0 ? status : lb_linearize(simulation, &options, &linear);
    if (status < 0) {
        fprintf(stderr, "%s\n", lb_get_simulation_message(simulation));
    }
    // [linear]
    if (status >= 0) {
        const double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, -(p + c), c, 0, 0, c, -(p + c), 0, 0};
        const double omega[2] = {sqrt(p), sqrt(p + 2.0 * c)};
        worst = 0.0;
        for (int i = 0; i < 16; ++i) {
            worst = fmax(worst, fabs(linear->A[i] - A[i]));
        }
        for (int i = 0; i < 2; ++i) {
            const double found = 6.283185307179586 * modes->frequencies[i];
            worst = fmax(worst, fabs(found - omega[i]));
            printf("mode %d: %.9f Hz\n", i + 1, modes->frequencies[i]);
        }
        worst = fmax(worst, fabs(linear->B[2] - 1.0));
        worst = fmax(worst, fabs(linear->C[1] - 1.0));
        printf("largest difference from the equations above: %.2g\n", worst);
    }
    lb_destroy_linear(linear);
    lb_destroy_modes(modes);
    lb_destroy_simulation(simulation);
    return worst < 1e-12 ? 0 : 1;
}
