// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Natural modes of the whole system.
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "system_modes.h"

#include "base/dense.h"
#include "closed/closed_loop.h"

// ---- one mode ----------------------------------------------------------------------------------

static lb_mode make_mode(lb_mode_kind kind, double real, double imaginary)
{
    const double size = hypot(real, imaginary);
    lb_mode mode = {.kind = kind, .eigenvalue = {real, imaginary}, .column = -1};
    mode.frequency = size / 6.283185307179586;
    mode.damping = size > 0.0 ? -real / size : 0.0;
    return mode;
}

// Unit modal mass, x^H M x = 1, and the largest part, by its inertia, real and positive.
static void normalize(int n, const double *M, double *x)
{
    double mass = 0.0, largest = 0.0, re = 1.0, im = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            mass += M[i * n + j] * (x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1]);
        }
        const double part = sqrt(M[i * n + i]) * hypot(x[2 * i], x[2 * i + 1]);
        // the first of those that are equal up to round-off
        if (part > largest * (1.0 + 1e-6)) {
            largest = part;
            re = x[2 * i];
            im = x[2 * i + 1];
        }
    }
    const double size = hypot(re, im) * sqrt(mass);
    for (int i = 0; i < n && size > 0.0; ++i) {
        // times conj(re + i im) over its size
        const double a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = (a * re + b * im) / size;
        x[2 * i + 1] = (b * re - a * im) / size;
    }
}

// ---- undamped, at rest -------------------------------------------------------------------------

// Whether (LIN-1) is M da + K xi = 0 with a symmetric K. Written so that a NaN fails.
static bool is_symmetric(const lb_mode_problem *p)
{
    const int n = p->n;
    const double *K = p->K, *E = p->tangent.K_error;
    bool even = lb_find_largest(n * n, p->C) == 0.0 && lb_find_largest(n * n, p->N) == 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double a = K[i * n + j], b = K[j * n + i];
            const double size = fabs(a) + fabs(b) + sqrt(fabs(K[i * n + i] * K[j * n + j]));
            const double error = E[i * n + j] + E[j * n + i];
            even = even && fabs(a - b) <= 1e-10 * size + 8.0 * error;
        }
    }
    return even;
}

// Scratch of a symmetric problem of n coordinates.
typedef struct pair {
    int n;
    double *K, *M;      // n x n
    double *square, *Y; // eigenvalues; vectors, columns
} pair;

// Slow modes beside fast ones to full digits, for K > 0                                (LIN-22)
//
//     K = D L L'D,  M = F F',  F^-1 D = Q R P',  R P'L = U S V':   w = S,  y = F^-T Q U
//
// D the roots of the diagonal of K. Nothing is added to what is much larger: F and L depend little on
// units, R has rows as different as D has entries, and Jacobi's rotations respect that.
//
// Source: Demmel, Gu, Eisenstat, Slapnicar, Veselic and Drmac (1999), algorithm 3.1.
//
// returns   false if K is not positive definite
static bool solve_graded(const pair *p, double *scratch, int *pivots)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    double *F = scratch, *L = F + size, *G = L + size, *W = G + size, *V = W + size;
    double *tau = V + size, *D = tau + n, *values = D + n, stat[6];
    for (int i = 0; i < n; ++i) {
        if (!(p->K[i * n + i] > 0.0)) {
            return false;
        }
        D[i] = sqrt(p->K[i * n + i]);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            L[i * n + j] = j <= i ? p->K[i * n + j] / (D[i] * D[j]) : 0.0;
            F[i * n + j] = p->M[i * n + j];
            G[i * n + j] = i == j ? D[i] : 0.0;
            pivots[i] = 0;
        }
    }
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, L, n) != 0 ||
        LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, F, n) != 0 ||
        LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'N', 'N', n, n, F, n, G, n) != 0 ||
        LAPACKE_dgeqp3(LAPACK_ROW_MAJOR, n, n, G, n, pivots, tau) != 0) {
        return false;
    }
    // W = (R P'L)'
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            double sum = 0.0;
            for (int j = a; j < n; ++j) {
                sum += G[a * n + j] * L[(pivots[j] - 1) * n + b];
            }
            W[b * n + a] = sum;
        }
    }
    if (LAPACKE_dorgqr(LAPACK_ROW_MAJOR, n, n, n, G, n, tau) != 0 ||
        LAPACKE_dgesvj(LAPACK_ROW_MAJOR, 'G', 'N', 'V', n, n, W, n, values, n, V, n, stat) != 0) {
        return false;
    }
    lb_form_product(n, n, n, G, V, p->Y);
    if (LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'T', 'N', n, n, F, n, p->Y, n) != 0) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        const double w = stat[0] * values[k];
        p->square[k] = w * w;
    }
    return true;
}

