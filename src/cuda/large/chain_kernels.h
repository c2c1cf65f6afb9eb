// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain. Nothing depends on the order of blocks: every number is written by one
// lane, and sums are made in the order of the levels, so that answers are the same to the last bit.
#ifndef LB_CHAIN_KERNELS_H
#define LB_CHAIN_KERNELS_H

#include "chain_results.h"
#include "chain_split.h"

/// Levels that a block joins or splits in one go at most, so that one assembly is left, and where there are more joins than the
/// device holds at once. A block has as many teams or groups as there are joins on the lowest of its levels.
enum { LB_MOST_LEVELS = 5, LB_FEW_LEVELS = 2 };
enum { LB_MOST_JOINS = 1 << (LB_MOST_LEVELS - 1), LB_FEW_JOINS = 1 << (LB_FEW_LEVELS - 1) };

/// Teams of a block that works on runs, at most: one for each scheduler of a multiprocessor.
enum { LB_MOST_TEAMS = 4 };
/// Room of a team: records of its lanes, or where runs lay their assemblies side by side.
enum {
    LB_RUN_RECORDS = LB_RING * LB_RECORD * LB_CARD_TEAM,
    LB_RUN_NODES = LB_HALF_NODE * (LB_CARD_TEAM + 1),
    LB_RUN_ROOM = LB_RUN_RECORDS > LB_RUN_NODES ? LB_RUN_RECORDS : LB_RUN_NODES,
    LB_RESULT_ROOM = LB_RING * LB_LONG_RECORD * LB_CARD_TEAM
};

/// Room of a block that splits `levels` levels, one at least: desks, and letters of two levels.
#define LB_SPLIT_ROOM(levels)                                                                      \
    ((int)(sizeof(lb_desk) / sizeof(double)) * ((1 << (levels)) - 1) +                             \
     (3 * LB_LETTER_SIZE << ((levels)-1)))

#ifdef __CUDACC__

// One lane a stretch: angles, turns. A team takes the same stretch of neighbouring runs.
extern "C" __global__ void __launch_bounds__(LB_TEAM)
    lb_chain_turns(lb_chain c, const double *q, const double *v, const double *tau)
{
    const int parts = c.length / c.stretch;
    const int k = blockIdx.x / parts * LB_TEAM + threadIdx.x, j = k * parts + blockIdx.x % parts;
    if (k < c.run_count) {
        const long long at = (long long)j * c.stretch - c.pad;
        double turn[12];
        lb_turn_stretch(&c, j, q + at, v + at, tau ? tau + at : tau, turn);
        LB_UNROLL for (int e = 0; e < 12; ++e)
        {
            c.turns[12LL * j + e] = turn[e];
        }
    }
}

// One lane a stretch: turns of all stretches of the block up to this one, and of the block as a whole.
extern "C" __global__ void __launch_bounds__(LB_SCAN)
    lb_chain_scan(double *turns, int count, double *totals)
{
    __shared__ double room[12][LB_SCAN + 1];
    const int lane = threadIdx.x, k = blockIdx.x * LB_SCAN + lane;
    double turn[12], before[12];
    LB_UNROLL for (int e = 0; e < 12; ++e)
    {
        turn[e] = k < count ? turns[12LL * k + e] : e < 9 && e % 4 == 0 ? 1.0 : 0.0;
    }
    for (int apart = 1; apart < LB_SCAN; apart *= 2) {
        LB_UNROLL for (int e = 0; e < 12; ++e)
        {
            room[e][lane] = turn[e];
        }
        __syncthreads();
        if (lane >= apart) {
            LB_UNROLL for (int e = 0; e < 12; ++e)
            {
                before[e] = room[e][lane - apart];
            }
            lb_compose(before, turn, turn);
        }
        __syncthreads();
    }
    LB_UNROLL for (int e = 0; e < 12; ++e)
    {
        if (k < count) {
            turns[12LL * k + e] = turn[e];
        }
        if (lane == LB_SCAN - 1 && totals) {
            totals[12LL * blockIdx.x + e] = turn[e];
        }
    }
}

// One lane a run: its assembly. Shared room: LB_RUN_ROOM per team.
extern "C" __global__ void __launch_bounds__(LB_MOST_TEAMS *LB_TEAM) lb_chain_runs(lb_chain c)
{
    extern __shared__ __align__(16) double room[];
    const int lane = threadIdx.x % LB_TEAM, team = threadIdx.x / LB_TEAM;
    const int first = blockIdx.x * blockDim.x + team * LB_TEAM;
    double *own = room + team * LB_RUN_ROOM;
    lb_carried s;
    // lanes without a run do the last one again
    const int k = first + lane < c.run_count ? first + lane : c.run_count - 1;
    lb_assemble_chain_run(&c, k, own + lane, &s);
    lb_write_runs(&c, &s, own, first, lane);
}

