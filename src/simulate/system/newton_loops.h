// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix where loops hold: reduced to the motion that they leave free.
#ifndef LB_NEWTON_LOOPS_H
#define LB_NEWTON_LOOPS_H

#include "newton.h"

/// With n = v_count, m = 6 entries a slot, and d the directions that loops and held hinges leave free.
/// In what follows M is that of the speeds that are not held.
struct lb_newton_loops {
    int slot_count, free_count; ///< d
    double *A;                  ///< n x m: M^-1 J' (J M^-1 J')^+, zero rows at held speeds
    double *J;                  ///< m x n
    double *C;                  ///< m x n: derivative of J v by q
    double *R_q, *R_v;          ///< m x n: of J a + g by q and v
    double *force_dq;           ///< n x n: of J' f by q
    double *Z;                  ///< n x d: free directions, Z' M Z = I
    double *L;                  ///< n x d: M Z
    /// Where ruthless bodies are, whose modes do not displace what J says they move        (NEW-5)
    double *G;     ///< m x n: derivative of the errors of position; else J
    double *Y;     ///< n x d: what the projection of positions makes of Z; else Z
    double *E;     ///< m x m: factors of I - (J - G) A; else NULL
    int *E_pivot;  ///< m
    bool follows;  ///< G and Y are J and Z: also if E is singular
    double *D, *K; ///< d x d: Z' D Z, Z' (K - D A C) Y
    double *W;     ///< d x d: L' W Y, the turning of quaternions
    double *T;     ///< d x d: factors of I - by_q W
    int *T_pivot;
    double *wide;         ///< scratch: n x the larger of n and m
    double *dq, *dv;      ///< n: the projected change
    double *p, *r, *held; ///< n: scratch
    double *across;       ///< n: what of a right side loops do not let through
    double *along;        ///< d: and what they do
    double *rows, *force; ///< m: scratch; change of the loop forces
    double *u, *z;        ///< d
    double by_q, by_v;    ///< that the factors were made with
    bool has_turns;       ///< W is not zero
    bool turns;           ///< and is among the factors
};

/// Memory for it; needs `system` of newton set.
lb_status lb_create_newton_loops(lb_newton *newton);

/// Derivatives of the rows of loops and of their forces, right behind the inverse derivatives.
lb_status lb_differentiate_closure(lb_newton *newton);

/// The rest but the factors, after M, D and K of `newton`, from which the forces of loops are taken.
lb_status lb_reduce_to_loops(lb_newton *newton);

/// Factors of the reduced matrix.                                                         (NEW-2)
///
/// @param by_q   what the change of the configuration is per change of speed
/// @param by_v   what the change of speed is per change of acceleration
/// @param turns  with the turning of quaternions
bool lb_factor_loops_newton(lb_newton *newton, double by_q, double by_v, bool turns);

/// Speeds from b_v and the configuration's own part b_q (along the directions of v); leaves the changes
/// of the projected state in dq and dv.                                                   (NEW-3)
///
/// @param b_q  NULL for zero
/// @param x_v  out; may not be b_v
void lb_solve_loops_newton(lb_newton *newton, const double *b_q, const double *b_v, double *x_v);

/// Change of the forces of loops that goes with that, times by_v: 6 a slot.               (NEW-4)
const double *lb_find_loop_change(lb_newton *newton, const double *b_v, const double *x_v);

/// W x, what turns the directions of hinges with quaternions as they move: y gets all of it.
void lb_apply_turning(const lb_newton *newton, const double *x, double *y);

#endif // LB_NEWTON_LOOPS_H
