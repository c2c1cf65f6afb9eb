// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A controller's own idea of the system.
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- setting up ------------------------------------------------------------------------------------

// Highest frequency of the modes of any body, its frame held.
static lb_status find_fastest(lb_plan *plan)
{
    const lb_model *model = plan->model;
    for (int k = 0; k < plan->body_count; ++k) {
        const size_t n = (size_t)lb_get_mode_count(model, k);
        if (n == 0) {
            continue;
        }
        double *scratch = malloc((2 * n * n + n) * sizeof *scratch);
        if (!scratch) {
            return LB_E_MEMORY;
        }
        double *omega = scratch + 2 * n * n;
        if (lb_compute_body_frequencies(model, k, scratch, omega) >= 0) {
            plan->fastest = fmax(plan->fastest, omega[n - 1]);
        }
        free(scratch);
    }
    return LB_OK;
}

lb_status lb_create_plan(lb_simulation *sim, lb_controller *c, lb_plan **out)
{
    const lb_system *s = &sim->system;
    const size_t n = (size_t)s->v_count, m = (size_t)s->q_count;
    lb_plan *plan = lb_arena_take(&sim->arena, 1, sizeof *plan);
    double *numbers = lb_arena_take(&sim->arena, 2 * m + 8 * n, sizeof *numbers);
    unsigned char *flags = lb_arena_take(&sim->arena, (size_t)s->body_count + n, 1);
    *out = plan;
    if (!plan || !numbers || !flags) {
        return LB_E_MEMORY;
    }
    *plan = (lb_plan){.model = s->model,
                      .work = lb_create_work(s->model),
                      .body_count = s->body_count,
                      .q_count = s->q_count,
                      .v_count = s->v_count,
                      .q = numbers,
                      .q0 = numbers + m,
                      .driven = flags,
                      .channel = flags + s->body_count};
    double **vectors[] = {&plan->v,  &plan->a,     &plan->tau,   &plan->force,
                          &plan->v0, &plan->v_sum, &plan->a_sum, &plan->step};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = numbers + 2 * m + i * n;
    }
    for (int i = 0; i < c->sample.channel_count; ++i) {
        plan->driven[c->channels[i].body] = 1;
        plan->channel[c->channels[i].v] = 1;
        if (c->channels[i].q < 0) {
            LB_COMPLAIN(sim, c->law_path, "",
                        "the hinge of '%s' has no coordinates that this law could follow",
                        lb_get_body_name(s->model, c->channels[i].body));
        }
    }
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        for (int i = 0; plan->driven[k] && i < lb_get_hinge_v_count(s->model, k); ++i) {
            if (!plan->channel[first + i]) {
                LB_COMPLAIN(sim, c->law_path, "",
                            "speed %d of the hinge of '%s' has no actuator here: this law needs "
                            "one for each",
                            i, lb_get_body_name(s->model, k));
            }
        }
    }
    return plan->work ? find_fastest(plan) : LB_E_MEMORY;
}

lb_status lb_complete_plan(lb_simulation *sim, lb_plan *plan)
{
    const lb_system *s = &sim->system;
    plan->passive = lb_arena_take(&sim->arena, (size_t)s->force_count, 1);
    for (int i = 0; plan->passive && i < s->force_count; ++i) {
        const lb_force_type type = s->forces->forces[i].type;
        plan->passive[i] = type != LB_FORCE_ACTUATOR && type != LB_FORCE_MOTION;
    }
    return plan->passive ? LB_OK : LB_E_MEMORY;
}

void lb_destroy_plan(lb_plan *plan)
{
    if (plan && plan->work) {
        lb_destroy_work(plan->work);
    }
}

// ---- the state -------------------------------------------------------------------------------------

