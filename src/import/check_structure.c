// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What an engineer checks in a structure before it is used: mass three ways, grounding, residuals of the modes,
// flexibility that the modes leave out, frequencies with and without its supports.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "imported.h"

// Structures of more rows than this are not solved again for the report alone.
enum { ROWS_SOLVED_AGAIN = 4000 };

// ---- mass --------------------------------------------------------------------------------------

// Blocks of M that belong to two nodes are multiples of unity, in common axes, for solid elements.
static double find_anisotropy(const lb_structure *structure, const lb_fe_matrix *M)
{
    double largest = 0.0, worst = 0.0;
    for (int j = 0; j < M->n; ++j) {
        const lb_fe_row *c = &structure->rows[j];
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            const lb_fe_row *r = &structure->rows[M->row[k]];
            const double value = fabs(M->value[k]);
            if (r->node == LB_FE_MODAL || c->node == LB_FE_MODAL) {
                continue;
            }
            largest = fmax(largest, value);
            // rotations, or a coupling of two directions in the same axes
            const lb_fe_grid *a = &structure->nodes[r->node], *b = &structure->nodes[c->node];
            const bool same_axes = memcmp(a->axes, b->axes, sizeof a->axes) == 0;
            if (r->direction > 2 || c->direction > 2 ||
                (same_axes && r->direction != c->direction)) {
                worst = fmax(worst, value);
            }
        }
    }
    return largest > 0.0 ? worst / largest : 0.0;
}

// ---- modes -------------------------------------------------------------------------------------

static double find_orthogonality(const lb_reduction *r)
{
    const ptrdiff_t n = r->n;
    double worst = 0.0;
    for (int m = 0; m < r->mode_count; ++m) {
        for (int s = 0; s <= m; ++s) {
            const double product = lb_compute_dot(n, r->Phi + s * n, r->MPhi + m * n);
            worst = fmax(worst, fabs(product - (s == m)));
        }
    }
    return worst;
}

// Factors of the stiffness of the rows that have a number.
static lb_fe_factors *factor_part(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M,
                                  const int *number, int count, lb_status *status)
{
    lb_fe_matrix K_part, M_part;
    if (count == K->n) {
        return lb_fe_factor(K, M, 0.0, status);
    }
    *status = lb_extract_matrix(import, K, number, count, &K_part);
    *status = *status ? *status : lb_extract_matrix(import, M, number, count, &M_part);
    return *status ? NULL : lb_fe_factor(&K_part, &M_part, 0.0, status);
}

// ---- flexibility -------------------------------------------------------------------------------

lb_status lb_form_unit_loads(lb_import *import, lb_reduced *reduced, int kept_count)
{
    const lb_tied *tied = &reduced->tied;
    const lb_basis_options *options = &reduced->options;
    lb_node_loads *unit = &reduced->unit_loads;
    lb_fe_loads *loads = &unit->loads;
    const size_t n = (size_t)tied->K.n;
    const int asked = 6 * kept_count, most = asked < LB_RESIDUALS_MOST ? asked : LB_RESIDUALS_MOST;
    double *load;
    if (!options->is_clamped && reduced->r.free_count > 0 && options->residual_count == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, load, tied->n) ||
        !LB_IMPORT_TAKE(import, loads->columns, (size_t)most * n) ||
        !LB_IMPORT_TAKE(import, loads->compliances, most)) {
        return LB_E_MEMORY;
    }
    for (int place = 0; place < asked && loads->count < most; ++place) {
        double *f = loads->columns + (size_t)loads->count * n;
        if (!lb_set_unit_load(tied, reduced->rows, reduced->kept[place / 6], place % 6, load)) {
            continue;
        }
        lb_gather_ties(tied, load, f);
        bool moves = false;
        for (size_t i = 0; i < n; ++i) {
            const int node = tied->structure.rows[i].node;
            const bool is_held = node != LB_FE_MODAL && options->clamped[node];
            moves = moves || (f[i] != 0.0 && !is_held);
        }
        if (moves) {
            loads->compliances[loads->count] = NAN;
            unit->places[loads->count++] = place;
        }
    }
    return LB_OK;
}

