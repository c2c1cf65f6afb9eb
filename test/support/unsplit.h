// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Articulated-body forward dynamics as first derived: modes and hinge of a body eliminated together,
// with whole matrices. The library splits them; this is what the split form is checked against.
#ifndef LB_TEST_UNSPLIT_H
#define LB_TEST_UNSPLIT_H

#include "check.h"

/// Accelerations from forces, by (58) of Jain and Rodriguez 1992. The bodies' own inertia, bias and
/// kinematics are the library's; everything that the sweeps make of them is formed here, densely.
/// Any fidelity. Fails the test where D is singular.
void lb_solve_unsplit(const lb_model *model, lb_work *work, const double *q, const double *v,
                      const double *tau, double *a);

#endif // LB_TEST_UNSPLIT_H
