// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many states of one model at once: for gradients by differences, sampling, learning and shooting.
//
// States are stored one after the other: row s of q holds the lb_get_q_count numbers of state s. v, tau
// and a are stored in the same way; mass matrices are v_count x v_count each, row by row. Frames and
// units are those of dynamics.h. The results are those of the functions for one state there, up to
// round-off.
//
// Rigid models are evaluated four states at a time (eight with AVX-512), one in each lane of the
// processor's vector registers. Models with flexible bodies are evaluated state by state. The result of a
// state never depends on the other states of the batch or on their number, not even in its last bit. So
// you can cut a batch into pieces and give every thread a piece and a workspace of its own, as
// limber/openmp.h does. Pieces of a multiple of eight states use all lanes.
//
//     size_t size = lb_get_batch_work_size(model);
//     lb_batch_work *work;
//     lb_init_batch_work(model, my_pool(size), size, &work);
//     lb_compute_forward_dynamics_batch(model, work, 1000, q, v, tau, a);
//
// Only lb_create_batch_work allocates. Outputs must not overlap inputs. Time grows linearly with the
// number of states.
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "limber/dynamics.h"

/// Scratch memory for the functions below, one per thread. It keeps no results to read afterwards, except
/// for lb_get_batch_trouble and lb_get_batch_bad_number. Opaque.
typedef struct lb_batch_work lb_batch_work;

/// The number of bytes that lb_init_batch_work needs for this model. They may start at any address: what
/// alignment takes is included.
LB_API size_t lb_get_batch_work_size(const lb_model *model);

/// Makes a workspace in memory of the caller. Free or reuse the memory when you no longer need the
/// workspace; there is nothing to destroy. The model must outlive it.
///
/// @param memory  any address
/// @param size    bytes in `memory`
/// @param work    out: the workspace; NULL on failure
/// @return LB_OK, or LB_E_MEMORY if `memory` is NULL or `size` is below lb_get_batch_work_size
LB_API lb_status lb_init_batch_work(const lb_model *model, void *memory, size_t size,
                                    lb_batch_work **work);

/// Makes a workspace in memory of the model's allocator. Free it with lb_destroy_batch_work. The model
/// must outlive it.
///
/// @return NULL if memory runs out
LB_API lb_batch_work *lb_create_batch_work(const lb_model *model);

/// Frees a workspace of lb_create_batch_work. Does nothing for NULL, or for one that was made by
/// lb_init_batch_work.
LB_API void lb_destroy_batch_work(lb_batch_work *work);

/// Forward dynamics of `count` states: a, where M a + c = tau. O(N) per state.
/// Theory: (ABA-1)..(ABA-3).
///
/// If a state fails, its accelerations are NaN; all others are computed.
///
/// @param q    count x q_count
/// @param v    count x v_count
/// @param tau  count x v_count; NULL for zero
/// @param a    out: count x v_count
/// @return LB_OK; LB_E_NUMBER if a number of any state is not finite (lb_get_batch_bad_number);
///         LB_E_SINGULAR if any state fails; otherwise LB_NEWS_INDEFINITE if the articulated
///         inertia of any state is indefinite. lb_get_batch_trouble says where
LB_API lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                                   int count, const double *q, const double *v,
                                                   const double *tau, double *a);

/// Inverse dynamics of `count` states: tau = M a + c. O(N) per state. Theory: (RNE-1), (RNE-2).
///
/// @param q    count x q_count
/// @param v    count x v_count
/// @param a    count x v_count; NULL for zero, which gives c
/// @param tau  out: count x v_count
/// @return LB_OK, or LB_E_NUMBER if a number of any state is not finite: its forces are NaN, all others are
///         computed
LB_API lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                                   int count, const double *q, const double *v,
                                                   const double *a, double *tau);

/// Mass matrices of `count` configurations. O(N^2) per state. Theory: (CRB-1).
///
/// @param q  count x q_count
/// @param M  out: count x v_count x v_count
/// @return LB_OK, or LB_E_NUMBER if a number of any state is not finite: its matrix is NaN, all others are
///         computed
LB_API lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                              const double *q, double *M);

/// Where the last call found a singular or indefinite inertia. Call it after LB_E_SINGULAR or
/// LB_NEWS_INDEFINITE.
///
/// @param state   out: the first such state, as an index into the batch of the last call
/// @param body    out: the body
/// @param offset  out: the entry among the body's own speeds (modes first, then hinge)
LB_API void lb_get_batch_trouble(const lb_batch_work *work, int *state, int *body, int *offset);

/// Says which number was not finite, after LB_E_NUMBER: the first of all states.
///
/// @param state  out: the state; -1 for none
/// @param entry  out: index into that state's part of the argument
/// @return the name of the argument: "q", "v", "tau" or "a"
LB_API const char *lb_get_batch_bad_number(const lb_batch_work *work, int *state, int *entry);

#endif // LB_BATCH_H
