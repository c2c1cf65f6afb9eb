// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Articulated-body forward dynamics as first published: the modes and the hinge of a body eliminated
// together, with whole matrices. For comparison with the split form of articulated_body.c.
#include <math.h>
#include <string.h>

#include "model/numbers.h"
#include "steps.h"
#include "tree.h"

// ---- dense products, row by row ----------------------------------------------------------------

// C (rows x columns) += s A B, over `inner`
static void add_product(int rows, int inner, int columns, double s, const double *A,
                        const double *B, double *C)
{
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < inner; ++k) {
            const double a = s * A[i * inner + k];
            for (int j = 0; j < columns; ++j) {
                C[i * columns + j] += a * B[k * columns + j];
            }
        }
    }
}

// C (rows x columns) += A B', B of columns x inner
static void add_product_transposed(int rows, int inner, int columns, const double *A,
                                   const double *B, double *C)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (int k = 0; k < inner; ++k) {
                sum += A[i * inner + k] * B[j * inner + k];
            }
            C[i * columns + j] += sum;
        }
    }
}

// y (columns) += s A' x, A of rows x columns
static void add_transposed(int rows, int columns, double s, const double *A, const double *x,
                           double *y)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            y[j] += s * A[i * columns + j] * x[i];
        }
    }
}

// A = A^-1 in place, A symmetric and positive definite; n values of scratch. Returns the row whose
// pivot is lost in the round-off of its diagonal entry, or -1.
static int invert(int n, double *A, double *diagonal)
{
    for (int i = 0; i < n; ++i) {
        diagonal[i] = A[i * n + i];
    }
    for (int i = 0; i < n; ++i) {
        const double d = A[i * n + i];
        if (!(fabs(d) > 1e-14 * fabs(diagonal[i]))) {
            return i;
        }
        A[i * n + i] = 1.0;
        for (int j = 0; j < n; ++j) {
            A[i * n + j] /= d;
        }
        for (int k = 0; k < n; ++k) {
            const double s = A[k * n + i];
            if (k == i || s == 0.0) {
                continue;
            }
            A[k * n + i] = 0.0;
            for (int j = 0; j < n; ++j) {
                A[k * n + j] -= s * A[i * n + j];
            }
        }
    }
    return -1;
}

// ---- the matrices of a body --------------------------------------------------------------------

// What is kept of a body: m = modes + 6, c = modes + speeds of the hinge, m_p = m of its parent.
typedef struct blocks {
    int m, c, m_p;
    double *P;   // m x m
    double *H;   // c x m
    double *Phi; // m_p x m
    double *G;   // m x c
    double *z;   // m, then z+
    double *nu;  // c
    double *alpha;
} blocks;

static double *place(double *base, size_t *used, int rows, int columns)
{
    double *piece = base ? base + *used : NULL;
    *used += (size_t)rows * (size_t)columns;
    return piece;
}

static size_t lay_out(const lb_model *model, int k, double *base, blocks *own)
{
    const lb_body *b = &model->bodies[k];
    size_t used = 0;
    own->m = b->mode_count + 6;
    own->c = b->mode_count + b->nv;
    own->m_p = model->bodies[b->parent].mode_count + 6;
    own->P = place(base, &used, own->m, own->m);
    own->H = place(base, &used, own->c, own->m);
    own->Phi = place(base, &used, own->m_p, own->m);
    own->G = place(base, &used, own->m, own->c);
    own->z = place(base, &used, own->m, 1);
    own->nu = place(base, &used, own->c, 1);
    own->alpha = place(base, &used, own->m, 1);
    return used;
}

// What one elimination needs besides: PH' and P+ or Phi P+, D, eps.
static size_t count_temporary(const blocks *own)
{
    const size_t m = (size_t)own->m, c = (size_t)own->c, m_p = (size_t)own->m_p;
    return m * c + c * c + c + m * m + m_p * m;
}

// The scratch begins with where the matrices of each body are, then come those, then temporary ones.
size_t lb_count_unsplit_scratch(const lb_model *model)
{
    size_t total = (size_t)model->body_count, temporary = 0;
    for (int k = 0; k < model->body_count; ++k) {
        blocks own;
        total += lay_out(model, k, NULL, &own);
        const size_t need = count_temporary(&own);
        temporary = need > temporary ? need : temporary;
    }
    return total + temporary;
}

