// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options and reports of divide and conquer from programs that were built for another version: shorter
// structs work, longer ones are refused.
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"

// A struct of a newer version, and what lies behind a struct of an older one.
typedef struct longer_options {
    lb_division_options known;
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
    const lb_division_options defaults = lb_default_division_options();
    assert_int_equal(defaults.size, sizeof defaults);
    assert_int_equal(defaults.thread_count, 1);

    // an older program: nothing is written behind its struct
    memset(&options, 0x55, sizeof options);
    const size_t shorter = offsetof(lb_division_options, tolerance);
    lb_init_division_options(&options.known, shorter);
    assert_int_equal(options.known.size, shorter);
    assert_int_equal(options.known.thread_count, 1);
    for (size_t i = shorter; i < sizeof options; ++i) {
        assert_int_equal(((const unsigned char *)&options)[i], 0x55);
    }

    // a newer program: what this version does not know is zero
    memset(&options, 0x55, sizeof options);
    lb_init_division_options(&options.known, sizeof options);
    assert_int_equal(options.known.size, sizeof options);
    assert_true(options.known.tolerance == defaults.tolerance);
    assert_true(options.more[0] == 0.0 && options.more[1] == 0.0);
}

static void divisions_take_older_options_and_refuse_newer_ones(void **state)
{
    (void)state;
    lb_tree_options tree = lb_default_tree_options();
    tree.body_count = 20;
    lb_trial t = lb_begin_trial(&tree, 1);
    lb_division *division;

    // what an older program does not have is the default, whatever lies behind its struct
    lb_division_options options = lb_default_division_options();
    options.run_length = 1;
    options.tolerance = -1.0;
    options.size = offsetof(lb_division_options, tolerance);
    lb_expect_ok(lb_create_division(t.model, &options, &division));
    assert_int_equal(division->options.run_length, 1);
    assert_true(division->options.tolerance == lb_default_division_options().tolerance);
    lb_destroy_division(division);
    options.size = offsetof(lb_division_options, run_length);
    lb_expect_ok(lb_create_division(t.model, &options, &division));
    assert_int_equal(division->options.thread_count, 1);
    lb_destroy_division(division);

    longer_options newer;
    lb_init_division_options(&newer.known, sizeof newer);
    division = (lb_division *)(void *)&newer;
    assert_int_equal(lb_create_division(t.model, &newer.known, &division), LB_E_VERSION);
    assert_null(division);
    newer.known.size = 0;
    assert_int_equal(lb_create_division(t.model, &newer.known, &division), LB_E_VERSION);
    lb_end_trial(&t);
}

static void reports_are_given_in_the_size_of_the_caller(void **state)
{
    (void)state;
    lb_tree_options tree = lb_default_tree_options();
    tree.body_count = 20;
    lb_trial t = lb_begin_trial(&tree, 1);
    lb_division_options options = lb_default_division_options();
    options.tolerance = -1.0; // nothing is accurate enough
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, &options, &division));
    assert_int_equal(
        lb_compute_forward_dynamics_divided(t.model, t.work, division, t.q, t.v, t.tau, t.a),
        LB_NEWS_FALLBACK);
    lb_division_report whole = {.size = sizeof whole};
    lb_expect_ok(lb_get_division_report(division, &whole));
    assert_int_equal(whole.size, sizeof whole);
    assert_true(whole.fallback && whole.broken_count == 0);
    assert_true(whole.shift >= 0.0 && whole.shift < 1e-6);

    // an older program: nothing is written behind its struct
    lb_division_report shorter;
    memset(&shorter, 0x55, sizeof shorter);
    shorter.size = offsetof(lb_division_report, gap);
    lb_expect_ok(lb_get_division_report(division, &shorter));
    assert_true(shorter.shift == whole.shift);
    for (size_t i = shorter.size; i < sizeof shorter; ++i) {
        assert_int_equal(((const unsigned char *)&shorter)[i], 0x55);
    }

    longer_report longer = {.known = {.size = sizeof longer}};
    assert_int_equal(lb_get_division_report(division, &longer.known), LB_E_VERSION);
    longer.known.size = 0; // forgotten
    assert_int_equal(lb_get_division_report(division, &longer.known), LB_E_VERSION);
    lb_destroy_division(division);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fit_into_every_size),
        cmocka_unit_test(divisions_take_older_options_and_refuse_newer_ones),
        cmocka_unit_test(reports_are_given_in_the_size_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
