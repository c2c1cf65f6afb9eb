// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: what a group of lanes does with two neighbouring assemblies. Each lane of a group has a
// row of every matrix; matrices lie where all of them see them.
#ifndef LB_CHAIN_JOIN_H
#define LB_CHAIN_JOIN_H

#include "chain_run.h"
#include "verdict.h"

/// Components of the handle between two assemblies, in an order that has the hinge axis last: x, y, z of the
/// linear part, then of the angular part. Five rows and columns are left of what a hinge was taken out of.
#define LB_INNER(r) ((r) < 3 ? (r) + 3 : (r)-3)

/// Room of a group. Rows of the handle in the order of LB_INNER.
typedef struct lb_bench {
    double P2[36], E2[36], z2[6], u2[6]; ///< the outer half, with its hinge
    double U1[36], E1[36], z1[6], u1[6]; ///< the inner half; E1 by columns in that order
    double P1[36], U2[36];               ///< in the order of the other handles
    double Q2[36], F2[36], y2[6], v2[6]; ///< P, E, z and u of the outer half without its hinge
    double B[36], Y[36], S[36], Z[36], N[36], W[36];
    double a[6], x[6], F0[6], A0[6];
    double off; ///< neighbouring groups meet in different banks
    double apart;
} lb_bench;

// A = L L' of the leading 5 x 5 of A, inverses on the diagonal. Pivots that are round-off are dropped with
// their columns. Every lane does all of it: waiting for each other would take longer.
LB_CARD void lb_factor_five(const double *A, double *L)
{
    LB_UNROLL for (int j = 0; j < 5; ++j)
    {
        double pivot = A[7 * j];
        LB_UNROLL for (int k = 0; k < j; ++k)
        {
            pivot -= L[LB_LOWER(j, k)] * L[LB_LOWER(j, k)];
        }
        const double inverse = pivot > 1e-15 * A[7 * j] ? LB_RSQRT(pivot) : 0.0;
        LB_UNROLL for (int i = j + 1; i < 5; ++i)
        {
            double sum = A[6 * i + j];
            LB_UNROLL for (int k = 0; k < j; ++k)
            {
                sum -= L[LB_LOWER(i, k)] * L[LB_LOWER(j, k)];
            }
            L[LB_LOWER(i, j)] = sum * inverse;
        }
        L[LB_LOWER(j, j)] = inverse;
    }
}

// Results are put down when a row is complete: what is read in between would have to wait for every store.
LB_CARD void lb_put_row(double *to, const double *row, int count)
{
    LB_UNROLL for (int j = 0; j < count; ++j)
    {
        to[j] = row[j];
    }
}

// row += a B*, of five columns.
LB_CARD void lb_add_products(const double *a, const double *B, double *row)
{
    LB_UNROLL for (int j = 0; j < 5; ++j)
    {
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            row[j] += a[k] * B[6 * j + k];
        }
    }
}

// The hinge of the outer half, taken out                                                 (DCA-3)
//
// @param tau  at the hinge
// @param own  see lb_get_own_pivot
// @param out   node where its gains are kept
// @param D     where 1/D of the body is kept
// @return whether the pivot is good
LB_CARD int lb_take_out_head(lb_bench *t, double tau, double own, double *out, double *D, int lane)
{
    const double pivot = t->P2[35], d = 1.0 / pivot;
    const int good = fabs(pivot) > 1e-14 * fabs(t->P2[21] + t->P2[28] + pivot) || pivot >= own;
    double eps = tau - t->z2[5];
    LB_UNROLL for (int j = 0; j < 6; ++j)
    {
        eps -= t->P2[30 + j] * t->a[j];
    }
    const double nu = eps * d;
    LB_SHARE(i, lane, 6)
    {
        const double G = i == 5 ? 1.0 : d * t->P2[6 * i + 5];
        double z = t->z2[i] + eps * G, u = t->u2[i] + nu * t->E2[30 + i];
        double Q[6], F[6];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            const double P = t->P2[6 * i + j];
            z += P * t->a[j];
            u += t->E2[6 * j + i] * t->a[j];
            Q[j] = i == 5 || j == 5 ? 0.0 : P - G * t->P2[30 + j];
            F[j] = i == 5 ? 0.0 : t->E2[6 * i + j] - G * t->E2[30 + j];
        }
        const double K = d * t->E2[30 + i], bias = t->a[i];
        lb_put_row(t->Q2 + 6 * i, Q, 6);
        lb_put_row(t->F2 + 6 * i, F, 6);
        if (i < 5) {
            lb_put_row(out + LB_NODE_E2 + 6 * i, F, 6);
        }
        t->y2[i] = z;
        t->v2[i] = u;
        out[LB_NODE_Z2 + i] = z;
        out[LB_NODE_G + i] = G;
        out[LB_NODE_K + i] = K;
        out[LB_NODE_A + i] = bias;
    }
    if (lane == 0) {
        out[LB_NODE_NU] = nu;
        out[LB_NODE_D] = d;
        *D = d;
    }
    LB_GROUP_WAIT();
    return good;
}

