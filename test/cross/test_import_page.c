// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber import --page and --compare: the page is whole, has the numbers of the report and takes no name for markup;
// the comparison is in the text, in JSON and in the page.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

#define PANEL(name) lb_find_source("test/data/fe/calculix/panel" name)
#define PANEL_WORDS                                                                                \
    "import", PANEL(".sti"), PANEL(".mas"), PANEL(".dof"), PANEL(".inp"), "--units", "mm,t,s"
#define MODES(name) lb_find_source("test/data/fe/modes/" name)

static lb_cli_run run_well(const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

#define run_words(...) run_well((const char *const[]){__VA_ARGS__, NULL})

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

// Every element is closed, and nothing is fetched or run.
static void expect_whole(const char *page)
{
    static const char *const elements[][2] = {{"<div", "</div>"},       {"<table", "</table>"},
                                              {"<tr", "</tr>"},         {"<td", "</td>"},
                                              {"<svg", "</svg>"},       {"<section", "</section>"},
                                              {"<figure", "</figure>"}, {"<ul", "</ul>"},
                                              {"<g ", "</g>"},          {"<p>", NULL}};
    for (size_t i = 0; elements[i][1]; ++i) {
        if (count_words(page, elements[i][0]) != count_words(page, elements[i][1])) {
            fail_msg("%d times %s, %d times %s", count_words(page, elements[i][0]), elements[i][0],
                     count_words(page, elements[i][1]), elements[i][1]);
        }
    }
    assert_memory_equal(page, "<!doctype html>", 15);
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_non_null(strstr(page, "</body></html>"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<link"));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf\""));
}

static void clamped_panel_has_effective_masses_and_pictures(void **state)
{
    (void)state;
    lb_cli_run json = run_words(PANEL_WORDS, "--clamp=9001", "--modes=15", "--json");
    lb_cli_run page = run_words(PANEL_WORDS, "--clamp=9001", "--modes=15", "--page=-");
    expect_whole(page.out);
    assert_int_equal(count_words(page.out, "<figure>"), 12);
    // the body at rest is drawn once
    assert_int_equal(count_words(page.out, "id=\"rest\""), 1);
    assert_int_equal(count_words(page.out, "href=\"#rest\""), 11);
    assert_int_equal(count_words(page.out, "chip good"), 8);
    assert_int_equal(count_words(page.out, "chip look"), 0);
    // every effective mass of the JSON is a bar of the page, in the same order
    json_t *report = json_loads(json.out, 0, NULL);
    const json_t *effective = json_object_get(report, "effective"),
                 *whole = json_object_get(report, "whole");
    const char *at = page.out;
    assert_int_equal(json_array_size(effective), 15);
    for (size_t i = 0; i < 15 * 6; ++i) {
        const double mass =
            json_number_value(json_array_get(json_array_get(effective, i / 6), i % 6));
        at = strstr(at, "<td class=\"bar");
        assert_non_null(at);
        at = strchr(at, '>') + 1;
        lb_expect_below("effective mass in %",
                        atof(at) - 100 * mass / json_number_value(json_array_get(whole, i % 6)),
                        0.0051);
    }
    json_decref(report);
    lb_end_run(&json);
    lb_end_run(&page);
}

static void free_panel_has_frequencies_alone(void **state)
{
    (void)state;
    lb_cli_run text = run_words(PANEL_WORDS, "--modes=8");
    assert_null(strstr(text.out, "effective mass, %"));
    assert_non_null(strstr(text.out, "1-6:   27.42324   42.46164   77.30311"));
    assert_non_null(strstr(text.out, "7-8:"));
    lb_end_run(&text);
    lb_cli_run page = run_words(PANEL_WORDS, "--modes=8", "--page=-");
    expect_whole(page.out);
    assert_int_equal(count_words(page.out, "<figure>"), 8);
    assert_int_equal(count_words(page.out, "class=\"bar"), 0);
    assert_non_null(strstr(page.out, "27.4232 Hz"));
    lb_end_run(&page);
}

static void a_body_of_one_node_has_a_page(void **state)
{
    (void)state;
    lb_cli_run page = run_words("import", MODES("array.csv"), "--page=-");
    expect_whole(page.out);
    assert_non_null(strstr(page.out, "No node of the files moves in any mode"));
    lb_end_run(&page);
}

// However a file is named, the page has the same elements.
static void names_are_no_markup(void **state)
{
    (void)state;
    static const char *const names[2] = {"plain.fem", "<b onclick='x'>&\"\xff.fem"};
    int elements[2];
    FILE *file = fopen(MODES("bar.fem"), "rb");
    assert_non_null(file);
    static char text[1 << 16];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (int i = 0; i < 2; ++i) {
        lb_cli_run page = run_words("import", lb_write_file(names[i], text), "--page=-");
        expect_whole(page.out);
        elements[i] = count_words(page.out, "<");
        assert_null(strstr(page.out, "<b onclick"));
        assert_true(i == 0 || strstr(page.out, "&#60;b onclick=&#39;x&#39;&#62;&#38;&#34;?.fem"));
        lb_end_run(&page);
    }
    assert_int_equal(elements[0], elements[1]);
}

static void comparison_is_in_text_json_and_page(void **state)
{
    (void)state;
    char body[512], few[512], page[512];
    snprintf(body, sizeof body, "%s", lb_write_file("body.flex", ""));
    snprintf(few, sizeof few, "%s", lb_write_file("few.flex", ""));
    snprintf(page, sizeof page, "%s", lb_write_file("page.html", ""));
    lb_cli_run run = run_words(PANEL_WORDS, "--clamp=9001", "--modes=8", "--output", body);
    lb_end_run(&run);
    run = run_words(PANEL_WORDS, "--clamp=9001", "--modes=5", "--output", few);
    lb_end_run(&run);

    run = run_words("import", body, "--compare", few, "--page", page);
    assert_non_null(strstr(run.out, "Comparison of body.flex with few.flex"));
    assert_non_null(strstr(run.out, "     1   4.459154      1   4.459154     +0.0000 %  1.0000"));
    assert_non_null(strstr(run.out, "     8   162.0543      -          -\n"));
    assert_non_null(strstr(run.out, "Page: "));
    lb_end_run(&run);

    run = run_words("import", body, "--compare", few, "--json");
    json_t *report = json_loads(run.out, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(report, "frequencies")), 8);
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(report, "comparison"), "pairs")), 5);
    json_decref(report);
    lb_end_run(&run);

    run = run_words("import", body, "--compare", few, "--page=-");
    expect_whole(run.out);
    // five pairs, with all modes of one against all of the other in the picture
    assert_int_equal(count_words(run.out, "chip good\">1.0000"), 5);
    assert_int_equal(count_words(run.out, "<rect "), 8 * 5);
    // the same page is in the file
    FILE *file = fopen(page, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, run.out);
    free(text);
    lb_end_run(&run);

    static const lb_cli_case cases[] = {
        {{"import", "BODY", "--compare=/nowhere.flex"}, 1, "", "/nowhere.flex"},
        {{"import", "BODY", "--page=/nowhere/a.html"}, 1, "", "cannot write /nowhere/a.html"},
        {{"import", "BODY", "--page", "BODY"}, 1, "", "this command reads it"},
        {{"import", "BODY", "--compare", "FEW", "--page", "FEW"}, 1, "", "this command reads it"},
        {{"import", "BODY", "--output=again.flex"}, 1, "", "is a body file already"},
        {{"import", "BODY", "--clamp=9001"}, 1, "", "is a body file: its units"},
        {{"import", "BODY", "--output=a", "--page=a"}, 1, "", "name the same file"},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"BODY", body, "FEW", few, NULL});
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_panel_has_effective_masses_and_pictures),
        cmocka_unit_test(free_panel_has_frequencies_alone),
        cmocka_unit_test(a_body_of_one_node_has_a_page),
        cmocka_unit_test(names_are_no_markup),
        cmocka_unit_test(comparison_is_in_text_json_and_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
