// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The controllers of a simulation, by index and by name.
#ifndef LB_CONTROLLERS_H
#define LB_CONTROLLERS_H

#include "limber/control.h"

/// Number of controllers.
int lb_get_controller_count(const lb_simulation *simulation);

/// Name of a controller by its index.
const char *lb_get_controller_name(const lb_simulation *simulation, int controller);

/// Index of the controller of that name, or LB_NOT_FOUND.
int lb_find_controller(const lb_simulation *simulation, const char *name);

#endif // LB_CONTROLLERS_H
