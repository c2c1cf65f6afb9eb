// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `law` of a controller in a model file.
#include "document/reader.h"
#include "document/values.h"
#include "linear/design/design.h"
#include "listener.h"
#include "load_keys.h"

// Keys of each law, `type` among them.
static const char *const pid_keys[] = {"type", "kp", "ki", "kd", "inertia", "integral_limit", NULL};
static const char *const computed_keys[] = {"type",  "kp",           "kd",    "regulator",
                                            "modes", "deformations", "model", NULL};
static const char *const matching_keys[] = {"type",   "kp",           "kd",    "regulator", "state",
                                            "sweeps", "deformations", "model", NULL};
static const char *const callback_keys[] = {"type", NULL};
static const char *const process_keys[] = {"type", "command", "timeout", NULL};
static const char *const plugin_keys[] = {"type", "library", "function", NULL};
static const char *const lqr_keys[] = {"type",          "about",        "position",
                                       "speed",         "vibration",    "effort",
                                       "process_noise", "sensor_noise", NULL};
static const char *const attitude_keys[] = {"type", "node",    "attitude",     "rate",    "kp",
                                            "kd",   "inertia", "distribution", "desired", NULL};

// ---- gains ---------------------------------------------------------------------------------------

// One number for all channels, or a list of as many. How many there are is 0 if that could not be read.
static lb_status read_gains(lb_part_loader *loader, const lb_place *law, const char *key,
                            lb_need need, int channel_count, const double **gains)
{
    const size_t count = (size_t)channel_count;
    const lb_place at = lb_place_at_key(law, key);
    double *numbers = lb_arena_take(&loader->scratch, count, sizeof *numbers);
    if (!numbers) {
        return LB_E_MEMORY;
    }
    if (lb_place_get_kind(&at) == LB_DOC_SEQUENCE && count == 0) {
        for (size_t i = 0; i < lb_place_get_count(&at); ++i) {
            const lb_place entry = lb_place_at_index(&at, i);
            double ignored;
            lb_read_number_at(loader->reader, &entry, &ignored);
        }
        return LB_OK;
    }
    if (lb_place_get_kind(&at) == LB_DOC_SEQUENCE) {
        if (lb_read_numbers(loader->reader, law, key, need, count, numbers)) {
            *gains = numbers;
        }
        return LB_OK;
    }
    double number;
    if (lb_read_number(loader->reader, law, key, need, &number)) {
        for (size_t i = 0; i < count; ++i) {
            numbers[i] = number;
        }
        *gains = numbers;
    }
    return LB_OK;
}

// Whether a key has a list of lists: a matrix, row by row.
static bool is_matrix(const lb_place *law, const char *key)
{
    const lb_place at = lb_place_at_key(law, key);
    if (lb_place_get_kind(&at) != LB_DOC_SEQUENCE || lb_place_get_count(&at) == 0) {
        return false;
    }
    const lb_place first = lb_place_at_index(&at, 0);
    return lb_place_get_kind(&first) == LB_DOC_SEQUENCE;
}

// `rows` rows of `columns` numbers. Of a square one also its diagonal, or one number for all of that.
static lb_status read_matrix(lb_part_loader *loader, const lb_place *law, const char *key,
                             lb_need need, int rows, int columns, const double **out)
{
    lb_reader *reader = loader->reader;
    const lb_place at = lb_place_at_key(law, key);
    const size_t n = (size_t)rows, width = (size_t)columns;
    double *numbers = lb_arena_take(&loader->scratch, n * width, sizeof *numbers);
    if (!numbers) {
        return LB_E_MEMORY;
    }
    if (rows == columns && !is_matrix(law, key)) {
        const double *diagonal = NULL;
        const lb_status status = read_gains(loader, law, key, need, rows, &diagonal);
        for (size_t i = 0; diagonal && i < n; ++i) {
            numbers[i * n + i] = diagonal[i];
        }
        *out = diagonal ? numbers : NULL;
        return status;
    }
    lb_place list;
    if (!lb_read_sequence(reader, law, key, need, &list)) {
        return LB_OK;
    }
    if (lb_place_get_count(&list) != n) {
        lb_reader_fail(reader, &at, "%zu rows given, expected %zu", lb_place_get_count(&list), n);
        return LB_OK;
    }
    bool good = true;
    for (size_t i = 0; i < n; ++i) {
        const lb_place row = lb_place_at_index(&list, i);
        good = lb_read_numbers_at(reader, &row, width, numbers + i * width) && good;
    }
    *out = good ? numbers : NULL;
    return LB_OK;
}

