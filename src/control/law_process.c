// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law in a process of its own, which reads samples from its standard input and writes commands to
// its standard output, a line each: docs/guide/control.md has the protocol. Whatever happens to it, the
// run ends with a message and keeps its results.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "control.h"
#include "document/places.h"

typedef struct process {
    char **arguments; // NULL at the end
    double timeout;   // s to wait for an answer
    pid_t child;      // 0 if there is none
    int socket;
    char *line; // of a sample
    size_t line_size;
    char *answer;
    size_t answer_size, answer_used;
} process;

enum { NUMBER_SIZE = 32 };

// ---- making --------------------------------------------------------------------------------------

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    process *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    c->own = own;
    own->timeout = options->timeout;
    own->socket = -1;
    if (!(own->timeout > 0.0 && own->timeout < 1e6)) {
        LB_COMPLAIN(sim, c->law_path, "timeout", "%.15g, expected seconds above zero",
                    own->timeout);
    }
    if (options->command_count < 1 || !options->command) {
        LB_COMPLAIN(sim, c->law_path, "command", "empty, expected a program and its arguments");
        return LB_OK;
    }
    const size_t count = (size_t)options->command_count;
    own->arguments = lb_arena_take(&sim->arena, count + 1, sizeof *own->arguments);
    const size_t numbers = 1 + (size_t)c->sample.sensor_count + 5 * (size_t)c->sample.channel_count;
    own->line_size = numbers * NUMBER_SIZE + 64;
    own->answer_size = ((size_t)c->sample.channel_count + 1) * 64;
    own->line = lb_arena_take(&sim->arena, own->line_size + own->answer_size, 1);
    if (!own->arguments || !own->line) {
        return LB_E_MEMORY;
    }
    own->answer = own->line + own->line_size;
    for (size_t i = 0; i < count; ++i) {
        if (!options->command[i]) {
            LB_COMPLAIN(sim, c->law_path, "command", "entry %zu is NULL, expected a string", i);
            return LB_OK;
        }
        own->arguments[i] = lb_arena_text(&sim->arena, options->command[i]);
        if (!own->arguments[i]) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

// ---- the child -------------------------------------------------------------------------------------

static void destroy(lb_controller *c)
{
    process *own = c->own;
    if (!own || own->child == 0) {
        return;
    }
    // the end of its input is a hint; who does not take it is killed
    close(own->socket);
    const struct timespec moment = {0, 10000000};
    for (int i = 0; i < 20; ++i) {
        if (waitpid(own->child, NULL, WNOHANG) != 0) {
            own->child = 0;
            return;
        }
        nanosleep(&moment, NULL);
    }
    kill(own->child, SIGKILL);
    waitpid(own->child, NULL, 0);
    own->child = 0;
}

static lb_status say(lb_simulation *sim, const lb_controller *c, const char *what)
{
    const process *own = c->own;
    return lb_say(&sim->system, LB_E_CALLBACK, "t = %.9g s: controller '%s': its process '%s' %s",
                  sim->flow.t, c->name, own->arguments[0], what);
}

// How a child that fell silent has ended, if it has.
static lb_status explain(lb_simulation *sim, lb_controller *c)
{
    process *own = c->own;
    int state = 0;
    char text[96] = "closed its output";
    const struct timespec moment = {0, 10000000};
    const double deadline = lb_get_wall_time() + own->timeout;
    pid_t ended;
    while ((ended = waitpid(own->child, &state, WNOHANG)) == 0 && lb_get_wall_time() < deadline) {
        nanosleep(&moment, NULL);
    }
    if (ended == own->child) {
        own->child = 0;
        close(own->socket);
        if (WIFSIGNALED(state)) {
            snprintf(text, sizeof text, "died of signal %d (%s)", WTERMSIG(state),
                     strsignal(WTERMSIG(state)));
        } else if (WEXITSTATUS(state) == 127) {
            snprintf(text, sizeof text, "cannot be started");
        } else {
            snprintf(text, sizeof text, "ended with status %d", WEXITSTATUS(state));
        }
    }
    return say(sim, c, text);
}

static lb_status send_line(lb_simulation *sim, lb_controller *c, const char *line, size_t length)
{
    const process *own = c->own;
    while (length > 0) {
        struct pollfd ready = {own->socket, POLLOUT, 0};
        const int patience = (int)(1e3 * own->timeout) + 1;
        if (poll(&ready, 1, patience) == 0) {
            return say(sim, c, "does not read its samples");
        }
        const ssize_t sent = send(own->socket, line, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) {
            return explain(sim, c);
        }
        line += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    return LB_OK;
}

// "limber-control 1 RATE", then a line of names of sensors and one of actuators.
static lb_status greet(lb_simulation *sim, lb_controller *c)
{
    char text[160];
    int length = 0;
    snprintf(text, sizeof text, "limber-control 1 %.17g\nsensors %d", c->rate,
             c->sample.sensor_count);
    lb_status status = send_line(sim, c, text, lb_use_plain_point(text));
    for (int i = 0; status >= 0 && i < c->sample.sensor_count; ++i) {
        length = snprintf(text, sizeof text, "\t%.120s", c->sensors[i].name);
        status = send_line(sim, c, text, (size_t)length);
    }
    length = snprintf(text, sizeof text, "\nactuators %d", c->sample.channel_count);
    status = status < 0 ? status : send_line(sim, c, text, (size_t)length);
    for (int i = 0; status >= 0 && i < c->sample.channel_count; ++i) {
        const char *name = lb_get_force_info(sim->system.forces, c->channels[i].actuator).name;
        length = snprintf(text, sizeof text, "\t%.120s", name);
        status = send_line(sim, c, text, (size_t)length);
    }
    return status < 0 ? status : send_line(sim, c, "\n", 1);
}

static lb_status start(lb_simulation *sim, lb_controller *c)
{
    process *own = c->own;
    int pair[2];
    if (!sim->flow.options.allow_programs) {
        return lb_say(&sim->system, LB_E_UNSUPPORTED,
                      "controller '%s' would start the program '%s': allow it by --allow-programs",
                      c->name, own->arguments[0]);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return say(sim, c, "cannot be connected");
    }
    own->child = fork();
    if (own->child == 0) {
        if (dup2(pair[1], STDIN_FILENO) < 0 || dup2(pair[1], STDOUT_FILENO) < 0) {
            _exit(126);
        }
        execvp(own->arguments[0], own->arguments);
        _exit(127);
    }
    close(pair[1]);
    own->socket = pair[0];
    if (own->child < 0) {
        own->child = 0;
        close(pair[0]);
        return say(sim, c, "cannot be started");
    }
    return greet(sim, c);
}

// ---- samples ---------------------------------------------------------------------------------------

static char *print_numbers(char *at, const double *x, int count)
{
    for (int i = 0; i < count; ++i) {
        at += snprintf(at, NUMBER_SIZE, " %.17g", x[i]);
    }
    return at;
}

// A whole line into `answer`, without its end.
static lb_status receive_line(lb_simulation *sim, lb_controller *c)
{
    process *own = c->own;
    const double deadline = lb_get_wall_time() + own->timeout;
    own->answer_used = 0;
    for (;;) {
        const double left = deadline - lb_get_wall_time();
        struct pollfd ready = {own->socket, POLLIN, 0};
        if (left <= 0.0 || poll(&ready, 1, (int)(1e3 * left) + 1) == 0) {
            char text[64];
            snprintf(text, sizeof text, "has not answered within %g s", own->timeout);
            return say(sim, c, text);
        }
        // one answer to a sample: what is there is the rest of it
        const ssize_t got = recv(own->socket, own->answer + own->answer_used,
                                 own->answer_size - 1 - own->answer_used, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
            return explain(sim, c);
        }
        own->answer_used += got > 0 ? (size_t)got : 0;
        char *end = memchr(own->answer, '\n', own->answer_used);
        if (end) {
            const bool more = end + 1 != own->answer + own->answer_used;
            *end = '\0';
            return more ? say(sim, c, "answered with more than one line") : LB_OK;
        }
        if (own->answer_used + 1 >= own->answer_size) {
            return say(sim, c, "answered with a line that is too long");
        }
    }
}

static lb_status update(lb_simulation *sim, lb_controller *c)
{
    process *own = c->own;
    const int n = c->sample.channel_count;
    char *at = own->line + snprintf(own->line, NUMBER_SIZE, "%.17g", c->sample.t);
    at = print_numbers(at, c->readings, c->sample.sensor_count);
    at = print_numbers(at, c->position, n);
    at = print_numbers(at, c->speed, n);
    for (int j = 0; j < 3; ++j) {
        at = print_numbers(at, c->desired[j], n);
    }
    *at++ = '\n';
    *at = '\0';
    lb_status status = send_line(sim, c, own->line, lb_use_plain_point(own->line));
    status = status < 0 ? status : receive_line(sim, c);
    const char *text = own->answer;
    for (int i = 0; status >= 0 && i < n; ++i) {
        text += strspn(text, " \t");
        const size_t length = lb_convert_number(text, &c->commands[i]);
        if (length == 0) {
            char what[160];
            snprintf(what, sizeof what, "answered \"%.60s\", expected %d number%s", own->answer, n,
                     n > 1 ? "s" : "");
            return say(sim, c, what);
        }
        text += length;
    }
    if (status >= 0 && text[strspn(text, " \t\r")] != '\0') {
        return say(sim, c, "answered with more numbers than there are actuators");
    }
    return status;
}

const lb_law lb_law_process = {
    .name = "process", .make = make, .start = start, .update = update, .destroy = destroy};
