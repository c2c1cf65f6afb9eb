// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Named signals, and signals by themselves.
#include "named_signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "signal_recovery.h"
#include "signals.h"
#include "signals_parse.h"
#include "slopes.h"

// A signal is evaluated wherever it is read, so that each may double the work of the one before.
enum { MOST_OPERATIONS = 1000000, MOST_DEPTH = 1000 };

static const lb_instruction zero_program = {.op = LB_TERM_NUMBER};
static const lb_expression zero = {.stage = LB_SIGNAL_TIME, .count = 1, .program = &zero_program};

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

bool lb_has_signal_callback(const lb_signals *signals)
{
    bool any = false;
    for (int i = 0; i < signals->count; ++i) {
        any = any || signals->entries[i].callback;
    }
    return any;
}

// ---- adding ------------------------------------------------------------------------------------

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
    own = lb_default_signal_options();
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
