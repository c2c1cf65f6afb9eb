// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls every dynamics function once, for tests that look at how they are called, not at numbers.
#ifndef LB_TEST_EVERYTHING_H
#define LB_TEST_EVERYTHING_H

#include "check.h"

/// Numbers that lb_evaluate_everything writes for this model.
size_t lb_count_everything(const lb_model *model);

/// Evaluates all there is at the trial's state with these workspaces and writes every answer to
/// `out`. Allocates nothing and asserts nothing, so that threads and allocation counts can use it.
/// @return LB_OK, or the first status that was not
lb_status lb_evaluate_everything(const lb_trial *trial, lb_work *work, lb_derivative_work *s,
                                 double *out);

#endif // LB_TEST_EVERYTHING_H
