// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals: every word of the grammar against what the core says.
#include <math.h>
#include <string.h>

#include "heard.h"
#include "rig.h"
#include "simulate/signals/signals.h"

static const char model_text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"
    "bodies:\n"
    "  - {name: base, hinge: {type: free}, mass: 5, inertia: [1, 2, 2, 0, 0, 0],\n"
    "     nodes: {tip: {position: [0.3, 0.1, 0]}}}\n"
    "  - name: panel\n"
    "    parent: base\n"
    "    at: tip\n"
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: n0, mass: 0.4, shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"
    "        - {name: n1, position: [1, 0, 0], mass: 0.6,\n"
    "           shape: [[0, 0, 1.38, 0, 1, 0], [0, -1.38, 0, 0, 0, 1]]}\n"
    "      stiffness: [120, 80]\n"
    "  - {name: left-arm, parent: base, hinge: {type: cylindrical, axis: [1, 0, 0]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0]}\n"
    "  - {name: t, parent: base, hinge: {type: planar}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
    "signals:\n"
    "  lag: distance(panel/n1, ground/mount) - 1\n"
    "  twice: 2*lag + t\n"
    "  pulled: 2*base.acceleration.z\n";

// The model in a state without zeros.
static lb_rig begin(void)
{
    lb_rig rig = lb_begin_rig(model_text, NULL);
    for (int i = 4; i < rig.q_count; ++i) {
        rig.q[i] = 0.1 + 0.03 * i;
    }
    rig.q[0] = 0.8;
    rig.q[2] = 0.6;
    for (int i = 0; i < rig.v_count; ++i) {
        rig.v[i] = 0.5 - 0.07 * i;
    }
    lb_expect_ok(lb_compute_forward_dynamics(rig.model, rig.work, rig.q, rig.v, NULL, rig.a));
    return rig;
}

static void expect(const lb_rig *rig, const char *text, double value)
{
    // the same numbers, read off
    const double read = lb_read_rig(rig, 2.5, text);
    if (!(fabs(read - value) <= 1e-15 * fabs(value))) {
        fail_msg("%s is %.17g, expected %.17g", text, read, value);
    }
}

static void coordinates_are_those_of_the_state(void **state)
{
    (void)state;
    lb_rig rig = begin();
    expect(&rig, "t", 2.5);
    expect(&rig, " t ", 2.5);
    expect(&rig, "base.q.0", rig.q[0]);
    expect(&rig, "base.q.6", rig.q[6]);
    expect(&rig, "base.v.5", rig.v[5]);
    expect(&rig, "base.a.3", rig.a[3]);
    expect(&rig, "panel.eta.1", rig.q[8]);
    expect(&rig, "panel.eta_rate.0", rig.v[6]);
    expect(&rig, "panel.eta_acceleration.1", rig.a[7]);
    expect(&rig, "panel.angle", rig.q[9]);
    expect(&rig, "panel.rate", rig.v[8]);
    expect(&rig, "panel.acceleration", rig.a[8]);
    expect(&rig, "panel.angle_rate", rig.v[8]);
    expect(&rig, "panel.a.0", rig.a[8]);
    expect(&rig, "left-arm.angle", rig.q[10]);
    expect(&rig, "'left-arm'.distance", rig.q[11]);
    expect(&rig, "left-arm.distance_rate", rig.v[10]);
    expect(&rig, "t.angle", rig.q[14]);
    expect(&rig, "t.q.1", rig.q[13]);
    lb_end_rig(&rig);
}

