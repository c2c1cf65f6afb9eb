// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a document that are set by the path of their key, such as "initial.arm.angle" or "bodies.arm.mass".
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "document/places.h"
#include "expand.h"

enum { LEVEL_MAX = 32 };

static void make_node(lb_doc_node *node, lb_doc_kind kind)
{
    node->kind_and_column = (node->kind_and_column & 0xFFFFFFFu) | (uint32_t)kind << 28;
}

static bool is_number(const char *text, size_t length)
{
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)text[digits])) {
        ++digits;
    }
    return length > 0 && digits == length && length < 10;
}

// Letters of a name that a path starts with; 0 if it does not.
static size_t match(const char *path, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && strncmp(path, name, length) == 0 && (path[length] == '.' || !path[length])
               ? length
               : 0;
}

// The item of a container that a path starts with, SIZE_MAX for none: by its key or, in a list, by its `name` or its
// number from 0. Names may have dots in them, so the longest counts.
static size_t find_item(const lb_doc_node *container, const char *path, size_t *length)
{
    const bool mapping = lb_doc_get_kind(container) == LB_DOC_MAPPING;
    size_t found = SIZE_MAX;
    *length = 0;
    for (size_t i = 0; i < lb_doc_get_count(container); ++i) {
        const lb_doc_node *name =
            mapping ? lb_doc_get_key(container, i) : lb_doc_get_element(container, i);
        if (!mapping) {
            name = lb_doc_get_kind(name) == LB_DOC_MAPPING ? lb_doc_find(name, "name") : NULL;
        }
        const size_t size =
            name && lb_doc_get_kind(name) == LB_DOC_STRING ? match(path, name->value.text) : 0;
        if (size > *length) {
            *length = size;
            found = mapping ? 2 * i + 1 : i;
        }
    }
    const size_t size = strcspn(path, ".");
    if (found == SIZE_MAX && !mapping && is_number(path, size)) {
        const size_t index = (size_t)strtoul(path, NULL, 10);
        *length = size;
        found = index < lb_doc_get_count(container) ? index : SIZE_MAX;
    }
    return found;
}

// Replaces the items of a container by a copy that may be written to, with `more` at its end.
static lb_doc_node *copy_items(lb_doc *doc, lb_doc_node *container, size_t more)
{
    const lb_doc_items *old = container->value.items;
    lb_doc_items *items = lb_arena_take(&doc->expansion, 1,
                                        sizeof *items + (old->count + more) * sizeof *items->node);
    if (!items) {
        return NULL;
    }
    memcpy(items->node, old->node, old->count * sizeof *items->node);
    items->count = old->count + more;
    for (size_t i = old->count; i < items->count; ++i) {
        items->node[i] = *container; // its place in the file
    }
    container->value.items = items;
    return items->node;
}

