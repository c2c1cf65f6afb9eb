// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of several states into lanes and back, and the steps of a base-to-tip sweep at one body for
// several states: the equations of tree/steps.h and tree/revolute_steps.h, rigid bodies only.
#ifndef LB_LANE_STEPS_H
#define LB_LANE_STEPS_H

#include "batch_work.h"

// ---- rows --------------------------------------------------------------------------------------

/// One array of several states. The last of a batch may repeat its last state.
typedef struct lb_lane_rows {
    const double *row[LB_STATES];
} lb_lane_rows;

typedef struct lb_lane_rows_out {
    double *row[LB_STATES];
} lb_lane_rows_out;

/// @param x  rows of `stride` numbers; NULL for zero
LB_LANE_INLINE lb_lane_rows lb_lane_get_rows(const double *x, ptrdiff_t stride, int first,
                                             int count)
{
    lb_lane_rows r;
    for (int j = 0; j < LB_STATES; ++j) {
        const int state = first + j < count ? first + j : count - 1;
        r.row[j] = x ? x + state * stride : NULL;
    }
    return r;
}

LB_LANE_INLINE lb_lane_rows_out lb_lane_get_rows_out(double *x, ptrdiff_t stride, int first,
                                                     int count)
{
    lb_lane_rows_out r;
    for (int j = 0; j < LB_STATES; ++j) {
        r.row[j] = x + (first + j < count ? first + j : count - 1) * stride;
    }
    return r;
}

LB_LANE_INLINE lb_states lb_lane_read(const lb_lane_rows *x, int i)
{
#define LB_ENTRY(j) x->row[j][i]
    return (lb_states)LB_EACH_STATE(LB_ENTRY);
#undef LB_ENTRY
}

/// The same where there may be no rows.
LB_LANE_INLINE lb_states lb_lane_read_or_zero(const lb_lane_rows *x, int i)
{
    return x->row[0] ? lb_lane_read(x, i) : lb_lane_zero();
}

LB_LANE_INLINE void lb_lane_write(const lb_lane_rows_out *x, ptrdiff_t i, lb_states value)
{
    for (int j = 0; j < LB_STATES; ++j) {
        x->row[j][i] = value[j];
    }
}

// ---- positions ---------------------------------------------------------------------------------

/// Sine and cosine of the simple hinges, the first `skip` of them left out.
static inline void lb_lane_compute_angles(const lb_model *model, lb_batch_work *work,
                                          const lb_lane_rows *q, int skip)
{
    lb_states_bits large = {0};
    for (int i = skip; i < model->angle_count; ++i) {
        const lb_states angle = lb_lane_read(q, model->angle_q[i]);
        lb_turn_states(&angle, &work->sines[i], &work->cosines[i]);
        large |= lb_lane_find_large(angle);
    }
    for (int i = skip; lb_lane_any(large) && i < model->angle_count; ++i) {
        const lb_states angle = lb_lane_read(q, model->angle_q[i]);
        lb_lane_turn_large(angle, &work->sines[i], &work->cosines[i]);
    }
}

// R := R Rz, [x y z] -> [c x + s y, c y - s x, z]
LB_LANE_INLINE void lb_lane_turn_z(lb_lane_mat3 *R, lb_states angle)
{
    lb_states s, c;
    lb_lane_turn(angle, &s, &c);
    for (int i = 0; i < 3; ++i) {
        const lb_states x = R->m[i][0], y = R->m[i][1];
        R->m[i][0] = c * x + s * y;
        R->m[i][1] = c * y - s * x;
    }
}

LB_LANE_INLINE void lb_lane_shift_z(lb_lane_pose *X, lb_states distance)
{
    X->p.x += X->R.m[0][2] * distance;
    X->p.y += X->R.m[1][2] * distance;
    X->p.z += X->R.m[2][2] * distance;
}

