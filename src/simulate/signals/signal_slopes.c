// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Slopes of signals by q and v, and of the functions that read them.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "signal_recovery.h"
#include "slopes.h"

// ---- coordinates -------------------------------------------------------------------------------

// The entry of q along the directions of v: one of them, where speeds are rates of coordinates.
static void add_coordinate(int index, const lb_instant *at, double *scratch, double weight,
                           double *dq)
{
    const lb_model *model = at->model;
    int body = 0, first, modes;
    for (;; ++body) {
        first = lb_get_q_offset(model, body);
        modes = lb_get_mode_count(model, body);
        if (index >= first && index < first + modes + lb_get_hinge(model, body).q_count) {
            break;
        }
    }
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    const int v = lb_get_v_offset(model, body), entry = index - first;
    if (entry < modes || (type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE)) {
        dq[v + entry] += weight;
        return;
    }
    const size_t n = (size_t)lb_get_v_count(model);
    double *along = scratch, *rate = along + n;
    memset(along, 0, n * sizeof *along);
    for (int j = v + modes; j < v + modes + lb_get_hinge(model, body).v_count; ++j) {
        along[j] = 1.0;
        lb_compute_configuration_rate(model, at->q, along, rate);
        along[j] = 0.0;
        dq[j] += weight * rate[index];
    }
}

// ---- motion of nodes ---------------------------------------------------------------------------

// How a number changes with the motion of a node: its pose (turn, then shift, in world axes), its velocity and
// its acceleration.
typedef struct motion_slopes {
    double pose[6], velocity[6], acceleration[6];
} motion_slopes;

// From the motion of a node to q, v and a                                               (FRC-14)
//
//     s_q += (s_x x_q + s_V V_q + s_A A_q),   s_v += s_V J + s_A A_v,   s_a += s_A J
//
// given     s_x, s_V, s_A of a number;  x_q (J, but for ruthless bodies), V_q = d(J v)/dq, A_q and A_v of
//           (DER-8)
static lb_status add_motion(int body, int node, const motion_slopes *s, const lb_instant *at,
                            lb_slope_work *work, double weight, const lb_slopes *slopes)
{
    const ptrdiff_t n = lb_get_v_count(at->model);
    double *J = work->rows, *V_q = J + 6 * n, *A_q = V_q + 6 * n, *A_v = A_q + 6 * n;
    double *x_q = A_v + 6 * n;
    const lb_node_derivatives out = {.size = sizeof out,
                                     .pose_dq = J,
                                     .velocity_dq = V_q,
                                     .acceleration_dq = slopes->a ? A_q : NULL,
                                     .acceleration_dv = slopes->a ? A_v : NULL,
                                     .place_dq = x_q};
    const lb_status status =
        lb_compute_node_derivatives(at->model, at->work, work->scratch, body, node, &out);
    for (int i = 0; i < 6 && status >= 0; ++i) {
        if (s->pose[i] != 0) {
            lb_add_scaled(n, weight * s->pose[i], x_q + i * n, slopes->q);
        }
        if (s->velocity[i] != 0) {
            lb_add_scaled(n, weight * s->velocity[i], V_q + i * n, slopes->q);
            lb_add_scaled(n, weight * s->velocity[i], J + i * n, slopes->v);
        }
        if (s->acceleration[i] != 0) {
            lb_add_scaled(n, weight * s->acceleration[i], A_q + i * n, slopes->q);
            lb_add_scaled(n, weight * s->acceleration[i], A_v + i * n, slopes->v);
            lb_add_scaled(n, weight * s->acceleration[i], J + i * n, slopes->a);
        }
    }
    return status;
}

// Slopes of a component of x, or of its norm; zero where the norm is.
static void pick_slopes(const double x[3], int index, double *slopes, lb_slope_work *work)
{
    const double norm = lb_compute_norm(3, x);
    work->undefined = work->undefined || (index < 0 && !(norm > 0));
    for (int i = 0; i < 3; ++i) {
        slopes[i] = index >= 0 ? i == index : norm > 0 ? x[i] / norm : 0.0;
    }
}

