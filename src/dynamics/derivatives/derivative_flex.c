// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What flexible bodies add to the derivatives: moving nodes, and a body by itself.
#include "base/rotation.h"
#include "derivatives.h"
#include "dynamics/tree/flexible.h"
#include "model/modal/appendix_c.h"
#include "model/modal/mat3_sums.h"

// ---- nodes -------------------------------------------------------------------------------------

// Second derivatives of b and c of (ROT-1) by t^2                                       (DER-5)
//
//     b'' = ((c - b) / 2 - 4 b') / (2 t^2),   c'' = (b' - 5 c') / (2 t^2)
//
// near zero from their series
static void get_second_turn(double t2, const lb_turn *t, double *b, double *c)
{
    if (t2 >= 1.0) {
        *b = (0.5 * (t->c - t->b) - 4.0 * t->b_prime) / (2.0 * t2);
        *c = (t->b_prime - 5.0 * t->c_prime) / (2.0 * t2);
        return;
    }
    // b = sum (-x)^k / (2k+2)!, c = sum (-x)^k / (2k+3)!: k (k-1) of each, the first at k = 2
    double term_b = 2.0 / 720.0, term_c = 2.0 / 5040.0;
    *b = *c = 0.0;
    for (int k = 2; k < 12; ++k) {
        *b += term_b;
        *c += term_c;
        const double ratio = -t2 * (k + 1.0) / (k - 1.0);
        term_b *= ratio / ((2.0 * k + 3.0) * (2.0 * k + 4.0));
        term_c *= ratio / ((2.0 * k + 4.0) * (2.0 * k + 5.0));
    }
}

// gamma2_rs, or zero
static lb_vec3 get_second(const lb_node *node, int n, int r, int s)
{
    if (!node->second) {
        return lb_vec3_make(0, 0, 0);
    }
    const int low = r < s ? r : s, high = r < s ? s : r;
    return node->second[low * n - low * (low - 1) / 2 + (high - low)];
}

// sum_s gamma2_rs x_s
static lb_vec3 get_second_sum(const lb_node *node, int n, int r, const double *x)
{
    lb_vec3 sum = {0, 0, 0};
    for (int s = 0; node->second && s < n; ++s) {
        sum = lb_vec3_axpy(sum, x[s], get_second(node, n, r, s));
    }
    return sum;
}

// Place of a node and its rates, from the gradients g_r of l.
typedef struct place {
    lb_vec3 l, rate, second;
} place;

static place get_place(const lb_node *node, const lb_pose *X, int n, const lb_flex_work *f)
{
    place p = {X->p, {0, 0, 0}, {0, 0, 0}};
    for (int r = 0; r < n; ++r) {
        // l = l0 + 1/2 sum (gamma_r + g_r) eta_r
        const lb_vec3 bent = get_second_sum(node, n, r, f->eta_seen);
        const lb_vec3 g = lb_vec3_add(node->shape[r].v, bent);
        p.l = lb_vec3_axpy(p.l, f->eta_seen[r], lb_vec3_axpy(node->shape[r].v, 0.5, bent));
        p.rate = lb_vec3_axpy(p.rate, f->eta_dot[r], g);
        p.second = lb_vec3_axpy(p.second, f->eta_ddot[r], g);
        p.second = lb_vec3_axpy(p.second, f->eta_dot[r], get_second_sum(node, n, r, f->eta_dot));
    }
    return p;
}

