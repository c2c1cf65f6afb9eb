// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef LB_COMMIT
#define LB_COMMIT "unknown"
#endif
#ifndef LB_FLAGS
#define LB_FLAGS "unknown"
#endif

enum { LB_MAX_ROUNDS = 400, LB_BATCH_NS = 200000 };

double *lb_make_numbers(int count)
{
    double *numbers = calloc(count > 0 ? (size_t)count : 1, sizeof *numbers);
    if (numbers == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return numbers;
}

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

lb_timing lb_time(const char *name, lb_status (*run)(void *subject), void *subject)
{
    // warm up, and find how many calls make a round that the clock can measure
    int batch = 1;
    for (double ns = 0.0; ns < LB_BATCH_NS; batch *= 2) {
        const double start = lb_get_ns();
        for (int i = 0; i < batch; ++i) {
            if (run(subject) != LB_OK) {
                fprintf(stderr, "%s failed\n", name);
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
            (void)run(subject);
        }
        rounds[count++] = (lb_get_ns() - start) / batch;
    }
    qsort(rounds, (size_t)count, sizeof *rounds, lb_compare_numbers);
    const lb_timing timing = {rounds[0], rounds[count / 2]};
    return timing;
}

void lb_get_machine(char *name, size_t size)
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

const char *lb_get_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

const char *lb_get_flags(void)
{
    return LB_FLAGS;
}

const char *lb_get_commit(void)
{
    return LB_COMMIT;
}

void lb_print_setting(void)
{
    char machine[128];
    lb_get_machine(machine, sizeof machine);
    printf("# limber %s, commit %s\n# %s\n# %s\n", lb_get_version(), LB_COMMIT, machine,
           lb_get_compiler());
}
