// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of the operators at one configuration.
//
// Inside the library a body has a frame of its own choice, F; the operators speak of the frame of
// the caller, C, the node `origin`, at a constant pose X_FC. A motion passes from F to C by
// phi*(F,C), a force by the inverse of its transpose, phi(C,F).                            (OPR-2)
#include "base/symmetric.h"
#include "blocks.h"
#include "dynamics/tree/steps.h"
#include "model/numbers.h"

static const lb_pose *get_frame(const lb_model *model, int k)
{
    return &model->infos[model->bodies[k].listed].nodes[0].X;
}

static lb_vec6 read_vec6(const double *x)
{
    return lb_vec6_make(lb_vec3_from(x), lb_vec3_from(x + 3));
}

static void write_vec6(lb_vec6 a, double *x)
{
    lb_vec3_to(a.w, x);
    lb_vec3_to(a.v, x + 3);
}

// The r-th of a stack of unit vectors: modes, then angular and linear.
static lb_vec6 set_unit(int mode_count, int r, double *modes)
{
    for (int i = 0; i < mode_count; ++i) {
        modes[i] = i == r;
    }
    double six[6] = {0};
    if (r >= mode_count) {
        six[r - mode_count] = 1.0;
    }
    return read_vec6(six);
}

// From parent to child                                                                  (OPR-3)
//
//     Phi(p,k) = A(p) B(p,k) = [ 0  Pi^t* phi(t,k) ] = [ 0  Pi^t_F* phi(p,k) ]
//                              [ 0  phi(p,k)       ]   [ 0  phi(p,k)         ]
//
// given     the poses of (KIN-1), by which Phi* carries a motion of p (modes included) to k
// computes  the last six columns of Phi(p,k): row r is the motion of k for the r-th unit motion
//           of p
static void compute_Phi(const lb_model *model, const lb_work *work, int k, lb_op_work *operators)
{
    const int p = model->bodies[k].parent, modes = p >= 0 ? model->bodies[p].mode_count : 0;
    const lb_pose *X_k = get_frame(model, k);
    for (int r = 0; p >= 0 && r < modes + 6; ++r) {
        const lb_pose back = lb_pose_inverse(get_frame(model, p));
        double *eta = operators->block;
        const lb_vec6 V_p = lb_pose_carry_motion(&back, set_unit(modes, r, eta));
        const lb_vec6 V_k = lb_carry_motion(model, work, k, V_p, eta);
        write_vec6(lb_pose_carry_motion(X_k, V_k), operators->bodies[k].Phi + 6 * r);
    }
}

// Hinge and modes                                                                       (OPR-5)
//
//     H(k) = [ I  -Pi^d_F* ]
//            [ 0   H_F     ]
static void compute_H(const lb_model *model, const lb_work *work, int k, lb_op_body *o)
{
    const lb_body *b = &model->bodies[k];
    const lb_pose *X = get_frame(model, k);
    const int m = b->mode_count;
    memset(o->H, 0, (size_t)(o->n * o->N) * sizeof(double));
    for (int r = 0; r < m; ++r) {
        o->H[r * o->N + r] = 1.0;
        if (b->moving) {
            const lb_vec6 Pi = lb_pose_carry_motion(X, work->flex[b->flex_index].Pi_d[r]);
            write_vec6(lb_vec6_sub(lb_vec6_zero(), Pi), o->H + r * o->N + m);
        }
    }
    for (int i = 0; i < b->nv; ++i) {
        const lb_vec6 column = lb_pose_carry_motion(X, work->H[b->dof + i]);
        write_vec6(column, o->H + (m + i) * o->N + m);
    }
}

// Modal mass matrix                                                                     (OPR-6)
//
//     M(k) = [ M_ff  M_fr ]
//            [ M_rf  M_rr ]
static void compute_M(const lb_model *model, const lb_work *work, int k, lb_op_body *o)
{
    const lb_flex_work *f = lb_get_flex(model, work, k);
    const lb_inertia *M_rr = lb_get_inertia(model, work, k);
    const int m = model->bodies[k].mode_count, N = o->N;
    const lb_pose back = lb_pose_inverse(get_frame(model, k)); // F in C
    for (int r = 0; r < m; ++r) {
        for (int s = 0; s < m; ++s) {
            o->M[r * N + s] = f->M_ff[r * m + s];
        }
        double *row = o->M + r * N + m;
        write_vec6(lb_pose_carry_force(&back, f->M_rf[r]), row);
        for (int i = 0; i < 6; ++i) {
            o->M[(m + i) * N + r] = row[i];
        }
    }
    for (int i = 0; i < 6; ++i) {
        const lb_vec6 V = lb_pose_carry_motion(&back, set_unit(0, i, NULL));
        write_vec6(lb_pose_carry_force(&back, lb_inertia_mul(M_rr, V)), o->M + (m + i) * N + m);
    }
}

