// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Robots in URDF: what becomes of links and joints.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "heard.h"
#include "limber/io.h"

#define EVERYTHING lb_find_source("test/data/urdf/everything.urdf")

static lb_model *load_with(const char *path, int floating_base, int keep_fixed)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_load_options options = lb_default_load_options();
    options.floating_base = floating_base;
    options.keep_fixed = keep_fixed;
    lb_model *model = NULL;
    const lb_status status = lb_load_model(path, &options, &report, &model);
    lb_print_heard(&heard);
    assert_int_equal(status, LB_OK);
    assert_int_equal(heard.count, 0);
    return model;
}

static lb_model *load_text(const char *text, lb_format format)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, strlen(text), "robot", format, NULL, &report, &model);
    lb_print_heard(&heard);
    assert_int_equal(status, LB_OK);
    assert_int_equal(heard.count, 0);
    return model;
}

static void expect_names(const lb_model *model, const char *const *names, int count)
{
    assert_int_equal(lb_get_body_count(model), count);
    for (int i = 0; i < count; ++i) {
        assert_string_equal(lb_get_body_name(model, i), names[i]);
    }
}

// ---- structure ---------------------------------------------------------------------------------

static void bodies_follow_the_joints_of_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"lower", "upper", "slider", "puck", "drone"};
    static const lb_hinge_type types[] = {LB_HINGE_REVOLUTE, LB_HINGE_REVOLUTE, LB_HINGE_PRISMATIC,
                                          LB_HINGE_PLANAR, LB_HINGE_FREE};
    lb_model *model = load_with(EVERYTHING, 0, 0);
    assert_string_equal(lb_get_model_name(model), "everything");
    expect_names(model, names, 5);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(lb_get_hinge(model, i).type, types[i]);
    }
    assert_int_equal(lb_get_v_count(model), 1 + 1 + 1 + 3 + 6);
    double gravity[3];
    lb_get_gravity(model, gravity);
    assert_true(gravity[0] == 0 && gravity[1] == 0 && gravity[2] == -9.81);
    lb_destroy_model(model);
}

static void links_on_fixed_joints_become_nodes(void **state)
{
    (void)state;
    lb_model *model = load_with(EVERYTHING, 0, 0);
    const int lower = lb_find_body(model, "lower"), puck = lb_find_body(model, "puck");
    assert_true(lb_find_node(model, LB_GROUND, "base") > 0);
    assert_true(lb_find_node(model, lower, "wrist") > 0);
    assert_true(lb_find_node(model, lower, "camera") > 0);
    assert_true(lb_find_node(model, puck, "lens") > 0);
    assert_int_equal(lb_find_body(model, "wrist"), LB_NOT_FOUND);
    // 1.5 kg of its own, 0.3 kg of the camera
    double mass, com[3], inertia[6];
    lb_get_mass_properties(model, lower, &mass, com, inertia);
    lb_expect_near("mass", mass, 1.8, 1e-15);
    lb_destroy_model(model);
}

static void hinges_sit_at_nodes_named_after_joints(void **state)
{
    (void)state;
    lb_model *model = load_with(EVERYTHING, 0, 0);
    // a link fixed to the same body has the name "camera"
    static const char *const nodes[] = {"elbow", "shoulder", "camera_joint", "table", "sky"};
    for (int body = 0; body < 5; ++body) {
        const int parent = lb_get_hinge(model, body).parent,
                  node = lb_get_hinge(model, body).parent_node;
        assert_string_equal(lb_get_node_name(model, parent, node), nodes[body]);
    }
    lb_destroy_model(model);
}

static void fixed_joints_are_kept_on_request(void **state)
{
    (void)state;
    static const char *const names[] = {"base",   "lower", "upper", "wrist", "camera",
                                        "slider", "puck",  "drone", "lens"};
    lb_model *model = load_with(EVERYTHING, 0, 1);
    expect_names(model, names, 9);
    assert_int_equal(lb_get_hinge(model, 0).type, LB_HINGE_FIXED);
    assert_int_equal(lb_get_hinge(model, 3).type, LB_HINGE_FIXED);
    assert_int_equal(lb_get_v_count(model), 12);
    lb_destroy_model(model);
}

