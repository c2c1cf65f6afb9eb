// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the nearest of a set of names.
#ifndef LB_CLI_SUGGEST_H
#define LB_CLI_SUGGEST_H

/// Start from {.word = what was given}, offer every candidate, read `best`.
typedef struct lb_cli_suggestion {
    const char *word;
    const char *best; ///< NULL if nothing is near
    int distance;
} lb_cli_suggestion;

void lb_cli_offer(lb_cli_suggestion *suggestion, const char *candidate);

#endif // LB_CLI_SUGGEST_H
