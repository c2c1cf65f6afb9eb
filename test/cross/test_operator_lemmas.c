// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of lemmas, row by row; nodes, loops and centres of mass against the dynamics.
#include <limber/dynamics.h>
#include <limber/loops.h>
#include <limber/operators.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "program.h"

enum { TREES = 24, BLOCK = 3 };

typedef struct lab {
    lb_trial t;
    lb_op_work *operators;
    bool indefinite;
} lab;

// Two nodes of the outermost bodies, and one of the ground.
static void pick(lab *l)
{
    const int last = l->t.body_count - 1;
    const lb_op_node nodes[] = {{last, lb_get_node_count(l->t.model, last) - 1},
                                {0, lb_get_node_count(l->t.model, 0) - 1},
                                {LB_GROUND, 0}};
    lb_expect_ok(lb_op_pick_nodes(l->t.model, l->t.work, l->operators, 3, nodes));
}

static lab begin(lb_trial trial)
{
    lab l = {.t = trial};
    l.operators = lb_op_create_work(l.t.model);
    assert_non_null(l.operators);
    const int count = BLOCK * BLOCK * l.t.body_count;
    double *blocks = lb_make_numbers((size_t)count);
    lb_draw_vector(&l.t.random, count, 1.0, blocks);
    lb_expect_ok(lb_op_set_blocks(l.t.model, l.operators, BLOCK, blocks));
    free(blocks);
    return l;
}

static void compute(lab *l, const double *v)
{
    const lb_status status = lb_compute_operators(l->t.model, l->t.work, l->t.q, l->operators);
    assert_true(status >= LB_OK);
    l->indefinite = status > LB_OK;
    lb_expect_ok(
        lb_compute_operator_motion(l->t.model, l->t.work, l->t.q, v, l->t.tau, l->operators));
}

static void end(lab *l)
{
    lb_op_destroy_work(l->operators);
    lb_end_trial(&l->t);
}

// An expression as a matrix, to be freed, and how many numbers it has.
static double *form(lab *l, const char *text, size_t *count, lb_status *status)
{
    lb_op_expression *e;
    if (lb_op_parse(text, NULL, &e) != LB_OK) {
        fail_msg("'%s' is refused", text);
    }
    double *scratch = lb_make_numbers(lb_op_get_scratch_count(l->operators, e) + 1);
    *count = (size_t)lb_op_get_size(l->operators, lb_op_get_spaces(e).rows) *
             (size_t)lb_op_get_size(l->operators, lb_op_get_spaces(e).columns);
    double *A = lb_make_numbers(*count + 1);
    *status = lb_op_form_expression(l->t.model, l->operators, e, scratch, A);
    lb_op_destroy_expression(e);
    free(scratch);
    return A;
}

static double find_largest(const double *A, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(A[i]));
    }
    return largest;
}

// The difference of both sides over the first.
static double compare(lab *l, const char *one, const char *other)
{
    char text[1024];
    size_t count;
    lb_status status;
    snprintf(text, sizeof text, "(%s) - (%s)", one, other);
    double *A = form(l, one, &count, &status);
    const double size = find_largest(A, count);
    free(A);
    double *difference = form(l, text, &count, &status);
    const double most = find_largest(difference, count);
    free(difference);
    if (status != LB_OK) {
        fail_msg("%s: %d", text, (int)status);
    }
    return size > 0.0 ? most / size : most;
}

// The text between the first pair of backticks at or behind `at`; moves behind it.
static bool take(const char **at, char text[512])
{
    const char *start = strchr(*at, '`'), *stop = start ? strchr(start + 1, '`') : NULL;
    if (!stop) {
        return false;
    }
    snprintf(text, 512, "%.*s", (int)(stop - start - 1), start + 1);
    *at = stop + 1;
    return true;
}

static void check_rows(lab *l, bool is_chain, int *rows, double *worst)
{
    char line[2048], one[512], other[512];
    FILE *page = fopen(lb_find_source("docs/theory/lemmas.md"), "r");
    assert_non_null(page);
    *rows = 0;
    while (fgets(line, sizeof line, page)) {
        const char *at = line;
        if (line[0] != '|' || !take(&at, one) || !take(&at, other)) {
            continue;
        }
        ++*rows;
        const bool roots = strstr(one, "/2") != NULL;
        if ((strstr(line, "chains only") && !is_chain) || (roots && l->indefinite)) {
            continue;
        }
        const double off = compare(l, one, other);
        *worst = fmax(*worst, off);
        // 1e-9: inverses of mass matrices whose entries are six orders of magnitude apart
        if (!(off <= 1e-9)) {
            fail_msg("%s = %s: off by %g", one, other, off);
        }
    }
    fclose(page);
}

static void every_row_of_the_page_holds(void **state)
{
    (void)state;
    int rows = 0;
    double worst = 0.0;
    for (int i = 0; i < TREES; ++i) {
        lb_tree_options options = i % 2 ? lb_get_flexible_tree(i) : lb_get_small_tree(i);
        const bool is_chain = i % 3 == 0;
        if (is_chain) {
            options.shape = LB_SHAPE_CHAIN;
            options.root_count = 1;
        }
        lab l = begin(lb_begin_trial(&options, (uint64_t)i));
        pick(&l);
        compute(&l, l.t.v);
        check_rows(&l, is_chain, &rows, &worst);
        end(&l);
    }
    print_message("%d rows, worst %.1e\n", rows, worst);
    assert_true(rows >= 25);
}

