// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any tree on a device: the sweeps of the host, one launch per level.
#include <stdlib.h>
#include <string.h>

#include "large.h"
#include "tree_image.h"
#include "verdict.h"

/// The text of tree_kernels.h and what it includes, written by the build.
extern const unsigned char lb_tree_text[];

enum { TAKE, GIVE, STATE, TURNS, VELOCITIES, ASSEMBLE, DISASSEMBLE, CHECK, VERDICT, KERNEL_COUNT };
static const char *const kernel_names[KERNEL_COUNT] = {
    "lb_tree_take",        "lb_tree_give",       "lb_tree_state",
    "lb_tree_turns",       "lb_tree_velocities", "lb_tree_assemble",
    "lb_tree_disassemble", "lb_tree_check",      "lb_tree_verdict"};
static_assert((int)KERNEL_COUNT <= (int)LB_LARGE_KERNELS, "room for kernels");

/// Lanes of a block: as many as tree_kernels.h allows. Each needs most of the registers that there are.
enum { LANES = 64 };

// ---- set-up ------------------------------------------------------------------------------------

// Runs of four: a join takes as long as the elimination of some bodies, and there are threads for many of them.
static int choose_run_length(const lb_cuda_division *d, const lb_model *model)
{
    const int quarter = model->body_count / 4;
    return d->options.run_length > 0 ? d->options.run_length
           : quarter < 1             ? 1
           : quarter > 4             ? 4
                                     : quarter;
}

static lb_status upload(lb_cuda_division *d, lb_tree_image *image)
{
    const lb_schedule *plan = &image->own_division->schedule;
    d->size = image->size;
    d->level_count = plan->level_count;
    d->scratch_lanes = image->scratch_lanes;
    const size_t counts = (size_t)d->level_count + 1;
    lb_status status = lb_allocate_on_cuda(d->cuda, d->size, &d->memory);
    if (status != LB_OK) {
        return status;
    }
    unsigned char *bytes = malloc(image->filled);
    d->levels = malloc(counts * sizeof *d->levels);
    if (bytes && d->levels) {
        memcpy(d->levels, plan->level, counts * sizeof *d->levels);
        memset(bytes, 0, image->filled);
        lb_write_tree_image(image, bytes, d->memory);
        d->arrays = image->arrays;
        d->verdicts = image->verdicts;
        d->tree.model = image->model;
        d->tree.work = image->work;
        d->tree.division = image->division;
        status = lb_copy_to_cuda(d->cuda, d->memory, bytes, image->filled);
    } else {
        status = lb_fail_cuda(d->cuda, LB_E_MEMORY, "out of memory");
    }
    free(bytes);
    return status;
}

lb_status lb_set_up_tree(lb_cuda_division *d, const lb_model *model)
{
    lb_tree_image image;
    lb_status status =
        lb_take_large_kernels(d, lb_tree_text, "tree.cu", KERNEL_COUNT, kernel_names);
    if (status != LB_OK) {
        return status;
    }
    if (lb_prepare_tree_image(model, choose_run_length(d, model), &image) != LB_OK) {
        return lb_fail_cuda(d->cuda, LB_E_MEMORY, "out of memory");
    }
    d->body_count = model->body_count;
    status = upload(d, &image);
    lb_clear_tree_image(&image);
    return status;
}

// ---- evaluation --------------------------------------------------------------------------------

static lb_status launch(lb_cuda_division *d, int kernel, int lanes, void **arguments)
{
    return lb_launch_large(d, kernel, (lanes + LANES - 1) / LANES, LANES, 0, arguments);
}

// One sweep over the levels: up, from the runs, or down.
static lb_status sweep(lb_cuda_division *d, int kernel, int down)
{
    lb_status status = LB_OK;
    for (int i = 0; i < d->level_count && status == LB_OK; ++i) {
        const int level = down ? d->level_count - 1 - i : i;
        int first = d->levels[level], count = d->levels[level + 1] - first;
        void *arguments[] = {&d->tree, &first, &count};
        const int most = kernel == VELOCITIES ? d->scratch_lanes : count;
        status = launch(d, kernel, count < most ? count : most, arguments);
    }
    return status;
}

lb_status lb_start_tree_kinematics(lb_cuda_division *d, const double *q, const double *v,
                                   const double *tau)
{
    void *arrays[] = {&d->tree, &q, &v, &tau}, *state[] = {&d->tree, &d->body_count};
    lb_status status = lb_launch_large(d, TAKE, 1, 1, 0, arrays);
    status = status == LB_OK ? launch(d, STATE, d->body_count, state) : status;
    status = status == LB_OK ? sweep(d, TURNS, 0) : status;
    return status == LB_OK ? sweep(d, VELOCITIES, 1) : status;
}

lb_status lb_start_tree_dynamics(lb_cuda_division *d, double *a)
{
    int nodes = d->levels[d->level_count], teams = (nodes + LB_CARD_TEAM - 1) / LB_CARD_TEAM;
    void *array[] = {&d->tree, &a}, *check[] = {&d->tree, &nodes, &d->verdicts};
    void *verdict[] = {&d->verdicts, &teams};
    lb_status status = lb_launch_large(d, GIVE, 1, 1, 0, array);
    status = status == LB_OK ? sweep(d, ASSEMBLE, 0) : status;
    status = status == LB_OK ? sweep(d, DISASSEMBLE, 1) : status;
    status = status == LB_OK ? launch(d, CHECK, nodes, check) : status;
    return status == LB_OK ? lb_launch_large(d, VERDICT, 1, 1024, 0, verdict) : status;
}
