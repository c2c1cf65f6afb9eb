// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: how a group of eight lanes makes one assembly of two neighbours. Each lane has a column of
// E2, or z2. What depends on P2 and U1 alone is done by every lane: waiting for each other would take longer.
#ifndef LB_CHAIN_JOIN_H
#define LB_CHAIN_JOIN_H

#include "chain_run.h"

/// Components of the handle between two assemblies, in an order that has the hinge axis last: x, y, z of the
/// linear part, then of the angular part. Five rows and columns are left of what a hinge was taken out of.
#define LB_INNER(r) ((r) < 3 ? (r) + 3 : (r)-3)

/// Columns that one lane has: one on a card.
enum { LB_COLUMNS = LB_CARD_GROUP / LB_GROUP };

/// What the lanes of a group show each other: column j of T E2, Z* E2, Y E1* and Y. Lanes and groups are apart so that few of
/// them meet in one bank.
enum { LB_SHOW_T = 0, LB_SHOW_Z = 5, LB_SHOW_EY = 10, LB_SHOW_Y = 15, LB_SHOWN = 20 };
enum { LB_SHOW_APART = LB_SHOWN + 2, LB_BOARD = LB_SHOW_APART * LB_CARD_GROUP + 2 };

// A = L L* of a 5 x 5 matrix, by lower triangles. Pivots that are round-off are dropped with their columns.
//
// @param inverses  out: of the diagonal of L
LB_CARD void lb_factor_five(const double *A, double *L, double *inverses)
{
    LB_UNROLL for (int j = 0; j < 5; ++j)
    {
        double pivot = A[LB_LOWER(j, j)];
        const double least = 1e-15 * pivot;
        LB_UNROLL for (int k = 0; k < j; ++k)
        {
            pivot -= L[LB_LOWER(j, k)] * L[LB_LOWER(j, k)];
        }
        inverses[j] = pivot > least ? lb_rsqrt(pivot) : 0.0;
        L[LB_LOWER(j, j)] = pivot * inverses[j];
        LB_UNROLL for (int i = j + 1; i < 5; ++i)
        {
            double sum = A[LB_LOWER(i, j)];
            LB_UNROLL for (int k = 0; k < j; ++k)
            {
                sum -= L[LB_LOWER(i, k)] * L[LB_LOWER(j, k)];
            }
            L[LB_LOWER(i, j)] = sum * inverses[j];
        }
    }
}

/// The hinge between two assemblies, and the factors of (DCA-9).
typedef struct lb_between {
    double d, eps, nu;  ///< 1/D, T - z and D^-1 (T - z)
    double G[5];        ///< without the axis, where it is 1
    double L[15];       ///< P2 = L L*
    double C[15];       ///< I + L* U1 L = C C*
    double inverses[5]; ///< of the diagonal of C
    int good;           ///< whether the pivot of the hinge is
} lb_between;

// Takes out the hinge of the outer half (DCA-3), and factors what is left of P2:
//
//     P2 = L L*,   B = U1 L,   I + L* B = C C*                                           (DCA-9)
LB_CARD void lb_factor_halves(const double *inner, const double *outer, lb_between *t)
{
    double P2[22], U1[22];
    lb_get_numbers(outer + LB_NODE_P, 22, P2);
    const double pivot = P2[LB_LOWER(2, 2)];
    const double others = P2[LB_LOWER(0, 0)] + P2[LB_LOWER(1, 1)];
    double Q[15], B[25], inverses[5];
    t->d = 1.0 / pivot;
    t->eps = outer[LB_NODE_TAU] - outer[LB_NODE_Z + 2];
    t->nu = t->d * t->eps;
    t->good = fabs(pivot) > 1e-14 * fabs(others + pivot) || pivot >= outer[LB_NODE_OWN];
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        t->G[i] = t->d * P2[LB_LOWER(LB_INNER(i), 2)];
        LB_UNROLL for (int j = 0; j <= i; ++j)
        {
            Q[LB_LOWER(i, j)] =
                P2[LB_LOWER(LB_INNER(i), LB_INNER(j))] - t->G[i] * P2[LB_LOWER(2, LB_INNER(j))];
        }
    }
    lb_factor_five(Q, t->L, inverses);
    lb_get_numbers(inner + LB_NODE_U, 22, U1);
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            double sum = 0.0;
            LB_UNROLL for (int k = j; k < 5; ++k)
            {
                sum += U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * t->L[LB_LOWER(k, j)];
            }
            B[5 * i + j] = sum;
        }
    }
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        LB_UNROLL for (int j = 0; j <= i; ++j)
        {
            double sum = i == j ? 1.0 : 0.0;
            LB_UNROLL for (int k = i; k < 5; ++k)
            {
                sum += t->L[LB_LOWER(k, i)] * B[5 * k + j];
            }
            Q[LB_LOWER(i, j)] = sum;
        }
    }
    lb_factor_five(Q, t->C, t->inverses);
}

