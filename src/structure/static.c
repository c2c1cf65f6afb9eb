// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Static shapes beside the modes of vibration: unit displacements of interfaces (Craig and Bampton)
// and deflections under given loads; and the orthonormal modes of all of them together.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "fe.h"

void lb_fe_hold(int count, const int *nodes, bool *held)
{
    for (int i = 0; i < LB_FE_DOFS * count; ++i) {
        held[LB_FE_DOFS * nodes[i / LB_FE_DOFS] + i % LB_FE_DOFS] = true;
    }
}

lb_status lb_fe_factor_free(lb_fe_context *context, const lb_fe *fe, const bool *held, bool is_mass,
                            lb_fe_free *free)
{
    const int all = fe->node_count * LB_FE_DOFS;
    int n = 0;
    lb_fe_matrix K, M;
    *free = (lb_fe_free){.factors = NULL};
    if (!LB_FE_TAKE(context, free->number, all) || !LB_FE_TAKE(context, free->small, all)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < all; ++i) {
        free->number[i] = held[i] ? -1 : n++;
    }
    lb_status status = lb_fe_assemble(context, fe, free->number, n, &K, &M);
    free->factors = status == LB_OK ? lb_fe_factor(is_mass ? &M : &K, &M, 0.0, &status) : NULL;
    return status;
}

lb_status lb_fe_add_solution(const lb_fe *fe, const lb_fe_free *free, const double *f, double *x)
{
    const int all = fe->node_count * LB_FE_DOFS;
    for (int i = 0; i < all; ++i) {
        if (free->number[i] >= 0) {
            free->small[free->number[i]] = f[i];
        }
    }
    const lb_status status = lb_fe_solve(free->factors, free->small, 1);
    for (int i = 0; i < all; ++i) {
        x[i] += free->number[i] >= 0 ? free->small[free->number[i]] : 0.0;
    }
    return status;
}

// ---- interfaces --------------------------------------------------------------------------------

// K_ii x_i = -K_ib x_b with one x_b = 1                                                 (BM-14)
static lb_status add_interfaces(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *o,
                                const bool *held, double *shapes, int *count)
{
    const int all = fe->node_count * LB_FE_DOFS;
    const size_t size = (size_t)all;
    bool *clamped;
    double *f;
    if (!LB_FE_TAKE(context, clamped, size) || !LB_FE_TAKE(context, f, size)) {
        return LB_E_MEMORY;
    }
    memcpy(clamped, held, size * sizeof *held);
    for (int i = 0; i < o->interface_count; ++i) {
        const int joint = lb_fe_find_joint(fe, o->interfaces[i]);
        lb_fe_hold(1, &joint, clamped);
    }
    lb_fe_free free;
    lb_status status = lb_fe_factor_free(context, fe, clamped, false, &free);
    for (int i = 0; i < all && status == LB_OK; ++i) {
        if (held[i] || !clamped[i]) {
            continue;
        }
        double *x = shapes + (size_t)(*count)++ * size;
        memset(x, 0, size * sizeof *x);
        x[i] = 1.0;
        lb_fe_multiply_elements(fe, lb_fe_form_stiffness, x, f);
        for (int k = 0; k < all; ++k) {
            f[k] = -f[k];
        }
        status = lb_fe_add_solution(fe, &free, f, x);
    }
    lb_fe_free_factors(free.factors);
    return status;
}

// ---- loads -------------------------------------------------------------------------------------

static bool make_load(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *o, int i,
                      const bool *held, double *f)
{
    const lb_correction *load = &o->corrections[i];
    const int joint = lb_fe_find_joint(fe, load->at);
    char path[64];
    snprintf(path, sizeof path, "modes.corrections[%d]", i);
    memset(f, 0, (size_t)(fe->node_count * LB_FE_DOFS) * sizeof *f);
    if (joint < 0) {
        lb_fe_fail(context, path, "no node is called \"%.100s\"", load->at);
        return false;
    }
    if (!lb_fe_check_finite(context, path, load->force, 3) ||
        !lb_fe_check_finite(context, path, load->moment, 3)) {
        return false;
    }
    double *at = f + LB_FE_DOFS * joint;
    memcpy(at, load->force, sizeof load->force);
    memcpy(at + 3, load->moment, sizeof load->moment);
    for (int k = 0; k < LB_FE_DOFS; ++k) {
        at[k] = held[LB_FE_DOFS * joint + k] ? 0.0 : at[k];
    }
    const double largest = lb_find_largest(LB_FE_DOFS, at);
    if (!(largest > 0) || !isfinite(largest)) {
        lb_fe_fail(context, path,
                   "the load does not deform the body: give a force or a moment, at a node that "
                   "can move that way");
        return false;
    }
    return true;
}

