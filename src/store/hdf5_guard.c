// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "hdf5_guard.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lb_enter_hdf5(lb_hdf5_guard *guard)
{
    pthread_mutex_lock(&lock);
    *guard = (lb_hdf5_guard){.is_new = 1};
    // the stack first: other calls clear it
    guard->pending = H5Eget_current_stack();
    H5Eauto_is_v2(H5E_DEFAULT, &guard->is_new);
    if (guard->is_new) {
        H5Eget_auto2(H5E_DEFAULT, &guard->handler, &guard->user);
    }
#ifndef H5_NO_DEPRECATED_SYMBOLS
    else {
        H5Eget_auto1(&guard->old_handler, &guard->user);
    }
#endif
    // messages of HDF5 are for programmers; ours go to the report
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void lb_leave_hdf5(lb_hdf5_guard *guard)
{
    const int number = errno;
    // this one closes the copy as well
    if (guard->pending >= 0) {
        H5Eset_current_stack(guard->pending);
    }
    if (guard->is_new) {
        H5Eset_auto2(H5E_DEFAULT, guard->handler, guard->user);
    }
#ifndef H5_NO_DEPRECATED_SYMBOLS
    else {
        H5Eset_auto1(guard->old_handler, guard->user);
    }
#endif
    pthread_mutex_unlock(&lock);
    errno = number;
}
