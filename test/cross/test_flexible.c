// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible trees against rigid ones, and against what modes must not change.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "everything.h"

// Chains, so that a body has at most one child: its rigid twin then needs two nodes only.
static lb_tree_options lb_get_flexible_chain(int n)
{
    lb_tree_options options = lb_get_flexible_tree(n);
    options.shape = LB_SHAPE_CHAIN;
    options.root_count = 1;
    options.rigid_percent = 20;
    return options;
}

// Mass, centre and inertia of a flexible body that does not deform: sums over its nodes.
static void lb_stiffen_mass(const lb_scene_flex *flex, lb_scene_body *twin)
{
    double m = 0.0;
    lb_vec3 first = {0, 0, 0};
    for (int j = 0; j < flex->options.node_count; ++j) {
        const lb_flex_node *node = &flex->nodes[j];
        const lb_vec3 c = lb_vec3_add(lb_vec3_from(node->position), lb_vec3_from(node->offset));
        m += node->mass;
        first = lb_vec3_axpy(first, node->mass, c);
    }
    const lb_vec3 com = lb_vec3_scale(1.0 / m, first);
    lb_sym3 J = {0, 0, 0, 0, 0, 0};
    for (int j = 0; j < flex->options.node_count; ++j) {
        const lb_flex_node *node = &flex->nodes[j];
        const lb_vec3 c = lb_vec3_add(lb_vec3_from(node->position), lb_vec3_from(node->offset));
        J = lb_sym3_add(J, lb_sym3_from(node->inertia));
        J = lb_sym3_add(J, lb_sym3_point(node->mass, lb_vec3_sub(c, com)));
    }
    twin->mass = m;
    lb_vec3_to(com, twin->com);
    const double tensor[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
    memcpy(twin->inertia, tensor, sizeof tensor);
}

static void lb_copy_place(const lb_scene_body *body, int node, lb_scene_node *place)
{
    memset(place, 0, sizeof *place);
    place->rotation[0] = 1.0;
    if (node > 0 && body->flex != NULL) {
        const lb_flex_node *from = &body->flex->nodes[node - 1];
        memcpy(place->position, from->position, sizeof place->position);
        memcpy(place->rotation, from->rotation, sizeof place->rotation);
    } else if (node > 0) {
        *place = body->nodes[node];
    }
}

// The same chain with rigid bodies: node 1 carries a body's own hinge, node 2 its child's.
static lb_scene *lb_create_rigid_twin(const lb_tree_options *options, const lb_scene *scene)
{
    lb_tree_options rigid = *options;
    rigid.mode_min = rigid.mode_max = 0;
    lb_scene *twin = lb_create_tree(&rigid, 0);
    memcpy(twin->gravity, scene->gravity, sizeof twin->gravity);
    memcpy(twin->ground, scene->ground, sizeof twin->ground);
    for (int k = 0; k < scene->body_count; ++k) {
        const lb_scene_body *body = &scene->bodies[k];
        lb_scene_body *copy = &twin->bodies[k];
        copy->parent = body->parent;
        copy->hinge = body->hinge;
        copy->mass = body->mass;
        memcpy(copy->com, body->com, sizeof copy->com);
        memcpy(copy->inertia, body->inertia, sizeof copy->inertia);
        if (body->flex != NULL) {
            lb_stiffen_mass(body->flex, copy);
        }
        lb_copy_place(body, body->by, &copy->nodes[1]);
        copy->by = 1;
        copy->at = body->at;
    }
    for (int k = 0; k < scene->body_count; ++k) {
        const int parent = scene->bodies[k].parent;
        if (parent != LB_GROUND) {
            lb_copy_place(&scene->bodies[parent], scene->bodies[k].at,
                          &twin->bodies[parent].nodes[2]);
            twin->bodies[k].at = 2;
        }
    }
    lb_count_scene(twin);
    return twin;
}

// Undeformed and with modes at rest, the hinges see rigid bodies: their block of M and their part
// of the bias are those of the rigid twin.
static void undeformed_tree_has_the_hinge_dynamics_of_its_rigid_twin(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const lb_tree_options options = lb_get_flexible_chain(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_trial u = lb_begin_scene_trial(lb_create_rigid_twin(&options, t.scene), t.seed);
        const int n = t.v_count, m = u.v_count;
        int *column = calloc((size_t)(m > 0 ? m : 1), sizeof *column);
        assert_non_null(column);
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k], *twin = &u.scene->bodies[k];
            for (int j = body->q_offset; j < body->hinge_q; ++j) {
                t.q[j] = 0.0;
            }
            for (int j = body->v_offset; j < body->hinge_v; ++j) {
                t.v[j] = 0.0;
            }
            for (int j = 0; j < lb_scene_hinge_q_count[body->hinge.type]; ++j) {
                u.q[twin->hinge_q + j] = t.q[body->hinge_q + j];
            }
            for (int j = 0; j < lb_scene_hinge_v_count[body->hinge.type]; ++j) {
                u.v[twin->hinge_v + j] = t.v[body->hinge_v + j];
                column[twin->hinge_v + j] = body->hinge_v + j;
            }
            double mass, com[3], inertia[6];
            lb_get_mass_properties(t.model, k, &mass, com, inertia);
            // 1e-14: sums over some six nodes
            lb_expect_near("mass", mass, twin->mass, 1e-14);
            lb_expect_within("com", com, twin->com, 3, 1e-14);
            lb_expect_within("inertia", inertia, twin->inertia, 6, 1e-14);
        }
        double *M = lb_make_numbers((size_t)n * (size_t)n), *c = lb_make_numbers((size_t)n);
        double *N = lb_make_numbers((size_t)m * (size_t)m), *d = lb_make_numbers((size_t)m);
        double *M_hinges = lb_make_numbers((size_t)m * (size_t)m);
        double *c_hinges = lb_make_numbers((size_t)m);
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
        lb_expect_ok(lb_compute_bias(t.model, t.work, t.q, t.v, c));
        lb_expect_ok(lb_compute_mass_matrix(u.model, u.work, u.q, N));
        lb_expect_ok(lb_compute_bias(u.model, u.work, u.q, u.v, d));
        for (int r = 0; r < m; ++r) {
            c_hinges[r] = c[column[r]];
            for (int s = 0; s < m; ++s) {
                M_hinges[r * m + s] = M[column[r] * n + column[s]];
            }
        }
        // 1e-12: sums over at most 9 bodies, some of which cancel
        lb_expect_close("mass matrix", M_hinges, N, (size_t)m * (size_t)m, 1e-12);
        lb_expect_close("bias", c_hinges, d, m, 1e-12);
        free(M);
        free(N);
        free(c);
        free(d);
        free(M_hinges);
        free(c_hinges);
        free(column);
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

// Driving every hinge with no acceleration and looking at the modes alone: a cantilever at rest,
// without gravity, is M_ff eta_ddot + K eta = 0.
static void held_cantilever_vibrates_by_its_own_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        lb_tree_options options = lb_get_flexible_tree(0);
        options.body_count = 1;
        options.rigid_percent = 0;
        options.gravity = 0.0;
        options.hinges = LB_HINGE_BIT(LB_HINGE_FIXED);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const lb_scene_flex *flex = t.scene->bodies[0].flex;
        const int n = t.v_count;
        double *M = lb_make_numbers((size_t)n * (size_t)n), *x = lb_make_numbers((size_t)n);
        double *expected = lb_make_numbers((size_t)n);
        memset(t.v, 0, (size_t)n * sizeof *t.v);

        // point masses, no second order: M_ff = sum m gamma' gamma, whatever the deformation
        double *plain = lb_make_numbers((size_t)n * (size_t)n);
        for (int j = 0; j < flex->options.node_count; ++j) {
            const lb_flex_node *node = &flex->nodes[j];
            for (int r = 0; r < n; ++r) {
                for (int s = 0; s < n; ++s) {
                    for (int axis = 3; axis < 6; ++axis) {
                        plain[r * n + s] +=
                            node->mass * node->shape[6 * r + axis] * node->shape[6 * s + axis];
                    }
                }
            }
        }
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
        // 1e-13: sums over some six nodes
        lb_expect_close("M_ff", M, plain, (size_t)n * (size_t)n, 1e-13);

        // inverse dynamics: M_ff a + K eta
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, x));
        for (int r = 0; r < n; ++r) {
            for (int s = 0; s < n; ++s) {
                expected[r] +=
                    plain[r * n + s] * t.a[s] + flex->options.stiffness[r * n + s] * t.q[s];
            }
        }
        lb_expect_close("forces", x, expected, n, 1e-13);
        free(M);
        free(x);
        free(expected);
        free(plain);
        lb_end_trial(&t);
    }
}

