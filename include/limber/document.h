// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model file that was read (library limber-sim). Use it to make a model and a simulation of one file, to list and
// change parameters, or to write the file out again:
//
//     lb_document *document = NULL;
//     lb_model *model = NULL;
//     lb_status status = lb_load_document("arm.yaml", NULL, &report, &document);
//     if (status == LB_OK) {
//         status = lb_set_parameter(document, "bodies.arm.mass", 2.5, &report);
//     }
//     if (status == LB_OK) {
//         status = lb_load_document_model(document, &report, &model);
//     }
//     lb_destroy_model(model);
//     lb_destroy_document(document);
//
// Strings that are handed out live as long as the document. Only loading and changing allocate.
#ifndef LB_DOCUMENT_H
#define LB_DOCUMENT_H

#include <stdbool.h>

#include "limber/io.h"

/// A file that was read: its tree of values. Opaque.
typedef struct lb_document lb_document;

/// Loads a document from a file: YAML, JSON or URDF. A URDF file becomes the model file that says the
/// same.
///
/// @param path      file name
/// @param options   NULL for the defaults
/// @param report    receives errors; NULL to drop them
/// @param document  out: to be freed by lb_destroy_document; NULL on failure
/// @return LB_OK, LB_E_FILE, LB_E_SYNTAX, LB_E_MODEL (URDF only), LB_E_MEMORY, LB_E_UNSUPPORTED or
///         LB_E_VERSION
LB_API lb_status lb_load_document(const char *path, const lb_load_options *options,
                                  const lb_report *report, lb_document **document);

/// Loads a document from text in memory, which may be freed afterwards.
///
/// @param length    bytes of text; it need not end in a zero byte
/// @param name      used as file name in diagnostics and for LB_FORMAT_AUTO; NULL for ""
/// @param options   NULL for the defaults
/// @param report    receives errors; NULL to drop them
/// @param document  out: to be freed by lb_destroy_document; NULL on failure
/// @return as lb_load_document, except LB_E_FILE
LB_API lb_status lb_load_document_text(const char *text, size_t length, const char *name,
                                       lb_format format, const lb_load_options *options,
                                       const lb_report *report, lb_document **document);

/// Frees a document. NULL is fine. Strings of it must not be used afterwards.
LB_API void lb_destroy_document(lb_document *document);

/// Makes the model of a document, as lb_load_model makes it of a file. Of the keys that do not describe
/// the model (`signals`, `forces`, `initial`, `run`, `outputs`, `events`, `view`) only the kind of value is
/// checked.
///
/// @param report  receives errors and warnings; NULL to drop them
/// @param model   out: to be freed by lb_destroy_model; NULL on failure. It does not need the document
/// @return LB_OK, LB_E_MODEL, LB_E_MEMORY or LB_E_UNSUPPORTED
LB_API lb_status lb_load_document_model(const lb_document *document, const lb_report *report,
                                        lb_model **model);

// ---- parameters --------------------------------------------------------------------------------

/// An entry of `parameters`. Start from {.size = sizeof x}. Sized.
typedef struct lb_parameter {
    size_t size;
    const char *name;
    double value;
    double low, high;    ///< its range; infinite if it has none
    const char *unit;    ///< a label; "" for none
    const char *note;    ///< "" for none
    const char *formula; ///< of its value; NULL for a number, also for one that was set
    const char *file;    ///< where it is defined
    int line;
} lb_parameter;

/// Entries of `parameters`, with those of included files.
LB_API int lb_get_parameter_count(const lb_document *document);

/// What is known of a parameter. Texts live as long as the document.
///
/// @param index      from 0 to lb_get_parameter_count() - 1
/// @param parameter  out
/// @return LB_OK; LB_E_ARGUMENT for another index; LB_E_VERSION
LB_API lb_status lb_get_parameter(const lb_document *document, int index, lb_parameter *parameter);

/// Gives a parameter another value, or a number that is named by the path of its key: "initial.arm.angle",
/// "bodies.arm.mass", "gravity.2". Items of lists go by their `name`, or by their number from 0. A parameter of that
/// name goes first. Keys that the file does not have are added. The document is then what the file would be with
/// that value: models and simulations that are loaded from now on have it. Nothing is read again.
///
/// @param report  receives errors; NULL to drop them
/// @return LB_OK; LB_E_MODEL if there is no such parameter, or if it or one that depends on it is out of its
///         range (reported; the document is as before); LB_E_MEMORY
LB_API lb_status lb_set_parameter(lb_document *document, const char *name, double value,
                                  const lb_report *report);

/// Gives parameters these values and all others those of the file, also where something else was set before.
/// As lb_set_parameter otherwise, but ranges are checked once all have their values.
///
/// @param values  of two for one parameter the last counts; NULL if value_count is 0
/// @return as lb_set_parameter, or LB_E_ARGUMENT for a negative count
LB_API lb_status lb_set_parameters(lb_document *document, const lb_parameter_value *values,
                                   int value_count, const lb_report *report);

/// Writes the document as text: with what it includes, repeated items written out, and parameters with the
/// values that were set.
///
/// @param format  LB_FORMAT_YAML or LB_FORMAT_JSON
/// @param text    out: ends with a zero byte; memory of the allocator in the options of loading; without one, to be freed by free()
/// @param length  out: without the zero byte
/// @return LB_OK, LB_E_ARGUMENT for another format, or LB_E_MEMORY
LB_API lb_status lb_format_document(const lb_document *document, lb_format format, char **text,
                                    size_t *length);

#endif // LB_DOCUMENT_H
