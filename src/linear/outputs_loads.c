// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of loads: reactions of hinges, forces in cuts, and forces of loops in any axes.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/differences.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "linear.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/signals.h"

// A load at a point of operation.
typedef struct load {
    lb_system *s;
    const lb_operating_point *point;
    const lb_signal *signal;
    lb_moved_state moved; // where it is differenced
} load;

static bool is_loop(const lb_signal *signal)
{
    return signal->kind < LB_SIGNAL_REACTION_MOMENT;
}

static bool is_section(const lb_signal *signal)
{
    return signal->kind >= LB_SIGNAL_SECTION_MOMENT;
}

// What loads from outside and loops do to it at a configuration that the workspace holds: of a reaction the share
// that they take off, of a section what they add, of a force of a loop all of it.
static lb_status find_part(const load *l, const lb_applied_loads *applied, const double *loops,
                           double part[6])
{
    const lb_system *s = l->s;
    const lb_signal *signal = l->signal;
    if (is_loop(signal)) {
        const double *force = loops + (ptrdiff_t)6 * signal->body;
        return lb_refer_loop_force(s->model, s->work, signal->body, force, &signal->frame, part);
    }
    const lb_status status = lb_compute_applied_share(
        s->model, s->work, applied, loops, signal->body,
        is_section(signal) ? signal->node : LB_NOT_FOUND, &signal->frame, part);
    for (int i = 0; i < 6 && !is_section(signal); ++i) {
        part[i] = -part[i];
    }
    return status;
}

// The motion part of a section at the state of the scratch.
static lb_status add_section_motion(const load *l, double part[6])
{
    const lb_system *s = l->s;
    double motion[6];
    lb_status status =
        lb_tree_inverse(s->model, s->work, l->moved.q, l->moved.v, l->moved.a, s->tau);
    status = status < 0 ? status
                        : lb_compute_cut_force(s->model, s->work, NULL, l->signal->body,
                                               l->signal->node, &l->signal->frame, motion);
    for (int i = 0; i < 6 && status >= 0; ++i) {
        part[i] += motion[i];
    }
    return status;
}

static lb_status evaluate_moved(void *user, double size, lb_line_slope *x)
{
    const load *l = user;
    lb_system *s = l->s;
    double part[6] = {0};
    lb_status status = lb_move_point(s, l->point, &l->moved, size);
    status = status < 0
                 ? status
                 : find_part(l, lb_get_applied_loads(s->forces), l->point->loop_forces, part);
    if (status >= 0 && is_section(l->signal)) {
        status = add_section_motion(l, part);
    }
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

static lb_status take_scratch(load *l, lb_arena *arena)
{
    const size_t n = (size_t)l->s->v_count;
    lb_moved_state *moved = &l->moved;
    moved->v = lb_take_numbers(arena, 3 * n + (size_t)l->s->q_count + 1);
    moved->a = moved->v + n;
    moved->step = moved->a + n;
    moved->q = moved->step + n;
    return moved->v ? LB_OK : LB_E_MEMORY;
}

// By q and v, and of a section by a, with forces of loops held.                         (FRC-15)
static lb_status difference_part(load *l, const double weights[6], lb_arena *arena,
                                 lb_output_rows *rows)
{
    const lb_system *s = l->s;
    const int n = s->v_count;
    double *const to[3] = {rows->q, rows->v, rows->a};
    const double *const now[3] = {NULL, l->point->v, l->point->a};
    double *scales = lb_take_numbers(arena, (size_t)n + 1);
    lb_status status = scales ? take_scratch(l, arena) : LB_E_MEMORY;
    if (status < 0) {
        return status;
    }
    lb_find_scales(s->model, scales);
    for (int i = 0; i < (is_section(l->signal) ? 3 : 2) * n && status >= 0; ++i) {
        lb_line_slope line[6] = {{0}};
        const int along = i / n, j = i % n;
        const double size = now[along] ? fabs(now[along][j]) : 0.0;
        l->moved.along = along;
        l->moved.j = j;
        status = lb_difference_line(evaluate_moved, l, 5e-4 * fmax(scales[j], size), 6, line);
        to[along][j] += combine(weights, line);
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
        if (is_loop(l->signal) && i / 6 != l->signal->body) {
            continue;
        }
        unit[i] = 1.0;
        status = find_part(l, &nothing, unit, part);
        unit[i] = 0.0;
        other->loops[i] += lb_compute_dot(6, weights, part);
    }
    for (int i = 0; !is_loop(l->signal) && i < input_count && status >= 0; ++i) {
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
    const int first = lb_is_moment_signal(signal) ? 0 : 3;
    const double *x = value + first;
    double *w = weights + first;
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
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, scratch, p->q, p->v, p->a,
                                                   s->tau, NULL, NULL, NULL);
    status = status < 0 ? status
                        : lb_compute_reaction_derivatives(s->model, s->work, scratch,
                                                          l->signal->body, &l->signal->frame, &out);
    return status < 0 ? status
                      : lb_compute_reaction(s->model, s->work, NULL, l->signal->body,
                                            &l->signal->frame, value);
}

// A load                                                                               (LIN-23)
//
//     f = f_motion(q, v, a) - share(q, v, lambda, u) of a reaction,   f(q, lambda) of a loop
//
// given     f_motion by (DER-20), of a section by differences; lambda by (LIN-16)
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
    const bool is_reaction = !is_loop(l.signal) && !is_section(l.signal);
    double *matrices = is_reaction ? lb_take_numbers(arena, 18 * (size_t)n + 1) : NULL;
    if (is_reaction) {
        const lb_status status =
            matrices ? find_motion_part(&l, scratch, matrices, motion) : LB_E_MEMORY;
        if (status < 0) {
            return status;
        }
    }
    lb_status status = lb_compute_point_forces(s, point);
    const lb_applied_loads *applied = lb_get_applied_loads(s->forces);
    const bool is_constant =
        is_reaction && applied->force_count + applied->field_count == 0 && !s->closure;
    status = status < 0 ? status : find_part(&l, applied, point->loop_forces, part);
    if (status >= 0 && is_section(l.signal)) {
        l.moved.q = point->q;
        l.moved.v = point->v;
        l.moved.a = point->a;
        status = add_section_motion(&l, part);
    }
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
