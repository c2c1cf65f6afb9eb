// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Adaptive integration by SUNDIALS: ERKStep, and CVODE with Adams or BDF formulas.
//
// Quaternions are plain entries of y. Their rate, q_dot = 1/2 q * omega, is linear in q and the
// dynamics see q / |q|: the rotation does not depend on the length, which drifts with the error of
// the method and is put right at every output (and, for ERKStep, after every step).
//
// With loops, rates are those of the projected state, f(P(y)), so that y leaves the loops no faster
// than its other errors grow. ERKStep and BDF go on from P(y) after every step. Adams' formulas keep
// their y, for which CVODE has no such hook; outputs are P(y), and should y be far off, they start anew.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "adaptive.h"
#include "adaptive_newton.h"
#include "prince_dormand.h"
#include "simulate/system/closure.h"

// After so many steps we look whether they lead anywhere: a run that would take 1e8 of them does not, unless steps
// grow, as those of low order do from rest: with the motion.
enum { PATIENCE = 20000 };
static const double hopeless = 1e-8, growing = 1.5;

// ---- what SUNDIALS calls -------------------------------------------------------------------------

// Our status in its terms: 0, recoverable (a shorter step may help) or fatal.
int lb_compute_rate(realtype t, N_Vector y, N_Vector y_dot, void *user)
{
    lb_flow *flow = user;
    const int count = flow->system->y_count;
    const double *at = N_VGetArrayPointer(y);
    double *rate = N_VGetArrayPointer(y_dot);
    if (lb_recall_rate(flow->integrator, t, at, rate, count)) {
        return 0;
    }
    const lb_status status = lb_evaluate_system(flow->system, t, at, rate);
    if (status >= 0) {
        lb_keep_rate(flow->integrator, t, at, rate, count);
    }
    return status >= 0 ? 0 : status == LB_E_NUMBER || status == LB_E_OPEN ? 1 : -1;
}

static int compute_levels(realtype t, N_Vector y, realtype *levels, void *user)
{
    const lb_flow *flow = user;
    lb_adaptive *own = flow->integrator;
    if (flow->compute_levels(flow->user, t, N_VGetArrayPointer(y), levels) < 0) {
        return -1;
    }
    // a signal that comes to rest at its value has reached it, once: round-off does not take it back, SUNDIALS
    // gives up at zeros that last, and one that starts there has not reached it
    for (int i = 0; i < flow->event_count; ++i) {
        if (fabs(levels[i]) > flow->noise[i]) {
            flow->sides[i] = levels[i] > 0.0 ? 1 : -1;
        } else {
            flow->sides[i] = own->is_fresh ? 0 : flow->sides[i];
            levels[i] = -flow->sides[i] * LB_LEAST_LEVEL;
        }
    }
    own->is_fresh = false;
    return 0;
}

static int normalize(realtype t, N_Vector y, void *user)
{
    lb_flow *flow = user;
    const double off = lb_clean_state(flow->system, t, N_VGetArrayPointer(y));
    flow->quaternion_error = fmax(flow->quaternion_error, off);
    if (lb_project_step(flow->system, t, N_VGetArrayPointer(y)) < 0 || lb_see_step(flow, t, y)) {
        return -1;
    }
    lb_adaptive *own = flow->integrator;
    own->last_t = own->accepted_t;
    memcpy(own->last_y, own->accepted_y, (size_t)flow->system->y_count * sizeof(double));
    own->accepted_t = t;
    memcpy(own->accepted_y, N_VGetArrayPointer(y), (size_t)flow->system->y_count * sizeof(double));
    lb_shift_rates(own);
    return 0;
}

// Weights of errors. SUNDIALS asks for them before every step; CVODE ends where that fails.
static int weigh(N_Vector y, N_Vector weights, void *user)
{
    lb_flow *flow = user;
    lb_adaptive *own = flow->integrator;
    double t = flow->t;
    own->is_erk ? ERKStepGetCurrentTime(own->memory, &t) : CVodeGetCurrentTime(own->memory, &t);
    lb_update_weights(&own->allowed, flow, t, N_VGetArrayPointer(y));
    lb_fill_weights(&own->allowed, flow, N_VGetArrayPointer(weights));
    flow->is_work_loose = own->allowed.is_loose;
    return !own->is_erk && lb_see_step(flow, t, y) ? -1 : 0;
}

