// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the reaction of a hinge.
#include "base/sized.h"
#include "derivative_parts.h"
#include "derivative_paths.h"
#include "dynamics/tree/node_motion.h"

typedef enum by { BY_Q, BY_V, BY_A, BY_COUNT } by;

// Where the changes of a reaction go: matrices of the caller, and the frame that it is written in.
typedef struct writer {
    ptrdiff_t n;
    double *rows[BY_COUNT]; // NULL for what is not wanted
    lb_mat3 R;              // axes of the frame in the world
    lb_vec3 x;              // its place in the common frame of the hinge's tree
} writer;

// Adds a change of the force, in the common frame, to column j.
static void add_change(const writer *w, by what, int j, lb_vec6 dF)
{
    double *rows = w->rows[what];
    if (rows) {
        const lb_vec3 moment = lb_vec3_sub(dF.w, lb_vec3_cross(w->x, dF.v));
        const lb_vec6 seen =
            lb_vec6_make(lb_mat3_tmul_vec(&w->R, moment), lb_mat3_tmul_vec(&w->R, dF.v));
        lb_put_row(rows, w->n, j, lb_vec6_add(lb_get_row(rows, w->n, j), seen));
    }
}

// Columns between the base and the hinge, which move the subtree as one.
static void add_inboard_column(const writer *w, const lb_resistance *r, const lb_column *c,
                               int still, int j)
{
    if (!still) {
        add_change(w, BY_Q, j,
                   lb_vec6_add(lb_resist(r, c->dd, c->d.w), lb_cross_force(c->S, r->F)));
    }
    add_change(w, BY_V, j, lb_resist(r, c->t, c->S.w));
    add_change(w, BY_A, j, lb_inertia_mul(&r->I, c->S));
}

