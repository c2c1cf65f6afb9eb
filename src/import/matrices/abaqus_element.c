// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED, STIFFNESS=YES, MASS=YES writes (Abaqus; CalculiX
// writes the stiffness alone):
//
//   *USER ELEMENT, NODES=n, LINEAR [, UNSYMM]
//   ** ELEMENT NODES
//   ** 101, 102, 103                     n numbers in comment lines
//   1, 2, 3, 4, 5, 6                     directions of the first node and of those behind it
//   2, 1, 2, 3                           from the second node on they are 1, 2, 3; and so on
//   *MATRIX, TYPE=STIFFNESS
//   values, values, ...                  lower triangle by rows, each row on new lines, four values in a line
//   *MATRIX, TYPE=MASS                   (UNSYMM: all of it, by columns)
//
// Rows behind those of the nodes belong to the modes of the substructure. Recovery matrices and loads are left
// alone. From the manual of Abaqus (user-defined elements) and files in public programs that read them.
#include <limits.h>
#include <stdlib.h>

#include "matrices.h"

bool lb_is_abaqus_element(const lb_import_file *file)
{
    lb_lines lines;
    return lb_find_first_line(file, &lines) && lb_span_starts(lines.line, "*USER ELEMENT");
}

// Values of one matrix.
typedef struct value_list {
    size_t count, capacity;
    double *all; // by malloc
    int line;    // of its keyword
} value_list;

typedef struct user_element {
    long declared; // nodes
    bool is_full;  // not symmetric: all entries
    int node_count, node_capacity;
    long *nodes;
    int change_count, change_capacity;
    struct direction_change {
        int node, line; // from which node on, from 0
        unsigned char count, directions[6];
    } * changes;
    value_list K, M;
} user_element;

static bool starts_keyword(lb_span line, const char *word)
{
    // up to the first comma, without blanks
    lb_span field;
    return line.length > 0 && line.at[0] == '*' &&
           lb_next_field(&(lb_span){line.at + 1, line.length - 1}, ",", &field) &&
           lb_is_same_word(field, word);
}

static bool find_value(lb_span line, const char *name, lb_span *value)
{
    lb_span field;
    while (lb_next_field(&line, ",", &field)) {
        lb_span rest = field, key;
        if (lb_next_field(&rest, "=", &key) && lb_is_same_word(key, name)) {
            *value = (lb_span){"", 0};
            lb_next_field(&rest, "=", value);
            return true;
        }
    }
    return false;
}

static lb_status read_nodes(lb_import *import, const lb_import_file *file, const lb_lines *lines,
                            user_element *element)
{
    // behind the two asterisks
    lb_span rest = {lines->line.at + 2, lines->line.length - 2}, field;
    while (lb_next_field(&rest, ",", &field)) {
        long id;
        if (field.length == 0) {
            continue;
        }
        if (!lb_get_integer(field, &id)) {
            return lb_import_fail(import, file, lines->number,
                                  "expected numbers of nodes behind '** ELEMENT NODES', found '%s'",
                                  lb_make_excerpt(field).text);
        }
        long *nodes = lb_arena_grow(&import->arena, element->nodes, element->node_count,
                                    &element->node_capacity, sizeof *nodes);
        if (!nodes) {
            return LB_E_MEMORY;
        }
        element->nodes = nodes;
        element->nodes[element->node_count++] = id;
    }
    return LB_OK;
}

