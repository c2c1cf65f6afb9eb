// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibria against closed forms, and what has none.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "limber/linear.h"
#include "limber/loops.h"
#include "loaded.h"

// A file of examples/.
static lb_loaded load_example(const char *name)
{
    lb_loaded l = {0};
    lb_expect_ok(lb_load_document(lb_find_source("examples/%s", name), NULL, NULL, &l.document));
    lb_expect_ok(lb_load_document_model(l.document, NULL, &l.model));
    lb_expect_ok(lb_load_simulation(l.document, l.model, NULL, &l.simulation));
    return l;
}

// Largest acceleration of the initial state at rest, by the dynamics themselves.
static double get_acceleration(const lb_loaded *l)
{
    const int n = lb_get_v_count(l->model);
    double *tau = lb_make_numbers(3 * (size_t)n), *a = tau + n, *zero = a + n, largest = 0.0;
    lb_work *work = lb_create_work(l->model);
    unsigned char driven[64] = {0};
    const double *q, *v;
    assert_non_null(work);
    lb_get_initial_state(l->simulation, &q, &v);
    lb_expect_ok(lb_compute_kinematics(l->model, work, q, zero, NULL));
    lb_expect_ok(lb_compute_forces(lb_get_simulation_forces(l->simulation), l->model, work, 0.0, q,
                                   zero, tau, driven, a));
    assert_true(lb_closed_forward(l->model, work, q, zero, driven, tau, a, NULL, NULL) >= 0);
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    lb_destroy_work(work);
    free(tau);
    return largest;
}

// k (rest - q) = m g l sin q, solved by bisection.
static void pendulum_on_a_spring_balances(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, "
        "-0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: s, type: spring, hinge: rod, stiffness: 5, rest: 1.0}\n"
        "initial:\n"
        "  rod: {angle: 0.5, rate: 3}\n",
        NULL);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; ++i) {
        const double q = 0.5 * (low + high);
        *(5.0 * (1.0 - q) > 2.0 * 9.81 * 0.5 * sin(q) ? &low : &high) = q;
    }
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    const double *q, *v, zero = 0.0;
    lb_get_initial_state(l.simulation, &q, &v);
    // 1e-11: forces balance to 1e-15 of 10 N m, stiffness about 14 N m/rad
    lb_expect_close("angle", q, &low, 1, 1e-11);
    lb_expect_within("rate", v, &zero, 1, 0.0);
    lb_end_loaded(&l);
}

// A mode under gravity: K eta = m g shape; the free angle of the hinge is held by its motion.
static void flexible_body_sags(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  - name: beam\n"
        "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: tip, position: [1, 0, 0], mass: 0.5, shape: [[0, 0, 0, 0, 0, 1]]}\n"
        "      stiffness: [200]\n"
        "forces:\n"
        "  - {name: m, type: motion, hinge: beam, position: 0.3}\n",
        NULL);
    lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
    const double *q, *v, expected[2] = {-0.5 * 10 / 200, 0.3};
    lb_get_initial_state(l.simulation, &q, &v);
    lb_expect_close("sag", q, expected, 2, 1e-12);
    lb_end_loaded(&l);
}

// From where all forces are round-off, which no step lessens: an equilibrium all the same, and the same one.
static void equilibrium_is_found_again_from_itself(void **state)
{
    (void)state;
    static const char *const angles[] = {"0", "1.5707963267948966", "-1.5707963267948966"};
    for (int i = 0; i < 3; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - name: rod\n"
                 "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                 "    mass: 2\n"
                 "    com: [0.25, 0, 0]\n"
                 "    inertia: [0.001, 0.042, 0.042, 0, 0, 0]\n"
                 "    nodes: {elbow: {position: [0.5, 0, 0]}}\n"
                 "  - name: tip\n"
                 "    parent: rod\n"
                 "    at: elbow\n"
                 "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                 "    beam: {length: 0.6, section: {type: rectangle, width: 0.03, height: 0.006}, "
                 "material: aluminium, modes: 4}\n"
                 "initial:\n"
                 "  rod: {angle: %s}\n",
                 angles[i]);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const double *q, *v;
        double found[16];
        const int count = lb_get_q_count(l.model);
        lb_trim trim = {.size = sizeof trim};
        lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
        lb_get_initial_state(l.simulation, &q, &v);
        memcpy(found, q, (size_t)count * sizeof *found);
        lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
        assert_true(trim.residual <= trim.tolerance);
        lb_get_initial_state(l.simulation, &q, &v);
        // 1e-9: what the forces of the first search leave undecided
        lb_expect_within("again", q, found, count, 1e-9);
        lb_end_loaded(&l);
    }
}

static void falling_body_has_no_equilibrium(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: stone, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}\n",
        NULL);
    lb_trim trim = {.size = sizeof trim};
    assert_int_equal(lb_trim_simulation(l.simulation, &trim), LB_E_EQUILIBRIUM);
    assert_int_equal(trim.body, 0);
    const double weight = 2 * 9.81;
    lb_expect_close("what is left", &trim.residual, &weight, 1, 1e-12);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "stone"));
    lb_end_loaded(&l);
}

