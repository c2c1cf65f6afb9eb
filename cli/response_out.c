// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Responses as tables, CSV and JSON.
#include <math.h>
#include <string.h>

#include "console.h"
#include "feedback_out.h"
#include "json_out.h"
#include "response.h"

lb_margins lb_cli_get_own_margins(const lb_cli_response *w)
{
    const lb_margins *m = w->margins;
    const int i = w->feedback;
    lb_margins own = *m;
    own.feedback_count = 1;
    own.feedbacks = m->feedbacks + i;
    own.closed = m->closed + i;
    own.feedback_notes = m->feedback_notes + i;
    own.gain_up = m->gain_up + i;
    own.gain_up_frequency = m->gain_up_frequency + i;
    own.gain_down = m->gain_down + i;
    own.gain_down_frequency = m->gain_down_frequency + i;
    own.phase = m->phase + i;
    own.phase_frequency = m->phase_frequency + i;
    own.delay = m->delay + i;
    own.delay_frequency = m->delay_frequency + i;
    return own;
}

static void print_number(FILE *out, double value)
{
    if (!isfinite(value)) {
        fprintf(out, "  %14s", isinf(value) ? "infinite" : "-");
    } else {
        fprintf(out, "  %14.7g", value);
    }
}

static int find_peak(const lb_cli_response *w, const lb_cli_curve *c)
{
    int best = 0;
    for (int k = 1; k < w->count; ++k) {
        best = c->values[k] > c->values[best] ? k : best;
    }
    return best;
}

void lb_cli_print_response(FILE *out, const lb_cli_response *w)
{
    if (w->kind == LB_CLI_LOOP) {
        const lb_margins own = lb_cli_get_own_margins(w);
        lb_cli_print_margins(out, &own);
        return;
    }
    if (w->kind == LB_CLI_RANDOM) {
        fprintf(out, "  %14s  %14s  %14s  %14s  %14s  %s\n", "RMS", "3 RMS", "crossings, Hz",
                "peak density", "at Hz", "signal");
    } else {
        fprintf(out, "%14s  %14s  %s\n", "largest", "at Hz",
                w->kind == LB_CLI_TRANSFER ? "magnitude of"
                : w->kind == LB_CLI_SINE   ? "amplitude of"
                                           : "singular");
    }
    for (int i = 0; i < w->curve_count; ++i) {
        const lb_cli_curve *c = &w->curves[i];
        if (strcmp(c->quantity, "phase_deg") == 0) {
            continue;
        }
        const int peak = find_peak(w, c);
        if (w->kind == LB_CLI_RANDOM) {
            const double rms = sqrt(w->mean_squares[i]);
            print_number(out, rms);
            print_number(out, 3.0 * rms);
            print_number(out, w->crossings[i]);
            fputs("  ", out);
        }
        fprintf(out, "%14.7g  %14.7g  ", c->values[peak], w->frequencies[peak]);
        lb_cli_put_text(out, c->name);
        fputc('\n', out);
    }
}

void lb_cli_print_response_csv(FILE *out, const lb_cli_response *w)
{
    fputs("frequency_hz", out);
    for (int i = 0; i < w->curve_count; ++i) {
        char head[450];
        snprintf(head, sizeof head, "%s %s", w->curves[i].quantity, w->curves[i].name);
        fputc(',', out);
        lb_cli_put_field(out, head, true);
    }
    fputc('\n', out);
    for (int k = 0; k < w->count; ++k) {
        fprintf(out, "%.17g", w->frequencies[k]);
        for (int i = 0; i < w->curve_count; ++i) {
            fprintf(out, ",%.17g", w->curves[i].values[k]);
        }
        fputc('\n', out);
    }
}

// A number that is not finite is left out.
static void put_number(lb_cli_json *json, const char *key, double value)
{
    if (isfinite(value)) {
        lb_cli_json_number(json, key, value);
    }
}

void lb_cli_print_response_json(FILE *out, const lb_cli_response *w)
{
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_vector(&json, "frequency_hz", w->frequencies, w->count);
    lb_cli_json_open(&json, "curves", '[');
    for (int i = 0; i < w->curve_count; ++i) {
        const lb_cli_curve *c = &w->curves[i];
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_json_string(&json, "name", c->name);
        lb_cli_json_string(&json, "quantity", c->quantity);
        if (w->kind == LB_CLI_RANDOM) {
            put_number(&json, "rms", sqrt(w->mean_squares[i]));
            put_number(&json, "crossings_hz", w->crossings[i]);
        }
        lb_cli_json_vector(&json, "values", c->values, w->count);
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, ']');
    if (w->kind == LB_CLI_LOOP) {
        const lb_margins own = lb_cli_get_own_margins(w);
        lb_cli_put_margins(&json, &own);
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}
