// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What is designed from linear models: the regulator `lqr`; input shaping, where the desired motion is
// split into delayed parts whose vibrations cancel.
#ifndef LB_DESIGN_H
#define LB_DESIGN_H

#include "control/control.h"

/// `shaping` of a controller: {type: zv, modes: 2}.
void lb_load_shaping(lb_control_loader *loader, const lb_place *place, lb_shaping *shaping);

extern const lb_law lb_law_lqr;

#endif // LB_DESIGN_H