// Slopes of a component of a rotation by a turn a in world axes:  dr = (0, a) r / 2
void lb_turn_slopes(const double *r, int index, double *slopes)
{
    const double by_turn[4][3] = {
        {-r[1], -r[2], -r[3]}, {r[0], r[3], -r[2]}, {-r[3], r[0], r[1]}, {r[2], -r[1], r[0]}};
    for (int i = 0; i < 3; ++i) {
        slopes[i] = index >= 0 ? 0.5 * by_turn[index][i] : 0.0; // the norm stays 1
    }
}

static lb_status add_node(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                          double weight, const lb_slopes *out)
{
    lb_node_motion m;
    motion_slopes slopes = {{0}, {0}, {0}};
    const lb_status status = lb_compute_node_motion(at->model, at->work, s->body, s->node, &m);
    if (status != LB_OK) {
        return status;
    }
    switch (s->kind) {
    case LB_SIGNAL_POSITION:
        pick_slopes(m.position, s->index, slopes.pose + 3, work);
        break;
    case LB_SIGNAL_ROTATION:
        lb_turn_slopes(m.rotation, s->index, slopes.pose);
        break;
    case LB_SIGNAL_VELOCITY:
        pick_slopes(m.velocity + 3, s->index, slopes.velocity + 3, work);
        break;
    case LB_SIGNAL_ANGULAR_VELOCITY:
        pick_slopes(m.velocity, s->index, slopes.velocity, work);
        break;
    case LB_SIGNAL_NODE_ACCELERATION:
        pick_slopes(m.acceleration + 3, s->index, slopes.acceleration + 3, work);
        break;
    default:
        pick_slopes(m.acceleration, s->index, slopes.acceleration, work);
        break;
    }
    return add_motion(s->body, s->node, &slopes, at, work, weight, out);
}

// Distance of two nodes and its rate, d = x_b - x_a, e = d / |d|                        (FRC-14)
//
//     d|d| = e . dd,   d(e . d_dot) = (d_dot - e (e . d_dot)) . dd / |d| + e . dd_dot
//
// Both are zero where the nodes meet: there is a kink.
static lb_status add_distance(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                              double weight, const lb_slopes *out)
{
    lb_node_motion ends[2];
    lb_status status = lb_find_ends(s, at, ends);
    if (status != LB_OK) {
        return status;
    }
    double e[3], rate[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = ends[1].position[i] - ends[0].position[i];
        rate[i] = ends[1].velocity[3 + i] - ends[0].velocity[3 + i];
    }
    const double length = lb_compute_norm(3, e);
    if (!(length > 0)) {
        work->undefined = true;
        return LB_OK;
    }
    motion_slopes slopes = {{0}, {0}, {0}};
    for (int i = 0; i < 3; ++i) {
        e[i] /= length;
    }
    const double along = lb_compute_dot(3, e, rate);
    for (int i = 0; i < 3; ++i) {
        const bool is_rate = s->kind == LB_SIGNAL_DISTANCE_RATE;
        slopes.pose[3 + i] = is_rate ? (rate[i] - e[i] * along) / length : e[i];
        slopes.velocity[3 + i] = is_rate ? e[i] : 0.0;
    }
    status = add_motion(s->other_body, s->other_node, &slopes, at, work, weight, out);
    return status < 0 ? status : add_motion(s->body, s->node, &slopes, at, work, -weight, out);
}

static lb_status add_attitude(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                              double weight, const lb_slopes *out)
{
    motion_slopes b = {{0}, {0}, {0}}, a = b;
    bool defined = true;
    lb_status status = lb_find_attitude_slopes(s, at, b.pose, a.pose, &defined);
    work->undefined = work->undefined || !defined;
    status = status < 0 ? status : add_motion(s->body, s->node, &b, at, work, weight, out);
    return status < 0 ? status
                      : add_motion(s->other_body, s->other_node, &a, at, work, weight, out);
}

// ---- the whole system --------------------------------------------------------------------------