// Influence vectors and their rates                                                     (DER-5)
//
//     w_r = lambda + b x + c y,   x = d x lambda_r,  y = d x x;   g_r = gamma_r + gamma2_r eta
//     Pi_F = (w_r, g_r + l x w_r) and its first and second derivatives by time, in the body's axes
void lb_get_node_columns(const lb_node *node, const lb_pose *X, int n, const lb_flex_work *f,
                         lb_column *out)
{
    if (!node->shape) {
        for (int r = 0; r < n; ++r) {
            out[r].S = out[r].d = out[r].dd = lb_vec6_zero();
        }
        return;
    }
    const lb_vec3 d = lb_get_node_turn(node, n, f->eta_seen),
                  d1 = lb_get_node_turn(node, n, f->eta_dot);
    const lb_vec3 d2 = lb_get_node_turn(node, n, f->eta_ddot);
    const double t2 = lb_vec3_dot(d, d), t2_1 = 2.0 * lb_vec3_dot(d, d1);
    const double t2_2 = 2.0 * (lb_vec3_dot(d1, d1) + lb_vec3_dot(d, d2));
    const lb_turn t = lb_turn_of(t2);
    double b_second, c_second;
    get_second_turn(t2, &t, &b_second, &c_second);
    const double b1 = t.b_prime * t2_1, c1 = t.c_prime * t2_1;
    const double b2 = b_second * t2_1 * t2_1 + t.b_prime * t2_2;
    const double c2 = c_second * t2_1 * t2_1 + t.c_prime * t2_2;
    const place p = get_place(node, X, n, f);
    for (int r = 0; r < n; ++r) {
        const lb_vec3 lambda = node->shape[r].w;
        const lb_vec3 x = lb_vec3_cross(d, lambda), x1 = lb_vec3_cross(d1, lambda);
        const lb_vec3 x2 = lb_vec3_cross(d2, lambda), y = lb_vec3_cross(d, x);
        const lb_vec3 y1 = lb_vec3_add(lb_vec3_cross(d1, x), lb_vec3_cross(d, x1));
        const lb_vec3 y2 = lb_vec3_add(
            lb_vec3_axpy(lb_vec3_cross(d2, x), 2.0, lb_vec3_cross(d1, x1)), lb_vec3_cross(d, x2));
        const lb_vec3 w = lb_vec3_axpy(lb_vec3_axpy(lambda, t.b, x), t.c, y);
        const lb_vec3 w1 = lb_vec3_add(lb_vec3_axpy(lb_vec3_scale(b1, x), t.b, x1),
                                       lb_vec3_axpy(lb_vec3_scale(c1, y), t.c, y1));
        const lb_vec3 w2 =
            lb_vec3_add(lb_vec3_axpy(lb_vec3_axpy(lb_vec3_scale(b2, x), 2.0 * b1, x1), t.b, x2),
                        lb_vec3_axpy(lb_vec3_axpy(lb_vec3_scale(c2, y), 2.0 * c1, y1), t.c, y2));
        const lb_vec3 g = lb_vec3_add(node->shape[r].v, get_second_sum(node, n, r, f->eta_seen));
        const lb_vec3 g1 = get_second_sum(node, n, r, f->eta_dot);
        const lb_vec3 g2 = get_second_sum(node, n, r, f->eta_ddot);
        out[r].S = lb_vec6_make(w, lb_vec3_add(g, lb_vec3_cross(p.l, w)));
        out[r].d = lb_vec6_make(
            w1, lb_vec3_add(g1, lb_vec3_add(lb_vec3_cross(p.rate, w), lb_vec3_cross(p.l, w1))));
        out[r].dd = lb_vec6_make(w2, lb_vec3_add(lb_vec3_add(g2, lb_vec3_cross(p.l, w2)),
                                                 lb_vec3_axpy(lb_vec3_cross(p.second, w), 2.0,
                                                              lb_vec3_cross(p.rate, w1))));
    }
}

