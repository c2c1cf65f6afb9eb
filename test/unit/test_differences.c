// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Differences of functions whose scale is not known.
#include <math.h>

#include "base/differences.h"
#include "check.h"

typedef struct line {
    double x, width; // where, and over what functions change
    int calls;
} line;

static lb_status evaluate(void *user, double step, lb_line_slope *y)
{
    line *l = user;
    const double x = l->x + step, w = l->width;
    ++l->calls;
    y[0].value = tanh(x / w);
    y[1].value = 3.0 * x;
    y[2].value = sqrt(fabs(x) + w);
    y[3].value = 7.0;
    return LB_OK;
}

// The first step of 5e-4 suits no width below 1e-2, and the least is 2e-9.
static void steps_shrink_to_what_the_function_changes_over(void **state)
{
    (void)state;
    static const double widths[] = {1e6, 1.0, 1e-2, 1e-4, 1e-6};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        const double w = widths[i];
        line l = {0.3 * w, w, 0};
        lb_line_slope y[4];
        lb_expect_ok(lb_difference_line(evaluate, &l, 5e-4, 4, y));
        const double c = cosh(0.3), expected[3] = {1.0 / (w * c * c), 3.0, 0.5 / sqrt(1.3 * w)};
        for (int k = 0; k < 3; ++k) {
            // 1e-9, and round-off of values of order one in steps of 5e-4
            lb_expect_below("slope", y[k].slope - expected[k],
                            1e-9 * expected[k] +
                                (k < 2 ? 1e-12 * fmax(1.0, l.x) : 1e-12 * sqrt(w)));
        }
        assert_true(y[3].slope == 0.0);
        assert_true(l.calls >= 12 && l.calls <= 42);
        assert_true(w < 1.0 || l.calls == 12);
    }
}

// Not defined further than 1e-5 away.
static lb_status evaluate_near(void *user, double step, lb_line_slope *y)
{
    (void)user;
    y[0].value = sqrt(1e-5 + step);
    return isfinite(y[0].value) ? LB_OK : LB_E_NUMBER;
}

static lb_status evaluate_nowhere(void *user, double step, lb_line_slope *y)
{
    (void)user;
    (void)step;
    (void)y;
    return LB_E_CALLBACK;
}

static void steps_that_are_too_long_are_left_out(void **state)
{
    (void)state;
    lb_line_slope y[1];
    lb_expect_ok(lb_difference_line(evaluate_near, NULL, 5e-4, 1, y));
    lb_expect_near("slope", y[0].slope, 0.5 / sqrt(1e-5), 1e-9);
    assert_int_equal(lb_difference_line(evaluate_nowhere, NULL, 5e-4, 1, y), LB_E_CALLBACK);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_shrink_to_what_the_function_changes_over),
        cmocka_unit_test(steps_that_are_too_long_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