// A(p) += Phi(p,k) S Phi*(p,k), S the last six rows and columns of an inertia of k: the others meet
// the zeros of Phi.
static void give_inertia(const lb_op_body *o, double *A_p, int N_p, const double *S, int stride,
                         double *scratch)
{
    for (int r = 0; r < N_p; ++r) {
        double *SPhi = scratch + 6 * r;
        memset(SPhi, 0, 6 * sizeof *SPhi);
        lb_op_add_product(6, 6, S, stride, o->Phi + 6 * r, SPhi);
    }
    for (int r = 0; r < N_p; ++r) {
        lb_op_add_product(N_p, 6, scratch, 6, o->Phi + 6 * r, A_p + r * N_p);
    }
}

// Composite bodies                                                                      (OPR-8)
//
//     R(k) = M(k) + sum over children j of  Phi(k,j) R(j) Phi*(k,j)          tip to base
static void compute_R(lb_op_work *operators)
{
    for (int k = 0; k < operators->body_count; ++k) {
        lb_op_body *o = &operators->bodies[k];
        memcpy(o->R, o->M, (size_t)(o->N * o->N) * sizeof(double));
    }
    for (int k = operators->body_count - 1; k >= 0; --k) {
        const lb_op_body *o = &operators->bodies[k];
        if (o->parent >= 0) {
            lb_op_body *p = &operators->bodies[o->parent];
            const double *R_rr = o->R + (o->N - 6) * (o->N + 1);
            give_inertia(o, p->R, p->N, R_rr, o->N, operators->block);
        }
    }
}

// Articulated body, at one body                                                        (OPR-10)
//
//     D = H P H*,   G = P H* D^-1,   tau_bar = I - G H
//
// given     P, whole
// computes  D and its factors, G, tau_bar
//
// A pivot is singular when it is lost in the round-off of the products that made it.
//
// Source: Jain and Rodriguez 1992, (51): modes and hinge together, where (ABA-1), (ABA-5) take one
// after the other.
static lb_status eliminate(lb_op_work *operators, lb_op_body *o, int *bad)
{
    const int N = o->N, n = o->n;
    double *threshold = operators->block;
    lb_status status = LB_OK;

    // G = P H* for now, then D = H P H*
    memset(o->G, 0, (size_t)(N * n) * sizeof(double));
    memset(o->D, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < N; ++i) {
        lb_op_add_product(n, N, o->H, N, o->P + i * N, o->G + i * n);
    }
    for (int i = 0; i < n; ++i) {
        lb_add_transposed_image(N, n, 1.0, o->G, o->H + i * N, o->D + i * n);
        // |H| |P| |H*|
        threshold[i] = 0.0;
        for (int a = 0; a < N; ++a) {
            for (int b = 0; b < N && o->H[i * N + a] != 0.0; ++b) {
                threshold[i] += 1e-14 * fabs(o->H[i * N + a] * o->P[a * N + b] * o->H[i * N + b]);
            }
        }
    }
    memcpy(o->D_factor, o->D, (size_t)(n * n) * sizeof(double));
    *bad = lb_factor_ldl(n, o->D_factor, n, threshold);
    if (*bad >= 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < n && status == LB_OK; ++i) {
        if (o->D_factor[i * n + i] < 0) {
            status = LB_NEWS_INDEFINITE;
            *bad = i;
        }
    }

    // rows of G = P H* D^-1 are solutions, D being symmetric
    for (int i = 0; i < N; ++i) {
        lb_solve_ldl(n, o->D_factor, n, o->G + i * n);
    }
    for (int i = 0; i < N; ++i) {
        double *row = o->tau_bar + i * N;
        memset(row, 0, (size_t)N * sizeof(double));
        lb_add_transposed_image(n, N, 1.0, o->H, o->G + i * n, row);
        for (int j = 0; j < N; ++j) {
            row[j] = (i == j) - row[j];
        }
    }
    return status;
}

