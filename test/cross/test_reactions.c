// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One reaction in chosen axes about a chosen point: against that of all hinges, and its derivatives against
// differences.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/loop_products.h"
#include "limber/spatial.h"

// A reaction by hand: from that of all hinges, at O and in its axes, by the motion of nodes.
static void refer_by_hand(lb_trial *t, const double *all, int body, const lb_load_frame *frame,
                          double out[6])
{
    lb_node_motion O, axes, about;
    const int hinge = lb_get_hinge(t->model, body).node;
    lb_expect_ok(lb_compute_node_motion(t->model, t->work, body, hinge, &O));
    lb_expect_ok(
        lb_compute_node_motion(t->model, t->work, frame->axes_body, frame->axes_node, &axes));
    lb_expect_ok(
        lb_compute_node_motion(t->model, t->work, frame->about_body, frame->about_node, &about));
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(O.rotation));
    const lb_mat3 A = lb_quat_to_mat3(lb_quat_from(axes.rotation));
    const lb_vec3 force = lb_mat3_mul_vec(&R, lb_vec3_from(all + 6 * body + 3));
    const lb_vec3 arm = lb_vec3_sub(lb_vec3_from(O.position), lb_vec3_from(about.position));
    const lb_vec3 moment =
        lb_vec3_add(lb_mat3_mul_vec(&R, lb_vec3_from(all + 6 * body)), lb_vec3_cross(arm, force));
    lb_vec3_to(lb_mat3_tmul_vec(&A, moment), out);
    lb_vec3_to(lb_mat3_tmul_vec(&A, force), out + 3);
}

static lb_load_frame choose_frame(const lb_trial *t, int i)
{
    const int n = lb_get_body_count(t->model), a = i % (n + 1) - 1, b = (i / 2) % (n + 1) - 1;
    return (lb_load_frame){a, i % lb_get_node_count(t->model, a), b,
                           (i / 3) % lb_get_node_count(t->model, b)};
}

static void reaction_is_that_of_all_hinges_seen_from_elsewhere(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = i % 2 ? LB_FIDELITY_CONSISTENT : LB_FIDELITY_APPENDIX_C;
        options.second_order = options.second_order && options.fidelity == LB_FIDELITY_CONSISTENT;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int count = lb_get_body_count(t.model);
        double *all = lb_make_numbers(6 * (size_t)count), *tau = lb_make_numbers((size_t)t.v_count);
        const lb_load_frame own = {LB_NOT_FOUND, 0, LB_NOT_FOUND, 0}, frame = choose_frame(&t, i);
        double one[6], other[6];
        assert_int_equal(lb_compute_reaction(t.model, t.work, NULL, 0, NULL, one), LB_E_STAGE);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, tau));
        lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, all));
        for (int k = 0; k < count; ++k) {
            const double size = lb_get_largest(6, all + 6 * k) + 1e-9;
            lb_expect_ok(lb_compute_reaction(t.model, t.work, NULL, k, NULL, one));
            lb_expect_within("at O", one, all + 6 * k, 6, 1e-12 * size);
            lb_expect_ok(lb_compute_reaction(t.model, t.work, NULL, k, &own, one));
            lb_expect_within("its own", one, all + 6 * k, 6, 1e-12 * size);
            lb_expect_ok(lb_compute_reaction(t.model, t.work, NULL, k, &frame, one));
            refer_by_hand(&t, all, k, &frame, other);
            // arms of some ten metres
            lb_expect_within("elsewhere", one, other, 6, 1e-11 * size);
        }
        free(all);
        free(tau);
        lb_end_trial(&t);
    }
}

