// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenpairs: LAPACK for small matrices, block Lanczos for large ones. Both solve
//
//     M x = mu (K + shift M) x,   omega^2 = 1 / mu - shift                              (BM-10)
//
// whose largest mu, the lowest modes, come out to full precision; shift > 0 where K is singular. What Lanczos found is
// counted, and all residuals are checked: a mode that is missing or wrong is an error.
#include <float.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/dense.h"
#include "eigen.h"

enum { DENSE_MOST = 320 };

// ---- dense -------------------------------------------------------------------------------------

lb_status lb_fe_solve_dense(int n, double *K, double *M, double *squares)
{
    lb_lock_lapack();
    const int info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K, n, M, n, squares);
    lb_unlock_lapack();
    return lb_check_lapack(info, LB_E_SINGULAR);
}

static lb_status find_dense(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                            int skip, double shift, int count, double *squares, double *vectors)
{
    const size_t n = (size_t)K->n;
    double *A, *B, *mu;
    if (!LB_FE_TAKE(context, A, n * n) || !LB_FE_TAKE(context, B, n * n) ||
        !LB_FE_TAKE(context, mu, n)) {
        return LB_E_MEMORY;
    }
    for (size_t j = 0; j < n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            A[j * n + (size_t)K->row[k]] = M->value[k];
            B[j * n + (size_t)K->row[k]] = K->value[k] + shift * M->value[k];
        }
    }
    const lb_status status = lb_fe_solve_dense((int)n, A, B, mu);
    if (status != LB_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        // ascending mu: the lowest modes are last
        const size_t from = n - 1 - (size_t)(skip + i);
        if (!(mu[from] > 0)) {
            return LB_E_SINGULAR;
        }
        squares[i] = 1 / mu[from] - shift;
        for (size_t k = 0; k < n; ++k) {
            vectors[(size_t)i * n + k] = A[from * n + k] / sqrt(mu[from]);
        }
    }
    return LB_OK;
}

// A shift far from the lowest frequency takes digits, and steps of Lanczos: a factor of 1e3 costs three of sixteen
// digits.
static bool is_far(double shift, double lowest)
{
    return lowest > 0.0 && isfinite(lowest) && !(shift < 1e3 * lowest && lowest < 1e3 * shift);
}

// A squared frequency that rounding of the stiffness, or of the shift, may have made, of a motion that nothing holds, is no
// shift: the shifted stiffness would be that rounding. The next one is. With x' M x = 1 it is known to
//
//     epsilon sum |x_i| |K_ij| |x_j|                                                    (BM-10)
static double choose_shift(const lb_fe_matrix *K, const lb_fe_search *search, const double *squares,
                           const double *vectors)
{
    for (int i = 0; i < search->count; ++i) {
        const double *x = vectors + (size_t)i * (size_t)K->n;
        double most = 0.0;
        for (int j = 0; j < K->n; ++j) {
            for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
                most += fabs(x[K->row[k]] * K->value[k] * x[j]);
            }
        }
        if (squares[i] > 1e3 * DBL_EPSILON * most && squares[i] > 1e-11 * search->shift) {
            return squares[i];
        }
    }
    return search->shift;
}

static lb_status find_dense_adapted(lb_fe_context *context, lb_fe_search *search,
                                    const lb_fe_matrix *K, const lb_fe_matrix *M, double *squares,
                                    double *vectors)
{
    for (int turn = 0;; ++turn) {
        const lb_status status =
            find_dense(context, K, M, search->skip, search->shift, search->count, squares, vectors);
        if (status != LB_OK || !search->adapts || turn == 2) {
            return status;
        }
        const double shift = choose_shift(K, search, squares, vectors);
        if (!is_far(search->shift, shift)) {
            return status;
        }
        search->shift = shift;
    }
}

// ---- sparse ------------------------------------------------------------------------------------

