// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Response of linear models to random inputs.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/dense.h"
#include "base/lapack/locked.h"
#include "limber/spectra.h"
#include "linear.h"
#include "linear/stability/response_growth.h"

static const double two_pi = 6.283185307179586;

enum { GAUSS = 5, BATCH = 128 };

// Gauss-Legendre rule of 10 points on [-1, 1], the positive half.
static const double nodes[GAUSS] = {0.14887433898163121, 0.43339539412924719, 0.67940956829902441,
                                    0.86506336668898451, 0.97390652851717172};
static const double weights[GAUSS] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                      0.14945134915058059, 0.066671344308688138};

typedef struct integral {
    const lb_linear *linear;
    const int *point_counts;
    const double *frequencies, *densities;
    double *mean_squares, *moments; // moments: of f^2
    int count;                      // of frequencies that wait
    double waiting[BATCH], shares[BATCH];
    double *response;
} integral;

double lb_get_density(int count, const double *frequencies, const double *densities,
                      double frequency)
{
    if (count <= 1) {
        return count == 1 ? densities[0] : 0.0;
    }
    if (!(frequency >= frequencies[0] && frequency <= frequencies[count - 1])) {
        return 0.0;
    }
    int i = 0;
    while (i + 2 < count && frequency > frequencies[i + 1]) {
        ++i;
    }
    const double share = log(frequency / frequencies[i]) / log(frequencies[i + 1] / frequencies[i]);
    return densities[i] * pow(densities[i + 1] / densities[i], share);
}

// ---- the integral --------------------------------------------------------------------------------

// Adds what waits                                                                       (SPC-4)
//
//     y^2 = integral of sum over inputs j of |G_j(2 pi i f)|^2 S_j(f)
static lb_status add_waiting(integral *x)
{
    const lb_linear *l = x->linear;
    const int m = l->input_count, p = l->output_count;
    const lb_status status = lb_evaluate_response(l, x->count, x->waiting, x->response);
    for (int k = 0; status >= 0 && k < x->count; ++k) {
        const double f = x->waiting[k], *G = x->response + (size_t)(2 * k * m * p);
        for (int j = 0, first = 0; j < m; first += x->point_counts[j++]) {
            const double S =
                lb_get_density(x->point_counts[j], x->frequencies + first, x->densities + first, f);
            for (int i = 0; i < p; ++i) {
                const double *g = G + 2 * (i * m + j);
                const double part = x->shares[k] * S * (g[0] * g[0] + g[1] * g[1]);
                x->mean_squares[i] += part;
                x->moments[i] += f * f * part;
            }
        }
    }
    x->count = 0;
    return status;
}

static lb_status add(integral *x, double frequency, double share)
{
    x->waiting[x->count] = frequency;
    x->shares[x->count++] = share;
    return x->count == BATCH ? add_waiting(x) : LB_OK;
}

// The part from `a` to `b`, where the integrand is smooth; inverse: of 1/f.
static lb_status add_piece(integral *x, double a, double b, bool inverse)
{
    lb_status status = LB_OK;
    for (int i = 0; i < 2 * GAUSS && status >= 0; ++i) {
        const double at = i % 2 ? nodes[i / 2] : -nodes[i / 2];
        const double u = 0.5 * (a + b) + 0.5 * (b - a) * at, share = 0.5 * (b - a) * weights[i / 2];
        status = inverse ? add(x, 1.0 / u, share / (u * u)) : add(x, u, share);
    }
    return status;
}

// Distance in the complex plane of a frequency from the nearest pole, Hz.
static double find_distance(const lb_linear *l, double f)
{
    double least = INFINITY;
    for (int i = 0; i < l->state_count; ++i) {
        const double *value = l->eigenvalues + 2 * i;
        least = fmin(least, hypot(value[0], fabs(value[1]) - two_pi * f) / two_pi);
    }
    return least;
}

