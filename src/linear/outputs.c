// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of signals.
#include <math.h>
#include <string.h>

#include "linear.h"
#include "signals/signals.h"

// ---- nodes -------------------------------------------------------------------------------------

// Motion of a node and its derivatives, 6 x n each, by xi, v and a.
typedef struct node_rows {
    lb_node_motion at;
    double *pose, *velocity, *acceleration, *acceleration_v;
} node_rows;

static lb_status read_node(lb_system *s, lb_derivative_work *scratch, int body, int node,
                           lb_arena *arena, node_rows *rows)
{
    const size_t size = 6 * (size_t)s->v_count;
    rows->pose = lb_take_numbers(arena, 4 * size);
    if (!rows->pose) {
        return LB_E_MEMORY;
    }
    rows->velocity = rows->pose + size;
    rows->acceleration = rows->velocity + size;
    rows->acceleration_v = rows->acceleration + size;
    const lb_node_derivatives out = {sizeof out, rows->pose, rows->velocity, rows->acceleration,
                                     rows->acceleration_v};
    const lb_status status =
        lb_compute_node_derivatives(s->model, s->work, scratch, body, node, &out);
    return status < 0 ? status : lb_compute_node_motion(s->model, s->work, body, node, &rows->at);
}

// d(w . x) for a row w of three: adds scale w' X, X three rows of n.
static void add_rows(int n, const double w[3], const double *X, double *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < n; ++j) {
            out[j] += w[i] * X[i * n + j];
        }
    }
}

// The row that picks a component of x, or its norm.
static bool pick(const double x[3], int index, double w[3])
{
    const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; ++i) {
        w[i] = index >= 0 ? i == index : x[i] / norm;
    }
    return index >= 0 || norm > 0.0;
}

// A component of the motion of a node. False where it has no derivative.
static bool differentiate_node(int n, const lb_signal *signal, const node_rows *node,
                               lb_output_rows *rows)
{
    double w[3];
    const double *rotation = node->at.rotation;
    switch (signal->kind) {
    case LB_SIGNAL_POSITION: {
        const bool good = pick(node->at.position, signal->index, w);
        add_rows(n, w, node->pose + 3 * n, rows->q);
        return good;
    }
    case LB_SIGNAL_ROTATION: {
        // dp = 1/2 (0, theta) p, theta in world axes
        const double x = rotation[1], y = rotation[2], z = rotation[3], s = rotation[0];
        const double half[4][3] = {{-x / 2, -y / 2, -z / 2},
                                   {s / 2, z / 2, -y / 2},
                                   {-z / 2, s / 2, x / 2},
                                   {y / 2, -x / 2, s / 2}};
        if (signal->index >= 0) { // the norm is constant
            add_rows(n, half[signal->index], node->pose, rows->q);
        }
        return true;
    }
    case LB_SIGNAL_VELOCITY:
    case LB_SIGNAL_ANGULAR_VELOCITY: {
        const int at = signal->kind == LB_SIGNAL_VELOCITY ? 3 : 0;
        const bool good = pick(node->at.velocity + at, signal->index, w);
        add_rows(n, w, node->velocity + at * n, rows->q);
        add_rows(n, w, node->pose + at * n, rows->v);
        return good;
    }
    default: {
        const int at = signal->kind == LB_SIGNAL_NODE_ACCELERATION ? 3 : 0;
        const bool good = pick(node->at.acceleration + at, signal->index, w);
        add_rows(n, w, node->acceleration + at * n, rows->q);
        add_rows(n, w, node->acceleration_v + at * n, rows->v);
        add_rows(n, w, node->pose + at * n, rows->a);
        return good;
    }
    }
}

