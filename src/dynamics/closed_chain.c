// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints: relative motion of two nodes, admittance of all closures, multipliers.
#include "limber/loops.h"

#include <string.h>

#include "../base/symmetric.h"
#include "../model/rotation.h"
#include "node_motion.h"

// Motion of one end of a loop, in the world.
typedef struct end {
    lb_mat3 R;
    lb_vec3 x;
    lb_vec6 V; // zero unless velocities were asked for
} end;

static lb_status find_end(const lb_model *model, lb_work *work, const lb_loop_end *from,
                          int velocity, end *out)
{
    const lb_node *node = lb_get_node(model, from->body, from->node);
    const int k = from->body == LB_GROUND ? -1 : model->infos[from->body].sweep;
    lb_update_world(model, work);
    const lb_pose place = lb_get_node_place(model, work, k, node);
    const lb_pose X = lb_pose_mul(&work->X_0[k], &place);
    out->R = X.R;
    out->x = X.p;
    out->V = lb_vec6_zero();
    if (velocity) {
        lb_update_velocity(model, work);
        const lb_node_rates own = lb_get_own_rates(model, work, k, node);
        const lb_vec6 V = lb_get_node_velocity(&work->bodies[k], place.p, &own);
        const lb_mat3 *R = &work->X_0[k].R;
        out->V = lb_vec6_make(lb_mat3_mul_vec(R, V.w), lb_mat3_mul_vec(R, V.v));
    }
    return LB_OK;
}

// Relative velocity, in the axes of node a                                              (CLO-1)
//
//     R_a'(w_b - w_a),   R_a'(v_b - v_a - w_a x d),   d = x_b - x_a
static lb_vec6 relative_velocity(const end *a, const end *b)
{
    const lb_vec3 d = lb_vec3_sub(b->x, a->x);
    const lb_vec3 u = lb_vec3_sub(lb_vec3_sub(b->V.v, a->V.v), lb_vec3_cross(a->V.w, d));
    return lb_vec6_make(lb_mat3_tmul_vec(&a->R, lb_vec3_sub(b->V.w, a->V.w)),
                        lb_mat3_tmul_vec(&a->R, u));
}

// Its rate at zero generalized acceleration                                             (CLO-2)
//
//     R_a'(alpha_b - alpha_a - w_a x (w_b - w_a)),
//     R_a'(a_b - a_a - alpha_a x d - w_a x (v_b - v_a) - w_a x u),   u = v_b - v_a - w_a x d
static lb_vec6 relative_bias(const end *a, const end *b, const lb_vec6 *bias_a,
                             const lb_vec6 *bias_b)
{
    const lb_vec3 d = lb_vec3_sub(b->x, a->x), dv = lb_vec3_sub(b->V.v, a->V.v);
    const lb_vec3 u = lb_vec3_sub(dv, lb_vec3_cross(a->V.w, d));
    lb_vec3 angular = lb_vec3_sub(bias_b->w, bias_a->w);
    angular = lb_vec3_sub(angular, lb_vec3_cross(a->V.w, lb_vec3_sub(b->V.w, a->V.w)));
    lb_vec3 linear = lb_vec3_sub(bias_b->v, bias_a->v);
    linear = lb_vec3_sub(linear, lb_vec3_cross(bias_a->w, d));
    linear = lb_vec3_sub(linear, lb_vec3_cross(a->V.w, lb_vec3_add(dv, u)));
    return lb_vec6_make(lb_mat3_tmul_vec(&a->R, angular), lb_mat3_tmul_vec(&a->R, linear));
}

static double dot6(const double w[6], lb_vec6 x)
{
    return w[0] * x.w.x + w[1] * x.w.y + w[2] * x.w.z + w[3] * x.v.x + w[4] * x.v.y + w[5] * x.v.z;
}

// Pieces of the caller's scratch, m rows in all and n speeds.
typedef struct pieces {
    double *J;               // m x n
    double *S;               // M^-1 J', m x n
    double *Lambda;          // m x m, then its eigenvectors
    double *values;          // m
    double *rhs, *force;     // m
    double *node_a, *node_b; // 6 x n each
} pieces;

static size_t lay_out(const lb_model *model, double *scratch, pieces *p)
{
    const size_t m = (size_t)model->loop_rows, n = (size_t)model->v_count;
    const size_t sizes[] = {m * n, m * n, 2 * m * m, m, m, m, 6 * n, 6 * n};
    double **const places[] = {&p->J,   &p->S,     &p->Lambda, &p->values,
                               &p->rhs, &p->force, &p->node_a, &p->node_b};
    size_t used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        *places[i] = scratch ? scratch + used : NULL;
        used += sizes[i];
    }
    return used;
}

