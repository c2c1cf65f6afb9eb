// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulations with force elements on a graphics processor: time, and differences to the engine.
//
//     bench_cuda_run METHOD COUNT STEPS STEP MODEL
//     bench_cuda_run --write FILE METHOD MODEL     the text of the kernels
//
// METHOD is rk4, euler or alpha. States are the initial state of the model, moved a little. The row is CSV, as those of
// bench_cuda.
#define _POSIX_C_SOURCE 200809L
#include <limber/cuda.h>
#include <limber/document.h>
#include <limber/forces.h>
#include <limber/simulate.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/cuda/cuda_clock.h"
#include "simulate/forces/force_set.h"

enum { SAMPLE = 4, MOST = 256 };

typedef struct subject {
    lb_document *document;
    lb_model *model;
    int nq, n;
    lb_integrator integrator;
    double h;
} subject;

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    if (diagnostic->severity == LB_SEVERITY_ERROR) {
        fprintf(stderr, "bench_cuda_run: %s\n", diagnostic->message);
    }
}

static const lb_report report = {complain, NULL};

static void check(lb_status status, const char *what)
{
    if (status < LB_OK) {
        fprintf(stderr, "bench_cuda_run: %s: %s\n", what, lb_get_status_text(status));
        exit(1);
    }
}

static lb_simulation *make_simulation(const subject *s, double duration)
{
    lb_simulation *simulation = NULL;
    lb_run_options options = {.size = sizeof options};
    check(lb_load_simulation(s->document, s->model, &report, &simulation), "simulation");
    check(lb_get_run_options(simulation, &options), "options");
    options.integrator = s->integrator;
    options.step = s->h;
    options.duration = duration;
    options.interval = duration;
    check(lb_set_run_options(simulation, &options), "options");
    return simulation;
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

// The initial state of the model, each speed and place moved by up to a tenth; modes by less.
static void draw_states(const subject *s, long long count, double *q, double *v)
{
    lb_simulation *simulation = make_simulation(s, 1.0);
    const double *q0, *v0;
    double t, d[MOST];
    uint64_t seed = 11;
    check(lb_start_simulation(simulation), "start");
    lb_get_simulation_state(simulation, &t, &q0, &v0, NULL);
    for (long long i = 0; i < count; ++i) {
        for (int j = 0; j < s->n; ++j) {
            d[j] = 0.1 * draw(&seed);
            v[i * s->n + j] = v0[j] + 0.1 * draw(&seed);
        }
        for (int body = 0; body < lb_get_body_count(s->model); ++body) {
            for (int r = 0; r < lb_get_mode_count(s->model, body); ++r) {
                const int j = lb_get_v_offset(s->model, body) + r;
                d[j] *= 0.01;
                v[i * s->n + j] = v0[j];
            }
        }
        lb_integrate_configuration(s->model, q0, d, q + i * s->nq);
    }
    // driven hinges are where their functions have them
    lb_forces *forces = lb_get_simulation_forces(simulation);
    for (long long i = 0; i < count; ++i) {
        check(lb_set_driven_state(forces, s->model, 0.0, q + i * s->nq, v + i * s->n), "driven");
    }
    lb_destroy_simulation(simulation);
}

static void run_engine(const subject *s, const double *q, const double *v, double duration,
                       double *end)
{
    lb_simulation *simulation = make_simulation(s, duration);
    const double *q1;
    double t;
    check(lb_set_initial_state(simulation, q, v), "state");
    check(lb_start_simulation(simulation), "start");
    check(lb_advance_simulation(simulation, duration), "engine");
    lb_get_simulation_state(simulation, &t, &q1, NULL, NULL);
    memcpy(end, q1, (size_t)s->nq * sizeof *end);
    lb_destroy_simulation(simulation);
}

static lb_frozen *freeze(const subject *s, const char *method)
{
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    lb_simulation *simulation = make_simulation(s, 1.0);
    options.functions = method[0] == 'r' ? "step" : method[0] == 'e' ? "step:euler" : "step:alpha";
    options.language = LB_FROZEN_CUDA;
    check(lb_freeze_simulation(simulation, &options, &report, &frozen), "freeze");
    lb_destroy_simulation(simulation);
    return frozen;
}

static void *send(lb_cuda *cuda, lb_cuda_batch *batch, long long count, int width,
                  const double *states)
{
    void *memory = NULL;
    check(lb_allocate_on_cuda(cuda, (size_t)count * (size_t)width * sizeof(double), &memory),
          "memory");
    check(lb_copy_states_to_cuda(batch, count, width, states, memory), "copy");
    return memory;
}

// The largest difference to the engine, and what a difference in the last digit becomes.
static void compare(const subject *s, long long count, const double *q, const double *v,
                    const double *found, double duration)
{
    double gap = 0, growth = 0, largest = 0;
    for (int k = 0; k < SAMPLE; ++k) {
        const long long i = count * k / SAMPLE;
        double end[MOST], twin[MOST], moved[MOST];
        run_engine(s, q + i * s->nq, v + i * s->n, duration, end);
        for (int j = 0; j < s->nq; ++j) {
            moved[j] = nextafter(q[i * s->nq + j], 1e9);
        }
        run_engine(s, moved, v + i * s->n, duration, twin);
        for (int j = 0; j < s->nq; ++j) {
            const double x = fabs(found[i * s->nq + j] - end[j]);
            gap = x > gap || isnan(x) ? x : gap;
            growth = fmax(growth, fabs(twin[j] - end[j]));
            largest = fmax(largest, fabs(end[j]));
        }
    }
    printf("%.2e,%.2e,%.2e,", gap, growth, largest);
}

static int measure(const subject *s, const char *name, const char *method, long long count,
                   long long step_count)
{
    static const char *const kernels[] = {"simulate_rk4", "simulate_euler", "simulate_alpha"};
    lb_cuda *cuda = NULL;
    lb_cuda_batch *batch = NULL;
    if (lb_create_cuda(NULL, &report, &cuda) != LB_OK) {
        return 1;
    }
    lb_frozen *frozen = freeze(s, method);
    check(lb_load_cuda_batch(cuda, frozen, NULL, &report, &batch), "batch");
    lb_destroy_frozen(frozen);
    const size_t states = (size_t)count;
    double *q = malloc(states * (size_t)s->nq * sizeof *q),
           *v = malloc(states * (size_t)s->n * sizeof *v),
           *zeros = calloc(states * (size_t)s->n, sizeof *zeros);
    if (!q || !v || !zeros) {
        return 1;
    }
    draw_states(s, count, q, v);
    void *device_q = send(cuda, batch, count, s->nq, q),
         *device_v = send(cuda, batch, count, s->n, v),
         *tau = send(cuda, batch, count, s->n, zeros);
    lb_cuda_run run = lb_default_cuda_run();
    run.method = method[0] == 'r' ? LB_CUDA_RK4 : method[0] == 'e' ? LB_CUDA_EULER : LB_CUDA_ALPHA;
    run.step = s->h;
    run.step_count = step_count;
    run.tau = tau;
    double seconds;
    int registers, local;
    check(lb_start_cuda_clock(cuda), "clock");
    check(lb_run_cuda(batch, count, &run, device_q, device_v), "run");
    check(lb_stop_cuda_clock(cuda, &seconds), "clock");
    check(lb_get_cuda_kernel_cost(batch, kernels[run.method], &registers, &local), "cost");
    double *found = malloc(states * (size_t)s->nq * sizeof *found);
    if (!found) {
        return 1;
    }
    check(lb_copy_states_from_cuda(batch, count, s->nq, device_q, found), "copy");
    long long failed = 0;
    for (long long i = 0; i < count; ++i) {
        failed += isnan(found[i * s->nq]);
    }
    printf("forces,%s,%s,%lld,%lld,%.1e,%d,%d,%.4f,%.4e,", name, method, count, step_count, s->h,
           registers, local, seconds, (double)count * (double)step_count / seconds);
    compare(s, count, q, v, found, s->h * (double)step_count);
    printf("%lld,%s\n", failed, lb_get_status_text(lb_get_cuda_failure(batch, NULL)));
    free(q);
    free(v);
    free(zeros);
    free(found);
    void *const all[] = {device_q, device_v, tau};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        lb_release_on_cuda(cuda, all[i]);
    }
    lb_destroy_cuda_batch(batch);
    lb_destroy_cuda(cuda);
    return 0;
}

