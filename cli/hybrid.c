// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "hybrid.h"

#include <float.h>
#include <math.h>

// S = L D L' in place (lower part), row by row; x = S^-1 x. A pivot that cancels to round-off of
// its diagonal entry is singular.
static lb_status solve_symmetric(double *S, int n, double *x, int *pivot)
{
    const size_t stride = (size_t)n;
    lb_status news = LB_OK;
    for (int i = 0; i < n; ++i) {
        double *row = S + (size_t)i * stride;
        const double diagonal = row[i];
        for (int j = 0; j < i; ++j) {
            // row[j] becomes L_ij D_j
            const double *other = S + (size_t)j * stride;
            for (int k = 0; k < j; ++k) {
                row[j] -= row[k] * other[k];
            }
        }
        for (int j = 0; j < i; ++j) {
            const double L = row[j] / S[(size_t)j * stride + (size_t)j];
            row[i] -= L * row[j];
            row[j] = L;
        }
        if (!(fabs(row[i]) > 4.0 * (n + 1) * DBL_EPSILON * fabs(diagonal))) {
            *pivot = i;
            return LB_E_SINGULAR;
        }
        if (row[i] < 0.0 && news == LB_OK) {
            *pivot = i;
            news = LB_NEWS_INDEFINITE;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= S[(size_t)i * stride + (size_t)k] * x[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= S[(size_t)i * stride + (size_t)i];
        for (int k = i + 1; k < n; ++k) {
            x[i] -= S[(size_t)k * stride + (size_t)i] * x[k];
        }
    }
    return news;
}

// The entries of v that are a body's: its modes, then its hinge.
typedef struct rows {
    int first, hinge, end;
} rows;

static rows get_rows(const lb_model *model, int body)
{
    const int first = lb_get_v_offset(model, body);
    const int hinge = first + lb_get_mode_count(model, body);
    return (rows){first, hinge, hinge + lb_get_hinge(model, body).v_count};
}

// With F the free and D the driven entries of v:
//
//     M_FF a_F = tau_F - (M_FD a_D + c_F),     tau_D = (M a + c)_D
//
// both brackets by inverse dynamics, once with a_F = 0 and once with all of a. The driven rows and
// columns of M are made those of the identity, so that one solve of full size leaves a_D as it is.
lb_status lb_cli_compute_hybrid_composite(const lb_model *model, lb_work *work, const double *q,
                                          const double *v, const unsigned char *driven, double *tau,
                                          double *a, double *M, double *scratch, int *pivot)
{
    const int nv = lb_get_v_count(model), body_count = lb_get_body_count(model);
    const size_t stride = (size_t)nv;
    lb_status status = lb_compute_mass_matrix(model, work, q, M);
    if (status < 0) {
        return status;
    }

    // a_F = 0, and the right-hand side
    for (int body = 0; body < body_count; ++body) {
        const rows r = get_rows(model, body);
        for (int i = r.first; i < (driven[body] ? r.hinge : r.end); ++i) {
            a[i] = 0.0;
        }
    }
    status = lb_compute_inverse_dynamics(model, work, q, v, a, scratch);
    if (status < 0) {
        return status;
    }
    for (int body = 0; body < body_count; ++body) {
        const rows r = get_rows(model, body);
        for (int i = r.first; i < (driven[body] ? r.hinge : r.end); ++i) {
            a[i] = tau[i] - scratch[i];
        }
        for (int i = r.hinge; driven[body] && i < r.end; ++i) {
            for (size_t k = 0; k < stride; ++k) {
                M[(size_t)i * stride + k] = M[k * stride + (size_t)i] = 0.0;
            }
            M[(size_t)i * stride + (size_t)i] = 1.0;
        }
    }

    const lb_status news = solve_symmetric(M, nv, a, pivot);
    if (news < 0) {
        return news;
    }
    status = lb_compute_inverse_dynamics(model, work, q, v, a, scratch);
    if (status < 0) {
        return status;
    }
    for (int body = 0; body < body_count; ++body) {
        const rows r = get_rows(model, body);
        for (int i = r.hinge; driven[body] && i < r.end; ++i) {
            tau[i] = scratch[i];
        }
    }
    return news;
}
