// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Tolerances of adaptive integration: the error that a step may make in each entry of y.
#ifndef LB_WEIGHTS_H
#define LB_WEIGHTS_H

#include "flow.h"

/// Units in which the entries of a group are measured.
typedef enum lb_measure {
    LB_MEASURE_MODE,  ///< displacement of the modes, m
    LB_MEASURE_TURN,  ///< rad
    LB_MEASURE_SHIFT, ///< m
    LB_MEASURE_COUNT
} lb_measure;

/// Entries of y that are judged together: the modes, the turn or the shift of a body, or their speeds.
typedef struct lb_weight_group {
    int first, count; ///< entries of y
    int rate;         ///< shifts: entry of q whose rate is the speed in the axes of the parent
    lb_measure measure;
    bool is_speed, is_quaternion;
    bool is_inner; ///< it is no shift of the whole model
    double size;   ///< the largest so far
} lb_weight_group;

/// Tolerances of a flow.
typedef struct lb_weights {
    lb_weight_group *groups;
    int group_count;
    double length;             ///< size of the largest body, m
    double *displacement;      ///< per entry of q and v: m per unit of a mode; 1 for others
    double start_time;         ///< of what follows
    double *start;             ///< q at the start
    double *start_rate, *rate; ///< rates of q at the start and now
    double least[2];           ///< motions that are nothing: m, m/s
    double inner[2];           ///< largest inner motion so far: m, m/s
    double mass;               ///< of the whole model, kg
    double force;              ///< that the largest acceleration at a start asks for, N
    double *work;              ///< per entry of work: the largest so far, J
    double relief;             ///< work that is nothing is so many times that of (TOL-3)
    bool is_loose;             ///< and more than the work that is done
    double *tolerance;         ///< per entry of y: error that a step may make
    double share, work_share;  ///< sqrt of the entries of q and v, and of work, over all
} lb_weights;

/// Size of the largest body of a model, m; 1 if none has any.
double lb_measure_model(const lb_model *model);

/// Sets the tolerances up at the present t and y of a flow. Memory comes from the arena of its system.
lb_status lb_init_weights(lb_weights *weights, const lb_flow *flow);

/// Forgets the motion and the work so far: the tolerances of a start at the present t and y.
void lb_reset_weights(lb_weights *weights, const lb_flow *flow);

/// Takes the size of the forces from the rates of y, where the integrator starts.
void lb_start_weights(lb_weights *weights, const lb_flow *flow, const double *rates);

/// Makes the work that is nothing a million times larger; false if that has become infinite in practice.
bool lb_relieve_work(lb_weights *weights);

/// Tolerances at a state that an accepted step has reached.
void lb_update_weights(lb_weights *weights, const lb_flow *flow, double t, const double *y);

/// Factors by which SUNDIALS multiplies errors.
void lb_fill_weights(const lb_weights *weights, const lb_flow *flow, double *out);

/// An error of y in tolerances: 1 is as much as a step may make.
double lb_measure_error(const lb_weights *weights, const lb_system *system, const double *error);

#endif // LB_WEIGHTS_H
