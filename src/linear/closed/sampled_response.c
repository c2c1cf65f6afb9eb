// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Responses of loops as they sample, to inputs that do not: a sine at any frequency, also above half the rate, which
// sampling folds down.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "closed_loop.h"

typedef lapack_complex_double number;

static const double two_pi = 6.283185307179586;

// ---- integrals between samples -------------------------------------------------------------------

// W(t) = integral from 0 to t of exp(F's) c'c exp(F s), and V(t) that of W, by halves that are short enough for a Gauss rule
//
//     V(2 t) = V(t) + t W(t) + E'V E,   W(2 t) = W(t) + E'W E,   E(2 t) = E E,   E = exp(F t)
static lb_status form_squares(int n, const double *F, const double *c, double t, lb_arena *arena,
                              double *W, double *V)
{
    enum { GAUSS = 5 };
    static const double place[GAUSS] = {0.04691007703066800, 0.23076534494715845, 0.5,
                                        0.76923465505284155, 0.95308992296933200};
    static const double weight[GAUSS] = {0.11846344252809454, 0.23931433524968324,
                                         0.28444444444444444, 0.23931433524968324,
                                         0.11846344252809454};
    const size_t size = (size_t)n * (size_t)n;
    double *E = lb_take_numbers(arena, 3 * size + (size_t)n + 1), norm = 0.0;
    if (!E) {
        return LB_E_MEMORY;
    }
    double *half = E + size, *product = half + size, *row = product + size;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += fabs(F[i * n + j]);
        }
        norm = fmax(norm, sum);
    }
    // 0.05: the rule is of order ten, and squares of exponentials turn twice as fast
    const int halves = norm * t > 0.05 ? (int)ceil(log2(norm * t / 0.05)) : 0;
    double reach = ldexp(t, -halves);
    memset(W, 0, size * sizeof *W);
    memset(V, 0, size * sizeof *V);
    lb_status status = LB_OK;
    for (int g = 0; g < GAUSS && status >= 0; ++g) {
        status = lb_form_exponential(n, F, reach * place[g], E);
        memset(row, 0, (size_t)n * sizeof *row);
        lb_add_transposed_image(n, n, 1.0, E, c, row);
        for (int i = 0; i < n; ++i) {
            const double share = reach * weight[g] * row[i];
            lb_add_scaled(n, share, row, W + i * n);
            lb_add_scaled(n, share * reach * (1.0 - place[g]), row, V + i * n);
        }
    }
    status = status < 0 ? status : lb_form_exponential(n, F, reach, E);
    for (int i = 0; i < halves && status >= 0; ++i, reach *= 2.0) {
        lb_form_product(n, n, n, V, E, product);
        lb_form_transposed_product(n, n, n, E, product, half);
        for (size_t k = 0; k < size; ++k) {
            V[k] += reach * W[k] + half[k];
        }
        lb_form_product(n, n, n, W, E, product);
        lb_form_transposed_product(n, n, n, E, product, half);
        for (size_t k = 0; k < size; ++k) {
            W[k] += half[k];
        }
        lb_form_product(n, n, n, E, E, half);
        memcpy(E, half, size * sizeof *E);
    }
    return status;
}

// W and V of an output, or of its rate, over a piece.
static const double *get_square(const lb_sampled_loop *s, int piece, int output, int rate)
{
    const size_t size = (size_t)s->flowing * (size_t)s->flowing;
    return s->W + (4 * ((size_t)piece * (size_t)s->p + (size_t)output) + 2 * (size_t)rate) * size;
}

// Marks what a row of seen states depends on.
static bool spread(int rows, const double *X, int width, bool *seen)
{
    bool more = false;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows && seen[i]; ++j) {
            more = more || (X[i * width + j] != 0.0 && !seen[j]);
            seen[j] = seen[j] || X[i * width + j] != 0.0;
        }
    }
    return more;
}

