// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Appendix C at a deformation, and M_m, b_m and a_m, whole and by orders of deformation. Written to
// be read beside the source; bodies in motion are computed by appendix_c_bias.c.
#include "modal_orders.h"

#include <stdint.h>
#include <string.h>

#include "model/modal/mat3_sums.h"
#include "model/numbers.h"

// ---- at a deformation --------------------------------------------------------------------------

// Counts when base is NULL, hands out pieces otherwise. Everything consists of doubles.
static void *place(unsigned char *base, size_t *used, size_t count, size_t size)
{
    void *piece = base ? base + *used : NULL;
    *used += count * size;
    return piece;
}

static size_t layout_deformed(int mode_count, unsigned char *base, lb_deformed_integrals *D)
{
    const size_t n = (size_t)mode_count;
    size_t used = 0;
    D->F = place(base, &used, n, sizeof *D->F);
    D->N = place(base, &used, n, sizeof *D->N);
    D->S = place(base, &used, n, sizeof *D->S);
    D->K = place(base, &used, n, sizeof *D->K);
    D->R = place(base, &used, n * n, sizeof *D->R);
    return used;
}

size_t lb_get_deformed_integrals_size(int mode_count)
{
    lb_deformed_integrals counter;
    return layout_deformed(mode_count, NULL, &counter) + sizeof(double);
}

// Combinations                                                                          (APC-2)
//
//     p = p0 + sum_s p1(s) eta_s            J = J0 + sum_r [J1(r) + J1(r)'] eta_r
//     F(r) = F0(r) + sum_s F1(r,s) eta_s        + sum_rs J2(r,s) eta_r eta_s
//     N(r) = [J1(r) + sum_s J2(r,s) eta_s]'
//     S(r) = S1(r) + sum_s S2(r,s) eta_s    K(r) = K1(r) + sum_s K2(r,s) eta_s
//     R(r,s) = R2(r,s) + sum_q R3(q,r,s) eta_q
//
// Source: US 5,546,508, before (83). Differs: R sums over q.
lb_status lb_compute_deformed_integrals(const lb_modal_integrals *I, const double *eta,
                                        void *memory, size_t size, lb_deformed_integrals *D)
{
    const ptrdiff_t n = I->mode_count;
    *D = (lb_deformed_integrals){.mode_count = I->mode_count, .p = I->p0, .J = I->J0};
    if (!memory || size < lb_get_deformed_integrals_size(I->mode_count)) {
        return LB_E_MEMORY;
    }
    if (!lb_are_finite(n, eta)) {
        return LB_E_NUMBER;
    }
    (void)layout_deformed(I->mode_count,
                          (unsigned char *)memory + (-(uintptr_t)memory & (sizeof(double) - 1)), D);
    for (ptrdiff_t r = 0; r < n; ++r) {
        D->p = lb_vec3_axpy(D->p, eta[r], I->p1[r]);
        D->F[r] = I->F0[r];
        D->S[r] = I->S1[r];
        D->K[r] = I->K1[r];
        lb_mat3 N = I->J1[r], both = I->J1[r];
        lb_mat3_add_transposed(&both, 1.0, &I->J1[r]);
        for (ptrdiff_t s = 0; s < n; ++s) {
            const ptrdiff_t rs = r * n + s;
            D->F[r] = lb_vec3_axpy(D->F[r], eta[s], I->F1[rs]);
            lb_mat3_add_scaled(&N, eta[s], &I->J2[rs]);
            lb_mat3_add_scaled(&both, eta[s], &I->J2[rs]);
            lb_mat3_add_scaled(&D->S[r], eta[s], &I->S2[rs]);
            lb_mat3_add_scaled(&D->K[r], eta[s], &I->K2[rs]);
            D->R[rs] = I->R2[rs];
            for (ptrdiff_t q = 0; q < n; ++q) {
                D->R[rs] = lb_vec3_axpy(D->R[rs], eta[q], I->R3[(q * n + r) * n + s]);
            }
        }
        D->N[r] = lb_mat3_transpose(&N);
        lb_mat3_add_scaled(&D->J, eta[r], &both);
    }
    return LB_OK;
}

// ---- mass --------------------------------------------------------------------------------------

// Blocks of M_m; arrays by mode, NULL for zero.
typedef struct mass_blocks {
    const double *G;
    const lb_vec3 *F, *E;
    lb_mat3 J;
    lb_vec3 mp;
    double mass;
} mass_blocks;

