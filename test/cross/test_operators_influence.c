// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Influence operators of any block size on any tree, and the mass matrix by columns as Concurrent
// Dynamics International 2018 computes it: in world axes, with their D, G, S and M.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { TREE_COUNT = 60 };

// Phi_A formed from its definition: block (i, j) is A_i if j is the parent of i.
static double *form_influence(const lb_model *model, int k, const double *A)
{
    const int count = lb_get_body_count(model), n = k * count;
    double *Phi = lb_make_numbers((size_t)n * (size_t)n);
    for (int i = 0; i < count; ++i) {
        const int p = lb_get_hinge(model, i).parent;
        for (int r = 0; p != LB_GROUND && r < k; ++r) {
            memcpy(Phi + (i * k + r) * n + p * k, A + (i * k + r) * k, (size_t)k * sizeof *A);
        }
    }
    return Phi;
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// (OPR-18), (OPR-19), (OPR-20)
static void apply_influence(const lb_trial *t, int k, const double *A, lb_op op, int how,
                            const double *x, double *y)
{
    lb_op_work *operators = lb_op_create_work(t->model);
    assert_non_null(operators);
    lb_expect_ok(lb_op_set_blocks(t->model, operators, k, A));
    lb_expect_ok(lb_compute_operators(t->model, t->work, t->q, operators));
    lb_expect_ok(lb_op_apply(t->model, operators, op, how, x, y));
    lb_op_destroy_work(operators);
}

static void influence_operators_of_any_block_size(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int k = 1 + i % 8, n = k * t.body_count;
        double *A = lb_make_numbers((size_t)(n * k)), *x = lb_make_numbers((size_t)n);
        double *y = lb_make_numbers((size_t)n), *z = lb_make_numbers((size_t)n);
        double *w = lb_make_numbers((size_t)n), *u = lb_make_numbers((size_t)n);
        lb_draw_vector(&t.random, n * k, 1.0, A);
        lb_draw_vector(&t.random, n, 1.0, x);
        lb_draw_vector(&t.random, n, 1.0, w);
        // what stands in the blocks of bodies on the ground must not matter
        for (int body = 0; body < t.body_count; ++body) {
            for (int r = 0; lb_get_hinge(t.model, body).parent == LB_GROUND && r < k * k; ++r) {
                A[body * k * k + r] = NAN;
            }
        }
        double *Phi = form_influence(t.model, k, A);

        // Prop. 1 and 2: Phi_A x and Phi_A' x
        apply_influence(&t, k, A, LB_OP_PHI_A, 0, x, y);
        for (int r = 0; r < n; ++r) {
            z[r] = dot(Phi + r * n, x, n);
        }
        lb_expect_close("Phi_A x", y, z, n, 1e-13);
        apply_influence(&t, k, A, LB_OP_PHI_A, LB_OP_TRANSPOSED, x, y);
        memset(z, 0, (size_t)n * sizeof *z);
        for (int r = 0; r < n; ++r) {
            for (int s = 0; s < n; ++s) {
                z[s] += Phi[r * n + s] * x[r];
            }
        }
        lb_expect_close("Phi_A' x", y, z, n, 1e-13);

        // Psi_A undoes I - Phi_A, from both sides, and Psi_A' is its adjoint
        apply_influence(&t, k, A, LB_OP_PSI_A, 0, x, y);
        double size = 0.0;
        for (int r = 0; r < n; ++r) {
            size = fmax(size, fabs(y[r]));
        }
        for (int r = 0; r < n; ++r) {
            z[r] = y[r] - dot(Phi + r * n, y, n);
        }
        lb_expect_within("(I - Phi_A) Psi_A x", z, x, n, 1e-13 * (1.0 + size) * k);
        apply_influence(&t, k, A, LB_OP_PSI_A, LB_OP_TRANSPOSED, w, u);
        double scale = 0.0;
        for (int r = 0; r < n; ++r) {
            scale += fabs(w[r] * y[r]) + fabs(u[r] * x[r]);
        }
        lb_expect_below("adjoint", dot(w, y, n) - dot(u, x, n), 1e-13 * scale);

        double *const all[] = {A, x, y, z, w, u, Phi};
        for (size_t j = 0; j < sizeof all / sizeof all[0]; ++j) {
            free(all[j]);
        }
        lb_end_trial(&t);
    }
}

// x := [e 0; -d~ e] x, the D_i and S_i of the source: a motion at one point, seen at another
static void set_shift(lb_vec3 d, double *A)
{
    const double shift[36] = {1,    0, 0,   0, 0, 0, 0,   1,    0,    0, 0, 0, //
                              0,    0, 1,   0, 0, 0, 0,   d.z,  -d.y, 1, 0, 0,
                              -d.z, 0, d.x, 0, 1, 0, d.y, -d.x, 0,    0, 0, 1};
    memcpy(A, shift, sizeof shift);
}

// The model of the source, for any rigid tree: joint frames in world axes.
typedef struct world {
    lb_vec3 *eta; // positions of the joints
    double *D;    // D_i, 6 x 6 each
    double *G;    // 6 n x v_count: partial velocities of each joint on its own
    double *M;    // M_i = S_i' diag(I_i, m_i) S_i, 6 x 6 each
} world;

