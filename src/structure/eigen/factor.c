// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors of sparse symmetric matrices: the choice of a library, and SuperLU.
#include <superlu/slu_ddefs.h>

#include "eigen.h"

// ---- the choice --------------------------------------------------------------------------------

// Matrices of fewer rows are factored by SuperLU: there MUMPS spends its time on the order of the rows.
enum { MUMPS_ROWS = 3000 };

static lb_fe_library choose(lb_fe_library library, const lb_fe_matrix *A)
{
    if (library != LB_FE_FASTEST) {
        return library;
    }
#ifdef LB_WITH_MUMPS
    if (A->n >= MUMPS_ROWS) {
        return LB_FE_MUMPS;
    }
#else
    (void)A;
#endif
    return LB_FE_SUPERLU;
}

static lb_status run(lb_fe_library library, const lb_fe_matrix *A, double *value, bool counts,
                     lb_fe_factors *f)
{
    if (library == LB_FE_SUPERLU) {
        return lb_fe_run_superlu(A, value, counts, f);
    }
#ifdef LB_WITH_MUMPS
    return lb_fe_run_mumps(A, value, counts, f);
#else
    free(value);
    return LB_E_UNSUPPORTED;
#endif
}

static lb_fe_factors *make_factors(lb_fe_library library, const lb_fe_matrix *K,
                                   const lb_fe_matrix *M, double shift, bool counts,
                                   lb_status *status)
{
    const size_t count = (size_t)K->start[K->n];
    lb_fe_factors *f = calloc(1, sizeof *f);
    double *value = malloc((count + 1) * sizeof *value);
    if (!f || !value) {
        free(f);
        free(value);
        *status = LB_E_MEMORY;
        return NULL;
    }
    f->n = K->n;
    f->negative_count = -1;
    for (size_t i = 0; i < count; ++i) {
        value[i] = K->value[i] + shift * M->value[i];
    }
    *status = run(choose(library, K), K, value, counts, f);
    if (*status != LB_OK) {
        free(f);
        return NULL;
    }
    return f;
}

lb_fe_factors *lb_fe_factor_by(lb_fe_library library, const lb_fe_matrix *K, const lb_fe_matrix *M,
                               double shift, lb_status *status)
{
    return make_factors(library, K, M, shift, false, status);
}

lb_fe_factors *lb_fe_factor(const lb_fe_matrix *K, const lb_fe_matrix *M, double shift,
                            lb_status *status)
{
    return lb_fe_factor_by(LB_FE_FASTEST, K, M, shift, status);
}

lb_status lb_fe_solve(lb_fe_factors *f, double *x, int count)
{
    return f->solve(f->own, x, count);
}

void lb_fe_free_factors(lb_fe_factors *f)
{
    if (f) {
        f->free(f->own);
        free(f);
    }
}

// ---- counting ----------------------------------------------------------------------------------

// Sylvester's law of inertia: K - limit M = L D L' has as many negative eigenvalues as D, and that is the number of
// eigenvalues of K x = lambda M x below the limit.                                       (BM-17)
//
// Without pivoting, D can be wrong if a pivot was nearly zero. Then the factors do not solve equations either.
lb_status lb_fe_count_below(lb_fe_library library, const lb_fe_matrix *K, const lb_fe_matrix *M,
                            double limit, int *count)
{
    const size_t n = (size_t)K->n;
    lb_status status;
    *count = -1;
    lb_fe_factors *f = make_factors(library, K, M, -limit, true, &status);
    if (!f) {
        return status == LB_E_SINGULAR ? LB_OK : status;
    }
    double *x = malloc(4 * n * sizeof *x);
    if (!x) {
        lb_fe_free_factors(f);
        return LB_E_MEMORY;
    }
    double *y = x + n, *Kx = y + n, *Mx = Kx + n;
    for (size_t i = 0; i < n; ++i) {
        x[i] = 1.0 + 0.25 * (double)(i % 7);
    }
    lb_fe_multiply(K, x, Kx);
    lb_fe_multiply(M, x, Mx);
    for (size_t i = 0; i < n; ++i) {
        y[i] = Kx[i] - limit * Mx[i];
    }
    status = lb_fe_solve(f, y, 1);
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < n; ++i) {
        off += (y[i] - x[i]) * (y[i] - x[i]);
        size += x[i] * x[i];
    }
    // 1e-3: a vector that comes back to three digits is not the work of factors with wrong signs
    if (status == LB_OK && off < 1e-6 * size) {
        *count = f->negative_count;
    }
    free(x);
    lb_fe_free_factors(f);
    return status;
}

// ---- SuperLU -----------------------------------------------------------------------------------

// Bytes that SuperLU takes whatever the size of the matrix.
enum { SMALL_PIECES = 1 << 17 };

typedef struct superlu {
    SuperMatrix L, U;
    int *perm_c, *perm_r;
    double *value;
    int n;
    bool made;
} superlu;

