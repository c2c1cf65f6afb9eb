// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of limber/simulate.h and limber/events.h from programs of other versions: a shorter one is
// completed by defaults, a longer one is refused in words.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "heard.h"
#include "limber/events.h"
#include "resized.h"
#include "simulate/run/simulation.h"

static const char text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
    "0]}\n"
    "  - {name: cart, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
    "loops:\n"
    "  - {name: drive, a: {body: ground}, b: {body: crank}, type: revolute, axis: [0, 0, 1], "
    "motion: "
    "t}\n"
    "  - {name: hook, a: {body: crank}, b: {body: cart}, type: weld, active: false}\n"
    "initial: {crank: {rate: 1}}\n";

// An empty simulation of that model, which says what is wrong.
typedef struct stage {
    lb_course course;
    lb_heard heard;
    lb_simulation *simulation;
} stage;

static void begin(stage *s)
{
    *s = (stage){.course = lb_begin_course(text)};
    const lb_report report = lb_listen(&s->heard);
    lb_expect_ok(lb_create_simulation(s->course.model, &report, &s->simulation));
}

static void end(stage *s)
{
    lb_destroy_simulation(s->simulation);
    lb_end_course(&s->course);
}

static void expect_heard(const stage *s, const char *path, const char *part)
{
    const lb_heard_entry *entry = lb_find_heard(&s->heard, path);
    if (!entry || !strstr(entry->message, part)) {
        lb_print_heard(&s->heard);
        fail_msg("expected at %s: %s", path, part);
    }
}

static void expect_message(const stage *s, const char *part)
{
    if (!strstr(lb_get_simulation_message(s->simulation), part)) {
        fail_msg("\"%s\", expected: %s", lb_get_simulation_message(s->simulation), part);
    }
}

// ---- runs ----------------------------------------------------------------------------------------

static void run_options_of_other_versions(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_run_options whole = lb_default_run_options();
    whole.duration = 3.0;
    whole.interval = 0.5;
    whole.step = -1.0; // beyond what the older program knows
    void *shorter = lb_resize_struct(&whole, sizeof whole, LB_THROUGH(lb_run_options, interval));
    lb_expect_ok(lb_set_run_options(s.simulation, shorter));
    lb_run_options now = {.size = sizeof now};
    lb_expect_ok(lb_get_run_options(s.simulation, &now));
    assert_true(now.duration == 3.0 && now.interval == 0.5 && now.step == 1e-3);
    assert_int_equal(now.integrator, LB_INTEGRATOR_ADAMS);
    // read into less room
    lb_run_options *part = shorter;
    part->duration = 0.0;
    lb_expect_ok(lb_get_run_options(s.simulation, part));
    assert_true(part->duration == 3.0);
    assert_int_equal(part->size, LB_THROUGH(lb_run_options, interval));
    free(shorter);
    // neither more nor nothing
    void *longer = lb_resize_struct(&whole, sizeof whole, sizeof whole + 8);
    assert_int_equal(lb_set_run_options(s.simulation, longer), LB_E_VERSION);
    expect_message(&s, "newer version");
    assert_int_equal(lb_get_run_options(s.simulation, longer), LB_E_VERSION);
    free(longer);
    whole.size = 0;
    assert_int_equal(lb_set_run_options(s.simulation, &whole), LB_E_VERSION);
    lb_expect_ok(lb_get_run_options(s.simulation, &now));
    assert_true(now.duration == 3.0);
    end(&s);
}

static void requests_of_other_versions(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_run_request whole = lb_default_run_request();
    void *longer = lb_resize_struct(&whole, sizeof whole, sizeof whole + 8);
    assert_int_equal(lb_start_recording(s.simulation, longer), LB_E_VERSION);
    expect_message(&s, "newer version");
    assert_int_equal(lb_run_simulation(s.simulation, longer, NULL), LB_E_VERSION);
    free(longer);
    lb_run_options run = lb_default_run_options();
    run.duration = 0.02;
    lb_expect_ok(lb_set_run_options(s.simulation, &run));
    void *shorter = lb_resize_struct(&whole, sizeof whole, LB_THROUGH(lb_run_request, path));
    lb_expect_ok(lb_set_initial_value(s.simulation, "crank.rate", 0.0));
    if (lb_run_simulation(s.simulation, shorter, NULL) < 0) {
        fail_msg("%s", lb_get_simulation_message(s.simulation));
    }
    free(shorter);
    end(&s);
}

static void outputs_of_other_versions(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_trim whole = {.size = sizeof whole};
    void *longer = lb_resize_struct(&whole, sizeof whole, sizeof whole + 8);
    assert_int_equal(lb_trim_simulation(s.simulation, longer), LB_E_VERSION);
    expect_message(&s, "lb_trim");
    free(longer);
    lb_trim *shorter = lb_resize_struct(&whole, sizeof whole, LB_THROUGH(lb_trim, residual));
    shorter->residual = 7.0;
    lb_expect_ok(lb_trim_simulation(s.simulation, shorter));
    assert_true(shorter->residual < 1e-9);
    assert_int_equal(shorter->size, LB_THROUGH(lb_trim, residual));
    free(shorter);
    end(&s);
}

