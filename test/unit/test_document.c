// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents that a caller reads himself: places, typed values, and where errors are.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "document/values.h"
#include "heard.h"

static lb_document *load(const char *text, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_document *document = NULL;
    lb_expect_ok(lb_load_document_text(text, strlen(text), "some.yaml", LB_FORMAT_AUTO, NULL,
                                       &report, &document));
    return document;
}

static void values_are_found_by_key_and_index(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_document *document =
        load("run: {duration: 2.5, names: [x, y], live: true, turn: 90 deg}\n", &heard);
    assert_string_equal(lb_get_document_file(document), "some.yaml");
    const lb_place root = lb_get_document_root(document), run = lb_place_at_key(&root, "run");
    const lb_place names = lb_place_at_key(&run, "names"), y = lb_place_at_index(&names, 1);
    const lb_place third = lb_place_at_pair(&run, 2), none = lb_place_at_key(&run, "none");
    assert_int_equal(lb_place_get_kind(&run), LB_DOC_MAPPING);
    assert_int_equal(lb_place_get_count(&run), 4);
    assert_int_equal(lb_place_get_count(&names), 2);
    assert_int_equal(lb_place_get_count(&y), 0);
    assert_string_equal(lb_place_get_string(&y), "y");
    assert_null(lb_place_get_string(&names));
    assert_string_equal(lb_place_get_key(&third), "live");
    assert_int_equal(lb_place_get_kind(&none), LB_DOC_NULL);
    assert_false(lb_place_exists(&none));
    int line, column;
    lb_place_get_mark(&y, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 33);
    lb_place_get_mark(&none, &line, &column); // of what surrounds it
    assert_int_equal(column, 6);

    lb_reader reader = lb_start_reader(document, NULL);
    double duration = 0, turn = 0;
    bool live = false;
    assert_true(lb_read_number(&reader, &run, "duration", LB_REQUIRED, &duration));
    assert_true(lb_read_bool(&reader, &run, "live", LB_REQUIRED, &live));
    assert_true(lb_read_angle(&reader, &run, "turn", LB_REQUIRED, &turn));
    assert_true(duration == 2.5 && live);
    lb_expect_near("turn", turn, acos(0.0), 1e-16);
    assert_int_equal(reader.error_count, 0);
    lb_destroy_document(document);
}

static void one_thing_or_a_list_is_read_alike(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_document *document = load("one: x\nmany: [x, y]\n", &heard);
    const lb_place root = lb_get_document_root(document), one = lb_place_at_key(&root, "one");
    const lb_place many = lb_place_at_key(&root, "many"), none = lb_place_at_key(&root, "none");
    const lb_place first = lb_place_at_item(&one, 0), last = lb_place_at_item(&many, 1);
    assert_int_equal(lb_place_count_items(&one), 1);
    assert_int_equal(lb_place_count_items(&many), 2);
    assert_int_equal(lb_place_count_items(&none), 0);
    assert_string_equal(lb_place_get_string(&first), "x");
    assert_string_equal(lb_place_get_string(&last), "y");
    lb_destroy_document(document);
}

static bool note_action(void *user, const char *event, const char *key, const char *subject,
                        const lb_place *what)
{
    char *text = user;
    const lb_place type = lb_place_at_key(what, "type");
    snprintf(text + strlen(text), 200 - strlen(text), "%s:%s:%s%s ", event ? event : "-", key,
             subject, lb_place_exists(&type) ? "!" : "");
    return strcmp(key, "release") != 0;
}

static void actions_of_events_are_visited_in_order(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_document *document = load("events:\n"
                                 "- {name: a, then: {enable: motor}}\n"
                                 "- {name: b, then: [stop, {alter: pin, length: 1},"
                                 " {make: {name: rod, type: rod}}, {make: {type: ball}}]}\n"
                                 "- {then: {release: pin}}\n"
                                 "- {name: c, then: {close: pin}}\n",
                                 &heard);
    const lb_place root = lb_get_document_root(document);
    char text[200] = "";
    lb_visit_actions(&root, note_action, text);
    assert_string_equal(text, "a:enable:motor b:alter:pin b:make:rod! -:release:pin ");
    lb_destroy_document(document);
}

