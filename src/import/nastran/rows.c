// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rows of Nastran's matrices are. EXTRN entries list them. DMIG matrices name their rows themselves.
// Matrices of OUTPUT4 files without EXTRN have the components of a set (ASET and the like, or all components of
// all points if there is none), in the order of the numbers of the points, which is that of Nastran unless
// points are resequenced.
#include <stdlib.h>

#include "nastran.h"

static int compare_rows(const void *a, const void *b)
{
    const lb_bulk_row *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : x->component - y->component;
}

const lb_bulk_row *lb_find_nastran_row(const lb_nastran *data, int id, int component)
{
    const lb_bulk_row key = {.id = id, .component = component};
    return data->row_count ? bsearch(&key, data->rows, data->row_count, sizeof key, compare_rows)
                           : NULL;
}

static lb_status add_row(lb_nastran *data, lb_bulk_row row)
{
    return lb_append(&data->rows, &data->row_count, &data->row_capacity, sizeof row, &row);
}

// ---- rows of DMIG matrices ---------------------------------------------------------------------

static void join_rows(lb_nastran *data)
{
    if (data->row_count == 0) {
        return;
    }
    qsort(data->rows, data->row_count, sizeof *data->rows, compare_rows);
    size_t kept = 1;
    for (size_t i = 1; i < data->row_count; ++i) {
        if (compare_rows(&data->rows[i], &data->rows[kept - 1]) != 0) {
            data->rows[kept++] = data->rows[i];
        }
    }
    data->row_count = kept;
}

static lb_status add_dmig_rows(lb_nastran *data, const lb_nastran_matrix *matrix)
{
    size_t enough = 4096;
    for (size_t i = 0; i < matrix->term_count; ++i) {
        const lb_dmig_term *term = &matrix->terms[i];
        const lb_bulk_row row = {.id = term->row_id,
                                 .component = term->row_component,
                                 .file = matrix->file,
                                 .line = term->line};
        lb_bulk_row column = row;
        column.id = term->column_id;
        column.component = term->column_component;
        if (add_row(data, row) || add_row(data, column)) {
            return LB_E_MEMORY;
        }
        // most rows are there many times: the list shall not grow with the terms
        if (data->row_count > enough) {
            join_rows(data);
            enough = 4096 + 2 * data->row_count;
        }
    }
    return LB_OK;
}

// ---- rows of sets ------------------------------------------------------------------------------

static int compare_integers(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static lb_status refuse_size(lb_nastran *data, const lb_nastran_matrix *K, size_t row_count)
{
    return lb_import_fail(data->import, K->file, K->line,
                          "matrix %s has %d rows, but the %s %zu: give the .asm and .pch files "
                          "that Nastran wrote with this file",
                          K->name, K->rows,
                          data->analysis.count ? "points of ASET, BSET, CSET and QSET entries have"
                                               : "GRID and SPOINT entries have",
                          row_count);
}

// Numbers of all points, ascending: grids, and scalar points, of which there may not be more than rows.
static lb_status list_points(lb_nastran *data, const lb_nastran_matrix *K, int **ids, size_t *count)
{
    size_t scalar_count = 0;
    for (size_t i = 0; i < data->scalar_points.count; ++i) {
        const lb_bulk_range *range = &data->scalar_points.all[i];
        scalar_count += (size_t)(range->to - range->from) + 1;
    }
    if (scalar_count > (size_t)K->rows) {
        return refuse_size(data, K, scalar_count);
    }
    if (!LB_IMPORT_TAKE(data->import, *ids, data->grid_count + scalar_count)) {
        return LB_E_MEMORY;
    }
    *count = 0;
    for (size_t i = 0; i < data->grid_count; ++i) {
        (*ids)[(*count)++] = data->grids[i].id;
    }
    for (size_t i = 0; i < data->scalar_points.count; ++i) {
        const lb_bulk_range *range = &data->scalar_points.all[i];
        for (int id = range->from; id <= range->to; ++id) {
            (*ids)[(*count)++] = id;
        }
    }
    qsort(*ids, *count, sizeof **ids, compare_integers);
    return LB_OK;
}

static lb_status add_set_rows(lb_nastran *data, const lb_nastran_matrix *K)
{
    if (data->resequenced) {
        return lb_import_fail(data->import, data->resequenced, 0,
                              "SEQGP entries change the order of the rows of %s: write the "
                              "matrices with EXTSEOUT, whose EXTRN entry says the order",
                              K->name);
    }
    int *ids = NULL;
    size_t count = 0;
    lb_status status = list_points(data, K, &ids, &count);
    const unsigned *components =
        status ? NULL : lb_find_range_components(data->import, &data->analysis, ids, count);
    if (!status && !components) {
        status = LB_E_MEMORY;
    }
    for (size_t i = 0; i < count && !status; ++i) {
        const bool is_scalar = lb_has_bulk_point(&data->scalar_points, ids[i]);
        unsigned own = is_scalar ? 1 : 0x7e;
        if (data->analysis.count) {
            own = is_scalar ? (components[i] & 3) != 0 : components[i] & 0x7e;
        }
        for (int k = 0; k <= 6 && !status; ++k) {
            const lb_bulk_row row = {
                .id = ids[i], .component = k, .file = K->file, .line = K->line};
            status = own >> k & 1u ? add_row(data, row) : LB_OK;
        }
    }
    if (!status && data->row_count != (size_t)K->rows) {
        status = refuse_size(data, K, data->row_count);
    }
    if (!status) {
        lb_import_warn(data->import, K->file, K->line,
                       "no EXTRN entry says the order of the rows of %s: they are taken in the "
                       "order of the numbers of the points",
                       K->name);
    }
    return status;
}

// ---- what they are -----------------------------------------------------------------------------

static lb_status classify_row(lb_nastran *data, const lb_bulk_row *row, unsigned generalized,
                              lb_structure *structure)
{
    const int node = lb_find_grid(data->import, structure, row->id);
    const bool is_scalar =
        node < 0 && (row->component == 0 || lb_has_bulk_point(&data->scalar_points, row->id));
    if (!data->import->grid_order) {
        return LB_E_MEMORY;
    }
    if (node < 0 && !is_scalar) {
        return lb_import_fail(data->import, row->file, row->line,
                              "point %d has no GRID entry: give the file that has it (.asm, .pch, "
                              "or the bulk data of the model)",
                              row->id);
    }
    if (node >= 0 && row->component == 0) {
        return lb_import_fail(data->import, row->file, row->line,
                              "point %d is a grid, and needs a component from 1 to 6", row->id);
    }
    if (is_scalar && row->component > 1) {
        return lb_import_fail(data->import, row->file, row->line,
                              "point %d is a scalar point, and cannot have component %d", row->id,
                              row->component);
    }
    const bool is_modal = is_scalar || generalized >> row->component & 1u;
    structure->rows[row->index] =
        (lb_fe_row){is_modal ? LB_FE_MODAL : node, is_modal ? 0 : row->component - 1};
    structure->is_reduced = structure->is_reduced || is_modal;
    return LB_OK;
}

static lb_status classify_rows(lb_nastran *data, lb_structure *structure)
{
    const size_t count = data->row_count;
    int *ids;
    if (!LB_IMPORT_TAKE(data->import, ids, count)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        ids[i] = data->rows[i].id;
        if (i > 0 && compare_rows(&data->rows[i - 1], &data->rows[i]) == 0) {
            return lb_import_fail(data->import, data->rows[i].file, data->rows[i].line,
                                  "component %d of point %d is there twice",
                                  data->rows[i].component, data->rows[i].id);
        }
    }
    const unsigned *generalized =
        lb_find_range_components(data->import, &data->generalized, ids, count);
    lb_status status = generalized ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; i < count && !status; ++i) {
        status = classify_row(data, &data->rows[i], generalized[i], structure);
    }
    return status;
}

