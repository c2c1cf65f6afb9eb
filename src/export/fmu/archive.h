// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of an FMU, and the zip archive that they become.
#ifndef LB_FMU_ARCHIVE_H
#define LB_FMU_ARCHIVE_H

#include <stddef.h>

#include "limber/base.h"

typedef struct lb_fmu_file {
    char *name, *bytes; ///< with a closing zero behind each
    size_t size;
} lb_fmu_file;

typedef struct lb_fmu_files {
    lb_fmu_file *items;
    int count, capacity;
} lb_fmu_files;

/// Adds a copy of a file.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_put_file(lb_fmu_files *files, const char *name, const void *bytes, size_t size);

/// Frees all files.
void lb_clear_files(lb_fmu_files *files);

/// Writes a zip archive whose files are stored as they are, dated 1980-01-01.
///
/// @param archive  out: to be freed by free()
/// @return LB_OK, LB_E_MEMORY, or LB_E_UNSUPPORTED if it would not fit into 4 GB
lb_status lb_form_zip(const lb_fmu_files *files, unsigned char **archive, size_t *size);

#endif // LB_FMU_ARCHIVE_H
