// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of expressions. This source is recorded for frozen files too: see freeze/trace.h.
#include <math.h>

#include "signals.h"
#include "switches.h"

// An operation that is held on one side, where the operands may have left it. What is no number stays so.
static double apply_side(lb_term_op op, int side, const double *x)
{
    double sum = x[0];
    for (int i = 1; i < lb_get_operand_count(op) && op != LB_TERM_IF; ++i) {
        sum += x[i];
    }
    if (isnan(sum)) {
        return lb_apply_term(op, x);
    }
    switch (op) {
    case LB_TERM_ABS:
        return side < 0 ? -x[0] : x[0];
    case LB_TERM_MIN:
    case LB_TERM_MAX:
        return side ? x[0] : x[1];
    case LB_TERM_CLAMP:
        return side < 0 ? x[1] : side > 0 ? x[2] : x[0];
    case LB_TERM_IF:
        return side ? x[1] : x[2];
    case LB_TERM_MOD:
        return x[0] - x[1] * side;
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
    case LB_TERM_SIGN:
    case LB_TERM_STEP:
    case LB_TERM_FLOOR:
        return side;
    case LB_TERM_ATAN2: {
        const double angle = lb_apply_term(op, x), turn = 6.283185307179586;
        return side * angle < 0.0 && x[1] < 0.0 ? angle + side * turn : angle;
    }
    default:
        return lb_apply_term(op, x);
    }
}

// One instruction, which takes its operands from the top of a stack and leaves its value there.
static lb_status execute(const lb_expression *e, const lb_instruction *instruction,
                         const lb_instant *instant, double **top)
{
    if (instruction->op == LB_TERM_NUMBER) {
        *(*top)++ = instruction->number;
        return LB_OK;
    }
    if (instruction->op == LB_TERM_LEAF) {
        return lb_evaluate_signal(&e->signals[instruction->signal], instant, (*top)++);
    }
    const int side = instruction->side ? *instruction->side : LB_SIDE_FREE;
    double *x = *top -= lb_get_operand_count(instruction->op);
    *(*top)++ = side == LB_SIDE_FREE ? lb_apply_term(instruction->op, x)
                                     : apply_side(instruction->op, side, x);
    return LB_OK;
}

lb_status lb_evaluate_expression(const lb_expression *e, const lb_instant *instant, double *value)
{
    double stack[LB_MOST_STACKED + 1];
    double *top = stack; // the next free place
    for (int i = 0; i < e->count; ++i) {
        const lb_status status = execute(e, &e->program[i], instant, &top);
        if (status != LB_OK) {
            return status;
        }
    }
    *value = stack[0];
    return LB_OK;
}

lb_status lb_evaluate_operands(const lb_expression *e, const lb_switch *s,
                               const lb_instant *instant, double x[3])
{
    double stack[LB_MOST_STACKED + 1];
    double *top = stack;
    for (int i = s->start; i < s->at; ++i) {
        const lb_status status = execute(e, &e->program[i], instant, &top);
        if (status != LB_OK) {
            return status;
        }
    }
    for (int i = 0; i < lb_get_operand_count(e->program[s->at].op); ++i) {
        x[i] = stack[i];
    }
    return LB_OK;
}
