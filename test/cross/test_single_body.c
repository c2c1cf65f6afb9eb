// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One body on one hinge, against the formulas of rigid-body mechanics.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

// 1e-13 throughout: a single body, a few dozen operations, and a factor of 100 for cancellation.
static const double LB_TOLERANCE = 1e-13;

// Inertia of the only body about its hinge node O, in the axes of O, and its centre from there.
static lb_sym3 lb_get_inertia_at_hinge(const lb_scene_body *body, lb_vec3 *com)
{
    const lb_scene_node *O = &body->nodes[body->by];
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(O->rotation)), R_back = lb_mat3_transpose(&R);
    const lb_vec3 d = lb_vec3_sub(lb_vec3_from(body->com), lb_vec3_from(O->position));
    *com = lb_mat3_mul_vec(&R_back, d);
    return lb_sym3_add(lb_sym3_rotate(&R_back, lb_sym3_from(body->inertia)),
                       lb_sym3_point(body->mass, *com));
}

// Gravity in the axes of O+ (which are those of O for hinges that do not turn).
static lb_vec3 lb_get_gravity_at_hinge(const lb_scene *scene)
{
    const double *r = scene->ground[scene->bodies[0].at].rotation;
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(r));
    return lb_mat3_tmul_vec(&R, lb_vec3_from(scene->gravity));
}

static lb_vec3 lb_get_unit(const double axis[3])
{
    const lb_vec3 a = lb_vec3_from(axis);
    return lb_vec3_scale(1.0 / lb_vec3_norm(a), a);
}

// (J + m d~d~') theta'' = tau + a . (c x m g), with g turned into O
static void revolute_body_is_a_physical_pendulum(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_trial t =
            lb_begin_scene_trial(lb_create_single_body(LB_HINGE_REVOLUTE, 9.81, seed), seed);
        const lb_scene_body *body = &t.scene->bodies[0];
        lb_vec3 c;
        const lb_sym3 J = lb_get_inertia_at_hinge(body, &c);
        const lb_vec3 a = lb_get_unit(body->hinge.axis), g = lb_get_gravity_at_hinge(t.scene);
        // Rodrigues: turn g by -theta about a
        const double s = sin(-t.q[0]), k = cos(t.q[0]);
        lb_vec3 turned = lb_vec3_axpy(lb_vec3_scale(k, g), s, lb_vec3_cross(a, g));
        turned = lb_vec3_axpy(turned, (1.0 - k) * lb_vec3_dot(a, g), a);
        const double inertia = lb_vec3_dot(a, lb_sym3_mul_vec(J, a));
        const double moment = lb_vec3_dot(a, lb_vec3_cross(c, lb_vec3_scale(body->mass, turned)));
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_near("acceleration", t.a[0], (t.tau[0] + moment) / inertia, LB_TOLERANCE);
        lb_end_trial(&t);
    }
}

// m x'' = tau + m g, along the axis or along all three
static void translating_bodies_fall_like_points(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_trial t =
            lb_begin_scene_trial(lb_create_single_body(LB_HINGE_PRISMATIC, 9.81, seed), seed);
        double m = t.scene->bodies[0].mass;
        const lb_vec3 a = lb_get_unit(t.scene->bodies[0].hinge.axis);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_near("prismatic", t.a[0],
                       t.tau[0] / m + lb_vec3_dot(a, lb_get_gravity_at_hinge(t.scene)),
                       LB_TOLERANCE);
        lb_end_trial(&t);

        t = lb_begin_scene_trial(lb_create_single_body(LB_HINGE_TRANSLATIONAL, 9.81, seed), seed);
        m = t.scene->bodies[0].mass;
        double expected[3];
        const lb_vec3 force = lb_vec3_scale(1.0 / m, lb_vec3_from(t.tau));
        lb_vec3_to(lb_vec3_add(force, lb_get_gravity_at_hinge(t.scene)), expected);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_close("translational", t.a, expected, 3, LB_TOLERANCE);
        lb_end_trial(&t);
    }
}

// J w' + w x J w = tau about a fixed point, no gravity
static void spherical_body_obeys_eulers_equations(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_trial t =
            lb_begin_scene_trial(lb_create_single_body(LB_HINGE_SPHERICAL, 0.0, seed), seed);
        lb_vec3 c;
        const lb_sym3 J = lb_get_inertia_at_hinge(&t.scene->bodies[0], &c);
        const lb_vec3 w = lb_vec3_from(t.v);
        double expected[3];
        lb_vec3_to(lb_vec3_add(lb_sym3_mul_vec(J, lb_vec3_from(t.a)),
                               lb_vec3_cross(w, lb_sym3_mul_vec(J, w))),
                   expected);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
        lb_expect_close("moment", t.tau, expected, 3, LB_TOLERANCE);
        lb_end_trial(&t);
    }
}