// ---- what is added -------------------------------------------------------------------------------

static void loop_drives_of_other_versions(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; ++longer) {
        stage s;
        begin(&s);
        const lb_function_options turn = lb_expression_function("t");
        lb_loop_drive_options whole = lb_default_loop_drive_options();
        whole.loop = "drive";
        whole.turn = &turn;
        whole.shift_count = 2; // beyond what the older program knows
        void *other =
            lb_resize_struct(&whole, sizeof whole,
                             longer ? sizeof whole + 8 : LB_THROUGH(lb_loop_drive_options, turn));
        if (longer) {
            assert_int_equal(lb_add_loop_drive(s.simulation, other), LB_E_VERSION);
            expect_heard(&s, "loops", "newer version");
            assert_int_equal(lb_start_simulation(s.simulation), LB_E_MODEL);
        } else if (lb_add_loop_drive(s.simulation, other) < 0) {
            lb_print_heard(&s.heard);
            fail_msg("a motion of an older program was refused");
        }
        free(other);
        end(&s);
    }
}

static void events_of_other_versions(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_event_options whole = lb_default_event_options();
    whole.name = "noon";
    whole.when = "t";
    whole.action_count = 100; // beyond what the older program knows
    void *shorter = lb_resize_struct(&whole, sizeof whole, LB_THROUGH(lb_event_options, when));
    lb_expect_ok(lb_add_event(s.simulation, shorter, NULL));
    free(shorter);
    void *longer = lb_resize_struct(&whole, sizeof whole, sizeof whole + 8);
    assert_int_equal(lb_add_event(s.simulation, longer, NULL), LB_E_VERSION);
    expect_heard(&s, "events[1]", "newer version");
    free(longer);
    assert_int_equal(lb_get_simulation_event_count(s.simulation), 1);
    end(&s);
}

static void actions_of_other_versions(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; ++longer) {
        stage s;
        begin(&s);
        // two actions, apart by the size of the first
        const size_t size =
            longer ? sizeof(lb_action_options) + 8 : LB_THROUGH(lb_action_options, subject);
        char *actions = calloc(2, size);
        assert_non_null(actions);
        static const char *const subjects[2] = {"crank", "cart"};
        for (int i = 0; i < 2; ++i) {
            lb_action_options action = lb_default_action_options();
            action.type = LB_ACTION_LOCK;
            action.subject = subjects[i];
            memcpy(actions + (size_t)i * size, &action,
                   size < sizeof action ? size : sizeof action);
            memcpy(actions + (size_t)i * size, &size, sizeof size);
        }
        lb_event_options event = lb_default_event_options();
        event.name = "noon";
        event.when = "t";
        event.actions = (const lb_action_options *)(const void *)actions;
        event.action_count = 2;
        assert_int_equal(lb_add_event(s.simulation, &event, NULL), longer ? LB_E_VERSION : LB_OK);
        if (longer) {
            expect_heard(&s, "events[0].then[0]", "newer version");
        }
        assert_int_equal(lb_get_simulation_event_count(s.simulation), !longer);
        free(actions);
        end(&s);
    }
}

static void changes_of_other_versions(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; ++longer) {
        stage s;
        begin(&s);
        lb_loop_change_options whole = lb_default_loop_change_options();
        whole.a = (lb_node_name){"ground", NULL};
        whole.has_type = true;
        whole.type = LB_LOOP_SPHERICAL;
        whole.length = -1.0; // beyond what the older program knows
        void *other =
            lb_resize_struct(&whole, sizeof whole,
                             longer ? sizeof whole + 8 : LB_THROUGH(lb_loop_change_options, type));
        lb_action_options alter = lb_default_action_options();
        alter.type = LB_ACTION_ALTER;
        alter.subject = "hook";
        alter.change = other;
        lb_event_options event = lb_default_event_options();
        event.name = "noon";
        event.when = "t";
        event.actions = &alter;
        event.action_count = 1;
        const lb_status status = lb_add_event(s.simulation, &event, NULL);
        if (longer) {
            assert_int_equal(status, LB_E_VERSION);
            expect_heard(&s, "events[0].then[0]", "newer version");
        } else if (status != LB_OK) {
            lb_print_heard(&s.heard);
            fail_msg("a change of an older program was refused");
        }
        free(other);
        end(&s);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_options_of_other_versions),
        cmocka_unit_test(requests_of_other_versions),
        cmocka_unit_test(outputs_of_other_versions),
        cmocka_unit_test(loop_drives_of_other_versions),
        cmocka_unit_test(events_of_other_versions),
        cmocka_unit_test(actions_of_other_versions),
        cmocka_unit_test(changes_of_other_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
