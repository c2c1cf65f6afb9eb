// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closed loops from sample to sample.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "closed_loop.h"
#include "linear/period/period.h"

// With more it would take minutes, and gigabytes.
enum { STATES_MAX = 3000 };

// The state while time goes on: plant; lags and held targets of actuators; memories; registers of sensors.
typedef struct hybrid {
    lb_closed *k;
    int plant, flowing; // states of the plant; with actuators those that change between samples
    int count, inputs, width;
    int cut;        // actuator that gets the last input
    double *P;      // count x width: the state by that at the beginning, and by inputs
    double *row;    // 2 x width of scratch
    double *moving; // flowing x width of scratch
    double *E;      // exponential over `step`
    double step;
    double *out; // command that was cut: width
    // where what is read is read: k, or where a motion has come to
    const lb_closed *now;
    double *turns; // along a motion: LB_TURN_INSTANTS x coordinates x count
    char (*names)[LB_COLUMN_SIZE];
} hybrid;

static int get_input_count(const hybrid *h)
{
    return h->k->input_count + (h->cut >= 0);
}

// ---- layout --------------------------------------------------------------------------------------

static void add_name(hybrid *h, int state, const char *controller, const char *what, int i)
{
    char *name = h->names[state];
    const char *dot = controller[0] ? "." : "";
    if (i < 0) {
        snprintf(name, LB_COLUMN_SIZE, "%.60s%s%.100s", controller, dot, what);
    } else {
        snprintf(name, LB_COLUMN_SIZE, "%.60s%s%.100s.%d", controller, dot, what, i);
    }
}

// Oldest sample of a sensor that is ever read.
static int find_oldest(const lb_closed *k, const lb_closed_controller *own,
                       const lb_closed_read *read)
{
    int oldest = 0;
    for (int n = 0; n < own->sample_count; ++n) {
        const int age = lb_find_sample_age(k, read, (double)n / own->sample_count);
        oldest = age > oldest ? age : oldest;
    }
    return oldest;
}

// Gives every part its states; with names once there is room for them.
static void lay_out(hybrid *h)
{
    lb_closed *k = h->k;
    int at = h->plant;
    for (int i = 0; i < k->actuator_count; ++i) {
        lb_closed_actuator *actuator = &k->actuators[i];
        const char *name = lb_get_force_info(k->sim->system.forces, actuator->force).name;
        actuator->lag_state = actuator->lag > 0.0 ? at++ : -1;
        if (h->names && actuator->lag > 0.0) {
            add_name(h, actuator->lag_state, "", name, -1);
        }
    }
    for (int i = 0; i < k->actuator_count; ++i) {
        k->actuators[i].target_state = at;
        if (h->names) {
            const lb_feedback *feedback = &k->feedbacks.list[k->actuators[i].feedback];
            add_name(h, at, feedback->name, "target", -1);
        }
        ++at;
    }
    h->flowing = at;
    for (int i = 0; i < k->controller_count; ++i) {
        lb_closed_controller *own = &k->controllers[i];
        own->first_memory = at;
        for (int j = 0; j < own->law.memory_count; ++j, ++at) {
            if (h->names) {
                add_name(h, at, own->c->name, own->law.names[j], -1);
            }
        }
        for (int j = 0; j < own->read_count; ++j) {
            lb_closed_read *read = &own->reads[j];
            const bool held = read->is_used && read->sensor >= 0;
            const int count = held ? find_oldest(k, own, read) + 1 : 0;
            read->first = held ? at : -1;
            for (int n = 0; n < count; ++n, ++at) {
                if (h->names) {
                    add_name(h, at, own->c->name, own->c->sensors[read->sensor].name, n);
                }
            }
        }
    }
    h->count = at;
}

// ---- rows ----------------------------------------------------------------------------------------

static double *get_row(const hybrid *h, int state)
{
    return h->P + (size_t)state * (size_t)h->width;
}

// What an actuator does at present.
static double *get_force_row(const hybrid *h, const lb_closed_actuator *actuator)
{
    return get_row(h, actuator->lag_state >= 0 ? actuator->lag_state : actuator->target_state);
}

