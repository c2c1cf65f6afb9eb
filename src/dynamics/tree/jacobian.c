// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Jacobians of nodes and the admittance there.
#include "base/symmetric.h"
#include "node_motion.h"
#include "tree.h"

// What the read-outs below share: the node, its body, and the axes asked for.
typedef struct target {
    int k; // sweep index, -1 for the ground
    const lb_node *node;
    lb_pose X; // where the node is in the frame of k, with the axes asked for
} target;

// The axes asked for, in those of body k.
static lb_mat3 choose_axes(const lb_model *model, lb_work *work, int body, int k, lb_axes axes,
                           const lb_mat3 *node)
{
    switch (axes) {
    case LB_AXES_BODY:
        // the caller's body frame is the node `origin`
        return body == LB_GROUND ? lb_mat3_identity() : model->infos[body].nodes[0].X.R;
    case LB_AXES_NODE:
        return *node;
    case LB_AXES_WORLD:
        break;
    }
    lb_update_world(model, work);
    return lb_mat3_transpose(&work->X_0[k].R);
}

static lb_status aim(const lb_model *model, lb_work *work, int body, int node, lb_axes axes,
                     unsigned need, target *out)
{
    out->node = lb_get_node(model, body, node);
    if (!out->node || (unsigned)axes > LB_AXES_NODE) {
        return LB_E_ARGUMENT;
    }
    if (lb_need_stage(work, need | LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    out->k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    out->X = lb_get_node_place(model, work, out->k, out->node);
    out->X.R = choose_axes(model, work, body, out->k, axes, &out->X.R);
    return LB_OK;
}

// Influence vectors of the target's own modes at the node, referred to the frame of its body.
static const lb_vec6 *get_own_influence(const lb_model *model, lb_work *work, const target *t)
{
    const lb_flex_work *f = lb_get_flex(model, work, t->k);
    if (f) {
        const int n = model->bodies[t->k].mode_count;
        const lb_vec3 l = lb_place_flex_node(t->node, n, f->eta_seen, work->Pi).p;
        for (int r = 0; r < n; ++r) {
            work->Pi[r] = lb_refer_to_frame(l, work->Pi[r]);
        }
    }
    return work->Pi;
}

static void write_column(ptrdiff_t n, double *column, lb_vec6 c)
{
    column[0] = c.w.x;
    column[n] = c.w.y;
    column[2 * n] = c.w.z;
    column[3 * n] = c.v.x;
    column[4 * n] = c.v.y;
    column[5 * n] = c.v.z;
}

// Jacobian                                                                              (JAC-1)
//
//     hinge of j   phi*(j,node) H*(j)
//     mode of j    phi*(j,node) (Pi^t_F - Pi^d_F),  t the node towards the target
//
// for the body of the node and its ancestors, zero elsewhere. The pose from j to the node grows on
// the way to the base.
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
    const lb_vec6 *Pi = get_own_influence(model, work, &t); // of j, at the node towards the target
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        const lb_body *b = &model->bodies[j];
        LB_MARK(b, "JAC-1");
        for (int i = 0; i < b->nv; ++i) {
            write_column(n, J + b->hinge_v + i, lb_pose_carry_motion(&X, work->H[b->dof + i]));
        }
        for (int r = 0; r < b->mode_count; ++r) {
            lb_vec6 c = Pi ? Pi[r] : lb_vec6_zero();
            if (b->moving) {
                c = lb_vec6_sub(c, work->flex[b->flex_index].Pi_d[r]);
            }
            write_column(n, J + b->v + r, lb_pose_carry_motion(&X, c));
        }
        X = lb_pose_mul(&work->bodies[j].X, &X);
        Pi = b->at ? work->joints[b->joint_index].Pi : NULL;
    }
    return LB_OK;
}

