// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of a base-to-tip sweep at one body, shared by every algorithm that starts from a state.
#ifndef LB_STEPS_H
#define LB_STEPS_H

#include "angles.h"
#include "base/hot.h"
#include "flexible.h"
#include "limber/dynamics.h"
#include "model/hinges/hinges.h"
#include "revolute_steps.h"

// Position                                                                             (KIN-1)
//
//     X_pk = X_p+ X_+O(q)
//
// given     X_p+  pose of the turned O+ in the parent (constant), q of the hinge, and its sine and
//                 cosine from lb_compute_angles
// computes  X_pk and, where they change, the columns of H*
LB_STEP void lb_place_body(const lb_model *model, lb_work *work, int k, const double *q)
{
    const lb_body *b = &model->bodies[k];
    LB_MARK(b, "KIN-1");
    if (b->simple) {
        lb_revolute_step_position(b, &work->bodies[k], work->sines[b->angle],
                                  work->cosines[b->angle]);
        return;
    }
    if (b->joint_index >= 0) {
        lb_step_joint_position(model, work, k, q);
        return;
    }
    work->bodies[k].X = lb_hinge_place(b, &b->X_p, q + b->hinge_q);
    if (b->varies) {
        lb_hinge_columns(b, q + b->hinge_q, work->H + b->dof);
    }
}

// Modal coordinates of a body, where it and its children read them.
LB_STEP void lb_take_coordinates(const lb_model *model, lb_work *work, int k, const double *q)
{
    const lb_body *b = &model->bodies[k];
    for (int r = 0; r < b->mode_count; ++r) {
        work->flex[b->flex_index].eta[r] = q[b->q + r];
    }
}

LB_STEP void lb_step_position(const lb_model *model, lb_work *work, int k, const double *q)
{
    lb_take_coordinates(model, work, k, q);
    lb_place_body(model, work, k, q);
}

// Velocity and its bias                                                         (KIN-2), (KIN-3)
//
//     V(k) = phi*(p,k) V(p) + dV,   dV = H* beta = (dw, dv)
//     a(k) = ( w' x dw,  w' x (w' x l) + 2 w' x dv + dw x dv ) + (dH*/dt in O) beta
//
// given     V(p); w' = w(p) in the axes of k; l from the origin of p to that of k
// computes  w(k), a(k): the inertial derivative of V(k) less phi* alpha(p) and H* beta_dot
//
// Nothing in the dynamics depends on v: read-outs bring it up to date (lb_update_velocity).
LB_STEP void lb_pass_velocity(const lb_model *model, lb_work *work, int k, lb_vec6 V_p,
                              const double *q, const double *v)
{
    const lb_body *b = &model->bodies[k];
    LB_MARK(b, "KIN-2");
    if (b->simple) {
        lb_revolute_step_velocity(&work->bodies[k], V_p.w, v[b->hinge_v]);
        return;
    }
    if (b->joint_index >= 0) {
        lb_step_joint_velocity(model, work, k, V_p, q, v);
        return;
    }
    lb_body_work *w = &work->bodies[k];
    const lb_vec6 dV = lb_hinge_speed(b, q + b->hinge_q, v + b->hinge_v);
    const lb_vec6 rate = lb_hinge_rate(b, q + b->hinge_q, v + b->hinge_v);

    const lb_vec3 u = lb_vec3_cross(V_p.w, w->X.p);
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, V_p.w);
    w->V.w = lb_vec3_add(w_p, dV.w);

    // 2 w' x dv + dw x dv = (2 w' + dw) x dv
    const lb_vec3 twice = lb_vec3_axpy(dV.w, 2.0, w_p);
    const lb_vec3 centripetal = lb_mat3_tmul_vec(&w->X.R, lb_vec3_cross(V_p.w, u));
    w->a.w = lb_vec3_add(lb_vec3_cross(w_p, dV.w), rate.w);
    w->a.v = lb_vec3_add(lb_vec3_add(centripetal, lb_vec3_cross(twice, dV.v)), rate.v);
}

// Modal rates and hinge speeds of a body, where it, its children and the read-outs find them.
LB_STEP void lb_take_speeds(const lb_model *model, lb_work *work, int k, const double *v)
{
    const lb_body *b = &model->bodies[k];
    for (int r = 0; r < b->mode_count; ++r) {
        work->flex[b->flex_index].eta_dot[r] = v[b->v + r];
    }
    for (int i = 0; i < b->nv; ++i) {
        work->beta[b->dof + i] = v[b->hinge_v + i];
    }
}

LB_STEP void lb_step_velocity(const lb_model *model, lb_work *work, int k, const double *q,
                              const double *v)
{
    lb_take_speeds(model, work, k, v);
    lb_pass_velocity(model, work, k, work->bodies[model->bodies[k].parent].V, q, v);
}

// A motion of the parent, its modes' included, at the frame of k: phi*(p,k) alpha_m(p).
LB_STEP lb_vec6 lb_carry_motion(const lb_model *model, const lb_work *work, int k, lb_vec6 alpha_p,
                                const double *eta_ddot_p)
{
    return model->bodies[k].at ? lb_carry_joint_motion(model, work, k, alpha_p, eta_ddot_p)
                               : lb_pose_carry_motion(&work->bodies[k].X, alpha_p);
}

// The flexible part of a body's workspace; NULL for rigid bodies and the ground.
LB_STEP lb_flex_work *lb_get_flex(const lb_model *model, const lb_work *work, int k)
{
    const int index = model->bodies[k].flex_index;
    return index >= 0 ? &work->flex[index] : NULL;
}

