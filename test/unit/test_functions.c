// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time, seen through the motion of a driven slider and the force of a motor.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "simulate/forces/force_set.h"

// A slider whose position is given, beside one that a motor pulls.
static lb_rig begin(const char *function)
{
    char text[1024];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies:\n"
             "  - {name: a, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
             "  - {name: b, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
             "forces:\n"
             "  - {name: drive, type: motion, hinge: a, position: %s}\n"
             "  - {name: pull, type: motor, hinge: b, value: %s}\n",
             function, function);
    return lb_begin_rig(text, NULL);
}

// Position, speed and acceleration at a time; the motor's force is the position.
static void read_at(lb_rig *rig, double t, double x[3])
{
    lb_expect_ok(lb_set_driven_state(rig->forces, rig->model, t, rig->q, rig->v));
    lb_expect_ok(lb_evaluate_rig(rig, t));
    x[0] = rig->q[0];
    x[1] = rig->v[0];
    x[2] = rig->a[0];
    assert_true(rig->driven[0] && !rig->driven[1]);
    assert_true(x[0] == rig->tau[1]);
}

static void expect_at(lb_rig *rig, double t, double x, double v, double a)
{
    double out[3];
    const double expected[3] = {x, v, a};
    read_at(rig, t, out);
    lb_expect_within("position, speed, acceleration", out, expected, 3, 1e-12);
}

// Rates against differences at times away from the breaks.
static void expect_smooth(lb_rig *rig, const double *times, int count)
{
    for (int i = 0; i < count; ++i) {
        // second order: h^2 f''' / 6 and eps / h, both below 1e-8 for functions of size 1
        const double h = 1e-5;
        double x[3], before[3], after[3];
        read_at(rig, times[i], x);
        read_at(rig, times[i] - h, before);
        read_at(rig, times[i] + h, after);
        lb_expect_below("speed", x[1] - (after[0] - before[0]) / (2.0 * h), 1e-7);
        lb_expect_below("acceleration", x[2] - (after[1] - before[1]) / (2.0 * h), 1e-7);
    }
}

static void constants_stay(void **state)
{
    (void)state;
    lb_rig rig = begin("0.25");
    expect_at(&rig, 0.0, 0.25, 0.0, 0.0);
    expect_at(&rig, 7.0, 0.25, 0.0, 0.0);
    lb_end_rig(&rig);
}

static void cubic_tables_pass_through_their_points(void **state)
{
    (void)state;
    const double times[] = {0.3, 0.9, 1.4, 1.6, 2.9};
    for (int rest = 0; rest < 2; ++rest) {
        char text[160];
        snprintf(text, sizeof text,
                 "{table: [[0, 0.5], [1, 1], [1.5, -1], [3, 0]], interpolation: cubic%s}",
                 rest ? ", ends: rest" : "");
        lb_rig rig = begin(text);
        const double t[] = {0, 1, 1.5, 3}, x[] = {0.5, 1, -1, 0};
        for (int i = 0; i < 4; ++i) {
            double out[3];
            read_at(&rig, t[i], out);
            lb_expect_below("point", out[0] - x[i], 1e-14);
        }
        expect_smooth(&rig, times, 5);
        // two continuous derivatives inside; the ends as asked for
        for (int i = 1; i < 3; ++i) {
            double left[3], right[3];
            read_at(&rig, t[i] - 1e-9, left);
            read_at(&rig, t[i] + 1e-9, right);
            lb_expect_within("both sides", left, right, 3, 1e-6);
        }
        double out[3];
        read_at(&rig, 0.0, out);
        lb_expect_below("end", rest ? out[1] : out[2], 1e-13);
        read_at(&rig, 3.0 - 1e-12, out);
        lb_expect_below("end", rest ? out[1] : out[2], 1e-9);
        // held outside
        expect_at(&rig, -1.0, 0.5, 0.0, 0.0);
        expect_at(&rig, 9.0, 0.0, 0.0, 0.0);
        lb_end_rig(&rig);
    }
}

static void pieces_are_polynomials_from_their_start(void **state)
{
    (void)state;
    // 0.5 t^2 until 1, on at speed 1 until 2, then to rest at 3
    lb_rig rig = begin("{pieces: [{from: 0, coefficients: [0, 0, 0.5]}, {from: 1, coefficients: "
                       "[0.5, 1]}, {from: 2, coefficients: [1.5, 1, -0.5]}], until: 3}");
    expect_at(&rig, -1.0, 0.0, 0.0, 0.0);
    expect_at(&rig, 0.5, 0.125, 0.5, 1.0);
    expect_at(&rig, 1.0, 0.5, 1.0, 0.0);
    expect_at(&rig, 2.5, 1.5 + 0.5 - 0.125, 0.5, -1.0);
    expect_at(&rig, 4.0, 2.0, 0.0, 0.0);
    assert_true(lb_get_next_break(rig.forces, -1.0) == 0.0);
    assert_true(lb_get_next_break(rig.forces, 0.0) == 1.0);
    assert_true(lb_get_next_break(rig.forces, 2.5) == 3.0);
    assert_true(isinf(lb_get_next_break(rig.forces, 3.0)));
    lb_end_rig(&rig);
}

