// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain of rigid links on revolute hinges: how it is laid out, and what a lane reads of
// a body. The equations are those of src/dynamics/divide, with the zeros of H* = (z, 0) left out. Everything
// is in the axes of the bodies, so that a chain of a million links needs no pose in the world.
//
// Bodies are stored so that neighbouring lanes read neighbouring numbers, and a team one piece of memory for each
// body: see lb_find_rows.
#ifndef LB_CHAIN_BODY_H
#define LB_CHAIN_BODY_H

#include "fetch.h"

/// A chain. Arrays lie on the card.
typedef struct lb_chain {
    int body_count;
    int run_count;
    int length;  ///< bodies of a run, a power of two
    int shift;   ///< length = 1 << shift
    int pad;     ///< places of the first run that are empty, towards the base
    int tail;    ///< places of the last run that are empty, towards the tip
    int stretch; ///< bodies whose turns one lane puts together, a power of two, at most `length`
    double gravity[3];    ///< in the axes that the first body is placed in
    double *bodies;       ///< LB_LONG_RECORD rows: constants of a link, its state, its gains
    const double *frames; ///< LB_CHAIN_FRAME rows: constants that kinematics alone reads
    const double *heads;  ///< by run: how the axes of its last body are turned, cosine and sine
    double *turns;        ///< by stretch: turn and spin of all of its block so far       (DCA-2)
    double *marks;        ///< E, P and z in the midst of runs: LB_MARK_SIZE rows
    double *
        nodes; ///< assemblies by their first run, LB_NODE_SIZE numbers each: the run, then what it is joined to
    double *
        joins; ///< by the first run of the outer half: what a join keeps for the way back, LB_JOIN_SIZE numbers
    double
        *letters; ///< by the first run: what disassembly tells an assembly, LB_LETTER_SIZE numbers
    double *verdicts; ///< LB_VERDICT_SIZE numbers
} lb_chain;

/// Constants of a link: cosine and sine of its twist, place in the parent, mass, mass times centre, inertia. Axes of bodies
/// are turned about their hinges so that the pose of a body in its parent is a turn by a constant twist about x, then one by
/// an angle about z (see lb_write_chain_bodies).
enum {
    LB_ROW_TWIST = 0,
    LB_ROW_P = 2,
    LB_ROW_M = 5,
    LB_ROW_H = 6,
    LB_ROW_J = 9,
    LB_CHAIN_LINK = 15,
};
/// Rows of its state: cosine and sine of the angle, speed, torque.
enum { LB_ROW_COS, LB_ROW_SIN, LB_ROW_SPEED, LB_ROW_TAU, LB_CHAIN_STATE };
/// Rows of its gains: G without its entry along the axis, which is 1; 1/D; nu; K.
enum { LB_ROW_G, LB_ROW_D = 5, LB_ROW_NU, LB_ROW_K, LB_CHAIN_GAIN = 13 };
/// A record is a link and its state; a long one has the gains, too.
enum { LB_RECORD = LB_CHAIN_LINK + LB_CHAIN_STATE, LB_LONG_RECORD = LB_RECORD + LB_CHAIN_GAIN };
/// Kinematics alone: cosine and sine of the angle at q = 0, and the turn at q = 0 in the axes of the model. Angular velocities
/// are sums over the whole chain, which keep the digits of the model only if its own numbers are used.
enum { LB_ROW_ZERO = 0, LB_ROW_R = 2, LB_CHAIN_FRAME = 11 };
/// An assembly: P and U by lower triangles, E by rows. a and tau are of its first body, whose hinge is taken out later. Matrices
/// start at even places, so that two numbers can be read at once.
enum {
    LB_NODE_U = 0,
    LB_NODE_u = 21,
    LB_NODE_TAU = 27,
    LB_NODE_E = 28,
    LB_NODE_P = 64,
    LB_NODE_Z = 85,
    LB_NODE_A = 91,
    LB_NODE_OWN = 97,    ///< least pivot of the hinge of the first body, by the body alone
    LB_NODE_BROKEN = 98, ///< not zero: a pivot was lost here or in a part
    LB_NODE_SIZE = 100
};
/// Bodies that the check follows with the force of one handle. Longer runs keep E, P and z, as a node has them, at every
/// body that starts such a part, to find a force there anew: LB_MARK_SIZE rows. They are asked for so many bodies ahead.
enum { LB_CHECKED = 32, LB_MARK_SIZE = LB_NODE_A - LB_NODE_E, LB_MARK_AHEAD = 6 };