// Out level, where their torque is largest, pendulums are led down; one step of Newton's method would be of
// 1e16 rad.
static void level_pendulums_fall(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, -0.5], "
        "inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0, 0, -1]}}}\n"
        "  - {name: lower, parent: upper, at: end, hinge: {type: revolute, axis: [0, 1, 0]}, mass: "
        "1, "
        "com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "initial: {upper: {angle: 90 deg}}\n",
        NULL);
    const double *q, *v;
    lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
    lb_get_initial_state(l.simulation, &q, &v);
    // upright or hanging, each of them
    lb_expect_below("upper", fabs(sin(q[0])), 1e-9);
    lb_expect_below("lower", fabs(sin(q[0] + q[1])), 1e-9);
    lb_expect_below("turns", fabs(q[0]) + fabs(q[1]), 10.0);
    lb_end_loaded(&l);
}

// Springs of 8e5 N/m between arms and a slider, which fall by half a metre.
static void stiff_springs_are_no_obstacle(void **state)
{
    (void)state;
    lb_loaded l = load_example("stiff_governor.yaml");
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    assert_true(trim.iterations <= 60);
    // forces of 50 N balance to 1e-9; slider and arms weigh 3 and 5 kg
    lb_expect_below("acceleration", get_acceleration(&l), 1e-7);
    lb_end_loaded(&l);
}

// ---- with loops --------------------------------------------------------------------------------

// Stiff modes beside soft hinges, in a loop: Newton's steps are few if their matrix is that of the
// forces on the loops.
static void flexible_four_bar_balances_in_a_few_steps(void **state)
{
    (void)state;
    lb_loaded l = load_example("flexible_four_bar.yaml");
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    assert_true(trim.iterations <= 8);
    // forces of 1 N m balance to 1e-15; modes have masses of 1, hinges inertias of 1e-3
    lb_expect_below("acceleration", get_acceleration(&l), 1e-8);
    lb_end_loaded(&l);
}

// Thirty bars between two walls.
static void hanging_chain_balances(void **state)
{
    (void)state;
    enum { BARS = 30 };
    static char text[16000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "limber: 1\n"
                                   "gravity: [0, 0, -9.81]\n"
                                   "ground: {nodes: {wall: {position: [20, 0, 0]}}}\n"
                                   "bodies:\n");
    for (int i = 0; i < BARS; ++i) {
        char parent[64] = "";
        if (i > 0) {
            snprintf(parent, sizeof parent, "parent: b%d, at: end, ", i - 1);
        }
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "  - {name: b%d, %shinge: {type: revolute, axis: [0, 1, 0]}, mass: "
                             "1, com: [0.5, 0, 0], inertia: [0.01, 0.083, 0.083, 0, 0, 0], "
                             "nodes: {end: {position: [1, 0, 0]}}}\n",
                             i, parent);
    }
    snprintf(text + used, sizeof text - used,
             "loops:\n"
             "  - {name: pin, a: {body: ground, node: wall}, b: {body: b%d, node: end}, type: "
             "revolute, axis: [0, 1, 0]}\n"
             "initial: {b0: {angle: 0.3}, b1: {angle: 0.2}}\n"
             "run: {duration: 1, assemble: true}\n",
             BARS - 1);
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    assert_true(trim.iterations <= 60);
    // forces of 300 N at bars of 1 kg, thirty in a row
    lb_expect_below("acceleration", get_acceleration(&l), 1e-7);
    lb_end_loaded(&l);
}

// Drake's four-bar: the outer bars stand at atan(sqrt(15)) to the level; the pin repeats three rows.
static void hanging_four_bar_balances(void **state)
{
    (void)state;
    lb_loaded l = load_example("four_bar.yaml");
    lb_trim trim = {.size = sizeof trim};
    const double *q, *v, angle = atan(sqrt(15.0));
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    lb_get_initial_state(l.simulation, &q, &v);
    assert_true(trim.iterations <= 8);
    lb_expect_near("angle", q[0], angle, 1e-12);
    lb_end_loaded(&l);
}

// A governor at rest hangs straight down, where the force of the sleeve, which moves most, does not
// vanish; that of the arms does.
static void governor_at_rest_hangs_straight(void **state)
{
    (void)state;
    lb_loaded l = load_example("governor.yaml");
    const double *q, *v;
    lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
    lb_get_initial_state(l.simulation, &q, &v);
    // forces of 1e-9 of 25 N at stiffnesses of 15 N m
    lb_expect_below("left", q[1], 1e-8);
    lb_expect_below("right", q[2], 1e-8);
    lb_expect_near("sleeve", q[3], -0.6, 1e-12);
    lb_end_loaded(&l);
}

