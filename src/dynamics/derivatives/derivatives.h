// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the derivatives share: the layout of their workspace.
//
// Everything of a tree is written in one frame: world axes, about the origin of its root body, which
// moves with the velocity that this origin has (DER-1). No vector is carried from body to body then,
// and no digits are lost far from the world's origin or at orbital speed.
//
// Matrices in here are in sweep order (lb_model.speeds leads to the caller's), row by row with
// `stride` entries a row, so that the speeds of a subtree lie side by side.
#ifndef LB_DERIVATIVES_INTERNAL_H
#define LB_DERIVATIVES_INTERNAL_H

#include <string.h>

#include "base/hot.h"
#include "base/lane.h"
#include "limber/derivatives.h"
#include "model/layout.h"

/// One way for the outboard part of a tree to move.                                        (DER-2)
typedef struct lb_column {
    lb_vec6 S;  ///< motion per unit of speed
    lb_vec6 d;  ///< change of the velocity of what is outboard, seen there, per unit of coordinate
    lb_vec6 dd; ///< change of its acceleration likewise, less d x V
    lb_vec6 t;  ///< change of its acceleration per unit of speed, less S x V
} lb_column;

/// What of a body, or of the subtree that hangs on it, resists a change of motion.         (DER-3)
typedef struct lb_resistance {
    lb_inertia I;
    lb_mat3 T; ///< 2 B = [T 0; -2 f~ 0]
    lb_vec3 f; ///< linear momentum
    lb_vec6 F; ///< force that its motion takes
    /// NULL, or what hinges of ruthless bodies outboard add: 2 B = [T 0; U - 2 f~ 0]       (DER-16)
    lb_mat3 *U;
} lb_resistance;

/// Rates of ruthless modes that the accelerations behind a hinge lack: a turn, and the velocity of the
/// point c.                                                                               (DER-16)
typedef struct lb_dropped_rates {
    lb_vec3 w, v, c;
} lb_dropped_rates;

/// Columns of a hinge that carry rates but move nothing: those of ruthless bodies.
enum {
    LB_STILL_AT = 1, ///< of the parent's modes at O+
    LB_STILL_OWN = 2 ///< of the own modes at O
};

typedef struct lb_derivative_body {
    lb_pose X;         ///< of F_k
    lb_vec6 V, A;      ///< velocity and spatial acceleration of F_k
    lb_vec6 V_t, A_t;  ///< of O+
    lb_vec6 V_O, A_O;  ///< of O
    lb_resistance sum; ///< own on the way outwards, of the subtree on the way inwards
    int hinge;         ///< first of the hinge's columns
    int at;            ///< first of the columns of the parent's modes at O+, or -1
    int own;           ///< first of the columns of the own modes at O, or -1
    int still;         ///< LB_STILL_AT, LB_STILL_OWN
} lb_derivative_body;

/// A column on the way from a node to the base.
typedef struct lb_path_entry {
    lb_vec6 S;
    const lb_column *column; ///< the whole of it
    int v;                   ///< entry of the caller's v
    int joint; ///< counted from the node; columns of one hinge, or of the modes at one node, share it
    int still; ///< the modes of a ruthless body: with their coordinate nothing changes
} lb_path_entry;

/// The field of a point mass on the subtree of a body, in the common frame.               (DER-18)
typedef struct lb_field_load {
    lb_vec6 Y;    ///< the load
    lb_vec6 G[6]; ///< its change with each motion of the subtree as one
} lb_field_load;

/// The same field on one mode of a body, in the axes of the body.                         (DER-18)
typedef struct lb_field_mode {
    lb_vec3 E;      ///< M_vf
    lb_vec3 h;      ///< change of the first moment with the mode
    lb_sym3 S;      ///< change of M_ww with the mode
    double stretch; ///< tr J_r - 3 e.J_r e, J_r that of the inertia about the centre of mass
    lb_vec3 by_e;   ///< its change with e
} lb_field_mode;

/// A body in the sums over the system, in the common frame.                               (DER-19)
typedef struct lb_system_body {
    lb_vec6 h;      ///< momentum of its subtree
    lb_vec3 v_0;    ///< velocity of the common frame
    lb_vec3 offset; ///< where its origin is from the point of the sums
} lb_system_body;

