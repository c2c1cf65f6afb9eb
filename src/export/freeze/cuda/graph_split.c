// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "graph_passes.h"

#include <stdlib.h>
#include <string.h>

#include "export/freeze/limbs/limbs.h"

typedef struct cut {
    const lb_graph *graph;
    lb_graph *parts;
    int array, handed, part_count, slot_count;
    int *part;  // by node: where it is computed
    int *slot;  // by node: its entry between the parts, or -1
    int *there; // by part and node: index in the part, or -1
} cut;

// An input, a constant, a sum of the two, or a sine of one of these: each part computes these for itself. So it does what
// only brings numbers together or takes one out.
static bool is_cheap(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    if (n->op == LB_OP_SPREAD || n->op == LB_OP_PICK || lb_count_different_operands(n) == 0) {
        return true;
    }
    if (n->op == LB_OP_SINE || n->op == LB_OP_COSINE) {
        return is_cheap(g, n->a);
    }
    return (n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT) &&
           lb_count_different_operands(&g->nodes[n->a]) == 0 &&
           lb_count_different_operands(&g->nodes[n->b]) == 0;
}

int lb_count_arithmetic(const lb_graph *graph)
{
    int count = 0;
    for (int i = 0; i < graph->node_count; ++i) {
        count += !is_cheap(graph, i);
    }
    return count;
}

static int *get_place(cut *c, int part, int i)
{
    return &c->there[(size_t)part * (size_t)c->graph->node_count + (size_t)i];
}

static bool append(lb_graph *part, lb_graph_node node)
{
    if (part->node_count == part->node_capacity) {
        const int larger = part->node_capacity ? 2 * part->node_capacity : 256;
        lb_graph_node *nodes = realloc(part->nodes, (size_t)larger * sizeof *nodes);
        if (!nodes) {
            part->out_of_memory = true;
            return false;
        }
        part->nodes = nodes;
        part->node_capacity = larger;
    }
    part->nodes[part->node_count++] = node;
    return true;
}

static int bring(cut *c, int part, int i);

static lb_term bring_term(cut *c, int part, lb_term x)
{
    if (lb_is_node(x)) {
        x.bits =
            (x.bits & ~(uint64_t)0x7fffffffu) | (uint64_t)(unsigned)bring(c, part, lb_get_index(x));
    }
    return x;
}

// Entries that a node has: one for each limb.
static int get_width(const cut *c, int i)
{
    return c->graph->nodes[i].limb ? c->graph->widths[c->graph->nodes[i].limb] : 1;
}

// The first entry between the parts of a node of an earlier one.
static int hand_on(cut *c, int i)
{
    if (c->slot[i] < 0) {
        lb_graph *from = &c->parts[c->part[i]];
        const lb_term term = {.bits =
                                  LB_TERM_TAG | (uint64_t)(unsigned)*get_place(c, c->part[i], i)};
        c->slot[i] = c->slot_count;
        c->slot_count += get_width(c, i);
        lb_put_output(from, c->array, c->slot[i], term);
        if (!from->out_of_memory) {
            from->outputs[from->output_count - 1].stride = c->graph->nodes[i].limb ? 1 : 0;
        }
    }
    return c->slot[i];
}

static lb_graph_node read_slot(const cut *c, int slot, const lb_graph_node *like)
{
    return (lb_graph_node){
        .op = LB_OP_INPUT, .a = c->handed, .b = slot, .mark = like->mark, .value = like->value};
}

// Numbers side by side in a part: those of a node that does so, or what an earlier part has handed on.
static lb_graph_node bring_spread(cut *c, int part, int i)
{
    const lb_graph_node *n = &c->graph->nodes[i];
    const bool own = n->op == LB_OP_SPREAD;
    const int width = get_width(c, i), slot = own ? 0 : hand_on(c, i);
    lb_graph *to = &c->parts[part];
    lb_term terms[LB_LANES_MOST];
    for (int k = 0; k < width; ++k) {
        if (own) {
            terms[k] = bring_term(c, part, c->graph->spread[n->a + k]);
        } else {
            (void)append(to, read_slot(c, slot + k, n));
            terms[k].bits = LB_TERM_TAG | (uint64_t)(unsigned)(to->node_count - 1);
        }
    }
    lb_graph_node node = {.op = LB_OP_SPREAD,
                          .a = to->spread_count,
                          .b = n->limb,
                          .mark = n->mark,
                          .value = n->value,
                          .limb = n->limb};
    lb_term *spread = realloc(to->spread, (size_t)(to->spread_count + width) * sizeof *spread);
    if (spread) {
        memcpy(spread + to->spread_count, terms, (size_t)width * sizeof *spread);
        to->spread = spread;
        to->spread_count += width;
    } else {
        to->out_of_memory = true;
        node = (lb_graph_node){.op = LB_OP_CONSTANT};
    }
    return node;
}

// The index of a node in a part: computed there, copied, or read from between the parts.
static int bring(cut *c, int part, int i)
{
    int *place = get_place(c, part, i);
    if (*place >= 0) {
        return *place;
    }
    lb_graph_node node = c->graph->nodes[i];
    const bool here = is_cheap(c->graph, i) || c->part[i] == part;
    if (node.op == LB_OP_SPREAD || (node.limb && !here)) {
        node = bring_spread(c, part, i);
    } else if (node.op == LB_OP_PICK && c->part[node.a] != part) {
        node = read_slot(c, hand_on(c, node.a) + node.b, &node);
    } else if (here) {
        for (int k = 0; k < lb_count_operands(&node); ++k) {
            node.operands[k] = bring(c, part, node.operands[k]);
        }
    } else {
        node = read_slot(c, hand_on(c, i), &node);
    }
    if (append(&c->parts[part], node)) {
        *place = c->parts[part].node_count - 1;
    }
    return *place < 0 ? 0 : *place;
}

