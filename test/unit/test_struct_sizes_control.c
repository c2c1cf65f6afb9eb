// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of limber/control.h from programs of other versions: a shorter one is completed by defaults, a
// longer one is refused in words.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "control/controllers.h"
#include "course.h"
#include "heard.h"
#include "limber/control.h"
#include "resized.h"

static const char model_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
    "  - {name: sledge, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 1}\n";

// A simulation with two actuators, and all that a sound controller takes.
typedef struct stage {
    lb_course course;
    lb_heard heard;
    lb_simulation *simulation;
    lb_sensor_options sensors[2];
    lb_channel_options channels[2];
    lb_law_options law;
    lb_controller_options controller;
} stage;

static void begin(stage *s)
{
    *s = (stage){.course = lb_begin_course(model_text)};
    const lb_report report = lb_listen(&s->heard);
    lb_expect_ok(lb_create_simulation(s->course.model, &report, &s->simulation));
    static const char *const bodies[] = {"cart", "sledge"}, *const drives[] = {"drive", "push"};
    static const char *const signals[] = {"cart.distance", "sledge.distance"};
    static const char *const eyes[] = {"left", "right"};
    for (int i = 0; i < 2; ++i) {
        lb_force_options force = lb_default_force_options();
        force.name = drives[i];
        force.type = LB_FORCE_ACTUATOR;
        force.hinge = bodies[i];
        lb_expect_ok(lb_add_force(lb_get_simulation_forces(s->simulation), &force, NULL));
        s->sensors[i] = lb_default_sensor_options();
        s->sensors[i].name = eyes[i];
        s->sensors[i].signal = signals[i];
        s->channels[i] = lb_default_channel_options();
        s->channels[i].actuator = drives[i];
        s->channels[i].position_sensor = eyes[i];
    }
    s->law = lb_default_law_options();
    s->law.type = LB_LAW_CALLBACK;
    s->controller = lb_default_controller_options();
    s->controller.name = "control";
    s->controller.rate = 100.0;
    s->controller.sensors = s->sensors;
    s->controller.sensor_count = 2;
    s->controller.channels = s->channels;
    s->controller.channel_count = 2;
    s->controller.law = &s->law;
}

static void end(stage *s)
{
    lb_destroy_simulation(s->simulation);
    lb_end_course(&s->course);
}

static void expect_refusal(stage *s, const char *path)
{
    int index = 7;
    assert_int_equal(lb_add_controller(s->simulation, &s->controller, &index), LB_E_VERSION);
    assert_int_equal(index, 7);
    assert_int_equal(lb_get_controller_count(s->simulation), 0);
    const lb_heard_entry *entry = lb_find_heard(&s->heard, path);
    if (!entry || !strstr(entry->message, "newer version")) {
        lb_print_heard(&s->heard);
        fail_msg("expected at %s: a newer version", path);
    }
}

// ---- shorter ---------------------------------------------------------------------------------------

static void shorter_structs_are_completed_by_defaults(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    void *sensors =
        lb_resize_structs(s.sensors, 2, sizeof s.sensors[0], LB_THROUGH(lb_sensor_options, signal));
    void *channels = lb_resize_structs(s.channels, 2, sizeof s.channels[0],
                                       LB_THROUGH(lb_channel_options, position_sensor));
    void *law = lb_resize_structs(&s.law, 1, sizeof s.law, LB_THROUGH(lb_law_options, type) + 4);
    s.controller.sensors = sensors;
    s.controller.channels = channels;
    s.controller.law = law;
    if (lb_add_controller(s.simulation, &s.controller, NULL) != LB_OK) {
        lb_print_heard(&s.heard);
        fail_msg("a controller of an older program was refused");
    }
    assert_int_equal(lb_get_controller_count(s.simulation), 1);
    free(sensors);
    free(channels);
    free(law);
    end(&s);
}

// Nothing is flexible here, which is said; the effort that is not given is 1, or it would be said too.
static void a_shorter_regulator_has_its_default_effort(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_regulator_options regulator = lb_default_regulator_options();
    regulator.position = regulator.speed = regulator.vibration = 1.0;
    void *shorter = lb_resize_structs(&regulator, 1, sizeof regulator,
                                      LB_THROUGH(lb_regulator_options, vibration));
    const lb_function_options rest = lb_constant_function(0.0);
    s.channels[0].desired = s.channels[1].desired = &rest;
    s.law.type = LB_LAW_MATCHING;
    s.law.regulator = shorter;
    assert_int_equal(lb_add_controller(s.simulation, &s.controller, NULL), LB_E_MODEL);
    assert_int_equal(s.heard.error_count, 1);
    const lb_heard_entry *entry = lb_find_heard(&s.heard, "controllers[0].law.regulator");
    assert_true(entry && strstr(entry->message, "nothing here is flexible"));
    free(shorter);
    end(&s);
}

static void what_ends_before_required_fields_is_refused(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    lb_controller_options *shorter = lb_resize_structs(&s.controller, 1, sizeof s.controller,
                                                       offsetof(lb_controller_options, law));
    assert_int_equal(lb_add_controller(s.simulation, shorter, NULL), LB_E_VERSION);
    assert_int_equal(s.heard.error_count, 1);
    free(shorter);
    end(&s);
}