// Each w^2 is taken again as the quotient y'K y / y'M y, whose error is of the second order in that
// of y.
static lb_status solve_indefinite(const pair *p, double *scratch)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    memcpy(p->Y, p->K, size * sizeof *p->Y);
    memcpy(scratch, p->M, size * sizeof *scratch);
    if (LAPACKE_dsygvd(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, p->Y, n, scratch, n, p->square) != 0) {
        return LB_E_SINGULAR;
    }
    for (int k = 0; k < n; ++k) {
        double stiffness = 0.0, mass = 0.0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const double yy = p->Y[i * n + k] * p->Y[j * n + k];
                stiffness += p->K[i * n + j] * yy;
                mass += p->M[i * n + j] * yy;
            }
        }
        p->square[k] = stiffness / mass;
    }
    return LB_OK;
}

// x'M y
static double weigh(int n, const double *M, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] == 0.0 ? 0.0 : x[i] * lb_compute_dot(n, M + i * n, y);
    }
    return sum;
}

// Rigid shapes of unit modal mass, orthogonal to each other: rows of X.
static void make_orthonormal(int n, int count, const double *M, double *X)
{
    for (int k = 0; k < count; ++k) {
        double *x = X + k * n;
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                lb_add_scaled(n, -weigh(n, M, x, X + j * n), X + j * n, x);
            }
            const double size = sqrt(weigh(n, M, x, x));
            for (int i = 0; i < n && size > 0.0; ++i) {
                x[i] /= size;
            }
        }
    }
}

// The coordinates that are left when as many as there are rigid shapes, those that the shapes move
// most, are taken away: by elimination in a copy of X.
static void choose_kept(int n, int count, const double *M, double *X, int *kept)
{
    for (int i = 0; i < n; ++i) {
        kept[i] = 1;
    }
    for (int k = 0; k < count; ++k) {
        int row = k, column = -1;
        double largest = -1.0;
        for (int a = k; a < count; ++a) {
            for (int i = 0; i < n; ++i) {
                const double size = sqrt(M[i * n + i]) * fabs(X[a * n + i]);
                if (kept[i] == 1 && size > largest) {
                    largest = size;
                    row = a;
                    column = i;
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            const double x = X[row * n + i];
            X[row * n + i] = X[k * n + i];
            X[k * n + i] = x;
        }
        for (int a = k + 1; a < count && largest > 0.0; ++a) {
            lb_add_scaled(n, -X[a * n + column] / X[k * n + column], X + k * n, X + a * n);
        }
        kept[column] = 0;
    }
    int at = 0;
    for (int i = 0; i < n; ++i) {
        if (kept[i]) {
            kept[at++] = i;
        }
    }
}

static void put_mode(lb_mode_problem *p, lb_mode mode, const double *x)
{
    double *shape = p->shapes + 2 * (size_t)p->n * (size_t)p->count;
    p->modes[p->count++] = mode;
    for (int i = 0; i < p->n; ++i) {
        shape[2 * i] = x[i];
    }
}

// K x = w^2 M x                                                                         (LIN-6)
//
//     K X = 0,  X'M X = 1;   the others  x = Z y,  Z = I - X X'M  on the coordinates k that are kept:
//     K_kk y = w^2 (M_kk - B'B) y,  B = X'M_k
//
// A negative w^2 is a pair of real eigenvalues, one of which grows.
static lb_status solve_symmetric(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    lb_null_space null;
    double *K = lb_take_numbers(arena, 5 * size + 2 * (size_t)n);
    double *scratch = lb_take_numbers(arena, 5 * size + 3 * (size_t)n);
    int *kept = lb_arena_take(arena, 2 * (size_t)n, sizeof *kept), *pivots = kept + n;
    if (!K || !scratch || !kept) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n * n; ++i) {
        K[i] = 0.5 * (p->K[i] + p->K[i % n * n + i / n]);
    }
    lb_status status = lb_take_null_space(arena, n, &null);
    status = status < 0 ? status : lb_find_null_space(n, K, p->tangent.K_error, &null);
    if (status < 0) {
        return status;
    }
    const int r = null.count, m = n - r;
    double *X = null.right, *B = K + size, *x = B + size;
    pair rest = {.n = m, .square = x + n, .K = x + 2 * n, .M = x + 2 * n + size};
    rest.Y = rest.M + size;
    make_orthonormal(n, r, p->M, X);
    memcpy(scratch, X, (size_t)r * (size_t)n * sizeof *X);
    choose_kept(n, r, p->M, scratch, kept);
    for (int k = 0; k < r; ++k) {
        for (int j = 0; j < m; ++j) {
            B[k * m + j] = lb_compute_dot(n, p->M + kept[j] * n, X + k * n);
        }
        put_mode(p, make_mode(LB_MODE_RIGID, 0.0, 0.0), X + k * n);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            double mass = p->M[kept[i] * n + kept[j]];
            for (int k = 0; k < r; ++k) {
                mass -= B[k * m + i] * B[k * m + j];
            }
            rest.K[i * m + j] = K[kept[i] * n + kept[j]];
            rest.M[i * m + j] = mass;
        }
    }
    if (m > 0 && !solve_graded(&rest, scratch, pivots)) {
        status = solve_indefinite(&rest, scratch);
    }
    for (int k = 0; k < m && status >= 0; ++k) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (int i = 0; i < m; ++i) {
            x[kept[i]] = rest.Y[i * m + k];
        }
        for (int a = 0; a < r; ++a) {
            double part = 0.0;
            for (int i = 0; i < m; ++i) {
                part += B[a * m + i] * rest.Y[i * m + k];
            }
            lb_add_scaled(n, -part, X + a * n, x);
        }
        const double w2 = rest.square[k], rate = sqrt(fmax(0.0, -w2));
        if (w2 < 0.0) {
            put_mode(p, make_mode(LB_MODE_APERIODIC, -rate, 0.0), x);
        }
        put_mode(p,
                 w2 < 0.0 ? make_mode(LB_MODE_APERIODIC, rate, 0.0)
                          : make_mode(LB_MODE_OSCILLATION, 0.0, sqrt(w2)),
                 x);
    }
    return status;
}

