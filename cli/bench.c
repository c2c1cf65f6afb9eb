// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber bench MODEL: time of each algorithm at one random state.
//
// Each algorithm is warmed up, then run in rounds; a round repeats it often enough for the clock.
// The minimum is what the machine can do, the median what it usually does.
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "commands.h"
#include "console.h"
#include "json_out.h"

// Above this many speeds a dense matrix is not what the model is for.
enum { MATRIX_MAX = 1000 };

typedef struct bench {
    lb_model *model;
    lb_work *work;
    double *q, *v, *tau, *a, *x;
    double *matrix; // NULL for large models
} bench;

// ---- what is timed -----------------------------------------------------------------------------

static lb_status time_forward(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->work, b->q, b->v, b->tau, b->x);
}

static lb_status time_forward_composite(bench *b)
{
    return lb_compute_forward_dynamics_composite(b->model, b->work, b->q, b->v, b->tau, b->matrix,
                                                 b->x);
}

static lb_status time_inverse(bench *b)
{
    return lb_compute_inverse_dynamics(b->model, b->work, b->q, b->v, b->a, b->x);
}

static lb_status time_bias(bench *b)
{
    return lb_compute_bias(b->model, b->work, b->q, b->v, b->x);
}

static lb_status time_mass(bench *b)
{
    return lb_compute_mass_matrix(b->model, b->work, b->q, b->matrix);
}

static lb_status time_solve(bench *b)
{
    return lb_solve_mass_matrix(b->model, b->work, b->tau, b->x);
}

static lb_status time_inertia(bench *b)
{
    return lb_compute_articulated_inertia(b->model, b->work, b->q);
}

static lb_status time_kinematics(bench *b)
{
    return lb_compute_kinematics(b->model, b->work, b->q, b->v, b->a);
}

typedef struct algorithm {
    const char *name;
    bool needs_matrix;
    lb_status (*prepare)(bench *b); // once, untimed; may be NULL
    lb_status (*evaluate)(bench *b);
} algorithm;

static const algorithm algorithms[] = {
    {"forward (articulated)", false, NULL, time_forward},
    {"forward (composite)", true, NULL, time_forward_composite},
    {"inverse", false, NULL, time_inverse},
    {"bias", false, NULL, time_bias},
    {"mass matrix", true, NULL, time_mass},
    {"mass-matrix solve", false, time_inertia, time_solve},
    {"kinematics", false, NULL, time_kinematics},
};

enum { ALGORITHM_COUNT = sizeof algorithms / sizeof algorithms[0] };

typedef struct timing {
    bool skipped;
    double min_ns, median_ns;
    long repeats; // evaluations in a round
} timing;

// ---- timing ------------------------------------------------------------------------------------

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Seconds for so many evaluations; the status is that of the last one.
static double run_round(bench *b, const algorithm *what, long repeats, lb_status *status)
{
    const double start = get_seconds();
    for (long i = 0; i < repeats; ++i) {
        *status = what->evaluate(b);
    }
    return get_seconds() - start;
}

static lb_status measure(bench *b, const algorithm *what, int rounds, double seconds,
                         double *samples, timing *result)
{
    lb_status status = what->prepare ? what->prepare(b) : LB_OK;
    if (status < 0) {
        return status;
    }
    // warm up, and double the repeats until a round takes its share of the time
    const double share = seconds / rounds;
    long repeats = 1;
    double spent = run_round(b, what, repeats, &status);
    while (status >= 0 && spent < 0.5 * share && repeats < (1L << 30)) {
        repeats *= 2;
        spent = run_round(b, what, repeats, &status);
    }
    for (int i = 0; status >= 0 && i < rounds; ++i) {
        samples[i] = 1e9 * run_round(b, what, repeats, &status) / (double)repeats;
    }
    if (status < 0) {
        return status;
    }
    qsort(samples, (size_t)rounds, sizeof *samples, compare);
    result->min_ns = samples[0];
    result->median_ns = 0.5 * (samples[(rounds - 1) / 2] + samples[rounds / 2]);
    result->repeats = repeats;
    return status;
}

// ---- the state ---------------------------------------------------------------------------------

// SplitMix64 (Steele, Lea and Flood, 2014), to numbers between -1 and 1.
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

static void draw_state(bench *b, uint64_t seed)
{
    const int nv = lb_get_v_count(b->model);
    for (int i = 0; i < nv; ++i) {
        b->x[i] = draw(&seed);
    }
    lb_get_neutral_configuration(b->model, b->q);
    // modes stay small, where flexible bodies hold; hinges go anywhere
    for (int body = 0; body < lb_get_body_count(b->model); ++body) {
        for (int i = 0; i < lb_get_mode_count(b->model, body); ++i) {
            b->x[lb_get_v_offset(b->model, body) + i] *= 1e-3;
        }
    }
    lb_integrate_configuration(b->model, b->q, b->x, b->q);
    for (int i = 0; i < nv; ++i) {
        b->v[i] = draw(&seed);
        b->tau[i] = draw(&seed);
        b->a[i] = draw(&seed);
    }
}

