// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The eigenproblem of a point: for modes, and for sweeps of them.
#ifndef LB_SYSTEM_MODES_H
#define LB_SYSTEM_MODES_H

#include "limber/spatial.h"
#include "linear.h"

/// A mode, as one row of the arrays of lb_modes.
typedef struct lb_mode {
    lb_mode_kind kind;
    double eigenvalue[2], frequency, damping, effective[6];
    int column; ///< of the spectrum; -1 if rigid or of a symmetric problem
} lb_mode;

typedef struct lb_mode_problem {
    int n;
    lb_tangent tangent;    ///< of the independent coordinates
    double *M, *C, *K, *N; ///< (LIN-1), the same
    lb_spectrum spectrum;  ///< unless symmetric
    bool symmetric;
    int count; ///< modes found, at most 2 n
    lb_mode *modes;
    double *shapes;  ///< count x n x 2
    double *whole;   ///< M of all coordinates of the point
    double *inertia; ///< its diagonal
} lb_mode_problem;

/// Matrices, eigenvalues and shapes of unit modal mass, in the order of lb_modes; effective masses are
/// left out.
lb_status lb_solve_modes(lb_system *s, const lb_operating_point *point, lb_arena *arena,
                         lb_mode_problem *problem);

lb_mode lb_make_mode(lb_mode_kind kind, double real, double imaginary);

// ---- symmetric_modes.c -------------------------------------------------------------------------

/// Whether the problem is M da + K xi = 0 with a symmetric K.
bool lb_is_symmetric_problem(const lb_mode_problem *problem);

/// Modes of such a problem.
///
/// @return LB_OK; LB_E_SINGULAR if M is not positive definite; LB_E_NUMBER; LB_E_MEMORY
lb_status lb_solve_symmetric_modes(lb_mode_problem *problem, lb_arena *arena);

// ---- effective_masses.c ------------------------------------------------------------------------

/// Effective masses of the modes, about axes of the world through a point, and their sums.
///
/// @param shapes  of all coordinates of the point
lb_status lb_compute_effective_masses(lb_system *s, const lb_operating_point *point,
                                      const double about[3], lb_arena *arena, const double *shapes,
                                      lb_mode_problem *problem, double sums[6]);

/// Mass of everything, and its inertia about axes of the world through a point, into `mass` and `inertia`.
lb_status lb_sum_masses(lb_system *s, const lb_operating_point *point, const double about_point[3],
                        lb_modes *modes);

#endif // LB_SYSTEM_MODES_H
