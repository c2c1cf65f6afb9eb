// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: how a group of lanes tells the two halves of an assembly what happens at their handles. Each lane
// has a row of every matrix.
#ifndef LB_CHAIN_SPLIT_H
#define LB_CHAIN_SPLIT_H

#include "chain_join.h"
#include "verdict.h"

/// Room of a group: what a join kept, U, u and E of its inner half, and what comes out.
enum { LB_DESK_INNER = (LB_NODE_P + 1) / 2 * 2 };
typedef struct lb_desk {
    double join[LB_JOIN_SIZE];
    double inner[LB_DESK_INNER];
    double z[6], x[6], F[6], A[6];
} lb_desk;

// Asks for the numbers of assembly j of a level above the runs, so that nothing has to be waited for later.
//
// @param start  of the level below, see lb_start_level
LB_CARD void lb_fetch_desk(const lb_chain *c, int level, long long start, int j, lb_desk *t,
                           int lane)
{
    const long long own = start + lb_count_level(c->run_count, level - 1) + j;
    const double *join = c->joins + LB_JOIN_SIZE * (own - c->run_count);
    const double *inner = c->nodes + LB_NODE_SIZE * (start + 2 * j);
    LB_SHARE(e, lane, LB_JOIN_SIZE / 2)
    {
        lb_fetch_two(join + 2 * e, t->join + 2 * e);
    }
    LB_SHARE(e, lane, LB_DESK_INNER / 2)
    {
        lb_fetch_two(inner + 2 * e, t->inner + 2 * e);
    }
}

// The handle between two assemblies, and the hinge there                                 (DCA-7)
//
//     g = E1* A + u1 + a,   z' = z2 - E2 f,   F = S (g - U1 z') + z',   A' + a = g - U1 F
//     value = nu - G* (A' + a) + K f
//
// @param letter                     what the assembly was told
// @param inner_letter, outer_letter  out: what its halves are told
LB_CARD void lb_split_chain(const double *letter, double *inner_letter, double *outer_letter,
                            lb_desk *t, int lane)
{
    const double *E1 = t->inner + LB_NODE_E, *U1 = t->inner + LB_NODE_U, *join = t->join;
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i), five = i < 5 ? i : 4;
        double g = join[LB_JOIN_g + i], force = 0.0;
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            g += E1[6 * k + r] * letter[LB_LETTER_A + k];
            force += join[LB_JOIN_E2 + 6 * five + k] * letter[LB_LETTER_f + k];
        }
        t->A[i] = g;
        t->z[i] = join[LB_JOIN_Z2 + i] - (i < 5 ? force : 0.0);
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double x = t->A[i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            x -= U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * t->z[k];
        }
        t->x[i] = x;
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        const int five = i < 5 ? i : 4;
        double sum = 0.0;
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            sum += join[LB_JOIN_S + 5 * five + k] * t->x[k];
        }
        t->F[i] = t->z[i] + (i < 5 ? sum : 0.0);
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double A = t->A[i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            A -= U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * t->F[k];
        }
        t->A[i] = A;
    }
    LB_GROUP_WAIT();
    double value = join[LB_JOIN_NU], response = 0.0;
    LB_UNROLL for (int k = 0; k < 6; ++k)
    {
        value -= join[LB_JOIN_G + k] * t->A[k];
        response += join[LB_JOIN_K + k] * letter[LB_LETTER_f + k];
    }
    value += response;
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i);
        inner_letter[LB_LETTER_A + i] = letter[LB_LETTER_A + i];
        inner_letter[LB_LETTER_f + r] = -t->F[i];
        inner_letter[LB_LETTER_F + i] = letter[LB_LETTER_F + i];
        inner_letter[LB_LETTER_B + r] = t->A[i] - join[LB_JOIN_A + i];
        outer_letter[LB_LETTER_A + r] = t->A[i] + (i == 5 ? value : 0.0);
        outer_letter[LB_LETTER_f + i] = letter[LB_LETTER_f + i];
        outer_letter[LB_LETTER_F + r] = t->F[i];
        outer_letter[LB_LETTER_B + i] = letter[LB_LETTER_B + i];
    }
    if (lane == 0) {
        inner_letter[LB_LETTER_VALUE] = letter[LB_LETTER_VALUE];
        outer_letter[LB_LETTER_VALUE] = value;
    }
}

