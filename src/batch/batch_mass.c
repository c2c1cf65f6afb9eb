// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mass matrices of many states.
#include <string.h>

#include "lane_steps.h"
#include "model/kernel_table.h"

LB_LANE_INLINE void write_pair(const lb_lane_rows_out *M, ptrdiff_t n, ptrdiff_t row,
                               ptrdiff_t column, lb_states value)
{
    for (int j = 0; j < LB_STATES; ++j) {
        M->row[j][row * n + column] = M->row[j][column * n + row] = value[j];
    }
}

// Rows of body j for a column: H X.
LB_LANE_INLINE void write_rows(const lb_model *model, const lb_batch_work *work, int j, int column,
                               lb_lane_vec6 X, const lb_lane_rows_out *M)
{
    const lb_body *b = &model->bodies[j];
    if (b->simple) {
        write_pair(M, model->v_count, b->hinge_v, column, X.w.z);
        return;
    }
    for (int i = 0; i < b->nv; ++i) {
        const lb_states x = lb_lane_vec6_dot(work->H[b->dof + i], X);
        write_pair(M, model->v_count, b->hinge_v + i, column, x);
    }
}

// Moments of the composite body: at a tip the body's own. Where there are children, the first to hand
// over starts the sum.
LB_LANE_INLINE const lb_lane_moments *get_moments(const lb_batch_work *work, int k)
{
    return work->last_children[k] < 0 ? &work->links[k].own : &work->bodies[k].S;
}

// ---- from a body to its parent -----------------------------------------------------------------

// phi(p,k) X
LB_LANE_INLINE lb_lane_vec6 pass_force(const lb_model *model, const lb_batch_work *work, int k,
                                       lb_lane_vec6 X)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_link *link = &work->links[k];
    if (b->simple) {
        X = lb_lane_pass_force(link, work->cosines[b->angle], work->sines[b->angle], X);
    } else {
        X = lb_lane_carry_force(&work->bodies[k].X, X);
    }
    return link->aside ? lb_lane_screw_force(&link->screw, X) : X;
}

// T S T'                                                                        (CRB-3), (CRB-4)
LB_LANE_INLINE lb_lane_moments pass_moments(const lb_model *model, const lb_batch_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_link *link = &work->links[k];
    lb_lane_moments S = *get_moments(work, k);
    if (b->simple) {
        S = lb_lane_pass_moments(link, work->cosines[b->angle], work->sines[b->angle], S);
    } else {
        const lb_lane_inertia R = lb_lane_moments_to_inertia(link->m, &S);
        const lb_lane_inertia carried = lb_lane_inertia_carry(&work->bodies[k].X, &R);
        S = lb_lane_moments_from_inertia(&carried);
    }
    return link->aside ? lb_lane_screw_moments(&link->screw, link->m, S) : S;
}

// Whether k hands over to a simple hinge at the ground. There only the moment about z counts; what is
// not read of a result is not computed.
LB_LANE_INLINE int ends_with(const lb_model *model, const lb_batch_work *work, int k)
{
    const lb_body *p = &model->bodies[model->bodies[k].parent];
    return model->bodies[k].simple && !work->links[k].aside && p->simple && p->parent < 0;
}

// Adds what k has to its parent.
LB_LANE_INLINE void give_moments_lanes(const lb_model *model, lb_batch_work *work, int k)
{
    const int p = model->bodies[k].parent, angle = model->bodies[k].angle;
    lb_lane_moments *S = &work->bodies[p].S;
    const lb_lane_moments *before = work->last_children[p] == k ? &work->links[p].own : S;
    if (ends_with(model, work, k)) {
        const lb_lane_moments carried = lb_lane_pass_moments(
            &work->links[k], work->cosines[angle], work->sines[angle], *get_moments(work, k));
        S->S.xx = before->S.xx + carried.S.xx;
        S->S.yy = before->S.yy + carried.S.yy;
        return;
    }
    const lb_lane_moments carried = pass_moments(model, work, k);
    *S = lb_lane_moments_add(before, &carried);
}

