// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The equations of motion, linearised.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "limber/loops.h"
#include "limber/spatial.h"
#include "linear.h"
#include "model/layout.h"

lb_status lb_take_tangent(lb_arena *arena, int n, lb_tangent *tangent)
{
    const size_t size = (size_t)n * (size_t)n;
    tangent->M = lb_take_numbers(arena, 6 * size);
    if (!tangent->M) {
        return LB_E_MEMORY;
    }
    tangent->C = tangent->M + size;
    tangent->K = tangent->C + size;
    tangent->N = tangent->K + size;
    tangent->K_error = tangent->N + size;
    tangent->C_error = tangent->K_error + size;
    return LB_OK;
}

// ---- the manifold ------------------------------------------------------------------------------

static void fill_cross(double *N, int n, int row, int column, const double w[3])
{
    // -w~
    const double m[3][3] = {{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}};
    for (int i = 0; i < 3; ++i) {
        memcpy(N + (row + i) * n + column, m[i], sizeof m[i]);
    }
}

// How deviations of the configuration turn with the motion                              (LIN-2)
//
//     d(xi)/dt = dv + N xi,   N = 0 where speeds are rates of coordinates
//     spherical  N = -w~            free  N = -[w~ 0; v~ w~]
//
// given     w, v  angular and linear speed of the hinge, in O
// computes  N
static void compute_drift(const lb_model *model, const double *v, double *N)
{
    const int n = lb_get_v_count(model);
    memset(N, 0, (size_t)n * (size_t)n * sizeof *N);
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const lb_hinge_type type = lb_get_hinge(model, k).type;
        const int at = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        if (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE) {
            fill_cross(N, n, at, at, v + at);
        }
        if (type == LB_HINGE_FREE) {
            fill_cross(N, n, at + 3, at, v + at + 3);
            fill_cross(N, n, at + 3, at + 3, v + at);
        }
    }
}

// ---- uniform motion ----------------------------------------------------------------------------

// Whether a body is free in space, so that a uniform motion of it changes nothing. Loops may hold it
// to the ground, and an input that drives it means its acceleration as it is.
bool lb_is_carried(const lb_system *s, const lb_operating_point *point, int body)
{
    return !s->closure && !point->guided[body] &&
           lb_get_hinge(s->model, body).type == LB_HINGE_FREE &&
           lb_get_hinge(s->model, body).parent == LB_GROUND;
}

static int get_hinge(const lb_model *model, int body)
{
    return lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
}

// The same state and accelerations seen from a frame that moves along with each free body  (LIN-17)
//
//     v' = 0,   a' = a + w x v   for the linear parts of the free hinges of roots
void lb_carry_along(const lb_system *s, const lb_operating_point *point, const double *v,
                    const double *a, double *v_b, double *a_b)
{
    const size_t n = (size_t)s->v_count;
    memcpy(v_b, v, n * sizeof *v);
    memcpy(a_b, a, n * sizeof *a);
    for (int k = 0; k < s->body_count; ++k) {
        if (lb_is_carried(s, point, k)) {
            const int at = get_hinge(s->model, k);
            const lb_vec3 turn = lb_vec3_cross(lb_vec3_from(v + at), lb_vec3_from(v + at + 3));
            const double more[3] = {turn.x, turn.y, turn.z};
            for (int i = 0; i < 3; ++i) {
                v_b[at + 3 + i] = 0.0;
                a_b[at + 3 + i] += more[i];
            }
        }
    }
}

