// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a model file says is what the model has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "limber/model.h"
#include "model/model_parts.h"
#include "program.h"

static lb_model *load(const char *text, const char *name)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, strlen(text), name, LB_FORMAT_AUTO, NULL, &report, &model);
    lb_print_heard(&heard);
    assert_int_equal(status, LB_OK);
    assert_int_equal(heard.count, 0);
    return model;
}

static const char yaml[] = "limber: 1\n"
                           "name: two-link arm\n"
                           "gravity: [0, 0, -9.81]\n"
                           "ground:\n"
                           "  nodes:\n"
                           "    mount: {position: [0, 0, 1], rotation: [1, 0, 0, 0]}\n"
                           "bodies:\n"
                           "  - name: forearm     # listed before its parent\n"
                           "    parent: link\n"
                           "    at: tip\n"
                           "    hinge: {type: screw, axis: [0, 2, 0], pitch: 0.01}\n"
                           "    mass: 1\n"
                           "  - name: link\n"
                           "    parent: ground\n"
                           "    at: mount\n"
                           "    by: root\n"
                           "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                           "    mass: 2.0\n"
                           "    com: [0.5, 0, 0]\n"
                           "    inertia: [0.1, 0.2, 0.2, 0, 0, 0.01]\n"
                           "    nodes:\n"
                           "      root: {position: [0, 0, 0]}\n"
                           "      tip: {position: [1, 0, 0], rotation: [1, 0, 0, 0]}\n";

static const char json[] =
    "{\"limber\": 1, \"name\": \"two-link arm\", \"gravity\": [0, 0, -9.81],"
    "\"ground\": {\"nodes\": {\"mount\": {\"position\": [0, 0, 1], \"rotation\": [1, 0, 0, 0]}}},"
    "\"bodies\": [{\"name\": \"forearm\", \"parent\": \"link\", \"at\": \"tip\", \"hinge\": "
    "{\"type\": \"screw\", \"axis\": [0, 2, 0], \"pitch\": 0.01}, \"mass\": 1},"
    "{\"name\": \"link\", \"parent\": \"ground\", \"at\": \"mount\", \"by\": \"root\", \"hinge\": "
    "{\"type\": \"revolute\", \"axis\": [0, 0, 1]}, \"mass\": 2.0, \"com\": [0.5, 0, 0],"
    "\"inertia\": [0.1, 0.2, 0.2, 0, 0, 0.01], \"nodes\": {\"root\": {\"position\": [0, 0, 0]},"
    "\"tip\": {\"position\": [1, 0, 0], \"rotation\": [1, 0, 0, 0]}}}]}";

static void expect_arm(const lb_model *model)
{
    assert_string_equal(lb_get_model_name(model), "two-link arm");
    double gravity[3];
    lb_get_gravity(model, gravity);
    assert_true(gravity[0] == 0 && gravity[1] == 0 && gravity[2] == -9.81);
    assert_int_equal(lb_get_body_count(model), 2);
    assert_int_equal(lb_find_node(model, LB_GROUND, "mount"), 1);
    assert_string_equal(lb_get_body_name(model, 0), "forearm");
    assert_string_equal(lb_get_body_name(model, 1), "link");
    assert_int_equal(lb_get_hinge(model, 0).parent, 1);
    assert_int_equal(lb_get_hinge(model, 1).parent, LB_GROUND);
    assert_int_equal(lb_get_hinge(model, 0).type, LB_HINGE_SCREW);
    assert_int_equal(lb_get_hinge(model, 1).type, LB_HINGE_REVOLUTE);
    assert_string_equal(lb_get_node_name(model, 1, lb_get_hinge(model, 0).parent_node), "tip");
    assert_string_equal(lb_get_node_name(model, LB_GROUND, lb_get_hinge(model, 1).parent_node),
                        "mount");
    assert_string_equal(lb_get_node_name(model, 1, lb_get_hinge(model, 1).node), "root");
    assert_int_equal(lb_get_hinge(model, 0).node, 0);
    assert_int_equal(lb_get_q_count(model), 2);

    // 1e-15: the model keeps inertia about another point and turns it back
    double mass, com[3], inertia[6];
    const double expected[6] = {0.1, 0.2, 0.2, 0, 0, 0.01};
    lb_get_mass_properties(model, 1, &mass, com, inertia);
    assert_true(mass == 2.0);
    assert_float_equal(com[0], 0.5, 1e-15);
    for (int i = 0; i < 6; ++i) {
        assert_float_equal(inertia[i], expected[i], 1e-15);
    }
}

static void a_yaml_model_is_what_it_says(void **state)
{
    (void)state;
    lb_model *model = load(yaml, "arm.yaml");
    expect_arm(model);
    lb_destroy_model(model);
}

