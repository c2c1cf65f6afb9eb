// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the guide reads off linear models of examples/satellite.yaml, found on other roads: natural frequencies and responses by the
// dynamic stiffness, margins by a discretisation of the test's own.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "limber/linear.h"
#include "loose_satellite.h"
#include "model/model_parts.h"

static const double pi = 3.14159265358979323846;

// ---- responses -------------------------------------------------------------------------------------

// Mass, damping and stiffness of small motions about rest, of the speeds that move: those of the hinges of the arrays do
// not. `mass` has all rows, so that what the held ones carry can be read off.
enum { MOVING = LEFT + 2 * MODES };

typedef struct small_motion {
    int moving[MOVING];
    double mass[SPEEDS * SPEEDS], damping[SPEEDS * SPEEDS], stiffness[SPEEDS * SPEEDS];
} small_motion;

static void find_small_motion(small_motion *s)
{
    lb_loose_satellite l = lb_begin_loose_satellite();
    double q[SPEEDS + 3] = {0};
    memset(s, 0, sizeof *s);
    q[0] = q[12 + MODES] = q[12 + MODES + 7 + MODES] = 1.0;
    lb_expect_ok(lb_compute_mass_matrix(l.model, l.work, q, s->mass));
    int count = 0;
    for (int i = 0; i < SPEEDS; ++i) {
        if (i < LEFT || (i - LEFT) % ARRAY < MODES) {
            s->moving[count++] = i;
        }
    }
    assert_int_equal(count, MOVING);
    for (int i = 0; i < 2; ++i) {
        // springs and dampers of the propellant
        s->stiffness[(SLOSH + i) * SPEEDS + SLOSH + i] = 4.0;
        s->damping[(SLOSH + i) * SPEEDS + SLOSH + i] = 0.1;
        double K[MODES * MODES], D[MODES * MODES];
        const int first = LEFT + i * ARRAY;
        lb_get_modal_matrices(l.model, lb_find_body(l.model, i ? "right array" : "left array"), K,
                              D);
        for (int j = 0; j < MODES * MODES; ++j) {
            const int at = (first + j / MODES) * SPEEDS + first + j % MODES;
            s->stiffness[at] = K[j];
            s->damping[at] = D[j];
        }
    }
    lb_end_loose_satellite(&l);
}

// Solves A X = B for complex matrices, n x n and n x m, by elimination with pivots. Both are overwritten; X is in B.
static void solve(int n, int m, double complex *A, double complex *B)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = cabs(A[i * n + k]) > cabs(A[pivot * n + k]) ? i : pivot;
        }
        for (int j = 0; j < n; ++j) {
            const double complex x = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = x;
        }
        for (int j = 0; j < m; ++j) {
            const double complex x = B[k * m + j];
            B[k * m + j] = B[pivot * m + j];
            B[pivot * m + j] = x;
        }
        for (int i = 0; i < n; ++i) {
            const double complex f = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (int j = k; f != 0 && j < n; ++j) {
                A[i * n + j] -= f * A[k * n + j];
            }
            for (int j = 0; f != 0 && j < m; ++j) {
                B[i * m + j] -= f * B[k * m + j];
            }
        }
    }
    for (int i = 0; i < n * m; ++i) {
        B[i] /= A[i / m * (n + 1)];
    }
}

static void form_stiffness(const small_motion *s, double complex p,
                           double complex Z[MOVING * MOVING])
{
    for (int i = 0; i < MOVING * MOVING; ++i) {
        const int at = s->moving[i / MOVING] * SPEEDS + s->moving[i % MOVING];
        Z[i] = s->stiffness[at] + p * p * s->mass[at] + p * s->damping[at];
    }
}

// Turn of the bus about x, and moment about y at the root of the left array, for a torque exp(p t) at wheel x.
static void respond(const small_motion *s, double complex p, double complex out[2])
{
    double complex Z[MOVING * MOVING], X[MOVING] = {0};
    form_stiffness(s, p, Z);
    X[WHEEL] = 1.0;
    solve(MOVING, 1, Z, X);
    out[0] = X[0];
    out[1] = 0;
    for (int i = 0; i < MOVING; ++i) {
        out[1] += p * p * s->mass[(LEFT + MODES + 1) * SPEEDS + s->moving[i]] * X[i];
    }
}

