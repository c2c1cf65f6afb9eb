// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Deviations from motions that repeat themselves, (FLQ-1) to (FLQ-7): against Mathieu's chart, programs of a few
// equations, invariants, and differences of runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/linear.h"

static const double two_pi = 6.283185307179586;

static lb_linear *linearize(lb_course *course, double period)
{
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.period = period;
    options.control = LB_CONTROL_CONTINUOUS;
    if (lb_linearize(course->simulation, &options, &linear) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return linear;
}

static lb_modes *find_modes(lb_course *course, double period)
{
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    options.period = period;
    options.control = LB_CONTROL_CONTINUOUS;
    if (lb_compute_modes(course->simulation, &options, &modes) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return modes;
}

static int descend(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Real parts of exponents, descending, are as expected.
static void expect_exponents(const lb_linear *linear, int count, const double *expected,
                             double bound)
{
    double real[32];
    assert_int_equal(linear->state_count, count);
    for (int i = 0; i < count; ++i) {
        real[i] = linear->eigenvalues[2 * i];
    }
    qsort(real, (size_t)count, sizeof *real, descend);
    lb_expect_within("exponents", real, expected, count, bound);
    lb_expect_below("growth", linear->growth[0] - fmax(0.0, expected[0]), bound);
    assert_int_equal(linear->stable, !(expected[0] > 0.0));
}

// Source: ../shared/cases, from a program of the equations alone and from runs.
static void driven_machines_have_exponents(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int count;
        double rate, exponents[4];
    } cases[] = {{"driven_rotor", 4, 90.0, {10.528, -0.0429, -0.0429, -11.276}},
                 {"driven_pivot", 2, 6.264183905346329, {0.2868, -0.3368}}};
    for (int i = 0; i < 2; ++i) {
        char path[100];
        snprintf(path, sizeof path, "../test/cases/%s.yaml", cases[i].name);
        lb_course course = lb_begin_example(path);
        lb_linear *linear = linearize(&course, -1.0);
        lb_expect_near("period", linear->period, two_pi / cases[i].rate, 1e-12);
        // 1e-3: as many digits as were given
        expect_exponents(linear, cases[i].count, cases[i].exponents, 1e-3);
        assert_false(linear->stable);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// ---- Mathieu -----------------------------------------------------------------------------------

// A pendulum of length 1 whose pivot shakes by A sin(w t):
//
//     d2x/ds2 + (a - 2 q cos 2s) x = 0,   s = w t / 2 + pi / 4,   a = 4 g / w^2,   q = 2 A
//
// with weight g along the hanging pendulum; below zero it is upside down.
static bool is_mathieu_stable(double a, double q)
{
    const double rate = 20.0;
    char text[1000];
    snprintf(
        text, sizeof text,
        "limber: 1\ngravity: [0, 0, %.17g]\nbodies:\n"
        "  - {name: pivot, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}\n"
        "  - {name: bob, parent: pivot, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: "
        "[0, 0, -1]}\n"
        "forces:\n  - {name: shake, type: motion, hinge: pivot, position: {sine: {amplitude: "
        "%.17g, rate: %.17g}}}\n",
        -a * rate * rate / 4.0, q / 2.0, rate);
    lb_course course = lb_begin_course(text);
    lb_linear *linear = linearize(&course, -1.0);
    // undamped: reciprocal multipliers
    const double *z = linear->multipliers;
    const double product[2] = {z[0] * z[2] - z[1] * z[3], z[0] * z[3] + z[1] * z[2]};
    const double one[2] = {1.0, 0.0};
    lb_expect_within("product", product, one, 2, 1e-9);
    const bool stable = linear->stable;
    lb_destroy_linear(linear);
    lb_end_course(&course);
    return stable;
}

// Characteristic values of Mathieu's equation. Source: scipy.special.mathieu_a and mathieu_b, version 1.10.1.
static void a_shaken_pendulum_has_mathieus_chart(void **state)
{
    (void)state;
    static const struct {
        double q, a0, b1, a1, b2, a2;
    } chart[] = {{0.2, -0.019913296358437527, 0.7951238680838633, 1.1948740592044615,
                  3.9966672451382044, 4.016579152969467},
                 {1.0, -0.45513860410741364, -0.11024881699209521, 1.8591080725143634,
                  3.917024772998471, 4.371300982735086},
                 {3.0, -2.8343918899043112, -2.78537969982766, 2.519039087508437,
                  3.2769219697903145, 6.0451968522348185}};
    // upside down, a < 0, the pendulum is stable from a0 to b1 only (Kapitza)
    const double near = 1e-6;
    for (int i = 0; i < 3; ++i) {
        const double q = chart[i].q;
        assert_false(is_mathieu_stable(chart[i].a0 - near, q));
        assert_true(is_mathieu_stable(chart[i].a0 + near, q));
        assert_true(is_mathieu_stable(chart[i].b1 - near, q));
        assert_false(is_mathieu_stable(chart[i].b1 + near, q));
        assert_false(is_mathieu_stable(chart[i].a1 - near, q));
        assert_true(is_mathieu_stable(chart[i].a1 + near, q));
        assert_true(is_mathieu_stable(chart[i].b2 - near, q));
        assert_false(is_mathieu_stable(chart[i].b2 + near, q));
        assert_false(is_mathieu_stable(chart[i].a2 - near, q));
        assert_true(is_mathieu_stable(chart[i].a2 + near, q));
    }
}

// ---- rotors ------------------------------------------------------------------------------------

// A support of 2 kg on bearings of 8000 and 12000 N/m with 4 N s/m, a disc of 3 kg on a shaft with 9000 and
// 6000 N/m in its own axes:
//
//     M x'' = -k x - c x' - R K R'(x - X),   m X'' = -R K R'(X - x)
//
// Source: these equations, by scipy's DOP853 at 1e-12.
static void a_shaft_with_unequal_stiffness_has_exponents(void **state)
{
    (void)state;
    static const struct {
        double speed, exponents[8];
    } runs[] = {{30.0,
                 {-0.29445285, -0.29445285, -0.41951268, -0.41951268, -0.43425448, -0.43425448,
                  -0.85177999, -0.85177999}},
                {38.0,
                 {0.50697878, -0.20888958, -0.20888958, -0.7904615, -0.81217643, -0.81217643,
                  -0.83719263, -0.83719263}},
                {80.0,
                 {-0.11502407, -0.11502407, -0.17541604, -0.17541604, -0.82517857, -0.82517857,
                  -0.88438132, -0.88438132}}};
    for (int i = 0; i < 3; ++i) {
        char text[1500];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: sx, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0}\n"
                 "  - {name: sy, parent: sx, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 2}\n"
                 "  - {name: hub, parent: sy, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0}\n"
                 "  - {name: u, parent: hub, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0}\n"
                 "  - {name: v, parent: u, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 3}\n"
                 "forces:\n"
                 "  - {name: kx, type: spring, hinge: sx, stiffness: 8000}\n"
                 "  - {name: ky, type: spring, hinge: sy, stiffness: 12000}\n"
                 "  - {name: cx, type: damper, hinge: sx, damping: 4}\n"
                 "  - {name: cy, type: damper, hinge: sy, damping: 4}\n"
                 "  - {name: ku, type: spring, hinge: u, stiffness: 9000}\n"
                 "  - {name: kv, type: spring, hinge: v, stiffness: 6000}\n"
                 "  - {name: spin, type: motion, hinge: hub, speed: %.17g}\n",
                 runs[i].speed);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, -1.0);
        // 2e-8: digits of the source
        expect_exponents(linear, 8, runs[i].exponents, 2e-8);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

static const char *write_blades(double speed, const char *spin)
{
    static char text[2500];
    snprintf(
        text, sizeof text, "%s",
        "limber: 1\nbodies:\n"
        "  - {name: sx, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0}\n"
        "  - {name: sy, parent: sx, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 40}\n"
        "  - {name: hub, parent: sy, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0, inertia: "
        "[1, 1, 1, 0, 0, 0], nodes: {a: {position: [0.3, 0, 0]}, b: {position: [-0.3, 0, 0]}}}\n"
        "  - {name: a, parent: hub, at: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, "
        "com: [2, 0, 0]}\n"
        "  - {name: b, parent: hub, at: b, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, "
        "com: [-2, 0, 0]}\n"
        "forces:\n"
        "  - {name: kx, type: spring, hinge: sx, stiffness: 30000}\n"
        "  - {name: ky, type: spring, hinge: sy, stiffness: 50000}\n"
        "  - {name: cx, type: damper, hinge: sx, damping: 60}\n"
        "  - {name: cy, type: damper, hinge: sy, damping: 60}\n"
        "  - {name: ka, type: spring, hinge: a, stiffness: 200}\n"
        "  - {name: kb, type: spring, hinge: b, stiffness: 200}\n"
        "  - {name: ca, type: damper, hinge: a, damping: 4}\n"
        "  - {name: cb, type: damper, hinge: b, damping: 4}\n");
    if (spin) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  - {name: spin, type: motion, hinge: %s, speed: %.17g}\n", spin, speed);
    }
    return text;
}

// Two blades with lag hinges on a support that is stiffer one way:
//
//     (M + 2 m) X'' + C X' + K X + sum of m l (z'' n - 2 W z' u - W^2 z n) = 0
//     m l^2 z'' + c z' + (k + m e l W^2) z + m l n.X'' = 0
//
// Source: these equations (Coleman and Feingold, 1958), by scipy's DOP853 at 1e-12.
static void a_rotor_with_two_blades_has_exponents(void **state)
{
    (void)state;
    static const struct {
        double speed, exponents[8];
    } runs[] = {
        {20.0,
         {1.79295909, -0.1, -0.1, -0.57353192, -0.57353192, -0.60513221, -0.60513221, -2.38563084}},
        {27.5,
         {0.82802713, 0.82802713, -0.1, -0.1, -0.48585574, -0.48585574, -1.81717139, -1.81717139}},
        {40.0,
         {-0.1, -0.1, -0.41197717, -0.41197717, -0.51299307, -0.51299307, -0.55002976,
          -0.55002976}}};
    for (int i = 0; i < 3; ++i) {
        lb_course course = lb_begin_course(write_blades(runs[i].speed, "hub"));
        lb_linear *linear = linearize(&course, -1.0);
        expect_exponents(linear, 8, runs[i].exponents, 2e-8);
        lb_destroy_linear(linear);
        lb_end_course(&course);
        // the same by `spin`
        course = lb_begin_course(write_blades(0.0, NULL));
        lb_linear_options options = lb_default_linear_options();
        options.period = -1.0;
        options.spin = lb_find_speed(course.model, "hub", NULL);
        options.spin_speed = runs[i].speed;
        lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
        expect_exponents(linear, 8, runs[i].exponents, 2e-8);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// ---- differences of runs -----------------------------------------------------------------------

// Where a run from a state is after a time.
static void run_from(const char *text, const double *q, const double *v, double time, double *q_end,
                     double *v_end)
{
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, LB_INTEGRATOR_ERK, 8, 1e-13, 0.0);
    // no interpolation
    lb_run_options options = {.size = sizeof options};
    lb_expect_ok(lb_get_run_options(course.simulation, &options));
    options.stop_at_outputs = true;
    lb_expect_ok(lb_set_run_options(course.simulation, &options));
    lb_expect_ok(lb_set_initial_state(course.simulation, q, v));
    lb_start_course(&course);
    (void)lb_go_to(&course, time);
    memcpy(q_end, course.q, (size_t)course.q_count * sizeof *q);
    memcpy(v_end, course.v, (size_t)course.v_count * sizeof *v);
    lb_end_course(&course);
}

// A over a period against central differences of runs. Without loops.
static void compare_with_runs(const char *text, double period, double bound)
{
    lb_course course = lb_begin_course(text);
    lb_linear *linear = linearize(&course, period);
    const int n = linear->coordinate_count, w = 2 * n, v_count = linear->v_count;
    double *differences = lb_make_numbers((size_t)(w * w));
    for (int j = 0; j < w; ++j) {
        double q[2][64], v[2][64], way[64], start[64], speed[64];
        const double h = 2e-5;
        for (int side = 0; side < 2; ++side) {
            const double step = side ? h : -h;
            memset(way, 0, sizeof way);
            memcpy(speed, linear->v, (size_t)v_count * sizeof *speed);
            way[linear->coordinates[j % n]] = j < n ? step : 0.0;
            speed[linear->coordinates[j % n]] += j < n ? 0.0 : step;
            lb_integrate_configuration(course.model, linear->q, way, start);
            run_from(text, start, speed, linear->period, q[side], v[side]);
        }
        lb_difference_configuration(course.model, q[0], q[1], way);
        for (int i = 0; i < n; ++i) {
            const int entry = linear->coordinates[i];
            differences[i * w + j] = way[entry] / (2.0 * h);
            differences[(n + i) * w + j] = (v[1][entry] - v[0][entry]) / (2.0 * h);
        }
    }
    lb_expect_close("A", linear->A, differences, w * w, bound);
    free(differences);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// A ball joint on a shaken base, which swings with it: a motion that has to be found.
static void deviations_are_differences_of_runs(void **state)
{
    (void)state;
    compare_with_runs(
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: base, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: rod, parent: base, hinge: {type: spherical}, mass: 1, com: [0, 0, -0.5], "
        "inertia: [0.3, 0.35, 0.1, 0.01, 0, 0.02]}\n"
        "  - {name: tip, parent: rod, hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]}, "
        "mass: "
        "0.5, com: [0, 0, -0.3], inertia: [0.05, 0.05, 0.02, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: shake, type: motion, hinge: base, position: {sine: {amplitude: 0.2, rate: "
        "9}}}\n"
        "  - {name: c0, type: damper, hinge: rod.0, damping: 0.4}\n"
        "  - {name: c1, type: damper, hinge: rod.1, damping: 0.4}\n"
        "  - {name: c2, type: damper, hinge: rod.2, damping: 0.4}\n"
        "  - {name: k0, type: spring, hinge: tip.0, stiffness: 3}\n"
        "  - {name: k1, type: spring, hinge: tip.1, stiffness: 4}\n"
        "  - {name: d0, type: damper, hinge: tip.0, damping: 0.2}\n"
        "  - {name: d1, type: damper, hinge: tip.1, damping: 0.2}\n",
        -1.0, 1e-6);
}

// A flexible appendage on a satellite that flies, with a rotor that is driven and not balanced.
static void deviations_of_free_and_flexible_bodies_are_differences_of_runs(void **state)
{
    (void)state;
    compare_with_runs(
        "limber: 1\nbodies:\n"
        "  - {name: bus, hinge: {type: free}, mass: 50, inertia: [6, 7, 8, 0, 0, 0], nodes: {w: "
        "{position: [0, 0, 0.4]}, p: {position: [0, 0.5, 0]}}}\n"
        "  - {name: wheel, parent: bus, at: w, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 4, "
        "com: "
        "[0.05, 0, 0], inertia: [0.1, 0.2, 0.25, 0, 0, 0.01]}\n"
        "  - name: panel\n"
        "    parent: bus\n"
        "    at: p\n"
        "    hinge: {type: fixed}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: root, position: [0, 0, 0], mass: 0.1, shape: [[0, 0, 0, 0, 0, 0], [0, 0, "
        "0, "
        "0, 0, 0]]}\n"
        "        - {name: mid, position: [0, 1, 0], mass: 1, shape: [[0.5, 0, 0, 0, 0, 0.3], [0, "
        "0, 0, "
        "0.4, 0, 0.2]]}\n"
        "        - {name: tip, position: [0, 2, 0], mass: 1, shape: [[0.9, 0, 0, 0, 0, 1], [-0.2, "
        "0, "
        "0, 1, 0, 0]]}\n"
        "      stiffness: [[30, 0], [0, 55]]\n"
        "      damping: [[0.4, 0], [0, 0.5]]\n"
        "forces:\n"
        "  - {name: spin, type: motion, hinge: wheel, speed: 12}\n"
        "initial: {bus: {velocity: [3, -2, 1]}}\n",
        -1.0, 1e-6);
}

// A chain with hinges of most types on a base that shakes.
static void deviations_of_all_hinges_are_differences_of_runs(void **state)
{
    (void)state;
    compare_with_runs(
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: base, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: a, parent: base, hinge: {type: cylindrical, axis: [0, 1, 0]}, mass: 1, com: "
        "[0, 0, "
        "-0.3], inertia: [0.1, 0.12, 0.05, 0, 0, 0], nodes: {n: {position: [0, 0, -0.5]}}}\n"
        "  - {name: b, parent: a, at: n, hinge: {type: planar}, mass: 0.7, com: [0.1, 0, -0.2], "
        "inertia: "
        "[0.05, 0.04, 0.03, 0, 0, 0], nodes: {n: {position: [0, 0, -0.3]}}}\n"
        "  - {name: c, parent: b, at: n, hinge: {type: screw, axis: [0, 1, 0], pitch: 0.05}, mass: "
        "0.5, "
        "com: [0, 0.1, -0.2], inertia: [0.02, 0.03, 0.02, 0, 0, 0]}\n"
        "  - {name: d, parent: c, hinge: {type: translational}, mass: 0.3}\n"
        "forces:\n"
        "  - {name: shake, type: motion, hinge: base, position: {sine: {amplitude: 0.05, rate: "
        "9}}}\n"
        "  - {name: a0, type: spring, hinge: a.0, stiffness: 3}\n"
        "  - {name: a1, type: spring, hinge: a.1, stiffness: 40}\n"
        "  - {name: a2, type: damper, hinge: a.0, damping: 0.4}\n"
        "  - {name: a3, type: damper, hinge: a.1, damping: 3}\n"
        "  - {name: b0, type: spring, hinge: b.0, stiffness: 90}\n"
        "  - {name: b1, type: spring, hinge: b.1, stiffness: 80}\n"
        "  - {name: b2, type: spring, hinge: b.2, stiffness: 3}\n"
        "  - {name: b3, type: damper, hinge: b.0, damping: 3}\n"
        "  - {name: b4, type: damper, hinge: b.1, damping: 3}\n"
        "  - {name: b5, type: damper, hinge: b.2, damping: 0.3}\n"
        "  - {name: c0, type: spring, hinge: c, stiffness: 2}\n"
        "  - {name: c1, type: damper, hinge: c, damping: 0.2}\n"
        "  - {name: d0, type: spring, hinge: d.0, stiffness: 70}\n"
        "  - {name: d1, type: spring, hinge: d.1, stiffness: 60}\n"
        "  - {name: d2, type: spring, hinge: d.2, stiffness: 50}\n"
        "  - {name: d3, type: damper, hinge: d.0, damping: 2}\n"
        "  - {name: d4, type: damper, hinge: d.1, damping: 2}\n"
        "  - {name: d5, type: damper, hinge: d.2, damping: 2}\n",
        -1.0, 1e-6);
}

// Where in the turn the motion starts does not matter.
static void exponents_are_those_of_any_start(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/driven_rotor.yaml");
    lb_linear *first = linearize(&course, -1.0), *later = NULL;
    lb_linear_options options = lb_default_linear_options();
    options.period = -1.0;
    options.t = 0.37 * first->period;
    lb_expect_ok(lb_linearize(course.simulation, &options, &later));
    // 1e-9: errors over a period, 1e-10, beside exponents of 10 1/s in a period of 0.07 s
    lb_expect_close("exponents", later->eigenvalues, first->eigenvalues, 8, 1e-9);
    lb_destroy_linear(first);
    lb_destroy_linear(later);
    lb_end_course(&course);
}

// A free rotor with unequal inertias has the exponents of a driven one, and two that are zero: its angle and speed.
static void free_rotors_turn_like_driven_ones(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\nbodies:\n"
        "  - {name: sup, hinge: {type: universal, axes: [[1,0,0],[0,1,0]]}, mass: 1, inertia: "
        "[0.1,0.1,0.1,0,0,0]}\n"
        "  - {name: rot, parent: sup, hinge: {type: revolute, axis: [0,0,1]}, mass: 2, inertia: "
        "[0.1,0.2,0.25,0,0,0]}\n"
        "forces:\n"
        "  - {name: kx, type: spring, hinge: sup.0, stiffness: 300}\n"
        "  - {name: ky, type: spring, hinge: sup.1, stiffness: 300}\n"
        "  - {name: cx, type: damper, hinge: sup.0, damping: 0.1}\n"
        "  - {name: cy, type: damper, hinge: sup.1, damping: 0.1}\n"
        "initial: {sup: {q: [1.0e-6, 0]}, rot: {rate: 90}}\n");
    static const double exponents[] = {10.528, 0.0, 0.0, -0.0429, -0.0429, -11.276};
    lb_linear *linear = linearize(&course, -1.0);
    assert_int_equal(linear->zero_count, 2);
    expect_exponents(linear, 6, exponents, 1e-3);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- invariants --------------------------------------------------------------------------------

// Liouville: the product of multipliers is exp(integral of tr A), tr A from frozen models on the way.
static void multipliers_have_liouvilles_product(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(write_blades(20.0, "hub"));
    lb_linear *linear = linearize(&course, -1.0);
    double sum = 0.0, trace = 0.0;
    enum { POINTS = 24 };
    for (int i = 0; i < linear->state_count; ++i) {
        sum += linear->eigenvalues[2 * i];
    }
    for (int k = 0; k < POINTS; ++k) {
        lb_linear_options options = lb_default_linear_options();
        lb_linear *frozen = NULL;
        options.t = linear->period * k / POINTS;
        options.q = linear->q;
        options.v = linear->v;
        lb_expect_ok(lb_linearize(course.simulation, &options, &frozen));
        for (int i = 0; i < frozen->state_count; ++i) {
            trace += frozen->A[i * (frozen->state_count + 1)] / POINTS;
        }
        lb_destroy_linear(frozen);
    }
    // the trapezium rule of a periodic function; exponents are known to 1e-10 over the period
    lb_expect_near("sum of exponents", sum, trace, 1e-9);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// Without damping, multipliers are z and 1 / z, and those on the circle do not grow.
static void undamped_rotors_have_reciprocal_multipliers(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies:\n"
            "  - {name: sup, hinge: {type: universal, axes: [[1,0,0],[0,1,0]]}, mass: 1, inertia: "
            "[0.1,0.1,0.1,0,0,0]}\n"
            "  - {name: rot, parent: sup, hinge: {type: revolute, axis: [0,0,1]}, mass: 2, "
            "inertia: "
            "[0.1,0.2,0.25,0,0,0]}\n"
            "forces:\n  - {name: kx, type: spring, hinge: sup.0, stiffness: 300}\n"
            "  - {name: ky, type: spring, hinge: sup.1, stiffness: 300}\n"
            "  - {name: spin, type: motion, hinge: rot, speed: %d}\n",
            i ? 90 : 20);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, -1.0);
        assert_int_equal(linear->stable, !i);
        for (int a = 0; a < 4; ++a) {
            const double *z = linear->multipliers + 2 * a;
            double nearest = INFINITY;
            for (int b = 0; b < 4; ++b) {
                const double *y = linear->multipliers + 2 * b;
                nearest = fmin(nearest,
                               hypot(z[0] * y[0] - z[1] * y[1] - 1.0, z[0] * y[1] + z[1] * y[0]));
            }
            lb_expect_below("z y - 1", nearest, 1e-9);
        }
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// ---- loops, controllers, scales ----------------------------------------------------------------

// A blade that a loop holds to the hub is a blade on a hinge.
static void loops_give_what_hinges_give(void **state)
{
    (void)state;
    static const char model[] =
        "limber: 1\nbodies:\n"
        "  - {name: sx, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0}\n"
        "  - {name: sy, parent: sx, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 40}\n"
        "  - {name: hub, parent: sy, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0, inertia: "
        "[1, 1, 1, "
        "0, 0, 0], nodes: {a: {position: [0.3, 0, 0]}, b: {position: [-0.3, 0, 0]}}}\n"
        "  - {name: a, parent: hub, at: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, com: "
        "[2, 0, "
        "0], inertia: [0, 20.5, 20.5, 0, 0, 0]}\n"
        "  - {name: b, %s, mass: 5, com: [-2, 0, 0], inertia: [0, 20.5, 20.5, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: kx, type: spring, hinge: sx, stiffness: 30000}\n"
        "  - {name: ky, type: spring, hinge: sy, stiffness: 50000}\n"
        "  - {name: cx, type: damper, hinge: sx, damping: 60}\n"
        "  - {name: cy, type: damper, hinge: sy, damping: 60}\n"
        "  - {name: ka, type: spring, hinge: a, stiffness: 200}\n"
        "  - {name: ca, type: damper, hinge: a, damping: 4}\n"
        "  - {name: spin, type: motion, hinge: hub, speed: 27.5}\n%s";
    static const char *const parts[2][2] = {
        {"parent: hub, at: b, hinge: {type: revolute, axis: [0, 0, 1]}",
         "  - {name: kb, type: spring, hinge: b, stiffness: 200}\n"
         "  - {name: cb, type: damper, hinge: b, damping: 4}\n"},
        {"hinge: {type: planar}", "  - {name: kb, type: motor, hinge: b.2, value: "
                                  "\"-200*(b.q.2-hub.angle)-4*(b.v.2-hub.rate)\"}\n"
                                  "loops: [{name: pin, a: {body: hub, node: b}, b: {body: b}, "
                                  "type: revolute, axis: [0, 0, 1]}]\n"
                                  "initial: {b: {q: [-0.3, 0, 0], v: [0, -8.25, 27.5]}}\n"}};
    double real[2][8];
    for (int i = 0; i < 2; ++i) {
        char text[3000];
        snprintf(text, sizeof text, model, parts[i][0], parts[i][1]);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, -1.0);
        assert_int_equal(linear->state_count, 8);
        for (int k = 0; k < 8; ++k) {
            real[i][k] = linear->eigenvalues[2 * k];
        }
        qsort(real[i], 8, sizeof *real[i], descend);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
    // 1e-9: errors over a period of 0.23 s
    lb_expect_within("exponents", real[1], real[0], 8, 1e-9);
}

// A pendulum on a shaken pivot under a law that samples eight times a period:
//
//     x'' + (9.81 - 0.1 w^2 sin w t) x = u,   u = -2 x - 0.3 x' of the last sample,   w = 2 pi
//
// Source: the product of eight transition matrices of these by scipy's DOP853 at 1e-12.
static void sampled_controllers_are_part_of_it(void **state)
{
    (void)state;
    static const struct {
        const char *rate, *desired;
        lb_status status;
    } cases[] = {
        {"8", "0", LB_OK}, {"7.12345678", "0", LB_E_UNSUPPORTED}, {"8", "0.2", LB_E_UNSUPPORTED}};
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: pivot, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}\n"
            "  - {name: bob, parent: pivot, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, "
            "com: "
            "[0, 0, -1]}\n"
            "forces:\n  - {name: shake, type: motion, hinge: pivot, position: {sine: {amplitude: "
            "0.1, rate: 6.283185307179586}}}\n  - {name: u, type: actuator, hinge: bob}\n"
            "controllers:\n  - {name: hold, rate: %s, actuators: [{actuator: u, desired: %s}], "
            "law: {type: pid, kp: 2, kd: 0.3}}\n",
            cases[i].rate, cases[i].desired);
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = NULL;
        options.period = -1.0;
        options.control = LB_CONTROL_DISCRETE;
        assert_int_equal(lb_linearize(course.simulation, &options, &linear), cases[i].status);
        if (linear) {
            lb_expect_near("exponent", linear->eigenvalues[0], -0.08539869, 1e-7);
            assert_int_equal(linear->closed[0], 1);
        }
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// The same oscillator in metres and in micrometres, seconds and microseconds.
static void exponents_scale_with_their_units(void **state)
{
    (void)state;
    double growth[2];
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: %s}\n"
                 "forces:\n"
                 "  - {name: k, type: motor, hinge: a, value: \"-(1+0.2*cos(%s*t))*a.distance\"}\n"
                 "  - {name: c, type: damper, hinge: a, damping: %s}\n",
                 i ? "1.0e-12" : "1", i ? "2e6" : "2", i ? "1.0e-8" : "0.01");
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, two_pi / 2.0 * (i ? 1e-6 : 1.0));
        growth[i] = linear->growth[0] * (i ? 1e-6 : 1.0);
        assert_false(linear->stable);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
    lb_expect_near("growth", growth[1], growth[0], 1e-9);
}

