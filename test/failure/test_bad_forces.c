// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals and forces that are wrong: each mistake has its place and its message. Memory that runs
// out while they are loaded.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/forces.h"

// Eight lines; what is tested starts on the ninth.
#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"                                            \
    "bodies:\n"                                                                                    \
    "  - {name: arm, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: "         \
    "[0, 0, 1]}}\n"                                                                                \
    "  - {name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n"                \
    "  - {name: slide, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: cylindrical, axis: "    \
    "[0, 0, 1]}}\n"                                                                                \
    "  - {name: stuck, mass: 1, hinge: {type: fixed}}\n"                                           \
    "# here:\n"

static lb_status load(const char *text, const lb_load_options *options, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_forces *forces = NULL;
    lb_status status = lb_load_document_text(text, strlen(text), "bad.yaml", LB_FORMAT_YAML,
                                             options, &report, &document);
    if (status == LB_OK) {
        status = lb_load_document_model(document, &report, &model);
    }
    if (status == LB_OK) {
        status = lb_load_forces(document, model, &report, &forces);
        assert_true((status == LB_OK) == (forces != NULL));
    }
    lb_destroy_forces(forces);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return status;
}

typedef struct bad_case {
    const char *text; // one line, the ninth
    int column;
    const char *path, *part; // of the message
} bad_case;

static void expect_refused(const bad_case *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        char text[4096];
        snprintf(text, sizeof text, MODEL "%s\n", cases[i].text);
        lb_heard heard = {.count = 0};
        const lb_status status = load(text, NULL, &heard);
        const lb_heard_entry *entry = &heard.entries[0];
        if (status != LB_E_MODEL || heard.error_count != 1 || entry->line != 9 ||
            entry->column != cases[i].column || strcmp(entry->path, cases[i].path) != 0 ||
            !strstr(entry->message, cases[i].part)) {
            printf("%s\n", cases[i].text);
            lb_print_heard(&heard);
            fail_msg("status %d, expected 9:%d: %s: %s", status, cases[i].column, cases[i].path,
                     cases[i].part);
        }
    }
}

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static void signals_are_refused(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"signals: [1]", 10, "signals", "expected a mapping"},
        {"signals: {two words: 1}", 22, "signals.two words", "letters, digits and underscores"},
        {"signals: {sin: 1}", 16, "signals.sin", "has a meaning already"},
        {"signals: {arm: 1}", 16, "signals.arm", "is a body"},
        {"signals: {a: [1]}", 14, "signals.a", "expected a number or an expression"},
        {"signals: {a: {value: [1]}}", 22, "signals.a.value", "expected a number or an expression"},
        {"signals: {a: {unit: m}}", 14, "signals.a", "expected a number or an expression"},
        {"signals: {a: {value: 1, unit: 3}}", 31, "signals.a.unit", "expected a text such as MPa"},
        {"signals: {a: {value: 1, uint: m}}", 25, "signals.a.uint", "unknown key"},
        {"signals: {a: b, b: 1}", 14, "signals.a", "no signal \"b\" is defined above"},
        {"signals: {a: a}", 14, "signals.a", "no signal \"a\" is defined above"},
        {"signals: {a: arm.angel}", 14, "signals.a", "unknown quantity \"angel\""},
        {"signals: {a: 1/0}", 14, "signals.a", "the value is infinite"},
        {"signals: {a: sqrt(-1) + 1}", 14, "signals.a", "the value is not a number"},
    };
    expect_refused(cases, COUNT(cases));
}

