// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix from derivatives: against differences of the equations of motion, and in runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/loops.h"
#include "simulate/run/simulation.h"
#include "simulate/system/closure.h"

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

// Loops of many types between all manner of hinges: a beam on a ball joint that ends on a slider which
// is driven by acceleration, a rod, a gear, a planar four-bar with redundant rows whose crank is
// driven, a payload that floats on a loop with given motion. The belly of the beam swings more than the nodes that
// are held: modes of ruthless bodies do not displace what loops hold, and the projection of positions comes closer
// by the share that hinges have in it.
static const char *const closed_everything =
    "limber: 1\n"
    "gravity: [0.3, 0.2, -9.81]\n"
    "ground: {nodes: {rail: {position: [1.1, 0.1, 0.1]}, post: {position: [0, 1, 0]}, pivot: "
    "{position: [0, -1, 0]}, pivot2: {position: [1, -1, 0]}}}\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.1, 0, 0],\n"
    "     inertia: [0.01, 0.02, 0.02, 0, 0, 0], nodes: {t: {position: [0.3, 0, 0]}}}\n"
    "  - name: beam\n"
    "    parent: crank\n"
    "    at: t\n"
    "    hinge: {type: spherical}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: mid, position: [0.5, 0.15, 0], mass: 0.5, inertia: [0.01, 0.02, 0.02, 0, 0, "
    "0], shape: [[0, 0, 0.2, 0, 0.1, 0], [0, -0.15, 0, 0, 0, 0.1]]}\n"
    "        - {name: belly, position: [0.7, 0, 0.1], mass: 0.5, shape: [[0, 0, 1.4, 0, 1, 0], [0, "
    "-1.2, 0, 0, 0, 1]]}\n"
    "        - {name: tip, position: [1, 0, 0], mass: 0.5, shape: [[0, 0, 0.3, 0, 0.2, 0], [0, "
    "-0.25, 0, 0, 0, 0.2]], second_order: [[0, 0, [-1.1, 0, 0]], [1, 1, [-1.2, 0, 0]]]}\n"
    "      stiffness: [[40, 3], [3, 60]]\n"
    "      damping: [[0.4, 0.1], [0.1, 0.5]]\n"
    "  - {name: slider, at: rail, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.5}\n"
    "  - {name: wheel, hinge: {type: revolute, axis: [1, 0, 0.2]}, mass: 0.5, inertia: [0.02, "
    "0.03, "
    "0.02, 0, 0, 0]}\n"
    "  - {name: float, hinge: {type: free}, mass: 2, com: [0.1, 0, 0.05], inertia: [0.1, 0.15, "
    "0.1, "
    "0, 0, 0], nodes: {n: {position: [0, 0.4, 0]}}}\n"
    "  - {name: flap, parent: float, at: n, hinge: {type: universal, axes: [[0, 0, 1], [0, 1, 0]]},"
    " mass: 0.2, com: [0, 0.2, 0], inertia: [0.01, 0.01, 0.01, 0, 0, 0], nodes: {e: {position: [0, "
    "0.5, 0]}}}\n"
    "  - {name: a1, at: pivot, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.2, "
    "0], inertia: [0.02, 0, 0.02, 0, 0, 0], nodes: {t: {position: [0, 0.4, 0]}}}\n"
    "  - {name: a2, parent: a1, at: t, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: "
    "[0.5, 0, 0], inertia: [0, 0.08, 0.08, 0, 0, 0], nodes: {t: {position: [1, 0, 0]}}}\n"
    "  - {name: a3, at: pivot2, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.3, "
    "0], inertia: [0.02, 0, 0.02, 0, 0, 0], nodes: {t: {position: [0, 0.6, 0]}}}\n"
    "  - {name: wagon, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 3, nodes: {w: {position: "
    "[-0.5, 1, 0.3]}}}\n"
    "loops:\n"
    "  - {name: ball, a: {body: slider}, b: {body: beam, node: tip}, type: spherical}\n"
    "  - {name: strut, a: {body: ground, node: post}, b: {body: beam, node: mid}, type: rod, "
    "length: 1.05}\n"
    "  - {name: mesh, type: coupler, terms: [{body: crank, factor: 2}, {body: wheel}], "
    "as_assembled: true}\n"
    "  - {name: pin, a: {body: a3, node: t}, b: {body: a2, node: t}, type: revolute, axis: [0, 0, "
    "1]}\n"
    "  - {name: guide, a: {body: wagon, node: w}, b: {body: flap, node: e}, type: cylindrical, "
    "axis: [0.3, 0.2, 1], as_assembled: true, motion: {turn: 0.5*t, shift: 0.2*sin(t)}}\n"
    "forces:\n"
    "  - {name: s, type: spring, hinge: flap.0, stiffness: 30, rest: 0.1}\n"
    "  - {name: d, type: damper, hinge: a3, damping: 0.3}\n"
    "  - {name: n, type: spring, between: [beam/mid, float/n], stiffness: 25, length: 0.4}\n"
    "  - {name: nd, type: damper, between: [slider, flap/e], damping: 2}\n"
    "  - {name: m, type: motor, hinge: wheel, value: 2*sin(float/n.position.x) - wheel.rate}\n"
    "  - {name: p, type: motion, hinge: a1, position: 0.3 + 0.2*sin(2*t)}\n"
    "  - {name: v, type: motion, hinge: slider, acceleration: 0.4}\n"
    "  - {name: w, type: motion, hinge: wagon, speed: 0.5*cos(t)}\n"
    "initial: {crank: {angle: 1.1}, a2: {angle: 0.2}}\n"
    "run: {assemble: true}\n";

