// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_c.h"

#include <stdlib.h>
#include <string.h>

// Operations in one expression: what a reader, and a compiler that fuses products into sums, can use.
enum { EXPRESSION_MOST = 9 };

// How a node appears in the text.
enum {
    UNUSED, // not at all
    LEAF,   // as an input, a constant, or the result of a call
    INLINE, // inside the one expression that uses it
    NAMED   // as a variable
};

// Something that is written as soon as a node is known: an output or a guard.
typedef struct event {
    int next;  // of the same node, or -1
    int index; // of the output; or -1 - index of the guard
} event;

typedef struct writer {
    lb_page *page;
    const lb_graph *graph;
    const lb_c_style *style;
    unsigned char *shown; // by node
    unsigned char *size;  // operations of its expression
    int *uses;
    int *name;  // number of a variable; of an operand of a call, place among the angles or calls
    int *first; // event, or -1
    event *events;
    int event_count, constant_events; // those of no node come first
    int angle_count;
    int mark;
} writer;

static bool is_turn(const lb_graph_node *n)
{
    return n->op == LB_OP_SINE || n->op == LB_OP_COSINE;
}

// An angle of the state, or one with an offset: all of these are turned side by side.
static bool is_angle(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    const bool sum = n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT;
    const int a = sum ? g->nodes[n->a].op : LB_OP_ADD, b = sum ? g->nodes[n->b].op : LB_OP_ADD;
    return n->op == LB_OP_INPUT || (a == LB_OP_INPUT && b == LB_OP_CONSTANT) ||
           (a == LB_OP_CONSTANT && b == LB_OP_INPUT);
}

static bool has_two(const lb_graph_node *n)
{
    return n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT || n->op == LB_OP_MULTIPLY ||
           n->op == LB_OP_LARGER;
}

static bool has_operand(const lb_graph_node *n)
{
    return n->op != LB_OP_CONSTANT && n->op != LB_OP_INPUT;
}

// ---- what is used ------------------------------------------------------------------------------

static void use_term(writer *w, lb_term x)
{
    if (lb_is_node(x)) {
        ++w->uses[lb_get_index(x)];
    }
}

static void count_uses(writer *w)
{
    const lb_graph *g = w->graph;
    for (int i = 0; i < g->output_count; ++i) {
        use_term(w, g->outputs[i].term);
    }
    for (int i = 0; i < g->guard_count; ++i) {
        use_term(w, g->guards[i].a);
        use_term(w, g->guards[i].b);
    }
    for (int i = g->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->uses[i] && has_operand(n)) {
            ++w->uses[n->a];
            if (has_two(n)) {
                ++w->uses[n->b];
            }
        }
    }
}

// The operations of an operand that is written inside an expression.
static int get_size(const writer *w, int i)
{
    return w->shown[i] == INLINE ? w->size[i] : 0;
}

static void make_variable(writer *w, int i)
{
    if (w->shown[i] == INLINE) {
        w->shown[i] = NAMED;
    }
}

static void choose_form(writer *w, int i)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    if (!w->uses[i]) {
        return;
    }
    if (!has_operand(n)) {
        w->shown[i] = LEAF;
        return;
    }
    if (is_turn(n) || n->op == LB_OP_TURN) {
        const bool beside = is_turn(n) && is_angle(w->graph, n->a);
        if (beside && w->shown[n->a] == NAMED) {
            w->shown[n->a] = INLINE;
        } else if (!beside) {
            make_variable(w, n->a);
        }
        w->shown[i] = LEAF;
        return;
    }
    int size = 1 + get_size(w, n->a) + (has_two(n) ? get_size(w, n->b) : 0);
    if (size > EXPRESSION_MOST) {
        // the longer operand gets a name
        const bool second = has_two(n) && get_size(w, n->b) > get_size(w, n->a);
        const int longer = second ? n->b : n->a;
        size -= get_size(w, longer);
        make_variable(w, longer);
    }
    w->size[i] = (unsigned char)size;
    // what appears twice in one expression, as in a square, is used twice
    w->shown[i] = w->uses[i] == 1 ? INLINE : NAMED;
}

// ---- events ------------------------------------------------------------------------------------

