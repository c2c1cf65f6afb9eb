// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters, included files and repeated items.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "document/places.h"
#include "heard.h"
#include "limber/dynamics.h"
#include "limber/io.h"
#include "limber/model.h"
#include "run_cli.h"

#define HINGE "hinge: {type: revolute, axis: [0, 1, 0]}"
#define SOLID "mass: 1, inertia: [1, 1, 1, 0, 0, 0]"

static lb_document *load(const char *text)
{
    lb_document *document = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_load_document_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, &report,
                          &document);
    lb_print_heard(&heard);
    assert_non_null(document);
    return document;
}

static lb_model *build(const lb_document *document)
{
    lb_model *model = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_load_document_model(document, &report, &model);
    lb_print_heard(&heard);
    assert_non_null(model);
    return model;
}

static double get_body_mass(const lb_model *model, int body)
{
    double mass, com[3], inertia[6];
    lb_get_mass_properties(model, body, &mass, com, inertia);
    return mass;
}

static double get_mass(const lb_document *document)
{
    lb_model *model = build(document);
    const double mass = get_body_mass(model, 0);
    lb_destroy_model(model);
    return mass;
}

// ---- values --------------------------------------------------------------------------------------

static void numbers_may_be_formulas_of_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double value;
    } cases[] = {{"k", 100},
                 {"k + half", 150},
                 {"half/2", 25},
                 {"2*3", 6},
                 {"sqrt(k)", 10},
                 {"k*sin(30 deg)", 50},
                 {"max(k, half) - min(k, half)", 50},
                 {"if(k > half, 1, 2)", 1},
                 {"e + 1", 3.5},
                 {"k^0.5", 10},
                 {"12*right/pi", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\nparameters: {half: k/2, k: 100, e: 2.5, right: 90 deg}\nbodies:\n"
                 "  - {name: a, " HINGE ", mass: '%s', inertia: [1, 1, 1, 0, 0, 0]}\n",
                 cases[i].formula);
        lb_document *document = load(text);
        // 1e-15: one rounding or two
        lb_expect_below(cases[i].formula, get_mass(document) / cases[i].value - 1.0, 1e-15);
        lb_destroy_document(document);
    }
}

static void parameters_are_set_without_reading_again(void **state)
{
    (void)state;
    lb_document *document =
        load("limber: 1\nparameters:\n"
             "  m: {value: 2, unit: kg, range: [1, 5], note: of the rod}\n"
             "  twice: 2*m\n"
             "bodies: [{name: a, " HINGE ", mass: twice, inertia: [1, 1, 1, 0, 0, 0]}]\n");
    assert_int_equal(lb_get_parameter_count(document), 2);
    lb_parameter m = {.size = sizeof m};
    lb_expect_ok(lb_get_parameter(document, 0, &m));
    assert_string_equal(m.name, "m");
    assert_string_equal(m.unit, "kg");
    assert_string_equal(m.note, "of the rod");
    assert_true(m.value == 2.0 && m.low == 1.0 && m.high == 5.0 && m.line == 3 && !m.formula);
    lb_expect_ok(lb_get_parameter(document, 1, &m));
    assert_string_equal(m.formula, "2*m");
    assert_true(m.value == 4.0 && isinf(m.high));
    assert_int_equal(lb_get_parameter(document, 2, &m), LB_E_ARGUMENT);
    assert_true(get_mass(document) == 4.0);
    assert_true(lb_is_document_whole(document));

    lb_expect_ok(lb_set_parameter(document, "m", 3.0, NULL));
    assert_true(get_mass(document) == 6.0);
    assert_false(lb_is_document_whole(document));
    // what is refused changes nothing
    assert_int_equal(lb_set_parameter(document, "m", 6.0, NULL), LB_E_MODEL);
    assert_int_equal(lb_set_parameter(document, "mm", 2.0, NULL), LB_E_MODEL);
    assert_int_equal(lb_set_parameter(document, "m", NAN, NULL), LB_E_MODEL);
    assert_true(get_mass(document) == 6.0);
    // one that is computed can be set as well
    lb_expect_ok(lb_set_parameter(document, "twice", 1.5, NULL));
    lb_expect_ok(lb_set_parameter(document, "m", 5.0, NULL));
    assert_true(get_mass(document) == 1.5);

    // what is written is what was set
    char *text;
    size_t length;
    lb_expect_ok(lb_format_document(document, LB_FORMAT_JSON, &text, &length));
    lb_document *again = load(text);
    assert_true(get_mass(again) == 1.5);
    lb_expect_ok(lb_get_parameter(again, 0, &m));
    assert_true(m.value == 5.0);
    lb_destroy_document(again);
    free(text);
    lb_destroy_document(document);
}

