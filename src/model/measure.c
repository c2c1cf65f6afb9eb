// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <math.h>

#include "base/dense.h"
#include "layout.h"

// Distance of the furthest node or mass of a body from its frame.
static double measure_body(const lb_model *model, int body)
{
    const lb_body_info *info = &model->infos[body];
    double mass = 0.0, com[3], inertia[6], largest = 0.0;
    for (int i = 0; i < info->node_count; ++i) {
        largest = fmax(largest, lb_vec3_norm(info->nodes[i].X.p));
    }
    lb_get_mass_properties(model, body, &mass, com, inertia);
    if (mass > 0.0) {
        const double polar = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
        largest = fmax(largest, lb_compute_norm(3, com));
        largest = fmax(largest, sqrt(fmax(polar, 0.0) / mass));
    }
    return largest;
}

double lb_measure_model(const lb_model *model)
{
    double largest = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        largest = fmax(largest, measure_body(model, k));
    }
    return largest > 0.0 ? largest : 1.0;
}

double lb_measure_mode(const lb_model *model, int body, int mode, double inertia)
{
    const lb_body_info *info = &model->infos[body];
    double largest = 0.0, mass = 0.0, com[3], moments[6];
    for (int i = 0; i < info->node_count; ++i) {
        const lb_vec6 *shape = info->nodes[i].shape;
        largest = shape ? fmax(largest, lb_vec3_norm(shape[mode].v)) : largest;
    }
    lb_get_mass_properties(model, body, &mass, com, moments);
    if (mass > 0.0 && inertia > 0.0) {
        largest = fmax(largest, sqrt(inertia / mass));
    }
    return largest > 0.0 ? largest : 1.0;
}
