// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The plain two-handle form of divide and conquer, as it is published, for chains of rigid bodies on
// revolute hinges: what the library's form is measured against.
#ifndef LB_BENCH_PLAIN_H
#define LB_BENCH_PLAIN_H

#include <limber/limber.h>

/// Accelerations of such a chain, with the positions, velocities and biases that the last evaluation
/// of forward dynamics left in the workspace. Nothing is checked: digits may be lost, all of them.
void lb_compute_plain(const lb_model *model, const lb_work *work, const double *tau, double *a);

#endif // LB_BENCH_PLAIN_H
