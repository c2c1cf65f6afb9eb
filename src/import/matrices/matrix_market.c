// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix Market, as *EXPORT,,MMF of Ansys writes it and many other programs do, with two more files: what each
// row is, and where the nodes are.
//
//   %%MatrixMarket matrix coordinate real symmetric    (or general; integer is fine, pattern and complex not)
//   % comments
//   rows columns entries
//   row column value            from 1; one triangle if symmetric
//
//   %%MatrixMarket matrix array real general|symmetric      values by columns, the lower triangle if symmetric
//
// The tables with it are described in node_tables.c; a map may also be a Matrix Market array of one column.
//
// From the description of the format by NIST, and from files of Ansys.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

static const char banner[] = "%%MatrixMarket";

bool lb_is_matrix_market(const lb_import_file *file)
{
    lb_lines lines = lb_start_lines(file);
    return lb_next_line(&lines) && lb_span_starts(lines.line, banner);
}

// ---- the head ----------------------------------------------------------------------------------

typedef struct head {
    bool is_array, is_symmetric;
    long rows, columns, entries;
    lb_lines lines; // behind the sizes
} head;

static lb_status read_head(lb_import *import, const lb_import_file *file, head *found)
{
    lb_lines lines = lb_start_lines(file);
    lb_span field = {"", 0}, words[5] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}};
    lb_next_line(&lines);
    lb_span rest = lines.line;
    for (int i = 0; i < 5; ++i) {
        lb_next_field(&rest, NULL, &words[i]);
    }
    found->is_array = lb_span_is(words[2], "array");
    found->is_symmetric = lb_span_is(words[4], "symmetric");
    const bool is_number = lb_span_is(words[3], "real") || lb_span_is(words[3], "double") ||
                           lb_span_is(words[3], "integer");
    if (!lb_span_is(words[1], "matrix") ||
        (!found->is_array && !lb_span_is(words[2], "coordinate")) || !is_number ||
        (!found->is_symmetric && !lb_span_is(words[4], "general"))) {
        return lb_import_fail(import, file, lines.number,
                              "'%s': only matrices of real numbers are read, coordinate or array, "
                              "general or symmetric",
                              lb_make_excerpt(lines.line).text);
    }
    // the sizes, behind comments
    while (lb_next_line(&lines)) {
        rest = lines.line;
        if (!lb_next_field(&rest, NULL, &field) || field.at[0] == '%') {
            continue;
        }
        rest = lines.line;
        long *const sizes[] = {&found->rows, &found->columns, &found->entries};
        for (int i = 0; i < (found->is_array ? 2 : 3); ++i) {
            if (!lb_next_field(&rest, NULL, &field) || !lb_get_integer(field, sizes[i]) ||
                *sizes[i] < 0 || *sizes[i] > INT_MAX) {
                return lb_import_fail(import, file, lines.number,
                                      "expected the number of rows, of columns%s, found '%s'",
                                      found->is_array ? "" : " and of entries",
                                      lb_make_excerpt(lines.line).text);
            }
        }
        found->lines = lines;
        return LB_OK;
    }
    return lb_import_fail(import, file, lines.number,
                          "the file ends before the sizes of the matrix");
}

// The numbers of an array, one after the other.
typedef struct number_stream {
    lb_lines lines;
    lb_span rest;
} number_stream;

// 1: a number; 0: the end; -1: not a number.
static int next_number(number_stream *stream, double *value)
{
    lb_span field;
    while (!lb_next_field(&stream->rest, NULL, &field)) {
        if (!lb_next_line(&stream->lines)) {
            return 0;
        }
        stream->rest = stream->lines.line;
    }
    return lb_get_number(field, value) ? 1 : -1;
}

static lb_status fail_number(lb_import *import, const lb_import_file *file,
                             const number_stream *stream, int kind)
{
    return lb_import_fail(import, file, stream->lines.number,
                          kind < 0 ? "expected a number"
                                   : "the file ends too early: it is truncated");
}

// ---- matrices ----------------------------------------------------------------------------------

static lb_status read_array(lb_import *import, const head *found, lb_file_matrix *matrix)
{
    const lb_import_file *file = matrix->file;
    const int n = (int)found->rows;
    // each number takes two bytes
    if ((size_t)n > 2 * file->length / ((size_t)n + 1)) {
        return lb_import_fail(import, file, found->lines.number,
                              "the file is too short for %d rows: it is truncated", n);
    }
    number_stream stream = {.lines = found->lines, .rest = {"", 0}};
    matrix->entries.file = file;
    matrix->file->is_used = true;
    for (int j = 0; j < n; ++j) {
        for (int i = found->is_symmetric ? j : 0; i < n; ++i) {
            double value;
            const int kind = next_number(&stream, &value);
            if (kind != 1) {
                return fail_number(import, file, &stream, kind);
            }
            if (value != 0.0 && !lb_add_fe_entry(&matrix->entries, i, j, value)) {
                return LB_E_MEMORY;
            }
        }
    }
    double more;
    return next_number(&stream, &more) == 0
               ? LB_OK
               : lb_import_fail(import, file, stream.lines.number,
                                "more numbers than the %d rows need", n);
}

