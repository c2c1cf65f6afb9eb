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

/// Frees a workspace of lb_create_work; does nothing to one of lb_init_work. NULL is allowed.
LB_API void lb_destroy_work(lb_work *work);

/// Says where an inertia was singular or indefinite, after LB_E_SINGULAR or LB_NEWS_INDEFINITE.
///
/// @param body    out: the body
/// @param offset  out: index among the body's own speeds (modes, then hinge)
LB_API void lb_get_trouble(const lb_work *work, int *body, int *offset);

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

#endif // LB_WORK_H
