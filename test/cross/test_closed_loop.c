// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers in linear models: against closed forms, against runs sample by sample, and against each
// other.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/control.h"
#include "limber/linear.h"

// ---- support -------------------------------------------------------------------------------------

static lb_linear *linearize(lb_course *course, lb_control_model control)
{
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.control = control;
    options.pade_order = 4;
    const lb_status status = lb_linearize(course->simulation, &options, &linear);
    if (status < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return linear;
}

static double complex get_pair(const double *pairs, int i)
{
    return pairs[2 * i] + I * pairs[2 * i + 1];
}

// Distance to the nearest of some numbers.
static double find_distance(int count, const double *pairs, double complex z)
{
    double nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
        nearest = fmin(nearest, cabs(get_pair(pairs, i) - z));
    }
    return nearest;
}

static void expect_multiplier(const lb_linear *l, double complex z, double tolerance)
{
    lb_expect_below("multiplier", find_distance(l->state_count, l->multipliers, z), tolerance);
}

static int find_state(const lb_linear *l, const char *name)
{
    for (int i = 0; i < l->state_count; ++i) {
        if (strcmp(l->states[i], name) == 0) {
            return i;
        }
    }
    for (int i = 0; i < l->state_count; ++i) {
        print_message("%s\n", l->states[i]);
    }
    fail_msg("there is no state %s", name);
    return -1;
}

typedef struct push {
    const char *state;
    double value;
} push;

// Runs a model from a state beside its initial one and compares it with x+ = A x at every sample.
//
// given     pushes     up to an entry without a state
//           tolerance  of the largest deviation
static void follow(const char *text, const push *pushes, int samples, double tolerance)
{
    lb_course nominal = lb_begin_course(text), course = lb_begin_course(text);
    lb_linear *l = linearize(&nominal, LB_CONTROL_DISCRETE);
    const int n = l->state_count, half = l->coordinate_count, nv = nominal.v_count;
    double *x = calloc(4 * (size_t)n + 4 * (size_t)nv + (size_t)nominal.q_count, sizeof *x);
    double *next = x + n, *xi = next + n, *q = xi + nv, *v = q + nominal.q_count;
    const double *q0, *v0;
    double largest = 0.0, worst = 0.0;
    for (; pushes->state; ++pushes) {
        x[find_state(l, pushes->state)] = pushes->value;
    }
    lb_get_initial_state(nominal.simulation, &q0, &v0);
    memcpy(v, v0, (size_t)nv * sizeof *v);
    for (int i = 0; i < half; ++i) {
        xi[l->coordinates[i]] = x[i];
        v[l->coordinates[i]] += x[half + i];
    }
    lb_integrate_configuration(nominal.model, q0, xi, q);
    lb_expect_ok(lb_set_initial_state(course.simulation, q, v));
    lb_start_course(&course);
    for (int k = 1; k <= samples; ++k) {
        for (int i = 0; i < n; ++i) {
            next[i] = 0.0;
            for (int j = 0; j < n; ++j) {
                next[i] += l->A[i * n + j] * x[j];
            }
        }
        memcpy(x, next, (size_t)n * sizeof *x);
        lb_go_to(&course, k * l->period);
        lb_difference_configuration(nominal.model, q0, course.q, xi);
        for (int i = 0; i < half; ++i) {
            const int at = l->coordinates[i];
            worst = fmax(worst, fabs(xi[at] - x[i]));
            largest = fmax(largest, fabs(x[i]));
        }
    }
    print_message("moved by %.3g, off by %.3g\n", largest, worst);
    assert_true(largest > 0.0);
    lb_expect_below("deviation", worst / largest, tolerance);
    free(x);
    lb_destroy_linear(l);
    lb_end_course(&course);
    lb_end_course(&nominal);
}

// ---- closed forms --------------------------------------------------------------------------------

#define EXACT "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-13}}\n"

// A rotor of 2 kg m^2, nothing else.
#define ROTOR                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: rotor, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"                       \
    "     inertia: [1, 1, 2, 0, 0, 0]}\n"

// x+ = [1 T; 0 1] x - [T^2/2; T] / J [kp kd] x: z^2 - (2 - a - b) z + 1 + a - b,  a = kp T^2 / 2 J and
// b = kd T / J
static void pd_on_a_rotor_has_the_poles_of_the_textbook(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
              "controllers:\n"
              "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
              "     law: {type: pid, kp: 30, kd: 9}}\n");
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    const double T = 0.05, a = 30 * T * T / 4, b = 9 * T / 2, half = 1 - 0.5 * (a + b);
    const double complex root = csqrt(half * half - (1 + a - b));
    assert_int_equal(l->state_count, 2);
    assert_true(l->period == T);
    assert_int_equal(l->feedback_count, 1);
    assert_string_equal(l->feedbacks[0], "hold.motor");
    assert_true(l->closed[0]);
    // 1e-14: two by two
    expect_multiplier(l, half + root, 1e-14);
    expect_multiplier(l, half - root, 1e-14);
    for (int i = 0; i < 2; ++i) {
        const double complex s = clog(get_pair(l->multipliers, i)) / T;
        lb_expect_below("pole", cabs(s - get_pair(l->eigenvalues, i)), 1e-12);
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// The same with a gain that is split between actuator and law, negative ones too.
static void gains_of_actuators_count(void **state)
{
    (void)state;
    double found[2][2];
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 ROTOR "forces: [{name: motor, type: actuator, hinge: rotor, gain: %d}]\n"
                       "controllers:\n"
                       "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
                       "     law: {type: pid, kp: %d, kd: %d}}\n",
                 i ? -3 : 1, i ? -10 : 30, i ? -3 : 9);
        lb_course course = lb_begin_course(text);
        lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
        memcpy(found[i], l->eigenvalues, sizeof found[i]);
        lb_destroy_linear(l);
        lb_end_course(&course);
    }
    lb_expect_near("real", found[0][0], found[1][0], 1e-12);
    lb_expect_near("imaginary", found[0][1], found[1][1], 1e-12);
}

