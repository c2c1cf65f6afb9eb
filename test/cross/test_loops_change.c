// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that change between evaluations; projections, and what the read-outs say of loops.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "own_malloc.h"

// A loop of a scene as it is described at run time.
static lb_loop_ends describe(const lb_scene_loop *loop, lb_relation_term terms[3])
{
    lb_loop_ends ends = {.size = sizeof ends,
                         .body_a = loop->body[0],
                         .node_a = loop->node[0],
                         .body_b = loop->body[1],
                         .node_b = loop->node[1],
                         .type = loop->type,
                         .length = loop->length,
                         .term_count = loop->term_count,
                         .terms = terms};
    memcpy(ends.axis, loop->axis, sizeof ends.axis);
    for (int i = 0; i < loop->term_count; ++i) {
        terms[i] = (lb_relation_term){loop->term_body[i], loop->coordinate[i], loop->factor[i]};
    }
    return ends;
}

// ---- read-outs ---------------------------------------------------------------------------------

static void products_agree_with_the_jacobian(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 3, 0, 0);
        const int n = t.v_count, six = 6 * lb_get_loop_capacity(t.model);
        double *x = lb_make_numbers((size_t)six), *f = lb_make_numbers((size_t)six);
        double *tau = lb_make_numbers((size_t)n), *velocity = lb_make_numbers((size_t)six);
        lb_draw_vector(&t.random, six, 1.0, f);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        const int rows = lb_get_active_row_count(t.model, t.work);
        double *J = lb_make_numbers((size_t)(rows * n + 1));
        // J v twice: of the motion in the workspace, and of any speeds
        lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, NULL, velocity));
        lb_expect_ok(lb_apply_loop_jacobian(t.model, t.work, t.v, x));
        lb_expect_within("J v", x, velocity, six, 1e-11 * (1.0 + lb_get_largest(six, x)));
        // f'(J v) = (J' f)' v
        lb_expect_ok(lb_apply_loop_forces(t.model, t.work, f, tau));
        const double a = lb_multiply_vectors(six, f, x), b = lb_multiply_vectors(n, tau, t.v);
        lb_expect_below("transpose", a - b, 1e-11 * (1.0 + fabs(a)));
        // the same norm along orthonormal rows
        lb_expect_ok(lb_form_loop_jacobian(t.model, t.work, J));
        double square = 0.0;
        for (int r = 0; r < rows; ++r) {
            square += pow(lb_multiply_vectors(n, J + (ptrdiff_t)r * n, t.v), 2);
        }
        lb_expect_below("rows", square - lb_multiply_vectors(six, x, x), 1e-11 * (1.0 + square));
        free(x);
        free(f);
        free(tau);
        free(velocity);
        free(J);
        lb_end_trial(&t);
    }
}

// Where the position error is small: in loops that are closed as they are.
static void velocity_errors_are_rates_of_position_errors(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 1);
        const int n = t.v_count, six = 6 * lb_get_loop_capacity(t.model);
        double *x[2], *moved = lb_make_numbers((size_t)t.q_count);
        double *rate = lb_make_numbers((size_t)six), *velocity = lb_make_numbers((size_t)six);
        double *step = lb_make_numbers((size_t)n);
        x[0] = lb_make_numbers((size_t)six);
        x[1] = lb_make_numbers((size_t)six);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        int good = 1;
        for (int l = 0; l < lb_get_loop_count(t.model); ++l) {
            good = good && lb_take_loop_offset(t.model, t.work, l, t.q) == LB_OK;
        }
        lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, x[0], velocity));
        lb_expect_below("closed as assembled", good ? lb_get_largest(six, x[0]) : 0.0, 1e-13);
        const double h = 1e-5;
        for (int s = 0; s < 2; ++s) {
            memset(step, 0, (size_t)n * sizeof *step);
            lb_add_vector(n, s ? h : -h, t.v, step);
            lb_integrate_configuration(t.model, t.q, step, moved);
            lb_expect_ok(lb_compute_kinematics(t.model, t.work, moved, t.v, NULL));
            lb_expect_ok(lb_compute_loop_errors(t.model, t.work, moved, x[s], NULL));
        }
        for (int e = 0; e < six; ++e) {
            rate[e] = (x[1][e] - x[0][e]) / (2 * h);
        }
        // 1e-8: h^2 of third derivatives of order 10
        lb_expect_within("rate of the position error", rate, velocity, good ? six : 0,
                         1e-8 * (1.0 + pow(lb_get_largest(n, t.v), 3) * 10));
        free(x[0]);
        free(x[1]);
        free(moved);
        free(rate);
        free(velocity);
        free(step);
        lb_end_trial(&t);
    }
}

