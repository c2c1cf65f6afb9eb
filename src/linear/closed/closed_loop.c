// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a closed loop is made of: the plant with all that controllers read and drive, and their laws.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "closed_loop.h"
#include "control/controllers.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "limber/spatial.h"

// ---- what controllers read -----------------------------------------------------------------------

typedef enum port_kind { PORT_SENSOR, PORT_COORDINATE, PORT_SPEED, PORT_NOTHING } port_kind;

typedef struct port {
    port_kind kind;
    const lb_sensor *sensor;
    int q, v; // entries; q is -1 for none
} port;

// Strain of a fibre changes with the modes of its body only                              (CTL-2)
//
//     de = n . (dx_2 + dr_2 x o_2 - dx_1 - dr_1 x o_1) / L,   n along the fibre
static lb_status differentiate_strain(lb_system *s, const lb_sensor *sensor,
                                      const lb_operating_point *point, double *value, double *row)
{
    const int first = lb_get_v_offset(s->model, sensor->body);
    double *v = s->a; // scratch
    lb_vec3 ends[2] = {{0}}, arms[2] = {{0}};
    lb_status status = LB_OK;
    memset(v, 0, (size_t)s->v_count * sizeof *v);
    // -1: the ends themselves
    for (int i = -1; i < lb_get_mode_count(s->model, sensor->body) && status >= 0; ++i) {
        lb_vec3 rate = {0};
        if (i >= 0) {
            v[first + i] = 1.0;
        }
        status = lb_compute_kinematics(s->model, s->work, point->q, v, NULL);
        for (int k = 0; k < 2 && status >= 0; ++k) {
            lb_node_motion m;
            status = lb_compute_node_motion(s->model, s->work, sensor->body, sensor->nodes[k], &m);
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(m.rotation));
            const lb_vec3 arm = lb_mat3_mul_vec(&R, lb_vec3_from(sensor->offset[k]));
            const lb_vec3 turn = lb_vec3_cross(lb_vec3_from(m.velocity), arm);
            const lb_vec3 way = lb_vec3_add(lb_vec3_from(m.velocity + 3), turn);
            arms[k] = lb_vec3_add(lb_vec3_from(m.position), arm);
            rate = k ? lb_vec3_add(rate, way) : lb_vec3_sub(rate, way);
        }
        if (i < 0) {
            ends[0] = lb_vec3_sub(arms[1], arms[0]);
            const double length = lb_vec3_norm(ends[0]);
            *value = length / sensor->length - 1.0;
            ends[1] = lb_vec3_scale(1.0 / (length * sensor->length), ends[0]);
        } else {
            row[first + i] = lb_vec3_dot(ends[1], rate);
            v[first + i] = 0.0;
        }
    }
    return status;
}

// The force of all elements at a hinge; what actuators add is put in later.
static lb_status differentiate_torque(lb_system *s, const lb_sensor *sensor,
                                      const lb_operating_point *point, lb_derivative_work *scratch,
                                      double *value, lb_output_rows *rows)
{
    const int n = s->v_count, body = lb_find_owner(s->model, sensor->v);
    if (point->held[body] || point->guided[body]) {
        return lb_say(s, LB_E_UNSUPPORTED,
                      "linear: sensor '%s' reads the torque at a hinge that is held or driven",
                      sensor->name);
    }
    lb_arena arena = lb_make_arena(NULL);
    double *by_q = lb_take_numbers(&arena, 2 * (size_t)n * (size_t)n), *by_v = by_q + n * n;
    lb_status status = by_q ? LB_OK : LB_E_MEMORY;
    memset(s->tau, 0, (size_t)n * sizeof *s->tau);
    status = status < 0 ? status
                        : lb_tree_inverse_derivatives(s->model, s->work, scratch, point->q,
                                                      point->v, point->a, NULL, NULL, NULL, NULL);
    status = status < 0
                 ? status
                 : lb_compute_force_derivatives(s->forces, s->model, s->work, scratch, point->t,
                                                point->q, point->v, by_q, by_v, NULL, NULL);
    status =
        status < 0 ? status : lb_compute_kinematics(s->model, s->work, point->q, point->v, NULL);
    status = status < 0 ? status
                        : lb_compute_forces(s->forces, s->model, s->work, point->t, point->q,
                                            point->v, s->tau, s->driven, s->a);
    if (status >= 0) {
        *value = s->tau[sensor->v];
        memcpy(rows->q, by_q + sensor->v * n, (size_t)n * sizeof *by_q);
        memcpy(rows->v, by_v + sensor->v * n, (size_t)n * sizeof *by_v);
    }
    lb_arena_free(&arena);
    return status;
}

