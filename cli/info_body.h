// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber info` tells of the modes of one body.
#ifndef LB_CLI_INFO_BODY_H
#define LB_CLI_INFO_BODY_H

#include "commands.h"
#include "json_out.h"
#include "limber/model.h"

/// Mass properties and modes of a body as a table.
void lb_cli_print_body_modes(const lb_model *model, int body);

/// Members `effective_masses`, `effective_sums`, `left_out`, `spin_rate` of an open object; nothing
/// for a rigid body, or one of whose modes a combination has no mass.
void lb_cli_write_body_modes(lb_cli_json *json, const lb_model *model, int body);

#endif // LB_CLI_INFO_BODY_H
