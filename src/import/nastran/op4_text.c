// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// OUTPUT4 files as text, after the DMAP guide of NX Nastran (module OUTPUT4) and files of NX, MSC and pyYeti.
//
//     header   NCOL NROW FORM TYPE, eight columns each, then a name of eight letters and the format of the
//              numbers: 1P,5E16.9 or 3D23.16 and the like; 5E16.9 if there is none. If the line ends in
//              |I16, NCOL and NROW (or all four numbers) have sixteen columns. A negative NROW says that
//              strings are written for big matrices.
//     column   ICOL IROW N. IROW > 0: the N numbers of the column from row IROW on follow.
//              IROW = 0: strings follow that take N words together. A double has two words.
//     string   of a big matrix, negative NROW or more than 65535 rows: L+1 IROW; of others: one number,
//              IROW + 65536 (L+1). L words of numbers follow.
//     numbers  as many on a line as the format says, without blanks between them.
//     end      a column NCOL+1 with one number that means nothing.
//
// TYPE: 1 real, 2 real in double precision, 3 and 4 complex. Columns of zeros may be left out.
#include <stdio.h>
#include <string.h>

#include "nastran.h"

enum { BIG_ROWS = 65536 };

typedef struct op4_header {
    long columns, rows, form, type;
    lb_span name;
    int per_line, width; // of the numbers
} op4_header;

static bool cut_integer(lb_span line, size_t from, size_t width, long *value)
{
    return lb_get_integer(lb_cut_span(line, from, width), value);
}

// Digits of a format; `otherwise` if there are none.
static int scan_count(lb_span *format, int otherwise)
{
    int sum = 0;
    size_t used = 0;
    for (; used < format->length && format->at[used] >= '0' && format->at[used] <= '9'; ++used) {
        sum = sum > 9999 ? sum : 10 * sum + (format->at[used] - '0');
    }
    *format = (lb_span){format->at + used, format->length - used};
    return used ? sum : otherwise;
}

static bool skip_letter(lb_span *format, const char *letters)
{
    if (format->length == 0 || !format->at[0] || !strchr(letters, format->at[0])) {
        return false;
    }
    *format = (lb_span){format->at + 1, format->length - 1};
    return true;
}

// The format of the numbers: [(] [nP [,]] [count] letter width [. digits] [)]
static bool scan_format(lb_span format, op4_header *header)
{
    header->per_line = 5;
    header->width = 16;
    if (format.length == 0) {
        return true;
    }
    skip_letter(&format, "(");
    int count = scan_count(&format, 1);
    if (skip_letter(&format, "pP")) {
        skip_letter(&format, ",");
        count = scan_count(&format, 1);
    }
    if (!skip_letter(&format, "eEdDgG")) {
        return false;
    }
    header->per_line = count;
    header->width = scan_count(&format, 0);
    if (skip_letter(&format, ".")) {
        scan_count(&format, 0);
    }
    skip_letter(&format, ")");
    return format.length == 0 && count >= 1 && count <= 1000 && header->width >= 3 &&
           header->width <= 200;
}

static bool scan_header(lb_span line, op4_header *header)
{
    size_t widths[] = {8, 8, 8, 8};
    const lb_span text = lb_trim_span(line);
    line.length = (size_t)(text.at + text.length - line.at);
    if (line.length >= 4 && lb_span_is(lb_cut_span(line, line.length - 4, 4), "|I16")) {
        line.length -= 4;
        widths[0] = widths[1] = 16;
        long both;
        if (cut_integer(line, 32, 16, &both)) {
            widths[2] = widths[3] = 16;
        }
    }
    long *const numbers[] = {&header->columns, &header->rows, &header->form, &header->type};
    size_t at = 0;
    for (int i = 0; i < 4; at += widths[i++]) {
        if (!cut_integer(line, at, widths[i], numbers[i])) {
            return false;
        }
    }
    header->name = lb_cut_span(line, at, LB_NASTRAN_NAME);
    return header->type >= 1 && header->type <= 4 &&
           scan_format(lb_cut_span(line, at + LB_NASTRAN_NAME, line.length), header);
}

static bool next_header_line(lb_lines *lines)
{
    while (lb_next_line(lines)) {
        if (lb_trim_span(lines->line).length > 0) {
            return true;
        }
    }
    return false;
}

bool lb_is_op4_text(const lb_import_file *file)
{
    lb_lines lines = lb_start_lines(file);
    op4_header header;
    return next_header_line(&lines) && scan_header(lines.line, &header) && header.name.length > 0;
}

// ---- one matrix --------------------------------------------------------------------------------

typedef struct op4_text {
    lb_nastran *data;
    const lb_import_file *file;
    lb_lines lines;
    op4_header header;
    lb_nastran_matrix *matrix;
} op4_text;

static lb_status end_early(op4_text *text)
{
    return lb_import_fail(
        text->data->import, text->file, text->lines.number,
        "the file ends in the middle of matrix %s: it was cut off; write or copy it again",
        text->matrix->name);
}

