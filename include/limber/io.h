// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models from files (library limber-sim). The format is described in docs/guide/model-format.md.
// Everything here allocates.
#ifndef LB_IO_H
#define LB_IO_H

#include "limber/build.h"

typedef enum lb_format {
    LB_FORMAT_AUTO, ///< by the end of the name, .json or .urdf; else URDF for XML, else YAML
    LB_FORMAT_YAML,
    LB_FORMAT_JSON,
    LB_FORMAT_URDF ///< robots; see docs/guide/urdf.md
} lb_format;

/// A value for an entry of `parameters`, or for the number at a path; see lb_set_parameter. Frozen: its size never
/// changes.
typedef struct lb_parameter_value {
    const char *name;
    double value;
} lb_parameter_value;

/// How to load a model. Start from lb_default_load_options(). Sized.
typedef struct lb_load_options {
    size_t size;
    const lb_allocator *allocator; ///< for loading and for the model; NULL for malloc and free
    bool floating_base;            ///< URDF: the root link moves freely, instead of being fixed
    bool keep_fixed; ///< URDF: links on fixed joints stay bodies, instead of being merged
    lb_instruction_set instructions; ///< see lb_set_instruction_set
    /// A model may name files (libraries, models of control laws) of its own folder and the folders in it,
    /// and of this one; NULL: of no other. Links are followed first. Copied where it is kept.
    const char *allow_files;
    /// Values for parameters of the file, in place of its own.
    const lb_parameter_value *parameters;
    int parameter_count;
} lb_load_options;

/// malloc and free, the best instructions; for URDF, the root link is fixed to the ground and links
/// on fixed joints are merged.
static inline lb_load_options lb_default_load_options(void)
{
    lb_load_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// Loads a model from a YAML, JSON or URDF file: its bodies, hinges, loops and gravity. What acts on it is not part of a
/// model: forces, controllers, motions and initial values are those of lb_open_simulation (simulate.h).
/// All errors of the file are reported, each with file, line, path and (except for URDF) column. After a syntax error nothing more is read.
///
/// @param path     file name
/// @param options  NULL for the defaults
/// @param report   receives errors and warnings; NULL to drop them
/// @param model    out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK; LB_E_FILE, LB_E_SYNTAX or LB_E_MODEL (reported); LB_E_UNSUPPORTED for xacro, or
///         for instructions that the machine does not support (reported where LIMBER_INSTRUCTIONS
///         names them); LB_E_VERSION if the options are from a newer version (reported); LB_E_MEMORY
LB_API lb_status lb_load_model(const char *path, const lb_load_options *options,
                               const lb_report *report, lb_model **model);

/// Loads a model from text in memory.
///
/// @param text     need not end with a zero byte
/// @param name     used as file name in diagnostics, and for LB_FORMAT_AUTO; may be NULL
/// @param options  NULL for the defaults
/// @param report   receives errors and warnings; NULL to drop them
/// @param model    out: to be freed by lb_destroy_model; NULL on failure
/// @return as lb_load_model, except LB_E_FILE for text of 512 MiB or more
LB_API lb_status lb_load_model_text(const char *text, size_t length, const char *name,
                                    lb_format format, const lb_load_options *options,
                                    const lb_report *report, lb_model **model);

/// Converts a model file of any format to the model format, with the same numbers. Comments are
/// lost. Limits, damping and friction of URDF become force elements.
///
/// @param options  NULL for the defaults
/// @param format   LB_FORMAT_YAML or LB_FORMAT_JSON
/// @param report   receives errors and warnings; NULL to drop them
/// @param text     out: ends with a zero byte; to be released by the allocator of the options, or
///                 by free(); NULL on failure
/// @param length   out: without the zero byte
/// @return as lb_load_model, or LB_E_ARGUMENT for another format
LB_API lb_status lb_convert_model(const char *path, const lb_load_options *options,
                                  lb_format format, const lb_report *report, char **text,
                                  size_t *length);

/// Writes the finite elements of a body that has `beam` or `frame` into a folder, as lb_write_beam_matrices of
/// limber/import.h does.
///
/// @param path     of the model
/// @param options  NULL for the defaults
/// @param body     its name
/// @param report   receives errors and warnings; NULL to drop them
/// @return as lb_load_model; LB_E_MODEL also if there is no such body, or it is no beam or frame (reported)
LB_API lb_status lb_export_matrices(const char *path, const lb_load_options *options,
                                    const char *body, const char *folder, const lb_report *report);

#endif // LB_IO_H
