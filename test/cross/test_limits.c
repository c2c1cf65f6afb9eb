// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where formulas come to their limits: massless bodies, welded bodies, and high speed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"

static void massless_tip_is_a_named_singularity(void **state)
{
    (void)state;
    lb_scene *scene = lb_create_revolute_chain(4);
    lb_scene_body *tip = &scene->bodies[3];
    tip->mass = 0.0;
    memset(tip->inertia, 0, sizeof tip->inertia);
    lb_trial t = lb_begin_scene_trial(scene, 1);
    int body = -7, offset = -7;
    assert_int_equal(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a),
                     LB_E_SINGULAR);
    lb_get_bad_inertia(t.work, &body, &offset);
    assert_int_equal(body, 3);
    assert_int_equal(offset, 0);
    assert_int_equal(lb_compute_articulated_inertia(t.model, t.work, t.q), LB_E_SINGULAR);

    // the composite road says the same
    double *M = lb_make_numbers(16);
    body = offset = -7;
    assert_int_equal(lb_tree_composite(t.model, t.work, t.q, t.v, t.tau, M, t.a), LB_E_SINGULAR);
    lb_get_bad_inertia(t.work, &body, &offset);
    assert_int_equal(body, 3);
    assert_int_equal(offset, 0);

    // inverse dynamics divides by nothing and works
    lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
    // and so does forward dynamics once the massless hinge is driven
    const unsigned char driven[4] = {0, 0, 0, 1};
    lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, t.a));
    free(M);
    lb_end_trial(&t);
}

static void singular_entry_is_named_among_a_hinges_speeds(void **state)
{
    (void)state;
    // a ball hinge that carries a thin rod along its z axis: no inertia about z
    lb_scene *scene = lb_create_single_body(LB_HINGE_SPHERICAL, 9.81, 5);
    lb_scene_body *rod = &scene->bodies[0];
    rod->by = 0;
    rod->mass = 1.0;
    memset(rod->com, 0, sizeof rod->com);
    memset(rod->inertia, 0, sizeof rod->inertia);
    rod->inertia[0] = rod->inertia[1] = 0.1;
    lb_trial t = lb_begin_scene_trial(scene, 5);
    int body = -7, offset = -7;
    assert_int_equal(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a),
                     LB_E_SINGULAR);
    lb_get_bad_inertia(t.work, &body, &offset);
    assert_int_equal(body, 0);
    assert_int_equal(offset, 2);
    lb_end_trial(&t);
}

// Two revolute hinges with a massless link between them are a universal hinge.
static void massless_link_between_crossed_axes_is_a_universal_hinge(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 2;
        options.shape = LB_SHAPE_CHAIN;
        options.shuffle = 0;
        options.plain_nodes = 1;
        options.hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
        lb_scene *pair = lb_create_tree(&options, seed);
        lb_scene *one = lb_create_single_body(LB_HINGE_UNIVERSAL, 9.81, seed);
        lb_scene_body *link = &pair->bodies[0], *body = &pair->bodies[1], *same = &one->bodies[0];
        link->mass = 0.0;
        memset(link->com, 0, sizeof link->com);
        memset(link->inertia, 0, sizeof link->inertia);
        memcpy(link->hinge.axis, same->hinge.axes[0], sizeof link->hinge.axis);
        memcpy(body->hinge.axis, same->hinge.axes[1], sizeof body->hinge.axis);
        same->at = same->by = 0;
        same->mass = body->mass;
        memcpy(same->com, body->com, sizeof same->com);
        memcpy(same->inertia, body->inertia, sizeof same->inertia);
        memcpy(one->gravity, pair->gravity, sizeof one->gravity);

        lb_trial t = lb_begin_scene_trial(pair, seed), u = lb_begin_scene_trial(one, seed);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, t.q, t.v, t.tau, u.a));
        // 1e-12: axes at least 30 degrees apart, so cond(M) below some hundred
        lb_expect_close("accelerations", t.a, u.a, 2, 1e-12);
        double M[4], N[4];
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
        lb_expect_ok(lb_compute_mass_matrix(u.model, u.work, t.q, N));
        // 1e-13: products only
        lb_expect_close("mass", M, N, 4, 1e-13);
        lb_end_trial(&t);
        lb_end_trial(&u);
    }
}

