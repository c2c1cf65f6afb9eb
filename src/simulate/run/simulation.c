// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation as a whole: making, starting, advancing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/divide/division.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"
#include "simulate/record/record.h"
#include "simulate/signals/slopes.h"
#include "simulate/system/closure.h"
#include "simulation.h"

// ---- making --------------------------------------------------------------------------------------

static lb_status compute_levels(void *user, double t, const double *y, double *levels)
{
    return lb_compute_event_levels(user, t, y, levels);
}

static lb_status pass_break(void *user);
static double find_waypoint(void *user, double t);

// All that depends on the model alone.
static lb_status init(lb_simulation *sim, const lb_model *model)
{
    const lb_status status = lb_init_system(&sim->system, &sim->arena, model, sim->system.forces);
    if (status < 0) {
        return status;
    }
    sim->flow = (lb_flow){.system = &sim->system,
                          .options = lb_default_run_options(),
                          .compute_levels = compute_levels,
                          .pass_break = pass_break,
                          .find_waypoint = find_waypoint,
                          .waypoint = -INFINITY,
                          .limit = INFINITY,
                          .user = sim};
    const size_t q_count = (size_t)sim->system.q_count, v_count = (size_t)sim->system.v_count;
    sim->q0 = lb_take_numbers(&sim->arena, q_count);
    sim->q_trial = lb_take_numbers(&sim->arena, q_count);
    sim->v0 = lb_take_numbers(&sim->arena, v_count);
    sim->assemble_held = lb_arena_take(&sim->arena, v_count, 1);
    if (!sim->q0 || !sim->q_trial || !sim->v0 || !sim->assemble_held) {
        return LB_E_MEMORY;
    }
    lb_get_neutral_configuration(model, sim->q0);
    return LB_OK;
}

lb_status lb_create_simulation(const lb_model *model, const lb_report *report,
                               lb_simulation **simulation)
{
    lb_simulation *sim = calloc(1, sizeof *sim);
    *simulation = NULL;
    if (!sim) {
        return LB_E_MEMORY;
    }
    sim->arena = lb_make_arena(NULL);
    sim->faults.report = report ? *report : (lb_report){0};
    lb_status status = lb_create_forces(model, NULL, report, &sim->system.forces);
    status = status < 0 ? status : init(sim, model);
    if (status < 0) {
        lb_destroy_simulation(sim);
        return status;
    }
    *simulation = sim;
    return LB_OK;
}

lb_status lb_check_building(lb_simulation *sim, const char *what)
{
    return sim->stage > LB_STAGE_BUILDING
               ? lb_say(&sim->system, LB_E_ARGUMENT,
                        "%s cannot be added: the simulation has been used already", what)
               : LB_OK;
}

static void take_message(void *user, const lb_diagnostic *diagnostic)
{
    lb_simulation *sim = user;
    const char *path = diagnostic->path ? diagnostic->path : "";
    lb_say(&sim->system, LB_E_ARGUMENT, "%s%s%s", path, *path ? ": " : "", diagnostic->message);
}

lb_faults lb_hear_faults(lb_simulation *sim)
{
    return (lb_faults){.report = {.emit = take_message, .user = sim}};
}

