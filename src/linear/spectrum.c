// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of a linear model, those that are zero told from those that are small.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "linear.h"

// ---- A and B -----------------------------------------------------------------------------------

lb_status lb_form_system_matrix(int n, const double *M, const double *C, const double *K,
                                const double *N, int m, const double *G, lb_arena *arena, double *A,
                                double *B)
{
    const int width = 2 * n + m;
    double *L = lb_take_numbers(arena, (size_t)n * (size_t)(n + width));
    int *pivots = lb_arena_take(arena, (size_t)n, sizeof *pivots);
    if (!L || !pivots) {
        return LB_E_MEMORY;
    }
    // [-K, -C, G] side by side, solved together
    double *R = L + (size_t)n * (size_t)n;
    memcpy(L, M, (size_t)n * (size_t)n * sizeof *L);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            R[i * width + j] = -K[i * n + j];
            R[i * width + n + j] = -C[i * n + j];
        }
        for (int j = 0; j < m; ++j) {
            R[i * width + 2 * n + j] = G[i * m + j];
        }
    }
    int info = n > 0 ? LB_LAPACK(dgesv, LAPACK_ROW_MAJOR, n, width, L, n, pivots, R, width) : 0;
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            A[i * 2 * n + j] = N[i * n + j];
            A[i * 2 * n + n + j] = i == j ? 1.0 : 0.0;
            // no -0
            A[(n + i) * 2 * n + j] = R[i * width + j] + 0.0;
            A[(n + i) * 2 * n + n + j] = R[i * width + n + j] + 0.0;
        }
        for (int j = 0; j < m; ++j) {
            B[i * m + j] = 0.0;
            B[(n + i) * m + j] = R[i * width + 2 * n + j] + 0.0;
        }
    }
    return LB_OK;
}

// ---- zeros -------------------------------------------------------------------------------------

// What the equations are without dv: (s^2 M + s C + K) xi = 0, and how far C and K are known.
typedef struct quadratic {
    int n;
    const double *M;
    double *C, *K, *C_error, *K_error;
} quadratic;

// out += f |X||Y|
static void add_sizes(int n, double f, const double *X, const double *Y, double *out)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const double x = f * fabs(X[i * n + k]);
            for (int j = 0; j < n && x > 0.0; ++j) {
                out[i * n + j] += x * fabs(Y[k * n + j]);
            }
        }
    }
}

//     C - M N and K - C N
static lb_status form_quadratic(int n, const lb_tangent *t, lb_arena *arena, quadratic *q)
{
    const size_t size = (size_t)n * (size_t)n;
    *q = (quadratic){.n = n, .M = t->M, .C = lb_take_numbers(arena, 4 * size)};
    if (!q->C) {
        return LB_E_MEMORY;
    }
    q->K = q->C + size;
    q->C_error = q->K + size;
    q->K_error = q->C_error + size;
    memcpy(q->C, t->C, size * sizeof *q->C);
    memcpy(q->K, t->K, size * sizeof *q->K);
    memcpy(q->C_error, t->C_error, size * sizeof *q->C);
    memcpy(q->K_error, t->K_error, size * sizeof *q->C);
    lb_add_matrix_product(n, n, n, -1.0, t->M, t->N, q->C);
    lb_add_matrix_product(n, n, n, -1.0, t->C, t->N, q->K);
    const double ulp = 4.0 * DBL_EPSILON;
    add_sizes(n, ulp, t->M, t->N, q->C_error);
    add_sizes(n, ulp, t->C, t->N, q->K_error);
    add_sizes(n, 1.0, t->C_error, t->N, q->K_error);
    return LB_OK;
}

// |y|'(a |X| + E)|x|
static double weigh(int n, const double *y, double a, const double *X, const double *E,
                    const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n && y[i] != 0.0; ++j) {
            const double size = a * fabs(X[i * n + j]) + (E ? E[i * n + j] : 0.0);
            sum += fabs(y[i]) * size * fabs(x[j]);
        }
    }
    return sum;
}

