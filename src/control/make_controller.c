// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers as they are added: their place in the simulation, sensors and channels.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "control.h"
#include "controllers.h"

// ---- what is wrong -------------------------------------------------------------------------------

void lb_write_item_path(char path[LB_CONTROL_PATH_SIZE], const char *where, const char *list, int i)
{
    snprintf(path, LB_CONTROL_PATH_SIZE, "%s.%s[%d]", where, list, i);
}

bool lb_check_positive(lb_simulation *sim, const char *where, const char *key, bool zero_too,
                       double number)
{
    const bool good = isfinite(number) && (zero_too ? number >= 0.0 : number > 0.0);
    if (!good) {
        LB_COMPLAIN(sim, where, key, "%.15g, expected a %s", number,
                    !isfinite(number) ? "finite number"
                    : zero_too        ? "number not below zero"
                                      : "number above zero");
    }
    return good;
}

// ---- a place among the others --------------------------------------------------------------------

lb_status lb_begin_controller(lb_simulation *sim, lb_controller **controller)
{
    if (!sim->control) {
        sim->control = lb_arena_take(&sim->arena, 1, sizeof *sim->control);
        if (!sim->control) {
            return LB_E_MEMORY;
        }
        sim->sampler = &lb_controllers;
    }
    lb_control *all = sim->control;
    lb_controller *controllers = lb_arena_grow(&sim->arena, all->controllers, all->count,
                                               &all->capacity, sizeof *controllers);
    if (!controllers) {
        return LB_E_MEMORY;
    }
    all->controllers = controllers;
    lb_controller *c = &controllers[all->count];
    *c = (lb_controller){.name = "", .rate = 1.0};
    snprintf(c->path, sizeof c->path, "controllers[%d]", all->count);
    snprintf(c->law_path, sizeof c->law_path, "controllers[%d].law", all->count);
    *controller = c;
    return LB_OK;
}

lb_status lb_name_controller(lb_simulation *sim, const char *name, lb_controller *c)
{
    if (!name) {
        LB_COMPLAIN(sim, c->path, "name", "missing: the key \"name\" is required here");
        return LB_OK;
    }
    if (lb_find_controller(sim, name) >= 0) {
        LB_COMPLAIN(sim, c->path, "name", "'%s' is already the name of a controller", name);
    }
    c->name = lb_arena_text(&sim->arena, name);
    return c->name ? LB_OK : LB_E_MEMORY;
}

lb_status lb_end_controller(lb_simulation *sim, lb_controller *c, lb_status status)
{
    if (status >= 0) {
        ++sim->control->count;
    } else if (c->law && c->law->destroy) {
        c->law->destroy(c);
    }
    return status;
}

void lb_give_to_controller(lb_simulation *sim, void *owned, void (*release)(void *owned))
{
    lb_controller *last = &sim->control->controllers[sim->control->count - 1];
    last->owned = owned;
    last->release = release;
}

lb_status lb_reserve_controller(lb_simulation *sim, const char *name)
{
    lb_controller *c;
    lb_status status = lb_begin_controller(sim, &c);
    if (status < 0) {
        return status;
    }
    status = name ? lb_name_controller(sim, name, c) : LB_OK;
    return lb_end_controller(sim, c, status);
}

// ---- sensors and channels ------------------------------------------------------------------------

static int find_sensor(const lb_controller *c, const char *name)
{
    for (int i = 0; i < c->sample.sensor_count; ++i) {
        if (strcmp(c->sensors[i].name, name) == 0) {
            return i;
        }
    }
    return LB_NOT_FOUND;
}

static lb_status make_sensors(lb_simulation *sim, const lb_controller_options *options,
                              lb_controller *c)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && options->sensors && i < options->sensor_count; ++i) {
        char where[LB_CONTROL_PATH_SIZE];
        lb_sensor_options own;
        lb_write_item_path(where, c->path, "sensors", i);
        status =
            lb_take_sensor_options(sim, where, lb_get_sized(options->sensors, (size_t)i), &own);
        status = status < 0 ? status : lb_make_sensor(sim, where, c->rate, &own, &c->sensors[i]);
        if (status >= 0 && own.name && find_sensor(c, own.name) >= 0) {
            LB_COMPLAIN(sim, where, "", "'%s' is already the name of a sensor", own.name);
        }
        c->sample.sensor_count = i + (status >= 0);
    }
    return status;
}

