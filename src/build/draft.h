// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a builder remembers until the model is built.
#ifndef LB_DRAFT_H
#define LB_DRAFT_H

#include "base/faults.h"
#include "elimination.h"
#include "model/modal/flex_draft.h"

enum { LB_FLEX_BUCKETS = 256, LB_MODES_MOST = 4096 };

/// A node as described: in the caller's body frame.
typedef struct lb_node_draft {
    const char *name;
    lb_pose X;
    struct lb_node_draft *next;
} lb_node_draft;

/// The ground or a body as described.
typedef struct lb_body_draft {
    const char *name, *parent, *at, *by;
    lb_hinge_options hinge;                ///< axes normalised
    lb_inertia M;                          ///< about the caller's body frame
    const lb_flex_draft *flex;             ///< NULL for a rigid body
    lb_node_draft *first_node, *last_node; ///< of a rigid body
    int node_count;                        ///< without `origin`
    int nodes_unknown;                     ///< the flexible part was refused, and its nodes with it
} lb_body_draft;

/// A closure constraint as described.
typedef struct lb_loop_draft {
    lb_loop_options options; ///< with copies of all that it points to, and a unit axis
    struct lb_loop_draft *next;
} lb_loop_draft;

struct lb_builder {
    lb_arena arena;
    lb_faults faults; ///< reported so far
    const char *name;
    lb_vec3 gravity;
    lb_body_draft ground;
    lb_body_draft *bodies;
    int body_count, capacity;
    lb_loop_draft *first_loop, *last_loop;
    int loop_count, spare_count, spare_terms;
    lb_elimination elimination;
    lb_instruction_set instructions;
    lb_flex_draft *flexes[LB_FLEX_BUCKETS]; ///< each kind of flexible body once, by hash
};

/// Checks that report at "where.key" and say whether all is well.
int lb_check_finite(lb_builder *builder, const char *where, const char *key, const double *x,
                    int count);
int lb_check_direction(lb_builder *builder, const char *where, const char *key, double axis[3]);
int lb_check_mass(lb_builder *builder, const char *where, double mass);
int lb_check_inertia(lb_builder *builder, const char *where, const double inertia[6], int of_line);
int lb_check_pose(lb_builder *builder, const char *where, const double position[3],
                  const double rotation[4], lb_pose *X);

/// Resolves the closure constraints against a model that is otherwise complete.
lb_status lb_build_loops(lb_builder *builder, lb_model *model);

// ---- flex_draft.c, flex_build.c ----------------------------------------------------------------

/// Checks and copies the flexible part of a body; equal ones share a copy. NULL after a report or
/// when memory is out; *status says which.
const lb_flex_draft *lb_draft_flex(lb_builder *builder, const char *where,
                                   const lb_flex_options *given, lb_status *status);

/// Checks and copies what can be read off the deformation of a body.
///
/// @param copy  out: NULL on failure
/// @return LB_OK, LB_E_MODEL (reported), LB_E_VERSION (reported) or LB_E_MEMORY
lb_status lb_draft_recovery(lb_builder *builder, const char *where, const lb_flex_options *flex,
                            const lb_recovery **copy);

/// A copy with memory of its own; NULL if memory is out.
const lb_recovery *lb_copy_recovery(lb_arena *arena, const lb_recovery *from);

/// Whether both are the same, or neither is there.
bool lb_is_same_recovery(const lb_recovery *a, const lb_recovery *b);

/// Inertia of the undeformed body about its frame.
lb_inertia lb_get_draft_inertia(const lb_flex_draft *draft);

/// Whether a node (1-based behind `origin`) moves with the modes.
int lb_draft_node_moves(const lb_flex_draft *draft, int node);

/// The constant data of a draft in a frame of the body in which the caller's frame has pose X.
const lb_flex *lb_build_flex(const lb_flex_draft *draft, const lb_pose *X, lb_arena *arena,
                             lb_arena *scratch);

#endif // LB_DRAFT_H
