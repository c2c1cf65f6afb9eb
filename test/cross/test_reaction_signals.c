// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reactions as signals: closed forms, and a load cell, which is a weld loop in place of a hinge.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "limber/linear.h"
#include "limber/loops.h"
#include "limber/spatial.h"
#include "loaded.h"
#include "rig.h"
#include "simulate/signals/signals.h"

// ---- closed forms ------------------------------------------------------------------------------

// Forces and accelerations at the rig's state.
static void move(lb_rig *rig)
{
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
    lb_expect_ok(lb_closed_forward(rig->model, rig->work, rig->q, rig->v, rig->driven, rig->tau,
                                   rig->a, NULL, NULL));
}

static void rod_of_a_pendulum_carries_weight_and_centrifugal_force(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig("limber: 1\n"
                              "gravity: [0, 0, -9.81]\n"
                              "bodies:\n"
                              "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, "
                              "com: [0, 0, -0.6], nodes: {ball: {position: [0, 0, -0.6]}}}\n",
                              NULL);
    const double angle = 0.5, rate = 2.0, pull = 2 * (9.81 * cos(angle) + 0.6 * rate * rate);
    rig.q[0] = angle;
    rig.v[0] = rate;
    move(&rig);
    // a point mass swings freely: the rod pulls, and nothing else
    lb_expect_near("along", lb_read_rig(&rig, 0.0, "reaction(bob).force.z"), pull, 1e-14);
    assert_true(fabs(lb_read_rig(&rig, 0.0, "reaction(bob).force.x")) < 1e-14);
    lb_expect_near("norm", lb_read_rig(&rig, 0.0, "reaction(bob).force.norm"), pull, 1e-14);
    lb_expect_near("x", lb_read_rig(&rig, 0.0, "reaction( bob , in ground ).force.x"),
                   pull * sin(angle), 1e-14);
    lb_expect_near("z", lb_read_rig(&rig, 0.0, "reaction(bob, in ground).force.z"),
                   pull * cos(angle), 1e-14);
    assert_true(fabs(lb_read_rig(&rig, 0.0, "reaction(bob, about bob/ball).moment.norm")) < 1e-14);
    lb_end_rig(&rig);
}

// Components of a load at one instant are computed together: those that are asked for later are of the state at which
// the first was read, whatever the workspace holds by then. Other loads are not.
static void components_of_a_load_are_computed_once(void **state)
{
    (void)state;
    static const char *const texts[4] = {"reaction(bob).force.z", "reaction(bob).moment.x",
                                         "reaction(bob).force.norm",
                                         "reaction(bob, in ground).force.z"};
    lb_rig rig = lb_begin_rig("limber: 1\n"
                              "gravity: [0, 3, -9.81]\n"
                              "bodies:\n"
                              "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, "
                              "com: [0, 0.2, -0.6]}\n",
                              NULL);
    lb_signal *signals[4];
    double before[4], after[4], value;
    lb_load_memory loads = {.count = 0};
    const lb_instant instant = {.size = sizeof instant,
                                .model = rig.model,
                                .work = rig.work,
                                .q = rig.q,
                                .v = rig.v,
                                .a = rig.a,
                                .loads = &loads};
    for (int i = 0; i < 4; ++i) {
        lb_expect_ok(lb_compile_signal(rig.model, NULL, texts[i], NULL, &signals[i]));
    }
    rig.q[0] = 0.5;
    rig.v[0] = 2.0;
    move(&rig);
    lb_expect_ok(lb_evaluate_signal(signals[0], &instant, &value));
    for (int i = 0; i < 4; ++i) {
        before[i] = lb_read_rig(&rig, 0.0, texts[i]);
    }
    assert_true(value == before[0] && loads.count == 1);
    rig.v[0] = 5.0;
    move(&rig);
    for (int i = 0; i < 4; ++i) {
        after[i] = lb_read_rig(&rig, 0.0, texts[i]);
        lb_expect_ok(lb_evaluate_signal(signals[i], &instant, &value));
        assert_true(before[i] != after[i] && value == (i < 3 ? before[i] : after[i]));
    }
    assert_int_equal(loads.count, 2);
    for (int i = 0; i < 4; ++i) {
        lb_destroy_signal(signals[i]);
    }
    lb_end_rig(&rig);
}

