// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of coordinates, by which differences choose their steps.
#include <math.h>

#include "forces.h"
#include "limber/spatial.h"
#include "model/layout.h"

// The largest distance of a node, or of a hinge that it carries, from the frame of its body; 1 if none.
static double find_model_length(const lb_model *model)
{
    double length = 0.0;
    for (int b = 0; b < model->body_count; ++b) {
        const lb_body_info *info = &model->infos[b];
        for (int i = 0; i < info->node_count; ++i) {
            length = fmax(length, lb_vec3_norm(info->nodes[i].X.p));
        }
        const lb_body *body = &model->bodies[b];
        length = body->parent >= 0 ? fmax(length, lb_vec3_norm(body->X_p.p)) : length;
    }
    return length > 0 ? length : 1.0;
}

// The value of a modal coordinate that moves no node further than `length`, nor turns one by more than a
// radian.
static double find_modal_scale(const lb_body_info *info, int mode, double length)
{
    double rate = 0.0; // per unit of the coordinate
    for (int i = 0; i < info->node_count; ++i) {
        const lb_vec6 *shape = info->nodes[i].shape;
        if (shape) {
            rate = fmax(rate, lb_vec3_norm(shape[mode].v) / length);
            rate = fmax(rate, lb_vec3_norm(shape[mode].w));
        }
    }
    return rate > 0 ? 1.0 / rate : 1.0;
}

void lb_find_scales(const lb_model *model, double *scales)
{
    const double length = find_model_length(model);
    for (int b = 0; b < model->body_count; ++b) {
        const lb_body_info *info = &model->infos[b];
        const lb_body *body = &model->bodies[info->sweep];
        for (int r = 0; r < body->mode_count; ++r) {
            scales[body->v + r] = find_modal_scale(info, r, length);
        }
        for (int i = 0; i < body->nv; ++i) {
            scales[body->hinge_v + i] = lb_is_turn((lb_hinge_type)body->hinge, i) ? 1.0 : length;
        }
    }
}
