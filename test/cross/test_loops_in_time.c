// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of models with loops: closure and energy with every integrator, driven hinges and driven
// loops, loops made and released, results.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "scratch.h"

#define PI 3.14159265358979323846

// A slider-crank in space: crank 0.3 about x, rod 1 on ball joints, slider along x. The rod spins
// about its axis as it likes: redundant it is not, but of two degrees of freedom.
#define SPATIAL                                                                                    \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {rail: {position: [0, 0.4, 0]}}}\n"                                           \
    "bodies:\n"                                                                                    \
    "  - {name: crank, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 2, com: [0, 0.1, 0],\n"     \
    "     inertia: [0.02, 0.001, 0.02, 0, 0, 0], nodes: {tip: {position: [0, 0.3, 0]}}}\n"         \
    "  - {name: rod, parent: crank, at: tip, hinge: {type: spherical}, mass: 1, com: [0.5, 0, "    \
    "0],\n"                                                                                        \
    "     inertia: [0.001, 0.0833, 0.0833, 0, 0, 0], nodes: {end: {position: [1, 0, 0]}}}\n"       \
    "  - {name: slider, at: rail, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.5}\n"         \
    "loops:\n"                                                                                     \
    "  - {name: ball, a: {body: slider}, b: {body: rod, node: end}, type: spherical}\n"            \
    "initial: {crank: {angle: 0.4, rate: 6}, slider: {distance: 1}}\n"

static void every_integrator_holds_loops_and_energy(void **state)
{
    (void)state;
    static const struct {
        lb_integrator integrator;
        int order;
        double tolerance, step, energy;
    } cases[] = {{LB_INTEGRATOR_ERK, 8, 1e-10, 0, 1e-8},   {LB_INTEGRATOR_ERK, 5, 1e-9, 0, 1e-6},
                 {LB_INTEGRATOR_ADAMS, 0, 1e-10, 0, 1e-6}, {LB_INTEGRATOR_BDF, 0, 1e-9, 0, 1e-4},
                 {LB_INTEGRATOR_RK4, 0, 0, 1e-3, 1e-7},    {LB_INTEGRATOR_EULER, 0, 0, 1e-3, 0.05},
                 {LB_INTEGRATOR_ALPHA, 0, 0, 1e-3, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = lb_begin_course(
            SPATIAL "run: {duration: 20, interval: 0.037, assemble: {hold: [crank]}}\n");
        lb_choose_integrator(&course, cases[i].integrator, cases[i].order, cases[i].tolerance,
                             cases[i].step);
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
            fail_msg("%s", lb_get_simulation_message(course.simulation));
        }
        print_message("%s: closure %.1e, %.1e, energy %.1e of %.3g\n",
                      lb_get_integrator_name(cases[i].integrator), audit.closure_error,
                      audit.closure_speed_error, audit.energy_error, audit.energy_scale);
        // the promise; measured: round-off
        lb_expect_below("closure", audit.closure_error, 1e-10);
        lb_expect_below("closure of speeds", audit.closure_speed_error, 1e-10);
        lb_expect_below("energy", audit.energy_error / audit.energy_scale, cases[i].energy);
        lb_end_course(&course);
    }
}

static double find_energy_error(double step)
{
    lb_course course = lb_begin_example("flexible_four_bar.yaml");
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.integrator = LB_INTEGRATOR_RK4;
    o.step = step;
    o.duration = 0.05;
    o.order = 0;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("closure", audit.closure_error, 1e-14);
    lb_end_course(&course);
    return fabs(audit.energy_error);
}

static void energy_of_flexible_four_bar_is_right_at_the_order_of_the_integrator(void **state)
{
    (void)state;
    // the highest frequency of the closed linkage wants 1e-4 to be followed
    const double coarse = find_energy_error(1e-4), middle = find_energy_error(5e-5),
                 fine = find_energy_error(2.5e-5);
    print_message("energy errors %.2e %.2e %.2e\n", coarse, middle, fine);
    // order 4 would be 16 and, since the energy of modes is damped at order 5, often more
    assert_true(coarse / middle > 12.0 && middle / fine > 12.0);
}

