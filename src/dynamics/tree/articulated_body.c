// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Articulated-body dynamics: the innovations factorisation of the mass matrix, forward and hybrid
// dynamics, and products with the inverse.
#include "base/symmetric.h"
#include "eliminate.h"
#include "model/modal/mode_update.h"
#include "steps.h"
#include "sweeps.h"

static lb_status eliminate_hinge(const lb_body *b, const lb_sym6 *P, lb_work *work, lb_sym6 *P_plus)
{
    int bad;
    const lb_status status = lb_eliminate_hinge(b, P, work, P_plus, &bad);
    if (status != LB_OK) {
        lb_set_bad_inertia(work, b, b->mode_count + bad);
    }
    return status;
}

// [J h~; -h~ m I], entry by entry: a copy of a struct that was just written would wait for it.
static inline void write_inertia(const lb_inertia *M, lb_sym6 *P)
{
    P->J.xx = M->J.xx;
    P->J.yy = M->J.yy;
    P->J.zz = M->J.zz;
    P->J.xy = M->J.xy;
    P->J.xz = M->J.xz;
    P->J.yz = M->J.yz;
    P->H.m[0][0] = P->H.m[1][1] = P->H.m[2][2] = 0;
    P->H.m[0][1] = -M->h.z;
    P->H.m[0][2] = M->h.y;
    P->H.m[1][0] = M->h.z;
    P->H.m[1][2] = -M->h.x;
    P->H.m[2][0] = -M->h.y;
    P->H.m[2][1] = M->h.x;
    P->M.xx = P->M.yy = P->M.zz = M->m;
    P->M.xy = P->M.xz = P->M.yz = 0;
}

// P of a body by itself: its own inertia, to which the children add theirs.
static void start_inertia(const lb_model *model, lb_work *work, int k)
{
    const lb_mode_update *update = model->bodies[k].update;
    if (update) {
        work->bodies[k].P = update->P_0;
        return;
    }
    write_inertia(lb_get_inertia(model, work, k), &work->bodies[k].P);
    lb_flex_work *f = lb_get_flex(model, work, k);
    for (int r = 0, n = model->bodies[k].mode_count; r < n; ++r) {
        f->P_rf[r] = f->M_rf[r];
        for (int s = 0; s <= r; ++s) {
            f->P_ff[r * n + s] = f->M_ff[r * n + s];
        }
    }
}

static void give_inertia(const lb_model *model, lb_work *work, int k, const lb_sym6 *P_plus)
{
    const lb_body *b = &model->bodies[k];
    if (b->at) {
        lb_give_joint_inertia(model, work, k, P_plus);
    } else {
        lb_sym6_add_carried(&work->bodies[b->parent].P, &work->bodies[k].X, P_plus);
    }
}

// Forces past the modes of a body                                                       (ABA-6)
//
//     eps_f = T_f - z_f + Pi^d_F* z,   nu_f = d^-1 L^-1 eps_f,   z_R = z + g eps_f
static lb_vec6 pass_modes(const lb_body *b, lb_work *work, const double *tau, lb_vec6 z)
{
    lb_flex_work *f = &work->flex[b->flex_index];
    for (int r = 0; r < b->mode_count; ++r) {
        LB_LANE(r, b->mode_count);
        const double own = b->moving ? lb_vec6_dot(f->Pi_d[r], z) : 0.0;
        f->nu_f[r] = (tau ? tau[b->v + r] : 0.0) - f->z_f[r] + own;
    }
    LB_LANE(0, 0);
    lb_vec6 z_R = z;
    lb_pass_modes(b, work, f->nu_f, &z_R);
    return z_R;
}

// Accelerations of the modes of a body                                                  (ABA-7)
//
//     eta_ddot = L*^-1 (nu_f - G_f* alpha_R),   alpha = alpha_R - Pi^d_F eta_ddot
//
// alpha_R is the acceleration that the frame would have without the modes' own.
static lb_vec6 return_to_modes(const lb_body *b, const lb_work *work, lb_vec6 alpha_R,
                               double *eta_ddot)
{
    const lb_flex_work *f = &work->flex[b->flex_index];
    for (int r = 0; r < b->mode_count; ++r) {
        eta_ddot[r] = f->nu_f[r] - lb_vec6_dot(f->P_rf[r], alpha_R);
    }
    lb_finish_modes(b, work, eta_ddot);
    lb_vec6 alpha = alpha_R;
    for (int r = 0; b->moving && r < b->mode_count; ++r) {
        alpha = lb_vec6_axpy(alpha, -eta_ddot[r], f->Pi_d[r]);
    }
    return alpha;
}