/// Rows of v_count that the derivatives of the system take.
enum { LB_SYSTEM_ROWS = 18 };

/// Columns that the recursion takes at once.
enum { LB_WIDTH = 2 * LB_LANES };

struct lb_derivative_work {
    int has;             ///< q, v, a of the last call are kept
    const lb_work *seen; ///< the workspace of that call,
    unsigned long state; ///< and its lb_work.state behind it
    int stride;          ///< entries from row to row
    int ordered;         ///< the caller's order is the sweep order
    int *inward;         ///< by speed in sweep order: the next one towards the base, or -1
    int *skip;           ///< the same among the speeds that are free in a hybrid call
    int *way;            ///< scratch: speeds on the way to the base
    int *list_starts;    ///< by block of eight columns: first of its rows in `lists`; and the end
    int *lists;          ///< rows that have entries in a block of columns of dtau/dq and dtau/dv
    lb_derivative_body *bodies;
    lb_column *columns;
    lb_dropped_rates *dropped; ///< by body, where a side of its hinge is ruthless; or NULL
    double *y; ///< by speed, six rows: I S of what it moves                                (DER-4)
    double *w; ///< three rows: angular part of 2 B* S
    double *z; ///< six rows: change of the force with the coordinate
    double *u; ///< six rows: change of the force with the speed
    double *M; ///< mass matrix; then its factors
    double *W; ///< its inverse, or that of its free block
    double *product; ///< scratch, square
    double *wide; ///< scratch: LB_WIDTH columns, as many spatial vectors of each body, and what an
                  ///< update needs
    int by_columns;      ///< the recursion takes fewer products than the matrix
    double *diagonal;    ///< of D^-1
    double *dq;          ///< dtau/dq
    double *dv;          ///< dtau/dv
    lb_path_entry *path; ///< scratch of two ways: at most two entries a speed in all
    lb_column *behind; ///< scratch: columns that `path` needs changed; NULL without ruthless bodies
    lb_column *own;    ///< scratch: two a mode of one body
    int mode_max;      ///< modes of the body that has most
    lb_vec6 *local;    ///< scratch: two vectors a mode of one body
    lb_vec3 *local_g;  ///< scratch: one
    lb_field_load *field_loads;    ///< scratch: one a body
    lb_field_mode *field_modes;    ///< scratch: one a mode of one body
    lb_system_body *system_bodies; ///< scratch: one a body
    double *system_rows;           ///< scratch: LB_SYSTEM_ROWS of v_count
    double *points;                ///< scratch of the mass points, largest of all flexible bodies
    double *q, *v, *a;             ///< of the last call, in the caller's order
    double *step, *tau;            ///< scratch, in the caller's order
    int *order;                    ///< by entry of the caller's v: its speed
    int loop_entries;              ///< six for each slot of the model
    double *loop_forces, *loop_rates; ///< loop_entries each: forces held; scratch
    // loop_entries rows of `stride` along the rows of each slot, in sweep order
    double *loop_J;            ///< J
    double *loop_dq, *loop_dv; ///< of J a + bias; then of the forces
    double *loop_turn;         ///< of J y, y = M^-1 J' (J M^-1 J')^+ f                     (DER-15)
    double *loop_Y;            ///< M^-1 J': `stride` rows of loop_stride
    int loop_stride;
    int turns;              ///< loop_turn is filled
    int *loop_list;         ///< scratch: one a row of the longest product
    void *memory;           ///< what lb_create_derivative_work allocated, or NULL
    lb_allocator allocator; ///< of that memory
};

/// The workspace is at the state of the derivatives, after whatever was done with it.
static inline void lb_mark_state(lb_derivative_work *s, const lb_work *work)
{
    s->seen = work;
    s->state = work->state;
}

/// Whether derivatives were computed, and with the workspace as it is.
static inline int lb_is_at_state(const lb_derivative_work *s, const lb_work *work)
{
    return s->has && s->seen == work && s->state == work->state;
}

