// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body that brings modal integrals instead of nodal masses.
#include <math.h>
#include <string.h>

#include "check.h"

enum { MODES = 2, NODES = 3, BODIES = 3, SPEEDS = BODIES * MODES + 4 };

static const char *const node_names[NODES] = {"a", "b", "c"};
static const double positions[NODES][3] = {{0, 0, 0}, {0.5, 0.1, 0}, {1.0, 0.2, 0.1}};
static const double masses[NODES] = {0.3, 0.5, 0.7};
static const double shapes[NODES][MODES][6] = {
    {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
    {{0.1, 0, 0.3, 0, 0.2, 0.1}, {0, 0.2, 0, 0.1, 0, 0.3}},
    {{0.3, 0.1, 0.5, 0, 1.0, 0.2}, {0, -0.5, 0.1, 0.3, 0, 1.0}},
};
static const double stiffness[MODES * MODES] = {50, 3, 3, 40};

// The integrals of the nodes above, by their definitions (FLX-3) for point masses.
typedef struct integrals {
    double M_ff[MODES * MODES], E[MODES * 3], B0[MODES * 3], B[MODES * MODES * 3];
    double S[MODES * 6], S2[MODES * MODES * 6];
    lb_flex_integrals all;
} integrals;

static void add_cross(double m, const double *a, const double *b, double *out)
{
    out[0] += m * (a[1] * b[2] - a[2] * b[1]);
    out[1] += m * (a[2] * b[0] - a[0] * b[2]);
    out[2] += m * (a[0] * b[1] - a[1] * b[0]);
}

// -m (a~b~ + b~a~)
static void add_pair(double m, const double *a, const double *b, double *out)
{
    const double d = 2 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int i = 0; i < 3; ++i) {
        out[i] += m * (d - 2 * a[i] * b[i]);
    }
    out[3] -= m * (a[0] * b[1] + a[1] * b[0]);
    out[4] -= m * (a[0] * b[2] + a[2] * b[0]);
    out[5] -= m * (a[1] * b[2] + a[2] * b[1]);
}

static void sum_nodes(integrals *I)
{
    memset(I, 0, sizeof *I);
    for (int j = 0; j < NODES; ++j) {
        const double m = masses[j], *c = positions[j];
        I->all.mass += m;
        for (int i = 0; i < 3; ++i) {
            I->all.h0[i] += m * c[i];
        }
        add_pair(0.5 * m, c, c, I->all.S0);
        for (int r = 0; r < MODES; ++r) {
            const double *G = shapes[j][r] + 3;
            for (int i = 0; i < 3; ++i) {
                I->E[3 * r + i] += m * G[i];
            }
            add_cross(m, c, G, I->B0 + 3 * r);
            add_pair(m, c, G, I->S + 6 * r);
            for (int t = 0; t < MODES; ++t) {
                const double *T = shapes[j][t] + 3;
                I->M_ff[t * MODES + r] += m * (G[0] * T[0] + G[1] * T[1] + G[2] * T[2]);
                add_cross(m, T, G, I->B + 3 * (t * MODES + r));
                add_pair(m, T, G, I->S2 + 6 * (t * MODES + r));
            }
        }
    }
    I->all.size = sizeof I->all;
    I->all.M_ff = I->M_ff;
    I->all.E = I->E;
    I->all.B0 = I->B0;
    I->all.B = I->B;
    I->all.S = I->S;
    I->all.S2 = I->S2;
}