// An output of the plant.
static void form_output(const hybrid *h, int output, double *row)
{
    const lb_closed *k = h->k;
    const double *C = h->now->C + (size_t)output * (size_t)h->plant;
    const double *D = h->now->plant.D + (size_t)output * (size_t)k->plant.input_count;
    memset(row, 0, (size_t)h->width * sizeof *row);
    for (int i = 0; i < h->plant; ++i) {
        if (C[i] != 0.0) {
            lb_add_scaled(h->width, C[i], get_row(h, i), row);
        }
    }
    for (int i = 0; i < k->actuator_count; ++i) {
        const double d = D[k->actuators[i].input];
        if (d != 0.0) {
            lb_add_scaled(h->width, d, get_force_row(h, &k->actuators[i]), row);
        }
    }
    for (int i = 0; i < k->input_count; ++i) {
        row[h->count + i] += k->plant_inputs[i] >= 0 ? D[k->plant_inputs[i]] : 0.0;
    }
}

// ---- samples -------------------------------------------------------------------------------------

static bool is_due(double time, int samples)
{
    const double at = time * samples;
    return fabs(at - nearbyint(at)) <= 1e-6;
}

static void sample_sensors(const hybrid *h, const lb_closed_controller *own, double time)
{
    for (int i = 0; i < own->read_count; ++i) {
        const lb_closed_read *read = &own->reads[i];
        if (read->first < 0 || !is_due(time, read->samples)) {
            continue;
        }
        const int oldest = find_oldest(h->k, own, read);
        for (int n = oldest; n > 0; --n) {
            memcpy(get_row(h, read->first + n), get_row(h, read->first + n - 1),
                   (size_t)h->width * sizeof *h->P);
        }
        form_output(h, read->output, get_row(h, read->first));
    }
}

// One command, before an actuator makes something of it; or one number of the memory.
static void add_memory(const hybrid *h, const lb_closed_controller *own, const double *slopes,
                       double *row)
{
    for (int i = 0; i < own->law.memory_count; ++i) {
        if (slopes[i] != 0.0) {
            lb_add_scaled(h->width, slopes[i], get_row(h, own->first_memory + i), row);
        }
    }
}

// Commands and new memory                                                               (CLL-1)
//
// given     fresh  room for as many rows as there are commands and numbers of memory
static void sample_controller(const hybrid *h, const lb_closed_controller *own, double time,
                              double *fresh)
{
    const lb_closed *k = h->k;
    const lb_law_slopes *law = &h->now->controllers[own - k->controllers].law;
    const int m = own->c->sample.channel_count, n = law->memory_count, r = law->read_count;
    const size_t width = (size_t)h->width;
    memset(fresh, 0, (size_t)(m + n) * width * sizeof *fresh);
    for (int i = 0; i < r; ++i) {
        const lb_closed_read *read = &own->reads[i];
        if (!read->is_used) {
            continue;
        }
        const double *row = h->row;
        if (read->first >= 0) {
            row = get_row(h, read->first + lb_find_sample_age(k, read, time));
        } else if (read->input >= 0) {
            memset(h->row, 0, width * sizeof *h->row);
            h->row[h->count + read->input] = 1.0;
        } else {
            form_output(h, read->output, h->row);
        }
        for (int j = 0; j < m; ++j) {
            lb_add_scaled(h->width, law->D[j * r + i], row, fresh + (size_t)j * width);
        }
        for (int j = 0; j < n; ++j) {
            lb_add_scaled(h->width, law->N[j * r + i], row, fresh + (size_t)(m + j) * width);
        }
    }
    for (int j = 0; j < m; ++j) {
        add_memory(h, own, law->C + j * n, fresh + (size_t)j * width);
    }
    for (int j = 0; j < n; ++j) {
        add_memory(h, own, law->M + j * n, fresh + (size_t)(m + j) * width);
    }
    memcpy(get_row(h, own->first_memory), fresh + (size_t)m * width,
           (size_t)n * width * sizeof *fresh);
    for (int i = 0; i < k->actuator_count; ++i) {
        const lb_closed_actuator *actuator = &k->actuators[i];
        const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
        if (feedback->controller != own->index) {
            continue;
        }
        const double *command = fresh + (size_t)feedback->channel * width;
        double *target = get_row(h, actuator->target_state);
        memset(target, 0, width * sizeof *target);
        if (i == h->cut) {
            memcpy(h->out, command, width * sizeof *command);
            target[h->width - 1] = actuator->gain;
        } else {
            lb_add_scaled(h->width, actuator->gain, command, target);
        }
        if (actuator->command_input >= 0) {
            target[h->count + actuator->command_input] += actuator->gain;
        }
    }
}