/// dtau/dq, dtau/dv and M into s->dq, s->dv, s->M, at the motion that `work` holds: needs
/// velocities, inertias with bias, and s->q, s->v, s->a.                          (DER-1)..(DER-6)
LB_HOT void lb_sweep_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s);

/// Derivatives of the motion of a node, after lb_sweep_derivatives.                        (DER-8)
void lb_differentiate_node(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                           int body, int node, const lb_node_derivatives *out);

/// dtau/dq, dtau/dv and M at a state, which `work` holds after inverse, forward or hybrid dynamics. It
/// is kept for the functions that come after.
void lb_differentiate_dynamics(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const double *q, const double *v, const double *a);

/// da/dq, da/dv and da/dtau from s->dq, s->dv and s->M, all of which it may overwrite.     (DER-7)
LB_HOT lb_status lb_solve_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      const unsigned char *driven, double *da_dq, double *da_dv,
                                      double *da_dtau);

/// The same by the articulated inertias in `work`, of a forward dynamics with these hinges driven; for
/// models with s->by_columns.
LB_HOT void lb_solve_derivative_columns(const lb_model *model, const lb_work *work,
                                        lb_derivative_work *s, const unsigned char *driven,
                                        double *da_dq, double *da_dv, double *da_dtau);

/// C += A B. Rows of A are there up to the next multiple of four, and those of B can be read eight
/// entries beyond their end.
typedef struct lb_product {
    int rows, inner, columns;
    const double *A;
    ptrdiff_t a_stride;
    const double *B;
    ptrdiff_t b_stride;
    double *C;
    ptrdiff_t c_stride;
} lb_product;

/// @param list  scratch, `inner` entries
LB_HOT void lb_add_product(const lb_product *product, int *list);

// ---- flexible bodies (derivative_flex.c) -------------------------------------------------------

/// Columns of the modes of a body at one of its nodes, in the axes of the body and about its frame:
/// Pi_F and its first and second rates there, into S, d and dd.                            (DER-5)
LB_HOT void lb_get_node_columns(const lb_node *node, const lb_pose *X, int n, const lb_flex_work *f,
                                lb_column *out);

/// sum over components of  F . dPi_F,s / d eta_r  at a node, n x n, [r n + s]; F in the axes of the
/// body, about its frame.
LB_HOT void lb_get_node_curvature(const lb_node *node, const lb_pose *X, int n, const double *eta,
                                  lb_vec6 F, double *out);

/// Doubles of scratch that the mass points of a body need.
LB_HOT size_t lb_get_point_derivative_scratch(const lb_flex *flex);

/// What a flexible body by itself adds to the speeds of its modes: own part of y, w, z, u and of the
/// blocks of dq, dv, M.                                                                    (DER-6)
LB_HOT void lb_start_mode_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      int k);

// ---- hinges of ruthless bodies (derivative_ruthless.c) -----------------------------------------

/// A hinge with a ruthless side, on the way outwards: w->V, w->A and the columns are first those of a
/// motion without the rates of ruthless modes.
typedef struct lb_crossing {
    lb_vec6 inboard; ///< rates of the parent's modes, if these stand; else zero
    lb_vec6 A;       ///< what their second derivatives add to the acceleration of O+
} lb_crossing;

/// Columns of the parent's modes at O+ where these stand.
LB_HOT void lb_start_crossing(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                              int k, lb_crossing *x);

/// Puts the rates into w->V, w->A and the columns.                                        (DER-16)
LB_HOT void lb_finish_crossing(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                               int k, const lb_crossing *x);

/// What is summed up over the subtree of k, from behind its hinge to before it.            (DER-16)
LB_HOT void lb_cross_inwards(const lb_model *model, lb_derivative_work *s, int k);

/// N_c(V) x: the motion that turns with w x x, and at c moves with 2 v x x                (DER-16)
static inline lb_vec6 lb_swirl(const lb_dropped_rates *V, lb_vec3 x)
{
    const lb_vec3 turn = lb_vec3_cross(V->w, x);
    return lb_vec6_make(turn, lb_vec3_axpy(lb_vec3_cross(V->c, turn), 2.0, lb_vec3_cross(V->v, x)));
}

