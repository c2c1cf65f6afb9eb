// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The admittance of all closures, step C: what a force in one loop moves in another.
#include "loop_admittance.h"

#include <math.h>
#include <string.h>

#include "base/symmetric.h"

// Up to six forces on their way to the base: about the frame of body k, in its axes, with the
// influence of the modes of k at the node where they come in (NULL where that does not move).
typedef struct bundle {
    int k, count;
    const lb_vec6 *Pi;
    lb_vec6 z[6];
    int at_hinge; // acts on the hinge of k itself: T is the generalized force, z is nothing
    double T[6];
} bundle;

// Of lb_loop_work.marked: its admittance is there, or it stands still in all of them.
enum { MARKED = 1, MARKED_HUB };

static const double *get_factors(const lb_work *work, const lb_body *b)
{
    return work->D + b->factor;
}

// What the modes of k get of the forces: e = Pi^d_F* z - Pi_F* z, m for each.
static void get_modal(const lb_model *model, const lb_work *work, const bundle *f, double *e)
{
    const lb_body *b = &model->bodies[f->k];
    const lb_flex_work *w = &work->flex[b->flex_index];
    const int m = b->mode_count;
    for (int c = 0; c < f->count; ++c) {
        for (int r = 0; r < m; ++r) {
            e[c * m + r] = (b->moving ? lb_vec6_dot(w->Pi_d[r], f->z[c]) : 0.0) -
                           (f->Pi ? lb_vec6_dot(f->Pi[r], f->z[c]) : 0.0);
        }
    }
}

// Past the modes of k: z := z + g e; with `whole`, e becomes D_f^-1 e.
static void pass_modes(const lb_model *model, lb_work *work, bundle *f, double *e, int whole)
{
    const lb_body *b = &model->bodies[f->k];
    const int m = b->mode_count;
    for (int c = 0; c < f->count; ++c) {
        lb_pass_modes(b, work, e + (ptrdiff_t)c * m, &f->z[c]);
        if (whole) {
            lb_finish_modes(b, work, e + (ptrdiff_t)c * m);
        }
    }
}

// Past the hinge of k: e = H z, z := z - G e; a hinge that stands still lets everything through.
// A generalized force at the hinge: e = T, z := -G T.
static void pass_hinge(const lb_model *model, const lb_work *work, bundle *f, double *e)
{
    const lb_body *b = &model->bodies[f->k];
    const int n = b->nv, held = work->held[f->k];
    for (int c = 0; c < f->count; ++c) {
        const lb_vec6 z = f->z[c];
        for (int i = 0; i < n; ++i) {
            e[c * n + i] = held ? 0.0 : f->at_hinge ? f->T[i] : lb_vec6_dot(work->H[b->dof + i], z);
        }
        for (int i = 0; i < n && !held; ++i) {
            f->z[c] = lb_vec6_axpy(f->z[c], -e[c * n + i], work->G[b->dof + i]);
        }
    }
    f->at_hinge = 0;
}

// psi(c,k): from body to body until c.
static void carry_to(const lb_model *model, lb_work *work, int c, bundle *f)
{
    while (f->k != c) {
        const lb_body *b = &model->bodies[f->k];
        double e[36];
        if (b->mode_count && !f->at_hinge) {
            get_modal(model, work, f, work->modal);
            pass_modes(model, work, f, work->modal, 0);
        }
        pass_hinge(model, work, f, e);
        for (int i = 0; i < f->count; ++i) {
            f->z[i] = lb_pose_carry_force(&work->bodies[f->k].X, f->z[i]);
        }
        f->Pi = b->at ? work->joints[b->joint_index].Pi : NULL;
        f->k = b->parent;
    }
}

static int find_common(const lb_model *model, int i, int j)
{
    // a parent's index is the smaller one
    while (i != j) {
        if (i > j) {
            i = model->bodies[i].parent;
        } else {
            j = model->bodies[j].parent;
        }
    }
    return i;
}

static void add_products(int rows, int columns, int n, const double *x, const double *y,
                         double *block)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            for (int r = 0; r < n; ++r) {
                block[6 * i + j] += x[i * n + r] * y[j * n + r];
            }
        }
    }
}

