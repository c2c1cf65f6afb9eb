// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Independent coordinates on the loops: some follow from the others.
#ifndef LB_FREEDOM_H
#define LB_FREEDOM_H

#include "base/arena.h"
#include "limber/derivatives.h"
#include "system.h"

/// J xi = r, J of the loops and xi over the coordinates that may move, solved for some of them
/// (d: dependent) by the others (i: independent, or free), xi_i = y:
///
///     xi = T y + x,   T_i = I,   E'J_d T_d = -E'J_i,   x_i = 0,   E'J_d x_d = E'r         (LIN-13)
///
/// with E an orthonormal basis of the span of J_d, so that J T = 0. What of r is not in this span,
/// r - E E'r, no xi can meet. Without loops all are free and T is NULL.
typedef struct lb_freedom {
    lb_system *system;
    int count;              ///< coordinates that may move
    const int *coordinates; ///< entries of v
    int rows;               ///< six a slot
    int free_count, rank;
    int *free;      ///< which of the coordinates, ascending
    int *dependent; ///< the others, in the order of choice
    double *T;      ///< count x free_count
    double *J,
        *E; ///< rows x count, column by column; columns of J weighed, of E the dependent ones
    double *weight;       ///< of the columns: 1 / sqrt(M_ii)
    double *R;            ///< E'J_d, columns weighed, rank x rank, an upper triangle
    const double *favour; ///< by which columns count in the choice, the caller's; NULL for 1
    bool *taken;          ///< a flag a coordinate: it is dependent
    double *size;         ///< of the columns at either end of the loops, before they are subtracted
    double *M, *speeds, *rates, *solution, *column; ///< scratch
} lb_freedom;

/// Memory for the coordinates of a list, which stays the caller's.
lb_status lb_take_freedom(lb_arena *arena, lb_system *system, int count, const int *coordinates,
                          lb_freedom *freedom);

/// Chooses the dependent coordinates at a configuration. Leaves positions in the workspace.
///
/// @param fixed  a flag a coordinate: it is to stay free; NULL for none
/// @return LB_OK; LB_E_ARGUMENT if a loop would be torn by what is fixed
lb_status lb_choose_freedom(lb_freedom *freedom, const double *q, const bool *fixed);

/// The same at another configuration with the dependent coordinates that were chosen.
///
/// @return LB_OK, or LB_E_SINGULAR where they do not do
lb_status lb_follow_freedom(lb_freedom *freedom, const double *q);

/// x: E'J_d x_d = E'r, the other entries zero.                                           (LIN-13)
///
/// @param r  6 a slot
/// @param x  out: count
/// @return what no x_d can meet: the largest entry of r - E E'r
double lb_solve_dependent(const lb_freedom *freedom, const double *r, double *x);

/// Forces at the loops that hold the dependent coordinates: J_d'f = tau_d, f in the span of J_d.
///
/// @param tau  v_count
/// @param f    out: 6 a slot
void lb_solve_reaction(const lb_freedom *freedom, const double *tau, double *f);

/// r := r - E E'r, 6 a slot: what no motion of the coordinates changes.
void lb_remove_span(const lb_freedom *freedom, double *r);

/// Dependent speeds from the others and from the loops' own motion, at a configuration.
///
/// @param left  out: what they cannot meet, m/s or rad/s
/// @param loop  out: the loop where that is
lb_status lb_complete_speeds(lb_freedom *freedom, const double *q, double *v, double *left,
                             int *loop);

/// Closes the loops by dependent coordinates alone, from nearby, and follows to that configuration.
///
/// @param t  at which loops with given motion are to be closed
/// @param q  in and out
/// @return LB_OK, LB_E_SINGULAR, or LB_E_OPEN if that does not go
lb_status lb_close_dependent(lb_freedom *freedom, double t, double *q);

/// X with J_d X = -(D T + D_2 Y), count x free_count, rows of free coordinates zero: how dependent
/// entries follow where the rows of the loops change.                                    (LIN-14)
///
/// @param D       6 a slot x v_count
/// @param second  D_2, likewise, and more: Y, count x free_count; NULL for none
/// @return the largest part that nothing can meet
double lb_follow_rows(const lb_freedom *freedom, const double *D, const double *second,
                      const double *more, double *X);

#endif // LB_FREEDOM_H
