// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A controller's own idea of the system at a sample: its state, and dynamics by the engine.
#include <string.h>

#include "control/plan.h"
#include "dynamics/tree/tree.h"
#include "limber/dynamics.h"

bool lb_has_modes_of_twin(const lb_plan *plan, const lb_model *plant, int k)
{
    return plan->twin[k] >= 0 &&
           lb_get_mode_count(plan->model, k) == lb_get_mode_count(plant, plan->twin[k]);
}

void lb_copy_plan_modes(lb_plan *plan, const lb_model *plant, int k, const double *q,
                        const double *v)
{
    const size_t size = (size_t)lb_get_mode_count(plan->model, k) * sizeof(double);
    const int twin = plan->twin[k];
    memcpy(plan->q + lb_get_q_offset(plan->model, k), q + lb_get_q_offset(plant, twin), size);
    if (v) {
        memcpy(plan->v + lb_get_v_offset(plan->model, k), v + lb_get_v_offset(plant, twin), size);
    }
}

void lb_copy_plan_hinge(lb_plan *plan, const lb_model *plant, int k, const double *q,
                        const double *v)
{
    const int twin = plan->twin[k];
    const int own = lb_get_mode_count(plan->model, k);
    const int other = twin >= 0 ? lb_get_mode_count(plant, twin) : 0;
    const size_t q_size = (size_t)lb_get_hinge(plan->model, k).q_count * sizeof(double);
    const size_t v_size = (size_t)lb_get_hinge(plan->model, k).v_count * sizeof(double);
    if (twin < 0 || v_size == 0) {
        return;
    }
    memcpy(plan->q + lb_get_q_offset(plan->model, k) + own,
           q + lb_get_q_offset(plant, twin) + other, q_size);
    if (v) {
        memcpy(plan->v + lb_get_v_offset(plan->model, k) + own,
               v + lb_get_v_offset(plant, twin) + other, v_size);
    }
}

void lb_observe(lb_plan *plan, const lb_system *s, const lb_controller *c, lb_law_modes modes,
                bool whole)
{
    const bool first = c->sample_count == 0.0;
    for (int k = 0; k < plan->body_count; ++k) {
        const int q = lb_get_q_offset(plan->model, k), v = lb_get_v_offset(plan->model, k);
        const size_t size = (size_t)lb_get_mode_count(plan->model, k) * sizeof(double);
        const bool copied =
            modes == LB_LAW_MODES_EXACT || (modes == LB_LAW_MODES_ESTIMATED && first);
        if (copied && lb_has_modes_of_twin(plan, s->model, k)) {
            lb_copy_plan_modes(plan, s->model, k, s->q, s->v);
        } else if (copied || modes == LB_LAW_MODES_RIGID) {
            memset(plan->q + q, 0, size);
            memset(plan->v + v, 0, size);
        }
        if (!plan->driven[k]) {
            lb_copy_plan_hinge(plan, s->model, k, s->q, s->v);
        }
    }
    for (int i = 0; i < c->sample.channel_count && (first || !whole); ++i) {
        plan->q[plan->q_at[i]] = c->position[i];
        plan->v[plan->v_at[i]] = c->speed[i];
    }
}

lb_status lb_compute_plan_forces(lb_plan *plan, double t)
{
    memset(plan->force, 0, (size_t)plan->v_count * sizeof *plan->force);
    lb_status status = lb_compute_kinematics(plan->model, plan->work, plan->q, plan->v, NULL);
    return status < 0 || !plan->forces
               ? status
               : lb_compute_chosen_forces(plan->forces, plan->model, plan->work, t, plan->q,
                                          plan->v, plan->passive, plan->force, NULL, NULL);
}

// Consistent inverse dynamics                                                            (CTL-5)
//
//     hinges given, modes (and hinges that are not controlled) solved:  tau_h, a_f  with  M a + c = tau
//     rigid: the same with the modes held at zero:                      tau = M a + c,  a_f = 0
//
// computes  what actuators must add to the forces of other elements
lb_status lb_compute_plan_inverse(lb_plan *plan, bool rigid)
{
    lb_status status;
    if (rigid) {
        for (int k = 0; k < plan->body_count; ++k) {
            const int v = lb_get_v_offset(plan->model, k);
            memset(plan->a + v, 0, (size_t)lb_get_mode_count(plan->model, k) * sizeof *plan->a);
        }
        status = lb_tree_inverse(plan->model, plan->work, plan->q, plan->v, plan->a, plan->tau);
    } else {
        memcpy(plan->tau, plan->force, (size_t)plan->v_count * sizeof *plan->tau);
        status = lb_tree_hybrid(plan->model, plan->work, plan->q, plan->v, plan->driven, plan->tau,
                                plan->a);
    }
    for (int i = 0; i < plan->v_count; ++i) {
        plan->tau[i] = plan->channel[i] ? plan->tau[i] - plan->force[i] : 0.0;
    }
    return status;
}

lb_status lb_compute_plan_forward(lb_plan *plan)
{
    for (int i = 0; i < plan->v_count; ++i) {
        plan->step[i] = plan->tau[i] + plan->force[i];
    }
    return lb_tree_forward(plan->model, plan->work, plan->q, plan->v, plan->step, plan->a);
}
