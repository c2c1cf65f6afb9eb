// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The point that a linear model is about: state, equilibrium or steady motion.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/faults.h"
#include "base/sized.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "limber/loops.h"
#include "linear.h"
#include "simulate/balance/trim.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"
#include "simulate/record/record_tables.h"
#include "simulate/system/closure.h"

// ---- options -----------------------------------------------------------------------------------

lb_status lb_take_linear_options(lb_simulation *sim, const lb_linear_options *options,
                                 lb_linear_options *own)
{
    *own = lb_default_linear_options();
    const size_t smallest = offsetof(lb_linear_options, about) + sizeof own->about;
    const lb_status status = lb_take_sized(own, sizeof *own, smallest, options);
    return status >= 0 ? LB_OK
                       : lb_say(&sim->system, status,
                                "linear: options of %zu bytes, but this version of limber knows "
                                "%zu: start from lb_default_linear_options; the program may be "
                                "built for a newer version",
                                options->size, sizeof *own);
}

// ---- names -------------------------------------------------------------------------------------

bool lb_is_guided(const lb_model *model, const lb_operating_point *point, int entry)
{
    const int body = lb_find_owner(model, entry);
    return point->guided[body] &&
           entry >= lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
}

int lb_find_speed(const lb_model *model, const char *text, const lb_report *report)
{
    lb_faults faults = {.error_count = 0};
    if (report) {
        faults.report = *report;
    }
    int body, index;
    if (!lb_find_hinge(model, text, &body, &index)) {
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "",
                    "there is no body \"%.128s\" whose hinge could be meant", text);
        return LB_NOT_FOUND;
    }
    const int count = lb_get_hinge(model, body).v_count;
    const char *name = lb_get_body_name(model, body);
    if (count == 0) {
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "the hinge of \"%.128s\" is fixed", name);
        return LB_NOT_FOUND;
    }
    if (index < 0 && count > 1) {
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "",
                    "the hinge of \"%.100s\" has %d speeds: say which one, as %.100s.0", name,
                    count, name);
        return LB_NOT_FOUND;
    }
    if (index >= count) {
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "",
                    "the hinge of \"%.128s\" has no speed %d: there %s %d, from 0", name, index,
                    count == 1 ? "is" : "are", count);
        return LB_NOT_FOUND;
    }
    return lb_get_v_offset(model, body) + lb_get_mode_count(model, body) + (index < 0 ? 0 : index);
}

// ---- hinges that are held ----------------------------------------------------------------------

static void set_hinge(const lb_model *model, int body, double *v, double value)
{
    const int hinge = lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
    for (int i = 0; i < lb_get_hinge(model, body).v_count; ++i) {
        v[hinge + i] = value;
    }
}

// Hinges that follow a motion of the model: their flags, and their accelerations in a.
static lb_status find_driven(lb_system *s, const lb_operating_point *point, double *a,
                             unsigned char *driven)
{
    memset(driven, 0, (size_t)s->body_count);
    if (s->force_count == 0) {
        return LB_OK;
    }
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    lb_status status = lb_compute_kinematics(s->model, s->work, point->q, point->v, NULL);
    status = status < 0 ? status
                        : lb_compute_forces(s->forces, s->model, s->work, point->t, point->q,
                                            point->v, s->tau, driven, a);
    return status < 0 ? lb_say(s, status, "linear: %s", lb_get_force_message(s->forces)) : LB_OK;
}

// Without loops, seen from frames that move along with free bodies: at orbital speeds, products of
// speeds that cancel would leave their round-off.                                       (LIN-17)
static lb_status compute_free_accelerations(lb_system *s, lb_operating_point *point)
{
    const size_t n = (size_t)s->v_count;
    lb_arena arena = lb_make_arena(NULL);
    double *v_b = lb_take_numbers(&arena, 3 * n), *a_b = v_b + n, *turn = a_b + n;
    lb_status status = v_b ? LB_OK : LB_E_MEMORY;
    if (status >= 0) {
        lb_carry_along(s, point, point->v, turn, v_b, a_b);
        memcpy(turn, a_b, n * sizeof *turn); // w x v
        lb_carry_along(s, point, point->v, point->a, v_b, a_b);
        status = lb_tree_hybrid(s->model, s->work, point->q, v_b, s->driven, s->tau, a_b);
    }
    for (size_t i = 0; i < n && status >= 0; ++i) {
        point->a[i] = a_b[i] - turn[i];
    }
    lb_arena_free(&arena);
    return status;
}