static void put_column(double *M, ptrdiff_t width, ptrdiff_t row, ptrdiff_t column, lb_vec3 a)
{
    double x[3];
    lb_vec3_to(a, x);
    for (ptrdiff_t i = 0; i < 3; ++i) {
        M[(row + i) * width + column] = M[column * width + row + i] = x[i];
    }
}

//     [ G   F'      E'   ]
//     [ F   J       m p~ ]
//     [ E  -m p~    m I  ]
static void put_mass(ptrdiff_t n, const mass_blocks *b, double *M)
{
    const ptrdiff_t width = n + 6;
    memset(M, 0, (size_t)(width * width) * sizeof *M);
    for (ptrdiff_t r = 0; r < n; ++r) {
        for (ptrdiff_t s = 0; b->G && s < n; ++s) {
            M[r * width + s] = b->G[r * n + s];
        }
        if (b->F) {
            put_column(M, width, n, r, b->F[r]);
        }
        if (b->E) {
            put_column(M, width, n + 3, r, b->E[r]);
        }
    }
    const lb_mat3 mp = lb_mat3_skew(b->mp);
    for (ptrdiff_t i = 0; i < 3; ++i) {
        for (ptrdiff_t j = 0; j < 3; ++j) {
            M[(n + i) * width + n + j] = b->J.m[i][j];
            M[(n + i) * width + n + 3 + j] = mp.m[i][j];
            M[(n + 3 + i) * width + n + j] = -mp.m[i][j];
        }
        M[(n + 3 + i) * width + n + 3 + i] = b->mass;
    }
}

// Modal mass matrix                                                                     (APC-3)
//
//     M_m = [ G  F'  E';  F  J  m p~;  E  -m p~  m I ]
//
// Source: US 5,546,508, (86), first line.
void lb_compute_modal_mass(const lb_modal_integrals *I, const lb_deformed_integrals *D, double *M)
{
    const mass_blocks blocks = {I->G, D->F, I->E, D->J, lb_vec3_scale(I->mass, D->p), I->mass};
    put_mass(I->mode_count, &blocks, M);
}

// Modal mass matrix by orders                                                           (APC-4)
//
//     M0 = [ G  F0'  E';  F0  J0  m p0~;  E  -m p0~  m I ]
//     M1 = [ 0  (F1 eta)'  0;  F1 eta  sum_r (J1(r) + J1(r)') eta_r  m (p1 eta)~;  0  -m (p1 eta)~  0 ]
//     M2 = [ 0  0  0;  0  sum_rs J2(r,s) eta_r eta_s  0;  0  0  0 ]
//
// Source: US 5,546,508, (86). Differs: M0(2,3) = m p0~, and m (p1 eta)~ in M1.
lb_status lb_compute_modal_mass_order(const lb_modal_integrals *I, int order, const double *eta,
                                      double *M)
{
    const ptrdiff_t n = I->mode_count;
    mass_blocks blocks = {0};
    if (order < 0 || order > 2) {
        return LB_E_ARGUMENT;
    }
    if (order > 0 && !lb_are_finite(n, eta)) {
        return LB_E_NUMBER;
    }
    if (order == 0) {
        blocks = (mass_blocks){I->G, I->F0, I->E, I->J0, lb_vec3_scale(I->mass, I->p0), I->mass};
    }
    for (ptrdiff_t r = 0; r < n && order == 1; ++r) {
        lb_mat3_add_scaled(&blocks.J, eta[r], &I->J1[r]);
        lb_mat3_add_transposed(&blocks.J, eta[r], &I->J1[r]);
        blocks.mp = lb_vec3_axpy(blocks.mp, I->mass * eta[r], I->p1[r]);
    }
    for (ptrdiff_t i = 0; i < n * n && order == 2; ++i) {
        lb_mat3_add_scaled(&blocks.J, eta[i / n] * eta[i % n], &I->J2[i]);
    }
    put_mass(n, &blocks, M);
    for (ptrdiff_t r = 0; r < n && order == 1; ++r) {
        lb_vec3 F = {0, 0, 0};
        for (ptrdiff_t s = 0; s < n; ++s) {
            F = lb_vec3_axpy(F, eta[s], I->F1[r * n + s]);
        }
        put_column(M, n + 6, n, r, F);
    }
    return LB_OK;
}