// Acceleration of the parent at the frame of k.
LB_STEP lb_vec6 lb_carry_acceleration(const lb_model *model, const lb_work *work, int k)
{
    const int p = model->bodies[k].parent;
    const lb_flex_work *f = lb_get_flex(model, work, p);
    return lb_carry_motion(model, work, k, work->bodies[p].alpha, f ? f->eta_ddot : NULL);
}

// A force at the frame of k, handed to its parent: z += phi(p,k) f, and Pi^t_F* of that to
// its modes.
LB_STEP void lb_give_force(const lb_model *model, lb_work *work, int k, lb_vec6 force)
{
    const lb_body *b = &model->bodies[k];
    lb_body_work *p = &work->bodies[b->parent];
    const lb_vec6 f_p = lb_pose_carry_force(&work->bodies[k].X, force);
    p->z = lb_vec6_add(p->z, f_p);
    if (b->at) {
        lb_give_modes_force(model, work, k, f_p, lb_get_flex(model, work, b->parent)->z_f);
    }
}

// Acceleration                                                                          (KIN-4)
//
//     alpha(k) = phi*(p,k) alpha_m(p) + H* beta_dot - Pi^d_F eta_ddot + a(k)
//
// @param acceleration  generalized accelerations; NULL for zero
LB_STEP void lb_step_acceleration(const lb_model *model, lb_work *work, int k,
                                  const double *acceleration)
{
    const lb_body *b = &model->bodies[k];
    lb_body_work *w = &work->bodies[k];
    LB_MARK(b, "KIN-4");
    w->alpha = lb_vec6_add(lb_carry_acceleration(model, work, k), w->a);
    for (int i = 0; acceleration && i < b->nv; ++i) {
        w->alpha = lb_vec6_axpy(w->alpha, acceleration[b->hinge_v + i], work->H[b->dof + i]);
    }
    for (int r = 0; r < b->mode_count; ++r) {
        lb_flex_work *f = &work->flex[b->flex_index];
        f->eta_ddot[r] = acceleration ? acceleration[b->v + r] : 0.0;
        if (b->moving) {
            w->alpha = lb_vec6_axpy(w->alpha, -f->eta_ddot[r], f->Pi_d[r]);
        }
    }
}

// M_m of a flexible body and, with `bias`, b_m; needs its position and, for the bias, velocity.
LB_STEP void lb_step_inertia(const lb_model *model, lb_work *work, int k, int bias)
{
    const lb_body *b = &model->bodies[k];
    if (b->flex) {
        LB_MARK(b, "FLX-3");
        const lb_vec3 omega = work->bodies[k].V.w;
        lb_compute_flex_inertia(b->flex, bias ? &omega : NULL, work->points,
                                &work->flex[b->flex_index]);
    }
}

// Gyroscopic force                                                                      (KIN-5)
//
//     b(k) = ( w x J w,  w x (w x m c) )
//
// J about the frame's origin; free of v because accelerations are inertial derivatives.
LB_STEP lb_vec6 lb_get_gyroscopic_force(const lb_inertia *M, lb_vec3 w)
{
    return lb_vec6_make(lb_vec3_cross(w, lb_sym3_mul_vec(M->J, w)),
                        lb_vec3_cross(w, lb_vec3_cross(w, M->h)));
}

/// Brings the poses in the world up to date. Needs positions.
void lb_update_world(const lb_model *model, lb_work *work);

/// Brings the linear part of V up to date. Needs velocities.
void lb_update_velocity(const lb_model *model, lb_work *work);

/// Both in one pass. Needs velocities.
void lb_update_motion(const lb_model *model, lb_work *work);

/// Brings a up to date. Needs velocities.
void lb_update_bias(const lb_model *model, lb_work *work);

/// Brings M_m of flexible bodies up to date. Needs positions.
void lb_update_inertia(const lb_model *model, lb_work *work);

/// The inertia of body k about its frame, at the present deformation.
LB_STEP const lb_inertia *lb_get_inertia(const lb_model *model, const lb_work *work, int k)
{
    const lb_flex_work *f = lb_get_flex(model, work, k);
    return f ? &f->M_rr : &model->bodies[k].M;
}

/// f(k) of every body, tip to base, into lb_body_work.z, and those of modes into z_f: needs
/// velocities, accelerations, and inertias with bias.
LB_HOT void lb_sweep_forces(const lb_model *model, lb_work *work);

/// Force of a body by itself, at its frame and on its modes: M_m alpha_m + b_m, stiffness and damping
/// included.
static inline void lb_start_force(const lb_model *model, lb_work *work, int k)
{
    lb_body_work *w = &work->bodies[k];
    const lb_inertia *M = lb_get_inertia(model, work, k);
    const lb_flex_work *f = lb_get_flex(model, work, k);
    LB_MARK(&model->bodies[k], "RNE-2");
    w->z = lb_inertia_mul(M, w->alpha);
    if (!f) {
        w->z = lb_vec6_add(w->z, lb_get_gyroscopic_force(M, w->V.w));
        return;
    }
    const int n = model->bodies[k].mode_count;
    w->z = lb_vec6_add(w->z, f->b_r);
    for (int r = 0; r < n; ++r) {
        w->z = lb_vec6_axpy(w->z, f->eta_ddot[r], f->M_rf[r]);
        LB_LANE(r, n);
        double sum = f->b_f[r] + lb_vec6_dot(f->M_rf[r], w->alpha);
        for (int s = 0; s < n; ++s) {
            sum += f->M_ff[r * n + s] * f->eta_ddot[s];
        }
        f->z_f[r] = sum;
        LB_LANE(0, 0);
    }
}

#endif // LB_STEPS_H