// The place of a body behind any hinge, and the columns of H* that change; see model/hinges.
static inline void lb_lane_place_hinge(const lb_body *b, const lb_lane_rows *rows,
                                       lb_lane_pose *out, lb_lane_vec6 *H)
{
    lb_states q[7];
    for (int i = 0; i < b->nq; ++i) {
        q[i] = lb_lane_read(rows, b->hinge_q + i);
    }
    lb_lane_pose X = {lb_lane_mat3_spread(&b->X_p.R), lb_lane_vec3_spread(b->X_p.p)};
    switch (b->hinge) {
    case LB_HINGE_REVOLUTE:
        lb_lane_turn_z(&X.R, q[0]);
        break;
    case LB_HINGE_PRISMATIC:
        lb_lane_shift_z(&X, q[0]);
        break;
    case LB_HINGE_SCREW:
        lb_lane_turn_z(&X.R, q[0]);
        lb_lane_shift_z(&X, b->pitch * q[0]);
        break;
    case LB_HINGE_CYLINDRICAL:
        lb_lane_turn_z(&X.R, q[0]);
        lb_lane_shift_z(&X, q[1]);
        break;
    case LB_HINGE_UNIVERSAL: {
        const lb_lane_mat3 between = lb_lane_mat3_spread(b->between);
        lb_lane_mat3 turned = between;
        lb_lane_turn_z(&X.R, q[0]);
        X.R = lb_lane_mat3_mul(&X.R, &between);
        lb_lane_turn_z(&X.R, q[1]);
        // h = Rz(q1)' C' z
        lb_lane_turn_z(&turned, q[1]);
        H[0].w = lb_lane_mat3_row(&turned, 2);
        break;
    }
    case LB_HINGE_PLANAR: {
        const lb_lane_vec3 shift = lb_lane_vec3_make(q[0], q[1], lb_lane_zero());
        X.p = lb_lane_vec3_add(X.p, lb_lane_mat3_mul_vec(&X.R, shift));
        lb_states s, c;
        lb_lane_turn(q[2], &s, &c);
        lb_lane_turn_z(&X.R, q[2]);
        H[0].v = lb_lane_vec3_make(c, -s, lb_lane_zero());
        H[1].v = lb_lane_vec3_make(s, c, lb_lane_zero());
        break;
    }
    case LB_HINGE_TRANSLATIONAL:
        X.p =
            lb_lane_vec3_add(X.p, lb_lane_mat3_mul_vec(&X.R, lb_lane_vec3_make(q[0], q[1], q[2])));
        break;
    case LB_HINGE_SPHERICAL:
    case LB_HINGE_FREE: {
        const lb_lane_mat3 R = lb_lane_quat_to_mat3(q);
        if (b->hinge == LB_HINGE_FREE) {
            const lb_lane_vec3 shift = lb_lane_vec3_make(q[4], q[5], q[6]);
            X.p = lb_lane_vec3_add(X.p, lb_lane_mat3_mul_vec(&X.R, shift));
        }
        X.R = lb_lane_mat3_mul(&X.R, &R);
        break;
    }
    default: // fixed
        break;
    }
    *out = X;
}

// Position                                                                              (KIN-1)
LB_LANE_INLINE void lb_lane_step_position(const lb_model *model, lb_batch_work *work, int k,
                                          const lb_lane_rows *q)
{
    const lb_body *b = &model->bodies[k];
    lb_lane_body *w = &work->bodies[k];
    if (!b->simple) {
        lb_lane_place_hinge(b, q, &w->X, work->H + b->dof);
        return;
    }
    const lb_states s = work->sines[b->angle], c = work->cosines[b->angle];
    for (int i = 0; i < 3; ++i) {
        const double *m = b->X_p.R.m[i];
        w->X.R.m[i][0] = c * m[0] + s * m[1];
        w->X.R.m[i][1] = c * m[1] - s * m[0];
    }
}

/// The pose of a body behind a simple hinge: what does not change comes from the model.
LB_LANE_INLINE lb_lane_pose lb_lane_get_simple_pose(const lb_body *b, const lb_lane_body *w)
{
    lb_lane_pose X;
    for (int i = 0; i < 3; ++i) {
        X.R.m[i][0] = w->X.R.m[i][0];
        X.R.m[i][1] = w->X.R.m[i][1];
        X.R.m[i][2] = lb_lane_spread(b->X_p.R.m[i][2]);
    }
    X.p = lb_lane_vec3_spread(b->X_p.p);
    return X;
}