// The order of nodes, and a node split in two of half the mass, change nothing.
static void splitting_a_node_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.body_count = 2;
        options.rigid_percent = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_scene *split = lb_create_tree(&options, t.seed);
        for (int k = 0; k < split->body_count; ++k) {
            // a second copy of every node behind the first, each with half of the mass
            lb_scene_flex *flex = split->bodies[k].flex;
            const size_t n = (size_t)flex->options.node_count;
            lb_flex_node *nodes = calloc(2 * n, sizeof *nodes);
            char(*names)[16] = calloc(2 * n, sizeof *names);
            assert_non_null(nodes);
            assert_non_null(names);
            for (size_t j = 0; j < 2 * n; ++j) {
                nodes[j] = flex->nodes[j % n];
                nodes[j].name = lb_get_scene_node_name((int)j + 1, names[j]);
                nodes[j].mass *= 0.5;
                for (int r = 0; r < 6; ++r) {
                    nodes[j].inertia[r] *= 0.5;
                }
            }
            free(flex->nodes);
            free(flex->names);
            flex->nodes = nodes;
            flex->names = names;
            flex->options.nodes = nodes;
            flex->options.node_count = 2 * (int)n;
        }
        lb_trial u = lb_begin_scene_trial(split, t.seed);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, t.q, t.v, t.tau, u.a));
        // 1e-11: other roundings when the sums over nodes are compressed, and cond(M) up to 1e4
        lb_expect_close("accelerations", u.a, t.a, t.v_count, 1e-11);
        // the workspace does not know how many nodes there are
        assert_int_equal(lb_get_work_size(u.model), lb_get_work_size(t.model));
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

