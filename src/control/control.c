// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sampling: which sensor or controller is due, and what happens then.
#include "control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "controllers.h"

// Samples are counted from the start on.
static double get_sample_time(const lb_simulation *sim, double sample_count, double rate)
{
    return sim->start_time + sample_count / rate;
}

static double find_next_sample(const lb_simulation *sim)
{
    double first = INFINITY;
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        first = fmin(first, get_sample_time(sim, c->sample_count, c->rate));
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            const lb_sensor *sensor = &c->sensors[j];
            first = fmin(first, get_sample_time(sim, sensor->sample_count, sensor->rate));
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
        c->readings[j] = lb_read_sensor(&c->sensors[j], sim->flow.t);
    }
    observe_channels(c, s, sim->flow.t);
    c->sample.t = sim->flow.t;
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
                          sim->flow.t, c->name, actuator->name);
        }
        lb_command_actuator(actuator, sim->flow.t, c->commands[i]);
    }
    c->sample_count += 1.0;
    return LB_OK;
}

// ---- all of them -----------------------------------------------------------------------------------

static lb_status run_controllers(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    if (find_next_sample(sim) > sim->flow.t) {
        return LB_OK;
    }
    lb_load_memory loads = {.count = 0};
    // the state as forces have made it so far
    lb_status status = lb_evaluate_system(s, sim->flow.t, sim->flow.y, NULL);
    for (int i = 0; status >= 0 && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; status >= 0 && j < c->sample.sensor_count; ++j) {
            lb_sensor *sensor = &c->sensors[j];
            if (get_sample_time(sim, sensor->sample_count, sensor->rate) <= sim->flow.t) {
                status = lb_sample_sensor(sensor, s, sim->flow.t, &loads);
            }
        }
    }
    for (int i = 0; status >= 0 && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        if (get_sample_time(sim, c->sample_count, c->rate) <= sim->flow.t) {
            status = sample_controller(sim, c);
        }
    }
    return status;
}

static lb_status complete_controllers(lb_simulation *sim)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < lb_get_controller_count(sim); ++i) {
        lb_controller *c = &sim->control->controllers[i];
        status = c->law->complete ? c->law->complete(sim, c) : LB_OK;
    }
    return status;
}

static lb_status start_controllers(lb_simulation *sim)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && sim->control && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; status >= 0 && j < c->sample.sensor_count; ++j) {
            c->sensors[j].random = lb_get_noise_seed(sim, c->name, &c->sensors[j]);
            status = lb_start_sensor(&c->sensors[j], &sim->system);
        }
        status = status < 0 || !c->shaping.start ? status : c->shaping.start(sim, c);
        status = status < 0 || !c->law->start ? status : c->law->start(sim, c);
    }
    if (status < 0 || lb_get_controller_count(sim) == 0) {
        return status;
    }
    const int count = lb_count_memory(sim);
    sim->control->at_start = lb_arena_take(&sim->arena, (size_t)count, sizeof(double));
    if (!sim->control->at_start) {
        return LB_E_MEMORY;
    }
    lb_save_memory(sim, sim->control->at_start);
    return lb_is_resumed(sim) ? lb_restore_memory(sim, sim->memory) : LB_OK;
}

// What was designed and connected at the first start stays.
static void restart_controllers(lb_simulation *sim)
{
    if (lb_get_controller_count(sim) > 0) {
        lb_recall_memory(sim, sim->control->at_start);
    }
}

static void destroy_controllers(lb_simulation *sim)
{
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        lb_controller *c = &sim->control->controllers[i];
        if (c->law && c->law->destroy) {
            c->law->destroy(c);
        }
        if (c->release) {
            c->release(c->owned);
        }
    }
}

// ---- commands of the caller --------------------------------------------------------------------------

// The controller that commands an actuator; NULL if none does.
static const char *find_commander(const lb_simulation *sim, int force)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.channel_count; ++j) {
            if (c->channels[j].actuator == force) {
                return c->name;
            }
        }
    }
    return NULL;
}

lb_status lb_set_command(lb_simulation *sim, const char *actuator, double command)
{
    lb_system *s = &sim->system;
    const int index = lb_find_force(s->forces, actuator);
    if (index < 0 || s->forces->forces[index].type != LB_FORCE_ACTUATOR) {
        return lb_say(s, LB_E_ARGUMENT, "there is no actuator '%s'", actuator);
    }
    const char *commander = find_commander(sim, index);
    if (commander) {
        return lb_say(s, LB_E_ARGUMENT, "actuator '%s' is commanded by controller '%s'", actuator,
                      commander);
    }
    if (!isfinite(command)) {
        return lb_say(s, LB_E_NUMBER, "the command to actuator '%s' is not a finite number",
                      actuator);
    }
    // the same command again changes nothing; another is a break of the forces at the present time
    if (lb_change_command(&s->forces->forces[index], sim->flow.t, command) &&
        sim->stage == LB_STAGE_RUNNING) {
        s->break_time = fmin(s->break_time, sim->flow.t);
    }
    return LB_OK;
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
    return LB_NOT_FOUND;
}

// ---- recording -------------------------------------------------------------------------------------

static int count_law_columns(const lb_controller *c)
{
    int count = 0;
    while (c->law->columns && c->law->columns[count]) {
        ++count;
    }
    return count;
}

static int count_columns(const lb_simulation *sim)
{
    int count = 0;
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_control_sample *sample = &sim->control->controllers[i].sample;
        count += sample->sensor_count + 3 * sample->channel_count +
                 count_law_columns(&sim->control->controllers[i]);
    }
    return count;
}

static void name_columns(const lb_simulation *sim, char (*columns)[LB_COLUMN_SIZE])
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s", c->name, c->sensors[j].name);
        }
        for (int j = 0; j < c->sample.channel_count; ++j) {
            const char *actuator =
                lb_get_force_info(sim->system.forces, c->channels[j].actuator).name;
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.desired", c->name, actuator);
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.command", c->name, actuator);
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s.force", c->name, actuator);
        }
        for (int j = 0; j < count_law_columns(c); ++j) {
            snprintf(*columns++, LB_COLUMN_SIZE, "%s.%s", c->name, c->law->columns[j]);
        }
    }
}

static void fill_columns(const lb_simulation *sim, double *row)
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
                                            sim->flow.t);
        }
        for (int j = 0; j < count_law_columns(c); ++j) {
            *row++ = c->law->get_shown(c)[j];
        }
    }
}

static double find_desired_speed(const lb_simulation *sim, int index, double t)
{
    double x[3] = {0.0, NAN, 0.0};
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        const int count = c->sample.channel_count;
        if (index < count) {
            lb_evaluate_desired(&c->channels[index].desired, t, x);
            return x[1];
        }
        index -= count;
    }
    return NAN;
}

const lb_sampler lb_controllers = {
    .complete = complete_controllers,
    .find_next = find_next_sample,
    .start = start_controllers,
    .restart = restart_controllers,
    .run = run_controllers,
    .destroy = destroy_controllers,
    .count_memory = lb_count_memory,
    .save_memory = lb_save_memory,
    .find_desired_speed = find_desired_speed,
    .count_columns = count_columns,
    .name_columns = name_columns,
    .fill_columns = fill_columns,
};
