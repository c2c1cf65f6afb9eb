// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Formulas as terms: operations on numbers and on what names stand for.
#ifndef LB_TERMS_H
#define LB_TERMS_H

#include "scan.h"

/// X(NAME, word, operands): everything that takes operands. Words of functions are those of the
/// grammar; operators have none.
#define LB_TERM_LIST(X)                                                                            \
    X(NEGATE, NULL, 1)                                                                             \
    X(ADD, NULL, 2)                                                                                \
    X(SUBTRACT, NULL, 2)                                                                           \
    X(MULTIPLY, NULL, 2)                                                                           \
    X(DIVIDE, NULL, 2)                                                                             \
    X(POWER, NULL, 2)                                                                              \
    X(LESS, NULL, 2)                                                                               \
    X(LESS_EQUAL, NULL, 2)                                                                         \
    X(SIN, "sin", 1)                                                                               \
    X(COS, "cos", 1)                                                                               \
    X(TAN, "tan", 1)                                                                               \
    X(ASIN, "asin", 1)                                                                             \
    X(ACOS, "acos", 1)                                                                             \
    X(ATAN, "atan", 1)                                                                             \
    X(ATAN2, "atan2", 2)                                                                           \
    X(SINH, "sinh", 1)                                                                             \
    X(COSH, "cosh", 1)                                                                             \
    X(TANH, "tanh", 1)                                                                             \
    X(EXP, "exp", 1)                                                                               \
    X(LOG, "log", 1)                                                                               \
    X(SQRT, "sqrt", 1)                                                                             \
    X(HYPOT, "hypot", 2)                                                                           \
    X(ABS, "abs", 1)                                                                               \
    X(SIGN, "sign", 1)                                                                             \
    X(STEP, "step", 1)                                                                             \
    X(FLOOR, "floor", 1)                                                                           \
    X(MOD, "mod", 2)                                                                               \
    X(MIN, "min", 2)                                                                               \
    X(MAX, "max", 2)                                                                               \
    X(CLAMP, "clamp", 3)                                                                           \
    X(IF, "if", 3)

typedef enum lb_term_op {
    LB_TERM_NUMBER,
    LB_TERM_LEAF, ///< what a name stands for: known to who made it
#define LB_TERM_ENUM(NAME, word, operands) LB_TERM_##NAME,
    LB_TERM_LIST(LB_TERM_ENUM)
#undef LB_TERM_ENUM
        LB_TERM_COUNT
} lb_term_op;

/// A term: an operation and the terms it is applied to, by index. Shared terms are fine.
typedef struct lb_formula_term {
    lb_term_op op;
    int operands[3];
    double number; ///< LB_TERM_NUMBER
    int leaf;      ///< LB_TERM_LEAF: which one
} lb_formula_term;

enum { LB_MOST_TERMS = 2048 };

/// The terms of a formula: large, only while loading. Start from lb_start_terms.
typedef struct lb_terms {
    int count;
    bool full; ///< there were too many
    lb_formula_term terms[LB_MOST_TERMS];
} lb_terms;

static inline void lb_start_terms(lb_terms *terms)
{
    terms->count = 0;
    terms->full = false;
}

/// A number of one operation; NaN in gives NaN out, also of comparisons.
double lb_apply_term(lb_term_op op, const double *x);

/// Operands of an operation, and its word in the grammar or NULL.
int lb_get_operand_count(lb_term_op op);
const char *lb_get_function_word(lb_term_op op);

// Each gives the index of a new term; operations on numbers are done at once.
int lb_add_number(lb_terms *terms, double number);
int lb_add_leaf(lb_terms *terms, int leaf);
int lb_add_term(lb_terms *terms, lb_term_op op, int a, int b, int c);

/// Reads what a name stands for, which is neither a function nor a constant. The scan is behind the name.
///
/// @return the index of a term; anything if the scan failed
typedef int lb_read_leaf(void *user, lb_terms *terms, lb_scan *scan, const lb_name *name);

/// Parses a whole text.
///
/// @param leaf  what names stand for, in messages: "a signal"
/// @return the index of its term, or -1 if the scan failed
int lb_parse_formula(lb_terms *terms, lb_scan *scan, const char *leaf, lb_read_leaf *read,
                     void *user);

/// Whether a word means something in every expression, so that it can name nothing else.
bool lb_is_reserved_word(const char *word);

#endif // LB_TERMS_H
