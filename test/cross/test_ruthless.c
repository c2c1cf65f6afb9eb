// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Fidelity `ruthless`: two ways to eliminate its modes that must agree, and the state in which it
// agrees with `consistent`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"
#include "model/modal/mode_update.h"

// ---- two ways to eliminate ---------------------------------------------------------------------

// Trees with several children a body: stars and wide ones more often than not.
static lb_tree_options lb_get_ruthless_tree(int n)
{
    const lb_shape shapes[] = {LB_SHAPE_STAR, LB_SHAPE_WIDE, LB_SHAPE_RANDOM, LB_SHAPE_CHAIN};
    lb_tree_options options = lb_get_flexible_tree(n);
    options.body_count = 2 + n % 8;
    options.root_count = 1;
    options.shape = shapes[n % 4];
    options.mode_max = n % 3 == 0 ? 12 : 5;
    options.fidelity = LB_FIDELITY_RUTHLESS;
    options.mixed_fidelity = n / 8 % 2;
    options.second_order = options.second_order && options.mixed_fidelity;
    return options;
}

// The same tree with the modes of ruthless bodies eliminated the given way.
static lb_trial lb_begin_eliminated(const lb_tree_options *options, int number,
                                    lb_elimination elimination)
{
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)number;
    lb_scene *scene = lb_create_tree(options, seed);
    scene->elimination = elimination;
    return lb_begin_scene_trial(scene, seed);
}

// A node that is fixed to the ground has none but round-off: bodies of about 1 kg and 1 m have about 1.
static void lb_expect_same_admittance(const lb_trial *t, const lb_trial *u, int body, int node)
{
    double a[36], b[36], size = 1.0;
    lb_expect_ok(lb_compute_admittance(t->model, t->work, body, node, LB_AXES_WORLD, a));
    lb_expect_ok(lb_compute_admittance(u->model, u->work, body, node, LB_AXES_WORLD, b));
    for (int i = 0; i < 36; ++i) {
        size = fmax(size, fabs(a[i]));
    }
    // 1e-11: cond(M) up to 1e4
    lb_expect_within("admittance", b, a, 36, 1e-11 * size);
}

static void lb_expect_same_answers(const lb_trial *t, const lb_trial *u)
{
    const size_t n = (size_t)t->v_count, bodies = (size_t)t->body_count;
    double *x = lb_make_numbers(n * n), *y = lb_make_numbers(n * n);
    double *tau_x = lb_make_numbers(n), *tau_y = lb_make_numbers(n);
    unsigned char *driven = calloc(bodies, 1);
    assert_non_null(driven);

    // hybrid: every other hinge driven
    for (size_t k = 0; k < bodies; k += 2) {
        driven[k] = 1;
    }
    memcpy(x, t->a, n * sizeof *x);
    memcpy(y, t->a, n * sizeof *y);
    memcpy(tau_x, t->tau, n * sizeof *tau_x);
    memcpy(tau_y, t->tau, n * sizeof *tau_y);
    lb_expect_ok(lb_tree_hybrid(t->model, t->work, t->q, t->v, driven, tau_x, x));
    lb_expect_ok(lb_tree_hybrid(u->model, u->work, t->q, t->v, driven, tau_y, y));
    // 1e-11 throughout: cond(M) up to 1e4
    lb_expect_close("hybrid accelerations", y, x, n, 1e-11);
    lb_expect_close("hybrid forces", tau_y, tau_x, n, 1e-11);

    lb_expect_ok(lb_compute_mass_matrix_inverse(t->model, t->work, t->q, x));
    lb_expect_ok(lb_compute_mass_matrix_inverse(u->model, u->work, t->q, y));
    lb_expect_close("inverse of the mass matrix", y, x, n * n, 1e-11);

    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, x));
    lb_expect_ok(lb_compute_forward_dynamics(u->model, u->work, t->q, t->v, t->tau, y));
    lb_expect_close("accelerations", y, x, n, 1e-11);

    // read-outs of forward dynamics; what is fixed to the ground has only round-off of gravity
    double size = 10.0;
    for (size_t i = 0; i < n; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    lb_expect_ok(lb_solve_mass_matrix(t->model, t->work, t->a, tau_x));
    lb_expect_ok(lb_solve_mass_matrix(u->model, u->work, t->a, tau_y));
    lb_expect_close("solution", tau_y, tau_x, n, 1e-11);
    for (int k = 0; k < t->body_count; ++k) {
        for (int node = 0; node < 3; ++node) {
            lb_node_motion moved, same;
            lb_expect_same_admittance(t, u, k, node);
            lb_expect_ok(lb_compute_node_motion(t->model, t->work, k, node, &moved));
            lb_expect_ok(lb_compute_node_motion(u->model, u->work, k, node, &same));
            lb_expect_within("node acceleration", same.acceleration, moved.acceleration, 6,
                             1e-11 * size);
        }
    }
    double *reactions = lb_make_numbers(12 * bodies);
    lb_expect_ok(lb_compute_reactions(t->model, t->work, NULL, reactions));
    lb_expect_ok(lb_compute_reactions(u->model, u->work, NULL, reactions + 6 * bodies));
    lb_expect_close("reactions", reactions + 6 * bodies, reactions, 6 * bodies, 1e-11);
    free(reactions);
    free(x);
    free(y);
    free(tau_x);
    free(tau_y);
    free(driven);
}

