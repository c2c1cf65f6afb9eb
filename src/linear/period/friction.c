// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction along a motion: it must hold what it holds, and slow what slips one way.
#include <string.h>

#include "period.h"
#include "simulate/run/stiction.h"

static lb_status say_jump(lb_turn *x, const char *name, double t)
{
    return lb_say(x->s, LB_E_UNSUPPORTED,
                  "linear: the friction '%s' sticks and slips along the motion, as at %.6g s: such "
                  "jumps are not in its linear equations; friction with `speed` has none",
                  name, t);
}

lb_status lb_check_friction(lb_turn *x, const lb_linear_options *options)
{
    lb_simulation *sim = x->sim;
    const lb_system *s = x->s;
    const size_t bodies = (size_t)s->body_count, speeds = (size_t)s->v_count;
    lb_arena arena = lb_make_arena(NULL);
    unsigned char *others = lb_arena_take(&arena, 3 * bodies + 2 * speeds + 1, 1);
    double *a = lb_take_numbers(&arena, speeds + 1);
    lb_status status = others && a ? LB_OK : LB_E_MEMORY;
    unsigned char *flags[2] = {others + bodies, others + 2 * bodies + speeds};
    for (int k = 0; status >= 0 && k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        const int count = lb_get_hinge(s->model, k).v_count;
        others[k] = (options->locked && options->locked[k]) ||
                    (options->spin >= first && options->spin < first + count);
    }
    for (int k = 0; sim->stick_count > 0 && k < LB_TURN_INSTANTS && status >= 0; ++k) {
        unsigned char *now = flags[k > 0];
        const lb_turn_state *at = &x->at[k];
        lb_sticks_found found = {.hinges = now, .speeds = now + bodies, .a = a};
        memset(now, 0, bodies + speeds);
        status = lb_find_sticks(sim, x->point.t + at->t, at->q, at->v, others, &found);
        for (int i = 0; i < sim->stick_count && status >= 0; ++i) {
            const lb_stick *stick = &sim->sticks[i];
            const bool held =
                now[stick->is_whole ? (size_t)stick->body : bodies + (size_t)stick->v];
            const bool before =
                flags[0][stick->is_whole ? (size_t)stick->body : bodies + (size_t)stick->v];
            const double product = at->v[stick->v] * x->at[0].v[stick->v];
            if (held != before || product < 0.0) {
                status = say_jump(x, stick->name, x->point.t + at->t);
            }
        }
    }
    lb_arena_free(&arena);
    return status;
}