// Accelerations of the point: of held hinges those that are given, of the rest what follows.
static lb_status compute_accelerations(lb_system *s, lb_operating_point *point, bool still)
{
    memset(point->a, 0, (size_t)s->v_count * sizeof *point->a);
    lb_status status = find_driven(s, point, point->a, s->driven);
    for (int k = 0; k < s->body_count; ++k) {
        // what a lock, a spin or an input holds has no acceleration; motions of the model may have
        if (point->held[k] == LB_HELD_STILL || point->guided[k] || still) {
            set_hinge(s->model, k, point->a, 0.0);
        }
        s->driven[k] =
            point->held[k] || point->guided[k] || (point->is_commanded && point->is_commanded[k]);
    }
    lb_follow_commands(point);
    if (status >= 0 && point->loop_forces) {
        status = lb_closed_forward(s->model, s->work, point->q, point->v, s->driven, s->tau,
                                   point->a, NULL, NULL);
    } else if (status >= 0) {
        status = compute_free_accelerations(s, point);
    }
    if (status == LB_E_SINGULAR) {
        int body = 0, offset = 0;
        char name[LB_COLUMN_SIZE];
        lb_get_bad_inertia(s->work, &body, &offset);
        lb_name_coordinate(s->model, lb_get_v_offset(s->model, body) + offset, false, name);
        return lb_say(s, status,
                      "linear: no mass resists %s; give the body, or what it carries, inertia",
                      name);
    }
    return status;
}

// ---- loops ---------------------------------------------------------------------------------------

// Largest speed, at least 1: what errors of speeds are measured by.
static double get_fastest(const lb_system *s, const double *v)
{
    return fmax(1.0, lb_find_largest(s->v_count, v));
}

void lb_set_locks(lb_system *s, const unsigned char *held, bool on)
{
    for (int k = 0; s->closure && k < s->body_count; ++k) {
        if (held[k]) {
            s->locked[k] = on;
            s->locked_count += on ? 1 : -1;
            lb_set_hinge_locked(s->model, s->work, k, on);
            lb_set_hinge_locked(s->model, s->closure->gauge, k, on);
        }
    }
}

// Puts the configuration on the loops, from which it may be off by what typing leaves.
static lb_status close_loops(lb_system *s, const unsigned char *fixed, lb_operating_point *point)
{
    int loop = 0;
    lb_status status = lb_set_loop_motions(s, point->t);
    status = status < 0 ? status : lb_measure_closure(s, point->q, point->v);
    const double open = status < 0 ? 0.0 : lb_find_worst_loop(s, s->closure->position, &loop);
    if (!(open <= 1e-6)) {
        return lb_say(s, LB_E_ARGUMENT,
                      "linear: loop \"%s\" is open by %.3g (m, rad) at this configuration; limber "
                      "assemble closes it",
                      lb_get_loop_name(s->model, loop), open);
    }
    if (status < 0 || open == 0.0) {
        return status;
    }
    lb_set_locks(s, fixed, true);
    status = lb_project(s, point->t, point->q, NULL);
    lb_set_locks(s, fixed, false);
    return status;
}

// Speeds that agree with the loops: those of dependent coordinates follow from the others.
//
// given     checked  the speeds are meant as they are
static lb_status close_speeds(lb_system *s, bool checked, lb_operating_point *point)
{
    int loop = 0;
    double left = 0.0;
    lb_status status = lb_measure_closure(s, point->q, point->v);
    const double parting = status < 0 ? 0.0 : lb_find_worst_loop(s, s->closure->velocity, &loop);
    if (checked && !(parting <= 1e-6 * get_fastest(s, point->v))) {
        return lb_say(
            s, LB_E_ARGUMENT,
            "linear: the ends of loop \"%s\" part with %.3g (m/s, rad/s) at these speeds; "
            "limber assemble finds speeds that agree",
            lb_get_loop_name(s->model, loop), parting);
    }
    status =
        status < 0 ? status : lb_complete_speeds(&point->freedom, point->q, point->v, &left, &loop);
    if (status >= 0 && !(left <= 1e-9 * get_fastest(s, point->v))) {
        return lb_say(s, LB_E_ARGUMENT,
                      "linear: no speeds agree with loop \"%s\": its ends part with %.3g (m/s, "
                      "rad/s), whatever moves; what is held or driven contradicts it",
                      lb_get_loop_name(s->model, loop), left);
    }
    return status;
}