// S = (I + P2 U1)^-1 P2 and W = (I + U1 P2)^-1 U1, both without the hinge axis           (DCA-9)
//
//     P2 = L L*,   B = U1 L,   I + L* B = C C*,   Y = C^-1 L*,   Z = B C*^-1 C^-1
//     S = Y* Y,    N = I - U1 S,   W = N U1 N* + Z Z*
//
// Sums of semidefinite terms. An error of N enters W in the second order only.
LB_CARD void lb_shield_both(lb_bench *t, int lane)
{
    double L[15], C[15];
    lb_factor_five(t->Q2, L);
    // the diagonal of L by itself: its inverses are stored
    double diagonal[5];
    LB_UNROLL for (int j = 0; j < 5; ++j)
    {
        double pivot = t->Q2[7 * j];
        LB_UNROLL for (int k = 0; k < j; ++k)
        {
            pivot -= L[LB_LOWER(j, k)] * L[LB_LOWER(j, k)];
        }
        diagonal[j] = pivot * L[LB_LOWER(j, j)];
    }
    LB_SHARE(i, lane, 5)
    {
        double row[5];
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            row[j] = t->U1[6 * i + j] * diagonal[j];
            LB_UNROLL for (int k = j + 1; k < 5; ++k)
            {
                row[j] += t->U1[6 * i + k] * L[LB_LOWER(k, j)];
            }
        }
        lb_put_row(t->B + 6 * i, row, 5);
    }
    LB_GROUP_WAIT();
    // I + L* B by columns, into the rows of Y: it is symmetric
    LB_SHARE(j, lane, 5)
    {
        double row[5];
        LB_UNROLL for (int i = 0; i < 5; ++i)
        {
            row[i] = (i == j ? 1.0 : 0.0) + diagonal[i] * t->B[6 * i + j];
            LB_UNROLL for (int k = i + 1; k < 5; ++k)
            {
                row[i] += L[LB_LOWER(k, i)] * t->B[6 * k + j];
            }
        }
        lb_put_row(t->Y + 6 * j, row, 5);
    }
    LB_GROUP_WAIT();
    lb_factor_five(t->Y, C);
    LB_GROUP_WAIT();
    // columns of Y as rows, and rows of Z
    LB_SHARE(i, lane, 5)
    {
        double y[5], z[5];
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            y[j] = 0.0;
            LB_UNROLL for (int r = j; r < 5; ++r)
            {
                // row i of L by choice: a lane cannot index its registers
                y[j] = r == i ? (j == r ? diagonal[r] : L[LB_LOWER(r, j)]) : y[j];
            }
            z[j] = t->B[6 * i + j];
            LB_UNROLL for (int k = 0; k < j; ++k)
            {
                y[j] -= C[LB_LOWER(j, k)] * y[k];
                z[j] -= C[LB_LOWER(j, k)] * z[k];
            }
            y[j] *= C[LB_LOWER(j, j)];
            z[j] *= C[LB_LOWER(j, j)];
        }
        LB_UNROLL for (int j = 4; j >= 0; --j)
        {
            LB_UNROLL for (int k = j + 1; k < 5; ++k)
            {
                z[j] -= C[LB_LOWER(k, j)] * z[k];
            }
            z[j] *= C[LB_LOWER(j, j)];
        }
        lb_put_row(t->Y + 6 * i, y, 5);
        lb_put_row(t->Z + 6 * i, z, 5);
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 5)
    {
        double row[5] = {0};
        lb_add_products(t->Y + 6 * i, t->Y, row);
        lb_put_row(t->S + 6 * i, row, 5);
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 5)
    {
        double n[5], row[5];
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            n[j] = i == j ? 1.0 : 0.0;
            LB_UNROLL for (int k = 0; k < 5; ++k)
            {
                n[j] -= t->U1[6 * i + k] * t->S[6 * k + j];
            }
        }
        // N U1, into B
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            row[j] = 0.0;
            LB_UNROLL for (int k = 0; k < 5; ++k)
            {
                row[j] += n[k] * t->U1[6 * k + j];
            }
        }
        lb_put_row(t->N + 6 * i, n, 5);
        lb_put_row(t->B + 6 * i, row, 5);
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 5)
    {
        double row[5] = {0};
        lb_add_products(t->B + 6 * i, t->N, row);
        lb_add_products(t->Z + 6 * i, t->Z, row);
        lb_put_row(t->W + 6 * i, row, 5);
    }
    LB_GROUP_WAIT();
}

