// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion of all bodies, without forces.
#include "steps.h"
#include "sweeps.h"

lb_status lb_run_kinematics(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const double *a)
{
    // without forces there is no gravity: what does not move has an acceleration of exactly zero
    work->bodies[-1].alpha.v = lb_vec3_make(0, 0, 0);
    const unsigned kept = lb_keep_places(work);
    if (!kept) {
        lb_compute_angles(model, work, q);
    }
    for (int k = 0; k < model->body_count; ++k) {
        if (!kept) {
            lb_step_position(model, work, k, q);
        }
        if (v) {
            lb_step_velocity(model, work, k, q, v);
        } else {
            work->bodies[k].V = work->bodies[k].a = lb_vec6_zero();
            for (int i = 0; i < model->bodies[k].nv; ++i) {
                work->beta[model->bodies[k].dof + i] = 0.0;
            }
            for (int r = 0; r < model->bodies[k].mode_count; ++r) {
                lb_get_flex(model, work, k)->eta_dot[r] = 0.0;
            }
        }
        lb_step_acceleration(model, work, k, a);
    }
    work->bodies[-1].alpha.v = lb_vec3_neg(model->gravity);
    lb_start_state(work,
                   kept | LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_BIAS | LB_HAS_ACCELERATION);
    return LB_OK;
}
