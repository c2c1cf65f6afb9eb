// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plan holds.
#ifndef LB_SWEEP_PLAN_H
#define LB_SWEEP_PLAN_H

#include "base/arena.h"
#include "document/places.h"
#include "limber/simulate.h"
#include "limber/sweep.h"

enum { LB_SWEEP_MESSAGE = 512 };

/// How samples are chosen.
typedef enum lb_sampling {
    LB_SAMPLING_RANDOM,
    LB_SAMPLING_LATIN,
    LB_SAMPLING_SOBOL,
    LB_SAMPLING_GRID, ///< all combinations of values, the last parameter changing fastest
    LB_SAMPLING_LIST  ///< the first values together, then the second ones
} lb_sampling;

typedef enum lb_distribution {
    LB_UNIFORM,    ///< low, high
    LB_NORMAL,     ///< mean, deviation
    LB_TRIANGULAR, ///< low, mode, high
    LB_LOG_NORMAL, ///< logarithm of the median, deviation of the logarithm
    LB_VALUES
} lb_distribution;

/// A parameter that varies.
typedef struct lb_variation {
    const char *name;
    lb_distribution distribution;
    double numbers[3];
    int value_count;
    double *values;
    uint64_t stream;
} lb_variation;

/// What is done for each sample.
typedef enum lb_job { LB_JOB_RUN, LB_JOB_LOADS, LB_JOB_MODES, LB_JOB_LINEARIZE } lb_job;

typedef enum lb_sweep_kind {
    LB_KEEP_SIGNAL,
    LB_KEEP_AUDIT,
    LB_KEEP_FREQUENCY,
    LB_KEEP_DAMPING,
    LB_KEEP_MARGIN,
    LB_KEEP_GROWTH ///< the largest real part of an eigenvalue
} lb_sweep_kind;

/// What is kept of a signal over a run.
typedef enum lb_signal_value {
    LB_VALUE_END,
    LB_VALUE_MAX,
    LB_VALUE_MIN,
    LB_VALUE_LARGEST, ///< the largest magnitude
    LB_VALUE_MEAN,
    LB_VALUE_RMS,
    LB_VALUE_TIME_OF_MAX,
    LB_VALUE_TIME_OF_MIN
} lb_signal_value;

typedef enum lb_margin_kind {
    LB_MARGIN_GAIN_UP,
    LB_MARGIN_GAIN_DOWN,
    LB_MARGIN_PHASE,
    LB_MARGIN_DELAY
} lb_margin_kind;

typedef struct lb_sweep_output {
    const char *name;
    lb_sweep_kind kind;
    const char *text; ///< a signal; a feedback
    int number;       ///< of a mode, an audit entry; lb_signal_value, lb_margin_kind
} lb_sweep_output;

struct lb_sweep {
    lb_arena *arena;
    lb_document *plan, *document;
    const char *model_path;
    char hash[65];
    // samples
    lb_sampling sampling;
    bool sensitivity;
    int64_t count; ///< of base samples
    uint64_t seed;
    int variation_count;
    lb_variation *variations;
    double *correlation; ///< the lower triangle of its Cholesky factor, row by row; NULL for none
    // the job
    lb_job job;
    bool trim, assemble;
    double duration; ///< 0: that of the model
    double period;   ///< as in lb_linear_options
    int output_count;
    lb_sweep_output *outputs;
    // values that hold for all samples, then those of the sample
    lb_parameter_value *settings;
    int fixed_count;
    char message[LB_SWEEP_MESSAGE];
    bool (*stop)(void *user);
    void *user;
    lb_sweep_info info;
};

/// The first error of a report becomes the message of a sweep.
void lb_keep_sweep_message(void *user, const lb_diagnostic *diagnostic);

/// What a simulation said of a failure becomes the message, unless there is one. Returns the status.
lb_status lb_keep_sweep_reason(lb_sweep *sweep, const lb_simulation *simulation, lb_status status);

/// Takes the values of a sample into the settings.
///
/// @return LB_OK or LB_E_NUMBER
lb_status lb_set_sample_values(lb_sweep *sweep, const double *values);

/// Adds the signals of the plan to the outputs of a simulation.
///
/// @param output  out: the one that a failure is about; -1 for none
lb_status lb_add_sweep_signals(lb_sweep *sweep, lb_simulation *simulation, int *output);

/// Duration, assembly and trim, as the plan has them.
lb_status lb_prepare_sample(lb_sweep *sweep, lb_simulation *simulation);

/// Samples, with those that sensitivity needs.
int64_t lb_count_samples(const lb_sweep *sweep);

/// Does the job once with the values of the file, to find what is wrong with the outputs.
///
/// @param output  out: the output that a failure is about; -1 for none
lb_status lb_check_job(lb_sweep *sweep, int *output);

/// Loads the model with the first samples until one of them succeeds. If none does, the plan is wrong, not a sample.
lb_status lb_check_samples(lb_sweep *sweep);

/// Reads the keys of a plan, in sweep_plan.c.
///
/// @return LB_OK, LB_E_MODEL (reported) or LB_E_MEMORY
lb_status lb_read_plan(lb_sweep *sweep, lb_reader *reader);

#endif // LB_SWEEP_PLAN_H
