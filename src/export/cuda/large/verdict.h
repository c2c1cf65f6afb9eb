// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the check of an evaluation finds: largest values of all runs, in one order for chains and trees.
#ifndef LB_VERDICT_H
#define LB_VERDICT_H

#include "lanes_of.h"

/// See lb_segment in src/dynamics/divide/segment.h.
enum {
    LB_VERDICT_SHIFT,
    LB_VERDICT_LARGEST,
    LB_VERDICT_GAP,
    LB_VERDICT_MOTION = 4,
    LB_VERDICT_LENGTH = 6,
    LB_VERDICT_BROKEN,
    LB_VERDICT_SIZE
};

// Keeps the largest; what is not a number is larger than any.
LB_CARD void lb_keep_largest(double value, double *largest)
{
    if (!(value <= *largest) && *largest == *largest) {
        *largest = value;
    }
}

// Largest values to six digits, which are cheap to compare: the upper halves of numbers without their signs. They are in
// the same order as the numbers, and what is not a number is above all.
LB_CARD unsigned lb_get_upper(double value)
{
#ifdef __CUDACC__
    return (unsigned)__double2hiint(value) & 0x7fffffffu;
#else
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return (unsigned)(bits >> 32) & 0x7fffffffu;
#endif
}

LB_CARD double lb_from_upper(unsigned upper)
{
#ifdef __CUDACC__
    return __hiloint2double((int)upper, 0);
#else
    const unsigned long long bits = (unsigned long long)upper << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

LB_CARD void lb_keep_upper(double value, unsigned *largest)
{
    const unsigned upper = lb_get_upper(value);
    *largest = upper > *largest ? upper : *largest;
}

#ifdef __CUDACC__

// The largest values of the lanes of a warp, in its first lane.
LB_CARD void lb_gather_verdict(double *verdict)
{
    LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
    {
        for (int apart = LB_TEAM / 2; apart > 0; apart /= 2) {
            lb_keep_largest(__shfl_down_sync(0xffffffffu, verdict[e], apart), &verdict[e]);
        }
    }
}

// The verdicts of `count` teams, by one block of 1024 lanes. In lane e of the block: the largest value e.
LB_CARD double lb_gather_verdicts(const double *verdicts, int count)
{
    __shared__ double room[32][LB_VERDICT_SIZE];
    double verdict[LB_VERDICT_SIZE], largest = 0.0;
    LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
    {
        verdict[e] = 0.0;
    }
    for (int i = threadIdx.x; i < count; i += 1024) {
        LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
        {
            lb_keep_largest(verdicts[LB_VERDICT_SIZE * i + e], &verdict[e]);
        }
    }
    lb_gather_verdict(verdict);
    LB_UNROLL for (int e = 0; e < LB_VERDICT_SIZE; ++e)
    {
        if (threadIdx.x % LB_TEAM == 0) {
            room[threadIdx.x / LB_TEAM][e] = verdict[e];
        }
    }
    __syncthreads();
    for (int i = 0; i < 32 && threadIdx.x < LB_VERDICT_SIZE; ++i) {
        lb_keep_largest(room[i][threadIdx.x], &largest);
    }
    return largest;
}

#else

/// What the check found, as lb_division_report has it: see `judge` in src/dynamics/divide/division.c.
static inline void lb_judge_verdict(const double *found, double *shift, double *gap, int *broken)
{
    const double length = found[LB_VERDICT_LENGTH], largest = found[LB_VERDICT_LARGEST];
    const double *gaps = found + LB_VERDICT_GAP, *motion = found + LB_VERDICT_MOTION;
    double off = length * gaps[0], scale = length * motion[0];
    lb_keep_largest(gaps[1], &off);
    lb_keep_largest(motion[1], &scale);
    *shift =
        found[LB_VERDICT_SHIFT] > 0 ? found[LB_VERDICT_SHIFT] / largest : found[LB_VERDICT_SHIFT];
    *gap = off > 0 ? off / scale : off;
    *broken = found[LB_VERDICT_BROKEN] != 0.0;
}

#endif

#endif // LB_VERDICT_H
