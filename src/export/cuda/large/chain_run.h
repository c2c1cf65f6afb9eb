// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: how one lane assembles its run of bodies, tip to base.
#ifndef LB_CHAIN_RUN_H
#define LB_CHAIN_RUN_H

#include "chain_body.h"

// What one lane carries from body to body: P = [J H; H' M], z, E, U, u as in (DCA-1).
typedef struct lb_carried {
    double J[6], H[9], M[6], z[6], E[36], U[21], u[6];
    double a[6], tau, own; ///< of the first body, in the end
    int good;              ///< whether all pivots are
} lb_carried;

// A force at the frame of a body, carried to that of its parent.
LB_CARD void lb_carry_force(const lb_link_pose *X, double *f)
{
    double t[3];
    lb_turn_in(X, f, f);
    lb_turn_in(X, f + 3, f + 3);
    lb_cross(X->p, f + 3, t);
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        f[i] += t[i];
    }
}

// P and z of a body by itself, added.
LB_CARD void lb_add_link(const double *record, const double *w, lb_carried *s)
{
    double h[3], b[6];
    const double m = LB_OF(LB_ROW_M);
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        h[i] = LB_OF(LB_ROW_H + i);
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s->J[i] += LB_OF(LB_ROW_J + i);
    }
    s->H[1] -= h[2];
    s->H[2] += h[1];
    s->H[3] += h[2];
    s->H[5] -= h[0];
    s->H[6] -= h[1];
    s->H[7] += h[0];
    s->M[0] += m;
    s->M[3] += m;
    s->M[5] += m;
    lb_get_gyroscopic(record, w, b);
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s->z[i] += b[i];
    }
}

// The least pivot that a hinge can have, by its body alone (ABA-8); beyond all bounds where that is lost.
LB_CARD double lb_get_own_pivot(const double *record)
{
    const double own = LB_OF(LB_ROW_J + 5);
    const double trace = LB_OF(LB_ROW_J) + LB_OF(LB_ROW_J + 3) + own;
    return own > 1e-14 * trace ? 0.99 * own : 1e300;
}

// A revolute hinge taken out                                                             (DCA-3)
//
// @param own  see lb_get_own_pivot
// @return whether the pivot is good
LB_CARD int lb_take_out_hinge(const double *a, double tau, double own, lb_carried *s, double *gain)
{
    const double D = s->J[5], d = 1.0 / D;
    const int good = fabs(D) > 1e-14 * fabs(s->J[0] + s->J[3] + s->J[5]) || D >= own;
    double G[6], W[6], h[6];
    W[0] = s->J[2];
    W[1] = s->J[4];
    W[2] = s->J[5];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        W[3 + i] = s->H[6 + i];
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        G[i] = i == 2 ? 1.0 : d * W[i];
    }
    // z += P a, where a has no part along the axis
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        s->z[i] += s->J[LB_THIRD(i, 0)] * a[0] + s->J[LB_THIRD(i, 1)] * a[1] + s->H[3 * i] * a[3] +
                   s->H[3 * i + 1] * a[4] + s->H[3 * i + 2] * a[5];
        s->z[3 + i] += s->H[i] * a[0] + s->H[3 + i] * a[1] + s->M[LB_THIRD(i, 0)] * a[3] +
                       s->M[LB_THIRD(i, 1)] * a[4] + s->M[LB_THIRD(i, 2)] * a[5];
    }
    const double eps = tau - s->z[2], nu = eps * d;
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s->z[i] += eps * G[i];
        h[i] = s->E[12 + i];
    }
    // P - G (P z)*; what is left along the axis is round-off
    s->J[0] -= G[0] * W[0];
    s->J[1] -= G[0] * W[1];
    s->J[3] -= G[1] * W[1];
    s->J[2] = s->J[4] = s->J[5] = 0.0;
    LB_UNROLL for (int j = 0; j < 3; ++j)
    {
        s->H[j] -= G[0] * W[3 + j];
        s->H[3 + j] -= G[1] * W[3 + j];
        s->H[6 + j] = 0.0;
        LB_UNROLL for (int i = 0; i <= j; ++i)
        {
            s->M[LB_THIRD(i, j)] -= G[3 + i] * W[3 + j];
        }
    }
    LB_UNROLL for (int j = 0; j < 6; ++j)
    {
        s->u[j] += nu * h[j] + s->E[j] * a[0] + s->E[6 + j] * a[1] + s->E[18 + j] * a[3] +
                   s->E[24 + j] * a[4] + s->E[30 + j] * a[5];
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        gain[LB_ROW_K + i] = d * h[i];
        LB_UNROLL for (int j = 0; j <= i; ++j)
        {
            s->U[LB_LOWER(i, j)] += d * h[i] * h[j];
        }
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            s->E[6 * i + j] = i == 2 ? 0.0 : s->E[6 * i + j] - G[i] * h[j];
        }
    }
    gain[0] = G[0];
    gain[1] = G[1];
    gain[2] = G[3];
    gain[3] = G[4];
    gain[4] = G[5];
    gain[LB_ROW_D] = d;
    gain[LB_ROW_NU] = nu;
    return good;
}

