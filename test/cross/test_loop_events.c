// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events that make, alter, close and release loops and lock hinges: momentum stays, and energy goes
// where the books say.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "own_malloc.h"
#include "scratch.h"
#include "simulate/run/simulation.h"

// Linear momentum, angular about the origin; kinetic and potential energy.
typedef struct lb_totals {
    double momentum[6], energy;
    double lost; // by the books, of a model without forces
} lb_totals;

static lb_totals get_totals(lb_course *course)
{
    lb_system_motion m;
    lb_totals out;
    double kinetic, potential;
    lb_work *work = lb_create_work(course->model);
    lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
    lb_expect_ok(lb_compute_kinematics(course->model, work, course->q, course->v, NULL));
    lb_expect_ok(lb_compute_system_motion(course->model, work, &m));
    lb_expect_ok(lb_compute_energy(course->model, work, &kinetic, &potential));
    memcpy(out.momentum, m.linear, sizeof m.linear);
    memcpy(out.momentum + 3, m.angular_world, sizeof m.angular_world);
    out.energy = kinetic + potential;
    int count;
    const double *books = lb_get_simulation_work(course->simulation, &count);
    assert_true(count >= 6);
    out.lost = -books[count - 4] - books[count - 2]; // locking, closing
    lb_destroy_work(work);
    return out;
}

static lb_audit run(const char *text)
{
    lb_course course = lb_begin_course(text);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return audit;
}

// ---- a payload that is a tree ------------------------------------------------------------------

#define ARM(side)                                                                                  \
    "  - {name: " side " arm, parent: base, at: " side ", hinge: {type: revolute, axis: [0, 0, "   \
    "1]},\n"                                                                                       \
    "     beam: {length: 1, section: {type: tube, diameter: 0.03}, material: aluminium, modes: "   \
    "2}}\n"                                                                                        \
    "  - {name: " side " hand, parent: " side                                                      \
    " arm, at: tip, hinge: {type: spherical}, mass: 2,\n"                                          \
    "     com: [0.1, 0, 0], inertia: [0.02, 0.03, 0.03, 0, 0, 0], nodes: {palm: {position: [0.2, " \
    "0, 0]}}}\n"

// Two flexible arms on a free base, and a box with a lid, all tumbling; nothing acts but loops and
// locks, so that energy changes at events only.
static const char *const tumbling =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: base, hinge: {type: free}, mass: 20, inertia: [3, 4, 5, 0, 0, 0],\n"
    "     nodes: {left: {position: [0.3, 0.3, 0]}, right: {position: [0.3, -0.3, 0]}}}\n" ARM(
        "left")
        ARM("right") "  - {name: box, hinge: {type: free}, mass: 10, inertia: [1, 2, 1.5, 0.1, 0, "
                     "0],\n"
                     "     nodes: {left handle: {position: [-0.2, 0.2, 0]}, right handle: "
                     "{position: [-0.2, -0.2, "
                     "0]},\n"
                     "             joint: {position: [0.2, 0, 0.1]}}}\n"
                     "  - {name: lid, parent: box, at: joint, hinge: {type: universal, axes: [[0, "
                     "1, 0], [0, 0, 1]]}, "
                     "mass: 2,\n"
                     "     com: [-0.2, 0, 0.1], inertia: [0.1, 0.1, 0.2, 0, 0, 0]}\n"
                     "loops:\n"
                     "  - {name: grip, a: {body: left hand, node: palm}, b: {body: box, node: left "
                     "handle}, type: "
                     "weld,\n"
                     "     active: false}\n"
                     "initial:\n"
                     "  base: {angular_velocity: [0.1, -0.2, 0.3], velocity: [0.2, 0, -0.1]}\n"
                     "  left hand: {angular_velocity: [0.5, 0.2, -0.3]}\n"
                     "  box: {position: [1.8, 0, 0.1], angular_velocity: [-0.3, 0.4, 0.2], "
                     "velocity: [-0.3, 0.1, 0]}\n"
                     "  lid: {rates: [0.7, -0.4]}\n"
                     "events:\n"
                     "  - {name: grasped, when: t, crosses: 0.1, then: {grasp: grip}}\n"
                     "  - {name: steadied, when: t, crosses: 0.2, then: {make: {name: steady, "
                     "type: spherical,\n"
                     "     a: {body: right hand, node: palm}, b: {body: box, node: right handle}, "
                     "grasp: true}}}\n"
                     "  - {name: shut, when: t, crosses: 0.3, then: {lock: lid}}\n"
                     "  - {name: handed over, when: t, crosses: 0.4, then: [{alter: grip, grasp: "
                     "true,\n"
                     "     a: {body: right hand, node: palm}, b: {body: box, node: right handle}}, "
                     "{release: "
                     "steady}]}\n"
                     "  - {name: tied, when: t, crosses: 0.5, then: {make: {name: steady, type: "
                     "rod, grasp: true,\n"
                     "     a: {body: left hand}, b: {body: lid}}}}\n"
                     "  - {name: braked, when: t, crosses: 0.55, then: {lock: left arm}}\n"
                     "  - {name: opened, when: t, crosses: 0.6, then: [{unlock: lid}, {unlock: "
                     "left arm}]}\n"
                     "  - {name: let go, when: t, crosses: 0.7, then: [{release: grip}, {release: "
                     "steady}]}\n"
                     "run: {duration: 0.8, interval: 0.05, integrator: {type: erk, order: 8, "
                     "tolerance: 1.0e-13, "
                     "max_step: 0.0002}}\n";

