// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal inertia and bias of a flexible body; the bias of fidelity `appendix-c` is in appendix_c_bias.c.
#include "appendix_c.h"
#include "base/hot.h"

// ---- polynomials -------------------------------------------------------------------------------

static lb_sym3 sym3_axpy(lb_sym3 a, double s, lb_sym3 b)
{
    lb_sym3 r = {a.xx + s * b.xx, a.yy + s * b.yy, a.zz + s * b.zz,
                 a.xy + s * b.xy, a.xz + s * b.xz, a.yz + s * b.yz};
    return r;
}

// Inertia by polynomials                                                                (FLX-3)
//
//     M_ff const,   h = h0 + sum_r h1_r eta_r,   M_vf = E   (h1 = E but in appendix-c)
//     M_wf,r = B0_r + sum_t eta_t B_tr
//     M_ww = S0 + sum_t eta_t (S_t + 1/2 sum_s S2_ts eta_s)
//
// The derivative S_t + sum_s S2_ts eta_s is kept for the bias.
static void compute_polynomials(const lb_flex *f, lb_flex_work *w)
{
    const int n = f->mode_count;
    w->M_rr = (lb_inertia){f->mass, f->h0, f->S0};
    for (int r = 0; r < n; ++r) {
        w->M_rf[r] = (lb_vec6){f->B0[r], f->E[r]};
        w->M_rr.h = lb_vec3_axpy(w->M_rr.h, w->eta[r], f->h1[r]);
        w->S[r] = f->S[r];
    }
    for (int i = 0; i < n * n; ++i) {
        w->M_ff[i] = f->M_ff[i];
    }
    if (f->constant) {
        return;
    }
    for (int t = 0; t < n; ++t) {
        const double eta = w->eta[t];
        for (int r = 0; r < n; ++r) {
            LB_LANE(r, n);
            w->M_rf[r].w = lb_vec3_axpy(w->M_rf[r].w, eta, f->B[t * n + r]);
            w->S[r] = sym3_axpy(w->S[r], eta, f->S2[t * n + r]);
        }
        LB_LANE(0, 0);
    }
    for (int t = 0; t < n; ++t) {
        // 1/2 (S_t + (S_t + S2 eta)) = S_t + 1/2 S2 eta
        w->M_rr.J = sym3_axpy(w->M_rr.J, 0.5 * w->eta[t], lb_sym3_add(f->S[t], w->S[t]));
    }
}

// Bias of the polynomials                                                               (FLX-5)
//
//     b = dM/dt V + (-1/2 d(V'MV)/d eta, w x h_w, w x h_v),  V = (etad, w, 0)
//
//     b_f,r = sum_t etad_t (B_tr - B_rt) . w - 1/2 w . S'_r w,       S'_r = dM_ww/d eta_r
//     b_w = sum_tr etad_t etad_r B_tr + sum_t etad_t S'_t w + w x (M_wf etad + M_ww w)
//     b_v = 2 w x (E etad) + w x (w x h)
static void compute_polynomial_bias(const lb_flex *f, lb_vec3 omega, lb_flex_work *w)
{
    const int n = f->mode_count;
    lb_vec3 h_w = lb_sym3_mul_vec(w->M_rr.J, omega), rate = {0, 0, 0}, h_dot = {0, 0, 0};
    for (int r = 0; r < n; ++r) {
        h_w = lb_vec3_axpy(h_w, w->eta_dot[r], w->M_rf[r].w);
        h_dot = lb_vec3_axpy(h_dot, w->eta_dot[r], f->E[r]);
        w->b_f[r] = 0.0;
        if (f->constant) {
            continue;
        }
        LB_LANE(r, n);
        lb_vec3 forward = {0, 0, 0}, backward = {0, 0, 0};
        for (int t = 0; t < n; ++t) {
            forward = lb_vec3_axpy(forward, w->eta_dot[t], f->B[t * n + r]);
            backward = lb_vec3_axpy(backward, w->eta_dot[t], f->B[r * n + t]);
        }
        const lb_vec3 Sw = lb_sym3_mul_vec(w->S[r], omega);
        w->b_f[r] =
            lb_vec3_dot(lb_vec3_sub(forward, backward), omega) - 0.5 * lb_vec3_dot(omega, Sw);
        const lb_vec3 sum = lb_vec3_add(forward, Sw);
        LB_LANE(0, 0);
        rate = lb_vec3_axpy(rate, w->eta_dot[r], sum);
    }
    w->b_r.w = lb_vec3_add(rate, lb_vec3_cross(omega, h_w));
    const lb_vec3 turning = lb_vec3_cross(omega, w->M_rr.h);
    w->b_r.v = lb_vec3_cross(omega, lb_vec3_axpy(turning, 2.0, h_dot));
}

// ---- mass points -------------------------------------------------------------------------------

// Rows of the scratch: c (3), C_r (3 n), acceleration (3).
size_t lb_get_point_scratch(const lb_flex *flex)
{
    return (size_t)(3 * flex->mode_count + 6) * (size_t)flex->block_count * LB_LANES;
}

