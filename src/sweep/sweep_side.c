// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples side by side: which may be, in which groups, from which initial states, and what is kept of their runs. How
// they are simulated is the caller's.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "document/values.h"
#include "limber/forces.h"
#include "simulate/forces/force_set.h"
#include "simulate/run/simulation.h"
#include "sweep.h"
#include "sweep_files.h"
#include "tally.h"

// Each group of samples with other force elements or bodies is another program.
enum { GROUP_MOST = 64 };

// ---- what may be ---------------------------------------------------------------------------------

static lb_status refuse(const lb_report *report, const char *format, ...) LB_PRINTF(2, 3);
static lb_status refuse(const lb_report *report, const char *format, ...)
{
    char message[LB_SWEEP_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const lb_diagnostic why = {
        .size = sizeof why, .path = "", .severity = LB_SEVERITY_ERROR, .message = message};
    if (report && report->emit) {
        report->emit(report->user, &why);
    }
    return LB_E_UNSUPPORTED;
}

// What loading or preparing said.
static lb_status pass_on(const lb_sweep *s, const lb_report *report, lb_status status)
{
    if (status < 0 && status != LB_E_MEMORY) {
        (void)refuse(report, "%s", s->message[0] ? s->message : lb_get_status_text(status));
    }
    return status;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); ++at) {
        const bool starts = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (starts && !isalnum((unsigned char)at[length]) && at[length] != '_') {
            return true;
        }
    }
    return false;
}

// Whether a parameter does more than change initial states.
//
// @param where  out: in words
static bool is_program(const lb_sweep *s, int variation, char where[LB_SWEEP_MESSAGE])
{
    const char *name = s->variations[variation].name;
    lb_parameter_use use = {.file = NULL};
    for (int i = 0; i < s->output_count; ++i) {
        if (s->outputs[i].text && has_word(s->outputs[i].text, name)) {
            (void)snprintf(where, LB_SWEEP_MESSAGE, "output '%s'", s->outputs[i].name);
            return true;
        }
    }
    const bool found = lb_is_parameter_used_beside(s->document, name, "initial", &use);
    (void)snprintf(where, LB_SWEEP_MESSAGE, use.line ? "line %d of the model" : "the model",
                   use.line);
    return found;
}

static lb_status check_plan(const lb_sweep *s, const lb_report *report)
{
    if (s->job > LB_JOB_LOADS) {
        return refuse(report, "job: only run and loads go side by side; leave out --gpu");
    }
    for (int i = 0; i < s->output_count; ++i) {
        if (s->outputs[i].kind != LB_KEEP_SIGNAL) {
            return refuse(report,
                          "output '%s': only signals are kept side by side; leave it out, or "
                          "leave out --gpu",
                          s->outputs[i].name);
        }
    }
    double values = 1.0;
    for (int i = 0; i < s->variation_count; ++i) {
        char where[LB_SWEEP_MESSAGE];
        const lb_variation *v = &s->variations[i];
        if (!is_program(s, i, where)) {
            continue;
        }
        values *= v->distribution == LB_VALUES ? (double)v->value_count : HUGE_VAL;
        if (values > GROUP_MOST) {
            return refuse(report,
                          "parameter '%s' is used in %s: every value of it is another program on "
                          "the graphics processor, of which there may be %d; vary what `initial` "
                          "uses, give few values, or leave out --gpu",
                          v->name, where, GROUP_MOST);
        }
    }
    return LB_OK;
}

static lb_status check_simulation(const lb_simulation *simulation, const lb_report *report)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    if (!lb_is_fixed_step(o.integrator)) {
        return refuse(report,
                      "run.integrator: %s has no fixed step; use rk4, euler or alpha with a step, "
                      "or leave out --gpu",
                      lb_get_integrator_name(o.integrator));
    }
    const double ratio = o.interval / o.step;
    if (fabs(ratio - floor(ratio + 0.5)) > 1e-9 * ratio) {
        return refuse(report,
                      "run.interval: %g s is not a multiple of the step of %g s; change one of "
                      "them, or leave out --gpu",
                      o.interval, o.step);
    }
    if (simulation->event_count > 0) {
        return refuse(report, "event '%s': events do not go side by side; leave out --gpu",
                      simulation->events[0].name);
    }
    if (simulation->sampler) {
        return refuse(report,
                      "controllers: they do not go side by side; leave out --gpu, or use a motor "
                      "with an expression");
    }
    return LB_OK;
}

