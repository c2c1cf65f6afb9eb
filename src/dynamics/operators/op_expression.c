// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions: which sizes fit, and products with vectors.
#include <stdio.h>

#include "model/numbers.h"
#include "op_expression.h"
#include "op_parts.h"

// ---- spaces ------------------------------------------------------------------------------------

static const char *name_space(int space)
{
    static const char *const names[LB_OP_SPACE_COUNT] = {"body", "hinge", "node",
                                                         "loop", "block", "one"};
    return names[space];
}

// How a term looks in a message.
static const char *describe(const lb_op_term *t, char text[32])
{
    if (t->kind == LB_OP_TERM_OPERATOR) {
        static const char *const powers[] = {"", "^-1", "^1/2", "^-1/2"};
        const int power = (t->how & LB_OP_INVERTED ? 1 : 0) + (t->how & LB_OP_SQUARE_ROOT ? 2 : 0);
        snprintf(text, 32, "%s%s%s", lb_op_get_name((lb_op)t->op), powers[power],
                 t->how & LB_OP_TRANSPOSED ? "*" : "");
        return text;
    }
    return t->kind == LB_OP_TERM_NUMBER ? "the identity" : "the expression";
}

// A term of open size becomes square of this space, and so does all that is in it.
static void settle(lb_op_expression *e, int term, int space)
{
    lb_op_term *t = &e->terms[term];
    t->rows = t->columns = space;
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        settle(e, i, space);
    }
}

static void check(lb_op_expression *e, int term, lb_op_mistake *mistake);

static void check_product(lb_op_expression *e, lb_op_term *t, lb_op_mistake *mistake)
{
    // from right to left: what comes out of one factor goes into the next
    const lb_op_term *right = NULL;
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        const lb_op_term *factor = &e->terms[i];
        if (factor->rows == LB_OP_SPACE_OPEN) {
            continue;
        }
        if (!right) {
            t->columns = factor->columns;
        } else if (factor->columns != right->rows) {
            char one[32], other[32];
            lb_op_set_mistake(mistake, LB_E_ARGUMENT, right->column,
                              "%s gives a vector of the %s space, expected the %s space, which %s "
                              "at column %d takes",
                              describe(right, one), name_space(right->rows),
                              name_space(factor->columns), describe(factor, other), factor->column);
        }
        t->rows = factor->rows;
        right = factor;
    }
    // identities take the size of their place
    int space = t->columns;
    for (int i = t->first; i >= 0 && space != LB_OP_SPACE_OPEN; i = e->terms[i].next) {
        if (e->terms[i].rows == LB_OP_SPACE_OPEN) {
            settle(e, i, space);
        }
        space = e->terms[i].rows;
    }
}

static void check_sum(lb_op_expression *e, lb_op_term *t, lb_op_mistake *mistake)
{
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        const lb_op_term *summand = &e->terms[i];
        if (summand->rows == LB_OP_SPACE_OPEN) {
            continue;
        }
        if (t->rows == LB_OP_SPACE_OPEN) {
            t->rows = summand->rows;
            t->columns = summand->columns;
        } else if (summand->rows != t->rows || summand->columns != t->columns) {
            char text[32];
            lb_op_set_mistake(mistake, LB_E_ARGUMENT, summand->column,
                              "%s is %s x %s, expected %s x %s like the terms before it",
                              describe(summand, text), name_space(summand->rows),
                              name_space(summand->columns), name_space(t->rows),
                              name_space(t->columns));
        }
    }
    for (int i = t->first; i >= 0 && t->rows != LB_OP_SPACE_OPEN; i = e->terms[i].next) {
        if (e->terms[i].rows != LB_OP_SPACE_OPEN) {
            continue;
        }
        if (t->rows != t->columns) {
            lb_op_set_mistake(mistake, LB_E_ARGUMENT, e->terms[i].column,
                              "the identity is square, expected %s x %s like the other terms",
                              name_space(t->rows), name_space(t->columns));
        }
        settle(e, i, t->rows);
    }
}

// Matrices as large as the model are not formed.
static void check_inverse(const lb_op_expression *e, lb_op_term *t, lb_op_mistake *mistake)
{
    const lb_op_term *of = &e->terms[t->first];
    t->rows = of->columns;
    t->columns = of->rows;
    if (of->rows != of->columns) {
        lb_op_set_mistake(mistake, LB_E_ARGUMENT, of->column,
                          "found the inverse of what is %s x %s, expected it square",
                          name_space(of->rows), name_space(of->columns));
    } else if (of->rows != LB_OP_SPACE_NODE && of->rows != LB_OP_SPACE_LOOP) {
        char text[32];
        lb_op_set_mistake(
            mistake, LB_E_UNSUPPORTED, of->column,
            "found the inverse of %s, expected one of D, Phi, Psi, S, Psi_A, products of "
            "these, what the lemmas invert, such as I + H Phi K and H Phi M Phi* H*, or "
            "what is square on nodes or loops, such as Lambda",
            of->kind == LB_OP_TERM_SUM ? "a sum" : describe(of, text));
    }
}

