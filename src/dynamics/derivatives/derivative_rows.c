// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the rows of loops and of the forces along them, analytic.
#include "derivative_paths.h"

#include <limits.h>
#include <string.h>

#include "dynamics/loops/loop_rows.h"

// Relative motion of the ends of a loop, or one column's change of it: axes of a, or of the world while
// it is summed up.
typedef struct change {
    lb_vec6 J;               // by the speed
    lb_vec3 shift;           // of d, by the coordinate
    lb_vec6 velocity;        // by the coordinate
    lb_vec6 acceleration;    // by the coordinate
    lb_vec6 acceleration_dv; // by the speed
} change;

// A loop between its two nodes.
typedef struct closure {
    lb_loop_slot *slot;
    int l;
    int stop; // the nearest common ancestor, or -1
    lb_path ends[2];
    lb_vec3 d, u;          // world: from a to b; velocity of b as seen from a
    lb_vec3 w, alpha;      // world: of node a
    lb_vec3 dw, dv;        // world: w_b - w_a, v_b - v_a
    lb_vec6 acc;           // world: (CLO-2)
    lb_vec3 u_a, lin_a;    // u and the linear part of acc in the axes of a
    lb_vec6 F[2];          // force on each end, in the frame of its tree
    lb_vec3 x_b[2];        // where b is, there
    lb_vec3 moment, force; // on b, world
} closure;

static int find_common_ancestor(const lb_model *model, int a, int b)
{
    while (a != b) { // a parent comes before its children, the ground before all
        if (a > b) {
            a = model->bodies[a].parent;
        } else {
            b = model->bodies[b].parent;
        }
    }
    return a;
}

// Velocity of the frame that a tree is written in.                                      (DER-1)
static lb_vec3 get_frame_velocity(const lb_model *model, const lb_derivative_work *s, int k)
{
    if (k < 0) {
        return lb_vec3_make(0, 0, 0);
    }
    while (model->bodies[k].parent >= 0) {
        k = model->bodies[k].parent;
    }
    return lb_vec3_neg(s->bodies[k].V_t.v);
}

// What the ends do. Columns inboard of both move them as one and change nothing between them: the ways end
// at the nearest common ancestor.
static closure meet(const lb_model *model, lb_work *work, const lb_derivative_work *s, int l)
{
    closure c = {.slot = &work->loops->slots[l], .l = l};
    const lb_loop_slot *slot = c.slot;
    const int stop = c.stop = find_common_ancestor(model, slot->k[0], slot->k[1]);
    lb_path *a = &c.ends[0], *b = &c.ends[1];
    *a = lb_find_path(model, work, s, slot->k[0], slot->node[0], stop, 1, s->path, s->own);
    *b = lb_find_path(model, work, s, slot->k[1], slot->node[1], stop, 1, s->path + a->count,
                      s->own + s->mode_max);
    c.d = lb_mat3_mul_vec(&slot->R_a, slot->d);
    c.w = a->V.w;
    c.alpha = a->A.w;
    c.dw = lb_vec3_sub(b->V.w, a->V.w);
    c.dv = lb_vec3_sub(b->v, a->v);
    if (stop < 0) { // trees of their own
        c.dv = lb_vec3_add(c.dv, lb_vec3_sub(get_frame_velocity(model, s, slot->k[1]),
                                             get_frame_velocity(model, s, slot->k[0])));
    }
    c.u = lb_vec3_sub(c.dv, lb_vec3_cross(c.w, c.d));

    // (CLO-2), with the accelerations A_v + A_w x x + w x v_x of the nodes
    lb_vec3 linear[2];
    for (int e = 0; e < 2; ++e) {
        const lb_path *p = &c.ends[e];
        linear[e] = lb_vec3_add(lb_vec3_add(p->A.v, lb_vec3_cross(p->A.w, p->x)),
                                lb_vec3_cross(p->V.w, p->v));
    }
    c.acc.w = lb_vec3_sub(lb_vec3_sub(b->A.w, a->A.w), lb_vec3_cross(c.w, c.dw));
    c.acc.v = lb_vec3_sub(lb_vec3_sub(linear[1], linear[0]), lb_vec3_cross(c.alpha, c.d));
    c.acc.v = lb_vec3_sub(c.acc.v, lb_vec3_cross(c.w, lb_vec3_add(c.dv, c.u)));
    c.u_a = lb_mat3_tmul_vec(&slot->R_a, c.u);
    c.lin_a = lb_mat3_tmul_vec(&slot->R_a, c.acc.v);
    return c;
}

