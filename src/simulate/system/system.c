// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The equations of motion as y' = f(t, y), for every integrator alike; with loops y' = f(t, P(y)), P the
// projection onto them (PRJ-3).
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "closure.h"
#include "dynamics/divide/division.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "held_speeds.h"
#include "limber/loops.h"
#include "model/layout.h"
#include "model/model_parts.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"

lb_status lb_say(lb_system *system, lb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(system->message, sizeof system->message, format, arguments);
    va_end(arguments);
    if (status == LB_E_MEMORY && !strstr(system->message, "memory")) {
        // whatever went wrong for lack of it
        snprintf(system->message, sizeof system->message, "out of memory");
    }
    return status;
}

static lb_status keep_damping(lb_system *s)
{
    int total = 0;
    for (int k = 0; k < s->body_count; ++k) {
        const int n = lb_get_mode_count(s->model, k);
        s->damping_at[k] = n > 0 ? total : -1;
        total += n * n;
    }
    s->damping = lb_arena_take(s->arena, (size_t)total, sizeof *s->damping);
    if (!s->damping) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < s->body_count; ++k) {
        const int at = s->damping_at[k];
        if (at < 0) {
            continue;
        }
        lb_get_modal_matrices(s->model, k, NULL, s->damping + at);
        const int n = lb_get_mode_count(s->model, k);
        bool any = false;
        for (int i = 0; i < n * n; ++i) {
            any = any || s->damping[at + i] != 0.0;
        }
        if (!any) {
            s->damping_at[k] = -1;
        }
    }
    return LB_OK;
}

lb_status lb_init_system(lb_system *s, lb_arena *arena, const lb_model *model, lb_forces *forces)
{
    s->arena = arena;
    s->model = model;
    s->forces = forces;
    s->body_count = lb_get_body_count(model);
    s->q_count = lb_get_q_count(model);
    s->v_count = lb_get_v_count(model);
    const size_t body_count = (size_t)s->body_count, q_count = (size_t)s->q_count;
    const size_t v_count = (size_t)s->v_count;
    s->damping_at = lb_arena_take(s->arena, body_count, sizeof *s->damping_at);
    s->motions = lb_arena_take(s->arena, body_count, sizeof *s->motions);
    s->locked = lb_arena_take(s->arena, body_count, 1);
    s->driven = lb_arena_take(s->arena, body_count, 1);
    s->q = lb_arena_take(s->arena, q_count, sizeof(double));
    s->v = lb_arena_take(s->arena, v_count, sizeof(double));
    s->a = lb_arena_take(s->arena, v_count, sizeof(double));
    s->tau = lb_arena_take(s->arena, v_count, sizeof(double));
    s->tau_forces = lb_arena_take(s->arena, v_count, sizeof(double));
    s->break_time = INFINITY;
    s->piece_time = -INFINITY;
    const size_t work_size = lb_get_work_size(model);
    void *memory = lb_arena_take(s->arena, work_size, 1);
    if (!s->motions || !s->damping_at || !s->locked || !s->driven || !s->q || !s->v || !s->a ||
        !s->tau || !s->tau_forces || !memory) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_init_work(model, memory, work_size, &s->work);
    status = status < 0 ? status : lb_init_closure(s);
    return status < 0 ? status : keep_damping(s);
}

lb_status lb_complete_system(lb_system *s)
{
    s->force_count = lb_get_force_count(s->forces);
    s->work_count = s->force_count +
                    (lb_get_loop_capacity(s->model) > 0 ? LB_WORK_LOOP_COUNT : LB_WORK_TREE_COUNT);
    s->y_count = s->q_count + s->v_count + s->work_count;
    s->power = lb_take_numbers(s->arena, (size_t)s->work_count);
    return s->power ? LB_OK : LB_E_MEMORY;
}

// The quaternion of a hinge among the entries of q; NULL if it has none.
static double *find_quaternion(const lb_system *s, int body, double *q)
{
    const lb_hinge_type type = lb_get_hinge(s->model, body).type;
    return type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE
               ? q + lb_get_q_offset(s->model, body) + lb_get_mode_count(s->model, body)
               : NULL;
}

