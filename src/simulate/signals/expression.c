// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of expressions.
#include "expression.h"

#include <math.h>
#include <string.h>

#include "signals.h"
#include "switches.h"

// ---- programs ----------------------------------------------------------------------------------

enum { NO_STAGE = -1 }; // of a constant

typedef struct lb_flattening {
    const lb_signal_terms *terms;
    lb_instruction *program; // room for LB_MOST_INSTRUCTIONS
    int count, depth, deepest;
    lb_switch *switches; // likewise
    int switch_count;
    lb_time_part *parts; // likewise
    int part_count;
    bool too_long;
} lb_flattening;

// A part of time alone: an operation, since `t` itself and numbers have no features.
static void add_part(lb_flattening *f, int stage, int start, int end)
{
    if (stage == LB_SIGNAL_TIME && end > start + 1) {
        f->parts[f->part_count++] = (lb_time_part){.start = start, .end = end, .from = INFINITY};
    }
}

// Operands first, then the operation. Terms are no deeper than the parser and two derivatives allow. Returns the
// latest stage of its signals.
static int flatten_term(lb_flattening *f, int index)
{
    const lb_formula_term *term = &f->terms->terms.terms[index];
    const int operands = lb_get_operand_count(term->op), start = f->count;
    int stage = term->op == LB_TERM_LEAF ? (int)f->terms->signals[term->leaf].stage : NO_STAGE;
    int stages[3] = {0}, starts[4] = {f->count};
    for (int i = 0; i < operands && !f->too_long; ++i) {
        stages[i] = flatten_term(f, term->operands[i]);
        starts[i + 1] = f->count;
        stage = stages[i] > stage ? stages[i] : stage;
    }
    for (int i = 0; i < operands && stage > LB_SIGNAL_TIME && !f->too_long; ++i) {
        add_part(f, stages[i], starts[i], starts[i + 1]);
    }
    if (f->count == LB_MOST_INSTRUCTIONS) {
        f->too_long = true;
        return stage;
    }
    if (stage != NO_STAGE && lb_has_sides(term->op)) {
        f->switches[f->switch_count++] = (lb_switch){.start = start,
                                                     .at = f->count,
                                                     .stage = (lb_signal_stage)stage,
                                                     .side = LB_SIDE_FREE,
                                                     .from = INFINITY};
    }
    f->program[f->count++] =
        (lb_instruction){.op = term->op, .signal = term->leaf, .number = term->number};
    f->depth += 1 - operands;
    f->deepest = f->depth > f->deepest ? f->depth : f->deepest;
    return stage;
}

lb_status lb_flatten(lb_arena *arena, const lb_signal_terms *terms, int term, lb_expression **out)
{
    *out = NULL;
    const lb_allocator *allocator = &arena->allocator;
    lb_flattening f = {.terms = terms};
    f.program = allocator->allocate(allocator->user, LB_MOST_INSTRUCTIONS * sizeof *f.program);
    f.switches = allocator->allocate(allocator->user, LB_MOST_INSTRUCTIONS * sizeof *f.switches);
    f.parts = allocator->allocate(allocator->user, LB_MOST_INSTRUCTIONS * sizeof *f.parts);
    lb_status status = f.program && f.switches && f.parts ? LB_E_UNSUPPORTED : LB_E_MEMORY;
    const int stage = status != LB_E_MEMORY ? flatten_term(&f, term) : NO_STAGE;
    if (status != LB_E_MEMORY && !f.too_long) {
        add_part(&f, stage, 0, f.count);
    }
    if (status != LB_E_MEMORY && !f.too_long && f.deepest <= LB_MOST_STACKED) {
        lb_expression *e = lb_arena_take(arena, 1, sizeof *e);
        lb_instruction *program = lb_arena_take(arena, (size_t)f.count, sizeof *program);
        lb_switch *switches = lb_arena_take(arena, (size_t)f.switch_count + 1, sizeof *switches);
        lb_time_part *parts = lb_arena_take(arena, (size_t)f.part_count + 1, sizeof *parts);
        lb_signal *signals = lb_arena_take(arena, (size_t)terms->signal_count + 1, sizeof *signals);
        status = e && program && switches && parts && signals ? LB_OK : LB_E_MEMORY;
        if (status == LB_OK) {
            memcpy(program, f.program, (size_t)f.count * sizeof *program);
            memcpy(switches, f.switches, (size_t)f.switch_count * sizeof *switches);
            memcpy(parts, f.parts, (size_t)f.part_count * sizeof *parts);
            memcpy(signals, terms->signals, (size_t)terms->signal_count * sizeof *signals);
            for (int i = 0; i < f.switch_count; ++i) {
                program[switches[i].at].side = &switches[i].side;
            }
            *e = (lb_expression){stage == NO_STAGE ? LB_SIGNAL_TIME : (lb_signal_stage)stage,
                                 f.count,
                                 program,
                                 signals,
                                 terms->signal_count,
                                 switches,
                                 f.switch_count,
                                 parts,
                                 f.part_count};
            *out = e;
        }
    }
    if (f.program) {
        allocator->release(allocator->user, f.program);
    }
    if (f.switches) {
        allocator->release(allocator->user, f.switches);
    }
    if (f.parts) {
        allocator->release(allocator->user, f.parts);
    }
    return status;
}

