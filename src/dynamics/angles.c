// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "angles.h"

#include <string.h>

#ifndef LB_COUNTING // where operations are counted, a sine is a sine
typedef double lane __attribute__((vector_size(32)));
typedef long long bits __attribute__((vector_size(32)));
enum { LANES = 4 };

// Sine and cosine of four angles                                                        (ROT-2)
//
//     x = k pi/2 + r, |r| <= pi/4;   Taylor series in r;   exchanged and signed by k mod 4
//
// pi/2 is taken in three parts, the first two of 33 bits, so that k times each of them is exact
// below 2^20. The first term left out of the series is below 1e-17.
static inline void turn_four(const lane *angles, double *sine, double *cosine)
{
    const lane a = *angles;
    const double two_over_pi = 0.63661977236758134308;
    const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
    const double round = 6755399441055744.0; // 1.5 * 2^52: k ends up in the lowest bits
    const lane shifted = a * two_over_pi + round;
    const lane k = shifted - round;
    const lane r = ((a - k * part1) - k * part2) - k * part3;
    const lane r2 = r * r;
    // 1/3!, 1/5!, ... and 1/4!, 1/6!, ...
    lane s = 1.0 / 355687428096000.0 - r2 * (1.0 / 121645100408832000.0);
    s = -1.0 / 1307674368000.0 + r2 * s;
    s = 1.0 / 6227020800.0 + r2 * s;
    s = -1.0 / 39916800.0 + r2 * s;
    s = 1.0 / 362880.0 + r2 * s;
    s = -1.0 / 5040.0 + r2 * s;
    s = 1.0 / 120.0 + r2 * s;
    s = -1.0 / 6.0 + r2 * s;
    s = r + r * r2 * s;
    lane c = 1.0 / 20922789888000.0 - r2 * (1.0 / 6402373705728000.0);
    c = -1.0 / 87178291200.0 + r2 * c;
    c = 1.0 / 479001600.0 + r2 * c;
    c = -1.0 / 3628800.0 + r2 * c;
    c = 1.0 / 40320.0 + r2 * c;
    c = -1.0 / 720.0 + r2 * c;
    c = 1.0 / 24.0 + r2 * c;
    c = (1.0 - 0.5 * r2) + r2 * r2 * c;

    // odd k exchanges the two; bit 1 of k and of k + 1 are the signs
    const bits quadrant = (bits)shifted;
    const bits odd = -(quadrant & 1);
    const bits p = ((bits)s & ~odd) | ((bits)c & odd), q = ((bits)c & ~odd) | ((bits)s & odd);
    const bits sin_bits = p ^ ((quadrant & 2) << 62), cos_bits = q ^ (((quadrant + 1) & 2) << 62);
    memcpy(sine, &sin_bits, sizeof sin_bits);
    memcpy(cosine, &cos_bits, sizeof cos_bits);
}

void lb_compute_angles(const lb_model *model, lb_work *work, const double *q)
{
    for (int i = 0; i < model->angle_count; i += LANES) {
        // the last four may repeat the last angle; large angles go the slow way
        int at[LANES];
        for (int j = 0; j < LANES; ++j) {
            at[j] = model->angle_q[i + j < model->angle_count ? i + j : model->angle_count - 1];
        }
        // gathered in registers: a vector read of four single writes would stall
        const lane x = {q[at[0]], q[at[1]], q[at[2]], q[at[3]]};
        if (fabs(x[0]) < 1e5 && fabs(x[1]) < 1e5 && fabs(x[2]) < 1e5 && fabs(x[3]) < 1e5) {
            turn_four(&x, work->sines + i, work->cosines + i);
            continue;
        }
        for (int j = 0; j < LANES; ++j) {
            work->sines[i + j] = sin(x[j]);
            work->cosines[i + j] = cos(x[j]);
        }
    }
}

#else
void lb_compute_angles(const lb_model *model, lb_work *work, const double *q)
{
    for (int i = 0; i < model->angle_count; ++i) {
        work->sines[i] = sin(q[model->angle_q[i]]);
        work->cosines[i] = cos(q[model->angle_q[i]]);
    }
}
#endif // LB_COUNTING
