// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives against differences of what they are the derivatives of.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dense.h"
#include "dynamics/kernels/kernels.h"

// lanes in functions that are always inlined
#pragma GCC diagnostic ignored "-Wpsabi"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/derivatives/derivatives.h"
#include "dynamics/tree/tree.h"

// A function of the state, `count` outputs.
typedef struct function {
    void (*evaluate)(const struct function *f, const double *q, const double *v, const double *x,
                     double *out);
    lb_trial *t;
    int count;
    const unsigned char *driven;
    int body, node; // of node motion
} function;

typedef enum direction { ALONG_Q, ALONG_V, ALONG_X } direction;

// Derivatives by central differences of the eighth order, count x v_count: the step is large, so that
// round-off is 1e-13 of the function at most; h^8 is 1e-19.
static void difference(const function *f, direction along, const double *x, double *out)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const double h = 0.004;
    const size_t n = (size_t)f->t->v_count, nq = (size_t)f->t->q_count, m = (size_t)f->count;
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *w = lb_make_numbers(n);
    double *step = lb_make_numbers(n), *y = lb_make_numbers(m);
    for (size_t j = 0; j < n; ++j) {
        for (size_t i = 0; i < m; ++i) {
            out[i * n + j] = 0.0;
        }
        for (int side = 0; side < 8; ++side) {
            const double size = (side % 2 ? -h : h) * (side / 2 + 1);
            memcpy(q, f->t->q, nq * sizeof *q);
            memcpy(v, f->t->v, n * sizeof *v);
            memcpy(w, x, n * sizeof *w);
            memset(step, 0, n * sizeof *step);
            if (along == ALONG_Q) {
                step[j] = size;
                lb_integrate_configuration(f->t->model, q, step, q);
            } else {
                (along == ALONG_V ? v : w)[j] += size;
            }
            f->evaluate(f, q, v, w, y);
            for (size_t i = 0; i < m; ++i) {
                out[i * n + j] += (side % 2 ? -1 : 1) * weights[side / 2] / h * y[i];
            }
        }
    }
    free(q);
    free(v);
    free(w);
    free(step);
    free(y);
}

static void evaluate_inverse(const function *f, const double *q, const double *v, const double *a,
                             double *tau)
{
    lb_expect_ok(lb_compute_inverse_dynamics(f->t->model, f->t->work, q, v, a, tau));
}

static void evaluate_forward(const function *f, const double *q, const double *v, const double *tau,
                             double *a)
{
    assert_true(lb_compute_forward_dynamics(f->t->model, f->t->work, q, v, tau, a) >= LB_OK);
}

// x holds tau at free speeds and a at driven ones; so does the other way round what comes out
static void evaluate_hybrid(const function *f, const double *q, const double *v, const double *x,
                            double *a)
{
    const size_t n = (size_t)f->t->v_count;
    double *tau = lb_make_numbers(n);
    memcpy(tau, x, n * sizeof *tau);
    memcpy(a, x, n * sizeof *a);
    const lb_status status = lb_tree_hybrid(f->t->model, f->t->work, q, v, f->driven, tau, a);
    assert_true(status >= LB_OK);
    free(tau);
}

static void evaluate_node(const function *f, const double *q, const double *v, const double *a,
                          double *out)
{
    lb_node_motion motion;
    lb_expect_ok(lb_compute_kinematics(f->t->model, f->t->work, q, v, a));
    lb_expect_ok(lb_compute_node_motion(f->t->model, f->t->work, f->body, f->node, &motion));
    memcpy(out, motion.velocity, 6 * sizeof *out);
    memcpy(out + 6, motion.acceleration, 6 * sizeof *out);
}

