// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a computed-torque law asks of its hinges so that modes come to rest as well.
#include "regulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"

#include "base/lapack/locked.h"
#include "dynamics/tree/tree.h"
#include "model/model_parts.h"
#include "riccati.h"

lb_status lb_make_regulator(lb_simulation *sim, const lb_regulator_options *options,
                            const lb_controller *c, const lb_plan *plan, lb_regulator **regulator)
{
    const lb_model *model = plan->model;
    lb_regulator *r = lb_arena_take(&sim->arena, 1, sizeof *r);
    *regulator = r;
    if (!r) {
        return LB_E_MEMORY;
    }
    char where[LB_CONTROL_PATH_SIZE + 16];
    snprintf(where, sizeof where, "%s.regulator", c->law_path);
    lb_regulator_options own;
    const lb_status status = lb_take_regulator_options(sim, where, options, &own);
    if (status < 0) {
        return status;
    }
    r->position = own.position;
    r->speed = own.speed;
    r->vibration = own.vibration;
    r->effort = own.effort;
    lb_check_positive(sim, where, "position", false, r->position);
    lb_check_positive(sim, where, "speed", false, r->speed);
    lb_check_positive(sim, where, "vibration", false, r->vibration);
    lb_check_positive(sim, where, "effort", false, r->effort);
    r->hinge_count = c->sample.channel_count;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        r->mode_count += lb_get_mode_count(model, k);
    }
    const size_t m = (size_t)r->hinge_count, n = (size_t)r->mode_count;
    r->modes = lb_arena_take(&sim->arena, 2 * n, sizeof *r->modes);
    r->gains = lb_arena_take(&sim->arena, 2 * m * (m + n) + n * n + n + (size_t)plan->v_count,
                             sizeof *r->gains);
    if (!r->modes || !r->gains) {
        return LB_E_MEMORY;
    }
    r->mode_q = r->modes + n;
    r->softness = r->gains + 2 * m * (m + n);
    r->deflection = r->softness + n * n;
    r->scratch = r->deflection + n;
    int at = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        for (int i = 0; i < lb_get_mode_count(model, k); ++i, ++at) {
            r->modes[at] = lb_get_v_offset(model, k) + i;
            r->mode_q[at] = lb_get_q_offset(model, k) + i;
        }
    }
    if (n == 0) {
        LB_COMPLAIN(sim, where, "", "a regulator of vibrations, but nothing here is flexible");
    }
    return LB_OK;
}

// Modal stiffness and damping of the whole system, n x n each.
static lb_status gather(const lb_model *model, int n, double *K, double *C)
{
    int at = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int count = lb_get_mode_count(model, k);
        double *own = calloc(2 * (size_t)count * (size_t)count + 1, sizeof *own);
        if (!own) {
            return LB_E_MEMORY;
        }
        double *damping = own + count * count;
        lb_get_modal_matrices(model, k, own, damping);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                K[(at + i) * n + at + j] = own[i * count + j];
                C[(at + i) * n + at + j] = damping[i * count + j];
            }
        }
        at += count;
        free(own);
    }
    return LB_OK;
}

// Hinges that do what they are told, and the modes that they shake                      (CTL-12)
//
//     x = [e; eta; e_dot; eta_dot],   e_ddot = u,   M_ff eta_ddot + C eta_dot + K eta = -M_fh u
//     minimal:  integral of  w_p |e|^2 + w_s |e_dot|^2 + w_v (eta' K eta + eta_dot' M_ff eta_dot) + r |u|^2
//
// given     M, C, K where the desired motion ends
// computes  gains of u = -G x, by (CTL-10); what hinges cannot shake is left to die out by itself, at a
//           rate of `drift` if it has no damping
static lb_status design(lb_regulator *r, const lb_plan *plan, const double *M, double *memory)
{
    const double drift = 1e-2; // rad/s
    const int m = r->hinge_count, n = r->mode_count, half = m + n, N = 2 * half;
    double *A = memory, *Q = A + N * N, *B = Q + N * N, *K = B + N * m, *C = K + n * n;
    double *right = C + n * n, *Mff = right + n * N, *R = Mff + n * n;
    lb_status status = gather(plan->model, n, K, C);
    if (status < 0) {
        return status;
    }
    // M_ff^-1 [K, C, M_fh]
    const int width = 2 * n + m;
    for (int i = 0; i < n; ++i) {
        const double *row = M + (size_t)r->modes[i] * (size_t)plan->v_count;
        for (int j = 0; j < n; ++j) {
            Mff[i * n + j] = row[r->modes[j]];
            right[i * width + j] = K[i * n + j];
            right[i * width + n + j] = C[i * n + j];
            Q[(m + i) * N + m + j] = r->vibration * K[i * n + j];
            Q[(half + m + i) * N + half + m + j] = r->vibration * Mff[i * n + j];
        }
        for (int j = 0; j < m; ++j) {
            right[i * width + 2 * n + j] = row[plan->v_at[j]];
        }
    }
    memcpy(r->softness, K, (size_t)n * (size_t)n * sizeof *K);
    int info = LB_LAPACK(dpotrf, LAPACK_ROW_MAJOR, 'U', n, r->softness, n);
    info = info ? info : LB_LAPACK(dpotri, LAPACK_ROW_MAJOR, 'U', n, r->softness, n);
    info = info ? info : LB_LAPACK(dposv, LAPACK_ROW_MAJOR, 'U', n, width, Mff, n, right, width);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            r->softness[i * n + j] = r->softness[j * n + i];
        }
    }
    for (int i = 0; i < half; ++i) {
        A[i * N + half + i] = 1.0;
    }
    for (int i = 0; i < m; ++i) {
        B[(half + i) * m + i] = 1.0;
        Q[i * N + i] = r->position;
        Q[(half + i) * N + half + i] = r->speed;
        R[i] = r->effort;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            A[(half + m + i) * N + m + j] = -right[i * width + j];
            A[(half + m + i) * N + half + m + j] = -right[i * width + n + j];
        }
        for (int j = 0; j < m; ++j) {
            B[(half + m + i) * m + j] = -right[i * width + 2 * n + j];
        }
    }
    for (int i = 0; i < N; ++i) {
        A[i * N + i] -= drift;
    }
    return lb_solve_regulator(N, m, A, B, Q, R, r->gains);
}

lb_status lb_design_regulator(lb_regulator *r, lb_simulation *sim, lb_plan *plan,
                              const lb_controller *c)
{
    const size_t m = (size_t)r->hinge_count, n = (size_t)r->mode_count, N = 2 * (m + n);
    const size_t v = (size_t)plan->v_count;
    double *memory = calloc(2 * N * N + N * m + 3 * n * n + n * N + m + v * v, sizeof *memory);
    if (!memory) {
        return LB_E_MEMORY;
    }
    double *M = memory + 2 * N * N + N * m + 3 * n * n + n * N + m;
    lb_status status = lb_tree_mass_matrix(plan->model, plan->work, plan->q, M);
    status = status < 0 ? status : design(r, plan, M, memory);
    free(memory);
    return status >= 0 ? LB_OK
                       : lb_say(&sim->system, status,
                                "controller '%s': its regulator cannot be designed: %s", c->name,
                                status == LB_E_SINGULAR
                                    ? "a mode has no stiffness or no mass, or cannot be controlled"
                                    : lb_get_status_text(status));
}