// ---- damped, gyroscopic ------------------------------------------------------------------------

// Two columns of the spectrum, real and imaginary part: entry i of a vector.
static double complex get_number(const lb_spectrum *s, int i, int column)
{
    const double *at = s->right + i * s->count + column;
    return at[0] + I * at[1];
}

// x -= f y, columns
static void subtract_column(lb_spectrum *s, double complex f, int y, int x)
{
    for (int i = 0; i < s->count; ++i) {
        const double complex value = get_number(s, i, x) - f * get_number(s, i, y);
        s->right[i * s->count + x] = creal(value);
        s->right[i * s->count + x + 1] = cimag(value);
    }
}

// x^H M y of deviations
static double complex weigh_columns(const lb_mode_problem *p, int x, int y)
{
    double complex sum = 0.0;
    for (int i = 0; i < p->n; ++i) {
        for (int j = 0; j < p->n; ++j) {
            sum += p->M[i * p->n + j] * conj(get_number(&p->spectrum, i, x)) *
                   get_number(&p->spectrum, j, y);
        }
    }
    return sum;
}

// The deviation that has most of a vector, by inertia; of those that are equal up to round-off the first.
static int find_pivot(const lb_mode_problem *p, int column)
{
    double largest = 0.0;
    int best = 0;
    for (int i = 0; i < p->n; ++i) {
        const double size = sqrt(p->M[i * p->n + i]) * cabs(get_number(&p->spectrum, i, column));
        if (size > largest * (1.0 + 1e-6)) {
            largest = size;
            best = i;
        }
    }
    return best;
}

// Any vectors that span the same are as good for pairs of equal eigenvalues. Those are taken that keep
// equal parts of a system apart: reduced to echelon form, then made orthogonal by M.
static void tidy_equals(lb_mode_problem *p, int first, int count)
{
    lb_spectrum *s = &p->spectrum;
    for (int k = 0; k < count; ++k) {
        const int x = first + 2 * k, pivot = find_pivot(p, x);
        for (int j = 0; j < count; ++j) {
            if (j != k) {
                const int y = first + 2 * j;
                subtract_column(s, get_number(s, pivot, y) / get_number(s, pivot, x), x, y);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            const int x = first + 2 * k, y = first + 2 * j;
            subtract_column(s, weigh_columns(p, y, x) / weigh_columns(p, y, y), y, x);
        }
    }
}

// Whether vectors are so far from each other that they can be told apart: not where an eigenvalue has
// fewer vectors than its multiplicity.
static bool is_independent(const lb_mode_problem *p, int first, int count)
{
    bool apart = true;
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            const int x = first + 2 * k, y = first + 2 * j;
            const double size = creal(weigh_columns(p, x, x)) * creal(weigh_columns(p, y, y));
            const double complex both = weigh_columns(p, x, y);
            apart = apart && creal(both * conj(both)) <= (1.0 - 1e-6) * size;
        }
    }
    return apart;
}

