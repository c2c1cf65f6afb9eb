// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many variations of one model (library limber-sim): a plan says which parameters vary and how, what is computed
// for each sample, and which numbers are kept.
//
//     lb_sweep *sweep;
//     lb_load_sweep("slew.yaml", NULL, &report, &sweep);
//     double *values = malloc((size_t)lb_get_variation_count(sweep) * sizeof *values);
//     double *outputs = malloc((size_t)lb_get_sweep_output_count(sweep) * sizeof *outputs);
//     for (int64_t i = 0; i < lb_get_sample_count(sweep); ++i) {
//         lb_compute_sample(sweep, i, values);
//         if (lb_evaluate_sample(sweep, values, outputs) < 0) {
//             printf("sample %lld: %s\n", (long long)i, lb_get_sweep_message(sweep));
//         }
//     }
//     lb_destroy_sweep(sweep);
//
// The values of a sample depend on the plan and the index alone, and its outputs on the values alone: not on the
// process, the thread or the samples before it. The model file is read once. A sweep belongs to one thread; several
// threads each load their own.
//
// Rows of results go to files that only grow, one per process: see lb_open_sweep_rows. lb_read_sweep_table gathers
// them. docs/guide/sweeps.md describes plans and files.
#ifndef LB_SWEEP_H
#define LB_SWEEP_H

#include <stdint.h>

#include "limber/io.h"

/// A plan with its model. Opaque.
typedef struct lb_sweep lb_sweep;

/// Reads a plan and the model that it names, which must be in the folder of the plan or below it, or in `allow_files`
/// of the options. Every mistake is reported with file, line and column. Allocates.
///
/// @param path     of the plan: YAML or JSON
/// @param options  of the model; values of `parameters` hold for all samples; NULL for the defaults
/// @param report   receives errors; NULL to drop them
/// @param sweep    out: to be freed by lb_destroy_sweep; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL, LB_E_MEMORY, LB_E_UNSUPPORTED or LB_E_VERSION
LB_API lb_status lb_load_sweep(const char *path, const lb_load_options *options,
                               const lb_report *report, lb_sweep **sweep);

/// Frees a sweep. NULL is fine.
LB_API void lb_destroy_sweep(lb_sweep *sweep);

/// Number of samples of the plan.
LB_API int64_t lb_get_sample_count(const lb_sweep *sweep);

/// The seed of the plan.
LB_API uint64_t lb_get_sweep_seed(const lb_sweep *sweep);

/// Number of parameters that vary.
LB_API int lb_get_variation_count(const lb_sweep *sweep);

/// Name of a parameter that varies, as lb_set_parameter takes it. Lives as long as the sweep.
///
/// @param index  from 0 to lb_get_variation_count() - 1
LB_API const char *lb_get_variation_name(const lb_sweep *sweep, int index);

/// Number of outputs of each sample.
LB_API int lb_get_sweep_output_count(const lb_sweep *sweep);

/// Name of an output. Lives as long as the sweep.
///
/// @param index  from 0 to lb_get_sweep_output_count() - 1
LB_API const char *lb_get_sweep_output_name(const lb_sweep *sweep, int index);

/// SHA-256 of what plan and model say, 64 hexadecimal digits: comments and layout do not count. Lives as long as
/// the sweep.
LB_API const char *lb_get_sweep_hash(const lb_sweep *sweep);

/// Path of the model file. Lives as long as the sweep.
LB_API const char *lb_get_sweep_model(const lb_sweep *sweep);

/// How long the runs of the plan take, s; 0 if the model says it, and for modes and linearize.
LB_API double lb_get_sweep_duration(const lb_sweep *sweep);

/// Whether the job starts from equilibrium, or is about it.
LB_API bool lb_is_sweep_trimmed(const lb_sweep *sweep);

/// Whether the job closes the loops of the initial state first.
LB_API bool lb_is_sweep_assembled(const lb_sweep *sweep);

/// Whether the samples are arranged for Sobol indices (`sensitivity: true`): each base sample is followed by its
/// partner and by one sample per parameter.
LB_API bool lb_is_sweep_for_sensitivity(const lb_sweep *sweep);

/// Computes the values of a sample. O(parameters); allocates nothing.
///
/// @param index   from 0 to lb_get_sample_count() - 1
/// @param values  out: one per parameter
/// @return LB_OK, or LB_E_ARGUMENT for another index
LB_API lb_status lb_compute_sample(const lb_sweep *sweep, int64_t index, double *values);

/// Does the job of the plan with given values. The model is built again from the document in memory. Allocates.
///
/// @param values   one per parameter
/// @param outputs  out: one per output; NaN after a failure
/// @return LB_OK; LB_NEWS_INTERRUPTED if lb_set_sweep_stop asked for it; LB_E_NUMBER for a value that is not
///         finite; or what the model or the job failed with. lb_get_sweep_message says why
LB_API lb_status lb_evaluate_sample(lb_sweep *sweep, const double *values, double *outputs);

/// Why the last lb_evaluate_sample failed; "" if it did not. Valid until the next one.
LB_API const char *lb_get_sweep_message(const lb_sweep *sweep);

/// Sets a function that is asked after each output of a run whether to give up the sample.
///
/// @param stop  NULL for none
/// @param user  handed to `stop`
LB_API void lb_set_sweep_stop(lb_sweep *sweep, bool (*stop)(void *user), void *user);

// ---- side by side --------------------------------------------------------------------------------
//
// Runs that differ in their initial states alone can go side by side, on a graphics processor for example. Whoever does so
// gives five functions; lb_evaluate_samples does the rest.

struct lb_simulation; // of limber/simulate.h