static lb_status add_system(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                            double weight, const lb_slopes *out)
{
    const ptrdiff_t n = lb_get_v_count(at->model);
    double *by_q = work->rows, *by_v = by_q + 3 * n;
    lb_system_derivatives d = {.size = sizeof d};
    switch (s->kind) {
    case LB_SIGNAL_KINETIC:
        d.kinetic_dq = by_q;
        d.kinetic_dv = by_v;
        break;
    case LB_SIGNAL_POTENTIAL:
        d.potential_dq = by_q;
        break;
    case LB_SIGNAL_COM:
        d.com_dq = by_q;
        break;
    case LB_SIGNAL_ANGULAR_MOMENTUM:
        d.angular_dq = by_q;
        d.angular_dv = by_v;
        break;
    default: // momentum and, over the mass, the velocity of the centre of mass
        d.linear_dq = by_q;
        d.linear_dv = by_v;
        break;
    }
    memset(by_q, 0, 6 * (size_t)n * sizeof *by_q);
    lb_system_motion m;
    lb_status status = lb_compute_system_derivatives(at->model, at->work, work->scratch, &d);
    status = status < 0 ? status : lb_compute_system_motion(at->model, at->work, &m);
    if (status < 0) {
        return status;
    }
    double slopes[3] = {1, 0, 0}; // of an energy
    const double *vector = s->kind == LB_SIGNAL_COM                ? m.com
                           : s->kind == LB_SIGNAL_ANGULAR_MOMENTUM ? m.angular
                                                                   : m.linear;
    if (s->kind != LB_SIGNAL_KINETIC && s->kind != LB_SIGNAL_POTENTIAL) {
        pick_slopes(vector, s->index, slopes, work);
    }
    if (s->kind == LB_SIGNAL_COM_VELOCITY) {
        weight = m.mass > 0 ? weight / m.mass : 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        lb_add_scaled(n, weight * slopes[i], by_q + i * n, out->q);
        lb_add_scaled(n, weight * slopes[i], by_v + i * n, out->v);
    }
    return LB_OK;
}

// ---- samples -----------------------------------------------------------------------------------

// A function of the caller has no formula, and a force in a cut by mode displacement a long one.
static bool is_sampled(const lb_signal *s)
{
    return (s->kind == LB_SIGNAL_NAMED && !lb_get_signal_expression(s)) || lb_is_modal_signal(s);
}

static bool are_same(const lb_signal *a, const lb_signal *b)
{
    return a->kind == b->kind && a->index == b->index && a->named == b->named &&
           (a->kind == LB_SIGNAL_NAMED || lb_have_same_load(a, b));
}

static const lb_sampled *find_sampled(const lb_slope_work *work, const lb_signal *s)
{
    for (int i = 0; i < work->sampled_count; ++i) {
        if (are_same(&work->sampled[i].signal, s)) {
            return &work->sampled[i];
        }
    }
    return NULL;
}

lb_status lb_prepare_signal_slopes(lb_arena *arena, const lb_signal *s, int v_count,
                                   lb_slope_work *work, bool *samples)
{
    const lb_expression *e = lb_get_signal_expression(s);
    lb_status status = LB_OK;
    for (int i = 0; e && i < e->signal_count && status == LB_OK; ++i) {
        status = lb_prepare_signal_slopes(arena, &e->signals[i], v_count, work, samples);
    }
    if (!is_sampled(s)) {
        return status;
    }
    *samples = true;
    if (find_sampled(work, s)) {
        return LB_OK;
    }
    lb_sampled *sampled = lb_arena_grow(arena, work->sampled, work->sampled_count,
                                        &work->sampled_capacity, sizeof *sampled);
    lb_line_slope *line =
        lb_arena_grow(arena, work->line, work->sampled_count, &work->line_capacity, sizeof *line);
    double *rows = lb_take_numbers(arena, 3 * (size_t)v_count + 1);
    if (!sampled || !line || !rows) {
        return LB_E_MEMORY;
    }
    work->sampled = sampled;
    work->line = line;
    sampled[work->sampled_count++] =
        (lb_sampled){*s, {rows, rows + v_count, rows + (ptrdiff_t)2 * v_count}};
    return LB_OK;
}