// A pivot of a revolute hinge: singular, negative, or well.
static inline lb_status judge_revolute(const lb_body *b, double d, lb_work *work)
{
    if (d > 0) {
        return LB_OK;
    }
    lb_set_bad_inertia(work, b, b->mode_count);
    return d < 0 ? LB_NEWS_INDEFINITE : LB_E_SINGULAR;
}

// The whole inward step (ABA-1), (ABA-2) of a revolute hinge between places that do not move.
static inline lb_status pass_revolute(const lb_body *b, lb_body_work *w, const double *tau,
                                      lb_work *work)
{
    lb_vec6 *G = work->G + b->dof;
    const double d = lb_revolute_eliminate(b, &w->P, G);
    const lb_status status = judge_revolute(b, d, work);
    if (status < LB_OK) {
        return status;
    }
    lb_vec6 z = lb_vec6_add(w->z, lb_revolute_bias_force(&w->P, &w->a));
    const double eps = (tau ? tau[b->hinge_v] : 0.0) - z.w.z;
    work->D[b->factor] = d;
    work->nu[b->dof] = eps * d;
    if (b->parent < 0) {
        return status; // the ground needs nothing
    }
    z = lb_vec6_axpy(z, eps, *G);
    lb_body_work *p = &work->bodies[b->parent];
    lb_revolute_hand_over(&w->P, G, &w->X, &p->P);
    p->z = lb_vec6_add(p->z, lb_pose_carry_force(&w->X, z));
    return status;
}

// Tip to base                                                                           (ABA-2)
//
//     P(k) = M_m(k) + sum over children j of  Phi(k,j) P+(j) Phi*(k,j)
//     z(k) = b_m(k) + K_m theta(k) + sum over children j of  Phi(k,j) z+(j)
//     modes past by (ABA-5), (ABA-6), then at the hinge
//     eps = T - H (z + P a),   nu = D^-1 eps,   z+ = z + P a + G eps
//
// and where the hinge is driven with beta_dot: P+ = P, z+ = z + P (a + H* beta_dot).
//
// Not inlined: the registers of the other sweeps would not be free here.
static __attribute__((noinline)) lb_status sweep_inwards(const lb_model *model, lb_work *work,
                                                         const unsigned char *driven,
                                                         const double *tau, const double *beta_dot)
{
    lb_status status = LB_OK;
    work->bodies[-1].P = (lb_sym6){0};
    work->bodies[-1].z = lb_vec6_zero();
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        const lb_vec6 *H = work->H + b->dof;
        lb_sym6 P_plus;
        lb_vec6 z_plus;
        LB_MARK(b, "ABA-2");

        if (b->mode_count) {
            status = lb_get_worse(status, lb_eliminate_modes(b, &w->P, work));
            if (status < LB_OK) {
                return status;
            }
            w->z = pass_modes(b, work, tau, w->z);
        }
        if (b->simple && !(driven && driven[b->listed])) {
            status = lb_get_worse(status, pass_revolute(b, w, tau, work));
            if (status < LB_OK) {
                return status;
            }
            continue;
        }
        if (driven && driven[b->listed]) {
            lb_vec6 a = w->a;
            for (int i = 0; i < b->nv; ++i) {
                a = lb_vec6_axpy(a, beta_dot[b->hinge_v + i], H[i]);
            }
            P_plus = w->P;
            z_plus = lb_vec6_add(w->z, lb_sym6_mul(&w->P, a));
        } else {
            status = lb_get_worse(status, eliminate_hinge(b, &w->P, work, &P_plus));
            if (status < LB_OK) {
                return status;
            }
            z_plus = lb_vec6_add(w->z, lb_sym6_mul(&w->P, w->a));
            double eps[6];
            for (int i = 0; i < b->nv; ++i) {
                eps[i] = (tau ? tau[b->hinge_v + i] : 0.0) - lb_vec6_dot(H[i], z_plus);
            }
            for (int i = 0; i < b->nv; ++i) {
                work->nu[b->dof + i] = eps[i];
                z_plus = lb_vec6_axpy(z_plus, eps[i], work->G[b->dof + i]);
            }
            lb_solve_ldl(b->nv, work->D + b->factor, b->nv, work->nu + b->dof);
        }
        give_inertia(model, work, k, &P_plus);
        lb_give_force(model, work, k, z_plus);
    }
    return status;
}