// Place of a node as it is shown, the quaternion with the sign that it has at the state itself.
static void evaluate_place(const function *f, const double *q, const double *v, const double *a,
                           double *out)
{
    lb_node_motion here, motion;
    lb_expect_ok(lb_compute_kinematics(f->t->model, f->t->work, f->t->q, v, a));
    lb_expect_ok(lb_compute_node_motion(f->t->model, f->t->work, f->body, f->node, &here));
    lb_expect_ok(lb_compute_kinematics(f->t->model, f->t->work, q, v, a));
    lb_expect_ok(lb_compute_node_motion(f->t->model, f->t->work, f->body, f->node, &motion));
    double along = 0.0;
    for (int i = 0; i < 4; ++i) {
        along += here.rotation[i] * motion.rotation[i];
    }
    for (int i = 0; i < 4; ++i) {
        out[i] = along < 0 ? -motion.rotation[i] : motion.rotation[i];
    }
    memcpy(out + 4, motion.position, 3 * sizeof *out);
}

// Loads at a node of every body, components held in all three kinds of axes
static void evaluate_loads(const function *f, const double *q, const double *v, const double *a,
                           double *tau)
{
    (void)a;
    const lb_model *model = f->t->model;
    memset(tau, 0, (size_t)f->t->v_count * sizeof *tau);
    lb_expect_ok(lb_compute_kinematics(model, f->t->work, q, v, NULL));
    for (int k = 0; k < f->t->body_count; ++k) {
        lb_node_force load = {k,
                              k % lb_get_node_count(model, k),
                              (lb_axes)((k + f->node) % 3),
                              {1, 2, 3, 4, 5, 6},
                              0};
        lb_expect_ok(lb_apply_node_forces(model, f->t->work, 1, &load, tau));
    }
}

// Rigid trees by the second road, in extended precision
static void evaluate_dense(const function *f, const double *q, const double *v, const double *tau,
                           double *a)
{
    lb_dense *dense = lb_create_dense(f->t->scene, q, v);
    lb_solve_dense(dense, tau, a);
    lb_destroy_dense(dense);
}

// Relative to the largest entry, and to 1 where all are small: a derivative may vanish.
static void expect_scaled(const char *what, const double *x, const double *reference, size_t count,
                          double tolerance)
{
    double size = 1.0;
    for (size_t i = 0; i < count; ++i) {
        size = fmax(size, fabs(reference[i]));
    }
    lb_expect_within(what, x, reference, count, tolerance * size);
}

static double *make_square(const lb_trial *t)
{
    return lb_make_numbers((size_t)t->v_count * (size_t)t->v_count);
}

static void expect_inverse(lb_trial *t, lb_derivative_work *s, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    const function f = {evaluate_inverse, t, t->v_count, NULL, 0, 0};
    double *dq = make_square(t), *dv = make_square(t), *M = make_square(t);
    double *reference = make_square(t), *tau = lb_make_numbers(n), *plain = lb_make_numbers(n);
    lb_expect_ok(
        lb_compute_inverse_derivatives(t->model, t->work, s, t->q, t->v, t->a, tau, dq, dv, M));
    lb_expect_ok(lb_compute_inverse_dynamics(t->model, t->work, t->q, t->v, t->a, plain));
    lb_expect_close("tau", tau, plain, n, 1e-12);
    lb_expect_ok(lb_compute_mass_matrix(t->model, t->work, t->q, reference));
    lb_expect_close("dtau/da", M, reference, n * n, 1e-12);
    difference(&f, ALONG_Q, t->a, reference);
    expect_scaled("dtau/dq", dq, reference, n * n, tolerance);
    difference(&f, ALONG_V, t->a, reference);
    expect_scaled("dtau/dv", dv, reference, n * n, tolerance);
    free(dq);
    free(dv);
    free(M);
    free(reference);
    free(tau);
    free(plain);
}

// M da/dq + dtau/dq = 0 and likewise by v, dtau being checked by itself: no digits are lost here.
static void expect_balance(lb_trial *t, lb_derivative_work *s, const double *a, const double *dq,
                           const double *dv)
{
    const size_t n = (size_t)t->v_count;
    double *by_q = make_square(t), *by_v = make_square(t), *M = make_square(t);
    lb_expect_ok(
        lb_compute_inverse_derivatives(t->model, t->work, s, t->q, t->v, a, NULL, by_q, by_v, M));
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            double sum_q = by_q[i * n + j], sum_v = by_v[i * n + j], size = 1.0;
            for (size_t k = 0; k < n; ++k) {
                sum_q += M[i * n + k] * dq[k * n + j];
                sum_v += M[i * n + k] * dv[k * n + j];
                size += fabs(M[i * n + k]) * (fabs(dq[k * n + j]) + fabs(dv[k * n + j]));
            }
            // 1e-10: M^-1 is formed, cond(M) up to 1e5
            lb_expect_below("M da/dq + dtau/dq", sum_q, 1e-10 * size);
            lb_expect_below("M da/dv + dtau/dv", sum_v, 1e-10 * size);
        }
    }
    free(by_q);
    free(by_v);
    free(M);
}

