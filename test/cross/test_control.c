// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers: what they sample, what actuators make of commands, and laws against closed forms, each
// other and the linear model.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/control.h"
#include "limber/linear.h"

// A mass of 2 kg on a straight line, and a law of the test's own.
#define MASS                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"

typedef struct recorder {
    int count;
    double t[4000], reading[4000], truth[4000], command;
} recorder;

static int record_sample(void *user, const lb_control_sample *sample, double *commands)
{
    recorder *r = user;
    assert_true(r->count < 4000);
    r->t[r->count] = sample->t;
    r->reading[r->count] = sample->sensor_count > 0 ? sample->sensors[0] : 0.0;
    r->truth[r->count++] = sample->position[0];
    commands[0] = r->command;
    return 0;
}

static lb_course begin(const char *text, lb_control_law law, void *user)
{
    lb_course course = lb_begin_course(text);
    if (law) {
        lb_expect_ok(lb_set_control_callback(course.simulation, "control", law, user));
    }
    lb_start_course(&course);
    return course;
}

// ---- actuators -----------------------------------------------------------------------------------

// Force after a step of the command: dead zone and gain, limit, ramp, lag, in closed form.
static double get_expected_force(double s)
{
    const double c = 30.0, R = 200.0, T = 0.05, ramp = c / R;
    if (s < ramp) {
        return R * s - R * T + R * T * exp(-s / T);
    }
    const double y = c - R * T + R * T * exp(-ramp / T);
    return c + (y - c) * exp(-(s - ramp) / T);
}

static void actuators_do_what_they_can(void **state)
{
    (void)state;
    recorder r = {.command = 4.5};
    // gain 10 x (4.5 less 0.5) = 40, of which 30 are allowed
    lb_course course = begin(
        MASS "forces: [{name: drive, type: actuator, hinge: cart, gain: 10, dead_zone: 0.5,\n"
             "          limits: [-30, 30], rate_limit: 200, lag: 0.05}]\n"
             "controllers: [{name: control, rate: 4, actuators: [drive], law: {type: callback}}]\n"
             "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-12}}\n",
        record_sample, &r);
    // the same command again and again is the same command: a is force over mass
    for (int i = 1; i <= 40; ++i) {
        const double t = 0.02 * i;
        lb_go_to(&course, t);
        lb_expect_near("force", 2.0 * course.a[0], get_expected_force(t), 1e-12);
    }
    assert_int_equal(r.count, 4);
    lb_end_course(&course);
}

static void a_negative_gain_pushes_the_other_way(void **state)
{
    (void)state;
    recorder r = {.command = 4.5};
    // -2 x (4.5 less 0.5) = -8 N on 2 kg
    lb_course course = begin(
        MASS "forces: [{name: drive, type: actuator, hinge: cart, gain: -2, dead_zone: 0.5}]\n"
             "controllers: [{name: control, rate: 4, actuators: [drive], law: {type: callback}}]\n",
        record_sample, &r);
    lb_go_to(&course, 0.4);
    lb_expect_near("acceleration", course.a[0], -4.0, 1e-14);
    lb_end_course(&course);
}

static void work_of_actuators_is_in_the_books(void **state)
{
    (void)state;
    recorder r = {.command = 3.0};
    lb_course course = lb_begin_course(
        MASS
        "forces: [{name: drive, type: actuator, hinge: cart, lag: 0.1}]\n"
        "controllers: [{name: control, rate: 100, actuators: [drive], law: {type: callback}}]\n"
        "run: {duration: 1, integrator: {type: erk, order: 8, tolerance: 1.0e-12}}\n");
    lb_expect_ok(lb_set_control_callback(course.simulation, "control", record_sample, &r));
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_near("work", audit.work_forces, audit.energy_end, 1e-10);
    assert_true(audit.energy_end > 0.5);
    lb_end_course(&course);
}

// ---- sensors -------------------------------------------------------------------------------------

#define SENSED(sensor)                                                                             \
    MASS "initial: {cart: {rate: 1}}\n"                                                            \
         "forces: [{name: drive, type: actuator, hinge: cart}]\n"                                  \
         "controllers:\n"                                                                          \
         "  - {name: control, rate: 100, actuators: [drive], law: {type: callback},\n"             \
         "     sensors: [{name: x, signal: cart.distance, " sensor "}]}\n"

