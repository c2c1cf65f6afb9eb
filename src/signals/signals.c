// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of signals, and named signals.
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/dense.h"
#include "base/names.h"
#include "base/sized.h"
#include "expression.h"
#include "limber/loops.h"
#include "signal_recovery.h"
#include "signals_parse.h"
#include "slopes.h"

typedef struct lb_named_signal {
    const char *name;
    const lb_expression *expression;
    lb_signal_callback callback; // in its place, or NULL
    void *user;
    lb_signal_stage stage;
    double cost; // operations of one evaluation, with those of the signals that it reads
    int depth;   // signals that read one another
} lb_named_signal;

// A signal is evaluated wherever it is read, so that each may double the work of the one before.
enum { MOST_OPERATIONS = 1000000, MOST_DEPTH = 1000 };

struct lb_signals {
    lb_arena arena;
    const lb_model *model;
    lb_faults faults;
    int count, capacity;
    lb_named_signal *entries;
    lb_names names;
    lb_names constant_names;
    double *constants;
    int constant_count, constant_capacity;
};

static const lb_instruction zero_program = {.op = LB_TERM_NUMBER};
static const lb_expression zero = {LB_SIGNAL_TIME, 1, &zero_program, NULL, 0};

// ---- values ------------------------------------------------------------------------------------

static double pick(const double *x, int count, int index)
{
    return index >= 0 ? x[index] : lb_compute_norm(count, x);
}

static lb_status read_node(const lb_signal *s, const lb_instant *at, double *value)
{
    lb_node_motion m;
    const lb_status status = lb_compute_node_motion(at->model, at->work, s->body, s->node, &m);
    if (status != LB_OK) {
        return status;
    }
    switch (s->kind) {
    case LB_SIGNAL_POSITION:
        *value = pick(m.position, 3, s->index);
        break;
    case LB_SIGNAL_ROTATION:
        *value = pick(m.rotation, 4, s->index);
        break;
    case LB_SIGNAL_VELOCITY:
        *value = pick(m.velocity + 3, 3, s->index);
        break;
    case LB_SIGNAL_ANGULAR_VELOCITY:
        *value = pick(m.velocity, 3, s->index);
        break;
    case LB_SIGNAL_NODE_ACCELERATION:
        *value = pick(m.acceleration + 3, 3, s->index);
        break;
    default:
        *value = pick(m.acceleration, 3, s->index);
        break;
    }
    return LB_OK;
}

lb_status lb_find_ends(const lb_signal *s, const lb_instant *at, lb_node_motion ends[2])
{
    const lb_status status =
        lb_compute_node_motion(at->model, at->work, s->body, s->node, &ends[0]);
    return status != LB_OK ? status
                           : lb_compute_node_motion(at->model, at->work, s->other_body,
                                                    s->other_node, &ends[1]);
}

// The distance d = |x_b - x_a|, or its rate (x_b - x_a) . (v_b - v_a) / d, zero where d is.
static lb_status read_distance(const lb_signal *s, const lb_instant *at, double *value)
{
    lb_node_motion ends[2];
    const lb_status status = lb_find_ends(s, at, ends);
    if (status != LB_OK) {
        return status;
    }
    double square = 0.0, product = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double x = ends[1].position[i] - ends[0].position[i];
        square += x * x;
        product += x * (ends[1].velocity[3 + i] - ends[0].velocity[3 + i]);
    }
    const double d = sqrt(square);
    *value = s->kind == LB_SIGNAL_DISTANCE ? d : d > 0 ? product / d : 0.0;
    return LB_OK;
}

static lb_status read_system(const lb_signal *s, const lb_instant *at, double *value)
{
    if (s->kind == LB_SIGNAL_KINETIC) {
        return lb_compute_energy(at->model, at->work, value, NULL);
    }
    if (s->kind == LB_SIGNAL_POTENTIAL) {
        return lb_compute_energy(at->model, at->work, NULL, value);
    }
    lb_system_motion m;
    const lb_status status = lb_compute_system_motion(at->model, at->work, &m);
    if (status != LB_OK) {
        return status;
    }
    switch (s->kind) {
    case LB_SIGNAL_MASS:
        *value = m.mass;
        break;
    case LB_SIGNAL_COM:
        *value = pick(m.com, 3, s->index);
        break;
    case LB_SIGNAL_COM_VELOCITY:
        *value = pick(m.com_velocity, 3, s->index);
        break;
    case LB_SIGNAL_MOMENTUM:
        *value = pick(m.linear, 3, s->index);
        break;
    default:
        *value = pick(m.angular, 3, s->index);
        break;
    }
    return LB_OK;
}