static void tidy_pairs(lb_mode_problem *p)
{
    const lb_spectrum *s = &p->spectrum;
    for (int k = s->zero_count; k < s->count;) {
        if (s->imaginary[k] == 0.0) {
            ++k;
            continue;
        }
        int count = 1;
        for (int j = k + 2; j + 1 < s->count && s->imaginary[j] != 0.0; j += 2, ++count) {
            const double gap = hypot(s->real[j] - s->real[k], s->imaginary[j] - s->imaginary[k]);
            if (!(gap <= 1e-11 * hypot(s->real[k], s->imaginary[k]))) {
                break;
            }
        }
        if (count > 1 && is_independent(p, k, count)) {
            tidy_equals(p, k, count);
        }
        k += 2 * count;
    }
}

static lb_status solve_general(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n, count = 2 * n;
    double *A = lb_take_numbers(arena, (size_t)count * (size_t)count);
    if (!A) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_form_system_matrix(n, p->M, p->C, p->K, p->N, 0, NULL, arena, A, NULL);
    status = status < 0 ? status : lb_compute_spectrum(n, &p->tangent, A, arena, &p->spectrum);
    if (status < 0) {
        return status;
    }
    tidy_pairs(p);
    const lb_spectrum s = p->spectrum;
    for (int k = 0; k < s.rigid_count; ++k) {
        p->modes[p->count] = make_mode(LB_MODE_RIGID, 0.0, 0.0);
        double *shape = p->shapes + 2 * (size_t)n * (size_t)p->count++;
        for (int i = 0; i < n; ++i) {
            shape[2 * i] = s.rigid[k * count + i];
        }
    }
    for (int k = s.zero_count; k < count; ++k) {
        if (s.imaginary[k] < 0.0) {
            continue; // the other of a pair
        }
        const bool real = s.imaginary[k] == 0.0;
        p->modes[p->count] =
            make_mode(real ? LB_MODE_APERIODIC : LB_MODE_OSCILLATION, s.real[k], s.imaginary[k]);
        p->modes[p->count].column = k;
        double *shape = p->shapes + 2 * (size_t)n * (size_t)p->count++;
        for (int i = 0; i < n; ++i) {
            shape[2 * i] = s.right[i * count + k];
            shape[2 * i + 1] = real ? 0.0 : s.right[i * count + k + 1];
        }
    }
    return LB_OK;
}

// ---- rigid motions -----------------------------------------------------------------------------

// x -= s y, real parts of shapes
static void subtract(int n, double s, const double *y, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[2 * i] -= s * y[2 * i];
    }
}

static void swap(int n, double *x, double *y)
{
    for (int i = 0; i < 2 * n; ++i) {
        const double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

// Any basis of the rigid motions is as good as another for an eigenvalue solver; people want to see
// single coordinates. Reduced to echelon form from the last coordinate backwards, then made
// orthogonal in that order: of a free body the shifts come out pure, and the turns about its centre
// of mass.
static void tidy_rigid(lb_mode_problem *p)
{
    const int n = p->n;
    const size_t width = 2 * (size_t)n;
    int count = 0, done = 0;
    while (count < p->count && p->modes[count].kind == LB_MODE_RIGID) {
        ++count;
    }
    for (int i = n - 1; i >= 0 && done < count; --i) {
        // the vector with most of it; a part below 1 percent would only lose digits
        int best = done;
        for (int k = done; k < count; ++k) {
            best = fabs(p->shapes[width * (size_t)k + 2 * (size_t)i]) >
                           fabs(p->shapes[width * (size_t)best + 2 * (size_t)i])
                       ? k
                       : best;
        }
        double *x = p->shapes + width * (size_t)best;
        if (!(fabs(x[2 * i]) * sqrt(p->M[i * n + i]) > 1e-2)) {
            continue;
        }
        swap(n, x, p->shapes + width * (size_t)done);
        x = p->shapes + width * (size_t)done;
        for (int k = 0; k < count; ++k) {
            double *y = p->shapes + width * (size_t)k;
            if (k != done) {
                subtract(n, y[2 * i] / x[2 * i], x, y);
                normalize(n, p->M, y);
            }
        }
        ++done;
    }
    for (int k = 0; k < count; ++k) {
        double *x = p->shapes + width * (size_t)k;
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                const double *y = p->shapes + width * (size_t)j;
                double dot = 0.0;
                for (int a = 0; a < n; ++a) {
                    for (int b = 0; b < n; ++b) {
                        dot += x[2 * a] * p->M[a * n + b] * y[2 * b];
                    }
                }
                subtract(n, dot, y, x);
            }
            normalize(n, p->M, x);
        }
    }
    // in the order of the state
    for (int k = 0; k < count / 2; ++k) {
        swap(n, p->shapes + width * (size_t)k, p->shapes + width * (size_t)(count - 1 - k));
    }
}

