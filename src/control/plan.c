// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A controller's own idea of the system.
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/layout.h"

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

// Finds the twins of all bodies; complains of hinges of a model of its own that the simulation does not
// have, and of loops, which it would not close.
static void find_twins(lb_simulation *sim, const lb_controller *c, lb_plan *plan)
{
    const lb_model *plant = sim->system.model, *own = plan->model;
    for (int k = 0; k < plan->body_count; ++k) {
        const char *name = lb_get_body_name(own, k);
        plan->twin[k] = plan->is_apart ? lb_find_body(plant, name) : k;
        if (!plan->is_apart || lb_get_hinge(own, k).v_count == 0) {
            continue;
        }
        if (plan->twin[k] < 0) {
            LB_COMPLAIN(sim, c->law_path, "model",
                        "its body '%s' has a hinge, but there is no body of that name here", name);
        } else if (lb_get_hinge(own, k).type != lb_get_hinge(plant, plan->twin[k]).type) {
            LB_COMPLAIN(
                sim, c->law_path, "model",
                "the hinge of its body '%s' is of type %s, but that of '%s' here is of type "
                "%s",
                name, lb_get_hinge_type_name(lb_get_hinge(own, k).type), name,
                lb_get_hinge_type_name(lb_get_hinge(plant, plan->twin[k]).type));
            plan->twin[k] = LB_NOT_FOUND;
        }
    }
    if (plan->is_apart && own->loop_count > 0) {
        LB_COMPLAIN(sim, c->law_path, "model", "it has loops, expected a tree");
    }
}

// Finds the coordinate and speed of a channel in a model of its own.
static void find_channel(lb_simulation *sim, const lb_controller *c, lb_plan *plan, int i)
{
    const lb_model *plant = sim->system.model, *own = plan->model;
    const lb_channel *channel = &c->channels[i];
    const char *name = lb_get_body_name(plant, channel->body);
    const int k = plan->is_apart ? lb_find_body(own, name) : channel->body;
    plan->q_at[i] = plan->v_at[i] = 0;
    if (channel->q < 0) {
        LB_COMPLAIN(sim, c->law_path, "",
                    "the hinge of '%s' has no coordinates that this law could follow", name);
    } else if (k < 0) {
        LB_COMPLAIN(sim, c->law_path, "model",
                    "it has no body '%s', whose hinge is controlled here", name);
    } else if (plan->twin[k] < 0 || lb_get_hinge(own, k).v_count == 0) {
        // complained of already, unless its hinge is fixed
        if (lb_get_hinge(own, k).v_count == 0) {
            LB_COMPLAIN(sim, c->law_path, "model",
                        "its body '%s' is fixed, but its hinge is controlled here", name);
        }
    } else {
        const int q = channel->q - lb_get_q_offset(plant, channel->body);
        const int v = channel->v - lb_get_v_offset(plant, channel->body);
        const int modes = lb_get_mode_count(own, k) - lb_get_mode_count(plant, channel->body);
        plan->q_at[i] = lb_get_q_offset(own, k) + q + modes;
        plan->v_at[i] = lb_get_v_offset(own, k) + v + modes;
        plan->driven[k] = 1;
        plan->channel[plan->v_at[i]] = 1;
    }
}

// Memory of a plan whose model and counts are known.
static lb_status take_plan(lb_simulation *sim, size_t channel_count, lb_plan *plan)
{
    const size_t n = (size_t)plan->v_count, m = (size_t)plan->q_count,
                 bodies = (size_t)plan->body_count;
    double *numbers = lb_arena_take(&sim->arena, 2 * m + 8 * n, sizeof *numbers);
    unsigned char *flags = lb_arena_take(&sim->arena, bodies + n, 1);
    plan->twin = lb_arena_take(&sim->arena, bodies + 2 * channel_count, sizeof *plan->twin);
    if (!numbers || !flags || !plan->twin) {
        return LB_E_MEMORY;
    }
    plan->q_at = plan->twin + bodies;
    plan->v_at = plan->q_at + channel_count;
    plan->q = numbers;
    plan->q0 = numbers + m;
    plan->driven = flags;
    plan->channel = flags + bodies;
    double **vectors[] = {&plan->v,  &plan->a,     &plan->tau,   &plan->force,
                          &plan->v0, &plan->v_sum, &plan->a_sum, &plan->step};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = numbers + 2 * m + i * n;
    }
    lb_get_neutral_configuration(plan->model, plan->q);
    plan->work = lb_create_work(plan->model);
    return plan->work ? LB_OK : LB_E_MEMORY;
}

