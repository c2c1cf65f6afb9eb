// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body with what is known about where it comes from: what an import makes, what a file *.flex holds.
#ifndef LB_MODAL_BODY_H
#define LB_MODAL_BODY_H

#include "limber/build.h"
#include "model/modal/flex.h"
#include "source.h"

/// How far inertia is known to depend on the deformation. The kinetic energy has the terms that are known, and
/// the equations of motion follow from it, so that energy and momentum are kept in any case.
typedef enum lb_inertia_order {
    LB_INERTIA_ORDER_0, ///< M_ff, E, B0 and the rigid body: the first moment h = h0 + E eta alone varies
    LB_INERTIA_ORDER_1, ///< B and S too
    LB_INERTIA_ORDER_2, ///< S2 too: all there is
} lb_inertia_order;

/// An entry of a matrix.
typedef struct lb_fe_entry {
    int row, column; ///< from 0
    double value;
} lb_fe_entry;

/// How files and options call the loads of inertia: alphax alphay alphaz, ax ay az, wxx wyy wzz wxy wxz wyz.
extern const char *const lb_inertia_load_names[LB_INERTIA_LOADS];

/// Rows that give other quantities, such as stresses, from the coordinates: y = A u.
typedef struct lb_fe_recovery {
    const char *name;        ///< as in the file, such as "MEF1"
    int rows;                ///< columns are those of the structure, or the modes of a body
    const double *A;         ///< row by row; NULL if the entries are given
    const char *const *what; ///< name of each row, such as "EL 12 axial force"; NULL if not known
    int entry_count;         ///< in place of A
    const lb_fe_entry *entries;
    /// Of a body: static response to unit loads, row by row: to the loads of inertia, then to
    /// moment and force at each of `forced` nodes, which are the first of the body. NULL if not known.
    const double *response;
    int forced;
} lb_fe_recovery;

/// Everything is in the arena of the import. SI units once the import has applied those of the files.
typedef struct lb_modal_body {
    const char *format; ///< in words, such as "SID"
    /// Nodes without mass, the integrals, stiffness, damping (NULL for none). Nodes that carry mass of their
    /// own are allowed too: their inertia is known in all orders.
    lb_flex_options flex;
    lb_flex_integrals integrals;
    lb_inertia_order order;
    unsigned known_loads; ///< bit i: geometric stiffness of load i of inertia is known
    int recovery_count;
    lb_fe_recovery *recovery; ///< in the units of the files
} lb_modal_body;

/// Moments of the second-order displacement from modal geometric stiffness.               (IMP-9)
///
/// @param K  n x n by load of inertia, per unit of it; NULL if not known
lb_status lb_set_moments(lb_import *import, int n, double *const K[LB_INERTIA_LOADS],
                         lb_modal_body *body);

/// Second-order displacements of a node.                                                (IMP-10)
///
/// @param K     n x n for a unit force along x, y and z; NULL if not known
/// @param out   to be freed with the import
lb_status lb_make_second_order(lb_import *import, int n, double *const K[3],
                               const lb_second_order **out);

/// A reader of files that hold modes already.
///
/// @return LB_OK, LB_E_SYNTAX (reported), LB_E_UNSUPPORTED (reported) or LB_E_MEMORY
typedef lb_status lb_modal_reader(lb_import *import, lb_modal_body *body);

lb_modal_reader lb_read_sid, lb_read_mbdyn_fem, lb_read_participation;

bool lb_is_sid(const lb_import_file *file);
bool lb_is_mbdyn_fem(const lb_import_file *file);
bool lb_is_participation(const lb_import_file *file);

#endif // LB_MODAL_BODY_H
