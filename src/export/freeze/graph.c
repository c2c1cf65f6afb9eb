// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"

// Sizes of int: more would be more than a compiler takes.
enum { NODES_MOST = 1 << 24 };

void lb_init_graph(lb_graph *graph)
{
    memset(graph, 0, sizeof *graph);
}

void lb_clear_graph(lb_graph *graph)
{
    free(graph->nodes);
    free(graph->table);
    free(graph->marks);
    free(graph->guards);
    free(graph->outputs);
    free(graph->steps);
    free(graph->spread);
    lb_init_graph(graph);
}

// Room for one more element; NULL, with the old array in place, if there is none.
static void *grow(lb_graph *graph, void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const int larger = *capacity ? 2 * *capacity : 64;
    void *moved =
        larger > NODES_MOST || graph->out_of_memory ? NULL : realloc(array, (size_t)larger * size);
    if (!moved) {
        graph->out_of_memory = true;
        return NULL;
    }
    *capacity = larger;
    return moved;
}

// ---- equal nodes are one node ------------------------------------------------------------------

static uint64_t get_hash(const lb_graph_node *n)
{
    uint64_t bits = 0;
    if (n->op == LB_OP_CONSTANT) {
        memcpy(&bits, &n->value, sizeof bits);
    } else {
        bits = (uint64_t)(unsigned)n->a << 32 | (unsigned)n->b;
    }
    bits += (uint64_t)(unsigned)n->c * 0xd6e8feb86659fd93u;
    bits ^= (uint64_t)n->op << 58 | (uint64_t)n->negative << 57;
    bits *= 0x9e3779b97f4a7c15u;
    return bits ^ bits >> 29;
}

static bool are_equal(const lb_graph_node *x, const lb_graph_node *y)
{
    if (x->op != y->op || x->negative != y->negative) {
        return false;
    }
    return x->op == LB_OP_CONSTANT ? x->value == y->value
                                   : x->a == y->a && x->b == y->b && x->c == y->c;
}

// The place of a node in the table, or the free one for it.
static int *find_slot(const lb_graph *graph, const lb_graph_node *node)
{
    const uint64_t mask = (uint64_t)graph->table_size - 1;
    uint64_t i = get_hash(node) & mask;
    while (graph->table[i] && !are_equal(&graph->nodes[graph->table[i] - 1], node)) {
        i = (i + 1) & mask;
    }
    return &graph->table[i];
}

static bool grow_table(lb_graph *graph)
{
    const int size = graph->table_size ? 2 * graph->table_size : 256;
    int *table = graph->out_of_memory ? NULL : calloc((size_t)size, sizeof *table);
    if (!table) {
        graph->out_of_memory = true;
        return false;
    }
    free(graph->table);
    graph->table = table;
    graph->table_size = size;
    for (int i = 0; i < graph->node_count; ++i) {
        *find_slot(graph, &graph->nodes[i]) = i + 1;
    }
    return true;
}

static lb_term get_term(int index)
{
    lb_term term;
    term.bits = LB_TERM_TAG | (uint64_t)(unsigned)index;
    return term;
}

// The group of limbs that a node is computed for.
static int get_limb(const lb_graph *graph, const lb_graph_node *n)
{
    const int count = lb_count_operands(n);
    int limb = n->op == LB_OP_SPREAD ? n->b : 0;
    if (n->op != LB_OP_PICK && count > 0) {
        limb = graph->nodes[n->a].limb;
        limb = limb || count == 1 ? limb : graph->nodes[n->b].limb;
        limb = limb || count < 3 ? limb : graph->nodes[n->c].limb;
    }
    return limb;
}

static lb_term put(lb_graph *graph, lb_graph_node node)
{
    if (2 * graph->node_count >= graph->table_size && !grow_table(graph)) {
        return lb_make_constant(0.0);
    }
    int *slot = find_slot(graph, &node);
    if (!*slot) {
        lb_graph_node *nodes = grow(graph, graph->nodes, graph->node_count, &graph->node_capacity,
                                    sizeof *graph->nodes);
        if (!nodes) {
            return lb_make_constant(0.0);
        }
        graph->nodes = nodes;
        node.mark = graph->mark_count - 1;
        node.limb = get_limb(graph, &node);
        nodes[graph->node_count] = node;
        *slot = ++graph->node_count;
    }
    return get_term(*slot - 1);
}

// The node of a term without its sign; constants become nodes here.
static int take_node(lb_graph *graph, lb_term x)
{
    if (lb_is_node(x)) {
        return lb_get_index(x);
    }
    const lb_term put_there =
        put(graph, (lb_graph_node){.op = LB_OP_CONSTANT, .value = fabs(x.number)});
    return lb_is_node(put_there) ? lb_get_index(put_there) : -1;
}

