// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements: each against values by hand; all against Jacobians, against the rate of their
// energy, and in motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/tree/tree.h"
#include "own_malloc.h"
#include "rig.h"
#include "simulate/forces/force_set.h"

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double sum_power(const lb_rig *rig)
{
    double sum = 0.0;
    for (int i = 0; i < lb_get_force_count(rig->forces); ++i) {
        sum += lb_get_force_info(rig->forces, i).power;
    }
    return sum;
}

// ---- loads of the core -------------------------------------------------------------------------

static void node_forces_are_transposed_jacobians(void **state)
{
    (void)state;
    enum { LOADS = 5 };
    for (int n = 0; n < 60; ++n) {
        lb_tree_options options = lb_get_mixed_tree(n);
        options.mixed_fidelity = n % 3 == 0;
        options.second_order = options.second_order && !options.mixed_fidelity;
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        const int nv = t.v_count;
        double *tau = lb_make_numbers((size_t)nv), *expected = lb_make_numbers((size_t)nv);
        double *J = lb_make_numbers(6 * (size_t)nv);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_node_force loads[LOADS];
        double power[LOADS];
        for (int i = 0; i < LOADS; ++i) {
            lb_node_force *load = &loads[i];
            load->body = lb_draw_index(&t.random, t.body_count + 1) - 1;
            load->node = lb_draw_index(&t.random, lb_get_node_count(t.model, load->body));
            load->axes = (lb_axes)(i % 3);
            lb_draw_vector(&t.random, 6, 1.0, load->force);
            lb_expect_ok(
                lb_compute_jacobian(t.model, t.work, load->body, load->node, load->axes, J));
            power[i] = 0.0;
            for (int c = 0; c < 6; ++c) {
                for (int j = 0; j < nv; ++j) {
                    expected[j] += J[c * nv + j] * load->force[c];
                    power[i] += J[c * nv + j] * load->force[c] * t.v[j];
                }
            }
        }
        // added to what was there
        for (int j = 0; j < nv; ++j) {
            tau[j] = 0.5;
            expected[j] += 0.5;
        }
        lb_expect_ok(lb_apply_node_forces(t.model, t.work, LOADS, loads, tau));
        // 1e-12: up to nine bodies, lengths of order one
        lb_expect_close("J'f", tau, expected, nv, 1e-12);
        double scale = 1.0;
        for (int i = 0; i < LOADS; ++i) {
            scale += fabs(power[i]);
        }
        for (int i = 0; i < LOADS; ++i) {
            lb_expect_below("power", loads[i].power - power[i], 1e-12 * scale);
        }
        free(tau);
        free(expected);
        free(J);
        lb_end_trial(&t);
    }
}

static void node_forces_refuse_what_is_not_there(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 1);
    lb_node_force load = {0, 99, LB_AXES_WORLD, {0}, 0};
    assert_int_equal(lb_apply_node_forces(t.model, t.work, 1, &load, t.tau), LB_E_STAGE);
    lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
    assert_int_equal(lb_apply_node_forces(t.model, t.work, 1, &load, t.tau), LB_E_ARGUMENT);
    lb_end_trial(&t);
}

// ---- elements by hand --------------------------------------------------------------------------

// An arm on a revolute hinge about z with a tip at 2 m, and a cart on a rail along x.
#define ARM_AND_CART                                                                               \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: arm, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1, 0, 0, 0],\n"                      \
    "     hinge: {type: revolute, axis: [0, 0, 1]}, nodes: {tip: {position: [2, 0, 0]}}}\n"        \
    "  - {name: cart, mass: 3, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"                       \
    "  - {name: ball, mass: 1, inertia: [1, 2, 3, 0, 0, 0], hinge: {type: free}}\n"

enum { ARM, CART, BALL };

