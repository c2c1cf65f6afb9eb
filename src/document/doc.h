// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A document as a tree, whether it came as YAML or as JSON, every node with its line and column.
//
// The readers (doc_yaml.c, doc_json.c) hand a writer what they find, in order; the writer keeps
// the rules that hold for both: nesting, numbers, duplicate keys. It works without recursion.
#ifndef LB_DOC_H
#define LB_DOC_H

#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "places.h"

/// Containers inside one another, the outermost included.
#define LB_DOC_DEPTH_MAX 64

typedef struct lb_doc_node lb_doc_node;
typedef struct lb_doc_items lb_doc_items;

/// 16 bytes: most of a large document is numbers in lists.
struct lb_doc_node {
    union {
        double number;
        bool truth;
        const char *text;          ///< without NUL inside
        const lb_doc_items *items; ///< of a sequence or mapping
    } value;
    uint32_t line;
    uint32_t kind_and_column; ///< from the top: 4 bits of kind, 8 of the file, the column
};

/// Elements of a sequence; of a mapping, keys (strings) and values in turn.
struct lb_doc_items {
    size_t count;
    lb_doc_node node[];
};

/// See expand/expand.h.
typedef struct lb_context lb_context;

/// A path by which a number was set, in the pool.
typedef struct lb_path_name {
    const struct lb_path_name *next;
    const char *text;
} lb_path_name;

typedef struct lb_doc {
    lb_arena pool;
    lb_doc_node root;
    bool has_repeat, has_braces; ///< a key `repeat`, a text with { was seen
    // what became of it; see lb_expand_document
    lb_doc_node raw;          ///< as in the files; the root is what is loaded
    const char *const *files; ///< by their numbers in the nodes; NULL if there is only one
    int file_count;
    lb_arena expansion;
    const lb_context *context; ///< NULL if names mean nothing
    const lb_path_name *path_names;
} lb_doc;

enum { LB_DOC_COLUMN_BITS = 20 };

typedef struct lb_doc_mark {
    size_t line, column; ///< from 1
} lb_doc_mark;

static inline lb_doc_kind lb_doc_get_kind(const lb_doc_node *node)
{
    return (lb_doc_kind)(node->kind_and_column >> 28);
}

static inline lb_doc_mark lb_doc_get_mark(const lb_doc_node *node)
{
    return (lb_doc_mark){node->line, node->kind_and_column & ((1u << LB_DOC_COLUMN_BITS) - 1)};
}

/// The number of the file that a node comes from.
static inline unsigned lb_doc_get_file(const lb_doc_node *node)
{
    return node->kind_and_column >> LB_DOC_COLUMN_BITS & 0xFFu;
}

/// Elements of a sequence, or pairs of a mapping.
static inline size_t lb_doc_get_count(const lb_doc_node *node)
{
    const size_t count = node->value.items->count;
    return lb_doc_get_kind(node) == LB_DOC_MAPPING ? count / 2 : count;
}

static inline const lb_doc_node *lb_doc_get_element(const lb_doc_node *sequence, size_t i)
{
    return &sequence->value.items->node[i];
}

static inline const lb_doc_node *lb_doc_get_key(const lb_doc_node *mapping, size_t i)
{
    return &mapping->value.items->node[2 * i];
}

static inline const lb_doc_node *lb_doc_get_value(const lb_doc_node *mapping, size_t i)
{
    return &mapping->value.items->node[2 * i + 1];
}

/// The value of a key, or NULL.
const lb_doc_node *lb_doc_find(const lb_doc_node *mapping, const char *key);

// ---- readers -----------------------------------------------------------------------------------

/// Makes the tree of a text. Everything that is not well formed is LB_E_SYNTAX, reported.
///
/// @param doc     out: initialised pool and root; freed by lb_arena_free(&doc->pool) on success
/// @param file    name in diagnostics
/// @param report  emit may be NULL
lb_status lb_doc_read_yaml(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_report *report);
lb_status lb_doc_read_json(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_report *report);

/// Makes room for more elements of an array in memory of an allocator. False if memory is out.
///
/// @param array     in and out: where the pointer to the elements is; NULL for none yet
/// @param capacity  in and out: elements that there is room for
bool lb_grow_array(const lb_allocator *allocator, void *array, size_t count, size_t more,
                   size_t *capacity, size_t size);

// ---- writer ------------------------------------------------------------------------------------

/// A container that is still open.
typedef struct lb_doc_frame {
    size_t first; ///< its items among `pending`
    lb_doc_kind kind;
    lb_doc_mark mark;
} lb_doc_frame;

typedef struct lb_doc_writer {
    lb_doc *doc;
    const char *file;
    lb_report report;
    lb_doc_node *pending; ///< items of the open containers, the outermost first
    size_t pending_count, pending_capacity;
    lb_doc_frame frames[LB_DOC_DEPTH_MAX];
    int depth;
    char decimal_point[8]; ///< as strtod expects it in the present locale
} lb_doc_writer;

void lb_doc_writer_init(lb_doc_writer *writer, lb_doc *doc, const char *file,
                        const lb_report *report);

/// Ends the writing. On failure the pool is freed, and memory that ran out is reported.
lb_status lb_doc_writer_finish(lb_doc_writer *writer, lb_status status);

/// Whether the next scalar is a key.
bool lb_doc_expects_key(const lb_doc_writer *writer);

/// Opens a sequence or mapping; closes the innermost one.
lb_status lb_doc_open(lb_doc_writer *writer, lb_doc_kind kind, lb_doc_mark mark);
lb_status lb_doc_close(lb_doc_writer *writer);

/// Adds a string or key; the text is copied.
lb_status lb_doc_add_text(lb_doc_writer *writer, const char *text, size_t length, lb_doc_mark mark);

/// Adds a string or key that already lies in the document's pool.
lb_status lb_doc_add_pooled(lb_doc_writer *writer, const char *text, lb_doc_mark mark);

/// Adds a value without quotes: null, true, false or a number as in JSON; else a string.
lb_status lb_doc_add_plain(lb_doc_writer *writer, const char *text, size_t length,
                           lb_doc_mark mark);

/// Adds a number.
lb_status lb_doc_add_number(lb_doc_writer *writer, double number, lb_doc_mark mark);

/// Reports an error at a mark, with the path of the present item.
///
/// @return LB_E_SYNTAX
lb_status lb_doc_fail(const lb_doc_writer *writer, lb_doc_mark mark, const char *format, ...)
    LB_PRINTF(3, 4);

/// The mark that many bytes into a text; columns count characters.
lb_doc_mark lb_doc_mark_at(const char *text, size_t offset);

#endif // LB_DOC_H
