// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a computed-torque law asks of its hinges so that modes come to rest as well.
#ifndef LB_CONTROL_REGULATOR_H
#define LB_CONTROL_REGULATOR_H

#include "plan.h"

typedef struct lb_regulator {
    double position, speed, vibration, effort; ///< weights
    int hinge_count, mode_count;               ///< m channels, n modes
    int *modes;                                ///< entries of v that are modal
    int *mode_q;                               ///< their entries of q
    double *gains;                             ///< m x 2 (m + n)
    double *softness;                          ///< n x n: inverse of the modal stiffness
    double *deflection, *scratch;              ///< n; v_count
} lb_regulator;

/// Makes the regulator of a law; complains of what is wrong with it.
///
/// @return LB_OK (also after faults), LB_E_VERSION or LB_E_MEMORY
lb_status lb_make_regulator(lb_simulation *sim, const lb_regulator_options *options,
                            const lb_controller *controller, const lb_plan *plan,
                            lb_regulator **regulator);

/// Gains at the configuration of the plan. Allocates.
lb_status lb_design_regulator(lb_regulator *regulator, lb_simulation *sim, lb_plan *plan,
                              const lb_controller *controller);

/// Accelerations of the channels, from the state of the plan and the desired motion.
lb_status lb_regulate(const lb_regulator *regulator, lb_plan *plan, const lb_controller *controller,
                      double *wanted);

#endif // LB_CONTROL_REGULATOR_H
