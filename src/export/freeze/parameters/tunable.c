// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "tunable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_work.h"
#include "dynamics/tree/tree.h"
#include "export/freeze/loops/frozen_loops.h"
#include "limber/dynamics.h"
#include "limber/work.h"

// Polynomials of this degree: an offset squared times a mass.
enum { DEGREE = 3 };

// ---- numbers of a model ------------------------------------------------------------------------

// A plain model with a workspace, which holds the numbers of its loops.
typedef struct variant {
    lb_plain_model plain;
    lb_work *work;
} variant;

static void add_numbers(double *first, int count, double **list, int *used)
{
    for (int i = 0; i < count; ++i, ++*used) {
        if (list) {
            list[*used] = first + i;
        }
    }
}

// Places of all numbers that recording reads; NULL to count them.
static int list_numbers(const lb_model *model, const lb_work *work, double **list)
{
    int used = 0;
    add_numbers((double *)&model->gravity, 3, list, &used);
    for (int k = 0; k < model->body_count; ++k) {
        lb_body *b = (lb_body *)&model->bodies[k];
        add_numbers(&b->pitch, 1, list, &used);
        add_numbers((double *)&b->X_p, 12, list, &used);
        add_numbers((double *)&b->M, 10, list, &used);
        add_numbers(b->second, 10, list, &used);
    }
    for (int l = 0; model->pattern && l < model->pattern->count; ++l) {
        lb_loop_slot *slot = &work->loops->slots[l];
        add_numbers(&slot->loop.length, 1, list, &used);
        add_numbers((double *)&slot->loop.axis, 3, list, &used);
        add_numbers((double *)&slot->loop.offset, 12, list, &used);
        add_numbers(slot->loop.W[0], 36, list, &used);
        add_numbers((double *)slot->at, 24, list, &used);
        for (int i = 0; i < slot->loop.term_count; ++i) {
            add_numbers(&slot->terms[i].factor, 1, list, &used);
        }
    }
    return used;
}

static_assert(sizeof(lb_pose) == 12 * sizeof(double) && sizeof(lb_inertia) == 10 * sizeof(double),
              "numbers are listed one by one");

// What a workspace has copied from the model when it was made. Bit by bit: numbers may be terms.
static void refresh(const lb_model *model, lb_work *work)
{
    double *up = (double *)&work->bodies[-1].alpha.v;
    const double *down = (const double *)&model->gravity;
    for (int i = 0; i < 3; ++i) {
        lb_term term;
        memcpy(&term, &down[i], sizeof term);
        term = lb_negate_term(term);
        memcpy(&up[i], &term, sizeof term);
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        memcpy(&work->bodies[k].X, &b->X_p, sizeof b->X_p);
        if (b->hinge == LB_HINGE_SCREW) {
            memcpy(&work->H[b->dof].v.z, &b->pitch, sizeof b->pitch);
        }
    }
}

static void clear_variant(variant *v)
{
    lb_clear_plain(&v->plain);
    lb_destroy_work(v->work);
}

static lb_status make_variant(const lb_model *model, bool shares, variant *v)
{
    v->work = NULL;
    lb_status status = lb_make_plain(model, shares, &v->plain);
    if (status < LB_OK) {
        return status;
    }
    v->work = lb_create_work(v->plain.model);
    lb_work *own = v->work ? lb_create_work(model) : NULL;
    if (!own) {
        clear_variant(v);
        return LB_E_MEMORY;
    }
    if (v->plain.model->pattern) {
        lb_start_plain_loops(model, own, v->work);
    }
    lb_destroy_work(own);
    return LB_OK;
}

// Whether two models differ in numbers alone: otherwise no polynomial tells one from the other.
static bool are_alike(const lb_plain_model *x, const lb_plain_model *y)
{
    const lb_model *a = x->model, *b = y->model;
    bool alike = a->body_count == b->body_count && a->q_count == b->q_count &&
                 a->v_count == b->v_count && a->loop_count == b->loop_count &&
                 (a->pattern == NULL) == (b->pattern == NULL);
    for (int k = 0; alike && k < a->body_count; ++k) {
        alike = memcmp(&a->bodies[k], &b->bodies[k], offsetof(lb_body, pitch)) == 0;
    }
    for (int i = 0; alike && i < a->q_count; ++i) {
        alike = x->offsets[i] == y->offsets[i];
    }
    for (int l = 0; alike && l < a->loop_count; ++l) {
        alike = a->loops[l].type == b->loops[l].type && !a->loops[l].as_assembled &&
                a->loops[l].inactive == b->loops[l].inactive &&
                a->loops[l].row_count == b->loops[l].row_count &&
                a->loops[l].term_count == b->loops[l].term_count;
    }
    return alike;
}

