// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from a node to the base: its columns, and what they do to the node.
#include "derivative_paths.h"

#include "dynamics/tree/node_motion.h"

// Hinges with a ruthless side between the column and the node change what it does to the node.  (DER-16)
static void add_entry(const lb_derivative_work *s, lb_path *path, const lb_column *c, int v,
                      int joint, int still)
{
    if (path->swirls) {
        lb_column *behind = &s->behind[path->entries - s->path + path->count];
        *behind = *c;
        behind->dd = lb_vec6_add(c->dd, lb_apply_swirl(path, c->d.w));
        behind->t = lb_vec6_add(c->t, lb_apply_swirl(path, c->S.w));
        c = behind;
    }
    path->entries[path->count++] = (lb_path_entry){c->S, c, v, joint, still};
}

// Inwards across a hinge with a ruthless side.
static void add_swirl(lb_path *path, const lb_dropped_rates *dropped)
{
    path->swirls = 1;
    for (int j = 0; j < 3; ++j) {
        const lb_vec3 e = {j == 0, j == 1, j == 2};
        const lb_vec6 x = lb_swirl(dropped, e);
        path->swirl_w.m[0][j] += x.w.x;
        path->swirl_w.m[1][j] += x.w.y;
        path->swirl_w.m[2][j] += x.w.z;
        path->swirl_v.m[0][j] += x.v.x;
        path->swirl_v.m[1][j] += x.v.y;
        path->swirl_v.m[2][j] += x.v.z;
    }
}

// Columns from the node inwards: modes of its body at the node, modes at the body's own hinge node,
// hinge, modes of the parent at O+, and so on.
static void collect(const lb_model *model, const lb_derivative_work *s, int stop,
                    const lb_column *own, lb_path *path)
{
    const lb_body *b = &model->bodies[path->k];
    int joint = 0;
    for (int r = 0; own && r < b->mode_count; ++r) {
        add_entry(s, path, &own[r], b->v + r, joint, lb_is_ruthless(b->flex));
    }
    for (int k = path->k; k > stop; k = b->parent) {
        b = &model->bodies[k];
        const lb_derivative_body *w = &s->bodies[k];
        ++joint;
        for (int r = 0; w->own >= 0 && r < b->mode_count; ++r) {
            add_entry(s, path, &s->columns[w->own + r], b->v + r, joint, w->still & LB_STILL_OWN);
        }
        ++joint;
        for (int i = 0; i < b->nv; ++i) {
            add_entry(s, path, &s->columns[w->hinge + i], b->hinge_v + i, joint, 0);
        }
        ++joint;
        if (w->still) {
            add_swirl(path, &s->dropped[k]);
        }
        for (int r = 0; w->at >= 0 && r < model->bodies[b->parent].mode_count; ++r) {
            add_entry(s, path, &s->columns[w->at + r], model->bodies[b->parent].v + r, joint,
                      w->still & LB_STILL_AT);
        }
    }
}

lb_path lb_find_path(const lb_model *model, const lb_work *work, const lb_derivative_work *s, int k,
                     const lb_node *node, int stop, int moving, lb_path_entry *entries,
                     lb_column *own)
{
    lb_path path = {.k = k, .node = node, .entries = entries};
    if (k < 0) { // the ground, which accelerates against gravity
        path.x = node->X.p;
        path.A.v = lb_vec3_neg(model->gravity);
        return path;
    }
    const lb_derivative_body *w = &s->bodies[k];
    const lb_body *b = &model->bodies[k];
    const lb_pose X = lb_get_node_place(model, work, k, node);
    path.x = lb_vec3_add(w->X.p, lb_mat3_mul_vec(&w->X.R, X.p));
    path.V = w->V;
    path.A = w->A;
    // the modes of the body itself move the node against its frame
    if (b->mode_count) {
        const lb_flex_work *f = lb_get_flex(model, work, k);
        lb_get_node_columns(node, &node->X, b->mode_count, f, own);
        for (int r = 0; !moving && r < b->mode_count; ++r) {
            own[r].S = lb_place_motion(&w->X, own[r].S);
        }
    }
    if (b->mode_count && moving) {
        const lb_flex_work *f = lb_get_flex(model, work, k);
        lb_place_mode_columns(&w->X, w->V, w->A, 1.0, b->mode_count, own);
        for (int r = 0; r < b->mode_count; ++r) {
            path.V = lb_vec6_axpy(path.V, f->eta_dot[r], own[r].S);
            path.A = lb_vec6_axpy(path.A, f->eta_ddot[r], own[r].S);
            path.A = lb_vec6_axpy(path.A, f->eta_dot[r], own[r].d);
            if (lb_is_ruthless(b->flex)) { // its nodes stand, but for their rates
                own[r].d = own[r].dd = lb_vec6_zero();
            }
        }
    }
    path.v = lb_vec3_add(path.V.v, lb_vec3_cross(path.V.w, path.x));
    collect(model, s, stop, own, &path);
    return path;
}

lb_path lb_find_frame_path(const lb_model *model, const lb_derivative_work *s, int k)
{
    lb_path path = {.k = k, .entries = s->path, .x = s->bodies[k].X.p};
    collect(model, s, -1, NULL, &path);
    return path;
}

// F . D_j S_i within one joint: see (DER-4) and (DER-5)
void lb_add_bends(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                  const lb_path *path, int last_joint, lb_vec6 F, const lb_view *out)
{
    for (int first = 0, last; first < path->count; first = last) {
        const int joint = path->entries[first].joint;
        if (joint > last_joint) {
            return;
        }
        for (last = first; last < path->count && path->entries[last].joint == joint; ++last) {
        }
        // joint 0 is the node; then own hinge node, hinge, O+ of each body on the way
        const int body_steps = joint ? (joint - 1) / 3 : 0;
        int k = path->k;
        for (int step = 0; step < body_steps; ++step) {
            k = model->bodies[k].parent;
        }
        const lb_body *b = &model->bodies[k];
        const int part = joint ? (joint - 1) % 3 : -1;
        const int owner = part == 2 ? b->parent : k, m = last - first;
        const lb_path_entry *at = path->entries + first;
        double *bend = s->W;
        if (at->still) {
            continue;
        }
        if (part == 1) {
            for (int i = 0; i < m; ++i) {
                for (int j = 0; j < m; ++j) {
                    const lb_vec6 S = lb_cross_motion(at[i].S, at[j].S);
                    bend[i * m + j] =
                        lb_get_attachment(b->hinge, i) == LB_IN_PARENT ? lb_vec6_dot(S, F) : 0.0;
                }
            }
        } else {
            const lb_node *node = part < 0 ? path->node : part == 0 ? b->moving->node : b->at;
            const lb_pose *X = part < 0 ? &path->node->X : part == 0 ? &b->moving->X : &b->X_p;
            lb_get_node_curvature(node, X, m, lb_get_flex(model, work, owner)->eta,
                                  lb_bring_home(&s->bodies[owner].X, F), bend);
        }
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < m; ++j) {
                *lb_get_entry(out, at[i].v, at[j].v) +=
                    part == 0 ? -bend[j * m + i] : bend[i * m + j];
            }
        }
    }
}
