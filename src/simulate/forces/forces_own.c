// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces that are functions of the caller: what they see, what they answer, and their derivatives.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "forces.h"
#include "limber/spatial.h"

// ---- adding ------------------------------------------------------------------------------------

// Numbers that differentiating takes: with k = 6 per node, F_x and F_v (k x k), tau_q and tau_v (n x n),
// J, V_q, x_q, and the derivatives of the loads by q and v (k x n each); the turn of their axes (6 x n).
static size_t count_slopes(size_t k, size_t n)
{
    return 2 * k * k + 2 * n * n + 5 * k * n + 6 * n;
}

static lb_status take_memory(lb_forces *forces, const lb_force *force)
{
    lb_own_work *own = &forces->own;
    const size_t n = (size_t)lb_get_v_count(forces->model), m = (size_t)force->place_count;
    if (!own->tau) {
        own->tau = lb_take_numbers(&forces->arena, n);
        if (!own->tau) {
            return LB_E_MEMORY;
        }
    }
    if (!own->loads || force->place_count > own->place_capacity) {
        own->loads = lb_take_numbers(&forces->arena, 6 * m);
        own->motions = lb_arena_take(&forces->arena, m, sizeof *own->motions);
        own->held = lb_arena_take(&forces->arena, m, sizeof *own->held);
        own->place_capacity = force->place_count;
    }
    const size_t slopes = force->own.differentiate ? count_slopes(6 * m, n) : 0;
    if (slopes > own->slope_capacity) {
        own->slopes = lb_take_numbers(&forces->arena, slopes);
        own->slope_capacity = slopes;
    }
    return own->loads && own->motions && own->held && (!slopes || own->slopes) ? LB_OK
                                                                               : LB_E_MEMORY;
}

lb_status lb_make_own_force(lb_forces *forces, const lb_force_options *o, const char *where,
                            lb_force *force)
{
    lb_faults *faults = &forces->faults;
    const int count = o->nodes && o->node_count > 0 ? o->node_count : 0;
    force->own = lb_default_force_callbacks();
    if (o->callbacks) {
        const lb_status status =
            lb_take_checked(faults, where, "callbacks", &force->own, sizeof force->own,
                            offsetof(lb_force_callbacks, differentiate), o->callbacks);
        if (status != LB_OK) {
            return status;
        }
    }
    if (!force->own.compute) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, "callbacks",
                    "no function given that computes the force");
    }
    if (force->own.compute && !force->own.differentiate) {
        lb_complain(faults, LB_SEVERITY_NOTE, where, "callbacks",
                    "no derivatives given: stiff integrators and linear models use differences");
    }
    force->conservative = force->own.conservative;
    lb_check_axes(o->axes, faults, where);
    force->axes = o->axes;
    lb_node_place *places = lb_arena_take(&forces->arena, (size_t)count, sizeof *places);
    if (!places) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        char key[32];
        snprintf(key, sizeof key, "nodes[%d]", i);
        lb_resolve_node(forces->model, &o->nodes[i], faults, where, key, &places[i].body,
                        &places[i].node);
    }
    force->places = places;
    force->place_count = count;
    return take_memory(forces, force);
}

// ---- evaluation --------------------------------------------------------------------------------

static bool are_finite(size_t count, const double *x)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

// What it sees: its nodes as they move, accelerations left out.
static lb_status sense(const lb_forces *forces, const lb_force *force, const lb_instant *instant,
                       lb_force_sample *sample)
{
    lb_node_motion *motions = forces->own.motions;
    for (int i = 0; i < force->place_count; ++i) {
        const lb_node_place *place = &force->places[i];
        const lb_status status = lb_compute_node_motion(instant->model, instant->work, place->body,
                                                        place->node, &motions[i]);
        if (status != LB_OK) {
            return status;
        }
        memset(motions[i].acceleration, 0, sizeof motions[i].acceleration);
    }
    *sample = (lb_force_sample){sizeof *sample, instant, force->place_count, motions};
    return LB_OK;
}

