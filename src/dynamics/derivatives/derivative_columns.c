// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of accelerations by the articulated recursion, eight columns at a time: what each body
// holds is read once for all of them.
#include <string.h>

#include "derivatives.h"
#include "model/modal/mode_update.h"

enum { WIDTH = LB_WIDTH };

// One number of eight columns, and a spatial vector of each.
typedef struct wide {
    lb_loose_lane a, b;
} wide;
typedef struct wide6 {
    wide c[6];
} wide6;

static inline wide load(const double *x)
{
    return (wide){lb_load_lanes(x), lb_load_lanes(x + LB_LANES)};
}

static inline void store(double *to, wide x)
{
    lb_store_lanes(to, x.a);
    lb_store_lanes(to + LB_LANES, x.b);
}

static inline wide axpy(wide y, double s, wide x)
{
    return (wide){y.a + x.a * s, y.b + x.b * s};
}

static inline wide scale(double s, wide x)
{
    return (wide){x.a * s, x.b * s};
}

static inline wide add(wide x, wide y)
{
    return (wide){x.a + y.a, x.b + y.b};
}

static inline wide subtract(wide x, wide y)
{
    return (wide){x.a - y.a, x.b - y.b};
}

static inline wide6 load6(const double *x)
{
    wide6 out;
    for (int i = 0; i < 6; ++i) {
        out.c[i] = load(x + i * WIDTH);
    }
    return out;
}

static inline void store6(double *to, const wide6 *x)
{
    for (int i = 0; i < 6; ++i) {
        store(to + i * WIDTH, x->c[i]);
    }
}

// h . z
static inline wide dot_wide(const lb_vec6 *h, const wide6 *z)
{
    wide sum = scale(h->w.x, z->c[0]);
    sum = axpy(sum, h->w.y, z->c[1]);
    sum = axpy(sum, h->w.z, z->c[2]);
    sum = axpy(sum, h->v.x, z->c[3]);
    sum = axpy(sum, h->v.y, z->c[4]);
    return axpy(sum, h->v.z, z->c[5]);
}

// z += h x
static inline void add6(wide6 *z, const lb_vec6 *h, wide x)
{
    z->c[0] = axpy(z->c[0], h->w.x, x);
    z->c[1] = axpy(z->c[1], h->w.y, x);
    z->c[2] = axpy(z->c[2], h->w.z, x);
    z->c[3] = axpy(z->c[3], h->v.x, x);
    z->c[4] = axpy(z->c[4], h->v.y, x);
    z->c[5] = axpy(z->c[5], h->v.z, x);
}

// R x
static inline void turn(const lb_mat3 *R, const wide *x, wide *out)
{
    for (int i = 0; i < 3; ++i) {
        out[i] = axpy(axpy(scale(R->m[i][0], x[0]), R->m[i][1], x[1]), R->m[i][2], x[2]);
    }
}

// R* x
static inline void turn_back(const lb_mat3 *R, const wide *x, wide *out)
{
    for (int i = 0; i < 3; ++i) {
        out[i] = axpy(axpy(scale(R->m[0][i], x[0]), R->m[1][i], x[1]), R->m[2][i], x[2]);
    }
}

// out += s p x f
static inline void add_cross(wide *out, double s, lb_vec3 p, const wide *f)
{
    out[0] = axpy(axpy(out[0], s * p.y, f[2]), -s * p.z, f[1]);
    out[1] = axpy(axpy(out[1], s * p.z, f[0]), -s * p.x, f[2]);
    out[2] = axpy(axpy(out[2], s * p.x, f[1]), -s * p.y, f[0]);
}

// phi z: R f, and R n + p x R f
static inline wide6 carry_force(const lb_pose *X, const wide6 *z)
{
    wide6 out;
    turn(&X->R, z->c, out.c);
    turn(&X->R, z->c + 3, out.c + 3);
    add_cross(out.c, 1.0, X->p, out.c + 3);
    return out;
}

