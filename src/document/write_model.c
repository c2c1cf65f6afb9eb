// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Layout, the same for YAML and JSON: a list of scalars on one line; inner containers on one line
// where they fit; everything else one entry a line.
#include "write_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "places.h"

enum {
    LB_WRITE_COLUMNS = 100,
    LB_WRITE_INDENT = 2,
    LB_WRITE_OUTER = 3, ///< levels that always get one entry a line: the model, bodies, a body
    LB_WRITE_PLAIN_MAX = 500, ///< longer words have quotes
    LB_WRITE_KEY_MAX = 1000   ///< YAML wants keys of at most 1024 characters, or a mark before them
};

typedef struct lb_sink {
    const lb_allocator *allocator;
    char *text;
    size_t length, capacity, line_start;
    bool json, failed;
    const lb_pin *pins;
    int pin_count;
} lb_sink;

// ---- characters --------------------------------------------------------------------------------

static void lb_sink_add(lb_sink *sink, const char *text, size_t length)
{
    sink->failed = sink->failed || !lb_grow_array(sink->allocator, &sink->text, sink->length,
                                                  length + 1, &sink->capacity, 1);
    if (!sink->failed) {
        memcpy(sink->text + sink->length, text, length);
        sink->length += length;
    }
}

static void lb_sink_put(lb_sink *sink, const char *text)
{
    lb_sink_add(sink, text, strlen(text));
}

static void lb_sink_start_line(lb_sink *sink, int indent)
{
    if (sink->length > 0) {
        lb_sink_put(sink, "\n");
    }
    sink->line_start = sink->length;
    for (int i = 0; i < indent; ++i) {
        lb_sink_put(sink, " ");
    }
}

// ---- scalars -----------------------------------------------------------------------------------

// As few digits as read back to the same number, with a point whatever the locale.
static size_t lb_format_number(double number, bool json, char out[40])
{
    int length = 0;
    for (int digits = 15; digits <= 17; ++digits) {
        length = snprintf(out, 40, "%.*g", digits, number);
        if (strtod(out, NULL) == number) {
            break;
        }
    }
    // what is neither digit, sign nor exponent is the locale's point, of one byte or more
    size_t end = 0;
    bool point = false;
    for (int i = 0; i < length; ++i) {
        const bool plain = strchr("0123456789+-e", out[i]) != NULL;
        if (plain) {
            out[end++] = out[i];
        } else if (!point) {
            out[end++] = '.';
            point = true;
        }
    }
    out[end] = '\0';
    return json ? end : lb_add_exponent_points(out, 40);
}

// Whether a string may stand in YAML without quotes, for any reader, old ones included.
static bool lb_is_plain(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n",   NULL};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t length = strlen(text);
    if (length == 0 || !strchr(letters, text[0]) || length > LB_WRITE_PLAIN_MAX) {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        if (!strchr(letters, text[i]) && !strchr("0123456789-./", text[i])) {
            return false;
        }
    }
    for (int i = 0; words[i]; ++i) {
        size_t k = 0;
        while (words[i][k] && (text[k] | 0x20) == words[i][k]) {
            ++k;
        }
        if (!words[i][k] && !text[k]) {
            return false;
        }
    }
    return true;
}

// Takes one character of UTF-8, which the readers have checked.
static unsigned lb_take_character(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    const int tail = c[0] < 0xC0 ? 0 : c[0] < 0xE0 ? 1 : c[0] < 0xF0 ? 2 : 3;
    unsigned code = tail == 0 ? c[0] : c[0] & (0x3Fu >> tail);
    int used = 1;
    for (; used <= tail && (c[used] & 0xC0) == 0x80; ++used) {
        code = code << 6 | (c[used] & 0x3Fu);
    }
    *text += used;
    return code;
}

