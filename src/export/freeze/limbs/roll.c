// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limbs.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"

// The steps of a body for one equation, in the order they were taken. Equal limbs have equal runs.
typedef struct run {
    int first, count; // steps, in roller.order
    int mark;         // the first mark of the kind
    int group;        // of limbs that take it together; 0 if it stands alone
    int leader;       // the first run of those side by side, or itself
    int *others;      // of a leader: the run of each limb
} run;

// One old term for each limb, and the term that stands for them.
typedef struct tuple {
    int first; // into terms
    int width;
    lb_term made;
} tuple;

typedef struct roller {
    lb_arena arena; // of all that follows
    const lb_graph *old;
    lb_graph *made;
    const lb_limbs *limbs;
    lb_term *scalar; // by old node: the new term, or none
    lb_term *whole;  // by old node: the term of all limbs that it is a part of, or none
    int *limb;       // and which of them
    run *runs;
    int *run_of; // by mark
    int run_count;
    int *others;
    int *order;              // steps, by runs
    unsigned char *done;     // by output
    unsigned char *together; // by place in the order, of leaders: TRIED, or TAKEN for all limbs
    tuple *tuples;
    int tuple_count, tuple_capacity;
    lb_term *terms;
    int term_count, term_capacity;
    int *table;
    int table_size;
    bool failed; // a term is not there when it is needed: cannot be, with the sweeps of the engine
} roller;

static const lb_term none = {.bits = UINT64_MAX};

static bool is_there(lb_term x)
{
    return x.bits != UINT64_MAX;
}

static lb_term give_sign(lb_term x, bool negative)
{
    return negative ? lb_negate_term(x) : x;
}

// ---- single terms ------------------------------------------------------------------------------

bool lb_is_angle(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    const bool sum = n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT;
    const int a = sum ? g->nodes[n->a].op : LB_OP_ADD, b = sum ? g->nodes[n->b].op : LB_OP_ADD;
    return n->op == LB_OP_INPUT || (a == LB_OP_INPUT && b == LB_OP_CONSTANT) ||
           (a == LB_OP_CONSTANT && b == LB_OP_INPUT);
}

// What is there from the start: inputs, angles and their sines.
static bool is_early(const lb_graph *g, int i)
{
    const lb_graph_node *n = &g->nodes[i];
    const bool turn = n->op == LB_OP_SINE || n->op == LB_OP_COSINE;
    return lb_is_angle(g, turn ? n->a : i);
}

static lb_term take_term(roller *r, lb_term x);

static lb_term take_early(roller *r, int i)
{
    const lb_graph_node *n = &r->old->nodes[i];
    if (n->op == LB_OP_INPUT) {
        return lb_put_input(r->made, n->a, n->b, n->value);
    }
    if (n->op == LB_OP_CONSTANT) {
        return lb_make_constant(n->value);
    }
    const lb_term a = take_early(r, n->a);
    if (n->op == LB_OP_SINE || n->op == LB_OP_COSINE) {
        return lb_put_function(r->made, (lb_node_op)n->op, a, 0);
    }
    return lb_put_sum(r->made, a, give_sign(take_early(r, n->b), n->op == LB_OP_SUBTRACT));
}

static bool is_single(const roller *r, lb_term x)
{
    if (!lb_is_node(x)) {
        return true;
    }
    const int i = lb_get_index(x);
    return (is_there(r->scalar[i]) && !is_there(r->whole[i])) || is_early(r->old, i);
}

static bool is_known(const roller *r, lb_term x)
{
    return is_single(r, x) || is_there(r->whole[lb_get_index(x)]);
}

