// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Attitude of a body by torques: proportional to the error quaternion and to the error of the rate, with what the
// desired motion takes added to it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "base/sized.h"
#include "laws/laws.h"

// ---- sensors of the true motion ------------------------------------------------------------------

enum { OWN_SENSOR_MAX = 7 };

static const struct {
    const char *name, *signal;
} own_sensors[OWN_SENSOR_MAX] = {{"attitude.w", "rotation.w"},     {"attitude.x", "rotation.x"},
                                 {"attitude.y", "rotation.y"},     {"attitude.z", "rotation.z"},
                                 {"rate.x", "angular_velocity.x"}, {"rate.y", "angular_velocity.y"},
                                 {"rate.z", "angular_velocity.z"}};

// Sensors that are not named: [first, end) of own_sensors.
static void find_range(const lb_attitude_options *own, int *first, int *end)
{
    *first = own->attitude_sensors ? 4 : 0;
    *end = own->rate_sensors ? 4 : OWN_SENSOR_MAX;
}

static lb_status name_signal(lb_simulation *sim, int body, int node, const char *end,
                             const char **signal)
{
    const char *names[] = {lb_get_body_name(sim->system.model, body),
                           lb_get_node_name(sim->system.model, body, node)};
    const size_t size = strlen(names[0]) + strlen(names[1]) + strlen(end) + 8;
    char *text = lb_arena_take(&sim->arena, size, 1);
    if (!text) {
        return LB_E_MEMORY;
    }
    snprintf(text, size, "'%s'/'%s'.%s", names[0], names[1], end);
    *signal = text;
    return LB_OK;
}

lb_status lb_add_attitude_sensors(lb_simulation *sim, const lb_controller *c,
                                  lb_controller_options *options)
{
    lb_law_options law;
    lb_attitude_options own;
    int first, end, body = -1, node = 0;
    // what is wrong with them is said when the law is made
    if (!options->law || options->law->size < offsetof(lb_law_options, attitude) ||
        options->law->type != LB_LAW_ATTITUDE) {
        return LB_OK;
    }
    lb_status status = lb_take_law_options(sim, c->law_path, options->law, &law);
    if (status < 0 || !law.attitude) {
        return status;
    }
    status = lb_take_attitude_options(sim, c->law_path, law.attitude, &own);
    find_range(&own, &first, &end);
    if (status < 0 || first == end ||
        (own.node.body && !lb_resolve_node(sim->system.model, &own.node, &sim->faults, c->law_path,
                                           "node", &body, &node))) {
        return status;
    }
    if (!own.node.body || body < 0) {
        LB_COMPLAIN(sim, c->law_path, "node",
                    own.node.body
                        ? "expected a node of a body that moves"
                        : "missing: a node, or sensors of attitude and rate, are required here");
        return LB_OK;
    }
    const int given = options->sensors && options->sensor_count > 0 ? options->sensor_count : 0;
    lb_sensor_options *sensors =
        lb_arena_take(&sim->arena, (size_t)(given + end - first), sizeof *sensors);
    if (!sensors) {
        return LB_E_MEMORY;
    }
    for (int i = 0; status >= 0 && i < given; ++i) {
        char where[LB_CONTROL_PATH_SIZE];
        lb_write_item_path(where, c->path, "sensors", i);
        status = lb_take_sensor_options(sim, where, lb_get_sized(options->sensors, (size_t)i),
                                        &sensors[i]);
        sensors[i].size = sizeof *sensors;
    }
    for (int i = first; status >= 0 && i < end; ++i) {
        lb_sensor_options *sensor = &sensors[given + i - first];
        *sensor = lb_default_sensor_options();
        sensor->name = own_sensors[i].name;
        status = name_signal(sim, body, node, own_sensors[i].signal, &sensor->signal);
    }
    options->sensors = sensors;
    options->sensor_count = given + end - first;
    return status;
}

static int find_sensor(const lb_controller *c, const char *name)
{
    for (int i = 0; name && i < c->sample.sensor_count; ++i) {
        if (strcmp(c->sensors[i].name, name) == 0) {
            return i;
        }
    }
    return LB_NOT_FOUND;
}

static void find_sensors(lb_simulation *sim, const lb_controller *c, const char *key, int first,
                         int count, const char *const *names, int *sensors)
{
    for (int i = 0; i < count; ++i) {
        const char *name = names ? names[i] : own_sensors[first + i].name;
        sensors[i] = find_sensor(c, name);
        // those of its own are missing where the node is
        if (sensors[i] < 0 && names) {
            LB_COMPLAIN(sim, c->law_path, key, "this controller has no sensor '%s'",
                        name ? name : "");
        }
    }
}

// ---- making --------------------------------------------------------------------------------------

static void make_gains(lb_simulation *sim, const lb_controller *c,
                       const lb_attitude_options *options, lb_attitude *own)
{
    const struct {
        const char *key;
        const double *given;
        lb_mat3 *matrix;
    } gains[] = {{"kp", options->kp, &own->kp},
                 {"kd", options->kd, &own->kd},
                 {"inertia", options->inertia, &own->inertia}};
    for (int i = 0; i < 3; ++i) {
        if (gains[i].given) {
            lb_copy_gains(sim, c, gains[i].key, false, 9, gains[i].given,
                          &gains[i].matrix->m[0][0]);
        } else if (i < 2) {
            LB_COMPLAIN(sim, c->law_path, gains[i].key, "missing: the key \"%s\" is required here",
                        gains[i].key);
        }
    }
    own->feeds = options->inertia != NULL;
}

