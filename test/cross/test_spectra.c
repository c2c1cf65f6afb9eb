// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Spectra of samples and random responses against closed forms and plain integration.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/spectra.h"
#include "loaded.h"

static const double pi = 3.14159265358979323846;

// ---- power spectral densities ------------------------------------------------------------------

static double add_up(long segment, double step, const double *psd)
{
    double sum = 0.0;
    for (long k = 0; k <= segment / 2; ++k) {
        sum += psd[k] / ((double)segment * step);
    }
    return sum;
}

static void a_density_adds_up_to_the_mean_square(void **state)
{
    (void)state;
    // lengths: a power of two, products of small primes, odd, prime
    static const long lengths[] = {256, 240, 225, 251, 2};
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    double values[1000], psd[501];
    for (int i = 0; i < 1000; ++i) {
        values[i] = 3.0 + lb_draw_uniform(&random, -1.0, 1.0);
    }
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        const long n = lengths[l];
        const double step = 0.01;
        // one segment without a window: Parseval's identity
        double mean = 0.0, square = 0.0;
        for (long i = 0; i < n; ++i) {
            mean += values[i] / (double)n;
        }
        for (long i = 0; i < n; ++i) {
            square += (values[i] - mean) * (values[i] - mean) / (double)n;
        }
        lb_expect_ok(lb_compute_psd(step, n, values, n, LB_WINDOW_NONE, psd));
        lb_expect_near("Parseval", add_up(n, step, psd), square, 1e-13);
        // the mean is gone
        lb_expect_below("mean", psd[0], 1e-25);
    }
    // several segments with a window: the mean of the windowed squares
    const long n = 240;
    double mean = 0.0, square = 0.0, W = 0.0;
    for (int i = 0; i < 1000; ++i) {
        mean += values[i] / 1000.0;
    }
    const int segments = (1000 - 240) / 120 + 1;
    for (long j = 0; j < n; ++j) {
        const double w = 0.5 - 0.5 * cos(2.0 * pi * (double)j / (double)n);
        W += w * w;
        for (int s = 0; s < segments; ++s) {
            const double x = w * (values[120 * s + j] - mean);
            square += x * x;
        }
    }
    lb_expect_ok(lb_compute_psd(0.01, 1000, values, n, LB_WINDOW_HANN, psd));
    lb_expect_near("windows", add_up(n, 0.01, psd), square / (segments * W), 1e-13);
}

static void the_density_of_a_sine_has_its_frequency_and_power(void **state)
{
    (void)state;
    enum { N = 300 };
    double values[5 * N], psd[N / 2 + 1];
    const double step = 0.002, f = 20.0 / (N * step);
    for (int i = 0; i < 5 * N; ++i) {
        values[i] = 7.0 * sin(2.0 * pi * f * step * i + 0.3);
    }
    lb_expect_ok(lb_compute_psd(step, 5 * N, values, N, LB_WINDOW_HANN, psd));
    // Hann's window spreads a line over three: 1/6, 2/3, 1/6 of the power
    const double power = 0.5 * 49.0 * N * step;
    const double expected[3] = {power / 6.0, power * 2.0 / 3.0, power / 6.0};
    lb_expect_close("line", psd + 19, expected, 3, 1e-12);
    lb_expect_below("beside", psd[25], 1e-25);
    lb_expect_near("power", add_up(N, step, psd), 24.5, 1e-12);
}

// ---- shock spectra -----------------------------------------------------------------------------

// A half sine of 1 over 11 ms, then nothing.
static double get_pulse(double t)
{
    return t > 0.0 && t < 0.011 ? sin(pi * t / 0.011) : 0.0;
}

// Largest and smallest acceleration of the mass, by the classical method of Runge and Kutta on the smooth
// pulse itself.
static void integrate_pulse(double f, double q, double end, double bounds[2])
{
    const double w = 2.0 * pi * f, zeta = 0.5 / q;
    // 0.011 s is a whole number of steps: the kinks are between them
    const int parts = 20 * (int)ceil(w * 0.011 / 0.5) + 40;
    const double h = 0.011 / parts;
    double z = 0.0, v = 0.0;
    bounds[0] = bounds[1] = 0.0;
    for (long i = 0; (double)i * h < end; ++i) {
        const double t = (double)i * h, half = 0.5 * h;
#define RATE(z, v, t) (-2.0 * zeta * w * (v)-w * w * (z)-get_pulse(t))
        const double k1 = RATE(z, v, t);
        const double v2 = v + half * k1, k2 = RATE(z + half * v, v2, t + half);
        const double v3 = v + half * k2, k3 = RATE(z + half * v2, v3, t + half);
        const double v4 = v + h * k3, k4 = RATE(z + h * v3, v4, t + h);
        z += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        const double y = -2.0 * zeta * w * v - w * w * z;
        bounds[0] = fmax(bounds[0], y);
        bounds[1] = fmin(bounds[1], y);
    }
}