static lb_status read_matrix(lb_import *import, const head *found, int row_count,
                             lb_file_matrix *matrix)
{
    const lb_import_file *file = matrix->file;
    if (found->rows != row_count || found->columns != row_count) {
        return lb_import_fail(
            import, file, found->lines.number,
            "%ld rows and %ld columns, but the map from rows to nodes has %d rows", found->rows,
            found->columns, row_count);
    }
    lb_status status = found->is_array ? read_array(import, found, matrix)
                                       : lb_read_triplets(import, found->lines, row_count, matrix);
    if (!status && !found->is_array && matrix->line_count != (size_t)found->entries) {
        status = lb_import_fail(
            import, file, found->lines.number,
            "%ld entries announced, but there are %zu: the file is truncated or damaged",
            found->entries, matrix->line_count);
    }
    status = status ? status : lb_check_last_line(import, file);
    if (status) {
        return status;
    }
    lb_set_part(matrix);
    if (found->is_symmetric && matrix->entries.part == LB_FE_BOTH) {
        return lb_import_fail(import, file, 1,
                              "a symmetric matrix has entries of one triangle, but this one of "
                              "both: call it general");
    }
    matrix->entries.part = found->is_symmetric ? LB_FE_HALF : LB_FE_BOTH;
    return LB_OK;
}

// ---- the map from rows to nodes ----------------------------------------------------------------

