// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Stiffness and mass of all elements, as sparse matrices of one pattern.
#include <string.h>

#include "fe.h"

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

void lb_fe_add_block(lb_fe_matrix *A, const int *number, int a, int b, const double *block,
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
                lb_fe_add_block(K, number, ends[i], ends[j], A[0] + 72 * i + 6 * j, 12);
                lb_fe_add_block(M, number, ends[i], ends[j], A[1] + 72 * i + 6 * j, 12);
            }
        }
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        double lump[36];
        lb_fe_form_lump(&fe->joints[j], lump);
        lb_fe_add_block(M, number, j, j, lump, 6);
    }
    return LB_OK;
}