static void hinge_elements_are_refused(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"forces: {a: 1}", 9, "forces", "expected a list"},
        {"forces: [1]", 10, "forces[0]", "expected a force"},
        {"forces: [{type: damper, hinge: arm, damping: 1}]", 10, "forces[0].name", "missing"},
        {"forces: [{name: '', type: damper, hinge: arm, damping: 1}]", 17, "forces[0].name",
         "an empty name"},
        {"forces: [{name: a}]", 10, "forces[0].type", "missing"},
        {"forces: [{name: a, type: sprung}]", 26, "forces[0].type", "did you mean \"spring\""},
        {"forces: [{name: a, type: damper, hinge: arm, damping: 1}, {name: a, type: damper, hinge: "
         "arm, damping: 1}]",
         66, "forces[1].name", "taken by forces[0]"},
        {"forces: [{name: a, type: damper, hinge: arm, damping: 1, rest: 2}]", 58, "forces[0].rest",
         "unknown key \"rest\""},
        {"forces: [{name: a, type: damper, hinge: arm, damping: 1, enabled: 1}]", 67,
         "forces[0].enabled", "expected true or false"},
        {"forces: [{name: a, type: damper, damping: 1}]", 10, "forces[0].hinge", "missing"},
        {"forces: [{name: a, type: damper, hinge: leg, damping: 1}]", 41, "forces[0].hinge",
         "no body \"leg\""},
        {"forces: [{name: a, type: damper, hinge: ground, damping: 1}]", 41, "forces[0].hinge",
         "no body \"ground\""},
        {"forces: [{name: a, type: damper, hinge: arm.1, damping: 1}]", 41, "forces[0].hinge",
         "no speed 1"},
        {"forces: [{name: a, type: damper, hinge: stuck, damping: 1}]", 41, "forces[0].hinge",
         "is fixed"},
        {"forces: [{name: a, type: damper, hinge: slide, damping: 1}]", 41, "forces[0].hinge",
         "say which one, as slide.0"},
        {"forces: [{name: a, type: damper, hinge: arm, damping: -1}]", 55, "forces[0].damping",
         "not below zero"},
        {"forces: [{name: a, type: spring, hinge: ball.4, stiffness: 1}]", 41, "forces[0].hinge",
         "a free hinge has no coordinate"},
        {"forces: [{name: a, type: spring, hinge: arm, stiffness: 1, rest: 45 grad}]", 66,
         "forces[0].rest", "radians, or an angle such as 45 deg"},
        {"forces: [{name: a, type: friction, hinge: arm, coulomb: 1, speed: 0}]", 67,
         "forces[0].speed", "above zero"},
        {"forces: [{name: a, type: friction, hinge: arm, coulomb: 1, static: 0}]", 68,
         "forces[0].static", "above zero"},
        {"forces: [{name: a, type: friction, hinge: arm, coulomb: 1, static: 0.5}]", 68,
         "forces[0].static", "at least \"coulomb\""},
        {"forces: [{name: a, type: friction, hinge: arm, coulomb: 1, static: 2, speed: 1}]", 68,
         "forces[0].static", "leave one of them out"},
        {"forces: [{name: a, type: stop, hinge: arm, stiffness: 1}]", 10, "forces[0]",
         "\"lower\", \"upper\" or both"},
        {"forces: [{name: a, type: stop, hinge: arm, lower: 2, upper: 1, stiffness: 1}]", 61,
         "forces[0].upper", "expected more than lower"},
        {"forces: [{name: a, type: motor, hinge: arm}]", 10, "forces[0].value", "missing"},
        {"forces: [{name: a, type: motor, hinge: arm, value: 1, limits: [1, 2]}]", 63,
         "forces[0].limits", "with zero between"},
        {"forces: [{name: a, type: motor, hinge: arm, value: 1, max_speed: 2}]", 66,
         "forces[0].max_speed", "needs \"limits\""},
        {"forces: [{name: a, type: motor, hinge: arm, value: arm.a.0}]", 52, "forces[0].value",
         "accelerations follow from forces"},
        {"forces: [{name: a, type: motor, hinge: arm, value: true}]", 52, "forces[0].value",
         "expected a number, an expression"},
        {"forces: [{name: a, type: motor, hinge: arm, value: 2*trust}]", 52, "forces[0].value",
         "no signal \"trust\" (character 3)"},
    };
    expect_refused(cases, COUNT(cases));
}