// The independent coordinates of the point.
static lb_status find_freedom(lb_system *s, lb_operating_point *point, const bool *guided)
{
    const lb_status status = lb_choose_freedom(&point->freedom, point->q, guided);
    return status == LB_E_ARGUMENT
               ? lb_say(s, status, "linear: an input drives a hinge that the loops hold")
               : status;
}

// ---- steadiness --------------------------------------------------------------------------------

// Forces that are left at a configuration of the point's freedom, at its speeds and accelerations: r, one
// a free coordinate. With loops, also those that hold them (least norm: they are in the span of J), and
// what dependent coordinates would accelerate: a_d, one a coordinate.
static lb_status compute_residual(lb_system *s, lb_operating_point *point, const double *q,
                                  double *r, double *a_d, double *scale)
{
    const lb_freedom *f = &point->freedom;
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    lb_status status = lb_compute_kinematics(s->model, s->work, q, point->v, NULL);
    if (status >= 0 && s->force_count > 0) {
        status = lb_compute_forces(s->forces, s->model, s->work, point->t, q, point->v, s->tau,
                                   s->driven, s->a);
    }
    status = status < 0 ? status : lb_tree_inverse(s->model, s->work, q, point->v, point->a, s->a);
    for (int i = 0; i < s->v_count; ++i) {
        *scale = fmax(*scale, fmax(fabs(s->a[i]), fabs(s->tau[i])));
        s->tau[i] = s->a[i] - s->tau[i];
    }
    for (int i = 0; i < f->count; ++i) {
        a_d[i] = s->tau[f->coordinates[i]];
    }
    lb_gather(point, f->T, a_d, r);
    memset(a_d, 0, (size_t)f->count * sizeof *a_d);
    if (status >= 0 && f->T) {
        lb_solve_reaction(f, s->tau, point->loop_forces);
        status = lb_compute_kinematics(s->model, s->work, q, point->v, NULL);
        status =
            status < 0 ? status : lb_compute_loop_bias(s->model, s->work, s->closure->velocity);
        (void)lb_solve_dependent(f, s->closure->velocity, a_d);
    }
    return status;
}

// Whether the motion goes on as it is                                                   (LIN-3)
//
//     c(q (+) v s, v) = tau(q (+) v s, v)   for the rows that nothing holds, and there C and K of
//     (LIN-1) are what they are at s = 0
//
// looked at for four s that turn the fastest hinge by unlike parts of a revolution.
//
// given     scale  largest of the forces that balance
static lb_status check_orbit(lb_system *s, lb_operating_point *point, double fastest, double scale,
                             double *q, double *way, double *r)
{
    const lb_freedom *f = &point->freedom;
    double *a_d = r + s->v_count;
    enum { LOOKS = 4 };
    lb_status status = LB_OK;
    for (int look = 0; status >= 0 && look <= LOOKS; ++look) {
        const double turns = fmod(look * 0.6180339887498949, 1.0);
        const double time = 6.283185307179586 * turns / fastest;
        for (int i = 0; i < s->v_count; ++i) {
            way[i] = point->v[i] * time;
        }
        lb_integrate_configuration(s->model, point->q, way, q);
        // loops go on with the motion that they are given
        int loop = 0;
        status = lb_set_loop_motions(s, point->t + time);
        status = status < 0 || !s->closure ? status : lb_measure_closure(s, q, point->v);
        const double open =
            status < 0 || !s->closure ? 0.0 : lb_find_worst_loop(s, s->closure->position, &loop);
        if (status >= 0 && !(open <= 1e-7)) {
            return lb_say(
                s, LB_E_EQUILIBRIUM,
                "linear: the motion is not steady: at constant speeds loop \"%s\" is open "
                "by %.3g (m, rad), %.3g s on",
                lb_get_loop_name(s->model, loop), open, time);
        }
        status = status < 0 ? status : lb_follow_freedom(&point->freedom, q);
        status = status < 0 ? status : compute_residual(s, point, q, r, a_d, &scale);
        for (int i = 0; i < f->free_count && status >= 0; ++i) {
            const int entry = f->coordinates[f->free[i]];
            if (!(fabs(r[i]) <= 1e-8 * scale) && !lb_is_guided(s->model, point, entry)) {
                status = lb_say(s, LB_E_EQUILIBRIUM,
                                "linear: the motion is not steady: a force of %.3g is left at %s, "
                                "%.3g s on; a steady motion keeps its speeds",
                                r[i], point->names[f->free[i]], time);
            }
        }
        for (int i = 0; i < f->count && status >= 0; ++i) {
            if (!(fabs(a_d[i]) <= 1e-8 * fastest * fastest)) {
                status = lb_say(s, LB_E_EQUILIBRIUM,
                                "linear: the motion is not steady: the loops make %s accelerate at "
                                "%.3g, %.3g s on; a steady motion keeps its speeds",
                                point->names[i], -a_d[i], time);
            }
        }
    }
    return status;
}