// Admittance between two places                                                         (CLO-9)
//
//     Omega(x,y) = psi*(c,x) Upsilon(c) psi(c,y),   c the nearest common ancestor
//
// with the modes of c apart: e_x* D_f^-1 e_y + z_x* Upsilon_R(c) z_y. A force on the hinge of c
// itself: e_x* D^-1 e_y + z_x* Omega_+(c) z_y past the hinge. Hubs stand still.
//
// Source: Rodriguez, Jain and Kreutz-Delgado 1989, (.43), corrected for trees.
static void add_pair(const lb_model *model, lb_work *work, bundle x, bundle y, double *block)
{
    const int c = find_common(model, x.k, y.k);
    if (c < 0 || work->loops->marked[c] == MARKED_HUB) {
        return;
    }
    carry_to(model, work, c, &x);
    carry_to(model, work, c, &y);
    const lb_body *b = &model->bodies[c];
    const int m = b->mode_count, n = b->nv, rows = x.count, columns = y.count;
    if (m) {
        // e_x stays, e_y becomes D_f^-1 e_y; a force on the hinge passes the modes by
        double *e = work->modal, *De = e + (ptrdiff_t)6 * m;
        if (!x.at_hinge) {
            get_modal(model, work, &x, De);
            memcpy(e, De, (size_t)rows * (size_t)m * sizeof *e);
            pass_modes(model, work, &x, De, 0);
        }
        if (!y.at_hinge) {
            get_modal(model, work, &y, De);
            pass_modes(model, work, &y, De, 1);
        }
        if (!x.at_hinge && !y.at_hinge) {
            add_products(rows, columns, m, e, De, block);
        }
    }
    const lb_sym6 *A = &work->loops->Upsilon[c];
    if (x.at_hinge || y.at_hinge) {
        double e[36], De[36];
        pass_hinge(model, work, &x, e);
        pass_hinge(model, work, &y, De);
        for (int j = 0; j < columns && !work->held[c]; ++j) {
            lb_solve_ldl(n, get_factors(work, b), n, De + (ptrdiff_t)j * n);
        }
        add_products(rows, columns, n, e, De, block);
        A = &work->loops->carried[c];
    }
    for (int j = 0; j < columns; ++j) {
        const lb_vec6 a = lb_sym6_mul(A, y.z[j]);
        for (int i = 0; i < rows; ++i) {
            block[6 * i + j] += lb_vec6_dot(x.z[i], a);
        }
    }
}

// ---- bodies ------------------------------------------------------------------------------------

// P += a b' + b a'
static void add_both(lb_sym6 *P, lb_vec6 a, lb_vec6 b)
{
    double x[6], y[6];
    lb_vec6_to(a, x);
    lb_vec6_to(b, y);
    P->J.xx += 2 * x[0] * y[0];
    P->J.yy += 2 * x[1] * y[1];
    P->J.zz += 2 * x[2] * y[2];
    P->J.xy += x[0] * y[1] + x[1] * y[0];
    P->J.xz += x[0] * y[2] + x[2] * y[0];
    P->J.yz += x[1] * y[2] + x[2] * y[1];
    P->M.xx += 2 * x[3] * y[3];
    P->M.yy += 2 * x[4] * y[4];
    P->M.zz += 2 * x[5] * y[5];
    P->M.xy += x[3] * y[4] + x[4] * y[3];
    P->M.xz += x[3] * y[5] + x[5] * y[3];
    P->M.yz += x[4] * y[5] + x[5] * y[4];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P->H.m[i][j] += x[i] * y[3 + j] + y[i] * x[3 + j];
        }
    }
}

static void read_block(const double B[36], lb_sym6 *P)
{
    P->J = (lb_sym3){B[0], B[7], B[14], B[1], B[2], B[8]};
    P->M = (lb_sym3){B[21], B[28], B[35], B[22], B[23], B[29]};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P->H.m[i][j] = B[6 * i + 3 + j];
        }
    }
}

// Omega_+(k): what the parent moves under forces at the frame of k, the hinge of k passed: unit
// forces carried over, past the parent's modes.
static void carry_admittance(const lb_model *model, lb_work *work, int k, lb_sym6 *out)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    const lb_sym6 *Upsilon = &work->loops->Upsilon[b->parent];
    bundle f = {.k = b->parent, .count = 6};
    f.Pi = b->at ? work->joints[b->joint_index].Pi : NULL;
    double B[36] = {0};
    for (int c = 0; c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1.0;
        f.z[c] = lb_pose_carry_force(&work->bodies[k].X, lb_vec6_from(unit));
    }
    if (p->mode_count) {
        const int m = p->mode_count;
        double *e = work->modal, *De = e + (ptrdiff_t)6 * m;
        get_modal(model, work, &f, e);
        memcpy(De, e, 6 * (size_t)m * sizeof *e);
        pass_modes(model, work, &f, De, 1);
        add_products(6, 6, m, e, De, B);
    }
    for (int j = 0; j < 6; ++j) {
        const lb_vec6 a = lb_sym6_mul(Upsilon, f.z[j]);
        for (int i = 0; i <= j; ++i) {
            B[6 * i + j] += lb_vec6_dot(f.z[i], a);
        }
    }
    read_block(B, out);
}

