// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of step D share: blocks (loop_block.c), directions that several loops repeat
// (loop_null.c), hubs (hub_factor.c), and the order of it all (loop_factor.c).
#ifndef LB_LOOP_FACTOR_H
#define LB_LOOP_FACTOR_H

#include <string.h>

#include "base/dense.h"
#include "loop_admittance.h"

/// Rank decisions: dynamics of the ends is known to about this much of what they move by themselves.
#define LB_RANK_THRESHOLD 1e-11

/// Multipliers are refined while their relative error is expected to exceed this.          (HUB-5)
#define LB_REFINE_ABOVE 1e-12

static inline lb_loop_slot *lb_get_slot(const lb_model *model, const lb_work *work, int position)
{
    return &work->loops->slots[model->pattern->slot[position]];
}

/// Rows of a loop at the hubs of a group (HUB-1): six of the group's width; then what has become of
/// them.
static inline double *lb_get_edge(const lb_model *model, const lb_work *work, int position,
                                  int group)
{
    const lb_loop_pattern *pattern = model->pattern;
    const size_t own = position < pattern->ordered ? 0 : 6 * (size_t)pattern->hubs[group].row;
    return work->loops->edges + pattern->edge[position] + own;
}

/// Whether a spare loop has to do with the hubs of a group.
static inline unsigned char *lb_get_meeting(const lb_model *model, const lb_work *work,
                                            int position, int group)
{
    const ptrdiff_t spare = position - model->pattern->ordered;
    return &work->loops->met[spare * model->pattern->hub_count + group];
}

/// What of a right side no motion can meet.
static inline void lb_note_conflict(lb_loop_work *loops, int loop, double size)
{
    if (size > loops->conflict) {
        loops->conflict = size;
        loops->conflict_loop = loop;
    }
}

// ---- one block: rows of six --------------------------------------------------------------------

/// S = (Q R)(Q R)*, pivots in the order of size, as many as exceed the threshold.         (CLO-4)
///
/// @param R     out: rank x rank, upper triangle
/// @param Q     out: n x n, orthogonal; its first columns span the range
/// @param left  out: the largest pivot that was left
/// @return the rank
int lb_factor_block(int n, const double *S, double threshold, double *R, double *Q, double *left);

/// y = R^-1 Q* r, zeros behind; y may be r.
static inline void lb_solve_inner(const lb_loop_slot *s, const double *r, double *y)
{
    double t[6] = {0};
    for (int c = 0; c < s->rank; ++c) {
        for (int i = 0; i < s->loop.row_count; ++i) {
            t[c] += s->Q[6 * i + c] * r[i];
        }
    }
    lb_solve_triangle(s->rank, 6, s->R, t);
    memcpy(y, t, sizeof t);
}

/// x = Q R^-* y; x may be y.
static inline void lb_solve_outer(const lb_loop_slot *s, const double *y, double *x)
{
    double t[6] = {0};
    memcpy(t, y, (size_t)s->rank * sizeof *t);
    lb_solve_transposed_triangle(s->rank, 6, s->R, t);
    for (int i = 0; i < 6; ++i) {
        x[i] = 0.0;
        for (int c = 0; c < s->rank && i < s->loop.row_count; ++c) {
            x[i] += s->Q[6 * i + c] * t[c];
        }
    }
}

/// What of r lies along a column of Q.
double lb_read_column(const lb_loop_slot *s, int c, const double *r);

// ---- all blocks --------------------------------------------------------------------------------

/// A slot that holds, with its place in the world and the admittances on its way to the base.
void lb_prepare_slot(const lb_model *model, lb_work *work, lb_loop_slot *slot);

/// The block of the diagonal at a position, with something in it already or zero.
double *lb_open_diagonal(const lb_model *model, lb_work *work, int position);

/// A block below it, likewise.
double *lb_open_block(lb_work *work, int block);

/// x_j from the x of the positions behind it, by the factors.                             (CLO-8)
///
/// @param x     by slot: L_jj^+ of the right side at j, x behind
/// @param last  positions behind this one take no part
void lb_substitute(const lb_model *model, const lb_work *work, int j, int last, double *x);