// Pieces between two frequencies, each at most half as long as the nearest pole is away: a Gauss rule of
// 10 points is then exact to round-off                                                  (SPC-5)
//
// `powers`: densities are powers of the frequency, for which zero counts as a pole.
static lb_status add_band(integral *x, double from, double to, bool powers)
{
    lb_status status = LB_OK;
    for (double f = from; f < to && status >= 0;) {
        const double away = fmin(find_distance(x->linear, f), powers ? f : INFINITY);
        const double next = fmin(f + 0.5 * away, to);
        if (!(next > f)) {
            return LB_E_SINGULAR;
        }
        status = add_piece(x, f, next, false);
        f = next;
    }
    return status;
}

// ---- white noise ---------------------------------------------------------------------------------

// Adds what lies outside of the points, where only densities at all frequencies count.
//
// Below `low`: motions without resistance may make the response infinite, which is then the last word.
static lb_status add_below(integral *x, double low)
{
    const lb_linear *l = x->linear;
    if (l->zero_count == 0) {
        return add_band(x, 0.0, low, false);
    }
    const double least = low * 1e-6;
    const lb_status status = add(x, least, least);
    return status < 0 ? status : add_band(x, least, low, false);
}

static double get_white(const integral *x, int input)
{
    int first = 0;
    for (int j = 0; j < input; ++j) {
        first += x->point_counts[j];
    }
    return x->point_counts[input] == 1 ? x->densities[first] : 0.0;
}

// Outputs whose density does not vanish fast enough at high frequencies, or grows at low ones.
static lb_status mark_infinite(integral *x, double low, double high)
{
    const lb_linear *l = x->linear;
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    const size_t width = 2 * (size_t)m * (size_t)p;
    const double probes[3] = {high, 1e-6 * low, 1e-5 * low};
    const lb_status status =
        lb_evaluate_response(l, l->zero_count > 0 ? 3 : 1, probes, x->response);
    for (int i = 0; i < p && status >= 0; ++i) {
        for (int j = 0; j < m; ++j) {
            double first = 0.0, size = 0.0;
            if (get_white(x, j) == 0.0) {
                continue;
            }
            // C B, the limit of s G
            for (int k = 0; k < n; ++k) {
                first += l->C[i * n + k] * l->B[k * m + j];
                size += fabs(l->C[i * n + k] * l->B[k * m + j]);
            }
            // a D far below the response above all modes is what cancellation has left
            const double *G = x->response + 2 * (i * m + j), *a = G + width, *b = a + width;
            const bool follows = fabs(l->D[i * m + j]) > 1e-9 * hypot(G[0], G[1]);
            if (follows || (l->zero_count > 0 && hypot(a[0], a[1]) > 3.0 * hypot(b[0], b[1]))) {
                x->mean_squares[i] = INFINITY;
            }
            if (follows || fabs(first) > 1e-12 * size) {
                x->moments[i] = INFINITY;
            }
        }
    }
    return status;
}

// ---- loops as they sample ------------------------------------------------------------------------

// Distance of a frequency from the nearest pole that decays, where sampling repeats them all around multiples of its
// rate, Hz.
static double find_folded_distance(const lb_sampled_loop *s, double f)
{
    double least = 0.25 / s->period;
    for (int i = 0; i < s->pole_count; ++i) {
        const double *pole = s->poles + 2 * i;
        if (!isinf(pole[0]) && pole[0] < -LB_UNDAMPED * hypot(pole[0], pole[1])) {
            const double off = (f - pole[1] / two_pi) * s->period;
            least = fmin(least, hypot(pole[0] / two_pi, (off - nearbyint(off)) / s->period));
        }
    }
    return least;
}

