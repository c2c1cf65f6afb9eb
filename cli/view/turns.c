// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rotations and principal axes, for drawing.
#include <math.h>
#include <string.h>

#include "view/scene.h"

lb_mat3 lb_cli_turn_from_quat(const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const lb_mat3 R = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
    return R;
}

lb_mat3 lb_cli_turn_by(lb_vec3 r)
{
    const double angle = lb_vec3_norm(r);
    const double s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    const double q[4] = {cos(0.5 * angle), s * r.x, s * r.y, s * r.z};
    return lb_cli_turn_from_quat(q);
}

void lb_cli_quat_from_turn(const lb_mat3 *R, double q[4])
{
    // the largest of the four is found by its square and the others follow from it
    const double squares[4] = {
        1 + R->m[0][0] + R->m[1][1] + R->m[2][2], 1 + R->m[0][0] - R->m[1][1] - R->m[2][2],
        1 - R->m[0][0] + R->m[1][1] - R->m[2][2], 1 - R->m[0][0] - R->m[1][1] + R->m[2][2]};
    int k = 0;
    for (int i = 1; i < 4; ++i) {
        k = squares[i] > squares[k] ? i : k;
    }
    const double d[3] = {R->m[2][1] - R->m[1][2], R->m[0][2] - R->m[2][0], R->m[1][0] - R->m[0][1]};
    const double root = sqrt(fmax(squares[k], 1e-300));
    if (k == 0) {
        q[0] = 0.5 * root;
        for (int i = 0; i < 3; ++i) {
            q[1 + i] = 0.5 * d[i] / root;
        }
    } else {
        const int i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
        q[0] = 0.5 * d[i] / root;
        q[1 + i] = 0.5 * root;
        q[1 + j] = 0.5 * (R->m[i][j] + R->m[j][i]) / root;
        q[1 + l] = 0.5 * (R->m[i][l] + R->m[l][i]) / root;
    }
    if (q[0] < 0.0) {
        for (int i = 0; i < 4; ++i) {
            q[i] = -q[i];
        }
    }
}

lb_vec3 lb_cli_get_turn(const lb_mat3 *R)
{
    double q[4];
    lb_cli_quat_from_turn(R, q);
    const lb_vec3 v = lb_vec3_make(q[1], q[2], q[3]);
    const double s = lb_vec3_norm(v);
    return lb_vec3_scale(s > 1e-12 ? 2.0 * atan2(s, q[0]) / s : 2.0, v);
}

lb_mat3 lb_cli_turn_z_to(lb_vec3 direction)
{
    const lb_vec3 z = lb_vec3_scale(1.0 / fmax(lb_vec3_norm(direction), 1e-300), direction);
    const lb_vec3 other = fabs(z.x) < 0.7 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    lb_vec3 x = lb_vec3_cross(other, z);
    x = lb_vec3_scale(1.0 / fmax(lb_vec3_norm(x), 1e-300), x);
    const lb_vec3 y = lb_vec3_cross(z, x);
    const lb_mat3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return R;
}

void lb_cli_find_principal(lb_sym3 S, lb_mat3 *axes, double moments[3])
{
    double A[3][3] = {{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}};
    *axes = lb_mat3_identity();
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                // the turn in the plane of p and q that makes A[p][q] zero
                const double angle = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p]);
                const double c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; ++k) {
                    const double kp = A[k][p], kq = A[k][q];
                    A[k][p] = c * kp - s * kq;
                    A[k][q] = s * kp + c * kq;
                    const double vp = axes->m[k][p], vq = axes->m[k][q];
                    axes->m[k][p] = c * vp - s * vq;
                    axes->m[k][q] = s * vp + c * vq;
                }
                for (int k = 0; k < 3; ++k) {
                    const double pk = A[p][k], qk = A[q][k];
                    A[p][k] = c * pk - s * qk;
                    A[q][k] = s * pk + c * qk;
                }
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        moments[i] = A[i][i];
    }
}