// z^n (z - 1) + kd T / J = 0: a speed that is n samples late. A delay of 2.3 samples is read 3 late.
static void late_sensors_have_the_poles_of_the_textbook(void **state)
{
    (void)state;
    static const struct {
        const char *delay;
        int samples;
    } cases[] = {{"0", 0}, {"0.05", 1}, {"0.115", 3}, {"0.2", 4}};
    for (int i = 0; i < 4; ++i) {
        char text[1000];
        snprintf(
            text, sizeof text,
            ROTOR
            "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
            "controllers:\n"
            "  - {name: hold, rate: 20, sensors: [{name: gyro, signal: rotor.rate, delay: %s}],\n"
            "     actuators: [{actuator: motor, speed: gyro, desired: 0}],\n"
            "     law: {type: pid, kp: 0, kd: 9}}\n",
            cases[i].delay);
        lb_course course = lb_begin_course(text);
        lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
        assert_int_equal(l->state_count, 2 + cases[i].samples);
        assert_int_equal(l->zero_count, 1); // the angle
        for (int k = l->zero_count; k < l->state_count; ++k) {
            const double complex z = get_pair(l->multipliers, k);
            const double complex left = cpow(z, cases[i].samples) * (z - 1) + 9 * 0.05 / 2;
            lb_expect_below("equation", cabs(left), 1e-13);
        }
        lb_destroy_linear(l);
        lb_end_course(&course);
    }
}

// With an integral, u = kp e + kd e' + S+, S+ = S + ki T e. The equation of the loop:
// (z - 1) (z^2 - (2 - a - b) z + 1 + a - b) + ki T^3 / 2 J z (z + 1) = 0
static void integrals_are_states(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
              "controllers:\n"
              "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
              "     law: {type: pid, kp: 30, kd: 9, ki: 20}}\n");
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    const double T = 0.05, a = 30 * T * T / 4, b = 9 * T / 2, c = 20 * T * T * T / 4;
    assert_int_equal(l->state_count, 3);
    assert_string_equal(l->states[2], "hold.motor.integral");
    for (int i = 0; i < 3; ++i) {
        const double complex z = get_pair(l->multipliers, i);
        const double complex left =
            (z - 1) * (z * z - (2 - a - b) * z + 1 + a - b) + c * z * (z + 1);
        lb_expect_below("equation", cabs(left), 1e-13);
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// (1 + 0.05 s): z-transform of 1 / s (1 + T1 s) held, by residues, as a plant of one more state.
static void lags_are_states(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR "forces: [{name: motor, type: actuator, hinge: rotor, lag: 0.05}]\n"
              "controllers:\n"
              "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
              "     law: {type: pid, kp: 0, kd: 9}}\n");
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    const double T = 0.05, t = 0.05, e = exp(-T / t);
    assert_int_equal(l->state_count, 3);
    for (int i = 1; i < 3; ++i) {
        // v+ = v + (T - t (1 - e)) r / J + t (1 - e) f / J,  f+ = e f + (1 - e) r,  r = -kd v
        const double complex z = get_pair(l->multipliers, i);
        const double complex left =
            (z - 1 + 9 * (T - t * (1 - e)) / 2) * (z - e) + 9 * (1 - e) * t * (1 - e) / 2;
        lb_expect_below("equation", cabs(left), 1e-13);
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// Of a controller that samples fast, the continuous model is the one without sampling: J s^2 + kd s + kp
// with a pendulum's own stiffness.
static void fast_sampling_is_continuous(void **state)
{
    (void)state;
    double error[2];
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, 0, -10]\n"
                 "bodies:\n"
                 "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2,\n"
                 "     com: [0, 0, -0.5], inertia: [0, 0, 0, 0, 0, 0]}\n"
                 "forces: [{name: motor, type: actuator, hinge: bob}]\n"
                 "controllers:\n"
                 "  - {name: hold, rate: %d, actuators: [{actuator: motor, desired: 0}],\n"
                 "     law: {type: pid, kp: 15, kd: 2}}\n",
                 i ? 2000 : 1000);
        lb_course course = lb_begin_course(text);
        lb_linear *l = linearize(&course, LB_CONTROL_CONTINUOUS);
        // 0.5 s^2 + 2 s + 15 + 10
        error[i] = find_distance(l->state_count, l->eigenvalues, -2 + I * sqrt(46.0));
        lb_destroy_linear(l);
        lb_end_course(&course);
    }
    lb_expect_below("pole", error[1], 0.02);
    lb_expect_near("error by period", error[0] / error[1], 2.0, 0.05);
}

