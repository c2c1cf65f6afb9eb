// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The point that `modes` and `linearize` are about, off the command line.
#ifndef LB_CLI_POINT_H
#define LB_CLI_POINT_H

#include "limber/linear.h"
#include "setup.h"

typedef struct lb_cli_point {
    lb_cli_setup setup;
    lb_linear_options options;
    bool spin_has_speed;
    double *state; ///< q and v, owned
    unsigned char *locked;
    lb_cli_names open; ///< feedbacks
} lb_cli_point;

/// Loads the model of the first operand, and --at, --trim, --steady, --spin, --lock, --period,
/// --open, --discrete and --pade.
///
/// @param point  out: to be closed by lb_cli_close_point whatever the result
/// @return LB_CLI_DONE, or another exit status after saying why
int lb_cli_open_point(const lb_cli_arguments *arguments, lb_cli_point *point);
void lb_cli_close_point(lb_cli_point *point);

/// Says why a function of limber/linear.h failed.
///
/// @return the exit status
int lb_cli_explain_point(const lb_cli_point *point, lb_status status);

/// Prints how far the start of a periodic motion is from the given state.
void lb_cli_note_move(const char *name, double moved);

/// Says which hinges friction holds at the point of the linear model that was just made.
void lb_cli_note_friction(const lb_cli_point *point);

/// "FROM:TO:COUNT": that many numbers, evenly spaced, or by equal ratios.
///
/// @param values  out: to be freed by free()
/// @return false, after saying what was expected
bool lb_cli_read_range(const lb_cli_arguments *arguments, const char *name, bool ratios,
                       double **values, int *count);

/// The modes of the model that the first operand names, at rest in its initial configuration, as JSON with shapes; in
/// modes.c.
///
/// @return false, after saying why, on failure
bool lb_cli_write_modes(const lb_cli_arguments *arguments, FILE *out);

#endif // LB_CLI_POINT_H