static void make_distribution(lb_simulation *sim, const lb_controller *c,
                              const lb_attitude_options *options, lb_attitude *own)
{
    const int n = c->sample.channel_count;
    if (options->distribution) {
        lb_copy_gains(sim, c, "distribution", false, 3 * n, options->distribution,
                      own->distribution);
        return;
    }
    if (n != 3) {
        LB_COMPLAIN(sim, c->law_path, "distribution",
                    "missing: with %d actuators, expected a row of three numbers for each of them",
                    n);
        return;
    }
    own->distribution[0] = own->distribution[4] = own->distribution[8] = 1.0;
}

static bool make_waypoints(lb_simulation *sim, const lb_controller *c,
                           const lb_attitude_options *options, lb_attitude *own)
{
    const int n = options->waypoint_count;
    if (n < 0 || (n > 0 && !options->waypoints)) {
        LB_COMPLAIN(sim, c->law_path, "desired", "%d attitudes, but no array of them", n);
        return false;
    }
    own->waypoint_count = n > 0 ? n : 1;
    own->waypoints[0] = lb_quat_make(1, 0, 0, 0);
    for (int i = 0; i < n; ++i) {
        const double *q = options->waypoints + 4 * i;
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(fabs(length - 1.0) <= 1e-6)) {
            char where[LB_CONTROL_PATH_SIZE + 32];
            snprintf(where, sizeof where, "%s.desired.waypoints[%d][1]", c->law_path, i);
            LB_COMPLAIN(sim, n > 1 ? where : c->law_path, n > 1 ? "" : "desired",
                        "length %.9g found, expected a unit quaternion w x y z (within 1e-6)",
                        length);
            return false;
        }
        own->waypoints[i] = lb_quat_normalize(lb_quat_from(q));
    }
    for (int i = 0; i + 1 < n; ++i) {
        const lb_quat back = lb_quat_conjugate(own->waypoints[i]);
        own->turns[i] = lb_quat_log(lb_quat_mul(back, own->waypoints[i + 1]));
    }
    return true;
}

// The way from waypoint to waypoint, as a channel whose coordinates are 0, 1, 2, ...
static lb_status make_place(lb_simulation *sim, const lb_controller *c,
                            const lb_attitude_options *options, lb_attitude *own)
{
    const int n = options->waypoint_count;
    lb_channel_options way = lb_default_channel_options();
    own->place.impulse_count = 1;
    own->place.weights[0] = 1.0;
    if (n < 2) {
        return LB_OK;
    }
    double *steps = lb_arena_take(&sim->arena, (size_t)n, sizeof *steps);
    if (!steps) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        steps[i] = i;
    }
    way.waypoint_count = n;
    way.waypoint_times = options->waypoint_times;
    way.waypoints = steps;
    way.profile = options->profile;
    return lb_make_desired(sim, c->law_path, &way, &own->place);
}

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    lb_attitude_options o;
    if (!options->attitude) {
        LB_COMPLAIN(sim, c->law_path, "", "a law of type attitude, but no options of it");
        return LB_OK;
    }
    lb_status status = lb_take_attitude_options(sim, c->law_path, options->attitude, &o);
    const size_t n = o.waypoint_count > 0 ? (size_t)o.waypoint_count : 1;
    lb_attitude *own = status < 0 ? NULL : lb_arena_take(&sim->arena, 1, sizeof *own);
    if (!own) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    own->distribution =
        lb_arena_take(&sim->arena, 3 * (size_t)c->sample.channel_count, sizeof(double));
    own->waypoints = lb_arena_take(&sim->arena, n, sizeof *own->waypoints);
    own->turns = lb_arena_take(&sim->arena, n, sizeof *own->turns);
    if (!own->distribution || !own->waypoints || !own->turns) {
        return LB_E_MEMORY;
    }
    c->own = own;
    own->world_rate = !o.rate_sensors;
    find_sensors(sim, c, "attitude", 0, 4, o.attitude_sensors, own->attitude);
    find_sensors(sim, c, "rate", 4, 3, o.rate_sensors, own->rate);
    make_gains(sim, c, &o, own);
    make_distribution(sim, c, &o, own);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        if (c->channels[i].desired.given) {
            char where[LB_CONTROL_PATH_SIZE];
            lb_write_item_path(where, c->path, "actuators", i);
            LB_COMPLAIN(sim, where, "desired",
                        "a law of type attitude follows an attitude: give `desired` of the law");
        }
    }
    if (c->shaping.start) {
        LB_COMPLAIN(sim, c->path, "shaping", "a law of type attitude cannot be shaped");
    }
    return make_waypoints(sim, c, &o, own) ? make_place(sim, c, &o, own) : LB_OK;
}

static void remember(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    lb_attitude *own = c->own;
    (void)sim;
    lb_remember(memory, 7, own->shown);
}

// ---- for linear models, and shown ------------------------------------------------------------------

static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    return lb_difference_law(sim, c, NULL, NULL, slopes);
}

static const char *const columns[] = {
    "desired.w",      "desired.x",      "desired.y",      "desired.z",
    "desired_rate.x", "desired_rate.y", "desired_rate.z", NULL};

static const double *get_shown(const lb_controller *c)
{
    return ((const lb_attitude *)c->own)->shown;
}

const lb_law lb_law_attitude = {.name = "attitude",
                                .make = make,
                                .update = lb_update_attitude,
                                .remember = remember,
                                .differentiate = differentiate,
                                .columns = columns,
                                .get_shown = get_shown};
