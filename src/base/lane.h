// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Four numbers side by side, in the compiler's vector type: mass points, angles, or columns.
#ifndef LB_LANE_H
#define LB_LANE_H

enum { LB_LANES = 4 };

/// Never in the call of a function that is not inlined: its size there would depend on the target.
#ifndef LB_COUNTING // the build that counts operations has one that counts
typedef double lb_lane __attribute__((vector_size(32)));
typedef long long lb_lane_bits __attribute__((vector_size(32)));

/// Angles that lb_turn_four takes are smaller than this.
#define LB_TURN_MOST 1e5

#define LB_TURN lb_turn_four
#define LB_TURN_LANE lb_lane
#define LB_TURN_BITS lb_lane_bits
#include "turn_lane.inc"
#endif // LB_COUNTING

/// The sum of a lane. By pointer: how a lane would be passed by value depends on the target.
static inline double lb_sum_lane(const lb_lane *x)
{
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/// The sum of a b over `count` lanes.
static inline double lb_multiply_lanes(int count, const lb_lane *a, const lb_lane *b)
{
    lb_lane s = {0};
    for (int i = 0; i < count; ++i) {
        s += a[i] * b[i];
    }
    return lb_sum_lane(&s);
}

#endif // LB_LANE_H
