// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading recorded runs (library limber-sim). A file of results holds tables with one row per output
// time; every column has a name:
//
//     lb_results *results;
//     int table;
//     lb_open_results("arm.h5", &report, &results);
//     const int column = lb_find_column(results, "q:link.angle", &table);
//     const lb_results_info *info = lb_get_results_info(results);
//     const long rows = info->row_count;
//     const int width = info->tables[table].column_count;
//     double *values = malloc((size_t)(rows * width) * sizeof *values);
//     lb_read_table(results, table, 0, rows, values);
//     printf("at the end: %g rad\n", values[(rows - 1) * width + column]);
//     free(values);
//     lb_close_results(results);
//
// docs/guide/results.md describes the layout of the files.
//
// Files may come from strangers. Everything that a file says of itself is checked before it is used, and
// nothing outside it is read: data in other files, links, chunks and filters are refused.
//
// Threads: open results belong to one thread at a time. Several threads may read and write different
// files at the same time. Neither uses the HDF5 library: your program is free to use it.
#ifndef LB_RESULTS_H
#define LB_RESULTS_H

#include <stdbool.h>

#include "limber/base.h"

/// Version of the layout that this library writes. It reads no other.
#define LB_RESULTS_LAYOUT 1

/// An open file of results. Opaque: made by lb_open_results, freed by lb_close_results.
typedef struct lb_results lb_results;

// ---- opening -----------------------------------------------------------------------------------

/// Opens a file of results, whether the run has ended or is still going on. Allocates. A file that is
/// being written is seen as it was when it was opened.
///
/// @param path     if there is no such file, `path`.part is opened instead
/// @param report   receives what is wrong; NULL to drop it
/// @param results  out: to be freed by lb_close_results; NULL on failure
/// @return LB_OK, LB_E_FILE (absent, unreadable, cut off), LB_E_SYNTAX (not a file of results, or
///         damaged), LB_E_UNSUPPORTED (another layout, or stored in a way that is not read) or
///         LB_E_MEMORY
LB_API lb_status lb_open_results(const char *path, const lb_report *report, lb_results **results);

/// Opens what can be read of a file that lb_open_results refuses because it was cut off or parts of
/// it are damaged. Tables that are lost are left out. Rows of a file that was cut off end where those
/// of `time` or `q` end, or where times no longer increase. Allocates.
///
/// @param path     the file itself; `path`.part is not tried
/// @param report   receives what is wrong; NULL to drop it
/// @param results  out: to be freed by lb_close_results; NULL on failure
/// @return LB_OK, or as lb_open_results if nothing can be read
LB_API lb_status lb_open_damaged_results(const char *path, const lb_report *report,
                                         lb_results **results);

/// Why the last call that read from the file failed, in one sentence that names the file and the row or
/// dataset; "" if none has. Valid until the next such call.
LB_API const char *lb_get_results_message(const lb_results *results);

/// Closes the file and frees everything that was read from it. NULL does nothing.
LB_API void lb_close_results(lb_results *results);

// ---- the run -----------------------------------------------------------------------------------

/// Most files that results keep.
#define LB_KEPT_FILE_MAX 256

/// A table. Frozen: its size never changes.
typedef struct lb_table_info {
    const char *name; ///< "time" for the first; others are "q", "v", "a", "energy" and so on
    const char *note; ///< what it holds and in which units, in words; "" if the file does not say
    int column_count;
    const char *const *columns; ///< their names, such as "link.angle"
} lb_table_info;

/// What a file of results holds. Sized: the library makes it.
typedef struct lb_results_info {
    size_t size;
    long row_count; ///< complete rows; every table has as many
    /// How the run ended: 0 not (yet), 1 at the end of its duration, 2 by an event, 3 on request.
    int ending;
    const char *model;   ///< text of the model as it was run; "" if the program gave none
    const char *hash;    ///< SHA-256 of that text, 64 hexadecimal digits
    const char *options; ///< run options, as a piece of YAML
    const char *version; ///< of limber that wrote the file, "major.minor.patch"
    const char *damage;  ///< what is lost of a damaged file, in words; "" if nothing is
    int table_count;
    const lb_table_info *tables;
    int event_count; ///< in the order in which they happened: lb_read_event
    /// Files that are kept besides the model, such as body files that it names, by their names in the model. Names may
    /// come from strangers: check them before you write to a file of that name.
    int file_count;
    const char *const *files;
} lb_results_info;

/// What a file of results holds. Lives until lb_close_results.
LB_API const lb_results_info *lb_get_results_info(const lb_results *results);

/// Reads a file that the results keep. Allocates.
///
/// @param index  from 0 to file_count - 1
/// @param data   out: to be freed by free(); NULL on failure
/// @param size   out: bytes
/// @return LB_OK, LB_E_ARGUMENT (no such file), LB_E_FILE or LB_E_MEMORY
LB_API lb_status lb_read_results_file(const lb_results *results, int index, void **data,
                                      size_t *size);

// ---- tables ------------------------------------------------------------------------------------

/// Finds a column by its name, in the first table that has it. With the name of a table in front,
/// as in "q:link.angle", only that table is searched. Compares with all columns.
///
/// @param table  out: the table; unchanged if there is no such column
/// @return the column, or LB_NOT_FOUND
LB_API int lb_find_column(const lb_results *results, const char *name, int *table);

