// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "unsplit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree/steps.h"

// ---- dense matrices ----------------------------------------------------------------------------

typedef struct matrix {
    int rows, columns;
    double *x; // row by row
} matrix;

static matrix make(int rows, int columns)
{
    return (matrix){rows, columns, lb_make_numbers((size_t)rows * (size_t)columns)};
}

static double *at(const matrix *A, int i, int j)
{
    return &A->x[i * A->columns + j];
}

static matrix transpose(const matrix *A)
{
    matrix T = make(A->columns, A->rows);
    for (int i = 0; i < A->rows; ++i) {
        for (int j = 0; j < A->columns; ++j) {
            *at(&T, j, i) = *at(A, i, j);
        }
    }
    return T;
}

static matrix multiply(const matrix *A, const matrix *B)
{
    assert_int_equal(A->columns, B->rows);
    matrix C = make(A->rows, B->columns);
    for (int i = 0; i < C.rows; ++i) {
        for (int j = 0; j < C.columns; ++j) {
            for (int k = 0; k < A->columns; ++k) {
                *at(&C, i, j) += *at(A, i, k) * *at(B, k, j);
            }
        }
    }
    return C;
}

// A += s B
static void add(matrix *A, double s, const matrix *B)
{
    assert_true(A->rows == B->rows && A->columns == B->columns);
    for (int i = 0; i < A->rows * A->columns; ++i) {
        A->x[i] += s * B->x[i];
    }
}

// A += W B W'
static void add_congruent(matrix *A, const matrix *W, const matrix *B)
{
    matrix WB = multiply(W, B), T = transpose(W), all = multiply(&WB, &T);
    add(A, 1.0, &all);
    free(WB.x);
    free(T.x);
    free(all.x);
}

// A^-1, by elimination with the largest pivot of each column.
static matrix invert(const matrix *A)
{
    const int n = A->rows;
    matrix B = make(n, n), R = make(n, n);
    memcpy(B.x, A->x, (size_t)n * (size_t)n * sizeof *B.x);
    for (int i = 0; i < n; ++i) {
        *at(&R, i, i) = 1.0;
    }
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int k = i + 1; k < n; ++k) {
            pivot = fabs(*at(&B, k, i)) > fabs(*at(&B, pivot, i)) ? k : pivot;
        }
        const double d = *at(&B, pivot, i);
        assert_true(fabs(d) > 0.0);
        for (int j = 0; j < n; ++j) {
            const double b = *at(&B, i, j), r = *at(&R, i, j);
            *at(&B, i, j) = *at(&B, pivot, j) / d;
            *at(&R, i, j) = *at(&R, pivot, j) / d;
            if (pivot != i) {
                *at(&B, pivot, j) = b;
                *at(&R, pivot, j) = r;
            }
        }
        for (int k = 0; k < n; ++k) {
            const double s = *at(&B, k, i);
            for (int j = 0; k != i && j < n; ++j) {
                *at(&B, k, j) -= s * *at(&B, i, j);
                *at(&R, k, j) -= s * *at(&R, i, j);
            }
        }
    }
    free(B.x);
    return R;
}

static void put6(lb_vec6 a, double out[6])
{
    lb_vec3_to(a.w, out);
    lb_vec3_to(a.v, out + 3);
}

// ---- the blocks of one body --------------------------------------------------------------------

// Spatial vectors of a body are (modes, angular, linear): n + 6 of them.

// phi(p,k): forces at k to forces at p, k at this pose.
static matrix form_phi(const lb_pose *X)
{
    matrix phi = make(6, 6);
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0}, column[6];
        unit[j] = 1.0;
        put6(lb_pose_carry_force(X, lb_vec6_make(lb_vec3_from(unit), lb_vec3_from(unit + 3))),
             column);
        for (int i = 0; i < 6; ++i) {
            *at(&phi, i, j) = column[i];
        }
    }
    return phi;
}

