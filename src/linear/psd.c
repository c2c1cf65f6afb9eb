// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Power spectral densities of samples.
#include <complex.h>
#include <math.h>

#include "base/arena.h"
#include "limber/spectra.h"

typedef double complex number;

static const double pi = 3.14159265358979323846;

static long find_factor(long n)
{
    for (long p = 2; p * p <= n; ++p) {
        if (n % p == 0) {
            return p;
        }
    }
    return n;
}

// X_k = sum of x_j exp(-2 pi i j k / n) over n samples that are `stride` apart, by the transforms of every
// p-th sample, p the smallest prime factor of n (Cooley and Tukey 1965).
//
// `roots` has the N-th roots of unity, N the length of the whole; `scratch` as many numbers as X.
static void transform(long n, long stride, const number *x, const number *roots, long N, number *X,
                      number *scratch)
{
    if (n == 1) {
        X[0] = x[0];
        return;
    }
    const long p = find_factor(n), m = n / p;
    for (long r = 0; r < p; ++r) {
        transform(m, stride * p, x + r * stride, roots, N, scratch + r * m, X + r * m);
    }
    const long turn = N / n;
    for (long k = 0; k < n; ++k) {
        number sum = 0.0;
        for (long r = 0; r < p; ++r) {
            sum += roots[r * k % n * turn] * scratch[r * m + k % m];
        }
        X[k] = sum;
    }
}

// Welch's mean of periodograms                                                          (SPC-1)
//
//     S_k = 2 h / (K W) sum over segments of |sum of w_j (x_j - mean) exp(-2 pi i j k / n)|^2,
//     W = sum of w_j^2;   S_0 and, for even n, S_(n/2) without the 2
lb_status lb_compute_psd(double step, long count, const double *values, long segment,
                         lb_window window, double *psd)
{
    const long n = segment, hop = window == LB_WINDOW_HANN ? n / 2 : n;
    if (n < 2 || n > count || (window != LB_WINDOW_HANN && window != LB_WINDOW_NONE)) {
        return LB_E_ARGUMENT;
    }
    double mean = 0.0;
    for (long i = 0; i < count; ++i) {
        mean += values[i] / (double)count;
    }
    if (!(step > 0.0) || !isfinite(step) || !isfinite(mean)) {
        return LB_E_NUMBER;
    }
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)n;
    double *w = lb_take_numbers(&arena, size);
    number *roots = lb_arena_take(&arena, size, sizeof *roots);
    number *x = lb_arena_take(&arena, size, sizeof *x);
    number *X = lb_arena_take(&arena, size, sizeof *X);
    number *scratch = lb_arena_take(&arena, size, sizeof *scratch);
    if (!w || !roots || !x || !X || !scratch) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    double W = 0.0;
    for (long j = 0; j < n; ++j) {
        const double angle = 2.0 * pi * (double)j / (double)n, half = sin(0.5 * angle);
        roots[j] = cos(angle) - I * sin(angle);
        w[j] = window == LB_WINDOW_HANN ? half * half : 1.0;
        W += w[j] * w[j];
    }
    for (long k = 0; k <= n / 2; ++k) {
        psd[k] = 0.0;
    }
    const long segments = (count - n) / hop + 1;
    for (long s = 0; s < segments; ++s) {
        for (long j = 0; j < n; ++j) {
            x[j] = w[j] * (values[s * hop + j] - mean);
        }
        transform(n, 1, x, roots, n, X, scratch);
        for (long k = 0; k <= n / 2; ++k) {
            const double sides = k == 0 || 2 * k == n ? 1.0 : 2.0;
            psd[k] += sides * step / ((double)segments * W) *
                      (creal(X[k]) * creal(X[k]) + cimag(X[k]) * cimag(X[k]));
        }
    }
    lb_arena_free(&arena);
    return LB_OK;
}
