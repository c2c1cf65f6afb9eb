// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Times at which functions of time jump or have kinks, found before a run comes to them; and periods of functions.
#include <float.h>
#include <math.h>

#include "functions.h"
#include "slopes.h"
#include "spans.h"
#include "switches.h"

// A switch of time alone; or a whole expression that comes to a value, as if it were compared with it.
typedef struct probe {
    const lb_expression *expression;
    lb_switch place;
    lb_term_op op;
    bool is_whole;
    double value;
} probe;

// ---- at one time ---------------------------------------------------------------------------------

static void evaluate(const probe *p, double t, double x[3])
{
    const lb_instant instant = lb_make_instant(NULL, NULL, t, NULL, NULL, NULL);
    x[0] = x[1] = x[2] = 0.0;
    const lb_status status = p->is_whole
                                 ? lb_evaluate_expression(p->expression, &instant, x)
                                 : lb_evaluate_operands(p->expression, &p->place, &instant, x);
    // of time alone, without functions of the caller: what fails is not a number
    x[0] = status == LB_OK ? x[0] : NAN;
    x[1] = p->is_whole ? p->value : x[1];
}

static int find_side(const probe *p, double t)
{
    double x[3];
    evaluate(p, t, x);
    return lb_find_side(p->op, x);
}

// ---- between two times ---------------------------------------------------------------------------

typedef enum verdict {
    UNKNOWN,
    SINGLE, ///< at most one switch is between them
    NONE
} verdict;

static bool has_sign(lb_span x)
{
    return x.low > 0.0 || x.high < 0.0 || (x.low == 0.0 && x.high == 0.0);
}

static verdict judge_sign(lb_span x)
{
    return has_sign(x) ? NONE : x.rate_low >= 0.0 || x.rate_high <= 0.0 ? SINGLE : UNKNOWN;
}

// One of two that must not both change.
static verdict judge_both(verdict a, verdict b)
{
    return a == NONE ? b : b == NONE ? a : UNKNOWN;
}

static verdict judge_whole(lb_span x)
{
    const double low = floor(x.low), high = floor(x.high);
    return low == high                                                      ? NONE
           : high - low == 1.0 && (x.rate_low >= 0.0 || x.rate_high <= 0.0) ? SINGLE
                                                                            : UNKNOWN;
}

static verdict judge(const probe *p, double begin, double end)
{
    lb_span x[3] = {{0}};
    if (p->is_whole) {
        x[0] = lb_span_part(p->expression, 0, p->expression->count, begin, end);
        x[1] = (lb_span){p->value, p->value, 0.0, 0.0};
    } else {
        lb_span_operands(p->expression, &p->place, begin, end, x);
    }
    switch (p->op) {
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
    case LB_TERM_MIN:
    case LB_TERM_MAX:
        return judge_sign(lb_subtract_spans(x[0], x[1]));
    case LB_TERM_CLAMP:
        return judge_both(judge_sign(lb_subtract_spans(x[0], x[1])),
                          judge_sign(lb_subtract_spans(x[0], x[2])));
    case LB_TERM_FLOOR:
        return judge_whole(x[0]);
    case LB_TERM_MOD:
        return judge_whole(lb_divide_spans(x[0], x[1]));
    case LB_TERM_ATAN2:
        return x[1].low >= 0.0 ? NONE : judge_both(judge_sign(x[0]), judge_sign(x[1]));
    default:
        return judge_sign(x[0]);
    }
}

// ---- the next one --------------------------------------------------------------------------------

// Where the side changes, to the last bit: the first time behind it, or the last before it if the operands meet
// there.
static double narrow(const probe *p, int side, double before, double behind)
{
    for (;;) {
        const double middle = before + 0.5 * (behind - before);
        if (!(middle > before && middle < behind)) {
            break;
        }
        *(find_side(p, middle) == side ? &before : &behind) = middle;
    }
    double x[3];
    evaluate(p, before, x);
    return lb_get_side_level(p->op, side, x) == 0.0 ? before : behind;
}

