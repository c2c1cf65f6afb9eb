// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of workspaces and reports of divide and conquer from programs that were built for another version: shorter
// structs work, longer ones are refused.
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"

// A struct of a newer version, and what lies behind a struct of an older one.
typedef struct longer_options {
    lb_work_options known;
    double more[2];
} longer_options;

typedef struct longer_report {
    lb_division_report known;
    double more[2];
} longer_report;

static void defaults_fit_into_every_size(void **state)
{
    (void)state;
    longer_options options;
    const lb_work_options defaults = lb_default_work_options();
    assert_int_equal(defaults.size, sizeof defaults);
    assert_int_equal(defaults.algorithm, LB_ALGORITHM_ARTICULATED);

    // an older program: nothing is written behind its struct
    memset(&options, 0x55, sizeof options);
    const size_t shorter = offsetof(lb_work_options, tolerance);
    lb_init_work_options(&options.known, shorter);
    assert_int_equal(options.known.size, shorter);
    assert_int_equal(options.known.run_length, 0);
    for (size_t i = shorter; i < sizeof options; ++i) {
        assert_int_equal(((const unsigned char *)&options)[i], 0x55);
    }

    // a newer program: what this version does not know is zero
    memset(&options, 0x55, sizeof options);
    lb_init_work_options(&options.known, sizeof options);
    assert_int_equal(options.known.size, sizeof options);
    assert_true(options.known.tolerance == defaults.tolerance);
    assert_true(options.more[0] == 0.0 && options.more[1] == 0.0);
}

static void workspaces_take_older_options_and_refuse_newer_ones(void **state)
{
    (void)state;
    lb_tree_options tree = lb_default_tree_options();
    tree.body_count = 20;
    lb_trial t = lb_begin_trial(&tree, 1);
    lb_work *work;

    // what an older program does not have is the default, whatever lies behind its struct
    lb_work_options options = lb_default_work_options();
    options.algorithm = LB_ALGORITHM_DIVIDE_AND_CONQUER;
    options.run_length = 1;
    options.tolerance = -1.0;
    options.size = offsetof(lb_work_options, tolerance);
    lb_expect_ok(lb_create_work_with(t.model, &options, &work));
    assert_int_equal(work->division->options.run_length, 1);
    assert_true(work->division->options.tolerance == lb_default_work_options().tolerance);
    lb_destroy_work(work);

    longer_options newer;
    lb_init_work_options(&newer.known, sizeof newer);
    assert_int_equal(lb_create_work_with(t.model, &newer.known, &work), LB_E_VERSION);
    assert_null(work);
    newer.known.size = 0;
    assert_int_equal(lb_create_work_with(t.model, &newer.known, &work), LB_E_VERSION);

    options = lb_default_work_options();
    options.algorithm = LB_ALGORITHM_COUNT;
    assert_int_equal(lb_create_work_with(t.model, &options, &work), LB_E_ARGUMENT);
    options = lb_default_work_options();
    options.team.thread_count = 2; // without functions
    assert_int_equal(lb_create_work_with(t.model, &options, &work), LB_E_ARGUMENT);
    lb_end_trial(&t);
}

static void reports_are_given_in_the_size_of_the_caller(void **state)
{
    (void)state;
    lb_tree_options tree = lb_default_tree_options();
    tree.body_count = 20;
    lb_trial t = lb_begin_trial(&tree, 1);
    lb_work_options options = lb_default_work_options();
    options.algorithm = LB_ALGORITHM_DIVIDE_AND_CONQUER;
    options.tolerance = -1.0; // nothing is accurate enough
    lb_work *work;
    lb_expect_ok(lb_create_work_with(t.model, &options, &work));
    assert_int_equal(lb_compute_forward_dynamics(t.model, work, t.q, t.v, t.tau, t.a),
                     LB_NEWS_FALLBACK);
    lb_division_report whole = {.size = sizeof whole};
    lb_expect_ok(lb_get_division_report(work, &whole));
    assert_int_equal(whole.size, sizeof whole);
    assert_true(whole.fallback && whole.broken_count == 0);
    assert_true(whole.shift >= 0.0 && whole.shift < 1e-6);

    // an older program: nothing is written behind its struct
    lb_division_report shorter;
    memset(&shorter, 0x55, sizeof shorter);
    shorter.size = offsetof(lb_division_report, gap);
    lb_expect_ok(lb_get_division_report(work, &shorter));
    assert_true(shorter.shift == whole.shift);
    for (size_t i = shorter.size; i < sizeof shorter; ++i) {
        assert_int_equal(((const unsigned char *)&shorter)[i], 0x55);
    }

    longer_report longer = {.known = {.size = sizeof longer}};
    assert_int_equal(lb_get_division_report(work, &longer.known), LB_E_VERSION);
    longer.known.size = 0; // forgotten
    assert_int_equal(lb_get_division_report(work, &longer.known), LB_E_VERSION);
    lb_destroy_work(work);
    assert_int_equal(lb_get_division_report(t.work, &whole), LB_E_STAGE); // by the recursion
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fit_into_every_size),
        cmocka_unit_test(workspaces_take_older_options_and_refuse_newer_ones),
        cmocka_unit_test(reports_are_given_in_the_size_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
