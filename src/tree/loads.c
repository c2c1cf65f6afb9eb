// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Generalized forces of loads from outside: forces at nodes, and the field of a point mass.
#include "node_motion.h"

static void clear_loads(const lb_model *model, lb_work *work)
{
    for (int k = -1; k < model->body_count; ++k) {
        work->y[k] = lb_vec6_zero();
    }
}

// Generalized forces of loads, tip to base                                              (FRC-2)
//
//     y(p) += phi(p,k) y(k)
//     tau += H y at the hinge;  at the modes  Pi^t_F* phi(p,k) y(k) of children, less Pi^d_F* y
//
// given     y(k)  the loads of each body itself, about its frame and in its axes
// computes  J* of all of them together: O(N), however many there were
void lb_sweep_loads(const lb_model *model, lb_work *work, double *tau)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_vec6 y = work->y[k];
        for (int i = 0; i < b->nv; ++i) {
            tau[b->hinge_v + i] += lb_vec6_dot(work->H[b->dof + i], y);
        }
        for (int r = 0; b->moving && r < b->mode_count; ++r) {
            tau[b->v + r] -= lb_vec6_dot(work->flex[b->flex_index].Pi_d[r], y);
        }
        const lb_vec6 y_p = lb_pose_carry_force(&work->bodies[k].X, y);
        work->y[b->parent] = lb_vec6_add(work->y[b->parent], y_p);
        if (b->at) {
            lb_give_modes_force(model, work, k, y_p, tau + model->bodies[b->parent].v);
        }
    }
}

// The rotation from the axes in which a load is given to those of its body.
static lb_mat3 choose_axes(const lb_model *model, const lb_work *work, const lb_node_force *load,
                           int k, const lb_mat3 *node)
{
    switch (load->axes) {
    case LB_AXES_BODY:
        return k < 0 ? lb_mat3_identity() : model->infos[load->body].nodes[0].X.R;
    case LB_AXES_NODE:
        return *node;
    case LB_AXES_WORLD:
        break;
    }
    return lb_mat3_transpose(&work->X_0[k].R);
}

// Load at a node                                                                        (FRC-1)
//
//     y(k) += phi(k,node) f,   tau_r += Pi_r* f at the modes,   power = f . V(node)
lb_status lb_apply_node_forces(const lb_model *model, lb_work *work, int count,
                               lb_node_force *forces, double *tau)
{
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    for (int i = 0; i < count; ++i) {
        if (!lb_get_node(model, forces[i].body, forces[i].node) ||
            (unsigned)forces[i].axes > LB_AXES_NODE) {
            return LB_E_ARGUMENT;
        }
    }
    lb_update_motion(model, work);
    clear_loads(model, work);
    for (int i = 0; i < count; ++i) {
        lb_node_force *load = &forces[i];
        const lb_node *node = lb_get_node(model, load->body, load->node);
        const int k = load->body == LB_GROUND ? -1 : model->infos[load->body].sweep;
        const lb_flex_work *f = lb_get_flex(model, work, k);
        const int n = model->bodies[k].mode_count;
        const lb_pose X = f ? lb_place_flex_node(node, n, f->eta_seen, work->Pi) : node->X;
        const lb_mat3 R = choose_axes(model, work, load, k, &X.R);
        const lb_vec6 force = {lb_mat3_mul_vec(&R, lb_vec3_from(load->force)),
                               lb_mat3_mul_vec(&R, lb_vec3_from(load->force + 3))};
        const lb_pose shift = {lb_mat3_identity(), X.p};
        work->y[k] = lb_vec6_add(work->y[k], lb_pose_carry_force(&shift, force));

        // V(node), whose modal part is Pi etad
        lb_vec6 V = lb_pose_carry_motion(&shift, work->bodies[k].V);
        for (int r = 0; f && r < n; ++r) {
            tau[model->bodies[k].v + r] += lb_vec6_dot(work->Pi[r], force);
            V = lb_vec6_axpy(V, f->eta_dot[r], work->Pi[r]);
        }
        load->power = lb_vec6_dot(force, V);
    }
    lb_sweep_loads(model, work, tau);
    return LB_OK;
}

// The field of a point mass on a body, about the body's centre of mass                  (FRC-9)
//
//     U = -mu m / d - mu / (2 d^3) (tr J - 3 e.Je)
//     F = -mu m e / d^2 - 3 mu / (2 d^4) ((tr J - 5 e.Je) e + 2 J e),   T = 3 mu / d^3  e x J e
//
// given     d e  from the point mass to the body's centre of mass, in the axes of the body
//           J    inertia about the centre of mass
// computes  (T, F), returns U; the terms with J only where the gradient is wanted
static double attract(double mu, double m, lb_sym3 J, int gradient, lb_vec3 from, lb_vec6 *load)
{
    const double d = lb_vec3_norm(from), mu_d = mu / d;
    const lb_vec3 e = lb_vec3_scale(1.0 / d, from);
    *load = lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_scale(-mu_d * m / d, e));
    double U = -mu_d * m;
    if (gradient) {
        const lb_vec3 Je = lb_sym3_mul_vec(J, e);
        const double eJe = lb_vec3_dot(e, Je), trace = J.xx + J.yy + J.zz;
        const double mu_d3 = mu_d / (d * d);
        const lb_vec3 along = lb_vec3_axpy(lb_vec3_scale(trace - 5.0 * eJe, e), 2.0, Je);
        load->w = lb_vec3_scale(3.0 * mu_d3, lb_vec3_cross(e, Je));
        load->v = lb_vec3_axpy(load->v, -1.5 * mu_d3 / d, along);
        U -= 0.5 * mu_d3 * (trace - 3.0 * eJe);
    }
    return U;
}

// The field of a point mass                                                             (FRC-9)
//
//     y(k) = (T + c x F, F),   tau_r += (dc/d eta_r) . F = M_vf,r . F / m at the modes
lb_status lb_apply_point_gravity(const lb_model *model, lb_work *work,
                                 const lb_point_gravity *field, double *tau, double *power,
                                 double *energy)
{
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    clear_loads(model, work);
    double P = 0.0, U = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_inertia *M = lb_get_inertia(model, work, k);
        if (!(M->m > 0)) {
            continue;
        }
        const lb_vec3 c = lb_vec3_scale(1.0 / M->m, M->h);
        const lb_sym3 shift = lb_sym3_point(-M->m, c);
        const lb_pose *X = &work->X_0[k];
        const lb_vec3 from = lb_vec3_sub(lb_vec3_add(X->p, lb_mat3_mul_vec(&X->R, c)),
                                         lb_vec3_from(field->position));
        if (!(lb_vec3_dot(from, from) > 0)) {
            lb_set_trouble(work, &model->bodies[k], 0);
            return LB_E_NUMBER;
        }
        lb_vec6 load;
        U += attract(field->mu, M->m, lb_sym3_add(M->J, shift), field->gradient,
                     lb_mat3_tmul_vec(&X->R, from), &load);
        work->y[k] = lb_vec6_make(lb_vec3_add(load.w, lb_vec3_cross(c, load.v)), load.v);
        P += lb_vec6_dot(work->y[k], work->bodies[k].V);
        const lb_flex_work *f = lb_get_flex(model, work, k);
        for (int r = 0; r < model->bodies[k].mode_count; ++r) {
            const double modal = lb_vec3_dot(f->M_rf[r].v, load.v) / M->m;
            tau[model->bodies[k].v + r] += modal;
            P += modal * f->eta_dot[r];
        }
    }
    lb_sweep_loads(model, work, tau);
    *power = P;
    *energy = U;
    return LB_OK;
}
