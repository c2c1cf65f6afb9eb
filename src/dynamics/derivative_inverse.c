// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The inverse of the mass matrix, or of its block of free speeds.
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

// M = L* D L, tip to base: L_ij at M[i][j] for the j on the way from i to the base.
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
            for (int i = skip[r]; i >= 0; i = skip[i]) {
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

// Inverse of a matrix that follows the tree                                             (DER-7)
//
//     M = L* D L,   L unit, L_ij non-zero only where j is i or on the way from i to the base
//     Y = L^-1 of the same pattern:  Y_i = e_i - sum over k on the way of  L_ik Y_k
//     W = Y D^-1 Y*:  W_ij sums over the common ancestors of i and j
//
// Speeds that are driven are left out: what remains follows the tree as well.
lb_status lb_invert_free_block(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const unsigned char *driven)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    const int *skip = s->skip;
    skip_driven(model, s, driven);
    const lb_status status = factor(model, work, s);
    if (status == LB_E_SINGULAR) {
        return status;
    }
    // Y, column by column: Y_ij at M[j][i]
    for (int i = 0; i < n; ++i) {
        for (int k = s->inward[i]; k >= 0; k = s->inward[k]) {
            s->M[k * stride + i] = 0.0;
        }
        for (int k = skip[i]; k >= 0; k = skip[k]) {
            const double l = s->M[i * stride + k];
            s->M[k * stride + i] -= l;
            for (int j = skip[k]; j >= 0; j = skip[j]) {
                s->M[j * stride + i] -= l * s->M[j * stride + k];
            }
        }
    }
    memset(s->W, 0, (size_t)(stride * stride) * sizeof *s->W);
    for (ptrdiff_t i = 0; i < n; ++i) {
        if (skip[i] == DRIVEN) {
            continue;
        }
        double *row = s->W + i * stride;
        for (ptrdiff_t k = i; k >= 0; k = skip[k]) {
            const double *Y_k = s->M + k * stride;
            const double x = (k == i ? 1.0 : Y_k[i]) / Y_k[k];
            row[k] += x;
            for (ptrdiff_t j = k + 1; j < n; ++j) {
                row[j] += x * Y_k[j];
            }
        }
    }
    return status;
}
