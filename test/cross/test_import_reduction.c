// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes and integrals of structures that are given by matrices, against the same bodies by nodal masses and
// against the kinetic energy of the nodes themselves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "import/reduce/reduction.h"

enum { NODES = 9, ROWS = 3 * NODES };

// Nodes in a cloud, each with axes of its own, joined by springs; masses coupled like those of solids.
typedef struct cloud {
    lb_import import;
    lb_structure structure;
    lb_fe_grid nodes[NODES];
    lb_fe_row rows[ROWS];
    double m[NODES][NODES];
} cloud;

static void turn_axes(double axes[3][3], double angle, int about)
{
    const int i = (about + 1) % 3, j = (about + 2) % 3;
    for (int d = 0; d < 3; ++d) {
        const double a = axes[i][d], b = axes[j][d];
        axes[i][d] = cos(angle) * a - sin(angle) * b;
        axes[j][d] = sin(angle) * a + cos(angle) * b;
    }
}

static void make_cloud(cloud *c, bool is_lumped)
{
    memset(c, 0, sizeof *c);
    c->import.arena = lb_make_arena(NULL);
    for (int i = 0; i < NODES; ++i) {
        c->nodes[i].id = 100 - 7 * i;
        for (int k = 0; k < 3; ++k) {
            c->nodes[i].x[k] = sin(1.0 + 3.1 * i + 1.7 * k) + (k == 0 ? 0.5 * i : 0.0);
            c->nodes[i].axes[k][k] = 1.0;
            c->rows[3 * i + k] = (lb_fe_row){i, k};
        }
        turn_axes(c->nodes[i].axes, 0.3 * i, 0);
        turn_axes(c->nodes[i].axes, 1.0 - 0.2 * i, 1);
        turn_axes(c->nodes[i].axes, 0.1 * i * i, 2);
        c->m[i][i] = 1.0 + 0.1 * i;
        for (int j = 0; j < i && !is_lumped; ++j) {
            c->m[i][j] = c->m[j][i] = 0.05 / (1 + i - j);
        }
    }
    c->structure = (lb_structure){.format = "test",
                                  .node_count = NODES,
                                  .nodes = c->nodes,
                                  .row_count = ROWS,
                                  .rows = c->rows};
    double K[ROWS][ROWS] = {{0}}, M[ROWS][ROWS] = {{0}};
    for (int i = 0; i < NODES; ++i) {
        for (int j = 0; j < NODES; ++j) {
            double e[3], length = 0.0;
            for (int k = 0; k < 3; ++k) {
                e[k] = c->nodes[j].x[k] - c->nodes[i].x[k];
                length += e[k] * e[k];
            }
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; b < 3; ++b) {
                    double along[2] = {0, 0}, turned[2] = {0, 0}, both = 0.0;
                    for (int k = 0; k < 3; ++k) {
                        along[0] += c->nodes[i].axes[k][a] * e[k];
                        turned[0] += c->nodes[i].axes[k][b] * e[k];
                        along[1] += c->nodes[j].axes[k][b] * e[k];
                        both += c->nodes[i].axes[k][a] * c->nodes[j].axes[k][b];
                    }
                    M[3 * i + a][3 * j + b] = c->m[i][j] * both;
                    if (i != j) {
                        const double k = 400.0 * (1 + (i + j) % 3) / length;
                        K[3 * i + a][3 * i + b] += k * along[0] * turned[0];
                        K[3 * i + a][3 * j + b] -= k * along[0] * along[1];
                    }
                }
            }
        }
    }
    c->structure.K.part = LB_FE_BOTH;
    c->structure.M.part = LB_FE_HALF;
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < ROWS; ++j) {
            assert_true(lb_add_fe_entry(&c->structure.K, i, j, K[i][j]));
            assert_true(i < j || lb_add_fe_entry(&c->structure.M, i, j, M[i][j]));
        }
    }
}

static void free_cloud(cloud *c)
{
    lb_free_structure(&c->structure);
    lb_arena_free(&c->import.arena);
}

