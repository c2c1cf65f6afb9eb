// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics of many states by the articulated-body recursion.
#include "lane_steps.h"
#include "model/kernel_table.h"

// A lane whose pivot is lost in round-off or negative goes on with what it has; its state is then
// evaluated by itself, which says what there is to say.
LB_LANE_INLINE lb_states_bits find_bad(lb_states pivot, lb_states scale)
{
    return ~(pivot > 1e-14 * lb_lane_abs(scale));
}

// P_p += phi(p,k) P+ phi*(p,k) for a P+ whose third row and column are zero, as a revolute hinge
// leaves it: P+ = P - G (P z)*. See tree/revolute_steps.h. With `start`, P_p begins there.
LB_LANE_INLINE void hand_over_revolute(const lb_lane_sym6 *P, const lb_lane_vec6 *G,
                                       const lb_lane_pose *X, const lb_sym6 *start,
                                       lb_lane_sym6 *P_p)
{
    const lb_states x = P->J.xz, y = P->J.yz;
    const lb_lane_vec3 u = lb_lane_mat3_row(&P->H, 2);
    const lb_states Jxx = P->J.xx - G->w.x * x, Jxy = P->J.xy - G->w.x * y;
    const lb_states Jyy = P->J.yy - G->w.y * y;
    const lb_lane_vec3 h0 = lb_lane_vec3_axpy(lb_lane_mat3_row(&P->H, 0), -G->w.x, u);
    const lb_lane_vec3 h1 = lb_lane_vec3_axpy(lb_lane_mat3_row(&P->H, 1), -G->w.y, u);
    const lb_lane_sym3 M_plus = {P->M.xx - G->v.x * u.x, P->M.yy - G->v.y * u.y,
                                 P->M.zz - G->v.z * u.z, P->M.xy - G->v.x * u.y,
                                 P->M.xz - G->v.x * u.z, P->M.yz - G->v.y * u.z};
    const lb_lane_sym3 M = lb_lane_sym3_rotate(&X->R, M_plus);
    lb_lane_sym3_sum(&P_p->M, start ? &start->M : NULL, M);

    // turn: J = s0 r0' + s1 r1', H = r0 (R h0)' + r1 (R h1)'; then shift, row by row so that little
    // has to be kept at a time
    const lb_lane_mat3 *R = &X->R;
    const lb_lane_vec3 p = X->p;
    const lb_lane_vec3 r0 = {R->m[0][0], R->m[1][0], R->m[2][0]};
    const lb_lane_vec3 r1 = {R->m[0][1], R->m[1][1], R->m[2][1]};
    const lb_lane_vec3 g0 = lb_lane_mat3_mul_vec(R, h0), g1 = lb_lane_mat3_mul_vec(R, h1);

    const lb_lane_vec3 H0 = lb_lane_vec3_axpy(lb_lane_vec3_scale(r0.x, g0), r1.x, g1);
    const lb_lane_vec3 K0 = lb_lane_shift_row(0, p, H0, &M, start, P_p);
    const lb_states sx = Jxx * r0.x + Jxy * r1.x, tx = Jxy * r0.x + Jyy * r1.x;
    const lb_states Jxx_p = sx * r0.x + tx * r1.x + p.y * (H0.z + K0.z) - p.z * (H0.y + K0.y);

    const lb_lane_vec3 H1 = lb_lane_vec3_axpy(lb_lane_vec3_scale(r0.y, g0), r1.y, g1);
    const lb_lane_vec3 K1 = lb_lane_shift_row(1, p, H1, &M, start, P_p);
    const lb_states sy = Jxx * r0.y + Jxy * r1.y, ty = Jxy * r0.y + Jyy * r1.y;
    const lb_states Jyy_p = sy * r0.y + ty * r1.y + p.z * (H1.x + K1.x) - p.x * (H1.z + K1.z);
    const lb_states Jxy_p = sx * r0.y + tx * r1.y + p.y * H1.z + p.z * (K0.x - H1.y) - p.x * K0.z;

    const lb_lane_vec3 H2 = lb_lane_vec3_axpy(lb_lane_vec3_scale(r0.z, g0), r1.z, g1);
    const lb_lane_vec3 K2 = lb_lane_shift_row(2, p, H2, &M, start, P_p);
    const lb_states sz = Jxx * r0.z + Jxy * r1.z, tz = Jxy * r0.z + Jyy * r1.z;
    const lb_states Jzz_p = sz * r0.z + tz * r1.z + p.x * (H2.y + K2.y) - p.y * (H2.x + K2.x);
    const lb_states Jxz_p = sx * r0.z + tx * r1.z + p.y * (H2.z - K0.x) + p.x * K0.y - p.z * H2.y;
    const lb_states Jyz_p = sy * r0.z + ty * r1.z + p.z * H2.x + p.x * (K1.y - H2.z) - p.y * K1.x;
    lb_lane_sym3_sum(&P_p->J, start ? &start->J : NULL,
                     (lb_lane_sym3){Jxx_p, Jyy_p, Jzz_p, Jxy_p, Jxz_p, Jyz_p});
}

