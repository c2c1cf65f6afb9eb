// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One line on the terminal that says how far long work is. Nothing is shown where standard error is no terminal,
// nor with -q, nor in the first second.
#ifndef LB_CLI_PROGRESS_H
#define LB_CLI_PROGRESS_H

/// Shows how far work is. Cheap: may be called for every small step.
///
/// @param what  such as "frames"
/// @param done  from 0 to 1
void lb_cli_show_progress(const char *what, double done);

/// Shows the seconds that work takes whose end nobody knows, from now until lb_cli_clear_progress.
///
/// @param what  such as "modes"; must live as long
void lb_cli_show_waiting(const char *what);

/// Takes the line away for a message on standard error; it comes back below.
void lb_cli_make_room(void);

/// Takes the line away, if there is one, to make room for what comes; a clock stops.
void lb_cli_clear_progress(void);

#endif // LB_CLI_PROGRESS_H
