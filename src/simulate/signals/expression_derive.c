// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of expressions by t.
#include "expression.h"

static int number(lb_terms *terms, double value)
{
    return lb_add_number(terms, value);
}

static bool is(const lb_terms *terms, int term, double value)
{
    return terms->terms[term].op == LB_TERM_NUMBER && terms->terms[term].number == value;
}

// Zeros and ones are everywhere in derivatives: they are left out.

static int unary(lb_terms *terms, lb_term_op op, int a)
{
    return lb_add_term(terms, op, a, 0, 0);
}

static int add(lb_terms *terms, int a, int b)
{
    return is(terms, a, 0) ? b : is(terms, b, 0) ? a : lb_add_term(terms, LB_TERM_ADD, a, b, 0);
}

static int subtract(lb_terms *terms, int a, int b)
{
    return is(terms, b, 0) ? a : lb_add_term(terms, LB_TERM_SUBTRACT, a, b, 0);
}

static int multiply(lb_terms *terms, int a, int b)
{
    if (is(terms, a, 0) || is(terms, b, 1)) {
        return a;
    }
    return is(terms, b, 0) || is(terms, a, 1) ? b : lb_add_term(terms, LB_TERM_MULTIPLY, a, b, 0);
}

static int divide(lb_terms *terms, int a, int b)
{
    return is(terms, a, 0) || is(terms, b, 1) ? a : lb_add_term(terms, LB_TERM_DIVIDE, a, b, 0);
}

static int power(lb_terms *terms, int a, double n)
{
    return n == 0   ? number(terms, 1.0)
           : n == 1 ? a
                    : lb_add_term(terms, LB_TERM_POWER, a, number(terms, n), 0);
}

static int square(lb_terms *terms, int a)
{
    return multiply(terms, a, a);
}

// d(u^w): w u^(w-1) u' for a constant w, else u^w (w' log u + w u'/u)
static int differentiate_power(lb_terms *terms, int term, int u, int w, int du, int dw)
{
    if (terms->terms[w].op == LB_TERM_NUMBER) {
        const double n = terms->terms[w].number;
        return multiply(terms, multiply(terms, number(terms, n), power(terms, u, n - 1.0)), du);
    }
    const int log_part = multiply(terms, dw, unary(terms, LB_TERM_LOG, u));
    const int base_part = divide(terms, multiply(terms, w, du), u);
    return multiply(terms, term, add(terms, log_part, base_part));
}

// Functions of one operand: f'(u), for u' to be multiplied by.
static int differentiate_function(lb_terms *terms, lb_term_op op, int term, int u)
{
    const int one = number(terms, 1.0);
    switch (op) {
    case LB_TERM_SIN:
        return unary(terms, LB_TERM_COS, u);
    case LB_TERM_COS:
        return unary(terms, LB_TERM_NEGATE, unary(terms, LB_TERM_SIN, u));
    case LB_TERM_TAN:
        return add(terms, one, square(terms, term));
    case LB_TERM_ASIN:
        return divide(terms, one,
                      unary(terms, LB_TERM_SQRT, subtract(terms, one, square(terms, u))));
    case LB_TERM_ACOS:
        return divide(terms, number(terms, -1.0),
                      unary(terms, LB_TERM_SQRT, subtract(terms, one, square(terms, u))));
    case LB_TERM_ATAN:
        return divide(terms, one, add(terms, one, square(terms, u)));
    case LB_TERM_SINH:
        return unary(terms, LB_TERM_COSH, u);
    case LB_TERM_COSH:
        return unary(terms, LB_TERM_SINH, u);
    case LB_TERM_TANH:
        return subtract(terms, one, square(terms, term));
    case LB_TERM_EXP:
        return term;
    case LB_TERM_LOG:
        return divide(terms, one, u);
    case LB_TERM_SQRT:
        return divide(terms, number(terms, 0.5), term);
    case LB_TERM_ABS:
        return unary(terms, LB_TERM_SIGN, u);
    default:
        // sign, step, floor: zero but where they jump
        return number(terms, 0.0);
    }
}

static int choose(lb_terms *terms, int condition, int then, int otherwise)
{
    const bool same = terms->terms[then].op == LB_TERM_NUMBER &&
                      terms->terms[otherwise].op == LB_TERM_NUMBER &&
                      terms->terms[then].number == terms->terms[otherwise].number;
    return same ? then : lb_add_term(terms, LB_TERM_IF, condition, then, otherwise);
}

int lb_differentiate(lb_signal_terms *own, int index)
{
    lb_terms *terms = &own->terms;
    if (terms->full) {
        return 0;
    }
    const lb_formula_term term = terms->terms[index];
    if (term.op == LB_TERM_NUMBER) {
        return number(terms, 0.0);
    }
    if (term.op == LB_TERM_LEAF) {
        return number(terms, own->signals[term.leaf].stage == LB_SIGNAL_TIME ? 1.0 : 0.0);
    }
    int u[3], d[3];
    for (int i = 0; i < lb_get_operand_count(term.op); ++i) {
        u[i] = term.operands[i];
        d[i] = lb_differentiate(own, u[i]);
    }
    switch (term.op) {
    case LB_TERM_NEGATE:
        return unary(terms, LB_TERM_NEGATE, d[0]);
    case LB_TERM_ADD:
        return add(terms, d[0], d[1]);
    case LB_TERM_SUBTRACT:
        return subtract(terms, d[0], d[1]);
    case LB_TERM_MULTIPLY:
        return add(terms, multiply(terms, d[0], u[1]), multiply(terms, u[0], d[1]));
    case LB_TERM_DIVIDE:
        // (u' - (u/w) w') / w
        return divide(terms, subtract(terms, d[0], multiply(terms, index, d[1])), u[1]);
    case LB_TERM_POWER:
        return differentiate_power(terms, index, u[0], u[1], d[0], d[1]);
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
        return number(terms, 0.0);
    case LB_TERM_ATAN2: {
        // d atan2(y, x) = (x y' - y x') / (x^2 + y^2)
        const int top = subtract(terms, multiply(terms, u[1], d[0]), multiply(terms, u[0], d[1]));
        return divide(terms, top, add(terms, square(terms, u[0]), square(terms, u[1])));
    }
    case LB_TERM_HYPOT:
        return divide(terms, add(terms, multiply(terms, u[0], d[0]), multiply(terms, u[1], d[1])),
                      index);
    case LB_TERM_MOD: {
        // x - y floor(x/y)
        const int whole = unary(terms, LB_TERM_FLOOR, divide(terms, u[0], u[1]));
        return subtract(terms, d[0], multiply(terms, d[1], whole));
    }
    case LB_TERM_MIN:
        return choose(terms, lb_add_term(terms, LB_TERM_LESS, u[0], u[1], 0), d[0], d[1]);
    case LB_TERM_MAX:
        return choose(terms, lb_add_term(terms, LB_TERM_LESS, u[1], u[0], 0), d[0], d[1]);
    case LB_TERM_CLAMP: {
        const int high = choose(terms, lb_add_term(terms, LB_TERM_LESS, u[2], u[0], 0), d[2], d[0]);
        return choose(terms, lb_add_term(terms, LB_TERM_LESS, u[0], u[1], 0), d[1], high);
    }
    case LB_TERM_IF:
        return choose(terms, u[0], d[1], d[2]);
    default:
        return multiply(terms, differentiate_function(terms, term.op, index, u[0]), d[0]);
    }
}
