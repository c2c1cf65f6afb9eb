// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What changes while it runs: hinges locked, loops closed, altered and released, and the impulses that
// go with it.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/loops/loop_products.h"
#include "limber/loops.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"
#include "simulate/system/closure.h"
#include "simulation.h"

// Ends that are further apart than this, m or rad, are not closed by an impulse.
static const double reach = 1e-6;

// ---- impulses ------------------------------------------------------------------------------------

static double *get_work(lb_simulation *sim)
{
    const lb_system *s = &sim->system;
    return sim->flow.y + s->q_count + s->v_count + s->force_count;
}

// What each motion does in an impulse: u' mu at its hinge, with impulses mu.
static void book_motions(lb_simulation *sim, const double *impulses)
{
    const lb_system *s = &sim->system;
    double *work = sim->flow.y + s->q_count + s->v_count;
    for (int k = 0; k < s->body_count; ++k) {
        const int motion = s->locked[k] ? -1 : lb_find_motion(s, k);
        const int first = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        for (int i = first; motion >= 0 && i < first + lb_get_hinge(s->model, k).v_count; ++i) {
            work[motion] += s->v[i] * impulses[i];
        }
    }
}

// Speeds jump so that they agree with the loops that hold and with a hinge that stops; driven hinges
// have those of their motion, hinges that are locked already stay so. What is lost and what drives do is
// booked apart.
//
//     d T = drives + loops - loss                                                       (CLO-12)
static lb_status strike(lb_simulation *sim, int loss)
{
    lb_system *s = &sim->system;
    lb_impulse_work energy = {.size = sizeof energy};
    double *v = sim->flow.y + s->q_count;
    lb_release_sticks(sim); // friction is no match for an impulse
    lb_find_held(s, s->driven);
    memcpy(s->v, v, (size_t)s->v_count * sizeof *v);
    lb_status status = lb_set_driven_state(s->forces, s->model, sim->flow.t, sim->flow.y, s->v);
    status = status < 0 ? status
                        : lb_compute_driven_impulse(s->model, s->work, sim->flow.y, v, s->driven,
                                                    s->v, NULL, s->tau, &energy);
    if (status >= 0) {
        double *work = get_work(sim);
        work[loss] -= energy.loss;
        work[LB_WORK_DRIVES] += energy.drives;
        book_motions(sim, s->tau);
        if (s->closure) {
            work[LB_WORK_LOOPS] += energy.loops;
        }
    }
    // what round-off has left, and whether it could be done at all
    return status < 0 ? status : lb_project_step(s, sim->flow.t, sim->flow.y);
}

// ---- hinges --------------------------------------------------------------------------------------

lb_status lb_stop_hinge(lb_simulation *sim, int body)
{
    lb_system *s = &sim->system;
    lb_status status = s->closure ? lb_set_loop_motions(s, sim->flow.t) : LB_OK;
    status = status < 0 ? status : lb_set_hinge_locked(s->model, s->work, body, 1);
    if (status < 0) {
        return status;
    }
    // from now on the system itself knows of it
    lb_lock_hinge(s, body, LB_LOCKED_BY_EVENT, true);
    status = strike(sim, LB_WORK_LOCKING);
    (void)lb_set_hinge_locked(s->model, s->work, body, 0);
    return status;
}

lb_status lb_drive_hinge(lb_simulation *sim, int force)
{
    lb_system *s = &sim->system;
    const lb_force *f = &s->forces->forces[force];
    const bool drives = f->type == LB_FORCE_MOTION && !f->enabled;
    lb_set_force_enabled(s->forces, force, true);
    lb_status status = drives && s->closure ? lb_set_loop_motions(s, sim->flow.t) : LB_OK;
    return status < 0 || !drives ? status : strike(sim, LB_WORK_LOCKING);
}

// ---- loops ---------------------------------------------------------------------------------------

// Says that a loop does not close, and in which way.
static lb_status say_apart(lb_simulation *sim, int loop, double gap)
{
    lb_system *s = &sim->system;
    const char *name = lb_get_loop_name(s->model, loop);
    if (lb_is_loop_flipped(s->model, s->closure->gauge, loop)) {
        return lb_say(
            s, LB_E_OPEN,
            "t = %.9g s: loop '%s' cannot be closed: its ends are turned over, the axis of "
            "one opposite to that of the other; turn one of the nodes round, or `grasp` closes it "
            "where it is",
            sim->flow.t, name);
    }
    return lb_say(s, LB_E_OPEN,
                  "t = %.9g s: loop '%s' cannot be closed: its ends are %.3g (m, rad) apart; "
                  "`grasp` closes it where it is",
                  sim->flow.t, name, gap);
}

// The ends meet, within what may be put right.
static lb_status check_ends(lb_simulation *sim, int loop)
{
    lb_system *s = &sim->system;
    const lb_closure *c = s->closure;
    const lb_status status = lb_measure_closure(s, sim->flow.y, sim->flow.y + s->q_count);
    const double apart = lb_compute_norm(6, c->position + 6 * loop);
    return status < 0 ? status : apart <= reach ? LB_OK : say_apart(sim, loop, apart);
}

