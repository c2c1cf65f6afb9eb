// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two simulations that shall do the same: one out of a file, one built by calls.
#ifndef LB_TEST_TWINS_H
#define LB_TEST_TWINS_H

#include "limber/events.h"

/// An empty simulation; what is wrong with what is added to it is printed.
lb_simulation *lb_create_twin(const lb_model *model);

/// A force, of which only the name is set.
lb_force_options lb_name_force(const char *name, lb_force_type type, const char *hinge);

/// Adds a force to a simulation, and ends the test if it is refused.
void lb_add_twin_force(lb_simulation *simulation, const lb_force_options *options);

/// Adds a motor whose torque is an expression.
void lb_add_twin_motor(lb_simulation *simulation, const char *name, const char *hinge,
                       const char *value);

/// Adds outputs; NULL ends them.
void lb_add_twin_outputs(lb_simulation *simulation, const char *const *outputs);

/// Runs both with files of results and compares every number of every row, and every event.
///
/// @param rows  at least so many
void lb_expect_same_rows(lb_simulation *loaded, lb_simulation *built, long rows);

#endif // LB_TEST_TWINS_H
