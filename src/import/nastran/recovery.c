// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recovery matrices of external superelements: MUG1 gives displacements of grids, MEF1 element forces, MES1
// element stresses, all from the coordinates of the superelement. DTI entries TUG1, TEF1, TES1 name the rows:
// their record 2 has the words TYPE ID COMP ROW twice, and then these four numbers for each grid or element,
// with COMP rows from ROW on. TYPE is 1 for a grid, 2 for a scalar point, or the number of the element type.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "nastran.h"

lb_status lb_read_row_labels(lb_nastran *data, lb_card_reader *reader)
{
    const lb_card *card = &reader->card;
    const lb_span name = lb_get_card_field(card, 0).text;
    const bool is_known =
        lb_span_is(name, "TUG1") || lb_span_is(name, "TEF1") || lb_span_is(name, "TES1");
    if (!is_known || !lb_span_is(lb_get_card_field(card, 1).text, "2")) {
        return LB_OK;
    }
    size_t at = 2;
    while (at < card->field_count && !lb_span_is(card->fields[at].text, "TYPE")) {
        ++at;
    }
    for (at += 8; at + 3 < card->field_count; at += 4) {
        long numbers[4];
        if (lb_span_is(card->fields[at].text, "ENDREC")) {
            return LB_OK;
        }
        for (size_t i = 0; i < 4; ++i) {
            if (!lb_get_integer(card->fields[at + i].text, &numbers[i]) || numbers[i] < 0 ||
                numbers[i] > LB_NASTRAN_LARGEST_ID) {
                lb_import_warn(data->import, reader->file, card->fields[at + i].line,
                               "DTI %.*s: type, id, components and row expected: rows from here on "
                               "have no names",
                               (int)name.length, name.at);
                return LB_OK;
            }
        }
        const lb_bulk_label label = {(char)toupper((unsigned char)name.at[2]), (int)numbers[0],
                                     (int)numbers[1], (int)numbers[2], (int)numbers[3]};
        const lb_status status = lb_append(&data->labels, &data->label_count, &data->label_capacity,
                                           sizeof label, &label);
        if (status) {
            return status;
        }
    }
    return LB_OK;
}

static const char *write_label(lb_arena *arena, const lb_bulk_label *label, int item)
{
    static const char *const directions[] = {"T1", "T2", "T3", "R1", "R2", "R3"};
    char text[96];
    if (label->table != 'G') {
        snprintf(text, sizeof text, "element %d (type %d) %s %d", label->id, label->type,
                 label->table == 'F' ? "force" : "stress", item + 1);
    } else if (label->type == 1 && item < 6) {
        snprintf(text, sizeof text, "grid %d %s", label->id, directions[item]);
    } else {
        snprintf(text, sizeof text, "point %d %d", label->id, item + 1);
    }
    return lb_arena_text(arena, text);
}

// Names of the rows, as far as there are any.
static lb_status name_rows(lb_nastran *data, lb_fe_recovery *recovery)
{
    const char **what = NULL;
    for (size_t i = 0; i < data->label_count; ++i) {
        const lb_bulk_label *label = &data->labels[i];
        // TUG1 goes with MUG1
        if (label->table != recovery->name[2]) {
            continue;
        }
        if (!what && !LB_IMPORT_TAKE(data->import, what, recovery->rows)) {
            return LB_E_MEMORY;
        }
        for (int k = 0; k < label->count; ++k) {
            const long row = (long)label->row - 1 + k;
            if (row < 0 || row >= recovery->rows || what[row]) {
                break; // of another matrix, or twice
            }
            what[row] = write_label(&data->import->arena, label, k);
            if (!what[row]) {
                return LB_E_MEMORY;
            }
        }
    }
    for (int i = 0; what && i < recovery->rows; ++i) {
        char text[32];
        snprintf(text, sizeof text, "row %d", i + 1);
        what[i] = what[i] ? what[i] : lb_arena_text(&data->import->arena, text);
        if (!what[i]) {
            return LB_E_MEMORY;
        }
    }
    recovery->what = what;
    return LB_OK;
}

static lb_status add_recovery(lb_nastran *data, const lb_nastran_matrix *matrix,
                              lb_structure *structure)
{
    // 16: a file has four bytes for a number at least, and zeros may be left out
    const double size = (double)matrix->rows * matrix->columns;
    if (matrix->is_complex || (size_t)matrix->columns != data->row_count ||
        size > 16.0 * (double)matrix->file->length) {
        lb_import_warn(data->import, matrix->file, matrix->line,
                       "recovery matrix %s (%d rows, %d columns%s) is left out: a real matrix of "
                       "%d columns that is not almost empty can be used",
                       matrix->name, matrix->rows, matrix->columns,
                       matrix->is_complex ? ", complex" : "", structure->row_count);
        return LB_OK;
    }
    lb_fe_recovery *recovery = &structure->recovery[structure->recovery_count];
    double *A = NULL;
    const size_t width = (size_t)structure->row_count;
    if (!LB_IMPORT_TAKE(data->import, A, (size_t)matrix->rows * width)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < matrix->run_count; ++i) {
        const lb_op4_run *run = &matrix->runs[i];
        const int column = data->kept_rows[run->column];
        for (int k = 0; k < run->count && column >= 0; ++k) {
            A[(size_t)(run->row + k) * width + (size_t)column] =
                matrix->values[run->first + (size_t)k];
        }
    }
    *recovery = (lb_fe_recovery){
        .name = lb_arena_text(&data->import->arena, matrix->name), .rows = matrix->rows, .A = A};
    ++structure->recovery_count;
    return recovery->name ? name_rows(data, recovery) : LB_E_MEMORY;
}

lb_status lb_add_nastran_recovery(lb_nastran *data, lb_structure *structure)
{
    static const char *const names[] = {"MUG1", "MEF1", "MES1"};
    enum { COUNT = sizeof names / sizeof *names };
    if (!LB_IMPORT_TAKE(data->import, structure->recovery, COUNT)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < COUNT; ++k) {
        for (size_t i = 0; i < data->matrix_count; ++i) {
            const lb_nastran_matrix *matrix = &data->matrices[i];
            if (matrix->is_dmig || matrix->run_count == 0 || strcmp(matrix->name, names[k]) != 0) {
                continue;
            }
            const lb_status status = add_recovery(data, matrix, structure);
            if (status) {
                return status;
            }
            break;
        }
    }
    return LB_OK;
}
