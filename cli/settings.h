// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// --set NAME=VALUE: values of parameters of the model.
#ifndef LB_CLI_SETTINGS_H
#define LB_CLI_SETTINGS_H

#include "commands.h"
#include "limber/io.h"

/// Reads the values. They are kept to the end of the program.
///
/// @return LB_CLI_DONE or, after saying why, another exit status
int lb_cli_read_settings(const lb_cli_arguments *arguments);

/// Puts the values into the options.
void lb_cli_add_settings(lb_load_options *options);

#endif // LB_CLI_SETTINGS_H