// The whole numbers of a line, with blanks between them or in columns of one width.
static lb_status read_integers(op4_text *text, int count, long *numbers)
{
    if (!lb_next_line(&text->lines)) {
        return end_early(text);
    }
    const lb_span line = text->lines.line;
    lb_span rest = line, field;
    int found = 0;
    while (found <= count && lb_next_field(&rest, NULL, &field)) {
        if (found < count && !lb_get_integer(field, &numbers[found])) {
            break;
        }
        ++found;
    }
    if (found == count && rest.length == 0) {
        return LB_OK;
    }
    for (size_t width = 8; width <= 16; width += 8) {
        found = 0;
        while (found < count && cut_integer(line, (size_t)found * width, width, &numbers[found])) {
            ++found;
        }
        if (found == count && lb_cut_span(line, (size_t)count * width, line.length).length == 0) {
            return LB_OK;
        }
    }
    return lb_import_fail(text->data->import, text->file, text->lines.number,
                          "matrix %s: %d whole number%s expected here, %s", text->matrix->name,
                          count, count > 1 ? "s" : "",
                          count == 3   ? "column, row and count"
                          : count == 2 ? "length and row of a string"
                                       : "length and row of a string in one");
}

static lb_status read_numbers(op4_text *text, long count)
{
    lb_nastran_matrix *matrix = text->matrix;
    const op4_header *header = &text->header;
    for (long i = 0; i < count; ++i) {
        const size_t place = (size_t)(i % header->per_line);
        if (place == 0 && !lb_next_line(&text->lines)) {
            return end_early(text);
        }
        const size_t width = (size_t)header->width;
        const lb_span field = lb_cut_span(text->lines.line, place * width, width);
        double value;
        if (!lb_get_number(field, &value)) {
            return lb_import_fail(
                text->data->import, text->file, text->lines.number,
                field.length
                    ? "matrix %s: \"%.*s\" is not a number (number %d of this line, %d columns "
                      "wide)"
                    : "matrix %s: this line ends%.*s before number %d; each is %d columns wide",
                matrix->name, (int)field.length, field.at, (int)place + 1, header->width);
        }
        if (lb_append(&matrix->values, &matrix->value_count, &matrix->value_capacity, sizeof value,
                      &value)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status read_run(op4_text *text, long column, long row, long count)
{
    const lb_status status =
        lb_start_op4_run(text->data, text->matrix, text->lines.number, "", column, row, count);
    return status ? status : read_numbers(text, count);
}

// Strings that take this many words.
static lb_status read_strings(op4_text *text, long column, long words)
{
    const bool is_big = text->header.rows < 0 || text->header.rows >= BIG_ROWS;
    const long words_per_number = text->header.type % 2 ? 1 : 2;
    while (words > 0) {
        long start[2];
        lb_status status = read_integers(text, is_big ? 2 : 1, start);
        if (status) {
            return status;
        }
        const long length = (is_big ? start[0] : start[0] / BIG_ROWS) - 1;
        const long row = is_big ? start[1] : start[0] % BIG_ROWS;
        if (length < 1 || length % words_per_number != 0 || length > words - (is_big ? 2 : 1)) {
            return lb_import_fail(text->data->import, text->file, text->lines.number,
                                  "matrix %s: a string of %ld words does not fit into the %ld "
                                  "words that column %ld has left: the file is damaged",
                                  text->matrix->name, length, words, column);
        }
        words -= length + (is_big ? 2 : 1);
        status = read_run(text, column, row, length / words_per_number);
        if (status) {
            return status;
        }
    }
    return LB_OK;
}

static lb_status read_matrix(op4_text *text)
{
    for (;;) {
        long start[3]; // column, row, count
        lb_status status = read_integers(text, 3, start);
        if (status) {
            return status;
        }
        if (start[0] > text->matrix->columns) {
            lb_next_line(&text->lines); // the number that means nothing
            return LB_OK;
        }
        status = start[1] > 0 ? read_run(text, start[0], start[1], start[2])
                              : read_strings(text, start[0], start[2]);
        if (status) {
            return status;
        }
    }
}

lb_status lb_read_op4_text(lb_nastran *data, const lb_import_file *file)
{
    op4_text text = {.data = data, .file = file, .lines = lb_start_lines(file)};
    while (next_header_line(&text.lines)) {
        const int line = text.lines.number;
        op4_header *header = &text.header;
        if (!scan_header(text.lines.line, header)) {
            return lb_import_fail(
                data->import, file, line,
                "the header of an OUTPUT4 matrix was expected here: columns, rows, form, type, "
                "name and format, such as \"      12      12       6       2KXX     1P,3E23.16\"");
        }
        const long rows = header->rows < 0 ? -header->rows : header->rows;
        lb_status status = lb_add_nastran_matrix(data, file, line, header->name, &text.matrix);
        status = status ? status
                        : lb_set_op4_size(data, text.matrix, line, header->columns, rows,
                                          header->form, header->type);
        status = status ? status : read_matrix(&text);
        if (status) {
            return status;
        }
    }
    return LB_OK;
}
