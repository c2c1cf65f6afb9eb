// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Margins of stability.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "closed_loop.h"

typedef lapack_complex_double number;

static const double pi = 3.14159265358979323846;

// The loop cut at an actuator: from what it is told to what its controller says, z = exp(i angle).
//
//     G(z) = c (z - A)^-1 b + d;   closed, the loop swings where G = 1
typedef struct cut_loop {
    int n;
    double *A, *b, *c, d;
    double *scale;     // of the states
    number *S, *x, *y; // scratch
    double error; // how far the last G is known, not less than round-off of A, b, c and d leaves
    int *pivots;
    double *angles; // where something may cross
    int angle_count;
    bool starved; // LAPACK had no memory
} cut_loop;

// ---- the transfer function -----------------------------------------------------------------------

// Takes state j out.
static void drop(cut_loop *l, int j)
{
    const int n = l->n;
    int to = 0;
    for (int i = 0; i < n * n; ++i) {
        if (i / n != j && i % n != j) {
            l->A[to++] = l->A[i];
        }
    }
    for (int i = j; i + 1 < n; ++i) {
        l->b[i] = l->b[i + 1];
        l->c[i] = l->c[i + 1];
    }
    --l->n;
}

// Whether a state neither acts on others nor is seen, or nothing acts on it.
static bool is_apart(const cut_loop *l, int j)
{
    bool unseen = l->c[j] == 0.0, untouched = l->b[j] == 0.0;
    for (int i = 0; i < l->n; ++i) {
        unseen = unseen && (i == j || l->A[i * l->n + j] == 0.0);
        untouched = untouched && (i == j || l->A[j * l->n + i] == 0.0);
    }
    return unseen || untouched;
}

static lb_status take_loop(lb_arena *arena, const lb_matrices *x, cut_loop *l)
{
    const size_t n = (size_t)x->n;
    *l = (cut_loop){.n = x->n,
                    .A = x->A,
                    .b = x->B,
                    .c = x->C,
                    .d = x->D[0],
                    .scale = lb_take_numbers(arena, n + 1),
                    .S = lb_arena_take(arena, n * n + 1, sizeof *l->S),
                    .x = lb_arena_take(arena, n + 1, sizeof *l->x),
                    .y = lb_arena_take(arena, n + 1, sizeof *l->y),
                    .pivots = lb_arena_take(arena, n + 1, sizeof *l->pivots),
                    .angles = lb_take_numbers(arena, 8 * n + 16)};
    if (!l->scale || !l->S || !l->x || !l->y || !l->pivots || !l->angles) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < l->n;) {
        if (is_apart(l, j)) {
            drop(l, j);
            j = 0;
        } else {
            ++j;
        }
    }
    // units that balance A; b and c go with them
    double *copy = lb_take_numbers(arena, n * n + 1);
    int low = 0, high = 0;
    if (!copy) {
        return LB_E_MEMORY;
    }
    memcpy(copy, l->A, (size_t)l->n * (size_t)l->n * sizeof *copy);
    if (l->n > 0 &&
        LB_LAPACK(dgebal, LAPACK_ROW_MAJOR, 'S', l->n, copy, l->n, &low, &high, l->scale) != 0) {
        return LB_E_MEMORY;
    }
    memcpy(l->A, copy, (size_t)l->n * (size_t)l->n * sizeof *copy);
    for (int i = 0; i < l->n; ++i) {
        l->b[i] /= l->scale[i];
        l->c[i] *= l->scale[i];
    }
    return LB_OK;
}

