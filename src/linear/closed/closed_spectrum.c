// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Poles of closed loops.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "closed_loop.h"
#include "deflate.h"
#include "linear/period/period.h"

typedef struct raw {
    int n;
    double *A, *real, *imaginary, *left, *right; // vectors as LAPACK has them
} raw;

static lb_status take(lb_arena *arena, int n, raw *r)
{
    const size_t size = (size_t)n * (size_t)n;
    r->n = n;
    r->A = lb_take_numbers(arena, 3 * size + 2 * (size_t)n + 1);
    if (!r->A) {
        return LB_E_MEMORY;
    }
    r->left = r->A + size;
    r->right = r->left + size;
    r->real = r->right + size;
    r->imaginary = r->real + n;
    return LB_OK;
}

// What moves without acting on anything is split off before, so that its eigenvalue is exact.
static lb_status solve(raw *r)
{
    const int n = r->n;
    int low = 0, high = 0;
    lb_arena arena = lb_make_arena(NULL);
    double *scratch = lb_take_numbers(&arena, 3 * (size_t)n + 1), norm = 0.0;
    lb_status status = scratch ? LB_OK : LB_E_MEMORY;
    if (scratch && n > 0) {
        status = lb_check_lapack(LB_LAPACK(dgeevx, LAPACK_ROW_MAJOR, 'B', 'V', 'V', 'N', n, r->A, n,
                                           r->real, r->imaginary, r->left, n, r->right, n, &low,
                                           &high, scratch, &norm, scratch + n, scratch + 2 * n),
                                 LB_E_NUMBER);
    }
    lb_arena_free(&arena);
    return status;
}

// The entry of a vector of eigenvalue i.
static double complex get_entry(const raw *r, const double *vectors, int state, int i)
{
    const double *row = vectors + state * r->n;
    return r->imaginary[i] > 0.0   ? row[i] + I * row[i + 1]
           : r->imaginary[i] < 0.0 ? row[i - 1] - I * row[i]
                                   : row[i];
}

// The pole of the multiplier z                                                          (CLL-2)
//
//     s = (log z + 2 pi i k) / T,   k such that s is nearest to a pole of the continuous model
//
// k = 0 where none is near: beyond half the sampling rate z alone does not say how fast something is.
static double complex find_pole(double complex z, double period, int count, const double *guides)
{
    if (cabs(z) == 0.0) {
        return -INFINITY;
    }
    const double turn = 6.283185307179586 / period;
    // on the circle, where (STB-1) has put it
    const bool stays = fabs(cabs(z) - 1.0) <= 2.0 * DBL_EPSILON;
    const double complex s = ((stays ? 0.0 : log(cabs(z))) + I * carg(z)) / period;
    double complex best = s;
    double nearest = 0.2 * turn;
    for (int i = 0; i < count && cimag(z) != 0.0; ++i) {
        const double complex guide = guides[2 * i] + I * guides[2 * i + 1];
        const double complex other = s + I * turn * nearbyint(cimag(guide - s) / turn);
        if (cabs(guide - other) < nearest) {
            nearest = cabs(guide - other);
            best = other;
        }
    }
    return best;
}

