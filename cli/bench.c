// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber bench MODEL: time of each algorithm at one random state, and in batches of many.
//
// Each algorithm is warmed up, then all are run in turn, round by round, so that they share what
// else the machine does; in a round each repeats often enough for the clock. The minimum is what the
// machine can do, the median what it usually does.
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>

#include <limber/openmp.h>

#include "bench_gpu.h"
#include "commands.h"
#include "console.h"
#include "json_out.h"

// Above this many speeds a dense matrix is not what the model is for.
enum { MATRIX_MAX = 1000 };

enum { THREAD_MAX = 1024 };

// One state, or the states of a batch one after the other.
typedef struct states {
    double *q, *v, *tau, *a, *x;
    double *matrix; // NULL for large models
} states;

typedef struct bench {
    lb_model *model;
    lb_work *work;
    lb_derivative_work *derivatives; // NULL for large models
    double *matrices;                // three of them, likewise
    ptrdiff_t square;                // entries of one
    lb_work *composite, *unsplit;    // with these algorithms, likewise
    states one, batch;
    int batch_count; // states in a batch; 0 for no batches
    int gpu_count;   // states in a batch on a graphics processor, likewise
    lb_cli_gpu_times gpu;
    int thread_count;
    bool threads_asked;                 // for one state by many threads
    lb_batch *alone, *shared;           // on one thread, on all
    lb_work *divided, *divided_threads; // on one thread, on all
} bench;

// ---- what is timed -----------------------------------------------------------------------------

static lb_status time_forward(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->work, b->one.q, b->one.v, b->one.tau, b->one.x);
}

static lb_status time_forward_composite(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->composite, b->one.q, b->one.v, b->one.tau,
                                       b->one.x);
}

static lb_status time_forward_unsplit(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->unsplit, b->one.q, b->one.v, b->one.tau,
                                       b->one.x);
}

static lb_status time_inverse(bench *b)
{
    return lb_compute_inverse_dynamics(b->model, b->work, b->one.q, b->one.v, b->one.a, b->one.x);
}

static lb_status time_bias(bench *b)
{
    return lb_compute_bias(b->model, b->work, b->one.q, b->one.v, b->one.x);
}

static lb_status time_mass(bench *b)
{
    return lb_compute_mass_matrix(b->model, b->work, b->one.q, b->one.matrix);
}

static lb_status time_solve(bench *b)
{
    return lb_solve_mass_matrix(b->model, b->work, b->one.tau, b->one.x);
}

static lb_status time_inertia(bench *b)
{
    return lb_compute_articulated_inertia(b->model, b->work, b->one.q);
}

static lb_status time_kinematics(bench *b)
{
    return lb_compute_kinematics(b->model, b->work, b->one.q, b->one.v, b->one.a);
}

static lb_status time_inverse_derivatives(bench *b)
{
    double *dq = b->matrices, *dv = dq + b->square, *M = dv + b->square;
    return lb_compute_inverse_derivatives(b->model, b->work, b->derivatives, b->one.q, b->one.v,
                                          b->one.a, b->one.x, dq, dv, M);
}

static lb_status time_forward_derivatives(bench *b)
{
    double *dq = b->matrices, *dv = dq + b->square, *W = dv + b->square;
    return lb_compute_forward_derivatives(b->model, b->work, b->derivatives, b->one.q, b->one.v,
                                          b->one.tau, b->one.x, dq, dv, W);
}

static lb_batch *choose_batch(const bench *b, int threads)
{
    return threads > 1 ? b->shared : b->alone;
}

static lb_status time_forward_batch(bench *b, int threads)
{
    const states *s = &b->batch;
    return lb_compute_forward_dynamics_batch(b->model, choose_batch(b, threads), b->batch_count,
                                             s->q, s->v, s->tau, s->x);
}

static lb_status time_inverse_batch(bench *b, int threads)
{
    const states *s = &b->batch;
    return lb_compute_inverse_dynamics_batch(b->model, choose_batch(b, threads), b->batch_count,
                                             s->q, s->v, s->a, s->x);
}

static lb_status time_mass_batch(bench *b, int threads)
{
    return lb_compute_mass_matrix_batch(b->model, choose_batch(b, threads), b->batch_count,
                                        b->batch.q, b->batch.matrix);
}

// One state by many threads.
static lb_status time_divided_threads(bench *b, int threads)
{
    (void)threads;
    return lb_compute_forward_dynamics(b->model, b->divided_threads, b->one.q, b->one.v, b->one.tau,
                                       b->one.x);
}

static lb_status time_divided(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->divided, b->one.q, b->one.v, b->one.tau,
                                       b->one.x);
}

