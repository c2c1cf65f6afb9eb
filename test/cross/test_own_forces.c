// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces and signals that are functions of the caller: against the elements that do the same, against
// closed forms, and their derivatives against differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heard.h"
#include "limber/simulate.h"
#include "limber/spatial.h"
#include "rig.h"
#include "simulate/forces/force_set.h"
#include "simulate/run/simulation.h"
#include "simulate/signals/signals.h"

// A floating base with a flexible panel and an arm.
#define BODIES(fidelity)                                                                           \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"                                            \
    "bodies:\n"                                                                                    \
    "  - {name: base, hinge: {type: free}, mass: 5, inertia: [1, 2, 2, 0, 0, 0],\n"                \
    "     nodes: {tip: {position: [0.3, 0.1, 0]}}}\n"                                              \
    "  - name: panel\n"                                                                            \
    "    parent: base\n"                                                                           \
    "    at: tip\n"                                                                                \
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"                                               \
    "    flex:\n" fidelity "      nodes:\n"                                                        \
    "        - {name: n0, position: [0.5, 0.2, 0.1], mass: 0.4, shape: [[0, 0, 0, 0, 0, 0], [0, "  \
    "0, 0, 0, 0, 0]]}\n"                                                                           \
    "        - {name: n1, position: [1, 0, 0], mass: 0.6,\n"                                       \
    "           shape: [[0, 0, 1.38, 0, 1, 0], [0, -1.38, 0, 0, 0, 1]]}\n"                         \
    "      stiffness: [120, 80]\n"                                                                 \
    "  - {name: arm, parent: base, hinge: {type: cylindrical, axis: [1, 0, 0]}, mass: 1,\n"        \
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {hand: {position: [0, 0.7, 0.2]}}}\n"

static const char bodies[] = BODIES("");

// A state without zeros.
static void begin_state(lb_rig *rig)
{
    for (int i = 4; i < rig->q_count; ++i) {
        rig->q[i] = 0.1 + 0.03 * i;
    }
    rig->q[0] = 0.8;
    rig->q[2] = 0.6;
    for (int i = 0; i < rig->v_count; ++i) {
        rig->v[i] = 0.5 - 0.07 * i;
    }
}

static int add_own(lb_rig *rig, const char *name, const lb_force_callbacks *callbacks,
                   const lb_node_name *nodes, int node_count)
{
    lb_force_options options = lb_default_force_options();
    int index = -1;
    options.name = name;
    options.type = LB_FORCE_CALLBACK;
    options.callbacks = callbacks;
    options.nodes = nodes;
    options.node_count = node_count;
    lb_expect_ok(lb_add_force(rig->forces, &options, &index));
    return index;
}

static lb_rig begin(const char *text, const char *forces)
{
    char whole[8192];
    snprintf(whole, sizeof whole, "%s%s", text, forces);
    lb_rig rig = lb_begin_rig(whole, NULL);
    begin_state(&rig);
    return rig;
}

// What one force alone makes of the rig's state.
typedef struct share {
    double tau[32], power, energy;
} share;

static share compute_share(lb_rig *rig, int force)
{
    share s = {{0}, 0.0, 0.0};
    for (int i = 0; i < lb_get_force_count(rig->forces); ++i) {
        lb_set_force_enabled(rig->forces, i, i == force);
    }
    lb_expect_ok(lb_evaluate_rig(rig, 1.5));
    memcpy(s.tau, rig->tau, (size_t)rig->v_count * sizeof *s.tau);
    s.power = lb_get_force_info(rig->forces, force).power;
    s.energy = lb_get_force_info(rig->forces, force).energy;
    return s;
}

static void expect_same(lb_rig *rig, int own, int element)
{
    const share a = compute_share(rig, own), b = compute_share(rig, element);
    // the same few operations in another order
    lb_expect_close("tau", a.tau, b.tau, rig->v_count, 1e-14);
    lb_expect_near("power", a.power, b.power, 1e-13);
    // power is tau times v, whoever exerts it
    double power = 0.0;
    for (int i = 0; i < rig->v_count; ++i) {
        power += a.tau[i] * rig->v[i];
    }
    lb_expect_near("tau times v", a.power, power, 1e-13);
}

// ---- derivatives ---------------------------------------------------------------------------------

typedef struct tangent {
    double *by_q, *by_v, *power_by_q, *power_by_v; // of the force that is enabled
} tangent;

static tangent make_slopes(const lb_rig *rig)
{
    const size_t n = (size_t)rig->v_count;
    double *x = lb_make_numbers(2 * n * n + 2 * n);
    return (tangent){x, x + n * n, x + 2 * n * n, x + 2 * n * n + n};
}

static tangent compute_slopes(lb_rig *rig, int force)
{
    const size_t n = (size_t)rig->v_count, count = (size_t)lb_get_force_count(rig->forces);
    tangent s = make_slopes(rig);
    double *power_dq = lb_make_numbers(count * n), *power_dv = lb_make_numbers(count * n);
    lb_derivative_work *scratch = lb_create_derivative_work(rig->model);
    assert_non_null(scratch);
    const share before = compute_share(rig, force);
    lb_expect_ok(lb_compute_inverse_derivatives(rig->model, rig->work, scratch, rig->q, rig->v,
                                                NULL, rig->tau, s.by_q, s.by_v, NULL));
    lb_expect_ok(lb_compute_force_derivatives(rig->forces, rig->model, rig->work, scratch, 1.5,
                                              rig->q, rig->v, s.by_q, s.by_v, power_dq, power_dv));
    memcpy(s.power_by_q, power_dq + (size_t)force * n, n * sizeof(double));
    memcpy(s.power_by_v, power_dv + (size_t)force * n, n * sizeof(double));
    // powers and energies stay as they were
    assert_true(lb_get_force_info(rig->forces, force).power == before.power);
    assert_true(lb_get_force_info(rig->forces, force).energy == before.energy);
    free(power_dq);
    free(power_dv);
    lb_destroy_derivative_work(scratch);
    return s;
}

// Central differences of the eighth order: at h = 0.01 what is left out is h^8 f(9) / 630, round-off
// 1e-16 f / h.
static tangent difference(lb_rig *rig, int force)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const double h = 0.01;
    const size_t n = (size_t)rig->v_count, nq = (size_t)rig->q_count;
    tangent s = make_slopes(rig);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *step = lb_make_numbers(n);
    memcpy(q, rig->q, nq * sizeof *q);
    memcpy(v, rig->v, n * sizeof *v);
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 16; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0, size = sign * h * (side / 4 + 1);
            const double weight = sign * weights[side / 4] / h;
            const bool along_q = side / 2 % 2;
            if (along_q) {
                memset(step, 0, n * sizeof *step);
                step[j] = size;
                lb_integrate_configuration(rig->model, q, step, rig->q);
            } else {
                rig->v[j] += size;
            }
            const share at = compute_share(rig, force);
            for (size_t i = 0; i < n; ++i) {
                (along_q ? s.by_q : s.by_v)[i * n + j] += weight * at.tau[i];
            }
            (along_q ? s.power_by_q : s.power_by_v)[j] += weight * at.power;
            memcpy(rig->q, q, nq * sizeof *q);
            memcpy(rig->v, v, n * sizeof *v);
        }
    }
    free(q);
    free(v);
    free(step);
    return s;
}