// ---- columns -----------------------------------------------------------------------------------

// Rows of the ancestors of k for one column.
LB_LANE_INLINE void travel(const lb_model *model, const lb_batch_work *work, int k, int column,
                           lb_lane_vec6 X, const lb_lane_rows_out *M)
{
    for (int j = k, p; (p = model->bodies[j].parent) >= 0; j = p) {
        if (ends_with(model, work, j)) {
            const int angle = model->bodies[j].angle;
            const lb_states c = work->cosines[angle], s = work->sines[angle];
            write_pair(M, model->v_count, model->bodies[p].hinge_v, column,
                       lb_lane_pass_force(&work->links[j], c, s, X).w.z);
            return;
        }
        X = pass_force(model, work, j, X);
        write_rows(model, work, p, column, X, M);
    }
}

// The column of a simple hinge, R z.
LB_LANE_INLINE void send_column(const lb_model *model, const lb_batch_work *work, int k,
                                const lb_lane_rows_out *M)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_moments *S = get_moments(work, k);
    const lb_states diagonal = S->S.xx + S->S.yy;
    const lb_lane_vec6 own = {{-S->S.xz, -S->S.yz, diagonal}, {-S->h.y, S->h.x, lb_lane_zero()}};
    lb_lane_write(M, (ptrdiff_t)b->hinge_v * (model->v_count + 1), diagonal);
    travel(model, work, k, b->hinge_v, own, M);
}

// ---- the sweep ---------------------------------------------------------------------------------

// Angles of the hinges in the frames of the links, and poses of the hinges that are not simple.
// Nothing depends on a simple hinge at the ground.
static void place_angles(const lb_model *model, lb_batch_work *work, const lb_lane_rows *q)
{
    lb_lane_compute_angles(model, work, q, model->bodies[0].simple);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_lane_link *link = &work->links[k];
        if (!b->simple) {
            lb_lane_step_position(model, work, k, q);
        } else if (b->parent >= 0) {
            LB_LANE_TURN(link->c0, link->s0, work->cosines[b->angle], work->sines[b->angle]);
        }
    }
}

// Composite bodies and the mass matrices of several states                                 (CRB-1)
static void compute_mass(const lb_model *model, lb_batch_work *work, const lb_lane_rows *q,
                         const lb_lane_rows_out *M)
{
    place_angles(model, work, q);
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        if (b->parent >= 0) {
            give_moments_lanes(model, work, k);
        }
        if (b->simple) {
            send_column(model, work, k, M);
            continue;
        }
        const lb_lane_inertia R =
            lb_lane_moments_to_inertia(work->links[k].m, get_moments(work, k));
        for (int i = 0; i < b->nv; ++i) {
            const lb_lane_vec6 X = lb_lane_inertia_mul(&R, work->H[b->dof + i]);
            write_rows(model, work, k, b->hinge_v + i, X, M);
            travel(model, work, k, b->hinge_v + i, X, M);
        }
    }
}

lb_status lb_run_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                   const double *q, double *M)
{
    const ptrdiff_t nq = model->q_count, size = (ptrdiff_t)model->v_count * model->v_count;
    if (!lb_has_lanes(model)) {
        for (int i = 0; i < count; ++i) {
            model->kernels->mass_matrix(model, work->single, q + i * nq, M + i * size);
        }
        return LB_OK;
    }
    for (int i = 0; i < count; i += LB_STATES) {
        const lb_lane_rows rows_q = lb_lane_get_rows(q, nq, i, count);
        const lb_lane_rows_out rows_M = lb_lane_get_rows_out(M, size, i, count);
        // what lies on no common path to the base stays zero
        const int states = count - i < LB_STATES ? count - i : LB_STATES;
        if (!work->serial) {
            memset(M + i * size, 0, (size_t)(states * size) * sizeof *M);
        }
        compute_mass(model, work, &rows_q, &rows_M);
    }
    return LB_OK;
}
