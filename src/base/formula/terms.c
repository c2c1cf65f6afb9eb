// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "terms.h"

#include <math.h>

static const struct {
    const char *word;
    int operands;
} operations[LB_TERM_COUNT] = {[LB_TERM_NUMBER] = {NULL, 0},
                               [LB_TERM_LEAF] = {NULL, 0},
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

static int append(lb_terms *terms, const lb_formula_term *term)
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
    const lb_formula_term term = {.op = LB_TERM_NUMBER, .number = number};
    return append(terms, &term);
}

int lb_add_leaf(lb_terms *terms, int leaf)
{
    const lb_formula_term term = {.op = LB_TERM_LEAF, .leaf = leaf};
    return append(terms, &term);
}

int lb_add_term(lb_terms *terms, lb_term_op op, int a, int b, int c)
{
    const lb_formula_term term = {.op = op, .operands = {a, b, c}};
    double x[3] = {0};
    bool constant = true;
    for (int i = 0; i < lb_get_operand_count(op); ++i) {
        const lb_formula_term *operand = &terms->terms[term.operands[i]];
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