static blocks find_blocks(const lb_model *model, int k, double *scratch)
{
    blocks own;
    (void)lay_out(model, k, scratch + (size_t)scratch[k], &own);
    return own;
}

static void put(lb_vec6 a, double out[6])
{
    lb_vec3_to(a.w, out);
    lb_vec3_to(a.v, out + 3);
}

static lb_vec6 make_unit(int i)
{
    double unit[6] = {0};
    unit[i] = 1.0;
    return lb_vec6_make(lb_vec3_from(unit), lb_vec3_from(unit + 3));
}

// P = M_m, z = b_m with the forces of stiffness and damping
static void form_inertia(const lb_model *model, const lb_work *work, int k, const blocks *own)
{
    const int n = model->bodies[k].mode_count, m = own->m;
    const lb_flex_work *f = lb_get_flex(model, work, k);
    const lb_inertia *M = lb_get_inertia(model, work, k);
    for (int j = 0; j < 6; ++j) {
        // symmetric: a column is a row
        put(lb_inertia_mul(M, make_unit(j)), &own->P[(n + j) * m + n]);
    }
    for (int r = 0; r < n; ++r) {
        put(f->M_rf[r], &own->P[r * m + n]);
        for (int i = 0; i < 6; ++i) {
            own->P[(n + i) * m + r] = own->P[r * m + n + i];
        }
        memcpy(&own->P[r * m], &f->M_ff[r * n], (size_t)n * sizeof *own->P);
        own->z[r] = f->b_f[r];
    }
    put(f ? f->b_r : lb_get_gyroscopic_force(&model->bodies[k].M, work->bodies[k].V.w), own->z + n);
}

// H = [I, -Pi^d_F*; 0, H_F],   Phi = [0, Pi^t_F* phi(p,k); 0, phi(p,k)]
static void form_hinge(const lb_model *model, const lb_work *work, int k, const blocks *own)
{
    const lb_body *b = &model->bodies[k];
    const int n = b->mode_count, m = own->m, n_p = own->m_p - 6;
    const lb_flex_work *f = lb_get_flex(model, work, k);
    for (int r = 0; r < n; ++r) {
        own->H[r * m + r] = 1.0;
        if (b->moving) {
            put(lb_vec6_sub(lb_vec6_zero(), f->Pi_d[r]), &own->H[r * m + n]);
        }
    }
    for (int i = 0; i < b->nv; ++i) {
        put(work->H[b->dof + i], &own->H[(n + i) * m + n]);
    }
    for (int j = 0; j < 6; ++j) {
        const lb_vec6 carried = lb_pose_carry_force(&work->bodies[k].X, make_unit(j));
        double column[6];
        put(carried, column);
        for (int i = 0; i < 6; ++i) {
            own->Phi[(n_p + i) * m + n + j] = column[i];
        }
        for (int r = 0; b->at && r < n_p; ++r) {
            own->Phi[r * m + n + j] = lb_vec6_dot(work->joints[b->joint_index].Pi[r], carried);
        }
    }
}

// ---- the sweeps --------------------------------------------------------------------------------

// Place in v of the i-th speed of a body: modes, then the hinge.
static int find_speed(const lb_body *b, int i)
{
    return i < b->mode_count ? b->v + i : b->hinge_v + i - b->mode_count;
}

