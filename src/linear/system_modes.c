// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Natural modes of the whole system.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "system_modes.h"

#include "base/dense.h"
#include "closed/closed_loop.h"

// ---- one mode ----------------------------------------------------------------------------------

lb_mode lb_make_mode(lb_mode_kind kind, double real, double imaginary)
{
    const double size = hypot(real, imaginary);
    lb_mode mode = {.kind = kind, .eigenvalue = {real, imaginary}, .column = -1};
    mode.frequency = size / 6.283185307179586;
    mode.damping = size > 0.0 ? -real / size : 0.0;
    return mode;
}

// Unit modal mass, x^H M x = 1, and the largest part, by its inertia, real and positive.
static void normalize(int n, const double *M, double *x)
{
    double mass = 0.0, largest = 0.0, re = 1.0, im = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            mass += M[i * n + j] * (x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1]);
        }
        const double part = sqrt(M[i * n + i]) * hypot(x[2 * i], x[2 * i + 1]);
        // the first of those that are equal up to round-off
        if (part > largest * (1.0 + 1e-6)) {
            largest = part;
            re = x[2 * i];
            im = x[2 * i + 1];
        }
    }
    const double size = hypot(re, im) * sqrt(mass);
    for (int i = 0; i < n && size > 0.0; ++i) {
        // times conj(re + i im) over its size
        const double a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = (a * re + b * im) / size;
        x[2 * i + 1] = (b * re - a * im) / size;
    }
}

// ---- damped, gyroscopic ------------------------------------------------------------------------

// Two columns of the spectrum, real and imaginary part: entry i of a vector.
static double complex get_number(const lb_spectrum *s, int i, int column)
{
    const double *at = s->right + i * s->count + column;
    return at[0] + I * at[1];
}

// x -= f y, columns
static void subtract_column(lb_spectrum *s, double complex f, int y, int x)
{
    for (int i = 0; i < s->count; ++i) {
        const double complex value = get_number(s, i, x) - f * get_number(s, i, y);
        s->right[i * s->count + x] = creal(value);
        s->right[i * s->count + x + 1] = cimag(value);
    }
}

// x^H M y of deviations
static double complex weigh_columns(const lb_mode_problem *p, int x, int y)
{
    double complex sum = 0.0;
    for (int i = 0; i < p->n; ++i) {
        for (int j = 0; j < p->n; ++j) {
            sum += p->M[i * p->n + j] * conj(get_number(&p->spectrum, i, x)) *
                   get_number(&p->spectrum, j, y);
        }
    }
    return sum;
}

// The deviation that has most of a vector, by inertia; of those that are equal up to round-off the first.
static int find_pivot(const lb_mode_problem *p, int column)
{
    double largest = 0.0;
    int best = 0;
    for (int i = 0; i < p->n; ++i) {
        const double size = sqrt(p->M[i * p->n + i]) * cabs(get_number(&p->spectrum, i, column));
        if (size > largest * (1.0 + 1e-6)) {
            largest = size;
            best = i;
        }
    }
    return best;
}

// Any vectors that span the same are as good for pairs of equal eigenvalues. Those are taken that keep
// equal parts of a system apart: reduced to echelon form, then made orthogonal by M.
static void tidy_equals(lb_mode_problem *p, int first, int count)
{
    lb_spectrum *s = &p->spectrum;
    for (int k = 0; k < count; ++k) {
        const int x = first + 2 * k, pivot = find_pivot(p, x);
        for (int j = 0; j < count; ++j) {
            if (j != k) {
                const int y = first + 2 * j;
                subtract_column(s, get_number(s, pivot, y) / get_number(s, pivot, x), x, y);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            const int x = first + 2 * k, y = first + 2 * j;
            subtract_column(s, weigh_columns(p, y, x) / weigh_columns(p, y, y), y, x);
        }
    }
}

// Whether vectors are so far from each other that they can be told apart: not where an eigenvalue has
// fewer vectors than its multiplicity.
static bool is_independent(const lb_mode_problem *p, int first, int count)
{
    bool apart = true;
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            const int x = first + 2 * k, y = first + 2 * j;
            const double size = creal(weigh_columns(p, x, x)) * creal(weigh_columns(p, y, y));
            const double complex both = weigh_columns(p, x, y);
            apart = apart && creal(both * conj(both)) <= (1.0 - 1e-6) * size;
        }
    }
    return apart;
}

