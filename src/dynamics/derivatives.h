// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the derivatives share: the layout of their workspace.
//
// Matrices in here are in sweep order (lb_model.speeds leads to the caller's), row by row with
// `stride` entries a row, so that the speeds of a subtree lie side by side.
#ifndef LB_DERIVATIVES_INTERNAL_H
#define LB_DERIVATIVES_INTERNAL_H

#include "../model/internal.h"
#include "limber/derivatives.h"

struct lb_derivative_work {
    int has;           ///< q, v, a of the last call are kept
    int stride;        ///< entries from row to row
    int *inward;       ///< by speed in sweep order: the next one towards the base, or -1
    int *skip;         ///< the same among the speeds that are free in a hybrid call
    double *M;         ///< mass matrix; then its factors
    double *W;         ///< its inverse, or that of its free block
    double *dq;        ///< dtau/dq
    double *dv;        ///< dtau/dv
    double *q, *v, *a; ///< of the last call, in the caller's order
    double *moved_q, *moved_v, *step, *tau; ///< scratch of differences, in the caller's order
    unsigned char *memory;                  ///< what lb_create_derivative_work allocated, or NULL
};

/// dtau/dq and dtau/dv into s->dq, s->dv by differences of the inverse dynamics.
void lb_difference_inverse_dynamics(const lb_model *model, lb_work *work, lb_derivative_work *s);

/// Derivatives of the motion of a node by differences of it.
lb_status lb_difference_node_motion(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                    int body, int node, const lb_node_derivatives *out);

/// W = M_ff^-1 over the free speeds, zero elsewhere. M becomes its factors.                (DER-7)
lb_status lb_invert_free_block(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const unsigned char *driven);

#endif // LB_DERIVATIVES_INTERNAL_H