static void expect_same_slopes(const lb_rig *rig, tangent a, tangent b, double tolerance)
{
    const int n = rig->v_count;
    lb_expect_close("dtau/dq", a.by_q, b.by_q, n * n, tolerance);
    lb_expect_close("dtau/dv", a.by_v, b.by_v, n * n, tolerance);
    lb_expect_close("dP/dq", a.power_by_q, b.power_by_q, n, tolerance);
    lb_expect_close("dP/dv", a.power_by_v, b.power_by_v, n, tolerance);
    free(a.by_q);
    free(b.by_q);
}

// ---- a thruster ----------------------------------------------------------------------------------

typedef struct thruster {
    lb_signal *on; // it burns while this is positive
    double thrust;
} thruster;

static lb_vec3 get_direction(const lb_node_motion *node)
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(node->rotation));
    return lb_mat3_mul_vec(&R, lb_vec3_make(1, 0, 0));
}

static int burn(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const thruster *t = user;
    double on = 0.0;
    assert_int_equal(sample->size, sizeof *sample);
    assert_int_equal(answer->size, sizeof *answer);
    assert_int_equal(sample->node_count, 1);
    if (lb_evaluate_signal(t->on, sample->instant, &on) != LB_OK) {
        return 1;
    }
    const lb_vec3 f = lb_vec3_scale(on > 0 ? t->thrust : 0.0, get_direction(&sample->nodes[0]));
    lb_vec3_to(f, &answer->loads[0][3]);
    return 0;
}

// A force that turns with its node: df = turn x f.
static int burn_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const thruster *t = user;
    const lb_vec3 f = lb_vec3_scale(t->thrust, get_direction(&sample->nodes[0]));
    for (int j = 0; j < 3; ++j) {
        const lb_vec3 axis = lb_vec3_make(j == 0, j == 1, j == 2);
        double df[3];
        lb_vec3_to(lb_vec3_cross(axis, f), df);
        for (int i = 0; i < 3; ++i) {
            slopes->loads_by_pose[(3 + i) * 6 + j] = df[i];
        }
    }
    return 0;
}

