// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "export/freeze/limbs/limbs.h"
#include "writer.h"

// Operations in one expression: what a reader, and a compiler that fuses products into sums, can use.
enum { EXPRESSION_MOST = 9 };

bool lb_is_turned(const lb_graph_node *n)
{
    return n->op == LB_OP_SINE || n->op == LB_OP_COSINE;
}

int lb_count_all_operands(const lb_graph *g, const lb_graph_node *n)
{
    return n->op == LB_OP_SPREAD ? g->widths[n->b] : lb_count_operands(n);
}

int lb_get_operand(const lb_graph *g, const lb_graph_node *n, int k)
{
    if (n->op == LB_OP_SPREAD) {
        const lb_term x = g->spread[n->a + k];
        return lb_is_node(x) ? lb_get_index(x) : -1;
    }
    return n->operands[k];
}

int lb_get_loop(const lb_graph_node *n)
{
    return n->op == LB_OP_SPREAD ? 0 : n->limb;
}

bool lb_are_together(const lb_graph_node *x, const lb_graph_node *y)
{
    return lb_get_loop(x) == lb_get_loop(y) && x->phase == y->phase;
}

bool lb_is_table(const lb_graph *g, const lb_graph_node *n)
{
    bool constant = true;
    for (int k = 0; k < g->widths[n->b]; ++k) {
        constant = constant && !lb_is_node(g->spread[n->a + k]);
    }
    return constant;
}

// The entry of an array that a term is, or -1.
static int get_entry(const lb_writer *w, lb_term x, int op)
{
    if (!lb_is_node(x) || lb_is_negative(x)) {
        return -1;
    }
    const lb_graph_node *n = &w->graph->nodes[lb_get_index(x)];
    if (n->op != op) {
        return -1;
    }
    if (op == LB_OP_INPUT) {
        return n->b;
    }
    return lb_is_turned(n) && lb_is_angle(w->graph, n->a) ? w->name[n->a] : -1;
}

bool lb_is_even(const lb_writer *w, const lb_graph_node *n, int *entry, int *stride)
{
    const lb_graph *g = w->graph;
    const lb_term *x = g->spread + n->a;
    const lb_graph_node *leaf = lb_is_node(x[0]) ? &g->nodes[lb_get_index(x[0])] : NULL;
    *entry = leaf ? get_entry(w, x[0], leaf->op) : -1;
    *stride = 0;
    bool even = *entry >= 0;
    for (int k = 1; even && k < g->widths[n->b]; ++k) {
        const int next = get_entry(w, x[k], leaf->op);
        *stride = k == 1 ? next - *entry : *stride;
        even = next >= 0 && next == *entry + k * *stride &&
               (leaf->op != LB_OP_INPUT || g->nodes[lb_get_index(x[k])].a == leaf->a);
    }
    return even && *stride == 1;
}

// ---- what is used ------------------------------------------------------------------------------

static void use_term(lb_writer *w, lb_term x)
{
    if (lb_is_node(x)) {
        ++w->uses[lb_get_index(x)];
    }
}

// Operands of a comparison that is written where the later of them is known.
static void use_guard(lb_writer *w, const lb_graph_guard *guard)
{
    const lb_graph_node *nodes = w->graph->nodes;
    use_term(w, guard->a);
    use_term(w, guard->b);
    if (lb_is_node(guard->a) && lb_is_node(guard->b)) {
        const int a = lb_get_index(guard->a), b = lb_get_index(guard->b);
        w->leaves[a < b ? a : b] |= !lb_are_together(&nodes[a], &nodes[b]);
    }
}

static void count_uses(lb_writer *w)
{
    const lb_graph *g = w->graph;
    for (int i = 0; i < g->output_count; ++i) {
        use_term(w, g->outputs[i].term);
        if (g->outputs[i].stride) { // it is written behind the loop
            w->leaves[lb_get_index(g->outputs[i].term)] = 1;
        }
    }
    for (int i = 0; i < g->guard_count; ++i) {
        use_guard(w, &g->guards[i]);
    }
    for (int i = g->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &g->nodes[i];
        for (int k = 0; w->uses[i] && k < lb_count_all_operands(g, n); ++k) {
            const int o = lb_get_operand(g, n, k);
            if (o >= 0) {
                ++w->uses[o];
                w->leaves[o] |= !lb_are_together(n, &g->nodes[o]);
            }
        }
    }
}

// The operations of an operand that is written inside an expression.
static int get_size(const lb_writer *w, int i)
{
    return w->shown[i] == LB_SHOWN_INLINE ? w->size[i] : 0;
}

static void make_variable(lb_writer *w, int i)
{
    if (w->shown[i] == LB_SHOWN_INLINE) {
        w->shown[i] = LB_SHOWN_NAMED;
    }
}