// y'X x
static double form(int n, const double *y, const double *X, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += y[i] == 0.0 ? 0.0 : y[i] * lb_compute_dot(n, X + i * n, x);
    }
    return sum;
}

// x = sum of z_k X_k
static void combine(int n, int count, const double *z, const double *X, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < count; ++k) {
        lb_add_scaled(n, z[k], X + k * n, x);
    }
}

// A row (xi, s - N xi): the state whose rate is the state with deviations s.
static void put_state(int n, const double *N, const double *xi, const double *s, double *row)
{
    memcpy(row, xi, (size_t)n * sizeof *xi);
    for (int i = 0; i < n; ++i) {
        row[n + i] = (s ? s[i] : 0.0) - lb_compute_dot(n, N + i * n, xi);
    }
}

// States that stay, and states that move into them at a constant rate                  (LIN-4)
//
//     K x = 0;   K x_1 = -C x,  which has a solution where y'C x = 0 for all y with y'K = 0
//
// A third step is there where y'(M x + C x_1) is singular.
//
// computes  zeros   rows of 2 n: rigid_count that stay, then the others
// returns   LB_OK; LB_E_UNSUPPORTED if chains are longer than two
static lb_status find_chains(const quadratic *q, const double *N, lb_arena *arena, double *zeros,
                             lb_spectrum *spectrum)
{
    const int n = q->n;
    const double ulp = 16.0 * n * DBL_EPSILON;
    lb_null_space first, second, third;
    lb_status status = lb_take_null_space(arena, n, &first);
    status = status < 0 ? status : lb_find_null_space(n, q->K, q->K_error, &first);
    const int r = first.count;
    double *G = lb_take_numbers(arena, 4 * (size_t)r * (size_t)r + 1), *E = G + r * r;
    double *x = lb_take_numbers(arena, 3 * (size_t)n * (size_t)(r + 1));
    if (status < 0 || !G || !x) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    double *x_1 = x + n * (r + 1), *b = x_1 + n * (r + 1);
    for (int i = 0; i < r; ++i) {
        put_state(n, N, first.right + i * n, NULL, zeros + 2 * n * i);
        for (int j = 0; j < r; ++j) {
            const double *left = first.left + i * n, *right = first.right + j * n;
            G[i * r + j] = form(n, left, q->C, right);
            E[i * r + j] = weigh(n, left, ulp, q->C, q->C_error, right) +
                           weigh(n, left, 1.0, q->C, NULL, first.right_error + j * n) +
                           weigh(n, first.left_error + i * n, 1.0, q->C, NULL, right);
        }
    }
    spectrum->rigid_count = spectrum->zero_count = r;
    status = lb_take_null_space(arena, r, &second);
    status = status < 0 ? status : lb_find_null_space(r, G, E, &second);
    const int more = second.count;
    for (int k = 0; k < more && status >= 0; ++k) {
        combine(n, r, second.right + k * r, first.right, x + n * k);
        for (int i = 0; i < n; ++i) {
            b[i] = -lb_compute_dot(n, q->C + i * n, x + n * k);
        }
        lb_solve_beside(&first, b, x_1 + n * k);
        put_state(n, N, x_1 + n * k, x + n * k, zeros + 2 * n * (r + k));
    }
    for (int i = 0; i < more && status >= 0; ++i) {
        combine(n, r, second.left + i * r, first.left, b);
        for (int j = 0; j < more; ++j) {
            const double *at = x + n * j, *next = x_1 + n * j;
            G[i * more + j] = form(n, b, q->M, at) + form(n, b, q->C, next);
            E[i * more + j] =
                weigh(n, b, ulp, q->M, NULL, at) + weigh(n, b, ulp, q->C, q->C_error, next);
        }
    }
    spectrum->zero_count += more;
    status = status < 0 ? status : lb_take_null_space(arena, more, &third);
    status = status < 0 ? status : lb_find_null_space(more, G, E, &third);
    return status < 0 ? status : third.count > 0 ? LB_E_UNSUPPORTED : LB_OK;
}

