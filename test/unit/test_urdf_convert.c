// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion: what is written loads back to the same model, number for number.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/io.h"
#include "run_cli.h"

#define EVERYTHING lb_find_source("test/data/urdf/everything.urdf")

// ---- two models, one answer --------------------------------------------------------------------

static void expect_same_tree(const lb_model *a, const lb_model *b)
{
    assert_string_equal(lb_get_model_name(a), lb_get_model_name(b));
    assert_int_equal(lb_get_body_count(a), lb_get_body_count(b));
    for (int body = LB_GROUND; body < lb_get_body_count(a); ++body) {
        assert_string_equal(lb_get_body_name(a, body), lb_get_body_name(b, body));
        assert_int_equal(lb_get_node_count(a, body), lb_get_node_count(b, body));
        for (int node = 0; node < lb_get_node_count(a, body); ++node) {
            assert_string_equal(lb_get_node_name(a, body, node), lb_get_node_name(b, body, node));
        }
    }
}

static void expect_same_dynamics(const lb_model *a, const lb_model *b)
{
    const lb_model *models[2] = {a, b};
    const size_t nq = (size_t)lb_get_q_count(a), n = (size_t)lb_get_v_count(a);
    assert_int_equal(lb_get_q_count(b), nq);
    assert_int_equal(lb_get_v_count(b), n);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n);
    double *x[2] = {lb_make_numbers(n), lb_make_numbers(n)};
    lb_random random;
    lb_seed_random(&random, 3);
    lb_draw_vector(&random, (int)n, 0.5, v);
    lb_get_neutral_configuration(a, q);
    lb_integrate_configuration(a, q, v, q);
    for (int i = 0; i < 2; ++i) {
        lb_work *work = lb_create_work(models[i]);
        lb_expect_ok(lb_compute_forward_dynamics(models[i], work, q, v, NULL, x[i]));
        lb_destroy_work(work);
    }
    assert_memory_equal(x[0], x[1], n * sizeof(double));
    free(q);
    free(v);
    free(x[0]);
    free(x[1]);
}

// Converts a file to both formats, and loads back what came of it.
static void expect_round_trip(const char *path, const lb_load_options *options)
{
    lb_model *model = NULL;
    lb_expect_ok(lb_load_model(path, options, NULL, &model));
    static const lb_format formats[] = {LB_FORMAT_YAML, LB_FORMAT_JSON};
    for (int i = 0; i < 2; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        char *text = NULL;
        size_t length = 0;
        lb_expect_ok(lb_convert_model(path, options, formats[i], &report, &text, &length));
        assert_int_equal(heard.count, 0);
        assert_int_equal(strlen(text), length);
        lb_model *back = NULL;
        const lb_status status =
            lb_load_model_text(text, length, "back", formats[i], NULL, &report, &back);
        if (status != LB_OK) {
            lb_print_heard(&heard);
            fail_msg("does not load:\n%s", text);
        }
        expect_same_tree(model, back);
        expect_same_dynamics(model, back);
        lb_destroy_model(back);
        free(text);
    }
    lb_destroy_model(model);
}

static void a_robot_survives_conversion(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        lb_load_options options = lb_default_load_options();
        options.floating_base = i & 1;
        options.keep_fixed = i & 2;
        expect_round_trip(EVERYTHING, &options);
    }
}

static void a_model_survives_conversion(void **state)
{
    (void)state;
    // names that need quotes, and numbers that need all their digits
    char text[8192], key[1200];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    snprintf(text, sizeof text,
             "limber: 1\n"
             "name: \"tab\\t quote\\\" slash\\\\ \\x7f \\u2028 \xC3\xA9 \xF0\x9F\xA6\xBE: #\"\n"
             "gravity: [0.1, 1e-300, -9.8066500000000001]\n"
             "ground: {nodes: {yes: {}, 'Null': {}, '1': {}, '~': {}, '- a': {}}}\n"
             "bodies:\n"
             "  - name: \"3\"\n"
             "    hinge: {type: universal, axes: [[0.3333333333333333, 2, 0], [0, 0.1, 1]]}\n"
             "    mass: 1.7976931348623157e+3\n"
             "    inertia: [1, 1, 2.2250738585072014e-8, 0, 0, 0]\n"
             "    nodes: {? %s : {position: [1, 0, 0]}, true: {}}\n"
             "  - name: flexible\n"
             "    parent: \"3\"\n"
             "    at: \"true\"\n"
             "    hinge: {type: screw, axis: [1, 0, 0], pitch: 0.07}\n"
             "    flex:\n"
             "      nodes:\n"
             "        - {name: n0, mass: 0.4, shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"
             "        - name: n1\n"
             "          position: [1, 0, 0]\n"
             "          mass: 0.6\n"
             "          shape: [[0, 0, 1.38, 0, 1, 0], [0, -1.38, 0, 0, 0, 1]]\n"
             "          second_order: [[0, 0, [-1.2, 0, 0]], [1, 1, [-1.2, 0, 0]]]\n"
             "      stiffness: [[120, 1], [1, 80]]\n"
             "      damping: [0.4, 0.3]\n",
             key);
    expect_round_trip(lb_write_file("model.yaml", text), NULL);
}