static void payload_is_handed_over_by_flexible_arms(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(tumbling);
    lb_start_course(&course);
    const lb_totals first = get_totals(&course);
    lb_totals before = first;
    int events = 0;
    // to just before each event, where energy is as good as that at the event, and through it
    for (int i = 1; i <= 16; ++i) {
        for (int side = 0; side < 2; ++side) {
            const double t = 0.05 * i + (side ? 1e-7 : -1e-7);
            lb_status status;
            do {
                status = lb_advance_simulation(course.simulation, fmin(t, 0.8));
                if (status < 0) {
                    fail_msg("%s", lb_get_simulation_message(course.simulation));
                }
                const lb_totals after = get_totals(&course);
                // of 9 N s and 15 N m s: round-off at events, the integrator between them
                lb_expect_within("momentum", after.momentum, first.momentum, 6, 1e-12 * 15);
                events += status == LB_NEWS_EVENT;
                if (status == LB_NEWS_EVENT) {
                    lb_expect_within("across the event", after.momentum, before.momentum, 6,
                                     1e-13 * 15);
                    // 1e-12: of the energy there is
                    lb_expect_below("loss",
                                    before.energy - after.energy - (after.lost - before.lost),
                                    1e-12 * first.energy);
                }
                before = after;
            } while (status == LB_NEWS_EVENT);
        }
    }
    assert_int_equal(events, 8);
    lb_end_course(&course);

    const lb_audit audit = run(tumbling);
    print_message("closing %g J, locking %g J of %g J\n", audit.work_closing, audit.work_locking,
                  first.energy);
    assert_true(audit.work_closing < -0.1 && audit.work_locking < -1e-3);
    // 1e-10: what the integrator makes of the modes of the arms in 0.8 s
    lb_expect_below("energy balance", audit.energy_error / audit.energy_scale, 1e-10);
    // 1e-11: 4000 steps of ten stages, each with round-off of some 1e-16 of 9 N s
    lb_expect_below("linear momentum", audit.linear_change, 1e-11 * 9);
    assert_true(audit.work_drives == 0.0 && audit.work_loops == 0.0);
}

