// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The lock around BLAS, LAPACK, SuperLU and MUMPS: one for all libraries of limber.
#include "limber/lapack.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lb_lock_lapack(void)
{
    pthread_mutex_lock(&lock);
}

void lb_unlock_lapack(void)
{
    pthread_mutex_unlock(&lock);
}
