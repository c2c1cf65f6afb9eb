// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Laws that know the dynamics: computed torque, and the acceleration matching of US patent 5,546,508.
//
// Both ask the hinges for                                                               (CTL-8)
//
//     a = xdd_d + kd (xd_d - xd) + kp (x_d - x)
//
// or for what a regulator says. A hinge that does just what it is told is a clamp, in which modes ring
// on; the regulator (CTL-12) makes it give way so that they come to rest.
#include <math.h>
#include <stdio.h>

#include "dynamics/tree/tree.h"
#include "laws/laws.h"

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const size_t n = (size_t)c->sample.channel_count;
    lb_torque_law *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&sim->arena, 3 * n, sizeof *numbers);
    if (!own || !numbers) {
        return LB_E_MEMORY;
    }
    c->own = own;
    own->kp = numbers;
    own->kd = numbers + n;
    own->wanted = numbers + 2 * n;
    lb_status status = lb_create_plan(sim, options, c, &own->plan);
    if (status < 0) {
        return status;
    }
    own->unit = lb_arena_take(&sim->arena, (size_t)own->plan->v_count, sizeof *own->unit);
    if (!own->unit) {
        return LB_E_MEMORY;
    }
    if (options->regulator) {
        static const char *const others[] = {"kp", "kd"};
        for (int i = 0; i < 2; ++i) {
            if (i == 0 ? options->kp : options->kd) {
                LB_COMPLAIN(sim, c->law_path, others[i], "the regulator has gains of its own");
            }
        }
        status = lb_make_regulator(sim, options->regulator, c, own->plan, &own->regulator);
    } else {
        lb_copy_gains(sim, c, "kp", false, c->sample.channel_count, options->kp, own->kp);
        lb_copy_gains(sim, c, "kd", false, c->sample.channel_count, options->kd, own->kd);
    }
    return status < 0 ? status : lb_make_deformations(sim, options, c, own->plan, &own->goals);
}

static lb_status complete(lb_simulation *sim, lb_controller *c)
{
    const lb_torque_law *own = c->own;
    return lb_complete_plan(sim, own->plan);
}

static void destroy(lb_controller *c)
{
    const lb_torque_law *own = c->own;
    if (own) {
        lb_destroy_plan(own->plan);
    }
}

// The regulator is designed where the desired motion ends.
static lb_status start(lb_simulation *sim, lb_controller *c)
{
    lb_torque_law *own = c->own;
    lb_plan *plan = own->plan;
    if (!own->regulator) {
        return LB_OK;
    }
    c->is_designed = true;
    lb_set_plan_end(plan, sim, c);
    return lb_design_regulator(own->regulator, sim, plan, c);
}

static void remember(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    const lb_plan *plan = ((const lb_torque_law *)c->own)->plan;
    (void)sim;
    lb_remember(memory, plan->q_count, plan->q);
    lb_remember(memory, plan->v_count, plan->v);
    lb_remember(memory, plan->v_count, plan->a);
    lb_remember(memory, plan->v_count, plan->tau);
}

static lb_status fail(lb_simulation *sim, const lb_controller *c, lb_status status)
{
    return lb_say(&sim->system, status, "t = %.9g s: controller '%s': %s", c->sample.t, c->name,
                  lb_get_status_text(status));
}

// ---- for linear models -----------------------------------------------------------------------------

// Whether its integration is part of the law, and whether forces of the last sample are.
static bool integrates(const lb_torque_law *own)
{
    return own->modes == LB_LAW_MODES_ESTIMATED;
}

static int count_modes(const lb_plan *plan)
{
    int count = 0;
    for (int k = 0; k < plan->body_count; ++k) {
        count += lb_get_mode_count(plan->model, k);
    }
    return count;
}

static int count_states(const lb_simulation *sim, const lb_controller *c)
{
    const lb_torque_law *own = c->own;
    const int n = c->sample.channel_count;
    (void)sim;
    return integrates(own)
               ? 2 * count_modes(own->plan) + (own->matches ? n : 0) + (own->whole ? 2 * n : 0)
               : 0;
}

// A number that the plan keeps.
typedef struct kept_number {
    double **numbers, *sizes;
    char (*names)[LB_COLUMN_SIZE];
    int count;
} kept_number;