size_t lb_get_loop_scratch_count(const lb_model *model)
{
    pieces p;
    return model->loop_count ? lay_out(model, NULL, &p) : 0;
}

// Rows of J for one loop: W [R_a'(Jw_b - Jw_a); R_a'(Jv_b - Jv_a + d~ Jw_a)]
static void form_rows(const lb_model *model, const lb_loop *loop, const end *a, const end *b,
                      const pieces *p)
{
    const ptrdiff_t n = model->v_count;
    const lb_vec3 d = lb_vec3_sub(b->x, a->x);
    for (ptrdiff_t c = 0; c < n; ++c) {
        const double *x = p->node_a + c, *y = p->node_b + c;
        const lb_vec3 wa = {x[0], x[n], x[2 * n]}, va = {x[3 * n], x[4 * n], x[5 * n]};
        const lb_vec3 wb = {y[0], y[n], y[2 * n]}, vb = {y[3 * n], y[4 * n], y[5 * n]};
        const end ea = {a->R, a->x, lb_vec6_make(wa, va)};
        const end eb = {b->R, lb_vec3_add(a->x, d), lb_vec6_make(wb, vb)};
        const lb_vec6 relative = relative_velocity(&ea, &eb);
        for (int i = 0; i < loop->row_count; ++i) {
            p->J[(loop->first_row + i) * n + c] = dot6(loop->W[i], relative);
        }
    }
}

// Rank decisions: the largest diagonal entry of the admittance of the two nodes, taken separately.
static double largest_admittance(const lb_model *model, lb_work *work, const lb_loop *loop)
{
    double largest = 0.0;
    for (int side = 0; side < 2; ++side) {
        const lb_loop_end *e = side ? &loop->b : &loop->a;
        double Y[36];
        (void)lb_compute_admittance(model, work, e->body, e->node, LB_AXES_WORLD, Y);
        for (int i = 0; i < 6; ++i) {
            largest = Y[7 * i] > largest ? Y[7 * i] : largest;
        }
    }
    return largest;
}

// Least-norm multipliers                                                                (CLO-4)
//
//     Lambda lambda = rhs by the eigenvectors of Lambda whose value exceeds the threshold
//
// Returns how many were dropped.
static int solve_least_norm(int m, const pieces *p, double threshold)
{
    double *vectors = p->Lambda + (ptrdiff_t)m * m;
    lb_compute_eigenvectors(m, p->Lambda, vectors);
    int dropped = 0;
    for (int i = 0; i < m; ++i) {
        p->force[i] = 0.0;
    }
    for (int e = 0; e < m; ++e) {
        const double value = p->Lambda[e * m + e];
        if (!(value > threshold)) {
            ++dropped;
            continue;
        }
        double along = 0.0;
        for (int i = 0; i < m; ++i) {
            along += vectors[i * m + e] * p->rhs[i];
        }
        for (int i = 0; i < m; ++i) {
            p->force[i] += vectors[i * m + e] * along / value;
        }
    }
    return dropped;
}

