// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many states of one model at once: gradients by differences, sampling, learning, shooting.
//
// States lie one after the other: row s of q holds the lb_get_q_count numbers of state s, and so on
// for v, tau and a; mass matrices are v_count x v_count each. The answers are those of the functions
// of the same names in dynamics.h, up to round-off.
//
// Rigid models are evaluated four states at a time (eight with AVX-512), one in each lane of the
// processor's vector registers. Models with flexible bodies are evaluated state by state. What a state gives never
// depends, not even in its last bit, on the other states of the batch nor on how many there are: cut
// a batch into pieces as you like, and give every thread its own piece and its own workspace.
// limber/batch_openmp.h does so. Pieces of a multiple of eight states waste nothing.
//
//     size_t size = lb_get_batch_work_size(model);
//     lb_batch_work *work;
//     lb_init_batch_work(model, my_pool(size), size, &work);
//     lb_compute_forward_dynamics_batch(model, work, 1000, q, v, tau, a);
//
// Nothing allocates but lb_create_batch_work. Outputs do not alias inputs.
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "limber/dynamics.h"

/// Scratch of the functions below. One per thread. It keeps no results: there are no read-outs.
typedef struct lb_batch_work lb_batch_work;

/// Bytes that lb_init_batch_work needs, alignment included: any address will do.
LB_API size_t lb_get_batch_work_size(const lb_model *model);

/// Makes a workspace in the caller's memory, which it then owns nothing of: drop it when done.
///
/// @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_API lb_status lb_init_batch_work(const lb_model *model, void *memory, size_t size,
                                    lb_batch_work **work);

/// The same with memory of the model's allocator; NULL if it is out. Free by
/// lb_destroy_batch_work.
LB_API lb_batch_work *lb_create_batch_work(const lb_model *model);
LB_API void lb_destroy_batch_work(const lb_model *model, lb_batch_work *work);

/// Forward dynamics of `count` states: a with M a + c = tau. Theory: (ABA-1)..(ABA-3).
///
/// A state that fails has NaN for all of its accelerations; the others have theirs.
///
/// @param q    count x q_count
/// @param v    count x v_count
/// @param tau  count x v_count; NULL for zero
/// @param a    out: count x v_count
/// @return LB_OK; LB_E_SINGULAR if any state fails; else LB_NEWS_INDEFINITE if any has that to say
///         (see lb_get_batch_trouble)
LB_API lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                                   int count, const double *q, const double *v,
                                                   const double *tau, double *a);

/// Inverse dynamics of `count` states: tau = M a + c. Theory: (RNE-1), (RNE-2).
///
/// @param a    count x v_count; NULL for zero, which gives c
/// @param tau  out: count x v_count
LB_API lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                                   int count, const double *q, const double *v,
                                                   const double *a, double *tau);

/// Mass matrices of `count` configurations. Theory: (CRB-1).
///
/// @param M  out: count x v_count x v_count
LB_API lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                              const double *q, double *M);

/// After LB_E_SINGULAR or LB_NEWS_INDEFINITE: the first state that had it, and where it was.
///
/// @param state   out: index in the batch of the last call
/// @param body    out: the body
/// @param offset  out: entry among the body's own speeds (modes, then hinge)
LB_API void lb_get_batch_trouble(const lb_batch_work *work, int *state, int *body, int *offset);

#endif // LB_BATCH_H
