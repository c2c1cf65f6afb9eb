// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Energies, momentum and the centre of mass of the whole system.
#include "steps.h"

// Energies                                                                              (ENG-1)
//
//     T = 1/2 sum V_m* M_m V_m,   U = -g . sum m x_com + 1/2 sum eta* K eta
lb_status lb_compute_energy(const lb_model *model, lb_work *work, double *kinetic,
                            double *potential)
{
    if (lb_need_stage(work, LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    double T = 0.0, U = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_inertia *M = lb_get_inertia(model, work, k);
        const lb_vec6 V = work->bodies[k].V;
        const lb_flex_work *f = lb_get_flex(model, work, k);
        T += 0.5 * lb_vec6_dot(V, lb_inertia_mul(M, V));
        for (int r = 0, n = model->bodies[k].mode_count; r < n; ++r) {
            double inertia = 2.0 * lb_vec6_dot(f->M_rf[r], V), stiffness = 0.0;
            for (int s = 0; s < n; ++s) {
                inertia += f->M_ff[r * n + s] * f->eta_dot[s];
                stiffness += model->bodies[k].flex->K[r * n + s] * f->eta[s];
            }
            T += 0.5 * f->eta_dot[r] * inertia;
            U += 0.5 * f->eta[r] * stiffness;
        }
        const lb_vec3 moment =
            lb_vec3_axpy(lb_mat3_mul_vec(&work->X_0[k].R, M->h), M->m, work->X_0[k].p);
        U -= lb_vec3_dot(model->gravity, moment);
    }
    if (kinetic) {
        *kinetic = T;
    }
    if (potential) {
        *potential = U;
    }
    return LB_OK;
}

// Momentum                                                                              (ENG-2)
//
//     h = sum of phi(0,k) [M_rr V + M_rf etad](k);   about the centre of mass c:  h_w - c x h_v
lb_status lb_compute_system_motion(const lb_model *model, lb_work *work, lb_system_motion *motion)
{
    if (lb_need_stage(work, LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    double mass = 0.0;
    lb_vec3 moment = {0, 0, 0};
    lb_vec6 h = lb_vec6_zero();
    // angular momentum about the first body as well: it may be far from the world's origin
    const lb_vec3 first = model->body_count > 0 ? work->X_0[0].p : moment;
    lb_vec3 near = moment, near_moment = moment;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_inertia *M = lb_get_inertia(model, work, k);
        const lb_flex_work *f = lb_get_flex(model, work, k);
        const lb_pose *X = &work->X_0[k];
        const lb_pose close = {X->R, lb_vec3_sub(X->p, first)};
        lb_vec6 own = lb_inertia_mul(M, work->bodies[k].V);
        for (int r = 0; r < model->bodies[k].mode_count; ++r) {
            own = lb_vec6_axpy(own, f->eta_dot[r], f->M_rf[r]);
        }
        mass += M->m;
        moment = lb_vec3_add(moment, lb_vec3_axpy(lb_mat3_mul_vec(&X->R, M->h), M->m, X->p));
        h = lb_vec6_add(h, lb_pose_carry_force(X, own));
        near = lb_vec3_add(near, lb_pose_carry_force(&close, own).w);
        near_moment =
            lb_vec3_add(near_moment, lb_vec3_axpy(lb_mat3_mul_vec(&X->R, M->h), M->m, close.p));
    }
    const double inverse = mass > 0 ? 1.0 / mass : 0.0;
    const lb_vec3 c = lb_vec3_scale(inverse, moment);
    motion->mass = mass;
    lb_vec3_to(c, motion->com);
    lb_vec3_to(lb_vec3_scale(inverse, h.v), motion->com_velocity);
    lb_vec3_to(h.v, motion->linear);
    lb_vec3_to(h.w, motion->angular_world);
    const lb_vec3 arm = lb_vec3_scale(inverse, near_moment);
    lb_vec3_to(lb_vec3_sub(near, lb_vec3_cross(arm, h.v)), motion->angular);
    return LB_OK;
}
