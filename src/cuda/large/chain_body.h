// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain of rigid links on revolute hinges: how it is laid out, and what a lane reads of
// a body. The equations are those of src/divide, with the zeros of H* = (z, 0) left out. Everything
// is in the axes of the bodies, so that a chain of a million links needs no pose in the world.
//
// Bodies are stored so that neighbouring lanes read neighbouring numbers: entry `row` of body i of run
// k, of `run_count` runs of `length` bodies, is rows[(row * length + i) * run_count + k].
#ifndef LB_CHAIN_BODY_H
#define LB_CHAIN_BODY_H

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

#endif // LB_CHAIN_BODY_H
