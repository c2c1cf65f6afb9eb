// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body whose second-order displacement is known by its first moments alone.
#include <math.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"
#include "dynamics/tree/tree.h"
#include "limber/derivatives.h"
#include "limber/dynamics.h"
#include "model/model_parts.h"
#include "point_masses.h"

enum { MODES = LB_POINT_MODES, NODES = 6, BODIES = LB_POINT_BODIES, SPEEDS = LB_POINT_SPEEDS };

static const char *const node_names[NODES] = {"a", "b", "c", "d", "e", "f"};
static const double positions[NODES][3] = {{0, 0, 0},       {0.5, 0.1, 0},    {0.8, -0.3, 0.2},
                                           {1.0, 0.2, 0.1}, {0.3, 0.4, -0.2}, {0.6, 0.1, 0.4}};
static const double masses[NODES] = {0.3, 0.5, 0.2, 0.7, 0.4, 0.3};
static const double shapes[NODES][MODES][6] = {
    {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
    {{0.1, 0, 0.3, 0, 0.2, 0.1}, {0, 0.2, 0, 0.1, 0, 0.3}},
    {{0.2, 0, 0.4, 0, 0.5, 0.1}, {0, 0.3, 0, 0.2, 0.1, 0.6}},
    {{0.3, 0.1, 0.5, 0, 1.0, 0.2}, {0, -0.5, 0.1, 0.3, 0, 1.0}},
    {{0.1, 0.2, 0.3, 0.1, -0.2, 0.3}, {0, 0.1, 0.1, 0.2, 0.2, 0.1}},
    {{0.2, 0, 0.1, 0.1, 0.4, -0.3}, {0.1, -0.1, 0, 0, 0.3, 0.5}},
};
static const lb_second_order second[NODES][3] = {
    {{0, 0, {0, 0, 0}}, {0, 1, {0, 0, 0}}, {1, 1, {0, 0, 0}}},
    {{0, 0, {-0.3, 0, 0.1}}, {0, 1, {0.1, 0.05, 0}}, {1, 1, {-0.2, 0, 0.02}}},
    {{0, 0, {-0.6, 0.1, 0}}, {0, 1, {0.2, 0.1, 0.1}}, {1, 1, {-0.5, 0.1, 0.1}}},
    {{0, 0, {-0.9, 0.1, 0.2}}, {0, 1, {0.3, 0.2, -0.1}}, {1, 1, {-0.7, 0, 0.3}}},
    {{0, 0, {-0.2, 0.3, 0.1}}, {0, 1, {0.1, -0.2, 0}}, {1, 1, {-0.1, 0.2, 0.1}}},
    {{0, 0, {-0.4, 0, 0.3}}, {0, 1, {0, 0.1, 0.2}}, {1, 1, {-0.3, -0.1, 0}}},
};
static const double stiffness[MODES * MODES] = {50, 3, 3, 40};

// How much of the second order a body knows.
typedef enum knowledge { BY_NODES, BY_MOMENTS, NOT_AT_ALL } knowledge;

typedef struct integrals {
    lb_point_integrals first;
    double G2[MODES * MODES * 3], T2[MODES * MODES * 9];
} integrals;

static void sum_nodes(knowledge known, double size, double weight, integrals *I)
{
    memset(I, 0, sizeof *I);
    lb_start_point_integrals(&I->first);
    for (int j = 0; j < NODES; ++j) {
        const double m = weight * masses[j];
        double c[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = size * positions[j][k];
        }
        lb_add_point_mass(&I->first, m, c, shapes[j]);
        for (int at = 0; at < MODES * MODES; ++at) {
            const double *g2 = second[j][at / MODES + at % MODES].g;
            for (int k = 0; k < 9; ++k) {
                I->T2[9 * at + k] += m * c[k / 3] * g2[k % 3] / size;
                I->G2[3 * at + k % 3] += k < 3 ? m * g2[k] / size : 0.0;
            }
        }
    }
    I->first.all.G2 = known == BY_MOMENTS ? I->G2 : NULL;
    I->first.all.T2 = known == BY_MOMENTS ? I->T2 : NULL;
}

// Three such bodies in a row. Lengths and masses may be of another size; modal coordinates are lengths.
static lb_model *build(knowledge known, double size, double weight)
{
    const double gravity[3] = {1 * size, 2 * size, -9 * size};
    integrals I;
    sum_nodes(known, size, weight, &I);
    lb_flex_node nodes[NODES];
    lb_second_order own[NODES][3];
    double own_shapes[NODES][MODES][6];
    double K[MODES * MODES];
    memcpy(own, second, sizeof own);
    for (int i = 0; i < MODES * MODES; ++i) {
        K[i] = weight * stiffness[i];
    }
    for (int j = 0; j < NODES; ++j) {
        nodes[j] = lb_default_flex_node();
        nodes[j].name = node_names[j];
        nodes[j].shape = &own_shapes[j][0][0];
        for (int k = 0; k < MODES * 6; ++k) {
            own_shapes[j][k / 6][k % 6] = shapes[j][k / 6][k % 6] / (k % 6 < 3 ? size : 1.0);
        }
        nodes[j].mass = known == BY_NODES ? weight * masses[j] : 0.0;
        nodes[j].second_order = own[j];
        nodes[j].second_order_count = known == NOT_AT_ALL ? 0 : 3;
        for (int k = 0; k < 9; ++k) {
            own[j][k / 3].g[k % 3] /= size;
            nodes[j].position[k % 3] = size * positions[j][k % 3];
        }
    }
    const lb_flex_options flex = {.size = sizeof flex,
                                  .mode_count = MODES,
                                  .node_count = NODES,
                                  .nodes = nodes,
                                  .stiffness = K,
                                  .integrals = known == BY_NODES ? NULL : &I.first.all};
    return lb_build_row(gravity, &flex, "d");
}

static void fill_state(double deformation, double *q, double *v, double *a)
{
    for (int i = 0; i < SPEEDS; ++i) {
        q[i] = v[i] = 0.0;
        a[i] = sin(3 * i + 1); // of hinges
    }
    // modes come first in each body
    static const int firsts[BODIES] = {0, 3, 7};
    for (int k = 0; k < BODIES; ++k) {
        const int end = k + 1 < BODIES ? firsts[k + 1] : SPEEDS;
        for (int i = firsts[k]; i < end; ++i) {
            const int is_mode = i < firsts[k] + MODES;
            q[i] = is_mode ? deformation * (1 - 0.3 * i) : 0.4 * cos(i);
            v[i] = is_mode ? deformation * sin(2 * i) : 1 + 0.2 * i;
            a[i] *= is_mode ? deformation : 1.0;
        }
    }
}

// What differs from the body by nodes is quadratic in the deformation; without any knowledge, linear.
static void stiffening_is_that_of_the_nodes(void **state)
{
    (void)state;
    double gap[2][2];
    for (int known = BY_MOMENTS; known <= NOT_AT_ALL; ++known) {
        lb_model *models[2] = {build(BY_NODES, 1, 1), build((knowledge)known, 1, 1)};
        for (int half = 0; half < 2; ++half) {
            double tau[2][SPEEDS], q[SPEEDS], v[SPEEDS], a[SPEEDS];
            fill_state(half ? 5e-4 : 1e-3, q, v, a);
            for (int i = 0; i < 2; ++i) {
                lb_work *work = lb_create_work(models[i]);
                lb_expect_ok(lb_compute_inverse_dynamics(models[i], work, q, v, a, tau[i]));
                lb_destroy_work(work);
            }
            lb_add_vector(SPEEDS, -1.0, tau[0], tau[1]);
            gap[known - 1][half] = lb_get_largest(SPEEDS, tau[1]);
        }
        const double omega[3] = {1, 2, -0.5};
        double G[2][MODES * MODES];
        for (int i = 0; i < 2; ++i) {
            lb_compute_spin_stiffness(models[i], 0, omega, G[i]);
            lb_destroy_model(models[i]);
        }
        if (known == BY_MOMENTS) {
            lb_expect_close("stiffness by spin", G[1], G[0], MODES * MODES, 1e-13);
        } else {
            assert_true(lb_get_gap(G[1], G[0], MODES * MODES) > 0.1);
        }
    }
    print_message("forces differ by %.2g, and %.2g without second order\n", gap[0][0], gap[1][0]);
    lb_expect_near("order of what differs", gap[0][0] / gap[0][1], 4.0, 0.02);
    lb_expect_near("order without second order", gap[1][0] / gap[1][1], 2.0, 0.02);
    assert_true(gap[0][0] < 0.01 * gap[1][0]);
}

static void all_roads_agree(void **state)
{
    (void)state;
    lb_model *model = build(BY_MOMENTS, 1, 1);
    lb_work *work = lb_create_work(model);
    lb_derivative_work *scratch = lb_create_derivative_work(model);
    double q[SPEEDS], v[SPEEDS], a[SPEEDS], tau[SPEEDS], found[SPEEDS];
    double M[SPEEDS * SPEEDS], dq[SPEEDS * SPEEDS], dv[SPEEDS * SPEEDS], da[SPEEDS * SPEEDS];
    fill_state(0.1, q, v, a);
    lb_expect_ok(lb_compute_inverse_derivatives(model, work, scratch, q, v, a, tau, dq, dv, da));
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, found));
    lb_expect_close("articulated", found, a, SPEEDS, 1e-11);
    lb_expect_ok(lb_tree_composite(model, work, q, v, tau, M, found));
    lb_expect_close("composite", found, a, SPEEDS, 1e-11);
    lb_division *division;
    lb_expect_ok(lb_create_division(model, NULL, &division));
    lb_expect_ok(lb_divided_forward(model, work, division, q, v, tau, found));
    lb_destroy_division(division);
    lb_expect_close("divided", found, a, SPEEDS, 1e-11);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
    lb_expect_close("mass matrix", da, M, SPEEDS * SPEEDS, 1e-13);
    // central differences of fourth order
    const double h = 1e-3;
    static const double weights[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12},
                        steps[4] = {-2, -1, 1, 2};
    for (int j = 0; j < SPEEDS; ++j) {
        double by_q[SPEEDS] = {0}, by_v[SPEEDS] = {0}, column[2][SPEEDS];
        for (int k = 0; k < 4; ++k) {
            double x[SPEEDS];
            memcpy(x, q, sizeof x);
            x[j] += steps[k] * h;
            lb_expect_ok(lb_compute_inverse_dynamics(model, work, x, v, a, found));
            lb_add_vector(SPEEDS, weights[k] / h, found, by_q);
            memcpy(x, v, sizeof x);
            x[j] += steps[k] * h;
            lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, x, a, found));
            lb_add_vector(SPEEDS, weights[k] / h, found, by_v);
        }
        for (int i = 0; i < SPEEDS; ++i) {
            column[0][i] = dq[i * SPEEDS + j];
            column[1][i] = dv[i * SPEEDS + j];
        }
        lb_expect_close("by q", column[0], by_q, SPEEDS, 1e-9);
        lb_expect_close("by v", column[1], by_v, SPEEDS, 1e-9);
    }
    lb_destroy_derivative_work(scratch);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

