// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/layout.h"

// Bodies are in sweep order, so a subtree is a run of them.
static int count_subtree(const lb_model *model, int k)
{
    int end = k + 1;
    while (end < model->body_count && model->bodies[end].parent >= k) {
        ++end;
    }
    return end - k;
}

// Whether two rotations have zeros and ones at the same places: only then the same sums vanish.
static bool are_alike(const lb_mat3 *x, const lb_mat3 *y)
{
    bool alike = true;
    for (int i = 0; i < 9; ++i) {
        const double a = fabs(x->m[i / 3][i % 3]), b = fabs(y->m[i / 3][i % 3]);
        const bool plain = a == 0 || a == 1 || b == 0 || b == 1;
        alike = alike && (!plain || a == b);
    }
    return alike;
}

static bool are_equal(const lb_model *model, int i, int j)
{
    const int count = count_subtree(model, i);
    bool equal = count == count_subtree(model, j);
    for (int n = 0; equal && n < count; ++n) {
        const lb_body *x = &model->bodies[i + n], *y = &model->bodies[j + n];
        equal = x->hinge == y->hinge && x->simple == y->simple && !x->flex && !y->flex && !x->at &&
                !y->at && are_alike(&x->X_p.R, &y->X_p.R) &&
                (n == 0 || x->parent - i == y->parent - j);
    }
    return equal;
}

static void seat_limb(const lb_model *model, lb_limbs *limbs, int first, int group, int limb)
{
    for (int n = 0; n < count_subtree(model, first); ++n) {
        limbs->seats[model->bodies[first + n].listed] = (lb_limb_seat){group, limb, n};
    }
}

// A group of entries of a body, if there is none of that width.
static void add_lanes(lb_limbs *limbs, int width)
{
    if (width >= LB_LANES_LEAST && width <= LB_LANES_MOST && !limbs->lanes[width]) {
        limbs->lanes[width] = limbs->group_count;
        limbs->widths[limbs->group_count++] = width;
    }
}

// What regrouping left of a body on the ground is hardly worth packing.
static bool can_pack(const lb_body *b)
{
    return b->simple && !b->flex && !b->at && b->parent >= 0;
}

// Packs of a tree without equal limbs, from the last body on, so that those on the ground are the ones that are left over.
static void find_packs(const lb_model *model, lb_limbs *limbs)
{
    int members[LB_PACK_MOST], count = 0;
    for (int k = model->body_count - 1; k >= 0; --k) {
        if (can_pack(&model->bodies[k])) {
            members[count++] = model->bodies[k].listed;
        }
        if (count == LB_PACK_MOST || (k == 0 && count > 1)) {
            for (int i = 0; i < count; ++i) {
                limbs->packs[members[count - 1 - i]] = (lb_limb_pack){limbs->group_count, i};
            }
            limbs->widths[limbs->group_count++] = count;
            count = 0;
        }
    }
}

lb_status lb_find_limbs(const lb_model *model, lb_limbs *limbs)
{
    const size_t n = (size_t)model->body_count + 1;
    limbs->seats = calloc(n, sizeof *limbs->seats);
    limbs->packs = calloc(n, sizeof *limbs->packs);
    limbs->widths = calloc(2 * n + LB_LANES_MOST, sizeof *limbs->widths);
    limbs->body_count = model->body_count;
    if (!limbs->seats || !limbs->packs || !limbs->widths) {
        lb_clear_limbs(limbs);
        return LB_E_MEMORY;
    }
    limbs->widths[0] = limbs->group_count = 1;
    for (int k = 0; k < model->body_count; ++k) {
        if (limbs->seats[model->bodies[k].listed].group) {
            continue;
        }
        int width = 1;
        for (int j = k + 1; j < model->body_count; ++j) {
            if (model->bodies[j].parent == model->bodies[k].parent &&
                !limbs->seats[model->bodies[j].listed].group && are_equal(model, k, j)) {
                if (width == 1) {
                    seat_limb(model, limbs, k, limbs->group_count, 0);
                }
                seat_limb(model, limbs, j, limbs->group_count, width++);
            }
        }
        if (width > 1) {
            limbs->widths[limbs->group_count++] = width;
        }
    }
    limbs->first_pack = limbs->group_count;
    if (limbs->group_count == 1) {
        find_packs(model, limbs);
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->mode_count) {
            add_lanes(limbs, b->mode_count);
            add_lanes(limbs, b->mode_count + b->nv);
        }
    }
    return LB_OK;
}

int lb_get_seated(const lb_limbs *limbs, int group, int limb, int seat)
{
    for (int i = 0; i < limbs->body_count; ++i) {
        const lb_limb_seat *s = &limbs->seats[i];
        if (s->group == group && s->limb == limb && s->seat == seat) {
            return i;
        }
    }
    return -1;
}

int lb_get_packed(const lb_limbs *limbs, int group, int lane)
{
    for (int i = 0; i < limbs->body_count; ++i) {
        if (limbs->packs[i].group == group && limbs->packs[i].lane == lane) {
            return i;
        }
    }
    return -1;
}

void lb_clear_limbs(lb_limbs *limbs)
{
    free(limbs->seats);
    free(limbs->packs);
    free(limbs->widths);
    memset(limbs, 0, sizeof *limbs);
}
