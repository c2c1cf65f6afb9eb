// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Several cores: how a batch is cut, what is refused, and the bits of one thread. Also run where the
// library is built without OpenMP, and under the thread sanitizer.
#include <limber/openmp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void batches_are_cut_at_multiples_of_eight(void **state)
{
    (void)state;
    for (int count = 0; count < 100; ++count) {
        for (int pieces = 1; pieces < 20; ++pieces) {
            assert_int_equal(lb_get_batch_start(count, pieces, 0), 0);
            assert_int_equal(lb_get_batch_start(count, pieces, pieces), count);
            for (int i = 0; i < pieces; ++i) {
                const int start = lb_get_batch_start(count, pieces, i);
                const int size = lb_get_batch_start(count, pieces, i + 1) - start;
                assert_true(start % 8 == 0 || start == count);
                // nearly equal: the eights, rounded up
                assert_in_range(size, 0, 8 * ((count + 7) / 8 / pieces + 1));
            }
        }
    }
    // the product of count and i does not overflow
    assert_int_equal(lb_get_batch_start(2000000000, 1000, 999), 1998000000);
}

static void there_is_at_least_one_thread(void **state)
{
    (void)state;
    assert_true(lb_get_openmp_thread_count() >= 1);
}

static void fewer_threads_than_one_are_refused(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 3;
    lb_trial t = lb_begin_trial(&options, 1);
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, NULL, &division));
    lb_batch_work *work = lb_create_batch_work(t.model);
    double *M = lb_make_numbers((size_t)t.v_count * (size_t)t.v_count);
    assert_int_equal(
        lb_compute_forward_dynamics_batch_openmp(t.model, 0, &work, 1, t.q, t.v, t.tau, t.a),
        LB_E_ARGUMENT);
    assert_int_equal(
        lb_compute_inverse_dynamics_batch_openmp(t.model, 0, &work, 1, t.q, t.v, t.a, t.tau),
        LB_E_ARGUMENT);
    assert_int_equal(lb_compute_mass_matrix_batch_openmp(t.model, -1, &work, 1, t.q, M),
                     LB_E_ARGUMENT);
    assert_int_equal(lb_compute_forward_dynamics_divided_openmp(t.model, t.work, division, 0, t.q,
                                                                t.v, NULL, t.tau, NULL, t.a),
                     LB_E_ARGUMENT);
    free(M);
    lb_destroy_batch_work(work);
    lb_destroy_division(division);
    lb_end_trial(&t);
}

static void two_threads_give_the_bits_of_one(void **state)
{
    (void)state;
    enum { COUNT = 20 };
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
    lb_batch_work *works[2] = {lb_create_batch_work(t.model), lb_create_batch_work(t.model)};
    lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, works[0], COUNT, q, v, NULL, one));
    lb_expect_ok(
        lb_compute_forward_dynamics_batch_openmp(t.model, 2, works, COUNT, q, v, NULL, two));
    assert_memory_equal(two, one, COUNT * nv * sizeof *one);
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, works[0], COUNT, q, v, NULL, one));
    lb_expect_ok(
        lb_compute_inverse_dynamics_batch_openmp(t.model, 2, works, COUNT, q, v, NULL, two));
    assert_memory_equal(two, one, COUNT * nv * sizeof *one);
    lb_destroy_batch_work(works[0]);
    lb_destroy_batch_work(works[1]);

    lb_division_options division_options = lb_default_division_options();
    division_options.thread_count = 2;
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, &division_options, &division));
    lb_expect_ok(
        lb_compute_forward_dynamics_divided(t.model, t.work, division, t.q, t.v, t.tau, one));
    lb_expect_ok(lb_compute_forward_dynamics_divided_openmp(t.model, t.work, division, 2, t.q, t.v,
                                                            NULL, t.tau, NULL, two));
    assert_memory_equal(two, one, nv * sizeof *one);
    lb_destroy_division(division);
    free(q);
    free(v);
    free(one);
    free(two);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_cut_at_multiples_of_eight),
        cmocka_unit_test(there_is_at_least_one_thread),
        cmocka_unit_test(fewer_threads_than_one_are_refused),
        cmocka_unit_test(two_threads_give_the_bits_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
