// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How one node is turned against another, and where one is seen from another: values, and slopes by the two poses.
#include <math.h>

#include "limber/spatial.h"
#include "slopes.h"

// Both nodes: b is what is described, a is where it is described.
typedef struct pair {
    lb_mat3 R_a, R; // axes of a in the world; of b in those of a
    lb_vec3 p;      // from a to b, in the axes of a
} pair;

static lb_status find_pair(const lb_signal *s, const lb_instant *at, pair *out)
{
    lb_node_motion ends[2];
    const lb_status status = lb_find_ends(s, at, ends);
    if (status < 0) {
        return status;
    }
    const lb_mat3 R_b = lb_quat_to_mat3(lb_quat_from(ends[0].rotation));
    out->R_a = lb_quat_to_mat3(lb_quat_from(ends[1].rotation));
    const lb_mat3 back = lb_mat3_transpose(&out->R_a);
    out->R = lb_mat3_mul(&back, &R_b);
    out->p = lb_mat3_tmul_vec(
        &out->R_a, lb_vec3_sub(lb_vec3_from(ends[0].position), lb_vec3_from(ends[1].position)));
    return LB_OK;
}

// ---- rotation vector ---------------------------------------------------------------------------

// phi = log R, of length up to pi                                                       (ATT-1)
static lb_vec3 find_turn(const lb_mat3 *R)
{
    double q[4];
    lb_quat_to(lb_quat_from_mat3(R), q);
    const double sign = q[0] < 0 ? -1.0 : 1.0;
    const lb_vec3 v = lb_vec3_make(sign * q[1], sign * q[2], sign * q[3]);
    const double length = lb_vec3_norm(v), w = sign * q[0];
    return lb_vec3_scale(length > 1e-9 ? 2.0 * atan2(length, w) / length : 2.0, v);
}

// Row of d phi = (I - phi~ / 2 + c phi~ phi~) delta                                     (ATT-1)
static lb_vec3 get_turn_slopes(lb_vec3 phi, lb_vec3 row)
{
    const double angle = lb_vec3_norm(phi), half = 0.5 * angle;
    const double c = angle > 1e-2 ? (1.0 - half / tan(half)) / (angle * angle)
                                  : 1.0 / 12.0 + angle * angle / 720.0;
    // row' phi~ = (row x phi)'
    const lb_vec3 once = lb_vec3_cross(row, phi);
    return lb_vec3_axpy(lb_vec3_axpy(row, -0.5, once), c, lb_vec3_cross(once, phi));
}

// ---- three angles ------------------------------------------------------------------------------

// Angles of R = R_i(first) R_j(second) R_k(third)                                       (ATT-2)
static void find_angles(const int axes[3], const lb_mat3 *R, double angles[3])
{
    const int i = axes[0], j = axes[1], k = 3 - i - j;
    const double s = (j - i + 3) % 3 == 1 ? 1.0 : -1.0; // i, j, k turn to the right, or to the left
    if (axes[2] == i) {
        angles[0] = atan2(R->m[j][i], -s * R->m[k][i]);
        angles[1] = atan2(hypot(R->m[i][j], R->m[i][k]), R->m[i][i]);
        angles[2] = atan2(R->m[i][j], s * R->m[i][k]);
    } else {
        angles[0] = atan2(-s * R->m[j][k], R->m[k][k]);
        angles[1] = atan2(s * R->m[i][k], hypot(R->m[i][i], R->m[i][j]));
        angles[2] = atan2(-s * R->m[i][j], R->m[i][i]);
    }
}

static lb_vec3 get_axis(int i)
{
    return lb_vec3_make(i == 0, i == 1, i == 2);
}

static lb_vec3 turn_about(int axis, double angle, lb_vec3 x)
{
    const lb_vec3 e = get_axis(axis), across = lb_vec3_cross(e, x);
    return lb_vec3_axpy(lb_vec3_axpy(x, sin(angle), across), 1.0 - cos(angle),
                        lb_vec3_cross(e, across));
}

// Row of the inverse of delta = e_i d(first) + R_i e_j d(second) + R_i R_j e_k d(third)  (ATT-2)
static bool get_angle_slopes(const int axes[3], const double angles[3], int index, lb_vec3 *row)
{
    const lb_vec3 second = turn_about(axes[0], angles[0], get_axis(axes[1]));
    const lb_vec3 last = turn_about(axes[1], angles[1], get_axis(axes[2]));
    const lb_vec3 u[3] = {get_axis(axes[0]), second, turn_about(axes[0], angles[0], last)};
    const double det = lb_vec3_dot(u[0], lb_vec3_cross(u[1], u[2]));
    *row = lb_vec3_scale(1.0 / det, lb_vec3_cross(u[(index + 1) % 3], u[(index + 2) % 3]));
    return fabs(det) > 1e-12;
}

