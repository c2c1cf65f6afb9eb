// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One large system on a device: a chain of rigid links on revolute hinges by kernels of its own, or any tree.
#ifndef LB_LARGE_H
#define LB_LARGE_H

#include "base/internal.h"
#include "chain_layout.h"
#include "dynamics/divide/division.h"
#include "export/cuda/device.h"
#include "limber/cuda_division.h"

enum { LB_LARGE_KERNELS = 10 };

struct lb_cuda_division {
    lb_cuda *cuda;
    lb_cuda_division_options options;
    bool is_chain;
    int q_count, v_count;
    lb_cuda_kernel kernels[LB_LARGE_KERNELS];
    int kernel_count;
    const char *const *kernel_names;
    unsigned
        only; ///< one bit per kernel: all others are left out, so that some can be timed; 0 for none
    void *memory;     ///< on the device: everything
    size_t size;      ///< of it
    double *arrays;   ///< there: q, v, tau and a of arrays on the host
    double *verdicts; ///< there: what the check found

    lb_chain chain;   ///< its arrays lie on the device
    int chain_levels; ///< above the runs

    struct {
        const lb_model *model;
        lb_work *work;
        lb_division *division;
    } tree;      ///< on the device
    int *levels; ///< of the tree, on the host: nodes on level i and below, from 0
    int level_count, body_count, scratch_lanes;
};

/// Compiles a text, or takes it as it was compiled before, and finds its kernels.
lb_status lb_take_large_kernels(lb_cuda_division *division, const unsigned char *text,
                                const char *file_name, int count, const char *const *names);

/// Starts a kernel, unless `only` leaves it out. Kernels of chains wait for each other by themselves.
lb_status lb_launch_large(lb_cuda_division *division, int kernel, int blocks, int threads,
                          size_t shared_bytes, void **arguments);

/// Puts a model on the device: kernels, memory, what never changes.
///
/// @return LB_OK; LB_E_UNSUPPORTED or LB_E_MEMORY, in words; whoever calls frees what is there
lb_status lb_set_up_chain(lb_cuda_division *division, const lb_model *model);
lb_status lb_set_up_tree(lb_cuda_division *division, const lb_model *model);

/// Starts what depends on q and v only: places and angular velocities.
lb_status lb_start_chain_kinematics(lb_cuda_division *division, const double *q, const double *v,
                                    const double *tau);
lb_status lb_start_tree_kinematics(lb_cuda_division *division, const double *q, const double *v,
                                   const double *tau);

/// Starts the rest.
lb_status lb_start_chain_dynamics(lb_cuda_division *division, double *a);
lb_status lb_start_tree_dynamics(lb_cuda_division *division, double *a);

/// The same with the kinematics of the last evaluation: places, angular velocities and torques stay as they are on the
/// device. For measurements.
///
/// @param a  out: accelerations, on the device
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_repeat_cuda_division(lb_cuda_division *division, double *a);

/// Bytes that the division has allocated on the device.
size_t lb_get_cuda_division_size(const lb_cuda_division *division);

#endif // LB_LARGE_H