static void signals_and_functions_use_parameters(void **state)
{
    (void)state;
    const char *path = lb_write_file(
        "drive.yaml", "limber: 1\nparameters: {T: {value: 3, unit: s}, w: 2, half: T/2}\n"
                      "bodies: [{name: a, " HINGE ", " SOLID "}]\n"
                      "signals: {double: 2*T*t/w, again: T}\n"
                      "forces:\n"
                      "  - {name: push, type: motor, hinge: a, value: T/w + 0*double + 0*again}\n"
                      "outputs: [double]\n"
                      "run: {duration: 2, interval: 1}\n");
    char out[600];
    snprintf(out, sizeof out, "%s.h5", path);
    lb_cli_run run = lb_run(NULL, "run", path, "-o", out, "--quiet", "--set", "T=5");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    // a torque of T / w = 2.5 on an inertia of 1 for 2 s: 5 rad
    run = lb_run(NULL, "results", out, "--print", "a.angle");
    const char *last = strrchr(run.out, '\n');
    while (last > run.out && last[-1] != ',' && last[-1] != ' ' && last[-1] != '\n') {
        --last;
    }
    lb_expect_below("angle", strtod(last, NULL) - 5.0, 1e-6);
    lb_end_run(&run);

    // the file says what it was run with
    run = lb_run(NULL, "results", out);
    assert_non_null(
        strstr(run.out, "parameters (of the model)\n  T = 5 s\n  w = 2\n  half = 2.5\n"));
    lb_end_run(&run);
    remove(out);
}

// ---- repetition ------------------------------------------------------------------------------------

static void repeated_items_are_those_of_the_file_written_out(void **state)
{
    (void)state;
    lb_document *document =
        load("limber: 1\nparameters: {n: 3, L: 0.5}\nbodies:\n"
             "  - {name: link0, " HINGE ", " SOLID ", nodes: {end: {position: [L, 0, 0]}}}\n"
             "  - repeat:\n"
             "      count: n - 1\n"
             "      items:\n"
             "        - {name: 'link{i+1}', parent: 'link{i}', at: end, " HINGE ", mass: 10 + i,\n"
             "           inertia: [1, 1, 1, 0, 0, 0], nodes: {end: {position: [L, 0, 0]},\n"
             "             repeat: {count: 2, index: j, items: {'n{i}_{j}': {position: [i, j, "
             "L*i*j]}}}}}\n"
             "        - {name: 'flag{i}', parent: 'link{i+1}', " HINGE ", " SOLID "}\n"
             "  - {name: last, parent: 'link2', " HINGE ", " SOLID "}\n");
    lb_model *model = build(document);
    static const char *const names[] = {"link0", "link1", "flag0", "link2", "flag1", "last"};
    assert_int_equal(lb_get_body_count(model), 6);
    for (int i = 0; i < 6; ++i) {
        assert_string_equal(lb_get_body_name(model, i), names[i]);
    }
    assert_true(get_body_mass(model, 1) == 10.0 && get_body_mass(model, 3) == 11.0);
    // a node's position, relative to its body's, with all angles zero
    const double q[6] = {0}, v[6] = {0};
    lb_node_motion body, node;
    lb_work *work = lb_create_work(model);
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_node_motion(model, work, 3, lb_find_node(model, 3, "origin"), &body));
    lb_expect_ok(lb_compute_node_motion(model, work, 3, lb_find_node(model, 3, "n1_1"), &node));
    assert_true(node.position[0] - body.position[0] == 1.0);
    assert_true(node.position[1] - body.position[1] == 1.0);
    assert_true(node.position[2] - body.position[2] == 0.5);
    lb_destroy_work(work);
    lb_destroy_model(model);

    lb_expect_ok(lb_set_parameter(document, "n", 1.0, NULL));
    model = NULL;
    assert_int_equal(lb_load_document_model(document, NULL, &model), LB_E_MODEL); // no link2
    lb_expect_ok(lb_set_parameter(document, "n", 50.0, NULL));
    model = build(document);
    assert_int_equal(lb_get_body_count(model), 100);
    lb_destroy_model(model);
    lb_destroy_document(document);
}

