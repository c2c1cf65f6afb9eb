// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Block Lanczos with restarts, for the largest mu of
//
//     A x = mu x,   A = (K + shift M)^-1 M                                              (BM-10)
//
// A is symmetric in the inner product x' M y. The basis Q is orthonormal in it, T = Q' M A Q, and one block at a time
// is added:                                                                            (BM-16)
//
//     A P = Q H + P_next B,   P the last block of Q,   P_next' M P_next = 1
//
// With T y = mu y, Q y is an eigenvector but for |B y_P|, where y_P is the part of y that belongs to P. A full basis is
// replaced by the best Q y, behind which the next block follows as before (Wu and Simon 2000; in blocks, Zhou and Saad
// 2008). A block finds modes of equal frequency together, and factors solve for a whole block in little more time than
// for one vector.
#include <float.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/dense.h"
#include "eigen.h"

// Relative size of |B y_P| at which a pair counts as found, and as a first estimate.
static const double found_to = 1e-12, rough_to = 0.03;

enum { BLOCK = 8, RESTARTS_MOST = 60 };
// The same start every time.
#define RANDOM_START 88172645463325252ull

// Rows that are treated at a time, so that they stay in the cache.
enum { CHUNK = 256 };

struct lb_fe_lanczos {
    lb_arena arena;
    lb_fe_matrix M; // without zeros
    int n, block, most;
    int count; // columns of the basis; the next block stands behind them
    int start_rows;
    unsigned long long random;
    double *Q;           // n x (most + 2 block)
    double *MP;          // M times the next block
    double *T;           // most x most
    double *B;           // block x block
    double *H, *H_again; // most x block
    double *Y, *mu;      // of T, the largest mu last
    double *small;       // 4 block x block
    double *rows;        // scratch
    int ritz_count;      // of Y; 0 if it is not up to date
};

// ---- set-up ------------------------------------------------------------------------------------

static bool drop_zeros(lb_fe_lanczos *z, const lb_fe_matrix *M)
{
    size_t count = 0;
    for (int k = 0; k < M->start[M->n]; ++k) {
        count += M->value[k] != 0.0;
    }
    z->M.n = M->n;
    if (!LB_FE_TAKE(z, z->M.start, M->n + 1) || !LB_FE_TAKE(z, z->M.row, count) ||
        !LB_FE_TAKE(z, z->M.value, count)) {
        return false;
    }
    int next = 0;
    for (int j = 0; j < M->n; ++j) {
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            if (M->value[k] != 0.0) {
                z->M.row[next] = M->row[k];
                z->M.value[next++] = M->value[k];
            }
        }
        z->M.start[j + 1] = next;
    }
    return true;
}

lb_fe_lanczos *lb_fe_start_lanczos(const lb_allocator *allocator, const lb_fe_matrix *M, int wanted,
                                   int start_rows)
{
    lb_arena arena = lb_make_arena(allocator);
    lb_fe_lanczos *z = lb_arena_take(&arena, 1, sizeof *z);
    if (!z) {
        return NULL;
    }
    const int b = BLOCK;
    z->arena = arena;
    z->n = M->n;
    z->block = b;
    z->start_rows = start_rows > 0 ? start_rows : M->n;
    z->random = RANDOM_START;
    // few modes converge faster with a large basis; many would need too much memory
    const int best = 2 * wanted + (wanted < 200 ? wanted : 200) + 6 * b;
    z->most = best < M->n - 2 * b ? best : M->n - 2 * b;
    const size_t n = (size_t)z->n, block = (size_t)b, most = (size_t)z->most;
    if (!LB_FE_TAKE(z, z->Q, n * (most + 2 * block)) || !LB_FE_TAKE(z, z->MP, n * block) ||
        !LB_FE_TAKE(z, z->T, most * most) || !LB_FE_TAKE(z, z->Y, most * most) ||
        !LB_FE_TAKE(z, z->mu, most) || !LB_FE_TAKE(z, z->B, block * block) ||
        !LB_FE_TAKE(z, z->H, most * block) || !LB_FE_TAKE(z, z->H_again, most * block) ||
        !LB_FE_TAKE(z, z->small, 4 * block * block) || !LB_FE_TAKE(z, z->rows, CHUNK * most) ||
        !drop_zeros(z, M)) {
        lb_fe_end_lanczos(z);
        return NULL;
    }
    return z;
}

