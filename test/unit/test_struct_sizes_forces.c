// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of functions, signals and forces from programs of other versions: a shorter one is completed by
// defaults, a longer one is refused in words.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heard.h"
#include "resized.h"
#include "rig.h"
#include "simulate/forces/force_set.h"
#include "simulate/signals/signals.h"

// Bytes of a struct up to a field.
#define UP_TO(type, field) offsetof(type, field)

static const char model_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2, nodes: {hook: {position: "
    "[1, 0, 0]}}}\n";

typedef struct stage {
    lb_rig rig; // its forces are replaced by an empty set
    lb_heard heard;
} stage;

static void begin(stage *s)
{
    *s = (stage){.rig = lb_begin_rig(model_text, NULL)};
    const lb_report report = lb_listen(&s->heard);
    lb_destroy_forces(s->rig.forces);
    lb_expect_ok(lb_create_forces(s->rig.model, NULL, &report, &s->rig.forces));
    s->rig.q[0] = 0.3;
    s->rig.v[0] = 2.0;
}

static void end(stage *s)
{
    lb_end_rig(&s->rig);
}

static void expect_heard(stage *s, const char *path, const char *part)
{
    const lb_heard_entry *entry = &s->heard.entries[0];
    if (s->heard.error_count != 1 || strcmp(entry->path, path) != 0 ||
        !strstr(entry->message, part)) {
        lb_print_heard(&s->heard);
        fail_msg("expected at %s: %s", path, part);
    }
}

// ---- forces --------------------------------------------------------------------------------------

static lb_force_options make_damper(void)
{
    lb_force_options o = lb_default_force_options();
    o.name = "damper";
    o.type = LB_FORCE_DAMPER;
    o.hinge = "cart";
    o.damping = 3.0;
    return o;
}

static void shorter_forces_are_completed(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    // a program that knows nothing behind `rest`
    const lb_force_options whole = make_damper();
    lb_force_options *o = lb_resize_structs(&whole, 1, sizeof whole, UP_TO(lb_force_options, rest));
    int index = -1;
    lb_expect_ok(lb_add_force(s.rig.forces, o, &index));
    assert_int_equal(index, 0);
    lb_expect_ok(lb_evaluate_rig(&s.rig, 0.0));
    assert_true(s.rig.tau[0] == -6.0);
    free(o);
    // one that knows a name and a type only: an enabled spring, whose hinge is missing
    lb_force_options bare = make_damper();
    bare.name = "bare";
    o = lb_resize_structs(&bare, 1, sizeof bare, UP_TO(lb_force_options, enabled));
    assert_int_equal(lb_add_force(s.rig.forces, o, NULL), LB_E_MODEL);
    expect_heard(&s, "forces[1].hinge", "there is no body");
    assert_true(lb_get_force_info(s.rig.forces, 1).is_enabled);
    free(o);
    end(&s);
}

static void longer_forces_are_refused(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    const lb_force_options whole = make_damper();
    lb_force_options *o = lb_resize_structs(&whole, 1, sizeof whole, sizeof whole + 8);
    int index = 7;
    assert_int_equal(lb_add_force(s.rig.forces, o, &index), LB_E_VERSION);
    assert_int_equal(index, 7);
    assert_int_equal(lb_get_force_count(s.rig.forces), 0);
    expect_heard(&s, "forces[0]", "newer version");
    free(o);
    end(&s);
    // and what has no size at all
    begin(&s);
    lb_force_options none = make_damper();
    none.size = 0;
    assert_int_equal(lb_add_force(s.rig.forces, &none, NULL), LB_E_VERSION);
    expect_heard(&s, "forces[0]", "start from its default function");
    end(&s);
}

// ---- functions -----------------------------------------------------------------------------------

static lb_force_options make_push(const lb_function_options *values)
{
    lb_force_options o = lb_default_force_options();
    o.name = "push";
    o.type = LB_FORCE_FORCE;
    o.at.body = "cart/hook";
    o.values = values;
    o.value_count = 3;
    return o;
}

static void shorter_functions_are_completed(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    // three of them, apart by the size of the first
    const lb_function_options whole[3] = {lb_constant_function(5.0), lb_constant_function(6.0),
                                          lb_constant_function(7.0)};
    lb_function_options *values =
        lb_resize_structs(whole, 3, sizeof *whole, UP_TO(lb_function_options, expression));
    const lb_force_options push = make_push(values);
    lb_expect_ok(lb_add_force(s.rig.forces, &push, NULL));
    lb_node_force load[2];
    int count;
    lb_expect_ok(lb_evaluate_rig(&s.rig, 0.0));
    const lb_instant instant = {.size = sizeof instant,
                                .model = s.rig.model,
                                .work = s.rig.work,
                                .q = s.rig.q,
                                .v = s.rig.v};
    lb_expect_ok(lb_compute_force_loads(s.rig.forces, 0, &instant, load, &count));
    for (int i = 0; i < 3; ++i) {
        assert_true(load[0].force[3 + i] == 5.0 + i);
    }
    free(values);
    // pieces without their end
    const double start = 1.0, coefficients[2] = {2.0, 3.0};
    lb_function_options pieces = lb_default_function_options();
    pieces.type = LB_FUNCTION_PIECES;
    pieces.piece_count = 1;
    pieces.coefficient_count = 2;
    pieces.starts = &start;
    pieces.coefficients = coefficients;
    values = lb_resize_structs(&pieces, 1, sizeof pieces, UP_TO(lb_function_options, until));
    lb_force_options motor = lb_default_force_options();
    motor.name = "motor";
    motor.type = LB_FORCE_MOTOR;
    motor.hinge = "cart";
    motor.values = values;
    motor.value_count = 1;
    lb_expect_ok(lb_add_force(s.rig.forces, &motor, NULL));
    lb_expect_ok(lb_evaluate_rig(&s.rig, 100.0));
    assert_true(s.rig.tau[0] == 5.0 + 2.0 + 3.0 * 99.0);
    free(values);
    end(&s);
}

static void longer_functions_are_refused(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    const lb_function_options whole[3] = {lb_constant_function(5.0), lb_constant_function(6.0),
                                          lb_constant_function(7.0)};
    lb_function_options *values = lb_resize_structs(whole, 3, sizeof *whole, sizeof *whole + 16);
    const lb_force_options push = make_push(values);
    assert_int_equal(lb_add_force(s.rig.forces, &push, NULL), LB_E_VERSION);
    assert_int_equal(lb_get_force_count(s.rig.forces), 0);
    expect_heard(&s, "forces[0].value[0]", "newer version");
    free(values);
    end(&s);
}

// ---- signals -------------------------------------------------------------------------------------

static void signals_of_other_sizes(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_signals *signals = lb_get_force_signals(s.rig.forces);
    lb_signal_options twice = lb_default_signal_options();
    twice.name = "twice";
    twice.expression = "2*cart.distance";
    lb_signal_options *o =
        lb_resize_structs(&twice, 1, sizeof twice, UP_TO(lb_signal_options, callback));
    lb_expect_ok(lb_add_signal(signals, o, NULL));
    lb_expect_ok(lb_evaluate_rig(&s.rig, 0.0));
    assert_true(lb_read_rig(&s.rig, 0.0, "twice") == 0.6);
    free(o);
    int index = 7;
    o = lb_resize_structs(&twice, 1, sizeof twice, sizeof twice + 8);
    assert_int_equal(lb_add_signal(signals, o, &index), LB_E_VERSION);
    assert_int_equal(index, 7);
    assert_int_equal(lb_get_signal_count(signals), 1);
    expect_heard(&s, "signals", "newer version");
    free(o);
    end(&s);
}

static void instants_of_other_sizes(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_signal *position, *pull;
    lb_expect_ok(lb_compile_signal(s.rig.model, NULL, "cart/hook.position.x", NULL, &position));
    lb_expect_ok(lb_compile_signal(s.rig.model, NULL, "cart.a.0", NULL, &pull));
    lb_expect_ok(lb_evaluate_rig(&s.rig, 0.0));
    const lb_instant whole = {.size = sizeof whole,
                              .model = s.rig.model,
                              .work = s.rig.work,
                              .q = s.rig.q,
                              .v = s.rig.v,
                              .a = s.rig.a};
    double value = 0.0;
    // one without accelerations
    lb_instant *instant = lb_resize_structs(&whole, 1, sizeof whole, UP_TO(lb_instant, a));
    lb_expect_ok(lb_evaluate_signal(position, instant, &value));
    assert_true(value == 1.3);
    assert_int_equal(lb_evaluate_signal(pull, instant, &value), LB_E_STAGE);
    free(instant);
    instant = lb_resize_structs(&whole, 1, sizeof whole, sizeof whole + 8);
    assert_int_equal(lb_evaluate_signal(position, instant, &value), LB_E_VERSION);
    free(instant);
    lb_destroy_signal(position);
    lb_destroy_signal(pull);
    end(&s);
}

// ---- callbacks -----------------------------------------------------------------------------------

static int push(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    (void)sample;
    answer->tau[0] = 4.0;
    return 0;
}

static void callbacks_of_other_sizes(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; ++longer) {
        stage s;
        begin(&s);
        lb_force_callbacks whole = lb_default_force_callbacks();
        whole.compute = push;
        lb_force_callbacks *callbacks =
            lb_resize_structs(&whole, 1, sizeof whole,
                              longer ? sizeof whole + 8 : UP_TO(lb_force_callbacks, differentiate));
        lb_force_options o = lb_default_force_options();
        o.name = "push";
        o.type = LB_FORCE_CALLBACK;
        o.callbacks = callbacks;
        if (longer) {
            assert_int_equal(lb_add_force(s.rig.forces, &o, NULL), LB_E_VERSION);
            expect_heard(&s, "forces[0].callbacks", "newer version");
        } else {
            lb_expect_ok(lb_add_force(s.rig.forces, &o, NULL));
            lb_expect_ok(lb_evaluate_rig(&s.rig, 0.0));
            assert_true(s.rig.tau[0] == 4.0 && lb_get_force_info(s.rig.forces, 0).power == 8.0);
            assert_true(lb_get_force_info(s.rig.forces, 0).is_differenced);
        }
        free(callbacks);
        end(&s);
    }
}

// ---- defaults ------------------------------------------------------------------------------------

static void defaults_have_the_size_of_the_caller(void **state)
{
    (void)state;
    const lb_force_options whole = lb_default_force_options();
    assert_int_equal(whole.size, sizeof whole);
    assert_true(whole.enabled && whole.gradient && whole.gain == 1.0 && isinf(whole.max_speed));
    assert_int_equal(lb_default_function_options().size, sizeof(lb_function_options));
    assert_int_equal(lb_default_signal_options().size, sizeof(lb_signal_options));
    assert_int_equal(lb_default_signal_options().stage, LB_SIGNAL_STATE);
    assert_int_equal(lb_default_force_callbacks().size, sizeof(lb_force_callbacks));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_forces_are_completed),
        cmocka_unit_test(longer_forces_are_refused),
        cmocka_unit_test(shorter_functions_are_completed),
        cmocka_unit_test(longer_functions_are_refused),
        cmocka_unit_test(signals_of_other_sizes),
        cmocka_unit_test(instants_of_other_sizes),
        cmocka_unit_test(callbacks_of_other_sizes),
        cmocka_unit_test(defaults_have_the_size_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