// The equations themselves: once more, elsewhere.
static lb_status compare_tangents(lb_system *s, lb_operating_point *point, double fastest,
                                  double *q, double *way, double *r, lb_arena *arena)
{
    const int n = s->v_count, free_count = point->freedom.free_count;
    const double time = 6.283185307179586 * 0.2360679774997897 / fastest;
    double largest[2] = {0.0, 0.0}, change[2] = {0.0, 0.0}, scale = 0.0;
    lb_tangent whole, parts[2];
    lb_status status = lb_take_tangent(arena, n, &whole);
    for (int i = 0; i < n; ++i) {
        way[i] = point->v[i] * time;
    }
    lb_integrate_configuration(s->model, point->q, way, q);
    lb_operating_point other = *point;
    other.q = q;
    // there, then here, where T and the rest are wanted later
    for (int place = 1; place >= 0 && status >= 0; --place) {
        lb_operating_point *at = place ? &other : point;
        status = lb_set_loop_motions(s, point->t + (place ? time : 0.0));
        status = status < 0 ? status : lb_follow_freedom(&at->freedom, at->q);
        status = status < 0 ? status : lb_follow_point(s, arena, at);
        // what holds the loops may turn with the motion
        status = status < 0 ? status : compute_residual(s, at, at->q, r, r + s->v_count, &scale);
        status = status < 0 ? status : lb_compute_tangent(s, at, &whole);
        status = status < 0 ? status : lb_reduce(at, n, &whole, arena, &parts[place]);
    }
    for (int i = 0; i < free_count * free_count && status >= 0; ++i) {
        largest[0] = fmax(largest[0], fabs(parts[0].K[i]));
        largest[1] = fmax(largest[1], fabs(parts[0].C[i]));
        change[0] = fmax(change[0], fabs(parts[1].K[i] - parts[0].K[i]));
        change[1] = fmax(change[1], fabs(parts[1].C[i] - parts[0].C[i]));
    }
    if (status >= 0 && (change[0] > 1e-7 * (largest[0] + largest[1] * fastest) ||
                        change[1] > 1e-7 * (largest[1] + largest[0] / fastest))) {
        status = lb_say(s, LB_E_EQUILIBRIUM,
                        "linear: the motion is steady, but small deviations from it obey "
                        "equations that change along it (by up to %.3g): it has no modes, but with "
                        "a period exponents",
                        fmax(change[0], change[1]));
    }
    return status;
}

static lb_status check_steady(lb_system *s, lb_operating_point *point, double scale)
{
    lb_arena arena = lb_make_arena(NULL);
    const double fastest = lb_find_largest(s->v_count, point->v);
    double *q = lb_take_numbers(&arena, (size_t)(s->q_count + 3 * s->v_count));
    lb_status status = q ? LB_OK : LB_E_MEMORY;
    if (status >= 0 && fastest > 0.0) {
        double *way = q + s->q_count, *r = way + s->v_count;
        status = check_orbit(s, point, fastest, scale, q, way, r);
        status = status < 0 ? status : compare_tangents(s, point, fastest, q, way, r, &arena);
    }
    lb_arena_free(&arena);
    return status;
}

