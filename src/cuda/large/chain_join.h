// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: how a team makes one assembly of two neighbours.
#ifndef LB_CHAIN_JOIN_H
#define LB_CHAIN_JOIN_H

#include "chain_run.h"
#include "chain_tile.h"

/// Components of the handle between two assemblies, in an order that has the hinge axis last: x, y, z of the
/// linear part, then of the angular part. Five rows and columns are left of what a hinge was taken out of.
#define LB_INNER(r) ((r) < 3 ? (r) + 3 : (r)-3)

/// Room of a team: assemblies, and tiles. Rows and columns of the handle are in the order of LB_INNER. Column 6 belongs to what
/// is there without any force or acceleration, column 7 to the acceleration that the handle has by the inner half.
typedef struct lb_bench {
    double halves[2 * LB_NODE_SIZE]; ///< as read; then a result, see lb_join_levels
    double out[LB_NODE_SIZE];        ///< a result
    double join[LB_JOIN_SIZE];       ///< what is kept for the way back
    double Q[LB_TILE];               ///< P2 without the hinge, then I + L* U1 L, then S
    double L[LB_TILE], Y[LB_TILE];   ///< five columns
    double Z[LB_TILE];               ///< U1 L, then Z
    double F[LB_TILE];               ///< E2 and z2 without the hinge, then U1 T E2
    double X[LB_TILE];               ///< -U1 E2, then Z* E2
    double T[LB_TILE];               ///< T E2
    double EY[LB_TILE];
} lb_bench;

// Zeros where nothing else is ever written.
LB_CARD void lb_clear_bench(lb_bench *t, int lane)
{
    for (int e = lane; e < LB_TILE; e += LB_TEAM) {
        t->L[e] = t->Y[e] = 0.0;
    }
    LB_TEAM_WAIT();
}

// A join as its lanes see it.
typedef struct lb_halves {
    lb_part U1, E1;  ///< the inner half, as left operands
    lb_part P, U, E; ///< what the sums of the new assembly start with
    double d, nu;    ///< 1/D and D^-1 (T - z) of the hinge between the halves
    int good;        ///< whether its pivot is
} lb_halves;

// Reads two neighbours and takes out the hinge of the outer one                          (DCA-3)
//
// The bias a of the hinge is added to the acceleration u1 of the handle, so that the hinge itself has none. Every lane reads
// something everywhere: choices come after that, so that no lanes wait for others.
LB_CARD lb_halves lb_read_halves(const double *inner, const double *outer, lb_bench *t, int lane)
{
    lb_halves h;
    const double *P2 = outer + LB_NODE_P, *E2 = outer + LB_NODE_E, *hinge = E2 + 12;
    const double pivot = P2[LB_LOWER(2, 2)], tau = outer[LB_NODE_TAU];
    const double others = P2[LB_LOWER(0, 0)] + P2[LB_LOWER(1, 1)];
    const double eps = tau - outer[LB_NODE_Z + 2], d = 1.0 / pivot, nu = d * eps;
    h.d = d;
    h.nu = nu;
    h.good = fabs(pivot) > 1e-14 * fabs(others + pivot) || pivot >= outer[LB_NODE_OWN];
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int row = LB_LEFT_ROW(e, lane), column = LB_LEFT_COLUMN(e, lane);
        const int i = row < 6 ? row : 5, k = column < 6 ? column : 5;
        const double U = inner[LB_NODE_U + LB_LOWER(LB_INNER(i), LB_INNER(k))];
        const double E = inner[LB_NODE_E + 6 * i + LB_INNER(k)];
        h.U1.x[e] = row < 6 && column < 6 ? U : 0.0;
        h.E1.x[e] = row < 6 && column < 6 ? E : 0.0;
    }
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int row = LB_ROW(e, lane), column = LB_COLUMN(e, lane);
        const int i = row < 6 ? row : 5, j = column < 6 ? column : 5;
        const int r = LB_INNER(i), s = LB_INNER(j), at = row * LB_ROW_PITCH + column;
        const int is_matrix = row < 6 && column < 6, is_rest = row < 6 && column == 6;
        const double hi = hinge[i], hj = hinge[j], a = outer[LB_NODE_A + r];
        const double G = i == 5 ? 1.0 : d * P2[LB_LOWER(r, 2)];
        const double Q = P2[LB_LOWER(r, s)] - G * P2[LB_LOWER(2, s)], F = E2[6 * r + j] - G * hj;
        const double z = i == 5 ? tau : outer[LB_NODE_Z + r] + G * eps;
        const double g = inner[LB_NODE_u + r] + a;
        const double U = outer[LB_NODE_U + LB_LOWER(i, j)] + d * hi * hj;
        const double u = -outer[LB_NODE_u + i] - nu * hi;
        const double P1 = inner[LB_NODE_P + LB_LOWER(i, j)], z1 = inner[LB_NODE_Z + i];
        t->Q[at] = row < 5 && column < 5 ? Q : 0.0;
        t->F[at] = is_matrix ? (row < 5 ? F : 0.0) : is_rest ? z : 0.0;
        t->X[at] = row < 6 && column == 7 ? g : 0.0;
        h.P.x[e] = is_matrix ? P1 : 0.0;
        h.U.x[e] = is_matrix ? U : is_rest ? u : 0.0;
        h.E.x[e] = is_rest ? z1 : 0.0;
        if (is_matrix && row < 5) {
            t->join[LB_JOIN_E2 + 6 * i + j] = F;
        }
        if (is_rest) {
            t->join[LB_JOIN_Z2 + i] = z;
            t->join[LB_JOIN_g + i] = g;
            t->join[LB_JOIN_G + i] = G;
            t->join[LB_JOIN_K + i] = d * hi;
            t->join[LB_JOIN_A + i] = a;
        }
    }
    LB_TEAM_WAIT();
    return h;
}