// ---- line of sight -----------------------------------------------------------------------------

// Azimuth about z from x, elevation above the plane of x and y, and the angle off x, of p  (ATT-3)
static double find_sight(lb_vec3 p, int index, lb_vec3 *row)
{
    const double flat = hypot(p.x, p.y), side = hypot(p.y, p.z), d2 = lb_vec3_dot(p, p);
    if (index == 0) {
        *row = lb_vec3_scale(1.0 / (flat * flat), lb_vec3_make(-p.y, p.x, 0.0));
        return atan2(p.y, p.x);
    }
    if (index == 1) {
        *row = lb_vec3_scale(1.0 / (d2 * flat), lb_vec3_make(-p.x * p.z, -p.y * p.z, flat * flat));
        return atan2(p.z, flat);
    }
    *row = lb_vec3_scale(1.0 / (d2 * side), lb_vec3_make(-side * side, p.x * p.y, p.x * p.z));
    return atan2(side, p.x);
}

// ---- values ------------------------------------------------------------------------------------

lb_status lb_read_attitude(const lb_signal *s, const lb_instant *at, double *value)
{
    pair both;
    const lb_status status = find_pair(s, at, &both);
    if (status < 0) {
        return status;
    }
    double x[4], angles[3];
    lb_vec3 row;
    switch (s->kind) {
    case LB_SIGNAL_ATTITUDE:
        lb_quat_to(lb_quat_from_mat3(&both.R), x);
        *value = s->index < 0 ? 1.0 : x[0] < 0 ? -x[s->index] : x[s->index];
        break;
    case LB_SIGNAL_TURN:
        lb_vec3_to(find_turn(&both.R), x);
        *value = s->index < 0 ? lb_vec3_norm(lb_vec3_from(x)) : x[s->index];
        break;
    case LB_SIGNAL_EULER:
        find_angles(s->axes, &both.R, angles);
        *value = angles[s->index];
        break;
    default:
        *value = find_sight(both.p, s->index, &row);
        break;
    }
    return LB_OK;
}

// ---- slopes ------------------------------------------------------------------------------------

// Slopes by a turn of b against a, in the axes of a; false where there are none.
static bool get_slopes(const lb_signal *s, const pair *both, lb_vec3 *turn)
{
    double angles[3], q[4];
    const lb_vec3 phi = find_turn(&both->R);
    const double length = lb_vec3_norm(phi);
    switch (s->kind) {
    case LB_SIGNAL_ATTITUDE:
        lb_quat_to(lb_quat_from_mat3(&both->R), q);
        for (int i = 0; i < 4 && q[0] < 0; ++i) {
            q[i] = -q[i];
        }
        lb_turn_slopes(q, s->index, (double *)turn);
        return true;
    case LB_SIGNAL_TURN:
        *turn = s->index >= 0 ? get_turn_slopes(phi, get_axis(s->index))
                              : lb_vec3_scale(length > 0 ? 1.0 / length : 0.0, phi);
        return s->index >= 0 || length > 0;
    default:
        find_angles(s->axes, &both->R, angles);
        return get_angle_slopes(s->axes, angles, s->index, turn);
    }
}

lb_status lb_find_attitude_slopes(const lb_signal *s, const lb_instant *at, double b[6],
                                  double a[6], bool *defined)
{
    pair both;
    lb_vec3 turn = {0, 0, 0}, shift = {0, 0, 0};
    const lb_status status = find_pair(s, at, &both);
    if (status < 0) {
        return status;
    }
    if (s->kind == LB_SIGNAL_SIGHT) {
        // dp = R_a' (dx_b - dx_a) - R_a' (theta_a x R_a p)
        (void)find_sight(both.p, s->index, &shift);
        *defined = isfinite(shift.x + shift.y + shift.z);
        turn = lb_vec3_cross(both.p, shift);
    } else {
        *defined = get_slopes(s, &both, &turn);
    }
    if (!*defined) {
        turn = shift = lb_vec3_make(0, 0, 0);
    }
    const lb_vec3 turn_w = lb_mat3_mul_vec(&both.R_a, turn);
    const lb_vec3 shift_w = lb_mat3_mul_vec(&both.R_a, shift);
    const bool is_sight = s->kind == LB_SIGNAL_SIGHT;
    lb_vec3_to(is_sight ? lb_vec3_make(0, 0, 0) : turn_w, b);
    lb_vec3_to(shift_w, b + 3);
    lb_vec3_to(lb_vec3_neg(turn_w), a);
    lb_vec3_to(lb_vec3_neg(shift_w), a + 3);
    return LB_OK;
}
