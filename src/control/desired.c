// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The motion that a controller is to follow.
#include <math.h>
#include <string.h>

#include "control.h"

// ---- loading -------------------------------------------------------------------------------------

// Rest to rest in unit time: how far, by powers of s; the derivatives that vanish at both ends are
// one (cubic), two (quintic), three (septic).
static const double profiles[][8] = {
    {0, 0, 3, -2}, {0, 0, 0, 10, -15, 6}, {0, 0, 0, 0, 35, -84, 70, -20}};

// One polynomial from point to point, at rest in each.
static lb_status load_waypoints(lb_control_loader *loader, const lb_place *place, lb_function *f)
{
    static const char *const known[] = {"waypoints", "profile", NULL};
    static const char *const words[] = {"cubic", "quintic", "septic", NULL};
    lb_reader *reader = loader->functions.reader;
    lb_place list;
    int profile = 1;
    lb_read_mapping(reader, place, known);
    lb_read_word(reader, place, "profile", LB_OPTIONAL, words, &profile);
    if (!lb_read_sequence(reader, place, "waypoints", LB_REQUIRED, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    if (count < 2) {
        lb_reader_fail(reader, &list, "%zu given, expected at least two: [[t, x], ...]", count);
        return LB_OK;
    }
    double *starts = lb_arena_take(loader->functions.arena, count + 1, sizeof *starts);
    double *rows = lb_arena_take(loader->functions.arena, 8 * count, sizeof *rows);
    double *x = lb_arena_take(loader->functions.arena, count, sizeof *x);
    if (!starts || !rows || !x) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place point = lb_place_at_index(&list, i);
        if (lb_place_get_count(&point) != 2) {
            lb_reader_fail(reader, &point, "expected a time and a value, such as [0.5, 30 deg]");
            return LB_OK;
        }
        const lb_place time = lb_place_at_index(&point, 0), value = lb_place_at_index(&point, 1);
        if (!lb_read_number_at(reader, &time, &starts[i]) ||
            !lb_read_angle_at(reader, &value, &x[i])) {
            return LB_OK;
        }
        if (i > 0 && !(starts[i] > starts[i - 1])) {
            lb_reader_fail(reader, &time, "time %.15g after %.15g, expected a later one", starts[i],
                           starts[i - 1]);
            return LB_OK;
        }
    }
    for (size_t i = 0; i + 1 < count; ++i) {
        double *row = rows + 8 * i, power = 1.0;
        for (int j = 0; j < 8; ++j) {
            row[j] = (x[i + 1] - x[i]) * profiles[profile][j] * power;
            power /= starts[i + 1] - starts[i];
        }
        row[0] = x[i];
    }
    *f = (lb_function){.kind = LB_FUNCTION_PIECES,
                       .piece_count = (int)count - 1,
                       .coefficient_count = 8,
                       .starts = starts,
                       .coefficients = rows};
    return LB_OK;
}

lb_status lb_load_desired(lb_control_loader *loader, const lb_place *place, lb_desired *desired)
{
    if (lb_place_has_key(place, "waypoints")) {
        return load_waypoints(loader, place, &desired->function);
    }
    return lb_load_function(&loader->functions, place, 1, &desired->function);
}

// ---- at an instant -------------------------------------------------------------------------------

// Shaped motion                                                                         (CTL-3)
//
//     x(t) = sum_i A_i f(t - t_i),   sum_i A_i = 1
//
// given     f the motion asked for;  A_i, t_i  impulses: one of weight 1 if it is not shaped
void lb_evaluate_desired(const lb_desired *desired, double t, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < desired->impulse_count; ++i) {
        double x[3];
        lb_evaluate_motion(&desired->function, t - desired->delays[i], x);
        for (int j = 0; j < 3; ++j) {
            out[j] += desired->weights[i] * x[j];
        }
    }
}

void lb_find_desired_end(const lb_simulation *sim, const lb_controller *c, double *q)
{
    memcpy(q, sim->q0, (size_t)sim->system.q_count * sizeof *q);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        double desired[3];
        lb_evaluate_desired(&c->channels[i].desired, 1e300, desired);
        if (c->channels[i].q >= 0 && isfinite(desired[0])) {
            q[c->channels[i].q] = desired[0];
        }
    }
}
