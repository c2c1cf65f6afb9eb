// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <math.h>

#include "limber/model.h"
#include "model/modal/flex.h"
#include "verdict.h"

// Numbers between -1 and 1 without a pattern that a model could have.
static double draw(int i)
{
    return sin(12.9898 * (i + 1) + 0.37);
}

// One entry of the state: a speed, and the force that accelerates `inertia` about as much.
static void set_entry(int i, double scale, double inertia, double *v, double *tau)
{
    v[i] = 0.3 * scale * draw(2 * i);
    tau[i] = scale * inertia * draw(2 * i + 1);
}

// The largest distance between the frames of a body and its parent; 1 where there is none.
static double find_length(const lb_model *model)
{
    double length = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_vec3 p = model->bodies[k].X_p.p;
        length = fmax(length, sqrt(lb_vec3_dot(p, p)));
    }
    return length > 0.0 ? length : 1.0;
}

void lb_set_trial_state(const lb_model *model, double *q, double *v, double *tau)
{
    const double length = find_length(model);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_sym3 J = b->M.J;
        for (int i = 0; i < b->nv; ++i) {
            const bool turns = lb_is_turn((lb_hinge_type)b->hinge, i);
            set_entry(b->hinge_v + i, turns ? 1.0 : length,
                      turns ? (J.xx + J.yy + J.zz) / 3.0 : b->M.m, v, tau);
        }
        for (int r = 0; r < b->mode_count; ++r) {
            // modes of any norm: displacements of a ten-thousandth of the length, so that stiff modes do not drown all else
            const double mass = b->flex->M_ff[r * (b->mode_count + 1)];
            const double scale = mass > 0.0 ? 1e-4 * length * sqrt(b->M.m / mass) : 0.0;
            set_entry(b->v + r, scale, mass, v, tau);
        }
    }
    lb_get_neutral_configuration(model, q);
    lb_integrate_configuration(model, q, v, q);
    for (int i = 0; i < model->v_count; ++i) {
        v[i] *= -2.0; // q and v are not the same numbers
    }
}

lb_status lb_judge_trial(int count, const double *found, const double *expected, double tolerance,
                         lb_text *why)
{
    double largest = 0.0, off = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(expected[i]));
        lb_keep_largest(fabs(found[i] - expected[i]), &off);
    }
    if (off <= fmax(1e-8, 100.0 * tolerance) * largest) {
        return LB_OK;
    }
    lb_text_add(why,
                "the device gives other accelerations than the host (relative gap %.2g): "
                "use divide and conquer on the host",
                off / largest);
    return LB_E_UNSUPPORTED;
}
