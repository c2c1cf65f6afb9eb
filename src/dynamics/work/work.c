// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "base/sized.h"
#include "dynamics/divide/division.h"
#include "dynamics/loops/loop_work.h"
#include "dynamics/tree/tree.h"
#include "model/hinges/hinges.h"
#include "model/kernel_table.h"
#include "model/modal/mode_update.h"

// Pieces of the flexible bodies and of the hinges at moving nodes. Pointers are set in a second
// pass only, when the records that hold them have their memory.
static void layout_flexible(const lb_model *model, unsigned char *base, size_t *used, lb_work *work)
{
    size_t points = 0, modes = 0, update = 0, cut_modes = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const size_t n = (size_t)b->mode_count;
        lb_flex_work nowhere;
        modes = n > modes ? n : modes;
        if (b->flex_index >= 0) {
            lb_flex_work *f = base ? &work->flex[b->flex_index] : &nowhere;
            f->eta = lb_place_piece(base, used, n, sizeof *f->eta);
            f->eta_dot = lb_place_piece(base, used, n, sizeof *f->eta_dot);
            f->eta_ddot = lb_place_piece(base, used, n, sizeof *f->eta_ddot);
            f->M_ff = lb_place_piece(base, used, n * n, sizeof *f->M_ff);
            f->M_rf = lb_place_piece(base, used, n, sizeof *f->M_rf);
            f->b_f = lb_place_piece(base, used, n, sizeof *f->b_f);
            f->P_ff = lb_place_piece(base, used, n * n, sizeof *f->P_ff);
            f->P_rf = lb_place_piece(base, used, n, sizeof *f->P_rf);
            f->z_f = lb_place_piece(base, used, n, sizeof *f->z_f);
            f->nu_f = lb_place_piece(base, used, n, sizeof *f->nu_f);
            f->S = lb_place_piece(base, used, n, sizeof *f->S);
            const int own = b->moving && !b->moving->Pi;
            f->Pi_d_own = own ? lb_place_piece(base, used, n, sizeof *f->Pi_d_own) : NULL;
            f->Pi_d = b->moving && b->moving->Pi ? b->moving->Pi : f->Pi_d_own;
            f->eta_seen = f->eta;
            if (lb_is_ruthless(b->flex)) {
                f->eta_seen = lb_place_piece(base, used, n, sizeof *f->eta_seen);
            }
            const size_t need = lb_get_point_scratch(b->flex);
            points = need > points ? need : points;
            for (int i = 0; i < b->flex->section_count; ++i) {
                const size_t part = lb_get_point_scratch(b->flex->sections[i].far_side);
                points = part > points ? part : points;
                cut_modes = n > cut_modes ? n : cut_modes;
            }
            if (b->update) {
                const size_t m = 6 * (size_t)b->update->child_count;
                const size_t scratch = lb_get_update_scratch(b->update->child_count);
                f->Gamma = lb_place_piece(base, used, 6 * m, sizeof *f->Gamma);
                f->Prime = lb_place_piece(base, used, m * m, sizeof *f->Prime);
                update = scratch > update ? scratch : update;
            }
        }
        if (b->joint_index >= 0) {
            const size_t m = b->at ? (size_t)model->bodies[b->parent].mode_count : 0;
            lb_joint_work nowhere_either;
            lb_joint_work *j = base ? &work->joints[b->joint_index] : &nowhere_either;
            j->Pi = lb_place_piece(base, used, m, sizeof *j->Pi);
        }
    }
    work->Pi = lb_place_piece(base, used, modes, sizeof *work->Pi);
    work->modal = lb_place_piece(base, used, 12 * modes, sizeof *work->modal);
    work->update = lb_place_piece(base, used, update, sizeof *work->update);
    work->points = lb_place_piece(base, used, points, sizeof *work->points);
    if (cut_modes > 0) {
        lb_flex_work nowhere;
        lb_flex_work *f = lb_place_piece(base, used, 1, sizeof *f);
        work->section = f;
        f = base ? f : &nowhere;
        f->M_ff = lb_place_piece(base, used, cut_modes * cut_modes, sizeof *f->M_ff);
        f->M_rf = lb_place_piece(base, used, cut_modes, sizeof *f->M_rf);
        f->b_f = lb_place_piece(base, used, cut_modes, sizeof *f->b_f);
        f->S = lb_place_piece(base, used, cut_modes, sizeof *f->S);
    }
}

