// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A motion and small deviations from it, step by step.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "model/layout.h"
#include "period.h"
#include "simulate/forces/force_set.h"
#include "simulate/system/closure.h"

enum { COLUMNS = 7, EVALUATIONS_MAX = 300000 };

// The integration of q, v and E.
typedef struct leg {
    lb_turn *turn;
    int width, count;
    lb_form_flow form;
    const void *user;
    double *F;       // width x width
    double *largest; // 2 x width: of each column so far, by rows of the plant and by the others
    double *y, *f, *a, *b, *c, *row[COLUMNS];
    double *dv, *error; // v_count each
} leg;

// ---- sizes -------------------------------------------------------------------------------------

// Distance of a shift or a modal coordinate from zero.
static double get_place(const lb_system *s, const double *q, int entry)
{
    const lb_model *model = s->model;
    const int body = lb_find_owner(model, entry), modes = lb_get_mode_count(model, body);
    const int own = entry - lb_get_v_offset(model, body), first = lb_get_q_offset(model, body);
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    if (own >= modes && lb_is_turn(type, own - modes)) {
        return 0.0;
    }
    // of a free hinge the quaternion is first
    const int at = own >= modes && type == LB_HINGE_FREE ? own + 1 : own;
    return fabs(q[first + at]);
}

// How far coordinates move in a period, at least what their last digits leave open; and all of them, by inertia.
static void note_reach(lb_turn *x, const double *q, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < x->s->v_count; ++i) {
        const double way = fabs(v[i]) * x->period;
        sum = hypot(sum, x->weight[i] * way);
        x->reach[i] = fmax(x->reach[i], fmax(way, 1e-3 * get_place(x->s, q, i)));
    }
    x->size = fmax(x->size, sum);
}

// ---- rates -------------------------------------------------------------------------------------

// The state moves as the equations say, deviations as those linearised at it             (FLQ-1)
//
//     dq/dt = q_dot(v),   dv/dt = a(t, q, v),   dE/dt = F(t) E
//
// with F = A(t) = [N I; -M^-1 K, -M^-1 C] of (LIN-5), and what inputs and actuators add to it.
static lb_status find_rates(leg *g, double t, const double *y, double *rate)
{
    lb_turn *x = g->turn;
    lb_system *s = x->s;
    const int w = g->width;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point at;
    double *A, *B;
    ++x->evaluation_count;
    lb_status status = lb_place_point(s, &x->point, t, y, y + s->q_count, &arena, &at);
    if (status >= 0) {
        lb_compute_configuration_rate(s->model, s->closure ? at.q : y, at.v, rate);
        memcpy(rate + s->q_count, at.a, (size_t)s->v_count * sizeof *rate);
        note_reach(x, at.q, at.v);
    }
    if (status >= 0 && w > 0) {
        double *E_rate = rate + s->q_count + s->v_count;
        const double *E = y + s->q_count + s->v_count;
        status = lb_form_moving_plant(s, x->options, x->ports, &at, &arena, &A, &B);
        if (status >= 0) {
            g->form(g->user, A, B, g->F);
            lb_form_product(w, w, w, g->F, E, E_rate);
        }
    }
    for (int i = 0; i < g->count && status >= 0; ++i) {
        status = isfinite(rate[i]) ? LB_OK : LB_E_NUMBER;
    }
    lb_arena_free(&arena);
    return status;
}

// ---- one step ----------------------------------------------------------------------------------

// Gragg's rule: `count` parts of a step by the explicit midpoint, smoothed by the rates at its end, which are those
// before a jump of a function of time there.
static lb_status cross(leg *g, double t, double step, int count, double *out)
{
    const double h = step / count;
    double *before = g->a, *now = g->b;
    memcpy(before, g->y, (size_t)g->count * sizeof *before);
    memcpy(now, g->y, (size_t)g->count * sizeof *now);
    lb_add_scaled(g->count, h, g->f, now);
    for (int i = 1; i < count; ++i) {
        const lb_status status = find_rates(g, t + i * h, now, g->c);
        if (status < 0) {
            return status;
        }
        lb_add_scaled(g->count, 2.0 * h, g->c, before);
        double *kept = before;
        before = now;
        now = kept;
    }
    const lb_status status = find_rates(g, nextafter(t + step, t), now, g->c);
    for (int i = 0; i < g->count && status >= 0; ++i) {
        out[i] = 0.5 * (now[i] + before[i] + h * g->c[i]);
    }
    return status;
}

