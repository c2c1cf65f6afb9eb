// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mass matrices of many states.
#include <string.h>

#include "lane_steps.h"
#include "model/kernel_table.h"

// ---- entries -----------------------------------------------------------------------------------

// Whether entries stay in lanes until the matrices are complete. Eight states need 16 single stores
// per entry otherwise. The eight stores of four states cost less than a second pass on a short arm.
LB_LANE_INLINE int collects(const lb_batch_work *work)
{
    return LB_STATES == 8 && work->M;
}

LB_LANE_INLINE void write_diagonal(const lb_model *model, const lb_batch_work *work, int row,
                                   lb_states value, const lb_lane_rows_out *M)
{
    const ptrdiff_t i = (ptrdiff_t)row * (model->v_count + 1);
    if (collects(work)) {
        work->M[i] = value;
        return;
    }
    lb_lane_write(M, i, value);
}

// An entry and its mirror image.
LB_LANE_INLINE void write_pair(const lb_model *model, const lb_batch_work *work, int row,
                               int column, lb_states value, const lb_lane_rows_out *M)
{
    const ptrdiff_t n = model->v_count, i = row * n + column, mirror = column * n + row;
    if (collects(work)) {
        work->M[i] = work->M[mirror] = value;
        return;
    }
    for (int j = 0; j < LB_STATES; ++j) {
        M->row[j][i] = M->row[j][mirror] = value[j];
    }
}

#if LB_STATES == 8
// Eight entries of eight states: x[entry][state] goes to row[state][entry].
LB_LANE_INLINE void write_eight(const lb_states *x, ptrdiff_t at, const lb_lane_rows_out *M)
{
// of the four pairs of numbers in a, then of those in b: the first and third, or second and fourth
#define LB_FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define LB_SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)
    for (int odd = 0; odd < 2; ++odd) {
        // pairs of entries, of states 0, 2, 4, 6 or 1, 3, 5, 7
        lb_states u[4];
        for (int i = 0; i < 4; ++i) {
            const lb_states a = x[2 * i], b = x[2 * i + 1];
            u[i] = odd ? __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
                       : __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        }
        const lb_states s04[2] = {LB_FIRST(u[0], u[1]), LB_FIRST(u[2], u[3])};
        const lb_states s26[2] = {LB_SECOND(u[0], u[1]), LB_SECOND(u[2], u[3])};
        const lb_states rows[4] = {LB_FIRST(s04[0], s04[1]), LB_FIRST(s26[0], s26[1]),
                                   LB_SECOND(s04[0], s04[1]), LB_SECOND(s26[0], s26[1])};
        for (int i = 0; i < 4; ++i) {
            memcpy(M->row[2 * i + odd] + at, &rows[i], sizeof rows[i]);
        }
    }
#undef LB_FIRST
#undef LB_SECOND
}
#endif

// Complete matrices out of lanes.
LB_LANE_INLINE void write_matrices(const lb_states *lanes, ptrdiff_t size,
                                   const lb_lane_rows_out *M)
{
    ptrdiff_t i = 0;
#if LB_STATES == 8
    for (; i + LB_STATES <= size; i += LB_STATES) {
        write_eight(lanes + i, i, M);
    }
#endif
    for (; i < size; ++i) {
        lb_lane_write(M, i, lanes[i]);
    }
}

// Rows of body j for a column: H X.
LB_LANE_INLINE void write_rows(const lb_model *model, const lb_batch_work *work, int j, int column,
                               lb_lane_vec6 X, const lb_lane_rows_out *M)
{
    const lb_body *b = &model->bodies[j];
    if (b->simple) {
        write_pair(model, work, b->hinge_v, column, X.w.z, M);
        return;
    }
    for (int i = 0; i < b->nv; ++i) {
        const lb_states x = lb_lane_vec6_dot(work->H[b->dof + i], X);
        write_pair(model, work, b->hinge_v + i, column, x, M);
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
            write_pair(model, work, model->bodies[p].hinge_v, column,
                       lb_lane_pass_force(&work->links[j], c, s, X).w.z, M);
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
    write_diagonal(model, work, b->hinge_v, diagonal, M);
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
        // what lies on no common path to the base stays zero; in lanes it always is
        const int states = count - i < LB_STATES ? count - i : LB_STATES;
        if (!work->serial && !collects(work)) {
            memset(M + i * size, 0, (size_t)(states * size) * sizeof *M);
        }
        compute_mass(model, work, &rows_q, &rows_M);
        if (collects(work)) {
            write_matrices(work->M, size, &rows_M);
        }
    }
    return LB_OK;
}