// Poles of the two models differ by what the approximations leave: at order 4 and a tenth of the
// sampling rate little.
static void the_two_models_agree(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR "forces: [{name: motor, type: actuator, hinge: rotor, lag: 0.02}]\n"
              "controllers:\n"
              "  - {name: hold, rate: 50,\n"
              "     sensors: [{name: angle, signal: rotor.angle, delay: 0.04}, {name: gyro, "
              "signal: rotor.rate}],\n"
              "     actuators: [{actuator: motor, position: angle, speed: gyro, desired: 0}],\n"
              "     law: {type: pid, kp: 20, kd: 12, ki: 3}}\n");
    lb_linear *exact = linearize(&course, LB_CONTROL_DISCRETE);
    lb_linear *other = linearize(&course, LB_CONTROL_CONTINUOUS);
    for (int i = 0; i < exact->state_count; ++i) {
        const double complex s = get_pair(exact->eigenvalues, i);
        if (cabs(s) < 6.0) {
            // the sampler folds what is above half its rate, of the size (6 / 157)^2
            const double gap = find_distance(other->state_count, other->eigenvalues, s);
            lb_expect_below("pole", gap, 2e-3 * cabs(s));
        }
    }
    lb_destroy_linear(exact);
    lb_destroy_linear(other);
    lb_end_course(&course);
}

