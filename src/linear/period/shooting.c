// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The motion that repeats itself near a given state.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "limber/spatial.h"
#include "model/layout.h"
#include "period.h"
#include "simulate/forces/forces.h"

static const double two_pi = 6.283185307179586;

typedef struct search {
    lb_turn *x;
    lb_arena *arena;
    double *P;            // 2 n x 2 n
    double *r;            // 2 n: what is missing after a period
    double *way;          // v_count: from the start to the end, less whole turns
    unsigned char *loose; // per independent coordinate: nothing depends on where it is
    lb_turn_state end;
} search;

static int get_entry(const lb_turn *x, int i)
{
    return x->point.coordinates[x->point.freedom.free[i]];
}

// ---- after a period ----------------------------------------------------------------------------

// Removes whole turns of hinges.
static void drop_turns(const lb_system *s, double *way)
{
    for (int k = 0; k < s->body_count; ++k) {
        const lb_hinge_type type = lb_get_hinge(s->model, k).type;
        const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        const bool plain =
            type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE && type != LB_HINGE_SCREW;
        for (int i = 0; plain && i < lb_get_hinge(s->model, k).v_count; ++i) {
            way[hinge + i] -=
                lb_is_turn(type, i) ? two_pi * nearbyint(way[hinge + i] / two_pi) : 0.0;
        }
    }
}

// A state, moved on by a period.
static void shift_state(const search *f, const double *q, double *way, double *out)
{
    const lb_system *s = f->x->s;
    lb_difference_configuration(s->model, f->x->point.q, f->end.q, way);
    for (int k = 0; k < s->body_count; ++k) {
        const int modes = lb_get_v_offset(s->model, k);
        memset(way + modes, 0, (size_t)lb_get_mode_count(s->model, k) * sizeof *way);
    }
    for (int i = 0; i < f->x->n; ++i) {
        // coordinates that come back do so, except for whole turns
        const int entry = get_entry(f->x, i);
        const double turns = way[entry] - f->way[entry];
        way[entry] = f->loose[i] ? way[entry] : turns;
    }
    lb_integrate_configuration(s->model, q, way, out);
}

// By how much the equations at two states differ: the largest change of rates and of M, C and K, over the
// largest that there are                                                                 (FLQ-4)
static lb_status compare_equations(const lb_turn *x, const lb_turn_state states[2], double *gap)
{
    lb_system *s = x->s;
    const int n = x->n;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point at[2];
    lb_tangent whole, part[2];
    double largest[4] = {0}, change[4] = {0};
    lb_status status = lb_take_tangent(&arena, s->v_count, &whole);
    for (int k = 0; k < 2 && status >= 0; ++k) {
        status =
            lb_place_point(s, &x->point, states[k].t, states[k].q, states[k].v, &arena, &at[k]);
        status = status < 0 ? status : lb_compute_moving_tangent(s, &at[k], &whole);
        status = status < 0 ? status : lb_reduce(&at[k], s->v_count, &whole, &arena, &part[k]);
    }
    // speeds and accelerations, as distances over a period
    for (int i = 0; i < s->v_count && status >= 0; ++i) {
        const double w = x->weight[i], T = x->period;
        largest[0] = hypot(largest[0], w * fmax(fabs(at[0].v[i]) * T, fabs(at[0].a[i]) * T * T));
        change[0] = fmax(change[0], w * fabs(at[1].v[i] - at[0].v[i]) * T);
        change[0] = fmax(change[0], w * fabs(at[1].a[i] - at[0].a[i]) * T * T);
    }
    for (int i = 0; i < n * n && status >= 0; ++i) {
        const double unit = x->weight[get_entry(x, i / n)] * x->weight[get_entry(x, i % n)];
        const double *const pairs[3][2] = {
            {part[0].M, part[1].M}, {part[0].C, part[1].C}, {part[0].K, part[1].K}};
        for (int k = 0; k < 3; ++k) {
            largest[k + 1] = fmax(largest[k + 1], fabs(pairs[k][0][i]) / unit);
            change[k + 1] = fmax(change[k + 1], fabs(pairs[k][1][i] - pairs[k][0][i]) / unit);
        }
    }
    const double rate = two_pi / x->period;
    largest[0] = fmax(largest[0], x->size);
    largest[2] = fmax(largest[2], rate);
    largest[3] = fmax(largest[3], rate * rate);
    *gap = 0.0;
    for (int k = 0; k < 4; ++k) {
        *gap = change[k] > 0.0 ? fmax(*gap, change[k] / largest[k]) : *gap;
    }
    lb_arena_free(&arena);
    return status;
}