// Y, Z and S of two halves, all without the hinge axis                                   (DCA-9)
//
//     P2 = L L*,   B = U1 L,   I + L* B = C C*,   Y = C^-1 L*,   Z = B C*^-1 C^-1,   S = Y* Y
//
// The tile Y holds Y*.
LB_CARD void lb_shield(const lb_part *U1, lb_bench *t, int lane)
{
    double L[15], C[15], roots[5];
    lb_factor_five(t->Q, L, roots);
    if (lane == 0) {
        LB_UNROLL for (int i = 0; i < 5; ++i)
        {
            LB_UNROLL for (int j = 0; j <= i; ++j)
            {
                t->L[LB_ROW_PITCH * i + j] = i == j ? roots[i] : L[LB_LOWER(i, j)];
            }
        }
    }
    LB_TEAM_WAIT();
    lb_part B, M;
    lb_clear_part(&B);
    lb_add_left_product(U1, t->L, LB_PLAIN, &B, lane);
    lb_put_part(&B, t->Z, lane);
    LB_TEAM_WAIT();
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        M.x[e] = LB_ROW(e, lane) == LB_COLUMN(e, lane) ? 1.0 : 0.0;
    }
    lb_add_product(t->L, LB_TURNED, t->Z, LB_PLAIN, &M, lane);
    lb_put_part(&M, t->Q, lane);
    LB_TEAM_WAIT();
    lb_factor_five(t->Q, C, roots);
    // rows of L give those of Y*, and rows of B those of Z: one lane for each
    for (int row = lane; row < 16; row += LB_TEAM) {
        const double *from = (row < 8 ? t->L : t->Z) + LB_ROW_PITCH * (row & 7);
        double *to = (row < 8 ? t->Y : t->Z) + LB_ROW_PITCH * (row & 7);
        double x[5];
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            x[j] = from[j];
            LB_UNROLL for (int k = 0; k < j; ++k)
            {
                x[j] -= C[LB_LOWER(j, k)] * x[k];
            }
            x[j] *= C[LB_LOWER(j, j)];
        }
        if (row >= 8) {
            LB_UNROLL for (int j = 4; j >= 0; --j)
            {
                LB_UNROLL for (int k = j + 1; k < 5; ++k)
                {
                    x[j] -= C[LB_LOWER(k, j)] * x[k];
                }
                x[j] *= C[LB_LOWER(j, j)];
            }
        }
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            to[j] = x[j];
        }
    }
    LB_TEAM_WAIT();
    lb_part S;
    lb_clear_part(&S);
    lb_add_product(t->Y, LB_PLAIN, t->Y, LB_TURNED, &S, lane);
    lb_put_part(&S, t->Q, lane);
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int i = LB_ROW(e, lane), j = LB_COLUMN(e, lane);
        if (i < 5 && j < 5) {
            t->join[LB_JOIN_S + 5 * i + j] = S.x[e];
        }
    }
}