void lb_fe_end_lanczos(lb_fe_lanczos *z)
{
    if (z) {
        lb_arena arena = z->arena; // z lies in it
        lb_arena_free(&arena);
    }
}

// ---- a block -----------------------------------------------------------------------------------

static double *get_next(lb_fe_lanczos *z)
{
    return z->Q + (size_t)z->count * (size_t)z->n;
}

// W -= Q (Q' M W), and what was taken away
static void project(lb_fe_lanczos *z, double *W, double *H)
{
    lb_fe_multiply_dense('T', z->count, z->block, z->n, 1.0, z->Q, z->n, z->MP, z->n, 0.0, H,
                         z->most);
    lb_fe_multiply_dense('N', z->n, z->block, z->count, -1.0, z->Q, z->n, H, z->most, 1.0, W, z->n);
}

// W := W C, C of m x m
static void change_columns(lb_fe_lanczos *z, double *W, int m, const double *C)
{
    for (int row = 0; row < z->n; row += CHUNK) {
        const int rows = z->n - row < CHUNK ? z->n - row : CHUNK;
        lb_fe_multiply_dense('N', rows, m, m, 1.0, W + row, z->n, C, m, 0.0, z->rows, CHUNK);
        for (int i = 0; i < m; ++i) {
            memcpy(W + (size_t)i * (size_t)z->n + row, z->rows + CHUNK * i,
                   (size_t)rows * sizeof *W);
        }
    }
}

// A block of orthonormal vectors for the same span, W := W C with C = D^-1/2 U S^-1/2 and W' M W = D^1/2 U S U' D^1/2;
// M W is known, and becomes that of the new block. W_before = W_after F. Directions that are in the span by rounding
// alone are left out: zeros.
static lb_status normalise(lb_fe_lanczos *z, double *W, double *F, int *rank)
{
    const int b = z->block;
    double *G = z->small, *C = G + b * b, *d = C + b * b, *s = d + b;
    lb_fe_multiply_dense('T', b, b, z->n, 1.0, W, z->n, z->MP, z->n, 0.0, G, b);
    for (int i = 0; i < b; ++i) {
        d[i] = G[i * b + i] > 0.0 ? sqrt(G[i * b + i]) : 0.0;
    }
    for (int i = 0; i < b; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double g = 0.5 * (G[i * b + j] + G[j * b + i]);
            const double unit = d[i] > 0.0 && d[j] > 0.0 ? g / (d[i] * d[j]) : 0.0;
            C[i * b + j] = C[j * b + i] = unit;
        }
    }
    memcpy(G, C, (size_t)(b * b) * sizeof *G);
    lb_lock_lapack();
    const int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', b, G, b, s);
    lb_unlock_lapack();
    const lb_status status = lb_check_lapack(info, LB_E_SINGULAR);
    if (status != LB_OK) {
        return status;
    }
    *rank = 0;
    for (int i = 0; i < b; ++i) {
        const bool counts = s[i] > 1e-13 * s[b - 1];
        *rank += counts;
        for (int j = 0; j < b; ++j) {
            const double u = G[i * b + j];
            C[i * b + j] = counts && d[j] > 0.0 ? u / (sqrt(s[i]) * d[j]) : 0.0;
            F[j * b + i] = counts ? sqrt(s[i]) * u * d[j] : 0.0;
        }
    }
    change_columns(z, W, b, C);
    change_columns(z, z->MP, b, C);
    return LB_OK;
}

static double draw(unsigned long long *random)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*random >> 33) / 2147483648.0 - 0.5;
}