// ---- values ------------------------------------------------------------------------------------

// What the search works with.
typedef struct search {
    const lb_freeze_parameters *given;
    const variant *base;
    const lb_sample *sample;
    const lb_more_numbers *more;
    bool shares;
    int count;     // parameters
    int own_count; // numbers of the model
    int number_count, monomial_count;
    int *powers;
    double *start, *gap, *values; // by parameter: places of the grid, and a point
    double *at;                   // monomials x numbers: values, then coefficients
    double *scale, *found;        // by number
    double **list;
} search;

// Numbers of the model at s->values. The model is handed out if asked for.
static lb_status read_numbers(search *s, double *out, lb_model **kept)
{
    lb_model *model = NULL;
    variant v;
    lb_status status = s->given->build(s->given->user, s->values, &model);
    if (status < LB_OK || !model) {
        return status < LB_OK ? status : LB_E_MEMORY;
    }
    status = make_variant(model, s->shares, &v);
    if (status >= LB_OK) {
        status = are_alike(&s->base->plain, &v.plain) ? LB_OK : LB_E_UNSUPPORTED;
        if (status == LB_OK) {
            (void)list_numbers(v.plain.model, v.work, s->list);
            for (int i = 0; i < s->own_count; ++i) {
                out[i] = *s->list[i];
            }
            status = s->more ? s->more->read(s->more->user, model, out + s->own_count) : LB_OK;
        }
        for (int i = 0; status == LB_OK && i < s->number_count; ++i) {
            s->scale[i] = fmax(s->scale[i], fabs(out[i]));
        }
        clear_variant(&v);
    }
    if (kept && status == LB_OK) {
        *kept = model;
    } else {
        lb_destroy_model(model);
    }
    return status;
}

static int find_monomial(const search *s, const int *powers)
{
    for (int m = 0; m < s->monomial_count; ++m) {
        if (memcmp(s->powers + (ptrdiff_t)m * s->count, powers,
                   (size_t)s->count * sizeof *powers) == 0) {
            return m;
        }
    }
    return -1;
}

// All powers with a sum of at most DEGREE, the constant first. Returns how many.
static int list_monomials(int count, int *powers)
{
    int used = 0, now[LB_PARAMETERS_MOST] = {0};
    for (;;) {
        if (powers) {
            memcpy(powers + (ptrdiff_t)used * count, now, (size_t)count * sizeof *now);
        }
        ++used;
        int sum = 0, j = 0;
        for (int i = 0; i < count; ++i) {
            sum += now[i];
        }
        // count up; a digit that is full is carried
        while (j < count && sum == DEGREE) {
            sum -= now[j];
            now[j++] = 0;
        }
        if (j == count) {
            return used;
        }
        ++now[j];
    }
}

// From values on a grid to differences, along one parameter after the other: what stands at powers i is then the
// factor of the product of binomials C(x_j, i_j), x counted in steps of the grid.
static void take_differences(search *s)
{
    for (int j = 0; j < s->count; ++j) {
        for (int round = 1; round <= DEGREE; ++round) {
            // the highest first: each needs the one below it as it was
            for (int power = DEGREE; power >= round; --power) {
                for (int m = 0; m < s->monomial_count; ++m) {
                    int below[LB_PARAMETERS_MOST];
                    memcpy(below, s->powers + (ptrdiff_t)m * s->count,
                           (size_t)s->count * sizeof *below);
                    if (below[j] != power) {
                        continue;
                    }
                    --below[j];
                    const double *from =
                        s->at + (ptrdiff_t)find_monomial(s, below) * s->number_count;
                    double *to = s->at + (ptrdiff_t)m * s->number_count;
                    for (int i = 0; i < s->number_count; ++i) {
                        to[i] -= from[i];
                    }
                }
            }
        }
    }
    for (int m = 0; m < s->monomial_count; ++m) {
        for (int i = 0; i < s->number_count; ++i) {
            double *x = s->at + (ptrdiff_t)m * s->number_count + i;
            *x = fabs(*x) <= 1e-13 * s->scale[i] ? 0.0 : *x;
        }
    }
}

