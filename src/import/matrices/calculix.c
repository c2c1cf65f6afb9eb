// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// CalculiX: what a step *FREQUENCY, SOLVER=MATRIXSTORAGE writes, and the input file.
//
//   job.sti, job.mas   stiffness and mass: `row column value`, from 1, the upper triangle by columns; no header;
//                      both have the same places, so most entries of the mass are written zeros
//   job.dof            one line per row: `node.direction`
//   job.inp            coordinates; *RIGID BODY, whose rotations are called displacements of its ROT NODE
//
// Directions that are held (*BOUNDARY) or depend on others (*EQUATION, *RIGID BODY) have no row. Axes are those
// of the model unless GLOBAL=NO. Shells and beams become solids with nodes of their own, which job.dof
// calls by the number of the node they came from: several rows of one name. Cyclic symmetry has each row
// twice. From matrixstorage.c of CalculiX 2.20 and its output.
#include <limits.h>
#include <stdlib.h>

#include "matrices.h"

static const char hint_make[] = "CalculiX writes job.sti, job.mas and job.dof in a step with "
                                "*FREQUENCY, SOLVER=MATRIXSTORAGE; give these three and job.inp";

bool lb_is_calculix(const lb_import_file *file)
{
    lb_lines lines;
    if (!lb_find_first_line(file, &lines)) {
        return false;
    }
    // ten lines are enough to tell it from a column of numbers
    int count = 0;
    do {
        lb_span rest = lines.line, field;
        lb_row_label label;
        if (!lb_next_field(&rest, NULL, &field)) {
            continue;
        }
        if (!lb_get_dotted_label(field, &label) || lb_next_field(&rest, NULL, &field)) {
            return false;
        }
    } while (++count < 10 && lb_next_line(&lines));
    return true;
}

static int compare_rotation(const void *key, const void *element)
{
    const long node = *(const long *)key;
    const lb_deck_rigid *body = element;
    return (node > body->rotation) - (node < body->rotation);
}

