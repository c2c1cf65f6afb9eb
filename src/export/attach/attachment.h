// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A frozen model that was compiled and loaded, as kernels of the engine.
//
// The kernels of an attachment are those of the model's instruction set, except for forward dynamics, inverse
// dynamics and the mass matrix. Those call the loaded functions. A status other than zero means that a guard of the
// frozen file came out otherwise than at its sample state: the engine's own sweep then runs and decides. The loaded
// functions leave nothing in the workspace. So the state is kept there, and the sweep runs as soon as something
// asks for what it would have left: lb_deferred.
#ifndef LB_ATTACHMENT_H
#define LB_ATTACHMENT_H

#include "model/kernel_table.h"

/// States that functions of rows take at most.
enum { LB_FROZEN_ROWS = 8 };

/// Functions of the loaded library. Those of rows take several states, stored as in limber/batch.h, with one status each.
typedef struct lb_frozen_library {
    void *handle;
    int (*forward)(const double *q, const double *v, const double *tau, double *a);
    int (*inverse)(const double *q, const double *v, const double *a, double *tau);
    int (*mass)(const double *q, double *M);
    void (*forward_rows)(int count, const double *q, const double *v, const double *tau, double *a,
                         int status[LB_FROZEN_ROWS]);
    void (*inverse_rows)(int count, const double *q, const double *v, const double *a, double *tau,
                         int status[LB_FROZEN_ROWS]);
    void (*mass_rows)(int count, const double *q, double *M, int status[LB_FROZEN_ROWS]);
} lb_frozen_library;

/// What lb_model.kernels points to while a library is attached.
typedef struct lb_attachment {
    lb_kernels kernels; ///< first: the model leads here by its kernels
    lb_batch_kernels batch;
    const lb_kernels *own; ///< of the model before
    lb_frozen_library library;
} lb_attachment;

/// Lets the functions of `attachment->library` become kernels of the model.
void lb_attach_kernels(lb_model *model, lb_attachment *attachment);

#endif // LB_ATTACHMENT_H