static void choose_form(lb_writer *w, int i)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    const int count = lb_count_operands(n);
    if (!w->uses[i]) {
        return;
    }
    if (count == 0) {
        w->shown[i] = LB_SHOWN_LEAF;
        return;
    }
    if (n->op == LB_OP_PICK) {
        w->shown[n->a] = LB_SHOWN_ARRAY;
        w->shown[i] = LB_SHOWN_LEAF;
        return;
    }
    if (lb_is_turned(n) || n->op == LB_OP_TURN) {
        const bool beside = lb_is_turned(n) && lb_is_angle(w->graph, n->a);
        if (beside && w->shown[n->a] == LB_SHOWN_NAMED) {
            w->shown[n->a] = LB_SHOWN_INLINE;
        } else if (!beside) {
            make_variable(w, n->a);
        }
        w->shown[i] = LB_SHOWN_LEAF;
        return;
    }
    if (n->op == LB_OP_SELECT) { // both sides are computed: what is long gets a name
        make_variable(w, n->b);
        make_variable(w, n->c);
    }
    int size = 1 + get_size(w, n->a) + (count > 1 ? get_size(w, n->b) : 0);
    if (size > EXPRESSION_MOST) {
        // the longer operand gets a name
        const bool second = count > 1 && get_size(w, n->b) > get_size(w, n->a);
        const int longer = second ? n->b : n->a;
        size -= get_size(w, longer);
        make_variable(w, longer);
    }
    w->size[i] = (unsigned char)size;
    // what appears twice in one expression, as in a square, is used twice
    w->shown[i] = w->uses[i] == 1 && !w->leaves[i] ? LB_SHOWN_INLINE : LB_SHOWN_NAMED;
    if (n->limb && w->leaves[i]) {
        w->shown[i] = LB_SHOWN_ARRAY;
    }
}

void lb_choose_forms(lb_writer *w)
{
    count_uses(w);
    for (int i = 0; i < w->graph->node_count; ++i) {
        w->name[i] = w->first[i] = -1;
        choose_form(w, i);
    }
}

// ---- what is kept ------------------------------------------------------------------------------

// Values that a node keeps for later.
static int get_room(const lb_writer *w, int i, const int *last)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    if (w->shown[i] == LB_SHOWN_ARRAY) {
        return w->graph->widths[n->limb];
    }
    return w->shown[i] == LB_SHOWN_NAMED && last[i] > i;
}

// last[i] becomes the last use of node i, and place[i] where its expression is written.
int lb_count_live(const lb_writer *w, int *last, int *place)
{
    const lb_graph *g = w->graph;
    int live = 0, most = 0;
    for (int i = g->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->shown[i] != LB_SHOWN_INLINE || place[i] == 0) {
            place[i] = i;
        }
        for (int k = 0; w->uses[i] && k < lb_count_all_operands(g, n); ++k) {
            const int o = lb_get_operand(g, n, k);
            if (o >= 0) {
                last[o] = place[i] > last[o] ? place[i] : last[o];
                place[o] = place[i];
            }
        }
    }
    // ends[p]: values that are used at p for the last time, in the array of places, which is done with
    memset(place, 0, (size_t)g->node_count * sizeof *place);
    for (int i = 0; i < g->node_count; ++i) {
        place[last[i]] += get_room(w, i, last);
    }
    for (int i = 0; i < g->node_count; ++i) {
        live += get_room(w, i, last);
        most = live > most ? live : most;
        live -= place[i];
    }
    return most;
}

// ---- what registers do not hold ----------------------------------------------------------------
//
// Where memory of threads is slow, as on graphics processors, the text says which variables go elsewhere.

// How much is gained by keeping a variable elsewhere: places where it is not in a register, per access.
static double get_gain(const lb_writer *w, const int *last, int i)
{
    return (double)(last[i] - i) / (w->uses[i] + 1);
}

// Goes through the text; where more variables are alive than there are registers, the one that gains most is
// kept elsewhere. slot[i] is 0 for these.
static void choose_kept(lb_writer *w, const int *last, int *alive)
{
    const lb_graph *g = w->graph;
    int count = 0;
    for (int i = 0; i < g->node_count; ++i) {
        for (int k = 0; k < count;) {
            if (last[alive[k]] <= i) {
                alive[k] = alive[--count];
            } else {
                ++k;
            }
        }
        if (w->shown[i] != LB_SHOWN_NAMED || last[i] <= i) {
            continue;
        }
        alive[count++] = i;
        if (count > w->style->register_count) {
            int chosen = 0;
            for (int k = 1; k < count; ++k) {
                if (get_gain(w, last, alive[k]) > get_gain(w, last, alive[chosen])) {
                    chosen = k;
                }
            }
            w->slot[alive[chosen]] = 0;
            alive[chosen] = alive[--count];
        }
    }
}

// Gives them places, which are free again after the last use. Without a place a variable stays what it was.
static int assign_slots(lb_writer *w, const int *last, int *holder)
{
    int most = 0;
    for (int i = 0; i < w->graph->node_count; ++i) {
        if (w->slot[i] < 0) {
            continue;
        }
        int k = 0;
        while (k < most && last[holder[k]] > i) {
            ++k;
        }
        w->slot[i] = k < w->style->kept_most ? k : -1;
        if (w->slot[i] >= 0) {
            holder[k] = i;
            most = k < most ? most : k + 1;
        }
    }
    return most;
}

int lb_choose_kept(lb_writer *w, const int *last, int *room)
{
    choose_kept(w, last, room);
    return assign_slots(w, last, room);
}
