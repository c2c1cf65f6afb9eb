// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Desired deformations of nodes.
#include "deformations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/tree/tree.h"
#include "model/layout.h"

typedef struct goal {
    int body;
    const lb_node *node;
    lb_vec3 direction; // of length 1, axes of the body
    bool turn;
    double kp, kd, weight;
    lb_desired desired;
} goal;

struct lb_deformations {
    int count, channel_count; // p, m
    goal *goals;
    double *G;     // p x m: d of deformations by d of hinge accelerations
    double *error; // p
    double *N;     // p x p
    int *pivot;    // p
};

// ---- making --------------------------------------------------------------------------------------

static lb_status make_goal(lb_simulation *sim, const char *where, const lb_plan *plan,
                           const lb_deformation_options *o, goal *g)
{
    const double *d = o->direction, length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    int node = -1;
    g->turn = o->turn;
    if (!(length > 0.0 && isfinite(length))) {
        LB_COMPLAIN(sim, where, o->turn ? "axis" : "direction",
                    "[%.15g, %.15g, %.15g], expected a direction in the axes of the body", d[0],
                    d[1], d[2]);
    } else {
        g->direction = (lb_vec3){d[0] / length, d[1] / length, d[2] / length};
    }
    if (lb_resolve_node(plan->model, &o->node, &sim->faults, where, "node", &g->body, &node)) {
        g->node = g->body < 0 ? NULL : lb_get_node(plan->model, g->body, node);
        if (!g->node || !g->node->shape) {
            LB_COMPLAIN(sim, where, "node", "expected a node of a flexible body");
        }
    }
    if (lb_check_positive(sim, where, "kp", true, o->kp) &&
        lb_check_positive(sim, where, "kd", true, o->kd) &&
        lb_check_positive(sim, where, "weight", false, o->weight)) {
        g->kp = o->kp;
        g->kd = o->kd;
        g->weight = o->weight;
    }
    lb_channel_options desired = lb_default_channel_options();
    desired.desired = o->desired;
    desired.waypoint_count = o->waypoint_count;
    desired.waypoint_times = o->waypoint_times;
    desired.waypoints = o->waypoints;
    desired.profile = o->profile;
    if (!o->desired && o->waypoint_count == 0) {
        LB_COMPLAIN(sim, where, "desired", "missing: the key \"desired\" is required here");
    }
    g->desired.impulse_count = 1;
    g->desired.weights[0] = 1.0;
    return lb_make_desired(sim, where, &desired, &g->desired);
}

lb_status lb_make_deformations(lb_simulation *sim, const lb_law_options *options,
                               const lb_controller *c, const lb_plan *plan, lb_deformations **out)
{
    *out = NULL;
    if (options->deformation_count == 0) {
        return LB_OK;
    }
    if (options->deformation_count < 0 || !options->deformations) {
        LB_COMPLAIN(sim, c->law_path, "deformations", "%d deformations, but no array of them",
                    options->deformation_count);
        return LB_OK;
    }
    const size_t p = (size_t)options->deformation_count, m = (size_t)c->sample.channel_count;
    lb_deformations *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&sim->arena, p * m + p + p * p, sizeof *numbers);
    goal *goals = lb_arena_take(&sim->arena, p, sizeof *goals);
    int *pivot = lb_arena_take(&sim->arena, p, sizeof *pivot);
    if (!own || !numbers || !goals || !pivot) {
        return LB_E_MEMORY;
    }
    *own = (lb_deformations){.count = (int)p,
                             .channel_count = (int)m,
                             .goals = goals,
                             .G = numbers,
                             .error = numbers + p * m,
                             .N = numbers + p * m + p,
                             .pivot = pivot};
    lb_status status = LB_OK;
    for (size_t i = 0; status >= 0 && i < p; ++i) {
        char where[LB_CONTROL_PATH_SIZE];
        lb_deformation_options taken;
        lb_write_item_path(where, c->law_path, "deformations", (int)i);
        status =
            lb_take_deformation_options(sim, where, lb_get_sized(options->deformations, i), &taken);
        status = status < 0 ? status : make_goal(sim, where, plan, &taken, &goals[i]);
    }
    *out = own;
    return status;
}

// ---- at an instant -------------------------------------------------------------------------------

