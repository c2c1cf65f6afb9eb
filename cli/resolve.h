// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests against a model: lengths, names, quaternions, and what this version can do.
#ifndef LB_CLI_RESOLVE_H
#define LB_CLI_RESOLVE_H

#include "limber/limber.h"
#include "request.h"

/// Reads a file of requests or with a state, - for standard input, fills in the indices of bodies and
/// nodes, and makes quaternions unit; every mistake goes to standard error with the path of its key.
///
/// Requests with parameters are left for lb_cli_check_request.
///
/// @param state  whether it is a state: the one request of the list
/// @param list   out: to be freed by lb_cli_free_requests in any case
/// @return LB_CLI_DONE, or another exit status after saying why
int lb_cli_load_requests(const lb_model *model, const char *path, bool state,
                         lb_cli_request_list *list);

/// Does the same for one request, against the model with its parameters.
///
/// @return whether it is good; what is not is printed
bool lb_cli_check_request(const lb_model *model, lb_cli_request_list *list, int index);

/// Whether the document has the parameters of a request; what is wrong is printed.
bool lb_cli_check_parameters(const lb_document *document, const lb_cli_request_list *list,
                             int index);

#endif // LB_CLI_RESOLVE_H