static void update_and_plain_elimination_agree(void **state)
{
    (void)state;
    int updated[4] = {0}; // bodies by number of children at moving nodes: 0, 1, 2, more
    for (int i = 0; i < 160; ++i) {
        const lb_tree_options options = lb_get_ruthless_tree(i);
        lb_trial plain = lb_begin_eliminated(&options, i, LB_ELIMINATION_FORM);
        lb_trial update = lb_begin_eliminated(&options, i, LB_ELIMINATION_UPDATE);
        lb_trial chosen = lb_begin_eliminated(&options, i, LB_ELIMINATION_AUTO);
        for (int k = 0; k < plain.body_count; ++k) {
            const lb_mode_update *own = lb_get_record(update.model, k)->update;
            assert_null(lb_get_record(plain.model, k)->update);
            if (own) {
                ++updated[own->child_count < 3 ? own->child_count : 3];
            }
        }
        lb_expect_same_answers(&plain, &update);
        lb_expect_same_answers(&plain, &chosen);
        lb_end_trial(&plain);
        lb_end_trial(&update);
        lb_end_trial(&chosen);
    }
    // the trees were such that there was something to compare
    for (int i = 0; i < 4; ++i) {
        assert_true(updated[i] >= 10);
    }
}

// Many modes and a single child: where the update pays, it is chosen.
static void update_is_chosen_for_many_modes_only(void **state)
{
    (void)state;
    int chosen = 0;
    for (int modes = 1; modes <= 30; ++modes) {
        lb_scene_beam_options options = lb_default_scene_beam();
        options.mode_count = modes;
        options.node_count = 40;
        options.fidelity = LB_FIDELITY_RUTHLESS;
        options.second_order = 0;
        lb_trial t = lb_begin_scene_trial(lb_create_beam_chain(&options, 2), 1);
        const int now = lb_get_record(t.model, 0)->update != NULL;
        assert_true(now >= chosen);
        chosen = now;
        // a tip has constant D_f: nothing is cheaper than that
        assert_non_null(lb_get_record(t.model, 1)->update);
        lb_end_trial(&t);
    }
    assert_int_equal(chosen, 1);
}

// ---- against the consistent fidelity -----------------------------------------------------------