// The new term of an old one.
static lb_term take_term(roller *r, lb_term x)
{
    if (!lb_is_node(x)) {
        return x;
    }
    const int i = lb_get_index(x);
    if (!is_there(r->scalar[i])) {
        if (is_there(r->whole[i])) {
            r->scalar[i] = lb_put_pick(r->made, r->whole[i], r->limb[i]);
        } else if (is_early(r->old, i)) {
            r->scalar[i] = take_early(r, i);
        } else {
            r->failed = true;
            return lb_make_constant(0.0);
        }
    }
    return give_sign(r->scalar[i], lb_is_negative(x));
}

static lb_term repeat(lb_graph *g, const lb_graph_step *s, lb_term a, lb_term b)
{
    switch (s->op) {
    case LB_OP_ADD:
        return lb_put_sum(g, a, b);
    case LB_OP_MULTIPLY:
        return lb_put_product(g, a, b);
    case LB_OP_INVERT:
        return lb_put_quotient(g, a, b);
    case LB_OP_LARGER:
        return lb_put_larger(g, a, b);
    default:
        return lb_put_function(g, (lb_node_op)s->op, a, s->part);
    }
}

static void take_guard(roller *r, const lb_graph_guard *guard, lb_term a, lb_term b)
{
    const lb_graph_guard made = {a, b, guard->or_equal, guard->outcome, r->made->node_count};
    lb_put_guard(r->made, &made);
}

// A step by itself.
static void take_step(roller *r, const lb_graph_step *s)
{
    if (s->guard >= 0) {
        take_guard(r, &r->old->guards[s->guard], take_term(r, s->a), take_term(r, s->b));
        return;
    }
    if (!lb_is_node(s->result)) {
        return;
    }
    const int i = lb_get_index(s->result);
    if (is_there(r->scalar[i]) || is_there(r->whole[i]) || is_early(r->old, i)) {
        return;
    }
    const lb_term made = repeat(r->made, s, take_term(r, s->a), take_term(r, s->b));
    r->scalar[i] = give_sign(made, lb_is_negative(s->result));
}

// ---- terms of all limbs ------------------------------------------------------------------------

static uint64_t get_hash(int width, const lb_term *terms)
{
    uint64_t bits = (uint64_t)width;
    for (int i = 0; i < width; ++i) {
        bits = (bits ^ terms[i].bits) * 0x9e3779b97f4a7c15u;
        bits ^= bits >> 29;
    }
    return bits;
}

static int *find_slot(const roller *r, int width, const lb_term *terms)
{
    const uint64_t mask = (uint64_t)r->table_size - 1;
    uint64_t i = get_hash(width, terms) & mask;
    while (r->table[i]) {
        const tuple *t = &r->tuples[r->table[i] - 1];
        if (t->width == width &&
            memcmp(r->terms + t->first, terms, (size_t)width * sizeof *terms) == 0) {
            break;
        }
        i = (i + 1) & mask;
    }
    return &r->table[i];
}

// Terms with the sign of the first taken out.
static bool normalize(int width, const lb_term *terms, lb_term *out)
{
    const bool negative = lb_is_negative(terms[0]);
    for (int i = 0; i < width; ++i) {
        out[i] = give_sign(terms[i], negative);
    }
    return negative;
}

static void add_tuple(roller *r, int width, const lb_term *terms, lb_term made)
{
    // steps have three terms each, and there is room for as many tuples: see lb_roll_graph
    lb_term own[LB_LANES_MOST];
    const bool negative = normalize(width, terms, own);
    int *slot = find_slot(r, width, own);
    if (*slot || r->tuple_count >= r->tuple_capacity || r->term_count + width > r->term_capacity) {
        return;
    }
    memcpy(r->terms + r->term_count, own, (size_t)width * sizeof *own);
    r->tuples[r->tuple_count] = (tuple){r->term_count, width, give_sign(made, negative)};
    r->term_count += width;
    *slot = ++r->tuple_count;
}

// Whether all are the same but for their signs.
static bool are_one(int width, const lb_term *terms)
{
    bool one = lb_is_node(terms[0]);
    for (int i = 1; i < width; ++i) {
        one = one && lb_is_node(terms[i]) && lb_get_index(terms[i]) == lb_get_index(terms[0]);
    }
    return one;
}

