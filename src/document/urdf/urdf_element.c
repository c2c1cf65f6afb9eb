// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a robot is read with: elements, attributes and numbers, and errors that say where.
#include <string.h>

#include "base/formula/number.h"
#include "document/reader.h"
#include "document/values.h"
#include "urdf_robot.h"

// ---- errors ------------------------------------------------------------------------------------

static void lb_urdf_emit(lb_urdf *urdf, lb_severity severity, const lb_urdf_at *at,
                         const char *part, const char *message)
{
    lb_text path = {.length = 0};
    lb_text_add(&path, "robot");
    if (at->kind) {
        lb_text_add(&path, ".%s[", at->kind);
        lb_text_add_excerpt(&path, at->name ? at->name : "?");
        lb_text_add(&path, "]");
    }
    lb_text_add(&path, "%s%s", part[0] ? "." : "", part);
    const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                      .severity = severity,
                                      .file = urdf->writer.file,
                                      .line = (int)at->line,
                                      .path = path.data,
                                      .message = message};
    // what is missing for lack of memory is no mistake of the robot
    if (urdf->writer.report.emit && !urdf->lacks_memory) {
        urdf->writer.report.emit(urdf->writer.report.user, &diagnostic);
    }
}

void lb_urdf_fail(lb_urdf *urdf, const lb_urdf_at *at, const char *part, const char *format, ...)
{
    lb_text message = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    lb_text_add_list(&message, format, arguments);
    va_end(arguments);
    ++urdf->error_count;
    lb_urdf_emit(urdf, LB_SEVERITY_ERROR, at, part, message.data);
}

void lb_urdf_warn(lb_urdf *urdf, const lb_urdf_at *at, const char *part, const char *format, ...)
{
    lb_text message = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    lb_text_add_list(&message, format, arguments);
    va_end(arguments);
    lb_urdf_emit(urdf, LB_SEVERITY_WARNING, at, part, message.data);
}

lb_urdf_at lb_urdf_at_node(const lb_urdf_at *at, const xmlNode *node)
{
    return (lb_urdf_at){at->kind, at->name, lb_urdf_get_line(node)};
}

lb_text lb_urdf_excerpt(const char *text)
{
    lb_text excerpt = {.length = 0};
    lb_text_add_excerpt(&excerpt, text);
    return excerpt;
}

// ---- elements and attributes -------------------------------------------------------------------

bool lb_urdf_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && (!node->ns || !node->ns->prefix) &&
           (!name || strcmp((const char *)node->name, name) == 0);
}

static bool lb_urdf_is_among(const xmlNode *node, const char *const *names)
{
    for (; *names; ++names) {
        if (strcmp((const char *)node->name, *names) == 0) {
            return true;
        }
    }
    return false;
}

const xmlNode *lb_urdf_find(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up,
                            const char *name, const char *part)
{
    const xmlNode *found = NULL;
    for (const xmlNode *node = up->children; node; node = node->next) {
        if (lb_urdf_is(node, name)) {
            if (found) {
                const lb_urdf_at here = lb_urdf_at_node(at, node);
                lb_urdf_fail(urdf, &here, part, "given twice, expected one <%s>", name);
                break;
            }
            found = node;
        }
    }
    return found;
}

// A misspelt element must not vanish without a word. Others may be extensions, and are left alone.
void lb_urdf_warn_of_unknown(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up,
                             const char *const *known)
{
    for (const xmlNode *node = up->children; node; node = node->next) {
        if (!lb_urdf_is(node, NULL) || lb_urdf_is_among(node, known)) {
            continue;
        }
        const char *name = (const char *)node->name, *similar = lb_find_similar(name, known);
        if (similar) {
            const lb_urdf_at here = lb_urdf_at_node(at, node);
            lb_urdf_warn(urdf, &here, "", "unknown element <%s> is ignored; did you mean <%s>?",
                         lb_urdf_excerpt(name).data, similar);
        }
    }
}

