// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock: all times that Limber measures are read here, so that a test can give them. Not in the core library.
#ifndef LB_CLOCK_H
#define LB_CLOCK_H

/// Seconds by a clock that only goes forward. Only differences mean something.
double lb_get_wall_time(void);

/// Seconds that processors have spent on this process.
double lb_get_processor_time(void);

/// From now on both functions read one clock that is the caller's: each reading is `step` seconds later than the one
/// before, in whatever thread. Sleeping and waiting for others still take the time that they take.
///
/// @param step  0 or above; below 0 for the clocks of the system, as at the start
void lb_set_clock(double step);

#endif // LB_CLOCK_H
