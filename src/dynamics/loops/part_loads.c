// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The force on a part of the tree: the reaction of one hinge or of all, the force in a cut through a flexible body, and
// what loads from outside do to such a part; in any axes, about any point.
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "base/symmetric.h"
#include "dynamics/tree/point_field.h"
#include "loop_products.h"
#include "loop_rows.h"
#include "model/numbers.h"

// ---- axes and points ---------------------------------------------------------------------------

// Pose of a node in world axes, seen from the root of its tree: no digits are lost far from the world's origin.
typedef struct place {
    int root; // -1 for the ground, which is seen from the world's origin
    lb_pose X;
} place;

static place see_from_root(const lb_model *model, const lb_work *work, int k, lb_pose X)
{
    for (; k >= 0 && model->bodies[k].parent >= 0; k = model->bodies[k].parent) {
        X = lb_pose_mul(&work->bodies[k].X, &X);
    }
    if (k >= 0) {
        const lb_mat3 *R = &work->X_0[k].R;
        X = (lb_pose){lb_mat3_mul(R, &X.R), lb_mat3_mul_vec(R, X.p)};
    }
    return (place){k, X};
}

static place see_node(const lb_model *model, const lb_work *work, int body, int node)
{
    const int k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    return see_from_root(model, work, k,
                         lb_get_node_place(model, work, k, lb_get_node(model, body, node)));
}

// From b to a, world axes.
static lb_vec3 measure(const lb_work *work, const place *a, const place *b)
{
    const lb_vec3 within = lb_vec3_sub(a->X.p, b->X.p);
    return a->root == b->root
               ? within
               : lb_vec3_add(within, lb_vec3_sub(work->X_0[a->root].p, work->X_0[b->root].p));
}

// A force that acts at a place, in its axes, as a frame has it.
static void write_force(const lb_model *model, const lb_work *work, const place *at, lb_vec6 f,
                        const lb_load_frame *frame, double out[6])
{
    const place axes = see_node(model, work, frame->axes_body, frame->axes_node);
    const place about = see_node(model, work, frame->about_body, frame->about_node);
    const lb_vec3 force = lb_mat3_mul_vec(&at->X.R, f.v);
    const lb_vec3 moment = lb_vec3_add(lb_mat3_mul_vec(&at->X.R, f.w),
                                       lb_vec3_cross(measure(work, at, &about), force));
    lb_vec3_to(lb_mat3_tmul_vec(&axes.X.R, moment), out);
    lb_vec3_to(lb_mat3_tmul_vec(&axes.X.R, force), out + 3);
}

// The frame of body k itself.
static place see_frame(const lb_model *model, const lb_work *work, int k)
{
    const lb_pose none = {lb_mat3_identity(), {0, 0, 0}};
    return see_from_root(model, work, k, none);
}

// ---- a part of the tree ------------------------------------------------------------------------

// What a part is made of; and how its force is written.
typedef struct part {
    lb_tree_part tree;
    const lb_flex_section *section; // NULL for the whole body
    lb_load_frame frame;
} part;

static const lb_flex_section *find_section(const lb_model *model, int body, int node)
{
    if (body < 0 || body >= model->body_count) {
        return NULL;
    }
    const lb_flex *flex = lb_get_record(model, body)->flex;
    for (int i = 0; flex && i < flex->section_count; ++i) {
        if (flex->sections[i].node == node) {
            return &flex->sections[i];
        }
    }
    return NULL;
}

bool lb_has_cut(const lb_model *model, int body, int node)
{
    return find_section(model, body, node) != NULL;
}

// The part beyond a hinge, or with a node beyond the cut there.
static bool find_part(const lb_model *model, int body, int node, const lb_load_frame *given,
                      part *out)
{
    *out = (part){.section = node == LB_NOT_FOUND ? NULL : find_section(model, body, node)};
    if ((node != LB_NOT_FOUND && !out->section) || body < 0 || body >= model->body_count) {
        return false;
    }
    const int own = out->section ? node : model->infos[body].hinge_node;
    out->tree.k = model->infos[body].sweep;
    out->tree.beyond = out->section ? out->section->beyond : NULL;
    return lb_settle_frame(model, given, (lb_load_frame){body, own, body, own}, &out->frame);
}

// Whether the far side of a cut has the hinge of the body.
static bool has_hinge(const lb_model *model, const part *p)
{
    const int body = model->bodies[p->tree.k].listed;
    return p->section && !p->section->all && p->section->beyond[model->infos[body].hinge_node];
}