// ---- on along the motion -----------------------------------------------------------------------

// Driven hinges move on where all do, each with the speed that its motion has now.
static void move_on(lb_system *s, const lb_operating_point *point, double time, bool free, int only,
                    double *way, lb_operating_point *ahead)
{
    for (int i = 0; i < s->v_count; ++i) {
        const int body = lb_find_owner(s->model, i);
        const bool driven =
            point->held[body] == LB_HELD_MOVING && !point->guided[body] &&
            i >= lb_get_v_offset(s->model, body) + lb_get_mode_count(s->model, body);
        // bodies free in space go their own way, in the axes that they take along                (LIN-17)
        const bool carried = lb_get_hinge(s->model, body).type == LB_HINGE_FREE &&
                             lb_get_hinge(s->model, body).parent == LB_GROUND;
        const bool free_moves = free && !carried && !(point->averaged && point->averaged[body]);
        const bool moves = only >= 0 ? body == only && !carried : driven || free_moves;
        way[i] = moves ? (driven ? ahead->v[i] : point->v[i]) * time : 0.0;
    }
    lb_integrate_configuration(s->model, point->q, way, ahead->q);
}

// Driven hinges where their motions say, loops closed, accelerations, and what follows from the independent
// coordinates, which are those of the first point.
static lb_status complete_point(lb_system *s, const lb_operating_point *first, lb_arena *arena,
                                lb_operating_point *point)
{
    const size_t n = (size_t)s->v_count;
    lb_status status = LB_OK;
    point->S = point->R_q = point->R_v = NULL;
    if (s->force_count > 0) {
        status = lb_set_driven_state(s->forces, s->model, point->t, point->q, point->v);
    }
    lb_follow_commands(point);
    if (status >= 0 && s->closure) {
        point->loop_forces = lb_take_numbers(arena, 6 * (size_t)s->closure->slot_count);
        status = lb_take_freedom(arena, s, first->count, first->coordinates, &point->freedom);
        status = status < 0 || !point->loop_forces ? LB_E_MEMORY : lb_set_loop_motions(s, point->t);
        bool *stays = lb_arena_take(arena, n, sizeof *stays);
        for (int i = 0; i < first->freedom.free_count && stays; ++i) {
            stays[first->freedom.free[i]] = true; // the same coordinates are independent
        }
        status = status < 0 || !stays ? LB_E_MEMORY
                                      : lb_choose_freedom(&point->freedom, first->q, stays);
        status = status < 0 ? status : lb_close_dependent(&point->freedom, point->t, point->q);
        status = status < 0 ? status : close_speeds(s, false, point);
    }
    status = status < 0 ? status : compute_accelerations(s, point, false);
    double *r = lb_take_numbers(arena, 2 * n + 1), scale = 0.0;
    if (status >= 0 && s->closure) {
        status = r ? compute_residual(s, point, point->q, r, r + n, &scale) : LB_E_MEMORY;
        status = status < 0 ? status : lb_follow_point(s, arena, point);
    }
    return status;
}

// A copy of a point whose state is its own.
static lb_status copy_point(const lb_system *s, const lb_operating_point *point, lb_arena *arena,
                            lb_operating_point *copy)
{
    const size_t n = (size_t)s->v_count;
    *copy = *point;
    copy->q = lb_take_numbers(arena, (size_t)s->q_count + 3 * n + 1);
    if (!copy->q) {
        return LB_E_MEMORY;
    }
    copy->v = copy->q + s->q_count;
    copy->a = copy->v + n;
    memcpy(copy->q, point->q, (size_t)s->q_count * sizeof *copy->q);
    memcpy(copy->v, point->v, n * sizeof *copy->v);
    return LB_OK;
}

lb_status lb_look_ahead(lb_system *s, const lb_operating_point *point, double time, bool free,
                        int only, lb_arena *arena, lb_operating_point *ahead)
{
    lb_status status = copy_point(s, point, arena, ahead);
    if (status < 0) {
        return status;
    }
    if (s->force_count > 0) {
        status = lb_set_driven_state(s->forces, s->model, point->t, ahead->q, ahead->v);
    }
    if (status >= 0) {
        move_on(s, point, time, free, only, ahead->a + s->v_count, ahead);
        ahead->t += only >= 0 ? 0.0 : time;
        status = complete_point(s, point, arena, ahead);
    }
    return status;
}