// P a for an a that does not turn about z
LB_LANE_INLINE lb_lane_vec6 bias_force_revolute(const lb_lane_sym6 *P, const lb_lane_vec6 *a)
{
    const lb_states x = a->w.x, y = a->w.y;
    const lb_lane_vec3 n = lb_lane_mat3_mul_vec(&P->H, a->v), f = lb_lane_sym3_mul_vec(P->M, a->v);
    return lb_lane_vec6_make(lb_lane_vec3_make(n.x + P->J.xx * x + P->J.xy * y,
                                               n.y + P->J.xy * x + P->J.yy * y,
                                               n.z + P->J.xz * x + P->J.yz * y),
                             lb_lane_vec3_make(f.x + P->H.m[0][0] * x + P->H.m[1][0] * y,
                                               f.y + P->H.m[0][1] * x + P->H.m[1][1] * y,
                                               f.z + P->H.m[0][2] * x + P->H.m[1][2] * y));
}

// The whole inward step (ABA-1), (ABA-2) of a revolute hinge.
static inline lb_states_bits pass_revolute_lanes(const lb_model *model, lb_batch_work *work, int k,
                                                 const lb_lane_rows *tau)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_body *w = &work->bodies[k];
    const lb_lane_sym6 *P = &w->P;
    const lb_states D = P->J.zz, d = 1.0 / D;
    lb_lane_vec6 G;
    G.w = lb_lane_vec3_make(d * P->J.xz, d * P->J.yz, lb_lane_spread(1.0));
    G.v = lb_lane_vec3_scale(d, lb_lane_mat3_row(&P->H, 2));
    work->G[b->dof] = G;
    lb_lane_vec6 z = lb_lane_vec6_add(w->z, bias_force_revolute(P, &w->a));
    const lb_states eps = lb_lane_read_or_zero(tau, b->hinge_v) - z.w.z;
    work->nu[b->dof] = eps * d;
    if (b->parent >= 0) {
        lb_lane_body *p = &work->bodies[b->parent];
        const lb_lane_pose X = lb_lane_get_simple_pose(b, w);
        z = lb_lane_vec6_axpy(z, eps, G);
        p->z = lb_lane_vec6_add(p->z, lb_lane_carry_force(&X, z));
        if (work->last_children[b->parent] == k) {
            const lb_sym6 start = lb_sym6_from_inertia(&model->bodies[b->parent].M);
            hand_over_revolute(P, &G, &X, &start, &p->P);
        } else {
            hand_over_revolute(P, &G, &X, NULL, &p->P);
        }
    }
    return find_bad(D, P->J.xx + P->J.yy + P->J.zz);
}

// D = L d L' in place, as lb_factor_ldl; returns the lanes with a pivot that is not well.
LB_LANE_INLINE lb_states_bits factor_ldl(int n, lb_states *A, const lb_states *scale)
{
    lb_states_bits bad = {0};
    for (int i = 0; i < n; ++i) {
        lb_states *row_i = A + i * n;
        for (int j = 1; j < i; ++j) {
            for (int k = 0; k < j; ++k) {
                row_i[j] -= row_i[k] * A[j * n + k];
            }
        }
        lb_states d = row_i[i];
        for (int k = 0; k < i; ++k) {
            const lb_states u = row_i[k];
            row_i[k] = u * A[k * n + k];
            d -= u * row_i[k];
        }
        bad |= find_bad(d, scale[i]);
        row_i[i] = 1.0 / d;
    }
    return bad;
}

// x := D^-1 x
LB_LANE_INLINE void solve_ldl(int n, const lb_states *A, lb_states *x)
{
    for (int i = 1; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= A[i * n + k] * x[k];
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] *= A[i * n + i];
    }
    for (int i = n - 1; i > 0; --i) {
        for (int k = 0; k < i; ++k) {
            x[k] -= A[i * n + k] * x[i];
        }
    }
}