// The mass points of a deformed body                                                    (FLX-4)
//
//     C_r = Gamma_r + sum_s Gamma2_rs eta_s,   c = c0 + 1/2 sum_r (Gamma_r + C_r) eta_r
void lb_deform_points(const lb_flex *f, const double *eta, lb_lane *c, lb_lane *C)
{
    const int n = f->mode_count, N = f->block_count;
    const lb_lane *c0 = f->points + N, *Gamma = c0 + 3 * N;
    for (int i = 0; i < 3 * n * N; ++i) {
        C[i] = Gamma[i];
    }
    lb_add_second_order(f, eta, C);
    for (int i = 0; i < 3 * N; ++i) {
        c[i] = c0[i];
    }
    for (int r = 0; r < n; ++r) {
        const double half = 0.5 * eta[r];
        for (int i = 0; i < 3 * N; ++i) {
            c[i] += half * (Gamma[3 * r * N + i] + C[3 * r * N + i]);
        }
    }
}

// C_r += sum_s Gamma2_rs x_s
void lb_add_second_order(const lb_flex *f, const double *x, lb_lane *C)
{
    const int N = f->block_count;
    for (int e = 0; e < f->second_count; ++e) {
        const lb_second_row *g = &f->second[e];
        const lb_lane *row = f->points + g->row * N;
        lb_lane *C_r = C + (3 * g->r + g->axis) * N, *C_s = C + (3 * g->s + g->axis) * N;
        const double x_r = x[g->r], x_s = x[g->s];
        for (int i = 0; i < N; ++i) {
            C_r[i] += row[i] * x_s;
        }
        if (g->r != g->s) {
            for (int i = 0; i < N; ++i) {
                C_s[i] += row[i] * x_r;
            }
        }
    }
}

// Inertia by mass points                                                                (FLX-4)
//
//     T = [C, -c~, u]:   M_m += sum of T'T over the points
static void compute_points(const lb_flex *f, lb_lane *scratch, lb_flex_work *w)
{
    const int n = f->mode_count, N = f->block_count;
    const lb_lane *u = f->points;
    lb_lane *c = scratch, *C = c + 3 * N;
    lb_deform_points(f, w->eta, c, C);

    // sums of products of the fields
    for (int r = 0; r < n; ++r) {
        const lb_lane *C_r = C + 3 * r * N;
        for (int s = 0; s <= r; ++s) {
            const double m = lb_multiply_lanes(3 * N, C_r, C + 3 * s * N);
            w->M_ff[r * n + s] += m;
            if (s != r) {
                w->M_ff[s * n + r] += m;
            }
        }
        lb_lane x = {0}, y = {0}, z = {0};
        for (int i = 0; i < N; ++i) {
            x += c[N + i] * C_r[2 * N + i] - c[2 * N + i] * C_r[N + i];
            y += c[2 * N + i] * C_r[i] - c[i] * C_r[2 * N + i];
            z += c[i] * C_r[N + i] - c[N + i] * C_r[i];
        }
        const lb_vec3 moment = {lb_sum_lane(&x), lb_sum_lane(&y), lb_sum_lane(&z)};
        const lb_vec3 force = {lb_multiply_lanes(N, u, C_r), lb_multiply_lanes(N, u, C_r + N),
                               lb_multiply_lanes(N, u, C_r + 2 * N)};
        w->M_rf[r] = lb_vec6_add(w->M_rf[r], lb_vec6_make(moment, force));
    }
    const double xx = lb_multiply_lanes(N, c, c), yy = lb_multiply_lanes(N, c + N, c + N),
                 zz = lb_multiply_lanes(N, c + 2 * N, c + 2 * N);
    const lb_sym3 J = {yy + zz,
                       xx + zz,
                       xx + yy,
                       -lb_multiply_lanes(N, c, c + N),
                       -lb_multiply_lanes(N, c, c + 2 * N),
                       -lb_multiply_lanes(N, c + N, c + 2 * N)};
    const lb_vec3 h = {lb_multiply_lanes(N, u, c), lb_multiply_lanes(N, u, c + N),
                       lb_multiply_lanes(N, u, c + 2 * N)};
    w->M_rr.J = lb_sym3_add(w->M_rr.J, J);
    w->M_rr.h = lb_vec3_add(w->M_rr.h, h);
}

