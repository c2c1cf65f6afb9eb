// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sensors: what a controller gets to see of a moving model.
#include <math.h>
#include <string.h>

#include "control.h"

// At most so many readings may be on their way.
enum { PAST_MAX = 1000000 };

// ---- making --------------------------------------------------------------------------------------

static void make_strain(lb_simulation *sim, const char *where, const lb_sensor_options *options,
                        lb_sensor *sensor)
{
    const lb_model *model = sim->system.model;
    int bodies[2] = {-1, -1};
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(options->offset[i])) {
            LB_COMPLAIN(sim, where, "offset", "entry %d is not a finite number", i);
        }
    }
    for (int i = 0; i < 2; ++i) {
        char key[] = "strain[0]";
        key[7] = (char)('0' + i);
        memcpy(sensor->offset[i], options->offset, sizeof options->offset);
        if (!lb_resolve_node(model, &options->strain[i], &sim->faults, where, key, &bodies[i],
                             &sensor->nodes[i])) {
            return;
        }
    }
    sensor->body = bodies[0];
    if (bodies[0] != bodies[1] || bodies[0] < 0 || lb_get_mode_count(model, bodies[0]) == 0) {
        LB_COMPLAIN(sim, where, "strain", "expected two nodes of one flexible body");
    }
}

// What it measures; a text that must be there is complained of under its key.
static lb_status make_source(lb_simulation *sim, const char *where,
                             const lb_sensor_options *options, lb_sensor *sensor)
{
    const lb_model *model = sim->system.model;
    const lb_signals *signals = lb_get_force_signals(sim->system.forces);
    const bool is_torque = options->type == LB_SENSOR_TORQUE;
    const char *text = is_torque ? options->hinge : options->signal;
    sensor->type = options->type;
    if ((int)options->type < 0 || options->type >= LB_SENSOR_TYPE_COUNT) {
        LB_COMPLAIN(sim, where, "", "%d is no type of sensor", (int)options->type);
        return LB_OK;
    }
    if (options->type == LB_SENSOR_STRAIN) {
        make_strain(sim, where, options, sensor);
        return LB_OK;
    }
    const char *key = is_torque ? "torque" : "signal";
    if (!text) {
        LB_COMPLAIN(sim, where, key, "missing: the key \"%s\" is required here", key);
        return LB_OK;
    }
    if (is_torque) {
        lb_hinge_place place = {0};
        lb_resolve_hinge(model, text, false, false, &sim->faults, where, key, &place);
        sensor->v = place.v;
        return LB_OK;
    }
    sensor->text = lb_arena_text(&sim->arena, text);
    lb_resolve_signal(model, signals, text, &sim->faults, where, key, &sensor->signal);
    return sensor->text ? LB_OK : LB_E_MEMORY;
}

lb_status lb_make_sensor(lb_simulation *sim, const char *where, double rate,
                         const lb_sensor_options *options, lb_sensor *sensor)
{
    sensor->name = lb_arena_text(&sim->arena, options->name ? options->name : "");
    if (!sensor->name) {
        return LB_E_MEMORY;
    }
    if (!options->name) {
        LB_COMPLAIN(sim, where, "name", "missing: the key \"name\" is required here");
    }
    const lb_status status = make_source(sim, where, options, sensor);
    if (status < 0) {
        return status;
    }
    struct {
        const char *key;
        double given, *number;
    } numbers[] = {{"rate", options->rate != 0.0 ? options->rate : rate, &sensor->rate},
                   {"delay", options->delay, &sensor->delay},
                   {"noise", options->noise, &sensor->noise},
                   {"quantum", options->quantum, &sensor->quantum}};
    sensor->rate = rate;
    for (int i = 0; i < 4; ++i) {
        if (lb_check_positive(sim, where, numbers[i].key, i > 0, numbers[i].given)) {
            *numbers[i].number = numbers[i].given;
        }
    }
    sensor->seed = options->seed;
    if (options->seed != LB_NO_SEED && lb_check_positive(sim, where, "seed", true, options->seed) &&
        options->seed >= 0x1p64) {
        LB_COMPLAIN(sim, where, "seed", "%.15g, expected a number below 2^64", options->seed);
    }
    const double under_way = ceil(sensor->delay * sensor->rate) + 2.0;
    sensor->past_count = 1;
    if (under_way > PAST_MAX) {
        LB_COMPLAIN(sim, where, "delay", "%.15g s are %.0f samples, expected at most %d",
                    sensor->delay, under_way, (int)PAST_MAX);
        return LB_OK;
    }
    sensor->past_count = (int)under_way;
    sensor->past = lb_arena_take(&sim->arena, 2 * (size_t)sensor->past_count, sizeof *sensor->past);
    return sensor->past ? LB_OK : LB_E_MEMORY;
}

