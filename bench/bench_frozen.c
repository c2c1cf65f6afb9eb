// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frozen models against the engine, in one run: forward and inverse dynamics and the mass matrix.
//
//     bench_frozen [--csv FILE] [--compiler COMMAND] [--floating] [--vector] [--batch] MODEL ...
//
// MODEL is a file, four-bar, or beams:ruthless or beams:consistent: ten beams of five modes. With --vector its equal
// limbs and sines are in vector types; with --batch its functions take eight states at once, and times are of one of them,
// against the engine's batch of 256 states. Models with closed loops have forward dynamics only. Each row has the minimum of
// many rounds, in which engine and frozen file take turns. The columns of the table and of the CSV file are
// explained in bench/results.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <limber/assemble.h>
#include <limber/batch.h>
#include <limber/io.h>
#include <limber/loops.h>
#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "frozen/program.h"
#include "measure.h"

// rounds: others may be at work on the machine for a good part of them
enum { ROUNDS = 600, FUNCTIONS = 3, EIGHT = 8, STATES = 256 };

// Functions for eight states.
typedef int (*batch_five)(const double *, const double *, const double *, double *, int *);
typedef int (*batch_three)(const double *, double *, int *);

typedef struct race {
    lb_model *model;
    lb_work *work;
    lb_program program;
    double *q, *v, *tau, *x, *y;
    lb_frozen_four forward, inverse;
    lb_frozen_two mass;
    const char *compiler;
    FILE *csv; // or NULL
    bool loops, vectors, batches;
    // of a batch: STATES states one after the other for the engine, and eight by eight for the file
    lb_batch *batch;
    double *all_q, *all_v, *all_tau, *eight_q, *eight_v, *eight_tau;
    batch_five forward_batch, inverse_batch;
    batch_three mass_batch;
} race;

static double get_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// All states. Both write their results one group behind the other.
static int run_engine_batch(race *r, int function)
{
    return function == 0 ? lb_compute_forward_dynamics_batch(r->model, r->batch, STATES, r->all_q,
                                                             r->all_v, r->all_tau, r->x)
           : function == 1
               ? lb_compute_inverse_dynamics_batch(r->model, r->batch, STATES, r->all_q, r->all_v,
                                                   r->all_tau, r->x)
               : lb_compute_mass_matrix_batch(r->model, r->batch, STATES, r->all_q, r->x);
}

static int run_frozen_batch(race *r, int function)
{
    const int nq = EIGHT * lb_get_q_count(r->model), n = EIGHT * lb_get_v_count(r->model);
    int status[EIGHT], worst = 0;
    for (int i = 0; i < STATES / EIGHT; ++i) {
        const double *q = r->eight_q + i * nq, *v = r->eight_v + i * n, *x = r->eight_tau + i * n;
        const int one = function == 0   ? r->forward_batch(q, v, x, r->y + i * n, status)
                        : function == 1 ? r->inverse_batch(q, v, x, r->y + i * n, status)
                                        : r->mass_batch(q, r->y + i * n * (n / EIGHT), status);
        worst = one < 0 ? one : worst;
    }
    return worst;
}

static int run_engine(race *r, int function)
{
    if (r->batches) {
        return run_engine_batch(r, function);
    }
    switch (function) {
    case 0:
        if (r->loops) {
            return lb_closed_forward(r->model, r->work, r->q, r->v, NULL, r->tau, r->x, NULL, NULL);
        }
        return lb_tree_forward(r->model, r->work, r->q, r->v, r->tau, r->x);
    case 1:
        return lb_tree_inverse(r->model, r->work, r->q, r->v, r->tau, r->x);
    default:
        return lb_tree_mass_matrix(r->model, r->work, r->q, r->x);
    }
}

static int run_frozen(race *r, int function)
{
    if (r->batches) {
        return run_frozen_batch(r, function);
    }
    switch (function) {
    case 0:
        return r->forward(r->q, r->v, r->tau, r->y);
    case 1:
        return r->inverse(r->q, r->v, r->tau, r->y);
    default:
        return r->mass(r->q, r->y);
    }
}

static double time_calls(race *r, int function, int (*run)(race *, int), long count)
{
    const double start = get_seconds();
    for (long i = 0; i < count; ++i) {
        if (run(r, function) < 0) {
            fprintf(stderr, "bench_frozen: a function failed\n");
            exit(1);
        }
    }
    return (get_seconds() - start) * 1e9 / (double)(r->batches ? STATES * count : count);
}

