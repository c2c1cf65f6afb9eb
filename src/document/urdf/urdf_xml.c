// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The XML below a robot, by libxml2. Nothing outside the text is ever read, and no entity is ever
// declared: parsing ends at a DOCTYPE, before its first declaration.
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <string.h>

#include "urdf_robot.h"

// The type of the error that a handler is given has become const.
#if LIBXML_VERSION >= 21200
typedef const xmlError lb_xml_error;
#else
typedef xmlError lb_xml_error;
#endif

typedef struct lb_xml_failure {
    lb_status status; ///< LB_OK for none
    size_t line;
    lb_text message;
} lb_xml_failure;

size_t lb_urdf_get_line(const xmlNode *node)
{
    const long line = xmlGetLineNo((xmlNode *)(uintptr_t)node);
    return line > 0 ? (size_t)line : 1;
}

// Remembers the first error that is fatal; what follows it is its consequence.
static void lb_xml_on_error(void *user, lb_xml_error *error)
{
    lb_xml_failure *failure = ((xmlParserCtxt *)user)->_private;
    if (failure->status != LB_OK || error->level < XML_ERR_FATAL) {
        return;
    }
    failure->status = error->code == XML_ERR_NO_MEMORY ? LB_E_MEMORY : LB_E_SYNTAX;
    failure->line = error->line > 0 ? (size_t)error->line : 1;
    lb_text_add(&failure->message, "not valid XML: %s", error->message ? error->message : "?");
    while (failure->message.length > 0 &&
           failure->message.data[failure->message.length - 1] == '\n') {
        failure->message.data[--failure->message.length] = '\0';
    }
    for (char *c = failure->message.data; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 0x7F) {
            *c = '?';
        }
    }
}

static void lb_xml_on_doctype(void *user, const xmlChar *name, const xmlChar *id,
                              const xmlChar *system)
{
    (void)name;
    (void)id;
    (void)system;
    xmlParserCtxt *context = user;
    lb_xml_failure *failure = context->_private;
    if (failure->status == LB_OK) {
        failure->status = LB_E_SYNTAX;
        failure->line =
            context->input && context->input->line > 0 ? (size_t)context->input->line : 1;
        lb_text_add(&failure->message, "a DOCTYPE found, expected none: a robot needs no "
                                       "declarations, and entities are not read");
    }
    xmlStopParser(context);
}

// Errors that no parser is asked about.
static void lb_xml_on_lack(void *user, lb_xml_error *error)
{
    bool *lacks_memory = user;
    *lacks_memory = *lacks_memory || error->code == XML_ERR_NO_MEMORY;
}

