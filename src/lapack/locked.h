// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of LAPACK under the lock that all rooms share.
#ifndef LB_LOCKED_H
#define LB_LOCKED_H

#include <lapacke.h>

#include "limber/lapack.h"

/// LAPACKE_name(...) while no other thread is in LAPACK.
#define LB_LAPACK(name, ...) (lb_lock_lapack(), lb_leave_lapack(LAPACKE_##name(__VA_ARGS__)))

/// Unlocks; hands on what the call gave.
static inline int lb_leave_lapack(int info)
{
    lb_unlock_lapack();
    return info;
}

#endif // LB_LOCKED_H
