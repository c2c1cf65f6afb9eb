// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber serve MODEL: steps a model in real time, with a controller at the other end of a socket.
//
// With --output it is recorded as `limber run` does it, at the first step that ends at or behind every
// multiple of the interval.
//
// Step k starts at k / rate after the first, by the clock, and must end before k + 1 starts. It begins
// with the sample at its time, if the controller has one, so that sensors leave when they are due.
#define _DEFAULT_SOURCE // mlockall
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../src/command.h"
#include "console.h"
#include "kept_files.h"
#include "link.h"
#include "output.h"
#include "setup.h"

enum { BIN_COUNT = 100000 }; // of 1 us

typedef struct pace {
    double rate;
    int64_t step_count; // steps asked for; 0 for no end
    int64_t row_steps;  // steps from row to row; 0 for no recording
    int64_t start;      // ns by the clock

    int64_t steps, missed, behind; // behind: ns, at the end
    double late_sum, late_max;     // ns, of wake-ups
    uint64_t late[BIN_COUNT];
    lb_cli_kept_files files; // of the recording
} pace;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

// ---- time ------------------------------------------------------------------------------------------

static const int64_t billion = 1000000000;

// The clock that it sleeps by: that of the system, also where a test gives another to what measures times.
static int64_t get_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * billion + now.tv_nsec;
}

static int64_t get_due_time(const pace *p, int64_t step)
{
    return p->start + (int64_t)((double)step * 1e9 / p->rate);
}

