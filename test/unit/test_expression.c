// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions: values against C, derivatives against differences, and errors with their column.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/reader.h"
#include "rig.h"
#include "simulate/signals/expression.h"

// Model of all cases: one body `link`, so that names can mean something.
#define MODEL                                                                                      \
    "limber: 1\nbodies: [{name: link, mass: 1, inertia: [1, 1, 1, 0, 0, 0], "                      \
    "hinge: {type: revolute, axis: [0, 0, 1]}}]\n"

// Terms of a text; ends the test if it is wrong.
static lb_signal_terms *parse(const lb_model *model, const char *text, int *term)
{
    lb_signal_terms *terms = calloc(1, sizeof *terms);
    assert_non_null(terms);
    lb_scan scan = {.text = text};
    const lb_scope scope = {model, NULL, 0};
    *term = lb_parse_expression(terms, &scan, &scope);
    if (scan.failed) {
        fail_msg("%s: %s", text, scan.error.message);
    }
    return terms;
}

static double evaluate(lb_signal_terms *terms, int term, const lb_instant *instant)
{
    const lb_rig rig = lb_begin_rig(MODEL, NULL);
    const lb_allocator allocator = lb_get_document_allocator(rig.document);
    lb_arena arena = lb_make_arena(&allocator);
    lb_expression *expression = NULL;
    lb_expect_ok(lb_flatten(&arena, terms, term, &expression));
    double value = NAN;
    lb_expect_ok(lb_evaluate_expression(expression, instant, &value));
    lb_arena_free(&arena);
    lb_rig done = rig;
    lb_end_rig(&done);
    return value;
}

static double compute(const char *text, double t, double angle, double rate)
{
    lb_rig rig = lb_begin_rig(MODEL, NULL);
    int term;
    lb_signal_terms *terms = parse(rig.model, text, &term);
    const lb_instant instant = {sizeof instant, rig.model, rig.work, t,   &angle,
                                &rate,          NULL,      NULL,     NULL};
    const double value = evaluate(terms, term, &instant);
    free(terms);
    lb_end_rig(&rig);
    return value;
}

static void values_are_those_of_c(void **state)
{
    (void)state;
    const double t = 0.7, q = -0.4, v = 1.3, pi = acos(-1.0);
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1.0},
        {" 2.5e-3 ", 2.5e-3},
        {"1 + 2*3 - 4/5", 1.0 + 2.0 * 3.0 - 4.0 / 5.0},
        {"8/4/2", 1.0},
        {"5 - 3 - 1", 1.0},
        {"2^3^2", 512.0},
        {"-2^2", -4.0},
        {"2^-1", 0.5},
        {"(-2)^2", 4.0},
        {"--t", t},
        {"+t", t},
        {"t", t},
        {"t/2", t / 2.0},
        {"pi/2", pi / 2.0},
        {"45 deg", pi / 4.0},
        {"45deg", pi / 4.0},
        {"1.5 rad", 1.5},
        {"link.angle/deg", q / (pi / 180.0)},
        {"2*sin(3*t) - 4*link.rate", 2.0 * sin(3.0 * t) - 4.0 * v},
        {"'link'.angle*t", q * t},
        {"link.angle/link.rate", q / v},
        {"cos(t) + tan(t) + asin(t) + acos(t) + atan(t)",
         cos(t) + tan(t) + asin(t) + acos(t) + atan(t)},
        {"atan2(t, link.angle)", atan2(t, q)},
        {"sinh(t)*cosh(t)/tanh(t)", sinh(t) * cosh(t) / tanh(t)},
        {"exp(t) - log(t) + sqrt(t) + hypot(t, 2)", exp(t) - log(t) + sqrt(t) + hypot(t, 2.0)},
        {"abs(link.angle) + sign(link.angle)", fabs(q) - 1.0},
        {"step(t - 1) + step(t - 0.5)*10", 10.0},
        {"floor(2.7) + floor(-2.2)", 2.0 - 3.0},
        {"mod(7.5, 2)", 1.5},
        {"mod(-1, 3)", 2.0},
        {"min(t, 1) + max(t, 1)", t + 1.0},
        {"clamp(t, 0, 0.5) + clamp(t, 1, 2) + clamp(t, 0, 1)", 0.5 + 1.0 + t},
        {"if(t - 1, 5, 6)", 6.0},
        {"if(t < 1, 5, 6)", 5.0},
        {"(t > 0.5) + (t >= 0.7) + (t <= 0.7) + (t < 0.7)", 3.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        // 4e-16: the same operations in the same order, products by pi/180 aside
        lb_expect_near(cases[i].text, compute(cases[i].text, t, q, v), cases[i].value, 4e-16);
    }
}

static void what_is_not_a_number_stays_that(void **state)
{
    (void)state;
    // -0.4 under the root: no comparison and no choice may make a number of it
    static const char *const texts[] = {
        "sqrt(link.angle)",       "min(sqrt(link.angle), 1)", "max(1, sqrt(link.angle))",
        "step(sqrt(link.angle))", "sign(sqrt(link.angle))",   "clamp(sqrt(link.angle), 0, 1)",
        "sqrt(link.angle) < 1",   "1 <= sqrt(link.angle)",    "if(sqrt(link.angle), 1, 2)",
        "0*sqrt(link.angle)",     "sqrt(link.angle)^0",       "hypot(1/0, sqrt(link.angle))",
        "link.angle/0*0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        if (!isnan(compute(texts[i], 0.7, -0.4, 0.0))) {
            fail_msg("%s is a number", texts[i]);
        }
    }
}

