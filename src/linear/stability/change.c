// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the equations of small deviations change along the motion, and by what.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "linear/linear.h"
#include "model/layout.h"
#include "simulate/forces/forces.h"
#include "simulate/record/record_tables.h"
#include "simulate/system/closure.h"

enum { LOOKS = 12 };

static const double two_pi = 6.283185307179586;

typedef struct changes {
    lb_system *s;
    const lb_operating_point *point;
    int n;             // independent coordinates but those that are commanded
    int *rest;         // which of all
    double *A;         // of the motion at its beginning
    double *other, *D; // somewhere else, and its difference
    lb_spectrum spectrum;
    double complex *V, *W, *row; // of the spectrum, as rows; scratch
    double *size, *own, *coupling;
    double *v;     // speeds, also those of driven hinges where a configuration at rest is meant
    bool timed;    // time itself may change a force, or what a loop follows
    bool stiffens; // and that a force which depends on the state
} changes;

// Whether time itself changes what an element does to small deviations: a function that reads the state as well, or
// one that repeats itself. A load that only comes and goes starts a motion; what callers compute is not known.
static bool depends_on_time(const lb_force *force)
{
    bool depends = force->type == LB_FORCE_CALLBACK;
    for (int j = 0; j < force->function_count; ++j) {
        const lb_function *function = &force->functions[j];
        depends = depends || lb_repeats_itself(function) ||
                  (force->reads_state && lb_varies_in_time(function));
    }
    return force->enabled && depends;
}

static bool has_functions_of_time(const changes *c, bool *stiffens)
{
    const lb_system *s = c->s;
    bool any = c->point->commanded_count > 0;
    *stiffens = false;
    for (int i = 0; i < s->force_count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        const bool depends = depends_on_time(force);
        any = any || depends;
        *stiffens = *stiffens || (depends && force->reads_state);
    }
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        any = any || (drive->turns && lb_repeats_itself(&drive->turn));
        for (int j = 0; j < drive->shift_count; ++j) {
            any = any || lb_repeats_itself(&drive->shift[j]);
        }
    }
    return any;
}

// What controllers command moves as they say: the rest deviates.
static lb_status leave_out_commanded(const changes *c, const lb_tangent *all, lb_arena *arena,
                                     lb_tangent *rest)
{
    const int whole = c->point->freedom.free_count, n = c->n;
    if (n == whole) {
        *rest = *all;
        return LB_OK;
    }
    const double *from[] = {all->M, all->C, all->K, all->N, all->K_error, all->C_error};
    const lb_status status = lb_take_tangent(arena, n, rest);
    double *to[] = {rest->M, rest->C, rest->K, rest->N, rest->K_error, rest->C_error};
    for (int which = 0; status >= 0 && which < 6; ++which) {
        for (int i = 0; i < n * n; ++i) {
            to[which][i] = from[which][c->rest[i / n] * whole + c->rest[i % n]];
        }
    }
    return status;
}

// A at a point.
//
// @param zeros  out: how many of its eigenvalues are zero; or NULL
static lb_status form_equations(changes *c, const lb_operating_point *at, lb_arena *arena,
                                double *A, int *zeros)
{
    lb_tangent whole, all, part;
    lb_spectrum spectrum;
    lb_status status = lb_take_tangent(arena, c->s->v_count, &whole);
    status = status < 0 ? status
             : zeros    ? lb_compute_tangent(c->s, at, &whole)
                        : lb_compute_plain_tangent(c->s, at, &whole);
    status = status < 0 ? status : lb_reduce(at, c->s->v_count, &whole, arena, &all);
    status = status < 0 ? status : leave_out_commanded(c, &all, arena, &part);
    status = status < 0 ? status
                        : lb_form_system_matrix(c->n, part.M, part.C, part.K, part.N, 0, NULL,
                                                arena, A, NULL);
    if (status >= 0 && zeros) {
        status = lb_compute_spectrum(c->n, &part, A, arena, &spectrum);
        *zeros = status < 0 ? 0 : spectrum.zero_count;
    }
    return status;
}

// A along the motion; it may be that loops do not follow so far.
static lb_status find_equations(changes *c, double time, bool free, int only, double *A, int *zeros)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point ahead;
    lb_status status = lb_look_ahead(c->s, c->point, time, free, only, &arena, &ahead);
    status = status < 0 ? status : form_equations(c, &ahead, &arena, A, zeros);
    lb_arena_free(&arena);
    return status;
}