// Largest entry of column j of E over units: of the plant's rows, and of the others.
static void measure_column(const leg *g, const double *E, int j, double size[2])
{
    const int plant = 2 * g->turn->n;
    size[0] = size[1] = 0.0;
    for (int i = 0; i < g->width; ++i) {
        const double unit = i < plant ? g->turn->units[i] : 1.0;
        const int part = i >= plant;
        size[part] = fmax(size[part], fabs(E[i * g->width + j]) / unit);
    }
}

// The error of a step, over what is allowed.
static double weigh_error(leg *g, const double *x, const double *y)
{
    const lb_turn *turn = g->turn;
    const lb_system *s = turn->s;
    const int first = s->q_count + s->v_count;
    double worst = 0.0;
    for (int i = first; i < g->count; ++i) {
        g->c[i] = x[i] - y[i];
    }
    for (int j = 0; j < g->width; ++j) {
        double error[2], size[2];
        measure_column(g, g->c + first, j, error);
        measure_column(g, x + first, j, size);
        for (int part = 0; part < 2; ++part) {
            const double most = fmax(g->largest[2 * j + part], size[part]);
            worst = error[part] > 0.0 ? fmax(worst, error[part] / most) : worst;
        }
    }
    lb_difference_configuration(s->model, x, y, g->dv);
    for (int i = 0; i < s->v_count; ++i) {
        const double rate = x[s->q_count + i] - y[s->q_count + i];
        const double error = fmax(fabs(g->dv[i]), fabs(rate) * turn->period);
        worst = error > 0.0 ? fmax(worst, error / turn->reach[i]) : worst;
    }
    return worst / LB_TURN_TOLERANCE;
}

