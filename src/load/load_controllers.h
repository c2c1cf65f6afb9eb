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

/// What waypoints look like.
typedef struct lb_waypoint_form {
    int width, least;         ///< numbers of each; how many there are at least
    const char *list, *point; ///< for messages
} lb_waypoint_form;

/// Reads {waypoints: [[t, ...], ...], profile: WORD}. Nothing is set where something is wrong.
///
/// @return LB_OK (also after errors of form, which are reported) or LB_E_MEMORY
lb_status lb_read_waypoints(lb_part_loader *loader, const lb_place *place,
                            const lb_waypoint_form *form, lb_profile *profile, int *count,
                            const double **times, const double **values);

#endif // LB_LOAD_CONTROLLERS_H