lb_status lb_create_plan(lb_simulation *sim, const lb_law_options *options, lb_controller *c,
                         lb_plan **out)
{
    const lb_system *s = &sim->system;
    const lb_model *model = options->model ? options->model : s->model;
    lb_plan *plan = lb_arena_take(&sim->arena, 1, sizeof *plan);
    *out = plan;
    if (!plan) {
        return LB_E_MEMORY;
    }
    *plan = (lb_plan){.model = model,
                      .forces = options->model ? options->model_forces : s->forces,
                      .is_apart = options->model != NULL,
                      .body_count = lb_get_body_count(model),
                      .q_count = lb_get_q_count(model),
                      .v_count = lb_get_v_count(model)};
    const lb_status status = take_plan(sim, (size_t)c->sample.channel_count, plan);
    if (status < 0) {
        return status;
    }
    const int errors = sim->faults.error_count;
    find_twins(sim, c, plan);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        find_channel(sim, c, plan, i);
    }
    for (int k = 0; k < plan->body_count && sim->faults.error_count == errors; ++k) {
        const int first = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        for (int i = 0; plan->driven[k] && i < lb_get_hinge(model, k).v_count; ++i) {
            if (!plan->channel[first + i]) {
                LB_COMPLAIN(sim, c->law_path, "",
                            "speed %d of the hinge of '%s' has no actuator here: this law needs "
                            "one for each",
                            i, lb_get_body_name(model, k));
            }
        }
    }
    return find_fastest(plan);
}

lb_status lb_complete_plan(lb_simulation *sim, lb_plan *plan)
{
    lb_status status = LB_OK;
    if (plan->is_apart && plan->forces) {
        status = lb_complete_forces(plan->forces);
    }
    const int count = plan->forces ? plan->forces->count : 0;
    plan->passive = lb_arena_take(&sim->arena, (size_t)count, 1);
    for (int i = 0; plan->passive && i < count; ++i) {
        const lb_force_type type = plan->forces->forces[i].type;
        plan->passive[i] = type != LB_FORCE_ACTUATOR && type != LB_FORCE_MOTION;
    }
    return plan->passive ? status : LB_E_MEMORY;
}

void lb_destroy_plan(lb_plan *plan)
{
    if (plan && plan->work) {
        lb_destroy_work(plan->work);
    }
}

// ---- the state -------------------------------------------------------------------------------------

void lb_set_plan_end(lb_plan *plan, const lb_simulation *sim, const lb_controller *c)
{
    for (int k = 0; k < plan->body_count; ++k) {
        if (lb_has_modes_of_twin(plan, sim->system.model, k)) {
            lb_copy_plan_modes(plan, sim->system.model, k, sim->q0, NULL);
        }
        lb_copy_plan_hinge(plan, sim->system.model, k, sim->q0, NULL);
    }
    for (int i = 0; i < c->sample.channel_count; ++i) {
        double desired[3];
        lb_evaluate_desired(&c->channels[i].desired, 1e300, desired);
        if (isfinite(desired[0])) {
            plan->q[plan->q_at[i]] = desired[0];
        }
    }
}

// ---- in time ---------------------------------------------------------------------------------------

// Classical Runge-Kutta in steps of at most 1 / (4 fastest), forces held                     (CTL-7)
lb_status lb_advance_plan(lb_plan *plan, double h_whole)
{
    static const double weights[] = {1, 2, 2, 1}, along[] = {0.5, 0.5, 1, 0};
    const size_t n = (size_t)plan->v_count, bytes = n * sizeof(double);
    const int step_count = (int)lb_count_plan_steps(plan, h_whole);
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