static void example_keeps_momentum_and_books(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("handover.yaml");
    lb_start_course(&course);
    lb_totals first = get_totals(&course);
    int events = 0;
    for (double t = 0.0; t < 10.0;) {
        const lb_status status = lb_advance_simulation(course.simulation, t + 0.01);
        assert_true(status >= 0);
        const lb_totals after = get_totals(&course);
        if (status == LB_NEWS_EVENT) {
            // the last hundredth, in which motors worked, and the event; of up to 10 N s
            lb_expect_within("momentum", after.momentum, first.momentum, 6, 1e-12 * 10);
            ++events;
        } else {
            t += 0.01;
        }
        first = after;
    }
    assert_int_equal(events, 4);
    lb_end_course(&course);
    course = lb_begin_example("handover.yaml");
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("energy balance", audit.energy_error / audit.energy_scale, 1e-10);
    assert_true(audit.work_closing < -0.01 && audit.work_locking < -0.1);
    assert_true(audit.closure_error < 1e-13);
    lb_end_course(&course);
}

static void run_is_resumed_with_loops_as_they_were(void **state)
{
    (void)state;
    // stopped while a made loop holds, an altered one, and a hinge is locked
    const double stops[2] = {0.25, 0.57};
    for (int stop = 0; stop < 2; ++stop) {
        char path[LB_SCRATCH_PATH_SIZE];
        FILE *file = lb_open_scratch(path);
        assert_non_null(file);
        fclose(file);
        double ends[2][64] = {{0}};
        int count = 0;
        for (int part = 0; part < 2; ++part) {
            for (int piece = 0; piece <= part; ++piece) {
                lb_course course = lb_begin_course(tumbling);
                lb_run_options o = {.size = sizeof o};
                lb_get_run_options(course.simulation, &o);
                o.integrator = LB_INTEGRATOR_RK4;
                o.order = 0;
                o.step = 0.001;
                o.interval = 0.01;
                o.duration = part && !piece ? stops[stop] : 0.8;
                lb_expect_ok(lb_set_run_options(course.simulation, &o));
                lb_run_request request = lb_default_run_request();
                request.path = path;
                request.resume = piece;
                lb_audit audit = {.size = sizeof audit};
                if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
                    fail_msg("%s", lb_get_simulation_message(course.simulation));
                }
                lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v,
                                        &course.a);
                count = course.q_count;
                memcpy(ends[part], course.q, (size_t)count * sizeof(double));
                ends[part][count] = audit.work_closing;
                ends[part][count + 1] = audit.work_locking;
                lb_end_course(&course);
            }
            remove(path);
        }
        // grasps take their offset anew from the state: round-off
        lb_expect_within("state", ends[1], ends[0], count + 2, 1e-11);
    }
}

// ---- by hand -----------------------------------------------------------------------------------

static void driven_hinge_that_catches_a_mass_does_the_work(void **state)
{
    (void)state;
    // a crank of 0.5 m that turns at 2 rad/s whatever happens: 3 kg at rest get 1 m/s, which takes
    // 3 J of the drive, half of it lost
    const lb_audit audit =
        run("limber: 1\n"
            "bodies:\n"
            "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0, 0, "
            "0.1, 0, 0, 0], nodes: {tip: {position: [0.5, 0, 0]}}}\n"
            "  - {name: mass, hinge: {type: free}, mass: 3, inertia: [1, 1, 1, 0, 0, 0]}\n"
            "forces: [{name: drive, type: motion, hinge: crank, position: 2*t}]\n"
            "initial: {mass: {position: [0, 0.5, 0]}}\n"
            "events: [{name: caught, when: crank.angle, crosses: 90 deg, once: true, then: {make: "
            "{name: hook, a: {body: crank, node: tip}, b: {body: mass}, type: spherical, grasp: "
            "true}}}]\n"
            "run: {duration: 1.5, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
            "1.0e-12}}\n");
    lb_expect_near("loss", audit.work_closing, -1.5, 1e-11);
    lb_expect_near("work of the drive", audit.work_drives, 3.0, 1e-11);
    lb_expect_below("energy balance", audit.energy_error, 1e-11);
}

