// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `initial` of a model file: the state at t = 0.
#include <string.h>

#include "document/values.h"
#include "listener.h"
#include "load_keys.h"

// A name for some entries of a hinge's configuration or speeds.
typedef struct part {
    const char *name;
    bool is_speed;
    int first, count;
} part;

enum { PART_MAX = 5 };

static const part parts[LB_HINGE_TYPE_COUNT][PART_MAX] = {
    [LB_HINGE_REVOLUTE] = {{"angle", false, 0, 1}, {"rate", true, 0, 1}},
    [LB_HINGE_PRISMATIC] = {{"distance", false, 0, 1}, {"rate", true, 0, 1}},
    [LB_HINGE_SCREW] = {{"angle", false, 0, 1}, {"rate", true, 0, 1}},
    [LB_HINGE_CYLINDRICAL] = {{"angle", false, 0, 1},
                              {"distance", false, 1, 1},
                              {"rates", true, 0, 2}},
    [LB_HINGE_UNIVERSAL] = {{"angles", false, 0, 2}, {"rates", true, 0, 2}},
    [LB_HINGE_PLANAR] = {{"position", false, 0, 2}, {"angle", false, 2, 1}, {"rates", true, 0, 3}},
    [LB_HINGE_TRANSLATIONAL] = {{"position", false, 0, 3}, {"velocity", true, 0, 3}},
    [LB_HINGE_SPHERICAL] = {{"rotation", false, 0, 4}, {"angular_velocity", true, 0, 3}},
    [LB_HINGE_FREE] = {{"rotation", false, 0, 4},
                       {"position", false, 4, 3},
                       {"angular_velocity", true, 0, 3},
                       {"velocity", true, 3, 3}},
};

// Whether an entry of a hinge's configuration (or of its rates) is an angle.
static bool is_angle(lb_hinge_type type, int entry)
{
    switch (type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_SCREW:
    case LB_HINGE_CYLINDRICAL:
        return entry == 0;
    case LB_HINGE_UNIVERSAL:
        return true;
    case LB_HINGE_PLANAR:
        return entry == 2;
    default:
        return false;
    }
}

// A list of `count` numbers, or one number where one will do; angles where the hinge has them.
static void load_values(lb_reader *reader, const lb_place *place, lb_hinge_type type, int first,
                        int count, double *values)
{
    if (count == 1 && lb_place_get_kind(place) != LB_DOC_SEQUENCE) {
        is_angle(type, first) ? lb_read_angle_at(reader, place, values)
                              : lb_read_number_at(reader, place, values);
        return;
    }
    if (lb_place_get_kind(place) != LB_DOC_SEQUENCE || lb_place_get_count(place) != (size_t)count) {
        lb_reader_fail(reader, place, "expected a list of %d number%s", count,
                       count == 1 ? "" : "s");
        return;
    }
    for (int i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_index(place, (size_t)i);
        is_angle(type, first + i) ? lb_read_angle_at(reader, &at, values + i)
                                  : lb_read_number_at(reader, &at, values + i);
    }
}

// The state of one body; q and v are those of all.
static void load_body(const lb_model *model, lb_reader *reader, const lb_place *place, int body,
                      double *all_q, double *all_v)
{
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    const int mode_count = lb_get_mode_count(model, body);
    const int q_count = lb_get_hinge(model, body).q_count;
    const int v_count = lb_get_hinge(model, body).v_count;
    double *q = all_q + lb_get_q_offset(model, body), *v = all_v + lb_get_v_offset(model, body);
    const char *known[PART_MAX + 5] = {"q", "v", "eta", "eta_rate"};
    int known_count = 4;
    for (int i = 0; i < PART_MAX && parts[type][i].name; ++i) {
        known[known_count++] = parts[type][i].name;
    }
    if (!lb_read_mapping(reader, place, known)) {
        return;
    }
    const lb_place eta = lb_place_at_key(place, "eta");
    const lb_place eta_rate = lb_place_at_key(place, "eta_rate");
    const lb_place whole_q = lb_place_at_key(place, "q"), whole_v = lb_place_at_key(place, "v");
    if (eta.node) {
        load_values(reader, &eta, LB_HINGE_FIXED, 0, mode_count, q);
    }
    if (eta_rate.node) {
        load_values(reader, &eta_rate, LB_HINGE_FIXED, 0, mode_count, v);
    }
    if (whole_q.node) {
        load_values(reader, &whole_q, type, 0, q_count, q + mode_count);
    }
    if (whole_v.node) {
        load_values(reader, &whole_v, type, 0, v_count, v + mode_count);
    }
    for (int i = 0; i < PART_MAX && parts[type][i].name; ++i) {
        const part *p = &parts[type][i];
        const lb_place at = lb_place_at_key(place, p->name);
        if (!at.node) {
            continue;
        }
        if (lb_place_exists(p->is_speed ? &whole_v : &whole_q)) {
            lb_reader_fail_key(reader, &at, "given beside %s, which holds it",
                               p->is_speed ? "v" : "q");
            continue;
        }
        load_values(reader, &at, type, p->first, p->count,
                    (p->is_speed ? v : q) + mode_count + p->first);
    }
}

// The body whose hinge a signal such as `shoulder: upper_arm.angle` is the coordinate of, as robots have them under the
// names of their joints; -1 for none.
static int find_by_signal(const lb_model *model, const lb_place *root, const char *name)
{
    const lb_place signals = lb_find_part(root, "signals", LB_DOC_MAPPING),
                   entry = lb_place_at_key(&signals, name);
    const char *text = lb_place_get_string(&entry), *dot = text ? strrchr(text, '.') : NULL;
    char body[256];
    if (!dot || (strcmp(dot, ".angle") != 0 && strcmp(dot, ".distance") != 0)) {
        return -1;
    }
    const bool quoted = text[0] == '\'' && dot > text + 1 && dot[-1] == '\'';
    const size_t length = (size_t)(dot - text) - (quoted ? 2 : 0);
    if (length >= sizeof body) {
        return -1;
    }
    memcpy(body, text + quoted, length);
    body[length] = 0;
    return lb_find_body(model, body);
}

lb_status lb_load_initial(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_model *model = lb_get_simulation_model(sim);
    const lb_place initial = lb_find_part(root, "initial", LB_DOC_MAPPING);
    lb_arena arena = lb_make_arena(NULL);
    double *q = lb_take_numbers(&arena, (size_t)lb_get_q_count(model));
    double *v = lb_take_numbers(&arena, (size_t)lb_get_v_count(model));
    if (!q || !v) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    lb_get_neutral_configuration(model, q);
    for (size_t i = 0; i < lb_place_get_count(&initial); ++i) {
        const lb_place at = lb_place_at_pair(&initial, i);
        int body = lb_find_body(model, at.key);
        body = body >= 0 ? body : find_by_signal(model, root, at.key);
        if (lb_is_half_known(reader, at.key)) {
            if (lb_place_get_kind(&at) != LB_DOC_MAPPING) {
                lb_reader_fail_type(reader, &at, "a mapping");
            }
        } else if (body < 0) {
            lb_reader_fail_key(reader, &at, "there is no body '%s'", at.key);
        } else {
            load_body(model, reader, &at, body, q, v);
        }
    }
    if (lb_set_initial_state(sim, q, v) < 0) {
        lb_reader_fail(reader, &initial, "%s", lb_get_simulation_message(sim));
    }
    lb_arena_free(&arena);
    return LB_OK;
}