static void add_number(kept_number *all, double *number, double size, const char *what, int i)
{
    all->numbers[all->count] = number;
    all->sizes[all->count] = size;
    snprintf(all->names[all->count++], LB_COLUMN_SIZE, "%s.%d", what, i);
}

// What the law keeps from sample to sample, with sizes of coordinates and of speeds, which may change by
// those in a period.
static lb_status list_numbers(const lb_controller *c, kept_number *all)
{
    lb_torque_law *own = c->own;
    lb_plan *plan = own->plan;
    double *scales = own->unit;
    const double rate = c->rate;
    lb_find_scales(plan->model, scales);
    for (int k = 0, at = 0; k < plan->body_count; ++k) {
        const int q = lb_get_q_offset(plan->model, k), v = lb_get_v_offset(plan->model, k);
        for (int i = 0; i < lb_get_mode_count(plan->model, k); ++i, ++at) {
            add_number(all, &plan->q[q + i], scales[v + i], "mode", at);
            add_number(all, &plan->v[v + i], scales[v + i] * rate, "mode_rate", at);
        }
    }
    for (int i = 0; i < c->sample.channel_count && own->whole; ++i) {
        const int v = plan->v_at[i];
        add_number(all, &plan->q[plan->q_at[i]], scales[v], "coordinate", i);
        add_number(all, &plan->v[v], scales[v] * rate, "speed", i);
    }
    lb_status status = lb_tree_inertia(plan->model, plan->work, plan->q);
    for (int i = 0; i < c->sample.channel_count && own->matches && status >= 0; ++i) {
        const int at = plan->v_at[i];
        const double size = scales[at] * rate * rate;
        for (int j = 0; j < plan->v_count; ++j) {
            plan->step[j] = j == at;
        }
        status = lb_tree_solve(plan->model, plan->work, plan->step, plan->step);
        add_number(all, &plan->tau[at], size / plan->step[at], "force", i);
    }
    return status;
}

// The plan as after many samples at this state: it knows the modes, and its forces are at their end.
static lb_status settle(lb_simulation *sim, lb_controller *c)
{
    const lb_torque_law *own = c->own;
    lb_plan *plan = own->plan;
    const double sample_count = c->sample_count;
    lb_status status = LB_OK;
    const int rounds = own->matches ? 1 + 100 / own->sweep_count : 1;
    for (int i = 0; i < rounds && status >= 0; ++i) {
        c->sample_count = 0.0;
        lb_observe(plan, &sim->system, c, LB_LAW_MODES_ESTIMATED, own->whole);
        c->sample_count = 1.0;
        status = own->matches ? c->law->update(sim, c) : LB_OK;
    }
    c->sample_count = 0.0;
    lb_observe(plan, &sim->system, c, LB_LAW_MODES_ESTIMATED, own->whole);
    c->sample_count = sample_count;
    return status;
}

static lb_status difference(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes,
                            lb_arena *arena)
{
    const lb_torque_law *own = c->own;
    const size_t n = (size_t)slopes->memory_count;
    kept_number all = {.numbers = lb_arena_take(arena, n + 1, sizeof *all.numbers),
                       .sizes = lb_take_numbers(arena, n + 1),
                       .names = slopes->names};
    if (!all.numbers || !all.sizes) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    if (slopes->is_kept) {
        lb_observe(own->plan, &sim->system, c, LB_LAW_MODES_ESTIMATED, own->whole);
    } else {
        status = settle(sim, c);
    }
    status = status < 0 || !integrates(own) ? status : list_numbers(c, &all);
    return status < 0 ? status : lb_difference_law(sim, c, all.numbers, all.sizes, slopes);
}

static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_memory memory = {LB_MEMORY_COUNT, 0, NULL};
    remember(&memory, sim, c);
    memory.numbers = lb_take_numbers(&arena, (size_t)memory.count);
    lb_status status = memory.numbers ? LB_OK : LB_E_MEMORY;
    if (status >= 0) {
        memory = (lb_memory){LB_MEMORY_SAVE, 0, memory.numbers};
        remember(&memory, sim, c);
        status = difference(sim, c, slopes, &arena);
        memory = (lb_memory){LB_MEMORY_RESTORE, 0, memory.numbers};
        remember(&memory, sim, c);
    }
    lb_arena_free(&arena);
    return status;
}