// Leaves out states that no output depends on, however long it takes: free motions of the whole, whose deviations grow.
static lb_status forget_unseen(lb_arena *arena, lb_sampled_loop *s)
{
    const int n = s->n, flowing = s->flowing, width = n + s->m;
    const size_t states = (size_t)n, pieces = (size_t)s->piece_count;
    const size_t sizes[4] = {pieces * states * (size_t)width,
                             pieces * (size_t)flowing * (size_t)flowing, states * states,
                             (size_t)flowing * (size_t)s->m};
    const int widths[4] = {width, flowing, n, s->m}, rows[4] = {n, flowing, n, flowing};
    double **own[4] = {&s->J, &s->E, &s->A, &s->B};
    bool *seen = lb_arena_take(arena, states + 1, sizeof *seen);
    if (!seen) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < s->p * flowing; ++i) {
        seen[i % flowing] = seen[i % flowing] || s->C[i] != 0.0;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < pieces; ++k) {
            more = spread(n, s->J + k * states * (size_t)width, width, seen) || more;
            more = spread(flowing, s->E + k * (size_t)flowing * (size_t)flowing, flowing, seen) ||
                   more;
        }
    }
    for (int a = 0; a < 4; ++a) {
        double *copy = lb_take_numbers(arena, sizes[a] + 1);
        if (!copy) {
            return LB_E_MEMORY;
        }
        for (size_t i = 0; i < sizes[a]; ++i) {
            copy[i] = seen[i / (size_t)widths[a] % (size_t)rows[a]] ? (*own[a])[i] : 0.0;
        }
        *own[a] = copy;
    }
    return LB_OK;
}

lb_status lb_complete_sampled(lb_arena *arena, lb_sampled_loop *s)
{
    const size_t n = (size_t)s->flowing, p = (size_t)s->p, size = n * n;
    if (forget_unseen(arena, s) < 0) {
        return LB_E_MEMORY;
    }
    s->W = lb_take_numbers(arena, 4 * (size_t)s->piece_count * p * size + 1);
    double *row = lb_take_numbers(arena, n + 1);
    lb_status status = s->W && row ? LB_OK : LB_E_MEMORY;
    for (int k = 0; k < s->piece_count && status >= 0; ++k) {
        const double h = s->times[k + 1] - s->times[k];
        for (int i = 0; i < s->p && status >= 0; ++i) {
            const double *c = s->C + (size_t)i * n;
            double *W = s->W + 4 * ((size_t)k * p + (size_t)i) * size;
            memset(row, 0, n * sizeof *row);
            lb_add_transposed_image(s->flowing, s->flowing, 1.0, s->F, c, row); // of the rate
            lb_arena own = lb_make_arena(NULL);
            status = form_squares(s->flowing, s->F, c, h, &own, W, W + size);
            status = status < 0
                         ? status
                         : form_squares(s->flowing, s->F, row, h, &own, W + 2 * size, W + 3 * size);
            lb_arena_free(&own);
        }
    }
    return status;
}

// ---- white noise ---------------------------------------------------------------------------------

// P := X P X' of rows by rows, X rows x rows, where P is inside of n x n.
static void carry(int rows, int n, const double *X, int width, double *P, double *scratch)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < rows; ++k) {
                sum += X[i * width + k] * P[k * n + j];
            }
            scratch[i * n + j] = sum;
        }
    }
    memcpy(P, scratch, (size_t)rows * (size_t)n * sizeof *P);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < rows; ++i) {
            double sum = 0.0;
            for (int k = 0; k < rows; ++k) {
                sum += X[i * width + k] * P[j * n + k];
            }
            scratch[i] = sum;
        }
        memcpy(P + (size_t)j * (size_t)n, scratch, (size_t)rows * sizeof *P);
    }
}

// Covariance over a period, from sample to sample: P = J P J', then of what flows E P E' + Q. With squares of the
// outputs if they are asked for.
static void go_round(const lb_sampled_loop *s, const double *Q, double intensity, int input,
                     double *P, double *scratch, double *squares)
{
    const int n = s->n, flowing = s->flowing, width = n + s->m;
    const size_t size = (size_t)flowing * (size_t)flowing;
    for (int k = 0; k < s->piece_count; ++k) {
        carry(n, n, s->J + (size_t)k * (size_t)n * (size_t)width, width, P, scratch);
        for (int i = 0; i < s->p && squares; ++i) {
            for (int rate = 0; rate < 2; ++rate) {
                const double *W = get_square(s, k, i, rate), *V = W + size;
                double sum = 0.0;
                for (int a = 0; a < flowing; ++a) {
                    for (int b = 0; b < flowing; ++b) {
                        sum += W[a * flowing + b] * P[a * n + b] + intensity * V[a * flowing + b] *
                                                                       s->B[a * s->m + input] *
                                                                       s->B[b * s->m + input];
                    }
                }
                squares[2 * i + rate] += sum / s->period;
            }
        }
        carry(flowing, n, s->E + (size_t)k * size, flowing, P, scratch);
        for (int a = 0; a < flowing; ++a) {
            lb_add_scaled(flowing, 1.0, Q + (size_t)k * size + a * flowing, P + a * n);
        }
    }
}

