// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of models with loops that ask much of an integrator: singular positions, stiff springs in closed
// mechanisms, driven cranks with flexible rods, long runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "simulate/run/simulation.h"

// Runs a course to its end and ends it: the audit.
static lb_audit run(lb_course *course, const char *what)
{
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course->simulation, &request, &audit) < 0) {
        fail_msg("%s: %s", what, lb_get_simulation_message(course->simulation));
    }
    const lb_system *s = &course->simulation->system;
    print_message(
        "%s: %.0f steps, %ld evaluations, %ld Jacobians, closure %.1e %.1e, energy %.1e\n", what,
        audit.steps, s->evaluation_count, s->jacobian_count, audit.closure_error,
        audit.closure_speed_error, audit.energy_error / audit.energy_scale);
    // the promise, in every row
    lb_expect_below("closure", audit.closure_error, 1e-10);
    lb_expect_below("closure of speeds", audit.closure_speed_error, 1e-10);
    lb_end_course(course);
    return audit;
}

// A model of examples/, or a text, for a short run; the long test takes its whole duration.
static lb_course begin_part(const char *example, const char *text, double duration)
{
    lb_course course = example ? lb_begin_example(example) : lb_begin_course(text);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.duration = lb_is_long() ? o.duration : duration;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    return course;
}

// A parallelogram whose links fold onto one line twice a turn.
#define FOLD                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "ground: {nodes: {p: {position: [1.5, 0, 0]}}}\n"                                              \
    "bodies:\n"                                                                                    \
    "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.2, 0],\n"         \
    "     inertia: [0.02, 0, 0.02, 0, 0, 0], nodes: {t: {position: [0, 0.5, 0]}}}\n"               \
    "  - {name: b, parent: a, at: t, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: "     \
    "[0.7, 0.05, 0],\n"                                                                            \
    "     inertia: [0.01, 0.3, 0.3, 0, 0, 0], nodes: {e: {position: [1.5, 0, 0]}}}\n"              \
    "  - {name: c, at: p, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.03, 0.25, "   \
    "0],\n"                                                                                        \
    "     inertia: [0.02, 0, 0.02, 0, 0, 0], nodes: {t: {position: [0, 0.5, 0]}}}\n"               \
    "loops: [{name: pin, a: {body: c, node: t}, b: {body: b, node: e}, type: revolute, axis: [0, " \
    "0, 1]}]\n"                                                                                    \
    "initial: {a: {rate: 7}, b: {rate: -7}, c: {rate: 7}}\n"                                       \
    "run: {duration: 10, interval: 0.02}\n"

static void every_integrator_passes_singular_positions(void **state)
{
    (void)state;
    // steps that do and do not fall right into them; energy at the order of each
    static const struct {
        lb_integrator integrator;
        int order;
        double tolerance, step, energy;
    } cases[] = {
        {LB_INTEGRATOR_ERK, 8, 1e-9, 0, 1e-7},     {LB_INTEGRATOR_ADAMS, 0, 1e-8, 0, 1e-5},
        {LB_INTEGRATOR_BDF, 0, 1e-6, 0, 1e-3},     {LB_INTEGRATOR_BDF, 0, 1e-8, 0, 1e-5},
        {LB_INTEGRATOR_RK4, 0, 0, 1e-3, 1e-9},     {LB_INTEGRATOR_ALPHA, 0, 0, 2e-3, 2e-5},
        {LB_INTEGRATOR_ALPHA, 0, 0, 1.3e-3, 1e-5}, {LB_INTEGRATOR_ALPHA, 0, 0, 1e-3, 1e-5}};
    static const char *const models[] = {"four_bars.yaml", "bricard.yaml", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
            // in 4 s, rk4 falls right into one of the parallelogram, alpha into one of the four-bars
            lb_course course = begin_part(models[k], FOLD, 4.0);
            lb_choose_integrator(&course, cases[i].integrator, cases[i].order, cases[i].tolerance,
                                 cases[i].step);
            char what[64];
            snprintf(what, sizeof what, "%s, %s", models[k] ? models[k] : "fold",
                     lb_get_integrator_name(cases[i].integrator));
            const lb_audit audit = run(&course, what);
            lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale,
                            cases[i].energy);
        }
    }
}

