// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Help texts, put together from the table of subcommands.
#ifndef LB_CLI_HELP_H
#define LB_CLI_HELP_H

#include <stdio.h>

#include "commands.h"

void lb_cli_print_help(FILE *out);
void lb_cli_print_command_help(FILE *out, const lb_cli_command *command);

/// Says what can be done with a file of that name (LB_CLI_DONE); or that a command is not known, and which one may
/// have been meant (LB_CLI_USAGE).
int lb_cli_refuse_command(const char *word);

/// Pages for man: of the program, and of a command.
void lb_cli_print_manual(FILE *out);
void lb_cli_print_command_manual(FILE *out, const lb_cli_command *command);

#endif // LB_CLI_HELP_H