static double complex get_entry(const lb_spectrum *s, const double *vectors, int state, int i)
{
    const double *row = vectors + state * s->count;
    return s->imaginary[i] > 0.0   ? row[i] + I * row[i + 1]
           : s->imaginary[i] < 0.0 ? row[i - 1] - I * row[i]
                                   : row[i];
}

// Eigenvectors as rows: the right ones, then the left ones.
static void spread_vectors(changes *c)
{
    const lb_spectrum *s = &c->spectrum;
    const int count = s->count;
    for (int i = s->zero_count; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            c->V[i * count + k] = get_entry(s, s->right, k, i);
            c->W[i * count + k] = conj(get_entry(s, s->left, k, i));
        }
    }
}

// w_i' X, and with |X| and |w_i|.
static void apply_left(const changes *c, int i, const double *X, double complex *row, double *size)
{
    const int count = c->spectrum.count;
    memset(row, 0, (size_t)count * sizeof *row);
    memset(size, 0, (size_t)count * sizeof *size);
    for (int k = 0; k < count; ++k) {
        const double complex w = c->W[i * count + k];
        for (int l = 0; l < count && w != 0.0; ++l) {
            row[l] += w * X[k * count + l];
            size[l] += cabs(w) * fabs(c->A[k * count + l]);
        }
    }
}

// What a change of A does to modes and between them, over what may be: above 1 it matters (STB-4)
//
//     e_ij = w_i^H D v_j,   |w_i^H v_i| = 1:
//     sqrt(|e_ij e_ji|) / max(|Re s_i + Re s_j| / 2, 1e-4 min(|s_i|, |s_j|))
//
// within a period of the slower of the two: what changes more slowly than they swing leaves them as they are
static double weigh(changes *c, double time)
{
    const lb_spectrum *s = &c->spectrum;
    const int count = s->count;
    double worst = 0.0;
    for (int i = 0; i < count * count; ++i) {
        c->D[i] = c->other[i] - c->A[i];
    }
    for (int i = s->zero_count; i < count; ++i) {
        apply_left(c, i, c->D, c->row, c->size);
        for (int j = s->zero_count; j < count; ++j) {
            double complex e = 0.0, own = 0.0;
            double noise = 0.0;
            for (int l = 0; l < count; ++l) {
                e += c->row[l] * c->V[j * count + l];
                own += i == j ? c->W[i * count + l] * c->V[i * count + l] : 0.0;
                noise += c->size[l] * cabs(c->V[j * count + l]);
            }
            c->coupling[i * count + j] = cabs(e) > 1e-9 * noise ? cabs(e) : 0.0;
            c->own[i] = i == j ? cabs(own) : c->own[i];
        }
    }
    for (int i = s->zero_count; i < count; ++i) {
        for (int j = s->zero_count; j <= i; ++j) {
            const double slower =
                fmin(hypot(s->real[i], s->imaginary[i]), hypot(s->real[j], s->imaginary[j]));
            const double size = sqrt(c->coupling[i * count + j] * c->coupling[j * count + i]);
            const double least = fmax(0.5 * fabs(s->real[i] + s->real[j]), 1e-4 * slower) *
                                 sqrt(c->own[i] * c->own[j]);
            if (time * slower <= 1.0001 * two_pi && size > 0.0) {
                worst = fmax(worst, least > 0.0 ? size / least : INFINITY);
            }
        }
    }
    return worst;
}

static lb_status look(changes *c, double time, bool free, int only, double *worst)
{
    // a steady motion comes back to its equations, but for time
    const bool moves = free && !c->point->steady;
    const lb_status status = find_equations(c, time, moves, only, c->other, NULL);
    // where the motion does not go on, nothing is known
    *worst = status < 0 ? 0.0 : weigh(c, time);
    return status == LB_E_MEMORY ? status : LB_OK;
}

// Whether a motion of the model or a controller leads a hinge.
static bool is_led(const changes *c, int body)
{
    return c->point->held[body] == LB_HELD_MOVING || c->point->is_commanded[body];
}