// Covariance that white noise adds between samples: integral of exp(F s) B B' exp(F's), which is W of F' and B'.
static lb_status form_noise(const lb_sampled_loop *s, int input, double intensity, lb_arena *arena,
                            double *Q)
{
    const int n = s->flowing;
    const size_t size = (size_t)n * (size_t)n;
    double *F = lb_take_numbers(arena, 2 * size + (size_t)n + 1);
    if (!F) {
        return LB_E_MEMORY;
    }
    double *V = F + size, *b = V + size;
    lb_status status = LB_OK;
    for (int i = 0; i < n; ++i) {
        b[i] = s->B[i * s->m + input];
        for (int j = 0; j < n; ++j) {
            F[i * n + j] = s->F[j * n + i];
        }
    }
    for (int k = 0; k < s->piece_count && status >= 0; ++k) {
        status =
            form_squares(n, F, b, s->times[k + 1] - s->times[k], arena, Q + (size_t)k * size, V);
        for (size_t i = 0; i < size; ++i) {
            Q[(size_t)k * size + i] *= intensity;
        }
    }
    return status;
}

// The covariance that stays, by twice as many periods again and again                   (CLL-9)
//
//     P = Q + A Q A' + A^2 Q A'^2 + ...
static lb_status find_covariance(const lb_sampled_loop *s, double *P, lb_arena *arena)
{
    enum { DOUBLINGS = 60 };
    const int n = s->n;
    const size_t size = (size_t)n * (size_t)n;
    double *A = lb_take_numbers(arena, 4 * size + 1);
    if (!A) {
        return LB_E_MEMORY;
    }
    double *more = A + size, *scratch = more + size, *square = scratch + size;
    memcpy(A, s->A, size * sizeof *A);
    for (int i = 0; i < DOUBLINGS; ++i) {
        double largest = 0.0, added = 0.0;
        memcpy(more, P, size * sizeof *P);
        carry(n, n, A, n, more, scratch);
        for (size_t k = 0; k < size; ++k) {
            P[k] += more[k];
        }
        for (int k = 0; k < n; ++k) {
            largest = fmax(largest, P[k * n + k]);
            added = fmax(added, more[k * n + k] / fmax(P[k * n + k], 1e-300));
        }
        if (!isfinite(largest)) {
            return LB_E_SINGULAR;
        }
        if (!(added > 1e-16)) {
            return LB_OK;
        }
        lb_form_product(n, n, n, A, A, square);
        memcpy(A, square, size * sizeof *A);
    }
    return LB_E_SINGULAR;
}

lb_status lb_answer_sampled_noise(const lb_sampled_loop *s, int input, double density,
                                  double *squares)
{
    const int n = s->n, width = n + s->m;
    const double intensity = 0.5 * density; // on both sides of zero
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)n * (size_t)n, flowing = (size_t)s->flowing;
    double *P = lb_take_numbers(&arena, 2 * size + (size_t)s->piece_count * flowing * flowing + 1);
    lb_status status = P ? LB_OK : LB_E_MEMORY;
    bool sampled = false; // a sample of white noise is infinite
    for (int i = 0; i < s->piece_count * n; ++i) {
        sampled = sampled || s->J[(size_t)i * (size_t)width + (size_t)(n + input)] != 0.0;
    }
    for (int i = 0; i < 2 * s->p; ++i) {
        squares[i] = 0.0;
    }
    if (status >= 0 && !sampled) {
        double *scratch = P + size, *Q = scratch + size;
        status = form_noise(s, input, intensity, &arena, Q);
        if (status >= 0) {
            go_round(s, Q, intensity, input, P, scratch, NULL);
            status = find_covariance(s, P, &arena);
        }
        if (status >= 0) {
            go_round(s, Q, intensity, input, P, scratch, squares);
        }
    }
    for (int i = 0; i < s->p && status >= 0; ++i) {
        double first = 0.0, all = 0.0;
        for (size_t j = 0; j < flowing; ++j) {
            const double part =
                s->C[(size_t)i * flowing + j] * s->B[j * (size_t)s->m + (size_t)input];
            first += part;
            all += fabs(part);
        }
        const bool follows = sampled || s->D[i * s->m + input] != 0.0;
        squares[2 * i] = follows ? INFINITY : squares[2 * i];
        squares[2 * i + 1] = follows || fabs(first) > 1e-12 * all ? INFINITY : squares[2 * i + 1];
    }
    lb_arena_free(&arena);
    return status;
}

