// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of laws that have no formula for them: computed torque, acceleration matching, callbacks.
#include <math.h>
#include <string.h>

#include "base/differences.h"
#include "control.h"

// A law as a function of what it reads and remembers.
typedef struct probe {
    lb_simulation *sim;
    lb_controller *c;
    int memory_count, read_count, output_count;
    bool is_rough; // slopes of two steps need not agree
    double *const *memory;
    // nominal values: memory, readings, positions, speeds and desired positions; q and v of the system; all of the law
    double *kept, *sample, *q, *v, *law;
    double *way; // v_count
} probe;

static void visit_law(const probe *p, lb_memory_task task)
{
    lb_memory memory = {task, 0, p->law};
    if (p->c->law->remember) {
        p->c->law->remember(&memory, p->sim, p->c);
    }
}

static int get_sample_count(const lb_controller *c)
{
    return c->sample.sensor_count + 3 * c->sample.channel_count;
}

static void put_back(const probe *p)
{
    lb_controller *c = p->c;
    lb_system *s = &p->sim->system;
    const size_t sensors = (size_t)c->sample.sensor_count, n = (size_t)c->sample.channel_count;
    visit_law(p, LB_MEMORY_RESTORE);
    memcpy(c->readings, p->sample, sensors * sizeof *p->sample);
    memcpy(c->position, p->sample + sensors, n * sizeof *p->sample);
    memcpy(c->speed, p->sample + sensors + n, n * sizeof *p->sample);
    memcpy(c->desired[0], p->sample + sensors + 2 * n, n * sizeof *p->sample);
    memcpy(s->q, p->q, (size_t)s->q_count * sizeof *s->q);
    memcpy(s->v, p->v, (size_t)s->v_count * sizeof *s->v);
    for (int i = 0; i < p->memory_count; ++i) {
        *p->memory[i] = p->kept[i];
    }
}

// Moves argument i, of memory, then of what is read, by h.
static void move(const probe *p, int i, double h)
{
    lb_controller *c = p->c;
    lb_system *s = &p->sim->system;
    const int sensors = c->sample.sensor_count, n = c->sample.channel_count;
    int at = i - p->memory_count;
    if (at < 0) {
        *p->memory[i] += h;
    } else if (at < sensors) {
        c->readings[at] += h;
    } else if ((at -= sensors) < n) {
        c->position[at] += h;
    } else if ((at -= n) < n) {
        c->speed[at] += h;
    } else if ((at -= n) < n) {
        c->desired[0][at] += h;
    } else if ((at -= n) < s->v_count) {
        memset(p->way, 0, (size_t)s->v_count * sizeof *p->way);
        p->way[at] = h;
        lb_integrate_configuration(s->model, p->q, p->way, s->q);
    } else {
        s->v[at - s->v_count] += h;
    }
}

// Commands, then memory, after argument i was moved by h.
static lb_status evaluate(const probe *p, int i, double h, double *out)
{
    const int n = p->c->sample.channel_count;
    put_back(p);
    if (h != 0.0) {
        move(p, i, h);
    }
    const lb_status status = p->c->law->update(p->sim, p->c);
    memcpy(out, p->c->commands, (size_t)n * sizeof *out);
    for (int k = 0; k < p->memory_count; ++k) {
        out[n + k] = *p->memory[k];
    }
    return status;
}

// One argument that is moved.
typedef struct line {
    const probe *p;
    int argument;
    double *out;
} line;

static lb_status follow_line(void *user, double step, lb_line_slope *x)
{
    const line *l = user;
    const lb_status status = evaluate(l->p, l->argument, step, l->out);
    for (int i = 0; i < l->p->output_count && status >= 0; ++i) {
        x[i].value = l->out[i];
    }
    return status;
}

// The slopes by argument i                                                              (DER-9)
//
// where those of two steps do not agree to 1e-6, or to round-off, there is none
static lb_status find_slopes(const probe *p, int i, double size, double *out, lb_line_slope *x)
{
    line l = {p, i, out};
    const double step = 1e-2 * size;
    const lb_status status = lb_difference_line(follow_line, &l, step, p->output_count, x);
    bool even = true;
    for (int j = 0; j < p->output_count && status >= 0; ++j) {
        even = even && isfinite(x[j].slope) &&
               (p->is_rough || x[j].error <= 1e-6 * fabs(x[j].slope) + 1e-9 * x[j].size / step);
    }
    return status < 0 ? status : even ? LB_OK : LB_E_NUMBER;
}