// Eigenvalues beyond those asked for that are found too, at first and each time that no gap is among them; and the gaps,
// relative to the squared frequency, that are wide enough for a limit, and that are wide enough if there is no other.
enum { GUARDS = 4, ROUNDS_MOST = 3 };
static const double wide_gap = 1e-3, narrow_gap = 1e-8;

#define FREQUENCY(square) (sqrt(fmax(square, 0.0)) / 6.28318530717958647692)

static bool is_cancelled(const lb_fe_search *search, const char *what)
{
    return search->progress && search->progress(search->user, what, 0.0) != 0;
}

static double get_square(const lb_fe_lanczos *z, double shift, int i)
{
    const double mu = lb_fe_get_mu(z, i);
    return mu > 0.0 ? 1 / mu - shift : INFINITY;
}

// Factors of K + shift M, which must be positive definite.
static lb_fe_factors *factor_shifted(lb_fe_context *context, lb_fe_search *search,
                                     const lb_fe_matrix *K, const lb_fe_matrix *M,
                                     lb_status *status)
{
    for (int turn = 0;; ++turn) {
        if (is_cancelled(search, "factors")) {
            *status = LB_E_CALLBACK;
            return NULL;
        }
        lb_fe_factors *factors = lb_fe_factor_by(search->library, K, M, search->shift, status);
        if (!factors || factors->negative_count <= 0) {
            return factors;
        }
        const int count = factors->negative_count;
        lb_fe_free_factors(factors);
        *status = LB_E_SINGULAR;
        if (!search->adapts || turn == 3) {
            lb_fe_fail(context, "modes",
                       "%d of the squared frequencies are below %g: the stiffness is not positive",
                       count, -search->shift);
            return NULL;
        }
        search->shift *= 100; // rounding of the stiffness may exceed a small one
    }
}

double lb_fe_find_slowest(const lb_fe_matrix *K, const lb_fe_matrix *M)
{
    double least = INFINITY;
    for (int j = 0; j < K->n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            if (K->row[k] == j && M->value[k] > 0.0 && K->value[k] > 0.0) {
                least = fmin(least, K->value[k] / M->value[k]);
            }
        }
    }
    return least;
}

// Squared frequencies below this may be what rounding leaves of a motion that nothing holds: of the stiffness beside
// that of a row on its own, and of the shift.                                           (BM-10)
static double find_rounding(const lb_fe_matrix *K, const lb_fe_matrix *M, double shift)
{
    const double least = lb_fe_find_slowest(K, M);
    return fmax(isfinite(least) ? 1e2 * DBL_EPSILON * least : 0.0, 1e-11 * shift);
}

// The lowest squared frequency behind those that are skipped and those that rounding may have made; zero if there is none
// among the next ones.
static lb_status find_first(lb_fe_lanczos *z, lb_fe_factors *factors, const lb_fe_search *search,
                            double rounding, double *lowest)
{
    enum { LOOSE_MOST = 6 };
    lb_status status = LB_OK;
    *lowest = 0.0;
    for (int i = 0; i <= LOOSE_MOST && status == LB_OK && !(*lowest > rounding); ++i) {
        status = lb_fe_run_lanczos(z, factors, search, search->skip + 1 + i, true);
        *lowest = status == LB_OK ? get_square(z, search->shift, search->skip + i) : 0.0;
    }
    *lowest = *lowest > rounding ? *lowest : 0.0;
    return status;
}

// The first estimates of the frequency are better the closer the shift is.
static lb_status adapt_shift(lb_fe_context *context, lb_fe_search *search, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, lb_fe_lanczos *z, lb_fe_factors **factors)
{
    lb_status status = LB_OK;
    for (int turn = 0; turn < 3 && status == LB_OK; ++turn) {
        double lowest;
        status = find_first(z, *factors, search, find_rounding(K, M, search->shift), &lowest);
        if (!is_far(search->shift, lowest)) {
            break;
        }
        search->shift = lowest;
        lb_fe_free_factors(*factors);
        *factors = factor_shifted(context, search, K, M, &status);
        status = *factors ? lb_fe_renew_lanczos(z, *factors, 0) : status;
    }
    return status;
}

