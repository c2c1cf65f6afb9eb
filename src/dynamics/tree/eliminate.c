// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "eliminate.h"

#include "base/symmetric.h"
#include "flexible.h"
#include "model/modal/mode_update.h"

// What follows the factors, inlined with n known for small n.
static inline __attribute__((always_inline)) int take_out(int n, const double *D, lb_vec6 *G,
                                                          lb_sym6 *P)
{
    int negative = -1;
    // W = U L'^-1
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[i * n + j], G[j]);
        }
    }
    // G = W D^-1,  P - W D^-1 W*
    for (int i = 0; i < n; ++i) {
        const double s = D[i * n + i];
        const lb_vec6 W = G[i];
        G[i] = lb_vec6_make(lb_vec3_scale(s, W.w), lb_vec3_scale(s, W.v));
        lb_sym6_subtract_product(P, G[i], W);
        if (s < 0 && negative < 0) {
            negative = i;
        }
    }
    return negative;
}

lb_status lb_eliminate(int n, double *D, const double *threshold, lb_vec6 *G, lb_sym6 *P, int *bad)
{
    *bad = lb_factor_ldl(n, D, n, threshold);
    if (*bad >= 0) {
        return LB_E_SINGULAR;
    }
    switch (n) {
#define LB_CASE(size)                                                                              \
    case size:                                                                                     \
        *bad = take_out(size, D, G, P);                                                            \
        break;
        LB_CASES_TO_SIX
#undef LB_CASE
    default:
        *bad = take_out(n, D, G, P);
    }
    return *bad >= 0 ? LB_NEWS_INDEFINITE : LB_OK;
}

void lb_complete_gains(int n, const double *D, lb_vec6 *G)
{
    for (int i = n - 2; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[j * n + i], G[j]);
        }
    }
}

// What round-off leaves of a pivot: of the traces of P that a unit rotation and a unit translation meet.
static void set_thresholds(int n, const lb_vec6 *H, const lb_sym6 *P, double *threshold)
{
    const double turn = P->J.xx + P->J.yy + P->J.zz, shift = P->M.xx + P->M.yy + P->M.zz;
    for (int i = 0; i < n; ++i) {
        const double scale =
            lb_vec3_dot(H[i].w, H[i].w) * turn + lb_vec3_dot(H[i].v, H[i].v) * shift;
        threshold[i] = 1e-14 * fabs(scale);
    }
}

// U = P H*,  D = H U
static void form_pivots(int n, const lb_vec6 *H, const lb_sym6 *P, lb_vec6 *U, double *D)
{
    for (int i = 0; i < n; ++i) {
        U[i] = lb_sym6_mul(P, H[i]);
        for (int j = 0; j <= i; ++j) {
            D[i * n + j] = lb_vec6_dot(H[j], U[i]);
        }
    }
}

// The inertia of a body without what it carries, modes taken out; 0 where it is not at hand.
static int get_own_inertia(const lb_body *b, lb_sym6 *P)
{
    if (b->update) {
        *P = b->update->P_0;
    } else if (!b->mode_count) {
        *P = lb_sym6_from_inertia(&b->M);
    }
    return b->update || !b->mode_count;
}

// |h|* |P| |h|: the terms of h* P h, none against another.
static double sum_terms(lb_vec6 h, const lb_sym6 *P)
{
    const double x[6] = {h.w.x, h.w.y, h.w.z, h.v.x, h.v.y, h.v.z};
    double block[36], sum = 0.0;
    lb_write_block(P, block);
    for (int i = 0; i < 36; ++i) {
        sum += fabs(x[i / 6] * block[i] * x[i % 6]);
    }
    return sum;
}

