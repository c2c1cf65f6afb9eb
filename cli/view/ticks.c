// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Axes with round numbers.
#include <math.h>

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
