// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limbs.h"

#include <math.h>

#include "model/layout.h"

// What round-off leaves of a length that was taken away
static double drop(double x, double scale)
{
    return fabs(x) < 1e-15 * scale ? 0.0 : x;
}

static void slide(lb_body *bodies, int count, int k)
{
    lb_body *b = &bodies[k];
    const lb_vec3 p = b->X_p.p;
    const lb_vec3 axis = {b->X_p.R.m[0][2], b->X_p.R.m[1][2], b->X_p.R.m[2][2]};
    const double way = -lb_vec3_dot(axis, p), scale = fabs(p.x) + fabs(p.y) + fabs(p.z);
    const lb_pose back = {lb_mat3_identity(), {0, 0, -way}};
    const lb_vec3 moved = lb_vec3_axpy(p, way, axis);
    b->X_p.p = (lb_vec3){drop(moved.x, scale), drop(moved.y, scale), drop(moved.z, scale)};
    b->M = lb_inertia_carry(&back, &b->M);
    for (int j = k + 1; j < count; ++j) {
        if (bodies[j].parent == k) {
            bodies[j].X_p.p.z -= way;
        }
    }
}

void lb_slide_origins(lb_body *bodies, int count)
{
    for (int k = 0; k < count; ++k) {
        const lb_body *b = &bodies[k];
        if (b->simple && !b->flex && !b->at && !b->moving) {
            slide(bodies, count, k);
        }
    }
}
