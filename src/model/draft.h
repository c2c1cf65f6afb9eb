// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a builder remembers until the model is built.
#ifndef LB_DRAFT_H
#define LB_DRAFT_H

#include "internal.h"

/// A node as described: in the caller's body frame.
typedef struct lb_node_draft {
    const char *name;
    lb_pose X;
    struct lb_node_draft *next;
} lb_node_draft;

/// The ground or a body as described.
typedef struct lb_body_draft {
    const char *name, *parent, *at, *by;
    lb_hinge_options hinge; ///< axes normalised
    lb_inertia M;           ///< about the caller's body frame
    lb_node_draft *first_node, *last_node;
    int node_count; ///< without `origin`
} lb_body_draft;

struct lb_builder {
    lb_arena arena;
    lb_report report;
    const char *name;
    lb_vec3 gravity;
    lb_body_draft ground;
    lb_body_draft *bodies;
    int body_count, capacity;
    int errors; ///< reported so far
};

/// Reports something at "where.key" of the model file and counts errors. Formats as printf does.
void lb_complain(lb_builder *builder, lb_severity severity, const char *where, const char *key,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif // LB_DRAFT_H