static void motions_are_refused(void **state)
{
    (void)state;
#define MOTION "forces: [{name: a, type: motion, hinge: arm, "
    static const bad_case cases[] = {
        {MOTION "}]", 10, "forces[0]", "exactly one of position, speed, acceleration"},
        {MOTION "speed: 1, position: 2}]", 10, "forces[0]", "exactly one of"},
        {MOTION "position: [1, 2]}]", 56, "forces[0].position",
         "2 values given, expected a list of 1"},
        {"forces: [{name: a, type: motion, hinge: slide, position: 1}]", 58, "forces[0].position",
         "1 value given, expected a list of 2"},
        {"forces: [{name: a, type: motion, hinge: slide.0, position: 1}]", 41, "forces[0].hinge",
         "drives the whole hinge"},
        {"forces: [{name: a, type: motion, hinge: ball, position: 1}]", 41, "forces[0].hinge",
         "a free hinge has no coordinate"},
        {MOTION "position: 1}, {name: b, type: motion, hinge: arm, speed: 2}]", 91,
         "forces[1].hinge", "driven by forces[0] already"},
        {MOTION "position: arm.rate}]", 56, "forces[0].position", "a function of t alone"},
        {MOTION "position: {table: [[0, 0], [1, 1], [2, 0]]}}]", 56, "forces[0].position",
         "must have no kinks: interpolation: cubic helps"},
        {MOTION "speed: {table: [[0, 0], [1, 1], [2, 0]], interpolation: steps}}]", 53,
         "forces[0].speed", "must have no jumps"},
        {MOTION "speed: {pulse: {value: 1, width: 1}}}]", 53, "forces[0].speed", "a rise helps"},
        {MOTION "position: {pieces: [{from: 0, coefficients: [0, 1]}, {from: 1, coefficients: "
                "[2]}]}}]",
         56, "forces[0].position", "must have no jumps: make the pieces meet"},
    };
#undef MOTION
    expect_refused(cases, COUNT(cases));
}

static void functions_are_refused(void **state)
{
    (void)state;
#define MOTOR "forces: [{name: a, type: motor, hinge: arm, value: {"
    static const bad_case cases[] = {
        {MOTOR "}}]", 52, "forces[0].value", "one of the keys table, pieces, sine, pulse"},
        {MOTOR "table: [[0, 1], [1, 2]], sine: {}}}]", 78, "forces[0].value.sine", "unknown key"},
        {MOTOR "table: [[0, 1]]}}]", 60, "forces[0].value.table", "1 points given, expected 2"},
        {MOTOR "table: [[0, 1], [0, 2]]}}]", 70, "forces[0].value.table[1][0]", "a later one"},
        {MOTOR "table: [[0, 1], [1]]}}]", 69, "forces[0].value.table[1]", "a time and a value"},
        {MOTOR "table: [[0, 1], [1, 45 deg]]}}]", 73, "forces[0].value.table[1][1]",
         "finite number as in JSON"},
        {MOTOR "table: [[0, 1], [1, 2]], ends: rest}}]", 78, "forces[0].value.ends",
         "is for interpolation: cubic"},
        {MOTOR "pieces: []}}]", 61, "forces[0].value.pieces", "0 pieces given"},
        {MOTOR "pieces: [{from: 1, coefficients: [1]}, {from: 0, coefficients: [1]}]}}]", 99,
         "forces[0].value.pieces[1].from", "a later one"},
        {MOTOR "pieces: [{from: 1, coefficients: []}]}}]", 86,
         "forces[0].value.pieces[0].coefficients", "0 coefficients given"},
        {MOTOR "pieces: [{from: 1, coefficients: [1]}], until: 1}}]", 100, "forces[0].value.until",
         "after the last piece starts"},
        {MOTOR "sine: {amplitude: 1}}}]", 59, "forces[0].value.sine", "either \"frequency\""},
        {MOTOR "sine: {amplitude: 1, frequency: 1, rate: 1}}}]", 59, "forces[0].value.sine",
         "either \"frequency\""},
        {MOTOR "pulse: {value: 1, width: 0}}}]", 78, "forces[0].value.pulse.width",
         "a positive time"},
        {MOTOR "pulse: {value: 1, width: 1, rise: 0.6}}}]", 87, "forces[0].value.pulse.rise",
         "half the width"},
        {MOTOR "pulse: {value: 1, width: 1, period: 0.5}}}]", 89, "forces[0].value.pulse.period",
         "at least the width"},
    };
#undef MOTOR
    expect_refused(cases, COUNT(cases));
}

