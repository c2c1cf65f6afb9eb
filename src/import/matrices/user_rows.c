// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of recovery that a user wrote: lines `name, node, direction, coefficient`, separated by commas. Lines of the same
// name add up to one quantity: the sum of coefficient times displacement, along the axes of the node and in the units
// of the files. Directions are x y z rx ry rz or 1 to 6. Lines that start with # are comments, and the first line may
// hold the names of the columns.
#include <string.h>

#include "base/names.h"
#include "import/reduce/reduction.h"

enum { FIELDS = 4, NAME_SIZE = 96 };

static int find_direction(lb_span field)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    long number;
    if (lb_get_integer(field, &number)) {
        return number >= 1 && number <= 6 ? (int)number - 1 : -1;
    }
    for (int i = 0; i < 6; ++i) {
        if (lb_span_is(field, names[i])) {
            return i;
        }
    }
    return -1;
}

// The rows that are being read.
typedef struct table {
    lb_import *import;
    const lb_import_file *file;
    const lb_structure *structure;
    const int *rows; // lb_index_rows
    lb_names names;
    int count, capacity;
    const char **what;
    int entry_count, entry_capacity;
    lb_fe_entry *entries;
} table;

static bool split(lb_span line, lb_span fields[FIELDS])
{
    int count = 0;
    lb_span field;
    while (lb_next_field(&line, ",", &field)) {
        if (count == FIELDS) {
            return false;
        }
        fields[count++] = field;
    }
    return count == FIELDS;
}

// Index of the quantity of that name, which is new if there is none; -1 if memory is out.
static int find_row(table *t, lb_span name)
{
    char text[NAME_SIZE];
    memcpy(text, name.at, name.length);
    text[name.length] = '\0';
    const int known = lb_names_find(&t->names, text);
    if (known >= 0) {
        return known;
    }
    const char *copy = lb_arena_text(&t->import->arena, text);
    const char **what =
        lb_arena_grow(&t->import->arena, t->what, t->count, &t->capacity, sizeof *what);
    if (!copy || !what || lb_names_add(&t->names, &t->import->arena, copy, t->count) != LB_OK) {
        return -1;
    }
    t->what = what;
    what[t->count] = copy;
    return t->count++;
}

static lb_status read_entry(table *t, int line, const lb_span fields[FIELDS])
{
    long id;
    double value;
    if (fields[0].length == 0 || fields[0].length >= NAME_SIZE) {
        return lb_import_fail(t->import, t->file, line,
                              "a name of %d characters found, expected 1 to %d",
                              (int)fields[0].length, NAME_SIZE - 1);
    }
    const int direction = find_direction(fields[2]);
    if (!lb_get_integer(fields[1], &id) || direction < 0 || !lb_get_number(fields[3], &value)) {
        return lb_import_fail(t->import, t->file, line,
                              "expected name, number of a node, direction (x y z rx ry rz) and "
                              "coefficient, such as: root moment, 12, ry, 250");
    }
    const int node = lb_find_grid(t->import, t->structure, id);
    if (node < 0) {
        return lb_import_fail(t->import, t->file, line, "there is no node %ld", id);
    }
    const int column = t->rows[6 * node + direction];
    if (column < 0) {
        return lb_import_fail(t->import, t->file, line,
                              "node %ld has no degree of freedom in direction %.*s", id,
                              (int)fields[2].length, fields[2].at);
    }
    const int row = find_row(t, fields[0]);
    lb_fe_entry *entries = lb_arena_grow(&t->import->arena, t->entries, t->entry_count,
                                         &t->entry_capacity, sizeof *entries);
    if (row < 0 || !entries) {
        return LB_E_MEMORY;
    }
    t->entries = entries;
    entries[t->entry_count++] = (lb_fe_entry){row, column, value};
    return LB_OK;
}

lb_status lb_read_user_rows(lb_import *import, const lb_import_file *file, lb_structure *structure)
{
    table t = {.import = import, .file = file, .structure = structure};
    lb_lines lines = lb_start_lines(file);
    lb_status status = LB_OK;
    t.rows = lb_index_rows(import, structure);
    lb_fe_recovery *all;
    if (!t.rows || !LB_IMPORT_TAKE(import, all, structure->recovery_count + 1)) {
        return LB_E_MEMORY;
    }
    for (bool first = true; status == LB_OK && lb_next_line(&lines);) {
        const lb_span line = lb_trim_span(lines.line);
        lb_span fields[FIELDS];
        double value;
        if (line.length == 0 || line.at[0] == '#') {
            continue;
        }
        if (!split(line, fields)) {
            return lb_import_fail(import, file, lines.number,
                                  "expected four fields: name, node, direction, coefficient");
        }
        if (!first || lb_get_number(fields[3], &value)) {
            status = read_entry(&t, lines.number, fields);
        }
        first = false;
    }
    if (status == LB_OK && t.count == 0) {
        return lb_import_fail(import, file, 0, "there are no rows");
    }
    if (status == LB_OK) {
        if (structure->recovery_count > 0) {
            memcpy(all, structure->recovery, (size_t)structure->recovery_count * sizeof *all);
        }
        all[structure->recovery_count++] = (lb_fe_recovery){.name = "rows",
                                                            .rows = t.count,
                                                            .what = t.what,
                                                            .entry_count = t.entry_count,
                                                            .entries = t.entries};
        structure->recovery = all;
    }
    return status;
}