// The fastest of what turns, also where a configuration at rest is meant; and whether anything moves, or a driven
// hinge is about to.
static lb_status find_fastest(changes *c, double *fastest, bool *moves)
{
    const lb_model *model = c->s->model;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point now;
    const lb_status status = lb_look_ahead(c->s, c->point, 0.0, false, -1, &arena, &now);
    *fastest = 0.0;
    *moves = false;
    if (status < 0) {
        lb_arena_free(&arena);
        return status;
    }
    memcpy(c->v, now.v, (size_t)c->s->v_count * sizeof *c->v);
    for (int k = 0; k < c->s->body_count; ++k) {
        const int hinge = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        for (int i = 0; i < lb_get_hinge(model, k).v_count; ++i) {
            const bool averaged = c->point->averaged && c->point->averaged[k];
            const double rate = averaged ? 0.0 : fabs(c->v[hinge + i]);
            const bool driven = is_led(c, k);
            *moves = *moves || rate > 0.0 || (driven && now.a[hinge + i] != 0.0);
            *fastest = lb_is_turn(lb_get_hinge(model, k).type, i) ? fmax(*fastest, rate) : *fastest;
        }
    }
    lb_arena_free(&arena);
    return LB_OK;
}

// The coordinate that alone changes most; of those that are driven together the fastest.
static lb_status name_change(changes *c, double time, lb_arena *arena, const char **what)
{
    const lb_model *model = c->s->model;
    char name[LB_COLUMN_SIZE + 32] = "time";
    double most = 0.0, speed = -1.0;
    for (int i = c->s->force_count; c->timed && i-- > 0;) {
        const lb_force *force = &c->s->forces->forces[i];
        if (depends_on_time(force) && force->type != LB_FORCE_MOTION) {
            snprintf(name, sizeof name, "%.120s, a function of time", force->name);
        }
    }
    // with loops nothing moves by itself: the fastest
    const bool loops = c->s->closure != NULL;
    lb_status status = loops ? LB_OK : look(c, time, false, -1, &most);
    for (int k = 0; k < c->s->body_count && status >= 0; ++k) {
        const int hinge = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        const bool driven = is_led(c, k);
        double own = 0.0, rate = 0.0;
        int fastest = hinge;
        for (int i = 0; i < lb_get_hinge(model, k).v_count; ++i) {
            if (fabs(c->v[hinge + i]) > rate) {
                rate = fabs(c->v[hinge + i]);
                fastest = hinge + i;
            }
        }
        if ((driven || loops) && rate > speed) {
            speed = rate;
            lb_name_coordinate(model, fastest, false, name);
        } else if (!driven && !loops && rate > 0.0 &&
                   !(c->point->averaged && c->point->averaged[k])) {
            status = look(c, time, true, k, &own);
            if (own > most) {
                most = own;
                speed = INFINITY;
                lb_name_coordinate(model, fastest, false, name);
            }
        }
    }
    *what = lb_arena_text(arena, name);
    return status < 0 ? status : *what ? LB_OK : LB_E_MEMORY;
}

// Whether forces that depend on time and the state resist somewhere else what moves without resistance.
static lb_status compare_zeros(changes *c, double time, double *worst)
{
    int zeros = 0;
    const lb_status status = find_equations(c, time, false, -1, c->other, &zeros);
    *worst = status >= 0 && zeros < c->spectrum.zero_count ? INFINITY : 0.0;
    return status == LB_E_MEMORY ? status : LB_OK;
}

// The instants that are looked at: from a tenth of a turn of what turns fastest to a period of the slowest mode. Of
// a function of time nobody knows how fast it is: from a tenth of a period of the fastest mode; and where there is no
// mode, from a millisecond to a thousand seconds.
static void find_range(const changes *c, double fastest, double *first, double *last)
{
    double slow = INFINITY, fast = 0.0;
    for (int i = c->spectrum.zero_count; i < c->spectrum.count; ++i) {
        const double size = hypot(c->spectrum.real[i], c->spectrum.imaginary[i]);
        slow = size > 0.0 ? fmin(slow, size) : slow;
        fast = fmax(fast, size);
    }
    if (isinf(slow)) {
        *first = 1e-3;
        *last = 1e3;
        return;
    }
    fastest = c->timed ? fmax(fastest, fast) : fastest;
    *last = two_pi / slow;
    *first = 0.1 * (fastest > 0.0 ? fmin(*last, two_pi / fastest) : *last);
}

// ---- bodies free in space, and on ball joints ----------------------------------------------------

static bool flies(const changes *c, int body)
{
    return lb_is_carried(c->s, c->point, body) && !c->point->held[body];
}

