// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinges at moving nodes of ruthless bodies: columns that carry rates but move nothing, and accelerations
// that lack the rates of the modes.
#include "derivatives.h"
#include "dynamics/tree/flexible.h"

// Columns of n modes that stand: S from Pi, which is referred to the frame at X. They carry the rates into
// `dropped`, and their second derivatives into A.
static void place_still_columns(const lb_pose *X, const lb_vec6 *Pi, double sign, int n,
                                const lb_flex_work *f, lb_column *c, lb_vec6 *dropped, lb_vec6 *A)
{
    for (int r = 0; r < n; ++r) {
        c[r] = (lb_column){.S = lb_vec6_axpy(lb_vec6_zero(), sign, lb_place_motion(X, Pi[r]))};
        *dropped = lb_vec6_axpy(*dropped, f->eta_dot[r], c[r].S);
        *A = lb_vec6_axpy(*A, f->eta_ddot[r], c[r].S);
    }
}

// A motion V as N_c takes it: its turn, and its velocity at c.
static lb_dropped_rates at_point(lb_vec6 V, lb_vec3 c)
{
    return (lb_dropped_rates){V.w, lb_vec3_add(V.v, lb_vec3_cross(V.w, c)), c};
}

void lb_start_crossing(const lb_model *model, const lb_work *work, lb_derivative_work *s, int k,
                       lb_crossing *x)
{
    const lb_body *b = &model->bodies[k];
    const lb_derivative_body *w = &s->bodies[k];
    if (w->still & LB_STILL_AT) {
        const int n = model->bodies[b->parent].mode_count;
        place_still_columns(&s->bodies[b->parent].X, work->joints[b->joint_index].Pi, 1.0, n,
                            &work->flex[model->bodies[b->parent].flex_index], s->columns + w->at,
                            &x->inboard, &x->A);
    }
}

// Behind a hinge with a ruthless side                                                  (DER-16)
//
//     V = V' + sigma,   A = A' + (0, w' x v'(c) - w x v(c))
//
// columns, from those of V' and A', which are marked by primes: at O+ while N(sigma) is still to come,
//
//     hinge, own:  d = d' + sigma x S,   dd = dd' + N(V) (d - d') + N(sigma) d',   t = t' + N(sigma) S
//     still:       d = dd = 0,           t = N(V) S at the own hinge node, N(V') S at O+
void lb_finish_crossing(const lb_model *model, const lb_work *work, lb_derivative_work *s, int k,
                        const lb_crossing *x)
{
    const lb_body *b = &model->bodies[k];
    lb_derivative_body *w = &s->bodies[k];
    lb_vec6 sigma = x->inboard, A = w->A;
    if (w->still & LB_STILL_OWN) {
        const lb_flex_work *f = &work->flex[b->flex_index];
        place_still_columns(&w->X, f->Pi_d, -1.0, b->mode_count, f, s->columns + w->own, &sigma,
                            &A);
    }
    // the formula speaks of the caller's frame where the own hinge node stands
    const lb_vec3 origin = model->infos[b->listed].nodes[0].X.p;
    const lb_vec3 c = b->moving ? w->X.p : lb_vec3_add(w->X.p, lb_mat3_mul_vec(&w->X.R, origin));
    const lb_vec6 V = lb_vec6_add(w->V, sigma);
    const lb_dropped_rates before = at_point(w->V, c), after = at_point(V, c);
    const lb_dropped_rates dropped = at_point(sigma, c);
    A.v = lb_vec3_add(
        A.v, lb_vec3_sub(lb_vec3_cross(before.w, before.v), lb_vec3_cross(after.w, after.v)));
    w->V = V;
    w->A = A;
    s->dropped[k] = dropped;

    for (int part = 0; part < 2; ++part) {
        lb_column *columns = s->columns + (part ? w->own : w->hinge);
        const int own = w->own >= 0 && !(w->still & LB_STILL_OWN) ? b->mode_count : 0;
        for (int i = 0; i < (part ? own : b->nv); ++i) {
            lb_column *column = &columns[i];
            const lb_vec6 more = lb_cross_motion(x->inboard, column->S);
            column->dd = lb_vec6_add(column->dd, lb_swirl(&dropped, column->d.w));
            column->dd = lb_vec6_add(column->dd, lb_swirl(&after, more.w));
            column->d = lb_vec6_add(column->d, more);
            column->t = lb_vec6_add(column->t, lb_swirl(&dropped, column->S.w));
        }
    }
    for (int r = 0; (w->still & LB_STILL_OWN) && r < b->mode_count; ++r) {
        lb_column *column = &s->columns[w->own + r];
        column->t = lb_swirl(&after, column->S.w);
    }
    const int at = w->still & LB_STILL_AT ? model->bodies[b->parent].mode_count : 0;
    for (int r = 0; r < at; ++r) {
        lb_column *column = &s->columns[w->at + r];
        column->t = lb_swirl(&before, column->S.w);
    }
}

// Inwards across such a hinge                                                          (DER-16)
//
//     2 B += I N(sigma),   w_i += N(sigma)* y_i  of everything outboard
void lb_cross_inwards(const lb_model *model, lb_derivative_work *s, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_dropped_rates *dropped = &s->dropped[k];
    lb_resistance *r = &s->bodies[k].sum;
    for (int j = 0; j < 3; ++j) {
        const lb_vec3 e = {j == 0, j == 1, j == 2};
        const lb_vec6 x = lb_inertia_mul(&r->I, lb_swirl(dropped, e));
        r->T.m[0][j] += x.w.x;
        r->T.m[1][j] += x.w.y;
        r->T.m[2][j] += x.w.z;
        r->U->m[0][j] += x.v.x;
        r->U->m[1][j] += x.v.y;
        r->U->m[2][j] += x.v.z;
    }
    for (ptrdiff_t i = b->speed; i < b->speed_end; ++i) {
        const lb_vec6 y = lb_get_row(s->y, s->stride, i);
        const lb_vec3 moment = lb_vec3_sub(y.w, lb_vec3_cross(dropped->c, y.v));
        lb_vec3 w = lb_vec3_add(lb_get_row3(s->w, s->stride, i), lb_vec3_cross(moment, dropped->w));
        w = lb_vec3_axpy(w, 2.0, lb_vec3_cross(y.v, dropped->v));
        lb_put_row3(s->w, s->stride, i, w);
    }
}