// Whatever acts on nodes, a hinge passes on what its own motor does: along its motions, the reaction is tau.
static void forces_at_nodes_are_in_all_reactions(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        enum { FORCES = 5 };
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = i % 2 ? LB_FIDELITY_CONSISTENT : LB_FIDELITY_APPENDIX_C;
        options.second_order = options.second_order && options.fidelity == LB_FIDELITY_CONSISTENT;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double *all = lb_make_numbers(6 * (size_t)t.body_count);
        double *tau = lb_make_numbers((size_t)t.v_count);
        lb_node_force forces[FORCES];
        for (int j = 0; j < FORCES; ++j) {
            const int body = (i + j) % t.body_count;
            forces[j] = (lb_node_force){.body = body,
                                        .node = j % lb_get_node_count(t.model, body),
                                        .axes = (lb_axes)(j % 3)};
            lb_draw_vector(&t.random, 6, 2.0, forces[j].force);
        }
        const lb_point_gravity point = {.mu = 30.0, .position = {40.0, 5.0, -7.0}};
        const lb_oblate_gravity field = {.point = point, .axis = {0, 0, 1}};
        const lb_applied_loads loads = {.size = sizeof loads,
                                        .force_count = FORCES,
                                        .forces = forces,
                                        .field_count = 1,
                                        .fields = &field};
        double power, energy;
        memcpy(tau, t.tau, (size_t)t.v_count * sizeof *tau);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_apply_node_forces(t.model, t.work, FORCES, forces, tau));
        lb_expect_ok(lb_apply_oblate_gravity(t.model, t.work, &field, tau, &power, &energy));
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, t.a));
        lb_expect_ok(lb_compute_reactions(t.model, t.work, &loads, all));
        const double size = 1.0 + lb_get_largest(6 * t.body_count, all);
        for (int k = 0; k < t.body_count; ++k) {
            const lb_hinge_options *hinge = &t.scene->bodies[k].hinge;
            const double *own = t.tau + lb_get_v_offset(t.model, k) + lb_get_mode_count(t.model, k);
            const double *f = all + 6 * k;
            const lb_vec3 axis = lb_vec3_scale(1.0 / lb_vec3_norm(lb_vec3_from(hinge->axis)),
                                               lb_vec3_from(hinge->axis));
            // 1e-9: cond(M) of these trees
            if (hinge->type == LB_HINGE_REVOLUTE) {
                assert_true(fabs(lb_vec3_dot(axis, lb_vec3_from(f)) - own[0]) < 1e-9 * size);
            } else if (hinge->type == LB_HINGE_PRISMATIC) {
                assert_true(fabs(lb_vec3_dot(axis, lb_vec3_from(f + 3)) - own[0]) < 1e-9 * size);
            } else if (hinge->type == LB_HINGE_SPHERICAL || hinge->type == LB_HINGE_FREE) {
                const int count = hinge->type == LB_HINGE_FREE ? 6 : 3;
                lb_expect_within("what a hinge passes on", f, own, (size_t)count, 1e-9 * size);
            }
        }
        // one by one the same
        for (int k = 0; k < t.body_count; ++k) {
            double one[6];
            lb_expect_ok(lb_compute_reaction(t.model, t.work, &loads, k, NULL, one));
            lb_expect_within("one by one", one, all + 6 * k, 6, 1e-11 * size);
        }
        free(all);
        free(tau);
        lb_end_trial(&t);
    }
}