// Articulated bodies                                                                   (OPR-10)
//
//     P(k) = M(k) + sum over children j of  Phi(k,j) P+(j) Phi*(k,j),   P+ = tau_bar P
//
// tip to base, each body by `eliminate`. With K = E_Phi G these blocks make the factors of the mass
// matrix (OPR-12), their inverses (OPR-13) and with them its inverse (OPR-14), as expressions.
static lb_status compute_P(const lb_model *model, lb_work *work, lb_op_work *operators)
{
    lb_status status = LB_OK;
    for (int k = 0; k < operators->body_count; ++k) {
        lb_op_body *o = &operators->bodies[k];
        memcpy(o->P, o->M, (size_t)(o->N * o->N) * sizeof(double));
    }
    for (int k = operators->body_count - 1; k >= 0; --k) {
        lb_op_body *o = &operators->bodies[k];
        int bad;
        const lb_status own = eliminate(operators, o, &bad);
        if (own != LB_OK) {
            lb_set_bad_inertia(work, &model->bodies[k], bad);
            status = own;
        }
        if (own < LB_OK) {
            return own;
        }
        if (o->parent >= 0) {
            // the last six rows and columns of P+; symmetric but for round-off, so keep it so
            lb_op_body *p = &operators->bodies[o->parent];
            const int N = o->N, m = N - 6;
            double P_plus[36] = {0};
            for (int i = 0; i < 6; ++i) {
                lb_op_add_product(6, N, o->P + m * N, N, o->tau_bar + (m + i) * N, P_plus + 6 * i);
            }
            for (int i = 0; i < 6; ++i) {
                for (int j = 0; j < i; ++j) {
                    P_plus[6 * i + j] = P_plus[6 * j + i] =
                        0.5 * (P_plus[6 * i + j] + P_plus[6 * j + i]);
                }
            }
            give_inertia(o, p->P, p->N, P_plus, 6, operators->block);
        }
    }
    return status;
}

// Admittance of the frames                                                             (OPR-17)
//
//     Upsilon(k) = H* D^-1 H + Psi*(p,k) Upsilon(p) Psi(p,k),   Psi(p,k) = Phi(p,k) tau_bar(k)
//
// base to tip. Source: Rodriguez, Jain and Kreutz-Delgado 1989, the recursion after (.42); for
// trees.
static void compute_Upsilon(lb_op_work *operators)
{
    double *scratch = operators->block;
    for (int k = 0; k < operators->body_count; ++k) {
        lb_op_body *o = &operators->bodies[k];
        const int N = o->N, n = o->n, m = N - 6;
        memset(o->Upsilon, 0, (size_t)(N * N) * sizeof(double));

        // column b of D^-1 H, then H* times it
        for (int b = 0; b < N; ++b) {
            for (int i = 0; i < n; ++i) {
                scratch[i] = o->H[i * N + b];
            }
            lb_solve_ldl(n, o->D_factor, n, scratch);
            lb_add_transposed_image(n, N, 1.0, o->H, scratch, o->Upsilon + b * N);
        }
        if (o->parent < 0) {
            continue;
        }
        // S = Phi* Upsilon(p) Phi, then tau_bar_r* S tau_bar_r
        const lb_op_body *p = &operators->bodies[o->parent];
        double S[36] = {0};
        for (int r = 0; r < p->N; ++r) {
            double row[6] = {0};
            lb_add_transposed_image(p->N, 6, 1.0, o->Phi, p->Upsilon + r * p->N, row);
            for (int i = 0; i < 6; ++i) {
                for (int j = 0; j < 6; ++j) {
                    S[6 * i + j] += o->Phi[6 * r + i] * row[j];
                }
            }
        }
        const double *tau_r = o->tau_bar + m * N; // its last six rows
        for (int b = 0; b < N; ++b) {
            double column[6], Sc[6] = {0};
            for (int i = 0; i < 6; ++i) {
                column[i] = tau_r[i * N + b];
            }
            lb_op_add_product(6, 6, S, 6, column, Sc);
            lb_add_transposed_image(6, N, 1.0, tau_r, Sc, o->Upsilon + b * N);
        }
    }
}

lb_status lb_compute_operators(const lb_model *model, lb_work *work, const double *q,
                               lb_op_work *operators)
{
    operators->has = 0;
    const lb_status moved = lb_compute_kinematics(model, work, q, NULL, NULL);
    if (moved < LB_OK) {
        return moved;
    }
    lb_update_inertia(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        compute_Phi(model, work, k, operators);
        compute_H(model, work, k, &operators->bodies[k]);
        compute_M(model, work, k, &operators->bodies[k]);
    }
    compute_R(operators);
    lb_op_place_picks(model, work, operators);
    operators->has = LB_OP_HAS_PLAIN;
    const lb_status status = compute_P(model, work, operators);
    if (status >= LB_OK) {
        compute_Upsilon(operators);
        operators->has |= LB_OP_HAS_ARTICULATED;
    }
    return status;
}

