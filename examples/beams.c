// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes models of beams with modal data in line:
//
//     beams chain       twenty beams of five modes (up to 20 Hz) in free flight
//     beams krb         the spin-up of Kane, Ryan and Banerjee (1987)
//     beams krb-linear  the same without second-order displacements: it diverges, as it should
//     beams krb-pieces  the same beam cut into six bodies on fixed hinges
//     beams bar         the bar of Mukherjee and Anderson (2007): four bars of four modes
//     beams twolink     their two-link arm
//     beams fourbar     a four-bar linkage of three beams
//     beams slidercrank a slider-crank with an elastic rod, the crank driven
//
// A beam lies along x, clamped at its frame, or with both ends on the axis of its frame. Nodes at
// Gauss points with the weights as masses make the integrals of mass times products of shapes exact (or right to round-off); a massless node at
// the end carries what follows. Bending by v(x) turns a node by v'(x) and, to second order, draws it
// back by half the integral of v'^2: the foreshortening that stiffens a spinning beam.
//
// Without an argument it checks its own quadrature.
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// How every file begins; the first line tells editors where the schema is.
#define HEAD                                                                                       \
    "# yaml-language-server: $schema=../schema/limber-model-1.json\n"                              \
    "# written by examples/beams.c\n"                                                              \
    "limber: 1\n"

enum { GAUSS_MAX = 40, MODE_MAX = 10, FINE = 40 };

typedef enum direction { ALONG_X, BEND_Y, BEND_Z } direction;

typedef enum family {
    CLAMPED_FREE,   // eigenfunctions of a clamped beam in bending, value 2 at the free end
    CLAMPED_BAR,    // sin((2k-1) pi s/2)
    SQUARE,         // s^2
    STATIC_BENDING, // 1.5 s^2 - 0.5 s^3
    LEGENDRE_CURVE, // curvature a Legendre polynomial of degree k-1, up to 2: stiffness diagonal
    UNIFORM_STRAIN, // s
    SUPPORTED       // sin(k pi s)
} family;

typedef struct mode {
    direction towards;
    family family;
    int k; // from 1
    double stiffness;
} mode;

typedef struct beam {
    double length, mass; // mass along the whole length
    double radius;       // of gyration about the axis: 0 for a line of points
    double tip_mass;
    int gauss_count;
    int second_order;
    int mode_count;
    mode modes[MODE_MAX];
} beam;

// ---- shapes, as functions of s = x / length --------------------------------------------------------

// Roots of cos b cosh b = -1.
static double get_root(int k)
{
    double b = k == 1 ? 1.8751 : (2 * k - 1) * PI / 2;
    for (int i = 0; i < 50; ++i) {
        b -= (cos(b) + 1.0 / cosh(b)) / (-sin(b) - tanh(b) / cosh(b));
    }
    return b;
}

static void get_shape(const mode *m, double s, double *value, double *slope)
{
    const double b = (2 * m->k - 1) * PI / 2;
    switch (m->family) {
    case CLAMPED_FREE: {
        const double c = get_root(m->k);
        const double ratio = (cosh(c) + cos(c)) / (sinh(c) + sin(c));
        *value = cosh(c * s) - cos(c * s) - ratio * (sinh(c * s) - sin(c * s));
        *slope = c * (sinh(c * s) + sin(c * s) - ratio * (cosh(c * s) - cos(c * s)));
        break;
    }
    case CLAMPED_BAR:
        *value = sin(b * s);
        *slope = b * cos(b * s);
        break;
    case SUPPORTED:
        *value = sin(m->k * PI * s);
        *slope = m->k * PI * cos(m->k * PI * s);
        break;
    case SQUARE:
        *value = s * s;
        *slope = 2 * s;
        break;
    case STATIC_BENDING:
        *value = 1.5 * s * s - 0.5 * s * s * s;
        *slope = 3 * s - 1.5 * s * s;
        break;
    case LEGENDRE_CURVE: {
        const double values[] = {s * s / 2, s * s * (s / 3 - 0.5), s * s * (s * s / 2 - s + 0.5)};
        const double slopes[] = {s, s * (s - 1), s * (s * (2 * s - 3) + 1)};
        *value = values[m->k - 1];
        *slope = slopes[m->k - 1];
        break;
    }
    case UNIFORM_STRAIN:
        *value = s;
        *slope = 1;
        break;
    }
}

