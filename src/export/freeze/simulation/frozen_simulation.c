// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation becomes a file: what it has besides its model, and what of it is refused.
#include "frozen_simulation.h"

#include <stdlib.h>
#include <string.h>

#include "export/freeze/loops/frozen_loops.h"
#include "simulate/forces/force_set.h"

static const char *const node_columns[LB_NODE_COLUMNS] = {"position.x",
                                                          "position.y",
                                                          "position.z",
                                                          "rotation.w",
                                                          "rotation.x",
                                                          "rotation.y",
                                                          "rotation.z",
                                                          "angular_velocity.x",
                                                          "angular_velocity.y",
                                                          "angular_velocity.z",
                                                          "velocity.x",
                                                          "velocity.y",
                                                          "velocity.z",
                                                          "angular_acceleration.x",
                                                          "angular_acceleration.y",
                                                          "angular_acceleration.z",
                                                          "acceleration.x",
                                                          "acceleration.y",
                                                          "acceleration.z"};

// ---- lists -------------------------------------------------------------------------------------

bool lb_add_frozen_name(lb_frozen_lists *lists, int list, const char *name, const char *part)
{
    const int count = lists->counts[list];
    const size_t size = strlen(name) + (part ? strlen(part) : 0) + 2;
    char *text = malloc(size);
    char **names = realloc(lists->names[list], ((size_t)count + 1) * sizeof *names);
    lists->names[list] = names ? names : lists->names[list];
    if (!text || !names) {
        free(text);
        return false;
    }
    strcpy(text, name);
    if (part) {
        strcat(strcat(text, "."), part);
    }
    names[count] = text;
    ++lists->counts[list];
    return true;
}

static bool list_state(const lb_model *model, lb_frozen_lists *lists)
{
    bool good = true;
    char name[LB_COLUMN_SIZE];
    for (int order = 0; order < 2; ++order) {
        const int count = order == 0 ? model->q_count : model->v_count;
        for (int entry = 0; good && entry < count; ++entry) {
            for (int body = 0; body < model->body_count; ++body) {
                const int first =
                    order == 0 ? lb_get_q_offset(model, body) : lb_get_v_offset(model, body);
                const int own = lb_get_mode_count(model, body) +
                                (order == 0 ? lb_get_hinge(model, body).q_count
                                            : lb_get_hinge(model, body).v_count);
                if (entry >= first && entry < first + own) {
                    lb_name_entry(model, order, body, entry - first, name);
                    good = lb_add_frozen_name(lists, order == 0 ? LB_FROZEN_Q : LB_FROZEN_V, name,
                                              NULL);
                }
            }
        }
    }
    return good;
}

static bool is_live(const lb_force *force, lb_force_type type)
{
    return force->enabled && force->type == type;
}

static bool list_actuators(frozen_simulation *f)
{
    static const char *const parts[LB_ACTUATOR_MEMORY] = {"command_time", "target", "ramp",
                                                          "output"};
    const lb_forces *forces = f->sim->system.forces;
    bool good = true;
    for (int i = 0; good && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (!is_live(force, LB_FORCE_ACTUATOR)) {
            continue;
        }
        f->inputs[i] = f->lists.counts[LB_FROZEN_INPUTS];
        f->actuators[i] = f->lists.counts[LB_FROZEN_MEMORY];
        good = lb_add_frozen_name(&f->lists, LB_FROZEN_INPUTS, force->name, NULL) &&
               lb_add_frozen_name(&f->lists, LB_FROZEN_COMMANDS, force->name, NULL);
        for (int j = 0; good && j < LB_ACTUATOR_MEMORY; ++j) {
            good = lb_add_frozen_name(&f->lists, LB_FROZEN_MEMORY, force->name, parts[j]);
        }
    }
    return good;
}

