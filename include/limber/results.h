// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading recorded runs (library limber-sim). A file holds tables of one row a time; their columns
// have names. The layout is described in docs/guide/results.md.
#ifndef LB_RESULTS_H
#define LB_RESULTS_H

#include <stdbool.h>

#include "limber/base.h"

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

// ---- the audit ---------------------------------------------------------------------------------

/// What a run did, and how well its books balance.
typedef struct lb_audit {
    double time;             ///< simulated, s
    double wall_time;        ///< s by the clock; since the start or the resumption
    double processor_time;   ///< s of this process in the same time
    double energy_start;     ///< kinetic, and potential of uniform gravity and deformation
    double energy_end;       ///< likewise
    double work_forces;      ///< done by force elements, conservative ones included
    double work_drives;      ///< done by motion-driven hinges
    double work_damping;     ///< done by modal damping: not positive
    double work_locking;     ///< lost when hinges were locked: not positive
    double energy_scale;     ///< largest of the energies and works met on the way
    double energy_error;     ///< energy_end - energy_start - all work
    double linear_change;    ///< |change of linear momentum|, N s
    double angular_change;   ///< |change of angular momentum about the centre of mass|, N m s
    double quaternion_error; ///< largest | |quaternion| - 1 | before normalisation
    double steps;            ///< taken
    double rejections;       ///< steps tried in vain
    double evaluations;      ///< of the dynamics
    double events;           ///< met
    double rows;             ///< recorded
    double jacobians;        ///< derivatives of the dynamics, for Newton's matrix (bdf, alpha)
    double work_loops;       ///< done by loops with given motion
    double work_closing;     ///< lost when loops were closed: not positive
    double work_projection;  ///< change of energy by projections onto loops, part of energy_error
    double closure_error;    ///< largest position error of a loop in a recorded row, m, rad
    double closure_speed_error; ///< largest velocity error likewise, m/s, rad/s
    double fallbacks;           ///< evaluations in which divide and conquer gave way
} lb_audit;

enum { LB_AUDIT_COUNT = sizeof(lb_audit) / sizeof(double) };

/// Name of an entry of lb_audit, in order: "time", "wall_time", ...
LB_API const char *lb_get_audit_name(int entry);

/// Entries of lb_audit; all NaN if the run did not come to its end.
LB_API lb_status lb_read_audit(const lb_results *results, double *values);

#endif // LB_RESULTS_H