// A bar that a force holds up at its end: the hinge carries half of its weight.
static void force_at_a_node_takes_its_share(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  - {name: bar, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [1, 0, 0], "
        "inertia: [0, 1, 1, 0, 0, 0], nodes: {end: {position: [2, 0, 0]}}}\n"
        "forces:\n"
        "  - {name: lift, type: force, at: {body: bar, node: end}, axes: world, value: [0, 0, "
        "15]}\n",
        NULL);
    move(&rig);
    lb_expect_near("force", lb_read_rig(&rig, 0.0, "reaction(bar, in ground).force.z"), 15.0,
                   1e-14);
    assert_true(fabs(lb_read_rig(&rig, 0.0, "reaction(bar).moment.norm")) < 1e-13);
    lb_expect_near("about the end",
                   lb_read_rig(&rig, 0.0, "reaction(bar, in ground, about bar/end).moment.y"), 30.0,
                   1e-14);
    lb_end_rig(&rig);
}

// Let go from the horizontal, a pendulum pulls with three times its weight times the cosine of its angle: with one and a half at
// 60 degrees, where the run ends. The signal of the event is an expression of reactions.
static void event_at_a_reaction_ends_a_run(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, -0.6]}\n"
        "signals: {pull: reaction(bob).force.norm / (2*9.81)}\n"
        "initial: {bob: {angle: -90 deg}}\n"
        "events:\n"
        "  - {name: strong, when: pull, crosses: 1.5, then: stop}\n"
        "outputs: [pull]\n"
        "run: {duration: 2, interval: 0.1}\n",
        NULL);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    double t;
    const double *q, *v, *a;
    assert_true(lb_run_simulation(l.simulation, &request, &audit) >= 0);
    lb_get_simulation_state(l.simulation, &t, &q, &v, &a);
    lb_expect_near("angle", q[0], -1.0471975511965976, 1e-6);
    lb_end_loaded(&l);
}

// ---- the load cell -----------------------------------------------------------------------------

// A hub with a panel of three bodies, a spring across, a thruster at its end, and a drive. The panel is
// mounted by a hinge, or flies freely and is welded on.
static void write_panel(char *text, size_t size, bool welded, const char *more)
{
    snprintf(
        text, size,
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: free}, mass: 40, com: [0.1, 0, 0.05], inertia: [9, 8, 7, "
        "0.3, 0.1, -0.2], nodes: {mount: {position: [0.5, 0.2, 0.1], rotation: [0.8, 0, 0.36, "
        "0.48]}, top: {position: [0, 0, 1]}}}\n"
        "  - {name: panel, %s, mass: 5, com: [0.7, 0, 0], inertia: [0.4, 1.2, 1.3, 0.02, 0, "
        "0.1], nodes: {end: {position: [1.4, 0.1, 0]}}}\n"
        "  - {name: tip, parent: panel, at: end, hinge: {type: universal, axes: [[0, 1, 0], [0, "
        "0, 1]]}, mass: 1, com: [0.3, 0, 0.1], inertia: [0.01, 0.02, 0.03, 0, 0, 0], nodes: "
        "{end: {position: [0.6, 0, 0]}}}\n"
        "%s"
        "forces:\n"
        "  - {name: thruster, type: force, at: {body: tip, node: end}, axes: node, value: [0.5, "
        "\"0.3 - 0.2*tip.v.0\", 0.2]}\n"
        "  - {name: motor, type: motor, hinge: tip.0, value: 0.4}\n"
        "%s",
        welded ? "hinge: {type: free}" : "parent: hub, at: mount, hinge: {type: fixed}",
        welded ? "loops:\n  - {name: cell, a: {body: hub, node: mount}, b: {body: panel}, type: "
                 "weld}\n"
               : "",
        more);
}

