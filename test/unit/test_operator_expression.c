// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of operators: what they mean, and where a malformed one goes wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "dynamics/operators/op_expression.h"
#include "dynamics/operators/op_parts.h"
#include "heard.h"

enum { B = LB_OP_SPACE_BODY, H = LB_OP_SPACE_HINGE };

static void sizes_follow_from_the_operators(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rows, columns;
    } cases[] = {
        {"H", H, B},
        {"H*", B, H},
        {"H^T", B, H},
        {"H^*", B, H},
        {"H**", H, B},
        {"  Phi  ", B, B},
        {"G", B, H},
        {"K*", H, B},
        {"D", H, H},
        {"D^-1", H, H},
        {"inv(D)", H, H},
        {"inv [ D ]", H, H},
        {"D*^-1", H, H},
        {"Psi^-*", B, B},
        {"H Phi M Phi* H*", H, H},
        {"(I + H Phi K)D(I + H Phi K)*", H, H},
        {"[I - H Psi K]* D^-1 [I - H Psi K]", H, H},
        {"H (I - E_Phi)^T Phi", H, B},
        {"-H", H, B},
        {"+ 2.5e-1 H", H, B},
        {"2H + .5H - 3. H", H, B},
        {"H 2", H, B},
        {"I D", H, H},
        {"D - I", H, H},
        {"((((D))))", H, H},
        {"(2 I + 3)(I - D)", H, H},
        {"1 - 2 Omega", B, B},
        {"phi psi E_phi E_psi M_m upsilon omega taubar tau-bar tau_bar", B, B},
        {"Φ Ψ* E_Φ E_Ψ Υ Ω", B, B},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_op_expression *e;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        const lb_status status = lb_op_parse(cases[i].text, &report, &e);
        if (status != LB_OK || heard.count != 0) {
            lb_print_heard(&heard);
            fail_msg("'%s': status %d", cases[i].text, status);
        }
        if (e->rows != cases[i].rows || e->columns != cases[i].columns) {
            fail_msg("'%s': %d x %d", cases[i].text, e->rows, e->columns);
        }
        assert_int_equal(lb_op_get_spaces(e).rows, e->rows);
        assert_int_equal(lb_op_get_spaces(e).columns, e->columns);
        lb_op_destroy_expression(e);
    }
}

typedef struct bad {
    const char *text;
    lb_status status;
    int column;
    const char *message; // a part of it
} bad;