// Forward dynamics with loops                                                           (CLO-3)
//
//     A  a_f of the tree alone                    B  rhs = -(J a_f + g)
//     C  Lambda = J M^-1 J'                       D  lambda from Lambda lambda = rhs
//     E  a_d = M^-1 J' lambda                     F  a = a_f + a_d
//
// Source: Rodriguez, Jain and Kreutz-Delgado 1989, steps A to F; their f is -lambda. M^-1 J' is
// computed row by row, each O(N).
lb_status lb_compute_constrained_dynamics(const lb_model *model, lb_work *work, const double *q,
                                          const double *v, const double *tau, double *scratch,
                                          double *a, double *forces)
{
    lb_status status = lb_compute_forward_dynamics(model, work, q, v, tau, a);
    if (status < LB_OK || model->loop_count == 0) {
        return status;
    }
    const int m = model->loop_rows;
    const ptrdiff_t n = model->v_count;
    pieces p;
    (void)lay_out(model, scratch, &p);
    double threshold = 0.0;
    for (int l = 0; l < model->loop_count; ++l) {
        const lb_loop *loop = &model->loops[l];
        const lb_loop_end *ends[2] = {&loop->a, &loop->b};
        end e[2];
        lb_vec6 bias[2];
        for (int s = 0; s < 2; ++s) {
            double rate[6];
            (void)find_end(model, work, ends[s], 1, &e[s]);
            (void)lb_compute_jacobian(model, work, ends[s]->body, ends[s]->node, LB_AXES_WORLD,
                                      s ? p.node_b : p.node_a);
            (void)lb_compute_jacobian_rate(model, work, ends[s]->body, ends[s]->node, LB_AXES_WORLD,
                                           rate);
            bias[s] = lb_vec6_make(lb_vec3_from(rate), lb_vec3_from(rate + 3));
        }
        form_rows(model, loop, &e[0], &e[1], &p);
        const lb_vec6 g = relative_bias(&e[0], &e[1], &bias[0], &bias[1]);
        for (int i = 0; i < loop->row_count; ++i) {
            double sum = dot6(loop->W[i], g);
            for (ptrdiff_t c = 0; c < n; ++c) {
                sum += p.J[(loop->first_row + i) * n + c] * a[c];
            }
            p.rhs[loop->first_row + i] = -sum;
        }
        const double least = 1e-11 * largest_admittance(model, work, loop);
        threshold = least > threshold ? least : threshold;
    }
    for (int i = 0; i < m; ++i) {
        (void)lb_solve_mass_matrix(model, work, p.J + i * n, p.S + i * n);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (ptrdiff_t c = 0; c < n; ++c) {
                sum += p.J[i * n + c] * p.S[j * n + c];
            }
            p.Lambda[i * m + j] = p.Lambda[j * m + i] = sum;
        }
    }
    if (solve_least_norm(m, &p, threshold) > 0 && status == LB_OK) {
        status = LB_NEWS_REDUNDANT;
    }
    for (int i = 0; i < m; ++i) {
        for (ptrdiff_t c = 0; c < n; ++c) {
            a[c] += p.S[i * n + c] * p.force[i];
        }
    }
    for (int l = 0; l < model->loop_count && forces; ++l) {
        const lb_loop *loop = &model->loops[l];
        for (int i = 0; i < 6; ++i) {
            forces[6 * l + i] = 0.0;
            for (int r = 0; r < loop->row_count; ++r) {
                forces[6 * l + i] += loop->W[r][i] * p.force[loop->first_row + r];
            }
        }
    }
    // the motion in the workspace becomes the constrained one
    const lb_status again = lb_compute_kinematics(model, work, q, v, a);
    return again < LB_OK ? again : status;
}

// The part of a relative motion that the rows of a loop see: W' W x.
static void keep_constrained(const lb_loop *loop, lb_vec6 x, double out[6])
{
    for (int i = 0; i < 6; ++i) {
        out[i] = 0.0;
    }
    for (int r = 0; r < loop->row_count; ++r) {
        const double along = dot6(loop->W[r], x);
        for (int i = 0; i < 6; ++i) {
            out[i] += along * loop->W[r][i];
        }
    }
}

// Pose of b in a, as far as the loop forbids it                                         (CLO-5)
//
//     angular: log(R_a'R_b) where no turn is free, axis x (R_a'R_b axis) where one is
//     linear:  R_a'(x_b - x_a) along the constrained rows
static void position_error(const lb_loop *loop, const end *a, const end *b, double out[6])
{
    const lb_mat3 R_t = lb_mat3_transpose(&a->R), R = lb_mat3_mul(&R_t, &b->R);
    const lb_vec3 d = lb_mat3_tmul_vec(&a->R, lb_vec3_sub(b->x, a->x));
    lb_vec3 turn = {0, 0, 0};
    switch (loop->type) {
    case LB_LOOP_WELD:
    case LB_LOOP_PRISMATIC:
        turn = lb_quat_log(lb_quat_from_mat3(&R));
        break;
    case LB_LOOP_REVOLUTE:
    case LB_LOOP_CYLINDRICAL:
    case LB_LOOP_PLANAR:
        turn = lb_vec3_cross(loop->axis, lb_mat3_mul_vec(&R, loop->axis));
        break;
    default:
        break;
    }
    keep_constrained(loop, lb_vec6_make(lb_vec3_make(0, 0, 0), d), out);
    lb_vec3_to(turn, out);
}

lb_status lb_compute_loop_errors(const lb_model *model, lb_work *work, double *position,
                                 double *velocity)
{
    if (lb_need(work, LB_HAS_POSITION | (velocity ? LB_HAS_VELOCITY : 0)) != LB_OK) {
        return LB_E_STAGE;
    }
    for (int l = 0; l < model->loop_count; ++l) {
        const lb_loop *loop = &model->loops[l];
        end a, b;
        (void)find_end(model, work, &loop->a, velocity != NULL, &a);
        (void)find_end(model, work, &loop->b, velocity != NULL, &b);
        if (position) {
            position_error(loop, &a, &b, position + (ptrdiff_t)6 * l);
        }
        if (velocity) {
            keep_constrained(loop, relative_velocity(&a, &b), velocity + (ptrdiff_t)6 * l);
        }
    }
    return LB_OK;
}