// Memory that depends on the number of forces and events.
static lb_status take_memory(lb_simulation *sim)
{
    lb_flow *flow = &sim->flow;
    lb_status status = lb_complete_system(&sim->system);
    status = status < 0 ? status : lb_take_sticks(sim);
    status = status < 0 ? status : lb_take_sides(sim);
    if (status < 0) {
        return status;
    }
    flow->event_count = sim->event_count + sim->stick_count + sim->watched_count;
    sim->levels_before = lb_take_numbers(&sim->arena, (size_t)sim->event_count);
    const size_t count = (size_t)flow->event_count;
    flow->y = lb_take_numbers(&sim->arena, (size_t)sim->system.y_count);
    sim->last_y = lb_take_numbers(&sim->arena, (size_t)sim->system.y_count);
    flow->found = lb_arena_take(&sim->arena, count, sizeof *flow->found);
    flow->sides = lb_arena_take(&sim->arena, count, 1);
    flow->levels = lb_take_numbers(&sim->arena, count);
    flow->noise = lb_take_numbers(&sim->arena, count);
    flow->directions = lb_arena_take(&sim->arena, count, sizeof *flow->directions);
    flow->spent = lb_arena_take(&sim->arena, count, 1);
    flow->times = lb_take_numbers(&sim->arena, count);
    if (!flow->y || !sim->last_y || !sim->levels_before || !flow->found || !flow->sides ||
        !flow->levels || !flow->noise || !flow->directions || !flow->spent || !flow->times) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < flow->event_count; ++i) {
        flow->directions[i] = i < sim->event_count ? sim->events[i].direction : -1;
        flow->times[i] = INFINITY;
    }
    return lb_take_ranges(sim);
}

lb_status lb_complete_simulation(lb_simulation *sim)
{
    lb_status status = lb_clean_initial(sim);
    if (status < 0 || sim->stage > LB_STAGE_BUILDING) {
        return status;
    }
    lb_check_loop_changes(sim);
    status = lb_complete_forces(sim->system.forces);
    const int faults = sim->faults.error_count + sim->system.forces->faults.error_count +
                       lb_count_signal_faults(sim->system.forces->signals);
    if (faults > 0) {
        return lb_say(&sim->system, LB_E_MODEL,
                      "%d fault%s reported while the simulation was built", faults,
                      faults == 1 ? " was" : "s were");
    }
    status = status < 0 ? status : take_memory(sim);
    if (status >= 0 && sim->sampler) {
        sim->stage = LB_STAGE_COMPLETE; // what it asks for may need that
        status = sim->sampler->complete(sim);
    }
    sim->stage = status < 0 ? LB_STAGE_BUILDING : LB_STAGE_COMPLETE;
    return status;
}

void lb_destroy_simulation(lb_simulation *sim)
{
    if (!sim) {
        return;
    }
    if (sim->flow.stepper) {
        sim->flow.stepper->destroy(&sim->flow);
    }
    lb_destroy_recorder(sim->recorder);
    if (sim->sampler) {
        sim->sampler->destroy(sim);
    }
    lb_destroy_forces(sim->system.forces);
    lb_destroy_division(sim->system.division);
    void (*release)(void *owned) = sim->release;
    void *owned = sim->owned;
    lb_arena_free(&sim->arena);
    free(sim);
    if (release) {
        release(owned); // the model, which the parts above need to the last
    }
}

// ---- parts ---------------------------------------------------------------------------------------

const lb_model *lb_get_simulation_model(const lb_simulation *sim)
{
    return sim->system.model;
}

lb_forces *lb_get_simulation_forces(const lb_simulation *sim)
{
    return sim->system.forces;
}

// The next break of a named signal that an event reads, as far as it depends on time alone.
static double find_event_break(const lb_simulation *sim)
{
    double first = INFINITY;
    for (int i = 0; i < sim->event_count; ++i) {
        const lb_signal *signal = &sim->events[i].signal;
        const lb_expression *e = !sim->events[i].level && signal->kind == LB_SIGNAL_NAMED
                                     ? lb_get_named_expression(signal->named, signal->index)
                                     : NULL;
        // one of time alone has its own times
        if (e && !sim->flow.spent[i] && e->stage != LB_SIGNAL_TIME) {
            first = fmin(first, lb_find_expression_break(e, sim->flow.t));
        }
    }
    return first;
}

// The next sample is a break, too.
static void expect_samples(lb_simulation *sim)
{
    if (sim->sampler) {
        sim->system.break_time = fmin(sim->system.break_time, sim->sampler->find_next(sim));
    }
}

