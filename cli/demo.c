// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber demo: a double pendulum, built, evaluated two ways, swung and drawn.
#include <math.h>
#include <string.h>

#include "commands.h"
#include "console.h"

// Two rods of 1 m and 1 kg that hang from the ground and turn about y.
static lb_model *build_pendulum(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    if (!builder) {
        return NULL;
    }
    lb_set_model_name(builder, "double pendulum");
    lb_set_gravity(builder, (double[3]){0, 0, -9.81});
    lb_body_options rod = lb_default_body_options();
    rod.hinge.type = LB_HINGE_REVOLUTE;
    rod.hinge.axis[1] = 1.0;
    rod.mass = 1.0;
    rod.com[2] = -0.5;
    rod.inertia[0] = rod.inertia[1] = 1.0 / 12.0;

    int upper = 0;
    rod.name = "upper";
    lb_add_body(builder, &rod, &upper);
    lb_add_node(builder, upper, "elbow", (double[3]){0, 0, -1}, NULL);
    rod.name = "lower";
    rod.parent = "upper";
    rod.at = "elbow";
    lb_add_body(builder, &rod, NULL);

    // whatever went wrong on the way comes out here
    lb_model *model = NULL;
    lb_build_model(builder, &model);
    lb_destroy_builder(builder);
    return model;
}

static lb_status compute_energy(const lb_model *model, lb_work *work, const double *q,
                                const double *v, double *energy)
{
    double kinetic = 0.0, potential = 0.0;
    lb_status status = lb_compute_kinematics(model, work, q, v, NULL);
    if (status >= 0) {
        status = lb_compute_energy(model, work, &kinetic, &potential);
    }
    *energy = kinetic + potential;
    return status;
}

// Accelerations by two algorithms that share nothing but the model.
static lb_status show_accelerations(const lb_model *model, lb_work *work, const double *q,
                                    const double *v)
{
    double articulated[2], composite[2], M[4];
    lb_status status = lb_compute_forward_dynamics(model, work, q, v, NULL, articulated);
    if (status >= 0) {
        status = lb_compute_forward_dynamics_composite(model, work, q, v, NULL, M, composite);
    }
    if (status < 0) {
        return status;
    }
    printf("Two rods of 1 m and 1 kg, released from q = (%.2f, %.2f) rad at rest.\n\n", q[0], q[1]);
    printf("  accelerations, rad/s^2          upper                lower\n");
    printf("  articulated body   %20.15f %20.15f\n", articulated[0], articulated[1]);
    printf("  composite body     %20.15f %20.15f\n", composite[0], composite[1]);
    printf("  difference         %20.1e %20.1e\n\n", articulated[0] - composite[0],
           articulated[1] - composite[1]);
    return LB_OK;
}

// One step of the classical Runge-Kutta method. Angles are plain numbers, so is the arithmetic.
static lb_status step(const lb_model *model, lb_work *work, double h, double *q, double *v)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1, 2, 2, 1};
    double q_dot[2] = {0, 0}, v_dot[2] = {0, 0}, q_sum[2] = {0, 0}, v_sum[2] = {0, 0};
    for (int stage = 0; stage < 4; ++stage) {
        double q_now[2], v_now[2];
        for (int i = 0; i < 2; ++i) {
            q_now[i] = q[i] + h * node[stage] * q_dot[i];
            v_now[i] = v[i] + h * node[stage] * v_dot[i];
        }
        const lb_status status =
            lb_compute_forward_dynamics(model, work, q_now, v_now, NULL, v_dot);
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < 2; ++i) {
            q_dot[i] = v_now[i];
            q_sum[i] += weight[stage] * q_dot[i];
            v_sum[i] += weight[stage] * v_dot[i];
        }
    }
    for (int i = 0; i < 2; ++i) {
        q[i] += h / 6.0 * q_sum[i];
        v[i] += h / 6.0 * v_sum[i];
    }
    return LB_OK;
}

// ---- the plot ----------------------------------------------------------------------------------

enum { COLUMNS = 68, ROWS = 17, STEPS = 10000 };

typedef struct plot {
    char cell[ROWS][COLUMNS]; // 0 empty, 1 upper, 2 lower, 3 both
} plot;