static lb_status read_change(lb_import *import, const lb_import_file *file, const lb_lines *lines,
                             user_element *element)
{
    struct direction_change *changes =
        lb_arena_grow(&import->arena, element->changes, element->change_count,
                      &element->change_capacity, sizeof *changes);
    if (!changes) {
        return LB_E_MEMORY;
    }
    element->changes = changes;
    struct direction_change *change = &changes[element->change_count];
    *change = (struct direction_change){.line = lines->number};
    lb_span rest = lines->line, field;
    bool is_node = element->change_count > 0;
    while (lb_next_field(&rest, ",", &field)) {
        long number;
        if (field.length == 0) {
            continue;
        }
        if (!lb_get_integer(field, &number) || number < 1 ||
            (is_node ? number > element->declared : number > 6 || change->count == 6)) {
            return lb_import_fail(import, file, lines->number,
                                  "expected %sdirections from 1 to 6, found '%s'",
                                  element->change_count ? "the position of a node and its " : "",
                                  lb_make_excerpt(lines->line).text);
        }
        if (is_node) {
            change->node = (int)number - 1;
            is_node = false;
        } else {
            change->directions[change->count++] = (unsigned char)(number - 1);
        }
    }
    if (element->change_count && change->node <= change[-1].node) {
        return lb_import_fail(import, file, lines->number, "positions of nodes must grow");
    }
    ++element->change_count;
    return LB_OK;
}