static lb_vec6 see_from(const lb_mat3 *R, lb_vec3 angular, lb_vec3 linear)
{
    return lb_vec6_make(lb_mat3_tmul_vec(R, angular), lb_mat3_tmul_vec(R, linear));
}

// With the coordinate of a column that stands nothing changes.
static change stand_if_still(change x, const lb_path_entry *entry)
{
    x.shift = x.J.v;
    if (entry->still) {
        x.shift = lb_vec3_make(0, 0, 0);
        x.velocity = x.acceleration = lb_vec6_zero();
    }
    return x;
}

// A column on the way to b                                                             (DER-12)
//
//     J            t, s                      (turn and shift of the node)
//     velocity     dw, dv - w_a x s
//     acceleration dalpha - w_a x dw,  da - alpha_a x s - w_a x (2 dv - w_a x s)
//     by v         dalpha - w_a x t,   da - 2 w_a x s
static change change_b(const closure *c, const lb_path_entry *entry)
{
    const lb_node_change n = lb_change_node(&c->ends[1], entry->column, entry->still);
    const lb_mat3 *R = &c->slot->R_a;
    const lb_vec3 turning = lb_vec3_cross(c->w, n.pose.v);
    const lb_vec3 du = lb_vec3_sub(n.velocity.v, turning);
    change out;
    out.J = see_from(R, n.pose.w, n.pose.v);
    out.velocity = see_from(R, n.velocity.w, du);

    lb_vec3 linear = lb_vec3_sub(n.acceleration.v, lb_vec3_cross(c->alpha, n.pose.v));
    linear = lb_vec3_sub(linear, lb_vec3_cross(c->w, lb_vec3_add(n.velocity.v, du)));
    out.acceleration =
        see_from(R, lb_vec3_sub(n.acceleration.w, lb_vec3_cross(c->w, n.velocity.w)), linear);

    out.acceleration_dv =
        see_from(R, lb_vec3_sub(n.acceleration_dv.w, lb_vec3_cross(c->w, n.pose.w)),
                 lb_vec3_axpy(n.acceleration_dv.v, -2.0, turning));
    return stand_if_still(out, entry);
}

// A column on the way to a, whose axes turn by t                                       (DER-12)
//
//     J            -t,  -s - t x d
//     velocity     -dw - t x (w_b - w_a),   du - t x u,   du = -dv - dw x d + w_a x s
//     acceleration -dalpha - dw x (w_b - w_a) + w_a x dw - t x (angular part),
//                  -da - dalpha x d + alpha_a x s - dw x (v_b - v_a + u) + w_a x (dv - du)
//                  - t x (linear part)
//     by v         -dalpha - t x (w_b - w_a) + w_a x t,
//                  -da - dalpha x d - t x (v_b - v_a + u) + w_a x (2 s + t x d)
static change change_a(const closure *c, const lb_path_entry *entry)
{
    const lb_node_change n = lb_change_node(&c->ends[0], entry->column, entry->still);
    const lb_mat3 *R = &c->slot->R_a;
    const lb_vec3 t = n.pose.w, shift = n.pose.v, dw = n.velocity.w;
    const lb_vec3 both = lb_vec3_add(c->dv, c->u);
    const lb_vec3 dd = lb_vec3_neg(lb_vec3_add(shift, lb_vec3_cross(t, c->d)));
    change out;
    out.J = see_from(R, lb_vec3_neg(t), dd);

    lb_vec3 du = lb_vec3_sub(lb_vec3_cross(c->w, shift), lb_vec3_cross(dw, c->d));
    du = lb_vec3_sub(du, n.velocity.v);
    out.velocity = see_from(R, lb_vec3_neg(lb_vec3_add(dw, lb_vec3_cross(t, c->dw))),
                            lb_vec3_sub(du, lb_vec3_cross(t, c->u)));

    lb_vec3 angular = lb_vec3_add(n.acceleration.w, lb_vec3_cross(dw, c->dw));
    angular = lb_vec3_sub(lb_vec3_cross(c->w, dw), angular);
    angular = lb_vec3_sub(angular, lb_vec3_cross(t, c->acc.w));
    lb_vec3 linear = lb_vec3_add(n.acceleration.v, lb_vec3_cross(n.acceleration.w, c->d));
    linear = lb_vec3_sub(lb_vec3_cross(c->alpha, shift), linear);
    linear = lb_vec3_sub(linear, lb_vec3_cross(dw, both));
    linear = lb_vec3_add(linear, lb_vec3_cross(c->w, lb_vec3_sub(n.velocity.v, du)));
    linear = lb_vec3_sub(linear, lb_vec3_cross(t, c->acc.v));
    out.acceleration = see_from(R, angular, linear);

    const lb_vec6 da = n.acceleration_dv;
    angular = lb_vec3_sub(lb_vec3_cross(c->w, t), lb_vec3_add(da.w, lb_vec3_cross(t, c->dw)));
    linear = lb_vec3_add(da.v, lb_vec3_cross(da.w, c->d));
    linear = lb_vec3_add(linear, lb_vec3_cross(t, both));
    linear = lb_vec3_sub(lb_vec3_cross(c->w, lb_vec3_sub(shift, dd)), linear);
    out.acceleration_dv = see_from(R, angular, linear);
    return stand_if_still(out, entry);
}

