// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics of the tree alone: whatever loops, locks and drives a workspace has, these functions leave them
// out. The public functions of limber/dynamics.h call them where that is right. LB_INTERNAL makes them visible to
// the other libraries of Limber; no public header declares them.
#ifndef LB_TREE_H
#define LB_TREE_H

#include "base/internal.h"
#include "limber/dynamics.h"

/// Forward dynamics by the articulated-body algorithm. O(N). Theory: (ABA-1)..(ABA-3).
LB_INTERNAL lb_status lb_tree_forward(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *a);

/// Forward dynamics where the accelerations of some hinges are given. O(N).
///
/// @param driven  one flag per body, in the order of adding: non-zero if its hinge is driven
/// @param tau     in: forces at modes and free hinges; out: the forces that driven hinges need
/// @param a       in: accelerations of driven hinges; out: all others
LB_INTERNAL lb_status lb_tree_hybrid(const lb_model *model, lb_work *work, const double *q,
                                     const double *v, const unsigned char *driven, double *tau,
                                     double *a);

/// Forward dynamics by the mass matrix: composite bodies, and a factorisation that uses the sparsity of the
/// tree. Up to O(v_count^3). Leaves positions, velocities and accelerations. Theory: (CRB-1), (CRB-2).
///
/// @param M  scratch: v_count x v_count; holds the factors afterwards
LB_INTERNAL lb_status lb_tree_composite(const lb_model *model, lb_work *work, const double *q,
                                        const double *v, const double *tau, double *M, double *a);

/// Forward dynamics by the articulated-body recursion as it was first published: the modes and the hinge of a
/// body are eliminated together, with whole matrices. For comparison. Leaves nothing that other functions can
/// read. O(N), and the cube of the modes of each body. Theory: (ABA-9).
///
/// @param scratch  lb_count_unsplit_scratch(model) doubles
/// @return LB_OK, LB_E_SINGULAR or LB_E_NUMBER
LB_INTERNAL lb_status lb_tree_unsplit(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *scratch,
                                      double *a);

/// How many doubles of scratch lb_tree_unsplit needs. O(N).
LB_INTERNAL size_t lb_count_unsplit_scratch(const lb_model *model);

/// As lb_compute_inverse_dynamics.
LB_INTERNAL lb_status lb_tree_inverse(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *a, double *tau);

/// As lb_compute_bias.
LB_INTERNAL lb_status lb_tree_bias(const lb_model *model, lb_work *work, const double *q,
                                   const double *v, double *c);

/// As lb_compute_mass_matrix.
LB_INTERNAL lb_status lb_tree_mass_matrix(const lb_model *model, lb_work *work, const double *q,
                                          double *M);

/// As lb_compute_articulated_inertia.
LB_INTERNAL lb_status lb_tree_inertia(const lb_model *model, lb_work *work, const double *q);

/// As lb_compute_mass_matrix_inverse.
LB_INTERNAL lb_status lb_tree_mass_matrix_inverse(const lb_model *model, lb_work *work,
                                                  const double *q, double *M_inverse);

/// As lb_solve_mass_matrix.
LB_INTERNAL lb_status lb_tree_solve(const lb_model *model, lb_work *work, const double *b,
                                    double *x);

/// As lb_compute_admittance.
LB_INTERNAL lb_status lb_tree_admittance(const lb_model *model, lb_work *work, int body, int node,
                                         lb_axes axes, double admittance[36]);

#endif // LB_TREE_H
