// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inertia that no body has. With R the rigid 6 x 6 inertia about the frame, L = (B0, E) as columns and M = M_ff, the
// inertia of the undeformed body is positive definite if what the modes leave is,
//
//     R - L M^-1 L' > 0 ,    that is, all singular values of Y = R^-1/2 L M^-1/2 are below one.
//
// Files whose integrals come from coarse sums break this by a few per cent of their couplings, and then a free body
// gains speed from nowhere. The change of L is sought that is smallest in the sum of squares, rows of B0 and of E each in
// units of the largest among them, so that a share of at least 1 % is left. The set of such L is convex; the
// nearest point comes from the alternating direction method of multipliers, with clipping of singular values as one
// step and a linear problem as the other. All iterates are P L, with matrices P of 6 x 6. Each of the first step
// leaves the share, so that it does no harm to stop early.
#include <math.h>
#include <string.h>

#include "base/symmetric.h"
#include "modal_files.h"

enum { N = 6, STEPS_MOST = 300 };

static const double share_left = 0.01;     // of the rigid body, after a change
static const double change_allowed = 0.05; // of the largest entry
static const double relaxation = 1.8;      // beyond one: almost halves the number of steps

typedef double matrix[N * N];

static void multiply(const double *A, const double *B, double *C)
{
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < N; ++k) {
                sum += A[N * i + k] * B[N * k + j];
            }
            C[N * i + j] = sum;
        }
    }
}

static void transpose(const double *A, double *B)
{
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            B[N * j + i] = A[N * i + j];
        }
    }
}

// f(A) of a symmetric matrix: its eigenvalues replaced.
static void apply(const double *A, double f(double), double *out)
{
    matrix D, V, VD, Vt;
    memcpy(D, A, sizeof D);
    lb_compute_eigenvectors(N, D, V);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            VD[N * i + j] = V[N * i + j] * f(D[(N + 1) * j]);
        }
    }
    transpose(V, Vt);
    multiply(VD, Vt, out);
}

static double root(double x)
{
    return sqrt(x);
}

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double inverse(double x)
{
    return 1.0 / x;
}

// What clips a singular value: of its square, the factor.
static double clip(double x)
{
    return x > 1.0 - share_left ? sqrt((1.0 - share_left) / x) : 1.0;
}

// P G P'
static void congruence(const double *P, const double *G, double *out)
{
    matrix PG, Pt;
    multiply(P, G, PG);
    transpose(P, Pt);
    multiply(PG, Pt, out);
}

static double find_smallest(const double *A)
{
    matrix copy;
    double values[N];
    memcpy(copy, A, sizeof copy);
    lb_compute_eigenvalues(N, copy, values);
    return values[0];
}

static double get_L(const lb_flex_integrals *I, int row, int q)
{
    return row < 3 ? I->B0[3 * q + row] : I->E[3 * q + row - 3];
}

// G = L M^-1 L'. LB_E_SINGULAR if M is not positive definite, which others report.
static lb_status form_modal(lb_import *import, const lb_flex_integrals *I, int n, double *G)
{
    double *M, *rows;
    const size_t size = (size_t)n;
    if (!LB_IMPORT_TAKE(import, M, size * size) || !LB_IMPORT_TAKE(import, rows, 2 * N * size)) {
        return LB_E_MEMORY;
    }
    memcpy(M, I->M_ff, size * size * sizeof *M);
    bool is_diagonal = true;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            is_diagonal = is_diagonal && M[i * n + j] == 0;
        }
    }
    for (int i = 0; i < n && is_diagonal; ++i) {
        M[(n + 1) * i] = 1.0 / M[(n + 1) * i];
    }
    if (!is_diagonal && lb_factor_ldl(n, M, n, NULL) >= 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < n; ++i) {
        if (!(M[(n + 1) * i] > 0)) {
            return LB_E_SINGULAR;
        }
    }
    double *solved = rows + N * size;
    for (int r = 0; r < N; ++r) {
        for (int q = 0; q < n; ++q) {
            rows[(size_t)r * size + (size_t)q] = get_L(I, r, q);
        }
        memcpy(solved + (size_t)r * size, rows + (size_t)r * size, size * sizeof *rows);
        if (is_diagonal) {
            for (int q = 0; q < n; ++q) {
                solved[(size_t)r * size + (size_t)q] *= M[(n + 1) * q];
            }
        } else {
            lb_solve_ldl(n, M, n, solved + (size_t)r * size);
        }
    }
    for (int r = 0; r < N; ++r) {
        for (int s = 0; s < N; ++s) {
            double sum = 0;
            for (size_t q = 0; q < size; ++q) {
                sum += rows[(size_t)r * size + q] * solved[(size_t)s * size + q];
            }
            G[N * r + s] = sum;
        }
    }
    return LB_OK;
}

