// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "everything.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/tree/tree.h"

#include <string.h>

enum { LB_MAX_BODIES = 64 };

size_t lb_count_everything(const lb_model *model)
{
    const size_t n = (size_t)lb_get_v_count(model), nq = (size_t)lb_get_q_count(model);
    const size_t bodies = (size_t)lb_get_body_count(model);
    return 10 * n * n + 37 * n + 2 * nq + bodies * (3 * (6 * n + 6 + 36) + 19 + 6 + 1) + 20;
}

#define LB_TRY(call)                                                                               \
    do {                                                                                           \
        const lb_status status_ = (call);                                                          \
        if (status_ != LB_OK) {                                                                    \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

// Derivatives, in a workspace of their own.
static lb_status evaluate_derivatives(const lb_trial *trial, lb_work *work, lb_derivative_work *s,
                                      const unsigned char *driven, double *out)
{
    const lb_model *model = trial->model;
    const double *q = trial->q, *v = trial->v;
    const size_t n = (size_t)trial->v_count, square = n * n;
    LB_TRY(lb_compute_inverse_derivatives(model, work, s, q, v, trial->a, out, out + n,
                                          out + n + square, out + n + 2 * square));
    out += n + 3 * square;
    memcpy(out, trial->tau, n * sizeof *out);
    memcpy(out + n, trial->a, n * sizeof *out);
    LB_TRY(lb_tree_hybrid_derivatives(model, work, s, q, v, driven, out, out + n, out + 2 * n,
                                      out + 2 * n + square, NULL));
    out += 2 * n + 2 * square;
    LB_TRY(lb_compute_forward_derivatives(model, work, s, q, v, trial->tau, NULL, out, out + square,
                                          NULL));
    out += 2 * square;
    const lb_node_derivatives node = {.size = sizeof node,
                                      .pose_dq = out,
                                      .velocity_dq = out + 6 * n,
                                      .acceleration_dq = out + 12 * n,
                                      .acceleration_dv = out + 18 * n};
    return lb_compute_node_derivatives(model, work, s, trial->body_count - 1, 1, &node);
}

lb_status lb_evaluate_everything(const lb_trial *trial, lb_work *work, lb_derivative_work *s,
                                 double *out)
{
    const lb_model *model = trial->model;
    const double *q = trial->q, *v = trial->v;
    const size_t n = (size_t)trial->v_count, nq = (size_t)trial->q_count;
    unsigned char driven[LB_MAX_BODIES] = {0};
    if (trial->body_count > LB_MAX_BODIES) {
        return LB_E_ARGUMENT;
    }

    // from a state to an answer
    LB_TRY(lb_compute_mass_matrix(model, work, q, out));
    out += n * n;
    LB_TRY(lb_compute_mass_matrix_inverse(model, work, q, out));
    out += n * n;
    LB_TRY(lb_tree_composite(model, work, q, v, trial->tau, out, out + n * n));
    out += n * n + n;
    LB_TRY(lb_compute_inverse_dynamics(model, work, q, v, trial->a, out));
    out += n;
    LB_TRY(lb_compute_bias(model, work, q, v, out));
    out += n;
    for (int k = 0; k < trial->body_count; k += 2) {
        driven[k] = 1;
    }
    memcpy(out, trial->tau, n * sizeof *out);
    memcpy(out + n, trial->a, n * sizeof *out);
    LB_TRY(lb_tree_hybrid(model, work, q, v, driven, out, out + n));
    out += 2 * n;
    LB_TRY(evaluate_derivatives(trial, work, s, driven, out));
    out += 7 * n * n + 27 * n;
    LB_TRY(lb_compute_kinematics(model, work, q, v, trial->a));
    LB_TRY(lb_compute_articulated_inertia(model, work, q));
    LB_TRY(lb_solve_mass_matrix(model, work, trial->tau, out));
    out += n;
    LB_TRY(lb_compute_forward_dynamics(model, work, q, v, trial->tau, out));
    out += n;

    // read-outs of the last
    for (int k = 0; k < trial->body_count; ++k) {
        lb_node_motion motion;
        LB_TRY(lb_compute_node_motion(model, work, k, 1, &motion));
        memcpy(out, &motion, 19 * sizeof *out);
        out += 19;
        for (int axes = LB_AXES_WORLD; axes <= LB_AXES_NODE; ++axes) {
            LB_TRY(lb_compute_jacobian(model, work, k, 1, (lb_axes)axes, out));
            out += 6 * n;
            LB_TRY(lb_compute_jacobian_rate(model, work, k, 1, (lb_axes)axes, out));
            out += 6;
            LB_TRY(lb_compute_admittance(model, work, k, 1, (lb_axes)axes, out));
            out += 36;
        }
    }
    LB_TRY(lb_compute_reactions(model, work, NULL, out));
    out += 6 * (size_t)trial->body_count;
    LB_TRY(lb_compute_energy(model, work, out, out + 1));
    lb_system_motion motion;
    LB_TRY(lb_compute_system_motion(model, work, &motion));
    memcpy(out + 2, &motion, 16 * sizeof *out);
    out += 18;

    // loads
    lb_node_force loads[LB_MAX_BODIES];
    for (int k = 0; k < trial->body_count; ++k) {
        loads[k] = (lb_node_force){k, 1, (lb_axes)(k % 3), {1, 2, 3, 4, 5, 6}, 0};
    }
    memcpy(out, trial->tau, n * sizeof *out);
    LB_TRY(lb_apply_node_forces(model, work, trial->body_count, loads, out));
    const lb_point_gravity field = {100.0, {20, 30, 40}, 1};
    LB_TRY(lb_apply_oblate_gravity(model, work, &(lb_oblate_gravity){.point = field}, out, out + n,
                                   out + n + 1));
    out += n + 2;
    for (int k = 0; k < trial->body_count; ++k) {
        *out++ = loads[k].power;
    }

    // the configuration space
    lb_compute_configuration_rate(model, q, v, out);
    lb_integrate_configuration(model, q, v, out + nq);
    lb_difference_configuration(model, q, out + nq, out + 2 * nq);
    return lb_normalize_configuration(model, 1e-6, out + nq, NULL);
}
