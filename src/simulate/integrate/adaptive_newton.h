// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Newton's matrix from derivatives in the terms of CVODE: a matrix and a linear solver of our own.
#ifndef LB_ADAPTIVE_NEWTON_H
#define LB_ADAPTIVE_NEWTON_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "flow.h"

/// Makes CVODE solve with `newton`, which is that of the simulation too. The caller frees matrix and
/// solver.
///
/// @return a code of CVODE
int lb_use_newton(void *cvode, lb_newton *newton, SUNContext context, SUNMatrix *matrix,
                  SUNLinearSolver *solver);

#endif // LB_ADAPTIVE_NEWTON_H