static lb_status differentiate_port(void *user, lb_system *s, const lb_operating_point *point,
                                    lb_derivative_work *scratch, int output, double *value,
                                    lb_output_rows *rows)
{
    const port *p = (const port *)user + output;
    const size_t n = (size_t)s->v_count;
    memset(rows->q, 0, n * sizeof *rows->q);
    memset(rows->v, 0, n * sizeof *rows->v);
    memset(rows->a, 0, n * sizeof *rows->a);
    *value = 0.0;
    if (p->kind == PORT_SENSOR && p->sensor->type == LB_SENSOR_STRAIN) {
        return differentiate_strain(s, p->sensor, point, value, rows->q);
    }
    if (p->kind == PORT_SENSOR) {
        return differentiate_torque(s, p->sensor, point, scratch, value, rows);
    }
    if (p->kind == PORT_NOTHING) {
        return LB_OK;
    }
    (p->kind == PORT_COORDINATE ? rows->q : rows->v)[p->v] = 1.0;
    *value = p->kind == PORT_SPEED ? point->v[p->v] : p->q >= 0 ? point->q[p->q] : 0.0;
    return LB_OK;
}

static int count_reads(const lb_simulation *sim, const lb_controller *c)
{
    return c->sample.sensor_count + 3 * c->sample.channel_count +
           (c->law->reads_state ? 2 * sim->system.v_count : 0);
}

// What a controller reads, in the order of lb_law_slopes: texts of signals, or ports.
static void list_ports(const lb_simulation *sim, const lb_controller *c, port *ports,
                       const char **texts)
{
    const int sensors = c->sample.sensor_count, n = c->sample.channel_count;
    for (int i = 0; i < sensors; ++i) {
        ports[i] = (port){PORT_SENSOR, &c->sensors[i], -1, -1};
        texts[i] = c->sensors[i].type == LB_SENSOR_SIGNAL ? c->sensors[i].text : NULL;
    }
    for (int i = 0; i < n; ++i) {
        const lb_channel *channel = &c->channels[i];
        // a speed that is no rate of a coordinate has none to measure
        ports[sensors + i] =
            (port){channel->q >= 0 ? PORT_COORDINATE : PORT_NOTHING, NULL, channel->q, channel->v};
        ports[sensors + n + i] = (port){PORT_SPEED, NULL, channel->q, channel->v};
        ports[sensors + 2 * n + i] = (port){PORT_NOTHING, NULL, -1, -1};
    }
    for (int i = 0; c->law->reads_state && i < sim->system.v_count; ++i) {
        ports[sensors + 3 * n + i] = (port){PORT_COORDINATE, NULL, -1, i};
        ports[sensors + 3 * n + sim->system.v_count + i] = (port){PORT_SPEED, NULL, -1, i};
    }
}

// ---- controllers that act ------------------------------------------------------------------------

static lb_status start_controller(lb_simulation *sim, lb_controller *c)
{
    lb_system *s = &sim->system;
    if (!c->law->differentiate) {
        return lb_say(s, LB_E_UNSUPPORTED,
                      "linear: controller '%s' has a law of type %s, of which no derivatives are "
                      "known: open it to leave it out",
                      c->name, c->law->name);
    }
    lb_status status = LB_OK;
    for (int i = 0; i < c->sample.sensor_count && status >= 0; ++i) {
        status = lb_start_sensor(&c->sensors[i], s);
    }
    status = status < 0 || !c->law->start ? status : c->law->start(sim, c);
    if (status < 0) {
        char message[LB_MESSAGE_SIZE];
        memcpy(message, s->message, sizeof message);
        return lb_say(s, status, "linear: %.400s; open a controller to leave it out", message);
    }
    return LB_OK;
}