// Largest change of the equations between states on the way and those that `other` makes of them.
static lb_status compare_all(const search *f, double later, int loose, double *gap)
{
    const lb_turn *x = f->x;
    const lb_system *s = x->s;
    double *q = lb_take_numbers(f->arena, (size_t)(s->q_count + s->v_count) + 1);
    double *way = q + s->q_count;
    lb_status status = q ? LB_OK : LB_E_MEMORY;
    *gap = 0.0;
    for (int k = 0; k < LB_TURN_INSTANTS && status >= 0; ++k) {
        // a little later: a function of time may jump at an instant, and round-off says when
        const double t = x->point.t + x->at[k].t + 1e-6 * x->period;
        double size;
        if (loose < 0) {
            shift_state(f, x->at[k].q, way, q);
        } else {
            memset(way, 0, (size_t)s->v_count * sizeof *way);
            way[get_entry(x, loose)] = f->way[get_entry(x, loose)];
            lb_integrate_configuration(s->model, x->at[k].q, way, q);
        }
        const lb_turn_state states[2] = {{t, x->at[k].q, x->at[k].v}, {t + later, q, x->at[k].v}};
        status = compare_equations(x, states, &size);
        *gap = fmax(*gap, size);
    }
    return status;
}

// Linear velocities of a body that is free in space, seen from outside, in its axes at the start; it need not have
// the same attitude as then                                                              (FLQ-3)
//
//     r = R v_1 - v_0,   rows of P: R P,   R = R_0' R_1
static void compare_velocities(search *f, int body)
{
    lb_turn *x = f->x;
    const lb_model *model = x->s->model;
    const int hinge = lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
    const int quaternion = lb_get_q_offset(model, body) + lb_get_mode_count(model, body);
    const int n = x->n, w = 2 * n;
    int first = 0;
    while (first < n && get_entry(x, first) != hinge + 3) {
        ++first;
    }
    if (first + 3 > n) {
        return; // it is held
    }
    const lb_mat3 R_0 = lb_quat_to_mat3(lb_quat_from(x->point.q + quaternion));
    const lb_mat3 R_1 = lb_quat_to_mat3(lb_quat_from(f->end.q + quaternion));
    const lb_mat3 back = lb_mat3_transpose(&R_0), R = lb_mat3_mul(&back, &R_1);
    const lb_vec3 v = lb_mat3_mul_vec(&R, lb_vec3_from(f->end.v + hinge + 3));
    const double turned[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        f->r[n + first + i] = turned[i] - x->point.v[hinge + 3 + i];
    }
    for (int j = 0; j < w; ++j) {
        double *column = f->P + (n + first) * w + j;
        const lb_vec3 u = lb_mat3_mul_vec(&R, lb_vec3_make(column[0], column[w], column[2 * w]));
        column[0] = u.x;
        column[w] = u.y;
        column[2 * w] = u.z;
    }
}