// y = Y x = C^-1 L* x
LB_CARD void lb_shield(const lb_between *t, const double *x, double *y)
{
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        double sum = 0.0;
        LB_UNROLL for (int k = i; k < 5; ++k)
        {
            sum += t->L[LB_LOWER(k, i)] * x[k];
        }
        LB_UNROLL for (int k = 0; k < i; ++k)
        {
            sum -= t->C[LB_LOWER(i, k)] * y[k];
        }
        y[i] = sum * t->inverses[i];
    }
}

// y := C*^-1 y
LB_CARD void lb_shield_back(const lb_between *t, double *y)
{
    LB_UNROLL for (int i = 4; i >= 0; --i)
    {
        LB_UNROLL for (int k = i + 1; k < 5; ++k)
        {
            y[i] -= t->C[LB_LOWER(k, i)] * y[k];
        }
        y[i] *= t->inverses[i];
    }
}

// Column j of Y E1* and of Y, for P = P1 + (Y E1*)* (Y E1*) and S = Y* Y.
//
// @param shown  out: LB_SHOWN numbers of the lane
LB_CARD void lb_show_shield(const lb_between *t, const double *inner, int j, double *shown)
{
    double E1[6], row[5], unit[5], out[10];
    lb_get_numbers(inner + LB_NODE_E + 6 * (j < 6 ? j : 5), 6, E1);
    LB_UNROLL for (int r = 0; r < 5; ++r)
    {
        row[r] = E1[LB_INNER(r)];
        unit[r] = r == j ? 1.0 : 0.0;
    }
    lb_shield(t, row, out);
    lb_shield(t, unit, out + 5);
    LB_UNROLL for (int e = 0; e < 10; ++e)
    {
        shown[LB_SHOW_EY + e] = out[e];
    }
}

/// What a lane keeps of its column x to itself: U1 T x and E1 T x, then columns of the new assembly and of S.
typedef struct lb_column {
    double UT[5], E[6], U[6], P[6], S[6];
} lb_column;

// U1 x, of which five rows are needed.
LB_CARD void lb_apply_compliance(const double *inner, const double *x, double *out)
{
    double U1[22];
    lb_get_numbers(inner + LB_NODE_U, 22, U1);
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        out[i] = 0.0;
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            out[i] += U1[LB_LOWER(LB_INNER(i), LB_INNER(k))] * x[k];
        }
    }
}

// What is kept of a column for the way back.
LB_CARD void lb_keep_column(const lb_between *t, const double *inner, const double *outer, int j,
                            const double *x, double *join)
{
    const int r = LB_INNER(j < 6 ? j : 5);
    const double h = outer[LB_NODE_E + 12 + (j < 6 ? j : 5)], a = outer[LB_NODE_A + r];
    const double g = inner[LB_NODE_u + r] + a, G = t->d * outer[LB_NODE_P + LB_LOWER(r, 2)];
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        if (j < 6 ? i < 5 : j == 6) {
            join[j < 6 ? LB_JOIN_E2 + 6 * i + j : LB_JOIN_Z2 + i] = x[i];
        }
    }
    if (j < 6) {
        join[LB_JOIN_g + j] = g;
        join[LB_JOIN_G + j] = j == 5 ? 1.0 : G;
        join[LB_JOIN_K + j] = t->d * h;
        join[LB_JOIN_A + j] = a;
    } else if (j == 6) {
        join[LB_JOIN_NU] = t->nu;
    }
}

