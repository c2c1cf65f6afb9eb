// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Geometry of loops: relative motion of two nodes, forces along the rows.
#include "loop_rows.h"

#include <string.h>

#include "loop_products.h"
#include "model/numbers.h"

// ---- ends --------------------------------------------------------------------------------------

// Pose of the body of an end: its place in the world, or seen from the root of the tree if both ends
// are of one. Only differences of places matter here.
static lb_pose get_frame(const lb_work *work, const lb_loop_slot *slot, int side)
{
    const int k = slot->k[side];
    return (lb_pose){work->X_0[k].R, slot->together ? work->x_root[k] : work->X_0[k].p};
}

lb_end_motion lb_get_end_place(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                               int side)
{
    const int k = slot->k[side];
    lb_update_world(model, work);
    const lb_pose place = lb_get_node_place(model, work, k, slot->node[side]);
    const lb_pose frame = get_frame(work, slot, side), X = lb_pose_mul(&frame, &place);
    return (lb_end_motion){X.R, X.p, lb_vec6_zero(), lb_vec6_zero()};
}

static lb_vec6 turn_to_world(const lb_mat3 *R, lb_vec6 a)
{
    return lb_vec6_make(lb_mat3_mul_vec(R, a.w), lb_mat3_mul_vec(R, a.v));
}

// Velocity of an end too, and its acceleration from alpha (gravity is in it, on both sides alike) or,
// with bias, at zero generalized acceleration. Needs lb_place_loop and linear velocities.
enum { WITH_VELOCITY, WITH_ACCELERATION, WITH_BIAS };

static lb_end_motion get_end_motion(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                                    int s, int what)
{
    const int k = slot->k[s];
    const lb_pose X = get_frame(work, slot, s);
    const lb_body_work *w = &work->bodies[k];
    const lb_vec3 l = slot->at[s].p;
    lb_end_motion out = {.R = slot->R_a, .x = lb_vec3_add(X.p, lb_mat3_mul_vec(&X.R, l))};
    lb_node_rates own = {lb_vec6_zero(), lb_vec6_zero()};
    if (model->bodies[k].flex) {
        own = lb_get_own_rates(model, work, k, slot->node[s]);
    }
    out.V = turn_to_world(&X.R, lb_get_node_velocity(w, l, &own));
    out.A = lb_vec6_zero();
    if (what == WITH_BIAS) {
        const lb_loop_end *end = &slot->loop.ends[s];
        double rate[6];
        (void)lb_compute_jacobian_rate(model, work, end->body, end->node, LB_AXES_WORLD, rate);
        out.A = lb_vec6_from(rate);
    } else if (what == WITH_ACCELERATION) {
        lb_vec6 A = {w->alpha.w, lb_vec3_add(w->alpha.v, lb_vec3_cross(w->alpha.w, l))};
        A = lb_vec6_add(A, lb_get_node_bias(w->V.w, l, &own));
        const lb_flex_work *f = lb_get_flex(model, work, k);
        if (f) {
            const int n = model->bodies[k].mode_count;
            A = lb_vec6_add(A, lb_get_node_rates(slot->node[s], n, f->eta_seen, f->eta_ddot).rate);
        }
        out.A = turn_to_world(&X.R, A);
    }
    return out;
}

// ---- relative motion ---------------------------------------------------------------------------

// Relative velocity, in the axes of node a                                              (CLO-1)
//
//     R_a'(w_b - w_a),   R_a'(v_b - v_a - w_a x d),   d = x_b - x_a
static lb_vec6 relative_velocity(const lb_end_motion *a, const lb_end_motion *b)
{
    const lb_vec3 d = lb_vec3_sub(b->x, a->x);
    const lb_vec3 u = lb_vec3_sub(lb_vec3_sub(b->V.v, a->V.v), lb_vec3_cross(a->V.w, d));
    return lb_vec6_make(lb_mat3_tmul_vec(&a->R, lb_vec3_sub(b->V.w, a->V.w)),
                        lb_mat3_tmul_vec(&a->R, u));
}

