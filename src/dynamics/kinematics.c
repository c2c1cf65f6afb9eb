// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion of bodies and nodes.
#include "../model/rotation.h"
#include "steps.h"

void lb_sweep_velocity(const lb_model *model, lb_work *work, const double *q, const double *v)
{
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_velocity(model, work, k, q, v);
    }
    work->has = LB_HAS_POSITION | LB_HAS_VELOCITY;
}

lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const double *a)
{
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        if (v) {
            lb_step_velocity(model, work, k, q, v);
        } else {
            work->bodies[k].V = work->bodies[k].a = lb_vec6_zero();
        }
        lb_step_acceleration(model, work, k, a);
    }
    work->has = LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_ACCELERATION;
    return LB_OK;
}

// X_0k = X_0p X_pk, base to tip
void lb_update_world(const lb_model *model, lb_work *work)
{
    if (work->has & LB_HAS_WORLD) {
        return;
    }
    for (int k = 0; k < model->body_count; ++k) {
        work->X_0[k] = lb_pose_mul(&work->X_0[model->bodies[k].parent], &work->bodies[k].X);
    }
    work->has |= LB_HAS_WORLD;
}

// Motion of a node j of body k, in the axes of k                                        (KIN-6)
//
//     V(j) = phi*(k,j) V(k)
//     alpha(j) = phi*(k,j) alpha(k) + (0, w x (w x l))
static lb_vec6 node_velocity(lb_vec6 V, lb_vec3 l)
{
    return lb_vec6_make(V.w, lb_vec3_add(V.v, lb_vec3_cross(V.w, l)));
}

static lb_vec6 node_acceleration(lb_vec6 alpha, lb_vec3 w, lb_vec3 l)
{
    const lb_vec3 centripetal = lb_vec3_cross(w, lb_vec3_cross(w, l));
    return lb_vec6_make(alpha.w,
                        lb_vec3_add(lb_vec3_add(alpha.v, lb_vec3_cross(alpha.w, l)), centripetal));
}

lb_status lb_compute_node_motion(const lb_model *model, lb_work *work, int body, int node,
                                 lb_node_motion *motion)
{
    const lb_node *place = lb_get_node(model, body, node);
    if (!place) {
        return LB_E_ARGUMENT;
    }
    if (lb_need(work, LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_ACCELERATION) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_world(model, work);
    const int k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    const lb_body_work *w = &work->bodies[k];
    const lb_mat3 *R = &work->X_0[k].R;

    const lb_pose X = lb_pose_mul(&work->X_0[k], &place->X);
    lb_vec3_to(X.p, motion->position);
    lb_quat_to(lb_quat_from_mat3(&X.R), motion->rotation);

    const lb_vec6 V = node_velocity(w->V, place->X.p);
    lb_vec3_to(lb_mat3_mul_vec(R, V.w), motion->velocity);
    lb_vec3_to(lb_mat3_mul_vec(R, V.v), motion->velocity + 3);

    // gravity acts as an upward acceleration of the ground: take it out
    const lb_vec6 alpha = node_acceleration(w->alpha, w->V.w, place->X.p);
    lb_vec3_to(lb_mat3_mul_vec(R, alpha.w), motion->acceleration);
    lb_vec3_to(lb_vec3_add(lb_mat3_mul_vec(R, alpha.v), model->gravity), motion->acceleration + 3);
    return LB_OK;
}
