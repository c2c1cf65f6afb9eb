// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/cuda_division.h"

#include <stdlib.h>

#include "base/sized.h"
#include "chain_layout.h"
#include "cuda/device.h"

/// The text of the kernels: lanes_of.h and chain_*.h in one, written by the build.
extern const unsigned char lb_chain_text[];

enum { TURNS, SCAN, RUNS, JOINS, SPLITS, RESULTS, VERDICT, KERNEL_COUNT };
static const char *const kernel_names[KERNEL_COUNT] = {
    "lb_chain_turns",  "lb_chain_scan",    "lb_chain_runs",   "lb_chain_joins",
    "lb_chain_splits", "lb_chain_results", "lb_chain_verdict"};

struct lb_cuda_division {
    lb_cuda *cuda;
    lb_cuda_division_options options;
    lb_cuda_module *module;
    lb_cuda_kernel kernels[KERNEL_COUNT];
    lb_chain chain;  ///< its arrays lie on the device
    double *memory;  ///< of them all
    double *arrays;  ///< q, v, tau and a of lb_compute_forward_dynamics_by_cuda
    size_t size;     ///< bytes of both
    int level_count; ///< above the runs
};

static const lb_cuda_division_options defaults = {
    .size = sizeof defaults, .run_length = 0, .tolerance = 1e-10};

