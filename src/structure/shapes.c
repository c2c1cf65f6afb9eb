// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of a straight beam by formula.
#include <math.h>
#include <string.h>

#include "fe.h"
#include "sections.h"

static const char *const names[] = {"clamped-free",        "clamped-pinned", "clamped-clamped",
                                    "pinned-pinned",       "free-free",      "clamped-free-bar",
                                    "clamped-clamped-bar", "free-free-bar",  "polynomial"};

const char *lb_get_shape_family_name(lb_shape_family family)
{
    return (int)family >= 0 && family < LB_SHAPE_FAMILY_COUNT ? names[family] : "?";
}

// A shape and its first two derivatives by s.
typedef struct value {
    double f, df, ddf;
} value;

// Root number k of cos b cosh b = -1 (clamped-free), 1 (two ends alike) or tan b = tanh b (pinned),
// all written with 1 / cosh b, by Newton's method from where they tend to.
static double get_root(lb_shape_family family, int k)
{
    const bool free_end = family == LB_SHAPE_CLAMPED_FREE;
    const bool pinned = family == LB_SHAPE_CLAMPED_PINNED;
    double b = free_end ? (k == 1 ? 1.8751 : (k - 0.5) * LB_FE_PI)
               : pinned ? (k + 0.25) * LB_FE_PI
                        : (k + 0.5) * LB_FE_PI;
    for (int i = 0; i < 50; ++i) {
        double f, df;
        if (pinned) {
            f = sin(b) - cos(b) * tanh(b);
            df = cos(b) + sin(b) * tanh(b) - cos(b) * (1 - tanh(b) * tanh(b));
        } else {
            f = cos(b) + (free_end ? 1 : -1) / cosh(b);
            df = -sin(b) - (free_end ? 1 : -1) * tanh(b) / cosh(b);
        }
        b -= f / df;
    }
    return b;
}

// cosh - cos - sigma (sinh - sin), or with both signs changed for a free start; sigma is close to 1, so
// that the growing exponential is taken together with 1 - sigma.
static value get_bent(lb_shape_family family, int k, double s)
{
    const double b = get_root(family, k), sign = family == LB_SHAPE_FREE_FREE ? 1 : -1;
    const double small = exp(-b);
    double grow, sigma; // grow: (1 - sigma) exp(b)
    if (family == LB_SHAPE_CLAMPED_FREE) {
        const double below = 0.5 * (1 - small * small) + small * sin(b); // (sinh + sin) / exp(b)
        grow = (sin(b) - cos(b) - small) / below;
        sigma = (0.5 * (1 + small * small) + small * cos(b)) / below;
    } else {
        const double below = 0.5 * (1 - small * small) - small * sin(b); // (sinh - sin) / exp(b)
        grow = (cos(b) - sin(b) - small) / below;
        sigma = (0.5 * (1 + small * small) - small * cos(b)) / below;
    }
    const double up = 0.5 * grow * exp(b * (s - 1)), down = 0.5 * (1 + sigma) * exp(-b * s);
    const double c = cos(b * s), d = sin(b * s);
    const value v = {up + down + sign * (c - sigma * d), b * (up - down - sign * (d + sigma * c)),
                     b * b * (up + down - sign * (c - sigma * d))};
    return v;
}

static value get_sine(double b, double s, double phase)
{
    const value v = {sin(b * s + phase), b * cos(b * s + phase), -b * b * sin(b * s + phase)};
    return v;
}

static value get_polynomial(const lb_beam_shape *shape, double s)
{
    value v = {0, 0, 0};
    for (int i = shape->coefficient_count - 1; i >= 0; --i) {
        v.ddf = v.ddf * s + 2 * v.df;
        v.df = v.df * s + v.f;
        v.f = v.f * s + shape->coefficients[i];
    }
    return v;
}

static value get_shape(const lb_beam_shape *shape, int k, double s)
{
    switch (shape->family) {
    case LB_SHAPE_PINNED_PINNED:
    case LB_SHAPE_CLAMPED_CLAMPED_BAR:
        return get_sine(k * LB_FE_PI, s, 0.0);
    case LB_SHAPE_CLAMPED_FREE_BAR:
        return get_sine((k - 0.5) * LB_FE_PI, s, 0.0);
    case LB_SHAPE_FREE_FREE_BAR:
        return get_sine(k * LB_FE_PI, s, LB_FE_PI / 2);
    case LB_SHAPE_POLYNOMIAL:
        return get_polynomial(shape, s);
    default:
        return get_bent(shape->family, k, s);
    }
}

static lb_fe_field get_field(const lb_beam_shape *shape, int k, double x, double length)
{
    const value v = get_shape(shape, k, x / length);
    const double f = v.f, df = v.df / length, ddf = v.ddf / (length * length);
    lb_fe_field field = {.u = {0}};
    switch (shape->motion) {
    case LB_MOTION_STRETCH:
        field.u[0] = f;
        field.du[0] = df;
        break;
    case LB_MOTION_TWIST:
        field.t[0] = f;
        field.dt[0] = df;
        break;
    case LB_MOTION_Y:
        field.u[1] = f;
        field.du[1] = field.t[2] = df;
        field.dt[2] = ddf;
        break;
    default:
        field.u[2] = f;
        field.du[2] = df;
        field.t[1] = -df;
        field.dt[1] = -ddf;
    }
    return field;
}

lb_status lb_fe_sample_shapes(lb_fe_context *context, const lb_fe *fe, double length,
                              const lb_beam_shape *shapes, int shape_count, lb_fe_fields *fields)
{
    size_t n = 0;
    for (int i = 0; i < shape_count; ++i) {
        n += (size_t)shapes[i].count;
    }
    fields->mode_count = (int)n;
    if (!LB_FE_TAKE(context, fields->at_points, (size_t)fe->element_count * LB_FE_POINTS * n) ||
        !LB_FE_TAKE(context, fields->at_joints, (size_t)fe->joint_count * n * LB_FE_DOFS)) {
        return LB_E_MEMORY;
    }
    size_t r = 0;
    for (int i = 0; i < shape_count; ++i) {
        for (int k = 1; k <= shapes[i].count; ++k, ++r) {
            for (int e = 0; e < fe->element_count; ++e) {
                const lb_fe_element *element = &fe->elements[e];
                for (int g = 0; g < LB_FE_POINTS; ++g) {
                    const double x = fe->nodes[element->a].x[0] + lb_fe_place[g] * element->length;
                    fields->at_points[((size_t)e * LB_FE_POINTS + (size_t)g) * n + r] =
                        get_field(&shapes[i], k, x, length);
                }
            }
            for (size_t j = 0; j < (size_t)fe->joint_count; ++j) {
                const lb_fe_field f = get_field(&shapes[i], k, fe->joints[j].position[0], length);
                double *out = fields->at_joints + (j * n + r) * LB_FE_DOFS;
                memcpy(out, f.u, sizeof f.u);
                memcpy(out + 3, f.t, sizeof f.t);
            }
        }
    }
    return LB_OK;
}