static void a_shock_spectrum_is_what_its_definition_says(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    static const double frequencies[COUNT] = {3.0, 20.0, 45.0, 73.0, 110.0, 300.0, 1000.0, 3000.0};
    const double step = 0.011 / 110, q = 10.0;
    double *pulse = lb_make_numbers(12001), largest[COUNT], smallest[COUNT];
    for (int i = 0; i <= 12000; ++i) {
        pulse[i] = get_pulse(i * step);
    }
    lb_expect_ok(
        lb_compute_shock_spectrum(step, 12001, pulse, q, COUNT, frequencies, largest, smallest));
    for (int k = 0; k < COUNT; ++k) {
        double bounds[2];
        integrate_pulse(frequencies[k], q, 12000 * step, bounds);
        // Lines between samples follow the pulse to (pi h / T)^2 / 8. What goes in that wrong comes out at most
        // times the integral of the size of the impulse response, coth(pi zeta / 2) of the spring, or 4 q / pi, and
        // less than 2 of the damper. The cubic adds 5e-6; the steps of the definition miss its peak by at most
        // 1 - cos(0.025 / 2) = 8e-5.
        const double bound = pow(pi / 110.0, 2) / 8.0 * (4.0 * q / pi + 2.0) + 5e-6 + 8e-5;
        lb_expect_within("largest", &largest[k], &bounds[0], 1, bound * fmax(1.0, bounds[0]));
        lb_expect_within("smallest", &smallest[k], &bounds[1], 1, bound * fmax(1.0, bounds[0]));
    }
    // stiff masses go with their foot, and the well known amplification is at 0.8 / T or so
    lb_expect_within("stiff", &largest[COUNT - 1], &(double){1.0}, 1, 0.02);
    assert_true(largest[3] > 1.6 && largest[3] < 1.7);
    free(pulse);
}

static void extremes_between_samples_are_found(void **state)
{
    (void)state;
    // a ramp that stops: afterwards the mass swings freely about 1, undamped in effect, with few samples a period
    enum { N = 2000 };
    double ramp[N], largest, smallest;
    const double step = 0.01, f = 37.3, w = 2.0 * pi * f;
    for (int i = 0; i < N; ++i) {
        ramp[i] = i == 0 ? 0.0 : 1.0;
    }
    lb_expect_ok(lb_compute_shock_spectrum(step, N, ramp, 1e9, 1, &f, &largest, &smallest));
    // a ramp over h leaves the amplitude |sin(w h / 2)| / (w h / 2)
    const double swing = fabs(sin(0.5 * w * step)) / (0.5 * w * step);
    // within the first step and after it
    lb_expect_near("largest", largest, 1.0 + swing, 5e-6);
}

static void a_steady_acceleration_is_no_shock(void **state)
{
    (void)state;
    double steady[50], largest[2], smallest[2];
    const double f[2] = {1.0, 400.0};
    for (int i = 0; i < 50; ++i) {
        steady[i] = -9.81;
    }
    lb_expect_ok(lb_compute_shock_spectrum(0.001, 50, steady, 10.0, 2, f, largest, smallest));
    for (int k = 0; k < 2; ++k) {
        lb_expect_near("largest", largest[k], -9.81, 1e-12);
        lb_expect_near("smallest", smallest[k], -9.81, 1e-12);
    }
}

// ---- random responses --------------------------------------------------------------------------

static lb_linear *linearize(const lb_loaded *l, int input_count, const char *const *inputs,
                            int output_count, const char *const *outputs)
{
    lb_linear_options o = lb_default_linear_options();
    o.about = LB_ABOUT_REST;
    o.inputs = inputs;
    o.input_count = input_count;
    o.outputs = outputs;
    o.output_count = output_count;
    lb_linear *linear;
    const lb_status status = lb_linearize(l->simulation, &o, &linear);
    if (status != LB_OK) {
        fail_msg("%s: %s", lb_get_status_text(status), lb_get_simulation_message(l->simulation));
    }
    return linear;
}

