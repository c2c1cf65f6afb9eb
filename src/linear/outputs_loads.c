// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of loads: reactions of hinges, and forces of loops in any axes.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/differences.h"
#include "forces/forces.h"
#include "linear.h"
#include "signals/signals.h"

// A load at a point of operation.
typedef struct load {
    lb_system *s;
    const lb_operating_point *point;
    const lb_signal *signal;
    int along_v, j; // the line along which it is differenced
    double *q, *v;  // scratch
} load;

static bool is_reaction(const lb_signal *signal)
{
    return signal->kind >= LB_SIGNAL_REACTION_MOMENT;
}

// What loads from outside and loops do to it at a configuration that the workspace holds: of a reaction the share
// that they take off, of a force of a loop all of it.
static lb_status find_part(const load *l, const lb_applied_loads *applied, const double *loops,
                           double part[6])
{
    const lb_system *s = l->s;
    const lb_signal *signal = l->signal;
    if (!is_reaction(signal)) {
        const double *force = loops + (ptrdiff_t)6 * signal->body;
        return lb_refer_loop_force(s->model, s->work, signal->body, force, &signal->frame, part);
    }
    const lb_status status = lb_compute_applied_share(s->model, s->work, applied, loops,
                                                      signal->body, &signal->frame, part);
    for (int i = 0; i < 6; ++i) {
        part[i] = -part[i];
    }
    return status;
}

static lb_status evaluate_moved(void *user, double size, lb_line_slope *x)
{
    const load *l = user;
    lb_system *s = l->s;
    const size_t n = (size_t)s->v_count;
    double part[6] = {0};
    memcpy(l->q, l->point->q, (size_t)s->q_count * sizeof *l->q);
    memcpy(l->v, l->point->v, n * sizeof *l->v);
    if (l->along_v) {
        l->v[l->j] += size;
    } else {
        memset(s->a, 0, n * sizeof *s->a);
        s->a[l->j] = size;
        lb_integrate_configuration(s->model, l->point->q, s->a, l->q);
    }
    lb_operating_point moved = *l->point;
    moved.q = l->q;
    moved.v = l->v;
    lb_status status = lb_compute_point_forces(s, &moved);
    status = status < 0
                 ? status
                 : find_part(l, lb_get_applied_loads(s->forces), l->point->loop_forces, part);
    for (int i = 0; i < 6; ++i) {
        x[i].value = part[i];
    }
    return status;
}

static double combine(const double weights[6], const lb_line_slope *x)
{
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += weights[i] * x[i].slope;
    }
    return sum;
}

// By q and v, with accelerations and forces of loops held.                              (FRC-15)
static lb_status difference_part(load *l, const double weights[6], lb_arena *arena,
                                 lb_output_rows *rows)
{
    const lb_system *s = l->s;
    const int n = s->v_count;
    double *scales = lb_take_numbers(arena, 2 * (size_t)n + (size_t)s->q_count + 1);
    if (!scales) {
        return LB_E_MEMORY;
    }
    l->v = scales + n;
    l->q = l->v + n;
    lb_find_scales(s->model, scales);
    lb_status status = LB_OK;
    for (int i = 0; i < 2 * n && status >= 0; ++i) {
        lb_line_slope line[6] = {{0}};
        l->along_v = i >= n;
        l->j = i % n;
        const double now = l->along_v ? fabs(l->point->v[l->j]) : 0.0;
        status = lb_difference_line(evaluate_moved, l, 5e-4 * fmax(scales[l->j], now), 6, line);
        (l->along_v ? rows->v : rows->q)[l->j] += combine(weights, line);
    }
    return status;
}

// By forces of loops and by inputs at nodes, of both of which the load is a linear function.
static lb_status add_linear_parts(const load *l, const double weights[6], int input_count,
                                  const lb_input *inputs, lb_arena *arena, lb_load_rows *other)
{
    const lb_system *s = l->s;
    const int count = 6 * lb_get_loop_capacity(s->model);
    const lb_applied_loads nothing = {.size = sizeof nothing};
    double *unit = lb_take_numbers(arena, (size_t)count + 1), part[6];
    lb_status status =
        unit ? lb_compute_kinematics(s->model, s->work, l->point->q, l->point->v, NULL)
             : LB_E_MEMORY;
    for (int i = 0; s->closure && i < count && status >= 0; ++i) {
        if (!is_reaction(l->signal) && i / 6 != l->signal->body) {
            continue;
        }
        unit[i] = 1.0;
        status = find_part(l, &nothing, unit, part);
        unit[i] = 0.0;
        other->loops[i] += lb_compute_dot(6, weights, part);
    }
    for (int i = 0; is_reaction(l->signal) && i < input_count && status >= 0; ++i) {
        if (inputs[i].kind != LB_INPUT_NODE) {
            continue; // what acts on coordinates acts through hinges
        }
        lb_node_force force = {
            .body = inputs[i].body, .node = inputs[i].node, .axes = inputs[i].axes};
        force.force[inputs[i].component] = 1.0;
        const lb_applied_loads one = {.size = sizeof one, .force_count = 1, .forces = &force};
        status = find_part(l, &one, NULL, part);
        other->inputs[i] += lb_compute_dot(6, weights, part);
    }
    return status;
}