// Divides a quaternion by its length, which is given.
static void divide(double *u, double length)
{
    for (int i = 0; i < 4; ++i) {
        u[i] /= length;
    }
}

double lb_clean_state(const lb_system *s, double t, double *y)
{
    double worst = 0.0;
    for (int k = 0; k < s->body_count; ++k) {
        double *u = find_quaternion(s, k, y);
        const double n = u ? lb_compute_norm(4, u) : 1.0;
        worst = fmax(worst, fabs(n - 1.0));
        // what is unit up to round-off stays as it is: cleaning twice changes nothing
        if (n > 0.0 && fabs(n - 1.0) > 1e-15) {
            divide(u, n);
        }
    }
    if (s->force_count > 0) {
        lb_set_driven_state(s->forces, s->model, t, y, y + s->q_count);
    }
    return worst;
}

void lb_lock_hinge(lb_system *s, int body, int by, bool on)
{
    const bool before = s->locked[body] != 0;
    s->locked[body] = (unsigned char)(on ? s->locked[body] | by : s->locked[body] & ~by);
    s->locked_count += (s->locked[body] != 0) - before;
}

// Speeds of locked hinges are zero; they and motion-driven ones have known accelerations.
static void hold_locked(lb_system *s)
{
    for (int k = 0; s->locked_count > 0 && k < s->body_count; ++k) {
        if (!s->locked[k]) {
            continue;
        }
        const int first = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        for (int i = 0; i < lb_get_hinge(s->model, k).v_count; ++i) {
            s->v[first + i] = 0.0;
            s->a[first + i] = 0.0;
        }
        s->driven[k] = 1;
    }
    lb_rest_held_speeds(s);
}

int lb_find_motion(const lb_system *s, int body)
{
    for (int i = 0; i < s->force_count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        if (force->type == LB_FORCE_MOTION && force->enabled && force->body == body) {
            return i;
        }
    }
    return -1;
}

// Which motions drive the bodies at present: the first where there are several.
static void list_motions(lb_system *s)
{
    for (int k = 0; k < s->body_count; ++k) {
        s->motions[k] = -1;
    }
    for (int i = s->force_count - 1; i >= 0; --i) {
        const lb_force *force = &s->forces->forces[i];
        if (force->type == LB_FORCE_MOTION && force->enabled) {
            s->motions[force->body] = i;
        }
    }
}

// Power of each force, of the drives and of modal damping, from what the evaluation left.
static void compute_power(lb_system *s)
{
    for (int i = 0; i < s->force_count; ++i) {
        s->power[i] = lb_get_force_info(s->forces, i).power;
    }
    list_motions(s);
    double drives = 0.0, damping = 0.0;
    for (int k = 0; k < s->body_count; ++k) {
        const int modes = lb_get_v_offset(s->model, k), mode_count = lb_get_mode_count(s->model, k);
        if (s->any_driven && s->driven[k]) {
            const int motion = s->motions[k];
            for (int i = 0; i < lb_get_hinge(s->model, k).v_count; ++i) {
                const int at = modes + mode_count + i;
                const double power = (s->tau[at] - s->tau_forces[at]) * s->v[at];
                drives += power;
                if (motion >= 0) {
                    s->power[motion] += power;
                }
            }
        }
        if (s->damping_at[k] >= 0) {
            const double *C = s->damping + s->damping_at[k], *rate = s->v + modes;
            for (int r = 0; r < mode_count; ++r) {
                for (int c = 0; c < mode_count; ++c) {
                    damping -= rate[r] * C[r * mode_count + c] * rate[c];
                }
            }
        }
    }
    s->power[s->force_count + LB_WORK_DRIVES] = drives;
    s->power[s->force_count + LB_WORK_DAMPING] = damping;
}

// The first entry that is no number, or -1.
static int find_bad(const double *x, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return i;
        }
    }
    return -1;
}

lb_status lb_explain_singular(lb_system *s, double t, lb_status status)
{
    int body = 0, offset = 0;
    lb_get_bad_inertia(s->work, &body, &offset);
    const int mode_count = lb_get_mode_count(s->model, body);
    const bool is_mode = offset < mode_count;
    return lb_say(s, status,
                  "t = %.9g s: body '%s': the inertia at %s %d is singular: no mass resists this "
                  "motion; give the body, or what it carries, inertia%s",
                  t, lb_get_body_name(s->model, body), is_mode ? "mode" : "hinge speed",
                  is_mode ? offset : offset - mode_count,
                  s->closure ? " (a loop gives none; a rod without mass is a loop of type rod)"
                             : "");
}

