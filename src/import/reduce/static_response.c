// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of recovery by mode, and their static response to loads                          (RCV-5)
//
//     A_m = A Phi,   W = A G B
//
// given     A    rows over the coordinates of the structure
//           B    loads: of inertia, -M R and -(e_k x p_l + e_l x p_k) with p = M R_w at translations, and of unit moments
//                and forces at kept nodes
//           G    static deflections of lb_solve_static: K^-1 with clamped rows held; for a free structure, its inertia
//                balances the loads, and rigid motions are taken out
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/names.h"
#include "import/imported.h"

enum { FORCED_MOST = 100 };

// Translations in the unit of length of the files.
static void convert(const lb_structure *structure, const lb_import_units *units, const double *from,
                    double *to)
{
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        const bool shifts = row->node != LB_FE_MODAL && row->direction < 3;
        to[i] = from[i] / (shifts ? units->length : 1.0);
    }
}

// Column `column` of a matrix with `width` columns: what the rows make of displacements.
static void recover(const lb_fe_recovery *whole, int n, const double *u, size_t width,
                    size_t column, double *out)
{
    for (size_t row = 0; whole->A && row < (size_t)whole->rows; ++row) {
        out[row * width + column] = lb_compute_dot((ptrdiff_t)n, whole->A + row * (size_t)n, u);
    }
    for (int i = 0; i < whole->entry_count; ++i) {
        const lb_fe_entry *entry = &whole->entries[i];
        out[(size_t)entry->row * width + column] += entry->value * u[entry->column];
    }
}

// Every row of the body has a name of its own: that of the file, or the name of its matrix and its number.
static lb_status name_rows(lb_import *import, lb_names *names, const lb_fe_recovery *whole,
                           const char *const **what)
{
    const char **own;
    if (!LB_IMPORT_TAKE(import, own, whole->rows + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < whole->rows; ++i) {
        char text[96];
        own[i] = whole->what ? whole->what[i] : NULL;
        if (!own[i] || !*own[i] || lb_names_find(names, own[i]) >= 0) {
            snprintf(text, sizeof text, "%.64s %d", whole->name, i + 1);
            own[i] = lb_arena_text(&import->arena, text);
        }
        if (!own[i] || lb_names_add(names, &import->arena, own[i], i) != LB_OK) {
            return LB_E_MEMORY;
        }
    }
    *what = own;
    return LB_OK;
}

lb_status lb_reduce_recovery(lb_import *import, const lb_structure *structure,
                             const lb_import_units *units, const lb_reduction *r,
                             lb_modal_body *body)
{
    const size_t n = (size_t)r->n, m = (size_t)r->mode_count;
    lb_fe_recovery *reduced;
    double *phi;
    lb_names names = {NULL, 0, 0};
    if (!LB_IMPORT_TAKE(import, reduced, structure->recovery_count) ||
        !LB_IMPORT_TAKE(import, phi, n)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < structure->recovery_count; ++i) {
        const lb_fe_recovery *whole = &structure->recovery[i];
        double *A;
        if (!LB_IMPORT_TAKE(import, A, (size_t)whole->rows * m)) {
            return LB_E_MEMORY;
        }
        for (size_t s = 0; s < m; ++s) {
            convert(structure, units, r->Phi + s * n, phi);
            recover(whole, r->n, phi, m, s, A);
        }
        reduced[i] = (lb_fe_recovery){.name = whole->name, .rows = whole->rows, .A = A};
        const lb_status status = name_rows(import, &names, whole, &reduced[i].what);
        if (status != LB_OK) {
            return status;
        }
    }
    body->recovery = reduced;
    body->recovery_count = structure->recovery_count;
    return LB_OK;
}

// ---- loads -------------------------------------------------------------------------------------

// Inertia by the product of spins about k and l.
static void load_by_spin(const lb_structure *structure, const int *rows, const lb_reduction *r,
                         int k, int l, double *f)
{
    const size_t n = (size_t)r->n;
    for (int node = 0; node < structure->node_count; ++node) {
        const lb_fe_grid *grid = &structure->nodes[node];
        double p[3] = {0, 0, 0}; // momentum at a spin about l, in the axes of the model
        for (int d = 0; d < 3; ++d) {
            const int row = rows[6 * node + d];
            for (int c = 0; row >= 0 && c < 3; ++c) {
                p[c] += grid->axes[c][d] * r->MR[(size_t)(3 + l) * n + (size_t)row];
            }
        }
        const int i = (k + 1) % 3, j = (k + 2) % 3; // e_k x p has -p_j at i, p_i at j
        for (int d = 0; d < 3; ++d) {
            const int row = rows[6 * node + d];
            if (row >= 0) {
                f[row] += grid->axes[i][d] * p[j] - grid->axes[j][d] * p[i];
            }
        }
    }
}

// Load of inertia number `column`.
static void form_load(const lb_structure *structure, const int *rows, const lb_reduction *r,
                      int column, double *f)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const size_t n = (size_t)r->n;
    memset(f, 0, n * sizeof *f);
    if (column < 6) {
        lb_add_scaled((ptrdiff_t)n, -1.0, r->MR + (size_t)((column + 3) % 6) * n, f);
        return;
    }
    const int k = pairs[column - 6][0], l = pairs[column - 6][1];
    // M of a structure that was reduced is not that of its nodes alone
    if (!structure->is_reduced) {
        load_by_spin(structure, rows, r, k, l, f);
    }
    if (!structure->is_reduced && k != l) {
        load_by_spin(structure, rows, r, l, k, f);
    }
}