// The gap after a period, relative to the way of each coordinate in it; and coordinates that need not come back, since nothing depends on where
// they are.
static lb_status find_rest(search *f, double *size)
{
    lb_turn *x = f->x;
    lb_system *s = x->s;
    const int n = x->n;
    lb_status status = LB_OK;
    lb_difference_configuration(s->model, x->point.q, f->end.q, f->way);
    drop_turns(s, f->way);
    for (int i = 0; i < n && status >= 0; ++i) {
        const int entry = get_entry(x, i);
        double gap = 1.0;
        // modes have stiffness
        if (fabs(f->way[entry]) > 1e-10 * x->reach[entry] &&
            entry >= lb_get_v_offset(s->model, lb_find_owner(s->model, entry)) +
                         lb_get_mode_count(s->model, lb_find_owner(s->model, entry))) {
            status = compare_all(f, 0.0, i, &gap);
        }
        f->loose[i] = gap <= 1e-9;
    }
    *size = 0.0;
    for (int i = 0; i < n && status >= 0; ++i) {
        const int entry = get_entry(x, i);
        f->r[i] = f->loose[i] ? 0.0 : f->way[entry];
        f->r[n + i] = f->end.v[entry] - x->point.v[entry];
    }
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        if (lb_is_carried(s, &x->point, k)) {
            compare_velocities(f, k);
        }
    }
    for (int i = 0; i < 2 * n && status >= 0; ++i) {
        const double gap = fabs(f->r[i]) * (i < n ? 1.0 : x->period);
        *size = fmax(*size, gap / x->reach[get_entry(x, i % n)]);
    }
    return status;
}

// ---- Newton's method ---------------------------------------------------------------------------

// The state from which less is missing; of several the nearest, by inertia               (FLQ-3)
//
//     (P - I) x = -r
static lb_status solve_start(search *f, double *x)
{
    const lb_turn *turn = f->x;
    const int n = turn->n, w = 2 * n;
    lb_arena arena = lb_make_arena(NULL);
    double *J = lb_take_numbers(&arena, (size_t)w * (size_t)(w + 2) + 1), *sigma = J + w * w;
    double *unit = sigma + w;
    if (!J) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < w; ++i) {
        unit[i] = turn->weight[get_entry(turn, i % n)] * (i < n ? 1.0 : turn->period);
    }
    for (int i = 0; i < w; ++i) {
        const bool loose = i < n && f->loose[i];
        x[i] = loose ? 0.0 : -f->r[i] * unit[i];
        for (int j = 0; j < w; ++j) {
            J[i * w + j] = loose ? 0.0 : (f->P[i * w + j] - (i == j)) * unit[i] / unit[j];
        }
    }
    lapack_int rank = 0;
    // 1e-7: P is known to 1e-10 or so, and what moves less than that in a period stays where it is
    const int info =
        w > 0 ? LB_LAPACK(dgelss, LAPACK_ROW_MAJOR, w, w, 1, J, w, x, 1, sigma, 1e-7, &rank) : 0;
    for (int i = 0; i < w; ++i) {
        x[i] /= unit[i];
    }
    lb_arena_free(&arena);
    return lb_check_lapack(info, LB_E_NUMBER);
}

// Velocities of free bodies in other axes: seen from outside they stay as they are.
static void turn_velocities(const lb_turn *x, const double *from, const double *to, double *v)
{
    const lb_model *model = x->s->model;
    for (int k = 0; k < x->s->body_count; ++k) {
        const int hinge = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        const int quaternion = lb_get_q_offset(model, k) + lb_get_mode_count(model, k);
        if (!lb_is_carried(x->s, &x->point, k)) {
            continue;
        }
        const lb_mat3 R_0 = lb_quat_to_mat3(lb_quat_from(from + quaternion));
        const lb_mat3 R_1 = lb_quat_to_mat3(lb_quat_from(to + quaternion));
        const lb_vec3 out = lb_mat3_mul_vec(&R_0, lb_vec3_from(v + hinge + 3));
        const lb_mat3 in = lb_mat3_transpose(&R_1);
        const lb_vec3 turned = lb_mat3_mul_vec(&in, out);
        v[hinge + 3] = turned.x;
        v[hinge + 4] = turned.y;
        v[hinge + 5] = turned.z;
    }
}

