// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches on a graphics processor: speed, and differences to the engine.
//
//     bench_cuda [--float] [--threads N] [--blocks N] [--operations N] [--chunk N] [--written | --tables]
//                [--functions LIST] [--count N] [--floating] MODEL ...
//     bench_cuda --sizes MODEL            time against the number of states, with and without transfers
//     bench_cuda --simulate COUNT STEPS MODEL
//     bench_cuda --ceilings               multiply-adds a second, bytes a second
//     bench_cuda --write FILE MODEL       the text of the kernels
//
// MODEL is a file, or beams:ruthless or beams:consistent: seven beams of four modes. Rows are CSV: the median, the
// fastest and the slowest of 15 timings, in states per second.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <limber/batch.h>
#include <limber/cuda.h>
#include <limber/derivatives.h>
#include <limber/dynamics.h>
#include <limber/io.h>
#include <limber/openmp.h>
#include <limber/work.h>
#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/cuda/cuda_clock.h"
#include "export/cuda/device.h"
#include "export/cuda/tables/table_text.h"
#include "measure.h"

enum { ROUNDS = 15, SAMPLE = 64, FUNCTIONS = 4 };

typedef struct bench {
    lb_cuda *cuda;
    lb_cuda_batch *batch;
    lb_model *model;
    const char *name;
    int nq, nv;
    long long count;
    bool is_float;
    double *q, *v, *tau; // on the host, state by state
    void *device_q, *device_v, *device_tau, *device_out[4];
} bench;

static double get_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(const bench *b, lb_status status, const char *what)
{
    if (status < LB_OK) {
        fprintf(stderr, "bench_cuda: %s: %s\n", what, b->cuda ? lb_get_cuda_message(b->cuda) : "");
        exit(1);
    }
}

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "bench_cuda: %s\n", diagnostic->message);
}

// ---- models and states -------------------------------------------------------------------------

static lb_model *make_model(const char *name, bool floating)
{
    lb_model *model = NULL;
    if (strncmp(name, "beams:", 6) == 0) {
        return lb_build_unlike_chain(
            7, 4, strcmp(name + 6, "ruthless") == 0 ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT,
            1);
    }
    const lb_report report = {complain, NULL};
    lb_load_options options = lb_default_load_options();
    options.floating_base = floating;
    (void)lb_load_model(name, &options, &report, &model);
    return model;
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

// States all over the configuration space, of modes a little.
static void draw_states(bench *b)
{
    double *neutral = lb_make_numbers(b->nq), *d = lb_make_numbers(b->nv);
    uint64_t seed = 11;
    lb_get_neutral_configuration(b->model, neutral);
    for (long long i = 0; i < b->count; ++i) {
        for (int j = 0; j < b->nv; ++j) {
            d[j] = 3.0 * draw(&seed);
            b->v[i * b->nv + j] = draw(&seed);
            b->tau[i * b->nv + j] = 10.0 * draw(&seed);
        }
        for (int body = 0; body < lb_get_body_count(b->model); ++body) {
            for (int r = 0; r < lb_get_mode_count(b->model, body); ++r) {
                const int j = lb_get_v_offset(b->model, body) + r;
                d[j] *= 0.003;
                b->v[i * b->nv + j] *= 0.1;
            }
        }
        lb_integrate_configuration(b->model, neutral, d, b->q + i * b->nq);
    }
    free(neutral);
    free(d);
}

static void *allocate(const bench *b, size_t width)
{
    void *memory = NULL;
    check(b,
          lb_allocate_on_cuda(b->cuda, (size_t)b->count * width * (b->is_float ? 4 : 8), &memory),
          "memory");
    return memory;
}

static void begin(bench *b, bool with_matrices)
{
    const size_t n = (size_t)b->nv;
    b->q = malloc((size_t)b->count * (size_t)b->nq * sizeof(double));
    b->v = malloc((size_t)b->count * n * sizeof(double));
    b->tau = malloc((size_t)b->count * n * sizeof(double));
    if (!b->q || !b->v || !b->tau) {
        fprintf(stderr, "bench_cuda: no memory\n");
        exit(1);
    }
    draw_states(b);
    b->device_q = allocate(b, (size_t)b->nq);
    b->device_v = allocate(b, n);
    b->device_tau = allocate(b, n);
    for (int i = 0; i < 4; ++i) {
        b->device_out[i] = allocate(b, with_matrices && i ? n * n : n);
    }
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nq, b->q, b->device_q), "copy");
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nv, b->v, b->device_v), "copy");
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nv, b->tau, b->device_tau), "copy");
}