// The root of det Z next to a first guess, by the secant rule for 1 / (deflection of a mode for a force on it).
static double complex find_pole(const small_motion *s, double complex p)
{
    double complex before = p * 1.001, f_before = 0;
    for (int k = 0; k < 20; ++k) {
        const double complex at = k == 0 ? before : p;
        double complex Z[MOVING * MOVING], X[MOVING] = {0};
        form_stiffness(s, at, Z);
        X[LEFT] = 1.0;
        solve(MOVING, 1, Z, X);
        const double complex f = 1 / X[LEFT];
        if (k > 0) {
            // at the root both are the same
            const double complex step = f == f_before ? 0 : f * (p - before) / (f - f_before);
            before = p;
            p -= step;
        }
        f_before = f;
    }
    return p;
}

static void arrays_swing_at_a_root_of_the_dynamic_stiffness(void **state)
{
    (void)state;
    static small_motion s;
    find_small_motion(&s);
    const double frequency = cabs(find_pole(&s, I * 2 * pi * 1.01)) / (2 * pi);
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    double found = 0;
    for (int i = 0; i < modes->mode_count && found < 0.5; ++i) {
        found = modes->kinds[i] == LB_MODE_OSCILLATION ? modes->frequencies[i] : 0;
    }
    // 1e-9: a pair of nearly equal roots, 0.16 Hz, is among them and the eigenvalues are of all
    lb_expect_near("frequency", found, frequency, 1e-9);
    // the number of examples/satellite.c
    lb_expect_near("frequency", 1.009585, frequency, 5e-7);
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

static void responses_are_those_of_the_dynamic_stiffness(void **state)
{
    (void)state;
    // the table of the guide: frequency, magnitude and phase of the turn, of the moment
    static const double guide[5][5] = {{0.1, 0.00207548, 0.0087, 0.2829187, 0.0081},
                                       {0.3162278, 0.000197915, 0.0252, 0.2959464, 0.0055},
                                       {1, 4.953126e-07, 138.1224, 0.4188492, -0.4278},
                                       {3.162278, 7.591158e-06, 0.5432, 0.05019656, -175.0273},
                                       {10, 7.635781e-07, 0.2558, 0.02291215, -175.7556}};
    double frequencies[5], response[5 * 4];
    static small_motion s;
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.inputs = (const char *const[]){"'wheel x'.motor"};
    options.input_count = 1;
    options.outputs = (const char *const[]){"turn(bus).x", "root_bending"};
    options.output_count = 2;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    for (int i = 0; i < 5; ++i) {
        frequencies[i] = pow(10, -1 + 0.5 * i);
    }
    lb_expect_ok(lb_compute_response(linear, 5, frequencies, response));
    find_small_motion(&s);
    for (int i = 0; i < 5; ++i) {
        double complex own[2];
        respond(&s, I * 2 * pi * frequencies[i], own);
        for (int k = 0; k < 2; ++k) {
            const double complex found = response[4 * i + 2 * k] + I * response[4 * i + 2 * k + 1];
            // 1e-12: at 1 Hz the arrays all but hold the bus still, and two digits are lost
            lb_expect_below("response", cabs(found - own[k]) / cabs(own[k]), 1e-12);
            // seven digits in the guide, and four places of the phase
            lb_expect_near("magnitude", guide[i][1 + 2 * k], cabs(own[k]), 5e-7);
            lb_expect_below("phase", fabs(guide[i][2 + 2 * k] - carg(own[k]) * 180 / pi), 6e-5);
        }
    }
    // the largest that limber response finds, at a natural frequency
    double complex peak[2];
    const double frequency = cabs(find_pole(&s, I * 2 * pi * 1.7)) / (2 * pi);
    respond(&s, I * 2 * pi * frequency, peak);
    lb_expect_near("at", 1.701023, frequency, 5e-7);
    lb_expect_near("turn", 0.0008204015, cabs(peak[0]), 5e-7);
    lb_expect_near("moment", 14.39847, cabs(peak[1]), 5e-7);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- margins ---------------------------------------------------------------------------------------

// From sample to sample: x = (X, X'), then three torques that are held.
enum { STATES = 2 * MOVING, HELD = STATES + 3 };

typedef struct sampled {
    double A[STATES * STATES], B[STATES * 3];
} sampled;

static void multiply(int n, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            lb_add_vector(n, a[i * n + k], b + k * n, c + i * n);
        }
    }
}