static void a_floating_base_comes_first(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "lower", "upper", "slider", "puck", "drone"};
    lb_model *model = load_with(EVERYTHING, 1, 0);
    expect_names(model, names, 6);
    assert_int_equal(lb_get_hinge(model, 0).type, LB_HINGE_FREE);
    assert_int_equal(lb_get_hinge(model, 0).parent, LB_GROUND);
    assert_int_equal(lb_get_v_offset(model, 0), 0);
    lb_destroy_model(model);
}

static void a_robot_of_one_link_is_the_ground_or_a_body(void **state)
{
    (void)state;
    lb_model *model = load_text("<robot><link name='ground'/></robot>", LB_FORMAT_URDF);
    assert_int_equal(lb_get_body_count(model), 0);
    assert_true(lb_find_node(model, LB_GROUND, "ground") > 0);
    lb_destroy_model(model);
}

static void xml_is_recognised_without_its_name(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "<robot><link name='a'/></robot>", "  \r\n\t<robot><link name='a'/></robot>",
        "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?><robot><link name='a'/></robot>",
        // left behind by xacro, and harmless
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/></robot>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        lb_destroy_model(load_text(texts[i], LB_FORMAT_AUTO));
    }
}

// ---- numbers by hand ---------------------------------------------------------------------------

static void an_arm_equals_the_same_arm_in_yaml(void **state)
{
    (void)state;
    // quarter turns, so that every number can be written down
    lb_model *urdf = load_text(
        "<robot name='arm'>"
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
        "<mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/>"
        "</inertial></link><link name='world'/><link name='b'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='j' type='revolute'><origin xyz='0 0 1' rpy='1.5707963267948966 0 0'/>"
        "<parent link='world'/><child link='a'/><axis xyz='0 0 1'/></joint>"
        "<joint name='k' type='prismatic'><origin xyz='1 0 0'/><parent link='a'/>"
        "<child link='b'/></joint></robot>",
        LB_FORMAT_URDF);
    // turned by 90 degrees about z: x' = y, y' = -x
    lb_model *yaml = load_text(
        "{limber: 1, gravity: [0, 0, -9.81], ground: {nodes: {j: {position: [0, 0, 1], rotation: "
        "[0.7071067811865476, 0.7071067811865475, 0, 0]}}}, bodies: ["
        "{name: a, at: j, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [1, 2, 3], "
        "inertia: [2, 1, 2.5, -0.1, -0.3, 0.2], nodes: {k: {position: [1, 0, 0]}}}, "
        "{name: b, parent: a, at: k, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1, "
        "inertia: [1, 1, 1, 0, 0, 0]}]}",
        LB_FORMAT_YAML);
    lb_work *work[2] = {lb_create_work(urdf), lb_create_work(yaml)};
    const double q[2] = {0.3, -0.7}, v[2] = {1.1, 0.4};
    double M[2][4], c[2][2];
    lb_expect_ok(lb_tree_mass_matrix(urdf, work[0], q, M[0]));
    lb_expect_ok(lb_tree_mass_matrix(yaml, work[1], q, M[1]));
    lb_expect_close("M", M[0], M[1], 4, 1e-14);
    lb_expect_ok(lb_tree_bias(urdf, work[0], q, v, c[0]));
    lb_expect_ok(lb_tree_bias(yaml, work[1], q, v, c[1]));
    lb_expect_close("c", c[0], c[1], 2, 1e-14);
    lb_destroy_work(work[0]);
    lb_destroy_work(work[1]);
    lb_destroy_model(urdf);
    lb_destroy_model(yaml);
}

