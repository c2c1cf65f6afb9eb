// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing result files. The structure of a file is complete before its first row is written. See
// docs/guide/results.md.
#ifndef LB_RECORD_FILE_H
#define LB_RECORD_FILE_H

#include <stdint.h>

#include "limber/results.h"

/// A table of a file of results.
typedef struct lb_table {
    const char *name, *note;
    int column_count;
    char (*columns)[LB_COLUMN_SIZE]; ///< names
    double *block;                   ///< rows_per_block x column_count
    int64_t offset;                  ///< of its first row in the file
} lb_table;

/// What there is to be in the file besides tables.
typedef struct lb_header {
    const char *model_name, *model_text, *options;
    size_t model_length;
    char hash[65];
    long row_capacity;
    long event_capacity;
    int event_name_count;
    const char *const *event_names;
    int memory_count; ///< numbers that controllers remember
} lb_header;

enum { LB_COUNTER_ROWS, LB_COUNTER_EVENTS, LB_COUNTER_COMPLETE, LB_COUNTER_COUNT };

/// An open file of results.
typedef struct lb_record_file {
    int fd;
    int64_t counters_at, events_at, audit_at, restart_at;
} lb_record_file;

/// Makes the file: everything but the rows. Tables get their offsets.
///
/// @return LB_OK, or LB_E_FILE with a message
lb_status lb_create_record_file(const char *path, const lb_header *header, lb_table *tables,
                                int table_count, lb_record_file *file, char message[256]);

void lb_close_record_file(lb_record_file *file);

/// Renames a finished file to `path`, replacing what is there; LB_E_FILE with errno set on failure.
lb_status lb_replace_file(const char *finished, const char *path);
void lb_remove_file(const char *path);

/// Writes bytes at an offset; LB_E_FILE with errno set if that fails.
lb_status lb_write_at(int fd, const void *bytes, size_t size, int64_t offset);

/// SHA-256 (FIPS 180-4) of a text, as 64 hexadecimal digits.
void lb_compute_sha256(const void *text, size_t length, char hash[65]);

/// What controllers remembered at the last row; LB_E_SYNTAX if the file does not hold so many numbers
/// of that row.
lb_status lb_read_restart(const lb_results *results, int count, double *memory);

#endif // LB_RECORD_FILE_H