static void expect_forward(lb_trial *t, lb_derivative_work *s, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    const function f = {evaluate_forward, t, t->v_count, NULL, 0, 0};
    double *dq = make_square(t), *dv = make_square(t), *W = make_square(t);
    double *reference = make_square(t), *a = lb_make_numbers(n), *plain = lb_make_numbers(n);
    const lb_status status =
        lb_compute_forward_derivatives(t->model, t->work, s, t->q, t->v, t->tau, a, dq, dv, W);
    assert_true(status >= LB_OK);
    evaluate_forward(&f, t->q, t->v, t->tau, plain);
    lb_expect_close("a", a, plain, n, 1e-11);
    lb_compute_mass_matrix_inverse(t->model, t->work, t->q, reference);
    lb_expect_close("da/dtau", W, reference, n * n, 1e-10);
    difference(&f, ALONG_Q, t->tau, reference);
    expect_scaled("da/dq", dq, reference, n * n, tolerance);
    difference(&f, ALONG_V, t->tau, reference);
    expect_scaled("da/dv", dv, reference, n * n, tolerance);
    expect_balance(t, s, a, dq, dv);
    free(dq);
    free(dv);
    free(W);
    free(reference);
    free(a);
    free(plain);
}

static void expect_hybrid(lb_trial *t, lb_derivative_work *s, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    unsigned char *driven = calloc((size_t)t->body_count + 1, 1);
    assert_non_null(driven);
    for (int k = 0; k < t->body_count; ++k) {
        driven[k] = lb_draw_index(&t->random, 3) == 0;
    }
    const function f = {evaluate_hybrid, t, t->v_count, driven, 0, 0};
    double *dq = make_square(t), *dv = make_square(t), *W = make_square(t);
    double *reference = make_square(t), *a = lb_make_numbers(n), *tau = lb_make_numbers(n);
    memcpy(a, t->tau, n * sizeof *a);
    memcpy(tau, t->tau, n * sizeof *tau);
    const lb_status status =
        lb_tree_hybrid_derivatives(t->model, t->work, s, t->q, t->v, driven, tau, a, dq, dv, W);
    assert_true(status >= LB_OK);
    difference(&f, ALONG_X, t->tau, reference);
    // the function hands the accelerations of driven hinges through: the derivatives have zeros
    for (int k = 0; k < t->body_count; ++k) {
        const int first = lb_get_v_offset(t->model, k) + lb_get_mode_count(t->model, k);
        for (int i = 0; driven[k] && i < lb_get_hinge(t->model, k).v_count; ++i) {
            for (size_t j = 0; j < n; ++j) {
                reference[j * n + (size_t)(first + i)] = 0.0;
                assert_true(W[j * n + (size_t)(first + i)] == 0.0);
                assert_true(dq[(size_t)(first + i) * n + j] == 0.0);
            }
        }
    }
    expect_scaled("da/dtau, some driven", W, reference, n * n, tolerance);
    difference(&f, ALONG_Q, t->tau, reference);
    expect_scaled("da/dq, some driven", dq, reference, n * n, tolerance);
    difference(&f, ALONG_V, t->tau, reference);
    expect_scaled("da/dv, some driven", dv, reference, n * n, tolerance);
    free(driven);
    free(dq);
    free(dv);
    free(W);
    free(reference);
    free(a);
    free(tau);
}

