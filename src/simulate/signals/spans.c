// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Interval arithmetic on values and rates.                                                        (JMP-1)
//
// Every operation widens what it gives by a few units of round-off, so that nothing is lost by rounding.
#include "spans.h"

#include <float.h>
#include <math.h>

#include "signals.h"
#include "slopes.h"

typedef struct range {
    double low, high;
} range;

static const double pi = 3.14159265358979323846;

// ---- ranges --------------------------------------------------------------------------------------

// Zero stays zero: products have it from a factor that is zero, sums where they are exact.
static range widen(double low, double high)
{
    static const double unit = 4.0 * DBL_EPSILON;
    if (isnan(low) || isnan(high)) {
        return (range){-INFINITY, INFINITY};
    }
    // what is exactly one whole number stays it, such as an exponent
    if (low == high && floor(low) == low) {
        return (range){low, high};
    }
    return (range){isinf(low) ? low : low - unit * fabs(low),
                   isinf(high) ? high : high + unit * fabs(high)};
}

static const range all = {-INFINITY, INFINITY};

static range add(range x, range y)
{
    return widen(x.low + y.low, x.high + y.high);
}

static range negate(range x)
{
    return (range){-x.high, -x.low};
}

static range subtract(range x, range y)
{
    return add(x, negate(y));
}

// Zero times what may be infinite is zero: the infinite end is not reached.
static double times(double x, double y)
{
    return x == 0.0 || y == 0.0 ? 0.0 : x * y;
}

