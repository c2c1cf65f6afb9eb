// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "matrices.h"

static lb_span trim(lb_span span)
{
    while (span.length > 0 && (*span.at == ' ' || *span.at == '\t')) {
        ++span.at;
        --span.length;
    }
    while (span.length > 0 &&
           (span.at[span.length - 1] == ' ' || span.at[span.length - 1] == '\t')) {
        --span.length;
    }
    return span;
}

bool lb_ends_in_comma(lb_span line)
{
    line = trim(line);
    return line.length > 0 && line.at[line.length - 1] == ',';
}

static void add_parameters(lb_deck_cursor *at, lb_span rest)
{
    lb_span field;
    while (lb_next_field(&rest, ",", &field)) {
        if (field.length == 0 || at->parameter_count == LB_DECK_PARAMETERS) {
            continue;
        }
        lb_deck_parameter *found = &at->parameters[at->parameter_count++];
        const char *sign = memchr(field.at, '=', field.length);
        const size_t length = sign ? (size_t)(sign - field.at) : field.length;
        found->name = (lb_span){field.at, length};
        found->value = sign ? trim((lb_span){sign + 1, field.length - length - 1})
                            : (lb_span){field.at + field.length, 0};
    }
}

bool lb_next_deck_line(lb_deck_cursor *at)
{
    while (lb_next_line(&at->lines)) {
        const lb_span line = trim(at->lines.line);
        if (line.length == 0 || lb_span_starts(line, "**")) {
            continue;
        }
        at->line = at->lines.number;
        at->is_keyword = line.at[0] == '*';
        if (!at->is_keyword) {
            return true;
        }
        lb_span rest = {line.at + 1, line.length - 1};
        at->parameter_count = 0;
        at->keyword = (lb_span){rest.at, 0};
        lb_next_field(&rest, ",", &at->keyword);
        add_parameters(at, rest);
        // the lines that it goes on in, from a copy: what follows may be data
        for (lb_span last = line; lb_ends_in_comma(last);) {
            lb_lines ahead = at->lines;
            if (!lb_next_line(&ahead) || lb_span_starts(trim(ahead.line), "*")) {
                break;
            }
            at->lines = ahead;
            last = ahead.line;
            add_parameters(at, last);
        }
        return true;
    }
    return false;
}

const lb_span *lb_find_deck_parameter(const lb_deck_cursor *at, const char *name)
{
    for (int i = 0; i < at->parameter_count; ++i) {
        if (lb_is_same_word(at->parameters[i].name, name)) {
            return &at->parameters[i].value;
        }
    }
    return NULL;
}

bool lb_is_deck(const lb_import_file *file)
{
    lb_lines lines;
    if (!lb_find_first_line(file, &lines)) {
        return false;
    }
    const lb_span line = trim(lines.line);
    return line.length > 1 && line.at[0] == '*' &&
           ((line.at[1] | 32) >= 'a' ? (line.at[1] | 32) <= 'z' : line.at[1] == ' ') &&
           !lb_span_starts(line, "*USER ELEMENT") && !lb_span_starts(line, "*MATRIX");
}

bool lb_is_one_of(lb_span span, const char *const *words)
{
    for (; *words; ++words) {
        if (lb_is_same_word(span, *words)) {
            return true;
        }
    }
    return false;
}
