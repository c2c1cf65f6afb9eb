// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction that sticks, against closed forms: hinges that are held do not creep, and those that slip stop
// where they should, with every integrator, in trees and in loops.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "limber/linear.h"
#include "own_malloc.h"
#include "scratch.h"
#include "simulate/run/simulation.h"

// Fixed steps are such that the closed forms below are met to the same digits, but for Euler's method.
typedef struct method {
    lb_integrator integrator;
    double tolerance, step; // as a part of the time scale
    double accuracy;
} method;

// 1e-7: errors of a thousand steps at 1e-10; alpha: second order, 300 steps per radian
static const method methods[] = {
    {LB_INTEGRATOR_ERK, 1e-10, 0.0, 1e-8},  {LB_INTEGRATOR_ADAMS, 1e-10, 0.0, 1e-7},
    {LB_INTEGRATOR_BDF, 1e-10, 0.0, 1e-6},  {LB_INTEGRATOR_RK4, 0.0, 3e-3, 1e-7},
    {LB_INTEGRATOR_ALPHA, 0.0, 3e-3, 1e-4}, {LB_INTEGRATOR_EULER, 0.0, 3e-4, 1e-2}};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

static void choose(lb_course *course, const method *m, double time)
{
    lb_choose_integrator(course, m->integrator, 0, m->tolerance,
                         m->step > 0.0 ? m->step * time : 0.0);
    // errors are judged by the motion, at every size
    lb_run_options o = {.size = sizeof o};
    lb_expect_ok(lb_get_run_options(course->simulation, &o));
    o.absolute_tolerance = lb_default_run_options().absolute_tolerance;
    lb_expect_ok(lb_set_run_options(course->simulation, &o));
}

static int find_force(const lb_course *course, const char *name)
{
    return lb_find_force(lb_get_simulation_forces(course->simulation), name);
}

static double get_friction(const lb_course *course, const char *name)
{
    return lb_get_friction_force(course->simulation, find_force(course, name));
}

static bool is_stuck(const lb_course *course, const char *body)
{
    const int k = lb_find_body(course->model, body);
    return lb_is_speed_stuck(course->simulation, lb_get_v_offset(course->model, k) +
                                                     lb_get_mode_count(course->model, k));
}

// ---- one hinge -----------------------------------------------------------------------------------

static void a_hinge_stays_at_half_its_friction(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        lb_course course = lb_begin_example("../test/cases/friction_at_half_torque.yaml");
        choose(&course, &methods[i], 1.0);
        lb_start_course(&course);
        for (int row = 1; row <= 10; ++row) {
            lb_go_to(&course, 10.0 * row);
            // to the last bit
            assert_true(course.q[0] == 0.0 && course.v[0] == 0.0 && course.a[0] == 0.0);
            lb_expect_near("holding torque", get_friction(&course, "f"), -0.5, 1e-12);
            assert_true(is_stuck(&course, "w"));
        }
        lb_end_course(&course);
    }
}

// A block of mass m on a slope of 0.3 rad slides up at v: it decelerates by g (sin + mu cos), stops, and
// since mu exceeds the slope it stays. Lengths from micrometres to megametres.
static void a_block_stops_on_a_slope(void **state)
{
    (void)state;
    static const double sizes[] = {1e-6, 1.0, 1e6};
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < METHOD_COUNT; ++i) {
            const double L = sizes[s], g = 9.81, mu = 0.5, m = 2.0 * L * L * L;
            const double slope = 0.3, v = 3.0 * sqrt(L), T = sqrt(L);
            char text[1024];
            snprintf(text, sizeof text,
                     "limber: 1\n"
                     "gravity: [%.17g, 0, %.17g]\n"
                     "bodies: [{name: m, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: %.17g}]\n"
                     "forces: [{name: f, type: friction, hinge: m, coulomb: %.17g}]\n"
                     "initial: {m: {rate: %.17g}}\n"
                     "run: {duration: %.17g, interval: %.17g}\n",
                     -g * sin(slope), -g * cos(slope), m, mu * m * g * cos(slope), v, 5.0 * T, T);
            lb_course course = lb_begin_course(text);
            choose(&course, &methods[i], T);
            lb_start_course(&course);
            const double a = g * (sin(slope) + mu * cos(slope)), end = 0.5 * v * v / a;
            lb_go_to(&course, 0.2 * T);
            assert_false(is_stuck(&course, "m"));
            lb_expect_near("slides", course.v[0], v - 0.2 * a * T, 1e-8);
            lb_go_to(&course, 2.0 * T);
            lb_expect_near("stops", course.q[0], end, methods[i].accuracy);
            assert_true(course.v[0] == 0.0 && is_stuck(&course, "m"));
            lb_expect_near("holds", get_friction(&course, "f"), m * g * sin(slope), 1e-12);
            const double q = course.q[0];
            lb_go_to(&course, 5.0 * T);
            lb_expect_near("stays", course.q[0], q, 1e-15); // as outputs are interpolated
            assert_true(course.v[0] == 0.0);
            lb_end_course(&course);
        }
    }
}

