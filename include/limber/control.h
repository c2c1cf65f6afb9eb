// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers (library limber-sim): `controllers` of a model file close the loop around a simulation.
// Each samples sensors at its rate, compares with a desired motion, and commands actuators, which
// are force elements of type `actuator`. docs/guide/control.md describes them.
//
// A controller whose law is of type `callback` is your own function:
//
//     static int hold(void *user, const lb_control_sample *sample, double *commands)
//     {
//         commands[0] = 20.0 * (sample->desired[0] - sample->position[0]) - 3.0 * sample->speed[0];
//         return 0;
//     }
//
//     lb_set_control_callback(simulation, "hold", hold, NULL);
//
// Sampling allocates nothing, and a callback runs in the thread of the simulation.
#ifndef LB_CONTROL_H
#define LB_CONTROL_H

#include "limber/simulate.h"

/// What a law sees at one instant. Arrays are valid during the call only.
typedef struct lb_control_sample {
    double t;                       ///< s
    double period;                  ///< s to the next sample
    int sensor_count;               ///< as listed in the file
    const double *sensors;          ///< readings, after delay, noise and quantisation
    int channel_count;              ///< actuators, as listed in the file
    const double *position, *speed; ///< measured at the hinge of each actuator
    const double *desired;          ///< desired coordinate of each, and its derivatives
    const double *desired_speed, *desired_acceleration;
} lb_control_sample;

/// A law: fills one command an actuator.
///
/// @return 0, or anything else to end the run
typedef int (*lb_control_law)(void *user, const lb_control_sample *sample, double *commands);

LB_API int lb_get_controller_count(const lb_simulation *simulation);
LB_API const char *lb_get_controller_name(const lb_simulation *simulation, int controller);
/// Index of the controller of that name, or -1.
LB_API int lb_find_controller(const lb_simulation *simulation, const char *name);

/// Gives the controller of that name its law, which must be of type `callback`. Before
/// lb_start_simulation only.
///
/// @return LB_OK or LB_E_ARGUMENT; lb_get_simulation_message says which
LB_API lb_status lb_set_control_callback(lb_simulation *simulation, const char *name,
                                         lb_control_law law, void *user);

#endif // LB_CONTROL_H
