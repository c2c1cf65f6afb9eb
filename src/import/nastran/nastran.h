// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of Nastran's files hand to each other: matrices of OUTPUT4 files and of DMIG entries, and
// the points, coordinate systems and sets of bulk data.
#ifndef LB_NASTRAN_H
#define LB_NASTRAN_H

#include "import/structure.h"

enum {
    LB_NASTRAN_NAME = 8,                  ///< letters of a name
    LB_NASTRAN_LARGEST_ID = 2000000000,   ///< of a point
    LB_NASTRAN_LARGEST_SIZE = 2000000000, ///< of a matrix
    LB_NASTRAN_MATRICES = 4096,           ///< in all files of an import
};

// ---- matrices ----------------------------------------------------------------------------------

/// Consecutive entries of one column of an OUTPUT4 matrix.
typedef struct lb_op4_run {
    int column, row; ///< of the first entry, from 0
    int count;       ///< of entries
    size_t first;    ///< index of its first number; an entry has two numbers if it is complex
} lb_op4_run;

/// One term of a DMIG matrix. A component is 1 to 6, or 0 for a scalar point.
typedef struct lb_dmig_term {
    int column_id, row_id;
    signed char column_component, row_component;
    int line;
    double re, im;
} lb_dmig_term;

/// A matrix of either kind.
typedef struct lb_nastran_matrix {
    char name[LB_NASTRAN_NAME + 1]; ///< capital letters
    const lb_import_file *file;
    int line; ///< of its header; 0 in a binary file
    int form; ///< 1 square, 2 and 9 rectangular, 6 symmetric
    bool is_complex;
    int rows, columns; ///< of an OUTPUT4 matrix
    size_t run_count, run_capacity;
    lb_op4_run *runs; ///< by columns, then rows
    size_t value_count, value_capacity;
    double *values;
    bool is_dmig;  ///< has terms in place of runs
    bool is_polar; ///< the file has amplitudes and phases
    size_t term_count, term_capacity;
    lb_dmig_term *terms;
} lb_nastran_matrix;

// ---- bulk data ---------------------------------------------------------------------------------

enum { LB_GRID_DEFAULT = -1 };

/// A GRID entry as it was read.
typedef struct lb_bulk_grid {
    int id;
    int position_system, displacement_system; ///< CP and CD; LB_GRID_DEFAULT: as GRDSET says
    double x[3];                              ///< in CP
    const lb_import_file *file;
    int line;
} lb_bulk_grid;

typedef enum lb_system_kind { LB_RECTANGULAR, LB_CYLINDRICAL, LB_SPHERICAL } lb_system_kind;

/// A coordinate system: CORD2 by three points in another system, CORD1 by three grids.
typedef struct lb_bulk_system {
    int id;
    lb_system_kind kind;
    bool is_by_grids;
    int reference; ///< RID
    double points[3][3];
    int grids[3];
    const lb_import_file *file;
    int line;
    signed char progress;         ///< 0: not looked at; 1: under way; 2: done
    double origin[3], axes[3][3]; ///< in basic coordinates; axes are columns
} lb_bulk_system;

/// Points `from` to `to` with their components: bit 0 is a scalar point, bits 1 to 6 are components.
typedef struct lb_bulk_range {
    int from, to;
    unsigned components;
} lb_bulk_range;

/// A growing list of ranges.
typedef struct lb_bulk_ranges {
    size_t count, capacity;
    lb_bulk_range *all;
} lb_bulk_ranges;

/// One row of the matrices: a component of a point.
typedef struct lb_bulk_row {
    int id, component; ///< component 1 to 6, or 0 for a scalar point
    int index;         ///< of the row in the matrices
    const lb_import_file *file;
    int line;
} lb_bulk_row;

/// Rows of a recovery matrix that belong to one grid or element (DTI entries TUG1, TEF1, TES1).
typedef struct lb_bulk_label {
    char table; ///< third letter of the name: G, F or S
    int type, id, count, row;
} lb_bulk_label;

/// Everything that the files of one import hold.
typedef struct lb_nastran {
    lb_import *import;
    size_t matrix_count, matrix_capacity;
    lb_nastran_matrix *matrices;
    size_t grid_count, grid_capacity;
    lb_bulk_grid *grids;
    size_t system_count, system_capacity;
    lb_bulk_system *systems;
    size_t row_count, row_capacity;
    lb_bulk_row *rows; ///< of EXTRN entries, in their order, until lb_find_nastran_rows
    int *kept_rows;    ///< for each row of the files that of the structure; -1: left out
    size_t label_count, label_capacity;
    lb_bulk_label *labels;
    lb_bulk_ranges scalar_points;                             ///< SPOINT
    lb_bulk_ranges analysis;                                  ///< ASET, BSET, CSET, QSET
    lb_bulk_ranges generalized;                               ///< QSET alone
    int default_position_system, default_displacement_system; ///< GRDSET
    bool has_grid_defaults;
    int superelement; ///< its number; 0 if none was read
    const lb_import_file *superelement_file;
    const lb_import_file *bulk_file;   ///< a file with bulk data, if there is one
    const lb_import_file *resequenced; ///< has a SEQGP entry
} lb_nastran;

