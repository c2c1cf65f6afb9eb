// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A peer's program, asked over a pipe.
#ifndef LB_BENCH_PROCESS_H
#define LB_BENCH_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

typedef struct lb_process {
    pid_t pid; ///< 0 once it has ended
    FILE *to, *from;
    char *line; ///< last answer
    size_t line_size;
    char name[64], setting[512];
} lb_process;

/// Starts `program [option] operand` and waits until it is ready.
///
/// @param option  may be NULL
/// @return zero if it does not become ready; it has then said why on the error stream
int lb_start_process(lb_process *process, const char *program, const char *option,
                     const char *operand);

/// Sends a request and returns the answer, which lives until the next; NULL if none comes in
/// 40 s: the process is then ended.
const char *lb_ask_process(lb_process *process, const char *verb, const char *call);

void lb_end_process(lb_process *process);

#endif // LB_BENCH_PROCESS_H
