// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the motion of a node.
#include <string.h>

#include "derivatives.h"
#include "node_motion.h"

// The node as a frame, and where its derivatives go.
typedef struct target {
    lb_vec3 x;    // place
    lb_vec6 V, A; // velocity and spatial acceleration
    lb_vec3 v;    // linear velocity at x
    ptrdiff_t n;
    const lb_node_derivatives *out;
} target;

static void write(double *matrix, ptrdiff_t n, int j, lb_vec3 angular, lb_vec3 linear)
{
    if (matrix) {
        lb_put_row(matrix, n, j, lb_vec6_make(angular, linear));
    }
}

// One column                                                                            (DER-8)
//
//     by q:  dx = S_v + S_w x x,   dV = d + S x V,   dA = dd + d x V + S x A
//     by v:  dx = 0,               dV = S,           dA = t + S x V
//     velocity      w, v_x = V_v + w x x:           dw,  dV_v + dw x x + w x dx
//     acceleration  A_w, A_v + A_w x x + w x v_x:   dA_w, dA_v + dA_w x x + A_w x dx + dw x v_x
//                                                   + w x dv_x
static void write_column(const target *t, const lb_column *c, int j)
{
    const lb_vec3 w = t->V.w, x = t->x;
    const lb_vec3 dx = lb_vec3_add(c->S.v, lb_vec3_cross(c->S.w, x));
    write(t->out->pose_dq, t->n, j, c->S.w, dx);

    const lb_vec6 dV = lb_vec6_add(c->d, lb_cross_motion(c->S, t->V));
    const lb_vec3 dv = lb_vec3_add(lb_vec3_add(dV.v, lb_vec3_cross(dV.w, x)), lb_vec3_cross(w, dx));
    write(t->out->velocity_dq, t->n, j, dV.w, dv);

    lb_vec6 dA = lb_vec6_add(c->dd, lb_cross_motion(c->d, t->V));
    dA = lb_vec6_add(dA, lb_cross_motion(c->S, t->A));
    lb_vec3 da = lb_vec3_add(lb_vec3_add(dA.v, lb_vec3_cross(dA.w, x)), lb_vec3_cross(t->A.w, dx));
    da = lb_vec3_add(da, lb_vec3_add(lb_vec3_cross(dV.w, t->v), lb_vec3_cross(w, dv)));
    write(t->out->acceleration_dq, t->n, j, dA.w, da);

    dA = lb_vec6_add(c->t, lb_cross_motion(c->S, t->V));
    da = lb_vec3_add(dA.v, lb_vec3_cross(dA.w, x));
    da = lb_vec3_add(da, lb_vec3_add(lb_vec3_cross(c->S.w, t->v), lb_vec3_cross(w, dx)));
    write(t->out->acceleration_dv, t->n, j, dA.w, da);
}

void lb_differentiate_node(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                           int body, int node, const lb_node_derivatives *out)
{
    double *const outputs[4] = {out->pose_dq, out->velocity_dq, out->acceleration_dq,
                                out->acceleration_dv};
    for (int i = 0; i < 4; ++i) {
        if (outputs[i]) {
            memset(outputs[i], 0, 6 * (size_t)model->v_count * sizeof(double));
        }
    }
    if (body == LB_GROUND) {
        return;
    }
    const int k = model->infos[body].sweep;
    const lb_node *place = lb_get_node(model, body, node);
    const lb_derivative_body *w = &s->bodies[k];
    const lb_body *b = &model->bodies[k];
    target t = {.V = w->V, .A = w->A, .n = model->v_count, .out = out};
    const lb_pose X = lb_get_node_place(model, work, k, place);
    t.x = lb_vec3_add(w->X.p, lb_mat3_mul_vec(&w->X.R, X.p));

    // the modes of the body itself move the node against its frame
    lb_column *own = s->own;
    if (b->mode_count) {
        const lb_flex_work *f = lb_get_flex(model, work, k);
        lb_get_node_columns(place, &place->X, b->mode_count, f, own);
        lb_place_mode_columns(&w->X, w->V, w->A, 1.0, b->mode_count, own);
        for (int r = 0; r < b->mode_count; ++r) {
            t.V = lb_vec6_axpy(t.V, f->eta_dot[r], own[r].S);
            t.A = lb_vec6_axpy(t.A, f->eta_ddot[r], own[r].S);
            t.A = lb_vec6_axpy(t.A, f->eta_dot[r], own[r].d);
        }
    }
    t.v = lb_vec3_add(t.V.v, lb_vec3_cross(t.V.w, t.x));
    for (int r = 0; r < b->mode_count; ++r) {
        const lb_column c = w->own >= 0 ? lb_add_columns(&own[r], &s->columns[w->own + r]) : own[r];
        write_column(&t, &c, b->v + r);
    }

    // hinges towards the base, and the modes of the bodies between
    for (int j = k; j >= 0; j = model->bodies[j].parent) {
        const lb_body *on_way = &model->bodies[j], *p = &model->bodies[on_way->parent];
        for (int i = 0; i < on_way->nv; ++i) {
            write_column(&t, &s->columns[s->bodies[j].hinge + i], on_way->hinge_v + i);
        }
        if (on_way->parent < 0 || (s->bodies[j].at < 0 && s->bodies[on_way->parent].own < 0)) {
            continue;
        }
        for (int r = 0; r < p->mode_count; ++r) {
            const lb_column c = lb_get_branch_column(s, on_way->parent, j, r);
            write_column(&t, &c, p->v + r);
        }
    }
}
