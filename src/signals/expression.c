// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms, their values and programs.
#include "expression.h"

#include <math.h>
#include <string.h>

#include "signals.h"

// ---- operations --------------------------------------------------------------------------------

static const struct {
    const char *word;
    int operands;
} operations[LB_TERM_COUNT] = {[LB_TERM_NUMBER] = {NULL, 0},
                               [LB_TERM_SIGNAL] = {NULL, 0},
#define LB_TERM_ROW(NAME, word, operands) [LB_TERM_##NAME] = {word, operands},
                               LB_TERM_LIST(LB_TERM_ROW)
#undef LB_TERM_ROW
};

int lb_get_operand_count(lb_term_op op)
{
    return operations[op].operands;
}

const char *lb_get_function_word(lb_term_op op)
{
    return operations[op].word;
}

// Comparisons and choices would hide a NaN: they hand it on instead.
double lb_apply_term(lb_term_op op, const double *x)
{
    switch (op) {
    case LB_TERM_NEGATE:
        return -x[0];
    case LB_TERM_ADD:
        return x[0] + x[1];
    case LB_TERM_SUBTRACT:
        return x[0] - x[1];
    case LB_TERM_MULTIPLY:
        return x[0] * x[1];
    case LB_TERM_DIVIDE:
        return x[0] / x[1];
    case LB_TERM_POWER:
        return isnan(x[0]) || isnan(x[1]) ? x[0] + x[1] : pow(x[0], x[1]);
    case LB_TERM_LESS:
        return isunordered(x[0], x[1]) ? x[0] + x[1] : x[0] < x[1];
    case LB_TERM_LESS_EQUAL:
        return isunordered(x[0], x[1]) ? x[0] + x[1] : x[0] <= x[1];
    case LB_TERM_SIN:
        return sin(x[0]);
    case LB_TERM_COS:
        return cos(x[0]);
    case LB_TERM_TAN:
        return tan(x[0]);
    case LB_TERM_ASIN:
        return asin(x[0]);
    case LB_TERM_ACOS:
        return acos(x[0]);
    case LB_TERM_ATAN:
        return atan(x[0]);
    case LB_TERM_ATAN2:
        return atan2(x[0], x[1]);
    case LB_TERM_SINH:
        return sinh(x[0]);
    case LB_TERM_COSH:
        return cosh(x[0]);
    case LB_TERM_TANH:
        return tanh(x[0]);
    case LB_TERM_EXP:
        return exp(x[0]);
    case LB_TERM_LOG:
        return log(x[0]);
    case LB_TERM_SQRT:
        return sqrt(x[0]);
    case LB_TERM_HYPOT:
        return isunordered(x[0], x[1]) ? x[0] + x[1] : hypot(x[0], x[1]);
    case LB_TERM_ABS:
        return fabs(x[0]);
    case LB_TERM_SIGN:
        return isnan(x[0]) ? x[0] : (x[0] > 0) - (x[0] < 0);
    case LB_TERM_STEP:
        return isnan(x[0]) ? x[0] : x[0] >= 0;
    case LB_TERM_FLOOR:
        return floor(x[0]);
    case LB_TERM_MOD:
        return x[0] - x[1] * floor(x[0] / x[1]);
    case LB_TERM_MIN:
        return isunordered(x[0], x[1]) ? x[0] + x[1] : x[0] < x[1] ? x[0] : x[1];
    case LB_TERM_MAX:
        return isunordered(x[0], x[1]) ? x[0] + x[1] : x[0] > x[1] ? x[0] : x[1];
    case LB_TERM_CLAMP:
        return isnan(x[0] + x[1] + x[2]) ? x[0] + x[1] + x[2]
               : x[0] < x[1]             ? x[1]
               : x[0] > x[2]             ? x[2]
                                         : x[0];
    case LB_TERM_IF:
        return isnan(x[0]) ? x[0] : x[0] > 0 ? x[1] : x[2];
    default:
        return NAN;
    }
}

// ---- terms -------------------------------------------------------------------------------------

static int append(lb_terms *terms, const lb_term *term)
{
    if (terms->count == LB_MOST_TERMS) {
        terms->full = true;
        return 0;
    }
    terms->terms[terms->count] = *term;
    return terms->count++;
}

int lb_add_number(lb_terms *terms, double number)
{
    const lb_term term = {.op = LB_TERM_NUMBER, .number = number};
    return append(terms, &term);
}

int lb_add_term(lb_terms *terms, lb_term_op op, int a, int b, int c)
{
    const lb_term term = {.op = op, .operands = {a, b, c}};
    double x[3] = {0};
    bool constant = true;
    for (int i = 0; i < lb_get_operand_count(op); ++i) {
        const lb_term *operand = &terms->terms[term.operands[i]];
        constant = constant && operand->op == LB_TERM_NUMBER;
        x[i] = operand->number;
    }
    if (constant) {
        const double value = lb_apply_term(op, x);
        // what is not finite is left for evaluation to find, with its time
        return isfinite(value) ? lb_add_number(terms, value) : append(terms, &term);
    }
    return append(terms, &term);
}

// ---- programs ----------------------------------------------------------------------------------