// G at an angle, and how far it is known; NaN at a pole                                  (STB-2)
//
//     x = (z - A)^-1 b,   y = (z - A)^-T c,   |dG| <= 256 eps (|y|'|A - 1||x| + |y|'|x| / 64 + |c||x| + |y||b| + |d|)
//
// A near 1 is known as what it is beside 1, as in (CLL-6), and by the last digit of that
static double complex evaluate(cut_loop *l, double angle)
{
    const int n = l->n;
    const double complex z = angle == pi ? -1.0 : cexp(I * angle);
    double norm = 0.0, rest = 0.0;
    l->error = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            l->S[i * n + j] = (i == j ? z : 0.0) - l->A[i * n + j];
            sum += cabs(l->S[i * n + j]);
        }
        norm = fmax(norm, sum);
        l->x[i] = l->b[i];
        l->y[i] = l->c[i];
    }
    if (n > 0) {
        int info = LB_LAPACK(zgetrf, LAPACK_ROW_MAJOR, n, n, l->S, n, l->pivots);
        info = info ? info : LB_LAPACK(zgecon, LAPACK_ROW_MAJOR, 'I', n, l->S, n, norm, &rest);
        const bool pole = info == 0 && !(rest > DBL_EPSILON);
        for (int side = 0; side < 2 && info == 0 && !pole; ++side) {
            info = LB_LAPACK(zgetrs, LAPACK_ROW_MAJOR, side ? 'T' : 'N', n, 1, l->S, n, l->pivots,
                             side ? l->y : l->x, 1);
        }
        if (info != 0 || pole) {
            l->starved = l->starved || lb_check_lapack(info, LB_OK) == LB_E_MEMORY;
            l->error = INFINITY;
            return NAN;
        }
    }
    double complex sum = l->d;
    double noise = fabs(l->d);
    for (int i = 0; i < n; ++i) {
        sum += l->c[i] * l->x[i];
        double row = cabs(l->x[i]) / 64.0;
        for (int j = 0; j < n; ++j) {
            row += fabs(l->A[i * n + j] - (i == j)) * cabs(l->x[j]);
        }
        noise += fabs(l->c[i]) * cabs(l->x[i]) + cabs(l->y[i]) * (row + fabs(l->b[i]));
    }
    l->error = 256.0 * DBL_EPSILON * noise;
    return sum;
}

// ---- where it crosses ----------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// All angles at which |G| = 1, or G is real, and some others                            (CLL-5)
//
//     z x = A x + b u,   y = z (A'y + c'w),   w = c x + d u,   u = b'y + d w    for |G| = 1
//     z x = A x + b u,   y = z (A'y + c'u),   c x = b'y                        for G real
//
// since conj(G) is G at 1/z where |z| = 1
static lb_status find_angles(cut_loop *l, bool unit, lb_arena *arena)
{
    const int n = l->n, more = unit ? 2 : 1, N = 2 * n + more;
    const size_t size = (size_t)N * (size_t)N;
    double *E = lb_take_numbers(arena, size), *F = lb_take_numbers(arena, size);
    double *real = lb_take_numbers(arena, 3 * (size_t)N), *imaginary = real + N;
    if (!E || !F || !real) {
        return LB_E_MEMORY;
    }
    double *below = imaginary + N;
    const int u = 2 * n, w = unit ? 2 * n + 1 : u;
    for (int i = 0; i < n; ++i) {
        E[i * N + i] = 1.0;
        memcpy(F + i * N, l->A + i * n, (size_t)n * sizeof *F);
        F[i * N + u] = l->b[i];
        for (int j = 0; j < n; ++j) {
            E[(n + i) * N + n + j] = l->A[j * n + i];
        }
        E[(n + i) * N + w] = l->c[i];
        F[(n + i) * N + n + i] = 1.0;
        F[u * N + i] = l->c[i];
        F[(unit ? w : u) * N + n + i] = unit ? l->b[i] : -l->b[i];
    }
    if (unit) {
        F[u * N + u] = l->d;
        F[u * N + w] = -1.0;
        F[w * N + u] = -1.0;
        F[w * N + w] = l->d;
    }
    l->angle_count = 0;
    const int info = LB_LAPACK(dggev, LAPACK_ROW_MAJOR, 'N', 'N', N, F, N, E, N, real, imaginary,
                               below, NULL, 1, NULL, 1);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < N; ++i) {
        const double size_z = hypot(real[i], imaginary[i]), angle = atan2(imaginary[i], real[i]);
        if (angle >= 0.0 && fabs(size_z - fabs(below[i])) <= 0.05 * fabs(below[i])) {
            l->angles[l->angle_count++] = below[i] < 0.0 ? pi - angle : angle;
        }
    }
    // poles, where an imaginary part may change its sign as well
    l->angles[l->angle_count++] = 0.0;
    l->angles[l->angle_count++] = pi;
    qsort(l->angles, (size_t)l->angle_count, sizeof *l->angles, compare);
    return LB_OK;
}