// Fills columns of the next block, from `first` on, with vectors that are the same every time.
static void draw_columns(lb_fe_lanczos *z, int first)
{
    const size_t n = (size_t)z->n;
    double *W = get_next(z) + (size_t)first * n;
    for (size_t i = 0; i < n * (size_t)(z->block - first); ++i) {
        W[i] = i % n < (size_t)z->start_rows ? draw(&z->random) : 0.0;
    }
}

// Makes the next block orthonormal, and orthogonal to the basis. H and B say what it was before.
static lb_status orthonormalise(lb_fe_lanczos *z)
{
    const int b = z->block;
    double *W = get_next(z), *F = z->small + 2 * b * b + 2 * b;
    lb_status status = LB_OK;
    int rank = 0;
    memset(z->H, 0, (size_t)(z->most * b) * sizeof *z->H);
    for (int i = 0; i < b * b; ++i) {
        z->B[i] = i % (b + 1) == 0;
    }
    // twice is enough, and again where directions had to be drawn
    for (int turn = 0, clean = 0; status == LB_OK && clean < 2; ++turn) {
        if (turn == 8) {
            return LB_E_SINGULAR;
        }
        lb_fe_multiply_block(&z->M, W, b, z->MP);
        project(z, W, z->H_again);
        // W_before = Q (H + H_again B) + W B
        lb_fe_multiply_dense('N', z->count, b, b, 1.0, z->H_again, z->most, z->B, b, 1.0, z->H,
                             z->most);
        lb_fe_multiply_block(&z->M, W, b, z->MP);
        status = normalise(z, W, F, &rank);
        double *old = z->small;
        memcpy(old, z->B, (size_t)(b * b) * sizeof *old);
        lb_fe_multiply_dense('N', b, b, b, 1.0, F, b, old, b, 0.0, z->B, b);
        clean = rank == b ? clean + 1 : 0;
        if (status == LB_OK && rank < b) {
            // the columns without length come first: fill the block up, without part in B
            const size_t n = (size_t)z->n, kept = (size_t)rank;
            memmove(W, W + (size_t)(b - rank) * n, kept * n * sizeof *W);
            for (int j = 0; j < b; ++j) {
                memmove(z->B + j * b, z->B + j * b + (b - rank), kept * sizeof *z->B);
                memset(z->B + j * b + rank, 0, (size_t)(b - rank) * sizeof *z->B);
            }
            draw_columns(z, rank);
        }
    }
    return status;
}

// Adds the next block to the basis and makes the one behind it.
static lb_status add_block(lb_fe_lanczos *z, lb_fe_factors *factors)
{
    const int b = z->block, first = z->count;
    const size_t n = (size_t)z->n;
    double *W = get_next(z) + (size_t)b * n;
    memcpy(W, z->MP, n * (size_t)b * sizeof *W);
    lb_status status = lb_fe_solve(factors, W, b);
    if (status != LB_OK) {
        return status;
    }
    z->count += b;
    z->ritz_count = 0;
    status = orthonormalise(z);
    for (int j = 0; j < b; ++j) {
        for (int i = 0; i < z->count; ++i) {
            const bool is_own = i >= first;
            const double h = z->H[j * z->most + i];
            const double other = is_own ? z->H[(i - first) * z->most + first + j] : h;
            z->T[(first + j) * z->most + i] = z->T[i * z->most + first + j] = 0.5 * (h + other);
        }
    }
    return status;
}

// ---- eigenpairs --------------------------------------------------------------------------------

static lb_status solve_small(lb_fe_lanczos *z)
{
    const int m = z->count;
    for (int j = 0; j < m; ++j) {
        memcpy(z->Y + (size_t)j * (size_t)m, z->T + (size_t)j * (size_t)z->most,
               (size_t)m * sizeof *z->Y);
    }
    z->ritz_count = m;
    lb_lock_lapack();
    const int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', m, z->Y, m, z->mu);
    lb_unlock_lapack();
    return lb_check_lapack(info, LB_E_SINGULAR);
}

