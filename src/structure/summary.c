// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the modes of a flexible body can do: frequencies, effective masses, and how fast it may spin.
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "fe.h"
#include "model/model_parts.h"

// The lowest frequency of the first `kept` eigenmodes in spin: they have unit mass, squares and G are
// in their coordinates. Negative squares give a negative number. Scratch: 2 n^2 + n numbers.
static lb_status find_lowest(double *scratch, size_t n, size_t kept, const double *squares,
                             const double *G, double rate, double *lowest)
{
    double *A = scratch, *B = A + n * n, *values = B + n * n;
    for (size_t i = 0; i < kept; ++i) {
        for (size_t j = 0; j < kept; ++j) {
            A[i * kept + j] = rate * rate * G[i * n + j] + (i == j ? squares[i] : 0.0);
            B[i * kept + j] = i == j;
        }
    }
    const lb_status status = lb_fe_solve_dense((int)kept, A, B, values);
    *lowest = values[0] < 0 ? -1.0 : sqrt(values[0]);
    return status;
}

// Rate, by steps of 10 %, at which leaving out the highest quarter of the modes begins to matter.
static lb_status find_rate(double *scratch, size_t n, const double *squares, const double *G,
                           double *rate)
{
    const size_t kept = n - (n + 3) / 4;
    const double lowest = sqrt(squares[0]), highest = sqrt(squares[n - 1]);
    lb_status status = LB_OK;
    if (kept == 0) {
        *rate = fmin(*rate, lowest);
        return status;
    }
    double good = 0.0;
    for (double trial = 0.01 * lowest; trial <= highest && status == LB_OK; trial *= 1.1) {
        double all = 0.0, few = 0.0;
        status = find_lowest(scratch, n, n, squares, G, trial, &all);
        if (status == LB_OK) {
            status = find_lowest(scratch, n, kept, squares, G, trial, &few);
        }
        // a spin that is too fast for the body itself, such as that of a shaft about its axis, says
        // nothing of the number of modes
        if (status == LB_OK && !(all > 0)) {
            return LB_OK;
        }
        if (!(few <= all * 1.01)) {
            break;
        }
        good = trial;
    }
    *rate = fmin(*rate, good);
    return status;
}

static lb_status find_spin_rate(lb_fe_context *context, const lb_model *model, int body, size_t n,
                                const double *X, const double *squares, double *rate)
{
    double *G, *GX, *XGX, *scratch;
    if (!LB_FE_TAKE(context, scratch, 2 * n * n + n) || !LB_FE_TAKE(context, G, n * n) ||
        !LB_FE_TAKE(context, GX, n * n) || !LB_FE_TAKE(context, XGX, n * n)) {
        return LB_E_MEMORY;
    }
    bool softens = true, any = false;
    lb_status status = LB_OK;
    *rate = INFINITY;
    for (int axis = 0; axis < 3 && status == LB_OK; ++axis) {
        const double omega[3] = {axis == 0, axis == 1, axis == 2};
        lb_compute_spin_stiffness(model, body, omega, G);
        double size = 0.0;
        for (size_t r = 0; r < n; ++r) {
            for (size_t i = 0; i < n; ++i) {
                GX[r * n + i] = 0.0;
                for (size_t k = 0; k < n; ++k) {
                    GX[r * n + i] += G[i * n + k] * X[r * n + k];
                }
            }
        }
        for (size_t r = 0; r < n; ++r) {
            for (size_t s = 0; s < n; ++s) {
                XGX[r * n + s] = 0.0;
                for (size_t k = 0; k < n; ++k) {
                    XGX[r * n + s] += X[r * n + k] * GX[s * n + k];
                }
                size = fmax(size, fabs(XGX[r * n + s]));
            }
            softens = softens && XGX[r * (n + 1)] <= 1e-12;
        }
        if (size > 0) {
            any = true;
            status = find_rate(scratch, n, squares, XGX, rate);
        }
    }
    // a body that nothing stiffens has no second-order displacements
    if (any && softens) {
        *rate = fmin(*rate, 0.1 * sqrt(squares[0]));
    }
    *rate = any ? *rate : 0.0;
    return status;
}

