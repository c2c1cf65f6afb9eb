// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Torsion of members under tension and compression: GJ + N Ip/A wherever the axial force comes from.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "flight.h"
#include "limber/linear.h"
#include "loaded.h"
#include "run_cli.h"

#define PI 3.14159265358979323846

enum { MODES = 40 };

// Rising frequencies, rad/s, in spin or in equilibrium.
static int find_frequencies(const char *text, const char *hinge, double spin, int most,
                            double *omega)
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    if (hinge) {
        options.spin = lb_find_speed(l.model, hinge, NULL);
        options.spin_speed = spin;
    } else {
        lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
    }
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    const int count = modes->mode_count < most ? modes->mode_count : most;
    for (int i = 0; i < count; ++i) {
        omega[i] = 2 * PI * modes->frequencies[i];
    }
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
    return count;
}

// The frequency closest to a given one.
static double find_nearest(const double *omega, int count, double wanted)
{
    double nearest = omega[0];
    for (int r = 1; r < count; ++r) {
        nearest = fabs(omega[r] - wanted) < fabs(nearest - wanted) ? omega[r] : nearest;
    }
    return nearest;
}

// The strip of most tests: 60 mm by 2 mm, 1 m long, or smaller by a factor.
typedef struct strip {
    double width, height, length, A, Ip, GJ;
} strip;

static strip make_strip(double factor)
{
    const double b = 0.06 * factor, t = 0.002 * factor, A = b * t;
    return (strip){b, t, factor, A, A * (b * b + t * t) / 12, 27e9 * 0.3 * b * t * t * t};
}

#define MATERIAL "{E: 70.0e+9, G: 27.0e+9, rho: 2700}"

static void write_section(const strip *s, char section[200])
{
    snprintf(section, 200, "{type: rectangle, width: %.17g, height: %.17g, J: %.17g}", s->width,
             s->height, s->GJ / 27e9);
}

// ---- under loads at the end --------------------------------------------------------------------

// A beam; a frame that lies askew with its root elsewhere; a chain of two.
static void write_pulled(int kind, const strip *s, double N, char text[2000])
{
    const double L = s->length, n = sqrt(1.0 / 3);
    char section[200];
    write_section(s, section);
    if (kind == 0) {
        snprintf(text, 2000,
                 "limber: 1\nbodies:\n  - name: strip\n    hinge: {type: fixed}\n"
                 "    beam: {length: %.17g, section: %s, material: " MATERIAL
                 ", modes: {count: 3, motions: [twist]}}\n"
                 "forces:\n  - {name: pull, type: force, at: strip/tip, value: [%.17g, 0, 0]}\n",
                 L, section, N);
    } else if (kind == 1) {
        snprintf(text, 2000,
                 "limber: 1\nbodies:\n  - name: strip\n    hinge: {type: fixed}\n"
                 "    frame:\n      joints: {root: [%.17g, 0, 0], tip: [%.17g, %.17g, %.17g]}\n"
                 "      members: [{joints: [root, tip], section: %s, material: " MATERIAL
                 ", elements: 32, up: [1, -1, 0]}]\n      modes: 40\n"
                 "forces:\n  - {name: pull, type: force, at: strip/tip, value: [%.17g, %.17g, "
                 "%.17g]}\n",
                 L, L + L * n, L * n, L * n, section, N * n, N * n, N * n);
    } else {
        snprintf(text, 2000,
                 "limber: 1\nbodies:\n"
                 "  - {name: inner, hinge: {type: fixed}, beam: {length: %.17g, section: %s, "
                 "material: " MATERIAL ", modes: {count: 3, motions: [twist], corrections: "
                 "[{at: tip, moment: [1, 0, 0]}]}}}\n"
                 "  - {name: outer, parent: inner, at: tip, hinge: {type: fixed}, beam: "
                 "{length: %.17g, section: %s, material: " MATERIAL ", modes: {count: 3, "
                 "motions: [twist]}}}\n"
                 "forces:\n  - {name: pull, type: force, at: outer/tip, value: [%.17g, 0, 0]}\n",
                 0.4 * L, section, 0.6 * L, section, N);
    }
}

