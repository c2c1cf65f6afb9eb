// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording: rows are collected in blocks and written to a file that is complete in its structure
// before the first of them. See docs/guide/results.md.
#ifndef LB_RECORD_H
#define LB_RECORD_H

#include <stdint.h>

#include "limber/results.h"
#include "simulation.h"

/// A table to be recorded.
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

/// Writes bytes at an offset; LB_E_FILE with errno set if that fails.
lb_status lb_write_at(int fd, const void *bytes, size_t size, int64_t offset);

/// SHA-256 (FIPS 180-4) of a text, as 64 hexadecimal digits.
void lb_compute_sha256(const void *text, size_t length, char hash[65]);

/// What controllers remembered at the last row; LB_E_SYNTAX if the file does not hold so many numbers
/// of that row.
lb_status lb_read_restart(const lb_results *results, int count, double *memory);

/// @param header  model and options; the rest is filled in
lb_status lb_create_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder);
/// Takes up a file where it stopped: t, y, forces, hinges and events of the simulation are set.
/// LB_NEWS_STOP if there is nothing left to do.
lb_status lb_resume_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder);

/// Adds the present state as a row.
lb_status lb_record_row(lb_simulation *sim, lb_recorder *recorder);
/// Notes the events in `found`.
lb_status lb_record_events(lb_simulation *sim, lb_recorder *recorder);
/// Writes what is waiting.
lb_status lb_flush_recorder(lb_simulation *sim, lb_recorder *recorder);
/// The clean end: writes the audit and gives the file its name.
lb_status lb_finish_recorder(lb_simulation *sim, lb_recorder *recorder, const lb_audit *audit);
void lb_destroy_recorder(lb_recorder *recorder);

long lb_get_recorded_rows(const lb_recorder *recorder);
/// Books for the audit so far.
void lb_get_books(const lb_simulation *sim, const lb_recorder *recorder, lb_audit *audit);

#endif // LB_RECORD_H
