// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of frozen simulations.
#ifndef LB_FROZEN_SIMULATION_H
#define LB_FROZEN_SIMULATION_H

#include "forces/forces.h"
#include "freeze/freeze_all.h"
#include "model/layout.h"
#include "simulate/simulation.h"
#include "trace_simulation.h"

/// A simulation while it is frozen.
typedef struct frozen_simulation {
    lb_simulation *sim;
    const lb_model *model;
    const lb_report *report;
    lb_frozen_lists lists;
    int *inputs; ///< by force: where its entries of u begin; -1 if it has none
    bool output_accelerations, indicator_accelerations; ///< these need accelerations
    double *values;
} frozen_simulation;

/// Fills graph and result of a function of a simulation.
///
/// @param user  a frozen_simulation
/// @return LB_OK or a failure
lb_status lb_record_part(void *user, const lb_sample *sample, lb_frozen_function *function,
                         const lb_report *report);

#endif // LB_FROZEN_SIMULATION_H
