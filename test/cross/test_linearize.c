// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// State-space models: against differences of the dynamics, against modes, and against closed forms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

#define PI 3.14159265358979323846

static lb_linear *linearize(lb_loaded *l, const lb_linear_options *options)
{
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(l->simulation, options, &linear);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return linear;
}

#define WITH(options, kind, ...)                                                                   \
    static const char *const kind##_names[] = {__VA_ARGS__};                                       \
    (options).kind##s = kind##_names;                                                              \
    (options).kind##_count = (int)(sizeof kind##_names / sizeof *kind##_names)

// ---- differences of the dynamics ---------------------------------------------------------------

// Everything that the second road needs: accelerations and signals at any state.
typedef struct road {
    lb_loaded *l;
    lb_work *work;
    int nq, nv;
    unsigned char *driven;
    double *tau;
} road;

static road begin_road(lb_loaded *l)
{
    road r = {.l = l, .nq = lb_get_q_count(l->model), .nv = lb_get_v_count(l->model)};
    r.work = lb_create_work(l->model);
    r.driven = calloc((size_t)lb_get_body_count(l->model) + 1, 1);
    r.tau = lb_make_numbers((size_t)r.nv);
    assert_non_null(r.work);
    assert_non_null(r.driven);
    return r;
}

static void end_road(road *r)
{
    lb_destroy_work(r->work);
    free(r->driven);
    free(r->tau);
}

// Forces of the elements and one more, then forward dynamics; the signal if there is one.
static double evaluate(road *r, const double *q, const double *v, int entry, const char *signal,
                       double *a)
{
    lb_forces *forces = lb_get_simulation_forces(r->l->simulation);
    memset(r->tau, 0, (size_t)r->nv * sizeof *r->tau);
    lb_expect_ok(lb_compute_kinematics(r->l->model, r->work, q, v, NULL));
    lb_expect_ok(lb_compute_forces(forces, r->l->model, r->work, 0.0, q, v, r->tau, r->driven, a));
    if (entry >= 0) {
        r->tau[entry] += 1e-3;
    }
    assert_true(lb_compute_forward_dynamics(r->l->model, r->work, q, v, r->tau, a) >= 0);
    double value = 0.0;
    if (signal) {
        lb_signal *compiled;
        lb_expect_ok(
            lb_compile_signal(r->l->model, lb_get_force_signals(forces), signal, NULL, &compiled));
        const lb_instant instant = {sizeof instant, r->l->model, r->work, 0.0, q, v, a, NULL, NULL};
        lb_expect_ok(lb_evaluate_signal(compiled, &instant, &value));
        lb_destroy_signal(compiled);
    }
    return value;
}

// Derivatives by state j of accelerations (v_count) and of a signal: central differences, twice.
static void difference(road *r, const double *q, const double *v, int j, const char *signal,
                       double *column, double *slope)
{
    double *q1 = lb_make_numbers((size_t)(r->nq + 3 * r->nv));
    double *v1 = q1 + r->nq, *step = v1 + r->nv, *a = step + r->nv;
    static const double h = 1e-3, weights[6] = {-1.0 / 60, 9.0 / 60,  -45.0 / 60,
                                                45.0 / 60, -9.0 / 60, 1.0 / 60};
    static const int places[6] = {-3, -2, -1, 1, 2, 3};
    memset(column, 0, (size_t)r->nv * sizeof *column);
    *slope = 0.0;
    for (int k = 0; k < 6; ++k) {
        memset(step, 0, (size_t)r->nv * sizeof *step);
        memcpy(v1, v, (size_t)r->nv * sizeof *v1);
        *(j < r->nv ? &step[j] : &v1[j - r->nv]) += places[k] * h;
        lb_integrate_configuration(r->l->model, q, step, q1);
        *slope += weights[k] / h * evaluate(r, q1, v1, -1, signal, a);
        for (int i = 0; i < r->nv; ++i) {
            column[i] += weights[k] / h * a[i];
        }
    }
    free(q1);
}

