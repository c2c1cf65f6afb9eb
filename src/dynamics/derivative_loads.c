// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How the generalized forces of loads at nodes change as the load's arms move.
#include "derivatives.h"
#include "node_motion.h"

// One load, and the columns between it and the base.
typedef struct load {
    int k;
    const lb_node *node;
    lb_axes axes;
    lb_vec6 F; // in the common frame
    lb_vec3 x, moment, force;
    int count;
} load;

static void add_entry(lb_derivative_work *s, load *l, lb_vec6 S, int v, int joint, int own)
{
    s->path[l->count++] = (lb_path_entry){S, v, joint, own};
}

// Columns from the node inwards: modes of its body at the node, modes at the body's own hinge node,
// hinge, modes of the parent at O+, and so on.
static void collect(const lb_model *model, const lb_work *work, lb_derivative_work *s, load *l)
{
    int joint = 0;
    l->count = 0;
    const lb_body *b = &model->bodies[l->k];
    if (b->mode_count) {
        const lb_derivative_body *w = &s->bodies[l->k];
        lb_get_node_columns(l->node, &l->node->X, b->mode_count, lb_get_flex(model, work, l->k),
                            s->own);
        for (int r = 0; r < b->mode_count; ++r) {
            add_entry(s, l, lb_place_motion(&w->X, s->own[r].S), b->v + r, joint, r);
        }
    }
    for (int k = l->k; k >= 0; k = b->parent) {
        b = &model->bodies[k];
        const lb_derivative_body *w = &s->bodies[k];
        ++joint;
        for (int r = 0; w->own >= 0 && r < b->mode_count; ++r) {
            add_entry(s, l, s->columns[w->own + r].S, b->v + r, joint, r);
        }
        ++joint;
        for (int i = 0; i < b->nv; ++i) {
            add_entry(s, l, s->columns[w->hinge + i].S, b->hinge_v + i, joint, i);
        }
        ++joint;
        for (int r = 0; w->at >= 0 && r < model->bodies[b->parent].mode_count; ++r) {
            add_entry(s, l, s->columns[w->at + r].S, model->bodies[b->parent].v + r, joint, r);
        }
    }
}

// Change of a load with one column, seen from where it acts: components that are held in axes which
// the column does not turn are seen to turn back.
static lb_vec6 turn_back(const load *l, const lb_path_entry *j)
{
    const int turns = l->axes == LB_AXES_WORLD || (l->axes == LB_AXES_BODY && j->joint == 0);
    if (!turns) {
        return lb_vec6_zero();
    }
    const lb_vec3 force = lb_vec3_cross(l->force, j->S.w);
    const lb_vec3 moment = lb_vec3_cross(l->moment, j->S.w);
    return lb_vec6_make(lb_vec3_add(moment, lb_vec3_cross(l->x, force)), force);
}

// F . D_j S_i within one joint: see (DER-4) and (DER-5)
static void add_bends(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                      const load *l, double *dtau_dq)
{
    const ptrdiff_t n = model->v_count;
    int k = l->k;
    for (int first = 0, last; first < l->count; first = last) {
        const int joint = s->path[first].joint;
        for (last = first; last < l->count && s->path[last].joint == joint; ++last) {
        }
        // joint 0 is the node; then own hinge node, hinge, O+ of each body on the way
        const int body_steps = joint ? (joint - 1) / 3 : 0;
        k = l->k;
        for (int step = 0; step < body_steps; ++step) {
            k = model->bodies[k].parent;
        }
        const lb_body *b = &model->bodies[k];
        const int part = joint ? (joint - 1) % 3 : -1;
        const int owner = part == 2 ? b->parent : k, m = last - first;
        double *bend = s->W;
        if (part == 1) {
            for (int i = 0; i < m; ++i) {
                for (int j = 0; j < m; ++j) {
                    const lb_vec6 S = lb_cross_motion(s->path[first + i].S, s->path[first + j].S);
                    bend[i * m + j] =
                        lb_get_attachment(b->hinge, i) == LB_IN_PARENT ? lb_vec6_dot(S, l->F) : 0.0;
                }
            }
        } else {
            const lb_node *node = part < 0 ? l->node : part == 0 ? b->moving->node : b->at;
            const lb_pose *X = part < 0 ? &l->node->X : part == 0 ? &b->moving->X : &b->X_p;
            lb_get_node_curvature(node, X, m, lb_get_flex(model, work, owner)->eta,
                                  lb_bring_home(&s->bodies[owner].X, l->F), bend);
        }
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < m; ++j) {
                const double x = part == 0 ? -bend[j * m + i] : bend[i * m + j];
                dtau_dq[s->path[first + i].v * n + s->path[first + j].v] += x;
            }
        }
    }
}