// A crank of 0.1 that turns at 20 rad/s, a rod of 0.3: x = r cos + sqrt(l^2 - r^2 sin^2).
static void follow_driven_crank(bool is_stopped_at_outputs, double distance_bound,
                                double rate_bound)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "bodies:\n"
        "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.2, com: [0.05, 0, "
        "0],\n"
        "     inertia: [0, 1e-4, 1e-4, 0, 0, 0], nodes: {tip: {position: [0.1, 0, 0]}}}\n"
        "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "0.2,\n"
        "     com: [0.15, 0, 0], inertia: [0, 1.5e-3, 1.5e-3, 0, 0, 0], nodes: {end: {position: "
        "[0.3, 0, 0]}}}\n"
        "  - {name: slider, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 0.4}\n"
        "loops:\n"
        "  - {name: pin, a: {body: slider}, b: {body: rod, node: end}, type: point-line, axis: [0, "
        "0, 1]}\n"
        "forces: [{name: drive, type: motion, hinge: crank, position: 20*t}]\n"
        "initial: {slider: {distance: 0.4}}\n"
        "run: {duration: 1, interval: 0.01, assemble: true, integrator: {type: erk, order: 8, "
        "tolerance: 1.0e-10, stop_at_outputs: %s}}\n",
        is_stopped_at_outputs ? "true" : "false");
    lb_course course = lb_begin_course(text);
    lb_start_course(&course);
    for (int i = 1; i <= 100; ++i) {
        const double t = 0.01 * i, c = cos(20 * t), s = sin(20 * t);
        lb_go_to(&course, t);
        const double root = sqrt(0.09 - 0.01 * s * s), x = 0.1 * c + root;
        const double rate = 20 * (-0.1 * s - 0.01 * s * c / root);
        lb_expect_within("distance", &course.q[2], &x, 1, distance_bound);
        lb_expect_within("rate", &course.v[2], &rate, 1, rate_bound);
    }
    lb_end_course(&course);
}

static void driven_crank_moves_the_slider_as_geometry_says(void **state)
{
    (void)state;
    // Where a step ends, the loop is closed to 1e-14. At dead centre that leaves the rod 1e-14 / 0.3 off,
    // and the rate 20 rad/s * 0.1 times as much: 7e-14.
    follow_driven_crank(true, 1e-14, 1e-13);
    // Between steps states are interpolated, to the tolerance: 1e-10 of a distance of 0.4 and a rate of 2.
    follow_driven_crank(false, 4e-11, 2e-10);
    // and the drive does the work
    lb_course course = lb_begin_example("flexible_slider_crank.yaml");
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    // 1e-8: 1e-10 a step, a thousand steps
    lb_expect_below("energy", audit.energy_error / audit.energy_scale, 1e-8);
    assert_true(fabs(audit.work_drives) > 1.0);
    lb_expect_below("closure", audit.closure_error, 1e-14);
    lb_end_course(&course);
}

static void loops_follow_their_motion(void **state)
{
    (void)state;
    // a ramp, held up by a jack (rod), pulled along a rail, turned by a revolute loop, and geared
    const char *text =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "ground: {nodes: {foot: {position: [1, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: ramp, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 3, com: [0.5, 0, 0],\n"
        "     inertia: [0, 0.3, 0.3, 0, 0, 0], nodes: {lug: {position: [1, 0, 0]}}}\n"
        "  - {name: wheel, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: gear, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: cart, hinge: {type: free}, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "loops:\n"
        "  - {name: jack, a: {body: ground, node: foot}, b: {body: ramp, node: lug}, type: rod,\n"
        "     length: 0.5, motion: 0.1*sin(3*t)}\n"
        "  - {name: drive, a: {body: ground}, b: {body: wheel}, type: revolute, axis: [0, 0, 2], "
        "motion: t + t^2}\n"
        "  - {name: mesh, type: coupler, terms: [{body: wheel, factor: 2}, {body: gear}], motion: "
        "0.5*t^2}\n"
        "  - {name: rail, a: {body: ground}, b: {body: cart}, type: weld,\n"
        "     motion: {turn: 0.3*t^2, axis: [1, 0, 0], shift: [t^2, 0.2*sin(t), 0]}}\n"
        "initial: {ramp: {angle: 0.5}, wheel: {rate: 1}}\n"
        "run: {duration: 2, interval: 0.1, assemble: true, integrator: {type: erk, order: 8, "
        "tolerance: 1.0e-11}}\n";
    lb_course course = lb_begin_course(text);
    lb_start_course(&course);
    for (int i = 1; i <= 10; ++i) {
        const double t = 0.2 * i;
        lb_go_to(&course, t);
        const double length = 0.5 + 0.1 * sin(3 * t), ramp = 2 * asin(length / 2);
        const double found[] = {course.q[0], course.q[1],       2 * course.q[1] + course.q[2],
                                course.v[1], fabs(course.q[4]), course.q[7],
                                course.q[8], course.v[3],       course.a[1],
                                course.a[3]};
        const double expected[] = {
            ramp,  t + t * t,    0.5 * t * t, 1 + 2 * t, fabs(sin(0.15 * t * t)),
            t * t, 0.2 * sin(t), 0.6 * t,     2.0,       0.6};
        // positions are given exactly; 1e-11 for what two sines of round-off make of accelerations
        lb_expect_within("motion", found, expected, 10, 1e-11);
    }
    lb_end_course(&course);
    // the loops do the work
    course = lb_begin_course(text);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("energy", audit.energy_error / audit.energy_scale, 1e-9);
    assert_true(audit.work_loops > 1.0);
    lb_end_course(&course);
}

