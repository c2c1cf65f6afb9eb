// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads a simulation from a document: one function per key, each in a file named after it.
#ifndef LB_LOAD_KEYS_H
#define LB_LOAD_KEYS_H

#include "simulate/simulation.h"

lb_status lb_load_initial(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_run(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_events(lb_simulation *sim, lb_reader *reader, const lb_place *root);
/// What an action `make` or `alter` says: see lb_loop_change.
lb_status lb_load_loop_change(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                              bool makes, lb_action *action);
lb_status lb_load_controllers(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_outputs(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_loop_motions(lb_simulation *sim, lb_reader *reader, const lb_place *root);

/// Warns of loops at ruthless bodies, whose energy is not conserved.
void lb_warn_of_loops(lb_simulation *sim, lb_reader *reader, const lb_place *root);

#endif // LB_LOAD_KEYS_H