// C(x, i) in powers of p, x = (p - start) / gap.
static void expand_binomial(double start, double gap, int i, double out[DEGREE + 1])
{
    out[0] = 1.0;
    for (int k = 1; k <= DEGREE; ++k) {
        out[k] = 0.0;
    }
    for (int t = 0; t < i; ++t) {
        const double shift = -(start / gap + t) / (t + 1), slope = 1.0 / (gap * (t + 1));
        for (int k = DEGREE; k >= 0; --k) {
            out[k] = shift * out[k] + (k > 0 ? slope * out[k - 1] : 0.0);
        }
    }
}

// A number without the round-off of building models: 0.3 in the place of 0.29999999999998.
static double tidy(double x, double noise)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    const double short_one = strtod(text, NULL);
    return fabs(x) <= noise ? 0.0 : fabs(short_one - x) <= noise ? short_one : x;
}

// From products of binomials to products of powers.
static void expand_all(search *s)
{
    for (int j = 0; j < s->count; ++j) {
        // powers only sink: from the lowest on, each is complete before it is overwritten
        for (int m = 0; m < s->monomial_count; ++m) {
            int powers[LB_PARAMETERS_MOST];
            memcpy(powers, s->powers + (ptrdiff_t)m * s->count, (size_t)s->count * sizeof *powers);
            const int own = powers[j];
            double *to = s->at + (ptrdiff_t)m * s->number_count, part[DEGREE + 1];
            expand_binomial(s->start[j], s->gap[j], own, part);
            for (int i = 0; i < s->number_count; ++i) {
                const double factor = to[i];
                to[i] = 0.0;
                for (int k = 0; factor != 0 && k <= own; ++k) {
                    powers[j] = k;
                    s->at[(ptrdiff_t)find_monomial(s, powers) * s->number_count + i] +=
                        factor * part[k];
                }
                powers[j] = own;
            }
        }
    }
    for (int m = 0; m < s->monomial_count; ++m) {
        double size = 1.0;
        for (int j = 0; j < s->count; ++j) {
            const double most = fmax(fabs(s->start[j]), fabs(s->start[j] + DEGREE * s->gap[j]));
            size *= pow(most, s->powers[(ptrdiff_t)m * s->count + j]);
        }
        for (int i = 0; i < s->number_count; ++i) {
            double *x = s->at + (ptrdiff_t)m * s->number_count + i;
            *x = size > 0 ? tidy(*x, 1e-13 * s->scale[i] / size) : *x;
        }
    }
}

static double evaluate(const search *s, int i)
{
    double sum = 0.0;
    for (int m = 0; m < s->monomial_count; ++m) {
        double product = s->at[(ptrdiff_t)m * s->number_count + i];
        for (int j = 0; product != 0 && j < s->count; ++j) {
            product *= pow(s->values[j], s->powers[(ptrdiff_t)m * s->count + j]);
        }
        sum += product;
    }
    return sum;
}

// ---- confirmation ------------------------------------------------------------------------------

// The forces of a motion, and the motion of forces, both with loops where there are any.
static lb_status run_both(const lb_model *model, lb_work *work, const lb_sample *sample,
                          double *out)
{
    double *const *x = sample->values;
    lb_status status =
        lb_tree_inverse(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], x[LB_ARRAY_A], out);
    out += model->v_count;
    return status < LB_OK ? status
           : model->pattern
               ? lb_closed_forward(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], NULL, x[LB_ARRAY_TAU],
                                   out, NULL, NULL)
               : lb_tree_forward(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], x[LB_ARRAY_TAU], out);
}