// Deformation of a node along a direction n                                             (CTL-15)
//
//     d = n.(gamma eta + 1/2 gamma2 eta eta),   or its turn  n.lambda eta
//
// given     modal coordinates, speeds and accelerations of its body
// computes  d, its rate and its acceleration
static void measure(const goal *g, int n, const double *eta, const double *eta_dot,
                    const double *eta_ddot, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    const lb_vec3 *second = g->turn ? NULL : g->node->second;
    for (int r = 0; r < n; ++r) {
        const lb_vec6 *shape = &g->node->shape[r];
        const double first = lb_vec3_dot(g->direction, g->turn ? shape->w : shape->v);
        out[0] += first * eta[r];
        out[1] += first * eta_dot[r];
        out[2] += first * eta_ddot[r];
        for (int s = r; second && s < n; ++s) {
            // an entry off the diagonal appears twice
            const double both = (s == r ? 0.5 : 1.0) * lb_vec3_dot(g->direction, *second++);
            out[0] += both * eta[r] * eta[s];
            out[1] += both * (eta_dot[r] * eta[s] + eta[r] * eta_dot[s]);
            out[2] += both *
                      (eta_ddot[r] * eta[s] + eta[r] * eta_ddot[s] + 2.0 * eta_dot[r] * eta_dot[s]);
        }
    }
}

static void measure_plan(const goal *g, const lb_plan *plan, double out[3])
{
    const int q = lb_get_q_offset(plan->model, g->body), v = lb_get_v_offset(plan->model, g->body);
    measure(g, lb_get_mode_count(plan->model, g->body), plan->q + q, plan->v + v, plan->a + v, out);
}

// Accelerations of the modes if the channels have those that are given, into plan->a.
static lb_status solve_modes(lb_plan *plan, int channel_count, const double *given)
{
    for (int i = 0; i < channel_count; ++i) {
        plan->a[plan->v_at[i]] = given[i];
    }
    memcpy(plan->step, plan->force, (size_t)plan->v_count * sizeof *plan->step);
    return lb_tree_hybrid(plan->model, plan->work, plan->q, plan->v, plan->driven, plan->step,
                          plan->a);
}

// Hinges and deformations together                                                      (CTL-15)
//
//     minimal:  |b - b*|^2 + sum_j w_j (dd_j(b) - dd_j*)^2,   dd = dd(b*) + G (b - b*)
//     dd* = dd_d + kd (d_d' - d') + kp (d_d - d)
//     (W^-1 + G G') y = dd* - dd(b*),   b = b* + G'y
//
// given     b*  accelerations that the law asks of its hinges;  w_j  weights
// computes  b
//
// Source: US 5,546,508, FIG. 6: desired motion is "a set of user-specified node deformations and hinge
// accelerations". That the error is a sum of squares, and its weights, are ours.
lb_status lb_follow_deformations(const lb_deformations *own, lb_plan *plan, const lb_controller *c,
                                 double *wanted)
{
    if (!own) {
        return LB_OK;
    }
    const int p = own->count, m = own->channel_count;
    lb_status status = solve_modes(plan, m, wanted);
    for (int j = 0; j < p; ++j) {
        const goal *g = &own->goals[j];
        double found[3], desired[3];
        measure_plan(g, plan, found);
        lb_evaluate_desired(&g->desired, c->sample.t, desired);
        own->error[j] = desired[2] + g->kd * (desired[1] - found[1]) +
                        g->kp * (desired[0] - found[0]) - found[2];
        for (int i = 0; i < m; ++i) {
            own->G[j * m + i] = -found[2];
        }
    }
    // modes follow hinges by a linear law: its columns, one by one
    for (int i = 0; status >= 0 && i < m; ++i) {
        const double kept = wanted[i];
        // a step of the size of what is asked for, so that nothing is lost in the difference
        const double step = fmax(1.0, fabs(kept));
        wanted[i] += step;
        status = solve_modes(plan, m, wanted);
        wanted[i] = kept;
        for (int j = 0; j < p; ++j) {
            double found[3];
            measure_plan(&own->goals[j], plan, found);
            own->G[j * m + i] = (own->G[j * m + i] + found[2]) / step;
        }
    }
    for (int j = 0; j < p; ++j) {
        for (int k = 0; k < p; ++k) {
            double sum = j == k ? 1.0 / own->goals[j].weight : 0.0;
            for (int i = 0; i < m; ++i) {
                sum += own->G[j * m + i] * own->G[k * m + i];
            }
            own->N[j * p + k] = sum;
        }
    }
    if (status < 0 || !lb_factor_lu(p, own->N, own->pivot)) {
        return status < 0 ? status : LB_E_SINGULAR;
    }
    lb_solve_lu(p, own->N, own->pivot, own->error);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < p; ++j) {
            wanted[i] += own->G[j * m + i] * own->error[j];
        }
    }
    return LB_OK;
}
