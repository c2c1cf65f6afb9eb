// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_c.h"

#include <string.h>

#include "base/arena.h"
#include "batch/write_lanes.h"
#include "limbs/limbs.h"
#include "text/writer.h"

// ---- events ------------------------------------------------------------------------------------

static void add_event(lb_writer *w, int node, int index)
{
    lb_writer_event *e = &w->events[w->event_count];
    *e = (lb_writer_event){-1, index};
    if (node < 0) {
        ++w->event_count;
        return;
    }
    // behind those that the node has
    int *link = &w->first[node];
    while (*link >= 0) {
        link = &w->events[*link].next;
    }
    *link = w->event_count++;
}

static int get_later(lb_term a, lb_term b)
{
    const int i = lb_is_node(a) ? lb_get_index(a) : -1, j = lb_is_node(b) ? lb_get_index(b) : -1;
    return i > j ? i : j;
}

static void sort_events(lb_writer *w)
{
    const lb_graph *g = w->graph;
    for (int pass = 0; pass < 2; ++pass) { // constants first
        for (int i = 0; i < g->output_count; ++i) {
            const lb_term x = g->outputs[i].term;
            if (lb_is_node(x) == (pass == 1) && !g->outputs[i].stride) {
                add_event(w, lb_is_node(x) ? lb_get_index(x) : -1, i);
            }
        }
        w->constant_events = pass == 0 ? w->event_count : w->constant_events;
    }
    for (int i = 0; i < g->guard_count; ++i) {
        add_event(w, get_later(g->guards[i].a, g->guards[i].b), -1 - i);
    }
}

// ---- comments ----------------------------------------------------------------------------------