// Distance of two nodes, e . d with d = x_b - x_a, or its rate e . d_dot:
//
//     d(e . d_dot) = (d_dot - (e . d_dot) e) / |d| . d(d) + e . d(d_dot)
static bool differentiate_distance(int n, const lb_signal *signal, const node_rows nodes[2],
                                   lb_output_rows *rows)
{
    double e[3], d[3], rate[3], along = 0.0, length = 0.0;
    for (int i = 0; i < 3; ++i) {
        d[i] = nodes[1].at.position[i] - nodes[0].at.position[i];
        rate[i] = nodes[1].at.velocity[3 + i] - nodes[0].at.velocity[3 + i];
        length += d[i] * d[i];
    }
    length = sqrt(length);
    if (!(length > 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        e[i] = d[i] / length;
        along += e[i] * rate[i];
    }
    for (int side = 0; side < 2; ++side) {
        const double sign = side ? 1.0 : -1.0;
        double w[3], turn[3];
        for (int i = 0; i < 3; ++i) {
            w[i] = sign * e[i];
            turn[i] = sign * (rate[i] - along * e[i]) / length;
        }
        if (signal->kind == LB_SIGNAL_DISTANCE) {
            add_rows(n, w, nodes[side].pose + 3 * n, rows->q);
        } else {
            add_rows(n, turn, nodes[side].pose + 3 * n, rows->q);
            add_rows(n, w, nodes[side].velocity + 3 * n, rows->q);
            add_rows(n, w, nodes[side].pose + 3 * n, rows->v);
        }
    }
    return true;
}

// ---- differences -------------------------------------------------------------------------------

// Of the sixth order, by every xi, v and a                                              (DER-9)
static lb_status difference(lb_system *s, const lb_operating_point *point, const lb_signal *signal,
                            lb_arena *arena, lb_output_rows *rows)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const double h = 1e-3;
    const int n = s->v_count;
    double *q = lb_take_numbers(arena, (size_t)(s->q_count + 3 * n));
    if (!q) {
        return LB_E_MEMORY;
    }
    double *v = q + s->q_count, *a = v + n, *step = a + n, *out[3] = {rows->q, rows->v, rows->a};
    for (int column = 0; column < 3 * n; ++column) {
        const int kind = column / n, j = column % n;
        double sum = 0.0;
        for (int k = -3; k <= 3; ++k) {
            if (k == 0) {
                continue;
            }
            memset(step, 0, (size_t)n * sizeof *step);
            memcpy(v, point->v, (size_t)n * sizeof *v);
            memcpy(a, point->a, (size_t)n * sizeof *a);
            *(kind == 0 ? &step[j] : kind == 1 ? &v[j] : &a[j]) += k * h;
            lb_integrate_configuration(s->model, point->q, step, q);
            const lb_instant instant = lb_make_instant(s->model, s->work, point->t, q, v, a);
            double value;
            lb_status status = lb_compute_kinematics(s->model, s->work, q, v, a);
            status = status < 0 ? status : lb_evaluate_signal(signal, &instant, &value);
            if (status < 0) {
                return status;
            }
            sum += (k < 0 ? -weights[-k - 1] : weights[k - 1]) * value;
        }
        out[kind][j] = sum / h;
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

// Entry of v whose deviation is that of an entry of q; -1 for quaternions and positions of free
// hinges, of which it is none.
static int find_coordinate(const lb_model *model, int entry)
{
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int i = entry - lb_get_q_offset(model, k), modes = lb_get_mode_count(model, k);
        const lb_hinge_type type = lb_get_hinge_type(model, k);
        if (i >= 0 && i < modes + lb_get_hinge_q_count(model, k)) {
            return i >= modes && (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE)
                       ? -1
                       : lb_get_v_offset(model, k) + i;
        }
    }
    return -1;
}

// Analytic derivatives: LB_E_UNSUPPORTED where there are none.
static lb_status differentiate(lb_system *s, lb_derivative_work *scratch, const lb_signal *signal,
                               lb_arena *arena, lb_output_rows *rows)
{
    const int n = s->v_count;
    node_rows nodes[2];
    if (signal->kind == LB_SIGNAL_T || signal->kind == LB_SIGNAL_MASS) {
        return LB_OK;
    }
    if (signal->kind == LB_SIGNAL_Q) {
        const int entry = find_coordinate(s->model, signal->index);
        if (entry >= 0) {
            rows->q[entry] = 1.0;
        }
        return entry >= 0 ? LB_OK : LB_E_UNSUPPORTED;
    }
    if (signal->kind == LB_SIGNAL_V || signal->kind == LB_SIGNAL_A) {
        (signal->kind == LB_SIGNAL_V ? rows->v : rows->a)[signal->index] = 1.0;
        return LB_OK;
    }
    if (signal->kind > LB_SIGNAL_DISTANCE_RATE) {
        return LB_E_UNSUPPORTED;
    }
    lb_status status = read_node(s, scratch, signal->body, signal->node, arena, &nodes[0]);
    if (status >= 0 && signal->kind < LB_SIGNAL_DISTANCE) {
        return differentiate_node(n, signal, &nodes[0], rows) ? LB_OK : LB_E_NUMBER;
    }
    status = status < 0
                 ? status
                 : read_node(s, scratch, signal->other_body, signal->other_node, arena, &nodes[1]);
    return status < 0                                       ? status
           : differentiate_distance(n, signal, nodes, rows) ? LB_OK
                                                            : LB_E_NUMBER;
}

lb_status lb_differentiate_output(lb_system *s, const lb_operating_point *point,
                                  lb_derivative_work *scratch, const lb_signal *signal,
                                  lb_arena *arena, double *value, lb_output_rows *rows)
{
    const size_t n = (size_t)s->v_count;
    const lb_instant instant =
        lb_make_instant(s->model, s->work, point->t, point->q, point->v, point->a);
    memset(rows->q, 0, n * sizeof *rows->q);
    memset(rows->v, 0, n * sizeof *rows->v);
    memset(rows->a, 0, n * sizeof *rows->a);
    lb_status status = lb_compute_inverse_derivatives(s->model, s->work, scratch, point->q,
                                                      point->v, point->a, s->tau, NULL, NULL, NULL);
    status = status < 0 ? status : lb_evaluate_signal(signal, &instant, value);
    status = status < 0 ? status : differentiate(s, scratch, signal, arena, rows);
    if (status == LB_E_UNSUPPORTED) {
        status = difference(s, point, signal, arena, rows);
    }
    return status;
}