void lb_free_nastran(lb_nastran *data);

/// Columns of a line, from 0, without blanks around them; empty behind its end.
lb_span lb_cut_span(lb_span line, size_t from, size_t width);

/// Adds a matrix at the end of the list. Pointers to others do not outlive it.
lb_status lb_add_nastran_matrix(lb_nastran *data, const lb_import_file *file, int line,
                                lb_span name, lb_nastran_matrix **matrix);

// ---- OUTPUT4 -----------------------------------------------------------------------------------

bool lb_is_op4_text(const lb_import_file *file);
bool lb_is_op4_binary(const lb_import_file *file);

/// Add the matrices of a file.
lb_status lb_read_op4_text(lb_nastran *data, const lb_import_file *file);
lb_status lb_read_op4_binary(lb_nastran *data, const lb_import_file *file);

/// Adds a run of entries whose numbers follow. Checks that it lies within the matrix.
///
/// @param where  "line 12" or "record 3"
lb_status lb_start_op4_run(lb_nastran *data, lb_nastran_matrix *matrix, int line, const char *where,
                           long column, long row, long number_count);

/// Takes over what a header says, or refuses it.
lb_status lb_set_op4_size(lb_nastran *data, lb_nastran_matrix *matrix, int line, long columns,
                          long rows, long form, long type);

// ---- cards -------------------------------------------------------------------------------------

typedef struct lb_card_field {
    lb_span text; ///< without blanks around it
    int line;
} lb_card_field;

/// An entry of bulk data with its continuation lines: all its data fields in a row, eight for each line of
/// small fields and four for each line of large ones.
typedef struct lb_card {
    char name[LB_NASTRAN_NAME + 1];
    int line;
    size_t field_count, field_capacity;
    lb_card_field *fields;
    lb_span whole; ///< the first line
} lb_card;

typedef struct lb_card_reader {
    lb_import *import;
    const lb_import_file *file;
    lb_lines lines;
    lb_span line; ///< the next one, without comment
    bool has_line, is_at_end;
    lb_card card;
    lb_status status; ///< of the last call
} lb_card_reader;

lb_card_reader lb_start_cards(lb_import *import, const lb_import_file *file);
void lb_free_cards(lb_card_reader *reader);
/// Goes to the next entry. False at the end and after an error, which was reported.
bool lb_next_card(lb_card_reader *reader);

/// A field, from 0; blank behind the last.
lb_card_field lb_get_card_field(const lb_card *card, size_t index);
bool lb_is_card_field_blank(const lb_card *card, size_t index);
/// Read a field; a blank one is the default. They report what is wrong and return false.
bool lb_get_card_integer(lb_card_reader *reader, size_t index, int smallest, int preset,
                         int *value);
bool lb_get_card_number(lb_card_reader *reader, size_t index, double preset, double *value);
/// Components such as 123: a bit for each, bit 0 for 0 or a blank.
bool lb_get_card_components(lb_card_reader *reader, size_t index, unsigned *components);

/// Whether a text has an entry of bulk data that the readers know, near its beginning.
bool lb_is_bulk_data(const lb_import_file *file);

/// Adds everything in a file of bulk data: points, systems, sets, DMIG matrices.
lb_status lb_read_bulk_data(lb_nastran *data, const lb_import_file *file);
/// Adds a DMIG entry.
lb_status lb_read_dmig(lb_nastran *data, lb_card_reader *reader);
/// Adds a DTI entry that names the rows of a recovery matrix.
lb_status lb_read_row_labels(lb_nastran *data, lb_card_reader *reader);

/// Sorts ranges, and joins those that overlap or touch. Components are lost.
void lb_merge_bulk_ranges(lb_bulk_ranges *ranges);
/// Whether a point is in merged ranges.
bool lb_has_bulk_point(const lb_bulk_ranges *ranges, int id);
/// Components of each point that some range names.
///
/// @param ids         ascending
/// @return one for each; NULL if memory is out
const unsigned *lb_find_range_components(lb_import *import, const lb_bulk_ranges *ranges,
                                         const int *ids, size_t count);

/// Fills the nodes of the structure: positions and displacement axes in basic coordinates.
lb_status lb_place_nastran_grids(lb_nastran *data, lb_structure *structure);

// ---- the structure -----------------------------------------------------------------------------

/// Finds what the rows of the matrices are: fills data->rows, sorted by point and component, and the rows of
/// the structure.
lb_status lb_find_nastran_rows(lb_nastran *data, const lb_nastran_matrix *K,
                               const lb_nastran_matrix *M, lb_structure *structure);
/// The row of a component of a point, or NULL.
const lb_bulk_row *lb_find_nastran_row(const lb_nastran *data, int id, int component);

/// Takes rows out of the structure that have neither stiffness nor mass nor damping, as rotations of solid
/// elements have none.
lb_status lb_drop_empty_rows(lb_nastran *data, lb_structure *structure);

/// Adds the recovery matrices MUG1, MEF1 and MES1.
lb_status lb_add_nastran_recovery(lb_nastran *data, lb_structure *structure);

#endif // LB_NASTRAN_H
