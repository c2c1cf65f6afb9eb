// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Gravity of an oblate planet: its field against differences of the energy, the turning of an orbit against the
// first order of perturbation theory, and the load on a hinge.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "rig.h"

static const double pi = 3.14159265358979323846;

// A point in a circular orbit of radius 1.25 about a planet with mu = 1 and the radius 1; its axis and the node of
// the orbit are oblique in the world.
typedef struct orbit {
    double j2, inclination;
    double k[3], n[3]; // axis of the planet, and the direction of the node, both of unit length
} orbit;

static const orbit oblique = {0.0, 1.0, {0.48, -0.64, 0.6}, {0.8, 0.6, 0.0}};

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; ++i) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static lb_course begin_orbit(const orbit *o)
{
    // starts at the node, towards the direction w that is inclined
    const double speed = sqrt(1.0 / 1.25);
    double m[3], r[3], v[3];
    cross(o->k, o->n, m);
    for (int i = 0; i < 3; ++i) {
        r[i] = 1.25 * o->n[i];
        v[i] = speed * (cos(o->inclination) * m[i] + sin(o->inclination) * o->k[i]);
    }
    char text[1000];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: [{name: sat, hinge: {type: free}, mass: 3, inertia: [1, 1, 1, 0, 0, 0]}]\n"
             "forces: [{name: planet, type: gravity-point, mu: 1, gradient: false, j2: %.17g,\n"
             "          radius: 1, axis: [%.17g, %.17g, %.17g]}]\n"
             "run: {duration: 20, interval: 1}\n"
             "initial: {sat: {position: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]}}\n",
             o->j2, 5.0 * o->k[0], 5.0 * o->k[1], 5.0 * o->k[2], r[0], r[1], r[2], v[0], v[1],
             v[2]);
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, LB_INTEGRATOR_ADAMS, 0, 1e-13, 0.0);
    return course;
}

// How far the node has turned about the axis after five orbits, over what theory says to first order in J2:
//
//     2 pi (-3/2) J2 (R / p)^2 cos(i)  for each orbit
static double measure_turn(double j2)
{
    orbit o = oblique;
    o.j2 = j2;
    const int count = 5;
    const double a = 1.25, period = 2.0 * pi * sqrt(a * a * a);
    lb_course course = begin_orbit(&o);
    lb_start_course(&course);
    lb_go_to(&course, count * period);
    const lb_node_motion sat = lb_get_course_node(&course, "sat", "origin");
    // the node is along axis x (position x velocity)
    double h[3], node[3], m[3];
    cross(sat.position, sat.velocity + 3, h);
    cross(o.k, h, node);
    cross(o.k, o.n, m);
    double along = 0.0, aside = 0.0;
    for (int i = 0; i < 3; ++i) {
        along += node[i] * o.n[i];
        aside += node[i] * m[i];
    }
    lb_end_course(&course);
    return atan2(aside, along) / (count * 2.0 * pi * -1.5 * j2 / (a * a) * cos(o.inclination));
}

static void the_node_of_an_orbit_turns_as_theory_says(void **state)
{
    (void)state;
    const double more = measure_turn(1e-4), less = measure_turn(1e-5);
    // what theory leaves out is of the next order in J2: a tenth of J2 has a tenth of it
    lb_expect_near("first order", more, 1.0, 1e-4 * 100.0);
    lb_expect_near("first order", less, 1.0, 1e-5 * 100.0);
    assert_true(fabs(more - 1.0) > 5.0 * fabs(less - 1.0));
    // Without that order: its square is left, (1e-4)^2 times some hundred, and of the integration 1e-11 of 2e-4.
    lb_expect_near("extrapolated", (10.0 * less - more) / 9.0, 1.0, 1e-6);
}