static const char *get_title(const char *equation)
{
    static const char *const titles[][2] = {
        {"KIN-1", "position"},
        {"KIN-2", "velocity"},
        {"KIN-4", "acceleration"},
        {"KIN-5", "gyroscopic force"},
        {"FLX-3", "modal inertia and bias"},
        {"RNE-1", "velocity and acceleration"},
        {"RNE-2", "force"},
        {"ABA-2", "articulated inertia and force"},
        {"ABA-3", "acceleration"},
        {"CRB-1", "composite inertia and its columns"},
        {"CRB-2", "factor and solution"},
        {"JAC-1", "columns"},
        {"CLO-3", "what the loops do"},
        {"CLO-4", "loops: factors and multipliers"},
        {"CLO-5", "loops: errors"},
        {"CLO-10", "loops: smallest change"},
        {"PRJ-1", "loops: positions"},
        {"PRJ-2", "loops: speeds"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; ++i) {
        if (strcmp(titles[i][0], equation) == 0) {
            return titles[i][1];
        }
    }
    return "equation";
}

// The name of a body, or of those that go side by side with it: with its seat on equal limbs, or of its pack.
static void write_bodies(const lb_writer *w, const lb_graph_mark *mark, bool in_loop)
{
    const lb_c_style *style = w->style;
    const lb_limbs *limbs = in_loop ? style->limbs : NULL;
    const bool packed = mark->pack && !mark->is_column;
    const lb_limb_seat *seat = limbs ? &limbs->seats[mark->body] : NULL;
    const int group = !limbs ? 0 : packed ? mark->pack : seat->group;
    for (int i = 0; i < (group ? limbs->widths[group] : 1); ++i) {
        const int body = !group   ? mark->body
                         : packed ? lb_get_packed(limbs, group, i)
                                  : lb_get_seated(limbs, group, i, seat->seat);
        lb_write(w->page, "%s", i ? ", " : "");
        lb_write_name(w->page, style->body_names[body]);
    }
}

// A line above the statements of a body.
static void write_mark(lb_writer *w, int mark, bool in_loop)
{
    if (mark == w->mark || mark < 0) {
        return;
    }
    const lb_graph_mark *m = &w->graph->marks[mark];
    const lb_graph_mark *last = w->mark >= 0 ? &w->graph->marks[w->mark] : NULL;
    const bool same = last && m->body == last->body && m->equation == last->equation;
    w->mark = mark;
    if (same) {
        return;
    }
    lb_write(w->page, "\n%s// ", w->indent);
    if (m->body >= 0) {
        write_bodies(w, m, in_loop);
        lb_write(w->page, ": ");
    }
    lb_write(w->page, "%s (%s)\n", get_title(m->equation), m->equation);
}

// ---- statements --------------------------------------------------------------------------------

// What a comparison that comes out the other way means: a pivot of the wrong sign is news, since all the rest
// holds; anything else is a failure.
static bool is_news(const lb_graph *g, const lb_graph_guard *guard)
{
    const bool left = !lb_is_node(guard->a) && guard->a.number == 0;
    const bool right = !lb_is_node(guard->b) && guard->b.number == 0;
    // of other comparisons either side may be a number, which is no node
    if (!left && !right) {
        return false;
    }
    const int op = g->nodes[lb_get_index(left ? guard->b : guard->a)].op;
    return op != LB_OP_MAGNITUDE && op != LB_OP_ROOT;
}

static bool is_limb_guard(const lb_graph *g, const lb_graph_guard *guard)
{
    const int i = get_later(guard->a, guard->b);
    return i >= 0 && lb_get_loop(&g->nodes[i]) != 0;
}

static void write_guard(lb_writer *w, const lb_graph_guard *guard)
{
    lb_write_term(w, guard->a);
    lb_write(w->page, guard->or_equal ? " >= " : " > ");
    lb_write_term(w, guard->b);
}

static void write_event(lb_writer *w, const lb_writer_event *e)
{
    const lb_graph *g = w->graph;
    if (e->index >= 0) {
        const lb_graph_output *out = &g->outputs[e->index];
        lb_write(w->page, "%s", w->indent);
        lb_write_element(w, out->array, out->entry);
        lb_write(w->page, " = ");
        lb_write_lane_start(w, lb_is_node(out->term) ? lb_get_index(out->term) : -1);
        lb_write_term(w, out->term);
        lb_write(w->page, ";\n");
        return;
    }
    const lb_graph_guard *guard = &g->guards[-1 - e->index];
    const char *trouble = is_news(g, guard) ? "indefinite" : "singular";
    if (w->style->is_batch) {
        lb_write(w->page, "    *trouble |= %s(", guard->outcome ? "~" : "");
        write_guard(w, guard);
        lb_write(w->page, ");\n");
        return;
    }
    if (lb_is_vector_guard(w, guard)) {
        const int width = g->widths[g->nodes[get_later(guard->a, guard->b)].limb];
        lb_write_vector_guard(w, guard, width, trouble);
        return;
    }
    if (is_limb_guard(g, guard) && !w->vectors) {
        // a number of the same size as all others: compilers keep vectors of one kind only
        lb_write(w->page, "%s%s_limbs[i] += ", w->indent, trouble);
        write_guard(w, guard);
        lb_write(w->page, guard->outcome ? " ? 0 : 1;\n" : " ? 1 : 0;\n");
        return;
    }
    lb_write(w->page, "%s%s |= %s", w->indent, trouble, guard->outcome ? "!(" : "");
    write_guard(w, guard);
    lb_write(w->page, "%s;\n", guard->outcome ? ")" : "");
}

// The call that a sine or a rotation needs, when the first of its results is needed.
static void write_call_of(lb_writer *w, int i, int *calls)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    const char *real = w->style->is_float ? "float" : "double";
    if (w->style->is_batch) {
        lb_write_lane_call(w, n, calls);
    } else if (n->op == LB_OP_TURN) {
        if (w->shown[n->a] != LB_SHOWN_NAMED) {
            w->name[n->a] = ++*calls + w->graph->node_count; // apart from numbers of variables
        }
        lb_write(w->page, "    %s turn%d[5];\n    %s_rotation(%s", real, w->name[n->a],
                 w->style->prefix, n->negative ? "-" : "");
        lb_write_node(w, n->a, LB_AS_FACTOR);
        lb_write(w->page, ", turn%d);\n", w->name[n->a]);
    } else {
        const int k = w->name[n->a];
        const bool elsewhere = w->slot[n->a] >= 0; // it is no variable
        lb_write(w->page, "    %s sine%d, cosine%d;\n", real, k, k);
        if (elsewhere) {
            lb_write(w->page, "    const %s t%d = kept[%d * KEPT_STRIDE];\n", real, k,
                     w->slot[n->a]);
        }
        lb_write(w->page, "    %s_turn(1, &t%d, &sine%d, &cosine%d);\n", w->style->prefix, k, k, k);
    }
}

// Lanes of the host take angles in fours.
static int round_up(const lb_writer *w, int count)
{
    return w->style->is_cuda || w->style->is_batch ? count : (count + 3) / 4 * 4;
}

