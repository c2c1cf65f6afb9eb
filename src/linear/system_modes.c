// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Natural modes of the whole system.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "system_modes.h"

#include "base/dense.h"

// ---- one mode ----------------------------------------------------------------------------------

static lb_mode make_mode(lb_mode_kind kind, double real, double imaginary)
{
    const double size = hypot(real, imaginary);
    lb_mode mode = {.kind = kind, .eigenvalue = {real, imaginary}};
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

// ---- undamped, at rest -------------------------------------------------------------------------

// Whether (LIN-1) is M da + K xi = 0 with a symmetric K. Written so that a NaN fails.
static bool is_symmetric(const lb_mode_problem *p)
{
    const int n = p->n;
    const double stiffness = lb_find_largest(n * n, p->K);
    const double rest = fmax(lb_find_largest(n * n, p->C), lb_find_largest(n * n, p->N));
    double gap = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            gap = fmax(gap, fabs(p->K[i * n + j] - p->K[j * n + i]));
        }
    }
    return rest == 0.0 && gap <= 1e-10 * stiffness;
}

// K x = w^2 M x                                                                         (LIN-6)
//
// A negative w^2 is a pair of real eigenvalues, one of which grows. Each w^2 is taken again as the
// quotient x'K x / x'M x, whose error is of the second order in that of x.
static lb_status solve_symmetric(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    double *X = lb_take_numbers(arena, 2 * size + 2 * (size_t)n);
    if (!X) {
        return LB_E_MEMORY;
    }
    double *B = X + size, *square = B + size, *x = square + n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            X[i * n + j] = 0.5 * (p->K[i * n + j] + p->K[j * n + i]);
        }
    }
    memcpy(B, p->M, size * sizeof *B);
    if (LAPACKE_dsygvd(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, X, n, B, n, square) != 0) {
        return LB_E_SINGULAR;
    }
    const double largest = n > 0 ? fmax(fabs(square[0]), fabs(square[n - 1])) : 0.0;
    for (int k = 0; k < n; ++k) {
        double stiffness = 0.0, mass = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = X[i * n + k];
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                stiffness += x[i] * p->K[i * n + j] * x[j];
                mass += x[i] * p->M[i * n + j] * x[j];
            }
        }
        const double w2 = stiffness / mass;
        const bool zero = fabs(w2) <= lb_get_zero_share(n) * largest;
        const int copies = !zero && w2 < 0.0 ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            const double rate = copy ? sqrt(-w2) : -sqrt(fmax(0.0, -w2));
            p->modes[p->count] = zero       ? make_mode(LB_MODE_RIGID, 0.0, 0.0)
                                 : w2 < 0.0 ? make_mode(LB_MODE_APERIODIC, rate, 0.0)
                                            : make_mode(LB_MODE_OSCILLATION, 0.0, sqrt(w2));
            double *shape = p->shapes + 2 * (size_t)n * (size_t)p->count++;
            for (int i = 0; i < n; ++i) {
                shape[2 * i] = x[i];
            }
        }
    }
    return LB_OK;
}

// ---- damped, gyroscopic ------------------------------------------------------------------------

