// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Generalized forces of loads from outside: forces at nodes, and the field of a point mass.
#include "model/numbers.h"
#include "node_motion.h"
#include "point_field.h"

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

lb_status lb_check_node_forces(lb_work *work, int count, const lb_node_force *forces)
{
    for (int i = 0; i < count; ++i) {
        const ptrdiff_t bad = lb_find_bad(6, forces[i].force);
        if (bad < 6) {
            return lb_refuse_number(work, "forces", 6 * (ptrdiff_t)i + bad);
        }
    }
    return LB_OK;
}

// Load at a node                                                                        (FRC-1)
//
//     y(k) += phi(k,node) f,   tau_r += Pi_r* f at the modes,   power = f . V(node)
//
// computes  y alone without tau
static double add_node_force(const lb_model *model, lb_work *work, const lb_node_force *load,
                             double *tau)
{
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
    for (int r = 0; tau && f && r < n; ++r) {
        tau[model->bodies[k].v + r] += lb_vec6_dot(work->Pi[r], force);
        V = lb_vec6_axpy(V, f->eta_dot[r], work->Pi[r]);
    }
    return lb_vec6_dot(force, V);
}

static lb_status check_loads(const lb_model *model, lb_work *work, int count,
                             const lb_node_force *forces)
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
    return lb_check_node_forces(work, count, forces);
}

lb_status lb_apply_node_forces(const lb_model *model, lb_work *work, int count,
                               lb_node_force *forces, double *tau)
{
    lb_status status = check_loads(model, work, count, forces);
    status = status < 0 ? status : lb_check_numbers(work, "tau", model->v_count, tau);
    if (status < 0) {
        return status;
    }
    lb_update_motion(model, work);
    clear_loads(model, work);
    for (int i = 0; i < count; ++i) {
        forces[i].power = add_node_force(model, work, &forces[i], tau);
    }
    lb_sweep_loads(model, work, tau);
    return LB_OK;
}

lb_status lb_collect_node_forces(const lb_model *model, lb_work *work, const lb_tree_part *part,
                                 int count, const lb_node_force *forces)
{
    const lb_status status = check_loads(model, work, count, forces);
    if (status < 0) {
        return status;
    }
    lb_update_motion(model, work);
    clear_loads(model, work);
    for (int i = 0; i < count; ++i) {
        const int body = forces[i].body, k = body == LB_GROUND ? -1 : model->infos[body].sweep;
        if (!part || lb_has_node(part, k, forces[i].node)) {
            (void)add_node_force(model, work, &forces[i], NULL);
        }
    }
    return LB_OK;
}

// How the inertia about the frame changes with the modes, as a gradient along e sees it (FRC-9)
//
//     stretch_r = tr J'_r - 3 e.J'_r e,   J'_r = dM_ww/d eta_r
//
// The polynomials have left J'_r with the inertia (FLX-3); a ruthless body has that of zero
// deformation. For mass points (FLX-4) J'_r = sum 2 (c.C_r) I - c C_r' - C_r c', so that
//
//     stretch_r += sum over the points of 6 (e.c)(e.C_r) - 2 c.C_r
//
// computes  stretch by mode, in work->modal: O(modes x mass points), whatever the number of nodes
static void compute_stretch(const lb_flex *flex, const lb_flex_work *f, lb_vec3 e, lb_work *work)
{
    const int n = flex->mode_count, N = lb_is_ruthless(flex) ? 0 : flex->block_count;
    const lb_sym3 *S = lb_is_ruthless(flex) ? flex->S : f->S;
    double *stretch = work->modal;
    for (int r = 0; r < n; ++r) {
        stretch[r] = S[r].xx + S[r].yy + S[r].zz - 3.0 * lb_vec3_dot(e, lb_sym3_mul_vec(S[r], e));
    }
    if (N == 0) {
        return;
    }
    lb_lane *c = (lb_lane *)(void *)work->points, *C = c + 3 * N, *along = C + 3 * n * N;
    lb_deform_points(flex, f->eta, c, C);
    for (int i = 0; i < N; ++i) {
        along[i] = 6.0 * (e.x * c[i] + e.y * c[N + i] + e.z * c[2 * N + i]);
    }
    for (int r = 0; r < n; ++r) {
        const lb_lane *C_r = C + 3 * r * N;
        lb_lane sum = {0};
        for (int i = 0; i < N; ++i) {
            sum += along[i] * (e.x * C_r[i] + e.y * C_r[N + i] + e.z * C_r[2 * N + i]);
        }
        stretch[r] += lb_sum_lane(&sum) - 2.0 * lb_multiply_lanes(3 * N, c, C_r);
    }
}

