// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that follow a motion.
#include <math.h>
#include <string.h>

#include "closure.h"
#include "dynamics/loops/loop_products.h"
#include "limber/loops.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/functions.h"

lb_status lb_set_loop_motions(lb_system *s, double t)
{
    lb_status status = LB_OK;
    for (int i = 0; s->closure && status >= 0 && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        lb_loop_motion motion;
        lb_get_drive_motion(drive, t, &motion);
        if (s->closure->dropped > 0) {
            memset(motion.acceleration, 0, sizeof motion.acceleration);
        }
        if (s->closure->dropped > 1) {
            memset(motion.velocity, 0, sizeof motion.velocity);
        }
        for (int j = 0; j < 6; ++j) {
            if (!isfinite(motion.position[j]) || !isfinite(motion.velocity[j]) ||
                !isfinite(motion.acceleration[j])) {
                return lb_say(s, LB_E_NUMBER,
                              "t = %.9g s: the motion of loop '%s' is not a finite number", t,
                              lb_get_loop_name(s->model, drive->loop));
            }
        }
        status = lb_set_loop_motion(s->model, s->work, drive->loop, &motion);
        status = status < 0 ? status
                            : lb_set_loop_motion(s->model, s->closure->gauge, drive->loop, &motion);
    }
    return status;
}

double lb_find_loop_break(const lb_system *s, double t)
{
    double first = INFINITY;
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        first = drive->turns ? fmin(first, lb_find_function_break(&drive->turn, t)) : first;
        for (int j = 0; j < drive->shift_count; ++j) {
            first = fmin(first, lb_find_function_break(&drive->shift[j], t));
        }
    }
    return first;
}

lb_status lb_check_loop_motions(lb_system *s, double t)
{
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        bool rough = drive->turns && lb_is_rough_at(&drive->turn, t, 1);
        for (int j = 0; j < drive->shift_count; ++j) {
            rough = rough || lb_is_rough_at(&drive->shift[j], t, 1);
        }
        if (rough) {
            return lb_say(s, LB_E_MODEL,
                          "t = %.9g s: the motion of loop '%s' has a jump or a kink there", t,
                          lb_get_loop_name(s->model, drive->loop));
        }
    }
    return LB_OK;
}

double lb_find_loop_feature(const lb_system *s, double t, double horizon)
{
    double first = INFINITY;
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        first =
            drive->turns ? fmin(first, lb_find_function_feature(&drive->turn, t, horizon)) : first;
        for (int j = 0; j < drive->shift_count; ++j) {
            first = fmin(first, lb_find_function_feature(&drive->shift[j], t, horizon));
        }
    }
    return first;
}

bool lb_passes_loop_break(const lb_system *s, double t)
{
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        bool passes = drive->turns && lb_passes_break(&drive->turn, t);
        for (int j = 0; j < drive->shift_count; ++j) {
            passes = passes || lb_passes_break(&drive->shift[j], t);
        }
        if (passes) {
            return true;
        }
    }
    return false;
}

lb_status lb_compute_loop_power(lb_system *s, double *power)
{
    lb_closure *c = s->closure;
    *power = 0.0;
    if (c->drive_count == 0) {
        return LB_OK;
    }
    // force times J v, which is zero where nothing is given
    const lb_status status = lb_apply_loop_jacobian(s->model, s->work, s->v, c->velocity);
    for (int i = 0; status >= 0 && i < 6 * c->slot_count; ++i) {
        *power += c->forces[i] * c->velocity[i];
    }
    return status;
}
