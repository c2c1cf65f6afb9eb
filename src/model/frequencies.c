// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Natural frequencies of one flexible body by itself.
#include <string.h>

#include "../base/symmetric.h"
#include "flex.h"

// M_ff without deformation: the polynomials' part and Gamma_r . Gamma_s of the mass points.
static void form_modal_mass(const lb_flex *f, double *M)
{
    const int n = f->mode_count;
    const ptrdiff_t width = (ptrdiff_t)f->block_count * LB_LANES;
    const double *Gamma = (const double *)(const void *)f->points + 4 * width;
    memcpy(M, f->M_ff, (size_t)n * (size_t)n * sizeof *M);
    for (int r = 0; r < n && width > 0; ++r) {
        for (int s = 0; s < n; ++s) {
            for (ptrdiff_t i = 0; i < 3 * width; ++i) {
                M[r * n + s] += Gamma[3 * r * width + i] * Gamma[3 * s * width + i];
            }
        }
    }
}

// K x = omega^2 M x                                                                     (FLX-12)
//
//     M = L D L',   A = D^-1/2 L^-1 K L'^-1 D^-1/2,   omega^2 the eigenvalues of A
lb_status lb_compute_body_frequencies(const lb_model *model, int body, double *scratch,
                                      double *omega)
{
    const lb_flex *f = lb_get_record(model, body)->flex;
    const int n = f ? f->mode_count : 0;
    if (n == 0) {
        return LB_OK;
    }
    double *M = scratch, *A = scratch + (ptrdiff_t)n * n;
    form_modal_mass(f, M);
    for (int r = 0; r < n; ++r) {
        omega[r] = 1e-14 * fabs(M[r * n + r]);
    }
    if (lb_factor_ldl(n, M, n, omega) >= 0) {
        return LB_E_SINGULAR;
    }
    memcpy(A, f->K, (size_t)n * (size_t)n * sizeof *A);
    // the factors hold 1/d: rows, then columns, by L^-1 and D^-1/2
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double *x = pass == 0 ? &A[i * n + j] : &A[j * n + i];
                for (int k = 0; k < i; ++k) {
                    *x -= M[i * n + k] * (pass == 0 ? A[k * n + j] : A[j * n + k]);
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        if (M[i * n + i] < 0) {
            return LB_E_SINGULAR;
        }
        for (int j = 0; j < n; ++j) {
            A[i * n + j] *= sqrt(M[i * n + i]) * sqrt(M[j * n + j]);
        }
    }
    lb_compute_eigenvalues(n, A, omega);
    for (int r = 0; r < n; ++r) {
        omega[r] = sqrt(fmax(omega[r], 0.0)); // rigid motions among the modes give round-off
    }
    return LB_OK;
}