// ---- small steps -------------------------------------------------------------------------------

/// V x S of a motion.
static inline lb_vec6 lb_cross_motion(lb_vec6 V, lb_vec6 S)
{
    return lb_vec6_make(lb_vec3_cross(V.w, S.w),
                        lb_vec3_add(lb_vec3_cross(V.w, S.v), lb_vec3_cross(V.v, S.w)));
}

/// V x* F of a force.
static inline lb_vec6 lb_cross_force(lb_vec6 V, lb_vec6 F)
{
    return lb_vec6_make(lb_vec3_add(lb_vec3_cross(V.w, F.w), lb_vec3_cross(V.v, F.v)),
                        lb_vec3_cross(V.w, F.v));
}

/// A motion at the origin of a frame, in its axes, written in the common frame.
static inline lb_vec6 lb_place_motion(const lb_pose *X, lb_vec6 a)
{
    const lb_vec3 w = lb_mat3_mul_vec(&X->R, a.w);
    return lb_vec6_make(w, lb_vec3_add(lb_mat3_mul_vec(&X->R, a.v), lb_vec3_cross(X->p, w)));
}

/// A force in the axes of a body, about its frame.
static inline lb_vec6 lb_bring_home(const lb_pose *X, lb_vec6 F)
{
    const lb_vec3 moment = lb_vec3_sub(F.w, lb_vec3_cross(X->p, F.v));
    return lb_vec6_make(lb_mat3_tmul_vec(&X->R, moment), lb_mat3_tmul_vec(&X->R, F.v));
}

/// What the axis of a hinge column is fixed in: O+, O, or O with speeds that are no rates.
typedef enum lb_attachment { LB_IN_PARENT, LB_IN_BODY, LB_IN_BODY_QUASI } lb_attachment;

static inline lb_attachment lb_get_attachment(int hinge, int i)
{
    switch (hinge) {
    case LB_HINGE_SPHERICAL:
    case LB_HINGE_FREE:
        return LB_IN_BODY_QUASI;
    case LB_HINGE_UNIVERSAL:
        return i == 1 ? LB_IN_BODY : LB_IN_PARENT;
    case LB_HINGE_PLANAR:
        return i == 2 ? LB_IN_BODY : LB_IN_PARENT;
    default:
        return LB_IN_PARENT;
    }
}

/// Columns that are the derivatives of a place                                            (DER-2)
///
///     d = dS/dt,   dd = d2S/dt2 = A x S + V x (V x S + 2 s') + s'',   t = 2 d
///
/// given S, and its rates s', s'' as seen from a frame of velocity V and acceleration A.
static inline void lb_finish_column(lb_column *c, lb_vec6 V, lb_vec6 A, lb_vec6 rate,
                                    lb_vec6 second)
{
    const lb_vec6 turning = lb_cross_motion(V, c->S);
    c->d = lb_vec6_add(turning, rate);
    c->dd = lb_vec6_add(lb_vec6_add(lb_cross_motion(A, c->S), second),
                        lb_cross_motion(V, lb_vec6_axpy(turning, 2.0, rate)));
    c->t = lb_vec6_add(c->d, c->d);
}

/// Columns of n modes at a node, from the axes of their body at X to the common frame; V and A are
/// those of the body's frame. With sign -1, those of the frame while the node stands.
static inline void lb_place_mode_columns(const lb_pose *X, lb_vec6 V, lb_vec6 A, double sign, int n,
                                         lb_column *c)
{
    const lb_vec6 zero = lb_vec6_zero();
    for (int r = 0; r < n; ++r) {
        c[r].S = lb_vec6_axpy(zero, sign, lb_place_motion(X, c[r].S));
        lb_finish_column(&c[r], V, A, lb_vec6_axpy(zero, sign, lb_place_motion(X, c[r].d)),
                         lb_vec6_axpy(zero, sign, lb_place_motion(X, c[r].dd)));
    }
}

/// What two ways of moving do together.
static inline lb_column lb_add_columns(const lb_column *a, const lb_column *b)
{
    const lb_column c = {lb_vec6_add(a->S, b->S), lb_vec6_add(a->d, b->d),
                         lb_vec6_add(a->dd, b->dd), lb_vec6_add(a->t, b->t)};
    return c;
}