// Of a tree.
static lb_status compute_tree(lb_system *s)
{
    if (!s->division) {
        return s->any_driven
                   ? lb_tree_hybrid(s->model, s->work, s->q, s->v, s->driven, s->tau, s->a)
                   : lb_tree_forward(s->model, s->work, s->q, s->v, s->tau, s->a);
    }
    return s->any_driven
               ? lb_divided_hybrid(s->model, s->work, s->division, s->q, s->v, s->driven, s->tau,
                                   s->a)
               : lb_divided_forward(s->model, s->work, s->division, s->q, s->v, s->tau, s->a);
}

// With loops.
static lb_status compute_closed(lb_system *s)
{
    double *drive = s->closure->drive, *forces = s->closure->forces;
    return s->division ? lb_divided_closed(s->model, s->work, s->division, s->q, s->v, s->driven,
                                           s->tau, s->a, drive, forces)
                       : lb_closed_forward(s->model, s->work, s->q, s->v, s->driven, s->tau, s->a,
                                           drive, forces);
}

// a, and at driven and locked hinges tau.
static lb_status compute_accelerations(lb_system *s)
{
    const lb_status status = s->closure ? compute_closed(s) : compute_tree(s);
    if (s->division) {
        s->fallback_count += lb_see_division_report(s->division)->fallback;
    }
    for (int k = 0; s->closure && s->any_driven && k < s->body_count; ++k) {
        const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        for (int i = hinge; s->driven[k] && i < hinge + lb_get_hinge(s->model, k).v_count; ++i) {
            s->tau[i] = s->closure->drive[i];
        }
    }
    return status;
}

// The dynamics see unit quaternions; the integrator may carry any length (see the theory).
static void copy_state(lb_system *s, const double *y)
{
    memcpy(s->q, y, (size_t)s->q_count * sizeof *s->q);
    memcpy(s->v, y + s->q_count, (size_t)s->v_count * sizeof *s->v);
    for (int k = 0; k < s->body_count; ++k) {
        double *u = find_quaternion(s, k, s->q);
        if (u) {
            divide(u, lb_compute_norm(4, u));
        }
    }
}

// q and v on the loops. A stage that is too far off may stay there where the integrator cannot take it
// back: its rates are made such that the step is rejected for its error.
static lb_status project_copy(lb_system *s, double t, const double *y)
{
    const lb_status status = lb_project(s, t, s->q, s->v);
    s->closure->is_open = status == LB_E_OPEN;
    if (status != LB_E_OPEN) {
        return status;
    }
    if (!s->closure->lenient) {
        return status;
    }
    copy_state(s, y);
    (void)lb_set_driven_state(s->forces, s->model, t, s->q, s->v);
    hold_locked(s);
    s->failure = LB_OK;
    return LB_OK;
}

double lb_get_force_time(const lb_system *s, double t)
{
    const double from = fmax(t, s->piece_time);
    return from < s->break_time ? from : nextafter(s->break_time, -INFINITY);
}

static lb_status say_force(lb_system *s, double t, lb_status status)
{
    const char *message = lb_get_force_message(s->forces);
    s->failure =
        lb_say(s, status, "t = %.9g s: %s", t, message[0] ? message : lb_get_status_text(status));
    return status;
}

// LB_E_NUMBER with a message if one of the values, which belong to entries of y from `first` on, is not
// finite.
static lb_status check_finite(lb_system *s, double t, const char *what, int first,
                              const double *values, int count)
{
    char where[128];
    const int bad = find_bad(values, count);
    if (bad < 0) {
        return LB_OK;
    }
    lb_describe_entry(s, first + bad, where, sizeof where);
    s->failure = lb_say(s, LB_E_NUMBER, "t = %.9g s: %s%s is not a finite number", t, what, where);
    return s->failure;
}