// What the speeds of the state have beside those seen from these frames                 (LIN-17)
//
//     dv = dv' + Z xi,   da = da' + Z d(xi)/dt + Z_dot xi,   Z = v~,  Z_dot = (v x w)~
//
// by linear and angular part. Where the acceleration a of the state is smaller than a + w x v, that seen
// from outside, the body moves on in its own axes, as on a circular orbit: Z_dot is part of its
// equations. Otherwise it flies straight on, and Z_dot is only part of how its speeds are counted.
void lb_form_carry(const lb_system *s, const lb_operating_point *point, lb_carry *carry)
{
    const int n = s->v_count;
    const size_t size = (size_t)n * (size_t)n * sizeof(double);
    memset(carry->Z, 0, size);
    memset(carry->turning, 0, size);
    memset(carry->straight, 0, size);
    for (int k = 0; k < s->body_count; ++k) {
        if (lb_is_carried(s, point, k)) {
            const int at = get_hinge(s->model, k);
            const lb_vec3 w = lb_vec3_from(point->v + at), v = lb_vec3_from(point->v + at + 3);
            const lb_vec3 a = lb_vec3_from(point->a + at + 3), turn = lb_vec3_cross(w, v);
            const double back[3] = {-v.x, -v.y, -v.z}, rate[3] = {turn.x, turn.y, turn.z};
            const lb_vec3 outside = lb_vec3_add(a, turn);
            const bool turns = lb_vec3_dot(a, a) < lb_vec3_dot(outside, outside);
            fill_cross(carry->Z, n, at + 3, at, back);
            fill_cross(turns ? carry->turning : carry->straight, n, at + 3, at, rate);
        }
    }
}

lb_status lb_take_carry(lb_arena *arena, int n, lb_carry *carry)
{
    const size_t size = (size_t)n * (size_t)n;
    carry->Z = lb_take_numbers(arena, 3 * size);
    carry->turning = carry->Z + size;
    carry->straight = carry->turning + size;
    return carry->Z ? LB_OK : LB_E_MEMORY;
}

void lb_carry_matrix(int n, double f, const double *Z, const double *A, double *out)
{
    const int count = 2 * n;
    memcpy(out, A, (size_t)count * (size_t)count * sizeof *A);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const double z = f * Z[i * n + k];
            if (z != 0.0) {
                lb_add_scaled(count, z, out + k * count, out + (n + i) * count);
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < n; ++k) {
            const double x = out[i * count + n + k];
            if (x != 0.0) {
                lb_add_scaled(n, -f * x, Z + k * n, out + i * count);
            }
        }
    }
    for (int i = 0; i < count * count; ++i) {
        out[i] += 0.0; // no -0
    }
}

// ---- forces ------------------------------------------------------------------------------------

// A state beside the point, and the matrices there.
typedef struct look {
    double *q, *v, *a;       // the state
    double *way, *v_b, *a_b; // scratch
    double *by_q, *by_v;     // v_count x v_count
    lb_carry carry;
    lb_derivative_work *scratch;
} look;

// Takes the derivatives of the forces of elements off K and C                           (LIN-17)
//
//     K -= f_q + f_v Z,   C -= f_v
static lb_status subtract_elements(lb_system *s, double t, look *at, lb_tangent *out)
{
    const int n = s->v_count;
    const size_t size = (size_t)n * (size_t)n;
    // nodes move as they do: derivatives at the speeds themselves
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, at->scratch, at->q, at->v,
                                                   at->a, NULL, NULL, NULL, NULL);
    if (status < 0) {
        return status;
    }
    status = lb_compute_force_derivatives(s->forces, s->model, s->work, at->scratch, t, at->q,
                                          at->v, at->by_q, at->by_v, NULL, NULL);
    if (status < 0) {
        return lb_say(s, status, "linear: %s", lb_get_force_message(s->forces));
    }
    lb_add_matrix_product(n, n, n, 1.0, at->by_v, at->carry.Z, at->by_q);
    for (size_t i = 0; i < size; ++i) {
        out->K[i] -= at->by_q[i];
        out->C[i] -= at->by_v[i];
    }
    return LB_OK;
}

// The same for the forces that hold the loops, which turn with them.
static lb_status subtract_closure(lb_system *s, const lb_operating_point *point, look *at,
                                  lb_tangent *out)
{
    const size_t size = (size_t)s->v_count * (size_t)s->v_count;
    const lb_loop_derivatives loops = {.size = sizeof loops, .force_dq = at->by_q};
    const lb_status status =
        lb_compute_loop_derivatives(s->model, s->work, at->scratch, point->loop_forces, &loops);
    for (size_t i = 0; i < size && status >= 0; ++i) {
        out->K[i] -= at->by_q[i];
    }
    return status;
}