// One step of the staircase: V with A V_null = 0, and A restricted to the rest, in place.
//
// @return dimension of the null space; a status below zero if LAPACK gives up
static int peel(int n, double *A, double bound, double *Vt, double *scratch)
{
    double *sigma = scratch, *copy = scratch + n, *U = copy + n * n, *super = U + n * n;
    memcpy(copy, A, (size_t)n * (size_t)n * sizeof *A);
    if (n == 0) {
        return 0;
    }
    const int info =
        LB_LAPACK(dgesvd, LAPACK_ROW_MAJOR, 'N', 'A', n, n, copy, n, sigma, U, n, Vt, n, super);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    int rank = 0;
    while (rank < n && sigma[rank] > bound) {
        ++rank;
    }
    // rest: V_r' A V_r with the first `rank` rows of Vt
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < rank; ++j) {
            copy[i * rank + j] = lb_compute_dot(n, A + i * n, Vt + j * n);
        }
    }
    lb_form_product(rank, n, rank, Vt, copy, U);
    memcpy(A, U, (size_t)rank * (size_t)rank * sizeof *A);
    return n - rank;
}

// How many eigenvalues are zero where chains are long: null spaces of A, of A on the quotient by it
// and so on, with coordinates weighed by their inertia and speeds by the square root of the largest
// stiffness. A rank may be missed where speeds are far apart.
static lb_status count_zeros(const quadratic *q, const double *A, lb_arena *arena, int *zero_count)
{
    const int n = q->n, count = 2 * n;
    const size_t size = (size_t)count * (size_t)count;
    double *S = lb_take_numbers(arena, 5 * size + 3 * (size_t)count);
    if (!S) {
        return LB_E_MEMORY;
    }
    double *d = S + 5 * size + 2 * (size_t)count, stiffness = 0.0, rest = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double w = sqrt(fabs(q->M[i * n + i] / q->M[j * n + j]));
            stiffness = fmax(stiffness, fabs(w * A[(n + i) * count + j]));
            rest = fmax(rest, fabs(w * A[(n + i) * count + n + j]));
            rest = fmax(rest, fabs(w * A[i * count + j]));
        }
    }
    const double s = stiffness > 0.0 ? sqrt(stiffness) : rest > 0.0 ? rest : 1.0;
    for (int i = 0; i < n; ++i) {
        d[i] = 1.0 / sqrt(fabs(q->M[i * n + i]));
        d[n + i] = s * d[i];
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            S[i * count + j] = A[i * count + j] * d[j] / d[i];
        }
    }
    const double bound = 8.0 * count * DBL_EPSILON * lb_find_largest((ptrdiff_t)size, S);
    int left = count, found;
    *zero_count = 0;
    do {
        found = peel(left, S, bound, S + size, S + 2 * size);
        if (found < 0) {
            return (lb_status)found;
        }
        left -= found;
        *zero_count += found;
    } while (found > 0);
    return LB_OK;
}

// Units in which energies are alike: deviations by the roots of their stiffnesses, speeds by the roots
// of their inertias. What has no stiffness is given that of the slowest that has one.
static void find_units(const quadratic *q, double *d)
{
    const int n = q->n;
    double slowest = INFINITY, rate = 0.0;
    for (int i = 0; i < n; ++i) {
        const double k = fabs(q->K[i * n + i]), m = fabs(q->M[i * n + i]);
        slowest = k > 0.0 ? fmin(slowest, k / m) : slowest;
        rate = fmax(rate, fabs(q->C[i * n + i]) / m);
    }
    slowest = isfinite(slowest) ? slowest : rate > 0.0 ? rate * rate : 1.0;
    for (int i = 0; i < n; ++i) {
        const double k = fabs(q->K[i * n + i]), m = fabs(q->M[i * n + i]);
        d[i] = 1.0 / sqrt(k > 0.0 ? k : m * slowest);
        d[n + i] = 1.0 / sqrt(m);
    }
}

