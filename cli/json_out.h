// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON as it goes, indented for people: one member a line, numbers side by side. Numbers
// are the shortest that read back exactly. Nothing here checks for NaN: callers do, because they
// know what to call it.
#ifndef LB_CLI_JSON_OUT_H
#define LB_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct lb_cli_json {
    FILE *out;
    int depth;
    bool empty; ///< nothing yet in the innermost list or object
} lb_cli_json;

/// Start of a document; every document ends by lb_cli_json_finish.
lb_cli_json lb_cli_json_start(FILE *out);
void lb_cli_json_finish(lb_cli_json *json);

/// `{` or `[`, and back. `key` is the name of a value in an object; NULL in a list and at the top.
void lb_cli_json_open(lb_cli_json *json, const char *key, char bracket);
void lb_cli_json_close(lb_cli_json *json, char bracket);

void lb_cli_json_number(lb_cli_json *json, const char *key, double value);
void lb_cli_json_integer(lb_cli_json *json, const char *key, long long value);
void lb_cli_json_boolean(lb_cli_json *json, const char *key, bool value);
void lb_cli_json_string(lb_cli_json *json, const char *key, const char *text);
void lb_cli_json_vector(lb_cli_json *json, const char *key, const double *values, int count);

/// Likewise, with numbers that are `stride` apart.
void lb_cli_json_strided(lb_cli_json *json, const char *key, const double *values, int count,
                         int stride);
/// A list of rows.
void lb_cli_json_matrix(lb_cli_json *json, const char *key, const double *values, int rows,
                        int columns);

#endif // LB_CLI_JSON_OUT_H
