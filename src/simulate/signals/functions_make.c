// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time out of what a caller says of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "functions.h"

// What a function is made with.
typedef struct maker {
    lb_arena *arena;
    const lb_scope *scope;
    lb_faults *faults;
    const char *where;
} maker;

static bool check_finite(const maker *m, const char *key, double x)
{
    if (!isfinite(x)) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, key, "%.15g, expected a finite number",
                    x);
    }
    return isfinite(x);
}

// Times rise; `format` has the index of one.
static bool check_time(const maker *m, const char *format, const double *t, int i)
{
    char key[64];
    snprintf(key, sizeof key, format, i);
    if (!check_finite(m, key, t[i])) {
        return false;
    }
    if (i > 0 && !(t[i] > t[i - 1])) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, key,
                    "time %.15g after %.15g, expected a later one", t[i], t[i - 1]);
        return false;
    }
    return true;
}

// Memory of pieces; the function stays as it is if there is none.
static lb_status take_pieces(lb_arena *arena, size_t count, size_t coefficients, double **starts,
                             double **rows)
{
    *starts = lb_arena_take(arena, count + 1, sizeof **starts);
    *rows = lb_arena_take(arena, count * coefficients, sizeof **rows);
    return *starts && *rows ? LB_OK : LB_E_MEMORY;
}

// ---- tables ------------------------------------------------------------------------------------

// Cubic spline through points                                                       (FRC-10)
//
//     h_i m_(i-1) + 2 (h_i + h_(i+1)) m_i + h_(i+1) m_(i+1) = 6 (s_(i+1) - s_i)
//
// given     x_i at t_i;  h_i = t_i - t_(i-1), s_i the slope of the chord there
//           ends: m = 0 (natural), or zero slope (at rest)
// computes  second derivatives m_i, by elimination; scratch has room for `count`
static void compute_spline(size_t count, const double *t, const double *x, bool rest, double *m,
                           double *scratch)
{
    const size_t last = count - 1;
    for (size_t i = 0; i < count; ++i) {
        const double h_left = i > 0 ? t[i] - t[i - 1] : 0.0;
        const double h_right = i < last ? t[i + 1] - t[i] : 0.0;
        const double s_left = i > 0 ? (x[i] - x[i - 1]) / h_left : 0.0;
        const double s_right = i < last ? (x[i + 1] - x[i]) / h_right : 0.0;
        const bool natural = !rest && (i == 0 || i == last);
        const double low = natural ? 0.0 : h_left, high = natural ? 0.0 : h_right;
        const double middle = natural ? 1.0 : 2.0 * (h_left + h_right);
        const double right = natural ? 0.0 : 6.0 * (s_right - s_left);
        const double pivot = middle - (i > 0 ? low * scratch[i - 1] : 0.0);
        scratch[i] = high / pivot;
        m[i] = (right - (i > 0 ? low * m[i - 1] : 0.0)) / pivot;
    }
    for (size_t i = last; i-- > 0;) {
        m[i] -= scratch[i] * m[i + 1];
    }
}

static bool check_points(const maker *m, const lb_function_options *o)
{
    bool right = true;
    if (o->point_count < 2 || o->point_count > 1000000) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "table",
                    "%d points given, expected 2 to 1000000", o->point_count);
        return false;
    }
    if (!o->times || !o->values) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "table", "expected times and values");
        return false;
    }
    if (o->interpolation < 0 || o->interpolation >= LB_INTERPOLATION_COUNT) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "interpolation",
                    "%d is no interpolation", (int)o->interpolation);
        right = false;
    }
    for (int i = 0; i < o->point_count && right; ++i) {
        char key[64];
        snprintf(key, sizeof key, "table[%d][1]", i);
        right = check_time(m, "table[%d][0]", o->times, i) && check_finite(m, key, o->values[i]);
    }
    return right;
}

