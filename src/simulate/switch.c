// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What changes while it runs: hinges locked, loops closed and released, and the impulses that go
// with it.
#include <math.h>
#include <string.h>

#include "closure.h"
#include "limber/loops.h"

// Ends that are further apart than this, m or rad, are not closed by an impulse.
static const double reach = 1e-6;

static lb_status compute_kinetic(lb_system *s, const double *y, double *kinetic)
{
    const lb_status status = lb_compute_kinematics(s->model, s->work, y, y + s->q_count, NULL);
    return status < 0 ? status : lb_compute_energy(s->model, s->work, kinetic, NULL);
}

// ---- hinges --------------------------------------------------------------------------------------

// Accelerations with the hinges of `driven` given by a; forces other than inertia and loops cancel
// between two calls.
static lb_status respond(lb_system *s, double *a)
{
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    return s->closure
               ? lb_compute_constrained_dynamics(s->model, s->work, s->q, s->v, s->driven, s->tau,
                                                 a, NULL, NULL)
               : lb_compute_hybrid_dynamics(s->model, s->work, s->q, s->v, s->driven, s->tau, a);
}

// Stops a hinge at once: speeds change by dv with M dv = (impulses at the hinge and at loops), dv = -v
// there and zero at hinges that are driven or locked already. dv is the difference of two responses
// at rest, one with acceleration -v at the hinge and one with zero.
lb_status lb_stop_hinge(lb_simulation *sim, int body)
{
    lb_system *s = &sim->system;
    double *v = sim->y + s->q_count;
    // which hinges have given motion, and what energy there is
    lb_status status = lb_evaluate_system(s, sim->t, sim->y, NULL);
    double before = 0.0, after = 0.0;
    status = status < 0 ? status : lb_compute_energy(s->model, s->work, &before, NULL);
    if (status < 0) {
        return status;
    }
    if (!s->any_driven) {
        memset(s->driven, 0, (size_t)s->body_count);
    }
    s->driven[body] = 1;
    memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
    memset(sim->jump_a, 0, (size_t)s->v_count * sizeof *sim->jump_a);
    memset(sim->jump_b, 0, (size_t)s->v_count * sizeof *sim->jump_b);
    const int first = lb_get_v_offset(s->model, body) + lb_get_mode_count(s->model, body);
    const int count = lb_get_hinge_v_count(s->model, body);
    for (int i = first; i < first + count; ++i) {
        sim->jump_a[i] = -v[i];
    }
    status = respond(s, sim->jump_a);
    status = status < 0 ? status : respond(s, sim->jump_b);
    for (int i = 0; status >= 0 && i < s->v_count; ++i) {
        v[i] += sim->jump_a[i] - sim->jump_b[i];
    }
    for (int i = first; i < first + count; ++i) {
        v[i] = 0.0;
    }
    status = status < 0 ? status : compute_kinetic(s, sim->y, &after);
    if (status >= 0) {
        sim->y[s->q_count + s->v_count + s->force_count + LB_WORK_LOCKING] += after - before;
    }
    return status;
}

// ---- loops ---------------------------------------------------------------------------------------

// The ends meet, within what an impulse may put right.
static lb_status check_ends(lb_simulation *sim, int loop)
{
    lb_system *s = &sim->system;
    const lb_closure *c = s->closure;
    const lb_status status = lb_measure_closure(s, sim->y, sim->y + s->q_count);
    double square = 0.0;
    for (int i = 0; status >= 0 && i < 6; ++i) {
        square += c->position[6 * loop + i] * c->position[6 * loop + i];
    }
    if (status >= 0 && !(sqrt(square) <= reach)) {
        return lb_say(s, LB_E_OPEN,
                      "t = %.9g s: loop '%s' cannot be closed: its ends are %.3g (m, rad) apart; "
                      "`grasp` closes it where it is",
                      sim->t, lb_get_loop_name(s->model, loop), sqrt(square));
    }
    return status;
}

lb_status lb_release_loop(lb_simulation *sim, int loop)
{
    lb_system *s = &sim->system;
    const lb_status status = lb_set_loop_active(s->model, s->work, loop, 0);
    return status < 0 ? status : lb_set_loop_active(s->model, s->closure->gauge, loop, 0);
}

lb_status lb_close_loop(lb_simulation *sim, int loop, bool where_it_is, bool again)
{
    lb_system *s = &sim->system;
    double before = 0.0, after = 0.0;
    if (lb_is_loop_active(s->work, loop)) {
        return LB_OK;
    }
    lb_status status = compute_kinetic(s, sim->y, &before);
    status = status < 0 ? status : lb_measure_closure(s, sim->y, sim->y + s->q_count);
    lb_work *const works[2] = {s->work, s->closure->gauge};
    for (int i = 0; status >= 0 && i < 2; ++i) {
        status = where_it_is ? lb_take_loop_offset(s->model, works[i], loop, sim->y) : LB_OK;
        status = status < 0 ? status : lb_set_loop_active(s->model, works[i], loop, 1);
    }
    if (status < 0 || again) {
        return status;
    }
    status = check_ends(sim, loop);
    // the impulse is the projection of the speeds: the smallest change by kinetic energy
    status = status < 0 ? status : lb_project(s, sim->t, sim->y, sim->y + s->q_count);
    status = status < 0 ? status : compute_kinetic(s, sim->y, &after);
    if (status >= 0) {
        sim->y[s->q_count + s->v_count + s->force_count + LB_WORK_CLOSING] += after - before;
    }
    return status;
}
