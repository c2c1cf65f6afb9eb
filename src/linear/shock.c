// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Shock response spectra of samples.
#include <math.h>

#include "limber/spectra.h"

static const double pi = 3.14159265358979323846;

// A mass on a foot: z is what it is ahead of the foot, y its absolute acceleration.
typedef struct oscillator {
    double w, zeta;
    double E[4];    // of (z, dz/dt) over a step h without acceleration of the foot, row by row
    double h;       // s
    double z, rate; // dz/dt
    double largest, smallest;
} oscillator;

// exp of [0 1; -w^2 -2 zeta w] h, zeta below 1.
static void set_step(oscillator *o, double h)
{
    const double decay = o->zeta * o->w, wd = o->w * sqrt(1.0 - o->zeta * o->zeta);
    const double e = exp(-decay * h), c = e * cos(wd * h), s = e * sin(wd * h) / wd;
    o->h = h;
    o->E[0] = c + decay * s;
    o->E[1] = s;
    o->E[2] = -o->w * o->w * s;
    o->E[3] = c - decay * s;
}

// Extremes of the cubic that has values a, b and slopes da, db (times the step) at its ends.
static void look_between(oscillator *o, double a, double b, double da, double db)
{
    // the slope is p + 2 q u + r u^2
    const double p = da, q = 3.0 * (b - a) - 2.0 * da - db, r = 3.0 * (2.0 * (a - b) + da + db);
    const double root = q * q - p * r;
    if (root < 0.0) {
        return;
    }
    // both roots without cancellation
    const double t = -(q + copysign(sqrt(root), q));
    const double at[2] = {r != 0.0 ? t / r : NAN, t != 0.0 ? p / t : NAN};
    for (int i = 0; i < 2; ++i) {
        const double u = at[i];
        if (u > 0.0 && u < 1.0) {
            const double y = a + u * (p + u * (q + u * r / 3.0));
            o->largest = fmax(o->largest, y);
            o->smallest = fmin(o->smallest, y);
        }
    }
}

// y = -2 zeta w dz/dt - w^2 z, and dy/dt, where the foot has the acceleration a.
static double get_response(const oscillator *o, double a, double *slope)
{
    const double y = -2.0 * o->zeta * o->w * o->rate - o->w * o->w * o->z;
    *slope = -2.0 * o->zeta * o->w * (y - a) - o->w * o->w * o->rate;
    return y;
}

// One step in which the acceleration of the foot goes from a to b                       (SPC-2)
//
//     d2z/dt2 + 2 zeta w dz/dt + w^2 z = -a - t (b - a) / h
//
// A straight line z = p + g t solves it; the difference from that line moves freely, by E.
static void advance(oscillator *o, double a, double b)
{
    const double w2 = o->w * o->w, g = -(b - a) / (o->h * w2),
                 p = (-a - 2.0 * o->zeta * o->w * g) / w2;
    double before, after;
    const double y = get_response(o, a, &before);
    const double u = o->z - p, v = o->rate - g;
    o->z = o->E[0] * u + o->E[1] * v + p + g * o->h;
    o->rate = o->E[2] * u + o->E[3] * v + g;
    const double next = get_response(o, b, &after);
    o->largest = fmax(o->largest, next);
    o->smallest = fmin(o->smallest, next);
    // between its ends                                                                  (SPC-3)
    look_between(o, y, next, before * o->h, after * o->h);
}

lb_status lb_compute_shock_spectrum(double step, long count, const double *acceleration, double q,
                                    int frequency_count, const double *frequencies, double *largest,
                                    double *smallest)
{
    double size = 0.0;
    if (count < 1) {
        return LB_E_ARGUMENT;
    }
    for (long i = 0; i < count; ++i) {
        size = isfinite(acceleration[i]) ? fmax(size, fabs(acceleration[i])) : INFINITY;
        if (isinf(size)) {
            return LB_E_NUMBER;
        }
    }
    if (!(step > 0.0 && q > 0.5) || !isfinite(step + q)) {
        return LB_E_NUMBER;
    }
    for (int k = 0; k < frequency_count; ++k) {
        if (!(frequencies[k] > 0.0) || !isfinite(frequencies[k]) ||
            !(2.0 * pi * frequencies[k] * step < 1e6)) {
            return LB_E_NUMBER;
        }
    }
    for (int k = 0; k < frequency_count; ++k) {
        oscillator o = {.w = 2.0 * pi * frequencies[k],
                        .zeta = 0.5 / q,
                        .largest = acceleration[0],
                        .smallest = acceleration[0]};
        // parts of a step in which the mass turns by 0.2 rad at most
        const int parts = (int)ceil(o.w * step / 0.2);
        set_step(&o, step / parts);
        o.z = -acceleration[0] / (o.w * o.w);
        for (long i = 0; i + 1 < count; ++i) {
            const double a = acceleration[i], rise = (acceleration[i + 1] - a) / parts;
            for (int j = 0; j < parts; ++j) {
                advance(&o, a + j * rise, a + (j + 1) * rise);
            }
        }
        largest[k] = o.largest;
        smallest[k] = o.smallest;
    }
    return LB_OK;
}