static lb_status evaluate(lb_system *s, const lb_operating_point *point, look *at, lb_tangent *out)
{
    lb_carry_along(s, point, at->v, at->a, at->v_b, at->a_b);
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, at->scratch, at->q, at->v_b,
                                                   at->a_b, NULL, out->K, out->C, out->M);
    if (status >= 0 && point->loop_forces) {
        status = subtract_closure(s, point, at, out);
    }
    if (status >= 0 && s->force_count > 0) {
        status = subtract_elements(s, point->t, at, out);
    }
    if (status >= 0) {
        const int n = s->v_count;
        lb_add_matrix_product(n, n, n, -1.0, out->M, at->carry.turning, out->K);
    }
    return status;
}

// ---- round-off ---------------------------------------------------------------------------------

// Numbers without a pattern, from -1 to 1.
static double draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

// A turn of a free body that moves what it carries by as much as its place is known: far from the
// world's origin more than by one radian. By its radius of gyration.
static double get_turn(const lb_system *s, int hinge, const double *place, const double *M)
{
    const ptrdiff_t n = s->v_count;
    double inertia = 0.0, mass = 0.0;
    for (int i = 0; i < 3; ++i) {
        inertia += M[(hinge + i) * (n + 1)];
        mass += M[(hinge + 3 + i) * (n + 1)];
    }
    const double turn = lb_find_largest(3, place) * sqrt(mass / inertia);
    return isfinite(turn) ? fmin(fmax(1.0, turn), 1e10) : 1.0;
}

// Moves the state of the point by what rounding leaves open: a few units in the last place of
// coordinates, speeds and accelerations; of rotations, of one radian.
//
// given     M  mass matrix at the point
static void stir(const lb_system *s, const lb_operating_point *point, const double *M,
                 unsigned *seed, look *at)
{
    const double ulp = 4.0 * DBL_EPSILON;
    const lb_model *model = s->model;
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(model, k), modes = lb_get_mode_count(model, k);
        const int count = lb_get_hinge(model, k).v_count, hinge = first + modes;
        const int q_hinge = lb_get_q_offset(model, k) + modes;
        const int q_count = lb_get_hinge(model, k).q_count;
        const lb_hinge_type type = lb_get_hinge(model, k).type;
        const double turn =
            type == LB_HINGE_FREE ? get_turn(s, hinge, point->q + q_hinge + q_count - 3, M) : 1.0;
        for (int i = first; i < hinge + count; ++i) {
            // parts of a hinge that are measured alike
            const bool modal = i < hinge, shift = type == LB_HINGE_FREE && i >= hinge + 3;
            const int from = modal ? i : shift ? hinge + 3 : hinge;
            const int width = modal ? 1 : type == LB_HINGE_FREE ? 3 : count;
            const double place = modal   ? fabs(point->q[lb_get_q_offset(model, k) + i - first])
                                 : shift ? lb_find_largest(3, point->q + q_hinge + q_count - 3)
                                 : type == LB_HINGE_PRISMATIC || type == LB_HINGE_TRANSLATIONAL
                                     ? lb_find_largest(q_count, point->q + q_hinge)
                                     : turn;
            at->way[i] = ulp * place * draw(seed);
            at->v[i] = point->v[i] + ulp * lb_find_largest(width, point->v + from) * draw(seed);
            at->a[i] = point->a[i] + ulp * lb_find_largest(width, point->a + from) * draw(seed);
        }
    }
    lb_integrate_configuration(model, point->q, at->way, at->q);
}

