// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops inside models and workspaces: how they are coupled, and what is derived of each.
//
// Two loops are coupled where a force in one moves the other: where they reach bodies of the same
// branch, a branch being a body that moves, its parents standing still, and everything outboard of
// it. The admittance of all closures has a 6 x 6 block for each coupled pair. Its factors follow an
// order of elimination that is chosen once, when the model is built; loops that may join anything,
// the spare ones among them, come last and have a block with every loop.
#ifndef LB_LOOP_WORK_H
#define LB_LOOP_WORK_H

#include "limber/loops.h"
#include "model/layout.h"

/// Hubs: bodies at which so many loops meet that they are better taken out of the admittance, and put
/// back by their own mass. Those of one group of coupled loops are taken together; whatever is inboard
/// of a hub is one as well, or stands still.
typedef struct lb_loop_hub {
    int first, last; ///< positions of the group's loops
    int width;       ///< coordinates of its hubs: modes, hinge of each
    int modes;       ///< most of one of its hubs
    int row;         ///< widths of the groups before
    size_t at;       ///< doubles of the groups before in lb_loop_work.hub_memory
} lb_loop_hub;

/// Order and places of the blocks. A loop is known here by its position in the order.
struct lb_loop_pattern {
    int count;           ///< positions: loops of the model, then those that may join anything
    int ordered;         ///< positions of the former
    int block_count;     ///< below the diagonal
    const int *slot;     ///< by position: the loop
    const int *position; ///< by loop
    const int *column;   ///< by position: first block of its column; one more at the end
    const int *row;      ///< by block: its row, ascending within a column
    const int *across;   ///< by position: first entry of its row in the next two; one more
    const int *entry;    ///< the blocks of a row, by ascending column
    const int *at;       ///< their columns
    int mode_most;       ///< most modes of a body
    const int *branch;   ///< by sweep index: the body at the root of its branch, hubs standing
                         ///< still; or -1
    const int *modes;    ///< by body at the root of a branch: most modes of a body there
    const int *root;     ///< by sweep index: the body on the ground that it hangs on
    int hub_count;       ///< groups with hubs
    const lb_loop_hub *hubs;
    const int *group;     ///< by position: its group, or -1; -1 of the last
    const int *hub;       ///< by sweep index: the first coordinate of a hub in its group, or -1
    const int *hub_group; ///< by sweep index: the group of a hub
    const int *near;      ///< by sweep index: the hub nearest to it on the way to the base, or -1
    const size_t *edge;   ///< by position: its rows at the hubs in lb_loop_work.edges; one more
    size_t edge_count;    ///< doubles of those
    size_t hub_size;      ///< doubles of lb_loop_work.hub_memory
    int widest, rows;     ///< widths of the groups: the largest, all together
    size_t null_count;    ///< doubles for directions in which several loops repeat each other
};

/// A direction in which loops carry nothing between them: an orthonormal set, by position.
typedef struct lb_loop_null {
    int first, last; ///< positions that it reaches
    int column;      ///< of Q at the last, in which it ends
    int group;       ///< a direction of what the hubs of this group leave; -1 for one of all
    double *x;       ///< six for each of them
} lb_loop_null;

/// One slot: what it joins, and what is derived of it.
typedef struct lb_loop_slot {
    lb_loop loop;
    int active, set;        ///< holds; joins anything
    int moves;              ///< `motion` is not all zero
    int k[2];               ///< sweep indices of the bodies, -1 for the ground
    int together, coupler;  ///< both ends are of one tree; counted as a coupler
    const lb_node *node[2]; ///< NULL in couplers
    lb_vec6 *Pi[2];      ///< influence of the body's own modes at the node, referred to its frame
    lb_loop_term *terms; ///< memory of a coupler's terms
    lb_relation_term *listed; ///< the same as the caller knows them
    int term_capacity;

    // by lb_place_loop
    lb_pose at[2];       ///< nodes in the frames of their bodies; constant on rigid ones
    lb_mat3 R_a;         ///< of node a in the world
    lb_vec3 d;           ///< from a to b, in the axes of a
    lb_vec6 force[2][6]; ///< rows as forces on each body, about its frame and in its axes

    // by lb_factor_admittance
    int placed;   ///< lb_loop_work.stamp of the last time
    int coupled;  ///< has anything to do with another loop
    int rank;     ///< independent rows
    int crossing; ///< whether what is missing is shared with other loops
    int reached;  ///< independent rows more, to which only hubs give way: columns of Q after `rank`
    unsigned kept; ///< by column, as bits: a direction of lb_loop_work.null_space ends in it
    double scale;  ///< of what its ends move by themselves
    double left;   ///< largest pivot that was dropped
    double reach;  ///< smallest of those that hubs reach
    double Q[36];  ///< row_count x row_count: range, then null space, by column
    double R[36];  ///< rank x rank, upper triangle: Q R is the block of the diagonal

    lb_loop_motion motion;
} lb_loop_slot;

