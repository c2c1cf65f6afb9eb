// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models from files (library limber-io). The format is described in docs/guide/model-format.md.
#ifndef LB_IO_H
#define LB_IO_H

#include "limber/build.h"

typedef enum lb_format {
    LB_FORMAT_AUTO, ///< JSON for a name that ends in .json, YAML otherwise
    LB_FORMAT_YAML,
    LB_FORMAT_JSON
} lb_format;

/// Loads a model from a file.
///
/// All errors of a file are reported, each with file, line, column and path; syntax errors end it
/// at the first.
///
/// @param path    file name
/// @param report  receives errors and warnings; NULL to drop them
/// @param model   out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_model(const char *path, const lb_report *report, lb_model **model);

/// Loads a model from text in memory.
///
/// @param name    stands for the file name in diagnostics and for LB_FORMAT_AUTO
LB_API lb_status lb_load_model_text(const char *text, size_t length, const char *name,
                                    lb_format format, const lb_report *report, lb_model **model);

#endif // LB_IO_H
