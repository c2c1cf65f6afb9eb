// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From geometric stiffness for unit loads to the second-order displacement that the loads work on.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "reduction.h"

const char *const lb_inertia_load_names[LB_INERTIA_LOADS] = {
    "alphax", "alphay", "alphaz", "ax", "ay", "az", "wxx", "wyy", "wzz", "wxy", "wxz", "wyz"};

// ---- what follows from modal matrices ----------------------------------------------------------

// What is left of zero by rounding would cost as much as the rest in every evaluation.
static void drop_rounding(size_t count, double *values)
{
    const double least = 1e-13 * lb_find_largest((ptrdiff_t)count, values);
    for (size_t i = 0; i < count; ++i) {
        values[i] = fabs(values[i]) > least ? values[i] : 0.0;
    }
}

// Moments of the second-order displacement                                              (IMP-9)
//
//     G2_x = K_ax,  T2_xx = K_wxx - (K_wxx + K_wyy + K_wzz) / 2,  T2_xy = (K_wxy + K_alphaz) / 2,
//     T2_yx = (K_wxy - K_alphaz) / 2
//
// and so on for the other axes. Loads that are not known count as zero: each of them has its own part.
lb_status lb_set_moments(lb_import *import, int n, double *const K[LB_INERTIA_LOADS],
                         lb_modal_body *body)
{
    double *G2, *T2;
    const size_t all = (size_t)n * (size_t)n;
    unsigned known = 0;
    for (int i = 0; i < LB_INERTIA_LOADS; ++i) {
        known |= K[i] ? 1u << i : 0u;
    }
    if (known == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, G2, 3 * all + 1) || !LB_IMPORT_TAKE(import, T2, 9 * all + 1)) {
        return LB_E_MEMORY;
    }
    // of a pair of axes: its product of the spin, and the third axis, of the angular acceleration
    static const int product[3][3] = {{6, 9, 10}, {9, 7, 11}, {10, 11, 8}};
    for (size_t i = 0; i < all; ++i) {
        double k[LB_INERTIA_LOADS];
        for (int load = 0; load < LB_INERTIA_LOADS; ++load) {
            k[load] = K[load] ? K[load][i] : 0.0;
        }
        const double half = 0.5 * (k[6] + k[7] + k[8]);
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            G2[3 * i + (size_t)a] = k[3 + a];
            T2[9 * i + (size_t)(4 * a)] = k[product[a][a]] - half;
            T2[9 * i + (size_t)(3 * a + b)] = 0.5 * (k[product[a][b]] + k[c]);
            T2[9 * i + (size_t)(3 * b + a)] = 0.5 * (k[product[a][b]] - k[c]);
        }
    }
    drop_rounding(3 * all, G2);
    drop_rounding(9 * all, T2);
    body->integrals.G2 = G2;
    body->integrals.T2 = T2;
    body->known_loads = known;
    return LB_OK;
}

// gamma2_rs,k of a node is minus the geometric stiffness of a unit force along k          (IMP-10)
lb_status lb_make_second_order(lb_import *import, int n, double *const K[3],
                               const lb_second_order **out)
{
    lb_second_order *entries;
    double least = 0.0;
    int count = 0;
    if (!LB_IMPORT_TAKE(import, entries, n * (n + 1) / 2 + 1)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < 3; ++k) {
        least = fmax(least, K[k] ? 1e-13 * lb_find_largest((ptrdiff_t)n * n, K[k]) : 0.0);
    }
    for (int r = 0; r < n; ++r) {
        for (int s = r; s < n; ++s) {
            lb_second_order *entry = &entries[count++];
            *entry = (lb_second_order){.r = r, .s = s};
            for (int k = 0; k < 3; ++k) {
                const double g = K[k] ? -0.5 * (K[k][r * n + s] + K[k][s * n + r]) : 0.0;
                entry->g[k] = fabs(g) > least ? g : 0.0;
            }
        }
    }
    *out = entries;
    return LB_OK;
}

// ---- loads of files ----------------------------------------------------------------------------

// What the load of a file is.
typedef struct named_load {
    int inertia;    // index, or -1: a force
    int node, axis; // of a force
} named_load;

