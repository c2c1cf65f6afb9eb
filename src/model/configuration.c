// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration manifold: neutral point, rates, moving along it and measuring between points.
#include "base/dense.h"
#include "hinges/hinges.h"
#include "layout.h"

// Offset of the quaternion among a hinge's entries of q is zero where it has one.
static int has_quaternion(const lb_body *b)
{
    return b->hinge == LB_HINGE_SPHERICAL || b->hinge == LB_HINGE_FREE;
}

void lb_get_neutral_configuration(const lb_model *model, double *q)
{
    for (int i = 0; i < model->q_count; ++i) {
        q[i] = 0.0;
    }
    for (int k = 0; k < model->body_count; ++k) {
        if (has_quaternion(&model->bodies[k])) {
            q[model->bodies[k].hinge_q] = 1.0;
        }
    }
}

lb_status lb_normalize_configuration(const lb_model *model, double tolerance, double *q, int *index)
{
    int bad = model->q_count; // the first of all
    for (int i = 0; i < bad; ++i) {
        if (!isfinite(q[i])) {
            bad = i;
        }
    }
    for (int i = 0; i < model->body_count; ++i) {
        const lb_body *b = lb_get_record(model, i);
        if (!has_quaternion(b) || b->hinge_q >= bad) {
            continue;
        }
        double *u = q + b->hinge_q;
        const double norm = lb_compute_norm(4, u);
        if (!(fabs(norm - 1.0) <= tolerance)) {
            bad = b->hinge_q;
        } else {
            lb_quat_to(lb_quat_normalize(lb_quat_from(u)), u);
        }
    }
    const int good = bad == model->q_count;
    if (index) {
        *index = good ? -1 : bad;
    }
    return good ? LB_OK : LB_E_ARGUMENT;
}

void lb_compute_configuration_rate(const lb_model *model, const double *q, const double *v,
                                   double *q_dot)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            q_dot[b->q + r] = v[b->v + r];
        }
        lb_hinge_q_dot(b, q + b->hinge_q, v + b->hinge_v, q_dot + b->hinge_q);
    }
}

void lb_integrate_configuration(const lb_model *model, const double *q, const double *dv,
                                double *q_out)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            q_out[b->q + r] = q[b->q + r] + dv[b->v + r];
        }
        lb_hinge_move(b, q + b->hinge_q, dv + b->hinge_v, q_out + b->hinge_q);
    }
}

void lb_difference_configuration(const lb_model *model, const double *q0, const double *q1,
                                 double *dv)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            dv[b->v + r] = q1[b->q + r] - q0[b->q + r];
        }
        lb_hinge_gap(b, q0 + b->hinge_q, q1 + b->hinge_q, dv + b->hinge_v);
    }
}
