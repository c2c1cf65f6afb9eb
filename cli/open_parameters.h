// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// --parameters: parameters of a model file that stay open in what is made of it.
#ifndef LB_CLI_OPEN_PARAMETERS_H
#define LB_CLI_OPEN_PARAMETERS_H

#include "commands.h"
#include "limber/document.h"
#include "limber/freeze.h"

typedef struct lb_cli_open_parameters {
    lb_freeze_parameters given; ///< `user` is this struct, which stays where it is
    lb_document *document;
    const lb_cli_names
        *outputs; ///< of simulations, besides those of the document; NULL for none (NULL)
    lb_frozen_parameter *list;
    char *names; ///< the text of the option, with an end after each name
} lb_cli_open_parameters;

/// Reads the option, and says what is wrong with it.
///
/// @param open  out: to be freed, whatever is returned
bool lb_cli_read_open_parameters(const lb_cli_arguments *arguments, lb_document *document,
                                 lb_cli_open_parameters *open);

void lb_cli_free_open_parameters(lb_cli_open_parameters *open);

#endif // LB_CLI_OPEN_PARAMETERS_H
