// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear-quadratic regulator with an observer, from the linear model of the system.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "control/laws/laws.h"
#include "control/riccati.h"
#include "design.h"
#include "limber/linear.h"

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    lb_lqr *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    c->own = own;
    own->x = lb_arena_take(&sim->arena, 2 * (size_t)sim->system.v_count, sizeof *own->x);
    if (!own->x) {
        return LB_E_MEMORY;
    }
    own->about_initial = options->about_initial;
    const struct {
        const char *key;
        double given, *number;
    } weights[] = {{"position", options->position, &own->position},
                   {"speed", options->speed, &own->speed},
                   {"vibration", options->vibration, &own->vibration},
                   {"effort", options->effort, &own->effort},
                   {"process_noise", options->process_noise, &own->process_noise},
                   {"sensor_noise", options->sensor_noise, &own->sensor_noise}};
    for (int i = 0; i < 6; ++i) {
        lb_check_positive(sim, c->law_path, weights[i].key, i < 3, weights[i].given);
        *weights[i].number = weights[i].given;
    }
    if (c->sample.sensor_count == 0) {
        LB_COMPLAIN(sim, c->law_path, "", "an observer needs sensors, and there are none");
    }
    for (int i = 0; i < c->sample.sensor_count; ++i) {
        if (c->sensors[i].type != LB_SENSOR_SIGNAL) {
            LB_COMPLAIN(sim, c->law_path, "",
                        "the observer reads signals only, and sensor '%s' is none",
                        c->sensors[i].name);
        }
    }
    return LB_OK;
}

// ---- design ----------------------------------------------------------------------------------------

// exp(X) of an n x n matrix by squaring and Taylor's series, in place; scratch has 3 n x n.
static void exponentiate(int n, double *X, double *scratch)
{
    const size_t count = (size_t)n * (size_t)n;
    double *term = scratch, *product = scratch + count, norm = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += fabs(X[i * n + j]);
        }
        norm = fmax(norm, sum);
    }
    int squarings = 0;
    for (; norm > 0.25; norm *= 0.5) {
        ++squarings;
    }
    const double scale = ldexp(1.0, -squarings);
    double *sum = X;
    for (size_t i = 0; i < count; ++i) {
        term[i] = X[i] * scale;
    }
    double *A = product + count;
    memcpy(A, term, count * sizeof *A);
    memcpy(sum, term, count * sizeof *sum);
    for (int i = 0; i < n; ++i) {
        sum[i * n + i] += 1.0;
    }
    // norm at most 1/4: twelve terms leave 1e-17
    for (int k = 2; k <= 12; ++k) {
        lb_form_product(n, n, n, term, A, product);
        for (size_t i = 0; i < count; ++i) {
            term[i] = product[i] / k;
            sum[i] += term[i];
        }
    }
    for (int s = 0; s < squarings; ++s) {
        lb_form_product(n, n, n, sum, sum, product);
        memcpy(sum, product, count * sizeof *sum);
    }
}

// Whether an entry of v is a mode's.
static bool is_modal(const lb_model *model, int entry)
{
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int first = lb_get_v_offset(model, k);
        if (entry >= first && entry < first + lb_get_mode_count(model, k)) {
            return true;
        }
    }
    return false;
}

