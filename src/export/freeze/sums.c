// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

// Cycles after which a result is there, on processors of today. A product that only a sum needs is part of it.
enum { AFTER_SUM = 3, AFTER_PRODUCT = 3, AFTER_FUSED = 4, AFTER_QUOTIENT = 13, AFTER_CALL = 40 };

typedef struct addend {
    int node; // of the new graph
    bool negative;
    bool fused; // a product that is added without being rounded first
    int time;   // when it, or the factors of a product, are known
} addend;

typedef struct sorter {
    const lb_graph *old;
    lb_graph *made;
    int *uses;            // by old node
    unsigned char *inner; // by old node: its only user is a sum, which takes its terms
    int *place;           // by old node: the new one
    int *time;            // by new node
    addend *addends;      // of one sum
    int count;
    double positive, negative; // its constants
} sorter;

static bool is_sum(const lb_graph_node *n)
{
    return n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT;
}

static bool are_together(const lb_graph_node *x, const lb_graph_node *y)
{
    return x->limb == y->limb && x->phase == y->phase;
}

static void use(sorter *s, lb_term x)
{
    if (lb_is_node(x)) {
        ++s->uses[lb_get_index(x)];
    }
}

static void count_uses(sorter *s)
{
    const lb_graph *g = s->old;
    for (int i = 0; i < g->output_count; ++i) {
        use(s, g->outputs[i].term);
    }
    for (int i = 0; i < g->guard_count; ++i) {
        use(s, g->guards[i].a);
        use(s, g->guards[i].b);
    }
    for (int i = g->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &g->nodes[i];
        for (int k = 0; s->uses[i] && n->op == LB_OP_SPREAD && k < g->widths[n->b]; ++k) {
            use(s, g->spread[n->a + k]);
        }
        for (int k = 0; s->uses[i] && k < lb_count_operands(n); ++k) {
            ++s->uses[n->operands[k]];
        }
    }
}

// Of what outputs, guards and spreads use, the only user is no sum.
static void find_inner(sorter *s)
{
    const lb_graph *g = s->old;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        for (int k = 0; s->uses[i] && is_sum(n) && k < 2; ++k) {
            const int o = n->operands[k];
            s->inner[o] = s->uses[o] == 1 && is_sum(&g->nodes[o]) && are_together(n, &g->nodes[o]);
        }
    }
}

static int put_node(sorter *s, const lb_graph_node *node, int time)
{
    // there is room: see lb_sort_sums
    s->made->nodes[s->made->node_count] = *node;
    s->time[s->made->node_count] = time;
    return s->made->node_count++;
}

static void add_term(sorter *s, const lb_graph_node *user, int i, bool negative)
{
    const lb_graph_node *n = &s->old->nodes[i];
    if (s->inner[i]) {
        add_term(s, user, n->a, negative);
        add_term(s, user, n->b, negative != (n->op == LB_OP_SUBTRACT));
        return;
    }
    if (n->op == LB_OP_CONSTANT) {
        *(negative ? &s->negative : &s->positive) += n->value;
        return;
    }
    const bool fused = n->op == LB_OP_MULTIPLY && s->uses[i] == 1 && are_together(n, user);
    s->addends[s->count++] =
        (addend){s->place[i], negative, fused, s->time[s->place[i]] - (fused ? AFTER_PRODUCT : 0)};
}

static void sort_addends(sorter *s)
{
    for (int i = 2; i < s->count; ++i) {
        const addend x = s->addends[i];
        int k = i;
        for (; k > 1 && s->addends[k - 1].time > x.time; --k) {
            s->addends[k] = s->addends[k - 1];
        }
        s->addends[k] = x;
    }
}

// x + y, with the sign outside
static addend add(sorter *s, const lb_graph_node *like, addend x, addend y)
{
    const lb_graph_node *nodes = s->made->nodes;
    const bool same = x.negative == y.negative;
    const int first = x.negative && !same ? y.node : x.node,
              second = first == x.node ? y.node : x.node;
    const double value = nodes[first].value + (same ? nodes[second].value : -nodes[second].value);
    const lb_graph_node node = {.op = same ? LB_OP_ADD : LB_OP_SUBTRACT,
                                .a = first,
                                .b = second,
                                .mark = like->mark,
                                .value = value,
                                .limb = like->limb,
                                .phase = like->phase};
    const int time = (x.time > y.time ? x.time : y.time) + (y.fused ? AFTER_FUSED : AFTER_SUM);
    return (addend){put_node(s, &node, time), same && x.negative, false, time};
}

static addend make_constant(sorter *s, double x)
{
    const lb_graph_node node = {.op = LB_OP_CONSTANT, .value = fabs(x)};
    return (addend){put_node(s, &node, 0), x < 0, false, 0};
}

