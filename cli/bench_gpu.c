// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "bench_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"

void lb_cli_print_gpu_times(const lb_cli_gpu_times *g)
{
    printf("\n%-24s%14s%14s%14s\n", "states a second, GPU", "fastest", "median", "with copies");
    for (int i = 0; i < LB_CLI_GPU_FUNCTIONS; ++i) {
        printf("%-24s%14.3e%14.3e%14.3e\n", g->names[i], g->fastest[i], g->rates[i], g->copied[i]);
    }
    printf("\n%d states in a batch, on %s\n", g->count, g->device);
}

void lb_cli_write_gpu_times(lb_cli_json *json, const lb_cli_gpu_times *g)
{
    lb_cli_json_open(json, "gpu", '{');
    lb_cli_json_string(json, "device", g->device);
    lb_cli_json_integer(json, "states", g->count);
    for (int i = 0; i < LB_CLI_GPU_FUNCTIONS; ++i) {
        lb_cli_json_open(json, g->names[i], '{');
        lb_cli_json_number(json, "states_per_second", g->rates[i]);
        lb_cli_json_number(json, "fastest", g->fastest[i]);
        lb_cli_json_number(json, "with_copies", g->copied[i]);
        lb_cli_json_integer(json, "registers", g->registers[i]);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, '}');
}

#ifdef LB_WITH_CUDA

#include <limber/cuda.h>

enum { IN_Q, IN_V, IN_TAU, IN_COUNT };

typedef struct gpu {
    lb_cuda *cuda;
    lb_cuda_batch *batch;
    int count, width[IN_COUNT];
    const double *host[IN_COUNT];
    void *in[IN_COUNT], *out;
    double *answer; // on the host
} gpu;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static lb_status send(gpu *g)
{
    lb_status status = LB_OK;
    for (int i = 0; status == LB_OK && i < IN_COUNT; ++i) {
        status = lb_copy_states_to_cuda(g->batch, g->count, g->width[i], g->host[i], g->in[i]);
    }
    return status;
}

static lb_status run(gpu *g, int function)
{
    switch (function) {
    case 0:
        return lb_compute_forward_dynamics_cuda(g->batch, g->count, g->in[IN_Q], g->in[IN_V],
                                                g->in[IN_TAU], g->out);
    case 1:
        return lb_compute_inverse_dynamics_cuda(g->batch, g->count, g->in[IN_Q], g->in[IN_V],
                                                g->in[IN_TAU], g->out);
    default:
        return lb_compute_mass_matrix_cuda(g->batch, g->count, g->in[IN_Q], g->out);
    }
}

static lb_status time_function(gpu *g, int function, int rounds, double *samples,
                               lb_cli_gpu_times *times)
{
    const int nv = g->width[IN_V];
    int local;
    lb_status status = run(g, function);
    for (int i = 0; status == LB_OK && i < rounds; ++i) {
        status = lb_start_cuda_clock(g->cuda);
        status = status == LB_OK ? run(g, function) : status;
        status = status == LB_OK ? lb_stop_cuda_clock(g->cuda, &samples[i]) : status;
    }
    const double start = lb_get_wall_time();
    status = status == LB_OK ? send(g) : status;
    status = status == LB_OK ? run(g, function) : status;
    if (status == LB_OK) {
        status = lb_copy_states_from_cuda(g->batch, g->count, function == 2 ? nv * nv : nv, g->out,
                                          g->answer);
    }
    times->copied[function] = g->count / (lb_get_wall_time() - start);
    if (status == LB_OK) {
        qsort(samples, (size_t)rounds, sizeof *samples, compare);
        times->rates[function] = g->count / samples[rounds / 2];
        times->fastest[function] = g->count / samples[0];
        status = lb_get_cuda_kernel_cost(g->batch, times->names[function],
                                         &times->registers[function], &local);
    }
    return status;
}

static lb_status time_all(gpu *g, int rounds, lb_cli_gpu_times *times)
{
    const size_t nv = (size_t)g->width[IN_V], square = (size_t)g->count * nv * nv;
    lb_status status = LB_OK;
    double *samples = lb_cli_allocate(1, rounds, "rounds");
    g->answer = lb_cli_malloc(square * sizeof *g->answer);
    for (int i = 0; status == LB_OK && i < IN_COUNT; ++i) {
        status = lb_allocate_on_cuda(
            g->cuda, (size_t)g->count * (size_t)g->width[i] * sizeof(double), &g->in[i]);
    }
    if (status == LB_OK) {
        status = lb_allocate_on_cuda(g->cuda, square * sizeof(double), &g->out);
    }
    status = status == LB_OK ? send(g) : status;
    for (int i = 0; status == LB_OK && i < LB_CLI_GPU_FUNCTIONS; ++i) {
        status = time_function(g, i, rounds, samples, times);
    }
    if (status < LB_OK) {
        lb_cli_complain("%s", lb_get_cuda_message(g->cuda));
    }
    free(samples);
    free(g->answer);
    for (int i = 0; i < IN_COUNT; ++i) {
        lb_release_on_cuda(g->cuda, g->in[i]);
    }
    lb_release_on_cuda(g->cuda, g->out);
    return status;
}

bool lb_cli_bench_gpu(const lb_model *model, int count, int rounds, const double *q,
                      const double *v, const double *tau, lb_cli_gpu_times *times)
{
    const int nv = lb_get_v_count(model);
    gpu g = {.count = count, .width = {lb_get_q_count(model), nv, nv}, .host = {q, v, tau}};
    const lb_report report = lb_cli_make_complaint();
    *times = (lb_cli_gpu_times){.count = count, .names = {"forward", "inverse", "mass"}};
    lb_status status = lb_create_cuda(NULL, &report, &g.cuda);
    if (status == LB_OK) {
        (void)snprintf(times->device, sizeof times->device, "%s", lb_get_cuda_name(g.cuda));
        status = lb_create_cuda_batch(g.cuda, model, NULL, &report, &g.batch);
    }
    if (status == LB_OK) {
        status = time_all(&g, rounds, times);
    }
    lb_destroy_cuda_batch(g.batch);
    lb_destroy_cuda(g.cuda);
    return status >= LB_OK;
}

#else

bool lb_cli_bench_gpu(const lb_model *model, int count, int rounds, const double *q,
                      const double *v, const double *tau, lb_cli_gpu_times *times)
{
    (void)model, (void)count, (void)rounds, (void)q, (void)v, (void)tau, (void)times;
    lb_cli_complain("--gpu: this limber was built without limber-cuda");
    return false;
}

#endif
