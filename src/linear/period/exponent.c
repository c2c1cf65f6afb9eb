// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of the exponents that one multiplier may have says how fast a mode swings.
#include <complex.h>
#include <math.h>

#include "period.h"

static const double two_pi = 6.283185307179586;

// By inertia, how much of a shape is in a harmonic of the period.
static double weigh_harmonic(const lb_turn *x, const int *coordinates, const double complex *p,
                             int harmonic)
{
    double sum = 0.0;
    for (int i = 0; i < x->n; ++i) {
        double complex part = 0.0;
        for (int k = 0; k < LB_TURN_INSTANTS; ++k) {
            part += p[k * x->n + i] * cexp(-I * two_pi * harmonic * k / LB_TURN_INSTANTS);
        }
        const double w = x->weight[coordinates[i]];
        sum += w * w * creal(part * conj(part));
    }
    return sum;
}

// Of s + 2 pi i k / T that with the k of the largest part of the shape                   (FLQ-8)
//
//     p(t) = sum of p_k exp(2 pi i k t / T),   k such that |p_k| is largest
//
// which 16 instants tell up to multiples of 16: of these, that next to a pole of the mean equations.
double complex lb_choose_exponent(const lb_turn *x, const int *coordinates, double complex s,
                                  double period, double complex *p, int guide_count,
                                  const double *guides)
{
    const double turn = two_pi / period;
    int best = 0;
    double most = -1.0;
    for (int k = 0; k < LB_TURN_INSTANTS; ++k) {
        for (int i = 0; i < x->n; ++i) {
            p[k * x->n + i] *= cexp(-s * (period * k / LB_TURN_INSTANTS));
        }
    }
    for (int k = -LB_TURN_INSTANTS / 2; k < LB_TURN_INSTANTS / 2; ++k) {
        const double size = weigh_harmonic(x, coordinates, p, k);
        // of equals the slowest
        if (size > most * (1.0 + 1e-6) ||
            (size > most * (1.0 - 1e-6) &&
             fabs(cimag(s) + turn * k) < fabs(cimag(s) + turn * best))) {
            most = fmax(most, size);
            best = k;
        }
    }
    double complex chosen = s + I * turn * best;
    double nearest = INFINITY;
    for (int i = 0; i < guide_count; ++i) {
        const double complex guide = guides[2 * i] + I * guides[2 * i + 1];
        const double wide = turn * LB_TURN_INSTANTS;
        const double complex other =
            s + I * (turn * best + wide * nearbyint((cimag(guide - s) - turn * best) / wide));
        if (cabs(guide - other) < nearest) {
            nearest = cabs(guide - other);
            chosen = other;
        }
    }
    return chosen;
}
