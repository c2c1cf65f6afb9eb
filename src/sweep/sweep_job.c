// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The job of one sample: a run, modes or margins, and the numbers that are kept of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/linear.h"
#include "limber/simulate.h"
#include "simulate/record/record.h"
#include "simulate/run/simulation.h"
#include "simulate/store/audit_entries.h"
#include "sweep.h"
#include "tally.h"

// ---- messages ----------------------------------------------------------------------------------

// The first error of a report, on one line.
void lb_keep_sweep_message(void *user, const lb_diagnostic *d)
{
    lb_sweep *s = user;
    if (d->severity == LB_SEVERITY_ERROR && !s->message[0]) {
        const bool has_path = d->path && d->path[0];
        snprintf(s->message, sizeof s->message, "%s%s%s", has_path ? d->path : "",
                 has_path ? ": " : "", d->message);
    }
}

lb_status lb_keep_sweep_reason(lb_sweep *s, const lb_simulation *simulation, lb_status status)
{
    const char *said = status < 0 && simulation ? lb_get_simulation_message(simulation) : "";
    if (status < 0 && !s->message[0]) {
        snprintf(s->message, sizeof s->message, "%s", said[0] ? said : lb_get_status_text(status));
    }
    return status;
}

// ---- runs --------------------------------------------------------------------------------------

// Signals of the outputs are recorded under names of their own, which makes expressions of them possible.
lb_status lb_add_sweep_signals(lb_sweep *s, lb_simulation *simulation, int *output)
{
    lb_signals *signals = lb_get_force_signals(lb_get_simulation_forces(simulation));
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < s->output_count; ++i) {
        char name[32];
        lb_signal_options options = lb_default_signal_options();
        if (s->outputs[i].kind != LB_KEEP_SIGNAL) {
            continue;
        }
        *output = i;
        snprintf(name, sizeof name, "sweep_output_%d", i);
        options.name = name;
        options.expression = s->outputs[i].text;
        status = lb_add_signal(signals, &options, NULL);
        status = status < 0 ? status : lb_add_output(simulation, name);
    }
    *output = status < 0 ? *output : -1;
    return status;
}

// One row: the signals of the plan are the last ones that are recorded.
static lb_status take_row(lb_sweep *s, lb_simulation *simulation, lb_tally *tallies,
                          int signal_count, double *before, bool is_first)
{
    double t;
    int count = 0;
    const lb_status status = lb_record_simulation(simulation);
    if (status < 0) {
        return status;
    }
    const double *row = lb_get_recorded_signals(simulation, &count) + (count - signal_count);
    lb_get_simulation_state(simulation, &t, NULL, NULL, NULL);
    for (int i = 0, k = 0; i < s->output_count; ++i) {
        if (s->outputs[i].kind == LB_KEEP_SIGNAL) {
            lb_add_to_tally(&tallies[i], row[k++], t, *before, is_first);
        }
    }
    *before = t;
    return LB_OK;
}

// From output to output as lb_run_simulation goes, without a file.
static lb_status run(lb_sweep *s, lb_simulation *simulation, lb_tally *tallies, int signal_count)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    const double tiny = 1e-9 * o.interval;
    double now = 0.0, row = 0.0;
    simulation->flow.is_eager = true; // as lb_run_simulation does
    lb_status status = lb_start_simulation(simulation);
    simulation->system.is_called_off = s->stop;
    simulation->system.caller = s->user;
    status = status < 0 ? status : take_row(s, simulation, tallies, signal_count, &now, true);
    while (status >= 0 && now < o.duration - tiny) {
        row += 1.0;
        double t = row * o.interval;
        t = t > o.duration - tiny ? o.duration : t;
        lb_status news;
        do {
            news = lb_advance_simulation(simulation, t);
            if (s->stop && (simulation->system.called_off || s->stop(s->user))) {
                return LB_NEWS_INTERRUPTED;
            }
        } while (news == LB_NEWS_EVENT);
        if (news < 0) {
            return news;
        }
        status = take_row(s, simulation, tallies, signal_count, &now, false);
        if (status >= 0 && news == LB_NEWS_STOP) {
            return LB_NEWS_STOP;
        }
    }
    return status;
}

