// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits, damping and friction of a robot: the force elements that they become, against values by
// hand, after conversion, and in motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heard.h"
#include "limber/simulate.h"
#include "rig.h"
#include "run_cli.h"

#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='0.3 0 0'/><mass value='2'/>"                     \
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"

#define JOINT(name, type, parent, child, inside)                                                   \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/><origin xyz='0.5 0 0'/><axis xyz='0 1 0'/>" inside "</joint>"

static const char robot[] = "<robot name='arm'><link name='base'/>" LINK("upper") LINK("lower")
    LINK("slider") LINK("wheel") JOINT("shoulder", "revolute", "base", "upper",
                                       "<limit lower='-1' upper='2' effort='50' velocity='3'/>"
                                       "<dynamics damping='0.7' friction='0.2'/>")
        JOINT("elbow", "revolute", "upper", "lower", "<dynamics damping='0.3'/>")
            JOINT("rail", "prismatic", "lower", "slider",
                  "<limit upper='0.4' effort='0' velocity='1'/><dynamics friction='4'/>")
                JOINT("axle", "continuous", "slider", "wheel",
                      "<limit lower='-1' upper='1' effort='8' velocity='9'/>") "</robot>";

enum { SHOULDER, ELBOW, RAIL, AXLE, JOINTS };

// Inside the limits, and beyond them at a speed at which the damper of a stop is up.
static const double inside[JOINTS] = {0.4, -9.0, 0.1, 5.0};
static const double beyond[JOINTS] = {2.02, -9.0, -0.003, -5.0};
static const double speed[JOINTS] = {0.25, -0.5, -0.125, 3.0};

static void set_state(lb_rig *rig, const double *q)
{
    memcpy(rig->q, q, JOINTS * sizeof *q);
    memcpy(rig->v, speed, sizeof speed);
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
}

static void joints_get_the_elements_that_the_file_asks_for(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        {"shoulder_damper", "damper"}, {"shoulder_friction", "friction"},
        {"shoulder_stop", "stop"},     {"shoulder_motor", "motor"},
        {"elbow_damper", "damper"},    {"rail_friction", "friction"},
        {"rail_stop", "stop"},         {"axle_motor", "motor"}};
    const int count = sizeof expected / sizeof *expected;
    lb_rig rig = lb_begin_rig(robot, NULL);
    assert_int_equal(lb_get_force_count(rig.forces), count);
    for (int i = 0; i < count; ++i) {
        assert_string_equal(lb_get_force_info(rig.forces, i).name, expected[i][0]);
        assert_string_equal(lb_get_force_type_name(lb_get_force_info(rig.forces, i).type),
                            expected[i][1]);
    }
    lb_end_rig(&rig);
}

// Friction of a robot sticks; at these speeds it slips.
static void elements_act_as_the_guide_says(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(robot, NULL);
    set_state(&rig, inside);
    const double free[JOINTS] = {-0.7 * 0.25 - 0.2, 0.3 * 0.5, 4.0, 0.0};
    lb_expect_close("inside", rig.tau, free, JOINTS, 1e-15);

    // 0.02 rad beyond: k = 50 / 0.01, c = 0.01 k; 3 mm beyond: k = 100 / 0.001, no effort given
    set_state(&rig, beyond);
    const double k = 5000, c = 50, K = 1e5, C = 1e3;
    const double stopped[JOINTS] = {free[SHOULDER] - k * 0.02 - c * 0.25, free[ELBOW],
                                    free[RAIL] + K * 0.003 + C * 0.125, 0.0};
    // 1e-12: 2.02 less 2 has lost two digits
    lb_expect_close("beyond", rig.tau, stopped, JOINTS, 1e-12);
    lb_end_rig(&rig);
}

// A number that stands for no limit must not make a stop of infinite stiffness.
static void a_stop_stays_soft_enough_to_simulate(void **state)
{
    (void)state;
    static const char text[] = "<robot name='arm'><link name='base'/>" LINK("upper")
        JOINT("shoulder", "revolute", "base", "upper",
              "<limit lower='-1' upper='1' effort='1e308' velocity='1'/>") "</robot>";
    lb_rig rig = lb_begin_rig(text, NULL);
    rig.q[0] = 1.5;
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    lb_expect_near("stop", rig.tau[0], -1e4 / 0.01 * 0.5, 1e-14);
    lb_end_rig(&rig);
}