// Nothing is flexible here, which is said; the weight that is not given is 1, or it would be said too. An
// array of shorter ones is read in steps of their size.
static void shorter_deformations_have_their_default_weight(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    const lb_function_options rest = lb_constant_function(0.0);
    lb_deformation_options both[2];
    for (int i = 0; i < 2; ++i) {
        both[i] = lb_default_deformation_options();
        both[i].node = (lb_node_name){i ? "sledge" : "cart", "origin"};
        both[i].direction[1] = 1.0;
        both[i].desired = &rest;
    }
    void *shorter =
        lb_resize_structs(both, 2, sizeof both[0], LB_THROUGH(lb_deformation_options, desired));
    s.channels[0].desired = s.channels[1].desired = &rest;
    s.law.type = LB_LAW_MATCHING;
    s.law.deformations = shorter;
    s.law.deformation_count = 2;
    assert_int_equal(lb_add_controller(s.simulation, &s.controller, NULL), LB_E_MODEL);
    assert_int_equal(s.heard.error_count, 2);
    const lb_heard_entry *entry =
        lb_find_heard(&s.heard, "controllers[0].law.deformations[1].node");
    assert_true(entry && strstr(entry->message, "flexible"));
    free(shorter);
    end(&s);
}

// A hinge of its own that turns is not there: the attitude of a cart is that of the world, and all is well.
static void shorter_attitudes_have_no_feed_forward(void **state)
{
    (void)state;
    stage s;
    begin(&s);
    const double gains[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    lb_attitude_options attitude = lb_default_attitude_options();
    attitude.node.body = "cart";
    attitude.kp = attitude.kd = gains;
    void *shorter =
        lb_resize_structs(&attitude, 1, sizeof attitude, LB_THROUGH(lb_attitude_options, kd));
    s.law.type = LB_LAW_ATTITUDE;
    s.law.attitude = shorter;
    // two channels, and no distribution, which comes later in the struct
    assert_int_equal(lb_add_controller(s.simulation, &s.controller, NULL), LB_E_MODEL);
    assert_int_equal(s.heard.error_count, 1);
    const lb_heard_entry *entry = lb_find_heard(&s.heard, "controllers[0].law.distribution");
    assert_true(entry && strstr(entry->message, "with 2 actuators"));
    free(shorter);
    end(&s);
}

// ---- longer ----------------------------------------------------------------------------------------

static void longer_structs_are_refused_in_words(void **state)
{
    (void)state;
    for (int what = 0; what < 7; ++what) {
        stage s;
        begin(&s);
        lb_regulator_options regulator = lb_default_regulator_options();
        const lb_function_options rest = lb_constant_function(0.0);
        void *longer = NULL;
        if (what == 0) {
            longer = lb_resize_structs(s.sensors, 2, sizeof s.sensors[0], sizeof s.sensors[0] + 8);
            s.controller.sensors = longer;
            expect_refusal(&s, "controllers[0].sensors[0]");
        } else if (what == 1) {
            longer =
                lb_resize_structs(s.channels, 2, sizeof s.channels[0], sizeof s.channels[0] + 8);
            s.controller.channels = longer;
            expect_refusal(&s, "controllers[0].actuators[0]");
        } else if (what == 2) {
            longer = lb_resize_structs(&s.law, 1, sizeof s.law, sizeof s.law + 8);
            s.controller.law = longer;
            expect_refusal(&s, "controllers[0].law");
        } else if (what == 3) {
            longer = lb_resize_structs(&regulator, 1, sizeof regulator, sizeof regulator + 8);
            s.channels[0].desired = s.channels[1].desired = &rest;
            s.law.type = LB_LAW_COMPUTED_TORQUE;
            s.law.regulator = longer;
            expect_refusal(&s, "controllers[0].law.regulator");
        } else if (what == 4) {
            lb_deformation_options deformation = lb_default_deformation_options();
            longer = lb_resize_structs(&deformation, 1, sizeof deformation, sizeof deformation + 8);
            s.channels[0].desired = s.channels[1].desired = &rest;
            s.law.type = LB_LAW_COMPUTED_TORQUE;
            s.law.deformations = longer;
            s.law.deformation_count = 1;
            expect_refusal(&s, "controllers[0].law.deformations[0]");
        } else if (what == 5) {
            lb_attitude_options attitude = lb_default_attitude_options();
            longer = lb_resize_structs(&attitude, 1, sizeof attitude, sizeof attitude + 8);
            s.law.type = LB_LAW_ATTITUDE;
            s.law.attitude = longer;
            expect_refusal(&s, "controllers[0].law");
        } else {
            s.controller.size += 8;
            expect_refusal(&s, "controllers[0]");
        }
        free(longer);
        end(&s);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_structs_are_completed_by_defaults),
        cmocka_unit_test(a_shorter_regulator_has_its_default_effort),
        cmocka_unit_test(shorter_deformations_have_their_default_weight),
        cmocka_unit_test(shorter_attitudes_have_no_feed_forward),
        cmocka_unit_test(what_ends_before_required_fields_is_refused),
        cmocka_unit_test(longer_structs_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
