// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What benchmarks of scenes time: a scene, its model and a state.
#ifndef LB_BENCH_SUBJECT_H
#define LB_BENCH_SUBJECT_H

#include "scenes.h"

typedef struct lb_subject {
    lb_scene *scene;
    lb_model *model;
    lb_work *work;
    double *q, *v, *tau, *a, *x; ///< zero; the last two for answers
    double *M;                   ///< of the composite route; NULL otherwise
    int turn;                    ///< of what alternates
} lb_subject;

/// A subject of a scene, which it then owns. Ends the program if it cannot be built.
lb_subject lb_begin_subject(lb_scene *scene);

/// A random state and random forces.
void lb_draw_subject(lb_subject *subject);

void lb_end_subject(lb_subject *subject);

#endif // LB_BENCH_SUBJECT_H