// A step by extrapolation over 2, 4, 6 .. parts (Bulirsch and Stoer, 1966; Aitken and Neville)
//
//     T_k,j = T_k,j-1 + (T_k,j-1 - T_k-1,j-1) / ((n_k / n_k-j)^2 - 1)
//
// @param columns  out: how many it took; 0 if the step is too long
static lb_status take_step(leg *g, double t, double step, int *columns)
{
    // behind a jump of a function of time at t, as its end is before one
    lb_status status = find_rates(g, nextafter(t, t + step), g->y, g->f);
    // where a short step takes many, something jumps close to the node that all have in their middle
    const int most = step < 1e-6 * g->turn->period ? 4 : COLUMNS;
    double first = 0.0, last = 0.0;
    *columns = 0;
    for (int k = 0; k < most && status >= 0; ++k) {
        double *now = g->row[k];
        status = cross(g, t, step, 2 * (k + 1), now);
        if (status < 0) {
            break;
        }
        // row[j] becomes T_k,j where it was T_k-1,j
        for (int j = 0; j < k; ++j) {
            const double ratio = (double)(k + 1) / (k - j), f = 1.0 / (ratio * ratio - 1.0);
            double *before = g->row[j];
            for (int i = 0; i < g->count; ++i) {
                const double lower = now[i], other = before[i];
                before[i] = lower;
                now[i] = lower + f * (lower - other);
            }
        }
        const double error = k >= 1 ? weigh_error(g, now, g->row[k - 1]) : 0.0;
        first = k == 1 ? error : first;
        // an error that has stopped falling far below its first size is round-off of A
        const bool rough = k >= 3 && error > 0.3 * last && error < 50.0 && error < 1e-5 * first;
        last = error;
        if (k >= 2 && (error <= 1.0 || rough)) {
            memcpy(g->y, now, (size_t)g->count * sizeof *now);
            *columns = k + 1;
            return LB_OK;
        }
    }
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status take_leg(lb_arena *arena, leg *g)
{
    const size_t count = (size_t)g->count, w = (size_t)g->width;
    const size_t v_count = (size_t)g->turn->s->v_count;
    g->y = lb_take_numbers(arena, (5 + COLUMNS) * count + 1);
    g->F = lb_take_numbers(arena, w * w + 2 * w + 2 * v_count + 1);
    if (!g->y || !g->F) {
        return LB_E_MEMORY;
    }
    g->f = g->y + count;
    g->a = g->f + count;
    g->b = g->a + count;
    g->c = g->b + count;
    for (int k = 0; k < COLUMNS; ++k) {
        g->row[k] = g->c + (size_t)(k + 1) * count;
    }
    g->largest = g->F + w * w;
    g->dv = g->largest + 2 * w;
    return LB_OK;
}

// Largest entries of columns so far.
static void note_columns(leg *g)
{
    const double *E = g->y + g->turn->s->q_count + g->turn->s->v_count;
    for (int j = 0; j < g->width; ++j) {
        double size[2];
        measure_column(g, E, j, size);
        for (int part = 0; part < 2; ++part) {
            g->largest[2 * j + part] = fmax(g->largest[2 * j + part], size[part]);
        }
    }
}

// Whether accelerations jump within a step that is so short that nothing else changes them. Deviations would then jump too,
// which the linear equations do not show. A jump of derivatives alone does no harm.
static bool jumps(leg *g, double t, double step)
{
    const lb_turn *x = g->turn;
    const int first = x->s->q_count;
    double before = 0.0, change = 0.0;
    memcpy(g->a, g->y, (size_t)g->count * sizeof *g->a);
    if (find_rates(g, t, g->y, g->f) < 0) {
        return true;
    }
    lb_add_scaled(g->count, step, g->f, g->a);
    if (find_rates(g, t + step, g->a, g->c) < 0) {
        return true;
    }
    for (int i = 0; i < x->s->v_count; ++i) {
        before = hypot(before, x->weight[i] * g->f[first + i]);
        change = hypot(change, x->weight[i] * (g->c[first + i] - g->f[first + i]));
    }
    return change > 1e-4 * fmax(before, x->size / (x->period * x->period));
}

// From one jump or kink of a function of time to the next.
static lb_status go_on(leg *g, double from, double to)
{
    lb_turn *x = g->turn;
    double t = from;
    while (t < to) {
        const double left = to - t;
        const double step = left <= x->step ? left : fmin(x->step, 0.5 * left);
        int columns = 0;
        const lb_status status = take_step(g, t, step, &columns);
        if (status == LB_E_MEMORY) {
            return status;
        }
        if (columns == 0) {
            x->step = 0.4 * step;
            if (!(x->step > 1e-14 * x->period) || x->evaluation_count > EVALUATIONS_MAX ||
                (x->step < 1e-9 * x->period && jumps(g, t, step))) {
                return lb_say(
                    x->s, status < 0 ? status : LB_E_NUMBER,
                    "linear: the motion cannot be followed beyond %.9g s: something jumps "
                    "there, or moves too fast for a period of %.6g s",
                    t, x->period);
            }
            continue;
        }
        note_columns(g);
        t = left <= x->step ? to : t + step;
        x->step *= columns <= 4 ? 2.0 : columns == 5 ? 1.4 : columns == 6 ? 1.0 : 0.8;
    }
    return LB_OK;
}

void lb_restart_turn(lb_turn *x)
{
    const lb_system *s = x->s;
    x->now.t = 0.0;
    memcpy(x->now.q, x->point.q, (size_t)s->q_count * sizeof *x->now.q);
    memcpy(x->now.v, x->point.v, (size_t)s->v_count * sizeof *x->now.v);
}

lb_status lb_follow_turn(lb_turn *x, double time, int width, lb_form_flow form, const void *user,
                         double *E)
{
    lb_system *s = x->s;
    const int first = s->q_count + s->v_count;
    leg g = {.turn = x, .width = width, .count = first + width * width, .form = form, .user = user};
    lb_arena arena = lb_make_arena(NULL);
    lb_status status = take_leg(&arena, &g);
    if (status >= 0) {
        memcpy(g.y, x->now.q, (size_t)s->q_count * sizeof *g.y);
        memcpy(g.y + s->q_count, x->now.v, (size_t)s->v_count * sizeof *g.y);
        for (int i = 0; i < width; ++i) {
            g.y[first + i * width + i] = 1.0;
        }
        note_columns(&g);
    }
    double t = x->point.t + x->now.t;
    const double to = x->point.t + time;
    while (status >= 0 && t < to) {
        double stop = fmin(to, lb_find_loop_break(s, t));
        stop = s->force_count > 0 ? fmin(stop, lb_get_next_break(s->forces, t)) : stop;
        status = go_on(&g, t, stop);
        t = stop;
    }
    lb_operating_point at;
    status =
        status < 0 ? status : lb_place_point(s, &x->point, to, g.y, g.y + s->q_count, &arena, &at);
    if (status >= 0) {
        x->now.t = time;
        memcpy(x->now.q, at.q, (size_t)s->q_count * sizeof *g.y);
        memcpy(x->now.v, at.v, (size_t)s->v_count * sizeof *g.y);
        for (int i = 0; i < width * width; ++i) {
            E[i] = g.y[first + i];
        }
    }
    lb_arena_free(&arena);
    return status;
}

// ---- the plant alone ---------------------------------------------------------------------------

static void copy_plant(const void *user, const double *A, const double *B, double *F)
{
    const lb_turn *x = user;
    (void)B;
    memcpy(F, A, 4 * (size_t)x->n * (size_t)x->n * sizeof *F);
}

static void keep_state(const lb_turn *x, const lb_turn_state *from, lb_turn_state *to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)x->s->q_count * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)x->s->v_count * sizeof *to->v);
}

