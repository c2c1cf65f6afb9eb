// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Straight chains of parallel hinges: about the other axes a base link feels the whole chain, n^3,
// about its own almost nothing. That is no singularity; a massless link is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"
#include "dynamics/tree/tree.h"
#include "limber/batch.h"

// Rods of 1 kg and 1 m, end to end, all hinges about `axis` and gravity across it and the chain.
static lb_scene *create_straight_chain(int link_count, int is_tilted, int is_floating)
{
    lb_scene *scene = lb_create_revolute_chain(link_count);
    // a frame whose z is the axis: a turn about (1, 2, 2) / 3
    const lb_quat turned = {0.8, 0.2, 0.4, 0.4}, straight = {1, 0, 0, 0};
    const lb_mat3 R = lb_quat_to_mat3(is_tilted ? turned : straight);
    const lb_vec3 x = {R.m[0][0], R.m[1][0], R.m[2][0]}, z = {R.m[0][2], R.m[1][2], R.m[2][2]};
    lb_vec3_to(lb_vec3_scale(-9.81, (lb_vec3){R.m[0][1], R.m[1][1], R.m[2][1]}), scene->gravity);
    const lb_sym3 J = lb_sym3_rotate(&R, (lb_sym3){0.01, 1.0 / 12, 1.0 / 12, 0, 0, 0});
    const double tensor[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
    for (int k = 0; k < link_count; ++k) {
        lb_scene_body *link = &scene->bodies[k];
        lb_vec3_to(z, link->hinge.axis);
        lb_vec3_to(lb_vec3_scale(0.5, x), link->com);
        memcpy(link->inertia, tensor, sizeof tensor);
        lb_vec3_to(x, link->nodes[1].position);
    }
    if (is_floating) {
        scene->bodies[0].hinge.type = LB_HINGE_FREE;
    }
    lb_count_scene(scene);
    return scene;
}

// The same motion by another road. In a straight chain at rest only the ends of the rods move, across
// the chain, and a rod between two ends has the mass matrix (1/6) [2 1; 1 2]: a tridiagonal system of
// condition 3 for their accelerations. Torques T at the hinges, gravity half a rod at each end.
static void solve_by_ends(int n, int is_floating, const double *T, double *theta)
{
    const size_t size = (size_t)n + 1;
    double *y = lb_make_numbers(size), *d = lb_make_numbers(size);
    for (int i = 0; i < n; ++i) {
        d[i] += 2.0 / 6;
        d[i + 1] += 2.0 / 6;
        y[i] -= 9.81 / 2 + T[i];
        y[i + 1] -= 9.81 / 2 - T[i];
        if (i > 0) {
            y[i - 1] += T[i];
            y[i] -= T[i];
        }
    }
    double off = 1.0 / 6;
    if (!is_floating) {
        d[0] = 1.0;
        y[0] = 0.0;
        off = 0.0;
    }
    for (int i = 1; i <= n; ++i) {
        const double l = off / d[i - 1];
        d[i] -= l * off;
        y[i] -= l * y[i - 1];
        off = 1.0 / 6;
    }
    y[n] /= d[n];
    for (int i = n - 1; i >= 0; --i) {
        y[i] = i > 0 || is_floating ? (y[i] - y[i + 1] / 6) / d[i] : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        theta[i] = y[i + 1] - y[i];
    }
    free(y);
    free(d);
}

// Absolute angular accelerations from those of the hinges, all about one axis.
static void sum_up(const lb_trial *t, int is_floating, lb_vec3 z, const double *a, double *theta)
{
    const double first = is_floating ? lb_vec3_dot(z, lb_vec3_from(a)) : a[0];
    const double *rest = a + (is_floating ? 6 : 1);
    for (int k = 0; k < t->body_count; ++k) {
        theta[k] = k > 0 ? theta[k - 1] + rest[k - 1] : first;
    }
}

static void a_hundred_thousand_links(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const int n = 100000, is_tilted = i % 2, is_floating = i / 2;
        lb_trial t =
            lb_begin_scene_trial(create_straight_chain(n, is_tilted, is_floating), (uint64_t)i);
        const size_t size = (size_t)t.v_count;
        lb_get_neutral_configuration(t.model, t.q);
        memset(t.v, 0, size * sizeof *t.v);
        double *T = lb_make_numbers((size_t)n), *theta = lb_make_numbers((size_t)n);
        double *reference = lb_make_numbers((size_t)n), *a = lb_make_numbers(2 * size);
        const lb_vec3 z = lb_vec3_from(t.scene->bodies[1].hinge.axis);
        for (int k = 0; k < n; ++k) {
            T[k] = t.tau[is_floating ? 5 + k : k];
        }
        if (is_floating) {
            T[0] = 0.0;
            memset(t.tau, 0, 6 * sizeof *t.tau);
        }
        solve_by_ends(n, is_floating, T, reference);

        // 1e-10: sums of 1e5 accelerations, n eps = 2e-11
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        sum_up(&t, is_floating, z, t.a, theta);
        lb_expect_close("articulated", theta, reference, n, 1e-10);

        lb_division *division;
        lb_expect_ok(lb_create_division(t.model, NULL, &division));
        const lb_status status = lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, a);
        assert_true(status == LB_OK || status == LB_NEWS_FALLBACK);
        sum_up(&t, is_floating, z, a, theta);
        // what the check of divide and conquer lets pass
        lb_expect_close("divided", theta, reference, n, 1e-9);
        lb_destroy_division(division);

        // hybrid dynamics with nothing driven, and the inverse times a vector
        unsigned char *driven = calloc((size_t)n, 1);
        assert_non_null(driven);
        lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, a));
        lb_expect_close("hybrid", a, t.a, size, 1e-12);
        lb_expect_ok(lb_compute_articulated_inertia(t.model, t.work, t.q));

        lb_batch *batch = lb_create_batch(t.model, NULL);
        assert_non_null(batch);
        lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, batch, 1, t.q, t.v, t.tau, a));
        lb_expect_close("batch", a, t.a, size, 1e-12);
        lb_destroy_batch(batch);
        free(driven);
        free(T);
        free(theta);
        free(reference);
        free(a);
        lb_end_trial(&t);
    }
}