static lb_status give(double number, double *value)
{
    *value = number;
    return isfinite(number) ? LB_OK : LB_E_NUMBER;
}

static lb_status read_named(const lb_named_signal *named, const lb_instant *at, double *value)
{
    if (!named->callback) {
        const lb_status status = lb_evaluate_expression(named->expression, at, value);
        return status == LB_OK && !isfinite(*value) ? LB_E_NUMBER : status;
    }
    double own = 0.0;
    if (named->callback(named->user, at, &own) != 0) {
        return LB_E_CALLBACK;
    }
    return give(own, value);
}

// ---- loads -------------------------------------------------------------------------------------

bool lb_is_load_signal(const lb_signal *s)
{
    return (s->kind >= LB_SIGNAL_LOOP_MOMENT && s->kind <= LB_SIGNAL_SECTION_FORCE) ||
           s->kind == LB_SIGNAL_CORRECTED;
}

// Moment and force, as the signal writes them.
static lb_status compute_load(const lb_signal *s, const lb_instant *at, double load[6])
{
    if (lb_is_modal_signal(s)) {
        return lb_compute_modal_cut_force(at->model, at->work, s->body, s->node, &s->frame, load);
    }
    if (s->kind >= LB_SIGNAL_SECTION_MOMENT) {
        return lb_compute_cut_force(at->model, at->work, at->applied, s->body, s->node, &s->frame,
                                    load);
    }
    if (s->kind >= LB_SIGNAL_REACTION_MOMENT) {
        return lb_compute_reaction(at->model, at->work, at->applied, s->body, &s->frame, load);
    }
    const lb_status status = lb_get_loop_force(at->model, at->work, s->body, load);
    return status < 0 || lb_compute_norm(6, load) == 0.0 // an open loop has no force
               ? status
               : lb_refer_loop_force(at->model, at->work, s->body, load, &s->frame, load);
}

// What another component has computed at this instant, or NULL.
static const double *find_load(const lb_signal *s, const lb_load_memory *loads)
{
    for (int i = 0; i < loads->count && i < LB_LOAD_MEMORY; ++i) {
        if (lb_have_same_load(s, loads->entries[i].signal)) {
            return loads->entries[i].load;
        }
    }
    return NULL;
}

static lb_status read_load(const lb_signal *s, const lb_instant *at, double *value)
{
    double own[6] = {0};
    const double *load = at->loads ? find_load(s, at->loads) : NULL;
    lb_status status = LB_OK;
    if (!load) {
        status = compute_load(s, at, own);
        load = own;
        if (at->loads && status >= 0) {
            const int place = at->loads->count++ % LB_LOAD_MEMORY;
            at->loads->entries[place].signal = s;
            memcpy(at->loads->entries[place].load, own, sizeof own);
        }
    }
    *value = pick(load + (lb_is_moment_signal(s) ? 0 : 3), 3, s->index);
    return status;
}

static lb_status evaluate(const lb_signal *s, const lb_instant *at, double *value)
{
    if (s->stage == LB_SIGNAL_ACCELERATION && !at->a) {
        return LB_E_STAGE;
    }
    if (s->kind == LB_SIGNAL_CORRECTED) {
        return lb_compute_recovery(at->model, at->work, at->applied, s->body, s->index, value);
    }
    if (lb_is_load_signal(s) || lb_is_modal_signal(s)) {
        return read_load(s, at, value);
    }
    switch (s->kind) {
    case LB_SIGNAL_T:
        return give(at->t, value);
    case LB_SIGNAL_Q:
        return give(at->q[s->index], value);
    case LB_SIGNAL_V:
        return give(at->v[s->index], value);
    case LB_SIGNAL_A:
        return give(at->a[s->index], value);
    case LB_SIGNAL_DISPLACEMENT:
        return give(lb_get_elastic_displacement(s, at), value);
    case LB_SIGNAL_RECOVERY:
        return give(lb_get_recovered(s, at), value);
    case LB_SIGNAL_ATTITUDE:
    case LB_SIGNAL_TURN:
    case LB_SIGNAL_EULER:
    case LB_SIGNAL_SIGHT:
        return lb_read_attitude(s, at, value);
    case LB_SIGNAL_NAMED:
        return read_named(&s->named->entries[s->index], at, value);
    case LB_SIGNAL_DISTANCE:
    case LB_SIGNAL_DISTANCE_RATE:
        return read_distance(s, at, value);
    default:
        return s->kind < LB_SIGNAL_DISTANCE ? read_node(s, at, value) : read_system(s, at, value);
    }
}