// M_m, order (modes, angular, linear).
static matrix form_inertia(const lb_model *model, const lb_work *work, int k)
{
    const int n = model->bodies[k].mode_count;
    const lb_flex_work *f = lb_get_flex(model, work, k);
    const lb_inertia *M = lb_get_inertia(model, work, k);
    matrix out = make(n + 6, n + 6);
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0}, column[6];
        unit[j] = 1.0;
        put6(lb_inertia_mul(M, lb_vec6_make(lb_vec3_from(unit), lb_vec3_from(unit + 3))), column);
        for (int i = 0; i < 6; ++i) {
            *at(&out, n + i, n + j) = column[i];
        }
    }
    for (int r = 0; r < n; ++r) {
        double column[6];
        put6(f->M_rf[r], column);
        for (int i = 0; i < 6; ++i) {
            *at(&out, n + i, r) = *at(&out, r, n + i) = column[i];
        }
        for (int s = 0; s < n; ++s) {
            *at(&out, r, s) = f->M_ff[r * n + s];
        }
    }
    return out;
}

// b_m + K_m theta.
static matrix form_bias(const lb_model *model, const lb_work *work, int k)
{
    const int n = model->bodies[k].mode_count;
    const lb_flex_work *f = lb_get_flex(model, work, k);
    matrix b = make(n + 6, 1);
    for (int r = 0; r < n; ++r) {
        b.x[r] = f->b_f[r];
    }
    put6(f ? f->b_r : lb_get_gyroscopic_force(&model->bodies[k].M, work->bodies[k].V.w), b.x + n);
    return b;
}

// H(k) = [I, -Pi^d_F*; 0, H_F]: (n + nv) x (n + 6)                                       (20)
static matrix form_hinge(const lb_model *model, const lb_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    const int n = b->mode_count;
    const lb_flex_work *f = lb_get_flex(model, work, k);
    matrix H = make(n + b->nv, n + 6);
    for (int r = 0; r < n; ++r) {
        *at(&H, r, r) = 1.0;
        if (b->moving) {
            double Pi[6];
            put6(f->Pi_d[r], Pi);
            for (int i = 0; i < 6; ++i) {
                *at(&H, r, n + i) = -Pi[i];
            }
        }
    }
    for (int i = 0; i < b->nv; ++i) {
        put6(work->H[b->dof + i], at(&H, n + i, n));
    }
    return H;
}

// Phi(p,k) = [0, Pi* phi(t,k); 0, phi(p,k)]: (n_p + 6) x (n_k + 6)                       (19)
static matrix form_Phi(const lb_model *model, const lb_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    const int n = b->mode_count, n_p = model->bodies[b->parent].mode_count;
    matrix Phi = make(n_p + 6, n + 6), phi = form_phi(&work->bodies[k].X);
    for (int i = 0; i < 6; ++i) {
        memcpy(at(&Phi, n_p + i, n), at(&phi, i, 0), 6 * sizeof(double));
    }
    if (b->at) {
        // Pi is kept at the frame of p: Pi(t)* phi(t,k) = Pi(p)* phi(p,k)
        const lb_joint_work *joint = &work->joints[b->joint_index];
        for (int r = 0; r < n_p; ++r) {
            double Pi[6];
            put6(joint->Pi[r], Pi);
            for (int j = 0; j < 6; ++j) {
                for (int i = 0; i < 6; ++i) {
                    *at(&Phi, r, n + j) += Pi[i] * *at(&phi, i, j);
                }
            }
        }
    }
    free(phi.x);
    return Phi;
}

// Place in v of the i-th speed of a body: modes, then the hinge.
static int find_speed(const lb_body *b, int i)
{
    return i < b->mode_count ? b->v + i : b->hinge_v + i - b->mode_count;
}

// ---- the sweeps --------------------------------------------------------------------------------

typedef struct body {
    matrix P, H, Phi, G, z, nu, a, alpha;
} body;

