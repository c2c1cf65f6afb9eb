// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What C of the library needs ahead of it to be CUDA: everything in one text, functions local to it, and lanes of four
// numbers as a struct, of the size that the host has, since models hold them.
#ifndef LB_DEVICE_C_H
#define LB_DEVICE_C_H

#define LB_KERNEL_COPY
#define LB_COUNTING // no vectors of the compiler
#define restrict __restrict__

struct alignas(32) lb_lane {
    double x[4];

    double operator[](int i) const
    {
        return x[i];
    }
    double &operator[](int i)
    {
        return x[i];
    }
    lb_lane operator+(const lb_lane &b) const
    {
        return {{x[0] + b[0], x[1] + b[1], x[2] + b[2], x[3] + b[3]}};
    }
    lb_lane operator-(const lb_lane &b) const
    {
        return {{x[0] - b[0], x[1] - b[1], x[2] - b[2], x[3] - b[3]}};
    }
    lb_lane operator*(const lb_lane &b) const
    {
        return {{x[0] * b[0], x[1] * b[1], x[2] * b[2], x[3] * b[3]}};
    }
    lb_lane operator*(double b) const
    {
        return {{x[0] * b, x[1] * b, x[2] * b, x[3] * b}};
    }
    friend lb_lane operator*(double a, const lb_lane &b)
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

#endif // LB_DEVICE_C_H