// The whole body, written in the same frame.
static part take_whole(const part *p)
{
    return (part){.tree = {.k = p->tree.k}, .frame = p->frame};
}

// Whether body j hangs on the part, its parent being the body that is divided.
static bool is_carried(const lb_model *model, const part *p, int j)
{
    const lb_body *b = &model->bodies[j];
    return lb_has_node(&p->tree, b->parent, model->infos[b->listed].parent_node);
}

// The far side of a cut with the motion of its body: inertia and bias.
static const lb_flex_work *move_section(const lb_model *model, lb_work *work, const part *p)
{
    const lb_flex *far_side = p->section->far_side;
    const lb_flex_work *f = &work->flex[model->bodies[p->tree.k].flex_index];
    lb_flex_work *w = work->section;
    w->eta = f->eta;
    w->eta_dot = f->eta_dot;
    w->eta_ddot = f->eta_ddot;
    if (lb_is_ruthless(far_side)) {
        lb_start_ruthless(far_side, w);
    }
    lb_compute_flex_inertia(far_side, &work->bodies[p->tree.k].V.w, work->points, w);
    return w;
}

// What the motion of a part takes, about the frame of its body and in its axes          (SEC-1)
//
//     f(k) of (RNE-2) for a whole body;   beyond a cut, with M and b of the mass there,
//     f = M_rr alpha + M_rf eta_ddot + b_r + sum over children there of phi(k,j) f(j)
static lb_vec6 sum_motion(const lb_model *model, lb_work *work, const part *p)
{
    const int k = p->tree.k;
    lb_sweep_forces(model, work);
    if (!p->section) {
        return work->bodies[k].z;
    }
    const lb_flex_work *w = move_section(model, work, p);
    lb_vec6 f = lb_vec6_add(lb_inertia_mul(&w->M_rr, work->bodies[k].alpha), w->b_r);
    for (int r = 0; r < model->bodies[k].mode_count; ++r) {
        f = lb_vec6_axpy(f, w->eta_ddot[r], w->M_rf[r]);
    }
    for (int j = k + 1; j < model->body_count; ++j) {
        if (model->bodies[j].parent == k && is_carried(model, p, j)) {
            f = lb_vec6_add(f, lb_pose_carry_force(&work->bodies[j].X, work->bodies[j].z));
        }
    }
    return f;
}

// Sum of what was collected in y for the bodies of a part.
static lb_vec6 carry_part(const lb_model *model, lb_work *work, const part *p)
{
    for (int j = model->body_count - 1; j > p->tree.k; --j) {
        if (is_carried(model, p, j)) {
            lb_vec6 *y = &work->y[model->bodies[j].parent];
            *y = lb_vec6_add(*y, lb_pose_carry_force(&work->bodies[j].X, work->y[j]));
        }
    }
    return work->y[p->tree.k];
}

// The field on the mass beyond a cut, about the frame of its body. What does not vary over the body, all of it without
// gradient and the part of J2 in any case, is that at the centre of mass of the whole: so the two sides add up.
static lb_vec6 attract_section(const lb_oblate_gravity *field, const lb_pose *X,
                               const lb_inertia *whole, const lb_inertia *M)
{
    const lb_oblate_gravity round = {.point = field->point};
    const lb_field_here beyond = lb_find_field(&round, X, M);
    lb_field_here at = lb_find_field(field, X, whole);
    lb_vec6 load, constant, varying;
    (void)lb_attract(&at, M->m, false, &load);
    if (field->point.gradient) {
        at.j = 0.0;
        (void)lb_attract(&at, M->m, false, &constant);
        (void)lb_attract(&beyond, M->m, true, &varying);
        load = lb_vec6_add(load, lb_vec6_sub(varying, constant));
    }
    return lb_vec6_make(lb_vec3_add(load.w, lb_vec3_cross(beyond.c, load.v)), load.v);
}

// The field of a planet: of a body that is divided, on the mass beyond the cut.
static lb_status collect_field(const lb_model *model, lb_work *work, const part *p,
                               const lb_oblate_gravity *field)
{
    const int k = p->tree.k;
    const lb_status status = lb_collect_gravity(model, work, field);
    if (status < 0 || !p->section) {
        return status;
    }
    const lb_inertia M = move_section(model, work, p)->M_rr;
    work->y[k] = M.m > 0 ? attract_section(field, &work->X_0[k], lb_get_inertia(model, work, k), &M)
                         : lb_vec6_zero();
    return LB_OK;
}