// ---- the rest ----------------------------------------------------------------------------------

// Orthonormal Q, the first `zero_count` columns of which span the rows of `zeros` over d.
static lb_status form_basis(int count, int zero_count, const double *d, const double *zeros,
                            lb_arena *arena, double *Q)
{
    const size_t z = (size_t)zero_count;
    double *tau = lb_take_numbers(arena, z + 1);
    if (!tau) {
        return LB_E_MEMORY;
    }
    memset(Q, 0, (size_t)count * (size_t)count * sizeof *Q);
    for (int k = 0; k < zero_count; ++k) {
        double size = 0.0;
        for (int i = 0; i < count; ++i) {
            size = hypot(size, zeros[k * count + i] / d[i]);
        }
        for (int i = 0; i < count; ++i) {
            Q[i * count + k] = zeros[k * count + i] / d[i] / size;
        }
    }
    int info = LB_LAPACK(dgeqrf, LAPACK_ROW_MAJOR, count, zero_count, Q, count, tau);
    info =
        info ? info : LB_LAPACK(dorgqr, LAPACK_ROW_MAJOR, count, count, zero_count, Q, count, tau);
    return lb_check_lapack(info, LB_E_NUMBER);
}

// Eigenvalues beside those that are zero, and their vectors                             (LIN-19)
//
//     Q'S Q = [T_11 T_12; 0 T_22],  T_22 y = s y,  x = Q (x_1, y),
//     x_1 = (s - T_11)^-1 T_12 y = (1 / s + T_11 / s^2) T_12 y;   left vectors  Q (0, w)
//
// given     S = D^-1 A D; T_11 with T_11^2 = 0 holds the zeros
static lb_status solve_rest(int count, const double *S, const double *d, const double *Q,
                            lb_arena *arena, lb_spectrum *spectrum)
{
    const int z = spectrum->zero_count, rigid = spectrum->rigid_count, m = count - z;
    const size_t size = (size_t)count * (size_t)count;
    double *T = lb_take_numbers(arena, 5 * size + 4 * (size_t)count);
    if (!T) {
        return LB_E_MEMORY;
    }
    double *X = T + size, *T_22 = X + size, *right = T_22 + size, *left = right + size;
    double *u = left + size;
    lb_form_product(count, count, count, S, Q, X);
    lb_form_transposed_product(count, count, count, Q, X, T);
    for (int i = 0; i < m; ++i) {
        memcpy(T_22 + i * m, T + (z + i) * count + z, (size_t)m * sizeof *T);
    }
    double *x = spectrum->real + z, *y = spectrum->imaginary + z;
    const int info =
        m > 0 ? LB_LAPACK(dgeev, LAPACK_ROW_MAJOR, 'V', 'V', m, T_22, m, x, y, left, m, right, m)
              : 0;
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < z; ++k) {
            spectrum->right[i * count + k] = d[i] * Q[i * count + k];
        }
    }
    for (int k = 0; k < m; ++k) {
        const bool pair = y[k] != 0.0;
        const double complex s = x[k] + I * y[k];
        for (int i = 0; i < z; ++i) {
            double *at = u + 2 * i;
            at[0] = at[1] = 0.0;
            for (int j = 0; j < m; ++j) {
                at[0] += T[i * count + z + j] * right[j * m + k];
                at[1] += pair ? T[i * count + z + j] * right[j * m + k + 1] : 0.0;
            }
        }
        for (int part = 0; part < (pair ? 2 : 1); ++part) {
            for (int i = 0; i < count; ++i) {
                double sum = 0.0, other = 0.0;
                for (int j = 0; j < m; ++j) {
                    sum += Q[i * count + z + j] * right[j * m + k + part];
                    other += Q[i * count + z + j] * left[j * m + k + part];
                }
                spectrum->right[i * count + z + k + part] = sum;
                spectrum->left[i * count + z + k + part] = other / d[i];
            }
        }
        for (int i = 0; i < z; ++i) {
            double complex x_1 = (u[2 * i] + I * u[2 * i + 1]) / s;
            for (int j = rigid; j < z && i < rigid; ++j) {
                x_1 += T[i * count + j] * (u[2 * j] + I * u[2 * j + 1]) / (s * s);
            }
            for (int row = 0; row < count; ++row) {
                spectrum->right[row * count + z + k] += Q[row * count + i] * creal(x_1);
                if (pair) {
                    spectrum->right[row * count + z + k + 1] += Q[row * count + i] * cimag(x_1);
                }
            }
        }
        for (int i = 0; i < count; ++i) {
            for (int part = 0; part < (pair ? 2 : 1); ++part) {
                spectrum->right[i * count + z + k + part] *= d[i];
            }
        }
        k += pair ? 1 : 0;
    }
    return LB_OK;
}

