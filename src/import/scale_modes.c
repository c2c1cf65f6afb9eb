// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A body that was read with its modes, from the units of its files to SI units. Modal coordinates keep their numbers.
#include <string.h>

#include "imported.h"
#include "model/modal/flex_draft.h"

// Numbers times a factor: what readers hand over stays as it is.
static bool scale(lb_import *import, double factor, size_t count, const double **values)
{
    double *scaled;
    if (!*values || factor == 1.0) {
        return true;
    }
    if (!LB_IMPORT_TAKE(import, scaled, count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        scaled[i] = factor * (*values)[i];
    }
    *values = scaled;
    return true;
}

static void scale_own(double factor, size_t count, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

static lb_status scale_second_order(lb_import *import, const lb_import_units *u, lb_flex_node *node)
{
    const size_t count = (size_t)node->second_order_count;
    lb_second_order *second;
    if (count == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, second, count)) {
        return LB_E_MEMORY;
    }
    memcpy(second, node->second_order, count * sizeof *second);
    for (size_t k = 0; k < count; ++k) {
        scale_own(u->length, 3, second[k].g);
    }
    node->second_order = second;
    return LB_OK;
}

static lb_status scale_nodes(lb_import *import, const lb_import_units *u, lb_flex_options *flex)
{
    const size_t n = (size_t)flex->mode_count, count = (size_t)flex->node_count;
    lb_flex_node *nodes;
    double *shapes;
    if (u->length == 1.0 && u->mass == 1.0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, nodes, count + 1) ||
        !LB_IMPORT_TAKE(import, shapes, 6 * n * count + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        double *shape = shapes + 6 * n * i;
        nodes[i] = flex->nodes[i];
        scale_own(u->length, 3, nodes[i].position);
        scale_own(u->length, 3, nodes[i].offset);
        scale_own(u->mass * u->length * u->length, 6, nodes[i].inertia);
        nodes[i].mass *= u->mass;
        if (nodes[i].shape) {
            memcpy(shape, nodes[i].shape, 6 * n * sizeof *shape);
            nodes[i].shape = shape;
        }
        for (size_t r = 0; r < n; ++r) {
            scale_own(u->length, 3, shape + 6 * r + 3);
        }
        lb_status status = scale_second_order(import, u, &nodes[i]);
        if (status != LB_OK) {
            return status;
        }
    }
    flex->nodes = nodes;
    return LB_OK;
}

lb_status lb_scale_modal_body(lb_import *import, const lb_import_units *u, lb_modal_body *body)
{
    lb_flex_options *flex = &body->flex;
    lb_flex_integrals *I = &body->integrals;
    const size_t n = (size_t)flex->mode_count;
    const double inertia = u->mass * u->length * u->length, rate = 1.0 / u->time;
    const double first = u->mass * u->length; // of the moment and the momentum
    const double factors[LB_INTEGRAL_ARRAYS] = {inertia, first,   inertia, inertia,
                                                inertia, inertia, first,   inertia};
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    I->mass *= u->mass;
    scale_own(first, 3, I->h0);
    scale_own(inertia, 6, I->S0);
    lb_list_integrals(I, arrays);
    bool has_memory = scale(import, inertia * rate * rate, n * n, &flex->stiffness) &&
                      scale(import, inertia * rate, n * n, &flex->damping);
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        has_memory =
            has_memory && scale(import, factors[i],
                                lb_count_integrals(&arrays[i], flex->mode_count), arrays[i].values);
    }
    if (!has_memory) {
        return LB_E_MEMORY;
    }
    return scale_nodes(import, u, flex);
}
