// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine beside an FMU: a model file with its simulation, states near the initial one, and gaps.
#ifndef LB_TEST_FMU_ENGINE_H
#define LB_TEST_FMU_ENGINE_H

#include <limber/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "limber/dynamics.h"
#include "limber/io.h"
#include "limber/work.h"

typedef struct engine {
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
    lb_work *work;
    int q_count, v_count;
} engine;

static inline engine open_engine(const char *path)
{
    engine e = {.document = NULL};
    assert_int_equal(lb_load_document(path, NULL, NULL, &e.document), LB_OK);
    assert_int_equal(lb_load_document_model(e.document, NULL, &e.model), LB_OK);
    assert_int_equal(lb_load_simulation(e.document, e.model, NULL, &e.simulation), LB_OK);
    e.work = lb_create_work(e.model);
    e.q_count = lb_get_q_count(e.model);
    e.v_count = lb_get_v_count(e.model);
    return e;
}

static inline void close_engine(engine *e)
{
    lb_destroy_work(e->work);
    lb_destroy_simulation(e->simulation);
    lb_destroy_model(e->model);
    lb_destroy_document(e->document);
}

static inline double draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 23) - 1.0;
}

// A state near the initial one, with quaternions of unit length.
static inline void make_state(const engine *e, unsigned seed, double *x)
{
    const double *q, *v;
    double *step = calloc((size_t)e->v_count + 1, sizeof *step);
    lb_get_initial_state(e->simulation, &q, &v);
    for (int i = 0; i < e->v_count; ++i) {
        step[i] = 0.01 * draw(&seed);
        x[e->q_count + i] = v[i] + 0.1 * draw(&seed);
    }
    lb_integrate_configuration(e->model, q, step, x);
    free(step);
}

// The largest difference, relative to the largest entry.
static inline double get_gap(const double *x, const double *y, int count)
{
    double gap = 0, size = 0;
    for (int i = 0; i < count; ++i) {
        gap = fmax(gap, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return size > 0 ? gap / size : gap;
}

// The engine's state at a time, by its tightest tolerance.
static inline void run_engine(engine *e, double t, double *x)
{
    lb_run_options run = lb_default_run_options();
    const double *q, *v;
    double now;
    assert_int_equal(lb_get_run_options(e->simulation, &run), LB_OK);
    run.integrator = LB_INTEGRATOR_ERK;
    run.relative_tolerance = 1e-11;
    run.duration = t;
    assert_int_equal(lb_set_run_options(e->simulation, &run), LB_OK);
    assert_int_equal(lb_start_simulation(e->simulation), LB_OK);
    assert_int_equal(lb_advance_simulation(e->simulation, t), LB_OK);
    lb_get_simulation_state(e->simulation, &now, &q, &v, NULL);
    memcpy(x, q, (size_t)e->q_count * sizeof *x);
    memcpy(x + e->q_count, v, (size_t)e->v_count * sizeof *x);
}

#endif // LB_TEST_FMU_ENGINE_H