lb_status lb_evaluate_signal(const lb_signal *s, const lb_instant *at, double *value)
{
    if (at->size == sizeof *at) {
        return evaluate(s, at, value);
    }
    // of a program that knows less of an instant
    lb_instant own = {0};
    const lb_status status = lb_take_sized(&own, sizeof own, offsetof(lb_instant, a), at);
    return status == LB_OK ? evaluate(s, &own, value) : status;
}

// ---- one signal --------------------------------------------------------------------------------

lb_status lb_compile_signal(const lb_model *model, const lb_signals *named, const char *text,
                            const lb_report *report, lb_signal **out)
{
    lb_signal signal;
    lb_scan_error error;
    *out = NULL;
    if (lb_parse_signal(model, named, text, &error, &signal) != LB_OK) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .line = 1,
                                          .column = error.column,
                                          .path = "",
                                          .message = error.message};
        if (report && report->emit) {
            report->emit(report->user, &diagnostic);
        }
        return LB_E_SYNTAX;
    }
    *out = malloc(sizeof **out);
    if (!*out) {
        return LB_E_MEMORY;
    }
    **out = signal;
    return LB_OK;
}

void lb_destroy_signal(lb_signal *signal)
{
    free(signal);
}

lb_signal_stage lb_get_signal_stage(const lb_signal *signal)
{
    return signal->stage;
}

// ---- named signals -----------------------------------------------------------------------------

int lb_get_signal_count(const lb_signals *signals)
{
    return signals->count;
}

const char *lb_get_signal_name(const lb_signals *signals, int index)
{
    return signals->entries[index].name;
}

int lb_find_signal(const lb_signals *signals, const char *name)
{
    const int index = lb_names_find(&signals->names, name);
    return index >= 0 ? index : LB_NOT_FOUND;
}

lb_signal_stage lb_get_named_stage(const lb_signals *signals, int index)
{
    return signals->entries[index].stage;
}

const lb_expression *lb_get_named_expression(const lb_signals *signals, int index)
{
    const lb_named_signal *named = &signals->entries[index];
    return named->callback ? NULL : named->expression;
}

void lb_set_signal_report(lb_signals *signals, const lb_report *report)
{
    signals->faults.report = report ? *report : (lb_report){0};
}

int lb_count_signal_faults(const lb_signals *signals)
{
    return signals->faults.error_count;
}

bool lb_are_signals_right(const lb_signals *signals)
{
    return signals->faults.error_count == 0;
}

lb_status lb_create_signals(const lb_model *model, const lb_allocator *allocator,
                            const lb_report *report, lb_signals **out)
{
    lb_arena arena = lb_make_arena(allocator);
    lb_signals *signals = lb_arena_take(&arena, 1, sizeof *signals);
    *out = signals;
    if (!signals) {
        return LB_E_MEMORY;
    }
    signals->arena = arena;
    signals->model = model;
    lb_set_signal_report(signals, report);
    return LB_OK;
}

void lb_destroy_signals(lb_signals *signals)
{
    if (signals) {
        lb_arena_free(&signals->arena); // the signals themselves among its pieces
    }
}

// ---- adding ------------------------------------------------------------------------------------

void lb_init_signal_options(lb_signal_options *options, size_t size)
{
    const lb_signal_options defaults = {.stage = LB_SIGNAL_STATE};
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

// A place at the end, with its name, which reads zero until it is filled.
static lb_status append(lb_signals *signals, const char *name)
{
    lb_named_signal *entries = lb_arena_grow(&signals->arena, signals->entries, signals->count,
                                             &signals->capacity, sizeof *entries);
    lb_named_signal *entry = entries ? &entries[signals->count] : NULL;
    if (!entry) {
        return LB_E_MEMORY;
    }
    signals->entries = entries;
    *entry = (lb_named_signal){.name = lb_arena_text(&signals->arena, name), .expression = &zero};
    if (!entry->name ||
        lb_names_add(&signals->names, &signals->arena, entry->name, signals->count) != LB_OK) {
        return LB_E_MEMORY;
    }
    ++signals->count;
    return LB_OK;
}

static void check_name(lb_signals *signals, const char *name)
{
    lb_faults *faults = &signals->faults;
    if (!lb_is_plain_name(name)) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "expected a name of letters, digits and underscores");
    } else if (lb_is_reserved_word(name)) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "\"%s\" has a meaning already, expected another name", name);
    } else if (lb_find_body(signals->model, name) >= LB_GROUND) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "\"%s\" is a body, expected another name", name);
    } else if (lb_names_find(&signals->constant_names, name) >= 0) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "\"%s\" is a parameter, expected another name", name);
    } else if (lb_find_signal(signals, name) >= 0) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "there is a signal \"%s\" already, expected another name", name);
    }
}

