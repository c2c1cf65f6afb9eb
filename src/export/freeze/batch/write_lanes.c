// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_lanes.h"

#include <stdio.h>
#include <string.h>

// ---- statements --------------------------------------------------------------------------------

void lb_choose_lanes(lb_writer *w)
{
    const lb_graph *g = w->graph;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        w->vector[i] = n->op == LB_OP_INPUT;
        for (int k = 0; k < lb_count_operands(n); ++k) {
            w->vector[i] |= w->vector[lb_get_operand(g, n, k)];
        }
    }
}

void lb_write_lane_start(lb_writer *w, int i)
{
    if (w->style->is_batch && (i < 0 || !w->vector[i])) {
        lb_write(w->page, "zero + ");
    }
}

void lb_write_real(lb_writer *w, bool is_mask)
{
    if (w->style->is_batch) {
        lb_write(w->page, is_mask ? "%s_mask" : "%s_lanes", w->style->prefix);
    } else {
        lb_write(w->page, w->style->is_float ? "float" : "double");
    }
}

// An argument: a constant becomes lanes too.
static void write_argument(lb_writer *w, int node, bool negative)
{
    lb_write(w->page, negative ? "zero - " : "zero + ");
    lb_write_node(w, node, LB_AS_PRODUCT);
}

bool lb_write_lane_operation(lb_writer *w, const lb_graph_node *n)
{
    const char *name = w->style->prefix;
    switch (n->op) {
    case LB_OP_INVERT:
        lb_write(w->page, w->style->is_float ? "1.0f / " : "1.0 / ");
        lb_write_node(w, n->a, LB_AS_FACTOR);
        return true;
    case LB_OP_MAGNITUDE: // without the sign
        lb_write(w->page, "(%s_lanes)((%s_mask)(", name, name);
        lb_write_node(w, n->a, LB_AS_SUM);
        lb_write(w->page, w->style->is_float ? ") & 0x7fffffff)" : ") & 0x7fffffffffffffffll)");
        return true;
    case LB_OP_ROOT:
        lb_write(w->page, "%s_lanes_sqrt(", name);
        write_argument(w, n->a, n->negative);
        break;
    case LB_OP_CALL:
        lb_write(w->page, "%s_lanes_%s(", name, lb_get_call_name(n->b));
        write_argument(w, n->a, n->negative);
        break;
    case LB_OP_CALL_TWO:
    case LB_OP_LARGER:
        lb_write(w->page, "%s_lanes_%s(", name,
                 n->op == LB_OP_LARGER ? "fmax" : lb_get_call_name(n->c));
        write_argument(w, n->a, false);
        lb_write(w->page, ", ");
        write_argument(w, n->b, false);
        break;
    case LB_OP_SELECT:
        lb_write(w->page, "%s_select(", name);
        lb_write_node(w, n->a, LB_AS_SUM);
        lb_write(w->page, ", ");
        write_argument(w, n->b, false);
        lb_write(w->page, ", ");
        write_argument(w, n->c, false);
        break;
    default:
        return false;
    }
    lb_write(w->page, ")");
    return true;
}

void lb_write_lane_call(lb_writer *w, const lb_graph_node *n, int *calls)
{
    const char *name = w->style->prefix;
    if (n->op == LB_OP_TURN) {
        if (w->shown[n->a] != LB_SHOWN_NAMED) {
            w->name[n->a] = ++*calls + w->graph->node_count; // apart from numbers of variables
        }
        lb_write(w->page, "    %s_lanes turn%d[5];\n    %s_rotation_lanes(", name, w->name[n->a],
                 name);
        write_argument(w, n->a, n->negative);
        lb_write(w->page, ", turn%d, trouble);\n", w->name[n->a]);
    } else {
        const int k = w->name[n->a];
        lb_write(w->page,
                 "    %s_lanes sine%d, cosine%d;\n"
                 "    %s_turn_lanes(1, &t%d, &sine%d, &cosine%d, trouble);\n",
                 name, k, k, name, k, k, k);
    }
}

// ---- helpers -----------------------------------------------------------------------------------

// `<7>` and the like are numbers of the sine for one state.
static const char types_text[] =
    "#define @_STEP (8 / @_WIDTH)\n"
    "typedef real @_lanes __attribute__((vector_size(@_WIDTH * sizeof(real))));\n"
    "typedef real @_part __attribute__((vector_size(@_WIDTH * sizeof(real)), "
    "aligned(sizeof(real)), "
    "may_alias));\n"
    "#if !defined(__clang__)\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\" // vectors are passed inside this file only\n"
    "#endif\n"
    "\n";