// The next time at which a side changes                                                  (JMP-1)
//
//     [a, b] has no switch if 0 is not in G([a, b]), and at most one if 0 is not in G'([a, b])
//
// given     G, G' ranges of how far the operands are from the switch, and of its rate, by interval arithmetic
// computes  the first switch after t, in pieces that double where nothing is in them and shrink where that is not
//           known, down to round-off. Where operands stay within round-off of the switch, pieces of that length say
//           nothing for good: they grow again, and a switch is one that differs from end to end.
static double search(const probe *p, double t)
{
    enum { MOST = 20000, PATIENCE = 8 };
    const double far = 1e9 * (1.0 + fabs(t)), finest = 1e-18;
    const double next = nextafter(t, INFINITY);
    double at = find_side(p, next) != find_side(p, t) ? next : t;
    const int side = find_side(p, at);
    double h = fmax(fabs(t), 1e-3), least = fmax(finest, 4.0 * DBL_EPSILON * fabs(t));
    int undecided = 0;
    for (int i = 0; i < MOST && at < far; ++i) {
        const double end = at + h;
        const verdict found = judge(p, at, end);
        if (found == UNKNOWN && h > least) {
            h = fmax(0.25 * h, least);
            continue;
        }
        if (found != NONE && find_side(p, end) != side) {
            const double time = narrow(p, side, at, end);
            return time > t ? time : nextafter(t, INFINITY);
        }
        at = end;
        if (found != UNKNOWN) {
            undecided = 0;
            h *= 2.0;
            least = fmax(finest, 4.0 * DBL_EPSILON * fabs(at));
        } else if (++undecided % PATIENCE == 0) {
            least *= 2.0;
            h = least;
        }
    }
    return at < far ? at : INFINITY;
}

// ---- expressions ---------------------------------------------------------------------------------

// Functions of the caller are not called for times that are still to come.
static bool calls_back(const lb_expression *e, int first, int last)
{
    for (int i = first; i < last; ++i) {
        const lb_instruction *instruction = &e->program[i];
        if (instruction->op != LB_TERM_LEAF ||
            e->signals[instruction->signal].kind == LB_SIGNAL_T) {
            continue;
        }
        const lb_expression *named = lb_get_signal_expression(&e->signals[instruction->signal]);
        if (!named || calls_back(named, 0, named->count)) {
            return true;
        }
    }
    return false;
}

static probe make_probe(const lb_expression *e, const lb_switch *s)
{
    return (probe){.expression = e, .place = *s, .op = e->program[s->at].op};
}

static double find_switch(const lb_expression *e, lb_switch *s, double t)
{
    if (s->stage != LB_SIGNAL_TIME) {
        return INFINITY;
    }
    if (!(s->from <= t && t < s->next)) {
        const probe p = make_probe(e, s);
        s->from = t;
        s->next = calls_back(e, s->start, s->at) ? INFINITY : search(&p, t);
    }
    return s->next;
}

double lb_find_expression_break(const lb_expression *e, double t)
{
    double first = INFINITY;
    for (int i = 0; i < e->switch_count; ++i) {
        first = fmin(first, find_switch(e, &e->switches[i], t));
    }
    for (int i = 0; i < e->signal_count; ++i) {
        const lb_expression *named = lb_get_signal_expression(&e->signals[i]);
        first = named ? fmin(first, lb_find_expression_break(named, t)) : first;
    }
    return first;
}

bool lb_passes_expression(const lb_expression *e, double t)
{
    for (int i = 0; i < e->switch_count; ++i) {
        const probe p = make_probe(e, &e->switches[i]);
        if (e->switches[i].stage == LB_SIGNAL_TIME && !calls_back(e, p.place.start, p.place.at) &&
            find_side(&p, t) != find_side(&p, nextafter(t, INFINITY))) {
            return true;
        }
    }
    for (int i = 0; i < e->signal_count; ++i) {
        const lb_expression *named = lb_get_signal_expression(&e->signals[i]);
        if (named && lb_passes_expression(named, t)) {
            return true;
        }
    }
    return false;
}

bool lb_is_expression_of_time(const lb_expression *e)
{
    return e->stage == LB_SIGNAL_TIME && !calls_back(e, 0, e->count);
}

static probe make_whole(const lb_expression *e, double value)
{
    return (probe){.expression = e, .op = LB_TERM_LESS, .is_whole = true, .value = value};
}

