// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recovered quantities of a body file, for a body that has some of its modes                (RCV-6)
//
//     R = W - sum_r A_r L_r / k_r
//
// given     W    static response of the whole structure to unit loads
//           A_r  the quantity per modal coordinate, for the modes that the body has
//           L_r  force of a unit load on mode r: -B0_r and -E_r by acceleration, S_r by products of the spin, and the
//                shapes of nodes; k_r its stiffness
// computes  R    what the modes that are left out would carry
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "flex_file_intake.h"

// Where the rows are, and what a body takes of them.
typedef struct rows {
    lb_hdf5_array names, modes, response, checks;
    int count, width; // of the file; width 0: no static response
    int used;
    int *which; // by used row
    const char **what;
} rows;

static lb_status find_rows(lb_flex_intake *in, rows *all)
{
    const int64_t any[3] = {-1, -1, -1};
    lb_status status =
        lb_find_flex_array(in, "recovery_names", LB_HDF5_TEXT, 1, any, true, &all->names);
    if (status != LB_OK || !all->names.found) {
        return status;
    }
    const int64_t count = (int64_t)all->names.dims[0], modes[3] = {count, in->n, -1},
                  response[3] = {count, -1, -1};
    status = lb_find_flex_array(in, "recovery_modes", LB_HDF5_DOUBLE, 2, modes, false, &all->modes);
    status = status ? status
                    : lb_find_flex_array(in, "recovery_static", LB_HDF5_DOUBLE, 2, response, true,
                                         &all->response);
    status = status ? status
                    : lb_find_flex_array(in, "recovery_checks", LB_HDF5_INTEGER, 1, response, false,
                                         &all->checks);
    if (status != LB_OK) {
        return status;
    }
    const uint64_t width = all->response.found ? all->response.dims[1] : LB_INERTIA_LOADS;
    if (count > INT32_MAX / 2 || all->names.item_size > 4096 || all->modes.item_size != 8 ||
        all->checks.item_size != 8 || (all->response.found && all->response.item_size != 8) ||
        width < LB_INERTIA_LOADS || (width - LB_INERTIA_LOADS) % 6 != 0 ||
        (width - LB_INERTIA_LOADS) / 6 > in->node_count) {
        return lb_fail_flex_file(in, "recovered quantities have another shape than expected");
    }
    all->count = (int)count;
    all->width = all->response.found ? (int)width : 0;
    return LB_OK;
}

static lb_status fail_unknown(lb_flex_intake *in, const char *name)
{
    return lb_fe_fail(in->context, "recovery", "%s has no quantity named \"%s\"", in->path, name);
}