typedef struct algorithm {
    const char *name;
    bool needs_matrix;
    lb_status (*prepare)(bench *b); // once, untimed; may be NULL
    lb_status (*evaluate)(bench *b);
    lb_status (*evaluate_batch)(bench *b, int threads);   // NULL where there is none
    lb_status (*evaluate_threads)(bench *b, int threads); // likewise
} algorithm;

static const algorithm algorithms[] = {
    {"forward (articulated)", false, NULL, time_forward, time_forward_batch, NULL},
    {"forward (divided)", false, NULL, time_divided, NULL, time_divided_threads},
    {"forward (composite)", true, NULL, time_forward_composite, NULL, NULL},
    {"forward (unsplit)", true, NULL, time_forward_unsplit, NULL, NULL},
    {"inverse", false, NULL, time_inverse, time_inverse_batch, NULL},
    {"bias", false, NULL, time_bias, NULL, NULL},
    {"mass matrix", true, NULL, time_mass, time_mass_batch, NULL},
    {"mass-matrix solve", false, time_inertia, time_solve, NULL, NULL},
    {"kinematics", false, NULL, time_kinematics, NULL, NULL},
    {"inverse derivatives", true, NULL, time_inverse_derivatives, NULL, NULL},
    {"forward derivatives", true, NULL, time_forward_derivatives, NULL, NULL},
};

enum { ALGORITHM_COUNT = sizeof algorithms / sizeof algorithms[0] };

// How an algorithm is run: at one state, in a batch on one core, in a batch on all, at one state by
// many threads.
typedef enum manner { MANNER_ONE, MANNER_BATCH, MANNER_CORES, MANNER_THREADS, MANNER_COUNT } manner;

typedef struct timing {
    bool skipped;
    double min_ns, median_ns;
    long repeats; // evaluations in a round
    double *samples;
} timing;

// ---- timing ------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Seconds for so many evaluations; the status is that of the last one.
static double run_round(bench *b, const algorithm *what, manner how, long repeats,
                        lb_status *status)
{
    *status = what->prepare ? what->prepare(b) : LB_OK;
    if (*status < 0) {
        return 0;
    }
    const double start = lb_get_wall_time();
    for (long i = 0; i < repeats; ++i) {
        *status = how == MANNER_ONE ? what->evaluate(b)
                  : how == MANNER_THREADS
                      ? what->evaluate_threads(b, b->thread_count)
                      : what->evaluate_batch(b, how == MANNER_CORES ? b->thread_count : 1);
    }
    return lb_get_wall_time() - start;
}

// Warms up, and doubles the repeats until a round takes its share of the time.
static lb_status warm_up(bench *b, const algorithm *what, manner how, double share, timing *result)
{
    lb_status status;
    result->repeats = 1;
    double spent = run_round(b, what, how, result->repeats, &status);
    while (status >= 0 && spent < 0.5 * share && result->repeats < (1L << 30)) {
        result->repeats *= 2;
        spent = run_round(b, what, how, result->repeats, &status);
    }
    return status;
}

static void summarize(timing *t, int rounds, int states_in_evaluation)
{
    qsort(t->samples, (size_t)rounds, sizeof *t->samples, compare);
    const double scale = 1e9 / ((double)t->repeats * states_in_evaluation);
    t->min_ns = scale * t->samples[0];
    t->median_ns = 0.5 * scale * (t->samples[(rounds - 1) / 2] + t->samples[rounds / 2]);
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

// The i-th state of a block.
static void draw_state(const lb_model *model, uint64_t seed, const states *s, int i)
{
    const ptrdiff_t nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    double *q = s->q + i * nq, *step = s->x + i * nv;
    for (ptrdiff_t j = 0; j < nv; ++j) {
        step[j] = draw(&seed);
    }
    lb_get_neutral_configuration(model, q);
    // modes stay small, where flexible bodies hold; hinges go anywhere
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        for (int r = 0; r < lb_get_mode_count(model, body); ++r) {
            step[lb_get_v_offset(model, body) + r] *= 1e-3;
        }
    }
    lb_integrate_configuration(model, q, step, q);
    for (ptrdiff_t j = i * nv; j < (i + 1) * nv; ++j) {
        s->v[j] = draw(&seed);
        s->tau[j] = draw(&seed);
        s->a[j] = draw(&seed);
    }
}

static void allocate_states(const lb_model *model, int count, states *s)
{
    const int nv = lb_get_v_count(model);
    s->q = lb_cli_allocate(count, lb_get_q_count(model), "states");
    double **const vectors[] = {&s->v, &s->tau, &s->a, &s->x};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_cli_allocate(count, nv, "states");
    }
    if (nv <= MATRIX_MAX) {
        s->matrix = lb_cli_allocate(count, nv * nv, "mass matrices");
    }
}