// How many speeds of a hinge go as they do, because their directions turn with the body.
static int count_turning(const changes *c, int body)
{
    const bool is_ball = lb_get_hinge(c->s->model, body).type == LB_HINGE_SPHERICAL;
    return flies(c, body) ? 6 : is_ball && !c->point->held[body] ? 3 : 0;
}

// How fast such speeds change their directions, or turn their bodies; and the entry of the fastest.
static double find_flight_rate(const changes *c, int *fastest)
{
    const lb_system *s = c->s;
    double rate = 0.0;
    for (int k = 0; k < s->body_count; ++k) {
        const int turning = count_turning(c, k);
        if (turning == 0) {
            continue;
        }
        const int at = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        const double *v = c->point->v + at, *a = c->point->a + at;
        const bool moves = turning == 6;
        const lb_vec3 w = lb_vec3_from(v), u = moves ? lb_vec3_from(v + 3) : (lb_vec3){0, 0, 0};
        const double turn = lb_vec3_norm(w), speed = lb_vec3_norm(u);
        const lb_vec3 outside = moves ? lb_vec3_add(lb_vec3_from(a + 3), lb_vec3_cross(w, u)) : u;
        const double own[] = {turn, turn > 0.0 ? lb_vec3_norm(lb_vec3_from(a)) / turn : 0.0,
                              speed > 0.0 ? lb_vec3_norm(outside) / speed : 0.0};
        for (int i = 0; i < 3; ++i) {
            if (own[i] > rate) {
                rate = own[i];
                *fastest = at;
            }
        }
        for (int i = 1; i < 3 && *fastest >= at; ++i) {
            *fastest = fabs(v[i]) > fabs(v[*fastest - at]) ? at + i : *fastest;
        }
    }
    return rate;
}

// Rates of q and v where these speeds go as they do, the others at constant speeds.
static lb_status find_flight(changes *c, double t, const double *y, double *rate)
{
    const lb_system *s = c->s;
    const int q_count = s->q_count;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point at;
    const lb_status status = lb_place_point(c->s, c->point, t, y, y + q_count, &arena, &at);
    if (status >= 0) {
        lb_compute_configuration_rate(s->model, y, y + q_count, rate);
        memset(rate + q_count, 0, (size_t)s->v_count * sizeof *rate);
        for (int k = 0; k < s->body_count; ++k) {
            const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
            const int turning = count_turning(c, k);
            if (turning > 0) {
                memcpy(rate + q_count + hinge, at.a + hinge, (size_t)turning * sizeof *rate);
            } else if (c->point->averaged && c->point->averaged[k]) {
                rate[lb_get_q_offset(s->model, k) + lb_get_mode_count(s->model, k)] = 0.0;
            }
        }
    }
    lb_arena_free(&arena);
    return status;
}

// Deviations of the paths of bodies that are free in space, and of their speeds: no others depend on these, but for
// gravity across a body, and an orbit has chains of them that any change takes apart. They are left out of A.
static void leave_out_paths(const changes *c, double *A)
{
    const lb_operating_point *at = c->point;
    const int count = 2 * c->n;
    for (int i = 0; i < c->n; ++i) {
        const int entry = at->coordinates[at->freedom.free[i]];
        const int body = lb_find_owner(c->s->model, entry);
        const int own =
            entry - lb_get_v_offset(c->s->model, body) - lb_get_mode_count(c->s->model, body);
        for (int k = 0; flies(c, body) && own >= 3 && k < count; ++k) {
            A[i * count + k] = A[(c->n + i) * count + k] = 0.0;
            A[k * count + i] = A[k * count + c->n + i] = 0.0;
        }
    }
}

