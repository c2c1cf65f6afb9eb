// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The satellite of examples/satellite.yaml with free hinges between its bus and its arrays. What the hinges of the satellite
// carry are forces and moments at the speeds of these.
#ifndef LB_TEST_LOOSE_SATELLITE_H
#define LB_TEST_LOOSE_SATELLITE_H

#include "course.h"

// Speeds: six of the bus, three wheels, two of the propellant, then of each array its modes and those of its hinge.
enum { WHEEL = 6, SLOSH = 9, LEFT = 11, MODES = 3, ARRAY = MODES + 6, SPEEDS = LEFT + 2 * ARRAY };

typedef struct lb_loose_satellite {
    lb_document *document;
    lb_model *model;
    lb_work *work;
} lb_loose_satellite;

/// Builds it, and ends the test if that fails.
lb_loose_satellite lb_begin_loose_satellite(void);
void lb_end_loose_satellite(lb_loose_satellite *satellite);

#endif // LB_TEST_LOOSE_SATELLITE_H
