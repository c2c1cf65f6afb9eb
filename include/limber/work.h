// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The workspace: everything derived from a state, and scratch. One per thread; a model may have
// any number. Ask for its size, hand over memory, and nothing allocates from then on:
//
//     void *memory = my_pool(lb_get_work_size(model));
//     lb_work *work;
//     lb_init_work(model, memory, lb_get_work_size(model), &work);
#ifndef LB_WORK_H
#define LB_WORK_H

#include "limber/model.h"

typedef struct lb_work lb_work;

/// Bytes that lb_init_work needs, alignment included: any address will do.
LB_API size_t lb_get_work_size(const lb_model *model);

/// Makes a workspace in the caller's memory, which it then owns nothing of: drop it when done.
///
/// @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_API lb_status lb_init_work(const lb_model *model, void *memory, size_t size, lb_work **work);

/// The same with memory of the model's allocator; NULL if it is out. Free by lb_destroy_work.
LB_API lb_work *lb_create_work(const lb_model *model);
LB_API void lb_destroy_work(const lb_model *model, lb_work *work);

/// After LB_E_SINGULAR or LB_NEWS_INDEFINITE: where it was.
///
/// @param body    out: the body
/// @param offset  out: entry among the body's own speeds (modes, then hinge)
LB_API void lb_get_trouble(const lb_work *work, int *body, int *offset);

#endif // LB_WORK_H