static bool are_same(int width, const lb_term *terms)
{
    bool same = true;
    for (int i = 1; i < width; ++i) {
        same = same && terms[i].bits == terms[0].bits;
    }
    return same;
}

// The new term for old terms of all limbs; none if they have to stay apart.
static lb_term take_tuple(roller *r, int group, const lb_term *terms)
{
    const int width = r->limbs->widths[group];
    lb_term own[LB_LANES_MOST], signs[LB_LANES_MOST];
    if (are_same(width, terms)) {
        const bool there =
            group >= r->limbs->first_pack ? is_known(r, terms[0]) : is_single(r, terms[0]);
        return there ? take_term(r, terms[0]) : none;
    }
    const bool negative = normalize(width, terms, own);
    const int *slot = find_slot(r, width, own);
    if (*slot) {
        return give_sign(r->tuples[*slot - 1].made, negative);
    }
    const bool gathers =
        group >= r->limbs->first_pack; // what is shuffled for one operation serves many
    for (int i = 0; i < width; ++i) {
        if (gathers ? !is_known(r, own[i]) : !is_single(r, own[i])) {
            return none;
        }
    }
    lb_term made;
    if (are_one(width, own)) {
        for (int i = 0; i < width; ++i) {
            signs[i] = lb_make_constant(lb_is_negative(own[i]) ? -1.0 : 1.0);
        }
        made = lb_put_product(r->made, lb_put_spread(r->made, group, width, signs),
                              take_term(r, own[0]));
    } else {
        for (int i = 0; i < width; ++i) {
            signs[i] = take_term(r, own[i]);
        }
        made = lb_put_spread(r->made, group, width, signs);
    }
    add_tuple(r, width, own, made);
    return give_sign(made, negative);
}

static bool take_guards(roller *r, int group, const lb_graph_step *const *steps, lb_term a,
                        lb_term b)
{
    const lb_graph *made = r->made;
    const lb_graph_guard *first = &r->old->guards[steps[0]->guard];
    const int limb_a = lb_is_node(a) ? made->nodes[lb_get_index(a)].limb : -1;
    const int limb_b = lb_is_node(b) ? made->nodes[lb_get_index(b)].limb : -1;
    // numbers of all limbs, against such or against constants
    bool good = (limb_a == group || limb_a < 0) && (limb_b == group || limb_b < 0);
    for (int i = 1; i < r->limbs->widths[group]; ++i) {
        const lb_graph_guard *other = &r->old->guards[steps[i]->guard];
        good = good && other->outcome == first->outcome && other->or_equal == first->or_equal;
    }
    if (good) {
        take_guard(r, first, a, b);
    }
    return good;
}

// A step of all limbs at once, if its operands are there.
static bool take_steps(roller *r, int group, const lb_graph_step *const *steps)
{
    const int width = r->limbs->widths[group], op = steps[0]->op;
    lb_term a[LB_LANES_MOST], b[LB_LANES_MOST], result[LB_LANES_MOST];
    bool constant = true;
    for (int i = 0; i < width; ++i) {
        a[i] = steps[i]->a;
        b[i] = steps[i]->b;
        result[i] = steps[i]->result;
        constant = constant && !lb_is_node(result[i]);
    }
    if (steps[0]->guard < 0) {
        lb_term own[LB_LANES_MOST];
        if (constant) {
            return true;
        }
        if (are_same(width, result)) {
            take_step(r, steps[0]);
            return true;
        }
        normalize(width, result, own);
        if (*find_slot(r, width, own)) {
            return true;
        }
        if (op == LB_OP_SINE || op == LB_OP_COSINE || op == LB_OP_TURN) {
            return false;
        }
    }
    const lb_term A = take_tuple(r, group, a), B = take_tuple(r, group, b);
    if (!is_there(A) || !is_there(B)) {
        return false;
    }
    if (steps[0]->guard >= 0) {
        return take_guards(r, group, steps, A, B);
    }
    const lb_term made = repeat(r->made, steps[0], A, B);
    add_tuple(r, width, result, made);
    const bool whole = lb_is_node(made) && r->made->nodes[lb_get_index(made)].limb == group;
    for (int i = 0; i < width; ++i) {
        const int n = lb_is_node(result[i]) ? lb_get_index(result[i]) : -1;
        if (n < 0 || is_there(r->scalar[n]) || is_there(r->whole[n]) || is_early(r->old, n)) {
            continue;
        }
        const lb_term own = give_sign(made, lb_is_negative(result[i]));
        if (whole) {
            r->whole[n] = own;
            r->limb[n] = i;
        } else {
            r->scalar[n] = own;
        }
    }
    return true;
}