// Two that have nothing to do with each other, at different rates: the poles of each.
static void rates_that_fit_into_a_common_period(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR "  - {name: other, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
              "     inertia: [1, 1, 4, 0, 0, 0]}\n"
              "forces:\n"
              "  - {name: motor, type: actuator, hinge: rotor}\n"
              "  - {name: engine, type: actuator, hinge: other}\n"
              "controllers:\n"
              "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
              "     law: {type: pid, kp: 0, kd: 9}}\n"
              "  - {name: keep, rate: 30, actuators: [{actuator: engine, desired: 0}],\n"
              "     law: {type: pid, kp: 0, kd: 20}}\n");
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    lb_expect_near("period", l->period, 0.1, 1e-15);
    expect_multiplier(l, pow(1 - 9.0 / 20 / 2, 2), 1e-14);
    expect_multiplier(l, pow(1 - 20.0 / 30 / 4, 3), 1e-14);
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// Computed torque cancels gravity at the samples: tau = J (-kp x - kd v) + m g l sin x, held.
static void computed_torque_has_its_derivatives(void **state)
{
    (void)state;
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "gravity: [0, 0, -10]\n"
                        "bodies:\n"
                        "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]},\n"
                        "     mass: 2, com: [0, 0, -0.5], inertia: [0, 0, 0, 0, 0, 0]}\n"
                        "forces: [{name: motor, type: actuator, hinge: bob}]\n"
                        "controllers:\n"
                        "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
                        "     law: {type: computed-torque, kp: 9, kd: 4}}\n");
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    // 0.5 x'' = -10 x + r,  r = (10 - 4.5) x - 2 v
    const double T = 0.05, w = sqrt(20.0), c = cos(w * T), s = sin(w * T);
    const double g[2] = {(1 - c) / 10, s * w / 10}, k[2] = {5.5, -2.0};
    const double F[2][2] = {{c + g[0] * k[0], s / w + g[0] * k[1]},
                            {-w * s + g[1] * k[0], c + g[1] * k[1]}};
    for (int i = 0; i < 4; ++i) {
        // differences of the eighth order
        lb_expect_near("A", l->A[i], F[i / 2][i % 2], 1e-11);
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// ---- runs ----------------------------------------------------------------------------------------

static char *read_case(void)
{
    FILE *file = fopen(lb_find_source("test/cases/sampled_satellite.yaml"), "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    // no noise, and no slew
    for (char *at; (at = strstr(text, "noise: 1")); at[7] = '0') {
    }
    static const char slew[] = "{waypoints: [[0, 0], [60, -30 deg]]}";
    char *at = strstr(text, slew);
    assert_non_null(at);
    memset(at, ' ', sizeof slew - 1);
    *at = '0';
    return text;
}

// A free-floating satellite with flexible panels and slosh, wheels with lags, late star trackers.
static void a_sampled_satellite_moves_as_its_model_says(void **state)
{
    (void)state;
    char *text = read_case();
    char *at = strstr(text, "tolerance: 1.0e-9");
    assert_non_null(at);
    memcpy(at, "tolerance: 1.0e-9", 17);
    // 1e-7: terms of second order; the wheels, a 4000th of the satellite, turn by up to 1e-4
    const push pushes[] = {{"bus.turn.x", 1e-7},
                           {"bus.turn.y", -2e-7},
                           {"panel_l.eta.0", 1e-7},
                           {"slosh.q.0", 3e-7},
                           {NULL, 0}};
    follow(text, pushes, 400, 1e-7);
    free(text);
}

// Speeds by differences, a slower sensor, strain of a beam, a torque sensor.
static void what_sensors_read_is_in_the_model(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     inertia: [0.2, 0.2, 0.2, 0, 0, 0]}\n"
        "  - name: strip\n"
        "    parent: hub\n"
        "    hinge: {type: fixed}\n"
        "    beam: {length: 1, section: {type: rectangle, width: 0.01, height: 0.03},\n"
        "           material: aluminium, modes: 3, damping: 0.01}\n"
        "forces:\n"
        "  - {name: motor, type: actuator, hinge: hub, lag: 0.01, gain: 2}\n"
        "  - {name: spring, type: spring, hinge: hub, stiffness: 20}\n"
        "controllers:\n"
        "  - name: one\n"
        "    rate: 100\n"
        "    sensors:\n"
        "      - {name: angle, signal: hub.angle, rate: 50, delay: 0.013}\n"
        "      - {name: gauge, strain: [strip/root, strip/tip], offset: [0, 0.005, 0], delay: "
        "0.02}\n"
        "      - {name: torque, torque: hub}\n"
        "    actuators: [{actuator: motor, position: SENSOR, speed: differences, desired: 0}]\n"
        "    law: {type: pid, kp: GAIN, kd: RATE, ki: 3}\n" EXACT;
    static const struct {
        const char *sensor, *kp, *kd;
    } cases[] = {{"angle", "6", "0.2"}, {"gauge", "60", "1.0"}, {"torque", "0.1", "0.0"}};
    for (int i = 0; i < 3; ++i) {
        char own[sizeof text + 64];
        const char *sensor = strstr(text, "SENSOR"), *gain = strstr(text, "GAIN");
        const char *rate = strstr(text, "RATE");
        snprintf(own, sizeof own, "%.*s%s%.*s%s%.*s%s%s", (int)(sensor - text), text,
                 cases[i].sensor, (int)(gain - sensor) - 6, sensor + 6, cases[i].kp,
                 (int)(rate - gain) - 4, gain + 4, cases[i].kd, rate + 4);
        // only the strip is bent, slowly: sensors read nothing at first
        const push pushes[] = {{"strip.eta_rate.0", 1e-6}, {NULL, 0}};
        // 1e-8: a strain is the small difference of lengths
        follow(own, pushes, 100, 1e-8);
    }
}

// A law that turns readings into an error quaternion, on a hub that is held off the world axes by wheels.
static void the_law_of_attitude_has_its_derivatives(void **state)
{
    (void)state;
    static const push pushes[] = {{"hub.turn.x", 1e-7}, {"hub.v.2", -2e-7}, {NULL, 0}};
    follow("limber: 1\n"
           "bodies:\n"
           "  - {name: hub, hinge: {type: free}, mass: 10, inertia: [2, 3, 4, 0.1, 0.2, -0.1]}\n"
           "  - {name: wx, parent: hub, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 1,\n"
           "     inertia: [0.1, 0.06, 0.06, 0, 0, 0]}\n"
           "  - {name: wy, parent: hub, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
           "     inertia: [0.06, 0.1, 0.06, 0, 0, 0]}\n"
           "  - {name: wz, parent: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
           "     inertia: [0.06, 0.06, 0.1, 0, 0, 0]}\n"
           "forces:\n"
           "  - {name: mx, type: actuator, hinge: wx, gain: -1}\n"
           "  - {name: my, type: actuator, hinge: wy, gain: -1}\n"
           "  - {name: mz, type: actuator, hinge: wz, gain: -1}\n"
           "initial: {hub: {rotation: [0.48, 0.36, 0.64, -0.48]}}\n"
           "controllers:\n"
           "  - {name: c, rate: 10, actuators: [mx, my, mz],\n"
           "     law: {type: attitude, node: hub, kp: [[40, 2, 0], [2, 50, 0], [0, 1, 60]],\n"
           "       kd: [20, 25, 30], inertia: [2.2, 3.2, 4.2], desired: [0.48, 0.36, 0.64, "
           "-0.48]}}\n" EXACT,
           pushes, 60, 1e-6);
}

// Gains that couple two arms, integrals among them.
static void matrices_of_gains_are_in_the_model(void **state)
{
    (void)state;
    static const push pushes[] = {{"b.rate", 1e-5}, {NULL, 0}};
    follow("limber: 1\n"
           "bodies:\n"
           "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0],\n"
           "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
           "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
           "     com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
           "forces: [{name: ma, type: actuator, hinge: a}, {name: mb, type: actuator, hinge: b}]\n"
           "controllers:\n"
           "  - {name: c, rate: 50,\n"
           "     actuators: [{actuator: ma, desired: 0}, {actuator: mb, desired: 0}],\n"
           "     law: {type: pid, kp: [[30, 8], [6, 10]], kd: [[9, 2], [1, 4]],\n"
           "       ki: [[0, 5], [3, 0]]}}\n" EXACT,
           pushes, 100, 1e-7);
}

// Hinges of several speeds: one whose speeds are rates of coordinates, and one where they are not, so that
// a position is never measured without a sensor. Loops, by which coordinates depend on others.
static void hinges_of_several_speeds_and_loops(void **state)
{
    (void)state;
    static const char several[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "signals: {lean: 2 * ball.rotation.y}\n"
        "bodies:\n"
        "  - {name: ball, hinge: {type: spherical}, mass: 1, com: [0, 0, -0.5],\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"
        "  - {name: cross, parent: ball, at: tip, mass: 1, com: [0, 0, -0.5],\n"
        "     hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]},\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: b0, type: actuator, hinge: ball.0}\n"
        "  - {name: b1, type: actuator, hinge: ball.1, lag: 0.05}\n"
        "  - {name: c1, type: actuator, hinge: cross.1}\n"
        "controllers:\n"
        "  - name: one\n"
        "    rate: 20\n"
        "    sensors: [{name: tilt, signal: lean}]\n"
        "    actuators:\n"
        "      - {actuator: b0, desired: 0}\n"
        "      - {actuator: b1, position: tilt, desired: 0}\n"
        "    law: {type: pid, kp: [7, 5], kd: [1, 2]}\n"
        "  - name: two\n"
        "    rate: 40\n"
        "    actuators: [{actuator: c1, desired: 0, speed: differences}]\n"
        "    law: {type: pid, kp: 4, kd: 0.3}\n"
        "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-13}}\n";
    const push pushes[] = {{"ball.turn.x", 1e-7}, {"ball.turn.y", 2e-7}, {NULL, 0}};
    follow(several, pushes, 40, 1e-6);
    // the controller is at a hinge that depends on the first
    static const char parallelogram[] =
        "limber: 1\n"
        "ground: {nodes: {right: {position: [2, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: A, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, 0],\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0, 1, 0]}}}\n"
        "  - {name: B, parent: A, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2,\n"
        "     com: [1, 0, 0], inertia: [0.1, 0.1, 0.7, 0, 0, 0], nodes: {end: {position: [2, 0, "
        "0]}}}\n"
        "  - {name: C, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, "
        "0],\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0, 1, 0]}}}\n"
        "loops:\n"
        "  - {name: pin, a: {body: C, node: end}, b: {body: B, node: end}, type: revolute, axis: "
        "[0, 0, 1]}\n"
        "forces: [{name: motor, type: actuator, hinge: C, lag: 0.03}]\n"
        "controllers:\n"
        "  - {name: hold, rate: 20, sensors: [{name: angle, signal: B.angle, delay: 0.05}],\n"
        "     actuators: [{actuator: motor, position: angle, desired: 0}],\n"
        "     law: {type: pid, kp: -30, kd: 12}}\n"
        "run: {assemble: {hold: [A]}, integrator: {type: erk, order: 8, tolerance: 1.0e-13}}\n";
    const push first[] = {{"A.angle", 1e-6}, {NULL, 0}};
    follow(parallelogram, first, 40, 1e-5);
}

// The laws of the engine that integrate a model of their own.
static void laws_with_a_model_of_their_own(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "{type: computed-torque, kp: 100, kd: 20}",
        "{type: computed-torque, kp: 10, kd: 2, modes: rigid}",
        "{type: computed-torque, kp: 100, kd: 20, modes: estimated}",
        "{type: acceleration-matching, kp: 100, kd: 20}",
    };
    char *example = lb_read_example("controlled_arm.yaml");
    char *law = strstr(strstr(example, "law: {"), "{type: computed-torque");
    for (int i = 0; i < 4; ++i) {
        char text[8000];
        snprintf(text, sizeof text, "%.*s%s\n%s", (int)(law - example), example, laws[i],
                 "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-12}}\n");
        // exact sensors
        for (char *at; (at = strstr(text, "quantum: 1.0e-5"));) {
            memcpy(at, "quantum: 0.0000", 15);
        }
        // at rest to begin with
        for (char *at; (at = strstr(text, "[0.1, 0], [0.6,"));) {
            memcpy(at, "[8.1, 0], [8.6,", 15);
        }
        for (char *at; (at = strstr(text, "rate: 2000"));) {
            memcpy(at, "rate:  200", 10);
        }
        print_message("%s\n", laws[i]);
        const push pushes[] = {{"shoulder.angle", 1e-7}, {"elbow.angle", 2e-7}, {NULL, 0}};
        // 1e-8: terms of second order, and differences
        follow(text, pushes, 60, 1e-8);
    }
    free(example);
}

// A desired coordinate and a command as inputs: a run that desires something else, from rest.
static void desired_coordinates_are_inputs(void **state)
{
    (void)state;
    static const char *const laws[] = {"{type: pid, kp: 30, kd: 4, ki: 5}",
                                       "{type: computed-torque, kp: 30, kd: 8}",
                                       "{type: acceleration-matching, kp: 30, kd: 8}"};
    for (int i = 0; i < 3; ++i) {
        lb_course courses[2];
        for (int k = 0; k < 2; ++k) {
            char text[1000];
            snprintf(text, sizeof text,
                     "limber: 1\n"
                     "gravity: [0, 0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1.5,\n"
                     "     com: [0, 0, -0.4], inertia: [0.1, 0.1, 0.01, 0, 0, 0]}\n"
                     "forces: [{name: motor, type: actuator, hinge: arm, lag: 0.01}]\n"
                     "controllers:\n"
                     "  - {name: hold, rate: 100,\n"
                     "     sensors: [{name: angle, signal: arm.angle, delay: 0.02}],\n"
                     "     actuators: [{actuator: motor, position: angle, desired: %s}],\n"
                     "     law: %s}\n" EXACT,
                     k ? "1.0e-6" : "0", laws[i]);
            courses[k] = lb_begin_course(text);
        }
        lb_linear_options options = lb_default_linear_options();
        const char *inputs[] = {"hold.motor.desired", "arm.motor", "hold.motor.command"};
        lb_linear *l = NULL;
        options.control = LB_CONTROL_DISCRETE;
        options.inputs = inputs;
        options.input_count = 3;
        lb_expect_ok(lb_linearize(courses[0].simulation, &options, &l));
        assert_string_equal(l->inputs[2], inputs[2]);
        const int n = l->state_count;
        double x[16] = {0};
        lb_start_course(&courses[1]);
        for (int k = 1; k <= 100; ++k) {
            double next[16];
            for (int a = 0; a < n; ++a) {
                next[a] = l->B[3 * a] * 1e-6;
                for (int b = 0; b < n; ++b) {
                    next[a] += l->A[a * n + b] * x[b];
                }
            }
            memcpy(x, next, sizeof x);
            lb_go_to(&courses[1], 0.01 * k);
            // terms of third order in 1e-6, and differences
            lb_expect_below("arm", fabs(courses[1].q[0] - x[0]), 1e-15);
        }
        assert_true(x[0] > 1e-7);
        lb_destroy_linear(l);
        lb_end_course(&courses[0]);
        lb_end_course(&courses[1]);
    }
}

static int damp(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = -sin(3 * sample->position[0]) - 2 * sample->speed[0];
    return 0;
}

// A law of one's own has the poles of the pid that it is for small angles.
static void callbacks_are_differenced(void **state)
{
    (void)state;
    static const char *const laws[] = {"{type: callback}", "{type: pid, kp: 3, kd: 2}"};
    double found[2][4];
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 ROTOR "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
                       "controllers:\n"
                       "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
                       "     law: %s}\n",
                 laws[i]);
        lb_course course = lb_begin_course(text);
        if (i == 0) {
            lb_expect_ok(lb_set_control_callback(course.simulation, "hold", damp, NULL));
        }
        lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
        memcpy(found[i], l->A, sizeof found[i]);
        lb_destroy_linear(l);
        lb_end_course(&course);
    }
    for (int i = 0; i < 4; ++i) {
        lb_expect_near("A", found[0][i], found[1][i], 1e-11);
    }
}