// The rigid motions of the dofs that are not held, orthonormal in M, and M times them.
typedef struct rigid_basis {
    size_t size;
    int rank;
    double *R, *MR;
} rigid_basis;

// Adrift, a load is balanced by the inertia of the rigid motion that it causes, f - M R R' f; and a
// displacement is rid of its rigid part, x - R R' M x.
static void remove_rigid(const rigid_basis *basis, double *x, bool is_load)
{
    const ptrdiff_t n = (ptrdiff_t)basis->size;
    for (int i = 0; i < basis->rank; ++i) {
        const double *R = basis->R + i * n, *MR = basis->MR + i * n;
        lb_add_scaled(n, -lb_compute_dot(n, x, is_load ? R : MR), is_load ? MR : R, x);
    }
}

static lb_status find_rigid(lb_fe_context *context, const lb_fe *fe, const bool *held,
                            rigid_basis *basis)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    const ptrdiff_t n = (ptrdiff_t)size;
    *basis = (rigid_basis){.size = size};
    if (!LB_FE_TAKE(context, basis->R, 6 * size) || !LB_FE_TAKE(context, basis->MR, 6 * size)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < 6; ++i) {
        double *r = basis->R + (size_t)basis->rank * size;
        double *Mr = basis->MR + (size_t)basis->rank * size;
        lb_fe_get_rigid(fe, i, r);
        for (size_t k = 0; k < size; ++k) {
            r[k] = held[k] ? 0.0 : r[k];
        }
        lb_fe_multiply_mass(fe, r, Mr);
        const double before = lb_compute_dot(n, r, Mr);
        for (int pass = 0; pass < 2; ++pass) {
            remove_rigid(basis, r, false);
        }
        lb_fe_multiply_mass(fe, r, Mr);
        const double norm = lb_compute_dot(n, r, Mr);
        if (norm > 1e-20 * before) {
            for (size_t k = 0; k < size; ++k) {
                r[k] /= sqrt(norm);
                Mr[k] /= sqrt(norm);
            }
            ++basis->rank;
        }
    }
    return LB_OK;
}

static lb_status add_loads(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *o,
                           const bool *held, double *shapes, int *count)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    const bool adrift = o->type == LB_MODES_FREE_FREE;
    const int first = 0;
    bool *support;
    double *f;
    if (!LB_FE_TAKE(context, support, size) || !LB_FE_TAKE(context, f, size)) {
        return LB_E_MEMORY;
    }
    memcpy(support, held, size * sizeof *held);
    // adrift, the balanced loads need no support: any one node will do
    lb_fe_hold(adrift, &first, support);
    lb_fe_free free;
    const int errors = context->errors;
    rigid_basis basis;
    lb_status status = find_rigid(context, fe, held, &basis);
    if (status != LB_OK) {
        return status;
    }
    status = lb_fe_factor_free(context, fe, support, false, &free);
    for (int i = 0; i < o->correction_count && status == LB_OK; ++i) {
        double *x = shapes + (size_t)*count * size;
        memset(x, 0, size * sizeof *x);
        if (!make_load(context, fe, o, i, held, f)) {
            continue;
        }
        ++*count;
        if (adrift) {
            remove_rigid(&basis, f, true);
        }
        status = lb_fe_add_solution(fe, &free, f, x);
        // and the rigid motion that the support left in it goes out again
        if (adrift && status == LB_OK) {
            remove_rigid(&basis, x, false);
        }
    }
    lb_fe_free_factors(free.factors);
    return status == LB_OK && context->errors > errors ? LB_E_MODEL : status;
}

lb_status lb_fe_add_static(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *options,
                           const bool *held, double *shapes, int *count)
{
    *count = 0;
    lb_status status = LB_OK;
    if (options->interface_count > 0) {
        status = add_interfaces(context, fe, options, held, shapes, count);
    }
    if (status == LB_OK && options->correction_count > 0) {
        status = add_loads(context, fe, options, held, shapes, count);
    }
    if (status == LB_E_SINGULAR) {
        lb_fe_fail(context, "modes",
                   "the stiffness is singular to working precision: look for extreme ratios of "
                   "lengths and sections");
    }
    return status;
}

// ---- all of them together ----------------------------------------------------------------------

