// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
//   *NSET, NSET=name                 numbers of nodes, and names of other sets
//   *NSET, NSET=name, GENERATE       first, last [, step]
//   *NODE, NSET=name                 all nodes of the block
//
// Blocks of one name add up.
#include <string.h>

#include "matrices.h"

// Sets within sets are followed so deep: one that contains itself ends there.
enum { DEEPEST = 8 };

static bool add_number(lb_import *import, lb_number_list *list, long number)
{
    long *all = lb_arena_grow(&import->arena, list->all, list->count, &list->capacity, sizeof *all);
    if (!all) {
        return false;
    }
    list->all = all;
    list->all[list->count++] = number;
    return true;
}

static bool is_same_name(lb_span a, lb_span b)
{
    char text[128];
    if (b.length >= sizeof text) {
        return false;
    }
    memcpy(text, b.at, b.length);
    text[b.length] = '\0';
    return lb_span_is(lb_trim_span(a), text);
}

static lb_status generate(lb_import *import, const lb_import_file *file, const lb_deck_cursor *at,
                          lb_number_list *list)
{
    // more than any structure has nodes, and little enough to go through
    enum { MOST = 1 << 24 };
    long values[3] = {0, 0, 1};
    lb_span rest = at->lines.line, field;
    int count = 0;
    while (count < 3 && lb_next_field(&rest, ",", &field) && field.length > 0) {
        if (!lb_get_integer(field, &values[count++])) {
            count = 0;
            break;
        }
    }
    if (count < 2 || values[2] < 1 || values[0] < 0 || values[1] < values[0] || values[1] > MOST) {
        return lb_import_fail(import, file, at->line,
                              "'%s' found, expected the first number, the last and the step",
                              lb_make_excerpt(at->lines.line).text);
    }
    for (long i = values[0]; i <= values[1]; i += values[2]) {
        if (!add_number(import, list, i)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status find_set(lb_import *import, lb_span name, int depth, lb_number_list *list);

static lb_status read_members(lb_import *import, const lb_deck_cursor *at, int depth,
                              lb_number_list *list)
{
    lb_span rest = at->lines.line, field;
    while (lb_next_field(&rest, ",", &field)) {
        long number;
        if (lb_get_integer(field, &number)) {
            if (!add_number(import, list, number)) {
                return LB_E_MEMORY;
            }
        } else if (field.length > 0 && depth < DEEPEST) {
            const lb_status status = find_set(import, field, depth + 1, list);
            if (status != LB_OK) {
                return status;
            }
        }
    }
    return LB_OK;
}

static lb_status find_set(lb_import *import, lb_span name, int depth, lb_number_list *list)
{
    lb_status status = LB_OK;
    for (int i = 0; i < import->file_count && !status; ++i) {
        const lb_import_file *file = &import->files[i];
        if (!lb_is_deck(file)) {
            continue;
        }
        enum { OTHER, NODE, SET, GENERATED } block = OTHER;
        lb_deck_cursor at = {.lines = lb_start_lines(file)};
        while (!status && lb_next_deck_line(&at)) {
            if (at.is_keyword) {
                const lb_span *set = lb_find_deck_parameter(&at, "NSET");
                const bool is_set = lb_is_same_word(at.keyword, "NSET");
                block = !set || !is_same_name(*set, name)         ? OTHER
                        : lb_is_same_word(at.keyword, "NODE")     ? NODE
                        : !is_set                                 ? OTHER
                        : lb_find_deck_parameter(&at, "GENERATE") ? GENERATED
                                                                  : SET;
            } else if (block == NODE) {
                lb_span rest = at.lines.line, field;
                long number;
                if (lb_next_field(&rest, ",", &field) && lb_get_integer(field, &number) &&
                    !add_number(import, list, number)) {
                    status = LB_E_MEMORY;
                }
            } else if (block == SET) {
                status = read_members(import, &at, depth, list);
            } else if (block == GENERATED) {
                status = generate(import, file, &at, list);
            }
        }
    }
    return status;
}

lb_status lb_find_deck_set(lb_import *import, lb_span name, lb_number_list *list)
{
    return find_set(import, name, 0, list);
}
