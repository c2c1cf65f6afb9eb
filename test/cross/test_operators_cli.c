// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `limber operator` on flexible trees whose mass matrices an independent program made, and what it
// refuses.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

// A case of test/data/oracles, with its model in a file of its own.
typedef struct oracle {
    json_t *root;
    const char *model;
} oracle;

static oracle begin_oracle(const char *name)
{
    char file[64];
    oracle o = {.root = json_load_file(lb_find_source("test/data/oracles/%s.json", name), 0, NULL)};
    assert_non_null(o.root);
    char *text = json_dumps(json_object_get(o.root, "model"), 0);
    assert_non_null(text);
    snprintf(file, sizeof file, "%s.json", name);
    o.model = lb_write_file(file, text);
    free(text);
    return o;
}

static double *read_vector(const json_t *list)
{
    const size_t n = json_array_size(list);
    double *x = lb_make_numbers(n);
    for (size_t i = 0; i < n; ++i) {
        x[i] = json_number_value(json_array_get(list, i));
    }
    return x;
}

static double *read_matrix(const json_t *rows)
{
    const size_t n = json_array_size(rows), m = json_array_size(json_array_get(rows, 0));
    double *A = lb_make_numbers(n * m);
    for (size_t i = 0; i < n; ++i) {
        double *row = read_vector(json_array_get(rows, i));
        memcpy(A + i * m, row, m * sizeof *row);
        free(row);
    }
    return A;
}

// What the command says, as JSON; to be released. The state goes in by standard input.
static json_t *run_json(const char *model, const char *expression, const char *state,
                        const char *vector)
{
    lb_cli_run run =
        vector ? lb_run(state, "operator", model, expression, "--state", "-", "--vector", vector,
                        "--json")
               : lb_run(state, "operator", model, expression, "--state", "-", "--form", "--json");
    if (run.status != 0) {
        fail_msg("limber operator '%s': status %d\n%s", expression, run.status, run.err);
    }
    json_t *answer = json_loads(run.out, 0, NULL);
    assert_non_null(answer);
    lb_end_run(&run);
    return answer;
}

static void oracles_agree_with_expressions(void **state)
{
    (void)state;
    static const char *const names[] = {"flex_freefree_0", "flex_consistent_1", "rigid_tree_0"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        oracle o = begin_oracle(names[k]);
        json_t *states = json_object_get(o.root, "states");
        for (size_t s = 0; s < json_array_size(states); ++s) {
            const json_t *expected = json_array_get(states, s);
            const size_t n = json_array_size(json_object_get(expected, "v"));
            // the state, and tau - c to be solved for the accelerations
            char *q = json_dumps(json_object_get(expected, "q"), 0);
            char state_text[8192], vector_text[8192] = "[", name[32];
            snprintf(state_text, sizeof state_text, "{\"q\": %s}", q);
            double *tau = read_vector(json_object_get(expected, "tau"));
            double *c = read_vector(json_object_get(expected, "bias"));
            for (size_t i = 0; i < n; ++i) {
                const size_t used = strlen(vector_text);
                snprintf(vector_text + used, sizeof vector_text - used, "%s%.17g",
                         i > 0 ? ", " : "", tau[i] - c[i]);
            }
            strcat(vector_text, "]");
            snprintf(name, sizeof name, "vector_%zu_%zu.json", k, s);
            const char *vector_file = lb_write_file(name, vector_text);

            double *M = read_matrix(json_object_get(expected, "mass"));
            static const char *const factorisations[] = {
                "H Phi M Phi* H*", "(I + H Phi K) D (I + H Phi K)*",
                "H R H* + H (Phi - I) R H* + H R (Phi - I)* H*"};
            for (int f = 0; f < 3; ++f) {
                json_t *answer = run_json(o.model, factorisations[f], state_text, NULL);
                assert_int_equal(json_array_size(json_object_get(answer, "matrix")), n);
                double *A = read_matrix(json_object_get(answer, "matrix"));
                // 1e-12: five bodies or so
                lb_expect_close(factorisations[f], A, M, n * n, 1e-12);
                free(A);
                json_decref(answer);
            }
            json_t *answer =
                run_json(o.model, "(I - H Psi K)* D^-1 (I - H Psi K)", state_text, vector_file);
            double *qdd = read_vector(json_object_get(answer, "vector"));
            double *solved = read_vector(json_object_get(expected, "qdd"));
            // 1e-11: cond(M) up to 1e4
            lb_expect_close("accelerations", qdd, solved, n, 1e-11);
            assert_string_equal(
                json_string_value(json_object_get(json_object_get(answer, "rows"), "space")),
                "hinge");
            json_decref(answer);
            double *const all[] = {tau, c, M, qdd, solved};
            for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
                free(all[i]);
            }
            free(q);
        }
        json_decref(o.root);
    }
}