// Room for the state of a sweep that is run later.
static void lay_out_deferred(const lb_model *model, unsigned char *base, size_t *used,
                             lb_work *work)
{
    lb_deferred nowhere, *d = lb_place_piece(base, used, 1, sizeof *d);
    work->deferred = d;
    d = base ? d : &nowhere;
    *d = (lb_deferred){.run = model->kernels->catch_up, .model = model, .work = work};
    d->state = LB_NOTHING_DEFERRED;
    d->q = lb_place_piece(base, used, (size_t)model->q_count, sizeof *d->q);
    d->v = lb_place_piece(base, used, (size_t)model->v_count, sizeof *d->v);
    d->x = lb_place_piece(base, used, (size_t)model->v_count, sizeof *d->x);
    d->out = lb_place_piece(base, used, (size_t)model->v_count, sizeof *d->out);
}

static size_t count_columns(const lb_model *model)
{
    return 6 * ((size_t)model->v_count + LB_COLUMN_MARGIN);
}

static size_t layout(const lb_model *model, unsigned char *base, lb_work *work)
{
    const size_t n = (size_t)model->body_count, h = (size_t)model->hinge_count;
    size_t used = 0;
    (void)lb_place_piece(base, &used, 1, sizeof *work);
    // one record ahead of the first: the ground
    work->bodies = lb_place_piece(base, &used, n + 1, sizeof *work->bodies);
    work->X_0 = lb_place_piece(base, &used, n + 1, sizeof *work->X_0);
    work->H = lb_place_piece(base, &used, h, sizeof *work->H);
    work->G = lb_place_piece(base, &used, h, sizeof *work->G);
    work->D = lb_place_piece(base, &used, (size_t)model->factor_count, sizeof *work->D);
    work->nu = lb_place_piece(base, &used, h, sizeof *work->nu);
    const size_t angles = (size_t)(model->angle_count + 3) & ~(size_t)3;
    work->sines = lb_place_piece(base, &used, angles, sizeof *work->sines);
    work->cosines = lb_place_piece(base, &used, angles, sizeof *work->cosines);
    work->scale = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->scale);
    work->F = lb_place_piece(base, &used, count_columns(model), sizeof *work->F);
    work->beta = lb_place_piece(base, &used, h, sizeof *work->beta);
    work->x = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->x);
    work->y = lb_place_piece(base, &used, n + 1, sizeof *work->y);
    work->flex = lb_place_piece(base, &used, (size_t)model->flex_count, sizeof *work->flex);
    work->joints = lb_place_piece(base, &used, (size_t)model->joint_count, sizeof *work->joints);
    layout_flexible(model, base, &used, work);
    work->locked = lb_place_piece(base, &used, n + 1, sizeof *work->locked);
    work->held = lb_place_piece(base, &used, n + 1, sizeof *work->held);
    work->listed = lb_place_piece(base, &used, n + 1, sizeof *work->listed);
    work->driven = lb_place_piece(base, &used, n + 1, sizeof *work->driven);
    work->drives = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->drives);
    work->given = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->given);
    work->drive = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->drive);
    work->response = lb_place_piece(base, &used, (size_t)model->v_count, sizeof *work->response);
    lb_lay_out_loops(model, base, &used, work);
    if (model->kernels->catch_up) {
        lay_out_deferred(model, base, &used, work);
    }
    if (base) {
        work->bodies += 1;
        work->X_0 += 1;
        work->y += 1;
    }
    return used;
}

size_t lb_get_work_size(const lb_model *model)
{
    lb_work counter = {0};
    return layout(model, NULL, &counter) + LB_ALIGNMENT;
}

lb_status lb_init_work(const lb_model *model, void *memory, size_t size, lb_work **out)
{
    *out = NULL;
    if (!memory || size < lb_get_work_size(model)) {
        return LB_E_MEMORY;
    }
    const size_t skip = (size_t)(-(uintptr_t)memory & (LB_ALIGNMENT - 1));
    unsigned char *base = (unsigned char *)memory + skip;
    lb_work *work = (lb_work *)(void *)base;
    *work = (lb_work){.bad_inertia_body = LB_GROUND, .bad_entry = -1};
    (void)layout(model, base, work);

    // the ground stands still, and accelerates upwards in place of gravity
    work->bodies[-1] = (lb_body_work){.X = lb_pose_identity()};
    work->bodies[-1].alpha.v = lb_vec3_neg(model->gravity);
    work->X_0[-1] = lb_pose_identity();

    for (int k = 0; k < model->body_count; ++k) {
        work->bodies[k].V = lb_vec6_zero();
        work->bodies[k].X = model->bodies[k].X_p;
    }

    // margins are carried with the columns beside them: zeros stay zeros
    memset(work->F, 0, count_columns(model) * sizeof *work->F);

    memset(work->locked, 0, (size_t)model->body_count + 1);
    memset(work->held, 0, (size_t)model->body_count + 1);
    memset(work->driven, 0, (size_t)model->body_count + 1);
    lb_start_loops(model, work);

    // what never changes of ruthless bodies
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->flex && lb_is_ruthless(b->flex)) {
            lb_flex_work *f = &work->flex[b->flex_index];
            double *zero_eta = (double *)f->eta_seen;
            for (int r = 0; r < b->mode_count; ++r) {
                zero_eta[r] = 0.0;
            }
            lb_start_ruthless(b->flex, f);
        }
        const lb_body *p = &model->bodies[b->parent];
        for (int r = 0; b->at && lb_is_ruthless(p->flex) && r < p->mode_count; ++r) {
            work->joints[b->joint_index].Pi[r] = lb_refer_to_frame(b->X_p.p, b->at->shape[r]);
        }
    }

    // columns that never change are written here, the others at every position
    const double zero[7] = {0};
    for (int k = 0; k < model->body_count; ++k) {
        lb_hinge_columns(&model->bodies[k], zero, work->H + model->bodies[k].dof);
    }
    *out = work;
    return LB_OK;
}

