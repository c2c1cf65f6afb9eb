// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of time and signals: parsed once into terms, differentiated by t as terms, and
// flattened into a program for a stack, which evaluates without allocating.
#ifndef LB_EXPRESSION_H
#define LB_EXPRESSION_H

#include "base/arena.h"
#include "base/formula/terms.h"
#include "signals_parse.h"

enum { LB_MOST_INSTRUCTIONS = 8192, LB_MOST_STACKED = 64, LB_MOST_SIGNALS = 64 };

/// The terms of one expression and of its derivatives: large, only while loading.
typedef struct lb_signal_terms {
    lb_terms terms;
    int signal_count;
    lb_signal signals[LB_MOST_SIGNALS];
} lb_signal_terms;

/// Side of a switch that is not held: its operands say.
enum { LB_SIDE_FREE = -2147483647 };

typedef struct lb_instruction {
    lb_term_op op;
    int signal;
    double number;
    const int *side; ///< of its switch; NULL for an operation that never jumps and has no kink
} lb_instruction;

/// An operation that jumps or has a kink where its operands pass something: a comparison, abs, min and the like. See
/// switches.h.
typedef struct lb_switch {
    int start, at;         ///< instructions: the first of its operands, and itself
    lb_signal_stage stage; ///< of its operands
    int side;              ///< while it is held, else LB_SIDE_FREE
    double from, next;     ///< of time alone: between these there is no other break
} lb_switch;

/// A part of an expression that depends on time alone, and is no part of another.
typedef struct lb_time_part {
    int start, end; ///< instructions
    double from,
        next;      ///< between these it has no other narrow feature: see lb_find_expression_feature
    double length; ///< of the last piece that was searched
    double longest; ///< of those before it, fading
    double size;    ///< largest value
} lb_time_part;

typedef struct lb_expression {
    lb_signal_stage stage;
    int count;
    const lb_instruction *program;
    const lb_signal *signals;
    int signal_count;
    lb_switch *switches; ///< in the order of the program
    int switch_count;
    lb_time_part *parts;
    int part_count;
} lb_expression;

/// Parses a whole text. The index of its term, or -1 if the scan failed.
int lb_parse_expression(lb_signal_terms *terms, lb_scan *scan, const lb_scope *scope);

/// The derivative of a term by t, where signals but t itself are constant.          (FRC-11)
int lb_differentiate(lb_signal_terms *terms, int term);

/// Flattens a term into a program.
///
/// @return LB_OK, LB_E_MEMORY, or LB_E_UNSUPPORTED if it is too long or deep
lb_status lb_flatten(lb_arena *arena, const lb_signal_terms *terms, int term,
                     lb_expression **expression);

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
