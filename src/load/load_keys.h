// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads a simulation from a document: one function per key, each in a file named after it. They check the
// form and call the functions that a program would call; what these report goes to the reader.
#ifndef LB_LOAD_KEYS_H
#define LB_LOAD_KEYS_H

#include "document/places.h"
#include "limber/control.h"
#include "load_parts.h"
#include "simulate/run/simulation.h"

lb_status lb_load_initial(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_run(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_events(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_controllers(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_outputs(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_loop_motions(lb_simulation *sim, lb_reader *reader, const lb_place *root);

/// What an action `make` or `alter` says. What is wrong with its form is reported.
///
/// @param action  out: its strings and arrays are those of the document and of the loader
lb_status lb_load_loop_change(lb_part_loader *loader, const lb_place *place, bool makes,
                              lb_action_options *action);

/// Warns of loops at ruthless bodies, whose energy is not conserved.
void lb_warn_of_loops(lb_simulation *sim, lb_reader *reader, const lb_place *root);

/// Warns of chained bodies with clamped modes, and of spin or axial load on bodies without second order.
void lb_warn_of_modes(lb_simulation *sim, lb_reader *reader, const lb_place *root);

/// Passes on what was reported, with a part of its path left out that the file leaves out, too.
///
/// @param prefix  what is before the part
void lb_pass_on(const lb_report *report, const lb_diagnostic *diagnostic, const char *prefix,
                const char *part);

// ---- controllers -------------------------------------------------------------------------------

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

#endif // LB_LOAD_KEYS_H