static lb_status make_table(const maker *m, const lb_function_options *o, lb_function *f)
{
    if (!check_points(m, o)) {
        return LB_OK;
    }
    const size_t count = (size_t)o->point_count;
    double *t, *c, *scratch = lb_arena_take(m->arena, 2 * count, sizeof *scratch);
    if (take_pieces(m->arena, count, 4, &t, &c) != LB_OK || !scratch) {
        return LB_E_MEMORY;
    }
    const double *x = o->values;
    double *curve = scratch;
    memcpy(t, o->times, count * sizeof *t);
    if (o->interpolation == LB_INTERPOLATION_CUBIC) {
        compute_spline(count, t, x, o->at_rest, curve, scratch + count);
    }
    const bool steps = o->interpolation == LB_INTERPOLATION_STEPS;
    for (size_t i = 0; i + 1 < count; ++i) {
        const double h = t[i + 1] - t[i], slope = (x[i + 1] - x[i]) / h;
        double *row = c + 4 * i;
        row[0] = x[i];
        row[1] = steps ? 0.0 : slope - h * (2.0 * curve[i] + curve[i + 1]) / 6.0;
        row[2] = 0.5 * curve[i];
        row[3] = (curve[i + 1] - curve[i]) / (6.0 * h);
    }
    // after the last point its value holds; of steps, that is a piece of its own
    c[4 * (count - 1)] = x[count - 1];
    t[count] = INFINITY;
    f->type = LB_FUNCTION_PIECES;
    f->piece_count = (int)count - !steps;
    f->coefficient_count = 4;
    f->starts = t;
    f->coefficients = c;
    return LB_OK;
}

// ---- pieces ------------------------------------------------------------------------------------

static bool check_pieces(const maker *m, const lb_function_options *o)
{
    bool right = true;
    if (o->piece_count < 1 || o->piece_count > 1000000) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "pieces",
                    "%d pieces given, expected 1 to 1000000", o->piece_count);
        return false;
    }
    if (o->coefficient_count < 1 || o->coefficient_count > 20) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "pieces[0].coefficients",
                    "%d coefficients given, expected 1 to 20", o->coefficient_count);
        return false;
    }
    if (!o->starts || !o->coefficients) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "pieces",
                    "expected starts and coefficients");
        return false;
    }
    for (int i = 0; i < o->piece_count && right; ++i) {
        right = check_time(m, "pieces[%d].from", o->starts, i);
        for (int j = 0; j < o->coefficient_count && right; ++j) {
            char key[64];
            snprintf(key, sizeof key, "pieces[%d].coefficients[%d]", i, j);
            right = check_finite(m, key, o->coefficients[(ptrdiff_t)i * o->coefficient_count + j]);
        }
    }
    if (right && !(o->until > o->starts[o->piece_count - 1])) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "until",
                    "time %.15g, expected one after the last piece starts", o->until);
        right = false;
    }
    return right;
}

static lb_status make_pieces(const maker *m, const lb_function_options *o, lb_function *f)
{
    if (!check_pieces(m, o)) {
        return LB_OK;
    }
    const size_t count = (size_t)o->piece_count, width = (size_t)o->coefficient_count;
    double *t, *c;
    if (take_pieces(m->arena, count, width, &t, &c) != LB_OK) {
        return LB_E_MEMORY;
    }
    memcpy(t, o->starts, count * sizeof *t);
    memcpy(c, o->coefficients, count * width * sizeof *c);
    t[count] = o->until;
    f->type = LB_FUNCTION_PIECES;
    f->piece_count = (int)count;
    f->coefficient_count = (int)width;
    f->starts = t;
    f->coefficients = c;
    return LB_OK;
}

// ---- sines and pulses --------------------------------------------------------------------------

static void make_sine(const maker *m, const lb_function_options *o, lb_function *f)
{
    bool right = check_finite(m, "sine.amplitude", o->value);
    right = check_finite(m, "sine.offset", o->offset) && right;
    right = check_finite(m, "sine.phase", o->phase) && right;
    right = check_finite(m, "sine.rate", o->rate) && right;
    if (right) {
        f->type = LB_FUNCTION_SINE;
        f->value = o->value;
        f->offset = o->offset;
        f->omega = o->rate;
        f->phase = o->phase;
    }
}