// Assembly j of a level above the runs. One that was left over passes on what it is told.
//
// @param letters  out: of the level below, from 2 j on
LB_CARD void lb_split_at(const lb_chain *c, int level, int j, const double *letter, double *letters,
                         lb_desk *t, int lane)
{
    if (2 * j + 1 == lb_count_level(c->run_count, level - 1)) {
        LB_SHARE(e, lane, LB_LETTER_SIZE)
        {
            letters[e] = letter[e];
        }
        return;
    }
    lb_split_chain(letter, letters, letters + LB_LETTER_SIZE, t, lane);
}

// The whole chain hangs on the ground: what its assembly is told, by a single lane. Nothing has been found by the check so
// far.
//
// @param node    the assembly of everything
// @param letter  out
LB_CARD void lb_settle_chain(const lb_chain *c, const double *node, double *letter)
{
    enum { APART = LB_CARD_TEAM };
    const double ground[6] = {0, 0, 0, -c->gravity[0], -c->gravity[1], -c->gravity[2]};
    const double *state = c->state + lb_find_rows(c->length, c->pad, 0, LB_CHAIN_STATE);
    const double *rows = c->bodies + lb_find_rows(c->length, c->pad, 0, LB_CHAIN_BODY);
    const lb_link_pose X = {
        state[LB_ROW_COS * APART],
        state[LB_ROW_SIN * APART],
        rows[LB_ROW_TWIST * APART],
        rows[(LB_ROW_TWIST + 1) * APART],
        {rows[LB_ROW_P * APART], rows[(LB_ROW_P + 1) * APART], rows[(LB_ROW_P + 2) * APART]}};
    // (DCA-3): F = P A - G (P A)z + z + G eps, where A = A- + a
    const double pivot = node[LB_NODE_P + LB_LOWER(2, 2)], d = 1.0 / pivot;
    const double others = node[LB_NODE_P + LB_LOWER(0, 0)] + node[LB_NODE_P + LB_LOWER(1, 1)];
    const int good = fabs(pivot) > 1e-14 * fabs(others + pivot) || pivot >= node[LB_NODE_OWN];
    double A[6], value = d * (node[LB_NODE_TAU] - node[LB_NODE_Z + 2]);
    lb_carry_motion_out(&X, ground, A);
    LB_UNROLL for (int k = 0; k < 6; ++k)
    {
        A[k] += node[LB_NODE_A + k];
        value -= (k == 2 ? 1.0 : d * node[LB_NODE_P + LB_LOWER(k, 2)]) * A[k];
    }
    A[2] += value;
    double F[6];
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        F[i] = node[LB_NODE_Z + i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            F[i] += node[LB_NODE_P + LB_LOWER(i, k)] * A[k];
        }
    }
    F[2] = node[LB_NODE_TAU];
    const double broken = node[LB_NODE_BROKEN];
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        letter[LB_LETTER_A + i] = A[i];
        letter[LB_LETTER_F + i] = F[i];
        letter[LB_LETTER_f + i] = letter[LB_LETTER_B + i] = 0.0;
    }
    letter[LB_LETTER_VALUE] = value;
    *lb_get_pivot(c, c->pad, 0) = d;
    LB_UNROLL for (int e = 0; e < LB_VERDICT_BROKEN; ++e)
    {
        c->verdicts[e] = 0.0;
    }
    c->verdicts[LB_VERDICT_BROKEN] = good && broken == 0.0 ? 0.0 : 1.0;
}

#endif // LB_CHAIN_SPLIT_H
