// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One chain on a graphics processor beside the recursion on one core and divide and conquer on all cores: time
// against the number of bodies, and differences to the recursion.
//
//     bench_cuda_chain CSV [LEAST MOST [THREADS [RUN_LENGTH]]]
//
// Bodies go from 2^LEAST to 2^MOST (6 to 20). Times on the device are of its own clock, medians of 21 rounds with
// the least and the largest; `given` leaves out what depends on q and v alone, `host` counts the
// transfers and is by the clock of the host. Times on the host are minima.
#define _POSIX_C_SOURCE 200809L
#include <limber/cuda_division.h>
#include <limber/openmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "subject.h"

enum { ROUNDS = 21 };

typedef struct spread {
    double median, least, most; // us
} spread;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static spread sum_up(double times[ROUNDS])
{
    qsort(times, ROUNDS, sizeof *times, compare);
    return (spread){times[ROUNDS / 2], times[0], times[ROUNDS - 1]};
}

// ---- host --------------------------------------------------------------------------------------

static double time_recursion(lb_subject *s, int rounds)
{
    double least = INFINITY;
    for (int i = 0; i < rounds; ++i) {
        const double start = get_seconds();
        lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
        least = fmin(least, get_seconds() - start);
    }
    return 1e6 * least;
}

static double time_divided(lb_subject *s, int threads, int rounds, double *a)
{
    lb_division_options options = lb_default_division_options();
    lb_division *division;
    double least = INFINITY;
    options.thread_count = threads;
    if (lb_create_division(s->model, &options, &division) != LB_OK) {
        stop("division", "out of memory");
    }
    for (int i = 0; i < rounds; ++i) {
        const double start = get_seconds();
        lb_compute_forward_dynamics_divided_openmp(s->model, s->work, division, threads, s->q, s->v,
                                                   NULL, s->tau, NULL, a);
        least = fmin(least, get_seconds() - start);
    }
    lb_destroy_division(division);
    return 1e6 * least;
}

// ---- device ------------------------------------------------------------------------------------

typedef struct on_device {
    lb_cuda *cuda;
    lb_cuda_division *division;
    double *q, *v, *tau, *a;
} on_device;

static spread time_device(on_device *d, int given, int repeats)
{
    double times[ROUNDS];
    for (int i = -3; i < ROUNDS; ++i) {
        double seconds;
        lb_start_cuda_clock(d->cuda);
        for (int j = 0; j < repeats; ++j) {
            const lb_status status =
                given ? lb_repeat_cuda_division(d->division, d->a)
                      : lb_start_cuda_division(d->division, d->q, d->v, d->tau, d->a);
            if (status != LB_OK) {
                stop("device", lb_get_cuda_message(d->cuda));
            }
        }
        if (lb_stop_cuda_clock(d->cuda, &seconds) != LB_OK) {
            stop("device", lb_get_cuda_message(d->cuda));
        }
        if (i >= 0) {
            times[i] = 1e6 * seconds / repeats;
        }
    }
    return sum_up(times);
}

static spread time_with_transfers(on_device *d, lb_subject *s, double *a)
{
    double times[ROUNDS];
    for (int i = -1; i < ROUNDS; ++i) {
        const double start = get_seconds();
        lb_compute_forward_dynamics_divided_cuda(s->model, s->work, d->division, s->q, s->v, s->tau,
                                                 a);
        if (i >= 0) {
            times[i] = 1e6 * (get_seconds() - start);
        }
    }
    return sum_up(times);
}

static double *put(lb_cuda *cuda, const double *numbers, int count)
{
    void *memory;
    const size_t size = (size_t)count * sizeof *numbers;
    if (lb_allocate_on_cuda(cuda, size, &memory) != LB_OK ||
        lb_copy_to_cuda(cuda, memory, numbers, size) != LB_OK) {
        stop("device", lb_get_cuda_message(cuda));
    }
    return memory;
}

static double get_error(const double *a, const double *b, int count)
{
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < count; ++i) {
        const double off = fabs(a[i] - b[i]);
        error = off <= error ? error : off;
        largest = fmax(largest, fabs(b[i]));
    }
    return error / largest;
}

