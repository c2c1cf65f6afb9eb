// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber info: the parameters of a model file, and where they are used.
#ifndef LB_CLI_INFO_PARAMETERS_H
#define LB_CLI_INFO_PARAMETERS_H

#include "json_out.h"
#include "limber/document.h"

/// A table for people; nothing for a document without parameters.
void lb_cli_print_parameters(const lb_document *document);

/// The key "parameters" of an object that is being written.
void lb_cli_write_parameters(lb_cli_json *json, const lb_document *document);

/// Values by name under the key `parameters`, as requests of eval have them; nothing if there are none.
void lb_cli_write_values(lb_cli_json *json, const lb_document *document);

#endif // LB_CLI_INFO_PARAMETERS_H