// A constant torque on a crank that is free to turn: the crank is named, and the torque that is left.
static void pushed_crank_has_no_equilibrium(void **state)
{
    (void)state;
    lb_loaded l = load_example("slider_crank.yaml");
    lb_trim trim = {.size = sizeof trim};
    assert_int_equal(lb_trim_simulation(l.simulation, &trim), LB_E_EQUILIBRIUM);
    lb_expect_near("what is left", trim.residual, 0.1, 1e-9);
    assert_int_equal(trim.body, lb_find_body(l.model, "crank"));
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "crank.angle"));
    assert_non_null(
        strstr(lb_get_simulation_message(l.simulation), "there is no equilibrium near"));
    lb_end_loaded(&l);
}

// `trim: true` under run: a run starts where lb_trim_simulation ends, at rest, and linear models are
// about that state. One flexible body, the tip of which is at (1, 0, 0.4 eta) before the hinge turns it:
// of the potential energy 5 eta^2/2 + 40 angle^2/2 + m g z both derivatives vanish.
static void run_starts_from_equilibrium_where_the_file_asks_for_it(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - name: wing\n"
        "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: tip, position: [1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, 0], "
        "shape: [[0, 0, 0, 0, 0, 0.4]]}\n"
        "      stiffness: [5]\n"
        "forces:\n"
        "  - {name: s, type: spring, hinge: wing, stiffness: 40}\n"
        "initial:\n"
        "  wing: {rate: 3, eta: 0.1}\n"
        "run: {duration: 1, trim: true}\n";
    lb_loaded trimmed = lb_begin_loaded(text, NULL), started = lb_begin_loaded(text, NULL);
    const double *q, *v, *moving_q, *moving_v, *a;
    double t;
    lb_expect_ok(lb_trim_simulation(trimmed.simulation, NULL));
    lb_get_initial_state(trimmed.simulation, &q, NULL);
    lb_expect_ok(lb_start_simulation(started.simulation));
    lb_get_simulation_state(started.simulation, &t, &moving_q, &moving_v, &a);
    double eta = 0.0, angle = 0.0;
    for (int i = 0; i < 100; ++i) {
        eta = -2.0 * 9.81 * 0.4 * cos(angle) / 5.0;
        angle = 2.0 * 9.81 * (cos(angle) + 0.4 * eta * sin(angle)) / 40.0;
    }
    const double balanced[2] = {eta, angle};
    lb_expect_close("by hand", q, balanced, 2, 1e-9);
    lb_expect_close("q", moving_q, q, 2, 1e-12);
    for (int i = 0; i < 2; ++i) {
        assert_true(moving_v[i] == 0.0);
        // the trim leaves 1e-9 of the largest force at most
        assert_true(fabs(a[i]) < 1e-8);
    }
    // it stays there
    lb_expect_ok(lb_advance_simulation(started.simulation, 1.0));
    lb_get_simulation_state(started.simulation, &t, &moving_q, &moving_v, &a);
    lb_expect_close("q after 1 s", moving_q, q, 2, 1e-9);

    // linear models are about that state too
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    lb_loaded other = lb_begin_loaded(text, NULL);
    lb_expect_ok(lb_linearize(other.simulation, &options, &linear));
    lb_destroy_linear(linear);
    lb_get_initial_state(other.simulation, &q, &v);
    lb_expect_close("q of the linear model", q, moving_q, 2, 1e-9);
    assert_true(v[0] == 0.0 && v[1] == 0.0);
    lb_end_loaded(&other);
    lb_end_loaded(&started);
    lb_end_loaded(&trimmed);
}

// A crank that a constant torque turns has no equilibrium, and says so when it is started.
static void start_says_that_there_is_no_equilibrium(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded("limber: 1\n"
                                  "bodies:\n"
                                  "  - {name: crank, hinge: {type: revolute, axis: [0, 1, 0]}, "
                                  "mass: 1, inertia: [1, 1, 1, 0, 0, "
                                  "0]}\n"
                                  "forces:\n"
                                  "  - {name: motor, type: motor, hinge: crank, value: 2}\n"
                                  "run: {trim: true}\n",
                                  NULL);
    assert_int_equal(lb_start_simulation(l.simulation), LB_E_EQUILIBRIUM);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "crank"));
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_on_a_spring_balances),
        cmocka_unit_test(flexible_body_sags),
        cmocka_unit_test(equilibrium_is_found_again_from_itself),
        cmocka_unit_test(falling_body_has_no_equilibrium),
        cmocka_unit_test(level_pendulums_fall),
        cmocka_unit_test(stiff_springs_are_no_obstacle),
        cmocka_unit_test(flexible_four_bar_balances_in_a_few_steps),
        cmocka_unit_test(hanging_chain_balances),
        cmocka_unit_test(hanging_four_bar_balances),
        cmocka_unit_test(governor_at_rest_hangs_straight),
        cmocka_unit_test(pushed_crank_has_no_equilibrium),
        cmocka_unit_test(run_starts_from_equilibrium_where_the_file_asks_for_it),
        cmocka_unit_test(start_says_that_there_is_no_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
