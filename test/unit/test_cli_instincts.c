// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody types who has not read the guide.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "document/places.h"
#include "run_cli.h"
#include "scratch.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#define HEAD "limber: 1\ngravity: [0, 0, -9.81]\n"
#define BODIES(mass)                                                                               \
    "bodies:\n"                                                                                    \
    "  - {name: arm, mass: " mass ", com: [0, 0, -1], hinge: {type: revolute, axis: [0, 1, 0]}}\n"
#define TAIL                                                                                       \
    "initial:                  # rough\n"                                                          \
    "  arm: {angle: 0.5}\n"                                                                        \
    "# how long\n"                                                                                 \
    "run: {duration: 0.02, interval: 0.01}\n"

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_model(void)
{
    write_text("arm.yaml", HEAD BODIES("2") TAIL);
}

static bool has_line(const char *path, const char *line)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    return strstr(text, line) != NULL;
}

static void endings_decide_the_format_or_are_refused(void **state)
{
    (void)state;
    write_model();
    static const lb_cli_case cases[] = {
        {{"run", "arm.yaml", "-q"}, 0, "", ""},
        {{"run", "arm.yaml", "-o", "a.mat"}, 2, "", "ends in .h5, .hdf5 or .csv"},
        {{"run", "arm.yaml", "-o", "a.csv"}, 0, "results           a.h5\nwrote a.csv\n", ""},
        {{"modes", "arm.yaml", "-o", "m.csv", "--trim"}, 0, "wrote m.csv", ""},
        {{"modes", "arm.yaml", "-o", "m.json", "--trim", "-q"}, 0, "", ""},
        {{"modes", "arm.yaml", "-o", "m.mat", "--trim"}, 2, "", "ends in .csv, .json or .txt"},
        {{"linearize", "arm.yaml", "-o", "l.mat", "--trim"}, 0, "wrote l.mat", ""},
        {{"linearize", "arm.yaml", "-o", "l.xml"}, 2, "", "'l.xml' given, expected"},
        {{"linearize", "arm.yaml", "--output", "arm.angle"}, 2, "", "go with --signal"},
        {{"linearize", "arm.yaml", "--outputs", "arm.angle"}, 2, "", "did you mean '--signal'?"},
        {{"linearize", "arm.yaml", "-o", "l.csv"}, 2, "", "only the table of --bode is CSV"},
        {{"convert", "arm.yaml", "a.xml"}, 2, "", "'a.xml' given, expected a name that ends in"},
        {{"convert", "arm.yaml", "a.json"}, 0, "wrote a.json", ""},
        {{"loads", "arm.h5", "-o", "a.xls"}, 2, "", "ends in .csv, .json, .svg, .pdf, .png or"},
#ifdef LB_WITH_VIEW
        {{"render", "arm.h5", "-o", "a.webm"}, 2, "", "ends in .gif, .mp4 or .png"},
        {{"view", "arm.h5", "-o", "a.pdf"}, 2, "", "ends in .html or .htm"},
        {{"plot", "arm.h5", "arm.angle", "-o", "a.svg"}, 0, "wrote a.svg", ""},
#endif
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    assert_true(has_line("a.csv", "t,arm.angle"));
    assert_true(has_line("m.json", "\"modes\""));
    assert_false(has_line("m.csv", "{"));
    static const char *const refused[] = {"a.mat", "m.mat", "l.xml", "arm.angle", "a.xml"};
    for (int i = 0; i < COUNT(refused); ++i) {
        assert_int_equal(access(refused[i], F_OK), -1);
    }
}

static void names_that_come_to_mind_are_known(void **state)
{
    (void)state;
    write_model();
    static const lb_cli_case cases[] = {
        {{"-V"}, 0, "limber ", ""},
        {{"version", "--json"}, 0, "{\"limber\": \"", ""},
        {{"arm.yaml"}, 0, "limber run arm.yaml", ""},
        {{"simulate", "arm.yaml", "--time", "0.05"}, 0, "time              0.05 s", ""},
        {{"arm.h5"}, 0, "limber results arm.h5", ""},
        {{"run", "arm.yaml", "--dt", "0.005", "--integrator", "rk4", "-t", "0.1"}, 0, "0.1 s", ""},
        {{"run", "arm.yaml", "--json"}, 0, "\"results\": \"arm.h5\"", ""},
        {{"results", "arm.h5", "--json"}, 0, "\"arm.angle\"", ""},
        {{"linearize", "arm.yaml", "--json"}, 0, "\"A\": ", ""},
        {{"linearise", "arm.yaml", "--json"}, 0, "\"A\": ", ""},
        {{"info", "arm.yaml", "-v"}, 0, "arm", "reading arm.yaml"},
        {{"eval", "arm.yaml", "{\"compute\": [\"energy\"]}"}, 0, "\"potential\": -19.62", ""},
        {{"eval", "arm.yaml", "{\"compute\": 1}"}, 2, "", "<command line>"},
        {{"run", "--help"}, 0, "-o, --output FILE", ""},
        {{"--help"}, 0, "\nMotion in time:\n  run", ""},
        {{"completion", "bash"}, 0, "compgen -W \"erk adams bdf rk4 euler alpha\"", ""},
        {{"export", "arm.yaml"}, 2, "", "--body is missing"},
        {{"examples", "spinning_frame"},
         0,
         "wrote spinning_frame.yaml\nwrote parts/parts.yaml",
         ""},
        {{"check", "spinning_frame.yaml"}, 0, "OK", ""},
        {{"examples", "spinning_frame"}, 2, "", "exists and is kept"},
        {{"examples", "nothing"}, 2, "", "there is no example 'nothing'"},
        {{"examples"}, 0, "double_pendulum", ""},
#ifdef LB_WITH_VIEW
        {{"plot", "arm.h5"}, 0, "arm.rate", ""},
        {{"plot", "arm.h5", "arm.*"}, 0, "arm.acceleration, ", ""},
        {{"plot", "arm.h5", "leg.*"}, 2, "", "no signal 'leg.*'"},
        {{"view", "arm.yaml", "--no-open"}, 0, "wrote arm.html", ""},
#endif
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
#ifdef LB_WITH_VIEW
    lb_cli_run run = lb_run(NULL, "view", "arm.yaml", "-o", "-");
    assert_non_null(strstr(run.out, "\"frequency_hz\""));
    lb_end_run(&run);
#endif
}

// The same numbers from the command line and from a file that has them.
static void numbers_are_set_by_the_path_of_their_key(void **state)
{
    (void)state;
    static const char request[] = "{\"q\": [0.3], \"compute\": [\"forward\", \"energy\"]}";
    write_model();
    write_text("heavy.yaml", "limber: 1\ngravity: [0, 0, -1.62]\n" BODIES("5") TAIL);
    lb_cli_run set = lb_run(request, "eval", "arm.yaml", "-", "--gravity", "0,0,-1.62", "--set",
                            "bodies.arm.mass=5"),
               written = lb_run(request, "eval", "heavy.yaml", "-");
    assert_int_equal(written.status, 0);
    assert_string_equal(set.out, written.out);
    lb_end_run(&set);
    lb_end_run(&written);

    // a model without `gravity` and `initial` gets them, and the results know
    write_text("bare.yaml", "limber: 1\n" BODIES("2") "run: {duration: 0.02, interval: 0.01}\n");
    static const lb_cli_case cases[] = {
        {{"run", "bare.yaml", "--gravity=0,0,-9.81", "--set", "initial.arm.angle=0.5"},
         0,
         NULL,
         ""},
        {{"run", "arm.yaml"}, 0, NULL, ""},
        {{"results", "bare.h5", "--compare", "arm.h5"}, 0, " 0 differ", ""},
        {{"check", "arm.yaml", "--set", "bodies.leg.mass=5"},
         1,
         NULL,
         "there is no \"bodies.leg\""},
        {{"check", "arm.yaml", "--set", "bodies.arm=5"},
         1,
         NULL,
         "is a mapping, expected a number"},
        {{"check", "arm.yaml", "--set", "gravity.2.x=5"}, 1, NULL, "nothing below \"gravity.2\""},
        {{"check", "arm.yaml", "--set", "initial.leg.angle=5"}, 1, NULL, "no body 'leg'"},
        {{"check", "arm.yaml", "--set", "angle=5"}, 1, NULL, "there is no parameter \"angle\""},
        {{"check", "arm.yaml", "--gravity", "9.81"}, 2, "", "expected X,Y,Z"},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

// A number that was set by its path stays when a parameter changes.
static void paths_stay_beside_parameters(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\nparameters: {m: 2, run.n: 1}\n"
        "bodies: [{name: arm, mass: m, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n";
    lb_document *document = NULL;
    assert_int_equal(
        lb_load_document_text(text, strlen(text), "text", LB_FORMAT_AUTO, NULL, NULL, &document),
        LB_E_MODEL); // a parameter has no dots in its name
    static const char good[] =
        "limber: 1\nparameters: {m: 2}\n"
        "bodies: [{name: arm, mass: m, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n";
    assert_int_equal(
        lb_load_document_text(good, strlen(good), "text", LB_FORMAT_AUTO, NULL, NULL, &document),
        LB_OK);
    assert_true(lb_is_document_whole(document));
    assert_int_equal(lb_set_parameter(document, "gravity.0", 1, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(document, "gravity.1", 2, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(document, "gravity.2", 3, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(document, "bodies.0.com.7", 3, NULL), LB_E_MODEL);
    assert_int_equal(lb_set_parameter(document, "m", 4, NULL), LB_OK);
    assert_false(lb_is_document_whole(document));
    char *out = NULL;
    size_t length;
    assert_int_equal(lb_format_document(document, LB_FORMAT_JSON, &out, &length), LB_OK);
    assert_non_null(strstr(out, "\"gravity\""));
    free(out);
    lb_model *model = NULL;
    assert_int_equal(lb_load_document_model(document, NULL, &model), LB_OK);
    double g[3];
    lb_get_gravity(model, g);
    for (int i = 0; i < 3; ++i) {
        assert_true(g[i] == i + 1.0);
    }
    lb_destroy_model(model);
    // and go with all others
    assert_int_equal(lb_set_parameters(document, NULL, 0, NULL), LB_OK);
    assert_true(lb_is_document_whole(document));
    lb_destroy_document(document);
}

static void states_go_into_the_file_once(void **state)
{
    (void)state;
    write_model();
    static const lb_cli_case cases[] = {
        {{"trim", "arm.yaml", "--in-place"}, 0, "wrote arm.yaml", ""},
        {{"run", "arm.yaml", "-q"}, 0, "", ""},
        {{"convert", "arm.yaml", "arm.json", "-q"}, 0, "", ""},
        {{"trim", "arm.json", "--in-place"}, 2, "#", "arm.json is not one"},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    assert_false(has_line("arm.yaml", "rough"));
    assert_true(has_line("arm.yaml", "}\n# how long\nrun: {"));
    assert_true(has_line("arm.yaml", HEAD BODIES("2")));
    // appended to a file that has the key already
    write_model();
    assert_int_equal(system("\"$LIMBER_COMMAND\" trim arm.yaml >> arm.yaml 2> said"), 2 << 8);
    assert_true(has_line("said", "--in-place replaces it"));
    assert_int_equal(system("\"$LIMBER_COMMAND\" check arm.yaml > said"), 0);
    // a reader that has seen enough
    assert_int_equal(
        system("(\"$LIMBER_COMMAND\" completion zsh 2> said; true) | head -n 1 > first"), 0);
    assert_false(has_line("said", "l"));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_decide_the_format_or_are_refused),
        cmocka_unit_test(names_that_come_to_mind_are_known),
        cmocka_unit_test(numbers_are_set_by_the_path_of_their_key),
        cmocka_unit_test(paths_stay_beside_parameters),
        cmocka_unit_test(states_go_into_the_file_once),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