// Accelerations obey the loops: the rate of the velocity error along the motion vanishes.
static void accelerations_keep_the_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 1);
        const int n = t.v_count, six = 6 * lb_get_loop_capacity(t.model);
        double *a = lb_make_numbers((size_t)n), *J_a = lb_make_numbers((size_t)six);
        double *bias = lb_make_numbers((size_t)six);
        lb_loop_motion motion;
        lb_draw_vector(&t.random, 6, 0.1, motion.position);
        lb_draw_vector(&t.random, 6, 1.0, motion.velocity);
        lb_draw_vector(&t.random, 6, 1.0, motion.acceleration);
        if (lb_get_loop_count(t.model) > 0) {
            lb_expect_ok(lb_set_loop_motion(t.model, t.work, 0, &motion));
        }
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, a));
        const bool redundant = lb_get_redundant_row_count(t.work) > 0;
        lb_expect_ok(lb_apply_loop_jacobian(t.model, t.work, a, J_a));
        lb_expect_ok(lb_compute_loop_bias(t.model, t.work, bias));
        lb_add_vector(six, 1.0, bias, J_a);
        // with redundant rows a contradiction may be left
        const double bound = redundant ? INFINITY : 1e-8 * (1.0 + lb_get_largest(six, bias));
        lb_expect_below("J a + bias", lb_get_largest(six, J_a), bound);
        free(a);
        free(J_a);
        free(bias);
        lb_end_trial(&t);
    }
}

// ---- change ------------------------------------------------------------------------------------

// A model with loops, and the same tree whose loops are all made at run time.
static void spare_loops_do_as_loops_of_the_model(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 3, 2, 0);
        const lb_scene_loop *loops = t.scene->loops;
        const int count = lb_get_loop_count(t.model), n = t.v_count;
        int usable = count > 0;
        for (int l = 0; l < count; ++l) {
            usable = usable && !loops[l].driven;
        }
        if (!usable) {
            lb_end_trial(&t);
            continue;
        }
        // the same model without loops, and with as many spare ones
        lb_scene_loop *kept = t.scene->loops;
        t.scene->loops = NULL;
        t.scene->loop_count = 0;
        t.scene->spare_count = count;
        lb_model *model = lb_build_scene(t.scene);
        assert_non_null(model);
        t.scene->loops = kept;
        t.scene->loop_count = count;
        lb_work *work = lb_create_work(model);
        for (int l = 0; l < count; ++l) {
            lb_relation_term terms[3];
            const lb_loop_ends ends = describe(&loops[l], terms);
            int slot = -1;
            lb_expect_ok(lb_make_loop(model, work, -1, &ends, &slot));
            assert_int_equal(slot, l);
            assert_true(lb_is_loop_active(work, slot));
            if (l == count - 1) {
                assert_int_equal(lb_make_loop(model, work, -1, &ends, NULL), LB_E_CAPACITY);
            }
        }
        double *a = lb_make_numbers((size_t)n), *b = lb_make_numbers((size_t)n);
        double *f = lb_make_numbers(6 * (size_t)count + 12),
               *g = lb_make_numbers(6 * (size_t)count);
        const lb_status one = lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, f);
        const lb_status two = lb_closed_forward(model, work, t.q, t.v, NULL, t.tau, b, NULL, g);
        assert_int_equal(one, two);
        // 1e-7: another order of elimination, conditions up to 1e8
        lb_expect_within("accelerations", b, a, n, 1e-7 * (1.0 + lb_get_largest(n, a)));
        free(a);
        free(b);
        free(f);
        free(g);
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_end_trial(&t);
    }
}

