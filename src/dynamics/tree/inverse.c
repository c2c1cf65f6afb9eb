// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics and the bias.
#include "steps.h"
#include "sweeps.h"

// Forces of interaction, tip to base                                                    (RNE-2)
//
//     f_m(k) = M_m(k) alpha_m(k) + b_m(k) + K_m theta(k) + sum over children j of  Phi(k,j) f_m(j)
//
// given     V, alpha of every body, and eta_ddot
// computes  f(k), the force that the parent exerts on k, about the origin of k; f_f, that on modes
//
// Source: Jain and Rodriguez 1992, (45); Rodriguez, Jain and Kreutz-Delgado 1989, (0.1).
void lb_sweep_forces(const lb_model *model, lb_work *work)
{
    for (int k = 0; k < model->body_count; ++k) {
        lb_start_force(model, work, k);
    }
    work->bodies[-1].z = lb_vec6_zero();
    for (int k = model->body_count - 1; k >= 0; --k) {
        LB_MARK(&model->bodies[k], "RNE-2");
        lb_give_force(model, work, k, work->bodies[k].z);
    }
}

// Inverse dynamics                                                               (RNE-1), (RNE-2)
//
//     base to tip   V(k), a(k),   alpha(ground) = (0, -g)
//                   alpha(k) = phi*(p,k) alpha_m(p) + H* beta_dot - Pi^d_F eta_ddot + a(k)
//     tip to base   f(k);  tau = H f: at the hinge H f, at the modes f_f - Pi^d_F* f
lb_status lb_run_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *a, double *tau)
{
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_step_position(model, work, k, q);
        if (b->simple && !b->flex) {
            const double beta_dot = a ? a[b->hinge_v] : 0.0;
            LB_MARK(b, "RNE-1");
            work->beta[b->dof] = v[b->hinge_v];
            lb_revolute_step_motion(&work->bodies[k], &work->bodies[b->parent], v[b->hinge_v],
                                    beta_dot);
        } else {
            lb_step_velocity(model, work, k, q, v);
            lb_step_acceleration(model, work, k, a);
            lb_step_inertia(model, work, k, 1);
        }
    }
    lb_start_state(work, LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_ACCELERATION | LB_HAS_FORCES |
                             LB_HAS_INERTIA);
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->simple && !b->flex) {
            tau[b->hinge_v] = work->bodies[k].z.w.z;
            continue;
        }
        const lb_vec6 force = work->bodies[k].z;
        for (int i = 0; i < b->nv; ++i) {
            tau[b->hinge_v + i] = lb_vec6_dot(work->H[b->dof + i], force);
        }
        for (int r = 0; r < b->mode_count; ++r) {
            const lb_flex_work *f = &work->flex[b->flex_index];
            tau[b->v + r] = f->z_f[r] - (b->moving ? lb_vec6_dot(f->Pi_d[r], force) : 0.0);
        }
    }
    return LB_OK;
}

lb_status lb_run_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                      double *c)
{
    return lb_run_inverse_dynamics(model, work, q, v, NULL, c);
}
