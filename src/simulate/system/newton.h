// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix of the equations of motion from analytic derivatives, for implicit integrators and
// the search for equilibria.
#ifndef LB_NEWTON_H
#define LB_NEWTON_H

#include "limber/derivatives.h"
#include "system.h"

typedef struct lb_newton_loops lb_newton_loops;

/// Derivatives of the balance of forces g = tau_inverse(q, v, a) - tau_forces(t, q, v), along the
/// directions of v, and what is made of them. All matrices v_count x v_count.
typedef struct lb_newton {
    lb_system *system;
    lb_newton_loops *loops; ///< NULL without loops; with them K has their forces, too
    lb_derivative_work *scratch;
    double *M;                   ///< dg/da
    double *K;                   ///< dg/dq
    double *D;                   ///< dg/dv
    double *power_dq, *power_dv; ///< of the forces, a row each
    double *S;                   ///< Newton's matrix, then its factors
    double *spare;               ///< scratch
    double *x, *xi;              ///< scratch, v_count each
    int *pivot;
    double *q, *v, *drive;            ///< where they were taken; what the drives supplied there
    unsigned char *held;              ///< a flag a speed: driven or locked there
    int *motions;                     ///< per speed: the force that drives it, or -1
    unsigned char *given_q, *given_v; ///< likewise: coordinate, speed follow time and not the state
    double gamma;                     ///< that S was made with
} lb_newton;

/// Memory of the system for all this.
///
/// @param newton  out: NULL with loops and ruthless bodies
lb_status lb_create_newton(lb_system *system, lb_newton **newton);

/// M, K, D and the power rows at the state that the last lb_evaluate_system left in the system.
/// Counts as one Jacobian.
lb_status lb_differentiate_system(lb_newton *newton, double t);

/// K, D and M of a system at any state.
///
/// @param scratch             of the model
/// @param a                   NULL for zero
/// @param dtau_dq, dtau_dv    scratch, v_count x v_count
/// @param power_dq, power_dv  out: as lb_compute_force_derivatives; NULL for none
lb_status lb_differentiate_balance(lb_system *system, lb_derivative_work *scratch, double t,
                                   const double *q, const double *v, const double *a,
                                   double *dtau_dq, double *dtau_dv, double *K, double *D,
                                   double *M, double *power_dq, double *power_dv);

/// Factors of I - gamma J, J = df/dy of y' = f(t, y).                                     (NEW-1)
bool lb_factor_newton(lb_newton *newton, double gamma);

/// x = (I - gamma J)^-1 b, y_count entries each. x may not be b.
void lb_solve_newton(lb_newton *newton, const double *b, double *x);

/// Factors of M + by_v D + by_q K for the step of generalized-alpha, rows of held speeds left out.
bool lb_factor_step(lb_newton *newton, double by_q, double by_v);

/// r := (that)^-1 M r, v_count entries; held speeds stay.
///
/// @return its largest entry; with loops that of the part which they let through
double lb_solve_step(lb_newton *newton, double *r);

#endif // LB_NEWTON_H
