// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "graph_passes.h"

#include <stdlib.h>
#include <string.h>

// Of a choice between two numbers.
enum { OPERANDS = 3 };

typedef struct walk {
    const lb_graph *graph;
    unsigned char *used; // by node
    int *place;          // by node: in the order, or -1
    int *order, count;   // nodes
    int *need;         // by node: values that its tree keeps at one time, as if nothing were shared
    int *missing;      // by node: operands that have no place yet
    int *left;         // by node: users that have no place yet
    int *first, *next; // by node, and by node and operand: whose operand it is
    int *stack;
    int *best;
} walk;

int lb_count_different_operands(const lb_graph_node *n)
{
    const int count = lb_count_operands(n);
    return count == 2 && n->a == n->b ? 1 : count;
}

// Inputs and constants cost nothing: they are where they are.
static bool is_leaf(const walk *w, int i)
{
    return lb_count_different_operands(&w->graph->nodes[i]) == 0;
}

// Who waits for whom, before anything has a place.
static void start(walk *w)
{
    const lb_graph *g = w->graph;
    const size_t n = (size_t)g->node_count + 1;
    memset(w->place, -1, n * sizeof *w->place);
    memset(w->first, -1, n * sizeof *w->first);
    memset(w->left, 0, n * sizeof *w->left);
    w->count = 0;
    for (int i = g->node_count - 1; i >= 0; --i) {
        const int *operands = g->nodes[i].operands;
        w->missing[i] = w->used[i] ? lb_count_different_operands(&g->nodes[i]) : 0;
        for (int j = 0; j < w->missing[i]; ++j) {
            w->next[OPERANDS * i + j] = w->first[operands[j]];
            w->first[operands[j]] = OPERANDS * i + j;
            ++w->left[operands[j]];
        }
    }
}

static void settle(walk *w, int i)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    w->order[w->count] = i;
    w->place[i] = w->count++;
    for (int j = 0; j < lb_count_different_operands(n); ++j) {
        --w->left[n->operands[j]];
    }
    for (int user = w->first[i]; user >= 0; user = w->next[user]) {
        --w->missing[user / OPERANDS];
    }
}

// Values that an order keeps for later, where most are kept.
static int count_live(walk *w)
{
    const lb_graph *g = w->graph;
    int *last = w->missing, *ends = w->left, live = 0, most = 0;
    memset(ends, 0, (size_t)(g->node_count + 1) * sizeof *ends);
    for (int t = 0; t < w->count; ++t) {
        const lb_graph_node *n = &g->nodes[w->order[t]];
        last[w->order[t]] = t;
        for (int j = 0; j < lb_count_different_operands(n); ++j) {
            last[n->operands[j]] = t;
        }
    }
    for (int t = 0; t < w->count; ++t) {
        ends[last[w->order[t]]] += !is_leaf(w, w->order[t]);
    }
    for (int t = 0; t < w->count; ++t) {
        live += !is_leaf(w, w->order[t]);
        most = live > most ? live : most;
        live -= ends[t];
    }
    return most;
}

// ---- orders ------------------------------------------------------------------------------------

static void take_recorded(walk *w)
{
    for (int i = 0; i < w->graph->node_count; ++i) {
        if (w->used[i]) {
            settle(w, i);
        }
    }
}

// Sethi and Ullman, 1970: of two operands, the one that needs more comes first.
static void find_needs(walk *w)
{
    for (int i = 0; i < w->graph->node_count; ++i) {
        const lb_graph_node *n = &w->graph->nodes[i];
        const int operands = lb_count_different_operands(n);
        const int a = operands > 0 ? w->need[n->a] : 0, b = operands > 1 ? w->need[n->b] : 0;
        const int c = operands > 2 ? w->need[n->c] : 0, larger = a > b ? a : b;
        w->need[i] = operands == 0 ? 0 : (c > larger ? c : larger + (a == b || c == larger));
    }
}

// Nodes that only comparisons need follow as soon as they can: otherwise what is compared would be kept until
// the end.
static void settle_waiting(walk *w, int i, const unsigned char *wanted)
{
    int done = w->count;
    settle(w, i);
    for (; done < w->count; ++done) {
        for (int user = w->first[w->order[done]]; user >= 0; user = w->next[user]) {
            const int k = user / OPERANDS;
            if (!wanted[k] && w->used[k] && w->missing[k] == 0 && w->place[k] < 0) {
                settle(w, k);
            }
        }
    }
}

