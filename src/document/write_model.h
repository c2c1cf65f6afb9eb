// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A document as text again, laid out for people, with numbers that read back exactly.
#ifndef LB_WRITE_MODEL_H
#define LB_WRITE_MODEL_H

#include "doc.h"
#include "limber/document.h"
#include "limber/io.h"

/// A file that a document names: its hash, to be written behind the name, or its content, in place of the name.
typedef struct lb_pin {
    const lb_doc_node *file; ///< the name
    char hash[65];
    lb_doc library; ///< what the file holds
    bool is_library;
} lb_pin;

/// Writes a document as LB_FORMAT_YAML or LB_FORMAT_JSON.
///
/// @param pins    may be NULL
/// @param text    out: memory of the allocator, with a zero byte behind the text
/// @return LB_OK or LB_E_MEMORY
lb_status lb_write_document(const lb_doc_node *root, lb_format format,
                            const lb_allocator *allocator, const lb_pin *pins, int pin_count,
                            char **text, size_t *length);

/// Body files that a document names without a hash, and libraries that are files.
///
/// @param arena  of the list
/// @param pins   out: NULL to count them only
/// @return how many; of those that cannot be read, the hash is empty; -1 if memory is out
int lb_find_pins(const lb_document *document, lb_arena *arena, lb_pin **pins);

/// Frees what the pins hold.
void lb_free_pins(lb_pin *pins, int count);

#endif // LB_WRITE_MODEL_H