// How the direction of a rod turns, in the axes of a: (I - e e') (change of d) / |d|
static lb_vec3 turn_rod(const closure *c, const change *x)
{
    const double length = lb_vec3_norm(c->slot->d);
    const lb_vec3 e = lb_vec3_from(c->slot->loop.W[0] + 3), dd = x->shift;
    return length > 0 ? lb_vec3_scale(1.0 / length, lb_vec3_axpy(dd, -lb_vec3_dot(e, dd), e))
                      : lb_vec3_make(0, 0, 0);
}

// ---- rows --------------------------------------------------------------------------------------

// Adds what the rows see of a change to a column of a matrix. Of a rod the row is `rod`, and `value`
// times the turning of its direction is in the six entries as well.
static void put(const closure *c, const lb_row_derivatives *out, double *matrix, int column,
                lb_vec6 x, const double *rod, double value, lb_vec3 turning)
{
    if (!matrix) {
        return;
    }
    const lb_loop *loop = &c->slot->loop;
    double *to = matrix + 6 * c->l * out->stride + column, rows[6], six[6];
    lb_enter_rows(loop, (const double[6]){x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z}, rows);
    if (rod) {
        rows[0] = *rod;
    }
    if (!out->six) {
        for (int r = 0; r < loop->row_count; ++r) {
            to[r * out->stride] += rows[r];
        }
        return;
    }
    lb_leave_rows(loop, rows, six);
    const double more[3] = {value * turning.x, value * turning.y, value * turning.z};
    for (int i = 0; i < 6; ++i) {
        to[i * out->stride] += six[i] + (rod && i >= 3 ? more[i - 3] : 0.0);
    }
}

// The row of a rod                                                                     (DER-13)
//
//     y = e.u,   z = e.a + (u.u - y^2) / l,   a the linear part of (CLO-2), e = d / l, all seen from a
//     dy = de.u + e.du,   dz = de.a + e.da + (2 u.du - 2 y dy - (z - e.a) dl) / l,   dl = e.dd
static void put_rod(const closure *c, const lb_row_derivatives *out, int column, const change *x)
{
    const lb_loop_slot *slot = c->slot;
    const double l = lb_vec3_norm(slot->d);
    const lb_vec3 e = lb_vec3_from(slot->loop.W[0] + 3), none = {0, 0, 0};
    const lb_vec3 de = turn_rod(c, x), u = c->u_a, dd = x->J.v;
    if (!(l > 0)) {
        return;
    }
    const double y = lb_vec3_dot(e, u), along = lb_vec3_dot(e, c->lin_a);
    const double bias = (lb_vec3_dot(u, u) - y * y) / l;
    const double by_v = lb_vec3_dot(e, dd);
    const double dy = lb_vec3_dot(de, u) + lb_vec3_dot(e, x->velocity.v);
    const double dz =
        lb_vec3_dot(de, c->lin_a) + lb_vec3_dot(e, x->acceleration.v) +
        (2.0 * lb_vec3_dot(u, x->velocity.v) - 2.0 * y * dy - bias * lb_vec3_dot(e, x->shift)) / l;
    const double dz_dv =
        lb_vec3_dot(e, x->acceleration_dv.v) + 2.0 * (lb_vec3_dot(u, dd) - y * by_v) / l;
    put(c, out, out->J, column, x->J, &by_v, 0.0, none);
    put(c, out, out->velocity, column, x->velocity, &dy, y - slot->motion.velocity[0], de);
    put(c, out, out->acceleration, column, x->acceleration, &dz,
        along + bias - slot->motion.acceleration[0], de);
    put(c, out, out->acceleration_dv, column, x->acceleration_dv, &dz_dv, 0.0, none);
}