// ---- between samples -----------------------------------------------------------------------------

// Rates of plant and lags by themselves, by targets and by inputs                       (CLL-2)
//
//     x' = A x + B (f, u),   T f' = r - f,   r' = u' = 0
static void form_rates(const hybrid *h, const double *A, const double *B, double *F)
{
    const lb_closed *k = h->k;
    const int n = h->flowing + get_input_count(h), m = k->plant.input_count;
    memset(F, 0, (size_t)n * (size_t)n * sizeof *F);
    for (int i = 0; i < h->plant; ++i) {
        memcpy(F + i * n, A + i * h->plant, (size_t)h->plant * sizeof *F);
        for (int j = 0; j < k->input_count; ++j) {
            const int input = k->plant_inputs[j];
            F[i * n + h->flowing + j] = input >= 0 ? B[i * m + input] : 0.0;
        }
        for (int j = 0; j < k->actuator_count; ++j) {
            const lb_closed_actuator *a = &k->actuators[j];
            F[i * n + (a->lag_state >= 0 ? a->lag_state : a->target_state)] = B[i * m + a->input];
        }
    }
    for (int j = 0; j < k->actuator_count; ++j) {
        const lb_closed_actuator *a = &k->actuators[j];
        if (a->lag_state >= 0) {
            F[a->lag_state * n + a->lag_state] = -1.0 / a->lag;
            F[a->lag_state * n + a->target_state] = 1.0 / a->lag;
        }
    }
}

static void form_moving_rates(const void *user, const double *A, const double *B, double *F)
{
    form_rates(user, A, B, F);
}

// From one instant to the next, parts of the period.
static lb_status flow(hybrid *h, double from, double to)
{
    const int n = h->flowing + get_input_count(h);
    const double step = (to - from) * h->k->period;
    lb_status status = LB_OK;
    // of the plant alone, the search for the motion has left it
    const bool known = h->k->turn && n == h->plant &&
                       lb_recall_leg(h->k->turn, from * h->k->period, to * h->k->period, h->E);
    if (h->k->turn && !known) {
        status = lb_follow_turn(h->k->turn, to * h->k->period, n, form_moving_rates, h, h->E);
    } else if (!h->k->turn && !(fabs(step - h->step) <= 1e-12 * step)) {
        double *F = h->E + (size_t)n * (size_t)n;
        form_rates(h, h->k->A, h->k->plant.B, F);
        status = lb_form_exponential(n, F, step, h->E);
        h->step = step;
    }
    if (status < 0) {
        return status;
    }
    const size_t width = (size_t)h->width;
    memset(h->moving, 0, (size_t)h->flowing * width * sizeof *h->moving);
    for (int i = 0; i < h->flowing; ++i) {
        double *row = h->moving + (size_t)i * width;
        for (int j = 0; j < h->flowing; ++j) {
            const double e = h->E[i * n + j];
            if (e != 0.0) {
                lb_add_scaled(h->width, e, get_row(h, j), row);
            }
        }
        for (int j = h->flowing; j < n; ++j) {
            row[h->count + j - h->flowing] += h->E[i * n + j];
        }
    }
    memcpy(h->P, h->moving, (size_t)h->flowing * width * sizeof *h->P);
    return LB_OK;
}

// ---- one period ----------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Parts of the period at which something is sampled, without repetitions.
static int list_instants(const lb_closed *k, double *times, int most)
{
    int count = 0;
    for (int i = 0; i < k->controller_count; ++i) {
        const lb_closed_controller *own = &k->controllers[i];
        for (int j = -1; j < own->read_count; ++j) {
            const bool samples = j < 0 || own->reads[j].first >= 0;
            const int many = !samples ? 0 : j < 0 ? own->sample_count : own->reads[j].samples;
            for (int n = 0; n < many && count < most; ++n) {
                times[count++] = (double)n / many;
            }
        }
    }
    for (int n = 0; k->turn && n < LB_TURN_INSTANTS && count < most; ++n) {
        times[count++] = (double)n / LB_TURN_INSTANTS;
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || times[i] - times[kept - 1] > 1e-9) {
            times[kept++] = times[i];
        }
    }
    return kept;
}