// On a spring the amplitude falls by 2 F/k in each half cycle of pi sqrt(m/k), and the mass stays at the
// first turn that is within F/k: 1, -0.88, 0.76, ... 0.04 after eight.
static void a_mass_on_a_spring_stops_within_its_band(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        lb_course course = lb_begin_course(
            "limber: 1\n"
            "bodies: [{name: m, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
            "forces:\n"
            "  - {name: k, type: spring, hinge: m, stiffness: 50}\n"
            "  - {name: f, type: friction, hinge: m, coulomb: 1}\n"
            "  - {name: g, type: friction, hinge: m, coulomb: 2}\n" // they act together
            "initial: {m: {distance: 1}}\n"
            "run: {duration: 10, interval: 0.5}\n");
        choose(&course, &methods[i], 0.2);
        lb_start_course(&course);
        const double half = acos(-1.0) / 5.0;
        for (int turn = 1; turn < 8; ++turn) {
            lb_go_to(&course, turn * half);
            lb_expect_near("turn", course.q[0], (turn % 2 ? -1.0 : 1.0) * (1.0 - 0.12 * turn),
                           10.0 * methods[i].accuracy);
        }
        lb_go_to(&course, 7.5 * half);
        assert_false(is_stuck(&course, "m"));
        lb_go_to(&course, 8.1 * half);
        // what is lost on the way is a part of the first amplitude
        assert_true(fabs(course.q[0] - 0.04) < 10.0 * methods[i].accuracy);
        assert_true(course.v[0] == 0.0 && is_stuck(&course, "m"));
        const double q = course.q[0];
        lb_go_to(&course, 10.0);
        // 1e-15: between fixed steps, outputs are interpolated
        lb_expect_near("stays", course.q[0], q, 1e-15);
        lb_expect_near("share", get_friction(&course, "g"), 2.0 / 3.0 * 50.0 * q, 1e-12);
        lb_end_course(&course);
    }
}

// ---- events --------------------------------------------------------------------------------------

// A spring that is drawn at a constant speed V pulls a block whose friction at rest exceeds that of
// sliding. It slips for (2 pi - 2 atan((F_s - F_c) w / (k V))) / w and rests for 2 (F_s - F_c) / (k V).
static void a_block_on_a_drawn_spring_sticks_and_slips(void **state)
{
    (void)state;
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "bodies: [{name: m, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
                        "forces:\n"
                        "  - {name: pull, type: motor, hinge: m, value: 50*(0.1*t - m.distance)}\n"
                        "  - {name: f, type: friction, hinge: m, coulomb: 3, static: 4}\n"
                        "run: {duration: 6, interval: 1, integrator: {tolerance: 1.0e-11}}\n");
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    fclose(file);
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    request.path = path;
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("energy error", fabs(audit.energy_error), 1e-9 * audit.motion_energy);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    const double w = 5.0, slips = (2.0 * acos(-1.0) - 2.0 * atan(1.0 * w / (50.0 * 0.1))) / w;
    const double rests = 2.0 * 1.0 / (50.0 * 0.1);
    assert_int_equal(lb_get_results_info(results)->event_count, 8);
    double due = 4.0 / (50.0 * 0.1);
    for (int i = 0; i < 8; ++i) {
        double t;
        const char *name;
        lb_expect_ok(lb_read_event(results, i, &t, &name));
        assert_string_equal(name, i % 2 ? "f sticks" : "f slips");
        lb_expect_near("time", t, due, 1e-8); // a thousand steps at 1e-11
        due += i % 2 ? rests : slips;
    }
    assert_int_equal((int)audit.events, 8);
    lb_close_results(results);
    remove(path);
    lb_end_course(&course);
}