// One model with loops, and the same tree whose loops were others until they were altered: those
// that may reach everything, those that may reach what they come to, and those that were not told.
static void altered_loops_do_as_loops_of_the_model(void **state)
{
    (void)state;
    int altered = 0, refused = 0;
    for (int i = 0; i < 240; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 3, 0, 0);
        lb_scene_loop *wanted = t.scene->loops, *known = NULL;
        const int n = t.v_count, count = lb_get_loop_count(t.model), declared = i % 3;
        // as many others, on the same tree
        lb_random random;
        lb_seed_random(&random, (uint64_t)i + 99);
        lb_draw_loops(t.scene, &random, 3);
        known = t.scene->loops;
        if (t.scene->loop_count != count || count == 0) {
            free(known);
            t.scene->loops = wanted;
            t.scene->loop_count = count;
            lb_end_trial(&t);
            continue;
        }
        for (int l = 0; l < count; ++l) {
            const lb_scene_loop *to = &wanted[l];
            known[l].driven = to->driven;
            known[l].reach_all = declared == 0;
            known[l].term_capacity = 3;
            for (int j = 0; declared == 1 && j < (to->term_count ? to->term_count : 2); ++j) {
                known[l].reach[known[l].reach_count++] =
                    to->term_count ? to->term_body[j] : to->body[j];
            }
        }
        lb_model *model = lb_build_scene(t.scene);
        assert_non_null(model);
        t.scene->loops = wanted;
        lb_work *work = lb_create_work(model);
        double *a = lb_make_numbers((size_t)n), *b = lb_make_numbers((size_t)n);
        double *f = lb_make_numbers(6 * (size_t)count), *g = lb_make_numbers(6 * (size_t)count);
        assert_true(lb_closed_forward(model, work, t.q, t.v, NULL, t.tau, b, NULL, NULL) >= LB_OK);
        int all = 1;
        for (int l = 0; l < count; ++l) {
            lb_relation_term terms[3];
            const lb_loop_ends ends = describe(&wanted[l], terms);
            const lb_status status = lb_alter_loop(model, work, l, &ends);
            if (declared < 2) {
                lb_expect_ok(status);
            } else {
                assert_true(status == LB_OK || status == LB_E_CAPACITY);
            }
            all = all && status == LB_OK;
            assert_true(lb_is_loop_active(work, l));
        }
        altered += all;
        refused += !all;
        if (all) {
            const lb_status one =
                lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, f);
            const lb_status two = lb_closed_forward(model, work, t.q, t.v, NULL, t.tau, b, NULL, g);
            assert_int_equal(one, two);
            // 1e-7: another order of elimination, conditions up to 1e8
            lb_expect_within("accelerations", b, a, n, 1e-7 * (1.0 + lb_get_largest(n, a)));
            lb_expect_within("forces", g, f, 6 * count,
                             1e-5 * (1.0 + lb_get_largest(6 * count, f)));
            // what is read is what was set
            for (int l = 0; l < count; ++l) {
                lb_loop_ends ends = lb_default_loop_ends();
                lb_get_loop_ends(model, work, l, &ends);
                lb_expect_ok(lb_alter_loop(model, work, l, &ends));
            }
            assert_int_equal(lb_closed_forward(model, work, t.q, t.v, NULL, t.tau, a, NULL, NULL),
                             two);
            // 1e-7: axes are normalised again, which may change their last bits; conditions as above
            lb_expect_within("once more", a, b, n, 1e-7 * (1.0 + lb_get_largest(n, a)));
        }
        free(a);
        free(b);
        free(f);
        free(g);
        free(known);
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_end_trial(&t);
    }
    print_message("%d altered, %d out of reach\n", altered, refused);
    assert_true(altered > 100 && refused > 5);
}

// Released, all loops leave the tree as it is; made again, they do what they did.
static void released_loops_leave_no_trace(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 3, 1, 0);
        const int n = t.v_count, count = lb_get_loop_count(t.model);
        double *a = lb_make_numbers((size_t)n), *b = lb_make_numbers((size_t)n);
        const lb_status before =
            lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, NULL);
        for (int l = 0; l < count; ++l) {
            lb_expect_ok(lb_set_loop_active(t.model, t.work, l, 0));
        }
        lb_expect_ok(lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, b, NULL, NULL));
        lb_expect_ok(lb_tree_forward(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_close("free", b, t.a, n, 1e-13);
        for (int l = 0; l < count; ++l) {
            lb_expect_ok(lb_set_loop_active(t.model, t.work, l, 1));
        }
        assert_int_equal(lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, b, NULL, NULL),
                         before);
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
        // a slot that joins nothing cannot hold
        assert_int_equal(lb_set_loop_active(t.model, t.work, count, 1), LB_E_ARGUMENT);
        free(a);
        free(b);
        lb_end_trial(&t);
    }
}