// ---- effective masses --------------------------------------------------------------------------

// Momentum per unit of each speed: 6 x n, linear, then angular about a point: H_c + (c - o) x p, with
// the centre of mass c, so that far from the world's origin digits are kept.
static lb_status compute_momenta(lb_system *s, const lb_operating_point *point,
                                 const double about[3], lb_arena *arena, double *P)
{
    double *v = lb_take_numbers(arena, (size_t)s->v_count);
    lb_status status = v ? LB_OK : LB_E_MEMORY;
    for (int j = 0; j < point->count && status >= 0; ++j) {
        lb_system_motion motion;
        v[point->coordinates[j]] = 1.0;
        status = lb_compute_kinematics(s->model, s->work, point->q, v, NULL);
        status = status < 0 ? status : lb_compute_system_motion(s->model, s->work, &motion);
        v[point->coordinates[j]] = 0.0;
        if (status < 0) {
            break;
        }
        const lb_vec3 arm = lb_vec3_sub(lb_vec3_from(motion.com), lb_vec3_from(about));
        const lb_vec3 more = lb_vec3_cross(arm, lb_vec3_from(motion.linear));
        const double moment[3] = {more.x, more.y, more.z};
        for (int i = 0; i < 3; ++i) {
            P[i * point->count + j] = motion.linear[i];
            P[(3 + i) * point->count + j] = motion.angular[i] + moment[i];
        }
    }
    return status;
}

// (p . x)^2 / x'M x, and their sum                                                      (LIN-8)
static void compute_effective(int n, const double *P, const double *shapes, lb_mode_problem *p,
                              double sums[6])
{
    for (int k = 0; k < p->count; ++k) {
        const double *x = shapes + 2 * (size_t)n * (size_t)k;
        for (int d = 0; d < 6; ++d) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < n; ++i) {
                re += P[d * n + i] * x[2 * i];
                im += P[d * n + i] * x[2 * i + 1];
            }
            p->modes[k].effective[d] = re * re + im * im;
            // the two eigenvalues of a shape that tips over share it
            const bool again = p->symmetric && p->modes[k].kind == LB_MODE_APERIODIC &&
                               p->modes[k].eigenvalue[0] > 0.0;
            sums[d] += again ? 0.0 : p->modes[k].effective[d];
        }
    }
}