// phi* y: R* w, and R* (v + w x p)
static inline wide6 carry_motion(const lb_pose *X, wide6 y)
{
    wide6 out;
    add_cross(y.c + 3, -1.0, X->p, y.c);
    turn_back(&X->R, y.c, out.c);
    turn_back(&X->R, y.c + 3, out.c + 3);
    return out;
}

// ---- tip to base -------------------------------------------------------------------------------

// (ABA-6): what is left for the modes, z_R, and d^-1 L^-1 of it
static inline void pass_mode_columns(const lb_body *b, const lb_flex_work *f, double *rows,
                                     wide6 *z)
{
    const int n = b->mode_count;
    for (int r = 0; r < n; ++r) {
        wide x = load(rows + r * WIDTH);
        if (b->moving) {
            x = add(x, dot_wide(&f->Pi_d[r], z));
        }
        for (int i = 0; i < r; ++i) {
            x = axpy(x, -f->P_ff[r * n + i], load(rows + i * WIDTH));
        }
        store(rows + r * WIDTH, x);
    }
    for (int r = 0; r < n; ++r) {
        const wide x = load(rows + r * WIDTH);
        add6(z, &f->P_rf[r], x);
        store(rows + r * WIDTH, scale(f->P_ff[r * n + r], x));
    }
}

// The same where the modes are eliminated by an update                                  (RTH-1)
//
//     z += g x,   D_f^-1 x = L x - Y (Gamma' (Y* x))
static void pass_update_columns(const lb_body *b, const lb_flex_work *f, double *rows, wide6 *z,
                                double *scratch)
{
    const lb_mode_update *u = b->update;
    const int n = b->mode_count, m = 6 * u->child_count;
    double *x = scratch, *t = x + n * WIDTH, *prime = t + m * WIDTH;
    for (int r = 0; r < n; ++r) {
        const wide own = load(rows + r * WIDTH);
        store(x + r * WIDTH, b->moving ? add(own, dot_wide(&f->Pi_d[r], z)) : own);
    }
    for (int r = 0; r < n; ++r) {
        add6(z, &f->P_rf[r], load(x + r * WIDTH));
    }
    for (int a = 0; a < u->child_count; ++a) {
        wide6 sum;
        memset(&sum, 0, sizeof sum);
        for (int r = 0; r < n; ++r) {
            add6(&sum, &u->Y[a * n + r], load(x + r * WIDTH));
        }
        store6(t + 6 * a * WIDTH, &sum);
    }
    for (int i = 0; i < m; ++i) {
        wide sum = scale(f->Prime[i * m], load(t));
        for (int j = 1; j < m; ++j) {
            sum = axpy(sum, f->Prime[i * m + j], load(t + j * WIDTH));
        }
        store(prime + i * WIDTH, sum);
    }
    for (int r = 0; r < n; ++r) {
        wide sum = scale(u->L[r * n], load(x));
        for (int i = 1; i < n; ++i) {
            sum = axpy(sum, u->L[r * n + i], load(x + i * WIDTH));
        }
        for (int a = 0; a < u->child_count; ++a) {
            const wide6 part = load6(prime + 6 * a * WIDTH);
            sum = subtract(sum, dot_wide(&u->Y[a * n + r], &part));
        }
        store(rows + r * WIDTH, sum);
    }
}

// eps = b - H z,  z+ = z + G eps,  nu = D^-1 eps
static inline void pass_hinge_columns(const lb_body *b, const lb_work *work, double *rows, wide6 *z)
{
    const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof;
    const double *D = work->D + b->factor;
    const int n = b->nv;
    if (b->simple) {
        const wide eps = subtract(load(rows), z->c[2]);
        add6(z, G, eps);
        store(rows, scale(*D, eps));
        return;
    }
    for (int i = 0; i < n; ++i) {
        store(rows + i * WIDTH, subtract(load(rows + i * WIDTH), dot_wide(&H[i], z)));
    }
    for (int i = 0; i < n; ++i) {
        add6(z, &G[i], load(rows + i * WIDTH));
    }
    // L^-1, d^-1, L*^-1
    for (int i = 1; i < n; ++i) {
        wide x = load(rows + i * WIDTH);
        for (int j = 0; j < i; ++j) {
            x = axpy(x, -D[i * n + j], load(rows + j * WIDTH));
        }
        store(rows + i * WIDTH, x);
    }
    for (int i = n - 1; i >= 0; --i) {
        wide x = scale(D[i * n + i], load(rows + i * WIDTH));
        for (int j = i + 1; j < n; ++j) {
            x = axpy(x, -D[j * n + i], load(rows + j * WIDTH));
        }
        store(rows + i * WIDTH, x);
    }
}