static bool list_signals(frozen_simulation *f)
{
    const lb_simulation *sim = f->sim;
    const lb_forces *forces = sim->system.forces;
    bool good = true;
    for (int i = 0; good && i < sim->output_count; ++i) {
        const lb_output *output = &sim->outputs[i];
        if (output->is_signal) {
            good = lb_add_frozen_name(&f->lists, LB_FROZEN_OUTPUTS, output->text, NULL);
            f->output_accelerations |= output->signal.stage == LB_SIGNAL_ACCELERATION;
        }
        for (int j = 0; good && !output->is_signal && j < LB_NODE_COLUMNS; ++j) {
            good = lb_add_frozen_name(&f->lists, LB_FROZEN_OUTPUTS, output->text, node_columns[j]);
            f->output_accelerations = true;
        }
    }
    for (int i = 0; good && i < sim->event_count; ++i) {
        good = lb_add_frozen_name(&f->lists, LB_FROZEN_INDICATORS, sim->events[i].name, NULL);
        f->indicator_accelerations |= sim->events[i].stage == LB_SIGNAL_ACCELERATION;
    }
    for (int i = 0; good && i < forces->count; ++i) {
        if (is_live(&forces->forces[i], LB_FORCE_STOP)) {
            const char *name = forces->forces[i].name;
            good = lb_add_frozen_name(&f->lists, LB_FROZEN_INDICATORS, name, "below") &&
                   lb_add_frozen_name(&f->lists, LB_FROZEN_INDICATORS, name, "above");
        }
    }
    return good;
}

// ---- functions ---------------------------------------------------------------------------------

