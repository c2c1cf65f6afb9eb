// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Natural modes against closed forms.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

#define PI 3.14159265358979323846

// 1e-13: round-off
#define TOLERANCE 1e-13

// Modes about a configuration, or with a spin where `hinge` is not NULL.
static lb_modes *solve(lb_loaded *l, lb_about about, const char *hinge, double speed)
{
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    options.about = about;
    if (hinge) {
        options.spin = lb_find_speed(l->model, hinge, NULL);
        assert_true(options.spin >= 0);
        options.spin_speed = speed;
    }
    const lb_status status = lb_compute_modes(l->simulation, &options, &modes);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return modes;
}

static double get_omega(const lb_modes *modes, int i)
{
    assert_true(i < modes->mode_count);
    return 2.0 * PI * modes->frequencies[i];
}

// ---- oscillators -------------------------------------------------------------------------------

// Two pendulums joined by a spring: they swing together at sqrt(g/l), against each other at
// sqrt(g/l + 2 k/m).
static const char coupled[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "ground: {nodes: {b: {position: [1, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0.7, com: [0, 0, -0.8], nodes: "
    "{m: "
    "{position: [0, 0, -0.8]}}}\n"
    "  - {name: b, at: b, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0.7, com: [0, 0, -0.8], "
    "nodes: {m: {position: [0, 0, -0.8]}}}\n"
    "forces:\n"
    "  - {name: s, type: spring, between: [a/m, b/m], stiffness: 5, length: 1}\n";

static void coupled_pendulums_swing_together_and_apart(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(coupled, NULL);
    lb_modes *modes = solve(&l, LB_ABOUT_EQUILIBRIUM, NULL, 0.0);
    assert_int_equal(modes->mode_count, 2);
    assert_true(modes->symmetric);
    lb_expect_near("together", get_omega(modes, 0), sqrt(9.81 / 0.8), TOLERANCE);
    lb_expect_near("apart", get_omega(modes, 1), sqrt(9.81 / 0.8 + 2 * 5 / 0.7), TOLERANCE);
    // unit modal mass: 2 m l^2 x^2 = 1
    const double x = 1.0 / sqrt(2 * 0.7 * 0.8 * 0.8);
    const double expected[4] = {x, x, x, -x};
    const double found[4] = {modes->shapes[0], modes->shapes[2], modes->shapes[4],
                             modes->shapes[6]};
    lb_expect_close("shapes", found, expected, 4, 1e-9);
    // together they carry all of the horizontal mass, apart none
    lb_expect_near("effective mass", modes->effective[0], 1.4, 1e-9);
    lb_expect_below("effective mass", modes->effective[6], 1e-9);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

static void damped_oscillator_has_its_damping_ratio(void **state)
{
    (void)state;
    lb_loaded l =
        lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: m, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
                        "  - {name: heavy, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 2}\n"
                        "forces:\n"
                        "  - {name: k, type: spring, hinge: m, stiffness: 50}\n"
                        "  - {name: c, type: damper, hinge: m, damping: 3}\n"
                        "  - {name: K, type: spring, hinge: heavy, stiffness: 6}\n"
                        "  - {name: C, type: damper, hinge: heavy, damping: 8}\n",
                        NULL);
    lb_modes *modes = solve(&l, LB_ABOUT_REST, NULL, 0.0);
    // heavy: 2 s^2 + 8 s + 6 = 0 at s = -1, -3; m: w = 5, zeta = 3 / (2 sqrt(2 50))
    assert_int_equal(modes->mode_count, 3);
    const double real[3] = {modes->eigenvalues[0], modes->eigenvalues[2], modes->eigenvalues[4]};
    const double expected[3] = {-1, -3, -0.75};
    lb_expect_close("real parts", real, expected, 3, TOLERANCE);
    assert_int_equal(modes->kinds[0], LB_MODE_APERIODIC);
    assert_int_equal(modes->kinds[2], LB_MODE_OSCILLATION);
    lb_expect_near("frequency", get_omega(modes, 2), 5.0, TOLERANCE);
    lb_expect_near("damping", modes->dampings[2], 0.15, TOLERANCE);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

static void inverted_pendulum_grows_and_decays(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, 0.5]}\n"
        "  - {name: door, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [0.5, 0, 0.3]}\n",
        NULL);
    lb_modes *modes = solve(&l, LB_ABOUT_REST, NULL, 0.0);
    assert_int_equal(modes->mode_count, 3);
    assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
    assert_true(modes->frequencies[0] == 0.0);
    lb_expect_near("decays", modes->eigenvalues[2], -sqrt(9.81 / 0.5), 1e-12);
    lb_expect_near("grows", modes->eigenvalues[4], sqrt(9.81 / 0.5), 1e-12);
    lb_expect_near("about y", modes->effective_sums[4], 2 * 0.5 * 0.5, 1e-12);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// ---- spin --------------------------------------------------------------------------------------

