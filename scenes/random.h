// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same everywhere: xoshiro256** seeded by splitmix64.
#ifndef LB_SCENES_RANDOM_H
#define LB_SCENES_RANDOM_H

#include <stdint.h>

typedef struct lb_random {
    uint64_t s[4];
} lb_random;

void lb_seed_random(lb_random *random, uint64_t seed);

/// Uniform in [low, high).
double lb_draw_uniform(lb_random *random, double low, double high);

/// Uniform in 0 .. count - 1.
int lb_draw_index(lb_random *random, int count);

/// Each entry uniform in [-scale, scale).
void lb_draw_vector(lb_random *random, int count, double scale, double *out);

/// Uniform on the unit sphere.
void lb_draw_direction(lb_random *random, double out[3]);

/// A unit quaternion w x y z, uniform over rotations.
void lb_draw_quaternion(lb_random *random, double out[4]);

#endif // LB_SCENES_RANDOM_H