static void set_arrays(lb_frozen_function *f, int input_count, const int *inputs, int output_count,
                       const int *outputs)
{
    f->input_count = input_count;
    f->output_count = output_count;
    memcpy(f->inputs, inputs, (size_t)input_count * sizeof *inputs);
    memcpy(f->outputs, outputs, (size_t)output_count * sizeof *outputs);
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

// One of the functions that are called at sampling times.
static bool choose_sampler(const frozen_simulation *f, const char *word, size_t length,
                           lb_frozen_function *function, lb_status *status)
{
    static const int inputs[] = {LB_ARRAY_TIME, LB_ARRAY_Q,      LB_ARRAY_V,    LB_ARRAY_TAU,
                                 LB_ARRAY_U,    LB_ARRAY_BEFORE, LB_ARRAY_NOISE};
    static const int memory[] = {LB_ARRAY_BEFORE}, outputs[] = {LB_ARRAY_MEMORY};
    for (int i = 0; i < f->control.sampler_count; ++i) {
        const char *name = f->control.samplers[i].name;
        const bool is_plan = f->control.samplers[i].plan_at >= 0 &&
                             is_word(word, length, f->control.samplers[i].plan);
        if (!is_plan && !is_word(word, length, name)) {
            continue;
        }
        const bool senses = i < f->group_count;
        function->part = 1 + (int)(is_plan  ? LB_TRACE_PLAN
                                   : senses ? LB_TRACE_SENSE
                                            : LB_TRACE_SAMPLE);
        function->subject = senses ? i : i - f->group_count;
        function->is_private = true;
        *status = lb_name_function(function, is_plan ? f->control.samplers[i].plan : name, "", "");
        bool noisy = false;
        for (int j = 0; j < f->control.noise_count; ++j) {
            noisy = noisy || f->control.noises[j].sampler == i;
        }
        if (is_plan) {
            set_arrays(function, 1, memory, 1, outputs);
        } else {
            set_arrays(function, noisy ? 7 : 6, inputs, 1, outputs);
        }
        return true;
    }
    return false;
}

static bool choose(void *user, const char *word, size_t length, lb_frozen_function *function,
                   lb_status *status)
{
    static const struct {
        const char *word, *name;
        lb_traced_part part;
        int methods, output_count, outputs[2];
    } parts[] = {
        {"rates", "rates", LB_TRACE_RATES, 0, 2, {LB_ARRAY_A, LB_ARRAY_Q_DOT}},
        {"step", "rates", LB_TRACE_RATES, LB_STEP_RK4, 2, {LB_ARRAY_A, LB_ARRAY_Q_DOT}},
        {"step:euler", "rates", LB_TRACE_RATES, LB_STEP_EULER, 2, {LB_ARRAY_A, LB_ARRAY_Q_DOT}},
        {"step:alpha", "rates", LB_TRACE_RATES, LB_STEP_ALPHA, 2, {LB_ARRAY_A, LB_ARRAY_Q_DOT}},
        {"outputs", "outputs", LB_TRACE_OUTPUTS, 0, 1, {LB_ARRAY_Y}},
        {"indicators", "indicators", LB_TRACE_INDICATORS, 0, 1, {LB_ARRAY_Z}},
        {"place", "place", LB_TRACE_PLACE, 0, 2, {LB_ARRAY_Q, LB_ARRAY_V}},
        {"actuate", "actuate", LB_TRACE_ACTUATE, 0, 1, {LB_ARRAY_U}},
        {"command", "command", LB_TRACE_COMMAND, 0, 1, {LB_ARRAY_MEMORY}},
        {"close", "close_positions", LB_TRACE_CLOSE_Q, 0, 2, {LB_ARRAY_Q_NEXT, LB_ARRAY_GAP}},
        {"close_speeds", "close_speeds", LB_TRACE_CLOSE_V, 0, 1, {LB_ARRAY_V_NEXT}}};
    static const int state[] = {LB_ARRAY_TIME, LB_ARRAY_Q, LB_ARRAY_V, LB_ARRAY_TAU, LB_ARRAY_U};
    static const int commands[] = {LB_ARRAY_TIME, LB_ARRAY_COMMAND, LB_ARRAY_BEFORE};
    static const int memory[] = {LB_ARRAY_TIME, LB_ARRAY_MEMORY};
    static const int moved[] = {LB_ARRAY_TIME, LB_ARRAY_U};
    const frozen_simulation *f = user;
    if (choose_sampler(f, word, length, function, status)) {
        return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (!is_word(word, length, parts[i].word)) {
            continue;
        }
        const lb_traced_part part = parts[i].part;
        const int list = part == LB_TRACE_OUTPUTS      ? LB_FROZEN_OUTPUTS
                         : part == LB_TRACE_INDICATORS ? LB_FROZEN_INDICATORS
                         : part == LB_TRACE_ACTUATE || part == LB_TRACE_COMMAND ? LB_FROZEN_COMMANDS
                                                                                : LB_FROZEN_Q;
        const bool closes = part == LB_TRACE_CLOSE_Q || part == LB_TRACE_CLOSE_V;
        function->part = 1 + (int)part;
        function->with_rates = part == LB_TRACE_RATES;
        function->methods = parts[i].methods;
        function->replaces = part == LB_TRACE_PLACE;
        function->is_private = closes;
        *status = lb_name_function(function, parts[i].name, "", "");
        const bool commanded = part == LB_TRACE_COMMAND, actuated = part == LB_TRACE_ACTUATE;
        const bool places = part == LB_TRACE_PLACE;
        set_arrays(function,
                   places                                 ? 1 + f->lists.moves
                   : actuated || part == LB_TRACE_CLOSE_Q ? 2
                   : commanded || closes                  ? 3
                                                          : 5,
                   places      ? moved
                   : actuated  ? memory
                   : commanded ? commands
                               : state,
                   parts[i].output_count, parts[i].outputs);
        if (closes && !lb_has_closed_loops(f->model)) {
            *status = lb_refuse_to_freeze(f->report, LB_E_UNSUPPORTED,
                                          "functions: '%s': the model has no loop", parts[i].word);
        } else if (f->lists.counts[list] == 0) {
            *status =
                lb_refuse_to_freeze(f->report, LB_E_ARGUMENT,
                                    "functions: '%s': the simulation has none", parts[i].word);
        } else if (*status == LB_OK && part == LB_TRACE_OUTPUTS) {
            *status = lb_check_outputs(f->sim, f->report);
        } else if (*status == LB_OK && part == LB_TRACE_INDICATORS) {
            *status = lb_check_events(f->sim, f->report);
        }
        return true;
    }
    return false;
}

static bool has_word(const char *list, const char *word)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        if (is_word(at, length, word)) {
            return true;
        }
        at += length + (at[length] == ',');
    }
    return false;
}

static bool has_controllers(const frozen_simulation *f)
{
    return f->sim->sampler && f->sim->control;
}

// A word behind the others, unless it is there.
static void add_word(char *list, const char *word)
{
    if (!has_word(list, word)) {
        strcat(strcat(list, *list ? "," : ""), word);
    }
}

