// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads a simulation from a document: one function per key, each in a file named after it. They check the
// form and call the functions that a program would call; what these report goes to the reader.
#ifndef LB_LOAD_KEYS_H
#define LB_LOAD_KEYS_H

#include "document/places.h"
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

#endif // LB_LOAD_KEYS_H