static void add_event(writer *w, int node, int index)
{
    event *e = &w->events[w->event_count];
    *e = (event){-1, index};
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

static void sort_events(writer *w)
{
    const lb_graph *g = w->graph;
    for (int pass = 0; pass < 2; ++pass) { // constants first
        for (int i = 0; i < g->output_count; ++i) {
            const lb_term x = g->outputs[i].term;
            if (lb_is_node(x) == (pass == 1)) {
                add_event(w, lb_is_node(x) ? lb_get_index(x) : -1, i);
            }
        }
        w->constant_events = pass == 0 ? w->event_count : w->constant_events;
    }
    for (int i = 0; i < g->guard_count; ++i) {
        add_event(w, get_later(g->guards[i].a, g->guards[i].b), -1 - i);
    }
}

// ---- expressions -------------------------------------------------------------------------------

// What binds how: a sum inside a product needs parentheses.
enum { AS_SUM, AS_PRODUCT, AS_FACTOR };

static void write_node(writer *w, int i, int place);

static void write_call(writer *w, const lb_graph_node *n, const char *name)
{
    lb_write(w->page, "%s%s(%s", name, w->style->is_float ? "f" : "", n->negative ? "-" : "");
    write_node(w, n->a, n->negative ? AS_FACTOR : AS_SUM);
    lb_write(w->page, ")");
}

static void write_two(writer *w, const lb_graph_node *n, const char *between, int left, int right)
{
    write_node(w, n->a, left);
    lb_write(w->page, "%s", between);
    write_node(w, n->b, right);
}

static int get_level(const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_ADD:
    case LB_OP_SUBTRACT:
        return AS_SUM;
    case LB_OP_MULTIPLY:
    case LB_OP_INVERT:
        return AS_PRODUCT;
    default:
        return AS_FACTOR;
    }
}

static void write_operation(writer *w, const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_ADD:
        write_two(w, n, " + ", AS_SUM, AS_PRODUCT);
        break;
    case LB_OP_SUBTRACT:
        write_two(w, n, " - ", AS_SUM, AS_PRODUCT);
        break;
    case LB_OP_MULTIPLY:
        write_two(w, n, " * ", AS_PRODUCT, AS_FACTOR);
        break;
    case LB_OP_INVERT:
        lb_write(w->page, "1 / ");
        write_node(w, n->a, AS_FACTOR);
        break;
    case LB_OP_ROOT:
        write_call(w, n, "sqrt");
        break;
    case LB_OP_MAGNITUDE:
        write_call(w, n, "fabs");
        break;
    case LB_OP_LARGER:
        lb_write(w->page, "fmax%s(", w->style->is_float ? "f" : "");
        write_two(w, n, ", ", AS_SUM, AS_SUM);
        lb_write(w->page, ")");
        break;
    default:
        break;
    }
}

static void write_leaf(writer *w, const lb_graph_node *n)
{
    switch (n->op) {
    case LB_OP_CONSTANT:
        lb_write_number(w->page, n->value, w->style->is_float);
        break;
    case LB_OP_INPUT:
        lb_write(w->page, "%s[%d]", w->style->array_names[n->a], n->b);
        break;
    case LB_OP_SINE:
    case LB_OP_COSINE:
        lb_write(w->page, is_angle(w->graph, n->a) ? "%s[%d]" : "%s%d",
                 n->op == LB_OP_SINE ? "sine" : "cosine", w->name[n->a]);
        break;
    default:
        lb_write(w->page, "turn%d[%d]", w->name[n->a], n->b);
    }
}

static void write_node(writer *w, int i, int place)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    if (w->shown[i] == NAMED) {
        lb_write(w->page, "t%d", w->name[i]);
        return;
    }
    if (w->shown[i] == LEAF) {
        write_leaf(w, n);
        return;
    }
    const bool bare = get_level(n) >= place;
    lb_write(w->page, "%s", bare ? "" : "(");
    write_operation(w, n);
    lb_write(w->page, "%s", bare ? "" : ")");
}

static void write_term(writer *w, lb_term x)
{
    if (!lb_is_node(x)) {
        lb_write(w->page, "%s", lb_is_negative(x) && x.number != 0 ? "-" : "");
        lb_write_number(w->page, x.number < 0 ? -x.number : x.number + 0.0, w->style->is_float);
        return;
    }
    lb_write(w->page, "%s", lb_is_negative(x) ? "-" : "");
    write_node(w, lb_get_index(x), lb_is_negative(x) ? AS_FACTOR : AS_SUM);
}

// ---- statements --------------------------------------------------------------------------------

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
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; ++i) {
        if (strcmp(titles[i][0], equation) == 0) {
            return titles[i][1];
        }
    }
    return "equation";
}

// A line above the statements of a body.
static void write_mark(writer *w, int mark)
{
    if (mark == w->mark || mark < 0) {
        return;
    }
    const lb_graph_mark *m = &w->graph->marks[mark];
    w->mark = mark;
    lb_write(w->page, "\n    // ");
    if (m->body >= 0) {
        lb_write_name(w->page, w->style->body_names[m->body]);
        lb_write(w->page, ": ");
    }
    lb_write(w->page, "%s (%s)\n", get_title(m->equation), m->equation);
}

