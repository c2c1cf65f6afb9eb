// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share.
#ifndef LB_FROZEN_SIMULATION_H
#define LB_FROZEN_SIMULATION_H

#include "control/laws/laws.h"
#include "export/freeze/freeze_all.h"
#include "export/freeze/parameters/tunable.h"
#include "export/freeze/write_control.h"
#include "model/layout.h"
#include "simulate/forces/forces.h"
#include "simulate/run/simulation.h"
#include "trace_simulation.h"

// ---- numbers that parameters change ------------------------------------------------------------

/// What looks for the numbers of a simulation at other values.
typedef struct lb_open_numbers {
    lb_simulation *sim; ///< that is frozen
    const lb_freeze_parameters *given;
    const lb_sample *sample;
    double t;
    bool controlled;                ///< with its controllers
    bool with_outputs, with_events; ///< functions of them are asked for
    lb_more_numbers more;           ///< for lb_find_tunable
} lb_open_numbers;

/// Lists the numbers of a simulation. lb_clear_open_numbers frees what it makes.
///
/// @return false without memory
bool lb_list_open_numbers(lb_open_numbers *open);

/// The first controller whose numbers parameters cannot change, by name: its law or its shaping is designed, or has
/// dynamics of its own. NULL if there is none.
const char *lb_find_closed_controller(const lb_simulation *sim);

void lb_clear_open_numbers(lb_open_numbers *open);

// ---- the simulation ----------------------------------------------------------------------------

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

// ---- controllers -------------------------------------------------------------------------------

/// Says which controller cannot be frozen, by name.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_check_controllers(const lb_simulation *sim, const lb_report *report);

/// Gives all controllers their places in memory, behind the actuators.
///
/// @return false without memory
bool lb_list_controllers(frozen_simulation *frozen);

/// A channel of "CONTROLLER.ACTUATOR", whose desired motion becomes an input.
///
/// @return LB_OK; LB_E_ARGUMENT if there is no such channel, or if its law follows no motion of it; LB_E_MEMORY
lb_status lb_add_reference(frozen_simulation *frozen, const char *name, size_t length);

/// The law of a controller that knows the dynamics; NULL for others.
const lb_torque_law *lb_get_planned_law(const lb_controller *controller);

/// Whether sensors of a rate need accelerations.
bool lb_needs_accelerations(const lb_simulation *sim, double rate);

/// Whether any sensor needs inertias of single bodies: see lb_needs_inertias.
bool lb_sensors_need_inertias(const lb_simulation *sim);

/// Frees what lb_list_controllers took.
void lb_clear_controllers(frozen_simulation *frozen);

// ---- what cannot be frozen ---------------------------------------------------------------------

/// Whether a signal, or something that it is made of, cannot be frozen.
bool lb_is_signal_refused(const lb_signal *signal);

/// Whether a signal follows from the inertia of single bodies.
bool lb_is_signal_of_system(const lb_signal *signal);

/// Says which force cannot be frozen, by name.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_check_forces_freeze(const struct lb_forces *forces, const lb_report *report);

/// The same of outputs.
lb_status lb_check_outputs(const lb_simulation *sim, const lb_report *report);

/// The same of events.
lb_status lb_check_events(const lb_simulation *sim, const lb_report *report);

/// Whether a force depends on the inertia of single bodies.
bool lb_do_forces_need_inertias(const struct lb_forces *forces);

/// Whether something depends on the inertia of single bodies: point masses that attract, and signals of the system.
bool lb_needs_inertias(const lb_simulation *sim);

#endif // LB_FROZEN_SIMULATION_H
