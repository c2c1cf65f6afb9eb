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
static inline void subtract_row(ptrdiff_t n, double a, const double *x, double *y)
{
    for (ptrdiff_t i = 0; i < n; i += LB_LANES) {
        lb_store_lanes(y + i, lb_load_lanes(y + i) - lb_load_lanes(x + i) * a);
    }
}

// M = L* D L, tip to base: L_ij at M[i][j] for the j on the way from i to the base. Rows are
// subtracted in lanes: where j is not on the way, they hold zeros, and beyond the diagonal nothing is
// read any more.
static lb_status factor_mass(const lb_model *model, lb_work *work, lb_derivative_work *s)
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
                lb_set_bad_inertia(work, b, r - b->speed);
                status = LB_NEWS_INDEFINITE;
                if (!(row[r] < 0)) {
                    return LB_E_SINGULAR;
                }
            }
            const double inverse = 1.0 / row[r];
            s->diagonal[r] = inverse;
            for (int i = skip[r]; i >= 0; i = skip[i]) {
                // M_ij -= L_ri M_rj for j up to i
                const double l = row[i] * inverse;
                subtract_row(i + 1, l, row, s->M + i * stride);
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
    int *way = s->way;
    for (ptrdiff_t i = 0; i < model->v_count; ++i) {
        double *Y = s->W + i * stride;
        const double *L = s->M + i * stride;
        memset(Y, 0, (size_t)stride * sizeof *Y);
        if (s->skip[i] == DRIVEN) {
            continue;
        }
        int count = 0;
        for (int k = s->skip[i]; k >= 0; k = s->skip[k]) {
            way[count++] = k;
        }
        for (ptrdiff_t j = 0; j < i; j += LB_LANES) {
            // Y_k ends at k
            lb_loose_lane sum = {0};
            for (int w = 0; w < count && way[w] >= j; ++w) {
                sum -= lb_load_lanes(s->W + way[w] * stride + j) * L[way[w]];
            }
            lb_store_lanes(Y + j, sum);
        }
        Y[i] = 1.0;
    }
}

// Four rows and eight columns of A B, over the rows of B that are listed.
static inline void multiply_block(ptrdiff_t a_stride, const double *A, ptrdiff_t stride,
                                  const double *B, const int *list, int used, lb_loose_lane c[4][2])
{
    const double *a0 = A, *a1 = a0 + a_stride, *a2 = a1 + a_stride, *a3 = a2 + a_stride;
    lb_loose_lane c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0};
    lb_loose_lane c20 = {0}, c21 = {0}, c30 = {0}, c31 = {0};
    for (int l = 0; l < used; ++l) {
        const ptrdiff_t k = list ? list[l] : l;
        const double *b = B + k * stride;
        const lb_loose_lane b0 = lb_load_lanes(b), b1 = lb_load_lanes(b + LB_LANES);
        c00 += b0 * a0[k];
        c01 += b1 * a0[k];
        c10 += b0 * a1[k];
        c11 += b1 * a1[k];
        c20 += b0 * a2[k];
        c21 += b1 * a2[k];
        c30 += b0 * a3[k];
        c31 += b1 * a3[k];
    }
    c[0][0] = c00;
    c[0][1] = c01;
    c[1][0] = c10;
    c[1][1] = c11;
    c[2][0] = c20;
    c[2][1] = c21;
    c[3][0] = c30;
    c[3][1] = c31;
}