// A body of a micrometre and a nanogram, and one of a megametre.
static void size_does_not_matter(void **state)
{
    (void)state;
    static const double sizes[3] = {1, 1e-6, 1e6}, weights[3] = {1, 1e-12, 1e15};
    double a[3][SPEEDS];
    for (int i = 0; i < 3; ++i) {
        lb_model *model = build(BY_MOMENTS, sizes[i], weights[i]);
        double q[SPEEDS], v[SPEEDS], tau[SPEEDS] = {0};
        fill_state(0.1, q, v, a[i]);
        static const int is_mode[SPEEDS] = {1, 1, 0, 1, 1, 0, 0, 1, 1, 0};
        for (int k = 0; k < SPEEDS; ++k) {
            q[k] *= is_mode[k] ? sizes[i] : 1.0;
            v[k] *= is_mode[k] ? sizes[i] : 1.0;
        }
        lb_work *work = lb_create_work(model);
        lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a[i]));
        for (int k = 0; k < SPEEDS; ++k) {
            a[i][k] /= is_mode[k] ? sizes[i] : 1.0;
        }
        lb_destroy_work(work);
        lb_destroy_model(model);
        if (i > 0) {
            lb_expect_close("accelerations", a[i], a[0], SPEEDS, 1e-11);
        }
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffening_is_that_of_the_nodes),
        cmocka_unit_test(all_roads_agree),
        cmocka_unit_test(size_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
