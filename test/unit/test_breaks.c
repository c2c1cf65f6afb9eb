// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Jumps of expressions of time, found by intervals, against fine sampling.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "document/reader.h"
#include "rig.h"
#include "simulate/signals/spans.h"
#include "simulate/signals/switches.h"

#define MODEL                                                                                      \
    "limber: 1\nbodies: [{name: link, mass: 1, hinge: {type: prismatic, axis: [0, 0, 1]}}]\n"

typedef struct probe {
    lb_rig rig;
    lb_arena arena;
    lb_expression *expression;
} probe;

static probe begin(const char *text)
{
    probe p = {.rig = lb_begin_rig(MODEL, NULL)};
    const lb_allocator allocator = lb_get_document_allocator(p.rig.document);
    const lb_scope scope = {p.rig.model, NULL, 0};
    lb_faults faults = {0};
    p.arena = lb_make_arena(&allocator);
    lb_expect_ok(lb_make_expression(&p.arena, &scope, &faults, "", "", text, &p.expression));
    assert_int_equal(faults.error_count, 0);
    return p;
}

static void end(probe *p)
{
    lb_arena_free(&p->arena);
    lb_end_rig(&p->rig);
}

static double evaluate(const probe *p, double t)
{
    const lb_instant instant = {sizeof instant, NULL, NULL, t, NULL, NULL, NULL, NULL, NULL};
    double value = NAN;
    lb_expect_ok(lb_evaluate_expression(p->expression, &instant, &value));
    return value;
}

// Each is piecewise constant, so that every jump is a difference.
static const char *const steps[] = {
    "t > 5",
    "sin(3*t)*cos(t) < 0.3",
    "sin(2*pi*t) > 0.99",
    "sin(t)^2 + 0.3*t < 1.7",
    "exp(-((t - 4)/0.01)^2) > 0.2",
    "mod(t, 0.7) < 0.05",
    "floor(sin(3*t)*3)",
    "sign(t*t - 3*t + 1)",
    "step(tanh(20*(t - 3)) - 0.999)",
    "if(cos(t) > 0, sin(7*t) > 0.5, 3)",
    "(abs(t - 2.5) < 0.01) + (max(t, 3) > 7.5)",
    "sqrt(t) > atan(t) + 1",
    "log(t + 1)/(t + 1) > 0.3",
    "cosh(t - 5) < 2",
    "sinh(sin(t)) < asin(0.4*cos(3*t))",
    "atan2(sin(t), cos(t)) > 1",
    "hypot(t - 3, 0.1) < 0.2",
    "clamp(sin(t), -0.2, 0.3) >= 0.3",
    "acos(sin(t)/1.01) < 0.5",
    "t^1.5 - 2*t > 1",
    "2^t > 100",
    "1/(t + 0.1) < 0.3*t - 0.5",
    "min(sin(5*t), cos(3*t)) > 0.2",
};

static void every_jump_on_a_fine_grid_is_a_break(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
        probe p = begin(steps[k]);
        double next = lb_find_expression_break(p.expression, 0.0), before = evaluate(&p, 0.0);
        for (int i = 1; i <= POINTS; ++i) {
            const double t = 10.0 * (i - 0.37) / POINTS, value = evaluate(&p, t);
            bool breaks = false;
            while (next <= t) {
                const double found = next;
                next = lb_find_expression_break(p.expression, found);
                assert_true(next > found);
                breaks = true;
            }
            if (value != before && !breaks) {
                fail_msg("%s: no break before t = %.17g", steps[k], t);
            }
            before = value;
        }
        end(&p);
    }
}

// A break is where the value changes, to the last bits of time; those of parts that do not show may be more.
static void breaks_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double time;
    } cases[] = {{"t > 5", 5.0},
                 {"t >= 5", 5.0},
                 {"t < 5", 5.0},
                 {"step(0.3 - t)", 0.3},
                 {"mod(t, 2.5) > 2.4", 2.4},
                 {"floor(4*t)", 0.25},
                 {"abs(t - 1/3)", 1.0 / 3.0},
                 {"t^2 > 2", 1.4142135623730951},
                 {"sin(t) < 0", 3.141592653589793},
                 {"1e-9*t > 1e-9*7", 7.0},
                 {"exp(-((t - 5e8)/1e-4)^2) > 0.5", 5e8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        probe p = begin(cases[i].text);
        const double found = lb_find_expression_break(p.expression, 0.0), t = cases[i].time;
        // four units of round-off; of the bell, its half width
        lb_expect_below(cases[i].text, fabs(found - t), t < 1e8 ? 9e-16 * t : 1e-4);
        end(&p);
    }
}

static void nothing_is_found_where_nothing_is(void **state)
{
    (void)state;
    static const char *const texts[] = {"sin(t)",         "sin(50*t) > 2",  "exp(-t) < 0",
                                        "t^2 + 1 < 0",    "sqrt(1 + t^2)",  "t + 1 < t",
                                        "tanh(t) > 1.01", "abs(2 + cos(t))"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        probe p = begin(texts[i]);
        const double found = lb_find_expression_break(p.expression, 0.0);
        if (found < INFINITY) {
            fail_msg("%s: a break at %.17g", texts[i], found);
        }
        end(&p);
    }
}

// Ranges contain what is between the ends, and rates what differences are.
static void spans_contain_values_and_rates(void **state)
{
    (void)state;
    static const char *const texts[] = {"sin(3*t)*cos(t)",
                                        "t^3 - 2*t^2",
                                        "exp(-t)/(t + 1)",
                                        "atan2(sin(t), 2 + cos(t))",
                                        "hypot(t, 1)^-1.5",
                                        "tan(t/4)*sqrt(t + 1)",
                                        "asin(sin(t)/2) + acos(cos(t)/2)",
                                        "cosh(t/3) - sinh(t/2)*tanh(t)",
                                        "2^sin(t)",
                                        "log(2 + cos(t))",
                                        "max(sin(t), 0.3)",
                                        "abs(t - 3)*min(t, 2)",
                                        "clamp(t, 2, 3)^2",
                                        "-t/(2 + sin(t))"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        probe p = begin(texts[k]);
        for (int i = 0; i < 400; ++i) {
            const double begin_t = 0.0125 * i, h = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 1e-2 : 1e-4;
            const lb_span span =
                lb_span_part(p.expression, 0, p.expression->count, begin_t, begin_t + h);
            for (int j = 0; j < 10; ++j) {
                const double a = begin_t + h * j / 10.0, b = begin_t + h * (j + 1) / 10.0;
                const double x = evaluate(&p, a), y = evaluate(&p, b), rate = (y - x) / (b - a);
                // round-off of the difference
                const double noise = 1e-15 * (1.0 + fabs(x)) / (b - a);
                assert_true(span.low <= x && x <= span.high);
                assert_true(span.rate_low <= rate + noise && rate - noise <= span.rate_high);
            }
        }
        end(&p);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_jump_on_a_fine_grid_is_a_break),
        cmocka_unit_test(breaks_are_exact),
        cmocka_unit_test(nothing_is_found_where_nothing_is),
        cmocka_unit_test(spans_contain_values_and_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