static void motion_is_that_of_the_node(void **state)
{
    (void)state;
    lb_rig rig = begin();
    const int body = lb_find_body(rig.model, "panel");
    const int node = lb_find_node(rig.model, body, "n1");
    lb_node_motion m, o;
    lb_expect_ok(lb_compute_node_motion(rig.model, rig.work, body, node, &m));
    lb_expect_ok(lb_compute_node_motion(rig.model, rig.work, body, 0, &o));
    expect(&rig, "panel/n1.position.x", m.position[0]);
    expect(&rig, "panel/n1.rotation.w", m.rotation[0]);
    expect(&rig, "panel/n1.rotation.z", m.rotation[3]);
    expect(&rig, "panel/n1.velocity.y", m.velocity[4]);
    expect(&rig, "panel/n1.angular_velocity.z", m.velocity[2]);
    expect(&rig, "panel/n1.acceleration.x", m.acceleration[3]);
    expect(&rig, "panel/n1.angular_acceleration.y", m.acceleration[1]);
    expect(&rig, "panel.position.z", o.position[2]);
    expect(&rig, "panel/origin.position.z", o.position[2]);
    expect(&rig, "ground/mount.position.z", 1.0);
    expect(&rig, "panel/n1.velocity.norm",
           sqrt(m.velocity[3] * m.velocity[3] + m.velocity[4] * m.velocity[4] +
                m.velocity[5] * m.velocity[5]));
    const double x = m.position[0], y = m.position[1], z = m.position[2] - 1.0;
    const double d = sqrt(x * x + y * y + z * z);
    const double rate = (x * m.velocity[3] + y * m.velocity[4] + z * m.velocity[5]) / d;
    lb_expect_near("distance", lb_read_rig(&rig, 0, "distance(panel/n1, ground/mount)"), d, 1e-15);
    lb_expect_near("its rate", lb_read_rig(&rig, 0, "distance_rate(ground/mount,panel/n1)"), rate,
                   1e-14);
    lb_end_rig(&rig);
}

static void system_is_the_whole(void **state)
{
    (void)state;
    lb_rig rig = begin();
    lb_system_motion m;
    double kinetic, potential;
    lb_expect_ok(lb_compute_system_motion(rig.model, rig.work, &m));
    lb_expect_ok(lb_compute_energy(rig.model, rig.work, &kinetic, &potential));
    expect(&rig, "system.mass", 8.0);
    expect(&rig, "system.com.y", m.com[1]);
    expect(&rig, "system.com_velocity.z", m.com_velocity[2]);
    expect(&rig, "system.momentum.x", m.linear[0]);
    expect(&rig, "system.angular_momentum.y", m.angular[1]);
    expect(&rig, "system.kinetic", kinetic);
    expect(&rig, "system.potential", potential);
    lb_end_rig(&rig);
}

static void named_signals_use_those_above(void **state)
{
    (void)state;
    lb_rig rig = begin();
    const double lag = lb_read_rig(&rig, 2.5, "distance(panel/n1, ground/mount)") - 1.0;
    expect(&rig, "lag", lag);
    expect(&rig, "twice", 2.0 * lag + 2.5);
    expect(&rig, "pulled", 2.0 * lb_read_rig(&rig, 0, "base.acceleration.z"));
    const lb_signals *signals = lb_get_force_signals(rig.forces);
    assert_int_equal(lb_get_signal_count(signals), 3);
    assert_string_equal(lb_get_signal_name(signals, 1), "twice");
    lb_end_rig(&rig);
}

static void accelerations_are_refused_before_the_dynamics(void **state)
{
    (void)state;
    lb_rig rig = begin();
    static const char *const texts[] = {"base.a.0", "panel/n1.acceleration.x", "pulled"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        lb_signal *signal;
        double value;
        lb_expect_ok(lb_compile_signal(rig.model, lb_get_force_signals(rig.forces), texts[i], NULL,
                                       &signal));
        assert_int_equal(lb_get_signal_stage(signal), LB_SIGNAL_ACCELERATION);
        const lb_instant instant = {
            .size = sizeof instant, .model = rig.model, .work = rig.work, .q = rig.q, .v = rig.v};
        assert_int_equal(lb_evaluate_signal(signal, &instant, &value), LB_E_STAGE);
        lb_destroy_signal(signal);
    }
    lb_end_rig(&rig);
}

static void a_signal_is_no_expression(void **state)
{
    (void)state;
    lb_rig rig = begin();
    lb_signal *signal;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_compile_signal(rig.model, NULL, "panel.angle + 1", &report, &signal),
                     LB_E_SYNTAX);
    assert_null(signal);
    assert_int_equal(heard.entries[0].line, 1);
    assert_int_equal(heard.entries[0].column, 13);
    assert_non_null(strstr(heard.entries[0].message, "given a name in \"signals\""));
    // without the set, names of the file mean nothing
    assert_int_equal(lb_compile_signal(rig.model, NULL, "lag", NULL, &signal), LB_E_SYNTAX);
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_are_those_of_the_state),
        cmocka_unit_test(motion_is_that_of_the_node),
        cmocka_unit_test(system_is_the_whole),
        cmocka_unit_test(named_signals_use_those_above),
        cmocka_unit_test(accelerations_are_refused_before_the_dynamics),
        cmocka_unit_test(a_signal_is_no_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