// G = P H* D^-1, the factors of D = H P H*, and P+ = P - G D G*                          (ABA-1)
//
// @param P_plus  in: P
LB_LANE_INLINE lb_states_bits eliminate(int n, const lb_lane_vec6 *H, const lb_lane_sym6 *P,
                                        lb_lane_vec6 *G, lb_states *D, lb_lane_sym6 *P_plus)
{
    const lb_states turn = P->J.xx + P->J.yy + P->J.zz, shift = P->M.xx + P->M.yy + P->M.zz;
    lb_states scale[6];
    for (int i = 0; i < n; ++i) {
        G[i] = lb_lane_sym6_mul(P, H[i]);
        for (int j = 0; j <= i; ++j) {
            D[i * n + j] = lb_lane_vec6_dot(H[j], G[i]);
        }
        scale[i] =
            lb_lane_vec3_dot(H[i].w, H[i].w) * turn + lb_lane_vec3_dot(H[i].v, H[i].v) * shift;
    }
    const lb_states_bits bad = factor_ldl(n, D, scale);

    // W = U L'^-1, then G = W d^-1 and P - G W*, then the gains G L^-1
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            G[i] = lb_lane_vec6_axpy(G[i], -D[i * n + j], G[j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        const lb_lane_vec6 W = G[i];
        const lb_states d = D[i * n + i];
        G[i] = lb_lane_vec6_make(lb_lane_vec3_scale(d, W.w), lb_lane_vec3_scale(d, W.v));
        lb_lane_sym6_subtract_product(P_plus, G[i], W);
    }
    for (int i = n - 2; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            G[i] = lb_lane_vec6_axpy(G[i], -D[j * n + i], G[j]);
        }
    }
    return bad;
}

// The same at a free hinge, H* = I: D = P, G = I, and nothing is felt across it.
LB_LANE_INLINE lb_states_bits eliminate_free_lanes(const lb_lane_vec6 *H, const lb_lane_sym6 *P,
                                                   lb_lane_vec6 *G, lb_states *D)
{
    const lb_states turn = P->J.xx + P->J.yy + P->J.zz, shift = P->M.xx + P->M.yy + P->M.zz;
    const lb_states scale[6] = {turn, turn, turn, shift, shift, shift};
    const lb_states J[3][3] = {{P->J.xx}, {P->J.xy, P->J.yy}, {P->J.xz, P->J.yz, P->J.zz}};
    const lb_states M[3][3] = {{P->M.xx}, {P->M.xy, P->M.yy}, {P->M.xz, P->M.yz, P->M.zz}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            D[(i + 3) * 6 + j] = P->H.m[j][i];
        }
        for (int j = 0; j <= i; ++j) {
            D[i * 6 + j] = J[i][j];
            D[(i + 3) * 6 + j + 3] = M[i][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        G[i] = H[i];
    }
    return factor_ldl(6, D, scale);
}

// The whole inward step of any hinge.
static lb_states_bits pass_hinge_lanes(const lb_model *model, lb_batch_work *work, int k,
                                       const lb_lane_rows *tau)
{
    const lb_body *b = &model->bodies[k];
    const lb_lane_body *w = &work->bodies[k];
    const int n = b->nv;
    const lb_lane_vec6 *H = work->H + b->dof;
    lb_lane_vec6 *G = work->G + b->dof;
    lb_states *D = work->D + b->factor, *nu = work->nu + b->dof;
    lb_lane_sym6 P_plus = w->P;
    const lb_states_bits bad =
        n == 6 ? eliminate_free_lanes(H, &w->P, G, D) : eliminate(n, H, &w->P, G, D, &P_plus);
    lb_lane_vec6 z = lb_lane_vec6_add(w->z, lb_lane_sym6_mul(&w->P, w->a));
    for (int i = 0; i < n; ++i) {
        nu[i] = lb_lane_read_or_zero(tau, b->hinge_v + i) - lb_lane_vec6_dot(H[i], z);
    }
    for (int i = 0; i < n; ++i) {
        z = lb_lane_vec6_axpy(z, nu[i], G[i]);
    }
    solve_ldl(n, D, nu);
    if (b->parent >= 0) {
        lb_lane_body *p = &work->bodies[b->parent];
        p->z = lb_lane_vec6_add(p->z, lb_lane_carry_force(&w->X, z));
        if (work->last_children[b->parent] == k) {
            p->P = lb_lane_sym6_spread(&model->bodies[b->parent].M);
        }
        if (n < 6) {
            lb_lane_sym6_add_carried(&p->P, &w->X, &P_plus);
        }
    }
    return bad;
}

// Accelerations of one hinge and body                                                   (ABA-3)
LB_LANE_INLINE void step_acceleration(const lb_body *b, lb_batch_work *work, lb_lane_body *w,
                                      const lb_lane_rows_out *a)
{
    const lb_lane_pose X = lb_lane_get_pose(b, w);
    const lb_lane_vec6 carried = lb_lane_carry_motion(&X, work->bodies[b->parent].alpha);
    lb_lane_vec6 alpha = lb_lane_vec6_add(carried, w->a);
    if (b->simple) {
        const lb_states x = work->nu[b->dof] - lb_lane_vec6_dot(work->G[b->dof], carried);
        lb_lane_write(a, b->hinge_v, x);
        alpha.w.z += x;
    }
    for (int i = 0; !b->simple && i < b->nv; ++i) {
        const lb_states x = work->nu[b->dof + i] - lb_lane_vec6_dot(work->G[b->dof + i], carried);
        lb_lane_write(a, b->hinge_v + i, x);
        alpha = lb_lane_vec6_axpy(alpha, x, work->H[b->dof + i]);
    }
    w->alpha = alpha;
}

// Several states                                                                    (ABA-1)..(ABA-3)
//
// @param bad  out: the lanes whose states must be evaluated by themselves
static void compute_forward(const lb_model *model, lb_batch_work *work, const lb_lane_rows *q,
                            const lb_lane_rows *v, const lb_lane_rows *tau,
                            const lb_lane_rows_out *a, lb_states_bits *bad)
{
    lb_lane_compute_angles(model, work, q, 0);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_lane_body *w = &work->bodies[k];
        const lb_lane_vec3 *w_parent = &work->bodies[b->parent].w;
        const lb_lane_inertia M = lb_lane_inertia_spread(&b->M);
        lb_lane_step_position(model, work, k, q);
        if (b->simple) {
            lb_lane_step_velocity_simple(b, w, w_parent, v);
        } else {
            lb_lane_step_velocity_any(b, w, w_parent, work->H + b->dof, v);
        }
        if (work->last_children[k] < 0) {
            // where there are children, the first to hand over writes it
            w->P = lb_lane_sym6_spread(&b->M);
        }
        w->z = lb_lane_get_gyroscopic_force(&M, w->w);
    }
    *bad = (lb_states_bits){0};
    for (int k = model->body_count - 1; k >= 0; --k) {
        *bad |= model->bodies[k].simple ? pass_revolute_lanes(model, work, k, tau)
                                        : pass_hinge_lanes(model, work, k, tau);
    }
    for (int k = 0; k < model->body_count; ++k) {
        step_acceleration(&model->bodies[k], work, &work->bodies[k], a);
    }
}

