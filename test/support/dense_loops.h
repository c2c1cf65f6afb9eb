// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics with loops by dense matrices.
#ifndef LB_TEST_DENSE_LOOPS_H
#define LB_TEST_DENSE_LOOPS_H

#include "check.h"

/// Accelerations, multipliers and drives of one system by both roads, expected to agree. Systems that are
/// singular but for a hair are left out: rank decisions there are a matter of taste.
///
/// @param held    by body: driven hinges; NULL for none
/// @param active  by loop
/// @return whether it was judged
int lb_compare_with_dense_loops(lb_trial *t, const unsigned char *held,
                                const unsigned char *active);

#endif // LB_TEST_DENSE_LOOPS_H