// Where the next function of time jumps or has a kink.
static void find_force_break(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    const double t = sim->flow.t;
    s->break_time = fmin(fmin(lb_get_next_break(s->forces, t), lb_find_loop_break(s, t)),
                         find_event_break(sim));
    sim->flow.waypoint = -INFINITY; // what is enabled may have changed
    s->piece_time = lb_pass_breaks(s->forces, t) || lb_passes_loop_break(s, t)
                        ? nextafter(t, INFINITY)
                        : -INFINITY;
}

static void find_break(lb_simulation *sim)
{
    find_force_break(sim);
    expect_samples(sim);
}

static double find_waypoint(void *user, double t)
{
    // looked for in windows of so many rows: not up to the end of the run, on which steps should not depend
    enum { ROWS = 10000 };
    const lb_simulation *sim = user;
    const double window = ROWS * sim->flow.options.interval;
    const double end = window * (floor(t / window) + 1.0);
    return fmin(lb_find_force_feature(sim->system.forces, t, end),
                lb_find_loop_feature(&sim->system, t, end));
}

// ---- running -------------------------------------------------------------------------------------

// At the first start of all, and where a restart has brought that back.
static lb_status start_sampler(lb_simulation *sim)
{
    if (!sim->sampler) {
        return LB_OK;
    }
    if (sim->at_start) {
        sim->sampler->restart(sim);
        return LB_OK;
    }
    return sim->sampler->start(sim);
}

// The integrator at the present t and y.
static lb_status start_stepper(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    const bool is_fixed = lb_is_fixed_step(sim->flow.options.integrator);
    // fixed steps are as long as they are, whatever is watched
    sim->flow.event_count =
        sim->event_count + sim->stick_count + (is_fixed ? 0 : sim->watched_count);
    lb_find_event_times(sim, !lb_is_resumed(sim));
    find_force_break(sim);
    lb_status status = lb_decide_sticks(sim, false);
    lb_start_sticks(sim);
    status = status < 0 ? status : lb_decide_sides(sim);
    status = status < 0 ? status : lb_evaluate_system(s, sim->flow.t, sim->flow.y, NULL);
    if (status < 0) {
        return status;
    }
    sim->flow.stepper = is_fixed ? &lb_fixed_stepper : &lb_adaptive_stepper;
    status = sim->flow.stepper->start(&sim->flow);
    lb_hold_sides(sim, false);
    lb_watch_ranges(sim, sim->flow.t, sim->flow.y);
    return status < 0 ? status : lb_evaluate_system(s, sim->flow.t, sim->flow.y, NULL);
}

lb_status lb_start_simulation(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    const bool is_resumed = lb_is_resumed(sim);
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_ARGUMENT, "the simulation has been started already");
    }
    if (sim->stage == LB_STAGE_MOMENT) {
        return lb_say(s, LB_E_ARGUMENT, "a simulation at a moment of a run cannot be started");
    }
    lb_status status = lb_complete_simulation(sim);
    status = status < 0 || is_resumed ? status : lb_close_initial(sim);
    if (status >= 0 && !s->division &&
        sim->flow.options.algorithm == LB_ALGORITHM_DIVIDE_AND_CONQUER) {
        status = lb_create_division(s->model, NULL, &s->division);
    }
    if (status < 0) {
        return status;
    }
    if (!is_resumed) {
        memset(sim->flow.y, 0, (size_t)s->y_count * sizeof *sim->flow.y);
        memcpy(sim->flow.y, sim->q0, (size_t)s->q_count * sizeof *sim->flow.y);
        memcpy(sim->flow.y + s->q_count, sim->v0, (size_t)s->v_count * sizeof *sim->flow.y);
        sim->flow.t = sim->start_time;
    }
    sim->last_event_time = -INFINITY;
    s->break_time = INFINITY;
    lb_clean_state(s, sim->flow.t, sim->flow.y);
    status = is_resumed ? LB_OK : lb_project_output(s, sim->flow.t, sim->flow.y);
    status = status < 0 ? status : start_sampler(sim);
    status = status < 0 || sim->at_start || is_resumed ? status : lb_keep_start(sim);
    const bool takes_samples = sim->sampler && sim->flow.is_eager && !is_resumed;
    status = status < 0 || !takes_samples ? status : sim->sampler->run(sim);
    status = status < 0 ? status : start_stepper(sim);
    if (status >= 0) {
        sim->stage = LB_STAGE_RUNNING;
        expect_samples(sim); // those of this instant are taken by what follows
    }
    return status;
}