static void tidy_pairs(lb_mode_problem *p)
{
    const lb_spectrum *s = &p->spectrum;
    for (int k = s->zero_count; k < s->count;) {
        if (s->imaginary[k] == 0.0) {
            ++k;
            continue;
        }
        int count = 1;
        for (int j = k + 2; j + 1 < s->count && s->imaginary[j] != 0.0; j += 2, ++count) {
            const double gap = hypot(s->real[j] - s->real[k], s->imaginary[j] - s->imaginary[k]);
            if (!(gap <= 1e-11 * hypot(s->real[k], s->imaginary[k]))) {
                break;
            }
        }
        if (count > 1 && is_independent(p, k, count)) {
            tidy_equals(p, k, count);
        }
        k += 2 * count;
    }
}

static lb_status solve_general(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n, count = 2 * n;
    double *A = lb_take_numbers(arena, (size_t)count * (size_t)count);
    if (!A) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_form_system_matrix(n, p->M, p->C, p->K, p->N, 0, NULL, arena, A, NULL);
    status = status < 0 ? status : lb_compute_spectrum(n, &p->tangent, A, arena, &p->spectrum);
    if (status < 0) {
        return status;
    }
    tidy_pairs(p);
    const lb_spectrum s = p->spectrum;
    for (int k = 0; k < s.rigid_count; ++k) {
        p->modes[p->count] = lb_make_mode(LB_MODE_RIGID, 0.0, 0.0);
        double *shape = p->shapes + 2 * (size_t)n * (size_t)p->count++;
        for (int i = 0; i < n; ++i) {
            shape[2 * i] = s.rigid[k * count + i];
        }
    }
    for (int k = s.zero_count; k < count; ++k) {
        if (s.imaginary[k] < 0.0) {
            continue; // the other of a pair
        }
        const bool real = s.imaginary[k] == 0.0;
        p->modes[p->count] =
            lb_make_mode(real ? LB_MODE_APERIODIC : LB_MODE_OSCILLATION, s.real[k], s.imaginary[k]);
        p->modes[p->count].column = k;
        double *shape = p->shapes + 2 * (size_t)n * (size_t)p->count++;
        for (int i = 0; i < n; ++i) {
            shape[2 * i] = s.right[i * count + k];
            shape[2 * i + 1] = real ? 0.0 : s.right[i * count + k + 1];
        }
    }
    return LB_OK;
}

// ---- rigid motions -----------------------------------------------------------------------------

// x -= s y, real parts of shapes
static void subtract(int n, double s, const double *y, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[2 * i] -= s * y[2 * i];
    }
}

static void swap(int n, double *x, double *y)
{
    for (int i = 0; i < 2 * n; ++i) {
        const double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

// Any basis of the rigid motions is as good as another for an eigenvalue solver; people want to see
// single coordinates. Reduced to echelon form from the last coordinate backwards, then made
// orthogonal in that order: of a free body the shifts come out pure, and the turns about its centre
// of mass.
static void tidy_rigid(lb_mode_problem *p)
{
    const int n = p->n;
    const size_t width = 2 * (size_t)n;
    int count = 0, done = 0;
    while (count < p->count && p->modes[count].kind == LB_MODE_RIGID) {
        ++count;
    }
    for (int i = n - 1; i >= 0 && done < count; --i) {
        // the vector with most of it; a part below 1 percent would only lose digits
        int best = done;
        for (int k = done; k < count; ++k) {
            best = fabs(p->shapes[width * (size_t)k + 2 * (size_t)i]) >
                           fabs(p->shapes[width * (size_t)best + 2 * (size_t)i])
                       ? k
                       : best;
        }
        double *x = p->shapes + width * (size_t)best;
        if (!(fabs(x[2 * i]) * sqrt(p->M[i * n + i]) > 1e-2)) {
            continue;
        }
        swap(n, x, p->shapes + width * (size_t)done);
        x = p->shapes + width * (size_t)done;
        for (int k = 0; k < count; ++k) {
            double *y = p->shapes + width * (size_t)k;
            if (k != done) {
                subtract(n, y[2 * i] / x[2 * i], x, y);
                normalize(n, p->M, y);
            }
        }
        ++done;
    }
    for (int k = 0; k < count; ++k) {
        double *x = p->shapes + width * (size_t)k;
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                const double *y = p->shapes + width * (size_t)j;
                double dot = 0.0;
                for (int a = 0; a < n; ++a) {
                    for (int b = 0; b < n; ++b) {
                        dot += x[2 * a] * p->M[a * n + b] * y[2 * b];
                    }
                }
                subtract(n, dot, y, x);
            }
            normalize(n, p->M, x);
        }
    }
    // in the order of the state
    for (int k = 0; k < count / 2; ++k) {
        swap(n, p->shapes + width * (size_t)k, p->shapes + width * (size_t)(count - 1 - k));
    }
}

// ---- shares --------------------------------------------------------------------------------------