static void readings_are_late_coarse_and_slow(void **state)
{
    (void)state;
    static recorder r;
    // x = t: what is read is the time of measurement
    r.count = 0;
    lb_course course = begin(SENSED("delay: 0.025"), record_sample, &r);
    lb_go_to(&course, 1.0);
    lb_end_course(&course);
    for (int i = 3; i < r.count; ++i) {
        // sampled every 10 ms and 25 ms on the way: three samples ago
        lb_expect_near("delayed", r.reading[i], r.t[i] - 0.03, 1e-7);
    }
    // ten samples for each of the controller, of which three are on the way
    r.count = 0;
    course = begin(SENSED("rate: 1000, delay: 0.0032"), record_sample, &r);
    lb_go_to(&course, 1.0);
    lb_end_course(&course);
    for (int i = 1; i < r.count; ++i) {
        lb_expect_near("fast and delayed", r.reading[i], r.t[i] - 0.004, 1e-7);
    }
    r.count = 0;
    course = begin(SENSED("quantum: 0.125"), record_sample, &r);
    lb_go_to(&course, 1.0);
    lb_end_course(&course);
    for (int i = 0; i < r.count; ++i) {
        assert_true(fmod(r.reading[i], 0.125) == 0.0);
        lb_expect_below("rounding", r.reading[i] - r.truth[i], 0.0625 + 1e-12);
    }
    r.count = 0;
    course = begin(SENSED("rate: 20"), record_sample, &r);
    lb_go_to(&course, 1.0);
    lb_end_course(&course);
    for (int i = 0; i < r.count; ++i) {
        lb_expect_near("held", 1.0 + r.reading[i], 1.0 + floor(20.0 * r.t[i] + 1e-9) / 20.0, 1e-7);
    }
}

// Noise of a sensor in a run, over its deviation.
static void draw_noise(const char *text, recorder *r)
{
    r->count = 0;
    lb_course course = begin(text, record_sample, r);
    lb_go_to(&course, 20.0);
    lb_end_course(&course);
    for (int i = 0; i < r->count; ++i) {
        r->reading[i] = (r->reading[i] - r->truth[i]) / 0.01;
    }
}

// What makes the noise of a sensor are its name, that of its controller and the seed of the run, and nothing else.
static void sensors_have_noise_of_their_own(void **state)
{
    (void)state;
    static recorder x, other;
    draw_noise(SENSED("noise: 0.01"), &x);
    // FNV-1a, splitmix64, Box and Muller in Python, for control, x and seed 1; readings of up to 0.02 + 1e-2 noise
    static const double first[] = {-2.1677708646821823, 0.8423676411769317, 0.6510901573162814};
    lb_expect_within("first draws", x.reading, first, 3, 1e-13);
    static const struct {
        const char *text;
        bool same;
    } others[] = {
        {SENSED("noise: 0.01}, {name: y, signal: cart.rate, noise: 0.01"), true},
        {SENSED("noise: 0.01") "run: {seed: 1, interval: 0.1}\n", true},
        {SENSED("noise: 0.01") "run: {seed: 2}\n", false},
        {SENSED("noise: 0.01, seed: 1"), false},
        {MASS "initial: {cart: {rate: 1}}\n"
              "forces: [{name: drive, type: actuator, hinge: cart}]\n"
              "controllers:\n"
              "  - {name: control, rate: 100, actuators: [drive], law: {type: callback},\n"
              "     sensors: [{name: y, signal: cart.distance, noise: 0.01}]}\n",
         false},
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        draw_noise(others[k].text, &other);
        assert_int_equal(other.count, x.count);
        const double product = lb_multiply_vectors(x.count, x.reading, other.reading) / x.count;
        if (others[k].same) {
            assert_memory_equal(x.reading, other.reading, (size_t)x.count * sizeof *x.reading);
        } else { // five deviations of a mean of products
            lb_expect_below("correlation", product, 5.0 / sqrt(x.count));
        }
    }
}

