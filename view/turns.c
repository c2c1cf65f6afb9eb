// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rotations and principal axes, for drawing.
#include <math.h>

#include "view/scene.h"

lb_mat3 lb_cli_turn_by(lb_vec3 r)
{
    const double angle = lb_vec3_norm(r);
    const double s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    return lb_quat_to_mat3((lb_quat){cos(0.5 * angle), s * r.x, s * r.y, s * r.z});
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