// In double quotes, by the escapes that JSON and YAML share.
static void lb_sink_put_quoted(lb_sink *sink, const char *text)
{
    lb_sink_put(sink, "\"");
    while (*text) {
        const char *start = text;
        const unsigned code = lb_take_character(&text);
        // controls, and what YAML takes for none of its characters or for the end of a line
        const bool escaped = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 ||
                             code == 0x2029 || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
        if (escaped) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04X", code);
            lb_sink_put(sink, escape);
            continue;
        }
        if (code == '"' || code == '\\') {
            lb_sink_put(sink, "\\");
        }
        lb_sink_add(sink, start, (size_t)(text - start));
    }
    lb_sink_put(sink, "\"");
}

static void lb_sink_put_scalar(lb_sink *sink, const lb_doc_node *node)
{
    char number[40];
    switch (lb_doc_get_kind(node)) {
    case LB_DOC_BOOL:
        lb_sink_put(sink, node->value.truth ? "true" : "false");
        break;
    case LB_DOC_NUMBER:
        lb_sink_add(sink, number, lb_format_number(node->value.number, sink->json, number));
        break;
    case LB_DOC_STRING:
        if (!sink->json && lb_is_plain(node->value.text)) {
            lb_sink_put(sink, node->value.text);
        } else {
            lb_sink_put_quoted(sink, node->value.text);
        }
        break;
    default:
        lb_sink_put(sink, "null");
    }
}

// ---- containers --------------------------------------------------------------------------------

static bool lb_is_container(const lb_doc_node *node)
{
    const lb_doc_kind kind = lb_doc_get_kind(node);
    return kind == LB_DOC_SEQUENCE || kind == LB_DOC_MAPPING;
}

// The library that takes the place of the name of its file, or the node itself.
static const lb_doc_node *lb_find_content(const lb_sink *sink, const lb_doc_node *node)
{
    for (int i = 0; i < sink->pin_count; ++i) {
        if (sink->pins[i].file == node && sink->pins[i].is_library) {
            return &sink->pins[i].library.root;
        }
    }
    return node;
}

static bool lb_is_list_of_scalars(const lb_sink *sink, const lb_doc_node *node)
{
    if (lb_doc_get_kind(node) != LB_DOC_SEQUENCE) {
        return false;
    }
    for (size_t i = 0; i < lb_doc_get_count(node); ++i) {
        if (lb_is_container(lb_find_content(sink, lb_doc_get_element(node, i)))) {
            return false;
        }
    }
    return true;
}

// The hash of the file that a node names, or NULL.
static const char *lb_find_pin(const lb_sink *sink, const lb_doc_node *node)
{
    for (int i = 0; i < sink->pin_count; ++i) {
        if (sink->pins[i].file == node && sink->pins[i].hash[0]) {
            return sink->pins[i].hash;
        }
    }
    return NULL;
}

static void lb_sink_put_pin(lb_sink *sink, const char *hash)
{
    lb_sink_put(sink, sink->json ? "\"hash\": \"" : "hash: \"");
    lb_sink_put(sink, hash);
    lb_sink_put(sink, "\"");
}

// The whole node on the present line. Stops beyond `limit` characters of text.
static void lb_sink_put_inline(lb_sink *sink, const lb_doc_node *node, size_t limit)
{
    if (!lb_is_container(node)) {
        lb_sink_put_scalar(sink, node);
        return;
    }
    const bool mapping = lb_doc_get_kind(node) == LB_DOC_MAPPING;
    lb_sink_put(sink, mapping ? "{" : "[");
    for (size_t i = 0; i < lb_doc_get_count(node) && sink->length <= limit; ++i) {
        lb_sink_put(sink, i > 0 ? ", " : "");
        if (mapping) {
            lb_sink_put_scalar(sink, lb_doc_get_key(node, i));
            lb_sink_put(sink, ": ");
        }
        const lb_doc_node *value =
            mapping ? lb_doc_get_value(node, i) : lb_doc_get_element(node, i);
        const char *hash = lb_find_pin(sink, value);
        lb_sink_put_inline(sink, lb_find_content(sink, value), limit);
        if (hash) {
            lb_sink_put(sink, ", ");
            lb_sink_put_pin(sink, hash);
        }
    }
    lb_sink_put(sink, mapping ? "}" : "]");
}