static void measure(lb_cuda *cuda, FILE *csv, int log, int threads, int run_length)
{
    const int n = 1 << log, rounds = log < 14 ? 50 : log < 18 ? 7 : 2;
    lb_subject s = lb_begin_subject(lb_create_revolute_chain(n));
    lb_draw_subject(&s);
    double *found = lb_make_numbers(n), *again = lb_make_numbers(n);
    const double recursion = time_recursion(&s, rounds);
    const double divided = time_divided(&s, threads, rounds, again);
    lb_cuda_division_options options = lb_default_cuda_division_options();
    options.run_length = run_length;
    lb_compute_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, s.a);
    on_device d = {.cuda = cuda};
    if (lb_create_cuda_division(cuda, s.model, &options, &d.division) != LB_OK) {
        stop("device", lb_get_cuda_message(cuda));
    }
    d.q = put(cuda, s.q, n);
    d.v = put(cuda, s.v, n);
    d.tau = put(cuda, s.tau, n);
    d.a = put(cuda, found, n);
    const int repeats = log < 17 ? 20 : 5;
    const spread all = time_device(&d, 0, repeats);
    lb_copy_from_cuda(cuda, found, d.a, (size_t)n * sizeof *found);
    lb_division_report report = {.size = sizeof report};
    const lb_status verdict = lb_check_cuda_division(d.division, &report);
    const spread given = time_device(&d, 1, repeats);
    lb_copy_from_cuda(cuda, again, d.a, (size_t)n * sizeof *again);
    const int same = memcmp(found, again, (size_t)n * sizeof *found) == 0;
    const spread host = time_with_transfers(&d, &s, again);
    fprintf(csv,
            "%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.1f,%d,%.1e,%.1e,%.1e,%d,%d,%.0f,\"%"
            "s\",%s\n",
            n, all.median, all.least, all.most, given.median, given.least, given.most, host.median,
            recursion, divided, threads, get_error(found, s.a, n), report.shift, report.gap,
            verdict != LB_OK, same, (double)lb_get_cuda_division_size(d.division) / n,
            lb_get_cuda_name(cuda), lb_get_commit());
    printf("%8d bodies: %9.1f us on the device, %9.1f given kinematics, %9.1f with transfers; "
           "recursion %11.1f, divided %11.1f; error %.1e\n",
           n, all.median, given.median, host.median, recursion, divided, get_error(found, s.a, n));
    fflush(stdout);
    double *const arrays[] = {d.q, d.v, d.tau, d.a};
    for (int i = 0; i < 4; ++i) {
        lb_release_on_cuda(cuda, arrays[i]);
    }
    lb_destroy_cuda_division(d.division);
    free(found);
    free(again);
    lb_end_subject(&s);
}

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s\n", diagnostic->message);
}

int main(int argc, char **argv)
{
    const lb_report report = {.emit = complain};
    lb_cuda *cuda;
    const int least = argc > 3 ? atoi(argv[2]) : 6, most = argc > 3 ? atoi(argv[3]) : 20;
    const int threads = argc > 4 ? atoi(argv[4]) : lb_get_openmp_thread_count();
    if (lb_create_cuda(NULL, &report, &cuda) != LB_OK) {
        return 77;
    }
    FILE *csv = fopen(argc > 1 ? argv[1] : "cuda_chain.csv", "w");
    if (!csv) {
        return 1;
    }
    fputs("bodies,median_us,least_us,most_us,given_median_us,given_least_us,given_most_us,"
          "with_transfers_us,recursion_us,divided_us,threads,error,shift,gap,fallback,same_bits,"
          "bytes_per_body,device,commit\n",
          csv);
    for (int log = least; log <= most; ++log) {
        measure(cuda, csv, log, threads, argc > 5 ? atoi(argv[5]) : 0);
        fflush(csv);
    }
    lb_destroy_cuda(cuda);
    return fclose(csv) != 0;
}
