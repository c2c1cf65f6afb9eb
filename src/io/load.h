// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the model loader share, and its entry for tests.
#ifndef LB_LOAD_H
#define LB_LOAD_H

#include "io/reader.h"
#include "limber/io.h"

typedef struct lb_loader {
    lb_reader reader;
    lb_builder *builder;
    lb_pool scratch;         ///< emptied after each body
    const lb_place *context; ///< what is being handed to the builder
} lb_loader;

/// Reads `flex` into memory of the scratch pool. What is wrong in it is reported, and something
/// harmless put in its place, so that the builder can look at the rest.
///
/// @param flex  out: node_count is zero if there is nothing to hand on
/// @return LB_OK, also after errors, or LB_E_MEMORY
lb_status lb_load_flex(lb_loader *loader, const lb_place *place, lb_flex_options *flex);

/// Reads `name`. A place without one is called by its path, until the errors end the loading.
lb_status lb_load_name(lb_loader *loader, const lb_place *place, const char **name);

/// lb_load_model with an allocator: for the file, the document, the builder and the model.
lb_status lb_load_model_with(const lb_allocator *allocator, const char *path,
                             const lb_report *report, lb_model **model);
lb_status lb_load_model_text_with(const lb_allocator *allocator, const char *text, size_t length,
                                  const char *name, lb_format format, const lb_report *report,
                                  lb_model **model);

#endif // LB_LOAD_H