// With point masses at the nodes and no second order, the modal integrals of appendix C leave nothing
// out.
static void appendix_c_is_consistent_for_point_masses(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.rotary_inertia = options.second_order = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        options.fidelity = LB_FIDELITY_APPENDIX_C;
        lb_trial u = lb_begin_scene_trial(lb_create_tree(&options, t.seed), t.seed);
        const size_t n = (size_t)t.v_count;
        double *M = lb_make_numbers(n * n), *N = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
        lb_expect_ok(lb_compute_mass_matrix(u.model, u.work, t.q, N));
        // 1e-12: the same sums over at most 9 bodies, grouped differently
        lb_expect_close("mass matrix", N, M, n * n, 1e-12);
        lb_expect_ok(lb_compute_bias(t.model, t.work, t.q, t.v, M));
        lb_expect_ok(lb_compute_bias(u.model, u.work, t.q, t.v, N));
        lb_expect_close("bias", N, M, n, 1e-12);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, M));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, t.q, t.v, t.tau, N));
        // 1e-11: cond(M) up to 1e4
        lb_expect_close("accelerations", N, M, n, 1e-11);
        free(M);
        free(N);
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

// ---- towards rigid bodies ----------------------------------------------------------------------

// Copies a state from a flexible scene to its rigid twin, hinge by hinge, and the forces with it.
static void lb_copy_hinges(const lb_trial *t, lb_trial *u)
{
    for (int k = 0; k < t->body_count; ++k) {
        const lb_scene_body *body = &t->scene->bodies[k], *twin = &u->scene->bodies[k];
        const lb_hinge_type type = body->hinge.type;
        memcpy(u->q + twin->hinge_q, t->q + body->hinge_q,
               (size_t)lb_scene_hinge_q_count[type] * sizeof *u->q);
        memcpy(u->v + twin->hinge_v, t->v + body->hinge_v,
               (size_t)lb_scene_hinge_v_count[type] * sizeof *u->v);
        memcpy(u->tau + twin->hinge_v, t->tau + body->hinge_v,
               (size_t)lb_scene_hinge_v_count[type] * sizeof *u->tau);
    }
}

// A chain whose modes have the stiffnesses 50 `scale` (1 + r), at rest, without damping.
static lb_trial lb_begin_stiff_chain(const lb_tree_options *options, uint64_t seed, double scale)
{
    lb_scene *scene = lb_create_tree(options, seed);
    for (int k = 0; k < scene->body_count; ++k) {
        const lb_scene_flex *flex = scene->bodies[k].flex;
        if (flex != NULL) {
            const int n = flex->options.mode_count;
            double *K = flex->numbers + 6 * n * flex->options.node_count;
            memset(K, 0, (size_t)(n * n) * sizeof *K);
            for (int r = 0; r < n; ++r) {
                K[r * n + r] = 50.0 * scale * (1 + r);
            }
        }
    }
    lb_trial t = lb_begin_scene_trial(scene, seed);
    for (int k = 0; k < t.body_count; ++k) {
        const lb_scene_body *body = &scene->bodies[k];
        for (int r = 0; r < body->hinge_v - body->v_offset; ++r) {
            t.q[body->q_offset + r] = t.v[body->v_offset + r] = 0.0;
            t.tau[body->v_offset + r] = 0.0;
        }
    }
    return t;
}