/// The column by which the modes of body `parent` move what hangs on its child k; r-th mode.
static inline lb_column lb_get_branch_column(const lb_derivative_work *s, int parent, int k, int r)
{
    const int at = s->bodies[k].at, own = s->bodies[parent].own;
    if (at >= 0 && own >= 0) {
        return lb_add_columns(&s->columns[at + r], &s->columns[own + r]);
    }
    if (at < 0 && own < 0) {
        return (lb_column){0}; // a node that stands
    }
    return s->columns[(at >= 0 ? at : own) + r];
}

/// Four numbers from anywhere.
#ifndef LB_COUNTING // where numbers are recorded, they have a type of their own
typedef double lb_loose_lane __attribute__((vector_size(32), aligned(8)));
#endif

static inline lb_loose_lane lb_load_lanes(const double *x)
{
    return *(const lb_loose_lane *)(const void *)x;
}

static inline void lb_store_lanes(double *to, lb_loose_lane x)
{
    *(lb_loose_lane *)(void *)to = x;
}

/// A matrix in sweep order to the caller's order; `to` may be NULL.
static inline void lb_hand_out(const lb_model *model, const lb_derivative_work *s,
                               const double *from, double *to)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    if (to && s->ordered) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            memcpy(to + i * n, from + i * stride, (size_t)n * sizeof *to);
        }
        return;
    }
    for (ptrdiff_t i = 0; to && i < n; ++i) {
        double *row = to + model->speeds[i] * n;
        for (ptrdiff_t j = 0; j < n; ++j) {
            row[model->speeds[j]] = from[i * stride + j];
        }
    }
}

/// Entry `i` of a vector of `rows` (six or three).
static inline void lb_put_row(double *rows, ptrdiff_t stride, ptrdiff_t i, lb_vec6 x)
{
    rows[i] = x.w.x;
    rows[stride + i] = x.w.y;
    rows[2 * stride + i] = x.w.z;
    rows[3 * stride + i] = x.v.x;
    rows[4 * stride + i] = x.v.y;
    rows[5 * stride + i] = x.v.z;
}

static inline lb_vec6 lb_get_row(const double *rows, ptrdiff_t stride, ptrdiff_t i)
{
    return lb_vec6_make(
        lb_vec3_make(rows[i], rows[stride + i], rows[2 * stride + i]),
        lb_vec3_make(rows[3 * stride + i], rows[4 * stride + i], rows[5 * stride + i]));
}

static inline void lb_put_row3(double *rows, ptrdiff_t stride, ptrdiff_t i, lb_vec3 x)
{
    rows[i] = x.x;
    rows[stride + i] = x.y;
    rows[2 * stride + i] = x.z;
}

static inline lb_vec3 lb_get_row3(const double *rows, ptrdiff_t stride, ptrdiff_t i)
{
    return lb_vec3_make(rows[i], rows[stride + i], rows[2 * stride + i]);
}

/// I a + 2 B b: only the angular part of b counts.
static inline lb_vec6 lb_resist(const lb_resistance *r, lb_vec6 a, lb_vec3 b)
{
    lb_vec6 x = lb_inertia_mul(&r->I, a);
    if (r->U) {
        x.v = lb_vec3_add(x.v, lb_mat3_mul_vec(r->U, b));
    }
    return lb_vec6_make(lb_vec3_add(x.w, lb_mat3_mul_vec(&r->T, b)),
                        lb_vec3_axpy(x.v, -2.0, lb_vec3_cross(r->f, b)));
}

/// Angular part of 2 B* S; the linear part is zero.
static inline lb_vec3 lb_resist_transposed(const lb_resistance *r, lb_vec6 S)
{
    const lb_vec3 w = lb_vec3_axpy(lb_mat3_tmul_vec(&r->T, S.w), 2.0, lb_vec3_cross(r->f, S.v));
    return r->U ? lb_vec3_add(w, lb_mat3_tmul_vec(r->U, S.v)) : w;
}

#endif // LB_DERIVATIVES_INTERNAL_H