// ---- one sample ----------------------------------------------------------------------------------

// A simulation of the settings, with the signals of the plan as its outputs, ready to start.
//
// @param model  in, out: NULL to load it too
static lb_status load(lb_sweep *s, lb_model **model, lb_simulation **simulation)
{
    const lb_report report = {lb_keep_sweep_message, s};
    int output = -1;
    *simulation = NULL;
    s->message[0] = '\0';
    lb_status status =
        lb_set_parameters(s->document, s->settings, s->fixed_count + s->variation_count, &report);
    if (status >= 0 && !*model) {
        status = lb_load_document_model(s->document, &report, model);
    }
    status = status < 0 ? status : lb_load_simulation(s->document, *model, &report, simulation);
    if (status >= 0) {
        (*simulation)->output_count = 0; // nobody looks at those of the model
        status = lb_add_sweep_signals(s, *simulation, &output);
    }
    status = status < 0 ? status : lb_prepare_sample(s, *simulation);
    return lb_keep_sweep_reason(s, *simulation, status < 0 ? status : LB_OK);
}

static lb_status find_initial(lb_sweep *s, lb_model *model, double *q, double *v)
{
    lb_simulation *simulation = NULL;
    const double *q0, *v0;
    double t;
    lb_status status = load(s, &model, &simulation);
    status = status < 0 ? status : lb_start_simulation(simulation);
    if (status >= 0) {
        lb_get_simulation_state(simulation, &t, &q0, &v0, NULL);
        memcpy(q, q0, (size_t)lb_get_q_count(model) * sizeof *q);
        memcpy(v, v0, (size_t)lb_get_v_count(model) * sizeof *v);
    }
    lb_destroy_simulation(simulation);
    return status < 0 ? status : LB_OK;
}

// ---- groups --------------------------------------------------------------------------------------

typedef struct group {
    lb_sweep *sweep;
    const lb_side_by_side *sides;
    const int64_t *indices; // of samples
    int64_t count;
    double *values;      // of one sample
    double *q, *v, *y;   // all states, all outputs
    lb_tally *tallies;   // count x outputs
    unsigned char *lost; // whether a sample is left to the engine
    double now, step;
    bool goes_on;
} group;

static lb_status take_row(group *g, bool is_first, double before)
{
    const int outputs = g->sweep->output_count;
    const lb_status status = g->sides->compute_outputs(g->sides->user, g->now, g->y);
    for (int64_t i = 0; status >= 0 && i < g->count; ++i) {
        for (int k = 0; k < outputs; ++k) {
            const double y = g->y[i * outputs + k];
            g->lost[i] = g->lost[i] || !isfinite(y);
            lb_add_to_tally(&g->tallies[i * outputs + k], y, g->now, before, is_first);
        }
    }
    return status;
}

// Steps end on the grid of the integrator, at the end, and where functions of time jump or have kinks, as in
// src/simulate/integrate/fixed_step.c.
static lb_status advance(group *g, const lb_forces *forces, double end)
{
    const double slack = 1e-9 * g->step;
    lb_status status = LB_OK;
    while (status >= 0 && g->now < end - slack) {
        const double stop = lb_get_next_break(forces, g->now);
        const double limit = fmin(end, stop), grid = floor(g->now / g->step + 1e-9);
        const double whole = floor((limit - g->now) / g->step + 1e-9);
        double target = fmin((grid + 1.0) * g->step, limit), steps = 1.0;
        if (fabs(grid * g->step - g->now) <= slack && whole >= 1.0) {
            steps = whole;
            target = (grid + whole) * g->step;
        }
        target = fabs(target - limit) <= slack ? limit : target;
        status = g->sides->advance(g->sides->user, g->now, (target - g->now) / steps,
                                   (int64_t)steps, nextafter(stop, -INFINITY), g->goes_on);
        g->now = target;
        g->goes_on = target < stop;
    }
    return status;
}