// Two assemblies made one                                                                (DCA-6)
//
// @param head  node of the run that `outer` starts with
// @param D     where 1/D of the hinge between them is kept
LB_CARD void lb_join_chain(const double *inner, const double *outer, const double *head,
                           double *node, double *D, lb_bench *t, int lane)
{
    // everything is asked for at once: one wait instead of four
    const double tau = head[LB_NODE_TAU], least = head[LB_NODE_OWN];
    const double broken = inner[LB_NODE_BROKEN] + outer[LB_NODE_BROKEN];
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i);
        double P2[6], U1[6], E1[6], E2[6], P1[6], U2[6];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            const int c = LB_INNER(j);
            P2[j] = outer[LB_NODE_P + LB_LOWER(r, c)];
            U1[j] = inner[LB_NODE_U + LB_LOWER(r, c)];
            E1[j] = inner[LB_NODE_E + 6 * i + c];
            E2[j] = outer[LB_NODE_E + 6 * r + j];
            P1[j] = inner[LB_NODE_P + LB_LOWER(i, j)];
            U2[j] = outer[LB_NODE_U + LB_LOWER(i, j)];
        }
        const double z1 = inner[LB_NODE_Z + i], u1 = inner[LB_NODE_u + r];
        const double z2 = outer[LB_NODE_Z + r], u2 = outer[LB_NODE_u + i], a = head[LB_NODE_A + r];
        lb_put_row(t->P2 + 6 * i, P2, 6);
        lb_put_row(t->U1 + 6 * i, U1, 6);
        lb_put_row(t->E1 + 6 * i, E1, 6);
        lb_put_row(t->E2 + 6 * i, E2, 6);
        lb_put_row(t->P1 + 6 * i, P1, 6);
        lb_put_row(t->U2 + 6 * i, U2, 6);
        t->z1[i] = z1;
        t->u1[i] = u1;
        t->z2[i] = z2;
        t->u2[i] = u2;
        t->a[i] = a;
    }
    LB_GROUP_WAIT();
    const int good = lb_take_out_head(t, tau, least, node, D, lane);
    const double d = 1.0 / t->P2[35];
    lb_shield_both(t, lane);

    // E1 S into N, U1 E2 into Q2, W E2 into B; the outer half has no row of the hinge axis left
    LB_SHARE(i, lane, 6)
    {
        const int five = i < 5 ? i : 4;
        double es[6], ue[6], we[6], own[5], x = t->u1[i];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            es[j] = ue[j] = we[j] = 0.0;
            LB_UNROLL for (int k = 0; k < 5; ++k)
            {
                if (j < 5) {
                    es[j] += t->E1[6 * i + k] * t->S[6 * k + j];
                }
                ue[j] += t->U1[6 * i + k] * t->F2[6 * k + j];
                we[j] += t->W[6 * five + k] * t->F2[6 * k + j];
            }
            x -= t->U1[6 * i + j] * t->y2[j];
        }
        LB_UNROLL for (int j = 0; j < 5; ++j)
        {
            own[j] = t->S[6 * five + j];
        }
        lb_put_row(t->N + 6 * i, es, 6);
        lb_put_row(t->Q2 + 6 * i, ue, 6);
        lb_put_row(t->B + 6 * i, we, 6);
        t->x[i] = x; // u1 - U1 z2
        if (i < 5) {
            lb_put_row(node + LB_NODE_S + 5 * i, own, 5);
        }
    }
    LB_GROUP_WAIT();
    // P = P1 + E1 S E1*,  U = U2 + E2* W E2,  T E2 = E2 - S U1 E2 into Y,  F0 = S (u1 - U1 z2) + z2
    LB_SHARE(i, lane, 6)
    {
        const int five = i < 5 ? i : 4;
        const double left = i < 5 ? 1.0 : 0.0;
        double te[6], P[6], U[6], F0 = t->y2[i];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            double sum = 0.0;
            P[j] = 0.0;
            U[j] = d * t->E2[30 + i] * t->E2[30 + j];
            LB_UNROLL for (int k = 0; k < 5; ++k)
            {
                P[j] += t->N[6 * i + k] * t->E1[6 * j + k];
                U[j] += t->F2[6 * k + i] * t->B[6 * k + j];
                sum += t->S[6 * five + k] * t->Q2[6 * k + j];
            }
            te[j] = t->F2[6 * i + j] - left * sum;
            if (j < 5) {
                F0 += left * t->S[6 * five + j] * t->x[j];
            }
        }
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            if (j <= i) {
                P[j] += t->P1[6 * i + j];
                U[j] += t->U2[6 * i + j];
            }
        }
        lb_put_row(t->Y + 6 * i, te, 6);
        t->F0[i] = F0;
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            if (j <= i) {
                node[LB_NODE_P + LB_LOWER(i, j)] = P[j];
                node[LB_NODE_U + LB_LOWER(i, j)] = U[j];
            }
        }
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double E[6], z = t->z1[i], A0 = t->u1[i];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            E[j] = 0.0;
            LB_UNROLL for (int k = 0; k < 5; ++k)
            {
                E[j] += t->E1[6 * i + k] * t->Y[6 * k + j];
            }
            z += t->E1[6 * i + j] * t->F0[j];
            A0 -= t->U1[6 * i + j] * t->F0[j];
        }
        lb_put_row(node + LB_NODE_E + 6 * i, E, 6);
        node[LB_NODE_Z + i] = z;
        t->A0[i] = A0;
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double u = t->v2[i];
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            u += t->F2[6 * k + i] * t->A0[k];
        }
        node[LB_NODE_u + i] = u;
    }
    if (lane == 0) {
        node[LB_NODE_BROKEN] = good && broken == 0.0 ? 0.0 : 1.0;
    }
    LB_GROUP_WAIT();
}

