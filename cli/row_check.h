// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a run against those of half the tolerance.
#ifndef LB_CLI_ROW_CHECK_H
#define LB_CLI_ROW_CHECK_H

#include "limber/results.h"
#include "limber/simulate.h"

typedef struct lb_cli_row_check {
    double change; ///< the largest, as a part of how far a column or the largest of its table moves
    double bound;  ///< the part of it that the tolerance explains
    double time;   ///< of the row, s
    char column[LB_COLUMN_SIZE]; ///< where
    double rows;                 ///< compared
} lb_cli_row_check;

/// Runs a simulation with half the tolerance, or half the step, and compares its rows with a result file:
/// configuration, speeds, energies and work. Reports failures.
///
/// @param other  as it was before the run that wrote the file
/// @param audit  of that run
/// @return false if the second run fails, or the rows cannot be read
bool lb_cli_check_rows(lb_simulation *other, const char *path, const lb_audit *audit,
                       lb_cli_row_check *check);

#endif // LB_CLI_ROW_CHECK_H
