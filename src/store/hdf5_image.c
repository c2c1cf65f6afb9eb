// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "hdf5_image.h"

#include <stdlib.h>
#include <string.h>

// ---- memory of the file: ours, so that it outlives the file ---------------------------------------

// HDF5 asks for multiples of this. It cannot recover if the first is not there, so that is taken before.
enum { PIECE = 1 << 20 };

static void *grow(void *bytes, size_t size, H5FD_file_image_op_t operation, void *user)
{
    lb_hdf5_image *image = user;
    (void)operation;
    void *larger = size <= PIECE ? image->bytes : realloc(bytes ? bytes : image->bytes, size);
    if (larger) {
        image->bytes = larger;
        image->size = size;
    }
    return larger;
}

static void *start(size_t size, H5FD_file_image_op_t operation, void *user)
{
    return grow(NULL, size, operation, user);
}

static void *copy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation,
                  void *user)
{
    (void)operation;
    (void)user;
    return memcpy(to, from, size);
}

static herr_t keep(void *bytes, H5FD_file_image_op_t operation, void *user)
{
    (void)bytes;
    (void)operation;
    (void)user;
    return 0;
}

static void *share(void *user)
{
    return user;
}

static herr_t let_go(void *user)
{
    (void)user;
    return 0;
}

// ---- the file ------------------------------------------------------------------------------------

hid_t lb_create_hdf5_image(lb_hdf5_image *image, const char *name, hsize_t block)
{
    H5FD_file_image_callbacks_t memory = {.image_malloc = start,
                                          .image_memcpy = copy,
                                          .image_realloc = grow,
                                          .image_free = keep,
                                          .udata_copy = share,
                                          .udata_free = let_go,
                                          .udata = image};
    image->bytes = malloc(PIECE);
    if (!image->bytes) {
        return -1;
    }
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool good = access >= 0 && H5Pset_fapl_core(access, PIECE, 0) >= 0 &&
                      H5Pset_file_image_callbacks(access, &memory) >= 0 &&
                      H5Pset_meta_block_size(access, block) >= 0 &&
                      // the oldest form of everything: what our reader knows, and every other one
                      H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0;
    const hid_t file = good ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access) : -1;
    if (access >= 0) {
        H5Pclose(access);
    }
    return file;
}

bool lb_close_hdf5_image(hid_t file, lb_hdf5_image *image)
{
    // the length of the file is in its first block, version 0, which is what HDF5 writes by default
    enum { VERSION_AT = 8, END_AT = 40, END_SIZE = 8 };
    if (H5Fclose(file) < 0 || image->size < END_AT + END_SIZE || image->bytes[VERSION_AT] != 0) {
        return false;
    }
    uint64_t end = 0;
    for (int i = 0; i < END_SIZE; ++i) {
        end |= (uint64_t)image->bytes[END_AT + i] << 8 * i;
    }
    image->end = (int64_t)end;
    // memory comes in larger pieces
    image->size = image->size > end ? (size_t)end : image->size;
    return image->end > 0;
}
