// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A run in a process of its own that is watched by what it writes, so that it can be ended anywhere.
#ifndef LB_TEST_WATCHED_RUN_H
#define LB_TEST_WATCHED_RUN_H

#include <sys/types.h>

/// Starts `limber run MODEL --output RESULT --quiet`.
///
/// @param clock  LIMBER_CLOCK, which decides how many rows go to the file at once; NULL for the system's clock
pid_t lb_start_watched_run(const char *model, const char *result, const char *clock);

/// Waits until its file has so many rows. A run that ends with less ends the test.
void lb_wait_for_rows(pid_t run, const char *result, long rows);

#endif // LB_TEST_WATCHED_RUN_H