// The list of functions with all that words stand for; NULL without memory.
static char *expand_functions(const frozen_simulation *f, const char *functions)
{
    const lb_frozen_control *control = &f->control;
    const size_t size = 2 * sizeof control->samplers[0].name + 2;
    char *all = malloc(strlen(functions) + 64 + size * (size_t)control->sampler_count);
    if (!all) {
        return NULL;
    }
    all[0] = 0;
    for (const char *at = functions;;) {
        const size_t length = strcspn(at, ",");
        if (!is_word(at, length, "control") && !is_word(at, length, "run")) {
            strncat(strcat(all, all[0] ? "," : ""), at, length);
        }
        if (!at[length]) {
            break;
        }
        at += length + 1;
    }
    const bool runs = has_word(functions, "run"), controls = has_word(functions, "control");
    if (runs && !has_word(all, "step")) {
        add_word(all, "rates");
    }
    if (runs || controls) {
        add_word(all, "actuate");
        add_word(all, "command");
    }
    for (int i = 0; i < control->sampler_count; ++i) {
        add_word(all, control->samplers[i].name);
        if (control->samplers[i].plan_at >= 0) {
            add_word(all, control->samplers[i].plan);
        }
    }
    const bool steps =
        has_word(all, "step") || has_word(all, "step:euler") || has_word(all, "step:alpha");
    if ((runs || steps || has_word(all, "close")) && lb_has_closed_loops(f->model)) {
        add_word(all, "close");
        add_word(all, "close_speeds");
    }
    if ((runs || steps) && lb_has_motion(f->sim->system.forces)) {
        add_word(all, "place");
    }
    return all;
}

// ---- all ---------------------------------------------------------------------------------------

// Numbers at which comparisons with the engine are made.
static bool make_values(frozen_simulation *f, double *values[LB_ARRAY_COUNT])
{
    size_t count = 2 + (size_t)f->control.noise_count;
    for (int i = LB_FROZEN_INPUTS; i < LB_FROZEN_LISTS; ++i) {
        count += (size_t)f->lists.counts[i];
    }
    double *x = f->values = calloc(count, sizeof *x);
    if (!x) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        x[i] = 0.3 + 0.17 * (double)(i % 7);
    }
    values[LB_ARRAY_TIME] = x++;
    if (lb_has_closed_loops(f->model)) {
        // loops are closed where their motion and that of hinges is known
        values[LB_ARRAY_TIME][0] = f->sim->flow.t;
    }
    for (int array = LB_ARRAY_U; array <= LB_ARRAY_MEMORY; ++array) {
        values[array] = x;
        x += f->lists.counts[LB_FROZEN_INPUTS + array - LB_ARRAY_U];
    }
    values[LB_ARRAY_NOISE] = x;
    lb_give_motions(f, values[LB_ARRAY_TIME][0], values[LB_ARRAY_U]);
    // actuators are on the way to their last command at the sample time
    double *memory = values[LB_ARRAY_BEFORE] = values[LB_ARRAY_MEMORY];
    for (int i = 0; i < f->lists.counts[LB_FROZEN_COMMANDS]; ++i) {
        memory[(ptrdiff_t)i * LB_ACTUATOR_MEMORY] = values[LB_ARRAY_TIME][0] - 0.1;
    }
    return true;
}

// Flags by body and by speed of hinges with given motion, one behind the other; NULL without memory.
static unsigned char *find_given(const frozen_simulation *f)
{
    const lb_forces *forces = f->sim->system.forces;
    const size_t bodies = (size_t)f->model->body_count;
    unsigned char *flags = calloc(bodies + (size_t)f->model->v_count + 1, 1);
    for (int i = 0; flags && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0; is_live(force, LB_FORCE_MOTION) && j < force->function_count; ++j) {
            flags[force->body] = flags[bodies + (size_t)(force->v + j)] = 1;
        }
    }
    return flags;
}

static const lb_more_numbers *list_more(void *user, const lb_sample *sample)
{
    frozen_simulation *f = user;
    f->open.sample = sample;
    f->open.t = sample->values[LB_ARRAY_TIME][0];
    return lb_list_open_numbers(&f->open) ? &f->open.more : NULL;
}

