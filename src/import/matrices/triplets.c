// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices as lines `row column value`, numbered from 1, with blanks or tabs between: .sti and .mas of CalculiX
// (upper triangle, with zeros), FORMAT=COORDINATE of Abaqus (both triangles), the entries of Matrix Market.
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "matrices.h"

// ---- words -------------------------------------------------------------------------------------

lb_excerpt lb_make_excerpt(lb_span span)
{
    lb_excerpt excerpt;
    const size_t room = sizeof excerpt.text - 4;
    size_t length = 0;
    for (; length < span.length && length < room; ++length) {
        const unsigned char c = (unsigned char)span.at[length];
        excerpt.text[length] = c < 32 || c > 126 ? '?' : (char)c;
    }
    strcpy(excerpt.text + length, length < span.length ? "..." : "");
    return excerpt;
}

bool lb_find_first_line(const lb_import_file *file, lb_lines *lines)
{
    *lines = lb_start_lines(file);
    while (lb_next_line(lines)) {
        lb_span rest = lines->line, field;
        if (lb_next_field(&rest, NULL, &field) && !lb_span_starts(field, "**")) {
            return true;
        }
    }
    return false;
}

const char *lb_get_base_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; ++at) {
        name = *at == '/' || *at == '\\' ? at + 1 : name;
    }
    return name;
}

bool lb_is_same_word(lb_span span, const char *word)
{
    for (size_t i = 0; i < span.length; ++i) {
        const char c = span.at[i];
        if (c == ' ' || c == '\t') {
            continue;
        }
        if (!*word || toupper((unsigned char)c) != *word) {
            return false;
        }
        ++word;
    }
    return !*word;
}

// ---- lines of three numbers --------------------------------------------------------------------

static bool is_triplet(lb_span line)
{
    lb_span field;
    long index;
    double value;
    for (int i = 0; i < 2; ++i) {
        if (!lb_next_field(&line, NULL, &field) || !lb_get_integer(field, &index) || index < 1) {
            return false;
        }
    }
    return lb_next_field(&line, NULL, &field) && lb_get_number(field, &value) &&
           !lb_next_field(&line, NULL, &field);
}

bool lb_is_triplets(const lb_import_file *file)
{
    lb_lines lines;
    if (!lb_find_first_line(file, &lines) || !is_triplet(lines.line)) {
        return false;
    }
    return !lb_next_line(&lines) || is_triplet(lines.line);
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        ++at;
    }
    return at;
}

// A number from 1 to INT_MAX with a blank behind it; 0 if there is none.
static const char *scan_index(const char *at, const char *end, int *index)
{
    long sum = 0;
    at = skip_blanks(at, end);
    for (; at < end && *at >= '0' && *at <= '9' && sum <= INT_MAX; ++at) {
        sum = 10 * sum + (*at - '0');
    }
    *index = sum <= INT_MAX && at < end && (*at == ' ' || *at == '\t') ? (int)sum : 0;
    return at;
}

static lb_status fail_line(lb_import *import, const lb_file_matrix *matrix, lb_lines *lines,
                           const char *start, int limit)
{
    lines->next = start;
    lb_next_line(lines); // counts this line
    if (is_triplet(lines->line)) {
        return lb_import_fail(import, matrix->file, lines->number,
                              "row or column of '%s' is larger than the %d rows there are",
                              lb_make_excerpt(lines->line).text, limit);
    }
    return lb_import_fail(import, matrix->file, lines->number,
                          "expected 'row column value' with rows and columns from 1, found '%s'; "
                          "the file is damaged or truncated: write it again",
                          lb_make_excerpt(lines->line).text);
}

lb_status lb_check_last_line(lb_import *import, const lb_import_file *file)
{
    const char last = file->length ? file->text[file->length - 1] : '\n';
    if (last == '\n' || last == '\r') {
        return LB_OK;
    }
    return lb_import_fail(import, file, 0,
                          "the last line has no end, so the file looks truncated: write it again, "
                          "or end the line if it is whole");
}

lb_status lb_read_triplets(lb_import *import, lb_lines lines, int limit, lb_file_matrix *matrix)
{
    const char *at = lines.next, *const end = lines.end;
    lb_fe_entries *entries = &matrix->entries;
    matrix->file->is_used = true;
    entries->file = matrix->file;
    while (at < end) {
        // empty lines
        const char *start = at;
        at = skip_blanks(at, end);
        if (at < end && (*at == '\n' || *at == '\r')) {
            lines.number += *at == '\n' || at + 1 == end || at[1] != '\n';
            ++at;
            continue;
        }
        if (at == end) {
            break;
        }
        int row, column;
        double value;
        at = scan_index(at, end, &row);
        at = skip_blanks(scan_index(at, end, &column), end);
        const size_t used = lb_scan_fe_number(at, end, &value);
        at = skip_blanks(at + used, end);
        const bool is_whole = at == end || *at == '\n' || *at == '\r';
        if (row < 1 || column < 1 || used == 0 || !is_whole || row > limit || column > limit) {
            return fail_line(import, matrix, &lines, start, limit);
        }
        if (value != 0.0 && !lb_add_fe_entry(entries, row - 1, column - 1, value)) {
            return LB_E_MEMORY;
        }
        ++matrix->line_count;
        const int larger = row > column ? row : column;
        matrix->size = larger > matrix->size ? larger : matrix->size;
        // the end of the line, CR LF as one
        at += at + 1 < end && *at == '\r' && at[1] == '\n';
        at += at < end;
        ++lines.number;
    }
    return LB_OK;
}

// ---- one triangle or both ----------------------------------------------------------------------

void lb_set_part(lb_file_matrix *matrix)
{
    lb_fe_entries *entries = &matrix->entries;
    entries->part = LB_FE_HALF;
    // both triangles have every entry twice: it is enough to look for the partner of one
    const lb_fe_entry *first = NULL;
    for (size_t i = 0; i < entries->count; ++i) {
        const lb_fe_entry *entry = &entries->all[i];
        if (!first && entry->row != entry->column) {
            first = entry;
        } else if (first && entry->row == first->column && entry->column == first->row) {
            entries->part = LB_FE_BOTH;
            return;
        }
    }
    for (size_t i = 0; i < entries->count; ++i) {
        lb_fe_entry *entry = &entries->all[i];
        if (entry->row < entry->column) {
            *entry = (lb_fe_entry){entry->column, entry->row, entry->value};
        }
    }
}