lb_status lb_compute_own_force(lb_forces *forces, lb_force *force, const lb_instant *instant,
                               lb_node_force *loads, double *tau)
{
    const lb_own_work *own = &forces->own;
    const size_t n = (size_t)lb_get_v_count(instant->model), k = 6 * (size_t)force->place_count;
    lb_force_sample sample;
    const lb_status status = sense(forces, force, instant, &sample);
    if (status != LB_OK) {
        return status;
    }
    memset(own->loads, 0, k * sizeof *own->loads);
    memset(own->tau, 0, n * sizeof *own->tau);
    lb_force_answer answer = {sizeof answer, (double(*)[6])own->loads, own->tau, 0.0};
    if (force->own.compute(force->own.user, &sample, &answer) != 0) {
        return LB_E_CALLBACK;
    }
    if (!are_finite(k, own->loads) || !are_finite(n, own->tau) || !isfinite(answer.energy)) {
        return LB_E_NUMBER;
    }
    for (int i = 0; i < force->place_count; ++i) {
        loads[i] =
            (lb_node_force){force->places[i].body, force->places[i].node, force->axes, {0}, 0.0};
        memcpy(loads[i].force, own->loads + 6 * i, sizeof loads[i].force);
    }
    for (size_t i = 0; i < n; ++i) {
        tau[i] += own->tau[i];
    }
    force->energy = answer.energy;
    force->power = lb_compute_dot((ptrdiff_t)n, own->tau, instant->v);
    return LB_OK;
}

// ---- derivatives -------------------------------------------------------------------------------

// Turns k x n rows of derivatives of loads, moments and forces, out of the axes of the loads.
static void turn_rows(const lb_mat3 *R, ptrdiff_t n, double *rows)
{
    for (ptrdiff_t j = 0; j < 2 * n; ++j) {
        double *x = rows + (j < n ? j : 3 * n + j - n);
        const lb_vec3 turned = lb_mat3_mul_vec(R, (lb_vec3){x[0], x[n], x[2 * n]});
        x[0] = turned.x;
        x[n] = turned.y;
        x[2 * n] = turned.z;
    }
}

// Loads in axes of the body or node: they and their derivatives in world axes; and the power of what the
// axes turn, with the turn a of the axes by each coordinate:  (a x M) . w + (a x f) . v
static lb_status turn_loads(lb_forces *forces, const lb_force *force, const lb_instant *instant,
                            lb_derivative_work *scratch, double *F_by_q, double *F_by_v,
                            double *turn, double *power_dq)
{
    const ptrdiff_t n = lb_get_v_count(instant->model);
    for (int i = 0; i < force->place_count; ++i) {
        const lb_node_place *place = &force->places[i];
        lb_mat3 R;
        const lb_status status = lb_differentiate_axes(instant, scratch, place->body, place->node,
                                                       force->axes, &R, turn);
        if (status < 0) {
            return status;
        }
        turn_rows(&R, n, F_by_q + 6 * i * n);
        turn_rows(&R, n, F_by_v + 6 * i * n);
        double *load = forces->own.loads + 6 * i;
        const double *velocity = forces->own.motions[i].velocity;
        turn_rows(&R, 1, load);
        for (ptrdiff_t j = 0; power_dq && j < n; ++j) {
            const lb_vec3 a = {turn[j], turn[n + j], turn[2 * n + j]};
            for (int part = 0; part < 6; part += 3) {
                power_dq[j] += lb_vec3_dot(lb_vec3_cross(a, lb_vec3_from(load + part)),
                                           lb_vec3_from(velocity + part));
            }
        }
    }
    return LB_OK;
}