static void noise_has_its_deviation_and_its_seed(void **state)
{
    (void)state;
    static recorder r[3];
    static const char *const texts[] = {SENSED("noise: 0.01, seed: 7"),
                                        SENSED("noise: 0.01, seed: 7"),
                                        SENSED("noise: 0.01, seed: 8")};
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < 3; ++k) {
        lb_course course = begin(texts[k], record_sample, &r[k]);
        lb_go_to(&course, 20.0);
        lb_end_course(&course);
    }
    const int n = r[0].count;
    for (int i = 0; i < n; ++i) {
        const double error = r[0].reading[i] - r[0].truth[i];
        sum += error;
        squares += error * error;
        assert_true(r[0].reading[i] == r[1].reading[i]);
    }
    assert_true(r[0].reading[5] != r[2].reading[5]);
    // five deviations of the estimates from 2000 samples
    lb_expect_below("mean", sum / n, 5 * 0.01 / sqrt(n));
    lb_expect_below("deviation", sqrt(squares / n) - 0.01, 5 * 0.01 / sqrt(2.0 * n));
}

static void strain_is_that_of_a_bent_fibre(void **state)
{
    (void)state;
    // rotation 0.02 over 0.5 m, on a fibre 10 mm off the axis
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: base, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - name: strip\n"
        "    parent: base\n"
        "    hinge: {type: fixed}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: a, mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
        "        - {name: b, position: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0],\n"
        "           shape: [[0, 0, 1, 0, 0, 0]]}\n"
        "      stiffness: [1]\n"
        "initial: {strip: {eta: [0.02]}}\n"
        "forces: [{name: drive, type: actuator, hinge: base}]\n"
        "controllers:\n"
        "  - {name: control, rate: 10, actuators: [drive], law: {type: callback},\n"
        "     sensors: [{name: gauge, strain: [strip/a, strip/b], offset: [0, 0.01, 0]}]}\n";
    static recorder r;
    r.count = 0;
    lb_course course = begin(text, record_sample, &r);
    assert_int_equal(r.count, 0);
    lb_expect_ok(lb_advance_simulation(course.simulation, 0.0));
    assert_int_equal(r.count, 1);
    lb_expect_near("strain", r.reading[0],
                   hypot(0.5 - 0.01 * sin(0.02), 0.01 * (cos(0.02) - 1)) / 0.5 - 1, 1e-9);
    lb_end_course(&course);
}

// ---- PID -----------------------------------------------------------------------------------------

// A mass under a sampled PD: between samples the force is constant, so that the recursion is exact.
static void sampled_pd_is_its_recursion(void **state)
{
    (void)state;
    lb_course course =
        begin(MASS "initial: {cart: {distance: 0.1}}\n"
                   "forces: [{name: drive, type: actuator, hinge: cart}]\n"
                   "controllers:\n"
                   "  - {name: control, rate: 50, actuators: [{actuator: drive, desired: 0.3}],\n"
                   "     law: {type: pid, kp: 40, kd: 12, ki: 15}}\n"
                   "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-12}}\n",
              NULL, NULL);
    const double h = 0.02;
    double x = 0.1, v = 0.0, sum = 0.0;
    for (int k = 0; k < 100; ++k) {
        sum += 15 * (0.3 - x) * h;
        const double a = (40 * (0.3 - x) - 12 * v + sum) / 2.0;
        x += v * h + 0.5 * a * h * h;
        v += a * h;
        lb_go_to(&course, h * (k + 1));
        lb_expect_near("position", course.q[0], x, 1e-9);
        lb_expect_near("speed", 1 + course.v[0], 1 + v, 1e-9);
    }
    lb_end_course(&course);
}

// ---- a program -------------------------------------------------------------------------------------

// The program of the guide is a PD: it does what the law of the same gains does.
static void program_does_what_the_law_does(void **state)
{
    (void)state;
    char program[1024];
    snprintf(program, sizeof program, "{type: process, command: [\"%s\"], timeout: 1000}",
             lb_find_built("examples/example_hold"));
    const char *const law_texts[] = {"{type: pid, kp: 80, kd: 10}", program};
    double ends[2][2];
    for (int i = 0; i < 2; ++i) {
        char text[2048];
        snprintf(text, sizeof text,
                 MASS
                 "forces: [{name: drive, type: actuator, hinge: cart}]\n"
                 "controllers:\n"
                 "  - name: control\n"
                 "    rate: 50\n"
                 "    sensors: [{name: place, signal: cart.distance}]\n"
                 "    actuators: [{actuator: drive, desired: {waypoints: [[0, 0], [1, 0.5]]}}]\n"
                 "    law: %s\n",
                 law_texts[i]);
        lb_course course = lb_begin_course(text);
        lb_run_options options = {.size = sizeof options};
        lb_get_run_options(course.simulation, &options);
        options.allow_programs = 1;
        lb_expect_ok(lb_set_run_options(course.simulation, &options));
        lb_start_course(&course);
        lb_go_to(&course, 1.5);
        ends[i][0] = course.q[0];
        ends[i][1] = course.v[0];
        lb_end_course(&course);
    }
    // 17 digits both ways
    assert_true(ends[0][0] == ends[1][0] && ends[0][1] == ends[1][1]);
    assert_true(ends[0][0] > 0.4);
}

