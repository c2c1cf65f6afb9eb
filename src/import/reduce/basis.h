// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The shapes that a reduced structure keeps: normal modes, unit displacements of interfaces (Craig and Bampton), and
// static deflections under unit loads (residual modes).
#ifndef LB_BASIS_H
#define LB_BASIS_H

#include "deflections.h"

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