static lb_status read_pid(lb_part_loader *loader, const lb_place *law, int channel_count,
                          lb_law_options *options)
{
    const struct {
        const char *key;
        const double **gains;
    } gains[] = {{"kp", &options->kp},
                 {"ki", &options->ki},
                 {"kd", &options->kd},
                 {"inertia", &options->inertia},
                 {"integral_limit", &options->integral_limit}};
    lb_status status = LB_OK;
    for (int i = 0; i < 4 && channel_count > 0; ++i) {
        options->gain_matrices = options->gain_matrices || is_matrix(law, gains[i].key);
    }
    for (int i = 0; status >= 0 && i < 5; ++i) {
        const lb_need need = i == 0 ? LB_REQUIRED : LB_OPTIONAL;
        status = options->gain_matrices && i < 4
                     ? read_matrix(loader, law, gains[i].key, need, channel_count, channel_count,
                                   gains[i].gains)
                     : read_gains(loader, law, gains[i].key, need, channel_count, gains[i].gains);
    }
    return status;
}

// ---- laws that know the dynamics -----------------------------------------------------------------

static lb_status read_regulator(lb_part_loader *loader, const lb_place *place,
                                const lb_regulator_options **out)
{
    static const char *const keys[] = {"position", "speed", "vibration", "effort", NULL};
    lb_reader *reader = loader->reader;
    lb_regulator_options *options = lb_arena_take(&loader->scratch, 1, sizeof *options);
    *out = options;
    if (!options) {
        return LB_E_MEMORY;
    }
    *options = lb_default_regulator_options();
    if (lb_read_mapping(reader, place, keys)) {
        lb_read_number(reader, place, "position", LB_REQUIRED, &options->position);
        lb_read_number(reader, place, "speed", LB_REQUIRED, &options->speed);
        lb_read_number(reader, place, "vibration", LB_REQUIRED, &options->vibration);
        lb_read_number(reader, place, "effort", LB_OPTIONAL, &options->effort);
    }
    return LB_OK;
}

// {node: forearm/tip, direction: [0, 1, 0], desired: ..., kp: 100, kd: 20, weight: 10}
static lb_status read_deformation(lb_part_loader *loader, const lb_place *place,
                                  lb_deformation_options *options)
{
    static const char *const keys[] = {"node", "direction", "axis",   "desired",
                                       "kp",   "kd",        "weight", NULL};
    lb_reader *reader = loader->reader;
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    lb_place node;
    if (lb_find_value(reader, place, "node", LB_REQUIRED, &node)) {
        lb_read_node_name(loader, &node, &options->node);
    }
    const lb_place direction = lb_place_at_key(place, "direction");
    const lb_place axis = lb_place_at_key(place, "axis");
    options->turn = axis.node != NULL;
    if ((direction.node != NULL) + options->turn != 1) {
        lb_reader_fail(reader, place, "expected exactly one of direction, axis");
    } else {
        lb_read_numbers(reader, place, options->turn ? "axis" : "direction", LB_REQUIRED, 3,
                        options->direction);
    }
    lb_read_number(reader, place, "kp", LB_OPTIONAL, &options->kp);
    lb_read_number(reader, place, "kd", LB_OPTIONAL, &options->kd);
    lb_read_number(reader, place, "weight", LB_OPTIONAL, &options->weight);
    // the desired motion is read as that of a channel
    lb_channel_options channel = lb_default_channel_options();
    const lb_place desired = lb_place_at_key(place, "desired");
    const lb_status status = desired.node ? lb_read_desired(loader, &desired, &channel) : LB_OK;
    options->desired = channel.desired;
    options->waypoint_count = channel.waypoint_count;
    options->waypoint_times = channel.waypoint_times;
    options->waypoints = channel.waypoints;
    options->profile = channel.profile;
    return status;
}