// Brings eigenvalue i of what is left onto the axis, of a discrete model onto the unit circle, if only
// round-off may have moved it away                                                       (STB-1)
//
//     A - s  may be singular at that point; A known as in (CLL-6), or as it was integrated
static lb_status settle(const lb_deflation *zeros, double period, bool integrated, int i, raw *r)
{
    const int n = r->n;
    const double complex z = r->real[i] + I * r->imaginary[i]; // less 1 if the model is discrete
    const double complex on = period > 0.0 ? (1.0 + z) / cabs(1.0 + z) - 1.0 : I * cimag(z);
    const double away = period > 0.0 ? cabs(1.0 + z) - 1.0 : creal(z);
    const double most = away > 0.0 ? 1e-3 : 1e-6; // of up to four that are equal
    if (away == 0.0 || fabs(away) > most * cabs(cimag(z) == 0.0 ? 1e-3 : z)) {
        return LB_OK;
    }
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)n * (size_t)n;
    lapack_complex_double *S = lb_arena_take(&arena, size, sizeof *S);
    double *E = lb_take_numbers(&arena, size);
    bool may = false;
    lb_status status = S && E ? LB_OK : LB_E_MEMORY;
    for (size_t k = 0; k < size && status >= 0; ++k) {
        const bool diagonal = k / (size_t)n == k % (size_t)n;
        S[k] = zeros->A[k] - (diagonal ? on : 0.0);
        E[k] = integrated ? zeros->E[k]
                          : 256.0 * DBL_EPSILON * fabs(zeros->A[k]) +
                                (diagonal && period > 0.0 ? 4.0 * DBL_EPSILON : 0.0);
    }
    status = status < 0 ? status : lb_may_be_singular(n, S, E, &may);
    if (may) {
        r->real[i] = creal(on);
        r->imaginary[i] = cimag(on);
    }
    lb_arena_free(&arena);
    return status;
}

// A multiplier below what the matrix is known to is zero: how fast that decays is not known (FLQ-7)
//
//     |z| <= 100 |w|'E |v| / |w^H v|
static void drop_unknown(const lb_deflation *zeros, int i, raw *r)
{
    const int n = r->n;
    double complex both = 0.0;
    double noise = 0.0;
    for (int j = 0; j < n; ++j) {
        both += conj(get_entry(r, r->left, j, i)) * get_entry(r, r->right, j, i);
        for (int k = 0; k < n; ++k) {
            noise += cabs(get_entry(r, r->left, j, i)) * zeros->E[j * n + k] *
                     cabs(get_entry(r, r->right, k, i));
        }
    }
    if (hypot(1.0 + r->real[i], r->imaginary[i]) * cabs(both) <= 100.0 * noise) {
        r->real[i] = -1.0;
        r->imaginary[i] = 0.0;
    }
}

// Room for one eigenvalue.
typedef struct pair_work {
    lb_deflation zeros;
    double complex *right, *left, *scratch;
} pair_work;

// Vector and participation of eigenvalue i of what is left.
static void fill_vectors(const raw *r, int i, double complex s, const pair_work *w, double *share,
                         double *vector)
{
    const int n = w->zeros.n;
    double sum = 0.0;
    for (int j = 0; j < r->n; ++j) {
        w->right[j] = get_entry(r, r->right, j, i);
        w->left[j] = conj(get_entry(r, r->left, j, i));
    }
    lb_lift_right(&w->zeros, s, w->right, w->scratch);
    lb_lift_left(&w->zeros, w->left, w->scratch);
    for (int j = 0; j < n; ++j) {
        share[j] = cabs(w->left[j]) * cabs(w->right[j]);
        sum += share[j];
        vector[2 * j] = creal(w->right[j]);
        vector[2 * j + 1] = cimag(w->right[j]);
    }
    for (int j = 0; j < n && sum > 0.0; ++j) {
        share[j] /= sum;
    }
}

// Along a motion: what the shape of a mode says of its pole, which its multiplier does not.
static lb_status choose_pole(const lb_closed *k, const lb_matrices *model, const raw *r, int i,
                             double complex found, const pair_work *w, int guide_count,
                             const double *guides, double complex *pole)
{
    const int n = model->n, half = k->plant.coordinate_count;
    lb_arena arena = lb_make_arena(NULL);
    double complex *p = lb_arena_take(&arena, LB_TURN_INSTANTS * (size_t)half + 1, sizeof *p);
    for (int j = 0; j < r->n; ++j) {
        w->right[j] = get_entry(r, r->right, j, i);
    }
    lb_lift_right(&w->zeros, found, w->right, w->scratch);
    for (int j = 0; p && j < LB_TURN_INSTANTS * half; ++j) {
        for (int l = 0; l < n; ++l) {
            p[j] += model->turns[(size_t)j * (size_t)n + (size_t)l] * w->right[l];
        }
    }
    if (p) {
        *pole = lb_choose_exponent(k->turn, k->plant.coordinates, *pole, k->period, p, guide_count,
                                   guides);
    }
    lb_arena_free(&arena);
    return p ? LB_OK : LB_E_MEMORY;
}

