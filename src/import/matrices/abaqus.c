// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Abaqus: what *MATRIX OUTPUT writes (job_STIF1.mtx, job_MASS1.mtx), with the input file for the coordinates.
//
//   FORMAT=MATRIX INPUT   `node,direction, node,direction, value`, one triangle, either one; names its rows
//   FORMAT=COORDINATE     `row column value`, from 1, both triangles; no header. Rows go through the nodes that
//                         have elements, and at each through the directions of its elements
//
// and what *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED writes: see abaqus_element.c.
//
// Whether nodes are in the order of their numbers or of the input file is not documented: where these differ,
// the order is used in which rigid rotation costs no force. From the manual of Abaqus (Generating matrices)
// and from its output.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

static const char hint_inp[] =
    "give the input file (.inp) too: the coordinates of the nodes are only there";

// ---- node,direction, node,direction, value -----------------------------------------------------

// The five fields of a line.
typedef struct labelled_entry {
    long node[2], direction[2];
    double value;
} labelled_entry;

static const char *scan_integer(const char *at, const char *end, long *value)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        ++at;
    }
    const bool is_negative = at < end && *at == '-';
    at += is_negative;
    long sum = 0;
    const char *first = at;
    for (; at < end && *at >= '0' && *at <= '9' && sum < INT_MAX; ++at) {
        sum = 10 * sum + (*at - '0');
    }
    while (at < end && (*at == ' ' || *at == '\t')) {
        ++at;
    }
    if (at == first || at == end || *at != ',') {
        return NULL;
    }
    *value = is_negative ? -sum : sum;
    return at + 1;
}

static bool scan_labelled(lb_span line, labelled_entry *entry)
{
    const char *at = line.at, *const end = line.at + line.length;
    for (int i = 0; i < 2 && at; ++i) {
        at = scan_integer(at, end, &entry->node[i]);
        at = at ? scan_integer(at, end, &entry->direction[i]) : NULL;
    }
    if (!at) {
        return false;
    }
    while (at < end && (*at == ' ' || *at == '\t')) {
        ++at;
    }
    const size_t used = lb_scan_fe_number(at, end, &entry->value);
    at += used;
    while (at < end && (*at == ' ' || *at == '\t' || *at == ',')) {
        ++at;
    }
    return used > 0 && at == end;
}

static bool is_labelled(const lb_import_file *file)
{
    lb_lines lines;
    labelled_entry entry;
    return lb_find_first_line(file, &lines) && scan_labelled(lines.line, &entry);
}

bool lb_is_abaqus(const lb_import_file *file)
{
    return lb_is_triplets(file) || is_labelled(file) || lb_is_abaqus_element(file);
}