// A force on the second derivatives of a place                                          (DER-5)
//
//     F . dPi_F,s / d eta_r = (n - l x f) . dw_s/d eta_r + f . (gamma2_rs + g_r x w_s)
//     dw_s/d eta_r = 2 (d . lambda_r) (b' x_s + c' y_s) + b lambda_r x lambda_s
//                    + c (lambda_r x x_s + d x (lambda_r x lambda_s))
void lb_get_node_curvature(const lb_node *node, const lb_pose *X, int n, const double *eta,
                           lb_vec6 F, double *out)
{
    if (!node->shape) {
        for (int i = 0; i < n * n; ++i) {
            out[i] = 0.0;
        }
        return;
    }
    const lb_vec3 d = lb_get_node_turn(node, n, eta);
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    lb_vec3 l = X->p;
    for (int r = 0; r < n; ++r) {
        l = lb_vec3_axpy(l, eta[r],
                         lb_vec3_axpy(node->shape[r].v, 0.5, get_second_sum(node, n, r, eta)));
    }
    const lb_vec3 moment = lb_vec3_sub(F.w, lb_vec3_cross(l, F.v));
    for (int r = 0; r < n; ++r) {
        const lb_vec3 lambda_r = node->shape[r].w;
        const lb_vec3 g = lb_vec3_add(node->shape[r].v, get_second_sum(node, n, r, eta));
        const double along = 2.0 * lb_vec3_dot(d, lambda_r);
        for (int s = 0; s < n; ++s) {
            const lb_vec3 lambda = node->shape[s].w, x = lb_vec3_cross(d, lambda);
            const lb_vec3 y = lb_vec3_cross(d, x), both = lb_vec3_cross(lambda_r, lambda);
            const lb_vec3 w = lb_vec3_axpy(lb_vec3_axpy(lambda, t.b, x), t.c, y);
            const lb_vec3 bend = lb_vec3_add(lb_vec3_cross(lambda_r, x), lb_vec3_cross(d, both));
            lb_vec3 turning =
                lb_vec3_axpy(lb_vec3_scale(along * t.b_prime, x), along * t.c_prime, y);
            turning = lb_vec3_axpy(lb_vec3_axpy(turning, t.b, both), t.c, bend);
            out[r * n + s] =
                lb_vec3_dot(moment, turning) +
                lb_vec3_dot(F.v, lb_vec3_add(get_second(node, n, r, s), lb_vec3_cross(g, w)));
        }
    }
}

// ---- a body by itself --------------------------------------------------------------------------

// Derivatives of the forces of a body, its frame's motion held; axes of the body.
typedef struct local {
    int n, stride;
    double *dq, *dv; ///< of f_f: n x n with a stride
    lb_vec6 *z, *u;  ///< of f_r by eta, by etad
    lb_vec3 *g;      ///< db_f/d omega
    lb_sym3 J_dot;
    lb_vec3 n_f; ///< with J_dot: db_w/d omega has  J_dot - n_f~  from the rates
} local;