// What `modes --json` prints, without the parameters, which come last.
static char *cut_parameters(char *json)
{
    char *end = strstr(json, "\n  ]");
    assert_non_null(end);
    end[4] = '\0';
    return json;
}

// The truss of the examples, written with `repeat`, and as it was written out by hand.
static void written_out_truss_has_the_same_bits(void **state)
{
    (void)state;
    const char *const paths[] = {lb_find_source("examples/truss.yaml"),
                                 lb_find_source("test/data/truss_written_out.yaml")};
    lb_cli_run modes[2], longer;
    for (int i = 0; i < 2; ++i) {
        modes[i] = lb_run(NULL, "modes", paths[i], "--json");
        assert_int_equal(modes[i].status, 0);
        assert_int_equal(strstr(modes[i].out, "\"parameters\"") != NULL, i == 0);
        cut_parameters(modes[i].out);
    }
    assert_string_equal(modes[0].out, modes[1].out);
    longer = lb_run(NULL, "modes", paths[0], "--json", "--set", "bays=3");
    assert_int_equal(longer.status, 0);
    assert_string_not_equal(cut_parameters(longer.out), modes[0].out);
    lb_end_run(&longer);

    // what convert writes is the same model
    lb_cli_run written = lb_run(NULL, "convert", paths[0], "-");
    assert_int_equal(written.status, 0);
    assert_null(strstr(written.out, "repeat"));
    lb_cli_run again = lb_run(NULL, "modes", lb_write_file("again.yaml", written.out), "--json");
    assert_string_equal(cut_parameters(again.out), modes[0].out);
    lb_end_run(&again);
    lb_end_run(&written);
    for (int i = 0; i < 2; ++i) {
        lb_end_run(&modes[i]);
    }
}

// ---- files ---------------------------------------------------------------------------------------

static void included_files_come_first_and_are_merged(void **state)
{
    (void)state;
    lb_write_file("steel.yaml", "limber: 1\nname: steel\nparameters: {rho: 7850}\n");
    lb_write_file("base.yaml", "limber: 1\ninclude: steel.yaml\ngravity: [0, 0, -1]\n"
                               "ground: {nodes: {a: {position: [1, 0, 0]}}}\n"
                               "bodies: [{name: base, " HINGE ", mass: rho/10, inertia: "
                               "[1, 1, 1, 0, 0, 0]}]\n");
    const char *path =
        lb_write_file("whole.yaml", "limber: 1\nname: whole\ninclude: [base.yaml]\n"
                                    "ground: {nodes: {b: {position: [2, 0, 0]}}}\n"
                                    "bodies: [{name: arm, parent: base, " HINGE ", " SOLID "}]\n");
    lb_document *document = NULL;
    lb_expect_ok(lb_load_document(path, NULL, NULL, &document));
    assert_int_equal(lb_get_included_count(document), 2);
    assert_non_null(strstr(lb_get_included_file(document, 0), "base.yaml"));
    assert_non_null(strstr(lb_get_included_file(document, 1), "steel.yaml"));
    assert_null(lb_get_included_file(document, 2));
    assert_false(lb_is_document_whole(document));
    lb_model *model = build(document);
    assert_string_equal(lb_get_model_name(model), "whole");
    assert_string_equal(lb_get_body_name(model, 0), "base");
    assert_true(get_body_mass(model, 0) == 785.0);
    assert_int_equal(lb_get_node_count(model, LB_GROUND), 3); // with its origin
    lb_destroy_model(model);
    lb_destroy_document(document);
}