// A text with another fidelity, which has no displacements of second order.
static const char *change_fidelity(const char *text, const char *fidelity)
{
    static char out[16384];
    size_t used = 0;
    for (const char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        const char *second = strstr(line, ", second_order:");
        const int cut = second && second < end;
        const int kept = (int)((cut ? second : end) - line);
        used +=
            (size_t)snprintf(out + used, sizeof out - used, "%.*s%s", kept, line, cut ? "}\n" : "");
        if (strncmp(line, "    flex:\n", 10) == 0) {
            used +=
                (size_t)snprintf(out + used, sizeof out - used, "      fidelity: %s\n", fidelity);
        }
    }
    assert_true(used < sizeof out);
    return out;
}

// (I - gamma J) x = b for a random b, J by differences about y.
static void check_solution(lb_system *s, lb_newton *newton, lb_random *random, double t,
                           double gamma, double *y)
{
    const size_t n = (size_t)s->y_count;
    double *b = lb_make_numbers(n), *x = lb_make_numbers(n), *Jx = lb_make_numbers(n), size = 1.0;
    lb_draw_vector(random, s->y_count, 1.0, b);
    lb_expect_ok(lb_evaluate_system(s, t, y, NULL));
    lb_expect_ok(lb_differentiate_system(newton, t));
    assert_true(lb_factor_newton(newton, gamma));
    lb_solve_newton(newton, b, x);
    multiply_by_jacobian(s, t, y, x, Jx);
    for (size_t i = 0; i < n; ++i) {
        size = fmax(size, fabs(x[i]) + fabs(gamma * Jx[i]));
        Jx[i] = x[i] - gamma * Jx[i];
    }
    // 1e-8 of what cancels: round-off of accelerations, divided by the step of the differences
    lb_expect_within("(I - gamma J) x", Jx, b, n, 1e-8 * size);
    free(b);
    free(x);
    free(Jx);
}

static void check_loops(const char *text)
{
    lb_course c = lb_begin_course(text);
    lb_expect_ok(lb_complete_simulation(c.simulation));
    lb_system *s = &c.simulation->system;
    const size_t n = (size_t)s->y_count;
    lb_random random;
    lb_seed_random(&random, 11);
    double *y = lb_make_numbers(n), *step = lb_make_numbers(n);
    lb_newton *newton;
    lb_expect_ok(lb_create_newton(s, &newton));
    assert_non_null(newton);
    if (lb_close_initial(c.simulation) < 0) {
        fail_msg("%s", s->message);
    }
    for (int trial = 0; trial < 12; ++trial) {
        // a hinge locked, a loop let go, by turns
        s->locked[5] = trial % 3 == 2;
        s->locked_count = s->locked[5];
        lb_expect_ok(lb_set_loop_active(c.model, s->work, 1, trial % 4 != 3));
        lb_expect_ok(lb_set_loop_active(c.model, s->closure->gauge, 1, trial % 4 != 3));
        lb_expect_ok(lb_set_hinge_locked(c.model, s->work, 5, s->locked[5]));
        const double t = 0.4, gamma = trial % 2 ? 0.2 : 0.02;
        memcpy(y, c.simulation->q0, (size_t)s->q_count * sizeof *y);
        lb_draw_vector(&random, s->v_count, 0.05, step);
        lb_integrate_configuration(c.model, y, step, y);
        lb_draw_vector(&random, s->v_count, 1.0, y + s->q_count);
        lb_clean_state(s, t, y);
        for (int i = 0; s->locked[5] && i < 2; ++i) {
            y[s->q_count + lb_get_v_offset(c.model, 5) + i] = 0.0;
        }
        if (lb_project(s, t, y, y + s->q_count) < 0) {
            fail_msg("%s", s->message);
        }
        check_solution(s, newton, &random, t, gamma, y);
    }
    free(y);
    free(step);
    lb_end_course(&c);
}

static void loops_are_in_the_differenced_equations(void **state)
{
    (void)state;
    check_loops(closed_everything);
    check_loops(change_fidelity(closed_everything, "appendix-c"));
    check_loops(change_fidelity(closed_everything, "ruthless"));
}

