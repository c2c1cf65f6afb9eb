// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A document as text again, laid out for people, with numbers that read back exactly.
#ifndef LB_WRITE_MODEL_H
#define LB_WRITE_MODEL_H

#include "doc.h"
#include "limber/io.h"

/// Writes a document as LB_FORMAT_YAML or LB_FORMAT_JSON.
///
/// @param text    out: memory of the allocator, with a zero byte behind the text
/// @return LB_OK or LB_E_MEMORY
lb_status lb_write_document(const lb_doc_node *root, lb_format format,
                            const lb_allocator *allocator, char **text, size_t *length);

#endif // LB_WRITE_MODEL_H
