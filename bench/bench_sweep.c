// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_sweep PLAN [SAMPLES]: what a sweep adds to its jobs, and how its memory grows.
//
// Does what a worker of limber sweep does, and compares the processor time of the jobs with that of all else: the
// values of each sample and its row in a file. Memory is the largest resident set, after a tenth of the samples and at
// the end.
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "limber/sweep.h"
#include "sweep/sweep_files.h"

static double get_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long get_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    lb_sweep *sweep = NULL;
    lb_sweep_rows *rows = NULL;
    const char *shelf = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/bench-sweep-XXXXXX", shelf && *shelf ? shelf : "/tmp");
    const int file = mkstemp(path);
    if (argc < 2 || file < 0 || lb_load_sweep(argv[1], NULL, NULL, &sweep) < 0 ||
        lb_open_sweep_rows(sweep, path, NULL, &rows) < 0) {
        fprintf(stderr, "usage: bench_sweep PLAN [SAMPLES]\n");
        return 2;
    }
    const int64_t most = lb_get_sweep_info(sweep)->sample_count,
                  asked = argc > 2 ? atoll(argv[2]) : most;
    const int64_t count = asked < most ? asked : most;
    double *values = malloc((size_t)lb_get_sweep_info(sweep)->variation_count * sizeof *values);
    double *outputs = malloc((size_t)lb_get_sweep_info(sweep)->output_count * sizeof *outputs);
    double jobs = 0.0, around = 0.0;
    long early = 0;
    for (int64_t i = 0; values && outputs && i < count; ++i) {
        const double start = get_time();
        lb_compute_sample(sweep, i, values);
        const double begun = get_time();
        const lb_status status = lb_evaluate_sample(sweep, values, outputs);
        const double done = get_time();
        lb_write_sweep_row(rows, i, status, outputs, lb_get_sweep_message(sweep));
        jobs += done - begun;
        around += get_time() - done + begun - start;
        early = i <= count / 10 ? get_memory() : early;
    }
    printf("jobs %.4g ms, values and rows %.4g ms per sample: %.2f %%\n",
           1e3 * jobs / (double)count, 1e3 * around / (double)count, 100.0 * around / jobs);
    printf("memory %ld KiB after a tenth of the samples, %ld KiB at the end\n", early,
           get_memory());
    free(values);
    free(outputs);
    lb_close_sweep_rows(rows);
    lb_destroy_sweep(sweep);
    unlink(path);
    return 0;
}