static double get_value(cut_loop *l, bool unit, double angle)
{
    const double complex G = evaluate(l, angle);
    return unit ? log(cabs(G)) : cimag(G);
}

// The same, NaN where round-off may have its sign: beside poles that the loop does not move, such as those of
// rigid motions that nothing acts on, or nobody sees.
static double get_sure_value(cut_loop *l, bool unit, double angle)
{
    const double value = get_value(l, unit, angle);
    const double error = unit ? l->error / exp(value) : l->error;
    return fabs(value) > error ? value : NAN;
}

// Halves the angles between which the sign changes, to the last digit.
static double bisect(cut_loop *l, bool unit, double low, double high, double at_low)
{
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high), value = get_value(l, unit, middle);
        if (!(middle > low && middle < high)) {
            break;
        }
        if ((value < 0.0) == (at_low < 0.0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

typedef struct margins {
    double gain_up, gain_up_angle, gain_down, gain_down_angle;
    double phase, phase_angle, delay, delay_angle; // delay in samples
} margins;

// A place where G is real. A gain that may change a millionfold has no margin: G is as large as that only beside the
// poles of what turns for hours, and the loop is as good as open where it is as small.
static void note_gain(double complex G, double angle, margins *m)
{
    const double factor = 1.0 / creal(G);
    if (!(factor >= 1e-6 && factor <= 1e6) || fabs(cimag(G)) > 1e-3 * creal(G)) {
        return;
    }
    if (factor >= 1.0 && factor < m->gain_up) {
        m->gain_up = factor;
        m->gain_up_angle = angle;
    }
    if (factor <= 1.0 && factor > m->gain_down) {
        m->gain_down = factor;
        m->gain_down_angle = angle;
    }
}

// A place where |G| = 1.
static void note_phase(double complex G, double angle, margins *m)
{
    const double phase = carg(G);
    if (!(fabs(cabs(G) - 1.0) < 1e-3)) {
        return; // a pole
    }
    const double delay = (phase > 0.0 ? phase : phase + 2.0 * pi) / angle;
    if (fabs(phase) < m->phase) {
        m->phase = fabs(phase);
        m->phase_angle = angle;
    }
    if (delay < m->delay) {
        m->delay = delay;
        m->delay_angle = angle;
    }
}

// Between two candidates next to each other nothing crosses: signs in the middles tell which do.
static void look(cut_loop *l, bool unit, margins *m)
{
    double before = NAN, at_before = 0.0;
    for (int i = 0; i + 1 < l->angle_count; ++i) {
        const double a = l->angles[i], b = l->angles[i + 1];
        const double middle = 0.5 * (a + b);
        if (!(b - a > 1e-13 * b)) {
            continue;
        }
        const double value = get_sure_value(l, unit, middle);
        if (isnan(value)) {
            continue;
        }
        if (!isnan(before) && (value < 0.0) != (at_before < 0.0)) {
            const double angle = bisect(l, unit, before, middle, at_before);
            const double complex G = evaluate(l, angle);
            (unit ? note_phase : note_gain)(G, angle, m);
        }
        before = middle;
        at_before = value;
    }
    for (int i = 0; i < 2 && !unit; ++i) {
        const double complex G = evaluate(l, i * pi);
        if (l->error <= 1e-3 * cabs(G)) {
            note_gain(G, i * pi, m);
        }
    }
}

// ---- all -----------------------------------------------------------------------------------------

static lb_status find_margins(lb_closed *k, int actuator, margins *m)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_closed own = *k;
    lb_matrices x;
    cut_loop l;
    own.arena = &arena;
    *m = (margins){.gain_up = INFINITY,
                   .gain_up_angle = NAN,
                   .gain_down_angle = NAN,
                   .phase = INFINITY,
                   .phase_angle = NAN,
                   .delay = INFINITY,
                   .delay_angle = NAN};
    lb_status status = lb_form_discrete(&own, actuator, &x);
    status = status < 0 ? status : take_loop(&arena, &x, &l);
    for (int unit = 0; unit < 2 && status >= 0; ++unit) {
        status = find_angles(&l, unit, &arena);
        if (status >= 0) {
            look(&l, unit, m);
            status = l.starved ? LB_E_MEMORY : status;
        }
    }
    lb_arena_free(&arena);
    return status;
}

static lb_status check_rates(const lb_closed *k)
{
    for (int i = 0; i < k->controller_count; ++i) {
        if (k->controllers[i].sample_count != 1) {
            return lb_say(
                &k->sim->system, LB_E_UNSUPPORTED,
                "linear: controller '%s' samples %d times in the common period of %.6g s: "
                "margins need one rate for all controllers, and sensors that are not "
                "slower; open the others",
                k->controllers[i].c->name, k->controllers[i].sample_count, k->period);
        }
    }
    return LB_OK;
}

static lb_status find_stability(lb_closed *k, lb_margins *out)
{
    lb_matrices x;
    lb_closed_spectrum spectrum;
    lb_status status = lb_form_discrete(k, -1, &x);
    status = status < 0 ? status : lb_compute_closed_spectrum(k, &x, k->period, &spectrum);
    out->stable = status >= 0 && !lb_find_growth(spectrum.count, spectrum.values, out->growth);
    return status;
}

static double get_frequency(const lb_closed *k, double angle)
{
    return angle / (2.0 * pi * k->period);
}

// What is closed, with one rate for all, whatever the model that is asked for.
static lb_status collect(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                         lb_feedbacks *feedbacks, lb_closed *k)
{
    lb_linear_options own = *options;
    own.control = LB_CONTROL_DISCRETE;
    own.input_count = own.output_count = 0;
    lb_status status = lb_choose_feedbacks(sim, &own, arena, feedbacks);
    if (status >= 0 && feedbacks->closed_count == 0) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "linear: there is no closed feedback");
    }
    status = status < 0 ? status : lb_collect_loop(sim, &own, feedbacks, arena, k);
    return status < 0 ? status : check_rates(k);
}