static lb_status move_start(search *f, const double *x, lb_arena *result)
{
    lb_turn *turn = f->x;
    lb_system *s = turn->s;
    const int n = turn->n;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point moved;
    double *way = lb_take_numbers(&arena, (size_t)(2 * s->v_count + s->q_count) + 1);
    double *v = way + s->v_count, *q = v + s->v_count;
    lb_status status = way ? LB_OK : LB_E_MEMORY;
    if (status >= 0) {
        for (int i = 0; i < n; ++i) {
            way[get_entry(turn, i)] = x[i];
        }
        lb_integrate_configuration(s->model, turn->point.q, way, q);
        memcpy(v, turn->point.v, (size_t)s->v_count * sizeof *v);
        turn_velocities(turn, turn->point.q, q, v);
        for (int i = 0; i < n; ++i) {
            v[get_entry(turn, i)] += x[n + i];
        }
        status = lb_place_point(s, &turn->point, turn->point.t, q, v, result, &moved);
        turn->point = status < 0 ? turn->point : moved;
    }
    lb_arena_free(&arena);
    return status;
}

// The coordinate of which most is missing.
static void name_rest(const search *f, char name[LB_COLUMN_SIZE], double *amount)
{
    const lb_turn *x = f->x;
    double most = -1.0;
    for (int i = 0; i < 2 * x->n; ++i) {
        const int entry = get_entry(x, i % x->n);
        const double size = fabs(f->r[i]) * (i < x->n ? 1.0 : x->period) / x->reach[entry];
        if (size > most) {
            most = size;
            *amount = f->r[i];
            lb_name_coordinate(x->s->model, entry, i >= x->n, name);
        }
    }
}

// Until what is missing is round-off. A step after which more is missing is taken back by half.
static lb_status find_start(search *f, double *step)
{
    enum { MOST = 40 };
    lb_turn *x = f->x;
    lb_operating_point best = x->point;
    char name[LB_COLUMN_SIZE] = "";
    double least = INFINITY, amount = 0.0, part = 1.0;
    for (int i = 0; i < MOST && part > 1e-3; ++i) {
        double left;
        lb_status status = lb_form_monodromy(x, f->P, &f->end);
        status = status < 0 ? status : find_rest(f, &left);
        if (status == LB_E_MEMORY || (status < 0 && i == 0)) {
            return status;
        }
        if (i == 0) {
            name_rest(f, name, &amount);
        }
        // as good as it gets: steps have stopped to bring it nearer
        if (status >= 0 && (left <= 1e-11 || (left <= 1e-7 && left > 0.3 * least))) {
            return LB_OK;
        }
        if (status >= 0 && left < least) {
            least = left;
            best = x->point;
            part = 1.0;
            status = solve_start(f, step);
        } else {
            x->point = best;
            part *= 0.5;
            for (int k = 0; k < 2 * x->n; ++k) {
                step[k] *= 0.5;
            }
            status = LB_OK;
        }
        status = status < 0 ? status : move_start(f, step, x->arena);
        if (status < 0) {
            return status;
        }
    }
    return lb_say(x->s, LB_E_EQUILIBRIUM,
                  "linear: the motion does not repeat itself after %.9g s: %s is off by %.3g then, "
                  "and no motion near it does",
                  x->period, name, amount);
}

// ---- the equations -----------------------------------------------------------------------------

// A driven hinge that is elsewhere after a period, or time itself.
static lb_status name_other(const search *f, char name[LB_COLUMN_SIZE])
{
    const lb_turn *x = f->x;
    const lb_model *model = x->s->model;
    double most = 0.0;
    snprintf(name, LB_COLUMN_SIZE, "a function of time");
    for (int k = 0; k < x->s->body_count; ++k) {
        const int hinge = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        for (int i = 0; x->point.held[k] && i < lb_get_hinge(model, k).v_count; ++i) {
            const double size = x->weight[hinge + i] * fabs(f->way[hinge + i]);
            if (size > fmax(most, 1e-7 * x->size)) {
                most = size;
                lb_name_coordinate(model, hinge + i, false, name);
            }
        }
    }
    return LB_OK;
}