// Chain rule                                                                            (FRC-12)
//
//     tau = J* F(x, V) + t(q, v),   V = J v
//     dtau/dq = J* (F_x x_q + F_v V_q) + (J* with F held)_q + t_q,   dtau/dv = J* F_v J + t_v
//     P = F . V + t . v
//
// given     F_x, F_v, t_q, t_v of the caller;  J, V_q and x_q (J, but with ruthless bodies) of all its
//           nodes one below the other
// computes  dtau/dq, dtau/dv, and the same of P
lb_status lb_differentiate_own_force(lb_forces *forces, lb_force *force, const lb_instant *instant,
                                     lb_derivative_work *scratch, double *dtau_dq, double *dtau_dv,
                                     double *power_dq, double *power_dv)
{
    const lb_model *model = instant->model;
    const lb_own_work *own = &forces->own;
    const ptrdiff_t n = lb_get_v_count(model), k = 6 * (ptrdiff_t)force->place_count;
    double *F_x = own->slopes, *F_v = F_x + k * k, *t_q = F_v + k * k, *t_v = t_q + n * n;
    double *J = t_v + n * n, *V_q = J + k * n, *x_q = V_q + k * n, *F_by_q = x_q + k * n;
    double *F_by_v = F_by_q + k * n;

    // the force itself, in own->loads and own->tau; powers and energies stay
    lb_force copy = *force;
    double *unused = forces->scratch;
    lb_status status = lb_compute_own_force(forces, &copy, instant, own->held, unused);
    if (status == LB_OK && k > 0) {
        status = lb_apply_node_force_derivatives(model, instant->work, scratch, force->place_count,
                                                 own->held, dtau_dq);
    }
    for (int i = 0; i < force->place_count && status >= 0; ++i) {
        const lb_node_derivatives out = {.size = sizeof out,
                                         .pose_dq = J + 6 * i * n,
                                         .velocity_dq = V_q + 6 * i * n,
                                         .place_dq = x_q + 6 * i * n};
        status = lb_compute_node_derivatives(model, instant->work, scratch, force->places[i].body,
                                             force->places[i].node, &out);
    }
    if (status < 0) {
        return status;
    }
    memset(own->slopes, 0, (size_t)(2 * k * k + 2 * n * n) * sizeof *own->slopes);
    const lb_force_sample sample = {sizeof sample, instant, force->place_count, own->motions};
    lb_force_slopes slopes = {sizeof slopes, F_x, F_v, t_q, t_v};
    if (force->own.differentiate(force->own.user, &sample, &slopes) != 0) {
        return LB_E_CALLBACK;
    }
    if (!are_finite((size_t)(2 * k * k + 2 * n * n), own->slopes)) {
        return LB_E_NUMBER;
    }

    lb_form_product(k, k, n, F_x, x_q, F_by_q);
    lb_add_matrix_product(k, k, n, 1.0, F_v, V_q, F_by_q);
    lb_form_product(k, k, n, F_v, J, F_by_v);
    if (force->axes != LB_AXES_WORLD) {
        status =
            turn_loads(forces, force, instant, scratch, F_by_q, F_by_v, F_by_v + k * n, power_dq);
        if (status < 0) {
            return status;
        }
    }
    for (ptrdiff_t r = 0; r < k; ++r) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            if (J[r * n + i] != 0.0) {
                lb_add_scaled(n, J[r * n + i], F_by_q + r * n, dtau_dq + i * n);
                lb_add_scaled(n, J[r * n + i], F_by_v + r * n, dtau_dv + i * n);
            }
        }
    }
    lb_add_scaled(n * n, 1.0, t_q, dtau_dq);
    lb_add_scaled(n * n, 1.0, t_v, dtau_dv);
    if (!power_dq) {
        return LB_OK;
    }
    for (ptrdiff_t r = 0; r < k; ++r) {
        const double F = own->loads[r], V = own->motions[r / 6].velocity[r % 6];
        lb_add_scaled(n, V, F_by_q + r * n, power_dq);
        lb_add_scaled(n, F, V_q + r * n, power_dq);
        lb_add_scaled(n, V, F_by_v + r * n, power_dv);
        lb_add_scaled(n, F, J + r * n, power_dv);
    }
    lb_add_transposed_image(n, n, 1.0, t_q, instant->v, power_dq);
    lb_add_transposed_image(n, n, 1.0, t_v, instant->v, power_dv);
    lb_add_scaled(n, 1.0, own->tau, power_dv);
    return LB_OK;
}
