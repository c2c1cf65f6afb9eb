// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain on a device: its kernels, in the order in which they need each other.
#include <stdlib.h>

#include "large.h"

/// The text of chain_kernels.h and what it includes, written by the build.
extern const unsigned char lb_chain_text[];

enum { TURNS, SCAN, RUNS, MANY_JOINS, JOINS, TOP, SPLITS, RESULTS, KERNEL_COUNT };
static const char *const kernel_names[KERNEL_COUNT] = {
    "lb_chain_turns", "lb_chain_scan", "lb_chain_runs",   "lb_chain_many_joins",
    "lb_chain_joins", "lb_chain_top",  "lb_chain_splits", "lb_chain_results"};

// ---- set-up ------------------------------------------------------------------------------------

lb_status lb_set_up_chain(lb_cuda_division *d, const lb_model *model)
{
    const size_t n = (size_t)lb_get_body_count(model);
    lb_status status =
        lb_take_large_kernels(d, lb_chain_text, "chain.cu", KERNEL_COUNT, kernel_names);
    lb_cut_chain(model, d->options.run_length, &d->chain);
    const size_t total = lb_place_chain(&d->chain, NULL);
    while (lb_count_level(d->chain.run_count, d->chain_levels) > 1) {
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

static int count_blocks(const lb_cuda_division *d, int level)
{
    return lb_count_level(d->chain.run_count, level);
}

// Joins up to the whole chain, and back to the runs. Where there are more joins than the device holds at once, blocks join
// few levels, so that teams do not wait for each other.
static lb_status join_and_split(lb_cuda_division *d)
{
    const int bench = sizeof(lb_bench) / sizeof(double), held = 16 * d->cuda->multiprocessor_count;
    int level = 0, levels, left = d->chain_levels;
    void *arguments[] = {&d->chain, &level, &levels};
    lb_status status = LB_OK;
    for (; status == LB_OK && left > LB_MOST_LEVELS; left -= levels) {
        const bool is_wide = count_blocks(d, level + 1) > held;
        const int most = is_wide ? LB_FEW_LEVELS : LB_MOST_LEVELS;
        levels = left - LB_MOST_LEVELS < most ? left - LB_MOST_LEVELS : most;
        const int teams = 1 << (levels - 1);
        status = launch(d, is_wide ? MANY_JOINS : JOINS, count_blocks(d, level + levels),
                        teams * LB_CARD_TEAM, teams * bench, arguments);
        level += levels;
    }
    levels = left;
    if (status == LB_OK) {
        const int split = LB_SPLIT_ROOM(levels > 0 ? levels : 1), join = LB_MOST_JOINS * bench;
        status =
            launch(d, TOP, 1, LB_MOST_JOINS * LB_CARD_TEAM, split > join ? split : join, arguments);
    }
    while (status == LB_OK && level > 0) {
        levels = level > LB_MOST_LEVELS ? (level + 1) / 2 : level;
        levels = levels > LB_MOST_LEVELS ? LB_MOST_LEVELS : levels;
        level -= levels;
        status = launch(d, SPLITS, count_blocks(d, level + levels),
                        LB_CARD_GROUP << (levels > 2 ? levels - 1 : 2), (int)LB_SPLIT_ROOM(levels),
                        arguments);
    }
    return status;
}

lb_status lb_start_chain_dynamics(lb_cuda_division *division, double *a)
{
    lb_chain *c = &division->chain;
    void *arguments[] = {c, &a};
    const int teams = count_teams(c->run_count), held = division->cuda->multiprocessor_count;
    const int each = teams >= LB_MOST_TEAMS * held ? LB_MOST_TEAMS : (teams + held - 1) / held;
    const int blocks = (teams + each - 1) / each, lanes = each * LB_CARD_TEAM;
    lb_status status = launch(division, RUNS, blocks, lanes, each * LB_RUN_ROOM, arguments);
    if (status == LB_OK) {
        status = join_and_split(division);
    }
    return status == LB_OK
               ? launch(division, RESULTS, blocks, lanes, each * LB_RESULT_ROOM, arguments)
               : status;
}