// ---- laws that know the dynamics -------------------------------------------------------------------

// Two links, each with two bending modes in the plane.
#define LINK(name, where)                                                                          \
    "  - name: " name "\n" where "    flex:\n"                                                     \
    "      nodes:\n"                                                                               \
    "        - {name: root, mass: 0.3, inertia: [0.02, 0.02, 0.02, 0, 0, 0],\n"                    \
    "           shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"                                \
    "        - {name: middle, position: [0.4, 0, 0], mass: 0.4,\n"                                 \
    "           shape: [[0, 0, 0.9, 0, 0.25, 0], [0, 0, -1.2, 0, -0.3, 0]],\n"                     \
    "           second_order: [[0, 0, [-0.3, 0, 0]]]}\n"                                           \
    "        - {name: tip, position: [0.8, 0, 0], mass: 0.5, inertia: [0.01, 0.01, 0.01, 0, 0, "   \
    "0],\n"                                                                                        \
    "           shape: [[0, 0, 1.6, 0, 1, 0], [0, 0, 4, 0, 1, 0]],\n"                              \
    "           second_order: [[0, 0, [-0.9, 0, 0]]]}\n"                                           \
    "      stiffness: [60, 900]\n"                                                                 \
    "      damping: [0.02, 0.1]\n"

#define ARM(law, rate)                                                                             \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -3, 0]\n"                                                                        \
    "bodies:\n" LINK("upper", "    hinge: {type: revolute, axis: [0, 0, 1]}\n") LINK(              \
        "lower",                                                                                   \
        "    parent: upper\n    at: tip\n"                                                         \
        "    hinge: {type: revolute, axis: [0, 0, 1]}\n") "forces:\n"                              \
                                                          "  - {name: m1, type: actuator, hinge: " \
                                                          "upper, gain: 2}\n"                      \
                                                          "  - {name: m2, type: actuator, hinge: " \
                                                          "lower}\n"                               \
                                                          "  - {name: rub, type: damper, hinge: "  \
                                                          "lower, damping: 0.2}\n"                 \
                                                          "controllers:\n"                         \
                                                          "  - name: control\n"                    \
                                                          "    rate: " rate "\n"                   \
                                                          "    actuators:\n"                       \
                                                          "      - {actuator: m1, desired: "       \
                                                          "{waypoints: [[0, 0], [0.6, 0.8]]}}\n"   \
                                                          "      - {actuator: m2, desired: "       \
                                                          "{waypoints: [[0, 0], [0.6, -0.5]], "    \
                                                          "profile: septic}}\n"                    \
                                                          "    law: {" law "}\n"                   \
                                                          "run: {duration: 0.7, interval: 0.01, "  \
                                                          "integrator: {type: rk4, step: "         \
                                                          "0.0005}}\n"

typedef struct track {
    double q[71][6];
    double worst; // distance from the desired hinge angles
} track;

static double get_quintic(double s)
{
    s = fmin(1.0, s);
    return s * s * s * (10 - 15 * s + 6 * s * s);
}

static double get_septic(double s)
{
    s = fmin(1.0, s);
    return s * s * s * s * (35 - 84 * s + 70 * s * s - 20 * s * s * s);
}

static void run_arm(const char *text, track *out)
{
    lb_course course = begin(text, NULL, NULL);
    out->worst = 0.0;
    for (int i = 0; i <= 70; ++i) {
        lb_go_to(&course, 0.01 * i);
        memcpy(out->q[i], course.q, sizeof out->q[i]);
        const double s = course.t / 0.6;
        out->worst = fmax(out->worst, fabs(course.q[2] - 0.8 * get_quintic(s)));
        out->worst = fmax(out->worst, fabs(course.q[5] + 0.5 * get_septic(s)));
    }
    lb_end_course(&course);
}