lb_status lb_restart_simulation(lb_simulation *sim, double t, const double *q, const double *v)
{
    const lb_stage before = sim->stage;
    if (sim->recorder || (before > LB_STAGE_COMPLETE && !sim->at_start)) {
        return lb_say(
            &sim->system, LB_E_ARGUMENT,
            "a simulation cannot be restarted while it is recorded, nor if it was at a moment of a "
            "run or has taken one up");
    }
    if (!(t >= 0.0) || !isfinite(t)) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "restart at t = %.9g s, expected 0 or later", t);
    }
    sim->stage = before == LB_STAGE_RUNNING ? LB_STAGE_COMPLETE : before;
    lb_status status = lb_set_initial_state(sim, q, v);
    if (status < 0) {
        sim->stage = before; // and all goes on as it was
        return status;
    }
    sim->start_time = sim->flow.t = t;
    status = sim->at_start ? lb_bring_back_start(sim) : LB_OK;
    return status < 0 ? status : lb_start_simulation(sim);
}

// Positions of driven hinges must have no jumps and no kinks, and speeds no jumps. Of expressions this is known only now.
static lb_status check_motions(lb_simulation *sim)
{
    const lb_force *rough = lb_find_rough_motion(sim->system.forces, sim->flow.t);
    return rough ? lb_say(&sim->system, LB_E_MODEL, "t = %.9g s: motion '%s' %s there", sim->flow.t,
                          rough->name,
                          rough->order == 0 ? "is a position with a jump or a kink"
                                            : "is a speed with a jump")
                 : lb_check_loop_motions(&sim->system, sim->flow.t);
}

// Where a function of time jumps or a sample is due: controllers sample, and the integrator restarts. Events whose
// signals jump there happen.
static lb_status pass_break(void *user)
{
    lb_simulation *sim = user;
    bool any = false;
    lb_clean_state(&sim->system, sim->flow.t, sim->flow.y);
    for (int i = 0; i < sim->flow.event_count; ++i) {
        sim->flow.found[i] = 0;
    }
    lb_status status = lb_project_output(&sim->system, sim->flow.t, sim->flow.y);
    status = status < 0 ? status : check_motions(sim);
    status = status < 0 ? status : lb_note_levels(sim);
    status = status < 0 || !sim->sampler ? status : sim->sampler->run(sim);
    find_break(sim);
    status = status < 0 ? status : lb_decide_sticks(sim, false);
    lb_announce_sticks(sim, false);
    status = status < 0 ? status : lb_decide_sides(sim);
    status = status < 0 ? status : lb_find_jumped_events(sim, &any);
    status = status < 0 ? status : sim->flow.stepper->restart(&sim->flow);
    return status < 0 ? status : any ? LB_NEWS_EVENT : LB_OK;
}

// How far the state that is handed out is from y, in units of the tolerance.
static double get_drift(const lb_simulation *sim, const double *y)
{
    double worst = 0.0;
    for (int i = 0; i < sim->system.q_count + sim->system.v_count; ++i) {
        worst = fmax(worst, fabs(sim->flow.y[i] - y[i]) / sim->flow.tolerance[i]);
    }
    return worst;
}

// Puts the output on the loops. The y of Adams' formulas stays off them: far off is a reason to start anew.
static lb_status project_output(lb_simulation *sim, bool *restart)
{
    enum { FAR = 1000 }; // times the tolerance
    lb_system *s = &sim->system;
    if (!s->closure) {
        return LB_OK;
    }
    memcpy(sim->last_y, sim->flow.y, (size_t)s->y_count * sizeof *sim->flow.y);
    const lb_status status = lb_project_output(&sim->system, sim->flow.t, sim->flow.y);
    *restart = status >= 0 && sim->flow.options.integrator == LB_INTEGRATOR_ADAMS &&
               !sim->flow.is_leaping && get_drift(sim, sim->last_y) > FAR;
    sim->drift_restarts += *restart;
    return status;
}

