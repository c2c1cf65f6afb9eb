// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "eliminate.h"

#include "../base/symmetric.h"

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
