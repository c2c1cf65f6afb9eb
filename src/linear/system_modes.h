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

/// Mass of everything, and its inertia about axes of the world through a point, into `mass` and `inertia`.
lb_status lb_sum_masses(lb_system *s, const lb_operating_point *point, const double about_point[3],
                        lb_modes *modes);

#endif // LB_SYSTEM_MODES_H
