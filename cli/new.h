// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model that `limber new` writes, cli/new_model.yaml, built in.
#ifndef LB_CLI_NEW_H
#define LB_CLI_NEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

extern const unsigned char lb_cli_new_model[];
extern const size_t lb_cli_new_model_size;

/// Finds a file or folder that is installed with this program, or lies beside the build tree; its path goes to found
/// (PATH_MAX bytes). False if it is not there.
bool lb_cli_find_shared(const char *name, char *found);

/// The comment that tells editors of the schema, if that is there.
void lb_cli_write_schema_line(FILE *out);

#endif // LB_CLI_NEW_H
