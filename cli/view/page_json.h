// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts and numbers as JSON for the page, and the parts of the page that need no blocks of numbers.
#ifndef LB_CLI_PAGE_JSON_H
#define LB_CLI_PAGE_JSON_H

#include <jansson.h>

#include "view/recording.h"

/// A text. Names may be cut within a character: what is not UTF-8 becomes question marks.
json_t *lb_cli_make_text(const char *text);

/// A number; null if it is not finite.
json_t *lb_cli_make_number(double x);
json_t *lb_cli_make_numbers(const double *x, int count);

/// The events of a run: time, name, and what each did, such as ["release grip"].
json_t *lb_cli_make_event_list(const lb_cli_recording *recording);

/// The audit as the command line prints it: [label, text] for each line. Null if there is none.
json_t *lb_cli_make_audit_lines(const lb_results *results);

#endif // LB_CLI_PAGE_JSON_H
