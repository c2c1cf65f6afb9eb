// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The values of a sample: from its index to numbers between 0 and 1, and from those to values.
#include <float.h>
#include <math.h>

#include "philox.h"
#include "quantile.h"
#include "sobol.h"
#include "sweep.h"

int64_t lb_count_samples(const lb_sweep *s)
{
    return s->sensitivity ? s->count * (s->variation_count + 2) : s->count;
}

// A number between 0 and 1, neither of which occurs.
//
// With `sensitivity`, base samples A and their partners B are two independent sets; B continues where A ends.
static double get_unit(const lb_sweep *s, int parameter, int64_t row, bool is_partner)
{
    const uint64_t stream = s->variations[parameter].stream;
    if (s->sampling == LB_SAMPLING_SOBOL) {
        // point 0 has only zeros, where a normal distribution is infinite
        return lb_compute_sobol(parameter + (is_partner ? s->variation_count : 0),
                                (uint64_t)row + 1);
    }
    const uint64_t index = (uint64_t)(is_partner ? s->count + row : row);
    const double u = lb_get_unit_number(lb_get_random_word(s->seed, stream, index));
    if (s->sampling != LB_SAMPLING_LATIN) {
        return u;
    }
    const uint64_t stratum = lb_permute_index(s->seed, stream, index, (uint64_t)s->count);
    return fmin(((double)stratum + u) / (double)s->count, 1.0 - DBL_EPSILON / 2.0);
}

static bool is_normal(const lb_variation *v)
{
    return v->distribution == LB_NORMAL || v->distribution == LB_LOG_NORMAL;
}

// @param u  between 0 and 1; of normal and log-normal parameters, a standard normal number
static double get_value(const lb_variation *v, double u)
{
    const double *n = v->numbers;
    switch (v->distribution) {
    case LB_UNIFORM:
        return n[0] + (n[1] - n[0]) * u;
    case LB_NORMAL:
        return n[0] + n[1] * u;
    case LB_LOG_NORMAL:
        return exp(n[0] + n[1] * u);
    case LB_TRIANGULAR:
        return lb_compute_triangular_quantile(u, n[0], n[1], n[2]);
    case LB_VALUES:
        break;
    }
    const int k = (int)floor(u * v->value_count);
    return v->values[k < v->value_count ? k : v->value_count - 1];
}

static void choose_from_grid(const lb_sweep *s, int64_t index, double *values)
{
    for (int p = s->variation_count - 1; p >= 0; --p) {
        const lb_variation *v = &s->variations[p];
        values[p] = v->values[s->sampling == LB_SAMPLING_LIST ? index : index % v->value_count];
        index = s->sampling == LB_SAMPLING_LIST ? index : index / v->value_count;
    }
}

lb_status lb_compute_sample(const lb_sweep *s, int64_t index, double *values)
{
    const int n = s->variation_count;
    if (index < 0 || index >= lb_count_samples(s)) {
        return LB_E_ARGUMENT;
    }
    if (s->sampling == LB_SAMPLING_GRID || s->sampling == LB_SAMPLING_LIST) {
        choose_from_grid(s, index, values);
        return LB_OK;
    }
    // Saltelli's arrangement: A, B, and A with one parameter at a time from B
    const int64_t row = s->sensitivity ? index / (n + 2) : index;
    const int block = s->sensitivity ? (int)(index % (n + 2)) : 0;
    for (int p = 0; p < n; ++p) {
        const double u = get_unit(s, p, row, block == 1 || block == p + 2);
        values[p] = is_normal(&s->variations[p]) ? lb_compute_normal_quantile(u) : u;
    }
    // correlated normal numbers L z, from the last one on, because each needs those before it
    for (int p = n - 1; s->correlation && p >= 0; --p) {
        const double *row_of_factor = s->correlation + (ptrdiff_t)p * n;
        double sum = 0.0;
        for (int k = 0; k <= p; ++k) {
            sum += row_of_factor[k] == 0.0 ? 0.0 : row_of_factor[k] * values[k];
        }
        values[p] = sum;
    }
    for (int p = 0; p < n; ++p) {
        values[p] = get_value(&s->variations[p], values[p]);
    }
    return LB_OK;
}