// Regulator and observer                                                                (CTL-14)
//
//     u = -K (x - x_d),   x_dot = A x + B u + L (y - y0 - C x)
//     held between samples:  x+ = F x + G u + H (y - y0),
//     [F, G, H] from exp(h [A - L C, B, L; 0, 0, 0])
//
// given     A, B, C  of limber/linear.h;  K, L  by (CTL-10)
static lb_status design(lb_simulation *sim, lb_controller *c, const lb_linear *linear, double *W)
{
    lb_lqr *own = c->own;
    const int n = linear->state_count, m = linear->input_count, p = linear->output_count;
    const int half = linear->coordinate_count, N = n + m + p;
    double *Q = W, *noise = Q + n * n, *R = noise + n * n, *V = R + m, *L = V + p;
    double *X = L + n * p, *scratch = X + N * N;
    for (int i = 0; i < n; ++i) {
        const bool modal = is_modal(sim->system.model, linear->coordinates[i % half]);
        Q[i * n + i] = modal ? own->vibration : i < half ? own->position : own->speed;
        // disturbances act on accelerations
        noise[i * n + i] = i < half ? 0.0 : own->process_noise;
    }
    for (int i = 0; i < m; ++i) {
        R[i] = own->effort;
    }
    for (int i = 0; i < p; ++i) {
        V[i] = own->sensor_noise;
    }
    lb_status status = lb_solve_regulator(n, m, linear->A, linear->B, Q, R, own->K);
    if (status < 0) {
        return lb_say(
            &sim->system, status,
            "controller '%s': there is no regulator: something neither dies out by itself "
            "nor can be controlled",
            c->name);
    }
    status = lb_solve_observer(n, p, linear->A, linear->C, noise, V, L);
    if (status < 0) {
        return lb_say(&sim->system, status,
                      "controller '%s': there is no observer: something neither dies out by itself "
                      "nor shows in the sensors",
                      c->name);
    }
    const double h = c->sample.period;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double entry = linear->A[i * n + j];
            for (int k = 0; k < p; ++k) {
                entry -= L[i * p + k] * linear->C[k * n + j];
            }
            X[i * N + j] = h * entry;
        }
        for (int j = 0; j < m; ++j) {
            X[i * N + n + j] = h * linear->B[i * m + j];
        }
        for (int j = 0; j < p; ++j) {
            X[i * N + n + m + j] = h * L[i * p + j];
        }
    }
    exponentiate(N, X, scratch);
    for (int i = 0; i < n; ++i) {
        memcpy(own->F + i * n, X + i * N, (size_t)n * sizeof *X);
        memcpy(own->G + i * m, X + i * N + n, (size_t)m * sizeof *X);
        memcpy(own->H + i * p, X + i * N + n + m, (size_t)p * sizeof *X);
    }
    return LB_OK;
}

static void keep_point(const lb_controller *c, const lb_linear *linear)
{
    lb_lqr *own = c->own;
    const int half = linear->coordinate_count;
    memcpy(own->y0, linear->output_values, (size_t)linear->output_count * sizeof *own->y0);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const lb_channel *channel = &c->channels[i];
        own->q0[i] = channel->q >= 0 ? linear->q[channel->q] : 0.0;
        own->of_position[i] = own->of_speed[i] = -1;
        for (int j = 0; j < half; ++j) {
            if (linear->coordinates[j] == channel->v) {
                own->of_position[i] = j;
                own->of_speed[i] = half + j;
            }
        }
    }
}

// All arrays of a law with n states.
static lb_status take_arrays(lb_simulation *sim, const lb_controller *c, lb_lqr *own)
{
    const size_t n = (size_t)own->n, m = (size_t)c->sample.channel_count;
    const size_t p = (size_t)c->sample.sensor_count;
    double *at = lb_arena_take(&sim->arena, n * n + 2 * n * m + n * p + 2 * n + p + m, sizeof *at);
    own->of_position = lb_arena_take(&sim->arena, 2 * m, sizeof *own->of_position);
    if (!at || !own->of_position) {
        return LB_E_MEMORY;
    }
    own->of_speed = own->of_position + m;
    struct {
        double **array;
        size_t count;
    } arrays[] = {{&own->K, m * n}, {&own->F, n * n},  {&own->G, n * m}, {&own->H, n * p},
                  {&own->next, n},  {&own->wanted, n}, {&own->y0, p},    {&own->q0, m}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i].array = at;
        at += arrays[i].count;
    }
    return LB_OK;
}

