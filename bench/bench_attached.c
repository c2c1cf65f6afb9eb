// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that call their own compiled C code (lb_attach_frozen) against the engine, in one run.
//
//     bench_attached MODEL ...
//
// Nanoseconds of one state: single calls, and batches of 800 states on one core. The minimum of rounds in which
// both take turns.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <limber/batch.h>
#include <limber/freeze.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

enum { ROUNDS = 40, STATES = 800, FUNCTIONS = 6 };

// One of the two models, with its workspaces.
typedef struct runner {
    lb_model *model;
    lb_work *work;
    lb_batch *batch;
    double *out;
} runner;

typedef struct inputs {
    double *q, *v, *x;
    int nq, n;
} inputs;

static double get_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run(const runner *r, const inputs *in, int function)
{
    int status = 0;
    switch (function) {
    case 0:
    case 1:
    case 2:
        for (int i = 0; i < STATES; ++i) {
            const double *q = in->q + i * in->nq, *v = in->v + i * in->n, *x = in->x + i * in->n;
            const int one =
                function == 0   ? lb_compute_forward_dynamics(r->model, r->work, q, v, x, r->out)
                : function == 1 ? lb_compute_inverse_dynamics(r->model, r->work, q, v, x, r->out)
                                : lb_compute_mass_matrix(r->model, r->work, q, r->out);
            status = one < 0 ? one : status;
        }
        return status;
    case 3:
        return lb_compute_forward_dynamics_batch(r->model, r->batch, STATES, in->q, in->v, in->x,
                                                 r->out);
    case 4:
        return lb_compute_inverse_dynamics_batch(r->model, r->batch, STATES, in->q, in->v, in->x,
                                                 r->out);
    default:
        return lb_compute_mass_matrix_batch(r->model, r->batch, STATES, in->q, r->out);
    }
}

static double time_states(const runner *r, const inputs *in, int function)
{
    const double start = get_seconds();
    if (run(r, in, function) < 0) {
        fprintf(stderr, "bench_attached: a function failed\n");
        exit(1);
    }
    return (get_seconds() - start) * 1e9 / STATES;
}

static void draw_states(const lb_model *model, inputs *in)
{
    unsigned seed = 1;
    double *d = lb_make_numbers(in->n), *neutral = lb_make_numbers(in->nq);
    lb_get_neutral_configuration(model, neutral);
    for (int i = 0; i < STATES; ++i) {
        for (int j = 0; j < in->n; ++j) {
            double *const numbers[] = {d + j, in->v + i * in->n + j, in->x + i * in->n + j};
            for (int k = 0; k < 3; ++k) {
                seed = seed * 1664525u + 1013904223u;
                *numbers[k] = (double)seed / 2147483648.0 - 1.0;
            }
        }
        // modal coordinates stay small
        for (int body = 0; body < lb_get_body_count(model); ++body) {
            for (int j = 0; j < lb_get_mode_count(model, body); ++j) {
                d[lb_get_v_offset(model, body) + j] *= 0.01;
            }
        }
        lb_integrate_configuration(model, neutral, d, in->q + i * in->nq);
    }
    free(d);
    free(neutral);
}

static int race(const char *path)
{
    static const char *const names[FUNCTIONS] = {"forward",        "inverse",        "mass",
                                                 "forward, batch", "inverse, batch", "mass, batch"};
    runner runners[2] = {0};
    lb_attach_options options = lb_default_attach_options();
    options.allow_plugins = true;
    for (int i = 0; i < 2; ++i) {
        if (lb_load_model(path, NULL, NULL, &runners[i].model) < 0) {
            fprintf(stderr, "bench_attached: %s cannot be loaded\n", path);
            return 0;
        }
    }
    if (lb_attach_frozen(runners[1].model, &options, NULL) < 0) {
        fprintf(stderr, "bench_attached: %s cannot be attached\n", path);
        return 0;
    }
    const lb_model *model = runners[0].model;
    inputs in = {.nq = lb_get_q_count(model), .n = lb_get_v_count(model)};
    in.q = lb_make_numbers(STATES * in.nq);
    in.v = lb_make_numbers(STATES * in.n);
    in.x = lb_make_numbers(STATES * in.n);
    draw_states(model, &in);
    for (int i = 0; i < 2; ++i) {
        runners[i].work = lb_create_work(runners[i].model);
        runners[i].batch = lb_create_batch(runners[i].model, NULL);
        runners[i].out = lb_make_numbers(STATES * in.n * in.n);
    }
    const char *slash = strrchr(path, '/');
    for (int f = 0; f < FUNCTIONS; ++f) {
        double least[2] = {HUGE_VAL, HUGE_VAL};
        for (int i = 0; i < 2 * ROUNDS; ++i) {
            least[i % 2] = fmin(least[i % 2], time_states(&runners[i % 2], &in, f));
        }
        printf("%-24s %-16s %9.1f %9.1f %6.3f\n", slash ? slash + 1 : path, names[f], least[0],
               least[1], least[1] / least[0]);
        fflush(stdout);
    }
    for (int i = 0; i < 2; ++i) {
        lb_destroy_work(runners[i].work);
        lb_destroy_batch(runners[i].batch);
        lb_destroy_model(runners[i].model);
        free(runners[i].out);
    }
    free(in.q);
    free(in.v);
    free(in.x);
    return 1;
}

int main(int argc, char **argv)
{
    int good = 1;
    lb_print_setting();
    printf("# %-22s %-16s %9s %9s %6s\n", "model", "function", "engine ns", "own ns", "ratio");
    for (int i = 1; i < argc; ++i) {
        good = race(argv[i]) && good;
    }
    return good ? 0 : 1;
}