static lb_status sum_applied(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                             const part *p, lb_vec6 *sum)
{
    lb_status status = LB_OK;
    for (int i = 0; i < applied->field_count && status >= 0; ++i) {
        status = collect_field(model, work, p, &applied->fields[i]);
        *sum = status < 0 ? *sum : lb_vec6_add(*sum, carry_part(model, work, p));
    }
    if (status >= 0 && applied->force_count > 0) {
        status =
            lb_collect_node_forces(model, work, &p->tree, applied->force_count, applied->forces);
        *sum = status < 0 ? *sum : lb_vec6_add(*sum, carry_part(model, work, p));
    }
    return status;
}

// Forces of loops, along their rows.
static lb_vec6 sum_loops(const lb_model *model, lb_work *work, const double *x, const part *p)
{
    for (int j = -1; j < model->body_count; ++j) {
        work->y[j] = lb_vec6_zero();
    }
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        for (int s = 0; s < 2 && slot->active && slot->loop.type != LB_LOOP_COUPLER; ++s) {
            lb_vec6 *y = &work->y[slot->k[s]];
            const bool there = lb_has_node(&p->tree, slot->k[s], slot->loop.ends[s].node);
            for (int r = 0; there && r < slot->loop.row_count; ++r) {
                *y = lb_vec6_axpy(*y, x[6 * l + r], slot->force[s][r]);
            }
        }
    }
    return carry_part(model, work, p);
}

static lb_status take_applied(const lb_applied_loads *given, lb_applied_loads *own)
{
    *own = (lb_applied_loads){.size = sizeof *own};
    return given ? lb_take_sized(own, sizeof *own, LB_SIZE_THROUGH(lb_applied_loads, fields), given)
                 : LB_OK;
}

// Loads from outside and forces of loops on a part; loops are along their rows, NULL for none.
static lb_status find_share(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                            const double *x, const part *p, lb_vec6 *share)
{
    *share = lb_vec6_zero();
    const lb_status status = sum_applied(model, work, applied, p, share);
    if (status >= 0 && x) {
        *share = lb_vec6_add(*share, sum_loops(model, work, x, p));
    }
    return status;
}

// What the rest of the tree exerts on a part                                   (RNE-3), (SEC-2)
static lb_status find_force(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                            const part *p, lb_vec6 *force)
{
    lb_vec6 share;
    const double *loops = work->has & LB_HAS_CLOSED ? work->loops->force : NULL;
    const lb_status status = find_share(model, work, applied, loops, p, &share);
    if (status >= 0) {
        *force = lb_vec6_sub(sum_motion(model, work, p), share);
    }
    return status;
}

static lb_status start(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                       int body, int node, const lb_load_frame *frame, unsigned stage,
                       lb_applied_loads *own, part *p)
{
    if (take_applied(applied, own) != LB_OK) {
        return LB_E_VERSION;
    }
    if (!find_part(model, body, node, frame, p)) {
        return LB_E_ARGUMENT;
    }
    const lb_status status = lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY | stage);
    if (status >= 0) {
        lb_update_motion(model, work);
    }
    return status;
}

// ---- reactions and sections --------------------------------------------------------------------

lb_status lb_compute_reaction(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                              int body, const lb_load_frame *frame, double reaction[6])
{
    part p;
    lb_applied_loads own;
    lb_vec6 force;
    lb_status status =
        start(model, work, applied, body, LB_NOT_FOUND, frame, LB_HAS_FORCES, &own, &p);
    status = status < 0 ? status : find_force(model, work, &own, &p, &force);
    if (status >= 0) {
        const place at = see_frame(model, work, p.tree.k);
        write_force(model, work, &at, force, &p.frame, reaction);
    }
    return status;
}