// One state by itself; keeps the first of the worst that happens in a batch.
static lb_status compute_one(const lb_model *model, lb_batch_work *work, int state, const double *q,
                             const double *v, const double *tau, double *a, lb_status before)
{
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    lb_work *single = work->single;
    const int body = single->bad_inertia_body, offset = single->bad_inertia_offset;
    const lb_status status =
        model->kernels->forward_dynamics(model, single, q + state * nq, v + state * nv,
                                         tau ? tau + state * nv : NULL, a + state * nv);
    for (int i = 0; status < LB_OK && i < nv; ++i) {
        a[state * nv + i] = NAN;
    }
    if ((status < LB_OK && before >= LB_OK) || (status > LB_OK && before == LB_OK)) {
        work->bad_inertia_state = state;
        return status;
    }
    single->bad_inertia_body = body;
    single->bad_inertia_offset = offset;
    return before;
}

lb_status lb_run_forward_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                        const double *q, const double *v, const double *tau,
                                        double *a)
{
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    lb_status status = LB_OK;
    if (!lb_has_lanes(model)) {
        for (int i = 0; i < count; ++i) {
            status = compute_one(model, work, i, q, v, tau, a, status);
        }
        return status;
    }
    for (int i = 0; i < count; i += LB_STATES) {
        const lb_lane_rows rows_q = lb_lane_get_rows(q, nq, i, count);
        const lb_lane_rows rows_v = lb_lane_get_rows(v, nv, i, count);
        const lb_lane_rows rows_tau = lb_lane_get_rows(tau, nv, i, count);
        const lb_lane_rows_out rows_a = lb_lane_get_rows_out(a, nv, i, count);
        lb_states_bits bad;
        compute_forward(model, work, &rows_q, &rows_v, &rows_tau, &rows_a, &bad);
        for (int j = 0; lb_lane_any(bad) && j < LB_STATES && i + j < count; ++j) {
            if (bad[j]) {
                status = compute_one(model, work, i + j, q, v, tau, a, status);
            }
        }
    }
    return status;
}