// A torque that jumps beyond what friction holds, and back.
static void a_jump_of_the_torque_lets_it_go(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        lb_course course = lb_begin_course(
            "limber: 1\n"
            "bodies: [{name: w, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
            "1, 0, 0, 0]}]\n"
            "forces:\n"
            "  - {name: f, type: friction, hinge: w, coulomb: 1}\n"
            "  - {name: m, type: motor, hinge: w, value: {table: [[0, 0.5], [1, 3], [2, -0.9]], "
            "interpolation: steps}}\n"
            "run: {duration: 5, interval: 1}\n");
        choose(&course, &methods[i], 1.0);
        lb_start_course(&course);
        lb_go_to(&course, 1.0);
        assert_true(course.q[0] == 0.0);
        lb_go_to(&course, 2.0);
        lb_expect_near("speed", course.v[0], 2.0, 1e-9);
        lb_expect_near("angle", course.q[0], 1.0, methods[i].accuracy);
        lb_go_to(&course, 5.0);
        lb_expect_near("end", course.q[0], 1.0 + 0.5 * 4.0 / 1.9, methods[i].accuracy);
        assert_true(course.v[0] == 0.0);
        lb_expect_near("holds", get_friction(&course, "f"), 0.9, 1e-12);
        lb_end_course(&course);
    }
}

// Friction is finite, so an impulse moves a hinge that it holds: as if there were none.
static void an_impulse_is_stronger_than_friction(void **state)
{
    (void)state;
    double speed[2];
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "bodies:\n"
            "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, "
            "0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
            "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
            "1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
            "%s"
            "initial: {a: {rate: 1}}\n"
            "events: [{name: stop, when: t, crosses: %s, then: {lock: a}}]\n"
            "run: {duration: 2, interval: 1}\n",
            i == 0 ? "" : "forces: [{name: f, type: friction, hinge: b, coulomb: 100}]\n",
            "1.0e-9");
        lb_course course = lb_begin_course(text);
        lb_start_course(&course);
        assert_int_equal(lb_advance_simulation(course.simulation, 2.0), LB_NEWS_EVENT);
        lb_get_simulation_state(course.simulation, NULL, NULL, &course.v, NULL);
        speed[i] = course.v[1];
        assert_true(fabs(speed[i]) > 0.1);
        assert_string_equal(lb_get_event_names(course.simulation),
                            i == 0 ? "stop" : "stop, f slips");
        lb_end_course(&course);
    }
    // 1e-8: without friction the bodies have turned for a nanosecond
    lb_expect_near("speed behind it", speed[1], speed[0], 1e-8);
}

// ---- several hinges --------------------------------------------------------------------------------

#define TWO_LINKS(friction)                                                                        \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, -0.5], "         \
    "inertia: "                                                                                    \
    "[0.2, 0.2, 0.01, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"                           \
    "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: "   \
    "[0, "                                                                                         \
    "0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0]}\n"                                              \
    "forces:\n"                                                                                    \
    "  - {name: fa, type: friction, hinge: a, coulomb: 2" friction "}\n"                           \
    "  - {name: fb, type: friction, hinge: b, coulomb: 1, viscous: 0.01" friction "}\n"            \
    "initial: {a: {angle: 1.2}, b: {angle: 1}}\n"                                                  \
    "run: {duration: 12, interval: 1}\n"

// All integrators come to rest in one place, where friction holds the weight, and keep the energy. The
// smooth form with a very small speed is the other road.
static void two_links_come_to_rest(void **state)
{
    (void)state;
    double end[METHOD_COUNT + 1][2];
    for (int i = 0; i <= METHOD_COUNT; ++i) {
        const bool smooth = i == METHOD_COUNT;
        lb_course course = lb_begin_course(smooth ? TWO_LINKS(", speed: 1.0e-7") : TWO_LINKS(""));
        choose(&course, &methods[smooth ? 2 : i], smooth ? 1.0 : 0.3);
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
        lb_get_simulation_state(course.simulation, NULL, &course.q, &course.v, NULL);
        memcpy(end[i], course.q, sizeof end[i]);
        if (!smooth) {
            assert_true(course.v[0] == 0.0 && course.v[1] == 0.0);
            // the weights at rest, by hand
            const double g = 9.81, tip = sin(course.q[0]),
                         far = 0.5 * sin(course.q[0] + course.q[1]);
            lb_expect_near("at b", get_friction(&course, "fb"), g * far, 1e-12);
            lb_expect_near("at a", get_friction(&course, "fa"), g * (2.0 * tip + far), 1e-12);
            assert_true(fabs(audit.energy_error) <
                        10.0 * methods[i].accuracy * audit.motion_energy);
            lb_expect_within("rest", end[i], end[0], 2, 100.0 * methods[i].accuracy);
        }
        lb_end_course(&course);
    }
    // 1e-4: at 1e-7 rad/s it creeps for some seconds, and slips of 1e-7 s are rounded off
    lb_expect_within("smooth", end[METHOD_COUNT], end[0], 2, 1e-4);
}