static int get_angle_entry(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    return n->op == LB_OP_INPUT ? n->b : g->nodes[g->nodes[n->a].op == LB_OP_INPUT ? n->a : n->b].b;
}

static void add_angle(lb_writer *w, int angle, int *angles, int *count)
{
    if (w->name[angle] < 0) {
        w->name[angle] = *count;
        angles[(*count)++] = angle;
    }
}

// Angles of the state go side by side, in fours: first those that equal limbs have in the same place, then the
// others in the order of the state.
static int sort_angles(lb_writer *w, int *angles)
{
    const lb_graph *g = w->graph;
    int count = 0;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        for (int k = 0; w->uses[i] && n->op == LB_OP_SPREAD && k < g->widths[n->b]; ++k) {
            const int o = lb_get_operand(g, n, k);
            if (o >= 0 && lb_is_turned(&g->nodes[o]) && lb_is_angle(g, g->nodes[o].a)) {
                add_angle(w, g->nodes[o].a, angles, &count);
            }
        }
    }
    const int limbs = count;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->uses[i] && lb_is_turned(n) && lb_is_angle(g, n->a)) {
            add_angle(w, n->a, angles, &count);
        }
    }
    for (int i = limbs + 1; i < count; ++i) {
        const int angle = angles[i], entry = get_angle_entry(g, angle);
        int k = i;
        for (; k > limbs && get_angle_entry(g, angles[k - 1]) > entry; --k) {
            angles[k] = angles[k - 1];
        }
        angles[k] = angle;
    }
    for (int i = 0; i < count; ++i) {
        w->name[angles[i]] = i;
    }
    return count;
}

// Whether the angles are entries of the state as they stand there, and enough of them: then they need no copy, from
// which vectors could not be read at once.
static bool are_in_place(const lb_writer *w, const int *angles)
{
    const lb_graph_node *nodes = w->graph->nodes;
    bool in_place = w->angle_count >= 4 && !w->style->is_cuda && !w->style->is_batch;
    for (int k = 0; in_place && k < w->angle_count; ++k) {
        const lb_graph_node *n = &nodes[angles[k]];
        in_place =
            n->op == LB_OP_INPUT && n->a == nodes[angles[0]].a && n->b == nodes[angles[0]].b + k;
    }
    return in_place;
}

// Angles in vectors, which are put together in registers.
static void write_angle_vectors(lb_writer *w, const int *angles, int room)
{
    const char *real = w->style->is_float ? "float" : "double";
    lb_write(w->page, " sine[%d], cosine[%d];\n    const %s_four angle[%d] = {", room, room,
             w->style->prefix, room / 4);
    for (int k = 0; k < room; ++k) {
        lb_write(w->page, "%s", k % 4 ? ", " : k ? "}, {" : "{");
        lb_write_node(w, angles[k < w->angle_count ? k : w->angle_count - 1], LB_AS_SUM);
    }
    lb_write(w->page, "}};\n    %s_turn(%d, (const %s *)angle, sine, cosine);\n", w->style->prefix,
             room, real);
}

static void write_angles(lb_writer *w, const int *angles)
{
    const bool in_place = are_in_place(w, angles);
    const int room = in_place ? w->angle_count : round_up(w, w->angle_count);
    lb_write(w->page, "    ");
    lb_write_real(w, false);
    if (in_place) {
        const lb_graph_node *first = &w->graph->nodes[angles[0]];
        lb_write(w->page, " sine[%d], cosine[%d];\n    %s_turn(%d, %s", room, room,
                 w->style->prefix, room, w->style->array_names[first->a]);
        lb_write(w->page, first->b ? " + %d, sine, cosine);\n" : ", sine, cosine);\n", first->b);
        return;
    }
    if (w->style->is_vector) {
        write_angle_vectors(w, angles, room);
        return;
    }
    lb_write(w->page, " angle[%d], sine[%d], cosine[%d];\n", room, room, room);
    for (int k = 0; k < room; ++k) {
        lb_write(w->page, "    angle[%d] = ", k);
        if (k < w->angle_count) {
            lb_write_node(w, angles[k], LB_AS_SUM);
        } else {
            lb_write(w->page, "0");
        }
        lb_write(w->page, ";\n");
    }
    lb_write(w->page,
             w->style->is_batch ? "    %s_turn_lanes(%d, angle, sine, cosine, trouble);\n"
                                : "    %s_turn(%d, angle, sine, cosine);\n",
             w->style->prefix, room);
}