static void end(bench *b)
{
    free(b->q);
    free(b->v);
    free(b->tau);
    lb_release_on_cuda(b->cuda, b->device_q);
    lb_release_on_cuda(b->cuda, b->device_v);
    lb_release_on_cuda(b->cuda, b->device_tau);
    for (int i = 0; i < 4; ++i) {
        lb_release_on_cuda(b->cuda, b->device_out[i]);
    }
}

// ---- speed -------------------------------------------------------------------------------------

static lb_status run(bench *b, const char *function, long long count)
{
    void *const *out = b->device_out;
    switch (function[0]) {
    case 'f':
        return lb_compute_forward_dynamics_cuda(b->batch, count, b->device_q, b->device_v,
                                                b->device_tau, out[0]);
    case 'i':
        return lb_compute_inverse_dynamics_cuda(b->batch, count, b->device_q, b->device_v,
                                                b->device_tau, out[0]);
    case 'm':
        return lb_compute_mass_matrix_cuda(b->batch, count, b->device_q, out[1]);
    default:
        return lb_compute_forward_derivatives_cuda(b->batch, count, b->device_q, b->device_v,
                                                   b->device_tau, out[0], out[1], out[2], out[3]);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_function(bench *b, const char *function, double *seconds)
{
    check(b, run(b, function, b->count), function);
    for (int i = 0; i < ROUNDS; ++i) {
        check(b, lb_start_cuda_clock(b->cuda), "clock");
        check(b, run(b, function, b->count), function);
        check(b, lb_stop_cuda_clock(b->cuda, &seconds[i]), function);
    }
    qsort(seconds, ROUNDS, sizeof *seconds, compare_numbers);
}

// The largest difference to the engine in some states, relative to the largest entry of an answer.
static double find_gap(bench *b, const char *function)
{
    const size_t n = (size_t)b->nv;
    const bool is_mass = function[0] == 'm', is_all = function[0] == 'd';
    const size_t most = n + 3 * n * n;
    lb_work *work = lb_create_work(b->model);
    lb_derivative_work *more = lb_create_derivative_work(b->model);
    double *expected = lb_make_numbers((int)most), *found = lb_make_numbers((int)most), worst = 0;
    double *rows = malloc((size_t)b->count * n * n * sizeof *rows);
    // a few states from all over the batch, one output after the other
    for (int part = 0; rows && part < (is_all ? 4 : 1); ++part) {
        const size_t width = is_mass || part ? n * n : n;
        check(b,
              lb_copy_states_from_cuda(b->batch, b->count, (int)width,
                                       b->device_out[is_mass ? 1 : part], rows),
              "copy");
        for (int k = 0; k < SAMPLE; ++k) {
            const long long i = b->count * k / SAMPLE;
            const double *q = b->q + i * b->nq, *v = b->v + i * b->nv, *tau = b->tau + i * b->nv;
            double *d[3] = {expected + n, expected + n + n * n, expected + n + 2 * n * n};
            if (function[0] == 'f') {
                (void)lb_compute_forward_dynamics(b->model, work, q, v, tau, expected);
            } else if (function[0] == 'i') {
                (void)lb_compute_inverse_dynamics(b->model, work, q, v, tau, expected);
            } else if (is_mass) {
                (void)lb_compute_mass_matrix(b->model, work, q, expected);
            } else {
                (void)lb_compute_forward_derivatives(b->model, work, more, q, v, tau, expected,
                                                     d[0], d[1], d[2]);
            }
            const double *right = part ? d[part - 1] : expected;
            double gap = 0, size = 0;
            for (size_t j = 0; j < width; ++j) {
                const double x = fabs(rows[(size_t)i * width + j] - right[j]);
                gap = x > gap || isnan(x) ? x : gap;
                size = fmax(size, fabs(right[j]));
            }
            gap /= size;
            worst = gap > worst || isnan(gap) ? gap : worst;
        }
    }
    free(rows);
    free(expected);
    free(found);
    lb_destroy_work(work);
    lb_destroy_derivative_work(more);
    return worst;
}

static void run_functions(bench *b, const char *list, int threads, int blocks)
{
    char word[64];
    begin(b, true);
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        double seconds[ROUNDS];
        int registers, local;
        (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
        time_function(b, word, seconds);
        check(b, lb_get_cuda_kernel_cost(b->batch, word, &registers, &local), word);
        printf("speed,%s,%s,%s,%lld,%d,%d,%d,%d,%.4e,%.4e,%.4e,%.2e\n", b->name, word,
               b->is_float ? "float" : "double", b->count, threads, blocks, registers, local,
               (double)b->count / seconds[ROUNDS / 2], (double)b->count / seconds[0],
               (double)b->count / seconds[ROUNDS - 1], find_gap(b, word));
        fflush(stdout);
        at += length + (at[length] == ',');
    }
    long long state;
    const lb_status status = lb_get_cuda_failure(b->batch, &state);
    if (status != LB_OK) {
        printf("trouble,%s,%s,%lld\n", b->name, lb_get_status_text(status), state);
    }
    end(b);
}

// ---- against the number of states --------------------------------------------------------------

static double time_host(bench *b, long long count, int threads)
{
    lb_batch_options options = lb_default_batch_options();
    options.team = lb_make_openmp_team(threads);
    lb_batch *batch = lb_create_batch(b->model, &options);
    double best = HUGE_VAL, *a = malloc((size_t)count * (size_t)b->nv * sizeof *a);
    for (int round = 0; round < 5; ++round) {
        const double start = get_seconds();
        (void)lb_compute_forward_dynamics_batch(b->model, batch, (int)count, b->q, b->v, b->tau, a);
        best = fmin(best, get_seconds() - start);
    }
    lb_destroy_batch(batch);
    free(a);
    return best;
}

static void run_sizes(bench *b)
{
    double *a;
    begin(b, false);
    a = malloc((size_t)b->count * (size_t)b->nv * sizeof *a);
    for (long long count = 1; a && count <= b->count; count *= 4) {
        double device = HUGE_VAL, both = HUGE_VAL;
        for (int round = 0; round < 5; ++round) {
            double start = get_seconds();
            check(b, run(b, "forward", count), "forward");
            check(b, lb_wait_for_cuda(b->cuda), "forward");
            device = fmin(device, get_seconds() - start);
            start = get_seconds();
            check(b, lb_copy_states_to_cuda(b->batch, count, b->nq, b->q, b->device_q), "copy");
            check(b, lb_copy_states_to_cuda(b->batch, count, b->nv, b->v, b->device_v), "copy");
            check(b, lb_copy_states_to_cuda(b->batch, count, b->nv, b->tau, b->device_tau), "copy");
            check(b, run(b, "forward", count), "forward");
            check(b, lb_copy_states_from_cuda(b->batch, count, b->nv, b->device_out[0], a), "copy");
            both = fmin(both, get_seconds() - start);
        }
        const int threads = lb_make_openmp_team(0).thread_count;
        printf("sizes,%s,%lld,%.3e,%.3e,%.3e,%.3e,%d\n", b->name, count, device, both,
               time_host(b, count, 1), time_host(b, count, threads), threads);
        fflush(stdout);
    }
    free(a);
    end(b);
}

// ---- motion in time ----------------------------------------------------------------------------

// One step of the engine's rk4 for one state.
static lb_status step_host(bench *b, lb_work *work, double h, const double *tau, double *q,
                           double *v)
{
    lb_status worst = LB_OK;
    static const double at[] = {0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    const int nq = b->nq, nv = b->nv;
    double y[512], sum[512] = {0}, k[512];
    memcpy(y, q, (size_t)nq * sizeof *y);
    memcpy(y + nq, v, (size_t)nv * sizeof *y);
    for (int stage = 0; stage < 4; ++stage) {
        const lb_status status =
            lb_compute_forward_dynamics(b->model, work, y, y + nq, tau, k + nq);
        worst = status < worst ? status : worst;
        lb_compute_configuration_rate(b->model, y, y + nq, k);
        for (int i = 0; i < nq + nv; ++i) {
            sum[i] += weight[stage] * k[i];
            const double start = i < nq ? q[i] : v[i - nq];
            y[i] = stage < 3 ? start + at[stage] * h * k[i] : y[i];
        }
    }
    for (int i = 0; i < nq; ++i) {
        q[i] += h / 6.0 * sum[i];
    }
    for (int i = 0; i < nv; ++i) {
        v[i] += h / 6.0 * sum[nq + i];
    }
    return worst;
}

// The first simulation that failed, once more by the engine, with the same step and with a shorter one: when a mode
// leaves its range, and when the inertia is singular.
static void look_at_failures(bench *b, const double *q, double duration, double h)
{
    enum { SHORTER = 5 };
    static const double far = 0.3; // m: half a link of the arm
    long long failed = 0, first = -1;
    for (long long i = b->count - 1; i >= 0; --i) {
        if (isnan(q[i * b->nq])) {
            first = i;
            ++failed;
        }
    }
    if (first < 0) {
        return;
    }
    printf("failed,%s,%lld,%lld,%lld", b->name, b->count, failed, first);
    lb_work *work = lb_create_work(b->model);
    for (int way = 0; way < 2; ++way) {
        const double step = way ? h / SHORTER : h;
        double x[512], left = -1.0, t = 0.0;
        memcpy(x, b->q + first * b->nq, (size_t)b->nq * sizeof *x);
        memcpy(x + 256, b->v + first * b->nv, (size_t)b->nv * sizeof *x);
        lb_status status = LB_OK;
        for (long long k = 0; status >= LB_OK && t < duration; ++k) {
            status = step_host(b, work, step, b->tau + first * b->nv, x, x + 256);
            t = (double)(k + 1) * step;
            for (int body = 0; left < 0.0 && body < lb_get_body_count(b->model); ++body) {
                for (int r = 0; r < lb_get_mode_count(b->model, body); ++r) {
                    left = fabs(x[lb_get_q_offset(b->model, body) + r]) > far ? t : left;
                }
            }
        }
        printf(",%.1e,%.4f,%.4f,%s", step, left, t, lb_get_status_text(status));
    }
    printf("\n");
    lb_destroy_work(work);
}

static void run_simulation(bench *b, long long step_count, double h)
{
    double seconds;
    begin(b, false);
    // undeformed at first, and with small forces
    for (long long i = 0; i < b->count; ++i) {
        for (int body = 0; body < lb_get_body_count(b->model); ++body) {
            for (int r = 0; r < lb_get_mode_count(b->model, body); ++r) {
                b->q[i * b->nq + lb_get_q_offset(b->model, body) + r] = 0.0;
                b->v[i * b->nv + lb_get_v_offset(b->model, body) + r] = 0.0;
                b->tau[i * b->nv + lb_get_v_offset(b->model, body) + r] = 0.0;
            }
        }
    }
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nq, b->q, b->device_q), "copy");
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nv, b->v, b->device_v), "copy");
    check(b, lb_copy_states_to_cuda(b->batch, b->count, b->nv, b->tau, b->device_tau), "copy");
    lb_cuda_run run = lb_default_cuda_run();
    run.step_count = step_count;
    run.step = h;
    run.tau = b->device_tau;
    check(b, lb_start_cuda_clock(b->cuda), "clock");
    check(b, lb_run_cuda(b->batch, b->count, &run, b->device_q, b->device_v), "simulate");
    check(b, lb_stop_cuda_clock(b->cuda, &seconds), "simulate");
    const size_t size = (size_t)b->count * (size_t)b->nq;
    double *q = malloc(size * sizeof *q);
    check(b, lb_copy_states_from_cuda(b->batch, b->count, b->nq, b->device_q, q), "copy");
    // a few of them by the engine, and again from a state that differs in the last digit
    double gap = 0, growth = 0, largest = 0;
    lb_work *work = lb_create_work(b->model);
    for (int k = 0; k < 4; ++k) {
        const long long i = b->count * k / 4 + k;
        double x[2][512];
        for (int twin = 0; twin < 2; ++twin) {
            memcpy(x[twin], b->q + i * b->nq, (size_t)b->nq * sizeof(double));
            memcpy(x[twin] + 256, b->v + i * b->nv, (size_t)b->nv * sizeof(double));
            for (int j = 0; twin && j < b->nq; ++j) {
                x[1][j] = nextafter(x[1][j], 1e9);
            }
            for (long long step = 0; step < step_count; ++step) {
                (void)step_host(b, work, h, b->tau + i * b->nv, x[twin], x[twin] + 256);
            }
        }
        for (int j = 0; j < b->nq; ++j) {
            gap = fmax(gap, fabs(q[i * b->nq + j] - x[0][j]));
            growth = fmax(growth, fabs(x[1][j] - x[0][j]));
            largest = fmax(largest, fabs(x[0][j]));
        }
    }
    int registers, local;
    check(b, lb_get_cuda_kernel_cost(b->batch, "simulate_rk4", &registers, &local), "simulate_rk4");
    const lb_status status = lb_get_cuda_failure(b->batch, NULL);
    printf("simulate,%s,%lld,%lld,%.1e,%d,%d,%.4f,%.4e,%.2e,%.2e,%.2e,%s\n", b->name, b->count,
           step_count, h, registers, local, seconds,
           4.0 * (double)b->count * (double)step_count / seconds, gap, growth, largest,
           lb_get_status_text(status));
    look_at_failures(b, q, (double)step_count * h, h);
    fflush(stdout);
    free(q);
    lb_destroy_work(work);
    end(b);
}

