// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber eval` is asked for: JSON text into plain structs. Everything that can be judged
// without the model is judged here; lengths and names of bodies are eval's business.
#ifndef LB_CLI_REQUEST_H
#define LB_CLI_REQUEST_H

#include "console.h"

/// What can be computed: X(constant, name in the request).
#define LB_CLI_QUANTITY_LIST(X)                                                                    \
    X(LB_CLI_FORWARD, "forward")                                                                   \
    X(LB_CLI_INVERSE, "inverse")                                                                   \
    X(LB_CLI_MASS, "mass")                                                                         \
    X(LB_CLI_MASS_INVERSE, "mass-inverse")                                                         \
    X(LB_CLI_BIAS, "bias")                                                                         \
    X(LB_CLI_ENERGY, "energy")                                                                     \
    X(LB_CLI_NODES, "nodes")                                                                       \
    X(LB_CLI_JACOBIAN, "jacobian")                                                                 \
    X(LB_CLI_ADMITTANCE, "admittance")                                                             \
    X(LB_CLI_LOOPS, "loops")                                                                       \
    X(LB_CLI_REACTIONS, "reactions")                                                               \
    X(LB_CLI_MOMENTUM, "momentum")

typedef enum lb_cli_quantity {
#define LB_CLI_QUANTITY_ENUM(constant, name) constant,
    LB_CLI_QUANTITY_LIST(LB_CLI_QUANTITY_ENUM)
#undef LB_CLI_QUANTITY_ENUM
        LB_CLI_QUANTITY_COUNT
} lb_cli_quantity;

typedef enum lb_cli_algorithm {
    LB_CLI_ARTICULATED,
    LB_CLI_COMPOSITE,
    LB_CLI_DIVIDE_AND_CONQUER,
    LB_CLI_UNSPLIT,
    LB_CLI_ALGORITHM_COUNT
} lb_cli_algorithm;

/// A list of numbers; `values` is NULL if the key was absent.
typedef struct lb_cli_numbers {
    double *values;
    int count;
} lb_cli_numbers;

/// A hinge driven by motion.
typedef struct lb_cli_drive {
    const char *body;
    int body_index; ///< set when resolved against a model
    lb_cli_numbers accelerations;
} lb_cli_drive;

/// A node by its names.
typedef struct lb_cli_node {
    const char *body, *node;    ///< NULL if absent
    int body_index, node_index; ///< set when resolved against a model
} lb_cli_node;

/// What acts at a node, in world axes: moment, force.
typedef struct lb_cli_wrench {
    lb_cli_node at;
    lb_cli_numbers values;
} lb_cli_wrench;

/// Values of parameters; names live as long as the request.
typedef struct lb_cli_values {
    lb_parameter_value *values;
    int count;
} lb_cli_values;

typedef struct lb_cli_request {
    bool compute[LB_CLI_QUANTITY_COUNT];
    lb_cli_numbers q, v, tau, a;
    bool is_qdd; ///< whether a was given under the name qdd
    lb_cli_algorithm algorithm;
    bool forces;
    lb_cli_node at;
    int wrench_count;
    lb_cli_wrench *wrenches;
    bool prescribed; ///< whether the key was there
    int drive_count;
    lb_cli_drive *drives;
    lb_cli_values parameters;
} lb_cli_request;

/// All requests of a file. Strings live as long as the list.
typedef struct lb_cli_request_list {
    const char *file; ///< where it was read
    const char *root; ///< how paths start
    bool is_list;     ///< a list of requests, even if of one: the answer has the same shape
    int count;
    lb_cli_request *requests;
    void *document; ///< the parsed JSON, which owns the strings
} lb_cli_request_list;

/// Parses a request or a list of them.
///
/// Every mistake is reported with the path of its key, `request[1].q`; syntax errors, with line and
/// column, end it at the first.
///
/// @param state  whether it is a state: an object as of a request, of which only q and v matter;
///               `compute` may be absent, and paths start with `state`
/// @param list   out: to be freed by lb_cli_free_requests; empty on failure
/// @return LB_OK, LB_E_SYNTAX, LB_E_ARGUMENT or LB_E_MEMORY
lb_status lb_cli_parse_requests(const lb_cli_input *input, bool state, const lb_report *report,
                                lb_cli_request_list *list);

void lb_cli_free_requests(lb_cli_request_list *list);

/// Parses a list of numbers; paths start with `root`. `values` is to be freed by free().
lb_status lb_cli_parse_numbers(const lb_cli_input *input, const char *root, const lb_report *report,
                               lb_cli_numbers *numbers);

/// "request" or, in a list, "request[2]": how a path starts.
void lb_cli_format_request_path(const lb_cli_request_list *list, int index, char *path,
                                size_t size);

#endif // LB_CLI_REQUEST_H
