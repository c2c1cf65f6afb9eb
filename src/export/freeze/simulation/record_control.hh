// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sensors and laws as numbers that record. Part of record_simulation.hh.
#ifndef LB_RECORD_CONTROL_HH
#define LB_RECORD_CONTROL_HH

#include "control/laws/laws.h"

#include "control/laws/sample_desired.c"
#include "control/laws/sample_lqr.c"
#include "control/laws/sample_pid.c"
#define lb_find_aim lb_find_aim_plain
#include "control/laws/sample_aim.c"
#undef lb_find_aim

// One waypoint or another: its cases are put together here.
lb_aim lb_find_aim(const lb_attitude *law, double t)
{
    double x[10];
    (void)lb_fork(
        [&](double *out) {
            const lb_aim aim = lb_find_aim_plain(law, t);
            lb_quat_to(aim.q, out);
            lb_vec3_to(aim.w, out + 4);
            lb_vec3_to(aim.a, out + 7);
        },
        10, x);
    return (lb_aim){lb_quat_from(x), lb_vec3_from(x + 4), lb_vec3_from(x + 7)};
}
#include "control/laws/sample_attitude.c"

static const lb_control *get_control(const moment *m)
{
    return m->sim->control;
}

// ---- sensors -----------------------------------------------------------------------------------

// Strain of a fibre, as measure_strain of the engine                                     (CTL-2)
static lb_status record_strain(const moment *m, const lb_sensor *sensor, double *value)
{
    double ends[2][3];
    for (int i = 0; i < 2; ++i) {
        lb_node_motion motion;
        const lb_status status =
            lb_record_node_motion(m->model, m->work, sensor->body, sensor->nodes[i], &motion);
        if (status < LB_OK) {
            return status;
        }
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
        const lb_vec3 beside = lb_mat3_mul_vec(&R, lb_vec3_from(sensor->offset[i]));
        lb_vec3_to(lb_vec3_add(lb_vec3_from(motion.position), beside), ends[i]);
    }
    const lb_vec3 fibre = lb_vec3_sub(lb_vec3_from(ends[1]), lb_vec3_from(ends[0]));
    *value = sqrt(lb_vec3_dot(fibre, fibre)) / sensor->length - 1.0;
    return LB_OK;
}

// @param noise  a normal number
static lb_status record_reading(const moment *m, const lb_sensor *sensor, double noise,
                                double *value)
{
    lb_status status = LB_OK;
    if (sensor->type == LB_SENSOR_SIGNAL) {
        status = record_signal(m, &sensor->signal, value);
    } else if (sensor->type == LB_SENSOR_TORQUE) {
        *value = m->tau[sensor->v];
    } else {
        status = record_strain(m, sensor, value);
    }
    if (sensor->noise > 0.0) {
        *value += sensor->noise * noise;
    }
    if (sensor->quantum > 0.0) {
        *value = sensor->quantum * nearbyint(*value / sensor->quantum);
    }
    return status;
}

// Sensors of one rate: the new reading goes behind those under way, and the oldest goes.
static lb_status record_sense(moment *m, double *out)
{
    const lb_control *control = get_control(m);
    const double *memory = get_numbers(m->call->memory), *noise = get_numbers(m->call->noise);
    lb_status status = find_motion_of_all(m, m->call->accelerations);
    out[m->call->count_at] = memory[m->call->count_at] + 1.0;
    for (int i = 0; i < control->count; ++i) {
        const lb_controller *c = &control->controllers[i];
        int at = m->call->places[i].sensors;
        for (int j = 0; status >= LB_OK && j < c->sample.sensor_count; ++j) {
            const lb_sensor *sensor = &c->sensors[j];
            const int last = at + 2 * (sensor->past_count - 1);
            if (sensor->rate == m->call->rate) {
                lb_mark_graph(graph, -1, "CTL-2");
                memcpy(out + at, memory + at + 2, (size_t)(last - at) * sizeof *out);
                out[last] = m->t + sensor->delay;
                status = record_reading(m, sensor, sensor->noise > 0.0 ? *noise : double(0),
                                        &out[last + 1]);
            }
            noise += sensor->noise > 0.0 ? 1 : 0;
            at = last + 2;
        }
    }
    return status;
}

// The latest reading that has arrived by t; zero before the first.
static double read_register(const moment *m, const lb_sensor *sensor, const double *past)
{
    const double soon = m->t + 1e-6 / sensor->rate;
    double reading = 0.0;
    for (int i = 0; i < sensor->past_count; ++i) {
        reading = select(past[2 * i], soon, reading, past[2 * i + 1]);
    }
    return reading;
}

// ---- controllers -------------------------------------------------------------------------------

static void read_sensors(const moment *m, const lb_controller_place *place, lb_controller *c)
{
    const double *past = get_numbers(m->call->memory) + place->sensors;
    for (int j = 0; j < c->sample.sensor_count; ++j) {
        c->readings[j] = read_register(m, &c->sensors[j], past);
        past += 2 * c->sensors[j].past_count;
    }
}

