// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix from derivatives: against differences of the equations of motion, and in runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "simulate/newton.h"

// Every part of it: quaternions, modes, forces of all manners, motion by position, speed and
// acceleration.
static const char *const everything =
    "limber: 1\n"
    "gravity: [0.3, 0.2, -9.81]\n"
    "bodies:\n"
    "  - name: base\n"
    "    hinge: {type: free}\n"
    "    mass: 5\n"
    "    com: [0.1, 0, 0.05]\n"
    "    inertia: [1, 1.5, 0.8, 0.1, 0, 0.05]\n"
    "    nodes: {a: {position: [0.5, 0, 0]}, b: {position: [0, 0.5, 0]}, c: {position: [0, 0, "
    "1]}}\n"
    "  - name: beam\n"
    "    parent: base\n"
    "    at: a\n"
    "    hinge: {type: spherical}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: mid, position: [0.5, 0, 0], mass: 0.5, inertia: [0.01, 0.02, 0.02, 0, 0, 0], "
    "shape: [[0, 0, 0.6, 0, 0.3, 0], [0, -0.5, 0, 0, 0, 0.2]]}\n"
    "        - {name: tip, position: [1, 0, 0], mass: 0.5, shape: [[0, 0, 1.4, 0, 1, 0], [0, -1.2, "
    "0, "
    "0, 0, 1]], second_order: [[0, 0, [-1.1, 0, 0]], [1, 1, [-1.2, 0, 0]]]}\n"
    "      stiffness: [[40, 3], [3, 60]]\n"
    "      damping: [[0.4, 0.1], [0.1, 0.5]]\n"
    "  - {name: wrist, parent: beam, at: tip, hinge: {type: universal, axes: [[0, 0, 1], [0, 1, "
    "0]]}, "
    "mass: 0.4, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0], nodes: {t: {position: "
    "[0.4, 0, "
    "0]}}}\n"
    "  - {name: arm, parent: base, at: b, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: "
    "[0.3, 0, 0], inertia: [0.01, 0.1, 0.1, 0, 0, 0], nodes: {t: {position: [0.6, 0, 0]}}}\n"
    "  - {name: slider, parent: arm, at: t, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.3, "
    "com: "
    "[0.1, 0, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
    "  - {name: wheel, parent: base, at: c, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0.7, "
    "com: "
    "[0.1, 0, 0], inertia: [0.02, 0.03, 0.02, 0, 0, 0]}\n"
    "  - {name: flap, parent: wheel, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 0.2, com: "
    "[0, 0.2, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
    "forces:\n"
    "  - {name: s, type: spring, hinge: wrist.0, stiffness: 30, rest: 0.1}\n"
    "  - {name: d, type: damper, hinge: wrist.1, damping: 0.3}\n"
    "  - {name: n, type: spring, between: [wrist/t, arm/t], stiffness: 25, length: 0.4}\n"
    "  - {name: nd, type: damper, between: [wrist/t, arm/t], damping: 2}\n"
    "  - {name: f, type: force, at: beam/tip, axes: node, value: [1, 2, -1]}\n"
    "  - {name: m, type: motor, hinge: flap, value: 2*sin(base/c.position.x) - flap.rate}\n"
    "  - {name: p, type: motion, hinge: arm, position: 0.3 + 0.2*sin(2*t)}\n"
    "  - {name: v, type: motion, hinge: slider, speed: 0.5*cos(t)}\n"
    "  - {name: a, type: motion, hinge: wheel, acceleration: 1.5}\n";

// J b by differences of f along b                                                     (NEW-1)
static void multiply_by_jacobian(lb_system *s, double t, const double *y, const double *x,
                                 double *Jx)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const size_t n = (size_t)s->y_count;
    double largest = 1.0;
    for (size_t i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    const double h = 3e-4 / largest;
    double *moved = lb_make_numbers(n), *rate = lb_make_numbers(n);
    memset(Jx, 0, n * sizeof *Jx);
    for (int side = 0; side < 6; ++side) {
        const double sign = side % 2 ? -1.0 : 1.0;
        for (size_t i = 0; i < n; ++i) {
            moved[i] = y[i] + sign * h * (side / 2 + 1) * x[i];
        }
        lb_expect_ok(lb_evaluate_system(s, t, moved, rate));
        for (size_t i = 0; i < n; ++i) {
            Jx[i] += sign * weights[side / 2] / h * rate[i];
        }
    }
    free(moved);
    free(rate);
}

