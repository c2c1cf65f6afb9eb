// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The point that a linear model is about: state, equilibrium or steady motion.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/loops.h"
#include "linear.h"
#include "simulate/closure.h"
#include "simulate/forces.h"
#include "simulate/record_tables.h"

lb_linear_options lb_default_linear_options(void)
{
    return (lb_linear_options){.size = sizeof(lb_linear_options), .spin = -1};
}

// ---- names -------------------------------------------------------------------------------------

static int find_owner(const lb_model *model, int entry)
{
    int body = 0;
    while (entry < lb_get_v_offset(model, body) || entry >= lb_get_v_offset(model, body) +
                                                                lb_get_mode_count(model, body) +
                                                                lb_get_hinge_v_count(model, body)) {
        ++body;
    }
    return body;
}

bool lb_is_guided(const lb_model *model, const lb_operating_point *point, int entry)
{
    const int body = find_owner(model, entry);
    return point->guided[body] &&
           entry >= lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
}

void lb_name_coordinate(const lb_model *model, int entry, bool speed, char name[LB_COLUMN_SIZE])
{
    static const char axes[] = "xyz";
    const int body = find_owner(model, entry);
    const int i = entry - lb_get_v_offset(model, body);
    const int hinge = i - lb_get_mode_count(model, body);
    const lb_hinge_type type = lb_get_hinge_type(model, body);
    if (!speed && hinge >= 0 && (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE)) {
        snprintf(name, LB_COLUMN_SIZE, "%s.%s.%c", lb_get_body_name(model, body),
                 hinge < 3 ? "turn" : "shift", axes[hinge % 3]);
    } else {
        lb_name_entry(model, speed, body, i, name);
    }
}

lb_status lb_find_speed(const lb_model *model, const char *text, int *entry, char message[256])
{
    int body, index;
    if (!lb_find_hinge(model, text, &body, &index)) {
        snprintf(message, 256, "there is no body \"%.128s\" whose hinge could be meant", text);
        return LB_E_ARGUMENT;
    }
    const int count = lb_get_hinge_v_count(model, body);
    const char *name = lb_get_body_name(model, body);
    if (count == 0) {
        snprintf(message, 256, "the hinge of \"%.128s\" is fixed", name);
        return LB_E_ARGUMENT;
    }
    if (index < 0 && count > 1) {
        snprintf(message, 256, "the hinge of \"%.100s\" has %d speeds: say which one, as %.100s.0",
                 name, count, name);
        return LB_E_ARGUMENT;
    }
    if (index >= count) {
        snprintf(message, 256, "the hinge of \"%.128s\" has no speed %d: there %s %d, from 0", name,
                 index, count == 1 ? "is" : "are", count);
        return LB_E_ARGUMENT;
    }
    *entry =
        lb_get_v_offset(model, body) + lb_get_mode_count(model, body) + (index < 0 ? 0 : index);
    return LB_OK;
}

// ---- hinges that are held ----------------------------------------------------------------------

static void set_hinge(const lb_model *model, int body, double *v, double value)
{
    const int hinge = lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
    for (int i = 0; i < lb_get_hinge_v_count(model, body); ++i) {
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
        s->driven[k] = point->held[k] || point->guided[k];
    }
    if (status >= 0 && point->loop_forces) {
        status = lb_compute_constrained_dynamics(s->model, s->work, point->q, point->v, s->driven,
                                                 s->tau, point->a, NULL, point->loop_forces);
    } else if (status >= 0) {
        status = lb_compute_hybrid_dynamics(s->model, s->work, point->q, point->v, s->driven,
                                            s->tau, point->a);
    }
    if (status == LB_E_SINGULAR) {
        int body = 0, offset = 0;
        char name[LB_COLUMN_SIZE];
        lb_get_trouble(s->work, &body, &offset);
        lb_name_coordinate(s->model, lb_get_v_offset(s->model, body) + offset, false, name);
        return lb_say(s, status,
                      "linear: no mass resists %s; give the body, or what it carries, inertia",
                      name);
    }
    return status;
}

