// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives by differences: for fidelities that have no analytic ones, and of the rows of loops.
#include <math.h>
#include <string.h>

#include "derivatives.h"
#include "loops/loop_rows.h"

// Central differences of the sixth order                                                (DER-9)
//
//     f'(0) = sum over i of  c_i (f(i h) - f(-i h)) / h,   c = 3/4, -3/20, 1/60
//
// h = 2e-3: what is left out is h^6 f(7) / 140, round-off 1e-16 f / h, both about 1e-13 or less. tau is of
// second degree in v: there the differences are exact at any h.
enum { PAIRS = 3 };
static const double weights[PAIRS] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
static const double h = 2e-3;

// The state at s e_j, from the one that is kept.
static void move(const lb_model *model, lb_derivative_work *s, int along_q, int j, double size)
{
    memcpy(s->moved_v, s->v, (size_t)model->v_count * sizeof *s->v);
    if (!along_q) {
        memcpy(s->moved_q, s->q, (size_t)model->q_count * sizeof *s->q);
        s->moved_v[j] += size;
        return;
    }
    memset(s->step, 0, (size_t)model->v_count * sizeof *s->step);
    s->step[j] = size;
    lb_integrate_configuration(model, s->q, s->step, s->moved_q);
}

static void difference_column(const lb_model *model, lb_work *work, lb_derivative_work *s,
                              int along_q, int column, double *out)
{
    const ptrdiff_t stride = s->stride;
    for (int i = 0; i < model->v_count; ++i) {
        out[i * stride + column] = 0.0;
    }
    for (int side = 0; side < 2 * PAIRS; ++side) {
        const int step = side / 2 + 1;
        const double sign = side % 2 ? -1.0 : 1.0, weight = sign * weights[side / 2] / h;
        move(model, s, along_q, model->speeds[column], sign * step * h);
        lb_compute_inverse_dynamics(model, work, s->moved_q, s->moved_v, s->a, s->tau);
        for (int i = 0; i < model->v_count; ++i) {
            out[i * stride + column] += weight * s->tau[model->speeds[i]];
        }
    }
}

void lb_difference_inverse_dynamics(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    for (int column = 0; column < model->v_count; ++column) {
        difference_column(model, work, s, 1, column, s->dq);
        difference_column(model, work, s, 0, column, s->dv);
    }
}

lb_status lb_difference_node_motion(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                    int body, int node, const lb_node_derivatives *out)
{
    const ptrdiff_t n = model->v_count;
    double *const outputs[3] = {out->velocity_dq, out->acceleration_dq, out->acceleration_dv};
    for (int i = 0; i < 3; ++i) {
        if (outputs[i]) {
            memset(outputs[i], 0, (size_t)(6 * n) * sizeof(double));
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int side = 0; side < 4 * PAIRS; ++side) {
            const int along_q = side % 2, step = side / 4 + 1;
            const double sign = side / 2 % 2 ? -1.0 : 1.0, weight = sign * weights[side / 4] / h;
            lb_node_motion motion;
            move(model, s, along_q, j, sign * step * h);
            lb_compute_kinematics(model, work, s->moved_q, s->moved_v, s->a);
            const lb_status status = lb_compute_node_motion(model, work, body, node, &motion);
            if (status != LB_OK) {
                return status;
            }
            for (int i = 0; i < 6; ++i) {
                if (along_q && out->velocity_dq) {
                    out->velocity_dq[i * n + j] += weight * motion.velocity[i];
                }
                if (along_q && out->acceleration_dq) {
                    out->acceleration_dq[i * n + j] += weight * motion.acceleration[i];
                }
                if (!along_q && out->acceleration_dv) {
                    out->acceleration_dv[i * n + j] += weight * motion.acceleration[i];
                }
            }
        }
    }
    lb_compute_kinematics(model, work, s->q, s->v, s->a);
    return out->pose_dq ? lb_compute_jacobian(model, work, body, node, LB_AXES_WORLD, out->pose_dq)
                        : LB_OK;
}

// Adds what is asked for at the state that was moved to, times a weight, to column j.
static void add_loops(const lb_model *model, lb_work *work, lb_derivative_work *s, double weight,
                      ptrdiff_t j, double *velocity, double *acceleration, const double *forces,
                      double *force, double *turning)
{
    const ptrdiff_t n = model->v_count;
    lb_compute_kinematics(model, work, s->moved_q, s->moved_v, NULL);
    if (velocity) {
        lb_compute_loop_errors(model, work, s->moved_q, NULL, s->loop_rates);
        for (ptrdiff_t i = 0; i < s->loop_entries; ++i) {
            velocity[i * n + j] += weight * s->loop_rates[i];
        }
    }
    for (int part = 0; acceleration && part < 2; ++part) {
        (void)(part ? lb_compute_loop_bias(model, work, s->loop_rates)
                    : lb_apply_loop_jacobian(model, work, s->a, s->loop_rates));
        for (ptrdiff_t i = 0; i < s->loop_entries; ++i) {
            acceleration[i * n + j] += weight * s->loop_rates[i];
        }
    }
    if (turning) {
        lb_place_loops(model, work);
    }
    if (force) {
        memset(s->tau, 0, (size_t)n * sizeof *s->tau);
        lb_apply_loop_forces(model, work, forces, s->tau);
        for (ptrdiff_t i = 0; i < n; ++i) {
            force[i * n + j] += weight * s->tau[i];
        }
    }
    for (int l = 0; turning && 6 * l < s->loop_entries; ++l) {
        // W is the direction at the state that was moved to
        const lb_loop_slot *slot = &work->loops->slots[l];
        const double size = lb_vec3_norm(lb_vec3_from(forces + (ptrdiff_t)6 * l + 3));
        const double *e = slot->loop.W[0];
        const int rod = slot->active && slot->loop.type == LB_LOOP_ROD;
        const double along = lb_vec3_dot(lb_vec3_from(e + 3), lb_vec3_from(forces + 6 * l + 3));
        for (int i = 3; rod && i < 6; ++i) {
            turning[(6 * l + i) * n + j] += weight * copysign(size, along) * e[i];
        }
    }
}

void lb_difference_loops(const lb_model *model, lb_work *work, lb_derivative_work *s,
                         const double *forces, const lb_loop_derivatives *out, double *turning)
{
    const int by_q = out->velocity_dq || out->acceleration_dq || out->force_dq || turning;
    for (int j = 0; j < model->v_count; ++j) {
        for (int side = 0; by_q && side < 2 * PAIRS; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0;
            move(model, s, 1, j, sign * (side / 2 + 1) * h);
            add_loops(model, work, s, sign * weights[side / 2] / h, j, out->velocity_dq,
                      out->acceleration_dq, forces, out->force_dq, turning);
        }
        // of second degree in v: one pair is exact, and a wide one loses no digits
        for (int side = 0; out->acceleration_dv && side < 2; ++side) {
            const double sign = side ? -1.0 : 1.0;
            move(model, s, 0, j, sign);
            add_loops(model, work, s, 0.5 * sign, j, NULL, out->acceleration_dv, NULL, NULL, NULL);
        }
    }
    lb_compute_kinematics(model, work, s->q, s->v, s->a);
}
