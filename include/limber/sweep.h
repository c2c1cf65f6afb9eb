// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many variations of one model (library limber-sim): a plan says which parameters vary and how, what is computed
// for each sample, and which numbers are kept.
//
//     lb_sweep *sweep;
//     lb_load_sweep("slew.yaml", NULL, &report, &sweep);
//     const lb_sweep_info *plan = lb_get_sweep_info(sweep);
//     double *values = malloc((size_t)plan->variation_count * sizeof *values);
//     double *outputs = malloc((size_t)plan->output_count * sizeof *outputs);
//     for (int64_t i = 0; i < plan->sample_count; ++i) {
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
// docs/guide/sweeps.md describes plans.
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

/// What a plan says. Sized: the library makes it.
typedef struct lb_sweep_info {
    size_t size;
    int64_t sample_count;
    uint64_t seed;
    int variation_count;           ///< parameters that vary
    const char *const *variations; ///< their names, as lb_set_parameter takes them
    int output_count;              ///< of each sample
    const char *const *outputs;    ///< their names
    const char *model;             ///< path of the model file
    /// SHA-256 of plan and model, 64 hexadecimal digits: comments and layout do not count.
    const char *hash;
    double duration;   ///< of the runs, s; 0 if the model says it, and for modes and linearize
    bool is_trimmed;   ///< the job starts from equilibrium, or is about it
    bool is_assembled; ///< the job closes the loops of the initial state first
    /// Samples are arranged for Sobol indices: each base sample is followed by its partner and by one sample per
    /// parameter.
    bool is_for_sensitivity;
} lb_sweep_info;

/// What the plan of a sweep says. Lives as long as the sweep.
LB_API const lb_sweep_info *lb_get_sweep_info(const lb_sweep *sweep);

/// Computes the values of a sample. O(parameters); allocates nothing.
///
/// @param index   from 0 to sample_count - 1
/// @param values  out: one per parameter
/// @return LB_OK, or LB_E_ARGUMENT for another index
LB_API lb_status lb_compute_sample(const lb_sweep *sweep, int64_t index, double *values);

/// Does the job of the plan with given values. The model is built again from the document in memory. Allocates.
///
/// @param values   one per parameter
/// @param outputs  out: one per output; NaN after a failure
/// @return LB_OK; LB_NEWS_INTERRUPTED if the command asked for it; LB_E_NUMBER for a value that is not
///         finite; or what the model or the job failed with. lb_get_sweep_message says why
LB_API lb_status lb_evaluate_sample(lb_sweep *sweep, const double *values, double *outputs);

/// Why the last lb_evaluate_sample failed; "" if it did not. Valid until the next one.
LB_API const char *lb_get_sweep_message(const lb_sweep *sweep);

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
/// @return LB_OK; LB_NEWS_INTERRUPTED; LB_E_UNSUPPORTED for samples that cannot go side by side; or what a function has failed with
LB_API lb_status lb_evaluate_samples(lb_sweep *sweep, const lb_side_by_side *sides, int64_t count,
                                     const int64_t *indices, const lb_report *report,
                                     lb_sample_done *done, void *user);

#endif // LB_SWEEP_H