// W = Y D^-1 Y*, symmetric: blocks up to the diagonal, and mirrored. Y is in W, the answer in
// s->product; M is scratch.
static void form_inverse(const lb_model *model, lb_derivative_work *s)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    enum { BLOCK = 2 * LB_LANES };
    // D^-1 Y* into M, from the start of the block of the diagonal on
    for (ptrdiff_t k = 0; k < n; ++k) {
        double *row = s->M + k * stride;
        const double d = s->skip[k] == DRIVEN ? 0.0 : s->diagonal[k];
        for (ptrdiff_t j = k & ~(ptrdiff_t)(BLOCK - 1); j < k; ++j) {
            row[j] = 0.0;
        }
        for (ptrdiff_t j = k; j < n; ++j) {
            row[j] = d * s->W[j * stride + k];
        }
        for (ptrdiff_t j = n; j < stride; ++j) {
            row[j] = 0.0;
        }
    }
    for (ptrdiff_t i = 0; i < n; i += 4) {
        for (ptrdiff_t j = 0; j < i + 4 && j < n; j += BLOCK) {
            // Y_ik is zero beyond i, Y_jk beyond j
            const ptrdiff_t end = i + 4 < j + BLOCK ? i + 4 : j + BLOCK;
            lb_loose_lane c[4][2];
            multiply_block(stride, s->W + i * stride, stride, s->M + j, NULL,
                           (int)(end < n ? end : n), c);
            for (ptrdiff_t r = 0; r < 4 && i + r < n; ++r) {
                for (ptrdiff_t e = 0; e < BLOCK && j + e <= i + r; ++e) {
                    const double x = c[r][e / LB_LANES][e % LB_LANES];
                    s->product[(i + r) * stride + j + e] = x;
                    s->product[(j + e) * stride + i + r] = x;
                }
            }
        }
    }
}

// to = -W X; `to` has rows of to_stride. Rows of X without an entry in a block of columns are passed
// over.
static void multiply(const lb_model *model, const lb_derivative_work *s, const double *X,
                     ptrdiff_t to_stride, double *to)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    enum { BLOCK = 2 * LB_LANES };
    for (ptrdiff_t j = 0; j < n; j += BLOCK) {
        const int *list = s->lists + s->list_starts[j / BLOCK];
        const int used = s->list_starts[j / BLOCK + 1] - s->list_starts[j / BLOCK];
        for (ptrdiff_t i = 0; i < n; i += 4) {
            lb_loose_lane c[4][2];
            multiply_block(stride, s->W + i * stride, stride, X + j, list, used, c);
            if (j + BLOCK <= n && i + 4 <= n) {
                for (ptrdiff_t r = 0; r < 4; ++r) {
                    lb_store_lanes(to + (i + r) * to_stride + j, -c[r][0]);
                    lb_store_lanes(to + (i + r) * to_stride + j + LB_LANES, -c[r][1]);
                }
                continue;
            }
            for (ptrdiff_t r = 0; r < 4 && i + r < n; ++r) {
                for (ptrdiff_t e = 0; e < BLOCK && j + e < n; ++e) {
                    to[(i + r) * to_stride + j + e] = -c[r][e / LB_LANES][e % LB_LANES];
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
        multiply(model, s, X, model->v_count, out);
        return;
    }
    multiply(model, s, X, s->stride, s->product);
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
    skip_driven(model, s, driven);
    const lb_status status = factor_mass(model, work, s);
    if (status == LB_E_SINGULAR) {
        return status;
    }
    invert_factor(model, s);
    form_inverse(model, s);
    double *swap = s->W;
    s->W = s->product;
    s->product = swap;
    apply_inverse(model, s, s->dq, da_dq);
    apply_inverse(model, s, s->dv, da_dv);
    lb_hand_out(model, s, s->W, da_dtau);
    return status;
}

// C += A B, passing over rows of B without an entry in a block of columns.
void lb_add_product(const lb_product *p, int *list)
{
    enum { BLOCK = 2 * LB_LANES };
    for (ptrdiff_t j = 0; j < p->columns; j += BLOCK) {
        const ptrdiff_t width = p->columns - j < BLOCK ? p->columns - j : BLOCK;
        int used = 0;
        for (int k = 0; k < p->inner; ++k) {
            const double *b = p->B + k * p->b_stride + j;
            int any = 0;
            for (ptrdiff_t e = 0; e < width; ++e) {
                any |= b[e] != 0.0;
            }
            list[used] = k;
            used += any;
        }
        for (ptrdiff_t i = 0; used && i < p->rows; i += 4) {
            lb_loose_lane c[4][2];
            multiply_block(p->a_stride, p->A + i * p->a_stride, p->b_stride, p->B + j, list, used,
                           c);
            for (ptrdiff_t r = 0; r < 4 && i + r < p->rows; ++r) {
                double *to = p->C + (i + r) * p->c_stride + j;
                for (ptrdiff_t e = 0; e < width; ++e) {
                    to[e] += c[r][e / LB_LANES][e % LB_LANES];
                }
            }
        }
    }
}