static bool prepare(bench *b)
{
    const int nv = lb_get_v_count(b->model);
    b->work = lb_create_work(b->model);
    if (!b->work) {
        lb_cli_complain("out of memory for a workspace of %zu bytes", lb_get_work_size(b->model));
        return false;
    }
    b->q = lb_cli_allocate(1, lb_get_q_count(b->model), "state");
    double **const vectors[] = {&b->v, &b->tau, &b->a, &b->x};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = b->q ? lb_cli_allocate(1, nv, "state") : NULL;
        if (!*vectors[i]) {
            return false;
        }
    }
    if (nv <= MATRIX_MAX) {
        b->matrix = lb_cli_allocate(nv, nv, "mass matrix");
        return b->matrix != NULL;
    }
    return true;
}

// ---- the command -------------------------------------------------------------------------------

static void print_timings(const bench *b, const char *file, double seed, int rounds,
                          const timing *timings)
{
    const int body_count = lb_get_body_count(b->model);
    printf("%s%s%s: %d bodies, %d dofs, seed %.0f, %d rounds\n\n",
           lb_cli_get_colour(stdout, LB_CLI_BOLD), file, lb_cli_get_colour(stdout, LB_CLI_PLAIN),
           body_count, lb_get_v_count(b->model), seed, rounds);
    printf("%-24s%14s%14s%14s\n", "ns an evaluation", "minimum", "median", "min / body");
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        if (timings[i].skipped) {
            printf("%-24sskipped: a dense matrix of more than %d dofs\n", algorithms[i].name,
                   MATRIX_MAX);
        } else {
            printf("%-24s%14.1f%14.1f%14.2f\n", algorithms[i].name, timings[i].min_ns,
                   timings[i].median_ns, timings[i].min_ns / (body_count ? body_count : 1));
        }
    }
}

static void write_timings(const bench *b, const char *file, double seed, int rounds,
                          const timing *timings)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, '{');
    lb_cli_json_key(&json, "model");
    lb_cli_json_string(&json, file);
    lb_cli_json_key(&json, "bodies");
    lb_cli_json_integer(&json, lb_get_body_count(b->model));
    lb_cli_json_key(&json, "dofs");
    lb_cli_json_integer(&json, lb_get_v_count(b->model));
    lb_cli_json_key(&json, "seed");
    lb_cli_json_integer(&json, (long long)seed);
    lb_cli_json_key(&json, "rounds");
    lb_cli_json_integer(&json, rounds);
    lb_cli_json_key(&json, "algorithms");
    lb_cli_json_open(&json, '{');
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        lb_cli_json_key(&json, algorithms[i].name);
        lb_cli_json_open(&json, '{');
        if (timings[i].skipped) {
            lb_cli_json_key(&json, "skipped");
            lb_cli_json_boolean(&json, true);
        } else {
            lb_cli_json_key(&json, "min_ns");
            lb_cli_json_number(&json, timings[i].min_ns);
            lb_cli_json_key(&json, "median_ns");
            lb_cli_json_number(&json, timings[i].median_ns);
            lb_cli_json_key(&json, "repeats");
            lb_cli_json_integer(&json, timings[i].repeats);
        }
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

static int run_all(bench *b, const lb_cli_arguments *arguments, int rounds, double seconds,
                   double seed)
{
    const char *file = arguments->operands[0];
    timing timings[ALGORITHM_COUNT] = {0};
    double *samples = lb_cli_allocate(1, rounds, "rounds");
    bool done = samples && prepare(b);
    if (done) {
        draw_state(b, (uint64_t)seed);
    }
    for (int i = 0; done && i < ALGORITHM_COUNT; ++i) {
        if (algorithms[i].needs_matrix && !b->matrix) {
            timings[i].skipped = true;
            continue;
        }
        const lb_status status = measure(b, &algorithms[i], rounds, seconds, samples, &timings[i]);
        done = lb_cli_explain_status(b->model, b->work, status, file, algorithms[i].name);
    }
    free(samples);
    if (!done) {
        return LB_CLI_FAILED;
    }
    (lb_cli_get_option(arguments, "json") ? write_timings : print_timings)(b, file, seed, rounds,
                                                                           timings);
    return LB_CLI_DONE;
}

int lb_cli_run_bench(const lb_cli_arguments *arguments)
{
    double rounds, seconds, seed;
    // a seed is exact up to 2^53
    if (!lb_cli_get_number(arguments, "rounds", 1, 1e6, 30, &rounds) ||
        !lb_cli_get_number(arguments, "seconds", 0, 3600, 0.3, &seconds) ||
        !lb_cli_get_number(arguments, "seed", 0, 0x1p53, 1, &seed)) {
        return LB_CLI_USAGE;
    }
    bench b = {.model = lb_cli_load_model(arguments)};
    if (!b.model) {
        return LB_CLI_FAILED;
    }
    const int status = run_all(&b, arguments, (int)rounds, seconds, (double)(uint64_t)seed);
    if (b.work) {
        lb_destroy_work(b.model, b.work);
    }
    lb_destroy_model(b.model);
    double *const numbers[] = {b.q, b.v, b.tau, b.a, b.x, b.matrix};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        free(numbers[i]);
    }
    return status;
}
