// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a linear model between its inputs and its outputs: without motions that do not decay and that no
// input moves, or no output sees.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "linear/linear.h"
#include "response_growth.h"

// A = Q T Q', in units that balance A; B and C in these coordinates. The leading columns go as parts are taken
// out.
typedef struct path {
    int n, m, p;
    double *T, *Q, *real, *imaginary;
    double *B, *C;
    lapack_logical *chosen;
} path;

static lb_status take(lb_arena *arena, const lb_linear *l, path *x)
{
    const size_t n = (size_t)l->state_count, m = (size_t)l->input_count,
                 p = (size_t)l->output_count;
    *x = (path){.n = (int)n,
                .m = (int)m,
                .p = (int)p,
                .T = lb_take_numbers(arena, 2 * n * n + 2 * n + 1),
                .B = lb_take_numbers(arena, n * m + 1),
                .C = lb_take_numbers(arena, p * n + 1),
                .chosen = lb_arena_take(arena, n + 1, sizeof *x->chosen)};
    double *scale = lb_take_numbers(arena, n + 1);
    if (!x->T || !x->B || !x->C || !x->chosen || !scale) {
        return LB_E_MEMORY;
    }
    x->Q = x->T + n * n;
    x->real = x->Q + n * n;
    x->imaginary = x->real + n;
    int low = 0, high = 0, zeros = 0;
    memcpy(x->T, l->A, n * n * sizeof *x->T);
    int info = LB_LAPACK(dgebal, LAPACK_ROW_MAJOR, 'S', x->n, x->T, x->n, &low, &high, scale);
    info = info ? info
                : LB_LAPACK(dgees, LAPACK_ROW_MAJOR, 'V', 'N', NULL, x->n, x->T, x->n, &zeros,
                            x->real, x->imaginary, x->Q, x->n);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) {
            const double q = x->Q[i * n + k];
            for (size_t j = 0; j < m; ++j) {
                x->B[k * m + j] += q * l->B[i * m + j] / scale[i];
            }
            for (size_t j = 0; j < p; ++j) {
                x->C[j * n + k] += l->C[j * n + i] * scale[i] * q;
            }
        }
    }
    return LB_OK;
}

// Eigenvalues near to s and its conjugate, to the front, B and C with them; how many.
//
// 1e-4: what round-off makes of chains of up to four that are equal
static lb_status gather(path *x, lb_arena *arena, double real, double imaginary, int *count)
{
    const int n = x->n, m = x->m, p = x->p;
    const size_t size = (size_t)n * (size_t)n;
    double *turn = lb_take_numbers(arena, size + 1),
           *B = lb_take_numbers(arena, (size_t)(n * m) + 1);
    double *C = lb_take_numbers(arena, (size_t)(p * n) + 1), s = 0.0, sep = 0.0;
    if (!turn || !B || !C) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        x->chosen[i] = hypot(x->real[i] - real, fabs(x->imaginary[i]) - fabs(imaginary)) <=
                       1e-4 * hypot(real, imaginary);
        turn[i * n + i] = 1.0;
    }
    lapack_int many = 0;
    const int info = LB_LAPACK(dtrsen, LAPACK_ROW_MAJOR, 'V', 'V', x->chosen, n, x->T, n, turn, n,
                               x->real, x->imaginary, &many, &s, &sep);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    *count = (int)many;
    lb_form_transposed_product(n, n, m, turn, x->B, B);
    lb_form_product(p, n, n, x->C, turn, C);
    memcpy(x->B, B, (size_t)(n * m) * sizeof *B);
    memcpy(x->C, C, (size_t)(p * n) * sizeof *C);
    return LB_OK;
}

// Whether the first k states, T_11, lie between inputs and outputs                       (STB-3)
//
//     T_11 Y - Y T_22 = T_12,   b = B_1 + Y B_2:   C_1 T_11^r b = 0   for r < k, entry by entry,
//
// up to  1e3 n eps (1 + |Y|) |C_i||B_j||T_11|^r.  Where it does not, C_2 -= C_1 Y and the rest is by itself.
static lb_status look(path *x, int k, lb_arena *arena, bool *between)
{
    const int n = x->n, m = x->m, p = x->p, rest = n - k;
    double *Y = lb_take_numbers(arena, (size_t)(k * rest) + 1);
    double *b = lb_take_numbers(arena, 2 * (size_t)(k * m) + 1), *next = b + k * m;
    double scale = 1.0, size = 0.0, power = 1.0, turn = 0.0;
    if (!Y || !b) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < k; ++i) {
        for (int j = 0; j < rest; ++j) {
            Y[i * rest + j] = x->T[i * n + k + j];
        }
    }
    if (rest > 0) {
        const int info = LB_LAPACK(dtrsyl, LAPACK_ROW_MAJOR, 'N', 'N', -1, k, rest, x->T, n,
                                   x->T + k * n + k, n, Y, rest, &scale);
        if (info < 0) {
            return lb_check_lapack(info, LB_E_NUMBER);
        }
    }
    for (int i = 0; i < k * rest; ++i) {
        Y[i] /= scale;
        size = hypot(size, Y[i]);
    }
    memcpy(b, x->B, (size_t)(k * m) * sizeof *b);
    lb_add_matrix_product(k, rest, m, 1.0, Y, x->B + k * m, b);
    for (int i = 0; i < k * k; ++i) {
        turn = hypot(turn, x->T[i / k * n + i % k]);
    }
    const double tolerance = 1e3 * n * DBL_EPSILON * (1.0 + size);
    *between = false;
    for (int r = 0; r < k; ++r, power *= turn) {
        for (int i = 0; i < p; ++i) {
            const double c = lb_compute_norm(n, x->C + i * n);
            for (int j = 0; j < m; ++j) {
                double sum = 0.0, length = 0.0;
                for (int a = 0; a < n; ++a) {
                    sum += a < k ? x->C[i * n + a] * b[a * m + j] : 0.0;
                    length = hypot(length, x->B[a * m + j]);
                }
                *between = *between || fabs(sum) > tolerance * c * length * power;
            }
        }
        for (int i = 0; i < k; ++i) {
            for (int j = 0; j < m; ++j) {
                next[i * m + j] = 0.0;
                for (int a = 0; a < k; ++a) {
                    next[i * m + j] += x->T[i * n + a] * b[a * m + j];
                }
            }
        }
        memcpy(b, next, (size_t)(k * m) * sizeof *b);
    }
    for (int i = 0; i < p && !*between; ++i) {
        for (int j = 0; j < rest; ++j) {
            for (int a = 0; a < k; ++a) {
                x->C[i * n + k + j] -= x->C[i * n + a] * Y[a * rest + j];
            }
        }
    }
    return LB_OK;
}