// Momentum shared out among modes by their state vectors                                (LIN-21)
//
//     b_1 = (M^-1 p, 0) = sum over k of x_k beta_k,   b_2 = (0, M^-1 p) = sum over k of x_k gamma_k
//     m_k = ((p, 0)'x_k beta_k + (0, p)'x_k gamma_k) / 2
//
// pairs as two real columns. What the eigenvalues that are zero have together goes to the rigid shapes
// by the squares of their momenta.
static lb_status share_momentum(const lb_operating_point *point, const double *P, lb_arena *arena,
                                lb_mode_problem *p, double sums[6])
{
    enum { ALL = 6, BOTH = 12 };
    const int n = p->n, count = 2 * n, zeros = p->spectrum.zero_count;
    const double *V = p->spectrum.right;
    double *L = lb_take_numbers(arena, (size_t)count * (size_t)(count + BOTH + 1) +
                                           (size_t)n * (size_t)(n + 2 * ALL));
    int *pivots = lb_arena_take(arena, (size_t)count, sizeof *pivots);
    if (!L || !pivots) {
        return LB_E_MEMORY;
    }
    double *b = L + count * count, *M = b + count * BOTH, *part = M + n * n, *a = part + n * ALL;
    double *size = a + n * ALL;
    memcpy(M, p->M, (size_t)n * (size_t)n * sizeof *M);
    for (int d = 0; d < ALL; ++d) {
        lb_gather(point, point->freedom.T, P + d * point->count, part + d * n);
        for (int i = 0; i < n; ++i) {
            a[i * ALL + d] = part[d * n + i];
        }
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, ALL, M, n, pivots, a, ALL) != 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < ALL; ++d) {
            b[i * BOTH + d] = b[(n + i) * BOTH + ALL + d] = a[i * ALL + d];
        }
    }
    // no row or column is small beside another, whatever the units and speeds
    memcpy(L, V, (size_t)count * (size_t)count * sizeof *L);
    for (int i = 0; i < count; ++i) {
        const double largest = lb_find_largest(count, L + i * count);
        for (int j = 0; j < count && largest > 0.0; ++j) {
            L[i * count + j] /= largest;
            size[j] = fmax(size[j], fabs(L[i * count + j]));
        }
        for (int d = 0; d < BOTH && largest > 0.0; ++d) {
            b[i * BOTH + d] /= largest;
        }
    }
    for (int i = 0; i < count * count; ++i) {
        L[i] = size[i % count] > 0.0 ? L[i] / size[i % count] : L[i];
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, count, BOTH, L, count, pivots, b, BOTH) != 0) {
        return LB_E_NUMBER;
    }
    for (int i = 0; i < count * BOTH; ++i) {
        b[i] = size[i / BOTH] > 0.0 ? b[i] / size[i / BOTH] : b[i];
    }
    for (int d = 0; d < ALL; ++d) {
        const double *row = part + d * n;
        double whole = 0.0, rigid = 0.0;
        int rigid_count = 0;
        for (int k = 0; k < zeros; ++k) {
            for (int i = 0; i < n; ++i) {
                whole += 0.5 * row[i] * V[i * count + k] * b[k * BOTH + d];
                whole += 0.5 * row[i] * V[(n + i) * count + k] * b[k * BOTH + ALL + d];
            }
        }
        for (int k = 0; k < p->count; ++k) {
            lb_mode *mode = &p->modes[k];
            if (mode->kind == LB_MODE_RIGID) {
                const double *x = p->shapes + 2 * (size_t)n * (size_t)k;
                double momentum = 0.0;
                for (int i = 0; i < n; ++i) {
                    momentum += row[i] * x[2 * i];
                }
                mode->effective[d] = momentum * momentum;
                rigid += mode->effective[d];
                ++rigid_count;
                continue;
            }
            const int at = mode->column, width = mode->kind == LB_MODE_OSCILLATION ? 2 : 1;
            double mass = 0.0;
            for (int j = at; j < at + width; ++j) {
                for (int i = 0; i < n; ++i) {
                    mass += 0.5 * row[i] * V[i * count + j] * b[j * BOTH + d];
                    mass += 0.5 * row[i] * V[(n + i) * count + j] * b[j * BOTH + ALL + d];
                }
            }
            mode->effective[d] = mass;
            sums[d] += mass;
        }
        for (int k = 0; k < p->count; ++k) {
            if (p->modes[k].kind == LB_MODE_RIGID) {
                p->modes[k].effective[d] =
                    rigid > 0.0 ? p->modes[k].effective[d] * (whole / rigid) : whole / rigid_count;
            }
        }
        sums[d] += whole;
    }
    return LB_OK;
}

// M_ii |x_i|^2, over the sum of them.
static void compute_shares(int n, const double *shapes, const lb_mode_problem *p, double *shares)
{
    for (int k = 0; k < p->count; ++k) {
        const double *x = shapes + 2 * (size_t)n * (size_t)k;
        double sum = 0.0, *share = shares + (size_t)n * (size_t)k;
        for (int i = 0; i < n; ++i) {
            share[i] = p->inertia[i] * (x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);
            sum += share[i];
        }
        for (int i = 0; i < n && sum > 0.0; ++i) {
            share[i] /= sum;
        }
    }
}

// Mass of everything, and its inertia about axes of the world through a point.
lb_status lb_sum_masses(lb_system *s, const lb_operating_point *point, const double about_point[3],
                        lb_modes *modes)
{
    lb_status status = lb_compute_kinematics(s->model, s->work, point->q, NULL, NULL);
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        double m = 0.0, c[3], J[6];
        lb_node_motion at;
        lb_get_mass_properties(s->model, k, &m, c, J);
        status = lb_compute_node_motion(s->model, s->work, k, 0, &at);
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(at.rotation));
        const lb_vec3 x =
            lb_vec3_add(lb_vec3_sub(lb_vec3_from(at.position), lb_vec3_from(about_point)),
                        lb_mat3_mul_vec(&R, lb_vec3_from(c)));
        const lb_sym3 about = lb_sym3_add(lb_sym3_rotate(&R, lb_sym3_from(J)), lb_sym3_point(m, x));
        modes->mass += m;
        modes->inertia[0] += about.xx;
        modes->inertia[1] += about.yy;
        modes->inertia[2] += about.zz;
    }
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