// ---- bias --------------------------------------------------------------------------------------

// w . A w
static double form(const lb_mat3 *A, lb_vec3 w)
{
    return lb_vec3_dot(w, lb_mat3_mul_vec(A, w));
}

// Bias                                                                                  (APC-5)
//
//     b_eta(r) = -w'[S(r) + N(r)]w - w' sum_s Q(r,s) etad_s + sum_qs T3(q,r,s) etad_q etad_s
//     b_w = w~J w + sum_r [2 N(r) + K(r)] etad_r w + w~ sum_r R1(r) etad_r
//           + sum_rs R(r,s) etad_r etad_s
//     b_v = m w~w~p + 2 w~ sum_r E(r) etad_r + m sum_rs L(r,s) etad_r etad_s
//
// Source: US 5,546,508, (108), (121), (129). Differs: w(k) in (108).
void lb_compute_modal_bias(const lb_modal_integrals *I, const lb_deformed_integrals *D,
                           const double *eta_dot, const double omega[3], double *b)
{
    const ptrdiff_t n = I->mode_count;
    const lb_vec3 w = lb_vec3_from(omega);
    lb_vec3 moment = lb_vec3_cross(w, lb_mat3_mul_vec(&D->J, w));
    lb_vec3 force = lb_vec3_scale(I->mass, lb_vec3_cross(w, lb_vec3_cross(w, D->p)));
    for (ptrdiff_t r = 0; r < n; ++r) {
        b[r] = -form(&D->S[r], w) - form(&D->N[r], w);
        lb_mat3 A = D->K[r];
        lb_mat3_add_scaled(&A, 2.0, &D->N[r]);
        moment = lb_vec3_axpy(moment, eta_dot[r], lb_mat3_mul_vec(&A, w));
        moment = lb_vec3_axpy(moment, eta_dot[r], lb_vec3_cross(w, I->R1[r]));
        force = lb_vec3_axpy(force, 2.0 * eta_dot[r], lb_vec3_cross(w, I->E[r]));
        for (ptrdiff_t s = 0; s < n; ++s) {
            const double rate2 = eta_dot[r] * eta_dot[s];
            b[r] -= eta_dot[s] * lb_vec3_dot(w, I->Q[r * n + s]);
            moment = lb_vec3_axpy(moment, rate2, D->R[r * n + s]);
            force = lb_vec3_axpy(force, I->mass * rate2, I->L[r * n + s]);
            for (ptrdiff_t q = 0; q < n; ++q) {
                b[r] += I->T3[(q * n + r) * n + s] * eta_dot[q] * eta_dot[s];
            }
        }
    }
    lb_vec3_to(moment, b + n);
    lb_vec3_to(force, b + n + 3);
}

// Bias by orders                                                                        (APC-6)
//
//     b0 = ( -w'[S1(r) + J1(r)]w,  w~J0 w,  m w~w~p0 )
static void compute_bias_0(const lb_modal_integrals *I, lb_vec3 w, double *b)
{
    const ptrdiff_t n = I->mode_count;
    for (ptrdiff_t r = 0; r < n; ++r) {
        b[r] = -form(&I->S1[r], w) - form(&I->J1[r], w);
    }
    lb_vec3_to(lb_vec3_cross(w, lb_mat3_mul_vec(&I->J0, w)), b + n);
    lb_vec3_to(lb_vec3_scale(I->mass, lb_vec3_cross(w, lb_vec3_cross(w, I->p0))), b + n + 3);
}

