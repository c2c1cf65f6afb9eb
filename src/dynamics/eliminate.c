// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "eliminate.h"

#include "../base/symmetric.h"
#include "flexible.h"

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
        LB_CASE(1)
        LB_CASE(2)
        LB_CASE(3)
        LB_CASE(4)
        LB_CASE(5)
        LB_CASE(6)
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

// (ABA-1) at a free hinge whose node does not move, H* = I: D = P, G = I, and nothing is felt
// across it.
static lb_status eliminate_free(const lb_body *b, const lb_sym6 *P, lb_work *work, lb_sym6 *P_plus,
                                int *bad)
{
    const double turn = 1e-14 * fabs(P->J.xx + P->J.yy + P->J.zz);
    const double shift = 1e-14 * fabs(P->M.xx + P->M.yy + P->M.zz);
    const double threshold[6] = {turn, turn, turn, shift, shift, shift};
    double *D = work->D + b->factor;
    lb_write_block(P, D);
    for (int i = 0; i < 6; ++i) {
        work->G[b->dof + i] = work->H[b->dof + i];
    }
    *P_plus = (lb_sym6){0};
    *bad = lb_factor_ldl(6, D, 6, threshold);
    if (*bad >= 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < 6; ++i) {
        if (D[7 * i] < 0) {
            *bad = i;
            return LB_NEWS_INDEFINITE;
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
// A pivot is singular when it is lost in the round-off of the inertias that made it: compared with
// the traces of P that a unit rotation and a unit translation meet.
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
    const double turn = P->J.xx + P->J.yy + P->J.zz, shift = P->M.xx + P->M.yy + P->M.zz;
    double threshold[6];
    *P_plus = *P;
    for (int i = 0; i < n; ++i) {
        G[i] = lb_sym6_mul(P, H[i]);
        for (int j = 0; j <= i; ++j) {
            D[i * n + j] = lb_vec6_dot(H[j], G[i]);
        }
        const double scale =
            lb_vec3_dot(H[i].w, H[i].w) * turn + lb_vec3_dot(H[i].v, H[i].v) * shift;
        threshold[i] = 1e-14 * fabs(scale);
    }
    const lb_status status = lb_eliminate(n, D, threshold, G, P_plus, bad);
    if (status >= LB_OK) {
        lb_complete_gains(n, D, G);
    }
    if (n == 6) {
        // nothing is felt across a free hinge
        *P_plus = (lb_sym6){0};
    }
    return status;
}
