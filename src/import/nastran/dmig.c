// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices of DMIG entries, after the quick reference guides of Nastran and files of pyYeti and pyNastran.
//
//     header   DMIG NAME 0 IFO TIN TOUT POLAR - NCOL
//     column   DMIG NAME GJ CJ -, then G1 C1 A1 B1, G2 C2 A2 B2 and so on: the terms of the column of component
//              CJ of point GJ, each in the row of component C of point G, with its real and imaginary part
//
// A component is 1 to 6, and 0 or blank for a scalar point. IFO: 6 symmetric, where each term off the diagonal
// appears once, in either triangle; 1 square; 2 and 9 rectangular. TIN: 1 and 2 real, 3 and 4 complex, by
// amplitude and phase in degrees if POLAR is 1.
#include <math.h>
#include <string.h>

#include "nastran.h"

static lb_nastran_matrix *find_dmig(const lb_nastran *data, lb_span name)
{
    // columns follow their header, so that it is mostly the last one
    for (size_t i = data->matrix_count; i-- > 0;) {
        if (data->matrices[i].is_dmig && lb_span_is(name, data->matrices[i].name)) {
            return &data->matrices[i];
        }
    }
    return NULL;
}

static lb_status read_header(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    const lb_card_field name = lb_get_card_field(card, 0);
    const lb_nastran_matrix *other = find_dmig(data, name.text);
    if (other) {
        return lb_import_fail(
            data->import, reader->file, card->line,
            "DMIG %s has a second header here; the first is in %s, line %d: give one of them",
            other->name, other->file->path, other->line);
    }
    int form, type, is_polar;
    if (!lb_get_card_integer(reader, 2, 1, 0, &form) ||
        !lb_get_card_integer(reader, 3, 1, 0, &type) ||
        !lb_get_card_integer(reader, 5, 0, 0, &is_polar)) {
        return reader->status;
    }
    lb_nastran_matrix *matrix;
    const lb_status status =
        lb_add_nastran_matrix(data, reader->file, card->line, name.text, &matrix);
    if (status) {
        return status;
    }
    matrix->is_dmig = true;
    matrix->form = form;
    matrix->is_complex = type > 2;
    matrix->is_polar = is_polar > 0;
    if (type > 4 || (form != 1 && form != 2 && form != 6 && form != 9)) {
        return lb_import_fail(
            data->import, reader->file, card->line,
            "DMIG %s has form %d and type %d; forms 1, 2, 6 and 9 and types 1 to 4 are known",
            matrix->name, form, type);
    }
    return LB_OK;
}

// One component or none.
static bool get_component(lb_card_reader *reader, size_t index, int *component)
{
    if (!lb_get_card_integer(reader, index, 0, 0, component)) {
        return false;
    }
    if (*component > 6) {
        const lb_card_field field = lb_get_card_field(&reader->card, index);
        reader->status = lb_import_fail(
            reader->import, reader->file, field.line,
            "DMIG: a component is 1 to 6, or 0 for a scalar point, not %d", *component);
        return false;
    }
    return true;
}

static lb_status read_term(lb_nastran_matrix *matrix, lb_card_reader *reader, size_t index,
                           lb_dmig_term term)
{
    int component;
    term.line = lb_get_card_field(&reader->card, index).line;
    if (!lb_get_card_integer(reader, index, 1, 0, &term.row_id) ||
        !get_component(reader, index + 1, &component) ||
        !lb_get_card_number(reader, index + 2, 0.0, &term.re) ||
        !lb_get_card_number(reader, index + 3, 0.0, &term.im)) {
        return reader->status;
    }
    term.row_component = (signed char)component;
    if (!matrix->is_complex && term.im != 0.0) {
        return lb_import_fail(reader->import, reader->file, term.line,
                              "DMIG %s is real (TIN 1 or 2), but this term has an imaginary part",
                              matrix->name);
    }
    if (matrix->is_polar) {
        const double amplitude = term.re, phase = term.im * (3.14159265358979323846 / 180);
        term.re = amplitude * cos(phase);
        term.im = amplitude * sin(phase);
    }
    return lb_append(&matrix->terms, &matrix->term_count, &matrix->term_capacity, sizeof term,
                     &term);
}

lb_status lb_read_dmig(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    const lb_card_field name = lb_get_card_field(card, 0);
    if (name.text.length == 0 || name.text.length > LB_NASTRAN_NAME) {
        return lb_import_fail(data->import, reader->file, card->line,
                              "DMIG: a name of 1 to 8 letters expected in the first data field");
    }
    lb_dmig_term column = {.column_id = 0};
    int component;
    if (!lb_get_card_integer(reader, 1, 0, -1, &column.column_id)) {
        return reader->status;
    }
    if (column.column_id == 0) {
        return read_header(data, reader);
    }
    lb_nastran_matrix *matrix = find_dmig(data, name.text);
    if (!matrix) {
        return lb_import_fail(data->import, reader->file, card->line,
                              "DMIG %.*s has a column, but no header (DMIG %.*s 0 ...) before it",
                              (int)name.text.length, name.text.at, (int)name.text.length,
                              name.text.at);
    }
    if (!get_component(reader, 2, &component)) {
        return reader->status;
    }
    column.column_component = (signed char)component;
    for (size_t i = 4; i < card->field_count; i += 4) {
        const bool is_blank = lb_is_card_field_blank(card, i) &&
                              lb_is_card_field_blank(card, i + 1) &&
                              lb_is_card_field_blank(card, i + 2);
        const lb_status status = is_blank ? LB_OK : read_term(matrix, reader, i, column);
        if (status) {
            return status;
        }
    }
    return LB_OK;
}
