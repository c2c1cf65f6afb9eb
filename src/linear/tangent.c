// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The equations of motion, linearised.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "limber/loops.h"
#include "linear.h"

lb_status lb_take_tangent(lb_arena *arena, int n, lb_tangent *tangent)
{
    const size_t size = (size_t)n * (size_t)n;
    tangent->M = lb_take_numbers(arena, 4 * size);
    if (!tangent->M) {
        return LB_E_MEMORY;
    }
    tangent->C = tangent->M + size;
    tangent->K = tangent->C + size;
    tangent->N = tangent->K + size;
    return LB_OK;
}

// ---- the manifold ------------------------------------------------------------------------------

static void fill_cross(double *N, int n, int row, int column, const double w[3])
{
    // -w~
    const double m[3][3] = {{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}};
    for (int i = 0; i < 3; ++i) {
        memcpy(N + (row + i) * n + column, m[i], sizeof m[i]);
    }
}

// How deviations of the configuration turn with the motion                              (LIN-2)
//
//     d(xi)/dt = dv + N xi,   N = 0 where speeds are rates of coordinates
//     spherical  N = -w~            free  N = -[w~ 0; v~ w~]
//
// given     w, v  angular and linear speed of the hinge, in O
// computes  N
static void compute_drift(const lb_model *model, const double *v, double *N)
{
    const int n = lb_get_v_count(model);
    memset(N, 0, (size_t)n * (size_t)n * sizeof *N);
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const lb_hinge_type type = lb_get_hinge_type(model, k);
        const int at = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        if (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE) {
            fill_cross(N, n, at, at, v + at);
        }
        if (type == LB_HINGE_FREE) {
            fill_cross(N, n, at + 3, at, v + at + 3);
            fill_cross(N, n, at + 3, at + 3, v + at);
        }
    }
}

// ---- forces ------------------------------------------------------------------------------------

// Takes the derivatives of the forces of elements off K and C; adds the sizes of these forces to
// `load`. Needs the derivatives of the point in `scratch`.
static lb_status subtract_elements(lb_system *s, const lb_operating_point *point,
                                   lb_derivative_work *scratch, lb_arena *arena, double *load,
                                   lb_tangent *t)
{
    const size_t size = (size_t)s->v_count * (size_t)s->v_count;
    double *by_q = lb_take_numbers(arena, 2 * size), *by_v = by_q + size;
    if (!by_q) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_compute_force_derivatives(s->forces, s->model, s->work, scratch, point->t,
                                                    point->q, point->v, by_q, by_v, NULL, NULL);
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    status = status < 0 ? status
                        : lb_compute_forces(s->forces, s->model, s->work, point->t, point->q,
                                            point->v, s->tau, s->driven, s->a);
    if (status < 0) {
        return lb_say(s, status, "linear: %s", lb_get_force_message(s->forces));
    }
    for (size_t i = 0; i < size; ++i) {
        t->K[i] -= by_q[i];
        t->C[i] -= by_v[i];
    }
    for (int i = 0; i < s->v_count; ++i) {
        load[i] += fabs(s->tau[i]);
    }
    return LB_OK;
}

// The same for the forces that hold the loops, which turn with them.
static lb_status subtract_closure(lb_system *s, const lb_operating_point *point,
                                  lb_derivative_work *scratch, lb_arena *arena, double *load,
                                  lb_tangent *t)
{
    const size_t size = (size_t)s->v_count * (size_t)s->v_count;
    const lb_loop_derivatives out = {.size = sizeof out, .force_dq = lb_take_numbers(arena, size)};
    if (!out.force_dq) {
        return LB_E_MEMORY;
    }
    const double *forces = point->loop_forces;
    lb_status status = lb_compute_loop_derivatives(s->model, s->work, scratch, forces, &out);
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    status = status < 0 ? status : lb_apply_loop_forces(s->model, s->work, forces, s->tau);
    for (size_t i = 0; i < size && status >= 0; ++i) {
        t->K[i] -= out.force_dq[i];
    }
    for (int i = 0; i < s->v_count && status >= 0; ++i) {
        load[i] += fabs(s->tau[i]);
    }
    return status;
}

// ---- round-off ---------------------------------------------------------------------------------

// Entries below the round-off of the terms that they are summed from are zero: what moves without
// resistance then does so exactly. Terms of K_ij are of the size sqrt(M_ii M_jj) w^2, with w^2 of the
// square of the largest speed, of gravity over a radius of gyration, and of the loads; of C_ij,
// sqrt(M_ii M_jj) w.
static void clean(const lb_system *s, const lb_operating_point *point, const double *load,
                  lb_tangent *t)
{
    const double share = 1e-13;
    const int n = s->v_count;
    double g[3], mass = 0.0;
    lb_get_gravity(s->model, g);
    for (int k = 0; k < s->body_count; ++k) {
        double m = 0.0, com[3], inertia[6];
        lb_get_mass_properties(s->model, k, &m, com, inertia);
        mass += m;
    }
    const double speed = lb_find_largest(n, point->v);
    const double weight = sqrt(mass * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double m = sqrt(fabs(t->M[i * n + i] * t->M[j * n + j]));
            const double k = m * speed * speed + weight * sqrt(m) + sqrt(load[i] * load[j]);
            double *K = &t->K[i * n + j], *C = &t->C[i * n + j];
            *K = fabs(*K) <= share * k ? 0.0 : *K;
            *C = fabs(*C) <= share * m * speed ? 0.0 : *C;
        }
    }
}

lb_status lb_compute_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *t)
{
    lb_arena arena = lb_make_arena(NULL);
    double *load = lb_take_numbers(&arena, (size_t)s->v_count);
    lb_derivative_work *scratch = lb_create_derivative_work(s->model);
    lb_status status = load && scratch ? LB_OK : LB_E_MEMORY;
    status = status < 0
                 ? status
                 : lb_compute_inverse_derivatives(s->model, s->work, scratch, point->q, point->v,
                                                  point->a, load, t->K, t->C, t->M);
    for (int i = 0; i < s->v_count && status >= 0; ++i) {
        load[i] = fabs(load[i]);
    }
    if (status >= 0 && point->loop_forces) {
        status = subtract_closure(s, point, scratch, &arena, load, t);
    }
    if (status >= 0 && s->force_count > 0) {
        status = subtract_elements(s, point, scratch, &arena, load, t);
    }
    lb_destroy_derivative_work(scratch);
    if (status >= 0) {
        compute_drift(s->model, point->v, t->N);
        clean(s, point, load, t);
        const size_t size = (size_t)s->v_count * (size_t)s->v_count;
        for (size_t i = 0; i < size && status >= 0; ++i) {
            if (!isfinite(t->M[i]) || !isfinite(t->C[i]) || !isfinite(t->K[i])) {
                status = lb_say(s, LB_E_NUMBER,
                                "linear: a derivative of the forces is not a finite number");
            }
        }
    }
    lb_arena_free(&arena);
    return status;
}