// ---- the regulator -------------------------------------------------------------------------------

// Solves S x = b, S n x n, both lost.
static void solve(int n, double complex *S, double complex *b)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k; i < n; ++i) {
            best = cabs(S[i * n + k]) > cabs(S[best * n + k]) ? i : best;
        }
        for (int j = 0; j < n; ++j) {
            const double complex x = S[k * n + j];
            S[k * n + j] = S[best * n + j];
            S[best * n + j] = x;
        }
        const double complex x = b[k];
        b[k] = b[best];
        b[best] = x;
        for (int i = 0; i < n; ++i) {
            const double complex f = i == k ? 0.0 : S[i * n + k] / S[k * n + k];
            for (int j = k; j < n; ++j) {
                S[i * n + j] -= f * S[k * n + j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; ++k) {
        b[k] /= S[k * n + k];
    }
}

// R + b'(-s - A')^-1 Q (s - A)^-1 b, which vanishes at the poles of the regulator of Q and R (Kalman 1964).
static double complex evaluate_return(const lb_linear *l, const double *Q, double R,
                                      double complex s)
{
    enum { MOST = 16 };
    const int n = l->state_count;
    double complex S[MOST * MOST], x[2][MOST], sum = R;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                S[i * n + j] = (i == j ? (side ? -s : s) : 0.0) - l->A[i * n + j];
            }
            x[side][i] = l->B[i];
        }
        solve(n, S, x[side]);
    }
    for (int i = 0; i < n; ++i) {
        sum += x[0][i] * Q[i] * x[1][i];
    }
    return sum;
}

