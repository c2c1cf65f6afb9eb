// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The workspace of the operators: one record of dense blocks a body.
//
// Blocks are kept plain and whole, as the equations have them (unsplit: modes and hinge together),
// so that the code can be read beside the theory. The algorithms of src/dynamics are the fast form.
#ifndef LB_OPERATORS_BLOCKS_H
#define LB_OPERATORS_BLOCKS_H

#include <string.h>

#include "base/arena.h"
#include "base/dense.h"
#include "limber/operators.h"
#include "model/layout.h"

/// Blocks of one body, row by row. N = mode_count + 6, n = mode_count + hinge speeds.
typedef struct lb_op_body {
    int parent;          ///< sweep index, or -1
    int N, n;            ///< entries in the body space, in the hinge space
    int at, at_hinge;    ///< where they start
    double *Phi;         ///< N(parent) x 6: the columns of Phi(p,k) that are not zero, the last six
    double *H;           ///< n x N
    double *M, *R;       ///< N x N
    double *P, *tau_bar; ///< N x N
    double *Upsilon;     ///< N x N
    double *G;           ///< N x n
    double *D, *D_factor; ///< n x n; L D L'
    double *D_root;       ///< n x n, once it is asked for
} lb_op_body;

/// A node that is picked.
typedef struct lb_op_pick {
    lb_op_node node;
    int k;         ///< sweep index of its body, or -1
    double *block; ///< 6 x N: the velocity of the node, in world axes, for motions of the body
} lb_op_pick;

/// A loop whose ends are picks 2 i and 2 i + 1, i its index among these.
typedef struct lb_op_closure {
    int slot, row_count;
    int at; ///< of its first row
    double rows[6][12];
} lb_op_closure;

/// What of the blocks holds.
enum {
    LB_OP_HAS_PLAIN = 1,
    LB_OP_HAS_ARTICULATED = 2,
    LB_OP_HAS_MOTION = 4, ///< beta, T, a_m, b_m, and nu if articulated bodies are there
    LB_OP_HAS_ROOTS = 8
};

enum { LB_OP_VECTORS = 6 };

struct lb_op_work {
    unsigned has;
    const lb_model *model;
    int body_count, sizes[LB_OP_SPACE_COUNT];
    int longest;        ///< of the sizes
    lb_op_body *bodies; ///< sweep order: parents first
    const lb_body_info *infos;
    double *vectors
        [LB_OP_VECTORS]; ///< scratch, `longest` each: [0] to [3] of lb_op_apply, the others of forms
    double *block, *other_block; ///< scratch, largest N x N
    double *beta, *T, *nu, *a_m, *b_m;
    int pick_count, closure_count;
    lb_op_pick *picks;
    lb_op_closure *closures;
    int block_size; ///< k of the influence operators
    const double *blocks;
    lb_arena pick_arena, block_arena, room;
    unsigned char *memory;  ///< what lb_op_create_work allocated, or NULL
    lb_allocator allocator; ///< of that
};

/// Length of a vector of an lb_op_space.
static inline int lb_op_get_length(const lb_op_work *operators, int space)
{
    return operators->sizes[space];
}

/// Sets what depends on the sizes.
///
/// @return LB_OK; or LB_E_MEMORY: nothing is picked and no blocks are set then
lb_status lb_op_make_room(lb_op_work *operators);

/// Blocks of the nodes that are picked, and rows of A. Needs positions.
void lb_op_place_picks(const lb_model *model, lb_work *work, lb_op_work *operators);

/// y = A x for whatever a function stands for; `user` is handed through.
typedef lb_status lb_op_product(void *user, const double *x, double *y);

/// Forms a rows x columns matrix out of its products with unit vectors.
lb_status lb_op_form_by_columns(lb_op_work *operators, int rows, int columns,
                                lb_op_product *product, void *user, double *A);

/// lb_op_space of the rows and of the columns of an operator taken as `how` says.
int lb_op_get_rows(int op, int how);
int lb_op_get_columns(int op, int how);

/// Whether lb_op_apply knows the inverse.
int lb_op_has_inverse(int op);

/// y += A x, term by term, A of m x n in rows `stride` apart
static inline void lb_op_add_product(int m, int n, const double *A, int stride, const double *x,
                                     double *y)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            y[i] += A[(ptrdiff_t)i * stride + j] * x[j];
        }
    }
}

#endif // LB_OPERATORS_BLOCKS_H