static lb_status list_controllers(lb_closed *k)
{
    lb_simulation *sim = k->sim;
    const size_t most = (size_t)lb_get_controller_count(sim) + 1;
    k->controllers = lb_arena_take(k->arena, most, sizeof *k->controllers);
    k->actuators =
        lb_arena_take(k->arena, (size_t)k->feedbacks.closed_count + 1, sizeof *k->actuators);
    if (!k->controllers || !k->actuators) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    for (int i = 0, last = -1; i < k->feedbacks.count && status >= 0; ++i) {
        const lb_feedback *feedback = &k->feedbacks.list[i];
        if (!feedback->is_closed) {
            continue;
        }
        lb_controller *c = &sim->control->controllers[feedback->controller];
        const int force = c->channels[feedback->channel].actuator;
        if (feedback->controller != last) {
            last = feedback->controller;
            k->controllers[k->controller_count++] = (lb_closed_controller){.c = c, .index = last};
            status = start_controller(sim, c);
        }
        for (int j = 0; j < k->actuator_count && status >= 0; ++j) {
            if (k->actuators[j].force == force) {
                status = lb_say(&sim->system, LB_E_UNSUPPORTED,
                                "linear: two feedbacks drive actuator '%s': open one of them",
                                lb_get_force_info(sim->system.forces, force).name);
            }
        }
        k->actuators[k->actuator_count++] =
            (lb_closed_actuator){.feedback = i, .force = force, .command_input = -1};
    }
    return status;
}

// ---- the plant -----------------------------------------------------------------------------------

// What a sensor sees of a coordinate less than round-off of what it sees of another, each over its own
// natural range, it does not see: turns about an axis that it should not feel, for example.
static lb_status clean_reads(lb_closed *k)
{
    const lb_system *s = &k->sim->system;
    const int half = k->plant.coordinate_count, n = k->plant.state_count;
    double *sizes = lb_take_numbers(k->arena, (size_t)s->v_count + 1);
    if (!sizes) {
        return LB_E_MEMORY;
    }
    lb_find_scales(s->model, sizes);
    for (int i = k->output_count; i < k->plant.output_count; ++i) {
        for (int part = 0; part < 2; ++part) {
            double *row = k->C + i * n + part * half, largest = 0.0;
            for (int j = 0; j < half; ++j) {
                largest = fmax(largest, fabs(row[j]) * sizes[k->plant.coordinates[j]]);
            }
            for (int j = 0; j < half; ++j) {
                const double size = fabs(row[j]) * sizes[k->plant.coordinates[j]];
                row[j] = size <= 16.0 * DBL_EPSILON * largest ? 0.0 : row[j];
            }
        }
    }
    return LB_OK;
}

// What an input is of a controller: "attitude.motor x.desired" or "attitude.motor x.command".
typedef enum control_input { INPUT_OF_PLANT, INPUT_DESIRED, INPUT_COMMAND } control_input;

static control_input find_control_input(const lb_closed *k, const char *text, int *feedback)
{
    static const char *const ends[] = {".desired", ".command"};
    for (int i = 0; i < k->feedbacks.count; ++i) {
        const char *name = k->feedbacks.list[i].name;
        const size_t length = strlen(name);
        for (int j = 0; j < 2; ++j) {
            if (strncmp(text, name, length) == 0 && strcmp(text + length, ends[j]) == 0) {
                *feedback = i;
                return j ? INPUT_COMMAND : INPUT_DESIRED;
            }
        }
    }
    return INPUT_OF_PLANT;
}

// Which inputs are the plant's, and which are commands; desired coordinates are read later.
static lb_status sort_inputs(lb_closed *k, const lb_linear_options *options, const char **texts,
                             int *count)
{
    k->inputs = options->inputs;
    k->input_count = options->input_count;
    k->plant_inputs = lb_arena_take(k->arena, (size_t)k->input_count + 1, sizeof *k->plant_inputs);
    if (!k->plant_inputs) {
        return LB_E_MEMORY;
    }
    *count = 0;
    for (int i = 0; i < k->input_count; ++i) {
        int feedback = -1;
        const control_input kind = find_control_input(k, options->inputs[i], &feedback);
        k->plant_inputs[i] = kind == INPUT_OF_PLANT ? *count : -1;
        if (kind == INPUT_OF_PLANT) {
            texts[(*count)++] = options->inputs[i];
        } else if (!k->feedbacks.list[feedback].is_closed) {
            return lb_say(&k->sim->system, LB_E_ARGUMENT,
                          "input \"%s\": this feedback is open, nothing follows from it",
                          options->inputs[i]);
        }
        for (int a = 0; a < k->actuator_count && kind == INPUT_COMMAND; ++a) {
            if (k->actuators[a].feedback == feedback) {
                k->actuators[a].command_input = i;
            }
        }
    }
    return LB_OK;
}

