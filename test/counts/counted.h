// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A number of the layout of `double` that counts what is done to it, in the place of `double` for
// all C that is included after this header, inside extern "C".
#ifndef LB_COUNTED_H
#define LB_COUNTED_H

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>

#include "counts.h"

/// Where operations go at present.
extern lb_count *lb_counting;

struct lb_counted {
    double value;

    lb_counted() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    lb_counted(T x) : value(static_cast<double>(x))
    {
    }

    friend lb_counted operator+(lb_counted a, lb_counted b)
    {
        ++lb_counting->additions;
        return a.value + b.value;
    }
    friend lb_counted operator-(lb_counted a, lb_counted b)
    {
        ++lb_counting->additions;
        return a.value - b.value;
    }
    friend lb_counted operator*(lb_counted a, lb_counted b)
    {
        ++lb_counting->multiplications;
        return a.value * b.value;
    }
    friend lb_counted operator/(lb_counted a, lb_counted b)
    {
        ++lb_counting->divisions;
        return a.value / b.value;
    }
    lb_counted operator-() const
    {
        return -value;
    }
    lb_counted &operator+=(lb_counted b)
    {
        return *this = *this + b;
    }
    lb_counted &operator-=(lb_counted b)
    {
        return *this = *this - b;
    }
    lb_counted &operator*=(lb_counted b)
    {
        return *this = *this * b;
    }
    lb_counted &operator/=(lb_counted b)
    {
        return *this = *this / b;
    }

    friend bool operator<(lb_counted a, lb_counted b)
    {
        return a.value < b.value;
    }
    friend bool operator>(lb_counted a, lb_counted b)
    {
        return a.value > b.value;
    }
    friend bool operator<=(lb_counted a, lb_counted b)
    {
        return a.value <= b.value;
    }
    friend bool operator>=(lb_counted a, lb_counted b)
    {
        return a.value >= b.value;
    }
    friend bool operator==(lb_counted a, lb_counted b)
    {
        return a.value == b.value;
    }
};
static_assert(sizeof(lb_counted) == sizeof(double) && std::is_trivial_v<lb_counted>);

inline lb_counted fabs(lb_counted x)
{
    return ::fabs(x.value);
}

// a comparison, which does not count either
inline lb_counted fmax(lb_counted x, lb_counted y)
{
    return ::fmax(x.value, y.value);
}

inline lb_counted lb_count_function(double value)
{
    ++lb_counting->functions;
    return value;
}

inline lb_counted sqrt(lb_counted x)
{
    return lb_count_function(::sqrt(x.value));
}

inline lb_counted sin(lb_counted x)
{
    return lb_count_function(::sin(x.value));
}

inline lb_counted cos(lb_counted x)
{
    return lb_count_function(::cos(x.value));
}

inline lb_counted atan2(lb_counted y, lb_counted x)
{
    return lb_count_function(::atan2(y.value, x.value));
}

inline lb_counted hypot(lb_counted x, lb_counted y)
{
    return lb_count_function(::hypot(x.value, y.value));
}

// Four mass points side by side: the vector type of flex.h, element by element.
struct alignas(32) lb_lane {
    lb_counted x[4];

    lb_counted operator[](int i) const
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
    friend lb_lane operator*(lb_counted a, const lb_lane &b)
    {
        return each([&](int i) { return a * b[i]; });
    }
    friend lb_lane operator*(const lb_lane &a, lb_counted b)
    {
        return b * a;
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

template <class F> void lb_count_in(lb_count_part part, F f)
{
    lb_count *before = lb_counting;
    if (before == &lb_counts[LB_COUNT_SWEEPS]) {
        lb_counting = &lb_counts[part];
    }
    f();
    lb_counting = before;
}

#define double lb_counted
#define LB_COUNTING

extern "C" {
#include "dynamics/tree/steps.h"
}

// From here on the steps say which part they are: a macro is not expanded inside itself.
#define lb_step_position(...) lb_count_in(LB_COUNT_POSITION, [&] { lb_step_position(__VA_ARGS__); })
#define lb_step_velocity(...) lb_count_in(LB_COUNT_VELOCITY, [&] { lb_step_velocity(__VA_ARGS__); })
#define lb_step_inertia(...)                                                                       \
    lb_count_in(LB_COUNT_DEFORMATION, [&] { lb_step_inertia(__VA_ARGS__); })
#define lb_step_acceleration(...)                                                                  \
    lb_count_in(LB_COUNT_ACCELERATION, [&] { lb_step_acceleration(__VA_ARGS__); })

#endif // LB_COUNTED_H