static int count_instants(const lb_closed *k)
{
    int count = k->turn ? LB_TURN_INSTANTS : 0;
    for (int i = 0; i < k->controller_count; ++i) {
        const lb_closed_controller *own = &k->controllers[i];
        count += own->sample_count;
        for (int j = 0; j < own->read_count; ++j) {
            count += own->reads[j].first >= 0 ? own->reads[j].samples : 0;
        }
    }
    return count;
}

// Outputs just after the first sample.
static void fill_outputs(const hybrid *h, lb_matrices *out)
{
    for (int i = 0; i < h->k->output_count; ++i) {
        form_output(h, i, h->row);
        memcpy(out->C + (size_t)i * (size_t)h->count, h->row, (size_t)h->count * sizeof *h->row);
        memcpy(out->D + i * out->m, h->row + h->count, (size_t)out->m * sizeof *h->row);
    }
}

static bool is_sampled(const lb_closed *k, double time)
{
    bool sampled = false;
    for (int i = 0; i < k->controller_count; ++i) {
        const lb_closed_controller *own = &k->controllers[i];
        sampled = sampled || is_due(time, own->sample_count);
        for (int j = 0; j < own->read_count; ++j) {
            sampled = sampled || (own->reads[j].first >= 0 && is_due(time, own->reads[j].samples));
        }
    }
    return sampled;
}

// Takes the samples of an instant; along a motion, with sensors and laws linearised there.
static lb_status take_samples(hybrid *h, double time, double *fresh)
{
    lb_closed *k = h->k;
    const size_t half = (size_t)k->plant.coordinate_count, n = (size_t)h->count;
    lb_arena arena = lb_make_arena(NULL);
    lb_closed there;
    lb_status status = LB_OK;
    if (k->turn && is_due(time, LB_TURN_INSTANTS)) {
        const size_t at = (size_t)nearbyint(time * LB_TURN_INSTANTS);
        lb_note_instant(k->turn, (int)at);
        for (size_t i = 0; i < half; ++i) {
            memcpy(h->turns + (at * half + i) * n, get_row(h, (int)i), n * sizeof *h->turns);
        }
    }
    h->now = k;
    if (k->turn && is_sampled(k, time)) {
        status = lb_look_at_loop(k, &arena, &there);
        h->now = &there;
    }
    for (int i = 0; i < k->controller_count && status >= 0; ++i) {
        sample_sensors(h, &k->controllers[i], time);
    }
    for (int i = 0; i < k->controller_count && status >= 0; ++i) {
        if (is_due(time, k->controllers[i].sample_count)) {
            sample_controller(h, &k->controllers[i], time, fresh);
        }
    }
    h->now = k;
    lb_arena_free(&arena);
    return status;
}

// The state a period later                                                              (CLL-2)
//
// a product of samples, which change memories and targets at once, and of motions between them
static lb_status go_round(hybrid *h, lb_matrices *out)
{
    lb_closed *k = h->k;
    const int most = count_instants(k);
    double *times = lb_take_numbers(k->arena, (size_t)most + 1);
    int rows = 1;
    for (int i = 0; i < k->controller_count; ++i) {
        const int own =
            k->controllers[i].c->sample.channel_count + k->controllers[i].law.memory_count;
        rows = own > rows ? own : rows;
    }
    double *fresh = lb_take_numbers(k->arena, (size_t)rows * (size_t)h->width);
    if (!times || !fresh) {
        return LB_E_MEMORY;
    }
    const int count = list_instants(k, times, most);
    lb_status status = LB_OK;
    if (k->turn) {
        lb_restart_turn(k->turn);
    }
    for (int t = 0; t < count && status >= 0; ++t) {
        status = take_samples(h, times[t], fresh);
        if (t == 0 && status >= 0) {
            h->now = k;
            fill_outputs(h, out);
        }
        const double next = t + 1 < count ? times[t + 1] : 1.0;
        status = status < 0 ? status : flow(h, times[t], next);
    }
    return status;
}