static void mark(plot *p, int column, double value, double limit, int curve)
{
    const int row = (int)lround((ROWS - 1) * 0.5 * (1.0 - value / limit));
    if (row >= 0 && row < ROWS && column < COLUMNS) {
        p->cell[row][column] = (char)(p->cell[row][column] | curve);
    }
}

static void print_plot(const plot *p, double limit)
{
    const bool utf8 = lb_cli_has_utf8();
    const char *const ink[4] = {"", utf8 ? "●" : "o", utf8 ? "·" : ".", utf8 ? "●" : "o"};
    const char *plain = lb_cli_get_colour(stdout, LB_CLI_PLAIN);
    const char *const paint[4] = {"", lb_cli_get_colour(stdout, LB_CLI_CYAN),
                                  lb_cli_get_colour(stdout, LB_CLI_YELLOW),
                                  lb_cli_get_colour(stdout, LB_CLI_CYAN)};
    printf("  angle, rad:  %s%s%s upper  %s%s%s lower (from the upper rod)\n\n", paint[1], ink[1],
           plain, paint[2], ink[2], plain);
    for (int row = 0; row < ROWS; ++row) {
        const bool middle = row == (ROWS - 1) / 2;
        if (row % 4 == 0) {
            printf("%6.1f %s", limit * (1.0 - 2.0 * row / (ROWS - 1)), utf8 ? "┤" : "+");
        } else {
            printf("       %s", utf8 ? "│" : "|");
        }
        // spaces right of the last mark are not worth printing
        int last = COLUMNS - 1;
        while (!middle && last >= 0 && p->cell[row][last] == 0) {
            --last;
        }
        for (int column = 0; column <= last; ++column) {
            const int which = p->cell[row][column];
            if (which) {
                printf("%s%s%s", paint[which], ink[which], plain);
            } else {
                fputs(!middle ? " " : utf8 ? "─" : "-", stdout);
            }
        }
        putchar('\n');
    }
    printf("       0 s");
    printf("%*s\n\n", COLUMNS - 2, "10 s");
}

static lb_status swing(const lb_model *model, lb_work *work, double *q, double *v)
{
    static double angles[STEPS + 1][2];
    double start, end, limit = 0.0;
    lb_status status = compute_energy(model, work, q, v, &start);
    for (int i = 0; status >= 0 && i <= STEPS; ++i) {
        memcpy(angles[i], q, sizeof angles[i]);
        limit = fmax(limit, fmax(fabs(q[0]), fabs(q[1])));
        if (i < STEPS) {
            status = step(model, work, 10.0 / STEPS, q, v);
        }
    }
    if (status >= 0) {
        status = compute_energy(model, work, q, v, &end);
    }
    if (status < 0) {
        return status;
    }
    plot p = {0};
    limit = 0.5 * ceil(2.0 * limit);
    for (int i = 0; i <= STEPS; ++i) {
        const int column = i * (COLUMNS - 1) / STEPS;
        mark(&p, column, angles[i][0], limit, 1);
        mark(&p, column, angles[i][1], limit, 2);
    }
    print_plot(&p, limit);
    printf("  energy at the start %14.9f J\n"
           "  energy at the end   %14.9f J, a drift of %.1e (%d RK4 steps)\n",
           start, end, fabs(end - start) / fabs(start), STEPS);
    return LB_OK;
}

int lb_cli_run_demo(const lb_cli_arguments *arguments)
{
    (void)arguments;
    lb_model *model = build_pendulum();
    lb_work *work = model ? lb_create_work(model) : NULL;
    int result = LB_CLI_FAILED;
    if (work) {
        double q[2] = {2.0, 0.5}, v[2] = {0.0, 0.0};
        lb_status status = show_accelerations(model, work, q, v);
        if (status >= 0) {
            status = swing(model, work, q, v);
        }
        if (lb_cli_explain_status(model, work, status, NULL, "demo")) {
            result = LB_CLI_DONE;
        }
        lb_destroy_work(model, work);
    } else {
        lb_cli_complain("out of memory");
    }
    lb_destroy_model(model);
    return result;
}