// A unit force (0 to 2) or moment (3 to 5) on a node, along an axis of the model. Zero where the node has no such
// degree of freedom.
static void set_unit_load(const lb_reduced *reduced, int node, int direction, double *f)
{
    const lb_structure *structure = reduced->structure;
    if (node >= structure->node_count) {
        lb_set_unit_load(&reduced->tied, reduced->rows, node, direction, f);
        return;
    }
    memset(f, 0, (size_t)reduced->r.n * sizeof *f);
    for (int d = 0; d < 3; ++d) {
        const int row = reduced->rows[6 * node + (direction < 3 ? 0 : 3) + d];
        if (row >= 0) {
            f[row] = structure->nodes[node].axes[direction % 3][d];
        }
    }
}

// ---- the response ------------------------------------------------------------------------------

// Displacements of all rows under load number `column`.
static lb_status respond(lb_reduced *reduced, int column, double *f, double *g, double *z,
                         double *u)
{
    const lb_structure *structure = reduced->structure;
    if (column < LB_INERTIA_LOADS) {
        form_load(structure, reduced->rows, &reduced->r, column, f);
    } else {
        const int c = (column - LB_INERTIA_LOADS) % 6;
        set_unit_load(reduced, reduced->kept[(column - LB_INERTIA_LOADS) / 6], (c + 3) % 6, f);
    }
    lb_gather_ties(&reduced->tied, f, g);
    const lb_status status = lb_solve_static(&reduced->basis.statics, g, z);
    lb_expand_ties(&reduced->tied, z, u);
    return status;
}

lb_status lb_find_static_response(lb_import *import, lb_reduced *reduced,
                                  const lb_import_units *units, int kept_count, lb_modal_body *body)
{
    const lb_structure *structure = reduced->structure;
    const size_t n = (size_t)reduced->r.n, n_tied = (size_t)reduced->tied.K.n;
    double *f, *g, *z, *u, **responses;
    if (structure->recovery_count == 0) {
        return LB_OK;
    }
    lb_static *statics = &reduced->basis.statics;
    lb_status status =
        lb_need_static(import, &reduced->tied, &reduced->r_tied, reduced->options.clamped, statics);
    if (status == LB_OK && !statics->factors) {
        lb_import_warn(import, structure->K.file, 0,
                       "the stiffness matrix cannot carry loads: recovered quantities have no "
                       "static correction");
    }
    if (status != LB_OK || !statics->factors) {
        return status;
    }
    const int forced = kept_count <= FORCED_MOST ? kept_count : 0;
    const int width = LB_INERTIA_LOADS + 6 * forced;
    if (forced < kept_count) {
        lb_import_warn(import, NULL, 0,
                       "%d nodes have names: the static correction of recovered quantities leaves "
                       "out forces at nodes; name up to %d (`nodes`, --nodes of the command)",
                       kept_count, (int)FORCED_MOST);
    }
    if (!LB_IMPORT_TAKE(import, f, n) || !LB_IMPORT_TAKE(import, u, n) ||
        !LB_IMPORT_TAKE(import, g, n_tied) || !LB_IMPORT_TAKE(import, z, n_tied) ||
        !LB_IMPORT_TAKE(import, responses, structure->recovery_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < structure->recovery_count; ++i) {
        const size_t count = (size_t)structure->recovery[i].rows * (size_t)width;
        if (!LB_IMPORT_TAKE(import, responses[i], count)) {
            return LB_E_MEMORY;
        }
    }
    for (int column = 0; column < width && status == LB_OK; ++column) {
        status = lb_import_tell(import, "recovery", (double)column / width);
        status = status ? status : respond(reduced, column, f, g, z, u);
        convert(structure, units, u, u);
        for (int i = 0; i < structure->recovery_count; ++i) {
            recover(&structure->recovery[i], (int)n, u, (size_t)width, (size_t)column,
                    responses[i]);
        }
    }
    for (int i = 0; i < structure->recovery_count && status == LB_OK; ++i) {
        body->recovery[i].response = responses[i];
        body->recovery[i].forced = forced;
    }
    return status;
}
