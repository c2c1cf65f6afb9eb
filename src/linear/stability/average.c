// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Wheels that are balanced but for little: the mean of the equations over their turns.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "linear/linear.h"
#include "model/layout.h"

// Small unbalance makes a wave of the turn and twice that; eight angles have the mean of up to seven times it.
enum { ANGLES = 8 };

// Of what turns as fast, how much may change in the course of it.
static const double little = 1e-2;

static const double two_pi = 6.283185307179586;

typedef struct average {
    lb_system *s;
    const lb_operating_point *point;
    int n;
    const double *a;             // accelerations that all angles are looked at with
    lb_tangent here, other, sum; // n x n each
    double *largest[3];          // of M, C and K
} average;

// The equations at an angle of a wheel.
static lb_status find_equations(const average *x, int body, double time, lb_tangent *out)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point ahead;
    lb_tangent whole, part;
    const size_t size = (size_t)x->n * (size_t)x->n * sizeof(double);
    lb_status status = lb_look_ahead(x->s, x->point, time, true, body, &arena, &ahead);
    status = status < 0 ? status : lb_take_tangent(&arena, x->s->v_count, &whole);
    if (status >= 0) {
        memcpy(ahead.a, x->a, (size_t)x->s->v_count * sizeof *ahead.a);
        status = lb_compute_plain_tangent(x->s, &ahead, &whole);
    }
    status = status < 0 ? status : lb_reduce(&ahead, x->s->v_count, &whole, &arena, &part);
    if (status >= 0) {
        memcpy(out->M, part.M, size);
        memcpy(out->C, part.C, size);
        memcpy(out->K, part.K, size);
    }
    lb_arena_free(&arena);
    return status;
}

// Accelerations over a turn: their mean less those at the point, added.
static lb_status add_accelerations(const average *x, int body, double rate, double *a)
{
    lb_status status = LB_OK;
    for (int k = 0; k < ANGLES && status >= 0; ++k) {
        lb_arena arena = lb_make_arena(NULL);
        lb_operating_point ahead;
        const double time = two_pi * k / (ANGLES * rate);
        status = lb_look_ahead(x->s, x->point, time, true, body, &arena, &ahead);
        for (int i = 0; i < x->s->v_count && status >= 0; ++i) {
            a[i] += (ahead.a[i] - x->point->a[i]) / ANGLES;
        }
        lb_arena_free(&arena);
    }
    return status;
}

// The mean over a turn less what is at the point, added; and by how much the equations change in it, beside
// inertia                                                                               (STB-5)
//
//     max |dM_ij| / u,  |dC_ij| / (w u),  |dK_ij| / (w^2 u),   u = sqrt(M_ii M_jj)
static lb_status turn(average *x, int body, double rate, double *change)
{
    const int n = x->n;
    const size_t size = (size_t)n * (size_t)n;
    const double *here[3] = {x->here.M, x->here.C, x->here.K};
    const double *other[3] = {x->other.M, x->other.C, x->other.K};
    lb_arena arena = lb_make_arena(NULL);
    double *sum = lb_take_numbers(&arena, 3 * size + 1);
    double *to[3] = {x->sum.M, x->sum.C, x->sum.K};
    lb_status status = sum ? LB_OK : LB_E_MEMORY;
    *change = 0.0;
    for (int k = 0; k < ANGLES && status >= 0; ++k) {
        status = find_equations(x, body, two_pi * k / (ANGLES * rate), &x->other);
        double power = 1.0;
        for (int part = 0; part < 3 && status >= 0; ++part, power *= rate) {
            for (size_t i = 0; i < size; ++i) {
                const size_t row = i / (size_t)n, column = i % (size_t)n;
                const double unit = power * sqrt(x->here.M[row * (size_t)n + row] *
                                                 x->here.M[column * (size_t)n + column]);
                const double more = other[part][i] - here[part][i];
                *change = fmax(*change, fabs(more) / unit);
                x->largest[part][i] = fmax(x->largest[part][i], fabs(other[part][i]));
                sum[(size_t)part * size + i] += more / ANGLES;
            }
        }
    }
    for (size_t i = 0; i < 3 * size && status >= 0 && *change > 1e-14 && *change <= little; ++i) {
        to[i / size][i % size] += sum[i];
    }
    lb_arena_free(&arena);
    return status;
}