// The input that is the desired coordinate of a channel, -1 for none.
static int find_desired_input(const lb_closed *k, const lb_closed_controller *own, int channel)
{
    for (int i = 0; i < k->input_count; ++i) {
        int feedback = -1;
        if (k->plant_inputs[i] < 0 &&
            find_control_input(k, k->inputs[i], &feedback) == INPUT_DESIRED &&
            k->feedbacks.list[feedback].controller == own->index &&
            k->feedbacks.list[feedback].channel == channel) {
            return i;
        }
    }
    return -1;
}

static lb_status find_plant(lb_closed *k, const lb_linear_options *options, const double *forces)
{
    lb_simulation *sim = k->sim;
    lb_linear_options own = *options;
    int reads = 0, plain = 0;
    for (int i = 0; i < k->controller_count; ++i) {
        k->controllers[i].read_count = count_reads(sim, k->controllers[i].c);
        reads += k->controllers[i].read_count;
    }
    k->output_count = options->output_count;
    const size_t inputs = (size_t)(options->input_count + k->actuator_count);
    const size_t outputs = (size_t)(k->output_count + reads);
    const char **texts = lb_arena_take(k->arena, inputs + outputs + 1, sizeof *texts);
    port *ports = lb_arena_take(k->arena, (size_t)reads + 1, sizeof *ports);
    int *entries = lb_arena_take(k->arena, (size_t)k->actuator_count + 1, sizeof *entries);
    if (!texts || !ports || !entries) {
        return LB_E_MEMORY;
    }
    lb_status status = sort_inputs(k, options, texts, &plain);
    if (status < 0) {
        return status;
    }
    own.inputs = texts;
    own.input_count = plain + k->actuator_count;
    own.outputs = texts + inputs;
    own.output_count = (int)outputs;
    for (int i = 0; i < k->actuator_count; ++i) {
        lb_closed_actuator *actuator = &k->actuators[i];
        actuator->input = plain + i;
        texts[plain + i] = NULL;
        entries[i] = sim->system.forces->forces[actuator->force].v;
    }
    for (int i = 0; i < k->output_count; ++i) {
        texts[inputs + (size_t)i] = options->outputs[i];
    }
    for (int i = 0, at = 0; i < k->controller_count; at += k->controllers[i++].read_count) {
        list_ports(sim, k->controllers[i].c, ports + at,
                   texts + inputs + (size_t)(k->output_count + at));
    }
    k->ports = (lb_ports){.first_input = plain,
                          .entries = entries,
                          .first_output = k->output_count,
                          .differentiate = differentiate_port,
                          .user = ports};
    double *before = lb_take_numbers(k->arena, 3 * (size_t)k->feedbacks.count + 1);
    if (!before) {
        return LB_E_MEMORY;
    }
    k->plant_options = own;
    lb_hold_actuators(sim, &k->feedbacks, forces, before);
    status = lb_fill_plant(sim, &own, &k->ports, k->arena, &k->plant);
    lb_release_actuators(sim, &k->feedbacks, before);
    lb_linear framed;
    if (status < 0 || !lb_enter_frame(&k->plant, k->arena, &framed)) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    k->A = (double *)framed.A;
    k->C = (double *)framed.C;
    return clean_reads(k);
}

// A torque sensor reads what actuators do at its hinge.
static void add_feedthrough(lb_closed *k)
{
    double *D = (double *)k->plant.D;
    const int width = k->plant.input_count;
    for (int i = 0, at = k->output_count; i < k->controller_count;
         at += k->controllers[i++].read_count) {
        const lb_controller *c = k->controllers[i].c;
        for (int j = 0; j < c->sample.sensor_count; ++j) {
            for (int a = 0; a < k->actuator_count; ++a) {
                const lb_force *force = &k->sim->system.forces->forces[k->actuators[a].force];
                if (c->sensors[j].type == LB_SENSOR_TORQUE && c->sensors[j].v == force->v) {
                    D[(at + j) * width + k->actuators[a].input] += 1.0;
                }
            }
        }
    }
}

// ---- laws ----------------------------------------------------------------------------------------

// The sample of a controller at the point.
static void set_sample(lb_closed *k, const lb_closed_controller *own, const double *values)
{
    lb_controller *c = own->c;
    const int sensors = c->sample.sensor_count, n = c->sample.channel_count;
    memcpy(c->readings, values, (size_t)sensors * sizeof *values);
    for (int i = 0; i < n; ++i) {
        const lb_channel *channel = &c->channels[i];
        double desired[3];
        c->position[i] =
            channel->position_sensor >= 0 ? values[channel->position_sensor] : values[sensors + i];
        c->speed[i] =
            channel->speed_sensor >= 0 ? values[channel->speed_sensor] : values[sensors + n + i];
        lb_evaluate_desired(&channel->desired, k->plant.t, desired);
        for (int j = 0; j < 3; ++j) {
            c->desired[j][i] = desired[j];
        }
    }
    c->sample.t = k->plant.t;
}