// Displacement under a unit load along it: of the whole structure. A load on what is held becomes smaller.
static lb_status find_compliance(lb_import *import, lb_reduced *reduced, double *f, double *x,
                                 double *compliance)
{
    lb_static *statics = &reduced->basis.statics;
    lb_status status =
        lb_need_static(import, &reduced->tied, &reduced->r_tied, reduced->options.clamped, statics);
    if (status == LB_OK && statics->factors) {
        status = lb_solve_static(statics, f, x);
        *compliance = lb_compute_dot((ptrdiff_t)statics->n, x, f);
    }
    return status;
}

// Displacement of a node under a unit load on it: of the whole structure, and of the modes alone.
static lb_status find_residuals(lb_import *import, lb_reduced *reduced, lb_import_checks *checks)
{
    const lb_tied *tied = &reduced->tied;
    const lb_fe_loads *loads = &reduced->unit_loads.loads;
    double *x;
    if (!LB_IMPORT_TAKE(import, x, tied->K.n)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < loads->count; ++i) {
        const int place = reduced->unit_loads.places[i], node = reduced->kept[place / 6];
        double *f = loads->columns + (size_t)i * (size_t)tied->K.n, whole = loads->compliances[i];
        const lb_status status =
            isnan(whole) ? find_compliance(import, reduced, f, x, &whole) : LB_OK;
        if (status != LB_OK) {
            return status;
        }
        if (isnan(whole)) {
            return LB_OK; // the stiffness carries no loads
        }
        if (!(whole > 0.0)) {
            continue;
        }
        struct lb_residual *found = &checks->residuals[checks->residual_count++];
        const bool is_tied = node >= reduced->structure->node_count;
        found->node = tied->structure.nodes[node].id;
        found->name = is_tied ? reduced->names[place / 6] : NULL;
        found->direction = place % 6;
        found->whole = whole;
        const lb_reduction *r = &reduced->r_tied;
        for (int m = 0; m < r->mode_count; ++m) {
            const double share = lb_compute_dot(r->n, r->Phi + (size_t)m * (size_t)r->n, f);
            found->modes += share * share / r->squares[m];
        }
    }
    return LB_OK;
}

// ---- coordinates -------------------------------------------------------------------------------

static int find_full_node(const lb_structure *structure, const int *rows, int kept_count,
                          const int *kept)
{
    for (int i = 0; i < kept_count && kept[i] < structure->node_count; ++i) {
        const int *r = rows + 6 * kept[i];
        if (r[0] >= 0 && r[1] >= 0 && r[2] >= 0 && r[3] >= 0 && r[4] >= 0 && r[5] >= 0) {
            return kept[i];
        }
    }
    return -1;
}

// Turns a node about axis k of the model and lets the stiffness carry the others along: each moves by e_k x d,
// where d is its distance. Compares that with its coordinates.
static lb_status turn_about(const lb_structure *structure, const lb_fe_matrix *K, const int *rows,
                            int node, int k, lb_fe_factors *factors, const int *number, double *x,
                            double *y, double *worst)
{
    const lb_fe_grid *pivot = &structure->nodes[node];
    memset(x, 0, (size_t)K->n * sizeof *x);
    for (int d = 0; d < 3; ++d) {
        x[rows[6 * node + 3 + d]] = pivot->axes[k][d];
    }
    lb_fe_multiply(K, x, y);
    for (int i = 0; i < K->n; ++i) {
        if (number[i] >= 0) {
            x[number[i]] = -y[i]; // never behind i: numbers leave rows out
        }
    }
    const lb_status status = lb_fe_solve(factors, x, 1);
    for (int i = 0; status == LB_OK && i < structure->node_count; ++i) {
        const lb_fe_grid *grid = &structure->nodes[i];
        for (int d = 0; d < 3; ++d) {
            const int row = rows[6 * i + d];
            if (row < 0 || number[row] < 0) {
                continue;
            }
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double expected = grid->axes[b][d] * (grid->x[a] - pivot->x[a]) -
                                    grid->axes[a][d] * (grid->x[b] - pivot->x[b]);
            *worst = fmax(*worst, fabs(x[number[row]] - expected));
        }
    }
    return status;
}

