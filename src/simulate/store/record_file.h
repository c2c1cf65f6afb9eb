// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing result files. The structure of a file is complete before its first row is written. See
// docs/guide/results.md.
#ifndef LB_RECORD_FILE_H
#define LB_RECORD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "limber/results.h"

/// A table of a file of results.
typedef struct lb_table {
    const char *name, *note;
    int column_count;
    char (*columns)[LB_COLUMN_SIZE]; ///< names
    double *block;                   ///< rows_per_block x column_count
    int64_t offset;                  ///< of its first row in the file
    int64_t checksums_at;            ///< of its first checksum
} lb_table;

/// A file that is kept inside the results.
typedef struct lb_stored_file {
    const char *name;
    const void *data;
    size_t size;
} lb_stored_file;

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
    int file_count;   ///< files that are kept
    const lb_stored_file *files;
} lb_header;

enum { LB_COUNTER_ROWS, LB_COUNTER_EVENTS, LB_COUNTER_COMPLETE, LB_COUNTER_COUNT };

/// Room for a message about a file.
enum { LB_STORE_MESSAGE = 512 };

/// An open file of results.
typedef struct lb_record_file {
    int fd; ///< with a lock on the file, which ends with the process
    int64_t counters_at, events_at, audit_at, restart_at;
    int64_t event_checksums_at, restart_checksums_at;
    struct lb_output *output; ///< while the file has a private name; NULL from then on
} lb_record_file;

/// Makes the file under a private name: everything but the rows. Tables get their offsets.
///
/// @param path  the name that it will have
/// @return LB_OK; LB_E_FILE or LB_E_MEMORY with a message
lb_status lb_create_record_file(const char *path, const lb_header *header, lb_table *tables,
                                int table_count, lb_record_file *file,
                                char message[LB_STORE_MESSAGE]);

/// Gives the file its name when it is on the disk. It stays open. On failure it is removed.
///
/// @return LB_OK; LB_E_FILE with a message; LB_E_ARGUMENT if there is a file and `replace` is false
lb_status lb_place_record_file(lb_record_file *file, bool replace, char message[LB_STORE_MESSAGE]);

/// Closes the file and removes it if it has no name yet.
///
/// @param error  the errno to be explained in the message; 0 for none
void lb_drop_record_file(lb_record_file *file, int error, char message[LB_STORE_MESSAGE]);

/// Closes the file if it is open; LB_E_FILE with errno set if that fails.
lb_status lb_close_record_file(lb_record_file *file);

/// Whether a file can be written under this name: LB_OK; LB_E_FILE or LB_E_MEMORY with a message.
lb_status lb_check_place(const char *path, char message[LB_STORE_MESSAGE]);

/// Locks the file of a run that has ended, so that no other run takes it.
///
/// @param lock  out: to be closed; -1 if there is no such file
/// @return LB_OK; LB_E_FILE with a message if a run is still writing it, or if it is no file
lb_status lb_claim_file(const char *path, int *lock, char message[LB_STORE_MESSAGE]);

/// Renames a file by adding a number to its name: "arm.h5.part.1".
///
/// @param kept  out: the new name
/// @return LB_OK, or LB_E_FILE with errno set
lb_status lb_keep_aside(const char *path, char *kept, size_t size);

/// Removes a file, if it is there.
void lb_remove_file(const char *path);

/// Writes bytes at an offset; LB_E_FILE with errno set if that fails.
lb_status lb_write_at(int fd, const void *bytes, size_t size, int64_t offset);

/// Writes rows `first` to `first + count - 1` of an array and their checksums; LB_E_FILE with errno set if
/// that fails.
///
/// @param at, checksums_at  places of row 0 and its checksum in the file
lb_status lb_write_rows(int fd, int64_t at, int64_t checksums_at, int64_t first, int64_t count,
                        size_t row_size, const void *rows);

/// Entries of lb_audit that this version knows.
enum { LB_AUDIT_ENTRIES = (sizeof(lb_audit) - offsetof(lb_audit, time)) / sizeof(double) };

/// Makes all entries NaN.
void lb_clear_audit(lb_audit *audit);
/// The entry of that number, in the order of the struct.
double *lb_get_audit_entry(lb_audit *audit, int entry);
/// Writes all entries in their order; LB_E_FILE with errno set if that fails.
lb_status lb_write_audit(const lb_record_file *file, const lb_audit *audit);
/// Whether the caller's struct has a size that this version knows.
lb_status lb_check_audit_size(const lb_audit *audit);
/// Copies an audit to a caller with room for another size.
lb_status lb_give_audit(const lb_audit *audit, lb_audit *out);

/// Longest message about a file of results.
enum { LB_RESULTS_MESSAGE_SIZE = 400 };

/// lb_open_results with its message in a buffer.
lb_status lb_open_result_file(const char *path, char message[LB_RESULTS_MESSAGE_SIZE],
                              lb_results **results);

/// CRC-32 of the bytes of a row, as crc32(bytes, row) of zlib: a row in a wrong place has another one.
uint32_t lb_compute_row_checksum(int64_t row, const void *bytes, size_t size);

/// What controllers remembered at the last row; LB_E_SYNTAX if the file does not hold so many numbers
/// of that row.
lb_status lb_read_restart(const lb_results *results, int count, double *memory);

#endif // LB_RECORD_FILE_H