static void a_thruster_pushes_as_a_force_in_node_axes_does(void **state)
{
    (void)state;
    lb_rig rig = begin(
        bodies, "forces:\n"
                "  - {name: same, type: force, at: panel/n1, axes: node,\n"
                "     value: ['if(panel.angle - 0.2, 5, 0)', 0, 0]}\n"
                "  - {name: held, type: force, at: panel/n1, axes: node, value: [5, 0, 0]}\n");
    thruster t = {NULL, 5.0};
    lb_signal_options on = lb_default_signal_options();
    on.name = "on";
    on.expression = "panel.angle - 0.2";
    lb_expect_ok(lb_add_signal(lb_get_force_signals(rig.forces), &on, NULL));
    lb_expect_ok(lb_compile_signal(rig.model, lb_get_force_signals(rig.forces), "on", NULL, &t.on));
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = burn;
    callbacks.differentiate = burn_slopes;
    callbacks.user = &t;
    const lb_node_name nodes[] = {{"panel", "n1"}};
    const int own = add_own(&rig, "thruster", &callbacks, nodes, 1);
    callbacks.differentiate = NULL;
    const int plain = add_own(&rig, "plain", &callbacks, nodes, 1);
    assert_int_equal(lb_get_force_info(rig.forces, own).type, LB_FORCE_CALLBACK);
    assert_string_equal(lb_get_force_type_name(LB_FORCE_CALLBACK), "callback");
    assert_false(lb_get_force_info(rig.forces, own).is_conservative);

    // on, off, on again
    const int angle = lb_get_q_offset(rig.model, 1) + 2;
    for (int i = 0; i < 3; ++i) {
        rig.q[angle] = i == 1 ? 0.1 : 0.4;
        expect_same(&rig, own, 0);
        const share s = compute_share(&rig, own);
        assert_true((s.power == 0.0) == (i == 1));
    }
    assert_false(lb_get_force_info(rig.forces, 0).is_differenced);
    assert_false(lb_get_force_info(rig.forces, 1).is_differenced);
    assert_false(lb_get_force_info(rig.forces, own).is_differenced);
    assert_true(lb_get_force_info(rig.forces, plain).is_differenced);
    // both analytic: the same chain rule in another order
    expect_same_slopes(&rig, compute_slopes(&rig, own), compute_slopes(&rig, 1), 1e-12);
    expect_same_slopes(&rig, compute_slopes(&rig, own), difference(&rig, own), 1e-8);
    expect_same_slopes(&rig, compute_slopes(&rig, plain), difference(&rig, plain), 1e-8);
    lb_destroy_signal(t.on);
    lb_end_rig(&rig);
}

// ---- other axes ----------------------------------------------------------------------------------

// In the axes of the element: a moment (v_y, 1, 0) and a force (x, |v|^2, 2), of the node's world motion.
static int twist(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    for (int k = 0; k < sample->node_count; ++k) {
        const double *v = sample->nodes[k].velocity + 3;
        double *load = answer->loads[k];
        load[0] = v[1];
        load[1] = 1.0;
        load[3] = sample->nodes[k].position[0];
        load[4] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        load[5] = 2.0;
    }
    return 0;
}

static int twist_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    (void)user;
    const int rows = 6 * sample->node_count;
    for (int k = 0; k < sample->node_count; ++k) {
        const double *v = sample->nodes[k].velocity + 3;
        const int at = 6 * k;
        slopes->loads_by_velocity[at * rows + at + 4] = 1.0;
        slopes->loads_by_pose[(at + 3) * rows + at + 3] = 1.0;
        for (int j = 0; j < 3; ++j) {
            slopes->loads_by_velocity[(at + 4) * rows + at + 3 + j] = 2.0 * v[j];
        }
    }
    return 0;
}

static void loads_turn_with_the_axes_that_they_are_in(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    const lb_node_name nodes[] = {{"panel", "n1"}, {"arm", "hand"}, {"base", NULL}};
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = twist;
    callbacks.differentiate = twist_slopes;
    for (int axes = LB_AXES_WORLD; axes <= LB_AXES_NODE; ++axes) {
        lb_force_options options = lb_default_force_options();
        char name[16];
        int own;
        snprintf(name, sizeof name, "twist %d", axes);
        options.name = name;
        options.type = LB_FORCE_CALLBACK;
        options.axes = (lb_axes)axes;
        options.callbacks = &callbacks;
        options.nodes = nodes;
        options.node_count = 3;
        lb_expect_ok(lb_add_force(rig.forces, &options, &own));
        expect_same_slopes(&rig, compute_slopes(&rig, own), difference(&rig, own), 1e-8);
    }
    lb_end_rig(&rig);
}

// ---- drag ----------------------------------------------------------------------------------------

// f = -c |v| v at each node, world axes.
static int drag(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const double c = *(const double *)user;
    for (int k = 0; k < sample->node_count; ++k) {
        const lb_vec3 v = lb_vec3_from(sample->nodes[k].velocity + 3);
        lb_vec3_to(lb_vec3_scale(-c * lb_vec3_norm(v), v), &answer->loads[k][3]);
    }
    return 0;
}

// df = -c (|v| + v v* / |v|) dv
static int drag_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const double c = *(const double *)user;
    const int rows = 6 * sample->node_count;
    for (int k = 0; k < sample->node_count; ++k) {
        const double *v = sample->nodes[k].velocity + 3;
        const double speed = lb_vec3_norm(lb_vec3_from(v));
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double d = (i == j ? speed : 0.0) + v[i] * v[j] / speed;
                slopes->loads_by_velocity[(6 * k + 3 + i) * rows + 6 * k + 3 + j] = -c * d;
            }
        }
    }
    return 0;
}