static void check(lb_op_expression *e, int term, lb_op_mistake *mistake)
{
    lb_op_term *t = &e->terms[term];
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        check(e, i, mistake);
    }
    t->rows = t->columns = LB_OP_SPACE_OPEN;
    switch (t->kind) {
    case LB_OP_TERM_OPERATOR:
        t->rows = lb_op_get_rows(t->op, t->how);
        t->columns = lb_op_get_columns(t->op, t->how);
        break;
    case LB_OP_TERM_PRODUCT:
        check_product(e, t, mistake);
        break;
    case LB_OP_TERM_SUM:
        check_sum(e, t, mistake);
        break;
    case LB_OP_TERM_INVERSE:
        check_inverse(e, t, mistake);
        break;
    default:
        break;
    }
}

void lb_op_check_spaces(lb_op_expression *e, lb_op_mistake *mistake)
{
    check(e, e->root, mistake);
    const lb_op_term *root = &e->terms[e->root];
    if (root->rows == LB_OP_SPACE_OPEN) {
        lb_op_set_mistake(mistake, LB_E_ARGUMENT, root->column,
                          "found identities only, expected an operator that says their size");
    }
    e->rows = root->rows;
    e->columns = root->columns;
}

// ---- products with vectors ---------------------------------------------------------------------

typedef struct evaluation {
    const lb_model *model;
    lb_op_work *operators;
    const lb_op_expression *e;
    double *inverses, *scratch;
} evaluation;

// Numbers of the factors of a matrix that is inverted: n x n, and n row exchanges.
static size_t count_factors(const lb_op_work *operators, const lb_op_term *t)
{
    const size_t n = (size_t)operators->sizes[t->rows];
    return t->kind == LB_OP_TERM_INVERSE ? n * n + n : 0;
}

// Where those of a term are.
static double *find_factors(const evaluation *v, int term)
{
    double *at = v->inverses;
    for (int i = 0; i < term; ++i) {
        at += count_factors(v->operators, &v->e->terms[i]);
    }
    return at;
}

static lb_status apply(const evaluation *v, int term, double *scratch, const double *x, double *y);

static void solve(const evaluation *v, int term, const double *x, double *y)
{
    const int n = v->operators->sizes[v->e->terms[term].rows];
    const double *factors = find_factors(v, term);
    memcpy(y, x, (size_t)n * sizeof *y);
    lb_solve_lu(n, factors, (const int *)(const void *)(factors + (ptrdiff_t)n * n), y);
}

static lb_status add_terms(const evaluation *v, const lb_op_term *t, double *scratch,
                           const double *x, double *y)
{
    const lb_op_term *terms = v->e->terms;
    const int rows = lb_op_get_length(v->operators, t->rows);
    lb_status status = LB_OK;
    memset(y, 0, (size_t)rows * sizeof(double));
    for (int i = t->first; i >= 0 && status >= LB_OK; i = terms[i].next) {
        status = apply(v, i, scratch + v->operators->longest, x, scratch);
        lb_add_scaled(rows, 1.0, scratch, y);
    }
    return status;
}

// y = term x. Each level of the tree uses at most two vectors of the scratch and hands on the rest.
static lb_status apply(const evaluation *v, int term, double *scratch, const double *x, double *y)
{
    const lb_op_term *terms = v->e->terms, *t = &terms[term];
    const int rows = lb_op_get_length(v->operators, t->rows), longest = v->operators->longest;
    lb_status status = LB_OK;
    switch (t->kind) {
    case LB_OP_TERM_OPERATOR:
        status = lb_op_apply(v->model, v->operators, (lb_op)t->op, t->how, x, y);
        break;
    case LB_OP_TERM_NUMBER:
        memcpy(y, x, (size_t)rows * sizeof(double));
        break;
    case LB_OP_TERM_SUM:
        status = add_terms(v, t, scratch, x, y);
        break;
    case LB_OP_TERM_INVERSE:
        solve(v, term, x, y);
        break;
    default:
        // from factor to factor, to and fro between the two vectors
        for (int i = t->first, turn = 0; i >= 0 && status >= LB_OK; i = terms[i].next, turn ^= 1) {
            double *out = terms[i].next >= 0 ? scratch + (turn ? longest : 0) : y;
            status = apply(v, i, scratch + 2 * (ptrdiff_t)longest, x, out);
            x = out;
        }
        break;
    }
    for (int r = 0; r < rows && t->scale != 1.0; ++r) {
        y[r] *= t->scale;
    }
    return status;
}

