// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests against a model: lengths, names, quaternions, and what this version can do.
#ifndef LB_CLI_RESOLVE_H
#define LB_CLI_RESOLVE_H

#include "limber/limber.h"
#include "request.h"

/// Fills in the indices of bodies and nodes and makes quaternions unit; every mistake goes to
/// standard error with the path of its key.
///
/// @return true if there was none
bool lb_cli_resolve_requests(const lb_model *model, const char *file, lb_cli_request_list *list);

#endif // LB_CLI_RESOLVE_H