// What is known of each channel, as observe_channels of the engine.
static void observe_channels(const moment *m, const lb_controller_place *place, lb_controller *c,
                             double *out)
{
    const double *memory = get_numbers(m->call->memory), *u = get_numbers(m->call->u);
    int kept = place->channels;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const lb_channel *channel = &c->channels[i];
        const int p = channel->position_sensor, v = channel->speed_sensor;
        const int reference = place->references[i];
        double desired[3];
        c->position[i] = p >= 0 ? c->readings[p] : channel->q >= 0 ? m->q[channel->q] : double(0);
        if (v == LB_MEASURED_BY_DIFFERENCES) {
            const double rate = (c->position[i] - memory[kept]) * c->rate;
            c->speed[i] = select(memory[place->count], 0.5, rate, 0.0); // zero at the first sample
            out[kept++] = c->position[i];
        } else {
            c->speed[i] = v >= 0 ? c->readings[v] : m->v[channel->v];
        }
        lb_mark_graph(graph, -1, "CTL-3");
        if (reference < 0) {
            lb_evaluate_desired(&channel->desired, m->t, desired);
        }
        for (int j = 0; j < 3; ++j) {
            c->desired[j][i] = reference < 0 ? desired[j] : u[reference + j];
        }
    }
}

static lb_status run_pid(lb_controller *c, lb_simulation *sim, double *room, double *kept)
{
    const int n = c->sample.channel_count;
    lb_pid own;
    memcpy((void *)&own, c->own, sizeof own);
    own.sum = kept;
    own.error = room;
    own.rate_error = room + n;
    c->own = &own;
    lb_mark_graph(graph, -1, "CTL-4");
    return lb_update_pid(sim, c);
}

static lb_status run_lqr(lb_controller *c, lb_simulation *sim, double *room, double *kept)
{
    lb_lqr own;
    memcpy((void *)&own, c->own, sizeof own);
    own.x = kept;
    own.next = room;
    own.wanted = room + own.n;
    c->own = &own;
    lb_mark_graph(graph, -1, "CTL-14");
    return lb_update_lqr(sim, c);
}

static lb_status run_attitude(lb_controller *c, lb_simulation *sim)
{
    lb_attitude own;
    memcpy((void *)&own, c->own, sizeof own);
    c->own = &own;
    lb_mark_graph(graph, -1, "ATT-5");
    double commands[COUNT_MOST];
    const size_t size = (size_t)c->sample.channel_count * sizeof *commands;
    const bool done = lb_fork(
        [&](double *out) {
            (void)lb_update_attitude(sim, c);
            memcpy(out, c->commands, size);
        },
        c->sample.channel_count, commands);
    memcpy(c->commands, commands, size);
    return done ? LB_OK : LB_E_UNSUPPORTED;
}

#include "record_plan.hh"

static lb_status run_law(const moment *m, lb_controller *c, lb_simulation *sim, double *room,
                         double *kept)
{
    const char *law = c->law->name;
    if (strcmp(law, "pid") == 0) {
        return run_pid(c, sim, room, kept);
    }
    if (strcmp(law, "lqr") == 0) {
        return run_lqr(c, sim, room, kept);
    }
    return strcmp(law, "attitude") == 0 ? run_attitude(c, sim) : run_torque(m, c, sim, kept);
}

// Commands go to the actuators, whose memory is replaced.
static bool command_actuators(const moment *m, const lb_controller *c, double *out)
{
    const double *memory = get_numbers(m->call->memory);
    bool done = true;
    for (int i = 0; done && i < c->sample.channel_count; ++i) {
        const lb_force *force = &m->sim->system.forces->forces[c->channels[i].actuator];
        const int at = m->call->actuators[c->channels[i].actuator];
        if (at >= 0) {
            lb_mark_graph(graph, -1, "CTL-1");
            done = record_command(force, m->t, memory + at, c->commands[i], out + at);
        }
    }
    return done;
}

static lb_status record_sample(moment *m, double *out)
{
    const lb_controller *given = &get_control(m)->controllers[m->call->subject];
    const lb_controller_place *place = &m->call->places[m->call->subject];
    const double *memory = get_numbers(m->call->memory);
    const size_t sensors = (size_t)given->sample.sensor_count,
                 channels = (size_t)given->sample.channel_count,
                 room = 2 * channels + 4 * (size_t)m->model->v_count;
    lb_controller c;
    lb_simulation sim;
    memcpy((void *)&c, (const void *)given, sizeof c);
    memcpy((void *)&sim, (const void *)m->sim, sizeof sim);
    lb_status status = find_motion_of_all(m, false);
    double *numbers =
        reinterpret_cast<double *>(calloc(sensors + 6 * channels + room + 1, sizeof *numbers));
    if (status < LB_OK || !numbers) {
        free(numbers);
        return status < LB_OK ? status : LB_E_MEMORY;
    }
    sim.system.q = m->q;
    sim.system.v = m->v;
    c.readings = numbers;
    c.position = numbers + sensors;
    c.speed = c.position + channels;
    c.commands = c.speed + channels;
    for (int j = 0; j < 3; ++j) {
        c.desired[j] = c.commands + (j + 1) * channels;
    }
    c.sample.t = m->t;
    c.sample_count = 1.0; // what is different at the first is chosen at every call
    read_sensors(m, place, &c);
    observe_channels(m, place, &c, out);
    selects = true;
    status = run_law(m, &c, &sim, c.desired[2] + channels, out + place->law);
    selects = false;
    if (status >= LB_OK && !command_actuators(m, &c, out)) {
        status = LB_E_UNSUPPORTED;
    }
    out[place->count] = memory[place->count] + 1.0;
    free(numbers);
    return status;
}

// Memory as it was, but for what is new.
static lb_status record_memory(moment *m, int count, double *out)
{
    memcpy(out, get_numbers(m->call->memory), (size_t)count * sizeof *out);
    return m->call->part == LB_TRACE_SENSE    ? record_sense(m, out)
           : m->call->part == LB_TRACE_SAMPLE ? record_sample(m, out)
                                              : record_plan(m, out);
}

#endif // LB_RECORD_CONTROL_HH