static range multiply(range x, range y)
{
    const double a = times(x.low, y.low), b = times(x.low, y.high);
    const double c = times(x.high, y.low), d = times(x.high, y.high);
    return widen(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static range invert(range x)
{
    if (x.low > 0.0 || x.high < 0.0) {
        return widen(1.0 / x.high, 1.0 / x.low);
    }
    return all;
}

static bool is_all(range x)
{
    return x.low == -INFINITY && x.high == INFINITY;
}

static bool is_point(range x)
{
    return x.low == x.high;
}

static range join(range x, range y)
{
    return (range){fmin(x.low, y.low), fmax(x.high, y.high)};
}

static range square(range x)
{
    const double a = x.low * x.low, b = x.high * x.high;
    const double low = x.low <= 0.0 && x.high >= 0.0 ? 0.0 : fmin(a, b);
    const range r = widen(low, fmax(a, b));
    return (range){fmax(r.low, 0.0), r.high};
}

// A function that rises.
static range map(double (*f)(double), range x)
{
    return widen(f(x.low), f(x.high));
}

// sin over a range: 1 or -1 wherever a crest or a trough is in it.
static range sine(range x)
{
    // large arguments carry their own round-off
    if (!(x.high - x.low < 2.0 * pi) || fabs(x.low) > 1e9) {
        return (range){-1.0, 1.0};
    }
    const double a = sin(x.low), b = sin(x.high), slack = 1e-6;
    const double crest =
        (floor((x.low - 0.5 * pi) / (2.0 * pi) - slack) + 1.0) * 2.0 * pi + 0.5 * pi;
    const double trough =
        (floor((x.low + 0.5 * pi) / (2.0 * pi) - slack) + 1.0) * 2.0 * pi - 0.5 * pi;
    // an end near a crest counts as the crest only if that is in the range, but for round-off
    const double round_off = 1e-14 * fmax(1.0, fabs(x.high));
    const bool has_crest = (crest >= x.low - round_off && crest <= x.high + round_off) ||
                           crest + 2.0 * pi <= x.high + round_off;
    const bool has_trough = (trough >= x.low - round_off && trough <= x.high + round_off) ||
                            trough + 2.0 * pi <= x.high + round_off;
    const range r = widen(fmin(a, b), fmax(a, b));
    return (range){has_trough ? -1.0 : fmax(r.low, -1.0), has_crest ? 1.0 : fmin(r.high, 1.0)};
}

static range cosine(range x)
{
    return sine((range){x.low + 0.5 * pi, x.high + 0.5 * pi});
}

static range root(range x)
{
    return widen(sqrt(fmax(x.low, 0.0)), sqrt(fmax(x.high, 0.0)));
}

static range limit(range x, double low, double high)
{
    return (range){fmin(fmax(x.low, low), high), fmin(fmax(x.high, low), high)};
}

static range raise(range x, double n)
{
    if (n == floor(n) && fabs(n) < 1e6) {
        const bool is_even = floor(0.5 * n) == 0.5 * n;
        if (n < 0.0) {
            return invert(raise(x, -n));
        }
        if (is_even) {
            const double a = pow(x.low, n), b = pow(x.high, n);
            const range r = widen(x.low <= 0.0 && x.high >= 0.0 ? 0.0 : fmin(a, b), fmax(a, b));
            return (range){n > 0.0 ? fmax(r.low, 0.0) : r.low, r.high};
        }
        return widen(pow(x.low, n), pow(x.high, n));
    }
    const range from = {fmax(x.low, 0.0), fmax(x.high, 0.0)};
    const range r = n > 0.0 ? widen(pow(from.low, n), pow(from.high, n))
                            : widen(pow(from.high, n), pow(from.low, n));
    return (range){fmax(r.low, 0.0), r.high};
}

// ---- values with rates ---------------------------------------------------------------------------

static range get_value(lb_span x)
{
    return (range){x.low, x.high};
}

static range get_rate(lb_span x)
{
    return (range){x.rate_low, x.rate_high};
}

static lb_span make(range value, range rate)
{
    return (lb_span){value.low, value.high, rate.low, rate.high};
}

static lb_span make_number(double x)
{
    return (lb_span){x, x, 0.0, 0.0};
}

// f(x) with f' over the range of x.
static lb_span chain(range value, range slope, lb_span x)
{
    const range rate = get_rate(x);
    return make(value, is_point(rate) && rate.low == 0.0 ? rate : multiply(slope, rate));
}

lb_span lb_subtract_spans(lb_span x, lb_span y)
{
    return make(subtract(get_value(x), get_value(y)), subtract(get_rate(x), get_rate(y)));
}

static lb_span multiply_spans(lb_span x, lb_span y)
{
    const range a = get_value(x), b = get_value(y);
    return make(multiply(a, b), add(multiply(get_rate(x), b), multiply(a, get_rate(y))));
}

lb_span lb_divide_spans(lb_span x, lb_span y)
{
    const range b = get_value(y), inverse = invert(b);
    if (is_all(inverse)) {
        return make(all, all);
    }
    const range value = is_point(b) ? widen(fmin(x.low / b.low, x.high / b.low),
                                            fmax(x.low / b.low, x.high / b.low))
                                    : multiply(get_value(x), inverse);
    return make(value, multiply(subtract(get_rate(x), multiply(value, get_rate(y))), inverse));
}

static lb_span raise_span(lb_span x, lb_span y)
{
    const range a = get_value(x), n = get_value(y);
    if (is_point(n) && y.rate_low == 0.0 && y.rate_high == 0.0) {
        const double slope = n.low;
        return n.low == 0.0 ? make_number(1.0)
                            : chain(raise(a, n.low),
                                    multiply((range){slope, slope}, raise(a, n.low - 1.0)), x);
    }
    if (!(a.low > 0.0)) {
        return make(all, all);
    }
    // exp(y log x)
    const range log_a = map(log, a), value = map(exp, multiply(n, log_a));
    const range slope =
        add(multiply(get_rate(y), log_a), multiply(multiply(n, invert(a)), get_rate(x)));
    return make(value, multiply(value, slope));
}

// The tangent between two of its poles.
static lb_span tangent(lb_span x)
{
    const double branch = floor(x.low / pi + 0.5);
    if (!(fabs(x.low) < 1e9) || floor(x.high / pi + 0.5) != branch) {
        return make(all, all);
    }
    const range value = map(tan, get_value(x));
    // round-off beside a pole
    if (value.low > value.high) {
        return make(all, all);
    }
    return chain(value, add((range){1.0, 1.0}, square(value)), x);
}

static double get_arc_slope(double x)
{
    return 1.0 / sqrt(fmax(0.0, (1.0 - x) * (1.0 + x)));
}

static lb_span arc(lb_span x, bool is_cosine)
{
    const range a = limit(get_value(x), -1.0, 1.0);
    const double at_ends = fmax(get_arc_slope(a.low), get_arc_slope(a.high));
    const double least =
        a.low <= 0.0 && a.high >= 0.0 ? 1.0 : fmin(get_arc_slope(a.low), get_arc_slope(a.high));
    const range slope = widen(least, at_ends), value = map(asin, a);
    return is_cosine ? chain(subtract((range){0.5 * pi, 0.5 * pi}, value), negate(slope), x)
                     : chain(value, slope, x);
}

static lb_span apply_function(lb_term_op op, lb_span x)
{
    static const range one = {1.0, 1.0};
    const range a = get_value(x);
    switch (op) {
    case LB_TERM_NEGATE:
        return make(negate(a), negate(get_rate(x)));
    case LB_TERM_SIN:
        return chain(sine(a), cosine(a), x);
    case LB_TERM_COS:
        return chain(cosine(a), negate(sine(a)), x);
    case LB_TERM_TAN:
        return tangent(x);
    case LB_TERM_ASIN:
    case LB_TERM_ACOS:
        return arc(x, op == LB_TERM_ACOS);
    case LB_TERM_ATAN:
        return chain(map(atan, a), invert(add(one, square(a))), x);
    case LB_TERM_SINH:
    case LB_TERM_COSH: {
        const double low = cosh(a.low), high = cosh(a.high);
        const range even =
            widen(a.low <= 0.0 && a.high >= 0.0 ? 1.0 : fmin(low, high), fmax(low, high));
        const range odd = map(sinh, a);
        return op == LB_TERM_SINH ? chain(odd, even, x) : chain(even, odd, x);
    }
    case LB_TERM_TANH: {
        const double low = cosh(a.low), high = cosh(a.high);
        const range even =
            widen(a.low <= 0.0 && a.high >= 0.0 ? 1.0 : fmin(low, high), fmax(low, high));
        return chain(map(tanh, a), invert(square(even)), x);
    }
    case LB_TERM_EXP: {
        const range value = map(exp, a);
        return chain(value, value, x);
    }
    case LB_TERM_LOG:
        return a.low > 0.0 ? chain(map(log, a), invert(a), x) : make(all, all);
    case LB_TERM_SQRT: {
        const range value = root(a);
        const range slope = value.low > 0.0 ? multiply((range){0.5, 0.5}, invert(value)) : all;
        return chain(value, slope, x);
    }
    default:
        return make(all, all);
    }
}

// ---- operations with sides -----------------------------------------------------------------------

// Two sides of which it is not known which holds: the value may jump from one to the other, or not.
static lb_span choose(lb_span x, lb_span y, bool jumps)
{
    return make(join(get_value(x), get_value(y)), jumps ? all : join(get_rate(x), get_rate(y)));
}

// -1: below for certain, 1: not below, 0: not known.
static int compare(lb_span x, lb_span y, bool or_equal)
{
    const bool is_less = or_equal ? x.high <= y.low : x.high < y.low;
    const bool is_not = or_equal ? x.low > y.high : x.low >= y.high;
    return is_less ? -1 : is_not ? 1 : 0;
}

static lb_span apply_comparison(lb_term_op op, const lb_span *x)
{
    const int known = compare(x[0], x[1], op == LB_TERM_LESS_EQUAL);
    return known ? make_number(known < 0) : choose(make_number(0.0), make_number(1.0), true);
}

static lb_span apply_least(lb_span x, lb_span y)
{
    const int known = compare(x, y, false);
    lb_span both = choose(x, y, false);
    both.high = fmin(x.high, y.high);
    return known < 0 ? x : known > 0 ? y : both;
}

static lb_span apply_most(lb_span x, lb_span y)
{
    const int known = compare(x, y, false);
    lb_span both = choose(x, y, false);
    both.low = fmax(x.low, y.low);
    return known < 0 ? y : known > 0 ? x : both;
}

static lb_span apply_sign(lb_term_op op, lb_span x)
{
    const lb_span minus = op == LB_TERM_SIGN ? make_number(-1.0) : make_number(0.0);
    const lb_span plus = make_number(1.0);
    return x.low > 0.0 || (op == LB_TERM_STEP && x.low >= 0.0) ? plus
           : x.high < 0.0                                      ? minus
           : x.low == 0.0 && x.high == 0.0                     ? make_number(op == LB_TERM_STEP)
                                                               : choose(minus, plus, true);
}

static lb_span apply_whole(lb_term_op op, const lb_span *x)
{
    const lb_span turns = op == LB_TERM_MOD ? lb_divide_spans(x[0], x[1]) : x[0];
    const double low = floor(turns.low), high = floor(turns.high);
    if (op == LB_TERM_FLOOR) {
        return low == high ? make_number(low) : make((range){low, high}, all);
    }
    if (low == high && isfinite(low)) {
        return lb_subtract_spans(x[0], multiply_spans(x[1], make_number(low)));
    }
    return make((range){fmin(x[1].low, 0.0), fmax(x[1].high, 0.0)}, all);
}

static lb_span apply_arc2(const lb_span *x)
{
    const lb_span y = x[0], across = x[1];
    const range a = get_value(y), b = get_value(across);
    const range r2 = add(square(a), square(b));
    if (!(r2.low > 0.0) || !(b.low > 0.0 || a.low > 0.0 || a.high < 0.0)) {
        return make(widen(-pi, pi), all);
    }
    const double c[] = {atan2(a.low, b.low), atan2(a.low, b.high), atan2(a.high, b.low),
                        atan2(a.high, b.high)};
    const range value =
        widen(fmin(fmin(c[0], c[1]), fmin(c[2], c[3])), fmax(fmax(c[0], c[1]), fmax(c[2], c[3])));
    const range top = subtract(multiply(b, get_rate(y)), multiply(a, get_rate(across)));
    return make(value, multiply(top, invert(r2)));
}

static lb_span apply(lb_term_op op, const lb_span *x)
{
    switch (op) {
    case LB_TERM_ADD:
        return make(add(get_value(x[0]), get_value(x[1])), add(get_rate(x[0]), get_rate(x[1])));
    case LB_TERM_SUBTRACT:
        return lb_subtract_spans(x[0], x[1]);
    case LB_TERM_MULTIPLY:
        return multiply_spans(x[0], x[1]);
    case LB_TERM_DIVIDE:
        return lb_divide_spans(x[0], x[1]);
    case LB_TERM_POWER:
        return raise_span(x[0], x[1]);
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
        return apply_comparison(op, x);
    case LB_TERM_MIN:
        return apply_least(x[0], x[1]);
    case LB_TERM_MAX:
        return apply_most(x[0], x[1]);
    case LB_TERM_CLAMP:
        return apply_least(apply_most(x[0], x[1]), x[2]);
    case LB_TERM_ABS:
        return apply_most(x[0], apply_function(LB_TERM_NEGATE, x[0]));
    case LB_TERM_SIGN:
    case LB_TERM_STEP:
        return apply_sign(op, x[0]);
    case LB_TERM_IF:
        return x[0].low > 0.0 ? x[1] : x[0].high <= 0.0 ? x[2] : choose(x[1], x[2], true);
    case LB_TERM_FLOOR:
    case LB_TERM_MOD:
        return apply_whole(op, x);
    case LB_TERM_ATAN2:
        return apply_arc2(x);
    case LB_TERM_HYPOT: {
        const range r = root(add(square(get_value(x[0])), square(get_value(x[1]))));
        const range top = add(multiply(get_value(x[0]), get_rate(x[0])),
                              multiply(get_value(x[1]), get_rate(x[1])));
        return make(r, r.low > 0.0 ? multiply(top, invert(r)) : all);
    }
    default:
        return apply_function(op, x[0]);
    }
}

static lb_span read_signal(const lb_signal *signal, double begin, double end)
{
    if (signal->kind == LB_SIGNAL_T) {
        return (lb_span){begin, end, 1.0, 1.0};
    }
    const lb_expression *named = signal->kind == LB_SIGNAL_NAMED
                                     ? lb_get_named_expression(signal->named, signal->index)
                                     : NULL;
    return named ? lb_span_part(named, 0, named->count, begin, end) : make(all, all);
}

// Instructions of a program; what they leave on the stack.
static void execute(const lb_expression *e, int first, int last, double begin, double end,
                    lb_span *stack)
{
    lb_span *top = stack;
    for (int i = first; i < last; ++i) {
        const lb_instruction *instruction = &e->program[i];
        if (instruction->op == LB_TERM_NUMBER) {
            *top++ = make_number(instruction->number);
        } else if (instruction->op == LB_TERM_LEAF) {
            *top++ = read_signal(&e->signals[instruction->signal], begin, end);
        } else {
            top -= lb_get_operand_count(instruction->op);
            *top = apply(instruction->op, top);
            ++top;
        }
    }
}

void lb_span_operands(const lb_expression *e, const lb_switch *s, double begin, double end,
                      lb_span x[3])
{
    lb_span stack[LB_MOST_STACKED + 1];
    execute(e, s->start, s->at, begin, end, stack);
    for (int i = 0; i < lb_get_operand_count(e->program[s->at].op); ++i) {
        x[i] = stack[i];
    }
}

lb_span lb_span_part(const lb_expression *e, int first, int last, double begin, double end)
{
    lb_span stack[LB_MOST_STACKED + 1];
    execute(e, first, last, begin, end, stack);
    return stack[0];
}
