// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sampling: which sensor or controller is due, and what happens then.
#include "control.h"
#include "design/shaping.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double lb_find_next_sample(const lb_simulation *sim)
{
    double first = INFINITY;
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        first = fmin(first, c->sample_count / c->rate);
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            first = fmin(first, c->sensors[j].sample_count / c->sensors[j].rate);
        }
    }
    return first;
}

// ---- one controller --------------------------------------------------------------------------------

// What is known of each channel: coordinate and speed as measured, and as desired.
static void observe_channels(lb_controller *c, const lb_system *s, double t)
{
    const bool first = c->sample_count == 0.0;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        lb_channel *channel = &c->channels[i];
        const int p = channel->position_sensor, v = channel->speed_sensor;
        double desired[3] = {0};
        c->position[i] = p >= 0 ? c->readings[p] : channel->q >= 0 ? s->q[channel->q] : 0.0;
        c->speed[i] = v >= 0                   ? c->readings[v]
                      : v == LB_MEASURED_TRULY ? s->v[channel->v]
                      : first                  ? 0.0
                              : (c->position[i] - channel->last_position) * c->rate;
        channel->last_position = c->position[i];
        lb_evaluate_desired(&channel->desired, t, desired);
        for (int j = 0; j < 3; ++j) {
            c->desired[j][i] = desired[j];
        }
    }
}

static lb_status sample_controller(lb_simulation *sim, lb_controller *c)
{
    lb_system *s = &sim->system;
    for (int j = 0; j < c->sample.sensor_count; ++j) {
        c->readings[j] = lb_read_sensor(&c->sensors[j], sim->t);
    }
    observe_channels(c, s, sim->t);
    c->sample.t = sim->t;
    const lb_status status = c->law->update(sim, c);
    if (status < 0) {
        return status;
    }
    for (int i = 0; i < c->sample.channel_count; ++i) {
        lb_force *actuator = &s->forces->forces[c->channels[i].actuator];
        if (!isfinite(c->commands[i])) {
            return lb_say(s, LB_E_NUMBER,
                          "t = %.9g s: the command of controller '%s' to actuator '%s' is not a "
                          "finite number",
                          sim->t, c->name, actuator->name);
        }
        lb_command_actuator(actuator, sim->t, c->commands[i]);
    }
    c->sample_count += 1.0;
    return LB_OK;
}

// ---- all of them -----------------------------------------------------------------------------------

lb_status lb_run_controllers(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    if (lb_find_next_sample(sim) > sim->t) {
        return LB_OK;
    }
    // the state as forces have made it so far
    lb_status status = lb_evaluate_system(s, sim->t, sim->y, NULL);
    for (int i = 0; status >= 0 && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; status >= 0 && j < c->sample.sensor_count; ++j) {
            if (c->sensors[j].sample_count / c->sensors[j].rate <= sim->t) {
                status = lb_sample_sensor(&c->sensors[j], s, sim->t);
            }
        }
    }
    for (int i = 0; status >= 0 && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        if (c->sample_count / c->rate <= sim->t) {
            status = sample_controller(sim, c);
        }
    }
    return status;
}

lb_status lb_start_controllers(lb_simulation *sim)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && sim->control && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; status >= 0 && j < c->sample.sensor_count; ++j) {
            status = lb_start_sensor(&c->sensors[j], &sim->system);
        }
        status = status < 0 ? status : lb_start_shaping(sim, c);
        status = status < 0 || !c->law->start ? status : c->law->start(sim, c);
    }
    if (status < 0 || lb_get_controller_count(sim) == 0) {
        return status;
    }
    return sim->resumed ? lb_restore_memory(sim, sim->memory) : lb_run_controllers(sim);
}

void lb_destroy_controllers(lb_simulation *sim)
{
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        if (c->law && c->law->destroy) {
            c->law->destroy(c);
        }
    }
}

// ---- reading off -----------------------------------------------------------------------------------

int lb_get_controller_count(const lb_simulation *sim)
{
    return sim->control ? sim->control->count : 0;
}

const char *lb_get_controller_name(const lb_simulation *sim, int controller)
{
    return sim->control->controllers[controller].name;
}

int lb_find_controller(const lb_simulation *sim, const char *name)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        if (strcmp(sim->control->controllers[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// ---- recording -------------------------------------------------------------------------------------

int lb_count_control(const lb_simulation *sim)
{
    int count = 0;
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_control_sample *sample = &sim->control->controllers[i].sample;
        count += sample->sensor_count + 3 * sample->channel_count;
    }
    return count;
}

void lb_name_control(const lb_simulation *sim, char (*columns)[LB_COLUMN_SIZE])
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s", c->name, c->sensors[j].name);
        }
        for (int j = 0; j < c->sample.channel_count; ++j) {
            const char *actuator = lb_get_force_name(sim->system.forces, c->channels[j].actuator);
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.desired", c->name, actuator);
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.command", c->name, actuator);
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.force", c->name, actuator);
        }
    }
}

void lb_fill_control(const lb_simulation *sim, double *row)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            *row++ = c->readings[j];
        }
        for (int j = 0; j < c->sample.channel_count; ++j) {
            *row++ = c->desired[0][j];
            *row++ = c->commands[j];
            *row++ = lb_get_actuator_output(&sim->system.forces->forces[c->channels[j].actuator],
                                            sim->t);
        }
    }
}