// Lets a slot join something, in both workspaces.
static lb_status join(lb_simulation *sim, int loop, const lb_loop_ends *ends)
{
    lb_system *s = &sim->system;
    lb_status status = lb_alter_loop(s->model, s->work, loop, ends);
    status = status < 0 ? status : lb_alter_loop(s->model, s->closure->gauge, loop, ends);
    const char *name = lb_get_loop_name(s->model, loop);
    if (status == LB_E_CAPACITY) {
        return lb_say(s, status, "t = %.9g s: loop '%s' cannot be altered so: %s", sim->flow.t,
                      name, lb_get_status_text(status));
    }
    if (status == LB_E_ARGUMENT && ends->body_a == ends->body_b) {
        return lb_say(s, status,
                      "t = %.9g s: loop '%s' cannot be altered so: both ends are on '%s'",
                      sim->flow.t, name, lb_get_body_name(s->model, ends->body_a));
    }
    if (status == LB_E_ARGUMENT) {
        return lb_say(s, status, "t = %.9g s: loop '%s' cannot be closed: a %s %s", sim->flow.t,
                      name, lb_get_loop_type_name(ends->type),
                      ends->type == LB_LOOP_ROD ? "needs a length, or `grasp`" : "needs an axis");
    }
    return status;
}

// Where a loop closes by its definition, if it does not at present. With `anywhere`, a rod may have no
// length yet.
static lb_status define(lb_simulation *sim, int loop, bool anywhere)
{
    lb_closure *c = sim->system.closure;
    if (!c->moved[loop]) {
        return LB_OK;
    }
    lb_loop_ends ends = c->defined[loop];
    ends.length = anywhere && !(ends.length > 0.0) ? 1.0 : ends.length;
    c->moved[loop] = 0;
    return join(sim, loop, &ends);
}

// Ends that do not quite meet are brought together, then speeds agree.
static lb_status settle(lb_simulation *sim, int loop)
{
    lb_status status = check_ends(sim, loop);
    status = status < 0 ? status : lb_project_positions(&sim->system, sim->flow.t, sim->flow.y);
    return status < 0 ? status : strike(sim, LB_WORK_CLOSING);
}

// Makes a loop hold, as its definition says or where it is.
static lb_status hold(lb_simulation *sim, int loop, bool where_it_is, bool again)
{
    lb_system *s = &sim->system;
    lb_closure *c = s->closure;
    lb_work *const works[2] = {s->work, c->gauge};
    lb_status status = define(sim, loop, where_it_is);
    status = status < 0 ? status : lb_set_loop_motions(s, sim->flow.t);
    for (int i = 0; status >= 0 && i < 2; ++i) {
        if (where_it_is) {
            status = lb_compute_kinematics(s->model, works[i], sim->flow.y, NULL, NULL);
            status =
                status < 0 ? status : lb_take_loop_offset(s->model, works[i], loop, sim->flow.y);
            c->moved[loop] = 1; // from its definition
        }
        if (status == LB_E_ARGUMENT) {
            return lb_say(s, status, "t = %.9g s: the ends of rod '%s' coincide", sim->flow.t,
                          lb_get_loop_name(s->model, loop));
        }
        status = status < 0 ? status : lb_set_loop_active(s->model, works[i], loop, 1);
    }
    return status < 0 || again ? status : settle(sim, loop);
}

lb_status lb_release_loop(lb_simulation *sim, int loop)
{
    lb_system *s = &sim->system;
    const lb_status status = lb_set_loop_active(s->model, s->work, loop, 0);
    return status < 0 ? status : lb_set_loop_active(s->model, s->closure->gauge, loop, 0);
}

lb_status lb_close_loop(lb_simulation *sim, int loop, bool where_it_is, bool again)
{
    const int holds = lb_is_loop_active(sim->system.work, loop);
    return holds ? LB_OK : hold(sim, loop, where_it_is, again);
}

static void apply(const lb_loop_change *change, lb_loop_ends *ends)
{
    if (change->has_end[0]) {
        ends->body_a = change->body[0];
        ends->node_a = change->node[0];
    }
    if (change->has_end[1]) {
        ends->body_b = change->body[1];
        ends->node_b = change->node[1];
    }
    // other ends meet b on a again
    if (change->has_end[0] || change->has_end[1] || change->has_type) {
        memset(ends->offset, 0, sizeof ends->offset);
    }
    if (change->has_axis) {
        memcpy(ends->axis, change->axis, sizeof ends->axis);
    }
    if (change->term_count > 0) {
        ends->terms = change->terms;
        ends->term_count = change->term_count;
    }
    ends->type = change->has_type ? change->type : ends->type;
    ends->length = change->has_length ? change->length : ends->length;
    ends->offset[0] = change->has_offset ? change->offset : ends->offset[0];
}

lb_status lb_change_loop(lb_simulation *sim, const lb_loop_change *change, bool makes, bool again)
{
    lb_system *s = &sim->system;
    const int loop = change->loop;
    const bool held = lb_is_loop_active(s->work, loop);
    const bool same_ends = !change->has_end[0] && !change->has_end[1] && !change->has_type;
    apply(change, &s->closure->defined[loop]);
    // one that was grasped stays where it is
    if (held && same_ends && !change->grasp && s->closure->moved[loop]) {
        lb_loop_ends ends = lb_default_loop_ends();
        lb_get_loop_ends(s->model, s->work, loop, &ends);
        apply(change, &ends);
        const lb_status status = join(sim, loop, &ends);
        return status < 0 || again ? status : settle(sim, loop);
    }
    s->closure->moved[loop] = 1;
    return makes || change->grasp || held ? hold(sim, loop, change->grasp, again)
                                          : define(sim, loop, false);
}