// ---- loops ---------------------------------------------------------------------------------------

// Whether the loops are closed at the point, and stand still: errors of position and velocity.
static lb_status check_loops(lb_system *s, const lb_operating_point *point)
{
    lb_status status = lb_set_loop_motions(s, point->t);
    status = status < 0 ? status : lb_measure_closure(s, point->q, point->v);
    if (status < 0) {
        return status;
    }
    int loop = 0;
    const double open = lb_find_worst_loop(s, s->closure->position, &loop);
    if (!(open <= 1e-8)) {
        return lb_say(s, LB_E_ARGUMENT,
                      "linear: loop \"%s\" is open by %.3g (m, rad) at this configuration; limber "
                      "assemble closes it",
                      lb_get_loop_name(s->model, loop), open);
    }
    const double moving = lb_find_worst_loop(s, s->closure->velocity, &loop);
    if (!(moving <= 1e-9)) {
        return lb_say(s, LB_E_UNSUPPORTED,
                      "linear: loop \"%s\" is driven at %.3g (m/s, rad/s); with loops only about "
                      "points at rest, in this version",
                      lb_get_loop_name(s->model, loop), moving);
    }
    return LB_OK;
}

// Room for the forces that hold them. The point must be at rest.
static lb_status prepare_loops(lb_system *s, lb_store *store, lb_operating_point *point)
{
    point->loop_forces = lb_take_numbers(store, 6 * (size_t)lb_get_loop_capacity(s->model));
    if (!point->loop_forces) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < s->v_count; ++i) {
        if (point->v[i] != 0.0) {
            return lb_say(s, LB_E_UNSUPPORTED,
                          "linear: with loops only about points at rest, in this version");
        }
    }
    return LB_OK;
}

// Locks hinges, or lets them go, while loops are looked after by those who know locks only.
static void set_locks(lb_system *s, const unsigned char *held, bool on)
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

// ---- steadiness --------------------------------------------------------------------------------