// Integral over all frequencies in Hz from 0 on of |B(s) / A(s)|^2, for A of the fourth degree with real
// coefficients from the constant on: half of the one over all angular frequencies, over 2 pi (Newland,
// Random Vibrations, appendix 1).
static double integrate_quotient(const double B[4], const double A[5])
{
    const double top = A[0] * B[3] * B[3] * (A[0] * A[3] - A[1] * A[2]) +
                       A[0] * A[1] * A[4] * (2.0 * B[1] * B[3] - B[2] * B[2]) -
                       A[0] * A[3] * A[4] * (B[1] * B[1] - 2.0 * B[0] * B[2]) +
                       A[4] * B[0] * B[0] * (A[1] * A[4] - A[2] * A[3]);
    const double below =
        A[0] * A[4] * (A[0] * A[3] * A[3] + A[1] * A[1] * A[4] - A[1] * A[2] * A[3]);
    return 0.25 * top / below;
}

// Solves A x = b in place.
static void eliminate(int n, double *A, double *b)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k; i < n; ++i) {
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        }
        for (int j = 0; j < n; ++j) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = 0; i < n; ++i) {
            const double f = i == k ? 0.0 : A[i * n + k] / A[k * n + k];
            for (int j = 0; j < n; ++j) {
                A[i * n + j] -= f * A[k * n + j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; ++k) {
        b[k] /= A[k * n + k];
    }
}

// Mean square of an output by the covariance of the states: A P + P A' + W/2 B B' = 0.
static double solve_lyapunov(const lb_linear *l, int output, double W)
{
    const int n = l->state_count, N = n * n;
    double *K = lb_make_numbers((size_t)(N * N)), *b = lb_make_numbers((size_t)N), sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                K[(i * n + j) * N + k * n + j] += l->A[i * n + k];
                K[(i * n + j) * N + i * n + k] += l->A[j * n + k];
            }
            for (int u = 0; u < l->input_count; ++u) {
                b[i * n + j] -=
                    0.5 * W * l->B[i * l->input_count + u] * l->B[j * l->input_count + u];
            }
        }
    }
    eliminate(N, K, b);
    for (int i = 0; i < N; ++i) {
        sum += l->C[output * n + i / n] * b[i] * l->C[output * n + i % n];
    }
    free(K);
    free(b);
    return sum;
}

