// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The layout of models and workspaces.
//
// Bodies are stored in sweep order, parents first; `listed` leads back to the order of the caller,
// which his arrays q, v, tau, a follow (each record knows its own offsets into them).
//
// The frame of a body inside the library is chosen so that the sweeps have little to do: it is the
// hinge frame O itself, turned so that the hinge's axis is z. Inertia and nodes are carried there
// once, when the model is built; the caller's body frame survives as the node `origin`. Only where
// the hinge's own node moves with the modes is the caller's body frame kept (lb_moving_hinge).
#ifndef LB_LAYOUT_H
#define LB_LAYOUT_H

#include <assert.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/names.h"
#include "limber/model.h"
#include "limber/spatial.h"

#ifndef LB_ASSERT
#ifdef NDEBUG
#define LB_ASSERT(condition) ((void)0)
#else
#define LB_ASSERT(condition) assert(condition)
#endif
#endif

/// A place on a body. On a flexible body it moves with the modes: see flex.h.
typedef struct lb_node {
    const char *name;
    lb_pose X;             ///< undeformed, in the frame of the body
    const lb_vec6 *shape;  ///< by mode: (lambda_r, gamma_r); NULL if it does not move
    const lb_vec3 *second; ///< gamma2_rs, r <= s row by row; NULL for none
} lb_node;

typedef struct lb_work lb_work;
struct lb_division;
typedef struct lb_flex lb_flex;
typedef struct lb_flex_work lb_flex_work;
typedef struct lb_mode_update lb_mode_update;

/// A hinge whose node moves against the frame of its own body.
typedef struct lb_moving_hinge {
    const lb_node *node;
    lb_pose X;         ///< the turned O in the frame of the body, undeformed
    const lb_vec6 *Pi; ///< Pi^d_F by mode where the body is ruthless, or NULL
} lb_moving_hinge;

/// What the sweeps read of a body: one record of whole cache lines. (Behind the brace the attribute would be read by the
/// compiler of CUDA as one of the name only: records would have the alignment there, but not the size.)
typedef struct __attribute__((aligned(LB_ALIGNMENT))) lb_body {
    int parent;                    ///< sweep index, or -1
    int listed;                    ///< index in the order of the caller
    int hinge;                     ///< lb_hinge_type
    int mode_count;                ///< zero for a rigid body
    int q, v;                      ///< first entries in q and v: modes
    int hinge_q, hinge_v;          ///< first entries of the hinge
    int nq, nv;                    ///< how many the hinge has
    int speed, speed_end;          ///< own first and the whole subtree's last + 1, into speeds
    int dof;                       ///< first of the hinge's columns in lb_work.H and G
    int factor;                    ///< first entry of the hinge in lb_work.D
    int flex_index;                ///< into lb_work.flex, or -1 for a rigid body
    int angle;                     ///< of a simple hinge, into lb_work.sines; or -1
    int varies;                    ///< the columns of H* change in O
    int simple;                    ///< revolute between fixed places: see revolute_steps.h
    int joint_index;               ///< into lb_work.joints, or -1 for a hinge between rigid places
    int update_slot;               ///< place among the children of a parent with `update`
    double pitch;                  ///< screw
    const lb_mat3 *between;        ///< universal: turn between the axes
    const lb_flex *flex;           ///< NULL for a rigid body
    const lb_mode_update *update;  ///< ruthless bodies with many modes, or NULL
    const lb_node *at;             ///< the parent's node if that moves, or NULL
    const lb_moving_hinge *moving; ///< NULL if the hinge's own node does not move
    lb_pose X_p;                   ///< O+ in the frame of the parent, undeformed
    lb_inertia M;                  ///< about the frame's origin, undeformed
    double second[10];             ///< second moments of the mass, undeformed (CRB-3): unused, then
                                   ///< their matrix, rows
} lb_body;

/// Quantities that are read off the deformation: see lb_flex_recovery.
typedef struct lb_recovery {
    int row_count, mode_count, node_count; ///< nodes without `origin`
    const char *const *names;
    const double *modes;   ///< rows of mode_count
    const double *inertia; ///< rows of 12, or NULL
    const double *forces;  ///< rows of 6 node_count, or NULL
    lb_names index;
} lb_recovery;

