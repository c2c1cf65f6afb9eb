// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `controllers` of a model file.
#include <math.h>
#include <string.h>

#include "design/design.h"
#include "load_keys.h"

static const lb_law *const laws[] = {&lb_law_pid,      &lb_law_computed_torque, &lb_law_matching,
                                     &lb_law_callback, &lb_law_process,         &lb_law_plugin,
                                     &lb_law_lqr};
enum { LAW_COUNT = sizeof laws / sizeof laws[0] };

// At most so many readings may be on their way.
enum { PAST_MAX = 1000000 };

// ---- numbers -------------------------------------------------------------------------------------

static void read_positive(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                          bool zero_too, double *number)
{
    double value = *number;
    const lb_place at = lb_place_at_key(up, key);
    if (!lb_read_number(reader, up, key, need, &value)) {
        return;
    }
    if (zero_too ? !(value >= 0.0) : !(value > 0.0)) {
        lb_reader_fail(reader, &at, "%.15g, expected a number %s", value,
                       zero_too ? "not below zero" : "above zero");
        return;
    }
    *number = value;
}

// ---- sensors -------------------------------------------------------------------------------------

// {strain: [link/n1, link/n2], offset: [0, 0.01, 0]}
static void load_strain(lb_control_loader *loader, const lb_place *place, lb_sensor *sensor)
{
    lb_reader *reader = loader->functions.reader;
    const lb_model *model = loader->sim->system.model;
    lb_place list;
    int bodies[2];
    if (!lb_read_sequence(reader, place, "strain", LB_REQUIRED, &list)) {
        return;
    }
    if (lb_place_get_count(&list) != 2) {
        lb_reader_fail(reader, &list, "%zu nodes given, expected the two that the fibre joins",
                       lb_place_get_count(&list));
        return;
    }
    lb_read_numbers(reader, place, "offset", LB_OPTIONAL, 3, sensor->offset[0]);
    memcpy(sensor->offset[1], sensor->offset[0], sizeof sensor->offset[0]);
    for (size_t i = 0; i < 2; ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        if (!lb_read_node(&loader->functions, &at, &bodies[i], &sensor->nodes[i])) {
            return;
        }
    }
    sensor->body = bodies[0];
    if (bodies[0] != bodies[1] || bodies[0] < 0 || lb_get_mode_count(model, bodies[0]) == 0) {
        lb_reader_fail(reader, &list, "expected two nodes of one flexible body");
    }
}

static lb_status load_sensor(lb_control_loader *loader, const lb_place *place,
                             const lb_controller *c, lb_sensor *sensor)
{
    static const char *const keys[] = {"name",  "signal", "torque", "strain",  "offset", "rate",
                                       "delay", "noise",  "seed",   "quantum", NULL};
    lb_reader *reader = loader->functions.reader;
    const lb_model *model = loader->sim->system.model;
    const char *text = "";
    sensor->name = "";
    sensor->rate = c->rate;
    sensor->past_count = 1;
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    lb_read_string(reader, place, "name", LB_REQUIRED, &text);
    sensor->name = lb_arena_text(&loader->sim->arena, text);
    const lb_place signal = lb_place_at_key(place, "signal");
    const lb_place torque = lb_place_at_key(place, "torque");
    const lb_place strain = lb_place_at_key(place, "strain");
    if ((lb_place_exists(&signal)) + (lb_place_exists(&torque)) + (lb_place_exists(&strain)) != 1) {
        lb_reader_fail(reader, place, "expected exactly one of signal, torque, strain");
    } else if (lb_place_exists(&signal) &&
               lb_read_string(reader, place, "signal", LB_REQUIRED, &text)) {
        lb_signal_error error;
        sensor->text = lb_arena_text(&loader->sim->arena, text);
        if (lb_compile_signal(model, loader->functions.scope.named, text, &error, &sensor->signal) <
            0) {
            lb_reader_fail(reader, &signal, "%s", error.message);
        }
    } else if (lb_place_exists(&torque)) {
        lb_force hinge = {0};
        sensor->kind = LB_SENSOR_TORQUE;
        if (lb_read_hinge(&loader->functions, place, "torque", false, false, &hinge)) {
            sensor->v = hinge.v;
        }
    } else if (lb_place_exists(&strain)) {
        sensor->kind = LB_SENSOR_STRAIN;
        load_strain(loader, place, sensor);
    }
    double seed = 1.0;
    read_positive(reader, place, "rate", LB_OPTIONAL, false, &sensor->rate);
    read_positive(reader, place, "delay", LB_OPTIONAL, true, &sensor->delay);
    read_positive(reader, place, "noise", LB_OPTIONAL, true, &sensor->noise);
    read_positive(reader, place, "quantum", LB_OPTIONAL, true, &sensor->quantum);
    read_positive(reader, place, "seed", LB_OPTIONAL, true, &seed);
    sensor->random = (uint64_t)seed;
    const double under_way = ceil(sensor->delay * sensor->rate) + 2.0;
    if (under_way > PAST_MAX) {
        const lb_place delay = lb_place_at_key(place, "delay");
        lb_reader_fail(reader, &delay, "%.15g s are %.0f samples, expected at most %d",
                       sensor->delay, under_way, (int)PAST_MAX);
        return LB_OK;
    }
    sensor->past_count = (int)under_way;
    sensor->past =
        lb_arena_take(&loader->sim->arena, 2 * (size_t)sensor->past_count, sizeof *sensor->past);
    return sensor->name && sensor->past ? LB_OK : LB_E_MEMORY;
}

