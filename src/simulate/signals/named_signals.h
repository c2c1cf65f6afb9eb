// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Named signals, as who evaluates them sees them.
#ifndef LB_NAMED_SIGNALS_H
#define LB_NAMED_SIGNALS_H

#include "base/arena.h"
#include "base/names.h"
#include "expression.h"
#include "signals.h"

typedef struct lb_named_signal {
    const char *name;
    const lb_expression *expression;
    lb_signal_callback callback; // in its place, or NULL
    void *user;
    lb_signal_stage stage;
    double cost; // operations of one evaluation, with those of the signals that it reads
    int depth;   // signals that read one another
} lb_named_signal;

struct lb_signals {
    lb_arena arena;
    const lb_model *model;
    lb_faults faults;
    int count, capacity;
    lb_named_signal *entries;
    lb_names names;
    lb_names constant_names;
    double *constants;
    int constant_count, constant_capacity;
};

#endif // LB_NAMED_SIGNALS_H
