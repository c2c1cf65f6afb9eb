// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What integrators work on: the state of y' = f(t, y), its options and its events.
#ifndef LB_FLOW_H
#define LB_FLOW_H

#include <math.h>

#include "limber/simulate.h"
#include "simulate/system/newton.h"

/// A level that is zero but belongs to a side. SUNDIALS multiplies levels, and their product must not vanish.
#define LB_LEAST_LEVEL 1e-60

typedef struct lb_flow lb_flow;

typedef struct lb_step_counts {
    double steps, rejections;
} lb_step_counts;

/// An integrator: moves `t` and `y` of a flow. One for SUNDIALS, one for fixed steps.
typedef struct lb_stepper {
    /// Sets it up at the present t and y; once it is, sets all back that it has learned, without taking memory.
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
    double quaternion_error; ///< largest correction of a quaternion so far

    const lb_stepper *stepper;
    void *integrator;        ///< the stepper's own
    lb_newton *newton;       ///< NULL where Newton's matrix is not needed, or differenced
    const double *tolerance; ///< adaptive: per entry of q and v, the error that a step may make
    bool is_work_loose;      ///< work is less exact than the tolerance asks
    bool is_leaping;         ///< y comes from a step over a singular position

    // an event happens where its level crosses zero
    int event_count;
    int *directions; ///< per event: +1 rising, -1 falling, 0 both
    int *found;      ///< per event: nonzero if it happened now; the sign is the direction
    double *levels;  ///< per event: scratch
    double *
        noise; ///< per event: round-off of its level: a signal that rests at its value stays within that
    signed char *sides;   ///< per event: sign of the last level that was clear of round-off
    unsigned char *spent; ///< per event: it was to happen once and has happened
    double
        *times; ///< per event: when it happens, where that is known; infinity if not, or if it has

    /// Levels of all events at a state.
    lb_status (*compute_levels)(void *user, double t, const double *y, double *levels);
    /// Called when break_time of the system is reached; restarts the integrator. LB_NEWS_EVENT if events happen
    /// there, which are in `found`.
    lb_status (*pass_break)(void *user);
    /// The next time after t at which an adaptive step ends, so that no narrow feature of a function of time is missed.
    double (*find_waypoint)(void *user, double t);
    double waypoint; ///< found last
    double limit;    ///< a step ends there at the latest; infinity as a rule
    /// A break at the end of an advance is passed at once, since a row shows what acts from then on. Otherwise the
    /// next advance passes it.
    bool is_eager;
    bool
        is_interrupted; ///< the last advance ended at an event: one to the same time only completes it
    void *user;
};

/// Times that differ by no more than this are one: sums of periods have round-off.
static inline double lb_get_time_slack(double t)
{
    return 1e-12 * fabs(t);
}

/// Whether a break at the end of an advance is left to the next.
static inline bool lb_leaves_break(const lb_flow *flow, double t_end)
{
    return !flow->is_eager && flow->system->break_time >= t_end - lb_get_time_slack(t_end);
}

/// Whether an advance begins by passing a break.
static inline bool lb_begins_at_break(const lb_flow *flow, double t_end)
{
    const double slack = lb_get_time_slack(flow->t);
    const bool completes = flow->is_interrupted && t_end - flow->t <= slack;
    return !flow->is_eager && !completes && flow->system->break_time - flow->t <= slack;
}

/// The next of the times that are known beforehand; infinity if there is none.
double lb_get_next_event_time(const lb_flow *flow);

/// Marks the events that are due at t by the times known beforehand; false if there are none.
///
/// @param with_others  events that are marked already stay so
bool lb_take_due_events(lb_flow *flow, double t, bool with_others);

/// Adds to the message of a step that failed what the user may choose otherwise; returns `status`.
lb_status lb_explain_fixed_step(lb_flow *flow, lb_status status);

extern const lb_stepper lb_adaptive_stepper, lb_fixed_stepper;

/// Names of integrators, as in a model file; NULL ends the list.
extern const char *const lb_integrator_names[];

#endif // LB_FLOW_H