// 2 B += I N(sigma) of a hinge with a ruthless side                                    (DER-16)
static void cross_ruthless(lb_resistance *r, const lb_dropped_rates *dropped)
{
    for (int j = 0; j < 3; ++j) {
        const lb_vec3 e = {j == 0, j == 1, j == 2};
        const lb_vec6 x = lb_inertia_mul(&r->I, lb_swirl(dropped, e));
        const double column[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
        for (int i = 0; i < 3; ++i) {
            r->T.m[i][j] += column[i];
            r->U->m[i][j] += column[3 + i];
        }
    }
}

static void add_inboard(const lb_model *model, const lb_derivative_work *s, int k, const writer *w)
{
    lb_resistance r = s->bodies[k].sum;
    lb_mat3 U = r.U ? *r.U : (lb_mat3){{{0}}};
    r.U = &U;
    for (int p = model->bodies[k].parent; p >= 0; k = p, p = model->bodies[k].parent) {
        const lb_body *b = &model->bodies[p];
        const lb_derivative_body *at = &s->bodies[p];
        for (int i = 0; i < b->mode_count; ++i) {
            const lb_column c = lb_get_branch_column(s, p, k, i);
            add_inboard_column(w, &r, &c, lb_is_ruthless(b->flex), b->v + i);
        }
        for (int i = 0; i < b->nv; ++i) {
            add_inboard_column(w, &r, &s->columns[at->hinge + i], 0, b->hinge_v + i);
        }
        if (at->still) {
            cross_ruthless(&r, &s->dropped[p]);
        }
    }
}

// A node in the common frame of its tree, and what moves it.
static lb_path find_node(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                         int body, int node, lb_mat3 *R)
{
    const int k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    const lb_node *place = lb_get_node(model, body, node);
    const lb_pose X = lb_get_node_place(model, work, k, place);
    *R = k < 0 ? X.R : lb_mat3_mul(&s->bodies[k].X.R, &X.R);
    return lb_find_path(model, work, s, k, place, -1, 0, s->path, s->own);
}

// The body on the ground that a body hangs on.
static int find_root(const lb_model *model, int k)
{
    while (k >= 0 && model->bodies[k].parent >= 0) {
        k = model->bodies[k].parent;
    }
    return k;
}

// Reaction of a hinge, in the axes A and about P                                        (DER-20)
//
//     f = R_A' (n - x_P x F, F),   F = (n, F) of the subtree in the common frame
//     dF/dq_j = z_j,  dF/dv_j = u_j,  dF/da_j = y_j           j of body k or outboard (DER-4)
//     dF/dq_j = I dd_j + 2 B d_j + S_j x* F,  I t_j + 2 B S_j,  I S_j     j inboard of k
//     df/dq_j = R_A' (dn - x_P x dF - dx_P x F, dF) - R_A' S_A,j x (n - x_P x F, F)
static void differentiate(const lb_model *model, lb_work *work, lb_derivative_work *s, int k,
                          const lb_load_frame *frame, writer *w)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 F = s->bodies[k].sum.F;
    lb_mat3 unused;
    (void)find_node(model, work, s, frame->axes_body, frame->axes_node, &w->R);
    lb_path path = find_node(model, work, s, frame->about_body, frame->about_node, &unused);
    const int root = find_root(model, k), other = find_root(model, path.k);
    w->x = path.x;
    if (other != root) {
        w->x = lb_vec3_add(w->x, lb_vec3_sub(work->X_0[other].p, work->X_0[root].p));
    }
    // P moves
    for (int i = 0; i < path.count; ++i) {
        const lb_path_entry *e = &path.entries[i];
        const lb_vec3 dx = lb_vec3_add(e->S.v, lb_vec3_cross(e->S.w, path.x));
        if (!e->still) {
            add_change(w, BY_Q, e->v, lb_vec6_make(lb_vec3_cross(F.v, dx), lb_vec3_make(0, 0, 0)));
        }
    }
    // A turns: what is seen there turns back
    const lb_vec3 moment = lb_vec3_sub(F.w, lb_vec3_cross(w->x, F.v));
    path = find_node(model, work, s, frame->axes_body, frame->axes_node, &unused);
    for (int i = 0; i < path.count; ++i) {
        const lb_path_entry *e = &path.entries[i];
        const lb_vec3 df = lb_vec3_cross(F.v, e->S.w), dn = lb_vec3_cross(moment, e->S.w);
        if (!e->still) {
            add_change(w, BY_Q, e->v, lb_vec6_make(lb_vec3_add(dn, lb_vec3_cross(w->x, df)), df));
        }
    }
    for (int i = b->speed; i < b->speed_end; ++i) {
        add_change(w, BY_Q, model->speeds[i], lb_get_row(s->z, s->stride, i));
        add_change(w, BY_V, model->speeds[i], lb_get_row(s->u, s->stride, i));
        add_change(w, BY_A, model->speeds[i], lb_get_row(s->y, s->stride, i));
    }
    add_inboard(model, s, k, w);
}

lb_status lb_compute_reaction_derivatives(const lb_model *model, lb_work *work,
                                          lb_derivative_work *s, int body,
                                          const lb_load_frame *frame,
                                          const lb_reaction_derivatives *given)
{
    lb_reaction_derivatives out = {.size = sizeof out};
    if (lb_take_sized(&out, sizeof out, LB_SIZE_THROUGH(lb_reaction_derivatives, da), given) !=
        LB_OK) {
        return LB_E_VERSION;
    }
    lb_load_frame own;
    if (!lb_settle_hinge_frame(model, frame, body, &own)) {
        return LB_E_ARGUMENT;
    }
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    writer w = {.n = model->v_count, .rows = {out.dq, out.dv, out.da}};
    for (int i = 0; i < BY_COUNT; ++i) {
        if (w.rows[i]) {
            memset(w.rows[i], 0, 6 * (size_t)w.n * sizeof(double));
        }
    }
    lb_update_world(model, work);
    differentiate(model, work, s, model->infos[body].sweep, &own, &w);
    return LB_OK;
}
