// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From the first evaluation on, nothing allocates: malloc and its kin are replaced by counters.
#include <stdlib.h>

#include "dynamics/divide/division.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "everything.h"
#include "own_malloc.h"

#if LB_OWN_MALLOC

static void evaluation_allocates_nothing(void **state)
{
    (void)state;
    for (int shape = 0; shape < LB_SHAPE_COUNT; ++shape) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 30;
        options.root_count = 2;
        options.shape = (lb_shape)shape;
        options.mode_max = 4;
        options.rigid_percent = 50;
        options.free_free = 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)shape);
        double *out = lb_make_numbers(lb_count_everything(t.model));
        lb_division *division;
        lb_expect_ok(lb_create_division(t.model, NULL, &division));
        // the counters do count
        const long before = lb_malloc_count, freed_before = lb_free_count;
        assert_true(before > 0);
        const lb_status status = lb_evaluate_everything(&t, t.work, t.derivatives, out);
        const lb_status divided =
            lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, out);
        const long after = lb_malloc_count, freed_after = lb_free_count;
        lb_expect_ok(status);
        lb_expect_ok(divided);
        assert_int_equal(after - before, 0);
        assert_int_equal(freed_after - freed_before, 0);
        lb_destroy_division(division);
        free(out);
        lb_end_trial(&t);
    }
}

// Loops that meet at a body, one released and made again, heavy legs that take more than one go.
static void loops_at_hubs_allocate_nothing(void **state)
{
    (void)state;
    lb_scene *scene = lb_create_platform(8, LB_LOOP_WELD);
    for (int k = 1; k < scene->body_count; ++k) {
        scene->bodies[k].mass *= 1e8;
    }
    scene->spare_count = 1;
    lb_trial t = lb_begin_scene_trial(scene, 1);
    double *a = lb_make_numbers((size_t)t.v_count), *dv = lb_make_numbers((size_t)t.v_count);
    double *r = lb_make_numbers(6 * (size_t)lb_get_loop_capacity(t.model));
    const lb_loop_ends ends = {
        .size = sizeof ends, .body_a = LB_GROUND, .body_b = 0, .type = LB_LOOP_SPHERICAL};
    const long before = lb_malloc_count, freed_before = lb_free_count;
    int good = 1;
    for (int turn = 0; turn < 3; ++turn) {
        good = good && lb_set_loop_active(t.model, t.work, 2, turn != 1) == LB_OK;
        good = good && (turn == 0 || lb_make_loop(t.model, t.work, 8, &ends, NULL) == LB_OK);
        good = good &&
               lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, NULL) >= LB_OK;
        good = good && lb_factor_loops(t.model, t.work, t.q, NULL) >= LB_OK;
        good = good && lb_solve_loops(t.model, t.work, r, dv, NULL) == LB_OK;
        good = good && lb_compute_impulse(t.model, t.work, t.q, t.v, NULL, NULL, NULL) >= LB_OK;
    }
    const long after = lb_malloc_count, freed_after = lb_free_count;
    assert_true(good);
    assert_int_equal(after - before, 0);
    assert_int_equal(freed_after - freed_before, 0);
    free(a);
    free(dv);
    free(r);
    lb_end_trial(&t);
}

#else

static void evaluation_allocates_nothing(void **state)
{
    (void)state;
    skip();
}

static void loops_at_hubs_allocate_nothing(void **state)
{
    (void)state;
    skip();
}

#endif

// The model's own allocator: everything through it, everything given back, nothing in evaluation.
typedef struct lb_ledger {
    long allocated, released;
} lb_ledger;

static void *lb_ledger_allocate(void *user, size_t size)
{
    ++((lb_ledger *)user)->allocated;
    return malloc(size);
}

static void lb_ledger_release(void *user, void *memory)
{
    if (memory != NULL) {
        ++((lb_ledger *)user)->released;
    }
    free(memory);
}

static void model_and_workspace_use_the_given_allocator_only(void **state)
{
    (void)state;
    lb_ledger ledger = {0, 0};
    const lb_allocator allocator = {lb_ledger_allocate, lb_ledger_release, &ledger};
    lb_builder *builder = lb_create_builder(&allocator, NULL);
    assert_non_null(builder);
    lb_body_options body = lb_default_body_options();
    body.name = "pendulum";
    body.hinge.type = LB_HINGE_REVOLUTE;
    body.hinge.axis[0] = 1.0;
    body.mass = 1.0;
    body.com[2] = -1.0;
    int index;
    lb_model *model;
    lb_expect_ok(lb_add_body(builder, &body, &index));
    lb_expect_ok(lb_add_node(builder, index, "tip", NULL, NULL));
#if LB_OWN_MALLOC
    const long before = lb_malloc_count, own = ledger.allocated;
#endif
    lb_expect_ok(lb_build_model(builder, &model));
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
#if LB_OWN_MALLOC
    // every allocation went through the hook, and there were some
    assert_true(ledger.allocated > own);
    assert_int_equal(lb_malloc_count - before, ledger.allocated - own);
#endif
    const double q = 0.5, v = 1.0;
    double a;
    const long evaluating = ledger.allocated;
    lb_expect_ok(lb_tree_forward(model, work, &q, &v, NULL, &a));
    assert_int_equal(ledger.allocated, evaluating);
    lb_destroy_work(work);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    assert_int_equal(ledger.allocated, ledger.released);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_allocates_nothing),
        cmocka_unit_test(loops_at_hubs_allocate_nothing),
        cmocka_unit_test(model_and_workspace_use_the_given_allocator_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