// The jumps at each instant one by one, and the flow between them.
static lb_status form_pieces(hybrid *h, lb_sampled_loop *s)
{
    lb_closed *k = h->k;
    const size_t n = (size_t)h->count, width = (size_t)h->width, flowing = (size_t)h->flowing;
    const int all = h->flowing + get_input_count(h);
    int rows = 1;
    for (int i = 0; i < k->controller_count; ++i) {
        const int own =
            k->controllers[i].c->sample.channel_count + k->controllers[i].law.memory_count;
        rows = own > rows ? own : rows;
    }
    double *fresh = lb_take_numbers(k->arena, (size_t)rows * width);
    if (!fresh) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    for (int t = 0; t < s->piece_count && status >= 0; ++t) {
        memset(h->P, 0, n * width * sizeof *h->P);
        for (size_t i = 0; i < n; ++i) {
            h->P[i * width + i] = 1.0;
        }
        status = take_samples(h, s->times[t], fresh);
        memcpy(s->J + (size_t)t * n * width, h->P, n * width * sizeof *h->P);
        status = status < 0 ? status : flow(h, s->times[t], s->times[t + 1]);
        for (size_t i = 0; i < flowing && status >= 0; ++i) {
            memcpy(s->E + ((size_t)t * flowing + i) * flowing, h->E + i * (size_t)all,
                   flowing * sizeof *s->E);
        }
    }
    // rates between samples, and outputs
    double *F = h->E + (size_t)all * (size_t)all;
    form_rates(h, k->A, k->plant.B, F);
    for (size_t i = 0; i < flowing; ++i) {
        memcpy(s->F + i * flowing, F + i * (size_t)all, flowing * sizeof *F);
        memcpy(s->B + i * (size_t)s->m, F + i * (size_t)all + flowing, (size_t)s->m * sizeof *F);
    }
    memset(h->P, 0, n * width * sizeof *h->P);
    for (size_t i = 0; i < n; ++i) {
        h->P[i * width + i] = 1.0;
    }
    for (int i = 0; i < s->p; ++i) {
        form_output(h, i, h->row);
        memcpy(s->C + (size_t)i * flowing, h->row, flowing * sizeof *h->row);
        memcpy(s->D + i * s->m, h->row + n, (size_t)s->m * sizeof *h->row);
    }
    return status;
}

// Leaves out states behind the plant's that nothing depends on.
static void prune(hybrid *h, lb_matrices *out)
{
    int n = out->n;
    for (int j = h->plant; j < n;) {
        bool dead = true;
        for (int i = 0; i < n; ++i) {
            dead = dead && (i == j || out->A[i * n + j] == 0.0);
        }
        dead = dead && out->A[j * n + j] == 0.0;
        for (int i = 0; i < out->p; ++i) {
            dead = dead && out->C[i * n + j] == 0.0;
        }
        if (!dead) {
            ++j;
            continue;
        }
        // A, B, C without row and column j, in place
        for (int i = 0, to = 0; i < n; ++i) {
            for (int c = 0; c < n && i != j; ++c) {
                if (c != j) {
                    out->A[to++] = out->A[i * n + c];
                }
            }
        }
        for (int i = 0, to = 0; i < out->p * n; ++i) {
            if (i % n != j) {
                out->C[to++] = out->C[i];
            }
        }
        const int rows = out->turns ? LB_TURN_INSTANTS * h->k->plant.coordinate_count : 0;
        for (int i = 0, to = 0; i < rows * n; ++i) {
            if (i % n != j) {
                out->turns[to++] = out->turns[i];
            }
        }
        memmove(out->B + j * out->m, out->B + (j + 1) * out->m,
                (size_t)(n - j - 1) * (size_t)out->m * sizeof *out->B);
        memmove(h->names[j], h->names[j + 1], (size_t)(n - j - 1) * sizeof *h->names);
        --n;
        j = h->plant; // others may be dead now
    }
    out->n = n;
}

static bool take_hybrid(hybrid *h)
{
    const size_t n = (size_t)h->count, m = (size_t)get_input_count(h), width = n + m;
    const size_t flowing = (size_t)h->flowing + m;
    lb_arena *arena = h->k->arena;
    h->width = (int)width;
    h->names = lb_arena_take(arena, n + 1, sizeof *h->names);
    h->P = lb_take_numbers(arena, n * width + 1);
    h->row = lb_take_numbers(arena, 2 * width + 1);
    h->moving = lb_take_numbers(arena, (size_t)h->flowing * width + 1);
    h->E = lb_take_numbers(arena, 2 * flowing * flowing + 1);
    h->out = lb_take_numbers(arena, width + 1);
    h->now = h->k;
    if (h->k->turn) {
        const size_t coordinates = (size_t)h->k->plant.coordinate_count;
        h->turns = lb_take_numbers(arena, LB_TURN_INSTANTS * coordinates * n + 1);
    }
    return (h->turns || !h->k->turn) && h->names && h->P && h->row && h->moving && h->E && h->out;
}

