// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From derivatives of forces to derivatives of accelerations: the inverse of the mass matrix, or of
// its block of free speeds, and products with it.
#include <string.h>

#include "derivatives.h"

enum { DRIVEN = -2 };

// By speed: the next free one towards the base, or DRIVEN where it is not free itself.
static void skip_driven(const lb_model *model, lb_derivative_work *s, const unsigned char *driven)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int hinge = b->speed + b->mode_count, end = hinge + b->nv;
        for (int i = b->speed; i < end; ++i) {
            int next = s->inward[i];
            while (next >= 0 && s->skip[next] == DRIVEN) {
                next = s->inward[next];
            }
            s->skip[i] = driven && driven[b->listed] && i >= hinge ? DRIVEN : next;
        }
    }
}

// y -= x a, n entries and up to three more: rows have room for them
static inline void subtract(ptrdiff_t n, double a, const double *x, double *y)
{
    for (ptrdiff_t i = 0; i < n; i += LB_LANES) {
        lb_store_lanes(y + i, lb_load_lanes(y + i) - lb_load_lanes(x + i) * a);
    }
}

// M = L* D L, tip to base: L_ij at M[i][j] for the j on the way from i to the base. Whole rows are
// subtracted: where j is not on the way, they hold zeros.
static lb_status factor(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    const ptrdiff_t stride = s->stride;
    const int *skip = s->skip;
    lb_status status = LB_OK;
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        for (int r = b->speed + b->mode_count + b->nv - 1; r >= b->speed; --r) {
            if (skip[r] == DRIVEN) {
                continue;
            }
            double *row = s->M + r * stride;
            if (!(row[r] > 0)) {
                lb_set_trouble(work, b, r - b->speed);
                status = LB_NEWS_INDEFINITE;
                if (!(row[r] < 0)) {
                    return LB_E_SINGULAR;
                }
            }
            const double inverse = 1.0 / row[r];
            s->diagonal[r] = inverse;
            for (int i = skip[r]; i >= 0; i = skip[i]) {
                // M_ij -= L_ri M_rj for j up to i
                double *row_i = s->M + i * stride;
                const double l = row[i] * inverse;
                for (int j = i; j >= 0; j = skip[j]) {
                    row_i[j] -= l * row[j];
                }
                row[i] = l;
            }
        }
    }
    return status;
}

// Y = L^-1 into W, row by row, base to tip: Y_i = e_i - sum over k on the way of  L_ik Y_k
static void invert_factor(const lb_model *model, lb_derivative_work *s)
{
    const ptrdiff_t stride = s->stride;
    for (ptrdiff_t i = 0; i < model->v_count; ++i) {
        double *Y = s->W + i * stride;
        const double *L = s->M + i * stride;
        memset(Y, 0, (size_t)stride * sizeof *Y);
        if (s->skip[i] == DRIVEN) {
            continue;
        }
        for (ptrdiff_t k = s->skip[i]; k >= 0; k = s->skip[k]) {
            subtract(k + 1, L[k], s->W + k * stride, Y);
        }
        Y[i] = 1.0;
    }
}

// Products of matrices with `stride` entries a row: C = sign A B, `count` rows and columns of C.
//
// Four rows and two lanes of columns at a time. Rows of B that have nothing in those columns are
// passed over: in a tree most have nothing. Rows of A and B beyond `count`, up to a multiple of four,
// may hold anything finite.
static void multiply(ptrdiff_t count, ptrdiff_t stride, double sign, const double *A,
                     const double *B, int *list, ptrdiff_t to_stride, double *C)
{
    for (ptrdiff_t j = 0; j < count; j += 2 * LB_LANES) {
        int used = 0;
        for (int k = 0; k < count; ++k) {
            const double *b = B + k * stride + j;
            const lb_loose_lane both = lb_load_lanes(b) * lb_load_lanes(b) +
                                       lb_load_lanes(b + LB_LANES) * lb_load_lanes(b + LB_LANES);
            list[used] = k;
            used += (both[0] + both[1]) + (both[2] + both[3]) != 0.0;
        }
        for (ptrdiff_t i = 0; i < count; i += 4) {
            const double *a0 = A + i * stride, *a1 = a0 + stride, *a2 = a1 + stride;
            const double *a3 = a2 + stride;
            lb_loose_lane c[4][2] = {{{0}}};
            for (int l = 0; l < used; ++l) {
                const int k = list[l];
                const double *b = B + k * stride + j;
                const lb_loose_lane b0 = lb_load_lanes(b), b1 = lb_load_lanes(b + LB_LANES);
                c[0][0] += b0 * a0[k];
                c[0][1] += b1 * a0[k];
                c[1][0] += b0 * a1[k];
                c[1][1] += b1 * a1[k];
                c[2][0] += b0 * a2[k];
                c[2][1] += b1 * a2[k];
                c[3][0] += b0 * a3[k];
                c[3][1] += b1 * a3[k];
            }
            for (ptrdiff_t r = 0; r < 4 && i + r < count; ++r) {
                double *to = C + (i + r) * to_stride + j;
                for (int h = 0; h < 2; ++h) {
                    const ptrdiff_t left = count - j - h * LB_LANES;
                    const lb_loose_lane x = c[r][h] * sign;
                    if (left >= LB_LANES) {
                        lb_store_lanes(to + h * LB_LANES, x);
                    } else {
                        for (ptrdiff_t e = 0; e < left; ++e) {
                            to[h * LB_LANES + e] = x[e];
                        }
                    }
                }
            }
        }
    }
}

// out = -W X, in the caller's order.
static void apply_inverse(const lb_model *model, lb_derivative_work *s, const double *X,
                          double *out)
{
    if (!out) {
        return;
    }
    if (s->ordered) {
        multiply(model->v_count, s->stride, -1.0, s->W, X, s->skip, model->v_count, out);
        return;
    }
    multiply(model->v_count, s->stride, -1.0, s->W, X, s->skip, s->stride, s->product);
    lb_hand_out(model, s, s->product, out);
}

// Derivatives of accelerations                                                          (DER-7)
//
//     M = L* D L,   L unit, L_ij non-zero only where j is i or on the way from i to the base
//     Y = L^-1 of the same pattern,   W = Y D^-1 Y*:  W_ij sums over the common ancestors of i and j
//     da/dq = -W dtau/dq,   da/dv = -W dtau/dv,   da/dtau = W
//
// Speeds that are driven are left out: what remains follows the tree as well.
lb_status lb_solve_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const unsigned char *driven, double *da_dq, double *da_dv,
                               double *da_dtau)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    skip_driven(model, s, driven);
    const lb_status status = factor(model, work, s);
    if (status == LB_E_SINGULAR) {
        return status;
    }
    invert_factor(model, s);
    // Y* into M and D^-1 into Y; the rows below the last are there for whole lanes
    for (ptrdiff_t i = 0; i < stride; ++i) {
        for (ptrdiff_t j = 0; j < stride; ++j) {
            s->M[i * stride + j] = i < n && j < n ? s->W[j * stride + i] : 0.0;
        }
    }
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j <= i; ++j) {
            s->W[i * stride + j] *= s->diagonal[j];
        }
    }
    multiply(n, stride, 1.0, s->W, s->M, s->skip, stride, s->product);
    double *swap = s->W;
    s->W = s->product;
    s->product = swap;
    apply_inverse(model, s, s->dq, da_dq);
    apply_inverse(model, s, s->dv, da_dv);
    lb_hand_out(model, s, s->W, da_dtau);
    return status;
}