// A spacecraft with a flexible boom on a hinge with friction: it breaks away, sticks again, and energy
// and momentum are kept on the way, whether it slips or not.
static void a_spacecraft_keeps_its_books(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: bus, hinge: {type: free}, mass: 100, com: [0.05, 0, 0.02], inertia: [20, 30, "
        "25, 1, 0.5, -0.7], nodes: {px: {position: [0.5, 0, 0]}}}\n"
        "  - {name: boom, parent: bus, at: px, hinge: {type: revolute, axis: [0, 1, 0]},\n"
        "     beam: {length: 5, section: {type: tube, diameter: 0.05, wall: 0.002}, material: "
        "aluminium, modes: 4}}\n"
        "  - {name: wheel, parent: bus, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 5, "
        "inertia: [0.3, 0.5, 0.3, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: bearing, type: friction, hinge: boom, coulomb: 4, static: 5}\n"
        "  - {name: brake, type: motor, hinge: wheel, value: \"if(t < 1, 0, if(t < 4, 12, 0))\"}\n"
        "  - {name: rub, type: friction, hinge: wheel, coulomb: 0.2, viscous: 0.01}\n"
        "initial: {bus: {angular_velocity: [0, 0.3, 0], velocity: [7500, 0, 0]}, boom: {eta: "
        "[0.02, "
        "0, 0, 0]}}\n"
        "run: {duration: 12, interval: 0.1}\n";
    for (int i = 0; i < 4; ++i) {
        lb_course course = lb_begin_course(text);
        choose(&course, &methods[i], 0.05);
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
        lb_get_simulation_state(course.simulation, NULL, &course.q, &course.v, NULL);
        assert_true(audit.events >= 3.0); // it slipped and came to rest
        assert_true(is_stuck(&course, "boom"));
        lb_expect_below("energy", fabs(audit.energy_error), audit.energy_bound);
        lb_expect_below("energy error", fabs(audit.energy_error), 1e-4 * audit.motion_energy);
        lb_expect_below("linear momentum", audit.linear_change, audit.linear_bound);
        lb_expect_below("angular momentum", audit.angular_change, audit.angular_bound);
        lb_end_course(&course);
    }
}

// One speed of a hinge may stick while the others slip. Two blocks on a plane, one on the other: the lower
// one is held across, and slides along against what the upper one does. Against a model in which each
// direction has a hinge of its own.
static void one_of_several_speeds_sticks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "limber: 1\n"
        "gravity: [0.3, -0.2, -9.81]\n"
        "bodies:\n"
        "  - {name: low, hinge: {type: planar}, mass: 2, com: [0.1, 0, 0], "
        "inertia: "
        "[1, 1, 0.2, 0, 0, 0], nodes: {top: {position: [0.2, 0.1, 0]}}}\n"
        "  - {name: up, parent: low, at: top, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
        "com: "
        "[0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: turn, type: friction, hinge: low.2, coulomb: 0.5}\n"
        "  - {name: along, type: friction, hinge: low.0, coulomb: 2}\n"
        "  - {name: across, type: friction, hinge: low.1, coulomb: 2.5}\n"
        "  - {name: top, type: friction, hinge: up, coulomb: 0.1}\n"
        "  - {name: k, type: spring, hinge: up, stiffness: 0.4}\n"
        "initial: {low: {rates: [1, 0, 0]}, up: {rate: 5}}\n"
        "run: {duration: 6, interval: 1}\n",
        "limber: 1\n"
        "gravity: [0.3, -0.2, -9.81]\n"
        "bodies:\n"
        "  - {name: x, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0}\n"
        "  - {name: y, parent: x, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 0}\n"
        "  - {name: low, parent: y, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [0.1, "
        "0, "
        "0], inertia: [1, 1, 0.2, 0, 0, 0], nodes: {top: {position: [0.2, 0.1, 0]}}}\n"
        "  - {name: up, parent: low, at: top, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
        "com: "
        "[0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: turn, type: friction, hinge: low, coulomb: 0.5}\n"
        "  - {name: along, type: friction, hinge: x, coulomb: 2}\n"
        "  - {name: across, type: friction, hinge: y, coulomb: 2.5}\n"
        "  - {name: top, type: friction, hinge: up, coulomb: 0.1}\n"
        "  - {name: k, type: spring, hinge: up, stiffness: 0.4}\n"
        "initial: {x: {rate: 1}, up: {rate: 5}}\n"
        "run: {duration: 6, interval: 1}\n"};
    for (int i = 0; i < METHOD_COUNT; ++i) {
        lb_course several = lb_begin_course(texts[0]), single = lb_begin_course(texts[1]);
        choose(&several, &methods[i], 0.3);
        choose(&single, &methods[i], 0.3);
        lb_start_course(&several);
        lb_start_course(&single);
        for (int row = 1; row <= 6; ++row) {
            lb_go_to(&several, row);
            lb_go_to(&single, row);
            // steps differ, as errors of a planar hinge are judged together
            lb_expect_within("q", several.q, single.q, 4, 100.0 * methods[i].accuracy);
            lb_expect_within("v", several.v, single.v, 4, 100.0 * methods[i].accuracy);
        }
        // the first three are at rest, which is seen in the last bit
        assert_true(several.v[0] == 0.0 && several.v[1] == 0.0 && several.v[2] == 0.0);
        static const char *const names[] = {"along", "across", "turn"};
        for (int j = 0; j < 3; ++j) {
            assert_true(lb_is_speed_stuck(several.simulation, j));
            lb_expect_near(names[j], get_friction(&several, names[j]),
                           get_friction(&single, names[j]), 100.0 * methods[i].accuracy);
        }
        lb_end_course(&several);
        lb_end_course(&single);
    }

    // linear models, where one of them is free
    lb_modes *modes[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(texts[i]);
        lb_linear_options options = lb_default_linear_options();
        static const double v[4] = {0.0, 0.0, 0.0, 0.0};
        options.v = v;
        lb_forces *forces = lb_get_simulation_forces(course.simulation);
        lb_set_force_enabled(forces, lb_find_force(forces, "across"), false);
        lb_set_force_enabled(forces, lb_find_force(forces, "top"), false);
        lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes[i]));
        assert_int_equal(modes[i]->coordinate_count, 2);
        lb_expect_close("a", modes[i]->a, modes[0]->a, 4, 1e-12);
        lb_end_course(&course);
    }
    lb_expect_close("eigenvalues", modes[0]->eigenvalues, modes[1]->eigenvalues,
                    2 * modes[0]->mode_count, 1e-12);
    lb_destroy_modes(modes[0]);
    lb_destroy_modes(modes[1]);
}