static void node_elements_are_refused(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"forces: [{name: a, type: force, value: [1, 2, 3]}]", 10, "forces[0].at", "missing"},
        {"forces: [{name: a, type: force, at: arm, value: 1}]", 49, "forces[0].value",
         "1 value given, expected a list of 3"},
        {"forces: [{name: a, type: force, at: arm, value: [1, 2]}]", 49, "forces[0].value",
         "2 values given"},
        {"forces: [{name: a, type: force, at: 7, value: [1, 2, 3]}]", 37, "forces[0].at",
         "expected a node"},
        {"forces: [{name: a, type: force, at: leg, value: [1, 2, 3]}]", 37, "forces[0].at",
         "no body \"leg\""},
        {"forces: [{name: a, type: force, at: arm/tip, value: [1, 2, 3]}]", 37, "forces[0].at",
         "arm has no node \"tip\""},
        {"forces: [{name: a, type: force, at: arm.tip, value: [1, 2, 3]}]", 37, "forces[0].at",
         "such as panel/n1"},
        {"forces: [{name: a, type: force, at: {body: leg}, value: [1, 2, 3]}]", 44,
         "forces[0].at.body", "no body \"leg\""},
        {"forces: [{name: a, type: force, at: {body: arm, node: tip}, value: [1, 2, 3]}]", 55,
         "forces[0].at.node", "no node \"tip\""},
        {"forces: [{name: a, type: torque, at: arm, axes: local, value: [1, 2, 3]}]", 49,
         "forces[0].axes", "unknown axes \"local\""},
        {"forces: [{name: a, type: spring, between: [arm], stiffness: 1}]", 43, "forces[0].between",
         "1 nodes given, expected 2"},
        {"forces: [{name: a, type: spring, between: [arm, arm/origin], stiffness: 1}]", 43,
         "forces[0].between", "twice the same node"},
        {"forces: [{name: a, type: spring, between: [arm, ball], stiffness: 1, rest: 1}]", 70,
         "forces[0].rest", "unknown key"},
        {"forces: [{name: a, type: spring, between: [arm, ball], stiffness: 1, length: -1}]", 78,
         "forces[0].length", "not below zero"},
        {"forces: [{name: a, type: gravity-point, mu: 0}]", 45, "forces[0].mu", "above zero"},
        {"forces: [{name: a, type: gravity-point, mu: 1, j2: 0.1, radius: 0}]", 65,
         "forces[0].radius", "above zero"},
        {"forces: [{name: a, type: gravity-point, mu: 1, axis: [0, 0, 0]}]", 54, "forces[0].axis",
         "expected a direction"},
        {"forces: [{name: a, type: gravity-point, mu: 1, position: [1, 2]}]", 58,
         "forces[0].position", "2 entries given"},
    };
    expect_refused(cases, COUNT(cases));
}

static void expressions_that_grow_too_large_are_refused(void **state)
{
    (void)state;
    // nested powers: each derivative is several times as long
    lb_heard heard = {.count = 0};
    const char *text = MODEL "forces: [{name: a, type: motion, hinge: arm, position: "
                             "(((((((((t^t)^t)^t)^t)^t)^t)^t)^t)^t)^t}]\n";
    assert_int_equal(load(text, NULL, &heard), LB_E_MODEL);
    assert_non_null(strstr(heard.entries[0].message, "too long or too deep"));
    // and a sum of very many
    char *sum = malloc(32768);
    assert_non_null(sum);
    size_t used = (size_t)snprintf(sum, 32768, "%ssignals: {a: t", MODEL);
    for (int i = 0; i < 3000; ++i) {
        used += (size_t)snprintf(sum + used, 32768 - used, "+t");
    }
    snprintf(sum + used, 32768 - used, "}\n");
    heard.count = 0;
    assert_int_equal(load(sum, NULL, &heard), LB_E_MODEL);
    free(sum);
}

// ---- programs ----------------------------------------------------------------------------------

// What a file cannot say, but a program can.
typedef struct bad_options {
    lb_force_options force;
    const char *path, *part;
} bad_options;

static lb_model *load_model(void)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_expect_ok(lb_load_document_text(MODEL, strlen(MODEL), "good.yaml", LB_FORMAT_YAML, NULL,
                                       NULL, &document));
    lb_expect_ok(lb_load_document_model(document, NULL, &model));
    lb_destroy_document(document);
    return model;
}