// Its rate                                                                              (CLO-2)
//
//     R_a'(alpha_b - alpha_a - w_a x (w_b - w_a)),
//     R_a'(a_b - a_a - alpha_a x d - w_a x (v_b - v_a) - w_a x u),   u = v_b - v_a - w_a x d
static lb_vec6 relative_acceleration(const lb_end_motion *a, const lb_end_motion *b)
{
    const lb_vec3 d = lb_vec3_sub(b->x, a->x), dv = lb_vec3_sub(b->V.v, a->V.v);
    const lb_vec3 u = lb_vec3_sub(dv, lb_vec3_cross(a->V.w, d));
    lb_vec3 angular = lb_vec3_sub(b->A.w, a->A.w);
    angular = lb_vec3_sub(angular, lb_vec3_cross(a->V.w, lb_vec3_sub(b->V.w, a->V.w)));
    lb_vec3 linear = lb_vec3_sub(b->A.v, a->A.v);
    linear = lb_vec3_sub(linear, lb_vec3_cross(a->A.w, d));
    linear = lb_vec3_sub(linear, lb_vec3_cross(a->V.w, lb_vec3_add(dv, u)));
    return lb_vec6_make(lb_mat3_tmul_vec(&a->R, angular), lb_mat3_tmul_vec(&a->R, linear));
}

// What the turning of a rod adds to the rate of its length: (u.u - (e.u)^2) / |d|       (CLO-6)
static double get_rod_bias(const lb_loop_slot *slot, lb_vec3 u)
{
    const lb_vec3 e = lb_vec3_from(slot->loop.W[0] + 3);
    const double along = lb_vec3_dot(e, u), d = lb_vec3_norm(slot->d);
    return d > 0 ? (lb_vec3_dot(u, u) - along * along) / d : 0.0;
}

void lb_enter_rows(const lb_loop *loop, const double six[6], double *x)
{
    for (int r = 0; r < loop->row_count; ++r) {
        x[r] = lb_dot6(loop->W[r], lb_vec6_from(six));
    }
}

void lb_leave_rows(const lb_loop *loop, const double *x, double six[6])
{
    for (int i = 0; i < 6; ++i) {
        six[i] = 0.0;
        for (int r = 0; r < loop->row_count; ++r) {
            six[i] += loop->W[r][i] * x[r];
        }
    }
}

// A coupler's relation with some vector in the order of v in place of the coordinates. (CLO-7)
static double relate(const lb_model *model, const lb_loop *loop, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < loop->term_count; ++i) {
        sum += loop->terms[i].factor *
               v[model->bodies[loop->terms[i].k].hinge_v + loop->terms[i].entry];
    }
    return sum;
}

double lb_relate_coordinates(const lb_model *model, const lb_loop *loop, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < loop->term_count; ++i) {
        sum += loop->terms[i].factor *
               q[model->bodies[loop->terms[i].k].hinge_q + loop->terms[i].entry];
    }
    return sum;
}

// A prescribed rate along the rows. Rods and couplers have it in the first entry.
static void subtract_motion(const lb_loop *loop, const double motion[6], double *x)
{
    if (loop->type == LB_LOOP_ROD || loop->type == LB_LOOP_COUPLER) {
        x[0] -= motion[0];
        return;
    }
    for (int r = 0; r < loop->row_count; ++r) {
        x[r] -= lb_dot6(loop->W[r], lb_vec6_from(motion));
    }
}

static void see(const lb_loop *loop, lb_vec6 relative, double *x)
{
    for (int r = 0; r < loop->row_count; ++r) {
        x[r] = lb_dot6(loop->W[r], relative);
    }
}

