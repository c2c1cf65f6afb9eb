// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers and lines in files of finite-element programs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/source.h"
#include "program.h"

static size_t scan(const char *text, double *value)
{
    return lb_scan_fe_number(text, text + strlen(text), value);
}

static void test_forms(void **state)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
    } cases[] = {
        {"1", 1, 1},
        {"-2.5", 4, -2.5},
        {"+3.", 3, 3},
        {".5", 2, 0.5},
        {"1.5e-3", 6, 1.5e-3},
        {"1.5D-3", 6, 1.5e-3},
        {"1.5-3", 5, 1.5e-3},
        {"8.5+2", 5, 850},
        {"2E5,", 3, 2e5},
        {"1e", 1, 1},
        {"1d+", 1, 1},
        {"7 8", 1, 7},
        {"1e308", 5, 1e308},
        {"4.9e-324", 8, 4.9e-324},
        {"0.1234567890123456789012", 24, 0.1234567890123456789012},
        {"123456789012345678901234567890", 30, 123456789012345678901234567890.0},
        {"11.30478651", 11, 11.30478651},
        {"1.2.3", 3, 1.2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double value = -77;
        if (scan(cases[i].text, &value) != cases[i].used || value != cases[i].value) {
            fail_msg("%s: %.17g", cases[i].text, value);
        }
    }
    static const char *const wrong[] = {"",    "-",   "+",     ".",    "e5",
                                        "nan", "inf", "1e309", "-.e1", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        double value = 0;
        assert_int_equal(scan(wrong[i], &value), 0);
    }
}

// The short way rounds as strtod does.
static void test_rounding(void **state)
{
    unsigned long long random = 1;
    (void)state;
    for (int i = 0; i < 200000; ++i) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        const int digits = 1 + (int)(random >> 60) + (int)(random >> 59 & 3);
        const int exponent = (int)(random >> 20 & 63) - 32;
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits, (double)(random >> 11) * 1e-3);
        snprintf(strchr(text, 'e'), 16, "e%d", exponent);
        double value = 0;
        assert_int_equal(scan(text, &value), strlen(text));
        if (value != strtod(text, NULL)) {
            fail_msg("%s", text);
        }
    }
}

static void test_lines(void **state)
{
    const char *text = "\xEF\xBB\xBF"
                       "a b\r\n\r\n c, d ,\rlast";
    const lb_import_file file = {.path = "x", .text = text, .length = strlen(text)};
    static const size_t lengths[] = {3, 0, 7, 4};
    (void)state;
    lb_lines lines = lb_start_lines(&file);
    for (int i = 0; i < 4; ++i) {
        assert_true(lb_next_line(&lines));
        assert_int_equal(lines.number, i + 1);
        assert_int_equal(lines.line.length, lengths[i]);
    }
    assert_false(lb_next_line(&lines));

    lb_span rest = {" c, d ,", 7}, field;
    assert_true(lb_next_field(&rest, ",", &field) && lb_span_is(field, "C"));
    assert_true(lb_next_field(&rest, ",", &field) && lb_span_is(field, "d"));
    assert_false(lb_next_field(&rest, ",", &field));
    rest = (lb_span){"  12   -3", 9};
    long number = 0;
    assert_true(lb_next_field(&rest, NULL, &field) && lb_get_integer(field, &number));
    assert_int_equal(number, 12);
    assert_true(lb_next_field(&rest, NULL, &field) && lb_get_integer(field, &number));
    assert_int_equal(number, -3);
    assert_false(lb_next_field(&rest, NULL, &field));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