// The exponential by its series for a 2^-14th of the period, squared 14 times.
static void discretise(const small_motion *s, double period, sampled *out)
{
    static double G[HELD * HELD], E[HELD * HELD], term[HELD * HELD], next[HELD * HELD];
    static double complex M[MOVING * MOVING], right[MOVING * HELD];
    for (int i = 0; i < MOVING; ++i) {
        for (int j = 0; j < MOVING; ++j) {
            const int at = s->moving[i] * SPEEDS + s->moving[j];
            M[i * MOVING + j] = s->mass[at];
            right[i * HELD + j] = -s->stiffness[at];
            right[i * HELD + MOVING + j] = -s->damping[at];
        }
        for (int j = 0; j < 3; ++j) {
            right[i * HELD + STATES + j] = i == WHEEL + j;
        }
        G[i * HELD + MOVING + i] = 1.0;
    }
    solve(MOVING, HELD, M, right);
    for (int i = 0; i < MOVING * HELD; ++i) {
        G[MOVING * HELD + i] = creal(right[i]);
    }
    for (int i = 0; i < HELD * HELD; ++i) {
        G[i] *= ldexp(period, -14);
        term[i] = E[i] = i % (HELD + 1) == 0;
    }
    for (int k = 1; k <= 12; ++k) {
        multiply(HELD, term, G, next);
        for (int i = 0; i < HELD * HELD; ++i) {
            term[i] = next[i] / k;
            E[i] += term[i];
        }
    }
    for (int k = 0; k < 14; ++k) {
        multiply(HELD, E, E, next);
        memcpy(E, next, sizeof E);
    }
    for (int i = 0; i < STATES; ++i) {
        memcpy(out->A + i * STATES, E + i * HELD, STATES * sizeof *E);
        memcpy(out->B + i * 3, E + i * HELD + STATES, 3 * sizeof *E);
    }
}

// What comes back at motor `cut`, with the sign changed: kp of half the angle, kd of the rate, and a motor turns the bus
// the other way.
static double complex find_loop(const sampled *s, int cut, double angle)
{
    static double complex Z[STATES * STATES];
    double complex x[STATES];
    for (int i = 0; i < STATES; ++i) {
        for (int j = 0; j < STATES; ++j) {
            Z[i * STATES + j] = -s->A[i * STATES + j];
        }
        for (int m = 0; m < 3; ++m) {
            if (m != cut) {
                Z[i * STATES + m] -= 40.0 * s->B[i * 3 + m];
                Z[i * STATES + MOVING + m] -= 300.0 * s->B[i * 3 + m];
            }
        }
        Z[i * STATES + i] += cexp(I * angle);
        x[i] = s->B[i * 3 + cut];
    }
    solve(STATES, 1, Z, x);
    return -(40.0 * x[cut] + 300.0 * x[MOVING + cut]);
}

typedef struct own_margins {
    double gain, gain_hz, phase, phase_hz, delay, delay_hz;
} own_margins;

// Where a function of the loop changes its sign between two angles.
static double bisect(const sampled *s, int cut, double low, double high, bool of_gain)
{
    double sign = 0;
    for (int i = 0; i < 60; ++i) {
        const double x = i == 0 ? low : 0.5 * (low + high);
        const double complex L = find_loop(s, cut, x);
        const double value = of_gain ? cabs(L) - 1 : cimag(L);
        if (i == 0) {
            sign = value;
        } else if (value * sign > 0) {
            low = x;
        } else {
            high = x;
        }
    }
    return 0.5 * (low + high);
}

