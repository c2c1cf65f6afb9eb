// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The flow of y' = f(t, y): a state on its way, and the integrators that move it.
#ifndef LB_FLOW_H
#define LB_FLOW_H

#include "limber/simulate.h"
#include "system/newton.h"

typedef struct lb_flow lb_flow;

typedef struct lb_step_counts {
    double steps, rejections;
} lb_step_counts;

/// An integrator: moves `t` and `y` of a flow. One for SUNDIALS, one for fixed steps.
typedef struct lb_stepper {
    /// Sets it up at the present t and y.
    lb_status (*start)(lb_flow *flow);
    /// To t_end, or to an event before: LB_NEWS_EVENT with `found` of the flow set.
    lb_status (*advance)(lb_flow *flow, double t_end);
    /// After a jump of y or of the equations at the present time.
    lb_status (*restart)(lb_flow *flow);
    void (*count)(const lb_flow *flow, lb_step_counts *counts);
    void (*destroy)(lb_flow *flow);
} lb_stepper;

struct lb_flow {
    lb_system *system;
    lb_run_options options;
    double t;
    double *y;
    double quaternion_error; ///< the largest that steps have mended

    const lb_stepper *stepper;
    void *integrator;  ///< the stepper's own
    lb_newton *newton; ///< NULL where Newton's matrix is not needed, or differenced
    bool is_leaping;   ///< y is of a step over a singular position

    // events are roots of levels
    int event_count;
    int *directions;      ///< per event: +1 rising, -1 falling, 0 both
    int *found;           ///< per event: not 0 if it happened now, the sign the direction
    double *levels;       ///< per event: scratch
    unsigned char *spent; ///< per event: it happened and was to happen once

    /// Levels of all events at a state.
    lb_status (*compute_levels)(void *user, double t, const double *y, double *levels);
    /// What is due where break_time of the system was reached; it restarts the integrator.
    lb_status (*pass_break)(void *user);
    void *user;
};

extern const lb_stepper lb_adaptive_stepper, lb_fixed_stepper;

/// Names of integrators, as in a model file; NULL ends the list.
extern const char *const lb_integrator_names[];

#endif // LB_FLOW_H