#define CABLE                                                                                      \
    "  - {name: cable, type: spring, between: [hub/top, tip/end], stiffness: 30, length: 1.2}\n"

static const char *const components[6] = {"moment.x", "moment.y", "moment.z",
                                          "force.x",  "force.y",  "force.z"};
static const char *const frames[4] = {"", ", in ground", ", in hub, about tip/end",
                                      ", about ground, in tip/end"};

// Outputs of all six components in some axes, of the hinge or of the cell.
static void read_outputs(const char *text, const char *what, const char *axes, const double *q,
                         const double *v, lb_linear **linear, lb_loaded *l)
{
    char names[6][96];
    const char *outputs[6];
    static const char *const inputs[3] = {"motor", "thruster.y", "hub.torque.z"};
    *l = lb_begin_loaded(text, NULL);
    for (int i = 0; i < 6; ++i) {
        snprintf(names[i], sizeof names[i], "reaction(%s%s).%s", what, axes, components[i]);
        outputs[i] = names[i];
    }
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_STATE;
    options.q = q;
    options.v = v;
    options.input_count = 3;
    options.inputs = inputs;
    options.output_count = 6;
    options.outputs = outputs;
    const lb_status status = lb_linearize(l->simulation, &options, linear);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
}

// A column of C by the name of its state; NULL if the model has no such state.
static const double *find_column(const lb_linear *linear, const char *name, int *stride)
{
    *stride = linear->state_count;
    for (int i = 0; i < linear->state_count; ++i) {
        if (strcmp(linear->states[i], name) == 0) {
            return linear->C + i;
        }
    }
    return NULL;
}

// The state of the panel, as a body that flies freely, from the motion of the one on the hinge.
static void copy_state(const char *hinged, const double *place, const double *speed, double q[16],
                       double v[14])
{
    lb_rig rig = lb_begin_rig(hinged, NULL);
    lb_node_motion panel;
    memcpy(rig.q + 4, place, 3 * sizeof *place);
    memcpy(rig.v, speed, 6 * sizeof *speed);
    rig.q[7] = 0.3;
    rig.q[8] = -0.2;
    rig.v[6] = 0.4;
    rig.v[7] = 0.1;
    lb_expect_ok(lb_compute_kinematics(rig.model, rig.work, rig.q, rig.v, NULL));
    lb_expect_ok(lb_compute_node_motion(rig.model, rig.work, 1, 0, &panel));
    memcpy(q, rig.q, 7 * sizeof *q);
    memcpy(v, rig.v, 6 * sizeof *v);
    memcpy(q + 7, panel.rotation, sizeof panel.rotation);
    memcpy(q + 11, panel.position, sizeof panel.position);
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(panel.rotation));
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(panel.velocity)), v + 6);
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(panel.velocity + 3)), v + 9);
    memcpy(q + 14, rig.q + 7, 2 * sizeof *q);
    memcpy(v + 12, rig.v + 6, 2 * sizeof *v);
    lb_end_rig(&rig);
}

static void compare(const double *place, const double *speed, const char *more, double tolerance)
{
    char hinged[4096], welded[4096];
    double q[16], v[14], q_h[9], v_h[8];
    write_panel(hinged, sizeof hinged, false, more);
    write_panel(welded, sizeof welded, true, more);
    copy_state(hinged, place, speed, q, v);
    memcpy(q_h, q, 7 * sizeof *q);
    memcpy(q_h + 7, q + 14, 2 * sizeof *q);
    memcpy(v_h, v, 6 * sizeof *v);
    memcpy(v_h + 6, v + 12, 2 * sizeof *v);
    for (int f = 0; f < 4; ++f) {
        lb_loaded a, b;
        lb_linear *hinge, *cell;
        read_outputs(hinged, "panel", frames[f][0] ? frames[f] : ", in hub/mount, about panel", q_h,
                     v_h, &hinge, &a);
        read_outputs(welded, "loop/cell", frames[f], q, v, &cell, &b);
        assert_int_equal(hinge->state_count, cell->state_count);
        const double size = lb_get_largest(6, hinge->output_values);
        assert_true(size > 1.0);
        lb_expect_within("values", hinge->output_values, cell->output_values, 6, tolerance * size);
        lb_expect_within("D", hinge->D, cell->D, 18, tolerance * lb_get_largest(18, cell->D));
        const double largest = lb_get_largest(6 * cell->state_count, cell->C);
        int found = 0;
        for (int i = 0; i < hinge->state_count; ++i) {
            int across, over;
            const double *x = find_column(hinge, hinge->states[i], &across);
            const double *y = find_column(cell, hinge->states[i], &over);
            for (int k = 0; y && k < 6; ++k) {
                lb_expect_within(hinge->states[i], x + k * across, y + k * over, 1,
                                 1e2 * tolerance * largest);
            }
            found += y != NULL;
        }
        assert_int_equal(found, hinge->state_count);
        lb_destroy_linear(hinge);
        lb_destroy_linear(cell);
        lb_end_loaded(&a);
        lb_end_loaded(&b);
    }
}