static lb_status linearize(lb_simulation *sim, lb_controller *c, const double *q,
                           const char **inputs, const char **outputs, char (*names)[160])
{
    lb_lqr *own = c->own;
    const lb_model *model = sim->system.model;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const int body = c->channels[i].body;
        const int speed =
            c->channels[i].v - lb_get_v_offset(model, body) - lb_get_mode_count(model, body);
        const bool single = lb_get_hinge(model, body).v_count == 1;
        snprintf(names[i], sizeof names[i], single ? "'%s'.motor" : "'%s'.motor.%d",
                 lb_get_body_name(model, body), speed);
        inputs[i] = names[i];
    }
    for (int i = 0; i < c->sample.sensor_count; ++i) {
        outputs[i] = c->sensors[i].text;
    }
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_EQUILIBRIUM;
    options.q = own->about_initial ? NULL : q;
    options.input_count = c->sample.channel_count;
    options.inputs = inputs;
    options.output_count = c->sample.sensor_count;
    options.outputs = outputs;
    lb_linear *linear = NULL;
    lb_status status = lb_linearize(sim, &options, &linear);
    if (status < 0) {
        return status;
    }
    own->n = linear->state_count;
    c->is_designed = true;
    const size_t n = (size_t)own->n, m = (size_t)c->sample.channel_count;
    const size_t p = (size_t)c->sample.sensor_count, N = n + m + p;
    double *W = calloc(2 * n * n + m + p + n * p + 4 * N * N, sizeof *W);
    status = W ? take_arrays(sim, c, own) : LB_E_MEMORY;
    if (status >= 0) {
        keep_point(c, linear);
        status = design(sim, c, linear, W);
    }
    free(W);
    lb_destroy_linear(linear);
    return status;
}

static lb_status start(lb_simulation *sim, lb_controller *c)
{
    const size_t m = (size_t)c->sample.channel_count, p = (size_t)c->sample.sensor_count;
    double *q = malloc((size_t)sim->system.q_count * sizeof *q);
    const char **texts = malloc((m + p) * sizeof *texts);
    char(*names)[160] = malloc(m * sizeof *names);
    lb_status status = LB_E_MEMORY;
    if (q && texts && names) {
        lb_get_neutral_configuration(sim->system.model, q);
        status = linearize(sim, c, q, texts, texts + m, names);
    }
    free(q);
    free(texts);
    free(names);
    return status;
}

static void remember(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    const lb_lqr *own = c->own;
    lb_remember(memory, 2 * sim->system.v_count, own->x);
}

// ---- for linear models -----------------------------------------------------------------------------

static int count_states(const lb_simulation *sim, const lb_controller *c)
{
    const lb_lqr *own = c->own;
    (void)sim;
    return own->n;
}

// (CTL-14): the observer knows the limits of the actuators
static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    const lb_lqr *own = c->own;
    const int n = own->n, m = c->sample.channel_count, p = c->sample.sensor_count;
    const int r = slopes->read_count;
    lb_compute_lqr_commands(sim, c);
    memcpy(slopes->M, own->F, (size_t)n * (size_t)n * sizeof *slopes->M);
    for (int i = 0; i < m; ++i) {
        const lb_force *actuator = &sim->system.forces->forces[c->channels[i].actuator];
        const double u = actuator->gain * c->commands[i];
        const bool limited = !(u > actuator->low && u < actuator->high);
        for (int j = 0; j < n; ++j) {
            slopes->C[i * n + j] = -own->K[i * n + j] / actuator->gain;
            for (int k = 0; k < n && !limited; ++k) {
                slopes->M[k * n + j] -= own->G[k * m + i] * own->K[i * n + j];
            }
        }
        for (int j = 0; j < m; ++j) {
            if (!c->channels[j].desired.given || own->of_position[j] < 0) {
                continue;
            }
            const double gain = own->K[i * n + own->of_position[j]];
            slopes->D[i * r + lb_find_read(c, 2, j)] = gain / actuator->gain;
            for (int k = 0; k < n && !limited; ++k) {
                slopes->N[k * r + lb_find_read(c, 2, j)] += own->G[k * m + i] * gain;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < p; ++j) {
            slopes->N[i * r + j] = own->H[i * p + j];
        }
        snprintf(slopes->names[i], LB_COLUMN_SIZE, "estimate.%d", i);
    }
    lb_predict_lqr_state(sim, c);
    for (int i = 0; i < n; ++i) {
        slopes->drift[i] = own->next[i] - own->x[i];
    }
    return LB_OK;
}

static void move_memory(lb_controller *c, const double *by)
{
    const lb_lqr *own = c->own;
    for (int i = 0; i < own->n; ++i) {
        own->x[i] += by[i];
    }
}

const lb_law lb_law_lqr = {.name = "lqr",
                           .needs_channels = true,
                           .make = make,
                           .start = start,
                           .update = lb_update_lqr,
                           .remember = remember,
                           .count_states = count_states,
                           .differentiate = differentiate,
                           .move_memory = move_memory};