static void drag_is_that_of_an_expression(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "forces:\n"
                               "  - {name: same, type: force, at: panel/n1, value: [\n"
                               "     -0.3*panel/n1.velocity.norm*panel/n1.velocity.x,\n"
                               "     -0.3*panel/n1.velocity.norm*panel/n1.velocity.y,\n"
                               "     -0.3*panel/n1.velocity.norm*panel/n1.velocity.z]}\n");
    double c = 0.3;
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = drag;
    callbacks.differentiate = drag_slopes;
    callbacks.user = &c;
    const lb_node_name one[] = {{"panel/n1", NULL}};
    const lb_node_name all[] = {{"panel/n1", NULL}, {"arm", "hand"}, {"base", NULL}};
    const int own = add_own(&rig, "one", &callbacks, one, 1);
    const int many = add_own(&rig, "all", &callbacks, all, 3);
    callbacks.differentiate = NULL;
    const int plain = add_own(&rig, "plain", &callbacks, all, 3);
    expect_same(&rig, own, 0);
    // what it takes, as a formula: -c |v|^3 at each node
    double power = 0.0;
    for (int k = 0; k < 3; ++k) {
        lb_node_motion m;
        const char *node = k == 0 ? "n1" : k == 1 ? "hand" : "origin";
        const int body = lb_find_body(rig.model, k == 0 ? "panel" : k == 1 ? "arm" : "base");
        lb_expect_ok(lb_compute_node_motion(rig.model, rig.work, body,
                                            lb_find_node(rig.model, body, node), &m));
        power -= c * pow(lb_vec3_norm(lb_vec3_from(m.velocity + 3)), 3.0);
    }
    const share s = compute_share(&rig, many);
    lb_expect_near("power", s.power, power, 1e-14);
    expect_same_slopes(&rig, compute_slopes(&rig, own), compute_slopes(&rig, 0), 1e-8);
    expect_same_slopes(&rig, compute_slopes(&rig, many), difference(&rig, many), 1e-8);
    expect_same_slopes(&rig, compute_slopes(&rig, plain), compute_slopes(&rig, many), 1e-8);
    lb_end_rig(&rig);
}

// Elements are differenced one by one: what stands beside them does not change a bit.
static void other_elements_keep_their_derivatives(void **state)
{
    (void)state;
    static const char forces[] = "forces:\n"
                                 "  - {name: pull, type: motor, hinge: panel, value: "
                                 "sin(arm/hand.position.x)*panel.rate}\n";
    lb_rig alone = begin(bodies, forces), beside = begin(bodies, forces);
    double c = 0.3;
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = drag;
    callbacks.user = &c;
    const lb_node_name nodes[] = {{"panel/n1", NULL}};
    add_own(&beside, "drag", &callbacks, nodes, 1);
    const tangent a = compute_slopes(&alone, 0), b = compute_slopes(&beside, 0);
    const size_t n = (size_t)alone.v_count;
    assert_memory_equal(a.by_q, b.by_q, (2 * n * n + 2 * n) * sizeof(double));
    free(a.by_q);
    free(b.by_q);
    lb_end_rig(&alone);
    lb_end_rig(&beside);
}

// ---- a spring ------------------------------------------------------------------------------------

static double stiffness = 30.0, rest = 0.4;

static int pull(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    const lb_vec3 d = lb_vec3_sub(lb_vec3_from(sample->nodes[1].position),
                                  lb_vec3_from(sample->nodes[0].position));
    const double length = lb_vec3_norm(d), f = stiffness * (length - rest) / length;
    lb_vec3_to(lb_vec3_scale(f, d), &answer->loads[0][3]);
    lb_vec3_to(lb_vec3_scale(-f, d), &answer->loads[1][3]);
    answer->energy = 0.5 * stiffness * (length - rest) * (length - rest);
    return 0;
}

// d(f) of f = k (1 - L/|d|) d:  k (1 - L/|d|) I + k L d d* / |d|^3
static int pull_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    (void)user;
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = sample->nodes[1].position[i] - sample->nodes[0].position[i];
    }
    const double length = lb_vec3_norm(lb_vec3_from(d));
    for (int side = 0; side < 4; ++side) {
        const int of = side / 2, by = side % 2;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double k = stiffness * ((i == j) * (1.0 - rest / length) +
                                              rest * d[i] * d[j] / (length * length * length));
                slopes->loads_by_pose[(6 * of + 3 + i) * 12 + 6 * by + 3 + j] = of == by ? -k : k;
            }
        }
    }
    return 0;
}

// With ruthless bodies, whose nodes are shown where their motion does not see them: slopes by pose belong to what
// is shown, slopes by velocity and the work done to what moves; axes turn with what moves.
static void slopes_hold_at_ruthless_bodies(void **state)
{
    (void)state;
    lb_rig rig = begin(BODIES("      fidelity: ruthless\n"), "");
    double c = 0.3;
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = drag;
    callbacks.differentiate = drag_slopes;
    callbacks.user = &c;
    const lb_node_name nodes[] = {{"panel/n1", NULL}, {"arm/hand", NULL}};
    const int own = add_own(&rig, "drag", &callbacks, nodes, 2);
    callbacks.compute = pull;
    callbacks.differentiate = pull_slopes;
    const int spring = add_own(&rig, "spring", &callbacks, nodes, 2);
    callbacks.compute = twist;
    callbacks.differentiate = twist_slopes;
    lb_force_options options = lb_default_force_options();
    options.type = LB_FORCE_CALLBACK;
    options.name = "twist";
    options.callbacks = &callbacks;
    options.nodes = nodes;
    options.node_count = 1;
    options.axes = LB_AXES_NODE;
    int turning = -1;
    lb_expect_ok(lb_add_force(rig.forces, &options, &turning));
    assert_false(lb_get_force_info(rig.forces, own).is_differenced);
    // 1e-8: the differences
    expect_same_slopes(&rig, compute_slopes(&rig, own), difference(&rig, own), 1e-8);
    expect_same_slopes(&rig, compute_slopes(&rig, spring), difference(&rig, spring), 1e-8);
    expect_same_slopes(&rig, compute_slopes(&rig, turning), difference(&rig, turning), 1e-8);
    lb_end_rig(&rig);
}