// ---- runs --------------------------------------------------------------------------------------

enum { TRIED = 1, TAKEN };

static int find_run(const roller *r, const lb_graph_mark *like, int body, int lane)
{
    for (int i = 0; i < r->run_count; ++i) {
        const lb_graph_mark *m = &r->old->marks[r->runs[i].mark];
        if (m->body == body && m->lane == lane && m->width == like->width &&
            m->pack == like->pack && m->is_column == like->is_column &&
            strcmp(m->equation, like->equation) == 0) {
            return i;
        }
    }
    return -1;
}

static bool have_equal_steps(const roller *r, const run *x, const run *y)
{
    bool equal = x->count == y->count;
    for (int i = 0; equal && i < x->count; ++i) {
        const lb_graph_step *s = &r->old->steps[r->order[x->first + i]],
                            *t = &r->old->steps[r->order[y->first + i]];
        equal = s->op == t->op && s->part == t->part && (s->guard < 0) == (t->guard < 0);
    }
    return equal;
}

// Joins the runs of all limbs that take the same steps as one.
static void join_runs(roller *r, int first)
{
    run *own = &r->runs[first];
    const lb_graph_mark *m = &r->old->marks[own->mark];
    if (m->body < 0 || own->leader != first) {
        return;
    }
    const lb_limb_seat *seat = &r->limbs->seats[m->body];
    const bool lanes = m->width || m->is_column; // of one body
    const int group = m->pack                    ? m->pack
                      : !m->width                ? seat->group
                      : m->width > LB_LANES_MOST ? 0
                                                 : r->limbs->lanes[m->width];
    const int width = r->limbs->widths[group];
    if (!group || (!lanes && width > LB_LIMBS_MOST)) {
        return;
    }
    bool good = true;
    for (int i = 0; good && i < width; ++i) {
        const int body = lanes     ? m->body
                         : m->pack ? lb_get_packed(r->limbs, group, i)
                                   : lb_get_seated(r->limbs, group, i, seat->seat);
        own->others[i] = find_run(r, m, body, lanes || m->pack ? i : 0);
        good = own->others[i] >= first && have_equal_steps(r, own, &r->runs[own->others[i]]);
    }
    for (int i = 0; good && i < width; ++i) {
        run *other = &r->runs[own->others[i]];
        other->group = group;
        other->leader = first;
    }
}

static void find_runs(roller *r)
{
    const lb_graph *g = r->old;
    for (int i = 0; i < g->mark_count; ++i) {
        r->run_of[i] = find_run(r, &g->marks[i], g->marks[i].body, g->marks[i].lane);
        if (r->run_of[i] < 0) {
            const int n = r->run_count++;
            r->runs[n] =
                (run){.mark = i, .leader = n, .others = r->others + (size_t)n * LB_LANES_MOST};
            r->run_of[i] = n;
        }
    }
    for (int i = 0; i < g->step_count; ++i) {
        if (g->steps[i].mark >= 0) {
            ++r->runs[r->run_of[g->steps[i].mark]].count;
        }
    }
    for (int i = 0, first = 0; i < r->run_count; ++i) {
        r->runs[i].first = first;
        first += r->runs[i].count;
        r->runs[i].count = 0;
    }
    for (int i = 0; i < g->step_count; ++i) {
        if (g->steps[i].mark >= 0) {
            run *own = &r->runs[r->run_of[g->steps[i].mark]];
            r->order[own->first + own->count++] = i;
        }
    }
    for (int i = 0; i < r->run_count; ++i) {
        join_runs(r, i);
    }
}