// The engine at s->values against the engine with the numbers of the polynomials in the model of the start.
static lb_status confirm(search *s)
{
    lb_model *model = NULL;
    const lb_model *plain = s->base->plain.model;
    const int n = plain->v_count;
    double *one =
        calloc(4 * (size_t)n + (size_t)s->number_count + (size_t)plain->q_count, sizeof *one);
    double *other = one ? one + (ptrdiff_t)2 * n : NULL;
    lb_status status = one ? read_numbers(s, s->found, &model) : LB_E_MEMORY;
    for (int i = 0; status == LB_OK && i < s->number_count; ++i) {
        if (!(fabs(evaluate(s, i) - s->found[i]) <= 1e-12 * s->scale[i])) {
            status = LB_E_UNSUPPORTED;
        }
    }
    lb_work *work = status == LB_OK ? lb_create_work(model) : NULL;
    if (status == LB_OK) {
        status = work ? run_both(model, work, s->sample, one) : LB_E_MEMORY;
    }
    if (status >= LB_OK) {
        double *before = other + 2 * n;
        (void)list_numbers(plain, s->base->work, s->list);
        for (int i = 0; i < s->own_count; ++i) {
            before[i] = *s->list[i];
            *s->list[i] = evaluate(s, i);
        }
        // what was turned back by an offset of q is the same for both: are_alike
        lb_sample shifted = *s->sample;
        shifted.values[LB_ARRAY_Q] = before + s->number_count;
        for (int i = 0; i < plain->q_count; ++i) {
            shifted.values[LB_ARRAY_Q][i] =
                s->sample->values[LB_ARRAY_Q][i] + s->base->plain.offsets[i];
        }
        refresh(plain, s->base->work);
        status = run_both(plain, s->base->work, &shifted, other);
        for (int i = 0; i < s->own_count; ++i) {
            *s->list[i] = before[i];
        }
        refresh(plain, s->base->work);
    }
    for (int part = 0; status >= LB_OK && part < 2; ++part) {
        double gap = 0.0, size = 0.0;
        for (int i = part * n; i < (part + 1) * n; ++i) {
            gap = fmax(gap, fabs(one[i] - other[i]));
            size = fmax(size, fabs(one[i]));
        }
        status = gap <= 1e-9 * size ? LB_OK : LB_E_UNSUPPORTED;
    }
    if (status == LB_OK && s->more) {
        double *numbers = other + 2 * n; // no longer needed for those of the model
        for (int i = s->own_count; i < s->number_count; ++i) {
            numbers[i - s->own_count] = evaluate(s, i);
        }
        status = s->more->confirm(s->more->user, model, numbers);
    }
    lb_destroy_work(work);
    lb_destroy_model(model);
    free(one);
    return status;
}

// ---- search ------------------------------------------------------------------------------------

static void clear_search(search *s)
{
    free(s->powers);
    free(s->start);
    free(s->at);
    free(s->list);
}

static bool allocate(search *s)
{
    const size_t n = (size_t)s->number_count, k = (size_t)s->count;
    s->monomial_count = list_monomials(s->count, NULL);
    const size_t m = (size_t)s->monomial_count;
    s->powers = calloc(m * k + 1, sizeof *s->powers);
    s->start = calloc(3 * k + 2 * n, sizeof *s->start);
    s->at = calloc(m * n, sizeof *s->at);
    s->list = calloc(n, sizeof *s->list);
    if (!s->powers || !s->start || !s->at || !s->list) {
        return false;
    }
    (void)list_monomials(s->count, s->powers);
    s->gap = s->start + k;
    s->values = s->gap + k;
    s->scale = s->values + k;
    s->found = s->scale + n;
    return true;
}