int main(int argc, char **argv)
{
    const bool writes = argc == 5 && strcmp(argv[1], "--write") == 0;
    if (argc != 6 && !writes) {
        fprintf(stderr, "bench_cuda_run METHOD COUNT STEPS STEP MODEL\n");
        return 2;
    }
    const char *method = argv[writes ? 3 : 1], *path = argv[writes ? 4 : 5];
    subject s = {.h = writes ? 1e-3 : atof(argv[4])};
    const int integrator = lb_find_integrator(method);
    if (integrator < LB_INTEGRATOR_RK4) {
        fprintf(stderr, "bench_cuda_run: '%s' is not rk4, euler or alpha\n", method);
        return 2;
    }
    s.integrator = (lb_integrator)integrator;
    check(lb_load_document(path, NULL, &report, &s.document), path);
    check(lb_load_document_model(s.document, &report, &s.model), path);
    s.nq = lb_get_q_count(s.model);
    s.n = lb_get_v_count(s.model);
    int result = 1;
    if (s.nq > MOST) {
        fprintf(stderr, "bench_cuda_run: at most %d coordinates\n", MOST);
    } else if (writes) {
        lb_frozen *frozen = freeze(&s, method);
        FILE *file = fopen(argv[2], "w");
        result =
            file && fputs(lb_get_frozen_source(frozen), file) >= 0 && fclose(file) == 0 ? 0 : 1;
        lb_destroy_frozen(frozen);
    } else {
        const char *slash = strrchr(path, '/');
        result = measure(&s, slash ? slash + 1 : path, method, atoll(argv[2]), atoll(argv[3]));
    }
    lb_destroy_model(s.model);
    lb_destroy_document(s.document);
    return result;
}