static double compare(const race *r, int count)
{
    double gap = 0.0, size = 0.0;
    for (int i = 0; i < (r->batches ? STATES * count : count); ++i) {
        // entry e of state s
        const int s = i / count, e = i % count;
        const int at = r->batches ? s / EIGHT * EIGHT * count + EIGHT * e + s % EIGHT : i;
        gap = fmax(gap, fabs(r->x[i] - r->y[at]));
        size = fmax(size, fabs(r->x[i]));
    }
    return gap / size;
}

static void run_race(race *r, const char *name)
{
    static const char *const functions[FUNCTIONS] = {"forward", "inverse", "mass"};
    const int n = lb_get_v_count(r->model);
    for (int f = 0; f < (r->loops ? 1 : FUNCTIONS); ++f) {
        // a round lasts half a millisecond
        const long count = 1 + (long)(5e5 / time_calls(r, f, run_engine, r->batches ? 1 : 100)) /
                                   (r->batches ? STATES : 1);
        double engine = HUGE_VAL, frozen = HUGE_VAL;
        for (int i = 0; i < ROUNDS; ++i) {
            engine = fmin(engine, time_calls(r, f, run_engine, count));
            frozen = fmin(frozen, time_calls(r, f, run_frozen, count));
        }
        const double gap = compare(r, f == 2 ? n * n : n);
        const char *form = r->batches ? "batch" : r->vectors ? "vectors" : "C99";
        printf("%-24s %-8s %-8s %9.1f %9.1f %6.3f %9ld %8.1f   %.1e\n", name, functions[f], form,
               engine, frozen, frozen / engine, r->program.bytes, r->program.seconds, gap);
        fflush(stdout);
        if (r->csv) {
            char machine[128];
            lb_get_machine(machine, sizeof machine);
            fprintf(r->csv, "%s,%s,%s,%.1f,%.1f,%.3f,%ld,%.1f,%.1e,\"%s\",\"%s\",%s\n", name,
                    functions[f], form, engine, frozen, frozen / engine, r->program.bytes,
                    r->program.seconds, gap, machine, r->compiler, lb_get_commit());
            fflush(r->csv);
        }
    }
}

static lb_model *make_model(const char *name, bool floating)
{
    lb_model *model = NULL;
    if (strncmp(name, "beams:", 6) == 0) {
        return lb_build_unlike_chain(
            10, 5,
            strcmp(name + 6, "ruthless") == 0 ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT, 1);
    }
    if (strcmp(name, "four-bar") == 0) {
        lb_scene *scene = lb_create_four_bars(1, LB_LOOP_REVOLUTE, 1);
        model = lb_build_scene(scene);
        lb_destroy_scene(scene);
        return model;
    }
    lb_load_options options = lb_default_load_options();
    options.floating_base = floating;
    (void)lb_load_model(name, &options, NULL, &model);
    return model;
}

static void draw_state(race *r)
{
    const int n = lb_get_v_count(r->model);
    lb_random random;
    lb_seed_random(&random, 3);
    double *d = lb_make_numbers(n), *neutral = lb_make_numbers(lb_get_q_count(r->model));
    lb_draw_vector(&random, n, 1.0, d);
    lb_draw_vector(&random, n, 1.0, r->v);
    lb_draw_vector(&random, n, 1.0, r->tau);
    for (int body = 0; body < lb_get_body_count(r->model); ++body) {
        for (int i = 0; i < lb_get_mode_count(r->model, body); ++i) {
            d[lb_get_v_offset(r->model, body) + i] *= 0.01;
        }
    }
    lb_get_neutral_configuration(r->model, neutral);
    if (r->loops) { // not far from the neutral configuration, where they are closed
        double *scratch = lb_make_numbers((int)lb_get_assembly_scratch_count(r->model));
        for (int i = 0; i < n; ++i) {
            d[i] *= 0.2;
        }
        lb_integrate_configuration(r->model, neutral, d, r->q);
        if (lb_take_initial_offsets(r->model, r->work, neutral, NULL) < LB_OK ||
            lb_assemble_loops(r->model, r->work, NULL, r->q, r->v, scratch, NULL) < LB_OK) {
            fprintf(stderr, "bench_frozen: the loops do not close\n");
            exit(1);
        }
        free(scratch);
    } else {
        lb_integrate_configuration(r->model, neutral, d, r->q);
    }
    free(d);
    free(neutral);
}

