// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse matrices: assembly, products, and factors by SuperLU.
#include <string.h>

#include <superlu/slu_ddefs.h>

#include "fe.h"

// ---- assembly ----------------------------------------------------------------------------------

// Neighbours of every node, itself included: the pattern by blocks of six.
typedef struct pattern {
    int *start, *node;
} pattern;

static lb_status find_neighbours(lb_fe_context *context, const lb_fe *fe, pattern *p)
{
    const int n = fe->node_count;
    int *fill;
    if (!LB_FE_TAKE(context, p->start, n + 1) || !LB_FE_TAKE(context, fill, n) ||
        !LB_FE_TAKE(context, p->node, n + 2 * fe->element_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        fill[i] = 1;
    }
    for (int e = 0; e < fe->element_count; ++e) {
        ++fill[fe->elements[e].a];
        ++fill[fe->elements[e].b];
    }
    for (int i = 0; i < n; ++i) {
        p->start[i + 1] = p->start[i] + fill[i];
        p->node[p->start[i]] = i;
        fill[i] = p->start[i] + 1;
    }
    for (int e = 0; e < fe->element_count; ++e) {
        const int ends[2] = {fe->elements[e].a, fe->elements[e].b};
        for (int side = 0; side < 2; ++side) {
            // members side by side join the same two nodes
            const int a = ends[side], b = ends[1 - side];
            int k = p->start[a];
            while (k < fill[a] && p->node[k] != b) {
                ++k;
            }
            p->node[k] = b;
            fill[a] = k == fill[a] ? k + 1 : fill[a];
        }
    }
    // close the gaps that those leave
    int count = 0;
    for (int i = 0; i < n; ++i) {
        const int first = p->start[i];
        p->start[i] = count;
        for (int k = first; k < fill[i]; ++k) {
            p->node[count++] = p->node[k];
        }
    }
    p->start[n] = count;
    return LB_OK;
}

static void add_entry(lb_fe_matrix *A, int i, int j, double value)
{
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
        if (A->row[k] == i) {
            A->value[k] += value;
            return;
        }
    }
}

static void add_block(lb_fe_matrix *A, const int *number, int a, int b, const double *block,
                      int stride)
{
    for (int i = 0; i < LB_FE_DOFS; ++i) {
        for (int j = 0; j < LB_FE_DOFS; ++j) {
            const int row = number[LB_FE_DOFS * a + i], column = number[LB_FE_DOFS * b + j];
            if (row >= 0 && column >= 0 && block[stride * i + j] != 0) {
                add_entry(A, row, column, block[stride * i + j]);
            }
        }
    }
}

lb_status lb_fe_assemble(lb_fe_context *context, const lb_fe *fe, const int *number, int n,
                         lb_fe_matrix *K, lb_fe_matrix *M)
{
    pattern p;
    lb_status status = find_neighbours(context, fe, &p);
    if (status != LB_OK) {
        return status;
    }
    K->n = M->n = n;
    const size_t most = (size_t)p.start[fe->node_count] * LB_FE_DOFS * LB_FE_DOFS;
    if (!LB_FE_TAKE(context, K->start, n + 1) || !LB_FE_TAKE(context, K->row, most) ||
        !LB_FE_TAKE(context, K->value, most) || !LB_FE_TAKE(context, M->value, most)) {
        return LB_E_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
        if (number[i] < 0) {
            continue;
        }
        const int node = i / LB_FE_DOFS;
        for (int k = p.start[node]; k < p.start[node + 1]; ++k) {
            for (int j = 0; j < LB_FE_DOFS; ++j) {
                const int row = number[LB_FE_DOFS * p.node[k] + j];
                if (row >= 0) {
                    K->row[count++] = row;
                }
            }
        }
        K->start[number[i] + 1] = count;
    }
    M->start = K->start;
    M->row = K->row;
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        const int ends[2] = {element->a, element->b};
        double A[2][144];
        lb_fe_form_stiffness(element, A[0]);
        lb_fe_form_mass(element, A[1]);
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
                add_block(K, number, ends[i], ends[j], A[0] + 72 * i + 6 * j, 12);
                add_block(M, number, ends[i], ends[j], A[1] + 72 * i + 6 * j, 12);
            }
        }
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        double lump[36];
        lb_fe_form_lump(&fe->joints[j], lump);
        add_block(M, number, j, j, lump, 6);
    }
    return LB_OK;
}