static const char two_masses[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: table, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
    "  - {name: big, parent: table, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
    "  - {name: small, parent: big, mass: 0.5, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
    "forces:\n"
    "  - {name: k1, type: spring, hinge: big, stiffness: 800}\n"
    "  - {name: c1, type: damper, hinge: big, damping: 0.4}\n"
    "  - {name: k2, type: spring, hinge: small, stiffness: 190}\n"
    "  - {name: c2, type: damper, hinge: small, damping: 0.03}\n";

static void two_masses_answer_noise_as_closed_forms_say(void **state)
{
    (void)state;
    const double m1 = 2.0, m2 = 0.5, k1 = 800.0, c1 = 0.4, k2 = 190.0, c2 = 0.03, W = 3.0;
    lb_loaded l = lb_begin_loaded(two_masses, NULL);
    const char *inputs[] = {"table.motion"};
    const char *outputs[] = {"big.distance", "small.distance", "big.rate", "table.acceleration.x",
                             "small.acceleration.x"};
    lb_linear *linear = linearize(&l, 1, inputs, 5, outputs);
    const int one = 1;
    const double anywhere = 0.0;
    double squares[5], crossings[5];
    lb_expect_ok(lb_compute_random_response(linear, &one, &anywhere, &W, squares, crossings));
    // z1 and z2, big against table and small against big, where the table has the acceleration a:
    //
    //     m1 (a + z1'') = k2 z2 + c2 z2' - k1 z1 - c1 z1',   m2 (a + z1'' + z2'') = -k2 z2 - c2 z2'
    const double A[5] = {k1 * k2, k1 * c2 + k2 * c1, k1 * m2 + k2 * (m1 + m2) + c1 * c2,
                         c1 * m2 + c2 * (m1 + m2), m1 * m2};
    const double big[4] = {(m1 + m2) * k2, (m1 + m2) * c2, m1 * m2, 0.0};
    const double small[4] = {m2 * k1, m2 * c1, 0.0, 0.0};
    const double rate[4] = {0.0, (m1 + m2) * k2, (m1 + m2) * c2, m1 * m2};
    const double small_rate[4] = {0.0, m2 * k1, m2 * c1, 0.0};
    const double expected[3] = {W * integrate_quotient(big, A), W * integrate_quotient(small, A),
                                W * integrate_quotient(rate, A)};
    for (int i = 0; i < 3; ++i) {
        lb_expect_near(outputs[i], squares[i], expected[i], 1e-10);
    }
    // what follows the noise itself has no mean square
    assert_true(isinf(squares[3]) && isnan(crossings[3]));
    assert_true(isinf(crossings[2]));
    // the acceleration of the small mass is what its spring and damper say, in which noise and others cancel
    const double felt[4] = {k1 * k2, k1 * c2 + k2 * c1, c1 * c2, 0.0};
    lb_expect_near(outputs[4], squares[4], W * integrate_quotient(felt, A), 1e-10);
    lb_expect_near("crossings of big", crossings[0], sqrt(expected[2] / expected[0]) / (2.0 * pi),
                   1e-10);
    lb_expect_near(
        "crossings of small", crossings[1],
        sqrt(integrate_quotient(small_rate, A) / integrate_quotient(small, A)) / (2.0 * pi), 1e-10);
    lb_destroy_linear(linear);
    // a force, with the table held: the covariance of the states is the other road
    static const char held[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: big, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
        "  - {name: small, parent: big, mass: 0.5, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  - {name: k1, type: spring, hinge: big, stiffness: 800}\n"
        "  - {name: c1, type: damper, hinge: big, damping: 0.004}\n"
        "  - {name: k2, type: spring, hinge: small, stiffness: 190}\n"
        "  - {name: c2, type: damper, hinge: small, damping: 0.0003}\n"
        "signals: {held: 800*big.distance + 0.004*big.rate}\n";
    lb_loaded h = lb_begin_loaded(held, NULL);
    const char *forces[] = {"big.force.x", "small.force.x"};
    const char *seen[] = {"big.distance", "small.distance", "small.rate", "held"};
    linear = linearize(&h, 2, forces, 4, seen);
    const int counts[] = {1, 1};
    const double where[] = {0, 0}, density[] = {W, W};
    lb_expect_ok(lb_compute_random_response(linear, counts, where, density, squares, NULL));
    for (int i = 0; i < 4; ++i) {
        lb_expect_near(seen[i], squares[i], solve_lyapunov(linear, i, W), 1e-9);
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&h);
    lb_end_loaded(&l);
}

// Covariance of two modes of unit mass under one white noise of density W, with unit gains.
static double relate_modes(double w1, double zeta1, double w2, double zeta2, double W)
{
    const double apart = w1 * w1 - w2 * w2;
    return W * (zeta1 * w1 + zeta2 * w2) /
           (apart * apart + 4.0 * zeta1 * zeta2 * w1 * w2 * (w1 * w1 + w2 * w2) +
            4.0 * (zeta1 * zeta1 + zeta2 * zeta2) * w1 * w1 * w2 * w2);
}

static void a_cantilever_answers_noise_as_closed_forms_say(void **state)
{
    (void)state;
    // A = 1e-4 m^2, I = 1e-9 m^4, E = 7e10, rho = 2700, 1.2 m: Euler and Bernoulli's beam
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: table, mass: 1, hinge: {type: prismatic, axis: [0, 0, 1]}}\n"
        "  - name: boom\n"
        "    parent: table\n"
        "    hinge: {type: fixed}\n"
        "    beam: {length: 1.2, section: {type: general, A: 1e-4, Iy: 1e-9, Iz: 1e-9},\n"
        "           material: {E: 7e10, G: 2.6e10, rho: 2700}, rotary: false, damping: 0.002,\n"
        "           modes: {count: 4, motions: [z]}, second_order: false, elements: 100}\n"
        "signals: {bend: boom/tip.position.z - boom/root.position.z}\n";
    static const double betas[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
                                   10.995540734875467};
    const double L = 1.2, EI = 70.0, m = 0.27, zeta = 0.002, W = 5.0;
    double w[4], tip[4], share[4], force = 0.0, shake = 0.0;
    for (int i = 0; i < 4; ++i) {
        const double b = betas[i];
        w[i] = b * b * sqrt(EI / (m * L * L * L * L));
        // shapes of modal mass 1: cosh - cos - sigma (sinh - sin), of mean square 1
        const double sigma = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
        tip[i] = (i % 2 ? -2.0 : 2.0) / sqrt(m * L);
        share[i] = sqrt(m * L) * 2.0 * sigma / b;
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            const double both = relate_modes(w[i], zeta, w[j], zeta, W) * tip[i] * tip[j];
            force += both * tip[i] * tip[j];
            shake += both * share[i] * share[j];
        }
    }
    lb_loaded l = lb_begin_loaded(text, NULL);
    const char *inputs[] = {"table.motion", "boom/tip.force.z"};
    const char *output = "bend";
    lb_linear *linear = linearize(&l, 2, inputs, 1, &output);
    const int shaken[] = {1, 0}, pushed[] = {0, 1};
    const double anywhere = 0.0;
    double square;
    // 1e-6: finite elements know the first frequency to 1e-9, the others to 1e-7 and they count for less
    lb_expect_ok(lb_compute_random_response(linear, shaken, &anywhere, &W, &square, NULL));
    lb_expect_near("shaken", square, shake, 1e-6);
    lb_expect_ok(lb_compute_random_response(linear, pushed, &anywhere, &W, &square, NULL));
    lb_expect_near("pushed", square, force, 1e-6);
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// Integral from 0 to f of |x / force|^2 of a unit mass, times frequency^power, power 0 or 2.
static double integrate_band(double w, double zeta, double f, int power)
{
    const double complex a =
        w * w * (1.0 - 2.0 * zeta * zeta + 2.0 * I * zeta * sqrt(1.0 - zeta * zeta));
    const double complex root = csqrt(a), part = -catanh(2.0 * pi * f / root) / root;
    return (power ? cimag(a * part) / (4.0 * pi * pi) : cimag(part)) / cimag(a) / (2.0 * pi);
}

static void bands_and_slopes_are_integrated_exactly_however_light_the_damping(void **state)
{
    (void)state;
    static const double dampings[] = {0.3, 1e-2, 1e-5, 1e-8};
    for (int d = 0; d < 4; ++d) {
        const double w = 50.0, zeta = dampings[d], f = w / (2.0 * pi);
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: box, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
                 "forces:\n"
                 "  - {name: k, type: spring, hinge: box, stiffness: 2500}\n"
                 "  - {name: c, type: damper, hinge: box, damping: %.17g}\n",
                 2.0 * zeta * w);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const char *input = "box.force.x", *output = "box.distance";
        lb_linear *linear = linearize(&l, 1, &input, 1, &output);
        // below, across, up to and above the resonance
        const double bands[][2] = {{0.1 * f, 0.9 * f},
                                   {0.5 * f, 300.0 * f},
                                   {0.01 * f, f},
                                   {f, 1.001 * f},
                                   {2 * f, 9 * f}};
        for (size_t b = 0; b < sizeof bands / sizeof *bands; ++b) {
            const double from = bands[b][0], to = bands[b][1];
            for (int power = 0; power <= 2; power += 2) {
                const int count = 2;
                const double densities[] = {power ? 4.0 * from * from : 4.0,
                                            power ? 4.0 * to * to : 4.0};
                double square;
                lb_expect_ok(
                    lb_compute_random_response(linear, &count, bands[b], densities, &square, NULL));
                const double high = integrate_band(w, zeta, to, power),
                             low = integrate_band(w, zeta, from, power);
                // The closed form is a difference, of numbers with 1e-16 / zeta of rounding in their imaginary part.
                lb_expect_within("band", &square, &(double){4.0 * (high - low)}, 1,
                                 1e-10 * square + 4.0 * 1e-15 / zeta * fabs(high));
            }
        }
        lb_destroy_linear(linear);
        lb_end_loaded(&l);
    }
}