static lb_status solve_whole(int count, const double *S, const double *d, lb_arena *arena,
                             lb_spectrum *spectrum)
{
    const size_t size = (size_t)count * (size_t)count;
    double *copy = lb_take_numbers(arena, size);
    if (!copy) {
        return LB_E_MEMORY;
    }
    memcpy(copy, S, size * sizeof *S);
    const int info =
        LB_LAPACK(dgeev, LAPACK_ROW_MAJOR, 'V', 'V', count, copy, count, spectrum->real,
                  spectrum->imaginary, spectrum->left, count, spectrum->right, count);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            spectrum->right[i * count + j] *= d[i];
            spectrum->left[i * count + j] /= d[i];
        }
    }
    return LB_OK;
}

// ---- the last digits ---------------------------------------------------------------------------

// y^H X x
static double complex apply(int n, const double complex *y, const double *X,
                            const double complex *x)
{
    double complex sum = 0.0;
    for (int i = 0; i < n; ++i) {
        double complex row = 0.0;
        for (int j = 0; j < n; ++j) {
            row += X[i * n + j] * x[j];
        }
        sum += conj(y[i]) * row;
    }
    return sum;
}

static double bound(int n, const double complex *y, double a, const double *X, const double *E,
                    const double complex *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double size = a * fabs(X[i * n + j]) + (E ? E[i * n + j] : 0.0);
            sum += size > 0.0 ? cabs(y[i]) * size * cabs(x[j]) : 0.0;
        }
    }
    return sum;
}

// Newton's step for an eigenvalue with its vectors held, and a bound on its round-off  (LIN-20)
//
//     f(s) = y^H (s^2 M + s C + K) x,   s - f / f',   y = M^-T w,  w the lower half of the left vector
//
// returns   the bound; negative if the vectors do not belong together and nothing was changed
static double sharpen(const quadratic *q, const double complex *y, const double complex *x,
                      double complex *s)
{
    const int n = q->n;
    const double complex m = apply(n, y, q->M, x), c = apply(n, y, q->C, x),
                         k = apply(n, y, q->K, x);
    const double ulp = 4.0 * DBL_EPSILON, size = cabs(*s);
    const double complex slope = 2.0 * *s * m + c;
    const double noise = size * size * bound(n, y, ulp, q->M, NULL, x) +
                         size * bound(n, y, ulp, q->C, q->C_error, x) +
                         bound(n, y, ulp, q->K, q->K_error, x);
    // near to another eigenvalue, to which its vector leans, a step leads to neither
    if (!(noise <= 1e-9 * size * cabs(slope))) {
        return -1.0;
    }
    double complex at = *s;
    for (int step = 0; step < 2; ++step) {
        at -= ((at * m + c) * at + k) / (2.0 * at * m + c);
    }
    if (!(cabs(at - *s) <= 1e-3 * size)) {
        return -1.0;
    }
    *s = at;
    return noise / cabs(slope);
}

