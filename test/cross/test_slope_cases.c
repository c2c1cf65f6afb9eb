// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models whose answers depend on exact derivatives of forces.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/linear.h"
#include "loaded.h"
#include "rig.h"

#define PI 3.14159265358979323846

// A file of test/cases/.
static lb_loaded load_case(const char *name)
{
    lb_loaded l = {0};
    lb_expect_ok(lb_load_document(lb_find_source("test/cases/%s", name), NULL, NULL, &l.document));
    lb_expect_ok(lb_load_document_model(l.document, NULL, &l.model));
    lb_expect_ok(lb_load_simulation(l.document, l.model, NULL, &l.simulation));
    return l;
}

// Derivatives of the forces of a rig at its state; to be freed: by q, then by v.
static double *differentiate(lb_rig *rig, double t)
{
    const size_t n = (size_t)rig->v_count;
    double *slopes = lb_make_numbers(2 * n * n);
    lb_derivative_work *scratch = lb_create_derivative_work(rig->model);
    assert_non_null(scratch);
    lb_expect_ok(lb_compute_inverse_derivatives(rig->model, rig->work, scratch, rig->q, rig->v,
                                                NULL, NULL, NULL, NULL, NULL));
    lb_expect_ok(lb_compute_force_derivatives(rig->forces, rig->model, rig->work, scratch, t,
                                              rig->q, rig->v, slopes, slopes + n * n, NULL, NULL));
    lb_destroy_derivative_work(scratch);
    return slopes;
}

// ---- nodes that coincide -------------------------------------------------------------------------

static void a_spring_of_length_zero_is_linear_where_its_nodes_meet(void **state)
{
    (void)state;
    lb_loaded l = load_case("coincident_spring.yaml");
    const lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    assert_int_equal(modes->mode_count, 3);
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("frequency", modes->frequencies[i], 10.0 / (2.0 * PI), 1e-14);
    }
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// A mass on such a spring, from where its nodes meet.
static const char *const mass_on_a_spring =
    "limber: 1\n"
    "ground: {nodes: {g: {position: [0, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: b, hinge: {type: translational}, mass: 1, nodes: {n: {position: [0, 0, 0]}}}\n"
    "forces:\n"
    "  - {name: s, type: spring, between: [b/n, ground/g], stiffness: 100}\n";

static void trim_leaves_the_place_where_nodes_meet(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "%s  - {name: f, type: force, at: b/n, axes: world, value: [1, 0, -2]}\n",
             mass_on_a_spring);
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    const double *q, *v, expected[3] = {0.01, 0.0, -0.02};
    lb_get_initial_state(l.simulation, &q, &v);
    // 1e-15: forces balance to round-off
    lb_expect_within("position", q, expected, 3, 1e-15);
    lb_end_loaded(&l);
}

static void stiff_integrators_pass_the_place_where_nodes_meet(void **state)
{
    (void)state;
    static const char *const integrators[] = {"{type: bdf, tolerance: 1.0e-9}",
                                              "{type: alpha, step: 1.0e-4}"};
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%sinitial: {b: {v: [0.1, 0, 0]}}\n"
                 "run: {duration: 1, interval: 0.1, integrator: %s}\n",
                 mass_on_a_spring, integrators[i]);
        lb_loaded l = lb_begin_loaded(text, NULL);
        lb_expect_ok(lb_start_simulation(l.simulation));
        lb_expect_ok(lb_advance_simulation(l.simulation, 0.5));
        double t;
        const double *q, *v, *a;
        lb_get_simulation_state(l.simulation, &t, &q, &v, &a);
        // x = 0.01 sin(10 t). 2e-6 of it: the tolerance over 200 steps; steps of 1e-3 of a radian
        lb_expect_near("position", q[0], 0.01 * sin(10.0 * t), 2e-6);
        lb_end_loaded(&l);
    }
}