// A block joins the assemblies of `levels` levels above `level`, until one is left. Shared room: an lb_bench per team.
//
// A team reads what two teams have made on the level below, while others read what it made itself: results of odd and of
// even levels have places of their own.
LB_CARD void lb_join_levels(const lb_chain *c, int level, int levels, double *room)
{
    const int team = threadIdx.x / LB_TEAM, lane = threadIdx.x % LB_TEAM;
    lb_bench *benches = (lb_bench *)room, *own = benches + team;
    long long start = lb_start_level(c->run_count, level);
    lb_clear_bench(own, lane);
    for (int up = 1; up <= levels; ++up) {
        const int width = 1 << (levels - up), j = blockIdx.x * width + team;
        if (team < width && j < lb_count_level(c->run_count, level + up)) {
            const lb_bench *below = benches + 2 * team;
            const double *inner = up & 1 ? below->halves : below->out;
            const double *outer = up & 1 ? below[1].halves : below[1].out;
            lb_join_at(c, level + up, start, j, up == 1 ? NULL : inner, outer,
                       up & 1 ? own->out : own->halves, own, lane);
        }
        start += lb_count_level(c->run_count, level + up - 1);
        __syncthreads();
    }
}

// A block splits them again. Shared room: LB_SPLIT_ROOM(levels).
//
// @param letter  what the one assembly that is left was told
LB_CARD void lb_split_levels(const lb_chain *c, int level, int levels, const double *letter,
                             double *room)
{
    const int group = threadIdx.x / LB_GROUP, lane = threadIdx.x % LB_GROUP;
    // the desks of a level that is `width` wide start at width - 1
    lb_desk *desks = (lb_desk *)room;
    // letters are written by turns into a place for all of the lowest level and one for half as many
    double *many = (double *)(desks + (1 << levels) - 1), *few = many + (LB_LETTER_SIZE << levels);
    double *told = levels & 1 ? few : many, *tell = levels & 1 ? many : few;
    const long long first = lb_start_level(c->run_count, level);
    long long start = first;
    for (int up = 1; up <= levels; ++up) {
        const int width = 1 << (levels - up), j = blockIdx.x * width + group;
        if (group < width && j < lb_count_level(c->run_count, level + up)) {
            lb_fetch_desk(c, level + up, start, j, &desks[width - 1 + group], lane);
        }
        start += lb_count_level(c->run_count, level + up - 1);
    }
    lb_end_fetches();
    for (int e = threadIdx.x; e < LB_LETTER_SIZE; e += blockDim.x) {
        told[e] = letter[e];
    }
    LB_AWAIT(0);
    __syncthreads();
    for (int up = levels; up >= 1; --up) {
        const int width = 1 << (levels - up), j = blockIdx.x * width + group;
        if (group < width && j < lb_count_level(c->run_count, level + up)) {
            lb_split_at(c, level + up, j, told + LB_LETTER_SIZE * group,
                        tell + LB_LETTER_SIZE * 2 * group, &desks[width - 1 + group], lane);
        }
        __syncthreads();
        double *const done = told;
        told = tell;
        tell = done;
    }
    const int from = blockIdx.x << levels, left = lb_count_level(c->run_count, level) - from;
    const int count = LB_LETTER_SIZE * (left < 1 << levels ? left : 1 << levels);
    double *out = c->letters + LB_LETTER_SIZE * (first + from);
    for (int e = threadIdx.x; e < count; e += blockDim.x) {
        out[e] = told[e];
    }
}

extern "C" __global__ void __launch_bounds__(LB_MOST_JOINS *LB_TEAM)
    lb_chain_joins(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    lb_join_levels(&c, level, levels, room);
}

// The same with fewer registers, of which the device holds more at once.
extern "C" __global__ void __launch_bounds__(LB_FEW_JOINS *LB_TEAM, 12)
    lb_chain_many_joins(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    lb_join_levels(&c, level, levels, room);
}

// The last block: everything that is left of the joins, and as much of the way back.
extern "C" __global__ void __launch_bounds__(LB_MOST_JOINS *LB_TEAM)
    lb_chain_top(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    lb_join_levels(&c, level, levels, room);
    const long long top = lb_start_level(c.run_count, level + levels);
    double *letter = c.letters + LB_LETTER_SIZE * top;
    if (threadIdx.x == 0) {
        lb_settle_chain(&c, c.nodes + LB_NODE_SIZE * top, letter);
    }
    __syncthreads();
    if (levels > 0) {
        lb_split_levels(&c, level, levels, letter, room);
    }
}

