// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Partial derivatives of expressions by the signals that they mention.
#include <math.h>

#include "slopes.h"

// Functions of one operand.
static double get_function_slope(lb_term_op op, double x, double value)
{
    switch (op) {
    case LB_TERM_NEGATE:
        return -1.0;
    case LB_TERM_SIN:
        return cos(x);
    case LB_TERM_COS:
        return -sin(x);
    case LB_TERM_TAN:
        return 1.0 + value * value;
    case LB_TERM_ASIN:
        return 1.0 / sqrt((1.0 - x) * (1.0 + x));
    case LB_TERM_ACOS:
        return -1.0 / sqrt((1.0 - x) * (1.0 + x));
    case LB_TERM_ATAN:
        return 1.0 / (1.0 + x * x);
    case LB_TERM_SINH:
        return cosh(x);
    case LB_TERM_COSH:
        return sinh(x);
    case LB_TERM_TANH:
        // not 1 - tanh^2, of which nothing is left where tanh is nearly 1
        return 1.0 / cosh(x) / cosh(x);
    case LB_TERM_EXP:
        return value;
    case LB_TERM_LOG:
        return 1.0 / x;
    case LB_TERM_SQRT:
        return 0.5 / value;
    case LB_TERM_ABS:
        return (x > 0) - (x < 0);
    default: // sign, step, floor
        return 0.0;
    }
}

void lb_get_term_slopes(lb_term_op op, const double *x, double value, double slopes[3])
{
    double d[3] = {0};
    switch (op) {
    case LB_TERM_ADD:
        d[0] = d[1] = 1.0;
        break;
    case LB_TERM_SUBTRACT:
        d[0] = 1.0;
        d[1] = -1.0;
        break;
    case LB_TERM_MULTIPLY:
        d[0] = x[1];
        d[1] = x[0];
        break;
    case LB_TERM_DIVIDE:
        d[0] = 1.0 / x[1];
        d[1] = -value / x[1];
        break;
    case LB_TERM_POWER:
        d[0] = x[1] == 0 ? 0.0 : x[1] * pow(x[0], x[1] - 1.0);
        d[1] = x[0] > 0 ? value * log(x[0]) : 0.0;
        break;
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
        break;
    case LB_TERM_ATAN2: {
        const double r = hypot(x[0], x[1]);
        d[0] = x[1] / r / r;
        d[1] = -x[0] / r / r;
        break;
    }
    case LB_TERM_HYPOT:
        d[0] = x[0] / value;
        d[1] = x[1] / value;
        break;
    case LB_TERM_MOD:
        d[0] = 1.0;
        d[1] = -floor(x[0] / x[1]);
        break;
    case LB_TERM_MIN:
        d[x[0] < x[1] ? 0 : 1] = 1.0;
        break;
    case LB_TERM_MAX:
        d[x[0] > x[1] ? 0 : 1] = 1.0;
        break;
    case LB_TERM_CLAMP:
        d[x[0] < x[1] ? 1 : x[0] > x[2] ? 2 : 0] = 1.0;
        break;
    case LB_TERM_IF:
        d[x[0] > 0 ? 1 : 2] = 1.0;
        break;
    default:
        d[0] = get_function_slope(op, x[0], value);
        break;
    }
    for (int i = 0; i < lb_get_operand_count(op); ++i) {
        slopes[i] = isfinite(d[i]) ? d[i] : 0.0;
    }
}

// The signals that an operand mentions stand one after the other, and behind them those of the next operand:
// each mention needs one number, which every operation above it multiplies by its own slope.
lb_status lb_evaluate_expression_slopes(const lb_expression *e, const lb_instant *instant,
                                        double *value, double *slopes, int *mentions, int *count)
{
    double stack[LB_MOST_STACKED + 1];
    int firsts[LB_MOST_STACKED + 2]; // the first mention of each operand
    int depth = 0, mentioned = 0;
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *instruction = &e->program[i];
        const int operands = lb_get_operand_count(instruction->op);
        if (instruction->op == LB_TERM_NUMBER) {
            firsts[depth] = mentioned;
            stack[depth++] = instruction->number;
            continue;
        }
        if (instruction->op == LB_TERM_LEAF) {
            const lb_status status =
                lb_evaluate_signal(&e->signals[instruction->signal], instant, &stack[depth]);
            if (status != LB_OK || mentioned == LB_MOST_SIGNALS) {
                return status != LB_OK ? status : LB_E_UNSUPPORTED;
            }
            firsts[depth++] = mentioned;
            mentions[mentioned] = instruction->signal;
            slopes[mentioned++] = 1.0;
            continue;
        }
        depth -= operands;
        const double result = lb_apply_term(instruction->op, stack + depth);
        double d[3] = {0};
        lb_get_term_slopes(instruction->op, stack + depth, result, d);
        for (int k = 0; k < operands; ++k) {
            const int end = k + 1 < operands ? firsts[depth + k + 1] : mentioned;
            for (int m = firsts[depth + k]; m < end; ++m) {
                slopes[m] *= d[k];
            }
        }
        stack[depth++] = result;
    }
    for (int m = 0; m < mentioned; ++m) {
        slopes[m] = isfinite(slopes[m]) ? slopes[m] : 0.0;
    }
    *value = stack[0];
    *count = mentioned;
    return LB_OK;
}