static void a_spring_of_ones_own_holds_energy(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "forces: [{name: same, type: spring, between: [ground/mount, "
                               "panel/n1], stiffness: 30, length: 0.4}]\n");
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = pull;
    callbacks.differentiate = pull_slopes;
    callbacks.conservative = true;
    const lb_node_name nodes[] = {{"ground", "mount"}, {"panel", "n1"}};
    const int own = add_own(&rig, "spring", &callbacks, nodes, 2);
    expect_same(&rig, own, 0);
    lb_expect_near("energy", compute_share(&rig, own).energy, compute_share(&rig, 0).energy, 1e-14);
    assert_true(lb_get_force_info(rig.forces, own).is_conservative);
    expect_same_slopes(&rig, compute_slopes(&rig, own), compute_slopes(&rig, 0), 1e-12);
    // its loads are not drawn
    lb_node_force loads[2];
    int count = 7;
    const lb_instant instant = {sizeof instant, rig.model, rig.work, 0.0, rig.q,
                                rig.v,          NULL,      NULL,     NULL};
    lb_expect_ok(lb_compute_force_loads(rig.forces, own, &instant, loads, &count));
    assert_int_equal(count, 0);
    lb_expect_ok(lb_compute_force_loads(rig.forces, 0, &instant, loads, &count));
    assert_int_equal(count, 2);
    lb_end_rig(&rig);
}

// ---- generalized forces --------------------------------------------------------------------------

// Arm: tau_i = -3 q_i^3 - 2 v_i v_0
static int stiffen(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const int *at = user; // entries of q and v
    const double *q = sample->instant->q + at[0], *v = sample->instant->v + at[1];
    assert_int_equal(sample->node_count, 0);
    for (int i = 0; i < 2; ++i) {
        answer->tau[at[1] + i] = -3.0 * q[i] * q[i] * q[i] - 2.0 * v[i] * v[0];
    }
    return 0;
}

static int stiffen_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const int *at = user;
    const double *q = sample->instant->q + at[0], *v = sample->instant->v + at[1];
    const int n = lb_get_v_count(sample->instant->model);
    for (int i = 0; i < 2; ++i) {
        const int row = at[1] + i;
        slopes->tau_by_q[row * n + row] = -9.0 * q[i] * q[i];
        slopes->tau_by_v[row * n + row] += -2.0 * v[0];
        slopes->tau_by_v[row * n + at[1]] += -2.0 * v[i];
    }
    return 0;
}

static void generalized_forces_need_no_nodes(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    int at[2] = {lb_get_q_offset(rig.model, 2), lb_get_v_offset(rig.model, 2)};
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = stiffen;
    callbacks.differentiate = stiffen_slopes;
    callbacks.user = at;
    const int own = add_own(&rig, "stiff", &callbacks, NULL, 0);
    const share s = compute_share(&rig, own);
    const double *q = rig.q + at[0], *v = rig.v + at[1];
    for (int i = 0; i < 2; ++i) {
        lb_expect_near("tau", s.tau[at[1] + i], -3.0 * pow(q[i], 3.0) - 2.0 * v[i] * v[0], 1e-14);
    }
    lb_expect_near("power", s.power, s.tau[at[1]] * v[0] + s.tau[at[1] + 1] * v[1], 1e-14);
    expect_same_slopes(&rig, compute_slopes(&rig, own), difference(&rig, own), 1e-8);
    lb_end_rig(&rig);
}

// ---- sizes ---------------------------------------------------------------------------------------

// f = -(x/L)^3 and -(v/L)^3, L the length of the model: as bent at every size of it.
static int bend(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const double length = *(const double *)user;
    for (int i = 0; i < 3; ++i) {
        answer->loads[0][3 + i] = -pow(sample->nodes[0].position[i] / length, 3.0) -
                                  pow(sample->nodes[0].velocity[3 + i] / length, 3.0);
    }
    return 0;
}

static int bend_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const double length = *(const double *)user;
    for (int i = 3; i < 6; ++i) {
        const double x = sample->nodes[0].position[i - 3], v = sample->nodes[0].velocity[i];
        slopes->loads_by_pose[6 * i + i] = -3.0 * x * x / pow(length, 3.0);
        slopes->loads_by_velocity[6 * i + i] = -3.0 * v * v / pow(length, 3.0);
    }
    return 0;
}