// M_ii |x_i|^2, over the sum of them.
static void compute_shares(int n, const double *shapes, const lb_mode_problem *p, double *shares)
{
    for (int k = 0; k < p->count; ++k) {
        const double *x = shapes + 2 * (size_t)n * (size_t)k;
        double sum = 0.0, *share = shares + (size_t)n * (size_t)k;
        for (int i = 0; i < n; ++i) {
            share[i] = p->inertia[i] * (x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);
            sum += share[i];
        }
        for (int i = 0; i < n && sum > 0.0; ++i) {
            share[i] /= sum;
        }
    }
}

// ---- all ---------------------------------------------------------------------------------------

// Rigid ones first, then by frequency; equals stay in order.
static void sort(lb_mode_problem *p, double *row)
{
    const size_t width = 2 * (size_t)p->n;
    for (int i = 1; i < p->count; ++i) {
        const lb_mode mode = p->modes[i];
        int at = i;
        memcpy(row, p->shapes + width * (size_t)i, width * sizeof *row);
        for (; at > 0 && p->modes[at - 1].frequency > mode.frequency; --at) {
            p->modes[at] = p->modes[at - 1];
            memcpy(p->shapes + width * (size_t)at, p->shapes + width * (size_t)(at - 1),
                   width * sizeof *row);
        }
        p->modes[at] = mode;
        memcpy(p->shapes + width * (size_t)at, row, width * sizeof *row);
    }
}

lb_status lb_solve_modes(lb_system *s, const lb_operating_point *point, lb_arena *arena,
                         lb_mode_problem *p)
{
    const int n = point->freedom.free_count;
    lb_tangent whole, part;
    *p = (lb_mode_problem){.n = n};
    p->modes = lb_arena_take(arena, 2 * (size_t)n, sizeof *p->modes);
    p->shapes = lb_take_numbers(arena, 4 * (size_t)n * (size_t)n);
    p->inertia = lb_take_numbers(arena, (size_t)point->count * (size_t)(point->count + 1));
    if (!p->modes || !p->shapes || !p->inertia) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_take_tangent(arena, s->v_count, &whole);
    status = status < 0 ? status : lb_compute_tangent(s, point, &whole);
    status = status < 0 ? status : lb_reduce(point, s->v_count, &whole, arena, &part);
    if (status < 0) {
        return status;
    }
    p->whole = p->inertia + point->count;
    for (int i = 0; i < point->count; ++i) {
        for (int j = 0; j < point->count; ++j) {
            p->whole[i * point->count + j] =
                whole.M[point->coordinates[i] * s->v_count + point->coordinates[j]];
        }
        p->inertia[i] = p->whole[i * point->count + i];
    }
    p->tangent = part;
    p->M = part.M;
    p->C = part.C;
    p->K = part.K;
    p->N = part.N;
    p->symmetric = lb_is_symmetric_problem(p);
    status = p->symmetric ? lb_solve_symmetric_modes(p, arena) : solve_general(p, arena);
    if (status == LB_E_SINGULAR) {
        return lb_say(s, status, "linear: the mass matrix is not positive definite");
    }
    if (status == LB_E_NUMBER) {
        return lb_say(s, status, "linear: the eigenvalues do not converge");
    }
    double *row = lb_take_numbers(arena, 2 * (size_t)n);
    if (status < 0 || !row) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    for (int k = 0; k < p->count; ++k) {
        normalize(n, p->M, p->shapes + 2 * (size_t)n * (size_t)k);
    }
    sort(p, row);
    tidy_rigid(p);
    return LB_OK;
}

// One array per quantity.
static lb_status spread(const lb_mode_problem *p, lb_arena *arena, lb_modes *modes)
{
    const size_t count = (size_t)p->count;
    lb_mode_kind *kinds = lb_arena_take(arena, count, sizeof *kinds);
    double *values = lb_take_numbers(arena, 2 * count),
           *effective = lb_take_numbers(arena, 6 * count);
    double *frequencies = lb_take_numbers(arena, count), *dampings = lb_take_numbers(arena, count);
    if (!kinds || !values || !effective || !frequencies || !dampings) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_mode *mode = &p->modes[i];
        kinds[i] = mode->kind;
        memcpy(values + 2 * i, mode->eigenvalue, sizeof mode->eigenvalue);
        memcpy(effective + 6 * i, mode->effective, sizeof mode->effective);
        frequencies[i] = mode->frequency;
        dampings[i] = mode->damping;
    }
    modes->mode_count = p->count;
    modes->symmetric = p->symmetric;
    modes->kinds = kinds;
    modes->eigenvalues = values;
    modes->effective = effective;
    modes->frequencies = frequencies;
    modes->dampings = dampings;
    modes->stable = !lb_find_growth(p->count, values, modes->growth);
    return LB_OK;
}