static lb_status simulate(group *g, lb_simulation *simulation)
{
    const lb_sweep *s = g->sweep;
    const lb_forces *forces = lb_get_simulation_forces(simulation);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    const double tiny = 1e-9 * o.interval;
    double row = 0.0;
    g->step = o.step;
    g->now = 0.0;
    g->goes_on = false;
    lb_status status = g->sides->start(g->sides->user, g->q, g->v);
    status = status < 0 ? status : take_row(g, true, 0.0);
    while (status >= 0 && g->now < o.duration - tiny) {
        const double before = g->now;
        row += 1.0;
        double t = row * o.interval;
        t = t > o.duration - tiny ? o.duration : t;
        status = advance(g, forces, t);
        status = status < 0 ? status : take_row(g, false, before);
        if (s->stop && s->stop(s->user)) {
            return LB_NEWS_INTERRUPTED;
        }
    }
    return status < 0 ? status : LB_OK;
}

// What became of each sample. Those that are lost are computed by the engine.
static lb_status report_samples(group *g, lb_sample_done *done, void *user)
{
    lb_sweep *s = g->sweep;
    lb_status status = LB_OK;
    for (int64_t i = 0; status == LB_OK && i < g->count; ++i) {
        double *outputs = g->y + i * s->output_count;
        lb_status result = LB_OK;
        if (g->lost[i]) {
            lb_compute_sample(s, g->indices[i], g->values);
            result = lb_evaluate_sample(s, g->values, outputs);
            if (result == LB_NEWS_INTERRUPTED || result == LB_E_MEMORY) {
                return result;
            }
        }
        for (int k = 0; !g->lost[i] && k < s->output_count; ++k) {
            outputs[k] = lb_get_tally(&g->tallies[i * s->output_count + k],
                                      (lb_signal_value)s->outputs[k].number, g->now);
        }
        status = done(user, g->indices[i], result, outputs, g->lost[i] ? s->message : "");
    }
    return status;
}

static lb_status find_states(group *g, lb_model *model)
{
    lb_sweep *s = g->sweep;
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    for (int64_t i = 0; i < g->count; ++i) {
        lb_compute_sample(s, g->indices[i], g->values);
        lb_status status = lb_set_sample_values(s, g->values);
        double *q = g->q + (size_t)i * nq, *v = g->v + (size_t)i * n;
        status = status < 0 ? status : find_initial(s, model, q, v);
        if (status == LB_E_MEMORY) {
            return status;
        }
        // the engine says why; here any state will do
        g->lost[i] = status < 0;
        if (status < 0) {
            lb_get_neutral_configuration(model, q);
            memset(v, 0, n * sizeof *v);
        }
        if (s->stop && i % 64 == 0 && s->stop(s->user)) {
            return LB_NEWS_INTERRUPTED;
        }
    }
    return LB_OK;
}

static bool take_memory(group *g, const lb_model *model)
{
    const size_t count = (size_t)g->count, outputs = (size_t)g->sweep->output_count;
    g->q = malloc((count * (size_t)lb_get_q_count(model) + 1) * sizeof *g->q);
    g->v = malloc((count * (size_t)lb_get_v_count(model) + 1) * sizeof *g->v);
    g->y = malloc((count * outputs + 1) * sizeof *g->y);
    g->tallies = calloc(count * outputs + 1, sizeof *g->tallies);
    g->lost = calloc(count + 1, 1);
    return g->q && g->v && g->y && g->tallies && g->lost;
}

