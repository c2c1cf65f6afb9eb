// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Responses as curves over the frequency.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "limber/spectra.h"
#include "response.h"

#define TWO_PI 6.283185307179586

static double get_level(const lb_cli_response *w, int input, double frequency)
{
    int first = 0;
    for (int i = 0; i < input; ++i) {
        first += w->profiles.point_counts[i];
    }
    return lb_get_density(w->profiles.point_counts[input], w->profiles.frequencies + first,
                          w->profiles.levels + first, frequency);
}

static lb_cli_curve *add_curve(lb_cli_response *w, const char *quantity)
{
    lb_cli_curve *c = &w->curves[w->curve_count++];
    c->quantity = quantity;
    c->values = lb_cli_allocate(1, w->count, "curve");
    return c;
}

// Magnitude and phase of a complex number at each frequency.
static void add_pair(lb_cli_response *w, const char *magnitude, const char *name,
                     const double *complex_values, int stride)
{
    for (int part = 0; part < 2; ++part) {
        lb_cli_curve *c = add_curve(w, part ? "phase_deg" : magnitude);
        snprintf(c->name, sizeof c->name, "%.390s", name);
        for (int k = 0; k < w->count; ++k) {
            const double *g = complex_values + 2 * (size_t)stride * (size_t)k;
            c->values[k] = part ? atan2(g[1], g[0]) * 360.0 / TWO_PI : hypot(g[0], g[1]);
        }
    }
}

static void add_transfers(lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    const int width = l->input_count * l->output_count;
    for (int i = 0; i < width; ++i) {
        char name[400];
        snprintf(name, sizeof name, "%.190s / %.190s", l->outputs[i / l->input_count],
                 l->inputs[i % l->input_count]);
        add_pair(w, "magnitude", name, w->response + 2 * i, width);
    }
}

// Inputs in phase with each other, each with its amplitude.
static void add_sines(lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    const int m = l->input_count, p = l->output_count;
    double *sum = lb_cli_allocate(w->count, 2, "sine");
    for (int i = 0; i < p; ++i) {
        memset(sum, 0, 2 * (size_t)w->count * sizeof *sum);
        for (int k = 0; k < w->count; ++k) {
            for (int j = 0; j < m; ++j) {
                const double *g = w->response + 2 * ((k * p + i) * m + j);
                const double level = get_level(w, j, w->frequencies[k]);
                sum[2 * k] += level * g[0];
                sum[2 * k + 1] += level * g[1];
            }
        }
        add_pair(w, "amplitude", l->outputs[i], sum, 1);
    }
    free(sum);
}

static void add_densities(lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    const int m = l->input_count, p = l->output_count;
    for (int i = 0; i < p; ++i) {
        lb_cli_curve *c = add_curve(w, "density");
        snprintf(c->name, sizeof c->name, "%.390s", l->outputs[i]);
        for (int k = 0; k < w->count; ++k) {
            for (int j = 0; j < m; ++j) {
                const double *g = w->response + 2 * ((k * p + i) * m + j);
                c->values[k] += (g[0] * g[0] + g[1] * g[1]) * get_level(w, j, w->frequencies[k]);
            }
        }
    }
}

static bool add_singular(lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    const int less = l->input_count < l->output_count ? l->input_count : l->output_count;
    double *values = lb_cli_allocate(w->count, less, "singular values");
    const lb_status status = lb_cli_check_memory(
        lb_compute_singular_values(l->output_count, l->input_count, w->count, w->response, values));
    if (status < 0) {
        lb_cli_complain("response: singular values: %s", lb_get_status_text(status));
    }
    for (int i = 0; i < less && status >= 0; ++i) {
        lb_cli_curve *c = add_curve(w, "singular");
        for (int k = 0; k < w->count; ++k) {
            c->values[k] = values[k * less + i];
        }
        snprintf(c->name, sizeof c->name, "value %d", i + 1);
    }
    free(values);
    return status >= 0;
}

bool lb_cli_make_curves(lb_cli_response *w)
{
    const int width = w->linear ? w->linear->input_count * w->linear->output_count : 1;
    w->curves = lb_cli_calloc(2 * (size_t)width, sizeof *w->curves);
    switch (w->kind) {
    case LB_CLI_TRANSFER:
        add_transfers(w);
        return true;
    case LB_CLI_RANDOM:
        add_densities(w);
        return true;
    case LB_CLI_SINE:
        add_sines(w);
        return true;
    case LB_CLI_SINGULAR:
        return add_singular(w);
    default:
        add_pair(w, "magnitude", w->loop, w->response, 1);
        return true;
    }
}
