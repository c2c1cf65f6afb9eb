// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `controllers` of a model file.
#include "document/reader.h"

#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "document/values.h"
#include "load_keys.h"

// ---- what is reported ----------------------------------------------------------------------------

typedef struct channel_relay {
    lb_report next;
    lb_place channels; // of the controller that is being added
} channel_relay;

// An actuator may be given by its name alone: then the path of the name is that of its channel.
static void relay(void *user, const lb_diagnostic *diagnostic)
{
    static const char end[] = "].actuator";
    const channel_relay *own = user;
    lb_diagnostic said = *diagnostic;
    char path[256];
    const size_t length = strlen(said.path), tail = sizeof end - 1;
    if (length < sizeof path && length > tail && strcmp(said.path + length - tail, end) == 0) {
        memcpy(path, said.path, length + 1);
        const size_t index = (size_t)atoi(strrchr(path, '[') + 1);
        const lb_place at = lb_place_at_index(&own->channels, index);
        if (lb_place_get_kind(&at) != LB_DOC_MAPPING) {
            path[length - tail + 1] = '\0';
            said.path = path;
        }
    }
    own->next.emit(own->next.user, &said);
}

// ---- sensors -------------------------------------------------------------------------------------

// {strain: [link/n1, link/n2], offset: [0, 0.01, 0]}
static void read_strain(lb_part_loader *loader, const lb_place *place, lb_sensor_options *sensor)
{
    lb_reader *reader = loader->reader;
    lb_place list;
    if (!lb_read_sequence(reader, place, "strain", LB_REQUIRED, &list)) {
        return;
    }
    if (lb_place_get_count(&list) != 2) {
        lb_reader_fail(reader, &list, "%zu nodes given, expected the two that the fibre joins",
                       lb_place_get_count(&list));
        return;
    }
    lb_read_numbers(reader, place, "offset", LB_OPTIONAL, 3, sensor->offset);
    for (size_t i = 0; i < 2; ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        lb_read_node_name(loader, &at, &sensor->strain[i]);
    }
}

static void read_sensor(lb_part_loader *loader, const lb_place *place, lb_sensor_options *sensor)
{
    static const char *const keys[] = {"name",  "signal", "torque", "strain",  "offset", "rate",
                                       "delay", "noise",  "seed",   "quantum", NULL};
    lb_reader *reader = loader->reader;
    if (!lb_read_mapping(reader, place, keys)) {
        return;
    }
    lb_read_string(reader, place, "name", LB_REQUIRED, &sensor->name);
    const bool signal = lb_place_has_key(place, "signal"),
               torque = lb_place_has_key(place, "torque");
    if (signal + torque + lb_place_has_key(place, "strain") != 1) {
        lb_reader_fail(reader, place, "expected exactly one of signal, torque, strain");
    } else if (signal) {
        sensor->type = LB_SENSOR_SIGNAL;
        lb_read_string(reader, place, "signal", LB_REQUIRED, &sensor->signal);
    } else if (torque) {
        sensor->type = LB_SENSOR_TORQUE;
        lb_read_string(reader, place, "torque", LB_REQUIRED, &sensor->hinge);
    } else {
        sensor->type = LB_SENSOR_STRAIN;
        read_strain(loader, place, sensor);
    }
    lb_read_nonzero(reader, place, "rate", &sensor->rate);
    lb_read_number(reader, place, "delay", LB_OPTIONAL, &sensor->delay);
    lb_read_number(reader, place, "noise", LB_OPTIONAL, &sensor->noise);
    lb_read_number(reader, place, "seed", LB_OPTIONAL, &sensor->seed);
    lb_read_number(reader, place, "quantum", LB_OPTIONAL, &sensor->quantum);
}

// ---- channels ------------------------------------------------------------------------------------