static lb_status find_load(lb_import *import, const lb_structure *structure,
                           const lb_import_file *file, named_load *found)
{
    const char *load = file->load;
    for (int i = 0; i < LB_INERTIA_LOADS; ++i) {
        if (strcmp(load, lb_inertia_load_names[i]) == 0) {
            *found = (named_load){.inertia = i};
            return LB_OK;
        }
    }
    char *end = NULL;
    const bool is_force =
        load[0] == 'f' && load[1] >= 'x' && load[1] <= 'z' && load[2] == '@' && load[3];
    const long id = is_force ? strtol(load + 3, &end, 10) : 0;
    if (!is_force || *end) {
        return lb_import_fail(import, file, 0,
                              "'%.40s' is no load, expected ax ay az, alphax alphay alphaz, wxx "
                              "wyy wzz wxy wxz wyz, or a force at a node such as fx@12",
                              load);
    }
    *found = (named_load){-1, lb_find_grid(import, structure, id), load[1] - 'x'};
    return found->node >= 0
               ? LB_OK
               : lb_import_fail(import, file, 0, "load '%.40s': there is no node %ld", load, id);
}

// Phi' G Phi per unit of the load
static lb_status reduce_matrix(lb_import *import, const lb_reduction *r, const lb_fe_matrix *G,
                               double unit, double *K)
{
    const size_t n = (size_t)r->n, m = (size_t)r->mode_count;
    double *force;
    if (!LB_IMPORT_TAKE(import, force, n)) {
        return LB_E_MEMORY;
    }
    for (size_t s = 0; s < m; ++s) {
        lb_fe_multiply(G, r->Phi + s * n, force);
        for (size_t t = 0; t < m; ++t) {
            K[t * m + s] = lb_compute_dot((ptrdiff_t)n, r->Phi + t * n, force) / unit;
        }
    }
    return LB_OK;
}

// The modal matrix of a file, in the place of its load.
static lb_status reduce_file(lb_import *import, const lb_structure *structure,
                             const lb_import_units *units, const lb_reduction *r,
                             lb_import_file *file, const named_load *load, double **place)
{
    const double per_time = 1.0 / (units->time * units->time);
    const bool is_linear = load->inertia >= 3 && load->inertia < 6;
    const double unit = load->inertia < 0 ? units->mass * units->length * per_time
                        : is_linear       ? units->length * per_time
                                          : per_time;
    const size_t m = (size_t)r->mode_count;
    lb_fe_entries entries = {.count = 0};
    lb_fe_matrix G;
    if (*place) {
        return lb_import_fail(import, file, 0, "a second matrix for the load '%.40s'", file->load);
    }
    if (!LB_IMPORT_TAKE(import, *place, m * m + 1)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_read_single_matrix(import, file, structure->row_count, &entries);
    status = status ? status : lb_assemble_geometric(import, structure, &entries, units, &G);
    status = status ? status : reduce_matrix(import, r, &G, unit, *place);
    free(entries.all);
    return status;
}

lb_status lb_reduce_geometric(lb_import *import, const lb_structure *structure,
                              const lb_import_units *units, lb_reduction *r, lb_modal_body *body)
{
    double *K[LB_INERTIA_LOADS] = {NULL};
    double *(*forces)[3];
    if (import->geometric_count == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, forces, structure->node_count) ||
        !LB_IMPORT_TAKE(import, r->second, structure->node_count)) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    for (int i = 0; i < import->geometric_count && status == LB_OK; ++i) {
        lb_import_file *file = &import->files[import->file_count + i];
        named_load load = {.inertia = -1};
        status = find_load(import, structure, file, &load);
        if (status == LB_OK) {
            double **place = load.inertia >= 0 ? &K[load.inertia] : &forces[load.node][load.axis];
            status = reduce_file(import, structure, units, r, file, &load, place);
        }
    }
    for (int i = 0; i < structure->node_count && status == LB_OK; ++i) {
        if (forces[i][0] || forces[i][1] || forces[i][2]) {
            status = lb_make_second_order(import, r->mode_count, forces[i], &r->second[i]);
        }
    }
    return status ? status : lb_set_moments(import, r->mode_count, K, body);
}