/// What the sweeps need not read.
typedef struct lb_body_info {
    const char *name;
    int sweep; ///< index into lb_model.bodies
    int parent_node, hinge_node;
    int node_count;
    const lb_node *nodes;        ///< nodes[0] is `origin`
    lb_mat3 turn;                ///< the turned O in O: columns are its axes
    const lb_recovery *recovery; ///< or NULL
} lb_body_info;

/// One end of a closure constraint: listed body and node.
typedef struct lb_loop_end {
    int body, node;
} lb_loop_end;

/// One term of a coupler: an entry of the hinge of a body (sweep index).
typedef struct lb_loop_term {
    int k, entry;
    double factor;
} lb_loop_term;

/// A closure constraint.
typedef struct lb_loop {
    const char *name;
    lb_loop_type type;
    lb_loop_end ends[2]; ///< a, b; a coupler has none
    const lb_loop_term *terms;
    int term_count;
    int driven, as_assembled, inactive;
    const int *reach; ///< bodies (sweep indices) that it may join besides, when it is altered
    int reach_count, reach_all;
    int term_capacity; ///< terms that it has room for
    lb_vec3 axis;      ///< unit, in the frame of node a
    lb_pose offset;    ///< of b in a where the loop closes
    double length;     ///< of a rod; of a coupler what the relation amounts to
    int row_count;
    double W[6][6]; ///< constrained directions in the frame of a, orthonormal rows, angular first
} lb_loop;

typedef struct lb_loop_pattern lb_loop_pattern;
typedef struct lb_loop_work lb_loop_work;

/// Whether a speed of a hinge turns, as against shifts. Here, since other libraries ask it too.
static inline bool lb_is_turn(lb_hinge_type type, int speed)
{
    switch (type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_SCREW:
    case LB_HINGE_CYLINDRICAL:
        return speed == 0;
    case LB_HINGE_UNIVERSAL:
    case LB_HINGE_SPHERICAL:
        return true;
    case LB_HINGE_PLANAR:
        return speed == 2;
    case LB_HINGE_FREE:
        return speed < 3;
    default:
        return false;
    }
}

/// Sets the rows of a loop from its type and axis.
void lb_set_loop_rows(lb_loop *loop);

typedef struct lb_kernels lb_kernels;
typedef struct lb_batch_kernels lb_batch_kernels;

struct lb_model {
    lb_arena arena;
    const lb_kernels *kernels; ///< the hot path for the instruction set of the model
    const char *name;
    int body_count, q_count, v_count;
    int hinge_count;  ///< sum of lb_body.nv
    int factor_count; ///< sum of nv nv
    int flex_count;   ///< flexible bodies
    int joint_count;  ///< hinges with a moving node on either side
    lb_vec3 gravity;
    const lb_body *bodies;     ///< in sweep order; bodies[-1] is the ground
    const lb_body_info *infos; ///< in listed order
    const int *speeds;         ///< entries of v in sweep order: modes, then hinge, body by body
    const int *runs;           ///< by place in speeds: how many from there on rise by ones
    int full_rows;             ///< rows ahead in the mass matrix that have no zeros by the tree
    const int *angle_q;        ///< by angle: its entry in q
    int angle_count;           ///< hinges that turn about z
    const int *inward;         ///< by speed: the next one towards the base, or -1
    const lb_loop *loops;
    int loop_count, loop_rows, spare_count, spare_terms;
    const lb_loop_pattern *pattern; ///< how loops are coupled; NULL where there is no slot
    const lb_node *ground_nodes;
    int ground_node_count;
    lb_names names; ///< bodies
    /// Gives back what lb_attach_frozen attached; NULL for nothing.
    void (*detach)(struct lb_model *model);
};

/// What the sweeps write of a body: one record of whole cache lines.
typedef struct __attribute__((aligned(LB_ALIGNMENT))) lb_body_work {
    lb_pose X;     ///< X_pk: in the frame of the parent
    lb_vec6 V;     ///< velocity of the frame, in its axes; linear part with LB_HAS_LINEAR only
    lb_vec6 a;     ///< acceleration at zero accelerations of coordinates, less what the parent's
                   ///< carries over; with LB_HAS_BIAS only
    lb_vec6 alpha; ///< acceleration (inertial derivatives), gravity as a base acceleration in it
    lb_vec6 z;     ///< force: f of the inverse, z of the articulated sweeps
    union {
        lb_sym6 P;    ///< articulated inertia
        lb_inertia R; ///< composite inertia
        double S[16]; ///< the same as moments of the mass (CRB-3), rows
    };
} lb_body_work;