extern "C" __global__ void __launch_bounds__(LB_MOST_JOINS *LB_GROUP)
    lb_chain_splits(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    const long long top = lb_start_level(c.run_count, level + levels) + blockIdx.x;
    lb_split_levels(&c, level, levels, c.letters + LB_LETTER_SIZE * top, room);
}

// One lane a run: accelerations and their check. Shared room: LB_RESULT_ROOM per team.
extern "C" __global__ void __launch_bounds__(LB_MOST_TEAMS *LB_TEAM)
    lb_chain_results(lb_chain c, double *a)
{
    extern __shared__ __align__(16) double room[];
    const int lane = threadIdx.x % LB_TEAM, k = blockIdx.x * blockDim.x + threadIdx.x;
    double *own = room + threadIdx.x / LB_TEAM * LB_RESULT_ROOM;
    unsigned verdict[LB_VERDICT_SIZE] = {0u};
    if (k < c.run_count) {
        const double *letter = c.letters + (long long)LB_LETTER_SIZE * k;
        lb_disassemble_chain_run(&c, k, letter, own + lane, a + (long long)k * c.length - c.pad,
                                 verdict);
    }
    LB_UNROLL for (int e = 0; e < LB_VERDICT_BROKEN; ++e)
    {
        for (int apart = LB_TEAM / 2; apart > 0; apart /= 2) {
            const unsigned other = __shfl_down_sync(0xffffffffu, verdict[e], apart);
            verdict[e] = other > verdict[e] ? other : verdict[e];
        }
        if (lane == 0) {
            // the upper half of a number; the largest is the same in any order
            atomicMax((unsigned *)(c.verdicts + e) + 1, verdict[e]);
        }
    }
}

#else

/// What the kernels do, one lane after the other: for tests, and for machines without a card.
static inline void lb_run_chain_on_host(const lb_chain *c, const double *q, const double *v,
                                        const double *tau, double *a)
{
    const int n = c->run_count, m = c->length;
    double record[LB_RING * LB_LONG_RECORD];
    unsigned verdict[LB_VERDICT_SIZE] = {0u};
    lb_bench bench;
    lb_desk desk;
    lb_clear_bench(&bench, 0);
    for (int j = 0; j < lb_count_stretches(c); ++j) {
        const long long at = (long long)j * c->stretch - c->pad;
        lb_turn_stretch(c, j, q + at, v + at, tau ? tau + at : NULL, c->turns + 12LL * j);
    }
    // as lb_chain_scan, in blocks
    for (long long start = 0, count = lb_count_stretches(c);;
         start += count, count = (count + LB_SCAN - 1) / LB_SCAN) {
        double *turns = c->turns + 12 * start, *totals = turns + 12 * count;
        for (long long k = 0; k < count; ++k) {
            if (k % LB_SCAN) {
                lb_compose(turns + 12 * (k - 1), turns + 12 * k, turns + 12 * k);
            }
            if (count > LB_SCAN) {
                memcpy(totals + 12 * (k / LB_SCAN), turns + 12 * k, 12 * sizeof *turns);
            }
        }
        if (count <= LB_SCAN) {
            break;
        }
    }
    for (int k = 0; k < n; ++k) {
        lb_carried s;
        lb_assemble_chain_run(c, k, record, &s);
        lb_write_runs(c, &s, record, k, 0);
    }
    int levels = 0;
    long long start = 0;
    for (; lb_count_level(n, levels) > 1; ++levels) {
        for (int j = 0; j < lb_count_level(n, levels + 1); ++j) {
            lb_join_at(c, levels + 1, start, j, NULL, NULL, bench.out, &bench, 0);
        }
        start += lb_count_level(n, levels);
    }
    lb_settle_chain(c, c->nodes + LB_NODE_SIZE * start, c->letters + LB_LETTER_SIZE * start);
    for (; levels > 0; --levels) {
        const double *told = c->letters + LB_LETTER_SIZE * start;
        start -= lb_count_level(n, levels - 1);
        double *tell = c->letters + LB_LETTER_SIZE * start;
        for (int j = 0; j < lb_count_level(n, levels); ++j) {
            lb_fetch_desk(c, levels, start, j, &desk, 0);
            lb_split_at(c, levels, j, told + LB_LETTER_SIZE * j, tell + LB_LETTER_SIZE * 2LL * j,
                        &desk, 0);
        }
    }
    for (int k = 0; k < n; ++k) {
        lb_disassemble_chain_run(c, k, c->letters + (long long)LB_LETTER_SIZE * k, record,
                                 a + (long long)k * m - c->pad, verdict);
    }
    for (int e = 0; e < LB_VERDICT_BROKEN; ++e) {
        c->verdicts[e] = lb_from_upper(verdict[e]);
    }
}

#endif

#endif // LB_CHAIN_KERNELS_H