// X := Rz X Rz*, of a symmetric 3 x 3 with or without a third row.
LB_CARD void lb_turn_block(double c, double s, double *xx, double *xy, double *yy)
{
    // columns, then rows
    const double a = c * *xx - s * *xy, b = s * *xx + c * *xy;
    const double d = c * *xy - s * *yy, e = s * *xy + c * *yy;
    *xx = c * a - s * d;
    *xy = c * b - s * e;
    *yy = s * b + c * e;
}

LB_CARD void lb_turn_pair(double c, double s, double *x, double *y)
{
    const double a = *x;
    *x = c * a - s * *y;
    *y = s * a + c * *y;
}

// P+, z+ and E+ from the frame of a body to that of its parent: Phi P Phi*, Phi z, Phi E. The third
// rows of J, H and E are zero. Turns are one about z, then one about x.
LB_CARD void lb_carry_over(const lb_link_pose *X, lb_carried *s)
{
    const double *p = X->p;
    const double c = X->c, sn = X->s, tc = X->twist_c, ts = X->twist_s;
    // H := R H R*: columns of the two rows in H, then rows
    LB_UNROLL for (int i = 0; i < 2; ++i)
    {
        lb_turn_in(X, s->H + 3 * i, s->H + 3 * i);
    }
    LB_UNROLL for (int j = 0; j < 3; ++j)
    {
        lb_turn_pair(c, sn, &s->H[j], &s->H[3 + j]);
        s->H[6 + j] = ts * s->H[3 + j];
        s->H[3 + j] = tc * s->H[3 + j];
    }
    // M := R M R*
    double *M = s->M;
    lb_turn_block(c, sn, &M[0], &M[1], &M[3]);
    lb_turn_pair(c, sn, &M[2], &M[4]);
    lb_turn_block(tc, ts, &M[3], &M[4], &M[5]);
    lb_turn_pair(tc, ts, &M[1], &M[2]);
    // J := R J R*, of a 2 x 2 block
    double *J = s->J;
    lb_turn_block(c, sn, &J[0], &J[1], &J[3]);
    J[2] = ts * J[1];
    J[1] = tc * J[1];
    J[4] = tc * ts * J[3];
    J[5] = ts * ts * J[3];
    J[3] = tc * tc * J[3];
    // the shift: H + p~ M, J + p~ H' - (H + p~ M) p~
    double K[9];
    LB_UNROLL for (int j = 0; j < 3; ++j)
    {
        K[j] = s->H[j] + p[1] * M[LB_THIRD(2, j)] - p[2] * M[LB_THIRD(1, j)];
        K[3 + j] = s->H[3 + j] + p[2] * M[LB_THIRD(0, j)] - p[0] * M[LB_THIRD(2, j)];
        K[6 + j] = s->H[6 + j] + p[0] * M[LB_THIRD(1, j)] - p[1] * M[LB_THIRD(0, j)];
    }
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = i; j < 3; ++j)
        {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            J[LB_THIRD(i, j)] += p[j1] * K[3 * i + j2] - p[j2] * K[3 * i + j1] +
                                 p[i1] * s->H[3 * j + i2] - p[i2] * s->H[3 * j + i1];
        }
    }
    LB_UNROLL for (int i = 0; i < 9; ++i)
    {
        s->H[i] = K[i];
    }
    lb_carry_force(X, s->z);
    LB_UNROLL for (int j = 0; j < 6; ++j)
    {
        double *E = s->E + j, n[3], f[3] = {E[18], E[24], E[30]}, t[3];
        n[0] = c * E[0] - sn * E[6];
        n[2] = sn * E[0] + c * E[6];
        n[1] = tc * n[2];
        n[2] *= ts;
        lb_turn_in(X, f, f);
        lb_cross(p, f, t);
        LB_UNROLL for (int i = 0; i < 3; ++i)
        {
            E[6 * i] = n[i] + t[i];
            E[18 + 6 * i] = f[i];
        }
    }
}

