// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "tree_on_host.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// what CUDA has: who runs, of how many
#define __global__
#define __launch_bounds__(count)
struct lanes {
    unsigned x;
};
static lanes blockIdx, threadIdx, blockDim = {64}, gridDim;

#include "tree_text.c.cu"

template <class... Arguments>
static void launch(void (*kernel)(Arguments...), int lanes, Arguments... arguments)
{
    gridDim.x = ((unsigned)lanes + blockDim.x - 1) / blockDim.x;
    for (unsigned lane = gridDim.x * blockDim.x; lane-- > 0;) {
        blockIdx.x = lane / blockDim.x;
        threadIdx.x = lane % blockDim.x;
        kernel(arguments...);
    }
}

typedef void sweep_kernel(lb_tree_on_card, int, int);

static void sweep(sweep_kernel *kernel, lb_tree_on_card t, const int *levels, int level_count,
                  int most, bool down)
{
    for (int i = 0; i < level_count; ++i) {
        const int level = down ? level_count - 1 - i : i;
        const int count = levels[level + 1] - levels[level];
        launch(kernel, count < most ? count : most, t, levels[level], count);
    }
}

void lb_run_tree_on_host(const void *model, void *work, void *division, const int *levels,
                         int level_count, int body_count, int scratch_lanes, const double *q,
                         const double *v, const double *tau, double *a, double *verdicts)
{
    lb_tree_on_card t = {(const lb_model *)model, (lb_work *)work, (lb_division *)division};
    const int nodes = levels[level_count];
    launch(lb_tree_take, 1, t, q, v, tau);
    launch(lb_tree_state, body_count, t, body_count);
    sweep(lb_tree_turns, t, levels, level_count, nodes, false);
    sweep(lb_tree_velocities, t, levels, level_count, scratch_lanes, true);
    launch(lb_tree_give, 1, t, a);
    sweep(lb_tree_assemble, t, levels, level_count, nodes, false);
    sweep(lb_tree_disassemble, t, levels, level_count, nodes, true);
    memset(verdicts, 0, LB_VERDICT_SIZE * sizeof *verdicts);
    launch(lb_tree_check, nodes, t, nodes, verdicts);
}
