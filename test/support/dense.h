// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A second road to the dynamics of a tree: slow, dense, in extended precision, and sharing no code
// and no idea with the library beyond the model format.
//
// Every body has its Jacobian in world axes, built column by column from the table of hinges; what
// depends on velocity comes from the derivative of those Jacobians along the motion, taken by a
// complex step; then M = sum J'M J and c = sum J'(M dJ/dt v + gyroscopic - gravity).
// Rigid bodies only, so far.
#ifndef LB_TEST_DENSE_H
#define LB_TEST_DENSE_H

#include "scenes.h"

typedef struct lb_dense_body {
    long double R[9]; ///< body axes to world axes
    long double p[3]; ///< origin
    long double V[6]; ///< velocity of the origin, world axes, angular first
    long double A[6]; ///< its acceleration at zero generalized acceleration
    long double *J;   ///< 6 x v_count: V = J v
} lb_dense_body;

typedef struct lb_dense {
    int body_count, v_count;
    lb_dense_body *bodies;
    long double *M, *c;
    long double kinetic, potential;
    long double linear[3], angular[3]; ///< momentum about the world's origin
    long double *jacobians;
} lb_dense;

/// Evaluates a scene at a state. Ends the program if memory is out.
lb_dense *lb_create_dense(const lb_scene *scene, const double *q, const double *v);
void lb_destroy_dense(lb_dense *dense);

/// x = M^-1 (tau - c) by Cholesky.
void lb_solve_dense(const lb_dense *dense, const double *tau, double *a);

/// M and c rounded to double. Either may be NULL.
void lb_get_dense(const lb_dense *dense, double *M, double *c);

/// A node: position, rotation (rows), Jacobian (6 x v_count) and dJ/dt v, world axes, at the node.
void lb_get_dense_node(const lb_dense *dense, const lb_scene *scene, int body, int node,
                       double position[3], double rotation[9], double *J, double rate[6]);

#endif // LB_TEST_DENSE_H
