// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "sweep_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"

#ifdef LB_WITH_CUDA

#include <limber/cuda.h>
#include <limber/freeze.h>
#include <limber/simulate.h>

#include "../src/command.h"

// Arithmetic of one kernel, as lb_create_cuda_batch has it.
enum { OPERATIONS = 6000 };

typedef struct gpu {
    lb_cuda *cuda;
    lb_cuda_batch *batch;
    long long count;
    int q_count, v_count, output_count;
    void *q, *v, *tau, *past, *y;
    lb_cuda_run run;
} gpu;

static lb_status complain(const gpu *g, lb_status status)
{
    if (status < LB_OK && status != LB_E_MEMORY) {
        lb_cli_complain("--gpu: %s", lb_get_cuda_message(g->cuda));
    }
    return status;
}

static void release(gpu *g)
{
    void **const all[] = {&g->q, &g->v, &g->tau, &g->past, &g->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        lb_release_on_cuda(g->cuda, *all[i]);
        *all[i] = NULL;
    }
    lb_destroy_cuda_batch(g->batch);
    g->batch = NULL;
}

static lb_status allocate(gpu *g, int width, void **memory)
{
    return lb_allocate_on_cuda(g->cuda, (size_t)g->count * (size_t)width * sizeof(double), memory);
}

static const char *choose_method(lb_integrator integrator, lb_cuda_method *method)
{
    *method = integrator == LB_INTEGRATOR_RK4     ? LB_CUDA_RK4
              : integrator == LB_INTEGRATOR_EULER ? LB_CUDA_EULER
                                                  : LB_CUDA_ALPHA;
    static const char *const functions[] = {"step,outputs", "step:euler,outputs",
                                            "step:alpha,outputs"};
    return functions[*method];
}

static lb_status open_batch(void *user, lb_simulation *simulation, int64_t count)
{
    gpu *g = user;
    const lb_report report = lb_cli_make_complaint();
    lb_run_options o = {.size = sizeof o};
    lb_frozen *frozen = NULL;
    lb_freeze_options options = lb_default_freeze_options();
    lb_get_run_options(simulation, &o);
    release(g);
    g->run = lb_default_cuda_run();
    options.functions = choose_method(o.integrator, &g->run.method);
    options.language = LB_FROZEN_CUDA;
    options.operation_count = OPERATIONS;
    g->run.damping = o.damping;
    g->count = count;
    lb_status status = lb_freeze_simulation(simulation, &options, &report, &frozen);
    if (status == LB_OK && lb_get_frozen_count(frozen, LB_FROZEN_INPUTS) > 0) {
        lb_cli_complain("--gpu: actuator '%s': nobody commands it; leave it out",
                        lb_get_frozen_entry(frozen, LB_FROZEN_INPUTS, 0));
        status = LB_E_UNSUPPORTED;
    }
    if (status == LB_OK) {
        g->q_count = lb_get_frozen_count(frozen, LB_FROZEN_Q);
        g->v_count = lb_get_frozen_count(frozen, LB_FROZEN_V);
        g->output_count = lb_get_frozen_count(frozen, LB_FROZEN_OUTPUTS);
        status = lb_load_cuda_batch(g->cuda, frozen, NULL, &report, &g->batch);
    }
    lb_destroy_frozen(frozen);
    const int widths[] = {g->q_count, g->v_count, g->v_count, g->v_count, g->output_count};
    void **const all[] = {&g->q, &g->v, &g->tau, &g->past, &g->y};
    for (size_t i = 0; status == LB_OK && i < sizeof all / sizeof *all; ++i) {
        status = complain(g, allocate(g, widths[i], all[i]));
    }
    g->run.tau = g->tau;
    g->run.past = g->past;
    return status;
}

static lb_status start(void *user, const double *q, const double *v)
{
    gpu *g = user;
    double *zeros = lb_cli_calloc((size_t)g->count * (size_t)g->v_count + 1, sizeof *zeros);
    lb_status status = lb_copy_states_to_cuda(g->batch, g->count, g->v_count, zeros, g->tau);
    free(zeros);
    status =
        status < LB_OK ? status : lb_copy_states_to_cuda(g->batch, g->count, g->q_count, q, g->q);
    return complain(g, status < LB_OK
                           ? status
                           : lb_copy_states_to_cuda(g->batch, g->count, g->v_count, v, g->v));
}

static lb_status advance(void *user, double t, double step, int64_t step_count, double latest,
                         bool goes_on)
{
    gpu *g = user;
    g->run.start = t;
    g->run.step = step;
    g->run.step_count = step_count;
    g->run.latest = latest;
    g->run.goes_on = goes_on;
    return complain(g, lb_run_cuda(g->batch, g->count, &g->run, g->q, g->v));
}

static lb_status compute_outputs(void *user, double t, double *y)
{
    gpu *g = user;
    const lb_status status =
        lb_compute_outputs_cuda(g->batch, g->count, t, g->q, g->v, g->tau, NULL, g->y);
    return complain(
        g, status < LB_OK ? status
                          : lb_copy_states_from_cuda(g->batch, g->count, g->output_count, g->y, y));
}

bool lb_cli_check_sweep_gpu(const lb_cli_sweep *s)
{
    const lb_report report = lb_cli_make_complaint();
    lb_cuda *cuda = NULL;
    lb_status status = lb_check_side_by_side(s->sweep, &report);
    status = status < LB_OK ? status : lb_create_cuda(NULL, &report, &cuda);
    lb_destroy_cuda(cuda);
    return lb_cli_check_memory(status) >= LB_OK;
}

bool lb_cli_run_sweep_gpu(const lb_cli_sweep *s, int64_t count, const int64_t *indices,
                          lb_sample_done *done, void *user)
{
    gpu g = {.cuda = NULL};
    const lb_report report = lb_cli_make_complaint();
    const lb_side_by_side sides = {.size = sizeof sides,
                                   .user = &g,
                                   .open = open_batch,
                                   .start = start,
                                   .advance = advance,
                                   .compute_outputs = compute_outputs};
    lb_status status = lb_create_cuda(NULL, &report, &g.cuda);
    if (status == LB_OK) {
        status = lb_evaluate_samples(s->sweep, &sides, count, indices, &report, done, user);
        release(&g);
    }
    lb_destroy_cuda(g.cuda);
    return lb_cli_check_memory(status) == LB_OK;
}

#else

bool lb_cli_check_sweep_gpu(const lb_cli_sweep *s)
{
    (void)s;
    lb_cli_complain("--gpu: this limber was built without limber-cuda");
    return false;
}

bool lb_cli_run_sweep_gpu(const lb_cli_sweep *s, int64_t count, const int64_t *indices,
                          lb_sample_done *done, void *user)
{
    (void)s, (void)count, (void)indices, (void)done, (void)user;
    return false;
}

#endif