// Sizes of what a law reads, for differences: those of the coordinates that show in it.
static lb_status find_read_sizes(const lb_closed *k, const lb_closed_controller *own, int first,
                                 double *sizes)
{
    const lb_system *s = &k->sim->system;
    const int half = k->plant.coordinate_count, n = k->plant.state_count;
    double *scales = lb_take_numbers(k->arena, (size_t)s->v_count + 1);
    if (!scales) {
        return LB_E_MEMORY;
    }
    lb_find_scales(s->model, scales);
    for (int i = 0; i < own->read_count; ++i) {
        const double *row = k->C + (first + i) * n;
        sizes[i] = 0.0;
        for (int j = 0; j < half; ++j) {
            const double size = scales[k->plant.coordinates[j]];
            sizes[i] = fmax(sizes[i], fabs(row[j]) * size);
            sizes[i] = fmax(sizes[i], fabs(row[half + j]) * size * own->c->rate);
        }
        sizes[i] = sizes[i] > 0.0 ? sizes[i] : 1.0;
    }
    return LB_OK;
}

// Memory for the derivatives, with room for `more` states.
static lb_status take_slopes(lb_closed *k, lb_closed_controller *own, int more)
{
    const lb_controller *c = own->c;
    lb_law_slopes *law = &own->law;
    law->memory_count = c->law->count_states ? c->law->count_states(k->sim, c) : 0;
    law->read_count = own->read_count;
    const size_t n = (size_t)(law->memory_count + more), r = (size_t)law->read_count;
    const size_t m = (size_t)c->sample.channel_count;
    law->M = lb_take_numbers(k->arena, n * n + 1);
    law->N = lb_take_numbers(k->arena, n * r + 1);
    law->C = lb_take_numbers(k->arena, m * n + 1);
    law->D = lb_take_numbers(k->arena, m * r + 1);
    law->drift = lb_take_numbers(k->arena, n + 1);
    law->names = lb_arena_take(k->arena, n + 1, sizeof *law->names);
    return law->M && law->N && law->C && law->D && law->drift && law->names ? LB_OK : LB_E_MEMORY;
}

static lb_status differentiate_law(lb_closed *k, lb_closed_controller *own)
{
    lb_system *s = &k->sim->system;
    lb_controller *c = own->c;
    const double sample_count = c->sample_count;
    memcpy(s->q, k->plant.q, (size_t)s->q_count * sizeof *s->q);
    memcpy(s->v, k->plant.v, (size_t)s->v_count * sizeof *s->v);
    c->sample_count = 1.0; // not the first
    own->law.is_kept = k->rest_step > 0;
    lb_status status = k->rest_step == 1 && c->law->settle ? c->law->settle(k->sim, c) : LB_OK;
    status = status < 0 ? status : c->law->differentiate(k->sim, c, &own->law);
    c->sample_count = sample_count;
    return status == LB_E_NUMBER
               ? lb_say(
                     s, status,
                     "linear: the law of controller '%s' has no derivative at this point: open it "
                     "to leave it out",
                     c->name)
               : status;
}

// column `to` of an r wide matrix += f column `from`
static void add_column(int rows, int r, double *X, int from, int to, double f)
{
    for (int i = 0; i < rows; ++i) {
        X[i * r + to] += f * X[i * r + from];
    }
}

static void clear_column(int rows, int r, double *X, int at)
{
    for (int i = 0; i < rows; ++i) {
        X[i * r + at] = 0.0;
    }
}