/// Room of a group that takes assemblies apart.
typedef struct lb_desk {
    double U1[36], S[36], g[6], z[6], x[6], F[6], A[6], G[6], K[6], a[6];
    double apart[2]; ///< neighbouring groups meet in different banks
} lb_desk;

// The handle between two assemblies, and the hinge there                                 (DCA-7)
//
//     g = E1* A + u1,   z' = z2 - E2 f,   F = S (g - U1 z') + z',   A' = g - U1 F
LB_CARD void lb_split_chain(const double *inner, const double *node, const double *letter,
                            double *inner_letter, double *outer_letter, lb_desk *t, int lane)
{
    // everything is asked for at once, and what all lanes need is shared
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i), five = i < 5 ? i : 4;
        double U1[6], S[5], g = inner[LB_NODE_u + r], z = node[LB_NODE_Z2 + i], force = 0.0;
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            U1[k] = inner[LB_NODE_U + LB_LOWER(r, LB_INNER(k))];
            g += inner[LB_NODE_E + 6 * k + r] * letter[LB_LETTER_A + k];
            force += node[LB_NODE_E2 + 6 * five + k] * letter[LB_LETTER_f + k];
        }
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            S[k] = node[LB_NODE_S + 5 * five + k];
        }
        const double G = node[LB_NODE_G + i], A = node[LB_NODE_A + i];
        const double K = node[LB_NODE_K + i] * letter[LB_LETTER_f + i];
        const double told[4] = {letter[LB_LETTER_A + i], letter[LB_LETTER_f + i],
                                letter[LB_LETTER_F + i], letter[LB_LETTER_B + i]};
        lb_put_row(t->U1 + 6 * i, U1, 6);
        lb_put_row(t->S + 6 * i, S, 5);
        t->g[i] = g;
        t->z[i] = i < 5 ? z - force : z;
        t->G[i] = G;
        t->K[i] = K;
        t->a[i] = A;
        inner_letter[LB_LETTER_A + i] = told[0];
        outer_letter[LB_LETTER_f + i] = told[1];
        inner_letter[LB_LETTER_F + i] = told[2];
        outer_letter[LB_LETTER_B + i] = told[3];
    }
    const double nu = node[LB_NODE_NU], first = letter[LB_LETTER_VALUE];
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double sum = t->g[i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            sum -= t->U1[6 * i + k] * t->z[k];
        }
        t->x[i] = sum;
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        const int five = i < 5 ? i : 4;
        double sum = 0.0;
        LB_UNROLL for (int k = 0; k < 5; ++k)
        {
            sum += t->S[6 * five + k] * t->x[k];
        }
        t->F[i] = i < 5 ? t->z[i] + sum : t->z[i];
    }
    LB_GROUP_WAIT();
    LB_SHARE(i, lane, 6)
    {
        double sum = t->g[i];
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            sum -= t->U1[6 * i + k] * t->F[k];
        }
        t->A[i] = sum;
    }
    LB_GROUP_WAIT();
    double value = nu, response = 0.0;
    LB_UNROLL for (int k = 0; k < 6; ++k)
    {
        value -= t->G[k] * t->A[k];
        response += t->K[k];
    }
    value += response;
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i);
        inner_letter[LB_LETTER_f + r] = -t->F[i];
        inner_letter[LB_LETTER_B + r] = t->A[i];
        outer_letter[LB_LETTER_A + r] = t->A[i] + t->a[i] + (i == 5 ? value : 0.0);
        outer_letter[LB_LETTER_F + r] = t->F[i];
    }
    if (lane == 0) {
        inner_letter[LB_LETTER_VALUE] = first;
        outer_letter[LB_LETTER_VALUE] = value;
    }
    LB_GROUP_WAIT();
}

