// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Jacobians of nodes and the admittance there.
#include "../base/symmetric.h"
#include "steps.h"

// Axes of a node's read-out, as a rotation from the axes of its body k.
static lb_mat3 choose_axes(const lb_model *model, const lb_work *work, int body, int k,
                           const lb_node *node, lb_axes axes)
{
    switch (axes) {
    case LB_AXES_BODY:
        // the caller's body frame is the node `origin`
        return body == LB_GROUND ? lb_mat3_identity()
                                 : lb_mat3_transpose(&model->infos[body].nodes[0].X.R);
    case LB_AXES_NODE:
        return lb_mat3_transpose(&node->X.R);
    case LB_AXES_WORLD:
        break;
    }
    return work->X_0[k].R;
}

// What the read-outs below share: the node, its body, and the axes asked for.
typedef struct target {
    int k;     // sweep index, -1 for the ground
    lb_pose X; // the node's place in the axes asked for, relative to the frame of k
} target;

static lb_status aim(const lb_model *model, lb_work *work, int body, int node, lb_axes axes,
                     unsigned need, target *out)
{
    const lb_node *place = lb_get_node(model, body, node);
    if (!place || (int)axes < 0 || axes > LB_AXES_NODE) {
        return LB_E_ARGUMENT;
    }
    if (lb_need(work, need | LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    if (axes == LB_AXES_WORLD) {
        lb_update_world(model, work);
    }
    out->k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    const lb_mat3 R = choose_axes(model, work, body, out->k, place, axes);
    out->X.R = lb_mat3_transpose(&R);
    out->X.p = place->X.p;
    return LB_OK;
}

// Jacobian                                                                              (JAC-1)
//
//     J = [ phi*(k,node) phi*(j,k) H*(j) ]  for j = k and its ancestors, zero elsewhere
//
// The pose from j to the node grows from k towards the base.
lb_status lb_compute_jacobian(const lb_model *model, lb_work *work, int body, int node,
                              lb_axes axes, double *J)
{
    target t;
    const lb_status status = aim(model, work, body, node, axes, 0, &t);
    if (status != LB_OK) {
        return status;
    }
    const ptrdiff_t n = model->v_count;
    for (ptrdiff_t i = 0; i < 6 * n; ++i) {
        J[i] = 0.0;
    }
    lb_pose X = t.X;
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        const lb_body *b = &model->bodies[j];
        for (int i = 0; i < b->nv; ++i) {
            const lb_vec6 c = lb_pose_carry_motion(&X, work->H[b->dof + i]);
            double *column = J + b->hinge_v + i;
            column[0] = c.w.x;
            column[n] = c.w.y;
            column[2 * n] = c.w.z;
            column[3 * n] = c.v.x;
            column[4 * n] = c.v.y;
            column[5 * n] = c.v.z;
        }
        X = lb_pose_mul(&work->bodies[j].X, &X);
    }
    return LB_OK;
}

// dJ/dt v                                                                               (JAC-2)
//
//     the acceleration of the node at zero generalized acceleration: a(j) of k and its ancestors,
//     carried to k, and the node's own centripetal part
lb_status lb_compute_jacobian_rate(const lb_model *model, lb_work *work, int body, int node,
                                   lb_axes axes, double acceleration[6])
{
    target t;
    const lb_status status = aim(model, work, body, node, axes, LB_HAS_VELOCITY, &t);
    if (status != LB_OK) {
        return status;
    }
    lb_vec6 sum = lb_vec6_zero();
    lb_pose X = lb_pose_identity(); // of k in j
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        sum = lb_vec6_add(sum, lb_pose_carry_motion(&X, work->bodies[j].a));
        X = lb_pose_mul(&work->bodies[j].X, &X);
    }
    const lb_vec3 w = work->bodies[t.k].V.w;
    lb_vec6 at_node = lb_pose_carry_motion(&t.X, sum);
    const lb_vec3 centripetal = lb_vec3_cross(w, lb_vec3_cross(w, t.X.p));
    at_node.v = lb_vec3_add(at_node.v, lb_mat3_tmul_vec(&t.X.R, centripetal));
    lb_vec3_to(at_node.w, acceleration);
    lb_vec3_to(at_node.v, acceleration + 3);
    return LB_OK;
}

// Admittance                                                                            (ADM-1)
//
//     J M^-1 J* = B* Psi* H* D^-1 H Psi B = sum over k and its ancestors j of  e(j)* D(j)^-1 e(j)
//
//     e(j) = H z(j),   z(k) = phi(k,node),   z(p) = phi(p,j) [z(j) - G e(j)]
//
// Six unit forces at the node travel to the base. Source: Rodriguez, Jain and Kreutz-Delgado 1989,
// (.41): the recursion for Upsilon, read from the tip.
lb_status lb_compute_admittance(const lb_model *model, lb_work *work, int body, int node,
                                lb_axes axes, double admittance[36])
{
    target t;
    const lb_status status = aim(model, work, body, node, axes, LB_HAS_ARTICULATED, &t);
    if (status != LB_OK) {
        return status;
    }
    lb_vec6 z[6];
    for (int c = 0; c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1.0;
        const lb_vec6 f = {lb_vec3_from(unit), lb_vec3_from(unit + 3)};
        z[c] = lb_pose_carry_force(&t.X, f);
    }
    for (int i = 0; i < 36; ++i) {
        admittance[i] = 0.0;
    }
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        const lb_body *b = &model->bodies[j];
        double e[6][6], De[6][6]; // by force, then by hinge column
        for (int c = 0; c < 6; ++c) {
            for (int i = 0; i < b->nv; ++i) {
                e[c][i] = De[c][i] = lb_vec6_dot(work->H[b->dof + i], z[c]);
            }
            lb_solve_ldl(b->nv, work->D + b->factor, b->nv, De[c]);
            for (int i = 0; i < b->nv; ++i) {
                z[c] = lb_vec6_axpy(z[c], -e[c][i], work->G[b->dof + i]);
            }
            z[c] = lb_pose_carry_force(&work->bodies[j].X, z[c]);
        }
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 6; ++d) {
                for (int i = 0; i < b->nv; ++i) {
                    admittance[6 * c + d] += e[c][i] * De[d][i];
                }
            }
        }
    }
    return LB_OK;
}
