// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole runs: the loop over outputs, and the audit at its end.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "simulate/record/record.h"
#include "simulate/store/record_file.h"

enum { SMALLEST_REQUEST = offsetof(lb_run_request, path) + sizeof(char *) };

static lb_status take_request(lb_simulation *sim, const lb_run_request *given,
                              lb_run_request *request)
{
    lb_faults faults = lb_hear_faults(sim);
    *request = lb_default_run_request();
    return lb_take_checked(&faults, "run", "", request, sizeof *request, SMALLEST_REQUEST, given);
}

static void make_audit(const lb_simulation *sim, lb_audit *audit)
{
    lb_step_counts counts = {0};
    lb_fill_audit(sim, sim->recorder, audit);
    sim->flow.stepper->count(&sim->flow, &counts);
    audit->time = sim->flow.t;
    audit->wall_time = lb_get_wall_time() - sim->wall_start;
    audit->processor_time = lb_get_processor_time() - sim->processor_start;
    audit->quaternion_error = sim->flow.quaternion_error;
    audit->closure_error = sim->closure_error;
    audit->closure_speed_error = sim->closure_speed_error;
    audit->steps = counts.steps;
    audit->rejections = counts.rejections;
    audit->evaluations = (double)sim->system.evaluation_count;
    audit->jacobians = (double)sim->system.jacobian_count;
    audit->fallbacks = (double)sim->system.fallback_count;
    audit->deformation = sim->deformation;
    audit->events = (double)(sim->events_met + sim->stick_events);
    lb_bound_audit(sim, sim->recorder, audit);
}

// Asks `progress` also between two outputs that are far apart.
typedef struct asking {
    lb_simulation *sim;
    const lb_run_request *request;
    double last; // wall time
} asking;

static bool is_called_off(void *user)
{
    asking *a = user;
    const double now = lb_get_wall_time();
    if (now - a->last < 0.2) {
        return false;
    }
    a->last = now;
    return a->request->progress(a->request->user, a->sim->flow.t, a->sim->flow.options.duration) !=
           0;
}

// The first row, behind the events of the first instant.
static lb_status begin(lb_simulation *sim)
{
    lb_status news;
    do {
        news = lb_advance_simulation(sim, sim->flow.t);
    } while (news == LB_NEWS_EVENT);
    const lb_status status = news < 0 ? news : lb_record_simulation(sim);
    return status < 0 ? status : news;
}

// From output to output, to the end or to what ends it earlier.
static lb_status run(lb_simulation *sim, const lb_run_request *request)
{
    const lb_run_options *o = &sim->flow.options;
    const double tiny = 1e-9 * o->interval;
    double row = floor(sim->flow.t / o->interval + 1e-9);
    lb_status status = LB_OK;
    while (status >= 0 && sim->flow.t < o->duration - tiny) {
        row += 1.0;
        double t = row * o->interval;
        t = t > o->duration - tiny ? o->duration : t;
        lb_status news;
        do {
            news = lb_advance_simulation(sim, t);
            // many events between two outputs are progress, too
            if (news >= 0 && request->progress &&
                request->progress(request->user, sim->flow.t, o->duration)) {
                status = lb_record_simulation(sim);
                return status < 0 ? status : LB_NEWS_INTERRUPTED;
            }
        } while (news == LB_NEWS_EVENT);
        if (news < 0) {
            // called off between two outputs: as if it had been after the last
            return sim->system.called_off ? LB_NEWS_INTERRUPTED : news;
        }
        status = lb_record_simulation(sim);
        if (status >= 0 && news == LB_NEWS_STOP) {
            return news;
        }
    }
    return status;
}

lb_status lb_start_recording(lb_simulation *sim, const lb_run_request *given)
{
    lb_run_request own, *request = &own;
    if (sim->stage == LB_STAGE_RUNNING || sim->recorder) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "recording starts before the simulation");
    }
    lb_status status = take_request(sim, given, request);
    status = status < 0 ? status : lb_complete_simulation(sim);
    if (status < 0) {
        return status;
    }
    sim->wall_start = lb_get_wall_time();
    sim->processor_start = lb_get_processor_time();
    status = request->resume ? lb_resume_recorder(sim, request, &sim->recorder)
                             : lb_create_recorder(sim, request, &sim->recorder);
    if (status != LB_OK) {
        lb_destroy_recorder(sim->recorder);
        sim->recorder = NULL;
    }
    return status;
}

lb_status lb_record_simulation(lb_simulation *sim)
{
    return sim->recorder ? lb_record_row(sim, sim->recorder)
                         : lb_say(&sim->system, LB_E_ARGUMENT, "nothing is being recorded");
}

static lb_status refuse_audit(lb_simulation *sim, const lb_audit *audit)
{
    return lb_say(
        &sim->system, LB_E_VERSION,
        "lb_audit of %zu bytes, but this version of limber knows %zu: its size is not set, "
        "or the program was built for a newer version",
        audit->size, sizeof *audit);
}

lb_status lb_end_recording(lb_simulation *sim, lb_status status, lb_audit *audit)
{
    lb_audit own = {.size = sizeof own};
    if (audit && lb_give_audit(&own, audit) < 0) {
        return refuse_audit(sim, audit);
    }
    if (!sim->recorder) {
        return status;
    }
    // what was recorded before a failure is kept
    char message[LB_MESSAGE_SIZE];
    memcpy(message, sim->system.message, sizeof message);
    const lb_status flushed = lb_flush_recorder(sim, sim->recorder);
    if (status < 0) {
        memcpy(sim->system.message, message, sizeof message);
    }
    if (sim->flow.stepper && sim->flow.integrator) {
        make_audit(sim, &own);
    }
    if (status >= 0 && flushed >= 0) {
        sim->complete = status == LB_NEWS_STOP ? 2 : status == LB_NEWS_INTERRUPTED ? 3 : 1;
        const lb_status finished = lb_finish_recorder(sim, sim->recorder, &own);
        status = finished < 0 ? finished : status;
    }
    status = status >= 0 && flushed < 0 ? flushed : status;
    lb_destroy_recorder(sim->recorder);
    sim->recorder = NULL;
    if (audit) {
        lb_give_audit(&own, audit);
    }
    return status;
}

lb_status lb_run_simulation(lb_simulation *sim, const lb_run_request *given, lb_audit *audit)
{
    lb_run_request own, *request = &own;
    const lb_audit none = {.size = sizeof none};
    if (audit && lb_give_audit(&none, audit) < 0) {
        return refuse_audit(sim, audit);
    }
    lb_status status = take_request(sim, given, request);
    status = status < 0 ? status : lb_start_recording(sim, request);
    if (status != LB_OK) {
        return status;
    }
    const lb_stage before = sim->stage;
    sim->flow.is_eager = true;
    status = lb_start_simulation(sim);
    status = status < 0                    ? status
             : before == LB_STAGE_ENDED    ? LB_NEWS_STOP
             : before == LB_STAGE_COMPLETE ? begin(sim)
                                           : status;
    asking a = {sim, request, lb_get_wall_time()};
    if (request->progress) {
        sim->system.is_called_off = is_called_off;
        sim->system.caller = &a;
    }
    status = status < 0 || status == LB_NEWS_STOP ? status : run(sim, request);
    sim->system.is_called_off = NULL;
    sim->system.called_off = false;
    sim->flow.is_eager = false;
    return lb_end_recording(sim, status, audit);
}
