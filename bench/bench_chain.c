// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time per body of the O(N) algorithms on chains of 1 to 10,000 rigid links on revolute hinges.
//
//     bench_chain [CSV]
//
// Prints a table, and writes the same numbers to the file CSV. Each number is the minimum (and the
// median) over many rounds of the same evaluation at the same state.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "subject.h"

// ---- what is timed -----------------------------------------------------------------------------

static lb_status lb_run_articulated(void *subject)
{
    const lb_subject *s = subject;
    return lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status lb_run_inverse(void *subject)
{
    const lb_subject *s = subject;
    return lb_compute_inverse_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status lb_run_kinematics(void *subject)
{
    const lb_subject *s = subject;
    return lb_compute_kinematics(s->model, s->work, s->q, s->v, s->tau);
}

typedef struct lb_race {
    const char *name;
    lb_status (*run)(void *subject);
} lb_race;

static const lb_race LB_RACES[] = {
    {"articulated", lb_run_articulated},
    {"inverse", lb_run_inverse},
    {"kinematics", lb_run_kinematics},
};
enum { LB_RACE_COUNT = sizeof LB_RACES / sizeof *LB_RACES };

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
    lb_print_setting();
    printf("# ns per body of a chain of revolute links: minimum (median)\n%8s", "bodies");
    for (int i = 0; i < LB_RACE_COUNT; ++i) {
        printf("  %18s", LB_RACES[i].name);
    }
    printf("\n");
    if (csv != NULL) {
        fprintf(csv,
                "algorithm,bodies,min_ns_per_body,median_ns_per_body,machine,compiler,commit\n");
    }

    double fastest[LB_RACE_COUNT], slowest[LB_RACE_COUNT] = {0};
    for (int i = 0; i < LB_RACE_COUNT; ++i) {
        fastest[i] = HUGE_VAL;
    }
    for (int j = 0; j < size_count; ++j) {
        lb_subject s = lb_begin_subject(lb_create_revolute_chain(sizes[j]));
        lb_draw_subject(&s);
        printf("%8d", sizes[j]);
        for (int i = 0; i < LB_RACE_COUNT; ++i) {
            const lb_timing t = lb_time(LB_RACES[i].name, LB_RACES[i].run, &s);
            const double minimum = t.minimum / sizes[j], median = t.median / sizes[j];
            printf("  %8.1f (%7.1f)", minimum, median);
            fflush(stdout);
            if (csv != NULL) {
                fprintf(csv, "%s,%d,%.2f,%.2f,\"%s\",\"%s\",%s\n", LB_RACES[i].name, sizes[j],
                        minimum, median, machine, lb_get_compiler(), lb_get_commit());
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
    for (int i = 0; i < LB_RACE_COUNT; ++i) {
        printf(" %s %.2f", LB_RACES[i].name, slowest[i] / fastest[i]);
    }
    printf("\n");
    if (csv != NULL && fclose(csv) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