double lb_find_expression_crossing(const lb_expression *e, double value, double t, bool *is_rising)
{
    enum { MOST = 50 };
    const probe p = make_whole(e, value);
    const int side = find_side(&p, nextafter(t, INFINITY));
    *is_rising = side == 1;
    for (int i = 0; i < MOST && t < INFINITY; ++i) {
        t = search(&p, t);
        if (t < INFINITY && find_side(&p, nextafter(t, INFINITY)) != side) {
            return t;
        }
    }
    return INFINITY;
}

bool lb_meets_value(const lb_expression *e, double value, double t, bool *is_rising)
{
    const probe p = make_whole(e, value);
    const int before = find_side(&p, nextafter(t, -INFINITY));
    *is_rising = before == 1;
    return find_side(&p, nextafter(t, INFINITY)) != before;
}

// ---- narrow features -----------------------------------------------------------------------------

// Whether a part is nearly straight between two times: off its chord by no more than a hundredth of its size.
static bool is_straight(const lb_expression *e, const lb_time_part *part, double begin, double end,
                        double size)
{
    const lb_span f = lb_span_part(e, part->start, part->end, begin, end);
    return (f.rate_high - f.rate_low) * (end - begin) <= 0.04 * size;
}

// Where a narrow feature begins, and its pieces                                          (JMP-3)
//
//     |f - chord| <= (max f' - min f') h / 4 <= |f|_max / 100  in every piece
//
// given     ranges of f' by interval arithmetic, pieces as in `search`
// computes  the next end of a piece that is far shorter than those before it. What goes on for long with short pieces
//           is no feature any more, since an integrator has seen it. Where ranges say nothing, pieces grow again.
static double find_feature(const lb_expression *e, lb_time_part *part, double t, double horizon)
{
    enum { MOST = 20000, PATIENCE = 8 };
    static const double narrow = 1.0 / 16.0, first = 1e-3, fading = 0.9;
    // between jumps, whose places ranges know but for round-off
    const double margin = 1e-13 * fabs(horizon);
    const double begin = t + margin, end = horizon - margin;
    const lb_span whole = lb_span_part(e, part->start, part->end, begin, end);
    const double size = fmax(part->size, fmax(fabs(whole.low), fabs(whole.high)));
    const double finest = fmax(1e-13 * (end - begin), 8.0 * DBL_EPSILON * fabs(horizon));
    double at = begin, h = part->length > 0.0 ? 2.0 * part->length : end - begin, least = finest;
    int undecided = 0;
    if (!isfinite(size) || !(size > 0.0)) {
        return horizon;
    }
    part->size = size;
    if (!(part->longest > 0.0)) {
        part->longest = first * (end - begin); // an integrator that starts has seen nothing
    }
    for (int i = 0; i < MOST && at < end; ++i) {
        h = fmin(h, end - at);
        if (h > least && !is_straight(e, part, at, at + h, size)) {
            h = fmax(0.25 * h, least);
            continue;
        }
        const bool is_known = h > least;
        at += h;
        if (is_known) {
            part->length = h;
            part->longest = fmax(h, fading * part->longest);
            least = finest;
            undecided = 0;
        } else if (++undecided % PATIENCE == 0) {
            least *= 2.0;
        }
        if (is_known && h < narrow * part->longest && at < end) {
            return at;
        }
        h *= 2.0;
    }
    return at < end ? at : horizon;
}

double lb_find_expression_feature(const lb_expression *e, double t, double horizon)
{
    double first = INFINITY;
    for (int i = 0; i < e->part_count && t < horizon; ++i) {
        lb_time_part *part = &e->parts[i];
        if (!(part->from <= t && t < part->next)) {
            // where it was left is where it goes on
            const bool goes_on = part->from <= t && t == part->next;
            const double end = fmin(horizon, lb_find_expression_break(e, t));
            part->length = goes_on ? part->length : 0.0;
            part->longest = goes_on ? part->longest : 0.0;
            part->from = t;
            part->next =
                calls_back(e, part->start, part->end) ? end : find_feature(e, part, t, end);
        }
        first = fmin(first, part->next);
    }
    for (int i = 0; i < e->signal_count; ++i) {
        const lb_expression *named = lb_get_signal_expression(&e->signals[i]);
        first = named ? fmin(first, lb_find_expression_feature(named, t, horizon)) : first;
    }
    return first;
}