// Newton and Euler of a free body about O, its speeds in the axes of O:
//     force  = m (v' + w x v + w' x c + w x (w x c) - g)
//     moment = J w' + w x J w + m c x (v' + w x v - g)
static void free_body_obeys_newton_and_euler(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_trial t = lb_begin_scene_trial(lb_create_single_body(LB_HINGE_FREE, 9.81, seed), seed);
        const double m = t.scene->bodies[0].mass;
        lb_vec3 c;
        const lb_sym3 J = lb_get_inertia_at_hinge(&t.scene->bodies[0], &c);
        const lb_vec3 w = lb_vec3_from(t.v), v = lb_vec3_from(t.v + 3);
        const lb_vec3 w_dot = lb_vec3_from(t.a), v_dot = lb_vec3_from(t.a + 3);
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(t.q));
        const lb_vec3 g = lb_mat3_tmul_vec(&R, lb_get_gravity_at_hinge(t.scene));
        const lb_vec3 origin = lb_vec3_sub(lb_vec3_add(v_dot, lb_vec3_cross(w, v)), g);
        const lb_vec3 centre = lb_vec3_add(
            origin, lb_vec3_add(lb_vec3_cross(w_dot, c), lb_vec3_cross(w, lb_vec3_cross(w, c))));
        const lb_vec3 gyro = lb_vec3_cross(w, lb_sym3_mul_vec(J, w));
        double expected[6];
        lb_vec3_to(lb_vec3_add(lb_vec3_add(lb_sym3_mul_vec(J, w_dot), gyro),
                               lb_vec3_scale(m, lb_vec3_cross(c, origin))),
                   expected);
        lb_vec3_to(lb_vec3_scale(m, centre), expected + 3);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
        lb_expect_close("force", t.tau, expected, 6, LB_TOLERANCE);
        lb_end_trial(&t);
    }
}

// (J_aa + m pitch^2 + ...): a screw is a cylindrical hinge whose distance follows its angle, so its
// mass and bias are those of the cylindrical one, projected by (1, pitch).
static void screw_is_a_constrained_cylindrical_hinge(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_scene *scene = lb_create_single_body(LB_HINGE_SCREW, 9.81, seed);
        lb_trial t = lb_begin_scene_trial(scene, seed);
        lb_scene *other = lb_create_single_body(LB_HINGE_SCREW, 9.81, seed);
        other->bodies[0].hinge.type = LB_HINGE_CYLINDRICAL;
        lb_count_scene(other);
        lb_trial u = lb_begin_scene_trial(other, seed);
        const double p = scene->bodies[0].hinge.pitch;
        u.q[0] = t.q[0];
        u.q[1] = p * t.q[0];
        u.v[0] = t.v[0];
        u.v[1] = p * t.v[0];
        double M, c, N[4], d[2];
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, &M));
        lb_expect_ok(lb_compute_bias(t.model, t.work, t.q, t.v, &c));
        lb_expect_ok(lb_compute_mass_matrix(u.model, u.work, u.q, N));
        lb_expect_ok(lb_compute_bias(u.model, u.work, u.q, u.v, d));
        lb_expect_near("mass", M, N[0] + 2.0 * p * N[1] + p * p * N[3], LB_TOLERANCE);
        lb_expect_near("bias", c, d[0] + p * d[1], LB_TOLERANCE);
        lb_end_trial(&t);
        lb_end_trial(&u);
    }
}

// A needle that turns about its own axis, alone and with another in line behind it: what it weighs
// there is a billionth of what it weighs across, and not lost in its round-off.
static void slender_body_keeps_the_inertia_about_its_axis(void **state)
{
    (void)state;
    const double along = 1.0 / 3e9; // kg m^2
    lb_builder *builder = lb_create_builder(NULL, NULL);
    for (int k = 0; k < 2; ++k) {
        lb_body_options options = lb_default_body_options();
        options.name = k ? "second" : "first";
        options.parent = k ? "first" : "ground";
        options.hinge.type = LB_HINGE_REVOLUTE;
        options.hinge.axis[2] = 1.0;
        options.mass = 1.7;
        options.com[2] = 0.4;
        options.inertia[0] = options.inertia[1] = 0.7;
        options.inertia[2] = along;
        lb_expect_ok(lb_add_body(builder, &options, NULL));
    }
    lb_model *model = NULL;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    const double q[2] = {0.3, 1.1};
    double M[4];
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
    // 1e-14: a few roundings of numbers of this very size
    lb_expect_near("both", M[0], 2.0 * along, 1e-14);
    lb_expect_near("between", M[1], along, 1e-14);
    lb_expect_near("second", M[3], along, 1e-14);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolute_body_is_a_physical_pendulum),
        cmocka_unit_test(translating_bodies_fall_like_points),
        cmocka_unit_test(spherical_body_obeys_eulers_equations),
        cmocka_unit_test(free_body_obeys_newton_and_euler),
        cmocka_unit_test(screw_is_a_constrained_cylindrical_hinge),
        cmocka_unit_test(slender_body_keeps_the_inertia_about_its_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
