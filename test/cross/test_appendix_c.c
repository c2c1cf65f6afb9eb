// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies of fidelity `appendix-c` in models: their mass matrix and bias are those of the integrals,
// the acceleration across hinges is that of section C.3, and the recursions agree with each other.
#include <stdlib.h>
#include <string.h>

#include "dynamics/tree/tree.h"
#include "modal_body.h"

typedef struct lb_seen {
    lb_vec3 x, w, v, w_dot, v_dot;
    lb_mat3 R;
} lb_seen;

static lb_seen lb_see(const lb_model *model, lb_work *work, int body, int node)
{
    lb_node_motion motion;
    lb_expect_ok(lb_compute_node_motion(model, work, body, node, &motion));
    const lb_seen s = {
        lb_vec3_from(motion.position),         lb_vec3_from(motion.velocity),
        lb_vec3_from(motion.velocity + 3),     lb_vec3_from(motion.acceleration),
        lb_vec3_from(motion.acceleration + 3), lb_quat_to_mat3(lb_quat_from(motion.rotation))};
    return s;
}

// The body on a free hinge; with `hinge` a second one like it hangs by its own node n2 on n1 of the
// first.
static lb_model *lb_build_bodies(const lb_modal_body *b, const double *stiffness,
                                 const lb_hinge_options *hinge)
{
    const lb_flex_options flex = {.size = sizeof flex,
                                  .fidelity = LB_FIDELITY_APPENDIX_C,
                                  .mode_count = LB_MODES,
                                  .node_count = LB_NODES,
                                  .nodes = b->nodes,
                                  .stiffness = stiffness};
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options options = lb_default_body_options();
    lb_model *model = NULL;
    options.name = "first";
    options.hinge.type = LB_HINGE_FREE;
    options.flex = &flex;
    lb_expect_ok(lb_add_body(builder, &options, NULL));
    if (hinge) {
        options.name = "second";
        options.parent = "first";
        options.at = "n1";
        options.by = "n2";
        options.hinge = *hinge;
        lb_expect_ok(lb_add_body(builder, &options, NULL));
    }
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static lb_vec3 lb_displacement(const lb_flex_node *node, const double *eta)
{
    lb_vec3 dl = {0, 0, 0};
    for (int r = 0; r < LB_MODES; ++r) {
        dl = lb_vec3_axpy(dl, eta[r], lb_vec3_from(node->shape + 6 * r + 3));
    }
    return dl;
}

// The library turns nodes finitely. Where eta_dot is along eta that makes no difference to rates and
// their derivatives, so that a_mR must be met at any deformation.
static void hinge_acceleration_is_that_of_a_model(void **state)
{
    (void)state;
    const lb_hinge_options hinges[] = {
        {LB_HINGE_REVOLUTE, {1, 2, -1}, {{0}}, 0}, {LB_HINGE_PRISMATIC, {0, 1, 1}, {{0}}, 0},
        {LB_HINGE_SCREW, {1, 0, 2}, {{0}}, 0.4},   {LB_HINGE_CYLINDRICAL, {1, 1, 1}, {{0}}, 0},
        {LB_HINGE_SPHERICAL, {0}, {{0}}, 0},       {LB_HINGE_FREE, {0}, {{0}}, 0},
    };
    for (size_t i = 0; i < sizeof hinges / sizeof *hinges; ++i) {
        lb_modal_body *b = lb_create_modal_body(10 + i);
        lb_random random;
        lb_seed_random(&random, lb_get_base_seed() + i);
        const double soft[LB_MODES * LB_MODES] = {0};
        lb_model *model = lb_build_bodies(b, soft, &hinges[i]);
        lb_work *work = lb_create_work(model);
        double q[2 * LB_MODES + 14], v[2 * LB_MODES + 12];
        lb_get_neutral_configuration(model, q);
        lb_draw_vector(&random, lb_get_v_count(model), 1.0, v);
        double step[2 * LB_MODES + 14];
        lb_integrate_configuration(model, q, v, step);
        memcpy(q, step, (size_t)lb_get_q_count(model) * sizeof *q);
        lb_draw_vector(&random, lb_get_v_count(model), 1.0, v);
        for (int body = 0; body < 2; ++body) {
            for (int r = 0; r < LB_MODES; ++r) {
                q[lb_get_q_offset(model, body) + r] = 0.3 * v[lb_get_v_offset(model, body) + r];
            }
        }
        lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
        const lb_seen p = lb_see(model, work, 0, 0), k = lb_see(model, work, 1, 0);
        const lb_seen t = lb_see(model, work, 0, 1), O = lb_see(model, work, 1, 2);

        lb_hinge_deformation h = {.omega_p = p.w};
        h.dw_t = lb_vec3_sub(t.w, p.w);
        h.dv_t = lb_vec3_sub(lb_vec3_sub(t.v, p.v), lb_vec3_cross(p.w, lb_vec3_sub(t.x, p.x)));
        h.Dw = lb_vec3_sub(O.w, t.w);
        h.Dv = lb_vec3_sub(lb_vec3_sub(O.v, t.v), lb_vec3_cross(t.w, lb_vec3_sub(O.x, t.x)));
        h.dw_d = lb_vec3_sub(O.w, k.w);
        h.dv_d = lb_vec3_sub(lb_vec3_sub(O.v, k.v), lb_vec3_cross(k.w, lb_vec3_sub(O.x, k.x)));
        h.dl_t = lb_times(p.R, lb_displacement(&b->nodes[0], q + lb_get_q_offset(model, 0)));
        h.dl_d = lb_times(k.R, lb_displacement(&b->nodes[1], q + lb_get_q_offset(model, 1)));
        const lb_vec3 l = lb_vec3_sub(k.x, p.x);
        h.l0_pk = lb_vec3_add(lb_vec3_sub(l, h.dl_t), h.dl_d);
        h.l0_tk = lb_vec3_add(lb_vec3_sub(k.x, t.x), h.dl_d);
        h.l0_Ok = lb_vec3_add(lb_vec3_sub(k.x, O.x), h.dl_d);

        // alpha(k) - phi*(k+1,k) alpha(k+1): beta_dot and eta_ddot are zero
        const lb_vec6 a = lb_compute_hinge_coriolis(&h);
        const lb_vec3 linear =
            lb_vec3_sub(lb_vec3_sub(k.v_dot, p.v_dot), lb_vec3_cross(p.w_dot, l));
        const lb_vec6 reference = {lb_vec3_sub(k.w_dot, p.w_dot), linear};
        lb_expect_close(lb_get_hinge_type_name(hinges[i].type), &a.w.x, &reference.w.x, 6, 1e-12);
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_destroy_modal_body(b);
    }
}

// One free body: the mass matrix is M_m, and c = b_m + K eta + M_m (0, 0, w x v), since the speeds
// of a free hinge are components in the body's axes.
static void a_free_body_moves_by_its_integrals(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; ++seed) {
        lb_modal_body *b = lb_create_modal_body(20 + seed);
        double K[LB_MODES * LB_MODES] = {0};
        for (int r = 0; r < LB_MODES; ++r) {
            K[r * (LB_MODES + 1)] = 10.0 + r;
        }
        lb_model *model = lb_build_bodies(b, K, NULL);
        lb_work *work = lb_create_work(model);

        double q[LB_MODES + 7], v[LB_SIZE], M[LB_SIZE * LB_SIZE], whole[LB_SIZE * LB_SIZE];
        double c[LB_SIZE], reference[LB_SIZE];
        lb_random random;
        lb_seed_random(&random, seed);
        memcpy(q, b->eta, sizeof b->eta);
        lb_draw_quaternion(&random, q + LB_MODES);
        lb_draw_vector(&random, 3, 1.0, q + LB_MODES + 4);
        memcpy(v, b->eta_dot, sizeof b->eta_dot);
        memcpy(v + LB_MODES, b->omega, sizeof b->omega);
        lb_draw_vector(&random, 3, 1.0, v + LB_MODES + 3);

        lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
        lb_compute_modal_mass(&b->I, &b->D, whole);
        lb_expect_close("mass matrix", M, whole, LB_SIZE * LB_SIZE, 1e-13);
        lb_expect_ok(lb_compute_bias(model, work, q, v, c));
        lb_compute_modal_bias(&b->I, &b->D, b->eta_dot, b->omega, reference);
        double carried[3];
        lb_vec3_to(lb_vec3_cross(lb_vec3_from(b->omega), lb_vec3_from(v + LB_MODES + 3)), carried);
        for (int i = 0; i < LB_SIZE; ++i) {
            reference[i] += i < LB_MODES ? K[i * (LB_MODES + 1)] * b->eta[i] : 0.0;
            for (int k = 0; k < 3; ++k) {
                reference[i] += whole[i * LB_SIZE + LB_MODES + 3 + k] * carried[k];
            }
        }
        lb_expect_close("bias", c, reference, LB_SIZE, 1e-13);
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_destroy_modal_body(b);
    }
}