lb_work *lb_create_work(const lb_model *model)
{
    const lb_allocator *allocator = &model->arena.allocator;
    const size_t size = lb_get_work_size(model);
    void *memory = allocator->allocate(allocator->user, size);
    lb_work *work = NULL;
    if (!memory) {
        return NULL;
    }
    if (lb_init_work(model, memory, size, &work) != LB_OK) {
        allocator->release(allocator->user, memory);
        return NULL;
    }
    work->memory = memory;
    work->allocator = *allocator;
    return work;
}

static const lb_work_options defaults = {.size = sizeof defaults, .tolerance = 1e-10};

void lb_init_work_options(lb_work_options *options, size_t size)
{
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

// What the algorithm needs besides the workspace itself.
static lb_status prepare(const lb_model *model, lb_work *work, const lb_work_options *options)
{
    const lb_allocator *allocator = &model->arena.allocator;
    work->algorithm = (int)options->algorithm;
    if (options->algorithm == LB_ALGORITHM_DIVIDE_AND_CONQUER) {
        const lb_division_options division = {
            options->run_length, options->team.thread_count > 0 ? options->team.thread_count : 1,
            options->tolerance};
        const lb_status status = lb_create_division(model, &division, &work->division);
        if (status >= LB_OK) {
            work->division->team = options->team;
        }
        return status;
    }
    const size_t n = (size_t)model->v_count;
    const size_t count = options->algorithm == LB_ALGORITHM_COMPOSITE ? n * n
                         : options->algorithm == LB_ALGORITHM_UNSPLIT
                             ? lb_count_unsplit_scratch(model)
                             : 0;
    if (count > 0) {
        work->numbers = allocator->allocate(allocator->user, count * sizeof *work->numbers);
    }
    return count > 0 && !work->numbers ? LB_E_MEMORY : LB_OK;
}

lb_status lb_create_work_with(const lb_model *model, const lb_work_options *options, lb_work **out)
{
    *out = NULL;
    lb_work_options own = defaults;
    if (options && lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_work_options, algorithm),
                                 options) != LB_OK) {
        return LB_E_VERSION;
    }
    const bool shares = own.team.thread_count > 1;
    if ((unsigned)own.algorithm >= LB_ALGORITHM_COUNT ||
        (shares && (!own.team.run || !own.team.wait))) {
        return LB_E_ARGUMENT;
    }
    lb_work *work = lb_create_work(model);
    if (!work) {
        return LB_E_MEMORY;
    }
    const lb_status status = prepare(model, work, &own);
    if (status < LB_OK) {
        lb_destroy_work(work);
        return status;
    }
    *out = work;
    return LB_OK;
}

void lb_destroy_work(lb_work *work)
{
    if (work && work->memory) {
        // the workspace lies in the memory that is released
        const lb_allocator allocator = work->allocator;
        lb_destroy_division(work->division);
        if (work->numbers) {
            allocator.release(allocator.user, work->numbers);
        }
        allocator.release(allocator.user, work->memory);
    }
}

void lb_get_bad_inertia(const lb_work *work, int *body, int *offset)
{
    *body = work->bad_inertia_body;
    *offset = work->bad_inertia_offset;
}

const char *lb_get_bad_number(const lb_work *work, int *entry)
{
    *entry = work->bad_entry;
    return work->bad_name;
}

void lb_trust_numbers(lb_work *work, bool trust)
{
    work->trusts_numbers = trust;
}

void lb_use_tree(lb_work *work, bool use)
{
    work->uses_tree = use;
}