// Directions of axes and of gravity are numbers of the model, known to units in their last place as well:
// an axis may be upright but for them                                                    (LIN-18)
//
//     |dK_ij| >= e |g| sqrt(m M_ii)  where j turns,  e |g| sqrt(m M_jj)  where i turns, or the smaller
//
// as |sum of m_k r_k| <= sqrt(sum of m_k  sum of m_k r_k^2), r_k how far a coordinate moves mass m_k.
static lb_status add_tilt(const lb_system *s, lb_arena *arena, const double *M, double *error)
{
    const lb_model *model = s->model;
    const ptrdiff_t n = s->v_count;
    bool *turns = lb_arena_take(arena, (size_t)n, sizeof *turns);
    if (!turns) {
        return LB_E_MEMORY;
    }
    double g[3], mass = 0.0;
    lb_get_gravity(model, g);
    for (int k = 0; k < s->body_count; ++k) {
        double part, com[3], inertia[6];
        lb_get_mass_properties(model, k, &part, com, inertia);
        mass += part;
        for (int i = lb_get_v_offset(model, k); i < get_hinge(model, k); ++i) {
            turns[i] = false;
        }
        for (int i = 0; i < lb_get_hinge(model, k).v_count; ++i) {
            turns[get_hinge(model, k) + i] = lb_is_turn(lb_get_hinge(model, k).type, i);
        }
    }
    const double tilt = 4.0 * DBL_EPSILON * lb_vec3_norm(lb_vec3_from(g)) * sqrt(mass);
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            const double a = turns[j] ? M[i * (n + 1)] : INFINITY;
            const double b = turns[i] ? M[j * (n + 1)] : INFINITY;
            const double size = turns[i] || turns[j] ? tilt * sqrt(fmin(a, b)) : 0.0;
            error[i * n + j] = fmax(error[i * n + j], size);
        }
    }
    return LB_OK;
}

static void compare(int n, const double *X, const double *Y, double *error)
{
    for (int i = 0; i < n * n; ++i) {
        error[i] = fmax(error[i], fabs(X[i] - Y[i]));
    }
}

// Entries of the three axes of a spherical or free hinge are known alike: one of them may happen to keep its
// last digits.
static void share(const lb_model *model, double *error)
{
    const int n = lb_get_v_count(model);
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const lb_hinge_type type = lb_get_hinge(model, k).type;
        const int count = type == LB_HINGE_FREE ? 6 : type == LB_HINGE_SPHERICAL ? 3 : 0;
        for (int part = 0; part < count; part += 3) {
            const int first = get_hinge(model, k) + part;
            for (int i = 0; i < n; ++i) {
                double *across = error + i * n + first, *down = error + first * n + i;
                const double a = lb_find_largest(3, across);
                across[0] = across[1] = across[2] = a;
                const double b = fmax(fmax(down[0], down[n]), down[2 * n]);
                down[0] = down[n] = down[2 * n] = b;
            }
        }
    }
}

// Entries that change by more than an eighth of themselves when the state moves by its last digits
// are round-off, and zero: what moves without resistance then does so exactly.
static void clean(int n, const double *error, double *X)
{
    for (int i = 0; i < n * n; ++i) {
        X[i] = fabs(X[i]) <= 8.0 * error[i] ? 0.0 : X[i];
    }
}

// Of two coordinates that are at right angles, M has what rounding leaves.
static void clean_mass(int n, double *M)
{
    for (int i = 0; i < n * n; ++i) {
        const double size = sqrt(M[i / n * (n + 1)] * M[i % n * (n + 1)]);
        M[i] = fabs(M[i]) <= 4.0 * DBL_EPSILON * size ? 0.0 : M[i];
    }
}

// How far K and C are known                                                             (LIN-18)
//
//     |dK| = max over s of |K(x + e_s) - K(x)|,   e_s some units in the last place of the state x
static lb_status find_errors(lb_system *s, const lb_operating_point *point, lb_arena *arena,
                             look *at, lb_tangent *t)
{
    enum { LOOKS = 6 };
    const int n = s->v_count;
    lb_tangent other;
    lb_status status = lb_take_tangent(arena, n, &other);
    unsigned seed = 12345u;
    for (int i = 0; i < LOOKS && status >= 0; ++i) {
        stir(s, point, t->M, &seed, at);
        status = evaluate(s, point, at, &other);
        if (status >= 0) {
            compare(n, t->K, other.K, t->K_error);
            compare(n, t->C, other.C, t->C_error);
        }
    }
    status = status < 0 ? status : add_tilt(s, arena, t->M, t->K_error);
    if (status >= 0) {
        share(s->model, t->K_error);
        share(s->model, t->C_error);
        clean(n, t->K_error, t->K);
        clean(n, t->C_error, t->C);
        clean_mass(n, t->M);
    }
    return status;
}