static void reduce(cloud *c, const lb_reduce_options *options, lb_reduction *r, lb_modal_body *body)
{
    const lb_import_units si = {1, 1, 1};
    lb_fe_matrix K, M;
    assert_int_equal(lb_assemble_structure(&c->import, &c->structure, &si, &K, &M), LB_OK);
    assert_int_equal(lb_find_rigid_motions(&c->import, &c->structure, &K, &M, r), LB_OK);
    assert_int_equal(lb_find_structure_modes(&c->import, &c->structure, options, &K, &M, r), LB_OK);
    assert_int_equal(lb_integrate_structure(&c->import, &c->structure, &M, r, body), LB_OK);
}

enum { MODES_MOST = ROWS };

// A free body of the modes that were found: by integrals, or by nodal masses.
static lb_model *make_model(cloud *c, const lb_reduction *r, const lb_modal_body *body,
                            bool by_nodes)
{
    const int m = r->mode_count;
    static double shapes[NODES][6 * MODES_MOST], K[MODES_MOST * MODES_MOST];
    lb_flex_node nodes[NODES];
    char names[NODES][8];
    int *rows = lb_index_rows(&c->import, &c->structure);
    memset(K, 0, sizeof K);
    for (int i = 0; i < m; ++i) {
        K[i * m + i] = r->squares[i];
    }
    for (int i = 0; i < NODES; ++i) {
        nodes[i] = lb_default_flex_node();
        snprintf(names[i], sizeof names[i], "n%d", i);
        nodes[i].name = names[i];
        memcpy(nodes[i].position, c->nodes[i].x, sizeof nodes[i].position);
        nodes[i].mass = by_nodes ? c->m[i][i] : 0.0;
        lb_get_node_shape(&c->structure, r, rows, i, shapes[i]);
        nodes[i].shape = shapes[i];
    }
    lb_flex_options flex = lb_default_flex_options();
    flex.mode_count = m;
    flex.node_count = NODES;
    flex.nodes = nodes;
    flex.stiffness = K;
    flex.integrals = by_nodes ? NULL : &body->integrals;
    lb_body_options options = lb_default_body_options();
    options.name = "cloud";
    options.hinge.type = LB_HINGE_FREE;
    options.flex = &flex;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_model *model = NULL;
    assert_int_equal(lb_add_body(builder, &options, NULL), LB_OK);
    assert_int_equal(lb_build_model(builder, &model), LB_OK);
    lb_destroy_builder(builder);
    return model;
}

static void fill_state(int nq, int nv, int m, double *q, double *v)
{
    for (int i = 0; i < nq; ++i) {
        q[i] = 0.02 * sin(1.3 * i + 0.4);
    }
    // after the modes, a unit quaternion and a position
    const double rotation[4] = {0.5, 0.5, -0.5, 0.5};
    memcpy(q + m, rotation, sizeof rotation);
    for (int i = 0; i < nv; ++i) {
        v[i] = cos(0.7 * i + 0.1);
    }
}

// Lumped masses: the same accelerations as by nodal masses, free and clamped.
static void test_lumped(void **state)
{
    (void)state;
    const long clamp[] = {100, 93, 86};
    for (int clamped = 0; clamped < 2; ++clamped) {
        cloud c;
        lb_reduction r = {0};
        lb_modal_body body = {0};
        const lb_reduce_options options = {.clamp_count = clamped ? 3 : 0, .clamp = clamp};
        make_cloud(&c, true);
        reduce(&c, &options, &r, &body);
        assert_int_equal(r.free_count, 6);
        assert_int_equal(r.mode_count, clamped ? ROWS - 9 : ROWS - 6);
        assert_true(r.grounding < 1e-14);
        double *a[2], *q = NULL, *v = NULL;
        for (int by_nodes = 0; by_nodes < 2; ++by_nodes) {
            lb_model *model = make_model(&c, &r, &body, by_nodes);
            lb_work *work = lb_create_work(model);
            const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
            q = q ? q : calloc((size_t)nq, sizeof *q);
            v = v ? v : calloc((size_t)nv, sizeof *v);
            fill_state(nq, nv, r.mode_count, q, v);
            a[by_nodes] = calloc((size_t)nv, sizeof **a);
            assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, NULL, a[by_nodes]), 0);
            if (by_nodes) {
                lb_expect_close("accelerations", a[0], a[1], nv,
                                1e-10); // conditions of the mass matrix: 1e3
            }
            lb_destroy_work(work);
            lb_destroy_model(model);
        }
        free(a[0]);
        free(a[1]);
        free(q);
        free(v);
        free_cloud(&c);
    }
}