static void visit(walk *w, int root, const unsigned char *wanted)
{
    int depth = 0;
    w->stack[depth++] = root;
    while (depth > 0) {
        const int i = w->stack[depth - 1];
        const lb_graph_node *n = &w->graph->nodes[i];
        const int operands = w->place[i] < 0 ? lb_count_different_operands(n) : 0;
        const int *all = n->operands;
        int next = -1; // of those that have no place yet, the one that needs most
        for (int j = 0; j < operands; ++j) {
            const bool open = w->place[all[j]] < 0;
            next = open && (next < 0 || w->need[all[j]] > w->need[next]) ? all[j] : next;
        }
        if (next >= 0) {
            w->stack[depth++] = next;
        } else {
            if (w->place[i] < 0) {
                settle_waiting(w, i, wanted);
            }
            --depth;
        }
    }
}

// Depth first from the outputs. `wanted` are the nodes that outputs need.
static void take_depth_first(walk *w, const unsigned char *wanted)
{
    const lb_graph *g = w->graph;
    find_needs(w);
    for (int i = 0; i < g->node_count; ++i) {
        if (w->used[i] && is_leaf(w, i)) {
            settle(w, i);
        }
    }
    for (int i = 0; i < g->output_count; ++i) {
        if (lb_is_node(g->outputs[i].term)) {
            visit(w, lb_get_index(g->outputs[i].term), wanted);
        }
    }
    for (int i = 0; i < g->node_count; ++i) {
        if (w->used[i] && w->place[i] < 0) {
            visit(w, i, wanted);
        }
    }
}

// ---- all ---------------------------------------------------------------------------------------

static void move_nodes(walk *w, lb_graph *graph, lb_graph_node *nodes)
{
    for (int i = 0; i < w->count; ++i) {
        w->place[w->best[i]] = i;
    }
    for (int i = 0; i < w->count; ++i) {
        nodes[i] = graph->nodes[w->best[i]];
        lb_move_operands(&nodes[i], w->place);
    }
    for (int i = 0; i < graph->output_count; ++i) {
        graph->outputs[i].term = lb_move_term(graph->outputs[i].term, w->place);
    }
    for (int i = 0; i < graph->guard_count; ++i) {
        graph->guards[i].a = lb_move_term(graph->guards[i].a, w->place);
        graph->guards[i].b = lb_move_term(graph->guards[i].b, w->place);
    }
    memcpy(graph->nodes, nodes, (size_t)w->count * sizeof *nodes);
    graph->node_count = w->count;
}

static int find_best(walk *w, const unsigned char *wanted)
{
    int least = -1;
    for (int way = 0; way < 2; ++way) {
        start(w);
        if (way == 0) {
            take_recorded(w);
        } else {
            take_depth_first(w, wanted);
        }
        const int live = count_live(w);
        if (least < 0 || live < least) {
            least = live;
            memcpy(w->best, w->order, (size_t)w->count * sizeof *w->best);
        }
    }
    return least;
}

bool lb_order_graph(lb_graph *graph, int *live)
{
    const size_t n = (size_t)graph->node_count + 1;
    int *memory = malloc((8 + OPERANDS) * n * sizeof *memory);
    unsigned char *flags = calloc(2 * n, 1);
    lb_graph_node *nodes = malloc(n * sizeof *nodes);
    const bool good = memory && flags && nodes;
    if (good) {
        walk w = {.graph = graph,
                  .used = flags,
                  .place = memory,
                  .order = memory + n,
                  .need = memory + 2 * n,
                  .missing = memory + 3 * n,
                  .left = memory + 4 * n,
                  .first = memory + 5 * n,
                  .stack = memory + 6 * n,
                  .best = memory + 7 * n,
                  .next = memory + 8 * n};
        lb_mark_used(graph, true, flags);
        lb_mark_used(graph, false, flags + n);
        *live = find_best(&w, flags + n);
        move_nodes(&w, graph, nodes);
    }
    free(memory);
    free(flags);
    free(nodes);
    return good;
}