// The P of the nearest L, all in units in which the diagonal of R is one.
//
// given  G of L0, A = R^-1/2, weights of the rows
static void find_nearest(const double *G, const double *A, const double *A_inverse,
                         const double weights[N], double *P)
{
    // a balance of both steps: between the weights of strong and of weak directions
    double least = weights[0], most = weights[0];
    for (int i = 1; i < N; ++i) {
        least = fmin(least, weights[i]);
        most = fmax(most, weights[i]);
    }
    const double rho = sqrt(least * most);
    matrix S, AA, Z, U = {0};
    multiply(A, A, AA);
    for (int i = 0; i < N * N; ++i) {
        AA[i] *= rho;
    }
    for (int i = 0; i < N; ++i) {
        AA[(N + 1) * i] += weights[i];
    }
    apply(AA, inverse, S);
    memcpy(Z, A, sizeof Z);
    for (int step = 0; step < STEPS_MOST; ++step) {
        matrix right, L, Y, YGY, C, next;
        for (int i = 0; i < N * N; ++i) {
            next[i] = rho * (Z[i] - U[i]);
        }
        multiply(A, next, right);
        for (int i = 0; i < N; ++i) {
            right[(N + 1) * i] += weights[i];
        }
        multiply(S, right, L);
        multiply(A, L, Y);
        for (int i = 0; i < N * N; ++i) {
            U[i] += relaxation * Y[i] + (1.0 - relaxation) * Z[i];
        }
        congruence(U, G, YGY);
        apply(YGY, clip, C);
        multiply(C, U, next);
        double moved = 0;
        for (int i = 0; i < N * N; ++i) {
            moved = fmax(moved, fmax(fabs(next[i] - Z[i]), fabs(Y[i] - next[i])));
            U[i] -= next[i];
            Z[i] = next[i];
        }
        if (!(moved > 1e-9)) {
            break;
        }
    }
    multiply(A_inverse, Z, P);
}

static bool is_finite(const double *A)
{
    double sum = 0;
    for (int i = 0; i < N * N; ++i) {
        sum += A[i] - A[i];
    }
    return sum == 0;
}

static void warn_only(lb_import *import, const lb_import_file *file, int line, double smallest)
{
    lb_import_warn(import, file, line,
                   "the modes carry more than the body has: what they leave of it is negative, "
                   "%.2g of the whole in one direction. The body can be held, but not fly freely",
                   smallest);
}

lb_status lb_check_inertia_possible(lb_import *import, const lb_import_file *file, int line, int n,
                                    lb_flex_integrals *I)
{
    matrix R, G, A, A_inverse, AGA, rest, P;
    double scale[N], weights[N], largest[2] = {0, 0}, change[2] = {0, 0};
    lb_form_rigid_inertia(I, R);
    for (int i = 0; i < N; ++i) {
        if (!(R[(N + 1) * i] > 0)) {
            return LB_OK; // a line or a point, or nothing at all
        }
        scale[i] = 1.0 / sqrt(R[(N + 1) * i]);
    }
    const lb_status status = form_modal(import, I, n, G);
    if (status != LB_OK) {
        return status == LB_E_MEMORY ? status : LB_OK;
    }
    for (int i = 0; i < N; ++i) {
        largest[i / 3] = fmax(largest[i / 3], G[(N + 1) * i]);
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            R[N * i + j] *= scale[i] * scale[j];
            G[N * i + j] *= scale[i] * scale[j];
        }
        weights[i] = largest[i / 3] > 0 ? 1.0 / (largest[i / 3] * scale[i] * scale[i]) : 1.0;
    }
    if (!is_finite(R) || !is_finite(G) || !(find_smallest(R) > 1e-12)) {
        return LB_OK;
    }
    apply(R, inverse_root, A);
    congruence(A, G, AGA);
    for (int i = 0; i < N * N; ++i) {
        rest[i] = (i % (N + 1) == 0) - AGA[i];
    }
    const double smallest = find_smallest(rest);
    // the modes may carry almost all; 1e-6 is beyond the digits of files
    if (smallest > -1e-6) {
        return LB_OK;
    }
    // where a row alone is too large, its change is at least this: no need to look for the rest
    double least = 0;
    for (int i = 0; i < N; ++i) {
        least = fmax(least, (sqrt(G[(N + 1) * i]) - 1.0) * sqrt(weights[i] / n));
    }
    if (least > change_allowed) {
        warn_only(import, file, line, smallest);
        return LB_OK;
    }
    apply(R, root, A_inverse);
    find_nearest(G, A, A_inverse, weights, P);
    double *E = lb_take_numbers(&import->arena, 3 * (size_t)n);
    double *B0 = lb_take_numbers(&import->arena, 3 * (size_t)n);
    if (!E || !B0) {
        return LB_E_MEMORY;
    }
    largest[0] = largest[1] = 0;
    for (int q = 0; q < n; ++q) {
        for (int r = 0; r < N; ++r) {
            const double old = get_L(I, r, q);
            double sum = 0;
            for (int s = 0; s < N; ++s) {
                sum += P[N * r + s] * scale[s] / scale[r] * get_L(I, s, q);
            }
            *(r < 3 ? &B0[3 * q + r] : &E[3 * q + r - 3]) = sum;
            largest[r / 3] = fmax(largest[r / 3], fabs(old));
            change[r / 3] = fmax(change[r / 3], fabs(sum - old));
        }
    }
    const double changed_B = largest[0] > 0 ? change[0] / largest[0] : 0;
    const double changed_E = largest[1] > 0 ? change[1] / largest[1] : 0;
    if (!(fmax(changed_B, changed_E) <= change_allowed)) {
        warn_only(import, file, line, smallest);
        return LB_OK;
    }
    lb_import_warn(
        import, file, line,
        "the modes carry more than the body has: what they leave of it is negative, %.2g of the "
        "whole in one direction. Their couplings are changed by the least that mends it: those "
        "with translation by up to %.2g %% of the largest, with rotation by up to %.2g %%",
        smallest, 100 * changed_E, 100 * changed_B);
    I->E = E;
    I->B0 = B0;
    return LB_OK;
}
