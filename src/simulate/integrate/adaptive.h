// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of adaptive integration share.
#ifndef LB_ADAPTIVE_H
#define LB_ADAPTIVE_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "dense_output.h"
#include "vectors.h"
#include "weights.h"

/// State of an integrator with respect to singular positions of the loops.
typedef enum lb_leap_state {
    LB_LEAP_NONE,
    LB_LEAP_CAUGHT, ///< steps have become too short to make progress
    LB_LEAP_AHEAD   ///< ERKStep has taken the step to ahead_t; CVODE continues from there
} lb_leap_state;

typedef struct lb_leap {
    lb_leap_state state;
    double usual_step, last_t;
    double safe_t; // time of the last step of usual length
    double *safe_y;
    void *substitute; // ERKStep in place of CVODE
    double ahead_t;
} lb_leap;

/// How states between steps of ERKStep are found.
typedef enum lb_between {
    LB_BETWEEN_UNKNOWN, ///< nobody has asked since the last step
    LB_BETWEEN_CURVE,   ///< by a polynomial
    LB_BETWEEN_STEP     ///< by a separate step for each
} lb_between;

typedef struct lb_adaptive {
    SUNContext context;
    void *memory; // ERKStep's or CVODE's
    N_Vector y, scratch, weights;
    lb_spare_vector spare;
    lb_weights allowed;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    lb_newton *newton; // NULL where Newton's matrix is differenced
    bool is_set_up;
    bool is_erk;
    bool is_fresh;       // no level of an event has been asked for since the start
    double patient_step; // the step when it was last asked whether steps lead anywhere
    // of earlier starts
    double steps, rejections;

    lb_leap leap; // with loops

    // ERKStep: its last state, and steps from there that could not be evaluated
    double accepted_t, retry_t, retry_step;
    double *accepted_y;
    int retry_count;

    // ERKStep: where its last step began, and what takes that step again to end at an event
    double last_t;
    double *last_y, *interpolated_y;
    void *lander;

    // rates at the start; of ERKStep at both ends of its last step, and states within it
    double *rate[2];
    bool has_rate[2];
    lb_between between;
    lb_dense dense;
} lb_adaptive;

/// What SUNDIALS calls for rates; `user` is the flow.
int lb_compute_rate(realtype t, N_Vector y, N_Vector y_dot, void *user);
/// Passes the events to ERKStep.
int lb_set_erk_events(const lb_flow *flow, void *memory);
void lb_ignore_message(int code, const char *module, const char *function, char *message,
                       void *user);

// ---- leap.c ------------------------------------------------------------------------------------

/// After a single step of ERKStep: puts quaternions and loops right.
int lb_normalize_once(realtype t, N_Vector y, void *user);
/// Sets up ERKStep as the substitute for CVODE.
int lb_start_leaps(lb_flow *flow, lb_adaptive *own);
/// Starts again at the present t and y.
void lb_forget_leap(lb_flow *flow, lb_adaptive *own);

/// Inspects a step that has reached t and y.
///
/// @return true if the integrator is caught at a singular position and must abandon the step
bool lb_see_step(lb_flow *flow, double t, N_Vector y);

/// Whether the integrator gave up with this code because of a singular position.
bool lb_is_stuck(const lb_flow *flow, int flag);

/// Goes back to the last usual step and steps over the singular position from there.
int lb_leap_over(lb_flow *flow, double limit, double t_end);
/// Advances towards t_end with the step of the substitute; CVODE continues after it.
int lb_follow_leap(lb_flow *flow, double t_end);

// ---- landing.c ---------------------------------------------------------------------------------

typedef enum lb_landing {
    LB_LANDED,       ///< at the first of the events, which is in `found`
    LB_NOT_LANDED,   ///< that failed: t and y are the interpolated ones
    LB_LANDED_BEFORE ///< at t_end, which the event is behind
} lb_landing;

/// ERKStep has found events: takes its last step again so that it ends at the first of them, within the interval that
/// is wanted.
///
/// @param t_begin  what has been handed out so far
lb_landing lb_land(lb_flow *flow, double t_begin, double t_end);
/// Takes the last step again, in one piece, so that it ends at t: sets y.
///
/// @return LB_OK or LB_E_STEP
lb_status lb_repeat_step(lb_flow *flow, double t);

// ---- between_steps.c ---------------------------------------------------------------------------

/// Gives the rates at the start, or at the end of the last step, if they are known and the state is that.
bool lb_recall_rate(const lb_adaptive *own, double t, const double *y, double *rate, int count);
/// Keeps them when they are computed.
void lb_keep_rate(lb_adaptive *own, double t, const double *y, const double *rate, int count);
/// A step has been accepted: its end is where the next one starts.
void lb_shift_rates(lb_adaptive *own);
/// Starts again.
void lb_forget_rates(lb_adaptive *own);
/// Sets y at the present t, which lies within the last step, as exactly as the tolerance asks.
///
/// @return LB_OK, or LB_E_CALLBACK if the run is called off
lb_status lb_place_between(lb_flow *flow);

// ---- explain.c ---------------------------------------------------------------------------------

/// The entry of y whose error is the largest against its tolerance; -1 if it is not known.
int lb_find_worst_entry(lb_adaptive *own, int entry_count);

/// The message of the flow's system after SUNDIALS gave up with a code.
lb_status lb_explain_failure(lb_flow *flow, int flag);

#endif // LB_ADAPTIVE_H