// The rate of what the rows see.
static void compute_rate(const lb_model *model, lb_work *work, const lb_loop_slot *slot, int what,
                         const double *a_v, double *x)
{
    if (slot->loop.type == LB_LOOP_COUPLER) {
        x[0] = a_v ? relate(model, &slot->loop, a_v) : 0.0;
    } else {
        const lb_end_motion a = get_end_motion(model, work, slot, 0, what);
        const lb_end_motion b = get_end_motion(model, work, slot, 1, what);
        see(&slot->loop, relative_acceleration(&a, &b), x);
        if (slot->loop.type == LB_LOOP_ROD) {
            x[0] += get_rod_bias(slot, relative_velocity(&a, &b).v);
        }
    }
    if (slot->moves) {
        subtract_motion(&slot->loop, slot->motion.acceleration, x);
    }
}

void lb_compute_acceleration_error(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                                   const double *a, double *x)
{
    compute_rate(model, work, slot, WITH_ACCELERATION, a, x);
}

// ---- forces ------------------------------------------------------------------------------------

// Row r as a force on the two bodies, about their frames: (m, f) = R_a W_r at x_b on b; the opposite
// on a, at the same point.
static void place_row(lb_loop_slot *slot, int r, const lb_pose X[2], lb_vec3 x_b)
{
    const double *W = slot->loop.W[r];
    const lb_vec3 m = lb_mat3_mul_vec(&slot->R_a, lb_vec3_from(W));
    const lb_vec3 f = lb_mat3_mul_vec(&slot->R_a, lb_vec3_from(W + 3));
    for (int s = 0; s < 2; ++s) {
        const lb_vec3 arm = lb_vec3_sub(x_b, X[s].p);
        const lb_vec3 moment = lb_vec3_add(m, lb_vec3_cross(arm, f));
        const double sign = s ? 1.0 : -1.0;
        slot->force[s][r] = lb_vec6_make(lb_vec3_scale(sign, lb_mat3_tmul_vec(&X[s].R, moment)),
                                         lb_vec3_scale(sign, lb_mat3_tmul_vec(&X[s].R, f)));
    }
}

// Where a node is in the frame of its body, and the influence of its modes there, referred to it.
static void place_node(const lb_model *model, const lb_work *work, lb_loop_slot *slot, int s)
{
    const int k = slot->k[s];
    const lb_flex_work *f = lb_get_flex(model, work, k);
    if (f) {
        const int n = model->bodies[k].mode_count;
        slot->at[s] = lb_place_flex_node(slot->node[s], n, f->eta_seen, slot->Pi[s]);
        for (int i = 0; i < n; ++i) {
            slot->Pi[s][i] = lb_refer_to_frame(slot->at[s].p, slot->Pi[s][i]);
        }
    }
}

// The direction of a rod, in the axes of a; of one without length there is none.
static void place_rod(lb_loop_slot *slot)
{
    const double d = lb_vec3_norm(slot->d);
    lb_vec3_to(d > 0 ? lb_vec3_scale(1.0 / d, slot->d) : lb_vec3_make(0, 0, 0),
               slot->loop.W[0] + 3);
}

void lb_place_loop(const lb_model *model, lb_work *work, lb_loop_slot *slot)
{
    if (slot->loop.type == LB_LOOP_COUPLER) {
        return;
    }
    place_node(model, work, slot, 0);
    place_node(model, work, slot, 1);
    const lb_pose X[2] = {get_frame(work, slot, 0), get_frame(work, slot, 1)};
    const lb_vec3 x_a = lb_vec3_add(X[0].p, lb_mat3_mul_vec(&X[0].R, slot->at[0].p));
    const lb_vec3 x_b = lb_vec3_add(X[1].p, lb_mat3_mul_vec(&X[1].R, slot->at[1].p));
    slot->R_a = lb_mat3_mul(&X[0].R, &slot->at[0].R);
    slot->d = lb_mat3_tmul_vec(&slot->R_a, lb_vec3_sub(x_b, x_a));
    if (slot->loop.type == LB_LOOP_ROD) {
        place_rod(slot);
    }
    for (int r = 0; r < slot->loop.row_count; ++r) {
        place_row(slot, r, X, x_b);
    }
}

void lb_place_loops(const lb_model *model, lb_work *work)
{
    lb_update_world(model, work);
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_loop_slot *slot = &work->loops->slots[l];
        if (slot->active) {
            lb_place_loop(model, work, slot);
        }
    }
}

