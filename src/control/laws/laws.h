// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What laws keep, and what they do at a sample. The files sample_*.c are C that C++ takes too: `limber freeze` records
// them for the file of a frozen simulation.
#ifndef LB_CONTROL_LAWS_H
#define LB_CONTROL_LAWS_H

#include "control/deformations.h"
#include "control/regulator.h"

// ---- PID -----------------------------------------------------------------------------------------

typedef struct lb_pid {
    bool full;                      ///< gains are matrices, row by row; else one per channel
    double *kp, *ki, *kd, *inertia; ///< one per channel, or as many rows of as many
    double *limit;                  ///< of the integral's share
    double *sum;
    double *error, *rate_error; ///< of all channels at the present sample
} lb_pid;

/// What channel i is given for channel j.
double lb_get_pid_gain(const lb_controller *controller, const double *gains, int i, int j);

/// Errors of all channels.
void lb_find_pid_errors(const lb_controller *controller);

/// The command of channel i, from errors and integrals.
double lb_find_pid_command(const lb_controller *controller, int i);

lb_status lb_update_pid(lb_simulation *sim, lb_controller *controller);

// ---- linear-quadratic regulator ------------------------------------------------------------------

typedef struct lb_lqr {
    double position, speed, vibration, effort; ///< weights
    double process_noise, sensor_noise;        ///< intensities
    bool about_initial; ///< equilibrium nearest to the initial configuration, not the neutral one
    int n;              ///< states
    double *K;          ///< channels x n
    double *F, *G, *H;  ///< x+ = F x + G u + H (y - y0)
    double *x;          ///< n of room for two a speed
    double *next, *wanted;       ///< n; n
    double *y0;                  ///< sensors
    double *q0;                  ///< channels: coordinates at the point
    int *of_position, *of_speed; ///< channels: states, or -1
} lb_lqr;

/// Commands at the estimated state.
void lb_compute_lqr_commands(const lb_simulation *sim, lb_controller *controller);

/// The estimate at the next sample, from these commands: `next`.
void lb_predict_lqr_state(const lb_simulation *sim, lb_controller *controller);

lb_status lb_update_lqr(lb_simulation *sim, lb_controller *controller);

// ---- attitude ------------------------------------------------------------------------------------

/// A desired attitude: quaternion to the axes in which attitude is measured; rate and its rate in desired axes.
typedef struct lb_aim {
    lb_quat q;
    lb_vec3 w, a;
} lb_aim;

typedef struct lb_attitude {
    int attitude[4], rate[3]; ///< sensors
    bool world_rate;          ///< the rate is measured in world axes, not in those of the body
    bool feeds;               ///< inertia is known
    lb_mat3 kp, kd, inertia;
    double *distribution; ///< a row of three for each channel
    int waypoint_count;
    lb_quat *waypoints;
    lb_vec3 *turns;   ///< from each waypoint to the next, in its axes
    lb_desired place; ///< which waypoint, as a number that grows by 1 from each to the next
    double shown[7];  ///< desired quaternion and rate of the last sample
} lb_attitude;

lb_aim lb_find_aim(const lb_attitude *law, double t);

lb_status lb_update_attitude(lb_simulation *sim, lb_controller *controller);

// ---- laws that know the dynamics -----------------------------------------------------------------

typedef struct lb_torque_law {
    lb_plan *plan;
    double *kp, *kd;
    lb_regulator *regulator; ///< NULL for none
    lb_deformations *goals;  ///< NULL for none
    lb_law_modes modes;
    // matching
    bool matches;
    bool whole; ///< the state is integrated, not measured
    int sweep_count;
    double *wanted; ///< per channel
    double *unit;   ///< v_count
} lb_torque_law;

/// Forces in the plan that give hinges the accelerations in `wanted`.                    (CTL-9)
lb_status lb_match_accelerations(lb_torque_law *law, const lb_controller *controller);

/// The status is that of the dynamics; nothing is said.
lb_status lb_update_computed_torque(lb_simulation *sim, lb_controller *controller);
lb_status lb_update_matching(lb_simulation *sim, lb_controller *controller);

#endif // LB_CONTROL_LAWS_H
