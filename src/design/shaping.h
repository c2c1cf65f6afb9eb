// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Input shaping: the desired motion is split into delayed parts whose vibrations cancel.
#ifndef LB_CONTROL_SHAPING_H
#define LB_CONTROL_SHAPING_H

#include "control/control.h"

/// `shaping` of a controller: {type: zv, modes: 2}.
void lb_load_shaping(lb_control_loader *loader, const lb_place *place, lb_shaping *shaping);

/// Finds the frequencies of the system where the desired motion ends, the controlled hinges locked,
/// and sets the impulses of all channels. Allocates.
lb_status lb_start_shaping(lb_simulation *sim, lb_controller *controller);

#endif // LB_CONTROL_SHAPING_H