static const double *get_small_vector(const lb_fe_lanczos *z, int i)
{
    return z->Y + (size_t)(z->ritz_count - 1 - i) * (size_t)z->ritz_count;
}

double lb_fe_get_mu(const lb_fe_lanczos *z, int i)
{
    return z->mu[z->ritz_count - 1 - i];
}

int lb_fe_get_room(const lb_fe_lanczos *z)
{
    return z->most - 4 * z->block;
}

// How exact an estimate of 1 / mu - shift must be, from mu: as exact as that of mu itself, or more if the two cancel.
static double get_rough_bound(double mu, double shift)
{
    const double left = 1.0 - shift * mu;
    return rough_to * fmin(fmax(left, 1e-3), 1.0);
}

// @param least  |B y_P| that is taken for nothing
static int count_found(lb_fe_lanczos *z, int wanted, bool rough, double shift, double least)
{
    const int b = z->block;
    int found = 0;
    for (; found < wanted && found < z->count - b; ++found) {
        const double *y = get_small_vector(z, found) + (z->count - b);
        double sum = 0.0;
        for (int i = 0; i < b; ++i) {
            double part = 0.0;
            for (int j = 0; j < b; ++j) {
                part += z->B[j * b + i] * y[j];
            }
            sum += part * part;
        }
        const double mu = lb_fe_get_mu(z, found);
        const double bound = (rough ? get_rough_bound(mu, shift) : found_to) * fabs(mu);
        if (!(sqrt(sum) <= fmax(bound, least))) {
            break;
        }
    }
    return found;
}

// Vectors from number `first` on; `to` may be Q if they are the first ones.
static void form_vectors(lb_fe_lanczos *z, int first, int count, double *to)
{
    const int m = z->count;
    // the largest mu are last in Y
    const double *Y = z->Y + (size_t)(m - first - count) * (size_t)m;
    for (int row = 0; row < z->n; row += CHUNK) {
        const int rows = z->n - row < CHUNK ? z->n - row : CHUNK;
        lb_fe_multiply_dense('N', rows, count, m, 1.0, z->Q + row, z->n, Y, m, 0.0, z->rows, CHUNK);
        for (int i = 0; i < count; ++i) {
            memcpy(to + (size_t)i * (size_t)z->n + row, z->rows + CHUNK * (count - 1 - i),
                   (size_t)rows * sizeof *to);
        }
    }
}

static void take_vectors(lb_fe_lanczos *z, int count)
{
    form_vectors(z, 0, count, z->Q);
    memset(z->T, 0, (size_t)z->most * (size_t)z->most * sizeof *z->T);
    for (int i = 0; i < count; ++i) {
        z->T[i * z->most + i] = lb_fe_get_mu(z, i);
    }
}

static void restart(lb_fe_lanczos *z, int keep)
{
    const size_t n = (size_t)z->n;
    const double *next = get_next(z);
    take_vectors(z, keep);
    z->count = keep;
    memmove(get_next(z), next, n * (size_t)z->block * sizeof *next);
    z->ritz_count = 0;
}

// A new start: once through A, so that it is smooth.
static lb_status renew(lb_fe_lanczos *z, lb_fe_factors *factors)
{
    draw_columns(z, 0);
    lb_fe_multiply_block(&z->M, get_next(z), z->block, z->MP);
    memcpy(get_next(z), z->MP, (size_t)z->block * (size_t)z->n * sizeof *z->MP);
    const lb_status status = lb_fe_solve(factors, get_next(z), z->block);
    return status == LB_OK ? orthonormalise(z) : status;
}

lb_status lb_fe_renew_lanczos(lb_fe_lanczos *z, lb_fe_factors *factors, int count)
{
    if (z->ritz_count > 0) {
        take_vectors(z, count);
    }
    z->count = count;
    z->ritz_count = 0;
    z->start_rows = z->n;
    return renew(z, factors);
}

