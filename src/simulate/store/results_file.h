// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A file of results that is open, and how pieces of it are read. What the file says of itself is checked before it is
// used: kinds and shapes, that everything lies inside the file, counts, and the checksum of each row.
#ifndef LB_RESULTS_FILE_H
#define LB_RESULTS_FILE_H

#include <stdint.h>

#include "base/hdf5/hdf5_reader.h"
#include "limber/results.h"
#include "record_file.h"

enum { LB_RESULTS_TABLE_MAX = 32, LB_RESULTS_NAME_SIZE = 32, LB_RESULTS_BLOCK_ROWS = 1024 };

typedef struct lb_results_table {
    char name[LB_RESULTS_NAME_SIZE];
    char *note;
    lb_hdf5_array data, checksums;
    int column_count;
    char *columns; ///< LB_COLUMN_SIZE each
} lb_results_table;

/// What changes while the file is being read.
typedef struct lb_results_access {
    lb_hdf5_reader reader;
    char path[120]; ///< or its end
    char message[LB_RESULTS_MESSAGE_SIZE];
} lb_results_access;

struct lb_results {
    lb_results_access *access;
    char *model, *options, *hash, *version;
    int64_t counters[LB_COUNTER_COUNT];
    int table_count;
    lb_results_table tables[LB_RESULTS_TABLE_MAX];
    lb_hdf5_array events, event_checksums;
    int event_name_count;
    char *event_names;
    int file_count;
    lb_hdf5_array files[LB_KEPT_FILE_MAX]; ///< those that are kept
    char *file_names[LB_KEPT_FILE_MAX];
    bool is_ours;     ///< it is a file of results, whatever else is wrong
    bool is_rescue;   ///< show what is left
    bool is_cut;      ///< bytes at the end are missing
    char damage[256]; ///< what was lost; "" if nothing
    lb_results_info info;
    lb_table_info table_infos[LB_RESULTS_TABLE_MAX];
    const char **column_names; ///< of all tables
};

/// Keeps a message with the name of the file, and returns the status.
lb_status lb_fail_results(const lb_results *results, lb_status status, const char *format, ...)
    LB_PRINTF(3, 4);

/// Hands on what the HDF5 reader says.
lb_status lb_pass_results(const lb_results *results, lb_status status);

/// Whether what is left of the file has all of an array.
bool lb_is_inside_file(const lb_hdf5_reader *reader, const lb_hdf5_array *a);

/// Reads a text up to its end, to be freed.
lb_status lb_read_array_text(const lb_results *results, const lb_hdf5_array *a, const char *name,
                             char **text);

/// Reads an attribute that must be there, to be freed.
lb_status lb_read_results_attribute(const lb_results *results, uint64_t header, const char *name,
                                    char **text);

/// Finds a dataset of the root group; LB_E_SYNTAX if there is none.
lb_status lb_find_results_dataset(const lb_results *results, const char *name, lb_hdf5_array *a);

/// Reads a dataset that is one text, to be freed.
lb_status lb_read_results_text(const lb_results *results, const char *name, char **text);

/// Reads a list of names, LB_COLUMN_SIZE each, to be freed.
lb_status lb_read_results_names(const lb_results *results, uint64_t group, const char *name,
                                char **names, int *count);

/// Reads all of a dataset of `count` numbers.
lb_status lb_read_results_array(const lb_results *results, const char *name, lb_hdf5_kind kind,
                                uint64_t count, void *values);

/// Compares rows, as they are in the file, with their checksums, if it has any.
lb_status lb_check_results_rows(const lb_results *results, const lb_hdf5_array *checksums,
                                const char *name, long first, long count, size_t row_size,
                                const void *rows);

/// Reads rows of a table, and checks them.
lb_status lb_read_results_rows(const lb_results *results, const lb_results_table *t, long first,
                               long count, double *values);

/// Looks for the checksums of an array; a file of an older version has none.
lb_status lb_find_results_checksums(const lb_results *results, const char *name, uint64_t rows,
                                    lb_hdf5_array *a);

#endif // LB_RESULTS_FILE_H