// Three such bodies in a row, hinged at a node that stands still and at ones that move.
static lb_model *build(lb_fidelity fidelity, const lb_flex_integrals *brought)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    const double gravity[3] = {1, 2, -9};
    lb_expect_ok(lb_set_gravity(builder, gravity));
    lb_flex_node nodes[NODES];
    for (int j = 0; j < NODES; ++j) {
        nodes[j] = lb_default_flex_node();
        nodes[j].name = node_names[j];
        nodes[j].shape = &shapes[j][0][0];
        nodes[j].mass = brought ? 0.0 : masses[j];
        memcpy(nodes[j].position, positions[j], sizeof nodes[j].position);
    }
    const lb_flex_options flex = {.size = sizeof flex,
                                  .fidelity = fidelity,
                                  .mode_count = MODES,
                                  .node_count = NODES,
                                  .nodes = nodes,
                                  .stiffness = stiffness,
                                  .integrals = brought};
    static const char *const names[BODIES] = {"x", "y", "z"};
    for (int k = 0; k < BODIES; ++k) {
        lb_body_options body = lb_default_body_options();
        body.name = names[k];
        body.parent = k ? names[k - 1] : NULL;
        body.at = k ? "c" : NULL;
        body.by = k == 2 ? "b" : "a";
        body.hinge.type = k == 1 ? LB_HINGE_UNIVERSAL : LB_HINGE_REVOLUTE;
        body.hinge.axis[0] = 0.3;
        body.hinge.axis[1] = 1.0;
        body.hinge.axes[0][0] = body.hinge.axes[1][2] = 1.0;
        body.flex = &flex;
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    assert_int_equal(lb_get_v_count(model), SPEEDS);
    return model;
}

static void a_body_by_integrals_moves_as_by_nodes(void **state)
{
    (void)state;
    integrals I;
    sum_nodes(&I);
    for (int f = 0; f < 2; ++f) {
        const lb_fidelity fidelity = f ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT;
        double q[SPEEDS], v[SPEEDS], tau[SPEEDS], a[2][SPEEDS], M[2][SPEEDS * SPEEDS], T[2][2];
        double omega[2][MODES], mass[2], com[2][3], J[2][6];
        for (int i = 0; i < SPEEDS; ++i) {
            q[i] = 0.1 * sin(i);
            v[i] = cos(i);
            tau[i] = i;
        }
        for (int way = 0; way < 2; ++way) {
            lb_model *model = build(fidelity, way ? &I.all : NULL);
            lb_work *work = lb_create_work(model);
            double scratch[2 * MODES * MODES];
            lb_expect_ok(lb_compute_mass_matrix(model, work, q, M[way]));
            lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a[way]));
            lb_expect_ok(lb_compute_energy(model, work, &T[way][0], &T[way][1]));
            lb_expect_ok(lb_compute_body_frequencies(model, 1, scratch, omega[way]));
            lb_get_mass_properties(model, 1, &mass[way], com[way], J[way]);
            lb_destroy_work(work);
            lb_destroy_model(model);
        }
        // 1e-11: accelerations of some hundred, condition of M about 1e3
        lb_expect_close("accelerations", a[1], a[0], SPEEDS, 1e-11);
        lb_expect_close("mass matrix", M[1], M[0], SPEEDS * SPEEDS, 1e-13);
        lb_expect_close("energies", T[1], T[0], 2, 1e-13);
        lb_expect_close("frequencies", omega[1], omega[0], MODES, 1e-13);
        lb_expect_close("mass", &mass[1], &mass[0], 1, 1e-15);
        lb_expect_close("centre", com[1], com[0], 3, 1e-14);
        lb_expect_close("inertia", J[1], J[0], 6, 1e-13);
    }
}

// Two masses on springs, each with a mode of its own: omega = sqrt(k / m).
static void frequencies_are_those_of_the_oscillators(void **state)
{
    (void)state;
    const double shape[MODES][6] = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 2, 0}};
    lb_flex_node node = lb_default_flex_node();
    node.name = "n";
    node.mass = 0.5;
    node.shape = &shape[0][0];
    const double K[MODES * MODES] = {18, 0, 0, 2};
    const lb_flex_options flex = {
        .size = sizeof flex, .mode_count = MODES, .node_count = 1, .nodes = &node, .stiffness = K};
    lb_body_options body = lb_default_body_options();
    body.name = "oscillator";
    body.flex = &flex;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    double scratch[2 * MODES * MODES], omega[MODES];
    lb_expect_ok(lb_compute_body_frequencies(model, 0, scratch, omega));
    const double expected[MODES] = {1.0, 6.0}; // 2 / (0.5 * 4) and 18 / 0.5
    lb_expect_close("frequencies", omega, expected, MODES, 1e-14);
    lb_destroy_model(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_by_integrals_moves_as_by_nodes),
        cmocka_unit_test(frequencies_are_those_of_the_oscillators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