static void free_states(states *s)
{
    double *const numbers[] = {s->q, s->v, s->tau, s->a, s->x, s->matrix};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        free(numbers[i]);
    }
}

// A workspace for the tree alone.
static lb_work *create_work(const bench *b, lb_algorithm road, int threads)
{
    lb_work_options options = lb_default_work_options();
    options.algorithm = road;
    if (threads > 1) {
        options.team = lb_make_openmp_team(threads);
    }
    lb_work *work = lb_cli_create_work(b->model, &options);
    lb_use_tree(work, true);
    return work;
}

static bool prepare(bench *b, uint64_t seed)
{
    b->work = create_work(b, LB_ALGORITHM_ARTICULATED, 1);
    b->divided = create_work(b, LB_ALGORITHM_DIVIDE_AND_CONQUER, 1);
    b->divided_threads = create_work(b, LB_ALGORITHM_DIVIDE_AND_CONQUER, b->thread_count);
    if (b->batch_count) {
        lb_batch_options options = lb_default_batch_options();
        b->alone = lb_create_batch(b->model, &options);
        options.team = lb_make_openmp_team(b->thread_count);
        b->shared = lb_create_batch(b->model, &options);
        if (!b->alone || !b->shared) {
            lb_cli_run_out();
        }
        // the tree alone, as of one state
        lb_set_batch_like(b->model, b->alone, b->work);
        lb_set_batch_like(b->model, b->shared, b->work);
    }
    allocate_states(b->model, 1, &b->one);
    if (b->batch_count) {
        allocate_states(b->model, b->batch_count, &b->batch);
    }
    if (b->one.matrix) {
        const int nv = lb_get_v_count(b->model);
        b->square = (ptrdiff_t)nv * nv;
        b->derivatives = lb_create_derivative_work(b->model);
        b->matrices = lb_cli_allocate(3, nv * nv, "derivatives");
        b->composite = create_work(b, LB_ALGORITHM_COMPOSITE, 1);
        b->unsplit = create_work(b, LB_ALGORITHM_UNSPLIT, 1);
        if (!b->derivatives) {
            lb_cli_run_out();
        }
    }
    draw_state(b->model, seed, &b->one, 0);
    for (int i = 0; i < b->batch_count; ++i) {
        draw_state(b->model, seed + (uint64_t)i, &b->batch, i);
    }
    return true;
}

// ---- the command -------------------------------------------------------------------------------

typedef timing timings[MANNER_COUNT][ALGORITHM_COUNT];

static void print_batches(const bench *b, timings t)
{
    printf("\n%-24s%14s%14s%14s\n", "ns a state, in batches", "minimum", "median", "x single");
    for (manner how = MANNER_BATCH; how <= MANNER_CORES; ++how) {
        for (int i = 0; i < ALGORITHM_COUNT; ++i) {
            if (!t[how][i].skipped) {
                printf("%-22s%2d%14.1f%14.1f%14.2f\n", algorithms[i].name,
                       how == MANNER_CORES ? b->thread_count : 1, t[how][i].min_ns,
                       t[how][i].median_ns, t[MANNER_ONE][i].min_ns / t[how][i].min_ns);
            }
        }
    }
    printf("\n%d states in a batch; behind the names, cores\n", b->batch_count);
}

static void print_threads(const bench *b, timings t)
{
    printf("\n%-24s%14s%14s%14s\n", "ns an evaluation, threads", "minimum", "median", "x one");
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        const timing *own = &t[MANNER_THREADS][i];
        if (!own->skipped) {
            printf("%-22s%2d%14.1f%14.1f%14.2f\n", algorithms[i].name, b->thread_count, own->min_ns,
                   own->median_ns, t[MANNER_ONE][i].min_ns / own->min_ns);
        }
    }
}

