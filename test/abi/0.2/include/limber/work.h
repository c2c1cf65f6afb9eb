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

#endif // LB_WORK_H