// Unsplit articulated-body recursion                                                    (ABA-9)
//
//     tip to base   P = M_m + sum Phi P+ Phi*,            z = b_m + sum Phi z+
//                   D = H P H*,  G = P H* D^-1,           P+ = (I - G H) P
//                   eps = T - H (z + P a),  nu = D^-1 eps,  z+ = z + P a + G eps
//     base to tip   alpha+ = Phi* alpha(p),  chi_dot = nu - G* alpha+
//                   alpha = alpha+ + H* chi_dot + a
//
// given     P, z with what the children handed over; a has no modal part
// computes  G, nu; hands P+ and z+ to the parent
//
// Source: Jain and Rodriguez 1992, (58).
static lb_status eliminate(const lb_model *model, lb_work *work, int k, const double *tau,
                           double *scratch, double *temporary)
{
    const lb_body *b = &model->bodies[k];
    const blocks own = find_blocks(model, k, scratch);
    const int m = own.m, c = own.c;
    double *PH = temporary, *D = PH + (ptrdiff_t)m * c, *eps = D + (ptrdiff_t)c * c,
           *P_plus = eps + c, *Phi_P = P_plus + (ptrdiff_t)m * m;
    memset(temporary, 0, count_temporary(&own) * sizeof *temporary);
    add_product_transposed(m, m, c, own.P, own.H, PH);
    add_product(c, m, c, 1.0, own.H, PH, D);
    const int lost = invert(c, D, eps);
    if (lost >= 0) {
        lb_set_bad_inertia(work, b, lost);
        return LB_E_SINGULAR;
    }
    add_product(m, c, c, 1.0, PH, D, own.G);

    double a[6];
    put(work->bodies[k].a, a);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < 6; ++j) {
            own.z[i] += own.P[i * m + m - 6 + j] * a[j];
        }
    }
    for (int i = 0; i < c; ++i) {
        eps[i] = tau ? tau[find_speed(b, i)] : 0.0;
    }
    add_product(c, m, 1, -1.0, own.H, own.z, eps);
    add_product(c, c, 1, 1.0, D, eps, own.nu);
    if (b->parent >= 0) {
        const blocks parent = find_blocks(model, b->parent, scratch);
        add_product_transposed(m, c, m, own.G, PH, P_plus);
        for (int i = 0; i < m * m; ++i) {
            P_plus[i] = own.P[i] - P_plus[i];
        }
        add_product(m, c, 1, 1.0, own.G, eps, own.z);
        add_product(own.m_p, m, m, 1.0, own.Phi, P_plus, Phi_P);
        add_product_transposed(own.m_p, m, own.m_p, Phi_P, own.Phi, parent.P);
        add_product(own.m_p, m, 1, 1.0, own.Phi, own.z, parent.z);
    }
    return LB_OK;
}

static void accelerate(const lb_model *model, const lb_work *work, int k, double *scratch,
                       double *a)
{
    const lb_body *b = &model->bodies[k];
    const blocks own = find_blocks(model, k, scratch);
    double ground[6], bias[6];
    put(work->bodies[-1].alpha, ground); // of the ground, in place of gravity
    put(work->bodies[k].a, bias);
    const double *outer = b->parent >= 0 ? find_blocks(model, b->parent, scratch).alpha : ground;
    add_transposed(own.m_p, own.m, 1.0, own.Phi, outer, own.alpha);
    add_transposed(own.m, own.c, -1.0, own.G, own.alpha, own.nu);
    add_transposed(own.c, own.m, 1.0, own.H, own.nu, own.alpha);
    for (int i = 0; i < 6; ++i) {
        own.alpha[own.m - 6 + i] += bias[i];
    }
    for (int i = 0; i < own.c; ++i) {
        a[find_speed(b, i)] = own.nu[i];
    }
}

lb_status lb_tree_unsplit(const lb_model *model, lb_work *work, const double *q, const double *v,
                          const double *tau, double *scratch, double *a)
{
    const lb_status good = lb_check_state(model, work, q, v, "tau", tau);
    if (good < 0) {
        return good;
    }
    lb_start_state(work, 0);
    lb_compute_angles(model, work, q);
    size_t used = (size_t)model->body_count;
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_velocity(model, work, k, q, v);
        lb_step_inertia(model, work, k, 1);
        blocks own;
        scratch[k] = (double)used;
        const size_t size = lay_out(model, k, scratch + used, &own);
        memset(scratch + used, 0, size * sizeof *scratch);
        form_inertia(model, work, k, &own);
        form_hinge(model, work, k, &own);
        used += size;
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_status status = eliminate(model, work, k, tau, scratch, scratch + used);
        if (status < 0) {
            return status;
        }
    }
    for (int k = 0; k < model->body_count; ++k) {
        accelerate(model, work, k, scratch, a);
    }
    return LB_OK;
}