// Of the polynomials (FLX-3)                                                            (DER-6)
//
//     f_f: by eta_s  B_sr . wd - 1/2 w . S2_rs w,    by etad_s  (B_sr - B_rs) . w
//     f_w: by eta_s  S'_s wd + E_s x vd + B_s eta_ddot + S2_s etad w + w x (B_s etad + S'_s w)
//          by etad_s B_s etad + B etad_s + S'_s w + w x M_wf,s
//     f_v: by eta_s  -E_s x wd + w x (w x E_s),      by etad_s  2 w x E_s
//     b_f by w:      sum_t etad_t (B_tr - B_rt) - S'_r w
static void add_polynomials(const lb_flex *f, const lb_flex_work *w, lb_vec3 omega, lb_vec6 alpha,
                            local *out)
{
    const int n = f->mode_count;
    for (int s = 0; s < n; ++s) {
        const lb_vec3 E = f->E[s], Sw = lb_sym3_mul_vec(w->S[s], omega);
        lb_vec3 by_rate = {0, 0, 0}, by_second = {0, 0, 0}, back = {0, 0, 0}, quadratic = {0, 0, 0};
        lb_vec3 M_wf = f->B0[s];
        for (int r = 0; !f->constant && r < n; ++r) {
            const lb_vec3 B_sr = f->B[s * n + r], B_rs = f->B[r * n + s];
            const lb_vec3 S2w = lb_sym3_mul_vec(f->S2[s * n + r], omega);
            by_rate = lb_vec3_axpy(by_rate, w->eta_dot[r], B_sr);
            by_second = lb_vec3_axpy(by_second, w->eta_ddot[r], B_sr);
            back = lb_vec3_axpy(back, w->eta_dot[r], B_rs);
            quadratic = lb_vec3_axpy(quadratic, w->eta_dot[r], S2w);
            M_wf = lb_vec3_axpy(M_wf, w->eta[r], B_rs);
            out->dq[r * out->stride + s] +=
                lb_vec3_dot(B_sr, alpha.w) - 0.5 * lb_vec3_dot(omega, S2w);
            out->dv[r * out->stride + s] += lb_vec3_dot(lb_vec3_sub(B_sr, B_rs), omega);
        }
        lb_vec3 z = lb_vec3_add(lb_sym3_mul_vec(w->S[s], alpha.w), lb_vec3_cross(E, alpha.v));
        z = lb_vec3_add(lb_vec3_add(z, by_second), quadratic);
        z = lb_vec3_add(z, lb_vec3_cross(omega, lb_vec3_add(by_rate, Sw)));
        const lb_vec3 swung = lb_vec3_cross(omega, lb_vec3_cross(omega, E));
        out->z[s] = lb_vec6_make(z, lb_vec3_sub(swung, lb_vec3_cross(E, alpha.w)));
        out->u[s].w =
            lb_vec3_add(lb_vec3_add(by_rate, back), lb_vec3_add(Sw, lb_vec3_cross(omega, M_wf)));
        out->u[s].v = lb_vec3_scale(2.0, lb_vec3_cross(omega, E));
        out->g[s] = lb_vec3_sub(lb_vec3_sub(back, by_rate), Sw);
        const lb_sym3 S = w->S[s];
        const double rate = w->eta_dot[s];
        out->J_dot = lb_sym3_add(out->J_dot, (lb_sym3){rate * S.xx, rate * S.yy, rate * S.zz,
                                                       rate * S.xy, rate * S.xz, rate * S.yz});
    }
}

// Of the bias of zero deformation (FLX-10): nothing but  db_f/dw = -S_r w             (DER-6)
static void add_ruthless(const lb_flex *f, lb_vec3 omega, local *out)
{
    for (int s = 0; s < f->mode_count; ++s) {
        out->z[s] = out->u[s] = lb_vec6_zero();
        out->g[s] = lb_vec3_neg(lb_sym3_mul_vec(f->S[s], omega));
    }
}

// Of the terms of two rates in (APC-9): T3, R = R2 + sum_q R3(q) eta_q, m L             (DER-17)
//
//     by etad_r   etad_s times those of a pair, and the same with r and s exchanged
//     by eta_q    etad_r etad_s R3(q,r,s)
static void add_appendix_c_pairs(const lb_appendix_c *c, const lb_flex_work *w, local *out)
{
    const int n = out->n;
    const lb_vec6 *RL = c->RL;
    const double *T3 = c->T3;
    const lb_vec3 *R3 = c->R3;
    for (int r = 0; r < n; ++r) {
        for (int s = r; s < n; ++s, ++RL) {
            const double rate_r = w->eta_dot[r], rate_s = w->eta_dot[s];
            lb_vec6 RL_eta = *RL;
            for (int q = 0; R3 && q < n; ++q, ++R3) {
                RL_eta.w = lb_vec3_axpy(RL_eta.w, w->eta[q], *R3);
                out->z[q].w = lb_vec3_axpy(out->z[q].w, rate_r * rate_s, *R3);
            }
            for (int q = 0; T3 && q < n; ++q, ++T3) {
                out->dv[q * out->stride + r] += rate_s * *T3;
                out->dv[q * out->stride + s] += rate_r * *T3;
            }
            out->u[r] = lb_vec6_axpy(out->u[r], rate_s, RL_eta);
            out->u[s] = lb_vec6_axpy(out->u[s], rate_r, RL_eta);
        }
    }
}

