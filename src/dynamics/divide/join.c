// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "division.h"

#include <string.h>

#include "dynamics/tree/flexible.h"

typedef struct mat6 {
    double m[6][6];
} mat6;

static mat6 write_out(const lb_sym6 *P)
{
    double block[36];
    mat6 out;
    lb_write_block(P, block);
    memcpy(out.m, block, sizeof block);
    return out;
}

// A = L L' for a positive semidefinite A, by pivots of the largest share of their own entry. What
// round-off leaves of the others is dropped. Returns the rank.
static int factor_semidefinite(const mat6 *A, mat6 *L)
{
    double left[6];
    for (int i = 0; i < 6; ++i) {
        left[i] = A->m[i][i];
    }
    for (int r = 0; r < 6; ++r) {
        int pivot = -1;
        double share = 1e-15;
        for (int i = 0; i < 6; ++i) {
            if (left[i] > share * A->m[i][i]) {
                share = left[i] / A->m[i][i];
                pivot = i;
            }
        }
        if (pivot < 0) {
            return r;
        }
        const double scale = 1.0 / sqrt(left[pivot]);
        for (int i = 0; i < 6; ++i) {
            double sum = A->m[i][pivot];
            for (int j = 0; j < r; ++j) {
                sum -= L->m[i][j] * L->m[pivot][j];
            }
            L->m[i][r] = sum * scale;
        }
        for (int i = 0; i < 6; ++i) {
            left[i] -= L->m[i][r] * L->m[i][r];
        }
        left[pivot] = -1.0;
    }
    return 6;
}

// (I + A B)^-1 A for positive semidefinite A and B: positive semidefinite again      (DCA-6)
//
//     A = L L*,   I + L* B L = C C*,   Y = C^-1 L*,   (I + A B)^-1 A = Y* Y
//
// Nothing is subtracted: I + L* B L has no eigenvalue below one.
static lb_sym6 shield(const mat6 *A, const mat6 *B)
{
    mat6 L, BL, C;
    const int n = factor_semidefinite(A, &L);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < n; ++j) {
            BL.m[i][j] = B->m[i][0] * L.m[0][j] + B->m[i][1] * L.m[1][j] + B->m[i][2] * L.m[2][j] +
                         B->m[i][3] * L.m[3][j] + B->m[i][4] * L.m[4][j] + B->m[i][5] * L.m[5][j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = L.m[0][i] * BL.m[0][j] + L.m[1][i] * BL.m[1][j] + L.m[2][i] * BL.m[2][j] +
                         L.m[3][i] * BL.m[3][j] + L.m[4][i] * BL.m[4][j] + L.m[5][i] * BL.m[5][j];
            sum += i == j;
            for (int k = 0; k < j; ++k) {
                sum -= C.m[i][k] * C.m[j][k];
            }
            // the diagonal holds inverses
            C.m[i][j] = i == j ? 1.0 / sqrt(sum) : sum * C.m[j][j];
        }
    }
    mat6 Y;
    for (int c = 0; c < 6; ++c) {
        for (int i = 0; i < n; ++i) {
            double sum = L.m[c][i];
            for (int k = 0; k < i; ++k) {
                sum -= C.m[i][k] * Y.m[k][c];
            }
            Y.m[i][c] = sum * C.m[i][i];
        }
    }
    lb_sym6 out = {0};
    for (int i = 0; i < n; ++i) {
        const lb_vec6 y = {lb_vec3_from(Y.m[i]), lb_vec3_from(Y.m[i] + 3)};
        lb_sym6_downdate(&out, -1.0, y);
    }
    return out;
}

// X S X*, X by columns
static lb_sym6 congruence(const lb_vec6 X[6], const mat6 *S)
{
    lb_sym6 out = {0};
    for (int c = 0; c < 6; ++c) {
        const lb_vec6 row = {lb_vec3_from(S->m[c]), lb_vec3_from(S->m[c] + 3)};
        lb_sym6_subtract_product(&out, lb_columns_mul(X, row), lb_vec6_scale(-1.0, X[c]));
    }
    return out;
}

