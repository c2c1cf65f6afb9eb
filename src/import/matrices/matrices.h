// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of whole matrices share: CalculiX, Abaqus, Matrix Market. They find out which file holds
// what, which node and direction each row belongs to, and which matrix is the stiffness.
#ifndef LB_MATRICES_H
#define LB_MATRICES_H

#include "import/structure.h"

// ---- input files of Abaqus and CalculiX --------------------------------------------------------

/// A rigid body of CalculiX: its rotations are called displacements of a node of their own.
typedef struct lb_deck_rigid {
    long reference, rotation;
    int line;
} lb_deck_rigid;

/// Where a keyword appears first.
typedef struct lb_deck_place {
    const lb_import_file *file; ///< NULL: nowhere
    int line;
} lb_deck_place;

/// What the input files (.inp) of an import say together.
typedef struct lb_deck {
    const lb_import_file *file; ///< the first one; NULL if there is none
    int rigid_count, rigid_capacity;
    lb_deck_rigid *rigid;    ///< in the order of `rotation`
    lb_deck_place cyclic;    ///< *CYCLIC SYMMETRY MODEL
    lb_deck_place transform; ///< *TRANSFORM
    lb_deck_place local;     ///< GLOBAL=NO
    lb_deck_place boundary;  ///< *BOUNDARY
    lb_deck_place
        constraint; ///< *EQUATION, *MPC, *TIE, *COUPLING, *RIGID BODY and others that join nodes
} lb_deck;

/// Whether a file is an input file: its first line that is no comment is a keyword, though not that of a
/// matrix.
bool lb_is_deck(const lb_import_file *file);

/// Reads all input files of an import: nodes go to the structure, the rest to the deck. Reports an *INCLUDE of a
/// file that was not given, repeated nodes, and ways to define nodes that are not known here.
lb_status lb_read_decks(lb_import *import, lb_structure *structure, lb_deck *deck);

/// Bit d is set for each direction d of each node in which an element acts.
///
/// @param directions  out: one per node
lb_status lb_find_deck_directions(lb_import *import, const lb_structure *structure,
                                  unsigned char *directions);

// ---- lines and sets of input files -------------------------------------------------------------

enum { LB_DECK_PARAMETERS = 12 };

typedef struct lb_deck_parameter {
    lb_span name, value;
} lb_deck_parameter;

/// Goes through an input file. Start from {.lines = lb_start_lines(file)}.
typedef struct lb_deck_cursor {
    lb_lines lines;
    int line;        ///< number of the line, the first one of a keyword
    bool is_keyword; ///< else data
    lb_span keyword; ///< the last one, without its asterisk
    int parameter_count;
    lb_deck_parameter parameters[LB_DECK_PARAMETERS]; ///< of the keyword
} lb_deck_cursor;

/// Goes to the next line that is neither a comment nor empty; of a keyword, all that belongs to it is read. False
/// behind the last.
bool lb_next_deck_line(lb_deck_cursor *at);

/// Value of a parameter of the keyword; NULL if it has none of that name.
///
/// @param name  in capital letters, without blanks
const lb_span *lb_find_deck_parameter(const lb_deck_cursor *at, const char *name);

/// Whether data go on in the next line.
bool lb_ends_in_comma(lb_span line);

/// Whether a span is one of these words (capital letters, no blanks), which NULL ends.
bool lb_is_one_of(lb_span span, const char *const *words);

/// Numbers in the arena of an import.
typedef struct lb_number_list {
    int count, capacity;
    long *all;
} lb_number_list;

/// Adds the numbers of the nodes of a set: from *NSET, with sets inside it, and from *NODE with NSET. A number may come
/// twice. Nothing is added if there is no such set. Reads all input files of the import again.
///
/// @return LB_OK, LB_E_SYNTAX (reported) or LB_E_MEMORY
lb_status lb_find_deck_set(lb_import *import, lb_span name, lb_number_list *list);

// ---- rows --------------------------------------------------------------------------------------

/// What a row is called in a file.
typedef struct lb_row_label {
    long node;
    int direction; ///< from 0
    int line;      ///< for messages; 0: of no line
} lb_row_label;

/// Labels of rows, in order.
typedef struct lb_row_labels {
    const lb_import_file *file;
    int count, capacity;
    lb_row_label *all;
} lb_row_labels;

bool lb_add_row_label(lb_import *import, lb_row_labels *labels, long node, int direction, int line);

