// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files that are made in memory. HDF5 cannot recover from a write that fails: it keeps the file open
// and crashes when the program ends. So it writes to memory only, and we write the bytes to the disk.
#ifndef LB_HDF5_IMAGE_H
#define LB_HDF5_IMAGE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The bytes of a file up to the last that was written. Start from {.size = 0}.
typedef struct lb_hdf5_image {
    unsigned char *bytes; ///< to be freed
    size_t size;
    int64_t end; ///< length of the whole file; what is behind the bytes was never written
} lb_hdf5_image;

/// Creates a file in memory, between lb_enter_hdf5 and lb_leave_hdf5. It must be closed before
/// lb_leave_hdf5, or have a name of its own.
///
/// @param name   that no other open file has
/// @param block  room for what describes the datasets, in one piece at the beginning
/// @return negative on failure
hid_t lb_create_hdf5_image(lb_hdf5_image *image, const char *name, hsize_t block);

/// Closes the file; the image is then complete.
///
/// @return false on failure
bool lb_close_hdf5_image(hid_t file, lb_hdf5_image *image);

#endif // LB_HDF5_IMAGE_H
