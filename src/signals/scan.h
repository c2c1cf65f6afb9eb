// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a signal or expression, read from left to right, and the first thing wrong with it.
#ifndef LB_SCAN_H
#define LB_SCAN_H

#include "signals.h"

enum { LB_NAME_MAX = 128 };

/// What is wrong with a text.
typedef struct lb_signal_error {
    int column;        ///< from 1
    char message[240]; ///< names the column
} lb_signal_error;

typedef struct lb_scan {
    const char *text;
    size_t at;
    bool hyphens; ///< names may hold them: nothing is subtracted here
    bool failed;
    lb_signal_error error;
} lb_scan;

/// What names may mean.
typedef struct lb_scope {
    const lb_model *model;
    const lb_signals *named; ///< or NULL
    int named_count;         ///< those that may be used yet
} lb_scope;

/// A name as it was written.
typedef struct lb_name {
    char text[LB_NAME_MAX];
    size_t start;
    bool quoted;
} lb_name;

/// An error at a place in the text. The first is kept.
void lb_scan_fail(lb_scan *scan, size_t at, const char *format, ...) LB_PRINTF(3, 4);

void lb_scan_skip_spaces(lb_scan *scan);

/// Whether a name starts here.
bool lb_scan_sees_name(const lb_scan *scan);

/// Reads a name, in quotes or not. False if there is none, which is an error.
bool lb_scan_read_name(lb_scan *scan, lb_name *name);

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
                          lb_signal_error *error, lb_signal *signal);

/// Whether a word means something in every expression, so that it cannot name a signal.
bool lb_is_reserved_word(const char *word);

/// Whether a text is a name that needs no quotes.
bool lb_is_plain_name(const char *text);

#endif // LB_SCAN_H