lb_status lb_form_sampled(lb_closed *k, lb_sampled_loop **out)
{
    static const double most = 1 << 23; // numbers
    hybrid h = {.k = k, .plant = k->plant.state_count, .cut = -1};
    lay_out(&h);
    const size_t n = (size_t)h.count, m = (size_t)k->input_count, p = (size_t)k->output_count;
    const size_t flowing = (size_t)h.flowing, instants = (size_t)count_instants(k);
    *out = NULL;
    lb_sampled_loop *s = lb_arena_take(k->arena, 1, sizeof *s);
    double *times = lb_take_numbers(k->arena, instants + 2);
    if (!s || !times || !take_hybrid(&h)) {
        return LB_E_MEMORY;
    }
    lay_out(&h);
    *s = (lb_sampled_loop){.n = h.count, .flowing = h.flowing, .m = (int)m, .p = (int)p};
    s->period = k->period;
    s->times = times;
    s->piece_count = list_instants(k, times, (int)instants);
    times[s->piece_count] = 1.0;
    const size_t pieces = (size_t)s->piece_count, squares = flowing * flowing;
    const double all =
        (double)pieces * ((double)n * (double)(n + m) + (double)(2 * p + 1) * (double)squares);
    if (all > most || m == 0 || p == 0) {
        return LB_OK;
    }
    s->F = lb_take_numbers(k->arena, squares + 1);
    s->B = lb_take_numbers(k->arena, flowing * m + 1);
    s->C = lb_take_numbers(k->arena, p * flowing + 1);
    s->D = lb_take_numbers(k->arena, p * m + 1);
    s->J = lb_take_numbers(k->arena, pieces * n * (n + m) + 1);
    s->E = lb_take_numbers(k->arena, pieces * squares + 1);
    s->A = lb_take_numbers(k->arena, n * n + 1);
    if (!s->F || !s->B || !s->C || !s->D || !s->J || !s->E || !s->A) {
        return LB_E_MEMORY;
    }
    lb_matrices x;
    lb_status status = form_pieces(&h, s);
    h.step = 0.0;
    memset(h.P, 0, n * (n + m) * sizeof *h.P);
    for (size_t i = 0; i < n; ++i) {
        h.P[i * (n + m) + i] = 1.0;
    }
    status = status < 0 ? status : lb_take_matrices(k->arena, n, m, p, &x);
    status = status < 0 ? status : go_round(&h, &x);
    for (size_t i = 0; i < n && status >= 0; ++i) {
        memcpy(s->A + i * n, h.P + i * (n + m), n * sizeof *s->A);
    }
    for (size_t i = 0; i <= pieces; ++i) {
        s->times[i] *= s->period;
    }
    *out = status < 0 ? NULL : s;
    return status;
}

lb_status lb_form_discrete(lb_closed *k, int cut, lb_matrices *out)
{
    hybrid h = {.k = k, .plant = k->plant.state_count, .cut = cut};
    lay_out(&h);
    if (h.count > STATES_MAX) {
        return lb_say(
            &k->sim->system, LB_E_UNSUPPORTED,
            "linear: the discrete model has %d states, expected at most %d: readings that "
            "are very late need one for each sample on the way",
            h.count, (int)STATES_MAX);
    }
    const size_t n = (size_t)h.count, m = (size_t)get_input_count(&h);
    const size_t p = (size_t)k->output_count + (cut >= 0), width = n + m;
    if (!take_hybrid(&h) || lb_take_matrices(k->arena, n, m, p, out) < 0) {
        return LB_E_MEMORY;
    }
    lay_out(&h);
    out->turns = h.turns;
    for (size_t i = 0; i < n; ++i) {
        h.P[i * width + i] = 1.0;
    }
    const lb_status status = go_round(&h, out);
    if (status < 0) {
        return status;
    }
    for (size_t i = 0; i < n; ++i) {
        memcpy(out->A + i * n, h.P + i * width, n * sizeof *out->A);
        memcpy(out->B + i * m, h.P + i * width + n, m * sizeof *out->B);
    }
    if (cut >= 0) {
        memcpy(out->C + (p - 1) * n, h.out, n * sizeof *out->C);
        memcpy(out->D + (p - 1) * m, h.out + n, m * sizeof *out->D);
    }
    prune(&h, out);
    out->names = h.names + h.plant;
    return LB_OK;
}
