// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model that `limber new` writes, cli/new_model.yaml, built in.
#ifndef LB_CLI_NEW_H
#define LB_CLI_NEW_H

#include <stddef.h>

extern const unsigned char lb_cli_new_model[];
extern const size_t lb_cli_new_model_size;

#endif // LB_CLI_NEW_H