static void steps_over_singular_positions_leave_outputs_where_they_are(void **state)
{
    (void)state;
    // a tolerance at which singular positions catch the steps; outputs far closer than steps
    lb_course course = lb_begin_example("four_bars.yaml");
    lb_choose_integrator(&course, LB_INTEGRATOR_ERK, 8, 1e-12, 0);
    lb_start_course(&course);
    const double *v = course.v, *q = course.q;
    for (int i = 1; i <= 2600; ++i) {
        const double t = 1e-3 * i;
        lb_go_to(&course, t);
        assert_true(course.t == t);
        // one degree of freedom: 3 v^2 / 2 + 3.5 g sin = constant, for both the angle and its rate
        const double energy = 1.5 * v[0] * v[0] + 3.5 * 9.81 * cos(q[0]);
        lb_expect_near("energy of the cranks", energy, 1.5 + 3.5 * 9.81, 1e-8);
    }
    lb_end_course(&course);
}

// Linear momentum, angular about the origin, kinetic energy.
static void get_books(lb_course *course, double *books)
{
    lb_system_motion m;
    lb_work *work = lb_create_work(course->model);
    lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
    lb_expect_ok(lb_compute_kinematics(course->model, work, course->q, course->v, NULL));
    lb_expect_ok(lb_compute_system_motion(course->model, work, &m));
    memcpy(books, m.linear, sizeof m.linear);
    memcpy(books + 3, m.angular_world, sizeof m.angular_world);
    lb_expect_ok(lb_compute_energy(course->model, work, &books[6], NULL));
    lb_destroy_work(work);
}

static void robot_catches_a_payload_and_lets_it_go(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("catch.yaml");
    double first[7], before[7], after[7];
    int events = 0;
    lb_start_course(&course);
    get_books(&course, first);
    memcpy(before, first, sizeof before);
    double t = 0.0, lost = 0.0;
    while (t < 10.0) {
        // to just before the event, and through it
        const lb_status status = lb_advance_simulation(course.simulation, t + 0.01);
        if (status < 0) {
            fail_msg("%s", lb_get_simulation_message(course.simulation));
        }
        get_books(&course, after);
        if (status == LB_NEWS_EVENT) {
            ++events;
            lost += events <= 2 ? before[6] - after[6] : 0.0;
        } else {
            t += 0.01;
        }
        memcpy(before, after, sizeof before);
        // of 14 N s and 42 N m s
        lb_expect_within("momentum", after, first, 6, 1e-12 * 42);
    }
    assert_int_equal(events, 3);
    lb_end_course(&course);

    // what the audit says was lost, and the drop of the energy at each event
    course = lb_begin_example("catch.yaml");
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    assert_true(audit.work_closing < -1.0);
    // energies before and after are those of runs to 1e-8
    lb_expect_near("lost", -audit.work_closing, lost, 1e-8);
    lb_expect_below("energy balance", audit.energy_error / audit.energy_scale, 1e-12);
    lb_expect_below("linear momentum", audit.linear_change, 1e-12 * 14);
    lb_end_course(&course);
}

static void closing_a_loop_takes_the_energy_that_is_reported(void **state)
{
    (void)state;
    // two equal masses on one line, one at rest: half the energy goes, the momentum stays
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "bodies:\n"
                        "  - {name: one, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, "
                        "0], nodes: {nose: {position: [0.5, 0, 0]}}}\n"
                        "  - {name: two, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, "
                        "0], nodes: {tail: {position: [-0.5, 0, 0]}}}\n"
                        "loops: [{name: hook, a: {body: one, node: nose}, b: {body: two, node: "
                        "tail}, type: weld, active: false}]\n"
                        "initial: {one: {velocity: [3, 0, 0]}, two: {position: [4, 0, 0]}}\n"
                        "events:\n"
                        "  - {name: met, when: \"distance(one/nose, two/tail)\", crosses: 1.0e-9, "
                        "once: true, then: {close: hook}}\n"
                        "  - {name: parted, when: t, crosses: 2, then: {release: hook}}\n"
                        "run: {duration: 3, interval: 0.1, integrator: {type: rk4, step: 0.01}}\n");
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_expect_near("loss", audit.work_closing, -4.5, 1e-12);
    lb_expect_near("energy at the end", audit.energy_end, 4.5, 1e-12);
    lb_expect_below("momentum", audit.linear_change, 1e-12);
    assert_true(audit.events == 2.0);
    lb_end_course(&course);
}