// By size; of a pair the one with positive imaginary part first. Infinite ones, of delays, last.
static bool comes_before(double complex a, double complex b)
{
    const double x = isinf(creal(a)) ? INFINITY : cabs(a), y = isinf(creal(b)) ? INFINITY : cabs(b);
    if (fabs(x - y) > 1e-12 * fmin(x, y)) {
        return x < y;
    }
    return cimag(a) > cimag(b);
}

static lb_status take_all(lb_arena *arena, int n, pair_work *w, lb_closed_spectrum *out)
{
    const size_t size = (size_t)n * (size_t)n;
    w->right = lb_arena_take(arena, 3 * (size_t)n + 1, sizeof *w->right);
    *out = (lb_closed_spectrum){.count = n,
                                .values = lb_take_numbers(arena, 2 * (size_t)n + 1),
                                .multipliers = lb_take_numbers(arena, 2 * (size_t)n + 1),
                                .participation = lb_take_numbers(arena, size + 1),
                                .vectors = lb_take_numbers(arena, 2 * size + 1)};
    if (!w->right || !out->values || !out->multipliers || !out->participation || !out->vectors) {
        return LB_E_MEMORY;
    }
    w->left = w->right + n;
    w->scratch = w->left + n;
    return LB_OK;
}

// Zeros first: of A, of discrete models those of A - 1.
static lb_status find_zeros(const lb_matrices *model, const double *E, double period,
                            lb_arena *arena, pair_work *w, lb_closed_spectrum *out)
{
    const int n = model->n;
    double *A = lb_take_numbers(arena, (size_t)n * (size_t)n + 1);
    if (!A) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n * n; ++i) {
        A[i] = model->A[i] - (period > 0.0 && i / n == i % n ? 1.0 : 0.0);
    }
    const lb_status status = lb_deflate(n, A, E, arena, &w->zeros);
    if (status < 0) {
        return status;
    }
    out->zero_count = n - w->zeros.rest;
    for (int i = 0; i < out->zero_count; ++i) {
        out->multipliers[2 * i] = 1.0;
    }
    if (w->zeros.level_count > 0) {
        out->rigid_count = w->zeros.levels[0].count;
        out->rigid = w->zeros.levels[0].X;
    }
    return LB_OK;
}