static void roll_pitch_and_yaw_turn_about_fixed_axes(void **state)
{
    (void)state;
    lb_model *model = load_text("<robot><link name='w'/><link name='f'/>"
                                "<joint name='j' type='fixed'><parent link='w'/><child link='f'/>"
                                "<origin rpy='0.3 -0.5 0.7'/></joint></robot>",
                                LB_FORMAT_URDF);
    lb_work *work = lb_create_work(model);
    lb_node_motion motion;
    lb_expect_ok(lb_compute_kinematics(model, work, NULL, NULL, NULL));
    const int node = lb_find_node(model, LB_GROUND, "f");
    lb_expect_ok(lb_compute_node_motion(model, work, LB_GROUND, node, &motion));
    // Rz(yaw) Ry(pitch) Rx(roll), multiplied out
    const double cr = cos(0.3), sr = sin(0.3), cp = cos(-0.5), sp = sin(-0.5), cy = cos(0.7),
                 sy = sin(0.7);
    // clang-format off
    const double expected[9] = {cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
                                sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
                                -sp,     cp * sr,                cp * cr};
    // clang-format on
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
    lb_expect_close("R", &R.m[0][0], expected, 9, 1e-15);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void a_planar_joint_moves_across_its_axis(void **state)
{
    (void)state;
    static const char *const axes[] = {"0 0 1", "1 0 0", "0 -1 0", "0 0 -1", "1 2 -2"};
    static const double n[5][3] = {
        {0, 0, 1}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1 / 3.0, 2 / 3.0, -2 / 3.0}};
    for (int i = 0; i < 5; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "<robot><link name='w'/><link name='f'><inertial><mass value='1'/><inertia "
                 "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
                 "<joint name='j' type='planar'><parent link='w'/><child link='f'/><axis "
                 "xyz='%s'/></joint></robot>",
                 axes[i]);
        lb_model *model = load_text(text, LB_FORMAT_URDF);
        lb_work *work = lb_create_work(model);
        lb_node_motion rest, moved;
        const double zero[3] = {0, 0, 0}, q[3] = {0.3, -0.4, 0.6}, v[3] = {0, 0, 2};
        lb_expect_ok(lb_compute_kinematics(model, work, zero, zero, NULL));
        lb_expect_ok(lb_compute_node_motion(model, work, 0, 0, &rest));
        lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
        lb_expect_ok(lb_compute_node_motion(model, work, 0, 0, &moved));
        // at rest the link's frame is the joint's; it moves by 0.5 in the plane, turns by 0.6
        const double identity[4] = {1, 0, 0, 0}, turn[3] = {2 * n[i][0], 2 * n[i][1], 2 * n[i][2]};
        lb_expect_within("rest", rest.rotation, identity, 4, 1e-15);
        const lb_vec3 p = lb_vec3_from(moved.position), axis = lb_vec3_from(n[i]);
        lb_expect_near("distance", lb_vec3_norm(p), 0.5, 1e-15);
        lb_expect_below("height", lb_vec3_dot(p, axis), 1e-15);
        lb_expect_near("half angle", moved.rotation[0], cos(0.3), 1e-15);
        lb_expect_close("rate", moved.velocity, turn, 3, 1e-15);
        lb_destroy_work(work);
        lb_destroy_model(model);
    }
}

// ---- two roads ---------------------------------------------------------------------------------

static void position_of(const lb_model *model, lb_work *work, const char *link, double out[3])
{
    int body = lb_find_body(model, link), node = 0;
    for (int i = LB_GROUND; body < LB_GROUND && i < lb_get_body_count(model); ++i) {
        node = lb_find_node(model, i, link);
        body = node >= 0 ? i : body;
    }
    assert_true(body >= LB_GROUND);
    lb_node_motion motion;
    lb_expect_ok(lb_compute_node_motion(model, work, body, node, &motion));
    memcpy(out, motion.position, sizeof motion.position);
}

