// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The law of attitude and matrices of gains: against closed forms, conservation, and what other laws do.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "limber/control.h"
#include "limber/linear.h"
#include "limber/spatial.h"
#include "twins.h"

#define EXACT "run: {integrator: {type: erk, order: 8, tolerance: 1.0e-13}}\n"

// ---- one axis ------------------------------------------------------------------------------------

// A rotor of 2 kg m^2 about z.
#define ROTOR                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: rotor, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"                       \
    "     inertia: [1, 1, 2, 0, 0, 0]}\n"                                                          \
    "forces: [{name: motor, type: actuator, hinge: rotor}]\n"

#define ROTOR_LAW                                                                                  \
    "controllers:\n"                                                                               \
    "  - {name: hold, rate: 20, actuators: [motor],\n"                                             \
    "     law: {type: attitude, node: rotor, kp: 60, kd: 9, distribution: [[0, 0, 1]]}}\n"

// The error is sin(angle / 2), so that a small turn is met by kp / 2: z^2 - (2 - a - b) z + 1 + a - b with
// a = kp T^2 / 4 J and b = kd T / J
static void poles_are_those_of_a_damped_oscillator(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(ROTOR ROTOR_LAW);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *l = NULL;
    options.control = LB_CONTROL_DISCRETE;
    lb_expect_ok(lb_linearize(course.simulation, &options, &l));
    const double T = 0.05, a = 60 * T * T / 8, b = 9 * T / 2, half = 1 - 0.5 * (a + b);
    const double complex root = csqrt(half * half - (1 + a - b));
    assert_int_equal(l->state_count, 2);
    for (int i = 0; i < 2; ++i) {
        const double complex z = l->multipliers[2 * i] + I * l->multipliers[2 * i + 1];
        // the law is differenced
        lb_expect_below("multiplier", fmin(cabs(z - half - root), cabs(z - half + root)), 1e-10);
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
}

// From far off, also from beyond half a turn, sample by sample: a held torque makes parabolas.
static void turns_are_large_and_take_the_shorter_way(void **state)
{
    (void)state;
    static const double starts[] = {0.3, 3.0, 3.3, -3.3}, ends[] = {0, 0, 1, -1};
    const double h = 0.05, J = 2, turn = 6.283185307179586477;
    for (int i = 0; i < 4; ++i) {
        char text[1000];
        snprintf(text, sizeof text, ROTOR ROTOR_LAW EXACT "initial: {rotor: {angle: %.3g}}\n",
                 starts[i]);
        lb_course course = lb_begin_course(text);
        lb_start_course(&course);
        double x = starts[i], w = 0;
        for (int k = 0; k < 200; ++k) {
            const double sign = cos(x / 2) < 0 ? -1 : 1;
            const double u = -60 * sign * sin(x / 2) - 9 * w;
            x += h * w + u * h * h / (2 * J);
            w += u * h / J;
            lb_go_to(&course, h * (k + 1));
            lb_expect_below("angle", course.q[0] - x, 1e-11);
            lb_expect_below("rate", course.v[0] - w, 1e-11);
        }
        lb_expect_below("rest", x - turn * ends[i], 1e-3);
        lb_end_course(&course);
    }
}

// Before the first reading arrives there is no attitude, and nothing is done. Later the same happens as without delay.
static void nothing_is_done_before_an_attitude_arrives(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        ROTOR EXACT
        "initial: {rotor: {angle: 1}}\n"
        "controllers:\n"
        "  - {name: hold, rate: 20, actuators: [motor],\n"
        "     sensors: [{name: w, signal: attitude(rotor).w, delay: 0.2},\n"
        "       {name: x, signal: attitude(rotor).x, delay: 0.2},\n"
        "       {name: y, signal: attitude(rotor).y, delay: 0.2},\n"
        "       {name: z, signal: attitude(rotor).z, delay: 0.2}],\n"
        "     law: {type: attitude, node: rotor, attitude: [w, x, y, z], kp: 60, kd: 9,\n"
        "       distribution: [[0, 0, 1]]}}\n");
    lb_start_course(&course);
    lb_go_to(&course, 0.2);
    assert_true(course.q[0] == 1.0 && course.v[0] == 0.0);
    lb_go_to(&course, 0.25);
    lb_expect_near("rate", course.v[0], -60 * sin(0.5) * 0.05 / 2, 1e-12);
    lb_end_course(&course);
}

// ---- three axes ----------------------------------------------------------------------------------

