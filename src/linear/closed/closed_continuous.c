// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closed loops as differential equations, with approximations of what is sampled, held and late.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "closed_loop.h"

enum { ORDER_MAX = 6 };

// A rational function of s d, as a system of `order` states in the time unit d: d p' = F p + G in, with
// companion matrix F and G = (0, .., 0, 1); out = c p + e in.
typedef struct filter {
    int order, first; // first of its states
    double unit;
    double f[ORDER_MAX], c[ORDER_MAX], e;
} filter;

// ---- approximations ------------------------------------------------------------------------------

// Coefficients of N in exp(-x) = N(-x) / N(x)                                            (CLL-3)
//
//     c_k = (2 n - k)! n! / ((2 n)! k! (n - k)!)
static void fill_pade(int n, double *c)
{
    c[0] = 1.0;
    for (int k = 1; k <= n; ++k) {
        c[k] = c[k - 1] * (n - k + 1) / (k * (2.0 * n - k + 1));
    }
}

// From numerator and denominator, n + 1 coefficients each.
static filter make_filter(int n, double unit, const double *above, const double *below)
{
    filter made = {.order = n, .unit = unit, .e = above[n] / below[n]};
    for (int k = 0; k < n; ++k) {
        made.f[k] = -below[k] / below[n];
        made.c[k] = above[k] / below[n] + made.e * made.f[k];
    }
    return made;
}

static filter make_delay(int n, double time)
{
    double below[ORDER_MAX + 1], above[ORDER_MAX + 1];
    fill_pade(n, below);
    for (int k = 0; k <= n; ++k) {
        above[k] = k % 2 ? -below[k] : below[k];
    }
    return make_filter(n, time, above, below);
}

// (1 - exp(-x)) / x = (N(x) - N(-x)) / (x N(x))
static filter make_hold(int n, double period)
{
    double below[ORDER_MAX + 1], above[ORDER_MAX + 1] = {0};
    fill_pade(n, below);
    for (int k = 1; k <= n; k += 2) {
        above[k - 1] = 2.0 * below[k];
    }
    return make_filter(n, period, above, below);
}

// ---- assembling ----------------------------------------------------------------------------------

typedef struct assembly {
    lb_closed *k;
    int order, plant, count, width;
    filter *holds;  // per actuator
    filter *delays; // per read of all controllers; of order 0 without a delay
    double *dX;     // count x width: rates by states and inputs
    double *rows;   // scratch
    char (*names)[LB_COLUMN_SIZE];
} assembly;

static void name_states(assembly *a, int first, int count, const char *what, const char *kind)
{
    for (int i = 0; i < count && a->names; ++i) {
        snprintf(a->names[first + i], LB_COLUMN_SIZE, "%.120s.%s.%d", what, kind, i);
    }
}

static void name_sensor(char *text, size_t size, const lb_controller *c, int sensor)
{
    snprintf(text, size, "%.60s.%.60s", c->name, c->sensors[sensor].name);
}

static void lay_out(assembly *a)
{
    lb_closed *k = a->k;
    int at = a->plant, read = 0;
    for (int i = 0; i < k->actuator_count; ++i) {
        lb_closed_actuator *actuator = &k->actuators[i];
        const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
        actuator->lag_state = actuator->lag > 0.0 ? at++ : -1;
        if (a->names && actuator->lag > 0.0) {
            snprintf(a->names[at - 1], LB_COLUMN_SIZE, "%.120s",
                     lb_get_force_info(k->sim->system.forces, actuator->force).name);
        }
        a->holds[i].first = at;
        name_states(a, at, a->order, feedback->name, "hold");
        at += a->order;
    }
    for (int i = 0; i < k->controller_count; ++i) {
        lb_closed_controller *own = &k->controllers[i];
        own->first_memory = at;
        for (int j = 0; j < own->law.memory_count; ++j, ++at) {
            if (a->names) {
                snprintf(a->names[at], LB_COLUMN_SIZE, "%.60s.%.100s", own->c->name,
                         own->law.names[j]);
            }
        }
        for (int j = 0; j < own->read_count; ++j, ++read) {
            char name[160];
            a->delays[read].first = at;
            if (a->delays[read].order > 0) {
                name_sensor(name, sizeof name, own->c, own->reads[j].sensor);
                name_states(a, at, a->delays[read].order, name, "delay");
            }
            at += a->delays[read].order;
        }
    }
    a->count = at;
}

