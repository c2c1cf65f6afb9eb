// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded run for tests that draw: a pendulum of 2 m, released at 1 rad, 2 s in 201 rows.
#ifndef LB_TEST_SWING_H
#define LB_TEST_SWING_H

/// Path of the results, made by the first call and removed at the end of the program.
const char *lb_get_swing(void);

/// Runs a model and returns the path of its results, which are removed at the end of the program.
///
/// @param name  of the model file, such as "arm.yaml"
const char *lb_record_run(const char *name, const char *model);

#endif // LB_TEST_SWING_H