// Derivatives of an expression of t against central differences.
static void derivatives_meet_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "3 - t",
        "t^3 - 2*t^2 + t",
        "2*sin(3*t + 30 deg)",
        "cos(t)^2",
        "tan(t/2)*t",
        "asin(t/2) + acos(t/3) + atan(t)",
        "sinh(t) - cosh(2*t) + tanh(t)",
        "exp(-t)*sin(10*t)",
        "log(1 + t)/sqrt(t + 2)",
        "t^t",
        "2^t",
        "t^-1.5",
        "hypot(t, 2*t^2)",
        "atan2(sin(t), 1 + t)",
        "abs(t - 2)^3",
        "mod(t^2, 5)",
        "min(t^2, t^3) + max(sin(t), cos(t))",
        "clamp(t^2, 0, 100)",
        "if(t - 0.1, t^4, t)",
        "-(t*t*t)/(1 + t*t)",
        "1/(1 + exp(-5*(t - 1)))",
    };
    lb_rig rig = lb_begin_rig(MODEL, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        int term;
        lb_signal_terms *terms = parse(rig.model, texts[i], &term);
        const int first = lb_differentiate(terms, term), second = lb_differentiate(terms, first);
        assert_false(terms->terms.full);
        for (double t = 0.31; t < 1.6; t += 0.4) {
            // fourth-order differences: error h^4 f^(5) / 30, 1e-8 with rounding eps / h at h = 1e-3
            const double h = 1e-3;
            double at[5], slope[5];
            for (int k = -2; k <= 2; ++k) {
                const lb_instant instant = {.size = sizeof instant, .t = t + k * h};
                at[k + 2] = evaluate(terms, term, &instant);
                slope[k + 2] = evaluate(terms, first, &instant);
            }
            const lb_instant instant = {.size = sizeof instant, .t = t};
            const double d1 = (at[0] - 8.0 * at[1] + 8.0 * at[3] - at[4]) / (12.0 * h);
            const double d2 = (slope[0] - 8.0 * slope[1] + 8.0 * slope[3] - slope[4]) / (12.0 * h);
            lb_expect_below(texts[i], slope[2] - d1, 1e-7 * (1.0 + fabs(d1)));
            lb_expect_below(texts[i], evaluate(terms, second, &instant) - d2,
                            1e-7 * (1.0 + fabs(d2)));
        }
        free(terms);
    }
    lb_end_rig(&rig);
}

static void errors_say_what_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *part;
    } cases[] = {
        {"", 1, "ends where a value"},
        {"2 +", 4, "ends where a value"},
        {"2 $ 3", 3, "expected an operator"},
        {"2 sin(t)", 3, "operator between a number and \"sin\""},
        {"(1 + 2", 7, "expected \")\""},
        {"sin(1, 2)", 6, "sin takes 1 argument"},
        {"atan2(1)", 8, "atan2 takes 2 arguments"},
        {"sine(t)", 1, "unknown function \"sine\""},
        {"torque", 1, "no signal \"torque\""},
        {"link", 1, "what of body \"link\"?"},
        {"1 + link.speed", 10, "unknown quantity \"speed\""},
        {"link.distance", 6, "type revolute has no distance"},
        {"link.q.1", 8, "no coordinate 1"},
        {"link.eta.0", 10, "no mode 0"},
        {"link/tip.position.x", 6, "no node \"tip\""},
        {"link.position.u", 15, "no component \"u\""},
        {"link.position", 14, "a component of position"},
        {"arm.angle", 1, "no body \"arm\""},
        {"arm/2", 1, "no body or signal \"arm\""},
        {"system.spin", 8, "the system has no \"spin\""},
        {"'link.angle", 1, "never closed"},
        {"1e999", 1, "too large"},
        {"distance(link)", 14, "between two nodes"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "((((((((((((((((((((1",
         101, "nested more than"},
    };
    lb_rig rig = lb_begin_rig(MODEL, NULL);
    lb_signal_terms *terms = malloc(sizeof *terms);
    assert_non_null(terms);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_scan scan = {.text = cases[i].text};
        const lb_scope scope = {rig.model, NULL, 0};
        lb_start_terms(&terms->terms);
        terms->signal_count = 0;
        assert_int_equal(lb_parse_expression(terms, &scan, &scope), -1);
        if (!strstr(scan.error.message, cases[i].part) || scan.error.column != cases[i].column) {
            fail_msg("%s: %s, column %d", cases[i].text, scan.error.message, scan.error.column);
        }
    }
    free(terms);
    lb_end_rig(&rig);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_c),
        cmocka_unit_test(what_is_not_a_number_stays_that),
        cmocka_unit_test(derivatives_meet_differences),
        cmocka_unit_test(errors_say_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