// ---- loops ---------------------------------------------------------------------------------------

// Three bars of 4 m between pins that are 2 m apart, at rest where they balance: C turns with A, and B by
// half as much the other way. What holds A is then 50 + 60 + 20 / 2 N m, whichever way it is shared.
#define FOUR_BAR                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.8, 0]\n"                                                                      \
    "ground: {nodes: {right: {position: [2, 0, 0]}}}\n"                                            \
    "bodies:\n"                                                                                    \
    "  - {name: A, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20, com: [-2, 0, 0], inertia: " \
    "[0, 30, 30, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"                                \
    "  - {name: B, parent: A, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20, com: "  \
    "[-2, 0, 0], inertia: [0, 30, 30, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"           \
    "  - {name: C, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20, com: [-2, 0, "   \
    "0], inertia: [0, 30, 30, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"                   \
    "loops:\n"                                                                                     \
    "  - {name: pin, a: {body: C, node: end}, b: {body: B, node: end}, type: revolute, axis: [0, " \
    "0, 1]}\n"                                                                                     \
    "initial: {A: {angle: 1.318116071652818}, B: {angle: 1.8234765819369751}, C: {angle: "         \
    "1.8234765819369754}}\n"

static void hinges_of_a_loop_hold_it_together(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; ++i) {
        lb_course course = lb_begin_course(
            FOUR_BAR "forces:\n"
                     "  - {name: fA, type: friction, hinge: A, coulomb: 50}\n"
                     "  - {name: fB, type: friction, hinge: B, coulomb: 20}\n"
                     "  - {name: fC, type: friction, hinge: C, coulomb: 40, static: 60}\n"
                     "  - {name: m, type: motor, hinge: A, value: 300*sin(t)}\n"
                     "run: {duration: 3, interval: 0.05}\n");
        choose(&course, &methods[i], 1.0);
        lb_start_course(&course);
        const double q[3] = {course.q[0], course.q[1], course.q[2]};
        const double breaks = asin(0.4); // 300 sin t = 120
        lb_go_to(&course, 0.99999 * breaks);
        lb_expect_within("held", course.q, q, 3, 1e-12);
        assert_true(is_stuck(&course, "A") && is_stuck(&course, "B") && is_stuck(&course, "C"));
        const double sum = get_friction(&course, "fA") + get_friction(&course, "fC") -
                           0.5 * get_friction(&course, "fB");
        lb_expect_near("sum", sum, -300.0 * sin(0.99999 * breaks), 1e-9);
        lb_go_to(&course, 1.00001 * breaks);
        assert_false(is_stuck(&course, "A") || is_stuck(&course, "B") || is_stuck(&course, "C"));
        lb_go_to(&course, 1.0);
        lb_expect_near("fC slides", get_friction(&course, "fC"), -40.0, 1e-12);
        lb_expect_near("fB slides", get_friction(&course, "fB"), 20.0, 1e-12);
        lb_end_course(&course);
    }
}