typedef struct lb_flattening {
    const lb_terms *terms;
    lb_instruction *program; // room for LB_MOST_INSTRUCTIONS
    int count, depth, deepest;
    lb_signal_stage stage;
    bool too_long;
} lb_flattening;

// Operands first, then the operation. Terms are no deeper than the parser and two derivatives allow.
static void flatten_term(lb_flattening *f, int index)
{
    const lb_term *term = &f->terms->terms[index];
    const int operands = lb_get_operand_count(term->op);
    for (int i = 0; i < operands && !f->too_long; ++i) {
        flatten_term(f, term->operands[i]);
    }
    if (f->count == LB_MOST_INSTRUCTIONS) {
        f->too_long = true;
        return;
    }
    f->program[f->count++] =
        (lb_instruction){.op = term->op, .signal = term->signal, .number = term->number};
    f->depth += 1 - operands;
    f->deepest = f->depth > f->deepest ? f->depth : f->deepest;
    if (term->op == LB_TERM_SIGNAL && f->terms->signals[term->signal].stage > f->stage) {
        f->stage = f->terms->signals[term->signal].stage;
    }
}

lb_status lb_flatten(lb_arena *arena, const lb_terms *terms, int term, lb_expression **out)
{
    *out = NULL;
    const lb_allocator *allocator = &arena->allocator;
    lb_flattening f = {.terms = terms, .stage = LB_SIGNAL_TIME};
    f.program = allocator->allocate(allocator->user, LB_MOST_INSTRUCTIONS * sizeof *f.program);
    if (!f.program) {
        return LB_E_MEMORY;
    }
    flatten_term(&f, term);
    lb_status status = LB_E_UNSUPPORTED;
    if (!f.too_long && f.deepest <= LB_MOST_STACKED) {
        lb_expression *e = lb_arena_take(arena, 1, sizeof *e);
        lb_instruction *program = lb_arena_take(arena, (size_t)f.count, sizeof *program);
        lb_signal *signals = lb_arena_take(arena, (size_t)terms->signal_count + 1, sizeof *signals);
        status = e && program && signals ? LB_OK : LB_E_MEMORY;
        if (status == LB_OK) {
            memcpy(program, f.program, (size_t)f.count * sizeof *program);
            memcpy(signals, terms->signals, (size_t)terms->signal_count * sizeof *signals);
            *e = (lb_expression){f.stage, f.count, program, signals, terms->signal_count};
            *out = e;
        }
    }
    allocator->release(allocator->user, f.program);
    return status;
}

lb_signal_stage lb_get_expression_stage(const lb_expression *expression)
{
    return expression->stage;
}

lb_status lb_evaluate_expression(const lb_expression *e, const lb_instant *instant, double *value)
{
    double stack[LB_MOST_STACKED + 1];
    double *top = stack; // the next free place
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *instruction = &e->program[i];
        switch (instruction->op) {
        case LB_TERM_NUMBER:
            *top++ = instruction->number;
            break;
        case LB_TERM_SIGNAL: {
            const lb_status status =
                lb_evaluate_signal(&e->signals[instruction->signal], instant, top);
            if (status != LB_OK) {
                return status;
            }
            ++top;
            break;
        }
        default:
            top -= operations[instruction->op].operands;
            *top = lb_apply_term(instruction->op, top);
            ++top;
            break;
        }
    }
    *value = stack[0];
    return LB_OK;
}

// ---- from text ---------------------------------------------------------------------------------

// Where an expression comes from, for complaints.
typedef struct source {
    lb_faults *faults;
    const char *where, *key, *text;
} source;

// Parses a text. The index of its term; what is wrong is complained of and gives zero.
static int parse(lb_terms *terms, const lb_scope *scope, const source *from)
{
    lb_scan scan = {.text = from->text ? from->text : ""};
    const int term = lb_parse_expression(terms, &scan, scope);
    if (scan.failed) {
        lb_complain(from->faults, LB_SEVERITY_ERROR, from->where, from->key, "%s",
                    scan.error.message);
        return lb_add_number(terms, 0.0);
    }
    return term;
}

// Flattens a term. One that is too long or deep is complained of, and zero put in its place.
static lb_status flatten_or_complain(lb_arena *arena, lb_terms *terms, int *term,
                                     const source *from, lb_expression **expression)
{
    lb_status status = terms->full ? LB_E_UNSUPPORTED : lb_flatten(arena, terms, *term, expression);
    if (status == LB_E_UNSUPPORTED) {
        lb_complain(from->faults, LB_SEVERITY_ERROR, from->where, from->key,
                    "the expression is too long or too deep; name parts of it in \"signals\"");
        terms->full = false;
        terms->count = 0;
        *term = lb_add_number(terms, 0.0);
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

static lb_terms *start_terms(lb_arena *arena)
{
    lb_terms *terms = arena->allocator.allocate(arena->allocator.user, sizeof *terms);
    if (terms) {
        terms->count = terms->signal_count = 0;
        terms->full = false;
    }
    return terms;
}

lb_status lb_make_expression(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                             const char *where, const char *key, const char *text,
                             lb_expression **expression)
{
    lb_terms *terms = start_terms(arena);
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
    lb_terms *terms = start_terms(arena);
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
