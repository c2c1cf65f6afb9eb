// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Displacements, stresses and forces of elements from the deformation of a body.
#include "signal_recovery.h"

#include "base/dense.h"
#include "limber/spatial.h"
#include "model/layout.h"

// ---- displacement ------------------------------------------------------------------------------

// Elastic displacement of a node in body axes                                           (RCV-3)
//
//     d = sum_r gamma_r eta_r + 1/2 sum_rs gamma2_rs eta_r eta_s
//
// and, in `slopes`, dd/d eta_r unless that is NULL
static lb_vec3 displace(const lb_model *model, const lb_signal *s, const double *q, lb_vec3 *slopes)
{
    lb_vec3 d = {0, 0, 0};
    const lb_node *node = lb_get_node(model, s->body, s->node);
    const lb_body *b = s->body == LB_GROUND ? NULL : lb_get_record(model, s->body);
    const int n = b ? b->mode_count : 0;
    if (n == 0) {
        return d;
    }
    const double *eta = q + b->q;
    // shapes are in the axes of the frame that the sweeps use
    const lb_mat3 R = lb_mat3_transpose(&model->infos[s->body].nodes[0].X.R);
    for (int r = 0; r < n; ++r) {
        const lb_vec3 zero = {0, 0, 0};
        lb_vec3 first = node->shape ? node->shape[r].v : zero, second = zero;
        for (int t = 0; node->second && t < n; ++t) {
            // (r, t), r <= t, of a packed upper triangle
            const int low = r < t ? r : t, high = r < t ? t : r;
            second = lb_vec3_axpy(second, eta[t],
                                  node->second[low * n - low * (low - 1) / 2 + high - low]);
        }
        d = lb_vec3_axpy(d, eta[r], lb_vec3_axpy(first, 0.5, second));
        if (slopes) {
            slopes[r] = lb_mat3_mul_vec(&R, lb_vec3_add(first, second));
        }
    }
    return lb_mat3_mul_vec(&R, d);
}

double lb_get_elastic_displacement(const lb_signal *s, const lb_instant *at)
{
    double d[3];
    lb_vec3_to(displace(at->model, s, at->q, NULL), d);
    return s->index >= 0 ? d[s->index] : lb_compute_norm(3, d);
}

lb_status lb_add_displacement_slopes(const lb_signal *s, const lb_instant *at, lb_slope_work *work,
                                     double weight, const lb_slopes *out)
{
    const int n = s->body == LB_GROUND ? 0 : lb_get_mode_count(at->model, s->body);
    lb_vec3 *slopes = (lb_vec3 *)(void *)work->rows; // 3 v_count and more
    double d[3];
    lb_vec3_to(displace(at->model, s, at->q, slopes), d);
    const double norm = lb_compute_norm(3, d);
    work->undefined = work->undefined || (s->index < 0 && !(norm > 0));
    for (int r = 0; r < n; ++r) {
        double by[3];
        lb_vec3_to(slopes[r], by);
        const double slope = s->index >= 0 ? by[s->index]
                             : norm > 0    ? lb_compute_dot(3, d, by) / norm
                                           : 0.0;
        out->q[lb_get_v_offset(at->model, s->body) + r] += weight * slope;
    }
    return LB_OK;
}

// ---- recovery ----------------------------------------------------------------------------------

static const double *get_row(const double *rows, int width, int row)
{
    return rows + (size_t)row * (size_t)width;
}

// Mode displacement                                                                     (RCV-1)
//
//     y = A_m eta
double lb_get_recovered(const lb_signal *s, const lb_instant *at)
{
    const lb_recovery *r = at->model->infos[s->body].recovery;
    const int n = r->mode_count;
    const double *eta = at->q + lb_get_q_offset(at->model, s->body);
    return lb_compute_dot(n, get_row(r->modes, n, s->index), eta);
}

void lb_add_recovery_slopes(const lb_signal *s, const lb_instant *at, double weight,
                            const lb_slopes *out)
{
    const lb_recovery *r = at->model->infos[s->body].recovery;
    const int n = r->mode_count;
    lb_add_scaled(n, weight, get_row(r->modes, n, s->index),
                  out->q + lb_get_v_offset(at->model, s->body));
}