static void ends_that_make_no_loop_are_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    lb_scene *scene = lb_create_tree(&options, 3);
    scene->spare_count = 1;
    lb_trial t = lb_begin_scene_trial(scene, 3);
    const lb_relation_term zero = {1, 0, 0.0}, nowhere = {99, 0, 1.0}, none = {1, 9, 1.0},
                           twice[2] = {{1, 0, 1.0}, {1, 0, 2.0}};
    const double far[3] = {0, 0, INFINITY};
    const lb_loop_ends weld = {
        .size = sizeof weld, .body_a = 0, .node_a = 1, .body_b = 1, .node_b = 1};
    lb_loop_ends bad[14];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        bad[i] = weld;
    }
    bad[0].body_b = 0;                    // a node and itself
    bad[1].body_b = 0, bad[1].node_b = 2; // one body
    bad[2].body_b = 99;
    bad[3].node_a = 99;
    bad[4].type = LB_LOOP_REVOLUTE; // no axis
    bad[5].type = LB_LOOP_ROD;      // no length
    bad[6].type = LB_LOOP_COUPLER;  // no terms
    bad[7].type = (lb_loop_type)99;
    bad[8].offset[3] = NAN;
    bad[9].type = LB_LOOP_REVOLUTE, memcpy(bad[9].axis, far, sizeof far);
    for (int i = 10; i < 14; ++i) {
        bad[i].type = LB_LOOP_COUPLER, bad[i].term_count = 1;
    }
    bad[10].terms = &zero;
    bad[11].terms = &nowhere;
    bad[12].terms = &none;
    bad[13].terms = twice, bad[13].term_count = 2;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const lb_status expected = i == 8 || i == 9 ? LB_E_NUMBER : LB_E_ARGUMENT;
        assert_int_equal(lb_make_loop(t.model, t.work, -1, &bad[i], NULL), expected);
        assert_int_equal(lb_alter_loop(t.model, t.work, 0, &bad[i]), expected);
        assert_false(lb_is_loop_active(t.work, 0));
    }
    const lb_loop_ends good = weld;
    assert_int_equal(lb_make_loop(t.model, t.work, 1, &good, NULL), LB_E_ARGUMENT);
    lb_expect_ok(lb_make_loop(t.model, t.work, 0, &good, NULL));
    assert_int_equal(lb_set_hinge_locked(t.model, t.work, 99, 1), LB_E_ARGUMENT);
    lb_end_trial(&t);
}

// ---- projections -------------------------------------------------------------------------------

static void projected_speeds_obey_the_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 0);
        const int n = t.v_count, six = 6 * lb_get_loop_capacity(t.model);
        double *r = lb_make_numbers((size_t)six), *dv = lb_make_numbers((size_t)n);
        double *again = lb_make_numbers((size_t)n);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, NULL, r));
        const double before = lb_get_largest(six, r);
        lb_add_vector(six, -2.0, r, r); // minus
        assert_true(lb_factor_loops(t.model, t.work, t.q, NULL) >= LB_OK);
        lb_expect_ok(lb_solve_loops(t.model, t.work, r, dv, NULL));
        lb_add_vector(n, 1.0, dv, t.v);
        lb_expect_ok(lb_apply_loop_jacobian(t.model, t.work, t.v, r));
        lb_expect_below("what is left", lb_get_largest(six, r), 1e-8 * (1.0 + before));
        // what obeys them already stays
        lb_add_vector(six, -2.0, r, r);
        lb_expect_ok(lb_solve_loops(t.model, t.work, r, again, NULL));
        lb_expect_below("twice", lb_get_largest(n, again), 1e-6 * (1.0 + lb_get_largest(n, dv)));
        free(r);
        free(dv);
        free(again);
        lb_end_trial(&t);
    }
}