// Takes q and v from y and puts them where motions, locks and loops require.
static lb_status take_state(lb_system *s, double t, const double *y)
{
    lb_status status = check_finite(s, t, "", 0, y, s->q_count + s->v_count);
    if (status < 0) {
        return status;
    }
    copy_state(s, y);
    const double t_force = lb_get_force_time(s, t);
    memset(s->driven, 0, (size_t)s->body_count);
    if (s->force_count > 0) {
        status = lb_set_driven_state(s->forces, s->model, t_force, s->q, s->v);
    }
    if (status < 0) {
        return say_force(s, t, status);
    }
    hold_locked(s);
    return s->closure ? project_copy(s, t_force, y) : LB_OK;
}

lb_status lb_place_system(lb_system *s, double t, const double *y)
{
    lb_status status = take_state(s, t, y);
    if (status >= 0) {
        s->work->is_placed = lb_is_placed(s);
        status = lb_compute_kinematics(s->model, s->work, s->q, s->v, NULL);
        s->work->is_placed = false;
    }
    return status;
}

static lb_status evaluate(lb_system *s, double t, const double *y, double *y_dot)
{
    lb_status status = take_state(s, t, y);
    if (status < 0) {
        return status;
    }

    // forces, then accelerations
    const double t_force = lb_get_force_time(s, t);
    s->work->is_placed = lb_is_placed(s);
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    if (s->force_count > 0) {
        status = lb_compute_kinematics(s->model, s->work, s->q, s->v, NULL);
        s->work->is_placed = true;
        status = status < 0 ? status
                            : lb_compute_forces(s->forces, s->model, s->work, t_force, s->q, s->v,
                                                s->tau, s->driven, s->a);
        if (status < 0) {
            return say_force(s, t, status);
        }
        hold_locked(s);
        status = check_finite(s, t, "the force on ", s->q_count, s->tau, s->v_count);
        if (status < 0) {
            return status;
        }
    }
    memcpy(s->tau_forces, s->tau, (size_t)s->v_count * sizeof *s->tau);
    s->any_driven = s->locked_count > 0;
    for (int k = 0; s->force_count > 0 && k < s->body_count; ++k) {
        s->any_driven = s->any_driven || s->driven[k];
    }
    const bool holds = s->held_speeds && s->held_speeds->count > 0;
    status = holds ? lb_compute_held(s, compute_accelerations) : compute_accelerations(s);
    if (status == LB_NEWS_INDEFINITE) {
        s->indefinite = true;
    } else if (status == LB_OK && lb_get_redundant_row_count(s->work) > 0) {
        s->redundant = true;
    } else if (status < 0) {
        s->failure = lb_explain_singular(s, t, status);
        return status;
    }
    status = check_finite(s, t, "the acceleration of ", s->q_count, s->a, s->v_count);
    if (status < 0) {
        return status;
    }
    compute_power(s);
    if (s->closure) {
        status = lb_compute_loop_power(s, &s->power[s->force_count + LB_WORK_LOOPS]);
    }
    s->failure = status < 0 ? status : LB_OK;
    if (status < 0) {
        return status;
    }
    if (y_dot) {
        lb_compute_configuration_rate(s->model, s->closure ? s->q : y, s->v, y_dot);
        memcpy(y_dot + s->q_count, s->a, (size_t)s->v_count * sizeof *s->a);
        // a stage off its loops shall not pass for a good one
        for (int i = 0; s->closure && s->closure->is_open && i < s->q_count + s->v_count; ++i) {
            y_dot[i] = 1e3 * (1.0 + fabs(y_dot[i]));
        }
        memcpy(y_dot + s->q_count + s->v_count, s->power, (size_t)s->work_count * sizeof *s->power);
    }
    return LB_OK;
}

lb_status lb_evaluate_system(lb_system *s, double t, const double *y, double *y_dot)
{
    ++s->evaluation_count;
    if (s->is_called_off && --s->until_asked <= 0) {
        s->until_asked = 1 + 4096 / (1 + s->v_count);
        s->called_off = s->called_off || s->is_called_off(s->caller);
    }
    if (s->called_off) {
        return LB_E_CALLBACK;
    }
    const lb_status status = evaluate(s, t, y, y_dot);
    s->work->is_placed = false; // other callers may pass another q
    return status;
}
