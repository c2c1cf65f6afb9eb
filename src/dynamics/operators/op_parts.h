// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators one by one; programs use expressions of them, limber/operators.h.
#ifndef LB_OP_PARTS_H
#define LB_OP_PARTS_H

#include <stdbool.h>

#include "limber/operators.h"

/// The name of an operator as it is written in expressions, such as "E_Phi".
const char *lb_op_get_name(lb_op op);

/// The space of the rows of an operator, neither transposed nor inverted: of y in y = A x.
lb_op_space lb_op_get_row_space(lb_op op);

/// The space of the columns of an operator, neither transposed nor inverted: of x in y = A x.
lb_op_space lb_op_get_column_space(lb_op op);

/// The number of bytes that lb_op_init_work needs for this model. They may start at any address: what
/// alignment takes is included. O(N).
size_t lb_op_get_work_size(const lb_model *model);

/// Makes a workspace in memory of the caller. Free or reuse the memory when you no longer need the
/// workspace; there is nothing to destroy, unless nodes were picked or blocks set: that allocates, and
/// lb_op_destroy_work frees it. The model must outlive it.
///
/// @param memory     any address
/// @param size       bytes in `memory`
/// @param operators  out: the workspace; NULL on failure
/// @return LB_OK, or LB_E_MEMORY if `memory` is NULL or `size` is below lb_op_get_work_size
lb_status lb_op_init_work(const lb_model *model, void *memory, size_t size, lb_op_work **operators);

/// The index of the first entry of a body in a vector of a space.
///
/// @param body  in the listed order
int lb_op_get_offset(const lb_op_work *operators, lb_op_space space, int body);

/// Forms an operator as a dense matrix. O(N^2).
///
/// @param how  LB_OP_PLAIN, or a combination of LB_OP_TRANSPOSED, LB_OP_INVERTED and LB_OP_SQUARE_ROOT
/// @param A    out: rows x columns numbers, row by row
/// @return as lb_op_apply
lb_status lb_op_form(const lb_model *model, lb_op_work *operators, lb_op op, int how, double *A);

/// The four operators that a block-diagonal matrix A = diag(A_i) defines on the tree of a model. Theory:
/// (OPR-18) to (OPR-20).
typedef enum lb_influence {
    LB_INFLUENCE_FORWARD,      ///< Phi_A: to each body A_i times its parent's entry
    LB_INFLUENCE_BACKWARD,     ///< Phi_A': to each body the sum of A_j' times its children's
    LB_INFLUENCE_FORWARD_SUM,  ///< Psi_A = (I - Phi_A)^-1, base to tip
    LB_INFLUENCE_BACKWARD_SUM, ///< Psi_A', tip to base
    LB_INFLUENCE_COUNT
} lb_influence;

/// Multiplies a vector by an influence operator. O(N).
///
/// @param A, x, y  block_size x block_size, block_size and block_size numbers per body, in the listed order
void lb_apply_influence(const lb_model *model, int block_size, const double *A, lb_influence kind,
                        const double *x, double *y);

/// The symmetric square root of a symmetric matrix, which is lost.
///
/// @param V     n x n numbers of scratch
/// @param root  out: n x n
/// @return false if the matrix is not positive definite
bool lb_form_root(int n, double *D, double *V, double *root);

/// Computes the mass matrix by columns: J = Phi* H*, Q = M J, then J* Q. Needs lb_compute_operators.
/// O(N^2). Theory: (OPR-21).
///
/// @param M  out: v_count x v_count
/// @return LB_OK, or LB_E_STAGE before lb_compute_operators
lb_status lb_compute_mass_matrix_by_columns(const lb_model *model, lb_op_work *operators,
                                            double *M);

#endif // LB_OP_PARTS_H