// The polynomials of the parameters from `first` on, the others where they are. A grid that the model refuses is made
// smaller.
static lb_status find_polynomials(search *s, int first, int last)
{
    lb_status status = LB_OK;
    for (int trial = 0; trial < 4; ++trial) {
        status = LB_OK;
        for (int j = 0; j < s->count; ++j) {
            const lb_frozen_parameter *p = &s->given->list[j];
            const bool bounded = isfinite(p->low) && isfinite(p->high) && p->high > p->low;
            const double shrink = pow(0.1, trial);
            s->start[j] = bounded ? p->low : p->value;
            s->gap[j] = bounded         ? (p->high - p->low) / DEGREE
                        : p->value != 0 ? 0.25 * p->value * shrink
                                        : 0.25 * shrink;
            s->start[j] = j < first || j >= last ? p->value : s->start[j];
        }
        memset(s->scale, 0, (size_t)s->number_count * sizeof *s->scale);
        for (int m = 0; status == LB_OK && m < s->monomial_count; ++m) {
            bool other = false;
            for (int j = 0; j < s->count; ++j) {
                const int power = s->powers[(ptrdiff_t)m * s->count + j];
                other = other || ((j < first || j >= last) && power > 0);
                s->values[j] = s->start[j] + power * s->gap[j];
            }
            double *at = s->at + (ptrdiff_t)m * s->number_count;
            if (!other) {
                status = read_numbers(s, at, NULL);
            }
        }
        if (status == LB_OK || status == LB_E_MEMORY || status == LB_E_UNSUPPORTED) {
            break;
        }
    }
    if (status != LB_OK) {
        return status;
    }
    // along the others nothing changes
    for (int m = 0; m < s->monomial_count; ++m) {
        int powers[LB_PARAMETERS_MOST];
        memcpy(powers, s->powers + (ptrdiff_t)m * s->count, (size_t)s->count * sizeof *powers);
        for (int j = 0; j < s->count; ++j) {
            powers[j] = j < first || j >= last ? 0 : powers[j];
        }
        const int from = find_monomial(s, powers);
        memmove(s->at + (ptrdiff_t)m * s->number_count, s->at + (ptrdiff_t)from * s->number_count,
                (size_t)s->number_count * sizeof *s->at);
    }
    take_differences(s);
    expand_all(s);
    static const double places[][2] = {{0.41, 0.77}, {2.17, 1.31}, {0.19, 2.71}, {1.63, 0.07}};
    for (size_t i = 0; status == LB_OK && i < sizeof places / sizeof *places; ++i) {
        for (int j = 0; j < s->count; ++j) {
            const bool fixed = j < first || j >= last;
            s->values[j] = s->start[j] + (fixed ? 0.0 : places[i][j % 2] * s->gap[j]);
        }
        status = confirm(s);
    }
    return status;
}

static bool does_change(const search *s, int j, int i)
{
    bool found = false;
    for (int m = 0; m < s->monomial_count; ++m) {
        found = found || (s->powers[(ptrdiff_t)m * s->count + j] > 0 &&
                          s->at[(ptrdiff_t)m * s->number_count + i] != 0);
    }
    return found;
}

// Numbers that some parameter changes, and how.
static lb_status keep(const search *s, lb_tunable *tunable, int *bad, const char **reason)
{
    int count = 0;
    for (int j = 0; j < s->count; ++j) {
        bool any = false;
        for (int i = 0; i < s->number_count; ++i) {
            any = any || does_change(s, j, i);
        }
        if (!any) {
            *bad = j;
            *reason = "it changes nothing that is frozen";
            return LB_E_UNSUPPORTED;
        }
    }
    for (int i = 0; i < s->number_count; ++i) {
        bool any = false;
        for (int j = 0; j < s->count; ++j) {
            any = any || does_change(s, j, i);
        }
        count += any;
    }
    const size_t m = (size_t)s->monomial_count, k = (size_t)s->count, n = (size_t)count;
    double *coefficients = malloc(n * m * sizeof *coefficients + (n + m * k) * sizeof(int));
    if (!coefficients) {
        return LB_E_MEMORY;
    }
    int *numbers = (int *)(void *)(coefficients + n * m), *powers = numbers + n;
    memcpy(powers, s->powers, m * k * sizeof *powers);
    *tunable = (lb_tunable){s->given, s->monomial_count, powers,       0,
                            numbers,  coefficients,      coefficients, s->more};
    for (int i = 0; i < s->number_count; ++i) {
        bool any = false;
        for (int j = 0; j < s->count; ++j) {
            any = any || does_change(s, j, i);
        }
        if (any) {
            for (size_t t = 0; t < m; ++t) {
                coefficients[(size_t)tunable->number_count * m + t] =
                    s->at[t * (size_t)s->number_count + (size_t)i];
            }
            numbers[tunable->number_count++] = i;
        }
    }
    return LB_OK;
}

