// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables that come with matrices.
//
// What each row is, one of
//   - one number of a node per three rows (directions 1 to 3) or per six rows (1 to 6), as the mapping vector
//     of Ansys
//   - one line per row: `node.direction`, `node direction` or `row node direction`; a direction is 1 to 6, or
//     UX UY UZ ROTX ROTY ROTZ. The last is what HBMAT of Ansys writes (file.mapping)
//
// Coordinates: `node x y z`, or those and three angles (NLIST of Ansys), which must be zero; or an input file of
// Abaqus or CalculiX. Fields are apart by tabs, semicolons, blanks, or by commas if there is one behind the number
// of the node. Otherwise a comma is a decimal point. Lines that do not start with a digit are headings.
//
// From files of Ansys.
#include "matrices.h"

#include <string.h>

enum { MAX_FIELDS = 8 };

// A line of a table that starts with a number.
typedef struct table_line {
    int count;
    lb_span fields[MAX_FIELDS]; // those behind them are counted only
} table_line;

static bool split_line(lb_span line, table_line *found)
{
    const char *at = line.at, *const end = line.at + line.length;
    while (at < end && (*at == ' ' || *at == '\t')) {
        ++at;
    }
    const char *number = at;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || *at < '0' || *at > '9') {
        return false; // a heading
    }
    // what is behind the number of the node tells what is between the fields
    while (at < end && *at >= '0' && *at <= '9') {
        ++at;
    }
    while (at < end && *at == ' ') {
        ++at;
    }
    const char *separators = at < end && *at == ','                         ? ","
                             : memchr(number, ';', (size_t)(end - number))  ? ";"
                             : memchr(number, '\t', (size_t)(end - number)) ? "\t"
                                                                            : NULL;
    lb_span rest = {number, (size_t)(end - number)}, field;
    found->count = 0;
    while (lb_next_field(&rest, separators, &field)) {
        if (field.length == 0 && rest.length == 0) {
            break; // a separator at the end of the line
        }
        if (found->count < MAX_FIELDS) {
            found->fields[found->count] = field;
        }
        ++found->count;
    }
    return true;
}

// A number, with a decimal comma or point.
static bool get_number(lb_span field, double *value)
{
    char copy[64];
    if (!memchr(field.at, ',', field.length)) {
        return lb_get_number(field, value);
    }
    if (field.length >= sizeof copy || memchr(field.at, '.', field.length)) {
        return false;
    }
    memcpy(copy, field.at, field.length);
    *(char *)memchr(copy, ',', field.length) = '.';
    return lb_get_number((lb_span){copy, field.length}, value);
}

static bool get_direction(lb_span field, int *direction)
{
    static const char *const names[] = {"UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
    for (int d = 0; d < 6; ++d) {
        if (lb_span_is(field, names[d])) {
            *direction = d;
            return true;
        }
    }
    long number;
    if (!lb_get_integer(field, &number) || number < 1 || number > 6) {
        return false;
    }
    *direction = (int)number - 1;
    return true;
}

lb_table_kind lb_find_table(const lb_import_file *file)
{
    lb_lines lines = lb_start_lines(file);
    table_line line;
    while (lb_next_line(&lines)) {
        if (split_line(lines.line, &line)) {
            return line.count <= 3                      ? LB_TABLE_MAP
                   : line.count == 4 || line.count == 7 ? LB_TABLE_COORDINATES
                                                        : LB_TABLE_NONE;
        }
    }
    return LB_TABLE_NONE;
}

lb_status lb_read_coordinates(lb_import *import, lb_import_file *file, lb_structure *structure)
{
    lb_lines lines = lb_start_lines(file);
    table_line line;
    int capacity = structure->node_count;
    file->is_used = true;
    while (lb_next_line(&lines)) {
        if (!split_line(lines.line, &line)) {
            continue;
        }
        lb_fe_grid *nodes = lb_arena_grow(&import->arena, structure->nodes, structure->node_count,
                                          &capacity, sizeof *nodes);
        if (!nodes) {
            return LB_E_MEMORY;
        }
        structure->nodes = nodes;
        lb_fe_grid *node = &nodes[structure->node_count];
        *node = (lb_fe_grid){.id = 0};
        bool is_right = (line.count == 4 || line.count == 7) &&
                        lb_get_integer(line.fields[0], &node->id) && node->id > 0;
        for (int k = 0; k < 3 && is_right; ++k) {
            is_right = get_number(line.fields[1 + k], &node->x[k]);
            node->axes[k][k] = 1.0;
        }
        for (int k = 4; k < line.count && is_right; ++k) {
            double angle;
            is_right = get_number(line.fields[k], &angle);
            if (is_right && angle != 0.0) {
                return lb_import_fail(import, file, lines.number,
                                      "node %ld has axes of its own (angles), which are not read: "
                                      "turn them back to those of the model (NROTAT with CSYS,0)",
                                      node->id);
            }
        }
        if (!is_right) {
            return lb_import_fail(import, file, lines.number, "expected 'node x y z', found '%s'",
                                  lb_make_excerpt(lines.line).text);
        }
        ++structure->node_count;
    }
    return LB_OK;
}

lb_status lb_read_row_map(lb_import *import, lb_import_file *file, lb_row_labels *labels)
{
    lb_lines lines = lb_start_lines(file);
    table_line line;
    int columns = 0;
    file->is_used = true;
    labels->file = file;
    while (lb_next_line(&lines)) {
        lb_row_label label = {.direction = -1, .line = lines.number};
        long row = labels->count + 1;
        if (!split_line(lines.line, &line)) {
            continue;
        }
        bool is_right = columns == 0 || line.count == columns;
        columns = line.count;
        const lb_span *fields = line.fields;
        if (columns == 1) {
            is_right = is_right && (lb_get_dotted_label(fields[0], &label) ||
                                    lb_get_integer(fields[0], &label.node));
        } else {
            const int first = columns - 2;
            is_right = is_right && columns <= 3 && lb_get_integer(fields[first], &label.node) &&
                       get_direction(fields[first + 1], &label.direction) &&
                       (first == 0 || lb_get_integer(fields[0], &row));
        }
        if (!is_right || label.node < 1) {
            return lb_import_fail(import, file, lines.number,
                                  "expected a node, 'node.direction', 'node direction' or 'row "
                                  "node direction', as in the lines above, found '%s'",
                                  lb_make_excerpt(lines.line).text);
        }
        if (row != labels->count + 1) {
            return lb_import_fail(import, file, lines.number,
                                  "rows must be listed in order: expected row %d, found %ld",
                                  labels->count + 1, row);
        }
        if (!lb_add_row_label(import, labels, label.node, label.direction, lines.number)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}