lb_signal_stage lb_get_expression_stage(const lb_expression *expression)
{
    return expression->stage;
}

// ---- from text ---------------------------------------------------------------------------------

// Where an expression comes from, for complaints.
typedef struct source {
    lb_faults *faults;
    const char *where, *key, *text;
} source;

// Parses a text. The index of its term; what is wrong is complained of and gives zero.
static int parse(lb_signal_terms *terms, const lb_scope *scope, const source *from)
{
    lb_scan scan = {.text = from->text ? from->text : ""};
    const int term = lb_parse_expression(terms, &scan, scope);
    if (scan.failed) {
        lb_complain(from->faults, LB_SEVERITY_ERROR, from->where, from->key, "%s",
                    scan.error.message);
        return lb_add_number(&terms->terms, 0.0);
    }
    return term;
}

// Flattens a term. One that is too long or deep is complained of, and zero put in its place.
static lb_status flatten_or_complain(lb_arena *arena, lb_signal_terms *terms, int *term,
                                     const source *from, lb_expression **expression)
{
    lb_status status =
        terms->terms.full ? LB_E_UNSUPPORTED : lb_flatten(arena, terms, *term, expression);
    if (status == LB_E_UNSUPPORTED) {
        lb_complain(from->faults, LB_SEVERITY_ERROR, from->where, from->key,
                    "the expression is too long or too deep; name parts of it in \"signals\"");
        lb_start_terms(&terms->terms);
        *term = lb_add_number(&terms->terms, 0.0);
        status = lb_flatten(arena, terms, *term, expression);
    }
    // a constant that is not finite is known now
    double value = 0.0;
    if (status == LB_OK && (*expression)->stage == LB_SIGNAL_TIME && terms->signal_count == 0 &&
        lb_evaluate_expression(*expression, NULL, &value) == LB_OK && !isfinite(value)) {
        lb_complain(from->faults, LB_SEVERITY_ERROR, from->where, from->key,
                    "the value is %s, expected a finite number",
                    isnan(value) ? "not a number" : "infinite");
    }
    return status;
}

static lb_signal_terms *start_terms(lb_arena *arena)
{
    lb_signal_terms *terms = arena->allocator.allocate(arena->allocator.user, sizeof *terms);
    if (terms) {
        lb_start_terms(&terms->terms);
        terms->signal_count = 0;
    }
    return terms;
}

lb_status lb_make_expression(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                             const char *where, const char *key, const char *text,
                             lb_expression **expression)
{
    lb_signal_terms *terms = start_terms(arena);
    if (!terms) {
        return LB_E_MEMORY;
    }
    const source from = {faults, where, key, text};
    int term = parse(terms, scope, &from);
    const lb_status status = flatten_or_complain(arena, terms, &term, &from, expression);
    arena->allocator.release(arena->allocator.user, terms);
    return status;
}

lb_status lb_make_expression_of_time(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                                     const char *where, const char *key, const char *text,
                                     lb_expression *expressions[3])
{
    lb_signal_terms *terms = start_terms(arena);
    if (!terms) {
        return LB_E_MEMORY;
    }
    const source from = {faults, where, key, text};
    int term = parse(terms, scope, &from);
    for (int i = 0; i < terms->signal_count; ++i) {
        if (terms->signals[i].kind != LB_SIGNAL_T) {
            lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                        "motion is a function of t alone, without named signals; what depends "
                        "on the state is for a motor");
            break;
        }
    }
    lb_status status = LB_OK;
    for (int i = 0; status == LB_OK && i < 3; ++i) {
        term = i > 0 ? lb_differentiate(terms, term) : term;
        status = flatten_or_complain(arena, terms, &term, &from, &expressions[i]);
    }
    arena->allocator.release(arena->allocator.user, terms);
    return status;
}