static void loop_that_follows_a_motion_is_grasped_where_it_is(void **state)
{
    (void)state;
    // a carriage at 2 m/s takes along 3 kg at rest: 12 J of the motion, half of them lost
    const lb_audit audit = run(
        "limber: 1\n"
        "bodies: [{name: mass, hinge: {type: free}, mass: 3, inertia: [1, 1, 1, 0, 0, 0]}]\n"
        "loops: [{name: carriage, a: {body: ground}, b: {body: mass}, type: prismatic, axis: [1, "
        "0, 0], motion: 2*t, active: false}]\n"
        "initial: {mass: {position: [5, 1, 0], rotation: [0.6, 0.8, 0, 0]}}\n"
        "events: [{name: taken, when: t, crosses: 1, then: {grasp: carriage}}]\n"
        "run: {duration: 2, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
        "1.0e-12}}\n");
    lb_expect_near("loss", audit.work_closing, -6.0, 1e-11);
    lb_expect_near("work of the loop", audit.work_loops, 12.0, 1e-11);
    lb_expect_near("energy at the end", audit.energy_end, 6.0, 1e-11);
    lb_expect_below("closed", audit.closure_error, 1e-13);
}

static void gear_is_changed(void **state)
{
    (void)state;
    // two wheels of 1 kg m^2 at 1 rad/s; with w1 = 2 w2 they go on at 1.2 and 0.6, and 0.1 J are lost
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: one, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, "
        "0, "
        "0]}\n"
        "  - {name: two, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, "
        "0, "
        "0]}\n"
        "loops: [{name: gear, type: coupler, terms: [{body: one}, {body: two, factor: -1}]}]\n"
        "initial: {one: {rate: 1}, two: {rate: 1}}\n"
        "events: [{name: shift, when: t, crosses: 1, then: {alter: gear, terms: [{body: one}, "
        "{body: "
        "two, factor: -2}], grasp: true}},\n"
        "         {name: third, when: t, crosses: 2, then: {make: {name: pin, type: coupler, "
        "terms: "
        "[{body: two}], grasp: true}}}]\n"
        "run: {duration: 3, interval: 0.1}\n");
    lb_start_course(&course);
    lb_go_to(&course, 1.5);
    lb_expect_near("one", course.v[0], 1.2, 1e-12);
    lb_expect_near("two", course.v[1], 0.6, 1e-12);
    lb_go_to(&course, 3.0);
    lb_expect_below("stopped", fabs(course.v[0]) + fabs(course.v[1]), 1e-12);
    lb_end_course(&course);
}

// One hand on successive rungs: a bar that is led along a rail, and a cable that is taken in.
#define BAR                                                                                        \
    "limber: 1\n"                                                                                  \
    "ground: {nodes: {one: {}, two: {position: [1, 0, 0]}, three: {position: [2, 0, 0]}}}\n"       \
    "bodies:\n"                                                                                    \
    "  - {name: bar, hinge: {type: free}, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1, "   \
    "0, "                                                                                          \
    "0, 0],\n"                                                                                     \
    "     nodes: {hand: {}, foot: {position: [1, 0, 0]}}}\n"