static void options_of_programs_are_refused(void **state)
{
    (void)state;
    static const double times[] = {0.0, NAN}, values[] = {1.0, 2.0}, endless[] = {1.0, INFINITY};
    lb_model *model = load_model();
    lb_function_options f[10];
    for (int i = 0; i < 10; ++i) {
        f[i] = lb_default_function_options();
    }
    f[0].value = INFINITY;
    f[1].type = LB_FUNCTION_EXPRESSION; // without one
    f[2].type = LB_FUNCTION_TABLE;
    f[2].point_count = 2;
    f[3] = f[2];
    f[3].times = times;
    f[3].values = values;
    f[4] = f[3];
    f[4].times = values;
    f[4].values = endless;
    f[5].type = LB_FUNCTION_PIECES;
    f[5].piece_count = 1;
    f[5].coefficient_count = 21;
    f[6].type = LB_FUNCTION_SINE;
    f[6].rate = NAN;
    f[7].type = LB_FUNCTION_TYPE_COUNT;
    f[8].type = LB_FUNCTION_PULSE;
    f[8].width = 1.0;
    f[8].period = NAN;
    f[9].type = LB_FUNCTION_PIECES;
    f[9].piece_count = 1;
    f[9].coefficient_count = 1;
    f[9].starts = values;
    f[9].coefficients = endless + 1;

    lb_force_options damper = lb_default_force_options();
    lb_force_options motor = damper, force = damper, stop = damper;
    damper.name = motor.name = force.name = stop.name = "a";
    damper.type = LB_FORCE_DAMPER;
    motor.type = LB_FORCE_MOTOR;
    force.type = LB_FORCE_FORCE;
    stop.type = LB_FORCE_STOP;
    damper.hinge = motor.hinge = stop.hinge = "arm";
    stop.stiffness = 1.0;
    motor.value_count = 1;
    bad_options cases[] = {
        {damper, "forces[0].name", "an empty name"},
        {damper, "forces[0].type", "11 is no type of force"},
        {damper, "forces[0].hinge", "there is no body"},
        {damper, "forces[0].damping", "not below zero"},
        {damper, "forces[0].damping", "expected a finite number"},
        {damper, "forces[0].between[0]", "no node given"},
        {force, "forces[0].at", "no node given"},
        {force, "forces[0].axes", "are no axes"},
        {stop, "forces[0].upper", "expected more than lower"},
        {motor, "forces[0].value", "0 values given, expected a list of 1"},
        {motor, "forces[0].limits", "with zero between"},
        {motor, "forces[0].value", "inf, expected a finite number"},
        {motor, "forces[0].value", "ends where a value is expected"},
        {motor, "forces[0].value.table", "expected times and values"},
        {motor, "forces[0].value.table[1][0]", "expected a finite number"},
        {motor, "forces[0].value.table[1][1]", "expected a finite number"},
        {motor, "forces[0].value.pieces[0].coefficients", "21 coefficients given"},
        {motor, "forces[0].value.sine.rate", "expected a finite number"},
        {motor, "forces[0].value", "no type of function"},
        {motor, "forces[0].value.pulse.period", "at least the width"},
        {motor, "forces[0].value.pieces[0].coefficients[0]", "expected a finite number"},
    };
    cases[0].force.name = NULL;
    cases[1].force.type = LB_FORCE_TYPE_COUNT;
    cases[2].force.hinge = NULL;
    cases[3].force.damping = NAN;
    cases[4].force.damping = INFINITY;
    cases[5].force.between[1].body = "ball";
    const lb_function_options zeros[3] = {lb_constant_function(0.0), lb_constant_function(0.0),
                                          lb_constant_function(0.0)};
    cases[6].force.values = cases[7].force.values = zeros;
    cases[6].force.value_count = cases[7].force.value_count = 3;
    cases[7].force.at.body = "arm";
    cases[7].force.axes = (lb_axes)7;
    cases[8].force.lower = 1.0;
    cases[8].force.upper = NAN;
    cases[10].force.low = NAN;
    cases[10].force.values = zeros;
    for (int i = 0; i < 10; ++i) {
        cases[11 + i].force.values = &f[i];
    }
    for (size_t i = 0; i < COUNT(cases); ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_forces *forces;
        int index = -1;
        lb_expect_ok(lb_create_forces(model, NULL, &report, &forces));
        const lb_status status = lb_add_force(forces, &cases[i].force, &index);
        const lb_heard_entry *entry = &heard.entries[0];
        if (status != LB_E_MODEL || index != 0 || heard.error_count != 1 || entry->line != 0 ||
            strcmp(entry->path, cases[i].path) != 0 || !strstr(entry->message, cases[i].part)) {
            lb_print_heard(&heard);
            fail_msg("case %zu: status %d, expected %s: %s", i, status, cases[i].path,
                     cases[i].part);
        }
        lb_destroy_forces(forces);
    }
    lb_destroy_model(model);
}

