// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frozen_simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/laws/laws.h"

// Readings of one sensor that may be under way: they are entries of memory, one by one.
enum { PAST_MOST = 2000, CHANNEL_MOST = 64 };

static int get_count(const lb_simulation *sim)
{
    return sim->control ? sim->control->count : 0;
}

// ---- what is refused ---------------------------------------------------------------------------

static const char *get_sensor_obstacle(const lb_sensor *sensor)
{
    if (sensor->past_count > PAST_MOST) {
        return "its delay is more samples than are frozen, 2000";
    }
    return sensor->type == LB_SENSOR_SIGNAL && lb_is_signal_refused(&sensor->signal)
               ? "signals of reactions, forces in cuts and callbacks are not frozen"
               : NULL;
}

static bool is_law(const lb_controller *c, const char *name)
{
    return strcmp(c->law->name, name) == 0;
}

const lb_torque_law *lb_get_planned_law(const lb_controller *c)
{
    return is_law(c, "computed-torque") || is_law(c, "acceleration-matching") ? c->own : NULL;
}

static bool estimates(const lb_controller *c)
{
    const lb_torque_law *law = lb_get_planned_law(c);
    return law && law->modes == LB_LAW_MODES_ESTIMATED;
}

// Why a law cannot be frozen, or NULL.
static const char *get_law_obstacle(const lb_controller *c)
{
    const lb_torque_law *law = lb_get_planned_law(c);
    if (!law) {
        return is_law(c, "pid") || is_law(c, "lqr") || is_law(c, "attitude")
                   ? NULL
                   : "what it does is not in the model";
    }
    if (law->goals) {
        return "desired deformations are not frozen";
    }
    for (int k = 0; estimates(c) && k < law->plan->body_count; ++k) {
        if (lb_get_hinge(law->plan->model, k).q_count !=
            lb_get_hinge(law->plan->model, k).v_count) {
            return "estimates of bodies that turn freely are not frozen";
        }
    }
    return NULL;
}

lb_status lb_check_controllers(const lb_simulation *sim, const lb_report *report)
{
    for (int i = 0; i < get_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        const char *why = get_law_obstacle(c);
        if (why) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                       "controller '%s': its law of type %s is not frozen: %s",
                                       c->name, c->law->name, why);
        }
        const lb_torque_law *law = lb_get_planned_law(c);
        if (law && law->plan->is_apart && law->plan->forces) {
            const lb_status status = lb_check_forces_freeze(law->plan->forces, report);
            if (status != LB_OK) {
                return status;
            }
        }
        if (c->sample.channel_count > CHANNEL_MOST) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                       "controller '%s': more than %d actuators", c->name,
                                       (int)CHANNEL_MOST);
        }
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            const char *obstacle = get_sensor_obstacle(&c->sensors[j]);
            if (obstacle) {
                return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                           "controller '%s', sensor '%s': %s", c->name,
                                           c->sensors[j].name, obstacle);
            }
        }
    }
    return LB_OK;
}

bool lb_needs_accelerations(const lb_simulation *sim, double rate)
{
    bool found = false;
    for (int i = 0; i < get_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            const lb_sensor *sensor = &c->sensors[j];
            const bool needs = sensor->type == LB_SENSOR_TORQUE ||
                               (sensor->type == LB_SENSOR_SIGNAL &&
                                sensor->signal.stage == LB_SIGNAL_ACCELERATION);
            found = found || (needs && sensor->rate == rate);
        }
    }
    return found;
}

bool lb_sensors_need_inertias(const lb_simulation *sim)
{
    bool found = false;
    for (int i = 0; i < get_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            found = found || (c->sensors[j].type == LB_SENSOR_SIGNAL &&
                              lb_is_signal_of_system(&c->sensors[j].signal));
        }
    }
    return found;
}

// ---- memory ------------------------------------------------------------------------------------

// "controller.part.what.3" behind the entries of memory.
static bool add_entry(frozen_simulation *f, const lb_controller *c, const char *part,
                      const char *what, int i)
{
    char end[2 * LB_COLUMN_SIZE];
    snprintf(end, sizeof end, i < 0 ? "%s%s%s" : "%s%s%s.%d", part, *part ? "." : "", what, i);
    return lb_add_frozen_name(&f->lists, LB_FROZEN_MEMORY, c->name, end);
}

// Numbers that a law keeps from sample to sample.
static int count_kept(const lb_controller *c)
{
    if (estimates(c)) {
        const lb_plan *plan = lb_get_planned_law(c)->plan;
        return plan->q_count + 4 * plan->v_count;
    }
    return is_law(c, "pid")   ? c->sample.channel_count
           : is_law(c, "lqr") ? ((const lb_lqr *)c->own)->n
                              : 0;
}

