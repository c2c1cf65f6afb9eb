// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain. Nothing depends on the order of blocks: every number is written by one
// lane, and sums are made in the order of the levels, so that answers are the same to the last bit.
#ifndef LB_CHAIN_KERNELS_H
#define LB_CHAIN_KERNELS_H

#include "chain_results.h"
#include "chain_split.h"

/// Levels that a block joins or splits in one go at most, so that one assembly is left of 1 << levels, and its groups at most.
enum { LB_MOST_LEVELS = 7, LB_MOST_GROUPS = 32 };

/// Groups of a block: one for each join of its lowest level, if there are not too many.
#define LB_GROUPS(levels)                                                                          \
    ((1 << (levels)) / 2 < LB_MOST_GROUPS ? (1 << (levels)) / 2 : LB_MOST_GROUPS)

/// Places of assemblies side by side, and of what was kept of joins, each with a letter behind it. Lanes that read the same entry
/// of things 1, 2, 4, ... apart meet in different banks: the sums of the digits of their numbers are different.
enum { LB_PLACE = 112, LB_DESK = 192, LB_DESK_LETTER = LB_JOIN_SIZE };
#define LB_PLACE_OF(s) (LB_PLACE * (s) + 4 * (((s) + ((s) >> 2) + ((s) >> 4) + ((s) >> 6)) & 3))
#define LB_DESK_OF(s) (LB_DESK * (s) + 2 * (((s) + ((s) >> 3) + ((s) >> 6)) & 7))
#define LB_JOIN_ROOM(levels) ((LB_PLACE << (levels)) + LB_BOARD * LB_GROUPS(levels))
#define LB_SPLIT_ROOM(levels) (LB_DESK << (levels))

/// Teams of a block that works on runs, at most: one for each scheduler of a multiprocessor.
enum { LB_MOST_TEAMS = 4 };
/// Room of a team: records of its lanes, or where runs lay their assemblies side by side.
enum {
    LB_RUN_RECORDS = LB_RING_ROOM(LB_RECORD),
    LB_RUN_NODES = LB_HALF_NODE * (LB_CARD_TEAM + 1),
    LB_RUN_ROOM = LB_RUN_RECORDS > LB_RUN_NODES ? LB_RUN_RECORDS : LB_RUN_NODES,
    LB_RESULT_ROOM = LB_RING_ROOM(LB_LONG_RECORD)
};

#ifdef __CUDACC__

