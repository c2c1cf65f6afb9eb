// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Static deflections of a structure.
#ifndef LB_DEFLECTIONS_H
#define LB_DEFLECTIONS_H

#include "ties.h"

/// Deflections that factors find together in little more time than one.
enum { LB_STATIC_TOGETHER = 8 };

/// Static deflections with some nodes held; or of a structure that is free, under loads that its own inertia balances.
typedef struct lb_static {
    const lb_fe_matrix *K;
    size_t n;
    int free_rows;
    int *number; ///< by row: among those that are solved for, or -1
    lb_fe_factors *factors;
    int rigid_count; ///< 0 if the structure is held
    double *R, *MR;  ///< rigid motions, orthonormal in M
    int supports[6]; ///< rows that hold them
    double *small, *rest;
} lb_static;

/// @param r         of the tied structure, with its rigid motions
/// @param held      by node: does not move
/// @param supports  by node: may be held if nothing else is; NULL: any
/// @return LB_OK, LB_E_SINGULAR (not reported), LB_E_CALLBACK or LB_E_MEMORY. To be freed by lb_free_static in any case
lb_status lb_prepare_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                            const bool *held, const bool *supports, lb_static *statics);
void lb_free_static(lb_static *statics);

/// The same unless it was done before, by the residual modes or by another reader of static deflections. Without factors
/// afterwards, the stiffness cannot carry loads, or nothing is free to move.
///
/// @return LB_OK, LB_E_CALLBACK or LB_E_MEMORY
lb_status lb_need_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                         const bool *held, lb_static *statics);

/// Deflection under a load. Of a free structure without its rigid part.                          (IMP-6)
///
/// @param f  in: load on the coordinates; out: as lb_balance_by_inertia leaves it
/// @param x  out
lb_status lb_solve_static(lb_static *statics, double *f, double *x);

/// Takes off a load what acts on nodes that are held; the inertia of a free structure balances it.
void lb_balance_by_inertia(const lb_static *statics, double *f);

/// Deflections under loads that are in balance, R' f = 0, and do not act on what is held.
///
/// @param count  at most LB_STATIC_TOGETHER
/// @param f, x   columns
lb_status lb_solve_balanced(lb_static *statics, int count, const double *f, double *x);

#endif // LB_DEFLECTIONS_H
