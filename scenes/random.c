// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "random.h"

#include <math.h>

// Sebastiano Vigna's splitmix64 (public domain algorithm), used to fill the state.
static uint64_t lb_split_mix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t lb_rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

// xoshiro256** of Blackman and Vigna, 2018.
static uint64_t lb_draw_bits(lb_random *random)
{
    uint64_t *s = random->s;
    const uint64_t result = lb_rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = lb_rotate_left(s[3], 45);
    return result;
}

void lb_seed_random(lb_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; ++i) {
        random->s[i] = lb_split_mix(&seed);
    }
}

double lb_draw_uniform(lb_random *random, double low, double high)
{
    // 53 bits, so that every value is exact and 1 is never reached
    const double unit = (double)(lb_draw_bits(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

int lb_draw_index(lb_random *random, int count)
{
    return (int)(lb_draw_bits(random) % (uint64_t)count);
}

void lb_draw_vector(lb_random *random, int count, double scale, double *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] = lb_draw_uniform(random, -scale, scale);
    }
}

// A point in the ball, away from the centre, pushed out to the sphere.
static void lb_draw_on_sphere(lb_random *random, int count, double *out)
{
    double r2;
    do {
        lb_draw_vector(random, count, 1.0, out);
        r2 = 0.0;
        for (int i = 0; i < count; ++i) {
            r2 += out[i] * out[i];
        }
    } while (r2 > 1.0 || r2 < 0.01);
    for (int i = 0; i < count; ++i) {
        out[i] /= sqrt(r2);
    }
}

void lb_draw_direction(lb_random *random, double out[3])
{
    lb_draw_on_sphere(random, 3, out);
}

void lb_draw_quaternion(lb_random *random, double out[4])
{
    lb_draw_on_sphere(random, 4, out);
}
