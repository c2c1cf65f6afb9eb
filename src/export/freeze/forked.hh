// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of recorded numbers. In sweeps each is a guard (lb_graph_guard): they compare only where one outcome is a
// failure. Forces, signals and laws choose by the state: lb_fork runs such a piece of code once for every way through
// its comparisons, and puts the results together with LB_OP_SELECT. Part of traced.hh.
#ifndef LB_FORKED_HH
#define LB_FORKED_HH

// The way through a piece of code.
struct way {
    enum { LENGTH_MOST = 200, RUNS_MOST = 20000 };
    lb_term conditions[LENGTH_MOST];
    bool outcomes[LENGTH_MOST];
    int count;   // met on this run
    int decided; // how many of them have an outcome that is set; further ones hold
    int runs;
    bool too_long;
};

static thread_local way *going;   // NULL in sweeps
static thread_local bool selects; // in laws the larger of two numbers is chosen at every call
enum { COUNT_MOST = 64 };         // numbers that one piece of code fills

// Whether a condition holds on this way: as it did before, or as its opposite did not.
static bool decide(lb_term condition)
{
    const lb_graph_node *c = &graph->nodes[lb_get_index(condition)];
    for (int i = 0; i < going->count; ++i) {
        const lb_graph_node *known = &graph->nodes[lb_get_index(going->conditions[i])];
        if (going->conditions[i].bits == condition.bits) {
            return going->outcomes[i];
        }
        if (known->a == c->b && known->b == c->a && going->outcomes[i]) {
            return false;
        }
    }
    if (going->count == way::LENGTH_MOST) {
        going->too_long = true;
        return true;
    }
    const int i = going->count++;
    going->conditions[i] = condition;
    going->outcomes[i] = i >= going->decided || going->outcomes[i];
    return going->outcomes[i];
}

static bool is_infinite(lb_term x)
{
    return !lb_is_node(x) && x.number - x.number != 0;
}

static bool compare(lb_term a, lb_term b, bool or_equal)
{
    const bool known = !lb_is_node(a) && !lb_is_node(b);
    if (known || is_infinite(a) || is_infinite(b)) {
        const double x = lb_is_node(a) ? 0 : a.number, y = lb_is_node(b) ? 0 : b.number;
        return or_equal ? x >= y : x > y;
    }
    if (!going) {
        return lb_put_comparison(graph, a, b, or_equal);
    }
    if (a.bits == b.bits) {
        return or_equal;
    }
    // a >= b unless b > a
    const lb_term condition =
        or_equal ? lb_put_condition(graph, b, a) : lb_put_condition(graph, a, b);
    return lb_is_node(condition) && decide(condition) != or_equal;
}

template <class Piece> static void go(const Piece &piece, way *w, int count, number *out)
{
    const int place = w->decided;
    w->count = 0;
    w->too_long = w->too_long || ++w->runs > way::RUNS_MOST;
    if (w->too_long) {
        return;
    }
    way *outer = going;
    going = w;
    piece(out);
    going = outer;
    if (w->count <= place) {
        return;
    }
    number yes[COUNT_MOST], no[COUNT_MOST];
    const lb_term condition = w->conditions[place];
    w->outcomes[place] = true;
    w->decided = place + 1;
    go(piece, w, count, yes);
    w->outcomes[place] = false;
    w->decided = place + 1;
    go(piece, w, count, no);
    for (int i = 0; i < count; ++i) {
        out[i] = lb_put_select(graph, condition, yes[i].term, no[i].term);
    }
}

/// Runs `piece`, which fills `count` numbers and changes nothing else.
///
/// @param count  at most COUNT_MOST
/// @return false if there are too many ways through it
template <class Piece> static bool lb_fork(const Piece &piece, int count, number *out)
{
    way w;
    w.decided = w.runs = 0;
    w.too_long = false;
    go(piece, &w, count, out);
    if (w.too_long && going) {
        going->too_long = true;
    }
    return !w.too_long;
}

// ---- functions of mathematics that compare, or that sweeps do not call --------------------------

static inline bool operator==(number a, number b)
{
    return a >= b && b >= a;
}

static inline number select(number a, number b, number yes, number no)
{
    if (!lb_is_node(a.term) && !lb_is_node(b.term)) {
        return a.term.number > b.term.number ? yes : no;
    }
    if (is_infinite(a.term) || is_infinite(b.term)) {
        return compare(a.term, b.term, false) ? yes : no;
    }
    return lb_put_select(graph, lb_put_condition(graph, a.term, b.term), yes.term, no.term);
}

static inline number fmax(number x, number y)
{
    const bool known = is_infinite(x.term) || is_infinite(y.term);
    return going || selects || known ? select(x, y, x, y)
                                     : number(lb_put_larger(graph, x.term, y.term));
}

static inline number fmin(number x, number y)
{
    return select(x, y, y, x);
}

static inline number copysign(number x, number y)
{
    const number size = fabs(x);
    return select(0, y, -size, size);
}

// inputs are finite, and so is what the engine computes from them unless it fails
static inline bool isfinite(number x)
{
    return lb_is_node(x.term) || x.term.number - x.term.number == 0;
}

static inline bool isinf(number x)
{
    return is_infinite(x.term) && x.term.number == x.term.number;
}

static inline bool isnan(number x)
{
    return !lb_is_node(x.term) && x.term.number != x.term.number;
}

static inline bool isunordered(number x, number y)
{
    return isnan(x) || isnan(y);
}

static inline number call(lb_math_call function, number x, number y = 0)
{
    return lb_put_call(graph, function, x.term, y.term);
}

#define LB_TRACED_CALL(name, function)                                                             \
    static inline number name(number x)                                                            \
    {                                                                                              \
        return call(function, x);                                                                  \
    }
LB_TRACED_CALL(exp, LB_CALL_EXP)
LB_TRACED_CALL(log, LB_CALL_LOG)
LB_TRACED_CALL(tan, LB_CALL_TAN)
LB_TRACED_CALL(asin, LB_CALL_ASIN)
LB_TRACED_CALL(acos, LB_CALL_ACOS)
LB_TRACED_CALL(atan, LB_CALL_ATAN)
LB_TRACED_CALL(sinh, LB_CALL_SINH)
LB_TRACED_CALL(cosh, LB_CALL_COSH)
LB_TRACED_CALL(tanh, LB_CALL_TANH)
LB_TRACED_CALL(floor, LB_CALL_FLOOR)
LB_TRACED_CALL(nearbyint, LB_CALL_NEARBYINT)
#undef LB_TRACED_CALL

static inline number ceil(number x)
{
    return -floor(-x);
}

static inline number pow(number x, number y)
{
    // small powers as products: the engine's pow and these differ in the last digit
    for (int n = 1; !lb_is_node(y.term) && n <= 3; ++n) {
        if (y.term.number == n) {
            return n == 1 ? x : n == 2 ? x * x : x * x * x;
        }
    }
    return call(LB_CALL_POW, x, y);
}

static inline number atan2(number y, number x)
{
    return call(LB_CALL_ATAN2, y, x);
}

static inline number hypot(number x, number y)
{
    return call(LB_CALL_HYPOT, x, y);
}

#endif // LB_FORKED_HH