static bool list_controller(frozen_simulation *f, const lb_controller *c,
                            lb_controller_place *place)
{
    const int *at = &f->lists.counts[LB_FROZEN_MEMORY];
    const int channels = c->sample.channel_count;
    place->references = malloc(((size_t)channels + 1) * sizeof *place->references);
    place->count = *at;
    bool good = place->references && add_entry(f, c, "", "sample_count", -1);
    place->sensors = *at;
    for (int j = 0; good && j < c->sample.sensor_count; ++j) {
        const lb_sensor *sensor = &c->sensors[j];
        for (int i = 0; good && i < sensor->past_count; ++i) {
            good = add_entry(f, c, sensor->name, "arrival", i) &&
                   add_entry(f, c, sensor->name, "reading", i);
        }
    }
    place->channels = *at;
    for (int i = 0; good && i < channels; ++i) {
        const lb_channel *channel = &c->channels[i];
        place->references[i] = -1;
        if (channel->speed_sensor == LB_MEASURED_BY_DIFFERENCES) {
            good = add_entry(f, c, f->sim->system.forces->forces[channel->actuator].name,
                             "last_position", -1);
        }
    }
    place->law = *at;
    for (int i = 0; good && i < count_kept(c); ++i) {
        good = add_entry(f, c, "law", c->law->name, i);
    }
    return good;
}

// One group of sensors for each of their rates.
static bool list_sensors(frozen_simulation *f, const lb_controller *c)
{
    lb_frozen_control *control = &f->control;
    bool good = true;
    for (int j = 0; good && j < c->sample.sensor_count; ++j) {
        int group = 0;
        while (group < control->sampler_count &&
               control->samplers[group].rate != c->sensors[j].rate) {
            ++group;
        }
        if (c->sensors[j].noise > 0.0) {
            control->noises[control->noise_count++] =
                (lb_frozen_noise){group, lb_get_noise_seed(f->sim, c->name, &c->sensors[j])};
        }
        if (group == control->sampler_count) {
            lb_frozen_sampler *s = &control->samplers[control->sampler_count];
            s->at = f->lists.counts[LB_FROZEN_MEMORY];
            s->rate = c->sensors[j].rate;
            s->plan_at = -1;
            snprintf(s->name, sizeof s->name, "sense_%d", control->sampler_count++);
            good = add_entry(f, c, c->sensors[j].name, "sample_count", -1);
        }
    }
    return good;
}

bool lb_list_controllers(frozen_simulation *f)
{
    const lb_forces *forces = f->sim->system.forces;
    const int count = get_count(f->sim);
    size_t most = (size_t)count + 1;
    for (int i = 0; i < count; ++i) {
        most += (size_t)f->sim->control->controllers[i].sample.sensor_count;
    }
    f->places = calloc((size_t)count + 1, sizeof *f->places);
    f->control.samplers = calloc(most, sizeof *f->control.samplers);
    f->control.ramps = calloc((size_t)forces->count + 1, sizeof *f->control.ramps);
    f->control.noises = calloc(most, sizeof *f->control.noises);
    bool good = f->places && f->control.samplers && f->control.ramps && f->control.noises;
    for (int i = 0; good && i < count; ++i) {
        good = list_sensors(f, &f->sim->control->controllers[i]);
    }
    f->group_count = f->control.sampler_count;
    for (int i = 0; good && i < count; ++i) {
        const lb_controller *c = &f->sim->control->controllers[i];
        good = list_controller(f, c, &f->places[i]);
        lb_frozen_sampler *s = &f->control.samplers[f->control.sampler_count++];
        s->at = f->places[i].count;
        s->rate = c->rate;
        snprintf(s->name, sizeof s->name, "sample_%d", i);
        s->plan_at = -1;
        if (estimates(c)) {
            const lb_plan *plan = lb_get_planned_law(c)->plan;
            s->plan_at = f->places[i].law;
            s->plan_q_count = plan->q_count;
            s->plan_v_count = plan->v_count;
            s->plan_steps = (int)lb_count_plan_steps(plan, c->sample.period);
            snprintf(s->plan, sizeof s->plan, "plan_%d", i);
        }
    }
    for (int i = 0; good && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (f->actuators[i] >= 0 && isfinite(force->rate_limit)) {
            f->control.ramps[f->control.ramp_count++] =
                (lb_frozen_ramp){f->actuators[i], force->rate_limit};
        }
    }
    return good;
}

lb_status lb_add_reference(frozen_simulation *f, const char *name, size_t length)
{
    static const char *const parts[3] = {"desired", "desired_speed", "desired_acceleration"};
    for (int i = 0; f->places && i < get_count(f->sim); ++i) {
        const lb_controller *c = &f->sim->control->controllers[i];
        const size_t skip = strlen(c->name);
        for (int j = 0; j < c->sample.channel_count; ++j) {
            const char *actuator = f->sim->system.forces->forces[c->channels[j].actuator].name;
            if (length != skip + 1 + strlen(actuator) || memcmp(name, c->name, skip) != 0 ||
                name[skip] != '.' || memcmp(name + skip + 1, actuator, strlen(actuator)) != 0 ||
                f->places[i].references[j] >= 0 || is_law(c, "attitude")) {
                continue;
            }
            f->places[i].references[j] = f->lists.counts[LB_FROZEN_INPUTS];
            for (int k = 0; k < 3; ++k) {
                char end[2 * LB_COLUMN_SIZE];
                snprintf(end, sizeof end, "%s.%s", actuator, parts[k]);
                if (!lb_add_frozen_name(&f->lists, LB_FROZEN_INPUTS, c->name, end)) {
                    return LB_E_MEMORY;
                }
            }
            return LB_OK;
        }
    }
    return LB_E_ARGUMENT;
}

void lb_clear_controllers(frozen_simulation *f)
{
    for (int i = 0; f->places && i < get_count(f->sim); ++i) {
        free(f->places[i].references);
    }
    free(f->places);
    free(f->control.samplers);
    free(f->control.ramps);
    free(f->control.noises);
}