// With fast sampling the slow poles of the flexible inverted pendulum are those of Riccati's equation.
static void a_regulator_has_the_poles_of_its_riccati_equation(void **state)
{
    (void)state;
    char *example = lb_read_example("inverted_pendulum.yaml");
    double gap[2];
    for (int i = 0; i < 2; ++i) {
        const char *at = strstr(example, "rate: 500\n");
        assert_non_null(at);
        char text[4000];
        snprintf(text, sizeof text, "%.*srate: %s%s", (int)(at - example), example,
                 i ? "10000" : "5000", at + strlen("rate: 500"));
        // upright
        char *tilt = strstr(text, "angle: 8 deg");
        assert_non_null(tilt);
        tilt[7] = '0';
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        const char *input = "cart.motor";
        options.input_count = 1;
        options.inputs = &input;
        lb_linear *plant = NULL;
        lb_expect_ok(lb_linearize(course.simulation, &options, &plant));
        lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
        // weights of the example: cart and pole, then modes; speeds likewise
        double Q[16];
        const int half = plant->coordinate_count;
        for (int k = 0; k < 2 * half; ++k) {
            Q[k] = strstr(plant->states[k % half], "eta") ? 10 : k < half ? 100 : 1;
        }
        // the pole of the closed loop next to a zero of the return difference, by Newton's method
        double worst = 0.0;
        int count = 0;
        for (int k = 0; k < l->state_count; ++k) {
            const double complex s0 = get_pair(l->eigenvalues, k);
            if (cabs(s0) > 12.0 || cimag(s0) < 0.0) {
                continue;
            }
            double complex s = s0;
            for (int step = 0; step < 30; ++step) {
                const double h = 1e-5 * cabs(s);
                const double complex slope = (evaluate_return(plant, Q, 0.01, s + h) -
                                              evaluate_return(plant, Q, 0.01, s - h)) /
                                             (2 * h);
                s -= evaluate_return(plant, Q, 0.01, s) / slope;
            }
            const double off = cabs(s - s0) / cabs(s);
            print_message("%g%+gi, off by %.2e\n", creal(s0), cimag(s0), off);
            if (off < 0.02) {
                worst = fmax(worst, off);
                ++count;
            }
        }
        assert_int_equal(count, 2);
        gap[i] = worst;
        lb_destroy_linear(l);
        lb_destroy_linear(plant);
        lb_end_course(&course);
    }
    // of the first order in the period
    lb_expect_below("poles", gap[1], 2e-3);
    lb_expect_near("error by period", gap[0] / gap[1], 2.0, 0.2);
    free(example);
}

// ---- opening -------------------------------------------------------------------------------------

