// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nominal values of states, which errors of integration are compared with: an angle of one radian, a distance of the size
// of the model, and modes that move a node by a hundredth of it. Speeds have the same numbers, per second.
#include <stdlib.h>

#include "model/layout.h"
#include "model/measure.h"
#include "variables.h"

static const double part_of_modes = 0.01;

static void set_modes(const lb_model *model, int body, double size, double *inertia,
                      lb_fmu_variable *q, lb_fmu_variable *v)
{
    const int count = lb_get_mode_count(model, body);
    lb_get_modal_inertia(model, body, inertia, inertia + count * count);
    for (int i = 0; i < count; ++i) {
        const double by = lb_measure_mode(model, body, i, inertia[i * count + i]);
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
    const double size = lb_measure_model(model);
    lb_fmu_variable *states = variables->items; // q, then v
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const lb_hinge_type type = lb_get_hinge_type(model, body);
        const size_t count = (size_t)b->mode_count;
        const bool is_base = lb_get_parent(model, body) < 0 &&
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