// N by its meaning: how fast two neighbours that move at the same speeds part.
static void check_drift(const lb_loaded *l, const lb_linear *linear, const double *q,
                        const double *v)
{
    const int nq = lb_get_q_count(l->model), n = lb_get_v_count(l->model);
    double *here = lb_make_numbers((size_t)(3 * nq + 5 * n));
    double *there = here + nq, *near = there + nq, *way = near + nq, *gap = way + n;
    double *column = gap + n, *expected = column + n;
    const double dt = 1e-3, e = 1e-3;
    for (int j = 0; j < n; ++j) {
        memset(column, 0, (size_t)n * sizeof *column);
        for (int k = 0; k < 4; ++k) {
            const double s = k & 1 ? 1.0 : -1.0, t = k & 2 ? dt : -dt;
            memset(way, 0, (size_t)n * sizeof *way);
            way[j] = s * e;
            lb_integrate_configuration(l->model, q, way, near);
            for (int i = 0; i < n; ++i) {
                way[i] = v[i] * t;
            }
            lb_integrate_configuration(l->model, q, way, here);
            lb_integrate_configuration(l->model, near, way, there);
            lb_difference_configuration(l->model, here, there, gap);
            for (int i = 0; i < n; ++i) {
                column[i] += s * gap[i] / (2 * e) * (t > 0 ? 1 : -1) / (2 * dt);
            }
        }
        for (int i = 0; i < n; ++i) {
            expected[i] = linear->A[i * linear->state_count + j];
        }
        // 1e-4: steps of 1e-3 in time and way, errors of their squares times speeds of 1 to 3
        lb_expect_within("drift", expected, column, n, 1e-4);
    }
    free(here);
}

// Some node of the last body, not its frame: that may lie where norms and distances have no slope.
static void name_last(const lb_trial *trial, char name[64])
{
    const int body = trial->body_count - 1;
    snprintf(name, 64, "%s/%s", lb_get_body_name(trial->model, body),
             lb_get_node_name(trial->model, body, 1));
}

// A random tree with dampers, a spring to the ground, a force that turns with its body, and gravity.
static lb_loaded load_tree(const lb_tree_options *tree, uint64_t number, lb_trial *trial)
{
    *trial = lb_begin_trial(tree, number);
    const lb_model *model = trial->model;
    char text[4000] =
        "limber: 1\nsignals:\n  both: 3*system.kinetic + sin(system.com.x)\nforces:\n";
    char last[64];
    name_last(trial, last);
    for (int k = 0; k < trial->body_count; ++k) {
        for (int i = 0; i < lb_get_hinge(model, k).v_count; ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used,
                     "  - {name: d%d_%d, type: damper, hinge: %s.%d, damping: 0.%d}\n", k, i,
                     lb_get_body_name(model, k), i, 1 + (k + i) % 8);
        }
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used,
             "  - {name: s, type: spring, between: [%s, ground], stiffness: 7, length: 0.3}\n"
             "  - {name: f, type: force, at: %s, axes: body, value: [1, -2, 0.5]}\n",
             last, last);
    // the rig owns a model of its own
    lb_model *own = lb_build_scene(trial->scene);
    assert_non_null(own);
    return lb_begin_loaded(text, own);
}

