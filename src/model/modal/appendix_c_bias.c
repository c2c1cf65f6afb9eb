// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The bias of bodies of fidelity `appendix-c`.
#include "appendix_c.h"
#include "mat3_sums.h"

// Terms of two rates: T3, R2 and R3, L.
static void add_pairs(const lb_appendix_c *c, int n, lb_flex_work *w)
{
    const lb_vec6 *RL = c->RL;
    const double *T3 = c->T3;
    const lb_vec3 *R3 = c->R3;
    for (int r = 0; r < n; ++r) {
        for (int s = r; s < n; ++s, ++RL) {
            const double rates = w->eta_dot[r] * w->eta_dot[s];
            lb_vec6 RL_eta = *RL;
            for (int q = 0; R3 && q < n; ++q, ++R3) {
                RL_eta.w = lb_vec3_axpy(RL_eta.w, w->eta[q], *R3);
            }
            for (int q = 0; T3 && q < n; ++q, ++T3) {
                w->b_f[q] += rates * *T3;
            }
            w->b_r = lb_vec6_axpy(w->b_r, rates, RL_eta);
        }
    }
}

// Bias, contracted                                                                      (APC-9)
//
//     Z(r) = S1(r) + J1(r) + sum_s [S2(r,s) + J2(r,s)] eta_s,   y_r = Z(r)' w
//     b_f,r = -w.(y_r + sum_s Q(r,s) etad_s) + sum_qs T3(q,r,s) etad_q etad_s
//     b_w = w x (M_ww w + sum_r C(r) etad_r) + 2 sum_r y_r etad_r + sum_rs R(r,s) etad_r etad_s
//     b_v = w x (w x h + 2 sum_r E(r) etad_r) + m sum_rs L(r,s) etad_r etad_s
//
// (APC-5) with N(r) and K2(r,s) = 2 S2(r,s)' in Z, and C(r) = R1(r) + x(r) where
// x(r)~ = 2 S1(r)' - K1(r) = sum over nodes of lambda_r~J + J lambda_r~ is skew.
void lb_compute_appendix_c_bias(const lb_flex *f, lb_vec3 omega, lb_flex_work *w)
{
    const int n = f->mode_count;
    const lb_appendix_c *c = f->appendix_c;
    lb_vec3 spin = lb_sym3_mul_vec(w->M_rr.J, omega), flow = lb_vec3_cross(omega, w->M_rr.h);
    lb_vec3 carried = {0, 0, 0};
    for (int r = 0; r < n; ++r) {
        lb_mat3 Z = c->Z1[r];
        lb_vec3 Q = {0, 0, 0};
        for (int s = 0; s < n; ++s) {
            lb_mat3_add_scaled(&Z, w->eta[s], &c->Z2[r * n + s]);
            Q = lb_vec3_axpy(Q, w->eta_dot[s], c->Q[r * n + s]);
        }
        const lb_vec3 y = lb_mat3_tmul_vec(&Z, omega);
        w->b_f[r] = -lb_vec3_dot(omega, lb_vec3_add(y, Q));
        carried = lb_vec3_axpy(carried, 2.0 * w->eta_dot[r], y);
        spin = lb_vec3_axpy(spin, w->eta_dot[r], c->C[r]);
        flow = lb_vec3_axpy(flow, 2.0 * w->eta_dot[r], f->E[r]);
    }
    w->b_r.w = lb_vec3_add(carried, lb_vec3_cross(omega, spin));
    w->b_r.v = lb_vec3_cross(omega, flow);
    add_pairs(c, n, w);
}