// dJ/dt v                                                                               (JAC-2)
//
//     the acceleration of the node at zero generalized acceleration: a(j) of k and its ancestors,
//     carried to k, and the node's own bias (KIN-6)
lb_status lb_compute_jacobian_rate(const lb_model *model, lb_work *work, int body, int node,
                                   lb_axes axes, double acceleration[6])
{
    target t;
    const lb_status status = aim(model, work, body, node, axes, LB_HAS_VELOCITY, &t);
    if (status != LB_OK) {
        return status;
    }
    lb_update_bias(model, work);
    lb_vec6 sum = lb_vec6_zero();
    lb_pose X = lb_pose_identity(); // of k in j
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        sum = lb_vec6_add(sum, lb_pose_carry_motion(&X, work->bodies[j].a));
        X = lb_pose_mul(&work->bodies[j].X, &X);
    }
    const lb_node_rates own = lb_get_own_rates(model, work, t.k, t.node);
    const lb_vec6 bias = lb_get_node_bias(work->bodies[t.k].V.w, t.X.p, &own);
    lb_vec6 at_node = lb_pose_carry_motion(&t.X, sum);
    at_node.w = lb_vec3_add(at_node.w, lb_mat3_tmul_vec(&t.X.R, bias.w));
    at_node.v = lb_vec3_add(at_node.v, lb_mat3_tmul_vec(&t.X.R, bias.v));
    lb_vec3_to(at_node.w, acceleration);
    lb_vec3_to(at_node.v, acceleration + 3);
    return LB_OK;
}

// Adds e* D^-1 e of six forces at one hinge or at the modes of one body.
static void add_products(int n, const double *e, const double *De, double *admittance)
{
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 6; ++d) {
            for (int i = 0; i < n; ++i) {
                admittance[6 * c + d] += e[c * n + i] * De[d * n + i];
            }
        }
    }
}

// Admittance                                                                            (ADM-1)
//
//     J M^-1 J* = B* Psi* H* D^-1 H Psi B = sum over k and its ancestors j of  e(j)* D(j)^-1 e(j)
//
//     at the node  z = phi(k,node),  z_f = Pi_F* z
//     modes        e = Pi^d_F* z - z_f,   z := z + g e
//     hinge        e = H z,   z := z - G e,   then on to the parent: z := phi z,  z_f = Pi^t_F* z
//
// Six unit forces at the node travel to the base. Source: Rodriguez, Jain and Kreutz-Delgado 1989,
// (.41): the recursion for Upsilon, read from the tip.
lb_status lb_tree_admittance(const lb_model *model, lb_work *work, int body, int node, lb_axes axes,
                             double admittance[36])
{
    target t;
    const lb_status status = aim(model, work, body, node, axes, LB_HAS_ARTICULATED, &t);
    if (status != LB_OK) {
        return status;
    }
    lb_vec6 z[6]; // forces, about the frame of j
    for (int c = 0; c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1.0;
        const lb_vec6 f = {lb_vec3_from(unit), lb_vec3_from(unit + 3)};
        z[c] = lb_pose_carry_force(&t.X, f);
    }
    for (int i = 0; i < 36; ++i) {
        admittance[i] = 0.0;
    }
    const lb_vec6 *Pi = get_own_influence(model, work, &t); // of j, at the node towards the target
    for (int j = t.k; j >= 0; j = model->bodies[j].parent) {
        const lb_body *b = &model->bodies[j];
        const int m = b->mode_count, n = b->nv;
        if (m) {
            const lb_flex_work *f = &work->flex[b->flex_index];
            double *e = work->modal, *De = e + (ptrdiff_t)6 * m;
            for (int c = 0; c < 6; ++c) {
                for (int r = 0; r < m; ++r) {
                    e[c * m + r] = De[c * m + r] =
                        (b->moving ? lb_vec6_dot(f->Pi_d[r], z[c]) : 0.0) -
                        (Pi ? lb_vec6_dot(Pi[r], z[c]) : 0.0);
                }
                lb_pass_modes(b, work, De + (ptrdiff_t)c * m, &z[c]);
                lb_finish_modes(b, work, De + (ptrdiff_t)c * m);
            }
            add_products(m, e, De, admittance);
        }
        double e[36], De[36];
        for (int c = 0; c < 6; ++c) {
            for (int i = 0; i < n; ++i) {
                e[c * n + i] = De[c * n + i] = lb_vec6_dot(work->H[b->dof + i], z[c]);
            }
            lb_solve_ldl(n, work->D + b->factor, n, De + (ptrdiff_t)c * n);
            for (int i = 0; i < n; ++i) {
                z[c] = lb_vec6_axpy(z[c], -e[c * n + i], work->G[b->dof + i]);
            }
            z[c] = lb_pose_carry_force(&work->bodies[j].X, z[c]);
        }
        add_products(n, e, De, admittance);
        Pi = b->at ? work->joints[b->joint_index].Pi : NULL;
    }
    return LB_OK;
}