// Admittance of a frame, its modes at rest                                              (CLO-9)
//
//     Upsilon_R(k) = H* D^-1 H + (I - G H)* Omega_+(k) (I - G H)
//
// computed as Omega_+ - sum_i (H_i u_i* + u_i H_i*), where
//     u_i = Omega_+ G_i - 1/2 sum_j (D^-1 + G* Omega_+ G)_ij H_j
static void pass_admittance(const lb_model *model, const lb_work *work, int k,
                            const lb_sym6 *carried, lb_sym6 *Upsilon)
{
    const lb_body *b = &model->bodies[k];
    const int n = b->nv;
    const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof;
    *Upsilon = *carried;
    if (work->held[k]) {
        return;
    }
    lb_vec6 B[6];
    for (int i = 0; i < n; ++i) {
        B[i] = lb_sym6_mul(carried, G[i]);
    }
    for (int i = 0; i < n; ++i) {
        double row[6] = {0};
        row[i] = 1.0;
        lb_solve_ldl(n, get_factors(work, b), n, row);
        lb_vec6 u = B[i];
        for (int j = 0; j < n; ++j) {
            u = lb_vec6_axpy(u, -0.5 * (row[j] + lb_vec6_dot(G[i], B[j])), H[j]);
        }
        const lb_vec6 minus = lb_vec6_sub(lb_vec6_zero(), u);
        add_both(Upsilon, H[i], minus);
    }
}

// From the base outwards to body k, beginning with the first that is not marked. What is at a hub, or at
// its hinge, stands still.
static void find_path(const lb_model *model, lb_work *work, int k)
{
    lb_loop_work *loops = work->loops;
    const int hubs = model->pattern->hub_count > 0;
    int count = 0;
    for (; k >= 0 && !loops->marked[k]; k = model->bodies[k].parent) {
        loops->marked[k] = hubs && model->pattern->hub[k] >= 0 ? MARKED_HUB : MARKED;
        loops->path[count++] = k;
    }
    while (count > 0) {
        k = loops->path[--count];
        const int p = model->bodies[k].parent;
        lb_sym6 passing, *carried = loops->couplers > 0 ? &loops->carried[k] : &passing;
        if (p >= 0 && loops->marked[p] != MARKED_HUB) {
            carry_admittance(model, work, k, carried);
        } else {
            *carried = (lb_sym6){0};
        }
        if (loops->marked[k] != MARKED_HUB) {
            pass_admittance(model, work, k, carried, &loops->Upsilon[k]);
        }
    }
}

void lb_find_admittances(const lb_model *model, lb_work *work, const lb_loop_slot *slot)
{
    for (int s = 0; s < 2 && slot->loop.type != LB_LOOP_COUPLER; ++s) {
        find_path(model, work, slot->k[s]);
    }
    for (int i = 0; i < slot->loop.term_count; ++i) {
        find_path(model, work, slot->loop.terms[i].k);
    }
}

// ---- loops -------------------------------------------------------------------------------------

// Where a loop acts on the tree: its two ends, or the terms of a coupler.
int lb_count_sources(const lb_loop_slot *slot)
{
    return slot->loop.type == LB_LOOP_COUPLER ? slot->loop.term_count : 2;
}

static bundle get_source(const lb_loop_slot *slot, int i)
{
    bundle f = {.k = -1, .count = slot->loop.row_count};
    if (slot->loop.type == LB_LOOP_COUPLER) {
        const lb_loop_term *term = &slot->loop.terms[i];
        f.k = term->k;
        f.at_hinge = 1;
        f.T[term->entry] = term->factor;
        f.z[0] = lb_vec6_zero();
        return f;
    }
    f.k = slot->k[i];
    f.Pi = slot->Pi[i];
    for (int r = 0; r < f.count; ++r) {
        f.z[r] = slot->force[i][r];
    }
    return f;
}

