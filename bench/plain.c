// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/symmetric.h"
#include "dynamics/tree/steps.h"

typedef struct mat6 {
    double m[6][6];
} mat6;

typedef struct vec {
    double x[6];
} vec;

// A1 = z11 F1 + z12 F2 + z13,  A2 = z12* F1 + z22 F2 + z23, and of a join F between its halves:
// F = V1 F1 - V2 F2 + Y
typedef struct two_handle {
    mat6 z11, z12, z22, V1, V2;
    vec z13, z23, Y;
    int first, count;
    struct two_handle *inner, *outer;
} two_handle;

static mat6 multiply(const mat6 *A, const mat6 *B, int transpose_a, int transpose_b)
{
    mat6 C;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 6; ++k) {
                sum += (transpose_a ? A->m[k][i] : A->m[i][k]) *
                       (transpose_b ? B->m[j][k] : B->m[k][j]);
            }
            C.m[i][j] = sum;
        }
    }
    return C;
}

static vec apply(const mat6 *A, const vec *x, int transpose)
{
    vec y;
    for (int i = 0; i < 6; ++i) {
        y.x[i] = 0.0;
        for (int k = 0; k < 6; ++k) {
            y.x[i] += (transpose ? A->m[k][i] : A->m[i][k]) * x->x[k];
        }
    }
    return y;
}

static void add(double s, const double *x, int count, double *y)
{
    for (int i = 0; i < count; ++i) {
        y[i] += s * x[i];
    }
}

static vec to_vec(lb_vec6 a)
{
    return (vec){{a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z}};
}

static lb_vec6 from_vec(const vec *a)
{
    return lb_vec6_make(lb_vec3_from(a->x), lb_vec3_from(a->x + 3));
}

// D (D* Z D)^-1 D*, D all directions but the hinge's: the turn about z.
static mat6 constrain(const mat6 *Z)
{
    static const int free_rows[5] = {0, 1, 3, 4, 5};
    double A[25];
    mat6 W = {{{0}}};
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            A[5 * i + j] = Z->m[free_rows[i]][free_rows[j]];
        }
    }
    (void)lb_factor_ldl(5, A, 5, NULL);
    for (int i = 0; i < 5; ++i) {
        double x[5] = {0};
        x[i] = 1.0;
        lb_solve_ldl(5, A, 5, x);
        for (int j = 0; j < 5; ++j) {
            W.m[free_rows[j]][free_rows[i]] = x[j];
        }
    }
    return W;
}

// One body: z11 = M^-1, the other handle at the frame of the next body.
static void start_body(const lb_model *model, const lb_work *work, int k, two_handle *t)
{
    const lb_inertia *M = &model->bodies[k].M;
    const lb_sym6 P = lb_sym6_from_inertia(M);
    double block[36];
    lb_write_block(&P, block);
    (void)lb_factor_ldl(6, block, 6, NULL);
    const vec b = to_vec(lb_get_gyroscopic_force(M, work->bodies[k].V.w));
    t->z13 = b;
    lb_solve_ldl(6, block, 6, t->z13.x);
    for (int i = 0; i < 6; ++i) {
        t->z13.x[i] = -t->z13.x[i];
        double x[6] = {0};
        x[i] = 1.0;
        lb_solve_ldl(6, block, 6, x);
        for (int j = 0; j < 6; ++j) {
            t->z11.m[j][i] = x[j];
        }
    }
    if (k + 1 == model->body_count) {
        return;
    }
    mat6 X;
    for (int i = 0; i < 6; ++i) {
        vec e = {{0}};
        e.x[i] = 1.0;
        const vec column = to_vec(lb_pose_carry_force(&work->bodies[k + 1].X, from_vec(&e)));
        for (int j = 0; j < 6; ++j) {
            X.m[j][i] = column.x[j];
        }
    }
    t->z12 = multiply(&t->z11, &X, 0, 0);
    t->z22 = multiply(&X, &t->z12, 1, 0);
    t->z23 = apply(&X, &t->z13, 1);
}