static double get_distance(const track *a, const track *b)
{
    double worst = 0.0;
    for (int i = 0; i <= 70; ++i) {
        for (int j = 0; j < 6; ++j) {
            worst = fmax(worst, fabs(a->q[i][j] - b->q[i][j]));
        }
    }
    return worst;
}

// Exact inverse dynamics tracks to what holding a command leaves, which is of first order in the
// period; a law that takes the arm for rigid does not. Estimated modes are the exact ones, and matching
// accelerations is solving for them, likewise.
static void laws_of_flexible_dynamics_agree(void **state)
{
    (void)state;
    static track coarse, exact, rigid, estimated, matched, integrated;
    run_arm(ARM("type: computed-torque, kp: 100, kd: 20", "2000"), &coarse);
    run_arm(ARM("type: computed-torque, kp: 100, kd: 20", "4000"), &exact);
    run_arm(ARM("type: computed-torque, kp: 100, kd: 20, modes: rigid", "4000"), &rigid);
    run_arm(ARM("type: computed-torque, kp: 100, kd: 20, modes: estimated", "4000"), &estimated);
    run_arm(ARM("type: acceleration-matching, kp: 100, kd: 20, sweeps: 40", "4000"), &matched);
    run_arm(
        ARM("type: acceleration-matching, kp: 100, kd: 20, state: integrated, sweeps: 40", "4000"),
        &integrated);
    print_message("off by %.2e (2 kHz), %.2e (4 kHz), %.2e (rigid); from exact: estimated %.2e, "
                  "matched %.2e, integrated %.2e\n",
                  coarse.worst, exact.worst, rigid.worst, get_distance(&exact, &estimated),
                  get_distance(&exact, &matched), get_distance(&exact, &integrated));
    lb_expect_near("order of tracking", coarse.worst / exact.worst, 2.0, 0.05);
    assert_true(rigid.worst > 10 * exact.worst);
    // a tenth of the tracking error, which is of the same order
    lb_expect_below("estimated modes", get_distance(&exact, &estimated), 0.1 * exact.worst);
    lb_expect_below("matched accelerations", get_distance(&estimated, &matched), 1e-8);
    lb_expect_below("integrated state", get_distance(&exact, &integrated), 0.1 * exact.worst);
}

// ---- linear-quadratic ------------------------------------------------------------------------------