static void sines_have_frequency_phase_and_offset(void **state)
{
    (void)state;
    const double w = 2.0 * acos(-1.0) * 1.5, p = acos(-1.0) / 6.0;
    lb_rig rig = begin("{sine: {amplitude: 2, frequency: 1.5, phase: 30 deg, offset: 1}}");
    for (double t = 0; t < 2; t += 0.37) {
        expect_at(&rig, t, 1.0 + 2.0 * sin(w * t + p), 2.0 * w * cos(w * t + p),
                  -2.0 * w * w * sin(w * t + p));
    }
    lb_end_rig(&rig);
    rig = begin("{sine: {amplitude: 1, rate: 3}}");
    expect_at(&rig, 0.4, sin(1.2), 3.0 * cos(1.2), -9.0 * sin(1.2));
    lb_end_rig(&rig);
}

static void pulses_rise_hold_and_repeat(void **state)
{
    (void)state;
    lb_rig rig = begin("{pulse: {value: 2, start: 1, width: 3, rise: 1, period: 5}}");
    expect_at(&rig, 0.5, 0.0, 0.0, 0.0);
    expect_at(&rig, 1.5, 1.0, 2.0 * 1.875, 0.0); // 30/16 at the middle of a rise
    expect_at(&rig, 2.5, 2.0, 0.0, 0.0);
    expect_at(&rig, 3.5, 1.0, -2.0 * 1.875, 0.0);
    expect_at(&rig, 4.5, 0.0, 0.0, 0.0);
    expect_at(&rig, 12.5, 2.0, 0.0, 0.0);
    const double times[] = {1.2, 1.9, 3.1, 3.7, 6.3};
    expect_smooth(&rig, times, 5);
    const double breaks[] = {1, 2, 3, 4, 6, 7, 8, 9, 11};
    double t = -3.0;
    for (int i = 0; i < 9; ++i) {
        t = lb_get_next_break(rig.forces, t);
        lb_expect_near("break", t, breaks[i], 1e-15);
    }
    lb_end_rig(&rig);
}

static void forces_may_jump(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(
        "limber: 1\n"
        "bodies: [{name: a, mass: 1, hinge: {type: translational}}]\n"
        "forces:\n"
        "  - {name: x, type: motor, hinge: a.0, value: {table: [[0, 1], [2, 3]]}}\n"
        "  - {name: y, type: motor, hinge: a.1, value: {table: [[0, 1], [2, 3]], "
        "interpolation: steps}}\n"
        "  - {name: z, type: motor, hinge: a.2, value: {pulse: {value: 7, width: 1}}}\n",
        NULL);
    const double t[] = {-1, 0, 0.5, 1, 1.9, 2, 5};
    const double expected[][3] = {{1, 1, 0},   {1, 1, 7}, {1.5, 1, 7}, {2, 1, 0},
                                  {2.9, 1, 0}, {3, 3, 0}, {3, 3, 0}};
    for (int i = 0; i < 7; ++i) {
        lb_expect_ok(lb_evaluate_rig(&rig, t[i]));
        lb_expect_within("tau", rig.tau, expected[i], 3, 1e-15);
    }
    lb_end_rig(&rig);
}

static void expressions_of_time_drive(void **state)
{
    (void)state;
    lb_rig rig = begin("t^3 - 2*sin(t) + 30 deg");
    for (double t = 0; t < 2; t += 0.6) {
        expect_at(&rig, t, t * t * t - 2.0 * sin(t) + acos(-1.0) / 6.0, 3.0 * t * t - 2.0 * cos(t),
                  6.0 * t + 2.0 * sin(t));
    }
    lb_end_rig(&rig);
}

// At each of its breaks a pulse has jumped already, whatever rounding makes of sums of decimal numbers; just
// before it, not yet.
static void pulses_jump_at_their_breaks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{pulse: {value: 1, start: 0.2, width: 0.5}}",
        "{pulse: {value: 1, start: 0.1, width: 0.3, period: 0.7}}",
        "{pulse: {value: 1, start: 0.3, width: 0.01, period: 0.1}}",
        "{pulse: {value: 1, width: 1.0e-4, period: 3.0e-4}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: b, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
                 "forces: [{name: pull, type: motor, hinge: b, value: %s}]\n",
                 texts[i]);
        lb_rig rig = lb_begin_rig(text, NULL);
        double t = 0.0, before = 0.0;
        lb_expect_ok(lb_evaluate_rig(&rig, t));
        before = rig.tau[0];
        int breaks = 0;
        for (; breaks < 1000; ++breaks) {
            t = lb_get_next_break(rig.forces, t);
            if (!isfinite(t)) {
                break;
            }
            lb_expect_ok(lb_evaluate_rig(&rig, nextafter(t, 0.0)));
            assert_true(rig.tau[0] == before);
            lb_expect_ok(lb_evaluate_rig(&rig, t));
            assert_true(rig.tau[0] == 1.0 - before);
            before = rig.tau[0];
        }
        assert_int_equal(breaks, i == 0 ? 2 : 1000);
        lb_end_rig(&rig);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_stay),
        cmocka_unit_test(cubic_tables_pass_through_their_points),
        cmocka_unit_test(pieces_are_polynomials_from_their_start),
        cmocka_unit_test(sines_have_frequency_phase_and_offset),
        cmocka_unit_test(pulses_rise_hold_and_repeat),
        cmocka_unit_test(pulses_jump_at_their_breaks),
        cmocka_unit_test(forces_may_jump),
        cmocka_unit_test(expressions_of_time_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
