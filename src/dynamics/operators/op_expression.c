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
    return space == LB_OP_SPACE_HINGE ? "hinge" : "body";
}

// How a term looks in a message.
static const char *describe(const lb_op_term *t, char text[32])
{
    if (t->kind == LB_OP_TERM_OPERATOR) {
        snprintf(text, 32, "%s%s%s", lb_op_get_name((lb_op)t->op),
                 t->how & LB_OP_INVERTED ? "^-1" : "", t->how & LB_OP_TRANSPOSED ? "*" : "");
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
    double *scratch;
} evaluation;

// y = term x. Each level of the tree uses at most two vectors of the scratch and hands on the rest.
static lb_status apply(const evaluation *v, int term, double *scratch, const double *x, double *y)
{
    const lb_op_term *terms = v->e->terms, *t = &terms[term];
    const int rows = lb_op_get_length(v->operators, t->rows), longest = v->operators->body_size;
    lb_status status = LB_OK;
    switch (t->kind) {
    case LB_OP_TERM_OPERATOR:
        status = lb_op_apply(v->model, v->operators, (lb_op)t->op, t->how, x, y);
        break;
    case LB_OP_TERM_NUMBER:
        memcpy(y, x, (size_t)rows * sizeof(double));
        break;
    case LB_OP_TERM_SUM:
        memset(y, 0, (size_t)rows * sizeof(double));
        for (int i = t->first; i >= 0 && status >= LB_OK; i = terms[i].next) {
            status = apply(v, i, scratch + longest, x, scratch);
            for (int r = 0; r < rows; ++r) {
                y[r] += scratch[r];
            }
        }
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

static int count_vectors(const lb_op_expression *e, int term)
{
    const lb_op_term *t = &e->terms[term];
    int most = 0;
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        const int count = count_vectors(e, i);
        most = count > most ? count : most;
    }
    return t->kind == LB_OP_TERM_PRODUCT ? most + 2 : t->kind == LB_OP_TERM_SUM ? most + 1 : 0;
}

lb_op_space lb_op_get_expression_row_space(const lb_op_expression *expression)
{
    return (lb_op_space)expression->rows;
}

lb_op_space lb_op_get_expression_column_space(const lb_op_expression *expression)
{
    return (lb_op_space)expression->columns;
}

size_t lb_op_get_scratch_count(const lb_model *model, const lb_op_expression *expression)
{
    return (size_t)count_vectors(expression, expression->root) *
           (size_t)lb_op_get_size(model, LB_OP_SPACE_BODY);
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
    const evaluation v = {model, operators, expression, scratch};
    if (!lb_are_finite(lb_op_get_length(operators, expression->columns), x)) {
        return LB_E_NUMBER;
    }
    return apply_finite(&v, x, y);
}

static lb_status apply_root(void *user, const double *x, double *y)
{
    return apply_finite(user, x, y);
}

lb_status lb_op_form_expression(const lb_model *model, lb_op_work *operators,
                                const lb_op_expression *expression, double *scratch, double *A)
{
    evaluation v = {model, operators, expression, scratch};
    return lb_op_form_by_columns(operators, lb_op_get_length(operators, expression->rows),
                                 lb_op_get_length(operators, expression->columns), apply_root, &v,
                                 A);
}
