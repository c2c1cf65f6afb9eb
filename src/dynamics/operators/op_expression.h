// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How an expression is stored: a tree of terms. The operands of a product are listed in the order
// in which they are applied, the rightmost first, so that a transpose reverses the list.
#ifndef LB_OP_EXPRESSION_H
#define LB_OP_EXPRESSION_H

#include "blocks.h"

enum {
    LB_OP_TERM_MAX = 96, ///< operators, numbers, sums and products in one expression
    LB_OP_DEPTH_MAX = 16 ///< parentheses inside one another
};

/// One operand, product or sum of an expression.
typedef struct lb_op_term {
    int kind;     ///< LB_OP_TERM_OPERATOR, ...
    int op, how;  ///< of an operator
    double scale; ///< a number; the sign of a term
    int first;    ///< operand that is applied first, or -1
    int next;     ///< the operand after this one, or -1
    int rows, columns;
    int column; ///< where it starts in the text
} lb_op_term;

struct lb_op_expression {
    int rows, columns; ///< lb_op_space
    int root, term_count;
    lb_op_term terms[LB_OP_TERM_MAX];
};

/// lb_op_term.kind
enum {
    LB_OP_TERM_OPERATOR, ///< op and how
    LB_OP_TERM_NUMBER,   ///< `scale` times the identity
    LB_OP_TERM_PRODUCT,
    LB_OP_TERM_SUM,
    LB_OP_TERM_INVERSE ///< of its one operand, by factors of the matrix
};

/// In place of an lb_op_space: not known. Only square terms are, and only until the end of parsing.
enum { LB_OP_SPACE_OPEN = -1 };

/// A mistake in an expression: where, and what about it.
typedef struct lb_op_mistake {
    lb_status status; ///< LB_OK for none
    int column;
    char text[320];
} lb_op_mistake;

/// The first mistake is kept, later ones are dropped.
void lb_op_set_mistake(lb_op_mistake *mistake, lb_status status, int column, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/// What the lemmas of the theory invert in O(N): replaces a term by its inverse.
///
/// @return whether one of them does
bool lb_op_invert_by_lemma(lb_op_expression *e, int term, lb_op_mistake *mistake);

/// (A B)* = B* A*,  (A + B)* = A* + B*
void lb_op_transpose_term(lb_op_expression *e, int term);

/// Gives every term its rows and columns, and says where they do not fit.
void lb_op_check_spaces(lb_op_expression *e, lb_op_mistake *mistake);

#endif // LB_OP_EXPRESSION_H