/// What a join keeps to find F and A' at the handle between its halves and the acceleration of the hinge there: the numbers of the
/// inner half up to E, u1 + a, five rows of E2, z2, S by its lower triangle, G, K, a and nu. E2 and z2 are without the hinge. Rows
/// are in the order of LB_INNER.
enum {
    LB_JOIN_INNER = LB_NODE_P, ///< numbers of the inner half
    LB_JOIN_g = 64,
    LB_JOIN_E2 = 70,
    LB_JOIN_Z2 = 100,
    LB_JOIN_S = 106, ///< 5 x 5
    LB_JOIN_G = 121,
    LB_JOIN_K = 127,
    LB_JOIN_A = 133,
    LB_JOIN_NU = 139,
    LB_JOIN_SIZE = 140
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

// The first and the last body of run k.
LB_CARD int lb_get_first(const lb_chain *c, int k)
{
    return k == 0 ? c->pad : 0;
}

LB_CARD int lb_get_last(const lb_chain *c, int k)
{
    return c->length - 1 - (k + 1 == c->run_count ? c->tail : 0);
}

// Whether body i of a run, whose first one is `first`, starts another part of it for the check.
LB_CARD int lb_is_marked(int i, int first)
{
    return i > first && i % LB_CHECKED == 0;
}

// Where `rows` numbers of body i of run k start, of `length` bodies. They are LB_CARD_TEAM apart.
LB_CARD long long lb_find_rows(int length, int i, int k, int rows)
{
    const long long piece = (long long)(k / LB_CARD_TEAM) * length + i;
    return piece * rows * LB_CARD_TEAM + k % LB_CARD_TEAM;
}

// The record of body i of run k. Its rows are LB_CARD_TEAM apart.
LB_CARD double *lb_get_link(const lb_chain *c, int i, int k)
{
    return c->bodies + lb_find_rows(c->length, i, k, LB_LONG_RECORD);
}

// The same if the body is one from `first` to `last`, or NULL.
LB_CARD const double *lb_find_link(const lb_chain *c, int i, int k, int first, int last)
{
    return i >= first && i <= last ? lb_get_link(c, i, k) : NULL;
}

// Where 1/D of body i of run k is kept.
LB_CARD double *lb_get_pivot(const lb_chain *c, int i, int k)
{
    return lb_get_link(c, i, k) + (LB_RECORD + LB_ROW_D) * LB_CARD_TEAM;
}

// The numbers of a marked body.
LB_CARD double *lb_get_mark(const lb_chain *c, int i, int k)
{
    const int count = c->length / LB_CHECKED - 1, m = i / LB_CHECKED - 1;
    return c->marks + lb_find_rows(count, m, k, LB_MARK_SIZE);
}

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

LB_CARD void lb_turn_back(const double *R, const double *x, double *out)
{
    const double a = x[0], b = x[1], c = x[2];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        out[i] = R[i] * a + R[3 + i] * b + R[6 + i] * c;
    }
}

// ---- the pose of a body in its parent ----------------------------------------------------------

/// (KIN-1): R = Rx(twist) Rz(angle), and p.
typedef struct lb_link_pose {
    double c, s;             ///< of the angle
    double twist_c, twist_s; ///< of the twist
    double p[3];
} lb_link_pose;

// R x: from a body to its parent.
LB_CARD void lb_turn_in(const lb_link_pose *X, const double *x, double *out)
{
    const double a = X->c * x[0] - X->s * x[1], b = X->s * x[0] + X->c * x[1], z = x[2];
    out[0] = a;
    out[1] = X->twist_c * b - X->twist_s * z;
    out[2] = X->twist_s * b + X->twist_c * z;
}

// R* x: from the parent to a body.
LB_CARD void lb_turn_out(const lb_link_pose *X, const double *x, double *out)
{
    const double a = x[0], b = X->twist_c * x[1] + X->twist_s * x[2];
    out[2] = X->twist_c * x[2] - X->twist_s * x[1];
    out[0] = X->c * a + X->s * b;
    out[1] = X->c * b - X->s * a;
}

// ---- numbers of a record -----------------------------------------------------------------------