static void hinge_is_locked_within_a_loop(void **state)
{
    (void)state;
    // a four-bar of one degree of freedom: locking one hinge stops all of it
    lb_course course = lb_begin_course(
        SPATIAL "forces: [{name: spin, type: damper, hinge: rod.0, damping: 1}]\n"
                "events: [{name: brake, when: t, crosses: 0.5, then: {lock: crank}},\n"
                "         {name: go, when: t, crosses: 0.7, then: {unlock: crank}}]\n"
                "run: {duration: 1, interval: 0.1, assemble: {hold: [crank]}, integrator: {type: "
                "erk, order: 8, tolerance: 1.0e-10}}\n");
    lb_start_course(&course);
    lb_go_to(&course, 0.6);
    assert_true(course.v[0] == 0.0);
    lb_expect_below("slider", course.v[4], 1e-14);
    lb_go_to(&course, 1.0);
    assert_true(course.v[0] != 0.0);
    lb_end_course(&course);
}

static void results_have_forces_and_errors_of_loops(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    fclose(file);
    lb_course course = lb_begin_example("four_bar.yaml");
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.duration = 1.0;
    o.interval = 0.1;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    lb_run_request request = lb_default_run_request();
    request.path = path;
    lb_expect_ok(lb_run_simulation(course.simulation, &request, NULL));
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    int table, column;
    double row[8];
    column = lb_find_column(results, "loop/pin.moment.x", &table);
    assert_true(column >= 0);
    assert_int_equal(lb_get_results_info(results)->tables[table].column_count, 8);
    lb_expect_ok(
        lb_read_table(results, table, lb_get_results_info(results)->row_count - 1, 1, row));
    const double *forces = lb_get_simulation_loop_forces(course.simulation);
    lb_expect_close("forces", row, forces, 6, 1e-12);
    lb_expect_below("position error", row[6], 1e-13);
    column = lb_find_column(results, "loop/pin.position_error", &table);
    assert_true(column >= 0);
    column = lb_find_column(results, "work.projection", &table);
    assert_true(column >= 0);
    lb_close_results(results);
    lb_end_course(&course);
    remove(path);
}

static void resumed_run_has_the_bits_of_an_undisturbed_one(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    fclose(file);
    double ends[2][64];
    for (int part = 0; part < 2; ++part) {
        for (int piece = 0; piece <= part; ++piece) {
            lb_course course = lb_begin_example("catch.yaml");
            lb_run_options o = {.size = sizeof o};
            lb_get_run_options(course.simulation, &o);
            o.integrator = LB_INTEGRATOR_RK4;
            o.order = 0;
            o.step = 0.002; // the motors of the arms are stiff
            o.interval = 0.1;
            o.duration = part && !piece ? 5.0 : 9.0; // stopped between catch and release
            lb_expect_ok(lb_set_run_options(course.simulation, &o));
            lb_run_request request = lb_default_run_request();
            request.path = path;
            request.resume = piece;
            lb_audit audit = {.size = sizeof audit};
            if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
                fail_msg("%s", lb_get_simulation_message(course.simulation));
            }
            lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v, &course.a);
            memcpy(ends[part], course.q, (size_t)course.q_count * sizeof(double));
            ends[part][course.q_count] = audit.work_closing;
            lb_end_course(&course);
        }
        remove(path);
    }
    // 22 coordinates and the loss; grasps take their offset anew from the state: round-off
    lb_expect_within("state", ends[1], ends[0], 23, 1e-12);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_holds_loops_and_energy),
        cmocka_unit_test(energy_of_flexible_four_bar_is_right_at_the_order_of_the_integrator),
        cmocka_unit_test(driven_crank_moves_the_slider_as_geometry_says),
        cmocka_unit_test(loops_follow_their_motion),
        cmocka_unit_test(steps_over_singular_positions_leave_outputs_where_they_are),
        cmocka_unit_test(robot_catches_a_payload_and_lets_it_go),
        cmocka_unit_test(closing_a_loop_takes_the_energy_that_is_reported),
        cmocka_unit_test(hinge_is_locked_within_a_loop),
        cmocka_unit_test(results_have_forces_and_errors_of_loops),
        cmocka_unit_test(resumed_run_has_the_bits_of_an_undisturbed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