// Takes a step for all limbs, if it is the first of them and they can be taken together. Says whether they were.
static bool take_together(roller *r, const run *own, int place)
{
    const run *leader = &r->runs[own->leader];
    unsigned char *state = &r->together[leader->first + place];
    if (!*state) {
        const lb_graph_step *steps[LB_LANES_MOST] = {NULL};
        for (int j = 0; j < r->limbs->widths[own->group]; ++j) {
            steps[j] = &r->old->steps[r->order[r->runs[leader->others[j]].first + place]];
        }
        *state = take_steps(r, own->group, steps) ? TAKEN : TRIED;
    }
    return *state == TAKEN;
}

static void take_all(roller *r)
{
    const lb_graph *g = r->old;
    int mark = -1;
    for (int i = 0; i < r->run_count; ++i) {
        r->runs[i].count = 0; // of steps that were taken, from here on
    }
    for (int i = 0; i < g->step_count && !r->failed; ++i) {
        const lb_graph_step *s = &g->steps[i];
        if (s->mark != mark) {
            mark = s->mark;
            lb_mark_graph(r->made, g->marks[mark].body, g->marks[mark].equation);
            lb_mark_pack(r->made, 0, g->marks[mark].pack, g->marks[mark].is_column);
        }
        run *own = mark >= 0 ? &r->runs[r->run_of[mark]] : NULL;
        if (!own || !own->group || !take_together(r, own, own->count)) {
            take_step(r, s);
        }
        if (own) {
            ++own->count;
        }
    }
}

// ---- outputs -----------------------------------------------------------------------------------

// Whether an output is what one limb has of a term.
static bool is_part(const roller *r, const lb_graph_output *out, lb_term whole, int limb)
{
    if (!lb_is_node(out->term)) {
        return false;
    }
    const int i = lb_get_index(out->term);
    return is_there(r->whole[i]) && r->limb[i] == limb &&
           give_sign(r->whole[i], lb_is_negative(out->term)).bits == whole.bits;
}

// The entries of the other limbs, if they are evenly apart.
static int find_stride(const roller *r, int first, lb_term whole, int width, unsigned char *done)
{
    const lb_graph_output *outputs = r->old->outputs;
    const int count = r->old->output_count;
    int second = -1; // the entries that follow are likely near
    for (int k = 1; second < 0 && k < count; ++k) {
        const int i = (first + k) % count;
        if (!done[i] && outputs[i].array == outputs[first].array &&
            is_part(r, &outputs[i], whole, 1)) {
            second = i;
        }
    }
    // outputs are in the order of their entries
    const int step = second - first,
              stride = second < 0 ? 0 : outputs[second].entry - outputs[first].entry;
    bool even = second >= 0;
    for (int limb = 2; even && limb < width; ++limb) {
        const int i = first + limb * step;
        even = i >= 0 && i < count && !done[i] && outputs[i].array == outputs[first].array &&
               outputs[i].entry == outputs[first].entry + limb * stride &&
               is_part(r, &outputs[i], whole, limb);
    }
    for (int limb = 0; even && limb < width; ++limb) {
        done[first + limb * step] = 1;
    }
    return even ? stride : 0;
}