// Whether a change counts in the error of a step.
static bool matters(const lb_flow *flow, const double *change)
{
    for (int i = 0; i < flow->system->q_count; ++i) {
        if (fabs(change[i]) > flow->tolerance[i]) {
            return true;
        }
    }
    return false;
}

// Puts a step of BDF back on the loops: y + change is P(y). What is on them but for round-off may stay: at the start of
// a motion, or with a fine tolerance, that alone would be too large an error, however short the step.
static int project(realtype t, N_Vector y, N_Vector change, realtype tolerance, N_Vector error,
                   void *user)
{
    (void)tolerance, (void)error;
    lb_flow *flow = user;
    N_VScale(1.0, y, change);
    const double off = lb_clean_state(flow->system, t, N_VGetArrayPointer(change));
    flow->quaternion_error = fmax(flow->quaternion_error, off);
    const lb_status status = lb_project_step(flow->system, t, N_VGetArrayPointer(change));
    N_VLinearSum(1.0, change, -1.0, y, change);
    const double least = 3e-15; // what projections leave
    bool hold = false;
    if (status >= 0 && matters(flow, N_VGetArrayPointer(change)) &&
        lb_check_hold(flow->system, t, N_VGetArrayPointer(y), least, &hold) >= 0 && hold) {
        N_VConst(0.0, change);
    }
    return status >= 0 ? 0 : status == LB_E_OPEN ? 1 : -1;
}

static int use_differences(const lb_flow *flow, lb_adaptive *own)
{
    const sunindextype n = flow->system->y_count;
    own->matrix = SUNDenseMatrix(n, n, own->context);
    own->linear = own->matrix ? SUNLinSol_Dense(own->y, own->matrix, own->context) : NULL;
    return own->linear ? CVodeSetLinearSolver(own->memory, own->linear, own->matrix) : CV_MEM_FAIL;
}

