// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The document tree: the same from YAML and from JSON, with lines and columns.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>

#include "document/doc.h"
#include "document/places.h"
#include "heard.h"
#include "program.h"

static lb_doc read_doc(const char *text, bool json)
{
    const lb_report silent = {NULL, NULL};
    lb_doc doc;
    doc.pool = lb_make_arena(NULL);
    const lb_status status = json ? lb_doc_read_json(&doc, text, strlen(text), "a", &silent)
                                  : lb_doc_read_yaml(&doc, text, strlen(text), "a", &silent);
    assert_int_equal(status, LB_OK);
    return doc;
}

static void expect_mark(const lb_doc_node *node, size_t line, size_t column)
{
    assert_int_equal(lb_doc_get_mark(node).line, line);
    assert_int_equal(lb_doc_get_mark(node).column, column);
}

static void yaml_and_json_give_the_same_tree(void **state)
{
    (void)state;
    const char *text = "{\"a\": [1, -2.5e1, \"x\"],\n \"b\": {\"c\": null, \"d\": true},\n"
                       " \"\u00e9\": [], \"e\": {}}";
    for (int json = 0; json < 2; ++json) {
        lb_doc doc = read_doc(text, json);
        assert_int_equal(lb_doc_get_kind(&doc.root), LB_DOC_MAPPING);
        assert_int_equal(lb_doc_get_count(&doc.root), 4);

        const lb_doc_node *a = lb_doc_find(&doc.root, "a");
        assert_int_equal(lb_doc_get_kind(a), LB_DOC_SEQUENCE);
        assert_int_equal(lb_doc_get_count(a), 3);
        expect_mark(a, 1, 7);
        assert_true(lb_doc_get_element(a, 1)->value.number == -25.0);
        expect_mark(lb_doc_get_element(a, 1), 1, 11);
        assert_string_equal(lb_doc_get_element(a, 2)->value.text, "x");

        const lb_doc_node *b = lb_doc_find(&doc.root, "b");
        expect_mark(lb_doc_get_key(&doc.root, 1), 2, 2);
        assert_int_equal(lb_doc_get_kind(lb_doc_find(b, "c")), LB_DOC_NULL);
        assert_int_equal(lb_doc_get_kind(lb_doc_find(b, "d")), LB_DOC_BOOL);
        assert_true(lb_doc_find(b, "d")->value.truth);
        expect_mark(lb_doc_find(b, "d"), 2, 24);
        assert_null(lb_doc_find(b, "e"));

        assert_int_equal(lb_doc_get_count(lb_doc_find(&doc.root, "\xc3\xa9")), 0);
        assert_int_equal(lb_doc_get_count(lb_doc_find(&doc.root, "e")), 0);
        lb_arena_free(&doc.pool);
    }
}

static void block_style_gives_the_same_tree_as_flow_style(void **state)
{
    (void)state;
    lb_doc doc = read_doc("a: # comment\n  - 1\n  - b: x y\n    c: 'it''s'\n", 0);
    const lb_doc_node *a = lb_doc_find(&doc.root, "a");
    expect_mark(a, 2, 3);
    expect_mark(lb_doc_get_element(a, 0), 2, 5);
    const lb_doc_node *second = lb_doc_get_element(a, 1);
    assert_string_equal(lb_doc_find(second, "b")->value.text, "x y");
    assert_string_equal(lb_doc_find(second, "c")->value.text, "it's");
    expect_mark(lb_doc_find(second, "c"), 4, 8);
    lb_arena_free(&doc.pool);
}

static void columns_count_characters(void **state)
{
    (void)state;
    for (int json = 0; json < 2; ++json) {
        lb_doc doc = read_doc("{\"\xc3\xa9\xf0\x9f\x98\x80\": 1}", json);
        expect_mark(lb_doc_get_value(&doc.root, 0), 1, 8);
        lb_arena_free(&doc.pool);
    }
}

static void escapes_of_json_are_decoded(void **state)
{
    (void)state;
    lb_doc doc =
        read_doc("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t|\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"]", 1);
    assert_string_equal(lb_doc_get_element(&doc.root, 0)->value.text,
                        "\"\\/\b\f\n\r\t|A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    lb_arena_free(&doc.pool);
}

// ---- plain scalars -----------------------------------------------------------------------------

static void only_numbers_of_json_are_numbers(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "12",
                                          "-1.5",
                                          "0.25",
                                          "1e3",
                                          "1E+3",
                                          "2.5e-7",
                                          "-0.0e0",
                                          "1e-999",
                                          "123456789012345678901234567890"};
    static const char *const others[] = {
        "010", "+1",  ".5",       "5.", "0x10", "0o7",   "1_000", "1:30", ".inf", "-.inf", ".nan",
        "nan", "inf", "Infinity", "1e", "1e+",  "--1",   "1.e3",  "1 2",  "0b1",  "True",  "FALSE",
        "yes", "no",  "on",       "~",  "Null", "1.2.3", "1,5",   "1d3",  "00",   "-01"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        lb_doc doc = read_doc(numbers[i], 0);
        assert_int_equal(lb_doc_get_kind(&doc.root), LB_DOC_NUMBER);
        assert_true(doc.root.value.number == strtod(numbers[i], NULL));
        lb_arena_free(&doc.pool);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        lb_doc doc = read_doc(others[i], 0);
        assert_int_equal(lb_doc_get_kind(&doc.root), LB_DOC_STRING);
        assert_string_equal(doc.root.value.text, others[i]);
        lb_arena_free(&doc.pool);
    }
}

static void quotes_make_a_string(void **state)
{
    (void)state;
    static const char *const texts[] = {"\"1\"", "'1'", "\"null\"", "'true'", "|-\n  1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        lb_doc doc = read_doc(texts[i], 0);
        assert_int_equal(lb_doc_get_kind(&doc.root), LB_DOC_STRING);
        lb_arena_free(&doc.pool);
    }
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
    bool comma = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; ++i) {
        if (setlocale(LC_NUMERIC, locales[i])) {
            comma = true;
            for (int json = 0; json < 2; ++json) {
                lb_doc doc = read_doc("[1.5, 12345.6789e-3]", json);
                assert_true(lb_doc_get_element(&doc.root, 0)->value.number == 1.5);
                assert_true(lb_doc_get_element(&doc.root, 1)->value.number == 12.3456789);
                lb_arena_free(&doc.pool);
            }
        }
    }
    setlocale(LC_NUMERIC, "C");
    if (!comma) {
        skip(); // no such locale on this machine
    }
}

// ---- keys --------------------------------------------------------------------------------------

static void a_duplicate_among_many_keys_is_found(void **state)
{
    (void)state;
    // 2000 keys, of which 700 comes again
    static char text[40000];
    size_t length = 0;
    for (int i = 0; i < 2000; ++i) {
        length += (size_t)snprintf(text + length, sizeof text - length, "k%d: 1\n",
                                   i == 1500 || i == 1900 ? 700 : i);
    }
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_doc doc;
    doc.pool = lb_make_arena(NULL);
    assert_int_equal(lb_doc_read_yaml(&doc, text, length, "a", &report), LB_E_SYNTAX);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.entries[0].line, 1501);
    assert_string_equal(heard.entries[0].path, "k700");
    assert_string_equal(heard.entries[0].message, "duplicate key \"k700\", already given at 701:1");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_and_json_give_the_same_tree),
        cmocka_unit_test(block_style_gives_the_same_tree_as_flow_style),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(escapes_of_json_are_decoded),
        cmocka_unit_test(only_numbers_of_json_are_numbers),
        cmocka_unit_test(quotes_make_a_string),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(a_duplicate_among_many_keys_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
