// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of a base-to-tip sweep at one body, shared by every algorithm that starts from a state.
#ifndef LB_STEPS_H
#define LB_STEPS_H

#include "../model/hinges/hinges.h"

// Position                                                                             (KIN-1)
//
//     X_pk = X_p+ X_+O(q)
//
// given     X_p+  pose of the turned O+ in the parent (constant), q of the hinge
// computes  X_pk and, where they change, the columns of H*
static inline void lb_step_position(const lb_model *model, lb_work *work, int k, const double *q)
{
    const lb_body *b = &model->bodies[k];
    work->bodies[k].X = lb_hinge_place(b, &b->X_p, q + b->hinge_q);
    if (b->hinge == LB_HINGE_UNIVERSAL || b->hinge == LB_HINGE_PLANAR) {
        lb_hinge_columns(b, q + b->hinge_q, work->H + b->dof);
    }
}

// Velocity and its bias                                                         (KIN-2), (KIN-3)
//
//     V(k) = phi*(p,k) V(p) + dV,   dV = H* beta = (dw, dv)
//     a(k) = ( w' x dw,  w' x (w' x l) + 2 w' x dv + dw x dv ) + (dH*/dt in O) beta
//
// given     V(p); w' = w(p) in the axes of k; l from the origin of p to that of k
// computes  V(k), a(k): the inertial derivative of V(k) less phi* alpha(p) and H* beta_dot
static inline void lb_step_velocity(const lb_model *model, lb_work *work, int k, const double *q,
                                    const double *v)
{
    const lb_body *b = &model->bodies[k];
    lb_body_work *w = &work->bodies[k];
    const lb_vec6 *V_p = &work->bodies[b->parent].V;
    const lb_vec6 dV = lb_hinge_speed(b, q + b->hinge_q, v + b->hinge_v);
    const lb_vec6 rate = lb_hinge_rate(b, q + b->hinge_q, v + b->hinge_v);

    const lb_vec3 u = lb_vec3_cross(V_p->w, w->X.p);
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, V_p->w);
    w->V.w = lb_vec3_add(w_p, dV.w);
    w->V.v = lb_vec3_add(lb_mat3_tmul_vec(&w->X.R, lb_vec3_add(V_p->v, u)), dV.v);

    // 2 w' x dv + dw x dv = (2 w' + dw) x dv
    const lb_vec3 twice = lb_vec3_axpy(dV.w, 2.0, w_p);
    const lb_vec3 centripetal = lb_mat3_tmul_vec(&w->X.R, lb_vec3_cross(V_p->w, u));
    w->a.w = lb_vec3_add(lb_vec3_cross(w_p, dV.w), rate.w);
    w->a.v = lb_vec3_add(lb_vec3_add(centripetal, lb_vec3_cross(twice, dV.v)), rate.v);
}

// Acceleration                                                                          (KIN-4)
//
//     alpha(k) = phi*(p,k) alpha(p) + H* beta_dot + a(k)
static inline void lb_step_acceleration(const lb_model *model, lb_work *work, int k,
                                        const double *beta_dot)
{
    const lb_body *b = &model->bodies[k];
    lb_body_work *w = &work->bodies[k];
    w->alpha = lb_vec6_add(lb_pose_carry_motion(&w->X, work->bodies[b->parent].alpha), w->a);
    if (beta_dot) {
        for (int i = 0; i < b->nv; ++i) {
            w->alpha = lb_vec6_axpy(w->alpha, beta_dot[b->hinge_v + i], work->H[b->dof + i]);
        }
    }
}

// Gyroscopic force                                                                      (KIN-5)
//
//     b(k) = ( w x J w,  w x (w x m c) )
//
// J about the frame's origin; free of v because accelerations are inertial derivatives.
static inline lb_vec6 lb_get_gyroscopic_force(const lb_inertia *M, lb_vec3 w)
{
    return lb_vec6_make(lb_vec3_cross(w, lb_sym3_mul_vec(M->J, w)),
                        lb_vec3_cross(w, lb_vec3_cross(w, M->h)));
}

/// Brings the poses in the world up to date. Needs positions.
void lb_update_world(const lb_model *model, lb_work *work);

/// V(k) and a(k) of every body, from positions on; and poses.
void lb_sweep_velocity(const lb_model *model, lb_work *work, const double *q, const double *v);

/// f(k) of every body, tip to base, into lb_body_work.z: needs velocities and accelerations.
void lb_sweep_forces(const lb_model *model, lb_work *work);

#endif // LB_STEPS_H
