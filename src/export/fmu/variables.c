// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "make_fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/freeze/freeze_all.h"
#include "model/layout.h"
#include "model/model_parts.h"

// ---- units -------------------------------------------------------------------------------------

// What a coordinate measures. A unit depends on it and on the number of derivatives by time.
typedef enum measure { ANGLE, LENGTH, PLAIN } measure;

static const char *get_unit(measure what, int order)
{
    static const char *const names[3][3] = {
        {"rad", "rad/s", "rad/s2"}, {"m", "m/s", "m/s2"}, {NULL, "1/s", "1/s2"}};
    return names[what][order];
}

bool lb_get_unit(int index, const char **name, int exponents[4])
{
    static const struct {
        const char *name;
        int exponents[4];
    } units[] = {{"s", {0, 0, 1, 0}},       {"rad", {0, 0, 0, 1}},  {"rad/s", {0, 0, -1, 1}},
                 {"rad/s2", {0, 0, -2, 1}}, {"m", {0, 1, 0, 0}},    {"m/s", {0, 1, -1, 0}},
                 {"m/s2", {0, 1, -2, 0}},   {"1/s", {0, 0, -1, 0}}, {"1/s2", {0, 0, -2, 0}},
                 {"N", {1, 1, -2, 0}},      {"N.m", {1, 2, -2, 0}}};
    if (index < 0 || index >= (int)(sizeof units / sizeof *units)) {
        return false;
    }
    *name = units[index].name;
    memcpy(exponents, units[index].exponents, sizeof units[index].exponents);
    return true;
}

// ---- names -------------------------------------------------------------------------------------

// A name by the structured convention of the standard: as it is, or in quotes. Characters that quotes may not
// contain become their numbers.
static void write_identifier(lb_page *page, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char quotable[] = "!#$%&()*+,-./:;<>=?@[]^{}|~ ";
    if (*name && strchr(letters, *name) && strspn(name, more) == strlen(name)) {
        lb_write(page, "%s", name);
        return;
    }
    lb_write(page, "'");
    for (; *name; ++name) {
        if (strchr(more, *name) || strchr(quotable, *name)) {
            lb_write(page, "%c", *name);
        } else if (*name == '\'' || *name == '\\') {
            lb_write(page, "\\%c", *name);
        } else {
            lb_write(page, "~%02x", (unsigned char)*name);
        }
    }
    lb_write(page, "'");
}

// What the standard calls the coordinates of hinges, as signals do where they have a name; "" for q[i].
static const char *get_coordinate_name(lb_hinge_type type, int entry)
{
    switch (type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_SCREW:
        return "angle";
    case LB_HINGE_PRISMATIC:
        return "distance";
    case LB_HINGE_CYLINDRICAL:
        return entry == 0 ? "angle" : "distance";
    case LB_HINGE_PLANAR:
        return entry == 2 ? "angle" : "";
    default:
        return "";
    }
}

static measure get_speed_measure(lb_hinge_type type, int entry)
{
    switch (type) {
    case LB_HINGE_PRISMATIC:
    case LB_HINGE_TRANSLATIONAL:
        return LENGTH;
    case LB_HINGE_CYLINDRICAL:
        return entry == 0 ? ANGLE : LENGTH;
    case LB_HINGE_PLANAR:
        return entry == 2 ? ANGLE : LENGTH;
    case LB_HINGE_FREE:
        return entry < 3 ? ANGLE : LENGTH;
    default:
        return ANGLE;
    }
}

static bool has_quaternion(lb_hinge_type type)
{
    return type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE;
}

static measure get_coordinate_measure(lb_hinge_type type, int entry)
{
    return has_quaternion(type) ? (entry < 4 ? PLAIN : LENGTH) : get_speed_measure(type, entry);
}

// ---- list --------------------------------------------------------------------------------------

static lb_fmu_variable *add(lb_fmu_variables *list, lb_fmu_kind kind, const char *unit,
                            double start)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        lb_fmu_variable *items =
            list->out_of_memory ? NULL : realloc(list->items, (size_t)capacity * sizeof *items);
        if (!items) {
            list->out_of_memory = true;
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    lb_fmu_variable *variable = &list->items[list->count++];
    *variable = (lb_fmu_variable){.kind = kind,
                                  .unit = unit,
                                  .start = start,
                                  .low = -HUGE_VAL,
                                  .high = HUGE_VAL,
                                  .nominal = 1.0,
                                  .depends_on = -1};
    ++list->counts[kind];
    return variable;
}

