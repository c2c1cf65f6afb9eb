// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "eliminate.h"

#include "../base/symmetric.h"

lb_status lb_eliminate(int n, double *D, const double *threshold, lb_vec6 *G, lb_sym6 *P, int *bad)
{
    *bad = lb_factor_ldl(n, D, n, threshold);
    if (*bad >= 0) {
        return LB_E_SINGULAR;
    }
    lb_status status = LB_OK;

    // W = U L'^-1:  P - W D^-1 W*,  then G = W D^-1 L^-1
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[i * n + j], G[j]);
        }
        const double d = D[i * n + i];
        lb_sym6_downdate(P, 1.0 / d, G[i]);
        if (d < 0 && status == LB_OK) {
            status = LB_NEWS_INDEFINITE;
            *bad = i;
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const double s = 1.0 / D[i * n + i];
        G[i] = lb_vec6_make(lb_vec3_scale(s, G[i].w), lb_vec3_scale(s, G[i].v));
        for (int j = i + 1; j < n; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[j * n + i], G[j]);
        }
    }
    return status;
}