static void move_memory(lb_controller *c, const double *by)
{
    const lb_torque_law *own = c->own;
    lb_plan *plan = own->plan;
    int count = 0;
    for (int k = 0; k < plan->body_count && integrates(own); ++k) {
        const int q = lb_get_q_offset(plan->model, k), v = lb_get_v_offset(plan->model, k);
        for (int i = 0; i < lb_get_mode_count(plan->model, k); ++i) {
            plan->q[q + i] += by[count++];
            plan->v[v + i] += by[count++];
        }
    }
    for (int i = 0; i < c->sample.channel_count && integrates(own) && own->whole; ++i) {
        plan->q[plan->q_at[i]] += by[count++];
        plan->v[plan->v_at[i]] += by[count++];
    }
    for (int i = 0; i < c->sample.channel_count && integrates(own) && own->matches; ++i) {
        plan->tau[plan->v_at[i]] += by[count++];
    }
}

// What the two laws share.
#define TORQUE_LAW(title, maker, updater)                                                          \
    {                                                                                              \
        .name = title, .needs_channels = true, .needs_desired = true, .make = maker,               \
        .complete = complete, .start = start, .update = updater, .destroy = destroy,               \
        .remember = remember, .reads_state = true, .count_states = count_states,                   \
        .differentiate = differentiate, .settle = settle, .move_memory = move_memory               \
    }

// ---- computed torque -------------------------------------------------------------------------------

static lb_status make_computed(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const lb_status status = make(sim, options, c);
    if (status < 0) {
        return status;
    }
    lb_torque_law *own = c->own;
    own->modes = options->modes;
    if ((int)own->modes < 0 || own->modes > LB_LAW_MODES_RIGID) {
        LB_COMPLAIN(sim, c->law_path, "modes", "%d is no knowledge of modes", (int)own->modes);
    }
    if (own->regulator && own->modes == LB_LAW_MODES_RIGID) {
        LB_COMPLAIN(sim, c->law_path, "modes", "a regulator of vibrations knows of them");
    }
    if (own->goals && own->modes == LB_LAW_MODES_RIGID) {
        LB_COMPLAIN(sim, c->law_path, "modes", "a law that follows deformations knows of modes");
    }
    const lb_plan *plan = own->plan;
    for (int k = 0; k < plan->body_count && own->modes == LB_LAW_MODES_EXACT; ++k) {
        if (lb_get_mode_count(plan->model, k) > 0 &&
            !lb_has_modes_of_twin(plan, sim->system.model, k)) {
            LB_COMPLAIN(sim, c->law_path, "model",
                        "its body '%s' has %d modes, but %s here: with other modes this law "
                        "estimates them (modes: estimated) or knows of none (modes: rigid)",
                        lb_get_body_name(plan->model, k), lb_get_mode_count(plan->model, k),
                        plan->twin[k] < 0 ? "there is no such body" : "it has another number");
        }
    }
    return LB_OK;
}

static lb_status update_computed(lb_simulation *sim, lb_controller *c)
{
    const lb_status status = lb_update_computed_torque(sim, c);
    return status < 0 ? fail(sim, c, status) : LB_OK;
}

const lb_law lb_law_computed_torque = TORQUE_LAW("computed-torque", make_computed, update_computed);

// ---- acceleration matching -------------------------------------------------------------------------

static lb_status make_matching(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const lb_status status = make(sim, options, c);
    if (status < 0) {
        return status;
    }
    lb_torque_law *own = c->own;
    own->matches = true;
    own->whole = options->integrated;
    own->modes = LB_LAW_MODES_ESTIMATED;
    own->sweep_count = options->sweep_count;
    if (!(own->sweep_count >= 1 && own->sweep_count <= 100)) {
        LB_COMPLAIN(sim, c->law_path, "sweeps", "%d, expected a whole number from 1 to 100",
                    own->sweep_count);
    }
    return LB_OK;
}

static lb_status update_matching(lb_simulation *sim, lb_controller *c)
{
    const lb_status status = lb_update_matching(sim, c);
    return status < 0 ? fail(sim, c, status) : LB_OK;
}

const lb_law lb_law_matching = TORQUE_LAW("acceleration-matching", make_matching, update_matching);
