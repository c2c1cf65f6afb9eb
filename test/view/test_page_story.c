// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page of limber view tells in words: events with what they did, the audit, what modes are made of, two runs.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

static const char pushed[] =
    "limber: 1\n"
    "name: pushed\n"
    "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
    "forces: [{name: jet, type: force, at: cart, value: [1, 0, 0]},\n"
    "  {name: rail, type: damper, hinge: cart, damping: 0.1}]\n"
    "events: [{name: cut, when: t, crosses: 0.5, then: [{disable: jet}, {disable: rail}]}]\n"
    "run: {duration: 1, interval: 0.1}\n";

static lb_cli_run make_page(const char *result)
{
    lb_cli_run run = lb_run(NULL, "view", result, "--output", "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

static void events_say_what_they_did(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run("pushed.yaml", pushed));
    assert_non_null(
        strstr(run.out, "\"name\":\"cut\",\"does\":[\"disable jet\",\"disable rail\"]"));
    // and forces in hinges say in which
    assert_non_null(strstr(run.out, "{\"name\":\"rail\",\"type\":\"damper\",\"hinge\":0}"));
    assert_non_null(strstr(run.out, "{\"name\":\"jet\",\"type\":\"force\"}"));
    lb_end_run(&run);
}

// Each line of the audit of `limber results`, with its label apart.
static void audit_is_that_of_the_command_line(void **state)
{
    (void)state;
    const char *result = lb_record_run("pushed.yaml", pushed);
    lb_cli_run page = make_page(result);
    lb_cli_run list = lb_run(NULL, "results", result);
    static const char *const labels[] = {"energy balance", "momentum", "verdict", "steps"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; ++i) {
        char line[64], entry[512];
        snprintf(line, sizeof line, "\n%s  ", labels[i]);
        const char *at = strstr(list.out, line);
        assert_non_null(at);
        at += strlen(line);
        at += strspn(at, " ");
        snprintf(entry, sizeof entry, "[\"%s\",\"%.*s\"]", labels[i], (int)strcspn(at, "\n"), at);
        assert_non_null(strstr(page.out, entry));
    }
    lb_end_run(&page);
    lb_end_run(&list);
}

// A mode of one hinge is made of its angle alone, in the table and in JSON; so is the pose on the page of a model.
static void modes_say_what_they_are_made_of(void **state)
{
    (void)state;
    static const char model[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, "
        "-1]},\n"
        "  {name: top, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}]\n";
    const char *path = lb_write_file("bob.yaml", model);
    lb_cli_run json = lb_run(NULL, "modes", path, "--json");
    assert_int_equal(json.status, 0);
    const char *rigid = strstr(json.out, "\"rigid\""), *made = strstr(json.out, "\"made_of\"");
    assert_non_null(rigid);
    assert_non_null(made);
    made += strcspn(made, "{");
    made += strcspn(made, "\"");
    assert_int_equal(strncmp(made, "\"top.angle\"", 11), 0);
    lb_end_run(&json);
    lb_cli_run page = make_page(path);
    assert_non_null(strstr(page.out, "\"pose\":true"));
    assert_non_null(strstr(page.out, "\"made_of\":{\"bob.angle\":1"));
    assert_null(strstr(page.out, "The run was ended on request"));
    lb_end_run(&page);
}

static void two_runs_are_in_one_page(void **state)
{
    (void)state;
    char first[512];
    snprintf(first, sizeof first, "%s", lb_record_run("pushed.yaml", pushed));
    const char *second = lb_get_swing();
    // a signal that only the first has is no reason to refuse
    lb_cli_run run = lb_run(NULL, "view", first, second, "cart.distance", "--output", "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    const char *a = strstr(run.out, "id=\"limber-data\""),
               *b = strstr(run.out, "id=\"limber-data-2\"");
    assert_non_null(a);
    assert_non_null(b);
    assert_true(a < b);
    assert_non_null(strstr(a, "\"name\":\"pushed\""));
    assert_non_null(strstr(b, "\"name\":\"swing\""));
    assert_null(strstr(b, "\"name\":\"pushed\""));
    lb_end_run(&run);

    run = lb_run(NULL, "view", first, second, "no.such.signal", "--output", "-");
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    run = lb_run(NULL, "view", first, second, first, "--output", "-");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "would be the third"));
    lb_end_run(&run);
    run = lb_run(NULL, "view", first, "nowhere.h5", "--output", "-");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "nowhere.h5"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_say_what_they_did),
        cmocka_unit_test(audit_is_that_of_the_command_line),
        cmocka_unit_test(modes_say_what_they_are_made_of),
        cmocka_unit_test(two_runs_are_in_one_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
