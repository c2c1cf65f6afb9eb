// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "plain_model.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loops/frozen_loops.h"
#include "model/layout.h"

// What round-off makes of 0, 1 and -1 in a rotation.
static const double round_off = 1e-15;

double lb_snap(double x)
{
    for (int k = -1; k <= 1; ++k) {
        if (fabs(x - k) < round_off) {
            return k;
        }
    }
    return x;
}

static void snap_rotation(lb_mat3 *R)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            R->m[i][j] = lb_snap(R->m[i][j]);
        }
    }
}

static double drop(double x, double scale)
{
    return fabs(x) < round_off * scale ? 0.0 : x;
}

static void snap_vector(lb_vec3 *p)
{
    const double scale = fabs(p->x) + fabs(p->y) + fabs(p->z);
    p->x = drop(p->x, scale);
    p->y = drop(p->y, scale);
    p->z = drop(p->z, scale);
}

static void snap_inertia(lb_inertia *M)
{
    const double scale = M->J.xx + M->J.yy + M->J.zz;
    snap_vector(&M->h);
    M->J.xy = drop(M->J.xy, scale);
    M->J.xz = drop(M->J.xz, scale);
    M->J.yz = drop(M->J.yz, scale);
}

// A rotation whose third column is an axis of the parent is quarter turns and an angle about z: R = R' Rz(d).
// What the file rounded in pi goes to the angle, and only zeros and ones stay.
static double take_offset(lb_mat3 *R)
{
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        axis = fabs(R->m[i][2]) == 1 ? i : axis;
    }
    if (axis < 0) {
        return 0.0;
    }
    // the first column is cos x + sin y for a frame x, y, z of axes
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double sign = R->m[axis][2];
    const double angle = atan2(sign * R->m[j][0], R->m[i][0]);
    const double quarter = 1.5707963267948966;
    const int turns = (int)lround(angle / quarter);
    const double s = turns % 2 ? (turns == 1 ? 1.0 : -1.0) : 0.0;
    const double c = turns % 2 ? 0.0 : (turns == 0 ? 1.0 : -1.0);
    R->m[axis][0] = R->m[axis][1] = 0.0;
    R->m[i][2] = R->m[j][2] = 0.0;
    R->m[i][0] = c;
    R->m[j][0] = sign * s;
    R->m[i][1] = -s;
    R->m[j][1] = sign * c;
    const double rest = angle - turns * quarter;
    return fabs(rest) < round_off ? 0.0 : rest;
}

// The part of a body that looks the same from its parent at every angle of a hinge: its mass and first moment
// along the axis, and the second moment along it. It goes to the parent, and the body keeps the rest:
//
//     m = 0,   h = (h_x, h_y, 0),   J = J - diag(S, S, 0),   S = (J_xx + J_yy - J_zz) / 2
static void hand_over(const lb_body *b, lb_inertia *own, lb_inertia *parent)
{
    const double S = 0.5 * (own->J.xx + own->J.yy - own->J.zz);
    const lb_inertia part = {own->m, {0, 0, own->h.z}, {S, S, 0, 0, 0, 0}};
    own->m = own->h.z = 0.0;
    own->J.xx -= S;
    own->J.yy -= S;
    if (parent) {
        const lb_inertia carried = lb_inertia_carry(&b->X_p, &part);
        *parent = lb_inertia_add(parent, &carried);
    }
}

lb_status lb_make_plain(const lb_model *model, bool shares, lb_plain_model *plain)
{
    const size_t n = (size_t)model->body_count + 1;
    const size_t size = n * sizeof(lb_body) + sizeof(lb_model) + LB_ALIGNMENT;
    *plain = (lb_plain_model){.model = NULL};
    plain->memory = malloc(size);
    plain->offsets = calloc((size_t)model->q_count + 1, sizeof *plain->offsets);
    if (!plain->memory || !plain->offsets) {
        lb_clear_plain(plain);
        return LB_E_MEMORY;
    }
    // the record ahead of the first is the ground
    const size_t skip = (size_t)(-(uintptr_t)plain->memory & (LB_ALIGNMENT - 1));
    lb_body *bodies = (lb_body *)(void *)((char *)plain->memory + skip) + 1;
    plain->model = (lb_model *)(void *)(bodies + (n - 1));
    memcpy(bodies - 1, model->bodies - 1, n * sizeof *bodies);
    memcpy(plain->model, model, sizeof *model);
    plain->model->bodies = bodies;
    plain->model->pattern = NULL;
    if (lb_has_closed_loops(model)) {
        plain->model->pattern = lb_make_plain_pattern(model, &plain->pattern);
        if (!plain->pattern) {
            lb_clear_plain(plain);
            return LB_E_MEMORY;
        }
    }
    for (int k = 0; k < model->body_count; ++k) {
        lb_body *b = &bodies[k];
        b->update = NULL; // modes go one by one: an update has pivots that depend on the state
        if (b->joint_index < 0) {
            snap_rotation(&b->X_p.R);
            snap_vector(&b->X_p.p);
        }
        if (b->simple) {
            plain->offsets[b->hinge_q] = take_offset(&b->X_p.R);
        }
        snap_inertia(&b->M);
    }
    for (int k = shares ? model->body_count - 1 : -1; k >= 0; --k) {
        const int p = bodies[k].parent;
        if (bodies[k].simple && !bodies[k].flex && !(p >= 0 && bodies[p].flex)) {
            hand_over(&bodies[k], &bodies[k].M, p >= 0 ? &bodies[p].M : NULL);
        }
    }
    return LB_OK;
}

void lb_clear_plain(lb_plain_model *plain)
{
    free(plain->memory);
    free(plain->offsets);
    free(plain->pattern);
    *plain = (lb_plain_model){.model = NULL};
}