// Of the integrals of Appendix C (APC-3), (APC-9)                                       (DER-17)
//
//     f_f: by eta_s  B_sr . wd - w . Z2(r,s) w,      by etad_s  -w . Q(r,s)
//     f_w: by eta_s  S'_s wd + h1_s x vd + B_s eta_ddot + w x S'_s w + 2 sum_r etad_r Z2(r,s)' w
//          by etad_s w x C_s + 2 Z(s)' w
//     f_v: by eta_s  -h1_s x wd + w x (w x h1_s),    by etad_s  2 w x E_s
//     b_f by w:      -(Z(r) + Z(r)') w - sum_s Q(r,s) etad_s
//     b_w by w:      what a rigid body has, and 2 sum_r etad_r Z(r)' - (sum_r etad_r C_r)~
static void add_appendix_c(const lb_flex *f, const lb_flex_work *w, lb_vec3 omega, lb_vec6 alpha,
                           local *out)
{
    const int n = f->mode_count;
    const lb_appendix_c *c = f->appendix_c;
    lb_mat3 turning = {{{0}}};
    lb_vec3 spin = {0, 0, 0};
    for (int s = 0; s < n; ++s) {
        lb_mat3 Z = c->Z1[s];
        lb_vec3 by_second = {0, 0, 0}, carried = {0, 0, 0}, Q = {0, 0, 0};
        for (int r = 0; r < n; ++r) {
            const lb_vec3 B_sr = f->B[s * n + r];
            const lb_mat3 *Z2 = &c->Z2[r * n + s];
            const lb_vec3 y = lb_mat3_tmul_vec(Z2, omega);
            lb_mat3_add_scaled(&Z, w->eta[r], &c->Z2[s * n + r]);
            Q = lb_vec3_axpy(Q, w->eta_dot[r], c->Q[s * n + r]);
            by_second = lb_vec3_axpy(by_second, w->eta_ddot[r], B_sr);
            carried = lb_vec3_axpy(carried, 2.0 * w->eta_dot[r], y);
            out->dq[r * out->stride + s] += lb_vec3_dot(B_sr, alpha.w) - lb_vec3_dot(omega, y);
            out->dv[r * out->stride + s] -= lb_vec3_dot(omega, c->Q[r * n + s]);
        }
        const lb_vec3 h1 = f->h1[s], y = lb_mat3_tmul_vec(&Z, omega);
        const lb_vec3 Sw = lb_sym3_mul_vec(w->S[s], omega);
        lb_vec3 z = lb_vec3_add(lb_sym3_mul_vec(w->S[s], alpha.w), lb_vec3_cross(h1, alpha.v));
        z = lb_vec3_add(lb_vec3_add(z, by_second), lb_vec3_add(carried, lb_vec3_cross(omega, Sw)));
        const lb_vec3 swung = lb_vec3_cross(omega, lb_vec3_cross(omega, h1));
        out->z[s] = lb_vec6_make(z, lb_vec3_sub(swung, lb_vec3_cross(h1, alpha.w)));
        out->u[s].w = lb_vec3_axpy(lb_vec3_cross(omega, c->C[s]), 2.0, y);
        out->u[s].v = lb_vec3_scale(2.0, lb_vec3_cross(omega, f->E[s]));
        out->g[s] = lb_vec3_neg(lb_vec3_add(lb_vec3_add(y, lb_mat3_mul_vec(&Z, omega)), Q));
        lb_mat3_add_transposed(&turning, 2.0 * w->eta_dot[s], &Z);
        spin = lb_vec3_axpy(spin, w->eta_dot[s], c->C[s]);
    }
    add_appendix_c_pairs(c, w, out);
    // turning - spin~, as its symmetric part and the rest
    const double(*t)[3] = (const double(*)[3])turning.m;
    out->J_dot = (lb_sym3){t[0][0],
                           t[1][1],
                           t[2][2],
                           0.5 * (t[0][1] + t[1][0]),
                           0.5 * (t[0][2] + t[2][0]),
                           0.5 * (t[1][2] + t[2][1])};
    out->n_f = lb_vec3_sub(spin, lb_vec3_make(0.5 * (t[2][1] - t[1][2]), 0.5 * (t[0][2] - t[2][0]),
                                              0.5 * (t[1][0] - t[0][1])));
}

