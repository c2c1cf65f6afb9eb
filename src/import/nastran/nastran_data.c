// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of Nastran's files share: lists, matrices, parts of lines.
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nastran.h"

lb_span lb_cut_span(lb_span line, size_t from, size_t width)
{
    from = from < line.length ? from : line.length;
    const size_t left = line.length - from;
    return lb_trim_span((lb_span){line.at + from, left < width ? left : width});
}

void lb_free_nastran(lb_nastran *data)
{
    for (size_t i = 0; i < data->matrix_count; ++i) {
        free(data->matrices[i].runs);
        free(data->matrices[i].values);
        free(data->matrices[i].terms);
    }
    free(data->matrices);
    free(data->grids);
    free(data->systems);
    free(data->rows);
    free(data->labels);
    free(data->scalar_points.all);
    free(data->analysis.all);
    free(data->generalized.all);
    *data = (lb_nastran){.import = data->import};
}

lb_status lb_add_nastran_matrix(lb_nastran *data, const lb_import_file *file, int line,
                                lb_span name, lb_nastran_matrix **matrix)
{
    if (data->matrix_count >= LB_NASTRAN_MATRICES) {
        return lb_import_fail(data->import, file, line,
                              "more than %d matrices: give the files that are needed only",
                              LB_NASTRAN_MATRICES);
    }
    lb_nastran_matrix empty = {.file = file, .line = line};
    // names are padded with blanks or zeros
    for (size_t i = 0, n = 0; i < name.length && n < LB_NASTRAN_NAME; ++i) {
        if (isgraph((unsigned char)name.at[i])) {
            empty.name[n++] = (char)toupper((unsigned char)name.at[i]);
        }
    }
    const lb_status status = lb_append(&data->matrices, &data->matrix_count, &data->matrix_capacity,
                                       sizeof empty, &empty);
    *matrix = status ? NULL : &data->matrices[data->matrix_count - 1];
    return status;
}

lb_status lb_set_op4_size(lb_nastran *data, lb_nastran_matrix *matrix, int line, long columns,
                          long rows, long form, long type)
{
    if (type < 1 || type > 4) {
        return lb_import_fail(
            data->import, matrix->file, line,
            "matrix %s has type %ld; OUTPUT4 has 1 to 4 (real or complex, single or double)",
            matrix->name, type);
    }
    if (columns < 0 || columns > LB_NASTRAN_LARGEST_SIZE || rows < 0 ||
        rows > LB_NASTRAN_LARGEST_SIZE || form < 0 || form > 99) {
        return lb_import_fail(
            data->import, matrix->file, line,
            "matrix %s cannot have %ld rows, %ld columns and form %ld: is this an OUTPUT4 file?",
            matrix->name, rows, columns, form);
    }
    matrix->rows = (int)rows;
    matrix->columns = (int)columns;
    matrix->form = (int)form;
    matrix->is_complex = type > 2;
    return LB_OK;
}

lb_status lb_start_op4_run(lb_nastran *data, lb_nastran_matrix *matrix, int line, const char *where,
                           long column, long row, long number_count)
{
    const int parts = matrix->is_complex ? 2 : 1;
    if (column < 1 || column > matrix->columns || row < 1 || number_count < 0 ||
        number_count % parts != 0 || number_count / parts > matrix->rows - (row - 1)) {
        return lb_import_fail(data->import, matrix->file, line,
                              "%smatrix %s of %d rows and %d columns cannot have %ld numbers in "
                              "column %ld from row %ld on: the file is damaged",
                              where, matrix->name, matrix->rows, matrix->columns, number_count,
                              column, row);
    }
    // a file has its columns in order, so that no entry is there twice
    const lb_op4_run *last = matrix->run_count ? &matrix->runs[matrix->run_count - 1] : NULL;
    if (last && (column - 1 < last->column ||
                 (column - 1 == last->column && row - 1 < (long)last->row + last->count))) {
        return lb_import_fail(data->import, matrix->file, line,
                              "%scolumn %ld, row %ld of matrix %s comes after column %d, row %d: "
                              "columns and rows must ascend",
                              where, column, row, matrix->name, last->column + 1,
                              last->row + last->count);
    }
    const lb_op4_run run = {(int)column - 1, (int)row - 1, (int)(number_count / parts),
                            matrix->value_count};
    return lb_append(&matrix->runs, &matrix->run_count, &matrix->run_capacity, sizeof run, &run);
}