// A consistent tree, and the same one with every body ruthless (and so without second order).
static lb_scene *lb_create_ruthless_twin(const lb_tree_options *options, uint64_t seed)
{
    lb_scene *scene = lb_create_tree(options, seed);
    for (int k = 0; k < scene->body_count; ++k) {
        lb_scene_flex *flex = scene->bodies[k].flex;
        for (int j = 0; flex != NULL && j < flex->options.node_count; ++j) {
            flex->nodes[j].second_order_count = 0;
        }
        if (flex != NULL) {
            flex->options.fidelity = LB_FIDELITY_RUTHLESS;
        }
    }
    return scene;
}

static void undeformed_and_at_rest_it_is_consistent(void **state)
{
    (void)state;
    for (int i = 0; i < 80; ++i) {
        const lb_tree_options options = lb_get_flexible_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_trial u = lb_begin_scene_trial(lb_create_ruthless_twin(&options, t.seed), t.seed);
        const size_t n = (size_t)t.v_count;
        double *x = lb_make_numbers(n * n), *y = lb_make_numbers(n * n);
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            for (int r = 0; r < body->hinge_v - body->v_offset; ++r) {
                t.q[body->q_offset + r] = t.v[body->v_offset + r] = 0.0;
            }
        }
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, x));
        lb_expect_ok(lb_compute_mass_matrix(u.model, u.work, t.q, y));
        // 1e-12: the same sums over at most 9 bodies, grouped differently
        lb_expect_close("mass matrix", y, x, n * n, 1e-12);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, x));
        lb_expect_ok(lb_compute_inverse_dynamics(u.model, u.work, t.q, t.v, t.a, y));
        lb_expect_close("forces", y, x, n, 1e-12);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, x));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, t.q, t.v, t.tau, y));
        // 1e-11: cond(M) up to 1e4
        lb_expect_close("accelerations", y, x, n, 1e-11);
        for (int k = 0; k < t.body_count; ++k) {
            lb_expect_same_admittance(&t, &u, k, 1);
        }
        free(x);
        free(y);
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

// Deformation changes neither inertia nor the frames of other bodies, to the bit.
static void deformation_does_not_reach_the_inertia(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_ruthless_tree(i);
        options.mixed_fidelity = options.second_order = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *x = lb_make_numbers(n * n), *y = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, x));
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            lb_draw_vector(&t.random, body->hinge_q - body->q_offset, 10.0, t.q + body->q_offset);
        }
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, y));
        assert_memory_equal(x, y, n * n * sizeof *x);
        free(x);
        free(y);
        lb_end_trial(&t);
    }
}

// What is shown of a node is nevertheless deformed, to first order: l0 + gamma eta.
static void reported_positions_show_the_deformation(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        lb_tree_options options = lb_get_ruthless_tree(i);
        options.body_count = 1;
        options.rigid_percent = 0;
        options.mixed_fidelity = options.second_order = 0;
        options.plain_nodes = 1;
        options.hinges = LB_HINGE_BIT(LB_HINGE_FIXED);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const lb_scene_flex *flex = t.scene->bodies[0].flex;
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        for (int j = 0; j < flex->options.node_count; ++j) {
            const lb_flex_node *node = &flex->nodes[j];
            lb_node_motion motion;
            double l[3];
            memcpy(l, node->position, sizeof l);
            for (int r = 0; r < flex->options.mode_count; ++r) {
                for (int axis = 0; axis < 3; ++axis) {
                    l[axis] += node->shape[6 * r + 3 + axis] * t.q[r];
                }
            }
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, 0, j + 1, &motion));
            // 1e-15 a term, 12 terms of order 0.1
            lb_expect_within("position", motion.position, l, 3, 1e-14);
        }
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update_and_plain_elimination_agree),
        cmocka_unit_test(update_is_chosen_for_many_modes_only),
        cmocka_unit_test(undeformed_and_at_rest_it_is_consistent),
        cmocka_unit_test(deformation_does_not_reach_the_inertia),
        cmocka_unit_test(reported_positions_show_the_deformation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