// A tree of bodies of this fidelity: forward undoes inverse, and composite bodies agree.
static void recursions_agree_on_trees(void **state)
{
    (void)state;
    for (int i = 0; i < 30; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.second_order = 0;
        options.fidelity = LB_FIDELITY_APPENDIX_C;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *M = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
        // 1e-9: cond(M) of random trees is up to 1e6
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, a));
        lb_expect_close("articulated", a, t.a, n, 1e-9);
        lb_expect_ok(lb_tree_composite(t.model, t.work, t.q, t.v, t.tau, M, a));
        lb_expect_close("composite", a, t.a, n, 1e-9);
        free(a);
        free(M);
        lb_end_trial(&t);
    }
}

// Where nodes have neither inertia nor offset, `consistent` without second order is the same.
static void point_masses_move_as_consistent_ones(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.rotary_inertia = options.second_order = 0;
        lb_trial consistent = lb_begin_trial(&options, (uint64_t)i);
        options.fidelity = LB_FIDELITY_APPENDIX_C;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
        lb_expect_ok(lb_compute_inverse_dynamics(consistent.model, consistent.work, t.q, t.v, t.a,
                                                 consistent.tau));
        lb_expect_close("tau", t.tau, consistent.tau, n, 1e-13);
        lb_end_trial(&t);
        lb_end_trial(&consistent);
    }
}