static void feedbacks_open_one_by_one(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    lb_linear *plant = NULL, *all = NULL, *one = NULL;
    const char *names[] = {"attitude.motor x", "attitude.motor z"};
    lb_expect_ok(lb_linearize(course.simulation, &options, &plant));
    options.control = LB_CONTROL_DISCRETE;
    options.open = (const char *const[]){"all"};
    options.open_count = 1;
    lb_expect_ok(lb_linearize(course.simulation, &options, &all));
    assert_int_equal(all->state_count, plant->state_count);
    assert_int_equal(all->control, LB_CONTROL_OPEN);
    assert_memory_equal(all->A, plant->A,
                        sizeof(double) * (size_t)(plant->state_count * plant->state_count));
    assert_int_equal(all->feedback_count, 3);
    assert_false(all->closed[0]);
    options.open = names;
    options.open_count = 2;
    lb_expect_ok(lb_linearize(course.simulation, &options, &one));
    assert_false(one->closed[0]);
    assert_true(one->closed[1]);
    assert_false(one->closed[2]);
    // turns about x and z are free again, and without a wheel that acts their rates too
    assert_int_equal(one->zero_count, 16);
    lb_destroy_linear(plant);
    lb_destroy_linear(all);
    lb_destroy_linear(one);
    lb_end_course(&course);
}

// ---- elsewhere -----------------------------------------------------------------------------------

// Poles do not depend on where the satellite flies, and how fast.
static void poles_are_those_at_rest_at_orbital_speed(void **state)
{
    (void)state;
    char *example = lb_read_example("satellite.yaml");
    const size_t size = strlen(example) + 300;
    char *text = malloc(size);
    lb_course courses[2];
    for (int i = 0; i < 2; ++i) {
        // one degree off, at rest or in orbit
        snprintf(text, size,
                 "%sinitial: {bus: {rotation: [0.99996192306417131, 0.0061705925, 0.0061705925, "
                 "0]%s}}\n",
                 example, i ? ", position: [7.0e+6, 0, 0], velocity: [100, 7500, 20]" : "");
        courses[i] = lb_begin_course(text);
    }
    lb_course still = courses[0], flying = courses[1];
    for (int model = LB_CONTROL_CONTINUOUS; model <= LB_CONTROL_DISCRETE; ++model) {
        lb_linear *a = linearize(&still, (lb_control_model)model);
        lb_linear *b = linearize(&flying, (lb_control_model)model);
        assert_int_equal(a->state_count, b->state_count);
        assert_int_equal(a->zero_count, b->zero_count);
        for (int i = 0; i < a->state_count; ++i) {
            const double complex s = get_pair(a->eigenvalues, i);
            const double gap = find_distance(b->state_count, b->eigenvalues, s);
            // 1e-9: the digits of a position of 7e6 m, of which the arrays see metres
            lb_expect_below("pole", gap, 1e-9 * cabs(s));
        }
        lb_destroy_linear(a);
        lb_destroy_linear(b);
    }
    lb_end_course(&still);
    lb_end_course(&flying);
    free(text);
    free(example);
}

// A linear model leaves no trace in what a run does afterwards.
static void runs_are_the_same_after_a_linear_model(void **state)
{
    (void)state;
    static const char *const examples[] = {"controlled_arm.yaml", "inverted_pendulum.yaml",
                                           "satellite.yaml"};
    for (int i = 0; i < 3; ++i) {
        lb_course plain = lb_begin_example(examples[i]), other = lb_begin_example(examples[i]);
        lb_destroy_linear(linearize(&other, LB_CONTROL_DISCRETE));
        lb_destroy_linear(linearize(&other, LB_CONTROL_CONTINUOUS));
        lb_start_course(&plain);
        lb_start_course(&other);
        lb_go_to(&plain, 0.3);
        lb_go_to(&other, 0.3);
        assert_memory_equal(plain.q, other.q, sizeof(double) * (size_t)plain.q_count);
        assert_memory_equal(plain.v, other.v, sizeof(double) * (size_t)plain.v_count);
        lb_end_course(&plain);
        lb_end_course(&other);
    }
}

// ---- modes ---------------------------------------------------------------------------------------