static void energy_and_the_momentum_about_the_axis_are_kept(void **state)
{
    (void)state;
    orbit o = oblique;
    o.j2 = 0.1;
    lb_course course = begin_orbit(&o);
    lb_start_course(&course);
    double kept[2] = {0};
    for (int i = 0; i <= 10; ++i) {
        lb_go_to(&course, 2.0 * i);
        const lb_node_motion sat = lb_get_course_node(&course, "sat", "origin");
        double h[3], along = 0.0, r = 0.0, v = 0.0, s = 0.0;
        cross(sat.position, sat.velocity + 3, h);
        for (int j = 0; j < 3; ++j) {
            along += h[j] * o.k[j];
            r += sat.position[j] * sat.position[j];
            v += sat.velocity[3 + j] * sat.velocity[3 + j];
            s += sat.position[j] * o.k[j];
        }
        r = sqrt(r);
        s /= r;
        // the potential written out
        const double energy = 0.5 * v - 1.0 / r - o.j2 / (2.0 * r * r * r) * (1.0 - 3.0 * s * s);
        if (i == 0) {
            kept[0] = energy;
            kept[1] = along;
        }
        // 1e-10: some hundred steps of 1e-13 each
        lb_expect_near("energy", energy, kept[0], 1e-10);
        lb_expect_near("momentum", along, kept[1], 1e-10);
    }
    lb_end_course(&course);
    // the audit counts the same potential
    course = begin_orbit(&o);
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
    lb_expect_near("work", audit.work_forces, audit.energy_end - audit.energy_start, 1e-9);
    lb_end_course(&course);
}

// Force on a body at rest: of the energy by differences, in what a fixed hinge carries, and written out.
static void a_hinge_carries_what_the_planet_pulls(void **state)
{
    (void)state;
    const double k[3] = {0.48, -0.64, 0.6}, mu = 400.0, j2 = 0.2, R = 2.0, m = 3.0;
    const double at[3] = {2.0, 1.0, -3.0};
    double forces[3], energies[7];
    for (int side = 0; side < 7; ++side) {
        double p[3] = {at[0], at[1], at[2]};
        if (side > 0) {
            p[(side - 1) / 2] += side % 2 ? 1e-4 : -1e-4;
        }
        char text[800];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "ground: {nodes: {post: {position: [%.17g, %.17g, %.17g]}}}\n"
                 "bodies: [{name: box, mass: 3, inertia: [1, 1, 1, 0, 0, 0], at: post,\n"
                 "          hinge: {type: fixed}}]\n"
                 "forces: [{name: planet, type: gravity-point, mu: 400, gradient: false, j2: 0.2,\n"
                 "          radius: 2, axis: [0.48, -0.64, 0.6]}]\n",
                 p[0], p[1], p[2]);
        lb_rig rig = lb_begin_rig(text, NULL);
        const lb_oblate_gravity field = {
            .point = {.mu = mu}, .j2 = j2, .radius = R, .axis = {k[0], k[1], k[2]}};
        double reaction[6], power;
        lb_expect_ok(
            lb_compute_forward_dynamics(rig.model, rig.work, rig.q, rig.v, rig.tau, rig.a));
        const lb_applied_loads loads = {.size = sizeof loads, .field_count = 1, .fields = &field};
        lb_expect_ok(lb_compute_reactions(rig.model, rig.work, &loads, reaction));
        lb_expect_ok(
            lb_apply_oblate_gravity(rig.model, rig.work, &field, rig.tau, &power, &energies[side]));
        if (side == 0) {
            memcpy(forces, reaction + 3, sizeof forces);
        }
        lb_end_rig(&rig);
    }
    const double d = sqrt(14.0);
    double s = 0.0;
    for (int i = 0; i < 3; ++i) {
        s += at[i] / d * k[i];
    }
    for (int i = 0; i < 3; ++i) {
        const double e = at[i] / d;
        const double pull = -mu * m * e / (d * d) - 1.5 * mu * m * j2 * R * R / pow(d, 4) *
                                                        ((1.0 - 5.0 * s * s) * e + 2.0 * s * k[i]);
        // the hinge holds against it
        lb_expect_near("reaction", forces[i], -pull, 1e-13);
        // 1e-8: differences over 1e-4 of numbers known to 1e-16 of themselves
        lb_expect_near("slope of the energy", (energies[2 * i + 1] - energies[2 * i + 2]) / 2e-4,
                       -pull, 1e-8);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_of_an_orbit_turns_as_theory_says),
        cmocka_unit_test(energy_and_the_momentum_about_the_axis_are_kept),
        cmocka_unit_test(a_hinge_carries_what_the_planet_pulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