// A loop that follows a motion closes where it is, motion and all.
static void offsets_are_taken_less_the_motion(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 0);
        const int six = 6 * lb_get_loop_capacity(t.model);
        double *e = lb_make_numbers((size_t)six + 1);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        for (int l = 0; 6 * l < six; ++l) {
            lb_loop_motion motion = {{0}, {0}, {0}};
            lb_draw_vector(&t.random, 6, 0.3, motion.position);
            motion.position[0] = -fabs(motion.position[0]); // rods get longer by it
            lb_expect_ok(lb_set_loop_motion(t.model, t.work, l, &motion));
            lb_expect_ok(lb_take_loop_offset(t.model, t.work, l, t.q));
        }
        lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, e, NULL));
        lb_expect_below("closed", lb_get_largest(six, e), 1e-13);
        free(e);
        lb_end_trial(&t);
    }
}

// The same motion whether a hinge is locked or driven with no acceleration.
static void locked_hinges_do_as_driven_ones(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 0);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *b = lb_make_numbers(n);
        double *one = lb_make_numbers(n), *two = lb_make_numbers(n);
        unsigned char driven[9] = {0};
        for (int k = 0; k < t.body_count; ++k) {
            driven[k] = (unsigned char)(lb_draw_index(&t.random, 3) == 0);
            lb_expect_ok(lb_set_hinge_locked(t.model, t.work, k, driven[k]));
        }
        const lb_status locked =
            lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, one, NULL);
        for (int k = 0; k < t.body_count; ++k) {
            lb_expect_ok(lb_set_hinge_locked(t.model, t.work, k, 0));
        }
        assert_int_equal(lb_closed_forward(t.model, t.work, t.q, t.v, driven, t.tau, b, two, NULL),
                         locked);
        assert_memory_equal(a, b, n * sizeof *a);
        assert_memory_equal(one, two, n * sizeof *one);
        free(a);
        free(b);
        free(one);
        free(two);
        lb_end_trial(&t);
    }
}

// Reactions of a system in balance with its loops: the force through the hinges of the roots and
// through loops on the ground is what changes the momentum.
static void reactions_allow_for_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 3, 0, 1);
        const int n = t.v_count, count = lb_get_loop_capacity(t.model);
        double *a = lb_make_numbers((size_t)n), *f = lb_make_numbers(6 * (size_t)count);
        double *reactions = lb_make_numbers(6 * (size_t)t.body_count);
        assert_true(lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, f) >= LB_OK);
        lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, reactions));
        double sum[3] = {0}, size = 1.0;
        for (int k = 0; k < t.body_count; ++k) {
            if (t.scene->bodies[k].parent != LB_GROUND) {
                continue;
            }
            lb_node_motion O;
            lb_expect_ok(
                lb_compute_node_motion(t.model, t.work, k, lb_get_hinge(t.model, k).node, &O));
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(O.rotation));
            const lb_vec3 force =
                lb_mat3_mul_vec(&R, lb_vec3_from(reactions + (ptrdiff_t)6 * k + 3));
            lb_add_vector(3, 1.0, (const double[3]){force.x, force.y, force.z}, sum);
            size += lb_vec3_norm(force);
        }
        for (int l = 0; l < count; ++l) {
            const lb_scene_loop *loop = &t.scene->loops[l];
            if (loop->type == LB_LOOP_COUPLER ||
                (loop->body[0] != LB_GROUND && loop->body[1] != LB_GROUND)) {
                continue;
            }
            lb_node_motion A;
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, loop->body[0], loop->node[0], &A));
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(A.rotation));
            const lb_vec3 force = lb_mat3_mul_vec(&R, lb_vec3_from(f + (ptrdiff_t)6 * l + 3));
            const double sign = loop->body[0] == LB_GROUND ? 1.0 : -1.0;
            lb_add_vector(3, sign, (const double[3]){force.x, force.y, force.z}, sum);
            size += lb_vec3_norm(force);
        }
        // rate of the momentum by a difference quotient, less the weight
        double rate[3] = {0}, g[3];
        lb_system_motion at;
        lb_get_gravity(t.model, g);
        double *q = lb_make_numbers((size_t)t.q_count), *v = lb_make_numbers((size_t)n);
        const double h = 1e-5;
        for (int s = 0; s < 2; ++s) {
            const double dt = s ? h : -h;
            double *step = lb_make_numbers((size_t)n);
            lb_add_vector(n, dt, t.v, step);
            lb_add_vector(n, 0.5 * dt * dt, a, step);
            lb_integrate_configuration(t.model, t.q, step, q);
            memcpy(v, t.v, (size_t)n * sizeof *v);
            lb_add_vector(n, dt, a, v);
            lb_expect_ok(lb_compute_kinematics(t.model, t.work, q, v, NULL));
            lb_expect_ok(lb_compute_system_motion(t.model, t.work, &at));
            lb_add_vector(3, (s ? 1.0 : -1.0) / (2 * h), at.linear, rate);
            free(step);
        }
        lb_add_vector(3, -at.mass, g, rate);
        // 1e-5: h^2 of third derivatives, and round-off over h
        const double motion = 1.0 + lb_get_largest(n, a) + pow(lb_get_largest(n, t.v), 2);
        lb_expect_within("balance", sum, rate, 3, 1e-5 * (size + at.mass * motion));
        free(a);
        free(f);
        free(q);
        free(v);
        free(reactions);
        lb_end_trial(&t);
    }
}