lb_status lb_reserve_signal(lb_signals *signals, const char *name)
{
    check_name(signals, name);
    return append(signals, name);
}

lb_status lb_add_constant(lb_signals *signals, const char *name, double value)
{
    const char *copy = lb_arena_text(&signals->arena, name);
    double *values = lb_arena_grow(&signals->arena, signals->constants, signals->constant_count,
                                   &signals->constant_capacity, sizeof *values);
    if (!copy || !values ||
        lb_names_add(&signals->constant_names, &signals->arena, copy, signals->constant_count) !=
            LB_OK) {
        return LB_E_MEMORY;
    }
    signals->constants = values;
    values[signals->constant_count++] = value;
    return LB_OK;
}

bool lb_find_constant(const lb_signals *signals, const char *name, double *value)
{
    const int found = signals ? lb_names_find(&signals->constant_names, name) : -1;
    if (found >= 0) {
        *value = signals->constants[found];
    }
    return found >= 0;
}

// Bounds on one evaluation: time, and the stack.
static void check_cost(lb_signals *signals, const char *name, lb_named_signal *entry)
{
    const lb_expression *e = entry->expression;
    entry->cost = e->count;
    entry->depth = 1;
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *op = &e->program[i];
        if (op->op == LB_TERM_LEAF && e->signals[op->signal].kind == LB_SIGNAL_NAMED) {
            const lb_named_signal *other = &signals->entries[e->signals[op->signal].index];
            entry->cost += other->cost;
            entry->depth = other->depth >= entry->depth ? other->depth + 1 : entry->depth;
        }
    }
    if (entry->cost > MOST_OPERATIONS) {
        lb_complain(&signals->faults, LB_SEVERITY_ERROR, "signals", name,
                    "its value takes %.3g operations, with those of the signals that it reads, "
                    "expected at most %d: read each of them once",
                    entry->cost, MOST_OPERATIONS);
    } else if (entry->depth > MOST_DEPTH) {
        lb_complain(&signals->faults, LB_SEVERITY_ERROR, "signals", name,
                    "%d signals read one another in a row, expected at most %d", entry->depth,
                    MOST_DEPTH);
    } else {
        return;
    }
    // said once: those that read it are not counted again
    entry->cost = 1.0;
    entry->depth = 1;
}

lb_status lb_add_signal(lb_signals *signals, const lb_signal_options *options, int *index)
{
    lb_signal_options own;
    lb_faults *faults = &signals->faults;
    const int errors = faults->error_count;
    lb_init_signal_options(&own, sizeof own);
    lb_status status = lb_take_checked(faults, "signals", "", &own, sizeof own,
                                       offsetof(lb_signal_options, callback), options);
    if (status != LB_OK) {
        return status;
    }
    const char *name = own.name ? own.name : "";
    status = lb_reserve_signal(signals, name);
    if (status != LB_OK) {
        return status;
    }
    lb_named_signal *entry = &signals->entries[signals->count - 1];
    if (index) {
        *index = signals->count - 1;
    }
    if ((own.expression != NULL) == (own.callback != NULL)) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name,
                    "expected either an expression or a callback");
    } else if (own.callback && (own.stage < LB_SIGNAL_TIME || own.stage > LB_SIGNAL_ACCELERATION)) {
        lb_complain(faults, LB_SEVERITY_ERROR, "signals", name, "%d is no stage", (int)own.stage);
    } else if (own.callback) {
        entry->callback = own.callback;
        entry->user = own.user;
        entry->stage = own.stage;
    } else {
        // it may use those before it
        const lb_scope scope = {signals->model, signals, signals->count - 1};
        lb_expression *expression = NULL;
        status = lb_make_expression(&signals->arena, &scope, faults, "signals", name,
                                    own.expression, &expression);
        if (status == LB_OK) {
            entry->expression = expression;
            entry->stage = lb_get_expression_stage(expression);
            check_cost(signals, name, entry);
        }
    }
    return status == LB_OK && faults->error_count > errors ? LB_E_MODEL : status;
}
