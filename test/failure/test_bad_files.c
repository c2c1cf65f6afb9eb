// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that cannot be read, and files made to hurt.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "program.h"

static void expect(const lb_heard *heard, int i, int line, int column, const char *path)
{
    const lb_heard_entry *entry = &heard->entries[i];
    if (i >= heard->count || entry->line != line || entry->column != column ||
        strcmp(entry->path, path) != 0) {
        lb_print_heard(heard);
        fail_msg("entry %d, expected %d:%d: %s", i, line, column, path);
    }
}

static lb_status load(const char *text, size_t length, lb_format format, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_model *model = NULL;
    const lb_status status = lb_load_model_text(text, length, "bad", format, NULL, &report, &model);
    assert_null(model);
    return status;
}

static void nobody_need_listen(void **state)
{
    (void)state;
    lb_model *model = NULL;
    assert_int_equal(lb_load_model_text("limber: 2", 9, NULL, LB_FORMAT_AUTO, NULL, NULL, &model),
                     LB_E_MODEL);
    assert_int_equal(lb_load_model_text("[", 1, NULL, LB_FORMAT_JSON, NULL, NULL, &model),
                     LB_E_SYNTAX);
    assert_int_equal(lb_load_model("/no/such/file", NULL, NULL, &model), LB_E_FILE);
}

// ---- nesting -----------------------------------------------------------------------------------

// `count` copies of a piece.
static char *repeat(const char *piece, size_t count)
{
    const size_t length = strlen(piece);
    char *text = malloc(length * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; ++i) {
        memcpy(text + i * length, piece, length);
    }
    text[length * count] = '\0';
    return text;
}

static void deep_nesting_is_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        lb_format format;
        int column;
    } cases[] = {{"[", LB_FORMAT_YAML, 65},        {"{a: ", LB_FORMAT_YAML, 64 * 4 + 1},
                 {"- ", LB_FORMAT_YAML, 129},      {"[", LB_FORMAT_JSON, 65},
                 {"{\"a\":", LB_FORMAT_JSON, 321}, {"[{\"a\":", LB_FORMAT_JSON, 32 * 6 + 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = repeat(cases[i].piece, 10000);
        lb_heard heard = {.count = 0};
        assert_int_equal(load(text, strlen(text), cases[i].format, &heard), LB_E_SYNTAX);
        assert_int_equal(heard.count, 1);
        expect(&heard, 0, 1, cases[i].column, "");
        assert_non_null(strstr(heard.entries[0].message, "nested more than 64 deep"));
        free(text);
    }
}

static void nesting_of_64_is_read(void **state)
{
    (void)state;
    for (int json = 0; json < 2; ++json) {
        // the mapping is the first level
        char *open = repeat("[", 63), *close = repeat("]", 63), text[256];
        snprintf(text, sizeof text, "{\"limber\": %s%s}", open, close);
        lb_heard heard = {.count = 0};
        const lb_format format = json ? LB_FORMAT_JSON : LB_FORMAT_YAML;
        assert_int_equal(load(text, strlen(text), format, &heard), LB_E_MODEL);
        expect(&heard, 0, 1, 12, "limber");
        free(open);
        free(close);
    }
}

static void brackets_inside_strings_do_not_count(void **state)
{
    (void)state;
    char *brackets = repeat("[\\\"{", 100), text[600];
    snprintf(text, sizeof text, "{\"limber\": 1, \"name\": \"%s\"}", brackets);
    lb_model *model = NULL;
    assert_int_equal(
        lb_load_model_text(text, strlen(text), "a", LB_FORMAT_JSON, NULL, NULL, &model), LB_OK);
    lb_destroy_model(model);
    free(brackets);
}

// ---- files -------------------------------------------------------------------------------------

static void expect_file_error(const char *path, const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    assert_int_equal(lb_load_model(path, NULL, &report, &model), LB_E_FILE);
    assert_null(model);
    expect(&heard, 0, 0, 0, "");
    assert_string_equal(heard.entries[0].file, path);
    assert_non_null(strstr(heard.entries[0].message, message));
}

static void a_missing_file_says_so(void **state)
{
    (void)state;
    expect_file_error("/no/such/file.yaml", "No such file or directory");
    expect_file_error("", "No such file or directory");
}

static void a_directory_is_no_file(void **state)
{
    (void)state;
    expect_file_error("/", "Is a directory");
}

static void an_empty_device_is_an_empty_document(void **state)
{
    (void)state;
    lb_model *model = NULL;
    assert_int_equal(lb_load_model("/dev/null", NULL, NULL, &model), LB_E_SYNTAX);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(deep_nesting_is_refused_at_once),
        cmocka_unit_test(nesting_of_64_is_read),
        cmocka_unit_test(brackets_inside_strings_do_not_count),
        cmocka_unit_test(a_missing_file_says_so),
        cmocka_unit_test(a_directory_is_no_file),
        cmocka_unit_test(an_empty_device_is_an_empty_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
