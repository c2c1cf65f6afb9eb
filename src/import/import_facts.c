// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What an import says of a body: mass, inertia, and the modes of the body by itself with its frame held.   (IMP-11)
//
//     K x = omega^2 M x ,   m_x = x' M x ,   effective mass  (E' x)^2 / m_x  along,  (B0' x)^2 / m_x  about an axis,
//     damping ratio  x' C x / (2 omega m_x)
//
// The coordinates of a body need not be its modes: static shapes, and modes of other programs, are coupled by M and K.
#include <math.h>
#include <string.h>

#include "base/symmetric.h"
#include "imported.h"
#include "structure/fe.h"

// ---- modes -------------------------------------------------------------------------------------

// Whether a matrix has nothing beside its diagonal but rounding of the modes that it is made of. What is left out
// changes squared frequencies by n times 1e-9 of themselves at most (Gershgorin): fewer than the digits printed.
static bool is_diagonal(int n, const double *A)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double size = 1e-9 * sqrt(fabs(A[i * n + i]) * fabs(A[j * n + j]));
            if (fabs(A[i * n + j]) > size || fabs(A[j * n + i]) > size) {
                return false;
            }
        }
    }
    return true;
}

static void copy_symmetric(int n, const double *A, double *out)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            out[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]);
        }
    }
}

lb_status lb_find_coupled_modes(lb_arena *arena, int n, const double *M, const double *K,
                                double *squares, double *masses, double **shapes)
{
    const size_t size = (size_t)n * (size_t)n;
    *shapes = NULL;
    if (is_diagonal(n, M) && is_diagonal(n, K)) {
        for (int r = 0; r < n; ++r) {
            masses[r] = M[r * n + r];
            squares[r] = masses[r] > 0 ? K[r * n + r] / masses[r] : NAN;
        }
        return LB_OK;
    }
    double *A = lb_take_numbers(arena, size), *B = lb_take_numbers(arena, size),
           *mu = lb_take_numbers(arena, (size_t)n), *X = lb_take_numbers(arena, size);
    if (!A || !B || !mu || !X) {
        return LB_E_MEMORY;
    }
    // by M x = mu K x the lowest modes come out to full precision; M may be singular, as that of static shapes
    copy_symmetric(n, M, A);
    copy_symmetric(n, K, B);
    lb_status status = lb_fe_solve_dense(n, A, B, mu);
    const bool by_stiffness = status == LB_OK;
    if (status == LB_E_SINGULAR) {
        copy_symmetric(n, K, A);
        copy_symmetric(n, M, B);
        status = lb_fe_solve_dense(n, A, B, mu);
    }
    if (status != LB_OK && status != LB_E_SINGULAR) {
        return status;
    }
    *shapes = X;
    for (int r = 0; r < n; ++r) {
        const int from = by_stiffness ? n - 1 - r : r;
        squares[r] = status != LB_OK ? NAN : !by_stiffness ? mu[from] : 1 / mu[from];
        masses[r] = status != LB_OK ? NAN : by_stiffness ? mu[from] : 1;
        // what has no mass does not swing
        squares[r] = masses[r] > 0 ? squares[r] : NAN;
        memcpy(X + (size_t)r * (size_t)n, A + (size_t)from * (size_t)n, (size_t)n * sizeof *X);
    }
    return LB_OK;
}

// x' C x of a mode, or an entry of the diagonal.
static double get_quadratic(int n, const double *C, const double *x, int r)
{
    double sum = 0;
    for (int i = 0; x && i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            sum += x[i] * C[i * n + j] * x[j];
        }
    }
    return x ? sum : C[r * n + r];
}

static double get_projection(int n, const double *L, int k, const double *x, int r)
{
    double sum = 0;
    for (int q = 0; x && q < n; ++q) {
        sum += x[q] * L[3 * q + k];
    }
    return x ? sum : L[3 * r + k];
}

