// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A writer of the few structures of HDF5 that our files consist of; hdf5_reader.h reads them, and so does
// everything that reads HDF5. A file is made in memory:
//
//     lb_hdf5_writer w;
//     lb_start_hdf5_writer(&w);
//     const lb_hdf5_shape shape = {.type = LB_HDF5_FLOAT64, .rank = 2, .dims = {rows, 3}};
//     const int positions = lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, "positions", &shape, values);
//     lb_put_hdf5_text_attribute(&w, positions, "unit", "m");
//     if (lb_finish_hdf5_writer(&w) == LB_OK) {
//         ... w.bytes, w.size ...
//     }
//     lb_free_hdf5_writer(&w);
//
// The first failure is kept, and calls after it do nothing: only the end needs to be asked.
//
// Why not the HDF5 library: it crashes or ends the program if one of its allocations fails, it keeps its own
// state for the whole process, and it is usually built without thread safety. Here, different threads may
// write different files.
//
// Source: The HDF Group, "HDF5 File Format Specification Version 3.0". Of each structure the oldest version
// is written, as the library does by default. The same content gives the same bytes: no times are kept.
#ifndef LB_HDF5_WRITER_H
#define LB_HDF5_WRITER_H

#include <stdint.h>

#include "base/arena.h"

/// What arrays consist of, in the byte order of this machine.
typedef enum lb_hdf5_type {
    LB_HDF5_FLOAT64,
    LB_HDF5_INT32,
    LB_HDF5_UINT32,
    LB_HDF5_INT64,
    LB_HDF5_UINT8,
    LB_HDF5_STRING ///< of a fixed length, padded with zeros, at least one of them
} lb_hdf5_type;

/// What an array is.
typedef struct lb_hdf5_shape {
    lb_hdf5_type type;
    size_t text_size; ///< bytes of a string, its zero included
    int rank;         ///< 0, a single item, to 3
    uint64_t dims[3]; ///< row by row
} lb_hdf5_shape;

/// A file that is being made.
typedef struct lb_hdf5_writer {
    unsigned char *bytes; ///< after the end: the file without what is written later
    size_t size;          ///< of these bytes
    uint64_t end;         ///< after the end: length of the file, with what is written later
    lb_status status;     ///< the first failure
    size_t room;
    lb_arena arena;
    struct lb_hdf5_object *objects;
    int object_count, object_room;
} lb_hdf5_writer;

/// The group that holds everything.
enum { LB_HDF5_ROOT = 0 };

/// Starts an empty file. Allocates.
void lb_start_hdf5_writer(lb_hdf5_writer *writer);

/// Adds an empty group.
///
/// @param group  that it is in
/// @param name   not empty, without slashes, another than those of its neighbours; copied
/// @return the new group
int lb_put_hdf5_group(lb_hdf5_writer *writer, int group, const char *name);

/// Adds an array.
///
/// @param values  copied; NULL if they are written later, to the file itself: their place is behind `bytes`, in
///                the order of the calls
/// @return the dataset
int lb_put_hdf5_dataset(lb_hdf5_writer *writer, int group, const char *name,
                        const lb_hdf5_shape *shape, const void *values);

/// Adds a single string.
void lb_put_hdf5_text(lb_hdf5_writer *writer, int group, const char *name, const char *text,
                      size_t length);

/// Adds a list of strings; longer ones are cut off.
///
/// @param size  of each string, its zero included
void lb_put_hdf5_names(lb_hdf5_writer *writer, int group, const char *name, size_t size, int count,
                       const char *const *names);

/// Adds an attribute to a group or dataset, at most 60 KiB.
///
/// @param value  copied
void lb_put_hdf5_attribute(lb_hdf5_writer *writer, int object, const char *name,
                           const lb_hdf5_shape *shape, const void *value);

/// Adds a string as an attribute.
void lb_put_hdf5_text_attribute(lb_hdf5_writer *writer, int object, const char *name,
                                const char *text);

/// Completes the file in memory.
///
/// @return LB_OK; LB_E_MEMORY; LB_E_ARGUMENT (two objects of one name) or LB_E_UNSUPPORTED (an array, an
///         attribute or a group is too large for the format)
lb_status lb_finish_hdf5_writer(lb_hdf5_writer *writer);

/// Where in the file the items of a dataset are, after the end; UINT64_MAX if there are none.
uint64_t lb_get_hdf5_place(const lb_hdf5_writer *writer, int dataset);

/// Frees everything.
void lb_free_hdf5_writer(lb_hdf5_writer *writer);

#endif // LB_HDF5_WRITER_H
