// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "mode_update.h"

#include "base/symmetric.h"

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

int lb_prefers_update(int mode_count, int child_count)
{
    // products: P_ff and P_rf from Gamma, factors of D_f, g and P_R, against Gamma', g and P_R
    const double n = mode_count, c = child_count, m = 6 * c;
    const double form = c * (36 * n + 3 * n * n) + n * n * n / 6 + 3 * n * n + 27 * n;
    const double update = 4 * m * m * m / 3 + 6 * m * m + 21 * m + 8 * m * n + n * n;
    return update < form;
}

static void vec6_to(lb_vec6 a, double out[6])
{
    lb_vec3_to(a.w, out);
    lb_vec3_to(a.v, out + 3);
}

// D_0 and mu_0: the elimination of the modes with nothing outboard.
static void form_own(const lb_body *b, double *D, lb_vec6 *mu)
{
    const lb_flex *f = b->flex;
    const int n = f->mode_count;
    const lb_inertia M = {f->mass, f->h0, f->S0};
    const lb_vec6 *Pi = b->moving ? b->moving->Pi : NULL;
    for (int r = 0; r < n; ++r) {
        const lb_vec6 M_rf = {f->B0[r], f->E[r]};
        mu[r] = Pi ? lb_vec6_sub(M_rf, lb_inertia_mul(&M, Pi[r])) : M_rf;
    }
    for (int r = 0; r < n; ++r) {
        const lb_vec6 M_rf = {f->B0[r], f->E[r]};
        for (int s = 0; s < n; ++s) {
            const double own = Pi ? lb_vec6_dot(M_rf, Pi[s]) + lb_vec6_dot(Pi[r], mu[s]) : 0.0;
            D[r * n + s] = f->M_ff[r * n + s] - own;
        }
    }
}

// L = D^-1, column by column. Returns 0 if D is singular or not positive.
static int invert(int n, double *D, double *L, const double *threshold)
{
    if (lb_factor_ldl(n, D, n, threshold) >= 0) {
        return 0;
    }
    for (int r = 0; r < n; ++r) {
        if (D[r * n + r] < 0) {
            return 0;
        }
        L[r * n + r] = 1.0;
        lb_solve_ldl(n, D, n, L + r * n);
    }
    return 1;
}

// Z_a by mode: motion of node t of a child, the hinge of the body locked, referred to the frame.
static lb_vec6 node_motion(const lb_body *b, const lb_body *child, int r)
{
    const lb_vec6 Pi = lb_refer_to_frame(child->X_p.p, child->at->shape[r]);
    return b->moving ? lb_vec6_sub(Pi, b->moving->Pi[r]) : Pi;
}

const lb_mode_update *lb_build_mode_update(const lb_body *b, const lb_body *const *children,
                                           int child_count, lb_arena *arena, lb_arena *scratch,
                                           lb_status *status)
{
    const int n = b->mode_count, c = child_count, m = 6 * c;
    lb_mode_update *u;
    double *D, *threshold, *L, *E, *Omega;
    lb_vec6 *mu, *Z, *Y, *g;
    *status = LB_E_MEMORY;
    if (!TAKE(scratch, D, n * n) || !TAKE(scratch, threshold, n) || !TAKE(scratch, mu, n) ||
        !TAKE(scratch, Z, c * n) || !TAKE(arena, u, 1) || !TAKE(arena, L, n * n) ||
        !TAKE(arena, E, 6 * m) || !TAKE(arena, Omega, m * m) || !TAKE(arena, Y, c * n) ||
        !TAKE(arena, g, n)) {
        return NULL;
    }
    *status = LB_OK;
    form_own(b, D, mu);
    // a pivot counts against the entry that it came from, before what the moving hinge takes away
    for (int r = 0; r < n; ++r) {
        threshold[r] = 1e-12 * fabs(b->flex->M_ff[r * n + r]);
    }
    if (!invert(n, D, L, threshold)) {
        return NULL;
    }
    for (int a = 0; a < c; ++a) {
        for (int r = 0; r < n; ++r) {
            Z[a * n + r] = node_motion(b, children[a], r);
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            g[r] = lb_vec6_axpy(g[r], L[r * n + s], mu[s]);
            for (int a = 0; a < c; ++a) {
                Y[a * n + r] = lb_vec6_axpy(Y[a * n + r], L[r * n + s], Z[a * n + s]);
            }
        }
    }
    // P_0 = M_rr - sum_r g_r mu_r'
    const lb_inertia M = {b->flex->mass, b->flex->h0, b->flex->S0};
    u->P_0 = lb_sym6_from_inertia(&M);
    for (int r = 0; r < n; ++r) {
        lb_sym6_subtract_product(&u->P_0, g[r], mu[r]);
    }
    for (int a = 0; a < c; ++a) {
        for (int i = 0; i < 6; ++i) {
            E[i * m + 6 * a + i] = 1.0;
        }
        for (int r = 0; r < n; ++r) {
            double x[6], y[6];
            vec6_to(mu[r], x);
            vec6_to(Y[a * n + r], y);
            for (int i = 0; i < 6; ++i) {
                for (int j = 0; j < 6; ++j) {
                    E[i * m + 6 * a + j] -= x[i] * y[j];
                }
            }
            for (int d = 0; d < c; ++d) {
                double z[6];
                vec6_to(Z[d * n + r], z);
                for (int i = 0; i < 6; ++i) {
                    for (int j = 0; j < 6; ++j) {
                        Omega[(6 * d + i) * m + 6 * a + j] += z[i] * y[j];
                    }
                }
            }
        }
    }
    u->child_count = c;
    u->L = L;
    u->Y = Y;
    u->g_0 = g;
    u->E = E;
    u->Omega = Omega;
    return u;
}