// Unsplit articulated-body recursion                               Jain and Rodriguez 1992, (58)
//
//     tip to base   P = M_m + sum Phi P+ Phi*,          z = b_m + K_m theta + sum Phi z+
//                   D = H P H*,  G = P H* D^-1,         P+ = (I - G H) P
//                   eps = T - H (P a + z),  nu = D^-1 eps,  z+ = P a + z + G eps
//     base to tip   alpha+ = Phi* alpha(p),  chi_dot = nu - G* alpha+
//                   alpha = alpha+ + H* chi_dot + a
//
// with whole blocks: D is (n + nv) x (n + nv), P is (n + 6) x (n + 6). a has no modal part.
static void take_out(const lb_model *model, int k, const double *tau, body *all)
{
    const lb_body *b = &model->bodies[k];
    body *own = &all[k];
    const int count = b->mode_count + b->nv;
    matrix T = transpose(&own->H), PH = multiply(&own->P, &T), D = multiply(&own->H, &PH);
    matrix D_inverse = invert(&D), HP = transpose(&PH);
    own->G = multiply(&PH, &D_inverse);

    matrix Pa = multiply(&own->P, &own->a), eps = make(count, 1);
    add(&own->z, 1.0, &Pa);
    matrix Hz = multiply(&own->H, &own->z);
    for (int i = 0; i < count; ++i) {
        eps.x[i] = tau[find_speed(b, i)] - Hz.x[i];
    }
    own->nu = multiply(&D_inverse, &eps);

    if (b->parent >= 0) {
        matrix P_plus = multiply(&own->G, &HP), Geps = multiply(&own->G, &eps);
        for (int i = 0; i < P_plus.rows * P_plus.columns; ++i) {
            P_plus.x[i] = own->P.x[i] - P_plus.x[i];
        }
        add(&own->z, 1.0, &Geps);
        add_congruent(&all[b->parent].P, &own->Phi, &P_plus);
        matrix given = multiply(&own->Phi, &own->z);
        add(&all[b->parent].z, 1.0, &given);
        free(P_plus.x);
        free(Geps.x);
        free(given.x);
    }
    free(T.x);
    free(PH.x);
    free(HP.x);
    free(D.x);
    free(D_inverse.x);
    free(Pa.x);
    free(eps.x);
    free(Hz.x);
}

static void put_back(const lb_model *model, const lb_work *work, int k, body *all, double *a)
{
    const lb_body *b = &model->bodies[k];
    body *own = &all[k];
    matrix up = make(6, 1);
    put6(work->bodies[-1].alpha, up.x); // of the ground, in place of gravity
    matrix Phi_t = transpose(&own->Phi), G_t = transpose(&own->G), H_t = transpose(&own->H);
    own->alpha = multiply(&Phi_t, b->parent >= 0 ? &all[b->parent].alpha : &up);
    matrix felt = multiply(&G_t, &own->alpha);
    add(&own->nu, -1.0, &felt);
    matrix gained = multiply(&H_t, &own->nu);
    add(&own->alpha, 1.0, &gained);
    add(&own->alpha, 1.0, &own->a);
    for (int i = 0; i < own->nu.rows; ++i) {
        a[find_speed(b, i)] = own->nu.x[i];
    }
    free(up.x);
    free(Phi_t.x);
    free(G_t.x);
    free(H_t.x);
    free(felt.x);
    free(gained.x);
}

void lb_solve_unsplit(const lb_model *model, lb_work *work, const double *q, const double *v,
                      const double *tau, double *a)
{
    // X, H, a, M_m, b_m
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_velocity(model, work, k, q, v);
        lb_step_inertia(model, work, k, 1);
    }
    work->has = 0;
    body *all = calloc((size_t)model->body_count, sizeof *all);
    assert_non_null(all);
    for (int k = 0; k < model->body_count; ++k) {
        const int n = model->bodies[k].mode_count;
        all[k].P = form_inertia(model, work, k);
        all[k].z = form_bias(model, work, k);
        all[k].H = form_hinge(model, work, k);
        all[k].Phi = form_Phi(model, work, k);
        all[k].a = make(n + 6, 1);
        put6(work->bodies[k].a, all[k].a.x + n);
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        take_out(model, k, tau, all);
    }
    for (int k = 0; k < model->body_count; ++k) {
        put_back(model, work, k, all, a);
    }
    for (int k = 0; k < model->body_count; ++k) {
        const matrix owned[] = {all[k].P, all[k].H,  all[k].Phi, all[k].G,
                                all[k].z, all[k].nu, all[k].a,   all[k].alpha};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i) {
            free(owned[i].x);
        }
    }
    free(all);
}