static void matrices_are_derivatives_of_the_dynamics(void **state)
{
    (void)state;
    for (int number = 0; number < 36; ++number) {
        lb_tree_options tree = lb_get_mixed_tree(number);
        tree.fidelity = (lb_fidelity)(number / 12);
        lb_trial trial;
        lb_loaded l = load_tree(&tree, (uint64_t)number + 500, &trial);
        char name[64];
        name_last(&trial, name);
        static const char *const endings[] = {
            ".position.x",         ".rotation.w",     ".velocity.y",     ".rotation.y",
            ".angular_velocity.x", ".acceleration.z", ".acceleration.x", ".angular_acceleration.z"};
        char texts[16][128];
        const char *outputs[16], *input = NULL;
        char inputs[128];
        int count = 0;
        for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
            snprintf(texts[count++], 128, "%s%s", name, endings[i]);
        }
        lb_node_motion motion;
        lb_expect_ok(lb_compute_kinematics(trial.model, trial.work, trial.q, NULL, NULL));
        lb_expect_ok(
            lb_compute_node_motion(trial.model, trial.work, trial.body_count - 1, 1, &motion));
        if (hypot(hypot(motion.position[0], motion.position[1]), motion.position[2]) > 0.1) {
            snprintf(texts[count++], 128, "%s.position.norm", name);
            snprintf(texts[count++], 128, "distance(%s, ground)", name);
            snprintf(texts[count++], 128, "distance_rate(%s, ground)", name);
        }
        snprintf(texts[count++], 128, "system.com_velocity.x");
        snprintf(texts[count++], 128, "both");
        for (int i = 0; i < count; ++i) {
            outputs[i] = texts[i];
        }
        int entry = -1;
        for (int k = 0; k < trial.body_count && entry < 0; ++k) {
            if (lb_get_hinge(l.model, k).v_count > 0) {
                entry = lb_get_v_offset(l.model, k) + lb_get_mode_count(l.model, k);
                snprintf(inputs, sizeof inputs, "%s.motor%s", lb_get_body_name(l.model, k),
                         lb_get_hinge(l.model, k).v_count > 1 ? ".0" : "");
                input = inputs;
            }
        }
        lb_linear_options options = lb_default_linear_options();
        options.q = trial.q;
        options.v = trial.v;
        options.outputs = outputs;
        options.output_count = count;
        options.inputs = &input;
        options.input_count = input ? 1 : 0;
        lb_linear *linear = linearize(&l, &options);
        const int n = trial.v_count, states = linear->state_count;
        assert_int_equal(states, 2 * n);
        road r = begin_road(&l);
        double *column = lb_make_numbers(3 * (size_t)n + 1), *a = column + n, *found = a + n;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                assert_true(linear->A[i * states + n + j] == (i == j));
            }
        }
        check_drift(&l, linear, trial.q, trial.v);
        for (int j = 0; j < states; ++j) {
            double slope;
            for (int k = 0; k < count; ++k) {
                difference(&r, trial.q, trial.v, j, outputs[k], column, &slope);
                // 1e-8 of the largest of the row: differences of the sixth order, steps of 1e-3
                double largest = 1.0;
                for (int i = 0; i < states; ++i) {
                    largest = fmax(largest, fabs(linear->C[k * states + i]));
                }
                const double gap = linear->C[k * states + j] - slope;
                if (!(fabs(gap) <= 1e-7 * largest)) {
                    fail_msg("tree %d, output %s by state %d: %.12g, differences %.12g", number,
                             outputs[k], j, linear->C[k * states + j], slope);
                }
            }
            for (int i = 0; i < n; ++i) {
                found[i] = linear->A[(n + i) * states + j];
            }
            double largest = 0.0;
            for (int i = 0; i < n * states; ++i) {
                largest = fmax(largest, fabs(linear->A[n * states + i]));
            }
            lb_expect_within("column of A", found, column, n, 1e-7 * largest);
        }
        // the input: linear, so that one difference is exact
        if (input) {
            evaluate(&r, trial.q, trial.v, -1, NULL, a);
            evaluate(&r, trial.q, trial.v, entry, NULL, column);
            for (int i = 0; i < n; ++i) {
                column[i] = (column[i] - a[i]) / 1e-3;
                found[i] = linear->B[n + i];
                assert_true(linear->B[i] == 0.0);
            }
            // 1e-9: accelerations of 10 to 100, a force of 1e-3
            lb_expect_close("B", found, column, n, 1e-9);
            const double base = evaluate(&r, trial.q, trial.v, -1, outputs[5], a);
            const double moved = evaluate(&r, trial.q, trial.v, entry, outputs[5], a);
            lb_expect_within("D", &linear->D[5], (double[]){(moved - base) / 1e-3}, 1, 1e-8);
            lb_expect_within("value", &linear->output_values[5], &base, 1, 1e-9);
        }
        free(column);
        end_road(&r);
        lb_destroy_linear(linear);
        lb_end_loaded(&l);
        lb_end_trial(&trial);
    }
}

// ---- modes -------------------------------------------------------------------------------------