static void print_timings(const bench *b, const char *file, double seed, int rounds, timings t)
{
    const int body_count = lb_get_body_count(b->model);
    fputs(lb_cli_get_colour(stdout, LB_CLI_BOLD), stdout);
    lb_cli_put_text(stdout, file);
    printf("%s: %d bodies, %d dofs, seed %.0f, %d rounds, instructions %s\n\n",
           lb_cli_get_colour(stdout, LB_CLI_PLAIN), body_count, lb_get_v_count(b->model), seed,
           rounds, lb_cli_get_instructions_name(lb_get_instruction_set(b->model)));
    printf("%-24s%14s%14s%14s\n", "ns an evaluation", "minimum", "median", "min / body");
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        const timing *one = &t[MANNER_ONE][i];
        if (one->skipped) {
            printf("%-24sskipped: a dense matrix of more than %d dofs\n", algorithms[i].name,
                   MATRIX_MAX);
        } else {
            printf("%-24s%14.1f%14.1f%14.2f\n", algorithms[i].name, one->min_ns, one->median_ns,
                   one->min_ns / (body_count ? body_count : 1));
        }
    }
    if (b->batch_count) {
        print_batches(b, t);
    }
    if (b->threads_asked) {
        print_threads(b, t);
    }
    if (b->gpu_count) {
        lb_cli_print_gpu_times(&b->gpu);
    }
}

static void write_timing(lb_cli_json *json, const char *name, const timing *t)
{
    lb_cli_json_open(json, name, '{');
    if (t->skipped) {
        lb_cli_json_boolean(json, "skipped", true);
    } else {
        lb_cli_json_number(json, "min_ns", t->min_ns);
        lb_cli_json_number(json, "median_ns", t->median_ns);
        lb_cli_json_integer(json, "repeats", t->repeats);
    }
    lb_cli_json_close(json, '}');
}

static void write_batches(lb_cli_json *json, const bench *b, timings t)
{
    static const char *const names[] = {[MANNER_BATCH] = "one_core", [MANNER_CORES] = "all_cores"};
    lb_cli_json_open(json, "batch", '{');
    lb_cli_json_integer(json, "states", b->batch_count);
    lb_cli_json_integer(json, "cores", b->thread_count);
    for (manner how = MANNER_BATCH; how <= MANNER_CORES; ++how) {
        lb_cli_json_open(json, names[how], '{');
        for (int i = 0; i < ALGORITHM_COUNT; ++i) {
            if (!t[how][i].skipped) {
                write_timing(json, algorithms[i].name, &t[how][i]);
            }
        }
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, '}');
}

static void write_threads(lb_cli_json *json, const bench *b, timings t)
{
    lb_cli_json_open(json, "threads", '{');
    lb_cli_json_integer(json, "count", b->thread_count);
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        if (!t[MANNER_THREADS][i].skipped) {
            write_timing(json, algorithms[i].name, &t[MANNER_THREADS][i]);
        }
    }
    lb_cli_json_close(json, '}');
}