static void solution_satisfies_the_differenced_equations(void **state)
{
    (void)state;
    lb_course c = lb_begin_course(everything);
    lb_system *s = &c.simulation->system;
    const size_t n = (size_t)s->y_count;
    lb_random random;
    lb_seed_random(&random, 7);
    double *y = lb_make_numbers(n), *b = lb_make_numbers(n), *x = lb_make_numbers(n);
    double *Jx = lb_make_numbers(n), *step = lb_make_numbers(n);
    lb_newton *newton;
    lb_expect_ok(lb_create_newton(c.simulation, &newton));
    assert_non_null(newton);
    for (int trial = 0; trial < 12; ++trial) {
        // some hinge locked as well, by turns
        s->locked[2] = trial % 3 == 2;
        s->locked_count = s->locked[2];
        const double t = 0.4, gamma = trial % 2 ? 0.3 : 0.02;
        lb_get_neutral_configuration(c.model, y);
        lb_draw_vector(&random, s->v_count, 0.5, step);
        lb_integrate_configuration(c.model, y, step, y);
        lb_draw_vector(&random, s->v_count, 1.0, y + s->q_count);
        lb_clean_state(s, t, y);
        lb_draw_vector(&random, s->y_count, 1.0, b);
        lb_expect_ok(lb_evaluate_system(s, t, y, NULL));
        lb_expect_ok(lb_differentiate_system(newton, t));
        assert_true(lb_factor_newton(newton, gamma));
        lb_solve_newton(newton, b, x);
        // (I - gamma J) x = b
        multiply_by_jacobian(s, t, y, x, Jx);
        double size = 1.0;
        for (size_t i = 0; i < n; ++i) {
            size = fmax(size, fabs(x[i]) + fabs(gamma * Jx[i]));
            Jx[i] = x[i] - gamma * Jx[i];
        }
        // 1e-8 of what cancels: round-off of accelerations, divided by the step of the differences
        lb_expect_within("(I - gamma J) x", Jx, b, n, 1e-8 * size);
    }
    free(y);
    free(b);
    free(x);
    free(Jx);
    free(step);
    lb_end_course(&c);
}

// A hanging chain of beams with stiff, damped modes.
static void write_chain(int count, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < count; ++i) {
        char parent[16] = "ground";
        if (i > 0) {
            snprintf(parent, sizeof parent, "b%d", i - 1);
        }
        used += (size_t)snprintf(
            text + used, size - used,
            "  - name: b%d\n"
            "    parent: %s\n"
            "%s"
            "    hinge: {type: revolute, axis: [0, 1, 0.2]}\n"
            "    flex:\n"
            "      nodes:\n"
            "        - {name: mid, position: [0, 0, -0.5], mass: 0.5, inertia: [0.02, 0.02, 0.001, "
            "0, "
            "0, 0], shape: [[0, -0.6, 0, 0.3, 0, 0], [0.6, 0, 0, 0, 0.3, 0], [0, 0.4, 0, -0.4, 0, "
            "0]]}\n"
            "        - {name: tip, position: [0, 0, -1], mass: 0.5, inertia: [0.02, 0.02, 0.001, "
            "0, 0, "
            "0], shape: [[0, -1.4, 0, 1, 0, 0], [1.4, 0, 0, 0, 1, 0], [0, -4, 0, 1, 0, 0]]}\n"
            "      stiffness: [2.0e+4, 2.0e+4, 1.0e+6]\n"
            "      damping: [200, 200, 2000]\n",
            i, parent, i ? "    at: tip\n" : "");
    }
    snprintf(text + used, size - used, "initial:\n  b0: {angle: 0.5}\n");
}

static void stiff_chain_needs_a_third_of_the_evaluations(void **state)
{
    (void)state;
    static char text[65536];
    write_chain(24, text, sizeof text);
    double evaluations[2], jacobians[2];
    double *q[2];
    for (int differences = 0; differences < 2; ++differences) {
        lb_course c = lb_begin_course(text);
        lb_run_options o = lb_get_run_options(c.simulation);
        o.integrator = LB_INTEGRATOR_BDF;
        o.relative_tolerance = o.absolute_tolerance = 1e-6;
        o.differences = differences;
        lb_expect_ok(lb_set_run_options(c.simulation, &o));
        lb_start_course(&c);
        lb_go_to(&c, 2.0);
        evaluations[differences] = (double)c.simulation->system.evaluation_count;
        jacobians[differences] = (double)c.simulation->system.jacobian_count;
        q[differences] = lb_make_numbers((size_t)c.q_count);
        memcpy(q[differences], c.q, (size_t)c.q_count * sizeof *c.q);
        if (differences) {
            // 1e-3: two runs at a tolerance of 1e-6 a step
            lb_expect_close("where both end", q[0], q[1], c.q_count, 1e-3);
        }
        lb_end_course(&c);
    }
    print_message("evaluations: %.0f and %.0f Jacobians by derivatives, %.0f by differences\n",
                  evaluations[0], jacobians[0], evaluations[1]);
    assert_true(3.0 * evaluations[0] <= evaluations[1]);
    assert_true(jacobians[0] > 0 && jacobians[1] == 0);
    free(q[0]);
    free(q[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_satisfies_the_differenced_equations),
        cmocka_unit_test(stiff_chain_needs_a_third_of_the_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