void lb_init_cuda_division_options(lb_cuda_division_options *options, size_t size)
{
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

// ---- set-up ------------------------------------------------------------------------------------

static lb_status take_kernels(lb_cuda_division *d)
{
    lb_status status =
        lb_compile_for_cuda(d->cuda, (const char *)lb_chain_text, "chain.cu", 0, NULL, &d->module);
    for (int i = 0; status == LB_OK && i < KERNEL_COUNT; ++i) {
        status = lb_get_cuda_kernel(d->cuda, d->module, kernel_names[i], &d->kernels[i]);
    }
    return status;
}

static lb_status upload(lb_cuda_division *d, const lb_model *model)
{
    size_t counts[LB_CHAIN_ARRAYS];
    void *memory = NULL, *arrays = NULL;
    const size_t n = (size_t)lb_get_body_count(model);
    lb_cut_chain(model, d->options.run_length, &d->chain);
    const size_t total = lb_place_chain(&d->chain, NULL);
    lb_count_chain(&d->chain, counts);
    while (lb_count_level(d->chain.run_count, d->level_count) > 1) {
        ++d->level_count;
    }
    lb_status status = lb_allocate_on_cuda(d->cuda, total * sizeof(double), &memory);
    if (status == LB_OK) {
        d->memory = memory;
        lb_place_chain(&d->chain, d->memory);
        status = lb_allocate_on_cuda(d->cuda, 4 * n * sizeof(double), &arrays);
        d->arrays = arrays;
    }
    d->size = (total + 4 * n) * sizeof(double);
    double *rows = status == LB_OK ? calloc(counts[LB_CHAIN_BODIES], sizeof *rows) : NULL;
    if (status == LB_OK && !rows) {
        return lb_fail_cuda(d->cuda, LB_E_MEMORY, "out of memory");
    }
    if (status == LB_OK) {
        lb_write_chain_bodies(model, &d->chain, rows);
        status = lb_copy_to_cuda(d->cuda, d->memory, rows, counts[LB_CHAIN_BODIES] * sizeof *rows);
    }
    free(rows);
    return status;
}

lb_status lb_create_cuda_division(lb_cuda *cuda, const lb_model *model,
                                  const lb_cuda_division_options *options,
                                  lb_cuda_division **division)
{
    lb_cuda_division_options own = defaults;
    *division = NULL;
    if (options && lb_take_sized(&own, sizeof own, offsetof(lb_cuda_division_options, run_length),
                                 options) != LB_OK) {
        return lb_fail_cuda(cuda, LB_E_VERSION,
                            "a struct of %zu bytes, but this version of limber knows %zu: it comes "
                            "from a program built for a newer version",
                            options->size, sizeof own);
    }
    if (own.tolerance != own.tolerance) {
        return lb_fail_cuda(cuda, LB_E_NUMBER, "the tolerance is not a number");
    }
    const int obstacle = lb_find_chain_obstacle(model);
    if (obstacle != LB_NOT_FOUND) {
        return lb_fail_cuda(cuda, LB_E_UNSUPPORTED,
                            "body '%s': on a device a large system is a chain of rigid bodies on "
                            "revolute hinges, listed from base to tip",
                            lb_get_body_name(model, obstacle));
    }
    if (lb_get_body_count(model) < 1) {
        return lb_fail_cuda(cuda, LB_E_UNSUPPORTED, "the model has no body");
    }
    lb_cuda_division *d = calloc(1, sizeof *d);
    if (!d) {
        return lb_fail_cuda(cuda, LB_E_MEMORY, "out of memory");
    }
    d->cuda = cuda;
    d->options = own;
    lb_status status = take_kernels(d);
    if (status == LB_OK) {
        status = upload(d, model);
    }
    if (status != LB_OK) {
        lb_destroy_cuda_division(d);
        return status;
    }
    *division = d;
    return LB_OK;
}

void lb_destroy_cuda_division(lb_cuda_division *division)
{
    if (division) {
        lb_release_on_cuda(division->cuda, division->arrays);
        lb_release_on_cuda(division->cuda, division->memory);
        lb_destroy_cuda_module(division->cuda, division->module);
        free(division);
    }
}

size_t lb_get_cuda_division_size(const lb_cuda_division *division)
{
    return division->size;
}

// ---- evaluation --------------------------------------------------------------------------------

static lb_status launch(lb_cuda_division *d, int kernel, int blocks, int threads, int shared,
                        void **arguments)
{
    return lb_launch_on_cuda(d->cuda, &d->kernels[kernel], (unsigned)blocks, (unsigned)threads,
                             (unsigned)shared * (unsigned)sizeof(double), arguments);
}

static int count_teams(int lanes)
{
    return (lanes + LB_CARD_TEAM - 1) / LB_CARD_TEAM;
}

// Angles and angular velocities.
static lb_status find_turns(lb_cuda_division *d, const double *q, const double *v,
                            const double *tau)
{
    lb_chain *c = &d->chain;
    void *arguments[] = {c, &q, &v, &tau};
    int count = lb_count_stretches(c);
    const int parts = c->length / c->stretch;
    lb_status status =
        launch(d, TURNS, count_teams(c->run_count) * parts, LB_CARD_TEAM, 0, arguments);
    double *turns = c->turns;
    while (status == LB_OK) {
        const int blocks = (count + LB_SCAN - 1) / LB_SCAN;
        double *totals = blocks > 1 ? turns + 12LL * count : NULL;
        void *scanned[] = {&turns, &count, &totals};
        status = launch(d, SCAN, blocks, LB_SCAN, 0, scanned);
        if (blocks == 1) {
            break;
        }
        turns = totals;
        count = blocks;
    }
    return status;
}

// Joins up to the whole chain, and back to the runs; `levels` of them at a time.
static lb_status join_and_split(lb_cuda_division *d)
{
    lb_chain *c = &d->chain;
    int level = 0, levels = LB_JOIN_LEVELS, last = 0;
    void *arguments[] = {c, &level, &levels, &last};
    const int lanes = LB_JOIN_GROUPS * LB_CARD_GROUP;
    lb_status status = LB_OK;
    for (; status == LB_OK && d->level_count - level > LB_JOIN_LEVELS; level += LB_JOIN_LEVELS) {
        status =
            launch(d, JOINS, lb_count_level(c->run_count, level + levels), lanes, 0, arguments);
    }
    last = 1;
    levels = d->level_count - level;
    if (status == LB_OK) {
        status = launch(d, JOINS, 1, lanes, 0, arguments);
    }
    levels = LB_JOIN_LEVELS;
    while (status == LB_OK && level > 0) {
        level -= LB_JOIN_LEVELS;
        status =
            launch(d, SPLITS, lb_count_level(c->run_count, level + levels), lanes, 0, arguments);
    }
    return status;
}

lb_status lb_repeat_forward_dynamics_divided_cuda(lb_cuda_division *division, double *a)
{
    lb_chain *c = &division->chain;
    void *arguments[] = {c, &a};
    const int teams = count_teams(c->run_count), twice = 2 * LB_CARD_TEAM;
    lb_status status = launch(division, RUNS, teams, LB_CARD_TEAM, twice * LB_RECORD, arguments);
    if (status == LB_OK) {
        status = join_and_split(division);
    }
    if (status == LB_OK) {
        const int room = twice * LB_LONG_RECORD + LB_CARD_TEAM * (c->length + 1);
        status = launch(division, RESULTS, teams, LB_CARD_TEAM, room, arguments);
    }
    return status == LB_OK ? launch(division, VERDICT, 1, 1024, 0, arguments) : status;
}

lb_status lb_compute_forward_dynamics_divided_cuda(lb_cuda_division *division, const double *q,
                                                   const double *v, const double *tau, double *a)
{
    const lb_status status = find_turns(division, q, v, tau);
    return status == LB_OK ? lb_repeat_forward_dynamics_divided_cuda(division, a) : status;
}

// ---- verdict -----------------------------------------------------------------------------------

lb_status lb_check_cuda_division(lb_cuda_division *division, lb_division_report *report)
{
    double found[LB_VERDICT_SIZE];
    lb_division_report own = {.size = sizeof own};
    lb_status status =
        lb_copy_from_cuda(division->cuda, found, division->chain.verdicts, sizeof found);
    if (status != LB_OK) {
        return status;
    }
    lb_judge_chain(found, &own.shift, &own.gap, &own.broken_count);
    own.fallback = own.broken_count != 0 || !(own.shift <= division->options.tolerance) ||
                   !(own.gap <= division->options.tolerance);
    if (report &&
        lb_give_sized(&own, sizeof own, offsetof(lb_division_report, shift), report) != LB_OK) {
        return LB_E_VERSION;
    }
    return own.fallback ? LB_NEWS_FALLBACK : LB_OK;
}

lb_status lb_compute_forward_dynamics_by_cuda(const lb_model *model, lb_work *work,
                                              lb_cuda_division *division, const double *q,
                                              const double *v, const double *tau, double *a)
{
    const size_t n = (size_t)division->chain.body_count, size = n * sizeof(double);
    double *arrays = division->arrays;
    lb_status status = lb_copy_to_cuda(division->cuda, arrays, q, size);
    if (status == LB_OK) {
        status = lb_copy_to_cuda(division->cuda, arrays + n, v, size);
    }
    if (status == LB_OK && tau) {
        status = lb_copy_to_cuda(division->cuda, arrays + 2 * n, tau, size);
    }
    if (status == LB_OK) {
        status = lb_compute_forward_dynamics_divided_cuda(
            division, arrays, arrays + n, tau ? arrays + 2 * n : NULL, arrays + 3 * n);
    }
    if (status == LB_OK) {
        status = lb_check_cuda_division(division, NULL);
    }
    if (status == LB_OK) {
        return lb_copy_from_cuda(division->cuda, a, arrays + 3 * n, size);
    }
    if (status != LB_NEWS_FALLBACK) {
        return status;
    }
    status = lb_compute_forward_dynamics(model, work, q, v, tau, a);
    return status == LB_OK ? LB_NEWS_FALLBACK : status;
}