// Every mode is an eigenvalue of A, and there are no others.
static void compare_with_modes(lb_loaded *l, const lb_linear_options *options)
{
    lb_linear *linear = linearize(l, options);
    lb_modes *modes;
    lb_expect_ok(lb_compute_modes(l->simulation, options, &modes));
    const int n = linear->state_count;
    int accounted = linear->zero_count, rigid = 0;
    for (int i = 0; i < modes->mode_count; ++i) {
        const double *value = modes->eigenvalues + 2 * i;
        double nearest = INFINITY;
        for (int k = 0; k < n; ++k) {
            nearest = fmin(nearest, hypot(linear->eigenvalues[2 * k] - value[0],
                                          linear->eigenvalues[2 * k + 1] - value[1]));
        }
        // 1e-8 of each, as promised
        lb_expect_below("eigenvalue", nearest, 1e-8 * hypot(value[0], value[1]));
        accounted += modes->kinds[i] == LB_MODE_OSCILLATION ? 2
                     : modes->kinds[i] == LB_MODE_APERIODIC ? 1
                                                            : 0;
        rigid += modes->kinds[i] == LB_MODE_RIGID;
    }
    assert_int_equal(accounted, n);
    assert_true(rigid <= linear->zero_count);

    // and they are those of A: traces of A and of its square
    double trace[2] = {0, 0}, sums[2] = {0, 0}, size = 0.0;
    for (int i = 0; i < n; ++i) {
        const double *value = linear->eigenvalues + 2 * i;
        trace[0] += linear->A[i * n + i];
        sums[0] += value[0];
        sums[1] += value[0] * value[0] - value[1] * value[1];
        size += value[0] * value[0] + value[1] * value[1];
        for (int j = 0; j < n; ++j) {
            trace[1] += linear->A[i * n + j] * linear->A[j * n + i];
        }
    }
    // what counts as zero is up to 1e-12 in A, where entries are of 1 to 100
    lb_expect_within("trace", sums, trace, 1, 1e-10 * sqrt(size) + 1e-12);
    lb_expect_within("trace of the square", sums + 1, trace + 1, 1, 1e-10 * size + 1e-12);
    lb_destroy_modes(modes);
    lb_destroy_linear(linear);
}

static void eigenvalues_are_those_of_modes(void **state)
{
    (void)state;
    for (int number = 0; number < 12; ++number) {
        lb_tree_options tree = lb_get_mixed_tree(number);
        lb_trial trial;
        lb_loaded l = load_tree(&tree, (uint64_t)number + 900, &trial);
        lb_linear_options options = lb_default_linear_options();
        options.about = LB_ABOUT_REST;
        options.q = trial.q;
        compare_with_modes(&l, &options);
        // damped, and once more without dampers
        for (int i = 0; i < lb_get_force_count(lb_get_simulation_forces(l.simulation)); ++i) {
            lb_set_force_enabled(lb_get_simulation_forces(l.simulation), i, 0);
        }
        compare_with_modes(&l, &options);
        lb_end_loaded(&l);
        lb_end_trial(&trial);
    }
}

// ---- closed forms ------------------------------------------------------------------------------

