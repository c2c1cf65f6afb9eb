// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formula/number.h"
#include "places.h"

_Static_assert(sizeof(lb_doc_node) == 16, "a million bodies must fit into memory");

const lb_doc_node *lb_doc_find(const lb_doc_node *mapping, const char *key)
{
    for (size_t i = 0; i < lb_doc_get_count(mapping); ++i) {
        if (strcmp(lb_doc_get_key(mapping, i)->value.text, key) == 0) {
            return lb_doc_get_value(mapping, i);
        }
    }
    return NULL;
}

lb_doc_mark lb_doc_mark_at(const char *text, size_t offset)
{
    lb_doc_mark mark = {1, 1};
    for (size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++mark.line;
            mark.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            ++mark.column;
        }
    }
    return mark;
}

// ---- errors ------------------------------------------------------------------------------------

static void lb_doc_emit(const lb_doc_writer *writer, lb_doc_mark mark, const char *path,
                        const char *message)
{
    if (writer->report.emit) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .file = writer->file,
                                          .line = (int)mark.line,
                                          .column = (int)mark.column,
                                          .path = path,
                                          .message = message};
        writer->report.emit(writer->report.user, &diagnostic);
    }
}

// Path of the item that comes next in the innermost of `depth` open containers.
static lb_text lb_doc_get_path(const lb_doc_writer *writer, int depth)
{
    lb_text path = {.length = 0};
    path.data[0] = '\0';
    for (int i = 0; i < depth; ++i) {
        const lb_doc_frame *frame = &writer->frames[i];
        const size_t end = i + 1 < writer->depth ? frame[1].first : writer->pending_count;
        const size_t count = end - frame->first;
        if (frame->kind == LB_DOC_SEQUENCE) {
            lb_text_add_index(&path, count);
        } else if (count % 2) {
            lb_text_add_key(&path, writer->pending[end - 1].value.text);
        }
    }
    return path;
}

lb_status lb_doc_fail(const lb_doc_writer *writer, lb_doc_mark mark, const char *format, ...)
{
    lb_text message = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    lb_text_add_list(&message, format, arguments);
    va_end(arguments);
    const lb_text path = lb_doc_get_path(writer, writer->depth);
    lb_doc_emit(writer, mark, path.data, message.data);
    return LB_E_SYNTAX;
}

size_t lb_convert_number(const char *text, double *number)
{
    return lb_scan_number(text, number);
}

bool lb_grow_array(const lb_allocator *allocator, void *array, size_t count, size_t more,
                   size_t *capacity, size_t size)
{
    if (more <= *capacity - count) {
        return true;
    }
    size_t larger = *capacity ? 2 * *capacity : 256;
    while (larger - count < more) {
        larger *= 2;
    }
    void *old, *copy = allocator->allocate(allocator->user, larger * size);
    if (!copy) {
        return false;
    }
    memcpy(&old, array, sizeof old); // a pointer to elements of any type
    if (old) {
        memcpy(copy, old, count * size);
        allocator->release(allocator->user, old);
    }
    memcpy(array, &copy, sizeof copy);
    *capacity = larger;
    return true;
}

// ---- writing -----------------------------------------------------------------------------------

void lb_doc_writer_init(lb_doc_writer *writer, lb_doc *doc, const char *file,
                        const lb_report *report)
{
    *writer = (lb_doc_writer){.doc = doc, .file = file, .report = *report};
    doc->has_repeat = doc->has_braces = false;
    lb_find_decimal_point(writer->decimal_point);
}

lb_status lb_doc_writer_finish(lb_doc_writer *writer, lb_status status)
{
    lb_arena *pool = &writer->doc->pool;
    if (writer->pending) {
        pool->allocator.release(pool->allocator.user, writer->pending);
    }
    if (status == LB_E_MEMORY) {
        lb_doc_emit(writer, (lb_doc_mark){0, 0}, "", "the document does not fit into memory");
    }
    if (status != LB_OK) {
        lb_arena_free(pool);
    }
    return status;
}

bool lb_doc_expects_key(const lb_doc_writer *writer)
{
    if (writer->depth == 0) {
        return false;
    }
    const lb_doc_frame *frame = &writer->frames[writer->depth - 1];
    return frame->kind == LB_DOC_MAPPING && (writer->pending_count - frame->first) % 2 == 0;
}

static lb_doc_node lb_doc_make_node(lb_doc_kind kind, lb_doc_mark mark)
{
    // a column that is too large stays at the largest
    const size_t most = (1u << LB_DOC_COLUMN_BITS) - 1,
                 column = mark.column < most ? mark.column : most;
    return (lb_doc_node){.line = (uint32_t)mark.line,
                         .kind_and_column = (uint32_t)kind << 28 | (uint32_t)column};
}

static lb_status lb_doc_add(lb_doc_writer *writer, lb_doc_node node)
{
    if (writer->depth == 0) {
        writer->doc->root = node;
        return LB_OK;
    }
    if (!lb_grow_array(&writer->doc->pool.allocator, &writer->pending, writer->pending_count, 1,
                       &writer->pending_capacity, sizeof node)) {
        return LB_E_MEMORY;
    }
    writer->pending[writer->pending_count++] = node;
    return LB_OK;
}

lb_status lb_doc_open(lb_doc_writer *writer, lb_doc_kind kind, lb_doc_mark mark)
{
    if (writer->depth == LB_DOC_DEPTH_MAX) {
        // not its path: that would be 64 keys or indices long
        lb_doc_emit(writer, mark, "", "nested more than 64 deep");
        return LB_E_SYNTAX;
    }
    writer->frames[writer->depth++] = (lb_doc_frame){writer->pending_count, kind, mark};
    return LB_OK;
}

