// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time of the derivatives of forward dynamics with loops, by q, v and tau: of accelerations, and of loop
// forces besides, in evaluations of the same system. Planar four-bars in space, three of five rows
// redundant, apart and in a row; and rings, chains whose last link is held at the ground.
//
//     bench_loop_derivatives
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/closed_chain.h"
#include "measure.h"
#include "subject.h"

typedef struct lb_differentiated {
    lb_subject subject;
    lb_derivative_work *scratch;
    lb_constrained_derivatives out;
} lb_differentiated;

static lb_status lb_run_closed(void *subject)
{
    const lb_subject *s = &((lb_differentiated *)subject)->subject;
    return lb_closed_forward(s->model, s->work, s->q, s->v, NULL, s->tau, s->a, NULL, NULL);
}

static lb_status lb_run_derivatives(void *subject)
{
    const lb_differentiated *d = subject;
    const lb_subject *s = &d->subject;
    return lb_closed_derivatives(s->model, s->work, d->scratch, s->q, s->v, NULL, s->tau, s->a,
                                 NULL, NULL, &d->out);
}

static lb_scene *lb_create_bars(int loops, int shared)
{
    return lb_create_four_bars(loops, LB_LOOP_REVOLUTE, shared);
}

static lb_scene *lb_create_ring(int links, int unused)
{
    (void)unused;
    lb_scene *scene = lb_create_revolute_chain(links);
    scene->loops = calloc(1, sizeof *scene->loops);
    if (scene->loops == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    scene->loops[0] =
        (lb_scene_loop){.type = LB_LOOP_SPHERICAL, .body = {LB_GROUND, links - 1}, .node = {0, 1}};
    scene->loop_count = 1;
    return scene;
}

int main(void)
{
    static const struct {
        const char *name;
        lb_scene *(*create)(int size, int shared);
        int size, shared;
    } systems[] = {
        {"four-bar", lb_create_bars, 1, 0},
        {"10 four-bars apart", lb_create_bars, 10, 0},
        {"10 four-bars in a row", lb_create_bars, 10, 1},
        {"50 four-bars apart", lb_create_bars, 50, 0},
        {"50 four-bars in a row", lb_create_bars, 50, 1},
        {"ring of 7 links", lb_create_ring, 7, 0},
        {"ring of 30 links", lb_create_ring, 30, 0},
    };
    lb_print_setting();
    printf(
        "# minimum, us: an evaluation; derivatives of accelerations (in evaluations); and of loop "
        "forces\n");
    for (size_t i = 0; i < sizeof systems / sizeof *systems; ++i) {
        lb_differentiated d = {
            .subject = lb_begin_subject(systems[i].create(systems[i].size, systems[i].shared))};
        const lb_model *model = d.subject.model;
        const int n = lb_get_v_count(model), rows = 6 * lb_get_loop_capacity(model);
        for (int j = 0; j < n; ++j) { // away from singular positions
            d.subject.q[j] = 0.3 + 0.1 * (j % 3);
            d.subject.v[j] = 0.2 * (j % 5);
        }
        d.scratch = lb_create_derivative_work(model);
        d.out.size = sizeof d.out;
        d.out.a_dq = lb_make_numbers(n * n);
        d.out.a_dv = lb_make_numbers(n * n);
        d.out.a_dtau = lb_make_numbers(n * n);
        const lb_timing one = lb_time("evaluation", lb_run_closed, &d);
        const lb_timing plain = lb_time("derivatives", lb_run_derivatives, &d);
        d.out.forces_dq = lb_make_numbers(rows * n);
        d.out.forces_dv = lb_make_numbers(rows * n);
        d.out.forces_dtau = lb_make_numbers(rows * n);
        const lb_timing all = lb_time("with forces", lb_run_derivatives, &d);
        printf("%24s %4d speeds %8.2f  %10.1f (%6.1f)  %10.1f (%6.1f)\n", systems[i].name, n,
               1e-3 * one.minimum, 1e-3 * plain.minimum, plain.minimum / one.minimum,
               1e-3 * all.minimum, all.minimum / one.minimum);
        double *const outputs[] = {d.out.a_dq,      d.out.a_dv,      d.out.a_dtau,
                                   d.out.forces_dq, d.out.forces_dv, d.out.forces_dtau};
        for (size_t o = 0; o < sizeof outputs / sizeof *outputs; ++o) {
            free(outputs[o]);
        }
        lb_destroy_derivative_work(d.scratch);
        lb_end_subject(&d.subject);
    }
    return 0;
}