// Speeds by differences: (x - x_before) rate, and x_before is remembered.
static lb_status add_differences(lb_closed *k, lb_closed_controller *own, int more)
{
    const lb_controller *c = own->c;
    const lb_law_slopes old = own->law;
    const int n = old.memory_count, r = old.read_count, m = c->sample.channel_count, N = n + more;
    if (more == 0) {
        return LB_OK;
    }
    const lb_status status = take_slopes(k, own, more);
    if (status < 0) {
        return status;
    }
    lb_law_slopes *law = &own->law;
    law->memory_count = N;
    for (int i = 0; i < n; ++i) {
        memcpy(law->M + i * N, old.M + i * n, (size_t)n * sizeof *law->M);
        memcpy(law->N + i * r, old.N + i * r, (size_t)r * sizeof *law->N);
        memcpy(law->names[i], old.names[i], sizeof law->names[i]);
        law->drift[i] = old.drift[i];
    }
    for (int i = 0; i < m; ++i) {
        memcpy(law->C + i * N, old.C + i * n, (size_t)n * sizeof *law->C);
        memcpy(law->D + i * r, old.D + i * r, (size_t)r * sizeof *law->D);
    }
    for (int i = 0, at = n; i < m; ++i) {
        if (c->channels[i].speed_sensor != LB_MEASURED_BY_DIFFERENCES) {
            continue;
        }
        const int position = lb_find_read(c, 0, i), speed = lb_find_read(c, 1, i);
        for (int j = 0; j < m; ++j) {
            law->C[j * N + at] = -c->rate * law->D[j * r + speed];
        }
        for (int j = 0; j < n; ++j) {
            law->M[j * N + at] = -c->rate * law->N[j * r + speed];
        }
        add_column(m, r, law->D, speed, position, c->rate);
        add_column(n, r, law->N, speed, position, c->rate);
        clear_column(m, r, law->D, speed);
        clear_column(n, r, law->N, speed);
        law->N[at * r + position] = 1.0;
        const char *actuator =
            lb_get_force_info(k->sim->system.forces, c->channels[i].actuator).name;
        snprintf(law->names[at++], LB_COLUMN_SIZE, "%.100s.before", actuator);
    }
    return LB_OK;
}

// What is measured by a sensor is read there.
static void use_sensors(lb_closed_controller *own)
{
    const lb_controller *c = own->c;
    lb_law_slopes *law = &own->law;
    const int r = law->read_count, n = law->memory_count, m = c->sample.channel_count;
    for (int i = 0; i < m; ++i) {
        const int sensors[2] = {c->channels[i].position_sensor, c->channels[i].speed_sensor};
        for (int order = 0; order < 2; ++order) {
            const int from = lb_find_read(c, order, i);
            if (sensors[order] >= 0) {
                add_column(m, r, law->D, from, sensors[order], 1.0);
                add_column(n, r, law->N, from, sensors[order], 1.0);
                clear_column(m, r, law->D, from);
                clear_column(n, r, law->N, from);
            }
        }
    }
}

static bool is_used(const lb_closed_controller *own, int read)
{
    const lb_law_slopes *law = &own->law;
    bool used = false;
    for (int i = 0; i < own->c->sample.channel_count; ++i) {
        used = used || law->D[i * law->read_count + read] != 0.0;
    }
    for (int i = 0; i < law->memory_count; ++i) {
        used = used || law->N[i * law->read_count + read] != 0.0;
    }
    return used;
}

static lb_status list_reads(lb_closed *k, lb_closed_controller *own, int first)
{
    const lb_controller *c = own->c;
    own->reads = lb_arena_take(k->arena, (size_t)own->read_count + 1, sizeof *own->reads);
    if (!own->reads) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < own->read_count; ++i) {
        const lb_sensor *sensor = i < c->sample.sensor_count ? &c->sensors[i] : NULL;
        const int channel = i - lb_find_read(c, 2, 0);
        const bool desired = channel >= 0 && channel < c->sample.channel_count;
        const int input = desired ? find_desired_input(k, own, channel) : -1;
        own->reads[i] = (lb_closed_read){.output = first + i,
                                         .input = input,
                                         .sensor = sensor ? i : -1,
                                         .is_used = is_used(own, i) && (!desired || input >= 0),
                                         .rate = sensor ? sensor->rate : c->rate,
                                         .delay = sensor ? sensor->delay : 0.0};
    }
    return LB_OK;
}

static bool is_finite(size_t count, const double *x)
{
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
        good = good && isfinite(x[i]);
    }
    return good;
}

