// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of forces, functions of time and signals that parameters may change.
#ifndef LB_OPEN_NUMBERS_H
#define LB_OPEN_NUMBERS_H

#include "export/freeze/parameters/tunable.h"
#include "simulate/run/simulation.h"

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

#endif // LB_OPEN_NUMBERS_H
