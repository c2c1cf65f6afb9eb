// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Four numbers side by side, in the compiler's vector type: mass points, angles, or states.
#ifndef LB_LANE_H
#define LB_LANE_H

enum { LB_LANES = 4 };

/// Never in the call of a function that is not inlined: its size there would depend on the target.
#ifndef LB_COUNTING // the build that counts operations has one that counts
typedef double lb_lane __attribute__((vector_size(32)));
typedef long long lb_lane_bits __attribute__((vector_size(32)));

/// Angles that lb_turn_four takes are smaller than this.
#define LB_TURN_FOUR_MOST 1e5

// Sine and cosine of four angles                                                        (ROT-2)
//
//     x = k pi/2 + r, |r| <= pi/4;   Taylor series in r;   exchanged and signed by k mod 4
//
// pi/2 is taken in three parts, the first two of 33 bits, so that k times each of them is exact
// below 2^20. The first term left out of the series is below 1e-17.
static inline void lb_turn_four(const lb_lane *angles, lb_lane *sine, lb_lane *cosine)
{
    const lb_lane a = *angles;
    const double two_over_pi = 0.63661977236758134308;
    const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
    const double round = 6755399441055744.0; // 1.5 * 2^52: k ends up in the lowest bits
    const lb_lane shifted = a * two_over_pi + round;
    const lb_lane k = shifted - round;
    const lb_lane r = ((a - k * part1) - k * part2) - k * part3;
    const lb_lane r2 = r * r;
    // 1/3!, 1/5!, ... and 1/4!, 1/6!, ...
    lb_lane s = 1.0 / 355687428096000.0 - r2 * (1.0 / 121645100408832000.0);
    s = -1.0 / 1307674368000.0 + r2 * s;
    s = 1.0 / 6227020800.0 + r2 * s;
    s = -1.0 / 39916800.0 + r2 * s;
    s = 1.0 / 362880.0 + r2 * s;
    s = -1.0 / 5040.0 + r2 * s;
    s = 1.0 / 120.0 + r2 * s;
    s = -1.0 / 6.0 + r2 * s;
    s = r + r * r2 * s;
    lb_lane c = 1.0 / 20922789888000.0 - r2 * (1.0 / 6402373705728000.0);
    c = -1.0 / 87178291200.0 + r2 * c;
    c = 1.0 / 479001600.0 + r2 * c;
    c = -1.0 / 3628800.0 + r2 * c;
    c = 1.0 / 40320.0 + r2 * c;
    c = -1.0 / 720.0 + r2 * c;
    c = 1.0 / 24.0 + r2 * c;
    c = (1.0 - 0.5 * r2) + r2 * r2 * c;

    // odd k exchanges the two; bit 1 of k and of k + 1 are the signs
    const lb_lane_bits quadrant = (lb_lane_bits)shifted;
    const lb_lane_bits odd = -(quadrant & 1);
    const lb_lane_bits p = ((lb_lane_bits)s & ~odd) | ((lb_lane_bits)c & odd);
    const lb_lane_bits q = ((lb_lane_bits)c & ~odd) | ((lb_lane_bits)s & odd);
    *sine = (lb_lane)(p ^ ((quadrant & 2) << 62));
    *cosine = (lb_lane)(q ^ (((quadrant + 1) & 2) << 62));
}
#endif // LB_COUNTING

#endif // LB_LANE_H
