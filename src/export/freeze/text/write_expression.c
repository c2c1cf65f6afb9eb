// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "export/freeze/batch/write_lanes.h"
#include "export/freeze/function.h"
#include "export/freeze/limbs/limbs.h"
#include "writer.h"

static void write_call(lb_writer *w, const lb_graph_node *n, const char *name)
{
    lb_write(w->page, "%s%s(%s", name, w->style->is_float ? "f" : "", n->negative ? "-" : "");
    lb_write_node(w, n->a, n->negative ? LB_AS_FACTOR : LB_AS_SUM);
    lb_write(w->page, ")");
}

static void write_two(lb_writer *w, const lb_graph_node *n, const char *between, int left,
                      int right)
{
    lb_write_node(w, n->a, left);
    lb_write(w->page, "%s", between);
    lb_write_node(w, n->b, right);
}

static int get_level(const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_GREATER:
    case LB_OP_SELECT:
        return LB_AS_SUM - 1; // always within parentheses
    case LB_OP_ADD:
    case LB_OP_SUBTRACT:
        return LB_AS_SUM;
    case LB_OP_MULTIPLY:
    case LB_OP_INVERT:
        return LB_AS_PRODUCT;
    default:
        return LB_AS_FACTOR;
    }
}

static bool is_vector(const lb_writer *w, const lb_graph_node *n)
{
    return w->vectors && w->vector[n - w->graph->nodes];
}

static void write_operation(lb_writer *w, const lb_graph_node *n)
{
    if (w->style->is_batch && lb_write_lane_operation(w, n)) {
        return;
    }
    switch (n->op) {
    case LB_OP_ADD:
        write_two(w, n, " + ", LB_AS_SUM, LB_AS_PRODUCT);
        break;
    case LB_OP_SUBTRACT:
        write_two(w, n, " - ", LB_AS_SUM, LB_AS_PRODUCT);
        break;
    case LB_OP_MULTIPLY:
        write_two(w, n, " * ", LB_AS_PRODUCT, LB_AS_FACTOR);
        break;
    case LB_OP_INVERT:
        if (is_vector(w, n)) {
            lb_write(w->page, w->style->is_float ? "1.0f / " : "1.0 / ");
        } else {
            lb_write(w->page, w->style->is_cuda ? "%s_invert(" : "1 / ", w->style->prefix);
        }
        lb_write_node(w, n->a, w->style->is_cuda ? LB_AS_SUM : LB_AS_FACTOR);
        lb_write(w->page, w->style->is_cuda ? ")" : "");
        break;
    case LB_OP_ROOT:
        write_call(w, n, "sqrt");
        break;
    case LB_OP_MAGNITUDE:
        if (is_vector(w, n)) {
            lb_write_vector_magnitude(w, (int)(n - w->graph->nodes));
        } else {
            write_call(w, n, "fabs");
        }
        break;
    case LB_OP_LARGER:
        lb_write(w->page, "fmax%s(", w->style->is_float ? "f" : "");
        write_two(w, n, ", ", LB_AS_SUM, LB_AS_SUM);
        lb_write(w->page, ")");
        break;
    case LB_OP_GREATER:
        write_two(w, n, " > ", LB_AS_SUM, LB_AS_SUM);
        break;
    case LB_OP_SELECT:
        lb_write_node(w, n->a, LB_AS_SUM);
        lb_write(w->page, " ? ");
        lb_write_node(w, n->b, LB_AS_SUM);
        lb_write(w->page, " : ");
        lb_write_node(w, n->c, LB_AS_SUM);
        break;
    case LB_OP_CALL:
        write_call(w, n, lb_get_call_name(n->b));
        break;
    case LB_OP_CALL_TWO:
        lb_write(w->page, "%s%s(", lb_get_call_name(n->c), w->style->is_float ? "f" : "");
        write_two(w, n, ", ", LB_AS_SUM, LB_AS_SUM);
        lb_write(w->page, ")");
        break;
    default:
        break;
    }
}

// Place of a number in constant memory, or -1 if it is written out: as there is no memory, or since an
// instruction has room for the upper half of a number, and the rest is zero.
static int find_number(lb_number_table *table, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!table || (bits & 0xffffffffu) == 0) {
        return -1;
    }
    for (int i = 0; i < table->count; ++i) {
        if (table->values[i] == x) {
            return i;
        }
    }
    if (table->count == table->capacity) {
        const int larger = table->capacity ? 2 * table->capacity : 256;
        // constant memory holds 64 kB
        double *values =
            larger > 4096 ? NULL : realloc(table->values, (size_t)larger * sizeof *values);
        if (!values) {
            return -1;
        }
        table->values = values;
        table->capacity = larger;
    }
    table->values[table->count] = x;
    return table->count++;
}