// The numbers of an assembly, by compile-time places.
LB_CARD void lb_list_node(const lb_carried *s, double *out)
{
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            if (j <= i) {
                out[LB_NODE_P + LB_LOWER(i, j)] = s->J[LB_THIRD(i, j)];
                out[LB_NODE_P + LB_LOWER(3 + i, 3 + j)] = s->M[LB_THIRD(i, j)];
            }
            out[LB_NODE_P + LB_LOWER(3 + i, j)] = s->H[3 * j + i];
        }
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        out[LB_NODE_Z + i] = s->z[i];
        out[LB_NODE_u + i] = s->u[i];
        out[LB_NODE_A + i] = s->a[i];
    }
    LB_UNROLL for (int i = 0; i < 36; ++i)
    {
        out[LB_NODE_E + i] = s->E[i];
    }
    LB_UNROLL for (int i = 0; i < 21; ++i)
    {
        out[LB_NODE_U + i] = s->U[i];
    }
    out[LB_NODE_TAU] = s->tau;
    out[LB_NODE_OWN] = s->own;
    out[LB_NODE_BROKEN] = s->good ? 0.0 : 1.0;
    out[LB_NODE_SIZE - 1] = 0.0;
}

// What the check needs at body i of run k, before its hinge is taken out.
LB_CARD void lb_write_mark(const lb_chain *c, int i, int k, const lb_carried *s)
{
    double out[LB_NODE_SIZE], *mark = lb_get_mark(c, i, k);
    lb_list_node(s, out);
    LB_UNROLL for (int e = 0; e < LB_MARK_SIZE; ++e)
    {
        mark[e * LB_CARD_TEAM] = out[LB_NODE_E + e];
    }
}

// What a run starts with: nothing but the open handle, where E carries a force from the next body.
LB_CARD void lb_begin_run(const lb_chain *c, int k, lb_carried *s)
{
    lb_link_pose X;
    if (k + 1 < c->run_count) {
        lb_get_pose(lb_get_link(c, 0, k + 1), LB_CARD_TEAM, &X);
    } else {
        // at a tip the last body itself is the handle: nothing acts there, but the check asks
        X.c = X.twist_c = 1.0;
        X.s = X.twist_s = X.p[0] = X.p[1] = X.p[2] = 0.0;
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s->J[i] = s->M[i] = s->z[i] = s->u[i] = 0.0;
    }
    LB_UNROLL for (int i = 0; i < 9; ++i)
    {
        s->H[i] = 0.0;
    }
    LB_UNROLL for (int i = 0; i < 21; ++i)
    {
        s->U[i] = 0.0;
    }
    s->good = 1;
    LB_UNROLL for (int j = 0; j < 6; ++j)
    {
        double f[6];
        LB_UNROLL for (int i = 0; i < 6; ++i)
        {
            f[i] = i == j ? 1.0 : 0.0;
        }
        lb_carry_force(&X, f);
        LB_UNROLL for (int i = 0; i < 6; ++i)
        {
            s->E[6 * i + j] = f[i];
        }
    }
}

