// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion of nodes, and what read-outs bring up to date before they speak.
#include "node_motion.h"

#include "base/rotation.h"

// X_0k = X_0p X_pk. Places in the world lose digits far from its origin, in an orbit: for loops within
// a tree also the place seen from its root.
static void step_world(const lb_model *model, lb_work *work, int k)
{
    const int p = model->bodies[k].parent;
    work->X_0[k] = lb_pose_mul(&work->X_0[p], &work->bodies[k].X);
    if (work->x_root_users > 0) {
        lb_vec3 *x = work->x_root;
        const lb_vec3 step = lb_mat3_mul_vec(&work->X_0[p].R, work->bodies[k].X.p);
        x[k] = p < 0 ? lb_vec3_make(0, 0, 0) : lb_vec3_add(x[p], step);
    }
}

// V(k) = Phi*(p,k) V_m(p) + H* beta - Pi^d_F etad: (KIN-2), linear part included
static void step_linear(const lb_model *model, lb_work *work, int k)
{
    const lb_vec6 V_p = work->bodies[model->bodies[k].parent].V;
    work->bodies[k].V = lb_get_velocity(model, work, k, V_p);
}

static void update(const lb_model *model, lb_work *work, unsigned what)
{
    what &= ~work->has;
    for (int k = 0; what && k < model->body_count; ++k) {
        if (what & LB_HAS_WORLD) {
            step_world(model, work, k);
        }
        if (what & LB_HAS_LINEAR) {
            step_linear(model, work, k);
        }
    }
    work->has |= what;
}

void lb_update_world(const lb_model *model, lb_work *work)
{
    update(model, work, LB_HAS_WORLD);
}

void lb_update_velocity(const lb_model *model, lb_work *work)
{
    update(model, work, LB_HAS_LINEAR);
}

void lb_update_motion(const lb_model *model, lb_work *work)
{
    update(model, work, LB_HAS_WORLD | LB_HAS_LINEAR);
}

// a(k) by (KIN-3): inverse dynamics does not keep it at hinges of the simple kind
void lb_update_bias(const lb_model *model, lb_work *work)
{
    if (work->has & LB_HAS_BIAS) {
        return;
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->simple) {
            lb_revolute_step_velocity(&work->bodies[k], work->bodies[b->parent].V.w,
                                      work->beta[b->dof]);
        }
    }
    work->has |= LB_HAS_BIAS;
}

void lb_update_inertia(const lb_model *model, lb_work *work)
{
    if (work->has & LB_HAS_INERTIA) {
        return;
    }
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_inertia(model, work, k, 0);
    }
    work->has |= LB_HAS_INERTIA;
}

// Motion of a node j of body k, in the axes of k                                        (KIN-6)
//
//     V(j) = phi*(k,j) V(k) + Pi etad
//     alpha(j) = phi*(k,j) alpha(k) + Pi eta_ddot + bias,
//     bias = (w x dw + b_w,  w x (w x l + 2 dv) + b_v)
//
// (dw, dv) = Pi etad and (b_w, b_v) = (dPi/dt) etad, zero on rigid bodies
lb_vec6 lb_get_node_velocity(const lb_body_work *w, lb_vec3 l, const lb_node_rates *own)
{
    const lb_vec6 V = {w->V.w, lb_vec3_add(w->V.v, lb_vec3_cross(w->V.w, l))};
    return lb_vec6_add(V, own->rate);
}

lb_vec6 lb_get_node_bias(lb_vec3 w, lb_vec3 l, const lb_node_rates *own)
{
    const lb_vec3 u = lb_vec3_axpy(lb_vec3_cross(w, l), 2.0, own->rate.v);
    const lb_vec6 bias = {lb_vec3_cross(w, own->rate.w), lb_vec3_cross(w, u)};
    return lb_vec6_add(bias, own->bias);
}

lb_pose lb_get_node_place(const lb_model *model, const lb_work *work, int k, const lb_node *node)
{
    const lb_flex_work *f = lb_get_flex(model, work, k);
    return f ? lb_place_flex_node(node, model->bodies[k].mode_count, f->eta_seen, NULL) : node->X;
}

lb_node_rates lb_get_own_rates(const lb_model *model, const lb_work *work, int k,
                               const lb_node *node)
{
    const lb_node_rates still = {lb_vec6_zero(), lb_vec6_zero()};
    const lb_flex_work *f = lb_get_flex(model, work, k);
    return f ? lb_get_node_rates(node, model->bodies[k].mode_count, f->eta_seen, f->eta_dot)
             : still;
}

lb_status lb_compute_node_motion(const lb_model *model, lb_work *work, int body, int node,
                                 lb_node_motion *motion)
{
    const lb_node *place = lb_get_node(model, body, node);
    if (!place) {
        return LB_E_ARGUMENT;
    }
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_ACCELERATION) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    const int k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    const lb_body_work *w = &work->bodies[k];
    const lb_flex_work *f = lb_get_flex(model, work, k);
    const lb_mat3 *R = &work->X_0[k].R;

    const lb_pose X_k = lb_get_node_place(model, work, k, place);
    // what is shown of a ruthless body is deformed to first order, though its motion does not see it
    const lb_pose shown =
        f ? lb_place_flex_node(place, model->bodies[k].mode_count, f->eta, NULL) : X_k;
    const lb_pose X = lb_pose_mul(&work->X_0[k], &shown);
    lb_vec3_to(X.p, motion->position);
    lb_quat_to(lb_quat_from_mat3(&X.R), motion->rotation);

    const lb_node_rates own = lb_get_own_rates(model, work, k, place);
    const lb_vec6 V = lb_get_node_velocity(w, X_k.p, &own);
    lb_vec3_to(lb_mat3_mul_vec(R, V.w), motion->velocity);
    lb_vec3_to(lb_mat3_mul_vec(R, V.v), motion->velocity + 3);

    lb_vec6 alpha = {w->alpha.w, lb_vec3_add(w->alpha.v, lb_vec3_cross(w->alpha.w, X_k.p))};
    alpha = lb_vec6_add(alpha, lb_get_node_bias(w->V.w, X_k.p, &own));
    if (f) {
        const int n = model->bodies[k].mode_count;
        alpha = lb_vec6_add(alpha, lb_get_node_rates(place, n, f->eta_seen, f->eta_ddot).rate);
    }
    // in the dynamics gravity acts as an upward acceleration of the ground: take it out
    const int gravity = k >= 0 && (work->has & LB_HAS_FORCES);
    const lb_vec3 out = gravity ? model->gravity : lb_vec3_make(0, 0, 0);
    const lb_vec3 linear = k >= 0 ? lb_mat3_mul_vec(R, alpha.v) : lb_vec3_make(0, 0, 0);
    lb_vec3_to(lb_mat3_mul_vec(R, alpha.w), motion->acceleration);
    lb_vec3_to(lb_vec3_add(linear, out), motion->acceleration + 3);
    return LB_OK;
}