// The part of a term: of what is cheap, the first.
static int get_part(const cut *c, lb_term x)
{
    const int i = lb_is_node(x) ? lb_get_index(x) : -1;
    if (i >= 0 && c->graph->nodes[i].op == LB_OP_PICK) {
        return c->part[c->graph->nodes[i].a];
    }
    return i >= 0 && !is_cheap(c->graph, i) ? c->part[i] : 0;
}

// What a node needs, through numbers brought together or taken out, is alive until there.
static void use_until(const lb_graph *g, int *last, int node, int i)
{
    const lb_graph_node *n = &g->nodes[node];
    last[node] = i;
    if (n->op == LB_OP_PICK) {
        use_until(g, last, n->a, i);
    }
    for (int k = 0; n->op == LB_OP_SPREAD && k < g->widths[n->b]; ++k) {
        if (lb_is_node(g->spread[n->a + k])) {
            use_until(g, last, lb_get_index(g->spread[n->a + k]), i);
        }
    }
}

// Ends parts where few values are handed on, near the places that make them equally long: part[i] for every node.
// `last` and `alive` are scratch.
static void choose_parts(cut *c, int *last, int *alive)
{
    const lb_graph *g = c->graph;
    const long long whole = lb_count_arithmetic(g);
    memset(alive, 0, (size_t)g->node_count * sizeof *alive);
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        last[i] = i;
        for (int j = 0; j < lb_count_different_operands(n); ++j) {
            use_until(g, last, n->operands[j], i);
        }
    }
    for (int i = 0; i < g->node_count; ++i) { // first what is new, then the sum
        if (!is_cheap(g, i)) {
            alive[i] += get_width(c, i);
            alive[last[i]] -= get_width(c, i);
        }
    }
    for (int i = 1; i < g->node_count; ++i) {
        alive[i] += alive[i - 1];
    }
    long long count = 0;
    int start = 0, best = -1, part = 0;
    for (int i = 0; i < g->node_count; ++i) {
        // a tenth of a part to either side
        const long long at = 10 * count * c->part_count, middle = 10 * (part + 1) * whole;
        if (part + 1 < c->part_count && at >= middle - whole &&
            (best < 0 || alive[i] < alive[best])) {
            best = i;
        }
        if (part + 1 < c->part_count && best >= 0 && at >= middle + whole) {
            for (; start <= best; ++start) {
                c->part[start] = part;
            }
            best = -1;
            ++part;
        }
        count += !is_cheap(g, i);
    }
    for (; start < g->node_count; ++start) {
        c->part[start] = part;
    }
}

static void fill_parts(cut *c)
{
    const lb_graph *g = c->graph;
    for (int i = 0; i < g->node_count; ++i) {
        if (!is_cheap(g, i)) {
            (void)bring(c, c->part[i], i);
        }
    }
    for (int i = 0; i < g->output_count; ++i) {
        const lb_graph_output *o = &g->outputs[i];
        const int part = get_part(c, o->term);
        lb_graph *p = &c->parts[part];
        lb_put_output(p, o->array, o->entry, bring_term(c, part, o->term));
        if (!p->out_of_memory) {
            p->outputs[p->output_count - 1].stride = o->stride;
        }
    }
    for (int i = 0; i < g->guard_count; ++i) {
        lb_graph_guard guard = g->guards[i];
        const int a = get_part(c, guard.a), b = get_part(c, guard.b), part = a > b ? a : b;
        lb_graph *p = &c->parts[part];
        guard.a = bring_term(c, part, guard.a);
        guard.b = bring_term(c, part, guard.b);
        p->guards[p->guard_count++] = guard;
    }
}

bool lb_split_graph(const lb_graph *graph, int array, int handed, int part_count, lb_graph *parts,
                    int *slot_count)
{
    const size_t n = (size_t)graph->node_count + 1;
    cut c = {
        .graph = graph, .parts = parts, .array = array, .handed = handed, .part_count = part_count};
    c.part = malloc(n * sizeof *c.part);
    c.slot = malloc(n * sizeof *c.slot);
    c.there = malloc(n * (size_t)part_count * sizeof *c.there);
    bool good = c.part && c.slot && c.there;
    for (int k = 0; k < part_count; ++k) {
        const size_t marks = (size_t)graph->mark_count + 1, guards = (size_t)graph->guard_count + 1;
        lb_init_graph(&parts[k]);
        parts[k].marks = malloc(marks * sizeof *graph->marks);
        parts[k].guards = malloc(guards * sizeof *graph->guards);
        good = good && parts[k].marks && parts[k].guards;
        if (good && graph->mark_count) {
            memcpy(parts[k].marks, graph->marks, (size_t)graph->mark_count * sizeof *graph->marks);
        }
        parts[k].mark_count = graph->mark_count;
        parts[k].widths = graph->widths;
        parts[k].mark_capacity = (int)marks;
        parts[k].guard_capacity = (int)guards;
    }
    if (good) {
        choose_parts(&c, c.slot, c.there);
        memset(c.slot, -1, n * sizeof *c.slot);
        memset(c.there, -1, n * (size_t)part_count * sizeof *c.there);
        fill_parts(&c);
    }
    for (int k = 0; k < part_count; ++k) {
        good = good && !parts[k].out_of_memory && (!graph->widths || lb_sort_phases(&parts[k], 0));
    }
    *slot_count = c.slot_count;
    free(c.part);
    free(c.slot);
    free(c.there);
    return good;
}