// ---- one frequency -------------------------------------------------------------------------------

typedef struct answer {
    const lb_sampled_loop *s;
    number *Z, *S, *v, *x, *w, *q, *b; // factors of i w - F and of z - A; columns
    int *z_pivots, *s_pivots;
} answer;

static lb_status take(lb_arena *arena, const lb_sampled_loop *s, answer *a)
{
    const size_t n = (size_t)s->n, flowing = (size_t)s->flowing;
    *a = (answer){.s = s,
                  .Z = lb_arena_take(arena, flowing * flowing + n * n + 5 * n + 1, sizeof *a->Z)};
    a->z_pivots = lb_arena_take(arena, 2 * n + 1, sizeof *a->z_pivots);
    if (!a->Z || !a->z_pivots) {
        return LB_E_MEMORY;
    }
    a->s_pivots = a->z_pivots + n;
    a->S = a->Z + flowing * flowing;
    a->v = a->S + n * n;
    a->x = a->v + n;
    a->w = a->x + n;
    a->q = a->w + n;
    a->b = a->q + n;
    return LB_OK;
}

static lb_status factor(int n, number *A, int *pivots)
{
    return lb_check_lapack(n > 0 ? LB_LAPACK(zgetrf, LAPACK_ROW_MAJOR, n, n, A, n, pivots) : 0,
                           LB_E_SINGULAR);
}

static lb_status solve(int n, const number *A, const int *pivots, number *x)
{
    return lb_check_lapack(
        n > 0 ? LB_LAPACK(zgetrs, LAPACK_ROW_MAJOR, 'N', n, 1, A, n, pivots, x, 1) : 0,
        LB_E_SINGULAR);
}

// The state over a piece: jumps at its beginning, then x = exp(F t) w + v exp(i w t)
static void jump(answer *a, int piece, int input, double complex turn)
{
    const lb_sampled_loop *s = a->s;
    const int n = s->n, width = n + s->m;
    const double *J = s->J + (size_t)piece * (size_t)n * (size_t)width;
    for (int i = 0; i < n; ++i) {
        a->b[i] = J[i * width + n + input] * turn;
        for (int j = 0; j < n; ++j) {
            if (J[i * width + j] != 0.0) {
                a->b[i] += J[i * width + j] * a->x[j];
            }
        }
    }
    memcpy(a->x, a->b, (size_t)n * sizeof *a->x);
    for (int i = 0; i < s->flowing; ++i) {
        a->w[i] = a->x[i] - a->v[i] * turn;
    }
}

static void flow(answer *a, int piece, double complex next)
{
    const lb_sampled_loop *s = a->s;
    const int n = s->flowing;
    const double *E = s->E + (size_t)piece * (size_t)n * (size_t)n;
    for (int i = 0; i < n; ++i) {
        double complex sum = a->v[i] * next;
        for (int j = 0; j < n; ++j) {
            sum += E[i * n + j] * a->w[j];
        }
        a->x[i] = sum;
    }
}

// Adds a piece to the part of an output at the frequency of the input, and to its mean square and that of its rate
//                                                                                       (CLL-8)
//     y = c exp(F t) w + g exp(i w t):   Y = 1/T sum of exp(-i w t_k) c q + g h,
//     q = integral of exp((F - i w) t) w,   mean |y|^2 = 1/T sum of w^H W w + 2 Re (g* c q) + |g|^2 h
static lb_status add_piece(answer *a, int piece, int input, double omega, double complex turn,
                           double complex *Y, double *squares)
{
    const lb_sampled_loop *s = a->s;
    const int n = s->flowing;
    const double h = s->times[piece + 1] - s->times[piece], share = h / s->period;
    const double *E = s->E + (size_t)piece * (size_t)n * (size_t)n;
    const double complex back = cexp(-I * omega * h);
    for (int i = 0; i < n; ++i) {
        double complex sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += E[i * n + j] * a->w[j];
        }
        a->q[i] = a->w[i] - back * sum;
    }
    const lb_status status = solve(n, a->Z, a->z_pivots, a->q);
    for (int i = 0; i < s->p && status >= 0; ++i) {
        const double *c = s->C + (size_t)i * (size_t)n;
        double complex g = s->D[i * s->m + input], free = 0.0;
        double complex free_rate = 0.0;
        for (int j = 0; j < n; ++j) {
            g += c[j] * a->v[j];
            free += c[j] * a->q[j];
        }
        // the integral of c F exp((F - i w) t) w: the ends, and i w times that of c
        for (int j = 0; j < n; ++j) {
            double complex end = -a->w[j];
            for (int k = 0; k < n; ++k) {
                end += back * E[j * n + k] * a->w[k];
            }
            free_rate += c[j] * end;
        }
        free_rate += I * omega * free;
        Y[i] += conj(turn) * free / s->period + g * share;
        for (int rate = 0; rate < 2 && s->W; ++rate) {
            const double complex G = g * turn * (rate ? I * omega : 1.0);
            const double *own = get_square(s, piece, i, rate);
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < n; ++k) {
                    sum += own[j * n + k] * creal(conj(a->w[j]) * a->w[k]);
                }
            }
            sum += 2.0 * creal(conj(G) * (rate ? free_rate : free));
            squares[2 * i + rate] += (sum + creal(G * conj(G)) * h) / s->period;
        }
    }
    return status;
}

