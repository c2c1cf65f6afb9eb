// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The preset coverage includes this file into every C source. A process that ends by _exit, as children of fork do, or
// that becomes another program writes its counts first. Nothing is included here: sources choose their feature macros
// before the first header. The functions __gcov_exec* are part of the compiler's library and do the same as their
// namesakes.
#ifndef LB_COUNT_EXIT_H
#define LB_COUNT_EXIT_H

void __gcov_dump(void);
void _Exit(int status) __attribute__((__noreturn__));
// of test/faults/fail_alloc.c, where that is loaded
void lb_end_faults(void) __attribute__((__weak__));

__attribute__((__noreturn__, __unused__)) static void lb_count_and_exit(int status)
{
    if (lb_end_faults) {
        lb_end_faults();
    }
    __gcov_dump();
    _Exit(status);
}
#define _exit lb_count_and_exit
#define execlp __gcov_execlp
#define execvp __gcov_execvp

#endif // LB_COUNT_EXIT_H
