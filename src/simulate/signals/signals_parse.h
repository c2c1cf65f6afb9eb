// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of signals and nodes in the text of a signal or expression.
#ifndef LB_SIGNALS_PARSE_H
#define LB_SIGNALS_PARSE_H

#include "base/formula/scan.h"
#include "signals.h"

/// What names may mean.
typedef struct lb_scope {
    const lb_model *model;
    const lb_signals *named; ///< or NULL
    int named_count;         ///< those that may be used yet
} lb_scope;

/// A text that is a node and nothing else, without quotes even where a name has spaces: "left arm/tip", or
/// "left arm" for its origin. The split may be at any slash, names may hold some.
bool lb_find_plain_node(const lb_model *model, const char *text, int *body, int *node);

/// Reads "panel/n1", or "panel" for its origin.
bool lb_scan_read_node(lb_scan *scan, const lb_scope *scope, int *body, int *node);

/// Whether a name is the word that stands before the name of a loop: loop/pin.force.x.
bool lb_is_loop_word(const lb_scope *scope, const lb_name *name);

/// Reads what follows a name that starts a signal. The name is not a function's or constant's.
bool lb_scan_read_signal(lb_scan *scan, const lb_scope *scope, const lb_name *name,
                         lb_signal *signal);

/// Compiles a signal in place.
///
/// @return LB_OK, or LB_E_SYNTAX and what is wrong
lb_status lb_parse_signal(const lb_model *model, const lb_signals *named, const char *text,
                          lb_scan_error *error, lb_signal *signal);

#endif // LB_SIGNALS_PARSE_H
