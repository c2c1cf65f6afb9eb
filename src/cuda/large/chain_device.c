// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain on a device: its kernels, in the order in which they need each other.
#include <stdlib.h>

#include "large.h"

/// The text of chain_kernels.h and what it includes, written by the build.
extern const unsigned char lb_chain_text[];

enum { TURNS, SCAN, RUNS, JOINS, SPLITS, RESULTS, VERDICT, KERNEL_COUNT };
static const char *const kernel_names[KERNEL_COUNT] = {
    "lb_chain_turns",  "lb_chain_scan",    "lb_chain_runs",   "lb_chain_joins",
    "lb_chain_splits", "lb_chain_results", "lb_chain_verdict"};

// ---- set-up ------------------------------------------------------------------------------------

lb_status lb_set_up_chain(lb_cuda_division *d, const lb_model *model)
{
    size_t counts[LB_CHAIN_ARRAYS];
    const size_t n = (size_t)lb_get_body_count(model);
    lb_status status =
        lb_take_large_kernels(d, lb_chain_text, "chain.cu", KERNEL_COUNT, kernel_names);
    lb_cut_chain(model, d->options.run_length, &d->chain);
    const size_t total = lb_place_chain(&d->chain, NULL);
    lb_count_chain(&d->chain, counts);
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
    double *rows = calloc(counts[LB_CHAIN_BODIES], sizeof *rows);
    if (!rows) {
        return lb_fail_cuda(d->cuda, LB_E_MEMORY, "out of memory");
    }
    lb_write_chain_bodies(model, &d->chain, rows);
    status = lb_copy_to_cuda(d->cuda, numbers, rows, counts[LB_CHAIN_BODIES] * sizeof *rows);
    free(rows);
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

// Levels that one launch joins: one at a time where there are more joins than the device holds at once, so that no lanes
// of a block wait for others.
static int choose_levels(const lb_cuda_division *d, int level)
{
    const int held = 8 * LB_JOIN_GROUPS * d->cuda->multiprocessor_count;
    return lb_count_level(d->chain.run_count, level + 1) > held ? 1 : LB_JOIN_LEVELS;
}

static int count_join_blocks(const lb_cuda_division *d, int level)
{
    const int joins = lb_count_level(d->chain.run_count, level + 1);
    return (joins + LB_JOIN_GROUPS - 1) / LB_JOIN_GROUPS;
}

// Joins up to the whole chain, and back to the runs.
static lb_status join_and_split(lb_cuda_division *d)
{
    int level = 0, levels, last = 0, starts[32], count = 0;
    void *arguments[] = {&d->chain, &level, &levels, &last};
    const int lanes = LB_JOIN_GROUPS * LB_CARD_GROUP;
    lb_status status = LB_OK;
    while (status == LB_OK && d->chain_levels - level > LB_JOIN_LEVELS) {
        levels = choose_levels(d, level);
        status = launch(d, JOINS, count_join_blocks(d, level), lanes, 0, arguments);
        starts[count++] = level;
        level += levels;
    }
    last = 1;
    levels = d->chain_levels - level;
    status = status == LB_OK ? launch(d, JOINS, 1, lanes, 0, arguments) : status;
    while (status == LB_OK && count > 0) {
        levels = level - starts[count - 1];
        level = starts[--count];
        status = launch(d, SPLITS, count_join_blocks(d, level), lanes, 0, arguments);
    }
    return status;
}

lb_status lb_start_chain_dynamics(lb_cuda_division *division, double *a)
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