static lb_term give_sign(lb_term x, bool negative)
{
    return negative ? lb_negate_term(x) : x;
}

double lb_get_term_value(const lb_graph *graph, lb_term x)
{
    if (!lb_is_node(x)) {
        return x.number;
    }
    const double value = graph->nodes[lb_get_index(x)].value;
    return lb_is_negative(x) ? -value : value;
}

// ---- operations --------------------------------------------------------------------------------

static void put_mark(lb_graph *graph, lb_graph_mark mark)
{
    if (graph->mark_count > 0) {
        const lb_graph_mark *last = &graph->marks[graph->mark_count - 1];
        if (last->body == mark.body && last->lane == mark.lane && last->width == mark.width &&
            last->pack == mark.pack && last->is_column == mark.is_column &&
            strcmp(last->equation, mark.equation) == 0) {
            return;
        }
    }
    lb_graph_mark *marks =
        grow(graph, graph->marks, graph->mark_count, &graph->mark_capacity, sizeof *marks);
    if (marks) {
        graph->marks = marks;
        marks[graph->mark_count++] = mark;
    }
}

void lb_mark_graph(lb_graph *graph, int body, const char *equation)
{
    put_mark(graph, (lb_graph_mark){.body = body, .equation = equation});
}

void lb_mark_lane(lb_graph *graph, int lane, int width)
{
    if (graph->mark_count > 0) {
        const lb_graph_mark *last = &graph->marks[graph->mark_count - 1];
        put_mark(graph, (lb_graph_mark){last->body, last->equation, lane, width, 0, false});
    }
}

void lb_mark_pack(lb_graph *graph, int lane, int group, bool is_column)
{
    if (graph->mark_count > 0) {
        const lb_graph_mark *last = &graph->marks[graph->mark_count - 1];
        put_mark(graph, (lb_graph_mark){last->body, last->equation, lane, 0, group, is_column});
    }
}

lb_term lb_put_input(lb_graph *graph, int array, int entry, double value)
{
    return put(graph, (lb_graph_node){.op = LB_OP_INPUT, .a = array, .b = entry, .value = value});
}

static lb_term put_operation(lb_graph *graph, lb_node_op op, int a, int b, double value)
{
    return put(graph, (lb_graph_node){.op = (unsigned char)op, .a = a, .b = b, .value = value});
}

// s (a +- b), the sign outside chosen so that equal sums look alike
static lb_term put_two(lb_graph *graph, lb_term a, lb_term b)
{
    const int i = take_node(graph, a), j = take_node(graph, b);
    if (i < 0 || j < 0) {
        return lb_make_constant(0.0);
    }
    const double x = graph->nodes[i].value, y = graph->nodes[j].value;
    const int first = i < j ? i : j, second = i < j ? j : i;
    if (lb_is_negative(a) == lb_is_negative(b)) {
        return give_sign(put_operation(graph, LB_OP_ADD, first, second, x + y), lb_is_negative(a));
    }
    // the first less the second
    const double gap = first == i ? x - y : y - x;
    return give_sign(put_operation(graph, LB_OP_SUBTRACT, first, second, gap),
                     lb_is_negative(i < j ? a : b));
}

static lb_term make_product(lb_graph *graph, lb_term a, lb_term b);

static lb_term make_sum(lb_graph *graph, lb_term a, lb_term b)
{
    if (!lb_is_node(a) && !lb_is_node(b)) {
        return lb_make_constant(a.number + b.number);
    }
    if (!lb_is_node(a) && a.number == 0) {
        return b;
    }
    if (!lb_is_node(b) && b.number == 0) {
        return a;
    }
    if (a.bits == b.bits) {
        return make_product(graph, lb_make_constant(2.0), a);
    }
    if (a.bits == lb_negate_term(b).bits) {
        return lb_make_constant(0.0);
    }
    return put_two(graph, a, b);
}