static int read_nothing(void *user, const lb_instant *instant, double *value)
{
    (void)user, (void)instant;
    *value = 0.0;
    return 0;
}

static void signals_of_programs_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *name, *expression;
        lb_signal_callback callback;
        int stage;
        const char *path, *part;
    } cases[] = {
        {NULL, "1", NULL, 1, "signals", "letters, digits and underscores"},
        {"a", NULL, NULL, 1, "signals.a", "either an expression or a callback"},
        {"a", "1", read_nothing, 1, "signals.a", "either an expression or a callback"},
        {"a", NULL, read_nothing, 5, "signals.a", "5 is no stage"},
        {"first", "1", NULL, 1, "signals.first", "a signal \"first\" already"},
    };
    lb_model *model = load_model();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_signals *signals;
        lb_expect_ok(lb_create_signals(model, NULL, &report, &signals));
        lb_signal_options options = lb_default_signal_options();
        options.name = "first";
        options.expression = "t";
        lb_expect_ok(lb_add_signal(signals, &options, NULL));
        options.name = cases[i].name;
        options.expression = cases[i].expression;
        options.callback = cases[i].callback;
        options.stage = (lb_signal_stage)cases[i].stage;
        int index = -1;
        assert_int_equal(lb_add_signal(signals, &options, &index), LB_E_MODEL);
        assert_int_equal(index, 1);
        assert_int_equal(heard.error_count, 1);
        assert_string_equal(heard.entries[0].path, cases[i].path);
        assert_non_null(strstr(heard.entries[0].message, cases[i].part));
        lb_destroy_signals(signals);
    }
    lb_destroy_model(model);
}

// ---- memory ------------------------------------------------------------------------------------

typedef struct lb_ration {
    long left;        // allocations that still succeed
    long outstanding; // not yet released
} lb_ration;

static void *take(void *user, size_t size)
{
    lb_ration *ration = user;
    if (ration->left == 0) {
        return NULL;
    }
    --ration->left;
    void *memory = malloc(size);
    ration->outstanding += memory != NULL;
    return memory;
}

static void give(void *user, void *memory)
{
    ((lb_ration *)user)->outstanding -= memory != NULL;
    free(memory);
}

static void memory_that_runs_out_is_no_disaster(void **state)
{
    (void)state;
    const char *text = MODEL
        "signals: {a: 2*t, b: a + arm.rate}\n"
        "forces:\n"
        "- {name: a, type: motor, hinge: arm, value: b, limits: [-1, 1]}\n"
        "- {name: b, type: motion, hinge: slide, position: [t^2, {table: [[0, 1], [1, 2]], "
        "interpolation: cubic}]}\n"
        "- {name: c, type: force, at: ball, value: [{pieces: [{from: 0, coefficients: [1]}]}, "
        "0, t]}\n";
    long count = 0;
    for (lb_status status = LB_E_MEMORY; status != LB_OK; ++count) {
        assert_true(count < 500);
        lb_ration ration = {count, 0};
        const lb_allocator allocator = {take, give, &ration};
        lb_load_options options = lb_default_load_options();
        options.allocator = &allocator;
        lb_heard heard = {.count = 0};
        status = load(text, &options, &heard);
        assert_true(status == LB_OK || status == LB_E_MEMORY);
        assert_int_equal(ration.outstanding, 0);
    }
    // there was something to fail
    assert_true(count > 5);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_refused),
        cmocka_unit_test(hinge_elements_are_refused),
        cmocka_unit_test(motions_are_refused),
        cmocka_unit_test(functions_are_refused),
        cmocka_unit_test(node_elements_are_refused),
        cmocka_unit_test(options_of_programs_are_refused),
        cmocka_unit_test(signals_of_programs_are_refused),
        cmocka_unit_test(expressions_that_grow_too_large_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_no_disaster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