/// Simulations side by side. Sized. Each function returns LB_OK or a failure, which ends lb_evaluate_samples.
typedef struct lb_side_by_side {
    size_t size;
    void *user;
    /// Takes a simulation whose force elements and outputs all have, in place of the one before.
    ///
    /// @param simulation  lives until the next call; its options say which integrator to use
    /// @param count       of simulations
    lb_status (*open)(void *user, struct lb_simulation *simulation, int64_t count);
    /// Initial states.
    ///
    /// @param q  count x q_count
    /// @param v  count x v_count
    lb_status (*start)(void *user, const double *q, const double *v);
    /// Steps of equal length.
    ///
    /// @param latest   forces see no later time: where one of them jumps, the number just below
    /// @param goes_on  false where the integrator starts again: at first, and behind jumps and kinks
    lb_status (*advance)(void *user, double t, double step, int64_t step_count, double latest,
                         bool goes_on);
    /// Outputs of all simulations.
    ///
    /// @param y  out: count x outputs; NaN for a simulation that failed
    lb_status (*compute_outputs)(void *user, double t, double *y);
} lb_side_by_side;

/// Whether the samples of a plan can be computed side by side. They can if the job is `run` or `loads`, all outputs are
/// signals, the integrator has a fixed step that divides the interval of outputs, there are neither events nor
/// controllers, and parameters that vary are used in `initial` alone or have few values. Allocates.
///
/// @param report  why not, and what to do; NULL to drop it
/// @return LB_OK, LB_E_UNSUPPORTED or LB_E_MEMORY; or what loading the model fails with
LB_API lb_status lb_check_side_by_side(lb_sweep *sweep, const lb_report *report);

/// Called for each sample when it is done.
///
/// @return LB_OK, or a failure to give up
typedef lb_status lb_sample_done(void *user, int64_t index, lb_status status, const double *outputs,
                                 const char *message);

/// Does the job of the plan for many samples, side by side. Samples that fail there are computed again one by one, as
/// lb_evaluate_sample does, which finds the reason. Outputs are those of lb_evaluate_sample but for round-off and its
/// growth. Allocates.
///
/// @param count    of samples
/// @param indices  which samples
/// @param done     is given every sample
/// @param user     handed to `done`
/// @return LB_OK; LB_NEWS_INTERRUPTED; as lb_check_side_by_side; or what a function has failed with
LB_API lb_status lb_evaluate_samples(lb_sweep *sweep, const lb_side_by_side *sides, int64_t count,
                                     const int64_t *indices, const lb_report *report,
                                     lb_sample_done *done, void *user);

// ---- files of rows -------------------------------------------------------------------------------

/// A file of rows that is open for writing. Opaque.
typedef struct lb_sweep_rows lb_sweep_rows;

/// Opens a file of rows, or creates it; rows that it has are kept, and a last line that is not complete is removed.
/// Only one process at a time can have it open. Allocates.
///
/// @param path    its name ends in ".rows"
/// @param report  receives what is wrong; NULL to drop it
/// @param rows    out: to be closed by lb_close_sweep_rows; NULL on failure
/// @return LB_OK, LB_E_FILE (also if another process has it open), LB_E_MODEL if it is of another plan or model,
///         or LB_E_MEMORY
LB_API lb_status lb_open_sweep_rows(const lb_sweep *sweep, const char *path,
                                    const lb_report *report, lb_sweep_rows **rows);

/// Writes a row in one piece, so that a process that is killed leaves it whole or not at all, and waits for the disk
/// once a second.
///
/// @param status   of lb_evaluate_sample
/// @param outputs  not used after a failure
/// @param message  why it failed
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
LB_API lb_status lb_write_sweep_row(lb_sweep_rows *rows, int64_t index, lb_status status,
                                    const double *outputs, const char *message);

/// Waits for the disk and closes the file. NULL is fine.
///
/// @return LB_OK or LB_E_FILE
LB_API lb_status lb_close_sweep_rows(lb_sweep_rows *rows);

/// What is known of a sample.
typedef enum lb_sample_state { LB_SAMPLE_OPEN, LB_SAMPLE_DONE, LB_SAMPLE_FAILED } lb_sample_state;

/// Reads from all files of rows in a folder which samples are done. Rows that are damaged are left out: their samples
/// count as open.
///
/// @param folder  need not exist
/// @param report  receives what is wrong; NULL to drop it
/// @param states  out: one lb_sample_state per sample
/// @return LB_OK, LB_E_FILE, LB_E_MODEL for rows of another plan or model, or LB_E_MEMORY
LB_API lb_status lb_read_sample_states(const lb_sweep *sweep, const char *folder,
                                       const lb_report *report, unsigned char *states);

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

/// Reads all files of rows in a folder. Allocates 8 bytes per number.
///
/// @param folder  need not exist
/// @param report  receives what is wrong; NULL to drop it
/// @param table   out: to be freed by lb_destroy_sweep_table; NULL on failure
/// @return as lb_read_sample_states
LB_API lb_status lb_read_sweep_table(const lb_sweep *sweep, const char *folder,
                                     const lb_report *report, lb_sweep_table **table);

/// Frees a table. NULL is fine.
LB_API void lb_destroy_sweep_table(lb_sweep_table *table);

/// Saves a table as HDF5: `parameters` and `outputs` with one row per sample, their names, `state` and `failure`.
/// Allocates.
///
/// @return LB_OK, LB_E_FILE, LB_E_UNSUPPORTED or LB_E_MEMORY
LB_API lb_status lb_save_sweep_table(const lb_sweep *sweep, const lb_sweep_table *table,
                                     const char *path, const lb_report *report);

#endif // LB_SWEEP_H