void lb_clear_loop_forces(const lb_model *model, lb_work *work)
{
    lb_loop_work *loops = work->loops;
    memset(&loops->load[-1], 0, (size_t)(model->body_count + 1) * sizeof *loops->load);
    memset(loops->tau, 0, (size_t)model->v_count * sizeof *loops->tau);
}

void lb_add_loop_force(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                       const double *x)
{
    lb_loop_work *loops = work->loops;
    if (slot->loop.type == LB_LOOP_COUPLER) {
        for (int i = 0; i < slot->loop.term_count; ++i) {
            const lb_loop_term *t = &slot->loop.terms[i];
            loops->tau[model->bodies[t->k].hinge_v + t->entry] += t->factor * x[0];
        }
        return;
    }
    for (int s = 0; s < 2; ++s) {
        lb_vec6 f = lb_vec6_zero();
        for (int r = 0; r < slot->loop.row_count; ++r) {
            f = lb_vec6_axpy(f, x[r], slot->force[s][r]);
        }
        loops->load[slot->k[s]] = lb_vec6_add(loops->load[slot->k[s]], f);
        const lb_body *b = &model->bodies[slot->k[s]];
        for (int i = 0; slot->Pi[s] && slot->k[s] >= 0 && i < b->mode_count; ++i) {
            loops->tau[b->v + i] += lb_vec6_dot(slot->Pi[s][i], f);
        }
    }
}

void lb_collect_loop_forces(const lb_model *model, lb_work *work, const double *x)
{
    lb_clear_loop_forces(model, work);
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        if (slot->active) {
            lb_add_loop_force(model, work, slot, x + (ptrdiff_t)6 * l);
        }
    }
}

void lb_enter_all_rows(const lb_model *model, lb_work *work, const double *forces)
{
    lb_loop_work *loops = work->loops;
    lb_place_loops(model, work);
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_enter_rows(&loops->slots[l].loop, forces + (ptrdiff_t)6 * l,
                      loops->x + (ptrdiff_t)6 * l);
    }
}

lb_status lb_apply_loop_forces(const lb_model *model, lb_work *work, const double *forces,
                               double *tau)
{
    if (lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    if (!model->pattern) {
        return LB_OK;
    }
    lb_loop_work *loops = work->loops;
    const ptrdiff_t count = (ptrdiff_t)6 * model->pattern->count;
    lb_status status = lb_check_numbers(work, "forces", count, forces);
    status = status < 0 ? status : lb_check_numbers(work, "tau", model->v_count, tau);
    if (status < 0) {
        return status;
    }
    lb_enter_all_rows(model, work, forces);
    lb_collect_loop_forces(model, work, loops->x);
    for (int k = -1; k < model->body_count; ++k) {
        work->y[k] = loops->load[k];
    }
    for (int i = 0; i < model->v_count; ++i) {
        tau[i] += loops->tau[i];
    }
    lb_sweep_loads(model, work, tau);
    return LB_OK;
}

// ---- products ----------------------------------------------------------------------------------

// J x: motion of the frames for the speeds x, base to tip, then of the ends.
void lb_apply_rows(const lb_model *model, lb_work *work, const double *x, double *out)
{
    lb_loop_work *loops = work->loops;
    lb_vec6 *y = work->y;
    y[-1] = lb_vec6_zero();
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const double *eta = b->parent >= 0 ? x + model->bodies[b->parent].v : NULL;
        y[k] = lb_carry_motion(model, work, k, y[b->parent], eta);
        for (int i = 0; i < b->nv; ++i) {
            y[k] = lb_vec6_axpy(y[k], x[b->hinge_v + i], work->H[b->dof + i]);
        }
        for (int r = 0; b->moving && r < b->mode_count; ++r) {
            y[k] = lb_vec6_axpy(y[k], -x[b->v + r], work->flex[b->flex_index].Pi_d[r]);
        }
    }
    for (int l = 0; l < model->pattern->count; ++l, out += 6) {
        const lb_loop_slot *slot = &loops->slots[l];
        for (int r = 0; slot->active && r < slot->loop.row_count; ++r) {
            out[r] = 0.0;
            for (int s = 0; s < 2 && slot->loop.type != LB_LOOP_COUPLER; ++s) {
                const int k = slot->k[s];
                lb_vec6 V = y[k];
                for (int i = 0; k >= 0 && i < model->bodies[k].mode_count; ++i) {
                    V = lb_vec6_axpy(V, x[model->bodies[k].v + i], slot->Pi[s][i]);
                }
                out[r] += lb_vec6_dot(slot->force[s][r], V);
            }
        }
        if (slot->active && slot->loop.type == LB_LOOP_COUPLER) {
            out[0] = relate(model, &slot->loop, x);
        }
    }
}

