// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What is designed from linear models: the regulator `lqr`; input shaping, where the desired motion is
// split into delayed parts whose vibrations cancel.
#ifndef LB_DESIGN_H
#define LB_DESIGN_H

#include "control/control.h"

/// Makes the shaping of a controller; complains of what is wrong with it.
void lb_make_shaping(lb_simulation *sim, const lb_controller_options *options,
                     lb_controller *controller);

extern const lb_law lb_law_lqr;

/// All laws, by lb_law_type.
extern const lb_law *const lb_laws[LB_LAW_TYPE_COUNT];

#endif // LB_DESIGN_H
