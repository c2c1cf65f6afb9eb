// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Origins along hinge axes. The frame of a body on a revolute hinge may sit anywhere on the axis; where it has no
// offset along the axis from its parent, fewer numbers are left.
#ifndef LB_SLIDE_H
#define LB_SLIDE_H

#include "limber/base.h"

typedef struct lb_body lb_body;

/// Moves the origins of rigid bodies on simple hinges along their axes, to the places nearest to their parents'
/// origins. Generalized forces and accelerations stay; nodes are not moved along, and are of no use afterwards.
void lb_slide_origins(lb_body *bodies, int count);

#endif // LB_SLIDE_H
