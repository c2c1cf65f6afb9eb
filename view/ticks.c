// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Axes with round numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/figure.h"

bool lb_cli_find_range(const double *values, long count, double *low, double *high)
{
    bool any = false;
    for (long i = 0; i < count; ++i) {
        if (isfinite(values[i])) {
            *low = any ? fmin(*low, values[i]) : values[i];
            *high = any ? fmax(*high, values[i]) : values[i];
            any = true;
        }
    }
    return any;
}

static double put_on_axis(double value, bool log)
{
    return !log ? value : value > 0.0 ? log10(value) : NAN;
}

long lb_cli_get_point_count(const lb_cli_figure *f, int curve)
{
    return f->xs ? f->counts[curve] : f->count;
}

double lb_cli_get_x(const lb_cli_figure *f, int curve, long point)
{
    return put_on_axis(f->xs ? f->xs[curve][point] : f->x[point], f->x_log);
}

double lb_cli_get_y(const lb_cli_figure *f, int curve, long point)
{
    return put_on_axis(f->y[curve][point], f->y_log && f->y_log[curve]);
}

// Smallest and largest x or y of a curve, beside what is there already.
static void widen_range(const lb_cli_figure *f, int curve, bool of_x, bool *any, double *low,
                        double *high)
{
    for (long i = 0; i < lb_cli_get_point_count(f, curve); ++i) {
        const double value = of_x ? lb_cli_get_x(f, curve, i) : lb_cli_get_y(f, curve, i);
        if (isfinite(value)) {
            *low = *any ? fmin(*low, value) : value;
            *high = *any ? fmax(*high, value) : value;
            *any = true;
        }
    }
}

bool lb_cli_find_x_range(const lb_cli_figure *f, double *low, double *high)
{
    bool any = f->x_low != f->x_high;
    *low = put_on_axis(f->x_low, f->x_log);
    *high = put_on_axis(f->x_high, f->x_log);
    for (int i = 0; f->x_low == f->x_high && i < f->curve_count; ++i) {
        widen_range(f, i, true, &any, low, high);
    }
    return any;
}

bool lb_cli_find_y_range(const lb_cli_figure *f, int curve, double *low, double *high)
{
    bool any = false;
    widen_range(f, curve, false, &any, low, high);
    return any;
}

bool lb_cli_is_figure(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && dot > path &&
           (strcmp(dot, ".svg") == 0 || strcmp(dot, ".pdf") == 0 || strcmp(dot, ".png") == 0);
}

lb_cli_ticks lb_cli_make_ticks(double low, double high, int at_most, bool widen)
{
    // what does not vary but by rounding gets an axis around it
    const double size = fmax(fabs(low), fabs(high));
    if (!(high - low > 1e-12 * size)) {
        const double half = size > 0.0 ? 0.5 * size : 1.0;
        low -= half;
        high += half;
    }
    // the smallest of 1, 2, 5 times a power of ten that gives few enough
    static const double nice[] = {1.0, 2.0, 5.0, 10.0};
    const double rough = (high - low) / fmax(1, at_most - 1);
    const double power = pow(10.0, floor(log10(rough)));
    double step = 10.0 * power;
    for (int i = 3; i >= 0; --i) {
        step = nice[i] * power >= rough * (1.0 - 1e-9) ? nice[i] * power : step;
    }
    lb_cli_ticks ticks = {.low = low, .high = high, .step = step};
    if (widen) {
        ticks.low = step * floor(low / step + 1e-9);
        ticks.high = step * ceil(high / step - 1e-9);
    }
    ticks.first = step * ceil(ticks.low / step - 1e-9);
    ticks.count = (int)floor((ticks.high - ticks.first) / step + 1e-6) + 1;
    ticks.digits = (int)fmax(0.0, -floor(log10(step) + 1e-9));
    return ticks;
}

lb_cli_ticks lb_cli_make_log_ticks(double low, double high, bool widen)
{
    if (!(high - low > 1e-9)) {
        low -= 0.5;
        high += 0.5;
    }
    lb_cli_ticks ticks = {.low = low, .high = high, .log = true};
    if (widen) {
        ticks.low = floor(low + 1e-9);
        ticks.high = ceil(high - 1e-9);
    }
    ticks.first = floor(ticks.low + 1e-9);
    // powers of ten that get a text: at most eight
    ticks.step = ceil((ticks.high - ticks.low) / 8.0);
    ticks.count = 9 * (int)(ceil(ticks.high) - ticks.first) + 1;
    return ticks;
}

double lb_cli_get_tick(const lb_cli_ticks *ticks, int i, char text[32])
{
    text[0] = 0;
    if (!ticks->log) {
        lb_cli_format_tick(ticks, i, text);
        return ticks->first + i * ticks->step;
    }
    const int power = (int)ticks->first + i / 9, factor = 1 + i % 9;
    const double at = power + log10(factor), span = ticks->high - ticks->low;
    if (at < ticks->low - 1e-9 || at > ticks->high + 1e-9) {
        return NAN;
    }
    // short axes have texts between the powers of ten
    const bool labelled =
        factor == 1 ? fmod(i / 9, ticks->step) == 0.0 : span < 2.2 && (factor == 2 || factor == 5);
    if (labelled && abs(power) <= 4) {
        snprintf(text, 32, "%g", factor * pow(10.0, power));
    } else if (labelled) {
        snprintf(text, 32, "%de%d", factor, power);
    }
    return at;
}

void lb_cli_format_tick(const lb_cli_ticks *ticks, int i, char text[32])
{
    double value = ticks->first + i * ticks->step;
    if (fabs(value) < 1e-9 * ticks->step) {
        value = 0.0;
    }
    const double largest = fmax(fabs(ticks->low), fabs(ticks->high));
    if (value != 0.0 && (ticks->digits > 5 || largest >= 1e6)) {
        // digits that tell neighbours apart
        const int digits = (int)fmax(0.0, floor(log10(largest)) - floor(log10(ticks->step) + 1e-9));
        snprintf(text, 32, "%.*e", digits > 12 ? 12 : digits, value);
    } else {
        snprintf(text, 32, "%.*f", ticks->digits > 12 ? 12 : ticks->digits, value);
    }
}
