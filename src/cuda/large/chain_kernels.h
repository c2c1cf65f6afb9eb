// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain. Nothing depends on the order of blocks: every number is written by one
// lane, and sums are made in the order of the levels, so that answers are the same to the last bit.
#ifndef LB_CHAIN_KERNELS_H
#define LB_CHAIN_KERNELS_H

#include "chain_join.h"
#include "chain_results.h"

/// Groups of a block that joins assemblies, each of which has one on the lowest level, and levels that it joins in one
/// go: all of them end in one then.
enum { LB_JOIN_GROUPS = 4, LB_JOIN_LEVELS = 3, LB_JOIN_LANES = LB_JOIN_GROUPS * LB_CARD_GROUP };

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

// One lane a run: its assembly. Shared room: 2 LB_RECORD LB_TEAM.
extern "C" __global__ void __launch_bounds__(LB_TEAM) lb_chain_runs(lb_chain c)
{
    extern __shared__ double room[];
    const int first = blockIdx.x * LB_TEAM, lane = threadIdx.x;
    lb_carried s;
    // lanes without a run do the last one again
    const int k = first + lane < c.run_count ? first + lane : c.run_count - 1;
    lb_assemble_chain_run(&c, k, room + lane, &s);
    lb_write_runs(&c, &s, room, first, lane);
}

// A block joins assemblies of `levels` levels above `level`: one per group on the first, half as many on the next. The
// last block of all also settles the chain and comes back down.
extern "C" __global__ void __launch_bounds__(LB_JOIN_LANES)
    lb_chain_joins(lb_chain c, int level, int levels, int last)
{
    __shared__ lb_bench benches[LB_JOIN_GROUPS];
    __shared__ lb_desk desks[LB_JOIN_GROUPS];
    const int group = threadIdx.x / LB_GROUP, lane = threadIdx.x % LB_GROUP;
    lb_bench *bench = &benches[group];
    for (int up = 1; up <= levels; ++up) {
        const int width = LB_JOIN_GROUPS >> (up - 1), j = blockIdx.x * width + group;
        if (group < width && j < lb_count_level(c.run_count, level + up)) {
            lb_join_at(&c, level + up, j, bench, lane);
        }
        __syncthreads();
    }
    if (!last) {
        return;
    }
    const long long top = lb_start_level(c.run_count, level + levels);
    if (group == 0) {
        lb_settle_chain(&c, c.nodes + LB_NODE_SIZE * top, c.letters + LB_LETTER_SIZE * top, bench,
                        lane);
    }
    __syncthreads();
    for (int up = levels; up >= 1; --up) {
        const int width = LB_JOIN_GROUPS >> (up - 1), j = blockIdx.x * width + group;
        if (group < width && j < lb_count_level(c.run_count, level + up)) {
            lb_split_at(&c, level + up, j, &desks[group], lane);
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(LB_JOIN_LANES)
    lb_chain_splits(lb_chain c, int level, int levels)
{
    __shared__ lb_desk desks[LB_JOIN_GROUPS];
    const int group = threadIdx.x / LB_GROUP, lane = threadIdx.x % LB_GROUP;
    for (int up = levels; up >= 1; --up) {
        const int width = LB_JOIN_GROUPS >> (up - 1), j = blockIdx.x * width + group;
        if (group < width && j < lb_count_level(c.run_count, level + up)) {
            lb_split_at(&c, level + up, j, &desks[group], lane);
        }
        __syncthreads();
    }
}

// One lane a run: accelerations and their check. Shared room: 2 LB_LONG_RECORD LB_TEAM, and
// LB_TEAM (length + 1).
extern "C" __global__ void __launch_bounds__(LB_TEAM) lb_chain_results(lb_chain c, double *a)
{
    extern __shared__ double room[];
    const int lane = threadIdx.x, k = blockIdx.x * LB_TEAM + lane;
    double *tile = room + 2 * LB_LONG_RECORD * LB_TEAM;
    double verdict[LB_VERDICT_SIZE];
    LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
    {
        verdict[e] = 0.0;
    }
    if (k < c.run_count) {
        const double *letter = c.letters + (long long)LB_LETTER_SIZE * k;
        lb_disassemble_chain_run(&c, k, letter, room + lane, tile + lane * (c.length + 1), verdict);
    }
    lb_gather_verdict(verdict);
    LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
    {
        if (lane == 0) {
            c.verdicts[LB_VERDICT_SIZE * (1 + blockIdx.x) + e] = verdict[e];
        }
    }
    __syncwarp();
    const int start = blockIdx.x * LB_TEAM * c.length - c.pad;
    for (int e = lane; e < LB_TEAM * c.length; e += LB_TEAM) {
        const int i = start + e;
        if (i >= 0 && i < c.body_count) {
            a[i] = tile[(e >> c.shift) * (c.length + 1) + (e & (c.length - 1))];
        }
    }
}

// One block: the verdicts of all teams in one, at the place of the first.
extern "C" __global__ void __launch_bounds__(1024) lb_chain_verdict(lb_chain c)
{
    const int teams = (c.run_count + LB_TEAM - 1) / LB_TEAM;
    const double largest = lb_gather_verdicts(c.verdicts + LB_VERDICT_SIZE, teams);
    if (threadIdx.x < LB_VERDICT_BROKEN) {
        c.verdicts[threadIdx.x] = largest;
    }
}

#else

/// What the kernels do, one lane after the other: for tests, and for machines without a card.
static inline void lb_run_chain_on_host(const lb_chain *c, const double *q, const double *v,
                                        const double *tau, double *a)
{
    const int n = c->run_count, m = c->length;
    double record[2 * LB_LONG_RECORD], verdict[LB_VERDICT_SIZE] = {0};
    lb_bench bench;
    lb_desk desk;
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
    for (; lb_count_level(n, levels) > 1; ++levels) {
        for (int j = 0; j < lb_count_level(n, levels + 1); ++j) {
            lb_join_at(c, levels + 1, j, &bench, 0);
        }
    }
    const long long top = lb_start_level(n, levels);
    lb_settle_chain(c, c->nodes + LB_NODE_SIZE * top, c->letters + LB_LETTER_SIZE * top, &bench, 0);
    for (; levels > 0; --levels) {
        for (int j = 0; j < lb_count_level(n, levels); ++j) {
            lb_split_at(c, levels, j, &desk, 0);
        }
    }
    for (int k = 0; k < n; ++k) {
        lb_disassemble_chain_run(c, k, c->letters + (long long)LB_LETTER_SIZE * k, record,
                                 a + (long long)k * m - c->pad, verdict);
    }
    for (int e = 0; e < LB_VERDICT_BROKEN; ++e) {
        c->verdicts[e] = verdict[e];
    }
}

#endif

#endif // LB_CHAIN_KERNELS_H
