// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body that brings modal integrals instead of nodal masses.
#include <math.h>
#include <string.h>

#include "check.h"
#include "point_masses.h"

enum { MODES = LB_POINT_MODES, NODES = 3, SPEEDS = LB_POINT_SPEEDS };

static const char *const node_names[NODES] = {"a", "b", "c"};
static const double positions[NODES][3] = {{0, 0, 0}, {0.5, 0.1, 0}, {1.0, 0.2, 0.1}};
static const double masses[NODES] = {0.3, 0.5, 0.7};
static const double shapes[NODES][MODES][6] = {
    {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
    {{0.1, 0, 0.3, 0, 0.2, 0.1}, {0, 0.2, 0, 0.1, 0, 0.3}},
    {{0.3, 0.1, 0.5, 0, 1.0, 0.2}, {0, -0.5, 0.1, 0.3, 0, 1.0}},
};
static const double stiffness[MODES * MODES] = {50, 3, 3, 40};

static void sum_nodes(lb_point_integrals *I)
{
    lb_start_point_integrals(I);
    for (int j = 0; j < NODES; ++j) {
        lb_add_point_mass(I, masses[j], positions[j], shapes[j]);
    }
}

// Three such bodies in a row.
static lb_model *build(lb_fidelity fidelity, const lb_flex_integrals *brought)
{
    const double gravity[3] = {1, 2, -9};
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
    return lb_build_row(gravity, &flex, "c");
}

static void a_body_by_integrals_moves_as_by_nodes(void **state)
{
    (void)state;
    lb_point_integrals I;
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

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_by_integrals_moves_as_by_nodes),
        cmocka_unit_test(frequencies_are_those_of_the_oscillators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
