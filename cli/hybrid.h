// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hybrid dynamics by the mass matrix: a second road to forward dynamics with driven hinges.
#ifndef LB_CLI_HYBRID_H
#define LB_CLI_HYBRID_H

#include "limber/limber.h"

/// Forward dynamics with some hinges driven by motion, by a dense solve with the composite-body
/// mass matrix. The workspace leaves out loops (lb_use_tree).
///
/// @param driven   one flag per body: non-zero if its hinge is driven
/// @param tau      in: forces at modes and free hinges; out: the forces that driven hinges need
/// @param a        in: accelerations of driven hinges; out: all others
///
/// @param M        scratch, v_count x v_count
/// @param scratch  v_count
/// @param pivot  out: entry of v where a pivot is singular or negative
lb_status lb_cli_compute_hybrid_composite(const lb_model *model, lb_work *work, const double *q,
                                          const double *v, const unsigned char *driven, double *tau,
                                          double *a, double *M, double *scratch, int *pivot);

#endif // LB_CLI_HYBRID_H
