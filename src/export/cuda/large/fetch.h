// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the card that is copied into shared memory, or at least brought near, while lanes work on something else.
#ifndef LB_FETCH_H
#define LB_FETCH_H

#include "lanes_of.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LB_CAN_FETCH
#endif

// Two numbers, at multiples of 16 bytes. They are there after lb_await_fetches.
LB_CARD void lb_fetch_two(const double *from, double *to)
{
#ifdef LB_CAN_FETCH
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from));
#else
    to[0] = from[0];
    to[1] = from[1];
#endif
}

LB_CARD void lb_await_fetches(void)
{
#ifdef LB_CAN_FETCH
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// `rows` numbers that are LB_CARD_TEAM apart will be read soon.
LB_CARD void lb_bring_near(const double *from, int rows)
{
#ifdef __CUDACC__
    LB_UNROLL for (int row = 0; row < rows; ++row)
    {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(from + row * LB_CARD_TEAM));
    }
#else
    (void)from, (void)rows;
#endif
}

// ---- columns -----------------------------------------------------------------------------------
//
// A lane reads columns of `rows` numbers one after the other, and asks for each LB_RING - 1 columns ahead, so that enough of
// them are under way for the memory to be busy. They go into the places of a ring by turns.

enum { LB_RING = 3 };

/// Room of the rings of a team.
#define LB_RING_ROOM(rows) (LB_RING * (rows)*LB_CARD_TEAM)

LB_CARD double *lb_find_place(double *ring, int rows, int n)
{
    return ring + n % LB_RING * rows * LB_TEAM;
}

// Asks for column n, whose numbers are LB_CARD_TEAM apart.
//
// @param from  NULL if there is no such column
// @param ring  that of the lane: its numbers are LB_TEAM apart
LB_CARD void lb_ask(const double *from, double *ring, int rows, int n)
{
    double *to = lb_find_place(ring, rows, n);
    if (from) {
        LB_UNROLL for (int row = 0; row < rows; ++row)
        {
#ifdef LB_CAN_FETCH
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                             (unsigned)__cvta_generic_to_shared(to + row * LB_TEAM)),
                         "l"(from + row * LB_CARD_TEAM));
#else
            to[row * LB_TEAM] = from[row * LB_CARD_TEAM];
#endif
        }
    }
#ifdef LB_CAN_FETCH
    asm volatile("cp.async.commit_group;");
#endif
}

// Waits for column n, the oldest one that was asked for and not taken, out of LB_RING - 1.
LB_CARD const double *lb_take(double *ring, int rows, int n)
{
#ifdef LB_CAN_FETCH
    asm volatile("cp.async.wait_group %0;" ::"n"(LB_RING - 2) : "memory");
#endif
    return lb_find_place(ring, rows, n);
}

#endif // LB_FETCH_H
