// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that are tied to sets of nodes, and the structure with its ties applied.
//
// The displacements of the rows are u = T z. A rigid tie replaces the rows of its set by six coordinates, the motion of
// its node. An average tie whose motion is prescribed replaces six rows of its set in the same way; otherwise it only
// reads the motion of the set.
#ifndef LB_TIES_H
#define LB_TIES_H

#include "reduction.h"

/// A node that is tied to a set.
typedef struct lb_fe_tie {
    const char *name;
    lb_tie tie;
    bool is_coordinate; ///< its motion is among the coordinates z
    int node;           ///< its index in the tied structure
    double x[3];        ///< where it is
    double
        size; ///< largest distance of a node of the set from their middle; 1 if there is one node
    int set_count;
    int *set; ///< indices of nodes
    /// Its motion is the sum of weights[k] u[rows[k]]: translation x y z, rotation x y z, axes of the model. Loads on
    /// it act on the rows by the same weights.                                                       (IMP-4)
    int row_count;
    int *rows;
    double (*weights)[6];
} lb_fe_tie;

/// A structure in the coordinates z.
typedef struct lb_tied {
    lb_structure
        structure; ///< nodes: those of the files, then those of the ties; rows: the coordinates z
    lb_fe_matrix K, M; ///< T' K T and T' M T, of one pattern
    int tie_count;
    lb_fe_tie *ties;
    int n;              ///< rows of u
    int *start, *index; ///< T row by row, n rows; NULL: u = z
    double *value;
} lb_tied;

/// A caller's tied node over the defaults. LB_OK or LB_E_VERSION.
lb_status lb_take_tied_node(const lb_tied_node *given, lb_tied_node *own);

/// Reads the ties of the options: sets, places and weights. What is wrong is reported.
///
/// @param rows  of lb_index_rows
lb_status lb_find_ties(lb_import *import, const lb_structure *structure,
                       const lb_import_units *units, const lb_import_options *options,
                       const int *rows, lb_tied *tied);

/// Applies the ties: all rigid ones, and the average ones with `is_coordinate`. The matrices are those of the rows.
///
/// @param clamped  by node of the tied structure: may not belong to the set of a tie that is applied
lb_status lb_apply_ties(lb_import *import, const lb_structure *structure, const int *rows,
                        const bool *clamped, const lb_fe_matrix *K, const lb_fe_matrix *M,
                        lb_tied *tied);

/// u = T z.
void lb_expand_ties(const lb_tied *tied, const double *z, double *u);
/// g = T' f: loads on the coordinates from loads on the rows.
void lb_gather_ties(const lb_tied *tied, const double *f, double *g);

/// Unit load along (0 to 2) or about (3 to 5) an axis: of the model for the node of a tie, its own for another.
///
/// @param rows  of lb_index_rows
/// @param f     out: loads on the rows u
/// @return false if the node has no such degree of freedom
bool lb_set_unit_load(const lb_tied *tied, const int *rows, int node, int direction, double *f);

/// How a row of a node follows the motion of a point: translations, then rotations times a length.
void lb_get_follower(const lb_fe_grid *grid, int direction, const double point[3], double length,
                     double g[6]);

/// The rows that differ most, by Gram and Schmidt, the largest first.
///
/// @param left    what the rows are; destroyed
/// @param wanted  at most 6
/// @param chosen  out
/// @return false if so many are not independent
bool lb_choose_independent(size_t count, double (*left)[6], int wanted, size_t chosen[6]);

/// D X = B by Gauss with pivots; n at most 6.
///
/// @param D  row by row; destroyed
/// @param B  in: columns, so many; out: X
void lb_solve_few(int n, double D[6][6], int count, double (*B)[6]);

/// Motion of a tied node in each mode; see lb_get_node_shape.
void lb_get_tie_shape(const lb_fe_tie *tie, const lb_reduction *r, double *shape);

#endif // LB_TIES_H
