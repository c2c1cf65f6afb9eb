// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain on a device: its kernels, in the order in which they need each other.
#include <stdlib.h>

#include "large.h"

/// The text of chain_kernels.h and what it includes, written by the build.
extern const unsigned char lb_chain_text[];

enum { TURNS, SCAN, RUNS, JOINS, TOP, SPLITS, RESULTS, KERNEL_COUNT };
static const char *const kernel_names[KERNEL_COUNT] = {
    "lb_chain_turns", "lb_chain_scan",   "lb_chain_runs",   "lb_chain_joins",
    "lb_chain_top",   "lb_chain_splits", "lb_chain_results"};

// ---- set-up ------------------------------------------------------------------------------------

lb_status lb_set_up_chain(lb_cuda_division *d, const lb_model *model)
{
    const size_t n = (size_t)lb_get_body_count(model);
    lb_status status =
        lb_take_large_kernels(d, lb_chain_text, "chain.cu", KERNEL_COUNT, kernel_names);
    lb_cut_chain(model, d->options.run_length, &d->chain);
    const size_t total = lb_place_chain(&d->chain, NULL);
    while (1LL << d->chain_levels < d->chain.run_count) {
        ++d->chain_levels;
    }
    d->size = (total + 4 * n) * sizeof(double);
    status = status == LB_OK ? lb_allocate_on_cuda(d->cuda, d->size, &d->memory) : status;
    if (status != LB_OK) {
        return status;
    }
    double *numbers = d->memory;
    lb_place_chain(&d->chain, numbers);
    d->arrays = numbers + total;
    d->verdicts = d->chain.verdicts;
    const size_t count = lb_count_chain_constants(&d->chain);
    double *constants = calloc(count, sizeof *constants);
    if (!constants) {
        return lb_fail_cuda(d->cuda, LB_E_MEMORY, "out of memory");
    }
    lb_write_chain_bodies(model, &d->chain, constants);
    status = lb_copy_to_cuda(d->cuda, numbers, constants, count * sizeof *constants);
    free(constants);
    return status;
}

// ---- evaluation --------------------------------------------------------------------------------

// @param shared  numbers of shared memory
static lb_status launch(lb_cuda_division *d, int kernel, int blocks, int threads, int shared,
                        void **arguments)
{
    return lb_launch_large(d, kernel, blocks, threads, (size_t)shared * sizeof(double), arguments);
}

static int count_teams(int lanes)
{
    return (lanes + LB_CARD_TEAM - 1) / LB_CARD_TEAM;
}

// Angles and angular velocities.
lb_status lb_start_chain_kinematics(lb_cuda_division *d, const double *q, const double *v,
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

// Assemblies of a level above the runs.
static int count_assemblies(const lb_cuda_division *d, int level)
{
    return (int)(((long long)d->chain.run_count + (1LL << level) - 1) >> level);
}

// Levels that a block has room for.
static int count_levels(const lb_cuda_division *d)
{
    const int numbers = d->cuda->shared_bytes / (int)sizeof(double) - LB_LETTER_SIZE;
    int levels = LB_MOST_LEVELS;
    while (levels > 1 && (LB_JOIN_ROOM(levels) > numbers || LB_SPLIT_ROOM(levels) > numbers)) {
        --levels;
    }
    return levels;
}

// Lanes of a block that joins or splits, a team at least.
static int count_lanes(int levels)
{
    return count_teams(LB_CARD_GROUP * LB_GROUPS(levels > 0 ? levels : 1)) * LB_CARD_TEAM;
}

// Joins up to the whole chain, and back to the runs.
static lb_status join_and_split(lb_cuda_division *d)
{
    const int most = count_levels(d);
    int level = 0, levels, left = d->chain_levels;
    void *arguments[] = {&d->chain, &level, &levels};
    lb_status status = LB_OK;
    for (; status == LB_OK && left > most; left -= levels) {
        levels = left - most < most ? left - most : most;
        status = launch(d, JOINS, count_assemblies(d, level + levels), count_lanes(levels),
                        LB_JOIN_ROOM(levels), arguments);
        level += levels;
    }
    levels = left;
    if (status == LB_OK) {
        const int join = LB_JOIN_ROOM(levels), split = LB_SPLIT_ROOM(levels);
        status = launch(d, TOP, 1, count_lanes(levels), join > split ? join : split, arguments);
    }
    while (status == LB_OK && level > 0) {
        levels = level < most ? level : most;
        level -= levels;
        status = launch(d, SPLITS, count_assemblies(d, level + levels), count_lanes(levels),
                        LB_SPLIT_ROOM(levels), arguments);
    }
    return status;
}

// Two blocks may be put on one multiprocessor while another one is idle. So blocks that can have one each ask for more than half
// of its memory.
//
// @param shared  numbers of shared memory that a block needs
static int keep_apart(const lb_cuda_division *d, int blocks, int shared)
{
    const int half = d->cuda->shared_bytes / (2 * (int)sizeof(double)) + 128;
    return blocks <= d->cuda->multiprocessor_count && shared < half ? half : shared;
}

lb_status lb_start_chain_dynamics(lb_cuda_division *division, double *a)
{
    lb_chain *c = &division->chain;
    void *arguments[] = {c, &a};
    const int teams = count_teams(c->run_count), held = division->cuda->multiprocessor_count;
    const int room = division->cuda->shared_bytes / (LB_RESULT_ROOM * (int)sizeof(double));
    const int most = room < LB_MOST_TEAMS ? room : LB_MOST_TEAMS;
    const int each = teams >= most * held ? most : (teams + held - 1) / held;
    const int blocks = (teams + each - 1) / each, lanes = each * LB_CARD_TEAM;
    lb_status status = launch(division, RUNS, blocks, lanes,
                              keep_apart(division, blocks, each * LB_RUN_ROOM), arguments);
    if (status == LB_OK) {
        status = join_and_split(division);
    }
    return status == LB_OK ? launch(division, RESULTS, blocks, lanes,
                                    keep_apart(division, blocks, each * LB_RESULT_ROOM), arguments)
                           : status;
}