static lb_term make_product(lb_graph *graph, lb_term a, lb_term b)
{
    if (!lb_is_node(a) && !lb_is_node(b)) {
        return lb_make_constant(a.number * b.number);
    }
    if (!lb_is_node(b)) {
        const lb_term t = a;
        a = b;
        b = t;
    }
    if (!lb_is_node(a)) {
        if (a.number == 0) {
            return lb_make_constant(0.0);
        }
        if (fabs(a.number) == 1) {
            return give_sign(b, a.number < 0);
        }
        // c (d x) = (c d) x
        const lb_graph_node *inner = &graph->nodes[lb_get_index(b)];
        if (inner->op == LB_OP_MULTIPLY && graph->nodes[inner->a].op == LB_OP_CONSTANT) {
            const double both = a.number * graph->nodes[inner->a].value;
            return make_product(graph, lb_make_constant(lb_is_negative(b) ? -both : both),
                                get_term(inner->b));
        }
    }
    int i = take_node(graph, a), j = take_node(graph, b);
    if (i < 0 || j < 0) {
        return lb_make_constant(0.0);
    }
    // a constant comes first, for the rule above; otherwise the older node
    if (lb_is_node(a) && i > j) {
        const int t = i;
        i = j;
        j = t;
    }
    const double both = graph->nodes[i].value * graph->nodes[j].value;
    return give_sign(put_operation(graph, LB_OP_MULTIPLY, i, j, both),
                     lb_is_negative(a) != lb_is_negative(b));
}

static lb_term make_quotient(lb_graph *graph, lb_term a, lb_term b)
{
    if (a.bits == b.bits && lb_is_node(a)) {
        return lb_make_constant(1.0);
    }
    if (!lb_is_node(b)) {
        return lb_is_node(a) ? make_product(graph, a, lb_make_constant(1.0 / b.number))
                             : lb_make_constant(a.number / b.number);
    }
    const int i = lb_get_index(b);
    const lb_term over = put_operation(graph, LB_OP_INVERT, i, 0, 1.0 / graph->nodes[i].value);
    return make_product(graph, a, give_sign(over, lb_is_negative(b)));
}

static double get_turn_part(double t2, int part)
{
    const lb_turn t = lb_turn_of(t2);
    const double parts[] = {t.a, t.b, t.c, t.b_prime, t.c_prime};
    return parts[part];
}

static double apply_function(lb_node_op op, double x, int part)
{
    switch (op) {
    case LB_OP_SINE:
        return sin(x);
    case LB_OP_COSINE:
        return cos(x);
    case LB_OP_ROOT:
        return sqrt(x);
    case LB_OP_MAGNITUDE:
        return fabs(x);
    default:
        return get_turn_part(x, part);
    }
}

static lb_term make_function(lb_graph *graph, lb_node_op op, lb_term a, int part)
{
    if (!lb_is_node(a)) {
        return lb_make_constant(apply_function(op, a.number, part));
    }
    const bool is_odd = op == LB_OP_SINE, is_even = op == LB_OP_COSINE || op == LB_OP_MAGNITUDE;
    const int i = lb_get_index(a);
    if (op == LB_OP_MAGNITUDE && graph->nodes[i].op == LB_OP_MAGNITUDE) {
        return get_term(i);
    }
    const bool negative = lb_is_negative(a) && !is_odd && !is_even;
    const double x = graph->nodes[i].value;
    const lb_graph_node node = {.op = (unsigned char)op,
                                .negative = negative,
                                .a = i,
                                .b = part,
                                .value = apply_function(op, negative ? -x : x, part)};
    return give_sign(put(graph, node), lb_is_negative(a) && is_odd);
}

static lb_term make_larger(lb_graph *graph, lb_term a, lb_term b)
{
    if (!lb_is_node(a) && !lb_is_node(b)) {
        return a.number > b.number ? a : b;
    }
    // (a + b + |a - b|) / 2 would lose digits: negative operands are rare, and then a product
    const bool plain = !lb_is_negative(a) && !lb_is_negative(b);
    if (!plain) {
        return lb_put_comparison(graph, a, b, false) ? a : b;
    }
    const int i = take_node(graph, a), j = take_node(graph, b);
    if (i < 0 || j < 0) {
        return lb_make_constant(0.0);
    }
    const double x = graph->nodes[i].value, y = graph->nodes[j].value;
    return put_operation(graph, LB_OP_LARGER, i, j, x > y ? x : y);
}

// ---- calls and choices -------------------------------------------------------------------------

static const struct {
    const char *name;
    double (*of_one)(double x);
    double (*of_two)(double x, double y);
} calls[LB_CALL_COUNT] = {[LB_CALL_EXP] = {"exp", exp, NULL},
                          [LB_CALL_LOG] = {"log", log, NULL},
                          [LB_CALL_TAN] = {"tan", tan, NULL},
                          [LB_CALL_ASIN] = {"asin", asin, NULL},
                          [LB_CALL_ACOS] = {"acos", acos, NULL},
                          [LB_CALL_ATAN] = {"atan", atan, NULL},
                          [LB_CALL_SINH] = {"sinh", sinh, NULL},
                          [LB_CALL_COSH] = {"cosh", cosh, NULL},
                          [LB_CALL_TANH] = {"tanh", tanh, NULL},
                          [LB_CALL_FLOOR] = {"floor", floor, NULL},
                          [LB_CALL_NEARBYINT] = {"nearbyint", nearbyint, NULL},
                          [LB_CALL_POW] = {"pow", NULL, pow},
                          [LB_CALL_ATAN2] = {"atan2", NULL, atan2},
                          [LB_CALL_HYPOT] = {"hypot", NULL, hypot}};

