// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time per loop of forward dynamics with loops: 1 to 10,000 planar four-bars in space, each closed by a
// revolute loop of which three rows of five are redundant; apart, each on the ground by itself, and in
// a row, where each shares a rocker with the next. And what it costs to release and make, or to alter,
// one loop of 333 four-bars (999 bodies), beside one evaluation of them.
//
//     bench_loops [CSV]
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "measure.h"
#include "subject.h"

static lb_status lb_run_closed(void *subject)
{
    const lb_subject *s = subject;
    return lb_closed_forward(s->model, s->work, s->q, s->v, NULL, s->tau, s->a, NULL, NULL);
}

static lb_status lb_run_tree(void *subject)
{
    const lb_subject *s = subject;
    return lb_tree_forward(s->model, s->work, s->q, s->v, s->tau, s->a);
}

// One loop released, or made again.
static lb_status lb_run_toggle(void *subject)
{
    lb_subject *s = subject;
    s->turn = !s->turn;
    return lb_set_loop_active(s->model, s->work, lb_get_loop_count(s->model) / 2, s->turn);
}

// One loop altered: another axis.
static lb_status lb_run_alter(void *subject)
{
    lb_subject *s = subject;
    const int loop = lb_get_loop_count(s->model) / 2;
    lb_loop_ends ends = {.size = sizeof ends};
    lb_get_loop_ends(s->model, s->work, loop, &ends);
    s->turn = !s->turn;
    ends.axis[0] = s->turn ? 0.1 : 0.0;
    return lb_alter_loop(s->model, s->work, loop, &ends);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1, 10, 100, 1000, 10000};
    FILE *csv = NULL;
    if (argc > 2 || (argc == 2 && (csv = fopen(argv[1], "w")) == NULL)) {
        fprintf(stderr, "usage: bench_loops [CSV]\n");
        return 2;
    }
    char machine[128];
    lb_get_machine(machine, sizeof machine);
    lb_print_setting();
    printf("# ns per loop of n four-bars: minimum (median)\n%8s  %18s  %18s  %18s  %18s\n", "loops",
           "apart", "apart, tree", "in a row", "in a row, tree");
    if (csv != NULL) {
        fprintf(csv, "system,loops,min_ns_per_loop,median_ns_per_loop,machine,compiler,commit\n");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        printf("%8d", sizes[i]);
        for (int column = 0; column < 4; ++column) {
            const char *const names[] = {"apart", "apart-tree", "row", "row-tree"};
            lb_subject s =
                lb_begin_subject(lb_create_four_bars(sizes[i], LB_LOOP_REVOLUTE, column / 2));
            const lb_timing t =
                lb_time(names[column], column % 2 ? lb_run_tree : lb_run_closed, &s);
            const double least = t.minimum / sizes[i], median = t.median / sizes[i];
            printf("  %8.0f (%7.0f)", least, median);
            if (csv != NULL) {
                fprintf(csv, "%s,%d,%.1f,%.1f,\"%s\",\"%s\",%s\n", names[column], sizes[i], least,
                        median, machine, lb_get_compiler(), lb_get_commit());
            }
            lb_end_subject(&s);
        }
        printf("\n");
    }
    lb_subject s = lb_begin_subject(lb_create_four_bars(333, LB_LOOP_REVOLUTE, 0));
    const lb_timing evaluation = lb_time("evaluation", lb_run_closed, &s);
    const lb_timing toggle = lb_time("toggle", lb_run_toggle, &s);
    const lb_timing alter = lb_time("alter", lb_run_alter, &s);
    printf(
        "# one of 333 loops released or made: %.0f ns, altered: %.0f ns, an evaluation: %.0f ns\n",
        toggle.minimum, alter.minimum, evaluation.minimum);
    lb_end_subject(&s);
    if (csv != NULL && fclose(csv) != 0) {
        fputs("cannot write the table\n", stderr);
        return 1;
    }
    return 0;
}
