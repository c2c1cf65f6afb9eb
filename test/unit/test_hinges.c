// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every hinge type against the table of the model format: its pose, by hand for chosen axes, and
// the velocity that each speed gives, both written in O and as the derivative of the pose.
#include <math.h>
#include <string.h>

#include "check.h"

// Hand values and library differ by a few roundings of sines and cosines.
static const double LB_TOLERANCE = 8e-15;

// One body of no consequence on a hinge at the world's frame, both nodes the frames themselves.
static lb_model *lb_build_hinge(const lb_hinge_options *hinge)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    assert_non_null(builder);
    lb_body_options body = lb_default_body_options();
    body.name = "body";
    body.hinge = *hinge;
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    lb_model *model;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

// What the table says of a hinge at a state: pose, and velocity of O relative to O+, in O.
typedef struct lb_hinge_case {
    const char *name;
    lb_hinge_options hinge;
    double q[7], v[6];
    double R[9], p[3];
    double V[6];
} lb_hinge_case;

static void lb_check_case(const lb_hinge_case *c)
{
    lb_model *model = lb_build_hinge(&c->hinge);
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    lb_node_motion motion;
    lb_expect_ok(lb_compute_kinematics(model, work, c->q, c->v, NULL));
    lb_expect_ok(lb_compute_node_motion(model, work, 0, 0, &motion));
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
    lb_expect_within(c->name, &R.m[0][0], c->R, 9, LB_TOLERANCE);
    lb_expect_within(c->name, motion.position, c->p, 3, LB_TOLERANCE);
    double V[6];
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(motion.velocity)), V);
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(motion.velocity + 3)), V + 3);
    lb_expect_within(c->name, V, c->V, 6, LB_TOLERANCE);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void pose_and_velocity_are_those_of_the_table(void **state)
{
    (void)state;
    const double a = 0.7, b = -0.4, ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
    const double h = sqrt(0.5);
    // axes are longer or shorter than one on purpose
    const lb_hinge_case cases[] = {
        {"fixed", {LB_HINGE_FIXED, {0}, {{0}}, 0}, {0}, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}, {0}},
        {"revolute about x",
         {LB_HINGE_REVOLUTE, {2, 0, 0}, {{0}}, 0},
         {a},
         {3},
         {1, 0, 0, 0, ca, -sa, 0, sa, ca},
         {0},
         {3, 0, 0, 0, 0, 0}},
        {"revolute about -z",
         {LB_HINGE_REVOLUTE, {0, 0, -0.1}, {{0}}, 0},
         {a},
         {3},
         {ca, sa, 0, -sa, ca, 0, 0, 0, 1},
         {0},
         {0, 0, -3, 0, 0, 0}},
        {"prismatic along y",
         {LB_HINGE_PRISMATIC, {0, 5, 0}, {{0}}, 0},
         {0.3},
         {2},
         {1, 0, 0, 0, 1, 0, 0, 0, 1},
         {0, 0.3, 0},
         {0, 0, 0, 0, 2, 0}},
        {"screw along y",
         {LB_HINGE_SCREW, {0, 2, 0}, {{0}}, 0.25},
         {a},
         {2},
         {ca, 0, sa, 0, 1, 0, -sa, 0, ca},
         {0, 0.25 * a, 0},
         {0, 2, 0, 0, 0.5, 0}},
        {"cylindrical along x",
         {LB_HINGE_CYLINDRICAL, {3, 0, 0}, {{0}}, 0},
         {a, 0.6},
         {2, -1},
         {1, 0, 0, 0, ca, -sa, 0, sa, ca},
         {0.6, 0, 0},
         {2, 0, 0, -1, 0, 0}},
        // Rz(a) Rx(b); the first axis, seen from O, is Rx(b)' z = (0, sin b, cos b)
        {"universal z, then x",
         {LB_HINGE_UNIVERSAL, {0}, {{0, 0, 4}, {0.5, 0, 0}}, 0},
         {a, b},
         {2, 3},
         {ca, -sa * cb, sa * sb, sa, ca * cb, -ca * sb, 0, sb, cb},
         {0},
         {3, 2 * sb, 2 * cb, 0, 0, 0}},
        // velocity (2, 3) along x and y of O+, seen from O turned by a
        {"planar",
         {LB_HINGE_PLANAR, {0}, {{0}}, 0},
         {0.1, 0.2, a},
         {2, 3, 4},
         {ca, -sa, 0, sa, ca, 0, 0, 0, 1},
         {0.1, 0.2, 0},
         {0, 0, 4, 2 * ca + 3 * sa, 3 * ca - 2 * sa, 0}},
        {"translational",
         {LB_HINGE_TRANSLATIONAL, {0}, {{0}}, 0},
         {0.1, 0.2, 0.3},
         {4, 5, 6},
         {1, 0, 0, 0, 1, 0, 0, 0, 1},
         {0.1, 0.2, 0.3},
         {0, 0, 0, 4, 5, 6}},
        // a quarter turn about y takes z to x
        {"spherical",
         {LB_HINGE_SPHERICAL, {0}, {{0}}, 0},
         {h, 0, h, 0},
         {1, 2, 3},
         {0, 0, 1, 0, 1, 0, -1, 0, 0},
         {0},
         {1, 2, 3, 0, 0, 0}},
        {"free",
         {LB_HINGE_FREE, {0}, {{0}}, 0},
         {h, 0, h, 0, 0.1, 0.2, 0.3},
         {1, 2, 3, 4, 5, 6},
         {0, 0, 1, 0, 1, 0, -1, 0, 0},
         {0.1, 0.2, 0.3},
         {1, 2, 3, 4, 5, 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_check_case(&cases[i]);
    }
}

// The derivative of the pose, with dq/dt from lb_compute_configuration_rate, is the velocity, for
// random axes and states. By central differences on q itself, quaternions left off unit length by
// h^2, as an integrator would leave them.
static void velocity_is_the_derivative_of_the_pose(void **state)
{
    (void)state;
    for (int i = 0; i < 5 * LB_HINGE_TYPE_COUNT; ++i) {
        const lb_hinge_type type = (lb_hinge_type)(i % LB_HINGE_TYPE_COUNT);
        const uint64_t seed = lb_get_base_seed() * 1000 + (uint64_t)i;
        lb_trial t = lb_begin_scene_trial(lb_create_single_body(type, 9.81, seed), seed);
        const double h = 1e-5;
        double rate[7] = {0}, q[7] = {0};
        lb_node_motion motion, at[2];
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_compute_node_motion(t.model, t.work, 0, 0, &motion));
        lb_compute_configuration_rate(t.model, t.q, t.v, rate);
        for (int side = 0; side < 2; ++side) {
            for (int j = 0; j < t.q_count; ++j) {
                q[j] = t.q[j] + (side ? h : -h) * rate[j];
            }
            lb_expect_ok(lb_normalize_configuration(t.model, 1e-6, q, NULL));
            lb_expect_ok(lb_compute_kinematics(t.model, t.work, q, NULL, NULL));
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, 0, 0, &at[side]));
        }
        // R(+h) R(-h)' is a turn by 2 h omega: its antisymmetric part
        const lb_mat3 R1 = lb_quat_to_mat3(lb_quat_from(at[1].rotation));
        const lb_mat3 R0 = lb_quat_to_mat3(lb_quat_from(at[0].rotation));
        const lb_mat3 turn = lb_mat3_mul_t(&R1, &R0);
        const double V[6] = {(turn.m[2][1] - turn.m[1][2]) / (4.0 * h),
                             (turn.m[0][2] - turn.m[2][0]) / (4.0 * h),
                             (turn.m[1][0] - turn.m[0][1]) / (4.0 * h),
                             (at[1].position[0] - at[0].position[0]) / (2.0 * h),
                             (at[1].position[1] - at[0].position[1]) / (2.0 * h),
                             (at[1].position[2] - at[0].position[2]) / (2.0 * h)};
        // truncation h^2 |w|^3 = 1e-9 at worst, round-off 1e-15 / h
        lb_expect_within(lb_get_hinge_type_name(type), V, motion.velocity, 6, 2e-9);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pose_and_velocity_are_those_of_the_table),
        cmocka_unit_test(velocity_is_the_derivative_of_the_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