static void expect_nodes(lb_trial *t, lb_derivative_work *s, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    double *numbers = lb_make_numbers(34 * n), *reference = lb_make_numbers(12 * n);
    double *place = numbers + 24 * n, *quaternion = place + 6 * n;
    const lb_node_derivatives out = {sizeof out,       numbers,          numbers + 6 * n,
                                     numbers + 12 * n, numbers + 18 * n, place};
    for (int k = 0; k < t->body_count; ++k) {
        const function f = {evaluate_node, t, 12, NULL, k, k % lb_get_node_count(t->model, k)};
        lb_expect_ok(lb_compute_inverse_derivatives(t->model, t->work, s, t->q, t->v, t->a, NULL,
                                                    NULL, NULL, NULL));
        lb_expect_ok(lb_compute_node_derivatives(t->model, t->work, s, k, f.node, &out));
        difference(&f, ALONG_Q, t->a, reference);
        expect_scaled("velocity by q", out.velocity_dq, reference, 6 * n, tolerance);
        expect_scaled("acceleration by q", out.acceleration_dq, reference + 6 * n, 6 * n,
                      tolerance);
        difference(&f, ALONG_V, t->a, reference);
        expect_scaled("velocity by v", out.pose_dq, reference, 6 * n, tolerance);
        expect_scaled("acceleration by v", out.acceleration_dv, reference + 6 * n, 6 * n,
                      tolerance);
        const function shown = {evaluate_place, t, 7, NULL, k, f.node};
        lb_node_motion at;
        difference(&shown, ALONG_Q, t->a, reference);
        lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
        lb_expect_ok(lb_compute_node_motion(t->model, t->work, k, f.node, &at));
        const double e = at.rotation[0], x = at.rotation[1], y = at.rotation[2], z = at.rotation[3];
        for (size_t j = 0; j < n; ++j) {
            // dp = 1/2 (0, turn) p
            const double a = place[j], b = place[n + j], c = place[2 * n + j];
            quaternion[j] = -0.5 * (a * x + b * y + c * z);
            quaternion[n + j] = 0.5 * (a * e + b * z - c * y);
            quaternion[2 * n + j] = 0.5 * (b * e + c * x - a * z);
            quaternion[3 * n + j] = 0.5 * (c * e + a * y - b * x);
        }
        expect_scaled("rotation by q", quaternion, reference, 4 * n, tolerance);
        expect_scaled("position by q", place + 3 * n, reference + 4 * n, 3 * n, tolerance);
    }
    free(numbers);
    free(reference);
}

static void expect_loads(lb_trial *t, lb_derivative_work *s, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    double *dq = make_square(t), *reference = make_square(t);
    for (int axes = 0; axes < 3; ++axes) {
        const function f = {evaluate_loads, t, t->v_count, NULL, 0, axes};
        memset(dq, 0, n * n * sizeof *dq);
        lb_expect_ok(lb_compute_inverse_derivatives(t->model, t->work, s, t->q, t->v, t->a, NULL,
                                                    NULL, NULL, NULL));
        for (int k = 0; k < t->body_count; ++k) {
            const lb_node_force load = {k,
                                        k % lb_get_node_count(t->model, k),
                                        (lb_axes)((k + axes) % 3),
                                        {1, 2, 3, 4, 5, 6},
                                        0};
            lb_expect_ok(lb_apply_node_force_derivatives(t->model, t->work, s, 1, &load, dq));
        }
        difference(&f, ALONG_Q, t->a, reference);
        expect_scaled("loads", dq, reference, n * n, tolerance);
    }
    free(dq);
    free(reference);
}

static void expect_everything(lb_trial *t, double tolerance, double solved)
{
    lb_derivative_work *s = t->derivatives;
    expect_inverse(t, s, tolerance);
    expect_forward(t, s, solved);
    expect_hybrid(t, s, solved);
    expect_nodes(t, s, tolerance);
    expect_loads(t, s, tolerance);
    // once more: nothing of the other calls is left in the workspace
    expect_inverse(t, s, tolerance);
}

static void random_trees_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 120; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        if (i % 5 == 4) {
            t.model->kernels = lb_choose_kernels(LB_INSTRUCTIONS_PORTABLE);
        }
        // 1e-9 of the largest entry; differences of the forward dynamics carry its round-off, 1e-16
        // cond(M), divided by h: up to 1e-8 where cond(M) is 1e5
        expect_everything(&t, 1e-9, 2e-8);
        lb_end_trial(&t);
    }
}

