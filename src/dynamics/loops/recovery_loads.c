// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recovered quantities with their static correction. What acts on a body at its nodes              (RCV-4)
//
//     f(k) = f_motion(k) - what loops, fields and loads exert on k and everything outboard of it
//
// is what the parent exerts on body k through its hinge. The opposite acts on the parent, at the node that the
// hinge is at.
#include <math.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/tree/node_motion.h"
#include "loop_products.h"
#include "loop_rows.h"
#include "model/modal/flex.h"
#include "model/numbers.h"

// What the loads at the nodes of a body come to.
typedef struct interface {
    lb_vec3
        field;  // acceleration by fields of point masses, at the body's centre of mass, world axes
    double sum; // of the loads, each times its weight
} interface;

// Loads that act on a body.
typedef struct acting {
    const lb_applied_loads *applied; // from outside; NULL for none
    const double *loop_forces;       // 6 a slot; NULL: those of the dynamics call
    bool without_motion;             // these two alone: hinges carry no more than they do
} acting;

// Weights of the nodes of one body.
typedef struct weighing {
    const lb_model *model;
    const lb_work *work;
    int k; // sweep index
    const double *weights;
    double sum;
} weighing;

// A force on the body at a node: about its frame and in its axes.
static void weigh(weighing *w, int node, lb_vec6 f)
{
    const lb_body_info *info = &w->model->infos[w->model->bodies[w->k].listed];
    if (node == 0 || !w->weights) {
        return;
    }
    const lb_pose X = lb_get_node_place(w->model, w->work, w->k, &info->nodes[node]);
    const lb_mat3 *R = &info->nodes[0].X.R;
    const double *weights = w->weights + (ptrdiff_t)6 * (node - 1);
    const lb_vec3 moment = lb_vec3_sub(f.w, lb_vec3_cross(X.p, f.v));
    w->sum += lb_vec3_dot(lb_vec3_from(weights), lb_mat3_tmul_vec(R, moment)) +
              lb_vec3_dot(lb_vec3_from(weights + 3), lb_mat3_tmul_vec(R, f.v));
}

// Takes the loads in y off the forces of hinges.
static void take_off(const lb_model *model, lb_work *work)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        lb_vec6 *y_p = &work->y[model->bodies[k].parent];
        *y_p = lb_vec6_add(*y_p, lb_pose_carry_force(&work->bodies[k].X, work->y[k]));
        work->bodies[k].z = lb_vec6_sub(work->bodies[k].z, work->y[k]);
    }
}

// Forces of loops, along their rows.
static void weigh_loops(weighing *w, lb_work *work, const double *x)
{
    const lb_model *model = w->model;
    lb_collect_loop_forces(model, work, x);
    for (int k = -1; k < model->body_count; ++k) {
        work->y[k] = work->loops->load[k];
    }
    take_off(model, work);
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        for (int s = 0; slot->active && slot->loop.type != LB_LOOP_COUPLER && s < 2; ++s) {
            lb_vec6 f = lb_vec6_zero();
            for (int r = 0; r < slot->loop.row_count; ++r) {
                f = lb_vec6_axpy(f, x[6 * l + r], slot->force[s][r]);
            }
            if (slot->k[s] == w->k) {
                weigh(w, slot->loop.ends[s].node, f);
            }
        }
    }
}

static lb_status weigh_forces(weighing *w, lb_work *work, const lb_applied_loads *applied)
{
    lb_status status = LB_OK;
    for (int i = 0; i < applied->force_count && status >= 0; ++i) {
        const lb_node_force *force = &applied->forces[i];
        if (force->body == w->model->bodies[w->k].listed) {
            status = lb_collect_node_forces(w->model, work, NULL, 1, force);
            weigh(w, status < 0 ? 0 : force->node, work->y[w->k]);
        }
    }
    if (status >= 0 && applied->force_count > 0) {
        status =
            lb_collect_node_forces(w->model, work, NULL, applied->force_count, applied->forces);
        if (status >= 0) {
            take_off(w->model, work);
        }
    }
    return status;
}

static lb_status weigh_fields(const weighing *w, lb_work *work, const lb_applied_loads *applied,
                              lb_vec3 *acceleration)
{
    lb_status status = LB_OK;
    for (int i = 0; i < applied->field_count && status >= 0; ++i) {
        status = lb_collect_gravity(w->model, work, &applied->fields[i]);
        if (status < 0) {
            break;
        }
        const double mass = lb_get_inertia(w->model, work, w->k)->m;
        const lb_vec3 pull = lb_mat3_mul_vec(&work->X_0[w->k].R, work->y[w->k].v);
        *acceleration = lb_vec3_axpy(*acceleration, mass > 0 ? 1 / mass : 0.0, pull);
        take_off(w->model, work);
    }
    return status;
}