static int find_sensor(const lb_controller *c, const char *name)
{
    for (int i = 0; i < c->sample.sensor_count; ++i) {
        if (strcmp(c->sensors[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// ---- channels ------------------------------------------------------------------------------------

// A sensor by name, or `true` (the default), or, of a speed, `differences`.
static int read_measured(lb_control_loader *loader, const lb_place *place, const char *key,
                         const lb_controller *c)
{
    lb_reader *reader = loader->functions.reader;
    const char *name = NULL;
    const lb_place at = lb_place_at_key(place, key);
    if (!lb_place_exists(&at) || !lb_read_string(reader, place, key, LB_OPTIONAL, &name)) {
        return LB_MEASURED_TRULY;
    }
    if (strcmp(key, "speed") == 0 && strcmp(name, "differences") == 0) {
        return LB_MEASURED_BY_DIFFERENCES;
    }
    const int sensor = find_sensor(c, name);
    if (sensor < 0) {
        lb_reader_fail(reader, &at, "this controller has no sensor '%s'", name);
    }
    return sensor;
}

static lb_status load_channel(lb_control_loader *loader, const lb_place *place, lb_controller *c,
                              lb_channel *channel)
{
    static const char *const keys[] = {"actuator", "position", "speed", "desired", NULL};
    lb_reader *reader = loader->functions.reader;
    const lb_forces *forces = loader->sim->system.forces;
    const char *name = NULL;
    channel->position_sensor = channel->speed_sensor = LB_MEASURED_TRULY;
    channel->desired.impulse_count = 1;
    channel->desired.weights[0] = 1.0;
    const bool is_mapping = lb_place_get_kind(place) == LB_DOC_MAPPING;
    if (is_mapping) {
        lb_read_mapping(reader, place, keys);
        lb_read_string(reader, place, "actuator", LB_REQUIRED, &name);
        channel->position_sensor = read_measured(loader, place, "position", c);
        channel->speed_sensor = read_measured(loader, place, "speed", c);
    } else {
        name = lb_place_get_string(place);
        if (!name) {
            lb_reader_fail_type(reader, place,
                                "the name of an actuator, or {actuator: NAME, desired: ...}");
        }
    }
    channel->actuator = name ? lb_find_force(forces, name) : -1;
    if (name &&
        (channel->actuator < 0 || forces->forces[channel->actuator].kind != LB_FORCE_ACTUATOR)) {
        const lb_place at = is_mapping ? lb_place_at_key(place, "actuator") : *place;
        lb_reader_fail(reader, &at,
                       channel->actuator < 0 ? "there is no actuator '%s' among the forces"
                                             : "the force '%s' is not of type actuator",
                       name);
        return LB_OK;
    }
    if (channel->actuator >= 0) {
        const lb_force *force = &forces->forces[channel->actuator];
        channel->body = force->body;
        channel->q = force->q;
        channel->v = force->v;
    }
    const lb_place desired = lb_place_at_key(place, "desired");
    channel->desired.given = is_mapping && lb_place_exists(&desired);
    return channel->desired.given ? lb_load_desired(loader, &desired, &channel->desired) : LB_OK;
}

// Lists of sensors and channels, and arrays for their numbers.
static lb_status load_parts(lb_control_loader *loader, const lb_place *place, lb_controller *c)
{
    lb_simulation *sim = loader->sim;
    lb_reader *reader = loader->functions.reader;
    lb_place sensors = {0}, channels = {0};
    lb_read_sequence(reader, place, "sensors", LB_OPTIONAL, &sensors);
    lb_read_sequence(reader, place, "actuators", LB_REQUIRED, &channels);
    const size_t m = lb_place_get_count(&sensors), n = lb_place_get_count(&channels);
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
    c->sample = (lb_control_sample){.period = 1.0 / c->rate,
                                    .sensors = c->readings,
                                    .channel_count = (int)n,
                                    .position = c->position,
                                    .speed = c->speed,
                                    .desired = c->desired[0],
                                    .desired_speed = c->desired[1],
                                    .desired_acceleration = c->desired[2]};
    lb_status status = LB_OK;
    for (size_t i = 0; status >= 0 && i < m; ++i) {
        const lb_place at = lb_place_at_index(&sensors, i);
        status = load_sensor(loader, &at, c, &c->sensors[i]);
        if (status >= 0 && find_sensor(c, c->sensors[i].name) >= 0) {
            lb_reader_fail(reader, &at, "'%s' is already the name of a sensor", c->sensors[i].name);
        }
        c->sample.sensor_count = (int)i + 1;
    }
    for (size_t i = 0; status >= 0 && i < n; ++i) {
        const lb_place at = lb_place_at_index(&channels, i);
        status = load_channel(loader, &at, c, &c->channels[i]);
    }
    if (n == 0 && lb_place_exists(&channels)) {
        lb_reader_fail(reader, &channels, "no actuators given, expected at least one");
    }
    return status;
}

// ---- the law ---------------------------------------------------------------------------------------

static lb_status load_law(lb_control_loader *loader, const lb_place *place, lb_controller *c)
{
    const char *names[LAW_COUNT + 1] = {NULL};
    lb_reader *reader = loader->functions.reader;
    const lb_place law = lb_place_at_key(place, "law");
    int type = 0;
    for (int i = 0; i < LAW_COUNT; ++i) {
        names[i] = laws[i]->name;
    }
    if (lb_place_get_kind(&law) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, &law, "a law, such as {type: pid, kp: 100, kd: 10}");
        return LB_OK;
    }
    if (!lb_read_word(reader, &law, "type", LB_REQUIRED, names, &type)) {
        return LB_OK;
    }
    lb_read_mapping(reader, &law, laws[type]->keys);
    for (int i = 0; laws[type]->needs_desired && i < c->sample.channel_count; ++i) {
        if (!c->channels[i].desired.given) {
            const lb_place list = lb_place_at_key(place, "actuators");
            const lb_place at = lb_place_at_index(&list, (size_t)i);
            lb_reader_fail(reader, &at,
                           "a law of type %s needs the desired motion: "
                           "{actuator: NAME, desired: ...}",
                           laws[type]->name);
        }
    }
    c->law = laws[type];
    return laws[type]->load(loader, &law, c);
}

static lb_status load_controller(lb_control_loader *loader, const lb_place *place, lb_controller *c)
{
    static const char *const keys[] = {"name",    "rate", "sensors", "actuators",
                                       "shaping", "law",  NULL};
    lb_reader *reader = loader->functions.reader;
    const char *name = "";
    const int errors = reader->error_count;
    c->name = "";
    c->rate = 1.0;
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    lb_read_string(reader, place, "name", LB_REQUIRED, &name);
    c->name = lb_arena_text(&loader->sim->arena, name);
    read_positive(reader, place, "rate", LB_REQUIRED, false, &c->rate);
    const lb_status status = c->name ? load_parts(loader, place, c) : LB_E_MEMORY;
    const lb_place shaping = lb_place_at_key(place, "shaping");
    if (lb_place_exists(&shaping)) {
        lb_load_shaping(loader, &shaping, &c->shaping);
    }
    // a law asks for parts that are sound
    return status < 0 || reader->error_count > errors ? status : load_law(loader, place, c);
}

lb_status lb_load_controllers(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place list = lb_place_at_key(root, "controllers");
    const size_t count = lb_place_get_count(&list);
    lb_forces *forces = sim->system.forces;
    const lb_signals *signals = lb_get_force_signals(forces);
    lb_control_loader loader = {
        sim, {&forces->arena, {sim->system.model, signals, lb_get_signal_count(signals)}, reader}};

    sim->control = lb_arena_take(&sim->arena, 1, sizeof *sim->control);
    lb_controller *controllers = lb_arena_take(&sim->arena, count, sizeof *controllers);
    if (!sim->control || !controllers) {
        return LB_E_MEMORY;
    }
    sim->control->controllers = controllers;
    sim->sampler = &lb_controllers;
    lb_status status = LB_OK;
    for (size_t i = 0; status >= 0 && i < count; ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        status = load_controller(&loader, &at, &controllers[i]);
        if (status >= 0 && lb_find_controller(sim, controllers[i].name) >= 0) {
            const lb_place name = lb_place_at_key(&at, "name");
            lb_reader_fail(reader, &name, "'%s' is already the name of a controller",
                           controllers[i].name);
        }
        sim->control->count = (int)i + 1;
    }
    return status;
}
