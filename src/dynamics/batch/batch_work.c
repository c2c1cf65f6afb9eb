// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Workspaces of batches.
#include "batch_work.h"

// Most speeds of a mass matrix that is put together in lanes.
enum { LB_MATRIX_MOST = LB_STATES == 8 ? 16 : 0 };

static size_t layout(const lb_model *model, unsigned char *base, lb_batch_work *work)
{
    const int lanes = lb_has_lanes(model);
    const size_t n = lanes ? (size_t)model->body_count : 0;
    const size_t h = lanes ? (size_t)model->hinge_count : 0;
    size_t used = 0;
    (void)lb_place_piece(base, &used, 1, sizeof *work);
    // one record ahead of the first: the ground
    work->bodies = lb_place_piece(base, &used, n + 1, sizeof *work->bodies);
    work->links = lb_place_piece(base, &used, n, sizeof *work->links);
    work->H = lb_place_piece(base, &used, h, sizeof *work->H);
    work->G = lb_place_piece(base, &used, h, sizeof *work->G);
    const size_t factors = lanes ? (size_t)model->factor_count : 0;
    work->D = lb_place_piece(base, &used, factors, sizeof *work->D);
    work->nu = lb_place_piece(base, &used, h, sizeof *work->nu);
    const size_t angles = lanes ? (size_t)model->angle_count : 0;
    work->sines = lb_place_piece(base, &used, angles, sizeof *work->sines);
    work->cosines = lb_place_piece(base, &used, angles, sizeof *work->cosines);
    const size_t entries = h <= LB_MATRIX_MOST ? h * h : 0;
    work->M = lb_place_piece(base, &used, entries, sizeof *work->M);
    work->last_children = lb_place_piece(base, &used, n, sizeof *work->last_children);
    work->memory = lb_place_piece(base, &used, lb_get_work_size(model), 1);
    if (base) {
        work->bodies += 1;
        work->M = entries ? work->M : NULL;
    }
    return used;
}

size_t lb_run_batch_work_size(const lb_model *model)
{
    lb_batch_work counter;
    return layout(model, NULL, &counter);
}

lb_status lb_run_init_batch_work(const lb_model *model, void *memory, lb_batch_work **out)
{
    unsigned char *base = memory;
    lb_batch_work *work = memory;
    (void)layout(model, base, work);
    lb_status status = lb_init_work(model, work->memory, lb_get_work_size(model), &work->single);
    if (status != LB_OK) {
        return status;
    }
    work->memory = NULL;
    work->narrow = NULL;
    work->bad_inertia_state = work->bad_state = -1;
    work->serial = 1;

    // the ground stands still, and accelerates upwards in place of gravity
    lb_lane_body *ground = &work->bodies[-1];
    ground->w = lb_lane_vec3_spread(lb_vec3_make(0, 0, 0));
    ground->alpha =
        lb_lane_vec6_spread(lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_neg(model->gravity)));

    if (lb_has_lanes(model)) {
        // columns that never change are written here, the others at every position
        for (int i = 0; i < model->hinge_count; ++i) {
            work->H[i] = lb_lane_vec6_spread(work->single->H[i]);
        }
        for (int k = 0; k < model->body_count; ++k) {
            work->serial &= model->bodies[k].parent == k - 1;
            work->last_children[k] = -1;
            if (model->bodies[k].parent >= 0) {
                work->last_children[model->bodies[k].parent] = k;
            }
        }
        for (int i = 0; work->M && i < model->v_count * model->v_count; ++i) {
            work->M[i] = lb_lane_zero();
        }
        lb_make_links(model, work->links);
        for (int k = 0; k < model->body_count; ++k) {
            work->bodies[k].S = work->links[k].own; // at the ground a sum may be kept in part
        }
    }
    *out = work;
    return LB_OK;
}