// sum over points of a x b
static lb_vec3 cross_product(int N, const lb_lane *a, const lb_lane *b)
{
    lb_lane x = {0}, y = {0}, z = {0};
    for (int i = 0; i < N; ++i) {
        x += a[N + i] * b[2 * N + i] - a[2 * N + i] * b[N + i];
        y += a[2 * N + i] * b[i] - a[i] * b[2 * N + i];
        z += a[i] * b[N + i] - a[N + i] * b[i];
    }
    return lb_vec3_make(lb_sum_lane(&x), lb_sum_lane(&y), lb_sum_lane(&z));
}

// out = w x a (+ b), point by point; out may be a but not b
static void turn_points(int N, lb_vec3 w, const lb_lane *a, const lb_lane *b, lb_lane *out)
{
    for (int i = 0; i < N; ++i) {
        const lb_lane x = a[i], y = a[N + i], z = a[2 * N + i];
        out[i] = w.y * z - w.z * y;
        out[N + i] = w.z * x - w.x * z;
        out[2 * N + i] = w.x * y - w.y * x;
    }
    for (int i = 0; b && i < 3 * N; ++i) {
        out[i] += b[i];
    }
}

// Rows of the scratch: c, c_dot, a, da, e, e2 (3 each), then C, D, D_dot (3 n each).
static size_t count_point_rows(int n)
{
    return (size_t)(9 * n + 18);
}

size_t lb_get_point_derivative_scratch(const lb_flex *flex)
{
    return count_point_rows(flex->mode_count) * (size_t)flex->block_count * LB_LANES;
}

