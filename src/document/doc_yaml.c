// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// YAML by the events of libyaml. Only what has a counterpart in JSON is read: whoever writes a
// model by hand gets comments and block style, and no surprises.
#include <string.h>
#include <yaml.h>

#include "doc.h"
#include "places.h"

static lb_doc_mark lb_yaml_mark(yaml_mark_t mark)
{
    return (lb_doc_mark){mark.line + 1, mark.column + 1};
}

// What libyaml did not understand.
static lb_status lb_yaml_fail(const lb_doc_writer *writer, const yaml_parser_t *parser,
                              const char *text, size_t length)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        return LB_E_MEMORY;
    case YAML_READER_ERROR: {
        // bad characters carry no mark, only their place in the text
        const size_t offset = parser->problem_offset < length ? parser->problem_offset : length;
        return lb_doc_fail(writer, lb_doc_mark_at(text, offset), "not valid YAML: %s", problem);
    }
    default: {
        // libyaml sets its end of text on a line of its own
        const lb_doc_mark mark = parser->problem_mark.index < length
                                     ? lb_yaml_mark(parser->problem_mark)
                                     : lb_doc_mark_at(text, length);
        if (!parser->context) {
            return lb_doc_fail(writer, mark, "not valid YAML: %s", problem);
        }
        return lb_doc_fail(writer, mark, "not valid YAML: %s, %s that starts at %zu:%zu", problem,
                           parser->context, parser->context_mark.line + 1,
                           parser->context_mark.column + 1);
    }
    }
}

static lb_status lb_yaml_refuse(const lb_doc_writer *writer, lb_doc_mark mark, const char *what)
{
    return lb_doc_fail(writer, mark, "%s are not allowed in a model: write the value out", what);
}

static lb_status lb_yaml_open(lb_doc_writer *writer, lb_doc_kind kind, lb_doc_mark mark,
                              const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor || tag) {
        return lb_yaml_refuse(writer, mark, anchor ? "anchors" : "tags");
    }
    if (lb_doc_expects_key(writer)) {
        return lb_doc_fail(writer, mark, "expected a key, found a %s",
                           kind == LB_DOC_MAPPING ? "mapping" : "list");
    }
    return lb_doc_open(writer, kind, mark);
}

static lb_status lb_yaml_add_scalar(lb_doc_writer *writer, const yaml_event_t *event)
{
    const lb_doc_mark mark = lb_yaml_mark(event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (event->data.scalar.anchor || event->data.scalar.tag) {
        return lb_yaml_refuse(writer, mark, event->data.scalar.anchor ? "anchors" : "tags");
    }
    if (strlen(text) != length) {
        return lb_doc_fail(writer, mark, "a string with a NUL character");
    }
    if (lb_doc_expects_key(writer)) {
        if (plain && strcmp(text, "<<") == 0) {
            return lb_yaml_refuse(writer, mark, "merge keys");
        }
        return lb_doc_add_text(writer, text, length, mark);
    }
    return plain ? lb_doc_add_plain(writer, text, length, mark)
                 : lb_doc_add_text(writer, text, length, mark);
}

static lb_status lb_yaml_take(lb_doc_writer *writer, const yaml_event_t *event, int *documents)
{
    const lb_doc_mark mark = lb_yaml_mark(event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++*documents == 1
                   ? LB_OK
                   : lb_doc_fail(writer, mark, "a second document, expected one in a file");
    case YAML_ALIAS_EVENT:
        return lb_yaml_refuse(writer, mark, "aliases");
    case YAML_SCALAR_EVENT:
        return lb_yaml_add_scalar(writer, event);
    case YAML_SEQUENCE_START_EVENT:
        return lb_yaml_open(writer, LB_DOC_SEQUENCE, mark, event->data.sequence_start.anchor,
                            event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return lb_yaml_open(writer, LB_DOC_MAPPING, mark, event->data.mapping_start.anchor,
                            event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return lb_doc_close(writer);
    default:
        return LB_OK;
    }
}

static lb_status lb_yaml_read(lb_doc_writer *writer, yaml_parser_t *parser, const char *text,
                              size_t length)
{
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
    int documents = 0;
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return lb_yaml_fail(writer, parser, text, length);
        }
        more = event.type != YAML_STREAM_END_EVENT;
        const lb_status status = lb_yaml_take(writer, &event, &documents);
        yaml_event_delete(&event);
        if (status != LB_OK) {
            return status;
        }
    }
    return documents ? LB_OK
                     : lb_doc_fail(writer, (lb_doc_mark){1, 1},
                                   "the document is empty, expected a model");
}

lb_status lb_doc_read_yaml(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_report *report)
{
    lb_doc_writer writer;
    lb_doc_writer_init(&writer, doc, file, report);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return lb_doc_writer_finish(&writer, LB_E_MEMORY);
    }
    const lb_status status = lb_yaml_read(&writer, &parser, text, length);
    yaml_parser_delete(&parser);
    return lb_doc_writer_finish(&writer, status);
}