// What the events in `found` do, and which hinges stick and which sides expressions have from now on.
static lb_status pass_found(lb_simulation *sim, bool *restart)
{
    const bool switches = lb_count_sides(sim);
    const lb_status news = lb_apply_events(sim, restart);
    lb_status status = news < 0 || !sim->recorder ? news : lb_record_events(sim, sim->recorder);
    if (status < 0) {
        return status;
    }
    lb_renew_event_times(sim);
    if (*restart) {
        find_break(sim);
    }
    status = lb_decide_sticks(sim, true);
    *restart = *restart || sim->stick_count > 0 || switches;
    lb_announce_sticks(sim, true);
    const lb_status crowd = lb_check_crowd(sim);
    status = status < 0 ? status : crowd;
    status = status < 0 || !*restart ? status : lb_decide_sides(sim);
    return status < 0 ? status : news;
}

// Events have happened. What they do may let others happen at the same instant, such as an impulse that takes a
// speed past the value of another event.
static lb_status pass_events(lb_simulation *sim, bool *restart)
{
    lb_status news = LB_OK;
    bool more = true;
    lb_hold_sides(sim, true);
    lb_status status = lb_note_levels(sim);
    while (status >= 0 && more) {
        more = false;
        status = pass_found(sim, restart);
        news = status > news ? status : news;
        if (status >= 0 && *restart) {
            status = lb_find_jumped_events(sim, &more);
        }
        more = more && news != LB_NEWS_STOP;
    }
    return status < 0 ? status : news;
}

// To t, or to an event of any kind before it.
static lb_status advance_once(lb_simulation *sim, double t)
{
    lb_system *s = &sim->system;
    lb_hold_sides(sim, true);
    lb_status status = sim->flow.stepper->advance(&sim->flow, t);
    lb_hold_sides(sim, false);
    if (status < 0) {
        return lb_explain_sides(sim, status);
    }
    const double off = lb_clean_state(s, sim->flow.t, sim->flow.y);
    sim->flow.quaternion_error = fmax(sim->flow.quaternion_error, off);
    bool restart = false;
    const lb_status closed = project_output(sim, &restart);
    if (closed < 0) {
        return closed;
    }
    lb_status news = LB_OK;
    if (status == LB_NEWS_EVENT) {
        bool changed = false;
        news = pass_events(sim, &changed);
        restart = restart || changed;
    }
    status = news < 0 ? news : restart ? sim->flow.stepper->restart(&sim->flow) : status;
    lb_hold_sides(sim, false);
    // accelerations and the like of the state that is handed out
    status = status < 0 ? status : lb_evaluate_system(s, sim->flow.t, sim->flow.y, NULL);
    lb_watch_ranges(sim, sim->flow.t, sim->flow.y);
    return status < 0 ? status : news;
}

lb_status lb_advance_simulation(lb_simulation *sim, double t)
{
    // a sample may have been taken at a time that is off by round-off
    t = isfinite(t) && t < sim->flow.t && sim->flow.t - t <= lb_get_time_slack(t) ? sim->flow.t : t;
    if (sim->stage != LB_STAGE_RUNNING) {
        return lb_say(&sim->system, LB_E_STAGE,
                      "the simulation is not started: lb_start_simulation comes first");
    }
    if (!(t >= sim->flow.t) || !isfinite(t)) {
        return lb_say(&sim->system, isfinite(t) ? LB_E_ARGUMENT : LB_E_NUMBER,
                      "time cannot go from %.9g s to %.9g s", sim->flow.t, t);
    }
    lb_status news;
    do {
        sim->event_names[0] = 0;
        news = advance_once(sim, t);
    } while (news == LB_OK && sim->flow.t < t); // friction sticks or slips: nobody asked for that
    if (news == LB_OK) {
        sim->event_names[0] = 0;
    }
    sim->flow.is_interrupted = news == LB_NEWS_EVENT;
    return news;
}