// ---- limbs -------------------------------------------------------------------------------------

// Arrays with one entry for each limb: constants, and what one loop leaves for others.
static void declare_arrays(lb_writer *w, int *variables)
{
    const lb_graph *g = w->graph;
    const char *real = w->style->is_float ? "float" : "double";
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->vectors) {
            if (w->shown[i] == LB_SHOWN_ARRAY) {
                w->name[i] = (*variables)++;
            }
        } else if (w->uses[i] && n->op == LB_OP_SPREAD && lb_is_table(g, n)) {
            w->name[i] = (*variables)++;
            lb_write(w->page, "    static const %s x%d[%d] = {", real, w->name[i], g->widths[n->b]);
            for (int k = 0; k < g->widths[n->b]; ++k) {
                lb_write(w->page, "%s", k ? ", " : "");
                lb_write_term(w, g->spread[n->a + k]);
            }
            lb_write(w->page, "};\n");
        } else if (w->shown[i] == LB_SHOWN_ARRAY) {
            w->name[i] = (*variables)++;
            lb_write(w->page, "    %s x%d[%d];\n", real, w->name[i], g->widths[n->limb]);
        }
    }
}

// Whether the numbers of a spread have to be brought together before the loop that needs them.
static bool is_gathered(const lb_writer *w, const lb_graph_node *n)
{
    int entry, stride;
    return n->op == LB_OP_SPREAD && !lb_is_table(w->graph, n) && !lb_is_even(w, n, &entry, &stride);
}

// Numbers that come from different places.
static void write_gathered(lb_writer *w, int i, int *variables)
{
    const lb_graph *g = w->graph;
    const lb_graph_node *n = &g->nodes[i];
    if (w->vectors) {
        w->name[i] = (*variables)++;
        lb_write_gathered_vector(w, i);
        return;
    }
    if (!is_gathered(w, n)) {
        return;
    }
    w->name[i] = (*variables)++;
    lb_write(w->page, "    const %s x%d[%d] = {", w->style->is_float ? "float" : "double",
             w->name[i], g->widths[n->b]);
    for (int k = 0; k < g->widths[n->b]; ++k) {
        lb_write(w->page, "%s", k ? ", " : "");
        lb_write_term(w, g->spread[n->a + k]);
    }
    lb_write(w->page, "};\n");
}

// Outputs of all limbs get a loop of their own: a compiler may not know that they overlap no input.
static void write_limb_outputs(lb_writer *w, const lb_graph_node *last)
{
    const lb_graph *g = w->graph;
    bool open = false;
    for (int i = 0; i < g->output_count; ++i) {
        const lb_graph_output *out = &g->outputs[i];
        if (!out->stride || !lb_are_together(&g->nodes[lb_get_index(out->term)], last)) {
            continue;
        }
        if (!open) {
            lb_write(w->page, "    for (i = 0; i < %d; ++i) {\n", g->widths[last->limb]);
        }
        open = true;
        lb_write(w->page, "        %s[%d + %d * i] = ", w->style->array_names[out->array],
                 out->entry, out->stride);
        lb_write_term(w, out->term);
        lb_write(w->page, ";\n");
    }
    if (open) {
        lb_write(w->page, "    }\n");
    }
}

// Ends the loop of the last node, and begins that of the next, if they differ.
static void change_loop(lb_writer *w, const lb_graph_node *last, const lb_graph_node *next)
{
    if (last && next && lb_are_together(last, next)) {
        return;
    }
    if (w->vectors) {
        if (last && lb_get_loop(last)) {
            lb_write_vector_outputs(w, last);
        }
        if (!last || !next || last->limb != next->limb) { // other bodies
            w->mark = -1;
        }
        return;
    }
    if (last && lb_get_loop(last)) {
        lb_write(w->page, "    }\n");
        write_limb_outputs(w, last);
        w->indent = "    ";
        w->mark = -1;
    }
    if (next && lb_get_loop(next)) {
        lb_write(w->page, "\n    for (i = 0; i < %d; ++i) {", w->graph->widths[next->limb]);
        w->indent = "        ";
        w->mark = -1;
    }
}

// ---- all ---------------------------------------------------------------------------------------

