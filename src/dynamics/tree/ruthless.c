// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Elimination of the modes of a ruthless body by an update of constant size: (RTH-1).
#include "model/modal/mode_update.h"

#include "base/symmetric.h"
#include "flexible.h"

// Solves A X = B by elimination with row pivoting; A and B side by side in rows of 2 m. Inlined with
// m known, so that one child has a kernel of its own.
static inline __attribute__((always_inline)) int solve_rows(int m, double *AB)
{
    const int width = 2 * m;
    for (int i = 0; i < m; ++i) {
        int pivot = i;
        for (int r = i + 1; r < m; ++r) {
            if (fabs(AB[r * width + i]) > fabs(AB[pivot * width + i])) {
                pivot = r;
            }
        }
        for (int j = i; j < width && pivot != i; ++j) {
            const double t = AB[i * width + j];
            AB[i * width + j] = AB[pivot * width + j];
            AB[pivot * width + j] = t;
        }
        if (!(fabs(AB[i * width + i]) > 0)) {
            return 0;
        }
        const double inverse = 1.0 / AB[i * width + i];
        for (int r = i + 1; r < m; ++r) {
            const double l = AB[r * width + i] * inverse;
            for (int j = i + 1; j < width; ++j) {
                AB[r * width + j] -= l * AB[i * width + j];
            }
        }
    }
    for (int i = m - 1; i >= 0; --i) {
        const double inverse = 1.0 / AB[i * width + i];
        for (int j = m; j < width; ++j) {
            double sum = AB[i * width + j];
            for (int k = i + 1; k < m; ++k) {
                sum -= AB[i * width + k] * AB[k * width + j];
            }
            AB[i * width + j] = sum * inverse;
        }
    }
    return 1;
}

// Gamma' = (I + Gamma Omega)^-1 Gamma
static inline __attribute__((always_inline)) int
form_prime(int m, const double *Omega, const double *Gamma, double *AB, double *Prime)
{
    for (int i = 0; i < m; ++i) {
        double *row = AB + i * 2 * m;
        const int block = 6 * (i / 6);
        for (int j = 0; j < m; ++j) {
            double sum = i == j;
            for (int k = 0; k < 6; ++k) {
                sum += Gamma[6 * i + k] * Omega[(block + k) * m + j];
            }
            row[j] = sum;
            row[m + j] = j >= block && j < block + 6 ? Gamma[6 * i + j - block] : 0.0;
        }
    }
    if (!solve_rows(m, AB)) {
        return 0;
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            Prime[i * m + j] = Prime[j * m + i] =
                0.5 * (AB[i * 2 * m + m + j] + AB[j * 2 * m + m + i]);
        }
    }
    return 1;
}

static void vec6_to(lb_vec6 a, double out[6])
{
    lb_vec3_to(a.w, out);
    lb_vec3_to(a.v, out + 3);
}

// P += X X^ with rows X (6 x m) and X^ (6 x m), known to be symmetric
static void add_product(int m, const double *X, const double *Y, lb_sym6 *P)
{
    double S[6][6];
    for (int i = 0; i < 6; ++i) {
        for (int j = i; j < 6; ++j) {
            double sum = 0.0;
            for (int k = 0; k < m; ++k) {
                sum += X[i * m + k] * Y[j * m + k];
            }
            S[i][j] = S[j][i] = sum;
        }
    }
    const lb_sym3 J = {S[0][0], S[1][1], S[2][2], S[0][1], S[0][2], S[1][2]};
    const lb_sym3 M = {S[3][3], S[4][4], S[5][5], S[3][4], S[3][5], S[4][5]};
    P->J = lb_sym3_add(P->J, J);
    P->M = lb_sym3_add(P->M, M);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P->H.m[i][j] += S[i][3 + j];
        }
    }
}

lb_status lb_apply_mode_update(const lb_body *b, lb_sym6 *P, lb_work *work)
{
    const lb_mode_update *u = b->update;
    lb_flex_work *f = &work->flex[b->flex_index];
    const int n = b->mode_count, m = 6 * u->child_count;
    double *AB = work->update, *X = AB + 2 * m * m;
    const int good = m == 6 ? form_prime(6, u->Omega, f->Gamma, AB, f->Prime)
                            : form_prime(m, u->Omega, f->Gamma, AB, f->Prime);
    if (!good) {
        lb_set_bad_inertia(work, b, 0);
        return LB_E_SINGULAR;
    }

    // X = E Gamma';  P_R = P_0 + X E*;  g = g_0 + X Y*
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = 0.0;
            for (int k = 0; k < m; ++k) {
                sum += u->E[i * m + k] * f->Prime[k * m + j];
            }
            X[i * m + j] = sum;
        }
    }
    add_product(m, X, u->E, P);
    for (int r = 0; r < n; ++r) {
        double g[6];
        vec6_to(u->g_0[r], g);
        for (int a = 0; a < u->child_count; ++a) {
            double y[6];
            vec6_to(u->Y[a * n + r], y);
            for (int i = 0; i < 6; ++i) {
                const double *x = X + i * m + 6 * a;
                g[i] += x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] +
                        x[5] * y[5];
            }
        }
        f->P_rf[r] = lb_vec6_make(lb_vec3_from(g), lb_vec3_from(g + 3));
    }
    return LB_OK;
}

void lb_pass_modes(const lb_body *b, lb_work *work, double *x, lb_vec6 *z)
{
    const lb_flex_work *f = &work->flex[b->flex_index];
    const lb_mode_update *u = b->update;
    const int n = b->mode_count;
    if (!u) {
        lb_solve_lower(n, f->P_ff, n, x);
    }
    for (int r = 0; r < n; ++r) {
        *z = lb_vec6_axpy(*z, x[r], f->P_rf[r]);
    }
    if (!u) {
        for (int r = 0; r < n; ++r) {
            x[r] *= f->P_ff[r * n + r];
        }
        return;
    }
    // D_f^-1 x = L x - Y (Gamma' (Y* x))
    const int m = 6 * u->child_count;
    double *t = work->update, *s = t + m, *out = f->P_ff; // the factors are not used here
    for (int a = 0; a < u->child_count; ++a) {
        lb_vec6 sum = lb_vec6_zero();
        for (int r = 0; r < n; ++r) {
            sum = lb_vec6_axpy(sum, x[r], u->Y[a * n + r]);
        }
        vec6_to(sum, t + 6 * a);
    }
    for (int i = 0; i < m; ++i) {
        s[i] = 0.0;
        for (int j = 0; j < m; ++j) {
            s[i] += f->Prime[i * m + j] * t[j];
        }
    }
    for (int r = 0; r < n; ++r) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            sum += u->L[r * n + i] * x[i];
        }
        for (int a = 0; a < u->child_count; ++a) {
            const lb_vec6 y = {lb_vec3_from(s + 6 * a), lb_vec3_from(s + 6 * a + 3)};
            sum -= lb_vec6_dot(u->Y[a * n + r], y);
        }
        out[r] = sum;
    }
    for (int r = 0; r < n; ++r) {
        x[r] = out[r];
    }
}

void lb_finish_modes(const lb_body *b, const lb_work *work, double *x)
{
    if (!b->update) {
        lb_solve_upper(b->mode_count, work->flex[b->flex_index].P_ff, b->mode_count, x);
    }
}