// Whether the coordinates are those of the eigenvectors already, in the order of frequencies.
static bool are_modes(size_t n, const double *K, const double *M)
{
    for (size_t r = 0; r < n; ++r) {
        for (size_t s = 0; s < n; ++s) {
            const double m = M[r * (n + 1)] * M[s * (n + 1)], k = K[r * (n + 1)] * K[s * (n + 1)];
            if (r != s && (M[r * n + s] * M[r * n + s] > 1e-18 * m ||
                           K[r * n + s] * K[r * n + s] > 1e-18 * k)) {
                return false;
            }
        }
        if (!(M[r * (n + 1)] > 0) ||
            (r > 0 && K[r * (n + 1)] * M[(r - 1) * (n + 1)] <
                          K[(r - 1) * (n + 1)] * M[r * (n + 1)] * (1 - 1e-9))) {
            return false;
        }
    }
    return true;
}

// Puts unit vectors of unit mass in place of K.
static lb_status keep_modes(size_t n, double *K, const double *M, double *squares)
{
    for (size_t r = 0; r < n; ++r) {
        squares[r] = K[r * (n + 1)] / M[r * (n + 1)];
    }
    memset(K, 0, n * n * sizeof *K);
    for (size_t r = 0; r < n; ++r) {
        K[r * (n + 1)] = 1 / sqrt(M[r * (n + 1)]);
    }
    return LB_OK;
}

lb_status lb_compute_modal_summary(const lb_model *model, int body, double *frequencies,
                                   double *effective, lb_modal_summary *out)
{
    lb_modal_summary own = {.size = sizeof own}, *summary = &own;
    const size_t smallest = LB_SIZE_THROUGH(lb_modal_summary, sums);
    const size_t n = (size_t)lb_get_mode_count(model, body);
    double mass, com[3], J[6];
    lb_fe_context context;
    if (lb_give_sized(&own, sizeof own, smallest, out) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_get_mass_properties(model, body, &mass, com, J);
    for (int i = 0; i < 3; ++i) {
        const double y = com[(i + 1) % 3], z = com[(i + 2) % 3];
        summary->whole[i] = J[i] + mass * (y * y + z * z);
        summary->whole[3 + i] = mass;
    }
    if (n == 0) {
        return lb_give_sized(&own, sizeof own, smallest, out);
    }
    lb_fe_init(&context, NULL, NULL);
    double *X, *M, *M_fr, *squares;
    lb_status status = LB_E_MEMORY;
    if (LB_FE_TAKE(&context, X, n * n) && LB_FE_TAKE(&context, M, n * n) &&
        LB_FE_TAKE(&context, M_fr, 6 * n) && LB_FE_TAKE(&context, squares, n)) {
        lb_get_modal_inertia(model, body, M, M_fr);
        lb_get_modal_matrices(model, body, X, NULL);
        status = are_modes(n, X, M) ? keep_modes(n, X, M, squares)
                                    : lb_fe_solve_dense((int)n, X, M, squares);
    }
    for (size_t r = 0; r < n && status == LB_OK; ++r) {
        squares[r] = fmax(squares[r], 0.0); // rigid motions among the modes give round-off
        frequencies[r] = sqrt(squares[r]) / (2 * LB_FE_PI);
        for (size_t i = 0; i < 6; ++i) {
            double L = 0.0;
            for (size_t k = 0; k < n; ++k) {
                L += X[r * n + k] * M_fr[6 * k + i];
            }
            // what is below round-off of the whole is none
            effective[6 * r + i] = L * L > 1e-14 * summary->whole[i] ? L * L : 0.0;
            summary->sums[i] += effective[6 * r + i];
        }
    }
    if (status == LB_OK && squares[0] > 0 &&
        lb_get_fidelity(model, body) == LB_FIDELITY_CONSISTENT) {
        status = find_spin_rate(&context, model, body, n, X, squares, &summary->spin_rate);
    }
    lb_arena_free(&context.arena);
    (void)lb_give_sized(&own, sizeof own, smallest, out);
    return status;
}
