// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What has been said of a document so far. Entries with errors of form are handed on with what could be read of
// them, so that one pass finds all that is wrong. What is then said only because something could not be
// read is a consequence, and is counted but not reported.
#ifndef LB_LISTENER_H
#define LB_LISTENER_H

#include "document/places.h"
#include "load_parts.h"

enum { LB_LISTENER_MOST = 64, LB_LISTENER_PATH_SIZE = 160 };

/// Listens to a reader. The last errors of form are remembered by their paths: those of the entry at hand
/// are among them.
typedef struct lb_listener {
    lb_report report;     ///< of the caller
    const lb_place *root; ///< of the document
    bool is_relayed;      ///< what comes now is no error of form
    char paths[LB_LISTENER_MOST][LB_LISTENER_PATH_SIZE];
    int count;               ///< of all so far; the last ones are kept
    int reported;            ///< errors of any kind that the caller was told
    lb_arena arena;          ///< of the names
    const char **half_known; ///< bodies, loops and forces of which too little is known
    int half_known_count, half_known_capacity;
    bool all_half_known; ///< names that are not known may be right
    bool no_memory;
} lb_listener;

/// Puts itself between a reader and its report.
void lb_start_listening(lb_listener *listener, lb_reader *reader, const lb_place *root);
void lb_end_listening(lb_listener *listener);

/// The report that a reader had before it was listened to: for what is said of another document.
lb_report lb_get_outer_report(const lb_reader *reader);

/// Too little is known of a name to complain of what refers to it. NULL: of any name. An lb_half_known_name.
void lb_add_half_known(void *listener, const char *name);

/// The same for a reader that is listened to; otherwise nothing happens.
void lb_make_half_known(const lb_reader *reader, const char *name);

/// Whether a text has a name of which too little is known.
bool lb_is_half_known(const lb_reader *reader, const char *text);

/// Hands on what was said of a part that was added, unless it follows from what was said before.
void lb_relay_finding(lb_reader *reader, const lb_place *root, const lb_diagnostic *diagnostic);

#endif // LB_LISTENER_H