// A kernel may be started while the one ahead of it is at work. Waits until that one has ended, and lets the next one start.
LB_CARD void lb_follow_kernel(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// One lane a stretch: angles, turns. A team takes the same stretch of neighbouring runs.
extern "C" __global__ void __launch_bounds__(LB_TEAM)
    lb_chain_turns(lb_chain c, const double *q, const double *v, const double *tau)
{
    const int parts = c.length / c.stretch;
    const int k = blockIdx.x / parts * LB_TEAM + threadIdx.x, j = k * parts + blockIdx.x % parts;
    lb_follow_kernel();
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
    lb_follow_kernel();
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
    lb_follow_kernel();
    // lanes without a run do the last one again
    const int k = first + lane < c.run_count ? first + lane : c.run_count - 1;
    lb_assemble_chain_run(&c, k, own + lane, &s);
    lb_write_runs(&c, &s, own, first, lane);
}

// A team copies `size` numbers of run k, which are even.
LB_CARD void lb_fetch_numbers(const lb_chain *c, const double *from, int size, long long k,
                              double *to, int lane)
{
    for (int e = 2 * lane; e < size && k < c->run_count; e += 2 * LB_TEAM) {
        lb_fetch_two(from + size * k + e, to + e);
    }
}

// A block joins the assemblies of `levels` levels above `level`, until one is left, at the place of the first of
// them. What is left over on a level moves up as it is. Shared room: LB_JOIN_ROOM(levels).
LB_CARD void lb_join_levels(const lb_chain *c, int level, int levels, double *room)
{
    const int group = threadIdx.x / LB_GROUP, lane = threadIdx.x % LB_GROUP;
    const int groups = blockDim.x / LB_GROUP, teams = blockDim.x / LB_TEAM;
    const int width = 1 << levels, first = blockIdx.x * width;
    double *board = room + LB_PLACE * width + LB_BOARD * group;
    for (int s = threadIdx.x / LB_TEAM; s < width; s += teams) {
        lb_fetch_numbers(c, c->nodes, LB_NODE_SIZE, (long long)(first + s) << level,
                         room + LB_PLACE_OF(s), threadIdx.x % LB_TEAM);
    }
    lb_await_fetches();
    __syncthreads();
    for (int apart = 1; apart < width; apart *= 2) {
        for (int s = 2 * apart * group; s < width; s += 2 * apart * groups) {
            const long long k = (long long)(first + s + apart) << level;
            if (k >= c->run_count) {
                break;
            }
            const double d = lb_join_chain(room + LB_PLACE_OF(s), room + LB_PLACE_OF(s + apart),
                                           board, c->joins + LB_JOIN_SIZE * k, lane);
            if (lane == 0) {
                *lb_get_pivot(c, 0, (int)k) = d;
            }
        }
        __syncthreads();
    }
}

// Asks for what the joins of a block have kept.
LB_CARD void lb_fetch_desks(const lb_chain *c, int level, int levels, double *room)
{
    const int teams = blockDim.x / LB_TEAM, width = 1 << levels, first = blockIdx.x * width;
    for (int s = 1 + threadIdx.x / LB_TEAM; s < width; s += teams) {
        lb_fetch_numbers(c, c->joins, LB_JOIN_SIZE, (long long)(first + s) << level,
                         room + LB_DESK_OF(s), threadIdx.x % LB_TEAM);
    }
}

// A block splits what it has joined, one lane an assembly. Shared room: LB_SPLIT_ROOM(levels), with the desks.
//
// @param letter  what the one assembly that is left was told
LB_CARD void lb_split_levels(const lb_chain *c, int level, int levels, const double *letter,
                             double *room)
{
    const int width = 1 << levels, first = blockIdx.x * width;
    if (threadIdx.x < LB_LETTER_SIZE) {
        room[LB_DESK_LETTER + threadIdx.x] = letter[threadIdx.x];
    }
    lb_await_fetches();
    __syncthreads();
    for (int apart = width / 2; apart > 0; apart /= 2) {
        const int s = 2 * apart * threadIdx.x;
        const long long k = (long long)(first + s + apart) << level;
        if (s < width && k < c->run_count) {
            double *outer = room + LB_DESK_OF(s + apart);
            lb_split_chain(outer, room + LB_DESK_OF(s) + LB_DESK_LETTER, outer + LB_DESK_LETTER);
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < LB_LETTER_SIZE * width; e += blockDim.x) {
        const int s = e / LB_LETTER_SIZE, at = e % LB_LETTER_SIZE;
        const long long k = (long long)(first + s) << level;
        if (k < c->run_count) {
            c->letters[LB_LETTER_SIZE * k + at] = room[LB_DESK_OF(s) + LB_DESK_LETTER + at];
        }
    }
}

extern "C" __global__ void __launch_bounds__(LB_MOST_GROUPS *LB_GROUP)
    lb_chain_joins(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    lb_follow_kernel();
    lb_join_levels(&c, level, levels, room);
    double *node = c.nodes + LB_NODE_SIZE * ((long long)blockIdx.x << (level + levels));
    for (int e = threadIdx.x; e < LB_NODE_SIZE; e += blockDim.x) {
        node[e] = room[e];
    }
}

// The last block: everything that is left of the joins, and as much of the way back.
extern "C" __global__ void __launch_bounds__(LB_MOST_GROUPS *LB_GROUP)
    lb_chain_top(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    __shared__ double letter[LB_LETTER_SIZE];
    lb_follow_kernel();
    lb_join_levels(&c, level, levels, room);
    if (threadIdx.x == 0) {
        lb_settle_chain(&c, room, letter);
    }
    __syncthreads();
    lb_fetch_desks(&c, level, levels, room);
    lb_split_levels(&c, level, levels, letter, room);
}

extern "C" __global__ void __launch_bounds__(LB_MOST_GROUPS *LB_GROUP)
    lb_chain_splits(lb_chain c, int level, int levels)
{
    extern __shared__ __align__(16) double room[];
    // joins had ended when the kernel ahead of this one began to work
    lb_fetch_desks(&c, level, levels, room);
    lb_follow_kernel();
    const long long top = (long long)blockIdx.x << (level + levels);
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
    lb_follow_kernel();
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
    double ring[LB_RING_ROOM(LB_LONG_RECORD)];
    unsigned verdict[LB_VERDICT_SIZE] = {0u};
    double board[LB_BOARD];
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
        lb_assemble_chain_run(c, k, ring, &s);
        lb_write_runs(c, &s, ring, k, 0);
    }
    int apart = 1;
    for (; apart < n; apart *= 2) {
        for (int k = apart; k < n; k += 2 * apart) {
            double *outer = c->nodes + (long long)LB_NODE_SIZE * k;
            *lb_get_pivot(c, 0, k) =
                lb_join_chain(outer - (long long)LB_NODE_SIZE * apart, outer, board,
                              c->joins + (long long)LB_JOIN_SIZE * k, 0);
        }
    }
    lb_settle_chain(c, c->nodes, c->letters);
    for (apart /= 2; apart > 0; apart /= 2) {
        for (int k = apart; k < n; k += 2 * apart) {
            double *outer = c->letters + (long long)LB_LETTER_SIZE * k;
            lb_split_chain(c->joins + (long long)LB_JOIN_SIZE * k,
                           outer - (long long)LB_LETTER_SIZE * apart, outer);
        }
    }
    for (int k = 0; k < n; ++k) {
        lb_disassemble_chain_run(c, k, c->letters + (long long)LB_LETTER_SIZE * k, ring,
                                 a + (long long)k * m - c->pad, verdict);
    }
    for (int e = 0; e < LB_VERDICT_BROKEN; ++e) {
        c->verdicts[e] = lb_from_upper(verdict[e]);
    }
}

#endif

#endif // LB_CHAIN_KERNELS_H
