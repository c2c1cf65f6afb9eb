// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A set of force elements, as the library itself uses it.
#ifndef LB_FORCE_SET_H
#define LB_FORCE_SET_H

#include "limber/forces.h"

/// An empty set.
///
/// @param model      must outlive the forces
/// @param allocator  NULL for malloc and free; copied
/// @param report     receives what is wrong with elements and signals that are added; NULL to drop it;
///                   copied
/// @param forces     out: to be freed by lb_destroy_forces; NULL if memory is out
/// @return LB_OK or LB_E_MEMORY
lb_status lb_create_forces(const lb_model *model, const lb_allocator *allocator,
                           const lb_report *report, lb_forces **forces);

/// Whether any hinge is driven by motion that is enabled.
bool lb_has_motion(const lb_forces *forces);

/// Overwrites the entries of q and v that the motion of driven hinges prescribes at t: both where the
/// position is given, the speed where the speed is, neither where the acceleration is.
///
/// @return LB_OK, or LB_E_NUMBER if t or a motion is not finite
lb_status lb_set_driven_state(const lb_forces *forces, const lb_model *model, double t, double *q,
                              double *v);

/// The first time after t at which a function of time of any enabled element has a kink or jump;
/// infinity if there is none. Expressions have none that are known.
double lb_get_next_break(const lb_forces *forces, double t);

#endif // LB_FORCE_SET_H