static void what_has_no_direction_has_no_slope(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(
        "limber: 1\n"
        "ground: {nodes: {g: {position: [0, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: b, hinge: {type: translational}, mass: 1, nodes: {n: {position: [0, 0, 0]}}}\n"
        "forces:\n"
        "  - {name: s, type: spring, between: [b/n, ground/g], stiffness: 100, length: 0.1}\n"
        "  - {name: d, type: damper, between: [b/n, ground/g], damping: 3}\n"
        "  - {name: m, type: motor, hinge: b.0, value: 'distance(b/n, ground/g) + "
        "distance_rate(b/n, ground/g) + sqrt(b.q.1) + b/n.velocity.norm'}\n",
        NULL);
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    double *slopes = differentiate(&rig, 0.0);
    for (int i = 0; i < 18; ++i) {
        assert_true(slopes[i] == 0.0);
    }
    free(slopes);
    lb_end_rig(&rig);
}

// ---- small and stiff -----------------------------------------------------------------------------

static void a_plate_balances_across_a_small_gap(void **state)
{
    (void)state;
    lb_loaded l = load_case("electrostatic_gap.yaml");
    double low = 0.0, high = 2e-3 / 3.0;
    for (int i = 0; i < 200; ++i) {
        const double x = 0.5 * (low + high);
        *(100.0 * x * (2e-3 - x) * (2e-3 - x) < 1e-7 ? &low : &high) = x;
    }
    lb_expect_near("closed form", low, 3.8196601e-4, 1e-7);
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    const double *q, *v;
    lb_get_initial_state(l.simulation, &q, &v);
    // 1e-12: round-off, and what the balance allows
    lb_expect_near("distance", q[0], low, 1e-12);
    lb_end_loaded(&l);
}

static void sticking_and_slipping_takes_thousands_of_steps_not_a_hundred_thousand(void **state)
{
    (void)state;
    lb_loaded l = load_case("stick_slip.yaml");
    lb_audit audit = {.size = sizeof audit};
    const lb_run_request request = lb_default_run_request();
    lb_expect_ok(lb_run_simulation(l.simulation, &request, &audit));
    // 2,295 steps and 358 matrices of another program
    assert_true(audit.steps < 4000);
    assert_true(audit.jacobians < 1000);
    lb_end_loaded(&l);
}

// Twice the distance of a slide.
static int read_twice(void *user, const lb_instant *instant, double *value)
{
    (void)user;
    *value = 2.0 * instant->q[0];
    return 0;
}

static void a_stiff_law_of_a_callers_signal_has_the_slope_of_its_formula(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig("limber: 1\n"
                              "bodies:\n"
                              "  - {name: w, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                              "forces:\n"
                              "  - {name: s, type: spring, hinge: w, stiffness: 0}\n",
                              NULL);
    lb_signal_options own = lb_default_signal_options();
    own.name = "own";
    own.callback = read_twice;
    lb_expect_ok(lb_add_signal(lb_get_force_signals(rig.forces), &own, NULL));
    lb_function_options value = lb_expression_function("tanh(own/1e-4)");
    lb_force_options motor = lb_default_force_options();
    int force = -1;
    motor.name = "motor";
    motor.type = LB_FORCE_MOTOR;
    motor.hinge = "w";
    motor.values = &value;
    motor.value_count = 1;
    lb_expect_ok(lb_add_force(rig.forces, &motor, &force));
    assert_true(lb_get_force_info(rig.forces, force).is_differenced);
    assert_false(lb_get_force_info(rig.forces, 0).is_differenced);
    rig.q[0] = 3e-5;
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    double *slopes = differentiate(&rig, 0.0);
    lb_expect_near("slope", slopes[0], 2e4 / (cosh(0.6) * cosh(0.6)), 1e-9);
    assert_true(slopes[1] == 0.0);
    free(slopes);
    lb_end_rig(&rig);
}

