// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Compliances f' K^-1 f without factors of K, by conjugate gradients. Factors of K + shift M are at hand, and modes make
// up for the shift:                                                                       (BM-20)
//
//     S = (K + shift M)^-1 + sum_m phi_m (1 / omega_m^2 - 1 / (omega_m^2 + shift)) phi_m'
//
// S K has the eigenvalues 1 for the modes and omega^2 / (omega^2 + shift) for all others, so that few steps do. Each
// step adds a positive part to the compliance, the square of an error in energy (Hestenes and Stiefel 1952).
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "eigen.h"

// Columns that are solved for together. Steps that take as long as factors of K, and as solving with these for so many
// columns: no more are tried.
enum { TOGETHER = 8, STEPS_OF_FACTORS = 30, STEPS_OF_COLUMNS = 10 };

// A part of the compliance that is too small to matter: what is missing behind it is at most 1 + shift / omega^2 times as
// much, with the lowest frequency that was not found.
static const double last_part = 1e-13;

typedef struct gradients {
    const lb_fe_search *search;
    const lb_fe_matrix *K;
    lb_fe_factors *factors;
    int steps_left;
    const double *vectors;
    double *weights; // by mode
    double *shares;  // by mode and column
    double *p, *r, *z, *low;
} gradients;

// z = S r for all columns.
static lb_status precondition(gradients *g, int columns)
{
    const int n = g->K->n, m = g->search->count;
    memcpy(g->z, g->r, (size_t)n * (size_t)columns * sizeof *g->z);
    const lb_status status = lb_fe_solve(g->factors, g->z, columns);
    lb_fe_multiply_dense('T', m, columns, n, 1.0, g->vectors, n, g->r, n, 0.0, g->shares, m);
    for (int i = 0; i < m * columns; ++i) {
        g->shares[i] *= g->weights[i % m];
    }
    lb_fe_multiply_dense('N', n, columns, m, 1.0, g->vectors, n, g->shares, m, 1.0, g->z, n);
    return status;
}

// p' K p, and r - alpha K p for the alpha that makes r orthogonal to p. K p cancels to the last digits where p is
// smooth.
static double take_step(gradients *g, const double *p, double *r, double rz)
{
    const int n = g->K->n;
    double *Kp = g->low + n, *low = g->low;
    lb_fe_multiply_exactly(g->K, p, Kp, low);
    const double energy = lb_compute_dot(n, p, Kp) + lb_compute_dot(n, p, low);
    const double alpha = rz / energy;
    for (int i = 0; i < n; ++i) {
        r[i] -= alpha * Kp[i] + alpha * low[i];
    }
    return alpha;
}

// Compliances of some columns, from number `first` on.
static lb_status find_some(gradients *g, int first, int columns)
{
    const size_t n = (size_t)g->K->n;
    const lb_fe_search *search = g->search;
    double *compliances = search->loads->compliances + first;
    double before[TOGETHER] = {0}, sums[TOGETHER] = {0};
    bool done[TOGETHER] = {false};
    int left = columns;
    memcpy(g->r, search->loads->columns + (size_t)first * n, n * (size_t)columns * sizeof *g->r);
    for (int step = 0; g->steps_left > 0 && left > 0; ++step, --g->steps_left) {
        if (search->progress && search->progress(search->user, "flexibility",
                                                 (double)first / search->loads->count) != 0) {
            return LB_E_CALLBACK;
        }
        const lb_status status = precondition(g, columns);
        if (status != LB_OK) {
            return status;
        }
        for (int c = 0; c < columns; ++c) {
            double *p = g->p + (size_t)c * n, *r = g->r + (size_t)c * n;
            const double *z = g->z + (size_t)c * n;
            if (done[c]) {
                continue;
            }
            const double rz = lb_compute_dot((ptrdiff_t)n, r, z);
            const double beta = step > 0 ? rz / before[c] : 0.0;
            for (size_t i = 0; i < n; ++i) {
                p[i] = z[i] + (step > 0 ? beta * p[i] : 0.0);
            }
            const double part = rz * take_step(g, p, r, rz);
            before[c] = rz;
            sums[c] += part;
            if (!(part > last_part * sums[c])) {
                // NaN: K does not carry the load
                compliances[c] = part >= 0.0 ? sums[c] : (double)NAN;
                done[c] = true;
                --left;
            }
        }
    }
    return LB_OK;
}

lb_status lb_fe_find_compliances(lb_fe_context *context, const lb_fe_search *search,
                                 const lb_fe_matrix *K, lb_fe_factors *factors,
                                 const double *squares, const double *vectors)
{
    const size_t n = (size_t)K->n, m = (size_t)search->count;
    const int all = search->loads->count, turns = (all + TOGETHER - 1) / TOGETHER;
    gradients g = {.search = search,
                   .K = K,
                   .factors = factors,
                   .steps_left = STEPS_OF_FACTORS + STEPS_OF_COLUMNS * turns,
                   .vectors = vectors};
    if (!LB_FE_TAKE(context, g.weights, m) || !LB_FE_TAKE(context, g.shares, TOGETHER * m) ||
        !LB_FE_TAKE(context, g.p, TOGETHER * n) || !LB_FE_TAKE(context, g.r, TOGETHER * n) ||
        !LB_FE_TAKE(context, g.z, TOGETHER * n) || !LB_FE_TAKE(context, g.low, 2 * n)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < search->count; ++i) {
        g.weights[i] = 1 / squares[i] - 1 / (squares[i] + search->shift);
    }
    lb_status status = LB_OK;
    for (int first = 0; first < all && status == LB_OK; first += TOGETHER) {
        status = find_some(&g, first, all - first < TOGETHER ? all - first : TOGETHER);
    }
    return status;
}