static void steps_of_differences_have_the_size_of_the_model(void **state)
{
    (void)state;
    static const double lengths[] = {1e-5, 1.0, 1e5};
    for (int k = 0; k < 3; ++k) {
        double length = lengths[k];
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies:\n"
                 "  - {name: a, hinge: {type: planar}, mass: 1, inertia: [1, 1, 1, 0, 0, 0],\n"
                 "     nodes: {tip: {position: [%g, 0, 0]}}}\n"
                 "  - name: b\n"
                 "    parent: a\n"
                 "    at: tip\n"
                 "    hinge: {type: prismatic, axis: [0, 1, 0]}\n"
                 "    flex:\n"
                 "      nodes:\n"
                 "        - {name: n, position: [%g, 0, 0], mass: 1, shape: [[0, 0, 0, 0, 0.01, "
                 "0]]}\n"
                 "      stiffness: [1]\n",
                 length, 0.7 * length);
        lb_rig rig = lb_begin_rig(text, NULL);
        // x, y, angle; mode; distance
        const double q[] = {0.3, -0.2, 0.4, 20.0, 0.5}, v[] = {0.6, 0.1, 0.3, 30.0, -0.4};
        for (int i = 0; i < 5; ++i) {
            const double unit = i == 2 ? 1.0 : length;
            rig.q[i] = q[i] * unit;
            rig.v[i] = v[i] * unit;
        }
        lb_force_callbacks callbacks = lb_default_force_callbacks();
        callbacks.compute = bend;
        callbacks.user = &length;
        const lb_node_name nodes[] = {{"b", "n"}};
        const int plain = add_own(&rig, "plain", &callbacks, nodes, 1);
        callbacks.differentiate = bend_slopes;
        const int own = add_own(&rig, "own", &callbacks, nodes, 1);
        tangent a = compute_slopes(&rig, plain), b = compute_slopes(&rig, own);
        // in units of each coordinate
        for (int i = 0; i < 5; ++i) {
            for (int j = 0; j < 5; ++j) {
                const double unit = (i == 2 ? 1.0 : length) * (j == 2 ? 1.0 : length);
                a.by_q[5 * i + j] *= unit;
                b.by_q[5 * i + j] *= unit;
                a.by_v[5 * i + j] *= unit;
                b.by_v[5 * i + j] *= unit;
            }
            a.power_by_q[i] *= i == 2 ? 1.0 : length;
            b.power_by_q[i] *= i == 2 ? 1.0 : length;
            a.power_by_v[i] *= i == 2 ? 1.0 : length;
            b.power_by_v[i] *= i == 2 ? 1.0 : length;
        }
        expect_same_slopes(&rig, a, b, 1e-8);
        lb_end_rig(&rig);
    }
}

// ---- failures ------------------------------------------------------------------------------------

typedef struct trouble {
    int compute, differentiate; // what these return
    double value;
} trouble;

static int fail_sometimes(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const trouble *t = user;
    (void)sample;
    answer->loads[0][2] = t->value;
    return t->compute;
}

static int fail_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const trouble *t = user;
    (void)sample;
    slopes->tau_by_q[3] = t->value;
    return t->differentiate;
}

static void failures_name_the_force(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    trouble t = {0, 0, 1.0};
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = fail_sometimes;
    callbacks.differentiate = fail_slopes;
    callbacks.user = &t;
    const lb_node_name nodes[] = {{"base", NULL}};
    add_own(&rig, "mine", &callbacks, nodes, 1);
    lb_expect_ok(lb_evaluate_rig(&rig, 2.5));
    assert_string_equal(lb_get_force_message(rig.forces), "");

    t.value = NAN;
    assert_int_equal(lb_evaluate_rig(&rig, 2.5), LB_E_NUMBER);
    assert_string_equal(lb_get_force_message(rig.forces),
                        "callback \"mine\" is not a finite number at t = 2.5 s");
    t.value = 1.0;
    t.compute = 3;
    assert_int_equal(lb_evaluate_rig(&rig, 2.5), LB_E_CALLBACK);
    assert_string_equal(lb_get_force_message(rig.forces),
                        "callback \"mine\" cannot be computed at t = 2.5 s: a function of the "
                        "caller failed");
    t.compute = 0;
    lb_expect_ok(lb_evaluate_rig(&rig, 2.5));
    assert_string_equal(lb_get_force_message(rig.forces), "");

    // and its derivatives
    const size_t n = (size_t)rig.v_count;
    double *by_q = lb_make_numbers(n * n), *by_v = lb_make_numbers(n * n);
    lb_derivative_work *scratch = lb_create_derivative_work(rig.model);
    for (int i = 0; i < 2; ++i) {
        t.differentiate = i;
        t.value = i ? 1.0 : INFINITY;
        lb_expect_ok(lb_compute_inverse_derivatives(rig.model, rig.work, scratch, rig.q, rig.v,
                                                    NULL, rig.tau, by_q, by_v, NULL));
        assert_int_equal(lb_compute_force_derivatives(rig.forces, rig.model, rig.work, scratch, 0.0,
                                                      rig.q, rig.v, by_q, by_v, NULL, NULL),
                         i ? LB_E_CALLBACK : LB_E_NUMBER);
        assert_non_null(strstr(lb_get_force_message(rig.forces), "callback \"mine\""));
    }
    lb_destroy_derivative_work(scratch);
    free(by_q);
    free(by_v);
    lb_end_rig(&rig);
}

