// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of assemblies: which bodies are taken together, with whom, and when.
//
// The tree of bodies is cut into paths: each body goes on with the largest of its children, and
// every other child starts a path of its own. A path is cut into runs of a few bodies; neighbouring
// runs are joined two by two until the path is one assembly, which then hangs on a single body of
// another path (compress, then rake). All of it is plain arrays, computed once: whoever walks over
// them level by level, on one core, many, or a graphics card, does the same.
#ifndef LB_SCHEDULE_H
#define LB_SCHEDULE_H

#include "model/layout.h"

/// Nodes are assemblies: runs of bodies, and joins of two neighbours.
typedef struct lb_schedule {
    int node_count;
    const int *first, *end; ///< of a run: its bodies, into `bodies`, base to tip; of a join -1
    const int *inner;       ///< of a join: the node towards the base
    const int *outer;       ///< of a join: the node towards the tip
    const int *head;        ///< the body nearest to the base
    const int *open;        ///< the body behind the last one, on the same path; -1 at a tip
    /// Whether the hinge of `head` is taken out along with the node: everywhere but in the inner
    /// half of a join, whose own node sees to it.
    const unsigned char *hinged;
    const unsigned char *whole; ///< the node is a whole path
    const int *base;            ///< the run that starts with `head`
    const int *beyond;          ///< of a run: the one that starts with `open`, or -1

    const int *bodies; ///< sweep indices, run by run

    int level_count;
    const int *level; ///< nodes of level i: order[level[i]] .. order[level[i + 1] - 1]
    const int *order;

    const int *raked; ///< whole paths on body k: rakes[raked[k]] .. rakes[raked[k + 1] - 1], nodes
    const int *rakes;

    int depth; ///< eliminations and joins that must wait for each other, the longest row of them
} lb_schedule;

/// Computes the schedule of a model.
///
/// @param run_length  bodies of a run, more only where weak ones follow each other
/// @param weak        by body: see weak.h
/// @return LB_OK or LB_E_MEMORY
lb_status lb_build_schedule(const lb_model *model, int run_length, const unsigned char *weak,
                            lb_arena *arena, lb_arena *scratch, lb_schedule *schedule);

#endif // LB_SCHEDULE_H