// At a dead point the slider of a crank cannot be held by its friction, nor moves at first.
static void a_dead_point_is_passed(void **state)
{
    (void)state;
    double end[2];
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(
            "limber: 1\n"
            "bodies:\n"
            "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.2, com: [0.05, 0, "
            "0], inertia: [0, 1.7e-4, 1.7e-4, 0, 0, 0], nodes: {tip: {position: [0.1, 0, 0]}}}\n"
            "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, "
            "mass: "
            "0.2, com: [0.15, 0, 0], inertia: [0, 1.5e-3, 1.5e-3, 0, 0, 0], nodes: {end: "
            "{position: "
            "[0.3, 0, 0]}}}\n"
            "  - {name: slider, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.4}\n"
            "loops: [{name: pin, a: {body: slider}, b: {body: rod, node: end}, type: point-line, "
            "axis: [0, 0, 1]}]\n"
            "forces:\n"
            "  - {name: turn, type: motion, hinge: crank, position: 3*t^2}\n"
            "  - {name: f, type: friction, hinge: slider, coulomb: 0.5}\n"
            "initial: {slider: {distance: 0.4}}\n"
            "run: {duration: 2, interval: 0.1}\n");
        choose(&course, &methods[i], 0.1);
        lb_start_course(&course);
        lb_go_to(&course, 2.0);
        int count;
        end[i] = lb_get_simulation_work(course.simulation, &count)[1];
        // from 0.4 to 0.2 at pi, and so on to 12 rad: work is that of the way, which is known
        const double at = 0.1 * cos(12.0) + sqrt(0.09 - 0.01 * sin(12.0) * sin(12.0));
        const double way = 3.0 * 0.2 + (at - 0.2);
        lb_expect_near("work", end[i], -0.5 * way, 1e-6);
        lb_end_course(&course);
    }
}

// ---- linear models -------------------------------------------------------------------------------

