// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

lb_subject lb_begin_subject(lb_scene *scene)
{
    lb_subject s = {.scene = scene};
    s.model = lb_build_scene(scene);
    s.work = s.model != NULL ? lb_create_work(s.model) : NULL;
    if (s.work == NULL) {
        fputs("cannot build the scene\n", stderr);
        exit(1);
    }
    s.q = lb_make_numbers(scene->q_count);
    s.v = lb_make_numbers(scene->v_count);
    s.tau = lb_make_numbers(scene->v_count);
    s.a = lb_make_numbers(scene->v_count);
    s.x = lb_make_numbers(scene->v_count);
    return s;
}

void lb_draw_subject(lb_subject *s)
{
    lb_random random;
    lb_seed_random(&random, 1);
    lb_draw_state(s->scene, &random, s->q, s->v);
    lb_draw_vector(&random, s->scene->v_count, 1.0, s->tau);
}

void lb_end_subject(lb_subject *s)
{
    free(s->q);
    free(s->v);
    free(s->tau);
    free(s->a);
    free(s->x);
    free(s->M);
    lb_destroy_work(s->work);
    lb_destroy_model(s->model);
    lb_destroy_scene(s->scene);
}
