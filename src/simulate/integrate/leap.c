// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Stepping over singular positions of the loops.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <string.h>

#include "adaptive.h"
#include "prince_dormand.h"
#include "simulate/system/closure.h"

// ---- set-up --------------------------------------------------------------------------------------

int lb_normalize_once(realtype t, N_Vector y, void *user)
{
    lb_flow *flow = user;
    lb_clean_state(flow->system, t, N_VGetArrayPointer(y));
    return lb_project_step(flow->system, t, N_VGetArrayPointer(y)) < 0 ? -1 : 0;
}

// ERKStep of order 8, for single steps over singular positions.
int lb_start_leaps(lb_flow *flow, lb_adaptive *own)
{
    void *m = own->leap.substitute = ERKStepCreate(lb_compute_rate, flow->t, own->y, own->context);
    ARKodeButcherTable table = lb_create_prince_dormand();
    const bool bad = !m || !table || ERKStepSetErrHandlerFn(m, lb_ignore_message, NULL) ||
                     ERKStepSetTable(m, table) || ERKStepSetUserData(m, flow) ||
                     ERKStepSetPostprocessStepFn(m, lb_normalize_once) ||
                     lb_set_erk_events(flow, m);
    ARKodeButcherTable_Free(table);
    return bad;
}

void lb_forget_leap(lb_flow *flow, lb_adaptive *own)
{
    lb_leap *leap = &own->leap;
    leap->state = LB_LEAP_NONE;
    flow->is_leaping = false;
    leap->usual_step = 0.0;
    leap->last_t = leap->safe_t = flow->t;
    memcpy(leap->safe_y, flow->y, (size_t)flow->system->y_count * sizeof *leap->safe_y);
}

// ---- seeing one ----------------------------------------------------------------------------------

// Near a singular position of the loops accelerations are a small number over a small one. A step
// that starts right there finds no error small enough, and shortens for ever. Notes the last state of
// a usual step; true if steps are a thousandth of that and a singular position has come near.
bool lb_see_step(lb_flow *flow, double t, N_Vector y)
{
    lb_adaptive *own = flow->integrator;
    lb_leap *leap = &own->leap;
    lb_closure *c = flow->system->closure;
    if (!c) {
        return false;
    }
    const double h = t - leap->last_t;
    leap->last_t = t;
    leap->usual_step = fmax(h, 0.999 * leap->usual_step);
    if (h >= 0.1 * leap->usual_step) {
        leap->safe_t = t;
        memcpy(leap->safe_y, N_VGetArrayPointer(y), (size_t)flow->system->y_count * sizeof(double));
        lb_watch_singular(&c->singular);
    }
    const bool is_caught =
        h < 1e-3 * leap->usual_step && c->singular.nearness == LB_NEARNESS_FALLEN;
    leap->state = is_caught ? LB_LEAP_CAUGHT : LB_LEAP_NONE;
    return is_caught;
}

// Whether CVODE ended since a singular position makes every step fail.
bool lb_is_stuck(const lb_flow *flow, int flag)
{
    const lb_adaptive *own = flow->integrator;
    const lb_closure *c = flow->system->closure;
    return c && c->singular.nearness != LB_NEARNESS_NONE &&
           c->singular.lowest < 1e-3 * c->singular.usual && !own->is_erk &&
           own->leap.usual_step > 0.0 &&
           (flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE || flag == CV_REPTD_RHSFUNC_ERR ||
            flag == CV_REPTD_PROJFUNC_ERR);
}

// ---- stepping over it ----------------------------------------------------------------------------

// Back to the last usual step, and from there over the singular position in one step without a test
// of its error: as far behind it as before it.
int lb_leap_over(lb_flow *flow, double limit, double t_end)
{
    lb_adaptive *own = flow->integrator;
    lb_leap *leap = &own->leap;
    void *m = own->is_erk ? own->memory : leap->substitute;
    const double wish = fmax(2.0 * (leap->last_t - leap->safe_t), 0.5 * leap->usual_step);
    const double h = fmin(wish, limit - leap->safe_t);
    leap->state = LB_LEAP_NONE;
    flow->system->closure->singular.nearness = LB_NEARNESS_NONE;
    flow->t = leap->last_t = leap->safe_t;
    memcpy(flow->y, leap->safe_y, (size_t)flow->system->y_count * sizeof *flow->y);
    if (!own->is_erk) {
        leap->state = LB_LEAP_AHEAD;
        flow->is_leaping = true;
        leap->ahead_t = flow->t + h;
        int bad = ERKStepReInit(m, lb_compute_rate, flow->t, own->y);
        bad = bad < 0 ? bad : ERKStepSetFixedStep(m, h);
        bad = bad < 0 ? bad : ERKStepSetStopTime(m, leap->ahead_t);
        return bad < 0 || flow->event_count == 0 ? bad
                                                 : ERKStepSetRootDirection(m, flow->directions);
    }
    // the step starts there, for rows within it as well
    own->accepted_t = flow->t;
    memcpy(own->accepted_y, flow->y, (size_t)flow->system->y_count * sizeof *flow->y);
    lb_forget_rates(own);
    int flag = ERKStepReset(m, flow->t, own->y);
    flag = flag < 0 ? flag : ERKStepSetStopTime(m, flow->t + h);
    flag = flag < 0 ? flag : ERKStepSetFixedStep(m, h);
    flag = flag < 0 ? flag : ERKStepEvolve(m, flow->t + h, own->y, &flow->t, ARK_ONE_STEP);
    if (flag == ARK_SUCCESS || flag == ARK_TSTOP_RETURN) {
        // an output on the way is interpolated
        flag = flow->t > t_end ? ERKStepEvolve(m, t_end, own->y, &flow->t, ARK_NORMAL) : flag;
    }
    const int back = ERKStepSetFixedStep(m, 0.0) | ERKStepSetInitStep(m, 0.1 * leap->usual_step);
    return flag < 0 ? flag : back ? ARK_MEM_FAIL : flag;
}

// Towards t_end by what ERKStep has ahead; from there CVODE goes on.
int lb_follow_leap(lb_flow *flow, double t_end)
{
    lb_adaptive *own = flow->integrator;
    lb_leap *leap = &own->leap;
    const double usual = leap->usual_step;
    const int flag = ERKStepEvolve(leap->substitute, t_end, own->y, &flow->t, ARK_NORMAL);
    if (flag < 0 || flag == ARK_ROOT_RETURN || flow->t < leap->ahead_t) {
        return flag;
    }
    if (lb_adaptive_stepper.restart(flow) < 0) {
        return CV_MEM_FAIL;
    }
    leap->usual_step = usual;
    return CV_SUCCESS;
}
