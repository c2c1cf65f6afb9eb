// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One model, many threads, each with its own workspace: the same bits as one thread.
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "everything.h"

enum { LB_THREAD_COUNT = 8, LB_ROUND_COUNT = 50 };

typedef struct lb_job {
    const lb_trial *trial;
    const double *expected;
    size_t count;
    int wrong; ///< rounds that failed or differed
} lb_job;

static void *lb_run_job(void *argument)
{
    lb_job *job = argument;
    lb_work *work = lb_create_work(job->trial->model);
    lb_derivative_work *derivatives = lb_create_derivative_work(job->trial->model);
    double *out = calloc(job->count, sizeof *out);
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        if (work == NULL || derivatives == NULL || out == NULL ||
            lb_evaluate_everything(job->trial, work, derivatives, out) != LB_OK ||
            memcmp(out, job->expected, job->count * sizeof *out) != 0) {
            ++job->wrong;
        }
    }
    free(out);
    lb_destroy_derivative_work(derivatives);
    lb_destroy_work(work);
    return NULL;
}

static void threads_sharing_a_model_get_the_bits_of_one(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 12;
    options.mode_max = 4;
    options.free_free = 1;
    options.second_order = 1;
    lb_trial t = lb_begin_trial(&options, 0);
    const size_t count = lb_count_everything(t.model);
    double *expected = lb_make_numbers(count);
    lb_expect_ok(lb_evaluate_everything(&t, t.work, t.derivatives, expected));

    pthread_t threads[LB_THREAD_COUNT];
    lb_job jobs[LB_THREAD_COUNT];
    for (int i = 0; i < LB_THREAD_COUNT; ++i) {
        jobs[i] = (lb_job){&t, expected, count, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, lb_run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < LB_THREAD_COUNT; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < LB_THREAD_COUNT; ++i) {
        assert_int_equal(jobs[i].wrong, 0);
    }
    free(expected);
    lb_end_trial(&t);
}

// A workspace keeps nothing that a later call could trip over: used before or fresh, the same bits.
static void used_and_fresh_workspaces_give_the_same_bits(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 12;
    options.mode_max = 4;
    options.free_free = 1;
    options.second_order = 1;
    lb_trial t = lb_begin_trial(&options, 1);
    const size_t count = lb_count_everything(t.model);
    double *first = lb_make_numbers(count), *second = lb_make_numbers(count);
    lb_expect_ok(lb_evaluate_everything(&t, t.work, t.derivatives, first));
    // somewhere else in between
    double *q = t.q;
    t.q = lb_make_numbers((size_t)t.q_count);
    lb_get_neutral_configuration(t.model, t.q);
    lb_expect_ok(lb_evaluate_everything(&t, t.work, t.derivatives, second));
    free(t.q);
    t.q = q;
    memset(second, 0, count * sizeof *second);
    lb_expect_ok(lb_evaluate_everything(&t, t.work, t.derivatives, second));
    assert_memory_equal(first, second, count * sizeof *first);
    free(first);
    free(second);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_sharing_a_model_get_the_bits_of_one),
        cmocka_unit_test(used_and_fresh_workspaces_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