// Row `row` of a record is at record[row * LB_TEAM].
#define LB_OF(row) record[(row)*LB_TEAM]
#define LB_STATE_OF(row) record[(LB_CHAIN_LINK + (row)) * LB_TEAM]
#define LB_GAIN_OF(row) record[(LB_RECORD + (row)) * LB_TEAM]

// @param apart  distance of rows
LB_CARD void lb_get_pose(const double *record, int apart, lb_link_pose *X)
{
    X->c = record[(LB_CHAIN_LINK + LB_ROW_COS) * apart];
    X->s = record[(LB_CHAIN_LINK + LB_ROW_SIN) * apart];
    X->twist_c = record[LB_ROW_TWIST * apart];
    X->twist_s = record[(LB_ROW_TWIST + 1) * apart];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        X->p[i] = record[(LB_ROW_P + i) * apart];
    }
}

// (KIN-3): a = (w' x z v, w' x (w' x l)), w' and l in the axes of the body.
LB_CARD void lb_get_bias(const lb_link_pose *X, const double *w, double v, double *a)
{
    double l[3], t[3];
    lb_turn_out(X, X->p, l);
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
LB_CARD void lb_carry_motion_out(const lb_link_pose *X, const double *A, double *out)
{
    double t[3];
    lb_cross(A, X->p, t);
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        t[i] += A[3 + i];
    }
    lb_turn_out(X, A, out);
    lb_turn_out(X, t, out + 3);
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
    enum { APART = LB_CARD_TEAM };
    LB_UNROLL for (int e = 0; e < 12; ++e)
    {
        turn[e] = e < 9 && e % 4 == 0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < c->stretch; ++i) {
        const int place = j * c->stretch + i, body = place - c->pad;
        const int in_run = place & (c->length - 1), k = place >> c->shift;
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
        const double *rows = c->frames + lb_find_rows(c->length, in_run, k, LB_CHAIN_FRAME);
        double *state = lb_get_link(c, in_run, k) + LB_CHAIN_LINK * APART;
        const double c0 = rows[LB_ROW_ZERO * APART], s0 = rows[(LB_ROW_ZERO + 1) * APART];
        state[LB_ROW_COS * APART] = c0 * cosine - s0 * sine;
        state[LB_ROW_SIN * APART] = s0 * cosine + c0 * sine;
        state[LB_ROW_SPEED * APART] = v[i];
        state[LB_ROW_TAU * APART] = tau ? tau[i] : 0.0;
        LB_UNROLL for (int r = 0; r < 3; ++r)
        {
            const double x = rows[(LB_ROW_R + 3 * r) * APART];
            const double y = rows[(LB_ROW_R + 3 * r + 1) * APART];
            own[3 * r] = cosine * x + sine * y;
            own[3 * r + 1] = cosine * y - sine * x;
            own[3 * r + 2] = rows[(LB_ROW_R + 3 * r + 2) * APART];
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

// Angular velocity of the last body of run k, in its own axes: that of the blocks of stretches ahead, and of the stretches of
// its own block. Sums of blocks lie behind the stretches, those of blocks of blocks behind them. All are read before any of
// them is used.
LB_CARD void lb_get_end_velocity(const lb_chain *c, int k, double *w)
{
    enum { LEVELS = 4 };
    double turns[LEVELS][12];
    int count = lb_count_stretches(c), start = 0, i = (k + 1) * (c->length / c->stretch) - 1;
    LB_UNROLL for (int level = 0; level < LEVELS; ++level)
    {
        LB_UNROLL for (int e = 0; e < 12; ++e)
        {
            turns[level][e] = i >= 0 ? c->turns[12LL * (start + i) + e] : 0.0;
        }
        i = count > LB_SCAN && i >= 0 ? i / LB_SCAN - 1 : -1;
        start += count;
        count = (count + LB_SCAN - 1) / LB_SCAN;
    }
    w[0] = w[1] = w[2] = 0.0;
    LB_UNROLL for (int level = LEVELS - 1; level >= 0; --level)
    {
        lb_turn_back(turns[level], w, w);
        LB_UNROLL for (int e = 0; e < 3; ++e)
        {
            w[e] += turns[level][9 + e];
        }
    }
    if (k >= 0) {
        const double cosine = c->heads[2 * k], sine = c->heads[2 * k + 1], x = w[0];
        w[0] = cosine * x + sine * w[1];
        w[1] = cosine * w[1] - sine * x;
    }
}

#endif // LB_CHAIN_BODY_H