lb_status lb_find_tunable(const lb_plain_model *plain, bool shares, const lb_sample *sample,
                          const lb_freeze_parameters *given, const lb_more_numbers *more,
                          lb_tunable *tunable, int *bad, const char **reason)
{
    variant base = {.plain = *plain, .work = lb_create_work(plain->model)};
    search s = {.given = given,
                .base = &base,
                .sample = sample,
                .more = more,
                .shares = shares,
                .count = given->count};
    *bad = 0;
    *reason =
        "its effect is more than a polynomial of third degree in the numbers of bodies, loops and "
        "forces, or it moves nodes that forces or signals refer to";
    lb_status status = base.work ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        if (plain->model->pattern) {
            lb_start_plain_loops(plain->model, sample->closed, base.work);
        }
        s.own_count = list_numbers(plain->model, base.work, NULL);
        s.number_count = s.own_count + (more ? more->count : 0);
        status = allocate(&s) ? find_polynomials(&s, 0, given->count) : LB_E_MEMORY;
    }
    if (status == LB_OK) {
        status = keep(&s, tunable, bad, reason);
    } else if (status != LB_E_MEMORY) {
        // which of them it is
        for (int j = 0; j < given->count; ++j) {
            if (find_polynomials(&s, j, j + 1) != LB_OK) {
                *bad = j;
                break;
            }
        }
        status = LB_E_UNSUPPORTED;
    }
    clear_search(&s);
    lb_destroy_work(base.work);
    return status;
}

void lb_clear_tunable(lb_tunable *tunable)
{
    free(tunable->memory);
    tunable->memory = NULL;
}

// ---- recording ---------------------------------------------------------------------------------

static lb_term put_polynomial(lb_graph *graph, const lb_tunable *tunable, const double *factors)
{
    const int count = tunable->given->count;
    lb_term sum = lb_make_constant(0.0);
    for (int m = 0; m < tunable->monomial_count; ++m) {
        lb_term product = lb_make_constant(1.0);
        for (int j = 0; factors[m] != 0 && j < count; ++j) {
            const lb_term p = lb_put_input(graph, LB_ARRAY_P, j, tunable->given->list[j].value);
            for (int power = tunable->powers[(ptrdiff_t)m * count + j]; power > 0; --power) {
                product = lb_put_product(graph, product, p);
            }
        }
        sum = lb_put_sum(graph, sum, lb_put_product(graph, lb_make_constant(factors[m]), product));
    }
    return sum;
}

lb_status lb_put_tunable(lb_graph *graph, const lb_tunable *tunable, const lb_plain_model *plain,
                         lb_work *work, lb_set_aside *aside)
{
    const lb_more_numbers *more = tunable->more;
    const size_t own = (size_t)list_numbers(plain->model, work, NULL),
                 all = own + (size_t)(more ? more->count : 0);
    const size_t count = (size_t)tunable->number_count;
    double **list = calloc(all, sizeof *list);
    aside->places = calloc(count + 1, sizeof *aside->places);
    aside->values = calloc(count + 1, sizeof *aside->values);
    if (!list || !aside->places || !aside->values) {
        free(list);
        free(aside->places);
        free(aside->values);
        *aside = (lb_set_aside){NULL, NULL};
        return LB_E_MEMORY;
    }
    (void)list_numbers(plain->model, work, list);
    if (more && more->count > 0) {
        memcpy(list + own, more->places, (all - own) * sizeof *list);
    }
    for (int i = 0; i < tunable->number_count; ++i) {
        double *place = list[tunable->numbers[i]];
        const lb_term term = put_polynomial(
            graph, tunable, tunable->coefficients + (ptrdiff_t)i * tunable->monomial_count);
        aside->places[i] = place;
        aside->values[i] = *place;
        memcpy(place, &term, sizeof term);
    }
    refresh(plain->model, work);
    free(list);
    return LB_OK;
}

void lb_take_tunable(const lb_tunable *tunable, lb_set_aside *aside)
{
    for (int i = 0; aside->places && i < tunable->number_count; ++i) {
        *aside->places[i] = aside->values[i];
    }
    free(aside->places);
    free(aside->values);
}