// The two-handle equations of a run, tip to base                                         (DCA-5)
//
// The hinge of its first body is left to whoever joins it.
//
// @param ring  room of the lane for LB_RING records
// @param s     out: the assembly
LB_CARD void lb_assemble_chain_run(const lb_chain *c, int k, double *ring, lb_carried *s)
{
    const int first = lb_get_first(c, k), last = lb_get_last(c, k);
    double w[3];
    LB_UNROLL for (int n = 0; n < LB_RING - 1; ++n)
    {
        lb_ask(lb_find_link(c, last - n, k, first, last), ring, LB_RECORD, n);
    }
    lb_get_end_velocity(c, k, w);
    lb_begin_run(c, k, s);
    for (int i = last;; --i) {
        const double *record = lb_take(ring, LB_RECORD, last - i);
        const int ahead = i - (LB_RING - 1);
        lb_ask(lb_find_link(c, ahead, k, first, last), ring, LB_RECORD, last - ahead);
        lb_link_pose X;
        double a[6], gain[LB_CHAIN_GAIN];
        lb_add_link(record, w, s);
        const double v = LB_STATE_OF(LB_ROW_SPEED), tau = LB_STATE_OF(LB_ROW_TAU);
        lb_get_pose(record, LB_TEAM, &X);
        w[2] -= v;
        lb_get_bias(&X, w, v, a);
        if (i == first) {
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                s->a[e] = a[e];
            }
            s->tau = tau;
            s->own = lb_get_own_pivot(record);
            break;
        }
        if (lb_is_marked(i, first)) {
            lb_write_mark(c, i, k, s);
        }
        lb_turn_in(&X, w, w);
        s->good &= lb_take_out_hinge(a, tau, lb_get_own_pivot(record), s, gain);
        double *gains = lb_get_link(c, i, k) + LB_RECORD * LB_CARD_TEAM;
        LB_UNROLL for (int row = 0; row < LB_CHAIN_GAIN; ++row)
        {
            gains[row * LB_CARD_TEAM] = gain[row];
        }
        lb_carry_over(&X, s);
    }
}

enum { LB_HALF_NODE = LB_NODE_SIZE / 2 };

// Writes the assemblies of the runs of a team, half of their numbers at a time: lanes lay them side by side, and
// then write one assembly after the other together, of which several are under way.
//
// @param room  LB_PITCH LB_HALF_NODE numbers of the team
// @param k     run of the first lane
LB_CARD void lb_write_runs(const lb_chain *c, const lb_carried *s, double *room, int k, int lane)
{
    enum {
        HALF = LB_HALF_NODE,
        EACH = (HALF + LB_TEAM - 1) / LB_TEAM,
        AT_ONCE = LB_TEAM < 8 ? 1 : 8
    };
    double out[2 * HALF];
    lb_list_node(s, out);
    LB_UNROLL for (int half = 0; half < 2; ++half)
    {
        LB_TEAM_WAIT();
        LB_UNROLL for (int e = 0; e < HALF; ++e)
        {
            room[e * LB_PITCH + lane] = out[half * HALF + e];
        }
        LB_TEAM_WAIT();
        for (int i = 0; i < LB_TEAM; i += AT_ONCE) {
            double *node = c->nodes + (long long)LB_NODE_SIZE * (k + i) + half * HALF;
            double numbers[AT_ONCE * EACH];
            LB_UNROLL for (int n = 0; n < AT_ONCE * EACH; ++n)
            {
                const int e = lane + n % EACH * LB_TEAM;
                numbers[n] = room[(e < HALF ? e : 0) * LB_PITCH + i + n / EACH];
            }
            LB_UNROLL for (int n = 0; n < AT_ONCE * EACH; ++n)
            {
                const int e = lane + n % EACH * LB_TEAM;
                if (e < HALF && k + i + n / EACH < c->run_count) {
                    node[n / EACH * LB_NODE_SIZE + e] = numbers[n];
                }
            }
        }
    }
}

#endif // LB_CHAIN_RUN_H