// J and Lambda, node by node, are those of the dynamics; the centres of mass move as their momentum says.
static void nodes_are_those_of_the_dynamics(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; ++i) {
        const lb_tree_options options = lb_get_flexible_tree(i);
        lab l = begin(lb_begin_trial(&options, (uint64_t)i));
        pick(&l);
        compute(&l, l.t.v);
        const size_t n = (size_t)l.t.v_count;
        size_t count;
        lb_status status;
        double *J = form(&l, "J", &count, &status), *own = lb_make_numbers(6 * n);
        lb_expect_ok(status);
        double *Lambda = form(&l, "Lambda", &count, &status), block[36], six[36];
        lb_expect_ok(status);
        assert_true(lb_compute_articulated_inertia(l.t.model, l.t.work, l.t.q) >= LB_OK);
        for (int k = 0; k < 3; ++k) {
            const lb_op_node node = lb_op_get_node(l.operators, k);
            lb_expect_ok(
                lb_compute_jacobian(l.t.model, l.t.work, node.body, node.node, LB_AXES_WORLD, own));
            lb_expect_close("J", J + (size_t)k * 6 * n, own, 6 * n, 1e-12);
            lb_expect_ok(lb_compute_admittance(l.t.model, l.t.work, node.body, node.node,
                                               LB_AXES_WORLD, six));
            for (int r = 0; r < 36; ++r) {
                block[r] = Lambda[(6 * k + r / 6) * 18 + 6 * k + r % 6];
            }
            lb_expect_close("Lambda", block, six, 36, 1e-10);
        }
        free(J);
        free(Lambda);
        free(own);
        end(&l);
    }
}

// (0.37) of 004 at rest, with random loops that are regular, against forward dynamics.
static void loops_at_rest_obey_their_operators(void **state)
{
    (void)state;
    static const char text[] =
        "(I - H Psi K)* D^-1/2 (I - D^-1/2 H Psi B A* (A Lambda A*)^-1 "
        "(D^-1/2 H Psi B A*)*) D^-1/2 (I - H Psi K) (T - H Phi (M Phi* a_m + "
        "b_m))";
    static const char free_text[] = "(H Phi M Phi* H*)^-1 (T - H Phi (M Phi* a_m + b_m))";
    int done = 0;
    for (int i = 0; i < 60; ++i) {
        lab l = begin(lb_begin_loop_trial(i, 1 + i % 2, 0, 1));
        double *v = lb_make_numbers((size_t)l.t.v_count), *a = lb_make_numbers((size_t)l.t.v_count);
        size_t count;
        lb_status status = lb_op_pick_nodes(l.t.model, l.t.work, l.operators, 0, NULL);
        if (status == LB_OK) {
            compute(&l, v);
            double *found = form(&l, text, &count, &status);
            const bool regular = status == LB_OK;
            if (regular) {
                lb_expect_ok(
                    lb_compute_forward_dynamics(l.t.model, l.t.work, l.t.q, v, l.t.tau, a));
                // against those of the tree: loops may leave nothing to move
                double *tree = form(&l, free_text, &count, &status);
                lb_expect_ok(status);
                lb_expect_within("(0.37)", found, a, (int)count, 1e-9 * find_largest(tree, count));
                free(tree);
                ++done;
            } else {
                assert_int_equal(status, LB_E_SINGULAR);
            }
            free(found);
        } else {
            assert_int_equal(status, LB_E_UNSUPPORTED); // a coupler
        }
        free(v);
        free(a);
        end(&l);
    }
    print_message("%d of 60 trials are regular\n", done);
    assert_true(done >= 10);
}

static void what_is_not_set_is_told(void **state)
{
    (void)state;
    const lb_tree_options options = lb_get_flexible_tree(1);
    lb_trial t = lb_begin_trial(&options, 1);
    lb_op_work *operators = lb_op_create_work(t.model);
    const lb_op_node nowhere = {0, 1000};
    double x[1] = {1.0}, *y = lb_make_numbers((size_t)lb_op_get_size(operators, LB_OP_SPACE_BODY));
    lb_expect_ok(lb_compute_operators(t.model, t.work, t.q, operators));
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_A_M, 0, x, y), LB_E_STAGE);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_LAMBDA, 0, x, y), LB_E_STAGE);
    assert_int_equal(lb_op_pick_nodes(t.model, t.work, operators, 1, &nowhere), LB_E_ARGUMENT);
    assert_int_equal(lb_op_get_size(operators, LB_OP_SPACE_NODE), 0);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_D, LB_OP_SQUARE_ROOT, y, y), LB_E_STAGE);
    lb_op_expression *e;
    static const char *const refused[] = {"M^-1", "H^1/2", "(I + Phi)^-1", "inv(A)", "J^-1"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        assert_true(lb_op_parse(refused[i], NULL, &e) < LB_OK);
        assert_null(e);
    }
    free(y);
    lb_op_destroy_work(operators);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_page_holds),
        cmocka_unit_test(nodes_are_those_of_the_dynamics),
        cmocka_unit_test(loops_at_rest_obey_their_operators),
        cmocka_unit_test(what_is_not_set_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