//     b1 = ( -w' sum_s [Q(r,s) etad_s + {S2(r,s) + J2(r,s)} eta_s w],
//            sum_r [w~{J1(r) + J1(r)'} eta_r w + {2 J1(r)' + K1(r)} etad_r w + w~R1(r) etad_r],
//            w~[m w~ p1 eta + 2 E etad] )
static void compute_bias_1(const lb_modal_integrals *I, const double *eta, const double *eta_dot,
                           lb_vec3 w, double *b)
{
    const ptrdiff_t n = I->mode_count;
    lb_vec3 moment = {0, 0, 0}, force = {0, 0, 0};
    for (ptrdiff_t r = 0; r < n; ++r) {
        b[r] = 0.0;
        for (ptrdiff_t s = 0; s < n; ++s) {
            const ptrdiff_t rs = r * n + s;
            b[r] -= eta_dot[s] * lb_vec3_dot(w, I->Q[rs]);
            b[r] -= eta[s] * (form(&I->S2[rs], w) + form(&I->J2[rs], w));
        }
        const lb_vec3 J1w = lb_mat3_mul_vec(&I->J1[r], w), tJ1w = lb_mat3_tmul_vec(&I->J1[r], w);
        const lb_vec3 turning = lb_vec3_cross(w, lb_vec3_add(J1w, tJ1w));
        lb_vec3 rate = lb_vec3_axpy(lb_mat3_mul_vec(&I->K1[r], w), 2.0, tJ1w);
        rate = lb_vec3_add(rate, lb_vec3_cross(w, I->R1[r]));
        moment = lb_vec3_axpy(lb_vec3_axpy(moment, eta[r], turning), eta_dot[r], rate);
        const lb_vec3 away = lb_vec3_cross(w, I->p1[r]);
        force = lb_vec3_axpy(force, I->mass * eta[r], away);
        force = lb_vec3_axpy(force, 2.0 * eta_dot[r], I->E[r]);
    }
    lb_vec3_to(moment, b + n);
    lb_vec3_to(lb_vec3_cross(w, force), b + n + 3);
}

//     b2 = ( sum_qs T3(q,r,s) etad_q etad_s,
//            sum_rs [w~J2(r,s) w eta_r eta_s + {2 J2(r,s)' + K2(r,s)} w etad_r eta_s
//                    + R2(r,s) etad_r etad_s],
//            m sum_rs L(r,s) etad_r etad_s )
static void compute_bias_2(const lb_modal_integrals *I, const double *eta, const double *eta_dot,
                           lb_vec3 w, double *b)
{
    const ptrdiff_t n = I->mode_count;
    lb_vec3 moment = {0, 0, 0}, force = {0, 0, 0};
    memset(b, 0, (size_t)n * sizeof *b);
    for (ptrdiff_t rs = 0; rs < n * n; ++rs) {
        const ptrdiff_t r = rs / n, s = rs % n;
        for (ptrdiff_t q = 0; q < n; ++q) {
            b[r] += I->T3[(q * n + r) * n + s] * eta_dot[q] * eta_dot[s];
        }
        const lb_vec3 turning = lb_vec3_cross(w, lb_mat3_mul_vec(&I->J2[rs], w));
        const lb_vec3 rate =
            lb_vec3_axpy(lb_mat3_mul_vec(&I->K2[rs], w), 2.0, lb_mat3_tmul_vec(&I->J2[rs], w));
        moment = lb_vec3_axpy(moment, eta[r] * eta[s], turning);
        moment = lb_vec3_axpy(moment, eta_dot[r] * eta[s], rate);
        moment = lb_vec3_axpy(moment, eta_dot[r] * eta_dot[s], I->R2[rs]);
        force = lb_vec3_axpy(force, I->mass * eta_dot[r] * eta_dot[s], I->L[rs]);
    }
    lb_vec3_to(moment, b + n);
    lb_vec3_to(force, b + n + 3);
}

//     b3 = ( 0,  sum_qrs R3(q,r,s) eta_q etad_r etad_s,  0 )
static void compute_bias_3(const lb_modal_integrals *I, const double *eta, const double *eta_dot,
                           double *b)
{
    const ptrdiff_t n = I->mode_count;
    lb_vec3 moment = {0, 0, 0};
    for (ptrdiff_t q = 0; q < n; ++q) {
        for (ptrdiff_t r = 0; r < n; ++r) {
            for (ptrdiff_t s = 0; s < n; ++s) {
                moment = lb_vec3_axpy(moment, eta[q] * eta_dot[r] * eta_dot[s],
                                      I->R3[(q * n + r) * n + s]);
            }
        }
    }
    memset(b, 0, (size_t)(n + 6) * sizeof *b);
    lb_vec3_to(moment, b + n);
}