static lb_status fill(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                      lb_margins *out)
{
    lb_feedbacks feedbacks;
    lb_feedback_arrays arrays;
    lb_closed k = {.period = 0.0};
    lb_status status = collect(sim, options, arena, &feedbacks, &k);
    status = status < 0 ? status : find_stability(&k, out);
    status = status < 0 ? status : lb_spread_feedbacks(&k.feedbacks, arena, &arrays);
    const size_t count = (size_t)feedbacks.count;
    double *numbers = status < 0 ? NULL : lb_take_numbers(arena, 8 * count + 1);
    if (!numbers) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    for (size_t i = 0; i < 8 * count; ++i) {
        numbers[i] = NAN;
    }
    for (int i = 0; i < k.actuator_count && status >= 0; ++i) {
        margins m;
        double *at = numbers + k.actuators[i].feedback;
        if (k.actuators[i].gain == 0.0) {
            continue;
        }
        status = find_margins(&k, i, &m);
        const double found[8] = {m.gain_up,
                                 get_frequency(&k, m.gain_up_angle),
                                 m.gain_down,
                                 get_frequency(&k, m.gain_down_angle),
                                 m.phase,
                                 get_frequency(&k, m.phase_angle),
                                 m.delay * k.period,
                                 get_frequency(&k, m.delay_angle)};
        for (size_t j = 0; j < 8; ++j) {
            at[j * count] = found[j];
        }
    }
    if (status == LB_E_NUMBER) {
        return lb_say(&sim->system, status, "linear: the crossings of a loop do not converge");
    }
    out->changes = k.plant.changes;
    out->period = k.period;
    out->feedback_count = feedbacks.count;
    out->feedbacks = arrays.names;
    out->closed = arrays.closed;
    out->feedback_notes = arrays.notes;
    out->gain_up = numbers;
    out->gain_up_frequency = numbers + count;
    out->gain_down = numbers + 2 * count;
    out->gain_down_frequency = numbers + 3 * count;
    out->phase = numbers + 4 * count;
    out->phase_frequency = numbers + 5 * count;
    out->delay = numbers + 6 * count;
    out->delay_frequency = numbers + 7 * count;
    return status;
}

