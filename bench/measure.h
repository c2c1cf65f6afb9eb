// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What benchmark programs share: timing one call, and saying where it was timed.
#ifndef LB_BENCH_MEASURE_H
#define LB_BENCH_MEASURE_H

#include <limber/limber.h>

typedef struct lb_timing {
    double minimum, median; ///< ns of one call
} lb_timing;

/// Times a call by many rounds of it, each long enough for the clock. Ends the program if the call
/// fails.
lb_timing lb_time(const char *name, lb_status (*run)(void *subject), void *subject);

/// Zeroed array of numbers; ends the program if memory is out.
double *lb_make_numbers(int count);

/// The processor's name, as Linux tells it.
void lb_get_machine(char *name, size_t size);
const char *lb_get_compiler(void);
/// What the library was compiled with, as far as CMake says.
const char *lb_get_flags(void);
const char *lb_get_commit(void);

/// Prints version, commit, machine and compiler, as comments.
void lb_print_setting(void);

#endif // LB_BENCH_MEASURE_H