// Whether round-off may have made the rate of an eigenvalue                              (STB-1)
//
//     s^2 M + s C + K  may be singular at  s = i Im
//
// A chain of equal eigenvalues, such as that of a body that flies on while it spins, comes as a ring about
// them, of which Newton's step can say nothing.
static lb_status settle_rate(const quadratic *q, double imaginary, double *real)
{
    const int n = q->n;
    const size_t size = (size_t)n * (size_t)n;
    const double w = fabs(imaginary), ulp = 4.0 * DBL_EPSILON;
    if (*real == 0.0 || *real < -1e-6 * w || *real > 1e-3 * w) {
        return LB_OK; // beyond what round-off makes of up to four that are equal
    }
    lb_arena arena = lb_make_arena(NULL);
    lapack_complex_double *S = lb_arena_take(&arena, size, sizeof *S);
    double *E = lb_take_numbers(&arena, size);
    bool may = false;
    lb_status status = S && E ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; i < size && status >= 0; ++i) {
        S[i] = q->K[i] - w * w * q->M[i] + I * (w * q->C[i]);
        E[i] = q->K_error[i] + w * q->C_error[i] +
               ulp * (fabs(q->K[i]) + w * fabs(q->C[i]) + w * w * fabs(q->M[i]));
    }
    status = status < 0 ? status : lb_may_be_singular(n, S, E, &may);
    *real = may ? 0.0 : *real;
    lb_arena_free(&arena);
    return status;
}

static lb_status sharpen_all(const quadratic *q, double fastest, lb_arena *arena,
                             lb_spectrum *spectrum)
{
    const int n = q->n, count = 2 * n;
    double *L = lb_take_numbers(arena, (size_t)n * (size_t)(n + 2));
    int *pivots = lb_arena_take(arena, (size_t)n, sizeof *pivots);
    double complex *x = lb_arena_take(arena, 2 * (size_t)n, sizeof *x), *y = x + n;
    if (!L || !pivots || !x) {
        return LB_E_MEMORY;
    }
    double *w = L + (size_t)n * (size_t)n;
    memcpy(L, q->M, (size_t)n * (size_t)n * sizeof *L);
    int info = LB_LAPACK(dgetrf, LAPACK_ROW_MAJOR, n, n, L, n, pivots);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int k = spectrum->zero_count; k < count; ++k) {
        const bool pair = spectrum->imaginary[k] != 0.0;
        for (int i = 0; i < n; ++i) {
            const double *right = spectrum->right + i * count + k,
                         *left = spectrum->left + (n + i) * count + k;
            x[i] = right[0] + (pair ? I * right[1] : 0.0);
            w[2 * i] = left[0];
            w[2 * i + 1] = pair ? left[1] : 0.0;
        }
        info = LB_LAPACK(dgetrs, LAPACK_ROW_MAJOR, 'T', n, 2, L, n, pivots, w, 2);
        if (info != 0) {
            return lb_check_lapack(info, LB_E_SINGULAR);
        }
        for (int i = 0; i < n; ++i) {
            y[i] = w[2 * i] + I * w[2 * i + 1];
        }
        double complex s = spectrum->real[k] + I * spectrum->imaginary[k];
        double noise = sharpen(q, y, x, &s);
        noise = noise < 0.0 ? 8.0 * count * DBL_EPSILON * fastest : 4.0 * noise;
        spectrum->real[k] = creal(s);
        if (pair) {
            // of a pair, a rate below its own round-off is none
            spectrum->real[k] = fabs(creal(s)) <= noise ? 0.0 : creal(s);
            const lb_status status = settle_rate(q, cimag(s), &spectrum->real[k]);
            if (status < 0) {
                return status;
            }
            spectrum->real[k + 1] = spectrum->real[k];
            spectrum->imaginary[k] = cimag(s);
            spectrum->imaginary[k + 1] = -cimag(s);
            ++k;
        }
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static void permute_columns(int n, const int *order, double *V, double *row)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            row[j] = V[i * n + order[j]];
        }
        memcpy(V + i * n, row, (size_t)n * sizeof *row);
    }
}