static void put_change(const closure *c, const lb_row_derivatives *out, int column, const change *x)
{
    if (c->slot->loop.type == LB_LOOP_ROD) {
        put_rod(c, out, column, x);
        return;
    }
    const lb_vec3 none = {0, 0, 0};
    put(c, out, out->J, column, x->J, NULL, 0.0, none);
    put(c, out, out->velocity, column, x->velocity, NULL, 0.0, none);
    put(c, out, out->acceleration, column, x->acceleration, NULL, 0.0, none);
    put(c, out, out->acceleration_dv, column, x->acceleration_dv, NULL, 0.0, none);
}

static void put_rows(const closure *c, const lb_row_derivatives *out)
{
    for (int end = 0; end < 2; ++end) {
        const lb_path *path = &c->ends[end];
        for (int i = 0; i < path->count; ++i) {
            const lb_path_entry *entry = &path->entries[i];
            const change x = end ? change_b(c, entry) : change_a(c, entry);
            put_change(c, out, lb_get_place(out->order, entry->v), &x);
        }
    }
}

// Columns inboard of both ends, of one part of a body: they change what hinges with a ruthless side between
// them and the ends say of accelerations, and nothing else                             (DER-16)
//
//     angular  (N_b - N_a) d_w,   linear the same at x_b;   by v with S_w
static void put_inboard_columns(const closure *c, const lb_row_derivatives *out,
                                const lb_column *columns, int count, int first)
{
    for (int i = 0; i < count; ++i) {
        const lb_vec3 by[2] = {columns[i].d.w, columns[i].S.w};
        lb_vec6 seen[2];
        for (int j = 0; j < 2; ++j) {
            const lb_vec6 N =
                lb_vec6_sub(lb_apply_swirl(&c->ends[1], by[j]), lb_apply_swirl(&c->ends[0], by[j]));
            seen[j] =
                see_from(&c->slot->R_a, N.w, lb_vec3_add(N.v, lb_vec3_cross(N.w, c->ends[1].x)));
        }
        const change x = {.acceleration = seen[0], .acceleration_dv = seen[1]};
        put_change(c, out, lb_get_place(out->order, first + i), &x);
    }
}

static void put_inboard(const lb_model *model, const lb_derivative_work *s, const closure *c,
                        const lb_row_derivatives *out)
{
    for (int k = c->stop; k >= 0; k = model->bodies[k].parent) {
        const lb_body *b = &model->bodies[k];
        const lb_derivative_body *w = &s->bodies[k];
        put_inboard_columns(c, out, s->columns + w->hinge, b->nv, b->hinge_v);
        if (w->own >= 0) {
            put_inboard_columns(c, out, s->columns + w->own, b->mode_count, b->v);
        }
        if (w->at >= 0) {
            const lb_body *p = &model->bodies[b->parent];
            put_inboard_columns(c, out, s->columns + w->at, p->mode_count, p->v);
        }
    }
}

// A coupler has constant rows.                                                          (CLO-7)
static void put_coupler(const lb_model *model, const lb_loop_slot *slot, int l,
                        const lb_row_derivatives *out)
{
    for (int i = 0; out->J && i < slot->loop.term_count; ++i) {
        const lb_loop_term *t = &slot->loop.terms[i];
        const int column = lb_get_place(out->order, model->bodies[t->k].hinge_v + t->entry);
        out->J[6 * l * out->stride + column] += t->factor;
    }
}

// ---- forces ------------------------------------------------------------------------------------

static lb_vec6 act_at(lb_vec3 x, lb_vec3 moment, lb_vec3 force, double sign)
{
    const lb_vec3 whole = lb_vec3_add(moment, lb_vec3_cross(x, force));
    return lb_vec6_make(lb_vec3_scale(sign, whole), lb_vec3_scale(sign, force));
}

// The force of a loop as it acts on both ends, from six components in the axes of a. Of a rod, `held` is
// left with the linear ones.
static void load(closure *c, const double six[6], lb_vec3 *held)
{
    double rows[6], along[6];
    lb_enter_rows(&c->slot->loop, six, rows);
    lb_leave_rows(&c->slot->loop, rows, along);
    *held = lb_vec3_from(six + 3);
    c->moment = lb_mat3_mul_vec(&c->slot->R_a, lb_vec3_from(along));
    c->force = lb_mat3_mul_vec(&c->slot->R_a, lb_vec3_from(along + 3));
    c->x_b[0] = lb_vec3_add(c->ends[0].x, c->d);
    c->x_b[1] = c->ends[1].x;
    c->F[0] = act_at(c->x_b[0], c->moment, c->force, -1.0);
    c->F[1] = act_at(c->x_b[1], c->moment, c->force, 1.0);
}

// Change of the force with a column: it turns with a, its point moves with b, and a rod turns it as well.
typedef struct force_change {
    lb_vec3 moment, force, x_b;
} force_change;

