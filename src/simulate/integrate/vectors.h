// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of SUNDIALS that can be copied without memory. N_VClone writes to the copy without looking whether
// there is one. So where there is no memory, a spare vector stands for it, and whoever called SUNDIALS looks
// afterwards.
#ifndef LB_VECTORS_H
#define LB_VECTORS_H

#include <nvector/nvector_serial.h>
#include <stdbool.h>

typedef struct lb_spare_vector {
    N_Vector vector;
    double *data; ///< its numbers
    bool is_used; ///< memory was out: what SUNDIALS has computed since is worth nothing
} lb_spare_vector;

/// A vector around `data`, which stays the caller's. It and all its copies use the spare vector.
///
/// @param spare  out: to be freed by lb_free_spare_vector after all of them
/// @return to be freed by N_VDestroy; NULL if memory is out
N_Vector lb_make_vector(sunindextype count, double *data, SUNContext context,
                        lb_spare_vector *spare);

/// Frees it, if it is there.
void lb_free_spare_vector(lb_spare_vector *spare);

#endif // LB_VECTORS_H