// ---- what several loops repeat -----------------------------------------------------------------

/// Whether directions that the block at i has lost were lost to other loops.
int lb_reaches_others(const lb_model *model, const lb_work *work, int i, double threshold);

/// The square of the length of the direction that ends in column n of Q at position i.
double lb_measure_direction(const lb_model *model, lb_work *work, int i, int n);

/// Leaves to the hubs what of the block at position j is round-off.
///
/// @param A  the block that was factored
void lb_drop_noise(const lb_model *model, lb_work *work, int j, const double A[36]);

/// Keeps the direction that ends in column n of Q at position i, made orthogonal to those before.
///                                                                                        (CLO-8)
/// @param group  of the hub, where it is a direction of what the hub leaves; or -1
/// @return whether there was memory for it
int lb_keep_direction(const lb_model *model, lb_work *work, int i, int n, int group);

/// Takes the directions of Lambda out of a right side or of a solution. With `judge`, what there was
/// of them is a conflict.
void lb_take_directions(const lb_model *model, lb_loop_work *loops, double *x, int judge);

/// Directions of what the hubs of a group leave: how much of x is along each, lb_loop_work.along; and
/// as much of them, times a factor, added to x.
void lb_read_directions(const lb_model *model, lb_loop_work *loops, int group, const double *x);
void lb_add_directions(const lb_model *model, const lb_loop_work *loops, int group, double factor,
                       double *x);

// ---- hubs --------------------------------------------------------------------------------------

/// Begins a group of loops; then each of its loops in turn, once it is eliminated: its rows at the hubs,
/// and what they take from those behind.                                                 (HUB-2)
void lb_open_hub(const lb_model *model, lb_work *work, int group);
void lb_meet_hub(const lb_model *model, lb_work *work, int position);

/// Closes a group of loops, all of which have been eliminated as if its hubs stood still: its factors,
/// and what it leaves of spare loops.                                          (HUB-2), (HUB-3), (HUB-6)
void lb_close_hub(const lb_model *model, lb_work *work, int group);

/// Takes out of a right side what neither the group nor its hubs can meet.
void lb_clear_hub(const lb_model *model, lb_work *work, int group, double *x, int judge);

/// Motion of the hubs under a right side, and what that leaves of the right sides of spare loops.
///
/// @param x  by slot: L_jj^+ of the right sides of the group; right sides of spare loops
void lb_enter_hub(const lb_model *model, lb_work *work, int group, double *x, int judge);

/// What the hubs' motion takes from the group, multipliers of the spare loops being known: from x;
/// and multipliers along directions that only the hubs give way to: lb_loop_work.along.
void lb_leave_hub(const lb_model *model, lb_work *work, int group, double *x);

/// Finishes the multipliers of a group, those along such directions included: the smallest. Clears
/// lb_loop_work.along.
void lb_settle_hub(const lb_model *model, lb_work *work, int group, double *x);

/// The smallest pivot of a loop in a group, hubs free, every other loop eliminated before it.
double lb_get_hub_pivot(const lb_model *model, const lb_work *work, int position);

/// Marks, by slot, loops that have a share in the redundant rows of a loop in a group.
void lb_mark_hub_repeats(const lb_model *model, const lb_work *work, int position,
                         unsigned char *repeats);

// ---- what others ask ---------------------------------------------------------------------------

/// The smallest pivot at a position: infinite where there is none.
double lb_get_smallest_pivot(const lb_model *model, const lb_work *work, int position);

/// Marks, by slot, other loops that have a share in the redundant rows of one.
void lb_mark_repeats(const lb_model *model, const lb_work *work, int position,
                     unsigned char *repeats);

/// Marks the loops that a direction of lb_loop_work.null_space reaches, if one ends in that column.
void lb_mark_direction(const lb_model *model, const lb_work *work, int position, int column,
                       unsigned char *repeats);

#endif // LB_LOOP_FACTOR_H