// Small steps of the closed loop against the linear model under the same sampled law: here the law is
// a PD, so that the discrete closed loop can be written down.
static void small_steps_are_those_of_the_linear_model(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1.5, com: [0, 0, -0.4],\n"
        "     inertia: [0.1, 0.1, 0.01, 0, 0, 0], nodes: {tip: {position: [0, 0, -0.8]}}}\n"
        "  - {name: bob, parent: arm, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: "
        "0.7,\n"
        "     com: [0, 0, -0.3], inertia: [0.02, 0.02, 0.01, 0, 0, 0]}\n"
        "forces: [{name: motor, type: actuator, hinge: arm}]\n"
        "controllers:\n"
        "  - {name: control, rate: 200, actuators: [{actuator: motor, desired: 1.0e-4}],\n"
        "     law: {type: pid, kp: 30, kd: 4}}\n"
        "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-13}}\n";
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    const char *inputs[] = {"arm.motor"};
    options.input_count = 1;
    options.inputs = inputs;
    lb_linear *linear;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    assert_int_equal(linear->state_count, 4);
    lb_start_course(&course);
    const double h = 0.005;
    double x[4] = {0};
    for (int k = 0; k < 200; ++k) {
        const double u = 30 * (1e-4 - x[0]) - 4 * x[2];
        // x+ = exp(A h) x + ..., by Taylor's series of x' = A x + B u
        double term[4], next[4];
        memcpy(next, x, sizeof next);
        memcpy(term, x, sizeof term);
        for (int order = 1; order <= 12; ++order) {
            double rate[4];
            for (int i = 0; i < 4; ++i) {
                rate[i] = order == 1 ? linear->B[i] * u : 0.0;
                for (int j = 0; j < 4; ++j) {
                    rate[i] += linear->A[4 * i + j] * term[j];
                }
            }
            for (int i = 0; i < 4; ++i) {
                term[i] = rate[i] * h / order;
                next[i] += term[i];
            }
        }
        memcpy(x, next, sizeof x);
        lb_go_to(&course, h * (k + 1));
        // terms of third order in 1e-4
        lb_expect_below("arm", course.q[0] - x[0], 1e-11);
        lb_expect_below("bob", course.q[1] - x[1], 1e-11);
    }
    assert_true(fabs(x[0]) > 1e-5);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

static void lqr_balances_a_flexible_pendulum_on_a_cart(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("inverted_pendulum.yaml");
    lb_start_course(&course);
    lb_go_to(&course, 0.0);
    assert_true(fabs(course.q[course.q_count - 1]) > 0.1);
    lb_go_to(&course, 6.0);
    for (int i = 0; i < course.q_count; ++i) {
        // the noise of the sensors, and static strain of the pole
        lb_expect_below("rest", course.q[i], 1e-3);
        lb_expect_below("rest", course.v[i], 1e-2);
    }
    lb_end_course(&course);
}

// ---- vibration -------------------------------------------------------------------------------------

// Largest distance of the tip from where it is to go, from 0.6 s after the slew on.
static double find_residual(const char *law, const char *shaping)
{
    char *text = lb_read_example("controlled_arm.yaml");
    char *changed = calloc(1, strlen(text) + 400);
    assert_non_null(changed);
    char *at = strstr(text, "    law:");
    assert_non_null(at);
    char *rest = strchr(at, '\n');
    *at = '\0';
    sprintf(changed, "%s%s    law: %s%s", text, shaping, law, rest);
    lb_course course = lb_begin_course(changed);
    lb_start_course(&course);
    double worst = 0.0, goal[3];
    lb_go_to(&course, 0.0);
    const double q1 = 60 * 3.14159265358979 / 180, q2 = 15 * 3.14159265358979 / 180;
    goal[0] = 0.6 * cos(q1) + 0.6 * cos(q2);
    goal[1] = 0.6 * sin(q1) + 0.6 * sin(q2);
    for (int i = 0; i <= 180; ++i) {
        lb_go_to(&course, 1.2 + 0.01 * i);
        const lb_node_motion tip = lb_get_course_node(&course, "forearm", "tip");
        worst = fmax(worst, hypot(tip.position[0] - goal[0], tip.position[1] - goal[1]));
    }
    lb_end_course(&course);
    free(text);
    free(changed);
    return worst;
}

static void knowing_the_flexibility_leaves_less_vibration(void **state)
{
    (void)state;
    const char *regulator =
        "regulator: {position: 1.0e+5, speed: 3000, vibration: 1000, effort: 1}}";
    char law[200];
    const double rigid =
        find_residual("{type: computed-torque, modes: rigid, kp: 225, kd: 30}", "");
    const double shaped = find_residual("{type: computed-torque, modes: rigid, kp: 225, kd: 30}",
                                        "    shaping: {type: zvd}\n");
    snprintf(law, sizeof law, "{type: computed-torque, %s", regulator);
    const double flexible = find_residual(law, "");
    snprintf(law, sizeof law, "{type: acceleration-matching, %s", regulator);
    const double matched = find_residual(law, "");
    print_message("residual: rigid %.2e m, shaped %.2e, flexible %.2e, matched %.2e\n", rigid,
                  shaped, flexible, matched);
    assert_true(shaped <= rigid / 3);
    assert_true(flexible <= rigid / 3);
    assert_true(matched <= rigid / 3);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actuators_do_what_they_can),
        cmocka_unit_test(a_negative_gain_pushes_the_other_way),
        cmocka_unit_test(work_of_actuators_is_in_the_books),
        cmocka_unit_test(readings_are_late_coarse_and_slow),
        cmocka_unit_test(sensors_have_noise_of_their_own),
        cmocka_unit_test(noise_has_its_deviation_and_its_seed),
        cmocka_unit_test(strain_is_that_of_a_bent_fibre),
        cmocka_unit_test(sampled_pd_is_its_recursion),
        cmocka_unit_test(program_does_what_the_law_does),
        cmocka_unit_test(laws_of_flexible_dynamics_agree),
        cmocka_unit_test(small_steps_are_those_of_the_linear_model),
        cmocka_unit_test(lqr_balances_a_flexible_pendulum_on_a_cart),
        cmocka_unit_test(knowing_the_flexibility_leaves_less_vibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