// Eigenvalues and vectors of what is left, in units of the inertias, those that are zero first.
static lb_status solve_attitude(changes *c, const lb_tangent *frozen, lb_arena *arena)
{
    const int count = 2 * c->n, n = c->n;
    const size_t size = (size_t)count * (size_t)count;
    lb_spectrum *s = &c->spectrum;
    double *S = lb_take_numbers(arena, 3 * size + 4 * (size_t)count + 1);
    if (!S) {
        return LB_E_MEMORY;
    }
    double *left = S + size, *right = left + size, *x = right + size, *y = x + count,
           *d = y + count;
    double fastest = 0.0;
    for (int i = 0; i < count; ++i) {
        d[i] = 1.0 / sqrt(frozen->M[i % n * (n + 1)]);
    }
    for (int i = 0; i < count * count; ++i) {
        S[i] = c->A[i] * d[i % count] / d[i / count];
    }
    const int info = LB_LAPACK(dgeev, LAPACK_ROW_MAJOR, 'V', 'V', count, S, count, x, y, left,
                               count, right, count);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < count; ++i) {
        fastest = fmax(fastest, hypot(x[i], y[i]));
    }
    int at = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            // 1e-6: what round-off makes of two that are equal
            if ((hypot(x[i], y[i]) > 1e-6 * fastest) != pass) {
                continue;
            }
            s->real[at] = x[i];
            s->imaginary[at] = y[i];
            for (int k = 0; k < count; ++k) {
                s->right[k * count + at] = d[k] * right[k * count + i];
                s->left[k * count + at] = left[k * count + i] / d[k];
            }
            ++at;
        }
        s->zero_count = pass == 0 ? at : s->zero_count;
    }
    spread_vectors(c);
    return LB_OK;
}

// A body that tumbles, or an orbit that is no circle, by the rule of Runge and Kutta: up to 480 steps of a twentieth of a
// radian.
static lb_status compare_flight(changes *c, const lb_tangent *frozen, lb_arena *arena,
                                double *worst, int *entry)
{
    enum { STEPS = 480, STAGES = 4 };
    static const double nodes[STAGES] = {0.0, 0.5, 0.5, 1.0},
                        weights[STAGES] = {1.0, 2.0, 2.0, 1.0};
    const lb_system *s = c->s;
    const int count = s->q_count + s->v_count;
    double *y = lb_take_numbers(arena, 4 * (size_t)count + 1);
    if (!y) {
        return LB_E_MEMORY;
    }
    double *x = y + count, *sum = x + count, *k = sum + count, first, last;
    leave_out_paths(c, c->A);
    const lb_status solved = solve_attitude(c, frozen, arena);
    if (solved < 0 || c->spectrum.zero_count == c->spectrum.count) {
        return solved;
    }
    find_range(c, 0.0, &first, &last);
    const double h = fmin(0.05 / find_flight_rate(c, entry), last / LOOKS);
    memcpy(y, c->point->q, (size_t)s->q_count * sizeof *y);
    memcpy(y + s->q_count, c->point->v, (size_t)s->v_count * sizeof *y);
    for (int step = 1; step <= STEPS && (step - 1) * h < last && !(*worst > 1.0); ++step) {
        const double t = c->point->t + (step - 1) * h;
        memset(sum, 0, (size_t)count * sizeof *sum);
        for (int i = 0; i < STAGES; ++i) {
            memcpy(x, y, (size_t)count * sizeof *x);
            lb_add_scaled(count, nodes[i] * h, k, x);
            const lb_status status = find_flight(c, t + nodes[i] * h, x, k);
            if (status < 0) {
                return status == LB_E_MEMORY ? status : LB_OK;
            }
            lb_add_scaled(count, weights[i] / 6.0 * h, k, sum);
        }
        lb_add_scaled(count, 1.0, sum, y);
        if (step % (STEPS / (2 * LOOKS)) == 0) {
            lb_arena own = lb_make_arena(NULL);
            lb_operating_point at;
            lb_status status = lb_place_point(c->s, c->point, t + h, y, y + s->q_count, &own, &at);
            status = status < 0 ? status : form_equations(c, &at, &own, c->other, NULL);
            leave_out_paths(c, c->other);
            *worst = status < 0 ? *worst : fmax(*worst, weigh(c, step * h));
            lb_arena_free(&own);
            if (status < 0) {
                return status == LB_E_MEMORY ? status : LB_OK;
            }
        }
    }
    return LB_OK;
}

