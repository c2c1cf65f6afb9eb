// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of time and signals: parsed once into terms, differentiated by t as terms, and
// flattened into a program for a stack, which evaluates without allocating.
#ifndef LB_EXPRESSION_H
#define LB_EXPRESSION_H

#include "base/arena.h"
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
    LB_TERM_SIGNAL,
#define LB_TERM_ENUM(NAME, word, operands) LB_TERM_##NAME,
    LB_TERM_LIST(LB_TERM_ENUM)
#undef LB_TERM_ENUM
        LB_TERM_COUNT
} lb_term_op;

/// A term: an operation and the terms it is applied to, by index. Shared terms are fine.
typedef struct lb_term {
    lb_term_op op;
    int operands[3];
    double number; ///< LB_TERM_NUMBER
    int signal;    ///< LB_TERM_SIGNAL: index into lb_terms.signals
} lb_term;

enum {
    LB_MOST_TERMS = 2048,
    LB_MOST_INSTRUCTIONS = 8192,
    LB_MOST_STACKED = 64,
    LB_MOST_SIGNALS = 64
};

/// The terms of one expression and of its derivatives: large, only while loading.
typedef struct lb_terms {
    int count, signal_count;
    bool full; ///< there were too many
    lb_term terms[LB_MOST_TERMS];
    lb_signal signals[LB_MOST_SIGNALS];
} lb_terms;

typedef struct lb_instruction {
    lb_term_op op;
    int signal;
    double number;
} lb_instruction;

typedef struct lb_expression {
    lb_signal_stage stage;
    int count;
    const lb_instruction *program;
    const lb_signal *signals;
    int signal_count;
} lb_expression;

/// A number of one operation; NaN in gives NaN out, also of comparisons.
double lb_apply_term(lb_term_op op, const double *x);

/// Operands of an operation, and its word in the grammar or NULL.
int lb_get_operand_count(lb_term_op op);
const char *lb_get_function_word(lb_term_op op);

// Each gives the index of a new term; operations on numbers are done at once.
int lb_add_number(lb_terms *terms, double number);
int lb_add_term(lb_terms *terms, lb_term_op op, int a, int b, int c);

/// Parses a whole text. The index of its term, or -1 if the scan failed.
int lb_parse_expression(lb_terms *terms, lb_scan *scan, const lb_scope *scope);

/// The derivative of a term by t, where signals but t itself are constant.          (FRC-11)
int lb_differentiate(lb_terms *terms, int term);

/// Flattens a term into a program.
///
/// @return LB_OK, LB_E_MEMORY, or LB_E_UNSUPPORTED if it is too long or deep
lb_status lb_flatten(lb_arena *arena, const lb_terms *terms, int term, lb_expression **expression);

/// Stage that it needs: the latest of its signals'.
lb_signal_stage lb_get_expression_stage(const lb_expression *expression);

/// Value of an expression: any double. Fails as lb_evaluate_signal does.
lb_status lb_evaluate_expression(const lb_expression *expression, const lb_instant *instant,
                                 double *value);

/// Makes an expression of a text; complains of what is wrong with it at "where.key".
///
/// @param expression  out: also after faults: zero
/// @return LB_OK or LB_E_MEMORY
lb_status lb_make_expression(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                             const char *where, const char *key, const char *text,
                             lb_expression **expression);

/// The same with its first two derivatives by t; it must be of t alone.
lb_status lb_make_expression_of_time(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                                     const char *where, const char *key, const char *text,
                                     lb_expression *expressions[3]);

#endif // LB_EXPRESSION_H