static void name_mode(lb_fmu_variable *variable, const char *body, const char *what, int mode)
{
    if (variable) {
        write_identifier(&variable->name, body);
        lb_write(&variable->name, ".%s[%d]", what, mode);
        lb_write(&variable->description, "%s %d of body %s",
                 *what == 'e' && !what[3] ? "modal coordinate" : "rate of modal coordinate", mode,
                 body);
    }
}

static void name_hinge(lb_fmu_variable *variable, const char *body, lb_hinge_type type, int entry,
                       bool is_rate)
{
    if (!variable) {
        return;
    }
    const char *known = get_coordinate_name(type, entry);
    write_identifier(&variable->name, body);
    if (*known) {
        lb_write(&variable->name, ".%s%s", known, is_rate ? "_rate" : "");
    } else {
        lb_write(&variable->name, ".%s[%d]", is_rate ? "v" : "q", entry);
    }
    lb_write(&variable->description, "%s %d of the %s hinge of body %s",
             is_rate ? "speed" : "coordinate", entry, lb_get_hinge_type_name(type), body);
}

// Coordinates of all bodies in the order of q, or speeds in that of v: modes, then hinge.
static void add_states(const lb_model *model, bool is_rate, const double *x, lb_fmu_variables *list)
{
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge(model, body).type;
        const char *name = lb_get_body_name(model, body);
        const double *modes = x + (is_rate ? b->v : b->q),
                     *hinge = x + (is_rate ? b->hinge_v : b->hinge_q);
        for (int r = 0; r < b->mode_count; ++r) {
            name_mode(add(list, LB_FMU_STATE, get_unit(PLAIN, is_rate), modes[r]), name,
                      is_rate ? "eta_rate" : "eta", r);
        }
        for (int i = 0; i < (is_rate ? b->nv : b->nq); ++i) {
            const measure what =
                is_rate ? get_speed_measure(type, i) : get_coordinate_measure(type, i);
            name_hinge(add(list, LB_FMU_STATE, get_unit(what, is_rate), hinge[i]), name, type, i,
                       is_rate);
        }
    }
}

static void name_rate(lb_fmu_variable *variable, const char *state, const char *unit, int only)
{
    if (variable) {
        lb_write(&variable->name, "der(%s)", state);
        lb_write(&variable->description, "derivative of %s by time", state);
        variable->unit = unit;
        variable->depends_on = only;
    }
}

// Derivatives of the states that were added, one for each. Those of coordinates are speeds, but where a motion drives
// the hinge.
static void add_rates(const lb_model *model, const unsigned char *driven, lb_fmu_variables *list)
{
    int state = 0;
    for (int of = 0; of < 2 * model->body_count; ++of) { // coordinates of all bodies, then speeds
        const bool is_speed = of >= model->body_count;
        const int body = is_speed ? of - model->body_count : of;
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge(model, body).type;
        const int count = b->mode_count + (is_speed ? b->nv : b->nq);
        for (int i = 0; i < count && !list->out_of_memory; ++i, ++state) {
            const int entry = i - b->mode_count, speed = entry < 0 ? b->v + i : b->hinge_v + entry;
            const bool is_plain = entry < 0 || !(has_quaternion(type) || (driven && driven[speed]));
            const measure what = entry < 0  ? PLAIN
                                 : is_speed ? get_speed_measure(type, entry)
                                            : get_coordinate_measure(type, entry);
            lb_fmu_variable *rate = add(list, LB_FMU_RATE, NULL, 0.0);
            name_rate(rate, list->out_of_memory ? "" : list->items[state].name.text,
                      get_unit(what, 1 + is_speed),
                      is_plain && !is_speed ? model->q_count + speed : -1);
        }
    }
}

const char *lb_get_hinge_unit(const lb_model *model, int v, int what)
{
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        if (v >= b->hinge_v && v < b->hinge_v + b->nv) {
            const measure m = get_speed_measure(lb_get_hinge(model, body).type, v - b->hinge_v);
            return what < 3 ? get_unit(m, what) : m == ANGLE ? "N.m" : "N";
        }
    }
    return NULL;
}

static void add_inputs(const lb_model *model, lb_fmu_variables *list)
{
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge(model, body).type;
        for (int i = 0; i < b->nv; ++i) {
            lb_fmu_variable *input =
                add(list, LB_FMU_INPUT, lb_get_hinge_unit(model, b->hinge_v + i, 3), 0.0);
            if (!input) {
                return;
            }
            write_identifier(&input->name, lb_get_body_name(model, body));
            lb_write(&input->name, b->nv == 1 ? ".tau" : ".tau[%d]", i);
            lb_write(&input->description, "generalized force %d at the %s hinge of body %s", i,
                     lb_get_hinge_type_name(type), lb_get_body_name(model, body));
            input->entry = b->hinge_v + i;
            input->is_force = true;
        }
    }
}