static lb_status take(lb_arena *arena, probe *p)
{
    const lb_system *s = &p->sim->system;
    lb_memory memory = {LB_MEMORY_COUNT, 0, NULL};
    if (p->c->law->remember) {
        p->c->law->remember(&memory, p->sim, p->c);
    }
    p->kept = lb_take_numbers(arena, (size_t)p->memory_count + 1);
    p->sample = lb_take_numbers(arena, (size_t)get_sample_count(p->c) + 1);
    p->q = lb_take_numbers(arena, (size_t)s->q_count + 1);
    p->v = lb_take_numbers(arena, 2 * (size_t)s->v_count + 1);
    p->law = lb_take_numbers(arena, (size_t)memory.count + 1);
    if (!p->kept || !p->sample || !p->q || !p->v || !p->law) {
        return LB_E_MEMORY;
    }
    p->way = p->v + s->v_count;
    return LB_OK;
}

static void keep(const probe *p)
{
    const lb_controller *c = p->c;
    const lb_system *s = &p->sim->system;
    const size_t sensors = (size_t)c->sample.sensor_count, n = (size_t)c->sample.channel_count;
    visit_law(p, LB_MEMORY_SAVE);
    memcpy(p->sample, c->readings, sensors * sizeof *p->sample);
    memcpy(p->sample + sensors, c->position, n * sizeof *p->sample);
    memcpy(p->sample + sensors + n, c->speed, n * sizeof *p->sample);
    memcpy(p->sample + sensors + 2 * n, c->desired[0], n * sizeof *p->sample);
    memcpy(p->q, s->q, (size_t)s->q_count * sizeof *s->q);
    memcpy(p->v, s->v, (size_t)s->v_count * sizeof *s->v);
    for (int i = 0; i < p->memory_count; ++i) {
        p->kept[i] = *p->memory[i];
    }
}

lb_status lb_difference_law(lb_simulation *sim, lb_controller *c, double *const *memory,
                            const double *sizes, lb_law_slopes *slopes)
{
    lb_arena arena = lb_make_arena(NULL);
    const int n = c->sample.channel_count, m = slopes->memory_count, r = slopes->read_count;
    probe p = {.sim = sim,
               .c = c,
               .memory_count = m,
               .read_count = r,
               .output_count = n + m,
               .is_rough = slopes->is_kept, // a search that finds out by itself
               .memory = memory};
    double *nominal = lb_take_numbers(&arena, 2 * (size_t)(n + m)), *out = nominal + n + m;
    lb_line_slope *x = lb_arena_take(&arena, (size_t)(n + m), sizeof *x);
    lb_status status = nominal && x ? take(&arena, &p) : LB_E_MEMORY;
    if (status >= 0) {
        keep(&p);
        status = evaluate(&p, 0, 0.0, nominal);
    }
    for (int i = 0; i < m + r && status >= 0; ++i) {
        status = find_slopes(&p, i, i < m ? sizes[i] : slopes->scales[i - m], out, x);
        for (int k = 0; k < n + m && status >= 0; ++k) {
            double *to = k < n ? (i < m ? slopes->C : slopes->D) : (i < m ? slopes->M : slopes->N);
            const int width = i < m ? m : r;
            to[(k < n ? k : k - n) * width + (i < m ? i : i - m)] = x[k].slope;
        }
    }
    // a law that answers otherwise than at first remembers something that nobody else knows of
    if (status >= 0) {
        status = evaluate(&p, 0, 0.0, out);
        for (int k = 0; k < n + m && status >= 0; ++k) {
            status = out[k] == nominal[k] ? LB_OK : LB_E_STAGE;
        }
        memcpy(c->commands, nominal, (size_t)n * sizeof *nominal);
    }
    if (p.law) {
        put_back(&p);
    }
    for (int i = 0; i < m && status >= 0; ++i) {
        slopes->drift[i] = nominal[n + i] - *memory[i];
    }
    lb_arena_free(&arena);
    return status;
}