// Source: US 5,546,508, (130). Differs: in b1 {S2 + J2} eta_s w, J2 for J0 and K1 for K; in b2 the
// term in etad_r eta_s.
lb_status lb_compute_modal_bias_order(const lb_modal_integrals *I, int order, const double *eta,
                                      const double *eta_dot, const double omega[3], double *b)
{
    const lb_vec3 w = lb_vec3_from(omega);
    const ptrdiff_t n = order > 0 ? I->mode_count : 0;
    if (!lb_are_finite(3, omega) || !lb_are_finite(n, eta) || !lb_are_finite(n, eta_dot)) {
        return LB_E_NUMBER;
    }
    switch (order) {
    case 0:
        compute_bias_0(I, w, b);
        return LB_OK;
    case 1:
        compute_bias_1(I, eta, eta_dot, w, b);
        return LB_OK;
    case 2:
        compute_bias_2(I, eta, eta_dot, w, b);
        return LB_OK;
    case 3:
        compute_bias_3(I, eta, eta_dot, b);
        return LB_OK;
    default:
        return LB_E_ARGUMENT;
    }
}

// ---- hinges ------------------------------------------------------------------------------------

// a~(b~c)
static lb_vec3 twice_cross(lb_vec3 a, lb_vec3 b, lb_vec3 c)
{
    return lb_vec3_cross(a, lb_vec3_cross(b, c));
}

// Coriolis and centrifugal acceleration of a hinge                                      (APC-7)
//
//     w(t) = w' + dw_t,  w(O) = w(t) + Dw,  w(k) = w(O) - dw_d,  w' = w(k+1)
//     u = Dv - dv_d + [Dw - dw_d]~l(O,k)
//     angular  w'~dw_t + w(O)~Dw - w(k)~dw_d
//     linear   w'~[w'~l(k+1,k) + 2 dv_t] + [w(t) + w(O)]~u + [2 w' + dw_t]~dw_t~l(t,k)
//              - [Dw - 2 dw_d]~dv_d - [Dw - dw_d]~dw_d~l(O,k)
//
// given     l(k+1,k) = l0(k+1,k) + dl_t - dl_d,  l(t,k) = l0(t,k) - dl_d,  l(O,k) = l0(O,k) - dl_d
// computes  a_mR, at the frame of k
//
// Source: US 5,546,508, (88). Differs: nearly every term of the print; derived from its (25).
lb_vec6 lb_compute_hinge_coriolis(const lb_hinge_deformation *h)
{
    const lb_vec3 w_t = lb_vec3_add(h->omega_p, h->dw_t), w_O = lb_vec3_add(w_t, h->Dw);
    const lb_vec3 w_k = lb_vec3_sub(w_O, h->dw_d), relative = lb_vec3_sub(h->Dw, h->dw_d);
    const lb_vec3 l_pk = lb_vec3_add(h->l0_pk, lb_vec3_sub(h->dl_t, h->dl_d));
    const lb_vec3 l_tk = lb_vec3_sub(h->l0_tk, h->dl_d), l_Ok = lb_vec3_sub(h->l0_Ok, h->dl_d);
    const lb_vec3 u = lb_vec3_add(lb_vec3_sub(h->Dv, h->dv_d), lb_vec3_cross(relative, l_Ok));

    lb_vec6 a = {lb_vec3_cross(h->omega_p, h->dw_t), twice_cross(h->omega_p, h->omega_p, l_pk)};
    a.w = lb_vec3_add(a.w, lb_vec3_cross(w_O, h->Dw));
    a.w = lb_vec3_sub(a.w, lb_vec3_cross(w_k, h->dw_d));
    a.v = lb_vec3_axpy(a.v, 2.0, lb_vec3_cross(h->omega_p, h->dv_t));
    a.v = lb_vec3_add(a.v, lb_vec3_cross(lb_vec3_add(w_t, w_O), u));
    a.v = lb_vec3_add(a.v, twice_cross(lb_vec3_axpy(h->dw_t, 2.0, h->omega_p), h->dw_t, l_tk));
    a.v = lb_vec3_sub(a.v, lb_vec3_cross(lb_vec3_axpy(h->Dw, -2.0, h->dw_d), h->dv_d));
    a.v = lb_vec3_sub(a.v, twice_cross(relative, h->dw_d, l_Ok));
    return a;
}

