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

typedef struct lb_xml_trouble {
    lb_status status; ///< LB_OK for none
    size_t line;
    lb_text message;
} lb_xml_trouble;

size_t lb_urdf_get_line(const xmlNode *node)
{
    const long line = xmlGetLineNo((xmlNode *)(uintptr_t)node);
    return line > 0 ? (size_t)line : 1;
}

// Remembers the first error that is fatal; what follows it is its consequence.
static void lb_xml_on_error(void *user, lb_xml_error *error)
{
    lb_xml_trouble *trouble = ((xmlParserCtxt *)user)->_private;
    if (trouble->status != LB_OK || error->level < XML_ERR_FATAL) {
        return;
    }
    trouble->status = error->code == XML_ERR_NO_MEMORY ? LB_E_MEMORY : LB_E_SYNTAX;
    trouble->line = error->line > 0 ? (size_t)error->line : 1;
    lb_text_add(&trouble->message, "not valid XML: %s", error->message ? error->message : "?");
    while (trouble->message.length > 0 &&
           trouble->message.data[trouble->message.length - 1] == '\n') {
        trouble->message.data[--trouble->message.length] = '\0';
    }
    for (char *c = trouble->message.data; *c; ++c) {
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
    lb_xml_trouble *trouble = context->_private;
    if (trouble->status == LB_OK) {
        trouble->status = LB_E_SYNTAX;
        trouble->line =
            context->input && context->input->line > 0 ? (size_t)context->input->line : 1;
        lb_text_add(&trouble->message, "a DOCTYPE found, expected none: a robot needs no "
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

lb_status lb_urdf_open_xml(lb_urdf *urdf, const char *text, size_t length, xmlDoc **xml)
{
    *xml = NULL;
    if (length > LB_URDF_SIZE_MAX) {
        return lb_doc_fail(&urdf->writer, (lb_doc_mark){0, 0},
                           "%zu bytes found, expected at most %zu", length, LB_URDF_SIZE_MAX);
    }
    xmlInitParser();
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (!context) {
        return LB_E_MEMORY;
    }
    lb_xml_trouble trouble = {.status = LB_OK};
    context->_private = &trouble;
    context->sax->serror = lb_xml_on_error;
    context->sax->internalSubset = lb_xml_on_doctype;
    // without XML_PARSE_HUGE: depth and the length of texts stay bounded
    *xml = xmlCtxtReadMemory(context, text, (int)length, NULL, NULL,
                             XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                 XML_PARSE_BIG_LINES);
    xmlFreeParserCtxt(context);
    if (*xml && trouble.status == LB_OK && xmlDocGetRootElement(*xml)) {
        return LB_OK;
    }
    xmlFreeDoc(*xml);
    *xml = NULL;
    // without memory, libxml2 may give up before it has looked at the text
    if (urdf->lacks_memory || trouble.status == LB_E_MEMORY || !trouble.message.length) {
        return LB_E_MEMORY;
    }
    const lb_doc_mark mark = {trouble.line ? trouble.line : 1, 0};
    return lb_doc_fail(&urdf->writer, mark, "%s", trouble.message.data);
}