// Base to tip                                                                           (ABA-3)
//
//     alpha+ = Phi*(p,k) alpha_m(p),   beta_dot = nu - G* alpha+
//     alpha(k) = alpha+ + H* beta_dot + a, then the modes by (ABA-7)
//
// and where the hinge is driven: T = H (P alpha + z).
static void sweep_outwards(const lb_model *model, lb_work *work, const unsigned char *driven,
                           double *tau, double *beta_dot)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof;
        LB_MARK(b, "ABA-3");
        if (b->simple && !b->flex && !driven) {
            const lb_vec6 carried = lb_pose_carry_motion(&w->X, work->bodies[b->parent].alpha);
            const double x = work->nu[b->dof] - lb_vec6_dot(*G, carried);
            beta_dot[b->hinge_v] = x;
            w->alpha = lb_vec6_add(carried, w->a);
            w->alpha.w.z += x;
            continue;
        }
        const lb_vec6 carried = lb_carry_acceleration(model, work, k);
        w->alpha = lb_vec6_add(carried, w->a);
        if (driven && driven[b->listed]) {
            for (int i = 0; i < b->nv; ++i) {
                w->alpha = lb_vec6_axpy(w->alpha, beta_dot[b->hinge_v + i], H[i]);
            }
            const lb_vec6 f = lb_vec6_add(lb_sym6_mul(&w->P, w->alpha), w->z);
            for (int i = 0; i < b->nv; ++i) {
                tau[b->hinge_v + i] = lb_vec6_dot(H[i], f);
            }
        } else {
            for (int i = 0; i < b->nv; ++i) {
                const double x = work->nu[b->dof + i] - lb_vec6_dot(G[i], carried);
                beta_dot[b->hinge_v + i] = x;
                w->alpha = lb_vec6_axpy(w->alpha, x, H[i]);
            }
        }
        if (b->mode_count) {
            double *eta_ddot = work->flex[b->flex_index].eta_ddot;
            w->alpha = return_to_modes(b, work, w->alpha, eta_ddot);
            for (int r = 0; r < b->mode_count; ++r) {
                beta_dot[b->v + r] = eta_ddot[r];
            }
        }
    }
}

// Kinematics and the bodies' own inertia and gyroscopic force, then the two sweeps.
static lb_status compute(const lb_model *model, lb_work *work, const double *q, const double *v,
                         const unsigned char *driven, const double *tau, double *drive, double *a)
{
    const unsigned kept = lb_keep_places(work);
    lb_start_state(work, 0);
    if (!kept) {
        lb_compute_angles(model, work, q);
    }
    for (int k = 0; k < model->body_count; ++k) {
        if (!kept) {
            lb_step_position(model, work, k, q);
        }
        lb_step_velocity(model, work, k, q, v);
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        if (!b->flex) {
            LB_MARK(b, "KIN-5");
            write_inertia(&b->M, &w->P);
            w->z = lb_get_gyroscopic_force(&b->M, w->V.w);
            continue;
        }
        const lb_flex_work *f = &work->flex[b->flex_index];
        lb_step_inertia(model, work, k, 1);
        start_inertia(model, work, k);
        w->z = f->b_r;
        for (int r = 0; r < b->mode_count; ++r) {
            f->z_f[r] = f->b_f[r];
        }
    }
    lb_start_state(work, kept | LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_BIAS | LB_HAS_INERTIA);
    const lb_status status = sweep_inwards(model, work, driven, tau, a);
    if (status >= LB_OK) {
        sweep_outwards(model, work, driven, drive, a);
        work->has |= LB_HAS_ACCELERATION | LB_HAS_FORCES | (driven ? 0u : LB_HAS_ARTICULATED);
    }
    return status;
}

