// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of adaptive integration share.
#ifndef LB_INTEGRATE_H
#define LB_INTEGRATE_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "flow.h"

typedef struct lb_adaptive {
    SUNContext context;
    void *memory; // ERKStep's or CVODE's
    N_Vector y, tolerance, scratch, weights;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    lb_newton *newton; // NULL where Newton's matrix is differenced
    bool is_erk;
    // of earlier starts
    double steps, rejections;

    // with loops: where steps were last of their usual length, and whether a singular position has
    // caught them since
    double usual_step, last_t, safe_t;
    double *safe_y;
    bool is_caught;
    void *leaper;  // CVODE's substitute there: ERKStep
    bool is_ahead; // it has taken the step to ahead_t; CVODE goes on from there
    double ahead_t;

    // ERKStep: its last state, and steps from there that could not be evaluated
    double accepted_t, retry_t, retry_step;
    double *accepted_y;
    int retry_count;
} lb_adaptive;

/// The message of the simulation after SUNDIALS gave up with a code.
lb_status lb_explain_failure(lb_flow *flow, int flag);

#endif // LB_INTEGRATE_H