// ---- functions -----------------------------------------------------------------------------------

static double find_pulse_break(const lb_function *f, double t)
{
    const double edges[4] = {0.0, f->rise, f->width - f->rise, f->width};
    const double turn = lb_find_pulse_turn(f, t);
    double first = INFINITY;
    for (int k = 0; k < (f->period > 0 ? 2 : 1); ++k) {
        for (int i = 0; i < 4; ++i) {
            const double edge = f->start + (turn + k) * f->period + edges[i];
            if (edge > t && edge < first) {
                first = edge;
            }
        }
    }
    return first;
}

// The first start of a piece after t, the end of the last included.
static double find_piece_break(const lb_function *f, double t)
{
    int low = -1, high = f->piece_count + 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(f->starts[middle] > t ? &high : &low) = middle;
    }
    return high <= f->piece_count ? f->starts[high] : INFINITY;
}

double lb_find_function_break(const lb_function *f, double t)
{
    double first = INFINITY;
    switch (f->type) {
    case LB_FUNCTION_PULSE:
        return find_pulse_break(f, t);
    case LB_FUNCTION_PIECES:
        return find_piece_break(f, t);
    case LB_FUNCTION_EXPRESSION:
        for (int i = 0; i < 3 && f->expressions[i]; ++i) {
            first = fmin(first, lb_find_expression_break(f->expressions[i], t));
        }
        return first;
    default:
        return first;
    }
}

bool lb_passes_break(const lb_function *f, double t)
{
    for (int i = 0; f->type == LB_FUNCTION_EXPRESSION && i < 3 && f->expressions[i]; ++i) {
        if (lb_passes_expression(f->expressions[i], t)) {
            return true;
        }
    }
    return false;
}

double lb_find_function_feature(const lb_function *f, double t, double horizon)
{
    double first = INFINITY;
    for (int i = 0; f->type == LB_FUNCTION_EXPRESSION && i < 3 && f->expressions[i]; ++i) {
        first = fmin(first, lb_find_expression_feature(f->expressions[i], t, horizon));
    }
    return first;
}

// The largest rate, or rate of that, between t/2 and 2t: what round-off is compared with.
static double find_size_around(const lb_function *f, double t, int order)
{
    double size = 0.0;
    for (int i = 1; i < 20; ++i) {
        double ahead[3], back[3];
        lb_evaluate_motion(f, t + ldexp(t, -i), ahead);
        lb_evaluate_motion(f, t - ldexp(t, -i), back);
        size = fmax(size, fmax(fabs(ahead[order]), fabs(back[order])));
    }
    return isfinite(size) ? size : 0.0;
}

bool lb_is_rough_at(const lb_function *f, double t, int smoothness)
{
    if (f->type != LB_FUNCTION_EXPRESSION || !f->expressions[2]) {
        return false; // others are looked at when they are made
    }
    const double round_off = 1e-12; // of a polynomial whose terms cancel where it ends
    double left[3], right[3];
    const double before = nextafter(t, -INFINITY), behind = nextafter(t, INFINITY);
    lb_evaluate_motion(f, before, left);
    lb_evaluate_motion(f, behind, right);
    for (int i = 0; i <= smoothness && i < 2; ++i) {
        // 1e-6: as tables are judged; and what a steep function does between two times
        const double size = fmax(fabs(left[i]), fabs(right[i]));
        const double slope = fmax(fabs(left[i + 1]), fabs(right[i + 1]));
        const double jump = fabs(right[i] - left[i]);
        if (jump > 1e-6 * size + 2.0 * (behind - before) * slope &&
            jump > round_off * find_size_around(f, t, i)) {
            return true;
        }
    }
    return false;
}

// ---- how functions depend on time ----------------------------------------------------------------

static const double two_pi = 6.283185307179586;

// A number on the stack: slope t + value, or something else.
typedef struct slot {
    bool is_linear;
    double slope, value;
} slot;

static bool is_constant(const slot *x)
{
    return x->is_linear && x->slope == 0.0;
}

