// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 as a guest of the program: the program may use HDF5 too, and has its own error handler and its
// own pending errors. Every call of ours into HDF5 happens between lb_enter_hdf5 and
// lb_leave_hdf5:
//
//     lb_hdf5_guard guard;
//     lb_enter_hdf5(&guard);
//     ... calls of HDF5: they print nothing ...
//     lb_leave_hdf5(&guard);
//
// Between the two, this thread holds a lock, because HDF5 is usually built without thread safety. Do
// not nest them.
#ifndef LB_HDF5_GUARD_H
#define LB_HDF5_GUARD_H

#include <hdf5.h>

/// HDF5 crashes or ends the program if an allocation of its own fails. Before it is started, see by
/// lb_has_memory whether so many bytes more than the data can be had. A generous guess, not measured.
enum { LB_HDF5_NEEDS = 4 << 20 };

/// What the program had before.
typedef struct lb_hdf5_guard {
    unsigned is_new; ///< which version of the handler it set; HDF5 has two
    H5E_auto2_t handler;
#ifndef H5_NO_DEPRECATED_SYMBOLS
    H5E_auto1_t old_handler;
#endif
    void *user;
    hid_t pending; ///< its error stack
} lb_hdf5_guard;

/// Takes the lock, puts the program's errors aside and turns messages of HDF5 off.
void lb_enter_hdf5(lb_hdf5_guard *guard);
/// Restores the program's errors and handler, and releases the lock. Keeps errno.
void lb_leave_hdf5(lb_hdf5_guard *guard);

#endif // LB_HDF5_GUARD_H