static void merging_changes_no_motion(void **state)
{
    (void)state;
    static const char *const links[] = {"base",   "upper", "lower", "wrist", "camera",
                                        "slider", "puck",  "drone", "lens"};
    for (int floating = 0; floating < 2; ++floating) {
        lb_model *models[2] = {load_with(EVERYTHING, floating, 0),
                               load_with(EVERYTHING, floating, 1)};
        const size_t nq = (size_t)lb_get_q_count(models[0]), n = (size_t)lb_get_v_count(models[0]);
        assert_int_equal(lb_get_q_count(models[1]), nq);
        assert_int_equal(lb_get_v_count(models[1]), n);
        double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *tau = lb_make_numbers(n);
        double *a[2] = {lb_make_numbers(n), lb_make_numbers(n)};
        lb_random random;
        lb_seed_random(&random, 7);
        lb_draw_vector(&random, (int)n, 1.0, v);
        lb_draw_vector(&random, (int)n, 1.0, tau);
        lb_get_neutral_configuration(models[0], q);
        lb_integrate_configuration(models[0], q, v, q);
        lb_work *work[2];
        for (int k = 0; k < 2; ++k) {
            work[k] = lb_create_work(models[k]);
            lb_expect_ok(lb_tree_forward(models[k], work[k], q, v, tau, a[k]));
        }
        // 1e-12: cond(M) about 1e3
        lb_expect_close("a", a[0], a[1], n, 1e-12);
        for (size_t i = 0; i < sizeof links / sizeof *links; ++i) {
            double p[2][3];
            position_of(models[0], work[0], links[i], p[0]);
            position_of(models[1], work[1], links[i], p[1]);
            lb_expect_within(links[i], p[0], p[1], 3, 1e-14);
        }
        for (int k = 0; k < 2; ++k) {
            lb_destroy_work(work[k]);
            lb_destroy_model(models[k]);
            free(a[k]);
        }
        free(q);
        free(v);
        free(tau);
    }
}

// ---- joints that follow another ----------------------------------------------------------------

static void mimic_joints_become_couplers(void **state)
{
    (void)state;
#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0'"    \
    " ixz='0' iyz='0'/></inertial></link>"
#define JOINT(name, child, rest)                                                                   \
    "<joint name='" name "' type='revolute'><parent link='hand'/><child link='" child "'/>"        \
    "<axis xyz='0 0 1'/><limit effort='0' velocity='1'/>" rest "</joint>"
    lb_model *model = load_text(
        "<robot name='r'>" LINK("hand") LINK("left") LINK("right") LINK("thumb") JOINT(
            "l", "left", "") JOINT("r", "right", "<mimic joint='l' multiplier='-2' offset='0.5'/>")
            JOINT("t", "thumb", "<mimic joint='r' multiplier='0' offset='0.25'/>") "</robot>",
        LB_FORMAT_URDF);
    assert_int_equal(lb_get_loop_count(model), 2);
    assert_string_equal(lb_get_loop_name(model, 0), "r");
    assert_int_equal(lb_get_loop_info(model, 0).type, LB_LOOP_COUPLER);
    assert_int_equal(lb_get_loop_info(model, 0).term_count, 2);
    assert_int_equal(lb_get_loop_info(model, 1).term_count, 1);

    // r = -2 l + 0.5 and t = 0.25 satisfy it; a torque on l turns l and r: (1 + 4) a = tau
    const double q[3] = {0.3, -0.1, 0.25}, v[3] = {0}, tau[3] = {5.0, 0, 1.0};
    double a[3], errors[12];
    lb_work *work = lb_create_work(model);
    lb_expect_ok(lb_closed_forward(model, work, q, v, NULL, tau, a, NULL, NULL));
    lb_expect_near("l", a[0], 1.0, 1e-14);
    lb_expect_near("r", a[1], -2.0, 1e-14);
    lb_expect_below("t", a[2], 1e-14);
    lb_expect_ok(lb_compute_loop_errors(model, work, q, errors, NULL));
    lb_expect_below("r", errors[0], 1e-15);
    lb_expect_below("t", errors[6], 1e-15);
    lb_destroy_work(work);
    lb_destroy_model(model);
#undef LINK
#undef JOINT
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_follow_the_joints_of_the_file),
        cmocka_unit_test(links_on_fixed_joints_become_nodes),
        cmocka_unit_test(hinges_sit_at_nodes_named_after_joints),
        cmocka_unit_test(fixed_joints_are_kept_on_request),
        cmocka_unit_test(a_floating_base_comes_first),
        cmocka_unit_test(a_robot_of_one_link_is_the_ground_or_a_body),
        cmocka_unit_test(xml_is_recognised_without_its_name),
        cmocka_unit_test(an_arm_equals_the_same_arm_in_yaml),
        cmocka_unit_test(roll_pitch_and_yaw_turn_about_fixed_axes),
        cmocka_unit_test(a_planar_joint_moves_across_its_axis),
        cmocka_unit_test(merging_changes_no_motion),
        cmocka_unit_test(mimic_joints_become_couplers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
