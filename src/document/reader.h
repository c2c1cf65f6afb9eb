// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed values out of a document: what places.h and values.h do not show of it.
#ifndef LB_READER_H
#define LB_READER_H

#include "base/internal.h"
#include "doc.h"
#include "places.h"

/// Bytes of the longest name of a file.
enum { LB_PATH_SIZE = 4096 };

/// The name of the file that a place is in.
const char *lb_find_file(const lb_reader *reader, const lb_place *place);

/// Errors after which nothing more is made of what a list describes: a short file could make its memory large.
enum { LB_ERRORS_MOST = 10000 };

/// Whether there are so many errors that the entries of a list from one on, if any, are not read, which is reported.
static inline bool lb_gives_up(lb_reader *reader, const lb_place *list, size_t entry)
{
    if (reader->error_count <= LB_ERRORS_MOST || entry >= lb_place_get_count(list)) {
        return false;
    }
    lb_reader_fail(reader, list, "%d errors so far: entries from number %zu to %zu are not read",
                   reader->error_count, entry, lb_place_get_count(list) - 1);
    return true;
}

/// Whether what is at a place is a number, or a formula of one.
bool lb_is_number_at(const lb_reader *reader, const lb_place *place);

/// Nodes from the root to a place, and on along a path.
typedef struct lb_way {
    const char *rest; ///< of the path: what does not exist
    int count;
    const lb_doc_node *nodes[2 * LB_DOC_DEPTH_MAX + 4];
} lb_way;

lb_way lb_place_get_way(const lb_place *place, const char *path);

/// Hands a diagnostic to the report, with the file, line and column of the end of a way.
void lb_reader_tell(const lb_reader *reader, const lb_way *way, const lb_diagnostic *diagnostic);

/// "bodies[2].hinge.axis"
lb_text lb_place_get_path(const lb_place *place);
/// Follows a path from a place as far as it goes. Keys may themselves hold dots and brackets.
const lb_doc_node *lb_place_follow(const lb_place *place, const char *path);

/// The allocator that the memory of a document comes from: malloc and free, or that of its options.
lb_allocator lb_get_document_allocator(const lb_document *document);

#endif // LB_READER_H
