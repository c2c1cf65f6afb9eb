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

static lb_status check_modes(lb_import *import, const lb_fe_matrix *K, const lb_reduction *r,
                             const int *held, lb_import_checks *checks)
{
    const size_t n = (size_t)r->n;
    double *Kx;
    if (!LB_IMPORT_TAKE(import, Kx, n)) {
        return LB_E_MEMORY;
    }
    for (int m = 0; m < r->mode_count; ++m) {
        const double *phi = r->Phi + (size_t)m * n, *Mphi = r->MPhi + (size_t)m * n;
        double difference = 0.0, size = 0.0;
        lb_fe_multiply(K, phi, Kx);
        for (size_t i = 0; i < n; ++i) {
            if (held[i]) {
                continue; // reactions
            }
            const double inertia = r->squares[m] * Mphi[i];
            difference += (Kx[i] - inertia) * (Kx[i] - inertia);
            size += inertia * inertia;
        }
        checks->residual = fmax(checks->residual, sqrt(difference / size));
        for (int s = 0; s <= m; ++s) {
            const double product = lb_compute_dot((ptrdiff_t)n, r->Phi + (size_t)s * n, Mphi);
            checks->orthogonality = fmax(checks->orthogonality, fabs(product - (s == m)));
        }
    }
    return LB_OK;
}

// Factors of the stiffness of the rows that have a number.
static lb_fe_factors *factor_part(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M,
                                  const int *number, int count, lb_status *status)
{
    lb_fe_matrix K_part, M_part;
    *status = lb_extract_matrix(import, K, number, count, &K_part);
    *status = *status ? *status : lb_extract_matrix(import, M, number, count, &M_part);
    return *status ? NULL : lb_fe_factor(&K_part, &M_part, 0.0, status);
}

// ---- flexibility -------------------------------------------------------------------------------

// Displacement of a row under a unit force on it: of the whole structure, and of the modes alone.
static lb_status find_residuals(lb_import *import, const lb_structure *structure,
                                const lb_fe_matrix *K, const lb_fe_matrix *M, const lb_reduction *r,
                                const int *held, int kept_count, const int *kept,
                                lb_import_checks *checks)
{
    const size_t n = (size_t)r->n;
    int *number, free_count = 0;
    if (!LB_IMPORT_TAKE(import, number, n)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        number[i] = held[i] ? -1 : free_count++;
    }
    lb_status status;
    lb_fe_factors *factors = factor_part(import, K, M, number, free_count, &status);
    if (!factors) {
        return status == LB_E_MEMORY ? status : LB_OK; // not to be had
    }
    int *rows = lb_index_rows(import, structure);
    double *x;
    if (!rows || !LB_IMPORT_TAKE(import, x, free_count)) {
        status = LB_E_MEMORY;
    }
    for (int i = 0; status == LB_OK && i < 6 * kept_count; ++i) {
        const int row = rows[6 * kept[i / 6] + i % 6];
        if (row < 0 || held[row] || checks->residual_count == LB_RESIDUALS_MOST) {
            continue;
        }
        memset(x, 0, (size_t)free_count * sizeof *x);
        x[number[row]] = 1.0;
        status = lb_fe_solve(factors, x, 1);
        struct lb_residual *found = &checks->residuals[checks->residual_count++];
        found->node = structure->nodes[kept[i / 6]].id;
        found->direction = i % 6;
        found->whole = x[number[row]];
        for (int m = 0; m < r->mode_count; ++m) {
            const double phi = r->Phi[(size_t)m * n + (size_t)row];
            found->modes += phi * phi / r->squares[m];
        }
    }
    lb_fe_free_factors(factors);
    return status;
}

// ---- coordinates -------------------------------------------------------------------------------

static int find_full_node(const int *rows, int kept_count, const int *kept)
{
    for (int i = 0; i < kept_count; ++i) {
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
static lb_status find_coordinates(lb_import *import, const lb_structure *structure,
                                  const lb_fe_matrix *K, const lb_fe_matrix *M, int kept_count,
                                  const int *kept, lb_import_checks *checks)
{
    const size_t n = (size_t)K->n;
    int *rows = lb_index_rows(import, structure), *number, free_count = 0;
    double *x, *y, worst = 0.0;
    if (!rows || !LB_IMPORT_TAKE(import, number, n) || !LB_IMPORT_TAKE(import, x, n) ||
        !LB_IMPORT_TAKE(import, y, n)) {
        return LB_E_MEMORY;
    }
    const int node = find_full_node(rows, kept_count, kept);
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
static lb_status find_others(lb_import *import, const lb_structure *structure,
                             const lb_fe_matrix *K, const lb_fe_matrix *M, const lb_reduction *r,
                             lb_import_checks *checks)
{
    const lb_reduce_options options = {.mode_count = (int)(sizeof checks->others / sizeof(double))};
    lb_reduction other = {.n = r->n, .free_count = r->free_count};
    const lb_status status = lb_find_structure_modes(import, structure, &options, K, M, &other);
    for (int i = 0; status == LB_OK && i < other.mode_count; ++i) {
        checks->others[checks->other_count++] = sqrt(fmax(other.squares[i], 0.0)) / LB_TWO_PI;
    }
    return status == LB_E_MEMORY ? status : LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static void find_box(const lb_structure *structure, double box[3])
{
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < structure->node_count; ++i) {
            low = fmin(low, structure->nodes[i].x[k]);
            high = fmax(high, structure->nodes[i].x[k]);
        }
        box[k] = high - low;
    }
}

lb_status lb_check_structure(lb_import *import, const lb_structure *structure,
                             const lb_import_options *options, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, const lb_reduction *r, int kept_count,
                             const int *kept, lb_import_checks *checks)
{
    const size_t n = (size_t)r->n;
    int *held;
    if (!LB_IMPORT_TAKE(import, held, n)) {
        return LB_E_MEMORY;
    }
    checks->has_structure = true;
    checks->row_count = r->n;
    checks->possible_count = r->possible_count;
    checks->node_count = structure->node_count;
    checks->grounding = r->grounding;
    checks->free_count = r->free_count;
    for (size_t i = 0; i < n; ++i) {
        const int node = structure->rows[i].node;
        checks->modal_count += node == LB_FE_MODAL;
        for (int c = 0; c < options->clamp_count && node != LB_FE_MODAL; ++c) {
            held[i] |= structure->nodes[node].id == options->clamp[c];
        }
    }
    for (int k = 0; k < 3; ++k) {
        checks->masses[k] =
            lb_compute_dot((ptrdiff_t)n, r->R + (size_t)k * n, r->MR + (size_t)k * n);
    }
    checks->anisotropy = structure->is_reduced ? NAN : find_anisotropy(structure, M);
    find_box(structure, checks->box);
    lb_status status = check_modes(import, K, r, held, checks);
    const bool is_supported = options->clamp_count > 0 || r->free_count == 0;
    if (status == LB_OK && is_supported) {
        status = find_residuals(import, structure, K, M, r, held, kept_count, kept, checks);
    }
    checks->coordinates = NAN;
    if (status == LB_OK && r->free_count == 6 && r->n <= ROWS_SOLVED_AGAIN) {
        status = find_coordinates(import, structure, K, M, kept_count, kept, checks);
    }
    if (status == LB_OK && options->clamp_count > 0 && r->n <= ROWS_SOLVED_AGAIN) {
        status = find_others(import, structure, K, M, r, checks);
    }
    return status;
}
