// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: how one lane tells the two halves of an assembly what happens at their handles.
#ifndef LB_CHAIN_SPLIT_H
#define LB_CHAIN_SPLIT_H

#include "chain_join.h"
#include "verdict.h"

// The handle between two assemblies, and the hinge there                                 (DCA-7)
//
//     g = E1* A + u1 + a,   z' = z2 - E2 f,   F = S (g - U1 z') + z',   A' + a = g - U1 F
//     value = nu - G* (A' + a) + K f
//
// @param join    what was kept of the assembly
// @param letter  in: what it was told; out: what its inner half is told
// @param outer   out: what its outer half is told
LB_CARD void lb_split_chain(const double *join, double *letter, double *outer)
{
    double A[6], f[6], B[6], kept[LB_JOIN_SIZE], g[6], z[6], x[5], F[6], response = 0.0;
    const double *U1 = kept + LB_NODE_U, *E1 = kept + LB_NODE_E;
    lb_get_numbers(letter + LB_LETTER_A, 6, A);
    lb_get_numbers(letter + LB_LETTER_f, 6, f);
    lb_get_numbers(letter + LB_LETTER_B, 6, B);
    lb_get_numbers(join, LB_JOIN_SIZE, kept);
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        g[i] = kept[LB_JOIN_g + i];
        z[i] = kept[LB_JOIN_Z2 + i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            g[i] += E1[6 * k + LB_INNER(i)] * A[k];
            z[i] -= i < 5 ? kept[LB_JOIN_E2 + 6 * i + k] * f[k] : 0.0;
        }
    }
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        x[i] = g[i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            x[i] -= U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * z[k];
        }
    }
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        F[i] = z[i];
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            F[i] += i < 5 ? kept[LB_JOIN_S + LB_LOWER(i, k)] * x[k] : 0.0;
        }
    }
    double value = kept[LB_JOIN_NU];
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            g[i] -= U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * F[k];
        }
        value -= kept[LB_JOIN_G + i] * g[i];
        response += kept[LB_JOIN_K + i] * f[i];
    }
    value += response;
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        const int r = LB_INNER(i);
        outer[LB_LETTER_A + r] = g[i] + (i == 5 ? value : 0.0);
        outer[LB_LETTER_f + i] = f[i];
        outer[LB_LETTER_F + r] = F[i];
        outer[LB_LETTER_B + i] = B[i];
        letter[LB_LETTER_f + r] = -F[i];
        letter[LB_LETTER_B + r] = g[i] - kept[LB_JOIN_A + i];
    }
    outer[LB_LETTER_VALUE] = value;
}

// The whole chain hangs on the ground: what its assembly is told, by a single lane. Nothing has been found by the check so
// far.
//
// @param node    the assembly of everything
// @param letter  out
LB_CARD void lb_settle_chain(const lb_chain *c, const double *node, double *letter)
{
    const double ground[6] = {0, 0, 0, -c->gravity[0], -c->gravity[1], -c->gravity[2]};
    lb_link_pose X;
    lb_get_pose(lb_get_link(c, c->pad, 0), LB_CARD_TEAM, &X);
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