// How far the accelerations are from those of the rigid twin, the modes bent as the rigid motion
// bends them: K eta takes up all other forces on the modes.
static double lb_get_gap_to_rigid(const lb_tree_options *options, uint64_t seed, double scale)
{
    lb_trial t = lb_begin_stiff_chain(options, seed, scale);
    lb_trial u = lb_begin_scene_trial(lb_create_rigid_twin(options, t.scene), seed);
    const size_t n = (size_t)t.v_count;
    double *a = lb_make_numbers(n), *rigid = lb_make_numbers(n), *forces = lb_make_numbers(n);
    lb_copy_hinges(&t, &u);
    lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, u.q, u.v, u.tau, u.a));
    for (int k = 0; k < t.body_count; ++k) {
        memcpy(rigid + t.scene->bodies[k].hinge_v, u.a + u.scene->bodies[k].hinge_v,
               (size_t)lb_scene_hinge_v_count[t.scene->bodies[k].hinge.type] * sizeof *rigid);
    }
    // each round leaves 1 / scale of the error of the one before
    for (int round = 0; round < 5; ++round) {
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, rigid, forces));
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            const int modes = body->hinge_v - body->v_offset;
            for (int r = 0; r < modes; ++r) {
                t.q[body->q_offset + r] -=
                    forces[body->v_offset + r] / body->flex->options.stiffness[r * modes + r];
            }
        }
    }
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, a));
    const double gap = lb_get_gap(a, rigid, n);
    free(a);
    free(rigid);
    free(forces);
    lb_end_trial(&u);
    lb_end_trial(&t);
    return gap;
}

static void stiff_chain_moves_as_its_rigid_twin(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_tree_options options = lb_get_flexible_chain(i);
        options.undamped = 1;
        options.mixed_fidelity = i / 8 % 2;
        options.rigid_percent = 0;
        const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)i;
        const double soft = lb_get_gap_to_rigid(&options, seed, 1e6);
        const double hard = lb_get_gap_to_rigid(&options, seed, 1e8);
        // first order in the flexibility, until cond(M) up to 1e5 times round-off
        lb_expect_below("gap at 1e6", soft, 1e-3);
        lb_expect_below("gap at 1e8", hard, 0.0102 * soft + 1e-10);
    }
}

// The rigid bodies of a scene as flexible ones without modes: a node with the mass, and massless
// nodes where the hinges are.
static lb_scene *lb_create_modeless_twin(const lb_tree_options *options, uint64_t seed)
{
    lb_scene *scene = lb_create_tree(options, seed);
    for (int k = 0; k < scene->body_count; ++k) {
        lb_scene_body *body = &scene->bodies[k];
        lb_scene_flex *flex = calloc(1, sizeof *flex);
        assert_non_null(flex);
        flex->nodes = calloc(LB_SCENE_NODE_COUNT, sizeof *flex->nodes);
        flex->names = calloc(LB_SCENE_NODE_COUNT, sizeof *flex->names);
        assert_non_null(flex->nodes);
        assert_non_null(flex->names);
        for (int j = 0; j < LB_SCENE_NODE_COUNT; ++j) {
            const lb_scene_node *from = &body->nodes[(j + 1) % LB_SCENE_NODE_COUNT];
            flex->nodes[j] = lb_default_flex_node();
            flex->nodes[j].name = lb_get_scene_node_name(j + 1, flex->names[j]);
            memcpy(flex->nodes[j].position, from->position, sizeof from->position);
            memcpy(flex->nodes[j].rotation, from->rotation, sizeof from->rotation);
        }
        // the last is the one at the frame
        lb_flex_node *heavy = &flex->nodes[LB_SCENE_NODE_COUNT - 1];
        heavy->mass = body->mass;
        memcpy(heavy->offset, body->com, sizeof heavy->offset);
        memcpy(heavy->inertia, body->inertia, sizeof heavy->inertia);
        flex->use_count = 1;
        flex->options = lb_default_flex_options();
        flex->options.nodes = flex->nodes;
        flex->options.node_count = LB_SCENE_NODE_COUNT;
        flex->options.fidelity = k % 2 ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT;
        body->flex = flex;
    }
    lb_count_scene(scene);
    return scene;
}

static void flexible_body_without_modes_is_a_rigid_body_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_trial u = lb_begin_scene_trial(lb_create_modeless_twin(&options, t.seed), t.seed);
        const size_t count = lb_count_everything(t.model);
        assert_int_equal(lb_count_everything(u.model), count);
        double *x = lb_make_numbers(count), *y = lb_make_numbers(count);
        lb_expect_ok(lb_evaluate_everything(&t, t.work, t.derivatives, x));
        lb_expect_ok(lb_evaluate_everything(&u, u.work, u.derivatives, y));
        assert_memory_equal(x, y, count * sizeof *x);
        // and it costs what a rigid body costs
        assert_int_equal(lb_get_work_size(u.model), lb_get_work_size(t.model));
        free(x);
        free(y);
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undeformed_tree_has_the_hinge_dynamics_of_its_rigid_twin),
        cmocka_unit_test(held_cantilever_vibrates_by_its_own_matrices),
        cmocka_unit_test(splitting_a_node_changes_nothing),
        cmocka_unit_test(appendix_c_is_consistent_for_point_masses),
        cmocka_unit_test(stiff_chain_moves_as_its_rigid_twin),
        cmocka_unit_test(flexible_body_without_modes_is_a_rigid_body_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