// Sums and multiples of linear functions of t; their sines and remainders repeat themselves.
static slot apply(lb_term_op op, int count, const slot *x, lb_note_period note, void *user)
{
    double values[3] = {0};
    bool constant = true;
    for (int i = 0; i < count; ++i) {
        constant = constant && is_constant(&x[i]);
        values[i] = x[i].value;
    }
    if (constant) {
        return (slot){true, 0.0, lb_apply_term(op, values)};
    }
    const bool both = x[0].is_linear && (count < 2 || x[1].is_linear);
    switch (op) {
    case LB_TERM_NEGATE:
        return (slot){both, -x[0].slope, -x[0].value};
    case LB_TERM_ADD:
        return (slot){both, x[0].slope + x[1].slope, x[0].value + x[1].value};
    case LB_TERM_SUBTRACT:
        return (slot){both, x[0].slope - x[1].slope, x[0].value - x[1].value};
    case LB_TERM_MULTIPLY: {
        const bool first = is_constant(&x[0]), one = first || is_constant(&x[1]);
        const double factor = x[first ? 0 : 1].value;
        const slot *of = &x[first ? 1 : 0];
        return (slot){both && one, factor * of->slope, factor * of->value};
    }
    case LB_TERM_DIVIDE:
        return (slot){both && is_constant(&x[1]), x[0].slope / x[1].value, x[0].value / x[1].value};
    case LB_TERM_SIN:
    case LB_TERM_COS:
    case LB_TERM_TAN:
        if (both) {
            note(user, two_pi / fabs(x[0].slope));
        }
        return (slot){false, 0.0, 0.0};
    case LB_TERM_MOD:
        if (both && is_constant(&x[1])) {
            note(user, fabs(x[1].value / x[0].slope));
        }
        return (slot){false, 0.0, 0.0};
    default:
        return (slot){false, 0.0, 0.0};
    }
}

// Lists the periods in an expression, those of named signals in it included; what it is itself.
static slot list_expression(const lb_expression *e, lb_note_period note, void *user)
{
    slot stack[LB_MOST_STACKED];
    int top = 0;
    for (int i = 0; i < e->count; ++i) {
        const lb_instruction *at = &e->program[i];
        slot next = {true, 0.0, at->number};
        if (at->op == LB_TERM_LEAF) {
            const lb_signal *signal = &e->signals[at->signal];
            const lb_expression *named = lb_get_signal_expression(signal);
            const bool is_time = signal->kind == LB_SIGNAL_T;
            next = named ? list_expression(named, note, user) : (slot){is_time, is_time, 0.0};
        } else if (at->op != LB_TERM_NUMBER) {
            const int count = lb_get_operand_count(at->op);
            top -= count;
            next = apply(at->op, count, stack + top, note, user);
        }
        stack[top++] = next;
    }
    return stack[0];
}

void lb_list_periods(const lb_function *f, lb_note_period note, void *user)
{
    if (f->type == LB_FUNCTION_SINE && f->omega != 0.0) {
        note(user, two_pi / fabs(f->omega));
    } else if (f->type == LB_FUNCTION_PULSE && f->period > 0.0) {
        note(user, f->period);
    } else if (f->type == LB_FUNCTION_EXPRESSION && f->expressions[0]) {
        (void)list_expression(f->expressions[0], note, user);
    }
}

static void note_any(void *user, double period)
{
    bool *any = user;
    *any = *any || period > 0.0;
}

bool lb_repeats_itself(const lb_function *f)
{
    bool any = false;
    lb_list_periods(f, note_any, &any);
    return any;
}

static bool reads_time(const lb_expression *e)
{
    bool reads = false;
    for (int i = 0; i < e->signal_count && !reads; ++i) {
        const lb_expression *named = lb_get_signal_expression(&e->signals[i]);
        // what a function of the caller reads is not known
        reads = named ? reads_time(named)
                      : e->signals[i].kind == LB_SIGNAL_T || e->signals[i].kind == LB_SIGNAL_NAMED;
    }
    return reads;
}

bool lb_varies_in_time(const lb_function *f)
{
    return f->type == LB_FUNCTION_EXPRESSION ? f->expressions[0] && reads_time(f->expressions[0])
                                             : f->type != LB_FUNCTION_CONSTANT;
}
