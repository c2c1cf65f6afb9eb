// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How a model, or a simulation, becomes files.
#ifndef LB_FREEZE_ALL_H
#define LB_FREEZE_ALL_H

#include "function.h"
#include "page.h"

/// What a simulation adds to its model.
typedef struct lb_freeze_extras {
    void *user;
    lb_frozen_lists *lists;                  ///< taken over by lb_freeze_all where it succeeds
    const struct lb_frozen_control *control; ///< NULL for none
    bool shares;                             ///< as lb_make_plain
    /// Numbers that parameters may change; NULL without memory. `sample` is the state of comparisons.
    const struct lb_more_numbers *(*list_more)(void *user, const lb_sample *sample);
    const struct lb_given_motion
        *given; ///< of hinges and loops at the time of the sample; NULL for none
    double *values[LB_ARRAY_COUNT]; ///< at the sample state: of the arrays from LB_ARRAY_TIME on
    /// Whether a word names a function of the simulation: its part, name and arrays are set then.
    bool (*choose)(void *user, const char *word, size_t length, lb_frozen_function *function,
                   lb_status *status);
    /// As lb_record_function.
    lb_status (*record)(void *user, const lb_sample *sample, lb_frozen_function *function,
                        const lb_report *report);
} lb_freeze_extras;

/// Writes both files.
///
/// @return false if there is no memory
bool lb_write_files(const lb_model *model, const lb_freeze_options *options,
                    const lb_sample *sample, int count, const lb_frozen_function *functions,
                    lb_page *source, lb_page *header);

/// The same as one file of CUDA: a thread per state.
///
/// @return false if there is no memory
bool lb_write_cuda_file(const lb_model *model, const lb_freeze_options *options,
                        const lb_sample *sample, int count, const lb_frozen_function *functions,
                        lb_page *source);

/// Reports a sentence. Returns the status.
lb_status lb_refuse_to_freeze(const lb_report *report, lb_status status, const char *format, ...)
    LB_PRINTF(3, 4);

/// Options of a caller, checked.
///
/// @return LB_OK, LB_E_VERSION or LB_E_ARGUMENT
lb_status lb_take_freeze_options(const lb_freeze_options *options, const lb_report *report,
                                 lb_freeze_options *own);

/// @param extras  NULL for a model
lb_status lb_freeze_all(const lb_model *model, const lb_freeze_options *own,
                        const lb_freeze_extras *extras, const lb_report *report,
                        lb_frozen **frozen);

/// The operations of a function of a frozen file, by its name behind the prefix.
///
/// @return NULL if the file does not have it
const lb_graph *lb_find_frozen_graph(const lb_frozen *frozen, const char *name);

/// What a frozen simulation has beside its functions.
const lb_frozen_lists *lb_get_frozen_lists(const lb_frozen *frozen);

/// Frees the names of lists.
void lb_clear_lists(lb_frozen_lists *lists);

#endif // LB_FREEZE_ALL_H
