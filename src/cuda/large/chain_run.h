// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain of rigid links on revolute hinges: what one lane does with its run of
// bodies. The equations are those of src/divide, with the zeros of H* = (z, 0) left out. Everything
// is in the axes of the bodies, so that a chain of a million links needs no pose in the world.
//
// Bodies are stored so that neighbouring lanes read neighbouring numbers: entry `row` of body i of run
// k, of `run_count` runs of `length` bodies, is rows[(row * length + i) * run_count + k].
#ifndef LB_CHAIN_RUN_H
#define LB_CHAIN_RUN_H

#include "lanes_of.h"

/// A chain. Arrays lie on the card.
typedef struct lb_chain {
    int body_count;
    int run_count;
    int length;  ///< bodies of a run, a power of two
    int shift;   ///< length = 1 << shift
    int pad;     ///< places of the first run that are empty, towards the base
    int tail;    ///< places of the last run that are empty, towards the tip
    int stretch; ///< bodies whose turns one lane puts together, a power of two, at most `length`
    double gravity[3];
    const double *bodies; ///< LB_CHAIN_BODY rows
    double *state;        ///< LB_CHAIN_STATE rows
    double *gains;        ///< LB_CHAIN_GAIN rows
    double *turns;        ///< by stretch: turn and spin of all of its block so far       (DCA-2)
    double *nodes;    ///< assemblies, LB_NODE_SIZE numbers each: runs, then joins level by level
    double *letters;  ///< by assembly: what disassembly tells it, LB_LETTER_SIZE numbers
    double *verdicts; ///< by team of runs: LB_VERDICT_SIZE numbers
} lb_chain;

/// Rows of a body: turn and place of O+ in the parent, mass, mass times centre, inertia.
enum {
    LB_ROW_R = 0,
    LB_ROW_P = 9,
    LB_ROW_M = 12,
    LB_ROW_H = 13,
    LB_ROW_J = 16,
    LB_CHAIN_BODY = 22
};
/// Rows of its state: cosine and sine of the angle, speed, torque.
enum { LB_ROW_COS, LB_ROW_SIN, LB_ROW_SPEED, LB_ROW_TAU, LB_CHAIN_STATE };
/// Rows of its gains: G without its entry along the axis, which is 1; 1/D; nu; K.
enum { LB_ROW_G, LB_ROW_D = 5, LB_ROW_NU, LB_ROW_K, LB_CHAIN_GAIN = 13 };
enum { LB_RECORD = LB_CHAIN_BODY + LB_CHAIN_STATE, LB_LONG_RECORD = LB_RECORD + LB_CHAIN_GAIN };

/// An assembly: P and U by lower triangles, E by rows. A run also keeps a and tau of its first body, whose
/// hinge is taken out later. A join keeps S, and of its outer half z and E with the hinge taken out, G, K,
/// nu and 1/D of that hinge and a of its body. Entries of the handle between its halves are in the order of
/// LB_INNER.
enum {
    LB_NODE_P = 0,
    LB_NODE_Z = 21,
    LB_NODE_E = 27,
    LB_NODE_U = 63,
    LB_NODE_u = 84,
    LB_NODE_A = 90,
    LB_NODE_NU = 96,
    LB_NODE_TAU = 96,
    LB_NODE_BROKEN = 97, ///< not zero: a pivot was lost here or in a part
    LB_NODE_D = 98,
    LB_NODE_OWN = 99, ///< of a run: least pivot of the hinge of its first body, by the body alone
    LB_NODE_Z2 = 100,
    LB_NODE_G = 106,
    LB_NODE_K = 112,
    LB_NODE_S = 118, ///< 5 x 5
    LB_NODE_E2 = 144,
    LB_NODE_SIZE = 176
};
/// What an assembly is told: A at its first body, f at the open handle, F across the hinge of the
/// first body, and the acceleration B of the open handle.
/// Behind them the acceleration of the hinge of its first body.
enum {
    LB_LETTER_A = 0,
    LB_LETTER_f = 6,
    LB_LETTER_F = 12,
    LB_LETTER_B = 18,
    LB_LETTER_VALUE = 24,
    LB_LETTER_SIZE = 26
};
/// What the check finds, largest values: see lb_segment in src/divide/segment.h.
enum {
    LB_VERDICT_SHIFT,
    LB_VERDICT_LARGEST,
    LB_VERDICT_GAP,
    LB_VERDICT_MOTION = 4,
    LB_VERDICT_LENGTH = 6,
    LB_VERDICT_BROKEN,
    LB_VERDICT_SIZE
};

