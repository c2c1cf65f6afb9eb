// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the dynamics of the tree alone, and of the closed chain with hinges that the caller drives.
#ifndef LB_DERIVATIVE_TREE_H
#define LB_DERIVATIVE_TREE_H

#include "base/internal.h"
#include "limber/derivatives.h"

/// As lb_compute_inverse_derivatives, without looking at loops.
LB_INTERNAL lb_status lb_tree_inverse_derivatives(const lb_model *model, lb_work *work,
                                                  lb_derivative_work *s, const double *q,
                                                  const double *v, const double *a, double *tau,
                                                  double *dtau_dq, double *dtau_dv,
                                                  double *dtau_da);

/// As lb_compute_forward_derivatives, without looking at loops.
LB_INTERNAL lb_status lb_tree_forward_derivatives(const lb_model *model, lb_work *work,
                                                  lb_derivative_work *s, const double *q,
                                                  const double *v, const double *tau, double *a,
                                                  double *da_dq, double *da_dv, double *da_dtau);

/// Hybrid dynamics (lb_tree_hybrid) and its derivatives. The accelerations of driven hinges are given and
/// constant. Theory: (DER-7).
LB_INTERNAL lb_status lb_tree_hybrid_derivatives(const lb_model *model, lb_work *work,
                                                 lb_derivative_work *s, const double *q,
                                                 const double *v, const unsigned char *driven,
                                                 double *tau, double *a, double *da_dq,
                                                 double *da_dv, double *da_dtau);

/// As lb_compute_constrained_derivatives, with hinges that the caller drives.
///
/// @param driven  one flag per body, in the order of adding; NULL for none
LB_INTERNAL lb_status lb_closed_derivatives(const lb_model *model, lb_work *work,
                                            lb_derivative_work *s, const double *q, const double *v,
                                            const unsigned char *driven, const double *tau,
                                            double *a, double *drive, double *forces,
                                            const lb_constrained_derivatives *given);

#endif // LB_DERIVATIVE_TREE_H
