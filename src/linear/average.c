// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Wheels that are balanced but for little: the mean of the equations over their turns.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "linear.h"
#include "model/layout.h"

// Small unbalance makes a wave of the turn and twice that; eight angles have the mean of up to seven times it.
enum { ANGLES = 8 };

// Of what turns as fast, how much may change in the course of it.
static const double little = 1e-2;

typedef struct average {
    lb_system *s;
    const lb_operating_point *point;
    const lb_tangent *frozen;
    int n;
    double *L, *mean, *other, *largest; // n x 2 n: -M^-1 (K, C)
    double *A;
} average;

static lb_status find_lower(average *x, int body, double time, double *lower)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point ahead;
    lb_tangent whole, part;
    const int n = x->n;
    lb_status status = lb_look_ahead(x->s, x->point, time, true, body, &arena, &ahead);
    status = status < 0 ? status : lb_take_tangent(&arena, x->s->v_count, &whole);
    status = status < 0 ? status : lb_compute_plain_tangent(x->s, &ahead, &whole);
    status = status < 0 ? status : lb_reduce(&ahead, x->s->v_count, &whole, &arena, &part);
    status = status < 0 ? status
                        : lb_form_system_matrix(n, part.M, part.C, part.K, part.N, 0, NULL, &arena,
                                                x->A, NULL);
    if (status >= 0) {
        memcpy(lower, x->A + 2 * n * n, 2 * (size_t)n * (size_t)n * sizeof *lower);
    }
    lb_arena_free(&arena);
    return status;
}

// The mean over a turn, and by how much the equations change in it, beside inertia       (STB-5)
//
//     max |dK_ij| / (w^2 sqrt(M_ii M_jj)),  max |dC_ij| / (w sqrt(M_ii M_jj))
static lb_status turn(average *x, int body, double rate, double *change)
{
    const int n = x->n, width = 2 * n;
    *change = 0.0;
    memset(x->mean, 0, (size_t)(n * width) * sizeof *x->mean);
    for (int k = 0; k < ANGLES; ++k) {
        const double time = 6.283185307179586 * k / (ANGLES * rate);
        const lb_status status = find_lower(x, body, time, x->other);
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < n * width; ++i) {
            const int row = i / width, column = i % width, j = column % n;
            const double unit = sqrt(x->frozen->M[row * n + row] / x->frozen->M[j * n + j]) /
                                (column < n ? rate * rate : rate);
            *change = fmax(*change, fabs(x->other[i] - x->L[i]) * unit);
            x->largest[i] = fmax(x->largest[i], fabs(x->other[i]));
            x->mean[i] += x->other[i] / ANGLES;
        }
    }
    return LB_OK;
}

// K = -M L_K, C = -M L_C; what the mean has left of waves is zero.
static void put_back(average *x, const double *sum, lb_tangent *frozen)
{
    const int n = x->n, width = 2 * n;
    for (int i = 0; i < n * width; ++i) {
        x->L[i] = fabs(sum[i]) <= 1e3 * DBL_EPSILON * x->largest[i] ? 0.0 : sum[i];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double K = 0.0, C = 0.0, K_error = 0.0, C_error = 0.0;
            for (int k = 0; k < n; ++k) {
                const double m = frozen->M[i * n + k];
                K -= m * x->L[k * width + j];
                C -= m * x->L[k * width + n + j];
                K_error += 1e3 * DBL_EPSILON * fabs(m * x->L[k * width + j]);
                C_error += 1e3 * DBL_EPSILON * fabs(m * x->L[k * width + n + j]);
            }
            frozen->K[i * n + j] = K;
            frozen->C[i * n + j] = C;
            frozen->K_error[i * n + j] = K_error;
            frozen->C_error[i * n + j] = C_error;
        }
    }
}

static bool may_be_wheel(const lb_system *s, const lb_operating_point *point, int body,
                         double *rate)
{
    const int hinge = lb_get_v_offset(s->model, body) + lb_get_mode_count(s->model, body);
    const bool turns = lb_get_hinge_type(s->model, body) == LB_HINGE_REVOLUTE &&
                       !point->held[body] && !point->guided[body];
    *rate = turns ? fabs(point->v[hinge]) : 0.0;
    return *rate > 0.0;
}

lb_status lb_average_wheels(lb_system *s, lb_operating_point *point, lb_tangent *frozen,
                            lb_arena *arena, const char **names)
{
    const int n = point->freedom.free_count;
    const size_t size = 2 * (size_t)n * (size_t)n;
    char text[256] = "";
    average x = {.s = s, .point = point, .frozen = frozen, .n = n};
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
    point->averaged = lb_arena_take(arena, (size_t)s->body_count, 1);
    x.L = lb_take_numbers(&own, 7 * size + 1);
    if (!point->averaged || !x.L) {
        lb_arena_free(&own);
        return LB_E_MEMORY;
    }
    double *sum = x.L + size;
    x.mean = sum + size;
    x.other = x.mean + size;
    x.largest = x.other + size;
    x.A = x.largest + size;
    lb_status status = find_lower(&x, 0, 0.0, x.L);
    memcpy(sum, x.L, size * sizeof *sum);
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        double change = 0.0;
        if (!may_be_wheel(s, point, k, &rate)) {
            continue;
        }
        status = turn(&x, k, rate, &change);
        if (status >= 0 && change > 1e-14 && change <= little) {
            point->averaged[k] = 1;
            for (size_t i = 0; i < size; ++i) {
                sum[i] += x.mean[i] - x.L[i];
            }
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%.60s", used ? ", " : "",
                     lb_get_body_name(s->model, k));
        }
    }
    if (status >= 0 && text[0]) {
        put_back(&x, sum, frozen);
        *names = lb_arena_text(arena, text);
        status = *names ? LB_OK : LB_E_MEMORY;
    }
    lb_arena_free(&own);
    // where the motion cannot be followed nothing is averaged
    return status == LB_E_MEMORY ? status : LB_OK;
}