/// Place of entry (i, j) of a symmetric 3 x 3: xx, xy, xz, yy, yz, zz.
#define LB_THIRD(i, j) ((i) <= (j) ? (i) * (5 - (i)) / 2 + (j) : (j) * (5 - (j)) / 2 + (i))

LB_CARD void lb_cross(const double *a, const double *b, double *out)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

LB_CARD void lb_turn_vec(const double *R, const double *x, double *out)
{
    const double a = x[0], b = x[1], c = x[2];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        out[i] = R[3 * i] * a + R[3 * i + 1] * b + R[3 * i + 2] * c;
    }
}

LB_CARD void lb_turn_back(const double *R, const double *x, double *out)
{
    const double a = x[0], b = x[1], c = x[2];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        out[i] = R[i] * a + R[3 + i] * b + R[6 + i] * c;
    }
}

// ---- records, fetched ahead --------------------------------------------------------------------

// A lane asks for the record of its next body while it works on the one at hand. Entry `row` lies at
// record[row * LB_TEAM].
LB_CARD void lb_fetch(const double *from, double *to)
{
#ifdef __CUDACC__
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from));
#else
    *to = *from;
#endif
}

LB_CARD void lb_end_fetches(void)
{
#ifdef __CUDACC__
    asm volatile("cp.async.commit_group;");
#endif
}

// Waits for all fetches but the last `left` groups of them.
#ifdef __CUDACC__
#define LB_AWAIT(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
#else
#define LB_AWAIT(left) ((void)0)
#endif

LB_CARD void lb_fetch_record(const lb_chain *c, int i, int k, double *record)
{
    const long long stride = (long long)c->length * c->run_count;
    const long long at = (long long)i * c->run_count + k;
    LB_UNROLL for (int row = 0; row < LB_CHAIN_BODY; ++row)
    {
        lb_fetch(c->bodies + row * stride + at, record + row * LB_TEAM);
    }
    LB_UNROLL for (int row = 0; row < LB_CHAIN_STATE; ++row)
    {
        lb_fetch(c->state + row * stride + at, record + (LB_CHAIN_BODY + row) * LB_TEAM);
    }
    lb_end_fetches();
}

// The gains of a body, behind its record.
LB_CARD void lb_fetch_gains(const lb_chain *c, int i, int k, double *record)
{
    const long long stride = (long long)c->length * c->run_count;
    const long long at = (long long)i * c->run_count + k;
    LB_UNROLL for (int row = 0; row < LB_CHAIN_GAIN; ++row)
    {
        lb_fetch(c->gains + row * stride + at, record + (LB_RECORD + row) * LB_TEAM);
    }
}

#define LB_OF(row) record[(row)*LB_TEAM]
#define LB_STATE_OF(row) record[(LB_CHAIN_BODY + (row)) * LB_TEAM]
#define LB_GAIN_OF(row) record[(LB_RECORD + (row)) * LB_TEAM]

// (KIN-1): the pose of a body in its parent.
LB_CARD void lb_get_pose(const double *record, double *R, double *p)
{
    const double c = LB_STATE_OF(LB_ROW_COS), s = LB_STATE_OF(LB_ROW_SIN);
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        const double x = LB_OF(LB_ROW_R + 3 * i), y = LB_OF(LB_ROW_R + 3 * i + 1);
        R[3 * i] = c * x + s * y;
        R[3 * i + 1] = c * y - s * x;
        R[3 * i + 2] = LB_OF(LB_ROW_R + 3 * i + 2);
        p[i] = LB_OF(LB_ROW_P + i);
    }
}

// (KIN-3): a = (w' x z v, w' x (w' x l)), w' and l in the axes of the body.
LB_CARD void lb_get_bias(const double *R, const double *p, const double *w, double v, double *a)
{
    double l[3], t[3];
    lb_turn_back(R, p, l);
    lb_cross(w, l, t);
    lb_cross(w, t, a + 3);
    a[0] = w[1] * v;
    a[1] = -w[0] * v;
    a[2] = 0.0;
}

// (KIN-5): the gyroscopic force of a body.
LB_CARD void lb_get_gyroscopic(const double *record, const double *w, double *b)
{
    double n[3], h[3], t[3];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        n[i] = 0.0;
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            n[i] += LB_OF(LB_ROW_J + LB_THIRD(i, j)) * w[j];
        }
        h[i] = LB_OF(LB_ROW_H + i);
    }
    lb_cross(w, n, b);
    lb_cross(w, h, t);
    lb_cross(w, t, b + 3);
}