static void wrong_ones_are_refused(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_forces *forces;
    lb_expect_ok(lb_create_forces(rig.model, NULL, &report, &forces));
    lb_force_options options = lb_default_force_options();
    const lb_force_callbacks none = lb_default_force_callbacks();
    const lb_node_name nodes[] = {{"base", NULL}, {"leg", NULL}};
    int index = -1;
    options.name = "mine";
    options.type = LB_FORCE_CALLBACK;
    options.callbacks = &none;
    options.nodes = nodes;
    options.node_count = 2;
    assert_int_equal(lb_add_force(forces, &options, &index), LB_E_MODEL);
    assert_int_equal(index, 0);
    assert_int_equal(heard.error_count, 2);
    assert_string_equal(heard.entries[0].path, "forces[0].callbacks");
    assert_non_null(strstr(heard.entries[0].message, "no function given"));
    assert_string_equal(heard.entries[1].path, "forces[0].nodes[1]");
    assert_non_null(strstr(heard.entries[1].message, "there is no body \"leg\""));
    // nothing is computed with it
    assert_int_equal(lb_compute_forces(forces, rig.model, rig.work, 0.0, rig.q, rig.v, rig.tau,
                                       rig.driven, rig.a),
                     LB_E_MODEL);
    lb_destroy_forces(forces);
    lb_end_rig(&rig);
}

static void missing_derivatives_are_noted(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_forces *forces;
    lb_expect_ok(lb_create_forces(rig.model, NULL, &report, &forces));
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    lb_force_options options = lb_default_force_options();
    options.type = LB_FORCE_CALLBACK;
    options.callbacks = &callbacks;
    callbacks.compute = stiffen;
    callbacks.differentiate = stiffen_slopes;
    options.name = "with";
    lb_expect_ok(lb_add_force(forces, &options, NULL));
    assert_int_equal(heard.count, 0);
    callbacks.differentiate = NULL;
    options.name = "without";
    lb_expect_ok(lb_add_force(forces, &options, NULL));
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.entries[0].severity, LB_SEVERITY_NOTE);
    assert_string_equal(heard.entries[0].path, "forces[1].callbacks");
    assert_non_null(strstr(heard.entries[0].message, "differences"));
    lb_destroy_forces(forces);
    lb_end_rig(&rig);
}

// ---- in time -------------------------------------------------------------------------------------

static double compute_energy(const lb_rig *rig, const double *q, const double *v)
{
    double kinetic, potential;
    lb_expect_ok(lb_compute_kinematics(rig->model, rig->work, q, v, NULL));
    lb_expect_ok(lb_compute_energy(rig->model, rig->work, &kinetic, &potential));
    return kinetic + potential;
}

// What drag takes and a spring gives, as the simulation counts it, is what the system has less and more.
static void work_is_counted_as_that_of_other_elements(void **state)
{
    (void)state;
    static const lb_integrator integrators[] = {LB_INTEGRATOR_ADAMS, LB_INTEGRATOR_BDF};
    lb_rig rig = begin(bodies, "");
    double c = 0.3;
    const lb_node_name dragged[] = {{"panel/n1", NULL}, {"arm", "hand"}};
    const lb_node_name tied[] = {{"ground", "mount"}, {"panel", "n1"}};
    lb_force_callbacks air = lb_default_force_callbacks(), spring = lb_default_force_callbacks();
    air.compute = drag;
    air.differentiate = drag_slopes;
    air.user = &c;
    spring.compute = pull;
    spring.differentiate = pull_slopes;
    spring.conservative = true;
    for (int i = 0; i < 2; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_simulation *simulation;
        lb_expect_ok(lb_create_simulation(rig.model, &report, &simulation));
        lb_rig there = rig;
        there.forces = lb_get_simulation_forces(simulation);
        assert_int_equal(add_own(&there, "air", &air, dragged, 2), 0);
        assert_int_equal(add_own(&there, "spring", &spring, tied, 2), 1);
        lb_expect_ok(lb_set_initial_state(simulation, rig.q, rig.v));
        lb_run_options run = lb_default_run_options();
        run.integrator = integrators[i];
        run.relative_tolerance = run.absolute_tolerance = 1e-10;
        lb_expect_ok(lb_set_run_options(simulation, &run));
        lb_expect_ok(lb_start_simulation(simulation));
        lb_force_options late = lb_default_force_options();
        late.name = "late";
        late.type = LB_FORCE_DAMPER;
        late.hinge = "panel";
        assert_int_equal(lb_add_force(there.forces, &late, NULL), LB_E_ARGUMENT);
        const double held = lb_get_force_info(there.forces, 1).energy;
        if (lb_advance_simulation(simulation, 1.0) != LB_OK) {
            fail_msg("%s", lb_get_simulation_message(simulation));
        }
        const double *q, *v, *work;
        int count = 0;
        lb_get_simulation_state(simulation, NULL, &q, &v, NULL);
        work = lb_get_simulation_work(simulation, &count);
        assert_true(count >= 2 && work[0] < -0.1);
        const double before = compute_energy(&rig, rig.q, rig.v);
        const double after = compute_energy(&rig, q, v);
        // tolerance 1e-10 a step, some hundred steps, energies of 100 J
        lb_expect_below("energy", after - before - work[0] - work[1], 1e-6);
        lb_expect_ok(lb_compute_kinematics(rig.model, rig.work, q, v, NULL));
        memset(rig.tau, 0, (size_t)rig.v_count * sizeof *rig.tau);
        lb_expect_ok(lb_compute_forces(there.forces, rig.model, rig.work, 1.0, q, v, rig.tau,
                                       rig.driven, rig.a));
        lb_expect_below("work", work[1] + lb_get_force_info(there.forces, 1).energy - held, 1e-6);
        lb_destroy_simulation(simulation);
    }
    lb_end_rig(&rig);
}