static void write_timings(const bench *b, const char *file, double seed, int rounds, timings t)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "model", file);
    lb_cli_json_integer(&json, "bodies", lb_get_body_count(b->model));
    lb_cli_json_integer(&json, "dofs", lb_get_v_count(b->model));
    lb_cli_json_integer(&json, "seed", (long long)seed);
    lb_cli_json_integer(&json, "rounds", rounds);
    lb_cli_json_string(&json, "instructions",
                       lb_cli_get_instructions_name(lb_get_instruction_set(b->model)));
    lb_cli_json_open(&json, "algorithms", '{');
    for (int i = 0; i < ALGORITHM_COUNT; ++i) {
        write_timing(&json, algorithms[i].name, &t[MANNER_ONE][i]);
    }
    lb_cli_json_close(&json, '}');
    if (b->batch_count) {
        write_batches(&json, b, t);
    }
    if (b->threads_asked) {
        write_threads(&json, b, t);
    }
    if (b->gpu_count) {
        lb_cli_write_gpu_times(&json, &b->gpu);
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

static bool is_skipped(const bench *b, const algorithm *what, manner how)
{
    const bool batch = b->batch_count && what->evaluate_batch;
    return (how == MANNER_BATCH && !batch) ||
           (how == MANNER_CORES && !(batch && b->thread_count > 1)) ||
           (how == MANNER_THREADS && !(b->threads_asked && what->evaluate_threads)) ||
           (what->needs_matrix && !b->one.matrix);
}

// Rounds of everything in the given manners in turn; round -1 is the warm-up.
static bool run_rounds(bench *b, const char *file, manner first, manner last, int rounds,
                       double share, timings t)
{
    for (int round = -1; round < rounds; ++round) {
        for (int i = 0; i < ALGORITHM_COUNT; ++i) {
            for (manner how = first; how <= last; ++how) {
                timing *own = &t[how][i];
                lb_status status = LB_OK;
                if (!own->skipped && round < 0) {
                    status = warm_up(b, &algorithms[i], how, share, own);
                } else if (!own->skipped) {
                    own->samples[round] = run_round(b, &algorithms[i], how, own->repeats, &status);
                }
                if (!lb_cli_explain_status(b->model, b->work, status, file, algorithms[i].name)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// Batches on a graphics processor.
static bool run_gpu(bench *b, int rounds, uint64_t seed)
{
    const ptrdiff_t nq = lb_get_q_count(b->model), nv = lb_get_v_count(b->model);
    states s = {.q = lb_cli_allocate(b->gpu_count, (int)nq, "states")};
    double **const vectors[] = {&s.v, &s.tau, &s.a, &s.x};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_cli_allocate(b->gpu_count, (int)nv, "states");
    }
    for (int i = 0; i < b->gpu_count; ++i) {
        draw_state(b->model, seed + (uint64_t)i, &s, i);
    }
    const bool done = lb_cli_bench_gpu(b->model, b->gpu_count, rounds, s.q, s.v, s.tau, &b->gpu);
    free_states(&s);
    return done;
}

static int run_all(bench *b, const lb_cli_arguments *arguments, int rounds, double seconds,
                   double seed)
{
    const char *file = arguments->operands[0];
    timings t = {0};
    double *samples = lb_cli_allocate(MANNER_COUNT * ALGORITHM_COUNT, rounds, "rounds");
    bool done = (!b->gpu_count || run_gpu(b, rounds, (uint64_t)seed)) && prepare(b, (uint64_t)seed);
    for (int j = 0; done && j < MANNER_COUNT * ALGORITHM_COUNT; ++j) {
        timing *own = &t[j % MANNER_COUNT][j / MANNER_COUNT];
        own->samples = samples + (ptrdiff_t)j * rounds;
        own->skipped = is_skipped(b, &algorithms[j / MANNER_COUNT], (manner)(j % MANNER_COUNT));
    }
    // many threads by themselves: they go on for a while, waiting for more to do
    const double share = seconds / rounds;
    done = done && run_rounds(b, file, MANNER_ONE, MANNER_BATCH, rounds, share, t) &&
           run_rounds(b, file, MANNER_CORES, MANNER_THREADS, rounds, share, t);
    for (int j = 0; done && j < MANNER_COUNT * ALGORITHM_COUNT; ++j) {
        timing *own = &t[j % MANNER_COUNT][j / MANNER_COUNT];
        if (!own->skipped) {
            const manner how = (manner)(j % MANNER_COUNT);
            const bool one = how == MANNER_ONE || how == MANNER_THREADS;
            summarize(own, rounds, one ? 1 : b->batch_count);
        }
    }
    free(samples);
    if (!done) {
        return LB_CLI_FAILED;
    }
    (lb_cli_get_option(arguments, "json") ? write_timings : print_timings)(b, file, seed, rounds,
                                                                           t);
    return LB_CLI_DONE;
}

static int count_threads(void)
{
    const int count = lb_make_openmp_team(0).thread_count;
    return count < THREAD_MAX ? count : THREAD_MAX;
}

int lb_cli_run_bench(const lb_cli_arguments *arguments)
{
    double rounds, seconds, seed, batch, threads, gpu;
    lb_instruction_set instructions;
    // a seed is exact up to 2^53
    if (!lb_cli_get_number(arguments, "rounds", 1, 1e6, 30, &rounds) ||
        !lb_cli_get_number(arguments, "seconds", 0, 3600, 0.3, &seconds) ||
        !lb_cli_get_number(arguments, "seed", 0, 0x1p53, 1, &seed) ||
        !lb_cli_get_number(arguments, "batch", 1, 1e8, 0, &batch) ||
        !lb_cli_get_number(arguments, "threads", 1, THREAD_MAX, 0, &threads) ||
        !lb_cli_get_number(arguments, "gpu", 1, 1e8, 0, &gpu) ||
        !lb_cli_get_instructions(arguments, &instructions)) {
        return LB_CLI_USAGE;
    }
    bench b = {.model = lb_cli_load_model(arguments),
               .batch_count = (int)batch,
               .gpu_count = (int)gpu,
               .threads_asked = threads >= 1,
               .thread_count = threads >= 1 ? (int)threads : count_threads()};
    if (!b.model) {
        return LB_CLI_FAILED;
    }
    const int status = run_all(&b, arguments, (int)rounds, seconds, (double)(uint64_t)seed);
    lb_work *const works[] = {b.work, b.divided, b.divided_threads, b.composite, b.unsplit};
    for (size_t i = 0; i < sizeof works / sizeof works[0]; ++i) {
        lb_destroy_work(works[i]);
    }
    lb_destroy_derivative_work(b.derivatives);
    free(b.matrices);
    lb_destroy_batch(b.alone);
    lb_destroy_batch(b.shared);
    lb_destroy_model(b.model);
    free_states(&b.one);
    free_states(&b.batch);
    return status;
}