// What the motion of bodies takes, in z.
static lb_status start(const lb_model *model, lb_work *work, bool without_motion)
{
    const unsigned needs = LB_HAS_VELOCITY | (without_motion ? 0u : LB_HAS_FORCES);
    if (lb_need_stage(work, needs) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    if (!without_motion) {
        lb_sweep_forces(model, work);
    }
    for (int k = 0; without_motion && k < model->body_count; ++k) {
        work->bodies[k].z = lb_vec6_zero();
    }
    return LB_OK;
}

static lb_status weigh_interface(const lb_model *model, lb_work *work, int body,
                                 const acting *loads, const double *weights, interface *out)
{
    const lb_body_info *info = &model->infos[body];
    lb_applied_loads applied = {.size = sizeof applied};
    weighing w = {model, work, info->sweep, weights, 0.0};
    *out = (interface){{0, 0, 0}, 0.0};
    if (loads->applied &&
        lb_take_sized(&applied, sizeof applied, LB_SIZE_THROUGH(lb_applied_loads, fields),
                      loads->applied) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = start(model, work, loads->without_motion);
    if (status < 0) {
        return status;
    }
    if (loads->loop_forces && model->pattern) {
        lb_enter_all_rows(model, work, loads->loop_forces);
        weigh_loops(&w, work, work->loops->x);
    } else if (!loads->without_motion && work->has & LB_HAS_CLOSED) {
        weigh_loops(&w, work, work->loops->force);
    }
    status = weigh_fields(&w, work, &applied, &out->field);
    status = status < 0 ? status : weigh_forces(&w, work, &applied);
    weigh(&w, info->hinge_node, work->bodies[w.k].z);
    for (int k = w.k + 1; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->parent == w.k) {
            const lb_vec6 f = lb_pose_carry_force(&work->bodies[k].X, work->bodies[k].z);
            weigh(&w, model->infos[b->listed].parent_node, lb_vec6_sub(lb_vec6_zero(), f));
        }
    }
    out->sum = w.sum;
    return status < 0 ? status : LB_OK;
}

// ---- recovery ----------------------------------------------------------------------------------

// The rows of a body; NULL if there is no such row, or no correction.
static const lb_recovery *find_recovery(const lb_model *model, int body, int row)
{
    const lb_recovery *r =
        body >= 0 && body < model->body_count ? model->infos[body].recovery : NULL;
    return r && row >= 0 && row < r->row_count && r->inertia ? r : NULL;
}

static const double *get_forces(const lb_recovery *r, int row)
{
    return r->forces ? r->forces + (size_t)row * 6 * (size_t)r->node_count : NULL;
}

// Mode acceleration                                                                     (RCV-2)
//
//     y = A_m eta + R_w w_dot + R_v (a - g) + sum_ij R_ij w_i w_j + sum over nodes R_k f_k
//
// given     w, a   of the body frame, in its axes; g  gravity
//           f_k    what hinges, loops and forces from outside exert at node k
//           R      the static response of the modes that are left out
lb_status lb_compute_recovery(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                              int body, int row, double *value)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const lb_recovery *r = find_recovery(model, body, row);
    const acting loads = {.applied = applied};
    interface at_nodes;
    lb_node_motion m;
    if (!r) {
        return LB_E_ARGUMENT;
    }
    lb_status status = weigh_interface(model, work, body, &loads, get_forces(r, row), &at_nodes);
    status = status < 0 ? status : lb_compute_node_motion(model, work, body, 0, &m);
    if (status < 0) {
        return status;
    }
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(m.rotation));
    const lb_vec3 gravity = lb_vec3_add(model->gravity, at_nodes.field);
    double motion[LB_INERTIA_LOADS], w[3];
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(m.velocity)), w);
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(m.acceleration)), motion);
    lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_sub(lb_vec3_from(m.acceleration + 3), gravity)),
               motion + 3);
    for (int i = 0; i < 6; ++i) {
        motion[6 + i] = w[pairs[i][0]] * w[pairs[i][1]];
    }
    const lb_body *b = lb_get_record(model, body);
    const double *eta = b->flex_index >= 0 ? work->flex[b->flex_index].eta : NULL;
    *value = at_nodes.sum +
             lb_compute_dot(LB_INERTIA_LOADS, r->inertia + (size_t)row * LB_INERTIA_LOADS, motion);
    for (int i = 0; eta && i < r->mode_count; ++i) {
        *value += r->modes[(size_t)row * (size_t)r->mode_count + (size_t)i] * eta[i];
    }
    return isfinite(*value) ? LB_OK : LB_E_NUMBER;
}

lb_status lb_compute_recovery_share(const lb_model *model, lb_work *work,
                                    const lb_applied_loads *applied, const double *loop_forces,
                                    int body, int row, double *share)
{
    const lb_recovery *r = find_recovery(model, body, row);
    const acting loads = {.applied = applied, .loop_forces = loop_forces, .without_motion = true};
    interface at_nodes;
    if (!r) {
        return LB_E_ARGUMENT;
    }
    if (loop_forces && model->pattern) {
        const ptrdiff_t count = (ptrdiff_t)6 * model->pattern->count;
        if (lb_check_numbers(work, "loop_forces", count, loop_forces) < 0) {
            return LB_E_NUMBER;
        }
    }
    const lb_status status =
        weigh_interface(model, work, body, &loads, get_forces(r, row), &at_nodes);
    *share = at_nodes.sum;
    return status;
}
