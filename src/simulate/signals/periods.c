// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How functions depend on time: whether they do, and after what time they repeat themselves.        (FLQ-5)
#include <math.h>

#include "functions.h"
#include "slopes.h"

static const double two_pi = 6.283185307179586;

// A number on the stack: slope t + value, or something else.
typedef struct slot {
    bool is_linear;
    double slope, value;
} slot;

static bool is_constant(const slot *x)
{
    return x->is_linear && x->slope == 0.0;
}

// Sums and multiples of linear functions of t; their sines and remainders repeat themselves.
static slot apply(lb_term_op op, int count, const slot *x, lb_note_period note, void *user)
{
    double values[3] = {0};
    bool constant = true;
    for (int i = 0; i < count; ++i) {
        constant = constant && is_constant(&x[i]);
        values[i] = x[i].value;
    }
    if (constant) {
        return (slot){true, 0.0, lb_apply_term(op, values)};
    }
    const bool both = x[0].is_linear && (count < 2 || x[1].is_linear);
    switch (op) {
    case LB_TERM_NEGATE:
        return (slot){both, -x[0].slope, -x[0].value};
    case LB_TERM_ADD:
        return (slot){both, x[0].slope + x[1].slope, x[0].value + x[1].value};
    case LB_TERM_SUBTRACT:
        return (slot){both, x[0].slope - x[1].slope, x[0].value - x[1].value};
    case LB_TERM_MULTIPLY: {
        const bool first = is_constant(&x[0]), one = first || is_constant(&x[1]);
        const double factor = x[first ? 0 : 1].value;
        const slot *of = &x[first ? 1 : 0];
        return (slot){both && one, factor * of->slope, factor * of->value};
    }
    case LB_TERM_DIVIDE:
        return (slot){both && is_constant(&x[1]), x[0].slope / x[1].value, x[0].value / x[1].value};
    case LB_TERM_SIN:
    case LB_TERM_COS:
    case LB_TERM_TAN:
        if (both) {
            note(user, two_pi / fabs(x[0].slope));
        }
        return (slot){false, 0.0, 0.0};
    case LB_TERM_MOD:
        if (both && is_constant(&x[1])) {
            note(user, fabs(x[1].value / x[0].slope));
        }
        return (slot){false, 0.0, 0.0};
    default:
        return (slot){false, 0.0, 0.0};
    }
}

// Lists the periods in an expression, those of named signals in it included; what it is itself.
static slot list_expression(const lb_expression *e, lb_note_period note, void *user)
{
    slot stack[LB_MOST_STACKED];
    int top = 0;
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *at = &e->program[i];
        slot next = {true, 0.0, at->number};
        if (at->op == LB_TERM_LEAF) {
            const lb_signal *signal = &e->signals[at->signal];
            const lb_expression *named = lb_get_signal_expression(signal);
            const bool is_time = signal->kind == LB_SIGNAL_T;
            next = named ? list_expression(named, note, user) : (slot){is_time, is_time, 0.0};
        } else if (at->op != LB_TERM_NUMBER) {
            const int count = lb_get_operand_count(at->op);
            top -= count;
            next = apply(at->op, count, stack + top, note, user);
        }
        stack[top++] = next;
    }
    return stack[0];
}

void lb_list_periods(const lb_function *f, lb_note_period note, void *user)
{
    if (f->type == LB_FUNCTION_SINE && f->omega != 0.0) {
        note(user, two_pi / fabs(f->omega));
    } else if (f->type == LB_FUNCTION_PULSE && f->period > 0.0) {
        note(user, f->period);
    } else if (f->type == LB_FUNCTION_EXPRESSION && f->expressions[0]) {
        (void)list_expression(f->expressions[0], note, user);
    }
}

static bool reads_time(const lb_expression *e)
{
    bool reads = false;
    for (int i = 0; i < e->signal_count && !reads; ++i) {
        const lb_expression *named = lb_get_signal_expression(&e->signals[i]);
        // what a function of the caller reads is not known
        reads = named ? reads_time(named)
                      : e->signals[i].kind == LB_SIGNAL_T || e->signals[i].kind == LB_SIGNAL_NAMED;
    }
    return reads;
}

bool lb_varies_in_time(const lb_function *f)
{
    return f->type == LB_FUNCTION_EXPRESSION ? f->expressions[0] && reads_time(f->expressions[0])
                                             : f->type != LB_FUNCTION_CONSTANT;
}
