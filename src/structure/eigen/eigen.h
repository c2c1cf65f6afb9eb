// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// K x = omega^2 M x of large sparse matrices, whoever made them: products, factors by SuperLU or MUMPS, the lowest
// eigenpairs by block Lanczos, found and counted.
#ifndef LB_EIGEN_H
#define LB_EIGEN_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "limber/base.h"
#include "limber/lapack.h"

// ---- memory and errors -------------------------------------------------------------------------

/// Memory that is released at once, and where complaints go.
typedef struct lb_fe_context {
    lb_arena arena;
    lb_report report;
    int errors;
} lb_fe_context;

void lb_fe_init(lb_fe_context *context, const lb_allocator *allocator, const lb_report *report);
/// An error at a path.
///
/// @return LB_E_MODEL
lb_status lb_fe_fail(lb_fe_context *context, const char *path, const char *format, ...)
    LB_PRINTF(3, 4);

/// Whether numbers are finite; a complaint at `path` if not.
bool lb_fe_check_finite(lb_fe_context *context, const char *path, const double *numbers, int count);

#define LB_FE_TAKE(context, pointer, count)                                                        \
    (((pointer) = lb_arena_take(&(context)->arena, (size_t)(count), sizeof *(pointer))) != NULL)

// ---- sparse matrices ---------------------------------------------------------------------------

/// A symmetric matrix by columns, both halves.
typedef struct lb_fe_matrix {
    int n;
    int *start, *row; ///< columns start[j] to start[j+1]
    double *value;
} lb_fe_matrix;

/// y = A x.
void lb_fe_multiply(const lb_fe_matrix *A, const double *x, double *y);
/// The least squared frequency of a row on its own; INFINITY if no row has stiffness and mass. One pattern.
double lb_fe_find_slowest(const lb_fe_matrix *K, const lb_fe_matrix *M);

/// The same for several columns one behind the other.
void lb_fe_multiply_block(const lb_fe_matrix *A, const double *x, int count, double *y);

/// The same as a sum of two numbers, y + low, with twice the digits: for products whose terms cancel.
void lb_fe_multiply_exactly(const lb_fe_matrix *A, const double *x, double *y, double *low);

/// C := alpha op(A) B + beta C of dense matrices by columns, with `ld` numbers from one column to the next; op(A) is m x k
/// and B is k x n. Does nothing if one of these is zero.
///
/// @param op  'N', or 'T' for the transpose of A
void lb_fe_multiply_dense(char op, int m, int n, int k, double alpha, const double *A, int lda,
                          const double *B, int ldb, double beta, double *C, int ldc);

// ---- factors -----------------------------------------------------------------------------------

/// Libraries that factor. MUMPS is there unless the build left it out.
typedef enum lb_fe_library { LB_FE_FASTEST, LB_FE_SUPERLU, LB_FE_MUMPS } lb_fe_library;

/// Factors of a symmetric matrix.
typedef struct lb_fe_factors {
    int n;
    int negative_count; ///< negative eigenvalues of the matrix; -1 if the factors do not tell
    void *own;          ///< what the library made
    lb_status (*solve)(void *own, double *x, int count);
    void (*free)(void *own);
} lb_fe_factors;

/// Factors of K + shift M; NULL if it is singular or memory is out (*status).
lb_fe_factors *lb_fe_factor(const lb_fe_matrix *K, const lb_fe_matrix *M, double shift,
                            lb_status *status);
/// The same by a library of one's choice; LB_E_UNSUPPORTED if the build left it out.
lb_fe_factors *lb_fe_factor_by(lb_fe_library library, const lb_fe_matrix *K, const lb_fe_matrix *M,
                               double shift, lb_status *status);
/// How many eigenvalues of K x = lambda M x are below a limit; -1 if the factors are too inaccurate to tell, as they may
/// be if an eigenvalue is close to the limit.                                              (BM-17)
lb_status lb_fe_count_below(lb_fe_library library, const lb_fe_matrix *K, const lb_fe_matrix *M,
                            double limit, int *count);
/// Solves in place, for several right-hand sides one behind the other. With MUMPS sixteen cost little more than two.
lb_status lb_fe_solve(lb_fe_factors *factors, double *x, int count);
void lb_fe_free_factors(lb_fe_factors *factors);

/// How libraries factor a matrix of the pattern of A; `value` is freed by them. They set `own` and, if they can,
/// `negative_count`, and leave nothing behind on failure.
///
/// @param counts  the signs of the pivots matter more than their size
typedef lb_status lb_fe_factorization(const lb_fe_matrix *A, double *value, bool counts,
                                      lb_fe_factors *factors);
lb_fe_factorization lb_fe_run_superlu, lb_fe_run_mumps;

