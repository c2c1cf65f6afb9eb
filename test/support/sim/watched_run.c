// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // waitid
#include "watched_run.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "limber/results.h"

pid_t lb_start_watched_run(const char *model, const char *result, const char *clock)
{
    const pid_t run = fork();
    assert_true(run >= 0);
    if (run == 0) {
        if (clock) {
            setenv("LIMBER_CLOCK", clock, 1);
        }
        execl(lb_find_built("limber"), "limber", "run", model, "--output", result, "--quiet",
              (char *)NULL);
        _exit(127);
    }
    return run;
}

void lb_wait_for_rows(pid_t run, const char *result, long rows)
{
    for (long found = -1; found < rows;) {
        siginfo_t end = {0};
        assert_int_equal(waitid(P_PID, (id_t)run, &end, WEXITED | WNOHANG | WNOWAIT), 0);
        lb_results *results = NULL;
        if (lb_open_results(result, NULL, &results) >= 0) {
            found = lb_get_results_info(results)->row_count;
            lb_close_results(results);
        }
        if (end.si_pid != 0 && found < rows) {
            fail_msg("the run has ended with %ld rows, expected %ld", found, rows);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
