// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A structure from Nastran's files: matrices of OUTPUT4 files or DMIG entries, with bulk data that say where the
// points are and what the rows are. EXTSEOUT writes such files (.op4, .asm, .pch) for a superelement.
//
// Stiffness and mass are two matrices K... and M... whose names end alike: KXX and MXX (NX), KAA and MAA (MSC),
// KAAX and MAAX (punched), K and M with a label (Autodesk). Empty matrices are written with one row and one
// column.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "nastran.h"

bool lb_is_nastran(const lb_import_file *file)
{
    return lb_is_op4_binary(file) || lb_is_op4_text(file) || lb_is_bulk_data(file);
}

static lb_status read_files(lb_nastran *data)
{
    lb_import *import = data->import;
    for (int i = 0; i < import->file_count; ++i) {
        lb_import_file *file = &import->files[i];
        lb_status status = LB_OK;
        if (lb_is_op4_binary(file)) {
            status = lb_read_op4_binary(data, file);
        } else if (lb_is_op4_text(file)) {
            status = lb_read_op4_text(data, file);
        } else if (lb_is_bulk_data(file)) {
            status = lb_read_bulk_data(data, file);
        } else {
            continue;
        }
        file->is_used = true;
        if (status) {
            return status;
        }
    }
    return LB_OK;
}

// ---- choice of the matrices --------------------------------------------------------------------

static bool has_numbers(const lb_nastran_matrix *matrix)
{
    for (size_t i = 0; i < matrix->value_count; ++i) {
        if (matrix->values[i] != 0.0) {
            return true;
        }
    }
    return matrix->term_count > 0;
}

// The matrix of a letter and a label; the second one of this name in `twice`.
static const lb_nastran_matrix *find_matrix(const lb_nastran *data, const char *letter,
                                            const char *label, const char *end,
                                            const lb_nastran_matrix **twice)
{
    char name[2 * LB_NASTRAN_NAME + 4];
    const lb_nastran_matrix *found = NULL;
    snprintf(name, sizeof name, "%s%s%s", letter, label, end);
    for (size_t i = 0; i < data->matrix_count; ++i) {
        if (strcmp(data->matrices[i].name, name) == 0) {
            if (found && twice) {
                *twice = &data->matrices[i];
            }
            found = found ? found : &data->matrices[i];
        }
    }
    return found;
}

static lb_status refuse_twice(lb_nastran *data, const lb_nastran_matrix *first,
                              const lb_nastran_matrix *second)
{
    if (second->file == first->file) {
        return lb_import_fail(
            data->import, second->file, second->line,
            "matrix %s is twice in this file: several superelements; write one file each",
            second->name);
    }
    return lb_import_fail(data->import, second->file, second->line,
                          "matrix %s is here, and in %s too: give the files of one structure",
                          second->name, first->file->path);
}

typedef struct matrix_pair {
    const lb_nastran_matrix *K, *M;
} matrix_pair;

static lb_status refuse_choice(lb_nastran *data, const char *why, char letter)
{
    lb_text names = {.length = 0};
    for (size_t i = 0; i < data->matrix_count && names.length < 200; ++i) {
        if (!letter || data->matrices[i].name[0] == letter) {
            lb_text_add(&names, "%s%s", names.length ? ", " : "", data->matrices[i].name);
        }
    }
    return lb_import_fail(
        data->import, data->matrix_count ? data->matrices[0].file : data->bulk_file, 0,
        "%s (found: %s): a structure needs one matrix of stiffness and one of mass whose names end "
        "alike, such as KXX and MXX, KAA and MAA or KAAX and MAAX",
        why,
        names.length ? names.data
                     : "no matrix; a bulk file has none: write them with EXTSEOUT(ASMBULK, "
                       "EXTBULK, DMIGOP4) or MATOP4, and give the files that come out");
}