// ---- building ----------------------------------------------------------------------------------

typedef struct lb_purse {
    int left; // allocations that still succeed
    int held;
} lb_purse;

static void *lb_purse_allocate(void *user, size_t size)
{
    lb_purse *purse = user;
    void *memory = purse->left-- > 0 ? malloc(size) : NULL;
    purse->held += memory != NULL;
    return memory;
}

static void lb_purse_release(void *user, void *memory)
{
    ((lb_purse *)user)->held -= memory != NULL;
    free(memory);
}

// A body of many modes, so that its arrays do not fit into what the builder takes at once.
static lb_status lb_build_large(const lb_allocator *allocator, int modes, lb_fidelity fidelity,
                                const lb_second_order *second_order)
{
    const size_t n = (size_t)modes;
    lb_random random;
    lb_seed_random(&random, 1);
    double *numbers = lb_make_numbers(6 * n + n * n);
    lb_draw_vector(&random, 6 * modes, 1.0, numbers);
    lb_flex_node node = lb_default_flex_node();
    node.name = "node";
    node.mass = 1.0;
    node.offset[0] = 0.1;
    node.shape = numbers;
    node.second_order = second_order;
    node.second_order_count = second_order != NULL;
    const lb_flex_options flex = {.size = sizeof flex,
                                  .fidelity = fidelity,
                                  .mode_count = modes,
                                  .node_count = 1,
                                  .nodes = &node,
                                  .stiffness = numbers + 6 * n};
    lb_body_options body = lb_default_body_options();
    body.name = "body";
    body.flex = &flex;
    lb_model *model = NULL;
    lb_status status = LB_E_MEMORY;
    lb_builder *builder = lb_create_builder(allocator, NULL);
    if (builder != NULL) {
        status = lb_add_body(builder, &body, NULL);
    }
    if (status == LB_OK) {
        status = lb_build_model(builder, &model);
    }
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    free(numbers);
    return status;
}

static void each_failing_allocation_is_survived(void **state)
{
    (void)state;
    int failures = 0;
    for (;; ++failures) {
        lb_purse purse = {failures, 0};
        const lb_allocator allocator = {lb_purse_allocate, lb_purse_release, &purse};
        const lb_status status = lb_build_large(&allocator, 20, LB_FIDELITY_APPENDIX_C, NULL);
        assert_int_equal(purse.held, 0);
        if (status == LB_OK) {
            break;
        }
        assert_int_equal(status, LB_E_MEMORY);
        assert_true(failures < 1000);
    }
    assert_true(failures > 8);
}

static void what_the_appendix_has_no_terms_for_is_refused(void **state)
{
    (void)state;
    const lb_second_order second = {0, 0, {0.1, 0.0, 0.0}};
    assert_int_equal(lb_build_large(NULL, 2, LB_FIDELITY_APPENDIX_C, &second), LB_E_MODEL);
    assert_int_equal(lb_build_large(NULL, 2, LB_FIDELITY_CONSISTENT, &second), LB_OK);
    assert_int_equal(lb_build_large(NULL, 201, LB_FIDELITY_APPENDIX_C, NULL), LB_E_MODEL);
    assert_int_equal(lb_build_large(NULL, 2, (lb_fidelity)3, NULL), LB_E_MODEL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinge_acceleration_is_that_of_a_model),
        cmocka_unit_test(a_free_body_moves_by_its_integrals),
        cmocka_unit_test(recursions_agree_on_trees),
        cmocka_unit_test(point_masses_move_as_consistent_ones),
        cmocka_unit_test(each_failing_allocation_is_survived),
        cmocka_unit_test(what_the_appendix_has_no_terms_for_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