// A column x: 0 to 5 are those of E2, of which the hinge is taken out, 6 and 7 are z2.
//
//     y = Y U1 x,   Z* x = C*^-1 y,   T x = x - L (Z* x)
//
// Column 7 has U1 z2 - g instead of U1 z2, with the acceleration g of the handle, so that T x is F0 = S (g - U1 z2) + z2.
// Column 6 of U1 T x is U1 T z2 - g.
//
// @param shown  out: LB_SHOWN numbers of the lane
// @param join   out: what is kept for the way back
LB_CARD void lb_join_column(const lb_between *t, const double *inner, const double *outer, int j,
                            double *shown, lb_column *out, double *join)
{
    const int is_rest = j >= 6, step = is_rest ? 1 : 6;
    const double *from = outer + (is_rest ? LB_NODE_Z : LB_NODE_E + j);
    const double by = is_rest ? t->eps : -outer[LB_NODE_E + 12 + (is_rest ? 0 : j)];
    double x[6], X[5], Z[5], T[6], g[5];
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        x[i] = from[step * LB_INNER(i)] + t->G[i] * by;
        g[i] = inner[LB_NODE_u + LB_INNER(i)] + outer[LB_NODE_A + LB_INNER(i)];
    }
    x[5] = is_rest ? outer[LB_NODE_TAU] : 0.0;
    lb_keep_column(t, inner, outer, j, x, join);
    lb_apply_compliance(inner, x, X);
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        X[i] -= j == 7 ? g[i] : 0.0;
    }
    lb_shield(t, X, Z);
    lb_shield_back(t, Z);
    LB_UNROLL for (int i = 0; i < 5; ++i)
    {
        T[i] = x[i];
        LB_UNROLL for (int k = 0; k <= i; ++k)
        {
            T[i] -= t->L[LB_LOWER(i, k)] * Z[k];
        }
        shown[LB_SHOW_T + i] = T[i];
        shown[LB_SHOW_Z + i] = Z[i];
    }
    T[5] = x[5];
    lb_apply_compliance(inner, T, out->UT);
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        double E1[6];
        lb_get_numbers(inner + LB_NODE_E + 6 * i, 6, E1);
        out->E[i] = 0.0;
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            out->E[i] += E1[LB_INNER(k)] * T[k];
        }
        if (i < 5) {
            out->UT[i] -= j == 6 ? g[i] : 0.0;
        }
    }
}

// Where entry i of column j goes, in a lower triangle that starts at 0; what is above the diagonal goes nowhere.
LB_CARD int lb_find_lower(int i, int j)
{
    return LB_LOWER(i, 0) + (j <= i ? j : 0);
}

// The sums that need columns of other lanes                                              (DCA-9)
//
//     U = U2 + (T E2)* U1 (T E2) + (Z* E2)* (Z* E2),   P = P1 + (Y E1*)* (Y E1*),   S = Y* Y
//     u = u2 + nu H E2 + (T E2)* g - E2* W z2,         z = z1 + E1 F0
//
// U2 and u2 are those with the hinge taken out. Column 6 of U is u, column 7 of E is z. Every lane computes something
// everywhere: what is not needed is not written.
LB_CARD void lb_sum_column(const lb_between *t, const double *inner, const double *outer,
                           const double *board, int j, lb_column *own)
{
    double mine[LB_SHOWN], hinge[6];
    lb_get_numbers(board + LB_SHOW_APART * j, LB_SHOWN, mine);
    lb_get_numbers(outer + LB_NODE_E + 12, 6, hinge);
    const double h = outer[LB_NODE_E + 12 + (j < 6 ? j : 0)];
    const double by = j < 6 ? t->d * h : t->nu, sign = j < 6 ? 1.0 : -1.0;
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        const int lower = lb_find_lower(i, j);
        double other[LB_SHOWN], U = 0.0, P = inner[LB_NODE_P + lower], S = 0.0;
        lb_get_numbers(board + LB_SHOW_APART * i, LB_SHOWN, other);
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            U += other[LB_SHOW_T + k] * own->UT[k];
            U += other[LB_SHOW_Z + k] * mine[LB_SHOW_Z + k];
            P += other[LB_SHOW_EY + k] * mine[LB_SHOW_EY + k];
            S += other[LB_SHOW_Y + k] * mine[LB_SHOW_Y + k];
        }
        own->U[i] = outer[j == 6 ? LB_NODE_u + i : LB_NODE_U + lower] + (sign * U + by * hinge[i]);
        own->P[i] = P;
        own->S[i] = S;
        own->E[i] += j == 7 ? inner[LB_NODE_Z + i] : 0.0;
    }
}