lb_status lb_run_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *tau, double *a)
{
    return compute(model, work, q, v, NULL, tau, NULL, a);
}

lb_status lb_run_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, const unsigned char *driven, double *tau,
                                 double *a)
{
    return compute(model, work, q, v, driven, tau, tau, a);
}

// With `held`, by sweep index: hinges that stand still hand everything on.
static lb_status compute_inertia(const lb_model *model, lb_work *work, const double *q,
                                 const unsigned char *held)
{
    lb_status status = LB_OK;
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_inertia(model, work, k, 0);
        start_inertia(model, work, k);
    }
    lb_start_state(work, LB_HAS_POSITION | LB_HAS_INERTIA);
    work->bodies[-1].P = (lb_sym6){0};
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_sym6 *P = &work->bodies[k].P, P_plus;
        if (b->mode_count) {
            status = lb_get_worse(status, lb_eliminate_modes(b, P, work));
        }
        if (status >= LB_OK && held && held[k]) {
            P_plus = *P;
        } else if (status >= LB_OK) {
            status = lb_get_worse(status, eliminate_hinge(b, P, work, &P_plus));
        }
        if (status < LB_OK) {
            return status;
        }
        give_inertia(model, work, k, &P_plus);
    }
    return status;
}

lb_status lb_run_articulated_inertia(const lb_model *model, lb_work *work, const double *q)
{
    const lb_status status = compute_inertia(model, work, q, NULL);
    work->has |= status < LB_OK ? 0u : LB_HAS_ARTICULATED;
    return status;
}

lb_status lb_run_held_inertia(const lb_model *model, lb_work *work, const double *q)
{
    return compute_inertia(model, work, q, work->held);
}

// What `respond` may leave out: always inlined, with these known.
typedef struct response {
    const lb_vec6 *load;       // by body: forces about its frame; NULL for none
    const unsigned char *held; // by body: hinges that stand still, or move as given; NULL for none
    const double *given;       // what of x is given at those; NULL for zero
    double *drive;             // out: generalized forces that they need, zero elsewhere; or NULL
} response;

// The inward step of a rigid body on a revolute hinge between places that do not move.
static inline void respond_revolute(const lb_body *b, const lb_body_work *w, const double *b_in,
                                    lb_work *work)
{
    const lb_vec6 *G = work->G + b->dof;
    const double eps = (b_in ? b_in[b->hinge_v] : 0.0) - w->z.w.z;
    work->nu[b->dof] = eps * work->D[b->factor];
    if (b->parent >= 0) {
        lb_body_work *p = &work->bodies[b->parent];
        const lb_vec6 z = lb_vec6_axpy(w->z, eps, *G);
        p->z = lb_vec6_add(p->z, lb_pose_carry_force(&w->X, z));
    }
}

