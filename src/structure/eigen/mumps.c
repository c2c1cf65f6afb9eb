// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors of sparse symmetric matrices by MUMPS, sequential. Its own ordering, PORD, is as good as that of Scotch for
// solids, and it gives the same order every time: Scotch uses threads, and its orders differ from run to run.
#ifdef LB_WITH_MUMPS

#include <dmumps_c.h>

#include "eigen.h"

// Steps of MUMPS, and its codes, as its users' guide numbers them.
enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };
enum { LACKS_A_DIAGONAL = -6, SHORT_OF_INTEGERS = -8, SHORT_OF_REALS = -9, IS_SINGULAR = -10 };
enum { USE_SEQUENTIAL = -987654, PORD = 4 };

static int run_step(DMUMPS_STRUC_C *id, int step)
{
    // one step at a time in the whole program, of as many matrices as there are
    lb_lock_lapack();
    id->job = step;
    dmumps_c(id);
    lb_unlock_lapack();
    return id->infog[0];
}

static lb_status get_status(int code)
{
    if (code == IS_SINGULAR || code == LACKS_A_DIAGONAL) {
        return LB_E_SINGULAR;
    }
    // all other failures are of memory, or of files that are not used here
    return code >= 0 ? LB_OK : LB_E_MEMORY;
}

static void free_mumps(void *own)
{
    run_step(own, END);
    free(own);
}

static lb_status solve_mumps(void *own, double *x, int count)
{
    DMUMPS_STRUC_C *id = own;
    id->rhs = x;
    id->nrhs = count;
    id->lrhs = id->n;
    const lb_status status = get_status(run_step(id, SOLVE));
    id->rhs = NULL;
    return status;
}

// Numbered from 1, as in the guide.
#define ICNTL(i) id->icntl[(i)-1]

static void choose_options(DMUMPS_STRUC_C *id)
{
    ICNTL(1) = ICNTL(2) = ICNTL(3) = -1;
    ICNTL(4) = 0; // nothing is printed
    ICNTL(6) = 0; // no exchange of columns: most of the pivots are on the diagonal
    ICNTL(7) = PORD;
    ICNTL(8) = 1;    // scaled by the diagonal
    ICNTL(12) = 1;   // an order of single rows
    ICNTL(13) = 1;   // the last block too counts its pivots
    ICNTL(14) = 30;  // per cent more memory than is expected
    ICNTL(27) = -32; // right-hand sides at a time: up to 32, as they come
}

// One triangle, numbered from 1.
static bool copy_triangle(const lb_fe_matrix *A, const double *value, DMUMPS_STRUC_C *id)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        count = 0;
        for (int j = 0; j < A->n; ++j) {
            for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
                if (A->row[k] > j) {
                    continue;
                }
                if (pass == 1) {
                    id->irn[count] = A->row[k] + 1;
                    id->jcn[count] = j + 1;
                    id->a[count] = value[k];
                }
                ++count;
            }
        }
        if (pass == 0) {
            id->irn = malloc((count + 1) * sizeof *id->irn);
            id->jcn = malloc((count + 1) * sizeof *id->jcn);
            id->a = malloc((count + 1) * sizeof *id->a);
            if (!id->irn || !id->jcn || !id->a) {
                return false;
            }
        }
    }
    id->n = A->n;
    id->nnz = (MUMPS_INT8)count;
    return true;
}

// Rows of one node have nearly the same pattern. Ordered together, they take a fifth of the time: runs of
// rows that share 70 % of their columns with the first of them.
static bool find_blocks(const lb_fe_matrix *A, DMUMPS_STRUC_C *id)
{
    enum { ROWS_MOST = 6 };
    int *mark = calloc((size_t)A->n, sizeof *mark);
    id->blkptr = malloc(((size_t)A->n + 1) * sizeof *id->blkptr);
    if (!mark || !id->blkptr) {
        free(mark);
        return false;
    }
    for (int j = 0, first = 0; j < A->n; ++j) {
        const int size = A->start[j + 1] - A->start[j];
        int shared = 0;
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            shared += mark[A->row[k]] == first + 1;
        }
        const int all = size + A->start[first + 1] - A->start[first] - shared;
        if (j == 0 || j - first == ROWS_MOST || shared < 0.7 * all) {
            first = j;
            id->blkptr[id->nblk++] = j + 1;
            for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
                mark[A->row[k]] = first + 1;
            }
        }
    }
    id->blkptr[id->nblk] = A->n + 1;
    ICNTL(15) = 1; // the blocks are given
    free(mark);
    return true;
}

static lb_status make_factors(DMUMPS_STRUC_C *id)
{
    // for the graph of the ordering, which ends badly without
    const size_t graph = 16 * ((size_t)id->nnz + (size_t)id->n) * sizeof *id->irn;
    if (!lb_has_memory(graph)) {
        return LB_E_MEMORY;
    }
    lb_status status = get_status(run_step(id, ANALYSE));
    for (int turn = 0; status == LB_OK; ++turn) {
        // megabytes that the analysis expects
        if (!lb_has_memory((size_t)id->infog[16] << 20)) {
            return LB_E_MEMORY;
        }
        const int code = run_step(id, FACTOR);
        if ((code != SHORT_OF_INTEGERS && code != SHORT_OF_REALS) || turn == 4) {
            return get_status(code);
        }
        ICNTL(14) *= 2; // pivots that were put off took more room than expected
    }
    return status;
}

lb_status lb_fe_run_mumps(const lb_fe_matrix *A, double *value, bool counts, lb_fe_factors *factors)
{
    (void)counts; // it always can
    DMUMPS_STRUC_C *id = calloc(1, sizeof *id);
    if (!id) {
        free(value);
        return LB_E_MEMORY;
    }
    id->par = 1;
    id->sym = 2; // symmetric, of any signs: as fast as for positive ones
    id->comm_fortran = USE_SEQUENTIAL;
    lb_status status = get_status(run_step(id, START));
    if (status == LB_OK) {
        choose_options(id);
        const bool is_copied = copy_triangle(A, value, id) && find_blocks(A, id);
        free(value);
        status = is_copied ? make_factors(id) : LB_E_MEMORY;
    } else {
        free(value);
    }
    // the factors do not need the matrix
    free(id->irn);
    free(id->jcn);
    free(id->a);
    free(id->blkptr);
    id->irn = id->jcn = id->blkptr = NULL;
    id->a = NULL;
    if (status != LB_OK) {
        free_mumps(id);
        return status;
    }
    factors->negative_count = id->infog[11];
    factors->own = id;
    factors->solve = solve_mumps;
    factors->free = free_mumps;
    return LB_OK;
}
#else
typedef int lb_without_mumps; // a file of C is not empty
#endif