// Goes on until there is a limit above the modes that are asked for, in a gap.
//
// @param below  out: how many were found below the limit
static lb_status find_gap(lb_fe_lanczos *z, lb_fe_factors *factors, const lb_fe_search *search,
                          int *below, double *gap)
{
    const int least = search->skip + search->count, room = lb_fe_get_room(z);
    int found = least > *below ? least : *below;
    for (;;) {
        found = found + GUARDS < room ? found + GUARDS : room;
        const lb_status status = lb_fe_run_lanczos(z, factors, search, found, false);
        if (status != LB_OK) {
            return status;
        }
        double widest = -1.0;
        for (int i = least; i < found && widest < wide_gap; ++i) {
            const double low = get_square(z, search->shift, i - 1),
                         high = get_square(z, search->shift, i);
            const double width = (high - low) / (fabs(low) + search->shift);
            if (width > widest) {
                widest = width;
                *below = i;
                gap[0] = low;
                gap[1] = isfinite(high) ? high : 2 * low + search->shift;
            }
        }
        if (widest >= wide_gap || (found == room && widest >= narrow_gap)) {
            return LB_OK;
        }
        if (found == room) {
            return LB_E_SINGULAR;
        }
    }
}

// How many there are, by a limit in the gap.
static lb_status count_modes(const lb_fe_search *search, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, const double gap[2], int *counted)
{
    static const double places[] = {0.5, 0.3, 0.7};
    lb_status status = LB_OK;
    *counted = -1;
    for (int i = 0; i < 3 && status == LB_OK && *counted < 0; ++i) {
        const double limit = gap[0] + places[i] * (gap[1] - gap[0]);
        status = is_cancelled(search, "count")
                     ? LB_E_CALLBACK
                     : lb_fe_count_below(search->library, K, M, limit, counted);
    }
    return status;
}

static lb_status find_counted(lb_fe_context *context, lb_fe_search *search, const lb_fe_matrix *K,
                              const lb_fe_matrix *M, lb_fe_lanczos *z, double *squares,
                              double *vectors)
{
    lb_status status;
    int below = 0, counted = -1;
    for (search->rounds = 1;; ++search->rounds) {
        double gap[2] = {0, 0};
        lb_fe_factors *factors = factor_shifted(context, search, K, M, &status);
        if (!factors) {
            return status;
        }
        if (search->rounds == 1 && search->adapts) {
            status = adapt_shift(context, search, K, M, z, &factors);
        } else if (search->rounds > 1) {
            status = lb_fe_renew_lanczos(z, factors, below);
        }
        if (status == LB_OK) {
            below = counted > below ? counted : below;
            status = find_gap(z, factors, search, &below, gap);
        }
        if (status == LB_OK) {
            status = lb_fe_get_vectors(z, factors, search->skip, search->count, vectors);
        }
        for (int i = 0; i < search->count && status == LB_OK; ++i) {
            squares[i] = get_square(z, search->shift, search->skip + i);
        }
        if (status == LB_OK && search->loads && search->skip == 0) {
            status = lb_fe_find_compliances(context, search, K, factors, squares, vectors);
        }
        lb_fe_free_factors(factors); // before others are made: memory
        status = status == LB_OK ? count_modes(search, K, M, gap, &counted) : status;
        if (status != LB_OK || counted == below) {
            return status;
        }
        if (search->rounds == ROUNDS_MOST) {
            const double limit = 0.5 * (gap[0] + gap[1]);
            if (counted < 0) {
                lb_fe_fail(context, "modes",
                           "the modes below %.7g Hz could not be counted: the matrices are too "
                           "ill-conditioned",
                           FREQUENCY(limit));
            } else {
                lb_fe_fail(context, "modes",
                           "%d modes were found below %.7g Hz, but there are %d: the matrices are "
                           "too ill-conditioned",
                           below, FREQUENCY(limit), counted);
            }
            return LB_E_SINGULAR;
        }
    }
}