static lb_status find_law(lb_closed *k, lb_closed_controller *own, int first)
{
    const lb_controller *c = own->c;
    int differences = 0;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        differences += c->channels[i].speed_sensor == LB_MEASURED_BY_DIFFERENCES;
    }
    double *sizes = lb_take_numbers(k->arena, (size_t)own->read_count + 1);
    set_sample(k, own, k->plant.output_values + first);
    lb_status status = sizes ? take_slopes(k, own, 0) : LB_E_MEMORY;
    status = status < 0 ? status : find_read_sizes(k, own, first, sizes);
    own->law.scales = sizes;
    status = status < 0 ? status : differentiate_law(k, own);
    status = status < 0 ? status : add_differences(k, own, differences);
    if (status < 0) {
        return status;
    }
    use_sensors(own);
    const size_t n = (size_t)own->law.memory_count, r = (size_t)own->law.read_count;
    const size_t m = (size_t)c->sample.channel_count;
    if (!is_finite(n * n, own->law.M) || !is_finite(n * r, own->law.N) ||
        !is_finite(m * n, own->law.C) || !is_finite(m * r, own->law.D)) {
        return lb_say(&k->sim->system, LB_E_NUMBER,
                      "linear: a derivative of the law of controller '%s' is not a finite number",
                      c->name);
    }
    return list_reads(k, own, first);
}

// ---- actuators -----------------------------------------------------------------------------------

static char *write_note(lb_arena *arena, const char *format, double number)
{
    char *text = lb_arena_take_text(arena, 160);
    if (text) {
        snprintf(text, 160, format, number);
    }
    return text;
}

// Whether anything can follow from an actuator.
static bool is_idle(const lb_closed *k, int input)
{
    const lb_linear *l = &k->plant;
    double largest = 0.0;
    for (int i = 0; i < l->state_count; ++i) {
        largest = fmax(largest, fabs(l->B[i * l->input_count + input]));
    }
    return largest == 0.0;
}

// What passes about the command at the point                                            (CTL-1)
static lb_status find_actuator(lb_closed *k, lb_closed_actuator *actuator)
{
    lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
    const lb_controller *c = &k->sim->control->controllers[feedback->controller];
    const lb_force *force = &k->sim->system.forces->forces[actuator->force];
    const double u = c->commands[feedback->channel], dead = force->dead_zone;
    const double target = force->gain * copysign(fmax(0.0, fabs(u) - dead), u);
    if ((dead > 0.0 && fabs(u) == dead) || target == force->high || target == force->low) {
        return lb_say(&k->sim->system, LB_E_NUMBER,
                      "linear: the command %.6g of feedback \"%s\" is just where the actuator's "
                      "dead zone or limit begins: no derivative; open it to leave it out",
                      u, feedback->name);
    }
    actuator->lag = force->lag;
    actuator->gain = force->gain;
    const char *note = "";
    if (!force->enabled) {
        note = "the actuator is disabled: nothing passes";
    } else if (is_idle(k, actuator->input)) {
        note = "the hinge of the actuator is held: nothing passes";
    } else if (dead > 0.0 && fabs(u) < dead) {
        note = write_note(k->arena, "the command %.6g is in the dead zone: nothing passes", u);
    } else if (target > force->high || target < force->low) {
        note = write_note(k->arena, "the command %.6g is beyond the limits: nothing passes", u);
    }
    feedback->note = note;
    actuator->gain = note && !note[0] ? force->gain : 0.0;
    return note ? LB_OK : LB_E_MEMORY;
}

// ---- instants ------------------------------------------------------------------------------------

// The shortest time in which all sample a whole number of times.
static lb_status find_period(lb_closed *k)
{
    enum { MOST = 1000 };
    double slowest = INFINITY;
    for (int i = 0; i < k->controller_count; ++i) {
        const lb_closed_controller *own = &k->controllers[i];
        slowest = fmin(slowest, own->c->rate);
        for (int j = 0; j < own->read_count; ++j) {
            slowest = own->reads[j].is_used ? fmin(slowest, own->reads[j].rate) : slowest;
        }
    }
    for (int many = 1; many <= MOST; ++many) {
        bool fits = true;
        for (int i = 0; i < k->controller_count; ++i) {
            lb_closed_controller *own = &k->controllers[i];
            double count = many * (own->c->rate / slowest);
            fits = fits && fabs(count - nearbyint(count)) <= 1e-9 * count;
            own->sample_count = (int)fmin(1e6, nearbyint(count));
            for (int j = 0; j < own->read_count && fits; ++j) {
                count = many * (own->reads[j].rate / slowest);
                fits = !own->reads[j].is_used ||
                       (fabs(count - nearbyint(count)) <= 1e-9 * count && count < 1e5);
                own->reads[j].samples = (int)fmin(1e6, nearbyint(count));
            }
        }
        if (fits) {
            k->period = many / slowest;
            return LB_OK;
        }
    }
    return lb_say(&k->sim->system, LB_E_UNSUPPORTED,
                  "linear: the rates of controllers and sensors have no common period within %d "
                  "samples of the slowest, %.6g per second: open controllers until they have",
                  (int)MOST, slowest);
}

