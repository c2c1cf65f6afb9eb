// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One page, served to browsers on this machine.
#ifndef LB_CLI_PAGE_SERVER_H
#define LB_CLI_PAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/// Serves `text` as HTML at / on the loopback interface until Ctrl-C, and says where.
///
/// @param port   0 for any that is free
/// @param ready  called with the address once it answers; may be NULL
/// @return false after saying why
bool lb_cli_serve_page(const char *text, size_t size, int port, void (*ready)(const char *address));

#endif // LB_CLI_PAGE_SERVER_H