lb_xml_guard lb_urdf_enter_xml(bool *lacks_memory)
{
    const lb_xml_guard guard = {xmlStructuredError, xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(lacks_memory, lb_xml_on_lack);
    return guard;
}

void lb_urdf_leave_xml(const lb_xml_guard *guard)
{
    xmlSetStructuredErrorFunc(guard->user, guard->handler);
}

static lb_status lb_urdf_parse_xml(lb_urdf *urdf, const char *text, size_t length,
                                   const char *encoding, xmlDoc **xml)
{
    xmlInitParser();
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (!context) {
        return LB_E_MEMORY;
    }
    lb_xml_failure failure = {.status = LB_OK};
    context->_private = &failure;
    context->sax->serror = lb_xml_on_error;
    context->sax->internalSubset = lb_xml_on_doctype;
    // without XML_PARSE_HUGE: depth and the length of texts stay bounded
    *xml = xmlCtxtReadMemory(context, text, (int)length, NULL, encoding,
                             XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                 XML_PARSE_BIG_LINES);
    xmlFreeParserCtxt(context);
    if (*xml && failure.status == LB_OK && xmlDocGetRootElement(*xml)) {
        return LB_OK;
    }
    xmlFreeDoc(*xml);
    *xml = NULL;
    // without memory, libxml2 may give up before it has looked at the text
    if (urdf->lacks_memory || failure.status == LB_E_MEMORY || !failure.message.length) {
        return LB_E_MEMORY;
    }
    const lb_doc_mark mark = {failure.line ? failure.line : 1, 0};
    return lb_doc_fail(&urdf->writer, mark, "%s", failure.message.data);
}

// A declaration that stands behind blanks or comments, or has a version that is none, cannot mean anything else
// than one that is right: every robot is written in XML 1.0.
typedef struct lb_xml_declaration {
    const char *start, *end; ///< of "<?xml ... ?>"; NULL if there is none
    bool is_first, has_version;
    char encoding[40]; ///< "" if it names none
} lb_xml_declaration;

static const char *lb_xml_skip(const char *at, const char *end)
{
    while (at < end && *at && strchr(" \t\r\n", *at)) {
        ++at;
    }
    return at;
}

// The value of an attribute, without its quotes; its length, or 0.
static size_t lb_xml_find_value(const lb_xml_declaration *d, const char *name, const char **value)
{
    const size_t length = strlen(name);
    for (const char *at = d->start + 5; at + length < d->end; ++at) {
        if (memcmp(at, name, length) != 0 || !strchr(" \t\r\n", at[-1])) {
            continue;
        }
        at = lb_xml_skip(at + length, d->end);
        at = at < d->end && *at == '=' ? lb_xml_skip(at + 1, d->end) : d->end;
        const char *close = at < d->end && (*at == '"' || *at == '\'')
                                ? (const char *)memchr(at + 1, *at, (size_t)(d->end - at - 1))
                                : NULL;
        *value = at + 1;
        return close ? (size_t)(close - at - 1) : 0;
    }
    return 0;
}

// Looks at what stands before the root: blanks, comments, the declaration.
static lb_xml_declaration lb_xml_find_declaration(const char *text, size_t length)
{
    lb_xml_declaration d = {.start = NULL};
    const char *end = text + length, *at = lb_xml_skip(text, end);
    while (end - at > 4 && memcmp(at, "<!--", 4) == 0) {
        at += 4;
        while (end - at > 2 && memcmp(at, "-->", 3) != 0) {
            ++at;
        }
        at = end - at > 2 ? lb_xml_skip(at + 3, end) : end;
    }
    if (end - at < 7 || memcmp(at, "<?xml", 5) != 0 || !strchr(" \t\r\n", at[5])) {
        return d;
    }
    d.start = at;
    while (end - at > 1 && memcmp(at, "?>", 2) != 0) {
        ++at;
    }
    if (end - at < 2) {
        d.start = NULL;
        return d;
    }
    d.end = at + 2;
    d.is_first = d.start == text;
    const char *value = NULL;
    const size_t version = lb_xml_find_value(&d, "version", &value);
    d.has_version = version > 2 && memcmp(value, "1.", 2) == 0;
    const size_t encoding = lb_xml_find_value(&d, "encoding", &value);
    if (encoding < sizeof d.encoding) {
        memcpy(d.encoding, value, encoding);
    }
    return d;
}

// The text with blanks in place of its declaration, lines as they were; to be released. NULL without memory.
static char *lb_xml_put_aside(const lb_allocator *allocator, const char *text, size_t length,
                              const lb_xml_declaration *d)
{
    char *copy = allocator->allocate(allocator->user, length);
    if (copy) {
        memcpy(copy, text, length);
        for (const char *c = d->start; c < d->end; ++c) {
            copy[c - text] = *c == '\n' || *c == '\r' ? *c : ' ';
        }
    }
    return copy;
}

lb_status lb_urdf_open_xml(lb_urdf *urdf, const char *text, size_t length, xmlDoc **xml)
{
    *xml = NULL;
    if (length > LB_URDF_SIZE_MAX) {
        return lb_doc_fail(&urdf->writer, (lb_doc_mark){0, 0},
                           "%zu bytes found, expected at most %zu", length, LB_URDF_SIZE_MAX);
    }
    const lb_xml_declaration d = lb_xml_find_declaration(text, length);
    if (!d.start || (d.is_first && d.has_version)) {
        return lb_urdf_parse_xml(urdf, text, length, NULL, xml);
    }
    lb_urdf_at at = {.line = 1};
    for (const char *c = text; c < d.start; ++c) {
        at.line += *c == '\n';
    }
    if (!d.is_first) {
        lb_urdf_warn(urdf, &at, "",
                     "\"<?xml\" must be the first thing in the file: other programs refuse what "
                     "stands before it; it is read all the same");
    }
    if (!d.has_version) {
        lb_urdf_warn(urdf, &at, "",
                     "this version of XML does not exist, expected \"1.0\"; it is read as 1.0");
    }
    const lb_allocator *allocator = &urdf->writer.doc->pool.allocator;
    char *copy = lb_xml_put_aside(allocator, text, length, &d);
    if (!copy) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        lb_urdf_parse_xml(urdf, copy, length, d.encoding[0] ? d.encoding : NULL, xml);
    allocator->release(allocator->user, copy);
    return status;
}
