// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The lowest modes of a finite-element model. Motions that do not couple, such as bending of a straight
// beam in its two planes, are solved apart: they are exactly zero in each other.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "fe.h"

// ---- motions that do not couple ----------------------------------------------------------------

static void join_block(int *set, const bool *held, const int *dofs, const double *A, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            if (A[n * i + j] != 0 && !held[dofs[i]] && !held[dofs[j]]) {
                set[lb_fe_find_set(set, dofs[i])] = lb_fe_find_set(set, dofs[j]);
            }
        }
    }
}

static void find_sets(const lb_fe *fe, const bool *held, int *set)
{
    for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
        set[i] = i;
    }
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double K[144], M[144];
        int dofs[12];
        for (int i = 0; i < 12; ++i) {
            dofs[i] = LB_FE_DOFS * (i < 6 ? element->a : element->b) + i % 6;
        }
        lb_fe_form_stiffness(element, K);
        lb_fe_form_mass(element, M);
        join_block(set, held, dofs, K, 12);
        join_block(set, held, dofs, M, 12);
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        double M[36];
        const int at = LB_FE_DOFS * j, dofs[6] = {at, at + 1, at + 2, at + 3, at + 4, at + 5};
        lb_fe_form_lump(&fe->joints[j], M);
        join_block(set, held, dofs, M, 6);
    }
}

// ---- one of them -------------------------------------------------------------------------------

// How many rigid motions there are among these dofs: the rank of the six, turns about the middle.
static int count_rigid(lb_fe_context *context, const lb_fe *fe, const int *number, int n)
{
    const int all = fe->node_count * LB_FE_DOFS;
    double *x, *V, scale[6];
    int rank = 0;
    if (!LB_FE_TAKE(context, x, all) || !LB_FE_TAKE(context, V, 6 * (size_t)n)) {
        return -1;
    }
    for (int i = 0; i < 6; ++i) {
        double *v = V + (size_t)rank * (size_t)n;
        lb_fe_get_rigid(fe, i, x);
        scale[i] = 0.0;
        for (int k = 0; k < all; ++k) {
            if (number[k] >= 0) {
                v[number[k]] = x[k];
                scale[i] += x[k] * x[k];
            }
        }
        // Gram and Schmidt, twice
        for (int pass = 0; pass < 2; ++pass) {
            for (int r = 0; r < rank; ++r) {
                const double *w = V + (size_t)r * (size_t)n;
                lb_add_scaled(n, -lb_compute_dot(n, v, w), w, v);
            }
        }
        const double left = lb_compute_dot(n, v, v);
        if (left > 1e-16 * scale[i] && scale[i] > 0) {
            for (int k = 0; k < n; ++k) {
                v[k] /= sqrt(left);
            }
            ++rank;
        } else {
            memset(v, 0, (size_t)n * sizeof *v);
        }
    }
    return rank;
}

// A number of the order of the lowest squared frequency: that of a uniform beam as long as the body.
static double estimate_square(const lb_fe *fe)
{
    double low[3], high[3], EI = 0.0, m = 0.0, length = 0.0, size = 0.0;
    for (int i = 0; i < 3; ++i) {
        low[i] = high[i] = fe->nodes[0].x[i];
        for (int j = 1; j < fe->node_count; ++j) {
            low[i] = fmin(low[i], fe->nodes[j].x[i]);
            high[i] = fmax(high[i], fe->nodes[j].x[i]);
        }
        size += (high[i] - low[i]) * (high[i] - low[i]);
    }
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        const lb_fe_point *p = &element->points[LB_FE_POINTS / 2];
        EI += element->length * fmin(p->EIy, p->EIz);
        m += element->length * p->m;
        length += element->length;
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        m += fe->joints[j].mass;
    }
    return 500 * (EI / length) / (m / length * size * size);
}

typedef struct found_mode {
    double square;
    int set; // number of the set, then of the mode in it
    int index;
    const double *vector;
    const int *number;
} found_mode;