lb_status lb_prepare_function_slopes(lb_arena *arena, const lb_function *f, int v_count,
                                     lb_slope_work *work, bool *samples)
{
    const lb_expression *e = f->type == LB_FUNCTION_EXPRESSION ? f->expressions[0] : NULL;
    lb_status status = LB_OK;
    for (int i = 0; e && i < e->signal_count && status == LB_OK; ++i) {
        status = lb_prepare_signal_slopes(arena, &e->signals[i], v_count, work, samples);
    }
    return status;
}

// A line along which signals are sampled: an entry of q, v or a.
typedef struct line {
    const lb_instant *at;
    const lb_slope_work *work;
    enum { ALONG_Q, ALONG_V, ALONG_A } along;
    int j;
} line;

static lb_status evaluate_sampled(void *user, double size, lb_line_slope *x)
{
    const line *l = user;
    const lb_instant *at = l->at;
    const size_t n = (size_t)lb_get_v_count(at->model), nq = (size_t)lb_get_q_count(at->model);
    double *q = l->work->rows, *v = q + nq, *step = v + n, *a = at->a ? step + n : NULL;
    memcpy(q, at->q, nq * sizeof *q);
    memcpy(v, at->v, n * sizeof *v);
    memset(step, 0, n * sizeof *step);
    if (a) {
        memcpy(a, at->a, n * sizeof *a);
    }
    if (l->along == ALONG_Q) {
        step[l->j] = size;
        lb_integrate_configuration(at->model, at->q, step, q);
    } else {
        (l->along == ALONG_V ? v : a)[l->j] += size;
    }
    lb_status status = lb_compute_kinematics(at->model, at->work, q, v, a);
    lb_instant moved = lb_make_instant(at->model, at->work, at->t, q, v, a);
    moved.applied = at->applied;
    for (int i = 0; i < l->work->sampled_count && status >= 0; ++i) {
        status = lb_evaluate_signal(&l->work->sampled[i].signal, &moved, &x[i].value);
    }
    return status;
}

lb_status lb_sample_signals(const lb_instant *at, lb_slope_work *work, const double *scales)
{
    const int n = lb_get_v_count(at->model);
    const lb_node_derivatives none = {.size = sizeof none};
    lb_status status =
        lb_compute_node_derivatives(at->model, at->work, work->scratch, LB_GROUND, 0, &none);
    if (status < 0) { // derivatives were not taken here
        return status;
    }
    for (int i = 0; i < (at->a ? 3 : 2) * n && status >= 0; ++i) {
        line l = {at, work, i < n ? ALONG_Q : i < 2 * n ? ALONG_V : ALONG_A, i % n};
        const double now = i < n ? 0.0 : fabs((i < 2 * n ? at->v : at->a)[l.j]);
        status = lb_difference_line(evaluate_sampled, &l, 5e-4 * fmax(scales[l.j], now),
                                    work->sampled_count, work->line);
        for (int k = 0; k < work->sampled_count && status >= 0; ++k) {
            work->sampled[k].slopes.q[i] = work->line[k].slope; // v and a behind q
        }
    }
    const lb_status back = lb_return_to_derivatives(at->model, at->work, work->scratch);
    return status < 0 ? status : back;
}

// ---- any of them -------------------------------------------------------------------------------

static lb_status visit_expression(const lb_expression *e, const lb_instant *at, double weight,
                                  lb_leaf_visit visit, void *user, double *value)
{
    double slopes[LB_MOST_SIGNALS];
    int mentions[LB_MOST_SIGNALS], count = 0;
    lb_status status = lb_evaluate_expression_slopes(e, at, value, slopes, mentions, &count);
    for (int i = 0; i < count && status == LB_OK; ++i) {
        if (slopes[i] != 0) {
            status = lb_visit_leaves(&e->signals[mentions[i]], at, weight * slopes[i], visit, user);
        }
    }
    return status;
}