// An even axial force multiplies all torsional stiffness by 1 + N Ip / (A GJ), whatever the modes are, down to
// Wagner's load, where it is zero. A metre long and a hundred micrometres.
static void pulled_strip_has_its_frequencies(void **state)
{
    // the square of linear elements, (pi/2 / 64)^2 / 24 with 64 of them; the chain has three modes in each half
    static const double meshes[3] = {3e-5, 1.1e-4, 1e-3};
    static const double shares[] = {0, 3, 0.5, -0.5, -0.999};
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        const strip s = make_strip(kind / 3 ? 1e-4 : 1.0);
        const double exact = 0.5 * PI / s.length * sqrt(s.GJ / (2700 * s.Ip));
        double rest = 0.0;
        // a frame bends, and buckles in bending before it does in torsion
        for (int i = 0; i < (kind % 3 == 1 ? 3 : 5); ++i) {
            char text[2000];
            double omega[MODES];
            const double factor = sqrt(1 + shares[i]);
            write_pulled(kind % 3, &s, shares[i] * s.GJ * s.A / s.Ip, text);
            const int count = find_frequencies(text, NULL, 0, kind % 3 == 1 ? MODES : 1, omega);
            const double found = find_nearest(omega, count, factor * exact);
            rest = i == 0 ? found : rest;
            lb_expect_near("at rest", rest, exact, meshes[kind % 3]);
            // 1e-9: round-off of a thousandth of the stiffness
            lb_expect_near("frequency", found, rest * factor, 1e-9);
        }
    }
}

// Beyond Wagner's load a deviation from the straight strip grows.
static void compressed_strip_buckles_in_torsion(void **state)
{
    (void)state;
    const strip s = make_strip(1.0);
    char section[200];
    write_section(&s, section);
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n  - name: strip\n    hinge: {type: fixed}\n"
                 "    beam: {length: 1, section: %s, material: " MATERIAL
                 ", modes: {count: 3, motions: [twist]}}\n"
                 "forces:\n  - {name: push, type: force, at: strip/tip, value: [%.17g, 0, 0]}\n",
                 section, -(i ? 1.001 : 0.999) * s.GJ * s.A / s.Ip);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const lb_linear_options options = lb_default_linear_options();
        lb_modes *modes = NULL;
        lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
        assert_int_equal(modes->stable, i == 0);
        int growing = 0;
        for (int r = 0; r < modes->mode_count; ++r) {
            growing += modes->kinds[r] == LB_MODE_APERIODIC && modes->eigenvalues[2 * r] > 0;
        }
        // an even force takes the same part of the stiffness of every mode
        assert_int_equal(growing, 3 * i);
        lb_destroy_modes(modes);
        lb_end_loaded(&l);
    }
}

// A section that changes along the strip, pulled and turned: the twist is the integral of T / (GJ + N Ip/A).
static void tapered_strip_twists_as_its_sections_say(void **state)
{
    static const double forces[] = {-300, 0, 500, 2000};
    (void)state;
    for (int i = 0; i < 4; ++i) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies:\n  - name: strip\n    hinge: {type: fixed}\n    beam:\n"
            "      length: 1\n      material: " MATERIAL "\n      stations:\n"
            "        - {at: 0, section: {type: general, A: 1.6e-4, Iy: 6.0e-11, Iz: 8.0e-8, J: "
            "2.2e-10}}\n"
            "        - {at: 1, section: {type: general, A: 1.0e-4, Iy: 3.0e-11, Iz: 3.0e-8, J: "
            "1.2e-10}}\n"
            "      shapes:\n"
            "        - {polynomial: [0, 1], motion: twist}\n"
            "        - {polynomial: [0, -1, 1], motion: twist}\n"
            "        - {polynomial: [0, 1, -3, 2], motion: twist}\n"
            "        - {polynomial: [0, -1, 6, -10, 5], motion: twist}\n"
            "        - {polynomial: [0, 1, -10, 30, -35, 14], motion: twist}\n"
            "        - {polynomial: [0, -1, 15, -70, 140, -126, 42], motion: twist}\n"
            "forces:\n"
            "  - {name: pull, type: force, at: strip/tip, value: [%g, 0, 0]}\n"
            "  - {name: turn, type: torque, at: strip/tip, value: [0.1, 0, 0]}\n",
            forces[i]);
        lb_loaded l = lb_begin_loaded(text, NULL);
        lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
        const double *q, *v;
        lb_get_initial_state(l.simulation, &q, &v);
        double exact = 0.0;
        for (int k = 0; k < 2000; ++k) {
            const double x = (k + 0.5) / 2000, A = 1.6e-4 - 0.6e-4 * x,
                         Ip = 8.006e-8 - 5.003e-8 * x, J = 2.2e-10 - 1.0e-10 * x;
            exact += 0.1 / (27e9 * J + forces[i] * Ip / A) / 2000;
        }
        // only the first of these shapes, integrals of Legendre's polynomials, moves the tip
        lb_expect_near("tip", q[0], exact, 1e-7);
        lb_end_loaded(&l);
    }
}

// ---- under loads along it ----------------------------------------------------------------------

// By Ritz's method with Legendre's polynomials (SciPy), converged to 1e-10.
static const double on_hub[3] = {404.7467130182791, 1095.404621505933, 1808.436012298795};
static const double with_weight[2][3] = {{61.57311727419274, 636.2964105499694, 1263.390220123915},
                                         {61.146980671576465, 631.894677086708, 1254.649330739851}};

