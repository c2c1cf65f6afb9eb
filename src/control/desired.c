// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The motion that a controller is to follow.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "simulate/signals/signals.h"

// ---- making --------------------------------------------------------------------------------------

// Rest to rest in unit time: how far, by powers of s; the derivatives that vanish at both ends are
// one (cubic), two (quintic), three (septic).
static const double profiles[LB_PROFILE_COUNT][8] = {
    {0, 0, 3, -2}, {0, 0, 0, 10, -15, 6}, {0, 0, 0, 0, 35, -84, 70, -20}};

// Whether waypoints are numbers, one after the other.
static bool check_waypoints(lb_simulation *sim, const char *where, const lb_channel_options *o)
{
    if (o->waypoint_count < 2 || !o->waypoint_times || !o->waypoints) {
        LB_COMPLAIN(sim, where, "waypoints", "%d given, expected at least two: [[t, x], ...]",
                    o->waypoint_times && o->waypoints ? o->waypoint_count : 0);
        return false;
    }
    if ((int)o->profile < 0 || o->profile >= LB_PROFILE_COUNT) {
        LB_COMPLAIN(sim, where, "profile", "%d is no profile", (int)o->profile);
        return false;
    }
    for (int i = 0; i < o->waypoint_count; ++i) {
        char point[LB_CONTROL_PATH_SIZE + 4];
        lb_write_item_path(point, where, "waypoints", i);
        const double *t = o->waypoint_times + i;
        if (!isfinite(*t) || !isfinite(o->waypoints[i])) {
            LB_COMPLAIN(sim, point, "", "[%.15g, %.15g], expected finite numbers", *t,
                        o->waypoints[i]);
            return false;
        }
        if (i > 0 && !(t[0] > t[-1])) {
            // the time is the first of the two numbers
            strcat(point, "[0]");
            LB_COMPLAIN(sim, point, "", "time %.15g after %.15g, expected a later one", t[0],
                        t[-1]);
            return false;
        }
    }
    return true;
}

// One polynomial from point to point, at rest in each.
static lb_status make_waypoints(lb_simulation *sim, const lb_channel_options *options,
                                lb_function *f)
{
    const size_t count = (size_t)options->waypoint_count;
    const double *x = options->waypoints;
    double *starts = lb_arena_take(&sim->arena, count + 1, sizeof *starts);
    double *rows = lb_arena_take(&sim->arena, 8 * count, sizeof *rows);
    if (!starts || !rows) {
        return LB_E_MEMORY;
    }
    memcpy(starts, options->waypoint_times, count * sizeof *starts);
    for (size_t i = 0; i + 1 < count; ++i) {
        double *row = rows + 8 * i, power = 1.0;
        for (int j = 0; j < 8; ++j) {
            row[j] = (x[i + 1] - x[i]) * profiles[options->profile][j] * power;
            power /= starts[i + 1] - starts[i];
        }
        row[0] = x[i];
    }
    *f = (lb_function){.type = LB_FUNCTION_PIECES,
                       .piece_count = (int)count - 1,
                       .coefficient_count = 8,
                       .starts = starts,
                       .coefficients = rows};
    return LB_OK;
}

lb_status lb_make_desired(lb_simulation *sim, const char *where, const lb_channel_options *options,
                          lb_desired *desired)
{
    const lb_signals *signals = lb_get_force_signals(sim->system.forces);
    const lb_scope scope = {sim->system.model, signals, lb_get_signal_count(signals)};
    char path[LB_CONTROL_PATH_SIZE];
    snprintf(path, sizeof path, "%s.desired", where);
    desired->given = options->desired || options->waypoint_count != 0;
    if (options->desired && options->waypoint_count != 0) {
        LB_COMPLAIN(sim, path, "", "a function and waypoints given, expected one of them");
        return LB_OK;
    }
    if (options->desired) {
        return lb_make_function(&sim->arena, &scope, &sim->faults, path, 1, options->desired,
                                &desired->function);
    }
    return desired->given && check_waypoints(sim, path, options)
               ? make_waypoints(sim, options, &desired->function)
               : LB_OK;
}

// ---- at an instant -------------------------------------------------------------------------------

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
