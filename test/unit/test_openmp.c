// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Several cores: what is refused, and the bits of one thread. Also run where the
// library is built without OpenMP, and under the thread sanitizer.
#include <limber/openmp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void there_is_at_least_one_thread(void **state)
{
    (void)state;
    assert_true(lb_make_openmp_team(0).thread_count >= 1);
    const int two = lb_make_openmp_team(2).thread_count;
    assert_true(two == 2 || two == 1); // without OpenMP
}

static void teams_without_functions_are_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 3;
    lb_trial t = lb_begin_trial(&options, 1);
    lb_batch_options given = lb_default_batch_options();
    given.team.thread_count = 2;
    assert_null(lb_create_batch(t.model, &given));
    given = lb_default_batch_options();
    given.size += 8; // of a newer version
    assert_null(lb_create_batch(t.model, &given));
    lb_end_trial(&t);
}

static void two_threads_give_the_bits_of_one(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 12;
    lb_trial t = lb_begin_trial(&options, 1);
    const size_t nq = (size_t)t.q_count, nv = (size_t)t.v_count;
    double *q = lb_make_numbers(COUNT * nq), *v = lb_make_numbers(COUNT * nv);
    double *one = lb_make_numbers(COUNT * nv), *two = lb_make_numbers(COUNT * nv);
    for (size_t s = 0; s < COUNT; ++s) {
        memcpy(q + s * nq, t.q, nq * sizeof *q);
        for (size_t i = 0; i < nv; ++i) {
            v[s * nv + i] = t.v[i] * (double)(s + 1);
        }
    }
    lb_batch_options batch_options = lb_default_batch_options();
    lb_batch *single = lb_create_batch(t.model, &batch_options);
    batch_options.team = lb_make_openmp_team(2);
    lb_batch *both = lb_create_batch(t.model, &batch_options);
    lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, single, COUNT, q, v, NULL, one));
    lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, both, COUNT, q, v, NULL, two));
    assert_memory_equal(two, one, COUNT * nv * sizeof *one);
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, single, COUNT, q, v, NULL, one));
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, both, COUNT, q, v, NULL, two));
    assert_memory_equal(two, one, COUNT * nv * sizeof *one);
    lb_destroy_batch(single);
    lb_destroy_batch(both);

    lb_work_options work_options = lb_default_work_options();
    work_options.algorithm = LB_ALGORITHM_DIVIDE_AND_CONQUER;
    lb_work *alone, *shared;
    lb_expect_ok(lb_create_work_with(t.model, &work_options, &alone));
    work_options.team = lb_make_openmp_team(2);
    lb_expect_ok(lb_create_work_with(t.model, &work_options, &shared));
    lb_expect_ok(lb_compute_forward_dynamics(t.model, alone, t.q, t.v, t.tau, one));
    lb_expect_ok(lb_compute_forward_dynamics(t.model, shared, t.q, t.v, t.tau, two));
    assert_memory_equal(two, one, nv * sizeof *one);
    lb_destroy_work(alone);
    lb_destroy_work(shared);
    free(q);
    free(v);
    free(one);
    free(two);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_at_least_one_thread),
        cmocka_unit_test(teams_without_functions_are_refused),
        cmocka_unit_test(two_threads_give_the_bits_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