/// A rigid body on a revolute hinge takes at most 1 kB, what the model and the workspace hold of it
/// taken together.
static_assert(sizeof(lb_body) + sizeof(lb_body_work) + 2 * sizeof(lb_vec6) <= 1024,
              "records of a body have grown");
static_assert(sizeof(lb_body) % LB_ALIGNMENT == 0 && sizeof(lb_body_work) % LB_ALIGNMENT == 0,
              "records of a body are not whole cache lines");

/// What the sweeps write of a hinge with a moving node on either side. Axes of the parent.
typedef struct lb_joint_work {
    lb_pose X_t; ///< O+ in the frame of the parent
    lb_pose X_O; ///< O in the frame of the parent
    lb_pose X_d; ///< O in the frame of the body (moving hinges)
    lb_vec6 *Pi; ///< Pi^t_F by mode of the parent: Pi^t referred to its frame (FLX-11)
} lb_joint_work;

/// What of the workspace holds for the last state.
enum {
    LB_HAS_POSITION = 1,     ///< X, H
    LB_HAS_VELOCITY = 2,     ///< angular part of V; beta and eta_dot, from which the rest follows
    LB_HAS_ACCELERATION = 4, ///< alpha
    LB_HAS_FORCES = 8,       ///< alpha includes gravity and is that of the equations of motion
    LB_HAS_ARTICULATED = 16, ///< P, G, D
    LB_HAS_WORLD = 32,       ///< X_0
    LB_HAS_INERTIA = 64,     ///< M_m of flexible bodies
    LB_HAS_BIAS = 128,       ///< a
    LB_HAS_LINEAR = 256,     ///< linear part of V
    LB_HAS_RESPONSE = 512,   ///< P, G, D with the hinges of lb_work.held standing still
    LB_HAS_FACTORS = 1024,   ///< of the admittance of the loops that hold
    LB_HAS_CLOSED = 2048,    ///< alpha obeys the loops: forces of lb_loop_work act as well
    LB_HAS_DRIVES = 4096     ///< drives
};

/// lb_deferred.state where no sweep waits: no workspace sees that many states.
#define LB_NOTHING_DEFERRED (~0ul)

/// A sweep that was not run, because its result came from a frozen model (lb_attach_frozen). Whatever reads what
/// the sweep leaves in the workspace asks lb_need_stage first, which runs it then.
typedef struct lb_deferred {
    void (*run)(struct lb_deferred *deferred);
    const lb_model *model;
    lb_work *work;
    unsigned long state; ///< lb_work.state that it belongs to
    int sweep;           ///< which one
    double *q, *v, *x;   ///< what it was given; x is tau or a
    double *out;         ///< scratch: its result, once more
} lb_deferred;

/// Entries ahead of a row of columns, which lanes of four may touch.
enum { LB_COLUMN_MARGIN = 3 };

