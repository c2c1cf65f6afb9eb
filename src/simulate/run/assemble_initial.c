// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The initial state of a model with loops: assembled, or checked.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/loops/loop_products.h"
#include "limber/assemble.h"
#include "simulate/forces/force_set.h"
#include "simulate/signals/signals.h"
#include "simulate/system/closure.h"
#include "simulation.h"

// An initial state may be off by this much, m or rad and per second, and is then put right silently:
// numbers typed with seven digits.
static const double typing_error = 1e-6;

lb_status lb_hold_coordinate(lb_simulation *sim, const char *text, unsigned char *held)
{
    lb_system *s = &sim->system;
    int body = lb_find_body(s->model, text);
    if (body >= 0) {
        memset(held + lb_get_v_offset(s->model, body), 1,
               (size_t)(lb_get_mode_count(s->model, body) + lb_get_hinge(s->model, body).v_count));
        return LB_OK;
    }
    lb_signal signal;
    if (!lb_find_coordinate(sim, text, &signal)) {
        return LB_E_ARGUMENT;
    }
    body = signal.body;
    if (signal.kind == LB_SIGNAL_V) {
        held[signal.index] = 1;
        return LB_OK;
    }
    if (signal.kind == LB_SIGNAL_Q) {
        const int entry = signal.index - lb_get_q_offset(s->model, body);
        const lb_hinge_type type = lb_get_hinge(s->model, body).type;
        if (entry < lb_get_mode_count(s->model, body) ||
            (type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE)) {
            held[lb_get_v_offset(s->model, body) + entry] = 1;
            return LB_OK;
        }
    }
    return lb_say(s, LB_E_ARGUMENT,
                  "'%s' cannot be held: expected a body, a coordinate such as crank.angle or "
                  "panel.eta.0, or a speed such as base.v.2",
                  text);
}

lb_status lb_prepare_loops(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    lb_status status = LB_OK;
    if (!s->closure) {
        return LB_OK;
    }
    if (s->force_count > 0) {
        status = lb_set_driven_state(s->forces, s->model, sim->start_time, sim->q0, sim->v0);
    }
    s->closure->dropped = 0;
    status = status < 0 ? status : lb_set_loop_motions(s, sim->start_time);
    if (status >= 0 && !s->closure->has_offsets) {
        int loop = 0;
        status = lb_take_initial_offsets(s->model, s->work, sim->q0, &loop);
        status = status < 0 ? status
                            : lb_take_initial_offsets(s->model, s->closure->gauge, sim->q0, &loop);
        if (status == LB_E_ARGUMENT) {
            return lb_say(s, status, "the ends of rod '%s' coincide in the initial state",
                          lb_get_loop_name(s->model, loop));
        }
        s->closure->has_offsets = status >= 0;
        for (int l = 0; l < lb_get_loop_count(s->model); ++l) {
            s->closure->defined[l].size = sizeof *s->closure->defined;
            (void)lb_get_loop_ends(s->model, s->work, l, &s->closure->defined[l]);
        }
    }
    return status;
}

// "; held are 'crank' (driven), 'slider'; another initial state, or less that is held, may help"
static void write_held(const lb_system *s, const unsigned char *fixed, char *text, size_t size)
{
    enum { NAMES_MAX = 4 };
    int count = 0;
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k);
        const int n = lb_get_mode_count(s->model, k) + lb_get_hinge(s->model, k).v_count;
        if (n == 0 || !memchr(fixed + first, 1, (size_t)n) || ++count > NAMES_MAX) {
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s '%.64s'%s",
                                 count == 1 ? "; held are" : ",", lb_get_body_name(s->model, k),
                                 s->closure->held[k] ? " (driven)" : "");
    }
    if (count > NAMES_MAX) {
        used += (size_t)snprintf(text + used, size - used, " and %d more", count - NAMES_MAX);
    }
    snprintf(text + used, size - used, "; another initial state%s may help",
             count > 0 ? ", or less that is held," : "");
}

static lb_status say_open(lb_simulation *sim, const lb_assembly *found, const unsigned char *fixed)
{
    char held[512];
    write_held(&sim->system, fixed, held, sizeof held);
    lb_system *s = &sim->system;
    const double tolerance = lb_default_assembly_options().tolerance;
    if (!(found->residual <= tolerance) && lb_is_loop_flipped(s->model, s->work, found->loop)) {
        return lb_say(
            s, LB_E_OPEN,
            "assemble: loop '%s' cannot be closed from here: its ends are turned over, the "
            "axis of one opposite to that of the other; turn one of the nodes round, or start from "
            "another state",
            lb_get_loop_name(s->model, found->loop));
    }
    if (!(found->residual <= tolerance)) {
        return lb_say(s, LB_E_OPEN,
                      "assemble: loop '%s' cannot be closed from here: after %d iterations it is "
                      "off by %.3g (m, rad)%s",
                      lb_get_loop_name(s->model, found->loop), found->iterations, found->residual,
                      held);
    }
    return lb_say(s, LB_E_OPEN,
                  "assemble: loop '%s' closes, but speeds that agree with it are not to be found: "
                  "%.3g (m/s, rad/s) are left; what is held or driven contradicts it",
                  lb_get_loop_name(s->model, found->speed_loop), found->speed_residual);
}