// States near the one that was drawn, in both orders.
static void spread_states(race *r)
{
    const int nq = lb_get_q_count(r->model), n = lb_get_v_count(r->model);
    double *d = lb_make_numbers(n);
    r->batch = lb_create_batch(r->model, NULL);
    for (int s = 0; s < STATES; ++s) {
        double *q = r->all_q + s * nq, *v = r->all_v + s * n, *tau = r->all_tau + s * n;
        for (int i = 0; i < n; ++i) {
            d[i] = 1e-3 * sin(i + 2.0 * s);
            v[i] = r->v[i] * (1.0 - 0.001 * s);
            tau[i] = r->tau[i] * (1.0 + 0.002 * s);
        }
        lb_integrate_configuration(r->model, r->q, d, q);
        const int group = s / EIGHT, k = s % EIGHT;
        for (int i = 0; i < nq; ++i) {
            r->eight_q[(group * nq + i) * EIGHT + k] = q[i];
        }
        for (int i = 0; i < n; ++i) {
            r->eight_v[(group * n + i) * EIGHT + k] = v[i];
            r->eight_tau[(group * n + i) * EIGHT + k] = tau[i];
        }
    }
    free(d);
}

static int run_model(const char *name, bool floating, bool vectors, bool batches,
                     const char *compiler, FILE *csv)
{
    race r = {.model = make_model(name, floating),
              .compiler = compiler,
              .csv = csv,
              .vectors = vectors,
              .batches = batches};
    if (!r.model) {
        fprintf(stderr, "bench_frozen: %s cannot be loaded\n", name);
        return 0;
    }
    const int n = lb_get_v_count(r.model);
    r.work = lb_create_work(r.model);
    r.q = lb_make_numbers(lb_get_q_count(r.model));
    r.v = lb_make_numbers(n);
    r.tau = lb_make_numbers(n);
    r.x = lb_make_numbers((n * n + n) * (batches ? STATES : 1));
    r.y = lb_make_numbers((n * n + n) * (batches ? STATES : 1));
    r.loops = lb_get_loop_capacity(r.model) > 0;
    draw_state(&r);
    double **const many[] = {&r.all_q, &r.all_v, &r.all_tau, &r.eight_q, &r.eight_v, &r.eight_tau};
    for (int i = 0; i < 6; ++i) {
        *many[i] = lb_make_numbers((i % 3 ? n : lb_get_q_count(r.model)) * STATES);
    }
    if (batches) {
        spread_states(&r);
    }
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = r.loops ? "forward" : options.functions;
    options.vectors = vectors;
    options.batches = batches;
    const int good =
        lb_write_program(r.model, &options, &r.program) && lb_load_program(&r.program, compiler);
    if (good) {
        const char *slash = strrchr(name, '/');
        lb_get_program_function(&r.program, "forward", &r.forward);
        if (!r.loops) {
            lb_get_program_function(&r.program, "inverse", &r.inverse);
            lb_get_program_function(&r.program, "mass", &r.mass);
        }
        if (batches) {
            lb_get_program_function(&r.program, "forward_batch", &r.forward_batch);
            lb_get_program_function(&r.program, "inverse_batch", &r.inverse_batch);
            lb_get_program_function(&r.program, "mass_batch", &r.mass_batch);
        }
        run_race(&r, slash ? slash + 1 : name);
    }
    lb_end_program(&r.program);
    for (int i = 0; i < 6; ++i) {
        free(*many[i]);
    }
    lb_destroy_batch(r.batch);
    lb_destroy_work(r.work);
    lb_destroy_model(r.model);
    free(r.q);
    free(r.v);
    free(r.tau);
    free(r.x);
    free(r.y);
    return good;
}

int main(int argc, char **argv)
{
    const char *compiler = "cc -std=c99 -O3 -march=native -ffp-contract=fast";
    bool floating = false, vectors = false, batches = false;
    int good = 1;
    FILE *csv = NULL;
    lb_print_setting();
    printf("# %-22s %-8s %-8s %9s %9s %6s %9s %8s   %s\n", "model", "function", "form", "engine ns",
           "frozen ns", "ratio", "bytes", "compile", "gap");
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--floating") == 0) {
            floating = true;
        } else if (strcmp(argv[i], "--vector") == 0) {
            vectors = true;
        } else if (strcmp(argv[i], "--batch") == 0) {
            batches = true;
        } else if (strcmp(argv[i], "--compiler") == 0 && i + 1 < argc) {
            compiler = argv[++i];
        } else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
            csv = fopen(argv[++i], "w");
            if (!csv) {
                perror(argv[i]);
                return 1;
            }
            fprintf(csv,
                    "model,function,form,engine_ns,frozen_ns,ratio,bytes,compile_s,gap,machine,"
                    "compiler,commit\n");
        } else {
            good = run_model(argv[i], floating, vectors, batches, compiler, csv) && good;
            floating = vectors = batches = false;
        }
    }
    if (csv) {
        fclose(csv);
    }
    return good ? 0 : 1;
}