static void write_types(lb_page *page, const lb_c_style *style)
{
    const char *name = style->prefix;
    lb_write(page,
             "// Numbers of several states side by side, as many as registers hold: as variables, "
             "as parts of arrays, and\n"
             "// whether something holds for each state\n"
             "#if defined(__AVX512F__)\n#define %s_WIDTH 8\n"
             "#elif defined(__AVX__)\n#define %s_WIDTH %d\n"
             "#else\n#define %s_WIDTH %d\n#endif\n"
             "typedef %s %s_mask __attribute__((vector_size(%s_WIDTH * %d)));\n",
             name, name, style->is_float ? 8 : 4, name, style->is_float ? 4 : 2,
             style->is_float ? "int" : "long long", name, name, style->is_float ? 4 : 8);
    lb_write_c_text(page, style, types_text);
}

static const char turn_text[] =
    "// Sines and cosines. States with an angle far out are in trouble.\n"
    "static inline void @_turn_lanes(int count, const @_lanes *x, @_lanes *s, @_lanes *c, @_mask "
    "*trouble)\n"
    "{\n"
    "    int i;\n"
    "    for (i = 0; i < count; ++i) {\n"
    "        const @_lanes shifted = x[i] * <3> + <a>, k = shifted - <a>;\n"
    "        const @_lanes r = ((x[i] - k * <4>) - k * <5>) - k * <6>;\n"
    "        const @_lanes z = r * r, w = z * z;\n"
    "        const @_lanes p = <0>;\n"
    "        const @_lanes q = <1>;\n"
    "        const @_lanes sine = r + r * z * p, cosine = ($1.0$ - <2> * z) + w * q;\n"
    "        const @_mask n = (@_mask)shifted, odd = -(n & 1);\n"
    "        const @_mask own = ((@_mask)sine & ~odd) | ((@_mask)cosine & odd);\n"
    "        const @_mask other = ((@_mask)cosine & ~odd) | ((@_mask)sine & odd);\n"
    "        s[i] = (@_lanes)(own ^ ((n & 2) << <b>));\n"
    "        c[i] = (@_lanes)(other ^ (((n + 1) & 2) << <b>));\n"
    "        *trouble |= ~((x[i] < <7>) & (x[i] > -<7>));\n"
    "    }\n"
    "}\n"
    "\n";

static const char rotation_text[] =
    "// Coefficients of rotation vectors shorter than 1, as in @_rotation. States with a longer "
    "one are in trouble.\n"
    "static inline void @_rotation_lanes(@_lanes t2, @_lanes *c, @_mask *trouble)\n"
    "{\n"
    "    const @_lanes zero = {0};\n"
    "    c[0] = c[1] = c[2] = c[3] = c[4] = zero;\n"
    "    {\n";

static const char rotation_end_text[] = "    }\n"
                                        "    *trouble |= ~(t2 < $1.0$);\n"
                                        "}\n"
                                        "\n";

static const char select_text[] =
    "static inline @_lanes @_select(@_mask where, @_lanes yes, @_lanes no)\n"
    "{\n"
    "    return (@_lanes)(((@_mask)yes & where) | ((@_mask)no & ~where));\n"
    "}\n"
    "\n";

// A function of libm, state by state.
static void write_call(lb_page *page, const lb_c_style *style, const char *call, bool two,
                       const char *text)
{
    const char *name = style->prefix;
    char called[80];
    snprintf(called, sizeof called, "%.40s_lanes_%s(", name, call);
    if (!strstr(text, called)) {
        return;
    }
    lb_write(page,
             "static inline %s_lanes %s_lanes_%s(%s_lanes x%s%s%s)\n{\n    int i;\n"
             "    for (i = 0; i < %s_WIDTH; ++i) {\n        x[i] = %s%s(x[i]%s);\n    }\n"
             "    return x;\n}\n\n",
             name, name, call, name, two ? ", " : "", two ? name : "", two ? "_lanes y" : "", name,
             call, style->is_float ? "f" : "", two ? ", y[i]" : "");
}

void lb_write_lane_helpers(lb_page *page, const lb_c_style *style, const char *text)
{
    write_types(page, style);
    if (strstr(text, "_turn_lanes(")) {
        lb_write_c_text(page, style, turn_text);
    }
    if (strstr(text, "_rotation_lanes(")) {
        lb_write_c_text(page, style, rotation_text);
        lb_write_c_text(page, style, lb_rotation_series);
        lb_write_c_text(page, style, rotation_end_text);
    }
    if (strstr(text, "_select(")) {
        lb_write_c_text(page, style, select_text);
    }
    write_call(page, style, "sqrt", false, text);
    write_call(page, style, "fmax", true, text);
    for (int i = 0; i < LB_CALL_COUNT; ++i) {
        write_call(page, style, lb_get_call_name(i), i >= LB_CALL_POW, text);
    }
}