// Whether an output grows without limit towards a mode without damping, at its frequency or one that is folded onto it.
static lb_status look_for_resonance(const lb_sampled_loop *s, int input, double low, double high,
                                    double *squares, bool *resonant)
{
    enum { FOLDS_MOST = 100 };
    lb_status status = LB_OK;
    for (int i = 0; i < s->pole_count; ++i) {
        const double *pole = s->poles + 2 * i;
        const double f = fabs(pole[1]) / two_pi;
        if (isinf(pole[0]) || f == 0.0 || pole[0] < -LB_UNDAMPED * hypot(pole[0], pole[1])) {
            continue;
        }
        const double first = pole[1] / two_pi, rate = 1.0 / s->period;
        const double from = first + ceil((low - first) / rate) * rate;
        for (int k = 0; k < FOLDS_MOST && status >= 0 && from + k * rate <= high; ++k) {
            const double at[2] = {(from + k * rate) * (1.0 + 1e-7),
                                  (from + k * rate) * (1.0 + 1e-6)};
            status = lb_evaluate_sampled(s, 2, at, NULL, squares);
            for (int o = 0; o < s->p && status >= 0; ++o) {
                const double near = squares[2 * (o * s->m + input)],
                             far = squares[2 * ((s->p + o) * s->m + input)];
                *resonant = *resonant || near > 30.0 * far; // a hundred times
            }
        }
    }
    return status;
}

// Adds what one input does: all that sampling makes of each of its frequencies counts     (CLL-8), (CLL-9)
static lb_status add_sampled(const lb_sampled_loop *loop, int input, int count,
                             const double *frequencies, const double *densities,
                             double *mean_squares, double *moments)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_sampled_loop own = *loop;
    const lb_sampled_loop *s = &own;
    const int m = s->m, p = s->p;
    double *squares = lb_take_numbers(&arena, 4 * (size_t)GAUSS * (size_t)(m * p) + 1);
    lb_status status = squares ? lb_complete_sampled(&arena, &own) : LB_E_MEMORY;
    if (count == 1 && status >= 0) {
        status = lb_answer_sampled_noise(s, input, densities[0], squares);
        for (int i = 0; i < p && status >= 0; ++i) {
            mean_squares[i] += squares[2 * i];
            moments[i] += squares[2 * i + 1] / (two_pi * two_pi);
        }
    }
    bool resonant = false;
    if (count > 1 && status >= 0) {
        status = look_for_resonance(s, input, frequencies[0], frequencies[count - 1], squares,
                                    &resonant);
        status = status >= 0 && resonant ? LB_E_SINGULAR : status;
    }
    for (int part = 0; part + 1 < count; ++part) {
        for (double f = frequencies[part], end = frequencies[part + 1]; f < end && status >= 0;) {
            const double next = fmin(end, f + 0.5 * fmin(f, find_folded_distance(s, f)));
            double at[2 * GAUSS], share[2 * GAUSS];
            if (!(next > f * (1.0 + 1e-12))) {
                status = LB_E_SINGULAR;
                break;
            }
            for (int i = 0; i < 2 * GAUSS; ++i) {
                at[i] =
                    0.5 * (f + next) + 0.5 * (next - f) * (i % 2 ? nodes[i / 2] : -nodes[i / 2]);
                share[i] = 0.5 * (next - f) * weights[i / 2] *
                           lb_get_density(count, frequencies, densities, at[i]);
            }
            status = lb_evaluate_sampled(s, 2 * GAUSS, at, NULL, squares);
            for (int i = 0; i < 2 * GAUSS * p && status >= 0; ++i) {
                const double *both = squares + 2 * (i * m + input);
                mean_squares[i % p] += share[i / p] * both[0];
                moments[i % p] += share[i / p] * both[1] / (two_pi * two_pi);
            }
            f = next;
        }
    }
    lb_arena_free(&arena);
    return status;
}

// ---- all -----------------------------------------------------------------------------------------