const char *lb_get_call_name(int call)
{
    return calls[call].name;
}

static double apply_call(lb_math_call call, double x, double y)
{
    return calls[call].of_two ? calls[call].of_two(x, y) : calls[call].of_one(x);
}

// The node of a term with its sign: 0 - x of one that has a minus.
static int take_signed(lb_graph *graph, lb_term x)
{
    const int i = take_node(graph, x);
    if (i < 0 || !(lb_is_node(x) ? lb_is_negative(x) : x.number < 0)) {
        return i;
    }
    const int zero = take_node(graph, lb_make_constant(0.0));
    if (zero < 0) {
        return -1;
    }
    const lb_term there = put_operation(graph, LB_OP_SUBTRACT, zero, i, -graph->nodes[i].value);
    return lb_is_node(there) ? lb_get_index(there) : -1;
}

lb_term lb_put_call(lb_graph *graph, lb_math_call call, lb_term a, lb_term b)
{
    const bool two = call >= LB_CALL_POW;
    if (!lb_is_node(a) && !(two && lb_is_node(b))) {
        return lb_make_constant(apply_call(call, a.number, two ? b.number : 0.0));
    }
    const int i = take_signed(graph, a), j = two ? take_signed(graph, b) : (int)call;
    if (i < 0 || j < 0) {
        return lb_make_constant(0.0);
    }
    const double x = graph->nodes[i].value, y = two ? graph->nodes[j].value : 0.0;
    return put(graph, (lb_graph_node){.op = two ? LB_OP_CALL_TWO : LB_OP_CALL,
                                      .a = i,
                                      .b = j,
                                      .c = two ? (int)call : 0,
                                      .value = apply_call(call, x, y)});
}

lb_term lb_put_condition(lb_graph *graph, lb_term a, lb_term b)
{
    const bool flipped = lb_is_node(a) && lb_is_negative(a); // -x > b as -b > x
    const lb_term left = flipped ? lb_negate_term(b) : a, right = flipped ? lb_negate_term(a) : b;
    const int i = take_signed(graph, left), j = take_signed(graph, right);
    if (i < 0 || j < 0) {
        return lb_make_constant(0.0);
    }
    const double x = graph->nodes[i].value, y = graph->nodes[j].value;
    return put_operation(graph, LB_OP_GREATER, i, j, x > y);
}

static bool has_minus(lb_term x)
{
    return lb_is_node(x) ? lb_is_negative(x) : x.number < 0;
}

lb_term lb_put_select(lb_graph *graph, lb_term condition, lb_term yes, lb_term no)
{
    if (yes.bits == no.bits || (!lb_is_node(yes) && !lb_is_node(no) && yes.number == no.number)) {
        return yes;
    }
    // a common minus goes outside; zero has either sign
    const bool flipped = (has_minus(yes) || (!lb_is_node(yes) && yes.number == 0)) &&
                         (has_minus(no) || (!lb_is_node(no) && no.number == 0));
    const lb_term x = flipped ? lb_negate_term(yes) : yes, y = flipped ? lb_negate_term(no) : no;
    const int i = take_signed(graph, x), j = take_signed(graph, y);
    if (i < 0 || j < 0 || !lb_is_node(condition)) {
        return lb_make_constant(0.0);
    }
    const int k = lb_get_index(condition);
    const double value = graph->nodes[graph->nodes[k].value > 0 ? i : j].value;
    const lb_graph_node node = {.op = LB_OP_SELECT, .a = k, .b = i, .c = j, .value = value};
    return give_sign(put(graph, node), flipped);
}

// ---- what is used ------------------------------------------------------------------------------

static void mark_term(lb_term x, unsigned char *used)
{
    if (lb_is_node(x)) {
        used[lb_get_index(x)] = 1;
    }
}