// ---- noise ---------------------------------------------------------------------------------------

// splitmix64 (S. Vigna, public domain): the same numbers everywhere.
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// FNV-1a (Fowler, Noll, Vo) of a name, with the zero at its end.
static uint64_t add_name(uint64_t hash, const char *name)
{
    do {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    } while (*name++);
    return hash;
}

uint64_t lb_get_noise_seed(const lb_simulation *sim, const char *controller,
                           const lb_sensor *sensor)
{
    if (sensor->seed != LB_NO_SEED) {
        return (uint64_t)sensor->seed;
    }
    const uint64_t names =
        add_name(add_name(UINT64_C(0xcbf29ce484222325), controller), sensor->name);
    return mix(names ^ mix((uint64_t)sim->flow.options.seed + UINT64_C(0x9e3779b97f4a7c15)));
}

// Above 0, up to 1.
static double draw_uniform(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return ((double)(mix(*state) >> 11) + 1.0) * 0x1p-53;
}

// Of mean 0 and deviation 1, by Box and Muller:
//
//     sqrt(-2 log u) cos(2 pi v)
//
// Logarithm and cosine by their series, which IEEE arithmetic gives with the same bits everywhere; libraries of
// mathematics differ in the last one. With u = 2^e m, m from sqrt(1/2) to sqrt(2), and s = (m - 1) / (m + 1)
//
//     log u = e log 2 + 2 s (1 + s^2/3 + s^4/5 + ...)
//     cos(2 pi v) = -sin x = -x (1 - x^2/6 (1 - x^2/20 (...))),  x = 2 pi (1/4 - |v - 1/2|)
static double draw_normal(uint64_t *state)
{
    int e;
    double m = frexp(draw_uniform(state), &e);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --e;
    }
    const double s = (m - 1.0) / (m + 1.0);
    double log_u = 0.0;
    for (int k = 21; k > 0; k -= 2) { // s^2 < 0.03
        log_u = log_u * s * s + 1.0 / k;
    }
    log_u = 0.69314718055994531 * e + 2.0 * s * log_u;
    const double x = 6.28318530717958648 * (0.25 - fabs(draw_uniform(state) - 0.5));
    double sine = 1.0;
    for (int k = 22; k > 0; k -= 2) { // |x| <= pi/2
        sine = 1.0 - sine * x * x / (k * (k + 1.0));
    }
    return -sqrt(-2.0 * log_u) * x * sine;
}

// ---- what is measured ----------------------------------------------------------------------------