lb_status lb_fe_run_lanczos(lb_fe_lanczos *z, lb_fe_factors *factors, const lb_fe_search *search,
                            int wanted, bool rough)
{
    lb_status status = z->count == 0 ? renew(z, factors) : LB_OK;
    for (int restarts = 0, next = 0; status == LB_OK;) {
        if (z->count + z->block > z->most) {
            if (++restarts > RESTARTS_MOST) {
                return LB_E_SINGULAR;
            }
            // what is found, and half of what is left
            const int keep = (wanted + z->count - 2 * z->block) / 2;
            restart(z, keep > wanted ? keep : wanted);
            next = 0;
        }
        status = add_block(z, factors);
        // a look costs the cube of the size: at every block at first, then now and then, and before a restart
        const bool is_full = z->count + z->block > z->most;
        if (status != LB_OK || z->count < wanted + z->block || (z->count < next && !is_full)) {
            continue;
        }
        next = z->count + z->count / 16;
        status = solve_small(z);
        // a basis that was full and did not do: the rest may be rounding, which goes by the largest mu
        const double least = restarts > 0 ? DBL_EPSILON * fabs(lb_fe_get_mu(z, 0)) : 0.0;
        const int found = status == LB_OK ? count_found(z, wanted, rough, search->shift, least) : 0;
        if (found >= wanted) {
            return status;
        }
        if (search->progress && !rough &&
            search->progress(search->user, "modes", (double)found / wanted) != 0) {
            return LB_E_CALLBACK;
        }
    }
    return status;
}

// Vectors have no sign of their own. This one, by a sum with weights at random, does not hang on rounding, as the sign of
// the largest entry does if another is as large.
static void fix_sign(int n, double *x)
{
    unsigned long long random = RANDOM_START;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += draw(&random) * x[i];
    }
    for (int i = 0; i < n && sum < 0.0; ++i) {
        x[i] = -x[i];
    }
}

// Once more through A, which takes out what the mass matrix does not see (Nour-Omid, Parlett, Ericsson and Jensen 1987);
// then orthonormal to first order in what is left to do. Lower modes are taken out of the higher ones, never the other way
// round: a trace of a high mode is a large force.
lb_status lb_fe_get_vectors(lb_fe_lanczos *z, lb_fe_factors *factors, int first, int count,
                            double *vectors)
{
    const size_t n = (size_t)z->n;
    const int b = z->block;
    double *G;
    lb_status status = LB_OK;
    if (!LB_FE_TAKE(z, G, (size_t)count * (size_t)count)) {
        return LB_E_MEMORY;
    }
    form_vectors(z, first, count, vectors);
    for (int i = 0; i < count && status == LB_OK; i += b) {
        const int part = count - i < b ? count - i : b;
        double *x = vectors + (size_t)i * n;
        lb_fe_multiply_block(&z->M, x, part, z->MP);
        memcpy(x, z->MP, (size_t)part * n * sizeof *x);
        status = lb_fe_solve(factors, x, part);
        for (size_t k = 0; k < (size_t)part * n; ++k) {
            x[k] /= lb_fe_get_mu(z, first + i + (int)(k / n));
        }
    }
    for (int i = 0; i < count && status == LB_OK; i += b) {
        const int part = count - i < b ? count - i : b;
        lb_fe_multiply_block(&z->M, vectors + (size_t)i * n, part, z->MP);
        lb_fe_multiply_dense('T', count, part, z->n, -1.0, vectors, z->n, z->MP, z->n, 0.0,
                             G + (size_t)i * (size_t)count, count);
    }
    for (int j = 0; j < count; ++j) {
        double *column = G + (size_t)j * (size_t)count;
        column[j] = 1.5 + 0.5 * column[j];
        memset(column + j + 1, 0, (size_t)(count - j - 1) * sizeof *column);
    }
    if (status == LB_OK) {
        change_columns(z, vectors, count, G);
    }
    for (int i = 0; i < count && status == LB_OK; ++i) {
        fix_sign(z->n, vectors + (size_t)i * n);
    }
    return status;
}
