// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `make validation` makes of a number outside its tolerance.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../validation/validation.h"
#include "check.h"
#include "published.h"

static const lb_miss known[] = {
    {"lag, m", "5 s", 0.2, "the source", "It leaves out the spring."},
    {"force, N", NULL, 10.0, "the reference's model", "It is linear."},
};

// Two comparisons that miss and are listed, one within its tolerance.
static lb_problem make_problem(void)
{
    lb_problem problem = {.id = "BEAM",
                          .title = "a beam",
                          .example = "beam.yaml",
                          .source = "somewhere",
                          .status = "published",
                          .misses = known,
                          .miss_count = 2};
    lb_compare(&problem, "lag, m", "5 s", 1.1, 1.0, 0.01);
    lb_compare(&problem, "lag, m", "6 s", 1.001, 1.0, 0.01);
    lb_compare(&problem, "force, N", "", 105.0, 100.0, 1.0);
    return problem;
}

// What is said of a problem, and how many of its misses are not listed; the caller frees the text.
static int report(const lb_problem *problem, char **text)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    assert_non_null(out);
    const int unlisted = lb_report_misses(out, problem, 1);
    fclose(out);
    return unlisted;
}

static void listed_misses_pass_and_are_explained(void **state)
{
    (void)state;
    const lb_problem problem = make_problem();
    char *said = NULL, *page = NULL;
    size_t size = 0;
    assert_int_equal(report(&problem, &said), 0);
    assert_string_equal(said, "");
    FILE *out = open_memstream(&page, &size);
    assert_non_null(out);
    lb_write_page(out, &problem, 1);
    fclose(out);
    assert_non_null(strstr(page, "| BEAM: a beam | 3 | 2 |"));
    assert_non_null(strstr(page, "**Miss, of the source.** It leaves out the spring."));
    assert_non_null(strstr(page, "**Miss, of the reference's model.** It is linear."));
    free(page);
    free(said);
}

// A quantity or time that is not listed, a difference beyond what its reason explains, no number at all,
// and an entry without a reason.
static void other_misses_fail(void **state)
{
    (void)state;
    static const lb_miss silent = {"force, N", NULL, 10.0, "the source", ""};
    for (int what = 0; what < 5; ++what) {
        lb_problem problem = make_problem();
        if (what == 0) {
            lb_compare(&problem, "stretch, m", "5 s", 2.0, 1.0, 0.1);
        } else if (what == 1) {
            problem.comparisons[1].ours = 1.1;
        } else if (what == 2) {
            problem.comparisons[0].ours = 1.3;
        } else if (what == 3) {
            problem.comparisons[2].ours = NAN;
        } else {
            problem.misses = &silent;
            problem.miss_count = 1;
            problem.comparisons[0].ours = 1.0;
        }
        char *said = NULL;
        assert_int_equal(report(&problem, &said), 1);
        assert_non_null(strstr(said, "BEAM: "));
        assert_non_null(strstr(said, "a miss that is not listed with its reason"));
        free(said);
        assert_int_equal(lb_report_misses(NULL, &problem, 1), 1);
    }
}

static void misses_that_are_gone_are_mentioned(void **state)
{
    (void)state;
    lb_problem problem = make_problem();
    problem.comparisons[0].ours = 1.0;
    char *said = NULL;
    assert_int_equal(report(&problem, &said), 0);
    assert_non_null(strstr(said, "lag, m, 5 s: listed as a miss, but within its tolerance"));
    free(said);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_misses_pass_and_are_explained),
        cmocka_unit_test(other_misses_fail),
        cmocka_unit_test(misses_that_are_gone_are_mentioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