// Numbers of nodes in an array of one column.
static lb_status read_map_array(lb_import *import, lb_import_file *file, const head *found,
                                lb_row_labels *labels)
{
    number_stream stream = {.lines = found->lines, .rest = {"", 0}};
    file->is_used = true;
    labels->file = file;
    for (long i = 0; i < found->rows; ++i) {
        double value;
        const int kind = next_number(&stream, &value);
        if (kind != 1) {
            return fail_number(import, file, &stream, kind);
        }
        if (value < 1.0 || value > INT_MAX || value != (double)(long)value) {
            return lb_import_fail(import, file, stream.lines.number, "%g is no number of a node",
                                  value);
        }
        if (!lb_add_row_label(import, labels, (long)value, -1, stream.lines.number)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

// One node stands for three or six rows.
static lb_status spread_labels(lb_import *import, long row_count, lb_row_labels *labels)
{
    int directed = 0;
    for (int i = 0; i < labels->count; ++i) {
        directed += labels->all[i].direction >= 0;
    }
    if (directed == labels->count) {
        return LB_OK;
    }
    const int per_node = row_count == 3L * labels->count   ? 3
                         : row_count == 6L * labels->count ? 6
                                                           : 0;
    if (directed > 0 || per_node == 0) {
        return lb_import_fail(import, labels->file, 0,
                              "%d nodes do not fit %ld rows, with neither three nor six rows per "
                              "node: write one line 'node.direction' per row",
                              labels->count, row_count);
    }
    lb_row_labels all = {.file = labels->file};
    for (int i = 0; i < labels->count; ++i) {
        for (int d = 0; d < per_node; ++d) {
            if (!lb_add_row_label(import, &all, labels->all[i].node, d, labels->all[i].line)) {
                return LB_E_MEMORY;
            }
        }
    }
    *labels = all;
    return LB_OK;
}

// ---- all of them -------------------------------------------------------------------------------

// The files of an import by what they hold.
typedef struct market_files {
    lb_fe_matrices matrices;
    head heads[LB_MAX_MATRICES], map_head;
    lb_import_file *map, *coordinates;
    bool is_map_array;
} market_files;

static lb_status set_once(lb_import *import, lb_import_file *file, const char *what,
                          lb_import_file **place)
{
    if (*place) {
        return lb_import_fail(import, file, 0, "a second file with %s; '%s' has them too", what,
                              (*place)->path);
    }
    *place = file;
    return LB_OK;
}

static lb_status sort_file(lb_import *import, lb_import_file *file, market_files *files)
{
    if (!lb_is_matrix_market(file)) {
        const lb_table_kind kind = lb_is_deck(file) ? LB_TABLE_NONE : lb_find_table(file);
        return kind == LB_TABLE_NONE  ? LB_OK
               : kind == LB_TABLE_MAP ? set_once(import, file, "nodes of rows", &files->map)
                                      : set_once(import, file, "coordinates", &files->coordinates);
    }
    head found;
    const lb_status status = read_head(import, file, &found);
    if (status) {
        return status;
    }
    if (found.is_array && found.columns == 1 && found.rows != 1) {
        files->map_head = found;
        files->is_map_array = true;
        return set_once(import, file, "nodes of rows", &files->map);
    }
    if (files->matrices.count == LB_MAX_MATRICES) {
        return lb_import_fail(import, file, 0,
                              "too many matrices: give the stiffness and the mass");
    }
    files->heads[files->matrices.count] = found;
    files->matrices.all[files->matrices.count++] = (lb_file_matrix){.file = file};
    return LB_OK;
}

static lb_status check_files(lb_import *import, const market_files *files, const lb_deck *deck)
{
    const lb_import_file *first =
        files->matrices.count ? files->matrices.all[0].file : import->files;
    if (files->matrices.count < 2) {
        return lb_import_fail(import, first, 0, "%d matrix: give the stiffness and the mass",
                              files->matrices.count);
    }
    if (!files->map) {
        return lb_import_fail(import, first, 0,
                              "nothing says which node each row belongs to: give a file with one "
                              "line 'node.direction' per row, or with one node per three rows");
    }
    if (!files->coordinates == !deck->file) {
        return lb_import_fail(import, first, 0, "%s: give one file with lines 'node x y z'",
                              deck->file ? "two files have coordinates"
                                         : "the coordinates of the nodes are missing");
    }
    return LB_OK;
}

static lb_status check_nodes(lb_import *import, const lb_import_file *file,
                             const lb_structure *structure)
{
    if (lb_index_grids(import, structure)) {
        return LB_E_MEMORY;
    }
    for (int i = 1; i < structure->node_count; ++i) {
        const long id = structure->nodes[import->grid_order[i]].id;
        if (id == structure->nodes[import->grid_order[i - 1]].id) {
            return lb_import_fail(import, file, 0, "node %ld has coordinates twice", id);
        }
    }
    return LB_OK;
}

static lb_status read_files(lb_import *import, lb_structure *structure, market_files *files)
{
    lb_deck deck;
    lb_row_labels labels = {.count = 0};
    lb_status status = lb_read_decks(import, structure, &deck);
    status = status ? status : check_files(import, files, &deck);
    if (!status && files->coordinates) {
        status = lb_read_coordinates(import, files->coordinates, structure);
        import->grid_order = NULL;
        status = status ? status : check_nodes(import, files->coordinates, structure);
    }
    if (!status) {
        status = files->is_map_array ? read_map_array(import, files->map, &files->map_head, &labels)
                                     : lb_read_row_map(import, files->map, &labels);
    }
    status = status ? status : spread_labels(import, files->heads[0].rows, &labels);
    if (!status) {
        status = lb_set_rows(import, structure, &labels, "each row is one direction of one node",
                             "add it to the file of coordinates");
    }
    for (int i = 0; i < files->matrices.count && !status; ++i) {
        status =
            read_matrix(import, &files->heads[i], structure->row_count, &files->matrices.all[i]);
    }
    return status ? status : lb_assign_matrices(import, structure, &files->matrices);
}

lb_status lb_read_matrix_market(lb_import *import, lb_structure *structure)
{
    market_files files = {.map = NULL};
    lb_status status = LB_OK;
    structure->format = "Matrix Market";
    for (int i = 0; i < import->file_count && !status; ++i) {
        status = sort_file(import, &import->files[i], &files);
    }
    status = status ? status : read_files(import, structure, &files);
    lb_free_matrices(&files.matrices);
    return status;
}

lb_status lb_read_single_matrix(lb_import *import, lb_import_file *file, int row_count,
                                lb_fe_entries *entries)
{
    lb_file_matrix matrix = {.file = file};
    lb_status status;
    if (lb_is_matrix_market(file)) {
        head found;
        status = read_head(import, file, &found);
        status = status ? status : read_matrix(import, &found, row_count, &matrix);
    } else if (lb_is_triplets(file)) {
        status = lb_read_triplets(import, lb_start_lines(file), row_count, &matrix);
        status = status ? status : lb_check_last_line(import, file);
        lb_set_part(&matrix);
    } else {
        status = lb_import_fail(import, file, 1,
                                "expected a matrix: Matrix Market, or lines 'row column value'");
    }
    *entries = matrix.entries;
    entries->file = file;
    return status;
}
