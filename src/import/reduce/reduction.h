// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From the matrices of a structure to a flexible body: modes, and the integrals of its inertia.
#ifndef LB_REDUCTION_H
#define LB_REDUCTION_H

#include "import/modal_body.h"
#include "import/structure.h"
#include "structure/fe.h"

#define LB_TWO_PI 6.28318530717958647692

/// What the units of the files are in metres, kilograms and seconds.
typedef struct lb_import_units {
    double length, mass, time;
} lb_import_units;

/// Sparse matrices of one pattern, both triangles, in SI units; nodes in metres. What is wrong with them is
/// reported.
lb_status lb_assemble_structure(lb_import *import, lb_structure *structure,
                                const lb_import_units *units, lb_fe_matrix *K, lb_fe_matrix *M);

/// The matrix of viscous damping, in SI units; there must be one. Reports and returns as lb_assemble_structure.
lb_status lb_assemble_damping(lb_import *import, const lb_structure *structure,
                              const lb_import_units *units, lb_fe_matrix *C);

/// The matrix of a geometric stiffness, in SI units but for that of the load. Likewise.
lb_status lb_assemble_geometric(lb_import *import, const lb_structure *structure,
                                const lb_fe_entries *entries, const lb_import_units *units,
                                lb_fe_matrix *G);

/// Rigid motions, modes and what matrices make of them: columns of n numbers, one behind the other.
typedef struct lb_reduction {
    int n, mode_count;
    int possible_count; ///< modes that there are
    double *R;       ///< 6 columns: translations along x y z, turns about x y z through the origin
    double *MR, *KR; ///< 6 columns
    double *Phi, *MPhi;             ///< mode_count columns
    double *squares;                ///< by mode: squared angular frequency
    const lb_second_order **second; ///< by node: second-order displacements of all pairs, or NULL
    int free_count;                 ///< rigid motions that nothing resists: 0 or 6
    bool is_free[6];                ///< which
    double grounding; ///< largest force that a rigid motion meets, over the largest that it could
} lb_reduction;

typedef struct lb_reduce_options {
    int clamp_count;
    const long *clamp;   ///< numbers of nodes that do not move in the body frame
    int mode_count;      ///< at most; 0: as many as there are, up to 50
    double below;        ///< Hz; 0: no limit
    const bool *held;    ///< by node: nodes that do not move, besides the clamped ones; or NULL
    bool has_interfaces; ///< some of them are interfaces: then there may be no mode at all
    const lb_fe_loads
        *loads; ///< over the rows: compliances that are wanted if they come cheap; NULL: none
} lb_reduce_options;

/// Rigid motions of the rows of a structure.                                              (IMP-1)
lb_status lb_find_rigid_motions(lb_import *import, const lb_structure *structure,
                                const lb_fe_matrix *K, const lb_fe_matrix *M, lb_reduction *r);

/// Displacement of the row of a node in motion 0 to 5: along x y z, about x y z through the origin.  (IMP-1)
double lb_get_rigid_motion(const lb_fe_grid *grid, int direction, int motion);

/// Part of a matrix: rows and columns that have a number, which is not negative.
lb_status lb_extract_matrix(lb_import *import, const lb_fe_matrix *A, const int *number, int n,
                            lb_fe_matrix *part);

/// The lowest modes, orthonormal in M, zero at clamped nodes.
lb_status lb_find_structure_modes(lb_import *import, const lb_structure *structure,
                                  const lb_reduce_options *options, const lb_fe_matrix *K,
                                  const lb_fe_matrix *M, lb_reduction *r);

/// Integrals of the inertia, of all orders that M determines.                      (IMP-2), (IMP-3)
lb_status lb_integrate_structure(lb_import *import, const lb_structure *structure,
                                 const lb_fe_matrix *M, const lb_reduction *r, lb_modal_body *body);

/// Damping of the modes, Phi' C Phi, if the files have a matrix of it. What it does to rigid motions is left out, with
/// a warning.
lb_status lb_reduce_damping(lb_import *import, const lb_structure *structure,
                            const lb_import_units *units, const lb_reduction *r,
                            lb_modal_body *body);

/// Geometric stiffness of the modes, Phi' G Phi, of the files that have a load, and what follows from it: moments of
/// the body and second-order displacements of nodes.                              (IMP-9), (IMP-10)
lb_status lb_reduce_geometric(lb_import *import, const lb_structure *structure,
                              const lb_import_units *units, lb_reduction *r, lb_modal_body *body);

/// Rows of recovery by mode: A phi, in the units of the files.
lb_status lb_reduce_recovery(lb_import *import, const lb_structure *structure,
                             const lb_import_units *units, const lb_reduction *r,
                             lb_modal_body *body);

/// Adds rows of recovery that a user wrote: see lb_file_role.
lb_status lb_read_user_rows(lb_import *import, const lb_import_file *file, lb_structure *structure);

/// Displacements of a node in each mode.
///
/// @param shape  out: mode_count x 6: rotation, translation, in the axes of the model
void lb_get_node_shape(const lb_structure *structure, const lb_reduction *r, const int *rows,
                       int node, double *shape);

/// Size of a structure along x, y and z.
void lb_find_box(const lb_structure *structure, double box[3]);

/// Index of the row of each node and direction, six a node; -1 where there is none.
int *lb_index_rows(lb_import *import, const lb_structure *structure);

#endif // LB_REDUCTION_H