LB_CARD void lb_write_column(const lb_column *own, int j, double *inner, double *join)
{
    LB_UNROLL for (int i = 0; i < 6; ++i)
    {
        const int lower = lb_find_lower(i, j);
        if (j <= i || j == 6) {
            inner[j == 6 ? LB_NODE_u + i : LB_NODE_U + lower] = own->U[i];
        }
        if (j <= i) {
            inner[LB_NODE_P + lower] = own->P[i];
        }
        if (j <= i && i < 5) {
            join[LB_JOIN_S + lower] = own->S[i];
        }
        if (j != 6) {
            inner[j < 6 ? LB_NODE_E + 6 * i + j : LB_NODE_Z + i] = own->E[i];
        }
    }
}

// U and E of the inner half are needed on the way back.
LB_CARD void lb_keep_inner(const double *inner, double *join, int lane)
{
    LB_UNROLL for (int n = 0; n < LB_JOIN_INNER / (2 * LB_GROUP); ++n)
    {
        const int e = 2 * (lane + n * LB_GROUP);
#ifdef __CUDACC__
        *(double2 *)(join + e) = *(const double2 *)(inner + e);
#else
        join[e] = inner[e];
        join[e + 1] = inner[e + 1];
#endif
    }
}

// Two assemblies made one                                                                (DCA-6)
//
// With T E2 = E2 - S U1 E2, U = U2 + (T E2)* U1 (T E2) + (Z* E2)* (Z* E2) is a sum of semidefinite terms. An error of T
// enters it in the second order only.
//
// @param inner  in: the inner half; out: the new assembly, whose first body is that of the inner half
// @param outer  the outer half
// @param board  LB_BOARD numbers of the group
// @param join   out: what is kept for the way back
// @return 1/D of the hinge between them
LB_CARD double lb_join_chain(double *inner, const double *outer, double *board, double *join,
                             int lane)
{
    lb_between t;
    lb_column own[LB_COLUMNS];
    lb_keep_inner(inner, join, lane);
    lb_factor_halves(inner, outer, &t);
    LB_UNROLL for (int c = 0; c < LB_COLUMNS; ++c)
    {
        const int j = lane + c * LB_GROUP;
        double *shown = board + LB_SHOW_APART * j;
        lb_show_shield(&t, inner, j, shown);
        lb_join_column(&t, inner, outer, j, shown, &own[c], join);
    }
    LB_GROUP_WAIT();
    const double broken = inner[LB_NODE_BROKEN] + outer[LB_NODE_BROKEN];
    LB_UNROLL for (int c = 0; c < LB_COLUMNS; ++c)
    {
        lb_sum_column(&t, inner, outer, board, lane + c * LB_GROUP, &own[c]);
    }
    // nobody reads the halves or the board any more
    LB_GROUP_WAIT();
    LB_UNROLL for (int c = 0; c < LB_COLUMNS; ++c)
    {
        lb_write_column(&own[c], lane + c * LB_GROUP, inner, join);
    }
    if (lane == 0) {
        inner[LB_NODE_BROKEN] = t.good && broken == 0.0 ? 0.0 : 1.0;
    }
    return t.d;
}

#endif // LB_CHAIN_JOIN_H