// The same by orders                                                                    (APC-8)
//
//     u = u0 + u1 + u2,  u0 = Dv + Dw~l0(O,k),  u1 = -dv_d - Dw~dl_d - dw_d~l0(O,k),
//     u2 = dw_d~dl_d;  c0 = 2 w' + Dw
//
// Source: US 5,546,508, (89)-(91). Differs: expanded anew from (APC-7), about w' and Dw.
lb_status lb_compute_hinge_coriolis_order(const lb_hinge_deformation *h, int order, lb_vec6 *out)
{
    const lb_vec3 w = h->omega_p, Dw = h->Dw, dw_t = h->dw_t, dw_d = h->dw_d;
    const lb_vec3 c0 = lb_vec3_axpy(Dw, 2.0, w);
    const lb_vec3 u0 = lb_vec3_add(h->Dv, lb_vec3_cross(Dw, h->l0_Ok));
    const lb_vec3 slide = lb_vec3_add(lb_vec3_cross(Dw, h->dl_d), lb_vec3_cross(dw_d, h->l0_Ok));
    const lb_vec3 u1 = lb_vec3_neg(lb_vec3_add(h->dv_d, slide));
    const lb_vec3 u2 = lb_vec3_cross(dw_d, h->dl_d);
    lb_vec6 a = lb_vec6_zero();
    if (!lb_are_finite(sizeof *h / sizeof(double), (const double *)(const void *)h)) {
        return LB_E_NUMBER;
    }
    switch (order) {
    case 0:
        // ( w'~Dw,  w'~w'~l0(k+1,k) + c0~u0 )
        a.w = lb_vec3_cross(w, Dw);
        a.v = lb_vec3_add(twice_cross(w, w, h->l0_pk), lb_vec3_cross(c0, u0));
        break;
    case 1:
        // ( w'~dw_t + dw_t~Dw - [w' + Dw]~dw_d,
        //   w'~{w'~[dl_t - dl_d] + 2 dv_t} + c0~u1 + 2 dw_t~u0 + 2 w'~dw_t~l0(t,k)
        //   - Dw~[dv_d + dw_d~l0(O,k)] )
        a.w = lb_vec3_add(lb_vec3_cross(w, dw_t), lb_vec3_cross(dw_t, Dw));
        a.w = lb_vec3_sub(a.w, lb_vec3_cross(lb_vec3_add(w, Dw), dw_d));
        a.v = twice_cross(w, w, lb_vec3_sub(h->dl_t, h->dl_d));
        a.v = lb_vec3_axpy(a.v, 2.0, lb_vec3_cross(w, h->dv_t));
        a.v = lb_vec3_add(a.v, lb_vec3_cross(c0, u1));
        a.v = lb_vec3_axpy(a.v, 2.0, lb_vec3_cross(dw_t, u0));
        a.v = lb_vec3_axpy(a.v, 2.0, twice_cross(w, dw_t, h->l0_tk));
        a.v = lb_vec3_sub(a.v,
                          lb_vec3_cross(Dw, lb_vec3_add(h->dv_d, lb_vec3_cross(dw_d, h->l0_Ok))));
        break;
    case 2:
        // ( -dw_t~dw_d,
        //   c0~u2 + 2 dw_t~u1 - 2 w'~dw_t~dl_d + dw_t~dw_t~l0(t,k) + 2 dw_d~dv_d
        //   + Dw~dw_d~dl_d + dw_d~dw_d~l0(O,k) )
        a.w = lb_vec3_cross(dw_d, dw_t);
        a.v = lb_vec3_axpy(lb_vec3_cross(c0, u2), 2.0, lb_vec3_cross(dw_t, u1));
        a.v = lb_vec3_axpy(a.v, -2.0, twice_cross(w, dw_t, h->dl_d));
        a.v = lb_vec3_add(a.v, twice_cross(dw_t, dw_t, h->l0_tk));
        a.v = lb_vec3_axpy(a.v, 2.0, lb_vec3_cross(dw_d, h->dv_d));
        a.v = lb_vec3_add(a.v, twice_cross(Dw, dw_d, h->dl_d));
        a.v = lb_vec3_add(a.v, twice_cross(dw_d, dw_d, h->l0_Ok));
        break;
    case 3:
        // ( 0,  2 dw_t~u2 - dw_t~dw_t~dl_d - dw_d~dw_d~dl_d )
        a.v = lb_vec3_scale(2.0, lb_vec3_cross(dw_t, u2));
        a.v = lb_vec3_sub(a.v, twice_cross(dw_t, dw_t, h->dl_d));
        a.v = lb_vec3_sub(a.v, twice_cross(dw_d, dw_d, h->dl_d));
        break;
    default:
        return LB_E_ARGUMENT;
    }
    *out = a;
    return LB_OK;
}