static void free_superlu(void *own)
{
    superlu *f = own;
    if (f->made) {
        Destroy_SuperNode_Matrix(&f->L);
        Destroy_CompCol_Matrix(&f->U);
    }
    free(f->perm_c);
    free(f->perm_r);
    free(f->value);
    free(f);
}

static lb_status solve_superlu(void *own, double *x, int count)
{
    superlu *f = own;
    SuperMatrix B;
    SuperLUStat_t stat;
    int info = 0;
    if (!lb_has_memory(2 * (size_t)f->n * (size_t)count * sizeof *x + SMALL_PIECES)) {
        return LB_E_MEMORY;
    }
    StatInit(&stat);
    dCreate_Dense_Matrix(&B, f->n, count, x, f->n, SLU_DN, SLU_D, SLU_GE);
    lb_lock_lapack();
    dgstrs(NOTRANS, &f->L, &f->U, f->perm_c, f->perm_r, &B, &stat, &info);
    lb_unlock_lapack();
    Destroy_SuperMatrix_Store(&B);
    StatFree(&stat);
    return info == 0 ? LB_OK : LB_E_SINGULAR;
}

// SuperLU in its mode for symmetric patterns: diagonal pivots wherever they are not tiny.
static lb_status make_superlu(superlu *f, const lb_fe_matrix *A_pattern, double threshold)
{
    SuperMatrix A, AC;
    superlu_options_t options;
    SuperLUStat_t stat;
    GlobalLU_t glu;
    int *etree = malloc((size_t)f->n * sizeof *etree);
    // SuperLU ends the program if there is no memory for what it takes at first: so much for each entry
    const size_t entries = (size_t)sp_ienv(6) * (size_t)A_pattern->start[f->n] + 64 * (size_t)f->n;
    if (!etree || !lb_has_memory(2 * entries * sizeof *f->value + SMALL_PIECES)) {
        free(etree);
        return LB_E_MEMORY;
    }
    set_default_options(&options);
    options.SymmetricMode = YES;
    options.ColPerm = MMD_AT_PLUS_A;
    options.DiagPivotThresh = threshold;
    StatInit(&stat);
    dCreate_CompCol_Matrix(&A, f->n, f->n, A_pattern->start[f->n], f->value, A_pattern->row,
                           A_pattern->start, SLU_NC, SLU_D, SLU_GE);
    lb_lock_lapack();
    get_perm_c(MMD_AT_PLUS_A, &A, f->perm_c);
    sp_preorder(&options, &A, f->perm_c, etree, &AC);
    int info = 0;
    dgstrf(&options, &AC, sp_ienv(2), sp_ienv(1), etree, NULL, 0, f->perm_c, f->perm_r, &f->L,
           &f->U, &glu, &stat, &info);
    lb_unlock_lapack();
    f->made = info == 0;
    if (info > 0 && info <= f->n) {
        Destroy_SuperNode_Matrix(&f->L);
        Destroy_CompCol_Matrix(&f->U);
    }
    Destroy_SuperMatrix_Store(&A);
    Destroy_CompCol_Permuted(&AC);
    StatFree(&stat);
    free(etree);
    return info == 0 ? LB_OK : info <= f->n ? LB_E_SINGULAR : LB_E_MEMORY;
}

// With pivots from the diagonal only, L U of a symmetric matrix is L D L', and the signs of D are those of its
// eigenvalues. The diagonal of U is stored with L.
static int count_negative_pivots(const superlu *f)
{
    const SCformat *L = f->L.Store;
    const double *values = L->nzval;
    int count = 0;
    for (int j = 0; j < f->n; ++j) {
        if (f->perm_r[j] != f->perm_c[j]) {
            return -1;
        }
        const int first = L->sup_to_col[L->col_to_sup[j]];
        count += values[L->nzval_colptr[j] + (j - first)] < 0.0;
    }
    return count;
}

lb_status lb_fe_run_superlu(const lb_fe_matrix *A, double *value, bool counts,
                            lb_fe_factors *factors)
{
    const size_t n = (size_t)A->n;
    superlu *f = calloc(1, sizeof *f);
    if (!f) {
        free(value);
        return LB_E_MEMORY;
    }
    f->n = A->n;
    f->value = value;
    f->perm_c = malloc(n * sizeof *f->perm_c);
    f->perm_r = malloc(n * sizeof *f->perm_r);
    const lb_status status =
        f->perm_c && f->perm_r ? make_superlu(f, A, counts ? 0.0 : 1e-3) : LB_E_MEMORY;
    if (status != LB_OK) {
        free_superlu(f);
        return status;
    }
    factors->negative_count = count_negative_pivots(f);
    factors->own = f;
    factors->solve = solve_superlu;
    factors->free = free_superlu;
    return LB_OK;
}