// Slopes of named signals as outputs, which change over a micrometre; and of an energy.
static void outputs_of_linear_models_have_the_slopes_of_their_formulas(void **state)
{
    (void)state;
    lb_loaded l =
        lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: w, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
                        "signals:\n"
                        "  sharp: tanh(w.distance/1e-6)\n"
                        "  force: 2*w.acceleration.x + 5*w.a.0 + exp(w.velocity.x/1e-6)\n"
                        "  stored: 4*system.kinetic\n"
                        "forces:\n"
                        "  - {name: s, type: spring, hinge: w, stiffness: 12}\n"
                        "initial: {w: {distance: 3.0e-7, rate: 2.0e-6}}\n",
                        NULL);
    static const char *const outputs[] = {"sharp", "force", "stored"};
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.outputs = outputs;
    options.output_count = 3;
    lb_expect_ok(lb_linearize(l.simulation, &options, &linear));
    const double c = cosh(0.3), expected[6] = {1e6 / (c * c),  0.0, -7.0 * 12.0 / 3.0,
                                               1e6 * exp(2.0), 0.0, 4.0 * 3.0 * 2e-6};
    // 1e-12: of each row
    for (int i = 0; i < 3; ++i) {
        lb_expect_close("C", linear->C + (ptrdiff_t)2 * i, expected + (ptrdiff_t)2 * i, 2, 1e-12);
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// ---- in orbit ------------------------------------------------------------------------------------

// At r from the earth along x:  the field changes by mu m / r^3 (2, -1, -1), the torque of a body with moments
// A, B, C by 3 mu / r^3 (0, A - C, A - B) with its attitude.
static void the_gradient_of_gravity_is_right_in_orbit(void **state)
{
    (void)state;
    const double mu = 3.986004418e14, r = 7e6, m = 200.0, A = 10.0, B = 100.0, C = 105.0;
    lb_rig rig = lb_begin_rig(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: s, hinge: {type: free}, mass: 200, inertia: [10, 100, 105, 0, 0, 0],\n"
        "     nodes: {n: {position: [1, 0, 0]}}}\n"
        "forces:\n"
        "  - {name: earth, type: gravity-point, mu: 3.986004418e14}\n",
        NULL);
    rig.q[4] = r;
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    double *slopes = differentiate(&rig, 0.0);
    const double n2 = mu / (r * r * r);
    const double expected[6] = {
        0.0, 3.0 * n2 * (A - C), 3.0 * n2 * (A - B), 2.0 * n2 * m, -n2 * m, -n2 * m};
    for (int i = 1; i < 6; ++i) {
        // 1e-12: what is left out is J / (m r^2), some 1e-14
        lb_expect_near("gradient", slopes[i * 6 + i], expected[i], 1e-12);
    }
    free(slopes);
    lb_end_rig(&rig);
}

static void the_centre_of_mass_follows_a_shift_in_orbit(void **state)
{
    (void)state;
    lb_rig rig =
        lb_begin_rig("limber: 1\n"
                     "bodies:\n"
                     "  - {name: s, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, 0],\n"
                     "     nodes: {n: {position: [0.01, 0, 0]}}}\n"
                     "forces:\n"
                     "  - {name: f, type: force, at: s, axes: world, value: [system.com.x, 0, "
                     "system.momentum.z]}\n",
                     NULL);
    rig.q[4] = 7e6;
    rig.v[5] = 7500.0;
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    double *slopes = differentiate(&rig, 0.0);
    lb_expect_near("by position", slopes[3 * 6 + 3], 1.0, 1e-12);
    lb_expect_near("by speed", slopes[36 + 5 * 6 + 5], 2.0, 1e-12);
    free(slopes);
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_of_length_zero_is_linear_where_its_nodes_meet),
        cmocka_unit_test(trim_leaves_the_place_where_nodes_meet),
        cmocka_unit_test(stiff_integrators_pass_the_place_where_nodes_meet),
        cmocka_unit_test(what_has_no_direction_has_no_slope),
        cmocka_unit_test(a_plate_balances_across_a_small_gap),
        cmocka_unit_test(sticking_and_slipping_takes_thousands_of_steps_not_a_hundred_thousand),
        cmocka_unit_test(a_stiff_law_of_a_callers_signal_has_the_slope_of_its_formula),
        cmocka_unit_test(outputs_of_linear_models_have_the_slopes_of_their_formulas),
        cmocka_unit_test(the_gradient_of_gravity_is_right_in_orbit),
        cmocka_unit_test(the_centre_of_mass_follows_a_shift_in_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
