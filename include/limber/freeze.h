// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model as one C file (library limber-freeze). The file is C99 and needs nothing but libm: no heap, no
// variables outside functions, no recursion, and numbers of the model as constants. It is for flight
// computers, controllers and loops of millions of calls.
//
//     lb_freeze_options options = lb_default_freeze_options();
//     options.name = "arm";
//     lb_frozen *frozen = NULL;
//     if (lb_freeze_model(model, &options, &report, &frozen) == LB_OK) {
//         fputs(lb_get_frozen_source(frozen), stdout);
//         fputs(lb_get_frozen_header(frozen), stdout);
//     }
//     lb_destroy_frozen(frozen);
//
// The library is built where a C++ compiler is found: see src/freeze/trace.h.
#ifndef LB_FREEZE_H
#define LB_FREEZE_H

#include "limber/model.h"

/// The type of numbers in a frozen file.
typedef enum lb_frozen_number { LB_FROZEN_DOUBLE, LB_FROZEN_FLOAT } lb_frozen_number;

/// What a frozen file holds. Sized.
typedef struct lb_freeze_options {
    size_t size;
    const char *
        name; ///< of the header file, and the start of every name in the files: a name of C (model)
    /// With commas: forward, inverse, mass, rates, step, derivatives, jacobian:NODE, jacobian:BODY.NODE
    /// (forward,inverse,mass).
    const char *functions;
    lb_frozen_number number; ///< LB_FROZEN_DOUBLE
} lb_freeze_options;

/// Sets the defaults in `size` bytes of options; for other languages. C and C++ use
/// lb_default_freeze_options.
LB_API void lb_init_freeze_options(lb_freeze_options *options, size_t size);

/// The defaults: "model" with forward, inverse and mass, in double.
static inline lb_freeze_options lb_default_freeze_options(void)
{
    lb_freeze_options options;
    lb_init_freeze_options(&options, sizeof options);
    return options;
}

/// The text of a frozen model. Opaque.
typedef struct lb_frozen lb_frozen;

/// Writes a model as C. Bodies on trees are frozen with every hinge type and every fidelity. Models with closed
/// loops are refused. Allocates; time grows with the length of the text.
///
/// @param report  what is refused, and why; may be NULL
/// @param frozen  out: NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for a name or a list of functions that cannot be; LB_E_UNSUPPORTED for a model
///         that cannot be frozen; LB_E_SINGULAR if an inertia is singular; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_freeze_model(const lb_model *model, const lb_freeze_options *options,
                                 const lb_report *report, lb_frozen **frozen);

/// The C file. It includes NAME.h. The text lives as long as `frozen`.
LB_API const char *lb_get_frozen_source(const lb_frozen *frozen);

/// The header for it.
LB_API const char *lb_get_frozen_header(const lb_frozen *frozen);

/// Frees a frozen model. NULL is allowed.
LB_API void lb_destroy_frozen(lb_frozen *frozen);

#endif // LB_FREEZE_H