/// Reads rows `first` to `first + count - 1` of a table, all columns. Compares them with their
/// checksums, which files of version 0.1 do not have.
///
/// @param values  out: count x column_count numbers, row by row
/// @return LB_OK, LB_E_ARGUMENT (no such rows), LB_E_FILE, or LB_E_SYNTAX (a row does not match its
///         checksum: lb_get_results_message names it)
LB_API lb_status lb_read_table(const lb_results *results, int table, long first, long count,
                               double *values);

// ---- events ------------------------------------------------------------------------------------

/// Reads one event; they are in the order in which they happened.
///
/// @param t     out: when, s
/// @param name  out: which; valid until lb_close_results
/// @return LB_OK, LB_E_ARGUMENT (no such event) or LB_E_FILE
LB_API lb_status lb_read_event(const lb_results *results, int index, double *t, const char **name);

// ---- the audit ---------------------------------------------------------------------------------

/// What a run did, and how well its energy balances. Set `size` before you hand it to a function:
///
///     lb_audit audit = {.size = sizeof audit};
typedef struct lb_audit {
    size_t size;             ///< of this struct, set by the caller
    double time;             ///< simulated, s
    double wall_time;        ///< by the clock, s; since the start or the resumption
    double processor_time;   ///< of this process in the same time, s
    double energy_start;     ///< kinetic, and potential of uniform gravity and deformation, J
    double energy_end;       ///< the same at the end, J
    double work_forces;      ///< done by force elements, conservative ones included, J
    double work_drives;      ///< done by motion-driven hinges, J
    double work_damping;     ///< done by modal damping, J: not positive
    double work_locking;     ///< lost when hinges were locked, J: not positive
    double energy_scale;     ///< largest energy or work of the run, J
    double energy_error;     ///< energy_end - energy_start - all work, J
    double linear_change;    ///< |change of linear momentum|, N s
    double angular_change;   ///< |change of angular momentum about the centre of mass|, N m s
    double quaternion_error; ///< largest | |quaternion| - 1 | before normalisation
    double steps;            ///< taken
    double rejections;       ///< steps that were tried and rejected
    double evaluations;      ///< of the dynamics
    double events;           ///< that happened
    double rows;             ///< recorded
    double jacobians;        ///< derivatives of the dynamics, for Newton's matrix (bdf, alpha)
    double work_loops;       ///< done by loops with given motion, J
    double work_closing;     ///< lost when loops were closed, J: not positive
    double work_projection; ///< change of energy by projections onto loops, J; part of energy_error
    double closure_error;   ///< largest position error of a loop in a recorded row, m, rad
    double closure_speed_error; ///< largest velocity error of a loop in a recorded row, m/s, rad/s
    double
        fallbacks; ///< evaluations in which the articulated recursion replaced divide and conquer
    double
        motion_energy; ///< largest energy of the motion's own, J: kinetic without the motion of the
                       ///< whole at the start, change of the potential, or work
    double energy_bound;  ///< what the tolerance explains of energy_error, J; NaN if not judged
    double linear_bound;  ///< likewise of linear_change, N s; NaN where momentum is not conserved
    double angular_bound; ///< likewise of angular_change, N m s
    double work_error;    ///< part by part, the worst in any row, J: the energy balance; work of a
        ///< conservative force against what it stores; work of what can only lose. Its bound
        ///< is energy_bound; NaN if not judged, infinite if steps would have become
        ///< too short for it
    double
        deformation; ///< of bodies with modes, the largest: turn of a node in rad, or displacement as
                     ///< a part of the size of the body
    double
        growth; ///< 1/s at which motion under sampled controllers grows exponentially; 0 if it does
                ///< not
} lb_audit;

/// How well energy and momentum were kept.
typedef enum lb_verdict {
    LB_VERDICT_KEPT,     ///< as well as the tolerance promises
    LB_VERDICT_ENERGY,   ///< energy is off by more than the tolerance explains
    LB_VERDICT_MOMENTUM, ///< momentum is
    LB_VERDICT_BOTH,     ///< both are
    LB_VERDICT_NONE,     ///< nothing to judge: the entries are not there
    LB_VERDICT_WORK,     ///< the work of a part is off by more than the tolerance explains
    LB_VERDICT_RANGE,    ///< a body is deformed so far that its modes do not describe it
    LB_VERDICT_GROWTH    ///< motion under sampled controllers grows without end
} lb_verdict;

/// Deformation of a body, as in lb_audit, from which on results are not valid. Theory: (FLX-14).
#define LB_DEFORMATION_MOST 0.5

/// Compares energy_error, linear_change, angular_change and work_error of an audit with their bounds, and says
/// whether the run can be right at all: growth, deformation. Where several are wrong, energy and momentum come
/// first, then growth, deformation and work. What has no bound is left out; KEPT says that energy was looked at, and momentum where
/// nothing acts from outside. Theory: (TOL-2).
LB_API lb_verdict lb_judge_audit(const lb_audit *audit);

/// A verdict in words: "energy is off by more than the tolerance explains".
LB_API const char *lb_get_verdict_text(lb_verdict verdict);

/// Reads the audit. Entries are found by their names: those that the file lacks are NaN, and those
/// that this library does not know are ignored. All are NaN if the run did not end properly.
/// Allocates for a moment.
///
/// @param audit  out; its `size` says how many entries there is room for
/// @return LB_OK, LB_E_SYNTAX (no audit in the file), LB_E_VERSION (`size` is not acceptable) or
///         LB_E_MEMORY
LB_API lb_status lb_read_audit(const lb_results *results, lb_audit *audit);

#endif // LB_RESULTS_H