void lb_fe_rotate_to_diagonal(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; ++i) {
        V[i] = i % (n + 1) == 0;
    }
    bool turned = true;
    for (int sweep = 0; sweep < 60 && turned; ++sweep) {
        turned = false;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                const double apq = A[p * n + q];
                if (fabs(apq) <= 1e-15 * sqrt(fabs(A[p * n + p] * A[q * n + q]))) {
                    A[p * n + q] = A[q * n + p] = 0.0;
                    continue;
                }
                turned = true;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y;
                    A[q * n + k] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y;
                    A[k * n + q] = s * x + c * y;
                    const double v = V[k * n + p], w = V[k * n + q];
                    V[k * n + p] = c * v - s * w;
                    V[k * n + q] = s * v + c * w;
                }
                A[p * n + q] = A[q * n + p] = 0.0;
            }
        }
    }
}

// Gram and Schmidt in M; what adds nothing is an error.
static lb_status orthonormalize_static(lb_fe_context *context, const lb_fe *fe,
                                       const lb_modes_options *o, int mode_count, int count,
                                       double *shapes)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    const ptrdiff_t n = (ptrdiff_t)size;
    double *MV;
    if (!LB_FE_TAKE(context, MV, size * (size_t)count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        double *x = shapes + (size_t)i * size, *Mx = MV + (size_t)i * size;
        lb_fe_multiply_mass(fe, x, Mx);
        const double before = lb_compute_dot(n, x, Mx);
        for (int pass = 0; pass < 2 && i >= mode_count; ++pass) {
            for (int j = 0; j < i; ++j) {
                lb_add_scaled(n, -lb_compute_dot(n, x, MV + j * n), shapes + j * n, x);
            }
        }
        lb_fe_multiply_mass(fe, x, Mx);
        const double norm = lb_compute_dot(n, x, Mx);
        // 1e-14: seven digits of the shape are left
        if (!(norm > 1e-14 * before)) {
            char path[64] = "modes.interfaces";
            const int load = i - count + o->correction_count;
            if (load >= 0) {
                snprintf(path, sizeof path, "modes.corrections[%d]", load);
            }
            return lb_fe_fail(context, path,
                              "its deflection is a combination of modes that are there already");
        }
        for (size_t k = 0; k < size; ++k) {
            x[k] /= sqrt(norm);
            Mx[k] /= sqrt(norm);
        }
    }
    return LB_OK;
}

lb_status lb_fe_orthonormalize(lb_fe_context *context, const lb_fe *fe,
                               const lb_modes_options *options, int mode_count, int count,
                               double *shapes, double *squares)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    const ptrdiff_t n = (ptrdiff_t)size;
    lb_status status = orthonormalize_static(context, fe, options, mode_count, count, shapes);
    double *A, *V, *KV, *old, *values;
    int *order;
    if (status != LB_OK) {
        return status;
    }
    if (!LB_FE_TAKE(context, A, count * count) || !LB_FE_TAKE(context, V, count * count) ||
        !LB_FE_TAKE(context, KV, size) || !LB_FE_TAKE(context, old, size * (size_t)count) ||
        !LB_FE_TAKE(context, values, count) || !LB_FE_TAKE(context, order, count)) {
        return LB_E_MEMORY;
    }
    memcpy(old, shapes, size * (size_t)count * sizeof *old);
    for (int i = 0; i < count; ++i) {
        lb_fe_multiply_elements(fe, lb_fe_form_stiffness, shapes + (size_t)i * size, KV);
        for (int j = 0; j < count; ++j) {
            A[i * count + j] = lb_compute_dot(n, shapes + j * n, KV);
        }
        order[i] = i;
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            A[i * count + j] = A[j * count + i] = 0.5 * (A[i * count + j] + A[j * count + i]);
        }
    }
    lb_fe_rotate_to_diagonal(count, A, V);
    for (int i = 0; i < count; ++i) {
        values[i] = A[i * (count + 1)];
    }
    for (int i = 1; i < count; ++i) {
        // by insertion: they are nearly sorted
        for (int j = i; j > 0 && values[order[j]] < values[order[j - 1]]; --j) {
            const int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    memset(shapes, 0, size * (size_t)count * sizeof *shapes);
    for (int r = 0; r < count; ++r) {
        squares[r] = values[order[r]];
        for (int i = 0; i < count; ++i) {
            const double v = V[i * count + order[r]];
            for (size_t k = 0; k < size && v != 0; ++k) {
                shapes[(size_t)r * size + k] += v * old[(size_t)i * size + k];
            }
        }
    }
    return LB_OK;
}