lb_status lb_place_point(lb_system *s, const lb_operating_point *point, double t, const double *q,
                         const double *v, lb_arena *arena, lb_operating_point *at)
{
    lb_status status = copy_point(s, point, arena, at);
    if (status < 0) {
        return status;
    }
    memcpy(at->q, q, (size_t)s->q_count * sizeof *q);
    memcpy(at->v, v, (size_t)s->v_count * sizeof *v);
    at->t = t;
    status = lb_normalize_configuration(s->model, 0.5, at->q, NULL) < 0 ? LB_E_NUMBER : LB_OK;
    return status < 0 ? status : complete_point(s, point, arena, at);
}

// ---- the point ---------------------------------------------------------------------------------

static lb_status allocate(lb_system *s, const unsigned char *guided, lb_arena *arena,
                          lb_operating_point *point)
{
    const size_t bodies = (size_t)s->body_count, n = (size_t)s->v_count;
    point->q = lb_take_numbers(arena, (size_t)s->q_count);
    point->v = lb_take_numbers(arena, n);
    point->a = lb_take_numbers(arena, n);
    point->held = lb_arena_take(arena, bodies, 1);
    point->guided = lb_arena_take(arena, bodies, 1);
    point->coordinates = lb_arena_take(arena, n, sizeof *point->coordinates);
    point->names = lb_arena_take(arena, n, sizeof *point->names);
    if (!point->q || !point->v || !point->a || !point->held || !point->guided ||
        !point->coordinates || !point->names) {
        return LB_E_MEMORY;
    }
    if (guided) {
        memcpy(point->guided, guided, bodies);
    }
    return LB_OK;
}

static lb_status check_options(lb_simulation *sim, const lb_linear_options *o)
{
    lb_system *s = &sim->system;
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_ARGUMENT, "linear: the simulation has started");
    }
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(o->about_point[i])) {
            return lb_say(s, LB_E_ARGUMENT, "linear: about_point is not finite");
        }
    }
    if (o->spin >= s->v_count || !isfinite(o->spin_speed) || !isfinite(o->t)) {
        return lb_say(s, LB_E_ARGUMENT, "linear: spin, its speed or the time is out of range");
    }
    return LB_OK;
}

// Whether all is at rest, whatever the state says.
static bool is_resting(const lb_linear_options *o)
{
    return o->about == LB_ABOUT_REST || o->about == LB_ABOUT_EQUILIBRIUM;
}

// State and speeds as the options want them; which hinges are held.
static lb_status set_state(lb_simulation *sim, const lb_linear_options *o,
                           lb_operating_point *point)
{
    lb_system *s = &sim->system;
    const lb_model *model = s->model;
    const size_t n = (size_t)s->v_count;
    int bad = -1;
    memcpy(point->q, o->q ? o->q : sim->q0, (size_t)s->q_count * sizeof *point->q);
    memcpy(point->v, o->v ? o->v : sim->v0, n * sizeof *point->v);
    point->t = o->t;
    if (lb_normalize_configuration(model, 1e-6, point->q, &bad) < 0) {
        char where[128];
        lb_describe_entry(s, bad, where, sizeof where);
        return lb_say(s, LB_E_ARGUMENT, "linear: %s: no number, or no quaternion of unit length",
                      where);
    }
    for (int i = 0; i < s->v_count; ++i) {
        if (!isfinite(point->v[i])) {
            return lb_say(s, LB_E_ARGUMENT, "linear: speed %d is not a finite number", i);
        }
    }
    const bool resting = is_resting(o);
    if (resting || (o->spin >= 0 && o->about != LB_ABOUT_STEADY && o->period == 0.0)) {
        memset(point->v, 0, n * sizeof *point->v);
    }
    if (s->force_count > 0) {
        // positions of driven hinges always, their speeds unless all is at rest
        const lb_status status =
            lb_set_driven_state(s->forces, model, o->t, point->q, resting ? s->v : point->v);
        if (status < 0) {
            return lb_say(s, status, "linear: the motion of a driven hinge is not finite");
        }
    }
    const lb_status status = find_driven(s, point, point->a, s->driven);
    for (int k = 0; status >= 0 && k < s->body_count; ++k) {
        const int hinge = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        const bool spun = o->spin >= hinge && o->spin < hinge + lb_get_hinge(model, k).v_count;
        if ((o->locked && o->locked[k]) || spun) {
            point->held[k] = LB_HELD_STILL;
            set_hinge(model, k, point->v, 0.0);
        } else if (s->driven[k]) {
            point->held[k] = LB_HELD_MOVING;
        }
        if (spun) {
            point->v[o->spin] = o->spin_speed;
        }
        if (point->guided[k]) {
            point->held[k] = 0;
        }
    }
    return status;
}