static lb_status compare(changes *c, const lb_tangent *frozen, lb_arena *arena, lb_arena *result,
                         const char **what)
{
    double fastest = 0.0, first, last, worst = 0.0, worst_time = 0.0;
    bool moves;
    c->timed = has_functions_of_time(c, &c->stiffens);
    lb_status status = c->point->steady ? LB_OK : find_fastest(c, &fastest, &moves);
    if (status < 0 || (!c->timed && (c->point->steady || !moves))) {
        return status;
    }
    status = lb_form_system_matrix(c->n, frozen->M, frozen->C, frozen->K, frozen->N, 0, NULL, arena,
                                   c->A, NULL);
    status = status < 0 ? status : lb_compute_spectrum(c->n, frozen, c->A, arena, &c->spectrum);
    if (status < 0) {
        return status;
    }
    spread_vectors(c);
    find_range(c, fastest, &first, &last);
    // round-off of what was cleared is none of the motion's, nor is what a configuration at rest leaves out
    status = find_equations(c, 0.0, false, -1, c->A, NULL);
    const bool rigid = c->spectrum.zero_count == c->spectrum.count;
    if (status < 0 || (rigid && !c->stiffens)) {
        return status;
    }
    const int most = c->n <= 50 ? LOOKS : LOOKS / 3;
    // a few for each ten times that they are apart
    const int looks = (int)fmax(most, ceil(0.25 * most * log10(last / first)));
    for (int i = 0; i < looks && status >= 0 && !(worst > 1.0); ++i) {
        const double time = first * pow(last / first, (double)i / (looks - 1));
        double size;
        status = look(c, time, true, -1, &size);
        if (status >= 0 && !(size > 1.0) && c->stiffens && c->spectrum.zero_count > 0) {
            status = compare_zeros(c, time, &size);
        }
        if (size > worst) {
            worst = size;
            worst_time = time;
        }
    }
    if (status >= 0 && worst > 1.0) {
        return name_change(c, worst_time, result, what);
    }
    int entry = 0;
    const bool follows = !c->point->steady && !c->point->controlled && !c->s->closure &&
                         c->n <= 50 && !rigid && find_flight_rate(c, &entry) > 0.0;
    status = status < 0 || !follows ? status : compare_flight(c, frozen, arena, &worst, &entry);
    if (status >= 0 && worst > 1.0) {
        char name[LB_COLUMN_SIZE];
        lb_name_coordinate(c->s->model, entry, false, name);
        *what = lb_arena_text(result, name);
        status = *what ? LB_OK : LB_E_MEMORY;
    }
    return status;
}

// The motion ahead of a point with what controllers command, and the coordinates that are left.
static lb_status take_commands(changes *c, const lb_simulation *sim, lb_operating_point *point,
                               lb_arena *arena)
{
    const lb_status status = lb_find_commanded(sim, arena, point);
    c->rest = lb_arena_take(arena, (size_t)point->freedom.free_count, sizeof *c->rest);
    for (int i = 0; status >= 0 && c->rest && i < point->freedom.free_count; ++i) {
        const int entry = point->coordinates[point->freedom.free[i]];
        bool commanded = false;
        for (int k = 0; k < point->commanded_count; ++k) {
            commanded = commanded || point->commanded[k].v == entry;
        }
        c->rest[c->n] = i;
        c->n += commanded ? 0 : 1;
    }
    return c->rest ? status : LB_E_MEMORY;
}

lb_status lb_find_change(lb_simulation *sim, const lb_operating_point *from,
                         const lb_tangent *frozen, lb_arena *result, const char **what)
{
    lb_system *s = &sim->system;
    lb_arena arena = lb_make_arena(NULL);
    lb_operating_point point = *from;
    lb_tangent rest;
    changes c = {.s = s, .point = &point};
    *what = "";
    lb_status status = take_commands(&c, sim, &point, &arena);
    const size_t n = (size_t)c.n;
    status = status < 0 ? status : leave_out_commanded(&c, frozen, &arena, &rest);
    c.A = lb_take_numbers(&arena, 16 * n * n + 4 * n + 1);
    c.V = lb_arena_take(&arena, 8 * n * n + 2 * n + 1, sizeof *c.V);
    c.v = lb_take_numbers(&arena, (size_t)s->v_count + 1);
    status = c.A && c.V && c.v ? status : LB_E_MEMORY;
    c.other = c.A + 4 * n * n;
    c.D = c.other + 4 * n * n;
    c.coupling = c.D + 4 * n * n;
    c.size = c.coupling + 4 * n * n;
    c.own = c.size + 2 * n;
    c.W = c.V + 4 * n * n;
    c.row = c.W + 4 * n * n;
    if (status >= 0 && n > 0) {
        status = compare(&c, &rest, &arena, result, what);
        if (s->closure && status >= 0) {
            status = lb_set_loop_motions(s, point.t);
        }
    }
    lb_arena_free(&arena);
    return status == LB_E_MEMORY ? status : LB_OK;
}
