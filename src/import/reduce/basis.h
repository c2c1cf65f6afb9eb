// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Static deflections of a structure; and the shapes that it keeps when it is reduced: normal modes, unit displacements of
// interfaces (Craig and Bampton), and static deflections under unit loads (residual modes).
#ifndef LB_BASIS_H
#define LB_BASIS_H

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

// ---- the basis ---------------------------------------------------------------------------------

typedef struct lb_basis_options {
    int mode_count;      ///< normal modes at most; 0: as many as there are, up to 50
    double below;        ///< Hz; 0: no limit
    const bool *clamped; ///< by node of the tied structure
    bool is_clamped;     ///< any of them
    int interface_count;
    const int *interfaces; ///< nodes
    int residual_count;
    const int *residuals;     ///< nodes
    const lb_fe_loads *loads; ///< see lb_reduce_options
} lb_basis_options;

/// What the shapes are made of.
typedef struct lb_basis {
    int normal_count, constraint_count, residual_count;
    int rigid_count;   ///< rigid motions that were taken out of the constraint modes
    int dropped_count; ///< residual modes that the others contain already
    double residual;   ///< largest |K phi - omega^2 M phi| / |omega^2 M phi| of the normal modes
    lb_static statics; ///< of the residual modes; factors are NULL if there are none
} lb_basis;

/// Finds the shapes: columns of z, orthonormal in M, with a diagonal stiffness.            (IMP-6) to (IMP-8)
///
/// @param rows   of lb_index_rows of the structure without ties
/// @param r      in: rigid motions of the tied structure; out: modes
/// @param basis  out: its statics are to be freed in any case
lb_status lb_find_basis(lb_import *import, const lb_tied *tied, const int *rows,
                        const lb_basis_options *options, lb_reduction *r, lb_basis *basis);

#endif // LB_BASIS_H