// The motion within a system does not depend on how fast the whole of it flies (Galileo). The
// linear speeds of a free hinge are written in its own axes, which turn: their derivatives gain
// -w x u, and nothing else may change.
static void high_base_speed_loses_no_digits(void **state)
{
    (void)state;
    for (int i = 0; i < 30; ++i) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 8;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.shuffle = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int n = t.v_count;
        double *fast = lb_make_numbers((size_t)n);
        const lb_vec3 u = {6e3, -7e3, 4e3}, w = lb_vec3_from(t.v);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        t.v[3] += u.x;
        t.v[4] += u.y;
        t.v[5] += u.z;
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, fast));
        double gained[3];
        lb_vec3_to(lb_vec3_cross(u, w), gained);
        for (int j = 0; j < 3; ++j) {
            // 1e-14 of numbers of order 1e4
            lb_expect_below("base", fast[3 + j] - gained[j] - t.a[3 + j], 1e-10);
            fast[3 + j] = t.a[3 + j];
        }
        // Inner accelerations see the speed only through that round-off: adding u to v and taking
        // w x v out again leaves 4e-12 of acceleration at worst, times cond(M) / 100. A bias that
        // holds terms of m u^2 would leave 1e-8 and more.
        lb_expect_close("inner accelerations", fast, t.a, n, 1e-10);
        free(fast);
        lb_end_trial(&t);
    }
}

// Bodies on fixed hinges, welded by hand, give the same dynamics.
static void fixed_hinge_is_a_weld(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 2;
        options.shuffle = 0;
        options.hinges = LB_HINGE_BIT(LB_HINGE_FIXED);
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        lb_trial t = lb_begin_trial(&options, seed);
        lb_scene *welded = lb_create_tree(&options, t.seed);
        const lb_scene_body *first = &t.scene->bodies[0], *second = &t.scene->bodies[1];

        // pose of the second body in the first: out to one node, back from the other
        const lb_scene_node *at = &first->nodes[second->at], *by = &second->nodes[second->by];
        const lb_pose out = {lb_quat_to_mat3(lb_quat_from(at->rotation)),
                             lb_vec3_from(at->position)};
        const lb_pose in = {lb_quat_to_mat3(lb_quat_from(by->rotation)),
                            lb_vec3_from(by->position)};
        const lb_pose back = lb_pose_inverse(&in), X = lb_pose_mul(&out, &back);

        // centre of mass and inertia of both, longhand
        const double m1 = first->mass, m2 = second->mass, m = m1 + m2;
        const lb_vec3 c1 = lb_vec3_from(first->com);
        const lb_vec3 c2 = lb_vec3_add(X.p, lb_mat3_mul_vec(&X.R, lb_vec3_from(second->com)));
        const lb_vec3 c = lb_vec3_scale(1.0 / m, lb_vec3_axpy(lb_vec3_scale(m1, c1), m2, c2));
        lb_sym3 J = lb_sym3_add(lb_sym3_from(first->inertia),
                                lb_sym3_rotate(&X.R, lb_sym3_from(second->inertia)));
        J = lb_sym3_add(J, lb_sym3_point(m1, lb_vec3_sub(c1, c)));
        J = lb_sym3_add(J, lb_sym3_point(m2, lb_vec3_sub(c2, c)));
        welded->body_count = 1;
        welded->bodies[0].mass = m;
        lb_vec3_to(c, welded->bodies[0].com);
        const double tensor[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
        memcpy(welded->bodies[0].inertia, tensor, sizeof tensor);
        lb_count_scene(welded);

        lb_trial u = lb_begin_scene_trial(welded, t.seed);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, t.q, t.v, t.tau, u.a));
        // 1e-12: cond of a 6 x 6 inertia, about a hundred
        lb_expect_close("accelerations", t.a, u.a, 6, 1e-12);
        lb_end_trial(&t);
        lb_end_trial(&u);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massless_tip_is_a_named_singularity),
        cmocka_unit_test(singular_entry_is_named_among_a_hinges_speeds),
        cmocka_unit_test(massless_link_between_crossed_axes_is_a_universal_hinge),
        cmocka_unit_test(high_base_speed_loses_no_digits),
        cmocka_unit_test(fixed_hinge_is_a_weld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