void lb_mark_used(const lb_graph *graph, bool guards, unsigned char *used)
{
    for (int i = 0; i < graph->output_count; ++i) {
        mark_term(graph->outputs[i].term, used);
    }
    for (int i = 0; guards && i < graph->guard_count; ++i) {
        mark_term(graph->guards[i].a, used);
        mark_term(graph->guards[i].b, used);
    }
    for (int i = graph->node_count - 1; i >= 0; --i) {
        const lb_graph_node *n = &graph->nodes[i];
        for (int k = 0; used[i] && k < lb_count_operands(n); ++k) {
            used[n->operands[k]] = 1;
        }
        for (int k = 0; used[i] && n->op == LB_OP_SPREAD && k < graph->widths[n->b]; ++k) {
            mark_term(graph->spread[n->a + k], used);
        }
    }
}

// ---- steps -------------------------------------------------------------------------------------

static void keep_step(lb_graph *graph, int op, int part, int guard, lb_term a, lb_term b,
                      lb_term result)
{
    if (!graph->keeps_steps) {
        return;
    }
    lb_graph_step *steps =
        grow(graph, graph->steps, graph->step_count, &graph->step_capacity, sizeof *steps);
    if (steps) {
        graph->steps = steps;
        steps[graph->step_count++] =
            (lb_graph_step){(unsigned char)op, part, guard, graph->mark_count - 1, a, b, result};
    }
}

lb_term lb_put_sum(lb_graph *graph, lb_term a, lb_term b)
{
    const lb_term result = make_sum(graph, a, b);
    keep_step(graph, LB_OP_ADD, 0, -1, a, b, result);
    return result;
}

lb_term lb_put_product(lb_graph *graph, lb_term a, lb_term b)
{
    const lb_term result = make_product(graph, a, b);
    keep_step(graph, LB_OP_MULTIPLY, 0, -1, a, b, result);
    return result;
}

lb_term lb_put_quotient(lb_graph *graph, lb_term a, lb_term b)
{
    const lb_term result = make_quotient(graph, a, b);
    keep_step(graph, LB_OP_INVERT, 0, -1, a, b, result);
    return result;
}

lb_term lb_put_function(lb_graph *graph, lb_node_op op, lb_term a, int part)
{
    const lb_term result = make_function(graph, op, a, part);
    keep_step(graph, (int)op, part, -1, a, a, result);
    return result;
}

lb_term lb_put_larger(lb_graph *graph, lb_term a, lb_term b)
{
    const lb_term result = make_larger(graph, a, b);
    keep_step(graph, LB_OP_LARGER, 0, -1, a, b, result);
    return result;
}

lb_term lb_put_spread(lb_graph *graph, int group, int width, const lb_term *terms)
{
    const int first = graph->spread_count;
    for (int i = 0; i < width; ++i) {
        lb_term *spread = grow(graph, graph->spread, graph->spread_count, &graph->spread_capacity,
                               sizeof *spread);
        if (!spread) {
            return lb_make_constant(0.0);
        }
        graph->spread = spread;
        spread[graph->spread_count++] = terms[i];
    }
    return put_operation(graph, LB_OP_SPREAD, first, group, lb_get_term_value(graph, terms[0]));
}

lb_term lb_put_pick(lb_graph *graph, lb_term a, int limb)
{
    const int i = lb_get_index(a);
    if (graph->nodes[i].op == LB_OP_SPREAD) {
        return give_sign(graph->spread[graph->nodes[i].a + limb], lb_is_negative(a));
    }
    return give_sign(put_operation(graph, LB_OP_PICK, i, limb, graph->nodes[i].value),
                     lb_is_negative(a));
}

bool lb_put_comparison(lb_graph *graph, lb_term a, lb_term b, bool or_equal)
{
    const double x = lb_get_term_value(graph, a), y = lb_get_term_value(graph, b);
    const bool outcome = or_equal ? x >= y : x > y;
    if (!lb_is_node(a) && !lb_is_node(b)) {
        return outcome;
    }
    const lb_graph_guard guard = {a, b, or_equal, outcome, graph->node_count};
    lb_put_guard(graph, &guard);
    keep_step(graph, LB_OP_CONSTANT, 0, graph->guard_count - 1, a, b, a);
    return outcome;
}

void lb_put_guard(lb_graph *graph, const lb_graph_guard *guard)
{
    lb_graph_guard *guards =
        grow(graph, graph->guards, graph->guard_count, &graph->guard_capacity, sizeof *guards);
    if (guards) {
        graph->guards = guards;
        guards[graph->guard_count++] = *guard;
    }
}

void lb_put_output(lb_graph *graph, int array, int entry, lb_term term)
{
    lb_graph_output *outputs =
        grow(graph, graph->outputs, graph->output_count, &graph->output_capacity, sizeof *outputs);
    if (outputs) {
        graph->outputs = outputs;
        outputs[graph->output_count++] = (lb_graph_output){array, entry, term, 0};
    }
}