// What a comparison that comes out the other way means: a pivot of the wrong sign is news, since all the rest
// holds; anything else is a failure.
static bool is_news(const lb_graph *g, const lb_graph_guard *guard)
{
    const bool left = !lb_is_node(guard->a) && guard->a.number == 0;
    const bool right = !lb_is_node(guard->b) && guard->b.number == 0;
    const lb_term x = left ? guard->b : guard->a;
    return (left || right) && g->nodes[lb_get_index(x)].op != LB_OP_MAGNITUDE;
}

static void write_event(writer *w, const event *e)
{
    const lb_graph *g = w->graph;
    if (e->index >= 0) {
        const lb_graph_output *out = &g->outputs[e->index];
        lb_write(w->page, "    %s[%d] = ", w->style->array_names[out->array], out->entry);
        write_term(w, out->term);
        lb_write(w->page, ";\n");
        return;
    }
    const lb_graph_guard *guard = &g->guards[-1 - e->index];
    lb_write(w->page, "    %s |= %s", is_news(g, guard) ? "indefinite" : "singular",
             guard->outcome ? "!(" : "");
    write_term(w, guard->a);
    lb_write(w->page, guard->or_equal ? " >= " : " > ");
    write_term(w, guard->b);
    lb_write(w->page, "%s;\n", guard->outcome ? ")" : "");
}

// The call that a sine or a rotation needs, when the first of its results is needed.
static void write_call_of(writer *w, int i, int *calls)
{
    const lb_graph_node *n = &w->graph->nodes[i];
    const char *real = w->style->is_float ? "float" : "double";
    if (n->op == LB_OP_TURN) {
        if (w->shown[n->a] != NAMED) {
            w->name[n->a] = ++*calls + w->graph->node_count; // apart from numbers of variables
        }
        lb_write(w->page, "    %s turn%d[5];\n    %s_rotation(%s", real, w->name[n->a],
                 w->style->prefix, n->negative ? "-" : "");
        write_node(w, n->a, AS_FACTOR);
        lb_write(w->page, ", turn%d);\n", w->name[n->a]);
    } else {
        const int k = w->name[n->a];
        lb_write(w->page, "    %s sine%d, cosine%d;\n    %s_turn(1, &t%d, &sine%d, &cosine%d);\n",
                 real, k, k, w->style->prefix, k, k, k);
    }
}

static int round_up(int count)
{
    return (count + 3) / 4 * 4;
}

// Angles that are inputs go side by side, in fours.
static void write_angles(writer *w)
{
    const lb_graph *g = w->graph;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->uses[i] && is_turn(n) && is_angle(g, n->a) && w->name[n->a] < 0) {
            w->name[n->a] = w->angle_count++;
            lb_write(w->page, w->angle_count == 1 ? "    angle[0] = " : "    angle[%d] = ",
                     w->angle_count - 1);
            write_node(w, n->a, AS_SUM);
            lb_write(w->page, ";\n");
        }
    }
    for (int i = w->angle_count; i % 4; ++i) {
        lb_write(w->page, "    angle[%d] = 0;\n", i);
    }
    lb_write(w->page, "    %s_turn(%d, angle, sine, cosine);\n", w->style->prefix,
             round_up(w->angle_count));
}

static int count_angles(const writer *w, bool *seen)
{
    const lb_graph *g = w->graph;
    int count = 0;
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->uses[i] && is_turn(n) && is_angle(g, n->a) && !seen[n->a]) {
            seen[n->a] = true;
            ++count;
        }
    }
    return count;
}

// ---- cost --------------------------------------------------------------------------------------

static void add_cost(const lb_graph_node *n, lb_c_cost *cost)
{
    cost->multiplications += n->op == LB_OP_MULTIPLY;
    cost->additions += n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT;
    cost->divisions += n->op == LB_OP_INVERT || n->op == LB_OP_ROOT;
}

// Values that are kept for later, at the place where most are: last[i] becomes the last use of node i, and
// places[i] where its expression is written.
static int count_live(const writer *w, int *last, int *place)
{
    const lb_graph *g = w->graph;
    int live = 0, most = 0;
    for (int i = g->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &g->nodes[i];
        if (w->shown[i] != INLINE || place[i] == 0) {
            place[i] = i;
        }
        if (!w->uses[i] || !has_operand(n)) {
            continue;
        }
        const int operands[] = {n->a, has_two(n) ? n->b : n->a};
        for (int j = 0; j < 2; ++j) {
            const int o = operands[j];
            last[o] = place[i] > last[o] ? place[i] : last[o];
            place[o] = place[i];
        }
    }
    // ends[p]: values that are used at p for the last time, in the array of places, which is done with
    memset(place, 0, (size_t)g->node_count * sizeof *place);
    for (int i = 0; i < g->node_count; ++i) {
        if (w->shown[i] == NAMED && last[i] > i) {
            ++place[last[i]];
        }
    }
    for (int i = 0; i < g->node_count; ++i) {
        live -= place[i];
        live += w->shown[i] == NAMED && last[i] > i;
        most = live > most ? live : most;
    }
    return most;
}

