// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The period of a motion, from the speeds of its hinges and from functions of time.
#include <math.h>

#include "model/layout.h"
#include "period.h"
#include "simulate/forces/forces.h"
#include "simulate/system/closure.h"

static const double two_pi = 6.283185307179586;

// The shortest time in which all of some periods pass a whole number of times.
typedef struct common {
    double period; ///< 0: none so far
    int count;     ///< of periods
    bool fits;
} common;

// A further period                                                                      (FLQ-5)
//
//     T = k T_1 = l T_2,   k as small as can be, up to 1000, and l whole to 1e-9
static void add_period(void *user, double period)
{
    enum { MOST = 1000 };
    common *all = user;
    if (!(period > 0.0) || !isfinite(period)) {
        return;
    }
    ++all->count;
    if (all->period == 0.0) {
        all->period = period;
        return;
    }
    for (int k = 1; k <= MOST; ++k) {
        const double many = k * all->period / period;
        if (many > 0.5 && fabs(many - nearbyint(many)) <= 1e-9 * many) {
            all->period *= k;
            return;
        }
    }
    all->fits = false;
}

// Of a function of time; whether there was any.
static bool add_function(common *all, const lb_function *function)
{
    const int before = all->count;
    lb_list_periods(function, add_period, all);
    return all->count > before;
}

// A hinge that keeps turning.
static void add_turn(common *all, const lb_model *model, int entry, double speed)
{
    const int body = lb_find_owner(model, entry);
    const int i = entry - lb_get_v_offset(model, body) - lb_get_mode_count(model, body);
    if (i >= 0 && speed != 0.0 && lb_is_turn(lb_get_hinge(model, body).type, i)) {
        add_period(all, two_pi / fabs(speed));
    }
}

static void add_forces(common *all, const lb_simulation *sim, const lb_operating_point *point)
{
    const lb_system *s = &sim->system;
    for (int i = 0; i < s->force_count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            const bool any = add_function(all, &force->functions[j]);
            if (force->type == LB_FORCE_MOTION && !any &&
                point->held[force->body] == LB_HELD_MOVING) {
                const int hinge = lb_get_v_offset(s->model, force->body) +
                                  lb_get_mode_count(s->model, force->body);
                add_turn(all, s->model, hinge + j, point->v[hinge + j]);
            }
        }
    }
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        if (drive->turns) {
            (void)add_function(all, &drive->turn);
        }
        for (int j = 0; j < drive->shift_count; ++j) {
            (void)add_function(all, &drive->shift[j]);
        }
    }
}

lb_status lb_find_period(lb_simulation *sim, const lb_linear_options *options,
                         const lb_operating_point *point, double *period)
{
    const lb_system *s = &sim->system;
    common all = {.fits = true};
    *period = options->period;
    if (options->period > 0.0) {
        return LB_OK;
    }
    if (options->spin >= 0) {
        add_turn(&all, s->model, options->spin, options->spin_speed);
    }
    add_forces(&all, sim, point);
    // wheels that turn by themselves, where nothing else says how long it takes
    const bool alone = all.period == 0.0;
    for (int k = 0; k < s->body_count && alone; ++k) {
        const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        if (lb_get_hinge(s->model, k).type == LB_HINGE_REVOLUTE && !point->held[k]) {
            add_turn(&all, s->model, hinge, point->v[hinge]);
        }
    }
    *period = all.period;
    if (!all.fits) {
        return lb_say(&sim->system, LB_E_EQUILIBRIUM,
                      "linear: speeds of hinges and functions of time have no common period within "
                      "a thousand "
                      "of the first, %.9g s: give the period",
                      all.period);
    }
    return all.period > 0.0
               ? LB_OK
               : lb_say(&sim->system, LB_E_EQUILIBRIUM,
                        "linear: no period found: no hinge turns at a constant speed, and "
                        "no function of time has a sine or is a train of pulses; give "
                        "the period");
}
