// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of LAPACK under the lock that all rooms share.
#ifndef LB_LOCKED_H
#define LB_LOCKED_H

#include <lapacke.h>

#include "base/arena.h"
#include "limber/lapack.h"

/// Bytes that OpenBLAS may allocate inside a product of small matrices. With AVX-512 it does so, and crashes without them.
enum { LB_LAPACK_NEEDS = 1 << 20 };

/// LAPACKE_name(...) while no other thread is in LAPACK; without memory for it LAPACK_WORK_MEMORY_ERROR.
#define LB_LAPACK(name, ...)                                                                       \
    (lb_lock_lapack(),                                                                             \
     lb_leave_lapack(lb_has_memory(LB_LAPACK_NEEDS) ? LAPACKE_##name(__VA_ARGS__)                  \
                                                    : LAPACK_WORK_MEMORY_ERROR))

/// Unlocks; hands on what the call gave.
static inline int lb_leave_lapack(int info)
{
    lb_unlock_lapack();
    return info;
}

#endif // LB_LOCKED_H