static void tight_tolerances_pass_singular_positions(void **state)
{
    (void)state;
    // without a longest step: every one of these was once caught, or came close
    static const double tolerances[] = {1e-10, 5e-11, 1e-11};
    for (size_t i = 0; i < 6; ++i) {
        const lb_integrator integrator = i % 2 ? LB_INTEGRATOR_ADAMS : LB_INTEGRATOR_BDF;
        for (int fold = 0; fold < 2; ++fold) {
            lb_course course = fold ? lb_begin_course(FOLD) : lb_begin_example("four_bars.yaml");
            lb_run_options o = {.size = sizeof o};
            lb_get_run_options(course.simulation, &o);
            o.max_step = 0.0;
            o.stop_at_outputs = 0;
            lb_expect_ok(lb_set_run_options(course.simulation, &o));
            lb_choose_integrator(&course, integrator, 0, tolerances[i / 2], 0);
            const lb_audit audit = run(&course, lb_get_integrator_name(integrator));
            // 1e-6: a step over such a position is not held to the tolerance
            lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale, 1e-6);
        }
    }
}

static void motion_past_a_dead_point_is_refused_by_name(void **state)
{
    (void)state;
    // the slider is driven out further than crank and rod reach together, which is at 0.5 s
    static const struct {
        lb_integrator integrator;
        int order;
        double tolerance, step;
    } cases[] = {{LB_INTEGRATOR_ERK, 8, 1e-8, 0}, {LB_INTEGRATOR_ADAMS, 0, 1e-8, 0},
                 {LB_INTEGRATOR_BDF, 0, 1e-6, 0}, {LB_INTEGRATOR_BDF, 0, 1e-8, 0},
                 {LB_INTEGRATOR_RK4, 0, 0, 1e-3}, {LB_INTEGRATOR_ALPHA, 0, 0, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = lb_begin_course(
            "limber: 1\n"
            "bodies:\n"
            "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.2, com: [0.05, 0, "
            "0],\n"
            "     inertia: [0, 1.0e-4, 1.0e-4, 0, 0, 0], nodes: {tip: {position: [0.1, 0, 0]}}}\n"
            "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, "
            "mass: 0.2,\n"
            "     com: [0.15, 0, 0], inertia: [0, 1.5e-3, 1.5e-3, 0, 0, 0], nodes: {end: "
            "{position: [0.3, 0, 0]}}}\n"
            "  - {name: slider, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.4}\n"
            "loops: [{name: pin, a: {body: slider}, b: {body: rod, node: end}, type: point-line, "
            "axis: [0, 0, 1]}]\n"
            "forces: [{name: drive, type: motion, hinge: slider, position: 0.3 + 0.2*t}]\n"
            "initial: {crank: {angle: 1.3}, rod: {angle: -1.5}}\n"
            "run: {duration: 2, interval: 0.01, assemble: true}\n");
        lb_choose_integrator(&course, cases[i].integrator, cases[i].order, cases[i].tolerance,
                             cases[i].step);
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        assert_int_equal(lb_run_simulation(course.simulation, &request, &audit), LB_E_OPEN);
        const char *message = lb_get_simulation_message(course.simulation);
        print_message("%s\n", message);
        assert_non_null(strstr(message, "loop 'pin' cannot be held"));
        assert_non_null(strstr(message, "driven"));
        double t = 0.0;
        assert_int_equal(sscanf(message, "t = %lf", &t), 1);
        lb_expect_near("time", t, 0.5, 5e-3);
        lb_end_course(&course);
    }
}

static void long_runs_stay_closed_and_are_not_disturbed(void **state)
{
    (void)state;
    static const lb_integrator integrators[] = {LB_INTEGRATOR_BDF, LB_INTEGRATOR_ADAMS,
                                                LB_INTEGRATOR_ERK};
    for (size_t i = 0; i < 3; ++i) {
        lb_course course = lb_begin_example("four_bar.yaml");
        lb_run_options o = {.size = sizeof o};
        lb_get_run_options(course.simulation, &o);
        o.duration = lb_is_long() ? 1000.0 : 200.0;
        o.interval = 0.1;
        lb_expect_ok(lb_set_run_options(course.simulation, &o));
        lb_choose_integrator(&course, integrators[i], integrators[i] == LB_INTEGRATOR_ERK ? 8 : 0,
                             1e-9, 0);
        const lb_simulation *sim = course.simulation;
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
        print_message("%s: %.0f steps, %ld restarts, closure %.1e %.1e, energy %.1e\n",
                      lb_get_integrator_name(integrators[i]), audit.steps, sim->drift_restarts,
                      audit.closure_error, audit.closure_speed_error,
                      audit.energy_error / audit.energy_scale);
        lb_expect_below("closure", audit.closure_error, 1e-10);
        lb_expect_below("closure of speeds", audit.closure_speed_error, 1e-10);
        // 160 swings in 1000 s, some 1e-9 for each of the 100 to 240 steps of one; energy has twice the
        // error of speeds, and bdf's is of one sign
        lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale,
                        2e-4 * o.duration / 1000.0);

        assert_true(sim->drift_restarts == 0);
        lb_end_course(&course);
    }
}