// ---- ceilings ----------------------------------------------------------------------------------

static void run_ceilings(bench *b)
{
    static const char text[] =
        "extern \"C\" __global__ void multiply(double *out, int rounds) {\n"
        "    double x[8];\n"
        "    for (int k = 0; k < 8; ++k) { x[k] = threadIdx.x + k; }\n"
        "    for (int i = 0; i < rounds; ++i) {\n"
        "#pragma unroll\n"
        "        for (int r = 0; r < 16; ++r) {\n"
        "#pragma unroll\n"
        "            for (int k = 0; k < 8; ++k) { x[k] = fma(x[k], 1.0000001, 1e-12); }\n"
        "        }\n"
        "    }\n"
        "    double s = 0;\n"
        "    for (int k = 0; k < 8; ++k) { s += x[k]; }\n"
        "    if (s == 123.456) { out[0] = s; }\n"
        "}\n"
        "extern \"C\" __global__ void copy(const double2 *from, double2 *to, long long count) {\n"
        "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < count) { to[i] = from[i]; }\n"
        "}\n";
    enum { BLOCKS = 132 * 8, THREADS = 256 };
    long long numbers = 1ll << 28;
    lb_cuda_module *module = NULL;
    lb_cuda_kernel multiply, copy;
    void *memory = NULL, *other = NULL;
    int rounds = 4000;
    check(b, lb_compile_for_cuda(b->cuda, text, "ceilings.cu", 0, NULL, &module), "ceilings");
    check(b, lb_get_cuda_kernel(b->cuda, module, "multiply", &multiply), "ceilings");
    check(b, lb_get_cuda_kernel(b->cuda, module, "copy", &copy), "ceilings");
    check(b, lb_allocate_on_cuda(b->cuda, (size_t)numbers * 16, &memory), "memory");
    check(b, lb_allocate_on_cuda(b->cuda, (size_t)numbers * 16, &other), "memory");
    double rates[2][ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        void *first[] = {&memory, &rounds}, *second[] = {&memory, &other, &numbers};
        double seconds;
        (void)lb_start_cuda_clock(b->cuda);
        (void)lb_launch_on_cuda(b->cuda, &multiply, BLOCKS, THREADS, 0, first);
        check(b, lb_stop_cuda_clock(b->cuda, &seconds), "ceilings");
        rates[0][i] = 128.0 * rounds * BLOCKS * THREADS / seconds;
        (void)lb_start_cuda_clock(b->cuda);
        (void)lb_launch_on_cuda(b->cuda, &copy, (unsigned)(numbers / 256), 256, 0, second);
        check(b, lb_stop_cuda_clock(b->cuda, &seconds), "ceilings");
        rates[1][i] = 32.0 * (double)numbers / seconds;
    }
    for (int k = 0; k < 2; ++k) {
        qsort(rates[k], ROUNDS, sizeof *rates[k], compare_numbers);
        printf("ceiling,%s,%.4e,%.4e,%.4e\n", k ? "bytes" : "multiply-adds", rates[k][ROUNDS / 2],
               rates[k][0], rates[k][ROUNDS - 1]);
    }
    lb_release_on_cuda(b->cuda, memory);
    lb_release_on_cuda(b->cuda, other);
    lb_destroy_cuda_module(b->cuda, module);
}