// A sensor by name; none means the true value.
static int find_measured(lb_simulation *sim, const char *where, const char *key,
                         const lb_controller *c, const char *name)
{
    const int sensor = name ? find_sensor(c, name) : LB_MEASURED_TRULY;
    if (name && sensor < 0) {
        LB_COMPLAIN(sim, where, key, "this controller has no sensor '%s'", name);
    }
    return sensor;
}

static void make_actuator(lb_simulation *sim, const char *where, const char *name,
                          lb_channel *channel)
{
    const lb_forces *forces = sim->system.forces;
    if (!name) {
        LB_COMPLAIN(sim, where, "actuator", "missing: the key \"actuator\" is required here");
        return;
    }
    channel->actuator = lb_find_force(forces, name);
    if (channel->actuator < 0 || forces->forces[channel->actuator].type != LB_FORCE_ACTUATOR) {
        LB_COMPLAIN(sim, where, "actuator",
                    channel->actuator < 0 ? "there is no actuator '%s' among the forces"
                                          : "the force '%s' is not of type actuator",
                    name);
        return;
    }
    const lb_force *force = &forces->forces[channel->actuator];
    channel->body = force->body;
    channel->q = force->q;
    channel->v = force->v;
}

static lb_status make_channel(lb_simulation *sim, const char *where,
                              const lb_channel_options *options, lb_controller *c,
                              lb_channel *channel)
{
    channel->desired.impulse_count = 1;
    channel->desired.weights[0] = 1.0;
    channel->position_sensor = find_measured(sim, where, "position", c, options->position_sensor);
    channel->speed_sensor = LB_MEASURED_BY_DIFFERENCES;
    if (!options->speed_by_differences) {
        channel->speed_sensor = find_measured(sim, where, "speed", c, options->speed_sensor);
    } else if (options->speed_sensor) {
        LB_COMPLAIN(sim, where, "speed", "a sensor and differences given, expected one of them");
    }
    make_actuator(sim, where, options->actuator, channel);
    return lb_make_desired(sim, where, options, &channel->desired);
}

static lb_status make_channels(lb_simulation *sim, const lb_controller_options *options,
                               lb_controller *c)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < c->sample.channel_count; ++i) {
        char where[LB_CONTROL_PATH_SIZE];
        lb_channel_options own;
        lb_write_item_path(where, c->path, "actuators", i);
        status =
            lb_take_channel_options(sim, where, lb_get_sized(options->channels, (size_t)i), &own);
        status = status < 0 ? status : make_channel(sim, where, &own, c, &c->channels[i]);
    }
    return status;
}

lb_status lb_make_parts(lb_simulation *sim, const lb_controller_options *options, lb_controller *c)
{
    const size_t m =
        options->sensors && options->sensor_count > 0 ? (size_t)options->sensor_count : 0;
    const size_t n =
        options->channels && options->channel_count > 0 ? (size_t)options->channel_count : 0;
    double *numbers = lb_arena_take(&sim->arena, m + 6 * n + 1, sizeof *numbers);
    c->sensors = lb_arena_take(&sim->arena, m, sizeof *c->sensors);
    c->channels = lb_arena_take(&sim->arena, n, sizeof *c->channels);
    if (!numbers || !c->sensors || !c->channels) {
        return LB_E_MEMORY;
    }
    c->readings = numbers;
    c->position = numbers + m;
    c->speed = c->position + n;
    c->commands = c->speed + n;
    for (int j = 0; j < 3; ++j) {
        c->desired[j] = c->commands + (size_t)(j + 1) * n;
    }
    c->sample = (lb_control_sample){.size = sizeof c->sample,
                                    .period = 1.0 / c->rate,
                                    .sensors = c->readings,
                                    .channel_count = (int)n,
                                    .position = c->position,
                                    .speed = c->speed,
                                    .desired = c->desired[0],
                                    .desired_speed = c->desired[1],
                                    .desired_acceleration = c->desired[2]};
    if (options->sensor_count != (int)m) {
        LB_COMPLAIN(sim, c->path, "sensors", "%d sensors, but no array of them",
                    options->sensor_count);
    }
    if (n == 0) {
        LB_COMPLAIN(sim, c->path, "actuators", "no actuators given, expected at least one");
    }
    const lb_status status = make_sensors(sim, options, c);
    return status < 0 ? status : make_channels(sim, options, c);
}
