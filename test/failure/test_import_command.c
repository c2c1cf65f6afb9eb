// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber import with body files whose report is damaged, and with bodies that are hard to draw.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

#define MODES(name) lb_find_source("test/data/fe/modes/" name)
#define BAR MODES("bar.sid")

enum { MOST = 1 << 20 };

// ---- damaged reports ---------------------------------------------------------------------------

// A body file of the bar with another report in it, which hashes do not cover. Returns its path.
static const char *write_body(const char *name, const char *report)
{
    static char bytes[MOST];
    const char *path = lb_write_file(name, "");
    lb_cli_run run = lb_run(NULL, "import", BAR, "--output", path);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    const char start[] = "{\"format\":";
    size_t at = 0;
    while (at + sizeof start < size && memcmp(bytes + at, start, sizeof start - 1) != 0) {
        ++at;
    }
    // blanks up to the end of the old one, which is longer
    const size_t old = strlen(bytes + at);
    assert_true(at + sizeof start < size && strlen(report) <= old);
    memset(bytes + at, ' ', old);
    memcpy(bytes + at, report, strlen(report));
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static char *make_page(const char *path)
{
    lb_cli_run run = lb_run(NULL, "import", path, "--page=-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "</body></html>"));
    char *page = run.out;
    free(run.err);
    return page;
}

static void reports_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const reports[] = {"", "[1, 2]", "3", "{\"checks\": [}", "{} x"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; ++i) {
        const lb_cli_case refused = {
            {"import", "BODY", "--page=-"}, 1, "", "report_json is not a report: damaged"};
        lb_expect_cases(&refused, 1,
                        (const char *const[]){"BODY", write_body("none.flex", reports[i]), NULL});
    }
}

static void reports_with_gaps_make_pages(void **state)
{
    (void)state;
    char *page = make_page(write_body("empty.flex", "{}"));
    assert_non_null(strstr(page, "0 of 0</b><span>checks passed"));
    assert_null(strstr(page, "Modes, "));
    free(page);

    page = make_page(write_body(
        "odd.flex",
        "{\"format\": \"<b>\\u0001\\u007f&\", \"rows\": 7, \"mass\": \"heavy\", \"centre\": [1],"
        "\"frequencies\": [0, 1e-3, \"x\", 1e3], \"effective\": [[1, 2], [], [3]], \"whole\": [2],"
        "\"free_frequencies\": [3, 4], \"files\": [{\"name\": \"a\"}, {}],"
        "\"checks\": [{\"name\": \"a\", \"good\": false, \"words\": \"b\"}, {\"good\": true}],"
        "\"flexibility\": [{\"node\": 5, \"direction\": \"z\", \"whole\": 2, \"modes\": 1}, {}]}"));
    // what is no number is a dash, and no text is markup
    assert_non_null(strstr(page, "&#60;b&#62;??&#38;"));
    assert_non_null(strstr(page, ", 7 rows"));
    assert_non_null(strstr(page, "1 of 2</b><span>check needs a look"));
    assert_non_null(strstr(page, "<td>1</td><td>\xe2\x80\x93</td><td>\xe2\x80\x93</td>"));
    assert_non_null(strstr(page, "<p>3, 4 Hz</p>"));
    assert_non_null(strstr(page, "<td>z</td><td>2.0000e+00</td><td class=\"bar\""));
    free(page);

    page = make_page(write_body("still.flex", "{\"frequencies\": [0, 0], \"checks\": [{}, {}]}"));
    assert_non_null(strstr(page, "2 of 2</b><span>checks need a look"));
    assert_null(strstr(page, "class=\"wide\""));
    free(page);
    page = make_page(write_body("huge.flex", "{\"frequencies\": [1.7e308]}"));
    assert_null(strstr(page, "class=\"wide\""));
    free(page);
}

static void long_tables_are_cut(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"frequencies\": [", "The first 100 of 130 modes."},
        {"{\"whole\": [1, 1, 1, 1, 1, 1], \"effective\": [[0.5, 0.5, 0, 0, 0, 0]], "
         "\"frequencies\": [",
         "The first 100 of 130 modes; the sums are of all."}};
    for (int i = 0; i < 2; ++i) {
        char report[1024];
        size_t used = (size_t)snprintf(report, sizeof report, "%s", cases[i][0]);
        for (int mode = 0; mode < 130; ++mode) {
            used += (size_t)snprintf(report + used, sizeof report - used, "%s1e%d", mode ? "," : "",
                                     mode % 7);
        }
        snprintf(report + used, sizeof report - used, "]}");
        char *page = make_page(write_body("long.flex", report));
        assert_non_null(strstr(page, cases[i][1]));
        assert_non_null(strstr(page, "100</td>"));
        assert_null(strstr(page, "\">101</td>"));
        free(page);
    }
}

// ---- bodies ------------------------------------------------------------------------------------

// Nodes in a row with two modes, one that only turns them; the names are numbers from 1.
static const char *write_row(const char *name, int count, double distance)
{
    static char text[MOST];
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    PUT("** RECORD GROUP 1, HEADER\n**\nREV0 %d 2 0 0 0\n** RECORD GROUP 2, NODES\n", count);
    for (int i = 0; i < count; ++i) {
        PUT("%d\n", i + 1);
    }
    PUT("** RECORD GROUP 3, START\n0 0\n** RECORD GROUP 4, START\n0 0\n");
    for (int group = 5; group < 8; ++group) {
        PUT("** RECORD GROUP %d\n", group);
        for (int i = 0; i < count; ++i) {
            PUT("%g\n", group == 6 ? distance * i : 0.0);
        }
    }
    PUT("** RECORD GROUP 8, SHAPES\n");
    for (int i = 0; i < 2 * count; ++i) {
        PUT("%s%s\n", i % count ? "" : "**\n", i < count ? "0 0 1 0 0 0" : "0 0 0 1 0 0");
    }
    PUT("** RECORD GROUP 9, MASS\n%d 0\n0 %d\n** RECORD GROUP 10, STIFFNESS\n1 0\n0 100\n", count,
        count);
    PUT("** RECORD GROUP 11, MASSES\n");
    for (int i = 0; i < count; ++i) {
        PUT("1 1 1 1 1 1\n");
    }
    assert_true(used + 1 < sizeof text);
    return lb_write_file(name, text);
}

static void odd_bodies_are_drawn(void **state)
{
    (void)state;
    // in one place: dots, and no lines between them
    lb_cli_run run = lb_run(NULL, "import", write_row("heap.fem", 3, 0.0), "--page=-");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "<path class=\"dots\" stroke=\"#c9ced6\""));
    assert_null(strstr(run.out, "Lines join"));
    assert_null(strstr(run.out, "nan"));
    lb_end_run(&run);
    // too many to be joined, named and drawn
    run = lb_run(NULL, "import", write_row("row.fem", 1600, 0.1), "--page=-");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "Lines join"));
    assert_non_null(strstr(run.out, "Not all nodes are drawn."));
    assert_non_null(strstr(run.out, "40, ...</p>"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_that_are_none_are_refused),
        cmocka_unit_test(reports_with_gaps_make_pages),
        cmocka_unit_test(long_tables_are_cut),
        cmocka_unit_test(odd_bodies_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
