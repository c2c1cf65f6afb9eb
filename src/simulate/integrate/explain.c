// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Why an integration ended, in our words.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <stdio.h>

#include "adaptive.h"
#include "simulate/system/closure.h"

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

// What the user may choose otherwise, behind the message of a failure.
static void add_advice(lb_flow *flow)
{
    const lb_run_options *o = &flow->options;
    char message[LB_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", flow->system->message);
    const char *name = lb_get_integrator_name(o->integrator);
    if (lb_is_fixed_step(o->integrator)) {
        lb_say(flow->system, LB_E_STEP, "%s; a `step` shorter than the %.3g s of `%s` may help%s",
               message, o->step, name,
               o->integrator == LB_INTEGRATOR_ALPHA
                   ? ""
                   : ", or `alpha` or `bdf`: fast modes need steps far shorter than their periods");
    } else {
        lb_say(flow->system, LB_E_STEP, "%s; a `tolerance` coarser than %.2g%s may help", message,
               o->relative_tolerance,
               o->integrator == LB_INTEGRATOR_BDF ? ""
                                                  : ", or, for stiff models, the integrator `bdf`");
    }
}

lb_status lb_explain_fixed_step(lb_flow *flow, lb_status status)
{
    // what is wrong with the model, or with a function of the caller, is so with any step
    if (status == LB_E_NUMBER || status == LB_E_SINGULAR || status == LB_E_OPEN ||
        status == LB_E_STEP) {
        add_advice(flow);
    }
    return status;
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
    if (s->failure < 0 || flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR ||
        flag == CV_REPTD_RHSFUNC_ERR || flag == CV_UNREC_RHSFUNC_ERR || flag == CV_RTFUNC_FAIL) {
        return s->failure < 0 ? s->failure : LB_E_STEP;
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
        lb_say(s, LB_E_STEP, "t = %.9g s: the step has shrunk to %.2g s and %s%s%s%s", t, fabs(h),
               flag == CV_ERR_FAILURE    ? "still misses the tolerance"
               : flag == CV_CONV_FAILURE ? "its equations still cannot be solved"
                                         : "does not recover",
               worst >= 0 ? "; the worst is " : "", where, singular);
        add_advice(flow);
        return LB_E_STEP;
    }
    if (flag == CV_TOO_MUCH_ACC) {
        return lb_say(s, LB_E_STEP,
                      "t = %.9g s: the `tolerance` %.2g is finer than numbers of the machine allow",
                      t, flow->options.relative_tolerance);
    }
    lb_say(s, LB_E_STEP, "t = %.9g s: `%s` cannot continue from here", t,
           lb_get_integrator_name(flow->options.integrator));
    add_advice(flow);
    return LB_E_STEP;
}
