// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A reader of the few structures of HDF5 that our files consist of: groups with symbol tables,
// attributes, and datasets that are contiguous or compact. Everything else is refused in words: links
// to other places, data in other files, chunks, filters, virtual datasets.
//
// Why not the HDF5 library: files come from strangers. The library follows links to other files,
// loads filters as code, believes sizes, and damaged files make it crash; its options close only some of
// these doors. This reader looks at no byte outside the file, and allocates one window of fixed size.
//
// Source: The HDF Group, "HDF5 File Format Specification Version 3.0": superblock version 0, object headers
// version 1, B-trees version 1, local heaps. These are what HDF5 writes unless it is asked for newer ones.
#ifndef LB_HDF5_READER_H
#define LB_HDF5_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "limber/base.h"

/// An open file. `message` says what is wrong after a call has failed.
typedef struct lb_hdf5_reader {
    int fd;
    uint64_t size; ///< of the file
    uint64_t end;  ///< where the file ends by its own account; more than `size` if it was cut off
    uint64_t root; ///< header of the root group
    unsigned char *window;
    uint64_t window_at, window_size;
    int step_count; ///< nodes and names of groups that were looked at
    char message[192];
} lb_hdf5_reader;

typedef enum lb_hdf5_kind { LB_HDF5_TEXT, LB_HDF5_INTEGER, LB_HDF5_DOUBLE } lb_hdf5_kind;

/// Where the numbers or the text of a dataset or attribute are.
typedef struct lb_hdf5_array {
    bool found;
    lb_hdf5_kind kind;
    bool is_swapped;    ///< has the byte order of another kind of machine
    uint64_t item_size; ///< bytes of a number or text
    int rank;           ///< 0 to 3
    uint64_t dims[3];   ///< 1 where there is no such dimension
    uint64_t at;        ///< in the file
    uint64_t bytes;     ///< of all items, whether the file has them or not
} lb_hdf5_array;

/// Opens a file and reads its superblock. Allocates. It is to be closed also after a failure.
///
/// @return LB_OK, LB_E_FILE (cannot be opened, no regular file, no HDF5), LB_E_UNSUPPORTED (a newer format)
///         or LB_E_MEMORY
lb_status lb_open_hdf5_reader(const char *path, lb_hdf5_reader *reader);
void lb_close_hdf5_reader(lb_hdf5_reader *reader);

/// Looks for a name in a group.
///
/// @param header  out: place of the object's header; 0 if there is none
lb_status lb_find_hdf5_object(lb_hdf5_reader *reader, uint64_t group, const char *name,
                              uint64_t *header);
/// Looks for a dataset in a group.
///
/// @return LB_OK, also if there is none; LB_E_FILE (its header is behind the end of the file),
///         LB_E_SYNTAX, or LB_E_UNSUPPORTED (a kind that is refused)
lb_status lb_find_hdf5_dataset(lb_hdf5_reader *reader, uint64_t group, const char *name,
                               lb_hdf5_array *array);
/// Looks for an attribute of an object. Returns as lb_find_hdf5_dataset.
lb_status lb_find_hdf5_attribute(lb_hdf5_reader *reader, uint64_t header, const char *name,
                                 lb_hdf5_array *array);

/// Reads bytes; LB_E_FILE if the file does not have them.
lb_status lb_read_hdf5_bytes(lb_hdf5_reader *reader, uint64_t at, uint64_t size, void *bytes);

/// Turns `count` items of an array into the byte order of this machine.
void lb_turn_hdf5_items(const lb_hdf5_array *array, uint64_t count, void *items);

#endif // LB_HDF5_READER_H