// A tube of twice the diameter, with walls in proportion, has four times the mass.
static void parts_of_a_library_take_values(void **state)
{
    (void)state;
    lb_write_file("tubes.yaml",
                  "limber: 1\n"
                  "parameters: {d: {value: 0.03, range: [0.01, 0.1]}, wall: d/20, rho: 2700}\n"
                  "materials: {metal: {E: 7.0e10, nu: 0.3, rho: rho}}\n"
                  "sections: {tube: {type: tube, diameter: d, wall: wall}}\n");
    static const struct {
        const char *section, *material;
        double share; // of the mass of the first; 0 for an error
        const char *message;
    } cases[] = {
        {"tube", "metal", 1, ""},
        {"{part: tube}", "metal", 1, ""},
        {"{part: tube, d: 2*D}", "metal", 4, ""},
        {"{part: tube, wall: 0.003}", "metal", (0.03 - 0.003) * 0.003 / ((0.03 - 0.0015) * 0.0015),
         ""},
        {"tube", "{part: metal, rho: 5400}", 2, ""},
        {"{part: tube, d: 1}", "metal", 0, "1 was set, expected a value of its range, 0.01 to 0.1"},
        {"{part: tube, e: 1}", "metal", 0, "there is no parameter \"e\" to be set"},
        {"{part: tub, d: 1}", "metal", 0, "no part is called \"tub\" in the library files"},
        {"{part: tube, wall: 1}", "metal", 0, "1 m found, expected at most 0.015 m"},
        {"tube", "{part: metal, rho: -1}", 0,
         "with these values, the part is wrong: -1 found, expected a positive number"}};
    double first = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\nparameters: {D: 0.03}\nlibrary: tubes.yaml\nbodies:\n"
                 "  - {name: a, hinge: {type: fixed}, beam: {length: 2, section: %s, material: %s, "
                 "modes: 1}}\n",
                 cases[i].section, cases[i].material);
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_expect_ok(lb_load_document(lb_write_file("boom.yaml", text), NULL, NULL, &document));
        const lb_status status = lb_load_document_model(document, &report, &model);
        assert_int_equal(status, cases[i].share > 0 ? LB_OK : LB_E_MODEL);
        if (model) {
            const double mass = get_body_mass(model, 0);
            first = i == 0 ? mass : first;
            // 1e-12: sums over the points of a beam
            lb_expect_below(cases[i].section, mass / first / cases[i].share - 1.0, 1e-12);
        } else if (!strstr(heard.entries[0].message, cases[i].message)) {
            fail_msg("%s, %s: %s", cases[i].section, cases[i].material, heard.entries[0].message);
        }
        lb_destroy_model(model);
        lb_destroy_document(document);
    }
}

// ---- mistakes ------------------------------------------------------------------------------------

// A model of one body, with more.
#define ONE "bodies: [{name: a, " HINGE ", mass: m, inertia: [1, 1, 1, 0, 0, 0]}]\n"

// The table of mistakes in the guide; to be freed.
static char *read_mistakes_of_guide(void)
{
    FILE *file = fopen(lb_find_source("docs/guide/parameters.md"), "rb");
    assert_non_null(file);
    char *page = calloc(1 << 16, 1);
    assert_non_null(page);
    const size_t length = fread(page, 1, (1 << 16) - 1, file);
    assert_true(length > 0 && length < (1 << 16) - 1);
    assert_int_equal(fclose(file), 0);
    char *table = strstr(page, "\n| mistake | ");
    assert_non_null(table);
    char *end = strstr(table, "\n\n");
    assert_non_null(end);
    end[1] = '\0';
    memmove(page, table, strlen(table) + 1);
    return page;
}

// A row of that table: what was done, and the line of `printed` with the message, without folders.
static void format_row(const char *shown, const char *printed, const char *message,
                       const char *path, size_t size, char *row)
{
    const size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
    const char *at = strstr(printed, message);
    while (at > printed && at[-1] != '\n') {
        --at;
    }
    size_t used = (size_t)snprintf(row, size, "\n| %s | `", shown);
    while (*at && *at != '\n' && used + 8 < size) {
        if (strncmp(at, path, folder) == 0) {
            at += folder;
        } else {
            row[used++] = *at++;
        }
    }
    memcpy(row + used, "` |\n", 5);
}

