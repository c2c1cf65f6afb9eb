// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The four sweeps over the tree of assemblies: velocities up and down, equations up and down.
#include "division.h"
#include "dynamics/tree/steps.h"

// First piece of `count` things that are cut into equal parts.
static int start_of(int count, int piece, int piece_count)
{
    return (int)((long long)count * piece / piece_count);
}

// Coordinates and speeds to where bodies and their children read them.
static void take_state(const lb_model *model, lb_work *work, const lb_division *d, int piece,
                       int piece_count)
{
    const int n = model->body_count, fours = (model->angle_count + 3) / 4;
    for (int k = start_of(n, piece, piece_count); k < start_of(n, piece + 1, piece_count); ++k) {
        lb_take_coordinates(model, work, k, d->q);
        lb_take_speeds(model, work, k, d->v);
    }
    const int end = 4 * start_of(fours, piece + 1, piece_count);
    lb_compute_angle_range(model, work, d->q, 4 * start_of(fours, piece, piece_count),
                           end < model->angle_count ? end : model->angle_count);
}

// Places of bodies against their parents, and angular velocity from handle to handle     (DCA-2)
//
//     of a body   w(k) = R* w(p) + c,    c = R* Pi^t etad + H* beta - Pi^d_F etad, angular
//     of two      turn = turn1 turn2,    spin = turn2* spin1 + spin2
static void assemble_turns(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    if (plan->first[n] < 0) {
        const lb_segment *inner = &d->segments[plan->inner[n]];
        const lb_segment *outer = &d->segments[plan->outer[n]];
        s->turn = lb_mat3_mul(&inner->turn, &outer->turn);
        s->spin = lb_vec3_add(lb_mat3_tmul_vec(&outer->turn, inner->spin), outer->spin);
        return;
    }
    for (int i = plan->first[n]; i < plan->end[n]; ++i) {
        const int k = plan->bodies[i];
        const lb_mat3 *R = &work->bodies[k].X.R;
        lb_place_body(model, work, k, d->q);
        if (plan->open[n] < 0) {
            continue; // nobody asks
        }
        const lb_vec3 c = lb_get_velocity(model, work, k, lb_vec6_zero()).w;
        if (i == plan->first[n]) {
            s->turn = *R;
            s->spin = c;
        } else {
            s->turn = lb_mat3_mul(&s->turn, R);
            s->spin = lb_vec3_add(lb_mat3_tmul_vec(R, s->spin), c);
        }
    }
}

// Back: velocities of bodies, and with them what they need by themselves: a, M_m and b_m.
static void disassemble_turns(const lb_model *model, lb_work *work, lb_division *d, int n,
                              double *scratch)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    if (plan->whole[n]) {
        s->w = work->bodies[model->bodies[plan->head[n]].parent].V.w;
    }
    if (plan->first[n] < 0) {
        lb_segment *inner = &d->segments[plan->inner[n]], *outer = &d->segments[plan->outer[n]];
        inner->w = s->w;
        outer->w = lb_vec3_add(lb_mat3_tmul_vec(&inner->turn, s->w), inner->spin);
        return;
    }
    lb_vec6 V = {s->w, {0, 0, 0}};
    for (int i = plan->first[n]; i < plan->end[n]; ++i) {
        const int k = plan->bodies[i];
        const lb_body *b = &model->bodies[k];
        lb_pass_velocity(model, work, k, V, d->q, d->v);
        V = work->bodies[k].V;
        if (b->flex) {
            lb_compute_flex_inertia(b->flex, &V.w, scratch, &work->flex[b->flex_index]);
        }
    }
}

void lb_run_division_piece(const lb_model *model, lb_work *work, lb_division *division, int stage,
                           int piece, int piece_count)
{
    if (stage == 0) {
        take_state(model, work, division, piece, piece_count);
        return;
    }
    const lb_schedule *plan = &division->schedule;
    const int levels = plan->level_count, sweep = (stage - 1) / levels;
    if (sweep == 4) {
        const int nodes = plan->node_count, end = start_of(nodes, piece + 1, piece_count);
        for (int n = start_of(nodes, piece, piece_count); n < end; ++n) {
            if (plan->first[n] >= 0) {
                lb_check_handles(model, work, division, n);
            }
        }
        return;
    }
    // up, down, up, down
    const int step = (stage - 1) % levels, level = sweep % 2 ? levels - 1 - step : step;
    const int first = plan->level[level], count = plan->level[level + 1] - first;
    double *scratch = division->scratch + (size_t)piece * division->scratch_size;
    for (int i = start_of(count, piece, piece_count); i < start_of(count, piece + 1, piece_count);
         ++i) {
        const int n = plan->order[first + i];
        switch (sweep) {
        case 0:
            assemble_turns(model, work, division, n);
            break;
        case 1:
            disassemble_turns(model, work, division, n, scratch);
            break;
        case 2:
            lb_assemble(model, work, division, n);
            break;
        default:
            lb_disassemble(model, work, division, n);
            break;
        }
    }
}