// ---- command line ------------------------------------------------------------------------------

static int write_kernels(const lb_model *model, const lb_cuda_batch_options *chosen,
                         const char *path)
{
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    options.functions = chosen->functions;
    options.number = chosen->number;
    options.operation_count = chosen->operation_count ? chosen->operation_count : 6000;
    options.language = LB_FROZEN_CUDA;
    FILE *file = fopen(path, "w");
    if (chosen->kernels == LB_CUDA_TABLES) {
        char *text = lb_find_table_obstacle(model) ? NULL : lb_write_table_text(model);
        const bool written = file && text && fputs(text, file) >= 0;
        free(text);
        return file && fclose(file) == 0 && written ? 0 : 1;
    }
    const bool good =
        file && lb_freeze_model(model, &options, &(lb_report){complain, NULL}, &frozen) == LB_OK &&
        fputs(lb_get_frozen_source(frozen), file) >= 0;
    lb_destroy_frozen(frozen);
    return file && fclose(file) == 0 && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    bench b = {.count = 1 << 20};
    lb_cuda_batch_options options = lb_default_cuda_batch_options();
    const lb_report report = {complain, NULL};
    const char *write = NULL;
    bool floating = false, sizes = false;
    long long step_count = 0;
    for (int i = 1; i < argc; ++i) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--write") == 0) {
            write = argv[++i];
        } else if (strcmp(argv[i], "--functions") == 0) {
            options.functions = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0) {
            options.thread_count = atoi(next), ++i;
        } else if (strcmp(argv[i], "--blocks") == 0) {
            options.block_count = atoi(next), ++i;
        } else if (strcmp(argv[i], "--operations") == 0) {
            options.operation_count = atoi(next), ++i;
        } else if (strcmp(argv[i], "--chunk") == 0) {
            options.chunk_count = atoi(next), ++i;
        } else if (strcmp(argv[i], "--count") == 0) {
            b.count = atoll(next), ++i;
        } else if (strcmp(argv[i], "--float") == 0) {
            b.is_float = true;
            options.number = LB_FROZEN_FLOAT;
        } else if (strcmp(argv[i], "--floating") == 0) {
            floating = true;
        } else if (strcmp(argv[i], "--written") == 0) {
            options.kernels = LB_CUDA_WRITTEN;
        } else if (strcmp(argv[i], "--tables") == 0) {
            options.kernels = LB_CUDA_TABLES;
        } else if (strcmp(argv[i], "--sizes") == 0) {
            sizes = true;
        } else if (strcmp(argv[i], "--simulate") == 0 && i + 2 < argc) {
            b.count = atoll(argv[++i]);
            step_count = atoll(argv[++i]);
            options.functions = "step";
        } else {
            const bool ceilings = strcmp(argv[i], "--ceilings") == 0;
            b.model = ceilings ? NULL : make_model(argv[i], floating);
            if (!ceilings && !b.model) {
                return 1;
            }
            if (write) {
                return write_kernels(b.model, &options, write);
            }
            if (!b.cuda && lb_create_cuda(NULL, &report, &b.cuda) != LB_OK) {
                return 1;
            }
            if (ceilings) {
                printf("device,%s\n", lb_get_cuda_name(b.cuda));
                run_ceilings(&b);
                continue;
            }
            const char *slash = strrchr(argv[i], '/');
            b.name = slash ? slash + 1 : argv[i];
            char named[128];
            if (options.operation_count || options.chunk_count) { // tells rows apart
                (void)snprintf(named, sizeof named, "%s cut at %d by %d", b.name,
                               options.operation_count, options.chunk_count);
                b.name = named;
            } else if (options.kernels) {
                (void)snprintf(named, sizeof named, "%s %s", b.name,
                               options.kernels == LB_CUDA_TABLES ? "by tables" : "as written");
                b.name = named;
            }
            b.nq = lb_get_q_count(b.model);
            b.nv = lb_get_v_count(b.model);
            const double start = get_seconds();
            if (lb_create_cuda_batch(b.cuda, b.model, &options, &report, &b.batch) != LB_OK) {
                return 1;
            }
            printf("compile,%s,%s,%.2f\n", b.name, options.functions, get_seconds() - start);
            if (sizes) {
                run_sizes(&b);
            } else if (step_count) {
                run_simulation(&b, step_count, 1e-4);
            } else {
                run_functions(&b, options.functions, options.thread_count, options.block_count);
            }
            lb_destroy_cuda_batch(b.batch);
            lb_destroy_model(b.model);
            floating = false;
        }
    }
    lb_destroy_cuda(b.cuda);
    return 0;
}