int lb_find_sample_age(const lb_closed *k, const lb_closed_read *read, double time)
{
    (void)k;
    // an arrival within a millionth of the sampling period counts, as in lb_read_sensor
    const double at = time * read->samples, newest = floor(at + 1e-6);
    return (int)(newest - floor(at - read->delay * read->rate + 1e-6));
}

// Mean age of what is read, s.
static void find_ages(lb_closed *k)
{
    for (int i = 0; i < k->controller_count; ++i) {
        lb_closed_controller *own = &k->controllers[i];
        for (int j = 0; j < own->read_count; ++j) {
            lb_closed_read *read = &own->reads[j];
            double sum = 0.0;
            for (int n = 0; n < own->sample_count && read->is_used && read->sensor >= 0; ++n) {
                const double time = (double)n / own->sample_count, at = time * read->samples;
                sum += at - floor(at + 1e-6) + lb_find_sample_age(k, read, time);
            }
            read->age = fmax(0.0, sum / own->sample_count / read->rate);
        }
    }
}

lb_status lb_take_matrices(lb_arena *arena, size_t n, size_t m, size_t p, lb_matrices *out)
{
    *out = (lb_matrices){.n = (int)n,
                         .m = (int)m,
                         .p = (int)p,
                         .A = lb_take_numbers(arena, n * n + 1),
                         .B = lb_take_numbers(arena, n * m + 1),
                         .C = lb_take_numbers(arena, p * n + 1),
                         .D = lb_take_numbers(arena, p * m + 1)};
    return out->A && out->B && out->C && out->D ? LB_OK : LB_E_MEMORY;
}

// ---- all -----------------------------------------------------------------------------------------

lb_status lb_collect_loop_at(lb_simulation *sim, const lb_linear_options *options,
                             const lb_feedbacks *feedbacks, const double *forces, int rest_step,
                             lb_arena *arena, lb_closed *k)
{
    *k = (lb_closed){.sim = sim, .arena = arena, .feedbacks = *feedbacks, .rest_step = rest_step};
    double *memories = NULL;
    lb_status status = lb_save_laws(sim, arena, &memories);
    status = status < 0 ? status : list_controllers(k);
    if (status >= 0) {
        lb_restore_laws(sim, memories); // where they start is not where they rest
    }
    status = status < 0 ? status : find_plant(k, options, forces);
    for (int i = 0, at = k->output_count; i < k->controller_count && status >= 0;
         at += k->controllers[i++].read_count) {
        status = find_law(k, &k->controllers[i], at);
    }
    for (int i = 0; i < k->actuator_count && status >= 0; ++i) {
        status = find_actuator(k, &k->actuators[i]);
    }
    if (status < 0) {
        return status;
    }
    add_feedthrough(k);
    status = find_period(k);
    if (status >= 0) {
        find_ages(k);
    }
    return status;
}

lb_status lb_collect_loop(lb_simulation *sim, const lb_linear_options *options,
                          const lb_feedbacks *feedbacks, lb_arena *arena, lb_closed *k)
{
    lb_linear_options own = *options;
    double *q = NULL, *forces = NULL, *memories = NULL;
    if (options->period != 0.0) {
        return lb_say(
            &sim->system, LB_E_UNSUPPORTED,
            "linear: margins and responses of loops are those at a point, not over a period");
    }
    const bool rests = options->about == LB_ABOUT_EQUILIBRIUM;
    if (sim->settle && sim->stage != LB_STAGE_MOMENT) {
        (void)lb_close_initial(
            sim); // which may change what laws remember; who needs it will say what is wrong
    }
    lb_status status = lb_save_laws(sim, arena, &memories);
    if (rests && status >= 0) {
        status = lb_find_closed_rest(sim, options, feedbacks, arena, &q, &forces);
        own.about = LB_ABOUT_REST;
        own.q = q;
    } else if (status >= 0) {
        status = lb_find_closed_forces(sim, options, feedbacks, arena, &forces);
    }
    status = status < 0 ? status : lb_collect_loop_at(sim, &own, feedbacks, forces, 0, arena, k);
    if (memories) {
        lb_restore_laws(sim, memories);
    }
    if (status >= 0 && rests) {
        k->plant.unbalance = 0.0;
        k->plant.unbalanced = "";
    } else if (status >= 0) {
        lb_find_closed_unbalance(k, forces);
    }
    k->rest = q;
    k->forces = forces;
    return status;
}
