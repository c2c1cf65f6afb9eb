// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// An imported structure, with what was found about it.
#ifndef LB_IMPORTED_H
#define LB_IMPORTED_H

#include <stdio.h>

#include "import/reduce/basis.h"
#include "import/reduce/reduction.h"
#include "limber/import.h"
#include "modal_body.h"

/// Rows of nodes for which the flexibility that the modes leave out is computed, at most.
enum { LB_RESIDUALS_MOST = 48 };

/// What the checks of a structure found. Numbers that could not be had are NAN.
typedef struct lb_import_checks {
    bool has_structure; ///< matrices were read; otherwise modes
    int row_count, modal_count, node_count;
    int possible_count;   ///< modes that the structure has
    double masses[3];     ///< along x, y, z
    double grounding;     ///< see lb_reduction
    int free_count;       ///< rigid motions that nothing resists
    double residual;      ///< largest |K phi - omega^2 M phi| / |omega^2 M phi|
    double orthogonality; ///< largest entry of M_ff - 1
    double anisotropy; ///< how far blocks of M are from multiples of unity, over the largest entry
    double
        coordinates; ///< distances of nodes by the stiffness against their coordinates, over the size
    int residual_count; ///< flexibility at rows of kept nodes: that of all, and that of the modes
    struct lb_residual {
        long node;
        const char *name; ///< of a tied node, which has no number; or NULL
        int direction;
        double whole, modes;
    } residuals[LB_RESIDUALS_MOST];
    int other_count; ///< frequencies of the free structure, if nodes are clamped
    double others[8];
    double box[3]; ///< size of the structure, m
    /// Free motions of the stiffness alone, where those of the files are not six; -1 if not known. If they are six: grids
    /// whose axes or place contradict them, the worst, and where K has it.
    int null_count, wrong_count;
    long wrong_grid;
    bool has_wrong_axes;
    double wrong_place[3];
    /// What the modes are made of.
    int normal_count, constraint_count, residual_modes, dropped_count, rigid_count;
} lb_import_checks;

/// Unit loads at nodes that have names, along or about an axis.
typedef struct lb_node_loads {
    lb_fe_loads loads;             ///< over the coordinates of the tied structure
    int places[LB_RESIDUALS_MOST]; ///< by load: 6 times the index in `kept`, and the direction
} lb_node_loads;

/// A structure while it is reduced.
typedef struct lb_reduced {
    lb_structure *structure;
    const int *rows;     ///< of lb_index_rows
    lb_fe_matrix K, M;   ///< over its rows
    lb_reduction r;      ///< over its rows
    lb_tied tied;        ///< with its ties
    lb_reduction r_tied; ///< over the coordinates of `tied`
    lb_basis_options options;
    lb_basis basis;
    int *kept; ///< nodes with names, indices in tied.structure
    const char **names;
    lb_node_loads unit_loads; ///< those of the report
} lb_reduced;

struct lb_imported {
    lb_import import;
    lb_modal_body body;
    lb_import_checks checks;
    lb_import_units units;
    bool is_clamped;
    const char *const *interfaces; ///< names, of the caller: while the import runs
    int interface_count;
    const long *node_ids;
    int kept_count;
    const char **source_names, **source_hashes;
    char *text, *json;       ///< by malloc
    lb_flex_body *from_file; ///< what it was read from, if that was a body file
};

/// Reads the files of the options: first those for readers of formats, then geometric stiffness, then what a user
/// wants to recover. What is wrong is reported.
lb_status lb_read_import_files(lb_imported *imported, const lb_import_options *options);

/// Frees the text of a file.
void lb_drop_text(lb_import_file *file);

/// Makes the body: modes, inertia, nodes and what can be recovered, with the checks.
lb_status lb_reduce_structure(lb_imported *imported, const lb_import_options *options,
                              lb_structure *structure);

/// Brings a body that was read with its modes to SI units.
lb_status lb_scale_modal_body(lb_import *import, const lb_import_units *units, lb_modal_body *body);

/// What reports say of a body.
typedef struct lb_import_facts {
    double mass, centre[3], inertia[6], principal[3]; ///< inertia about the centre
    double *frequencies;                              ///< Hz; NAN of what has no mass
    double *damping;                                  ///< ratios; NULL if there is no damping
    double (*effective)[6];                           ///< by mode: kg along, kg m^2 about x y z
    double sums[6], whole[6];
    double *shapes; ///< n by mode, in coordinates of the body; NULL if each coordinate is a mode
} lb_import_facts;

/// Modes of coupled coordinates, ascending; in their order, without shapes, if M and K couple none.     (IMP-11)
///
/// @param squares  out: squared frequencies; NAN of what has no mass
/// @param masses   out: x' M x
/// @param shapes   out: n by mode, in the arena, or NULL
/// @return LB_OK or LB_E_MEMORY, or a failure of LAPACK
lb_status lb_find_coupled_modes(lb_arena *arena, int n, const double *M, const double *K,
                                double *squares, double *masses, double **shapes);

/// @return LB_OK or LB_E_MEMORY
lb_status lb_find_import_facts(lb_arena *arena, const lb_modal_body *body, lb_import_facts *facts);

/// Makes the unit loads whose flexibility is in the report, except those on what is held; none if the report does not
/// need them.
lb_status lb_form_unit_loads(lb_import *import, lb_reduced *reduced, int kept_count);

/// Finds grids that contradict the stiffness.                                             (IMP-13)
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_find_wrong_grids(lb_import *import, const lb_reduced *reduced,
                              lb_import_checks *checks);

/// Fills in what needs the matrices, while they are there.
lb_status lb_check_structure(lb_import *import, lb_reduced *reduced, int kept_count,
                             lb_import_checks *checks);

/// Static response of the rows of recovery to loads of inertia, and to forces at the kept nodes. Left out where the
/// stiffness cannot carry the loads.                                                      (RCV-5)
lb_status lb_find_static_response(lb_import *import, lb_reduced *reduced,
                                  const lb_import_units *units, int kept_count,
                                  lb_modal_body *body);

/// Writes both reports.
lb_status lb_describe_import(lb_imported *imported);

/// Writes a text.
typedef void lb_printer(FILE *out, const void *data);

/// Writes a text into memory of malloc, with plain decimal points whatever the program has set.
///
/// @param text  out: NULL on failure
/// @return LB_OK or LB_E_MEMORY
lb_status lb_print_report(lb_printer *print, const void *data, char **text);

/// A string and a list of numbers of JSON, with what comes before; null where a number is not finite.
void lb_put_json_string(FILE *out, const char *before, const char *text);
void lb_put_json_numbers(FILE *out, const char *before, int count, const double *values);

#endif // LB_IMPORTED_H
