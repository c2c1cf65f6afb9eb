// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the caller: whether all of them are finite, and which one is not.
#ifndef LB_NUMBERS_H
#define LB_NUMBERS_H

#include "layout.h"

/// The sum of n numbers, in four parts. It is not finite if one of them is not, or if they are huge.
static inline double lb_add_up(ptrdiff_t n, const double *x)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; ++i) {
        a += x[i];
    }
    return (a + b) + (c + d);
}

/// Whether a number is neither infinite nor NaN.
static inline bool lb_is_finite(double x)
{
    return x - x == 0.0;
}

/// The first of n numbers that is not finite; n if all are.
ptrdiff_t lb_find_bad(ptrdiff_t n, const double *x);

/// Whether n numbers are finite.
bool lb_are_finite(ptrdiff_t n, const double *x);

/// Remembers which number a function refuses: see lb_get_bad_number.
///
/// @param name  of the argument
/// @return LB_E_NUMBER
lb_status lb_refuse_number(lb_work *work, const char *name, ptrdiff_t entry);

/// Whether the numbers of an array are finite. NULL is.
///
/// @return LB_OK or LB_E_NUMBER
lb_status lb_check_numbers(lb_work *work, const char *name, ptrdiff_t n, const double *x);

/// What lb_check_state does after a sum that is not finite.
__attribute__((cold)) lb_status lb_search_state(const lb_model *model, lb_work *work,
                                                const double *q, const double *v, const char *name,
                                                const double *x);

/// The first entry of the first quaternion of a configuration whose length is off by more than a hundredth; -1 for none. Who
/// adds up rates within a step has quaternions that are off by less.
int lb_find_bad_quaternion(const lb_model *model, const double *q);

/// What lb_check_state does of models with quaternions.
lb_status lb_check_quaternions(const lb_model *model, lb_work *work, const double *q);

/// Whether a new state is finite, and its quaternions are of unit length. If not, the workspace holds no state afterwards.
///
/// @param v     NULL for none
/// @param x     NULL for none: tau or a
/// @param name  of x
/// @return LB_OK or LB_E_NUMBER
static inline lb_status lb_check_state(const lb_model *model, lb_work *work, const double *q,
                                       const double *v, const char *name, const double *x)
{
    if (work->trusts_numbers) {
        return LB_OK;
    }
    // side by side, in a loop of few instructions: this is done for every state
    const ptrdiff_t n = model->v_count;
    double a = 0.0, b = 0.0, c = 0.0;
    ptrdiff_t i = 0;
    if (v && x) {
        for (; i < n; ++i) {
            a += q[i];
            b += v[i];
            c += x[i];
        }
    } else {
        b = v ? lb_add_up(n, v) : 0.0;
        c = x ? lb_add_up(n, x) : 0.0;
    }
    for (; i < model->q_count; ++i) {
        a += q[i];
    }
    return !lb_is_finite(a + b + c)          ? lb_search_state(model, work, q, v, name, x)
           : model->q_count > model->v_count ? lb_check_quaternions(model, work, q)
                                             : LB_OK;
}

/// The same where some hinges are driven: a is read at those, tau everywhere else.
///
/// @param tau  NULL for zero
lb_status lb_check_driven_state(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const unsigned char *driven, const double *tau,
                                const double *a);

#endif // LB_NUMBERS_H