lb_status lb_read_waypoints(lb_part_loader *loader, const lb_place *place,
                            const lb_waypoint_form *form, lb_profile *profile, int *count,
                            const double **times, const double **values)
{
    static const char *const known[] = {"waypoints", "profile", NULL};
    static const char *const words[] = {[LB_PROFILE_CUBIC] = "cubic",
                                        [LB_PROFILE_QUINTIC] = "quintic",
                                        [LB_PROFILE_SEPTIC] = "septic",
                                        NULL};
    lb_reader *reader = loader->reader;
    int word = LB_PROFILE_QUINTIC;
    lb_place list;
    lb_read_mapping(reader, place, known);
    lb_read_word(reader, place, "profile", LB_OPTIONAL, words, &word);
    *profile = (lb_profile)word;
    if (!lb_read_sequence(reader, place, "waypoints", LB_REQUIRED, &list)) {
        return LB_OK;
    }
    const size_t found = lb_place_get_count(&list), width = (size_t)form->width;
    if (found < (size_t)form->least) {
        lb_reader_fail(reader, &list, "%zu given, expected at least two: %s", found, form->list);
        return LB_OK;
    }
    double *all = lb_arena_take(&loader->scratch, (1 + width) * found, sizeof *all);
    if (!all) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < found; ++i) {
        const lb_place point = lb_place_at_index(&list, i);
        double *value = all + found + width * i;
        lb_place parts[2];
        if (!lb_read_tuple(reader, &point, 2, form->point, parts) ||
            !lb_read_number_at(reader, &parts[0], &all[i]) ||
            !(width == 1 ? lb_read_angle_at(reader, &parts[1], value)
                         : lb_read_numbers_at(reader, &parts[1], width, value))) {
            return LB_OK;
        }
    }
    *count = (int)found;
    *times = all;
    *values = all + found;
    return LB_OK;
}

lb_status lb_read_desired(lb_part_loader *loader, const lb_place *place,
                          lb_channel_options *channel)
{
    const lb_place waypoints = lb_place_at_key(place, "waypoints");
    if (waypoints.node) {
        static const lb_waypoint_form form = {1, 1, "[[t, x], ...]",
                                              "a time and a value, such as [0.5, 30 deg]"};
        return lb_read_waypoints(loader, place, &form, &channel->profile, &channel->waypoint_count,
                                 &channel->waypoint_times, &channel->waypoints);
    }
    lb_function_options *function = lb_arena_take(&loader->scratch, 1, sizeof *function);
    if (!function) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_read_function(loader, place, true, function);
    channel->desired = status == LB_OK ? function : NULL;
    return status == LB_E_MODEL ? LB_OK : status;
}

static lb_status read_channel(lb_part_loader *loader, const lb_place *place,
                              lb_channel_options *channel)
{
    static const char *const keys[] = {"actuator", "position", "speed", "desired", NULL};
    lb_reader *reader = loader->reader;
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        channel->actuator = lb_place_get_string(place);
        if (!channel->actuator) {
            lb_reader_fail_type(reader, place,
                                "the name of an actuator, or {actuator: NAME, desired: ...}");
        }
        return LB_OK;
    }
    lb_read_mapping(reader, place, keys);
    lb_read_string(reader, place, "actuator", LB_REQUIRED, &channel->actuator);
    lb_read_string(reader, place, "position", LB_OPTIONAL, &channel->position_sensor);
    if (lb_read_string(reader, place, "speed", LB_OPTIONAL, &channel->speed_sensor) &&
        strcmp(channel->speed_sensor, "differences") == 0) {
        channel->speed_sensor = NULL;
        channel->speed_by_differences = true;
    }
    const lb_place desired = lb_place_at_key(place, "desired");
    return desired.node ? lb_read_desired(loader, &desired, channel) : LB_OK;
}

// ---- controllers ---------------------------------------------------------------------------------

// How many sensors or actuators a list has. A few words can describe millions of them, each with a mistake.
static size_t count_parts(lb_reader *reader, const lb_place *list)
{
    enum { MOST = 100000 };
    const size_t count = lb_place_get_count(list);
    if (count > MOST) {
        lb_reader_fail(reader, list, "%zu entries found, expected at most %d", count, MOST);
    }
    return count > MOST ? 0 : count;
}

// Lists of sensors and channels.
static lb_status read_parts(lb_part_loader *loader, const lb_place *place, const lb_place *channels,
                            lb_controller_options *options)
{
    lb_place list;
    const bool has = lb_read_sequence(loader->reader, place, "sensors", LB_OPTIONAL, &list);
    const size_t m = has ? count_parts(loader->reader, &list) : 0,
                 n = count_parts(loader->reader, channels);
    lb_sensor_options *sensors = lb_arena_take(&loader->scratch, m, sizeof *sensors);
    lb_channel_options *own = lb_arena_take(&loader->scratch, n, sizeof *own);
    lb_status status = sensors && own ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; status >= 0 && i < m && !lb_gives_up(loader->reader, &list, i); ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        sensors[i] = lb_default_sensor_options();
        read_sensor(loader, &at, &sensors[i]);
        options->sensor_count = (int)i + 1;
    }
    for (size_t i = 0; status >= 0 && i < n && !lb_gives_up(loader->reader, channels, i); ++i) {
        const lb_place at = lb_place_at_index(channels, i);
        own[i] = lb_default_channel_options();
        status = read_channel(loader, &at, &own[i]);
        options->channel_count = (int)i + 1;
    }
    // a name that cannot be read may be the one that a channel asks for
    const lb_place given = lb_place_at_key(place, "sensors");
    bool named = has || !given.node;
    for (size_t i = 0; status >= 0 && i < m; ++i) {
        named = named && sensors[i].name;
    }
    for (size_t i = 0; status >= 0 && !named && i < n; ++i) {
        own[i].position_sensor = NULL;
        own[i].speed_sensor = NULL;
    }
    options->sensors = sensors;
    options->channels = own;
    return status;
}