static void add_cost(const lb_graph *g, const lb_graph_node *n, lb_c_cost *cost)
{
    const int times = lb_get_loop(n) ? g->widths[n->limb] : 1;
    cost->multiplications += times * (n->op == LB_OP_MULTIPLY);
    cost->additions += times * (n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT);
    cost->divisions += times * (n->op == LB_OP_INVERT || n->op == LB_OP_ROOT);
}

// The statement of a node, and what becomes known with it.
static void write_statement(lb_writer *w, int i, int *variables)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    const bool in_loop = lb_get_loop(n) != 0;
    if (w->shown[i] == LB_SHOWN_NAMED || w->shown[i] == LB_SHOWN_ARRAY) {
        write_mark(w, n->mark, in_loop);
        if (w->shown[i] == LB_SHOWN_NAMED && w->slot[i] >= 0) {
            lb_write(w->page, "%skept[%d * KEPT_STRIDE] = ", w->indent, w->slot[i]);
        } else if (w->vectors && in_loop) {
            lb_write(w->page, "    const ");
            lb_write_vector_type(w, i);
            lb_write(w->page, w->shown[i] == LB_SHOWN_NAMED ? " t%d = " : " x%d = ",
                     w->shown[i] == LB_SHOWN_NAMED ? *variables : w->name[i]);
        } else if (w->shown[i] == LB_SHOWN_NAMED) {
            lb_write(w->page, "%sconst ", w->indent);
            lb_write_real(w, n->op == LB_OP_GREATER);
            lb_write(w->page, " t%d = ", *variables);
        } else {
            lb_write(w->page, "%sx%d[i] = ", w->indent, w->name[i]);
        }
        lb_write_lane_start(w, i);
        lb_write_expression(w, i);
        w->name[i] = w->shown[i] == LB_SHOWN_NAMED ? (*variables)++ : w->name[i];
        lb_write(w->page, ";\n");
    }
    for (int e = w->first[i]; e >= 0; e = w->events[e].next) {
        write_mark(w, n->mark, in_loop);
        write_event(w, &w->events[e]);
    }
}

static void write_statements(lb_writer *w, bool *called, int variables, lb_c_cost *cost)
{
    const lb_graph *g = w->graph;
    const lb_graph_node *last = NULL;
    int calls = 0;
    for (int i = 0; i < w->constant_events; ++i) {
        write_event(w, &w->events[i]);
    }
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (!w->uses[i]) {
            continue;
        }
        add_cost(g, n, cost);
        const bool call = (lb_is_turned(n) || n->op == LB_OP_TURN) && !called[n->a];
        if (call && !(lb_is_turned(n) && lb_is_angle(g, n->a))) {
            called[n->a] = true;
            write_mark(w, n->mark, false);
            write_call_of(w, i, &calls);
            ++*(n->op == LB_OP_TURN ? &cost->turns : &cost->angles);
        }
        if (w->shown[i] != LB_SHOWN_LEAF || w->first[i] >= 0 || is_gathered(w, n)) {
            change_loop(w, last, n);
            last = n;
        }
        if (n->op == LB_OP_SPREAD) {
            write_gathered(w, i, &variables);
        }
        write_statement(w, i, &variables);
    }
    change_loop(w, last, NULL);
}

// Variables that say what is wrong.
static void declare_trouble(lb_writer *w, const char *name, bool news)
{
    const lb_graph *g = w->graph;
    int width = 0;
    bool any = false;
    for (int i = 0; i < g->guard_count; ++i) {
        const lb_graph_guard *guard = &g->guards[i];
        if (is_news(g, guard) != news) {
            continue;
        }
        any = true;
        if (is_limb_guard(g, guard)) {
            const int own = g->widths[g->nodes[get_later(guard->a, guard->b)].limb];
            width = own > width ? own : width;
        }
    }
    if (any) {
        lb_write(w->page, "    int %s = 0;\n", name);
    }
    for (int room = 2; w->vectors && room < 2 * width; room *= 2) {
        lb_write(w->page, "    %s_%s_mask %s_%s = {0};\n", w->style->prefix,
                 lb_get_vector_name(room), name, lb_get_vector_name(room));
    }
    if (width && !w->vectors) {
        lb_write(w->page, "    %s %s_limbs[%d] = {0};\n", w->style->is_float ? "float" : "double",
                 name, width);
    }
    *(news ? &w->indefinite : &w->singular) = any;
    *(news ? &w->indefinite_limbs : &w->singular_limbs) = width;
}