// 2 y'' + 0.6 y' + 50 y = u
static void oscillator_answers_as_its_transfer_function(void **state)
{
    (void)state;
    lb_loaded l =
        lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: m, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 2}\n"
                        "forces:\n"
                        "  - {name: k, type: spring, hinge: m, stiffness: 50}\n"
                        "  - {name: c, type: damper, hinge: m, damping: 0.6}\n"
                        "  - {name: push, type: motor, hinge: m, value: 0}\n"
                        "  - {name: wind, type: force, at: m, value: [0, 0, 0]}\n",
                        NULL);
    lb_linear_options options = lb_default_linear_options();
    WITH(options, input, "push", "wind.y", "m.force.y", "m.motor", "wind.x");
    WITH(options, output, "m.distance", "m.acceleration.y");
    lb_linear *linear = linearize(&l, &options);
    const double A[4] = {0, 1, -25, -0.3};
    lb_expect_close("A", linear->A, A, 4, 1e-14);
    const double B[10] = {0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0};
    lb_expect_close("B", linear->B, B, 10, 1e-14);
    const double C[4] = {1, 0, -25, -0.3}, D[10] = {0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0};
    lb_expect_close("C", linear->C, C, 4, 1e-14);
    lb_expect_close("D", linear->D, D, 10, 1e-14);
    const double frequencies[3] = {0.1, 5.0 / (2 * PI), 3.0};
    double response[3 * 2 * 5 * 2];
    lb_expect_ok(lb_compute_response(linear, 3, frequencies, response));
    for (int k = 0; k < 3; ++k) {
        const double w = 2 * PI * frequencies[k], re = 50 - 2 * w * w, im = 0.6 * w;
        const double size = re * re + im * im;
        const double expected[2] = {re / size, -im / size};
        for (int j = 0; j < 4; ++j) {
            const double *y = response + 20 * k + 2 * j;
            lb_expect_close("response", y, expected, 2, 1e-13);
            // the acceleration is -w^2 times that
            lb_expect_near("acceleration", y[10], -w * w * expected[0], 1e-12);
        }
        lb_expect_below("across", response[20 * k + 8], 1e-15);
    }
    // both states of the only mode take the same part
    for (int i = 0; i < 4; ++i) {
        lb_expect_near("participation", linear->participation[i], 0.5, 1e-12);
    }
    assert_string_equal(linear->states[0], "m.distance");
    assert_string_equal(linear->states[1], "m.rate");
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// A pendulum on a cart that is driven: l phi'' = -g phi - x''.
static void driven_cart_shakes_its_pendulum(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
        "  - {name: bob, parent: cart, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 0.5, com: "
        "[0, 0, -0.4]}\n"
        "forces:\n"
        "  - {name: shake, type: motion, hinge: cart, position: 0.1}\n",
        NULL);
    lb_linear_options options = lb_default_linear_options();
    WITH(options, input, "shake");
    WITH(options, output, "bob.angle", "cart.position.x");
    lb_linear *linear = linearize(&l, &options);
    const double g = 9.81, L = 0.4;
    const double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -g / L, 0, 0};
    const double B[4] = {0, 0, 1, -1 / L};
    lb_expect_close("A", linear->A, A, 16, 1e-13);
    lb_expect_close("B", linear->B, B, 4, 1e-13);
    lb_expect_near("the cart is at", linear->output_values[1], 0.1, 1e-15);
    lb_destroy_linear(linear);

    // without the input the cart stands still, and is no state
    options.input_count = 0;
    linear = linearize(&l, &options);
    assert_int_equal(linear->state_count, 2);
    assert_string_equal(linear->states[0], "bob.angle");
    lb_destroy_linear(linear);

    // with the motion off it is free: (3 + 0.5) x'' + 0.5 l phi'' = u
    lb_set_force_enabled(lb_get_simulation_forces(l.simulation), 0, 0);
    options.input_count = 1;
    options.inputs = (const char *const[]){"cart.motor"};
    linear = linearize(&l, &options);
    const double free_A[16] = {
        0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5 * g / 3, 0, 0, 0, -g / L * (3.5 / 3.0), 0, 0};
    const double free_B[4] = {0, 0, 1.0 / 3, -1 / (3 * L)};
    lb_expect_close("A", linear->A, free_A, 16, 1e-13);
    lb_expect_close("B", linear->B, free_B, 4, 1e-13);
    assert_int_equal(linear->zero_count, 2);
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// An undamped system has no answer at its own frequency.
static void response_at_resonance_is_infinite(void **state)
{
    (void)state;
    lb_loaded l =
        lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: m, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 1}\n"
                        "forces:\n"
                        "  - {name: k, type: spring, hinge: m, stiffness: 4}\n",
                        NULL);
    lb_linear_options options = lb_default_linear_options();
    WITH(options, input, "m.motor");
    WITH(options, output, "m.distance");
    lb_linear *linear = linearize(&l, &options);
    const double frequencies[2] = {hypot(linear->eigenvalues[0], linear->eigenvalues[1]) / (2 * PI),
                                   1.0 / PI * 0.5};
    double response[4];
    assert_int_equal(lb_compute_response(linear, 2, frequencies, response), LB_E_SINGULAR);
    assert_true(isnan(response[0]));
    lb_expect_near("below it", response[2], 1.0 / 3.0, 1e-13);
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_derivatives_of_the_dynamics),
        cmocka_unit_test(eigenvalues_are_those_of_modes),
        cmocka_unit_test(oscillator_answers_as_its_transfer_function),
        cmocka_unit_test(driven_cart_shakes_its_pendulum),
        cmocka_unit_test(response_at_resonance_is_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