static const char pendulum_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2,\n"
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {end: {position: [0, 0, -1]}}}\n"
    "  - {name: a very long name for a lower link, parent: upper, at: end,\n"
    "     hinge: {type: spherical}, mass: 1, inertia: [1, 2, 2.5, 0, 0, 0]}\n";

static void tables_are_labelled(void **state)
{
    (void)state;
    const char *model = lb_write_file("pendulum.yaml", pendulum_text);
    lb_cli_run run = lb_run(NULL, "operator", model, "H Phi M Phi* H*");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    // the ends of names tell entries apart; 1 + 1 m^2 + 2 in the corner
    assert_non_null(strstr(run.out, "  upper.beta0"));
    assert_non_null(strstr(run.out, "r a lower link.beta2\n"));
    const char *row = strstr(run.out, "\nupper.beta0");
    assert_non_null(row);
    assert_true(strtod(row + strlen("\nupper.beta0"), NULL) == 4.0);
    lb_end_run(&run);

    run = lb_run("[1, 0, 0, 0]", "operator", model, "Phi* H*", "--vector", "-");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "upper.wy"));
    lb_end_run(&run);
}

static void malformed_expressions_exit_with_2(void **state)
{
    (void)state;
    const char *model = lb_write_file("pendulum.yaml", pendulum_text);
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"H Phy M", "expression:1:3: found 'Phy', expected one of E_Phi, Phi, H"},
        {"H M G*", "expression:1:5: G* gives a vector of the hinge space"},
        {"H Phi (M", "\n  H Phi (M\n          ^\n"},
        {"Φ * M", "\n  Φ * M\n    ^\n"},
        {"I", "expression:1:1: found identities only"},
        {"M^-1", "expression:1:1: found the inverse of M"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_cli_run run = lb_run(NULL, "operator", model, cases[i].text);
        if (run.status != 2 || run.out[0] || !strstr(run.err, cases[i].message)) {
            fail_msg("'%s': status %d\n%s%s", cases[i].text, run.status, run.out, run.err);
        }
        lb_end_run(&run);
    }
}

static void bad_states_and_vectors_exit_with_2(void **state)
{
    (void)state;
    const char *model = lb_write_file("pendulum.yaml", pendulum_text);
    static const struct {
        const char *option, *input, *message;
    } cases[] = {
        {"--vector", "[1, 2]",
         "vector: 2 numbers given, expected 4: the expression takes a vector "
         "of the hinge space"},
        {"--vector", "{}", "vector: an object given, expected a list of numbers"},
        {"--vector", "[1, 2, \"x\", 4]", "vector[2]: a string given"},
        {"--vector", "[1, 2", "<stdin>:1:"},
        {"--state", "{\"q\": [1]}", "state.q: 1 numbers given, expected 5"},
        {"--state", "[]", "state: a list given, expected an object"},
        {"--state", "{\"Q\": [1]}", "state.Q: 'Q' is not known"},
        {"--state", "{\"q\": [0, 2, 0, 0, 0]}", "has length 2, expected 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_cli_run run = lb_run(cases[i].input, "operator", model, "Phi* H*", cases[i].option, "-");
        if (run.status != 2 || run.out[0] || !strstr(run.err, cases[i].message)) {
            fail_msg("'%s': status %d\n%s%s", cases[i].input, run.status, run.out, run.err);
        }
        lb_end_run(&run);
    }
    lb_cli_run run = lb_run(NULL, "operator", model, "D", "--form", "--vector", "x.json");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
    run = lb_run(NULL, "operator", model, "D", "--state", "-", "--vector", "-");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
}

// A massless tip: the mass matrix is there, its inverse is an error that names the body.
static void singular_models_say_where(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("massless.yaml", "limber: 1\n"
                                       "bodies:\n"
                                       "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]},\n"
                                       "     mass: 0}\n");
    lb_cli_run run = lb_run(NULL, "operator", model, "H Phi M Phi* H*");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "operator", model, "D^-1");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "bodies[0].hinge"));
    assert_non_null(strstr(run.err, "body 'arm'"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_agree_with_expressions),
        cmocka_unit_test(tables_are_labelled),
        cmocka_unit_test(malformed_expressions_exit_with_2),
        cmocka_unit_test(bad_states_and_vectors_exit_with_2),
        cmocka_unit_test(singular_models_say_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