static int compare_found(const void *a, const void *b)
{
    const found_mode *x = a, *y = b;
    // equal to round-off: in the order of the sets
    if (fabs(x->square - y->square) > 1e-9 * fmax(x->square, y->square)) {
        return x->square < y->square ? -1 : 1;
    }
    return x->set != y->set ? (x->set < y->set ? -1 : 1) : x->index - y->index;
}

static lb_status solve_set(lb_fe_context *context, const lb_fe *fe, const int *number, int n,
                           bool adrift, int wanted, int set, found_mode *found, int *count)
{
    const int rigid = adrift ? count_rigid(context, fe, number, n) : 0;
    const double shift = adrift ? estimate_square(fe) : 0.0;
    lb_fe_matrix K, M;
    double *squares, *vectors;
    *count = n - rigid < wanted ? n - rigid : wanted;
    if (rigid < 0) {
        return LB_E_MEMORY;
    }
    if (*count <= 0) {
        *count = 0;
        return LB_OK;
    }
    if (!LB_FE_TAKE(context, squares, *count) ||
        !LB_FE_TAKE(context, vectors, (size_t)*count * (size_t)n)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_fe_assemble(context, fe, number, n, &K, &M);
    if (status == LB_OK) {
        status = lb_fe_find_modes(context, &K, &M, rigid, shift, *count, squares, vectors);
    }
    for (int i = 0; i < *count && status == LB_OK; ++i) {
        found[i] = (found_mode){squares[i], set, i, vectors + (size_t)i * (size_t)n, number};
    }
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

lb_status lb_fe_find_lowest(lb_fe_context *context, const lb_fe *fe, const bool *held, bool rigid,
                            int wanted, lb_fe_modes *modes)
{
    const int all = fe->node_count * LB_FE_DOFS;
    const int errors = context->errors;
    int *set, *sizes, set_count = 0, count = 0;
    if (!LB_FE_TAKE(context, set, all) || !LB_FE_TAKE(context, sizes, all)) {
        return LB_E_MEMORY;
    }
    find_sets(fe, held, set);
    for (int i = 0; i < all; ++i) {
        sizes[i] = 0;
    }
    for (int i = 0; i < all; ++i) {
        if (!held[i]) {
            set_count += sizes[lb_fe_find_set(set, i)]++ == 0;
        }
    }
    found_mode *found;
    if (!LB_FE_TAKE(context, found, (size_t)(set_count > 0 ? set_count : 1) * (size_t)wanted)) {
        return LB_E_MEMORY;
    }

    // by the first dof of each
    bool *done;
    if (!LB_FE_TAKE(context, done, all)) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    for (int i = 0, index = 0; i < all && status == LB_OK; ++i) {
        const int mine = lb_fe_find_set(set, i);
        if (held[i] || done[mine]) {
            continue;
        }
        done[mine] = true;
        int *number, n = 0, found_here = 0;
        if (!LB_FE_TAKE(context, number, all)) {
            return LB_E_MEMORY;
        }
        for (int k = 0; k < all; ++k) {
            number[k] = !held[k] && lb_fe_find_set(set, k) == mine ? n++ : -1;
        }
        status =
            solve_set(context, fe, number, n, rigid, wanted, index++, found + count, &found_here);
        count += found_here;
    }
    if (status != LB_OK) {
        if (status == LB_E_SINGULAR && context->errors == errors) {
            lb_fe_fail(context, "modes",
                       "the modes could not be found: the finite elements are too ill-conditioned; "
                       "look for extreme ratios of lengths and sections");
        }
        return status;
    }
    qsort(found, (size_t)count, sizeof *found, compare_found);
    modes->count = count < wanted ? count : wanted;
    if (!LB_FE_TAKE(context, modes->shapes, (size_t)modes->count * (size_t)all) ||
        !LB_FE_TAKE(context, modes->squares, modes->count)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < modes->count; ++r) {
        modes->squares[r] = found[r].square;
        for (int k = 0; k < all; ++k) {
            if (found[r].number[k] >= 0) {
                modes->shapes[(size_t)r * (size_t)all + (size_t)k] =
                    found[r].vector[found[r].number[k]];
            }
        }
    }
    return LB_OK;
}
