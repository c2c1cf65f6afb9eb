// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of bulk data, after the quick reference guides of Nastran.
//
//     small field   columns of eight: name, eight data fields, mark of the continuation
//     large field   name with a star behind it, four data fields of sixteen columns, mark
//     free field    any line with a comma: the same fields with commas between them
//
// A line whose first field is blank or starts with + or * continues the entry before it; with * it has large
// fields. A tab goes on to the next multiple of eight columns. $ starts a comment. Marks of continuation lines
// must agree where both lines have one, since lines that are out of order are not sorted here.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "nastran.h"

enum { SMALL = 8, LARGE = 16, LINE = 80, MARK_AT = 72 };

// ---- lines -------------------------------------------------------------------------------------

// The first columns of a line, with blanks in place of tabs.
static bool expand_tabs(lb_import *import, lb_span *line)
{
    char *copy = lb_arena_take_text(&import->arena, LINE);
    if (!copy) {
        return false;
    }
    size_t length = 0;
    for (size_t i = 0; i < line->length && length < LINE; ++i) {
        if (line->at[i] != '\t') {
            copy[length++] = line->at[i];
            continue;
        }
        do {
            copy[length++] = ' ';
        } while (length % SMALL != 0);
    }
    *line = (lb_span){copy, length};
    return true;
}

// The next line that is not empty.
static bool fetch_line(lb_card_reader *reader)
{
    while (!reader->has_line && !reader->is_at_end) {
        if (!lb_next_line(&reader->lines)) {
            reader->is_at_end = true;
            break;
        }
        lb_span line = reader->lines.line;
        const char *comment = memchr(line.at, '$', line.length);
        line.length = comment ? (size_t)(comment - line.at) : line.length;
        if (lb_trim_span(line).length == 0) {
            continue;
        }
        if (memchr(line.at, '\t', line.length) && !memchr(line.at, ',', line.length) &&
            !expand_tabs(reader->import, &line)) {
            reader->status = LB_E_MEMORY;
            return false;
        }
        reader->line = line;
        reader->has_line = true;
    }
    return reader->has_line;
}

// Executive and case control come before BEGIN BULK, which parts for superelements lack.
static void skip_control(lb_card_reader *reader)
{
    lb_lines lines = reader->lines;
    while (lb_next_line(&lines)) {
        lb_span rest = lines.line, word;
        if (!lb_next_field(&rest, NULL, &word) || !lb_span_is(word, "BEGIN")) {
            continue;
        }
        if (lb_next_field(&rest, NULL, &word) && lb_span_is(word, "BULK") &&
            lb_trim_span(rest).length == 0) {
            reader->lines = lines;
        }
        return;
    }
}

lb_card_reader lb_start_cards(lb_import *import, const lb_import_file *file)
{
    lb_card_reader reader = {.import = import, .file = file, .lines = lb_start_lines(file)};
    skip_control(&reader);
    return reader;
}

void lb_free_cards(lb_card_reader *reader)
{
    free(reader->card.fields);
    reader->card = (lb_card){.field_count = 0};
}

// ---- entries -----------------------------------------------------------------------------------

static bool is_free(lb_span line)
{
    return memchr(line.at, ',', line.length) != NULL;
}

static lb_span get_first_field(lb_span line)
{
    if (!is_free(line)) {
        return lb_cut_span(line, 0, SMALL);
    }
    lb_span rest = line, field = {line.at, 0};
    lb_next_field(&rest, ",", &field);
    return lb_trim_span(field);
}

static bool is_continuation(lb_span line)
{
    const lb_span first = get_first_field(line);
    return first.length == 0 || first.at[0] == '+' || first.at[0] == '*';
}

static bool add_field(lb_card_reader *reader, lb_span text)
{
    lb_card *card = &reader->card;
    const lb_card_field field = {text, reader->lines.number};
    reader->status =
        lb_append(&card->fields, &card->field_count, &card->field_capacity, sizeof field, &field);
    return reader->status == LB_OK;
}

static lb_span skip_mark_sign(lb_span mark)
{
    if (mark.length && (mark.at[0] == '+' || mark.at[0] == '*')) {
        mark = (lb_span){mark.at + 1, mark.length - 1};
    }
    return mark;
}

// Adds the data fields of the line. `mark` is that of the line before, and then that of this line.
static bool add_fields(lb_card_reader *reader, bool is_first, lb_span *mark)
{
    const lb_span line = reader->line, first = get_first_field(line);
    const bool is_large =
        first.length && (is_first ? first.at[first.length - 1] == '*' : first.at[0] == '*');
    const size_t count = is_large ? 4 : 8, width = is_large ? LARGE : SMALL;
    const lb_span own = skip_mark_sign(first);
    if (!is_first && own.length && mark->length &&
        (own.length != mark->length || memcmp(own.at, mark->at, own.length) != 0)) {
        reader->status =
            lb_import_fail(reader->import, reader->file, reader->lines.number,
                           "%s: this line continues \"%.*s\", but the line before it is continued "
                           "by \"%.*s\": put the lines of an entry in order",
                           reader->card.name, (int)own.length, own.at, (int)mark->length, mark->at);
        return false;
    }
    *mark = (lb_span){line.at, 0};
    if (!is_free(line)) {
        for (size_t i = 0; i < count; ++i) {
            if (!add_field(reader, lb_cut_span(line, SMALL + i * width, width))) {
                return false;
            }
        }
        *mark = skip_mark_sign(lb_cut_span(line, MARK_AT, SMALL));
        return true;
    }
    lb_span rest = line, field = first;
    lb_next_field(&rest, ",", &field);
    for (size_t i = 0; i < count; ++i) {
        if (!lb_next_field(&rest, ",", &field)) {
            field = (lb_span){line.at, 0};
        }
        if (!add_field(reader, lb_trim_span(field))) {
            return false;
        }
    }
    if (lb_next_field(&rest, ",", &field)) {
        *mark = skip_mark_sign(lb_trim_span(field));
        if (lb_trim_span(rest).length > 0) {
            reader->status = lb_import_fail(reader->import, reader->file, reader->lines.number,
                                            "%s: a line has %zu data fields at most: continue the "
                                            "entry on a new line that starts with a comma",
                                            reader->card.name, count);
            return false;
        }
    }
    return true;
}