static void sweep_columns_inwards(const lb_model *model, const lb_work *work,
                                  const unsigned char *driven, int last, double *Z, double *X,
                                  double *scratch)
{
    memset(Z, 0, (size_t)(last + 1) * 6 * WIDTH * sizeof *Z);
    for (int k = last; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        double *rows = X + (ptrdiff_t)b->speed * WIDTH;
        wide6 z = load6(Z + (ptrdiff_t)k * 6 * WIDTH);
        if (b->update) {
            pass_update_columns(b, &work->flex[b->flex_index], rows, &z, scratch);
        } else if (b->mode_count) {
            pass_mode_columns(b, &work->flex[b->flex_index], rows, &z);
        }
        if (!(driven && driven[b->listed])) {
            pass_hinge_columns(b, work, rows + b->mode_count * WIDTH, &z);
        }
        if (b->parent < 0) {
            continue;
        }
        double *Z_p = Z + (ptrdiff_t)b->parent * 6 * WIDTH;
        const wide6 given = carry_force(&work->bodies[k].X, &z);
        for (int i = 0; i < 6; ++i) {
            store(Z_p + i * WIDTH, add(load(Z_p + i * WIDTH), given.c[i]));
        }
        if (b->at) {
            const lb_body *p = &model->bodies[b->parent];
            const lb_vec6 *Pi = work->joints[b->joint_index].Pi;
            double *rows_p = X + (ptrdiff_t)p->speed * WIDTH;
            for (int r = 0; r < p->mode_count; ++r) {
                double *row = rows_p + r * WIDTH;
                store(row, subtract(load(row), dot_wide(&Pi[r], &given)));
            }
        }
    }
}

// ---- base to tip -------------------------------------------------------------------------------

// (ABA-7)
static inline void return_mode_columns(const lb_body *b, const lb_flex_work *f, double *rows,
                                       wide6 *y)
{
    const int n = b->mode_count;
    for (int r = n - 1; r >= 0; --r) {
        wide x = subtract(load(rows + r * WIDTH), dot_wide(&f->P_rf[r], y));
        for (int i = r + 1; !b->update && i < n; ++i) {
            x = axpy(x, -f->P_ff[i * n + r], load(rows + i * WIDTH));
        }
        store(rows + r * WIDTH, x);
    }
    for (int r = 0; b->moving && r < n; ++r) {
        add6(y, &f->Pi_d[r], scale(-1.0, load(rows + r * WIDTH)));
    }
}

static void sweep_columns_outwards(const lb_model *model, const lb_work *work,
                                   const unsigned char *driven, double *Y, double *X)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof;
        double *rows = X + (ptrdiff_t)b->speed * WIDTH, *hinge = rows + b->mode_count * WIDTH;
        wide6 y;
        memset(&y, 0, sizeof y);
        if (b->parent >= 0) {
            y = load6(Y + (ptrdiff_t)b->parent * 6 * WIDTH);
            const lb_body *p = &model->bodies[b->parent];
            const double *rows_p = X + (ptrdiff_t)p->speed * WIDTH;
            for (int r = 0; b->at && r < p->mode_count; ++r) {
                add6(&y, &work->joints[b->joint_index].Pi[r], load(rows_p + r * WIDTH));
            }
            y = carry_motion(&work->bodies[k].X, y);
        }
        if (driven && driven[b->listed]) {
            memset(hinge, 0, (size_t)b->nv * WIDTH * sizeof *hinge);
        } else if (b->simple) {
            const wide x = subtract(load(hinge), dot_wide(G, &y));
            store(hinge, x);
            y.c[2] = add(y.c[2], x);
        } else {
            for (int i = 0; i < b->nv; ++i) {
                store(hinge + i * WIDTH, subtract(load(hinge + i * WIDTH), dot_wide(&G[i], &y)));
            }
            for (int i = 0; i < b->nv; ++i) {
                add6(&y, &H[i], load(hinge + i * WIDTH));
            }
        }
        if (b->mode_count) {
            return_mode_columns(b, &work->flex[b->flex_index], rows, &y);
        }
        store6(Y + (ptrdiff_t)k * 6 * WIDTH, &y);
    }
}