static void remove_mass(lb_scene_body *body)
{
    body->mass = 0.0;
    memset(body->com, 0, sizeof body->com);
    memset(body->inertia, 0, sizeof body->inertia);
}

static void expect_singular_at(lb_scene *scene, int expected)
{
    lb_trial t = lb_begin_scene_trial(scene, 3);
    lb_get_neutral_configuration(t.model, t.q);
    int body = -7, offset = -7;
    assert_int_equal(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a),
                     LB_E_SINGULAR);
    lb_get_bad_inertia(t.work, &body, &offset);
    assert_int_equal(body, expected);
    assert_in_range(offset, 0, 2);
    assert_int_equal(lb_compute_articulated_inertia(t.model, t.work, t.q), LB_E_SINGULAR);
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, NULL, &division));
    assert_int_equal(lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, t.a),
                     LB_E_SINGULAR);
    lb_destroy_division(division);
    lb_end_trial(&t);
}

static void massless_links_of_straight_chains_are_named(void **state)
{
    (void)state;
    for (int is_tilted = 0; is_tilted < 2; ++is_tilted) {
        for (int n = 10; n <= 10000; n *= 10) {
            // the tip
            lb_scene *scene = create_straight_chain(n, is_tilted, 0);
            remove_mass(&scene->bodies[n - 1]);
            expect_singular_at(scene, n - 1);

            // two in a row: nothing holds the hinge between them
            scene = create_straight_chain(n, is_tilted, 0);
            remove_mass(&scene->bodies[n - 5]);
            remove_mass(&scene->bodies[n - 4]);
            expect_singular_at(scene, n - 5);

            // a massless link turned about one axis at both ends
            scene = create_straight_chain(n, is_tilted, 0);
            remove_mass(&scene->bodies[n - 5]);
            memset(scene->bodies[n - 5].nodes[1].position, 0, sizeof(double[3]));
            expect_singular_at(scene, n - 5);
        }
    }
}

// Written in axes that are not the hinges', the inertia of the whole is large in every entry, and what
// the base feels about the hinges' axis is lost in it: said, not guessed.
static void what_round_off_hides_is_said(void **state)
{
    (void)state;
    expect_singular_at(create_straight_chain(250000, 1, 1), 0);
}

// One massless link alone only hands on what its ends carry.
static void one_massless_link_is_no_singularity(void **state)
{
    (void)state;
    lb_scene *scene = create_straight_chain(1000, 0, 0);
    remove_mass(&scene->bodies[500]);
    lb_trial t = lb_begin_scene_trial(scene, 4);
    lb_get_neutral_configuration(t.model, t.q);
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    lb_end_trial(&t);
}

// A body of little inertia of its own below a heavy one that it does not feel: about its hinge, both
// turn about one axis. Regular, however heavy.
static void light_body_on_a_shared_axis(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        lb_scene *scene = create_straight_chain(2, i, 0);
        lb_scene_body *light = &scene->bodies[0], *heavy = &scene->bodies[1];
        memset(light->nodes[1].position, 0, sizeof light->nodes[1].position);
        memset(scene->gravity, 0, sizeof scene->gravity);
        heavy->mass *= 1e17;
        for (int j = 0; j < 6; ++j) {
            heavy->inertia[j] *= 1e17;
        }
        lb_trial t = lb_begin_scene_trial(scene, 5);
        lb_get_neutral_configuration(t.model, t.q);
        const double v[2] = {0}, T = 2.0, tau[2] = {T, 0.0};
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, v, tau, t.a));
        // 1/12 + 1/4 about the end of the rod; the heavy one stays where it is. 1e-12: few operations
        lb_expect_near("light", t.a[0], T / (1.0 / 3), 1e-12);
        lb_expect_near("heavy", t.a[0] + t.a[1] + 1.0, 1.0, 1e-12);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_links),
        cmocka_unit_test(massless_links_of_straight_chains_are_named),
        cmocka_unit_test(what_round_off_hides_is_said),
        cmocka_unit_test(one_massless_link_is_no_singularity),
        cmocka_unit_test(light_body_on_a_shared_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