static lb_status check_equations(search *f)
{
    lb_turn *x = f->x;
    char name[LB_COLUMN_SIZE];
    double gap = 0.0;
    lb_status status = compare_all(f, x->period, -1, &gap);
    if (status >= 0 && !(gap <= 1e-6)) {
        name_other(f, name);
        status = lb_say(x->s, LB_E_EQUILIBRIUM,
                        "linear: the motion does not repeat itself after %.9g s: the equations are "
                        "others then, by %.3g of their largest numbers: %s has another period",
                        x->period, gap, name);
    }
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status take_turn(lb_turn *x)
{
    const lb_system *s = x->s;
    const size_t n = (size_t)x->n, v_count = (size_t)s->v_count, q_count = (size_t)s->q_count;
    x->weight = lb_take_numbers(x->arena, 2 * v_count + 2 * n + 4 * n * n + 1);
    x->legs = lb_take_numbers(x->arena, LB_TURN_INSTANTS * 4 * n * n + 1);
    x->at = lb_arena_take(x->arena, LB_TURN_INSTANTS, sizeof *x->at);
    x->now.q = lb_take_numbers(x->arena, (LB_TURN_INSTANTS + 1) * (q_count + v_count) + 1);
    if (!x->weight || !x->legs || !x->at || !x->now.q) {
        return LB_E_MEMORY;
    }
    x->units = x->weight + v_count;
    x->mean = x->units + 2 * n;
    x->reach = x->mean + 4 * n * n;
    x->now.v = x->now.q + q_count;
    for (int k = 0; k < LB_TURN_INSTANTS; ++k) {
        x->at[k].q = x->now.q + (size_t)(k + 1) * (q_count + v_count);
        x->at[k].v = x->at[k].q + q_count;
    }
    return LB_OK;
}

// Units of deviations at the start.
static lb_status find_units(lb_turn *x)
{
    lb_system *s = x->s;
    const int n = x->n, count = s->v_count;
    lb_arena arena = lb_make_arena(NULL);
    lb_tangent whole, part;
    lb_status status = lb_take_tangent(&arena, count, &whole);
    status = status < 0 ? status : lb_compute_plain_tangent(s, &x->point, &whole);
    status = status < 0 ? status : lb_reduce(&x->point, count, &whole, &arena, &part);
    for (int i = 0; i < count && status >= 0; ++i) {
        x->weight[i] = sqrt(fabs(whole.M[i * (count + 1)]));
    }
    // at least a part of its natural range
    lb_find_scales(s->model, x->reach);
    for (int i = 0; i < count; ++i) {
        const int body = lb_find_owner(s->model, i);
        const int own = i - lb_get_v_offset(s->model, body) - lb_get_mode_count(s->model, body);
        const bool turns = own >= 0 && lb_is_turn(lb_get_hinge(s->model, body).type, own);
        x->reach[i] *= turns ? 1.0 : 1e-6;
    }
    for (int i = 0; i < n && status >= 0; ++i) {
        const double m = fabs(part.M[i * (n + 1)]), k = fabs(part.K[i * (n + 1)]);
        const double c = fabs(part.C[i * (n + 1)]);
        const double rate = fmax(two_pi / x->period, fmax(sqrt(k / m), c / m));
        x->units[i] = 1.0 / (sqrt(m) * rate);
        x->units[n + i] = 1.0 / sqrt(m);
    }
    x->step = x->period / 64.0;
    lb_arena_free(&arena);
    return status;
}

// The equations over the period, by their mean.
static lb_status find_mean(lb_turn *x)
{
    static const lb_linear_options plain = {.size = sizeof plain, .spin = -1};
    lb_status status = LB_OK;
    for (int k = 0; k < LB_TURN_INSTANTS && status >= 0; ++k) {
        lb_arena arena = lb_make_arena(NULL);
        lb_operating_point at;
        double *A, *B;
        status = lb_place_point(x->s, &x->point, x->point.t + x->at[k].t, x->at[k].q, x->at[k].v,
                                &arena, &at);
        status =
            status < 0 ? status : lb_form_moving_plant(x->s, &plain, NULL, &at, &arena, &A, &B);
        for (int i = 0; i < 4 * x->n * x->n && status >= 0; ++i) {
            x->mean[i] += A[i] / LB_TURN_INSTANTS;
        }
        lb_arena_free(&arena);
    }
    return status;
}

// How far the start is from the state that was given.
static void note_move(lb_turn *x, const double *q, double *v, double *way)
{
    double most = 0.0;
    lb_difference_configuration(x->s->model, q, x->point.q, way);
    turn_velocities(x, q, x->point.q, v);
    for (int i = 0; i < 2 * x->n; ++i) {
        const int entry = get_entry(x, i % x->n);
        const double by = i < x->n ? way[entry] : x->point.v[entry] - v[entry];
        const double part = fabs(by) * (i < x->n ? 1.0 : x->period) / x->reach[entry];
        const double size = x->weight[entry] * fabs(by) * (i < x->n ? 1.0 : x->period);
        if (part > 1e-9 && size > most) {
            most = size;
            x->moved = by;
            lb_name_coordinate(x->s->model, entry, i >= x->n, x->moved_name);
        }
    }
}

lb_status lb_find_turn(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                       lb_turn *x)
{
    lb_system *s = &sim->system;
    lb_linear_options own = *options;
    lb_arena scratch = lb_make_arena(NULL);
    own.input_count = own.output_count = 0;
    *x = (lb_turn){.s = s, .sim = sim, .arena = arena};
    lb_status status = lb_find_point(sim, &own, NULL, arena, &x->point);
    status = status < 0 ? status : lb_find_period(sim, &own, &x->point, &x->period);
    x->n = x->point.freedom.free_count;
    const size_t n = (size_t)x->n, v_count = (size_t)s->v_count, q_count = (size_t)s->q_count;
    search f = {.x = x, .arena = &scratch};
    f.P = lb_take_numbers(&scratch, 4 * n * n + 4 * n + 3 * v_count + 2 * q_count + 1);
    f.loose = lb_arena_take(&scratch, n + 1, 1);
    status = status < 0 ? status : f.P && f.loose ? take_turn(x) : LB_E_MEMORY;
    if (status >= 0) {
        f.r = f.P + 4 * n * n;
        double *step = f.r + 2 * n, *v = step + 2 * n;
        f.way = v + v_count;
        f.end.v = f.way + v_count;
        f.end.q = f.end.v + v_count;
        double *q = f.end.q + q_count;
        memcpy(q, x->point.q, q_count * sizeof *q);
        memcpy(v, x->point.v, v_count * sizeof *v);
        status = find_units(x);
        status = status < 0 ? status : find_start(&f, step);
        status = status < 0 ? status : check_equations(&f);
        status = status < 0 ? status : lb_check_friction(x, options);
        if (status >= 0) {
            // as lb_find_point finds it for a linear model there
            own.q = memcpy(f.end.q, x->point.q, q_count * sizeof *q);
            own.v = memcpy(f.end.v, x->point.v, v_count * sizeof *v);
            status = lb_find_point(sim, &own, NULL, arena, &x->point);
            status = status < 0 ? status : find_units(x);
        }
        status = status < 0 ? status : find_mean(x);
        if (status >= 0) {
            note_move(x, q, v, f.way);
        }
    }
    lb_arena_free(&scratch);
    return status;
}
