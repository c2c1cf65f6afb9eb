// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One large system on a graphics processor (library limber-cuda): forward dynamics by divide and conquer, with runs of
// bodies that one thread eliminates in sequence.
//
//     lb_cuda *cuda = NULL;
//     lb_cuda_division *division = NULL;
//     lb_create_cuda(NULL, NULL, &cuda);
//     lb_create_cuda_division(cuda, model, NULL, &division);
//     lb_start_cuda_division(division, q, v, tau, a); // arrays on the device
//     lb_division_report found = {.size = sizeof found};
//     lb_check_cuda_division(division, &found);
//
// The model is a tree with any hinges and any bodies, rigid and flexible. A chain of rigid links on revolute hinges, listed
// from base to tip, has kernels of its own, which are faster. Loops are refused by name. The answer has the same bits on
// every run. Every answer is checked against the equations of motion of every body. Theory:
// docs/theory/divide_and_conquer.md.
#ifndef LB_CUDA_DIVISION_H
#define LB_CUDA_DIVISION_H

#include "limber/cuda.h"
#include "limber/divide_and_conquer.h"

/// How to divide a model for a device. Start from lb_default_cuda_division_options().
typedef struct lb_cuda_division_options {
    size_t size; ///< of this struct, set by lb_default_cuda_division_options
    /// Bodies that one thread eliminates one after the other; of a chain of revolute links taken down to a power of two.
    /// 0, the default, means 4, and for such chains 4 to 32, by the number of bodies.
    int run_length;
    /// Largest `shift` and `gap` (see lb_division_report) of a result that is accepted; 1e-10 by default.
    double tolerance;
    bool
        general; ///< chains of revolute links by the kernels of all other models too, for comparison
} lb_cuda_division_options;

/// The defaults: run length by the model, tolerance 1e-10.
static inline lb_cuda_division_options lb_default_cuda_division_options(void)
{
    lb_cuda_division_options options = LB_ZEROES;
    options.size = sizeof options;
    options.tolerance = 1e-10;
    return options;
}

/// A model on a device, and memory for its assemblies there. Opaque.
typedef struct lb_cuda_division lb_cuda_division;

/// Puts a model on a device and allocates there all that evaluations need: 0.5 kB per link of a long chain, about 2 kB per
/// rigid body and more per flexible body of other models. The first of each kind also compiles kernels, which takes some
/// seconds. The device must outlive it; the model need not.
///
/// One state is computed on the device and by the recursion on the host, and a model whose accelerations differ there is
/// refused: kernels are compiled where they run, and the check of an answer takes their places and velocities as they are.
/// This costs one evaluation by the recursion and, until it is done, a workspace.
///
/// @param options   NULL for the defaults
/// @param division  out: to be freed by lb_destroy_cuda_division; NULL on failure
/// @return LB_OK; LB_E_UNSUPPORTED if the model has loops (lb_get_cuda_message names the first), the compiler is
///         missing, or the device gives other accelerations than the host; LB_E_MEMORY; LB_E_NUMBER if the tolerance is NaN; LB_E_VERSION
LB_API lb_status lb_create_cuda_division(lb_cuda *cuda, const lb_model *model,
                                         const lb_cuda_division_options *options,
                                         lb_cuda_division **division);

/// Frees a division and its memory on the device. NULL is allowed.
LB_API void lb_destroy_cuda_division(lb_cuda_division *division);

/// Forward dynamics of arrays on the device: starts the work and returns at once. All arrays are in the order of the
/// model. Theory: (DCA-1)..(DCA-9).
///
/// @param q, v  coordinates and speeds
/// @param tau   generalized forces; NULL for zero
/// @param a     out: accelerations
/// @return LB_OK or LB_E_UNSUPPORTED
LB_API lb_status lb_start_cuda_division(lb_cuda_division *division, const double *q,
                                        const double *v, const double *tau, double *a);

/// Waits for the last evaluation and judges it by its residuals. (DCA-8)
///
/// @param report  in: its size; out: the rest; `fallback` says that the answer should not be used. May be NULL
/// @return LB_OK; LB_NEWS_FALLBACK if the answer is not accurate enough, so that the recursion
///         (lb_compute_forward_dynamics) has to compute it; LB_E_UNSUPPORTED; LB_E_VERSION
LB_API lb_status lb_check_cuda_division(lb_cuda_division *division, lb_division_report *report);

/// Forward dynamics of arrays on the host: copies them to the device and the answer back, checks it, and has the
/// articulated recursion compute it on the host where it is not accurate enough.
///
/// @param model  the model that the division was made of
/// @param work   for the recursion; otherwise it keeps what it holds
/// @param tau    generalized forces; NULL for zero
/// @param a      out: accelerations
/// @return as lb_compute_forward_dynamics, LB_NEWS_FALLBACK, or LB_E_UNSUPPORTED if the device fails
LB_API lb_status lb_compute_forward_dynamics_divided_cuda(const lb_model *model, lb_work *work,
                                                          lb_cuda_division *division,
                                                          const double *q, const double *v,
                                                          const double *tau, double *a);

#endif // LB_CUDA_DIVISION_H