static void errors_are_counted_and_located(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_document *document = load("run:\n  live: 1\n  turn: 90 grad\n", &heard);
    const lb_report report = lb_listen(&heard);
    lb_reader reader = lb_start_reader(document, &report);
    const lb_place root = lb_get_document_root(document), run = lb_place_at_key(&root, "run");
    const lb_place live = lb_place_at_key(&run, "live");
    bool truth = true;
    double turn = 7;
    assert_false(lb_read_bool(&reader, &run, "live", LB_OPTIONAL, &truth));
    assert_false(lb_read_angle(&reader, &run, "turn", LB_OPTIONAL, &turn));
    assert_false(lb_read_angle(&reader, &run, "tilt", LB_REQUIRED, &turn));
    lb_reader_warn(&reader, &live, "%d is odd", 1);
    assert_true(truth && turn == 7);
    assert_int_equal(reader.error_count, 3);
    assert_int_equal(heard.count, 4);
    const struct {
        int line, column;
        const char *path, *message;
    } expected[] = {{2, 9, "run.live", "expected true or false, found the number 1"},
                    {3, 9, "run.turn",
                     "expected radians, or an angle such as 45 deg, found the "
                     "string \"90 grad\""},
                    {2, 3, "run.tilt", "missing: the key \"tilt\" is required here"},
                    {2, 9, "run.live", "1 is odd"}};
    for (int i = 0; i < 4; ++i) {
        const lb_heard_entry *entry = &heard.entries[i];
        assert_int_equal(entry->line, expected[i].line);
        assert_int_equal(entry->column, expected[i].column);
        assert_string_equal(entry->path, expected[i].path);
        assert_string_equal(entry->message, expected[i].message);
    }
    assert_int_equal(heard.entries[3].severity, LB_SEVERITY_WARNING);
    lb_destroy_document(document);
}

static void the_model_of_a_document_ignores_what_is_for_simulation(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = load("limber: 1\nbodies: []\nforces: [anything]\nsignals: {a: b}\n"
                                 "initial: {}\nrun: {}\noutputs: []\nevents: []\n",
                                 &heard);
    lb_model *model = NULL;
    lb_expect_ok(lb_load_document_model(document, &report, &model));
    lb_destroy_model(model);
    lb_destroy_document(document);
    document = load("limber: 1\nforces: {}\nrun: 3\n", &heard);
    assert_int_equal(lb_load_document_model(document, &report, &model), LB_E_MODEL);
    assert_null(model);
    assert_int_equal(heard.count, 2);
    assert_string_equal(heard.entries[0].path, "forces");
    assert_string_equal(heard.entries[1].path, "run");
    lb_destroy_document(document);
}

static void numbers_are_converted_by_the_grammar_of_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t used;
        double number;
    } cases[] = {{"1.5e3x", 5, 1500}, {"-0.25 deg", 5, -0.25},
                 {"2e", 1, 2},        {"3.", 1, 3},
                 {"007", 1, 0},       {".5", 0, 0},
                 {"", 0, 0},          {"-", 0, 0},
                 {"1e999", 0, 0},     {"nan", 0, 0},
                 {"+1", 0, 0},        {"0x10", 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double number = 0;
        assert_int_equal(lb_convert_number(cases[i].text, &number), cases[i].used);
        assert_true(!cases[i].used || number == cases[i].number);
    }
}

static void a_bad_text_gives_no_document(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    assert_int_equal(
        lb_load_document_text("{a: [", 5, NULL, LB_FORMAT_YAML, NULL, &report, &document),
        LB_E_SYNTAX);
    assert_null(document);
    assert_int_equal(lb_load_document("no such file", NULL, &report, &document), LB_E_FILE);
    assert_null(document);
    assert_int_equal(heard.count, 2);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_key_and_index),
        cmocka_unit_test(one_thing_or_a_list_is_read_alike),
        cmocka_unit_test(actions_of_events_are_visited_in_order),
        cmocka_unit_test(errors_are_counted_and_located),
        cmocka_unit_test(the_model_of_a_document_ignores_what_is_for_simulation),
        cmocka_unit_test(numbers_are_converted_by_the_grammar_of_json),
        cmocka_unit_test(a_bad_text_gives_no_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