// Leaves the first k states out.
static void drop(path *x, int k)
{
    const int n = x->n, rest = n - k;
    for (int i = 0; i < rest; ++i) {
        memmove(x->T + i * rest, x->T + (k + i) * n + k, (size_t)rest * sizeof *x->T);
    }
    for (int i = 0; i < x->p; ++i) {
        memmove(x->C + i * rest, x->C + i * n + k, (size_t)rest * sizeof *x->C);
    }
    memmove(x->B, x->B + k * x->m, (size_t)(rest * x->m) * sizeof *x->B);
    memmove(x->real, x->real + k, (size_t)rest * sizeof *x->real);
    memmove(x->imaginary, x->imaginary + k, (size_t)rest * sizeof *x->imaginary);
    x->n = rest;
}

lb_status lb_take_path(const lb_linear *l, lb_arena *arena, lb_linear *own)
{
    path x;
    double *kept = lb_take_numbers(arena, 2 * (size_t)l->state_count + 1);
    int count = 0;
    bool looks = false;
    *own = *l;
    // a model from period to period has no response to motion within one
    lb_status status = !kept ? LB_E_MEMORY : l->is_periodic ? LB_E_UNSUPPORTED : LB_OK;
    for (int i = 0; i < l->state_count && status >= 0; ++i) {
        const double *value = l->eigenvalues + 2 * i, size = hypot(value[0], value[1]);
        const bool stays = i < l->zero_count || value[0] < -LB_UNDAMPED * size || size == 0.0;
        bool between = true;
        if (l->period > 0.0 || stays || value[1] < 0.0) {
            // the conjugate goes with its pair
            between = l->period > 0.0 || stays || (count > 0 && kept[2 * count - 1] == -value[1]);
        } else {
            int many = 0;
            status = looks ? LB_OK : take(arena, l, &x);
            looks = true;
            status = status < 0 ? status : gather(&x, arena, value[0], value[1], &many);
            // of a chain that went with another nothing is left
            between = false;
            if (status >= 0 && many > 0) {
                status = look(&x, many, arena, &between);
                if (status >= 0 && !between) {
                    drop(&x, many);
                }
            }
        }
        if (between) {
            memcpy(kept + 2 * count++, value, 2 * sizeof *value);
        }
    }
    if (status >= 0 && looks && x.n < l->state_count) {
        own->state_count = x.n;
        own->coordinate_count = 0;
        own->A = x.T;
        own->B = x.B;
        own->C = x.C;
        own->eigenvalues = kept;
        own->zero_count = l->zero_count;
    }
    return status;
}

lb_status lb_find_continuous_growth(const lb_linear *framed, double growth[2])
{
    lb_arena arena = lb_make_arena(NULL);
    lb_linear own;
    growth[0] = growth[1] = 0.0;
    const lb_status status = lb_take_path(framed, &arena, &own);
    if (status >= 0) {
        (void)lb_find_growth(own.state_count, own.eigenvalues, growth);
    }
    lb_arena_free(&arena);
    return status < 0 ? status : LB_OK;
}

lb_status lb_find_response_growth(const lb_linear *linear, double growth[2])
{
    growth[0] = growth[1] = 0.0;
    // with controllers, the pole of the loop as it samples, which the model at hand may not have
    if (linear->control != LB_CONTROL_OPEN && !linear->stable) {
        memcpy(growth, linear->growth, 2 * sizeof *growth);
        return LB_OK;
    }
    if (linear->sampled) {
        return LB_OK;
    }
    lb_arena arena = lb_make_arena(NULL);
    lb_linear framed;
    lb_status status = lb_enter_frame(linear, &arena, &framed) ? LB_OK : LB_E_MEMORY;
    status = status < 0 ? status : lb_find_continuous_growth(&framed, growth);
    lb_arena_free(&arena);
    return status;
}
