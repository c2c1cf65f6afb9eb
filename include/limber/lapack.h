// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// LAPACK in programs with several threads.
#ifndef LB_LAPACK_H
#define LB_LAPACK_H

#include "limber/base.h"

/// Waits until no other thread is in BLAS, LAPACK, SuperLU or MUMPS, and keeps others out. Limber does so around every
/// call, because not all of these are made for several threads: the OpenBLAS for programs of one thread gives wrong
/// products in two. Do so around calls of your own while other threads use limber. Not nested: a thread that has the lock must
/// not call limber before lb_unlock_lapack.
LB_API void lb_lock_lapack(void);

/// Lets other threads in again.
LB_API void lb_unlock_lapack(void);

#endif // LB_LAPACK_H