// A satellite that points to the earth, started with a pitch of 0.01 rad: its periodic motion is the circular orbit,
// with all six exponents of the orbit zero, and n sqrt(3 (Iy - Ix) / Iz) of its pitch.
static void an_orbit_repeats_itself(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/orbit.yaml");
    const double n = sqrt(3.986004418e14 / 3.43e20), pitch = n * sqrt(3.0 * 50.0 / 65.0);
    lb_linear *linear = linearize(&course, two_pi / n);
    assert_true(linear->stable);
    assert_int_equal(linear->zero_count, 6);
    double nearest = INFINITY;
    for (int i = 0; i < linear->state_count; ++i) {
        nearest = fmin(nearest, fabs(linear->eigenvalues[2 * i + 1] / pitch - 1.0));
    }
    // 1e-8: the pitch that Newton's method leaves, and errors over an orbit
    lb_expect_below("pitch", nearest, 1e-8);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- modes -------------------------------------------------------------------------------------

// The periodic part of a mode, times exp(s t), is where a run goes that starts with its shape.
static void modes_over_the_turn_are_what_a_run_does(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(write_blades(20.0, "hub"));
    lb_modes *modes = find_modes(&course, -1.0);
    assert_int_equal(modes->instant_count, 16);
    int best = 0;
    for (int k = 0; k < modes->mode_count; ++k) {
        best = modes->eigenvalues[2 * k] > modes->eigenvalues[2 * best] ? k : best;
    }
    const int n = modes->coordinate_count;
    const size_t row = 2 * (size_t)n * (size_t)modes->mode_count;
    const double *start = modes->turns + 2 * (size_t)n * (size_t)best;
    lb_expect_close("start", start, modes->shapes + 2 * (size_t)n * (size_t)best, 2 * n, 1e-12);
    // after many periods a run that starts anywhere has this shape, growing
    double q[16] = {0}, v[16] = {0}, q_end[16], v_end[16], shape[16], expected[16];
    q[3] = 1e-12;
    const int periods = 30, k = 5;
    run_from(write_blades(20.0, "hub"), q, v, periods * modes->period + modes->instants[k], q_end,
             v_end);
    double dot = 0.0, size[2] = {0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        const int entry = modes->coordinates[i];
        shape[i] = q_end[entry];
        expected[i] = modes->turns[(size_t)k * row + 2 * ((size_t)n * (size_t)best + (size_t)i)];
        dot += shape[i] * expected[i];
        size[0] += shape[i] * shape[i];
        size[1] += expected[i] * expected[i];
    }
    // other modes decay against it by exp(-1.9 30 0.314) = 2e-8
    lb_expect_near("likeness", fabs(dot) / sqrt(size[0] * size[1]), 1.0, 1e-6);
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

// A mode that decays by 1500 1/s in a period of 0.07 s, to 1e-45, is left out and counted; others stay as they are.
static void modes_that_decay_within_a_period_are_counted(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\nbodies:\n"
        "  - {name: sup, hinge: {type: universal, axes: [[1,0,0],[0,1,0]]}, mass: 1, inertia: "
        "[0.1,0.1,0.1,0,0,0]}\n"
        "  - {name: rot, parent: sup, hinge: {type: revolute, axis: [0,0,1]}, mass: 2, inertia: "
        "[0.1,0.2,0.25,0,0,0]}\n"
        "  - {name: tip, parent: rot, hinge: {type: prismatic, axis: [1,0,0]}, mass: 0.1}\n"
        "forces:\n  - {name: kx, type: spring, hinge: sup.0, stiffness: 300}\n"
        "  - {name: ky, type: spring, hinge: sup.1, stiffness: 300}\n"
        "  - {name: cx, type: damper, hinge: sup.0, damping: 0.1}\n"
        "  - {name: cy, type: damper, hinge: sup.1, damping: 0.1}\n"
        "  - {name: kt, type: spring, hinge: tip, stiffness: 1.0e+7}\n"
        "  - {name: ct, type: damper, hinge: tip, damping: 300}\n"
        "  - {name: spin, type: motion, hinge: rot, speed: 90}\n");
    lb_modes *modes = find_modes(&course, -1.0);
    assert_int_equal(modes->lost_count, 2);
    assert_int_equal(modes->mode_count, 3);
    lb_expect_near("growth", modes->growth[0], 10.528, 1e-3);
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

// Periods of two functions and a hinge, in whole multiples; remainders have one too.
static void periods_are_found_together(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        double period;
    } cases[] = {{"-2*sin(3*(t-1)/2)*a.distance", two_pi / 1.5},
                 {"(1-cos(4*t+0.1))*sin(6*t)", two_pi / 2.0},
                 {"abs(mod(t, 0.5)-0.25)", 0.5},
                 {"-t/3", two_pi / 9.0},
                 {"sin(sin(2*t))", two_pi}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                 "  - {name: r, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 1, inertia: [1, 1, "
                 "1, 0, 0, "
                 "0]}\n"
                 "forces:\n  - {name: k, type: spring, hinge: a, stiffness: 7}\n"
                 "  - {name: d, type: damper, hinge: a, damping: 1}\n"
                 "  - {name: f, type: motor, hinge: a, value: \"%s\"}\n"
                 "  - {name: m, type: motion, hinge: r, speed: %s}\n",
                 cases[i].value,
                 i == 3   ? "9"
                 : i == 2 ? "12.566370614359172"
                 : i == 4 ? "1"
                          : "6");
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = NULL;
        options.period = -1.0;
        const lb_status status = lb_linearize(course.simulation, &options, &linear);
        // a ramp has no period, which is found out
        assert_int_equal(status, i == 3 ? LB_E_EQUILIBRIUM : LB_OK);
        if (i != 3) {
            // 1.5 and 6 rad/s: 2 pi / 1.5; 4, 6 and 6: 2 pi / 2
            lb_expect_near("period", linear->period, cases[i].period, 1e-12);
        }
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// ---- no period ---------------------------------------------------------------------------------

static void expect_refusal(const char *text, double period, const char *words)
{
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.period = period;
    const lb_status status = lb_linearize(course.simulation, &options, &linear);
    const char *message = lb_get_simulation_message(course.simulation);
    if (status != LB_E_EQUILIBRIUM || !strstr(message, words)) {
        fail_msg("status %d, message \"%s\"", status, message);
    }
    assert_null(linear);
    lb_end_course(&course);
}

static void motions_that_do_not_repeat_themselves_are_refused(void **state)
{
    (void)state;
    static const char spring[] =
        "limber: 1\nbodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "forces:\n  - {name: k, type: motor, hinge: a, value: \"-(10+2*sin(7*t))*a.distance\"}\n";
    char other[20];
    snprintf(other, sizeof other, "%.9g", two_pi / 5.0);
    // at rest, where every period seems right
    expect_refusal(spring, two_pi / 5.0, "a function of time has another period");
    expect_refusal(spring, two_pi / 5.0, other);
    lb_course course = lb_begin_course(spring);
    lb_linear *linear = linearize(&course, -1.0);
    // found in the expression
    lb_expect_near("period", linear->period, two_pi / 7.0, 1e-12);
    assert_true(linear->is_periodic && linear->moved_name[0] == '\0');
    lb_destroy_linear(linear);
    lb_end_course(&course);
    // a constant push that nothing holds, and nothing that has a period
    expect_refusal("limber: 1\nbodies:\n"
                   "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                   "forces:\n  - {name: f, type: motor, hinge: a, value: \"exp(-t)\"}\n",
                   -1.0, "no period found");
    expect_refusal("limber: 1\nbodies:\n"
                   "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                   "forces:\n  - {name: f, type: motor, hinge: a, value: 1}\n",
                   1.0, "a.rate is off by");
    // a driven hinge that has turned by half
    lb_course rotor = lb_begin_example("../test/cases/driven_rotor.yaml");
    lb_linear_options options = lb_default_linear_options();
    options.period = 0.02;
    assert_int_equal(lb_linearize(rotor.simulation, &options, &linear), LB_E_EQUILIBRIUM);
    assert_non_null(strstr(lb_get_simulation_message(rotor.simulation), "rot.angle has another"));
    lb_end_course(&rotor);
}

// A kink of a force of the state is crossed. A jump is an error, for deviations would jump there as well.
static void kinks_are_crossed_and_jumps_refused(void **state)
{
    (void)state;
    static const char pendulum[] =
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: pivot, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: bob, parent: pivot, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: "
        "[0, 0, "
        "-1]}\n"
        "forces:\n  - {name: shake, type: motion, hinge: pivot, position: {sine: {amplitude: 0.1, "
        "rate: "
        "5}}}\n  - {name: c, type: damper, hinge: bob, damping: 0.5}\n  - {name: m, type: motor, "
        "hinge: "
        "bob, value: \"%s\"}\n";
    char text[1000];
    snprintf(text, sizeof text, pendulum, "-3*max(bob.angle-0.01,0)");
    lb_course course = lb_begin_course(text);
    lb_linear *linear = linearize(&course, -1.0);
    // x'' = 2.5 sin 5t cos x - 9.81 sin x - 0.5 x' - 3 max(x - 0.01, 0) by scipy's DOP853, steps of 2 ms: differences
    // about the periodic motion; known to 1e-6
    lb_expect_near("damping", linear->eigenvalues[0], -0.25, 1e-9);
    lb_expect_near("rate", linear->eigenvalues[1], 5.0 - 1.72611899, 1e-6);
    lb_destroy_linear(linear);
    lb_end_course(&course);
    snprintf(text, sizeof text, pendulum, "if(bob.angle > 0.01, 0.5, 0)");
    course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    options.period = -1.0;
    assert_int_equal(lb_linearize(course.simulation, &options, &linear), LB_E_NUMBER);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "something jumps there"));
    lb_end_course(&course);
}

// Hill's equation with a stiffness that jumps between two values, known in closed form (Meissner): half a period at
// each, cos(b h) cos(c h) - (b / c + c / b) / 2 sin(b h) sin(c h) is half the trace. The jump is of time alone.
static void stiffness_that_jumps_in_time_is_meissners(void **state)
{
    (void)state;
    static const char *const forms[] = {"-(5+3*sign(sin(2*t)))*a.distance",
                                        "-(2+6*step(sin(2*t)))*a.distance",
                                        "-if(mod(t, pi) < pi/2, 8, 2)*a.distance"};
    const double h = two_pi / 8.0 * 2.0, b = sqrt(8.0), c = sqrt(2.0);
    const double half = cos(b * h) * cos(c * h) - 0.5 * (b / c + c / b) * sin(b * h) * sin(c * h);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                 "forces:\n  - {name: k, type: motor, hinge: a, value: \"%s\"}\n",
                 forms[i]);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, -1.0);
        const double *z = linear->multipliers;
        lb_expect_near("period", linear->period, two_pi / 2.0, 1e-12);
        lb_expect_near("trace", 0.5 * (z[0] + z[2]), half, 1e-9);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// A friction that holds all the time locks its hinge; one that sticks and slips has no linear equations.
static void friction_holds_or_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: pivot, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
            "  - {name: bob, parent: pivot, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, "
            "com: "
            "[0, 0, -1]}\n"
            "forces:\n  - {name: shake, type: motion, hinge: pivot, position: {sine: {amplitude: "
            "0.1, rate: 5}}}\n  - {name: f, type: friction, hinge: bob, coulomb: %s}\n",
            i ? "50" : "0.05");
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = NULL;
        options.period = -1.0;
        const lb_status status = lb_linearize(course.simulation, &options, &linear);
        assert_int_equal(status, i ? LB_OK : LB_E_UNSUPPORTED);
        assert_true(i ? linear->state_count == 0 : linear == NULL);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_machines_have_exponents),
        cmocka_unit_test(a_shaken_pendulum_has_mathieus_chart),
        cmocka_unit_test(a_shaft_with_unequal_stiffness_has_exponents),
        cmocka_unit_test(a_rotor_with_two_blades_has_exponents),
        cmocka_unit_test(deviations_are_differences_of_runs),
        cmocka_unit_test(deviations_of_free_and_flexible_bodies_are_differences_of_runs),
        cmocka_unit_test(deviations_of_all_hinges_are_differences_of_runs),
        cmocka_unit_test(exponents_are_those_of_any_start),
        cmocka_unit_test(free_rotors_turn_like_driven_ones),
        cmocka_unit_test(multipliers_have_liouvilles_product),
        cmocka_unit_test(undamped_rotors_have_reciprocal_multipliers),
        cmocka_unit_test(loops_give_what_hinges_give),
        cmocka_unit_test(sampled_controllers_are_part_of_it),
        cmocka_unit_test(exponents_scale_with_their_units),
        cmocka_unit_test(an_orbit_repeats_itself),
        cmocka_unit_test(modes_over_the_turn_are_what_a_run_does),
        cmocka_unit_test(periods_are_found_together),
        cmocka_unit_test(modes_that_decay_within_a_period_are_counted),
        cmocka_unit_test(motions_that_do_not_repeat_themselves_are_refused),
        cmocka_unit_test(kinks_are_crossed_and_jumps_refused),
        cmocka_unit_test(stiffness_that_jumps_in_time_is_meissners),
        cmocka_unit_test(friction_holds_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
