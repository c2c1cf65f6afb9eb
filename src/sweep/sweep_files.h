// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of rows of a sweep, and what the command needs to share a sweep among processes.
#ifndef LB_SWEEP_FILES_H
#define LB_SWEEP_FILES_H

#include "limber/sweep.h"

/// A file of rows that is open for writing. Opaque.
typedef struct lb_sweep_rows lb_sweep_rows;

/// What is known of a sample.
typedef enum lb_sample_state { LB_SAMPLE_OPEN, LB_SAMPLE_DONE, LB_SAMPLE_FAILED } lb_sample_state;

/// All rows of a sweep, in the order of the samples.
typedef struct lb_sweep_table {
    size_t size;                 ///< of this struct, set by the library
    int64_t sample_count;        ///< of the plan
    int64_t done_count;          ///< of samples with outputs
    int64_t failed_count;        ///< of samples that failed
    const unsigned char *states; ///< one lb_sample_state per sample
    const double *outputs;       ///< sample_count x outputs; NaN where there are none
    const char *const
        *messages; ///< one per sample: why it failed, or that it is not stable; NULL otherwise
    int64_t unstable_count; ///< of samples with outputs of which a pole grows: they have no margins
    const unsigned char *unstable; ///< one flag per sample
} lb_sweep_table;

/// Sets a function that is asked after each output of a run whether to give up the sample.
///
/// @param stop  NULL for none
/// @param user  handed to `stop`
void lb_set_sweep_stop(lb_sweep *sweep, bool (*stop)(void *user), void *user);

/// Whether the samples of a plan can be computed side by side. They can if the job is `run` or `loads`, all outputs are
/// signals, the integrator has a fixed step that divides the interval of outputs, there are neither events nor
/// controllers, and parameters that vary are used in `initial` alone or have few values. Allocates.
///
/// @param report  why not, and what to do; NULL to drop it
/// @return LB_OK, LB_E_UNSUPPORTED or LB_E_MEMORY; or what loading the model fails with
lb_status lb_check_side_by_side(lb_sweep *sweep, const lb_report *report);

/// Opens a file of rows, or creates it; rows that it has are kept, and a last line that is not complete is removed.
/// Only one process at a time can have it open. Allocates.
///
/// @param path    its name ends in ".rows"
/// @param report  receives what is wrong; NULL to drop it
/// @param rows    out: to be closed by lb_close_sweep_rows; NULL on failure
/// @return LB_OK, LB_E_FILE (also if another process has it open), LB_E_MODEL if it is of another plan or model,
///         or LB_E_MEMORY
lb_status lb_open_sweep_rows(const lb_sweep *sweep, const char *path, const lb_report *report,
                             lb_sweep_rows **rows);

/// Writes a row in one piece, so that a process that is killed leaves it whole or not at all, and waits for the disk
/// once a second.
///
/// @param status   of lb_evaluate_sample
/// @param outputs  not used after a failure
/// @param message  why it failed
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
lb_status lb_write_sweep_row(lb_sweep_rows *rows, int64_t index, lb_status status,
                             const double *outputs, const char *message);

/// Waits for the disk and closes the file. NULL is fine.
///
/// @return LB_OK or LB_E_FILE
lb_status lb_close_sweep_rows(lb_sweep_rows *rows);

/// Reads from all files of rows in a folder which samples are done. Rows that are damaged are left out: their samples
/// count as open.
///
/// @param folder  need not exist
/// @param report  receives what is wrong; NULL to drop it
/// @param states  out: one lb_sample_state per sample
/// @return LB_OK, LB_E_FILE, LB_E_MODEL for rows of another plan or model, or LB_E_MEMORY
lb_status lb_read_sample_states(const lb_sweep *sweep, const char *folder, const lb_report *report,
                                unsigned char *states);

/// Reads all files of rows in a folder. Allocates 8 bytes per number.
///
/// @param folder  need not exist
/// @param report  receives what is wrong; NULL to drop it
/// @param table   out: to be freed by lb_destroy_sweep_table; NULL on failure
/// @return as lb_read_sample_states
lb_status lb_read_sweep_table(const lb_sweep *sweep, const char *folder, const lb_report *report,
                              lb_sweep_table **table);

/// Frees a table. NULL is fine.
void lb_destroy_sweep_table(lb_sweep_table *table);

/// Saves a table as HDF5: `parameters` and `outputs` with one row per sample, their names, `state` and `failure`.
/// Allocates.
///
/// @return LB_OK, LB_E_FILE, LB_E_UNSUPPORTED or LB_E_MEMORY
lb_status lb_save_sweep_table(const lb_sweep *sweep, const lb_sweep_table *table, const char *path,
                              const lb_report *report);

#endif // LB_SWEEP_FILES_H