static lb_status read_dof(lb_import *import, lb_import_file *file, const lb_deck *deck,
                          lb_row_labels *labels)
{
    lb_lines lines = lb_start_lines(file);
    file->is_used = true;
    labels->file = file;
    while (lb_next_line(&lines)) {
        lb_span rest = lines.line, field, more;
        lb_row_label label;
        if (!lb_next_field(&rest, NULL, &field)) {
            continue;
        }
        if (!lb_get_dotted_label(field, &label) || lb_next_field(&rest, NULL, &more)) {
            return lb_import_fail(
                import, file, lines.number,
                "expected 'node.direction' with a direction from 1 to 6, found '%s'",
                lb_make_excerpt(lines.line).text);
        }
        const lb_deck_rigid *body =
            deck->rigid_count ? bsearch(&label.node, deck->rigid, (size_t)deck->rigid_count,
                                        sizeof *deck->rigid, compare_rotation)
                              : NULL;
        if (body && label.direction > 2) {
            return lb_import_fail(import, file, lines.number,
                                  "ROT NODE %ld has direction %d; it must have 1 to 3", label.node,
                                  label.direction + 1);
        }
        if (!lb_add_row_label(import, labels, body ? body->reference : label.node,
                              label.direction + (body ? 3 : 0), lines.number)) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

static lb_status check_deck(lb_import *import, const lb_import_file *dof, const lb_deck *deck)
{
    if (!deck->file) {
        return lb_import_fail(
            import, dof, 0,
            "the input file (.inp) is missing: the coordinates of the nodes are only there");
    }
    if (deck->cyclic.file) {
        return lb_import_fail(
            import, deck->cyclic.file, deck->cyclic.line,
            "matrices of cyclic symmetry describe a sector, not the structure: model all of it");
    }
    if (deck->local.file && deck->transform.file) {
        return lb_import_fail(
            import, deck->local.file, deck->local.line,
            "GLOBAL=NO writes the matrices in the axes of *TRANSFORM: leave GLOBAL=NO away");
    }
    if (deck->boundary.file) {
        lb_import_warn(import, deck->boundary.file, deck->boundary.line,
                       "*BOUNDARY: what it holds has no rows in the matrices, and its mass is "
                       "missing; without *BOUNDARY the structure is free and whole");
    }
    return LB_OK;
}

// CalculiX writes the same places to both files.
static lb_status check_matrices(lb_import *import, const lb_fe_matrices *matrices, int row_count)
{
    const lb_file_matrix *a = &matrices->all[0], *b = &matrices->all[1];
    for (int i = 0; i < 2; ++i) {
        const lb_file_matrix *matrix = &matrices->all[i];
        if (matrix->size == 2 * row_count) {
            return lb_import_fail(import, matrix->file, 0,
                                  "%d rows, twice those of the .dof file, as cyclic symmetry has: "
                                  "model all of the structure",
                                  matrix->size);
        }
        if (matrix->size != row_count) {
            return lb_import_fail(
                import, matrix->file, 0,
                "%d rows, but the .dof file has %d: one of them is truncated, or of another job",
                matrix->size, row_count);
        }
    }
    if (a->line_count != b->line_count) {
        const bool is_first = a->line_count < b->line_count;
        return lb_import_fail(import, is_first ? a->file : b->file, 0,
                              "%zu entries, but '%s' has %zu: CalculiX writes as many to both, so "
                              "this file is truncated, or of another job",
                              is_first ? a->line_count : b->line_count,
                              is_first ? b->file->path : a->file->path,
                              is_first ? b->line_count : a->line_count);
    }
    return LB_OK;
}

lb_status lb_read_calculix(lb_import *import, lb_structure *structure)
{
    lb_fe_matrices matrices = {.count = 0};
    lb_import_file *dof = NULL;
    structure->format = "CalculiX matrices";
    for (int i = 0; i < import->file_count; ++i) {
        lb_import_file *file = &import->files[i];
        if (lb_is_calculix(file)) {
            if (dof) {
                return lb_import_fail(import, file, 0, "a second .dof file: give those of one job");
            }
            dof = file;
        } else if (lb_is_triplets(file)) {
            if (matrices.count == 2) {
                return lb_import_fail(import, file, 0,
                                      "a third matrix: give those of one job, .sti and .mas");
            }
            matrices.all[matrices.count++] = (lb_file_matrix){.file = file};
        }
    }
    if (!dof || matrices.count < 2) {
        return lb_import_fail(import, dof ? dof : import->files, 0, "%s missing: %s",
                              !dof                  ? "the .dof file is"
                              : matrices.count == 1 ? "one of .sti and .mas is"
                                                    : "the .sti and .mas files are",
                              hint_make);
    }
    lb_deck deck;
    lb_row_labels labels = {.count = 0};
    lb_status status = lb_read_decks(import, structure, &deck);
    status = status ? status : check_deck(import, dof, &deck);
    status = status ? status : read_dof(import, dof, &deck, &labels);
    if (!status) {
        status = lb_set_rows(
            import, structure, &labels,
            "shells and beams are solids with more nodes inside CalculiX; use solids (C3D8, C3D20)",
            "give the input file that has it; a *RIGID BODY needs both REF NODE and ROT NODE");
    }
    for (int i = 0; i < 2 && !status; ++i) {
        const int limit = labels.count > INT_MAX / 2 ? INT_MAX : 2 * labels.count;
        status =
            lb_read_triplets(import, lb_start_lines(matrices.all[i].file), limit, &matrices.all[i]);
        status = status ? status : lb_check_last_line(import, matrices.all[i].file);
        lb_set_part(&matrices.all[i]);
    }
    status = status ? status : check_matrices(import, &matrices, structure->row_count);
    status = status ? status : lb_assign_matrices(import, structure, &matrices);
    lb_free_matrices(&matrices);
    return status;
}