lb_status lb_assemble_simulation(lb_simulation *sim, const unsigned char *held,
                                 lb_assembly *assembly)
{
    lb_system *s = &sim->system;
    lb_assembly found = {.size = sizeof found};
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_ARGUMENT, "loops are assembled before the simulation is started");
    }
    lb_status status = lb_complete_simulation(sim);
    held = held ? held : sim->assemble_held;
    if (status >= 0 && s->closure) {
        const size_t n = (size_t)s->v_count, q_count = (size_t)s->q_count;
        double *scratch =
            calloc(lb_get_assembly_scratch_count(s->model) + q_count + n + 1, sizeof *scratch);
        unsigned char *fixed = calloc(n + 1, 1);
        if (!scratch || !fixed) {
            free(scratch);
            free(fixed);
            return LB_E_MEMORY;
        }
        status = lb_prepare_loops(sim);
        // what is held or driven
        lb_find_held(s, s->closure->held);
        for (size_t i = 0; held && i < n; ++i) {
            fixed[i] = held[i];
        }
        for (int k = 0; k < s->body_count; ++k) {
            const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
            if (s->closure->held[k]) {
                memset(fixed + hinge, 1, (size_t)lb_get_hinge(s->model, k).v_count);
            }
        }
        double *q = scratch + lb_get_assembly_scratch_count(s->model), *v = q + q_count;
        memcpy(q, sim->q0, q_count * sizeof *q);
        memcpy(v, sim->v0, n * sizeof *v);
        lb_assembly_options options = lb_default_assembly_options();
        options.held = fixed;
        status = status < 0 ? status
                            : lb_assemble_loops(s->model, s->work, &options, q, v, scratch, &found);
        if (status == LB_E_OPEN) {
            status = say_open(sim, &found, fixed);
        } else if (status < 0) {
            status = lb_say(s, status, "assemble: %s", lb_get_status_text(status));
        } else {
            memcpy(sim->q0, q, q_count * sizeof *q);
            memcpy(sim->v0, v, n * sizeof *v);
        }
        free(scratch);
        free(fixed);
    }
    if (assembly) {
        const lb_status handed =
            lb_give_sized(&found, sizeof found, LB_SIZE_THROUGH(lb_assembly, loop), assembly);
        status = status < 0 ? status : handed;
    }
    return status;
}

lb_status lb_compute_initial_loop_errors(lb_simulation *sim, double *position, double *velocity)
{
    lb_system *s = &sim->system;
    lb_status status = lb_complete_simulation(sim);
    if (status >= 0 && !s->closure) {
        return lb_say(s, LB_E_ARGUMENT, "the model has no loops");
    }
    status = status < 0 ? status : lb_measure_closure(s, sim->q0, sim->v0);
    if (status >= 0) {
        const size_t size = 6 * (size_t)s->closure->slot_count * sizeof *position;
        memcpy(position, s->closure->position, size);
        memcpy(velocity, s->closure->velocity, size);
    }
    return status;
}

lb_status lb_close_initial(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    if (sim->settle) {
        return sim->settle(sim);
    }
    if (!s->closure) {
        return LB_OK;
    }
    if (sim->flow.options.assemble) {
        return lb_assemble_simulation(sim, sim->assemble_held, NULL);
    }
    lb_status status = lb_prepare_loops(sim);
    status = status < 0 ? status : lb_measure_closure(s, sim->q0, sim->v0);
    if (status < 0) {
        return status;
    }
    int loop;
    double error = lb_find_worst_loop(s, s->closure->position, &loop);
    if (!(error <= typing_error) && lb_is_loop_flipped(s->model, s->closure->gauge, loop)) {
        return lb_say(
            s, LB_E_OPEN,
            "loop '%s' is open in the initial state: its ends are turned over, the axis of "
            "one opposite to that of the other; turn one of the nodes round, or close it with "
            "`assemble: true` under run",
            lb_get_loop_name(s->model, loop));
    }
    if (!(error <= typing_error)) {
        return lb_say(s, LB_E_OPEN,
                      "loop '%s' is open in the initial state, by %.3g (m, rad): close it with "
                      "`assemble: true` under run, with --assemble, or by what limber assemble "
                      "prints",
                      lb_get_loop_name(s->model, loop), error);
    }
    const double largest = fmax(1.0, lb_find_largest(s->v_count, sim->v0));
    error = lb_find_worst_loop(s, s->closure->velocity, &loop);
    if (!(error <= typing_error * largest)) {
        return lb_say(
            s, LB_E_OPEN,
            "loop '%s' does not agree with the initial speeds: its ends part with %.3g "
            "(m/s, rad/s); `assemble: true` under run, --assemble or limber assemble find "
            "speeds that do",
            lb_get_loop_name(s->model, loop), error);
    }
    return LB_OK;
}