// Of the mass points (FLX-4), (FLX-6)                                                   (DER-6)
//
//     a = u vd + wd x c + C eta_ddot + w x (w x c + 2 C etad) + etad' Gamma2 etad
//     f_f = C . a,   f_w = c x a,   f_v = u a
//     by eta_s:   dc = C_s,  dC_r = Gamma2_rs,
//                 da = wd x C_s + Gamma2_s eta_ddot + w x (w x C_s + 2 Gamma2_s etad)
//     by etad_s:  da = 2 w x C_s + 2 Gamma2_s etad
//     b_f by w:   (w x c + 2 C etad) x C_r + c x (C_r x w)
static void add_points(const lb_flex *f, const lb_flex_work *w, lb_vec3 omega, lb_vec6 alpha,
                       lb_lane *scratch, local *out)
{
    const int n = f->mode_count, N = f->block_count;
    const lb_lane *u = f->points;
    lb_lane *c = scratch, *c_dot = c + 3 * N, *a = c_dot + 3 * N, *da = a + 3 * N;
    lb_lane *e = da + 3 * N, *e2 = e + 3 * N, *C = e2 + 3 * N, *D = C + 3 * n * N;
    lb_lane *D_dot = D + 3 * n * N;
    lb_deform_points(f, w->eta, c, C);
    for (int i = 0; i < 3 * n * N; ++i) {
        D[i] = D_dot[i] = (lb_lane){0};
    }
    lb_add_second_order(f, w->eta_ddot, D);
    lb_add_second_order(f, w->eta_dot, D_dot);

    // c_dot, and e = w x c + 2 c_dot
    for (int i = 0; i < 3 * N; ++i) {
        c_dot[i] = a[i] = (lb_lane){0};
    }
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < 3 * N; ++i) {
            c_dot[i] += w->eta_dot[r] * C[3 * r * N + i];
            a[i] += w->eta_ddot[r] * C[3 * r * N + i] + w->eta_dot[r] * D_dot[3 * r * N + i];
        }
    }
    turn_points(N, omega, c, c_dot, e);
    for (int i = 0; i < 3 * N; ++i) {
        e[i] += c_dot[i];
    }
    turn_points(N, omega, e, a, da);
    turn_points(N, alpha.w, c, da, a);
    for (int i = 0; i < N; ++i) {
        a[i] += alpha.v.x * u[i];
        a[N + i] += alpha.v.y * u[i];
        a[2 * N + i] += alpha.v.z * u[i];
    }

    for (int s = 0; s < n; ++s) {
        const lb_lane *C_s = C + 3 * s * N, *D_s = D + 3 * s * N, *D_dot_s = D_dot + 3 * s * N;
        // g: (w x c + 2 c_dot) x C_s + c x (C_s x w)
        turn_points(N, omega, C_s, NULL, e2);
        out->g[s] =
            lb_vec3_add(out->g[s], lb_vec3_sub(cross_product(N, e, C_s), cross_product(N, c, e2)));
        // by etad_s, then by eta_s
        for (int i = 0; i < 3 * N; ++i) {
            da[i] = 2.0 * e2[i] + 2.0 * D_dot_s[i];
            e2[i] += 2.0 * D_dot_s[i];
        }
        for (int r = 0; r < n; ++r) {
            out->dv[r * out->stride + s] += lb_multiply_lanes(3 * N, C + 3 * r * N, da);
        }
        lb_vec3 force = {lb_multiply_lanes(N, u, da), lb_multiply_lanes(N, u, da + N),
                         lb_multiply_lanes(N, u, da + 2 * N)};
        out->u[s] = lb_vec6_add(out->u[s], lb_vec6_make(cross_product(N, c, da), force));

        turn_points(N, omega, e2, D_s, e2);
        turn_points(N, alpha.w, C_s, e2, da);
        for (int r = 0; r < n; ++r) {
            out->dq[r * out->stride + s] += lb_multiply_lanes(3 * N, C + 3 * r * N, da);
        }
        force = lb_vec3_make(lb_multiply_lanes(N, u, da), lb_multiply_lanes(N, u, da + N),
                             lb_multiply_lanes(N, u, da + 2 * N));
        const lb_vec3 moment = lb_vec3_add(cross_product(N, C_s, a), cross_product(N, c, da));
        out->z[s] = lb_vec6_add(out->z[s], lb_vec6_make(moment, force));
    }
    for (int i = 0; i < f->second_count; ++i) {
        const lb_second_row *g = &f->second[i];
        const double x = lb_multiply_lanes(N, f->points + g->row * N, a + g->axis * N);
        out->dq[g->r * out->stride + g->s] += x;
        if (g->r != g->s) {
            out->dq[g->s * out->stride + g->r] += x;
        }
    }
    const double xx = 2.0 * lb_multiply_lanes(N, c, c_dot),
                 yy = 2.0 * lb_multiply_lanes(N, c + N, c_dot + N);
    const double zz = 2.0 * lb_multiply_lanes(N, c + 2 * N, c_dot + 2 * N);
    const lb_sym3 J_dot = {
        yy + zz,
        xx + zz,
        xx + yy,
        -lb_multiply_lanes(N, c, c_dot + N) - lb_multiply_lanes(N, c + N, c_dot),
        -lb_multiply_lanes(N, c, c_dot + 2 * N) - lb_multiply_lanes(N, c + 2 * N, c_dot),
        -lb_multiply_lanes(N, c + N, c_dot + 2 * N) - lb_multiply_lanes(N, c + 2 * N, c_dot + N)};
    out->J_dot = lb_sym3_add(out->J_dot, J_dot);
}