static void make_pulse(const maker *m, const lb_function_options *o, lb_function *f)
{
    lb_faults *faults = m->faults;
    const int errors = faults->error_count;
    check_finite(m, "pulse.value", o->value);
    check_finite(m, "pulse.start", o->start);
    if (!(o->width > 0 && isfinite(o->width))) {
        lb_complain(faults, LB_SEVERITY_ERROR, m->where, "pulse.width",
                    "%.15g, expected a positive time", o->width);
    } else if (!(o->rise >= 0 && 2.0 * o->rise <= o->width)) {
        lb_complain(faults, LB_SEVERITY_ERROR, m->where, "pulse.rise",
                    "%.15g, expected from 0 to half the width", o->rise);
    }
    if (o->period != 0 && !(o->period > 0 && o->period >= o->width && isfinite(o->period))) {
        lb_complain(faults, LB_SEVERITY_ERROR, m->where, "pulse.period",
                    "%.15g, expected at least the width", o->period);
    }
    if (faults->error_count == errors) {
        f->type = LB_FUNCTION_PULSE;
        f->value = o->value;
        f->start = o->start;
        f->width = o->width;
        f->period = o->period;
        f->rise = o->rise;
    }
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status make_expression(const maker *m, const lb_function_options *o, bool motion,
                                 lb_function *f)
{
    f->type = LB_FUNCTION_EXPRESSION;
    if (motion) {
        return lb_make_expression_of_time(m->arena, m->scope, m->faults, m->where, "",
                                          o->expression, f->expressions);
    }
    const lb_status status = lb_make_expression(m->arena, m->scope, m->faults, m->where, "",
                                                o->expression, &f->expressions[0]);
    if (status == LB_OK && f->expressions[0]->stage == LB_SIGNAL_ACCELERATION) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "",
                    "accelerations follow from forces and cannot be used in one");
    }
    return status;
}

static lb_status make_by_type(const maker *m, const lb_function_options *o, bool motion,
                              lb_function *f)
{
    switch (o->type) {
    case LB_FUNCTION_CONSTANT:
        f->value = check_finite(m, "", o->value) ? o->value : 0.0;
        return LB_OK;
    case LB_FUNCTION_EXPRESSION:
        return make_expression(m, o, motion, f);
    case LB_FUNCTION_TABLE:
        return make_table(m, o, f);
    case LB_FUNCTION_PIECES:
        return make_pieces(m, o, f);
    case LB_FUNCTION_SINE:
        make_sine(m, o, f);
        return LB_OK;
    case LB_FUNCTION_PULSE:
        make_pulse(m, o, f);
        return LB_OK;
    default:
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "", "%d is no type of function",
                    (int)o->type);
        return LB_OK;
    }
}

lb_status lb_make_function(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                           const char *where, int smoothness, const lb_function_options *options,
                           lb_function *f)
{
    const maker m = {arena, scope, faults, where};
    const int errors = faults->error_count;
    lb_function_options own;
    *f = (lb_function){.type = LB_FUNCTION_CONSTANT};
    own = lb_default_function_options();
    lb_status status = lb_take_checked(faults, where, "", &own, sizeof own,
                                       offsetof(lb_function_options, expression), options);
    if (status != LB_OK) {
        return status;
    }
    status = make_by_type(&m, &own, smoothness > LB_SMOOTHNESS_ANY, f);
    if (status == LB_OK && faults->error_count == errors && lb_get_smoothness(f) < smoothness) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, "", "%s here must have no %s: %s",
                    smoothness > 0 ? "a position" : "a speed",
                    lb_get_smoothness(f) < 0 ? "jumps" : "kinks",
                    own.type == LB_FUNCTION_TABLE   ? "interpolation: cubic helps"
                    : own.type == LB_FUNCTION_PULSE ? "a rise helps"
                                                    : "make the pieces meet");
    }
    return status;
}