#define HUB                                                                                        \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: hub, hinge: {type: free}, mass: 10, inertia: [2, 3, 4, 0.1, 0.2, -0.1]}\n"         \
    "forces:\n"                                                                                    \
    "  - {name: x, type: actuator, hinge: hub.0}\n"                                                \
    "  - {name: y, type: actuator, hinge: hub.1}\n"                                                \
    "  - {name: z, type: actuator, hinge: hub.2}\n" EXACT

#define SLEW                                                                                       \
    "       inertia: [[2, 0.1, 0.2], [0.1, 3, -0.1], [0.2, -0.1, 4]],\n"                           \
    "       desired: {waypoints: [[0, [1, 0, 0, 0]], [6, [0.6, 0, 0.8, 0]],\n"                     \
    "         [12, [0.48, 0.36, 0.64, -0.48]]]}}}\n"

// The slew by its definition, with rotation matrices: about y, then about x as it is then.
static lb_mat3 get_slew(double t, lb_vec3 *rate)
{
    const double first = 2 * acos(0.6);
    const int second = t > 6;
    const double s = (t - 6 * second) / 6;
    const double way = s * s * s * (10 - 15 * s + 6 * s * s);
    const double speed = 30 * s * s * (1 - s) * (1 - s) / 6;
    // (0.6, 0, 0.8, 0)* (0.48, 0.36, 0.64, -0.48) = (0.8, 0.6, 0, 0)
    const lb_vec3 axis = second ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    const double angle = second ? 2 * acos(0.8) : first;
    const double c = cos(angle * way), n = sin(angle * way);
    const lb_mat3 about_x = {{{1, 0, 0}, {0, c, -n}, {0, n, c}}};
    const lb_mat3 about_y = {{{c, 0, n}, {0, 1, 0}, {-n, 0, c}}};
    const double C = cos(first), N = sin(first);
    const lb_mat3 before = {{{C, 0, N}, {0, 1, 0}, {-N, 0, C}}};
    *rate = lb_vec3_scale(angle * speed, axis);
    return second ? lb_mat3_mul(&before, &about_x) : about_y;
}

enum { INSTANTS = 48, PER_INSTANT = 12 };

// How far the hub is off the slew at some instants: entries of its rotation matrix, then its rate in its own axes.
static void follow_slew(int rate, double off[INSTANTS * PER_INSTANT])
{
    char text[2000];
    snprintf(text, sizeof text,
             HUB "controllers:\n"
                 "  - {name: c, rate: %d, actuators: [x, y, z],\n"
                 "     law: {type: attitude, node: hub, kp: 40, kd: [20, 20, 20],\n" SLEW,
             rate);
    lb_course course = lb_begin_course(text);
    lb_start_course(&course);
    for (int k = 0; k < INSTANTS; ++k, off += PER_INSTANT) {
        const double t = 0.25 * (k + 1);
        lb_vec3 w;
        const lb_mat3 R = get_slew(t, &w);
        lb_go_to(&course, t);
        const lb_node_motion m = lb_get_course_node(&course, "hub", "origin");
        const lb_mat3 found = lb_quat_to_mat3(lb_quat_from(m.rotation));
        for (int i = 0; i < 9; ++i) {
            off[i] = found.m[i / 3][i % 3] - R.m[i / 3][i % 3];
        }
        const lb_vec3 turns = lb_mat3_tmul_vec(&found, lb_vec3_from(m.velocity));
        lb_vec3_to(lb_vec3_sub(turns, w), off + 9);
    }
    lb_end_course(&course);
}