// ---- eigenpairs --------------------------------------------------------------------------------

/// Loads whose compliance is wanted, the displacement under a load along that load: f' K^-1 f.
typedef struct lb_fe_loads {
    int count;
    double *columns;     ///< n numbers for each
    double *compliances; ///< out: one for each; NaN where it was not found
} lb_fe_loads;

/// The lowest eigenpairs of K x = omega^2 M x, found and counted.               (BM-10), (BM-17)
typedef struct lb_fe_search {
    int skip;  ///< rigid motions, which come first and are left out
    int count; ///< wanted besides; skip + count is at most n
    double
        shift; ///< positive for free bodies, of the order of the lowest squared frequency; the one that was used
    bool
        adapts; ///< whether a shift that is far from the lowest squared frequency is replaced by a better one
    lb_fe_library library;
    /// Called between steps, unless it is NULL: what is done, and which part of it is complete. Anything but 0 ends the
    /// search with LB_E_CALLBACK.
    int (*progress)(void *user, const char *what, double done);
    void *user;
    const lb_fe_loads *loads; ///< compliances to find beside the modes, or NULL; only if skip is 0
    int start_rows; ///< for tests: the first vectors are zero in all rows from here on; 0: nowhere
    int rounds; ///< out: searches until the number of modes was right; 0 for small matrices, which need none
} lb_fe_search;

/// Each pair has a small residual, and no mode is missing; both are checked, and what fails is reported.
///
/// @param squares  out: count
/// @param vectors  out: count columns of n, orthonormal in M
/// @return LB_OK; LB_E_SINGULAR if the modes cannot be found or are not right; LB_E_CALLBACK; LB_E_MEMORY
lb_status lb_fe_search_modes(lb_fe_context *context, lb_fe_search *search, const lb_fe_matrix *K,
                             const lb_fe_matrix *M, double *squares, double *vectors);

/// The same with a shift that is good, without progress.
lb_status lb_fe_find_modes(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                           int skip, double shift, int count, double *squares, double *vectors);

/// Searches for the eigenpairs of the largest mu of M x = mu (K + shift M) x by block Lanczos. What has been found
/// stays from call to call.
typedef struct lb_fe_lanczos lb_fe_lanczos;
/// @return NULL if memory is out
lb_fe_lanczos *lb_fe_start_lanczos(const lb_allocator *allocator, const lb_fe_matrix *M, int wanted,
                                   int start_rows);
void lb_fe_end_lanczos(lb_fe_lanczos *z);
/// Goes on until this many have converged.
///
/// @param rough     whether a first estimate will do
/// @return LB_OK, LB_E_SINGULAR if they do not converge, LB_E_CALLBACK, LB_E_MEMORY
lb_status lb_fe_run_lanczos(lb_fe_lanczos *z, lb_fe_factors *factors, const lb_fe_search *search,
                            int wanted, bool rough);
/// The mu that were found, the largest first.
double lb_fe_get_mu(const lb_fe_lanczos *z, int i);
/// Room for eigenpairs: lb_fe_run_lanczos cannot be asked for more.
int lb_fe_get_room(const lb_fe_lanczos *z);
/// Vectors of `count` of them from number `first` on, orthonormal in M. The factors are those of the search.
lb_status lb_fe_get_vectors(lb_fe_lanczos *z, lb_fe_factors *factors, int first, int count,
                            double *vectors);
/// Keeps the first `count` vectors and looks for others from a new start: those that the old one did not lead to.
lb_status lb_fe_renew_lanczos(lb_fe_lanczos *z, lb_fe_factors *factors, int count);

/// Compliances of the loads of a search, with its factors and the modes that it found. They stay NaN where that takes too
/// long, because the shift is large beside the frequencies that were not found, or where K does not carry the load.
///                                                                                                   (BM-20)
/// @return LB_OK, LB_E_CALLBACK, LB_E_MEMORY, or LB_E_SINGULAR if the factors fail
lb_status lb_fe_find_compliances(lb_fe_context *context, const lb_fe_search *search,
                                 const lb_fe_matrix *K, lb_fe_factors *factors,
                                 const double *squares, const double *vectors);

/// K x = omega^2 M x of small dense matrices (column by column, overwritten), all eigenpairs; vectors
/// in place of K.
lb_status lb_fe_solve_dense(int n, double *K, double *M, double *squares);

/// Eigenpairs of a symmetric matrix by Jacobi's rotations: what does not couple stays exactly apart, and small values
/// keep their digits beside large ones.
///
/// @param A  in: n x n, row by row; out: the values on its diagonal, unsorted
/// @param V  out: the vectors as columns
void lb_fe_rotate_to_diagonal(int n, double *A, double *V);

#endif // LB_EIGEN_H