// Its messages are for programmers; ours are in explain.c.
void lb_ignore_message(int code, const char *module, const char *function, char *message,
                       void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// ---- setting up ----------------------------------------------------------------------------------

static ARKODE_ERKTableID choose_table(int order)
{
    switch (order) {
    case 2:
        return ARKODE_HEUN_EULER_2_1_2;
    case 3:
        return ARKODE_BOGACKI_SHAMPINE_4_2_3;
    case 4:
        return ARKODE_ZONNEVELD_5_3_4;
    case 6:
        return ARKODE_VERNER_8_5_6;
    default:
        return ARKODE_DORMAND_PRINCE_7_4_5;
    }
}

static int set_table(const lb_flow *flow, void *memory)
{
    if (flow->options.order != 8) {
        return ERKStepSetTableNum(memory, choose_table(flow->options.order));
    }
    ARKodeButcherTable table = lb_create_prince_dormand();
    const int bad = table ? ERKStepSetTable(memory, table) : ARK_MEM_FAIL;
    ARKodeButcherTable_Free(table);
    return bad;
}

// Steps below this do not move time any more.
static double get_min_step(const lb_run_options *o)
{
    return 1e-15 * o->duration;
}

int lb_set_erk_events(const lb_flow *flow, void *m)
{
    return flow->event_count > 0 &&
           (ERKStepRootInit(m, flow->event_count, compute_levels) ||
            ERKStepSetRootDirection(m, flow->directions) || ERKStepSetNoInactiveRootWarn(m));
}

// A second one, which takes single steps that end at events, and at rows where no polynomial is good enough.
static int start_lander(lb_flow *flow, lb_adaptive *own)
{
    void *m = own->lander = ERKStepCreate(lb_compute_rate, flow->t, own->y, own->context);
    return !m || ERKStepSetErrHandlerFn(m, lb_ignore_message, NULL) || set_table(flow, m) ||
           ERKStepSetUserData(m, flow) || ERKStepSetPostprocessStepFn(m, lb_normalize_once);
}

static int start_erk(lb_flow *flow, lb_adaptive *own)
{
    const lb_run_options *o = &flow->options;
    own->memory = ERKStepCreate(lb_compute_rate, flow->t, own->y, own->context);
    if (!own->memory) {
        return ARK_MEM_FAIL;
    }
    void *m = own->memory;
    int bad = ERKStepSetErrHandlerFn(m, lb_ignore_message, NULL);
    bad = bad || ERKStepSetUserData(m, flow);
    bad = bad || ERKStepWFtolerances(m, weigh);
    bad = bad || set_table(flow, m);
    bad = bad || ERKStepSetMaxNumSteps(m, PATIENCE);
    bad = bad || ERKStepSetMaxHnilWarns(m, -1);
    bad = bad || ERKStepSetMinStep(m, get_min_step(o));
    bad = bad || ERKStepSetMaxErrTestFails(m, 20);
    // the error as it is, without a reserve: 30 % fewer evaluations on the chain of beams of the guide,
    // the one case on which this was chosen; more steps are rejected near round-off
    bad = bad || ERKStepSetErrorBias(m, 1.0);
    // with the power 1/p of the error, of the order p of the embedded formula; 1/(p + 1) would be deadbeat. For p = 1
    // the former swings to and fro, and every second step is rejected
    bad = bad || ERKStepSetAdaptivityMethod(m, ARK_ADAPT_I, 1, o->order == 2, NULL);
    bad = bad || (o->max_step > 0.0 && ERKStepSetMaxStep(m, o->max_step));
    bad = bad || ERKStepSetPostprocessStepFn(m, normalize);
    // its polynomials serve to find events; above the cubic they take evaluations for every row
    bad = bad || (flow->event_count == 0 && ERKStepSetInterpolantDegree(m, 3));
    bad = bad || lb_set_erk_events(flow, m);
    return bad || start_lander(flow, own);
}

static int start_cvode(lb_flow *flow, lb_adaptive *own)
{
    const lb_run_options *o = &flow->options;
    const bool stiff = o->integrator == LB_INTEGRATOR_BDF;
    own->memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, own->context);
    if (!own->memory) {
        return CV_MEM_FAIL;
    }
    void *m = own->memory;
    int bad = CVodeSetErrHandlerFn(m, lb_ignore_message, NULL);
    if (!bad && CVodeInit(m, lb_compute_rate, flow->t, own->y)) {
        // it has freed its vectors, and CVodeFree would do so again: better to lose the little that is left
        own->memory = NULL;
        return CV_MEM_FAIL;
    }
    bad = bad || CVodeSetUserData(m, flow);
    bad = bad || CVodeWFtolerances(m, weigh);
    bad = bad || (flow->system->closure && lb_start_leaps(flow, own));
    bad = bad || CVodeSetMaxNumSteps(m, PATIENCE);
    bad = bad || CVodeSetMaxHnilWarns(m, -1);
    bad = bad || CVodeSetMinStep(m, get_min_step(o));
    bad = bad || CVodeSetMaxErrTestFails(m, 20);
    bad = bad || CVodeSetMaxConvFails(m, 20);
    bad = bad || (o->max_step > 0.0 && CVodeSetMaxStep(m, o->max_step));
    bad = bad || (o->order > 0 && CVodeSetMaxOrd(m, o->order));
    if (stiff && !bad) {
        bad = !o->differences && lb_create_newton(flow->system, &own->newton) < 0;
        flow->newton = own->newton;
        bad = bad ||
              (own->newton ? lb_use_newton(m, own->newton, own->context, &own->matrix, &own->linear)
                           : use_differences(flow, own));
        bad = bad || (flow->system->closure &&
                      (CVodeSetProjFn(m, project) || CVodeSetProjErrEst(m, SUNFALSE)));
    } else if (!bad) {
        own->nonlinear = SUNNonlinSol_FixedPoint(own->y, 0, own->context);
        bad = !own->nonlinear || CVodeSetNonlinearSolver(m, own->nonlinear);
    }
    if (flow->event_count > 0) {
        bad = bad || CVodeRootInit(m, flow->event_count, compute_levels);
        bad = bad || CVodeSetRootDirection(m, flow->directions);
        bad = bad || CVodeSetNoInactiveRootWarn(m);
    }
    return bad;
}

static void set_stop_time(const lb_adaptive *own, double t)
{
    if (own->is_erk) {
        ERKStepSetStopTime(own->memory, t);
    } else {
        CVodeSetStopTime(own->memory, t);
    }
}

// A step of Adams' formulas that ends at a row or a narrow feature may be a small part of the one before, and leaves noise
// in high derivatives. Steps that then grow tenfold multiply it by 10^12: from now on, they at most double.
static void limit_growth(const lb_flow *flow, const lb_adaptive *own, double stop)
{
    const lb_run_options *o = &flow->options;
    if (o->integrator == LB_INTEGRATOR_ADAMS &&
        (o->stop_at_outputs || (stop == flow->waypoint && stop < o->duration))) {
        CVodeSetEtaMax(own->memory, 2.0);
    }
}

