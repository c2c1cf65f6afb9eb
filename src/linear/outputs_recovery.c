// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of recovered quantities by mode acceleration, which depend on what acts at nodes.
#include <math.h>

#include "base/differences.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "linear.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/signals.h"

// A quantity along a line: an entry of q, v or a.
typedef struct line {
    lb_system *s;
    const lb_operating_point *point;
    const lb_signal *signal;
    lb_moved_state moved;
} line;

static lb_status evaluate_moved(void *user, double size, lb_line_slope *x)
{
    const line *l = user;
    lb_system *s = l->s;
    const lb_moved_state *at = &l->moved;
    lb_status status = lb_move_point(s, l->point, at, size);
    status = status < 0 ? status : lb_tree_inverse(s->model, s->work, at->q, at->v, at->a, s->tau);
    status = status < 0 ? status
                        : lb_compute_recovery(s->model, s->work, lb_get_applied_loads(s->forces),
                                              l->signal->body, l->signal->index, &x->value);
    double loops = 0.0;
    if (status >= 0 && s->closure) {
        status = lb_compute_recovery_share(s->model, s->work, NULL, l->point->loop_forces,
                                           l->signal->body, l->signal->index, &loops);
    }
    x->value += loops;
    return status;
}

// By forces of loops and by inputs at nodes, of both of which it is a linear function.
static lb_status add_linear_parts(const line *l, double slope, int input_count,
                                  const lb_input *inputs, lb_arena *arena, lb_load_rows *other)
{
    lb_system *s = l->s;
    const lb_operating_point *p = l->point;
    const int count = s->closure ? 6 * lb_get_loop_capacity(s->model) : 0;
    double *unit = lb_take_numbers(arena, (size_t)count + 1), part;
    const int body = l->signal->body, row = l->signal->index;
    lb_status status =
        unit ? lb_compute_kinematics(s->model, s->work, p->q, p->v, NULL) : LB_E_MEMORY;
    for (int i = 0; i < count && status >= 0; ++i) {
        unit[i] = 1.0;
        status = lb_compute_recovery_share(s->model, s->work, NULL, unit, body, row, &part);
        unit[i] = 0.0;
        other->loops[i] += slope * part;
    }
    for (int i = 0; i < input_count && status >= 0; ++i) {
        const lb_input *input = &inputs[i];
        lb_node_force force = {.body = input->body, .node = input->node, .axes = input->axes};
        const lb_applied_loads one = {.size = sizeof one, .force_count = 1, .forces = &force};
        if (input->kind != LB_INPUT_NODE) {
            continue; // of hinges: it shows in accelerations alone
        }
        force.force[input->component] = 1.0;
        status = lb_compute_recovery_share(s->model, s->work, &one, NULL, body, row, &part);
        other->inputs[i] += slope * part;
    }
    return status;
}

lb_status lb_add_corrected_slopes(lb_system *s, const lb_operating_point *point,
                                  const lb_output_leaf *leaf, int input_count,
                                  const lb_input *inputs, lb_arena *arena, lb_output_rows *rows,
                                  lb_load_rows *other)
{
    const int n = s->v_count;
    double *scales = lb_take_numbers(arena, 4 * (size_t)n + (size_t)s->q_count + 1);
    if (!scales) {
        return LB_E_MEMORY;
    }
    line l = {.s = s, .point = point, .signal = leaf->signal};
    l.moved.v = scales + n;
    l.moved.a = l.moved.v + n;
    l.moved.step = l.moved.a + n;
    l.moved.q = l.moved.step + n;
    lb_find_scales(s->model, scales);
    lb_status status = LB_OK;
    for (int i = 0; i < 3 * n && status >= 0; ++i) {
        lb_line_slope x = {0};
        const int j = i % n;
        l.moved.along = i / n;
        l.moved.j = j;
        const double now = i < n ? 0.0 : fabs((i < 2 * n ? point->v : point->a)[j]);
        status = lb_difference_line(evaluate_moved, &l, 5e-4 * fmax(scales[j], now), 1, &x);
        double *row = i < n ? rows->q : i < 2 * n ? rows->v : rows->a;
        row[j] += leaf->slope * x.slope;
    }
    return status < 0 ? status
                      : add_linear_parts(&l, leaf->slope, input_count, inputs, arena, other);
}