static int fail_later(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    (void)answer;
    return sample->instant->t > 0.05;
}

// A run ends where the function does, whatever integrates.
static void a_function_that_fails_ends_the_run(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "");
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = fail_later;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        lb_simulation *simulation;
        lb_expect_ok(lb_create_simulation(rig.model, NULL, &simulation));
        lb_rig there = rig;
        there.forces = lb_get_simulation_forces(simulation);
        add_own(&there, "mine", &callbacks, NULL, 0);
        lb_expect_ok(lb_set_initial_state(simulation, rig.q, rig.v));
        lb_run_options run = lb_default_run_options();
        run.integrator = (lb_integrator)i;
        run.step = 1e-3;
        lb_expect_ok(lb_set_run_options(simulation, &run));
        lb_expect_ok(lb_start_simulation(simulation));
        assert_int_equal(lb_advance_simulation(simulation, 0.1), LB_E_CALLBACK);
        assert_non_null(strstr(lb_get_simulation_message(simulation), "callback \"mine\" cannot"));
        lb_destroy_simulation(simulation);
    }
    lb_end_rig(&rig);
}

// ---- signals of one's own ------------------------------------------------------------------------

typedef struct own_signal {
    int result;
    double value;
    int calls;
} own_signal;

static int read_own(void *user, const lb_instant *instant, double *value)
{
    own_signal *s = user;
    ++s->calls;
    assert_int_equal(instant->size, sizeof *instant);
    *value = s->value * instant->q[4];
    return s->result;
}

static void own_signals_are_read_in_expressions(void **state)
{
    (void)state;
    lb_rig rig = begin(bodies, "signals: {half: 0.5}\n");
    own_signal own = {0, 3.0, 0};
    lb_signals *signals = lb_get_force_signals(rig.forces);
    lb_signal_options options = lb_default_signal_options();
    int index = -1;
    options.name = "own";
    options.callback = read_own;
    options.user = &own;
    lb_expect_ok(lb_add_signal(signals, &options, &index));
    assert_int_equal(index, 1);
    assert_int_equal(lb_find_signal(signals, "own"), 1);
    assert_int_equal(lb_find_signal(signals, "other"), LB_NOT_FOUND);
    lb_signal_options sum = lb_default_signal_options();
    sum.name = "sum";
    sum.expression = "own + half";
    lb_expect_ok(lb_add_signal(signals, &sum, NULL));

    lb_function_options value = lb_expression_function("2*sum");
    lb_force_options motor = lb_default_force_options();
    int force = -1;
    motor.name = "motor";
    motor.type = LB_FORCE_MOTOR;
    motor.hinge = "panel";
    motor.values = &value;
    motor.value_count = 1;
    lb_expect_ok(lb_add_force(rig.forces, &motor, &force));
    lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
    const int v = lb_get_v_offset(rig.model, 1) + 2;
    lb_expect_near("motor", rig.tau[v], 2.0 * (3.0 * rig.q[4] + 0.5), 1e-15);
    lb_expect_near("signal", lb_read_rig(&rig, 0.0, "own"), 3.0 * rig.q[4], 1e-15);
    assert_true(lb_get_force_info(rig.forces, force).is_differenced);
    expect_same_slopes(&rig, compute_slopes(&rig, force), difference(&rig, force), 1e-8);

    own.value = INFINITY;
    assert_int_equal(lb_evaluate_rig(&rig, 0.0), LB_E_NUMBER);
    own.value = 1.0;
    own.result = -1;
    assert_int_equal(lb_evaluate_rig(&rig, 4.0), LB_E_CALLBACK);
    assert_non_null(strstr(lb_get_force_message(rig.forces), "motor \"motor\" cannot be computed"));
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thruster_pushes_as_a_force_in_node_axes_does),
        cmocka_unit_test(loads_turn_with_the_axes_that_they_are_in),
        cmocka_unit_test(drag_is_that_of_an_expression),
        cmocka_unit_test(other_elements_keep_their_derivatives),
        cmocka_unit_test(slopes_hold_at_ruthless_bodies),
        cmocka_unit_test(a_spring_of_ones_own_holds_energy),
        cmocka_unit_test(generalized_forces_need_no_nodes),
        cmocka_unit_test(steps_of_differences_have_the_size_of_the_model),
        cmocka_unit_test(failures_name_the_force),
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(missing_derivatives_are_noted),
        cmocka_unit_test(work_is_counted_as_that_of_other_elements),
        cmocka_unit_test(a_function_that_fails_ends_the_run),
        cmocka_unit_test(own_signals_are_read_in_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