static void conversion_keeps_the_elements(void **state)
{
    (void)state;
    const char *path = lb_write_file("arm.urdf", robot);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    char *text = NULL;
    size_t length = 0;
    lb_expect_ok(lb_convert_model(path, NULL, LB_FORMAT_YAML, &report, &text, &length));
    assert_int_equal(heard.count, 0);
    lb_rig direct = lb_begin_rig(robot, NULL), converted = lb_begin_rig(text, NULL);
    const double *const states[] = {inside, beyond};
    for (int i = 0; i < 2; ++i) {
        set_state(&direct, states[i]);
        set_state(&converted, states[i]);
        assert_memory_equal(direct.tau, converted.tau, sizeof speed);
    }
    lb_end_rig(&direct);
    lb_end_rig(&converted);
    free(text);
}

static void evaluation_leaves_them_out_unless_asked(void **state)
{
    (void)state;
    const char *path = lb_write_file("arm.urdf", robot);
    static const char *const requests[] = {
        "{\"v\": [1, 0, 0, 0], \"compute\": [\"forward\"]}",
        "{\"v\": [1, 0, 0, 0], \"forces\": false, \"compute\": [\"forward\"]}",
        "{\"v\": [1, 0, 0, 0], \"forces\": true, \"compute\": [\"forward\"]}"};
    lb_cli_run runs[3];
    for (int i = 0; i < 3; ++i) {
        runs[i] = lb_run(requests[i], "eval", path, "-");
        assert_int_equal(runs[i].status, 0);
    }
    assert_string_equal(runs[0].out, runs[1].out);
    assert_string_not_equal(runs[0].out, runs[2].out);
    for (int i = 0; i < 3; ++i) {
        lb_end_run(&runs[i]);
    }
}

static void what_cannot_be_carried_is_said(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='odd'>\n<link name='base'/>\n" LINK("table") "\n" LINK("locked") "\n" JOINT(
            "xy", "planar", "base", "table",
            "\n<dynamics damping='1'/>") "\n" JOINT("still", "revolute", "table", "locked",
                                                    "\n<limit lower='0.5' upper='0.5' effort='3' "
                                                    "velocity='1'/>") "</robot>";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "odd", LB_FORMAT_URDF, NULL, &report, &model));
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.error_count, 0);
    assert_string_equal(heard.entries[0].path, "robot.joint[xy].dynamics");
    assert_int_equal(heard.entries[0].line, 6);
    assert_non_null(strstr(heard.entries[0].message, "planar"));
    assert_string_equal(heard.entries[1].path, "robot.joint[still].limit");
    assert_int_equal(heard.entries[1].line, 8);
    assert_non_null(strstr(heard.entries[1].message, "no stop"));
    lb_destroy_model(model);
}

// The arm falls onto its stop and comes to rest there, at the depth at which the stop carries it.
static void a_robot_comes_to_rest_on_its_stop(void **state)
{
    (void)state;
    static const char text[] = "<robot name='arm'><link name='base'/>" LINK("upper")
        JOINT("shoulder", "revolute", "base", "upper",
              "<limit lower='-1' upper='0.5' effort='20' velocity='3'/>"
              "<dynamics damping='0.2'/>") "</robot>";
    const char *path = lb_write_file("fall.urdf", text), *out = lb_write_file("fall.h5", "");
    remove(out);
    lb_cli_run run = lb_run(NULL, "run", path, "--duration", "8", "--csv", "-o", out);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    char csv[512];
    snprintf(csv, sizeof csv, "%.*s.csv", (int)(strlen(out) - 3), out);
    FILE *file = fopen(csv, "r");
    assert_non_null(file);
    char line[4096], last[4096] = "";
    while (fgets(line, sizeof line, file)) {
        strcpy(last, line);
    }
    fclose(file);
    double t = 0, q = 0;
    assert_int_equal(sscanf(last, "%lf,%lf", &t, &q), 2);
    lb_expect_near("time", t, 8.0, 1e-12);
    // k d = m g l cos(q) at the lower side of the stop: about y a positive angle goes down
    const double k = 20 / 0.01, load = 2 * 9.81 * 0.3 * cos(q);
    lb_expect_below("rest", q - (0.5 + load / k), 1e-6);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_get_the_elements_that_the_file_asks_for),
        cmocka_unit_test(elements_act_as_the_guide_says),
        cmocka_unit_test(a_stop_stays_soft_enough_to_simulate),
        cmocka_unit_test(conversion_keeps_the_elements),
        cmocka_unit_test(evaluation_leaves_them_out_unless_asked),
        cmocka_unit_test(what_cannot_be_carried_is_said),
        cmocka_unit_test(a_robot_comes_to_rest_on_its_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