// By text, equal ones by position.
static int lb_doc_compare_keys(const void *a, const void *b)
{
    const lb_doc_node *x = *(const lb_doc_node *const *)a, *y = *(const lb_doc_node *const *)b;
    const int order = strcmp(x->value.text, y->value.text);
    return order ? order : (x > y) - (x < y);
}

// Refuses a key that is given twice. Sorted, not compared in pairs or hashed: a mapping may have a
// million keys, and they may be chosen to collide.
static lb_status lb_doc_check_keys(lb_doc_writer *writer, const lb_doc_items *items)
{
    enum { SMALL = 16 };
    const lb_doc_node *few[SMALL], **keys = few;
    const size_t count = items->count / 2;
    const lb_allocator *allocator = &writer->doc->pool.allocator;
    if (count > SMALL) {
        keys = allocator->allocate(allocator->user, count * sizeof(const lb_doc_node *));
        if (!keys) {
            return LB_E_MEMORY;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = &items->node[2 * i];
    }
    qsort(keys, count, sizeof(const lb_doc_node *), lb_doc_compare_keys);

    // of several, report the one that comes first in the file
    const lb_doc_node *first = NULL, *second = NULL;
    for (size_t i = 1; i < count; ++i) {
        if (strcmp(keys[i - 1]->value.text, keys[i]->value.text) == 0 &&
            (!second || keys[i] < second)) {
            first = keys[i - 1];
            second = keys[i];
        }
    }
    if (keys != few) {
        allocator->release(allocator->user, keys);
    }
    if (!second) {
        return LB_OK;
    }
    lb_text path = lb_doc_get_path(writer, writer->depth - 1), message = {.length = 0};
    lb_text_add_key(&path, second->value.text);
    lb_text_add(&message, "duplicate key \"");
    lb_text_add_excerpt(&message, second->value.text);
    const lb_doc_mark mark = lb_doc_get_mark(first);
    lb_text_add(&message, "\", already given at %zu:%zu", mark.line, mark.column);
    lb_doc_emit(writer, lb_doc_get_mark(second), path.data, message.data);
    return LB_E_SYNTAX;
}

lb_status lb_doc_close(lb_doc_writer *writer)
{
    // the items are complete: they move from the pending ones to their place
    const lb_doc_frame *frame = &writer->frames[writer->depth - 1];
    const size_t count = writer->pending_count - frame->first;
    lb_doc_items *items = lb_arena_take(&writer->doc->pool, 1,
                                        offsetof(lb_doc_items, node) + count * sizeof(lb_doc_node));
    if (!items) {
        return LB_E_MEMORY;
    }
    items->count = count;
    if (count) {
        memcpy(items->node, writer->pending + frame->first, count * sizeof(lb_doc_node));
    }
    if (frame->kind == LB_DOC_MAPPING) {
        const lb_status status = lb_doc_check_keys(writer, items);
        if (status != LB_OK) {
            return status;
        }
    }

    lb_doc_node node = lb_doc_make_node(frame->kind, frame->mark);
    node.value.items = items;
    writer->pending_count = frame->first;
    --writer->depth;
    return lb_doc_add(writer, node);
}

lb_status lb_doc_add_pooled(lb_doc_writer *writer, const char *text, lb_doc_mark mark)
{
    if (text[0] == 'r' && lb_doc_expects_key(writer) && strcmp(text, "repeat") == 0) {
        writer->doc->has_repeat = true;
    }
    writer->doc->has_braces = writer->doc->has_braces || strchr(text, '{');
    lb_doc_node node = lb_doc_make_node(LB_DOC_STRING, mark);
    node.value.text = text;
    return lb_doc_add(writer, node);
}

lb_status lb_doc_add_text(lb_doc_writer *writer, const char *text, size_t length, lb_doc_mark mark)
{
    char *copy = lb_arena_take_text(&writer->doc->pool, length);
    if (!copy) {
        return LB_E_MEMORY;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return lb_doc_add_pooled(writer, copy, mark);
}

lb_status lb_doc_add_number(lb_doc_writer *writer, double number, lb_doc_mark mark)
{
    lb_doc_node node = lb_doc_make_node(LB_DOC_NUMBER, mark);
    node.value.number = number;
    return lb_doc_add(writer, node);
}

static bool lb_doc_is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

lb_status lb_doc_add_plain(lb_doc_writer *writer, const char *text, size_t length, lb_doc_mark mark)
{
    lb_doc_node node;
    if (length == 0 || lb_doc_is(text, length, "null")) {
        node = lb_doc_make_node(LB_DOC_NULL, mark);
    } else if (lb_doc_is(text, length, "true") || lb_doc_is(text, length, "false")) {
        node = lb_doc_make_node(LB_DOC_BOOL, mark);
        node.value.truth = text[0] == 't';
    } else if (lb_measure_number(text) == length) {
        double number = 0;
        if (!lb_convert_digits(writer->decimal_point, text, length, &number)) {
            lb_text excerpt = {.length = 0};
            lb_text_add_excerpt(&excerpt, text);
            return lb_doc_fail(
                writer, mark,
                "%s is not a number of double precision: too large, or more than 1000 characters",
                excerpt.data);
        }
        return lb_doc_add_number(writer, number, mark);
    } else {
        return lb_doc_add_text(writer, text, length, mark);
    }
    return lb_doc_add(writer, node);
}