static void a_json_model_is_what_it_says(void **state)
{
    (void)state;
    lb_model *model = load(json, "arm.json");
    expect_arm(model);
    lb_destroy_model(model);
}

static void json_is_yaml_as_well(void **state)
{
    (void)state;
    lb_model *model = load(json, "arm");
    expect_arm(model);
    lb_destroy_model(model);
}

static void a_name_that_ends_in_json_is_read_as_json(void **state)
{
    (void)state;
    lb_model *model = NULL;
    assert_int_equal(
        lb_load_model_text("limber: 1", 9, "a.json", LB_FORMAT_AUTO, NULL, NULL, &model),
        LB_E_SYNTAX);
    assert_int_equal(
        lb_load_model_text("limber: 1", 9, "a.json", LB_FORMAT_YAML, NULL, NULL, &model), LB_OK);
    lb_destroy_model(model);
}

static void every_hinge_type_can_be_written(void **state)
{
    (void)state;
    static const char *const keys[LB_HINGE_TYPE_COUNT] = {
        [LB_HINGE_FIXED] = "",
        [LB_HINGE_REVOLUTE] = ", axis: [1, 0, 0]",
        [LB_HINGE_PRISMATIC] = ", axis: [1, 0, 0]",
        [LB_HINGE_SCREW] = ", axis: [1, 0, 0]",
        [LB_HINGE_CYLINDRICAL] = ", axis: [1, 0, 0]",
        [LB_HINGE_UNIVERSAL] = ", axes: [[1, 0, 0], [0, 1, 0]]",
        [LB_HINGE_PLANAR] = "",
        [LB_HINGE_TRANSLATIONAL] = "",
        [LB_HINGE_SPHERICAL] = "",
        [LB_HINGE_FREE] = "",
    };
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        char text[256];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: %s%s}}]\n",
                 lb_get_hinge_type_name((lb_hinge_type)type), keys[type]);
        lb_model *model = load(text, "a");
        assert_int_equal(lb_get_hinge(model, 0).type, type);
        lb_destroy_model(model);
    }
}

static void a_flexible_body_is_what_it_says(void **state)
{
    (void)state;
    // the same matrix as a diagonal and in full
    static const char *const stiffness[] = {"[120, 80]", "[[120, 0], [0, 80]]"};
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n  - name: panel\n    by: n1\n    hinge: {type: fixed}\n"
                 "    flex:\n      fidelity: consistent\n      nodes:\n"
                 "        - {name: n0, mass: 0.4, shape: [[0,0,0,0,0,0], [0,0,0,0,0,0]]}\n"
                 "        - {name: n1, position: [1, 0, 0], mass: 0.6, offset: [0, 0, 0.5],\n"
                 "           shape: [[0,0,1.38,0,1,0], [0,-1.38,0,0,0,1]],\n"
                 "           second_order: [[0, 0, [-1.2, 0, 0]], [0, 1, [0, 0, 0.1]]]}\n"
                 "      stiffness: %s\n      damping: [[0.4, 0.1], [0.1, 0.3]]\n",
                 stiffness[i]);
        lb_model *model = load(text, "panel.yaml");
        assert_int_equal(lb_get_mode_count(model, 0), 2);
        assert_int_equal(lb_get_fidelity(model, 0), LB_FIDELITY_CONSISTENT);
        assert_int_equal(lb_get_node_count(model, 0), 3);
        assert_string_equal(lb_get_node_name(model, 0, lb_get_hinge(model, 0).node), "n1");
        double K[4], C[4], mass, com[3], inertia[6];
        lb_get_modal_matrices(model, 0, K, C);
        assert_true(K[0] == 120 && K[1] == 0 && K[2] == 0 && K[3] == 80);
        assert_true(C[0] == 0.4 && C[1] == 0.1 && C[2] == 0.1 && C[3] == 0.3);
        lb_get_mass_properties(model, 0, &mass, com, inertia);
        // 1e-15: sums of two
        assert_float_equal(mass, 1.0, 1e-15);
        assert_float_equal(com[0], 0.6, 1e-15);
        assert_float_equal(com[2], 0.3, 1e-15);
        lb_destroy_model(model);
    }
}

static void a_model_may_be_empty(void **state)
{
    (void)state;
    lb_model *model = load("limber: 1\nloops: []\n", "a");
    assert_int_equal(lb_get_body_count(model), 0);
    assert_string_equal(lb_get_model_name(model), "");
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_yaml_model_is_what_it_says),
        cmocka_unit_test(a_json_model_is_what_it_says),
        cmocka_unit_test(json_is_yaml_as_well),
        cmocka_unit_test(a_name_that_ends_in_json_is_read_as_json),
        cmocka_unit_test(every_hinge_type_can_be_written),
        cmocka_unit_test(a_flexible_body_is_what_it_says),
        cmocka_unit_test(a_model_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