// ---- quadrature ------------------------------------------------------------------------------------

// Gauss-Legendre points and weights on 0 to 1.
static void get_gauss(int n, double *s, double *w)
{
    for (int i = 0; i < n; ++i) {
        double x = cos(PI * (i + 0.75) / (n + 0.5)), derivative = 1.0;
        for (int iteration = 0; iteration < 100; ++iteration) {
            double p0 = 1.0, p1 = x;
            for (int k = 2; k <= n; ++k) {
                const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            derivative = n * (x * p1 - p0) / (x * x - 1);
            const double step = p1 / derivative;
            x -= step;
            if (fabs(step) < 1e-16) {
                break;
            }
        }
        s[i] = 0.5 * (1 - x);
        w[i] = 1 / ((1 - x * x) * derivative * derivative);
    }
}

// Integral of the product of two slopes from the root to s.
static double get_shortening(const mode *a, const mode *b, double s)
{
    double at[FINE], weight[FINE], sum = 0.0;
    get_gauss(FINE, at, weight);
    for (int i = 0; i < FINE; ++i) {
        double value, a_slope, b_slope;
        get_shape(a, s * at[i], &value, &a_slope);
        get_shape(b, s * at[i], &value, &b_slope);
        sum += s * weight[i] * a_slope * b_slope;
    }
    return sum;
}

// ---- writing ---------------------------------------------------------------------------------------

static void write_node(const beam *b, const char *name, double s, double mass)
{
    printf("        - name: %s\n          position: [%.17g, 0, 0]\n", name, s * b->length);
    if (mass > 0.0) {
        printf("          mass: %.17g\n", mass);
        const double J = mass * b->radius * b->radius;
        if (J > 0.0) {
            printf("          inertia: [%.17g, %.17g, %.17g, 0, 0, 0]\n", J, J / 2, J / 2);
        }
    }
    printf("          shape:\n");
    for (int r = 0; r < b->mode_count; ++r) {
        double value, slope;
        get_shape(&b->modes[r], s, &value, &slope);
        slope /= b->length;
        switch (b->modes[r].towards) {
        case ALONG_X:
            printf("            - [0, 0, 0, %.17g, 0, 0]\n", value);
            break;
        case BEND_Y:
            printf("            - [0, 0, %.17g, 0, %.17g, 0]\n", slope, value);
            break;
        case BEND_Z:
            printf("            - [0, %.17g, 0, 0, 0, %.17g]\n", -slope, value);
            break;
        }
    }
    if (!b->second_order) {
        return;
    }
    printf("          second_order:\n");
    for (int i = 0; i < b->mode_count; ++i) {
        for (int j = i; j < b->mode_count; ++j) {
            if (b->modes[i].towards == b->modes[j].towards && b->modes[i].towards != ALONG_X) {
                printf("            - [%d, %d, [%.17g, 0, 0]]\n", i, j,
                       -get_shortening(&b->modes[i], &b->modes[j], s) / b->length);
            }
        }
    }
}

static void write_flex(const beam *b)
{
    double s[GAUSS_MAX], w[GAUSS_MAX];
    get_gauss(b->gauss_count, s, w);
    printf("    flex:\n      nodes:\n");
    for (int i = 0; i < b->gauss_count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        write_node(b, name, s[i], b->mass * w[i]);
    }
    write_node(b, "tip", 1.0, b->tip_mass);
    printf("      stiffness: [");
    for (int r = 0; r < b->mode_count; ++r) {
        printf("%s%.17g", r ? ", " : "", b->modes[r].stiffness);
    }
    printf("]\n");
}

// ---- models ----------------------------------------------------------------------------------------

static void write_chain(void)
{
    // EI such that the highest frequency of the whole straight chain is 20 Hz: 0.4285 of what gives
    // the third mode of a clamped link 20 Hz, squared
    const double b3 = get_root(3), EI = pow(2 * PI * 20 * 0.4285 / (b3 * b3), 2);
    beam link = {.length = 1,
                 .mass = 1,
                 .radius = 0.1,
                 .gauss_count = 10,
                 .second_order = 1,
                 .mode_count = 5};
    for (int r = 0; r < 5; ++r) {
        const int k = r / 2 + 1;
        link.modes[r] = (mode){r % 2 ? BEND_Z : BEND_Y, CLAMPED_FREE, k, EI * pow(get_root(k), 4)};
    }
    printf("limber: 1\nname: twenty beams in free flight\nbodies:\n");
    for (int i = 0; i < 20; ++i) {
        printf("  - name: link%d\n", i);
        if (i == 0) {
            printf("    hinge: {type: free}\n");
        } else {
            printf(
                "    parent: link%d\n    at: tip\n    hinge: {type: revolute, axis: [0, %d, %d]}\n",
                i - 1, i % 2, 1 - i % 2);
        }
        write_flex(&link);
    }
    printf("initial:\n  link0: {angular_velocity: [0.1, 0.2, -0.3], eta: [0.05, 0.03, 0, 0, 0]}\n");
    for (int i = 1; i < 20; ++i) {
        printf("  link%d: {angle: %g, rate: %g, eta: [%g, 0.02, 0, 0, 0.001]}\n", i,
               0.3 * sin(1.7 * i), 0.2 * cos(2.3 * i), 0.04 * sin(i));
    }
    printf("run: {duration: 100, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
           "1.0e-6}}\n");
}

// omega = (6/15) (t - (15/2pi) sin(2 pi t/15)) up to 15 s, 6 rad/s after
static void write_spin_up(const char *root, const char *end, const char *tolerance)
{
    printf("forces:\n  - {name: spin-up, type: motion, hinge: %s, speed: "
           "\"0.4*(min(t, 15) - 15/(2*pi)*sin(2*pi*min(t, 15)/15))\"}\n",
           root);
    printf("run: {duration: 20, interval: 0.01, integrator: {type: adams, tolerance: %s}}\n",
           tolerance);
    printf("outputs: [%s/tip]\n", end);
    printf("view:\n  camera: {from: [0, -11, 26], to: [0, 0, 0]}\n  traces: [%s/tip]\n", end);
    printf("  shapes:\n    - {body: ground, cylinder: [0.5, 0.4], position: [0, 0, -0.3], colour: "
           "\"#8f9aa8\"}\n");
}

static const double krb_length = 10, krb_EI = 1.4e4, krb_EA = 2.8e7, krb_line_mass = 1.2;

static void write_krb(int second_order)
{
    const double L = krb_length;
    beam b = {.length = L,
              .mass = krb_line_mass * L,
              .gauss_count = 24,
              .second_order = second_order,
              .mode_count = 10};
    for (int k = 1; k <= 6; ++k) {
        b.modes[k - 1] = (mode){BEND_Y, CLAMPED_FREE, k, krb_EI * pow(get_root(k), 4) / pow(L, 3)};
    }
    for (int k = 1; k <= 4; ++k) {
        const double c = (2 * k - 1) * PI / 2;
        b.modes[5 + k] = (mode){ALONG_X, CLAMPED_BAR, k, krb_EA * c * c / (2 * L)};
    }
    printf(HEAD "name: spin-up of a beam, Kane, Ryan and "
                "Banerjee%s\nbodies:\n",
           second_order ? "" : ", without second order");
    printf("  - name: beam\n    hinge: {type: revolute, axis: [0, 0, 1]}\n");
    write_flex(&b);
    write_spin_up("beam", "beam", "1.0e-9");
    printf("    - {body: beam, tube: 0.12}\n");
}

// Each body bends little in its own frame, so that what its field neglects at third order is small.
static void write_krb_pieces(void)
{
    enum { PIECES = 6 };
    const double L = krb_length / PIECES;
    beam b = {.length = L,
              .mass = krb_line_mass * L,
              .gauss_count = 8,
              .second_order = 1,
              .mode_count = 4};
    for (int k = 1; k <= 3; ++k) {
        b.modes[k - 1] = (mode){BEND_Y, LEGENDRE_CURVE, k, krb_EI / pow(L, 3) / (2 * k - 1)};
    }
    b.modes[3] = (mode){ALONG_X, UNIFORM_STRAIN, 1, krb_EA / L};
    printf(HEAD "name: spin-up of a beam, Kane, Ryan and "
                "Banerjee, in six bodies\nbodies:\n");
    for (int i = 0; i < PIECES; ++i) {
        printf("  - name: piece%d\n", i);
        if (i == 0) {
            printf("    hinge: {type: revolute, axis: [0, 0, 1]}\n");
        } else {
            printf("    parent: piece%d\n    at: tip\n    hinge: {type: fixed}\n", i - 1);
        }
        write_flex(&b);
    }
    write_spin_up("piece0", "piece5", "1.0e-6");
    for (int i = 0; i < PIECES; ++i) {
        printf("    - {body: piece%d, tube: 0.12}\n", i);
    }
}

static void write_bar(void)
{
    static const double eta[] = {-0.008105694691387024, 0.0009006327434874477,
                                 -0.0003242277876554806, 0.0001654223406405519};
    beam b = {.length = 1, .mass = 1, .gauss_count = 16, .mode_count = 4};
    for (int k = 1; k <= 4; ++k) {
        const double c = (2 * k - 1) * PI / 2;
        b.modes[k - 1] = (mode){ALONG_X, CLAMPED_BAR, k, c * c / 2};
    }
    printf(HEAD "name: elastic bar of four bodies, Mukherjee and "
                "Anderson\nbodies:\n");
    for (int i = 0; i < 4; ++i) {
        printf("  - name: bar%d\n", i);
        if (i > 0) {
            printf("    parent: bar%d\n    at: tip\n", i - 1);
        }
        printf("    hinge: {type: fixed}\n");
        write_flex(&b);
    }
    printf("# a uniform strain of -0.01, projected so as to keep the energy\ninitial:\n");
    for (int i = 0; i < 4; ++i) {
        printf("  bar%d: {eta: [%.17g, %.17g, %.17g, %.17g]}\n", i, eta[0], eta[1], eta[2], eta[3]);
    }
    printf("run: {duration: 10, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
           "1.0e-13, stop_at_outputs: true}}\n");
    printf("outputs: [bar3/tip]\n");
    printf(
        "view:\n"
        "  camera: {from: [2, -4.2, 1.6], to: [2, 0, 0]}\n"
        "  shapes:\n"
        "    - {body: ground, box: [0.2, 0.8, 0.8], position: [-0.1, 0, 0], colour: \"#8f9aa8\"}\n"
        "    - {body: bar0, tube: 0.12}\n"
        "    - {body: bar1, tube: 0.12}\n"
        "    - {body: bar2, tube: 0.12}\n"
        "    - {body: bar3, tube: 0.12}\n");
}

static void write_twolink(void)
{
    static const double lengths[] = {0.545, 0.675}, areas[] = {9e-4, 4e-4};
    static const double moments[] = {1.69e-8, 3.33e-9}, tip_masses[] = {1, 3};
    const double E = 7.3e10, density = 2700;
    printf(HEAD "name: flexible two-link arm, Mukherjee and "
                "Anderson\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < 2; ++i) {
        const double L = lengths[i];
        beam b = {.length = L,
                  .mass = density * areas[i] * L,
                  .tip_mass = tip_masses[i],
                  .gauss_count = 6,
                  .second_order = 1,
                  .mode_count = 2};
        b.modes[0] = (mode){ALONG_X, SQUARE, 1, 4 * E * areas[i] / (3 * L)};
        b.modes[1] = (mode){BEND_Y, STATIC_BENDING, 1, 3 * E * moments[i] / (L * L * L)};
        printf("  - name: link%d\n", i + 1);
        if (i > 0) {
            printf("    parent: link1\n    at: tip\n");
        }
        printf("    hinge: {type: revolute, axis: [0, 0, 1]}\n");
        write_flex(&b);
    }
    printf("forces:\n");
    for (int i = 0; i < 2; ++i) {
        // polynomials in t - from: the printed ones in t, moved
        const double p = (i ? -1 : 1) * PI / 4;
        printf("  - name: drive%d\n    type: motion\n    hinge: link%d\n    position:\n", i + 1,
               i + 1);
        printf("      pieces:\n");
        printf("        - {from: 0, coefficients: [%.17g, 0, 0, %.17g]}\n", -p, 72 * p);
        const double t1 = 1.0 / 6, t2 = 1.0 / 3;
        printf("        - {from: %.17g, coefficients: [%.17g, %.17g, %.17g, %.17g]}\n", t1,
               p * (-18 * t1 + 108 * t1 * t1 - 144 * t1 * t1 * t1),
               p * (-18 + 216 * t1 - 432 * t1 * t1), p * (108 - 432 * t1), -144 * p);
        printf("        - {from: %.17g, coefficients: [%.17g, %.17g, %.17g, %.17g]}\n", t2,
               p * (-8 + 54 * t2 - 108 * t2 * t2 + 72 * t2 * t2 * t2),
               p * (54 - 216 * t2 + 216 * t2 * t2), p * (-108 + 216 * t2), 72 * p);
        printf("      until: 0.5\n");
    }
    printf("run: {duration: 1, interval: 0.01, trim: true, integrator: {type: erk, order: 8, "
           "tolerance: 1.0e-10, "
           "stop_at_outputs: true}}\n");
    printf("outputs: [link2/tip]\n");
    printf("view:\n"
           "  camera: {from: [0.75, 0.3, 2.6], to: [0.65, 0.1, 0], up: [0, 1, 0]}\n"
           "  traces: [link2/tip]\n"
           "  shapes:\n"
           "    - {body: ground, sphere: 0.05, colour: \"#8f9aa8\"}\n"
           "    - {body: link1, tube: 0.02}\n"
           "    - {body: link1, sphere: 0.04, position: [0.545, 0, 0], colour: \"#555f6d\"}\n"
           "    - {body: link2, tube: 0.015}\n");
}

static void write_fourbar(void)
{
    // strips of aluminium, 10 mm by 3 mm, that bend in the plane
    static const char *const names[] = {"crank", "coupler", "rocker"};
    static const double lengths[] = {0.24, 0.6, 0.5};
    const double EI = 7e10 * 0.01 * pow(0.003, 3) / 12, line_mass = 2700 * 0.01 * 0.003;
    printf(HEAD "name: four-bar linkage of beams\n"
                "gravity: [0, -9.81, 0]\nground:\n  nodes:\n    right: {position: [0.6, 0, 0]}\n"
                "bodies:\n");
    for (int i = 0; i < 3; ++i) {
        const double L = lengths[i];
        beam b = {.length = L,
                  .mass = line_mass * L,
                  .gauss_count = 8,
                  .second_order = 1,
                  .mode_count = 2};
        for (int k = 1; k <= 2; ++k) {
            b.modes[k - 1] = (mode){BEND_Y, CLAMPED_FREE, k, EI * pow(get_root(k), 4) / pow(L, 3)};
        }
        printf("  - name: %s\n", names[i]);
        printf("%s", i == 1 ? "    parent: crank\n    at: tip\n" : i == 2 ? "    at: right\n" : "");
        printf("    hinge: {type: revolute, axis: [0, 0, 1]}\n");
        write_flex(&b);
    }
    printf("loops:\n  - {name: pin, a: {body: rocker, node: tip}, b: {body: coupler, node: tip}, "
           "type: point-line, axis: [0, 0, 1]}\n");
    printf("initial:             # the crank as it is; the rest is closed without bending\n"
           "  crank: {angle: 90 deg, rate: 12}\n  coupler: {angle: -60 deg}\n"
           "  rocker: {angle: 80 deg}\n");
    printf("run:\n  duration: 2\n  interval: 0.01\n  assemble: {hold: [crank]}\n"
           "  integrator: {type: erk, order: 8, tolerance: 1.0e-10}\n");
    printf("outputs: [coupler/tip]\n");
    printf("view:\n"
           "  camera: {from: [0.3, 0.6, 1.9], to: [0.25, 0.15, 0], up: [0, 1, 0]}\n"
           "  traces: [coupler/tip]\n"
           "  shapes:\n"
           "    - {body: crank, tube: 0.008}\n"
           "    - {body: coupler, tube: 0.008}\n"
           "    - {body: rocker, tube: 0.008}\n");
}

static void write_slidercrank(void)
{
    // steel, 8 mm square
    const double L = 0.3, EI = 2e11 * pow(0.008, 4) / 12, line_mass = 7870 * 0.008 * 0.008;
    beam b = {
        .length = L, .mass = line_mass * L, .gauss_count = 8, .second_order = 1, .mode_count = 2};
    for (int k = 1; k <= 2; ++k) {
        b.modes[k - 1] = (mode){BEND_Y, SUPPORTED, k, EI * pow(k * PI, 4) / (2 * pow(L, 3))};
    }
    printf(HEAD "name: slider-crank with an elastic rod\n"
                "bodies:\n");
    printf("  - name: crank\n    hinge: {type: revolute, axis: [0, 0, 1]}\n    mass: 0.36\n"
           "    com: [0.075, 0, 0]\n    inertia: [0, 0.000675, 0.000675, 0, 0, 0]\n"
           "    nodes:\n      tip: {position: [0.15, 0, 0]}\n");
    printf("  - name: rod\n    parent: crank\n    at: tip\n"
           "    hinge: {type: revolute, axis: [0, 0, 1]}\n");
    write_flex(&b);
    printf("  - name: slider\n    hinge: {type: prismatic, axis: [1, 0, 0]}\n"
           "    mass: 0.075552\n");
    printf("loops:\n  - {name: pin, a: {body: slider}, b: {body: rod, node: tip}, "
           "type: point-line, axis: [0, 0, 1]}\n");
    printf("forces:\n  - {name: drive, type: motion, hinge: crank, position: 150*t}\n");
    printf("initial:\n  slider: {distance: 0.45, rate: 0}\n  rod: {rate: -225}\n");
    printf("run: {duration: 0.1, interval: 1.0e-4, integrator: {type: erk, order: 8, tolerance: "
           "1.0e-10, stop_at_outputs: true}}\n");
    printf("outputs: [rod/g3, slider.distance]\n");
    printf("view:\n"
           "  camera: {from: [0.15, -0.35, 0.8], to: [0.15, 0, 0], up: [0, 1, 0]}\n"
           "  traces: [rod/g3]\n"
           "  shapes:\n"
           "    - {body: ground, box: [0.5, 0.006, 0.03], position: [0.32, -0.028, 0], colour: "
           "\"#8f9aa8\"}\n"
           "    - {body: crank, tube: 0.01, nodes: [origin, tip]}\n"
           "    - {body: rod, tube: 0.006}\n"
           "    - {body: slider, box: [0.06, 0.05, 0.05], colour: \"#555f6d\"}\n");
}

// Squares of the clamped-free shapes integrate to one, different ones to zero.
static int check(void)
{
    double s[GAUSS_MAX], w[GAUSS_MAX], worst = 0.0;
    get_gauss(24, s, w);
    for (int i = 1; i <= 6; ++i) {
        for (int j = i; j <= 6; ++j) {
            const mode a = {BEND_Y, CLAMPED_FREE, i, 0}, b = {BEND_Y, CLAMPED_FREE, j, 0};
            double sum = 0.0, x, y, slope;
            for (int k = 0; k < 24; ++k) {
                get_shape(&a, s[k], &x, &slope);
                get_shape(&b, s[k], &y, &slope);
                sum += w[k] * x * y;
            }
            worst = fmax(worst, fabs(sum - (i == j)));
        }
    }
    printf("clamped-free shapes are orthonormal to %.1e\n", worst);
    // 1e-9: hyperbolic functions of 17 cancel seven digits
    return worst < 1e-9 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 1) {
        return check();
    }
    if (strcmp(what, "chain") == 0) {
        write_chain();
    } else if (strcmp(what, "krb") == 0 || strcmp(what, "krb-linear") == 0) {
        write_krb(strcmp(what, "krb") == 0);
    } else if (strcmp(what, "krb-pieces") == 0) {
        write_krb_pieces();
    } else if (strcmp(what, "bar") == 0) {
        write_bar();
    } else if (strcmp(what, "twolink") == 0) {
        write_twolink();
    } else if (strcmp(what, "fourbar") == 0) {
        write_fourbar();
    } else if (strcmp(what, "slidercrank") == 0) {
        write_slidercrank();
    } else {
        fprintf(stderr, "usage: beams [chain|krb|krb-linear|krb-pieces|bar|twolink]\n");
        return 2;
    }
    return 0;
}