// Bias accelerations and forces                                                         (OPR-9)
//
//     beta = (0, w x (w x l))          l from F to C: alpha_C = phi*(F,C) alpha_F + beta
//     a_C  = phi*(F,C) a_F + beta - Phi* beta(p)
//     b_C  = phi(C,F) b_F - M_C beta
//
// given     a_F by (KIN-3); b_F by (KIN-5), or that of a flexible body with elastic and damping
//           forces
// computes  a_m, b_m of the frames C; those on the ground also feel it accelerate against gravity.
//           They are all that forward dynamics by operators, (OPR-15), needs beside T
static void compute_bias(const lb_model *model, lb_work *work, lb_op_work *operators)
{
    double *a_m = operators->a_m, *b_m = operators->b_m;
    double *beta = operators->vectors[0];
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_inertia(model, work, k, 1);
        const lb_op_body *o = &operators->bodies[k];
        const lb_body *b = &model->bodies[k];
        const lb_body_work *w = &work->bodies[k];
        const lb_flex_work *f = lb_get_flex(model, work, k);
        const lb_pose *X = get_frame(model, k), back = lb_pose_inverse(X);
        const int m = b->mode_count;
        double *a = a_m + o->at, *force = b_m + o->at, *own = beta + o->at;

        // w x (w x l) in the axes of C
        const lb_vec3 pull = lb_vec3_cross(w->V.w, lb_vec3_cross(w->V.w, X->p));
        memset(own, 0, (size_t)o->N * sizeof(double));
        lb_vec3_to(lb_mat3_tmul_vec(&X->R, pull), own + m + 3);

        lb_vec6 a_F = w->a;
        if (b->parent < 0) {
            a_F = lb_vec6_add(a_F, lb_carry_motion(model, work, k, work->bodies[-1].alpha, NULL));
        }
        memset(a, 0, (size_t)m * sizeof(double));
        write_vec6(lb_vec6_add(lb_pose_carry_motion(X, a_F), read_vec6(own + m)), a + m);
        if (o->parent >= 0) {
            const lb_op_body *p = &operators->bodies[o->parent];
            double carried[6] = {0};
            lb_add_transposed_image(p->N, 6, 1.0, o->Phi, beta + p->at, carried);
            write_vec6(lb_vec6_sub(read_vec6(a + m), read_vec6(carried)), a + m);
        }

        const lb_vec6 b_F = f ? f->b_r : lb_get_gyroscopic_force(&b->M, w->V.w);
        for (int r = 0; r < m; ++r) {
            force[r] = f->b_f[r];
        }
        write_vec6(lb_pose_carry_force(&back, b_F), force + m);
        double *Mbeta = operators->vectors[1];
        memset(Mbeta, 0, (size_t)o->N * sizeof(double));
        lb_op_add_product(o->N, o->N, o->M, o->N, own, Mbeta);
        for (int r = 0; r < o->N; ++r) {
            force[r] -= Mbeta[r];
        }
    }
    work->has |= LB_HAS_INERTIA;
}

// nu = D^-1 (T - H Psi (K T + P a_m + b_m))                                            (OPR-27)
static lb_status compute_nu(const lb_model *model, lb_op_work *operators)
{
    double *x = operators->vectors[4], *y = operators->vectors[5], *nu = operators->nu;
    lb_status status = lb_op_apply(model, operators, LB_OP_K, LB_OP_PLAIN, operators->T, x);
    status = status < 0 ? status
                        : lb_op_apply(model, operators, LB_OP_P, LB_OP_PLAIN, operators->a_m, y);
    for (int i = 0; i < operators->sizes[LB_OP_SPACE_BODY] && status >= 0; ++i) {
        x[i] += y[i] + operators->b_m[i];
    }
    status = status < 0 ? status : lb_op_apply(model, operators, LB_OP_PSI, LB_OP_PLAIN, x, y);
    status = status < 0 ? status : lb_op_apply(model, operators, LB_OP_H, LB_OP_PLAIN, y, x);
    for (int i = 0; i < model->v_count && status >= 0; ++i) {
        x[i] = operators->T[i] - x[i];
    }
    return status < 0 ? status : lb_op_apply(model, operators, LB_OP_D, LB_OP_INVERTED, x, nu);
}

lb_status lb_compute_operator_motion(const lb_model *model, lb_work *work, const double *q,
                                     const double *v, const double *tau, lb_op_work *operators)
{
    if (!(operators->has & LB_OP_HAS_PLAIN)) {
        return LB_E_STAGE;
    }
    operators->has &= ~(unsigned)LB_OP_HAS_MOTION;
    const size_t size = (size_t)model->v_count * sizeof(double);
    lb_status status = lb_check_state(model, work, q, v, "tau", tau);
    status = status < 0 ? status : lb_compute_kinematics(model, work, q, v, NULL);
    if (status < LB_OK) {
        return status;
    }
    memcpy(operators->beta, v, size);
    memset(operators->T, 0, size);
    if (tau) {
        memcpy(operators->T, tau, size);
    }
    compute_bias(model, work, operators);
    operators->has |= LB_OP_HAS_MOTION;
    return operators->has & LB_OP_HAS_ARTICULATED ? compute_nu(model, operators) : LB_OK;
}