// The item of a container that a path starts with, made if need be; NULL, reported unless memory is out.
static lb_doc_node *open_item(lb_doc *doc, lb_reader *reader, const char *whole, const char **path,
                              lb_doc_node *container, bool *lacks)
{
    const lb_doc_kind kind = lb_doc_get_kind(container);
    const lb_place root = (lb_place){.node = &doc->root};
    if (kind != LB_DOC_MAPPING && kind != LB_DOC_SEQUENCE) {
        lb_reader_fail(reader, &root, "\"%.100s\" cannot be set: there is nothing below \"%.*s\"",
                       whole, (int)(*path > whole ? *path - whole - 1 : 0), whole);
        return NULL;
    }
    size_t length;
    const size_t found = find_item(container, *path, &length);
    const bool mapping = kind == LB_DOC_MAPPING, is_new = found == SIZE_MAX;
    length = is_new ? strcspn(*path, ".") : length;
    const char *rest = *path + length + ((*path)[length] == '.');
    if (length == 0 ||
        (is_new && !mapping &&
         !(is_number(*path, length) && strtoul(*path, NULL, 10) == lb_doc_get_count(container)))) {
        lb_reader_fail(reader, &root, "\"%.100s\" cannot be set: there is no \"%.*s\"", whole,
                       (int)(*path - whole + (ptrdiff_t)length), whole);
        return NULL;
    }
    const size_t count = container->value.items->count;
    lb_doc_node *items = copy_items(doc, container, !is_new ? 0 : mapping ? 2 : 1);
    char *key = items && is_new && mapping ? lb_arena_take_text(&doc->expansion, length) : NULL;
    lb_doc_items *none = items && is_new ? lb_arena_take(&doc->expansion, 1, sizeof *none) : NULL;
    *lacks = !items || (is_new && (!none || (mapping && !key)));
    if (*lacks) {
        return NULL;
    }
    lb_doc_node *item = items + (!is_new ? found : mapping ? count + 1 : count);
    if (key) {
        memcpy(key, *path, length);
        key[length] = '\0';
        make_node(items + count, LB_DOC_STRING);
        items[count].value.text = key;
    }
    if (is_new) {
        none->count = 0;
        item->value.items = none;
        make_node(item, !*rest                                ? LB_DOC_NULL
                        : is_number(rest, strcspn(rest, ".")) ? LB_DOC_SEQUENCE
                                                              : LB_DOC_MAPPING);
    }
    *path = rest;
    return item;
}

static bool set_path(lb_doc *doc, lb_reader *reader, const lb_parameter_value *value)
{
    const char *path = value->name;
    lb_doc_node *node = &doc->root;
    bool lacks = false;
    for (int level = 0; *path && node; ++level) {
        if (level == LEVEL_MAX) {
            const lb_place root = (lb_place){.node = &doc->root};
            lb_reader_fail(reader, &root, "\"%.100s\" is more than %d deep", value->name,
                           LEVEL_MAX);
            return true;
        }
        node = open_item(doc, reader, value->name, &path, node, &lacks);
    }
    if (!node) {
        return !lacks;
    }
    const lb_doc_kind kind = lb_doc_get_kind(node);
    if (kind == LB_DOC_MAPPING || kind == LB_DOC_SEQUENCE) {
        const lb_place root = (lb_place){.node = &doc->root};
        lb_reader_fail(reader, &root, "\"%.100s\" cannot be set: it is a %s, expected a number",
                       value->name, kind == LB_DOC_MAPPING ? "mapping" : "list");
        return true;
    }
    make_node(node, LB_DOC_NUMBER);
    node->value.number = value->value;
    return true;
}

// The same name in the pool, which outlives the next values; NULL without memory.
static const char *keep_name(lb_doc *doc, const char *name)
{
    for (const lb_path_name *known = doc->path_names; known; known = known->next) {
        if (strcmp(known->text, name) == 0) {
            return known->text;
        }
    }
    lb_path_name *kept = lb_arena_take(&doc->pool, 1, sizeof *kept);
    const char *text = kept ? lb_arena_text(&doc->pool, name) : NULL;
    if (text) {
        *kept = (lb_path_name){doc->path_names, text};
        doc->path_names = kept;
    }
    return text;
}

bool lb_is_path(const lb_context *context, const lb_parameter_value *value)
{
    return value->name && strchr(value->name, '.') && isfinite(value->value) &&
           lb_names_find(&context->names, value->name) < 0;
}

lb_status lb_set_paths(lb_doc *doc, lb_reader *reader, lb_context *context,
                       const lb_parameter_value *values, int value_count)
{
    lb_parameter_value *paths =
        lb_arena_take(&doc->expansion, (size_t)value_count + 1, sizeof *paths);
    if (!paths) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < value_count; ++i) {
        if (!lb_is_path(context, &values[i])) {
            continue;
        }
        const lb_parameter_value kept = {keep_name(doc, values[i].name), values[i].value};
        if (!kept.name || !set_path(doc, reader, &kept)) {
            return LB_E_MEMORY;
        }
        paths[context->path_count++] = kept;
    }
    context->paths = paths;
    return reader->error_count > 0 ? LB_E_MODEL : LB_OK;
}