static world begin_world(lb_trial *t)
{
    const size_t n = (size_t)t->body_count, m = (size_t)t->v_count;
    world w = {calloc(n, sizeof *w.eta), lb_make_numbers(36 * n), lb_make_numbers(6 * n * m),
               lb_make_numbers(36 * n)};
    assert_non_null(w.eta);
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, NULL, NULL));
    for (int i = 0; i < t->body_count; ++i) {
        lb_node_motion joint;
        lb_expect_ok(
            lb_compute_node_motion(t->model, t->work, i, lb_get_hinge(t->model, i).node, &joint));
        w.eta[i] = lb_vec3_from(joint.position);
    }
    for (int i = 0; i < t->body_count; ++i) {
        lb_node_motion body;
        const int p = lb_get_hinge(t->model, i).parent, node = lb_get_hinge(t->model, i).node;
        if (p != LB_GROUND) {
            set_shift(lb_vec3_sub(w.eta[i], w.eta[p]), w.D + 36 * i);
        }
        // G: what the joint's own speeds add, the columns of its Jacobian
        double *J = lb_make_numbers(6 * m);
        lb_expect_ok(lb_compute_jacobian(t->model, t->work, i, node, LB_AXES_WORLD, J));
        for (int s = 0; s < lb_get_hinge(t->model, i).v_count; ++s) {
            const size_t column = (size_t)(lb_get_v_offset(t->model, i) + s);
            for (size_t r = 0; r < 6; ++r) {
                w.G[(6 * (size_t)i + r) * m + column] = J[r * m + column];
            }
        }
        free(J);
        // M: about the joint, in world axes
        double mass, com[3], inertia[6];
        lb_get_mass_properties(t->model, i, &mass, com, inertia);
        lb_expect_ok(lb_compute_node_motion(t->model, t->work, i, 0, &body));
        const lb_pose X = {lb_quat_to_mat3(lb_quat_from(body.rotation)),
                           lb_vec3_sub(lb_vec3_from(body.position), w.eta[i])};
        const lb_pose shift = {lb_mat3_identity(), lb_vec3_from(com)};
        const lb_inertia at_com = {mass, {0, 0, 0}, lb_sym3_from(inertia)};
        const lb_inertia at_body = lb_inertia_carry(&shift, &at_com);
        const lb_inertia own = lb_inertia_carry(&X, &at_body);
        for (int r = 0; r < 6; ++r) {
            double unit[6] = {0};
            unit[r] = 1.0;
            const lb_vec6 e = {lb_vec3_from(unit), lb_vec3_from(unit + 3)};
            const lb_vec6 f = lb_inertia_mul(&own, e);
            lb_vec3_to(f.w, w.M + 36 * i + 6 * r);
            lb_vec3_to(f.v, w.M + 36 * i + 6 * r + 3);
        }
    }
    return w;
}

static void end_world(world *w)
{
    free(w->eta);
    free(w->D);
    free(w->G);
    free(w->M);
}

// (OPR-21) in world axes: steps 1 to 3 of the source, literally.
static void mass_matrix_by_columns_in_world_axes(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        world w = begin_world(&t);
        const int n = 6 * t.body_count, m = t.v_count;
        double *J = lb_make_numbers((size_t)n * (size_t)m), *Q = lb_make_numbers((size_t)n);
        double *M = lb_make_numbers((size_t)m * (size_t)m), *g = lb_make_numbers((size_t)n);
        double *expected = lb_make_numbers((size_t)m * (size_t)m);

        // 1. J(:,c) = Psi_D G(:,c), kept by columns
        for (int c = 0; c < m; ++c) {
            for (int r = 0; r < n; ++r) {
                g[r] = w.G[r * m + c];
            }
            apply_influence(&t, 6, w.D, LB_OP_PSI_A, 0, g, J + c * n);
        }
        // 2. Q(:,c) = M J(:,c), then 3. M(:,c) = J' Q(:,c)
        for (int c = 0; c < m; ++c) {
            for (int r = 0; r < n; ++r) {
                Q[r] = dot(w.M + 6 * r, J + c * n + 6 * (r / 6), 6);
            }
            for (int r = 0; r < m; ++r) {
                M[r * m + c] = dot(J + r * n, Q, n);
            }
        }
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, expected));
        // 1e-12: up to 9 bodies
        lb_expect_close("G' Psi_D' M Psi_D G", M, expected, m * m, 1e-12);
        double *const all[] = {J, Q, M, g, expected};
        for (size_t j = 0; j < sizeof all / sizeof all[0]; ++j) {
            free(all[j]);
        }
        end_world(&w);
        lb_end_trial(&t);
    }
}

static void refuses_bad_arguments(void **state)
{
    (void)state;
    const lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 1);
    double A[1] = {0}, x[8] = {0}, y[8];
    lb_op_work *operators = lb_op_create_work(t.model);
    assert_int_equal(lb_op_set_blocks(t.model, operators, 0, A), LB_E_ARGUMENT);
    lb_expect_ok(lb_compute_operators(t.model, t.work, t.q, operators));
    // no blocks are set
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_PHI_A, 0, x, y), LB_E_STAGE);
    lb_op_destroy_work(operators);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(influence_operators_of_any_block_size),
        cmocka_unit_test(mass_matrix_by_columns_in_world_axes),
        cmocka_unit_test(refuses_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
