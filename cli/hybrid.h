// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hybrid dynamics by the mass matrix: a second road to what lb_compute_hybrid_dynamics gives.
#ifndef LB_CLI_HYBRID_H
#define LB_CLI_HYBRID_H

#include "limber/limber.h"

/// Forward dynamics with some hinges driven by motion, by a dense solve with the composite-body
/// mass matrix. Arguments as of lb_compute_hybrid_dynamics, and
///
/// @param M        scratch, v_count x v_count
/// @param scratch  v_count
/// @param trouble  out: entry of v where a pivot is singular or negative
lb_status lb_cli_compute_hybrid_composite(const lb_model *model, lb_work *work, const double *q,
                                          const double *v, const unsigned char *driven, double *tau,
                                          double *a, double *M, double *scratch, int *trouble);

#endif // LB_CLI_HYBRID_H
