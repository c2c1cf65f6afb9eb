// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mass matrices of many states.
#include <string.h>

#include "../dynamics/kernels.h"
#include "batch_kernels.h"
#include "lane_steps.h"

LB_LANE_INLINE void write_pair(const lb_lane_rows_out *M, ptrdiff_t n, ptrdiff_t row,
                               ptrdiff_t column, lb_lane value)
{
    for (int j = 0; j < LB_LANES; ++j) {
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
        const lb_lane x = lb_lane_vec6_dot(work->H[b->dof + i], X);
        write_pair(M, model->v_count, b->hinge_v + i, column, x);
    }
}

// Rows of the ancestors of k for one column.
static void travel(const lb_model *model, const lb_batch_work *work, int k, int column,
                   const lb_lane_vec6 *start, const lb_lane_rows_out *M)
{
    lb_lane_vec6 X = *start;
    for (int j = k, p; (p = model->bodies[j].parent) >= 0; j = p) {
        const lb_lane_pose pose = lb_lane_get_pose(&model->bodies[j], &work->bodies[j]);
        X = lb_lane_carry_force(&pose, X);
        write_rows(model, work, p, column, X, M);
    }
}

// The same for two columns. Each is one long chain of products: together they take little longer.
static void travel_together(const lb_model *model, const lb_batch_work *work, int k,
                            const int column[2], const lb_lane_vec6 start[2],
                            const lb_lane_rows_out *M)
{
    lb_lane_vec6 X = start[0], Y = start[1];
    for (int j = k, p; (p = model->bodies[j].parent) >= 0; j = p) {
        const lb_body *b = &model->bodies[j];
        const lb_lane_body *w = &work->bodies[j];
        if (b->simple && model->bodies[p].simple && model->bodies[p].parent < 0) {
            // the end of the way: of the moments at the root only z is needed, and nothing else
            const lb_lane_pose pose = lb_lane_get_simple_pose(b, w);
            const lb_lane x = lb_lane_carry_force(&pose, X).w.z;
            const lb_lane y = lb_lane_carry_force(&pose, Y).w.z;
            write_pair(M, model->v_count, model->bodies[p].hinge_v, column[0], x);
            write_pair(M, model->v_count, model->bodies[p].hinge_v, column[1], y);
            return;
        }
        if (b->simple) {
            const lb_lane_pose pose = lb_lane_get_simple_pose(b, w);
            X = lb_lane_carry_force(&pose, X);
            Y = lb_lane_carry_force(&pose, Y);
        } else {
            X = lb_lane_carry_force(&w->X, X);
            Y = lb_lane_carry_force(&w->X, Y);
        }
        write_rows(model, work, p, column[0], X, M);
        write_rows(model, work, p, column[1], Y, M);
    }
}

// The column of a simple hinge, R z, with that of the child that waits here if there is one.
static void send_column(const lb_model *model, lb_batch_work *work, int k,
                        const lb_lane_rows_out *M)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_body *w = &work->bodies[k];
    const lb_lane_inertia *R = &w->R;
    const lb_lane_vec6 own = {{R->J.xz, R->J.yz, R->J.zz}, {-R->h.y, R->h.x, lb_lane_zero()}};
    lb_lane_write(M, (ptrdiff_t)b->hinge_v * (model->v_count + 1), R->J.zz);
    if (b->parent < 0) {
        return;
    }
    const int guest = work->guests[k];
    lb_lane_body *p = &work->bodies[b->parent];
    if (guest >= 0) {
        const lb_lane_vec6 X[2] = {w->z, own};
        travel_together(model, work, k, (const int[2]){model->bodies[guest].hinge_v, b->hinge_v}, X,
                        M);
    } else if (work->guests[b->parent] == k) {
        const lb_lane_pose pose = lb_lane_get_simple_pose(b, w);
        p->z = lb_lane_carry_force(&pose, own);
        write_rows(model, work, b->parent, b->hinge_v, p->z, M);
    } else {
        travel(model, work, k, b->hinge_v, &own, M);
    }
}

// Composite bodies and the mass matrices of four states                                 (CRB-1)
static void compute_four(const lb_model *model, lb_batch_work *work, const lb_lane_rows *q,
                         const lb_lane_rows_out *M)
{
    lb_lane_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        lb_lane_step_position(model, work, k, q);
        if (work->last_children[k] < 0) {
            // where there are children, the first to hand over writes it
            work->bodies[k].R = lb_lane_inertia_spread(&model->bodies[k].M);
        }
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_lane_body *w = &work->bodies[k];
        if (b->parent >= 0) {
            const lb_lane_pose X = lb_lane_get_pose(b, w);
            const lb_lane_inertia carried = lb_lane_inertia_carry(&X, &w->R);
            lb_lane_inertia *R_p = &work->bodies[b->parent].R;
            if (work->last_children[b->parent] == k) {
                lb_lane_inertia_sum(R_p, &model->bodies[b->parent].M, &carried);
            } else {
                lb_lane_inertia_sum(R_p, NULL, &carried);
            }
        }
        if (b->simple) {
            send_column(model, work, k, M);
            continue;
        }
        for (int i = 0; i < b->nv; ++i) {
            const lb_lane_vec6 X = lb_lane_inertia_mul(&w->R, work->H[b->dof + i]);
            write_rows(model, work, k, b->hinge_v + i, X, M);
            travel(model, work, k, b->hinge_v + i, &X, M);
        }
    }
}

lb_status lb_run_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                   const double *q, double *M)
{
    const ptrdiff_t nq = model->q_count, size = (ptrdiff_t)model->v_count * model->v_count;
    if (!lb_has_lanes(model)) {
        for (int i = 0; i < count; ++i) {
            lb_run_mass_matrix(model, work->single, q + i * nq, M + i * size);
        }
        return LB_OK;
    }
    for (int i = 0; i < count; i += LB_LANES) {
        const lb_lane_rows rows_q = lb_lane_get_rows(q, nq, i, count);
        const lb_lane_rows_out rows_M = lb_lane_get_rows_out(M, size, i, count);
        // what lies on no common path to the base stays zero
        const int states = count - i < LB_LANES ? count - i : LB_LANES;
        if (!work->serial) {
            memset(M + i * size, 0, (size_t)(states * size) * sizeof *M);
        }
        compute_four(model, work, &rows_q, &rows_M);
    }
    return LB_OK;
}