// Puts a node on the present line if that is its place; otherwise leaves all as it was.
static bool lb_sink_try_inline(lb_sink *sink, const lb_doc_node *node, int level)
{
    if (!lb_is_container(node) || lb_is_list_of_scalars(sink, node) ||
        lb_doc_get_count(node) == 0) {
        lb_sink_put_inline(sink, node, SIZE_MAX);
        return true;
    }
    if (level < LB_WRITE_OUTER) {
        return false;
    }
    const size_t start = sink->length, limit = sink->line_start + LB_WRITE_COLUMNS;
    lb_sink_put_inline(sink, node, limit);
    if (sink->length > limit) {
        sink->length = start;
    }
    return sink->length > start;
}

static void lb_sink_put_key(lb_sink *sink, const lb_doc_node *key, int indent)
{
    const size_t start = sink->length;
    lb_sink_put_scalar(sink, key);
    // as it is written: an escape is longer than what it stands for
    if (!sink->json && sink->length - start > LB_WRITE_KEY_MAX) {
        sink->length = start;
        lb_sink_put(sink, "? ");
        lb_sink_put_scalar(sink, key);
        lb_sink_start_line(sink, indent);
    }
    lb_sink_put(sink, sink->json ? ": " : ":");
}

// One entry a line. In YAML the first entry of what is itself in a list follows the dash.
static void lb_sink_put_block(lb_sink *sink, const lb_doc_node *node, int level, int indent,
                              bool after_dash)
{
    const bool mapping = lb_doc_get_kind(node) == LB_DOC_MAPPING;
    const size_t count = lb_doc_get_count(node);
    if (sink->json) {
        lb_sink_put(sink, mapping ? "{" : "[");
    }
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 && after_dash) {
            lb_sink_put(sink, " ");
        } else {
            lb_sink_start_line(sink, indent);
        }
        if (mapping) {
            lb_sink_put_key(sink, lb_doc_get_key(node, i), indent);
        } else if (!sink->json) {
            lb_sink_put(sink, "-");
        }

        const lb_doc_node *value =
            mapping ? lb_doc_get_value(node, i) : lb_doc_get_element(node, i);
        const size_t start = sink->length;
        if (!sink->json) {
            lb_sink_put(sink, " ");
        }
        const lb_doc_node *content = lb_find_content(sink, value);
        if (!lb_sink_try_inline(sink, content, level + 1)) {
            sink->length = start;
            lb_sink_put_block(sink, content, level + 1, indent + LB_WRITE_INDENT,
                              !mapping && !sink->json);
        }
        const char *hash = lb_find_pin(sink, value);
        if (hash) {
            lb_sink_put(sink, sink->json ? "," : "");
            lb_sink_start_line(sink, indent);
            lb_sink_put_pin(sink, hash);
        }
        if (sink->json && i + 1 < count) {
            lb_sink_put(sink, ",");
        }
    }
    if (sink->json) {
        lb_sink_start_line(sink, indent - LB_WRITE_INDENT);
        lb_sink_put(sink, mapping ? "}" : "]");
    }
}

lb_status lb_write_document(const lb_doc_node *root, lb_format format,
                            const lb_allocator *allocator, const lb_pin *pins, int pin_count,
                            char **text, size_t *length)
{
    lb_sink sink = {.allocator = allocator,
                    .json = format == LB_FORMAT_JSON,
                    .pins = pins,
                    .pin_count = pin_count};
    if (!lb_is_container(root)) {
        lb_sink_put_scalar(&sink, root);
    } else {
        lb_sink_put_block(&sink, root, 0, sink.json ? LB_WRITE_INDENT : 0, false);
    }
    lb_sink_add(&sink, "\n", 2); // and the zero byte
    if (sink.failed) {
        if (sink.text) {
            allocator->release(allocator->user, sink.text);
        }
        return LB_E_MEMORY;
    }
    *text = sink.text;
    *length = sink.length - 1;
    return LB_OK;
}