// A group whose values of the first sample hold for all but initial states.
static lb_status run_group(group *g, const lb_report *report, lb_sample_done *done, void *user)
{
    lb_sweep *s = g->sweep;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_compute_sample(s, g->indices[0], g->values);
    lb_status status = lb_set_sample_values(s, g->values);
    status = status < 0 ? status : load(s, &model, &simulation);
    if (status < 0) {
        // no sample of the group can be built: each has its own words
        g->lost = malloc((size_t)g->count + 1);
        g->y = malloc(((size_t)g->count * (size_t)s->output_count + 1) * sizeof *g->y);
        if (g->lost && g->y && status != LB_E_MEMORY) {
            memset(g->lost, 1, (size_t)g->count);
            status = report_samples(g, done, user);
        } else {
            status = LB_E_MEMORY;
        }
    } else {
        status = check_simulation(simulation, report);
        status = status < 0 ? status : g->sides->open(g->sides->user, simulation, g->count);
        status = status < 0 ? status : take_memory(g, model) ? LB_OK : LB_E_MEMORY;
        status = status != LB_OK ? status : find_states(g, model);
        status = status != LB_OK ? status : simulate(g, simulation);
        status = status != LB_OK ? status : report_samples(g, done, user);
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    free(g->q);
    free(g->v);
    free(g->y);
    free(g->tallies);
    free(g->lost);
    return status;
}

// ---- all -----------------------------------------------------------------------------------------

lb_status lb_check_side_by_side(lb_sweep *s, const lb_report *report)
{
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_status status = check_plan(s, report);
    if (status < 0) {
        return status;
    }
    double *values = calloc((size_t)s->variation_count + 1, sizeof *values);
    if (!values) {
        return LB_E_MEMORY;
    }
    lb_compute_sample(s, 0, values);
    status = lb_set_sample_values(s, values);
    status = pass_on(s, report, status < 0 ? status : load(s, &model, &simulation));
    status = status < 0 ? status : check_simulation(simulation, report);
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    free(values);
    return status;
}

// Whether two samples have the same program.
static bool are_alike(const lb_sweep *s, const bool *matters, const double *x, const double *y)
{
    bool alike = true;
    for (int i = 0; i < s->variation_count; ++i) {
        alike = alike && (!matters[i] || x[i] == y[i]);
    }
    return alike;
}

// Puts indices of one program one behind the other. `ends` gets where each group ends.
static int sort_groups(const lb_sweep *s, const bool *matters, double *values, int64_t count,
                       const int64_t *indices, int64_t *sorted, int64_t *ends)
{
    const size_t n = (size_t)s->variation_count;
    double *firsts = values + n; // of each group
    int group_count = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < count; ++i) { // which groups there are
        int k = 0;
        lb_compute_sample(s, indices[i], values);
        while (k < group_count && !are_alike(s, matters, values, firsts + (size_t)k * n)) {
            ++k;
        }
        if (k == group_count && group_count < GROUP_MOST) {
            memcpy(firsts + (size_t)group_count++ * n, values, n * sizeof *values);
        }
    }
    for (int k = 0; k < group_count; ++k) {
        for (int64_t i = 0; i < count; ++i) {
            lb_compute_sample(s, indices[i], values);
            if (are_alike(s, matters, values, firsts + (size_t)k * n)) {
                sorted[used++] = indices[i];
            }
        }
        ends[k] = used;
    }
    return group_count;
}

lb_status lb_evaluate_samples(lb_sweep *s, const lb_side_by_side *sides, int64_t count,
                              const int64_t *indices, const lb_report *report, lb_sample_done *done,
                              void *user)
{
    lb_side_by_side own;
    memset(&own, 0, sizeof own);
    if (lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_side_by_side, compute_outputs), sides) !=
        LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = check_plan(s, report);
    if (status < 0 || count <= 0) {
        return status;
    }
    const size_t n = (size_t)s->variation_count;
    bool *matters = calloc(n + 1, sizeof *matters);
    double *values = malloc((n * (GROUP_MOST + 1) + 1) * sizeof *values);
    int64_t *sorted = malloc((size_t)count * sizeof *sorted), ends[GROUP_MOST];
    status = matters && values && sorted ? LB_OK : LB_E_MEMORY;
    char where[LB_SWEEP_MESSAGE];
    for (int i = 0; status == LB_OK && i < s->variation_count; ++i) {
        matters[i] = is_program(s, i, where);
    }
    const int groups =
        status == LB_OK ? sort_groups(s, matters, values, count, indices, sorted, ends) : 0;
    for (int k = 0; status == LB_OK && k < groups; ++k) {
        const int64_t start = k ? ends[k - 1] : 0;
        group g = {.sweep = s,
                   .sides = &own,
                   .indices = sorted + start,
                   .count = ends[k] - start,
                   .values = values};
        status = run_group(&g, report, done, user);
    }
    free(matters);
    free(values);
    free(sorted);
    return status;
}
