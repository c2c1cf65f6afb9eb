// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A random flexible body with its modal integrals, and its nodes as Appendix C has them.
#ifndef LB_TEST_MODAL_BODY_H
#define LB_TEST_MODAL_BODY_H

#include "check.h"
#include "modal_orders.h"

enum { LB_MODES = 4, LB_NODES = 5, LB_SIZE = LB_MODES + 6 };

typedef struct lb_modal_body {
    lb_flex_node nodes[LB_NODES];
    double shapes[LB_NODES][6 * LB_MODES];
    double eta[LB_MODES], eta_dot[LB_MODES], omega[3];
    lb_modal_integrals I;
    lb_deformed_integrals D; ///< at eta
    void *memory, *deformed_memory;
} lb_modal_body;

/// Nodes "n1", "n2" .. with mass, offset and inertia; everything of order 1.
lb_modal_body *lb_create_modal_body(uint64_t seed);
void lb_destroy_modal_body(lb_modal_body *b);

/// The integrals anew, after a change of nodes or eta.
void lb_integrate_modal_body(lb_modal_body *b);

/// A node with J about the node.
typedef struct lb_nodal {
    double m;
    lb_vec3 l0, p, lambda[LB_MODES], gamma[LB_MODES];
    lb_mat3 J;
} lb_nodal;

/// @param eta  moves the node: l0 + gamma eta in place of l0; NULL for none
lb_nodal lb_read_nodal(const lb_flex_node *node, const double *eta);

// Matrices by value, so that formulas read like formulas.
lb_mat3 lb_tilde(lb_vec3 a);
lb_mat3 lb_mul(lb_mat3 A, lb_mat3 B);
lb_vec3 lb_times(lb_mat3 A, lb_vec3 b);
/// s A + t B
lb_mat3 lb_mix(double s, lb_mat3 A, double t, lb_mat3 B);

#endif // LB_TEST_MODAL_BODY_H