static double get_largest(const double *x)
{
    double largest = 0;
    for (int i = 0; i < INSTANTS * PER_INSTANT; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

// Torques are held over a period and are right in its middle, so that errors are of second order in it. What is
// left where that is taken off is the error of fast sampling.
static void a_slew_with_feed_forward_is_followed(void **state)
{
    (void)state;
    static double coarse[INSTANTS * PER_INSTANT], fine[INSTANTS * PER_INSTANT];
    follow_slew(200, coarse);
    follow_slew(400, fine);
    print_message("off by %.3g and %.3g", get_largest(coarse), get_largest(fine));
    lb_expect_near("order", get_largest(coarse) / get_largest(fine), 4.0, 0.1);
    for (int i = 0; i < INSTANTS * PER_INSTANT; ++i) {
        coarse[i] = (4 * fine[i] - coarse[i]) / 3;
    }
    print_message(", in the limit %.3g\n", get_largest(coarse));
    lb_expect_below("limit", get_largest(coarse), 1e-9);
}

// ---- sensors and wheels --------------------------------------------------------------------------

#define WHEELS                                                                                     \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: hub, hinge: {type: free}, mass: 10, inertia: [2, 3, 4, 0.1, 0.2, -0.1]}\n"         \
    "  - {name: wx, parent: hub, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 1,\n"             \
    "     inertia: [0.1, 0.06, 0.06, 0, 0, 0]}\n"                                                  \
    "  - {name: wy, parent: hub, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"             \
    "     inertia: [0.06, 0.1, 0.06, 0, 0, 0]}\n"                                                  \
    "  - {name: wz, parent: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"             \
    "     inertia: [0.06, 0.06, 0.1, 0, 0, 0]}\n"                                                  \
    "  - {name: ws, parent: hub, hinge: {type: revolute, axis: [0.6, 0, 0.8]}, mass: 1,\n"         \
    "     inertia: [0.0744, 0.06, 0.0856, 0, 0.0192, 0]}\n"                                        \
    "initial: {hub: {rotation: [0.8, 0.36, 0, 0.48]}}\n"                                           \
    "forces:\n"                                                                                    \
    "  - {name: mx, type: actuator, hinge: wx}\n"                                                  \
    "  - {name: my, type: actuator, hinge: wy}\n"                                                  \
    "  - {name: mz, type: actuator, hinge: wz}\n"                                                  \
    "  - {name: ms, type: actuator, hinge: ws}\n" EXACT

// x and z are shared between their wheels and the skew one.
#define WHEEL_GAINS                                                                                \
    "kp: [[40, 2, 0], [2, 50, 0], [0, 0, 60]], kd: 20,\n"                                          \
    "       distribution: [[-0.7, 0, 0.4], [0, -1, 0], [0.4, 0, -0.466666666666666667],\n"         \
    "                      [-0.5, 0, -0.666666666666666667]], desired: [0, 0, 0, 1]}}\n"

static const char by_node[] = WHEELS "controllers:\n"
                                     "  - {name: c, rate: 50, actuators: [mx, my, mz, ms],\n"
                                     "     law: {type: attitude, node: hub, " WHEEL_GAINS;
static const char by_sensors[] =
    WHEELS "controllers:\n"
           "  - {name: c, rate: 50, actuators: [mx, my, mz, ms],\n"
           "     sensors: [{name: gx, signal: hub.v.0}, {name: gy, signal: hub.v.1},\n"
           "       {name: gz, signal: hub.v.2}, {name: qw, signal: attitude(hub).w},\n"
           "       {name: qx, signal: attitude(hub).x}, {name: qy, signal: attitude(hub).y},\n"
           "       {name: qz, signal: attitude(hub).z}],\n"
           "     law: {type: attitude, attitude: [qw, qx, qy, qz], rate: [gx, gy, gz],\n"
           "       " WHEEL_GAINS;

static void get_momentum(const lb_course *course, double out[3])
{
    lb_system_motion motion;
    lb_work *work = lb_create_work(course->model);
    lb_expect_ok(lb_compute_kinematics(course->model, work, course->q, course->v, NULL));
    lb_expect_ok(lb_compute_system_motion(course->model, work, &motion));
    memcpy(out, motion.angular, sizeof motion.angular);
    lb_destroy_work(work);
}

static void wheels_turn_the_hub_and_keep_the_momentum(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(by_node), other = lb_begin_course(by_sensors);
    lb_start_course(&course);
    lb_start_course(&other);
    for (int k = 1; k <= 30; ++k) {
        lb_go_to(&course, k);
        lb_go_to(&other, k);
        double momentum[3] = {0};
        get_momentum(&course, momentum);
        for (int i = 0; i < 3; ++i) {
            lb_expect_below("angular momentum", momentum[i], 1e-11);
        }
        for (int i = 0; i < course.q_count; ++i) {
            lb_expect_below("named sensors", course.q[i] - other.q[i], 1e-10);
        }
    }
    // the target is half a turn about z, or the same turn written with the other sign
    const lb_node_motion m = lb_get_course_node(&course, "hub", "origin");
    lb_expect_near("attitude", fabs(m.rotation[3]), 1.0, 1e-6);
    for (int i = 0; i < course.v_count; ++i) {
        lb_expect_below("rest", course.v[i], 1e-4);
    }
    lb_end_course(&course);
    lb_end_course(&other);
}

// The law of `by_node` by calls, to the last bit.
static void a_law_that_is_built_does_the_same(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(by_node);
    lb_run_options run = lb_default_run_options();
    const double *q, *v;
    lb_expect_ok(lb_get_run_options(course.simulation, &run));
    run.duration = 2.0;
    run.interval = 0.1;
    lb_expect_ok(lb_set_run_options(course.simulation, &run));
    lb_simulation *built = lb_create_twin(course.model);
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_get_initial_state(course.simulation, &q, &v);
    lb_expect_ok(lb_set_initial_state(built, q, v));
    static const char *const names[][2] = {{"mx", "wx"}, {"my", "wy"}, {"mz", "wz"}, {"ms", "ws"}};
    lb_channel_options channels[4];
    for (int i = 0; i < 4; ++i) {
        const lb_force_options motor = lb_name_force(names[i][0], LB_FORCE_ACTUATOR, names[i][1]);
        lb_add_twin_force(built, &motor);
        channels[i] = lb_default_channel_options();
        channels[i].actuator = names[i][0];
    }
    const double kp[] = {40, 2, 0, 2, 50, 0, 0, 0, 60}, kd[] = {20, 0, 0, 0, 20, 0, 0, 0, 20};
    const double third = -0.466666666666666667, last = -0.666666666666666667;
    const double shares[] = {-0.7, 0, 0.4, 0, -1, 0, 0.4, 0, third, -0.5, 0, last};
    const double target[] = {0, 0, 0, 1};
    lb_attitude_options attitude = lb_default_attitude_options();
    attitude.node.body = "hub";
    attitude.kp = kp;
    attitude.kd = kd;
    attitude.distribution = shares;
    attitude.waypoint_count = 1;
    attitude.waypoints = target;
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_ATTITUDE;
    law.attitude = &attitude;
    lb_controller_options c = lb_default_controller_options();
    c.name = "c";
    c.rate = 50;
    c.channels = channels;
    c.channel_count = 4;
    c.law = &law;
    lb_expect_ok(lb_add_controller(built, &c, NULL));
    lb_expect_same_rows(course.simulation, built, 20);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// ---- matrices of gains ---------------------------------------------------------------------------

// Two masses that do not feel each other but for the law, sample by sample: a held force makes parabolas.
static void matrices_of_gains_couple_channels(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
        "  - {name: b, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 3}\n"
        "forces: [{name: fa, type: actuator, hinge: a}, {name: fb, type: actuator, hinge: b}]\n"
        "controllers:\n"
        "  - {name: c, rate: 20, actuators: [{actuator: fa, desired: 1}, {actuator: fb, desired: "
        "-2}],\n"
        "     law: {type: pid, kp: [[20, 3], [-4, 30]], kd: [[8, 1], [0, 9]], ki: [[2, 1], [0.5, "
        "3]],\n"
        "       inertia: 1, integral_limit: [0.7, 100]}}\n" EXACT;
    const double kp[2][2] = {{20, 3}, {-4, 30}}, kd[2][2] = {{8, 1}, {0, 9}};
    const double ki[2][2] = {{2, 1}, {0.5, 3}}, m[2] = {2, 3}, desired[2] = {1, -2}, h = 0.05;
    double x[2] = {0}, v[2] = {0}, sum[2] = {0};
    lb_course course = lb_begin_course(text);
    lb_start_course(&course);
    for (int k = 0; k < 100; ++k) {
        double u[2];
        for (int i = 0; i < 2; ++i) {
            u[i] = 0;
            for (int j = 0; j < 2; ++j) {
                u[i] += kp[i][j] * (desired[j] - x[j]) - kd[i][j] * v[j];
                sum[i] += ki[i][j] * (desired[j] - x[j]) * h;
            }
            sum[i] = i == 0 ? fmin(0.7, fmax(-0.7, sum[i])) : sum[i];
        }
        for (int i = 0; i < 2; ++i) {
            const double a = (u[i] + sum[i]) / m[i];
            x[i] += h * v[i] + 0.5 * a * h * h;
            v[i] += h * a;
        }
        lb_go_to(&course, h * (k + 1));
        for (int i = 0; i < 2; ++i) {
            lb_expect_below("position", course.q[i] - x[i], 1e-11);
            lb_expect_below("speed", course.v[i] - v[i], 1e-11);
        }
    }
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poles_are_those_of_a_damped_oscillator),
        cmocka_unit_test(turns_are_large_and_take_the_shorter_way),
        cmocka_unit_test(nothing_is_done_before_an_attitude_arrives),
        cmocka_unit_test(a_slew_with_feed_forward_is_followed),
        cmocka_unit_test(wheels_turn_the_hub_and_keep_the_momentum),
        cmocka_unit_test(a_law_that_is_built_does_the_same),
        cmocka_unit_test(matrices_of_gains_couple_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
