// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time per loop of forward dynamics with loops that meet at one body: platforms on 2 to 10,000 legs,
// closed by spherical loops and by welds (short of three dofs on every leg), and free flyers with as many
// closed arms; as built, with hubs where they are worth it, and without any as far as that can be waited
// for.
//
//     bench_hubs [CSV]
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_plan.h"
#include "dynamics/loops/loop_work.h"
#include "measure.h"
#include "subject.h"

static lb_status lb_run_closed(void *subject)
{
    const lb_subject *s = subject;
    return lb_closed_forward(s->model, s->work, s->q, s->v, NULL, s->tau, s->a, NULL, NULL);
}

// The same model without hubs.
static void lb_leave_out_hubs(lb_subject *s)
{
    lb_arena scratch;
    lb_destroy_work(s->work);
    scratch = lb_make_arena(&s->model->arena.allocator);
    const lb_status status = lb_build_loop_pattern(s->model, &scratch, LB_HUBS_NEVER);
    lb_arena_free(&scratch);
    s->work = status == LB_OK ? lb_create_work(s->model) : NULL;
    if (s->work == NULL) {
        fputs("cannot do without hubs\n", stderr);
        exit(1);
    }
}

enum { LB_LEGS, LB_WELDED_LEGS, LB_ARMS, LB_SYSTEM_COUNT };

static lb_subject lb_begin_system(int system, int n)
{
    lb_subject s = lb_begin_subject(system == LB_ARMS   ? lb_create_flyer(n, LB_LOOP_REVOLUTE)
                                    : system == LB_LEGS ? lb_create_platform(n, LB_LOOP_SPHERICAL)
                                                        : lb_create_platform(n, LB_LOOP_WELD));
    lb_get_neutral_configuration(s.model, s.q);
    if (system != LB_ARMS) {
        lb_place_platform(s.scene, s.q);
    }
    return s;
}

int main(int argc, char **argv)
{
    const int sizes[] = {2, 3, 4, 6, 10, 30, 100, 300, 1000, 3000, 10000}, plain_most = 100;
    const char *const names[] = {"legs", "welded-legs", "arms"};
    FILE *csv = NULL;
    if (argc > 2 || (argc == 2 && (csv = fopen(argv[1], "w")) == NULL)) {
        fprintf(stderr, "usage: bench_hubs [CSV]\n");
        return 2;
    }
    char machine[128];
    lb_get_machine(machine, sizeof machine);
    lb_print_setting();
    printf("# us per loop of n loops at one body, minimum: as built, without hubs (times)\n%8s",
           "loops");
    for (int system = 0; system < LB_SYSTEM_COUNT; ++system) {
        printf("  %27s", names[system]);
    }
    printf("\n");
    if (csv != NULL) {
        fprintf(csv,
                "system,hubs,loops,min_ns_per_loop,median_ns_per_loop,machine,compiler,commit\n");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const int n = sizes[i];
        printf("%8d", n);
        for (int system = 0; system < LB_SYSTEM_COUNT; ++system) {
            double least[2] = {0, 0};
            for (int plain = 0; plain < (n <= plain_most ? 2 : 1); ++plain) {
                lb_subject s = lb_begin_system(system, n);
                if (plain) {
                    lb_leave_out_hubs(&s);
                }
                const lb_timing t = lb_time(names[system], lb_run_closed, &s);
                least[plain] = t.minimum / n;
                if (csv != NULL) {
                    fprintf(csv, "%s,%d,%d,%.1f,%.1f,\"%s\",\"%s\",%s\n", names[system],
                            s.model->pattern->hub_count, n, t.minimum / n, t.median / n, machine,
                            lb_get_compiler(), lb_get_commit());
                }
                lb_end_subject(&s);
            }
            printf("  %8.2f", 1e-3 * least[0]);
            if (least[1] > 0) {
                printf("  %8.2f (%5.1f)", 1e-3 * least[1], least[1] / least[0]);
            } else {
                printf("  %8s  %5s  ", "", "");
            }
        }
        printf("\n");
        fflush(stdout);
    }
    if (csv != NULL && fclose(csv) != 0) {
        fputs("cannot write the table\n", stderr);
        return 1;
    }
    return 0;
}