// Another look at pivots that are small beside the traces                              (ABA-8)
//
//     P = P_own + what is carried, both semidefinite:  d_i(P) >= d_i(P_own)
//
// computes  as thresholds, 0.99 of the pivots of P_own: what falls short of them has lost more than
//           one part in a hundred; and the round-off of the terms that were summed.
//
// Returns 0 if the body by itself is singular.
static __attribute__((cold, noinline)) int find_own_thresholds(const lb_body *b, const lb_sym6 *P,
                                                               const lb_vec6 *H, double *threshold)
{
    const int n = b->nv;
    lb_sym6 P_own;
    lb_vec6 U[6];
    double D[36];
    if (!get_own_inertia(b, &P_own)) {
        return 0;
    }
    form_pivots(n, H, &P_own, U, D);
    set_thresholds(n, H, &P_own, threshold);
    if (lb_factor_ldl(n, D, n, threshold) >= 0) {
        return 0;
    }
    for (int i = 0; i < n; ++i) {
        const double inverse = D[i * n + i];
        if (inverse < 0) {
            return 0;
        }
        const double own = 0.99 / inverse, terms = 1e-14 * sum_terms(H[i], P);
        threshold[i] = own > terms ? own : terms;
    }
    return 1;
}

int lb_holds_by_itself(const lb_body *b, const lb_sym6 *P)
{
    const lb_vec6 z = {{0, 0, 1}, {0, 0, 0}};
    double threshold;
    return find_own_thresholds(b, P, &z, &threshold) && P->J.zz > threshold;
}

// (ABA-1) at a free hinge whose node does not move, H* = I: D = P, G = I, and nothing is felt
// across it.
static lb_status eliminate_free(const lb_body *b, const lb_sym6 *P, lb_work *work, lb_sym6 *P_plus,
                                int *bad)
{
    const lb_vec6 *H = work->H + b->dof;
    double *D = work->D + b->factor;
    double threshold[6];
    for (int i = 0; i < 6; ++i) {
        work->G[b->dof + i] = H[i];
    }
    *P_plus = (lb_sym6){0};
    lb_write_block(P, D);
    set_thresholds(6, H, P, threshold);
    *bad = lb_factor_ldl(6, D, 6, threshold);
    const int again = *bad >= 0 && find_own_thresholds(b, P, H, threshold);
    if (again) {
        lb_write_block(P, D);
        *bad = lb_factor_ldl(6, D, 6, threshold);
    }
    if (*bad >= 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < 6; ++i) {
        if (D[7 * i] < 0) {
            *bad = i;
            return again ? LB_E_SINGULAR : LB_NEWS_INDEFINITE;
        }
    }
    return LB_OK;
}

// Articulated inertia at one hinge                                                      (ABA-1)
//
//     D = H P H*,   G = P H* D^-1,   P+ = (I - G H) P = P - G D G*
//
// given     P(k), whole (with modes: P_R)
// computes  G(k), the factors of D(k), and P+: what the parent feels of k across the hinge
//
// A pivot is singular when it is lost in the round-off of the inertias that made it, unless the body
// by itself has one (ABA-8).
//
// Source: Jain and Rodriguez 1992, (51); hinge part of the split form (63).
lb_status lb_eliminate_hinge(const lb_body *b, const lb_sym6 *P, lb_work *work, lb_sym6 *P_plus,
                             int *bad)
{
    if (b->hinge == LB_HINGE_FREE && !b->moving) {
        return eliminate_free(b, P, work, P_plus, bad);
    }
    const int n = b->nv;
    const lb_vec6 *H = work->H + b->dof;
    lb_vec6 *G = work->G + b->dof;
    double *D = work->D + b->factor;
    double threshold[6];
    *P_plus = *P;
    form_pivots(n, H, P, G, D);
    set_thresholds(n, H, P, threshold);
    lb_status status = lb_eliminate(n, D, threshold, G, P_plus, bad);
    if (status == LB_E_SINGULAR && find_own_thresholds(b, P, H, threshold)) {
        // G and P+ are as they were
        form_pivots(n, H, P, G, D);
        status = lb_eliminate(n, D, threshold, G, P_plus, bad);
        status = status == LB_NEWS_INDEFINITE ? LB_E_SINGULAR : status;
    }
    if (status >= LB_OK) {
        lb_complete_gains(n, D, G);
    }
    if (n == 6) {
        // nothing is felt across a free hinge
        *P_plus = (lb_sym6){0};
    }
    return status;
}