// The force in a cut: what the far side exerts on the near one                          (SEC-2)
//
//     -g(far side) if the hinge is on the near side;  g(body) - g(far side) if it is on the far one
//
// given     g, what the rest of the tree exerts on a part
lb_status lb_compute_cut_force(const lb_model *model, lb_work *work,
                               const lb_applied_loads *applied, int body, int node,
                               const lb_load_frame *frame, double load[6])
{
    part p;
    lb_applied_loads own;
    lb_vec6 beyond, whole = lb_vec6_zero();
    if (node == LB_NOT_FOUND) {
        return LB_E_ARGUMENT;
    }
    lb_status status = start(model, work, applied, body, node, frame, LB_HAS_FORCES, &own, &p);
    status = status < 0 ? status : find_force(model, work, &own, &p, &beyond);
    if (status < 0) {
        return status;
    }
    if (has_hinge(model, &p)) {
        const part all = take_whole(&p);
        status = find_force(model, work, &own, &all, &whole);
    }
    if (status >= 0) {
        const place at = see_frame(model, work, p.tree.k);
        write_force(model, work, &at, lb_vec6_sub(whole, beyond), &p.frame, load);
    }
    return status;
}

// Mode displacement: the force in a cut from the deformation alone                       (SEC-3)
//
//     sum over modes of  M_rf x  beyond the cut, less that of the whole body if the hinge is there;   M_ff x = K eta
//
// given     M_rf of either, M_ff of the body at its deformation
lb_status lb_compute_modal_cut_force(const lb_model *model, lb_work *work, int body, int node,
                                     const lb_load_frame *frame, double load[6])
{
    part p;
    if (node == LB_NOT_FOUND || !find_part(model, body, node, frame, &p)) {
        return LB_E_ARGUMENT;
    }
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    const lb_body *b = &model->bodies[p.tree.k];
    const lb_flex_work *whole = &work->flex[b->flex_index];
    const int n = b->mode_count;
    lb_flex_work *far_side = work->section;
    (void)move_section(model, work, &p);
    // the matrix of the far side has been used: room for the factors, and for x
    double *x = far_side->b_f;
    memcpy(far_side->M_ff, whole->M_ff, (size_t)n * (size_t)n * sizeof *whole->M_ff);
    memset(x, 0, (size_t)n * sizeof *x);
    lb_add_image(n, n, 1.0, b->flex->K, whole->eta, x);
    if (lb_factor_ldl(n, far_side->M_ff, n, NULL) >= 0) {
        return LB_E_SINGULAR;
    }
    lb_solve_ldl(n, far_side->M_ff, n, x);
    const bool is_near = has_hinge(model, &p);
    lb_vec6 f = lb_vec6_zero();
    for (int r = 0; r < n; ++r) {
        f = lb_vec6_axpy(f, x[r], far_side->M_rf[r]);
        f = is_near ? lb_vec6_axpy(f, -x[r], whole->M_rf[r]) : f;
    }
    const place at = see_frame(model, work, p.tree.k);
    write_force(model, work, &at, f, &p.frame, load);
    return LB_OK;
}

lb_status lb_compute_applied_share(const lb_model *model, lb_work *work,
                                   const lb_applied_loads *applied, const double *loop_forces,
                                   int body, int node, const lb_load_frame *frame, double share[6])
{
    part p;
    lb_applied_loads own;
    lb_vec6 beyond, whole = lb_vec6_zero();
    const double *x = NULL;
    lb_status status = start(model, work, applied, body, node, frame, 0, &own, &p);
    if (status >= 0 && loop_forces && model->pattern) {
        const ptrdiff_t count = (ptrdiff_t)6 * model->pattern->count;
        status = lb_check_numbers(work, "forces", count, loop_forces);
        if (status < 0) {
            return status;
        }
        lb_enter_all_rows(model, work, loop_forces);
        x = work->loops->x;
    }
    status = status < 0 ? status : find_share(model, work, &own, x, &p, &beyond);
    if (status >= 0 && has_hinge(model, &p)) {
        const part all = take_whole(&p);
        status = find_share(model, work, &own, x, &all, &whole);
    }
    if (status >= 0) {
        const place at = see_frame(model, work, p.tree.k);
        write_force(model, work, &at, lb_vec6_sub(beyond, whole), &p.frame, share);
    }
    return status;
}

// ---- loops -------------------------------------------------------------------------------------