// Product with the inverse of the mass matrix                                           (ABA-4)
//
//     M^-1 = [I - H Psi K]* D^-1 [I - H Psi K]
//
//     tip to base   z = sum over children of Phi z+,   eps = b - H z,   z+ = z + G eps
//     base to tip   x = D^-1 eps - G* Phi* y(p),       y = Phi* y(p) + H* x
//
// and with loads f: z less f; where the hinge is held: z+ = z + P H* x, drive H (P y + z) - b.
//
// Source: Jain and Rodriguez 1992, (56); the sweeps of (ABA-2), (ABA-3) without bias, modes by
// (ABA-6), (ABA-7). Motion and inertias in the workspace stay as they are; z, nu and y are scratch.
static inline __attribute__((always_inline)) void respond(const lb_model *model, lb_work *work,
                                                          const response *also, const double *b_in,
                                                          double *x_out)
{
    lb_vec6 *y = work->y;
    for (int k = -1; k < model->body_count; ++k) {
        work->bodies[k].z =
            also->load ? lb_vec6_sub(lb_vec6_zero(), also->load[k]) : lb_vec6_zero();
        for (int r = 0; r < model->bodies[k].mode_count; ++r) {
            lb_get_flex(model, work, k)->z_f[r] = 0.0;
        }
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        if (b->simple && !b->flex && !(also->held && also->held[k])) {
            respond_revolute(b, &work->bodies[k], b_in, work);
            continue;
        }
        const lb_vec6 z =
            b->mode_count ? pass_modes(b, work, b_in, work->bodies[k].z) : work->bodies[k].z;
        lb_vec6 z_plus = z;
        if (also->held && also->held[k]) {
            work->bodies[k].z = z; // the drive below reads it
            lb_vec6 a = lb_vec6_zero();
            for (int i = 0; also->given && i < b->nv; ++i) {
                a = lb_vec6_axpy(a, also->given[b->hinge_v + i], work->H[b->dof + i]);
            }
            z_plus = also->given ? lb_vec6_add(z, lb_sym6_mul(&work->bodies[k].P, a)) : z;
            lb_give_force(model, work, k, z_plus);
            continue;
        }
        for (int i = 0; i < b->nv; ++i) {
            const double eps =
                (b_in ? b_in[b->hinge_v + i] : 0.0) - lb_vec6_dot(work->H[b->dof + i], z);
            work->nu[b->dof + i] = eps;
            z_plus = lb_vec6_axpy(z_plus, eps, work->G[b->dof + i]);
        }
        lb_solve_ldl(b->nv, work->D + b->factor, b->nv, work->nu + b->dof);
        lb_give_force(model, work, k, z_plus);
    }
    y[-1] = lb_vec6_zero();
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_flex_work *f_p = lb_get_flex(model, work, b->parent);
        const int held = also->held && also->held[k];
        if (b->simple && !b->flex && !held && !also->drive) {
            y[k] = lb_pose_carry_motion(&work->bodies[k].X, y[b->parent]);
            const double x = work->nu[b->dof] - lb_vec6_dot(work->G[b->dof], y[k]);
            x_out[b->hinge_v] = x;
            y[k].w.z += x;
            continue;
        }
        // nu_f of a body that is done holds the x of its modes
        const lb_vec6 carried =
            lb_carry_motion(model, work, k, y[b->parent], f_p ? f_p->nu_f : NULL);
        y[k] = carried;
        for (int i = 0; i < b->nv; ++i) {
            const double x = held
                                 ? (also->given ? also->given[b->hinge_v + i] : 0.0)
                                 : work->nu[b->dof + i] - lb_vec6_dot(work->G[b->dof + i], carried);
            x_out[b->hinge_v + i] = x;
            y[k] = lb_vec6_axpy(y[k], x, work->H[b->dof + i]);
        }
        if (also->drive) {
            const lb_vec6 f = lb_vec6_add(lb_sym6_mul(&work->bodies[k].P, y[k]), work->bodies[k].z);
            for (int i = 0; i < b->nv; ++i) {
                const double own = b_in ? b_in[b->hinge_v + i] : 0.0;
                also->drive[b->hinge_v + i] =
                    held ? lb_vec6_dot(work->H[b->dof + i], f) - own : 0.0;
            }
        }
        if (b->mode_count) {
            double *x_f = work->flex[b->flex_index].nu_f;
            y[k] = return_to_modes(b, work, y[k], x_f);
            for (int r = 0; r < b->mode_count; ++r) {
                x_out[b->v + r] = x_f[r];
                if (also->drive) {
                    also->drive[b->v + r] = 0.0;
                }
            }
        }
    }
}

lb_status lb_run_mass_matrix_solve(const lb_model *model, lb_work *work, const double *b_in,
                                   double *x_out)
{
    if (lb_need_stage(work, LB_HAS_ARTICULATED) != LB_OK) {
        return LB_E_STAGE;
    }
    const response plain = {NULL, NULL, NULL, NULL};
    respond(model, work, &plain, b_in, x_out);
    return LB_OK;
}

void lb_run_response(const lb_model *model, lb_work *work, const lb_vec6 *load, const double *b_in,
                     const double *given, double *x_out, double *drive)
{
    const response whole = {load, work->held, given, drive};
    respond(model, work, &whole, b_in, x_out);
}

lb_status lb_run_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                     double *M_inverse)
{
    const ptrdiff_t n = model->v_count;
    const lb_status status = lb_run_articulated_inertia(model, work, q);
    if (status < LB_OK) {
        return status;
    }
    // rows are columns: the inverse is symmetric
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            work->x[j] = i == j;
        }
        lb_run_mass_matrix_solve(model, work, work->x, M_inverse + i * n);
    }
    return status;
}
