// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of frozen simulations.
#ifndef LB_FROZEN_SIMULATION_H
#define LB_FROZEN_SIMULATION_H

#include "export/freeze/freeze_all.h"
#include "export/freeze/write_control.h"
#include "model/layout.h"
#include "open_numbers.h"
#include "simulate/forces/forces.h"
#include "simulate/run/simulation.h"
#include "trace_simulation.h"

/// A simulation while it is frozen.
typedef struct frozen_simulation {
    lb_simulation *sim;
    const lb_model *model;
    const lb_report *report;
    lb_frozen_lists lists;
    int *inputs;    ///< by force: where its entries of u begin; -1 if it has none
    int *actuators; ///< by force: where its memory begins; -1 if it has none
    // with controllers
    lb_controller_place *places; ///< of each; NULL if they are not frozen
    lb_frozen_control control;   ///< groups of sensors, then controllers
    int group_count;
    lb_open_numbers open;                               ///< numbers that parameters may change
    bool shares;                                        ///< as lb_make_plain
    bool output_accelerations, indicator_accelerations; ///< these need accelerations
    double *values;
} frozen_simulation;

/// Puts "name" or "name.part" behind the others of a list.
///
/// @param part  may be NULL
/// @return false without memory
bool lb_add_frozen_name(lb_frozen_lists *lists, int list, const char *name, const char *part);

/// Lists the forces and desired motions whose functions of time become inputs, in the order of the option.
///
/// @return LB_OK, LB_E_MEMORY, or LB_E_ARGUMENT or LB_E_UNSUPPORTED with a message
lb_status lb_list_inputs(frozen_simulation *frozen, const lb_freeze_options *options,
                         const lb_report *report);

/// Sets the entries of u that motions have to their values at a time.
void lb_give_motions(const frozen_simulation *frozen, double t, double *u);

/// Finds the values that the model itself has for all inputs at the start; 0 for actuators.
///
/// @return LB_OK or a failure
lb_status lb_find_starts(frozen_simulation *frozen);

/// Fills graph and result of a function of a simulation.
///
/// @param user  a frozen_simulation
/// @return LB_OK or a failure
lb_status lb_record_part(void *user, const lb_sample *sample, lb_frozen_function *function,
                         const lb_report *report);

#endif // LB_FROZEN_SIMULATION_H