// out = c p + e in, and the rates of p
static void pass(const assembly *a, const filter *f, const double *in, double *out)
{
    const int n = f->order, width = a->width;
    for (int i = 0; i < width; ++i) {
        out[i] = f->e * in[i];
    }
    for (int i = 0; i < n; ++i) {
        double *rate = a->dX + (size_t)(f->first + i) * (size_t)width;
        out[f->first + i] += f->c[i];
        if (i + 1 < n) {
            rate[f->first + i + 1] += 1.0 / f->unit;
        } else {
            lb_add_scaled(width, 1.0 / f->unit, in, rate);
            for (int j = 0; j < n; ++j) {
                rate[f->first + j] += f->f[j] / f->unit;
            }
        }
    }
}

// What an actuator is told, held: states only.
static void form_target(const assembly *a, int actuator, double *row)
{
    const filter *hold = &a->holds[actuator];
    memset(row, 0, (size_t)a->width * sizeof *row);
    for (int i = 0; i < hold->order; ++i) {
        row[hold->first + i] = a->k->actuators[actuator].gain * hold->c[i];
    }
}

static void form_force(const assembly *a, int actuator, double *row)
{
    const int lag = a->k->actuators[actuator].lag_state;
    form_target(a, actuator, row);
    if (lag >= 0) {
        memset(row, 0, (size_t)a->width * sizeof *row);
        row[lag] = 1.0;
    }
}

static void form_output(const assembly *a, int output, double *row, double *scratch)
{
    const lb_closed *k = a->k;
    const double *D = k->plant.D + (size_t)output * (size_t)k->plant.input_count;
    memset(row, 0, (size_t)a->width * sizeof *row);
    memcpy(row, k->C + (size_t)output * (size_t)a->plant, (size_t)a->plant * sizeof *row);
    for (int i = 0; i < k->input_count; ++i) {
        row[a->count + i] = k->plant_inputs[i] >= 0 ? D[k->plant_inputs[i]] : 0.0;
    }
    for (int i = 0; i < k->actuator_count; ++i) {
        const double d = D[k->actuators[i].input];
        if (d != 0.0) {
            form_force(a, i, scratch);
            lb_add_scaled(a->width, d, scratch, row);
        }
    }
}

static void fill_plant(const assembly *a)
{
    const lb_closed *k = a->k;
    const int m = k->plant.input_count;
    double *row = a->rows;
    for (int i = 0; i < a->plant; ++i) {
        double *rate = a->dX + (size_t)i * (size_t)a->width;
        memcpy(rate, k->A + (size_t)i * (size_t)a->plant, (size_t)a->plant * sizeof *rate);
        for (int j = 0; j < k->input_count; ++j) {
            const int input = k->plant_inputs[j];
            rate[a->count + j] = input >= 0 ? k->plant.B[i * m + input] : 0.0;
        }
    }
    for (int j = 0; j < k->actuator_count; ++j) {
        const lb_closed_actuator *actuator = &k->actuators[j];
        form_force(a, j, row);
        for (int i = 0; i < a->plant; ++i) {
            const double b = k->plant.B[i * m + actuator->input];
            if (b != 0.0) {
                lb_add_scaled(a->width, b, row, a->dX + (size_t)i * (size_t)a->width);
            }
        }
        if (actuator->lag_state >= 0) {
            double *rate = a->dX + (size_t)actuator->lag_state * (size_t)a->width;
            form_target(a, j, row);
            lb_add_scaled(a->width, 1.0 / actuator->lag, row, rate);
            rate[actuator->lag_state] -= 1.0 / actuator->lag;
        }
    }
}