static void loop_is_led_from_rung_to_rung(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        BAR
        "loops: [{name: hold, a: {body: ground, node: one}, b: {body: bar, node: hand}, type: "
        "revolute, axis: [0, 0, 1]}]\n"
        "initial: {bar: {angular_velocity: [0, 0, 1]}}\n"
        "events:\n"
        // one turn, and the foot is on the second rung
        "  - {name: next, when: t, crosses: 6.283185307179586, once: true,\n"
        "     then: {alter: hold, a: {body: ground, node: two}, b: {body: bar, node: foot}}}\n"
        "  - {name: last, when: t, crosses: 12, then: [{release: hold}, {alter: hold, a: {body: "
        "ground, node: three}, type: rod, length: 0.4}]}\n"
        "run: {duration: 14, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
        "1.0e-11}}\n");
    lb_start_course(&course);
    lb_go_to(&course, 6.2);
    lb_node_motion hand = lb_get_course_node(&course, "bar", "hand");
    lb_expect_below("first rung", fabs(hand.position[0]) + fabs(hand.position[1]), 1e-12);
    lb_go_to(&course, 8.0);
    const lb_node_motion foot = lb_get_course_node(&course, "bar", "foot");
    lb_expect_below("second rung", fabs(foot.position[0] - 1.0) + fabs(foot.position[1]), 1e-12);
    // about the new pivot: 1/3 w' = -(1/4 - 1/12) w with inertia 0.1 about the middle
    lb_expect_near("rate", course.v[2], -(0.25 - 0.1) / (0.25 + 0.1), 1e-6);
    lb_go_to(&course, 13.0);
    const double *forces = lb_get_simulation_loop_forces(course.simulation);
    assert_true(forces[0] == 0.0 && forces[3] == 0.0); // altered, and waiting
    lb_end_course(&course);
}

static void close_means_the_definition_after_a_grasp(void **state)
{
    (void)state;
    // grasped 0.5 off, released, closed when the ends have come together
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
        "loops: [{name: stop, a: {body: ground}, b: {body: cart}, type: spherical, active: "
        "false}]\n"
        "initial: {cart: {distance: -0.5, rate: 1}}\n"
        "forces: [{name: push, type: motor, hinge: cart, value: 1, enabled: false}]\n"
        "events:\n"
        "  - {name: held, when: cart.distance, crosses: -0.25, then: {grasp: stop}}\n"
        "  - {name: freed, when: t, crosses: 1, then: [{release: stop}, {enable: push}]}\n"
        "  - {name: shut, when: cart.distance, crosses: 0, direction: rising, then: {close: "
        "stop}}\n"
        "run: {duration: 3}\n");
    lb_start_course(&course);
    lb_go_to(&course, 0.9);
    lb_expect_near("held", course.q[0], -0.25, 1e-8);
    lb_go_to(&course, 3.0);
    lb_expect_below("shut", fabs(course.q[0]) + fabs(course.v[0]), 1e-9);
    lb_end_course(&course);
}

static void lock_beside_a_driven_hinge_is_booked_in_two(void **state)
{
    (void)state;
    // a crank at 2 rad/s, driven; on its tip, 1 m out, a rod of 3 kg with 1 kg m^2 about the tip (no
    // offset of its centre) that stands still: locked, it turns with the crank, which takes twice what it
    // then has about the tip, 2 J
    const lb_audit audit =
        run("limber: 1\n"
            "bodies:\n"
            "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0, 0, "
            "0.1, 0, "
            "0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
            "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, "
            "mass: 3, "
            "inertia: [0, 0, 1, 0, 0, 0]}\n"
            "forces: [{name: drive, type: motion, hinge: crank, position: 2*t}]\n"
            "initial: {rod: {rate: -2}}\n"
            "events: [{name: brake, when: t, crosses: 0.5, then: {lock: rod}}]\n"
            "run: {duration: 1, interval: 0.1, integrator: {type: erk, order: 8, tolerance: "
            "1.0e-12}}\n");
    lb_expect_near("loss", audit.work_locking, -2.0, 1e-11);
    lb_expect_near("work of the drive", audit.work_drives, 4.0, 1e-11);
    lb_expect_below("energy balance", audit.energy_error, 1e-11);
}