static void mistakes_are_told_with_their_lines(void **state)
{
    (void)state;
    lb_write_file("loop.yaml", "limber: 1\ninclude: loop.yaml\n");
    lb_write_file("wrong.yaml", "limber: 1\n\nbodies: [{name: b, " HINGE ", mass: 2*q}]\n");
    lb_write_file("heavy.yaml", "limber: 1\nparameters: {m: 3}\n");
    // the last is what the guide shows of it; NULL where it leaves it out
    static const struct {
        const char *text, *message, *shown;
    } cases[] = {
        {"parameters: {k: 1}\n" ONE,
         ":3:68: bodies[0].mass: expected a number, found \"m\": there is no parameter \"m\"",
         "`mass: m`, no such parameter"},
        {"parameters: {m: n, n: 2*m}\n" ONE, ":2:23: parameters.n: \"m\" uses itself",
         "`m: n`, `n: 2*m`"},
        {"parameters: {m: 2*q}\n" ONE, ":2:17: parameters.m: there is no parameter \"q\"",
         "`m: 2*q`, no parameter `q`"},
        {"parameters: {m: '2.0'}\n" ONE,
         "parameters.m: expected a number or a formula, found \"2.0\"", "`m: '2.0'`"},
        {"parameters: {m: 1/0}\n" ONE, "parameters.m: not a finite number", "`m: 1/0`"},
        {"parameters: {m: 2 +}\n" ONE,
         "parameters.m: the expression ends where a value is expected", "`m: 2 +`"},
        {"parameters: {m: '2*)'}\n" ONE,
         "parameters.m: expected a number, a parameter, a function or \"(\" (character 3)",
         "`m: '2*)'`"},
        {"parameters: {sin: 1, m: 1}\n" ONE,
         "parameters.sin: \"sin\" is a word of formulas, choose another name", "`sin: 1`"},
        {"parameters: {my mass: 1, m: 1}\n" ONE, "expected a name of letters, digits and _",
         "`my mass: 1`"},
        {"parameters: [1]\n" ONE,
         ":2:13: parameters: expected a mapping from names to values, found a list of 1",
         "`parameters: [1]`"},
        {"parameters: {m: [1]}\n" ONE,
         "parameters.m: expected a number or a formula, found a list of 1", NULL},
        {"parameters: {m: {unit: kg}}\n" ONE,
         "parameters.m: missing: the key \"value\" is required here", "`m: {unit: kg}`"},
        {"parameters: {m: {value: 9, range: [1, 5]}}\n" ONE,
         ":2:17: parameters.m: 9 found, expected a value of its range, 1 to 5",
         "`m: {value: 9, range: [1, 5]}`"},
        {"parameters: {m: {value: 3, range: [5, 1]}}\n" ONE,
         "parameters.m.range: 5 to 1 found, expected the smaller one first",
         "`m: {value: 3, range: [5, 1]}`"},
        {"parameters: {m: {value: 9, range: [1, 2*n]}, n: k, k: 3}\n" ONE,
         ":2:17: parameters.m: 9 found, expected a value of its range, 1 to 6", NULL},
        {"parameters: {m: {value: 9, range: [1, q]}}\n" ONE,
         "parameters.m.range[1]: expected a number, found \"q\": there is no parameter \"q\"",
         NULL},
        {"parameters: {m: {value: 3, limit: 2}}\n" ONE, "parameters.m.limit: unknown key \"limit\"",
         "`m: {value: 3, limit: 2}`"},
        {"parameters: {m: -2}\n" ONE,
         ":3:68: bodies[0].mass: -2 found, expected a finite mass "
         "that is not negative (kg) (\"m\" is -2, m = -2 of line 2)",
         "`m: -2`, `mass: m`"},
        {"parameters: {m: 1, a: 2}\n" ONE,
         "bodies[0].name: \"a\" is a parameter, expected another name", "`a: 2` and a body `a`"},
        {"parameters: {m: 1}\nsignals: {m: t}\n" ONE,
         "signals.m: \"m\" is a parameter, expected another name", "`m: 1` and a signal `m`"},
        {"bodies: [{name: a, " HINGE ", mass: '010'}]\n",
         "bodies[0].mass: expected a finite number as in JSON, found the string \"010\"",
         "`mass: '010'`"},
        {"bodies: [{name: a, " HINGE ", mass: .inf}]\n",
         "bodies[0].mass: expected a finite number as in JSON", NULL},
        {"bodies: [{name: a, " HINGE ", mass: heavy}]\n",
         "bodies[0].mass: expected a number, found the string \"heavy\"", NULL},
        {"bodies: [repeat: {count: 2.5, items: [{name: a}]}]\n",
         ":2:26: bodies[0].repeat.count: 2.5 found, expected a whole number from 0 to",
         "`count: 2.5`"},
        {"bodies: [repeat: {count: -1, items: []}]\n", "-1 found, expected a whole number", NULL},
        {"bodies: [repeat: {count: q, items: []}]\n", "there is no parameter \"q\"",
         "`count: q`, no parameter `q`"},
        {"bodies: [repeat: {items: []}]\n", "bodies[0].repeat.count: missing",
         "`repeat: {items: []}`"},
        {"bodies: [repeat: {count: 2}]\n", "missing: the key \"items\" is required here",
         "`repeat: {count: 2}`"},
        {"bodies: [repeat: {count: 2, items: {a: 1}}]\n",
         "bodies[0].repeat.items: expected a list of items, found a mapping",
         "`items: {a: 1}` in a list"},
        {"bodies: [repeat: {count: 2, index: sin, items: []}]\n",
         "expected a name such as i, which is no word of formulas", "`index: sin`"},
        {"parameters: {i: 1}\nbodies: [repeat: {count: 2, items: []}]\n",
         "a parameter has the same name", "a parameter `i` and the index `i`"},
        {"bodies: [repeat: {count: 2, items: [{name: 'a{i', " HINGE ", " SOLID "}]}]\n",
         "a { without its }, or too far from it (i = 0)", "`name: 'a{i'`"},
        {"bodies: [repeat: {count: 2, items: [{name: 'a{k}', " HINGE ", " SOLID "}]}]\n",
         "in {k}: there is no parameter \"k\" (character 1) (i = 0)",
         "`name: 'a{k}'`, no parameter `k`"},
        {"bodies: [repeat: {count: 3, items: [{name: 'a{i}', " HINGE
         ", mass: 1 - i, inertia: [1, 1, 1, 0, 0, 0]}]}]\n",
         "bodies[2].mass: -1 found, expected a finite mass that is not negative (kg) (i = 2)",
         "`mass: 1 - i`, three copies"},
        {"bodies: [repeat: {count: 2, items: [repeat: {count: 2, items: []}]}]\n",
         "an index around it has the same name (i = 0)",
         "two indices `i`, one repetition inside the other"},
        {"bodies: [{name: a, " HINGE ", " SOLID
         ", nodes: {repeat: {count: 2, items: {n: {position: [0, 0, 0]}}}}}]\n",
         "the key \"n\" is made twice by repetition",
         "`items: {n: ...}`, the same key in two copies"},
        {"bodies: [repeat: {count: 60000000, items: [{name: a}]}]\n",
         "the document grows to more than 67108864 values here", "`count: 60000000`"},
        {"bodies: [repeat: {count: 9, index: j, items: [repeat: {count: 60000000, items: [{name: "
         "a}]}]}]\n",
         "the document grows to more than 67108864 values here", NULL},
        {"bodies: [repeat: {count: 3, items: [{name: 'a{i}', " HINGE ", " SOLID
         "}, repeat: {count: i, index: j, items: "
         "[{name: 'b{i}{j}', " HINGE ", mass: 2 - i*(j + 1)}]}]}]\n",
         "bodies[5].mass: -2 found, expected a finite mass that is not negative (kg) (i = 2, j = "
         "1)",
         "`mass: 2 - i*(j + 1)`, nested"},
        {"include: nowhere.yaml\n" ONE,
         ":2:10: include: this file cannot be read: correct its name", "`include: nowhere.yaml`"},
        {"include: loop.yaml\n" ONE, "loop.yaml:2:10: include: this file includes itself",
         "`include: loop.yaml`, which includes itself"},
        {"include: /etc/passwd\n" ONE, "this file is not in the folder of the model or below it",
         "`include: /etc/passwd`"},
        {"include: 3\n" ONE, "include: expected the name of a file, found the number 3",
         "`include: 3`"},
        {"include: wrong.yaml\n",
         "wrong.yaml:3:68: bodies[0].mass: expected a number, found "
         "\"2*q\": there is no parameter \"q\"",
         "`mass: 2*q` in an included file"},
        {"include: heavy.yaml\nparameters: {m: 1}\n" ONE,
         ":3:17: parameters.m: \"m\" is given here and in line 2 of ",
         "`m` in the model and in an included file"},
    };
    char *page = read_mistakes_of_guide();
    int rows = 0, missing = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024], row[1024];
        snprintf(text, sizeof text, "limber: 1\n%s", cases[i].text);
        const char *path = lb_write_file("model.yaml", text);
        lb_cli_run run = lb_run(NULL, "check", path);
        if (run.status != 1 || !strstr(run.err, cases[i].message)) {
            fail_msg("%s\nexpected: %s\nstatus %d: %s", text, cases[i].message, run.status,
                     run.err);
        }
        if (cases[i].shown) {
            format_row(cases[i].shown, run.err, cases[i].message, path, sizeof row, row);
            if (!strstr(page, row)) {
                print_message("%s%s", missing++ ? "" : "not in docs/guide/parameters.md:\n",
                              row + 1);
            }
            ++rows;
        }
        lb_end_run(&run);
    }
    assert_int_equal(missing, 0);
    // and the page has no other
    for (const char *at = page; (at = strstr(at, "\n| ")) != NULL; ++at) {
        --rows;
    }
    assert_int_equal(rows, -2); // its head
    free(page);
}

