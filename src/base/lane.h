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
//     x = k pi/2 + r, |r| <= pi/4;   polynomials in r;   exchanged and signed by k mod 4
//
// pi/2 is taken in three parts, the first two of 33 bits, so that k times each of them is exact
// below 2^20. The polynomials r + r^3 p(r^2) and 1 - r^2/2 + r^4 p(r^2) are those of least error,
// by an exchange of their extrema: 6e-18 relative and 1e-18, coefficients rounded.
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
    lb_lane s = -0x1.ae5e66d5afdb5p-26 + r2 * 0x1.5d932f84d72dfp-33;
    s = 0x1.71de357875604p-19 + r2 * s;
    s = -0x1.a01a019c126c3p-13 + r2 * s;
    s = 0x1.111111110f881p-7 + r2 * s;
    s = -0x1.5555555555549p-3 + r2 * s;
    s = r + r * r2 * s;
    lb_lane c = 0x1.1ee9ec47ede7ap-29 - r2 * 0x1.8faecf5185db0p-37;
    c = -0x1.27e4f80a76a46p-22 + r2 * c;
    c = 0x1.a01a019cb26f4p-16 + r2 * c;
    c = -0x1.6c16c16c15184p-10 + r2 * c;
    c = 0x1.555555555554cp-5 + r2 * c;
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