static lb_status compute_spectrum(const lb_closed *k, const lb_matrices *model, const double *E,
                                  double period, int guide_count, const double *guides,
                                  lb_closed_spectrum *out)
{
    lb_arena *arena = k->arena;
    const int n = model->n;
    raw r;
    pair_work w;
    lb_status status = take_all(arena, n, &w, out);
    status = status < 0 ? status : find_zeros(model, E, period, arena, &w, out);
    status = status < 0 ? status : take(arena, w.zeros.rest, &r);
    if (status == LB_E_MEMORY) {
        return status;
    }
    double complex *poles = lb_arena_take(arena, 2 * (size_t)n + 1, sizeof *poles);
    double complex *found = poles + n; // as LAPACK has them
    int *order = lb_arena_take(arena, (size_t)n + 1, sizeof *order);
    if (status >= 0 && (!poles || !order)) {
        return LB_E_MEMORY;
    }
    if (status >= 0) {
        memcpy(r.A, w.zeros.A, (size_t)r.n * (size_t)r.n * sizeof *r.A);
    }
    status = status < 0 ? status : solve(&r);
    if (status < 0) {
        return lb_say(&k->sim->system, status == LB_E_MEMORY ? status : LB_E_NUMBER,
                      "linear: the eigenvalues of the closed loop do not converge");
    }
    for (int i = 0; i < r.n; ++i) {
        found[i] = r.real[i] + I * r.imaginary[i];
        if (r.imaginary[i] < 0.0 && i > 0) {
            r.real[i] = r.real[i - 1];
            r.imaginary[i] = -r.imaginary[i - 1];
        }
        status = r.imaginary[i] < 0.0 ? LB_OK : settle(&w.zeros, period, E != NULL, i, &r);
        if (status < 0) {
            return status;
        }
        if (E && r.imaginary[i] >= 0.0) {
            drop_unknown(&w.zeros, i, &r);
        }
        const double complex z = r.real[i] + I * r.imaginary[i];
        poles[i] = period > 0.0 ? find_pole(1.0 + z, period, guide_count, guides) : z;
        if (E && r.imaginary[i] > 0.0) {
            status = choose_pole(k, model, &r, i, found[i], &w, guide_count, guides, &poles[i]);
        }
        if (status < 0) {
            return status;
        }
        // both of a pair alike
        if (r.imaginary[i] < 0.0 && i > 0) {
            poles[i] = conj(poles[i - 1]);
        }
        int at = i;
        for (; at > 0 && comes_before(poles[i], poles[order[at - 1]]); --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (int j = 0; j < r.n; ++j) {
        const int i = order[j], at = out->zero_count + j;
        const size_t row = (size_t)at * (size_t)n;
        out->values[2 * at] = creal(poles[i]) + 0.0;
        out->values[2 * at + 1] = cimag(poles[i]) + 0.0;
        out->multipliers[2 * at] = r.real[i] + 1.0;
        out->multipliers[2 * at + 1] = r.imaginary[i];
        fill_vectors(&r, i, found[i], &w, out->participation + row, out->vectors + 2 * row);
        if (E && isinf(creal(poles[i]))) {
            // unknown as well
            memset(out->participation + row, 0, (size_t)n * sizeof *out->participation);
        }
    }
    if (!(period > 0.0)) {
        out->multipliers = NULL;
    }
    return LB_OK;
}

// How far a model that was integrated is known, in units of its deviations d               (FLQ-2)
//
//     |dP_ij| <= e d_i max(1 / d_j, max over k of |P_kj| / d_k)
static double *find_known(const lb_closed *k, const lb_matrices *model)
{
    const int n = model->n, plant = 2 * k->turn->n;
    const double *d = k->turn->units;
    double *E = lb_take_numbers(k->arena, (size_t)n * (size_t)n + 1);
    for (int j = 0; E && j < n; ++j) {
        double largest = j < plant ? 1.0 / d[j] : 0.0;
        for (int i = 0; i < plant; ++i) {
            largest = fmax(largest, fabs(model->A[i * n + j]) / d[i]);
        }
        for (int i = 0; i < n; ++i) {
            E[i * n + j] = LB_TURN_ERROR * (i < plant ? d[i] * largest : fabs(model->A[i * n + j]));
        }
    }
    return E;
}

lb_status lb_compute_closed_spectrum(lb_closed *k, const lb_matrices *model, double period,
                                     lb_closed_spectrum *out)
{
    if (!(period > 0.0)) {
        return compute_spectrum(k, model, NULL, 0.0, 0, NULL, out);
    }
    // which of the poles that have the same multipliers
    lb_matrices continuous;
    lb_closed_spectrum guide = {.count = 0};
    const double *E = k->turn ? find_known(k, model) : NULL;
    lb_status status = k->turn && !E ? LB_E_MEMORY : lb_form_continuous(k, 2, &continuous);
    status = status < 0 ? status : compute_spectrum(k, &continuous, NULL, 0.0, 0, NULL, &guide);
    return status == LB_E_MEMORY
               ? status
               : compute_spectrum(k, model, E, period, guide.count, guide.values, out);
}