// The rows that are asked for, in the order of the request, or else all.
static lb_status choose_rows(lb_flex_intake *in, const lb_flex_recovery_request *ask, rows *all)
{
    lb_names index = {NULL, 0, 0};
    const char **names;
    const int most = ask->names ? ask->name_count : all->count;
    if (!LB_FE_TAKE(in->context, names, all->count + 1) ||
        !LB_FE_TAKE(in->context, all->which, most + 1) ||
        !LB_FE_TAKE(in->context, all->what, most + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < all->count && most > 0; ++i) {
        const lb_status status =
            lb_read_flex_item(in, "recovery_names", &all->names, (uint64_t)i, &names[i]);
        if (status != LB_OK) {
            return status;
        }
        if (lb_names_add(&index, &in->context->arena, names[i], i) != LB_OK) {
            return LB_E_MEMORY;
        }
    }
    for (int i = 0; i < most; ++i) {
        const int row = ask->names ? lb_names_find(&index, ask->names[i]) : i;
        if (row < 0) {
            return fail_unknown(in, ask->names[i]);
        }
        all->which[i] = row;
        all->what[i] = names[row];
    }
    all->used = most;
    return LB_OK;
}

static lb_status check_row(lb_flex_intake *in, const rows *all, int i, const double *modes,
                           const double *response)
{
    int64_t check = 0;
    const lb_status status = lb_read_hdf5_bytes(
        &in->reader, all->checks.at + 8 * (uint64_t)all->which[i], sizeof check, &check);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    lb_turn_hdf5_items(&all->checks, 1, &check);
    // made from bytes: another order of them has another check
    if (all->modes.is_swapped ||
        check == lb_check_recovery_row(all->what[i], modes, (size_t)in->n,
                                       all->width ? response : NULL, (size_t)all->width)) {
        return LB_OK;
    }
    return lb_fail_flex_file(in,
                             "the quantity \"%s\" does not agree with its check: the file is "
                             "damaged or was changed; import again",
                             all->what[i]);
}

// What modes carry of a row's static response to inertia and, by node of the body, to its moment and force.
static void take_modes_off(const lb_flex_options *flex, const double *A, double *inertia,
                           double *forces)
{
    const lb_flex_integrals *I = flex->integrals;
    const int m = flex->mode_count;
    for (int r = 0; r < m; ++r) {
        const double share = A[r] / flex->stiffness[r * m + r];
        for (int k = 0; k < 3; ++k) {
            inertia[k] += share * I->B0[3 * r + k];
            inertia[3 + k] += share * I->E[3 * r + k];
        }
        for (int k = 0; I->S && k < 6; ++k) {
            inertia[6 + k] -= (k < 3 ? 0.5 : 1.0) * share * I->S[6 * r + k];
        }
        for (int j = 0; j < flex->node_count; ++j) {
            for (int k = 0; k < 6; ++k) {
                forces[6 * j + k] -= share * flex->nodes[j].shape[6 * r + k];
            }
        }
    }
}

static lb_status read_row(lb_flex_intake *in, const lb_flex_recovery_request *ask, const rows *all,
                          int i, const lb_flex_options *flex, double *whole, double *A,
                          double *inertia, double *forces)
{
    const uint64_t n = (uint64_t)in->n, width = (uint64_t)all->width, row = (uint64_t)all->which[i];
    double *response = whole + n;
    lb_status status =
        lb_read_flex_numbers_at(in, "recovery_modes", &all->modes, row * n, n, whole);
    if (status == LB_OK && width > 0) {
        status = lb_read_flex_numbers_at(in, "recovery_static", &all->response, row * width, width,
                                         response);
    }
    status = status ? status : check_row(in, all, i, whole, response);
    if (status != LB_OK) {
        return status;
    }
    for (int r = 0; r < ask->mode_count; ++r) {
        A[r] = whole[ask->modes[r]];
    }
    if (!inertia) {
        return LB_OK;
    }
    for (int k = 0; k < LB_INERTIA_LOADS; ++k) {
        inertia[k] = response[k] / ask->square;
    }
    const int forced = (all->width - LB_INERTIA_LOADS) / 6;
    for (int j = 0; j < flex->node_count; ++j) {
        const int node = ask->node_of[j];
        for (int k = 0; k < 6 && node < forced; ++k) {
            forces[6 * j + k] =
                response[LB_INERTIA_LOADS + 6 * node + k] / (ask->mass * ask->square);
        }
    }
    take_modes_off(flex, A, inertia, forces);
    // nothing is known about other nodes
    for (int j = 0; j < flex->node_count; ++j) {
        if (ask->node_of[j] >= forced) {
            memset(forces + 6 * (size_t)j, 0, 6 * sizeof *forces);
        }
    }
    return LB_OK;
}

lb_status lb_read_flex_recovery(lb_flex_intake *in, const lb_flex_recovery_request *ask,
                                lb_flex_options *flex)
{
    rows all = {.count = 0};
    lb_status status = find_rows(in, &all);
    if (status == LB_OK && ask->names && all.count == 0 && ask->name_count > 0) {
        return fail_unknown(in, ask->names[0]);
    }
    if (status != LB_OK || all.count == 0) {
        return status;
    }
    status = choose_rows(in, ask, &all);
    if (status != LB_OK || all.used == 0) {
        return status;
    }
    const size_t used = (size_t)all.used, m = (size_t)ask->mode_count,
                 nodes = (size_t)flex->node_count;
    // modes that are coupled by stiffness share loads in another way
    const bool is_corrected = all.width > 0 && lb_is_diagonal(flex->mode_count, flex->stiffness);
    lb_flex_recovery *recovery;
    double *whole, *A, *inertia = NULL, *forces = NULL;
    if (!LB_FE_TAKE(in->context, recovery, 1) ||
        !LB_FE_TAKE(in->context, whole, (size_t)in->n + (size_t)all.width + 1) ||
        !LB_FE_TAKE(in->context, A, used * m + 1) ||
        (is_corrected && (!LB_FE_TAKE(in->context, inertia, used * LB_INERTIA_LOADS) ||
                          !LB_FE_TAKE(in->context, forces, used * 6 * nodes + 1)))) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < used && status == LB_OK; ++i) {
        status = read_row(in, ask, &all, (int)i, flex, whole, A + i * m,
                          is_corrected ? inertia + i * LB_INERTIA_LOADS : NULL,
                          is_corrected ? forces + i * 6 * nodes : NULL);
    }
    *recovery = (lb_flex_recovery){.size = sizeof *recovery,
                                   .row_count = all.used,
                                   .names = all.what,
                                   .modes = A,
                                   .inertia = inertia,
                                   .forces = forces};
    flex->recovery = recovery;
    return status;
}