static lb_status do_run(lb_sweep *s, lb_simulation *simulation, lb_arena *arena, double *outputs)
{
    int output = -1, signal_count = 0;
    for (int i = 0; i < s->output_count; ++i) {
        signal_count += s->outputs[i].kind == LB_KEEP_SIGNAL;
    }
    lb_tally *tallies = lb_arena_take(arena, (size_t)s->output_count, sizeof *tallies);
    if (!tallies) {
        return LB_E_MEMORY;
    }
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_status status = lb_add_sweep_signals(s, simulation, &output);
    status = status < 0 ? status : lb_start_recording(simulation, &request);
    if (status < 0) {
        return status;
    }
    status = lb_end_recording(simulation, run(s, simulation, tallies, signal_count), &audit);
    if (status < 0 || status == LB_NEWS_INTERRUPTED) {
        return status;
    }
    double span = 0.0;
    lb_get_simulation_state(simulation, &span, NULL, NULL, NULL);
    for (int i = 0; i < s->output_count; ++i) {
        const lb_sweep_output *o = &s->outputs[i];
        outputs[i] = o->kind == LB_KEEP_AUDIT
                         ? lb_get_audit_value(&audit, o->number)
                         : lb_get_tally(&tallies[i], (lb_signal_value)o->number, span);
    }
    return LB_OK;
}

// ---- modes and margins -------------------------------------------------------------------------

// Modes are counted from 1 without the rigid ones.
static lb_status take_modes(lb_sweep *s, const lb_modes *modes, double *outputs)
{
    for (int i = 0; i < s->output_count; ++i) {
        const lb_sweep_output *o = &s->outputs[i];
        double growth = -INFINITY;
        int number = 0, found = -1;
        for (int k = 0; k < modes->mode_count; ++k) {
            number += modes->kinds[k] != LB_MODE_RIGID;
            found = number == o->number && modes->kinds[k] != LB_MODE_RIGID ? k : found;
            growth = fmax(growth, modes->eigenvalues[2 * k]);
        }
        if (o->kind == LB_KEEP_GROWTH) {
            outputs[i] = growth;
        } else if (o->kind == LB_KEEP_FREQUENCY || o->kind == LB_KEEP_DAMPING) {
            if (found < 0) {
                snprintf(s->message, sizeof s->message,
                         "output \"%s\": there is no mode %d, only %d besides the rigid ones",
                         o->name, o->number, number);
                return LB_E_ARGUMENT;
            }
            outputs[i] =
                (o->kind == LB_KEEP_FREQUENCY ? modes->frequencies : modes->dampings)[found];
        }
    }
    return LB_OK;
}

static lb_status take_margins(lb_sweep *s, const lb_margins *margins, double *outputs)
{
    for (int i = 0; i < s->output_count; ++i) {
        const lb_sweep_output *o = &s->outputs[i];
        int found = -1;
        if (o->kind != LB_KEEP_MARGIN) {
            continue;
        }
        for (int k = 0; k < margins->feedback_count; ++k) {
            found = strcmp(margins->feedbacks[k], o->text) == 0 ? k : found;
        }
        if (found < 0) {
            snprintf(s->message, sizeof s->message,
                     "output \"%s\": there is no feedback \"%s\", expected CONTROLLER.ACTUATOR%s%s",
                     o->name, o->text, margins->feedback_count ? " such as " : "",
                     margins->feedback_count ? margins->feedbacks[0] : "");
            return LB_E_ARGUMENT;
        }
        const double *const margin[] = {margins->gain_up, margins->gain_down, margins->phase,
                                        margins->delay};
        // a loop that grows has none
        outputs[i] = margins->stable ? margin[o->number][found] : NAN;
    }
    return margins->stable ? LB_OK : LB_NEWS_UNSTABLE;
}

static bool keeps(const lb_sweep *s, lb_sweep_kind kind)
{
    for (int i = 0; i < s->output_count; ++i) {
        if (s->outputs[i].kind == kind) {
            return true;
        }
    }
    return false;
}

// A sample whose frozen poles say nothing fails, with the reason.
static lb_status refuse_change(lb_sweep *s, const char *changes)
{
    if (changes[0] == '\0') {
        return LB_OK;
    }
    snprintf(
        s->message, sizeof s->message,
        "the equations change along the motion, by %.100s: poles and margins of frozen ones do "
        "not say whether deviations grow; `period` of the job does",
        changes);
    return LB_E_UNSUPPORTED;
}