static void write_constant(lb_writer *w, double x)
{
    const int place = find_number(w->style->numbers, x);
    if (place >= 0) {
        lb_write(w->page, "%s_numbers[%d]", w->style->prefix, place);
    } else {
        lb_write_number(w->page, x, w->style->is_float);
    }
}

void lb_write_element(lb_writer *w, int array, int entry)
{
    const bool between = array == LB_ARRAY_BETWEEN || array == LB_ARRAY_HANDED;
    const bool own = between || array == LB_ARRAY_P || array == LB_ARRAY_TIME; // lanes of the file
    if (w->style->is_batch && !own) {
        lb_write(w->page, "%s[%d * %s_STEP]", w->style->array_names[array], entry,
                 w->style->prefix);
        return;
    }
    lb_write(w->page,
             !w->style->is_cuda ? "%s[%d]"
             : between          ? "%s[%d * room]"
                                : "%s[%d * stride]",
             w->style->array_names[array], entry);
}

// One number for each limb, inside a loop over them.
static void write_spread(lb_writer *w, const lb_graph_node *n)
{
    int entry, stride;
    const lb_graph_node *first = &w->graph->nodes[0];
    if (w->vectors || !lb_is_even(w, n, &entry, &stride)) {
        lb_write(w->page, w->vectors ? "x%d" : "x%d[i]", w->name[n - first]);
        return;
    }
    const lb_graph_node *leaf = first + lb_get_operand(w->graph, n, 0);
    const char *name = leaf->op == LB_OP_SINE ? "sine" : "cosine";
    lb_write(w->page, "%s[", leaf->op == LB_OP_INPUT ? w->style->array_names[leaf->a] : name);
    if (entry) {
        lb_write(w->page, "%d + ", entry);
    }
    if (stride != 1) {
        lb_write(w->page, "%d * ", stride);
    }
    lb_write(w->page, "i]");
}

static void write_leaf(lb_writer *w, const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_CONSTANT:
        write_constant(w, n->value);
        break;
    case LB_OP_INPUT:
        lb_write_element(w, n->a, n->b);
        break;
    case LB_OP_SINE:
    case LB_OP_COSINE:
        lb_write(w->page, lb_is_angle(w->graph, n->a) ? "%s[%d]" : "%s%d",
                 n->op == LB_OP_SINE ? "sine" : "cosine", w->name[n->a]);
        break;
    case LB_OP_SPREAD:
        write_spread(w, n);
        break;
    case LB_OP_PICK:
        lb_write(w->page, w->vectors && !w->vector[n->a] ? "x%d" : "x%d[%d]", w->name[n->a], n->b);
        break;
    default:
        lb_write(w->page, "turn%d[%d]", w->name[n->a], n->b);
    }
}

void lb_write_node(lb_writer *w, int i, int place)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    if (w->shown[i] == LB_SHOWN_NAMED && w->slot[i] >= 0) {
        lb_write(w->page, "kept[%d * KEPT_STRIDE]", w->slot[i]);
        return;
    }
    if (w->shown[i] == LB_SHOWN_NAMED) {
        lb_write(w->page, "t%d", w->name[i]);
        return;
    }
    if (w->shown[i] == LB_SHOWN_ARRAY) {
        lb_write(w->page, w->vectors ? "x%d" : "x%d[i]", w->name[i]);
        return;
    }
    if (w->shown[i] == LB_SHOWN_LEAF) {
        write_leaf(w, n);
        return;
    }
    const bool bare = get_level(n) >= place;
    lb_write(w->page, "%s", bare ? "" : "(");
    write_operation(w, n);
    lb_write(w->page, "%s", bare ? "" : ")");
}

void lb_write_expression(lb_writer *w, int i)
{
    write_operation(w, &w->graph->nodes[i]);
}

void lb_write_term(lb_writer *w, lb_term x)
{
    if (!lb_is_node(x)) {
        lb_write(w->page, "%s", lb_is_negative(x) && x.number != 0 ? "-" : "");
        lb_write_number(w->page, x.number < 0 ? -x.number : x.number + 0.0, w->style->is_float);
        return;
    }
    lb_write(w->page, "%s", lb_is_negative(x) ? "-" : "");
    lb_write_node(w, lb_get_index(x), lb_is_negative(x) ? LB_AS_FACTOR : LB_AS_SUM);
}