static void forty_four_bars_pass_theirs_together(void **state)
{
    (void)state;
    // a step of alpha falls right into where all forty are singular, the second time that they come there, after
    // 1.4 s. The steps into it and out of it have errors of third order, 2 (3.2 rad/s 2 ms)^3 = 5e-7 of the energy
    const struct {
        lb_integrator integrator;
        double tolerance, step, energy;
    } cases[] = {{LB_INTEGRATOR_BDF, 1e-6, 0, 1e-3},
                 {LB_INTEGRATOR_ALPHA, 0, 2e-3, lb_is_long() ? 1e-7 : 6e-7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = begin_part("four_bars_40.yaml", NULL, 2.0);
        lb_choose_integrator(&course, cases[i].integrator, 0, cases[i].tolerance, cases[i].step);
        const lb_audit audit = run(&course, lb_get_integrator_name(cases[i].integrator));
        lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale, cases[i].energy);
    }
}

// A governor: two arms on a spinning shaft, links from a slider to the arms, 8e5 N/m and 4e4 N s/m stiff
// along themselves. Links as force elements, or as bodies that are joined to the arms by loops.
#define GOVERNOR                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: shaft, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 200, inertia: [25, 25, "    \
    "25, "                                                                                         \
    "0, 0, 0],\n"                                                                                  \
    "     nodes: {l: {position: [-0.05, 0, 1]}, r: {position: [0.05, 0, 1]}}}\n"                   \
    "  - {name: left, parent: shaft, at: l, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 6, "   \
    "com: [0, 0, -0.9],\n"                                                                         \
    "     inertia: [0.4, 0.4, 0.01, 0, 0, 0], nodes: {m: {position: [0, 0, -0.5]}}}\n"             \
    "  - {name: right, parent: shaft, at: r, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 6, "  \
    "com: [0, 0, -0.9],\n"                                                                         \
    "     inertia: [0.4, 0.4, 0.01, 0, 0, 0], nodes: {m: {position: [0, 0, -0.5]}}}\n"             \
    "  - {name: slider, parent: shaft, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1,\n"      \
    "     inertia: [0.15, 0.125, 0.15, 0, 0, 0], nodes: {l: {position: [-0.05, 0, 0]}, r: "        \
    "{position: [0.05, 0, 0]}}}\n"
#define LINK(side)                                                                                 \
    "  - {name: swing" side ", parent: slider, at: " side                                          \
    ", hinge: {type: revolute, axis: [0, 1, "                                                      \
    "0]}, mass: 0.01,\n"                                                                           \
    "     com: [0, 0, 0.1], inertia: [1.0e-4, 1.0e-4, 1.0e-5, 0, 0, 0]}\n"                         \
    "  - {name: rod" side ", parent: swing" side ", hinge: {type: prismatic, axis: [0, 0, 1]}, "   \
    "mass: 0.01,\n"                                                                                \
    "     com: [0, 0, 0.25], inertia: [1.0e-4, 1.0e-4, 1.0e-5, 0, 0, 0], nodes: {e: {position: "   \
    "[0, 0, 0.5]}}}\n"