static lb_status do_linear(lb_sweep *s, lb_simulation *simulation, double *outputs)
{
    lb_linear_options options = lb_default_linear_options();
    options.about = s->trim ? LB_ABOUT_EQUILIBRIUM : LB_ABOUT_STATE;
    options.control = LB_CONTROL_CONTINUOUS;
    options.period = s->period;
    lb_status status = LB_OK;
    if (keeps(s, LB_KEEP_FREQUENCY) || keeps(s, LB_KEEP_DAMPING) || keeps(s, LB_KEEP_GROWTH)) {
        lb_modes *modes = NULL;
        status = lb_compute_modes(simulation, &options, &modes);
        status = status < 0 ? status : refuse_change(s, modes->changes);
        status = status < 0 ? status : take_modes(s, modes, outputs);
        status = status == LB_OK && !modes->stable ? LB_NEWS_UNSTABLE : status;
        lb_destroy_modes(modes);
    }
    if (status >= 0 && keeps(s, LB_KEEP_MARGIN)) {
        lb_margins *margins = NULL;
        const lb_status before = status;
        status = lb_compute_margins(simulation, &options, &margins);
        status = status < 0 ? status : refuse_change(s, margins->changes);
        status = status < 0 ? status : take_margins(s, margins, outputs);
        status = status == LB_OK ? before : status;
        lb_destroy_margins(margins);
    }
    return status;
}

// ---- one sample --------------------------------------------------------------------------------

lb_status lb_prepare_sample(lb_sweep *s, lb_simulation *simulation)
{
    lb_run_options o = {.size = sizeof o};
    lb_status status = lb_get_run_options(simulation, &o);
    o.duration = s->duration > 0.0 ? s->duration : o.duration;
    status = status < 0 ? status : lb_set_run_options(simulation, &o);
    if (status >= 0 && s->assemble) {
        status = lb_assemble_simulation(simulation, NULL, NULL);
    }
    if (status >= 0 && s->trim && s->job <= LB_JOB_LOADS) {
        status = lb_trim_simulation(simulation, NULL);
    }
    return status;
}

// @param setting_count  of s->settings
// @param outputs        NULL to check them only
static lb_status do_job(lb_sweep *s, int setting_count, double *outputs, int *output)
{
    const lb_report report = {lb_keep_sweep_message, s};
    lb_arena arena = lb_make_arena(NULL);
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    s->message[0] = '\0';
    lb_status status = lb_set_parameters(s->document, s->settings, setting_count, &report);
    status = status < 0 ? status : lb_load_document_model(s->document, &report, &model);
    status = status < 0 ? status : lb_load_simulation(s->document, model, &report, &simulation);
    if (status >= 0 && !outputs) {
        status = s->job <= LB_JOB_LOADS ? lb_add_sweep_signals(s, simulation, output) : LB_OK;
    } else if (status >= 0) {
        status = lb_prepare_sample(s, simulation);
        status = status < 0               ? status
                 : s->job <= LB_JOB_LOADS ? do_run(s, simulation, &arena, outputs)
                                          : do_linear(s, simulation, outputs);
    }
    (void)lb_keep_sweep_reason(s, simulation, status);
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_arena_free(&arena);
    // a message is one line in files of rows
    for (char *c = s->message; *c; ++c) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    return status;
}

lb_status lb_check_job(lb_sweep *s, int *output)
{
    return do_job(s, s->fixed_count, NULL, output);
}

lb_status lb_set_sample_values(lb_sweep *s, const double *values)
{
    for (int i = 0; i < s->variation_count; ++i) {
        s->settings[s->fixed_count + i].value = values[i];
        if (!isfinite(values[i])) {
            snprintf(s->message, sizeof s->message, "%s: not a finite number",
                     s->variations[i].name);
            return LB_E_NUMBER;
        }
    }
    return LB_OK;
}

lb_status lb_check_samples(lb_sweep *s)
{
    enum { TRIED = 8 };
    const int64_t count = lb_count_samples(s);
    double *values = lb_take_numbers(s->arena, (size_t)s->variation_count);
    lb_status status = values ? LB_OK : LB_E_MEMORY;
    for (int64_t i = 0; values && i < count && i < TRIED; ++i) {
        int output;
        lb_compute_sample(s, i, values);
        status = lb_set_sample_values(s, values);
        status =
            status < 0 ? status : do_job(s, s->fixed_count + s->variation_count, NULL, &output);
        if (status >= 0 || status == LB_E_MEMORY) {
            break;
        }
    }
    return status;
}

lb_status lb_evaluate_sample(lb_sweep *s, const double *values, double *outputs)
{
    for (int i = 0; i < s->output_count; ++i) {
        outputs[i] = NAN;
    }
    if (lb_set_sample_values(s, values) < 0) {
        return LB_E_NUMBER;
    }
    int output = -1;
    const lb_status status = do_job(s, s->fixed_count + s->variation_count, outputs, &output);
    for (int i = 0; status < 0 && i < s->output_count; ++i) {
        outputs[i] = NAN;
    }
    return status;
}
