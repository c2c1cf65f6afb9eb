// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The range of modal bodies: a deformation beyond what modes with second order describe is said once
// for each body.
#include <math.h>
#include <stdio.h>

#include "model/layout.h"
#include "simulation.h"

// What is watched of a body with modes.
struct lb_range {
    int body;           // in the order of adding
    double size;        // largest distance of a node from the frame, m
    const lb_node **at; // the nodes that turn or move most in one of the modes
    int count;
    int said; // 1 that it has left its range, 2 that results are not valid
};

static lb_vec3 get_turn(const lb_vec6 *shape)
{
    return shape->w;
}

static lb_vec3 get_shift(const lb_vec6 *shape)
{
    return shape->v;
}

// Adds the node at which a mode is largest, unless it is there already or all are zero.
static void add_largest(const lb_body_info *info, int mode, lb_vec3 (*part)(const lb_vec6 *),
                        lb_range *range)
{
    const lb_node *found = NULL;
    double largest = 0.0;
    for (int j = 0; j < info->node_count; ++j) {
        const lb_node *node = &info->nodes[j];
        const double own = node->shape ? lb_vec3_norm(part(&node->shape[mode])) : 0.0;
        if (own > largest) {
            largest = own;
            found = node;
        }
    }
    for (int i = 0; i < range->count && found; ++i) {
        found = range->at[i] == found ? NULL : found;
    }
    if (found) {
        range->at[range->count++] = found;
    }
}

lb_status lb_take_ranges(lb_simulation *sim)
{
    const lb_model *model = sim->system.model;
    sim->ranges = lb_arena_take(&sim->arena, (size_t)model->body_count, sizeof *sim->ranges);
    if (!sim->ranges) {
        return LB_E_MEMORY;
    }
    for (int b = 0; b < model->body_count; ++b) {
        const lb_body_info *info = &model->infos[b];
        const int modes = lb_get_mode_count(model, b);
        if (modes == 0) {
            continue;
        }
        lb_range *range = &sim->ranges[sim->range_count++];
        *range = (lb_range){.body = b};
        range->at = lb_arena_take(&sim->arena, 2 * (size_t)modes, sizeof(lb_node *));
        if (!range->at) {
            return LB_E_MEMORY;
        }
        for (int j = 0; j < info->node_count; ++j) {
            range->size = fmax(range->size, lb_vec3_norm(info->nodes[j].X.p));
        }
        for (int r = 0; r < modes; ++r) {
            add_largest(info, r, get_turn, range);
            add_largest(info, r, get_shift, range);
        }
    }
    return LB_OK;
}

// How far a body is deformed                                                            (FLX-14)
//
//     turn = max over nodes of |sum_r lambda_r eta_r|,   shift = max of |sum_r gamma_r eta_r| / size
static void measure(const lb_range *range, int modes, const double *eta, double *turn,
                    double *shift)
{
    *turn = *shift = 0.0;
    for (int i = 0; i < range->count; ++i) {
        lb_vec3 turned = {0, 0, 0}, shifted = {0, 0, 0};
        for (int r = 0; r < modes; ++r) {
            turned = lb_vec3_axpy(turned, eta[r], range->at[i]->shape[r].w);
            shifted = lb_vec3_axpy(shifted, eta[r], range->at[i]->shape[r].v);
        }
        *turn = fmax(*turn, lb_vec3_norm(turned));
        *shift = range->size > 0.0 ? fmax(*shift, lb_vec3_norm(shifted) / range->size) : 0.0;
    }
}

void lb_watch_ranges(lb_simulation *sim, double t, const double *q)
{
    const lb_model *model = sim->system.model;
    for (int i = 0; i < sim->range_count; ++i) {
        lb_range *range = &sim->ranges[i];
        double turn, shift;
        measure(range, lb_get_mode_count(model, range->body),
                q + lb_get_q_offset(model, range->body), &turn, &shift);
        const double most = fmax(turn, shift);
        const int level = most > LB_DEFORMATION_MOST ? 2 : most > LB_MODAL_RANGE ? 1 : 0;
        sim->deformation = fmax(sim->deformation, most);
        if (level <= range->said) {
            continue;
        }
        char where[32], when[48] = "in equilibrium";
        range->said = level;
        snprintf(where, sizeof where, "bodies[%d]", range->body);
        if (t >= 0.0) {
            snprintf(when, sizeof when, "at t = %.6g s", t);
        }
        lb_complain(&sim->faults, LB_SEVERITY_WARNING, where, "",
                    "%s '%s' is deformed beyond the range of its modes: a node %s by %.2g%s, the "
                    "limit is %.2g; %s",
                    when, lb_get_body_name(model, range->body), turn >= shift ? "turns" : "moves",
                    most, turn >= shift ? " rad" : " of the size of the body", LB_MODAL_RANGE,
                    level == 2
                        ? "results are not valid: cut it into several bodies"
                        : "expect errors of several per cent, or cut it into several bodies");
    }
}
