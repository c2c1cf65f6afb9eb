// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Input shaping.
#include "design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/linear.h"

// Zero vibration, and zero derivative of it                                             (CTL-11)
//
//     zv:   A = [1, K] / (1 + K),            t = [0, T]
//     zvd:  A = [1, 2 K, K^2] / (1 + K)^2,   t = [0, T, 2 T]
//     K = exp(-zeta pi / sqrt(1 - zeta^2)),  T = pi / (omega sqrt(1 - zeta^2))
//
// given     omega, zeta  of the vibration that is to be left out
// computes  the impulses, convolved with those of other modes
//
// Source: Singer and Seering 1990, Journal of Dynamic Systems, Measurement, and Control 112(1).
static void add_mode(lb_desired *desired, int order, double omega, double zeta)
{
    const double root = sqrt(1.0 - zeta * zeta), K = exp(-zeta * 3.14159265358979323846 / root);
    const double T = 3.14159265358979323846 / (omega * root);
    const int count = order == 0 ? 2 : 3;
    const double scale = order == 0 ? 1.0 + K : (1.0 + K) * (1.0 + K);
    const double weights[3] = {1.0 / scale, (order == 0 ? K : 2.0 * K) / scale, K * K / scale};
    const int before = desired->impulse_count;
    for (int j = count - 1; j >= 0; --j) {
        for (int i = 0; i < before; ++i) {
            desired->weights[j * before + i] = desired->weights[i] * weights[j];
            desired->delays[j * before + i] = desired->delays[i] + j * T;
        }
    }
    desired->impulse_count = count * before;
}

// Finds the frequencies of the system where the desired motion ends, the controlled hinges locked, and
// sets the impulses of all channels. Allocates.
static lb_status start_shaping(lb_simulation *sim, lb_controller *c)
{
    lb_system *s = &sim->system;
    c->is_designed = true;
    double *q = malloc((size_t)s->q_count * sizeof *q);
    unsigned char *locked = calloc((size_t)s->body_count, 1);
    if (!q || !locked) {
        free(q);
        free(locked);
        return LB_E_MEMORY;
    }
    lb_find_desired_end(sim, c, q);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        locked[c->channels[i].body] = 1;
    }
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_REST;
    options.q = q;
    options.locked = locked;
    lb_modes *modes = NULL;
    lb_status status = lb_compute_modes(sim, &options, &modes);
    int found = 0;
    for (int i = 0; status >= 0 && i < modes->mode_count && found < c->shaping.mode_count; ++i) {
        if (modes->kinds[i] != LB_MODE_OSCILLATION) {
            continue;
        }
        const double omega = 6.28318530717958647692 * modes->frequencies[i];
        for (int j = 0; j < c->sample.channel_count; ++j) {
            add_mode(&c->channels[j].desired, c->shaping.order, omega, modes->dampings[i]);
        }
        ++found;
    }
    if (status >= 0 && found < c->shaping.mode_count) {
        status = lb_say(s, LB_E_ARGUMENT,
                        "controller '%s' shapes %d modes, but the system has %d that vibrate when "
                        "its hinges are locked",
                        c->name, c->shaping.mode_count, found);
    }
    lb_destroy_modes(modes);
    free(q);
    free(locked);
    return status;
}

void lb_make_shaping(lb_simulation *sim, const lb_controller_options *options, lb_controller *c)
{
    const int modes = options->shaped_modes;
    if (options->shaping == LB_SHAPING_NONE) {
        return;
    }
    if (options->shaping != LB_SHAPING_ZV && options->shaping != LB_SHAPING_ZVD) {
        LB_COMPLAIN(sim, c->path, "shaping.type", "%d is no type of shaping",
                    (int)options->shaping);
    }
    if (!(modes >= 1 && modes <= LB_SHAPED_MODE_MAX)) {
        LB_COMPLAIN(sim, c->path, "shaping.modes", "%d, expected 1 to %d", modes,
                    (int)LB_SHAPED_MODE_MAX);
    }
    c->shaping = (lb_shaping){modes, options->shaping == LB_SHAPING_ZVD, start_shaping};
}