// ---- velocities --------------------------------------------------------------------------------

// w' = turn* w + spin of one stretch after another                                       (DCA-2)
//
//     turn = turn1 turn2,   spin = turn2* spin1 + spin2
LB_CARD void lb_compose(const double *a, const double *b, double *out)
{
    double turn[12];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            turn[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    lb_turn_back(b, a + 9, turn + 9);
    LB_UNROLL for (int i = 0; i < 12; ++i)
    {
        out[i] = turn[i] + (i < 9 ? 0.0 : b[i]);
    }
}

// Angles, and the turn and spin of a stretch.
//
// @param q, v, tau  of the bodies of this stretch
LB_CARD void lb_turn_stretch(const lb_chain *c, int j, const double *q, const double *v,
                             const double *tau, double *turn)
{
    const long long stride = (long long)c->length * c->run_count;
    LB_UNROLL for (int e = 0; e < 12; ++e)
    {
        turn[e] = e < 9 && e % 4 == 0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < c->stretch; ++i) {
        const int place = j * c->stretch + i, body = place - c->pad;
        const long long at =
            (long long)(place & (c->length - 1)) * c->run_count + (place >> c->shift);
        double cosine, sine, own[12];
        if (body < 0 || body >= c->body_count) {
            continue;
        }
#ifdef __CUDACC__
        sincos(q[i], &sine, &cosine);
#else
        sine = sin(q[i]);
        cosine = cos(q[i]);
#endif
        c->state[LB_ROW_COS * stride + at] = cosine;
        c->state[LB_ROW_SIN * stride + at] = sine;
        c->state[LB_ROW_SPEED * stride + at] = v[i];
        c->state[LB_ROW_TAU * stride + at] = tau ? tau[i] : 0.0;
        const double *own_rows = c->bodies + at;
        LB_UNROLL for (int r = 0; r < 3; ++r)
        {
            const double x = own_rows[(LB_ROW_R + 3 * r) * stride];
            const double y = own_rows[(LB_ROW_R + 3 * r + 1) * stride];
            own[3 * r] = cosine * x + sine * y;
            own[3 * r + 1] = cosine * y - sine * x;
            own[3 * r + 2] = own_rows[(LB_ROW_R + 3 * r + 2) * stride];
        }
        own[9] = own[10] = 0.0;
        own[11] = v[i];
        lb_compose(turn, own, turn);
    }
}

/// Stretches whose turns are summed by one block.
enum { LB_SCAN = 256 };

LB_CARD int lb_count_stretches(const lb_chain *c)
{
    return c->run_count * (c->length / c->stretch);
}

// Angular velocity of the last body of run k: that of the blocks of stretches ahead, and of the stretches of
// its own block. Sums of blocks lie behind the stretches, those of blocks of blocks behind them.
LB_CARD void lb_get_end_velocity(const lb_chain *c, int k, double *w)
{
    int at[4], levels = 0, count = lb_count_stretches(c), start = 0;
    int i = (k + 1) * (c->length / c->stretch) - 1;
    w[0] = w[1] = w[2] = 0.0;
    while (i >= 0 && levels < 4) {
        at[levels++] = start + i;
        if (count <= LB_SCAN) {
            break;
        }
        start += count;
        count = (count + LB_SCAN - 1) / LB_SCAN;
        i = i / LB_SCAN - 1;
    }
    while (levels > 0) {
        const double *turn = c->turns + 12LL * at[--levels];
        lb_turn_back(turn, w, w);
        LB_UNROLL for (int e = 0; e < 3; ++e)
        {
            w[e] += turn[9 + e];
        }
    }
}

// ---- assembly ----------------------------------------------------------------------------------

// What one lane carries from body to body: P = [J H; H' M], z, E, U, u as in (DCA-1).
typedef struct lb_carried {
    double J[6], H[9], M[6], z[6], E[36], U[21], u[6];
    double a[6]; ///< of the first body, in the end
} lb_carried;

// A force at the frame of a body, carried to that of its parent.
LB_CARD void lb_carry_force(const double *R, const double *p, double *f)
{
    double t[3];
    lb_turn_vec(R, f, f);
    lb_turn_vec(R, f + 3, f + 3);
    lb_cross(p, f + 3, t);
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

// P+, z+ and E+ from the frame of a body to that of its parent: Phi P Phi*, Phi z, Phi E. The third
// rows of J, H and E are zero.
LB_CARD void lb_carry_over(const double *R, const double *p, lb_carried *s)
{
    double A[9], M[6], H[9];
    // H := R H R*, two rows in H
    LB_UNROLL for (int i = 0; i < 2; ++i)
    {
        lb_turn_vec(R, s->H + 3 * i, A + 3 * i);
    }
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            H[3 * i + j] = R[3 * i] * A[j] + R[3 * i + 1] * A[3 + j];
        }
    }
    // M := R M R*
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            A[3 * i + j] = R[3 * i] * s->M[LB_THIRD(0, j)] + R[3 * i + 1] * s->M[LB_THIRD(1, j)] +
                           R[3 * i + 2] * s->M[LB_THIRD(2, j)];
        }
    }
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = i; j < 3; ++j)
        {
            M[LB_THIRD(i, j)] =
                A[3 * i] * R[3 * j] + A[3 * i + 1] * R[3 * j + 1] + A[3 * i + 2] * R[3 * j + 2];
        }
    }
    // J := R J R*, a 2 x 2 block in J, and the shift: H + p~ M, J + p~ H' - (H + p~ M) p~
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        A[i] = s->J[0] * R[3 * i] + s->J[1] * R[3 * i + 1];
        A[3 + i] = s->J[1] * R[3 * i] + s->J[3] * R[3 * i + 1];
    }
    double K[9];
    LB_UNROLL for (int j = 0; j < 3; ++j)
    {
        K[j] = H[j] + p[1] * M[LB_THIRD(2, j)] - p[2] * M[LB_THIRD(1, j)];
        K[3 + j] = H[3 + j] + p[2] * M[LB_THIRD(0, j)] - p[0] * M[LB_THIRD(2, j)];
        K[6 + j] = H[6 + j] + p[0] * M[LB_THIRD(1, j)] - p[1] * M[LB_THIRD(0, j)];
    }
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        LB_UNROLL for (int j = i; j < 3; ++j)
        {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            s->J[LB_THIRD(i, j)] = R[3 * i] * A[j] + R[3 * i + 1] * A[3 + j] +
                                   p[j1] * K[3 * i + j2] - p[j2] * K[3 * i + j1] +
                                   p[i1] * H[3 * j + i2] - p[i2] * H[3 * j + i1];
        }
    }
    LB_UNROLL for (int i = 0; i < 9; ++i)
    {
        s->H[i] = K[i];
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s->M[i] = M[i];
    }
    lb_carry_force(R, p, s->z);
    LB_UNROLL for (int j = 0; j < 6; ++j)
    {
        double f[6];
        LB_UNROLL for (int i = 0; i < 6; ++i)
        {
            f[i] = s->E[6 * i + j];
        }
        lb_carry_force(R, p, f);
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
// @param ring  room of this lane for two records
// @param out   the assembly; tau of its first body and whether pivots were lost go into its node
LB_CARD void lb_assemble_chain_run(const lb_chain *c, int k, double *ring, lb_carried *out)
{
    const long long stride = (long long)c->length * c->run_count;
    const int first = k == 0 ? c->pad : 0;
    const int last = c->length - 1 - (k + 1 == c->run_count ? c->tail : 0);
    const int other = LB_RECORD * LB_TEAM;
    double *node = c->nodes + (long long)LB_NODE_SIZE * k;
    lb_carried s;
    double R[9], p[3], w[3];
    int good = 1, turn = 0;

    // the open handle: E is what carries a force from the next body
    const int next = k + 1 < c->run_count ? k + 1 : k, start = next > k ? 0 : first;
    lb_fetch_record(c, start, next, ring + other);
    lb_fetch_record(c, last, k, ring);
    lb_get_end_velocity(c, k, w);
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        s.J[i] = s.M[i] = s.z[i] = s.u[i] = 0.0;
    }
    LB_UNROLL for (int i = 0; i < 9; ++i)
    {
        s.H[i] = 0.0;
    }
    LB_UNROLL for (int i = 0; i < 21; ++i)
    {
        s.U[i] = 0.0;
    }
    LB_AWAIT(1);
    lb_get_pose(ring + other, R, p);
    if (k + 1 == c->run_count) {
        // at a tip the last body itself is the handle: nothing acts there, but the check asks
        LB_UNROLL for (int i = 0; i < 9; ++i)
        {
            R[i] = i % 4 == 0 ? 1.0 : 0.0;
        }
        p[0] = p[1] = p[2] = 0.0;
    }
    {
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            const double column[3] = {R[j], R[3 + j], R[6 + j]};
            double t[3];
            lb_cross(p, column, t);
            LB_UNROLL for (int i = 0; i < 3; ++i)
            {
                s.E[6 * i + j] = s.E[6 * (3 + i) + 3 + j] = column[i];
                s.E[6 * i + 3 + j] = t[i];
                s.E[6 * (3 + i) + j] = 0.0;
            }
        }
    }
    for (int i = last;; --i) {
        const double *record = ring + turn * other;
        double a[6], gain[LB_CHAIN_GAIN];
        if (i > first) {
            lb_fetch_record(c, i - 1, k, ring + (1 - turn) * other);
            LB_AWAIT(1);
        } else {
            LB_AWAIT(0);
        }
        lb_add_link(record, w, &s);
        const double v = LB_STATE_OF(LB_ROW_SPEED);
        lb_get_pose(record, R, p);
        w[2] -= v;
        lb_get_bias(R, p, w, v, a);
        if (i == first) {
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                s.a[e] = a[e];
            }
            node[LB_NODE_TAU] = LB_STATE_OF(LB_ROW_TAU);
            node[LB_NODE_BROKEN] = good ? 0.0 : 1.0;
            node[LB_NODE_OWN] = lb_get_own_pivot(record);
            break;
        }
        lb_turn_vec(R, w, w);
        good &= lb_take_out_hinge(a, LB_STATE_OF(LB_ROW_TAU), lb_get_own_pivot(record), &s, gain);
        LB_UNROLL for (int row = 0; row < LB_CHAIN_GAIN; ++row)
        {
            c->gains[row * stride + (long long)i * c->run_count + k] = gain[row];
        }
        lb_carry_over(R, p, &s);
        turn = 1 - turn;
    }
    *out = s;
}