static void motion_that_is_switched_on_strikes(void **state)
{
    (void)state;
    // a wheel of 1 kg m^2 at 1 rad/s on a free base of 5 kg m^2 is driven at 2 rad/s from t = 1 on: the base
    // turns back at 1/6 rad/s, the drive does 5/3 J, and 5/12 J are lost
    const lb_audit audit = run(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: base, hinge: {type: free}, mass: 10, inertia: [5, 5, 5, 0, 0, 0]}\n"
        "  - {name: wheel, parent: base, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
        "inertia: "
        "[1, 1, 1, 0, 0, 0]}\n"
        "forces: [{name: drive, type: motion, hinge: wheel, position: \"1 + 2*(t - 1)\", enabled: "
        "false}]\n"
        "initial: {wheel: {rate: 1}}\n"
        "events: [{name: on, when: t, crosses: 1, then: {enable: drive}}]\n"
        "run: {duration: 2, integrator: {type: erk, order: 8, tolerance: 1.0e-12}}\n");
    lb_expect_near("work of the drive", audit.work_drives, 5.0 / 3.0, 1e-11);
    lb_expect_near("loss", audit.work_locking, -5.0 / 12.0, 1e-11);
    lb_expect_near("energy at the end", audit.energy_end, 1.75, 1e-11);
    lb_expect_below("momentum", audit.angular_change, 1e-12);
    lb_expect_below("energy balance", audit.energy_error, 1e-11);
}

// Events that make, alter, close and release loops and lock hinges, in a run by fixed steps.
static void change_in_a_run_allocates_nothing(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    lb_course course = lb_begin_course(tumbling);
    lb_choose_integrator(&course, LB_INTEGRATOR_RK4, 0, 0, 0.001);
    lb_start_course(&course);
    const long before = lb_malloc_count;
    assert_true(before > 0);
    lb_status status = LB_OK;
    int events = 0;
    while (status >= 0 && course.t < 0.8) {
        status = lb_advance_simulation(course.simulation, 0.8);
        events += status == LB_NEWS_EVENT;
        lb_get_simulation_state(course.simulation, &course.t, NULL, NULL, NULL);
    }
    const long after = lb_malloc_count;
    assert_true(status >= 0);
    assert_int_equal(events, 8);
    assert_int_equal(after - before, 0);
    lb_end_course(&course);
#else
    skip();
#endif
}

static void events_compute_no_more_than_their_signals_need(void **state)
{
    (void)state;
    static const struct {
        const char *signal;
        long evaluations;
    } cases[] = {{"t", 0}, {"lid.q.0", 0}, {"box.position.x", 0}, {"box.acceleration.x", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[8192];
        const int head = (int)(strstr(tumbling, "events:") - tumbling);
        snprintf(text, sizeof text,
                 "%.*sevents:\n  - {name: one, when: \"%s\", crosses: 100, then: stop}\n", head,
                 tumbling, cases[i].signal);
        lb_course course = lb_begin_course(text);
        lb_start_course(&course);
        lb_simulation *sim = course.simulation;
        const long before = sim->system.evaluation_count;
        double level;
        lb_expect_ok(lb_compute_event_levels(sim, sim->flow.t, sim->flow.y, &level));
        assert_int_equal(sim->system.evaluation_count - before, cases[i].evaluations);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payload_is_handed_over_by_flexible_arms),
        cmocka_unit_test(example_keeps_momentum_and_books),
        cmocka_unit_test(run_is_resumed_with_loops_as_they_were),
        cmocka_unit_test(driven_hinge_that_catches_a_mass_does_the_work),
        cmocka_unit_test(loop_that_follows_a_motion_is_grasped_where_it_is),
        cmocka_unit_test(gear_is_changed),
        cmocka_unit_test(loop_is_led_from_rung_to_rung),
        cmocka_unit_test(close_means_the_definition_after_a_grasp),
        cmocka_unit_test(lock_beside_a_driven_hinge_is_booked_in_two),
        cmocka_unit_test(motion_that_is_switched_on_strikes),
        cmocka_unit_test(change_in_a_run_allocates_nothing),
        cmocka_unit_test(events_compute_no_more_than_their_signals_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
