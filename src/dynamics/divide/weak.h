// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies whose own inertia is not enough to take their modes or their hinge out.
#ifndef LB_WEAK_H
#define LB_WEAK_H

#include "model/layout.h"

enum {
    LB_STRONG,
    LB_WEAK,    ///< its inertia is next to nothing against that of a child: digits would be lost
    LB_WEAKEST, ///< a pivot of its own inertia is zero
};

/// Finds bodies that a run should not end with, LB_WEAK, or must not, LB_WEAKEST: what their modes
/// and their hinge meet of themselves alone, against what they meet together with a child. Judged in
/// the neutral configuration.
///
/// @param weak  out: by sweep index
/// @return LB_OK or LB_E_MEMORY
lb_status lb_find_weak_bodies(const lb_model *model, unsigned char *weak);

#endif // LB_WEAK_H
