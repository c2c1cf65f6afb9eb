// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models of systems with loops: the same systems without, and closed forms.
#include <math.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

#define PI 3.14159265358979323846

static lb_modes *solve(lb_loaded *l, const double *q)
{
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    options.about = LB_ABOUT_REST;
    options.q = q;
    const lb_status status = lb_compute_modes(l->simulation, &options, &modes);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return modes;
}

static double get_omega(const lb_modes *modes, int i)
{
    return 2.0 * PI * modes->frequencies[i];
}

// ---- closed forms ------------------------------------------------------------------------------

// A free body on a pin is a pendulum about two axes, and turns freely about the third.
static void pinned_body_is_a_pendulum(void **state)
{
    (void)state;
    lb_loaded l =
        lb_begin_loaded("limber: 1\n"
                        "gravity: [0, 0, -9.81]\n"
                        "bodies:\n"
                        "  - {name: bob, hinge: {type: free}, mass: 2, com: [0, 0, -0.6], inertia: "
                        "[0.1, 0.2, 0.3, 0, 0, "
                        "0]}\n"
                        "loops:\n"
                        "  - {name: pin, a: {body: ground}, b: {body: bob}, type: spherical}\n",
                        NULL);
    lb_modes *modes = solve(&l, NULL);
    assert_int_equal(modes->mode_count, 3);
    assert_int_equal(modes->coordinate_count, 6);
    assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
    const double torque = 2 * 9.81 * 0.6;
    lb_expect_near("about y", get_omega(modes, 1), sqrt(torque / (0.2 + 2 * 0.36)), 1e-10);
    lb_expect_near("about x", get_omega(modes, 2), sqrt(torque / (0.1 + 2 * 0.36)), 1e-10);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// A swing: a seat on two rods moves on a circle without turning, at sqrt(g/l) whatever it weighs. The
// pins carry its weight, so that without their part in the stiffness it would be something else.
static void swing_is_a_pendulum_of_the_length_of_its_rods(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "ground: {nodes: {far: {position: [0.9, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1e-9, nodes: {end: "
        "{position: [0, "
        "0, -0.7]}}}\n"
        "  - {name: seat, parent: rod, at: end, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, "
        "com: "
        "[0.3, 0, -0.1], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0.9, 0, "
        "0]}}}\n"
        "  - {name: other, at: far, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1e-9, com: [0, "
        "0, "
        "-0.35], inertia: [1e-9, 1e-9, 1e-9, 0, 0, 0], nodes: {end: {position: [0, 0, -0.7]}}}\n"
        "loops:\n"
        "  - {name: pin, a: {body: seat, node: end}, b: {body: other, node: end}, type: revolute, "
        "axis: "
        "[0, 1, 0]}\n",
        NULL);
    lb_modes *modes = solve(&l, NULL);
    assert_int_equal(modes->mode_count, 1);
    // 1e-8: rods of 1e-9 kg
    lb_expect_near("swing", get_omega(modes, 0), sqrt(9.81 / 0.7), 1e-8);
    // it does not turn: the rods go one way, the seat's hinge the other
    const double *x = modes->shapes;
    lb_expect_near("seat", x[2], -x[0], 1e-9);
    lb_expect_near("rod", x[4], x[0], 1e-9);
    lb_expect_near("all of it", modes->effective[0], 3.0, 1e-8);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// ---- the same system twice ---------------------------------------------------------------------

// A double pendulum with a spring, a damper and a flexible lower rod, by hinges and by pins.
#define COMMON                                                                                     \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "forces:\n"                                                                                    \
    "  - {name: k, type: spring, hinge: upper, stiffness: 3}\n"                                    \
    "  - {name: c, type: damper, hinge: upper, damping: 0.2}\n"                                    \
    "  - {name: s, type: spring, between: [lower/tip, ground], stiffness: 4, length: 1}\n"         \
    "bodies:\n"                                                                                    \
    "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -0.5], "     \
    "inertia: [0.1, 0.1, 0.01, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"
#define LOWER                                                                                      \
    "    flex:\n"                                                                                  \
    "      nodes:\n"                                                                               \
    "        - {name: mid, position: [0, 0, -0.5], mass: 0.7, inertia: [0.02, 0.02, 0.02, 0, 0, "  \
    "0], shape: [[0, 0.5, 0, -0.3, 0, 0]]}\n"                                                      \
    "        - {name: tip, position: [0, 0, -1], mass: 0.4, inertia: [0.02, 0.02, 0.02, 0, 0, 0]," \
    " shape: [[0, 1.5, 0, -1, 0, 0]]}\n"                                                           \
    "      stiffness: [60]\n"

static const char by_hinge[] = COMMON "  - name: lower\n    parent: upper\n    at: tip\n"
                                      "    hinge: {type: revolute, axis: [0, 1, 0]}\n" LOWER;
static const char by_pin[] = COMMON
    "  - name: lower\n    hinge: {type: free}\n" LOWER "loops:\n"
    "  - {name: pin, a: {body: upper, node: tip}, b: {body: lower}, type: revolute, axis: [0, 1, "
    "0]}\n"
    "initial: {lower: {position: [0, 0, -1]}}\n";

static void pins_and_hinges_have_the_same_modes(void **state)
{
    (void)state;
    lb_loaded tree = lb_begin_loaded(by_hinge, NULL), loop = lb_begin_loaded(by_pin, NULL);
    lb_modes *a = solve(&tree, NULL), *b = solve(&loop, NULL);
    assert_int_equal(a->mode_count, 3);
    assert_int_equal(b->mode_count, 3);
    for (int i = 0; i < 3; ++i) {
        lb_expect_close("eigenvalue", b->eigenvalues + 2 * i, a->eigenvalues + 2 * i, 2, 1e-9);
        // the masses that a shaken base feels
        lb_expect_within("effective", b->effective + 6 * i, a->effective + 6 * i, 6, 1e-8);
        // and the ways of the tip, up to a sign and a phase
        double x[12], y[12], size[2] = {0, 0};
        const int body = lb_find_body(tree.model, "lower");
        const int tip = lb_find_node(tree.model, body, "tip");
        lb_expect_ok(lb_compute_mode_displacement(tree.simulation, a, i, body, tip, x));
        lb_expect_ok(lb_compute_mode_displacement(loop.simulation, b, i, body, tip, y));
        for (int k = 0; k < 12; ++k) {
            size[0] += x[k] * x[k];
            size[1] += y[k] * y[k];
        }
        lb_expect_near("tip", size[1], size[0], 1e-8);
    }
    lb_destroy_modes(a);
    lb_destroy_modes(b);
    lb_end_loaded(&tree);
    lb_end_loaded(&loop);
}

static void pins_and_hinges_have_the_same_transfer_functions(void **state)
{
    (void)state;
    static const char *const inputs[] = {"upper.motor", "lower/tip.force.x", "lower/mid.torque.y"};
    static const char *const outputs[] = {"lower/tip.position.x", "upper.angle",
                                          "lower/mid.acceleration.x", "system.momentum.x"};
    lb_loaded loaded[2] = {lb_begin_loaded(by_hinge, NULL), lb_begin_loaded(by_pin, NULL)};
    double response[2][2 * 12 * 2];
    static const double frequencies[] = {0.3, 2.0};
    for (int i = 0; i < 2; ++i) {
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear;
        options.inputs = inputs;
        options.input_count = 3;
        options.outputs = outputs;
        options.output_count = 4;
        const lb_status status = lb_linearize(loaded[i].simulation, &options, &linear);
        if (status != LB_OK) {
            print_message("%s\n", lb_get_simulation_message(loaded[i].simulation));
        }
        lb_expect_ok(status);
        assert_int_equal(linear->state_count, 6);
        lb_expect_ok(lb_compute_response(linear, 2, frequencies, response[i]));
        lb_destroy_linear(linear);
        lb_end_loaded(&loaded[i]);
    }
    lb_expect_close("response", response[1], response[0], 48, 1e-9);
}

// From a state that swings out, free or with the upper rod held where it is.
static void equilibria_with_pins_are_those_with_hinges(void **state)
{
    (void)state;
    lb_loaded tree = lb_begin_loaded(by_hinge, NULL), loop = lb_begin_loaded(by_pin, NULL);
    const double tree_q[3] = {0.3, 0.0, 0.0};
    const double loop_q[9] = {0.3, 0, cos(0.15), 0, sin(0.15), 0, -sin(0.3), 0, -cos(0.3)};
    for (int held = 0; held < 2; ++held) {
        const unsigned char locked[2] = {(unsigned char)held, 0};
        lb_linear_options options = lb_default_linear_options();
        lb_modes *a, *b;
        options.about = LB_ABOUT_EQUILIBRIUM;
        options.locked = locked;
        options.q = tree_q;
        lb_expect_ok(lb_compute_modes(tree.simulation, &options, &a));
        options.q = loop_q;
        const lb_status status = lb_compute_modes(loop.simulation, &options, &b);
        if (status != LB_OK) {
            print_message("%s\n", lb_get_simulation_message(loop.simulation));
        }
        lb_expect_ok(status);
        assert_int_equal(a->mode_count, 3 - held);
        assert_int_equal(b->mode_count, 3 - held);
        lb_expect_within("upper", b->q, a->q, 1, 1e-9);
        if (held) {
            assert_true(a->q[0] == 0.3 && b->q[0] == 0.3);
        }
        for (int i = 0; i < a->mode_count; ++i) {
            lb_expect_close("eigenvalue", b->eigenvalues + 2 * i, a->eigenvalues + 2 * i, 2, 1e-8);
        }
        lb_destroy_modes(a);
        lb_destroy_modes(b);
    }
    lb_end_loaded(&tree);
    lb_end_loaded(&loop);
}

// ---- what is refused ---------------------------------------------------------------------------

static void open_loops_are_refused(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(by_pin, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes;
    const double open[9] = {0, 0.1, 1, 0, 0, 0, 0, 0, -1.01};
    options.q = open;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_ARGUMENT);
    assert_non_null(
        strstr(lb_get_simulation_message(l.simulation), "loop \"pin\" is open by 0.01"));
    // swung out it falls: its modes are those of an instant
    const double out[9] = {0.4, 0, cos(0.2), 0, sin(0.2), 0, -sin(0.4), 0, -cos(0.4)};
    options.q = out;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    assert_true(modes->unbalance > 1.0);
    lb_destroy_modes(modes);
    // the rod turns, its pin does not
    options = lb_default_linear_options();
    const double v[8] = {1.0};
    options.v = v;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_ARGUMENT);
    assert_non_null(
        strstr(lb_get_simulation_message(l.simulation), "ends of loop \"pin\" part with 1 (m"));
    lb_end_loaded(&l);
}

// Both ends of a bar are driven, at speeds that do not go together.
static void contradicting_motions_are_refused(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "  - {name: b, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "loops:\n"
        "  - {name: gear, type: coupler, terms: [{body: a, factor: 1}, {body: b, factor: -1}]}\n"
        "forces:\n"
        "  - {name: m, type: motion, hinge: b, speed: 1}\n",
        NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes;
    options.about = LB_ABOUT_STEADY;
    options.spin = 0;
    options.spin_speed = 2.0;
    const double q[2] = {0, 0}, v[2] = {2, 1};
    options.q = q;
    options.v = v;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "no speeds agree"));
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_body_is_a_pendulum),
        cmocka_unit_test(swing_is_a_pendulum_of_the_length_of_its_rods),
        cmocka_unit_test(pins_and_hinges_have_the_same_modes),
        cmocka_unit_test(pins_and_hinges_have_the_same_transfer_functions),
        cmocka_unit_test(equilibria_with_pins_are_those_with_hinges),
        cmocka_unit_test(open_loops_are_refused),
        cmocka_unit_test(contradicting_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
