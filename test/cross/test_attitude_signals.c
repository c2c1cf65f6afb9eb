// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Attitude as signals: closed forms, rotations put together again, and slopes against differences.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/linear.h"
#include "limber/spatial.h"
#include "loaded.h"
#include "rig.h"

static const char model[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: hub, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0], nodes: {camera: "
    "{position: [0.3, 0.1, 0], rotation: [0.8, 0, 0.6, 0]}}}\n"
    "  - {name: target, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0], nodes: {dock: "
    "{position: [0, 0.2, 0.4]}}}\n";

enum { COUNT = 22 };

static const char *const signals[COUNT] = {"attitude(hub, in target).w",
                                           "attitude(hub, in target).x",
                                           "attitude(hub, in target).y",
                                           "attitude(hub/camera).z",
                                           "turn(hub, in target).x",
                                           "turn(hub, in target).y",
                                           "turn(hub, in target).z",
                                           "turn(hub, in target).norm",
                                           "euler(hub, in target, zyx).0",
                                           "euler(hub, in target, zyx).1",
                                           "euler(hub, in target, zyx).2",
                                           "euler(hub, xyz).0",
                                           "euler(hub, xyz).1",
                                           "euler(hub, zxz, in target/dock).0",
                                           "euler(hub, zxz, in target/dock).1",
                                           "euler(hub, zxz, in target/dock).2",
                                           "euler(hub, yzx).1",
                                           "sight(hub/camera, target/dock).azimuth",
                                           "sight(hub/camera, target/dock).elevation",
                                           "sight(hub/camera, target/dock).off",
                                           "sight(ground, hub).azimuth",
                                           "sight( hub , ground ).off"};

static void set_state(double *q)
{
    static const double start[14] = {0.5, 0.5,  -0.1, 0.7, 1.0, 2.0,  -0.5,
                                     0.7, -0.3, 0.4,  0.5, 3.0, -1.0, 0.8};
    memcpy(q, start, sizeof start);
    for (int i = 0; i < 14; i += 7) {
        const double norm =
            sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
        for (int k = 0; k < 4; ++k) {
            q[i + k] /= norm;
        }
    }
}

static double read_at(lb_rig *rig, const double *q, const char *text)
{
    memcpy(rig->q, q, 14 * sizeof *q);
    lb_expect_ok(lb_compute_kinematics(rig->model, rig->work, rig->q, rig->v, NULL));
    return lb_read_rig(rig, 0.0, text);
}

static lb_mat3 turn_about(int axis, double angle)
{
    double q[4] = {cos(0.5 * angle), 0, 0, 0};
    q[1 + axis] = sin(0.5 * angle);
    return lb_quat_to_mat3(lb_quat_from(q));
}

// Three turns in a row lead to the rotation that they are read off, for every sequence.
static void angles_put_the_rotation_together_again(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(model, NULL);
    double q[14];
    int count = 0;
    set_state(q);
    for (int n = 0; n < 27; ++n) {
        const int axes[3] = {n / 9, n / 3 % 3, n % 3};
        if (axes[0] == axes[1] || axes[1] == axes[2]) {
            continue;
        }
        lb_mat3 R = lb_mat3_identity();
        for (int i = 0; i < 3; ++i) {
            char text[64];
            snprintf(text, sizeof text, "euler(hub, %c%c%c).%d", "xyz"[axes[0]], "xyz"[axes[1]],
                     "xyz"[axes[2]], i);
            const lb_mat3 turn = turn_about(axes[i], read_at(&rig, q, text));
            R = lb_mat3_mul(&R, &turn);
        }
        const lb_mat3 right = lb_quat_to_mat3(lb_quat_from(q));
        lb_expect_within("rotation", &R.m[0][0], &right.m[0][0], 9, 1e-14);
        ++count;
    }
    assert_int_equal(count, 12);
    // the rotation vector, likewise
    double phi[3], half[4];
    phi[0] = read_at(&rig, q, "turn(hub).x");
    phi[1] = read_at(&rig, q, "turn(hub).y");
    phi[2] = read_at(&rig, q, "turn(hub).z");
    const double angle = sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
    half[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; ++i) {
        half[1 + i] = sin(0.5 * angle) * phi[i] / angle;
    }
    lb_expect_within("turn", half, q, 4, 1e-14);
    lb_expect_near("angle", read_at(&rig, q, "turn(hub).norm"), angle, 1e-14);
    lb_end_rig(&rig);
}

static void sight_is_where_a_node_is_seen(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(model, NULL);
    double q[14] = {1, 0, 0, 0, 3, 4, 12, 1, 0, 0, 0, 0, 0, 0};
    lb_expect_near("azimuth", read_at(&rig, q, "sight(ground, hub).azimuth"), atan2(4, 3), 1e-15);
    lb_expect_near("elevation", read_at(&rig, q, "sight(target, hub).elevation"), atan2(12, 5),
                   1e-15);
    lb_expect_near("off", read_at(&rig, q, "sight(ground, hub).off"), acos(3.0 / 13.0), 1e-14);
    assert_true(read_at(&rig, q, "turn(hub, in target).norm") == 0.0);
    assert_true(read_at(&rig, q, "attitude(hub, in target).w") == 1.0);
    lb_end_rig(&rig);
}

static void slopes_agree_with_differences(void **state)
{
    (void)state;
    double q[14], v[12] = {0};
    set_state(q);
    lb_rig rig = lb_begin_rig(model, NULL);
    lb_loaded l = lb_begin_loaded(model, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear;
    options.about = LB_ABOUT_STATE;
    options.q = q;
    options.v = v;
    options.output_count = COUNT;
    options.outputs = signals;
    lb_expect_ok(lb_linearize(l.simulation, &options, &linear));
    assert_int_equal(linear->coordinate_count, 12);
    for (int i = 0; i < COUNT; ++i) {
        lb_expect_near(signals[i], linear->output_values[i], read_at(&rig, q, signals[i]), 1e-15);
        for (int j = 0; j < 12; ++j) {
            static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
            double slope = 0.0;
            for (int k = 0; k < 6; ++k) {
                const double h = 1e-3 * (k / 2 + 1) * (k % 2 ? -1.0 : 1.0);
                double step[12] = {0}, moved[14];
                step[linear->coordinates[j]] = h;
                lb_integrate_configuration(rig.model, q, step, moved);
                slope += weights[k / 2] * (k % 2 ? -1e3 : 1e3) * read_at(&rig, moved, signals[i]);
            }
            // h^6 f(7) / 140 and round-off over h
            lb_expect_within(signals[i], linear->C + i * 24 + j, &slope, 1, 1e-11);
        }
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
    lb_end_rig(&rig);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"euler(hub, zzy).0", "\"zzy\" is no sequence of axes, expected one such as zyx or zxz"},
        {"euler(hub).0", "expected a node, axes and a sequence, such as (hub, in target, zyx)"},
        {"euler(hub, zyx).3", "there is no angle 3 here: there are 3, counted from 0"},
        {"turn(hub, zyx).x", "expected a node and axes, such as (hub, in target)"},
        {"sight(hub).off", "expected two nodes, such as (hub/camera, target)"},
        {"sight(hub, target).x",
         "a line of sight has no \"x\", expected azimuth, elevation or off"},
        {"reaction(hub, on target).force.x", "expected \"in\" and a node whose axes are used, or "
                                             "\"about\" and a node whose place is the "
                                             "point of the moment, each once"},
        {"reaction(ground).force.x", "the ground has no hinge, expected a body or loop/NAME"},
        {"reaction(hub).torque.x", "a reaction has no \"torque\", expected force or moment"},
        {"section(hub/camera).force.x", "hub is not cut there: list the node under \"cuts\" of a "
                                        "flexible body, such as cuts: [mid]"},
    };
    lb_rig rig = lb_begin_rig(model, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_signal *signal = NULL;
        assert_int_equal(lb_compile_signal(rig.model, NULL, cases[i].text, &report, &signal),
                         LB_E_SYNTAX);
        // the place in the text comes behind it
        const char *message = heard.entries[0].message;
        if (strncmp(message, cases[i].message, strlen(cases[i].message)) != 0) {
            fail_msg("%s: %s", cases[i].text, message);
        }
    }
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_put_the_rotation_together_again),
        cmocka_unit_test(sight_is_where_a_node_is_seen),
        cmocka_unit_test(slopes_agree_with_differences),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