// The numbers of an assembly, LB_NODE_P to LB_NODE_A, by compile-time places.
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
}

// Writes the assemblies of the runs of a team, half of their numbers at a time: lanes lay them side by side, and
// then write one assembly after the other together.
//
// @param room  LB_PITCH 48 numbers of the team
// @param k     run of the first lane
LB_CARD void lb_write_runs(const lb_chain *c, const lb_carried *s, double *room, int k, int lane)
{
    enum { HALF = 48 };
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
        for (int i = 0; i < LB_TEAM && k + i < c->run_count; ++i) {
            double *node = c->nodes + (long long)LB_NODE_SIZE * (k + i) + half * HALF;
            for (int e = lane; e < HALF; e += LB_TEAM) {
                node[e] = room[e * LB_PITCH + i];
            }
        }
    }
}

// ---- disassembly and check ---------------------------------------------------------------------

// Keeps the largest; what is not a number is larger than any.
LB_CARD void lb_keep_largest(double value, double *largest)
{
    if (!(value <= *largest) && *largest == *largest) {
        *largest = value;
    }
}

LB_CARD double lb_size3(const double *a)
{
    double largest = fabs(a[0]);
    lb_keep_largest(fabs(a[1]), &largest);
    lb_keep_largest(fabs(a[2]), &largest);
    return largest;
}

