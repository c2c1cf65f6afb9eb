// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of an FMU that are written for each model.
#ifndef LB_FMU_DESCRIPTION_H
#define LB_FMU_DESCRIPTION_H

#include "variables.h"

/// What the texts are about.
typedef struct lb_fmu_plan {
    const lb_model *model;
    const lb_fmu_options *options;
    const lb_fmu_variables *variables;
    const lb_fmu_extras *extras;
    const lb_frozen *frozen;    ///< that of the extras, or of the model alone
    const char *token;          ///< GUID or instantiation token, in braces
    const char *const *sources; ///< C files, one after the other; ends in NULL
    bool drifts;                ///< quaternions leave unit length, or loops open, as time goes by
    bool drives;                ///< motions drive hinges
} lb_fmu_plan;

/// modelDescription.xml
void lb_write_description(lb_page *page, const lb_fmu_plan *plan);

/// sources/buildDescription.xml
void lb_write_build(lb_page *page, const lb_fmu_plan *plan);

/// documentation/index.html
void lb_write_documentation(lb_page *page, const lb_fmu_plan *plan);

/// sources/fmu_model.h: the numbers and functions that sources/fmu_core.h asks for.
void lb_write_model_header(lb_page *page, const lb_fmu_plan *plan);

/// sources/fmu_tape.h: the operations that sources/fmu_derive.h differentiates.
void lb_write_tapes(lb_page *page, const lb_fmu_plan *plan);

#endif // LB_FMU_DESCRIPTION_H