static lb_status find_sparse(lb_fe_context *context, lb_fe_search *search, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, double *squares, double *vectors)
{
    lb_fe_lanczos *z =
        lb_fe_start_lanczos(&context->arena.allocator, M, search->skip + search->count + 3 * GUARDS,
                            search->start_rows);
    if (!z) {
        return LB_E_MEMORY;
    }
    const lb_status status = find_counted(context, search, K, M, z, squares, vectors);
    lb_fe_end_lanczos(z);
    return status;
}

// ---- residuals ---------------------------------------------------------------------------------

// The largest sum of magnitudes in a row.
static double find_norm(const lb_fe_matrix *K)
{
    double norm = 0.0;
    for (int j = 0; j < K->n; ++j) {
        double sum = 0.0;
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            sum += fabs(K->value[k]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

// Each pair is one of matrices that differ from K by rounding, and to six digits one of K:   (BM-18)
//
//     |K x - omega^2 M x| <= 1e-6 (omega^2 + shift) |M x| + 1e-12 |K| |x|
static lb_status check_residuals(lb_fe_context *context, const lb_fe_search *search,
                                 const lb_fe_matrix *K, const lb_fe_matrix *M,
                                 const double *squares, const double *vectors)
{
    enum { PART = 8 };
    const size_t n = (size_t)K->n;
    const double norm = find_norm(K);
    double *Kx, *Mx;
    if (!LB_FE_TAKE(context, Kx, PART * n) || !LB_FE_TAKE(context, Mx, PART * n)) {
        return LB_E_MEMORY;
    }
    for (int first = 0; first < search->count; first += PART) {
        const int part = search->count - first < PART ? search->count - first : PART;
        const double *x = vectors + (size_t)first * n;
        lb_fe_multiply_block(K, x, part, Kx);
        lb_fe_multiply_block(M, x, part, Mx);
        for (int i = 0; i < part; ++i) {
            const double square = squares[first + i];
            double off = 0.0, inertia = 0.0;
            for (size_t k = (size_t)i * n; k < (size_t)(i + 1) * n; ++k) {
                const double r = Kx[k] - square * Mx[k];
                off += r * r;
                inertia += Mx[k] * Mx[k];
            }
            off = sqrt(off);
            const double unit = (fabs(square) + search->shift) * sqrt(inertia);
            if (!(off <= 1e-6 * unit + 1e-12 * norm * lb_compute_norm(K->n, x + (size_t)i * n))) {
                lb_fe_fail(context, "modes",
                           "the mode of %.7g Hz is not one: its forces are out of balance by %.1e "
                           "of those of its inertia; the matrices are too ill-conditioned",
                           FREQUENCY(square), off / unit);
                return LB_E_SINGULAR;
            }
        }
    }
    return LB_OK;
}

// ---- either ------------------------------------------------------------------------------------

lb_status lb_fe_search_modes(lb_fe_context *context, lb_fe_search *search, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, double *squares, double *vectors)
{
    // Lanczos wants room beside what it looks for
    const bool is_dense = K->n <= DENSE_MOST || 2 * (search->skip + search->count) >= K->n;
    search->rounds = 0;
    for (int i = 0; search->loads && i < search->loads->count; ++i) {
        search->loads->compliances[i] = NAN;
    }
    const lb_status status = is_dense ? find_dense_adapted(context, search, K, M, squares, vectors)
                                      : find_sparse(context, search, K, M, squares, vectors);
    return status == LB_OK ? check_residuals(context, search, K, M, squares, vectors) : status;
}

lb_status lb_fe_find_modes(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                           int skip, double shift, int count, double *squares, double *vectors)
{
    lb_fe_search search = {.skip = skip, .shift = shift, .count = count};
    return lb_fe_search_modes(context, &search, K, M, squares, vectors);
}