struct lb_work {
    unsigned has;
    unsigned long state; ///< number of states so far: lb_start_state
    int is_placed;       ///< the caller promises that the next q is the one it holds places for
    int bad_inertia_body, bad_inertia_offset;
    bool trusts_numbers;     ///< states are not looked at: lb_trust_numbers
    const char *bad_name;    ///< argument that was refused for a number, or NULL
    int bad_entry;           ///< which of its numbers
    lb_body_work *bodies;    ///< sweep order; bodies[-1] is the ground
    lb_pose *X_0;            ///< poses in the world, X_0[-1] the ground's
    lb_vec6 *H;              ///< columns of H*, in the frame of the body
    lb_vec6 *G;              ///< columns of the gains P H* D^-1
    double *D;               ///< factors L d L' of H P H*, 1/d on the diagonal, nv x nv each
    double *nu;              ///< D^-1 eps, by hinge column
    double *sines, *cosines; ///< by lb_body.angle
    double *scale;           ///< of the diagonal of M before cancellation, in the order of v
    double *F;               ///< columns of the composite-body mass matrix: six rows of a margin
                             ///< (LB_COLUMN_MARGIN) and v_count entries
    double *beta;            ///< hinge speeds, by hinge column
    double *x;               ///< scratch in the order of v
    lb_vec6 *y;              ///< scratch by body, y[-1] the ground's
    lb_flex_work *flex;      ///< by lb_body.flex_index
    lb_flex_work *section;   ///< scratch: the far side of a cut; its motion is that of the body
    lb_joint_work *joints;   ///< by lb_body.joint_index
    lb_vec6 *Pi;             ///< scratch: influence vectors of one node
    double *modal;           ///< scratch: 12 values a mode of one body
    double *update;          ///< scratch of lb_apply_mode_update, largest of all bodies
    double *points;          ///< scratch of the mass points, largest of all flexible bodies
    unsigned char *locked;   ///< by sweep index: the hinge is locked
    unsigned char *held;     ///< by sweep index: the hinge does not respond (LB_HAS_RESPONSE)
    int locked_count;        ///< of the former
    int held_count;          ///< of the latter
    unsigned char *listed;   ///< scratch: held, in listed order
    unsigned char *driven;   ///< by body, in listed order: lb_set_hinge_driven
    int driven_count;        ///< of those
    int algorithm;           ///< of forward dynamics: an lb_algorithm
    struct lb_division *division; ///< of divide and conquer, or NULL
    double *numbers;              ///< scratch of composite and unsplit, or NULL
    bool uses_tree;               ///< loops, locks and drives are left out: lb_use_tree
    double *drives;               ///< what locked and driven hinges need, in the order of v
    double *given, *drive;        ///< scratch in the order of v: of hinges that are held
    double *response;             ///< scratch in the order of v: what forces of loops do
    lb_loop_work *loops;          ///< NULL where there is no slot
    lb_vec3 *x_root;              ///< by body: place of its frame, seen from the root of its tree
    int x_root_users;             ///< number of loops with both ends in one tree, which need x_root
    void *memory;                 ///< what lb_create_work allocated, or NULL
    lb_allocator allocator;       ///< of that memory
    lb_deferred *deferred;        ///< NULL where the model is not frozen
};

/// The worse of two statuses: the first failure, or else the first news.
static inline lb_status lb_get_worse(lb_status a, lb_status b)
{
    return a < LB_OK ? a : b < LB_OK ? b : a != LB_OK ? a : b;
}

static inline lb_status lb_need_stage(const lb_work *work, unsigned what)
{
    if (work->deferred && work->deferred->state == work->state && (work->has & what) != what) {
        work->deferred->run(work->deferred);
    }
    return (work->has & what) == what ? LB_OK : LB_E_STAGE;
}

/// Begins a new state and says which quantities hold for it.
static inline void lb_start_state(lb_work *work, unsigned has)
{
    work->has = has;
    ++work->state;
}

/// Marks of places that a sweep may keep; zero if it has to compute them.
static inline unsigned lb_keep_places(const lb_work *work)
{
    const unsigned places = LB_HAS_POSITION | LB_HAS_WORLD;
    return work->is_placed && work->has & LB_HAS_POSITION ? work->has & places : 0u;
}

/// Remembers where an inertia was singular or indefinite.
static inline void lb_set_bad_inertia(lb_work *work, const lb_body *b, int offset)
{
    work->bad_inertia_body = b->listed;
    work->bad_inertia_offset = offset;
}

/// The body record of a listed body.
static inline const lb_body *lb_get_record(const lb_model *model, int body)
{
    LB_ASSERT(body >= 0 && body < model->body_count);
    return &model->bodies[model->infos[body].sweep];
}

/// The node of a body or of the ground; NULL if there is none.
static inline const lb_node *lb_get_node(const lb_model *model, int body, int node)
{
    if (body == LB_GROUND) {
        return node >= 0 && node < model->ground_node_count ? &model->ground_nodes[node] : NULL;
    }
    if (body < 0 || body >= model->body_count) {
        return NULL;
    }
    const lb_body_info *info = &model->infos[body];
    return node >= 0 && node < info->node_count ? &info->nodes[node] : NULL;
}

#endif // LB_LAYOUT_H