static void read_shaping(lb_reader *reader, const lb_place *place, lb_controller_options *options)
{
    static const char *const keys[] = {"type", "modes", NULL};
    static const char *const types[] = {"zv", "zvd", NULL};
    int type = 0;
    if (!lb_read_mapping(reader, place, keys)) {
        return;
    }
    lb_read_word(reader, place, "type", LB_REQUIRED, types, &type);
    options->shaping = type == 0 ? LB_SHAPING_ZV : LB_SHAPING_ZVD;
    lb_read_integer(reader, place, "modes", LB_OPTIONAL, &options->shaped_modes);
}

static lb_status read_controller(lb_part_loader *loader, const lb_place *place,
                                 lb_controller_options *options, lb_law_options *law)
{
    static const char *const keys[] = {"name",    "rate", "sensors", "actuators",
                                       "shaping", "law",  NULL};
    lb_reader *reader = loader->reader;
    lb_place channels;
    lb_read_mapping(reader, place, keys);
    lb_read_string(reader, place, "name", LB_REQUIRED, &options->name);
    options->rate = 1.0;
    lb_read_number(reader, place, "rate", LB_REQUIRED, &options->rate);
    lb_status status = LB_OK;
    if (lb_read_sequence(reader, place, "actuators", LB_REQUIRED, &channels)) {
        status = read_parts(loader, place, &channels, options);
    }
    const lb_place shaping = lb_place_at_key(place, "shaping");
    if (shaping.node) {
        read_shaping(reader, &shaping, options);
    }
    const lb_place at = lb_place_at_key(place, "law");
    const int errors = reader->error_count;
    status = status < 0 ? status : lb_read_law(loader, &at, options->channel_count, law);
    // a law that cannot be read asks for nothing
    options->law = reader->error_count > errors ? NULL : law;
    return status;
}

// The model of a law, with its forces.
typedef struct law_model {
    lb_model *model;
    lb_forces *forces;
} law_model;

static void release_law_model(void *owned)
{
    law_model *own = owned;
    lb_destroy_forces(own->forces);
    lb_destroy_model(own->model);
    free(own);
}

static lb_status load_controller(lb_simulation *sim, lb_part_loader *loader, const lb_place *place)
{
    lb_controller_options options = lb_default_controller_options();
    lb_law_options law = lb_default_law_options();
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(loader->reader, place, "a mapping");
        return lb_reserve_controller(sim, NULL);
    }
    lb_status status = read_controller(loader, place, &options, &law);
    law_model *model = law.model ? malloc(sizeof *model) : NULL;
    if (model) {
        *model = (law_model){(lb_model *)law.model, law.model_forces}; // made by lb_read_law
    } else if (law.model) {
        lb_destroy_forces(law.model_forces);
        lb_destroy_model((lb_model *)law.model);
        return LB_E_MEMORY;
    }
    // also after errors of form: it finds those of meaning
    status = status < 0 ? status : lb_add_controller(sim, &options, NULL);
    status = status == LB_E_MODEL ? LB_OK : status;
    if (model && status >= 0) {
        lb_give_to_controller(sim, model, release_law_model);
    } else if (model) {
        release_law_model(model);
    }
    return status;
}

lb_status lb_load_controllers(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place list = lb_find_part(root, "controllers", LB_DOC_SEQUENCE);
    const size_t count = lb_place_get_count(&list);
    const lb_report report = sim->faults.report;
    lb_status status = LB_OK;
    for (size_t i = 0; status >= 0 && i < count && !lb_gives_up(reader, &list, i); ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        lb_part_loader loader = {reader, root, lb_make_arena(NULL)};
        channel_relay own = {lb_get_relay(&loader), lb_place_at_key(&at, "actuators")};
        sim->faults.report = (lb_report){relay, &own};
        status = load_controller(sim, &loader, &at);
        lb_end_part_loader(&loader);
    }
    sim->faults.report = report;
    return status;
}
