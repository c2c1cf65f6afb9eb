// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A structure as another program describes it: nodes, and matrices of stiffness and mass over the degrees of
// freedom of the nodes. Readers of file formats fill it; reduction makes a flexible body of it.
#ifndef LB_STRUCTURE_H
#define LB_STRUCTURE_H

#include "modal_body.h"

/// A node.
typedef struct lb_fe_grid {
    long id;           ///< its number in the file
    double x[3];       ///< in the axes of the model
    double axes[3][3]; ///< columns: the axes of its displacements, in those of the model
} lb_fe_grid;

/// What one row of the matrices is.
typedef struct lb_fe_row {
    int node;      ///< index of a node; LB_FE_MODAL for a coordinate that belongs to none
    int direction; ///< 0 to 2: translation along the node's axes; 3 to 5: rotation about them
} lb_fe_row;

enum { LB_FE_MODAL = -1 };

/// Which entries of a symmetric matrix a file has.
typedef enum lb_fe_part {
    LB_FE_BOTH, ///< all: symmetry is checked
    LB_FE_HALF, ///< those of one triangle, either one: the others follow
} lb_fe_part;

/// A symmetric matrix as it was read, entry by entry. Entries of the same place are an error.
typedef struct lb_fe_entries {
    lb_fe_part part;
    size_t count, capacity;
    lb_fe_entry *all;           ///< by malloc; freed by lb_free_structure
    const lb_import_file *file; ///< for what is said about it
} lb_fe_entries;

typedef struct lb_structure {
    const char *format; ///< in words, such as "CalculiX matrices"
    int node_count;
    lb_fe_grid *nodes; ///< in the order of the file; ids differ
    int row_count;
    lb_fe_row *rows; ///< each (node, direction) at most once
    lb_fe_entries K, M;
    lb_fe_entries C; ///< viscous damping; empty if the file has none
    int recovery_count;
    lb_fe_recovery *recovery;
    /// Reduced by the other program (Craig and Bampton): M is not that of the nodes alone, so inertia that
    /// depends on the deformation is not known.
    bool is_reduced;
} lb_structure;

/// Adds an entry. Returns false if memory is out.
bool lb_add_fe_entry(lb_fe_entries *entries, int row, int column, double value);

/// Frees what is not in the arena of the import.
void lb_free_structure(lb_structure *structure);

/// Sorts the nodes by number, so that lb_find_grid cannot run out of memory. Whoever moves nodes afterwards sets
/// grid_order of the import to NULL.
lb_status lb_index_grids(lb_import *import, const lb_structure *structure);

/// Index of a node by its number, or -1. O(log n), once the nodes are sorted.
int lb_find_grid(lb_import *import, const lb_structure *structure, long id);

// ---- readers -----------------------------------------------------------------------------------

/// A reader looks at all files of an import. It takes those that are its own (file->is_used), fills the
/// structure, and reports what is wrong with them.
///
/// @return LB_OK, LB_E_SYNTAX (reported), LB_E_UNSUPPORTED (reported) or LB_E_MEMORY
typedef lb_status lb_structure_reader(lb_import *import, lb_structure *structure);

lb_structure_reader lb_read_calculix, lb_read_abaqus, lb_read_matrix_market, lb_read_nastran;

/// Reads a square matrix over the rows of a structure, Matrix Market or lines `row column value`.
lb_status lb_read_single_matrix(lb_import *import, lb_import_file *file, int row_count,
                                lb_fe_entries *entries);

/// Whether a file looks like one of this family, from its first bytes. Not from its name. Of the readers of whole
/// matrices, ask for Matrix Market first, then CalculiX (which is known by its .dof file alone), then Abaqus: the
/// files that they share look alike. Input files (.inp) belong to none of them.
typedef bool lb_format_test(const lb_import_file *file);

lb_format_test lb_is_calculix, lb_is_abaqus, lb_is_matrix_market, lb_is_nastran;

#endif // LB_STRUCTURE_H