// A mass on springs in a turning frame: w^4 - (a + b + 2 W^2) w^2 + (a - W^2)(b - W^2) = 0 with
// a = kx/m, b = ky/m. For equal springs w = w0 +- W; between the two it is unstable.
static const char whirl[] = "limber: 1\n"
                            "bodies:\n"
                            "  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                            "inertia: [1, 1, 1, 0, 0, 0]}\n"
                            "  - {name: m, parent: hub, hinge: {type: translational}, mass: 2}\n"
                            "forces:\n"
                            "  - {name: sx, type: spring, hinge: m.0, stiffness: %g}\n"
                            "  - {name: sy, type: spring, hinge: m.1, stiffness: %g}\n"
                            "  - {name: sz, type: spring, hinge: m.2, stiffness: 2e4}\n";

static lb_loaded load_whirl(double kx, double ky)
{
    char text[sizeof whirl + 64];
    snprintf(text, sizeof text, whirl, kx, ky);
    return lb_begin_loaded(text, NULL);
}

static void turning_mass_whirls_forward_and_backward(void **state)
{
    (void)state;
    lb_loaded l = load_whirl(200, 200);
    for (int W = 1; W < 10; W += 4) {
        lb_modes *modes = solve(&l, LB_ABOUT_REST, "hub", W);
        assert_int_equal(modes->mode_count, 3);
        lb_expect_near("backward", get_omega(modes, 0), 10.0 - W, TOLERANCE);
        lb_expect_near("forward", get_omega(modes, 1), 10.0 + W, TOLERANCE);
        lb_expect_near("along the axis", get_omega(modes, 2), 100.0, TOLERANCE);
        // circles, one to each side
        assert_true(modes->dampings[0] == 0.0 && modes->dampings[1] == 0.0);
        const double *x = modes->shapes;
        lb_expect_near("circle", hypot(x[0], x[1]), hypot(x[2], x[3]), 1e-9);
        lb_destroy_modes(modes);
    }
    lb_end_loaded(&l);
}

