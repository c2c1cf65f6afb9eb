// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// An imported structure, with what was found about it.
#ifndef LB_IMPORTED_H
#define LB_IMPORTED_H

#include <stdio.h>

#include "limber/import.h"
#include "modal_body.h"
#include "reduction.h"

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
        int direction;
        double whole, modes;
    } residuals[LB_RESIDUALS_MOST];
    int other_count; ///< frequencies of the free structure, if nodes are clamped
    double others[8];
    double box[3]; ///< size of the structure, m
} lb_import_checks;

struct lb_imported {
    lb_import import;
    lb_modal_body body;
    lb_import_checks checks;
    lb_import_units units;
    int clamp_count;
    const long *node_ids;
    int kept_count;
    const char **source_names, **source_hashes;
    char *text, *json;       ///< by malloc
    lb_flex_body *from_file; ///< what it was read from, if that was a body file
};

/// What reports say of a body.
typedef struct lb_import_facts {
    double mass, centre[3], inertia[6], principal[3]; ///< inertia about the centre
    double *frequencies;                              ///< Hz
    double (*effective)[6];                           ///< by mode: kg along, kg m^2 about x y z
    double sums[6], whole[6];
} lb_import_facts;

/// @return LB_OK or LB_E_MEMORY
lb_status lb_find_import_facts(lb_arena *arena, const lb_modal_body *body, lb_import_facts *facts);

/// Fills in what needs the matrices, while they are there.
lb_status lb_check_structure(lb_import *import, const lb_structure *structure,
                             const lb_import_options *options, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, const lb_reduction *r, int kept_count,
                             const int *kept, lb_import_checks *checks);

/// Writes both reports.
lb_status lb_describe_import(lb_imported *imported);

/// Writes a text.
typedef void lb_printer(FILE *out, const void *data);

/// Writes a text into memory of malloc, with plain decimal points whatever the program has set.
///
/// @param text  out: NULL on failure
/// @return LB_OK or LB_E_MEMORY
lb_status lb_print_report(lb_printer *print, const void *data, char **text);

/// A string and a list of numbers of JSON; null where a number is not finite.
void lb_put_json_string(FILE *out, const char *text);
void lb_put_json_numbers(FILE *out, int count, const double *values);

#endif // LB_IMPORTED_H
