// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the loops of a model leave free at a configuration, for `limber info`.
#ifndef LB_CLI_MOBILITY_H
#define LB_CLI_MOBILITY_H

#include <limber/limber.h>

#include "commands.h"
#include "json_out.h"
#include "limber/document.h"

/// Empty for a model without loops.
typedef struct lb_cli_mobility {
    int rows, rank;
    const char *where;      ///< "in the initial configuration", or that of --state
    int *redundant;         ///< by loop
    double *projectors;     ///< 36 by loop: see lb_get_redundant_rows
    double *errors;         ///< 6 by loop: how far the configuration is off
    unsigned char *repeats; ///< loops x loops
    unsigned char *waits;   ///< by loop: it does not hold at first
} lb_cli_mobility;

/// @return LB_CLI_DONE, or another exit status after saying why
int lb_cli_compute_mobility(const lb_cli_arguments *arguments, const lb_document *document,
                            const lb_model *model, lb_cli_mobility *mobility);
void lb_cli_free_mobility(lb_cli_mobility *mobility);

/// The list of loops and, in words, what is left free and what is redundant.
void lb_cli_print_mobility(const lb_model *model, const lb_cli_mobility *mobility);

/// The same as JSON: keys `loops` and `mobility`; nothing for a model without loops.
void lb_cli_write_mobility(lb_cli_json *json, const lb_model *model,
                           const lb_cli_mobility *mobility);

#endif // LB_CLI_MOBILITY_H