// The whole chain hangs on the ground: what its assembly is told.
//
// @param node  the assembly of everything
LB_CARD void lb_settle_chain(const lb_chain *c, const double *node, double *letter, lb_bench *t,
                             int lane)
{
    const long long stride = (long long)c->length * c->run_count;
    const long long at = (long long)c->pad * c->run_count;
    const double ground[6] = {0, 0, 0, -c->gravity[0], -c->gravity[1], -c->gravity[2]};
    const double cosine = c->state[LB_ROW_COS * stride + at],
                 sine = c->state[LB_ROW_SIN * stride + at];
    const double *rows = c->bodies + at;
    double R[9], p[3], A[6];
    LB_UNROLL for (int i = 0; i < 3; ++i)
    {
        const double x = rows[(LB_ROW_R + 3 * i) * stride],
                     y = rows[(LB_ROW_R + 3 * i + 1) * stride];
        R[3 * i] = cosine * x + sine * y;
        R[3 * i + 1] = cosine * y - sine * x;
        R[3 * i + 2] = rows[(LB_ROW_R + 3 * i + 2) * stride];
        p[i] = rows[(LB_ROW_P + i) * stride];
    }
    lb_carry_motion_out(R, p, ground, A);
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i);
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            t->P2[6 * i + j] = node[LB_NODE_P + LB_LOWER(r, LB_INNER(j))];
            t->E2[6 * i + j] = node[LB_NODE_E + 6 * r + j];
        }
        t->z2[i] = node[LB_NODE_Z + r];
        t->u2[i] = node[LB_NODE_u + i];
        t->a[i] = c->nodes[LB_NODE_A + r];
    }
    LB_GROUP_WAIT();
    // its gains go behind all nodes
    double *gains = c->nodes + (long long)LB_NODE_SIZE * (2LL * c->run_count + 64);
    const int good = lb_take_out_head(t, c->nodes[LB_NODE_TAU], c->nodes[LB_NODE_OWN], gains,
                                      c->gains + LB_ROW_D * stride + at, lane);
    double value = gains[LB_NODE_NU];
    LB_UNROLL for (int k = 0; k < 6; ++k)
    {
        value -= gains[LB_NODE_G + k] * A[LB_INNER(k)];
    }
    LB_SHARE(i, lane, 6)
    {
        const int r = LB_INNER(i);
        double F = t->y2[i], own = 0.0;
        LB_UNROLL for (int k = 0; k < 6; ++k)
        {
            F += t->Q2[6 * i + k] * A[LB_INNER(k)];
            own = k == r ? A[k] : own;
        }
        letter[LB_LETTER_A + r] = own + t->a[i] + (i == 5 ? value : 0.0);
        letter[LB_LETTER_f + i] = 0.0;
        letter[LB_LETTER_F + r] = F;
        letter[LB_LETTER_B + i] = 0.0;
    }
    if (lane == 0) {
        letter[LB_LETTER_VALUE] = value;
        c->verdicts[LB_VERDICT_BROKEN] = good && node[LB_NODE_BROKEN] == 0.0 ? 0.0 : 1.0;
    }
    LB_GROUP_WAIT();
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