// Distances that the stiffness knows, against the coordinates of the nodes.
static lb_status find_coordinates(lb_import *import, const lb_reduced *reduced, int kept_count,
                                  lb_import_checks *checks)
{
    const lb_structure *structure = reduced->structure;
    const lb_fe_matrix *K = &reduced->K, *M = &reduced->M;
    const size_t n = (size_t)K->n;
    const int *rows = reduced->rows;
    int *number, free_count = 0;
    double *x, *y, worst = 0.0;
    if (!LB_IMPORT_TAKE(import, number, n) || !LB_IMPORT_TAKE(import, x, n) ||
        !LB_IMPORT_TAKE(import, y, n)) {
        return LB_E_MEMORY;
    }
    const int node = find_full_node(structure, rows, kept_count, reduced->kept);
    const double size = fmax(checks->box[0], fmax(checks->box[1], checks->box[2]));
    if (node < 0 || !(size > 0.0)) {
        return LB_OK;
    }
    for (size_t i = 0; i < n; ++i) {
        number[i] = structure->rows[i].node == node ? -1 : free_count++;
    }
    lb_status status;
    lb_fe_factors *factors = factor_part(import, K, M, number, free_count, &status);
    if (!factors) {
        return status == LB_E_MEMORY ? status : LB_OK; // not to be had
    }
    for (int k = 0; k < 3 && status == LB_OK; ++k) {
        status = turn_about(structure, K, rows, node, k, factors, number, x, y, &worst);
    }
    lb_fe_free_factors(factors);
    checks->coordinates = status == LB_OK ? worst / size : (double)NAN;
    return status == LB_E_MEMORY ? status : LB_OK;
}

// The lowest frequencies without clamps.
static lb_status find_others(lb_import *import, const lb_reduced *reduced, lb_import_checks *checks)
{
    const lb_reduce_options options = {.mode_count = (int)(sizeof checks->others / sizeof(double))};
    const lb_tied *tied = &reduced->tied;
    lb_reduction other = {.n = tied->K.n, .free_count = reduced->r_tied.free_count};
    const lb_status status =
        lb_find_structure_modes(import, &tied->structure, &options, &tied->K, &tied->M, &other);
    for (int i = 0; status == LB_OK && i < other.mode_count; ++i) {
        checks->others[checks->other_count++] = sqrt(fmax(other.squares[i], 0.0)) / LB_TWO_PI;
    }
    return status == LB_E_MEMORY ? status : LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

lb_status lb_check_structure(lb_import *import, lb_reduced *reduced, int kept_count,
                             lb_import_checks *checks)
{
    const lb_structure *structure = reduced->structure;
    const lb_reduction *r = &reduced->r;
    const lb_basis *basis = &reduced->basis;
    const size_t n = (size_t)r->n;
    checks->has_structure = true;
    checks->row_count = r->n;
    checks->possible_count = reduced->r_tied.possible_count;
    checks->node_count = structure->node_count;
    checks->grounding = r->grounding;
    checks->free_count = r->free_count;
    checks->normal_count = basis->normal_count;
    checks->constraint_count = basis->constraint_count;
    checks->residual_modes = basis->residual_count;
    checks->dropped_count = basis->dropped_count;
    checks->rigid_count = basis->rigid_count;
    for (size_t i = 0; i < n; ++i) {
        checks->modal_count += structure->rows[i].node == LB_FE_MODAL;
    }
    for (int k = 0; k < 3; ++k) {
        checks->masses[k] =
            lb_compute_dot((ptrdiff_t)n, r->R + (size_t)k * n, r->MR + (size_t)k * n);
    }
    checks->anisotropy = structure->is_reduced ? NAN : find_anisotropy(structure, &reduced->M);
    lb_find_box(structure, checks->box);
    checks->residual = basis->residual;
    checks->orthogonality = find_orthogonality(r);
    const bool is_clamped = reduced->options.is_clamped;
    lb_status status = find_residuals(import, reduced, checks);
    checks->coordinates = NAN;
    if (status == LB_OK && r->free_count == 6 && r->n <= ROWS_SOLVED_AGAIN) {
        status = find_coordinates(import, reduced, kept_count, checks);
    }
    status = status == LB_OK ? lb_find_wrong_grids(import, reduced, checks) : status;
    if (status == LB_OK && is_clamped && r->n <= ROWS_SOLVED_AGAIN) {
        status = find_others(import, reduced, checks);
    }
    return status;
}
