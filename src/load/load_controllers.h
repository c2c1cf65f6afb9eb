// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the loaders of controllers share.
#ifndef LB_LOAD_CONTROLLERS_H
#define LB_LOAD_CONTROLLERS_H

#include "document/places.h"
#include "limber/control.h"
#include "load_parts.h"

/// Reads `law` of a controller, for so many channels. What is wrong with its form is reported.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_read_law(lb_part_loader *loader, const lb_place *law, int channel_count,
                      lb_law_options *options);

/// Reads the desired motion of a channel or of a deformation: a function, or waypoints.
///
/// @return LB_OK (also after errors of form, which are reported) or LB_E_MEMORY
lb_status lb_read_desired(lb_part_loader *loader, const lb_place *place,
                          lb_channel_options *channel);

/// Reads `profile` of a mapping that has it and `waypoints`; complains of other keys.
void lb_read_profile(lb_reader *reader, const lb_place *place, lb_profile *profile);

#endif // LB_LOAD_CONTROLLERS_H
