// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model of `limber demo`, examples/spacecraft_arm.yaml, built in.
#ifndef LB_CLI_DEMO_H
#define LB_CLI_DEMO_H

#include <stddef.h>

extern const unsigned char lb_cli_demo_model[];
extern const size_t lb_cli_demo_model_size;

#endif // LB_CLI_DEMO_H