static lb_status check(const lb_linear *l, const int *point_counts, const double *frequencies,
                       const double *densities)
{
    if (l->period > 0.0) {
        return LB_E_UNSUPPORTED;
    }
    for (int j = 0, first = 0; j < l->input_count; first += point_counts[j++]) {
        const int count = point_counts[j];
        if (count < 0) {
            return LB_E_ARGUMENT;
        }
        for (int i = first; i < first + count; ++i) {
            if (!isfinite(densities[i]) || (count > 1 && !isfinite(frequencies[i]))) {
                return LB_E_NUMBER;
            }
            if (!(densities[i] > 0.0) || (count > 1 && !(frequencies[i] > 0.0)) ||
                (i > first && !(frequencies[i] > frequencies[i - 1]))) {
                return LB_E_ARGUMENT;
            }
        }
    }
    double growth[2];
    const lb_status status = lb_find_response_growth(l, growth);
    return status < 0 ? status : growth[0] > 0.0 ? LB_E_UNSUPPORTED : LB_OK;
}

// Whether an input excites a mode without damping.
static bool is_resonant(const integral *x)
{
    const lb_linear *l = x->linear;
    for (int i = l->zero_count; i < l->state_count; ++i) {
        const double *value = l->eigenvalues + 2 * i, size = hypot(value[0], value[1]);
        for (int j = 0, first = 0; j < l->input_count; first += x->point_counts[j++]) {
            if (value[0] >= -LB_UNDAMPED * size &&
                lb_get_density(x->point_counts[j], x->frequencies + first, x->densities + first,
                               size / two_pi) > 0.0) {
                return true;
            }
        }
    }
    return false;
}

// The whole integral: between the points of all densities, and below and above them where a density is at
// all frequencies.
static lb_status integrate(integral *x, int count, double *points)
{
    const lb_linear *l = x->linear;
    bool white = false;
    double lowest = INFINITY, highest = 0.0;
    for (int j = 0; j < l->input_count; ++j) {
        white = white || get_white(x, j) > 0.0;
    }
    for (int i = l->zero_count; i < l->state_count; ++i) {
        const double size = hypot(l->eigenvalues[2 * i], l->eigenvalues[2 * i + 1]) / two_pi;
        lowest = fmin(lowest, size);
        highest = fmax(highest, size);
    }
    if (white) {
        lowest = isinf(lowest) ? 1.0 : lowest;
        highest = highest > 0.0 ? highest : 1.0;
        points[count++] = lowest;
        points[count++] = 2.0 * highest;
    }
    // ascending
    for (int i = 1; i < count; ++i) {
        for (int k = i; k > 0 && points[k] < points[k - 1]; --k) {
            const double swap = points[k];
            points[k] = points[k - 1];
            points[k - 1] = swap;
        }
    }
    lb_status status = LB_OK;
    if (white) {
        status = add_below(x, points[0]);
    }
    for (int i = 0; i + 1 < count && status >= 0; ++i) {
        status = add_band(x, points[i], points[i + 1], true);
    }
    // poles are at half of the last point at most: in 1/f all the rest is one piece
    if (white && status >= 0) {
        status = add_piece(x, 0.0, 1.0 / points[count - 1], true);
    }
    status = status < 0 ? status : add_waiting(x);
    return status < 0 || !white ? status : mark_infinite(x, points[0], points[count - 1]);
}

// The model with one of its inputs, and of it what lies between that and the outputs.
static lb_status take_input(const lb_linear *framed, int input, lb_arena *arena, lb_linear *own)
{
    const int n = framed->state_count, m = framed->input_count, p = framed->output_count;
    double *B = lb_take_numbers(arena, (size_t)(n + p) + 1), *D = B + n;
    if (!B) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n + p; ++i) {
        B[i] = i < n ? framed->B[i * m + input] : framed->D[(i - n) * m + input];
    }
    lb_linear one = *framed;
    one.input_count = 1;
    one.B = B;
    one.D = D;
    return lb_take_path(&one, arena, own);
}