static lb_status solve_general(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n, count = 2 * n;
    double *A = lb_take_numbers(arena, (size_t)count * (size_t)count);
    double *scale = lb_take_numbers(arena, (size_t)n);
    lb_spectrum s;
    if (!A || !scale) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        scale[i] = sqrt(p->M[i * n + i]);
    }
    lb_status status = lb_form_system_matrix(n, p->M, p->C, p->K, p->N, 0, NULL, arena, A, NULL);
    status = status < 0 ? status : lb_compute_spectrum(n, A, scale, false, arena, &s);
    if (status < 0) {
        return status;
    }
    for (int k = 0; k < s.rigid_count; ++k) {
        p->modes[p->count] = make_mode(LB_MODE_RIGID, 0.0, 0.0);
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
            make_mode(real ? LB_MODE_APERIODIC : LB_MODE_OSCILLATION, s.real[k], s.imaginary[k]);
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

// ---- effective masses --------------------------------------------------------------------------

// Momentum per unit of each speed: 6 x n, linear, then angular about the world's origin.
static lb_status compute_momenta(lb_system *s, const lb_operating_point *point, lb_arena *arena,
                                 double *P)
{
    double *v = lb_take_numbers(arena, (size_t)s->v_count);
    lb_status status = v ? LB_OK : LB_E_MEMORY;
    for (int j = 0; j < point->count && status >= 0; ++j) {
        lb_system_motion motion;
        v[point->coordinates[j]] = 1.0;
        status = lb_compute_kinematics(s->model, s->work, point->q, v, NULL);
        status = status < 0 ? status : lb_compute_system_motion(s->model, s->work, &motion);
        v[point->coordinates[j]] = 0.0;
        for (int i = 0; i < 3 && status >= 0; ++i) {
            P[i * point->count + j] = motion.linear[i];
            P[(3 + i) * point->count + j] = motion.angular_world[i];
        }
    }
    return status;
}

// (p . x)^2 / x^H M x, and their sum                                                    (LIN-8)
static void compute_effective(int n, const double *P, const double *shapes, lb_mode_problem *p,
                              double sums[6])
{
    for (int k = 0; k < p->count; ++k) {
        const double *x = shapes + 2 * (size_t)n * (size_t)k;
        for (int d = 0; d < 6; ++d) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < n; ++i) {
                re += P[d * n + i] * x[2 * i];
                im += P[d * n + i] * x[2 * i + 1];
            }
            p->modes[k].effective[d] = re * re + im * im;
            // the two eigenvalues of a shape that tips over share it
            const bool again = p->symmetric && p->modes[k].kind == LB_MODE_APERIODIC &&
                               p->modes[k].eigenvalue[0] > 0.0;
            sums[d] += again ? 0.0 : p->modes[k].effective[d];
        }
    }
}

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

// Mass of everything, and its inertia about the world's axes.
static lb_status sum_masses(lb_system *s, const lb_operating_point *point, lb_modes *modes)
{
    lb_status status = lb_compute_kinematics(s->model, s->work, point->q, NULL, NULL);
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        double m = 0.0, c[3], J[6];
        lb_node_motion at;
        lb_get_mass_properties(s->model, k, &m, c, J);
        status = lb_compute_node_motion(s->model, s->work, k, 0, &at);
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(at.rotation));
        const lb_vec3 x =
            lb_vec3_add(lb_vec3_from(at.position), lb_mat3_mul_vec(&R, lb_vec3_from(c)));
        const lb_sym3 about = lb_sym3_add(lb_sym3_rotate(&R, lb_sym3_from(J)), lb_sym3_point(m, x));
        modes->mass += m;
        modes->inertia[0] += about.xx;
        modes->inertia[1] += about.yy;
        modes->inertia[2] += about.zz;
    }
    return status;
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
    p->M = part.M;
    p->C = part.C;
    p->K = part.K;
    p->N = part.N;
    p->symmetric = is_symmetric(p);
    status = p->symmetric ? solve_symmetric(p, arena) : solve_general(p, arena);
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
    double *P = lb_take_numbers(arena, 6 * n);
    double *shares = lb_take_numbers(arena, n * (size_t)problem.count);
    double *shapes = lb_take_numbers(arena, 2 * n * (size_t)problem.count);
    const char **names = lb_arena_take(arena, n, sizeof *names);
    if (!P || !shares || !shapes || !names) {
        return LB_E_MEMORY;
    }
    status = compute_momenta(s, &point, arena, P);
    status = status < 0 ? status : sum_masses(s, &point, modes);
    for (int k = 0; k < problem.count; ++k) {
        lb_expand(&point, problem.shapes + 2 * (size_t)problem.n * (size_t)k,
                  shapes + 2 * n * (size_t)k);
    }
    compute_effective(point.count, P, shapes, &problem, modes->effective_sums);
    for (size_t i = 0; i < n; ++i) {
        names[i] = point.names[i];
    }
    compute_shares(point.count, shapes, &problem, shares);
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

lb_status lb_compute_modes(lb_simulation *sim, const lb_linear_options *options, lb_modes **modes)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_modes *record = lb_create_record(sizeof *record, &arena);
    lb_status status = record ? lb_complete_simulation(sim) : LB_E_MEMORY;
    status = status < 0 ? status : lb_take_linear_options(sim, options, &own);
    if (status >= 0) {
        record->size = sizeof *record;
        status = fill(sim, &own, arena, record);
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