static lb_status read_values(lb_import *import, const lb_import_file *file, const lb_lines *lines,
                             value_list *values)
{
    lb_span rest = lines->line, field;
    while (lb_next_field(&rest, ",", &field)) {
        if (field.length == 0) {
            continue;
        }
        double value;
        if (!lb_get_number(field, &value)) {
            return lb_import_fail(import, file, lines->number, "expected a number, found '%s'",
                                  lb_make_excerpt(field).text);
        }
        if (lb_append(&values->all, &values->count, &values->capacity, sizeof value, &value)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_head(lb_import *import, const lb_import_file *file, const lb_lines *lines,
                           user_element *element)
{
    lb_span value;
    if (element->declared) {
        return lb_import_fail(import, file, lines->number,
                              "a second *USER ELEMENT: give the matrices of one substructure, not "
                              "those of single elements");
    }
    if (!find_value(lines->line, "NODES", &value) || !lb_get_integer(value, &element->declared) ||
        element->declared < 1 || (unsigned long)element->declared > file->length) {
        return lb_import_fail(import, file, lines->number, "*USER ELEMENT needs NODES=number");
    }
    element->is_full = find_value(lines->line, "UNSYMM", &value);
    return LB_OK;
}

static lb_status read_element(lb_import *import, lb_import_file *file, user_element *element)
{
    enum { OTHER, HEAD, NODES, DIRECTIONS, VALUES } block = OTHER;
    value_list *values = NULL;
    lb_lines lines = lb_start_lines(file);
    lb_status status = LB_OK;
    file->is_used = true;
    while (!status && lb_next_line(&lines)) {
        const lb_span line = lines.line;
        lb_span rest = line, field, type;
        if (!lb_next_field(&rest, NULL, &field)) {
            continue;
        }
        if (lb_span_starts(line, "**")) {
            if (block == HEAD && lb_is_same_word(line, "**ELEMENTNODES")) {
                block = NODES;
            } else if (block == NODES) {
                status = read_nodes(import, file, &lines, element);
            }
        } else if (starts_keyword(line, "USERELEMENT")) {
            block = HEAD;
            status = read_head(import, file, &lines, element);
        } else if (starts_keyword(line, "MATRIX")) {
            block = OTHER;
            if (find_value(line, "TYPE", &type)) {
                values = lb_is_same_word(type, "STIFFNESS") ? &element->K
                         : lb_is_same_word(type, "MASS")    ? &element->M
                                                            : NULL;
                block = values ? VALUES : OTHER;
                if (values && values->line) {
                    status =
                        lb_import_fail(import, file, lines.number, "this matrix is here twice");
                } else if (values) {
                    values->line = lines.number;
                }
            }
        } else if (line.at[0] == '*') {
            block = OTHER;
        } else if (block == HEAD || block == NODES || block == DIRECTIONS) {
            block = DIRECTIONS;
            status = read_change(import, file, &lines, element);
        } else if (block == VALUES) {
            status = read_values(import, file, &lines, values);
        }
    }
    return status || block != VALUES ? status : lb_check_last_line(import, file);
}

// Rows of the nodes.
static lb_status set_labels(lb_import *import, lb_import_file *file, const user_element *element,
                            lb_row_labels *labels)
{
    labels->file = file;
    if (element->node_count != element->declared || element->change_count == 0) {
        return lb_import_fail(import, file, 0,
                              "*USER ELEMENT declares %ld nodes, but '** ELEMENT NODES' lists %d "
                              "and there are %d lines of directions",
                              element->declared, element->node_count, element->change_count);
    }
    for (int i = 0, k = 0; i < element->node_count; ++i) {
        while (k + 1 < element->change_count && element->changes[k + 1].node <= i) {
            ++k;
        }
        const struct direction_change *change = &element->changes[k];
        for (int d = 0; d < change->count; ++d) {
            if (!lb_add_row_label(import, labels, element->nodes[i], change->directions[d],
                                  change->line)) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

// Number of rows from the number of values; 0 if it is none.
static int get_size(const user_element *element, const value_list *values)
{
    for (size_t n = 1; n <= values->count; ++n) {
        const size_t needed = element->is_full ? n * n : n * (n + 1) / 2;
        if (needed >= values->count) {
            return needed == values->count && n <= INT_MAX ? (int)n : 0;
        }
    }
    return 0;
}

static lb_status set_entries(lb_import_file *file, const user_element *element,
                             const value_list *values, int size, lb_fe_entries *entries)
{
    entries->file = file;
    entries->part = element->is_full ? LB_FE_BOTH : LB_FE_HALF;
    size_t k = 0;
    for (int i = 0; i < size; ++i) {
        const int end = element->is_full ? size : i + 1;
        for (int j = 0; j < end; ++j, ++k) {
            if (values->all[k] != 0.0 && !lb_add_fe_entry(entries, i, j, values->all[k])) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

static lb_status set_structure(lb_import *import, lb_import_file *file, const user_element *element,
                               lb_structure *structure)
{
    lb_row_labels labels = {.count = 0};
    lb_status status = set_labels(import, file, element, &labels);
    if (status) {
        return status;
    }
    if (!element->K.line || !element->M.line) {
        return lb_import_fail(import, file, 0,
                              "there is no %s matrix: write it with *SUBSTRUCTURE MATRIX OUTPUT, "
                              "STIFFNESS=YES, MASS=YES%s",
                              element->K.line ? "mass" : "stiffness",
                              element->K.line ? " (CalculiX writes the stiffness alone)" : "");
    }
    const int size = get_size(element, &element->K);
    if (size < labels.count || size < 1 || element->M.count != element->K.count) {
        return lb_import_fail(import, file, element->K.line,
                              "%zu values of stiffness and %zu of mass do not fit the %d rows of "
                              "the nodes: the file is truncated",
                              element->K.count, element->M.count, labels.count);
    }
    status = lb_set_rows(import, structure, &labels,
                         "a node may be in the list once, with all of its directions",
                         "give the input file that has it");
    if (status) {
        return status;
    }
    // the modes behind them
    lb_fe_row *rows;
    if (!LB_IMPORT_TAKE(import, rows, size + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < size; ++i) {
        rows[i] = i < labels.count ? structure->rows[i] : (lb_fe_row){LB_FE_MODAL, 0};
    }
    structure->rows = rows;
    structure->row_count = size;
    structure->is_reduced = true;
    structure->format = "Abaqus substructure";
    status = set_entries(file, element, &element->K, size, &structure->K);
    return status ? status : set_entries(file, element, &element->M, size, &structure->M);
}

lb_status lb_read_abaqus_element(lb_import *import, lb_import_file *file, lb_structure *structure)
{
    user_element element = {.declared = 0};
    lb_status status = read_element(import, file, &element);
    status = status ? status : set_structure(import, file, &element, structure);
    free(element.K.all);
    free(element.M.all);
    return status;
}