lb_status lb_refer_loop_force(const lb_model *model, lb_work *work, int loop, const double force[6],
                              const lb_load_frame *given, double out[6])
{
    const bool known = model->pattern && loop >= 0 && loop < model->pattern->count;
    const lb_loop_slot *slot = known ? &work->loops->slots[loop] : NULL;
    if (!slot || !slot->active) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_end *ends = slot->loop.ends;
    lb_load_frame frame = {ends[0].body, ends[0].node, ends[1].body, ends[1].node};
    if (!lb_settle_frame(model, given, frame, &frame)) {
        return LB_E_ARGUMENT;
    }
    lb_status status = lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY);
    status = status < 0 ? status : lb_check_numbers(work, "force", 6, force);
    if (status < 0) {
        return status;
    }
    const lb_vec6 f = lb_vec6_from(force);
    // a coupler has no ends: its one entry stays what it is
    if (slot->loop.type == LB_LOOP_COUPLER) {
        lb_vec6_to(f, out);
        return LB_OK;
    }
    lb_update_motion(model, work);
    const place a = see_node(model, work, ends[0].body, ends[0].node);
    place b = see_node(model, work, ends[1].body, ends[1].node);
    b.X.R = a.X.R;
    write_force(model, work, &b, f, &frame, out);
    return LB_OK;
}

// ---- reactions of all hinges -------------------------------------------------------------------

// Loads of the bodies in y become those on each body and everything outboard of it.
static void carry_loads(const lb_model *model, lb_work *work)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        lb_vec6 *y_p = &work->y[model->bodies[k].parent];
        *y_p = lb_vec6_add(*y_p, lb_pose_carry_force(&work->bodies[k].X, work->y[k]));
    }
}

// A force on body k, about its frame, as the caller sees it: at O, in the axes of O.
static lb_vec6 refer_to_hinge(const lb_model *model, const lb_work *work, int k, lb_vec6 f)
{
    const lb_body *b = &model->bodies[k];
    if (b->moving) {
        // from the frame of the body to O
        const lb_pose *X = &work->joints[b->joint_index].X_d;
        const lb_vec3 moment = lb_vec3_sub(f.w, lb_vec3_cross(X->p, f.v));
        f = lb_vec6_make(lb_mat3_tmul_vec(&X->R, moment), lb_mat3_tmul_vec(&X->R, f.v));
    }
    // from the turned O to the caller's: only the axes differ
    const lb_mat3 *turn = &model->infos[b->listed].turn;
    return lb_vec6_make(lb_mat3_mul_vec(turn, f.w), lb_mat3_mul_vec(turn, f.v));
}

// What the motion of everything outboard takes, less the forces of loops.
static lb_status balance_motion(const lb_model *model, lb_work *work, double *reactions)
{
    if (lb_need_stage(work, LB_HAS_VELOCITY | LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    const int closed = (work->has & LB_HAS_CLOSED) != 0;
    if (closed) {
        // what the loops take off
        lb_collect_loop_forces(model, work, work->loops->force);
        for (int k = -1; k < model->body_count; ++k) {
            work->y[k] = work->loops->load[k];
        }
        carry_loads(model, work);
    }
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        lb_vec6 f = work->bodies[k].z;
        if (closed) {
            f = lb_vec6_sub(f, work->y[k]);
        }
        f = refer_to_hinge(model, work, k, f);
        double *out = reactions + (ptrdiff_t)6 * model->bodies[k].listed;
        lb_vec3_to(f.w, out);
        lb_vec3_to(f.v, out + 3);
    }
    return LB_OK;
}

// Takes what was collected in y off all reactions.
static void subtract_collected(const lb_model *model, lb_work *work, double *reactions)
{
    carry_loads(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_vec6 f = refer_to_hinge(model, work, k, work->y[k]);
        double *out = reactions + (ptrdiff_t)6 * model->bodies[k].listed;
        lb_vec3_to(lb_vec3_sub(lb_vec3_from(out), f.w), out);
        lb_vec3_to(lb_vec3_sub(lb_vec3_from(out + 3), f.v), out + 3);
    }
}

lb_status lb_compute_reactions(const lb_model *model, lb_work *work,
                               const lb_applied_loads *applied, double *reactions)
{
    lb_applied_loads own;
    if (take_applied(applied, &own) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = balance_motion(model, work, reactions);
    for (int i = 0; i < own.field_count && status >= 0; ++i) {
        status = lb_collect_gravity(model, work, &own.fields[i]);
        if (status >= 0) {
            subtract_collected(model, work, reactions);
        }
    }
    if (status >= 0 && own.force_count > 0) {
        status = lb_collect_node_forces(model, work, NULL, own.force_count, own.forces);
        if (status >= 0) {
            subtract_collected(model, work, reactions);
        }
    }
    return status < 0 ? status : LB_OK;
}