// ---- memory ------------------------------------------------------------------------------------

static void change_and_evaluation_allocate_nothing(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    lb_scene *scene = lb_create_four_bars(333, LB_LOOP_REVOLUTE, 0);
    scene->spare_count = 2;
    lb_trial t = lb_begin_scene_trial(scene, 1);
    double *a = lb_make_numbers((size_t)t.v_count);
    double *six = lb_make_numbers(6 * (size_t)lb_get_loop_capacity(t.model));
    lb_get_neutral_configuration(t.model, t.q);
    const long before = lb_malloc_count;
    assert_true(before > 0);
    lb_loop_ends ends = {.size = sizeof ends,
                         .body_a = 0,
                         .node_a = 2,
                         .body_b = 3,
                         .node_b = 2,
                         .type = LB_LOOP_ROD};
    const lb_relation_term gear[2] = {{1, 0, 1.0}, {7, 0, -2.0}};
    const lb_loop_ends coupler = {
        .size = sizeof coupler, .type = LB_LOOP_COUPLER, .term_count = 2, .terms = gear};
    int slot = 0, good = 1;
    for (int i = 0; i < 3; ++i) {
        ends.length = 1.0 + i;
        good = good && lb_set_loop_active(t.model, t.work, 100 + i, i % 2) == LB_OK;
        good = good && lb_make_loop(t.model, t.work, -1, &ends, &slot) == LB_OK;
        good = good && lb_alter_loop(t.model, t.work, slot, &coupler) == LB_OK;
        lb_loop_ends own = {.size = sizeof own};
        lb_get_loop_ends(t.model, t.work, 50, &own);
        own.offset[4] += 0.1;
        good = good && lb_alter_loop(t.model, t.work, 50, &own) == LB_OK;
        good = good && lb_set_hinge_locked(t.model, t.work, 30 + i, 1) == LB_OK;
        good = good && lb_compute_impulse(t.model, t.work, t.q, t.v, NULL, NULL, NULL) >= LB_OK;
        good =
            good && lb_closed_forward(t.model, t.work, t.q, t.v, NULL, NULL, a, NULL, six) >= LB_OK;
        good = good && lb_solve_loops(t.model, t.work, six, a, NULL) == LB_OK;
        good = good && lb_compute_loop_errors(t.model, t.work, t.q, six, NULL) == LB_OK;
        good = good && lb_set_loop_active(t.model, t.work, slot, 0) == LB_OK;
    }
    const long after = lb_malloc_count;
    assert_true(good);
    assert_int_equal(after - before, 0);
    free(a);
    free(six);
    lb_end_trial(&t);
#else
    skip();
#endif
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_the_jacobian),
        cmocka_unit_test(velocity_errors_are_rates_of_position_errors),
        cmocka_unit_test(accelerations_keep_the_loops),
        cmocka_unit_test(spare_loops_do_as_loops_of_the_model),
        cmocka_unit_test(altered_loops_do_as_loops_of_the_model),
        cmocka_unit_test(released_loops_leave_no_trace),
        cmocka_unit_test(ends_that_make_no_loop_are_refused),
        cmocka_unit_test(projected_speeds_obey_the_loops),
        cmocka_unit_test(offsets_are_taken_less_the_motion),
        cmocka_unit_test(locked_hinges_do_as_driven_ones),
        cmocka_unit_test(reactions_allow_for_loops),
        cmocka_unit_test(change_and_evaluation_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
