// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Printing recorded runs: for `run` and `results`.
#ifndef LB_CLI_RESULTS_OUT_H
#define LB_CLI_RESULTS_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "json_out.h"
#include "limber/results.h"

/// A column of a table.
typedef struct lb_cli_column {
    int table, column;
} lb_cli_column;

/// The audit, for people.
///
void lb_cli_print_audit(FILE *out, const lb_audit *audit, bool with_loops);

/// The same as a member "audit" of an object. Numbers that do not apply are left out.
void lb_cli_put_audit(lb_cli_json *json, const lb_audit *audit);

/// Time and columns as CSV, numbers such that they read back exactly.
///
/// @param columns  NULL for all
/// @return false, after saying so, if reading failed
bool lb_cli_print_columns(FILE *out, const lb_results *results, const lb_cli_column *columns,
                          int count);

#endif // LB_CLI_RESULTS_OUT_H