// A motion of the parent, at the frame of a body.
LB_CARD void lb_carry_motion_out(const double *R, const double *p, const double *A, double *out)
{
    double t[3];
    lb_cross(A, p, t);
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        t[i] += A[3 + i];
    }
    lb_turn_back(R, A, out);
    lb_turn_back(R, t, out + 3);
}

// Accelerations of a run, base to tip (DCA-7), and the check of its bodies (DCA-8). The check goes the
// same way, so that records are read once: F across the first hinge is what was told, each body passes on
// what it does not need, and what is left at the open handle must be the force told there. A
// difference delta there moves coordinate i by K_i delta.
//
// @param letter  what the run was told
// @param ring    room of this lane for two long records
// @param a_out   out: by body of the run
// @param verdict in and out: largest values
LB_CARD void lb_disassemble_chain_run(const lb_chain *c, int k, const double *letter, double *ring,
                                      double *a_out, double *verdict)
{
    const int first = k == 0 ? c->pad : 0;
    const int last = c->length - 1 - (k + 1 == c->run_count ? c->tail : 0);
    const int other = LB_LONG_RECORD * LB_TEAM;
    double A[6], f[6], F[6], reach[6], R[9], p[3], w[3];
    int turn = 0;
    lb_fetch_gains(c, first, k, ring);
    lb_fetch_record(c, first, k, ring);
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        A[e] = letter[LB_LETTER_A + e];
        f[e] = letter[LB_LETTER_f + e];
        F[e] = letter[LB_LETTER_F + e];
        reach[e] = 0.0;
    }
    lb_get_end_velocity(c, k - 1, w);
    LB_AWAIT(0);
    {
        const double *record = ring;
        const double value = letter[LB_LETTER_VALUE];
        lb_get_pose(record, R, p);
        lb_turn_back(R, w, w);
        w[2] += LB_STATE_OF(LB_ROW_SPEED);
        a_out[first] = value;
        lb_keep_largest(fabs(value), verdict + LB_VERDICT_LARGEST);
        lb_keep_largest(fabs((LB_STATE_OF(LB_ROW_TAU) - F[2]) * LB_GAIN_OF(LB_ROW_D)),
                        verdict + LB_VERDICT_SHIFT);
    }
    for (int i = first;; ++i) {
        const double *record = ring + turn * other;
        double b[6];
        if (i < last) {
            lb_fetch_gains(c, i + 1, k, ring + (1 - turn) * other);
        }
        if (i < last || k + 1 < c->run_count) {
            lb_fetch_record(c, i < last ? i + 1 : 0, i < last ? k : k + 1,
                            ring + (1 - turn) * other);
        }
        // F less M A + b goes on outboard
        lb_get_gyroscopic(record, w, b);
        {
            const double m = LB_OF(LB_ROW_M);
            double h[3], t[3];
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                h[e] = LB_OF(LB_ROW_H + e);
            }
            lb_cross(h, A + 3, t);
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                F[e] -= b[e] + t[e];
                LB_UNROLL for (int j = 0; j < 3; ++j)
                {
                    F[e] -= LB_OF(LB_ROW_J + LB_THIRD(e, j)) * A[j];
                }
            }
            lb_cross(A, h, t);
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                F[3 + e] -= b[3 + e] + m * A[3 + e] + t[e];
            }
        }
        lb_keep_largest(lb_size3(A), verdict + LB_VERDICT_MOTION);
        lb_keep_largest(lb_size3(A + 3), verdict + LB_VERDICT_MOTION + 1);
        lb_keep_largest(lb_size3(p), verdict + LB_VERDICT_LENGTH);
        if (i == last && k + 1 == c->run_count) {
            break;
        }
        LB_AWAIT(0);
        turn = 1 - turn;
        record = ring + turn * other;
        lb_get_pose(record, R, p);
        double carried[6], force[3];
        lb_carry_motion_out(R, p, A, carried);
        lb_cross(p, F + 3, force);
        LB_UNROLL for (int e = 0; e < 3; ++e)
        {
            force[e] = F[e] - force[e];
        }
        lb_turn_back(R, force, F);
        lb_turn_back(R, F + 3, F + 3);
        if (i == last) {
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                A[e] = carried[e] - letter[LB_LETTER_B + e];
            }
            lb_keep_largest(lb_size3(A), verdict + LB_VERDICT_GAP);
            lb_keep_largest(lb_size3(A + 3), verdict + LB_VERDICT_GAP + 1);
            break;
        }
        const double v = LB_STATE_OF(LB_ROW_SPEED);
        double bias[6];
        lb_turn_back(R, w, w);
        lb_get_bias(R, p, w, v, bias);
        w[2] += v;
        double value = LB_GAIN_OF(LB_ROW_NU) - carried[2];
        LB_UNROLL for (int e = 0; e < 5; ++e)
        {
            value -= LB_GAIN_OF(LB_ROW_G + e) * carried[e < 2 ? e : e + 1];
        }
        double response = 0.0;
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            const double K = LB_GAIN_OF(LB_ROW_K + e);
            response += K * f[e];
            lb_keep_largest(fabs(K), reach + e);
        }
        value += response;
        a_out[i + 1] = value;
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            A[e] = carried[e] + bias[e] + (e == 2 ? value : 0.0);
        }
        lb_keep_largest(fabs(value), verdict + LB_VERDICT_LARGEST);
        lb_keep_largest(fabs((LB_STATE_OF(LB_ROW_TAU) - F[2]) * LB_GAIN_OF(LB_ROW_D)),
                        verdict + LB_VERDICT_SHIFT);
    }
    // what is left must be the force that was told, with the opposite sign; beyond a tip there is none
    double off = 0.0;
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        off += reach[e] * fabs(F[e] + f[e]);
    }
    lb_keep_largest(off, verdict + LB_VERDICT_SHIFT);
}

#endif // LB_CHAIN_RUN_H
