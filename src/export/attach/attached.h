// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a model computes by compiled code.
#ifndef LB_ATTACHED_H
#define LB_ATTACHED_H

#include "limber/freeze.h"

/// Whether a frozen model is attached.
///
/// @param lane_count  out: states of a batch that go side by side, or 0; may be NULL
bool lb_has_frozen(const lb_model *model, int *lane_count);

#endif // LB_ATTACHED_H