// Where a step of dt ends: a multiple of it, or of the integrator's own, from which a sum of many would come off.
static double find_step_end(const lb_simulation *sim, double dt)
{
    const lb_run_options *o = &sim->flow.options;
    const double unit = lb_is_fixed_step(o->integrator) ? o->step : dt, t = sim->flow.t + dt;
    const double whole = round(t / unit) * unit;
    return fabs(whole - t) <= 1e-9 * unit ? whole : t;
}

lb_status lb_step_simulation(lb_simulation *sim, double dt)
{
    lb_system *s = &sim->system;
    if (!(dt > 0.0) || !isfinite(dt)) {
        return lb_say(s, isfinite(dt) ? LB_E_ARGUMENT : LB_E_NUMBER,
                      "a step of %.9g s, expected more than 0", dt);
    }
    lb_status news = sim->stage == LB_STAGE_RUNNING ? LB_OK : lb_start_simulation(sim);
    if (news < 0) {
        return news;
    }
    // variables that functions of the caller read may be others now
    if (lb_reads_callbacks(s->forces)) {
        s->break_time = fmin(s->break_time, sim->flow.t);
    }
    const double t = sim->flow.limit = find_step_end(sim, dt);
    char names[sizeof sim->event_names] = "";
    size_t used = 0;
    do {
        news = lb_advance_simulation(sim, t);
        const int length = snprintf(names + used, sizeof names - used, "%s%s",
                                    used > 0 && sim->event_names[0] ? ", " : "", sim->event_names);
        used += (size_t)length < sizeof names - used ? (size_t)length : 0;
    } while (news == LB_NEWS_EVENT);
    sim->flow.limit = INFINITY;
    memcpy(sim->event_names, names, sizeof names);
    return news;
}

void lb_get_simulation_state(const lb_simulation *sim, double *t, const double **q,
                             const double **v, const double **a)
{
    if (t) {
        *t = sim->flow.t;
    }
    const double *y = sim->flow.y; // until it starts, the initial state is all there is
    if (q) {
        *q = sim->stage == LB_STAGE_RUNNING ? y : sim->q0;
    }
    if (v) {
        *v = sim->stage == LB_STAGE_RUNNING ? y + sim->system.q_count : sim->v0;
    }
    if (a) {
        *a = sim->system.a;
    }
}

const double *lb_get_simulation_loop_forces(const lb_simulation *sim)
{
    return sim->system.closure ? sim->system.closure->forces : NULL;
}

const double *lb_get_simulation_work(const lb_simulation *sim, int *count)
{
    *count = sim->system.work_count;
    return sim->flow.y ? sim->flow.y + sim->system.q_count + sim->system.v_count : NULL;
}

const char *lb_get_event_names(const lb_simulation *sim)
{
    return sim->event_names;
}

const char *lb_get_simulation_message(const lb_simulation *sim)
{
    return sim->system.message;
}

lb_status lb_read_signal(lb_simulation *sim, const char *text, double *value)
{
    lb_system *s = &sim->system;
    lb_faults faults = lb_hear_faults(sim);
    lb_signal signal;
    *value = 0.0;
    if (sim->stage != LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_STAGE, "signals are read after the simulation is started");
    }
    if (!lb_resolve_signal(s->model, s->forces->signals, text, &faults, "", "", &signal)) {
        return LB_E_ARGUMENT;
    }
    lb_load_memory loads = {.count = 0};
    lb_instant instant = lb_make_system_instant(s, sim->flow.t, s->q, s->v, s->a);
    instant.loads = &loads;
    const lb_status status = lb_evaluate_signal(&signal, &instant, value);
    return status < 0 ? lb_say(s, status, "t = %.9g s: signal '%s': %s", sim->flow.t, text,
                               lb_get_status_text(status))
                      : LB_OK;
}
