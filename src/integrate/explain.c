// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Why an adaptive integration ended, in our words.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <stdio.h>

#include "adaptive.h"
#include "system/closure.h"

int lb_find_worst_entry(lb_adaptive *own, int entry_count)
{
    const int bad = own->is_erk ? ERKStepGetEstLocalErrors(own->memory, own->scratch) |
                                      ERKStepGetErrWeights(own->memory, own->weights)
                                : CVodeGetEstLocalErrors(own->memory, own->scratch) |
                                      CVodeGetErrWeights(own->memory, own->weights);
    int worst = -1;
    double largest = 0.0;
    for (int i = 0; !bad && i < entry_count; ++i) {
        const double error =
            fabs(N_VGetArrayPointer(own->scratch)[i] * N_VGetArrayPointer(own->weights)[i]);
        if (error > largest) {
            largest = error;
            worst = i;
        }
    }
    return worst;
}

lb_status lb_explain_failure(lb_flow *flow, int flag)
{
    lb_adaptive *own = flow->integrator;
    lb_system *s = flow->system;
    double t = flow->t, h = 0.0;
    if (own->is_erk) {
        ERKStepGetCurrentTime(own->memory, &t);
        ERKStepGetCurrentStep(own->memory, &h);
    } else {
        CVodeGetCurrentTime(own->memory, &t);
        CVodeGetCurrentStep(own->memory, &h);
    }
    // a loop that comes open makes every step fail
    if (s->closure && s->closure->is_open) {
        return lb_say(s, LB_E_OPEN, "t = %.9g s: %s", t, s->closure->message);
    }
    // the codes of both packages agree where we read them; if the last evaluation failed, its message
    // says more
    if (s->trouble < 0 || flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR ||
        flag == CV_REPTD_RHSFUNC_ERR || flag == CV_UNREC_RHSFUNC_ERR || flag == CV_RTFUNC_FAIL) {
        return s->trouble < 0 ? s->trouble : LB_E_STEP;
    }
    if (flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE || flag == CV_TOO_MUCH_WORK) {
        char where[160] = "";
        const int worst = flag != CV_CONV_FAILURE ? lb_find_worst_entry(own, s->y_count) : -1;
        if (worst >= 0) {
            lb_describe_entry(s, worst, where, sizeof where);
        }
        // a dead point, past which a motion wants to go
        char singular[160] = "";
        if (s->closure && s->closure->singular.nearness != LB_NEARNESS_NONE) {
            snprintf(singular, sizeof singular, "; loop '%s' is at a singular position",
                     lb_get_loop_name(s->model, s->closure->singular.loop));
        }
        return lb_say(s, LB_E_STEP, "t = %.9g s: the step has shrunk to %.2g s and %s%s%s%s", t,
                      fabs(h),
                      flag == CV_ERR_FAILURE    ? "still misses the tolerance"
                      : flag == CV_CONV_FAILURE ? "its equations still cannot be solved"
                                                : "does not recover",
                      worst >= 0 ? "; the worst is " : "", where, singular);
    }
    if (flag == CV_TOO_MUCH_ACC) {
        return lb_say(s, LB_E_STEP,
                      "t = %.9g s: the tolerance %.2g is finer than numbers of the machine allow",
                      t, flow->options.relative_tolerance);
    }
    return lb_say(s, LB_E_STEP, "t = %.9g s: the integrator failed with code %d", t, flag);
}