typedef struct operand {
    const evaluation *v;
    int term;
} operand;

static lb_status apply_operand(void *user, const double *x, double *y)
{
    const operand *o = user;
    return apply(o->v, o->term, o->v->scratch, x, y);
}

// Factors of all matrices that are inverted, inner ones first.
static lb_status factor(const evaluation *v, int term)
{
    const lb_op_term *t = &v->e->terms[term];
    lb_status status = LB_OK;
    for (int i = t->first; i >= 0 && status >= LB_OK; i = v->e->terms[i].next) {
        status = factor(v, i);
    }
    if (t->kind != LB_OP_TERM_INVERSE || status < LB_OK) {
        return status;
    }
    const int n = v->operators->sizes[t->rows];
    double *factors = find_factors(v, term);
    operand own = {v, t->first};
    status = lb_op_form_by_columns(v->operators, n, n, apply_operand, &own, factors);
    const double largest = lb_find_largest((ptrdiff_t)n * n, factors);
    if (status >= LB_OK && !lb_factor_lu(n, factors, (int *)(void *)(factors + (ptrdiff_t)n * n))) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < n && status >= LB_OK; ++i) {
        // round-off in place of a zero
        status = fabs(factors[(ptrdiff_t)i * (n + 1)]) > 1e-13 * largest ? status : LB_E_SINGULAR;
    }
    return status;
}

static int count_vectors(const lb_op_expression *e, int term)
{
    const lb_op_term *t = &e->terms[term];
    int most = 0;
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        const int count = count_vectors(e, i);
        most = count > most ? count : most;
    }
    return t->kind == LB_OP_TERM_PRODUCT   ? most + 2
           : t->kind == LB_OP_TERM_SUM     ? most + 1
           : t->kind == LB_OP_TERM_INVERSE ? most
                                           : 0;
}

lb_op_spaces lb_op_get_spaces(const lb_op_expression *expression)
{
    return (lb_op_spaces){(lb_op_space)expression->rows, (lb_op_space)expression->columns};
}

static size_t count_all_factors(const lb_op_work *operators, const lb_op_expression *e)
{
    size_t count = 0;
    for (int i = 0; i < e->term_count; ++i) {
        count += count_factors(operators, &e->terms[i]);
    }
    return count;
}

size_t lb_op_get_scratch_count(const lb_op_work *operators, const lb_op_expression *expression)
{
    return count_all_factors(operators, expression) +
           (size_t)count_vectors(expression, expression->root) * (size_t)operators->longest;
}

// What an expression needs before it is applied.
static lb_status prepare(const lb_model *model, lb_op_work *operators, const lb_op_expression *e,
                         double *scratch, evaluation *v)
{
    *v = (evaluation){model, operators, e, scratch, scratch + count_all_factors(operators, e)};
    return factor(v, e->root);
}

// Factors such as 1e308 may overflow on the way.
static lb_status apply_finite(const evaluation *v, const double *x, double *y)
{
    const lb_status status = apply(v, v->e->root, v->scratch, x, y);
    if (status != LB_OK) {
        return status;
    }
    return lb_are_finite(lb_op_get_length(v->operators, v->e->rows), y) ? LB_OK : LB_E_NUMBER;
}

lb_status lb_op_apply_expression(const lb_model *model, lb_op_work *operators,
                                 const lb_op_expression *expression, double *scratch,
                                 const double *x, double *y)
{
    evaluation v;
    if (!lb_are_finite(lb_op_get_length(operators, expression->columns), x)) {
        return LB_E_NUMBER;
    }
    const lb_status status = prepare(model, operators, expression, scratch, &v);
    return status < 0 ? status : apply_finite(&v, x, y);
}

static lb_status apply_root(void *user, const double *x, double *y)
{
    return apply_finite(user, x, y);
}

lb_status lb_op_form_expression(const lb_model *model, lb_op_work *operators,
                                const lb_op_expression *expression, double *scratch, double *A)
{
    evaluation v;
    const lb_status status = prepare(model, operators, expression, scratch, &v);
    return status < 0
               ? status
               : lb_op_form_by_columns(operators, lb_op_get_length(operators, expression->rows),
                                       lb_op_get_length(operators, expression->columns), apply_root,
                                       &v, A);
}