// Strain of a fibre between two nodes                                                    (CTL-2)
//
//     e = |x_2 + R_2 o_2 - x_1 - R_1 o_1| / L - 1
//
// given     x, R  of the nodes;  o  ends of the fibre in their axes;  L  its undeformed length
static lb_status measure_strain(const lb_sensor *sensor, lb_system *s, double *value)
{
    double ends[2][3];
    for (int i = 0; i < 2; ++i) {
        lb_node_motion m;
        const lb_status status =
            lb_compute_node_motion(s->model, s->work, sensor->body, sensor->nodes[i], &m);
        if (status < 0) {
            return status;
        }
        const double *o = sensor->offset[i], *u = m.rotation;
        // o + 2 u x (u x o + w o), with the quaternion (w, u)
        const double c[3] = {u[2] * o[2] - u[3] * o[1] + u[0] * o[0],
                             u[3] * o[0] - u[1] * o[2] + u[0] * o[1],
                             u[1] * o[1] - u[2] * o[0] + u[0] * o[2]};
        ends[i][0] = m.position[0] + o[0] + 2.0 * (u[2] * c[2] - u[3] * c[1]);
        ends[i][1] = m.position[1] + o[1] + 2.0 * (u[3] * c[0] - u[1] * c[2]);
        ends[i][2] = m.position[2] + o[2] + 2.0 * (u[1] * c[1] - u[2] * c[0]);
    }
    const double length =
        hypot(hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]), ends[1][2] - ends[0][2]);
    *value = length / sensor->length - 1.0;
    return LB_OK;
}

lb_status lb_start_sensor(lb_sensor *sensor, lb_system *s)
{
    if (sensor->type != LB_SENSOR_STRAIN) {
        return LB_OK;
    }
    lb_get_neutral_configuration(s->model, s->q);
    memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
    double strain = 0.0;
    sensor->length = 1.0;
    lb_status status = lb_compute_kinematics(s->model, s->work, s->q, s->v, NULL);
    status = status < 0 ? status : measure_strain(sensor, s, &strain);
    sensor->length = 1.0 + strain;
    return status < 0 || sensor->length > 1e-9
               ? status
               : lb_say(s, LB_E_ARGUMENT, "the fibre of sensor '%s' has no length", sensor->name);
}

static lb_status measure(const lb_sensor *sensor, lb_system *s, double t, lb_load_memory *loads,
                         double *value)
{
    lb_instant instant = lb_make_system_instant(s, t, s->q, s->v, s->a);
    instant.loads = loads;
    switch (sensor->type) {
    case LB_SENSOR_SIGNAL:
        return lb_evaluate_signal(&sensor->signal, &instant, value);
    case LB_SENSOR_TORQUE:
        *value = s->tau[sensor->v];
        return LB_OK;
    default:
        return measure_strain(sensor, s, value);
    }
}

lb_status lb_sample_sensor(lb_sensor *sensor, lb_system *s, double t, lb_load_memory *loads)
{
    double value = 0.0;
    const lb_status status = measure(sensor, s, t, loads, &value);
    if (status == LB_E_CALLBACK) {
        return lb_say(s, status, "t = %.9g s: the signal of sensor '%s' failed", t, sensor->name);
    }
    if (status < 0 || !isfinite(value)) {
        return lb_say(s, status < 0 ? status : LB_E_NUMBER,
                      "t = %.9g s: the reading of sensor '%s' is not a finite number", t,
                      sensor->name);
    }
    if (sensor->noise > 0.0) {
        value += sensor->noise * draw_normal(&sensor->random);
    }
    if (sensor->quantum > 0.0) {
        value = sensor->quantum * nearbyint(value / sensor->quantum);
    }
    // into the ring, which has room for all that can be under way: what has arrived is taken out, since the
    // controller may sample more slowly
    (void)lb_read_sensor(sensor, t);
    const int at = (sensor->oldest + sensor->newest_count) % sensor->past_count;
    sensor->past[2 * at] = t + sensor->delay;
    sensor->past[2 * at + 1] = value;
    ++sensor->newest_count;
    sensor->sample_count += 1.0;
    return LB_OK;
}

double lb_read_sensor(lb_sensor *sensor, double t)
{
    // an arrival within a millionth of the sampling period counts: delays are sums of round numbers
    const double soon = t + 1e-6 / sensor->rate;
    while (sensor->newest_count > 0 && sensor->past[2 * sensor->oldest] <= soon) {
        sensor->reading = sensor->past[2 * sensor->oldest + 1];
        sensor->oldest = (sensor->oldest + 1) % sensor->past_count;
        --sensor->newest_count;
    }
    return sensor->reading;
}