// Crossings of a grid that is finer than any resonance is wide: 0.5 % damping at 1 Hz is 0.01 Hz.
static own_margins find_margins(const sampled *s, int cut, double period)
{
    enum { POINTS = 2500 };
    own_margins m = {INFINITY, 0, INFINITY, 0, INFINITY, 0};
    double before = 1e-3;
    double complex L = find_loop(s, cut, before);
    const double step = (pi - before) / POINTS;
    for (int i = 1; i <= POINTS; ++i) {
        const double angle = 1e-3 + i * step;
        const double complex now = find_loop(s, cut, angle);
        // at half the rate of the samples it is real
        if (i == POINTS || cimag(L) * cimag(now) < 0) {
            const double x = i == POINTS ? pi : bisect(s, cut, before, angle, false);
            const double g = -1 / creal(find_loop(s, cut, x));
            if (g > 1 && g < m.gain) {
                m.gain = g;
                m.gain_hz = x / (2 * pi * period);
            }
        }
        if ((cabs(L) - 1) * (cabs(now) - 1) < 0) {
            const double x = bisect(s, cut, before, angle, true);
            const double phase = carg(-find_loop(s, cut, x));
            const double late = (phase < 0 ? phase + 2 * pi : phase) / x * period;
            if (fabs(phase) < m.phase) {
                m.phase = fabs(phase);
                m.phase_hz = x / (2 * pi * period);
            }
            if (late < m.delay) {
                m.delay = late;
                m.delay_hz = x / (2 * pi * period);
            }
        }
        before = angle;
        L = now;
    }
    return m;
}

static void margins_are_those_of_an_own_discretisation(void **state)
{
    (void)state;
    // the table of the guide: factor, phase in degrees, delay
    static const double guide[3][3] = {
        {9.7784, 63.421, 0.12844}, {16.506, 77.83, 1.4123}, {77.573, 64.091, 3.929}};
    static small_motion s;
    static sampled z;
    lb_course course = lb_begin_example("satellite.yaml");
    const lb_linear_options options = lb_default_linear_options();
    lb_margins *m = NULL;
    lb_expect_ok(lb_compute_margins(course.simulation, &options, &m));
    assert_int_equal(m->feedback_count, 3);
    assert_true(m->stable);
    find_small_motion(&s);
    discretise(&s, 0.1, &z);
    for (int i = 0; i < 3; ++i) {
        const own_margins own = find_margins(&z, i, 0.1);
        print_message("%s: %.7g at %.5g Hz, %.7g rad at %.5g Hz, %.7g s at %.5g Hz\n",
                      m->feedbacks[i], own.gain, own.gain_hz, own.phase, own.phase_hz, own.delay,
                      own.delay_hz);
        // 1e-9: 14 squarings leave 1e-11, and the library differences the law
        lb_expect_near("gain", m->gain_up[i], own.gain, 1e-9);
        lb_expect_near("at", m->gain_up_frequency[i], own.gain_hz, 1e-9);
        lb_expect_near("phase", m->phase[i], own.phase, 1e-9);
        lb_expect_near("at", m->phase_frequency[i], own.phase_hz, 1e-9);
        lb_expect_near("delay", m->delay[i], own.delay, 1e-9);
        lb_expect_near("at", m->delay_frequency[i], own.delay_hz, 1e-9);
        // five digits in the guide
        lb_expect_near("gain", guide[i][0], own.gain, 5e-5);
        lb_expect_near("phase", guide[i][1], own.phase * 180 / pi, 5e-5);
        lb_expect_near("delay", guide[i][2], own.delay, 5e-5);
    }
    lb_destroy_margins(m);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_swing_at_a_root_of_the_dynamic_stiffness),
        cmocka_unit_test(responses_are_those_of_the_dynamic_stiffness),
        cmocka_unit_test(margins_are_those_of_an_own_discretisation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