// Evaluates one force at a state of the arm and the cart: tau of both.
static void evaluate(const char *force, double q_arm, double v_arm, double q_cart, double v_cart,
                     double t, double tau[2], double *power, double *energy)
{
    char text[2048];
    snprintf(text, sizeof text, ARM_AND_CART "forces: [{name: it, %s}]\n", force);
    lb_rig rig = lb_begin_rig(text, NULL);
    rig.q[ARM] = q_arm;
    rig.v[ARM] = v_arm;
    rig.q[CART] = q_cart;
    rig.v[CART] = v_cart;
    lb_expect_ok(lb_evaluate_rig(&rig, t));
    tau[0] = rig.tau[0];
    tau[1] = rig.tau[1];
    *power = lb_get_force_info(rig.forces, 0).power;
    *energy = lb_get_force_info(rig.forces, 0).energy;
    lb_expect_below(force, *power - dot(rig.tau, rig.v, rig.v_count), 1e-12);
    lb_end_rig(&rig);
}

static void elements_give_what_their_equations_say(void **state)
{
    (void)state;
    const double deg = acos(-1.0) / 180.0;
    const struct {
        const char *force;
        double q_arm, v_arm, q_cart, v_cart, t;
        double tau_arm, tau_cart, energy;
    } cases[] = {
        // springs and dampers
        {"type: spring, hinge: arm, stiffness: 10", 0.3, 2, 0, 0, 0, -3.0, 0, 0.45},
        {"type: spring, hinge: arm.0, stiffness: 10, rest: 90 deg", 0.3, 2, 0, 0, 0,
         -10.0 * (0.3 - 90 * deg), 0, 5.0 * (0.3 - 90 * deg) * (0.3 - 90 * deg)},
        {"type: damper, hinge: cart, damping: 4", 0, 0, 1, 0.5, 0, 0, -2.0, 0},
        // friction: tanh(1) at the speed of regularisation
        {"type: friction, hinge: arm, coulomb: 2, speed: 0.1", 0, 0.1, 0, 0, 0, -2.0 * tanh(1.0), 0,
         0},
        {"type: friction, hinge: arm, coulomb: 2, viscous: 3, speed: 0.01", 0, -1, 0, 0, 0, 5.0, 0,
         0},
        // stops: free inside, spring at rest, damper when closing, never pulling
        {"type: stop, hinge: arm, lower: -30 deg, upper: 30 deg, stiffness: 100", 0.1, 5, 0, 0, 0,
         0, 0, 0},
        {"type: stop, hinge: arm, upper: 0.5, stiffness: 100, damping: 10", 0.6, 0, 0, 0, 0, -10, 0,
         0.5},
        {"type: stop, hinge: arm, upper: 0.5, stiffness: 100, damping: 10", 0.6, 2, 0, 0, 0, -30, 0,
         0.5},
        {"type: stop, hinge: arm, upper: 0.5, stiffness: 100, damping: 10", 0.6, -2, 0, 0, 0, 0, 0,
         0.5},
        {"type: stop, hinge: arm, lower: -0.5, stiffness: 100, damping: 10, width: 0.2", -0.6, -2,
         0, 0, 0, 10 + 10, 0, 0.5}, // half the width: r = 1/2
        // motors and their limits
        {"type: motor, hinge: cart, value: 3*t - 2*cart.rate", 0, 0, 0, 0.5, 2, 0, 5, 0},
        {"type: motor, hinge: cart, value: 9, limits: [-4, 5]", 0, 0, 0, 1, 0, 0, 5, 0},
        {"type: motor, hinge: cart, value: -9, limits: [-4, 5]", 0, 0, 0, 1, 0, 0, -4, 0},
        {"type: motor, hinge: cart, value: 9, limits: [-4, 5], max_speed: 10", 0, 0, 0, 4, 0, 0, 3,
         0},
        {"type: motor, hinge: cart, value: 9, limits: [-4, 5], max_speed: 10", 0, 0, 0, 40, 0, 0, 0,
         0},
        {"type: motor, hinge: cart, value: 9, limits: [-4, 5], max_speed: 10", 0, 0, 0, -4, 0, 0, 5,
         0},
        {"type: motor, hinge: cart, value: 9, max_power: 6", 0, 0, 0, 2, 0, 0, 3, 0},
        {"type: motor, hinge: cart, value: 9, max_power: 6", 0, 0, 0, -2, 0, 0, 9, 0},
        // forces at nodes: turning with the body or not
        {"type: force, at: {body: arm, node: tip}, value: [0, 3, 0]", 90 * deg, 1, 0, 0, 0, 0, 0,
         0},
        {"type: force, at: arm/tip, axes: world, value: [-3, 0, 0]", 90 * deg, 1, 0, 0, 0, 6, 0, 0},
        {"type: force, at: arm/tip, axes: body, value: [0, t, 0]", 1.2, 1, 0, 0, 3, 6, 0, 0},
        {"type: force, at: arm/tip, axes: node, value: [5, 0, 0]", 1.2, 1, 0, 0, 0, 0, 0, 0},
        {"type: torque, at: arm, value: [7, 7, 2]", 1.2, 1, 0, 0, 0, 2, 0, 0},
        {"type: force, at: cart, value: [1.5, 9, 9]", 0, 0, 0.3, 2, 0, 0, 1.5, 0},
        // between the tip, at (0, 2), and the cart, at (0, 0) or (x, 0)
        {"type: spring, between: [arm/tip, cart], stiffness: 10, length: 0.5", 90 * deg, 1, 0, 0, 0,
         0, 0, 5 * 1.5 * 1.5},
        {"type: spring, between: [cart, arm/tip], stiffness: 10", 90 * deg, 1, 1.5, 3, 0, -30, -15,
         5 * 6.25},
        {"type: damper, between: [arm/tip, cart], damping: 10", 90 * deg, 1, 1.5, 0, 0,
         // the tip moves at (-2, 0); along (0.6, -0.8) to the cart: they part at 1.2
         -12 * 0.6 * 2, -12 * 0.6, 0},
        // where two nodes meet there is no direction
        {"type: damper, between: [arm, cart], damping: 10", 0, 1, 0, 3, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double tau[2], power, energy;
        evaluate(cases[i].force, cases[i].q_arm, cases[i].v_arm, cases[i].q_cart, cases[i].v_cart,
                 cases[i].t, tau, &power, &energy);
        const double expected[2] = {cases[i].tau_arm, cases[i].tau_cart};
        // 1e-14: a handful of operations on numbers up to 30
        lb_expect_within(cases[i].force, tau, expected, 2, 30 * 1e-14);
        lb_expect_below(cases[i].force, energy - cases[i].energy, 30 * 1e-14);
        const double work = expected[0] * cases[i].v_arm + expected[1] * cases[i].v_cart;
        lb_expect_below(cases[i].force, power - work, 100 * 1e-14);
    }
}

static void speeds_without_coordinates_have_dampers_and_motors(void **state)
{
    (void)state;
    lb_rig rig =
        lb_begin_rig(ARM_AND_CART "forces:\n"
                                  "  - {name: a, type: damper, hinge: ball.1, damping: 2}\n"
                                  "  - {name: b, type: motor, hinge: ball.5, value: 4}\n",
                     NULL);
    rig.v[3] = 3.0;
    lb_expect_ok(lb_evaluate_rig(&rig, 0));
    const double expected[] = {0, 0, 0, -6, 0, 0, 0, 4};
    lb_expect_within("tau", rig.tau, expected, 8, 0.0);
    lb_end_rig(&rig);
}

static void forces_are_switched_by_name(void **state)
{
    (void)state;
    lb_rig rig = lb_begin_rig(
        ARM_AND_CART "forces:\n"
                     "  - {name: on, type: motor, hinge: arm, value: 1}\n"
                     "  - {name: off, type: motor, hinge: arm, value: 10, enabled: false}\n"
                     "  - {name: held, type: motion, hinge: cart, position: 2}\n"
                     "  - {name: node, type: force, at: arm/tip, axes: body,"
                     " value: [0, 50, 0], enabled: false}\n",
        NULL);
    assert_int_equal(lb_get_force_count(rig.forces), 4);
    assert_string_equal(lb_get_force_type_name(lb_get_force_info(rig.forces, 2).type), "motion");
    assert_int_equal(lb_find_force(rig.forces, "held"), 2);
    assert_int_equal(lb_find_force(rig.forces, "helt"), LB_NOT_FOUND);
    assert_false(lb_get_force_info(rig.forces, 1).is_enabled);
    assert_true(lb_has_motion(rig.forces));
    lb_expect_ok(lb_evaluate_rig(&rig, 0));
    assert_true(rig.tau[0] == 1.0 && rig.driven[CART]);
    lb_set_force_enabled(rig.forces, 0, 0);
    lb_set_force_enabled(rig.forces, 1, 1);
    lb_set_force_enabled(rig.forces, 2, 0);
    lb_set_force_enabled(rig.forces, 3, 1);
    assert_false(lb_has_motion(rig.forces));
    lb_expect_ok(lb_evaluate_rig(&rig, 0));
    assert_true(rig.tau[0] == 110.0 && !rig.driven[CART]);
    assert_true(lb_get_force_info(rig.forces, 0).power == 0.0);
    // switched off, a motion leaves the state alone
    rig.q[CART] = 7.0;
    lb_expect_ok(lb_set_driven_state(rig.forces, rig.model, 0, rig.q, rig.v));
    assert_true(rig.q[CART] == 7.0);
    lb_end_rig(&rig);
}

// ---- motion ------------------------------------------------------------------------------------

static void motion_gives_what_it_is_given_by(void **state)
{
    (void)state;
    static const char *const given[] = {"position", "speed", "acceleration"};
    for (int order = 0; order < 3; ++order) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: planar}}]\n"
            "forces:\n"
            "  - {name: m, type: motion, hinge: a, %s: [t^3, 2, 90 deg]}\n"
            "  - {name: s, type: spring, hinge: a.1, stiffness: 10}\n",
            given[order]);
        lb_rig rig = lb_begin_rig(text, NULL);
        rig.q[1] = 5.0;
        rig.v[1] = 6.0;
        const double t = 2.0;
        lb_expect_ok(lb_set_driven_state(rig.forces, rig.model, t, rig.q, rig.v));
        const double turn = acos(-1.0) / 2.0;
        const double q[3][3] = {{8, 2, turn}, {0, 5, 0}, {0, 5, 0}};
        const double v[3][3] = {{12, 0, 0}, {8, 2, turn}, {0, 6, 0}};
        const double a[3][3] = {{12, 0, 0}, {12, 0, 0}, {8, 2, turn}};
        lb_expect_within("q", rig.q, q[order], 3, 1e-15);
        lb_expect_within("v", rig.v, v[order], 3, 1e-15);
        lb_expect_ok(lb_evaluate_rig(&rig, t));
        lb_expect_within("a", rig.a, a[order], 3, 1e-15);
        assert_true(rig.driven[0]);
        // what others do at a driven hinge is there to be read, and counted as theirs
        assert_true(rig.tau[1] == -10.0 * rig.q[1]);
        lb_expect_ok(lb_tree_hybrid(rig.model, rig.work, rig.q, rig.v, rig.driven, rig.tau, rig.a));
        // unit mass and inertia: d/dt of the kinetic energy, drive and spring together
        lb_expect_near("power", dot(rig.tau, rig.v, 3), dot(rig.v, rig.a, 3), 1e-14);
        lb_end_rig(&rig);
    }
}