// Two assemblies made one                                                                (DCA-6)
//
// With T E2 = E2 - S U1 E2, U = U2 + (T E2)* U1 (T E2) + (Z* E2)* (Z* E2) is a sum of semidefinite terms. An error of T
// enters it in the second order only.
//
// @param inner, outer  where the team sees them
// @param node          out: the assembly; what is kept for the way back goes into t->join
// @return 1/D of the hinge between them
LB_CARD double lb_join_chain(const double *inner, const double *outer, double *node, lb_bench *t,
                             int lane)
{
    lb_halves h = lb_read_halves(inner, outer, t, lane);
    // X := -U1 (E2, z2), and in its last column what the handle does by the inner half
    lb_part X;
    lb_clear_part(&X);
    lb_add_left_product(&h.U1, t->F, LB_PLAIN, &X, lane);
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        if (LB_COLUMN(e, lane) < 7) {
            t->X[LB_ROW(e, lane) * LB_ROW_PITCH + LB_COLUMN(e, lane)] = -X.x[e];
        }
    }
    lb_shield(&h.U1, t, lane);
    lb_part EY;
    lb_clear_part(&EY);
    lb_add_left_product(&h.E1, t->Y, LB_PLAIN, &EY, lane);
    lb_put_part(&EY, t->EY, lane);
    LB_TEAM_WAIT();

    // T (E2, z2) and S g; their sum in the last two columns is F0 = S (u1 - U1 z2) + z2
    lb_part T, UT;
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        T.x[e] = t->F[LB_ROW(e, lane) * LB_ROW_PITCH + LB_COLUMN(e, lane)];
    }
    lb_add_product(t->Q, LB_PLAIN, t->X, LB_PLAIN, &T, lane);
    lb_put_part(&T, t->T, lane);
    // P = P1 + E1 S E1*
    lb_add_product(t->EY, LB_PLAIN, t->EY, LB_TURNED, &h.P, lane);
    lb_part ZF;
    lb_clear_part(&ZF);
    lb_add_product(t->Z, LB_TURNED, t->F, LB_PLAIN, &ZF, lane);
    double g[LB_ENTRIES];
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        g[e] = t->X[LB_ROW(e, lane) * LB_ROW_PITCH + LB_COLUMN(e, lane)];
    }
    LB_TEAM_WAIT();
    lb_put_part(&ZF, t->X, lane);
    lb_clear_part(&UT);
    lb_add_left_product(&h.U1, t->T, LB_PLAIN, &UT, lane);
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        UT.x[e] = LB_COLUMN(e, lane) == 7 ? -g[e] : UT.x[e];
    }
    lb_put_part(&UT, t->F, lane);
    // E = E1 T E2, z = z1 + E1 F0
    lb_add_left_product(&h.E1, t->T, LB_PLAIN, &h.E, lane);
    LB_TEAM_WAIT();
    // U, and in the last two columns u = u2 + nu H E2 + (T E2)* g - E2* W z2 with the opposite sign
    lb_add_product(t->T, LB_TURNED, t->F, LB_PLAIN, &h.U, lane);
    lb_add_product(t->X, LB_TURNED, t->X, LB_PLAIN, &h.U, lane);
    LB_UNROLL for (int e = 0; e < LB_ENTRIES; ++e)
    {
        const int i = LB_ROW(e, lane), j = LB_COLUMN(e, lane);
        if (i < 6 && j < 6) {
            node[LB_NODE_E + 6 * i + j] = h.E.x[e];
            if (j <= i) {
                node[LB_NODE_P + LB_LOWER(i, j)] = h.P.x[e];
                node[LB_NODE_U + LB_LOWER(i, j)] = h.U.x[e];
            }
        } else if (i < 6 && j == 7) {
            node[LB_NODE_Z + i] = h.E.x[e - 1] + h.E.x[e];
            node[LB_NODE_u + i] = -h.U.x[e - 1] - h.U.x[e];
        }
    }
    // its first body is that of the inner half
    for (int e = LB_NODE_A + lane; e < LB_NODE_BROKEN; e += LB_TEAM) {
        node[e] = inner[e];
    }
    if (lane == 0) {
        const double broken = inner[LB_NODE_BROKEN] + outer[LB_NODE_BROKEN];
        node[LB_NODE_BROKEN] = h.good && broken == 0.0 ? 0.0 : 1.0;
        t->join[LB_JOIN_NU] = h.nu;
    }
    LB_TEAM_WAIT();
    return h.d;
}