static void stiff_governor_runs_with_loops_as_without(void **state)
{
    (void)state;
    static const char *const texts[2] = {
        GOVERNOR
        "forces:\n"
        "  - {name: lk, type: spring, between: [slider/l, left/m], stiffness: 8.0e5, length: 0.5}\n"
        "  - {name: lc, type: damper, between: [slider/l, left/m], damping: 4.0e4}\n"
        "  - {name: rk, type: spring, between: [slider/r, right/m], stiffness: 8.0e5, length: "
        "0.5}\n"
        "  - {name: rc, type: damper, between: [slider/r, right/m], damping: 4.0e4}\n"
        "initial: {shaft: {rate: 7}, left: {angle: 30 deg}, right: {angle: -30 deg}, slider: "
        "{distance: 0.1339745962}}\n"
        "run: {duration: 3, interval: 0.01}\n",
        GOVERNOR LINK("l") LINK("r") "loops:\n"
                                     "  - {name: pin left, a: {body: left, node: m}, b: {body: "
                                     "rodl, node: e}, type: revolute, "
                                     "axis: [0, 1, 0]}\n"
                                     "  - {name: pin right, a: {body: right, node: m}, b: {body: "
                                     "rodr, node: e}, type: revolute, "
                                     "axis: [0, 1, 0]}\n"
                                     "forces:\n"
                                     "  - {name: lk, type: spring, hinge: rodl, stiffness: 8.0e5}\n"
                                     "  - {name: lc, type: damper, hinge: rodl, damping: 4.0e4}\n"
                                     "  - {name: rk, type: spring, hinge: rodr, stiffness: 8.0e5}\n"
                                     "  - {name: rc, type: damper, hinge: rodr, damping: 4.0e4}\n"
                                     "initial: {shaft: {rate: 7}, left: {angle: 30 deg}, right: "
                                     "{angle: -30 deg}, slider: "
                                     "{distance: 0.1339745962},\n"
                                     "  swingl: {angle: -30 deg}, swingr: {angle: 30 deg}}\n"
                                     "run: {duration: 3, interval: 0.01, assemble: {hold: [left, "
                                     "right, rodl, rodr]}}\n"};
    for (double tolerance = 1e-6; tolerance > 5e-9; tolerance /= 100) {
        double evaluations[2];
        for (int with = 0; with < 2; ++with) {
            lb_course course = lb_begin_course(texts[with]);
            lb_choose_integrator(&course, LB_INTEGRATOR_BDF, 0, tolerance, 0);
            const lb_audit audit = run(&course, with ? "links of bodies" : "links of forces");
            evaluations[with] = audit.evaluations;
            // a thousand times the tolerance, over some thousand steps
            lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale,
                            1e3 * tolerance);
        }
        // twice as many coordinates: half as many more at most. Last bits choose the steps: compilers gave up to 1.23
        lb_expect_below("evaluations with loops", evaluations[1], 1.5 * evaluations[0]);
    }
}

static void driven_crank_with_a_flexible_rod(void **state)
{
    (void)state;
    static const struct {
        lb_integrator integrator;
        double tolerance, step, energy;
    } cases[] = {{LB_INTEGRATOR_BDF, 1e-6, 0, 1e-5}, {LB_INTEGRATOR_ALPHA, 0, 1e-4, 1e-4}};
    // where the middle of the rod is, in its own modes
    double end[3][16];
    for (int i = 0; i < 3; ++i) {
        lb_course course = lb_begin_example("flexible_slider_crank.yaml");
        if (i > 0) {
            lb_choose_integrator(&course, cases[i - 1].integrator, 0, cases[i - 1].tolerance,
                                 cases[i - 1].step);
        }
        lb_start_course(&course);
        lb_go_to(&course, 0.1);
        assert_true(course.q_count <= 16);
        memcpy(end[i], course.q, (size_t)course.q_count * sizeof(double));
        if (i > 0) {
            // of a motion of about 1: the error of alpha, of second order, is the larger
            lb_expect_within("as by erk", end[i], end[0], (size_t)course.q_count, 2e-3);
        }
        lb_end_course(&course);
    }
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_example("flexible_slider_crank.yaml");
        lb_choose_integrator(&course, cases[i].integrator, 0, cases[i].tolerance, cases[i].step);
        const lb_audit audit = run(&course, lb_get_integrator_name(cases[i].integrator));
        lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale, cases[i].energy);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_passes_singular_positions),
        cmocka_unit_test(tight_tolerances_pass_singular_positions),
        cmocka_unit_test(motion_past_a_dead_point_is_refused_by_name),
        cmocka_unit_test(long_runs_stay_closed_and_are_not_disturbed),
        cmocka_unit_test(forty_four_bars_pass_theirs_together),
        cmocka_unit_test(stiff_governor_runs_with_loops_as_without),
        cmocka_unit_test(driven_crank_with_a_flexible_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
