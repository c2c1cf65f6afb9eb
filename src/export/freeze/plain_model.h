// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The model that is recorded: the same equations of motion with fewer numbers in them.
#ifndef LB_PLAIN_MODEL_H
#define LB_PLAIN_MODEL_H

#include <stdbool.h>

#include "limber/base.h"

typedef struct lb_model lb_model;

/// A copy of a model whose records of bodies are its own.
typedef struct lb_plain_model {
    lb_model *model;
    double *offsets; ///< by entry of q: what is added to an angle
    void *memory;
    void *pattern;                    ///< memory of that of the loops
    const struct lb_tunable *tunable; ///< how it depends on parameters; NULL for none
} lb_plain_model;

/// 0, 1 or -1 where round-off alone has made something else of it; otherwise the number.
double lb_snap(double x);

/// Makes the copy. Generalized forces and the motion of all bodies are those of the model to round-off. Forces
/// within hinges are not.
///
/// @param shares  mass that turns with its hinge in no way goes to the parent: inertias of single bodies change
/// @return LB_OK or LB_E_MEMORY
lb_status lb_make_plain(const lb_model *model, bool shares, lb_plain_model *plain);

/// Frees the copy.
void lb_clear_plain(lb_plain_model *plain);

#endif // LB_PLAIN_MODEL_H