void lb_compute_row_velocities(const lb_model *model, lb_work *work, const double *v, double *x)
{
    lb_apply_rows(model, work, v, x);
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        subtract_motion(&slot->loop, slot->motion.velocity, x + (ptrdiff_t)6 * l);
    }
}

double lb_get_motion_power(const lb_loop_slot *slot, const double *x)
{
    double zero[6] = {0}, sum = 0.0;
    subtract_motion(&slot->loop, slot->motion.velocity, zero);
    for (int r = 0; r < slot->loop.row_count; ++r) {
        sum -= zero[r] * x[r];
    }
    return sum;
}

void lb_leave_all_rows(const lb_model *model, const lb_work *work, const double *rows, double *out)
{
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        if (slot->active) {
            lb_leave_rows(&slot->loop, rows + (ptrdiff_t)6 * l, out + (ptrdiff_t)6 * l);
        } else {
            memset(out + (ptrdiff_t)6 * l, 0, 6 * sizeof *out);
        }
    }
}

lb_status lb_apply_loop_jacobian(const lb_model *model, lb_work *work, const double *x, double *y)
{
    if (lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_status status = lb_check_numbers(work, "x", model->v_count, x);
    if (status < 0) {
        return status;
    }
    if (model->pattern) {
        lb_place_loops(model, work);
        lb_apply_rows(model, work, x, work->loops->x);
        lb_leave_all_rows(model, work, work->loops->x, y);
    }
    return LB_OK;
}

int lb_get_active_row_count(const lb_model *model, const lb_work *work)
{
    int rows = 0;
    for (int l = 0; model->pattern && l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        rows += slot->active ? slot->loop.row_count : 0;
    }
    return rows;
}

lb_status lb_form_loop_jacobian(const lb_model *model, lb_work *work, double *J)
{
    if (lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    if (!model->pattern) {
        return LB_OK;
    }
    const ptrdiff_t n = model->v_count;
    lb_loop_work *loops = work->loops;
    lb_place_loops(model, work);
    for (ptrdiff_t c = 0; c < n; ++c) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            work->given[i] = i == c;
        }
        lb_apply_rows(model, work, work->given, loops->x);
        ptrdiff_t at = 0;
        for (int l = 0; l < model->pattern->count; ++l) {
            const lb_loop_slot *slot = &loops->slots[l];
            for (int r = 0; slot->active && r < slot->loop.row_count; ++r, ++at) {
                J[at * n + c] = loops->x[6 * l + r];
            }
        }
    }
    return LB_OK;
}

lb_status lb_compute_loop_bias(const lb_model *model, lb_work *work, double *bias)
{
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    if (model->pattern) {
        lb_place_loops(model, work);
        lb_update_velocity(model, work);
        for (int l = 0; l < model->pattern->count; ++l) {
            const lb_loop_slot *slot = &work->loops->slots[l];
            if (slot->active) {
                compute_rate(model, work, slot, WITH_BIAS, NULL, work->loops->x + (ptrdiff_t)6 * l);
            }
        }
        lb_leave_all_rows(model, work, work->loops->x, bias);
    }
    return LB_OK;
}
