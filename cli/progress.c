// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // setitimer
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "console.h"

static const char erase[] = "\r\033[K";

static struct {
    double start, last; // of the steps; 0 before
    const char *waiting_for;
    volatile sig_atomic_t seconds;
    volatile sig_atomic_t is_shown;
} line;

static bool is_visible(void)
{
    return lb_cli_get_volume() >= 0 && isatty(STDERR_FILENO);
}

void lb_cli_show_progress(const char *what, double done)
{
    if (!is_visible()) {
        return;
    }
    const double now = lb_get_wall_time();
    if (line.start == 0.0 || done <= 0.0) {
        line.start = line.last = now;
    }
    if (now - line.start < 1.0 || now - line.last < 0.2) {
        return;
    }
    line.last = now;
    line.is_shown = 1;
    const double left = done > 0.0 ? (now - line.start) * (1.0 - done) / done : 0.0;
    fprintf(stderr, "%s%s: %3.0f %%, %.0f s left", erase, what, 100.0 * done, ceil(left));
    fflush(stderr);
}

// Only calls that a signal handler may make.
static void tick(int number)
{
    const int error = errno;
    char text[64];
    size_t length = 0;
    (void)number;
    for (const char *c = erase; *c; ++c) {
        text[length++] = *c;
    }
    for (const char *c = line.waiting_for; *c && length < 40; ++c) {
        text[length++] = *c;
    }
    text[length++] = ':';
    text[length++] = ' ';
    const int seconds = ++line.seconds;
    for (int unit = 100000, begun = 0; unit > 0; unit /= 10) {
        const int digit = seconds / unit % 10;
        begun = begun || digit || unit == 1;
        if (begun) {
            text[length++] = (char)('0' + digit);
        }
    }
    text[length++] = ' ';
    text[length++] = 's';
    line.is_shown = 1;
    if (write(STDERR_FILENO, text, length) < 0) {
        // the terminal is gone
    }
    errno = error;
}

static void set_clock(int seconds)
{
    const struct itimerval clock = {.it_interval = {.tv_sec = seconds},
                                    .it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &clock, NULL);
}

void lb_cli_show_waiting(const char *what)
{
    if (!is_visible()) {
        return;
    }
    line.waiting_for = what;
    line.seconds = 0;
    const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    set_clock(1);
}

void lb_cli_make_room(void)
{
    if (line.is_shown) {
        line.is_shown = 0;
        fputs(erase, stderr);
    }
}

void lb_cli_clear_progress(void)
{
    if (line.waiting_for) {
        set_clock(0);
        line.waiting_for = NULL;
    }
    lb_cli_make_room();
    fflush(stderr); // before what goes to standard output
    line.start = 0.0;
}