static void reaction_is_what_a_load_cell_reads(void **state)
{
    (void)state;
    const double place[3] = {0, 0, 0}, speed[6] = {0.2, -0.1, 0.3, 0.1, 0.2, 0.3};
    compare(place, speed, CABLE, 1e-11);
}

// ---- in orbit ----------------------------------------------------------------------------------

// Seven thousand kilometres away and at 7.5 km/s the reactions are those at rest at the origin.
static void reaction_does_not_depend_on_where_a_panel_flies(void **state)
{
    (void)state;
    const double places[2][3] = {{0, 0, 0}, {4e6, -5e6, 3e6}};
    const double speeds[2][6] = {{0.2, -0.1, 0.3, 0, 0, 0}, {0.2, -0.1, 0.3, 5e3, 4e3, -4e3}};
    char hinged[4096];
    write_panel(hinged, sizeof hinged, false, "");
    for (int f = 0; f < 3; ++f) { // not about the ground
        double q[2][16], v[2][14];
        lb_loaded l[2];
        lb_linear *linear[2];
        for (int i = 0; i < 2; ++i) {
            copy_state(hinged, places[i], speeds[i], q[i], v[i]);
            memcpy(q[i] + 7, q[i] + 14, 2 * sizeof **q);
            memcpy(v[i] + 6, v[i] + 12, 2 * sizeof **v);
            read_outputs(hinged, "panel", frames[f], q[i], v[i], &linear[i], &l[i]);
        }
        // 1e-11: speeds of a free hinge, in the axes of its body, change by w x v = 2e3 m/s^2
        const double size = lb_get_largest(6, linear[0]->output_values);
        lb_expect_within("values", linear[1]->output_values, linear[0]->output_values, 6,
                         1e-11 * size);
        lb_expect_within("D", linear[1]->D, linear[0]->D, 18,
                         1e-13 * lb_get_largest(18, linear[0]->D));
        for (int i = 0; i < 2; ++i) {
            lb_destroy_linear(linear[i]);
            lb_end_loaded(&l[i]);
        }
    }
}

// In the field of the Earth the hinge carries what the difference of the field over the satellite leaves.
static void reaction_in_orbit_is_what_a_load_cell_reads(void **state)
{
    (void)state;
    const double place[3] = {4e6, -5e6, 3e6}, speed[6] = {0.2, -0.1, 0.3, 5e3, 4e3, -4e3};
    // 1e-8: the place of the welded panel keeps 1e-9 m
    compare(place, speed,
            "  - {name: earth, type: gravity-point, mu: 3.986004418e14, gradient: true}\n", 1e-8);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_of_a_pendulum_carries_weight_and_centrifugal_force),
        cmocka_unit_test(components_of_a_load_are_computed_once),
        cmocka_unit_test(force_at_a_node_takes_its_share),
        cmocka_unit_test(event_at_a_reaction_ends_a_run),
        cmocka_unit_test(reaction_is_what_a_load_cell_reads),
        cmocka_unit_test(reaction_does_not_depend_on_where_a_panel_flies),
        cmocka_unit_test(reaction_in_orbit_is_what_a_load_cell_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
