// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One source for two machines: kernels of a graphics card, and the same arithmetic as plain C for tests
// where there is none. A team is a warp of 32 lanes there and a single lane here; a group is a quarter of
// a team there, so that lanes 0 to 5 of it have a column each of a 6 x 6 matrix, and the others vectors.
#ifndef LB_LANES_OF_H
#define LB_LANES_OF_H

#ifdef __CUDACC__
#define LB_CARD static __device__ __forceinline__
#define LB_TEAM 32
#define LB_GROUP 8
#define LB_TEAM_WAIT() __syncwarp()
#define LB_GROUP_WAIT() __syncwarp(0xffu << (threadIdx.x & 24u))
#define LB_UNROLL _Pragma("unroll")
#define LB_KEPT __restrict__
#else
#include <math.h>
#include <string.h>
#define LB_CARD static inline
#define LB_TEAM 1
#define LB_GROUP 1
#define LB_TEAM_WAIT() ((void)0)
#define LB_GROUP_WAIT() ((void)0)
#define LB_UNROLL
#define LB_KEPT restrict
#endif

// 1 / sqrt(x) of a number that is not next to nothing or beyond all bounds. On a card the function of the library would
// ask for these first. An estimate with 20 binary digits, then one step of the third order.
LB_CARD double lb_rsqrt(double x)
{
#ifdef __CUDACC__
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = 1.0 - x * y * y;
    return y + y * e * (0.5 + 0.375 * e);
#else
    return 1.0 / sqrt(x);
#endif
}

// `count` numbers, which is even, at a multiple of 16 bytes.
LB_CARD void lb_get_numbers(const double *from, int count, double *to)
{
    LB_UNROLL for (int e = 0; e < count; e += 2)
    {
#ifdef __CUDACC__
        const double2 two = *(const double2 *)(from + e);
        to[e] = two.x;
        to[e + 1] = two.y;
#else
        to[e] = from[e];
        to[e + 1] = from[e + 1];
#endif
    }
}

/// What they are on a card, for whoever prepares work for one.
enum { LB_CARD_TEAM = 32, LB_CARD_GROUP = 8 };

/// Distance of rows that the lanes of a team fill together: no two lanes meet in one bank.
#define LB_PITCH (LB_TEAM == 1 ? 1 : LB_TEAM + 1)

/// Place of entry (i, j), i >= j or not, of a symmetric matrix that is stored by its lower triangle.
#define LB_LOWER(i, j) ((i) >= (j) ? (i) * ((i) + 1) / 2 + (j) : (j) * ((j) + 1) / 2 + (i))

#endif // LB_LANES_OF_H