// Sleeps until then, or a signal ends it all.
static void sleep_until(int64_t due)
{
    const struct timespec until = {.tv_sec = (time_t)(due / billion),
                                   .tv_nsec = (long)(due % billion)};
    while (!interrupted && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

static void note_lateness(pace *p, int64_t late)
{
    const int64_t bin = late / 1000;
    p->late[bin < BIN_COUNT ? bin : BIN_COUNT - 1] += 1;
    p->late_sum += (double)late;
    p->late_max = fmax(p->late_max, (double)late);
}

// Lateness that so large a part of all wake-ups did not exceed, us: the upper edge of its bin.
static double find_percentile(const pace *p, double part)
{
    uint64_t sum = 0;
    for (int i = 0; i < BIN_COUNT - 1; ++i) {
        sum += p->late[i];
        if ((double)sum >= part * (double)p->steps) {
            return fmin(i + 1.0, 1e-3 * p->late_max);
        }
    }
    return 1e-3 * p->late_max;
}

// ---- the loop --------------------------------------------------------------------------------------

// To the end of step k, through events. To the present time it takes the samples that are due.
static lb_status advance(lb_simulation *simulation, const pace *p, int64_t k)
{
    lb_status status;
    do {
        status = lb_advance_simulation(simulation, (double)k / p->rate);
    } while (status == LB_NEWS_EVENT);
    return status;
}

// A row behind the samples of its time, as lb_run_simulation has it.
static lb_status record(lb_simulation *simulation, const pace *p, int64_t k)
{
    const lb_status status = advance(simulation, p, k);
    const lb_status recorded = status < 0 ? status : lb_record_simulation(simulation);
    return recorded < 0 ? recorded : status;
}

static lb_status keep_pace(lb_simulation *simulation, pace *p)
{
    lb_status status = LB_OK;
    p->start = get_clock();
    for (int64_t k = 0; !interrupted && (p->step_count == 0 || k < p->step_count); ++k) {
        const int64_t due = get_due_time(p, k);
        sleep_until(due);
        if (interrupted) {
            break;
        }
        const int64_t late = get_clock() - due;
        status = p->row_steps > 0 && k % p->row_steps == 0 ? record(simulation, p, k) : LB_OK;
        status = status == LB_OK ? advance(simulation, p, k + 1) : status;
        const bool is_last = status == LB_NEWS_STOP || k + 1 == p->step_count;
        if (status >= 0 && p->row_steps > 0 && is_last) {
            const lb_status recorded =
                status == LB_OK ? record(simulation, p, k + 1) : lb_record_simulation(simulation);
            status = recorded < 0 ? recorded : status;
        }
        if (status != LB_OK) {
            break;
        }
        p->behind = get_clock() - get_due_time(p, k + 1);
        p->missed += p->behind > 0;
        p->steps += 1;
        note_lateness(p, late);
    }
    return status == LB_OK && interrupted ? LB_NEWS_INTERRUPTED : status;
}

static void put_number(lb_cli_json *json, const char *key, double value)
{
    lb_cli_json_number(json, key, value);
}

static void put_count(lb_cli_json *json, const char *key, long long count)
{
    lb_cli_json_integer(json, key, count);
}

static void print_json_report(const pace *p, const lb_cli_link_counts *c)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    put_count(&json, "steps", p->steps);
    put_number(&json, "simulated", (double)p->steps / p->rate);
    put_count(&json, "missed_deadlines", p->missed);
    put_number(&json, "behind_at_the_end", 1e-9 * fmax(0.0, (double)p->behind));
    put_number(&json, "late_mean", 1e-9 * p->late_sum / fmax(1.0, (double)p->steps));
    put_number(&json, "late_99_percent", 1e-6 * find_percentile(p, 0.99));
    put_number(&json, "late_max", 1e-9 * (double)p->late_max);
    lb_cli_json_open(&json, "packets", '{');
    put_count(&json, "sent", (long long)c->sent);
    put_count(&json, "not_sent", (long long)c->unsent);
    put_count(&json, "received", (long long)c->received);
    put_count(&json, "accepted", (long long)c->accepted);
    put_count(&json, "late", (long long)c->late);
    put_count(&json, "ignored", (long long)c->ignored);
    put_count(&json, "malformed", (long long)c->malformed);
    put_count(&json, "timeouts", (long long)c->timeouts);
    lb_cli_json_close(&json, '}');
    lb_cli_put_written(&json);
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

static void print_report(const pace *p, const lb_cli_link_counts *c)
{
    const double us = 1e-3 / fmax(1.0, (double)p->steps);
    printf("steps             %lld\n", (long long)p->steps);
    printf("simulated         %.6g s\n", (double)p->steps / p->rate);
    printf("missed deadlines  %lld\n", (long long)p->missed);
    printf("behind at the end %.6g us\n", 1e-3 * fmax(0.0, (double)p->behind));
    printf("wake-ups late by  %.1f us mean, %.0f us 99 %%, %.1f us max\n", us * p->late_sum,
           find_percentile(p, 0.99), 1e-3 * p->late_max);
    const struct {
        const char *name;
        uint64_t count;
    } lines[] = {{"packets sent", c->sent},   {"not sent", c->unsent},   {"received", c->received},
                 {"accepted", c->accepted},   {"late", c->late},         {"ignored", c->ignored},
                 {"malformed", c->malformed}, {"time-outs", c->timeouts}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        printf("%-17s %llu\n", lines[i].name, (unsigned long long)lines[i].count);
    }
}

// ---- setting up ------------------------------------------------------------------------------------

// A step of fixed length that fits into a period a whole number of times.
static bool choose_steps(const lb_cli_arguments *arguments, lb_simulation *simulation, pace *p)
{
    const double rate = p->rate;
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    const char *integrator = lb_cli_get_option(arguments, "integrator");
    if (integrator) {
        const int found = lb_find_integrator(integrator);
        if (found == LB_NOT_FOUND || !lb_is_fixed_step((lb_integrator)found)) {
            lb_cli_complain("serve: --integrator: '%s' given, expected rk4, euler or alpha",
                            integrator);
            return false;
        }
        o.integrator = (lb_integrator)found;
    } else if (!lb_is_fixed_step(o.integrator)) {
        lb_cli_complain(
            "%s has adaptive steps, which real time cannot wait for: rk4 is used instead",
            lb_get_integrator_name(o.integrator));
        o.integrator = LB_INTEGRATOR_RK4;
        o.step = 1.0 / rate;
    }
    o.order = 0;
    if (!lb_cli_get_number(arguments, "step", 1e-9, 1e6, o.step, &o.step)) {
        return false;
    }
    o.step = 1.0 / (rate * fmax(1.0, ceil(1.0 / (rate * o.step) - 1e-9)));
    if (lb_cli_get_option(arguments, "output")) {
        if (p->step_count == 0) {
            lb_cli_complain(
                "serve: --output needs --duration: the file is made in its length first");
            return false;
        }
        p->row_steps = (int64_t)fmax(1.0, ceil(o.interval * rate - 1e-9));
        o.interval = (double)p->row_steps / rate;
        o.duration = (double)p->step_count / rate;
    } else {
        o.duration = o.interval = 1e9; // the loop knows when to end
    }
    if (lb_set_run_options(simulation, &o) < 0) {
        lb_cli_complain("serve: %s", lb_cli_get_message(simulation));
        return false;
    }
    return true;
}

// Gives the link to the controller that is asked for, or to the only one that takes it.
static const char *choose_controller(const lb_cli_arguments *arguments, lb_simulation *simulation,
                                     lb_cli_link *link)
{
    const char *asked = lb_cli_get_option(arguments, "controller"), *chosen = NULL;
    if (asked) {
        if (lb_set_control_callback(simulation, asked, lb_cli_exchange, link) < 0) {
            lb_cli_complain("serve: --controller: %s", lb_cli_get_message(simulation));
            return NULL;
        }
        return asked;
    }
    for (int i = 0; i < lb_get_controller_count(simulation); ++i) {
        const char *name = lb_get_controller_name(simulation, i);
        if (lb_set_control_callback(simulation, name, lb_cli_exchange, link) >= 0) {
            if (chosen) {
                lb_cli_complain("serve: controllers '%s' and '%s' are both of type callback, and "
                                "one can be served",
                                chosen, name);
                return NULL;
            }
            chosen = name;
        }
    }
    if (!chosen) {
        lb_cli_complain("serve: %s has no controller to connect to: give one the law {type: "
                        "callback}",
                        arguments->operands[0]);
    }
    return chosen;
}

// What the link was told of its controller at t = 0.
static bool check_samples(const lb_control_sample *sample, const char *name, double rate)
{
    const double ticks = rate * sample->period;
    if (fabs(ticks - round(ticks)) > 1e-9 * ticks || ticks < 0.5) {
        lb_cli_complain("serve: --rate %.9g is not a multiple of the rate of controller '%s', %.9g",
                        rate, name, 1.0 / sample->period);
        return false;
    }
    return true;
}

static lb_status start_recording(const lb_cli_arguments *arguments, lb_simulation *simulation,
                                 const char *text, size_t length, const lb_cli_kept_files *files)
{
    lb_run_request request = lb_default_run_request();
    const lb_report report = lb_cli_make_complaint();
    request.path = lb_cli_get_option(arguments, "output");
    request.model_text = text;
    request.model_length = length;
    request.quick = true;
    request.report = &report;
    request.files = files->files;
    request.file_count = files->count;
    return request.path ? lb_start_recording(simulation, &request) : LB_OK;
}

static int serve(const lb_cli_arguments *arguments, const lb_cli_setup *s, lb_cli_link *link,
                 pace *p, const char *text, size_t length)
{
    lb_simulation *simulation = s->simulation;
    double port_number, timeout, duration;
    if (!lb_cli_get_number(arguments, "rate", 1.0, 1e5, 1000.0, &p->rate) ||
        !lb_cli_get_number(arguments, "port", 0.0, 65535.0, 14650.0, &port_number) ||
        !lb_cli_get_number(arguments, "timeout", 1e-6, 1e6, 0.1, &timeout) ||
        !lb_cli_get_number(arguments, "duration", 1e-6, 1e9, 0.0, &duration)) {
        return LB_CLI_USAGE;
    }
    p->step_count = (int64_t)ceil(duration * p->rate - 1e-9);
    if (!choose_steps(arguments, simulation, p)) {
        return LB_CLI_USAGE;
    }
    const char *output = lb_cli_get_option(arguments, "output");
    if (output && !lb_cli_check_results(output)) {
        return LB_CLI_FAILED;
    }
    if (!lb_cli_check_ending(arguments, "output", output, ".h5 .hdf5")) {
        return LB_CLI_USAGE;
    }
    int port = (int)port_number;
    const char *address = lb_cli_get_option(arguments, "bind");
    address = address ? address : "127.0.0.1";
    if (!lb_cli_open_link(link, address, &port, timeout)) {
        return LB_CLI_FAILED;
    }
    const char *name = choose_controller(arguments, simulation, link);
    if (!name) {
        return LB_CLI_USAGE;
    }
    if (output) {
        lb_cli_gather_files(s->document, &p->files);
    }
    lb_status started = start_recording(arguments, simulation, text, length, &p->files);
    started = started < 0 ? started : lb_start_simulation(simulation);
    // the samples of t = 0, from which the link learns what it carries
    for (int i = 0; started == LB_OK && i < 2; ++i) { // behind events
        started = advance(simulation, p, 0);
    }
    if (started < 0 && !lb_cli_fits_packet(&link->first)) {
        lb_cli_complain(
            "serve: controller '%s' has %d sensors and %d actuators, more than a packet "
            "of %d bytes holds",
            name, link->first.sensor_count, link->first.channel_count, LB_PACKET_SIZE_MAX);
        return LB_CLI_FAILED;
    }
    if (started < 0) {
        return lb_cli_explain_setup(s);
    }
    if (!check_samples(&link->first, name, p->rate)) {
        return LB_CLI_USAGE;
    }
    // a second Ctrl-C ends it the hard way
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    interrupted = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        lb_cli_complain("memory is not locked (%s): page faults may cost deadlines",
                        strerror(errno));
    }
    // whoever is to send commands must know the port at once
    const bool json = lb_cli_get_option(arguments, "json") != NULL;
    FILE *out = json ? stderr : stdout;
    fprintf(out, "serving           %s:%d\ncontroller        ", address, port);
    lb_cli_put_text(out, name);
    fprintf(out, ": %d sensors, %d actuators\n", link->first.sensor_count,
            link->first.channel_count);
    fflush(out);

    lb_status status = started == LB_NEWS_STOP ? started : keep_pace(simulation, p);
    munlockall();
    status = lb_end_recording(simulation, status, NULL);
    if (status == LB_NEWS_STOP) {
        fputs("stopped by event: ", out);
        lb_cli_put_text(out, lb_get_event_names(simulation));
        fputc('\n', out);
    }
    if (json) {
        lb_cli_collect_written();
        if (p->row_steps > 0 && status >= 0) {
            lb_cli_note_written(lb_cli_get_option(arguments, "output"));
        }
        print_json_report(p, &link->counts);
    } else {
        print_report(p, &link->counts);
    }
    if (status < 0) {
        return lb_cli_explain_setup(s);
    }
    if (p->row_steps > 0 && !json) {
        fputs("results           ", stdout);
        lb_cli_put_text(stdout, lb_cli_get_option(arguments, "output"));
        fputc('\n', stdout);
    }
    return LB_CLI_DONE;
}

int lb_cli_run_serve(const lb_cli_arguments *arguments)
{
    lb_cli_setup s = {0};
    lb_cli_link *link = lb_cli_calloc(1, sizeof *link);
    pace *p = lb_cli_calloc(1, sizeof *p);
    size_t length = 0;
    char *text = lb_cli_read_file(arguments->operands[0], &length);
    int result = LB_CLI_FAILED;
    link->socket = -1;
    if (text && lb_cli_open_setup(arguments, text, length, &s)) {
        result = serve(arguments, &s, link, p, s.text, s.length);
    }
    lb_cli_close_link(link);
    lb_cli_close_setup(&s);
    free(text);
    free(link);
    lb_cli_free_files(&p->files);
    free(p);
    return result;
}
