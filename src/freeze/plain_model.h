// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model that is recorded: the same equations of motion with fewer numbers in them.
#ifndef LB_PLAIN_MODEL_H
#define LB_PLAIN_MODEL_H

#include "limber/base.h"

typedef struct lb_model lb_model;

/// A copy of a model whose records of bodies are its own.
typedef struct lb_plain_model {
    lb_model *model;
    double *offsets; ///< by entry of q: what is added to an angle
    void *memory;
} lb_plain_model;

/// Makes the copy. Generalized forces and the motion of all bodies are those of the model to round-off. Forces
/// within hinges are not.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_make_plain(const lb_model *model, lb_plain_model *plain);

/// Frees the copy.
void lb_clear_plain(lb_plain_model *plain);

#endif // LB_PLAIN_MODEL_H