static void check_tree(const char *text)
{
    lb_course c = lb_begin_course(text);
    lb_expect_ok(lb_complete_simulation(c.simulation));
    lb_system *s = &c.simulation->system;
    const size_t n = (size_t)s->y_count;
    lb_random random;
    lb_seed_random(&random, 7);
    double *y = lb_make_numbers(n), *step = lb_make_numbers(n);
    lb_newton *newton;
    lb_expect_ok(lb_create_newton(s, &newton));
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
        check_solution(s, newton, &random, t, gamma, y);
    }
    free(y);
    free(step);
    lb_end_course(&c);
}

static void solution_satisfies_the_differenced_equations(void **state)
{
    (void)state;
    check_tree(everything);
    check_tree(change_fidelity(everything, "appendix-c"));
    check_tree(change_fidelity(everything, "ruthless"));
}

// A hanging chain of beams with stiff, damped modes. With a loop, the hinge in the middle is one: what
// hangs below is a tree of its own.
static void write_chain(int count, bool with_loop, char *text, size_t size)
{
    const int cut = with_loop ? count / 2 : -1;
    size_t used = (size_t)snprintf(text, size, "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < count; ++i) {
        char parent[32] = "ground";
        if (i > 0 && i != cut) {
            snprintf(parent, sizeof parent, "b%d\n    at: tip", i - 1);
        }
        used += (size_t)snprintf(
            text + used, size - used,
            "  - name: b%d\n"
            "    parent: %s\n"
            "    hinge: {%s}\n"
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
            i, parent, i == cut ? "type: free" : "type: revolute, axis: [0, 1, 0.2]");
    }
    used += (size_t)snprintf(text + used, size - used, "initial:\n  b0: {angle: 0.5}\n");
    if (!with_loop) {
        return;
    }
    // turned as b0 is; assembly finds the place
    used += (size_t)snprintf(text + used, size - used,
                             "  b%d: {q: [0.968912421710645, 0, 0.242599541, 0.048519908, -5.641, "
                             "-0.2825, -10.5875]}\n",
                             cut);
    used +=
        (size_t)snprintf(text + used, size - used,
                         "loops: [{name: joint, a: {body: b%d, node: tip}, b: {body: b%d}, type: "
                         "revolute, axis: [0, 1, 0.2]}]\nrun: {assemble: {hold: [",
                         cut - 1, cut);
    for (int i = 0; i < count; ++i) {
        used += i == cut ? 0 : (size_t)snprintf(text + used, size - used, "b%d, ", i);
    }
    snprintf(text + used, size - used, "b%d.eta.0]}}\n", cut);
}

// Two seconds of it: where the hinges are then. Gives the evaluations for each step.
static double run_chain(bool with_loop, bool differences, double *evaluations, double *angles)
{
    static char text[65536];
    write_chain(24, with_loop, text, sizeof text);
    lb_course c = lb_begin_course(text);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(c.simulation, &o);
    o.integrator = LB_INTEGRATOR_BDF;
    o.relative_tolerance = o.absolute_tolerance = 1e-6;
    o.differences = differences;
    lb_expect_ok(lb_set_run_options(c.simulation, &o));
    lb_start_course(&c);
    lb_go_to(&c, 2.0);
    const lb_system *s = &c.simulation->system;
    lb_step_counts counts;
    c.simulation->flow.stepper->count(&c.simulation->flow, &counts);
    *evaluations = (double)s->evaluation_count;
    for (int i = 0; i < 12; ++i) {
        angles[i] = c.q[lb_get_q_offset(c.model, i) + 3];
    }
    print_message("%s, %s: %.0f evaluations, %ld Jacobians, %.0f steps\n",
                  with_loop ? "with a loop" : "tree", differences ? "differences" : "derivatives",
                  *evaluations, s->jacobian_count, counts.steps);
    assert_true(differences ? s->jacobian_count == 0 : s->jacobian_count > 0);
    lb_end_course(&c);
    return *evaluations / counts.steps;
}

static void stiff_chain_needs_a_third_of_the_evaluations(void **state)
{
    (void)state;
    double each[2], angles[3][12];
    for (int with_loop = 0; with_loop < 2; ++with_loop) {
        double evaluations[2];
        each[with_loop] = run_chain(with_loop, false, &evaluations[0], angles[with_loop]);
        run_chain(with_loop, true, &evaluations[1], angles[2]);
        // 1e-3: two runs at a tolerance of 1e-6 a step
        lb_expect_within("where both end", angles[with_loop], angles[2], 12, 1e-3);
        assert_true(3.0 * evaluations[0] <= evaluations[1]);
    }
    lb_expect_within("with and without a loop", angles[1], angles[0], 12, 1e-3);
    // Newton's method is as good with the loop as without: a fifth for the coordinates of a free hinge
    lb_expect_below("evaluations a step with a loop", each[1], 1.2 * each[0]);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_satisfies_the_differenced_equations),
        cmocka_unit_test(loops_are_in_the_differenced_equations),
        cmocka_unit_test(stiff_chain_needs_a_third_of_the_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