// Coupled masses: the energy of the model is that of the nodes, V' M V / 2, at a deformed, moving state.
static void test_coupled(void **state)
{
    cloud c;
    lb_reduction r = {0};
    lb_modal_body body = {0};
    const lb_reduce_options options = {.clamp_count = 0};
    (void)state;
    make_cloud(&c, false);
    reduce(&c, &options, &r, &body);
    lb_model *model = make_model(&c, &r, &body, false);
    lb_work *work = lb_create_work(model);
    const int m = r.mode_count, nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    double *q = calloc((size_t)nq, sizeof *q), *v = calloc((size_t)nv, sizeof *v);
    fill_state(nq, nv, m, q, v);
    const double rotation[4] = {1, 0, 0, 0};
    memcpy(q + m, rotation, sizeof rotation);
    double kinetic = 0.0, potential = 0.0, velocity[NODES][3];
    assert_int_equal(lb_compute_kinematics(model, work, q, v, NULL), LB_OK);
    assert_int_equal(lb_compute_energy(model, work, &kinetic, &potential), LB_OK);
    int *rows = lb_index_rows(&c.import, &c.structure);
    const double *w = v + m, *o = v + m + 3;
    for (int i = 0; i < NODES; ++i) {
        double shape[6 * MODES_MOST], x[3], rate[3] = {0, 0, 0};
        lb_get_node_shape(&c.structure, &r, rows, i, shape);
        memcpy(x, c.nodes[i].x, sizeof x);
        for (int s = 0; s < m; ++s) {
            for (int k = 0; k < 3; ++k) {
                x[k] += shape[6 * s + 3 + k] * q[s];
                rate[k] += shape[6 * s + 3 + k] * v[s];
            }
        }
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            velocity[i][k] = o[k] + w[a] * x[b] - w[b] * x[a] + rate[k];
        }
    }
    double sum = 0.0;
    for (int i = 0; i < NODES; ++i) {
        for (int j = 0; j < NODES; ++j) {
            for (int k = 0; k < 3; ++k) {
                sum += 0.5 * c.m[i][j] * velocity[i][k] * velocity[j][k];
            }
        }
    }
    lb_expect_near("kinetic energy", kinetic, sum, 1e-12 * sum);
    free(q);
    free(v);
    lb_destroy_work(work);
    lb_destroy_model(model);
    free_cloud(&c);
}

// Millimetres and tonnes: the same body.
static void test_units(void **state)
{
    (void)state;
    lb_reduction r[2] = {{0}};
    lb_modal_body body[2] = {{0}};
    cloud c[2];
    for (int i = 0; i < 2; ++i) {
        const lb_import_units units = {i ? 1e-3 : 1, i ? 1e3 : 1, 1};
        const lb_reduce_options options = {.mode_count = 4};
        lb_fe_matrix K, M;
        make_cloud(&c[i], false);
        if (i) {
            for (int j = 0; j < NODES; ++j) {
                for (int k = 0; k < 3; ++k) {
                    c[i].nodes[j].x[k] *= 1e3;
                }
            }
            lb_fe_entries *matrices[] = {&c[i].structure.K, &c[i].structure.M};
            for (int a = 0; a < 2; ++a) {
                for (size_t k = 0; k < matrices[a]->count; ++k) {
                    matrices[a]->all[k].value *= 1e-3;
                }
            }
        }
        assert_int_equal(lb_assemble_structure(&c[i].import, &c[i].structure, &units, &K, &M), 0);
        assert_int_equal(lb_find_rigid_motions(&c[i].import, &c[i].structure, &K, &M, &r[i]), 0);
        assert_int_equal(
            lb_find_structure_modes(&c[i].import, &c[i].structure, &options, &K, &M, &r[i]), 0);
        assert_int_equal(lb_integrate_structure(&c[i].import, &c[i].structure, &M, &r[i], &body[i]),
                         0);
    }
    assert_int_equal(r[0].mode_count, 4);
    lb_expect_close("squares", r[1].squares, r[0].squares, 4, 1e-9);
    lb_expect_near("mass", body[1].integrals.mass, body[0].integrals.mass, 1e-12);
    lb_expect_close("inertia", body[1].integrals.S0, body[0].integrals.S0, 6, 1e-11);
    free_cloud(&c[0]);
    free_cloud(&c[1]);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lumped),
        cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