// What the mean has left of waves is zero.
static void put_back(const average *x, lb_tangent *frozen)
{
    const int n = x->n;
    const double *from[3] = {x->sum.M, x->sum.C, x->sum.K};
    double *to[3] = {frozen->M, frozen->C, frozen->K};
    double *errors[3] = {NULL, frozen->C_error, frozen->K_error};
    for (int part = 0; part < 3; ++part) {
        for (int i = 0; i < n * n; ++i) {
            const double error = 64.0 * DBL_EPSILON * x->largest[part][i];
            const double least = errors[part] ? fmax(error, 8.0 * errors[part][i]) : error;
            to[part][i] = fabs(from[part][i]) <= least ? 0.0 : from[part][i];
            if (errors[part]) {
                errors[part][i] = fmax(errors[part][i], error);
            }
        }
    }
}

static bool may_be_wheel(const lb_system *s, const lb_operating_point *point, int body,
                         double *rate)
{
    const int hinge = lb_get_v_offset(s->model, body) + lb_get_mode_count(s->model, body);
    const bool turns = lb_get_hinge(s->model, body).type == LB_HINGE_REVOLUTE &&
                       !point->held[body] && !point->guided[body];
    *rate = turns ? fabs(point->v[hinge]) : 0.0;
    return *rate > 0.0;
}

static lb_status take(lb_arena *arena, int n, average *x)
{
    const size_t size = (size_t)n * (size_t)n;
    lb_status status = lb_take_tangent(arena, n, &x->here);
    status = status < 0 ? status : lb_take_tangent(arena, n, &x->other);
    status = status < 0 ? status : lb_take_tangent(arena, n, &x->sum);
    x->largest[0] = lb_take_numbers(arena, 3 * size + 1);
    x->largest[1] = x->largest[0] + size;
    x->largest[2] = x->largest[1] + size;
    return x->largest[0] ? status : LB_E_MEMORY;
}

static lb_status average_all(average *x, lb_operating_point *point, lb_arena *arena, double *a,
                             lb_tangent *frozen, const char **names)
{
    lb_system *s = x->s;
    char text[256] = "";
    double rate, change;
    lb_status status = LB_OK;
    memcpy(a, point->a, (size_t)s->v_count * sizeof *a);
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        status = may_be_wheel(s, point, k, &rate) ? add_accelerations(x, k, rate, a) : LB_OK;
    }
    x->a = a;
    status = status < 0 ? status : find_equations(x, 0, 0.0, &x->here);
    if (status >= 0) {
        memcpy(x->sum.M, x->here.M, 6 * (size_t)x->n * (size_t)x->n * sizeof *a);
    }
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        if (!may_be_wheel(s, point, k, &rate)) {
            continue;
        }
        status = turn(x, k, rate, &change);
        if (status >= 0 && change > little) {
            return LB_OK; // the accelerations are not of wheels alone
        }
        if (status >= 0 && change > 1e-14) {
            point->averaged[k] = 1;
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%.60s", used ? ", " : "",
                     lb_get_body_name(s->model, k));
        }
    }
    if (status >= 0 && text[0]) {
        put_back(x, frozen);
        memcpy(point->a, a, (size_t)s->v_count * sizeof *a);
        *names = lb_arena_text(arena, text);
        status = *names ? LB_OK : LB_E_MEMORY;
    }
    return status;
}

lb_status lb_average_wheels(lb_system *s, lb_operating_point *point, lb_tangent *frozen,
                            lb_arena *arena, const char **names)
{
    average x = {.s = s, .point = point, .n = point->freedom.free_count};
    double rate;
    bool any = false;
    *names = "";
    for (int k = 0; k < s->body_count; ++k) {
        any = any || may_be_wheel(s, point, k, &rate);
    }
    if (!any || s->closure || point->steady) {
        return LB_OK;
    }
    lb_arena own = lb_make_arena(NULL);
    double *a = lb_take_numbers(&own, (size_t)s->v_count + 1);
    point->averaged = lb_arena_take(arena, (size_t)s->body_count, 1);
    lb_status status = a && point->averaged ? take(&own, x.n, &x) : LB_E_MEMORY;
    status = status < 0 ? status : average_all(&x, point, arena, a, frozen, names);
    if (status >= 0 && !(*names)[0]) {
        point->averaged = NULL;
    }
    lb_arena_free(&own);
    // where the motion cannot be followed nothing is averaged
    return status == LB_E_MEMORY ? status : LB_OK;
}