static lb_status fill(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                      lb_modes *modes)
{
    lb_system *s = &sim->system;
    lb_operating_point point;
    lb_mode_problem problem;
    lb_status status = lb_find_point(sim, options, NULL, arena, &point);
    status = status < 0 ? status : lb_solve_modes(s, &point, arena, &problem);
    if (status < 0) {
        return status;
    }
    const size_t n = (size_t)point.count;
    double *shares = lb_take_numbers(arena, n * (size_t)problem.count);
    double *shapes = lb_take_numbers(arena, 2 * n * (size_t)problem.count);
    const char **names = lb_arena_take(arena, n, sizeof *names);
    if (!shares || !shapes || !names) {
        return LB_E_MEMORY;
    }
    status = lb_sum_masses(s, &point, options->about_point, modes);
    for (int k = 0; k < problem.count; ++k) {
        lb_expand(&point, problem.shapes + 2 * (size_t)problem.n * (size_t)k,
                  shapes + 2 * n * (size_t)k);
    }
    status = status < 0 ? status
                        : lb_compute_effective_masses(s, &point, options->about_point, arena,
                                                      shapes, &problem, modes->effective_sums);
    for (size_t i = 0; i < n; ++i) {
        names[i] = point.names[i];
    }
    compute_shares(point.count, shapes, &problem, shares);
    status =
        status < 0 ? status : lb_find_change(sim, &point, &problem.tangent, arena, &modes->changes);
    modes->shares = shares;
    modes->coordinate_count = point.count;
    modes->coordinates = point.coordinates;
    modes->names = names;
    modes->shapes = shapes;
    modes->q = point.q;
    modes->v = point.v;
    modes->a = point.a;
    modes->unbalance = point.unbalance;
    modes->unbalanced = point.unbalanced >= 0 ? names[point.unbalanced] : "";
    return status < 0 ? status : spread(&problem, arena, modes);
}

static lb_status name_feedbacks(const lb_feedbacks *feedbacks, lb_arena *arena, lb_modes *modes)
{
    lb_feedback_arrays arrays;
    const lb_status status = lb_spread_feedbacks(feedbacks, arena, &arrays);
    if (status >= 0) {
        modes->feedback_count = feedbacks->count;
        modes->feedbacks = arrays.names;
        modes->closed = arrays.closed;
        modes->feedback_notes = arrays.notes;
    }
    return status;
}

lb_status lb_compute_modes(lb_simulation *sim, const lb_linear_options *options, lb_modes **modes)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_feedbacks feedbacks;
    lb_modes *record = lb_create_record(sizeof *record, &arena);
    lb_status status =
        record ? lb_begin_linear(sim, options, arena, &own, &feedbacks) : LB_E_MEMORY;
    if (record) {
        record->size = sizeof *record;
        record->changes = record->moved_name = "";
    }
    if (status >= 0 && (feedbacks.closed_count > 0 || own.period != 0.0)) {
        status = lb_fill_closed_modes(sim, &own, &feedbacks, arena, record);
    } else if (status >= 0) {
        status = fill(sim, &own, arena, record);
        status = status < 0 ? status : name_feedbacks(&feedbacks, arena, record);
    }
    *modes = lb_leave_point(&sim->system, status, record);
    return status < 0 ? status : LB_OK;
}

void lb_destroy_modes(lb_modes *modes)
{
    lb_destroy_record(modes);
}

lb_status lb_compute_mode_displacement(lb_simulation *sim, const lb_modes *modes, int mode,
                                       int body, int node, double displacement[12])
{
    lb_system *s = &sim->system;
    memset(displacement, 0, 12 * sizeof *displacement);
    if (mode < 0 || mode >= modes->mode_count || body < LB_GROUND || body >= s->body_count ||
        node < 0 || node >= lb_get_node_count(s->model, body)) {
        return LB_E_ARGUMENT;
    }
    // velocity at speeds of the shape: J x, real and imaginary part
    const int n = modes->coordinate_count;
    const double *x = modes->shapes + 2 * (size_t)n * (size_t)mode;
    lb_status status = LB_OK;
    for (int part = 0; part < (modes->symmetric ? 1 : 2) && status >= 0; ++part) {
        lb_node_motion motion;
        memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
        for (int i = 0; i < n; ++i) {
            s->v[modes->coordinates[i]] = x[2 * i + part];
        }
        status = lb_compute_kinematics(s->model, s->work, modes->q, s->v, NULL);
        status =
            status < 0 ? status : lb_compute_node_motion(s->model, s->work, body, node, &motion);
        for (int i = 0; i < 6 && status >= 0; ++i) {
            displacement[2 * i + part] = motion.velocity[i];
        }
    }
    return status;
}
