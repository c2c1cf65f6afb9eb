// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A double pendulum from a model file: two equal slender rods, mass m and length l, in one plane.
// With q1 the angle of the upper rod, q2 that of the lower against the upper, and the absolute
// angles p1 = q1, p2 = q1 + q2, Lagrange's equations divided by m l^2 are
//
//     4/3 p1_dd + 1/2 cos(p1 - p2) p2_dd + 1/2 sin(p1 - p2) p2_d^2 + 3/2 (g/l) sin p1 = 0
//     1/2 cos(p1 - p2) p1_dd + 1/3 p2_dd - 1/2 sin(p1 - p2) p1_d^2 + 1/2 (g/l) sin p2 = 0
//
// The program compares accelerations with these, then lets the pendulum swing for ten seconds and
// watches its energy.
#include <limber/io.h>
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>

// Accelerations by the equations above, l = 1.
static void solve_by_hand(double g, const double q[2], const double v[2], double a[2])
{
    const double p1 = q[0], p2 = q[0] + q[1], r1 = v[0], r2 = v[0] + v[1];
    const double c = 0.5 * cos(p1 - p2), s = 0.5 * sin(p1 - p2);
    const double b1 = -s * r2 * r2 - 1.5 * g * sin(p1);
    const double b2 = s * r1 * r1 - 0.5 * g * sin(p2);
    const double det = 4.0 / 9.0 - c * c;
    const double p1_dd = (b1 / 3.0 - c * b2) / det;
    const double p2_dd = (4.0 / 3.0 * b2 - c * b1) / det;
    a[0] = p1_dd;
    a[1] = p2_dd - p1_dd;
}

// [step]
// One step of the classical fourth-order Runge-Kutta method: x holds q, then v.
static lb_status step(const lb_model *model, lb_work *work, double h, double x[4])
{
    static const double fraction[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double slope[4] = {0.0}, sum[4] = {0.0};
    for (int stage = 0; stage < 4; ++stage) {
        double y[4], next[4];
        for (int i = 0; i < 4; ++i) {
            y[i] = x[i] + fraction[stage] * h * slope[i];
        }
        // q_dot = v for these hinges; v_dot is the acceleration
        next[0] = y[2];
        next[1] = y[3];
        const lb_status status = lb_compute_forward_dynamics(model, work, y, y + 2, NULL, next + 2);
        if (status != LB_OK) {
            return status;
        }
        for (int i = 0; i < 4; ++i) {
            slope[i] = next[i];
            sum[i] += weight[stage] * next[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        x[i] += h / 6.0 * sum[i];
    }
    return LB_OK;
}
// [step]

static double get_energy(const lb_model *model, lb_work *work, const double x[4])
{
    double kinetic = NAN, potential = NAN;
    lb_compute_kinematics(model, work, x, x + 2, NULL);
    lb_compute_energy(model, work, &kinetic, &potential);
    return kinetic + potential;
}

// [report]
static void print_diagnostic(void *user, const lb_diagnostic *d)
{
    fprintf(user, "%s:%d:%d: %s: %s\n", d->file, d->line, d->column, d->path, d->message);
}
// [report]

int main(int argc, char **argv)
{
    // [load]
    const char *path = argc > 1 ? argv[1] : "examples/double_pendulum.yaml";
    const lb_report report = {print_diagnostic, stderr};
    lb_model *model;
    if (lb_load_model(path, NULL, &report, &model) != LB_OK) {
        return 1;
    }
    // [load]
    lb_work *work = lb_create_work(model);

    // one state against the equations
    double x[4] = {0.7, -1.9, 0.6, 2.5}, a[2], expected[2];
    lb_status status = lb_compute_forward_dynamics(model, work, x, x + 2, NULL, a);
    solve_by_hand(9.81, x, x + 2, expected);
    const double gap = fmax(fabs(a[0] - expected[0]), fabs(a[1] - expected[1]));
    printf("accelerations %.12g %.12g, off by %.1e\n", a[0], a[1], gap);

    // ten seconds of swinging
    const double before = get_energy(model, work, x);
    for (int i = 0; i < 10000 && status == LB_OK; ++i) {
        status = step(model, work, 1e-3, x);
    }
    const double drift = fabs(get_energy(model, work, x) - before);
    printf("energy %.12g J, off by %.1e after 10 s\n", before, drift);
    lb_destroy_work(work);
    lb_destroy_model(model);

    // 1e-12: roundings of numbers near 30; 1e-7: error of order h^4 times the time, h = 1e-3
    return status == LB_OK && gap < 1e-12 && drift < 1e-7 ? 0 : 1;
}