// Adds what one input does: they are independent of each other.
static lb_status add_input(const lb_linear *framed, int input, int point_count,
                           const double *frequencies, const double *densities, double *mean_squares,
                           double *moments)
{
    lb_arena arena = lb_make_arena(NULL);
    const size_t p = (size_t)framed->output_count;
    lb_linear own;
    integral x = {.linear = &own,
                  .point_counts = &point_count,
                  .frequencies = frequencies,
                  .densities = densities,
                  .mean_squares = mean_squares,
                  .moments = moments,
                  .response = lb_take_numbers(&arena, 2 * (size_t)BATCH * p + 1)};
    double *points = lb_take_numbers(&arena, (size_t)point_count + 2);
    lb_status status = x.response && points ? take_input(framed, input, &arena, &own) : LB_E_MEMORY;
    if (status >= 0) {
        if (point_count > 1) {
            memcpy(points, frequencies, (size_t)point_count * sizeof *points);
        }
        status = is_resonant(&x)    ? LB_E_SINGULAR
                 : point_count == 0 ? LB_OK
                                    : integrate(&x, point_count > 1 ? point_count : 0, points);
    }
    lb_arena_free(&arena);
    return status;
}

lb_status lb_compute_random_response(const lb_linear *linear, const int *point_counts,
                                     const double *frequencies, const double *densities,
                                     double *mean_squares, double *crossings)
{
    const int m = linear->input_count, p = linear->output_count;
    lb_status status = check(linear, point_counts, frequencies, densities);
    if (status < 0) {
        return status;
    }
    lb_arena arena = lb_make_arena(NULL);
    lb_linear framed;
    double growth[2];
    double *moments = lb_take_numbers(&arena, (size_t)p + 1);
    status = moments && lb_enter_frame(linear, &arena, &framed) ? LB_OK : LB_E_MEMORY;
    for (int i = 0; i < p; ++i) {
        mean_squares[i] = 0.0;
    }
    for (int j = 0, first = 0; j < m && status >= 0; first += point_counts[j++]) {
        status = LB_E_SINGULAR;
        if (linear->sampled) {
            status = add_sampled(linear->sampled, j, point_counts[j], frequencies + first,
                                 densities + first, mean_squares, moments);
        }
        // white noise that an output follows for ever, and loops without a sampled model: by the continuous one
        if (!linear->sampled || (status == LB_E_SINGULAR && point_counts[j] == 1)) {
            status = lb_find_continuous_growth(&framed, growth);
            status = status >= 0 && growth[0] > 0.0 ? LB_E_UNSUPPORTED : status;
            status = status < 0 ? status
                                : add_input(&framed, j, point_counts[j], frequencies + first,
                                            densities + first, mean_squares, moments);
        }
    }
    for (int i = 0; i < p && crossings && status >= 0; ++i) {
        crossings[i] = isinf(mean_squares[i]) ? NAN : sqrt(moments[i] / mean_squares[i]);
    }
    lb_arena_free(&arena);
    return status;
}

lb_status lb_compute_singular_values(int output_count, int input_count, int count,
                                     const double *response, double *values)
{
    const int p = output_count, m = input_count, less = p < m ? p : m;
    if (p < 1 || m < 1 || count < 1) {
        return LB_E_ARGUMENT;
    }
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)p * (size_t)m;
    lapack_complex_double *G = lb_arena_take(&arena, size, sizeof *G);
    double *super = lb_take_numbers(&arena, (size_t)less);
    lb_status status = G && super ? LB_OK : LB_E_MEMORY;
    for (int k = 0; k < count && status >= 0; ++k) {
        const double *g = response + 2 * size * (size_t)k;
        double *out = values + (size_t)less * (size_t)k;
        bool finite = true;
        for (size_t i = 0; i < size; ++i) {
            G[i] = g[2 * i] + I * g[2 * i + 1];
            finite = finite && isfinite(g[2 * i]) && isfinite(g[2 * i + 1]);
        }
        if (finite) {
            status = lb_check_lapack(LB_LAPACK(zgesvd, LAPACK_ROW_MAJOR, 'N', 'N', p, m, G, m, out,
                                               NULL, p, NULL, m, super),
                                     LB_E_NUMBER);
        } else {
            for (int i = 0; i < less; ++i) {
                out[i] = NAN;
            }
        }
    }
    lb_arena_free(&arena);
    return status;
}
