// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of a model that is frozen: a sample state that closes them, and how they are eliminated.
#ifndef LB_FROZEN_LOOPS_H
#define LB_FROZEN_LOOPS_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"
#include "model/layout.h"

/// Whether a model has loops that hold from the start.
bool lb_has_closed_loops(const lb_model *model);

/// Why the loops of a model cannot be frozen: a reason, or NULL.
///
/// @param loop  out: the first of those
const char *lb_find_refused_loop(const lb_model *model, int *loop);

/// Hinges and loops with given motion at one time. They keep it in a sample state.
typedef struct lb_given_motion {
    const unsigned char *bodies; ///< by body: its hinge has given motion
    const unsigned char *speeds; ///< by speed: the same
    const double *v;             ///< all speeds at that time
    const struct lb_work *work;  ///< where loops have their motion
} lb_given_motion;

/// Moves a sample state onto the loops, at a place where their rank is what it is nearly everywhere. Notes the
/// sizes of thresholds there. lb_clear_closed_sample frees what it makes, also after a failure.
///
/// @param start   q near which to look; loops that are `as_assembled` close where they are there. NULL for the
///                neutral configuration
/// @param given   motion at the time of the sample; NULL for none
/// @return LB_OK; LB_E_OPEN if the loops cannot be closed; LB_E_SINGULAR where they are singular everywhere; or a
///         failure of the engine
lb_status lb_close_sample(const lb_model *model, const double *start, const lb_given_motion *given,
                          lb_sample *sample);

/// An order of elimination for recording: that of the model, without hubs.
///
/// @param memory  out: to be freed
/// @return NULL without memory
lb_loop_pattern *lb_make_plain_pattern(const lb_model *model, void **memory);

/// Makes the loops of a workspace of the plain model close where those of the model do.
///
/// @param own  of the model
void lb_start_plain_loops(const lb_model *model, const lb_work *own, lb_work *work);

/// Whether what was recorded has found as many independent rows as the engine.
bool lb_has_same_rank(const lb_sample *sample, const lb_work *work);

/// Frees what lb_close_sample has made.
void lb_clear_closed_sample(lb_sample *sample);

/// What the engine computes at the sample state for the three functions of loops.
lb_status lb_run_closed_engine(const lb_model *model, const lb_sample *sample,
                               const lb_frozen_function *f);

/// The functions that NAME_close calls, and the function itself.
///
/// @param timed  it is of a simulation: the time is given, on which hinges and loops may depend
void lb_write_close_prototype(lb_page *page, const lb_freeze_options *options, const char *capitals,
                              bool timed);
void lb_write_close(lb_page *page, const lb_freeze_options *options, const char *capitals,
                    bool timed);

/// NAME_step of a model with loops: NAME_step_apart, then NAME_close.
///
/// @param method  behind `step` in these names
/// @param timed   it is of a simulation: with time and inputs
void lb_write_closed_step(lb_page *page, const lb_freeze_options *options, const char *capitals,
                          const char *method, bool timed);

#endif // LB_FROZEN_LOOPS_H