static lb_status find_modes(lb_arena *arena, const lb_flex_options *flex,
                            const lb_flex_integrals *I, lb_import_facts *f)
{
    const int n = flex->mode_count;
    double *squares = lb_take_numbers(arena, (size_t)n + 1),
           *masses = lb_take_numbers(arena, (size_t)n + 1);
    if (!squares || !masses) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < n; ++r) {
        squares[r] = masses[r] = NAN;
    }
    if (I->M_ff) {
        const lb_status status =
            lb_find_coupled_modes(arena, n, I->M_ff, flex->stiffness, squares, masses, &f->shapes);
        if (status != LB_OK) {
            return status;
        }
    }
    for (int r = 0; r < n; ++r) {
        const double *x = f->shapes ? f->shapes + (size_t)r * (size_t)n : NULL;
        const double omega = isnan(squares[r]) ? NAN : sqrt(fmax(squares[r], 0.0));
        f->frequencies[r] = omega / LB_TWO_PI;
        if (f->damping) {
            const double c = get_quadratic(n, flex->damping, x, r) / masses[r];
            f->damping[r] = c == 0 ? 0 : c / (2 * omega);
        }
        for (int k = 0; k < 3; ++k) {
            const double along = I->E ? get_projection(n, I->E, k, x, r) : NAN,
                         about = I->B0 ? get_projection(n, I->B0, k, x, r) : NAN;
            f->effective[r][k] = along * along / masses[r];
            f->effective[r][3 + k] = about * about / masses[r];
        }
        for (int k = 0; k < 6; ++k) {
            f->sums[k] += f->effective[r][k];
        }
    }
    return LB_OK;
}

// ---- the rigid body ----------------------------------------------------------------------------

static void drop_rounding(double size, double *value)
{
    *value = fabs(*value) < 1e-13 * size ? 0.0 : *value;
}

lb_status lb_find_import_facts(lb_arena *arena, const lb_modal_body *body, lb_import_facts *f)
{
    const lb_flex_options *flex = &body->flex;
    const int n = flex->mode_count;
    lb_flex_integrals I = body->integrals;
    *f = (lb_import_facts){.frequencies = lb_take_numbers(arena, (size_t)n + 1),
                           .damping = flex->damping ? lb_take_numbers(arena, (size_t)n + 1) : NULL,
                           .effective = lb_arena_take(arena, (size_t)n + 1, sizeof *f->effective)};
    if (!f->frequencies || !f->effective || (flex->damping && !f->damping)) {
        return LB_E_MEMORY;
    }
    // masses of nodes, where a format has them
    for (int i = 0; i < flex->node_count; ++i) {
        const lb_flex_node *node = &flex->nodes[i];
        double c[3], square = 0.0;
        for (int k = 0; k < 3; ++k) {
            c[k] = node->position[k] + node->offset[k];
            I.h0[k] += node->mass * c[k];
            square += c[k] * c[k];
        }
        I.mass += node->mass;
        for (int k = 0; k < 3; ++k) {
            I.S0[k] += node->inertia[k] + node->mass * (square - c[k] * c[k]);
            I.S0[3 + k] +=
                node->inertia[3 + k] - node->mass * (k < 2 ? c[0] * c[1 + k] : c[1] * c[2]);
        }
    }
    f->mass = I.mass;
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        f->centre[k] = I.mass > 0.0 ? I.h0[k] / I.mass : 0.0;
        square += f->centre[k] * f->centre[k];
        f->whole[k] = I.mass;
        f->whole[3 + k] = I.S0[k];
    }
    const double *c = f->centre;
    for (int k = 0; k < 3; ++k) {
        f->inertia[k] = I.S0[k] - I.mass * (square - c[k] * c[k]);
        f->inertia[3 + k] = I.S0[3 + k] + I.mass * (k < 2 ? c[0] * c[1 + k] : c[1] * c[2]);
    }
    // what is rounding becomes zero, so that reports are the same on all machines
    const double largest = fmax(f->inertia[0], fmax(f->inertia[1], f->inertia[2]));
    const double radius = I.mass > 0.0 ? sqrt(square + fmax(largest, 0.0) / I.mass) : 0.0;
    for (int k = 0; k < 6; ++k) {
        drop_rounding(largest, &f->inertia[k]);
        if (k < 3) {
            drop_rounding(radius, &f->centre[k]);
        }
    }
    const double *J = f->inertia;
    double A[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    lb_compute_eigenvalues(3, A, f->principal);
    // masses in a line have no inertia about it, but for rounding
    const double widest = fmax(f->whole[3], fmax(f->whole[4], f->whole[5]));
    for (int k = 3; k < 6; ++k) {
        drop_rounding(widest, &f->whole[k]);
    }
    return find_modes(arena, flex, &I, f);
}
