// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model of `limber demo`, examples/spacecraft_arm.yaml, built in.
#ifndef LB_CLI_SHOWPIECE_H
#define LB_CLI_SHOWPIECE_H

#include <stddef.h>

extern const unsigned char lb_cli_showpiece[];
extern const size_t lb_cli_showpiece_size;

#endif // LB_CLI_SHOWPIECE_H