static void unequal_springs_whirl_as_the_quartic_says(void **state)
{
    (void)state;
    lb_loaded l = load_whirl(200, 450);
    const double a = 100, b = 225, W = 6;
    lb_modes *modes = solve(&l, LB_ABOUT_REST, "hub", W);
    const double p = a + b + 2 * W * W, q = (a - W * W) * (b - W * W);
    lb_expect_near("slow", get_omega(modes, 0), sqrt(0.5 * (p - sqrt(p * p - 4 * q))), TOLERANCE);
    lb_expect_near("fast", get_omega(modes, 1), sqrt(0.5 * (p + sqrt(p * p - 4 * q))), TOLERANCE);
    lb_destroy_modes(modes);

    // between 10 and 15 rad/s one grows
    const double w = 12, s = a + b + 2 * w * w, t = (a - w * w) * (b - w * w);
    modes = solve(&l, LB_ABOUT_REST, "hub", w);
    const double rate = sqrt(-0.5 * (s - sqrt(s * s - 4 * t)));
    lb_expect_near("decays", fabs(modes->eigenvalues[0]), rate, TOLERANCE);
    lb_expect_near("grows", fabs(modes->eigenvalues[2]), rate, TOLERANCE);
    assert_true(modes->eigenvalues[0] * modes->eigenvalues[2] < 0.0);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

static void sweep_follows_lines_through_a_crossing(void **state)
{
    (void)state;
    // two lines, 10 + W and 10 - W, without a spring along the axis
    lb_loaded l = load_whirl(200, 200);
    lb_linear_options options = lb_default_linear_options();
    lb_campbell *campbell;
    double speeds[11];
    for (int i = 0; i < 11; ++i) {
        speeds[i] = 0.8 * i;
    }
    options.about = LB_ABOUT_REST;
    lb_set_force_enabled(lb_get_simulation_forces(l.simulation), 2, 0);
    options.spin = lb_find_speed(l.model, "hub", NULL);
    assert_true(options.spin >= 0);
    lb_expect_ok(lb_compute_campbell(l.simulation, &options, 11, speeds, &campbell));
    assert_int_equal(campbell->line_count, 2);
    const int up = campbell->frequencies[2] > campbell->frequencies[3] ? 0 : 1;
    for (int i = 0; i < 11; ++i) {
        lb_expect_near("forward", 2 * PI * campbell->frequencies[2 * i + up], 10 + speeds[i],
                       TOLERANCE);
        lb_expect_near("backward", 2 * PI * campbell->frequencies[2 * i + 1 - up], 10 - speeds[i],
                       TOLERANCE);
    }
    lb_destroy_campbell(campbell);
    lb_end_loaded(&l);

    // with one of 12 rad/s, which 10 + W crosses
    char text[sizeof whirl + 64];
    snprintf(text, sizeof text, whirl, 200.0, 200.0);
    char *stiff = strstr(text, "2e4");
    memcpy(stiff, "288", 3);
    l = lb_begin_loaded(text, NULL);
    options.spin = lb_find_speed(l.model, "hub", NULL);
    assert_true(options.spin >= 0);
    lb_expect_ok(lb_compute_campbell(l.simulation, &options, 11, speeds, &campbell));
    assert_int_equal(campbell->line_count, 3);
    int still = 0;
    for (int j = 0; j < 3; ++j) {
        int same = 1;
        for (int i = 0; i < 11; ++i) {
            same = same && fabs(2 * PI * campbell->frequencies[3 * i + j] - 12.0) < 1e-7;
        }
        still += same;
    }
    assert_int_equal(still, 1);
    lb_destroy_campbell(campbell);
    lb_end_loaded(&l);
}

// A free body spinning about a principal axis: nutation at W sqrt((C-A)(C-B)/(AB)), seen from the
// body, and the fixed direction of the spin axis, which goes round at W.
static void free_spinning_body_nutates(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: top, hinge: {type: free}, mass: 3, inertia: [2, 3, 4, 0, 0, 0]}\n"
        "initial:\n"
        "  top: {angular_velocity: [0, 0, 5]}\n",
        NULL);
    lb_modes *modes = solve(&l, LB_ABOUT_STEADY, NULL, 0.0);
    const double nutation = 5.0 * sqrt((4.0 - 2.0) * (4.0 - 3.0) / (2.0 * 3.0));
    int found = 0, round = 0, rigid = 0;
    for (int i = 0; i < modes->mode_count; ++i) {
        const double w = get_omega(modes, i);
        rigid += modes->kinds[i] == LB_MODE_RIGID;
        found += fabs(w - nutation) < 1e-10 * nutation;
        round += fabs(w - 5.0) < 1e-6; // a shift drifts away besides: a double root
    }
    assert_int_equal(found, 1);
    assert_int_equal(rigid, 2); // a turn about, and a shift along the axis
    assert_int_equal(round, 3);
    lb_destroy_modes(modes);

    // about the middle axis it tumbles
    const double v[6] = {0, 5, 0, 0, 0, 0};
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_STEADY;
    options.v = v;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    const double rate = 5.0 * sqrt((4.0 - 3.0) * (3.0 - 2.0) / (2.0 * 4.0));
    double most = 0.0;
    for (int i = 0; i < modes->mode_count; ++i) {
        most = fmax(most, modes->eigenvalues[2 * i]);
    }
    lb_expect_near("tumbles", most, rate, 1e-10);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// ---- beams -------------------------------------------------------------------------------------

enum { RITZ = 12, STRETCH = 5, GAUSS = 24, MOST = 2 * RITZ + STRETCH };

