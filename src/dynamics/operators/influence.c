// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The influence operators of a tree and any block-diagonal matrix.
#include "blocks.h"
#include "model/numbers.h"
#include "op_parts.h"

// Influence operators                                              (OPR-18), (OPR-19), (OPR-20)
//
//     Phi_A    z_i = A_i x_p                               p the parent of i, zero on the ground
//     Phi_A'   z_i = sum over children j of i of  A_j' x_j
//     Psi_A    z_i = x_i + A_i z_p                         base to tip
//     Psi_A'   z_i = x_i + sum over children j of  A_j' z_j    tip to base
//
// Source: Concurrent Dynamics International 2018, Prop. 1, Prop. 2 and the two algorithms after.
void lb_apply_influence(const lb_model *model, int block_size, const double *A, lb_influence kind,
                        const double *x, double *y)
{
    const int n = block_size, count = model->body_count;
    const int sum = kind == LB_INFLUENCE_FORWARD_SUM || kind == LB_INFLUENCE_BACKWARD_SUM;
    const int forward = kind == LB_INFLUENCE_FORWARD || kind == LB_INFLUENCE_FORWARD_SUM;

    // a sum starts from x and reads what it has written; a single step reads x
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * count; ++i) {
        y[i] = sum ? x[i] : 0.0;
    }
    const double *from = sum ? y : x;
    for (int step = 0; step < count; ++step) {
        const lb_body *b = &model->bodies[forward ? step : count - 1 - step];
        if (b->parent < 0) {
            continue;
        }
        const ptrdiff_t child = b->listed, parent = model->bodies[b->parent].listed;
        const double *A_i = A + child * n * n;
        if (forward) {
            lb_op_add_product(n, n, A_i, n, from + parent * n, y + child * n);
        } else {
            lb_add_transposed_image(n, n, 1.0, A_i, from + child * n, y + parent * n);
        }
    }
}

lb_status lb_op_set_blocks(const lb_model *model, lb_op_work *operators, int block_size,
                           const double *blocks)
{
    if (block_size < 1) {
        return LB_E_ARGUMENT;
    }
    const size_t size = (size_t)block_size * (size_t)block_size;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->parent >= 0 && !lb_are_finite((ptrdiff_t)size, blocks + (size_t)b->listed * size)) {
            return LB_E_NUMBER;
        }
    }
    const size_t all = size * (size_t)model->body_count;
    lb_arena_free(&operators->block_arena);
    operators->block_size = 0;
    operators->blocks = NULL;
    double *copy = lb_take_numbers(&operators->block_arena, all + 1);
    if (!copy) {
        return LB_E_MEMORY;
    }
    memcpy(copy, blocks, all * sizeof *copy);
    operators->block_size = block_size;
    operators->blocks = copy;
    return lb_op_make_room(operators);
}
