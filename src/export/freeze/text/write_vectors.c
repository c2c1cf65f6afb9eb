// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equal limbs in the vector types of GNU C, in place of loops over them: one variable for all limbs of a group. Where
// there are fewer limbs than a vector has room for, the last one is repeated.
#include <stdlib.h>

#include "writer.h"

const char *lb_get_vector_name(int width)
{
    return width <= 2 ? "two" : width <= 4 ? "four" : "eight";
}

static int get_room(int width)
{
    return width <= 2 ? 2 : width <= 4 ? 4 : 8;
}

void lb_write_vector_types(lb_page *page, const lb_c_style *style)
{
    lb_write(page, "// One number for each of several equal limbs, and whether something holds for "
                   "each of them\n");
    for (int width = 2; width <= LB_LIMBS_MOST; width *= 2) {
        const char *name = lb_get_vector_name(width);
        const int size = width * (style->is_float ? 4 : 8);
        lb_write(page,
                 "typedef %s %s_%s __attribute__((vector_size(%d)));\n"
                 "typedef %s %s_%s_mask __attribute__((vector_size(%d)));\n",
                 style->is_float ? "float" : "double", style->prefix, name, size,
                 style->is_float ? "int" : "long long", style->prefix, name, size);
    }
    lb_write(page, "\n");
}

// What vectors have operators for.
static bool is_simple(const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_ADD:
    case LB_OP_SUBTRACT:
    case LB_OP_MULTIPLY:
    case LB_OP_INVERT:
    case LB_OP_MAGNITUDE:
    case LB_OP_SPREAD:
        return true;
    default:
        return false;
    }
}

bool lb_choose_vectors(lb_writer *w)
{
    const lb_graph *g = w->graph;
    bool simple = true;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        w->vector[i] = n->op == LB_OP_SPREAD;
        if (!w->uses[i] || !lb_get_loop(n)) {
            continue;
        }
        // entries of bodies do not fill vectors: they stay in loops
        const int width = g->widths[n->limb];
        simple = simple && is_simple(n) && width <= LB_LIMBS_MOST &&
                 w->style->limbs->lanes[width] != n->limb;
        // what comes of numbers that all limbs share is one number too
        for (int k = 0; k < lb_count_operands(n); ++k) {
            w->vector[i] |= w->vector[lb_get_operand(g, n, k)];
        }
    }
    return simple;
}

void lb_write_vector_type(lb_writer *w, int i)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    if (w->vector[i]) {
        const int group = n->op == LB_OP_SPREAD ? n->b : n->limb;
        lb_write(w->page, "%s_%s", w->style->prefix, lb_get_vector_name(w->graph->widths[group]));
    } else {
        lb_write(w->page, "%s", w->style->is_float ? "float" : "double");
    }
}

void lb_write_gathered_vector(lb_writer *w, int i)
{
    const lb_graph *g = w->graph;
    const lb_graph_node *n = &g->nodes[i];
    const int width = g->widths[n->b];
    int entry, stride;
    if (lb_is_even(w, n, &entry, &stride) && width == get_room(width)) {
        const lb_graph_node *leaf = &g->nodes[lb_get_operand(g, n, 0)];
        const char *turned = leaf->op == LB_OP_SINE ? "sine" : "cosine";
        lb_write(w->page, "    ");
        lb_write_vector_type(w, i);
        lb_write(w->page, " x%d;\n    memcpy(&x%d, &%s[%d], sizeof x%d);\n", w->name[i], w->name[i],
                 leaf->op == LB_OP_INPUT ? w->style->array_names[leaf->a] : turned, entry,
                 w->name[i]);
        return;
    }
    lb_write(w->page, "    const ");
    lb_write_vector_type(w, i);
    lb_write(w->page, " x%d = {", w->name[i]);
    for (int k = 0; k < get_room(width); ++k) {
        lb_write(w->page, "%s", k ? ", " : "");
        lb_write_term(w, g->spread[n->a + (k < width ? k : width - 1)]);
    }
    lb_write(w->page, "};\n");
}

void lb_write_vector_outputs(lb_writer *w, const lb_graph_node *last)
{
    const lb_graph *g = w->graph;
    for (int i = 0; i < g->output_count; ++i) {
        const lb_graph_output *out = &g->outputs[i];
        const int node = lb_is_node(out->term) ? lb_get_index(out->term) : -1;
        if (!out->stride || !lb_are_together(&g->nodes[node], last)) {
            continue;
        }
        for (int k = 0; k < g->widths[last->limb]; ++k) {
            lb_write(w->page, "    %s[%d] = ", w->style->array_names[out->array],
                     out->entry + k * out->stride);
            lb_write_term(w, out->term); // an array: its name
            lb_write(w->page, w->vector[node] ? "[%d];\n" : ";\n", k);
        }
    }
}

static bool is_vector(const lb_writer *w, lb_term x)
{
    return lb_is_node(x) && w->vector[lb_get_index(x)];
}

bool lb_is_vector_guard(const lb_writer *w, const lb_graph_guard *guard)
{
    return w->vectors && (is_vector(w, guard->a) || is_vector(w, guard->b));
}

void lb_write_vector_guard(lb_writer *w, const lb_graph_guard *guard, int width,
                           const char *trouble)
{
    lb_write(w->page, "    %s_%s |= %s(", trouble, lb_get_vector_name(width),
             guard->outcome ? "~" : "");
    lb_write_term(w, guard->a);
    lb_write(w->page, guard->or_equal ? " >= " : " > ");
    lb_write_term(w, guard->b);
    lb_write(w->page, ");\n");
}

void lb_write_vector_magnitude(lb_writer *w, int i)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    // without the sign
    lb_write(w->page, "(");
    lb_write_vector_type(w, i);
    lb_write(w->page, ")((");
    lb_write_vector_type(w, i);
    lb_write(w->page, "_mask)(");
    lb_write_node(w, n->a, LB_AS_SUM);
    lb_write(w->page, w->style->is_float ? ") & 0x7fffffff)" : ") & 0x7fffffffffffffffll)");
}
