// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one large tree of any bodies and hinges. They call the functions of the host, src/dynamics/divide and what it calls of
// src/dynamics/tree and src/model/modal, whose text becomes part of this one: one lane takes a node of the schedule, and one launch a
// level of it. Only the build reads this file (cmake/LimberKernels.cmake).
//
// Every number is written by one lane and read in a later launch, so that nothing depends on the order of blocks.
#ifndef LB_TREE_KERNELS_H
#define LB_TREE_KERNELS_H

#include "device_c.h"

#include "base/symmetric.c"

#include "model/modal/appendix_c_bias.c"
#include "model/modal/flex_inertia.c"

#include "dynamics/tree/angles.c"
#include "dynamics/tree/eliminate.c"
#include "dynamics/tree/flexible.c"
#include "dynamics/tree/ruthless.c"

#include "dynamics/divide/assemble.c"
#include "dynamics/divide/disassemble.c"
#include "dynamics/divide/join.c"
#include "dynamics/divide/sweeps.c"

#include "verdict.h"

/// A model on the device, with its workspace and its schedule.
struct lb_tree_on_card {
    const lb_model *model;
    lb_work *work;
    lb_division *division;
};

#define LB_TREE_KERNEL extern "C" __global__ void __launch_bounds__(64)
#define LB_TREE_LANE (int)(blockIdx.x * blockDim.x + threadIdx.x)

// One lane: where the arrays of this evaluation are.
LB_TREE_KERNEL lb_tree_take(lb_tree_on_card t, const double *q, const double *v, const double *tau)
{
    t.division->q = q;
    t.division->v = v;
    t.division->tau = tau;
}

LB_TREE_KERNEL lb_tree_give(lb_tree_on_card t, double *a)
{
    t.division->a = a;
}

// One lane a body: coordinates and speeds to where they are read.
LB_TREE_KERNEL lb_tree_state(lb_tree_on_card t, int count)
{
    if (LB_TREE_LANE < count) {
        take_state(t.model, t.work, t.division, LB_TREE_LANE, count);
    }
}

// The sweeps. One lane a node: those of a level are order[first] .. order[first + count - 1].

LB_TREE_KERNEL lb_tree_turns(lb_tree_on_card t, int first, int count)
{
    if (LB_TREE_LANE < count) {
        assemble_turns(t.model, t.work, t.division,
                       t.division->schedule.order[first + LB_TREE_LANE]);
    }
}

// Mass points need scratch: as many lanes as there is some for take the nodes in turn.
LB_TREE_KERNEL lb_tree_velocities(lb_tree_on_card t, int first, int count)
{
    double *scratch = t.division->scratch + t.division->scratch_size * LB_TREE_LANE;
    for (int i = LB_TREE_LANE; i < count; i += (int)(gridDim.x * blockDim.x)) {
        disassemble_turns(t.model, t.work, t.division, t.division->schedule.order[first + i],
                          scratch);
    }
}

LB_TREE_KERNEL lb_tree_assemble(lb_tree_on_card t, int first, int count)
{
    if (LB_TREE_LANE < count) {
        lb_assemble(t.model, t.work, t.division, t.division->schedule.order[first + LB_TREE_LANE]);
    }
}

LB_TREE_KERNEL lb_tree_disassemble(lb_tree_on_card t, int first, int count)
{
    if (LB_TREE_LANE < count) {
        lb_disassemble(t.model, t.work, t.division,
                       t.division->schedule.order[first + LB_TREE_LANE]);
    }
}

// One lane a node: what the check finds of it, and the largest of its team.
LB_TREE_KERNEL lb_tree_check(lb_tree_on_card t, int count, double *verdicts)
{
    const int n = LB_TREE_LANE;
    double verdict[LB_VERDICT_SIZE] = {0};
    if (n < count && t.division->schedule.first[n] >= 0) {
        lb_check_handles(t.model, t.work, t.division, n);
        const lb_segment *s = &t.division->segments[n];
        verdict[LB_VERDICT_SHIFT] = s->shift;
        verdict[LB_VERDICT_LARGEST] = s->largest;
        verdict[LB_VERDICT_GAP] = s->gap[0];
        verdict[LB_VERDICT_GAP + 1] = s->gap[1];
        verdict[LB_VERDICT_MOTION] = s->motion[0];
        verdict[LB_VERDICT_MOTION + 1] = s->motion[1];
        verdict[LB_VERDICT_LENGTH] = s->length;
    }
    if (n < count) {
        verdict[LB_VERDICT_BROKEN] = t.division->segments[n].broken;
    }
#ifdef __CUDACC__
    lb_gather_verdict(verdict);
    if (n % LB_TEAM == 0) {
        for (int e = 0; e < LB_VERDICT_SIZE; ++e) {
            verdicts[LB_VERDICT_SIZE * (1 + n / LB_TEAM) + e] = verdict[e];
        }
    }
#else
    for (int e = 0; e < LB_VERDICT_SIZE && n < count; ++e) {
        lb_keep_largest(verdict[e], &verdicts[e]);
    }
#endif
}

#ifdef __CUDACC__

// One block of 1024: the verdicts of all teams in one, at the place of the first.
extern "C" __global__ void __launch_bounds__(1024) lb_tree_verdict(double *verdicts, int count)
{
    const double largest = lb_gather_verdicts(verdicts + LB_VERDICT_SIZE, count);
    if (threadIdx.x < LB_VERDICT_SIZE) {
        verdicts[threadIdx.x] = largest;
    }
}

#endif

#endif // LB_TREE_KERNELS_H