// On a hub of half a metre, and as a frame whose root is away from its origin.
static void strip_on_a_hub_has_its_frequencies(void **state)
{
    (void)state;
    const strip s = make_strip(1.0);
    char section[200], text[2000];
    double omega[MODES];
    write_section(&s, section);
    snprintf(text, sizeof text,
             "limber: 1\nbodies:\n  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, "
             "mass: 1, inertia: [1, 1, 1, 0, 0, 0], nodes: {rim: {position: [0.5, 0, 0]}}}\n"
             "  - {name: strip, parent: hub, at: rim, hinge: {type: fixed}, beam: {length: "
             "1, section: %s, material: " MATERIAL
             ", shapes: [{family: clamped-free-bar, motion: twist, count: 24}]}}\n",
             section);
    find_frequencies(text, "hub", 150, 3, omega);
    // 1e-7: sines converge by the fifth power of their number
    lb_expect_close("beam", omega, on_hub, 3, 1e-7);
    snprintf(text, sizeof text,
             "limber: 1\nbodies:\n  - name: hub\n    hinge: {type: revolute, axis: [0, 0, 1]}\n"
             "    frame: {joints: {root: [0.5, 0, 0], tip: [1.5, 0, 0]}, members: [{joints: "
             "[root, tip], section: %s, material: " MATERIAL ", elements: 100}], modes: 40}\n",
             section);
    const int count = find_frequencies(text, "hub", 150, MODES, omega);
    for (int k = 0; k < 3; ++k) {
        // linear elements: (5 pi/2 / 100)^2 / 24 = 2.6e-4, and the strip stretches by 6e-4
        lb_expect_near("frame", find_nearest(omega, count, on_hub[k]), on_hub[k], 4e-4);
    }
}

// Hanging and standing, with a weight of 9 kg at the end.
static void strip_with_a_weight_has_its_frequencies(void **state)
{
    (void)state;
    const strip s = make_strip(1.0);
    char section[200], text[2000];
    double omega[3];
    write_section(&s, section);
    for (int i = 0; i < 2; ++i) {
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [%g, 0, 0]\nbodies:\n"
            "  - {name: strip, hinge: {type: fixed}, beam: {length: 1, section: %s, "
            "material: " MATERIAL
            ", shapes: [{family: clamped-free-bar, motion: twist, count: 24}, "
            "{polynomial: [0, 1], motion: twist}]}}\n"
            "  - {name: weight, parent: strip, at: tip, hinge: {type: fixed}, mass: 9, inertia: "
            "[0.001, 0.001, 0.001, 0, 0, 0]}\n",
            i ? -9.81 : 9.81, section);
        find_frequencies(text, NULL, 0, 3, omega);
        lb_expect_close(i ? "standing" : "hanging", omega, with_weight[i], 3, 1e-7);
    }
}

// ---- in flight ---------------------------------------------------------------------------------

// A strip that tumbles in space, twisted and under tension by its spin, keeps energy and momentum.
static void tumbling_strip_keeps_energy_and_momentum(void **state)
{
    (void)state;
    lb_flight flight = lb_default_flight();
    flight.amplitude = 2e-4;
    flight.spin[1] = -3;
    flight.spin[2] = 25;
    lb_fly("limber: 1\nbodies:\n"
           "  - {name: strip, hinge: {type: free}, beam: {length: 1, section: {type: rectangle, "
           "width: "
           "0.06, height: 0.002}, material: aluminium, modes: {type: free-free, count: 4, motions: "
           "[twist, z]}}}\n",
           &flight, NULL);
}

// The case of a blade by the command, and what the frequencies were without tension.
static void command_finds_the_torsion_of_a_spinning_blade(void **state)
{
    static const struct {
        const char *spin;
        double hertz;
    } rows[] = {{"hub=0", 5.155}, {"hub=30", 8.562}, {"hub=60", 14.543}};
    (void)state;
    for (int i = 0; i < 3; ++i) {
        double hertz = 0;
        lb_cli_run run = lb_run(NULL, "modes", lb_find_source("test/cases/blade_torsion.yaml"),
                                "--spin", rows[i].spin, "--csv", "--count", "1");
        assert_int_equal(run.status, 0);
        assert_int_equal(sscanf(strchr(run.out, '\n') + 1, "%*d,oscillation,%lf", &hertz), 1);
        // half of the last digit, and 64 linear elements: 2.5e-5
        lb_expect_near("torsion", hertz, rows[i].hertz, 1.3e-4);
        lb_end_run(&run);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulled_strip_has_its_frequencies),
        cmocka_unit_test(compressed_strip_buckles_in_torsion),
        cmocka_unit_test(tapered_strip_twists_as_its_sections_say),
        cmocka_unit_test(strip_on_a_hub_has_its_frequencies),
        cmocka_unit_test(strip_with_a_weight_has_its_frequencies),
        cmocka_unit_test(tumbling_strip_keeps_energy_and_momentum),
        cmocka_unit_test(command_finds_the_torsion_of_a_spinning_blade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
