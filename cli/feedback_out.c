// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "feedback_out.h"

#include <math.h>

#include "console.h"

// ---- which are closed ----------------------------------------------------------------------------

static const char *get_model_name(lb_control_model control)
{
    static const char *const names[] = {"open", "continuous", "discrete"};
    return names[control];
}

// A feedback and what there is to be said of it.
static void put_name(FILE *out, const char *name, const char *otherwise, const char *note)
{
    lb_cli_put_text(out, name);
    fputs(note[0] ? ": " : otherwise, out);
    lb_cli_put_text(out, note);
    fputc('\n', out);
}

void lb_cli_print_feedbacks(FILE *out, const lb_cli_feedbacks *f)
{
    if (f->count == 0) {
        return;
    }
    if (f->control == LB_CONTROL_DISCRETE) {
        fprintf(out, "controllers: exact from sample to sample, every %.6g s\n", f->period);
    } else if (f->control == LB_CONTROL_CONTINUOUS) {
        fprintf(out,
                "controllers: continuous, delays and holds by Pade approximations of order %d\n",
                f->pade_order);
    } else {
        fprintf(out, "controllers: none acts, their commands stay as they are\n");
    }
    for (int i = 0; i < f->count; ++i) {
        fprintf(out, "  %-8s", f->closed[i] ? "closed" : "open");
        put_name(out, f->names[i], "", f->notes[i]);
    }
}

void lb_cli_put_feedbacks(lb_cli_json *json, const lb_cli_feedbacks *f)
{
    lb_cli_json_string(json, "control", get_model_name(f->control));
    lb_cli_json_number(json, "period", f->period);
    lb_cli_json_open(json, "feedbacks", '[');
    for (int i = 0; i < f->count; ++i) {
        lb_cli_json_open(json, NULL, '{');
        lb_cli_json_string(json, "name", f->names[i]);
        lb_cli_json_boolean(json, "closed", f->closed[i]);
        lb_cli_json_string(json, "note", f->notes[i]);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
}

// ---- stability -----------------------------------------------------------------------------------

void lb_cli_print_period(FILE *out, double period)
{
    if (period > 0.0) {
        fprintf(out, "over a motion that repeats itself every %.9g s\n", period);
    }
}

void lb_cli_print_growth(FILE *out, const double growth[2])
{
    if (growth[0] > 0.0) {
        fprintf(out, "not stable: a pole grows by %.6g 1/s", growth[0]);
        if (growth[1] > 0.0) {
            fprintf(out, ", at %.6g Hz", hypot(growth[0], growth[1]) / 6.283185307179586);
        }
        fputc('\n', out);
    }
}

void lb_cli_put_growth(lb_cli_json *json, bool stable, const double growth[2])
{
    lb_cli_json_boolean(json, "stable", stable);
    if (!stable) {
        lb_cli_json_vector(json, "growth", growth, 2);
    }
}

void lb_cli_warn_of_change(const char *changes)
{
    if (changes && changes[0]) {
        lb_cli_complain(
            "warning: the equations change along the motion, by %.128s: these are "
            "frozen, and their poles do not say whether deviations grow; modes --period does for a "
            "motion that repeats itself, --spin where a steady one is meant, and otherwise a run",
            changes);
    }
}

void lb_cli_put_changes(lb_cli_json *json, const char *changes)
{
    if (changes && changes[0]) {
        lb_cli_json_string(json, "changes", changes);
    }
}

// ---- margins -------------------------------------------------------------------------------------

#define DEGREE 57.29577951308232

static void print_number(FILE *out, double value, double frequency)
{
    if (isfinite(value) && isfinite(frequency)) {
        fprintf(out, "  %10.5g  %9.4g", value, frequency);
    } else {
        fprintf(out, "  %10s  %9s", "-", "-");
    }
}

void lb_cli_print_margins(FILE *out, const lb_margins *m)
{
    fprintf(
        out,
        "margins of each feedback with the others closed, from sample to sample, every %.6g s\n",
        m->period);
    if (!m->stable) {
        fprintf(out, "the closed loop is ");
        lb_cli_print_growth(out, m->growth);
        fprintf(out, "it has no margins; what follows says by how much it is off\n");
    }
    fprintf(out, "%10s  %9s  %10s  %9s  %10s  %9s  %10s  %9s  %s\n", "gain up", "at Hz",
            "gain down", "at Hz", "phase, deg", "at Hz", "delay, s", "at Hz", "feedback");
    for (int i = 0; i < m->feedback_count; ++i) {
        // margins are in columns of twelve
        print_number(out, m->gain_up[i], m->gain_up_frequency[i]);
        print_number(out, m->gain_down[i], m->gain_down_frequency[i]);
        print_number(out, m->phase[i] * DEGREE, m->phase_frequency[i]);
        print_number(out, m->delay[i], m->delay_frequency[i]);
        fputs("  ", out);
        put_name(out, m->feedbacks[i], m->closed[i] ? "" : ": open", m->feedback_notes[i]);
    }
}

// A margin that does not exist is left out.
static void put_margin(lb_cli_json *json, const char *key, const char *frequency_key, double value,
                       double frequency)
{
    if (isfinite(value) && isfinite(frequency)) {
        lb_cli_json_number(json, key, value);
        lb_cli_json_number(json, frequency_key, frequency);
    }
}

void lb_cli_put_margins(lb_cli_json *json, const lb_margins *m)
{
    lb_cli_json_open(json, "margins", '{');
    lb_cli_put_growth(json, m->stable, m->growth);
    lb_cli_json_number(json, "period", m->period);
    lb_cli_json_open(json, "feedbacks", '[');
    for (int i = 0; i < m->feedback_count; ++i) {
        lb_cli_json_open(json, NULL, '{');
        lb_cli_json_string(json, "name", m->feedbacks[i]);
        lb_cli_json_boolean(json, "closed", m->closed[i]);
        lb_cli_json_string(json, "note", m->feedback_notes[i]);
        put_margin(json, "gain_up", "gain_up_hz", m->gain_up[i], m->gain_up_frequency[i]);
        put_margin(json, "gain_down", "gain_down_hz", m->gain_down[i], m->gain_down_frequency[i]);
        put_margin(json, "phase_deg", "phase_hz", m->phase[i] * DEGREE, m->phase_frequency[i]);
        put_margin(json, "delay_s", "delay_hz", m->delay[i], m->delay_frequency[i]);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
    lb_cli_json_close(json, '}');
}