static void take_outputs(roller *r)
{
    unsigned char *done = r->done;
    const lb_graph *g = r->old;
    for (int i = 0; i < g->output_count; ++i) {
        const lb_graph_output *out = &g->outputs[i];
        const int n = lb_is_node(out->term) ? lb_get_index(out->term) : -1;
        if (n >= 0 && !done[i] && is_there(r->whole[n]) && r->limb[n] == 0) {
            const lb_term whole = give_sign(r->whole[n], lb_is_negative(out->term));
            const int group = r->made->nodes[lb_get_index(whole)].limb;
            const int stride = find_stride(r, i, whole, r->limbs->widths[group], done);
            if (stride) {
                lb_put_output(r->made, out->array, out->entry, whole);
            }
            if (stride && !r->made->out_of_memory) {
                r->made->outputs[r->made->output_count - 1].stride = stride;
            }
        }
    }
    for (int i = 0; i < g->output_count; ++i) {
        if (!done[i]) {
            lb_put_output(r->made, g->outputs[i].array, g->outputs[i].entry,
                          take_term(r, g->outputs[i].term));
        }
    }
}

// ---- all ---------------------------------------------------------------------------------------

static bool make_room(roller *r)
{
    const size_t n = (size_t)r->old->node_count + 1, s = (size_t)r->old->step_count + 1;
    const size_t runs = (size_t)r->old->mark_count + 1;
    r->tuple_capacity = 3 * (int)s;
    r->term_capacity = 3 * (int)s; // a tuple has a term for each of the steps that it stands for
    r->table_size = 256;
    while (r->table_size < 2 * r->tuple_capacity) {
        r->table_size *= 2;
    }
    const bool good =
        (r->scalar = lb_arena_take(&r->arena, n, sizeof *r->scalar)) &&
        (r->whole = lb_arena_take(&r->arena, n, sizeof *r->whole)) &&
        (r->limb = lb_arena_take(&r->arena, n, sizeof *r->limb)) &&
        (r->runs = lb_arena_take(&r->arena, runs, sizeof *r->runs)) &&
        (r->others = lb_arena_take(&r->arena, runs * LB_LANES_MOST, sizeof *r->others)) &&
        (r->run_of = lb_arena_take(&r->arena, runs, sizeof *r->run_of)) &&
        (r->order = lb_arena_take(&r->arena, s, sizeof *r->order)) &&
        (r->together = lb_arena_take(&r->arena, s, 1)) &&
        (r->tuples = lb_arena_take(&r->arena, 3 * s, sizeof *r->tuples)) &&
        (r->terms = lb_arena_take(&r->arena, 3 * s, sizeof *r->terms)) &&
        (r->done = lb_arena_take(&r->arena, (size_t)r->old->output_count + 1, 1)) &&
        (r->table = lb_arena_take(&r->arena, (size_t)r->table_size, sizeof *r->table));
    for (size_t i = 0; good && i < n; ++i) {
        r->scalar[i] = r->whole[i] = none;
    }
    return good;
}

lb_status lb_roll_graph(const lb_graph *graph, const lb_limbs *limbs, lb_graph *rolled,
                        bool *better)
{
    roller r = {.arena = lb_make_arena(NULL), .old = graph, .made = rolled, .limbs = limbs};
    lb_init_graph(rolled);
    rolled->widths = limbs->widths;
    *better = false;
    bool good = make_room(&r);
    if (good) {
        find_runs(&r);
        take_all(&r);
        take_outputs(&r);
        good = !rolled->out_of_memory &&
               (r.failed ||
                lb_sort_phases(rolled, limbs->first_pack < limbs->group_count ? 0 : INT_MAX));
    }
    if (good && !r.failed) {
        const long here = lb_count_statements(graph), there = lb_count_statements(rolled);
        good = here >= 0 && there >= 0;
        // 0.85: with less, what goes into vectors and back costs more than it saves
        *better = (double)there < 0.85 * (double)here;
    }
    lb_arena_free(&r.arena);
    return good ? LB_OK : LB_E_MEMORY;
}
