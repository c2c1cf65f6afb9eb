// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Workspaces: the caller's memory, and the stages that read-outs depend on.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"

// Statuses of all read-outs at once, so that a test can say which of them must work.
enum { LB_POSITIONS = 1, LB_VELOCITIES = 2, LB_ACCELERATIONS = 4, LB_FORCES = 8, LB_INERTIAS = 16 };

static lb_status lb_need_stage(int have, int needed)
{
    return (have & needed) == needed ? LB_OK : LB_E_STAGE;
}

static void lb_expect_stage(lb_trial *t, int have)
{
    const size_t n = (size_t)t->v_count;
    double *J = lb_make_numbers(6 * n), *x = lb_make_numbers(n), six[6], full[36], kinetic;
    double *reactions = lb_make_numbers(6 * (size_t)t->body_count);
    lb_node_motion motion;
    lb_system_motion system;
    const int moving = LB_POSITIONS | LB_VELOCITIES;
    assert_int_equal(lb_compute_jacobian(t->model, t->work, 0, 0, LB_AXES_WORLD, J),
                     lb_need_stage(have, LB_POSITIONS));
    assert_int_equal(lb_compute_jacobian_rate(t->model, t->work, 0, 0, LB_AXES_WORLD, six),
                     lb_need_stage(have, moving));
    assert_int_equal(lb_compute_energy(t->model, t->work, &kinetic, NULL),
                     lb_need_stage(have, moving));
    assert_int_equal(lb_compute_system_motion(t->model, t->work, &system),
                     lb_need_stage(have, moving));
    assert_int_equal(lb_compute_node_motion(t->model, t->work, 0, 0, &motion),
                     lb_need_stage(have, moving | LB_ACCELERATIONS));
    assert_int_equal(lb_compute_reactions(t->model, t->work, NULL, reactions),
                     lb_need_stage(have, moving | LB_ACCELERATIONS | LB_FORCES));
    assert_int_equal(lb_compute_admittance(t->model, t->work, 0, 0, LB_AXES_WORLD, full),
                     lb_need_stage(have, LB_POSITIONS | LB_INERTIAS));
    assert_int_equal(lb_solve_mass_matrix(t->model, t->work, t->tau, x),
                     lb_need_stage(have, LB_POSITIONS | LB_INERTIAS));
    free(J);
    free(x);
    free(reactions);
}

static void read_outs_refuse_what_has_not_been_computed(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(3), 1);
    const int moving = LB_POSITIONS | LB_VELOCITIES | LB_ACCELERATIONS;
    double M[9];
    unsigned char driven[3] = {0, 1, 0};
    lb_expect_stage(&t, 0);
    lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
    lb_expect_stage(&t, LB_POSITIONS);
    lb_expect_ok(lb_compute_articulated_inertia(t.model, t.work, t.q));
    lb_expect_stage(&t, LB_POSITIONS | LB_INERTIAS);
    // kinematics of another state makes the inertias stale, and leaves no forces
    lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, t.a));
    lb_expect_stage(&t, moving);
    lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
    lb_expect_stage(&t, moving | LB_FORCES);
    lb_expect_ok(lb_compute_bias(t.model, t.work, t.q, t.v, t.tau));
    lb_expect_stage(&t, moving | LB_FORCES);
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    lb_expect_stage(&t, moving | LB_FORCES | LB_INERTIAS);
    // a lesser call lowers the stage again
    lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
    lb_expect_stage(&t, LB_POSITIONS);
    lb_expect_ok(lb_tree_composite(t.model, t.work, t.q, t.v, t.tau, M, t.a));
    lb_expect_stage(&t, moving | LB_FORCES);
    lb_expect_ok(lb_compute_mass_matrix_inverse(t.model, t.work, t.q, M));
    lb_expect_stage(&t, LB_POSITIONS | LB_INERTIAS);
    // with driven hinges, articulated inertias are those of another system
    lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, t.a));
    lb_expect_stage(&t, moving | LB_FORCES);
    lb_end_trial(&t);
}

static void any_address_will_do(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 0);
    const size_t size = lb_get_work_size(t.model);
    const size_t bytes = (size_t)t.v_count * sizeof(double);
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    double *a = lb_make_numbers((size_t)t.v_count);
    for (size_t shift = 0; shift < 80; shift += 3) {
        // exactly as much as asked for, and a fence on both sides
        unsigned char *memory = malloc(shift + size + 8);
        assert_non_null(memory);
        memset(memory, 0xa5, shift + size + 8);
        lb_work *work = NULL;
        lb_expect_ok(lb_init_work(t.model, memory + shift, size, &work));
        assert_non_null(work);
        // aligned inside, wherever the memory starts
        assert_int_equal((uintptr_t)work % _Alignof(max_align_t), 0);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, work, t.q, t.v, t.tau, a));
        assert_memory_equal(a, t.a, bytes);
        for (size_t i = 0; i < shift; ++i) {
            assert_int_equal(memory[i], 0xa5);
        }
        for (size_t i = 0; i < 8; ++i) {
            assert_int_equal(memory[shift + size + i], 0xa5);
        }
        free(memory);
    }
    free(a);
    lb_end_trial(&t);
}

static void too_little_memory_is_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 0);
    const size_t size = lb_get_work_size(t.model);
    unsigned char *memory = malloc(size);
    assert_non_null(memory);
    lb_work *work = NULL;
    assert_int_equal(lb_init_work(t.model, memory, size - 1, &work), LB_E_MEMORY);
    assert_null(work);
    assert_int_equal(lb_init_work(t.model, memory, 0, &work), LB_E_MEMORY);
    assert_null(work);
    lb_expect_ok(lb_init_work(t.model, memory, size, &work));
    free(memory);
    lb_end_trial(&t);
}

// At most 1 kB a rigid body: what the sweeps touch stays in the cache.
static void rigid_body_takes_at_most_a_kilobyte(void **state)
{
    (void)state;
    lb_scene *few = lb_create_revolute_chain(100), *many = lb_create_revolute_chain(200);
    lb_model *small = lb_build_scene(few), *large = lb_build_scene(many);
    assert_non_null(small);
    assert_non_null(large);
    assert_true(lb_get_work_size(large) - lb_get_work_size(small) <= 100 * 1024);
    lb_destroy_model(small);
    lb_destroy_model(large);
    lb_destroy_scene(few);
    lb_destroy_scene(many);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_outs_refuse_what_has_not_been_computed),
        cmocka_unit_test(any_address_will_do),
        cmocka_unit_test(too_little_memory_is_refused),
        cmocka_unit_test(rigid_body_takes_at_most_a_kilobyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
