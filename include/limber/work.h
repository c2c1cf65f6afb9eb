// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The workspace holds everything that is computed from a state, and scratch memory. Use one
// workspace per thread; a model may have any number of them. Either let the library allocate,
//
//     lb_work *work = lb_create_work(model);
//     lb_destroy_work(work);
//
// or bring the memory yourself:
//
//     const size_t size = lb_get_work_size(model);
//     void *memory = malloc(size);
//     lb_work *own;
//     lb_status status = lb_init_work(model, memory, size, &own);
//     free(memory);
//
// Options of lb_create_work_with say how forward dynamics is computed in a workspace.
#ifndef LB_WORK_H
#define LB_WORK_H

#include <stdbool.h>

#include "limber/model.h"

/// A workspace. Opaque.
typedef struct lb_work lb_work;

/// Bytes that lb_init_work needs. They include room for alignment, so any address will do.
LB_API size_t lb_get_work_size(const lb_model *model);

/// Makes a workspace in the caller's memory. It needs no destroying: free the memory when done.
/// Does not allocate.
///
/// @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_API lb_status lb_init_work(const lb_model *model, void *memory, size_t size, lb_work **work);

/// Makes a workspace in memory from the model's allocator.
///
/// @return the workspace, to be freed by lb_destroy_work; NULL if there is no memory
LB_API lb_work *lb_create_work(const lb_model *model);

/// Frees a workspace of lb_create_work or lb_create_work_with; does nothing to one of lb_init_work. NULL is allowed.
LB_API void lb_destroy_work(lb_work *work);

// ---- how forward dynamics is computed ----------------------------------------------------------

/// How accelerations are computed. Results are the same up to round-off.
typedef enum lb_algorithm {
    LB_ALGORITHM_ARTICULATED,        ///< the articulated-body recursion: O(N)
    LB_ALGORITHM_DIVIDE_AND_CONQUER, ///< for long chains on many cores; see divide_and_conquer.h
    /// The mass matrix, factored with the sparsity of the tree: up to O(v_count^3). Theory: (CRB-1), (CRB-2).
    LB_ALGORITHM_COMPOSITE,
    /// The articulated-body recursion as it was first published, for comparison: the modes and the hinge of a body
    /// are eliminated together, with whole matrices. Leaves nothing for other functions to read. Theory: (ABA-9).
    LB_ALGORITHM_UNSPLIT,
    LB_ALGORITHM_COUNT
} lb_algorithm;

/// One part of shared work: piece i of n, from 0.
typedef void (*lb_team_part)(void *data, int piece, int piece_count);

/// Calls part(data, i, n) for every i from 0 to n - 1, all at the same time, and returns when all are done. n is
/// thread_count or, if there are not so many threads, less.
typedef void (*lb_team_run)(int thread_count, lb_team_part part, void *data);

/// Called in a part: returns when all parts have called it.
typedef void (*lb_team_wait)(void);

/// Threads that share work. The core has none; limber/openmp.h makes a team, and you can make one of your own.
/// Frozen: it is filled in by name.
typedef struct lb_team {
    int thread_count;
    lb_team_run run;
    lb_team_wait wait;
} lb_team;

/// Options of a workspace. Start from lb_default_work_options(). Sized.
typedef struct lb_work_options {
    size_t size;            ///< of this struct, set by lb_default_work_options
    lb_algorithm algorithm; ///< of the tree (articulated)
    /// Divide and conquer: bodies that are eliminated one after the other, as the articulated recursion does, before
    /// assemblies are joined in pairs; 1 for none. Longer runs are cheaper and more accurate, shorter runs
    /// leave more work to share. 0 means 8, or less for models of fewer than 64 bodies (0).
    int run_length;
    /// Divide and conquer: largest `shift` and `gap` (see lb_division_report) of a result that is accepted (1e-10).
    double tolerance;
    lb_team team; ///< divide and conquer: threads; all zero for the calling thread alone (zero)
} lb_work_options;

/// Sets the defaults in `size` bytes of options; for other languages. C and C++ use lb_default_work_options.
LB_API void lb_init_work_options(lb_work_options *options, size_t size);

/// The defaults: the articulated recursion.
static inline lb_work_options lb_default_work_options(void)
{
    lb_work_options options;
    lb_init_work_options(&options, sizeof options);
    return options;
}

/// Makes a workspace with options, in memory from the model's allocator. With loops, locks or drives, the algorithms
/// composite and unsplit give way to the articulated recursion.
///
/// @param options  NULL for the defaults
/// @param work     out: to be freed by lb_destroy_work; NULL on failure
/// @return LB_OK; LB_E_MEMORY; LB_E_ARGUMENT for an unknown algorithm or a team without functions; LB_E_NUMBER if the
///         tolerance is NaN; LB_E_VERSION if the options are from a newer version
LB_API lb_status lb_create_work_with(const lb_model *model, const lb_work_options *options,
                                     lb_work **work);

// ---- what a workspace says ---------------------------------------------------------------------

/// Says where an inertia was singular or indefinite, after LB_E_SINGULAR or LB_NEWS_INDEFINITE.
///
/// @param body    out: the body
/// @param offset  out: index among the body's own speeds (modes, then hinge)
LB_API void lb_get_bad_inertia(const lb_work *work, int *body, int *offset);

/// Says which number was not finite, after LB_E_NUMBER from a function that takes this workspace.
///
/// Functions refuse NaN and infinity in the numbers that they read: they compute nothing. If the number was
/// in a new state (q, v, and the forces or accelerations given with it), the workspace holds no state
/// afterwards, and what needs one gives LB_E_STAGE. Otherwise the workspace stays as it was.
///
/// @param entry  out: index into the argument, from 0. For an argument that is a struct, or an array of
///               structs, its numbers are counted in the order of their declaration
/// @return the name of the argument as in the declaration of the function, such as "q" or "forces"; NULL if
///         LB_E_NUMBER had another cause
LB_API const char *lb_get_bad_number(const lb_work *work, int *entry);

/// Whether states (q, v, and the forces or accelerations given with them) are taken as they are. By default they
/// are checked. A program that knows them to be finite saves one or two per cent for small models; NaN and
/// infinity then pass into the results.
LB_API void lb_trust_numbers(lb_work *work, bool trust);

/// Whether the dynamics are those of the tree alone, without its active loops, locked hinges and driven hinges
/// (loops.h). In a new workspace they are not. What the workspace already holds stays as it was computed.
LB_API void lb_use_tree(lb_work *work, bool use);

#endif // LB_WORK_H
