// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums in the order in which their terms become known: the same numbers, no more operations, less waiting.
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "export/freeze/sums.h"

// The value of a node from the values of inputs, written out: nodes also hold one, which sorting computes anew.
static double evaluate(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    switch (n->op) {
    case LB_OP_ADD:
        return evaluate(g, n->a) + evaluate(g, n->b);
    case LB_OP_SUBTRACT:
        return evaluate(g, n->a) - evaluate(g, n->b);
    case LB_OP_MULTIPLY:
        return evaluate(g, n->a) * evaluate(g, n->b);
    case LB_OP_INVERT:
        return 1.0 / evaluate(g, n->a);
    default:
        return n->value;
    }
}

static double get_output(const lb_graph *g, int i)
{
    const lb_term x = g->outputs[i].term;
    assert_true(lb_is_node(x));
    const double value = evaluate(g, lb_get_index(x));
    // 1e-15: a dozen operations on numbers of size one
    lb_expect_close("value of the node", &g->nodes[lb_get_index(x)].value, &value, 1, 1e-15);
    return lb_is_negative(x) ? -value : value;
}

static int count_sums(const lb_graph *g)
{
    int count = 0;
    for (int i = 0; i < g->node_count; ++i) {
        count += g->nodes[i].op == LB_OP_ADD || g->nodes[i].op == LB_OP_SUBTRACT;
    }
    return count;
}

// Operations that wait for each other.
static int get_depth(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    int depth = 0;
    const int operands[] = {n->a, n->b, n->c};
    for (int k = 0; k < lb_count_operands(n); ++k) {
        const int own = 1 + get_depth(g, operands[k]);
        depth = own > depth ? own : depth;
    }
    return depth;
}

static void late_terms_are_added_last(void **state)
{
    (void)state;
    lb_graph g, sorted;
    lb_init_graph(&g);
    lb_term x[6], late;
    for (int i = 0; i < 6; ++i) {
        x[i] = lb_put_input(&g, 0, i, 0.3 + 0.2 * i);
    }
    // 1 / (x0 x1), and four terms that are known long before: ((late + x2) - x3) + (x4 - x5)
    late = lb_put_quotient(&g, lb_make_constant(1.0), lb_put_product(&g, x[0], x[1]));
    lb_term sum = lb_put_sum(&g, late, x[2]);
    sum = lb_put_sum(&g, sum, lb_negate_term(x[3]));
    sum = lb_put_sum(&g, sum, lb_put_sum(&g, x[4], lb_negate_term(x[5])));
    lb_put_output(&g, 1, 0, sum);
    assert_true(lb_sort_sums(&g, &sorted));
    const double value = get_output(&g, 0), again = get_output(&sorted, 0);
    lb_expect_close("sum", &again, &value, 1, 1e-15);
    assert_int_equal(count_sums(&sorted), 4);
    // what is late waits for a product and a quotient, and one sum follows
    assert_int_equal(get_depth(&g, lb_get_index(g.outputs[0].term)), 5);
    const int root = lb_get_index(sorted.outputs[0].term);
    assert_int_equal(get_depth(&sorted, root), 4);
    assert_int_equal(sorted.nodes[sorted.nodes[root].b].op, LB_OP_INVERT);
    lb_clear_graph(&g);
    lb_clear_graph(&sorted);
}

static void constants_are_added_beforehand(void **state)
{
    (void)state;
    lb_graph g, sorted;
    lb_init_graph(&g);
    const lb_term x = lb_put_input(&g, 0, 0, 0.7), y = lb_put_input(&g, 0, 1, 0.4);
    const lb_term sum = lb_put_sum(&g, lb_put_sum(&g, x, lb_make_constant(2.0)), y);
    lb_put_output(&g, 1, 0, lb_put_sum(&g, sum, lb_make_constant(-5.0)));
    // (2 - z) - 7: no term is positive once the constants are one
    const lb_term z = lb_put_input(&g, 0, 2, 0.9);
    const lb_term gap = lb_put_sum(&g, lb_make_constant(2.0), lb_negate_term(z));
    lb_put_output(&g, 1, 1, lb_put_sum(&g, gap, lb_make_constant(-7.0)));
    assert_true(lb_sort_sums(&g, &sorted));
    assert_int_equal(count_sums(&g), 5);
    assert_int_equal(count_sums(&sorted), 4);
    for (int i = 0; i < 2; ++i) {
        const double value = get_output(&g, i), again = get_output(&sorted, i);
        lb_expect_close("sum", &again, &value, 1, 1e-15);
    }
    lb_clear_graph(&g);
    lb_clear_graph(&sorted);
}

// Where a node stands for a negative term, as in both sides of a choice, it is zero less a positive one.
static void signs_stay(void **state)
{
    (void)state;
    lb_graph g, sorted;
    lb_init_graph(&g);
    const lb_term x = lb_put_input(&g, 0, 0, 0.7), y = lb_put_input(&g, 0, 1, 0.4);
    const lb_term condition = lb_put_condition(&g, x, lb_make_constant(-2.0));
    lb_put_output(&g, 1, 0, lb_put_select(&g, condition, lb_negate_term(x), y));
    assert_true(lb_sort_sums(&g, &sorted));
    int found = 0;
    for (int i = 0; i < sorted.node_count; ++i) {
        const lb_graph_node *n = &sorted.nodes[i];
        if (n->op == LB_OP_SELECT) {
            const double yes = evaluate(&sorted, n->b), no = evaluate(&sorted, n->c);
            const double left = evaluate(&sorted, sorted.nodes[n->a].a),
                         right = evaluate(&sorted, sorted.nodes[n->a].b);
            assert_true(yes == -0.7 && no == 0.4 && left == 0.7 && right == -2.0);
            ++found;
        }
    }
    assert_int_equal(found, 1);
    lb_clear_graph(&g);
    lb_clear_graph(&sorted);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_terms_are_added_last),
        cmocka_unit_test(constants_are_added_beforehand),
        cmocka_unit_test(signs_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