lb_status lb_compute_margins(lb_simulation *sim, const lb_linear_options *options, lb_margins **out)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_margins *record = lb_create_record(sizeof *record, &arena);
    lb_status status = record ? lb_complete_simulation(sim) : LB_E_MEMORY;
    status = status < 0 ? status : lb_take_linear_options(sim, options, &own);
    if (status >= 0) {
        record->size = sizeof *record;
        status = fill(sim, &own, arena, record);
    }
    *out = lb_leave_point(&sim->system, status, record);
    return status < 0 ? status : LB_OK;
}

void lb_destroy_margins(lb_margins *out)
{
    lb_destroy_record(out);
}

// ---- the loop over the frequency -----------------------------------------------------------------

// Number of the actuator behind "controller.actuator", with a message if it is not closed.
static lb_status find_actuator(lb_simulation *sim, const lb_closed *k,
                               const lb_feedback_arrays *arrays, const char *name, int *actuator)
{
    for (int i = 0; i < k->actuator_count; ++i) {
        const int feedback = k->actuators[i].feedback;
        if (strcmp(arrays->names[feedback], name) == 0 && arrays->closed[feedback] &&
            k->actuators[i].gain != 0.0) {
            *actuator = i;
            return LB_OK;
        }
    }
    return lb_say(&sim->system, LB_E_ARGUMENT,
                  "linear: no closed feedback '%s'; one is CONTROLLER.ACTUATOR", name);
}

static lb_status evaluate_loop(lb_simulation *sim, const lb_linear_options *options,
                               const char *feedback, int count, const double *frequencies,
                               lb_arena *arena, double *response)
{
    lb_feedbacks feedbacks;
    lb_feedback_arrays arrays;
    lb_closed k = {.period = 0.0};
    lb_matrices x;
    cut_loop l;
    int actuator = 0;
    lb_status status = collect(sim, options, arena, &feedbacks, &k);
    status = status < 0 ? status : lb_spread_feedbacks(&k.feedbacks, arena, &arrays);
    status = status < 0 ? status : find_actuator(sim, &k, &arrays, feedback, &actuator);
    status = status < 0 ? status : lb_form_discrete(&k, actuator, &x);
    status = status < 0 ? status : take_loop(arena, &x, &l);
    // G closes the loop with a plus sign, L with a minus sign
    for (int i = 0; i < count && status >= 0; ++i) {
        const double complex L = -evaluate(&l, 2.0 * pi * frequencies[i] * k.period);
        response[2 * i] = creal(L);
        response[2 * i + 1] = isnan(creal(L)) ? NAN : cimag(L);
    }
    return status >= 0 && l.starved ? LB_E_MEMORY : status;
}

lb_status lb_compute_loop_response(lb_simulation *sim, const lb_linear_options *options,
                                   const char *feedback, int count, const double *frequencies,
                                   double *response)
{
    lb_linear_options own;
    for (int i = 0; i < count; ++i) {
        if (!isfinite(frequencies[i])) {
            return LB_E_NUMBER;
        }
    }
    lb_status status = lb_complete_simulation(sim);
    status = status < 0 ? status : lb_take_linear_options(sim, options, &own);
    if (status < 0) {
        return status;
    }
    lb_arena arena = lb_make_arena(NULL);
    status = evaluate_loop(sim, &own, feedback, count, frequencies, &arena, response);
    (void)lb_leave_point(&sim->system, status, NULL);
    lb_arena_free(&arena);
    return status < 0 ? status : LB_OK;
}