static void list_coordinates(const lb_model *model, lb_operating_point *point)
{
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int first = lb_get_v_offset(model, k), mode_count = lb_get_mode_count(model, k);
        const int count = mode_count + (point->held[k] ? 0 : lb_get_hinge(model, k).v_count);
        for (int i = 0; i < count; ++i) {
            if (point->resting && point->resting[first + i]) {
                continue; // friction holds this one of several speeds
            }
            lb_name_coordinate(model, first + i, false, point->names[point->count]);
            point->coordinates[point->count++] = first + i;
        }
    }
}

static lb_status find_balance(lb_system *s, const unsigned char *fixed, lb_operating_point *point,
                              double *scale)
{
    lb_trim trim = {.size = sizeof trim};
    lb_set_locks(s, fixed, true);
    const lb_status status = lb_find_balance(s, point->t, point->v, fixed, point->q, &trim);
    lb_set_locks(s, fixed, false);
    *scale = 1e9 * trim.tolerance;
    if (status == LB_E_EQUILIBRIUM) {
        // "trim: no equilibrium ..."
        char message[LB_MESSAGE_SIZE];
        const char *colon = strchr(s->message, ':');
        snprintf(message, sizeof message, "%s", colon ? colon + 2 : s->message);
        return lb_say(s, status, "linear: %.480s", message);
    }
    return status;
}

static lb_status find_loop_forces(lb_system *s, lb_arena *arena, lb_operating_point *point)
{
    double *r = lb_take_numbers(arena, 2 * (size_t)s->v_count), scale = 0.0;
    return r ? compute_residual(s, point, point->q, r, r + s->v_count, &scale) : LB_E_MEMORY;
}

// What accelerates although the point is none that moves: for a warning.
static void find_unbalance(lb_operating_point *point)
{
    for (int i = 0; i < point->count; ++i) {
        const int entry = point->coordinates[i];
        if (fabs(point->a[entry]) > fmax(point->unbalance, 1e-9)) {
            point->unbalance = fabs(point->a[entry]);
            point->unbalanced = i;
        }
    }
}

// Coordinates that move, and with loops a state on them.
static lb_status prepare(lb_system *s, const lb_linear_options *o, lb_arena *arena,
                         lb_operating_point *point, bool **guided, unsigned char **fixed)
{
    *fixed = lb_arena_take(arena, (size_t)s->body_count, 1);
    *guided = lb_arena_take(arena, (size_t)s->v_count, sizeof **guided);
    if (!*fixed || !*guided) {
        return LB_E_MEMORY;
    }
    list_coordinates(s->model, point);
    for (int i = 0; i < point->count; ++i) {
        (*guided)[i] = lb_is_guided(s->model, point, point->coordinates[i]);
    }
    bool locks = o->spin >= 0;
    for (int k = 0; k < s->body_count; ++k) {
        (*fixed)[k] = point->held[k] || point->guided[k];
        locks = locks || (o->locked && o->locked[k]);
    }
    lb_status status = lb_take_freedom(arena, s, point->count, point->coordinates, &point->freedom);
    if (status < 0 || !s->closure) {
        return status;
    }
    point->loop_forces = lb_take_numbers(arena, 6 * (size_t)s->closure->slot_count);
    s->closure->dropped = is_resting(o) ? 2 : o->about == LB_ABOUT_STATE && o->spin < 0 ? 0 : 1;
    status = point->loop_forces ? close_loops(s, *fixed, point) : LB_E_MEMORY;
    status = status < 0 ? status : find_freedom(s, point, *guided);
    return status < 0 ? status : close_speeds(s, !is_resting(o) && !locks, point);
}