static void large_trees_agree_with_differences(void **state)
{
    (void)state;
    for (int shape = 0; shape < LB_SHAPE_COUNT; ++shape) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 40;
        options.root_count = 2;
        options.shape = (lb_shape)shape;
        options.mode_max = shape % 2 ? 3 : 0;
        options.rigid_percent = 50;
        options.free_free = 1;
        options.second_order = 1;
        for (int mixed = 0; mixed < 1 + shape % 2; ++mixed) {
            options.mixed_fidelity = mixed;
            lb_trial t = lb_begin_trial(&options, (uint64_t)shape);
            // 1e-9 of the largest entry, which is near the base
            expect_inverse(&t, t.derivatives, 1e-9);
            lb_end_trial(&t);
        }
    }
}

// The forward derivatives of rigid trees to 1e-9 against another program: dense, in extended precision,
// with complex steps for what depends on speed, so that its differences keep their digits.
static void rigid_trees_agree_with_a_second_road(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        const function f = {evaluate_dense, &t, t.v_count, NULL, 0, 0};
        double *dq = make_square(&t), *dv = make_square(&t), *W = make_square(&t);
        double *reference = make_square(&t);
        const lb_status status = lb_compute_forward_derivatives(t.model, t.work, t.derivatives, t.q,
                                                                t.v, t.tau, NULL, dq, dv, W);
        assert_true(status >= LB_OK);
        difference(&f, ALONG_Q, t.tau, reference);
        expect_scaled("da/dq", dq, reference, n * n, 1e-9);
        difference(&f, ALONG_V, t.tau, reference);
        expect_scaled("da/dv", dv, reference, n * n, 1e-9);
        difference(&f, ALONG_X, t.tau, reference);
        expect_scaled("da/dtau", W, reference, n * n, 1e-9);
        free(dq);
        free(dv);
        free(W);
        free(reference);
        lb_end_trial(&t);
    }
}

// An orbit: far from the world's origin and fast. Derivatives are those of the same tree at the origin
// but for what its own speed does to a free hinge.
static void no_digits_are_lost_in_orbit(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i >= 20;
        options.root_count = 1;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *near = make_square(&t), *far = make_square(&t);
        for (int b = 0; b < t.body_count; ++b) {
            if (lb_get_hinge(t.model, b).parent != LB_GROUND) {
                continue;
            }
            const int q = lb_get_q_offset(t.model, b) + lb_get_mode_count(t.model, b);
            const int v = lb_get_v_offset(t.model, b) + lb_get_mode_count(t.model, b);
            // a shift of the origin changes nothing
            lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v,
                                                        t.a, NULL, near, NULL, NULL));
            t.q[q + 4] += 7e6;
            t.q[q + 6] -= 3e6;
            lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v,
                                                        t.a, NULL, far, NULL, NULL));
            assert_memory_equal(near, far, n * n * sizeof *near);
            // a speed u in O is felt as the acceleration w x u in O: less that, the same
            const double u[3] = {7500, -1000, 300}, *w = t.v + v;
            for (int c = 0; c < 3; ++c) {
                t.v[v + 3 + c] += u[c];
                t.a[v + 3 + c] -= w[(c + 1) % 3] * u[(c + 2) % 3] - w[(c + 2) % 3] * u[(c + 1) % 3];
            }
            lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v,
                                                        t.a, NULL, far, NULL, NULL));
            // 1e-11: the added acceleration is 1e4 and cancels
            lb_expect_close("dtau/dq", far, near, n * n, 1e-11);
        }
        free(near);
        free(far);
        lb_end_trial(&t);
    }
}

// One fidelity for all bodies, or each body of its own, in chains, stars and trees, at all kinds of hinges.
static void other_fidelities_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 120; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.fidelity = i % 3 == 0 ? LB_FIDELITY_APPENDIX_C : LB_FIDELITY_RUTHLESS;
        options.mixed_fidelity = i % 3 == 2;
        options.second_order = i % 4 == 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        if (i % 5 == 4) {
            t.model->kernels = lb_choose_kernels(LB_INSTRUCTIONS_PORTABLE);
        }
        expect_everything(&t, 1e-9, 2e-8);
        lb_end_trial(&t);
    }
}

