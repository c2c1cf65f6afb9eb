// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of a frozen file against those of the engine.
#ifndef LB_EXPECT_ENGINE_H
#define LB_EXPECT_ENGINE_H

#include <limber/dynamics.h>
#include <limber/work.h>

#include "check.h"
#include "frozen/program.h"

enum { LB_EXPECTED_MOST = 16 };

/// Expects forward dynamics, inverse dynamics and the mass matrix of the engine at one state, for models of at most
/// LB_EXPECTED_MOST speeds. 1e-12: some hundred sums of terms of one size, and mass matrices of condition 1e3 or so.
static inline void lb_expect_engine(const lb_model *model, lb_work *work, const lb_program *program,
                                    const double *q, const double *v, const double *tau,
                                    const double *a)
{
    enum { MOST = LB_EXPECTED_MOST };
    const int n = lb_get_v_count(model);
    double y[MOST * MOST], expected[MOST * MOST];
    lb_frozen_four forward, inverse;
    lb_frozen_two mass;
    assert_true(n <= MOST);
    lb_get_program_function(program, "forward", &forward);
    lb_get_program_function(program, "inverse", &inverse);
    lb_get_program_function(program, "mass", &mass);
    assert_int_equal(forward(q, v, tau, y), LB_OK);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, expected));
    lb_expect_close("forward", y, expected, n, 1e-12);
    assert_int_equal(inverse(q, v, a, y), LB_OK);
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, expected));
    lb_expect_close("inverse", y, expected, n, 1e-12);
    assert_int_equal(mass(q, y), LB_OK);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, expected));
    lb_expect_close("mass", y, expected, n * n, 1e-12);
}

#endif // LB_EXPECT_ENGINE_H