lb_status lb_find_nastran_rows(lb_nastran *data, const lb_nastran_matrix *K,
                               const lb_nastran_matrix *M, lb_structure *structure)
{
    const bool has_order = data->row_count > 0;
    lb_status status = LB_OK;
    structure->is_reduced = has_order || data->analysis.count > 0;
    if (!has_order && K->is_dmig) {
        status = add_dmig_rows(data, K);
        status = status || !M->is_dmig ? status : add_dmig_rows(data, M);
        join_rows(data);
    } else if (!has_order) {
        status = add_set_rows(data, K);
    } else if (!K->is_dmig && data->row_count != (size_t)K->rows) {
        status = lb_import_fail(data->import, K->file, K->line,
                                "matrix %s has %d rows, but the EXTRN entry in %s lists %zu "
                                "components: these files do not belong together",
                                K->name, K->rows, data->rows[0].file->path, data->row_count);
    }
    if (status) {
        return status;
    }
    structure->row_count = (int)data->row_count;
    if (!LB_IMPORT_TAKE(data->import, structure->rows, data->row_count + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < data->row_count; ++i) {
        data->rows[i].index = (int)i;
    }
    if (data->row_count) {
        qsort(data->rows, data->row_count, sizeof *data->rows, compare_rows);
    }
    return classify_rows(data, structure);
}

// ---- rows that are not needed ------------------------------------------------------------------

static void mark_rows(const lb_fe_entries *entries, int *is_used)
{
    for (size_t i = 0; i < entries->count; ++i) {
        is_used[entries->all[i].row] = is_used[entries->all[i].column] = 1;
    }
}

static void renumber_rows(lb_fe_entries *entries, const int *kept)
{
    for (size_t i = 0; i < entries->count; ++i) {
        entries->all[i].row = kept[entries->all[i].row];
        entries->all[i].column = kept[entries->all[i].column];
    }
}

lb_status lb_drop_empty_rows(lb_nastran *data, lb_structure *structure)
{
    lb_fe_entries *const matrices[] = {&structure->K, &structure->M, &structure->C};
    enum { MATRICES = sizeof matrices / sizeof *matrices };
    if (!LB_IMPORT_TAKE(data->import, data->kept_rows, data->row_count)) {
        return LB_E_MEMORY;
    }
    int *kept = data->kept_rows;
    for (int k = 0; k < MATRICES; ++k) {
        mark_rows(matrices[k], kept);
    }
    int count = 0;
    for (int i = 0; i < structure->row_count; ++i) {
        const bool is_used = kept[i];
        kept[i] = is_used ? count : -1;
        if (is_used) {
            structure->rows[count++] = structure->rows[i];
        }
    }
    if (count == structure->row_count) {
        return LB_OK;
    }
    for (size_t i = 0; i < data->row_count; ++i) {
        const lb_bulk_row *row = &data->rows[i];
        if (kept[row->index] < 0) {
            lb_import_warn(data->import, row->file, row->line,
                           "%d of %d rows have neither stiffness nor mass and are left out, such "
                           "as component %d of point %d",
                           structure->row_count - count, structure->row_count, row->component,
                           row->id);
            break;
        }
    }
    for (int k = 0; k < MATRICES; ++k) {
        renumber_rows(matrices[k], kept);
    }
    structure->row_count = count;
    return LB_OK;
}