// Rigid ones first, then by frequency; equals stay in order.
static void sort(lb_mode_problem *p, double *row)
{
    const size_t width = 2 * (size_t)p->n;
    for (int i = 1; i < p->count; ++i) {
        const lb_mode mode = p->modes[i];
        int at = i;
        memcpy(row, p->shapes + width * (size_t)i, width * sizeof *row);
        for (; at > 0 && p->modes[at - 1].frequency > mode.frequency; --at) {
            p->modes[at] = p->modes[at - 1];
            memcpy(p->shapes + width * (size_t)at, p->shapes + width * (size_t)(at - 1),
                   width * sizeof *row);
        }
        p->modes[at] = mode;
        memcpy(p->shapes + width * (size_t)at, row, width * sizeof *row);
    }
}

lb_status lb_solve_modes(lb_system *s, const lb_operating_point *point, lb_arena *arena,
                         lb_mode_problem *p)
{
    const int n = point->freedom.free_count;
    lb_tangent whole, part;
    *p = (lb_mode_problem){.n = n};
    p->modes = lb_arena_take(arena, 2 * (size_t)n, sizeof *p->modes);
    p->shapes = lb_take_numbers(arena, 4 * (size_t)n * (size_t)n);
    p->inertia = lb_take_numbers(arena, (size_t)point->count * (size_t)(point->count + 1));
    if (!p->modes || !p->shapes || !p->inertia) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_take_tangent(arena, s->v_count, &whole);
    status = status < 0 ? status : lb_compute_tangent(s, point, &whole);
    status = status < 0 ? status : lb_reduce(point, s->v_count, &whole, arena, &part);
    if (status < 0) {
        return status;
    }
    p->whole = p->inertia + point->count;
    for (int i = 0; i < point->count; ++i) {
        for (int j = 0; j < point->count; ++j) {
            p->whole[i * point->count + j] =
                whole.M[point->coordinates[i] * s->v_count + point->coordinates[j]];
        }
        p->inertia[i] = p->whole[i * point->count + i];
    }
    p->tangent = part;
    p->M = part.M;
    p->C = part.C;
    p->K = part.K;
    p->N = part.N;
    p->symmetric = is_symmetric(p);
    status = p->symmetric ? solve_symmetric(p, arena) : solve_general(p, arena);
    if (status == LB_E_SINGULAR) {
        return lb_say(s, status, "linear: the mass matrix is not positive definite");
    }
    if (status == LB_E_NUMBER) {
        return lb_say(s, status, "linear: the eigenvalues do not converge");
    }
    double *row = lb_take_numbers(arena, 2 * (size_t)n);
    if (status < 0 || !row) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    for (int k = 0; k < p->count; ++k) {
        normalize(n, p->M, p->shapes + 2 * (size_t)n * (size_t)k);
    }
    sort(p, row);
    tidy_rigid(p);
    return LB_OK;
}

// One array per quantity.
static lb_status spread(const lb_mode_problem *p, lb_arena *arena, lb_modes *modes)
{
    const size_t count = (size_t)p->count;
    lb_mode_kind *kinds = lb_arena_take(arena, count, sizeof *kinds);
    double *values = lb_take_numbers(arena, 2 * count),
           *effective = lb_take_numbers(arena, 6 * count);
    double *frequencies = lb_take_numbers(arena, count), *dampings = lb_take_numbers(arena, count);
    if (!kinds || !values || !effective || !frequencies || !dampings) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_mode *mode = &p->modes[i];
        kinds[i] = mode->kind;
        memcpy(values + 2 * i, mode->eigenvalue, sizeof mode->eigenvalue);
        memcpy(effective + 6 * i, mode->effective, sizeof mode->effective);
        frequencies[i] = mode->frequency;
        dampings[i] = mode->damping;
    }
    modes->mode_count = p->count;
    modes->symmetric = p->symmetric;
    modes->kinds = kinds;
    modes->eigenvalues = values;
    modes->effective = effective;
    modes->frequencies = frequencies;
    modes->dampings = dampings;
    return LB_OK;
}