static lb_status read_deformations(lb_part_loader *loader, const lb_place *law,
                                   lb_law_options *options)
{
    lb_place list;
    if (!lb_read_sequence(loader->reader, law, "deformations", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_deformation_options *own = lb_arena_take(&loader->scratch, count, sizeof *own);
    lb_status status = own ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; status >= 0 && i < count; ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        own[i] = lb_default_deformation_options();
        status = read_deformation(loader, &at, &own[i]);
    }
    options->deformations = own;
    options->deformation_count = (int)count;
    return status;
}

// `model: nominal.yaml`: a model file beside this one, with its forces. What is wrong there is reported with
// its own file and line.
static lb_status read_model(lb_part_loader *loader, const lb_place *law, lb_law_options *options)
{
    lb_reader *reader = loader->reader;
    const lb_place at = lb_place_at_key(law, "model");
    const char *path;
    if (!at.node || !lb_read_string(reader, law, "model", LB_REQUIRED, &path)) {
        return LB_OK;
    }
    char joined[LB_PATH_SIZE];
    lb_status status = lb_find_named_file(reader, &at, path, sizeof joined, joined);
    if (status != LB_OK) {
        return status == LB_E_MEMORY ? status : LB_OK;
    }
    lb_load_options load = lb_default_load_options();
    load.allow_files = reader->allowed;
    const lb_report report = lb_get_outer_report(reader);
    lb_document *document = NULL;
    lb_model *model = NULL;
    status = lb_load_document(joined, &load, &report, &document);
    status = status < 0 ? status : lb_load_document_model(document, &report, &model);
    status = status < 0 ? status : lb_load_forces(document, model, &report, &options->model_forces);
    lb_destroy_document(document);
    if (status == LB_OK) {
        options->model = model;
        return LB_OK;
    }
    lb_destroy_model(model);
    if (status == LB_E_MEMORY) {
        return status;
    }
    lb_reader_fail(reader, &at, "this model cannot be used: see what is said of '%s'", joined);
    return LB_OK;
}

// What computed torque and acceleration matching have in common.
static lb_status read_torque(lb_part_loader *loader, const lb_place *law, int channel_count,
                             lb_law_options *options)
{
    const lb_place regulator = lb_place_at_key(law, "regulator");
    const bool has = regulator.node;
    const lb_need need = has ? LB_OPTIONAL : LB_REQUIRED;
    lb_status status = read_gains(loader, law, "kp", need, channel_count, &options->kp);
    status = status < 0 ? status : read_gains(loader, law, "kd", need, channel_count, &options->kd);
    status = status < 0 || !has ? status : read_regulator(loader, &regulator, &options->regulator);
    status = status < 0 ? status : read_deformations(loader, law, options);
    return status < 0 ? status : read_model(loader, law, options);
}

static void read_computed(lb_reader *reader, const lb_place *law, lb_law_options *options)
{
    static const char *const words[] = {[LB_LAW_MODES_EXACT] = "exact",
                                        [LB_LAW_MODES_ESTIMATED] = "estimated",
                                        [LB_LAW_MODES_RIGID] = "rigid",
                                        NULL};
    int modes;
    if (lb_read_word(reader, law, "modes", LB_OPTIONAL, words, &modes)) {
        options->modes = (lb_law_modes)modes;
    }
}

static void read_matching(lb_reader *reader, const lb_place *law, lb_law_options *options)
{
    static const char *const words[] = {"joint-sensors", "integrated", NULL};
    int state = 0;
    double sweeps = options->sweep_count;
    lb_read_word(reader, law, "state", LB_OPTIONAL, words, &state);
    options->integrated = state == 1;
    if (!lb_read_number(reader, law, "sweeps", LB_OPTIONAL, &sweeps)) {
        return;
    }
    if (!(sweeps > -1e9 && sweeps < 1e9 && sweeps == (int)sweeps)) {
        const lb_place at = lb_place_at_key(law, "sweeps");
        lb_reader_fail(reader, &at, "%.15g, expected a whole number from 1 to 100", sweeps);
        return;
    }
    options->sweep_count = (int)sweeps;
}

// ---- others --------------------------------------------------------------------------------------

static lb_status read_process(lb_part_loader *loader, const lb_place *law, lb_law_options *options)
{
    lb_reader *reader = loader->reader;
    lb_place command;
    lb_read_number(reader, law, "timeout", LB_OPTIONAL, &options->timeout);
    if (!lb_read_sequence(reader, law, "command", LB_REQUIRED, &command)) {
        return LB_OK;
    }
    return lb_read_strings(reader, &loader->scratch, &command, "a string", &options->command,
                           &options->command_count);
}

static void read_lqr(lb_reader *reader, const lb_place *law, lb_law_options *options)
{
    static const char *const words[] = {"neutral", "initial", NULL};
    int about = 0;
    lb_read_number(reader, law, "position", LB_REQUIRED, &options->position);
    lb_read_number(reader, law, "speed", LB_REQUIRED, &options->speed);
    lb_read_number(reader, law, "vibration", LB_REQUIRED, &options->vibration);
    lb_read_number(reader, law, "effort", LB_OPTIONAL, &options->effort);
    lb_read_number(reader, law, "process_noise", LB_OPTIONAL, &options->process_noise);
    lb_read_number(reader, law, "sensor_noise", LB_OPTIONAL, &options->sensor_noise);
    lb_read_word(reader, law, "about", LB_OPTIONAL, words, &about);
    options->about_initial = about == 1;
}

// ---- attitude ------------------------------------------------------------------------------------

// Names of `count` sensors.
static lb_status read_names(lb_part_loader *loader, const lb_place *law, const char *key,
                            size_t count, const char *const **out)
{
    lb_place list;
    if (!lb_read_sequence(loader->reader, law, key, LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    if (lb_place_get_count(&list) != count) {
        lb_reader_fail(loader->reader, &list, "%zu names given, expected %zu of sensors",
                       lb_place_get_count(&list), count);
        return LB_OK;
    }
    int found;
    return lb_read_strings(loader->reader, &loader->scratch, &list, "the name of a sensor", out,
                           &found);
}

// `desired`: a slew, or [w, x, y, z] to keep.
static lb_status read_aim(lb_part_loader *loader, const lb_place *law, lb_attitude_options *options)
{
    const lb_place at = lb_place_at_key(law, "desired");
    if (!at.node) {
        return LB_OK;
    }
    if (lb_place_get_kind(&at) == LB_DOC_MAPPING) {
        static const lb_waypoint_form form = {
            4, 2, "[[t, [w, x, y, z]], ...]",
            "a time and a quaternion, such as [0.5, [1, 0, 0, 0]]"};
        return lb_read_waypoints(loader, &at, &form, &options->profile, &options->waypoint_count,
                                 &options->waypoint_times, &options->waypoints);
    }
    double *q = lb_arena_take(&loader->scratch, 4, sizeof *q);
    if (!q) {
        return LB_E_MEMORY;
    }
    if (lb_read_numbers_at(loader->reader, &at, 4, q)) {
        options->waypoint_count = 1;
        options->waypoints = q;
    }
    return LB_OK;
}

static lb_status read_attitude(lb_part_loader *loader, const lb_place *law, int channel_count,
                               lb_law_options *options)
{
    lb_attitude_options *own = lb_arena_take(&loader->scratch, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    *own = lb_default_attitude_options();
    options->attitude = own;
    const lb_place node = lb_place_at_key(law, "node");
    if (node.node) {
        lb_read_node_name(loader, &node, &own->node);
    }
    const struct {
        const char *key;
        lb_need need;
        int rows;
        const double **out;
    } matrices[] = {{"kp", LB_REQUIRED, 3, &own->kp},
                    {"kd", LB_REQUIRED, 3, &own->kd},
                    {"inertia", LB_OPTIONAL, 3, &own->inertia},
                    {"distribution", LB_OPTIONAL, channel_count, &own->distribution}};
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < 4; ++i) {
        // how many rows there are is not known if actuators could not be read
        if (matrices[i].rows > 0) {
            status = read_matrix(loader, law, matrices[i].key, matrices[i].need, matrices[i].rows,
                                 3, matrices[i].out);
        }
    }
    status = status < 0 ? status : read_names(loader, law, "attitude", 4, &own->attitude_sensors);
    status = status < 0 ? status : read_names(loader, law, "rate", 3, &own->rate_sensors);
    return status < 0 ? status : read_aim(loader, law, own);
}

// ---- all of them ---------------------------------------------------------------------------------

lb_status lb_read_law(lb_part_loader *loader, const lb_place *law, int channel_count,
                      lb_law_options *options)
{
    static const char *const *const keys[LB_LAW_TYPE_COUNT] = {
        [LB_LAW_PID] = pid_keys,           [LB_LAW_COMPUTED_TORQUE] = computed_keys,
        [LB_LAW_MATCHING] = matching_keys, [LB_LAW_CALLBACK] = callback_keys,
        [LB_LAW_PROCESS] = process_keys,   [LB_LAW_PLUGIN] = plugin_keys,
        [LB_LAW_LQR] = lqr_keys,           [LB_LAW_ATTITUDE] = attitude_keys};
    const char *names[LB_LAW_TYPE_COUNT + 1] = {NULL};
    lb_reader *reader = loader->reader;
    int type = 0;
    for (int i = 0; i < LB_LAW_TYPE_COUNT; ++i) {
        names[i] = lb_laws[i]->name;
    }
    if (lb_place_get_kind(law) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, law, "a law, such as {type: pid, kp: 100, kd: 10}");
        return LB_OK;
    }
    if (!lb_read_word(reader, law, "type", LB_REQUIRED, names, &type)) {
        return LB_OK;
    }
    lb_read_mapping(reader, law, keys[type]);
    options->type = (lb_law_type)type;
    switch (options->type) {
    case LB_LAW_PID:
        return read_pid(loader, law, channel_count, options);
    case LB_LAW_COMPUTED_TORQUE:
        read_computed(reader, law, options);
        return read_torque(loader, law, channel_count, options);
    case LB_LAW_MATCHING:
        read_matching(reader, law, options);
        return read_torque(loader, law, channel_count, options);
    case LB_LAW_ATTITUDE:
        return read_attitude(loader, law, channel_count, options);
    case LB_LAW_PROCESS:
        return read_process(loader, law, options);
    case LB_LAW_PLUGIN:
        lb_read_string(reader, law, "library", LB_REQUIRED, &options->library);
        lb_read_string(reader, law, "function", LB_OPTIONAL, &options->function);
        return LB_OK;
    case LB_LAW_LQR:
        read_lqr(reader, law, options);
        return LB_OK;
    default:
        return LB_OK;
    }
}