static void modes_are_the_poles_of_the_discrete_model(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    options.control = LB_CONTROL_DISCRETE;
    lb_linear *l = NULL;
    lb_modes *modes = NULL;
    lb_expect_ok(lb_linearize(course.simulation, &options, &l));
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    assert_int_equal(modes->control, LB_CONTROL_DISCRETE);
    assert_true(modes->period == l->period);
    int rigid = 0;
    for (int i = 0; i < modes->mode_count; ++i) {
        rigid += modes->kinds[i] == LB_MODE_RIGID;
        const double complex s = get_pair(modes->eigenvalues, i);
        lb_expect_below("pole", find_distance(l->state_count, l->eigenvalues, s), 1e-12 * cabs(s));
    }
    assert_int_equal(rigid, 6); // three shifts, three wheels
    lb_destroy_modes(modes);
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// ---- what has no linear model --------------------------------------------------------------------

static void expect_refusal(const char *text, lb_status status, const char *part)
{
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    lb_modes *modes = NULL;
    options.control = LB_CONTROL_DISCRETE;
    assert_int_equal(lb_linearize(course.simulation, &options, &linear), status);
    const char *message = lb_get_simulation_message(course.simulation);
    if (!strstr(message, part)) {
        fail_msg("expected \"%s\" in: %s", part, message);
    }
    assert_int_equal(lb_compute_modes(course.simulation, &options, &modes), status);
    assert_null(linear);
    assert_null(modes);
    // without the controllers it can be done
    options.open = (const char *const[]){"all"};
    options.open_count = 1;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

#define HOLD(force, more)                                                                          \
    ROTOR "forces: [{name: motor, type: actuator, hinge: rotor" force "}]\n"                       \
          "controllers:\n"                                                                         \
          "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n" more "}\n"

static void refusals_are_in_words(void **state)
{
    (void)state;
    expect_refusal(HOLD("", "law: {type: process, command: [cat]}"), LB_E_UNSUPPORTED,
                   "law of type process");
    expect_refusal(HOLD("", "law: {type: plugin, library: ./none.so}"), LB_E_UNSUPPORTED,
                   "law of type plugin");
    expect_refusal(HOLD("", "law: {type: callback}"), LB_E_ARGUMENT, "callback");
    expect_refusal(HOLD(", limits: [0, 5]", "law: {type: pid, kp: 1}"), LB_E_NUMBER,
                   "where the actuator's dead zone or limit begins");
    expect_refusal(HOLD("",
                        "sensors: [{name: s, signal: rotor.rate, rate: 6.180339887498949}],\n"
                        "law: {type: pid, kp: 1, kd: 1}}\n"
                        "  - {name: too, rate: 17.320508075688775, actuators: [{actuator: motor, "
                        "desired: 0}], law: {type: pid, kp: 1}"),
                   LB_E_UNSUPPORTED, "two feedbacks");
}

static int toggle(void *user, const lb_control_sample *sample, double *commands)
{
    int *count = user;
    (void)sample;
    commands[0] = ++*count;
    return 0;
}

static int relay(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = sample->position[0] > 0.0 ? -1.0 : 1.0;
    return 0;
}

static void callbacks_without_derivatives_are_refused(void **state)
{
    (void)state;
    int count = 0;
    const struct {
        lb_control_law law;
        const char *part;
    } cases[] = {{toggle, "no "}, {relay, "no derivative"}};
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(HOLD("", "law: {type: callback}"));
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = NULL;
        options.control = LB_CONTROL_CONTINUOUS;
        lb_expect_ok(lb_set_control_callback(course.simulation, "hold", cases[i].law, &count));
        assert_true(lb_linearize(course.simulation, &options, &linear) < 0);
        assert_non_null(strstr(lb_get_simulation_message(course.simulation), cases[i].part));
        lb_end_course(&course);
    }
}

static void rates_without_a_common_period_are_refused(void **state)
{
    (void)state;
    expect_refusal(HOLD("", "sensors: [{name: s, signal: rotor.angle, rate: 6.180339887498949}],\n"
                            "law: {type: lqr, position: 1, speed: 1, vibration: 1}"),
                   LB_E_UNSUPPORTED, "no common period");
}

static void expect_note(const char *text, const char *part)
{
    lb_course course = lb_begin_course(text);
    lb_linear *l = linearize(&course, LB_CONTROL_DISCRETE);
    if (!strstr(l->feedback_notes[0], part)) {
        fail_msg("expected \"%s\" in: %s", part, l->feedback_notes[0]);
    }
    assert_int_equal(l->zero_count, 2);
    lb_destroy_linear(l);
    lb_end_course(&course);
}

static void actuators_that_pass_nothing_say_so(void **state)
{
    (void)state;
    expect_note(HOLD(", dead_zone: 0.1", "law: {type: pid, kp: 1, kd: 1}"), "dead zone");
    expect_note(HOLD(", limits: [-2, 2]",
                     "law: {type: pid, kp: 1, kd: 1}") "initial: {rotor: {angle: 3}}\n",
                "beyond the limits");
    expect_note(HOLD(", enabled: false", "law: {type: pid, kp: 1, kd: 1}"), "disabled");
}

static void unknown_feedbacks_are_refused(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(HOLD("", "law: {type: pid, kp: 1}"));
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.control = LB_CONTROL_DISCRETE;
    options.open = (const char *const[]){"hold.engine"};
    options.open_count = 1;
    assert_int_equal(lb_linearize(course.simulation, &options, &linear), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "hold.motor"));
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pd_on_a_rotor_has_the_poles_of_the_textbook),
        cmocka_unit_test(gains_of_actuators_count),
        cmocka_unit_test(late_sensors_have_the_poles_of_the_textbook),
        cmocka_unit_test(integrals_are_states),
        cmocka_unit_test(lags_are_states),
        cmocka_unit_test(fast_sampling_is_continuous),
        cmocka_unit_test(the_two_models_agree),
        cmocka_unit_test(rates_that_fit_into_a_common_period),
        cmocka_unit_test(computed_torque_has_its_derivatives),
        cmocka_unit_test(a_sampled_satellite_moves_as_its_model_says),
        cmocka_unit_test(what_sensors_read_is_in_the_model),
        cmocka_unit_test(the_law_of_attitude_has_its_derivatives),
        cmocka_unit_test(matrices_of_gains_are_in_the_model),
        cmocka_unit_test(hinges_of_several_speeds_and_loops),
        cmocka_unit_test(laws_with_a_model_of_their_own),
        cmocka_unit_test(desired_coordinates_are_inputs),
        cmocka_unit_test(callbacks_are_differenced),
        cmocka_unit_test(a_regulator_has_the_poles_of_its_riccati_equation),
        cmocka_unit_test(feedbacks_open_one_by_one),
        cmocka_unit_test(poles_are_those_at_rest_at_orbital_speed),
        cmocka_unit_test(runs_are_the_same_after_a_linear_model),
        cmocka_unit_test(modes_are_the_poles_of_the_discrete_model),
        cmocka_unit_test(refusals_are_in_words),
        cmocka_unit_test(callbacks_without_derivatives_are_refused),
        cmocka_unit_test(rates_without_a_common_period_are_refused),
        cmocka_unit_test(actuators_that_pass_nothing_say_so),
        cmocka_unit_test(unknown_feedbacks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