/// A group of hubs: see hub_factor.c. Matrices of its width, row by row.
typedef struct lb_hub_work {
    int *lacking; ///< positions that are short of rank while the hubs stand still
    int lacking_count;
    int rank;          ///< rows of U: motions that loops prescribe
    double *S, *U, *R; ///< root of I + F*F; orthonormal; two triangles
    double *c, *beta;  ///< of a right side: what its motion would be, and is prescribed
    double *u, *t;     ///< its motion, and what it takes to prescribe it
} lb_hub_work;

struct lb_loop_work {
    lb_loop_slot *slots;
    double *diagonal;         ///< by position, 6 x 6: what loops before it have taken away
    double *blocks;           ///< by block, 6 x 6: of the admittance, then of its factors
    unsigned char *filled;    ///< by block: not zero
    lb_sym6 *carried;         ///< by body: admittance of the parent's side at its hinge
    lb_sym6 *Upsilon;         ///< by body: admittance of its frame, its modes at rest
    unsigned char *marked;    ///< by body: on the way from a loop to the base
    int couplers;             ///< slots of couplers: who needs `carried`
    lb_vec6 *load;            ///< by body: forces of the loops about its frame
    double *tau;              ///< v_count: what they do to modes and by couplers
    double *x, *y;            ///< scratch by slot, six each
    double *force;            ///< by slot, along the rows, six each: of the last dynamics
    double *nulls;            ///< memory of the next
    lb_loop_null *null_space; ///< as many as the rows of all slots
    int null_space_count;
    size_t null_used;
    int overflow; ///< more of them than there was memory for
    int stamp;    ///< counts factorisations
    int *path;    ///< scratch by body
    int *rest;    ///< positions that are still to be solved for, in order
    int rest_count;
    int rows, rank;
    double *edges;        ///< by position: rows at hubs, then what they have become (HUB-2)
    double *hub_memory;   ///< of the next
    lb_hub_work *hubs;    ///< by group
    int *lacking;         ///< memory of lb_hub_work.lacking
    unsigned char *met;   ///< by loop that may join anything and group: has to do with its hubs
    double *rows_scratch; ///< twelve rows of the widest group
    double *along;        ///< by position, six each: right side, then multiplier, of what a block
                          ///< has left to the hubs
    double *side, *more;  ///< scratch by slot, six each: where multipliers are refined
    double doubt;         ///< relative error of multipliers that hubs may leave
    double conflict;      ///< largest part of the last right side that no motion can meet
    int conflict_loop;    ///< where it was
};

/// Hands out the pieces of the loops of a workspace: see lb_place_piece.
void lb_lay_out_loops(const lb_model *model, unsigned char *base, size_t *used, lb_work *work);

/// The i-th body at which a loop of the model reaches into the tree, or may when it is altered: sweep
/// index, -1 for the ground, -2 after the last.
int lb_get_loop_reach(const lb_model *model, const lb_loop *loop, int i);

/// Whether a slot has blocks for what it shares with loops at body k (sweep index, -1 for the ground).
int lb_may_reach(const lb_model *model, int loop, int k);

/// Loops, locks, drives and whether they are left out, as another workspace of the model has them.
void lb_copy_holds(const lb_model *model, const lb_work *from, lb_work *to);

/// Finds bodies and nodes of what a slot joins.
void lb_join_slot(const lb_model *model, lb_work *work, lb_loop_slot *slot);

/// What was computed of the loops no longer holds.
void lb_forget_loops(lb_work *work);

/// Loops of the model hold unless they are inactive at first, spare ones do not.
void lb_start_loops(const lb_model *model, lb_work *work);

#endif // LB_LOOP_WORK_H