// Superelements have names of their own, which go before others.
static lb_status choose_pair(lb_nastran *data, matrix_pair *chosen)
{
    static const char *const usual[] = {"XX", "AAX", "AA"};
    matrix_pair best = {NULL, NULL};
    int usual_count = 0, other_count = 0;
    for (size_t i = 0; i < data->matrix_count; ++i) {
        const lb_nastran_matrix *K = &data->matrices[i];
        const char *label = K->name + 1;
        const lb_nastran_matrix *M =
            K->name[0] == 'K' ? find_matrix(data, "M", label, "", NULL) : NULL;
        // the first of each name
        if (!M || find_matrix(data, "K", label, "", NULL) != K) {
            continue;
        }
        bool is_usual = false;
        for (size_t k = 0; k < sizeof usual / sizeof *usual; ++k) {
            is_usual = is_usual || strcmp(label, usual[k]) == 0;
        }
        if (is_usual ? usual_count++ == 0 : other_count++ == 0 && usual_count == 0) {
            best = (matrix_pair){K, M};
        }
    }
    if (usual_count > 1 || (usual_count == 0 && other_count > 1)) {
        return refuse_choice(data, "there are several matrices of stiffness", 'K');
    }
    if (usual_count + other_count == 0) {
        return refuse_choice(data, "stiffness and mass are not both there", 0);
    }
    const lb_nastran_matrix *twice = NULL;
    if (find_matrix(data, "K", best.K->name + 1, "", &twice) && twice) {
        return refuse_twice(data, best.K, twice);
    }
    if (find_matrix(data, "M", best.M->name + 1, "", &twice) && twice) {
        return refuse_twice(data, best.M, twice);
    }
    *chosen = best;
    return LB_OK;
}

// Whether a matrix can be one of stiffness, mass or damping.
static lb_status check_matrix(lb_nastran *data, const lb_nastran_matrix *matrix)
{
    if (matrix->is_complex) {
        return lb_import_fail(data->import, matrix->file, matrix->line,
                              "matrix %s is complex: a structure needs real matrices (leave "
                              "structural damping out, as PARAM,G and GE do)",
                              matrix->name);
    }
    if (!has_numbers(matrix)) {
        return lb_import_fail(data->import, matrix->file, matrix->line, "matrix %s is empty",
                              matrix->name);
    }
    if (matrix->is_dmig ? matrix->form != 1 && matrix->form != 6
                        : (matrix->form != 1 && matrix->form != 2 && matrix->form != 6) ||
                              matrix->rows != matrix->columns) {
        return lb_import_fail(
            data->import, matrix->file, matrix->line,
            "matrix %s (form %d) is not square: forms 1 (square) and 6 (symmetric) can be used",
            matrix->name, matrix->form);
    }
    return LB_OK;
}

static lb_status check_pair(lb_nastran *data, matrix_pair pair)
{
    lb_status status = check_matrix(data, pair.K);
    status = status ? status : check_matrix(data, pair.M);
    if (status || pair.K->is_dmig) {
        return status;
    }
    if (!pair.M->is_dmig && pair.K->rows != pair.M->rows) {
        return lb_import_fail(
            data->import, pair.M->file, pair.M->line,
            "matrix %s has %d rows, but %s has %d: these files do not belong together",
            pair.M->name, pair.M->rows, pair.K->name, pair.K->rows);
    }
    const size_t numbers = pair.K->value_count + pair.M->value_count + pair.M->term_count;
    if ((size_t)pair.K->rows > numbers) {
        return lb_import_fail(data->import, pair.K->file, pair.K->line,
                              "matrices %s and %s have %d rows, but only %zu numbers: most rows "
                              "have neither stiffness nor mass",
                              pair.K->name, pair.M->name, pair.K->rows, numbers);
    }
    return LB_OK;
}

// ---- entries -----------------------------------------------------------------------------------

