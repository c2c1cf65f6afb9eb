// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics of many states.
#include "lane_steps.h"
#include "model/kernel_table.h"

// Velocity and acceleration at once                                              (KIN-2), (KIN-4)
LB_LANE_INLINE void step_motion(const lb_model *model, lb_batch_work *work, int k,
                                const lb_lane_rows *v, const lb_lane_rows *acceleration)
{
    const lb_body *b = &model->bodies[k];
    lb_lane_body *w = &work->bodies[k];
    const lb_lane_body *p = &work->bodies[b->parent];
    if (!b->simple) {
        lb_lane_step_velocity_any(b, w, &p->w, work->H + b->dof, v);
        lb_lane_vec6 alpha = lb_lane_vec6_add(lb_lane_carry_motion(&w->X, p->alpha), w->a);
        for (int i = 0; acceleration->row[0] && i < b->nv; ++i) {
            alpha = lb_lane_vec6_axpy(alpha, lb_lane_read(acceleration, b->hinge_v + i),
                                      work->H[b->dof + i]);
        }
        w->alpha = alpha;
        return;
    }
    const lb_states speed = lb_lane_read(v, b->hinge_v);
    const lb_states beta_dot = lb_lane_read_or_zero(acceleration, b->hinge_v);
    const lb_lane_pose X = lb_lane_get_simple_pose(b, w);
    const lb_lane_vec3 w_p = lb_lane_mat3_tmul_vec(&X.R, p->w);
    const lb_lane_vec3 alpha = lb_lane_mat3_tmul_vec(&X.R, p->alpha.w);
    lb_lane_vec3 linear = lb_lane_vec3_add(p->alpha.v, lb_lane_vec3_cross(p->alpha.w, X.p));
    linear = lb_lane_vec3_add(linear, lb_lane_vec3_cross(p->w, lb_lane_vec3_cross(p->w, X.p)));
    w->w = lb_lane_vec3_make(w_p.x, w_p.y, w_p.z + speed);
    w->alpha.w =
        lb_lane_vec3_make(alpha.x + w_p.y * speed, alpha.y - w_p.x * speed, alpha.z + beta_dot);
    w->alpha.v = lb_lane_mat3_tmul_vec(&X.R, linear);
}

// Several states                                                                    (RNE-1), (RNE-2)
static void compute_inverse(const lb_model *model, lb_batch_work *work, const lb_lane_rows *q,
                            const lb_lane_rows *v, const lb_lane_rows *a,
                            const lb_lane_rows_out *tau)
{
    lb_lane_compute_angles(model, work, q, 0);
    for (int k = 0; k < model->body_count; ++k) {
        lb_lane_body *w = &work->bodies[k];
        const lb_lane_inertia M = lb_lane_inertia_spread(&model->bodies[k].M);
        lb_lane_step_position(model, work, k, q);
        step_motion(model, work, k, v, a);
        w->z = lb_lane_vec6_add(lb_lane_inertia_mul(&M, w->alpha),
                                lb_lane_get_gyroscopic_force(&M, w->w));
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_lane_body *w = &work->bodies[k];
        const lb_lane_vec6 f = w->z;
        if (b->simple) {
            lb_lane_write(tau, b->hinge_v, f.w.z);
        } else {
            for (int i = 0; i < b->nv; ++i) {
                lb_lane_write(tau, b->hinge_v + i, lb_lane_vec6_dot(work->H[b->dof + i], f));
            }
        }
        if (b->parent >= 0) {
            lb_lane_body *p = &work->bodies[b->parent];
            const lb_lane_pose X = lb_lane_get_pose(b, w);
            p->z = lb_lane_vec6_add(p->z, lb_lane_carry_force(&X, f));
        }
    }
}

lb_status lb_run_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                        const double *q, const double *v, const double *a,
                                        double *tau)
{
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    if (!lb_has_lanes(model)) {
        for (int i = 0; i < count; ++i) {
            model->kernels->inverse_dynamics(model, work->single, q + i * nq, v + i * nv,
                                             a ? a + i * nv : NULL, tau + i * nv);
        }
        return LB_OK;
    }
    for (int i = 0; i < count; i += LB_STATES) {
        const lb_lane_rows rows_q = lb_lane_get_rows(q, nq, i, count);
        const lb_lane_rows rows_v = lb_lane_get_rows(v, nv, i, count);
        const lb_lane_rows rows_a = lb_lane_get_rows(a, nv, i, count);
        const lb_lane_rows_out rows_tau = lb_lane_get_rows_out(tau, nv, i, count);
        compute_inverse(model, work, &rows_q, &rows_v, &rows_a, &rows_tau);
    }
    return LB_OK;
}
