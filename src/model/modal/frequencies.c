// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes of one flexible body by itself: frequencies, coupling with its frame, stiffening by spin.
#include <string.h>

#include "base/symmetric.h"
#include "flex.h"
#include "model/model_parts.h"

// M_ff without deformation: the polynomials' part and Gamma_r . Gamma_s of the mass points.
static void form_modal_mass(const lb_flex *f, double *M)
{
    const int n = f->mode_count;
    const ptrdiff_t width = (ptrdiff_t)f->block_count * LB_LANES;
    memcpy(M, f->M_ff, (size_t)n * (size_t)n * sizeof *M);
    if (width == 0) {
        return;
    }
    const double *Gamma = (const double *)(const void *)f->points + 4 * width;
    for (int r = 0; r < n; ++r) {
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

void lb_get_modal_inertia(const lb_model *model, int body, double *M_ff, double *M_fr)
{
    const lb_flex *f = lb_get_record(model, body)->flex;
    const int n = f ? f->mode_count : 0;
    if (n == 0) {
        return;
    }
    const ptrdiff_t width = (ptrdiff_t)f->block_count * LB_LANES;
    const double *u = (const double *)(const void *)f->points;
    form_modal_mass(f, M_ff);
    for (int r = 0; r < n; ++r) {
        lb_vec3 B = f->B0[r], E = f->E[r];
        for (ptrdiff_t i = 0; i < width; ++i) {
            const double *c = u + width + i, *g = u + (4 + 3 * r) * width + i;
            const lb_vec3 c0 = {c[0], c[width], c[2 * width]},
                          Gamma = {g[0], g[width], g[2 * width]};
            B = lb_vec3_add(B, lb_vec3_cross(c0, Gamma));
            E = lb_vec3_axpy(E, u[i], Gamma);
        }
        // from the frame of the sweeps to the caller's, which is `origin`
        const lb_pose *X = &f->nodes[0].X;
        B = lb_vec3_sub(B, lb_vec3_cross(X->p, E));
        lb_vec3_to(lb_mat3_tmul_vec(&X->R, B), M_fr + 6 * r);
        lb_vec3_to(lb_mat3_tmul_vec(&X->R, E), M_fr + 6 * r + 3);
    }
}

// The part of b_f that is linear in eta, at rates zero                                   (FLX-13)
//
//     G_rs = sum over points of Gamma_r . a(Gamma_s) + Gamma2_rs . a(c0) - 1/2 w . S2_rs w,
//     a(x) = w x (w x x)
void lb_compute_spin_stiffness(const lb_model *model, int body, const double omega[3], double *G)
{
    const lb_flex *f = lb_get_record(model, body)->flex;
    const int n = f ? f->mode_count : 0;
    memset(G, 0, (size_t)n * (size_t)n * sizeof *G);
    if (n == 0 || f->fidelity != LB_FIDELITY_CONSISTENT) {
        return;
    }
    // in the frame of the sweeps, about the caller's origin
    const lb_pose *X = &f->nodes[0].X;
    const lb_vec3 w = lb_mat3_mul_vec(&X->R, lb_vec3_from(omega));
    const ptrdiff_t width = (ptrdiff_t)f->block_count * LB_LANES;
    const double *points = (const double *)(const void *)f->points;
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            G[r * n + s] -= 0.5 * lb_vec3_dot(w, lb_sym3_mul_vec(f->S2[r * n + s], w));
            for (ptrdiff_t i = 0; i < width; ++i) {
                const double *g = points + (4 + 3 * r) * width + i,
                             *h = points + (4 + 3 * s) * width + i;
                const lb_vec3 a = {g[0], g[width], g[2 * width]},
                              b = {h[0], h[width], h[2 * width]};
                G[r * n + s] += lb_vec3_dot(a, lb_vec3_cross(w, lb_vec3_cross(w, b)));
            }
        }
    }
    for (int k = 0; k < f->second_count; ++k) {
        const lb_second_row *row = &f->second[k];
        double sum = 0.0;
        for (ptrdiff_t i = 0; i < width; ++i) {
            const double *c = points + width + i;
            const lb_vec3 c0 =
                lb_vec3_axpy((lb_vec3){c[0], c[width], c[2 * width]}, -points[i], X->p);
            double a[3];
            lb_vec3_to(lb_vec3_cross(w, lb_vec3_cross(w, c0)), a);
            sum += points[row->row * width + i] * a[row->axis];
        }
        G[row->r * n + row->s] += sum;
        if (row->r != row->s) {
            G[row->s * n + row->r] += sum;
        }
    }
}

lb_fidelity lb_get_fidelity(const lb_model *model, int body)
{
    const lb_flex *flex = lb_get_record(model, body)->flex;
    return flex ? flex->fidelity : LB_FIDELITY_CONSISTENT;
}

void lb_get_modal_matrices(const lb_model *model, int body, double *stiffness, double *damping)
{
    const lb_flex *flex = lb_get_record(model, body)->flex;
    const int n = flex ? flex->mode_count : 0;
    for (int i = 0; i < n * n; ++i) {
        if (stiffness) {
            stiffness[i] = flex->K[i];
        }
        if (damping) {
            damping[i] = flex->C ? flex->C[i] : 0.0;
        }
    }
}
