// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fixed-step integrators share.
#ifndef LB_FIXED_STEP_H
#define LB_FIXED_STEP_H

#include "flow.h"

typedef struct lb_alpha lb_alpha;

typedef struct lb_fixed {
    double t0, t1;   ///< the last step
    double *y0, *y1; ///< at its ends; quaternions unit
    double *f0, *f1; ///< rates there
    double *k[3];    ///< scratch, y_count each
    double *levels;  ///< of the events at t1
    bool pending;    ///< an event happened at t1
    double steps, rejections;
    lb_alpha *alpha;
} lb_fixed;

/// Memory for generalized-alpha, and its start at y1, f1.
lb_status lb_start_alpha(lb_flow *flow, lb_fixed *own);
/// Forgets the past after a jump.
void lb_restart_alpha(lb_flow *flow, lb_fixed *own);

/// One step of h seconds from t0, y0, f0 to y1. May be called again with another h.
lb_status lb_step_alpha(lb_flow *flow, lb_fixed *own, double h);
/// The step is accepted.
void lb_accept_alpha(lb_flow *flow, lb_fixed *own);

#endif // LB_FIXED_STEP_H
