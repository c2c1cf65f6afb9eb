// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A plan of how loops are eliminated, while it is made: what loop_pattern.c and hub_choice.c share.
#ifndef LB_LOOP_PLAN_H
#define LB_LOOP_PLAN_H

#include "loop_work.h"

/// How the loops of a model are coupled, and the order in which they are eliminated.
typedef enum lb_hub_choice {
    LB_HUBS_BY_COST, ///< bodies become hubs where that is cheaper
    LB_HUBS_NEVER,   ///< for comparison
    LB_HUBS_ALWAYS
} lb_hub_choice;
lb_status lb_build_loop_pattern(lb_model *model, lb_arena *scratch, lb_hub_choice choice);

/// A list of loops.
typedef struct lb_clique {
    int count;
    int *loops;
} lb_clique;

typedef struct lb_loop_plan {
    lb_model *model;
    lb_arena *scratch;
    int count;          ///< loops that are ordered; the rest comes last
    int *who;           ///< by such a loop: its slot
    int *branch;        ///< by body
    int *modes;         ///< by body at the root of a branch: most of a body there
    lb_clique *cliques; ///< by body at the root of a branch, then one for each loop eliminated
    int **in;           ///< by loop: cliques that it is in
    int *in_count;
    int *degree;
    int *first, *next, *previous; ///< loops of one degree; the last list is of higher ones
    int *order;                   ///< in the order of elimination
    int *component;               ///< by loop: one that stands for those it is coupled with
    int *part;                    ///< the same while hubs stand still
    int *size;                    ///< by component: its loops
    int *width;                   ///< by component: coordinates of its hubs
    double *cost;                 ///< by component: of its factors, see hub_choice.c
    unsigned char *hub;           ///< by body
    lb_clique *columns;           ///< by loop
    unsigned char *seen;
} lb_loop_plan;

/// Zeroed scratch of a plan p; false if memory is out.
#define LB_TAKE(pointer, number)                                                                   \
    ((pointer) = lb_arena_take(p->scratch, (size_t)(number) + 1, sizeof *(pointer)))

/// The i-th body at which a loop of the plan reaches into the tree: see lb_get_loop_reach.
static inline int lb_get_plan_reach(const lb_loop_plan *p, int l, int i)
{
    return lb_get_loop_reach(p->model, &p->model->loops[p->who[l]], i);
}

/// Which loop stands for a loop: of its component, or of its part.
int lb_find_first(int *stands, int l);

/// Branches and one clique for each, hubs standing still, and which loops they join, in `stands`.
lb_status lb_form_cliques(lb_loop_plan *p, int *stands);

/// Parts, order and columns, hubs as they are.
lb_status lb_order_loops(lb_loop_plan *p);

/// Chooses hubs.
lb_status lb_choose_hubs(lb_loop_plan *p, lb_hub_choice choice);

/// Writes hubs, groups and edges.
///
/// @param out  slots by position are there
lb_status lb_write_hubs(lb_loop_plan *p, lb_loop_pattern *out);

#endif // LB_LOOP_PLAN_H
