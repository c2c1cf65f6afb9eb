// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

// What is there before the first phase: constants, inputs, sines of angles, and one of these for each limb.
static bool is_early(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    const bool turn = n->op == LB_OP_SINE || n->op == LB_OP_COSINE;
    if (n->op == LB_OP_CONSTANT || lb_is_angle(g, turn ? n->a : i)) {
        return true;
    }
    bool early = n->op == LB_OP_SPREAD;
    for (int k = 0; early && k < g->widths[n->b]; ++k) {
        const lb_term x = g->spread[n->a + k];
        early = !lb_is_node(x) || is_early(g, lb_get_index(x));
    }
    return early;
}

static int get_kind(const lb_graph_node *n)
{
    return n->op == LB_OP_SPREAD ? 0 : n->limb;
}

static void wait_for(const lb_graph *g, const unsigned char *early, int kind, int operand,
                     int *phase)
{
    const lb_graph_node *o = &g->nodes[operand];
    const int least = o->phase + (get_kind(o) != kind);
    if (!early[operand] && least > *phase) {
        *phase = least;
    }
}

// The phase of each node: one more than those of the nodes of other kinds that it needs.
static int find_phases(lb_graph *g, int behind, unsigned char *early)
{
    int last = 0;
    for (int i = 0; i < g->node_count; ++i) {
        lb_graph_node *n = &g->nodes[i];
        const int kind = get_kind(n), count = lb_count_operands(n);
        n->phase = 0;
        early[i] = is_early(g, i);
        for (int k = 0; k < count; ++k) {
            wait_for(g, early, kind, n->operands[k], &n->phase);
        }
        for (int k = 0; n->op == LB_OP_SPREAD && k < g->widths[n->b]; ++k) {
            const lb_term x = g->spread[n->a + k];
            if (lb_is_node(x)) {
                wait_for(g, early, kind, lb_get_index(x), &n->phase);
            }
        }
        if (!early[i] && n->phase < last - behind) {
            n->phase = last - behind;
        }
        last = n->phase > last ? n->phase : last;
    }
    return last;
}

static void move_nodes(lb_graph *g, const int *place, lb_graph_node *to)
{
    for (int i = 0; i < g->node_count; ++i) {
        lb_graph_node n = g->nodes[i];
        lb_move_operands(&n, place);
        to[place[i]] = n;
    }
    memcpy(g->nodes, to, (size_t)g->node_count * sizeof *to);
    for (int i = 0; i < g->spread_count; ++i) {
        g->spread[i] = lb_move_term(g->spread[i], place);
    }
    for (int i = 0; i < g->guard_count; ++i) {
        g->guards[i].a = lb_move_term(g->guards[i].a, place);
        g->guards[i].b = lb_move_term(g->guards[i].b, place);
    }
    for (int i = 0; i < g->output_count; ++i) {
        g->outputs[i].term = lb_move_term(g->outputs[i].term, place);
    }
    // equal nodes are no longer found
    free(g->table);
    g->table = NULL;
    g->table_size = 0;
}

bool lb_sort_phases(lb_graph *g, int behind)
{
    const size_t n = (size_t)g->node_count + 1;
    lb_arena scratch = lb_make_arena(NULL);
    unsigned char *early = lb_arena_take(&scratch, n, 1);
    int *place = lb_arena_take(&scratch, n, sizeof *place);
    lb_graph_node *to = lb_arena_take(&scratch, n, sizeof *to);
    const bool good = early && place && to;
    if (good) {
        const int last = find_phases(g, behind, early);
        int groups = 1, next = 0;
        for (int i = 0; i < g->node_count; ++i) {
            groups = g->nodes[i].limb >= groups ? g->nodes[i].limb + 1 : groups;
        }
        for (int phase = 0; phase <= last; ++phase) {
            for (int kind = 0; kind < groups; ++kind) {
                for (int i = 0; i < g->node_count; ++i) {
                    const lb_graph_node *node = &g->nodes[i];
                    if (node->phase == phase && get_kind(node) == kind) {
                        place[i] = next++;
                    }
                }
            }
        }
        move_nodes(g, place, to);
    }
    lb_arena_free(&scratch);
    return good;
}

long lb_count_statements(const lb_graph *g)
{
    unsigned char *used = calloc((size_t)g->node_count + 1, 1);
    long sum = used ? 0 : -1;
    if (used) {
        lb_mark_used(g, false, used);
    }
    for (int i = 0; used && i < g->node_count; ++i) {
        sum += used[i] && lb_count_operands(&g->nodes[i]) > 0;
    }
    free(used);
    return sum;
}