// A flexible body by itself                                                             (DER-6)
//
//     y_r = M_rf,r,   w_r = w x M_wf,r + 2 v x E_r + db_f,r/dw,   z = df_r/d eta,   u = df_r/d etad
//     n_f = M_wf etad,   dJ/dt = sum_t etad_t dJ/d eta_t,   F = M_rr alpha + M_rf eta_ddot + b_r
void lb_start_mode_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_flex *flex = b->flex;
    const lb_flex_work *f = &work->flex[b->flex_index];
    lb_derivative_body *w = &s->bodies[k];
    const int n = b->mode_count;
    const ptrdiff_t stride = s->stride, block = b->speed * stride + b->speed;
    const lb_vec6 alpha = work->bodies[k].alpha;
    const lb_vec3 omega = lb_mat3_tmul_vec(&w->X.R, w->V.w);
    const lb_vec3 v = lb_mat3_tmul_vec(&w->X.R, lb_vec3_add(w->V.v, lb_vec3_cross(w->V.w, w->X.p)));

    local out = {n,        s->stride,    s->dq + block, s->dv + block,
                 s->local, s->local + n, s->local_g,    {0, 0, 0, 0, 0, 0},
                 {0, 0, 0}};
    for (int r = 0; r < n; ++r) {
        for (int q = 0; q < n; ++q) {
            out.dq[r * stride + q] = flex->K[r * n + q];
            out.dv[r * stride + q] = flex->C ? flex->C[r * n + q] : 0.0;
            s->M[block + r * stride + q] = f->M_ff[r * n + q];
        }
    }
    if (lb_is_ruthless(flex)) {
        add_ruthless(flex, omega, &out);
    } else if (flex->appendix_c) {
        add_appendix_c(flex, f, omega, alpha, &out);
    } else {
        add_polynomials(flex, f, omega, alpha, &out);
        if (flex->block_count) {
            add_points(flex, f, omega, alpha, (lb_lane *)(void *)s->points, &out);
        }
    }

    lb_vec6 momentum = lb_vec6_zero();
    lb_vec6 force = lb_vec6_add(lb_inertia_mul(&f->M_rr, alpha), f->b_r);
    for (int r = 0; r < n; ++r) {
        const lb_vec6 M_rf = f->M_rf[r];
        momentum = lb_vec6_axpy(momentum, f->eta_dot[r], M_rf);
        force = lb_vec6_axpy(force, f->eta_ddot[r], M_rf);
        lb_vec3 own = lb_vec3_add(lb_vec3_cross(omega, M_rf.w), out.g[r]);
        own = lb_vec3_axpy(own, 2.0, lb_vec3_cross(v, M_rf.v));
        lb_put_row(s->y, stride, b->speed + r, lb_pose_carry_force(&w->X, M_rf));
        lb_put_row3(s->w, stride, b->speed + r, lb_mat3_mul_vec(&w->X.R, own));
        lb_put_row(s->z, stride, b->speed + r, lb_pose_carry_force(&w->X, out.z[r]));
        lb_put_row(s->u, stride, b->speed + r, lb_pose_carry_force(&w->X, out.u[r]));
    }
    w->sum.F = lb_pose_carry_force(&w->X, force);
    if (lb_is_ruthless(flex)) {
        return; // its bias is that of a rigid body
    }
    if (flex->appendix_c) {
        momentum.w = out.n_f;
    }

    // 2 B grows by dJ/dt - n_f~, and f by the momentum of deformation
    const lb_inertia rate = {0.0, momentum.v, out.J_dot};
    const lb_sym3 J = lb_inertia_carry(&w->X, &rate).J;
    const lb_vec6 p = lb_pose_carry_force(&w->X, momentum);
    w->sum.f = lb_vec3_add(w->sum.f, p.v);
    lb_mat3 *T = &w->sum.T;
    T->m[0][0] += J.xx;
    T->m[1][1] += J.yy;
    T->m[2][2] += J.zz;
    T->m[0][1] += J.xy + p.w.z;
    T->m[1][0] += J.xy - p.w.z;
    T->m[0][2] += J.xz - p.w.y;
    T->m[2][0] += J.xz + p.w.y;
    T->m[1][2] += J.yz + p.w.x;
    T->m[2][1] += J.yz - p.w.x;
}