static void malformed_expressions_say_where(void **state)
{
    (void)state;
    static const bad cases[] = {
        // not well formed
        {"", LB_E_SYNTAX, 1, "found the end, expected an operator, a number or '('"},
        {"   ", LB_E_SYNTAX, 4, "found the end"},
        {"H Phi M Phi* H* +", LB_E_SYNTAX, 18, "found the end"},
        {"H + - Phi", LB_E_SYNTAX, 5, "found '-'"},
        {"H - + Phi", LB_E_SYNTAX, 5, "found '+'"},
        {"(H Phi", LB_E_SYNTAX, 7, "')' for the '(' at column 1"},
        {"[H Phi)", LB_E_SYNTAX, 7, "found ')', expected ']' for the '[' at column 1"},
        {"H Phi)", LB_E_SYNTAX, 6, "found ')', expected an operator"},
        {"H ()", LB_E_SYNTAX, 4, "found ')'"},
        {"*H", LB_E_SYNTAX, 1, "right behind an operator"},
        {"H * Phi", LB_E_SYNTAX, 3, "products are written side by side"},
        {"H / Phi", LB_E_SYNTAX, 3, "found '/'"},
        {"H, Phi", LB_E_SYNTAX, 2, "found ','"},
        {"Phi^2", LB_E_SYNTAX, 5, "found '2', expected -1, T, 1/2, -1/2 or *"},
        {"Phi^", LB_E_SYNTAX, 5, "found the end"},
        {"D ^-1", LB_E_SYNTAX, 3, "found '^'"},
        {"inv D", LB_E_SYNTAX, 5, "found 'D', expected '(' after inv"},
        {"inv", LB_E_SYNTAX, 4, "found the end, expected '(' after inv"},
        {". H", LB_E_SYNTAX, 2, "expected a digit"},
        {"H Phy", LB_E_SYNTAX, 3, "found 'Phy', expected one of E_Phi, Phi, H"},
        {"HPhi", LB_E_SYNTAX, 1, "found 'HPhi'"},
        {"h", LB_E_SYNTAX, 1, "found 'h'"},
        {"Psi_2", LB_E_SYNTAX, 1, "found 'Psi_2'"},
        {"Ψ Φx", LB_E_SYNTAX, 3, "found 'Φx'"},
        {"\x01", LB_E_SYNTAX, 1, "expected an operator"},
        // sizes
        {"H M G*", LB_E_ARGUMENT, 5,
         "G* gives a vector of the hinge space, expected the body space, which M at column 3"},
        {"H H", LB_E_ARGUMENT, 3, "H gives a vector of the hinge space"},
        {"H 2 H", LB_E_ARGUMENT, 5, "H gives a vector of the hinge space"},
        {"Phi D^-1", LB_E_ARGUMENT, 5, "D^-1 gives a vector of the hinge space"},
        {"D (Phi - I)", LB_E_ARGUMENT, 4, "the expression gives a vector of the body space"},
        {"H + G", LB_E_ARGUMENT, 5, "G is body x hinge, expected hinge x body"},
        {"D + Phi", LB_E_ARGUMENT, 5, "Phi is body x body, expected hinge x hinge"},
        {"I + D + H Phi", LB_E_ARGUMENT, 9, "the expression is hinge x body"},
        {"H - I", LB_E_ARGUMENT, 5, "the identity is square, expected hinge x body"},
        {"3 + H", LB_E_ARGUMENT, 1, "the identity is square"},
        {"I", LB_E_ARGUMENT, 1, "found identities only"},
        {"2 (I - 3)", LB_E_ARGUMENT, 1, "found identities only"},
        {"1e999 H", LB_E_ARGUMENT, 1, "beyond what double precision"},
        {"H (0 D)^-1", LB_E_ARGUMENT, 4, "inverse of zero"},
        // inverses that there are not
        {"H^-1", LB_E_ARGUMENT, 1, "found the inverse of what is hinge x body, expected it square"},
        {"H^1/2", LB_E_UNSUPPORTED, 1, "expected D^1/2 or D^-1/2"},
        {"R + inv(2 M)", LB_E_UNSUPPORTED, 9, "found the inverse of the expression"},
        {"(I + H Psi K)^-1", LB_E_UNSUPPORTED, 2, "found the inverse of a sum"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_op_expression *e;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        const lb_status status = lb_op_parse(cases[i].text, &report, &e);
        if (status != cases[i].status || heard.count != 1 ||
            heard.entries[0].column != cases[i].column || heard.entries[0].line != 1 ||
            !strstr(heard.entries[0].message, cases[i].message)) {
            lb_print_heard(&heard);
            fail_msg("'%s': status %d, expected %d, column %d: %s", cases[i].text, status,
                     cases[i].status, cases[i].column, cases[i].message);
        }
        assert_null(e);
        // without a report
        assert_int_equal(lb_op_parse(cases[i].text, NULL, &e), cases[i].status);
        assert_null(e);
    }
}

// Whatever is typed is understood or refused with a place inside it; what is understood means the
// same when it is transposed twice.
static void random_text_is_understood_or_refused_with_a_place(void **state)
{
    (void)state;
    static const char *const words[] = {
        "H", "Phi", "M", "D", "K",  "Psi", "I", "2", " ",  "*",  "^-1",  "inv", "(",  ")",  "[",
        "]", "+",   "-", "^", ".5", "Ω",   "x", " ", "H ", "* ", "Phi ", "K ",  "D ", "I ", " + "};
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    int understood = 0;
    for (int i = 0; i < 20000; ++i) {
        char text[256] = "", twice[300];
        const int count = 1 + lb_draw_index(&random, 12);
        for (int k = 0; k < count; ++k) {
            strcat(text, words[lb_draw_index(&random, (int)(sizeof words / sizeof words[0]))]);
        }
        lb_op_expression *e, *f;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        const lb_status status = lb_op_parse(text, &report, &e);
        if (status == LB_OK) {
            ++understood;
            snprintf(twice, sizeof twice, "(%s)**", text);
            lb_expect_ok(lb_op_parse(twice, NULL, &f));
            assert_int_equal(e->rows, f->rows);
            assert_int_equal(e->columns, f->columns);
            assert_int_equal(e->term_count, f->term_count);
            for (int k = 0; k < e->term_count; ++k) {
                assert_int_equal(e->terms[k].how, f->terms[k].how);
                assert_int_equal(e->terms[k].first, f->terms[k].first);
            }
            lb_op_destroy_expression(e);
            lb_op_destroy_expression(f);
        } else {
            assert_int_equal(heard.count, 1);
            assert_in_range(heard.entries[0].column, 1, strlen(text) + 1);
        }
    }
    assert_true(understood > 200);
}

static void length_and_depth_have_limits(void **state)
{
    (void)state;
    char text[8 * LB_OP_TERM_MAX] = "";
    lb_op_expression *e;
    // a product of all terms but one, which is itself one
    for (int i = 0; i < LB_OP_TERM_MAX - 1; ++i) {
        strcat(text, "M ");
    }
    lb_expect_ok(lb_op_parse(text, NULL, &e));
    assert_int_equal(e->term_count, LB_OP_TERM_MAX);
    lb_op_destroy_expression(e);
    strcat(text, "M");
    assert_int_equal(lb_op_parse(text, NULL, &e), LB_E_UNSUPPORTED);

    for (int depth = LB_OP_DEPTH_MAX; depth <= 1000; depth += 984) {
        char deep[2100] = "";
        memset(deep, '(', (size_t)depth);
        deep[depth] = 'D';
        memset(deep + depth + 1, ')', (size_t)depth);
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        const lb_status status = lb_op_parse(deep, &report, &e);
        assert_int_equal(status, depth == LB_OP_DEPTH_MAX ? LB_OK : LB_E_UNSUPPORTED);
        if (status != LB_OK) {
            assert_int_equal(heard.entries[0].column, LB_OP_DEPTH_MAX + 1);
        }
        lb_op_destroy_expression(e);
    }
}

static void numbers_are_read_as_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0.0},           {"1", 1.0},
        {"0.1", 0.1},         {".5", 0.5},
        {"3.", 3.0},          {"2.5e-3", 2.5e-3},
        {"1E6", 1e6},         {"1e+2", 1e2},
        {"123.456", 123.456}, {"9007199254740991", 9007199254740991.0},
        {"1e-300", 1e-300},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[64];
        snprintf(text, sizeof text, "%s D", cases[i].text);
        lb_op_expression *e;
        lb_expect_ok(lb_op_parse(text, NULL, &e));
        // one rounding, but for powers beyond 1e22
        const double gap = fabs(e->terms[0].scale - cases[i].value);
        if (gap > 1e-15 * fabs(cases[i].value) || (cases[i].value > 1e-20 && gap > 0.0)) {
            fail_msg("'%s' is read as %.17g", cases[i].text, e->terms[0].scale);
        }
        lb_op_destroy_expression(e);
    }
}

static void names_of_operators_are_what_expressions_take(void **state)
{
    (void)state;
    for (int op = 0; op < LB_OP_COUNT; ++op) {
        lb_op_expression *e;
        lb_expect_ok(lb_op_parse(lb_op_get_name((lb_op)op), NULL, &e));
        assert_int_equal(e->terms[e->root].op, op);
        assert_int_equal(e->rows, lb_op_get_row_space((lb_op)op));
        assert_int_equal(e->columns, lb_op_get_column_space((lb_op)op));
        lb_op_destroy_expression(e);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_from_the_operators),
        cmocka_unit_test(malformed_expressions_say_where),
        cmocka_unit_test(random_text_is_understood_or_refused_with_a_place),
        cmocka_unit_test(length_and_depth_have_limits),
        cmocka_unit_test(numbers_are_read_as_written),
        cmocka_unit_test(names_of_operators_are_what_expressions_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