static force_change change_force(const closure *c, int end, const lb_path_entry *entry,
                                 lb_vec3 held)
{
    force_change out = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const lb_column *column = entry->column;
    if (end == 0) {
        out.moment = lb_vec3_cross(column->S.w, c->moment);
        out.force = lb_vec3_cross(column->S.w, c->force);
    } else {
        out.x_b = lb_vec3_add(column->S.v, lb_vec3_cross(column->S.w, c->x_b[1]));
    }
    if (c->slot->loop.type == LB_LOOP_ROD) {
        const change x = end ? change_b(c, entry) : change_a(c, entry);
        const lb_vec3 e = lb_vec3_from(c->slot->loop.W[0] + 3), de = turn_rod(c, &x);
        const lb_vec3 more =
            lb_vec3_axpy(lb_vec3_scale(lb_vec3_dot(e, held), de), lb_vec3_dot(de, held), e);
        out.force = lb_vec3_add(out.force, lb_mat3_mul_vec(&c->slot->R_a, more));
    }
    return out;
}

// J' f                                                                                 (DER-14)
//
//     F = +-(n + x_b x f, f) on b and on a;  dF = +-(dn + dx_b x f + x_b x df, df)
//     dtau_i/dq_j = S_i . (dF - S_j x* F)     i outboard of j on the way to the same end, or in the
//                                             same joint, there with F . D_j S_i as well
//     dtau_i/dq_j = S_i . dF                  else
static void put_forces(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                       closure *c, const double six[6], const lb_view *out)
{
    lb_vec3 held;
    load(c, six, &held);
    for (int end = 0; end < 2; ++end) {
        for (int j = 0; j < c->ends[end].count; ++j) {
            const lb_path_entry *column = &c->ends[end].entries[j];
            if (column->still) {
                continue;
            }
            const force_change x = change_force(c, end, column, held);
            const lb_vec3 moment = lb_vec3_add(x.moment, lb_vec3_cross(x.x_b, c->force));
            for (int side = 0; side < 2; ++side) {
                const lb_vec6 dF = act_at(c->x_b[side], moment, x.force, side ? 1.0 : -1.0);
                const lb_vec6 seen = lb_vec6_axpy(dF, -1.0, lb_cross_force(column->S, c->F[side]));
                for (int i = 0; i < c->ends[side].count; ++i) {
                    const lb_path_entry *row = &c->ends[side].entries[i];
                    *lb_get_entry(out, row->v, column->v) +=
                        lb_vec6_dot(row->S, side == end && row->joint <= column->joint ? seen : dF);
                }
            }
        }
        lb_add_bends(model, work, s, &c->ends[end], INT_MAX, c->F[end], out);
    }
}

// Forces along a rod turn with it, seen from a.
static void put_turning(const closure *c, const lb_row_derivatives *out)
{
    const lb_vec3 e = lb_vec3_from(c->slot->loop.W[0] + 3);
    const double along = lb_vec3_dot(e, lb_vec3_from(out->forces + (ptrdiff_t)6 * c->l + 3));
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < c->ends[end].count; ++i) {
            const lb_path_entry *entry = &c->ends[end].entries[i];
            const change x = end ? change_b(c, entry) : change_a(c, entry);
            const lb_vec3 de = turn_rod(c, &x);
            double *to =
                out->turning + (6 * c->l + 3) * out->stride + lb_get_place(out->order, entry->v);
            to[0] += along * de.x;
            to[out->stride] += along * de.y;
            to[2 * out->stride] += along * de.z;
        }
    }
}

void lb_differentiate_rows(const lb_model *model, lb_work *work, lb_derivative_work *s,
                           const lb_row_derivatives *out)
{
    lb_place_loops(model, work);
    const int rows = out->J || out->velocity || out->acceleration || out->acceleration_dv;
    const lb_view force = {out->force, out->stride, out->order};
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        if (!slot->active) {
            continue;
        }
        if (slot->loop.type == LB_LOOP_COUPLER) {
            put_coupler(model, slot, l, out);
            continue;
        }
        const int turns = out->turning && slot->loop.type == LB_LOOP_ROD;
        if (!rows && !out->force && !turns) {
            continue;
        }
        closure c = meet(model, work, s, l);
        if (turns) {
            put_turning(&c, out);
        }
        if (rows) {
            put_rows(&c, out);
            if (c.ends[0].swirls || c.ends[1].swirls) {
                put_inboard(model, s, &c, out);
            }
        }
        if (out->force) {
            put_forces(model, work, s, &c, out->forces + (ptrdiff_t)6 * l, &force);
        }
    }
}