// Ascending, pairs together: insertion keeps the order of equals, and what comes first.
static void sort(lb_spectrum *spectrum, int first, int *order, double *row)
{
    const int count = spectrum->count;
    double *x = spectrum->real, *y = spectrum->imaginary;
    for (int i = 0; i < count; ++i) {
        const double key = hypot(x[i], y[i]);
        int at = i;
        for (; at > first && i >= first && hypot(x[order[at - 1]], y[order[at - 1]]) > key; --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    permute_columns(count, order, spectrum->right, row);
    permute_columns(count, order, spectrum->left, row);
    for (int part = 0; part < 2; ++part) {
        double *values = part ? y : x;
        for (int i = 0; i < count; ++i) {
            row[i] = values[order[i]];
        }
        memcpy(values, row, (size_t)count * sizeof *row);
    }
}

// Long chains: all eigenvalues, of which the smallest are zero.
static lb_status solve_chained(const quadratic *q, const double *A, const double *S,
                               const double *d, lb_arena *arena, int *order, double *row,
                               lb_spectrum *spectrum)
{
    int zero_count = 0;
    lb_status status = count_zeros(q, A, arena, &zero_count);
    status = status < 0 ? status : solve_whole(spectrum->count, S, d, arena, spectrum);
    if (status < 0) {
        return status;
    }
    zero_count = zero_count > spectrum->zero_count ? zero_count : spectrum->zero_count;
    sort(spectrum, 0, order, row);
    // a rank may be missed by one in a long chain: of a pair, both are zero
    if (zero_count < spectrum->count && spectrum->imaginary[zero_count] < 0.0) {
        ++zero_count;
    }
    memset(spectrum->real, 0, (size_t)zero_count * sizeof *spectrum->real);
    memset(spectrum->imaginary, 0, (size_t)zero_count * sizeof *spectrum->imaginary);
    spectrum->zero_count = zero_count;
    return LB_OK;
}

lb_status lb_compute_spectrum(int n, const lb_tangent *t, const double *A, lb_arena *arena,
                              lb_spectrum *spectrum)
{
    const int count = 2 * n;
    const size_t size = (size_t)count * (size_t)count;
    *spectrum = (lb_spectrum){.count = count};
    double *S = lb_take_numbers(arena, 3 * size + 4 * (size_t)count);
    int *order = lb_arena_take(arena, (size_t)count, sizeof *order);
    spectrum->right = lb_take_numbers(arena, 2 * size);
    if (!S || !order || !spectrum->right) {
        return LB_E_MEMORY;
    }
    spectrum->left = spectrum->right + size;
    spectrum->rigid = S + size;
    double *Q = spectrum->rigid + size, *d = Q + size, *row = d + count;
    spectrum->real = row + count;
    spectrum->imaginary = spectrum->real + count;
    if (n == 0) {
        return LB_OK;
    }
    quadratic q;
    lb_status status = form_quadratic(n, t, arena, &q);
    if (status < 0) {
        return status;
    }
    find_units(&q, d);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            S[i * count + j] = A[i * count + j] * d[j] / d[i];
        }
    }
    status = find_chains(&q, t->N, arena, spectrum->rigid, spectrum);
    if (status == LB_E_UNSUPPORTED) {
        status = solve_chained(&q, A, S, d, arena, order, row, spectrum);
    } else {
        status = status < 0 ? status
                            : form_basis(count, spectrum->zero_count, d, spectrum->rigid, arena, Q);
        status = status < 0 ? status : solve_rest(count, S, d, Q, arena, spectrum);
    }
    double fastest = 0.0;
    for (int i = 0; i < count && status >= 0; ++i) {
        fastest = fmax(fastest, hypot(spectrum->real[i], spectrum->imaginary[i]));
    }
    status = status < 0 ? status : sharpen_all(&q, fastest, arena, spectrum);
    if (status >= 0) {
        sort(spectrum, spectrum->zero_count, order, row);
    }
    return status;
}