// A load at a node                                                                     (DER-10)
//
//     tau_i = S_i . F;   D_j F: the load turned back where the column turns away from its axes
//     dtau_i/dq_j = S_i . D_j F                  i outboard of j, or in the same joint, there with
//                                                F . D_j S_i as well
//     dtau_i/dq_j = S_i . (D_j F + S_j x* F)     i inboard of j
static void add_load(const lb_model *model, const lb_work *work, lb_derivative_work *s, load *l,
                     double *dtau_dq)
{
    const ptrdiff_t n = model->v_count;
    collect(model, work, s, l);
    for (int j = 0; j < l->count; ++j) {
        const lb_path_entry *c = &s->path[j];
        const lb_vec6 seen = turn_back(l, c);
        const lb_vec6 whole = lb_vec6_add(seen, lb_cross_force(c->S, l->F));
        for (int i = 0; i < l->count; ++i) {
            const lb_path_entry *row = &s->path[i];
            dtau_dq[row->v * n + c->v] +=
                lb_vec6_dot(row->S, row->joint <= c->joint ? seen : whole);
        }
    }
    add_bends(model, work, s, l, dtau_dq);
}

lb_status lb_apply_node_force_derivatives(const lb_model *model, lb_work *work,
                                          lb_derivative_work *s, int count,
                                          const lb_node_force *forces, double *dtau_dq)
{
    if (!s->has) {
        return LB_E_STAGE;
    }
    if (!s->swept) {
        return LB_E_UNSUPPORTED;
    }
    for (int i = 0; i < count; ++i) {
        const lb_node *node = lb_get_node(model, forces[i].body, forces[i].node);
        if (!node || (unsigned)forces[i].axes > LB_AXES_NODE) {
            return LB_E_ARGUMENT;
        }
        if (forces[i].body == LB_GROUND) {
            continue;
        }
        load l = {.k = model->infos[forces[i].body].sweep, .node = node, .axes = forces[i].axes};
        const lb_derivative_body *w = &s->bodies[l.k];
        const lb_pose X = lb_get_node_place(model, work, l.k, node);
        const lb_mat3 in_node = lb_mat3_mul(&w->X.R, &X.R);
        const lb_mat3 in_body = lb_mat3_mul(&w->X.R, &model->infos[forces[i].body].nodes[0].X.R);
        const lb_mat3 world = lb_mat3_identity();
        const lb_mat3 *R = l.axes == LB_AXES_WORLD  ? &world
                           : l.axes == LB_AXES_BODY ? &in_body
                                                    : &in_node;
        l.x = lb_vec3_add(w->X.p, lb_mat3_mul_vec(&w->X.R, X.p));
        l.moment = lb_mat3_mul_vec(R, lb_vec3_from(forces[i].force));
        l.force = lb_mat3_mul_vec(R, lb_vec3_from(forces[i].force + 3));
        l.F = lb_vec6_make(lb_vec3_add(l.moment, lb_vec3_cross(l.x, l.force)), l.force);
        add_load(model, work, s, &l, dtau_dq);
    }
    return LB_OK;
}
