// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators one by one; programs use expressions of them, limber/operators.h.
#ifndef LB_OP_PARTS_H
#define LB_OP_PARTS_H

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
/// workspace; there is nothing to destroy. The model must outlive it.
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
/// @param how  LB_OP_PLAIN, or a combination of LB_OP_TRANSPOSED and LB_OP_INVERTED
/// @param A    out: rows x columns numbers, row by row
/// @return as lb_op_apply
lb_status lb_op_form(const lb_model *model, lb_op_work *operators, lb_op op, int how, double *A);

/// Computes the mass matrix by columns: J = Phi* H*, Q = M J, then J* Q. Needs lb_compute_operators.
/// O(N^2). Theory: (OPR-21).
///
/// @param M  out: v_count x v_count
/// @return LB_OK, or LB_E_STAGE before lb_compute_operators
lb_status lb_compute_mass_matrix_by_columns(const lb_model *model, lb_op_work *operators,
                                            double *M);

#endif // LB_OP_PARTS_H