static void write_end(lb_writer *w)
{
    const int widths[] = {w->singular_limbs, w->indefinite_limbs};
    static const char *const names[] = {"singular", "indefinite"};
    for (int i = 0; i < 2; ++i) {
        for (int room = 2; w->vectors && room < 2 * widths[i]; room *= 2) {
            lb_write(w->page,
                     "    for (i = 0; i < %d; ++i) {\n        %s |= %s_%s[i] != 0;\n    }\n", room,
                     names[i], names[i], lb_get_vector_name(room));
        }
        if (widths[i] && !w->vectors) {
            lb_write(w->page,
                     "    for (i = 0; i < %d; ++i) {\n        %s |= %s_limbs[i] != 0;\n    }\n",
                     widths[i], names[i], names[i]);
        }
    }
    lb_write(w->page, "\n    return ");
    if (w->singular) {
        lb_write(w->page, "singular ? -4 : ");
    }
    lb_write(w->page, "%s", w->indefinite ? "indefinite" : "0");
    lb_write(w->page, ";\n");
}

static void write_whole(lb_writer *w, bool *seen, int *last, int *place, lb_c_cost *cost)
{
    const lb_graph *g = w->graph;
    bool loops = false;
    int variables = 0;
    lb_choose_forms(w);
    if (w->style->is_batch) {
        lb_choose_lanes(w);
    }
    sort_events(w);
    cost->live = lb_count_live(w, last, place);
    memset(w->slot, -1, (size_t)g->node_count * sizeof *w->slot);
    if (w->style->register_count && cost->live > w->style->register_count) {
        cost->kept = lb_choose_kept(w, last, place);
    }
    for (int i = 0; i < g->node_count; ++i) {
        loops = loops || (w->uses[i] && lb_get_loop(&g->nodes[i]));
    }
    w->vectors = loops && w->style->is_vector && lb_choose_vectors(w);
    if (!w->style->is_batch) { // there it is an argument
        declare_trouble(w, "singular", false);
        declare_trouble(w, "indefinite", true);
    }
    if (loops) {
        if (!w->vectors || w->singular_limbs || w->indefinite_limbs) {
            lb_write(w->page, "    int i;\n");
        }
        declare_arrays(w, &variables);
    }
    cost->angles = w->angle_count = sort_angles(w, place);
    if (w->angle_count) {
        write_angles(w, place);
    }
    write_statements(w, seen, variables, cost);
    if (!w->style->is_batch) {
        write_end(w);
    }
}

bool lb_write_body(lb_page *page, const lb_graph *graph, const lb_c_style *style, lb_c_cost *cost)
{
    const size_t n = (size_t)graph->node_count + 1,
                 events = (size_t)(graph->output_count + graph->guard_count) + 1;
    lb_arena scratch = lb_make_arena(NULL);
    lb_writer w = {.page = page, .graph = graph, .style = style, .mark = -1, .indent = "    "};
    bool *seen;
    int *last, *place;
    *cost = (lb_c_cost){0};
    const bool good = (w.shown = lb_arena_take(&scratch, n, sizeof *w.shown)) &&
                      (w.size = lb_arena_take(&scratch, n, sizeof *w.size)) &&
                      (w.leaves = lb_arena_take(&scratch, n, sizeof *w.leaves)) &&
                      (w.uses = lb_arena_take(&scratch, n, sizeof *w.uses)) &&
                      (w.name = lb_arena_take(&scratch, n, sizeof *w.name)) &&
                      (w.first = lb_arena_take(&scratch, n, sizeof *w.first)) &&
                      (w.slot = lb_arena_take(&scratch, n, sizeof *w.slot)) &&
                      (w.vector = lb_arena_take(&scratch, n, sizeof *w.vector)) &&
                      (w.events = lb_arena_take(&scratch, events, sizeof *w.events)) &&
                      (seen = lb_arena_take(&scratch, n, sizeof *seen)) &&
                      (last = lb_arena_take(&scratch, n, sizeof *last)) &&
                      (place = lb_arena_take(&scratch, n, sizeof *place)) && !graph->out_of_memory;
    if (good) {
        write_whole(&w, seen, last, place, cost);
    }
    lb_arena_free(&scratch);
    return good && !page->out_of_memory;
}