// ---- other units ---------------------------------------------------------------------------------

// Whether a speed of a hinge is one of shifting.
static int is_shift(lb_hinge_type type, int i)
{
    switch (type) {
    case LB_HINGE_PRISMATIC:
    case LB_HINGE_TRANSLATIONAL:
        return 1;
    case LB_HINGE_CYLINDRICAL:
        return i == 1;
    case LB_HINGE_PLANAR:
        return i < 2;
    case LB_HINGE_FREE:
        return i >= 3;
    default:
        return 0;
    }
}

// By entry of v: its size if it is a length, else 1; and the coordinates of q likewise.
static void scale_state(lb_trial *t, double size, double *sizes)
{
    for (int i = 0; i < t->v_count; ++i) {
        sizes[i] = 1.0;
    }
    for (int b = 0; b < t->body_count; ++b) {
        const int modes = lb_get_mode_count(t->model, b);
        const int iv = lb_get_v_offset(t->model, b) + modes;
        const int iq = lb_get_q_offset(t->model, b) + modes;
        const lb_hinge_type type = lb_get_hinge(t->model, b).type;
        for (int i = 0; i < lb_get_hinge(t->model, b).v_count; ++i) {
            if (is_shift(type, i)) {
                sizes[iv + i] = size;
                t->q[iq + i + (type == LB_HINGE_FREE)] *= size;
                t->v[iv + i] *= size;
                t->a[iv + i] *= size;
            }
        }
    }
}

// Trees of 1e-6 and of 1e6 times the size: every derivative is the same but for its units. The factor is a
// power of two, so that round-off is the same as well, but for thresholds; 1e-12 is left for these.
static void size_changes_units_only(void **state)
{
    (void)state;
    for (int i = 0; i < 80; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i / 2);
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        options.mixed_fidelity = i / 2 % 4 == 3;
        const double size = i % 2 ? 0x1p20 : 0x1p-20;
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        lb_scale_scene(scene, size);
        lb_trial t = lb_begin_scene_trial(lb_create_tree(&options, (uint64_t)i), (uint64_t)i);
        lb_trial scaled = lb_begin_scene_trial(scene, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *sizes = lb_make_numbers(n), *x[3], *y[3];
        for (int e = 0; e < 3; ++e) {
            x[e] = make_square(&t);
            y[e] = make_square(&t);
        }
        scale_state(&scaled, size, sizes);
        lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v, t.a,
                                                    NULL, x[0], x[1], x[2]));
        lb_expect_ok(lb_compute_inverse_derivatives(scaled.model, scaled.work, scaled.derivatives,
                                                    scaled.q, scaled.v, scaled.a, NULL, y[0], y[1],
                                                    y[2]));
        for (int e = 0; e < 3; ++e) {
            for (size_t r = 0; r < n * n; ++r) {
                // energy has the square of a length
                y[e][r] *= sizes[r / n] * sizes[r % n] / (size * size);
            }
            lb_expect_close("of another size", y[e], x[e], n * n, 1e-12);
            free(x[e]);
            free(y[e]);
        }
        free(sizes);
        lb_end_trial(&scaled);
        lb_end_trial(&t);
    }
}

// ---- recursion and matrices ----------------------------------------------------------------------

