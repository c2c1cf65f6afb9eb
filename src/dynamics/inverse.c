// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics, the bias, and hinge reactions.
#include "steps.h"

// Forces of interaction, tip to base                                                    (RNE-2)
//
//     f(k) = M(k) alpha(k) + b(k) + sum over children j of  phi(k,j) f(j)
//
// given     V, alpha of every body
// computes  f(k), the force that the parent exerts on k, about the origin of k
//
// Source: Jain and Rodriguez 1992, (45); Rodriguez, Jain and Kreutz-Delgado 1989, (0.1).
void lb_sweep_forces(const lb_model *model, lb_work *work)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_inertia *M = &model->bodies[k].M;
        lb_body_work *w = &work->bodies[k];
        w->z = lb_vec6_add(lb_inertia_mul(M, w->alpha), lb_get_gyroscopic_force(M, w->V.w));
    }
    work->bodies[-1].z = lb_vec6_zero();
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body_work *w = &work->bodies[k];
        lb_vec6 *f_p = &work->bodies[model->bodies[k].parent].z;
        *f_p = lb_vec6_add(*f_p, lb_pose_carry_force(&w->X, w->z));
    }
}

// Inverse dynamics                                                               (RNE-1), (RNE-2)
//
//     base to tip   V(k), a(k), alpha(k) = phi*(p,k) alpha(p) + H* a + a(k),  alpha(ground) = -g
//     tip to base   f(k);  tau(k) = H f(k)
lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *a, double *tau)
{
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_velocity(model, work, k, q, v);
        lb_step_acceleration(model, work, k, a);
    }
    work->has = LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_ACCELERATION | LB_HAS_FORCES;
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = 0; i < b->nv; ++i) {
            tau[b->hinge_v + i] = lb_vec6_dot(work->H[b->dof + i], work->bodies[k].z);
        }
    }
    return LB_OK;
}

lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                          double *c)
{
    return lb_compute_inverse_dynamics(model, work, q, v, NULL, c);
}

lb_status lb_compute_reactions(const lb_model *model, lb_work *work, double *reactions)
{
    if (lb_need(work, LB_HAS_VELOCITY | LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        // our frame is O turned: only the axes differ
        const int i = model->bodies[k].listed;
        const lb_mat3 *turn = &model->infos[i].turn;
        lb_vec3_to(lb_mat3_mul_vec(turn, work->bodies[k].z.w), reactions + (ptrdiff_t)6 * i);
        lb_vec3_to(lb_mat3_mul_vec(turn, work->bodies[k].z.v), reactions + (ptrdiff_t)6 * i + 3);
    }
    return LB_OK;
}