// ---- all ---------------------------------------------------------------------------------------

static void write_statements(writer *w, bool *called, lb_c_cost *cost)
{
    const lb_graph *g = w->graph;
    const char *real = w->style->is_float ? "float" : "double";
    int variables = 0, calls = 0;
    for (int i = 0; i < w->constant_events; ++i) {
        write_event(w, &w->events[i]);
    }
    for (int i = 0; i < g->node_count; ++i) {
        const lb_graph_node *n = &g->nodes[i];
        if (!w->uses[i]) {
            continue;
        }
        add_cost(n, cost);
        const bool call = (is_turn(n) || n->op == LB_OP_TURN) && !called[n->a];
        if (call && !(is_turn(n) && is_angle(g, n->a))) {
            called[n->a] = true;
            write_mark(w, n->mark);
            write_call_of(w, i, &calls);
            ++*(n->op == LB_OP_TURN ? &cost->turns : &cost->angles);
        }
        if (w->shown[i] == NAMED) {
            write_mark(w, n->mark);
            lb_write(w->page, "    const %s t%d = ", real, variables);
            w->shown[i] = INLINE;
            write_node(w, i, AS_SUM);
            w->shown[i] = NAMED;
            w->name[i] = variables++;
            lb_write(w->page, ";\n");
        }
        for (int e = w->first[i]; e >= 0; e = w->events[e].next) {
            write_mark(w, n->mark);
            write_event(w, &w->events[e]);
        }
    }
}

static void write_whole(writer *w, bool *seen, int *last, int *place, lb_c_cost *cost)
{
    const lb_graph *g = w->graph;
    const char *real = w->style->is_float ? "float" : "double";
    bool singular = false, indefinite = false;
    count_uses(w);
    for (int i = 0; i < g->node_count; ++i) {
        w->name[i] = w->first[i] = -1;
        choose_form(w, i);
    }
    sort_events(w);
    for (int i = 0; i < g->guard_count; ++i) {
        *(is_news(g, &g->guards[i]) ? &indefinite : &singular) = true;
    }
    if (singular) {
        lb_write(w->page, "    int singular = 0;\n");
    }
    if (indefinite) {
        lb_write(w->page, "    int indefinite = 0;\n");
    }
    const int angles = count_angles(w, seen);
    if (angles) {
        lb_write(w->page, "    %s angle[%d], sine[%d], cosine[%d];\n", real, round_up(angles),
                 round_up(angles), round_up(angles));
        write_angles(w);
    }
    memset(seen, 0, (size_t)g->node_count * sizeof *seen);
    cost->angles = angles;
    write_statements(w, seen, cost);
    lb_write(w->page, "\n    return ");
    if (singular) {
        lb_write(w->page, "singular ? -4 : ");
    }
    lb_write(w->page, "%s", indefinite ? "indefinite" : "0");
    lb_write(w->page, ";\n");
    cost->live = count_live(w, last, place);
}

bool lb_write_body(lb_page *page, const lb_graph *graph, const lb_c_style *style, lb_c_cost *cost)
{
    const size_t n = (size_t)graph->node_count + 1,
                 events = (size_t)(graph->output_count + graph->guard_count) + 1;
    writer w = {.page = page, .graph = graph, .style = style, .mark = -1};
    *cost = (lb_c_cost){0};
    w.shown = calloc(n, sizeof *w.shown);
    w.size = calloc(n, sizeof *w.size);
    w.uses = calloc(n, sizeof *w.uses);
    w.name = calloc(n, sizeof *w.name);
    w.first = calloc(n, sizeof *w.first);
    w.events = calloc(events, sizeof *w.events);
    bool *seen = calloc(n, sizeof *seen);
    int *last = calloc(n, sizeof *last), *place = calloc(n, sizeof *place);
    const bool good = w.shown && w.size && w.uses && w.name && w.first && w.events && seen &&
                      last && place && !graph->out_of_memory;
    if (good) {
        write_whole(&w, seen, last, place, cost);
    }
    free(w.shown);
    free(w.size);
    free(w.uses);
    free(w.name);
    free(w.first);
    free(w.events);
    free(seen);
    free(last);
    free(place);
    return good && !page->out_of_memory;
}