static lb_status take_look(lb_system *s, lb_arena *arena, look *at)
{
    const size_t n = (size_t)s->v_count, size = n * n;
    at->q = lb_take_numbers(arena, (size_t)s->q_count + 5 * n);
    at->by_q = lb_take_numbers(arena, 2 * size);
    at->scratch = lb_create_derivative_work(s->model);
    if (!at->q || !at->by_q || !at->scratch) {
        return LB_E_MEMORY;
    }
    at->v = at->q + s->q_count;
    at->a = at->v + n;
    at->way = at->a + n;
    at->v_b = at->way + n;
    at->a_b = at->v_b + n;
    at->by_v = at->by_q + size;
    return lb_take_carry(arena, s->v_count, &at->carry);
}

static lb_status compute(lb_system *s, const lb_operating_point *point, bool errors, lb_tangent *t)
{
    lb_arena arena = lb_make_arena(NULL);
    const size_t n = (size_t)s->v_count, size = n * n;
    look at = {0};
    lb_status status = take_look(s, &arena, &at);
    if (status >= 0) {
        memcpy(at.q, point->q, (size_t)s->q_count * sizeof *at.q);
        memcpy(at.v, point->v, n * sizeof *at.v);
        memcpy(at.a, point->a, n * sizeof *at.a);
        lb_form_carry(s, point, &at.carry);
        status = evaluate(s, point, &at, t);
    }
    for (size_t i = 0; i < size && status >= 0; ++i) {
        if (!isfinite(t->M[i]) || !isfinite(t->C[i]) || !isfinite(t->K[i])) {
            status =
                lb_say(s, LB_E_NUMBER, "linear: a derivative of the forces is not a finite number");
        }
    }
    if (status >= 0) {
        compute_drift(s->model, at.v_b, t->N);
        memset(t->K_error, 0, 2 * size * sizeof *t->K_error);
        status = errors ? find_errors(s, point, &arena, &at, t) : LB_OK;
    }
    lb_destroy_derivative_work(at.scratch);
    lb_arena_free(&arena);
    return status;
}

lb_status lb_compute_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *t)
{
    return compute(s, point, true, t);
}

lb_status lb_compute_plain_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *t)
{
    return compute(s, point, false, t);
}

// The frame of a free body keeps the velocity that the body has at the time             (FLQ-1)
//
//     d(dv')/dt = da' + ((v x w)~ - a~) xi
//
// for linear by angular parts; where the body moves on in its own axes the first part is in K already.
lb_status lb_compute_moving_tangent(lb_system *s, const lb_operating_point *point, lb_tangent *t)
{
    lb_arena arena = lb_make_arena(NULL);
    const int n = s->v_count;
    lb_carry carry;
    lb_status status = lb_take_carry(&arena, n, &carry);
    status = status < 0 ? status : lb_compute_plain_tangent(s, point, t);
    if (status >= 0) {
        lb_form_carry(s, point, &carry);
        for (int k = 0; k < s->body_count; ++k) {
            if (lb_is_carried(s, point, k)) {
                const int at = get_hinge(s->model, k);
                fill_cross(carry.Z, n, at + 3, at, point->a + at + 3); // -a~
                for (int i = at + 3; i < at + 6; ++i) {
                    lb_add_scaled(3, 1.0, carry.Z + i * n + at, carry.straight + i * n + at);
                }
            }
        }
        // gravity, and the acceleration that it makes, cancel up to round-off
        lb_form_product(n, n, n, t->M, carry.straight, carry.Z);
        for (int i = 0; i < n * n; ++i) {
            const double noise = 16.0 * DBL_EPSILON * fabs(carry.Z[i]);
            const double K = t->K[i] - carry.Z[i];
            t->K[i] = fabs(K) <= noise ? 0.0 : K;
        }
    }
    lb_arena_free(&arena);
    return status;
}