static void forget_steps(lb_flow *flow, lb_adaptive *own)
{
    own->accepted_t = own->last_t = flow->t;
    own->is_fresh = true;
    own->retry_count = 0;
    own->retry_t = flow->t;
    lb_forget_leap(flow, own);
    lb_forget_rates(own);
    memcpy(own->accepted_y, flow->y, (size_t)flow->system->y_count * sizeof *own->accepted_y);
    memcpy(own->last_y, flow->y, (size_t)flow->system->y_count * sizeof *own->last_y);
}

// Rates at the start, which the integrator then finds known.
static lb_status find_start(lb_flow *flow, lb_adaptive *own)
{
    const lb_status status = lb_evaluate_system(flow->system, flow->t, flow->y, own->rate[1]);
    own->has_rate[1] = status >= 0;
    if (status >= 0) {
        lb_start_weights(&own->allowed, flow, own->rate[1]);
    }
    return status;
}

static lb_status set_up(lb_flow *flow)
{
    lb_adaptive *own = calloc(1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    flow->integrator = own;
    own->is_erk = flow->options.integrator == LB_INTEGRATOR_ERK;
    if (flow->system->closure) {
        // CVODE takes a step back that cannot be evaluated, ERKStep does not
        flow->system->closure->lenient = own->is_erk;
    }
    if (SUNContext_Create(NULL, &own->context)) {
        return LB_E_MEMORY;
    }
    const sunindextype n = flow->system->y_count;
    own->y = lb_make_vector(n, flow->y, own->context, &own->spare);
    own->scratch = N_VNew_Serial(n, own->context);
    own->weights = N_VNew_Serial(n, own->context);
    if (!own->y || !own->scratch || !own->weights) {
        return LB_E_MEMORY;
    }
    own->leap.safe_y = lb_take_numbers(flow->system->arena, (size_t)n);
    own->accepted_y = lb_take_numbers(flow->system->arena, (size_t)n);
    own->last_y = lb_take_numbers(flow->system->arena, (size_t)n);
    own->interpolated_y = lb_take_numbers(flow->system->arena, (size_t)n);
    own->rate[0] = lb_take_numbers(flow->system->arena, (size_t)n);
    own->rate[1] = lb_take_numbers(flow->system->arena, (size_t)n);
    if (!own->leap.safe_y || !own->accepted_y || !own->last_y || !own->interpolated_y ||
        !own->rate[0] || !own->rate[1] ||
        (own->is_erk && lb_init_dense(&own->dense, flow->system) < 0)) {
        return LB_E_MEMORY;
    }
    forget_steps(flow, own);
    const lb_status status = lb_init_weights(&own->allowed, flow);
    if (status < 0) {
        return status;
    }
    flow->tolerance = own->allowed.tolerance;
    const bool bad = own->is_erk ? start_erk(flow, own) : start_cvode(flow, own);
    if (bad || own->spare.is_used) {
        return lb_say(flow->system, LB_E_MEMORY, "the integrator cannot be set up");
    }
    own->is_set_up = true;
    return find_start(flow, own);
}

static void destroy(lb_flow *flow)
{
    lb_adaptive *own = flow->integrator;
    if (!own) {
        return;
    }
    if (own->leap.substitute) {
        ERKStepFree(&own->leap.substitute);
    }
    if (own->lander) {
        ERKStepFree(&own->lander);
    }
    if (own->memory && own->is_erk) {
        ERKStepFree(&own->memory);
    } else if (own->memory) {
        CVodeFree(&own->memory);
    }
    if (own->linear) {
        SUNLinSolFree(own->linear);
    }
    if (own->matrix) {
        SUNMatDestroy(own->matrix);
    }
    if (own->nonlinear) {
        SUNNonlinSolFree(own->nonlinear);
    }
    N_Vector vectors[] = {own->y, own->scratch, own->weights};
    for (int i = 0; i < 3; ++i) {
        if (vectors[i]) {
            N_VDestroy(vectors[i]);
        }
    }
    lb_free_spare_vector(&own->spare);
    if (own->context) {
        SUNContext_Free(&own->context);
    }
    free(own);
    flow->integrator = NULL;
}

// ---- stepping ------------------------------------------------------------------------------------

static void get_counts(const lb_adaptive *own, double *steps, double *rejections)
{
    long taken = 0, failed = 0, unsolved = 0;
    if (!own->memory) {
        // the set-up has failed
    } else if (own->is_erk) {
        ERKStepGetNumSteps(own->memory, &taken);
        ERKStepGetNumErrTestFails(own->memory, &failed);
    } else {
        CVodeGetNumSteps(own->memory, &taken);
        CVodeGetNumErrTestFails(own->memory, &failed);
        CVodeGetNumStepSolveFails(own->memory, &unsolved);
    }
    *steps = (double)taken;
    *rejections = (double)(failed + unsolved);
}

static void count(const lb_flow *flow, lb_step_counts *counts)
{
    const lb_adaptive *own = flow->integrator;
    get_counts(own, &counts->steps, &counts->rejections);
    counts->steps += own->steps;
    counts->rejections += own->rejections;
}

static lb_status restart(lb_flow *flow)
{
    lb_adaptive *own = flow->integrator;
    double steps, rejections;
    get_counts(own, &steps, &rejections);
    own->steps += steps;
    own->rejections += rejections;
    forget_steps(flow, own);
    const int bad = own->is_erk ? ERKStepReInit(own->memory, lb_compute_rate, flow->t, own->y) |
                                      ERKStepSetInitStep(own->memory, 0.0)
                                : CVodeReInit(own->memory, flow->t, own->y);
    if (bad || own->spare.is_used) {
        return lb_say(flow->system, LB_E_MEMORY, "the integrator cannot be restarted");
    }
    // a restart forgets which way events go
    if (flow->event_count > 0) {
        own->is_erk ? ERKStepSetRootDirection(own->memory, flow->directions)
                    : CVodeSetRootDirection(own->memory, flow->directions);
    }
    return find_start(flow, own);
}

// ERKStep does not take back a step that cannot be evaluated. From its last state on, with a shorter one:
// false if that was tried often enough.
static bool retry(lb_flow *flow)
{
    enum { MOST = 20 };
    lb_adaptive *own = flow->integrator;
    double h = 0.0;
    own->retry_count = own->accepted_t > own->retry_t ? 0 : own->retry_count;
    own->retry_t = own->accepted_t;
    if (!own->is_erk || flow->system->failure != LB_E_NUMBER || ++own->retry_count > MOST ||
        ERKStepGetCurrentStep(own->memory, &h)) {
        return false;
    }
    h = 0.1 * (own->retry_count > 1 ? own->retry_step : h);
    own->retry_step = h;
    flow->t = own->accepted_t;
    memcpy(flow->y, own->accepted_y, (size_t)flow->system->y_count * sizeof *flow->y);
    return h > get_min_step(&flow->options) &&
           ERKStepReset(own->memory, flow->t, own->y) == ARK_SUCCESS &&
           ERKStepSetInitStep(own->memory, h) == ARK_SUCCESS;
}

// No run shall fail for its work alone: if steps shrink for its sake, more work counts as nothing, and the verdict
// reports that unless the motion does more.
static bool relieve_work(lb_flow *flow, lb_adaptive *own)
{
    const int first = flow->system->q_count + flow->system->v_count;
    return lb_find_worst_entry(own, flow->system->y_count) >= first &&
           lb_relieve_work(&own->allowed) && restart(flow) >= 0;
}

// y where ERKStep has not ended a step.
static lb_status place(lb_flow *flow, const lb_adaptive *own)
{
    return own->is_erk && flow->t > own->last_t && flow->t < own->accepted_t
               ? lb_place_between(flow)
               : LB_OK;
}

// Passes a break that has been reached, or leaves one at the end of an advance to the next.
static lb_status pass_break(lb_flow *flow, double t_end)
{
    if (flow->t < flow->system->break_time) {
        return LB_OK;
    }
    if (lb_leaves_break(flow, t_end)) {
        flow->t = t_end;
        return LB_OK;
    }
    return flow->pass_break(flow->user);
}

static lb_status advance(lb_flow *flow, double t_end)
{
    lb_adaptive *own = flow->integrator;
    lb_system *s = flow->system;
    if (lb_take_due_events(flow, flow->t, false)) {
        return LB_NEWS_EVENT; // at the first instant, or behind another event
    }
    if (lb_begins_at_break(flow, t_end)) {
        flow->t = s->break_time;
        const lb_status status = flow->pass_break(flow->user);
        if (status != LB_OK) {
            return status;
        }
    }
    while (flow->t < t_end) {
        // SUNDIALS refuses distances of a few units of round-off, which samples and outputs have
        const double tiny = 1e-14 * fabs(t_end), event_time = lb_get_next_event_time(flow);
        if (!(flow->t < flow->waypoint)) {
            flow->waypoint = flow->find_waypoint(flow->user, flow->t);
        }
        const double stop = fmin(fmin(s->break_time, event_time), flow->waypoint);
        if (fmin(t_end, stop) - flow->t <= tiny) {
            flow->t = fmin(t_end, stop);
            if (lb_take_due_events(flow, flow->t, false)) {
                return LB_NEWS_EVENT;
            }
            const lb_status status = pass_break(flow, t_end);
            if (status != LB_OK) {
                return status;
            }
            continue;
        }
        // never past the end of the run, nor past a jump of a force or an event whose time is known
        const double limit =
            fmin(flow->limit,
                 flow->options.stop_at_outputs ? t_end : fmax(flow->options.duration, t_end));
        set_stop_time(own, fmin(limit, stop));
        limit_growth(flow, own, stop);
        const double t_begin = flow->t;
        int flag = own->leap.state == LB_LEAP_AHEAD ? lb_follow_leap(flow, t_end)
                   : own->is_erk ? ERKStepEvolve(own->memory, t_end, own->y, &flow->t, ARK_NORMAL)
                                 : CVode(own->memory, t_end, own->y, &flow->t, CV_NORMAL);
        _Static_assert(ARK_MEM_FAIL == CV_MEM_FAIL, "one code for both");
        if (own->spare.is_used || flag == CV_MEM_FAIL) {
            return lb_say(s, LB_E_MEMORY, "out of memory");
        }
        if (flag < 0 && retry(flow)) {
            continue;
        }
        if (flag < 0 && (own->leap.state == LB_LEAP_CAUGHT || lb_is_stuck(flow, flag))) {
            const double t = own->leap.last_t;
            flag = lb_leap_over(flow, fmin(fmax(flow->options.duration, t_end), stop), t_end);
            if (flag < 0 && s->failure == LB_E_OPEN) {
                // no way on behind it: a dead point
                return lb_say(s, LB_E_OPEN, "t = %.9g s: %s", t, s->closure->message);
            }
        }
        if (flag == CV_TOO_MUCH_WORK) {
            double h = 0.0;
            own->is_erk ? ERKStepGetLastStep(own->memory, &h) : CVodeGetLastStep(own->memory, &h);
            const double before = own->patient_step;
            own->patient_step = fabs(h);
            if (fabs(h) > hopeless * flow->options.duration || fabs(h) > growing * before) {
                continue;
            }
        }
        if ((flag == CV_ERR_FAILURE || flag == CV_TOO_MUCH_WORK) && relieve_work(flow, own)) {
            continue;
        }
        if (flag < 0) {
            return lb_explain_failure(flow, flag);
        }
        if (flag == CV_ROOT_RETURN) {
            own->is_erk ? ERKStepGetRootInfo(own->memory, flow->found)
                        : CVodeGetRootInfo(own->memory, flow->found);
            const lb_landing landing = own->is_erk ? lb_land(flow, t_begin, t_end) : LB_NOT_LANDED;
            if (landing == LB_LANDED_BEFORE) {
                continue;
            }
            const lb_status status = landing == LB_LANDED ? LB_OK : place(flow, own);
            return status < 0 ? status : LB_NEWS_EVENT;
        }
        const lb_status placed = place(flow, own);
        if (placed < 0) {
            return placed;
        }
        if (lb_take_due_events(flow, flow->t, false)) {
            return LB_NEWS_EVENT;
        }
        const lb_status passed = pass_break(flow, t_end);
        if (passed != LB_OK) {
            return passed;
        }
    }
    return LB_OK;
}

static lb_status start(lb_flow *flow)
{
    lb_adaptive *own = flow->integrator;
    if (!own || !own->is_set_up) {
        destroy(flow);
        return set_up(flow);
    }
    lb_reset_weights(&own->allowed, flow);
    const lb_status status = restart(flow);
    own->steps = own->rejections = 0.0;
    return status;
}

const lb_stepper lb_adaptive_stepper = {start, advance, restart, count, destroy};
