// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nominal values of states, which errors of integration are compared with: an angle of one radian, a distance of the size
// of the model, and modes that move a node by a hundredth of it. Speeds have the same numbers, per second.
#include <math.h>
#include <stdlib.h>

#include "make_fmu.h"
#include "model/layout.h"
#include "model/model_parts.h"

static const double part_of_modes = 0.01;

// The largest distance of a node from the frame of its body, or the largest radius of gyration; 1 if all are points.
static double find_size(const lb_model *model)
{
    double size = 0;
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body_info *info = &model->infos[body];
        double mass, com[3], inertia[6];
        lb_get_mass_properties(model, body, &mass, com, inertia);
        if (mass > 0) {
            size = fmax(size, sqrt(fabs(inertia[0] + inertia[1] + inertia[2]) / (2 * mass)));
        }
        for (int node = 0; node < info->node_count; ++node) {
            size = fmax(size, lb_vec3_norm(info->nodes[node].X.p));
        }
    }
    return size > 0 ? size : 1.0;
}

// By how much a unit of a mode moves the node that moves most; without nodes, the mean mass.
static double find_travel(const lb_model *model, int body, int mode, double inertia)
{
    const lb_body_info *info = &model->infos[body];
    double travel = 0, mass, com[3], moments[6];
    for (int node = 0; node < info->node_count; ++node) {
        if (info->nodes[node].shape) {
            travel = fmax(travel, lb_vec3_norm(info->nodes[node].shape[mode].v));
        }
    }
    lb_get_mass_properties(model, body, &mass, com, moments);
    travel = travel > 0 || !(mass > 0) ? travel : sqrt(fabs(inertia) / mass);
    return travel > 0 ? travel : 1.0;
}

static void set_modes(const lb_model *model, int body, double size, double *inertia,
                      lb_fmu_variable *q, lb_fmu_variable *v)
{
    const int count = lb_get_mode_count(model, body);
    lb_get_modal_inertia(model, body, inertia, inertia + count * count);
    for (int i = 0; i < count; ++i) {
        const double by = find_travel(model, body, i, inertia[i * count + i]);
        q[i].nominal = v[i].nominal = part_of_modes * size / by;
    }
}

// Units tell distances from angles.
static void set_hinge(double size, bool is_base, int count, lb_fmu_variable *states)
{
    for (int i = 0; i < count; ++i) {
        if (states[i].unit && states[i].unit[0] == 'm') {
            states[i].nominal = size;
            states[i].is_carried = is_base;
        }
    }
}

lb_status lb_set_nominals(const lb_model *model, lb_fmu_variables *variables)
{
    const double size = find_size(model);
    lb_fmu_variable *states = variables->items; // q, then v
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge(model, body).type;
        const size_t count = (size_t)b->mode_count;
        const bool is_base = lb_get_hinge(model, body).parent < 0 &&
                             (type == LB_HINGE_FREE || type == LB_HINGE_TRANSLATIONAL);
        if (count > 0) {
            double *inertia = malloc(count * (count + 6) * sizeof *inertia);
            if (!inertia) {
                return LB_E_MEMORY;
            }
            set_modes(model, body, size, inertia, states + b->q, states + model->q_count + b->v);
            free(inertia);
        }
        set_hinge(size, is_base, b->nq, states + b->hinge_q);
        set_hinge(size, is_base, b->nv, states + model->q_count + b->hinge_v);
    }
    return LB_OK;
}