// Slopes of the component, or of the norm; times `slope`.
static lb_status weigh(const lb_output_leaf *leaf, const double value[6], double weights[6])
{
    const lb_signal *signal = leaf->signal;
    const bool is_force =
        signal->kind == LB_SIGNAL_LOOP_FORCE || signal->kind == LB_SIGNAL_REACTION_FORCE;
    const double *x = value + (is_force ? 3 : 0);
    double *w = weights + (is_force ? 3 : 0);
    const double norm = lb_compute_norm(3, x);
    for (int i = 0; i < 3; ++i) {
        w[i] = leaf->slope * (signal->index >= 0 ? i == signal->index
                              : norm > 0         ? x[i] / norm
                                                 : 0.0);
    }
    // within an expression it is a kink, with the slope zero
    return signal->index < 0 && !(norm > 0) && leaf->alone ? LB_E_NUMBER : LB_OK;
}

// What the motion takes, at the accelerations of the point: its value, and its derivatives.
static lb_status find_motion_part(const load *l, lb_derivative_work *scratch, double *matrices,
                                  double value[6])
{
    const lb_system *s = l->s;
    const lb_operating_point *p = l->point;
    const ptrdiff_t n = s->v_count;
    const lb_reaction_derivatives out = {
        .size = sizeof out, .dq = matrices, .dv = matrices + 6 * n, .da = matrices + 12 * n};
    lb_status status = lb_compute_inverse_derivatives(s->model, s->work, scratch, p->q, p->v, p->a,
                                                      s->tau, NULL, NULL, NULL);
    status = status < 0 ? status
                        : lb_compute_reaction_derivatives(s->model, s->work, scratch,
                                                          l->signal->body, &l->signal->frame, &out);
    return status < 0 ? status
                      : lb_compute_reaction(s->model, s->work, NULL, l->signal->body,
                                            &l->signal->frame, value);
}

// A load                                                                               (LIN-19)
//
//     f = f_motion(q, v, a) - share(q, v, lambda, u) of a reaction,   f(q, lambda) of a loop
//
// given     f_motion by (DER-20); lambda by (LIN-16)
// computes  slopes by q, v, a, lambda and u
lb_status lb_add_load_slopes(lb_system *s, const lb_operating_point *point,
                             lb_derivative_work *scratch, const lb_output_leaf *leaf,
                             int input_count, const lb_input *inputs, lb_arena *arena,
                             lb_output_rows *rows, lb_load_rows *other)
{
    if (leaf->signal->kind == LB_SIGNAL_CORRECTED) {
        return lb_add_corrected_slopes(s, point, leaf, input_count, inputs, arena, rows, other);
    }
    load l = {.s = s, .point = point, .signal = leaf->signal};
    const ptrdiff_t n = s->v_count;
    double motion[6] = {0}, part[6] = {0}, weights[6] = {0};
    double *matrices = is_reaction(l.signal) ? lb_take_numbers(arena, 18 * (size_t)n + 1) : NULL;
    if (is_reaction(l.signal)) {
        const lb_status status =
            matrices ? find_motion_part(&l, scratch, matrices, motion) : LB_E_MEMORY;
        if (status < 0) {
            return status;
        }
    }
    lb_status status = lb_compute_point_forces(s, point);
    const lb_applied_loads *applied = lb_get_applied_loads(s->forces);
    status = status < 0 ? status : find_part(&l, applied, point->loop_forces, part);
    const bool is_constant = applied->force_count + applied->field_count == 0 && !s->closure;
    for (int i = 0; i < 6; ++i) {
        part[i] += motion[i];
    }
    status = status < 0 ? status : weigh(leaf, part, weights);
    for (int i = 0; matrices && i < 6 && status >= 0; ++i) {
        lb_add_scaled(n, weights[i], matrices + i * n, rows->q);
        lb_add_scaled(n, weights[i], matrices + (6 + i) * n, rows->v);
        lb_add_scaled(n, weights[i], matrices + (12 + i) * n, rows->a);
    }
    status = status < 0 ? status : add_linear_parts(&l, weights, input_count, inputs, arena, other);
    return status < 0 || is_constant ? status : difference_part(&l, weights, arena, rows);
}