lb_status lb_visit_leaves(const lb_signal *s, const lb_instant *at, double weight,
                          lb_leaf_visit visit, void *user)
{
    const lb_expression *e = lb_get_signal_expression(s);
    double value;
    return e ? visit_expression(e, at, weight, visit, user, &value) : visit(user, s, weight);
}

// Where slopes are added.
typedef struct adding {
    const lb_instant *at;
    lb_slope_work *work;
    const lb_slopes *out;
} adding;

static lb_status add_sampled(const adding *to, const lb_signal *s, double weight)
{
    const ptrdiff_t n = lb_get_v_count(to->at->model);
    const lb_sampled *sampled = find_sampled(to->work, s);
    if (!sampled) {
        return LB_E_ARGUMENT;
    }
    lb_add_scaled(n, weight, sampled->slopes.q, to->out->q);
    lb_add_scaled(n, weight, sampled->slopes.v, to->out->v);
    if (to->out->a) {
        lb_add_scaled(n, weight, sampled->slopes.a, to->out->a);
    }
    return LB_OK;
}

static lb_status add_leaf(void *user, const lb_signal *s, double weight)
{
    const adding *to = user;
    const lb_instant *at = to->at;
    const lb_slopes *out = to->out;
    if (s->stage == LB_SIGNAL_ACCELERATION && !(at->a && out->a)) {
        return LB_E_STAGE;
    }
    if (is_sampled(s)) {
        return add_sampled(to, s, weight);
    }
    if (lb_is_load_signal(s)) { // of the dynamics, not of the state
        return LB_E_STAGE;
    }
    switch (s->kind) {
    case LB_SIGNAL_T:
    case LB_SIGNAL_MASS:
        return LB_OK;
    case LB_SIGNAL_Q:
        add_coordinate(s->index, at, to->work->rows, weight, out->q);
        return LB_OK;
    case LB_SIGNAL_V:
        out->v[s->index] += weight;
        return LB_OK;
    case LB_SIGNAL_A:
        out->a[s->index] += weight;
        return LB_OK;
    case LB_SIGNAL_DISTANCE:
    case LB_SIGNAL_DISTANCE_RATE:
        return add_distance(s, at, to->work, weight, out);
    case LB_SIGNAL_ATTITUDE:
    case LB_SIGNAL_TURN:
    case LB_SIGNAL_EULER:
    case LB_SIGNAL_SIGHT:
        return add_attitude(s, at, to->work, weight, out);
    case LB_SIGNAL_COM:
    case LB_SIGNAL_COM_VELOCITY:
    case LB_SIGNAL_MOMENTUM:
    case LB_SIGNAL_ANGULAR_MOMENTUM:
    case LB_SIGNAL_KINETIC:
    case LB_SIGNAL_POTENTIAL:
        return add_system(s, at, to->work, weight, out);
    case LB_SIGNAL_DISPLACEMENT:
        return lb_add_displacement_slopes(s, at, to->work, weight, out);
    case LB_SIGNAL_RECOVERY:
        lb_add_recovery_slopes(s, at, weight, out);
        return LB_OK;
    default:
        return add_node(s, at, to->work, weight, out);
    }
}

lb_status lb_add_signal_slopes(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                               double weight, const lb_slopes *out)
{
    adding to = {at, work, out};
    return lb_visit_leaves(s, at, weight, add_leaf, &to);
}

lb_status lb_evaluate_function_slopes(const lb_function *f, const lb_instant *at,
                                      lb_slope_work *work, double *value, const lb_slopes *out)
{
    const size_t n = (size_t)lb_get_v_count(at->model);
    adding to = {at, work, out};
    memset(out->q, 0, n * sizeof *out->q);
    memset(out->v, 0, n * sizeof *out->v);
    return f->type == LB_FUNCTION_EXPRESSION
               ? visit_expression(f->expressions[0], at, 1.0, add_leaf, &to, value)
               : lb_evaluate_function(f, at, value);
}