// Assembly j of a level above the runs.
LB_CARD void lb_join_at(const lb_chain *c, int level, int j, lb_bench *t, int lane)
{
    const long long below = lb_start_level(c->run_count, level - 1);
    const int count = lb_count_level(c->run_count, level - 1);
    double *node = c->nodes + LB_NODE_SIZE * (below + count + j);
    const double *inner = c->nodes + LB_NODE_SIZE * (below + 2 * j);
    if (2 * j + 1 == count) {
        LB_SHARE(e, lane, LB_NODE_SIZE)
        {
            node[e] = inner[e];
        }
        LB_GROUP_WAIT();
        return;
    }
    const long long k = (2LL * j + 1) << (level - 1); // the run that the outer half starts with
    double *D = c->gains + LB_ROW_D * (long long)c->length * c->run_count + k;
    lb_join_chain(inner, inner + LB_NODE_SIZE, c->nodes + LB_NODE_SIZE * k, node, D, t, lane);
}

LB_CARD void lb_split_at(const lb_chain *c, int level, int j, lb_desk *t, int lane)
{
    const long long below = lb_start_level(c->run_count, level - 1);
    const int count = lb_count_level(c->run_count, level - 1);
    const long long own = below + count + j;
    const double *letter = c->letters + LB_LETTER_SIZE * own;
    double *inner = c->letters + LB_LETTER_SIZE * (below + 2 * j);
    if (2 * j + 1 == count) {
        LB_SHARE(e, lane, LB_LETTER_SIZE)
        {
            inner[e] = letter[e];
        }
        LB_GROUP_WAIT();
        return;
    }
    lb_split_chain(c->nodes + LB_NODE_SIZE * (below + 2 * j), c->nodes + LB_NODE_SIZE * own, letter,
                   inner, inner + LB_LETTER_SIZE, t, lane);
}

#endif // LB_CHAIN_JOIN_H