// Bias of the mass points                                                               (FLX-6)
//
//     b += sum of T'(w x (w x c) + 2 w x (C etad) + etad' Gamma2 etad)
static void compute_point_bias(const lb_flex *f, lb_vec3 omega, lb_lane *scratch, lb_flex_work *w)
{
    const int n = f->mode_count, N = f->block_count;
    const lb_lane *u = f->points, *c = scratch, *C = c + 3 * N;
    lb_lane *a = scratch + 3 * (n + 1) * N;

    // 2 C etad, then w x (that + w x c)
    for (int i = 0; i < 3 * N; ++i) {
        a[i] = (lb_lane){0};
    }
    for (int r = 0; r < n; ++r) {
        const double twice = 2.0 * w->eta_dot[r];
        for (int i = 0; i < 3 * N; ++i) {
            a[i] += twice * C[3 * r * N + i];
        }
    }
    const double ox = omega.x, oy = omega.y, oz = omega.z;
    for (int i = 0; i < N; ++i) {
        const lb_lane x = a[i] + oy * c[2 * N + i] - oz * c[N + i];
        const lb_lane y = a[N + i] + oz * c[i] - ox * c[2 * N + i];
        const lb_lane z = a[2 * N + i] + ox * c[N + i] - oy * c[i];
        a[i] = oy * z - oz * y;
        a[N + i] = oz * x - ox * z;
        a[2 * N + i] = ox * y - oy * x;
    }
    for (int e = 0; e < f->second_count; ++e) {
        const lb_second_row *g = &f->second[e];
        const lb_lane *row = f->points + g->row * N;
        const double s = (g->r == g->s ? 1.0 : 2.0) * w->eta_dot[g->r] * w->eta_dot[g->s];
        for (int i = 0; i < N; ++i) {
            a[g->axis * N + i] += s * row[i];
        }
    }

    for (int r = 0; r < n; ++r) {
        w->b_f[r] += lb_multiply_lanes(3 * N, C + 3 * r * N, a);
    }
    lb_lane x = {0}, y = {0}, z = {0};
    for (int i = 0; i < N; ++i) {
        x += c[N + i] * a[2 * N + i] - c[2 * N + i] * a[N + i];
        y += c[2 * N + i] * a[i] - c[i] * a[2 * N + i];
        z += c[i] * a[N + i] - c[N + i] * a[i];
    }
    const lb_vec3 moment = {lb_sum_lane(&x), lb_sum_lane(&y), lb_sum_lane(&z)};
    const lb_vec3 force = {lb_multiply_lanes(N, u, a), lb_multiply_lanes(N, u, a + N),
                           lb_multiply_lanes(N, u, a + 2 * N)};
    w->b_r = lb_vec6_add(w->b_r, lb_vec6_make(moment, force));
}

// ---- ruthless ----------------------------------------------------------------------------------

void lb_start_ruthless(const lb_flex *f, lb_flex_work *w)
{
    const int n = f->mode_count;
    w->M_rr = (lb_inertia){f->mass, f->h0, f->S0};
    for (int r = 0; r < n; ++r) {
        w->M_rf[r] = (lb_vec6){f->B0[r], f->E[r]};
        for (int s = 0; s < n; ++s) {
            w->M_ff[r * n + s] = f->M_ff[r * n + s];
        }
    }
}

// Bias at zero deformation and rate                                                     (FLX-10)
//
//     b_f,r = -1/2 w . S_r w,   b_w = w x J w,   b_v = w x (w x h)
//
// Source: Jain and Rodriguez 1992, (75): b_m^0.
static void compute_ruthless_bias(const lb_flex *f, lb_vec3 omega, lb_flex_work *w)
{
    for (int r = 0; r < f->mode_count; ++r) {
        LB_LANE(r, f->mode_count);
        w->b_f[r] = -0.5 * lb_vec3_dot(omega, lb_sym3_mul_vec(f->S[r], omega));
    }
    LB_LANE(0, 0);
    w->b_r.w = lb_vec3_cross(omega, lb_sym3_mul_vec(f->S0, omega));
    w->b_r.v = lb_vec3_cross(omega, lb_vec3_cross(omega, f->h0));
}

// ---- all --------------------------------------------------------------------------------------

void lb_compute_flex_inertia(const lb_flex *f, const lb_vec3 *omega, double *scratch,
                             lb_flex_work *w)
{
    lb_lane *lanes = (lb_lane *)(void *)scratch;
    const int n = f->mode_count;
    if (lb_is_ruthless(f)) {
        if (omega) {
            compute_ruthless_bias(f, *omega, w);
        }
    } else {
        // the bias of the polynomials reads their inertia before the points add theirs
        compute_polynomials(f, w);
        if (omega && f->appendix_c) {
            lb_compute_appendix_c_bias(f, *omega, w);
        } else if (omega) {
            compute_polynomial_bias(f, *omega, w);
        }
        if (f->block_count) {
            compute_points(f, lanes, w);
            if (omega) {
                compute_point_bias(f, *omega, lanes, w);
            }
        }
    }
    if (!omega) {
        return;
    }
    for (int r = 0; r < n; ++r) {
        LB_LANE(r, n);
        for (int s = 0; s < n; ++s) {
            w->b_f[r] += f->K[r * n + s] * w->eta[s];
        }
        for (int s = 0; f->C && s < n; ++s) {
            w->b_f[r] += f->C[r * n + s] * w->eta_dot[s];
        }
    }
    LB_LANE(0, 0);
}
