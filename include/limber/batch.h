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
// Rigid models without loops are evaluated four states at a time (eight with AVX-512), one in each lane of the
// processor's vector registers. Models with flexible bodies, and with active loops, locked hinges or driven hinges,
// are evaluated state by state. The result of a state never depends on the other states of the batch, on their
// number or on the number of threads, not even in its last bit. Pieces of threads start at multiples of eight states.
//
//     lb_batch_options options = lb_default_batch_options();
//     options.team = lb_make_openmp_team(8); // limber/openmp.h; without it, one thread does it all
//     lb_batch *batch = lb_create_batch(model, &options);
//     lb_compute_forward_dynamics_batch(model, batch, 1000, q, v, tau, a);
//     lb_destroy_batch(batch);
//
// A graphics processor is another option, with the same calls: see lb_make_cuda_machine in limber/cuda.h.
//
// Only lb_create_batch allocates. Outputs must not overlap inputs. Time grows linearly with the
// number of states.
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "limber/dynamics.h"

/// Workspaces for many states of one model, one per thread. It keeps no results to read afterwards, except
/// for lb_get_batch_bad_inertia and lb_get_batch_bad_number. Opaque.
typedef struct lb_batch lb_batch;

/// Another machine that computes batches, for the calls below: each computes `count` states on it and returns when they are
/// on the host. limber/cuda.h makes one (lb_make_cuda_machine), and you can make one of your own; q, v and the
/// rest are those of the caller. Frozen: it is filled in by name.
typedef struct lb_machine {
    void *user;
    /// @param state  out: one with the failure that is returned; -1 for none
    lb_status (*forward_dynamics)(void *user, const lb_model *model, int count, const double *q,
                                  const double *v, const double *tau, double *a, int *state);
    lb_status (*inverse_dynamics)(void *user, const lb_model *model, int count, const double *q,
                                  const double *v, const double *a, double *tau, int *state);
    lb_status (*mass_matrix)(void *user, const lb_model *model, int count, const double *q,
                             double *M, int *state);
} lb_machine;

/// Options of a batch. Start from lb_default_batch_options(). Sized.
typedef struct lb_batch_options {
    size_t size; ///< of this struct, set by lb_default_batch_options
    /// Threads that share the states; all zero for the calling thread alone (zero). Batches that are too small for
    /// another thread to pay use fewer: see lb_count_batch_threads.
    lb_team team;
    lb_machine machine; ///< in place of the cores; all zero for these (zero)
} lb_batch_options;

/// The defaults: the calling thread alone.
static inline lb_batch_options lb_default_batch_options(void)
{
    lb_batch_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// Makes workspaces in memory of the model's allocator. The loops of the model act as in a new workspace. The model must
/// outlive the batch.
///
/// @param options  NULL for the defaults
/// @return to be freed by lb_destroy_batch; NULL if memory runs out, if a team or a machine lacks functions, or if the options are
///         from a newer version
LB_API lb_batch *lb_create_batch(const lb_model *model, const lb_batch_options *options);

/// Frees a batch. NULL is allowed.
LB_API void lb_destroy_batch(lb_batch *batch);

/// Gives a batch the loops, locked hinges and driven hinges that a workspace has now, and whether it leaves them out
/// (lb_use_tree). Later changes of the workspace do not reach the batch.
///
/// @param work  a workspace of the same model
/// @return LB_OK; LB_E_UNSUPPORTED on another machine, whose loops act as the model has them
LB_API lb_status lb_set_batch_like(const lb_model *model, lb_batch *batch, const lb_work *work);

/// How many threads a batch uses for so many states: as many as its team has, but so few that each has work for longer
/// than it takes to wake it.
LB_API int lb_count_batch_threads(const lb_model *model, const lb_batch *batch, int count);

/// Forward dynamics of `count` states, as lb_compute_forward_dynamics: with the loops, locks and drives of the batch. O(N)
/// per state, plus the loops. Theory: (ABA-1)..(ABA-3), (CLO-1)..(CLO-8).
///
/// If a state fails, its accelerations are NaN; all others are computed.
///
/// @param q    count x q_count
/// @param v    count x v_count
/// @param tau  count x v_count; NULL for zero
/// @param a    in: accelerations of driven hinges; out: all others; count x v_count
/// @return LB_OK; LB_E_ARGUMENT for a negative count; LB_E_NUMBER if a number of any state is not finite (lb_get_batch_bad_number);
///         LB_E_SINGULAR if any state fails; otherwise LB_NEWS_INDEFINITE if the articulated
///         inertia of any state is indefinite. lb_get_batch_bad_inertia says where
LB_API lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch *batch,
                                                   int count, const double *q, const double *v,
                                                   const double *tau, double *a);

/// Inverse dynamics of `count` states: tau = M a + c. O(N) per state. Theory: (RNE-1), (RNE-2).
///
/// @param q    count x q_count
/// @param v    count x v_count
/// @param a    count x v_count; NULL for zero, which gives c
/// @param tau  out: count x v_count
/// @return LB_OK; LB_E_LOOPS while loops, locks or drives act; LB_E_NUMBER if a number of any state is not finite: its
///         forces are NaN, all others are computed
LB_API lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch *batch,
                                                   int count, const double *q, const double *v,
                                                   const double *a, double *tau);

/// Mass matrices of `count` configurations. O(N^2) per state. Theory: (CRB-1).
///
/// @param q  count x q_count
/// @param M  out: count x v_count x v_count
/// @return LB_OK; LB_E_LOOPS while loops, locks or drives act; LB_E_NUMBER if a number of any state is not finite: its
///         matrix is NaN, all others are computed
LB_API lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch *batch, int count,
                                              const double *q, double *M);

/// Where the last call found a singular or indefinite inertia. Call it after LB_E_SINGULAR or
/// LB_NEWS_INDEFINITE.
///
/// @param state   out: the first such state, as an index into the batch of the last call
/// @param body    out: the body
/// @param offset  out: the entry among the body's own speeds (modes first, then hinge)
LB_API void lb_get_batch_bad_inertia(const lb_batch *batch, int *state, int *body, int *offset);

/// Says which number was not finite, after LB_E_NUMBER: the first of all states.
///
/// @param state  out: the state; -1 for none
/// @param entry  out: index into that state's part of the argument
/// @return the name of the argument: "q", "v", "tau" or "a"
LB_API const char *lb_get_batch_bad_number(const lb_batch *batch, int *state, int *entry);

#endif // LB_BATCH_H
