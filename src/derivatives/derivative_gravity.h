// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the field of a point mass.
#ifndef LB_DERIVATIVE_GRAVITY_H
#define LB_DERIVATIVE_GRAVITY_H

#include "limber/derivatives.h"

/// Adds the derivatives by q of what lb_apply_point_gravity adds to tau. Needs what lb_compute_node_derivatives
/// needs. The work grows with the number of speeds times their depth. Theory: (DER-18).
///
/// @param dtau_dq             in and out: v_count x v_count
/// @param power_dq, power_dv  in and out: v_count each, of the power of the field; or NULL
/// @return as lb_apply_point_gravity
lb_status lb_apply_point_gravity_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *scratch,
                                             const lb_point_gravity *field, double *dtau_dq,
                                             double *power_dq, double *power_dv);

#endif // LB_DERIVATIVE_GRAVITY_H
