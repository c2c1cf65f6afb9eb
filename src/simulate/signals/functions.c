// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of functions of time.                                                      (FRC-10)
#include "functions.h"

#include <math.h>

// Polynomial pieces: constant before the first and after the end of the last.
static void evaluate_pieces(const lb_function *f, double t, double out[3])
{
    const double end = f->starts[f->piece_count];
    const bool inside = t >= f->starts[0] && t < end;
    t = t < f->starts[0] ? f->starts[0] : t < end ? t : end;

    // the last piece that starts at or before t
    int low = 0, high = f->piece_count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (f->starts[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *c = f->coefficients + (ptrdiff_t)low * f->coefficient_count;
    const double s = t - f->starts[low];
    double x = 0.0, v = 0.0, half_a = 0.0;
    for (int i = f->coefficient_count - 1; i >= 0; --i) {
        half_a = half_a * s + v;
        v = v * s + x;
        x = x * s + c[i];
    }
    out[0] = x;
    out[1] = inside ? v : 0.0;
    out[2] = inside ? 2.0 * half_a : 0.0;
}

// 10 s^3 - 15 s^4 + 6 s^5, s = u / rise: from 0 to 1 with two derivatives zero at both ends
static void evaluate_ramp(double u, double rise, double out[3])
{
    if (u <= 0 || u >= rise) {
        out[0] = u > 0 || (u == 0 && rise == 0);
        out[1] = out[2] = 0.0;
        return;
    }
    const double s = u / rise;
    out[0] = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    out[1] = 30.0 * s * s * (1.0 - s) * (1.0 - s) / rise;
    out[2] = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (rise * rise);
}

double lb_find_pulse_turn(const lb_function *f, double t)
{
    if (f->period <= 0 || t <= f->start) {
        return 0.0;
    }
    const double turn = floor((t - f->start) / f->period);
    return f->start + (turn + 1.0) * f->period <= t ? turn + 1.0
           : f->start + turn * f->period > t        ? turn - 1.0
                                                    : turn;
}

static void evaluate_pulse(const lb_function *f, double t, double out[3])
{
    const double start = f->start + lb_find_pulse_turn(f, t) * f->period;
    double up[3], down[3];
    evaluate_ramp(t - start, f->rise, up);
    evaluate_ramp(t - (start + (f->width - f->rise)), f->rise, down);
    for (int i = 0; i < 3; ++i) {
        out[i] = f->value * (up[i] - down[i]);
    }
}

void lb_evaluate_motion(const lb_function *f, double t, double out[3])
{
    out[1] = out[2] = 0.0;
    switch (f->type) {
    case LB_FUNCTION_PIECES:
        evaluate_pieces(f, t, out);
        break;
    case LB_FUNCTION_SINE: {
        const double s = f->value * sin(f->omega * t + f->phase);
        out[0] = f->offset + s;
        out[1] = f->omega * f->value * cos(f->omega * t + f->phase);
        out[2] = -f->omega * f->omega * s;
        break;
    }
    case LB_FUNCTION_PULSE:
        evaluate_pulse(f, t, out);
        break;
    case LB_FUNCTION_EXPRESSION: {
        const lb_instant instant = lb_make_instant(NULL, NULL, t, NULL, NULL, NULL);
        for (int i = 0; i < 3; ++i) {
            // of t alone: cannot fail
            (void)lb_evaluate_expression(f->expressions[i], &instant, &out[i]);
        }
        break;
    }
    default:
        out[0] = f->value;
        break;
    }
}

lb_status lb_evaluate_function(const lb_function *f, const lb_instant *instant, double *value)
{
    if (f->type == LB_FUNCTION_EXPRESSION) {
        return lb_evaluate_expression(f->expressions[0], instant, value);
    }
    double out[3] = {0};
    lb_evaluate_motion(f, instant->t, out);
    *value = out[0];
    return LB_OK;
}

// ---- smoothness ---------------------------------------------------------------------------------

// Where pieces meet, the left one's end against the right one's start. 1e-6: tables are typed in.
static int get_pieces_smoothness(const lb_function *f)
{
    int smoothness = 2;
    for (int i = 1; i < f->piece_count; ++i) {
        const double length = f->starts[i] - f->starts[i - 1];
        lb_function left = *f;
        const double starts[2] = {0.0, INFINITY};
        left.starts = starts;
        left.piece_count = 1;
        left.coefficients = f->coefficients + (ptrdiff_t)(i - 1) * f->coefficient_count;
        double a[3], b[3], scale = 0.0;
        evaluate_pieces(&left, length, a);
        evaluate_pieces(f, f->starts[i], b);
        for (int d = 0; d < 3; ++d) {
            // in units of the value: a slope acts over the length of the piece
            const double unit = d == 0 ? 1.0 : d == 1 ? length : length * length;
            scale = fmax(scale, unit * fmax(fabs(a[d]), fabs(b[d])));
        }
        double unit = 1.0;
        for (int d = 0; d < 3; ++d) {
            if (unit * fabs(a[d] - b[d]) > 1e-6 * scale && d - 1 < smoothness) {
                smoothness = d - 1;
            }
            unit *= length;
        }
    }
    return smoothness;
}

int lb_get_smoothness(const lb_function *f)
{
    if (f->type == LB_FUNCTION_PULSE) {
        return f->rise > 0 ? 2 : -1;
    }
    return f->type == LB_FUNCTION_PIECES ? get_pieces_smoothness(f) : 2;
}