LB_LANE_INLINE lb_lane_pose lb_lane_get_pose(const lb_body *b, const lb_lane_body *w)
{
    return b->simple ? lb_lane_get_simple_pose(b, w) : w->X;
}

// ---- velocities --------------------------------------------------------------------------------

// H* beta of any hinge, and (dH*/dt in O) beta                                  (HNG-1), (HNG-3)
LB_LANE_INLINE lb_lane_vec6 lb_lane_hinge_speed(const lb_body *b, const lb_lane_vec6 *H,
                                                const lb_lane_rows *rows, lb_lane_vec6 *rate)
{
    lb_states v[6];
    lb_lane_vec6 dV = lb_lane_vec6_zero();
    *rate = dV;
    for (int i = 0; i < b->nv; ++i) {
        v[i] = lb_lane_read(rows, b->hinge_v + i);
        dV = lb_lane_vec6_axpy(dV, v[i], H[i]);
    }
    if (b->hinge == LB_HINGE_UNIVERSAL) {
        const lb_states s = v[0] * v[1];
        rate->w.x = s * H[0].w.y;
        rate->w.y = -s * H[0].w.x;
    } else if (b->hinge == LB_HINGE_PLANAR) {
        rate->v.x = v[2] * dV.v.y;
        rate->v.y = -v[2] * dV.v.x;
    }
    return dV;
}

// Velocity and its bias                                                         (KIN-2), (KIN-3)
LB_LANE_INLINE void lb_lane_step_velocity_simple(const lb_body *b, lb_lane_body *w,
                                                 const lb_lane_vec3 *w_parent,
                                                 const lb_lane_rows *v)
{
    const lb_states speed = lb_lane_read(v, b->hinge_v);
    const lb_lane_pose X = lb_lane_get_simple_pose(b, w);
    const lb_lane_vec3 u = lb_lane_vec3_cross(*w_parent, X.p);
    const lb_lane_vec3 w_p = lb_lane_mat3_tmul_vec(&X.R, *w_parent);
    w->w = lb_lane_vec3_make(w_p.x, w_p.y, w_p.z + speed);
    w->a.w = lb_lane_vec3_make(w_p.y * speed, -w_p.x * speed, lb_lane_zero());
    w->a.v = lb_lane_mat3_tmul_vec(&X.R, lb_lane_vec3_cross(*w_parent, u));
}

static inline void lb_lane_step_velocity_any(const lb_body *b, lb_lane_body *w,
                                             const lb_lane_vec3 *w_parent, const lb_lane_vec6 *H,
                                             const lb_lane_rows *v)
{
    lb_lane_vec6 rate;
    const lb_lane_vec6 dV = lb_lane_hinge_speed(b, H, v, &rate);
    const lb_lane_vec3 u = lb_lane_vec3_cross(*w_parent, w->X.p);
    const lb_lane_vec3 w_p = lb_lane_mat3_tmul_vec(&w->X.R, *w_parent);
    w->w = lb_lane_vec3_add(w_p, dV.w);

    // 2 w' x dv + dw x dv = (2 w' + dw) x dv
    const lb_lane_vec3 twice = lb_lane_vec3_axpy(dV.w, lb_lane_spread(2.0), w_p);
    const lb_lane_vec3 centripetal =
        lb_lane_mat3_tmul_vec(&w->X.R, lb_lane_vec3_cross(*w_parent, u));
    w->a.w = lb_lane_vec3_add(lb_lane_vec3_cross(w_p, dV.w), rate.w);
    w->a.v =
        lb_lane_vec3_add(lb_lane_vec3_add(centripetal, lb_lane_vec3_cross(twice, dV.v)), rate.v);
}

// Gyroscopic force                                                                      (KIN-5)
LB_LANE_INLINE lb_lane_vec6 lb_lane_get_gyroscopic_force(const lb_lane_inertia *M, lb_lane_vec3 w)
{
    return lb_lane_vec6_make(lb_lane_vec3_cross(w, lb_lane_sym3_mul_vec(M->J, w)),
                             lb_lane_vec3_cross(w, lb_lane_vec3_cross(w, M->h)));
}

#endif // LB_LANE_STEPS_H