// 5 N along a slider and 3 N m about it: the slider passes on nothing of the force and all of the moment.
static void a_force_along_a_hinge_leaves_no_reaction_there(void **state)
{
    (void)state;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = lb_default_body_options();
    body.name = "slider";
    body.hinge.type = LB_HINGE_PRISMATIC;
    body.hinge.axis[0] = 1.0;
    body.mass = 2.0;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    lb_work *work = lb_create_work(model);
    const double q = 0.3, v = 0.0, expected[6] = {-3.0, 0, 0, 0, 0, 0};
    double tau = 0.0, a, reaction[6];
    lb_node_force force = {.axes = LB_AXES_WORLD, .force = {3.0, 0, 0, 5.0, 0, 0}};
    const lb_applied_loads loads = {.size = sizeof loads, .force_count = 1, .forces = &force};
    lb_expect_ok(lb_compute_kinematics(model, work, &q, &v, NULL));
    lb_expect_ok(lb_apply_node_forces(model, work, 1, &force, &tau));
    lb_expect_ok(lb_compute_forward_dynamics(model, work, &q, &v, &tau, &a));
    assert_true(fabs(a - 2.5) < 1e-15);
    lb_expect_ok(lb_compute_reactions(model, work, &loads, reaction));
    lb_expect_within("reaction", reaction, expected, 6, 1e-14);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

// ---- derivatives -------------------------------------------------------------------------------

typedef enum by { BY_Q, BY_V, BY_A } by;

static void difference(lb_trial *t, int body, const lb_load_frame *frame, by what, double *rows)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count;
    const double h = 1e-2;
    double *q = lb_make_numbers((size_t)t->q_count), *v = lb_make_numbers(n),
           *a = lb_make_numbers(n);
    double *step = lb_make_numbers(n), *tau = lb_make_numbers(n), x[6];
    memset(rows, 0, 6 * n * sizeof *rows);
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0;
            memset(step, 0, n * sizeof *step);
            memcpy(v, t->v, n * sizeof *v);
            memcpy(a, t->a, n * sizeof *a);
            (what == BY_Q ? step : what == BY_V ? v : a)[j] += sign * h * (side / 2 + 1);
            lb_integrate_configuration(t->model, t->q, step, q);
            lb_expect_ok(lb_compute_inverse_dynamics(t->model, t->work, q, v, a, tau));
            lb_expect_ok(lb_compute_reaction(t->model, t->work, NULL, body, frame, x));
            for (size_t i = 0; i < 6; ++i) {
                rows[i * n + j] += sign * weights[side / 2] / h * x[i];
            }
        }
    }
    free(q);
    free(v);
    free(a);
    free(step);
    free(tau);
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    static const char *const names[3] = {"by q", "by v", "by a"};
    int flexible[3] = {0};
    for (int i = 0; i < 90; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        options.mixed_fidelity = i % 10 == 9;
        options.second_order = options.second_order && options.fidelity == LB_FIDELITY_CONSISTENT &&
                               !options.mixed_fidelity;
        flexible[options.fidelity] += options.mode_max > 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        const int body = (7 * i) % lb_get_body_count(t.model);
        const lb_load_frame frame = choose_frame(&t, i);
        const lb_load_frame *given = i % 3 ? &frame : NULL;
        double *space = lb_make_numbers(36 * n + 1), *seen = space + 18 * n, value[6];
        const lb_reaction_derivatives out = {
            .size = sizeof out, .dq = space, .dv = space + 6 * n, .da = space + 12 * n};
        for (int what = 0; what < 3; ++what) {
            difference(&t, body, given, (by)what, seen + 6 * n * (size_t)what);
        }
        assert_int_equal(
            lb_compute_reaction_derivatives(t.model, t.work, t.derivatives, body, given, &out),
            LB_E_STAGE);
        lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v, t.a,
                                                    NULL, NULL, NULL, NULL));
        lb_expect_ok(
            lb_compute_reaction_derivatives(t.model, t.work, t.derivatives, body, given, &out));
        lb_expect_ok(lb_compute_reaction(t.model, t.work, NULL, body, given, value));
        for (size_t what = 0; what < 3; ++what) {
            const double *rows = space + 6 * n * what, *other = seen + 6 * n * what;
            const double size = fmax(lb_get_largest((int)(6 * n), other), lb_get_largest(6, value));
            // steps of 1e-2: h^8 f(9) / 630 of trigonometric functions, and 1e-14 of round-off over h
            lb_expect_within(names[what], rows, other, 6 * n, 1e-9 * size + 1e-12);
        }
        free(space);
        lb_end_trial(&t);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(flexible[i] >= 10);
    }
}

// ---- wrong input -------------------------------------------------------------------------------

static void what_does_not_exist_is_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_get_mixed_tree(3);
    lb_trial t = lb_begin_trial(&options, 3);
    double out[6], *tau = lb_make_numbers((size_t)t.v_count);
    const lb_load_frame nowhere = {0, 99, 0, 0};
    const lb_applied_loads longer = {.size = sizeof longer + 8};
    const lb_node_force bad = {.body = 0, .force = {NAN}};
    const lb_applied_loads loads = {.size = sizeof loads, .force_count = 1, .forces = &bad};
    lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, tau));
    assert_int_equal(lb_compute_reaction(t.model, t.work, NULL, 99, NULL, out), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_reaction(t.model, t.work, NULL, LB_GROUND, NULL, out),
                     LB_E_ARGUMENT);
    assert_int_equal(lb_compute_reaction(t.model, t.work, NULL, 0, &nowhere, out), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_reaction(t.model, t.work, &longer, 0, NULL, out), LB_E_VERSION);
    assert_int_equal(lb_compute_reaction(t.model, t.work, &loads, 0, NULL, out), LB_E_NUMBER);
    assert_int_equal(
        lb_compute_applied_share(t.model, t.work, &loads, NULL, 0, LB_NOT_FOUND, NULL, out),
        LB_E_NUMBER);
    assert_int_equal(lb_refer_loop_force(t.model, t.work, 0, out, NULL, out), LB_E_ARGUMENT);
    free(tau);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaction_is_that_of_all_hinges_seen_from_elsewhere),
        cmocka_unit_test(forces_at_nodes_are_in_all_reactions),
        cmocka_unit_test(a_force_along_a_hinge_leaves_no_reaction_there),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(what_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