void lb_fe_multiply(const lb_fe_matrix *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            y[A->row[k]] += A->value[k] * x[j];
        }
    }
}

// ---- factors -----------------------------------------------------------------------------------

// Bytes that SuperLU takes whatever the size of the matrix.
enum { SMALL_PIECES = 1 << 17 };

struct lb_fe_factors {
    SuperMatrix L, U;
    int *perm_c, *perm_r;
    double *value;
    int n;
    bool made;
};

void lb_fe_free_factors(lb_fe_factors *f)
{
    if (!f) {
        return;
    }
    if (f->made) {
        Destroy_SuperNode_Matrix(&f->L);
        Destroy_CompCol_Matrix(&f->U);
    }
    free(f->perm_c);
    free(f->perm_r);
    free(f->value);
    free(f);
}

// SuperLU in its mode for symmetric patterns: diagonal pivots wherever they are not tiny.
static lb_status run_superlu(lb_fe_factors *f, const lb_fe_matrix *K)
{
    SuperMatrix A, AC;
    superlu_options_t options;
    SuperLUStat_t stat;
    GlobalLU_t glu;
    int *etree = malloc((size_t)f->n * sizeof *etree);
    // SuperLU ends the program if there is no memory for what it takes at first: so much for each entry
    const size_t entries = (size_t)sp_ienv(6) * (size_t)K->start[f->n] + 64 * (size_t)f->n;
    if (!etree || !lb_has_memory(2 * entries * sizeof *f->value + SMALL_PIECES)) {
        free(etree);
        return LB_E_MEMORY;
    }
    set_default_options(&options);
    options.SymmetricMode = YES;
    options.ColPerm = MMD_AT_PLUS_A;
    options.DiagPivotThresh = 1e-3;
    StatInit(&stat);
    dCreate_CompCol_Matrix(&A, f->n, f->n, K->start[f->n], f->value, K->row, K->start, SLU_NC,
                           SLU_D, SLU_GE);
    get_perm_c(MMD_AT_PLUS_A, &A, f->perm_c);
    sp_preorder(&options, &A, f->perm_c, etree, &AC);
    int info = 0;
    dgstrf(&options, &AC, sp_ienv(2), sp_ienv(1), etree, NULL, 0, f->perm_c, f->perm_r, &f->L,
           &f->U, &glu, &stat, &info);
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

lb_fe_factors *lb_fe_factor(const lb_fe_matrix *K, const lb_fe_matrix *M, double shift,
                            lb_status *status)
{
    lb_fe_factors *f = calloc(1, sizeof *f);
    const size_t n = (size_t)K->n, count = (size_t)K->start[K->n];
    *status = LB_E_MEMORY;
    if (!f) {
        return NULL;
    }
    f->n = K->n;
    f->perm_c = malloc(n * sizeof *f->perm_c);
    f->perm_r = malloc(n * sizeof *f->perm_r);
    f->value = malloc(count * sizeof *f->value);
    if (f->perm_c && f->perm_r && f->value) {
        for (size_t i = 0; i < count; ++i) {
            f->value[i] = K->value[i] + shift * M->value[i];
        }
        *status = run_superlu(f, K);
    }
    if (*status != LB_OK) {
        lb_fe_free_factors(f);
        return NULL;
    }
    return f;
}

lb_status lb_fe_solve(lb_fe_factors *f, double *x, int count)
{
    SuperMatrix B;
    SuperLUStat_t stat;
    int info = 0;
    if (!lb_has_memory(2 * (size_t)f->n * (size_t)count * sizeof *x + SMALL_PIECES)) {
        return LB_E_MEMORY;
    }
    StatInit(&stat);
    dCreate_Dense_Matrix(&B, f->n, count, x, f->n, SLU_DN, SLU_D, SLU_GE);
    dgstrs(NOTRANS, &f->L, &f->U, f->perm_c, f->perm_r, &B, &stat, &info);
    Destroy_SuperMatrix_Store(&B);
    StatFree(&stat);
    return info == 0 ? LB_OK : LB_E_SINGULAR;
}