// A sum with the terms of all sums inside it. A node has no sign, so one term must be positive: the first of the old
// sum is. Where only constants are, and others outweigh them, those are taken last.
static int put_sum(sorter *s, int i)
{
    const lb_graph_node *n = &s->old->nodes[i];
    s->count = 1; // the first place is for a constant
    s->positive = s->negative = 0.0;
    add_term(s, n, n->a, false);
    add_term(s, n, n->b, n->op == LB_OP_SUBTRACT);
    sort_addends(s);
    const double all = s->positive - s->negative;
    bool any = all > 0;
    for (int k = 1; k < s->count; ++k) {
        any = any || !s->addends[k].negative;
    }
    int first = 1;
    if (!any || all != 0) {
        s->addends[--first] = make_constant(s, any ? all : s->positive);
    }
    if (!any && s->negative > 0) {
        s->addends[s->count++] = make_constant(s, -s->negative);
    }
    addend sum = s->addends[first];
    sum.time += sum.fused ? AFTER_PRODUCT : 0;
    for (int k = first + 1; k < s->count; ++k) {
        sum = add(s, n, sum, s->addends[k]);
    }
    return sum.node;
}

static int get_time_of(const sorter *s, const lb_graph_node *n)
{
    int time = 0;
    for (int k = 0; k < lb_count_operands(n); ++k) {
        const int own = s->time[n->operands[k]];
        time = own > time ? own : time;
    }
    switch (n->op) {
    case LB_OP_CONSTANT:
    case LB_OP_INPUT:
    case LB_OP_SPREAD:
    case LB_OP_SINE:
    case LB_OP_COSINE:
    case LB_OP_PICK:
        return time;
    case LB_OP_ADD:
    case LB_OP_SUBTRACT:
    case LB_OP_MAGNITUDE:
    case LB_OP_LARGER:
    case LB_OP_GREATER:
    case LB_OP_SELECT:
        return time + AFTER_SUM;
    case LB_OP_MULTIPLY:
        return time + AFTER_PRODUCT;
    case LB_OP_INVERT:
    case LB_OP_ROOT:
        return time + AFTER_QUOTIENT;
    default:
        return time + AFTER_CALL;
    }
}

static void put_all(sorter *s, bool sorts)
{
    const lb_graph *g = s->old;
    lb_graph *made = s->made;
    for (int i = 0; i < g->node_count; ++i) {
        lb_graph_node n = g->nodes[i];
        s->place[i] = -1;
        if (!s->uses[i] || s->inner[i]) {
            continue;
        }
        if (sorts && is_sum(&n)) {
            s->place[i] = put_sum(s, i);
            continue;
        }
        lb_move_operands(&n, s->place);
        s->place[i] = put_node(s, &n, get_time_of(s, &n));
        for (int k = 0; n.op == LB_OP_SPREAD && k < g->widths[n.b]; ++k) {
            made->spread[n.a + k] = lb_move_term(made->spread[n.a + k], s->place);
        }
    }
    for (int i = 0; i < made->output_count; ++i) {
        made->outputs[i].term = lb_move_term(made->outputs[i].term, s->place);
    }
    for (int i = 0; i < made->guard_count; ++i) {
        made->guards[i].a = lb_move_term(made->guards[i].a, s->place);
        made->guards[i].b = lb_move_term(made->guards[i].b, s->place);
    }
}

static void *copy(const void *from, int count, size_t size)
{
    void *to = malloc((size_t)(count + 1) * size);
    if (to && count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
    return to;
}

static bool make(const lb_graph *graph, bool sorts, lb_graph *out)
{
    // a sum brings two constants at most, and is one addition longer for each
    const size_t n = (size_t)graph->node_count + 1, most = 5 * n;
    lb_arena scratch = lb_make_arena(NULL);
    sorter s = {.old = graph, .made = out};
    lb_init_graph(out);
    out->widths = graph->widths;
    out->mark_count = graph->mark_count;
    out->guard_count = graph->guard_count;
    out->output_count = graph->output_count;
    out->spread_count = graph->spread_count;
    out->marks = copy(graph->marks, graph->mark_count, sizeof *graph->marks);
    out->guards = copy(graph->guards, graph->guard_count, sizeof *graph->guards);
    out->outputs = copy(graph->outputs, graph->output_count, sizeof *graph->outputs);
    out->spread = copy(graph->spread, graph->spread_count, sizeof *graph->spread);
    out->nodes = malloc(most * sizeof *out->nodes);
    const bool good = out->marks && out->guards && out->outputs && out->spread && out->nodes &&
                      (s.uses = lb_arena_take(&scratch, n, sizeof *s.uses)) &&
                      (s.inner = lb_arena_take(&scratch, n, sizeof *s.inner)) &&
                      (s.place = lb_arena_take(&scratch, n, sizeof *s.place)) &&
                      (s.time = lb_arena_take(&scratch, most, sizeof *s.time)) &&
                      (s.addends = lb_arena_take(&scratch, n + 2, sizeof *s.addends));
    if (good) {
        count_uses(&s);
        if (sorts) {
            find_inner(&s);
        }
        put_all(&s, sorts);
    }
    lb_arena_free(&scratch);
    return good && !graph->out_of_memory;
}

bool lb_sort_sums(const lb_graph *graph, lb_graph *out)
{
    return make(graph, true, out);
}

bool lb_copy_used(const lb_graph *graph, lb_graph *out)
{
    return make(graph, false, out);
}