bool lb_recall_leg(lb_turn *x, double from, double to, double *E)
{
    const double part = x->period / LB_TURN_INSTANTS;
    const int k = (int)nearbyint(from / part);
    const size_t size = 4 * (size_t)x->n * (size_t)x->n;
    const bool known = !x->s->closure && k < LB_TURN_INSTANTS &&
                       fabs(from - k * part) <= 1e-9 * part &&
                       fabs(to - (k + 1) * part) <= 1e-9 * part;
    if (known) {
        memcpy(E, x->legs + (size_t)k * size, size * sizeof *E);
        if (k + 1 < LB_TURN_INSTANTS) {
            keep_state(x, &x->at[k + 1], &x->now);
        }
    }
    return known;
}

void lb_note_instant(lb_turn *x, int instant)
{
    keep_state(x, &x->now, &x->at[instant]);
}

lb_status lb_form_monodromy(lb_turn *x, double *P, lb_turn_state *end)
{
    static const lb_linear_options plain = {.size = sizeof plain, .spin = -1};
    const int w = 2 * x->n;
    const size_t size = (size_t)w * (size_t)w;
    lb_arena arena = lb_make_arena(NULL);
    double *product = lb_take_numbers(&arena, size + 1);
    lb_status status = product ? LB_OK : LB_E_MEMORY;
    x->options = &plain;
    x->ports = NULL;
    x->size = 0.0;
    lb_restart_turn(x);
    memset(P, 0, size * sizeof *P);
    for (int i = 0; i < w; ++i) {
        P[i * w + i] = 1.0;
    }
    for (int k = 0; k < LB_TURN_INSTANTS && status >= 0; ++k) {
        double *E = x->legs + (size_t)k * size;
        lb_note_instant(x, k);
        status = lb_follow_turn(x, x->period * (k + 1) / LB_TURN_INSTANTS, w, copy_plant, x, E);
        lb_form_product(w, w, w, E, P, product);
        memcpy(P, product, size * sizeof *P);
    }
    keep_state(x, &x->now, end);
    lb_arena_free(&arena);
    return status;
}
