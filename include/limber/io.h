// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models from files (library limber-io). The format is described in docs/guide/model-format.md.
#ifndef LB_IO_H
#define LB_IO_H

#include "limber/build.h"

typedef enum lb_format {
    LB_FORMAT_AUTO, ///< by the name's end, .json or .urdf; otherwise URDF for XML, else YAML
    LB_FORMAT_YAML,
    LB_FORMAT_JSON,
    LB_FORMAT_URDF ///< robots; see docs/guide/urdf.md
} lb_format;

/// How to load a model. Start from lb_default_load_options().
typedef struct lb_load_options {
    size_t size;                   ///< of this struct, set by lb_default_load_options
    const lb_allocator *allocator; ///< for all that loading takes, and the model; NULL for malloc
    int floating_base; ///< URDF: the root link moves freely; it is fixed to the ground if 0
    int keep_fixed;    ///< URDF: links on fixed joints stay bodies; they are merged if 0
    lb_instruction_set instructions; ///< see lb_set_instruction_set
} lb_load_options;

/// malloc and free, the root link fixed to the ground, links on fixed joints merged.
LB_API lb_load_options lb_default_load_options(void);

/// Loads a model from a file: YAML, JSON or URDF.
///
/// All errors of a file are reported, each with file, line, path and, but for URDF, column; syntax
/// errors end it at the first.
///
/// @param path     file name
/// @param options  NULL for the defaults
/// @param report   receives errors and warnings; NULL to drop them
/// @param model    out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL, LB_E_MEMORY, or LB_E_UNSUPPORTED for xacro or
///         instructions that the machine has not got
LB_API lb_status lb_load_model(const char *path, const lb_load_options *options,
                               const lb_report *report, lb_model **model);

/// The same from text in memory.
///
/// @param name  stands for the file name in diagnostics and for LB_FORMAT_AUTO
LB_API lb_status lb_load_model_text(const char *text, size_t length, const char *name,
                                    lb_format format, const lb_load_options *options,
                                    const lb_report *report, lb_model **model);

/// Writes a model file of any format as one of the model format, with the same numbers. Comments
/// are lost. What URDF says of limits, damping and friction becomes force elements.
///
/// @param options  NULL for the defaults
/// @param format   LB_FORMAT_YAML or LB_FORMAT_JSON
/// @param text     out: a zero byte follows it; to be released by the allocator of the options, or by
///                 free(); NULL on failure
/// @return as lb_load_model, or LB_E_ARGUMENT for another format
LB_API lb_status lb_convert_model(const char *path, const lb_load_options *options,
                                  lb_format format, const lb_report *report, char **text,
                                  size_t *length);

#endif // LB_IO_H