static void a_hinge_that_sticks_is_held_in_linear_models(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, -0.5], "
        "inertia: [0.2, 0.2, 0.01, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"
        "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: "
        "[0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0]}\n"
        "forces: [{name: f, type: friction, hinge: b, coulomb: 1, viscous: 0.3}]\n";
    for (int trim = 0; trim < 2; ++trim) {
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        options.about = trim ? LB_ABOUT_EQUILIBRIUM : LB_ABOUT_STATE;
        lb_modes *stuck = NULL, *locked = NULL;
        lb_expect_ok(lb_compute_modes(course.simulation, &options, &stuck));
        assert_true(is_stuck(&course, "b") && !is_stuck(&course, "a"));
        const unsigned char locks[2] = {0, 1};
        options.locked = locks;
        lb_expect_ok(lb_compute_modes(course.simulation, &options, &locked));
        assert_int_equal(stuck->mode_count, 1);
        assert_int_equal(locked->mode_count, 1);
        assert_true(stuck->frequencies[0] == locked->frequencies[0]);
        lb_destroy_modes(stuck);
        lb_destroy_modes(locked);
        lb_end_course(&course);
    }
    // where it slips, friction is a constant torque and the viscous part a damper
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    const double v[2] = {0.0, 0.5};
    options.v = v;
    lb_linear *linear = NULL;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    assert_int_equal(linear->state_count, 4);
    assert_false(is_stuck(&course, "b"));
    lb_destroy_linear(linear);
    // what is too heavy for its friction does not stick
    const double q[2] = {0.0, 1.0};
    options.q = q;
    options.v = NULL;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    assert_int_equal(linear->state_count, 4);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- what stays ------------------------------------------------------------------------------------

// With `speed`, and in models with loops at hinges with several speeds, friction is smooth and creeps at
// v_s artanh(f / f_c).
static void the_smooth_form_creeps(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "limber: 1\n"
        "bodies: [{name: w, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, 0]}]\n"
        "forces:\n"
        "  - {name: f, type: friction, hinge: w, coulomb: 1, speed: 0.001}\n"
        "  - {name: m, type: motor, hinge: w, value: 0.5}\n",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: w, hinge: {type: cylindrical, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, "
        "0, 0]}\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "loops: [{name: gear, a: {body: a}, b: {body: w}, type: point-line, axis: [0, 0, 1]}]\n"
        "forces:\n"
        "  - {name: f, type: friction, hinge: w.0, coulomb: 1}\n"
        "  - {name: m, type: motor, hinge: w.0, value: 0.5}\n"};
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(texts[i]);
        choose(&course, &methods[2], 1.0);
        lb_start_course(&course);
        lb_go_to(&course, 1.0);
        lb_expect_near("creeps", course.v[0], 1e-3 * atanh(0.5), 1e-6);
        assert_false(is_stuck(&course, "w"));
        lb_expect_near("force", get_friction(&course, "f"), -0.5, 1e-6);
        lb_end_course(&course);
    }
}

// Neither where hinges stick and slip nor where they are decided is memory taken.
static void sticking_allocates_nothing(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    static const char *const texts[] = {
        TWO_LINKS(""),
        FOUR_BAR "forces:\n"
                 "  - {name: fA, type: friction, hinge: A, coulomb: 50}\n"
                 "  - {name: fB, type: friction, hinge: B, coulomb: 20}\n"
                 "  - {name: fC, type: friction, hinge: C, coulomb: 40, static: 60}\n"
                 "  - {name: m, type: motor, hinge: A, value: 300*sin(t)}\n"};
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(texts[i]);
        choose(&course, &methods[3], 1.0);
        lb_start_course(&course);
        const long before = lb_malloc_count, freed_before = lb_free_count;
        const lb_status status = lb_advance_simulation(course.simulation, 3.0);
        const long after = lb_malloc_count, freed_after = lb_free_count;
        lb_expect_ok(status);
        assert_true(before > 0);
        assert_int_equal(after - before, 0);
        assert_int_equal(freed_after - freed_before, 0);
        lb_end_course(&course);
    }
#else
    skip();
#endif
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_stays_at_half_its_friction),
        cmocka_unit_test(a_block_stops_on_a_slope),
        cmocka_unit_test(a_mass_on_a_spring_stops_within_its_band),
        cmocka_unit_test(a_block_on_a_drawn_spring_sticks_and_slips),
        cmocka_unit_test(a_jump_of_the_torque_lets_it_go),
        cmocka_unit_test(an_impulse_is_stronger_than_friction),
        cmocka_unit_test(two_links_come_to_rest),
        cmocka_unit_test(a_spacecraft_keeps_its_books),
        cmocka_unit_test(one_of_several_speeds_sticks),
        cmocka_unit_test(hinges_of_a_loop_hold_it_together),
        cmocka_unit_test(a_dead_point_is_passed),
        cmocka_unit_test(a_hinge_that_sticks_is_held_in_linear_models),
        cmocka_unit_test(the_smooth_form_creeps),
        cmocka_unit_test(sticking_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
