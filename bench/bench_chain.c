// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time per body of the O(N) algorithms on chains of 1 to 10,000 rigid links on revolute hinges.
//
//     bench_chain [CSV]
//
// Prints a table, and writes the same numbers to the file CSV. Each number is the minimum (and the
// median) over many rounds of the same evaluation at the same state.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes.h"

#ifndef LB_COMMIT
#define LB_COMMIT "unknown"
#endif

enum { LB_MAX_ROUNDS = 400, LB_BATCH_NS = 200000 };

// ---- what is timed -----------------------------------------------------------------------------

typedef struct lb_subject {
    lb_scene *scene;
    lb_model *model;
    lb_work *work;
    double *q, *v, *tau, *a;
} lb_subject;

static lb_status lb_run_articulated(const lb_subject *s)
{
    return lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status lb_run_inverse(const lb_subject *s)
{
    return lb_compute_inverse_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status lb_run_kinematics(const lb_subject *s)
{
    return lb_compute_kinematics(s->model, s->work, s->q, s->v, s->tau);
}

typedef struct lb_algorithm {
    const char *name;
    lb_status (*run)(const lb_subject *s);
} lb_algorithm;

static const lb_algorithm LB_ALGORITHMS[] = {
    {"articulated", lb_run_articulated},
    {"inverse", lb_run_inverse},
    {"kinematics", lb_run_kinematics},
};
enum { LB_ALGORITHM_COUNT = sizeof LB_ALGORITHMS / sizeof *LB_ALGORITHMS };

static double *lb_make_numbers(int count)
{
    double *numbers = calloc((size_t)count, sizeof *numbers);
    if (numbers == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return numbers;
}

static lb_subject lb_begin_subject(int links)
{
    lb_subject s;
    lb_random random;
    s.scene = lb_create_revolute_chain(links);
    s.model = lb_build_scene(s.scene);
    s.work = s.model != NULL ? lb_create_work(s.model) : NULL;
    if (s.work == NULL) {
        fputs("cannot build the chain\n", stderr);
        exit(1);
    }
    s.q = lb_make_numbers(links);
    s.v = lb_make_numbers(links);
    s.tau = lb_make_numbers(links);
    s.a = lb_make_numbers(links);
    lb_seed_random(&random, 1);
    lb_draw_state(s.scene, &random, s.q, s.v);
    lb_draw_vector(&random, links, 1.0, s.tau);
    return s;
}

static void lb_end_subject(lb_subject *s)
{
    free(s->q);
    free(s->v);
    free(s->tau);
    free(s->a);
    lb_destroy_work(s->model, s->work);
    lb_destroy_model(s->model);
    lb_destroy_scene(s->scene);
}

// ---- timing ------------------------------------------------------------------------------------

static double lb_get_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int lb_compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct lb_timing {
    double minimum, median; ///< ns of one evaluation
} lb_timing;

static lb_timing lb_time(const lb_algorithm *algorithm, const lb_subject *s)
{
    // warm up, and find how many evaluations make a round that the clock can measure
    int batch = 1;
    for (double ns = 0.0; ns < LB_BATCH_NS; batch *= 2) {
        const double start = lb_get_ns();
        for (int i = 0; i < batch; ++i) {
            if (algorithm->run(s) != LB_OK) {
                fprintf(stderr, "%s failed\n", algorithm->name);
                exit(1);
            }
        }
        ns = lb_get_ns() - start;
    }
    // about a fifth of a second in all, and never fewer than 20 rounds
    static double rounds[LB_MAX_ROUNDS];
    const double deadline = lb_get_ns() + 2e8;
    int count = 0;
    while (count < LB_MAX_ROUNDS && (count < 20 || lb_get_ns() < deadline)) {
        const double start = lb_get_ns();
        for (int i = 0; i < batch; ++i) {
            (void)algorithm->run(s);
        }
        rounds[count++] = (lb_get_ns() - start) / batch;
    }
    qsort(rounds, (size_t)count, sizeof *rounds, lb_compare_numbers);
    const lb_timing timing = {rounds[0], rounds[count / 2]};
    return timing;
}

// ---- where -------------------------------------------------------------------------------------

// The processor's name, as Linux tells it.
static void lb_get_machine(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    fclose(file);
}

static const char *lb_get_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

int main(int argc, char **argv)
{
    const int sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    const int size_count = sizeof sizes / sizeof *sizes;
    FILE *csv = NULL;
    if (argc > 2 || (argc == 2 && (csv = fopen(argv[1], "w")) == NULL)) {
        fprintf(stderr, "usage: bench_chain [CSV]\n");
        return 2;
    }
    char machine[128];
    lb_get_machine(machine, sizeof machine);
    printf("# limber %s, commit %s\n# %s\n# %s\n", lb_get_version(), LB_COMMIT, machine,
           lb_get_compiler());
    printf("# ns per body of a chain of revolute links: minimum (median)\n%8s", "bodies");
    for (int i = 0; i < LB_ALGORITHM_COUNT; ++i) {
        printf("  %18s", LB_ALGORITHMS[i].name);
    }
    printf("\n");
    if (csv != NULL) {
        fprintf(csv,
                "algorithm,bodies,min_ns_per_body,median_ns_per_body,machine,compiler,commit\n");
    }

    double fastest[LB_ALGORITHM_COUNT], slowest[LB_ALGORITHM_COUNT] = {0};
    for (int i = 0; i < LB_ALGORITHM_COUNT; ++i) {
        fastest[i] = HUGE_VAL;
    }
    for (int j = 0; j < size_count; ++j) {
        lb_subject s = lb_begin_subject(sizes[j]);
        printf("%8d", sizes[j]);
        for (int i = 0; i < LB_ALGORITHM_COUNT; ++i) {
            const lb_timing t = lb_time(&LB_ALGORITHMS[i], &s);
            const double minimum = t.minimum / sizes[j], median = t.median / sizes[j];
            printf("  %8.1f (%7.1f)", minimum, median);
            fflush(stdout);
            if (csv != NULL) {
                fprintf(csv, "%s,%d,%.2f,%.2f,\"%s\",\"%s\",%s\n", LB_ALGORITHMS[i].name, sizes[j],
                        minimum, median, machine, lb_get_compiler(), LB_COMMIT);
            }
            if (sizes[j] >= 10) {
                fastest[i] = fmin(fastest[i], minimum);
                slowest[i] = fmax(slowest[i], minimum);
            }
        }
        printf("\n");
        lb_end_subject(&s);
    }

    // O(N) is a claim: how far is the time per body from constant?
    printf("# slowest over fastest, 10 to 10000 bodies:");
    for (int i = 0; i < LB_ALGORITHM_COUNT; ++i) {
        printf(" %s %.2f", LB_ALGORITHMS[i].name, slowest[i] / fastest[i]);
    }
    printf("\n");
    if (csv != NULL && fclose(csv) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
