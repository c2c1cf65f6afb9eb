// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the quantities of the whole system.
#ifndef LB_DERIVATIVE_SYSTEM_H
#define LB_DERIVATIVE_SYSTEM_H

#include "limber/derivatives.h"

/// Where they go; rows of v_count.
typedef struct lb_system_derivatives {
    double *com_dq; ///< 3 rows: of the centre of mass
    double *momentum_dq,
        *momentum_dv; ///< 6 rows: of the angular momentum about it, and of the linear
    double *kinetic_dq, *kinetic_dv; ///< one row
    double *potential_dq;            ///< one row
} lb_system_derivatives;

/// Numbers that all of them take, for a v_count.
static inline size_t lb_count_system_derivatives(size_t v_count)
{
    return 18 * v_count;
}

/// Derivatives of what lb_compute_system_motion and lb_compute_energy give. Needs what
/// lb_compute_node_derivatives needs. The work grows with the number of speeds. Theory: (DER-19).
///
/// @param rows  lb_count_system_derivatives numbers, overwritten
/// @param out   out: where in `rows` they are
/// @return LB_OK or LB_E_STAGE
lb_status lb_compute_system_derivatives(const lb_model *model, lb_work *work,
                                        lb_derivative_work *scratch, double *rows,
                                        lb_system_derivatives *out);

#endif // LB_DERIVATIVE_SYSTEM_H