// The law by the bilinear transform                                                     (CLL-4)
//
//     (M + I) V = (M - I, N):   m' = 2/T (V_1 m + V_2 read),   commands = C' m + (D - C' V_2 / 2 ..) read
//
// in  m = (M + I) (memory + ...) / 2, so that C' = 2 C (M + I)^-1
static lb_status fill_law(const assembly *a, const lb_closed_controller *own, int first_read)
{
    const lb_closed *k = a->k;
    const lb_law_slopes *law = &own->law;
    const int n = law->memory_count, r = law->read_count, m = own->c->sample.channel_count;
    const size_t width = (size_t)a->width;
    const double T = own->c->sample.period;
    lb_arena arena = lb_make_arena(NULL);
    double *W = lb_take_numbers(&arena, (size_t)n * (size_t)(n + 1) + 1);
    double *V = lb_take_numbers(&arena, (size_t)n * (size_t)(n + r) + (size_t)n + 1);
    double *commands = lb_take_numbers(&arena, (size_t)m * width + 1);
    double *reading = lb_take_numbers(&arena, 3 * width);
    int *pivots = lb_arena_take(&arena, (size_t)n + 1, sizeof *pivots);
    if (!W || !V || !commands || !reading || !pivots) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    double *column = V + n * (n + r), *raw = reading + width, *scratch = raw + width;
    for (int i = 0; i < n * n; ++i) {
        W[i] = law->M[i] + (i / n == i % n);
    }
    if (n > 0 && !lb_factor_lu(n, W, pivots)) {
        lb_arena_free(&arena);
        return lb_say(&k->sim->system, LB_E_SINGULAR,
                      "linear: the memory of controller '%s' turns over at every sample, which no "
                      "continuous model can: take the discrete one",
                      own->c->name);
    }
    for (int j = 0; j < n + r; ++j) {
        for (int i = 0; i < n; ++i) {
            column[i] = j < n ? law->M[i * n + j] - (i == j) : law->N[i * r + j - n];
        }
        lb_solve_lu(n, W, pivots, column);
        for (int i = 0; i < n; ++i) {
            V[i * (n + r) + j] = column[i];
        }
    }
    // memory: C (M + I)^-1 2 is C - C V_1, since 2 (M + I)^-1 = I - (M + I)^-1 (M - I)
    for (int i = 0; i < n; ++i) {
        double *rate = a->dX + (size_t)(own->first_memory + i) * width;
        for (int j = 0; j < n; ++j) {
            rate[own->first_memory + j] += 2.0 / T * V[i * (n + r) + j];
        }
        for (int j = 0; j < m; ++j) {
            double *command = commands + (size_t)j * width;
            command[own->first_memory + i] += law->C[j * n + i];
            for (int l = 0; l < n; ++l) {
                command[own->first_memory + l] -= law->C[j * n + i] * V[i * (n + r) + l];
            }
        }
    }
    for (int i = 0; i < r; ++i) {
        const filter *delay = &a->delays[first_read + i];
        if (!own->reads[i].is_used) {
            continue;
        }
        form_output(a, own->reads[i].output, raw, scratch);
        if (own->reads[i].input >= 0) {
            raw[a->count + own->reads[i].input] = 1.0;
        }
        memcpy(reading, raw, width * sizeof *raw);
        if (delay->order > 0) {
            pass(a, delay, raw, reading);
        }
        for (int j = 0; j < n; ++j) {
            lb_add_scaled(a->width, 2.0 / T * V[j * (n + r) + n + i], reading,
                          a->dX + (size_t)(own->first_memory + j) * width);
        }
        for (int j = 0; j < m; ++j) {
            double direct = law->D[j * r + i];
            for (int l = 0; l < n; ++l) {
                direct -= law->C[j * n + l] * V[l * (n + r) + n + i];
            }
            lb_add_scaled(a->width, direct, reading, commands + (size_t)j * width);
        }
    }
    for (int i = 0; i < k->actuator_count; ++i) {
        const lb_feedback *feedback = &k->feedbacks.list[k->actuators[i].feedback];
        const int input = k->actuators[i].command_input;
        if (feedback->controller == own->index && input >= 0) {
            commands[(size_t)feedback->channel * width + (size_t)(a->count + input)] += 1.0;
        }
        if (feedback->controller == own->index) {
            pass(a, &a->holds[i], commands + (size_t)feedback->channel * width, scratch);
        }
    }
    lb_arena_free(&arena);
    return LB_OK;
}