static void settings_are_checked(void **state)
{
    (void)state;
    const char *path = lb_write_file("set.yaml", "limber: 1\nparameters: {m: 1}\n" ONE);
    static const struct {
        const char *setting;
        int status;
        const char *message;
    } cases[] = {{"m=2", 0, ""},
                 {"m=2e-3,m=3", 0, ""},
                 {"m", 2, "--set: 'm' given, expected NAME=VALUE"},
                 {"m=", 2, "--set: 'm=' given"},
                 {"m=x", 2, "expected NAME=VALUE"},
                 {"m=2 kg", 2, "expected NAME=VALUE"},
                 {"=2", 2, "expected NAME=VALUE"},
                 {"n=2", 1, "there is no parameter \"n\" to be set"},
                 {"m=-1", 1, "-1 found, expected a finite mass"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_cli_run run = lb_run(NULL, "check", path, "--set", cases[i].setting);
        if (run.status != cases[i].status || !strstr(run.err, cases[i].message)) {
            fail_msg("%s: status %d: %s", cases[i].setting, run.status, run.err);
        }
        lb_end_run(&run);
    }
    const char *plain =
        lb_write_file("plain.yaml", "limber: 1\nbodies: [{name: a, " HINGE ", " SOLID "}]\n");
    lb_cli_run run = lb_run(NULL, "check", plain, "--set", "m=2");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "there is no parameter \"m\" to be set"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_be_formulas_of_parameters),
        cmocka_unit_test(parameters_are_set_without_reading_again),
        cmocka_unit_test(signals_and_functions_use_parameters),
        cmocka_unit_test(repeated_items_are_those_of_the_file_written_out),
        cmocka_unit_test(written_out_truss_has_the_same_bits),
        cmocka_unit_test(included_files_come_first_and_are_merged),
        cmocka_unit_test(parts_of_a_library_take_values),
        cmocka_unit_test(mistakes_are_told_with_their_lines),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