static lb_status fill(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                      lb_modes *modes)
{
    lb_system *s = &sim->system;
    lb_operating_point point;
    lb_mode_problem problem;
    lb_status status = lb_find_point(sim, options, NULL, arena, &point);
    status = status < 0 ? status : lb_solve_modes(s, &point, arena, &problem);
    if (status < 0) {
        return status;
    }
    const size_t n = (size_t)point.count;
    double *P = lb_take_numbers(arena, 6 * n);
    double *shares = lb_take_numbers(arena, n * (size_t)problem.count);
    double *shapes = lb_take_numbers(arena, 2 * n * (size_t)problem.count);
    const char **names = lb_arena_take(arena, n, sizeof *names);
    if (!P || !shares || !shapes || !names) {
        return LB_E_MEMORY;
    }
    status = compute_momenta(s, &point, options->about_point, arena, P);
    status = status < 0 ? status : lb_sum_masses(s, &point, options->about_point, modes);
    for (int k = 0; k < problem.count; ++k) {
        lb_expand(&point, problem.shapes + 2 * (size_t)problem.n * (size_t)k,
                  shapes + 2 * n * (size_t)k);
    }
    if (problem.symmetric) {
        compute_effective(point.count, P, shapes, &problem, modes->effective_sums);
    } else if (status >= 0) {
        status = share_momentum(&point, P, arena, &problem, modes->effective_sums);
    }
    for (size_t i = 0; i < n; ++i) {
        names[i] = point.names[i];
    }
    compute_shares(point.count, shapes, &problem, shares);
    modes->shares = shares;
    modes->coordinate_count = point.count;
    modes->coordinates = point.coordinates;
    modes->names = names;
    modes->shapes = shapes;
    modes->q = point.q;
    modes->v = point.v;
    modes->a = point.a;
    modes->unbalance = point.unbalance;
    modes->unbalanced = point.unbalanced >= 0 ? names[point.unbalanced] : "";
    return status < 0 ? status : spread(&problem, arena, modes);
}

static lb_status name_feedbacks(const lb_feedbacks *feedbacks, lb_arena *arena, lb_modes *modes)
{
    lb_feedback_arrays arrays;
    const lb_status status = lb_spread_feedbacks(feedbacks, arena, &arrays);
    if (status >= 0) {
        modes->feedback_count = feedbacks->count;
        modes->feedbacks = arrays.names;
        modes->closed = arrays.closed;
        modes->feedback_notes = arrays.notes;
    }
    return status;
}

lb_status lb_compute_modes(lb_simulation *sim, const lb_linear_options *options, lb_modes **modes)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_feedbacks feedbacks;
    lb_modes *record = lb_create_record(sizeof *record, &arena);
    lb_status status =
        record ? lb_begin_linear(sim, options, arena, &own, &feedbacks) : LB_E_MEMORY;
    if (record) {
        record->size = sizeof *record;
    }
    if (status >= 0 && feedbacks.closed_count > 0) {
        status = lb_fill_closed_modes(sim, &own, &feedbacks, arena, record);
    } else if (status >= 0) {
        status = fill(sim, &own, arena, record);
        status = status < 0 ? status : name_feedbacks(&feedbacks, arena, record);
    }
    *modes = lb_leave_point(&sim->system, status, record);
    return status < 0 ? status : LB_OK;
}

void lb_destroy_modes(lb_modes *modes)
{
    lb_destroy_record(modes);
}

lb_status lb_compute_mode_displacement(lb_simulation *sim, const lb_modes *modes, int mode,
                                       int body, int node, double displacement[12])
{
    lb_system *s = &sim->system;
    memset(displacement, 0, 12 * sizeof *displacement);
    if (mode < 0 || mode >= modes->mode_count || body < LB_GROUND || body >= s->body_count ||
        node < 0 || node >= lb_get_node_count(s->model, body)) {
        return LB_E_ARGUMENT;
    }
    // velocity at speeds of the shape: J x, real and imaginary part
    const int n = modes->coordinate_count;
    const double *x = modes->shapes + 2 * (size_t)n * (size_t)mode;
    lb_status status = LB_OK;
    for (int part = 0; part < (modes->symmetric ? 1 : 2) && status >= 0; ++part) {
        lb_node_motion motion;
        memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
        for (int i = 0; i < n; ++i) {
            s->v[modes->coordinates[i]] = x[2 * i + part];
        }
        status = lb_compute_kinematics(s->model, s->work, modes->q, s->v, NULL);
        status =
            status < 0 ? status : lb_compute_node_motion(s->model, s->work, body, node, &motion);
        for (int i = 0; i < 6 && status >= 0; ++i) {
            displacement[2 * i + part] = motion.velocity[i];
        }
    }
    return status;
}