bool lb_next_card(lb_card_reader *reader)
{
    reader->status = LB_OK;
    if (!fetch_line(reader)) {
        return false;
    }
    lb_card *card = &reader->card;
    card->field_count = 0;
    card->line = reader->lines.number;
    card->whole = lb_trim_span(reader->line);
    memset(card->name, 0, sizeof card->name);
    if (is_continuation(reader->line)) {
        reader->status =
            lb_import_fail(reader->import, reader->file, reader->lines.number,
                           "this line continues an entry, but there is none before it");
        return false;
    }
    // a star ends the name, right behind it or in column 8
    lb_span name = get_first_field(reader->line);
    const char *star = memchr(name.at, '*', name.length);
    name = lb_trim_span((lb_span){name.at, star ? (size_t)(star - name.at) : name.length});
    for (size_t i = 0; i < name.length && i < LB_NASTRAN_NAME; ++i) {
        card->name[i] = (char)toupper((unsigned char)name.at[i]);
    }
    lb_span mark = {"", 0};
    bool is_first = true;
    do {
        if (!add_fields(reader, is_first, &mark)) {
            return false;
        }
        is_first = false;
        reader->has_line = false;
    } while (fetch_line(reader) && is_continuation(reader->line));
    return reader->status == LB_OK;
}

// ---- fields ------------------------------------------------------------------------------------

lb_card_field lb_get_card_field(const lb_card *card, size_t index)
{
    if (index < card->field_count) {
        return card->fields[index];
    }
    return (lb_card_field){{"", 0}, card->line};
}

bool lb_is_card_field_blank(const lb_card *card, size_t index)
{
    return lb_get_card_field(card, index).text.length == 0;
}

static bool refuse_field(lb_card_reader *reader, size_t index, const char *expected)
{
    const lb_card_field field = lb_get_card_field(&reader->card, index);
    reader->status = lb_import_fail(
        reader->import, reader->file, field.line, "%s: data field %zu is \"%.*s\"; %s expected",
        reader->card.name, index + 1, (int)field.text.length, field.text.at, expected);
    return false;
}

bool lb_get_card_integer(lb_card_reader *reader, size_t index, int smallest, int preset, int *value)
{
    const lb_span text = lb_get_card_field(&reader->card, index).text;
    long number = preset;
    if (text.length
            ? !lb_get_integer(text, &number) || number < smallest || number > LB_NASTRAN_LARGEST_ID
            : preset < smallest) {
        return refuse_field(reader, index,
                            smallest > 0 ? "a whole number greater than 0"
                                         : "a whole number, 0 or greater,");
    }
    *value = (int)number;
    return true;
}

bool lb_get_card_number(lb_card_reader *reader, size_t index, double preset, double *value)
{
    const lb_span text = lb_get_card_field(&reader->card, index).text;
    *value = preset;
    return text.length == 0 || lb_get_number(text, value) ||
           refuse_field(reader, index, "a number");
}

bool lb_get_card_components(lb_card_reader *reader, size_t index, unsigned *components)
{
    const lb_span text = lb_get_card_field(&reader->card, index).text;
    *components = 0;
    for (size_t i = 0; i < text.length; ++i) {
        const unsigned digit = (unsigned)(text.at[i] - '0');
        if (digit > 6 || (digit == 0 && text.length > 1) || *components & 1u << digit) {
            return refuse_field(reader, index, "components, digits from 1 to 6, or 0");
        }
        *components |= 1u << digit;
    }
    *components = *components ? *components : 1;
    return true;
}

// ---- what a file is ----------------------------------------------------------------------------

bool lb_is_bulk_data(const lb_import_file *file)
{
    static const char *const names[] = {"GRID",    "SPOINT", "CORD1R", "CORD1C", "CORD1S", "CORD2R",
                                        "CORD2C",  "CORD2S", "DMIG",   "DTI",    "EXTRN",  "SEBULK",
                                        "SECONCT", "ASET",   "ASET1",  "BSET",   "BSET1",  "CEND"};
    enum { LINES = 1000 };
    lb_lines lines = lb_start_lines(file);
    if (memchr(file->text, 0, file->length < 4096 ? file->length : 4096)) {
        return false;
    }
    for (int i = 0; i < LINES && lb_next_line(&lines);) {
        if (lines.line.length == 0 || lines.line.at[0] == '$') {
            continue;
        }
        ++i;
        lb_span rest = lines.line, first;
        if (!lb_next_field(&rest, " ,\t*", &first)) {
            continue;
        }
        for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
            if (lb_span_is(first, names[k])) {
                return true;
            }
        }
        lb_span second;
        if (lb_span_is(first, "BEGIN") && lb_next_field(&rest, " =\t", &second) &&
            (lb_span_is(second, "BULK") || lb_span_is(second, "SUPER"))) {
            return true;
        }
    }
    return false;
}