// Gauss-Legendre points and weights on 0 to 1.
static void get_gauss(int n, double *s, double *w)
{
    for (int i = 0; i < n; ++i) {
        double x = cos(PI * (i + 0.75) / (n + 0.5)), derivative = 1.0;
        for (int iteration = 0; iteration < 20; ++iteration) {
            double p0 = 1.0, p1 = x;
            for (int k = 2; k <= n; ++k) {
                const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            derivative = n * (x * p1 - p0) / (x * x - 1);
            x -= p1 / derivative;
        }
        s[i] = 0.5 * (1 - x);
        w[i] = 1 / ((1 - x * x) * derivative * derivative);
    }
}

// s^2 P_k(2 s - 1), clamped at 0: value, slope and curvature.
static void get_shape(int k, double s, double out[3])
{
    double p[3] = {1, 0, 0}, before[3] = {0, 0, 0};
    const double x[2] = {2 * s - 1, 2};
    for (int i = 0; i < k; ++i) {
        const double a = (2.0 * i + 1) / (i + 1), b = (double)i / (i + 1);
        const double next[3] = {a * x[0] * p[0] - b * before[0],
                                a * (x[1] * p[0] + x[0] * p[1]) - b * before[1],
                                a * (2 * x[1] * p[1] + x[0] * p[2]) - b * before[2]};
        memcpy(before, p, sizeof p);
        memcpy(p, next, sizeof p);
    }
    out[0] = s * s * p[0];
    out[1] = 2 * s * p[0] + s * s * p[1];
    out[2] = 2 * p[0] + 4 * s * p[1] + s * s * p[2];
}

// Integral of w_i' w_j' from 0 to s.
static double get_shortening(int i, int j, double s)
{
    double at[GAUSS], weight[GAUSS], sum = 0.0;
    get_gauss(GAUSS, at, weight);
    for (int k = 0; k < GAUSS; ++k) {
        double a[3], b[3];
        get_shape(i, s * at[k], a);
        get_shape(j, s * at[k], b);
        sum += s * weight[k] * a[1] * b[1];
    }
    return sum;
}

// A uniform beam of 1 m, 1 kg and 1 N m^2 along x on a revolute hinge about z: frequencies are then
// the dimensionless ones. It bends to z (flap) and to y (chord) and, with `axial` (EA, N) above zero,
// stretches by s P_k(2 s - 1); bending shortens it if second_order is set.
static lb_model *build_beam(int second_order, double axial)
{
    static double shape[GAUSS][MOST][6];
    static lb_second_order short_by[GAUSS][RITZ * (RITZ + 1)];
    static double stiffness[MOST * MOST];
    const int n = 2 * RITZ + (axial > 0.0 ? STRETCH : 0);
    lb_flex_node nodes[GAUSS];
    char names[GAUSS][8];
    double s[GAUSS], w[GAUSS];
    get_gauss(GAUSS, s, w);
    memset(stiffness, 0, sizeof stiffness);
    memset(shape, 0, sizeof shape);
    for (int g = 0; g < GAUSS; ++g) {
        nodes[g] = lb_default_flex_node();
        snprintf(names[g], sizeof names[g], "g%d", g);
        nodes[g].name = names[g];
        nodes[g].position[0] = s[g];
        nodes[g].mass = w[g];
        nodes[g].shape = shape[g][0];
        nodes[g].second_order = short_by[g];
        int count = 0;
        for (int i = 0; i < RITZ; ++i) {
            double a[3];
            get_shape(i, s[g], a);
            shape[g][i][1] = -a[1];
            shape[g][i][5] = a[0];
            shape[g][RITZ + i][2] = a[1];
            shape[g][RITZ + i][4] = a[0];
            for (int j = 0; j < RITZ; ++j) {
                double b[3];
                get_shape(j, s[g], b);
                stiffness[i * n + j] += w[g] * a[2] * b[2];
                stiffness[(RITZ + i) * n + RITZ + j] += w[g] * a[2] * b[2];
                if (j >= i) {
                    const double by = get_shortening(i, j, s[g]);
                    short_by[g][count++] = (lb_second_order){i, j, {-by, 0, 0}};
                    short_by[g][count++] = (lb_second_order){RITZ + i, RITZ + j, {-by, 0, 0}};
                }
            }
        }
        for (int i = 2 * RITZ; i < n; ++i) {
            // s P = (s^2 P) / s, its slope (2 s P + s^2 P') / s - s P / s
            double a[3], b[3];
            get_shape(i - 2 * RITZ, s[g], a);
            shape[g][i][3] = a[0] / s[g];
            for (int j = 2 * RITZ; j < n; ++j) {
                get_shape(j - 2 * RITZ, s[g], b);
                stiffness[i * n + j] += axial * w[g] * (a[1] / s[g] - a[0] / (s[g] * s[g])) *
                                        (b[1] / s[g] - b[0] / (s[g] * s[g]));
            }
        }
        nodes[g].second_order_count = second_order ? count : 0;
    }
    const lb_flex_options flex = {.size = sizeof flex,
                                  .mode_count = n,
                                  .node_count = GAUSS,
                                  .nodes = nodes,
                                  .stiffness = stiffness};
    lb_body_options body = lb_default_body_options();
    body.name = "beam";
    body.hinge.type = LB_HINGE_REVOLUTE;
    body.hinge.axis[2] = 1.0;
    body.flex = &flex;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_model *model = NULL;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

// Whether a mode bends to z rather than to y.
static int is_flap(const lb_modes *modes, int i)
{
    double flap = 0.0;
    for (int k = 0; k < RITZ; ++k) {
        flap += modes->shares[i * modes->coordinate_count + k];
    }
    return flap > 0.5;
}

// Flap frequencies of a rotating cantilever without a hub, w sqrt(m L^4 / EI) against the speed in the
// same unit: Wright, Smith, Thresher and Wang (1982), here recomputed by a Ritz method in twice as many
// terms; chord^2 = flap^2 - W^2 for a beam that does not stretch.
static void rotating_beam_stiffens_as_published(void **state)
{
    (void)state;
    static const struct {
        double speed, flap[3], chord[3];
    } table[] = {
        {0,
         {3.516015268213, 22.034491559464, 61.697214412993},
         {3.516015268213, 22.034491559464, 61.697214412993}},
        {1,
         {3.681646817892, 22.181011222672, 61.841762588660},
         {3.543236269828, 22.158457883169, 61.833676906959}},
        {2,
         {4.137319573162, 22.614921958760, 62.273184104683},
         {3.621796963605, 22.526311165652, 62.241059266673}},
        {4,
         {5.585001420475, 24.273349386817, 63.966760492824},
         {3.897722523094, 23.941501425282, 63.841573037130}},
        {6,
         {7.360373019628, 26.809081683380, 66.683914381134},
         {4.263225421225, 26.129042481035, 66.413435667930}},
        {12,
         {13.170150486899, 37.603112324009, 79.614478489635},
         {5.427049278162, 35.636975981826, 78.704924783712}},
    };
    lb_loaded l = lb_begin_loaded("limber: 1\n", build_beam(1, 0.0));
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        lb_modes *modes = solve(&l, LB_ABOUT_REST, "beam", table[i].speed);
        double found[2][3] = {{0}};
        int count[2] = {0, 0};
        for (int k = 0; k < modes->mode_count; ++k) {
            const int kind = is_flap(modes, k) ? 0 : 1;
            if (count[kind] < 3) {
                found[kind][count[kind]++] = get_omega(modes, k);
            }
        }
        // 1e-8: the table is converged to 1e-7 of the fourth mode, 1e-9 of the first three
        lb_expect_close("flap", found[0], table[i].flap, 3, 1e-8);
        lb_expect_close("chord", found[1], table[i].chord, 3, 1e-8);
        lb_destroy_modes(modes);
    }
    lb_end_loaded(&l);

    // without second-order displacements it softens instead
    l = lb_begin_loaded("limber: 1\n", build_beam(0, 0.0));
    lb_modes *modes = solve(&l, LB_ABOUT_REST, "beam", 2.0);
    lb_expect_near("flap", get_omega(modes, 1), 3.516015268213, 1e-8);
    lb_expect_near("chord", get_omega(modes, 0), sqrt(3.516015268213 * 3.516015268213 - 4.0), 1e-8);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// With stretch, Coriolis forces couple chord and axial motion. First chord frequency of a beam of
// slenderness 70, EA L^2 / EI = 4900: Hamza-Cherif and Houmat, 24th ICAS (2004), table 2. They
// linearise about the beam unstretched, we about the steady motion, in which it is longer by a share
// of about W^2 / 3 4900 and is pulled the more: 1e-3 of the frequency at W = 4, more beyond.
static void stretch_lowers_the_chord_frequency_as_published(void **state)
{
    (void)state;
    static const double speeds[] = {2, 4}, published[] = {3.6195, 3.888};
    static const double unstretched[] = {3.621796963605, 3.897722523094};
    lb_loaded l = lb_begin_loaded("limber: 1\n", build_beam(1, 4900.0));
    for (int i = 0; i < 2; ++i) {
        lb_modes *modes = solve(&l, LB_ABOUT_REST, "beam", speeds[i]);
        int k = 0;
        while (is_flap(modes, k)) {
            ++k;
        }
        lb_expect_near("chord", get_omega(modes, k), published[i], 1e-3);
        assert_true(get_omega(modes, k) < unstretched[i]);
        lb_destroy_modes(modes);
    }
    lb_end_loaded(&l);
}

// The same beam free to turn about z is pinned at its end: b^4 with tan b = tanh b, and a rigid turn.
static void hinge_left_free_makes_a_pinned_beam(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded("limber: 1\n", build_beam(1, 0.0));
    lb_modes *modes = solve(&l, LB_ABOUT_REST, NULL, 0.0);
    assert_true(modes->symmetric);
    assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
    assert_int_not_equal(modes->kinds[1], LB_MODE_RIGID);
    double b = 3.9266;
    for (int i = 0; i < 20; ++i) {
        const double t = tan(b), h = tanh(b);
        b -= (t - h) / (t * t + h * h);
    }
    // clamped in flap, pinned in chord: 3.516, 15.418, 22.034
    lb_expect_near("clamped", get_omega(modes, 1), 3.516015268213, 1e-9);
    lb_expect_near("pinned", get_omega(modes, 2), b * b, 1e-9);
    // all of the mass is in bending to z, an inertia of 1/3 about z in the turn
    lb_expect_near("mass", modes->mass, 1.0, 1e-12);
    lb_expect_near("turn", modes->effective[5], 1.0 / 3.0, 1e-9);
    // s^2 to s^13 make up a uniform shift but for a square of the product of (k / (k + 1))^2, 1/49
    lb_expect_near("sum", modes->effective_sums[2], 1.0 - 1.0 / 49.0, 1e-9);
    lb_expect_near("sum", modes->effective_sums[5], 1.0 / 3.0, 1e-9);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// ---- what is no point --------------------------------------------------------------------------

static void expect_refusal(lb_loaded *l, const lb_linear_options *options, lb_status status,
                           const char *words)
{
    lb_modes *modes;
    assert_int_equal(lb_compute_modes(l->simulation, options, &modes), status);
    assert_null(modes);
    const char *message = lb_get_simulation_message(l->simulation);
    if (!strstr(message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", message, words);
    }
}

static void motions_that_are_not_steady_are_refused(void **state)
{
    (void)state;
    lb_linear_options options = lb_default_linear_options();
    lb_loaded l = lb_begin_loaded(coupled, NULL);
    const double v[2] = {1.0, 0.0};
    options.about = LB_ABOUT_STEADY;
    options.v = v;
    // it hangs straight, without acceleration, for an instant
    expect_refusal(&l, &options, LB_E_EQUILIBRIUM, "a.angle");
    lb_end_loaded(&l);

    // what falls has no equilibrium
    l = lb_begin_loaded("limber: 1\n"
                        "gravity: [0, 0, -9.81]\n"
                        "bodies:\n"
                        "  - {name: stone, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, "
                        "0]}\n",
                        NULL);
    options = lb_default_linear_options();
    options.about = LB_ABOUT_EQUILIBRIUM;
    expect_refusal(&l, &options, LB_E_EQUILIBRIUM, "stone.shift.z");
    lb_end_loaded(&l);

    // springs fixed in the world hold a disc of unequal inertias that turns: equations change
    l = lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: frame, hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]}, "
                        "mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
                        "  - {name: disc, parent: frame, hinge: {type: revolute, axis: [0, 0, 1]}, "
                        "mass: 1, inertia: [1, 2, 3, 0, 0, 0]}\n"
                        "forces:\n"
                        "  - {name: a, type: spring, hinge: frame.0, stiffness: 10}\n"
                        "  - {name: b, type: spring, hinge: frame.1, stiffness: 10}\n",
                        NULL);
    options = lb_default_linear_options();
    options.about = LB_ABOUT_STEADY;
    options.spin = 2;
    options.spin_speed = 3.0;
    expect_refusal(&l, &options, LB_E_EQUILIBRIUM, "change along it");
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_pendulums_swing_together_and_apart),
        cmocka_unit_test(damped_oscillator_has_its_damping_ratio),
        cmocka_unit_test(inverted_pendulum_grows_and_decays),
        cmocka_unit_test(turning_mass_whirls_forward_and_backward),
        cmocka_unit_test(unequal_springs_whirl_as_the_quartic_says),
        cmocka_unit_test(sweep_follows_lines_through_a_crossing),
        cmocka_unit_test(free_spinning_body_nutates),
        cmocka_unit_test(rotating_beam_stiffens_as_published),
        cmocka_unit_test(stretch_lowers_the_chord_frequency_as_published),
        cmocka_unit_test(hinge_left_free_makes_a_pinned_beam),
        cmocka_unit_test(motions_that_are_not_steady_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
