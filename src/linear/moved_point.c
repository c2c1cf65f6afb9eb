// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// States beside a point of operation.
#include <string.h>

#include "linear.h"

lb_status lb_move_point(lb_system *s, const lb_operating_point *point, const lb_moved_state *to,
                        double size)
{
    const size_t n = (size_t)s->v_count;
    memcpy(to->q, point->q, (size_t)s->q_count * sizeof *to->q);
    memcpy(to->v, point->v, n * sizeof *to->v);
    memcpy(to->a, point->a, n * sizeof *to->a);
    if (to->along == 0) {
        memset(to->step, 0, n * sizeof *to->step);
        to->step[to->j] = size;
        lb_integrate_configuration(s->model, point->q, to->step, to->q);
    } else {
        (to->along == 1 ? to->v : to->a)[to->j] += size;
    }
    lb_operating_point moved = *point;
    moved.q = to->q;
    moved.v = to->v;
    return lb_compute_point_forces(s, &moved);
}