// Controllers, where functions of them are asked for.
static lb_status list_control(frozen_simulation *f, const char *functions)
{
    const bool runs = has_word(functions, "run");
    f->control.runs = runs;
    if (runs && !has_controllers(f)) {
        return lb_refuse_to_freeze(f->report, LB_E_ARGUMENT,
                                   "functions: 'run': the simulation has no controllers");
    }
    if (!has_controllers(f) || !(runs || has_word(functions, "control"))) {
        return LB_OK;
    }
    const char *closed = lb_find_closed_controller(f->sim);
    f->open.controlled = true;
    if (closed && f->open.given && f->open.given->count > 0) {
        return lb_refuse_to_freeze(f->report, LB_E_UNSUPPORTED,
                                   "parameters: they do not stay open beside controller '%s': its "
                                   "law or its shaping is designed, or has dynamics of its own",
                                   closed);
    }
    const lb_status status = lb_check_controllers(f->sim, f->report);
    return status != LB_OK || lb_list_controllers(f) ? status : LB_E_MEMORY;
}

lb_status lb_freeze_simulation(lb_simulation *sim, const lb_freeze_options *options,
                               const lb_report *report, lb_frozen **frozen)
{
    lb_freeze_options own;
    *frozen = NULL;
    lb_status status = lb_take_freeze_options(options, report, &own);
    if (status == LB_OK && sim->stage != LB_STAGE_RUNNING) {
        sim->flow.is_eager = true; // commands of t = 0 are in it
        status = lb_start_simulation(sim);
        sim->flow.is_eager = false;
        if (status < 0) {
            const char *said = lb_get_simulation_message(sim);
            return lb_refuse_to_freeze(report, status, "%s",
                                       said[0] ? said : lb_get_status_text(status));
        }
        status = LB_OK;
    }
    status = status == LB_OK ? lb_check_forces_freeze(sim->system.forces, report) : status;
    own.configuration = own.configuration ? own.configuration : sim->flow.y;
    if (status != LB_OK) {
        return status;
    }
    frozen_simulation f = {.sim = sim,
                           .model = sim->system.model,
                           .report = report,
                           .open = {.sim = sim, .given = own.parameters}};
    const int force_count = sim->system.forces->count;
    f.inputs = malloc(2 * ((size_t)force_count + 1) * sizeof *f.inputs);
    f.actuators = f.inputs ? f.inputs + force_count : NULL;
    for (int i = 0; f.inputs && i < 2 * force_count; ++i) {
        f.inputs[i] = -1;
    }
    lb_freeze_extras extras = {
        .user = &f, .lists = &f.lists, .choose = choose, .record = lb_record_part};
    const bool good =
        f.inputs && list_state(f.model, &f.lists) && list_actuators(&f) && list_signals(&f);
    status = good ? list_control(&f, own.functions) : LB_E_MEMORY;
    status = status == LB_OK ? lb_list_inputs(&f, &own, report) : status;
    status = status == LB_OK ? lb_find_starts(&f) : status;
    extras.control = f.places ? &f.control : NULL;
    f.shares = !lb_needs_inertias(sim) && !(f.places && lb_sensors_need_inertias(sim));
    extras.shares = f.shares;
    extras.list_more = list_more;
    unsigned char *flags = find_given(&f);
    const lb_given_motion given = {flags, flags ? flags + f.model->body_count : NULL,
                                   sim->flow.y + f.model->q_count, sim->system.work};
    extras.given = &given;
    status = flags ? status : LB_E_MEMORY;
    char *functions = status == LB_OK ? expand_functions(&f, own.functions) : NULL;
    if (status == LB_OK && functions && make_values(&f, extras.values)) {
        own.functions = functions;
        f.open.with_outputs = has_word(functions, "outputs");
        f.open.with_events = has_word(functions, "indicators");
        status = lb_freeze_all(f.model, &own, &extras, report, frozen);
    } else if (status == LB_OK) {
        status = LB_E_MEMORY;
    }
    free(flags);
    lb_clear_open_numbers(&f.open);
    lb_clear_controllers(&f);
    lb_clear_lists(&f.lists);
    free(functions);
    free(f.inputs);
    free(f.values);
    return status;
}
