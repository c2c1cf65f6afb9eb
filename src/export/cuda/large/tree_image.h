// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model with its workspace and its schedule in one block of memory that is written here and read at another address: the
// records of the host, with pointers as they are there. Kernels read them by the functions of the host.
//
//     lb_tree_image image;
//     status = lb_prepare_tree_image(model, run_length, &image);
//     memory = ...image.size bytes where the block will be...
//     bytes = malloc(image.filled);
//     lb_write_tree_image(&image, bytes, memory);
//     ...copy image.filled bytes to the memory...
//     lb_clear_tree_image(&image);
#ifndef LB_TREE_IMAGE_H
#define LB_TREE_IMAGE_H

#include <stdint.h>

#include "dynamics/divide/division.h"

/// Lanes that there is scratch for.
enum { LB_TREE_SCRATCH_LANES = 16384 };

/// One thing that is in the block already.
typedef struct lb_image_entry {
    const void *source; ///< NULL for none
    size_t offset;
} lb_image_entry;

typedef struct lb_tree_image {
    // what it is made of
    const lb_model *source;
    void *memory; ///< of the workspace
    size_t memory_size;
    lb_work *own_work;
    lb_division *own_division;

    // how far it is written
    unsigned char *bytes; ///< NULL while they are counted
    uintptr_t base;
    size_t used;
    lb_image_entry *entries; ///< a hash table
    size_t entry_count, capacity;
    lb_status status;

    // the result: addresses count from `base`
    size_t filled; ///< bytes that are written
    size_t size;   ///< of the whole block
    int scratch_lanes;
    lb_model *model;
    lb_work *work;
    lb_division *division;
    double *verdicts; ///< as the kernels have them: one, then one per team
    double *arrays;   ///< q, v, tau and a, one behind the other
} lb_tree_image;

/// Divides a model and counts the bytes of its image.
///
/// @param run_length  as in lb_cuda_division_options
/// @return LB_OK or LB_E_MEMORY, after which there is nothing to clear
lb_status lb_prepare_tree_image(const lb_model *model, int run_length, lb_tree_image *image);

/// Writes the image.
///
/// @param bytes  room for `filled` bytes; a multiple of LB_ALIGNMENT, as is base
/// @param base   where the block will be read
void lb_write_tree_image(lb_tree_image *image, unsigned char *bytes, void *base);

/// Frees what the image is made of. The results stay.
void lb_clear_tree_image(lb_tree_image *image);

#endif // LB_TREE_IMAGE_H
