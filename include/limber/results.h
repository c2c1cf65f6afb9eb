// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading recorded runs (library limber-sim). A file holds tables of one row a time; their columns
// have names. The layout is described in docs/guide/results.md.
#ifndef LB_RESULTS_H
#define LB_RESULTS_H

#include <stdbool.h>

#include "limber/base.h"

/// Names of columns are cut to this length, the closing zero included.
enum { LB_COLUMN_SIZE = 96 };

/// Version of the layout that this library writes; it reads no other.
#define LB_RESULTS_LAYOUT 1

typedef struct lb_results lb_results;

/// Opens a file of results, finished or not.
///
/// @param path     if it is absent, `path`.part is opened instead
/// @param message  out: what is wrong, on failure
/// @return LB_OK, LB_E_FILE (absent, unreadable, cut), LB_E_SYNTAX (no results), LB_E_UNSUPPORTED
///         (another layout) or LB_E_MEMORY
LB_API lb_status lb_open_results(const char *path, char message[256], lb_results **results);
/// Opens what can be read of a file that lb_open_results refuses because it was cut off or parts of
/// it are broken: tables that are lost are left out, rows end where those of `time` or `q` do, or
/// where times no longer ascend.
///
/// @return LB_OK, or as lb_open_results if nothing can be read
LB_API lb_status lb_open_damaged_results(const char *path, char message[256], lb_results **results);
/// What is lost of a damaged file; "" of a whole one.
LB_API const char *lb_get_results_damage(const lb_results *results);
LB_API void lb_close_results(lb_results *results);

/// Rows that are there for certain.
LB_API long lb_get_results_row_count(const lb_results *results);
/// How the run ended: 0 not (yet), 1 at the end of its duration, 2 by an event, 3 on request.
LB_API int lb_get_results_ending(const lb_results *results);

/// The model's text as it was run, and its SHA-256 in hexadecimal digits; the options; the version
/// of limber that wrote it.
LB_API const char *lb_get_results_model(const lb_results *results);
LB_API const char *lb_get_results_hash(const lb_results *results);
LB_API const char *lb_get_results_options(const lb_results *results);
LB_API const char *lb_get_results_version(const lb_results *results);

/// Tables: "time", "q", "v", "a", "energy", ...
LB_API int lb_get_table_count(const lb_results *results);
LB_API const char *lb_get_table_name(const lb_results *results, int table);
LB_API const char *lb_get_table_note(const lb_results *results, int table);
LB_API int lb_get_column_count(const lb_results *results, int table);
LB_API const char *lb_get_column_name(const lb_results *results, int table, int column);

/// Finds a column by its name; "q:link.angle" asks for the table as well.
///
/// @return true if there is one
LB_API bool lb_find_column(const lb_results *results, const char *name, int *table, int *column);

/// Rows `first` to `first + count - 1` of a table, all columns, row by row.
LB_API lb_status lb_read_table(const lb_results *results, int table, long first, long count,
                               double *values);

/// Events that happened, in order.
LB_API int lb_get_event_count(const lb_results *results);
LB_API lb_status lb_read_event(const lb_results *results, int index, double *t, const char **name);

/// Entries of lb_audit (limber/simulate.h); all NaN if the run did not come to its end.
LB_API lb_status lb_read_audit(const lb_results *results, double *values);

#endif // LB_RESULTS_H