static lb_status answer_input(answer *a, int input, double omega, double complex *Y,
                              double *squares)
{
    const lb_sampled_loop *s = a->s;
    const int n = s->n;
    for (int i = 0; i < s->flowing; ++i) {
        a->v[i] = s->B[i * s->m + input];
    }
    lb_status status = solve(s->flowing, a->Z, a->z_pivots, a->v);
    // once around from nothing, then from where it repeats itself
    memset(a->x, 0, (size_t)n * sizeof *a->x);
    memset(Y, 0, (size_t)s->p * sizeof *Y);
    memset(squares, 0, 2 * (size_t)s->p * sizeof *squares);
    for (int round = 0; round < 2 && status >= 0; ++round) {
        for (int k = 0; k < s->piece_count && status >= 0; ++k) {
            const double complex turn = cexp(I * omega * s->times[k]);
            jump(a, k, input, turn);
            status = round ? add_piece(a, k, input, omega, turn, Y, squares) : LB_OK;
            flow(a, k, cexp(I * omega * s->times[k + 1]));
        }
        status = status < 0 || round ? status : solve(n, a->S, a->s_pivots, a->x);
    }
    return status;
}

lb_status lb_evaluate_sampled(const lb_sampled_loop *s, int count, const double *frequencies,
                              double *response, double *squares)
{
    lb_arena arena = lb_make_arena(NULL);
    answer a;
    double complex *Y = lb_arena_take(&arena, (size_t)s->p + 1, sizeof *Y);
    double *own = lb_take_numbers(&arena, 2 * (size_t)s->p + 1);
    lb_status status = Y && own ? take(&arena, s, &a) : LB_E_MEMORY, worst = LB_OK;
    const int n = s->n, flowing = s->flowing, m = s->m, p = s->p;
    for (int k = 0; k < count && status != LB_E_MEMORY; ++k) {
        const double omega = two_pi * frequencies[k];
        const double complex z = cexp(I * omega * s->period);
        for (int i = 0; i < flowing * flowing; ++i) {
            a.Z[i] = (i / flowing == i % flowing ? I * omega : 0.0) - s->F[i];
        }
        for (int i = 0; i < n * n; ++i) {
            a.S[i] = (i / n == i % n ? z : 0.0) - s->A[i];
        }
        status = factor(flowing, a.Z, a.z_pivots);
        status = status < 0 ? status : factor(n, a.S, a.s_pivots);
        for (int j = 0; j < m && status != LB_E_MEMORY; ++j) {
            status = status < 0 ? status : answer_input(&a, j, omega, Y, own);
            for (int i = 0; i < p; ++i) {
                const size_t at = 2 * ((size_t)k * (size_t)p * (size_t)m + (size_t)(i * m + j));
                if (response) {
                    response[at] = status < 0 ? NAN : creal(Y[i]);
                    response[at + 1] = status < 0 ? NAN : cimag(Y[i]);
                }
                if (squares) {
                    squares[at] = status < 0 ? NAN : own[2 * i];
                    squares[at + 1] = status < 0 ? NAN : own[2 * i + 1];
                }
            }
        }
        worst = status < 0 ? status : worst;
        status = status == LB_E_MEMORY ? status : LB_OK;
    }
    lb_arena_free(&arena);
    return worst;
}