// Columns by the recursion and by the inverse as a matrix, forward and hybrid.
static void expect_both_roads(lb_trial *t, double tolerance)
{
    lb_derivative_work *s = lb_create_derivative_work(t->model);
    assert_non_null(s);
    const size_t n = (size_t)t->v_count, square = n * n;
    double *out = lb_make_numbers(6 * square);
    unsigned char *driven = calloc((size_t)t->body_count + 1, 1);
    assert_non_null(driven);
    for (int hybrid = 0; hybrid < 2; ++hybrid) {
        for (int k = 0; hybrid && k < t->body_count; ++k) {
            driven[k] = lb_draw_uniform(&t->random, 0, 1) < 0.4;
        }
        for (int road = 0; road < 2; ++road) {
            double *x = out + (size_t)road * 3 * square;
            s->by_columns = road;
            // a is given where hinges are driven, and tau elsewhere
            double *a = lb_make_numbers(n), *tau = lb_make_numbers(n);
            memcpy(a, t->a, n * sizeof *a);
            memcpy(tau, t->tau, n * sizeof *tau);
            const lb_status status =
                hybrid ? lb_tree_hybrid_derivatives(t->model, t->work, s, t->q, t->v, driven, tau,
                                                    a, x, x + square, x + 2 * square)
                       : lb_compute_forward_derivatives(t->model, t->work, s, t->q, t->v, tau, a, x,
                                                        x + square, x + 2 * square);
            assert_true(status >= LB_OK);
            free(a);
            free(tau);
        }
        lb_expect_close("da/dq by columns", out + 3 * square, out, square, tolerance);
        lb_expect_close("da/dv by columns", out + 4 * square, out + square, square, tolerance);
        lb_expect_close("da/dtau by columns", out + 5 * square, out + 2 * square, square,
                        tolerance);
    }
    free(driven);
    free(out);
    lb_destroy_derivative_work(s);
}

static void columns_agree_with_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i % 2;
        // ruthless bodies in both ways, or as it comes
        static const lb_elimination ways[] = {LB_ELIMINATION_FORM, LB_ELIMINATION_UPDATE,
                                              LB_ELIMINATION_AUTO};
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        scene->elimination = ways[i / 2 % 3];
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        // 1e-9: round-off over the condition of the mass matrices, up to 1e5
        expect_both_roads(&t, 1e-9);
        lb_end_trial(&t);
    }
}

// Which road is taken is a matter of size and shape alone.
static void long_chains_go_by_columns(void **state)
{
    (void)state;
    static const struct {
        int links, by_columns;
    } cases[] = {{7, 0}, {40, 0}, {150, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(cases[i].links), i);
        assert_int_equal(t.derivatives->by_columns, cases[i].by_columns);
        // condition of the mass matrix up to 1e6
        expect_both_roads(&t, 1e-8);
        lb_end_trial(&t);
    }
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 100;
    options.shape = LB_SHAPE_STAR;
    lb_trial t = lb_begin_trial(&options, 9);
    assert_int_equal(t.derivatives->by_columns, 0);
    lb_end_trial(&t);
}

static void workspace_refuses_too_little_memory(void **state)
{
    (void)state;
    const lb_tree_options options = lb_get_small_tree(3);
    lb_trial t = lb_begin_trial(&options, 3);
    const size_t size = lb_get_derivative_work_size(t.model);
    unsigned char *memory = malloc(size + 1);
    assert_non_null(memory);
    lb_derivative_work *s;
    assert_int_equal(lb_init_derivative_work(t.model, memory + 1, size - 1, &s), LB_E_MEMORY);
    assert_null(s);
    lb_expect_ok(lb_init_derivative_work(t.model, memory + 1, size, &s));
    expect_inverse(&t, s, 1e-9);
    // a node that does not exist, and nothing computed yet
    const lb_node_derivatives nothing = {.size = sizeof nothing};
    assert_int_equal(lb_compute_node_derivatives(t.model, t.work, s, 0, 99, &nothing),
                     LB_E_ARGUMENT);
    lb_expect_ok(lb_init_derivative_work(t.model, memory + 1, size, &s));
    assert_int_equal(lb_compute_node_derivatives(t.model, t.work, s, 0, 0, &nothing), LB_E_STAGE);
    free(memory);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_agree_with_differences),
        cmocka_unit_test(large_trees_agree_with_differences),
        cmocka_unit_test(rigid_trees_agree_with_a_second_road),
        cmocka_unit_test(no_digits_are_lost_in_orbit),
        cmocka_unit_test(other_fidelities_agree_with_differences),
        cmocka_unit_test(size_changes_units_only),
        cmocka_unit_test(columns_agree_with_matrices),
        cmocka_unit_test(long_chains_go_by_columns),
        cmocka_unit_test(workspace_refuses_too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
