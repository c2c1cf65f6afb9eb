// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model with a thousand states on a device, and what is to be computed of them.
#ifndef LB_TEST_CUDA_TRIAL_H
#define LB_TEST_CUDA_TRIAL_H

#include <limber/cuda.h>
#include <limber/dynamics.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "heard.h"

static lb_cuda *device;

// 1e-12: what the project promises of the device, on models of moderate condition
static const double tolerance = 1e-12;

enum { COUNT = 1000, MOST = 24 };

typedef struct trial {
    lb_model *model;
    lb_work *work;
    int nq, n;
    double *q, *v, *tau, *found, *expected;
    void *device_q, *device_v, *device_tau, *out[4];
} trial;

static void *allocate(size_t count)
{
    void *memory = NULL;
    lb_expect_ok(lb_allocate_on_cuda(device, count * sizeof(double), &memory));
    return memory;
}

static trial begin(lb_model *model)
{
    trial t = {.model = model};
    t.work = lb_create_work(model);
    t.nq = lb_get_q_count(model);
    t.n = lb_get_v_count(model);
    assert_true(t.nq <= MOST + 3 && t.n <= MOST);
    const size_t n = (size_t)t.n, nq = (size_t)t.nq;
    t.q = lb_make_numbers(COUNT * nq);
    t.v = lb_make_numbers(COUNT * n);
    t.tau = lb_make_numbers(COUNT * n);
    t.found = lb_make_numbers(COUNT * n * n + COUNT * nq);
    t.expected = lb_make_numbers(n * n * 3 + n + nq);
    double neutral[MOST + 3], d[MOST];
    lb_get_neutral_configuration(model, neutral);
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < t.n; ++j) {
            d[j] = sin(1.0 + j + 0.37 * i);
            t.v[i * t.n + j] = 0.3 * cos(0.21 * i + 2.0 * j);
            t.tau[i * t.n + j] = sin(0.11 * i - 3.0 * j);
        }
        for (int body = 0; body < lb_get_body_count(model); ++body) {
            for (int r = 0; r < lb_get_mode_count(model, body); ++r) {
                d[lb_get_v_offset(model, body) + r] *= 1e-2;
            }
        }
        lb_integrate_configuration(model, neutral, d, t.q + i * t.nq);
    }
    t.device_q = allocate(COUNT * nq);
    t.device_v = allocate(COUNT * n);
    t.device_tau = allocate(COUNT * n);
    for (int i = 0; i < 4; ++i) {
        t.out[i] = allocate(COUNT * n * n);
    }
    return t;
}

static void send(trial *t, lb_cuda_batch *batch)
{
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->nq, t->q, t->device_q));
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->n, t->v, t->device_v));
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->n, t->tau, t->device_tau));
}

static void end(trial *t)
{
    double *const host[] = {t->q, t->v, t->tau, t->found, t->expected};
    void *const far[] = {t->device_q, t->device_v, t->device_tau, t->out[0],
                         t->out[1],   t->out[2],   t->out[3]};
    for (size_t i = 0; i < sizeof host / sizeof *host; ++i) {
        free(host[i]);
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
        lb_release_on_cuda(device, far[i]);
    }
    lb_destroy_work(t->work);
    lb_destroy_model(t->model);
}

static lb_cuda_batch *make_batch(const lb_model *model, const char *functions,
                                 lb_frozen_number number, int thread_count)
{
    lb_cuda_batch_options options = lb_default_cuda_batch_options();
    lb_cuda_batch *batch = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    options.functions = functions;
    options.number = number;
    options.thread_count = thread_count;
    options.operation_count = 700; // some functions in parts
    options.chunk_count = 300;     // of some states at a time
    const lb_status status = lb_create_cuda_batch(device, model, &options, &report, &batch);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return batch;
}

#endif
