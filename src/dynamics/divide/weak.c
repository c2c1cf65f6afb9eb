// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "division.h"

#include "dynamics/tree/eliminate.h"
#include "dynamics/tree/steps.h"

// Pivots of the modes and the hinge of a body, from its own inertia and, where `child` is not NULL,
// that of a child in its place. Returns 0 if one is lost.
static int find_pivots(const lb_model *model, lb_work *work, int k, int child, double *pivots)
{
    const lb_body *b = &model->bodies[k];
    lb_flex_work *f = lb_get_flex(model, work, k);
    const int n = b->mode_count;
    lb_sym6 P_plus;
    lb_sym6 *P = &work->bodies[k].P;
    *P = lb_sym6_from_inertia(lb_get_inertia(model, work, k));
    for (int r = 0; r < n; ++r) {
        f->P_rf[r] = f->M_rf[r];
        for (int s = 0; s <= r; ++s) {
            f->P_ff[r * n + s] = f->M_ff[r * n + s];
        }
    }
    if (child >= 0) {
        const lb_inertia M =
            lb_inertia_carry(&work->bodies[child].X, lb_get_inertia(model, work, child));
        const lb_sym6 Gamma = lb_sym6_from_inertia(&M);
        if (model->bodies[child].at) {
            lb_add_joint_inertia(model, work, child, &Gamma);
        } else {
            lb_sym6_add(P, &Gamma);
        }
    }
    int bad;
    if (n > 0 && lb_take_out_modes(b, P, f, &bad) != LB_OK) {
        return 0;
    }
    for (int r = 0; r < n; ++r) {
        *pivots++ = 1.0 / f->P_ff[r * n + r];
    }
    if (lb_eliminate_hinge(b, P, work, &P_plus, &bad) != LB_OK) {
        return 0;
    }
    for (int i = 0; i < b->nv; ++i) {
        *pivots++ = 1.0 / work->D[b->factor + i * (b->nv + 1)];
    }
    return 1;
}

// A body is weak beside a child if a pivot grows by so much with it.
static const double weak_ratio = 1e2;

static int judge(const lb_model *model, lb_work *work, int k, int child, double *scratch)
{
    const lb_body *b = &model->bodies[k];
    double *own = scratch, *both = own + b->mode_count + 6;
    if (!find_pivots(model, work, k, -1, own)) {
        return LB_WEAKEST;
    }
    if (!find_pivots(model, work, k, child, both)) {
        return LB_STRONG;
    }
    for (int i = 0; i < b->mode_count + b->nv; ++i) {
        if (both[i] > weak_ratio * own[i]) {
            return LB_WEAK;
        }
    }
    return LB_STRONG;
}

lb_status lb_find_weak_bodies(const lb_model *model, unsigned char *weak)
{
    int modes = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const int n = model->bodies[k].mode_count;
        modes = n > modes ? n : modes;
    }
    lb_arena arena;
    arena = lb_make_arena(&model->arena.allocator);
    double *q = lb_arena_take(&arena, (size_t)model->q_count, sizeof *q);
    double *scratch = lb_arena_take(&arena, 2 * ((size_t)modes + 6), sizeof *scratch);
    lb_work *work = q && scratch ? lb_create_work(model) : NULL;
    if (work) {
        lb_get_neutral_configuration(model, q);
        (void)lb_compute_kinematics(model, work, q, NULL, NULL);
        lb_update_inertia(model, work);
        for (int k = model->body_count - 1; k >= 0; --k) {
            const int p = model->bodies[k].parent;
            if (p >= 0 && weak[p] == LB_STRONG) {
                weak[p] = (unsigned char)judge(model, work, p, k, scratch);
            }
        }
        lb_destroy_work(work);
    }
    lb_arena_free(&arena);
    return work ? LB_OK : LB_E_MEMORY;
}