static lb_status add_op4_entries(const lb_nastran_matrix *matrix, lb_fe_entries *entries)
{
    entries->part = LB_FE_BOTH;
    for (size_t i = 0; i < matrix->run_count; ++i) {
        const lb_op4_run *run = &matrix->runs[i];
        for (int k = 0; k < run->count; ++k) {
            const double value = matrix->values[run->first + (size_t)k];
            if (value != 0.0 && !lb_add_fe_entry(entries, run->row + k, run->column, value)) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

static lb_status add_dmig_entries(lb_nastran *data, const lb_nastran_matrix *matrix,
                                  lb_fe_entries *entries)
{
    entries->part = matrix->form == 6 ? LB_FE_HALF : LB_FE_BOTH;
    for (size_t i = 0; i < matrix->term_count; ++i) {
        const lb_dmig_term *term = &matrix->terms[i];
        const lb_bulk_row *row = lb_find_nastran_row(data, term->row_id, term->row_component);
        const lb_bulk_row *column =
            lb_find_nastran_row(data, term->column_id, term->column_component);
        if (!row || !column) {
            return lb_import_fail(data->import, matrix->file, term->line,
                                  "matrix %s has component %d of point %d, which is not among the "
                                  "rows of the structure",
                                  matrix->name, row ? term->column_component : term->row_component,
                                  row ? term->column_id : term->row_id);
        }
        const bool is_swapped = entries->part == LB_FE_HALF && row->index > column->index;
        if (!lb_add_fe_entry(entries, is_swapped ? column->index : row->index,
                             is_swapped ? row->index : column->index, term->re)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status add_entries(lb_nastran *data, const lb_nastran_matrix *matrix,
                             const lb_structure *structure, lb_fe_entries *entries)
{
    entries->file = matrix->file;
    if (matrix->is_dmig) {
        return add_dmig_entries(data, matrix, entries);
    }
    if (matrix->rows != structure->row_count) {
        return lb_import_fail(
            data->import, matrix->file, matrix->line,
            "matrix %s has %d rows, but the structure has %d: these files do not belong together",
            matrix->name, matrix->rows, structure->row_count);
    }
    return add_op4_entries(matrix, entries);
}

// Viscous damping, if there is any; and a word on structural damping.
static lb_status add_damping(lb_nastran *data, const char *label, lb_structure *structure)
{
    const struct {
        const char *letter, *label, *end;
    } names[] = {{"B", label, ""}, {"B", label, "1"}, {"B", "XX", ""}, {"B", "XX", "1"}};
    const lb_nastran_matrix *B = NULL, *twice = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !B; ++i) {
        twice = NULL;
        B = find_matrix(data, names[i].letter, names[i].label, names[i].end, &twice);
        B = B && has_numbers(B) ? B : NULL;
    }
    const lb_nastran_matrix *K4 = find_matrix(data, "K4", label, "", NULL);
    K4 = K4 ? K4 : find_matrix(data, "K4", label, "1", NULL);
    K4 = K4 ? K4 : find_matrix(data, "K4", "XX", "", NULL);
    if (K4 && has_numbers(K4)) {
        lb_import_warn(
            data->import, K4->file, K4->line,
            "structural damping (matrix %s) is left out: give damping ratios of the modes",
            K4->name);
    }
    if (!B) {
        return LB_OK;
    }
    const lb_status status = twice ? refuse_twice(data, B, twice) : check_matrix(data, B);
    return status ? status : add_entries(data, B, structure, &structure->C);
}

static lb_status fill_structure(lb_nastran *data, lb_structure *structure)
{
    matrix_pair pair = {NULL, NULL};
    lb_status status = choose_pair(data, &pair);
    status = status ? status : check_pair(data, pair);
    if (status) {
        return status;
    }
    if (data->grid_count == 0) {
        return lb_import_fail(data->import, pair.K->file, 0,
                              "the files have matrices, but no GRID entries: give the .asm or .pch "
                              "file that Nastran wrote with them, or the bulk data of the model");
    }
    lb_merge_bulk_ranges(&data->scalar_points);
    status = lb_place_nastran_grids(data, structure);
    status = status ? status : lb_find_nastran_rows(data, pair.K, pair.M, structure);
    status = status ? status : add_entries(data, pair.K, structure, &structure->K);
    status = status ? status : add_entries(data, pair.M, structure, &structure->M);
    status = status ? status : add_damping(data, pair.K->name + 1, structure);
    status = status ? status : lb_drop_empty_rows(data, structure);
    status = status ? status : lb_add_nastran_recovery(data, structure);
    const char *label = pair.K->name + 1;
    structure->is_reduced =
        structure->is_reduced || strcmp(label, "XX") == 0 || strcmp(label, "AAX") == 0;
    structure->format = structure->is_reduced ? "Nastran superelement"
                        : pair.K->is_dmig     ? "Nastran DMIG matrices"
                                              : "Nastran OUTPUT4 matrices";
    return status;
}

lb_status lb_read_nastran(lb_import *import, lb_structure *structure)
{
    lb_nastran data = {.import = import};
    lb_status status = read_files(&data);
    status = status ? status : fill_structure(&data, structure);
    lb_free_nastran(&data);
    return status;
}