static void what_has_no_answer_is_refused(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies: [{name: box, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "forces: [{name: k, type: spring, hinge: box, stiffness: 2500}]\n",
        NULL);
    const char *input = "box.force.x", *output = "box.distance";
    lb_linear *linear = linearize(&l, 1, &input, 1, &output);
    const int two = 2, minus = -1, none = 0;
    double f[] = {1.0, 20.0}, S[] = {1.0, 1.0}, square;
    assert_int_equal(lb_compute_random_response(linear, &two, f, S, &square, NULL), LB_E_SINGULAR);
    f[0] = 10.0; // above the resonance
    lb_expect_ok(lb_compute_random_response(linear, &two, f, S, &square, NULL));
    f[1] = 10.0;
    assert_int_equal(lb_compute_random_response(linear, &two, f, S, &square, NULL), LB_E_ARGUMENT);
    f[1] = 20.0;
    S[0] = 0.0;
    assert_int_equal(lb_compute_random_response(linear, &two, f, S, &square, NULL), LB_E_ARGUMENT);
    S[0] = NAN;
    assert_int_equal(lb_compute_random_response(linear, &two, f, S, &square, NULL), LB_E_NUMBER);
    assert_int_equal(lb_compute_random_response(linear, &minus, f, S, &square, NULL),
                     LB_E_ARGUMENT);
    lb_expect_ok(lb_compute_random_response(linear, &none, f, S, &square, NULL));
    assert_true(square == 0.0);
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
    double values[4] = {1, 2, 3, 4}, psd[3];
    assert_int_equal(lb_compute_psd(0.1, 4, values, 5, LB_WINDOW_HANN, psd), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_psd(0.1, 4, values, 1, LB_WINDOW_HANN, psd), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_psd(0.0, 4, values, 4, LB_WINDOW_HANN, psd), LB_E_NUMBER);
    assert_int_equal(lb_compute_shock_spectrum(0.1, 0, values, 10, 1, f, psd, psd + 1),
                     LB_E_ARGUMENT);
    assert_int_equal(lb_compute_shock_spectrum(0.1, 4, values, 0.5, 1, f, psd, psd + 1),
                     LB_E_NUMBER);
}

// ---- singular values ---------------------------------------------------------------------------

static void singular_values_are_gains_over_all_directions(void **state)
{
    (void)state;
    // the second response is not finite
    const double G[2][12] = {{1, 2, 0, -1, 3, 0.5, 2, 2, -1, 0, 0.25, 1}, {NAN}};
    double values[4], sum = 0.0;
    lb_expect_ok(lb_compute_singular_values(3, 2, 2, G[0], values));
    for (int i = 0; i < 12; ++i) {
        sum += G[0][i] * G[0][i];
    }
    lb_expect_near("all of it", values[0] * values[0] + values[1] * values[1], sum, 1e-14);
    assert_true(values[0] > values[1] && isnan(values[2]) && isnan(values[3]));
    // no direction has more gain than the first, or less than the second
    double most = 0.0, least = INFINITY;
    for (int i = 0; i < 200; ++i) {
        for (int j = 0; j < 200; ++j) {
            const double turn = 0.5 * pi * i / 199.0, phase = 2.0 * pi * j / 200.0;
            const double complex u[2] = {cos(turn), sin(turn) * cexp(I * phase)};
            double gain = 0.0;
            for (int r = 0; r < 3; ++r) {
                const double *g = G[0] + 4 * r;
                const double complex y = (g[0] + I * g[1]) * u[0] + (g[2] + I * g[3]) * u[1];
                gain += creal(y * conj(y));
            }
            most = fmax(most, sqrt(gain));
            least = fmin(least, sqrt(gain));
        }
    }
    // the grid passes the extremes by half a step of 0.016 rad at most
    lb_expect_near("most", most, values[0], 1e-4);
    lb_expect_near("least", least, values[1], 1e-3);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_density_adds_up_to_the_mean_square),
        cmocka_unit_test(the_density_of_a_sine_has_its_frequency_and_power),
        cmocka_unit_test(a_shock_spectrum_is_what_its_definition_says),
        cmocka_unit_test(extremes_between_samples_are_found),
        cmocka_unit_test(a_steady_acceleration_is_no_shock),
        cmocka_unit_test(two_masses_answer_noise_as_closed_forms_say),
        cmocka_unit_test(a_cantilever_answers_noise_as_closed_forms_say),
        cmocka_unit_test(bands_and_slopes_are_integrated_exactly_however_light_the_damping),
        cmocka_unit_test(what_has_no_answer_is_refused),
        cmocka_unit_test(singular_values_are_gains_over_all_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