// ---- of a simulation ---------------------------------------------------------------------------

static bool is_taken(const lb_fmu_variables *list, const char *name)
{
    for (int i = 0; i < list->count; ++i) {
        const char *other = list->items[i].name.text;
        if (other && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

// A name with dots, part by part; nodes are behind a dot as well.
static void write_path(lb_page *page, const char *name)
{
    char part[LB_COLUMN_SIZE];
    while (*name) {
        const size_t length = strcspn(name, "./");
        if (length == 0 || length >= sizeof part || (name[length] && !name[length + 1])) {
            write_identifier(page, name);
            return;
        }
        memcpy(part, name, length);
        part[length] = 0;
        write_identifier(page, part);
        name += length;
        if (*name) {
            lb_write(page, ".");
            ++name;
        }
    }
}

// Units of signals by the last words of their names.
static const char *guess_unit(const char *name)
{
    static const struct {
        const char *word, *unit;
    } words[] = {{".angular_velocity.", "rad/s"},
                 {".angular_acceleration.", "rad/s2"},
                 {".position.", "m"},
                 {".velocity.", "m/s"},
                 {".acceleration.", "m/s2"},
                 {".angle", "rad"},
                 {".angle_rate", "rad/s"},
                 {".distance", "m"},
                 {".distance_rate", "m/s"}};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const size_t size = strlen(words[i].word);
        const bool has_axis = words[i].word[size - 1] == '.';
        if (length > size + 1 && (has_axis ? strncmp(name + length - size - 1, words[i].word, size)
                                           : strcmp(name + length - size, words[i].word)) == 0) {
            return words[i].unit;
        }
    }
    return NULL;
}

// Entries of a list of the frozen simulation. A name that a variable has already gets a word in front.
static void add_list(const lb_fmu_extras *extras, lb_frozen_list from, lb_fmu_kind kind,
                     const char *word, const char *description, lb_fmu_variables *list)
{
    const lb_frozen *frozen = extras->frozen;
    for (int i = 0; i < lb_get_frozen_count(frozen, from); ++i) {
        if (from == LB_FROZEN_INPUTS && i < extras->actuator_count && extras->inside[i]) {
            continue;
        }
        const char *name = lb_get_frozen_entry(frozen, from, i);
        lb_page path = {.text = NULL};
        write_path(&path, name);
        const bool is_input = kind == LB_FMU_INPUT;
        const char *unit = is_input                ? extras->units[i]
                           : kind == LB_FMU_OUTPUT ? guess_unit(name)
                                                   : NULL;
        lb_fmu_variable *variable =
            path.text && !path.out_of_memory
                ? add(list, kind, unit, is_input ? lb_get_frozen_lists(frozen)->starts[i] : 0.0)
                : NULL;
        if (variable) {
            const bool taken = kind == LB_FMU_INDICATOR || is_taken(list, path.text);
            lb_write(&variable->name, "%s%s%s", taken ? word : "", taken ? "." : "", path.text);
            lb_write(&variable->description, "%s %s", description, name);
            variable->entry = i;
        } else {
            list->out_of_memory = true;
        }
        free(path.text);
    }
}

// ---- nominal values ----------------------------------------------------------------------------
//
// Errors of integration are compared with them: an angle of one radian, a distance of the size of the model, and modes that
// move a node by a hundredth of it. Speeds have the same numbers, per second.

static const double part_of_modes = 0.01;

// The largest distance of a node from the frame of its body, or the largest radius of gyration; 1 if all are points.
static double find_size(const lb_model *model)
{
    double size = 0;
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body_info *info = &model->infos[body];
        double mass, com[3], inertia[6];
        lb_get_mass_properties(model, body, &mass, com, inertia);
        if (mass > 0) {
            size = fmax(size, sqrt(fabs(inertia[0] + inertia[1] + inertia[2]) / (2 * mass)));
        }
        for (int node = 0; node < info->node_count; ++node) {
            size = fmax(size, lb_vec3_norm(info->nodes[node].X.p));
        }
    }
    return size > 0 ? size : 1.0;
}

// By how much a unit of a mode moves the node that moves most; without nodes, the mean mass.
static double find_travel(const lb_model *model, int body, int mode, double inertia)
{
    const lb_body_info *info = &model->infos[body];
    double travel = 0, mass, com[3], moments[6];
    for (int node = 0; node < info->node_count; ++node) {
        if (info->nodes[node].shape) {
            travel = fmax(travel, lb_vec3_norm(info->nodes[node].shape[mode].v));
        }
    }
    lb_get_mass_properties(model, body, &mass, com, moments);
    travel = travel > 0 || !(mass > 0) ? travel : sqrt(fabs(inertia) / mass);
    return travel > 0 ? travel : 1.0;
}

static void set_modes(const lb_model *model, int body, double size, double *inertia,
                      lb_fmu_variable *q, lb_fmu_variable *v)
{
    const int count = lb_get_mode_count(model, body);
    lb_get_modal_inertia(model, body, inertia, inertia + count * count);
    for (int i = 0; i < count; ++i) {
        const double by = find_travel(model, body, i, inertia[i * count + i]);
        q[i].nominal = v[i].nominal = part_of_modes * size / by;
    }
}

// Units tell distances from angles.
static void set_hinge(double size, bool is_base, int count, lb_fmu_variable *states)
{
    for (int i = 0; i < count; ++i) {
        if (states[i].unit && states[i].unit[0] == 'm') {
            states[i].nominal = size;
            states[i].is_carried = is_base;
        }
    }
}

// Sets the nominal values of the states that are listed.
static lb_status set_nominals(const lb_model *model, lb_fmu_variables *variables)
{
    const double size = find_size(model);
    lb_fmu_variable *states = variables->items; // q, then v
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge(model, body).type;
        const size_t count = (size_t)b->mode_count;
        const bool is_base = lb_get_hinge(model, body).parent < 0 &&
                             (type == LB_HINGE_FREE || type == LB_HINGE_TRANSLATIONAL);
        if (count > 0) {
            double *inertia = malloc(count * (count + 6) * sizeof *inertia);
            if (!inertia) {
                return LB_E_MEMORY;
            }
            set_modes(model, body, size, inertia, states + b->q, states + model->q_count + b->v);
            free(inertia);
        }
        set_hinge(size, is_base, b->nq, states + b->hinge_q);
        set_hinge(size, is_base, b->nv, states + model->q_count + b->hinge_v);
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

// From `low` on.
static void add_setting(lb_fmu_variables *list, const char *name, const char *unit, double start,
                        double low, const char *description)
{
    lb_fmu_variable *setting = add(list, LB_FMU_PARAMETER, unit, start);
    if (setting) {
        lb_write(&setting->name, "%s", name);
        lb_write(&setting->description, "%s", description);
        setting->low = low;
    }
}

// In the order of enum FMU_STEP, FMU_TOLERANCE of the instance; then those of the model.
static void add_parameters(const lb_freeze_parameters *open, lb_fmu_variables *list)
{
    add_setting(list, "solver.step", "s", 0.0, 0.0,
                "co-simulation: constant step of the integrator; 0 for steps that follow the "
                "tolerance");
    add_setting(list, "solver.tolerance", NULL, 1e-6, 1e-14,
                "co-simulation: tolerance of the integrator, relative to the motion of each state");
    for (int i = 0; open && i < open->count; ++i) {
        const lb_frozen_parameter *p = &open->list[i];
        lb_fmu_variable *parameter = add(list, LB_FMU_PARAMETER, NULL, p->value);
        if (parameter) {
            lb_write(&parameter->name, "%s%s", is_taken(list, p->name) ? "parameter." : "",
                     p->name);
            lb_write(&parameter->description, "parameter %s of the model", p->name);
            parameter->low = p->low;
            parameter->high = p->high;
            parameter->is_tunable = true;
        }
    }
}

lb_status lb_list_variables(const lb_model *model, const lb_fmu_options *options,
                            const lb_fmu_extras *extras, lb_fmu_variables *variables)
{
    *variables = (lb_fmu_variables){.items = NULL};
    add_states(model, false, options->q, variables);
    add_states(model, true, options->v, variables);
    add_rates(model, extras->driven, variables);
    add_inputs(model, variables);
    if (extras->frozen) {
        add_list(extras, LB_FROZEN_INPUTS, LB_FMU_INPUT, "input", "value of", variables);
        add_list(extras, LB_FROZEN_OUTPUTS, LB_FMU_OUTPUT, "output", "signal", variables);
    }
    add_parameters(options->parameters, variables);
    if (extras->frozen) {
        add_list(extras, LB_FROZEN_INDICATORS, LB_FMU_INDICATOR, "event", "event indicator of",
                 variables);
    }
    bool good = !variables->out_of_memory;
    for (int i = 0; i < variables->count; ++i) {
        good = good && !variables->items[i].name.out_of_memory &&
               !variables->items[i].description.out_of_memory;
    }
    return good ? set_nominals(model, variables) : LB_E_MEMORY;
}

void lb_clear_variables(lb_fmu_variables *variables)
{
    for (int i = 0; i < variables->count; ++i) {
        free(variables->items[i].name.text);
        free(variables->items[i].description.text);
    }
    free(variables->items);
    *variables = (lb_fmu_variables){.items = NULL};
}