void lb_form_loop_block(const lb_model *model, lb_work *work, const lb_loop_slot *i,
                        const lb_loop_slot *j, double block[36])
{
    memset(block, 0, 36 * sizeof *block);
    for (int x = 0; x < lb_count_sources(i); ++x) {
        const bundle f = get_source(i, x);
        for (int y = 0; f.k >= 0 && y < lb_count_sources(j); ++y) {
            const bundle g = get_source(j, y);
            if (g.k >= 0) {
                add_pair(model, work, f, g, block);
            }
        }
    }
}

// Rows at the hubs that forces pass on their way to the base                            (HUB-1)
//
//     E = D^-1/2 H psi(h,x),   modes before the hinge: D_f^-1/2 e
//
// as far as the hinge moves at all.
static void add_hub_rows(const lb_model *model, lb_work *work, bundle f, int width, double *F)
{
    const lb_loop_pattern *pattern = model->pattern;
    for (int h = f.k < 0 ? -1 : pattern->near[f.k]; h >= 0;) {
        const lb_body *b = &model->bodies[h];
        const int m = b->mode_count, n = b->nv;
        double *out = F + pattern->hub[h], e[36];
        carry_to(model, work, h, &f);
        if (m && !f.at_hinge) {
            const double *D_f = work->flex[b->flex_index].P_ff;
            get_modal(model, work, &f, work->modal);
            pass_modes(model, work, &f, work->modal, 0);
            for (int c = 0; c < f.count; ++c) {
                for (int r = 0; r < m; ++r) {
                    out[c * width + r] += work->modal[c * m + r] / sqrt(D_f[r * m + r]);
                }
            }
        }
        pass_hinge(model, work, &f, e);
        const double *D = get_factors(work, b);
        for (int c = 0; c < f.count && !work->held[h]; ++c) {
            lb_solve_lower(n, D, n, e + (ptrdiff_t)c * n);
            for (int i = 0; i < n; ++i) {
                out[c * width + m + i] += e[c * n + i] * sqrt(D[i * n + i]);
            }
        }
        h = b->parent < 0 ? -1 : pattern->near[b->parent];
        for (int c = 0; c < f.count && h >= 0; ++c) {
            f.z[c] = lb_pose_carry_force(&work->bodies[f.k].X, f.z[c]);
        }
        f.Pi = b->at ? work->joints[b->joint_index].Pi : NULL;
        f.k = b->parent;
    }
}

int lb_get_source_group(const lb_model *model, const lb_loop_slot *slot, int i)
{
    const int k = slot->loop.type == LB_LOOP_COUPLER ? slot->loop.terms[i].k : slot->k[i];
    const int h = k < 0 || !model->pattern->hub_count ? -1 : model->pattern->near[k];
    return h < 0 ? -1 : model->pattern->hub_group[h];
}

void lb_add_hub_rows(const lb_model *model, lb_work *work, const lb_loop_slot *slot, int i,
                     int width, double *F)
{
    add_hub_rows(model, work, get_source(slot, i), width, F);
}

double lb_get_loop_scale(const lb_model *model, lb_work *work, const lb_loop_slot *slot)
{
    double largest = 0.0;
    for (int s = 0; s < lb_count_sources(slot); ++s) {
        bundle f = get_source(slot, s);
        if (f.k < 0) {
            continue;
        }
        double block[36] = {0};
        if (!f.at_hinge) {
            // six unit forces at the node, in the axes of the body
            const lb_pose at = {lb_mat3_identity(), slot->at[s].p};
            f.count = 6;
            for (int c = 0; c < 6; ++c) {
                double unit[6] = {0};
                unit[c] = 1.0;
                f.z[c] = lb_pose_carry_force(&at, lb_vec6_from(unit));
            }
        }
        add_pair(model, work, f, f, block);
        const int group = lb_get_source_group(model, slot, s);
        if (group >= 0) {
            const int width = model->pattern->hubs[group].width;
            double *F = work->loops->rows_scratch;
            memset(F, 0, 6 * (size_t)width * sizeof *F);
            add_hub_rows(model, work, f, width, F);
            for (int i = 0; i < f.count * width; ++i) {
                block[7 * (i / width)] += F[i] * F[i];
            }
        }
        // a node that stands still moves by round-off: its own is no scale, its body's mass is
        const double mass = f.at_hinge ? 0.0 : lb_get_inertia(model, work, f.k)->m;
        const double least = mass > 0 ? 1e-3 / mass : 0.0;
        largest = least > largest ? least : largest;
        for (int c = 0; c < f.count; ++c) {
            largest = block[7 * c] > largest ? block[7 * c] : largest;
        }
    }
    return largest;
}