// Forces that are left at a configuration, at the point's speeds and no accelerations.
static lb_status compute_residual(lb_system *s, const lb_operating_point *point, const double *q,
                                  double *r, double *scale)
{
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    lb_status status = lb_compute_kinematics(s->model, s->work, q, point->v, NULL);
    if (status >= 0 && s->force_count > 0) {
        status = lb_compute_forces(s->forces, s->model, s->work, point->t, q, point->v, s->tau,
                                   s->driven, s->a);
    }
    status = status < 0 ? status : lb_compute_bias(s->model, s->work, q, point->v, r);
    for (int i = 0; i < s->v_count; ++i) {
        *scale = fmax(*scale, fmax(fabs(r[i]), fabs(s->tau[i])));
        r[i] -= s->tau[i];
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
static lb_status check_steady(lb_system *s, const lb_operating_point *point, double scale)
{
    enum { LOOKS = 4 };
    const int n = s->v_count, m = point->count, free_count = point->free_count;
    lb_store store = lb_make_store();
    double fastest = 0.0;
    for (int i = 0; i < n; ++i) {
        fastest = fmax(fastest, fabs(point->v[i]));
    }
    double *q = lb_take_numbers(&store, (size_t)(s->q_count + 2 * n));
    lb_tangent here, there, parts[2];
    lb_status status = q ? LB_OK : LB_E_MEMORY;
    status = status < 0 ? status : lb_take_tangent(&store, n, &here);
    status = status < 0 ? status : lb_take_tangent(&store, n, &there);
    for (int look = 0; status >= 0 && fastest > 0.0 && look <= LOOKS; ++look) {
        double *way = q + s->q_count, *r = way + n;
        const double turns = fmod(look * 0.6180339887498949, 1.0);
        const double time = 6.283185307179586 * turns / fastest;
        for (int i = 0; i < n; ++i) {
            way[i] = point->v[i] * time;
        }
        lb_integrate_configuration(s->model, point->q, way, q);
        status = compute_residual(s, point, q, r, &scale);
        for (int i = 0; i < m && status >= 0; ++i) {
            const int entry = point->coordinates[i];
            if (!(fabs(r[entry]) <= 1e-8 * scale) && !lb_is_guided(s->model, point, entry)) {
                status = lb_say(s, LB_E_STEP,
                                "linear: the motion is not steady: a force of %.3g is left at %s, "
                                "%.3g s on; a steady motion keeps its speeds",
                                r[entry], point->names[i], time);
            }
        }
    }
    // the equations themselves: once more, elsewhere
    if (status >= 0 && fastest > 0.0) {
        double *way = q + s->q_count, largest[2] = {0.0, 0.0}, change[2] = {0.0, 0.0};
        for (int i = 0; i < n; ++i) {
            way[i] = point->v[i] * 6.283185307179586 * 0.2360679774997897 / fastest;
        }
        lb_integrate_configuration(s->model, point->q, way, q);
        lb_operating_point other = *point;
        other.q = q;
        status = lb_compute_tangent(s, point, &here);
        status = status < 0 ? status : lb_compute_tangent(s, &other, &there);
        status = status < 0 ? status : lb_reduce(point, n, &here, &store, &parts[0]);
        status = status < 0 ? status : lb_reduce(point, n, &there, &store, &parts[1]);
        for (int i = 0; i < free_count * free_count && status >= 0; ++i) {
            largest[0] = fmax(largest[0], fabs(parts[0].K[i]));
            largest[1] = fmax(largest[1], fabs(parts[0].C[i]));
            change[0] = fmax(change[0], fabs(parts[1].K[i] - parts[0].K[i]));
            change[1] = fmax(change[1], fabs(parts[1].C[i] - parts[0].C[i]));
        }
        if (status >= 0 && (change[0] > 1e-7 * (largest[0] + largest[1] * fastest) ||
                            change[1] > 1e-7 * (largest[1] + largest[0] / fastest))) {
            status = lb_say(s, LB_E_STEP,
                            "linear: the motion is steady, but small deviations from it obey "
                            "equations that change along it (by up to %.3g): it has no modes",
                            fmax(change[0], change[1]));
        }
    }
    lb_store_free(&store);
    return status;
}

// ---- the point ---------------------------------------------------------------------------------

static lb_status allocate(lb_system *s, const unsigned char *guided, lb_store *store,
                          lb_operating_point *point)
{
    const size_t bodies = (size_t)s->body_count, n = (size_t)s->v_count;
    point->q = lb_take_numbers(store, (size_t)s->q_count);
    point->v = lb_take_numbers(store, n);
    point->a = lb_take_numbers(store, n);
    point->held = lb_store_take(store, bodies, 1);
    point->guided = lb_store_take(store, bodies, 1);
    point->coordinates = lb_store_take(store, n, sizeof *point->coordinates);
    point->names = lb_store_take(store, n, sizeof *point->names);
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
    if (o->size != sizeof *o) {
        return lb_say(s, LB_E_ARGUMENT, "linear: start from lb_default_linear_options");
    }
    if (sim->started) {
        return lb_say(s, LB_E_ARGUMENT, "linear: the simulation has started");
    }
    if (o->spin >= s->v_count || !isfinite(o->spin_speed) || !isfinite(o->t)) {
        return lb_say(s, LB_E_ARGUMENT, "linear: spin, its speed or the time is out of range");
    }
    return LB_OK;
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
    const bool resting = o->about == LB_ABOUT_REST || o->about == LB_ABOUT_EQUILIBRIUM;
    if (resting || (o->spin >= 0 && o->about != LB_ABOUT_STEADY)) {
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
        const bool spun = o->spin >= hinge && o->spin < hinge + lb_get_hinge_v_count(model, k);
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
        const int count = mode_count + (point->held[k] ? 0 : lb_get_hinge_v_count(model, k));
        for (int i = 0; i < count; ++i) {
            lb_name_coordinate(model, first + i, false, point->names[point->count]);
            point->coordinates[point->count++] = first + i;
        }
    }
}

static lb_status find_balance(lb_system *s, lb_operating_point *point, lb_store *store,
                              double *scale)
{
    unsigned char *fixed = lb_store_take(store, (size_t)s->body_count, 1);
    lb_trim trim;
    if (!fixed) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < s->body_count; ++k) {
        fixed[k] = point->held[k] || point->guided[k];
    }
    set_locks(s, fixed, true);
    const lb_status status = lb_find_balance(s, point->t, point->v, fixed, point->q, &trim);
    set_locks(s, fixed, false);
    *scale = 1e9 * trim.tolerance;
    if (status == LB_E_STEP) {
        char name[LB_COLUMN_SIZE];
        lb_name_coordinate(s->model, lb_get_v_offset(s->model, trim.body) + trim.offset, false,
                           name);
        return lb_say(s, status,
                      "linear: no %s found from here: after %d iterations a force of %.3g is left "
                      "at %s; another state, or a lock, may help",
                      point->steady ? "steady motion" : "equilibrium", trim.iterations,
                      trim.residual, name);
    }
    return status;
}

static lb_status find_freedom(lb_system *s, lb_store *store, lb_operating_point *point)
{
    bool *fixed = lb_store_take(store, (size_t)point->count, sizeof *fixed);
    for (int i = 0; fixed && i < point->count; ++i) {
        fixed[i] = lb_is_guided(s->model, point, point->coordinates[i]);
    }
    return fixed ? lb_find_freedom(s, fixed, store, point) : LB_E_MEMORY;
}

lb_status lb_find_point(lb_simulation *sim, const lb_linear_options *options,
                        const unsigned char *guided, lb_store *store, lb_operating_point *point)
{
    lb_system *s = &sim->system;
    *point = (lb_operating_point){.unbalanced = -1};
    lb_status status = check_options(sim, options);
    // loops know where they close from the initial state, which need not be closed beside another
    status = status < 0 ? status : lb_close_initial(sim);
    status = status == LB_E_OPEN && options->q ? LB_OK : status;
    status = status < 0 ? status : allocate(s, guided, store, point);
    status = status < 0 ? status : set_state(sim, options, point);
    if (status < 0) {
        return status;
    }
    list_coordinates(s->model, point);
    point->steady = options->about == LB_ABOUT_STEADY || options->spin >= 0;
    const bool balanced = point->steady || options->about == LB_ABOUT_EQUILIBRIUM;
    double scale = 0.0;
    const bool loops = lb_get_loop_count(s->model) > 0;
    status = loops ? prepare_loops(s, store, point) : LB_OK;
    if (status >= 0 && balanced) {
        status = find_balance(s, point, store, &scale);
    }
    status = status < 0 || !loops ? status : check_loops(s, point);
    status =
        status < 0 ? status : compute_accelerations(s, point, options->about != LB_ABOUT_STATE);
    status = status < 0 ? status : find_freedom(s, store, point);
    status = status < 0 || !point->steady ? status : check_steady(s, point, scale);
    if (status < 0) {
        return status;
    }
    if (balanced) {
        // zero up to what the search leaves
        memset(point->a, 0, (size_t)s->v_count * sizeof *point->a);
        return LB_OK;
    }
    for (int i = 0; i < point->count; ++i) {
        const int entry = point->coordinates[i];
        if (fabs(point->a[entry]) > fmax(point->unbalance, 1e-9)) {
            point->unbalance = fabs(point->a[entry]);
            point->unbalanced = i;
        }
    }
    if (loops && point->unbalanced >= 0) {
        return lb_say(s, LB_E_UNSUPPORTED,
                      "linear: %s accelerates at %.3g; with loops only about equilibria, in this "
                      "version",
                      point->names[point->unbalanced], point->unbalance);
    }
    return LB_OK;
}