// ---- matrices ----------------------------------------------------------------------------------

// Columns from j on into rows of eight; B is NULL for the unit matrix.
static void fetch(const lb_model *model, const lb_derivative_work *s, const double *B, ptrdiff_t j,
                  double *X)
{
    const ptrdiff_t n = model->v_count;
    const ptrdiff_t count = n - j < WIDTH ? n - j : WIDTH;
    if (B && count == WIDTH) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            store(X + i * WIDTH, load(B + i * s->stride + j));
        }
        return;
    }
    memset(X, 0, (size_t)n * WIDTH * sizeof *X);
    for (ptrdiff_t e = 0; !B && e < count; ++e) {
        X[(j + e) * WIDTH + e] = 1.0;
    }
    for (ptrdiff_t i = 0; B && i < n; ++i) {
        memcpy(X + i * WIDTH, B + i * s->stride + j, (size_t)count * sizeof *X);
    }
}

// sign times the columns, from j on, in the caller's order
static void hand_out(const lb_model *model, const lb_derivative_work *s, const double *X,
                     double sign, ptrdiff_t j, double *out)
{
    const ptrdiff_t n = model->v_count;
    const ptrdiff_t count = n - j < WIDTH ? n - j : WIDTH;
    if (s->ordered && count == WIDTH) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            store(out + i * n + j, scale(sign, load(X + i * WIDTH)));
        }
        return;
    }
    for (ptrdiff_t i = 0; i < n; ++i) {
        double *row = out + model->speeds[i] * n;
        for (ptrdiff_t e = 0; e < count; ++e) {
            row[model->speeds[j + e]] = sign * X[i * WIDTH + e];
        }
    }
}

// The body of a speed, no body behind which has a speed before it.
static int find_last_body(const lb_model *model, ptrdiff_t speed)
{
    int low = 0, high = model->body_count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (model->bodies[middle].speed <= speed) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// out = sign M^-1 B
static void solve_right_sides(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                              const unsigned char *driven, const double *B, double sign,
                              double *out)
{
    const ptrdiff_t n = model->v_count;
    double *X = s->wide, *Z = X + n * WIDTH, *scratch = Z + model->body_count * 6 * WIDTH;
    for (ptrdiff_t j = 0; out && j < n; j += WIDTH) {
        // a unit force is felt inboard of it
        const ptrdiff_t end = B || j + WIDTH > n ? n : j + WIDTH;
        fetch(model, s, B, j, X);
        sweep_columns_inwards(model, work, driven, find_last_body(model, end - 1), Z, X, scratch);
        sweep_columns_outwards(model, work, driven, Z, X);
        hand_out(model, s, X, sign, j, out);
    }
}

// Derivatives of accelerations, by the recursion                                         (DER-7)
//
//     da/dq = -M^-1 dtau/dq,   da/dv = -M^-1 dtau/dv,   da/dtau = M^-1
//
// given     the articulated inertias of the last forward or hybrid dynamics in `work`: G, D, and of
//           flexible bodies G_f, D_f, or g and Gamma' of an update
//
// (ABA-4) for eight right sides at once; hinges that are driven hand everything on and stand still.
void lb_solve_derivative_columns(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                                 const unsigned char *driven, double *da_dq, double *da_dv,
                                 double *da_dtau)
{
    solve_right_sides(model, work, s, driven, s->dq, -1.0, da_dq);
    solve_right_sides(model, work, s, driven, s->dv, -1.0, da_dv);
    solve_right_sides(model, work, s, driven, NULL, 1.0, da_dtau);
}
