// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal damping from ratios, Rayleigh's two numbers or a table against frequency.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fe.h"

static bool check_ratio(lb_fe_context *context, const char *path, double ratio)
{
    if (!(ratio >= 0) || !isfinite(ratio)) {
        lb_fe_fail(context, path, "%g found, expected a damping ratio that is not negative", ratio);
        return false;
    }
    return true;
}

bool lb_fe_check_damping(lb_fe_context *context, const lb_damping_options *d)
{
    const int errors = context->errors;
    char path[64];
    check_ratio(context, "damping", d->ratio);
    for (int i = 0; i < d->ratio_count; ++i) {
        snprintf(path, sizeof path, "damping[%d]", i);
        check_ratio(context, path, d->ratios[i]);
    }
    for (int i = 0; i < 2; ++i) {
        if (!(d->rayleigh[i] >= 0) || !isfinite(d->rayleigh[i])) {
            lb_fe_fail(context, "damping.rayleigh",
                       "%g found, expected numbers that are not negative", d->rayleigh[i]);
        }
    }
    for (int i = 0; i < d->table_count; ++i) {
        snprintf(path, sizeof path, "damping.table[%d]", i);
        check_ratio(context, path, d->table[i][1]);
        if (!(d->table[i][0] >= 0) || !isfinite(d->table[i][0]) ||
            (i > 0 && !(d->table[i][0] > d->table[i - 1][0]))) {
            lb_fe_fail(context, path, "%g Hz found, expected rising frequencies, none negative",
                       d->table[i][0]);
        }
    }
    return context->errors == errors;
}

static double look_up(const lb_damping_options *d, double hertz)
{
    if (hertz <= d->table[0][0]) {
        return d->table[0][1];
    }
    for (int i = 1; i < d->table_count; ++i) {
        if (hertz <= d->table[i][0]) {
            const double w = (hertz - d->table[i - 1][0]) / (d->table[i][0] - d->table[i - 1][0]);
            return d->table[i - 1][1] + w * (d->table[i][1] - d->table[i - 1][1]);
        }
    }
    return d->table[d->table_count - 1][1];
}

// Place of a squared frequency among all of them; equal ones in their order.
static size_t get_rank(const double *squares, size_t n, size_t r)
{
    size_t rank = 0;
    for (size_t i = 0; i < n; ++i) {
        rank += squares[i] < squares[r] || (squares[i] == squares[r] && i < r);
    }
    return rank;
}

// C = M X diag(2 zeta omega) X' M with K X = M X diag(omega^2), X' M X = 1; Rayleigh: a M + b K. (BM-15)
lb_status lb_fe_form_damping(lb_fe_context *context, const lb_damping_options *d, int count,
                             const double *M, const double *K, double **C)
{
    const size_t n = (size_t)count;
    const bool rayleigh = d->rayleigh[0] != 0 || d->rayleigh[1] != 0;
    double *X, *B, *squares, *MX;
    *C = NULL;
    if (d->ratio_count > 0 && d->ratio_count != count) {
        return lb_fe_fail(context, "damping", "%d ratios given, expected %d, one for each mode",
                          d->ratio_count, count);
    }
    if (!rayleigh && d->ratio == 0 && d->ratio_count == 0 && d->table_count == 0) {
        return LB_OK;
    }
    if (!LB_FE_TAKE(context, *C, n * n) || !LB_FE_TAKE(context, X, n * n) ||
        !LB_FE_TAKE(context, B, n * n) || !LB_FE_TAKE(context, squares, n) ||
        !LB_FE_TAKE(context, MX, n * n)) {
        return LB_E_MEMORY;
    }
    if (rayleigh) {
        for (size_t i = 0; i < n * n; ++i) {
            (*C)[i] = d->rayleigh[0] * M[i] + d->rayleigh[1] * K[i];
        }
        return LB_OK;
    }
    bool diagonal = true;
    for (size_t i = 0; i < n * n; ++i) {
        diagonal = diagonal && (i % (n + 1) == 0 || (K[i] == 0 && M[i] == 0));
    }
    memcpy(X, K, n * n * sizeof *X);
    memcpy(B, M, n * n * sizeof *B);
    if (diagonal) {
        for (size_t r = 0; r < n; ++r) {
            squares[r] = K[r * (n + 1)] / M[r * (n + 1)];
            X[r * (n + 1)] = 1 / sqrt(M[r * (n + 1)]);
        }
    } else {
        const lb_status status = lb_fe_solve_dense(count, X, B, squares);
        if (status == LB_E_SINGULAR) {
            return lb_fe_fail(context, "damping",
                              "the shapes do not move independently of each other: ratios have no "
                              "meaning for them");
        }
        if (status != LB_OK) {
            return status;
        }
    }
    // columns of X are vectors
    for (size_t r = 0; r < n; ++r) {
        for (size_t i = 0; i < n; ++i) {
            for (size_t k = 0; k < n; ++k) {
                MX[r * n + i] += M[i * n + k] * X[r * n + k];
            }
        }
        const double omega = sqrt(fmax(squares[r], 0.0));
        const double zeta = d->table_count > 0   ? look_up(d, omega / (2 * LB_FE_PI))
                            : d->ratio_count > 0 ? d->ratios[get_rank(squares, n, r)]
                                                 : d->ratio;
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j) {
                (*C)[i * n + j] += 2 * zeta * omega * MX[r * n + i] * MX[r * n + j];
            }
        }
    }
    return LB_OK;
}