// Nor must an attribute; only where every one counts.
void lb_urdf_warn_of_attributes(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                                const char *part, const char *const *known)
{
    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
        // an attribute starts as a node does
        if (!attribute->ns && !lb_urdf_is_among((const xmlNode *)(const void *)attribute, known)) {
            const lb_urdf_at here = lb_urdf_at_node(at, node);
            lb_urdf_warn(urdf, &here, part, "unknown attribute \"%s\" is ignored",
                         lb_urdf_excerpt((const char *)attribute->name).data);
        }
    }
}

const char *lb_urdf_get_attribute(lb_urdf *urdf, const xmlNode *node, const char *name)
{
    xmlNode *element = (xmlNode *)(uintptr_t)node; // libxml2 only reads it
    if (!xmlHasNsProp(element, (const xmlChar *)name, NULL)) {
        return NULL;
    }
    xmlChar *value = xmlGetNoNsProp(element, (const xmlChar *)name);
    const char *copy = value ? lb_arena_text(&urdf->writer.doc->pool, (const char *)value) : NULL;
    xmlFree(value);
    urdf->lacks_memory = urdf->lacks_memory || !copy;
    return copy;
}

// ---- numbers -----------------------------------------------------------------------------------

static size_t lb_urdf_skip(const char *text, size_t i, const char *set)
{
    while (text[i] && strchr(set, text[i])) {
        ++i;
    }
    return i;
}

// Length of a decimal number at the start of a text, up to a blank or the end; 0 if it is none.
static size_t lb_urdf_match_number(const char *text)
{
    static const char digits[] = "0123456789";
    size_t i = text[0] == '+' || text[0] == '-';
    const size_t whole = lb_urdf_skip(text, i, digits) - i;
    size_t fraction = 0;
    i += whole;
    if (text[i] == '.') {
        fraction = lb_urdf_skip(text, i + 1, digits) - i - 1;
        i += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return 0;
    }
    if (text[i] == 'e' || text[i] == 'E') {
        ++i;
        i += text[i] == '+' || text[i] == '-';
        const size_t end = lb_urdf_skip(text, i, digits);
        if (end == i) {
            return 0;
        }
        i = end;
    }
    return text[i] == '\0' || strchr(" \t\r\n", text[i]) ? i : 0;
}

void lb_urdf_read_numbers(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                          lb_urdf_field field, size_t count, double *numbers)
{
    const char *text = lb_urdf_get_attribute(urdf, node, field.attribute);
    const lb_urdf_at here = lb_urdf_at_node(at, node);
    lb_text part = {.length = 0};
    lb_text_add(&part, "%s.%s", field.part, field.attribute);
    if (!text) {
        if (field.required) {
            lb_urdf_fail(urdf, &here, part.data, "missing: expected %zu number%s", count,
                         count == 1 ? "" : "s");
        }
        return;
    }
    double found[4] = {0, 0, 0, 0};
    size_t given = 0, i = lb_urdf_skip(text, 0, " \t\r\n");
    while (text[i]) {
        const size_t length = lb_urdf_match_number(text + i);
        double number = 0;
        if (length == 0 ||
            !lb_convert_digits(urdf->writer.decimal_point, text + i, length, &number)) {
            lb_urdf_fail(urdf, &here, part.data, "\"%s\" found, expected %s%s",
                         lb_urdf_excerpt(text + i).data,
                         count == 1 ? "a finite number" : "finite numbers",
                         strstr(text, "${") ? "; this looks like xacro: run xacro first" : "");
            return;
        }
        if (given < count) {
            found[given] = number;
        }
        ++given;
        i = lb_urdf_skip(text, i + length, " \t\r\n");
    }
    if (given != count) {
        lb_urdf_fail(urdf, &here, part.data, "%zu number%s found, expected %zu", given,
                     given == 1 ? "" : "s", count);
        return;
    }
    memcpy(numbers, found, count * sizeof *numbers);
}