static void numbers_are_written_with_a_point_in_any_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !setlocale(LC_NUMERIC, names[i])) {
        ++i;
    }
    if (i == sizeof names / sizeof *names) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
    expect_round_trip(EVERYTHING, NULL);
    setlocale(LC_NUMERIC, "C");
}

// ---- the command -------------------------------------------------------------------------------

// Whether YAML 1.1 takes every word with an exponent for a number: a point before it, a sign behind it.
static void expect_numbers(const char *text, int least)
{
    int count = 0;
    for (const char *at = text; *at; ++at) {
        if (*at != 'e' || at == text || !strchr("0123456789.", at[-1])) {
            continue;
        }
        const char *start = at;
        while (start > text && strchr("0123456789.", start[-1])) {
            --start;
        }
        if (!memchr(start, '.', (size_t)(at - start)) || !strchr("+-", at[1])) {
            fail_msg("'%.20s' is text to some readers", start);
        }
        ++count;
    }
    assert_true(count >= least);
}

static void every_reader_of_yaml_takes_numbers_for_numbers(void **state)
{
    (void)state;
    const char *in = lb_write_file(
        "small.yaml",
        "limber: 1\ngravity: [0, 1e-05, -2e+30]\nbodies:\n"
        "- {name: a, mass: 1e-300, com: [1.5e-7, 0, 1e5], inertia: [1e-9, 1e-9, 1e-9, 0, 0, 0],"
        " hinge: {type: revolute, axis: [0, 1, 0]}}\n"
        "initial: {a: {angle: 1e-09}}\n");
    lb_cli_run run = lb_run(NULL, "convert", in, "-");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "gravity: [0, 1.0e-05, -2.0e+30]\n"));
    assert_non_null(strstr(run.out, "mass: 1.0e-300\n"));
    expect_numbers(run.out, 8);
    const char *out = lb_write_file("written.yaml", run.out);
    lb_end_run(&run);
    expect_round_trip(out, NULL);
    run = lb_run(NULL, "assemble", in);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "1.0"));
    expect_numbers(run.out, 1);
    lb_end_run(&run);
}

static void convert_writes_a_file_that_evaluates_alike(void **state)
{
    (void)state;
    const char *request = "{\"compute\": [\"mass\", \"bias\", \"nodes\"]}";
    const char *out[2] = {lb_write_file("out.yaml", ""), lb_write_file("out.json", "")};
    lb_cli_run direct = lb_run(request, "eval", "--floating", EVERYTHING, "-");
    assert_int_equal(direct.status, 0);
    assert_string_equal(direct.err, "");
    for (int i = 0; i < 2; ++i) {
        lb_cli_run run = lb_run(NULL, "convert", "--floating", EVERYTHING, out[i]);
        assert_int_equal(run.status, 0);
        assert_ptr_equal(strstr(run.out, "wrote "), run.out);
        assert_string_equal(run.err, "");
        lb_end_run(&run);
        run = lb_run(request, "eval", out[i], "-");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, direct.out);
        lb_end_run(&run);
    }
    lb_end_run(&direct);
}

static void convert_writes_to_standard_output(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "convert", "--keep-fixed", EVERYTHING, "-");
    assert_int_equal(run.status, 0);
    assert_int_equal(strncmp(run.out, "limber: 1\nname: everything\n", 27), 0);
    assert_non_null(strstr(run.out, "\n  - name: wrist\n"
                                    "    parent: lower\n"
                                    "    at: wrist\n"
                                    "    hinge: {type: fixed}\n"));
    lb_end_run(&run);
}

static void convert_refuses_what_it_cannot_do(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "convert", EVERYTHING, "copy.urdf");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
    run = lb_run(NULL, "convert", EVERYTHING, "/nowhere/out.yaml");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "cannot write /nowhere/out.yaml"));
    lb_end_run(&run);
    // a bad model leaves what is there
    const char *bad = lb_write_file("bad.urdf", "<robot/>"), *out = lb_write_file("kept", "kept");
    run = lb_run(NULL, "convert", bad, out);
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    char kept[8] = "";
    FILE *file = fopen(out, "r");
    assert_non_null(file);
    assert_int_equal(fread(kept, 1, sizeof kept, file), 4);
    fclose(file);
    assert_string_equal(kept, "kept");
}

static void every_command_takes_robots(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "check", EVERYTHING);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "OK, 5 bodies, 12 dofs"));
    lb_end_run(&run);
    run = lb_run(NULL, "check", "--floating", "--keep-fixed", EVERYTHING);
    assert_non_null(strstr(run.out, "OK, 9 bodies, 18 dofs"));
    lb_end_run(&run);
    run = lb_run(NULL, "info", "--floating", EVERYTHING);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "18 (20 coordinates)"));
    lb_end_run(&run);
    run = lb_run(NULL, "bench", "--floating", "--rounds", "1", "--seconds", "0.001", EVERYTHING);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_survives_conversion),
        cmocka_unit_test(a_model_survives_conversion),
        cmocka_unit_test(numbers_are_written_with_a_point_in_any_locale),
        cmocka_unit_test(every_reader_of_yaml_takes_numbers_for_numbers),
        cmocka_unit_test(convert_writes_a_file_that_evaluates_alike),
        cmocka_unit_test(convert_writes_to_standard_output),
        cmocka_unit_test(convert_refuses_what_it_cannot_do),
        cmocka_unit_test(every_command_takes_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