void *lb_leave_point(lb_system *s, lb_status status, void *record)
{
    if (s->closure) {
        s->closure->dropped = 0;
        (void)lb_set_loop_motions(s, 0.0); // which had no complaint before
    }
    if (status < 0) {
        lb_destroy_record(record);
        return NULL;
    }
    return record;
}

// The point of the options, whatever friction may hold there.
static lb_status find_point(lb_simulation *sim, const lb_linear_options *options,
                            const unsigned char *guided, const unsigned char *resting,
                            lb_arena *arena, lb_operating_point *point)
{
    lb_system *s = &sim->system;
    *point = (lb_operating_point){
        .unbalanced = -1, .resting = resting, .controlled = sim->control != NULL};
    bool *guided_entries = NULL;
    unsigned char *fixed = NULL;
    lb_status status = check_options(sim, options);
    // loops know where they close from the initial state, which need not be closed beside another
    status = status < 0 || sim->stage == LB_STAGE_MOMENT ? status : lb_close_initial(sim);
    status = (status == LB_E_OPEN || status == LB_E_EQUILIBRIUM) && options->q ? LB_OK : status;
    status = status < 0 ? status : allocate(s, guided, arena, point);
    status = status < 0 ? status : set_state(sim, options, point);
    status = status < 0 ? status : prepare(s, options, arena, point, &guided_entries, &fixed);
    point->steady =
        options->about == LB_ABOUT_STEADY || (options->spin >= 0 && options->period == 0.0);
    const bool balanced = point->steady || options->about == LB_ABOUT_EQUILIBRIUM;
    double scale = 0.0;
    if (status >= 0 && balanced) {
        status = find_balance(s, fixed, point, &scale);
        status = status < 0 ? status : find_freedom(s, point, guided_entries);
    }
    status =
        status < 0 ? status : compute_accelerations(s, point, options->about != LB_ABOUT_STATE);
    if (status < 0) {
        return status;
    }
    find_unbalance(point);
    if (balanced) {
        // zero up to what the search leaves
        memset(point->a, 0, (size_t)s->v_count * sizeof *point->a);
        point->unbalance = 0.0;
        point->unbalanced = -1;
    }
    status = s->closure ? find_loop_forces(s, arena, point) : LB_OK;
    status = status < 0 ? status : lb_follow_point(s, arena, point);
    return status < 0 || !point->steady ? status : check_steady(s, point, scale);
}

lb_status lb_find_point(lb_simulation *sim, const lb_linear_options *options,
                        const unsigned char *guided, lb_arena *arena, lb_operating_point *point)
{
    lb_status status = find_point(sim, options, guided, NULL, arena, point);
    if (status < 0 || sim->stick_count == 0) {
        return status;
    }
    // hinges that friction holds at this point are held in the linear model
    const lb_system *s = &sim->system;
    const size_t body_count = (size_t)s->body_count, v_count = (size_t)s->v_count;
    lb_linear_options held = *options;
    unsigned char *others = lb_arena_take(arena, body_count, 1);
    lb_sticks_found found = {.hinges = lb_arena_take(arena, body_count, 1),
                             .speeds = lb_arena_take(arena, v_count, 1),
                             .a = lb_take_numbers(arena, v_count)};
    if (!others || !found.hinges || !found.speeds || !found.a) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < s->body_count; ++k) {
        others[k] = point->held[k] == LB_HELD_STILL || point->guided[k];
    }
    status = lb_find_sticks(sim, point->t, point->q, point->v, others, &found);
    if (status >= 0 && found.hinge_count + found.speed_count > 0) {
        for (int k = 0; options->locked && k < s->body_count; ++k) {
            found.hinges[k] = found.hinges[k] || options->locked[k];
        }
        held.locked = found.hinges;
        held.q = point->q;
        held.v = point->v;
        status = find_point(sim, &held, guided, found.speeds, arena, point);
    }
    // what else friction does to the point
    if (status >= 0 && options->about == LB_ABOUT_STATE && options->spin < 0 &&
        (found.speed_count > 0 || found.lets_go)) {
        memcpy(point->a, found.a, v_count * sizeof *found.a);
        point->unbalance = 0.0;
        point->unbalanced = -1;
        find_unbalance(point);
    }
    return status;
}