void lb_observe(lb_plan *plan, const lb_system *s, const lb_controller *c, lb_law_modes modes,
                bool whole)
{
    const bool first = c->sample_count == 0.0;
    for (int k = 0; k < plan->body_count; ++k) {
        const int q = lb_get_q_offset(plan->model, k), v = lb_get_v_offset(plan->model, k);
        const int mode_count = lb_get_mode_count(plan->model, k);
        for (int r = 0; r < mode_count; ++r) {
            if (modes == LB_LAW_MODES_EXACT || (modes == LB_LAW_MODES_ESTIMATED && first)) {
                plan->q[q + r] = s->q[q + r];
                plan->v[v + r] = s->v[v + r];
            } else if (modes == LB_LAW_MODES_RIGID) {
                plan->q[q + r] = plan->v[v + r] = 0.0;
            }
        }
        if (plan->driven[k]) {
            continue;
        }
        const int q_count = lb_get_hinge_q_count(plan->model, k);
        const int v_count = lb_get_hinge_v_count(plan->model, k);
        memcpy(plan->q + q + mode_count, s->q + q + mode_count, (size_t)q_count * sizeof(double));
        memcpy(plan->v + v + mode_count, s->v + v + mode_count, (size_t)v_count * sizeof(double));
    }
    for (int i = 0; i < c->sample.channel_count && (first || !whole); ++i) {
        plan->q[c->channels[i].q] = c->position[i];
        plan->v[c->channels[i].v] = c->speed[i];
    }
}

// ---- dynamics --------------------------------------------------------------------------------------

lb_status lb_compute_plan_forces(lb_plan *plan, lb_forces *forces, double t)
{
    memset(plan->force, 0, (size_t)plan->v_count * sizeof *plan->force);
    lb_status status = lb_compute_kinematics(plan->model, plan->work, plan->q, plan->v, NULL);
    return status < 0 ? status
                      : lb_compute_chosen_forces(forces, plan->model, plan->work, t, plan->q,
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
        status = lb_compute_inverse_dynamics(plan->model, plan->work, plan->q, plan->v, plan->a,
                                             plan->tau);
    } else {
        memcpy(plan->tau, plan->force, (size_t)plan->v_count * sizeof *plan->tau);
        status = lb_compute_hybrid_dynamics(plan->model, plan->work, plan->q, plan->v, plan->driven,
                                            plan->tau, plan->a);
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
    return lb_compute_forward_dynamics(plan->model, plan->work, plan->q, plan->v, plan->step,
                                       plan->a);
}

// Classical Runge-Kutta in steps of at most 1 / (4 fastest), forces held                     (CTL-7)
lb_status lb_advance_plan(lb_plan *plan, double h_whole)
{
    static const double weights[] = {1, 2, 2, 1}, along[] = {0.5, 0.5, 1, 0};
    const size_t n = (size_t)plan->v_count, bytes = n * sizeof(double);
    const int step_count = (int)fmin(1e6, ceil(fmax(1.0, 4.0 * h_whole * plan->fastest)));
    const double h = h_whole / step_count;
    for (int step = 0; step < step_count; ++step) {
        memcpy(plan->q0, plan->q, (size_t)plan->q_count * sizeof(double));
        memcpy(plan->v0, plan->v, bytes);
        memset(plan->v_sum, 0, bytes);
        memset(plan->a_sum, 0, bytes);
        for (int stage = 0; stage < 4; ++stage) {
            const lb_status status = lb_compute_plan_forward(plan);
            if (status < 0) {
                return status;
            }
            for (size_t i = 0; i < n; ++i) {
                plan->v_sum[i] += h / 6 * weights[stage] * plan->v[i];
                plan->a_sum[i] += h / 6 * weights[stage] * plan->a[i];
                plan->step[i] = stage < 3 ? h * along[stage] * plan->v[i] : plan->v_sum[i];
                plan->v[i] =
                    plan->v0[i] + (stage < 3 ? h * along[stage] * plan->a[i] : plan->a_sum[i]);
            }
            lb_integrate_configuration(plan->model, plan->q0, plan->step, plan->q);
        }
    }
    return LB_OK;
}