// A*, by columns
static void transpose_columns(const lb_vec6 A[6], lb_vec6 out[6])
{
    mat6 B;
    for (int c = 0; c < 6; ++c) {
        const double column[6] = {A[c].w.x, A[c].w.y, A[c].w.z, A[c].v.x, A[c].v.y, A[c].v.z};
        for (int i = 0; i < 6; ++i) {
            B.m[i][c] = column[i];
        }
    }
    for (int i = 0; i < 6; ++i) {
        out[i] = lb_vec6_make(lb_vec3_from(B.m[i]), lb_vec3_from(B.m[i] + 3));
    }
}

// Two assemblies made one                                                                (DCA-6)
//
// Between them F = P2 A' - E2 f + z2 and A' = E1* A + u1 - U1 F, so that with
//
//     S = (I + P2 U1)^-1 P2,   T = I - S U1,   W = (I + U1 P2)^-1 U1
//     F = S (E1* A + u1) + T (z2 - E2 f)
//
// and, put into the two-handle equations of both,
//
//     P = P1 + E1 S E1*        E = E1 T E2        z = z1 + E1 F0,   F0 = S (u1 - U1 z2) + z2
//     U = U2 + E2* W E2        u = u2 + E2* (u1 - U1 F0)
//
// Source: Mukherjee and Anderson 2007, (77)-(91), solved for the force at one handle and the
// acceleration of the other: sums of semidefinite terms where theirs are differences.
void lb_join(const lb_segment *inner, const lb_segment *outer, int open, lb_segment *s)
{
    const mat6 U1 = write_out(&inner->U), P2 = write_out(&outer->P);
    s->S = shield(&P2, &U1);
    const mat6 S = write_out(&s->S);

    s->P = congruence(inner->E, &S);
    lb_sym6_add(&s->P, &inner->P);
    const lb_vec6 U1z = lb_sym6_mul(&inner->U, outer->z);
    const lb_vec6 F0 = lb_vec6_add(lb_sym6_mul(&s->S, lb_vec6_sub(inner->u, U1z)), outer->z);
    s->z = lb_vec6_add(inner->z, lb_columns_mul(inner->E, F0));
    if (!open) {
        return;
    }
    for (int c = 0; c < 6; ++c) {
        const lb_vec6 e = outer->E[c];
        const lb_vec6 Te = lb_vec6_sub(e, lb_sym6_mul(&s->S, lb_sym6_mul(&inner->U, e)));
        s->E[c] = lb_columns_mul(inner->E, Te);
    }
    const lb_sym6 shielded = shield(&U1, &P2);
    const mat6 W = write_out(&shielded);
    lb_vec6 rows[6];
    transpose_columns(outer->E, rows);
    s->U = congruence(rows, &W);
    lb_sym6_add(&s->U, &outer->U);
    const lb_vec6 A0 = lb_vec6_sub(inner->u, lb_sym6_mul(&inner->U, F0));
    s->u = lb_vec6_add(outer->u, lb_columns_tmul(outer->E, A0));
}

// The handle between two assemblies                                                      (DCA-7)
//
//     g = E1* A + u1,   z' = z2 - E2 f,   F = S (g - U1 z') + z',   A' = g - U1 F
void lb_split(const lb_segment *inner, const lb_segment *outer, int open, const lb_segment *s,
              lb_vec6 *F, lb_vec6 *A)
{
    const lb_vec6 g = lb_vec6_add(lb_columns_tmul(inner->E, s->A), inner->u);
    const lb_vec6 z = open ? lb_vec6_sub(outer->z, lb_columns_mul(outer->E, s->f)) : outer->z;
    const lb_vec6 Uz = lb_sym6_mul(&inner->U, z);
    *F = lb_vec6_add(lb_sym6_mul(&s->S, lb_vec6_sub(g, Uz)), z);
    *A = lb_vec6_sub(g, lb_sym6_mul(&inner->U, *F));
}
