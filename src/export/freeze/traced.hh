// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A number of the layout of `double` that records what is done to it, in the place of `double` for all C that is
// included after this header.
#ifndef LB_TRACED_HH
#define LB_TRACED_HH

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "limbs/steady.h"

namespace lb_traced {

/// Where operations go: set while lb_trace runs.
static thread_local lb_graph *graph;

/// Says which column of its body the next lines are for: see trace.cc.
static void mark_column(int speed);

static bool compare(lb_term a, lb_term b, bool or_equal); // see forked.hh

struct number {
    lb_term term;

    number() = default;
    number(lb_term x) : term(x)
    {
    }
    number(double x) : term(lb_make_constant(x))
    {
    }
    number(long double x) : term(lb_make_constant(static_cast<double>(x)))
    {
    }
    number(int x) : term(lb_make_constant(x))
    {
    }
    number(long x) : term(lb_make_constant(static_cast<double>(x)))
    {
    }
    number(bool x) : term(lb_make_constant(x))
    {
    }

    friend number operator+(number a, number b)
    {
        return lb_put_sum(graph, a.term, b.term);
    }
    friend number operator-(number a, number b)
    {
        return lb_put_sum(graph, a.term, lb_negate_term(b.term));
    }
    friend number operator*(number a, number b)
    {
        return lb_put_product(graph, a.term, b.term);
    }
    friend number operator/(number a, number b)
    {
        return lb_put_quotient(graph, a.term, b.term);
    }
    number operator-() const
    {
        return lb_negate_term(term);
    }
    number &operator+=(number b)
    {
        return *this = *this + b;
    }
    number &operator-=(number b)
    {
        return *this = *this - b;
    }
    number &operator*=(number b)
    {
        return *this = *this * b;
    }
    number &operator/=(number b)
    {
        return *this = *this / b;
    }

    friend bool operator<(number a, number b)
    {
        return compare(b.term, a.term, false);
    }
    friend bool operator>(number a, number b)
    {
        return compare(a.term, b.term, false);
    }
    friend bool operator<=(number a, number b)
    {
        return compare(b.term, a.term, true);
    }
    friend bool operator>=(number a, number b)
    {
        return compare(a.term, b.term, true);
    }
};
static_assert(sizeof(number) == sizeof(double), "models and workspaces hold these");

static inline number fabs(number x)
{
    return lb_put_function(graph, LB_OP_MAGNITUDE, x.term, 0);
}

static inline number sqrt(number x)
{
    return lb_put_function(graph, LB_OP_ROOT, x.term, 0);
}

/// Whether angles may be sums (limbs/steady.h): set while lb_trace runs.
static thread_local bool has_steady_frames;

static inline number sin(number x)
{
    lb_term sine, cosine;
    if (!has_steady_frames) {
        return lb_put_function(graph, LB_OP_SINE, x.term, 0);
    }
    lb_put_turn(graph, x.term, &sine, &cosine);
    return sine;
}

static inline number cos(number x)
{
    lb_term sine, cosine;
    if (!has_steady_frames) {
        return lb_put_function(graph, LB_OP_COSINE, x.term, 0);
    }
    lb_put_turn(graph, x.term, &sine, &cosine);
    return cosine;
}

#include "forked.hh"

// Four numbers side by side: the vector types of base/lane.h and derivatives.h, element by element.
struct lb_lane {
    number x[4];

    number operator[](ptrdiff_t i) const
    {
        return x[i];
    }
    number &operator[](ptrdiff_t i)
    {
        return x[i];
    }
    template <class F> static lb_lane each(F f)
    {
        return {{f(0), f(1), f(2), f(3)}};
    }
    friend lb_lane operator+(const lb_lane &a, const lb_lane &b)
    {
        return each([&](int i) { return a[i] + b[i]; });
    }
    friend lb_lane operator-(const lb_lane &a, const lb_lane &b)
    {
        return each([&](int i) { return a[i] - b[i]; });
    }
    friend lb_lane operator*(const lb_lane &a, const lb_lane &b)
    {
        return each([&](int i) { return a[i] * b[i]; });
    }
    friend lb_lane operator*(number a, const lb_lane &b)
    {
        return each([&](int i) { return a * b[i]; });
    }
    friend lb_lane operator*(const lb_lane &a, number b)
    {
        return b * a;
    }
    lb_lane operator-() const
    {
        return each([&](int i) { return -x[i]; });
    }
    lb_lane &operator+=(const lb_lane &b)
    {
        return *this = *this + b;
    }
    lb_lane &operator-=(const lb_lane &b)
    {
        return *this = *this - b;
    }
};

typedef lb_lane lb_loose_lane;
typedef number traced_number; // some of what is included has variables of the shorter name

} // namespace lb_traced

#define double traced_number
#define LB_COUNTING
#define LB_KERNEL_COPY
#define LB_MARK(body, equation) lb_mark_graph(graph, (body)->listed, equation)
#define LB_LANE(lane, width) lb_mark_lane(graph, lane, width)
#define LB_SPEED_LANE(speed) mark_column(speed)

#endif // LB_TRACED_HH