// The field on the modes of a body                                                      (FRC-9)
//
//     tau_r = (dc/d eta_r) . F + mu / (2 d^3) (tr J_r - 3 e.J_r e)
//
// with dc/d eta_r = M_vf,r / m, and J_r the derivative of the inertia about the centre of mass:
//
//     J_r = J'_r - 2 (c.M_vf,r) I + c M_vf,r' + M_vf,r c'
//     tr J_r - 3 e.J_r e = stretch_r + 2 c.M_vf,r - 6 (e.c)(e.M_vf,r)
static double attract_modes(const lb_model *model, lb_work *work, int k, const lb_field_here *at,
                            int gradient, lb_vec3 F, double *tau)
{
    const lb_body *b = &model->bodies[k];
    const lb_flex_work *f = lb_get_flex(model, work, k);
    const double half = 0.5 * at->mu_d / (at->d * at->d), e_c = lb_vec3_dot(at->e, at->c);
    // F / m, and what shifting the centre of mass does to the inertia about it
    lb_vec3 per_rate = lb_vec3_scale(1.0 / f->M_rr.m, F);
    double P = 0.0;
    if (gradient) {
        const lb_vec3 shift = lb_vec3_axpy(lb_vec3_scale(2.0, at->c), -6.0 * e_c, at->e);
        per_rate = lb_vec3_axpy(per_rate, half, shift);
        compute_stretch(b->flex, f, at->e, work);
    }
    for (int r = 0; r < b->mode_count; ++r) {
        const double modal =
            lb_vec3_dot(f->M_rf[r].v, per_rate) + (gradient ? half * work->modal[r] : 0.0);
        tau[b->v + r] += modal;
        P += modal * f->eta_dot[r];
    }
    return P;
}

// The field on every body: in work->y what acts on it, about its frame and in its axes, and in tau
// and power what acts on its modes, unless tau is NULL.
static lb_status attract_bodies(const lb_model *model, lb_work *work,
                                const lb_oblate_gravity *oblate, double *tau, double *power,
                                double *energy)
{
    const lb_point_gravity *field = &oblate->point;
    const double numbers[9] = {field->mu,          field->position[0], field->position[1],
                               field->position[2], oblate->j2,         oblate->radius,
                               oblate->axis[0],    oblate->axis[1],    oblate->axis[2]};
    lb_status status = lb_check_numbers(work, "field", 9, numbers);
    status = status < 0 ? status : lb_check_numbers(work, "tau", model->v_count, tau);
    if (status < 0) {
        return status;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    clear_loads(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_inertia *M = lb_get_inertia(model, work, k);
        if (!(M->m > 0)) {
            continue;
        }
        const lb_field_here at = lb_find_field(oblate, &work->X_0[k], M);
        if (!(at.d > 0)) {
            lb_set_bad_inertia(work, &model->bodies[k], 0);
            return lb_refuse_number(work, NULL, -1);
        }
        lb_vec6 load;
        *energy += lb_attract(&at, M->m, field->gradient, &load);
        work->y[k] = lb_vec6_make(lb_vec3_add(load.w, lb_vec3_cross(at.c, load.v)), load.v);
        *power += lb_vec6_dot(work->y[k], work->bodies[k].V);
        if (tau && lb_get_flex(model, work, k)) {
            *power += attract_modes(model, work, k, &at, field->gradient, load.v, tau);
        }
    }
    return LB_OK;
}

lb_status lb_collect_gravity(const lb_model *model, lb_work *work, const lb_oblate_gravity *field)
{
    double power = 0.0, energy = 0.0;
    return attract_bodies(model, work, field, NULL, &power, &energy);
}

lb_status lb_apply_oblate_gravity(const lb_model *model, lb_work *work,
                                  const lb_oblate_gravity *field, double *tau, double *power,
                                  double *energy)
{
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    double P = 0.0, U = 0.0;
    const lb_status status = attract_bodies(model, work, field, tau, &P, &U);
    if (status < 0) {
        return status;
    }
    lb_sweep_loads(model, work, tau);
    *power = P;
    *energy = U;
    return LB_OK;
}
