// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Desired deformations of nodes, which a law that knows the dynamics follows beside its hinges.
#ifndef LB_CONTROL_DEFORMATIONS_H
#define LB_CONTROL_DEFORMATIONS_H

#include "plan.h"

typedef struct lb_deformations lb_deformations;

/// Makes the desired deformations of a law; complains of what is wrong with them.
///
/// @param deformations  out: NULL if it has none
/// @return LB_OK (also after faults), LB_E_VERSION or LB_E_MEMORY
lb_status lb_make_deformations(lb_simulation *sim, const lb_law_options *options,
                               const lb_controller *controller, const lb_plan *plan,
                               lb_deformations **deformations);

/// Changes the accelerations that the law asks of its channels so that deformations are followed as well, at
/// the state of the plan, whose forces are known.                                        (CTL-15)
///
/// @param deformations  NULL: nothing changes
/// @param wanted        in and out: per channel
lb_status lb_follow_deformations(const lb_deformations *deformations, lb_plan *plan,
                                 const lb_controller *controller, double *wanted);

#endif // LB_CONTROL_DEFORMATIONS_H
