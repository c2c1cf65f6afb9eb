// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Polynomials within a step                                                              (DNS-1)
//
//     u(x) = y0 + h sum_j f_j I_j(x) + e W(x),       x = (t - t0) / h
//     e    = (y1 - y0 - h sum_j f_j I_j(1)) / W(1)
//
// given     f_0, f_1    y' at the ends of the step
//           f_j         y' at m points x_j inside, from the polynomial with m - 1 of them
//           I_j         integral of Lagrange's polynomial of x_j among all points and both ends
//           W           integral of x (x - 1) prod (x - x_j)
// computes  u           of degree m + 3: y and y' at both ends are those of the step. m = 0 is the
//                       cubic of Hermite; each level is one order better than the one below.
//
// Source: Enright, Jackson, Norsett and Thomsen 1986 (ACM Transactions on Mathematical Software 12), whose
// points differ.
#include "dense_output.h"

#include <math.h>
#include <string.h>

// Points of each level: of those on a grid of 0.05, they leave the smallest error of y' = k y with h k = 0.7, -0.7
// and 0.7 i. (W(1) is zero for points like those of Lobatto's rule, and errors are large near there.)
static const double points[LB_DENSE_LEVELS][LB_DENSE_POINTS] = {{0},
                                                                {0.05},
                                                                {0.15, 0.95},
                                                                {0.05, 0.4, 0.95},
                                                                {0.15, 0.35, 0.7, 0.75},
                                                                {0.05, 0.15, 0.25, 0.75, 0.85}};

// ---- polynomials in powers of x ------------------------------------------------------------------

// p := p (x - root); `count` coefficients become one more.
static void multiply(double *p, int count, double root)
{
    p[count] = 0.0;
    for (int i = count; i >= 0; --i) {
        p[i] = (i > 0 ? p[i - 1] : 0.0) - root * p[i];
    }
}

static void integrate(const double *p, int count, double scale, double *integral)
{
    integral[0] = 0.0;
    for (int i = 0; i < count; ++i) {
        integral[i + 1] = scale * p[i] / (i + 1);
    }
}

static double evaluate(const double *p, double x)
{
    double sum = 0.0;
    for (int i = LB_DENSE_POWERS - 1; i >= 0; --i) {
        sum = sum * x + p[i];
    }
    return sum;
}

// I_j and W of a level: the points in their order, then both ends.
static void form_terms(int level, double terms[LB_DENSE_TERMS][LB_DENSE_POWERS])
{
    const int count = level + 2;
    double x[LB_DENSE_RATES];
    memcpy(x, points[level], (size_t)level * sizeof *x);
    x[level] = 0.0;
    x[level + 1] = 1.0;
    memset(terms, 0, LB_DENSE_TERMS * sizeof *terms);
    for (int j = 0; j <= count; ++j) {
        double p[LB_DENSE_POWERS] = {1.0}, scale = 1.0;
        int length = 1;
        for (int i = 0; i < count; ++i) {
            if (i != j) {
                multiply(p, length++, x[i]);
                scale *= j < count ? x[j] - x[i] : 1.0;
            }
        }
        integrate(p, length, 1.0 / scale, terms[j]);
    }
}

// ---- a step --------------------------------------------------------------------------------------

lb_status lb_init_dense(lb_dense *d, const lb_system *s)
{
    const size_t n = (size_t)s->y_count;
    d->count = s->y_count;
    d->y = lb_take_numbers(s->arena, n);
    bool good = d->y != NULL;
    for (int c = 0; c < 2; ++c) {
        d->curves[c].rest = lb_take_numbers(s->arena, n);
        good = good && d->curves[c].rest;
        for (int i = 0; i < LB_DENSE_POINTS; ++i) {
            d->curves[c].rates[i] = lb_take_numbers(s->arena, n);
            good = good && d->curves[c].rates[i];
        }
    }
    for (int level = 0; level < LB_DENSE_LEVELS; ++level) {
        form_terms(level, d->terms[level]);
    }
    return good ? LB_OK : LB_E_MEMORY;
}

static const double *get_rate(const lb_dense *d, const lb_dense_curve *c, int j)
{
    return j < c->level ? c->rates[j] : j == c->level ? d->f0 : d->f1;
}

// y0 + h sum_j f_j I_j(x)
static void add_rates(const lb_dense *d, const lb_dense_curve *c, double x, double *y)
{
    memcpy(y, d->y0, (size_t)d->count * sizeof *y);
    for (int j = 0; j < c->level + 2; ++j) {
        const double by = d->h * evaluate(d->terms[c->level][j], x);
        const double *rate = get_rate(d, c, j);
        for (int i = 0; i < d->count; ++i) {
            y[i] += by * rate[i];
        }
    }
}

static void follow(const lb_dense *d, const lb_dense_curve *c, double x, double *y)
{
    add_rates(d, c, x, y);
    const double by = evaluate(d->terms[c->level][c->level + 2], x);
    for (int i = 0; i < d->count; ++i) {
        y[i] += by * c->rest[i];
    }
}

static void close_curve(const lb_dense *d, lb_dense_curve *c)
{
    add_rates(d, c, 1.0, c->rest);
    const double by = 1.0 / evaluate(d->terms[c->level][c->level + 2], 1.0);
    for (int i = 0; i < d->count; ++i) {
        c->rest[i] = by * (d->y1[i] - c->rest[i]);
    }
}

void lb_begin_dense(lb_dense *d, double t0, double t1, const double *y0, const double *y1,
                    const double *f0, const double *f1)
{
    d->t0 = t0;
    d->h = t1 - t0;
    d->y0 = y0;
    d->y1 = y1;
    d->f0 = f0;
    d->f1 = f1;
    d->current = 0;
    d->curves[0].level = 0;
    close_curve(d, &d->curves[0]);
}

lb_status lb_refine_dense(lb_dense *d, lb_system *s)
{
    const lb_dense_curve *below = &d->curves[d->current];
    lb_dense_curve *above = &d->curves[!d->current];
    above->level = below->level + 1;
    for (int i = 0; i < above->level; ++i) {
        const double x = points[above->level][i];
        follow(d, below, x, d->y);
        const lb_status status = lb_evaluate_system(s, d->t0 + x * d->h, d->y, above->rates[i]);
        if (status < 0) {
            return status;
        }
    }
    close_curve(d, above);
    d->current = !d->current;
    return LB_OK;
}

void lb_compare_dense(const lb_dense *d, double x, double *difference)
{
    follow(d, &d->curves[d->current], x, difference);
    follow(d, &d->curves[!d->current], x, d->y);
    for (int i = 0; i < d->count; ++i) {
        difference[i] -= d->y[i];
    }
}

void lb_evaluate_dense(const lb_dense *d, double t, double *y)
{
    follow(d, &d->curves[d->current], (t - d->t0) / d->h, y);
}