// Entries whose rows and columns are 6 node + direction.
static lb_status read_labelled(lb_import *import, const lb_structure *structure,
                               lb_file_matrix *matrix, unsigned char *seen)
{
    lb_import_file *file = matrix->file;
    lb_lines lines = lb_start_lines(file);
    long last_id[2] = {-1, -1};
    int last_node[2] = {0, 0}, place[2];
    file->is_used = true;
    matrix->entries.file = file;
    while (lb_next_line(&lines)) {
        labelled_entry entry;
        if (!scan_labelled(lines.line, &entry)) {
            lb_span rest = lines.line, field;
            if (!lb_next_field(&rest, NULL, &field) || lb_span_starts(field, "**")) {
                continue;
            }
            return lb_import_fail(import, file, lines.number,
                                  "expected 'node,direction, node,direction, value', found '%s'",
                                  lb_make_excerpt(lines.line).text);
        }
        for (int i = 0; i < 2; ++i) {
            if (entry.node[i] < 1) {
                return lb_import_fail(
                    import, file, lines.number,
                    "node %ld is one that Abaqus adds inside (connectors, releases, hybrid "
                    "elements): it has no place; model the structure without",
                    entry.node[i]);
            }
            if (entry.direction[i] < 1 || entry.direction[i] > 6) {
                return lb_import_fail(import, file, lines.number,
                                      "direction %ld of node %ld is neither a translation (1 to 3) "
                                      "nor a rotation (4 to 6)",
                                      entry.direction[i], entry.node[i]);
            }
            if (entry.node[i] != last_id[i]) {
                last_id[i] = entry.node[i];
                last_node[i] = lb_find_grid(import, structure, entry.node[i]);
            }
            if (last_node[i] < 0) {
                return lb_import_fail(import, file, lines.number,
                                      "node %ld is not in the input file: %s", entry.node[i],
                                      hint_inp);
            }
            place[i] = 6 * last_node[i] + (int)entry.direction[i] - 1;
            seen[place[i]] = 1;
        }
        ++matrix->line_count;
        if (entry.value != 0.0 &&
            !lb_add_fe_entry(&matrix->entries, place[0], place[1], entry.value)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_all_labelled(lb_import *import, lb_structure *structure,
                                   lb_fe_matrices *matrices)
{
    unsigned char *seen;
    int *row_of;
    const size_t places = 6 * (size_t)structure->node_count;
    if (places > INT_MAX) {
        return lb_import_fail(import, matrices->all[0].file, 0, "too many nodes");
    }
    if (lb_index_grids(import, structure) || !LB_IMPORT_TAKE(import, seen, places + 1) ||
        !LB_IMPORT_TAKE(import, row_of, places + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < matrices->count; ++i) {
        lb_status status = read_labelled(import, structure, &matrices->all[i], seen);
        status = status ? status : lb_check_last_line(import, matrices->all[i].file);
        if (status) {
            return status;
        }
    }
    // rows in the order of the nodes
    int count = 0;
    for (size_t i = 0; i < places; ++i) {
        row_of[i] = count;
        count += seen[i];
    }
    if (!LB_IMPORT_TAKE(import, structure->rows, count + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < places; ++i) {
        if (seen[i]) {
            structure->rows[row_of[i]] = (lb_fe_row){(int)(i / 6), (int)(i % 6)};
        }
    }
    structure->row_count = count;
    for (int i = 0; i < matrices->count; ++i) {
        lb_fe_entries *entries = &matrices->all[i].entries;
        for (size_t k = 0; k < entries->count; ++k) {
            entries->all[k].row = row_of[entries->all[k].row];
            entries->all[k].column = row_of[entries->all[k].column];
        }
        lb_set_part(&matrices->all[i]);
    }
    return lb_drop_nodes(import, structure);
}

// ---- row column value --------------------------------------------------------------------------

static int compare_grids(const void *a, const void *b)
{
    const lb_fe_grid *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool has_same_order(const lb_structure *a, const lb_structure *b)
{
    for (int i = 0; i < a->node_count; ++i) {
        if (a->nodes[i].id != b->nodes[i].id) {
            return false;
        }
    }
    return true;
}

static lb_status set_rows_by_nodes(lb_import *import, lb_structure *structure)
{
    unsigned char *directions;
    if (!LB_IMPORT_TAKE(import, directions, structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_find_deck_directions(import, structure, directions);
    if (status) {
        return status;
    }
    if (!LB_IMPORT_TAKE(import, structure->rows, 6 * (size_t)structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    structure->row_count = 0;
    for (int i = 0; i < structure->node_count; ++i) {
        for (int d = 0; d < 6; ++d) {
            if (directions[i] >> d & 1) {
                structure->rows[structure->row_count++] = (lb_fe_row){i, d};
            }
        }
    }
    return lb_drop_nodes(import, structure);
}

// Whether rigid rotation of one of the matrices costs no force with these rows: the mass does not allow it.
static lb_status check_rotation(const lb_structure *structure, const lb_fe_matrices *matrices,
                                bool *is_free)
{
    *is_free = false;
    for (int i = 0; i < matrices->count; ++i) {
        double ratio[3];
        if (!lb_measure_grounding(structure, &matrices->all[i].entries, 3, ratio)) {
            return LB_E_MEMORY;
        }
        *is_free = *is_free || (ratio[0] < 1e-6 && ratio[1] < 1e-6 && ratio[2] < 1e-6);
    }
    return LB_OK;
}

// Abaqus writes both triangles; one alone comes from elsewhere.
static lb_status check_triangles(lb_import *import, const lb_file_matrix *matrix)
{
    const lb_fe_entries *entries = &matrix->entries;
    for (size_t k = 0; k < entries->count && entries->part == LB_FE_HALF; ++k) {
        if (entries->all[k].row != entries->all[k].column) {
            return lb_import_fail(
                import, entries->file, 0,
                "only one triangle, but Abaqus writes both with FORMAT=COORDINATE; if this is a "
                "file of CalculiX, give its .dof file too");
        }
    }
    return LB_OK;
}

static lb_status read_all_triplets(lb_import *import, lb_structure *structure, const lb_deck *deck,
                                   lb_fe_matrices *matrices)
{
    const lb_import_file *file = matrices->all[0].file;
    for (int i = 0; i < matrices->count; ++i) {
        lb_file_matrix *matrix = &matrices->all[i];
        lb_status status = lb_read_triplets(import, lb_start_lines(matrix->file), INT_MAX, matrix);
        status = status ? status : lb_check_last_line(import, matrix->file);
        lb_set_part(matrix);
        status = status ? status : check_triangles(import, matrix);
        if (status) {
            return status;
        }
    }
    if (deck->constraint.file) {
        return lb_import_fail(
            import, deck->constraint.file, deck->constraint.line,
            "this joins nodes, so the rows of the matrices are not those of the elements: write "
            "the matrices with FORMAT=MATRIX INPUT, which names them");
    }
    // by number, and in the order of the input file
    lb_structure by_number = *structure, *chosen = &by_number;
    if (!LB_IMPORT_TAKE(import, by_number.nodes, structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    memcpy(by_number.nodes, structure->nodes,
           (size_t)structure->node_count * sizeof *structure->nodes);
    qsort(by_number.nodes, (size_t)by_number.node_count, sizeof *by_number.nodes, compare_grids);
    import->grid_order = NULL;
    lb_status status = set_rows_by_nodes(import, &by_number);
    status = status ? status : set_rows_by_nodes(import, structure);
    if (status) {
        return status;
    }
    for (int i = 0; i < matrices->count; ++i) {
        if (matrices->all[i].size != by_number.row_count) {
            return lb_import_fail(
                import, matrices->all[i].file, 0,
                "%d rows, but the nodes of the elements in '%s' have %d directions: a truncated "
                "file, or that of another job; FORMAT=MATRIX INPUT names the rows",
                matrices->all[i].size, deck->file->path, by_number.row_count);
        }
    }
    if (!has_same_order(&by_number, structure)) {
        // the order that lets the stiffness turn freely
        bool fits[2];
        if (check_rotation(&by_number, matrices, &fits[0]) ||
            check_rotation(structure, matrices, &fits[1])) {
            return LB_E_MEMORY;
        }
        if (fits[0] == fits[1]) {
            return lb_import_fail(
                import, file, 0,
                "the input file does not list the nodes in the order of their numbers, and it is "
                "not clear in which order they are here: write the matrices with FORMAT=MATRIX "
                "INPUT, which names the rows");
        }
        chosen = fits[0] ? &by_number : structure;
    }
    *structure = *chosen;
    return LB_OK;
}

// ---- all of them -------------------------------------------------------------------------------

// Abaqus holds a direction (*BOUNDARY) by a spring of 1e36.
static lb_status check_held(lb_import *import, const lb_structure *structure,
                            const lb_fe_matrices *matrices)
{
    for (int i = 0; i < matrices->count; ++i) {
        const lb_fe_entries *entries = &matrices->all[i].entries;
        for (size_t k = 0; k < entries->count; ++k) {
            const lb_fe_entry *entry = &entries->all[k];
            if (entry->row == entry->column && entry->value >= 1e36) {
                const lb_fe_row *row = &structure->rows[entry->row];
                return lb_import_fail(import, entries->file, 0,
                                      "direction %d of node %ld is held (%.3g on the diagonal): "
                                      "write the matrices without *BOUNDARY, of the free structure",
                                      row->direction + 1, structure->nodes[row->node].id,
                                      entry->value);
            }
        }
    }
    return LB_OK;
}

lb_status lb_read_abaqus(lb_import *import, lb_structure *structure)
{
    lb_fe_matrices matrices = {.count = 0};
    lb_import_file *element = NULL;
    int labelled_count = 0;
    structure->format = "Abaqus matrices";
    for (int i = 0; i < import->file_count; ++i) {
        lb_import_file *file = &import->files[i];
        const bool has_labels = is_labelled(file);
        if (lb_is_abaqus_element(file)) {
            if (element || matrices.count) {
                return lb_import_fail(import, file, 0,
                                      "a second substructure or matrix: give those of one job");
            }
            element = file;
        } else if (has_labels || lb_is_triplets(file)) {
            if (matrices.count == LB_MAX_MATRICES || element) {
                return lb_import_fail(
                    import, file, 0,
                    "too many matrices: give the stiffness and the mass of one job");
            }
            matrices.all[matrices.count++] = (lb_file_matrix){.file = file};
            labelled_count += has_labels;
        }
    }
    if (!element && matrices.count < 2) {
        return lb_import_fail(import, matrices.count ? matrices.all[0].file : import->files, 0,
                              "the %s missing: *MATRIX GENERATE, STIFFNESS, MASS and *MATRIX "
                              "OUTPUT, STIFFNESS, MASS in a step write both",
                              matrices.count ? "other matrix is" : "matrices are");
    }
    lb_deck deck;
    lb_status status = lb_read_decks(import, structure, &deck);
    if (!status && !deck.file) {
        status = lb_import_fail(import, element ? element : matrices.all[0].file, 0,
                                "no coordinates: %s", hint_inp);
    }
    if (!status && deck.transform.file) {
        status = lb_import_fail(import, deck.transform.file, deck.transform.line,
                                "*TRANSFORM gives nodes axes of their own, which is not read here: "
                                "write the matrices without it");
    }
    if (!status && element) {
        return lb_read_abaqus_element(import, element, structure);
    }
    if (!status && labelled_count != 0 && labelled_count != matrices.count) {
        status = lb_import_fail(
            import, matrices.all[0].file, 0,
            "the matrices are in different formats: write both with FORMAT=MATRIX INPUT");
    }
    if (!status) {
        status = labelled_count ? read_all_labelled(import, structure, &matrices)
                                : read_all_triplets(import, structure, &deck, &matrices);
    }
    status = status ? status : check_held(import, structure, &matrices);
    status = status ? status : lb_assign_matrices(import, structure, &matrices);
    lb_free_matrices(&matrices);
    return status;
}