// Mukherjee and Anderson 2007, (77)-(91)
static void join(const lb_work *work, const double *tau, int hinge, two_handle *t)
{
    const two_handle *a = t->inner, *b = t->outer;
    mat6 Z = b->z11;
    add(1.0, &a->z22.m[0][0], 36, &Z.m[0][0]);
    const mat6 W = constrain(&Z);
    vec rest = to_vec(work->bodies[hinge].a);
    add(1.0, a->z23.x, 6, rest.x);
    add(-1.0, b->z13.x, 6, rest.x);
    for (int i = 0; i < 6; ++i) {
        rest.x[i] -= Z.m[i][2] * tau[hinge];
    }
    t->Y = apply(&W, &rest, 0);
    t->Y.x[2] += tau[hinge];
    t->V1 = multiply(&W, &a->z12, 0, 1);
    t->V2 = multiply(&W, &b->z12, 0, 0);
    mat6 product = multiply(&a->z12, &t->V1, 0, 0);
    t->z11 = a->z11;
    add(-1.0, &product.m[0][0], 36, &t->z11.m[0][0]);
    product = multiply(&b->z12, &t->V2, 1, 0);
    t->z22 = b->z22;
    add(-1.0, &product.m[0][0], 36, &t->z22.m[0][0]);
    t->z12 = multiply(&a->z12, &t->V2, 0, 0);
    vec y = apply(&a->z12, &t->Y, 0);
    t->z13 = a->z13;
    add(-1.0, y.x, 6, t->z13.x);
    y = apply(&b->z12, &t->Y, 1);
    t->z23 = b->z23;
    add(1.0, y.x, 6, t->z23.x);
}

static two_handle *assemble(const lb_model *model, const lb_work *work, const double *tau,
                            int first, int count, two_handle **pool)
{
    two_handle *t = (*pool)++;
    memset(t, 0, sizeof *t);
    t->first = first;
    t->count = count;
    if (count == 1) {
        start_body(model, work, first, t);
        return t;
    }
    const int half = count / 2;
    t->inner = assemble(model, work, tau, first, half, pool);
    t->outer = assemble(model, work, tau, first + half, count - half, pool);
    join(work, tau, first + half, t);
    return t;
}

static void disassemble(const two_handle *t, const vec *F1, const vec *F2, vec *A)
{
    if (t->count == 1) {
        A[t->first] = apply(&t->z11, F1, 0);
        const vec other = apply(&t->z12, F2, 0);
        add(1.0, other.x, 6, A[t->first].x);
        add(1.0, t->z13.x, 6, A[t->first].x);
        return;
    }
    vec F = apply(&t->V1, F1, 0), minus = {{0}};
    const vec other = apply(&t->V2, F2, 0);
    add(-1.0, other.x, 6, F.x);
    add(1.0, t->Y.x, 6, F.x);
    add(-1.0, F.x, 6, minus.x);
    disassemble(t->inner, F1, &minus, A);
    disassemble(t->outer, &F, F2, A);
}

void lb_compute_plain(const lb_model *model, const lb_work *work, const double *tau, double *a)
{
    const int n = model->body_count;
    two_handle *nodes = calloc((size_t)(2 * n), sizeof *nodes), *pool = nodes;
    vec *A = calloc((size_t)n, sizeof *A);
    if (!nodes || !A) {
        exit(1);
    }
    two_handle *top = assemble(model, work, tau, 0, n, &pool);

    // the ground
    const vec carried = to_vec(lb_pose_carry_motion(&work->bodies[0].X, work->bodies[-1].alpha));
    const mat6 W = constrain(&top->z11);
    vec rest = to_vec(work->bodies[0].a), none = {{0}};
    add(1.0, carried.x, 6, rest.x);
    add(-1.0, top->z13.x, 6, rest.x);
    for (int i = 0; i < 6; ++i) {
        rest.x[i] -= top->z11.m[i][2] * tau[0];
    }
    vec F = apply(&W, &rest, 0);
    F.x[2] += tau[0];
    disassemble(top, &F, &none, A);
    for (int k = 0; k < n; ++k) {
        const lb_vec6 inner = k > 0 ? from_vec(&A[k - 1]) : work->bodies[-1].alpha;
        a[k] =
            A[k].x[2] - lb_pose_carry_motion(&work->bodies[k].X, inner).w.z - work->bodies[k].a.w.z;
    }
    free(nodes);
    free(A);
}