static lb_status fill(const assembly *a, lb_matrices *out)
{
    const lb_closed *k = a->k;
    lb_status status = LB_OK;
    fill_plant(a);
    for (int i = 0, read = 0; i < k->controller_count && status >= 0; ++i) {
        status = fill_law(a, &k->controllers[i], read);
        read += k->controllers[i].read_count;
    }
    for (int i = 0; i < k->output_count && status >= 0; ++i) {
        form_output(a, i, a->rows, a->rows + a->width);
        memcpy(out->C + (size_t)i * (size_t)a->count, a->rows, (size_t)a->count * sizeof *a->rows);
        memcpy(out->D + i * out->m, a->rows + a->count, (size_t)out->m * sizeof *a->rows);
    }
    for (int i = 0; i < a->count; ++i) {
        const double *rate = a->dX + (size_t)i * (size_t)a->width;
        memcpy(out->A + (size_t)i * (size_t)a->count, rate, (size_t)a->count * sizeof *rate);
        memcpy(out->B + i * out->m, rate + a->count, (size_t)out->m * sizeof *rate);
    }
    return status;
}

lb_status lb_form_continuous(lb_closed *k, int order, lb_matrices *out)
{
    assembly a = {.k = k, .order = order, .plant = k->plant.state_count};
    int reads = 0;
    for (int i = 0; i < k->controller_count; ++i) {
        reads += k->controllers[i].read_count;
    }
    a.holds = lb_arena_take(k->arena, (size_t)k->actuator_count + 1, sizeof *a.holds);
    a.delays = lb_arena_take(k->arena, (size_t)reads + 1, sizeof *a.delays);
    if (!a.holds || !a.delays) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < k->actuator_count; ++i) {
        const lb_feedback *feedback = &k->feedbacks.list[k->actuators[i].feedback];
        const lb_controller *c = &k->sim->control->controllers[feedback->controller];
        a.holds[i] = make_hold(order, c->sample.period);
    }
    for (int i = 0, at = 0; i < k->controller_count; ++i) {
        const lb_closed_controller *own = &k->controllers[i];
        for (int j = 0; j < own->read_count; ++j, ++at) {
            a.delays[at] = own->reads[j].age > 0.0 ? make_delay(order, own->reads[j].age)
                                                   : (filter){.order = 0};
        }
    }
    lay_out(&a);
    const size_t n = (size_t)a.count, m = (size_t)k->input_count, p = (size_t)k->output_count;
    a.width = (int)(n + m);
    a.names = lb_arena_take(k->arena, n + 1, sizeof *a.names);
    a.dX = lb_take_numbers(k->arena, n * (n + m) + 1);
    a.rows = lb_take_numbers(k->arena, 2 * (n + m) + 1);
    if (lb_take_matrices(k->arena, n, m, p, out) < 0 || !a.names || !a.dX || !a.rows) {
        return LB_E_MEMORY;
    }
    lay_out(&a);
    out->names = a.names + a.plant;
    return fill(&a, out);
}