// ---- the field of a point mass -----------------------------------------------------------------

// Force and torque on a rigid cloud of point masses, summed one by one.
static void sum_over_points(double mu, int count, const double (*x)[3], const double *m,
                            const double com[3], double force[6])
{
    for (int i = 0; i < 6; ++i) {
        force[i] = 0.0;
    }
    for (int p = 0; p < count; ++p) {
        const double d = sqrt(dot(x[p], x[p], 3));
        double f[3], r[3];
        for (int i = 0; i < 3; ++i) {
            f[i] = -mu * m[p] * x[p][i] / (d * d * d);
            r[i] = x[p][i] - com[i];
            force[3 + i] += f[i];
        }
        force[0] += r[1] * f[2] - r[2] * f[1];
        force[1] += r[2] * f[0] - r[0] * f[2];
        force[2] += r[0] * f[1] - r[1] * f[0];
    }
}

static void point_gravity_meets_the_sum_over_points(void **state)
{
    (void)state;
    // four points about their centre of mass, 1e-3 of the distance apart: the expansion is left
    // with a relative error of that in its own terms
    const double points[4][3] = {{3, 0, 0}, {-1, 2, 0}, {-1, -1, 1.5}, {-1, -1, -1.5}};
    const double mass[4] = {1, 1, 1, 1}, mu = 2e6, at[3] = {2000, -1500, 900};
    double J[6] = {0};
    for (int p = 0; p < 4; ++p) {
        const double *x = points[p];
        J[0] += x[1] * x[1] + x[2] * x[2];
        J[1] += x[0] * x[0] + x[2] * x[2];
        J[2] += x[0] * x[0] + x[1] * x[1];
        J[3] -= x[0] * x[1];
        J[4] -= x[0] * x[2];
        J[5] -= x[1] * x[2];
    }
    char text[1024];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: [{name: a, mass: 4, com: [0.5, 0, 0], inertia: [%.17g, %.17g, %.17g, %.17g, "
             "%.17g, %.17g], hinge: {type: free}}]\n"
             "forces: [{name: g, type: gravity-point, mu: %.17g, position: [1, 2, 3]},\n"
             "  {name: m, type: gravity-point, mu: %.17g, position: [1, 2, 3], gradient: false}]\n",
             J[0], J[1], J[2], J[3], J[4], J[5], mu, mu);
    lb_rig rig = lb_begin_rig(text, NULL);
    // attitude: identity; centre of mass `at` away from the field's centre
    const double com[3] = {at[0] + 1, at[1] + 2, at[2] + 3};
    rig.q[4] = com[0] - 0.5;
    rig.q[5] = com[1];
    rig.q[6] = com[2];
    double world[4][3], expected[6], monopole[6], tau[6];
    for (int p = 0; p < 4; ++p) {
        for (int i = 0; i < 3; ++i) {
            world[p][i] = at[i] + points[p][i];
        }
    }
    sum_over_points(mu, 4, (const double(*)[3])world, mass, at, expected);
    const double total = 4.0;
    sum_over_points(mu, 1, &at, &total, at, monopole);
    for (int gradient = 0; gradient < 2; ++gradient) {
        lb_set_force_enabled(rig.forces, 0, gradient);
        lb_set_force_enabled(rig.forces, 1, !gradient);
        lb_expect_ok(lb_evaluate_rig(&rig, 0));
        // from the frame to the centre of mass
        memcpy(tau, rig.tau, sizeof tau);
        tau[1] += 0.5 * tau[5];
        tau[2] -= 0.5 * tau[4];
        if (gradient) {
            double beyond[3], exact[3];
            for (int i = 0; i < 3; ++i) {
                beyond[i] = tau[3 + i] - monopole[3 + i];
                exact[i] = expected[3 + i] - monopole[3 + i];
            }
            lb_expect_close("torque", tau, expected, 3, 5e-3);
            lb_expect_close("force beyond the monopole's", beyond, exact, 3, 5e-3);
        } else {
            lb_expect_close("force", tau + 3, monopole + 3, 3, 1e-14);
            const double none[3] = {0, 0, 0};
            lb_expect_within("torque", tau, none, 3, 1e-12);
        }
    }
    const double d = sqrt(dot(at, at, 3));
    lb_expect_near("energy", lb_get_force_info(rig.forces, 1).energy, 0.0, 1e-300);
    lb_set_force_enabled(rig.forces, 1, 1);
    lb_expect_ok(lb_evaluate_rig(&rig, 0));
    lb_expect_near("energy", lb_get_force_info(rig.forces, 1).energy, -mu * total / d, 1e-15);
    lb_end_rig(&rig);
}

// ---- energy ------------------------------------------------------------------------------------

// A force on every hinge of a tree that can have one, springs between nodes, and a point mass.
static void write_forces(const lb_model *model, bool gradient, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "forces:\n");
    const int count = lb_get_body_count(model);
    for (int b = 0; b < count; ++b) {
        const lb_hinge_type type = lb_get_hinge(model, b).type;
        for (int i = 0; i < lb_get_hinge(model, b).v_count; ++i) {
            if (type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE) {
                used += (size_t)snprintf(text + used, size - used,
                                         "- {name: s%d_%d, type: spring, hinge: b%d.%d, "
                                         "stiffness: 3, rest: 20 deg}\n",
                                         b, i, b, i);
            }
        }
        used += (size_t)snprintf(text + used, size - used,
                                 "- {name: n%d, type: spring, between: [b%d/n1, %s], stiffness: 5, "
                                 "length: 0.5}\n",
                                 b, b, b % 2 ? "ground/n2" : "b0");
    }
    snprintf(text + used, size - used,
             "- {name: g, type: gravity-point, mu: 400, position: [9, -8, 7], gradient: %s}\n",
             gradient ? "true" : "false");
}

// Energy of one force after moving along v for h.
static double get_energy_at(lb_rig *rig, int force, double h)
{
    double *kept = lb_make_numbers((size_t)rig->q_count),
           *step = lb_make_numbers((size_t)rig->v_count);
    memcpy(kept, rig->q, (size_t)rig->q_count * sizeof *kept);
    for (int i = 0; i < rig->v_count; ++i) {
        step[i] = h * rig->v[i];
    }
    lb_integrate_configuration(rig->model, kept, step, rig->q);
    lb_expect_ok(lb_evaluate_rig(rig, 0));
    const double energy = lb_get_force_info(rig->forces, force).energy;
    memcpy(rig->q, kept, (size_t)rig->q_count * sizeof *kept);
    free(kept);
    free(step);
    return energy;
}

static void power_is_the_loss_of_energy(void **state)
{
    (void)state;
    char text[16384];
    for (int n = 0; n < 24; ++n) {
        lb_tree_options options = n % 2 == 0 ? lb_get_small_tree(n) : lb_get_flexible_tree(n);
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        write_forces(t.model, n % 4 < 3, text, sizeof text);
        lb_rig rig = lb_begin_rig(text, lb_build_scene(t.scene));
        memcpy(rig.q, t.q, (size_t)t.q_count * sizeof *t.q);
        memcpy(rig.v, t.v, (size_t)t.v_count * sizeof *t.v);
        lb_expect_ok(lb_evaluate_rig(&rig, 0));
        lb_expect_near("sum of power", sum_power(&rig), dot(rig.tau, rig.v, rig.v_count), 1e-11);
        for (int i = 0; i < lb_get_force_count(rig.forces); ++i) {
            assert_true(lb_get_force_info(rig.forces, i).is_conservative);
            lb_expect_ok(lb_evaluate_rig(&rig, 0));
            const double power = lb_get_force_info(rig.forces, i).power;
            // h^2 E''' / 6 and eps E / h balance at 1e-9 of energies of some 100 J
            const double h = 1e-5;
            const double loss =
                (get_energy_at(&rig, i, -h) - get_energy_at(&rig, i, h)) / (2.0 * h);
            lb_expect_below(lb_get_force_info(rig.forces, i).name, power - loss,
                            1e-6 * (1.0 + fabs(power)));
        }
        lb_end_rig(&rig);
        lb_end_trial(&t);
    }
}

// The inertia of a ruthless body does not follow its modes.
static void a_gradient_on_ruthless_modes_is_not_called_conservative(void **state)
{
    (void)state;
    lb_tree_options options = lb_get_flexible_tree(3);
    options.fidelity = LB_FIDELITY_RUTHLESS;
    options.second_order = 0;
    lb_trial t = lb_begin_trial(&options, 3);
    lb_rig rig =
        lb_begin_rig("forces: [{name: g, type: gravity-point, mu: 1, position: [9, 9, 9]}]",
                     lb_build_scene(t.scene));
    memcpy(rig.q, t.q, (size_t)t.q_count * sizeof *t.q);
    memcpy(rig.v, t.v, (size_t)t.v_count * sizeof *t.v);
    assert_false(lb_get_force_info(rig.forces, 0).is_conservative);
    lb_expect_ok(lb_evaluate_rig(&rig, 0));
    lb_expect_near("power", sum_power(&rig), dot(rig.tau, rig.v, rig.v_count), 1e-12);
    lb_end_rig(&rig);
    lb_end_trial(&t);
}

static double get_total_energy(lb_rig *rig)
{
    double kinetic, potential;
    lb_expect_ok(lb_evaluate_rig(rig, 0));
    lb_expect_ok(lb_compute_energy(rig->model, rig->work, &kinetic, &potential));
    for (int i = 0; i < lb_get_force_count(rig->forces); ++i) {
        potential += lb_get_force_info(rig->forces, i).energy;
    }
    return kinetic + potential;
}

// Classical Runge-Kutta with forces.
static void integrate(lb_rig *rig, double duration, int steps)
{
    const int nq = rig->q_count, nv = rig->v_count;
    const double h = duration / steps;
    const double weight[4] = {h / 6, h / 3, h / 3, h / 6}, reach[4] = {0, h / 2, h / 2, h};
    double *x = lb_make_numbers(3 * (size_t)(nq + nv));
    double *sum = x + nq + nv, *rate = sum + nq + nv;
    for (int step = 0; step < steps; ++step) {
        memcpy(x, rig->q, (size_t)nq * sizeof *x);
        memcpy(x + nq, rig->v, (size_t)nv * sizeof *x);
        memcpy(sum, x, (size_t)(nq + nv) * sizeof *x);
        for (int stage = 0; stage < 4; ++stage) {
            for (int i = 0; i < nq; ++i) {
                rig->q[i] = x[i] + (stage ? reach[stage] * rate[i] : 0.0);
            }
            for (int i = 0; i < nv; ++i) {
                rig->v[i] = x[nq + i] + (stage ? reach[stage] * rate[nq + i] : 0.0);
            }
            lb_expect_ok(lb_normalize_configuration(rig->model, 0.5, rig->q, NULL));
            lb_expect_ok(lb_evaluate_rig(rig, 0));
            lb_expect_ok(lb_compute_forward_dynamics(rig->model, rig->work, rig->q, rig->v,
                                                     rig->tau, rate + nq));
            lb_compute_configuration_rate(rig->model, rig->q, rig->v, rate);
            for (int i = 0; i < nq + nv; ++i) {
                sum[i] += weight[stage] * rate[i];
            }
        }
        memcpy(rig->q, sum, (size_t)nq * sizeof *x);
        memcpy(rig->v, sum + nq, (size_t)nv * sizeof *x);
        lb_expect_ok(lb_normalize_configuration(rig->model, 0.5, rig->q, NULL));
    }
    free(x);
}

static void springs_and_point_gravity_keep_the_energy(void **state)
{
    (void)state;
    char text[16384];
    for (int n = 0; n < 6; ++n) {
        lb_tree_options options = n % 2 ? lb_get_flexible_tree(n) : lb_get_small_tree(n);
        options.body_count = 3;
        options.undamped = 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        write_forces(t.model, n % 2 == 0, text, sizeof text);
        double error[2];
        for (int fine = 0; fine < 2; ++fine) {
            lb_rig rig = lb_begin_rig(text, lb_build_scene(t.scene));
            memcpy(rig.q, t.q, (size_t)t.q_count * sizeof *t.q);
            memcpy(rig.v, t.v, (size_t)t.v_count * sizeof *t.v);
            const double before = get_total_energy(&rig);
            integrate(&rig, 0.05, fine ? 800 : 200);
            error[fine] = fabs(get_total_energy(&rig) - before) / (1.0 + fabs(before));
            lb_end_rig(&rig);
        }
        // order 4 or round-off: a wrong force would leave an error that no step cures
        if (!(error[1] < error[0] / 100 || error[1] < 1e-11)) {
            fail_msg("tree %d: energy off by %g and %g", n, error[0], error[1]);
        }
        lb_end_trial(&t);
    }
}

// ---- trouble -----------------------------------------------------------------------------------

static void what_is_not_finite_is_named_with_its_time(void **state)
{
    (void)state;
    static const struct {
        const char *force, *message;
    } cases[] = {
        {"type: motor, hinge: arm, value: sqrt(1 - t)",
         "motor \"it\" is not a finite number at t = 2.5 s"},
        {"type: motor, hinge: arm, value: 1/arm.angle, limits: [-1, 1]", "motor \"it\" is not"},
        {"type: motor, hinge: arm, value: 0*bad", "motor \"it\" is not"},
        {"type: force, at: arm/tip, value: [0, log(arm.angle), 0]", "force \"it\" is not"},
        {"type: motion, hinge: arm, position: sqrt(2.5 - t)", "motion \"it\" is not"},
        {"type: gravity-point, mu: 1, position: [1, 0, 0]", "gravity-point \"it\" is not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2048];
        snprintf(text, sizeof text,
                 ARM_AND_CART "signals: {bad: 1/(t - 2.5)}\nforces: [{name: it, %s}]\n",
                 cases[i].force);
        lb_rig rig = lb_begin_rig(text, NULL);
        rig.q[CART] = 5.0;
        assert_string_equal(lb_get_force_message(rig.forces), "");
        assert_int_equal(lb_evaluate_rig(&rig, 2.5), LB_E_NUMBER);
        if (!strstr(lb_get_force_message(rig.forces), cases[i].message)) {
            fail_msg("%s: %s", cases[i].force, lb_get_force_message(rig.forces));
        }
        lb_end_rig(&rig);
    }
}

// ---- allocation --------------------------------------------------------------------------------

static void evaluation_allocates_nothing(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    lb_rig rig = lb_begin_rig(
        ARM_AND_CART "signals: {pull: \"2*sin(t) - distance(arm/tip, cart)\"}\n"
                     "forces:\n"
                     "- {name: a, type: spring, hinge: arm, stiffness: 1}\n"
                     "- {name: b, type: friction, hinge: arm, coulomb: 1}\n"
                     "- {name: c, type: stop, hinge: arm, upper: -1, stiffness: 1}\n"
                     "- {name: d, type: motor, hinge: arm, value: pull + system.kinetic}\n"
                     "- {name: e, type: motion, hinge: cart, position: sin(t)^2}\n"
                     "- {name: f, type: force, at: ball, value: [{sine: {amplitude: 1, rate: 1}}, "
                     "{table: [[0, 1], [1, 2]]}, {pulse: {value: 1, width: 1}}]}\n"
                     "- {name: g, type: spring, between: [arm/tip, ball], stiffness: 1}\n"
                     "- {name: h, type: gravity-point, mu: 1, position: [9, 9, 9]}\n",
        NULL);
    const long before = lb_malloc_count, freed_before = lb_free_count;
    assert_true(before > 0);
    const lb_status driven = lb_set_driven_state(rig.forces, rig.model, 0.3, rig.q, rig.v);
    const lb_status status = lb_evaluate_rig(&rig, 0.3);
    const long after = lb_malloc_count, freed_after = lb_free_count;
    lb_expect_ok(driven);
    lb_expect_ok(status);
    assert_int_equal(after - before, 0);
    assert_int_equal(freed_after - freed_before, 0);
    lb_end_rig(&rig);
#else
    skip();
#endif
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_forces_are_transposed_jacobians),
        cmocka_unit_test(node_forces_refuse_what_is_not_there),
        cmocka_unit_test(elements_give_what_their_equations_say),
        cmocka_unit_test(speeds_without_coordinates_have_dampers_and_motors),
        cmocka_unit_test(forces_are_switched_by_name),
        cmocka_unit_test(motion_gives_what_it_is_given_by),
        cmocka_unit_test(point_gravity_meets_the_sum_over_points),
        cmocka_unit_test(power_is_the_loss_of_energy),
        cmocka_unit_test(a_gradient_on_ruthless_modes_is_not_called_conservative),
        cmocka_unit_test(springs_and_point_gravity_keep_the_energy),
        cmocka_unit_test(what_is_not_finite_is_named_with_its_time),
        cmocka_unit_test(evaluation_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
