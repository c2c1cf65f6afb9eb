// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One large system on a graphics processor beside the recursion on one core and divide and conquer on all cores: time
// against the number of bodies, and differences to the recursion. Chains of revolute links, equal and unlike, with their own
// kernels and with those of all trees; chains of beams with five modes; random trees.
//
//     bench_cuda_large [CSV [KERNELS_CSV [MOST [THREADS]]]]
//
// There are at most 2^MOST bodies (21). Times on the device are of its own clock, medians of 21 rounds with the least
// and the largest; `given` leaves out what depends on q and v alone, `with_transfers` is by the clock of the host. Times on
// the host are minima. Where the device is full, other lengths of runs are measured too, of which 0 is the default, and each
// kernel by itself, with all of its launches.
#define _POSIX_C_SOURCE 200809L
#include <limber/cuda_division.h>
#include <limber/openmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dynamics/divide/division.h"
#include "export/cuda/cuda_clock.h"
#include "export/cuda/large/large.h"
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
    const lb_team team = lb_make_openmp_team(threads);
    options.thread_count = threads;
    if (lb_create_division(s->model, &options, &division) != LB_OK) {
        stop("division", "out of memory");
    }
    for (int i = 0; i < rounds; ++i) {
        const double start = get_seconds();
        lb_divided_by_team(s->model, s->work, division, &team, s->q, s->v, NULL, s->tau, NULL, a);
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

// Each kernel by itself, with all of its launches.
static void time_kernels(on_device *d, FILE *csv, const char *model, int n, int repeats)
{
    for (int i = 0; i < d->division->kernel_count; ++i) {
        d->division->only = 1u << i;
        const spread s = time_device(d, 0, repeats);
        fprintf(csv, "\"%s\",%d,%s,%.2f,%.2f,%.2f,%d,%d\n", model, n, d->division->kernel_names[i],
                s.median, s.least, s.most, d->division->kernels[i].register_count,
                d->division->kernels[i].local_bytes);
    }
    d->division->only = 0;
    fflush(csv);
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

// ---- models ------------------------------------------------------------------------------------

static lb_scene *make_chain(int n)
{
    return lb_create_revolute_chain(n);
}

// Every link has a mass of its own.
static lb_scene *make_unlike_links(int n)
{
    lb_scene *scene = lb_create_revolute_chain(n);
    for (int i = 0; i < n; ++i) {
        scene->bodies[i].mass = 1.0 + 0.5 * sin(i);
    }
    return scene;
}

static lb_scene *make_beams(int n, lb_fidelity fidelity)
{
    lb_scene_beam_options beam = lb_default_scene_beam();
    beam.mode_count = 5;
    beam.fidelity = fidelity;
    beam.second_order = 0;
    return lb_create_beam_chain(&beam, n);
}

static lb_scene *make_ruthless_beams(int n)
{
    return make_beams(n, LB_FIDELITY_RUTHLESS);
}

static lb_scene *make_consistent_beams(int n)
{
    return make_beams(n, LB_FIDELITY_CONSISTENT);
}

// Random branches, rigid bodies, every hinge type.
static lb_scene *make_tree(int n)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = n;
    options.shape = LB_SHAPE_RANDOM;
    return lb_create_tree(&options, 1);
}

typedef struct kind {
    const char *name;
    lb_scene *(*make)(int n);
    bool general;
    int least, most, step; // logarithms of numbers of bodies
    int longest;           // of other runs that are measured; 0 for none
} kind;

static const kind kinds[] = {
    {"chain", make_chain, false, 6, 21, 1, 128},
    {"chain of unlike links", make_unlike_links, false, 14, 20, 6, 0},
    {"ruthless beams", make_ruthless_beams, true, 8, 17, 3, 32},
    {"consistent beams", make_consistent_beams, true, 11, 17, 3, 0},
    {"random tree", make_tree, true, 11, 17, 3, 0},
    {"chain, general kernels", make_chain, true, 11, 17, 6, 0},
};

// ---- one row -----------------------------------------------------------------------------------

typedef struct row {
    spread all, given, host;
    double recursion, divided, error, bytes;
    int fallback, same;
    lb_division_report report;
} row;

static void write_row(FILE *csv, const kind *k, int n, int run_length, int threads, const row *r,
                      const lb_cuda *cuda)
{
    fprintf(csv,
            "\"%s\",%d,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.1f,%d,%.1e,%.1e,%.1e,%d,%d,"
            "%.0f,\"%s\",%s\n",
            k->name, n, run_length, r->all.median, r->all.least, r->all.most, r->given.median,
            r->given.least, r->given.most, r->host.median, r->recursion, r->divided, threads,
            r->error, r->report.shift, r->report.gap, r->fallback, r->same, r->bytes,
            lb_get_cuda_name(cuda), lb_get_commit());
    printf("%-22s %8d bodies, runs of %2d: %9.1f us on the device, %9.1f given kinematics, %9.1f "
           "with transfers; recursion %11.1f, divided %11.1f; error %.1e\n",
           k->name, n, run_length, r->all.median, r->given.median, r->host.median, r->recursion,
           r->divided, r->error);
    fflush(csv);
    fflush(stdout);
}

static void measure_device(lb_cuda *cuda, FILE *kernels, const kind *k, lb_subject *s,
                           int run_length, row *r)
{
    const int nq = lb_get_q_count(s->model), n = lb_get_v_count(s->model);
    const size_t size = (size_t)n * sizeof(double);
    double *found = lb_make_numbers(n), *again = lb_make_numbers(n);
    lb_cuda_division_options options = lb_default_cuda_division_options();
    options.run_length = run_length;
    options.general = k->general;
    on_device d = {.cuda = cuda};
    if (lb_create_cuda_division(cuda, s->model, &options, &d.division) != LB_OK) {
        stop("device", lb_get_cuda_message(cuda));
    }
    d.q = put(cuda, s->q, nq);
    d.v = put(cuda, s->v, n);
    d.tau = put(cuda, s->tau, n);
    d.a = put(cuda, found, n);
    const int repeats = n < 100000 ? 20 : 5;
    r->all = time_device(&d, 0, repeats);
    lb_copy_from_cuda(cuda, found, d.a, size);
    r->report = (lb_division_report){.size = sizeof r->report};
    r->fallback = lb_check_cuda_division(d.division, &r->report) != LB_OK;
    r->given = time_device(&d, 1, repeats);
    lb_copy_from_cuda(cuda, again, d.a, size);
    r->same = memcmp(found, again, size) == 0;
    r->host = time_with_transfers(&d, s, again);
    if (kernels) {
        time_kernels(&d, kernels, k->name, lb_get_body_count(s->model), repeats);
    }
    r->error = get_error(found, s->a, n);
    r->bytes = (double)lb_get_cuda_division_size(d.division) / lb_get_body_count(s->model);
    double *const arrays[] = {d.q, d.v, d.tau, d.a};
    for (int i = 0; i < 4; ++i) {
        lb_release_on_cuda(cuda, arrays[i]);
    }
    lb_destroy_cuda_division(d.division);
    free(found);
    free(again);
}

static void measure(lb_cuda *cuda, FILE *csv, FILE *kernels, const kind *k, int log, int threads)
{
    const int n = 1 << log, rounds = log < 14 ? 20 : log < 18 ? 3 : 2;
    lb_subject s = lb_begin_subject(k->make(n));
    lb_draw_subject(&s);
    double *a = lb_make_numbers(lb_get_v_count(s.model));
    row r = {.fallback = 0};
    r.recursion = time_recursion(&s, rounds);
    r.divided = time_divided(&s, threads, rounds, a);
    // where the device is full, each kernel by itself, and other lengths of runs
    const bool is_full = log == (k->general ? 17 : 20);
    measure_device(cuda, is_full ? kernels : NULL, k, &s, 0, &r);
    write_row(csv, k, n, 0, threads, &r, cuda);
    for (int length = k->longest / 4; is_full && length <= k->longest && length > 0; length *= 4) {
        measure_device(cuda, NULL, k, &s, length, &r);
        write_row(csv, k, n, length, threads, &r, cuda);
    }
    free(a);
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
    const int most = argc > 3 ? atoi(argv[3]) : 21;
    const int threads = argc > 4 ? atoi(argv[4]) : lb_make_openmp_team(0).thread_count;
    if (lb_create_cuda(NULL, &report, &cuda) != LB_OK) {
        return 77;
    }
    FILE *csv = fopen(argc > 1 ? argv[1] : "cuda_large.csv", "w");
    FILE *kernels = fopen(argc > 2 ? argv[2] : "cuda_large_kernels.csv", "w");
    if (!csv || !kernels) {
        return 1;
    }
    fputs("model,bodies,kernel,median_us,least_us,most_us,registers,local_bytes\n", kernels);
    fputs(
        "model,bodies,run_length,median_us,least_us,most_us,given_median_us,given_least_us,"
        "given_most_us,with_transfers_us,recursion_us,divided_us,threads,error,shift,gap,fallback,"
        "same_bits,bytes_per_body,device,commit\n",
        csv);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        for (int log = kinds[i].least; log <= kinds[i].most && log <= most; log += kinds[i].step) {
            measure(cuda, csv, kernels, &kinds[i], log, threads);
        }
    }
    lb_destroy_cuda(cuda);
    const bool first = fclose(csv) == 0, second = fclose(kernels) == 0;
    return first && second ? 0 : 1;
}
