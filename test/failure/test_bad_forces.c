// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces, functions of time and signals that only a program can get wrong: readers of files look at types and numbers
// first. What files can get wrong is in test/failure/cases/simulation.
#include <math.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/forces.h"
#include "simulate/forces/force_set.h"
#include "simulate/signals/signals.h"

static const char text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [0, 0, "
    "1]}}\n"
    "  - {name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n";

static int load_model(void **state)
{
    lb_model *model = NULL;
    lb_expect_ok(lb_load_model_text(text, strlen(text), "x", LB_FORMAT_YAML, NULL, NULL, &model));
    *state = model;
    return 0;
}

static int destroy_model(void **state)
{
    lb_destroy_model(*state);
    return 0;
}

// One error and nothing else, which has no line.
static void expect_one(const lb_heard *heard, const char *path, const char *message)
{
    if (heard->count != 1 || heard->entries[0].line != 0 ||
        strcmp(heard->entries[0].path, path) != 0 || !strstr(heard->entries[0].message, message)) {
        lb_print_heard(heard);
        fail_msg("expected %s: %s", path, message);
    }
}

static void expect_force(void *const *state, const lb_force_options *force, const char *path,
                         const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_forces *forces;
    int index = -1;
    lb_expect_ok(lb_create_forces(*state, NULL, &report, &forces));
    assert_int_equal(lb_add_force(forces, force, &index), LB_E_MODEL);
    assert_int_equal(index, 0);
    expect_one(&heard, path, message);
    lb_destroy_forces(forces);
}

#define FORCE(kind, path, message, ...)                                                            \
    do {                                                                                           \
        lb_force_options o = lb_default_force_options();                                           \
        o.name = "a";                                                                              \
        o.type = LB_FORCE_##kind;                                                                  \
        o.hinge = o.type == LB_FORCE_FORCE ? NULL : "arm";                                         \
        o.stiffness = o.type == LB_FORCE_STOP ? 1.0 : o.stiffness;                                 \
        __VA_ARGS__;                                                                               \
        expect_force(state, &o, "forces[0]" path, message);                                        \
    } while (0)

static void of_forces(void **state)
{
    const lb_function_options zeros[3] = {lb_constant_function(0.0), lb_constant_function(0.0),
                                          lb_constant_function(0.0)};
    FORCE(DAMPER, ".name", "an empty name", o.name = NULL);
    FORCE(DAMPER, ".type", "11 is no type of force", o.type = LB_FORCE_TYPE_COUNT);
    FORCE(DAMPER, ".hinge", "there is no body", o.hinge = NULL);
    FORCE(DAMPER, ".damping", "not below zero", o.damping = NAN);
    FORCE(DAMPER, ".damping", "expected a finite number", o.damping = INFINITY);
    FORCE(DAMPER, ".between[0]", "no node given", o.between[1].body = "ball");
    FORCE(FORCE, ".at", "no node given", o.values = zeros, o.value_count = 3);
    FORCE(FORCE, ".axes", "are no axes", o.values = zeros, o.value_count = 3, o.at.body = "arm",
          o.axes = (lb_axes)7);
    FORCE(STOP, ".upper", "expected more than lower", o.lower = 1.0, o.upper = NAN);
    FORCE(MOTOR, ".value", "0 values given, expected a list of 1", o.value_count = 1);
    FORCE(MOTOR, ".limits", "with zero between", o.values = zeros, o.value_count = 1, o.low = NAN);
}

#define FUNCTION(kind, path, message, ...)                                                         \
    do {                                                                                           \
        lb_function_options f = {.size = sizeof f, .type = LB_FUNCTION_##kind};                    \
        __VA_ARGS__;                                                                               \
        FORCE(MOTOR, ".value" path, message, o.values = &f, o.value_count = 1);                    \
    } while (0)

static void of_functions(void **state)
{
    static const double two[2] = {0, 1}, times[] = {0.0, NAN}, endless[] = {1.0, INFINITY};
    FUNCTION(SINE, ".sine.offset", "finite", f.offset = NAN);
    FUNCTION(SINE, ".sine.phase", "finite", f.phase = NAN);
    FUNCTION(SINE, ".sine.rate", "finite", f.rate = INFINITY);
    FUNCTION(PULSE, ".pulse.width", "expected a positive time", f.width = INFINITY);
    FUNCTION(PULSE, ".pulse.rise", "expected from 0 to half the width", f.width = 1, f.rise = -1);
    FUNCTION(PULSE, ".pulse.period", "at least the width", f.width = 1, f.period = INFINITY);
    FUNCTION(TABLE, ".table", "expected 2 to 1000000", f.times = f.values = two,
             f.point_count = 2000000);
    FUNCTION(TABLE, ".table", "expected times and values", f.times = two, f.point_count = 2);
    FUNCTION(TABLE, ".interpolation", "99 is no interpolation", f.times = f.values = two,
             f.point_count = 2, f.interpolation = (lb_interpolation)99);
    FUNCTION(PIECES, ".pieces", "expected 1 to 1000000", f.piece_count = 2000000);
    FUNCTION(PIECES, ".pieces[0].coefficients", "21 coefficients given, expected 1 to 20",
             f.piece_count = 1, f.coefficient_count = 21);
    FUNCTION(PIECES, ".pieces", "expected starts and coefficients", f.starts = two,
             f.piece_count = f.coefficient_count = 1);
    FUNCTION(PIECES, ".pieces", "expected starts and coefficients", f.coefficients = two,
             f.piece_count = f.coefficient_count = 1);
    FUNCTION(CONSTANT, "", "inf, expected a finite number", f.value = INFINITY);
    FUNCTION(EXPRESSION, "", "ends where a value is expected", (void)0);
    FUNCTION(TABLE, ".table", "expected times and values", f.point_count = 2);
    FUNCTION(TABLE, ".table[1][0]", "expected a finite number", f.times = times, f.values = two,
             f.point_count = 2);
    FUNCTION(TABLE, ".table[1][1]", "expected a finite number", f.times = two, f.values = endless,
             f.point_count = 2);
    FUNCTION(SINE, ".sine.rate", "expected a finite number", f.rate = NAN);
    FUNCTION(TYPE_COUNT, "", "no type of function", (void)0);
    FUNCTION(PULSE, ".pulse.period", "at least the width", f.width = 1, f.period = NAN);
    FUNCTION(PIECES, ".pieces[0].coefficients[0]", "expected a finite number", f.starts = two,
             f.coefficients = endless + 1, f.piece_count = f.coefficient_count = 1);
}

static int read_nothing(void *user, const lb_instant *instant, double *value)
{
    (void)user, (void)instant;
    *value = 0.0;
    return 0;
}

// It is added to a list that has a signal "first".
static void expect_signal(void *const *state, const lb_signal_options *signal, const char *path,
                          const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_signals *signals;
    lb_signal_options first = lb_default_signal_options();
    int index = -1;
    first.name = "first";
    first.expression = "t";
    lb_expect_ok(lb_create_signals(*state, NULL, &report, &signals));
    lb_expect_ok(lb_add_signal(signals, &first, NULL));
    assert_int_equal(lb_add_signal(signals, signal, &index), LB_E_MODEL);
    assert_int_equal(index, 1);
    expect_one(&heard, path, message);
    lb_destroy_signals(signals);
}

static void of_signals(void **state)
{
#define SIGNAL(path, message, ...)                                                                 \
    do {                                                                                           \
        lb_signal_options o = lb_default_signal_options();                                         \
        o.name = "a";                                                                              \
        o.expression = "1";                                                                        \
        __VA_ARGS__;                                                                               \
        expect_signal(state, &o, path, message);                                                   \
    } while (0)
    SIGNAL("signals", "letters, digits and underscores", o.name = NULL);
    SIGNAL("signals.a", "either an expression or a callback", o.expression = NULL);
    SIGNAL("signals.a", "either an expression or a callback", o.callback = read_nothing);
    SIGNAL("signals.a", "5 is no stage", o.expression = NULL, o.callback = read_nothing,
           o.stage = (lb_signal_stage)5);
    SIGNAL("signals.first", "a signal \"first\" already", o.name = "first");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_forces),
        cmocka_unit_test(of_functions),
        cmocka_unit_test(of_signals),
    };
    return cmocka_run_group_tests(tests, load_model, destroy_model);
}