/// Reads `node.direction`, such as 9001.3; the direction is 1 to 6 in the file, and from 0 here.
bool lb_get_dotted_label(lb_span span, lb_row_label *label);

/// Makes the rows of the structure from labels. Nodes that no row belongs to are left out. Reports labels that
/// repeat, and nodes without coordinates.
///
/// @param cure  said about labels that repeat
/// @param hint  said about nodes without coordinates
lb_status lb_set_rows(lb_import *import, lb_structure *structure, const lb_row_labels *labels,
                      const char *cure, const char *hint);

/// Leaves out nodes without rows.
lb_status lb_drop_nodes(lb_import *import, lb_structure *structure);

// ---- entries -----------------------------------------------------------------------------------

/// A matrix whose meaning is not known yet.
typedef struct lb_file_matrix {
    lb_import_file *file;
    lb_fe_entries entries; ///< without those that are zero
    size_t line_count;     ///< entries in the file, zeros too
    int size;              ///< largest row or column
} lb_file_matrix;

enum { LB_MAX_MATRICES = 3 };

/// The matrices of an import.
typedef struct lb_fe_matrices {
    int count;
    lb_file_matrix all[LB_MAX_MATRICES];
} lb_fe_matrices;

/// Whether a text consists of lines `row column value`, from its first lines.
bool lb_is_triplets(const lb_import_file *file);

/// Reads lines `row column value`, numbered from 1, to the end of the file.
///
/// @param lines  before the first of them
/// @param limit  largest row and column that is allowed
lb_status lb_read_triplets(lb_import *import, lb_lines lines, int limit, lb_file_matrix *matrix);

/// Fails if a file ends within a line: its last number may have lost digits.
lb_status lb_check_last_line(lb_import *import, const lb_import_file *file);

/// Sets whether the entries are one triangle or all, and brings those of one triangle below the diagonal.
void lb_set_part(lb_file_matrix *matrix);

/// Frees matrices that no structure has taken.
void lb_free_matrices(lb_fe_matrices *matrices);

/// Gives the matrices to the structure: stiffness, mass, and damping if there is one. The rows of the structure
/// and the parts of the matrices must be known. A role that the user gave decides, then physics, then the names of the files.
lb_status lb_assign_matrices(lb_import *import, lb_structure *structure, lb_fe_matrices *matrices);

/// How much a matrix resists motions v of the whole as a rigid body: |v' A v| / (|v|' |A| |v|). That is about
/// 1e-10 or less for the stiffness of a free structure, and more than 0.01 for a mass.
///
/// @param first  0 for translations, 3 for rotations about the axes of the model
/// @param ratio  out: for each of the three; -1 if no entry takes part
/// @return false if memory is out
bool lb_measure_grounding(const lb_structure *structure, const lb_fe_entries *entries, int first,
                          double ratio[3]);

// ---- tables, and substructures of Abaqus -------------------------------------------------------

typedef enum lb_table_kind { LB_TABLE_NONE, LB_TABLE_MAP, LB_TABLE_COORDINATES } lb_table_kind;

/// What a table holds, by the number of columns of its first line that is no heading.
lb_table_kind lb_find_table(const lb_import_file *file);

/// Adds the nodes of a table to those of the structure.
lb_status lb_read_coordinates(lb_import *import, lb_import_file *file, lb_structure *structure);

/// Reads what each row is. If the table has numbers of nodes alone, the directions are -1.
lb_status lb_read_row_map(lb_import *import, lb_import_file *file, lb_row_labels *labels);

/// Whether the first keyword of a file is *USER ELEMENT.
bool lb_is_abaqus_element(const lb_import_file *file);

/// Reads it. The nodes of the structure must have been read from the input file; those that the substructure
/// does not retain are left out.
lb_status lb_read_abaqus_element(lb_import *import, lb_import_file *file, lb_structure *structure);

// ---- words -------------------------------------------------------------------------------------

/// The beginning of a span, fit to be printed.
typedef struct lb_excerpt {
    char text[48];
} lb_excerpt;

lb_excerpt lb_make_excerpt(lb_span span);

/// The first line of a file that is neither empty nor a comment ("**"); false if there is none.
bool lb_find_first_line(const lb_import_file *file, lb_lines *lines);

/// Name of a file without its folders.
const char *lb_get_base_name(const char *path);

/// Compares, without regard to capital letters and blanks.
bool lb_is_same_word(lb_span span, const char *word);

#endif // LB_MATRICES_H