// ---- levels ------------------------------------------------------------------------------------
//
// Assemblies of a level are those of the level below, two by two; one that is left over moves up as
// it is. Level 0 holds the runs.

LB_CARD int lb_count_level(int run_count, int level)
{
    return (int)(((long long)run_count + (1LL << level) - 1) >> level);
}

LB_CARD long long lb_start_level(int run_count, int level)
{
    long long start = 0;
    for (int l = 0; l < level; ++l) {
        start += lb_count_level(run_count, l);
    }
    return start;
}

// `count` numbers, which is even, at multiples of 16 bytes.
LB_CARD void lb_copy_numbers(const double *from, double *to, int count, int lane)
{
    for (int e = 2 * lane; e < count; e += 2 * LB_TEAM) {
#ifdef __CUDACC__
        *(double2 *)(to + e) = *(const double2 *)(from + e);
#else
        to[e] = from[e];
        to[e + 1] = from[e + 1];
#endif
    }
}

// Assembly j of a level above the runs.
//
// @param start  of the level below, see lb_start_level
// @param inner  the assemblies that it is made of, where the team sees them, or NULL if they have to be fetched
// @param outer  the second of them
// @param node   out, there too
LB_CARD void lb_join_at(const lb_chain *c, int level, long long start, int j, const double *inner,
                        const double *outer, double *node, lb_bench *t, int lane)
{
    const int count = lb_count_level(c->run_count, level - 1), is_alone = 2 * j + 1 == count;
    const long long own = start + count + j;
    if (!inner) {
        const double *from = c->nodes + LB_NODE_SIZE * (start + 2 * j);
        for (int e = 2 * lane; e < (is_alone ? 1 : 2) * LB_NODE_SIZE; e += 2 * LB_TEAM) {
            lb_fetch_two(from + e, t->halves + e);
        }
        lb_end_fetches();
        LB_AWAIT(0);
        LB_TEAM_WAIT();
        inner = t->halves;
        outer = t->halves + LB_NODE_SIZE;
    }
    if (is_alone) {
        lb_copy_numbers(inner, node, LB_NODE_SIZE, lane);
    } else {
        const long long k = (2LL * j + 1) << (level - 1); // the run that the outer half starts with
        const double d = lb_join_chain(inner, outer, node, t, lane);
        lb_copy_numbers(t->join, c->joins + LB_JOIN_SIZE * (own - c->run_count), LB_JOIN_SIZE,
                        lane);
        if (lane == 0) {
            *lb_get_pivot(c, 0, (int)k) = d;
        }
    }
    LB_TEAM_WAIT();
    lb_copy_numbers(node, c->nodes + LB_NODE_SIZE * own, LB_NODE_SIZE, lane);
}

#endif // LB_CHAIN_JOIN_H
